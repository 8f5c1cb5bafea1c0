"""The laboratory book: bench/notes/NAME.md says what was tried for the figures
of bench/results/NAME.md. A section that explains figures below their goal
begins with two lines:

    Rows: `a pattern`, `another`
    Reason: a few words.

A pattern is a name of a row, in which * stands for any text. A row takes its
reason from the first section that fits.
"""
import dataclasses
import fnmatch
import os
import re

from report.records import ROOT, read

NOTES = os.path.join(ROOT, "bench", "notes")


@dataclasses.dataclass(frozen=True)
class Note:
    page: str
    heading: str
    rows: tuple
    reason: str

    def explains(self, row):
        return any(fnmatch.fnmatchcase(row, pattern.replace("[", "[[]"))
                   for pattern in self.rows)

    @property
    def link(self):
        """Relative to bench/results, with the anchor that code hosts give a
        heading."""
        anchor = re.sub(r"[^\w\- ]", "", self.heading.lower())
        return f"../notes/{self.page}.md#{anchor.replace(' ', '-')}"


def notes_in(page, text):
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        heading, _, body = part.partition("\n")
        found = re.match(r"\s*Rows: (.*?)\n\s*Reason: (.*?)\.?\n\s*(?:\n|\Z)",
                         body, re.S)
        if found:
            yield Note(page, heading.strip(),
                       tuple(re.findall(r"`([^`]*)`", found[1])),
                       " ".join(found[2].split()))


def notes_of(page):
    return list(notes_in(page, read(os.path.join(NOTES, page + ".md"))))


def reason_of(notes, row):
    """The note of a row, or None."""
    return next((note for note in notes if note.explains(row)), None)


def unused(notes, rows):
    """A message for each note of a page that explains none of its rows."""
    for note in notes:
        if not any(map(note.explains, rows)):
            yield (f"bench/notes/{note.page}.md: no row is explained by "
                   f"\"{note.heading}\"")


def unexplained(page, notes, rows):
    """A message for each row below its goal that no note explains."""
    for row in dict.fromkeys(rows):
        if not reason_of(notes, row):
            yield f"bench/notes/{page}.md: no section gives a reason for {row}"
