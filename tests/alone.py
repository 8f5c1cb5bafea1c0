#!/usr/bin/env python3
"""alone.py - does every room compile alone, with only the rooms below it?

    alone.py [--all]

Each room of src is compiled by itself, with every optional part: as C11, and as
C++17, where the emulator reads rooms with device code. gcc and clang take
turns, so that each reads every second room in each language; with --all each
reads every room. What a room uses of others, it includes, directly or through
other rooms. A compiler that is not there is skipped.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys

import source

sys.path.insert(0, str(source.ROOT / "tools"))
import join  # noqa: E402

PARTS = [f"-DLL_{name}" for name in ("ENGINE", "SORTS", "CLUSTERS",
                                     "TENSOR")]
WARN = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
        "-Wno-unknown-pragmas"]
EMULATED = ["-include", "tools/emulator/emu.h"]
C = ["-x", "c", "-std=c11"]
CXX = ["-x", "c++", "-std=c++17"]


def has_device_code(text):
    return any(word in text for word in ("LL_DEVICE", "_DEVICE_"))


def commands(name, path, turn, everything):
    """The compilers that read a room, and what they are told."""
    compilers = [("gcc", "g++"), ("clang", "clang++")]
    amd = ["-DEMU_GFX=0x942", "-DEMU_WARP=64"] if name == "ll_amd" else []
    device = has_device_code(path.read_text())
    for k, (c, cxx) in enumerate(compilers):
        if everything or k == turn % 2:
            yield [c, *C]
        if everything or k != turn % 2 and not device:
            yield [cxx, *CXX]
    if device:
        yield ["g++", *CXX, *EMULATED, *amd]
    if device and name == "ll_ptx": # without matrix instructions
        yield ["g++", *CXX, *EMULATED, "-DLL_PLAIN"]


def fault(path, command, root):
    """What a compiler says of a room; None: it is not there."""
    if not shutil.which(command[0]):
        return None
    parts = PARTS[:-1] if "-DLL_PLAIN" in command else PARTS
    done = subprocess.run([*command, *parts, *WARN, str(path)], cwd=root,
                          text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    said = [line for line in done.stdout.split("\n") if "error" in line]
    what = said[0] if said else done.stdout[:200]
    return f"{path.relative_to(root)}, {command[0]}: {what}" \
        if done.returncode else ""


def check(root=source.ROOT, everything=False):
    """What is said of each room by each compiler."""
    asked = [(path, command) for name in join.NAMES
             for turn, path in enumerate(join.rooms(name, root))
             for command in commands(name, path, turn, everything)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda a: fault(*a, root), asked))


def main():
    said = check(source.ROOT, "--all" in sys.argv)
    faults = [what for what in said if what]
    for what in faults:
        print("FAIL", what)
    print(f"{said.count('')} passed, {len(faults)} failed"
          + (f", {said.count(None)} skipped" if None in said else ""))
    return len(faults) != 0 or not said.count("")


if __name__ == "__main__":
    sys.exit(main())
