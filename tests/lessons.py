#!/usr/bin/env python3
"""lessons.py - builds the numbered lessons, and compares what they print.

A lesson is NN_NAME.c of examples/lessons, built by CC, or NN_NAME.cu, built for
the emulator. Its first comment asks one question, without the word "and", gives
the command that builds it after `Build:`, and says after `Output:` what the
program prints; the comparison is exact. Before that, faults are planted in a
lesson that is made up, and each must be found.

A lesson in C may end its command with -lnvrtc; it is skipped if CUDA is not there.

A text NN_NAME.md explains sources: each block of C is in one that it
has linked to before, line by line and in the order of that source.

    lessons.py             all of them
    lessons.py PART...     those with a PART in their name
    lessons.py --write     puts what they print into their comments
"""
import difflib
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CC = [os.environ.get("CC", "gcc"), "-std=c11", "-Og", "-Wall", "-Wextra", "-I."]
EMUCC = ["sh", "tools/emulator/emucc", "-I."]
MARGIN = " *     "


def promised(text):
    """The lines behind `Output:` in the first comment."""
    output = text.partition(" */\n")[0].partition(" * Output:\n")[2]
    return [line[len(MARGIN):].rstrip() for line in output.splitlines()]


def faults(name, text, status, printed):
    """What is wrong with a lesson of this text, exit status and output."""
    comment = text.split("*/")[0]
    title = re.match(r"/\* (\S+) - ([^?]*\?)", comment)
    if not title or title[1] != name:
        yield f"the first line is not `/* {name} - QUESTION?`"
    tool = "tools/emulator/emucc" if name.endswith(".cu") else "cc -std=c11"
    stem = name.partition(".")[0]
    if not re.search(rf"{tool} -I\. examples/lessons/{name} -o {stem}\b", comment):
        yield f"no `Build:` with `{tool} -I. examples/lessons/{name} -o {stem}`"
    if title and "and" in title[2].split():
        yield f"more than one question: {title[2]}"
    if status:
        yield f"exit status {status}"
    if not promised(text):
        yield "no line behind `Output:`"
    lines = [line.rstrip() for line in printed.splitlines()]
    differences = difflib.unified_diff(promised(text), lines, "comment",
                                       "program", lineterm="", n=0)
    yield from itertools.islice(differences, 20)


def libraries(source):
    """The options that a lesson's command needs, or None without the library."""
    if not re.search(r" -lnvrtc$", source.read_text(), re.M):
        return []
    nvcc = pathlib.Path(os.environ.get("NVCC") or "/usr/local/cuda/bin/nvcc")
    cuda = nvcc.resolve().parent.parent
    if not (cuda / "include/nvrtc.h").exists():
        return None
    lib = cuda / ("lib64" if (cuda / "lib64").exists() else "lib")
    # libnvrtc itself looks for libnvrtc-builtins where the program does, but
    # only along an RPATH, which the old tags make of -rpath
    return [f"-I{cuda}/include", f"-L{lib}",
            f"-Wl,--disable-new-dtags,-rpath,{lib}", "-lnvrtc"]


def ran(source, folder, options):
    """The exit status of a lesson and what it prints; a warning is a failure."""
    program = pathlib.Path(folder) / source.stem
    compiler = EMUCC if source.suffix == ".cu" else CC
    built = subprocess.run([*compiler, str(source), "-o", str(program),
                            *options], text=True, cwd=ROOT,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if built.returncode or built.stdout:
        return built.returncode or 1, built.stdout
    done = subprocess.run([str(program)], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, cwd=ROOT)
    return done.returncode, done.stdout


def write(source, printed):
    """Puts the output into the comment."""
    head, mark, rest = source.read_text().partition(" * Output:\n")
    if not mark:
        sys.exit(f"lessons.py: {source.name} has no ` * Output:`")
    lines = [(MARGIN + line).rstrip() + "\n" for line in printed.splitlines()]
    source.write_text(head + mark + "".join(lines) + " */" +
                      rest.partition(" */")[2])


def quoted(text, read):
    """What is wrong with the blocks of C in a text; read(LINK) is a source."""
    pieces = re.findall(r"\]\(([\w/.]+\.(?:cu|hip|cpp|h))\)|^```c\n(.*?)^```$", text,
                        re.M | re.S)
    if not any(block for _, block in pieces):
        yield "it has no block of C"
    sources, at = {}, {}
    for link, block in pieces:
        if link and link not in sources:
            sources[link], at[link] = "\n" + read(link), 0
        found = [(name, source.find("\n" + block, at[name]))
                 for name, source in sources.items() if block]
        name, place = max(found, key=lambda one: one[1], default=("", -1))
        if block and place < 0:
            yield f"not in a source, or not in its order: {block[:60]!r}"
        elif block:
            at[name] = place + len(block)


def text_faults(path):
    """The same of a file."""
    return list(quoted(path.read_text(),
                       lambda link: (path.parent / link).read_text()))


GOOD = """/* 99_made_up.c - does it hold?
 * Build: cc -std=c11 -I. examples/lessons/99_made_up.c -o 99_made_up
 * Output:
 *     yes
 *       at once
 */
"""
SAID = "yes\n  at once\n"
PLANTED = [  # a fault, what it replaces, and with what
    ("no question", "does it hold?", "it holds"),
    ("another name", "99_made_up.c -", "98_made_up.c -"),
    ("another command", "-std=c11 -I.", "-I."),
    ("another file", "-I. examples/lessons/99", "-I. examples/lessons/98"),
    ("another word", "at once", "later"),
    ("a missing line", " *       at once\n", ""),
    ("a line too many", " *     yes\n", " *     yes\n *     yes\n"),
    ("no output", " * Output:\n", ""),
    ("two questions", "does it hold?", "does it hold, and\n * how long?"),
]


def unseen():
    """Planted faults that nothing finds, and the good lesson if it fails."""
    name = "99_made_up.c"
    if list(faults(name, GOOD, 0, SAID)):
        yield "a lesson without a fault"
    if not list(faults(name, GOOD, 1, SAID)):
        yield "an exit status of 1"
    for what, old, new in PLANTED:
        if not list(faults(name, GOOD.replace(old, new), 0, SAID)):
            yield what
    sources = {"x.cu": "a;\nb;\n", "y.h": "c;\n"}
    text = "](x.cu)\n```c\na;\n```\n```c\nb;\n```\n](y.h)\n```c\nc;\n```\n"
    if list(quoted(text, sources.get)):
        yield "a text without a fault"
    for bad in (text.replace("a;", "d;"), text.replace("a;\n", "b;\n", 1),
                text.replace("](y.h)", ""), text.replace("](x.cu)", ""), ""):
        if not list(quoted(bad, sources.get)):
            yield f"the text {bad!r}"


def main():
    parts = [part for part in sys.argv[1:] if part != "--write"]
    sources = [source for source in
               sorted((ROOT / "examples/lessons").glob("*.c*"))
               if not parts or any(part in source.name for part in parts)]
    wrong = [f"FAIL self-test: {what}" for what in unseen()]
    failed, skipped = len(wrong), 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            options = libraries(source)
            if options is None:
                print(f"skipped: {source.name}: there is no NVRTC")
                skipped += 1
                continue
            status, printed = ran(source, folder, options)
            if "--write" in sys.argv and not status:
                write(source, printed)
            found = list(faults(source.name, source.read_text(), status,
                                printed))
            failed += bool(found)
            wrong += [f"FAIL {source.name}: {what}" for what in found]
    texts = sorted((ROOT / "examples/lessons").glob("*.md"))
    for path in texts:
        found = text_faults(path)
        failed += bool(found)
        wrong += [f"FAIL {path.name}: {what}" for what in found]
    print("\n".join(wrong) + "\n" * bool(wrong), end="")
    checks = len(sources) + len(texts) + len(PLANTED) + 8 - skipped
    if not sources:
        print("FAIL there are no lessons")
        failed += 1
    print(f"{checks - failed} passed, {failed} failed" +
          f", {skipped} skipped" * bool(skipped))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
