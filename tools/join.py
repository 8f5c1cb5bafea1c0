#!/usr/bin/env python3
"""join.py - writes ll.h, ll_ptx.h and ll_amd.h from their rooms.

    join.py

A header is the rooms of src/NAME, one after the other, in the order of
src/NAME.rooms, whose first lines (#) say what the header is. A room begins with
a banner, `/* ---- Title ---- */`, and is a header of its own: the join leaves
out its guard and its includes, and the banner then names the file. An include
of another header's room becomes an include of that header. The licence stands
at the end. tests/joined.py fails where a header is not what its rooms make.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = ("ll", "ll_ptx", "ll_amd")
TITLE = re.compile(r"/\* ---- (.+?) -+ \*/\n")
GUARD = re.compile(r"#ifndef (\w+)\n#define \1\n\n(?P<includes>(?:#include "
                   r'"[^"\n]+"\n)*)\n*(?P<text>.*)\n#endif\n', re.S)


class Fault(Exception):
    """A room that cannot be joined."""


def listed(name, root=ROOT):
    """What a header is, and its rooms from the bottom to the top."""
    lines = (root / "src" / f"{name}.rooms").read_text().split("\n")
    about = [line[2:] for line in lines if line.startswith("#")]
    return about, [line for line in lines if line and line[0] != "#"]


def rooms(name, root=ROOT):
    return [root / "src" / name / f"{room}.h" for room in listed(name, root)[1]]


def parts(path):
    """Title, included files and text of a room."""
    text = path.read_text()
    title = TITLE.match(text)
    inside = title and GUARD.fullmatch(text, title.end())
    if not inside:
        raise Fault(f"{path.name} is no room: `/* ---- Title ---- */`, then a "
                    "guard, includes and text")
    includes = re.findall('"(.*)"', inside["includes"])
    return title[1], [(path.parent / i).resolve() for i in includes], \
        inside["text"]


def banner(room, title):
    line = f"/* ---- {room}: {title} "
    return line + "-" * (74 - len(line)) + " */"


def joined(name, root=ROOT):
    about, listing = listed(name, root)
    others, texts = [], []
    for room, path in zip(listing, rooms(name, root)):
        title, includes, text = parts(path)
        others += [i.relative_to((root / "src").resolve()).parts[0]
                   for i in includes]
        texts += [banner(room, title), "", text]
    guard = name.upper() + "_H"
    head = [f"/* Written from the rooms in src/{name} by `make headers`: "
            "change them. */",
            f"/* {name}.h - " + "\n * ".join(about) + ".",
            " * SPDX-License-Identifier: MIT", " */",
            f"#ifndef {guard}", f"#define {guard}", ""]
    for other in sorted(set(others) - {name}):
        head += [f"#ifndef {other.upper()}_H", f'#include "{other}.h"',
                 "#endif", ""]
    end = ["/*"]
    for paragraph in (root / "LICENSE").read_text().strip().split("\n\n"):
        end += [f" * {line}" for line in textwrap.wrap(paragraph, 77)] + [" *"]
    end[-1:] = [" */", "", "#endif", ""]
    return "\n".join(head + texts + end)


def faults(root=ROOT):
    """Headers that are not what their rooms make, and rooms without a place."""
    for name in NAMES:
        header = root / f"{name}.h"
        try:
            made = joined(name, root)
        except (Fault, OSError) as fault:
            yield str(fault)
            continue
        if not header.exists() or header.read_text() != made:
            yield f"{name}.h is not what src/{name} makes: run `make headers`"
        lost = set((root / "src" / name).rglob("*.h")) - set(rooms(name, root))
        for room in sorted(lost):
            yield f"{room.relative_to(root)} is not in src/{name}.rooms"


def main(arguments, root=ROOT):
    if arguments:
        sys.exit(__doc__)
    made = {name: joined(name, root) for name in NAMES}
    for name, text in made.items():
        (root / f"{name}.h").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
