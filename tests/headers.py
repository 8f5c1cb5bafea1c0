#!/usr/bin/env python3
"""headers.py - does every header of examples and tools compile alone?

    headers.py [HEADER...]     those alone, all without a name

A file that includes one header and nothing else is read as C, or as emucc reads
a kernel; no code is made. A header that another one includes first, before all
else, has been read alone there and is not read again. Each header has a guard.

NOT_YET names headers that need another one before them. There are none, and the
list may only become shorter: a header of it that compiles alone fails. The
self-test plants a header that uses a name it does not include, one without a
guard, and one in the list that needs nothing.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOL = ROOT / "tools/emulator"
CC = [os.environ.get("CC") or "gcc", "-std=c11", "-fsyntax-only", "-w", "-I."]
CXX = [os.environ.get("CXX") or "g++", "-std=c++17", "-w"]
EMULATED = ["-x", "c++", "-DLL_EMULATE=1", "-I", str(TOOL / "include"),
            "-include", str(TOOL / "emu.h"), "-include",
            str(TOOL / "include/cuda_runtime.h"), "-I."]
IN_C = re.compile(r"tools/(?!emulator)|/torch/(checks|redistribute(_post)?)"
                  r"\.h|/reshard_(ragged|ranks)\.h|/move/transpose\.h|/planted/")
NOT_YET = set()


def bare(text):
    """The text without comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def included_first(header):
    """The header of the tree that another one includes before all else."""
    found = re.match(r'\s*(?:#ifndef \w+\s+#define \w+\s+)?#include "([^"]+)"',
                     bare(header.read_text()))
    return (header.parent / found[1]).resolve() if found else None


def has_guard(header):
    return re.match(r"\s*#(ifndef (\w+)\s+#define \2\b|pragma once\b)",
                    bare(header.read_text())) is not None


def ran(*command):
    """The exit status and what a command prints."""
    done = subprocess.run([str(c) for c in command], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout + done.stderr


def refused(header, folder):
    """What the compiler says of a file that includes the header alone."""
    source = pathlib.Path(folder) / "alone.c"
    source.write_text(f'#include "{header}"\n')
    if IN_C.search(str(header)):
        code, said = ran(*CC, source)
    else:
        made, changed = source.with_suffix(".ii"), source.with_name("t.ii")
        code, said = ran(*CXX, "-E", *EMULATED, source, "-o", made)
        if not code:
            changed.write_text(ran("awk", "-f", TOOL / "translate.awk",
                                   made)[1])
            code, said = ran(*CXX, "-fsyntax-only", "-fpreprocessed", "-x",
                             "c++", changed)
    return said[:1000] or "it fails" if code else ""


def faults(headers, not_yet, folder):
    """Each fault of headers, by its name."""
    first = {included_first(header) for header in headers
             if name_of(header) not in not_yet}
    for header in headers:
        name = name_of(header)
        if not has_guard(header) and name not in not_yet:
            yield name, "it has no guard"
        if header in first:
            continue
        said = refused(header, folder)
        if said and name not in not_yet:
            yield name, said
        if not said and name in not_yet:
            yield name, "it compiles alone: take it out of NOT_YET"
    for name in sorted(not_yet - {name_of(header) for header in headers}):
        yield name, "NOT_YET names it, and it is not there"


def name_of(header):
    return str(header.relative_to(ROOT) if ROOT in header.parents
               else header.name)


PLANTED = (  # a header, is it in the list, what is said of it
    ("#ifndef A\n#define A\n#include <stddef.h>\nsize_t f(void);\n#endif\n",
     False, ""),
    ("#ifndef A\n#define A\nsize_t f(void);\n#endif\n", False, "size_t"),
    ("int f(void);\n", False, "no guard"),
    ("#ifndef A\n#define A\nsize_t f(void);\n#endif\n", True, ""),
    ("#ifndef A\n#define A\nint f(void);\n#endif\n", True, "take it out"))


def unseen(folder):
    """Planted faults that are not found, and what is found without one."""
    planted = pathlib.Path(folder) / "planted"
    planted.mkdir(exist_ok=True)
    for text, listed, said in PLANTED:
        header = planted / "planted.h"
        header.write_text(text)
        found = " ".join(what for _, what in faults(
            [header], {header.name} if listed else set(), folder))
        if said not in found or bool(said) != bool(found):
            yield f"self-test: {text!r}: {found or 'nothing'}"


def main():
    named = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    headers = named or sorted([*(ROOT / "examples").rglob("*.h"),
                               *(ROOT / "tools").rglob("*.h")])
    not_yet = NOT_YET & set(map(name_of, headers)) if named else NOT_YET
    with tempfile.TemporaryDirectory() as folder:
        wrong = list(unseen(folder))
        wrong += [f"{name}: {said}"
                  for name, said in faults(headers, not_yet, folder)]
    print("".join(f"FAIL {what}\n" for what in wrong), end="")
    print(f"{len(headers) + len(PLANTED) - len(wrong)} passed, "
          f"{len(wrong)} failed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
