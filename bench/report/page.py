"""The pages of bench/results, and the summary in the README.

README.md    an index, every figure below its goal, charts, checks on GPUs
NAME.md      the tables of a subject
"""
import glob
import os
import re

from report import (amd, attention, bank_conflicts, compiling, conversions,
                    costs, engine, gathers, grouped, host, lowbit, matmul,
                    mixed, notes, paper, redistribute, reductions, reshard,
                    rows, scaled, sorts, transposes)
from report.markdown import grid
from report.records import (RESULTS, ROOT, commits_of, device_of, latest,
                            lines_of, read)
from report.summary import with_summary

# Page and subjects, in order. `reductions` has no record.
PAGES = {module.__name__.rpartition(".")[2]: module for module in (
    transposes, conversions, gathers, matmul, scaled, grouped, mixed,
    bank_conflicts, attention, rows, sorts, paper, lowbit, reshard,
    redistribute, reductions, amd, engine, costs, host, compiling)}
SUBJECTS = {subject.name: subject for module in PAGES.values()
            if module is not reductions for subject in module.SUBJECTS}
README = os.path.join(ROOT, "README.md")
HEAD = """# Results

`make plots` writes the pages of this folder from its records; do not edit them.
Each table names its device, command and commit. `make check` fails if a record
is of a changed tree, or if the measured code has changed since its commit.
`make bench-check` and `make bench-host-check` measure again and fail if a row
is more than 3 % worse and outside its spread. What was tried for a figure is
in [notes](../notes)."""


def path_of(page):
    return os.path.join(RESULTS, page + ".md")


def subjects_of(page, results):
    """The subjects of a page that it shows."""
    if PAGES[page] is reductions:
        return []
    return [subject for subject in PAGES[page].SUBJECTS
            if results.get(subject.name) or not subject.later]


def misses_of(page, results):
    for subject in subjects_of(page, results):
        if results.get(subject.name):
            yield from subject.missed(results[subject.name])


# ---- A page of tables -------------------------------------------------------

def section(subject, data):
    """Heading, tables and charts of a subject."""
    lines = [subject.text, ""]
    lines += subject.table(data) if data else ["Not recorded."]
    return lines + [f"\n![{subject.heading}]({picture})"
                    for picture in subject.pictures if data]


def tables(page, results):
    if PAGES[page] is reductions:
        return reductions.page(read(path_of(page)))
    some, lines = subjects_of(page, results), []
    for subject in some:
        mark = "#" if subject is some[0] else "##"
        lines += [f"{mark} {subject.heading}", "",
                  *section(subject, results.get(subject.name)), ""]
        if subject is some[0]:
            lines += ["[All results](README.md)" + (
                f", [what was tried](../notes/{page}.md)"
                if os.path.exists(os.path.join(notes.NOTES, page + ".md"))
                else ""), ""]
    return "\n".join(lines)


# ---- The first page ---------------------------------------------------------

def index(results):
    body = []
    for page, module in PAGES.items():
        if module is reductions:
            body.append([f"[{module.HEADING}]({page}.md)", "", "", ""])
        for subject in subjects_of(page, results):
            data = results.get(subject.name)
            context = data["context"] if data else {}
            body.append([
                f"[{subject.heading}]({page}.md)",
                device_of(context), commits_of(context)[len("commit "):]
                if data else "not recorded",
                str(len(list(subject.missed(data)))) if data else ""])
    return grid(["tables", "device", "commit", "below goal"], body)


def missed_line(miss, some):
    note = notes.reason_of(some, miss.row)
    why = f": {note.reason} ([notes]({note.link}))" if note else ""
    return f"- {miss}{why}."


def below_goal(results):
    for page in PAGES:
        found = list(misses_of(page, results))
        if found:
            some = notes.notes_of(page)
            yield from ["", f"### {subjects_of(page, results)[0].heading}", ""]
            yield from (missed_line(miss, some) for miss in found)


def charts(results):
    for page in PAGES:
        for subject in subjects_of(page, results):
            if results.get(subject.name):
                yield from (f"![{subject.heading}]({picture})\n"
                            for picture in subject.pictures)


def checked_lines():
    """Checks on GPUs: the heading and the last line of each record."""
    for path in sorted(glob.glob(os.path.join(RESULTS, "check-*.txt")) +
                       glob.glob(os.path.join(RESULTS, "torch-*.txt"))):
        text = read(path)
        said = dict(re.findall(r"^(device|commit|command) +(.*)$", text, re.M))
        yield (f"- [{said['device']}]({os.path.basename(path)}), "
               f"`{said['command']}`, commit {said['commit']}: "
               f"{text.splitlines()[-1]}.")
    for record, commit, same, _ in map(str.split, lines_of("same-code.txt")):
        yield (f"- {record}, of {commit}: the compiler makes the same code at "
               f"{same} (`bench/same.py`).")


def front(results):
    return "\n".join([
        HEAD, "", *index(results), "", "## Below goal",
        *(list(below_goal(results)) or ["", "Nothing."]), "", "## Charts", "",
        *charts(results), "## Correctness on GPUs", "", *checked_lines(), ""])


# ---- Everything that is written ---------------------------------------------

def every_result():
    return {name: latest(subject.records, subject.gpus)
            for name, subject in SUBJECTS.items()}


def written(results):
    """Yields path and text of all generated files."""
    for name, subject in SUBJECTS.items():
        if results.get(name):
            yield from subject.charts(results[name])
    for page in PAGES:
        yield path_of(page), tables(page, results)
    yield path_of("README"), front(results)
    yield README, with_summary(read(README), results)
