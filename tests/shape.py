#!/usr/bin/env python3
"""shape.py - the shape of the headers' text.

No line is wider than 80 columns, there is no tab and no blank at the end of a
line. A comment that begins with a call, `/* ll_div(a, t): ..`, stands directly
above the definition of that function or macro; only conditions of the
preprocessor may come between them.
"""
import re
import sys

import source

WIDTH = 80
LEAST_COMMENTS = 10
CALL = re.compile(rf"^/\* ({source.NAME})\(", re.M)


def line_faults(text):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > WIDTH:
            yield number, f"{len(line)} columns, at most {WIDTH} are allowed"
        if "\t" in line or line.endswith(" "):
            yield number, "a tab, or a blank at the end"


def starts(text):
    """The name that is defined at each line of the text."""
    lines = source.bare(text).split("\n")
    found = {first + 1: source.defined(lines, first, last)
             for first, last in source.functions(lines)}
    found.update({first + 1: name for name, first, _ in source.macros(lines)})
    return lines, found


def below(lines, found, number):
    """What is defined in the first line below that says anything."""
    while number <= len(lines):
        line = lines[number - 1]
        if number in found:
            return found[number] or "a nameless definition"
        if line.strip() and not re.match(r"\s*#\s*(if|el|endif)", line):
            name = re.search(source.NAME, line)
            return name[0] if name else line.strip()
        number += 1
    return "the end"


def comment_faults(text):
    """Comments that stand above something else than what they begin with."""
    lines, found = starts(text)
    calls = list(CALL.finditer(text))
    if len(calls) < LEAST_COMMENTS:
        yield 1, (f"{len(calls)} comments begin with a call, at least "
                  f"{LEAST_COMMENTS} were expected")
    for call in calls:
        end = text.index("*/", call.start()) + 2
        here = below(lines, found, source.line_of(text, end))
        if here != call[1]:
            yield source.line_of(text, call.start()), \
                f"the comment of {call[1]} stands above {here}"


def faults(text):
    return sorted([*line_faults(text), *comment_faults(text)])


def main():
    wrong, checks = 0, 0
    for header in source.headers():
        text = header.read_text()
        checks += text.count("\n") + len(CALL.findall(text))
        for number, what in faults(text):
            print(f"FAIL {header.name}:{number}: {what}")
            wrong += 1
    print(f"{max(checks - wrong, 0)} passed, {wrong} failed")
    return wrong != 0 or not checks


if __name__ == "__main__":
    sys.exit(main())
