"""Checks that pages are up to date, complete and short, with a self-test."""
import copy
import os

from report import notes
from report.page import (PAGES, README, SUBJECTS, every_result, front,
                         misses_of, tables, written)
from report.records import ROOT, read
from report.subject import Miss
from report.summary import MARK

MOST_LINES, WIDEST = 400, 320  # of the first page


def stale(results):
    for path, text in written(results):
        if text != read(path):
            yield f"{os.path.relpath(path, ROOT)} is stale: make plots"


def doubled(x):
    """The same record with every measured number twice as large."""
    if isinstance(x, dict):
        return {k: doubled(v) if k != "context" else v for k, v in x.items()}
    if isinstance(x, list):
        return [doubled(v) for v in x]
    return 2 * x if isinstance(x, (int, float)) and x is not True else x


def unseen(results):
    """Records that no page shows: doubling their figures changes no page."""
    for name, data in results.items():
        if data:
            page = next(page for page, module in PAGES.items()
                        if SUBJECTS[name] in getattr(module, "SUBJECTS", ()))
            if tables(page, {**results, name: doubled(data)}) == tables(
                    page, results):
                yield (f"self-test: twice the figures of {name} leave "
                       f"{page}.md as it is")


def shape_of_front(text):
    """What makes the first page too long."""
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        yield f"README.md has {len(lines)} lines, at most {MOST_LINES}"
    for line in lines:
        if len(line) > WIDEST:
            yield f"README.md has a line of {len(line)} characters: {line[:60]}"


def explained(results):
    for page in PAGES:
        rows = [miss.row for miss in misses_of(page, results)]
        some = notes.notes_of(page)
        yield from notes.unused(some, rows)
        yield from notes.unexplained(page, some, rows)


PLANTED = """# Planted

## One reason

Rows: `a, *`, `b [1]`
Reason: the limit
of memory.

## No row

Rows: `c`
Reason: nothing.
"""


def self_test():
    """A message for each planted fault that is not seen."""
    found = list(notes.notes_in("x", PLANTED))
    if [note.reason for note in found] != ["the limit of memory", "nothing"]:
        yield "self-test: the reasons of a page of notes are not read"
    for row, should in (("a, 1", 0), ("b [1]", 0), ("b 1", None), ("c", 1)):
        note = notes.reason_of(found, row)
        if note is not (None if should is None else found[should]):
            yield f"self-test: {row} has another reason"
    if len(list(notes.unused(found, ["a, 1"]))) != 1:
        yield "self-test: a note without a row is not seen"
    if list(notes.unexplained("x", found, ["a, 1", "d", "c"])) != [
            "bench/notes/x.md: no section gives a reason for d"]:
        yield "self-test: a missed goal without a reason is not seen"
    if not found[0].link.endswith("x.md#one-reason"):
        yield "self-test: a note has another link"
    if str(Miss("r", "1.0 of a copy", "1.1")) != "r: 1.0 of a copy, goal 1.1":
        yield "self-test: a missed goal reads otherwise"
    if len(list(shape_of_front("x\n" * 401 + "y" * 321))) != 2:
        yield "self-test: a page that is too long is not seen"


def check():
    results = copy.deepcopy(every_result())
    failed = [*stale(results), *unseen(results), *explained(results),
              *shape_of_front(front(results)), *self_test()]
    if not MARK.search(read(README)):
        failed.append("README.md has no <!-- bench:summary -->")
    count = (len(list(written(results))) + len(results) + 11 +
             sum(len(notes.notes_of(page)) for page in PAGES))
    for line in failed:
        print("FAIL", line)
    print(f"{count - len(failed)} passed, {len(failed)} failed")
    return bool(failed)
