#!/usr/bin/env python3
"""check.py - runs the parts of tests/parts.txt and shows its progress.

    check.py                all parts; installs what they need at the same time
    check.py NAME...        these parts; a name may contain *
    check.py --section X    the parts below [X]
    check.py --list         the names of all parts

With ALL=1 it also runs the parts of sections with the word `all`, and the parts
that have {all} leave nothing out: `make check-all`. With READY=1 nothing is
installed. JOBS: number of parts that run at once.
BUILD, RUN and SEARCH are make's. check.py builds a part; tests/run.sh runs it,
and keeps its log and counts. At least one line appears every 20 seconds.
"""
import fnmatch
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/parts.txt"
RESULTS = ROOT / os.environ.get("RESULTS", "build/check")
PROGRAMS = "build/emulated"
SILENCE = 20  # seconds
ALL = bool(os.environ.get("ALL"))
FUZZER = "int LLVMFuzzerTestOneInput(void) { return 0; }"


# ---- The table ---------------------------------------------------------------

class Part:
    """A row of the table, with its name filled in."""

    def __init__(self, name, source, row, section):
        self.name, self.row = name, row
        self.section, _, self.only = section.partition(" ")
        self.words = {"": name, "0": name.split("-")[0],
                      "1": name.split("-")[-1], "source": source,
                      "gfx": (re.findall(r"-gfx(\d+)", name) or [""])[0]}
        self.seconds = float(row[1])
        self.groups = row[2].split()
        self.needs = self.filled(row[3])
        self.build = self.filled(row[4])
        self.run = row[5] or "{p}"

    def filled(self, text):
        """The text with words in braces replaced."""
        words = {**self.words, **settings()}
        return re.sub(r"\{(\w*)\}", lambda m: words[m[1]], text)

    def command(self, program):
        """The shell command that runs the part."""
        self.words["p"] = program
        return self.filled(self.run)


def settings():
    """Settings of make and of the machine, by their words in braces."""
    of = os.environ.get
    return {"build": of("BUILD") or "host", "run": of("RUN") or "",
            "search": of("SEARCH") or "", "all": "all" if ALL else "",
            "every": "1" if ALL else "3",
            "make": of("MAKE") or "make",
            "cuda": str(cuda() or "build/cuda")}


def cuda():
    """Returns the folder of CUDA, or None."""
    places = [ROOT / "build/cuda/bin", "/usr/local/cuda/bin"]
    path = os.pathsep.join(map(str, [os.environ.get("PATH", ""), *places]))
    nvcc = shutil.which(os.environ.get("NVCC") or "nvcc", path=path)
    return nvcc and pathlib.Path(nvcc).resolve().parent.parent


def spread(text):
    """`{a,b}-c` as a-c and b-c."""
    braces = re.search(r"\{([^}]*)\}", text)
    if not braces:
        return [text]
    return [name for one in braces[1].split(",") for name in
            spread(text[:braces.start()] + one + text[braces.end():])]


def names(text):
    """The names of a row, each with its source file."""
    found = {}
    for word in text.split():
        if word.startswith("-"):
            found.pop(word[1:], None)
        elif "*" in word:
            found.update((path.stem, str(path.relative_to(ROOT)))
                         for path in sorted(ROOT.glob(word)))
        else:
            found.update((name, "") for name in spread(word))
    return found.items()


def read(text):
    """The parts, by their names."""
    section, found = "", {}
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[] ")
        elif line.strip() and not line.startswith("#"):
            row = [cell.strip() for cell in line.split("|")]
            if len(row) != 6:
                sys.exit(f"check.py: {len(row)} columns, not 6: {line}")
            for name, source in names(row[0]):
                if name in found:
                    sys.exit(f"check.py: there are two parts {name}")
                found[name] = Part(name, source, row, section)
    return found


def chosen(parts, wanted):
    """The parts that the command line asks for."""
    usual = [p for p in parts.values() if ALL or p.only != "all"]
    if not wanted:
        return usual
    if wanted[0] == "--section":
        picked = [p for p in usual if p.section in wanted[1:]]
    else:
        picked = [p for p in parts.values() if any(
            fnmatch.fnmatchcase(p.name, one) for one in wanted)]
    unknown = [one for one in wanted if one[0] != "-" and not any(
        fnmatch.fnmatchcase(p.name, one) or p.section == one for p in picked)]
    if unknown or not picked:
        sys.exit(f"check.py: there is no part {' '.join(unknown)} "
                 f"(--list names them)")
    return picked


# ---- Building ----------------------------------------------------------------

locks, guard = {}, threading.Lock()


def alone(target):
    """The lock of a target: two parts may need the same program."""
    with guard:
        return locks.setdefault(target, threading.Lock())


def environment():
    """The environment of a command, without make's job server."""
    kept = dict(os.environ)
    flags = re.sub(r"(^| )(-?\w*j\d*|--jobserver\S*|-j\d*)(?= |$)", " ",
                   kept.get("MAKEFLAGS", ""))
    kept.update(MAKEFLAGS=flags, READY="1")
    if cuda():
        kept["NVCC"] = str(cuda() / "bin/nvcc")
    return kept


def said(command):
    """Exit status and output of a command."""
    done = subprocess.run(command, cwd=ROOT, text=True, env=environment(),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, errors="replace")
    return done.returncode, done.stdout


def newer(program):
    """Is any source newer than this program of the emulator?"""
    path = ROOT / program
    if not path.exists():
        return True
    then = path.stat().st_mtime
    files = [*ROOT.glob("ll*.h"), *ROOT.glob("tests/emu/*"),
             *ROOT.glob("tools/**/*"), *ROOT.glob("examples/**/*"), *ROOT.glob("tests/gpu/*"),
             *ROOT.glob("bench/device/*.h")]
    return any(f.is_file() and f.stat().st_mtime > then for f in files)


def emulated(name, flags):
    """Builds a program for the emulator."""
    program = f"{PROGRAMS}/{name}"
    with alone(program):
        if not newer(program):
            return program, 0, ""
        made("build/emulator")
        (ROOT / PROGRAMS).mkdir(parents=True, exist_ok=True)
        return (program, *said(["sh", "tools/emulator/emucc", "-I.",
                                *shlex.split(flags), "-o", program]))


def made(target):
    """Builds a target of make."""
    with alone(target):
        make = shlex.split(settings()["make"])
        return (target, *said([*make, "-s", "--no-print-directory", "READY=1",
                               f"BUILD={settings()['build']}", target]))


def built(part, parts):
    """The program of a part, the exit status of its build and the output."""
    kind, _, rest = part.build.partition(" ")
    if kind == "of":
        return built(parts[rest], parts)
    if kind == "emucc":
        return emulated(part.name, rest)
    done = [made(target.lstrip("?")) for target in part.build.split()]
    done = [one for one, target in zip(done, part.build.split())
            if target[0] != "?" or not one[1]] # what may be missing
    bad = next((one for one in done if one[1]), None)
    return bad or (done or [("", 0, "")])[0]


# ---- What a part needs -------------------------------------------------------

def compiles(compiler, text, *flags):
    """Does a compiler accept this text?"""
    done = subprocess.run([*compiler.split(), "-x", "c", "-", *flags],
                          input=text, text=True, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    return done.returncode == 0


def lack(needs):
    """A sentence about what is missing, or an empty one."""
    kind, _, what = needs.partition(" ")
    there = {
        "": lambda: True,
        "command": lambda: all(map(shutil.which, what.split())),
        "file": lambda: (ROOT / what).exists(),
        "header": lambda: compiles(os.environ.get("CC", "gcc"),
                                   f"#include <{what}>\n", "-E"),
        "fuzzer": lambda: shutil.which("clang") and compiles(
            "clang", FUZZER, "-fsanitize=fuzzer,address", "-o", os.devnull),
    }[kind]()
    return "" if there else f"there is no {what or 'libFuzzer for clang'} here"


# ---- Running -----------------------------------------------------------------

class Progress:
    """Prints lines with `41 of 219`, at least one every SILENCE seconds."""

    def __init__(self, parts):
        self.lock, self.start = threading.Lock(), time.time()
        self.all, self.done, self.left = len(parts), 0, sum(
            p.seconds for p in parts)
        self.whole, self.last, self.running = self.left, self.start, {}
        self.doing = ""

    def remaining(self):
        """Minutes left, estimated from the parts so far."""
        gone, did = time.time() - self.start, self.whole - self.left
        if gone < 30 or not did:
            return ""
        return f", {max(1, round(gone / did * self.left / 60))} min left"

    def say(self, text):
        """Prints a line after the progress."""
        with self.lock:
            self.last = time.time()
            print(f"[{self.done} of {self.all}{self.remaining()}] {text}",
                  flush=True)

    def begins(self, part):
        self.running[part.name] = time.time()

    def ends(self, part, text):
        self.running.pop(part.name, None)
        with self.lock:
            self.done += 1
            self.left -= part.seconds
        self.say(text)

    def beat(self):
        """Says what runs, if there was no line for SILENCE seconds."""
        if time.time() - self.last >= SILENCE:
            now = time.time()
            what = [f"{name} ({now - since:.0f} s)"
                    for name, since in list(self.running.items())]
            self.say("running: " + ", ".join(what + [self.doing] * bool(
                self.doing)))


def carried_out(part, parts):
    """Builds and runs a part; returns the text to print."""
    missing = lack(part.needs)
    if missing:
        return said(["sh", "tests/run.sh", part.name, "--skip", missing])[1]
    start = time.time()
    program, status, text = built(part, parts)
    seconds = time.time() - start
    log = RESULTS / f"{part.name}.build"
    log.write_text(text)
    if status:
        command = f"cat {shlex.quote(str(log))}; echo does not compile; exit 1"
    else:
        command = part.command(program)
    text = said(["sh", "tests/run.sh", part.name, "sh", "-c", command])[1]
    return text.rstrip() + f" after {seconds:.0f} s of building" * (
        seconds >= 1)


def run(part, parts, progress):
    """Runs a part in its own thread; counts it even if check.py fails."""
    try:
        text = carried_out(part, parts)
    except Exception as fault:  # pylint: disable=broad-except
        text = f"{part.name}: check.py: {fault!r}"
    progress.ends(part, text.rstrip())


class Groups:
    """The groups of tests/setup.sh, installed one after another."""

    def __init__(self, parts, progress):
        wanted = ["build", "check"] + [g for p in parts for g in p.groups]
        self.queue = list(dict.fromkeys(wanted))
        self.ready = {group: threading.Event() for group in self.queue}
        self.progress = progress

    def install(self):
        """Installs all. Parts that still lack something say so themselves."""
        for group in self.queue:
            if not os.environ.get("READY"):
                self.progress.doing = f"installing for `{group}`"
                text = said(["sh", "tests/setup.sh", group])[1].strip()
                if text:
                    self.progress.say(text)
            self.ready[group].set()
        self.progress.doing = ""

    def there(self, part):
        return all(self.ready[g].is_set() for g in
                   ["build", "check", *part.groups])


def workers(parts, table, progress, groups):
    """Starts the longest part that is ready, while any is left."""
    waiting = sorted(parts, key=lambda p: -p.seconds)
    threads = []
    jobs = int(os.environ.get("JOBS") or os.cpu_count() or 2)
    while waiting or threads:
        threads = [t for t in threads if t.is_alive()]
        able = [p for p in waiting if groups.there(p)]
        if able and len(threads) < jobs:
            waiting.remove(able[0])
            progress.begins(able[0])
            threads.append(threading.Thread(
                target=run, args=(able[0], table, progress)))
            threads[-1].start()
            continue
        time.sleep(0.05)
        progress.beat()


def main():
    table = read(TABLE.read_text())
    if sys.argv[1:] == ["--list"]:
        print("\n".join(table))
        return 0
    parts = chosen(table, sys.argv[1:])
    RESULTS.mkdir(parents=True, exist_ok=True)
    for part in parts:
        (RESULTS / f"{part.name}.sum").unlink(missing_ok=True)
    progress = Progress(parts)
    groups = Groups(parts, progress)
    installer = threading.Thread(target=groups.install)
    installer.start()
    workers(parts, table, progress, groups)
    installer.join()
    sums = subprocess.run(["sh", "tests/run.sh", "--sum",
                           *(p.name for p in parts)], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE)
    if not sys.argv[1:] and len(parts) < len(table):
        print(f"`make check-all` runs {len(table) - len(parts)} more parts")
    print(sums.stdout, end="")
    return sums.returncode


if __name__ == "__main__":
    sys.exit(main())
