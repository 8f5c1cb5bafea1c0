#!/usr/bin/env python3
"""mutate.py - changes one line of the headers at a time; does a test notice?

    mutate.py [--slice K/N] [--sample N] [--seed S] [--jobs J] [--file NAME]
              [--rooms NAME,..] [--lines FROM-TO] [--record FILE] [--count]
              [--shortest SECONDS] [--longest SECONDS] [--tests RE] [--again]
              [--effort N] [--since COMMIT]
    mutate.py --summary FILE     adds the slices of a record up

Each mutant is one small mistake: < for <=, + for -, & for |, another constant,
another target in a table, a statement left out, a condition turned around. All
lines that a C compiler reads of the joined headers are changed. The
tests are every property of the tests/test_*.c, the recorded cases and the
examples, with short searches, or with --effort 1 those of `make check`. Those
that run the changed line (gcov) are tried until one fails: first the quick ones
that noticed changes of the same function. Mutants of functions are chosen when
a test starts (schemata.py); for those of types and macros everything is
compiled.

A survivor with the compiled code of the original is equivalent. Another
that cannot be noticed stands in tests/mutants_explained.txt, without numbers of
lines: `FUNCTION: the line => the changed line # reason`; (2) behind FUNCTION is
the second such line in it. The rest is listed, and the exit status is 1.

A run adds a line of JSON to the record, by default tests/mutants.jsonl: commit,
slice, counts, killers, seconds of the processor, and the mutants still open:
survivors, and those not tried yet. The line is written every 50 mutants and on
SIGTERM; the command that was stopped continues when it is given again.
--rooms takes rooms of one header, ll.h unless --file names another:
plan/swizzle,engine/. --since takes only functions and macros that changed since a commit of git.
--longest leaves slow tests out: a first sieve. --again tries what is open once
more and takes what it has judged out of the earlier lines; with it --shortest
leaves out what was tried, and --tests all but the tests of that name, such as
new ones.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading

import schemata
import source

ROOT = source.ROOT
WORK = ROOT / "build/mutate"
EXPLAINED = ROOT / "tests/mutants_explained.txt"
RECORD = ROOT / "tests/mutants.jsonl"
NAMES = tuple(source.PLACES)
ASKED_FOR = ("LL_CLUSTERS", "LL_ENGINE", "LL_SORTS", "LL_TENSOR")
CC = [os.environ.get("CC", "gcc"), "-std=c11", "-w"]
ALL_OF_IT = [*CC, *(f"-D{name}" for name in ASKED_FOR)]  # of the headers
ALL_LINES = "1-1000000"
ALL_TESTS = 1e9
PATIENCE = 5  # times what a test takes, before it counts as failed
SLOW = 0.5  # seconds, from which a test waits until others have failed to kill
TOGETHER = 250  # mutants in one library
EFFORT = 0  # of the searches in the tests: --effort
AT_ONCE = 2  # jobs for each library that is tried at the same time
SAVES = 50  # mutants from one record to the next

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
Test = collections.namedtuple("Test",
                              "name files flags arguments libraries only")


def header(name, root=None):
    return (root or ROOT) / source.PLACES[name]


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
    said = subprocess.run([*ALL_OF_IT, f"-I{ROOT}", "-E", "-dD", "-x", "c",
                           path], text=True,
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

def programs(folder):
    """Every test program, as it is built in a folder."""
    found = [Test(f.stem, [f.name], [], ["1", f"{EFFORT}"], [], "")
             for f in sorted(folder.glob("test_*.c")) if f.stem != "test_m4ri"]
    found.append(Test("examples", ["examples.c"], [], [], [], ""))
    if (folder / "check_data.c").exists():
        data = sorted(f.name for f in folder.glob("data_*.c"))
        found.append(Test("check_data", ["check_data.c", *data, "wrappers.o"],
                          ["-DLL_ENGINE", "-include",
                           "counted.h"], ["data"], ["-ljansson"], ""))
    return found


def parts(folder, test):
    """The properties of a program, each a test of its own, or the program."""
    names = re.findall(r"^\s+RUN\((\w+)\);",
                       (folder / test.files[0]).read_text(), re.M)
    return [test._replace(only=name) for name in dict.fromkeys(names)] or [test]


def title(test):
    return f"{test.name} {test.only}".strip()


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
    for file in ("bench/device/padded.h", "examples/torch/checks.h"):
        (folder / file).parent.mkdir(parents=True)
        shutil.copy(ROOT / file, folder / file)
    for name in NAMES:
        (folder / source.PLACES[name]).parent.mkdir(parents=True,
                                                    exist_ok=True)
        shutil.copy(header(name), folder / source.PLACES[name])
    made(inside / "examples.c", "examples.py", *source.PLACES.values())
    made(inside / "counted.h", "families.py", "--macros")
    made(inside / "wrappers.inc", "wrappers.py", "ll_ptx.h")
    subprocess.run(["g++", "-std=c++17", "-w", "-fno-exceptions", "-I.", "-c",
                    "data_wrappers.cc", "-o", "wrappers.o"], cwd=inside,
                   check=True)


def built(folder, test, *flags):
    """Is there a program?"""
    return subprocess.run(
        [*CC, "-DTEST_STOPS=1", "-I..", *test.flags, *test.files, "-o",
         test.name, *flags, *test.libraries], cwd=folder / "tests",
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL).returncode == 0


def linked(folder, test):
    """Is there a program that finds the functions in a library?"""
    return built(folder, test, "-O1", f"-L{folder}", "-lll")


def run(folder, test, library=None, number=0, limit=3600.0):
    """Does a test succeed, and in how many seconds of the processor?"""
    place = {"LD_LIBRARY_PATH": str(library), "LL_MUTANT": str(number),
             "LL_MUTANT_MS": str(int(1000 * limit))} if library else {}
    only = {"TEST_ONLY": test.only} if test.only else {}
    started = subprocess.Popen(  # wait4 tells its time
        [f"./{test.name}", *test.arguments], cwd=folder / "tests",
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, **place, **only})
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    return status == 0, used.ru_utime + used.ru_stime


def limit_of(seconds):
    return 0.5 + PATIENCE * seconds


def counted(inside):
    """The lines (from 0) of the headers that a program ran, all that it could,
    and the functions that it called."""
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


def measured(plain, with_library, test):
    """What each part of a program covers, and its seconds."""
    if not built(plain, test, "--coverage") or not linked(with_library, test):
        sys.exit(f"mutate: {test.name} cannot be built")
    found = {}
    for part in parts(plain / "tests", test):
        for old in (plain / "tests").glob("*.gcda"):
            old.unlink()
        passed = run(plain, part)[0]
        right, seconds = run(with_library, part, with_library)
        if not passed or not right:
            sys.exit(f"mutate: {title(part)} fails before anything is changed")
        found[title(part)] = {**counted(plain / "tests"), "seconds": seconds}
    return found


def state(*some):
    """A number that changes with the headers, the tests and their data."""
    inside = ROOT / "tests"
    files = [*source.headers(), *inside.glob("*.h")]
    for test in some:
        files += [inside / f for f in test.files if (inside / f).exists()]
        files += inside.glob("data/*") if "data" in test.arguments else []
    return hashlib.sha256(b"".join(f.read_bytes() for f in sorted(files))
                          ).hexdigest()


def headers():
    """The headers as they get copies of functions."""
    users = mentions()
    return {name: schemata.Header(header(name).read_text(encoding="utf-8"),
                                  read_lines(header(name)), users)
            for name in NAMES}


def declared(folder, texts):
    """Writes headers without functions, and a library of the functions."""
    found = {}
    for name, text in texts.items():
        path = header(name, folder)
        path.write_text(text, encoding="utf-8")
        found[name] = schemata.Header(text, read_lines(path),
                                      collections.defaultdict(set))
        path.write_text(found[name].interface(), encoding="utf-8")
    library = schemata.Library(found, [], folder / "lib", ALL_OF_IT)
    if not library.is_right():
        return False
    library.build()
    shutil.copy(folder / "lib/libll.so", folder)
    return True


def fresh():
    """Folders of the tests as they are, with whole and with declared headers;
    kept until a file changes."""
    stamp, now = WORK / "declared/stamp", state(*programs(ROOT / "tests"))
    if stamp.exists() and stamp.read_text() == now:
        return
    prepare(WORK / "profile")
    prepare(WORK / "declared")
    declared(WORK / "declared", {n: header(n).read_text() for n in NAMES})
    stamp.write_text(now)


def profile(jobs, wanted=""):
    """What each test runs, and how long; kept until a file changes. The
    programs lie in `declared`, ready to be run with another library. Of those
    that have no test of the names that are wanted there are none."""
    file = WORK / "profile.json"
    kept = json.loads(file.read_text()) if file.exists() else {}
    fresh()

    def one(test):
        at = state(test) + "+" * EFFORT
        folder = WORK / f"profile-{test.name}"
        ready = (WORK / "declared/tests" / test.name).exists()
        if kept.get(test.name, {}).get("state") == at and \
                (ready or linked(WORK / "declared", test)):
            return kept[test.name]
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(WORK / "profile", folder, symlinks=True)
        return {"state": at,
                "parts": measured(folder, WORK / "declared", test)}

    inside = WORK / "profile/tests"
    some = [test for test in programs(inside)
            if any(re.search(wanted, title(part))
                   for part in parts(inside, test))]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for test, found in zip(some, pool.map(one, some)):
            kept[test.name] = found
            file.write_text(json.dumps(kept))
    return {name: part for test in some
            for name, part in kept[test.name]["parts"].items()}


def mentions():
    """Who uses a name: functions and macros by their names, "a test"."""
    users = collections.defaultdict(set)
    for name in NAMES:
        lines = source.bare(header(name).read_text()).split("\n")
        where, _ = places(lines)
        for k, line in enumerate(lines):
            for used in re.findall(source.NAME, line):
                users[used].add(where.get(k, "a type"))
    for file in (ROOT / "tests").glob("*.[ch]"):
        for used in re.findall(source.NAME, file.read_text()):
            users[used].add("a test")
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
            title(part): "".join(text_of(inside / f) for f in test.files
                                 if f.endswith(".c"))
            for test in programs(inside) for part in parts(inside, test)}
        self.tried, self.killed = collections.Counter(), collections.Counter()
        self.lock = threading.Lock()

    def of(self, mutant):
        place = mutant.file, mutant.line
        if place in self.lines:
            names = [n for n in self.known if place in self.ran[n]]
        elif mutant.where in self.functions:
            names = [n for n in self.known if mutant.where in self.called[n]]
        else:
            names = self.of_macro(mutant.where)
        return sorted(names, key=lambda n: self.price(mutant.where, n))

    def price(self, where, name):
        """Seconds that a test is expected to take per mutant that it kills:
        what it did to others of the function, and before to all."""
        often = (self.killed[name] + 1) / (self.tried[name] + 4)
        pair = where, name
        return self.known[name]["seconds"] * (self.tried[pair] + 2) / \
            (self.killed[pair] + 2 * often)

    def of_macro(self, macro):
        """The tests that a macro can reach; all, if that is not known."""
        found = reached(self.users, macro) if macro.startswith("LL_") else set()
        if not found or "a type" in found:
            return list(self.known)
        words = re.compile("|".join(rf"\b{name}\b" for name in sorted(found)
                                    if name.startswith("LL_")))
        return [n for n in self.known if self.called[n] & found or
                words.search(self.text[n])]

    def note(self, mutant, name, killed):
        with self.lock:
            for what in ((mutant.where, name), name):
                self.tried[what] += 1
                self.killed[what] += killed


# ---- Judging ---------------------------------------------------------------

def verdict(order, mutant, runs, names):
    """'killed NAME' or 'survived'; runs(name) says whether a test passes."""
    for name in names:
        killed = not runs(name)
        order.note(mutant, name, killed)
        if killed:
            return f"killed {name}"
    return "survived"


def judged_alone(mutant, order, by_name, folder):
    """One of types or macros: everything is compiled for it."""
    prepare(folder)
    texts = {n: header(n).read_text(encoding="utf-8") for n in NAMES}
    lines = texts[mutant.file].split("\n")
    lines[mutant.line] = mutant.new
    texts[mutant.file] = "\n".join(lines)
    ready = {}

    def runs(name):
        test = by_name[name]
        if test.name not in ready:
            ready[test.name] = linked(folder, test)
        return ready[test.name] and run(
            folder, test, folder, 0, limit_of(order.known[name]["seconds"]))[0]

    what = verdict(order, mutant, runs, order.of(mutant)) \
        if declared(folder, texts) else "invalid"
    shutil.rmtree(folder)
    return mutant, what


class Together:
    """Mutants of functions: one library for all."""

    def __init__(self, mutants, order, by_name, pool, folder):
        self.order, self.by_name, self.pool = order, by_name, pool
        self.library = schemata.Library(headers(), mutants, folder,
                                        ALL_OF_IT)

    def one(self, numbered, is_slow):
        number, mutant = numbered

        def runs(name):
            limit = limit_of(self.order.known[name]["seconds"])
            return run(WORK / "declared", self.by_name[name],
                       self.library.folder, number, limit)[0]

        names = [n for n in self.order.of(mutant)
                 if (self.order.known[n]["seconds"] > SLOW) == is_slow]
        return verdict(self.order, mutant, runs, names)

    def tried(self, is_slow):
        """The mutants that the slow tests kill, or the others. The survivors
        stay."""
        self.library.build()
        futures = {self.pool.submit(self.one, numbered, is_slow): numbered
                   for numbered in self.library.numbered}
        for future in concurrent.futures.as_completed(futures):
            if future.result() != "survived":
                self.library.numbered.remove(futures[future])
                yield futures[future][1], future.result()

    def judged(self, again):
        """Compiled code is compared before the slow tests."""
        yield from ((m, "invalid") for m in self.library.without_errors())
        yield from self.tried(False)
        if not again:
            yield from ((m, "equivalent") for m in self.library.without_twins())
        yield from self.tried(True)
        yield from ((m, "survived") for _, m in self.library.numbered)


def judged(todo, args):
    """Mutants and verdicts, by the tests that were asked for."""
    jobs = args.jobs
    known = {name: test for name, test in profile(jobs, args.tests).items()
             if args.shortest < test["seconds"] <= args.longest and
             re.search(args.tests, name)}
    order, every = Order(known), headers()
    inside = WORK / "profile/tests"
    by_name = {title(part): part for test in programs(inside)
               for part in parts(inside, test)}
    together = [m for m in todo if every[m.file].function_of(m)]
    alone = [m for m in todo if not every[m.file].function_of(m)]
    found = queue.SimpleQueue()

    def one(k, pool):
        for result in Together(together[k:k + TOGETHER], order, by_name, pool,
                               WORK / f"lib-{k}").judged(args.again):
            found.put(result)
        shutil.rmtree(WORK / f"lib-{k}")

    def other(k):
        found.put(judged_alone(alone[k], order, by_name, WORK / f"alone-{k}"))

    def every_one():
        try:
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool, \
                    concurrent.futures.ThreadPoolExecutor(
                        -(-jobs // AT_ONCE)) as libraries:
                running = [libraries.submit(one, k, pool)
                           for k in range(0, len(together), TOGETHER)]
                running += [libraries.submit(other, k)
                            for k in range(len(alone))]
                for future in concurrent.futures.as_completed(running):
                    future.result()
            found.put(None)
        except BaseException as error:  # the main thread ends with it
            found.put(error)

    threading.Thread(target=every_one, daemon=True).start()
    while (result := found.get()) is not None:
        if isinstance(result, BaseException):
            raise result
        yield result


def explanations(text):
    """Reason by name of a mutant."""
    found = {}
    for line in filter(None, text.splitlines()):
        name, _, reason = line.rpartition(" # ")
        if " => " not in name or not reason:
            sys.exit(f"mutate: not `FUNCTION: line => line # reason`: {line}")
        found[name.strip()] = reason
    return found


def explained():
    return explanations(EXPLAINED.read_text(encoding="utf-8")
                        if EXPLAINED.exists() else "")


def commit():
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, text=True,
                              stdout=subprocess.PIPE).stdout.strip()
    dirty = git("status", "--porcelain", "--", "ll*.h", "tests",
                ":!tests/mutants.jsonl")
    return git("rev-parse", "HEAD") + ("-dirty" if dirty else "")


def survivors_of(runs):
    """Who is open after all runs of a record: the later of two runs of one
    slice counts."""
    left = {}
    for run_ in runs:
        slice_ = run_["choice"], run_["slice"], run_["of"]
        left = {name: by for name, by in left.items() if by != slice_}
        left.update(dict.fromkeys(run_["survivors"], slice_))
        left.update(dict.fromkeys(run_.get("untried", []), slice_))
    return left


def records(path):
    return [json.loads(line)
            for line in path.read_text(encoding="utf-8").splitlines()]


def summary(path):
    """The slices of a record; 1 if a slice is missing or a mutant survives."""
    runs, slices = records(pathlib.Path(path)), collections.defaultdict(set)
    total = collections.Counter()
    for run_ in runs:
        slices[run_["choice"], run_["of"]].add(run_["slice"])
        total.update({what: n for what, n in run_["counts"].items()
                      if what != "survived"})
        print(f"{run_['commit'][:12]}, {run_['choice']}, slice {run_['slice']} "
              f"of {run_['of']}" + "".join(
                  f", {n} {what}" for what, n in
                  sorted(run_["counts"].items())))
    missing = [f"{choice_}: {k} of {of}" for (choice_, of), got in
               slices.items() for k in range(1, of + 1) if k not in got]
    known = explained()
    left = [name for name in survivors_of(runs)
            if name.partition(": ")[2] not in known]
    total["open"] = len(left)
    print("\n".join([*(f"missing: {m}" for m in missing), *sorted(left),
                     "in all" + "".join(f", {n} {what}" for what, n in
                                        sorted(total.items())),
                     f"{len(left)} survivors are left"]))
    return bool(not runs or missing or left)


def choice(args):
    """What a run was told to try, in words."""
    return ", ".join(filter(None, (
        args.file or "all headers", args.rooms and f"rooms {args.rooms}",
        args.lines != ALL_LINES and f"lines {args.lines}",
        args.since and f"changed since {args.since}",
        args.sample and f"sample {args.sample} of seed {args.seed}",
        args.again and "survivors",
        args.effort and f"effort {args.effort}",
        args.shortest >= 0 and f"tests of more than {args.shortest:g} s",
        args.longest < ALL_TESTS and f"tests of at most {args.longest:g} s",
        args.tests and f"tests like {args.tests}")))


def used():
    """Seconds of the processor so far, with those of the programs."""
    return sum(resource.getrusage(who).ru_utime + resource.getrusage(who
               ).ru_stime for who in (resource.RUSAGE_SELF,
                                      resource.RUSAGE_CHILDREN))


def stopped(args):
    """The line of a run of the same choice that was stopped, if there is one;
    --again finds what is left by itself."""
    slice_, of = map(int, args.slice.split("/"))
    return [] if args.again or not args.record.exists() else [
        run_ for run_ in records(args.record) if run_.get("untried") and
        (run_["choice"], run_["slice"], run_["of"]) ==
        (choice(args), slice_, of)]


class Record:
    """The line of a run in the record, and what it changes in the others."""

    def __init__(self, args, todo):
        self.args, self.killers = args, collections.Counter()
        slice_, of = map(int, args.slice.split("/"))
        self.run = {"commit": commit(), "slice": slice_, "of": of,
                    "choice": choice(args), "counts": collections.Counter()}
        self.before = records(args.record) if args.record.exists() else []
        self.survivors, self.seconds = set(), 0
        for old in stopped(args):
            self.before.remove(old)
            self.survivors |= set(old["survivors"])
            self.killers.update(old["killers"])
            self.run["counts"].update(old["counts"])
            self.seconds += old["seconds"]
        self.untried = {f"{m.file}: {key(m)}" for m in todo}
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, *_):
        self.save()
        os._exit(128 + signal.SIGTERM)  # without waiting for the tests

    def note(self, name, what, killer):
        self.untried.discard(name)
        self.killers[killer] += bool(killer)
        self.run["counts"][what] += 1
        if what == "survived":
            self.survivors.add(name)
        if self.args.again:
            for run_ in self.before:
                for where in ("survivors", "untried"):
                    if name in run_.get(where, ()):
                        run_[where].remove(name)
        if sum(self.run["counts"].values()) % SAVES == 0:
            self.save()

    def save(self):
        run_ = {**self.run, "seconds": round(self.seconds + used()),
                "killers": dict(+self.killers),
                "survivors": sorted(self.survivors)}
        if self.untried and not self.args.again:
            run_["untried"] = sorted(self.untried)
        self.args.record.parent.mkdir(parents=True, exist_ok=True)
        new = self.args.record.with_suffix(".new")
        new.write_text("".join(json.dumps(one) + "\n"
                               for one in [*self.before, run_]),
                       encoding="utf-8")
        os.replace(new, self.args.record)


def report(results, known, record, out):
    """Prints the survivors and keeps the record."""
    for mutant, what in results:
        what, _, killer = what.partition(" ")
        name = key(mutant)
        if what == "survived" and name in known:
            what = "explained"
        record.note(f"{mutant.file}: {name}", what, killer)
        if what == "survived":
            print(f"{mutant.file}:{mutant.line + 1}: survived: {name}",
                  file=out, flush=True)
    record.save()
    counts = record.run["counts"]
    total = sum(counts.values()) - counts["invalid"]
    print(f"{total} mutants" + "".join(f", {n} {what}" for what, n in
                                       sorted(counts.items())), file=out)
    return bool(record.survivors) or not total


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slice", default="1/1")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--file", choices=NAMES)
    parser.add_argument("--lines", default=ALL_LINES)
    parser.add_argument("--record", type=pathlib.Path, default=RECORD)
    parser.add_argument("--shortest", type=float, default=-1)
    parser.add_argument("--longest", type=float, default=ALL_TESTS)
    parser.add_argument("--tests", default="")
    parser.add_argument("--effort", type=int, default=0)
    parser.add_argument("--rooms")
    parser.add_argument("--since")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("--summary")
    return parser.parse_args()


def room_lines(file, names):
    """The lines of the rooms of a header: "plan/swizzle,engine/"."""
    text = header(file).read_text(encoding="utf-8")
    found, lines = set(), set()
    for room, _, start, end in source.rooms(text):
        for name in names.split(","):
            if room == name or name.endswith("/") and room.startswith(name):
                found.add(name)
                lines |= set(range(source.line_of(text, start),
                                   source.line_of(text, end)))
    if found != set(names.split(",")):
        sys.exit(f"mutate: {file} has no rooms {names}")
    return lines


def newer(since):
    """The functions and macros that differ from those of a commit."""
    found = set()
    for name in NAMES:
        said = subprocess.run(["git", "diff", "-U0", since, "--",
                               source.PLACES[name]],
                              cwd=ROOT, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        if said.returncode:
            sys.exit(f"mutate: there is no commit {since}")
        where, _ = places(source.bare(header(name).read_text()).split("\n"))
        for m in re.finditer(r"^@@ .*\+(\d+)(?:,(\d+))? @@", said.stdout, re.M):
            first, lines = int(m[1]) - 1, max(1, int(m[2] or 1))
            found |= {(name, where.get(first + k)) for k in range(lines)}
    return found


def chosen(everything, args):
    """The mutants of this run."""
    first, last = map(int, args.lines.split("-"))
    if args.rooms:
        args.file = args.file or "ll.h"
        within = room_lines(args.file, args.rooms)
    slice_, of = map(int, args.slice.split("/"))
    if not 1 <= slice_ <= of:
        sys.exit(f"mutate: there is no slice {args.slice}")
    some = [m for m in everything if args.file in (None, m.file) and
            first <= m.line + 1 <= last and
            (not args.rooms or m.line + 1 in within)]
    if args.since:
        new = newer(args.since)
        some = [m for m in some if (m.file, m.where) in new]
    if args.again:
        left = survivors_of(records(args.record))
        some = [m for m in some if f"{m.file}: {key(m)}" in left]
    some = some[slice_ - 1::of]
    if args.sample and args.sample < len(some):
        some = random.Random(args.seed).sample(some, args.sample)
        some.sort(key=lambda m: (m.file, m.line))
    left = {name for run_ in stopped(args) for name in run_["untried"]}
    return [m for m in some if not left or f"{m.file}: {key(m)}" in left]


def main():
    global EFFORT
    args = options()
    EFFORT = args.effort
    if args.summary:
        return summary(args.summary)
    everything = [m for name in NAMES for m in mutants(header(name))]
    known = explained()
    for name in sorted(set(known) - {key(m) for m in everything}):
        sys.exit(f"mutate: an explanation of no mutant: {name}")
    todo = chosen(everything, args)
    print(f"{len(todo)} of {len(everything)} mutants", flush=True)
    if args.count or not todo:
        return not todo
    WORK.mkdir(parents=True, exist_ok=True)
    return report(judged(todo, args), known, Record(args, todo), sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
