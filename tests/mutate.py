#!/usr/bin/env python3
"""mutate.py - changes one line of ll.h at a time; does a test notice?

    mutate.py [--sample N] [--seed S] [--jobs J] [--lines FROM-TO]

Each mutant is one small mistake: < for <=, + for -, & for |, another constant,
a statement left out, a condition turned around. The fast tests are built with
it and run until one fails. Survivors are listed, in build/mutants.txt too; one
that behaves like the original, and so cannot be noticed, stands with the reason
in tests/mutants_explained.txt, as `mutated line # reason`. Exit status 1 if a
survivor has no explanation there. What does not compile is not a mutant.
"""
import argparse
import concurrent.futures
import os
import pathlib
import queue
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/mutate"
EXPLAINED = ROOT / "tests/mutants_explained.txt"
CC = [os.environ.get("CC", "gcc"), "-std=c11", "-O1", "-w"]
TIMEOUT = 40

# name, sources, arguments and libraries; the quickest first
TESTS = [("examples", ["examples.c"], [], []),
         ("test_shapes", ["test_shapes.c"], [], []),
         ("test_text", ["test_text.c"], [], []),
         ("test_algebra", ["test_algebra.c"], [], []),
         ("check_data", ["check_data.c", "data_*.c"], ["data"], ["-ljansson"]),
         ("test_swizzle", ["test_swizzle.c"], [], [])]

SWAPS = [(r"(?<![<=-])<(?![<=])", "<="), (r"(?<![<>])<=", "<"),
         (r"(?<![>-])>(?![>=])", ">="), (r"(?<!>)>=", ">"),
         (r"==", "!="), (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"),
         (r" \+ ", " - "), (r" - ", " + "), (r"\+\+", "--"), (r"--", "++"),
         (r" & ", " | "), (r" \| ", " & "), (r" \^ ", " | "),
         (r" \|= ", " &= "), (r" \^= ", " |= "), (r" &= ", " |= "),
         (r" << ", " >> "), (r" >> ", " << "), (r"\+=", "-="), (r"-=", "+="),
         (r"\b0u?\b(?!\w)", "1u"), (r"\b1u?\b(?!\w)", "0u"),
         (r"\b1u?\b(?!\w)", "2u"), (r"(?<![\w.])~", "")]
STATEMENT = re.compile(r"^\s+(?!\s|return|break|continue|const |unsigned |int |"
                       r"char |ll_\w+ \w+( =|;))[^{}#]*;$")


def code_lines(text):
    """Numbers of the lines that hold code which a C program can run."""
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text,
                  flags=re.S)
    lines = text.split("\n")
    inside, hidden = False, 0
    for number, line in enumerate(lines):
        if re.match(r"#if", line):
            hidden += bool(hidden) or "LL_CONSTEXPR" in line
        elif re.match(r"#el", line) and hidden == 1:
            hidden = 0
        elif line.startswith("#endif"):
            hidden = max(0, hidden - 1)
        inside = inside or bool(re.match(r"LL_FN .*", line))
        if inside and not hidden and not line.startswith(("#", "LL_FN")):
            yield number, line
        inside = inside and line != "}"


def changes(line):
    """Every line that one mistake makes of this one."""
    strings = [m.span() for m in re.finditer(r'"[^"]*"|\'.\'', line)]
    for pattern, by in SWAPS:
        for m in re.finditer(pattern, line):
            if not any(a <= m.start() < b for a, b in strings):
                yield line[:m.start()] + by + line[m.end():]
    condition = re.match(r"(.*\b(?:if|while) \()(.*)(\) \{)$", line)
    if condition:
        yield f"{condition[1]}!({condition[2]}){condition[3]}"
    if STATEMENT.match(line) and line.count("(") == line.count(")"):
        yield re.sub(r"\S.*", ";", line)


def mutants(text, first, last):
    return [(number, new) for number, line in code_lines(text)
            if first <= number + 1 <= last
            for new in dict.fromkeys(changes(line)) if new != line]


def prepare(folder):
    """A copy of what the tests need, for one worker."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tests").mkdir(parents=True)
    for source in [*(ROOT / "tests").glob("*.[ch]")]:
        shutil.copy(source, folder / "tests")
    shutil.copytree(ROOT / "tests/data", folder / "tests/data")
    for header in ROOT.glob("ll*.h"):
        shutil.copy(header, folder)
    with open(folder / "tests/examples.c", "w", encoding="utf-8") as out:
        subprocess.run([sys.executable, ROOT / "tests/examples.py",
                        ROOT / "ll.h"], stdout=out, check=True)


def verdict(folder):
    """Which test notices, None if none does, or 'build' if it is no program."""
    tests = folder / "tests"
    for name, sources, arguments, libraries in TESTS:
        files = [f for pattern in sources for f in sorted(tests.glob(pattern))]
        if not files:
            continue
        quiet = {"cwd": tests, "stdin": subprocess.DEVNULL,
                 "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if subprocess.run([*CC, *files, "-o", tests / name, *libraries],
                          **quiet).returncode:
            return "build"
        try:
            if subprocess.run([tests / name, *arguments], timeout=TIMEOUT,
                              **quiet).returncode:
                return name
        except subprocess.TimeoutExpired:
            return name + " (time)"
    return None


def explanations():
    if not EXPLAINED.exists():
        return {}
    lines = EXPLAINED.read_text(encoding="utf-8").splitlines()
    pairs = [line.rsplit(" # ", 1) for line in lines if " # " in line]
    return {changed.strip(): reason for changed, reason in pairs}


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--lines", default="1-1000000")
    return parser.parse_args()


def main():
    args = options()
    text = (ROOT / "ll.h").read_text(encoding="utf-8")
    lines = text.split("\n")
    first, last = map(int, args.lines.split("-"))
    todo = mutants(text, first, last)
    if args.sample and args.sample < len(todo):
        todo = sorted(random.Random(args.seed).sample(todo, args.sample))
    folders = queue.Queue()
    for worker in range(args.jobs):
        prepare(WORK / str(worker))
        folders.put(WORK / str(worker))
    if verdict(WORK / "0"):
        sys.exit("mutate: a test fails before anything is changed")

    def judge(mutant):
        folder = folders.get()
        number, new = mutant
        changed = lines[:number] + [new] + lines[number + 1:]
        (folder / "ll.h").write_text("\n".join(changed), encoding="utf-8")
        result = verdict(folder)
        folders.put(folder)
        return result

    known, out, counts = explanations(), [], {"killed": 0, "survived": 0}
    explained = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for (number, new), result in zip(todo, pool.map(judge, todo)):
            if result == "build":
                continue
            counts["killed" if result else "survived"] += 1
            if not result:
                reason = known.get(new.strip(), "")
                explained += bool(reason)
                out.append(f"ll.h:{number + 1}: {lines[number].strip()}\n"
                           f"    became: {new.strip()}\n"
                           f"    {reason or 'NOT EXPLAINED'}")
                print(out[-1], flush=True)
    killed, survived = counts["killed"], counts["survived"]
    out.append(f"{killed + survived} mutants, {killed} killed, "
               f"{survived} survived")
    print(out[-1])
    (ROOT / "build/mutants.txt").write_text("\n".join(out) + "\n",
                                            encoding="utf-8")
    return survived > explained


if __name__ == "__main__":
    sys.exit(main())
