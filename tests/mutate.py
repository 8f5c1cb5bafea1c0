#!/usr/bin/env python3
"""mutate.py - changes one line of the headers at a time; does a test notice?

    mutate.py [--slice K/N] [--sample N] [--seed S] [--jobs J] [--file NAME]
              [--lines FROM-TO] [--record FILE] [--count]
    mutate.py --summary FILE     adds the slices of a record up

Each mutant is one small mistake: < for <=, + for -, & for |, another constant,
another target in a table, a statement left out, a condition turned around. All
lines that a C compiler reads of ll.h, ll_ptx.h and ll_amd.h are changed. The
tests are every tests/test_*.c, the recorded cases and the examples, with short
searches. Those that run the changed line (gcov) are tried until one fails:
first the last that noticed a change of the same function, then the quickest.

A survivor whose compiled code is that of the original is equivalent. Another
that cannot be noticed stands in tests/mutants_explained.txt, without numbers of
lines: `FUNCTION: the line => the changed line # reason`; (2) behind FUNCTION is
the second such line in it. The rest is listed, and
the exit status is 1. A run adds a line of JSON to the record, by default
build/mutants.json: commit, slice, counts, killers, all survivors.
"""
import argparse
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import queue
import random
import re
import shutil
import subprocess
import sys
import threading
import time

import source

ROOT = source.ROOT
WORK = ROOT / "build/mutate"
EXPLAINED = ROOT / "tests/mutants_explained.txt"
RECORD = ROOT / "build/mutants.json"
NAMES = ("ll.h", "ll_ptx.h", "ll_amd.h")
CC = [os.environ.get("CC", "gcc"), "-std=c11", "-w"]
ALL_LINES = "1-1000000"
PATIENCE = 10  # times what a test takes, before it counts as failed
SLOW = 5  # seconds, from which a test is worth the compiler's -O1

SWAPS = [(r"(?<![<=-])<(?![<=])", "<="), (r"(?<![<>])<=", "<"),
         (r"(?<![>-])>(?![>=])", ">="), (r"(?<!>)>=", ">"),
         (r"==", "!="), (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"),
         (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "),
         (r"\+\+", "--"), (r"--", "++"),
         (r" & ", " | "), (r" \| ", " & "), (r" \^ ", " | "),
         (r" \|= ", " &= "), (r" \^= ", " |= "), (r" &= ", " |= "),
         (r" << ", " >> "), (r" >> ", " << "), (r"\+=", "-="), (r"-=", "+="),
         (r"\b1u?\b(?!\w)", "0u"), (r"(?<![\w.])~", ""),
         (r"(?<![\w.])!(?!=)", "")]
NUMBER = re.compile(r"(?<![\w.])(0x[0-9a-f]+|\d+)(u?(?:ll)?)\b")
TARGETS = re.compile(r'"((?:\d+[af]?)(?: \d+[af]?)*|)"')
STATEMENT = re.compile(r"^\s+(?!\s|return|break|continue|const |unsigned |int |"
                       r"char |ll_\w+ \w+( =|;))[^{}#]*;$")
DECLARES = re.compile(r"^\s+(?:const |unsigned |int |char |long |ll_\w+ )+"
                      r"[\w\[\], *]+;|^LL_FN\b|^\s*#\s*define \w+\s*$")

Mutant = collections.namedtuple("Mutant", "file line where nth old new")
Test = collections.namedtuple("Test", "name files flags arguments libraries")


def key(mutant):
    """A mutant's name in records and explanations: no number of a line."""
    again = f" ({mutant.nth})" if mutant.nth > 1 else ""
    old, new = (" ".join(line.rstrip("\\").split())
                for line in (mutant.old, mutant.new))
    return f"{mutant.where}{again}: {old} => {new}"


# ---- What is changed -------------------------------------------------------

def read_lines(path):
    """Numbers of the lines that the preprocessor leaves to a C compiler, and of
    the definitions of macros that it reads."""
    said = subprocess.run([*CC, "-E", "-dD", "-x", "c", path], text=True,
                          check=True, stdout=subprocess.PIPE).stdout
    kept, here, number = set(), False, 0
    for line in said.split("\n"):
        marker = re.match(r'# (\d+) "(.*?)"', line)
        if marker:
            here, number = marker[2] == str(path), int(marker[1])
            continue
        if here and line.strip() and not line.startswith("#undef"):
            kept.add(number)
        number += 1
    return kept


def places(lines):
    """The function or macro that each line (from 0) belongs to, and the macros'
    own lines."""
    where, macro = {}, set()
    for first, last in source.functions(lines):
        name = source.defined(lines, first, last)
        where.update(dict.fromkeys(range(first, last + 1), name))
    for name, first, last in source.macros(lines):
        where.update(dict.fromkeys(range(first, last + 1), name))
        macro |= set(range(first, last + 1))
    return where, macro


def other_numbers(line, bare):
    """Each number, one more."""
    for m in NUMBER.finditer(bare):
        value = int(m[1], 0) + 1
        text = hex(value) if m[1].startswith("0x") else str(value)
        yield line[:m.start()] + text + m[2] + line[m.end():]


def other_targets(line):
    """A table of targets in strings: "90" becomes "91", "90a" "90", "" "75"."""
    for m in TARGETS.finditer(line):
        first = re.match(r"(\d+)([af]?)", m[1])
        by = "75" if not first else \
            (first[1] if first[2] else str(int(first[1]) + 1)) + \
            m[1][first.end():]
        yield f'{line[:m.start()]}"{by}"{line[m.end():]}'


def changes(line, bare):
    """Every line that one mistake makes of this one."""
    for pattern, by in SWAPS:
        for m in re.finditer(pattern, bare):
            yield line[:m.start()] + by + line[m.end():]
    yield from other_numbers(line, bare)
    if '"' in line and "{" in line:
        yield from other_targets(line)
    condition = re.match(r"(.*\b(?:if|while) \()(.*)(\) \{)$", line)
    if condition:
        yield f"{condition[1]}!({condition[2]}){condition[3]}"
    if STATEMENT.match(bare) and bare.count("(") == bare.count(")"):
        yield re.sub(r"\S.*", ";", line)


def mutants(path):
    """Every mutant of a header, in the order of its lines."""
    text = path.read_text(encoding="utf-8")
    lines, bare = text.split("\n"), source.bare(text).split("\n")
    kept, (where, macro) = read_lines(path), places(bare)
    # the preprocessor shows a macro of several lines as one
    for name, first, last in source.macros(bare):
        kept |= set(range(first + 1, last + 2)) if first + 1 in kept else set()
    found, seen = [], collections.Counter()
    for k, line in enumerate(lines):
        if k + 1 not in kept or DECLARES.match(bare[k]) or \
                bare[k].startswith("#") and k not in macro:
            continue
        name = where.get(k, "a type")
        seen[name, line.strip()] += 1
        for new in dict.fromkeys(changes(line, bare[k])):
            if new != line:
                found.append(Mutant(path.name, k, name,
                                    seen[name, line.strip()], line, new))
    return found


# ---- The tests -------------------------------------------------------------

def tests(folder):
    """Every test program, as it is built in the folder of a worker."""
    found = [Test(f.stem, [f.name], [], ["1", "0"], [])
             for f in sorted(folder.glob("test_*.c")) if f.stem != "test_m4ri"]
    found.append(Test("examples", ["examples.c"], [], [], []))
    if (folder / "check_data.c").exists():
        data = sorted(f.name for f in folder.glob("data_*.c"))
        found.append(Test("check_data", ["check_data.c", *data, "wrappers.o"],
                          ["-include", "counted.h"], ["data"], ["-ljansson"]))
    return found


def made(folder, script, *arguments):
    with open(folder, "w", encoding="utf-8") as out:
        subprocess.run([sys.executable, ROOT / "tests" / script, *arguments],
                       cwd=ROOT, stdout=out, check=True)


def prepare(folder):
    """A copy of what the tests need."""
    shutil.rmtree(folder, ignore_errors=True)
    inside = folder / "tests"
    inside.mkdir(parents=True)
    for file in [*(ROOT / "tests").glob("*.[ch]"),
                 *(ROOT / "tests").glob("*.cc")]:
        shutil.copy(file, inside)
    (inside / "data").symlink_to(ROOT / "tests/data")
    for name in NAMES:
        shutil.copy(ROOT / name, folder)
    made(inside / "examples.c", "examples.py", *NAMES)
    made(inside / "counted.h", "families.py", "--macros")
    made(inside / "wrappers.inc", "wrappers.py", "ll_ptx.h")
    subprocess.run(["g++", "-std=c++17", "-w", "-fno-exceptions", "-I.", "-c",
                    "data_wrappers.cc", "-o", "wrappers.o"], cwd=inside,
                   check=True)


def built(folder, test, *flags):
    """Is there a program?"""
    return subprocess.run(
        [*CC, *flags, "-DTEST_STOPS=1", "-I..", *test.flags, *test.files, "-o",
         test.name, *test.libraries], cwd=folder / "tests",
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL).returncode == 0


def passes(folder, test, limit=None):
    """Does the program succeed in time?"""
    try:
        return subprocess.run(
            [f"./{test.name}", *test.arguments], cwd=folder / "tests",
            timeout=limit, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def covered(folder, test):
    """The lines (from 0) of the headers that a test runs, all that it could,
    and the functions that it calls."""
    inside = folder / "tests"
    if not built(folder, test, "--coverage") or not passes(folder, test):
        sys.exit(f"mutate: {test.name} fails before anything is changed")
    notes = [f.name for f in inside.glob("*.gcda")]
    said = subprocess.run(["gcov", "--json-format", "--stdout", *notes],
                          cwd=inside, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout
    ran, known, called = set(), set(), set()
    for part in said.splitlines():
        for file in json.loads(part)["files"]:
            name = pathlib.Path(file["file"]).name
            if name in NAMES:
                known |= {(name, x["line_number"] - 1) for x in file["lines"]}
                ran |= {(name, x["line_number"] - 1) for x in file["lines"]
                        if x["count"]}
                called |= {f["name"] for f in file["functions"]
                           if f["execution_count"]}
    return {"ran": sorted(ran), "known": sorted(known),
            "called": sorted(called)}


def measured(folder, test):
    """The compiler's flag that is worth it, and the seconds of the program."""
    flag = "-O0"
    for _ in range(2):
        if not built(folder, test, flag):
            sys.exit(f"mutate: {test.name} cannot be built")
        start = time.monotonic()
        if not passes(folder, test):
            sys.exit(f"mutate: {test.name} fails before anything is changed")
        seconds = time.monotonic() - start
        if seconds < SLOW or flag == "-O1":
            break
        flag = "-O1"
    return {"flag": flag, "seconds": seconds}


def state():
    """A number that changes with the headers and the tests."""
    files = sorted([*ROOT.glob("ll*.h"), *(ROOT / "tests").glob("*.[ch]"),
                    *(ROOT / "tests/data").glob("*")])
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()


def profile(jobs):
    """What each test runs, and how long; kept until a file changes."""
    kept = WORK / "profile.json"
    if kept.exists():
        known = json.loads(kept.read_text())
        if known["state"] == state():
            return known["tests"]
    prepare(WORK / "profile")

    def one(test):
        folder = WORK / f"profile-{test.name}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(WORK / "profile", folder, symlinks=True)
        return {**covered(folder, test), **measured(folder, test)}

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        all_of = tests(WORK / "profile/tests")
        found = dict(zip([t.name for t in all_of], pool.map(one, all_of)))
    kept.write_text(json.dumps({"state": state(), "tests": found}))
    return found


def mentions():
    """Who in the headers uses a name: functions and macros by their names."""
    users = collections.defaultdict(set)
    for name in NAMES:
        lines = source.bare((ROOT / name).read_text()).split("\n")
        where, _ = places(lines)
        for k, line in enumerate(lines):
            for used in re.findall(source.NAME, line):
                users[used].add(where.get(k, "a type"))
    return users


def text_of(file):
    """The text of a test, with the headers beside it."""
    text = file.read_text()
    return text + "".join(
        text_of(file.parent / name)
        for name in re.findall(r'^#include "(\w+\.h)"', text, re.M)
        if (file.parent / name).exists())


def reached(users, name):
    """A macro, the macros that use it, theirs, and the functions at the end."""
    found, todo = set(), [name]
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += users[one] if one.startswith("LL_") else ()
    return found


class Order:
    """Which tests are tried for a mutant, and in which order."""

    def __init__(self, known):
        self.known = known
        self.ran = {n: {tuple(x) for x in t["ran"]} for n, t in known.items()}
        self.lines = {tuple(x) for t in known.values() for x in t["known"]}
        self.called = {n: set(t["called"]) for n, t in known.items()}
        self.functions = set().union(*self.called.values())
        inside = WORK / "profile/tests"
        self.users, self.text = mentions(), {
            t.name: "".join(text_of(inside / f) for f in t.files
                            if f.endswith(".c")) for t in tests(inside)}
        self.last, self.lock = collections.defaultdict(list), threading.Lock()

    def of(self, mutant):
        place = mutant.file, mutant.line
        if place in self.lines:
            names = [n for n in self.known if place in self.ran[n]]
        elif mutant.where in self.functions:
            names = [n for n in self.known if mutant.where in self.called[n]]
        else:
            names = self.of_macro(mutant.where)
        with self.lock:
            last = list(self.last[mutant.where])
        names.sort(key=lambda n: (last.index(n) if n in last else len(last),
                                  self.known[n]["seconds"]))
        return names

    def of_macro(self, macro):
        """The tests that a macro can reach; all, if that is not known."""
        found = reached(self.users, macro) if macro.startswith("LL_") else set()
        if not found or "a type" in found:
            return list(self.known)
        words = re.compile(rf"\b(?:{'|'.join(sorted(found))})\b")
        return [n for n in self.known if self.called[n] & found or
                words.search(self.text[n])]

    def noticed(self, mutant, name):
        with self.lock:
            last = self.last[mutant.where]
            self.last[mutant.where] = [name, *(n for n in last if n != name)]


# ---- Judging ---------------------------------------------------------------

def code(folder, name):
    """The machine code of all functions of a header, or None."""
    done = subprocess.run([*CC, "-O2", "-S", "-fkeep-inline-functions",
                           "-fkeep-static-functions", "-x", "c", name, "-o",
                           "-"], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return done.stdout if done.returncode == 0 else None


@functools.lru_cache(maxsize=None)
def original(_state, name):
    return code(ROOT, name)


def compared(folder, mutant):
    """'equivalent' if the compiled code is that of the original, 'invalid' if
    there is none, or ''. Macros and types are used by others too, so that the
    code of the header's own functions proves nothing for them."""
    if not mutant.where.startswith("ll_"):
        return ""
    changed = code(folder, mutant.file)
    return "invalid" if changed is None else \
        "equivalent" if changed == original(state(), mutant.file) else ""


def verdict(folder, all_of, order, mutant, known):
    """'killed NAME', 'invalid', 'equivalent' or 'survived'. Compiled code is
    compared before the slow tests."""
    by_name = {t.name: t for t in all_of}
    names = order.of(mutant)
    slow = [n for n in names if known[n]["seconds"] > SLOW]
    for name in [*names, None]:
        if name == (slow[0] if slow else None):
            same = compared(folder, mutant)
            if same:
                return same
        if name is None:
            return "survived"
        if not built(folder, by_name[name], known[name]["flag"]):
            return "invalid"
        limit = 5 + PATIENCE * known[name]["seconds"]
        if not passes(folder, by_name[name], limit):
            order.noticed(mutant, name)
            return f"killed {name}"
    return "survived"


def judged(todo, jobs):
    """Mutant and verdict, in the order of the list."""
    known = profile(jobs)
    order, folders = Order(known), queue.Queue()
    for worker in range(jobs):
        shutil.rmtree(WORK / str(worker), ignore_errors=True)
        shutil.copytree(WORK / "profile", WORK / str(worker), symlinks=True)
        folders.put(WORK / str(worker))
    all_of = tests(WORK / "profile/tests")

    def one(mutant):
        folder = folders.get()
        text = (ROOT / mutant.file).read_text(encoding="utf-8")
        lines = text.split("\n")
        lines[mutant.line] = mutant.new
        (folder / mutant.file).write_text("\n".join(lines), encoding="utf-8")
        try:
            return verdict(folder, all_of, order, mutant, known)
        finally:
            (folder / mutant.file).write_text(text, encoding="utf-8")
            folders.put(folder)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from zip(todo, pool.map(one, todo))


def explanations(text):
    """Reason by name of a mutant."""
    pairs = [line.rsplit(" # ", 1) for line in text.splitlines()
             if " => " in line and " # " in line]
    return {name.strip(): reason for name, reason in pairs}


def commit():
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, text=True,
                              stdout=subprocess.PIPE).stdout.strip()
    dirty = git("status", "--porcelain", "--", "ll*.h", "tests")
    return git("rev-parse", "HEAD") + ("-dirty" if dirty else "")


def summary(path):
    """The slices of a record, by commit; 1 if a slice is missing or a survivor
    has no explanation."""
    runs = collections.defaultdict(dict)
    for line in pathlib.Path(path).read_text().splitlines():
        run = json.loads(line)
        runs[run["commit"], run["of"], run["choice"]][run["slice"]] = run
    wrong = not runs
    for (at, of, choice), slices in runs.items():
        counts = collections.Counter()
        for run in slices.values():
            counts.update(run["counts"])
        missing = sorted(set(range(1, of + 1)) - set(slices))
        print(f"{at[:12]}, {choice}: {len(slices)} of {of} slices" +
              "".join(f", {n} {what}" for what, n in sorted(counts.items())) +
              (f"; missing: {missing}" if missing else ""))
        for run in slices.values():
            for survivor in run["survivors"]:
                print("   ", survivor)
        wrong |= bool(missing or counts["survived"])
    return wrong


def report(results, known, args, out):
    """Prints the survivors and adds the run to the record."""
    counts, killers = collections.Counter(), collections.Counter()
    survivors = []
    at = commit()
    for mutant, what in results:
        what, _, killer = what.partition(" ")
        name = key(mutant)
        killers[killer] += bool(killer)
        if what == "survived" and name in known:
            what = "explained"
        counts[what] += 1
        if what == "survived":
            survivors.append(f"{mutant.file}: {name}")
            print(f"{mutant.file}:{mutant.line + 1}: survived: {name}",
                  file=out, flush=True)
    slice_, of = map(int, args.slice.split("/"))
    choice = (args.file or "all headers") + \
        (f", lines {args.lines}" if args.lines != ALL_LINES else "") + \
        (f", sample {args.sample} of seed {args.seed}" if args.sample else "")
    run = {"commit": at, "slice": slice_, "of": of, "choice": choice,
           "counts": dict(counts), "killers": dict(+killers),
           "survivors": survivors}
    args.record.parent.mkdir(parents=True, exist_ok=True)
    with open(args.record, "a", encoding="utf-8") as record:
        record.write(json.dumps(run) + "\n")
    total = sum(counts.values()) - counts["invalid"]
    print(f"{total} mutants" + "".join(f", {n} {what}" for what, n in
                                       sorted(counts.items())), file=out)
    return bool(survivors) or not total


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slice", default="1/1")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--file", choices=NAMES)
    parser.add_argument("--lines", default=ALL_LINES)
    parser.add_argument("--record", type=pathlib.Path, default=RECORD)
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--summary")
    return parser.parse_args()


def chosen(everything, args):
    """The mutants of this run."""
    first, last = map(int, args.lines.split("-"))
    slice_, of = map(int, args.slice.split("/"))
    if not 1 <= slice_ <= of:
        sys.exit(f"mutate: there is no slice {args.slice}")
    some = [m for m in everything if args.file in (None, m.file) and
            first <= m.line + 1 <= last][slice_ - 1::of]
    if args.sample and args.sample < len(some):
        some = random.Random(args.seed).sample(some, args.sample)
        some.sort(key=lambda m: (m.file, m.line))
    return some


def main():
    args = options()
    if args.summary:
        return summary(args.summary)
    everything = [m for name in NAMES for m in mutants(ROOT / name)]
    known = explanations(EXPLAINED.read_text(encoding="utf-8")
                         if EXPLAINED.exists() else "")
    for name in sorted(set(known) - {key(m) for m in everything}):
        sys.exit(f"mutate: an explanation of no mutant: {name}")
    todo = chosen(everything, args)
    print(f"{len(todo)} of {len(everything)} mutants", flush=True)
    if args.count or not todo:
        return not todo
    WORK.mkdir(parents=True, exist_ok=True)
    return report(judged(todo, args.jobs), known, args, sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
