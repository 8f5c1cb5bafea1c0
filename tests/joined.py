#!/usr/bin/env python3
"""joined.py - are the headers what their rooms make?

The headers are written from the rooms in src by `make headers`. Each is
compared with what tools/join.py would write, and every room has a place in the
list of its header.
"""
import sys

import source

sys.path.insert(0, str(source.ROOT / "tools"))
import join  # noqa: E402


def main():
    wrong = list(join.faults(source.ROOT))
    for fault in wrong:
        print("FAIL", fault)
    checks = sum(1 + len(join.rooms(name, source.ROOT)) for name in join.NAMES)
    print(f"{max(checks - len(wrong), 0)} passed, {len(wrong)} failed")
    return len(wrong) != 0


if __name__ == "__main__":
    sys.exit(main())
