#!/usr/bin/env python3
"""rooms.py - are the headers built from the bottom to the top?

A header is cut into rooms by banners `/* ---- N. Title ---- */`, numbered from
1. A room has at most 1,000 lines. A name is defined before it is used: by a
function, by a type, and by the body of a macro too, though the preprocessor
would allow more there. So no function is declared ahead of its definition, and
a room uses only itself and the rooms above it. ll.h uses no name of a vendor's
header. Functions of more than 40 lines are listed as advice.
"""
import re
import sys

import source

LINES = 1000
LONG = 40
LEAST_NAMES, LEAST_ROOMS = 40, 10

# What ll.h expects each vendor's header to define, and why.
HOOKS = {
    "ll_vendor_": "the type of the functions that the moves are made of",
    "ll_vendor_in_": "the same for a scope",
    "LL_SHARED_": "the address of shared memory as the vendor's accesses take it",
}


def rooms(text):
    """Number, title, first and last line of each room."""
    found = list(source.BANNER.finditer(text))
    starts = [source.line_of(text, m.start()) for m in found]
    ends = [n - 1 for n in starts[1:]] + [text.count("\n")]
    return [(int(m[1]), m[2], first, last)
            for m, first, last in zip(found, starts, ends)]


def room_faults(text, most=LINES):
    """Faults of the banners and of the sizes of rooms."""
    found = rooms(text)
    if len(found) < LEAST_ROOMS:
        yield 1, f"{len(found)} banners, at least {LEAST_ROOMS} were expected"
    for line in re.finditer(r"^/\* -{3,}.*", text, re.M):
        if not source.BANNER.match(line[0]):
            yield source.line_of(text, line.start()), \
                f"no banner `/* ---- N. Title ---- */`: {line[0]}"
    if [n for n, *_ in found] != list(range(1, len(found) + 1)):
        yield 1, f"the rooms have the numbers {[n for n, *_ in found]}"
    for number, title, first, last in found:
        if last - first + 1 > most:
            yield first, (f"room {number}, {title}, has {last - first + 1} "
                          f"lines, at most {most} are allowed")


def declared(lines, first, last):
    """Is this a function without a body?"""
    words = source.signature(lines, first, last).strip()
    return "{" not in " ".join(lines[first:last + 1]) and \
        words.endswith(");") and "=" not in words


def definitions(lines):
    """The line of the first definition of each name, and the functions that
    are declared ahead: (line, name)."""
    where, ahead = {}, []
    for first, last in source.functions(lines):
        name = source.defined(lines, first, last)
        if name and declared(lines, first, last):
            ahead.append((first + 1, name))
        elif name:
            where[name] = min(first + 1, where.get(name, first + 1))
    for name, first, _ in source.macros(lines):
        where[name] = min(first + 1, where.get(name, first + 1))
    for number, line in enumerate(lines, 1):
        # a type: a body that starts here, or the name at a body's end
        name = re.match(rf"(?:typedef )?(?:struct|enum|union) ({source.NAME})"
                        r"[^;]*\{", line) or \
            re.match(rf"\}} ({source.NAME});", line)
        if name:
            where[name[1]] = min(number, where.get(name[1], number))
    return where, ahead


def uses(lines):
    """Line and name of each use. What a macro pastes together is no name."""
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*#\s*(undef|if|ifdef|ifndef|elif)\b", line):
            continue
        for name in re.finditer(rf"(?<![\w#.])({source.NAME})\b(?!\s*##)",
                                line):
            yield number, name[1]


def place(text, number):
    for n, title, first, last in rooms(text):
        if first <= number <= last:
            return f"room {n}, {title}"
    return "no room"


def order_faults(text, foreign=()):
    """Names that are used above their definition, or that are not this
    header's to use."""
    lines = source.bare(text).split("\n")
    where, ahead = definitions(lines)
    if len(where) < LEAST_NAMES:
        yield 1, (f"{len(where)} definitions were found, at least "
                  f"{LEAST_NAMES} were expected")
    for number, name in ahead:
        yield number, f"{name} is declared ahead of its definition"
    seen = set()
    for number, name in uses(lines):
        if name in seen:
            continue
        if name in foreign:
            seen.add(name)
            yield number, f"{name} is of a header that includes this one"
        elif number < where.get(name, 0) and (number, name) not in ahead:
            seen.add(name)
            yield number, (f"{name} is used in {place(text, number)}, and "
                           f"defined below, in {place(text, where[name])} "
                           f"(line {where[name]})")


def long_functions(text):
    lines = source.bare(text).split("\n")
    return sorted(((last - first + 1, source.defined(lines, first, last))
                   for first, last in source.functions(lines)
                   if last - first + 1 > LONG), reverse=True)


def foreign_names(headers):
    """What the vendors' headers define."""
    names = set()
    for header in headers:
        names |= set(definitions(source.bare(header.read_text())
                                 .split("\n"))[0])
    return names


def check(headers):
    """The number of checks, and the faults."""
    faults, checks = [], 0
    own = set(definitions(source.bare(headers[0].read_text()).split("\n"))[0])
    vendors = foreign_names(headers[1:]) - own - set(HOOKS)
    faults += [f"{h.name}: it lacks the hook {name}" for h in headers[1:]
               for name in sorted(set(HOOKS) - foreign_names([h]))]
    for header in headers:
        text = header.read_text()
        foreign = vendors if header == headers[0] else ()
        most = LINES if header == headers[0] else len(text)
        found = [*room_faults(text, most), *order_faults(text, foreign)]
        faults += [f"{header.name}:{n}: {what}" for n, what in sorted(found)]
        checks += len(rooms(text)) + len(definitions(
            source.bare(text).split("\n"))[0])
        for length, name in long_functions(text):
            print(f"advice: {header.name}: {name} has {length} lines")
    return checks, faults


def main():
    headers = source.headers()
    if len(headers) != 3:
        sys.exit(f"rooms.py: {len(headers)} of 3 headers were found")
    checks, faults = check(headers)
    for fault in faults:
        print("FAIL", fault)
    print(f"{max(checks - len(faults), 0)} passed, {len(faults)} failed")
    return len(faults) != 0


if __name__ == "__main__":
    sys.exit(main())
