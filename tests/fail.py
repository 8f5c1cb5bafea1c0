#!/usr/bin/env python3
"""fail.py - programs that must not compile, and say why in one sentence.

Each file of tests/fail names in its first line the sentence to be printed. It
is compiled twice: as it is, when every error that the compiler reports must be
that sentence, and with -DTWIN, which takes the mistake out, when it must
compile: so nothing but the mistake is the reason. Files .cpp go to g++,
clang++ and nvcc; files .cu to nvcc alone. CXX, CLANGXX and NVCC name others;
one that is not there is skipped. Every error of LL_ERRORS has a file.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests/fail"
FLAGS = ["-std=c++14", "-I", str(ROOT)]

# Errors that no LL_LAYOUT or LL_PLAN can meet, and why.
UNREACHED = {
    "LL_EATOM": "only ll_ptx_desc_of gives it, and that is not a layout",
    "LL_ESTRIDE": "as LL_EATOM",
}


def compilers():
    """Name, command and file suffixes of each compiler that is there."""
    cxx = os.environ.get("CXX", "g++")
    clang = os.environ.get("CLANGXX", "clang++")
    nvcc = os.environ.get("NVCC", "nvcc")
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-fsyntax-only"]
    kernel = ["-x", "cu", "-arch=sm_90", "-ptx", "-o", os.devnull]
    host = {".cpp": "c++"}
    return [("g++", [cxx, *FLAGS, *strict], host),
            ("clang++", [clang, *FLAGS, *strict], host),
            ("nvcc", [nvcc, *FLAGS, *kernel], {".cpp": "cu", ".cu": "cu"})]


def compile_one(command, path, *flags):
    """The exit status and everything that the compiler said."""
    done = subprocess.run([*command, *flags, str(path)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def judge(name, command, path):
    """Why the file is not as it should be with this compiler, or ''."""
    sentence = path.read_text().splitlines()[0].removeprefix("// ")
    status, said = compile_one(command, path)
    errors = [line for line in said.splitlines()
              if re.search(r"\berror\b", line)
              and not re.search(r"\d errors? (generated|detected)", line)]
    if status == 0:
        return "it compiles"
    others = [line for line in errors if sentence not in line]
    if not errors or others:
        return f"expected '{sentence}', got\n" + "\n".join(others or [said])
    # A sentence without a name of the user's: the notes below tell it.
    names = re.findall(r"LL_(?:LAYOUT|PLAN\w*)\((\w+)", path.read_text())
    if not any(n in said for n in names + ["TURN"]):
        return "no name of the user's is in the message"
    status, said = compile_one(command, path, "-DTWIN")
    return f"its twin does not compile\n{said}" if status else ""


def unlisted(files):
    """Errors of LL_ERRORS that no file of the folder is about."""
    text = (ROOT / "ll.h").read_text()
    text = text[text.index("#define LL_ERRORS("):]
    text = text[:text.index("#define LL_ENUM_")]
    wanted = {}
    for item in re.split(r"X\(arg, ", text)[1:]:
        words = "".join(re.findall(r'"([^"]*)"', item))
        wanted[item.split(",")[0]] = words
    firsts = " ".join(f.read_text().splitlines()[0] for f in files)
    return [code for code, words in wanted.items()
            if (words in firsts) == (code in UNREACHED)]


def main():
    files = sorted(f for f in FOLDER.iterdir() if f.suffix in (".cpp", ".cu"))
    skipped, jobs = 0, []
    for name, command, suffixes in compilers():
        if shutil.which(command[0]):
            jobs += [(name, command, f) for f in files if f.suffix in suffixes]
        else:
            print(f"skipped: {name} is not here")
            skipped += 1
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for job, why in zip(jobs, pool.map(lambda j: judge(*j), jobs)):
            if why:
                failed += 1
                print(f"FAIL {job[2].name} with {job[0]}: {why}")
    wrong = unlisted(files)
    for code in wrong:
        print(f"FAIL {code}: " + ("it has a file, so it can be reached"
                                  if code in UNREACHED else "it has no file"))
    passed = len(jobs) - failed + (not wrong)
    failed += bool(wrong)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
