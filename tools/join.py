#!/usr/bin/env python3
"""join.py - writes ll.h, ll_ptx.h and ll_amd.h from their rooms.

A header is the rooms of src/NAME, one after the other, in the order of
src/NAME.rooms. tests/joined.py fails where a header is not what its rooms make.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = ("ll", "ll_ptx", "ll_amd")


def rooms(name, root=ROOT):
    """The files of a header's rooms, from the bottom to the top."""
    listed = (root / "src" / f"{name}.rooms").read_text().split()
    return [root / "src" / name / f"{room}.h" for room in listed]


def joined(name, root=ROOT):
    return "".join(room.read_text() for room in rooms(name, root))


def faults(root=ROOT):
    """Headers that are not what their rooms make, and rooms without a place."""
    for name in NAMES:
        header = root / f"{name}.h"
        if not header.exists() or header.read_text() != joined(name, root):
            yield f"{name}.h is not what src/{name} makes: run `make headers`"
        lost = set((root / "src" / name).rglob("*.h")) - set(rooms(name, root))
        for room in sorted(lost):
            yield f"{room.relative_to(root)} is not in src/{name}.rooms"


def main(arguments):
    if arguments:
        sys.exit(__doc__)
    for name in NAMES:
        (ROOT / f"{name}.h").write_text(joined(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
