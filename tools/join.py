#!/usr/bin/env python3
"""join.py - writes ll.h and the headers above it from their rooms.

    join.py

A header consists of the rooms of src/NAME, in the order of src/NAME.rooms. The
first lines of that file (#) say what the header is; a room of another folder is
`../FOLDER/ROOM`. The header is written to its folder in FOLDERS. Each room is a header of its own and begins with a banner,
`/* ---- Title ---- */`. The joined header has the banner with the room's name,
but not the room's guard and includes. If a room includes a room of another
header, the joined header includes that header. The licence is at the end.
tests/joined.py fails if a header differs from its joined rooms.
"""
import os
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = {"ll": "", "ll_ptx": "", "ll_amd": "", "ll_reshard": "tools/reshard",
           "ll_views": "tools/views"}
NAMES = tuple(FOLDERS)
TITLE = re.compile(r"/\* ---- (.+?) -+ \*/\n")
GUARD = re.compile(r"#ifndef (\w+)\n#define \1\n\n(?P<includes>(?:#include "
                   r'"[^"\n]+"\n)*)\n*(?P<text>.*)\n#endif\n', re.S)


def header(name, root=ROOT):
    """Where a header is written."""
    return root / FOLDERS[name] / f"{name}.h"


class Fault(Exception):
    """A room that cannot be joined."""


def listed(name, root=ROOT):
    """The description of a header, and its rooms from the bottom to the top."""
    lines = (root / "src" / f"{name}.rooms").read_text().split("\n")
    about = [line[2:] for line in lines if line.startswith("#")]
    return about, [line for line in lines if line and line[0] != "#"]


def rooms(name, root=ROOT):
    return [pathlib.Path(os.path.normpath(root / "src" / name / f"{room}.h"))
            for room in listed(name, root)[1]]


def label(room):
    """What a room is called in its header: layout/make, or ll_ptx/errors."""
    return room.replace("../", "")


def parts(path):
    """The title, included files and text of a room."""
    text = path.read_text()
    title = TITLE.match(text)
    inside = title and GUARD.fullmatch(text, title.end())
    if not inside:
        raise Fault(f"{path.name} is not a room: it must have `/* ---- Title "
                    "---- */`, a guard, includes and text")
    includes = re.findall('"(.*)"', inside["includes"])
    return title[1], [(path.parent / i).resolve() for i in includes], \
        inside["text"]


def banner(room, title):
    line = f"/* ---- {room}: {title} "
    return line + "-" * (74 - len(line)) + " */"


def joined(name, root=ROOT):
    about, listing = listed(name, root)
    others, texts = [], []
    own = {path.resolve() for path in rooms(name, root)}
    for room, path in zip(listing, rooms(name, root)):
        title, includes, text = parts(path)
        others += [i.relative_to((root / "src").resolve()).parts[0]
                   for i in includes if i not in own]
        texts += [banner(label(room), title), "", text]
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
    """Headers that differ from their joined rooms, and rooms not listed."""
    known = {path for name in NAMES for path in rooms(name, root)}
    for name in NAMES:
        path = header(name, root)
        try:
            made = joined(name, root)
        except (Fault, OSError) as fault:
            yield str(fault)
            continue
        if not path.exists() or path.read_text() != made:
            yield f"{name}.h differs from src/{name}: run `make headers`"
        lost = set((root / "src" / name).rglob("*.h")) - known
        for room in sorted(lost):
            yield f"{room.relative_to(root)} is not in src/{name}.rooms"


def main(arguments, root=ROOT):
    if arguments:
        sys.exit(__doc__)
    made = {name: joined(name, root) for name in NAMES}
    for name, text in made.items():
        header(name, root).parent.mkdir(parents=True, exist_ok=True)
        header(name, root).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
