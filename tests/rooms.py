#!/usr/bin/env python3
"""rooms.py - are the headers built from the bottom to the top?

A header is joined from rooms, files of src, each below a banner `/* ---- room:
Title ---- */`. A room has at most 1,000 lines. A name is defined before it is
used: by a function, by a type, and by the body of a macro too, though the
preprocessor would allow more there. So no function is declared ahead of its
definition, and a room uses only itself and the rooms before it. In ll.h these
stand on lower floors: base, layout, plan, then text and kernel, then engine,
sort and cluster, which do not know each other. ll.h uses no name of a header
that includes it, and does not call the emulator. A room asks for one optional
part at most. No two names differ by a trailing underscore alone. Functions of more
than 40 lines are listed as advice.
"""
import re
import sys

import source

sys.path.insert(0, str(source.ROOT / "tools"))
import join  # noqa: E402

LINES = 1000
LONG = 40
LEAST_NAMES, LEAST_ROOMS = 40, 10
SMALL = {"ll_reshard.h": 4, "ll_views.h": 4} # fewer rooms

FLOORS = {"guide": 0, "ll_ptx": 0, "ll_amd": 0, "base": 1, "layout": 2, "plan": 3, "text": 4, "kernel": 4,
          "engine": 5, "sort": 5, "cluster": 5}
TOP = 6
# Folders of one floor that know each other.
NEIGHBOURS = {("engine", "sort"): "the price of a sort, LL_SORTER_"}
HOME = {"engine": "LL_ENGINE", "sort": "LL_SORTS", "cluster": "LL_CLUSTERS"}
PARTS = {*HOME.values(), "LL_MATRIX"}
# The rooms in which one optional part switches another one on.
SWITCHES = ("base",)

# What ll.h expects each vendor's header to define, and why.
HOOKS = {
    "ll_vendor_": "the type of the functions that the moves are made of",
    "ll_vendor_in_": "the same for a scope",
    "LL_SHARED_ADDRESS_":
        "the address of shared memory as the vendor's accesses take it",
    "LL_BY_VENDOR_": "the function itself, instead of a message",
}
# ll.h declares the targets too: without a vendor's header they say so.
TARGETS = re.compile(r"LL_(SM|GFX)\d+[A-Z]?|LL_TARGET_HERE")


def room_faults(text, most=LINES, least=LEAST_ROOMS):
    """Faults of the banners and of the sizes of rooms."""
    found = list(source.rooms(text))
    if len(found) < least:
        yield 1, f"{len(found)} rooms, at least {least} were expected"
    for name, title, start, end in found:
        lines = text.count("\n", start, end)
        if lines > most:
            yield source.line_of(text, start), (
                f"{name}, {title}, has {lines} lines, at most {most} are "
                "allowed")


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


def places(text):
    """The room of each line of a header, counted from 1."""
    of = {}
    for name, _, start, end in source.rooms(text):
        first = source.line_of(text, start)
        of.update(dict.fromkeys(
            range(first, first + text.count("\n", start, end) + 1), name))
    return of


def floor_fault(room, other):
    """What is wrong with a use, by one room, of another of the same header."""
    here, there = folder(room), folder(other)
    if here == there or (here, there) in NEIGHBOURS or \
            FLOORS.get(there, TOP) < FLOORS.get(here, TOP):
        return ""
    return f"{here} is not above {there}"


def folder(room):
    return room.rpartition("/")[0] or room


def order_faults(text, foreign=(), floors=False):
    """Names that are used above their definition, in a room that is not above
    theirs, or that are not this header's to use."""
    lines = source.bare(text).split("\n")
    where, ahead = definitions(lines)
    if len(where) < LEAST_NAMES:
        yield 1, (f"{len(where)} definitions were found, at least "
                  f"{LEAST_NAMES} were expected")
    for number, name in ahead:
        yield number, f"{name} is declared ahead of its definition"
    seen, place = set(), places(text)
    for number, name in uses(lines):
        here, there = (place.get(n, "no room") for n in
                       (number, where.get(name, 0)))
        if name in seen:
            continue
        if name in foreign:
            seen.add(name)
            yield number, f"{name} is of a header that includes this one"
        elif number < where.get(name, 0) and (number, name) not in ahead:
            seen.add(name)
            yield number, (f"{name} is used in {here}, and defined below, in "
                           f"{there} (line {where[name]})")
        elif floors and name in where and floor_fault(here, there):
            yield number, (f"{here} uses {name} of {there}: "
                           f"{floor_fault(here, there)}")


def part_faults(text, core):
    """Conditions that ask in the room of one optional part, or in one of none,
    for another part; and calls of the emulator, which a vendor's hooks make."""
    place, seen = places(text), {}
    for number, line in enumerate(source.bare(text).split("\n"), 1):
        room = place.get(number, "no room")
        asked = set(re.findall(r"\bLL_[A-Z]+\b", line)) & PARTS \
            if re.match(r"\s*#\s*(if|elif)", line) else set()
        known = seen.setdefault(room, {p for p in [HOME.get(folder(room))]
                                       if p})
        if asked and room not in SWITCHES and len(known | asked) > 1 or \
                core and asked - known:
            yield number, (f"{room} asks for {', '.join(sorted(asked))}: a room "
                           "has one optional part at most")
        known |= asked
        if core and re.search(r"\bemu_\w+", line):
            yield number, f"{room} calls the emulator: a hook does that"


def names_of(texts):
    """Every name that stands in one of the texts."""
    return {name for text in texts
            for _, name in uses(source.bare(text).split("\n"))}


def underscore_faults(text, names):
    """Names that with one underscore less at their end are names too."""
    seen = set()
    for number, name in uses(source.bare(text).split("\n")):
        if name.endswith("_") and name[:-1] in names and name not in seen:
            seen.add(name)
            yield number, (f"{name} differs from {name[:-1]} by an underscore "
                           "alone")


def include_faults(name, root=source.ROOT):
    """Includes of rooms that are not below: (file, what is wrong)."""
    order = [path.resolve() for header in join.NAMES[:1] + (name,)
             for path in join.rooms(header, root)]
    top = (root / "src").resolve()
    for path in join.rooms(name, root):
        for included in join.parts(path)[1]:
            here, there = (p.relative_to(top).with_suffix("").as_posix()
                           .removeprefix("ll/")
                           for p in (path.resolve(), included))
            if included not in order or \
                    order.index(included) >= order.index(path.resolve()):
                yield path, f"it includes {there}, which is not below it"
            elif name == "ll" and floor_fault(here, there):
                yield path, f"it includes {there}: {floor_fault(here, there)}"


def long_functions(text):
    lines = source.bare(text).split("\n")
    return sorted(((last - first + 1, source.defined(lines, first, last))
                   for first, last in source.functions(lines)
                   if last - first + 1 > LONG), reverse=True)


def foreign_names(headers):
    """What these headers define."""
    names = set()
    for header in headers:
        names |= set(definitions(source.bare(header.read_text())
                                 .split("\n"))[0])
    return names


def check(headers):
    """The number of checks, and the faults."""
    faults, checks = [], 0
    own = set(definitions(source.bare(headers[0].read_text()).split("\n"))[0])
    above = {name for name in foreign_names(headers[1:]) - own - set(HOOKS)
             if not TARGETS.fullmatch(name)}
    faults += [f"{h.name}: it lacks the hook {name}" for h in headers
               if h.name in source.VENDORS
               for name in sorted(set(HOOKS) - foreign_names([h]))]
    names = names_of(header.read_text() for header in headers)
    for header in headers:
        text = header.read_text()
        core = header == headers[0]
        least = SMALL.get(header.name, LEAST_ROOMS)
        found = [*room_faults(text, least=least), *part_faults(text, core),
                 *underscore_faults(text, names),
                 *order_faults(text, above if core else (), core)]
        faults += [f"{header.name}:{n}: {what}" for n, what in sorted(found)]
        checks += len(list(source.rooms(text))) + len(definitions(
            source.bare(text).split("\n"))[0])
        for length, name in long_functions(text):
            print(f"advice: {header.name}: {name} has {length} lines")
    for name in join.NAMES:
        faults += [f"{path.relative_to(source.ROOT)}: {what}"
                   for path, what in include_faults(name)]
    return checks, faults


def main():
    headers = source.headers()
    if len(headers) != len(source.PLACES):
        sys.exit(f"rooms.py: {len(headers)} of {len(source.PLACES)} headers "
                 "were found")
    checks, faults = check(headers)
    for fault in faults:
        print("FAIL", fault)
    print(f"{max(checks - len(faults), 0)} passed, {len(faults)} failed")
    return len(faults) != 0


if __name__ == "__main__":
    sys.exit(main())
