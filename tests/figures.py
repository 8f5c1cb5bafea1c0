#!/usr/bin/env python3
"""figures.py - is every recorded figure of the code that is here?

Each file of bench/results names its commit. That commit must be in the history
of HEAD, without `-dirty`, and what the file measures must not have changed
since: the files of MEASURED and all that they include, compared without
comments, white space, and the rooms behind a macro of ASKED_FOR that none of
these files defines. A file may have moved since: git says where to, and paths
inside it, such as those of includes, count as the files that they name. A file
that MEASURED does not know fails, and so does a row of MEASURED without a
source. Without a repository nothing can be said.

The self-test commits sources and figures into a scratch repository and must see
each fault that it plants there.
"""
import ast
import fnmatch
import json
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = "bench/results"

# What a file of bench/results measures; `None` if it is made of other files
# there. Scripts that build and tabulate (run.sh, report/) are not among them.
# `!` takes files out that rows before it name: bench/examples.py leaves out what
# needs a library.
MEASURED = {
    "gpu-*.json": ["bench/device/transpose.cu",
                   "bench/peers/triton_transpose.py"],
    "convert-*.json": ["bench/device/convert.cu",
                       "bench/device/convert_part.cu",
                       "bench/device/convert_cub.cu",
                       "bench/peers/triton_convert.py"],
    "gather-*.json": ["bench/device/convert.cu", "bench/device/gather.cu",
                      "bench/peers/triton_convert.py"],
    "attention-*.json": ["bench/device/attention.cu",
                         "bench/device/attention_decode.cu",
                         "bench/device/attention_shapes.cu"],
    "scaled-*.json": ["bench/device/matmul_scaled.cu",
                      "bench/peers/scaled.py"],
    "grouped-*.json": ["bench/device/matmul_grouped.cu",
                       "bench/peers/grouped.py"],
    "kernels-*.json": ["bench/device/kernels.cu", "bench/peers/kernels.py",
                       "bench/peers/triton_rows.py", "bench/peers/timing.py",
                       "bench/peers/wrong.py", "bench/peers/entries.py"],
    "more-*.json": ["bench/device/more.cu", "bench/peers/more.py",
                    "bench/peers/triton_rows.py",
                    "bench/peers/triton_quantise.py", "bench/peers/timing.py",
                    "bench/peers/wrong.py", "bench/peers/entries.py"],
    "benchmarks-*.json": ["bench/peers/benchmarks.py",
                          "bench/peers/triton_rows.py",
                          "bench/peers/grouped.py",
                          "bench/device/matmul_hopper.cu",
                          "bench/device/matmul_grouped.cu",
                          "bench/device/matmul_sync.cu",
                          "bench/device/paper_rows.cu",
                          "bench/device/attention.cu", "bench/device/more.cu",
                          "examples/torch/lowbit.cu"],
    "reshard-*.json": ["bench/device/reshard.cu", "bench/peers/reshard.py"],
    "nccl-*.json": ["bench/device/reshard_nccl.cu"],
    "fused-*.json": ["bench/device/fused_*.cu", "bench/peers/fused_*.py",
                     "bench/peers/ranks.py"],
    "modelled-*.json": ["bench/device/reshard_model.cu"],
    "redistribute-*.json": ["examples/torch/redistribute.cu",
                            "examples/torch/redistribute.c",
                            "examples/torch/compare_redistribute.py"],
    "lowbit-*.json": ["bench/device/lowbit.cu",
                      "bench/device/matmul_hopper.cu",
                      "bench/peers/lowbit_peers.py", "bench/peers/timing.py"],
    "matmul-*.json": ["bench/device/matmul_hopper.cu",
                      "bench/device/matmul_sync.cu"],
    "mixed-*.json": ["bench/device/mixed.cu", "bench/device/mixed_pair.cu"],
    "matmul-sass.txt": ["examples/kernels/matmul/matmul.cu",
                        "examples/kernels/matmul/matmul_hopper.cu",
                        "examples/kernels/matmul/matmul_scaled.cu",
                        "examples/kernels/matmul/matmul_lowbit.cu",
                        "examples/kernels/attention/attention.cu",
                        "examples/kernels/attention/attention_fp8.cu"],
    "profile-*.json": ["examples/kernels/matmul/matmul*.cu",
                       "bench/conflicts.py"],
    "costs-*.json": ["bench/device/costs.cu"],
    "check-*.txt": ["tests/gpu/*.cu", "examples/kernels/move/transpose.cu",
                    "examples/kernels/matmul/matmul.cu",
                    "examples/kernels/matmul/matmul_hopper.cu",
                    "examples/kernels/matmul/matmul_lowbit.cu"],
    "torch-*.txt": ["examples/torch/compare.py", "examples/torch/binding.cpp",
                    "examples/torch/softmax.cu", "examples/torch/rms_norm.cu",
                    "examples/torch/attention_*.cu",
                    "examples/torch/lowbit.cu"],
    "host-*.json": ["bench/host.cc"],
    "fresh-*.txt": ["tests/fresh.sh", "tests/setup.sh"],
    "compile-*.json": ["bench/compile/*.cu",
                       "examples/kernels/move/transpose.cu"],
    "examples-*.json": ["examples/*.cu",
                        "!examples/kernels/reshard/reshard_nccl.cu",
                        "bench/examples.py"],
    "constants-*.json": ["ll_ptx.h", "ll_amd.h", "bench/constants.py"],
    "conversions-*.json": ["ll_ptx.h", "bench/conversions.py"],
    "amd-counts.json": ["ll_amd.h", "bench/amd_counts.py",
                        "tests/data/triton_amd_counts.jsonl"],
    "held-out.txt": ["tests/held_out.c"],
    "engine.txt": ["tests/test_engine.c"],
    "reshard.txt": ["tests/test_reshard.c"],
    "fuzz-engine.txt": ["tests/fuzz/fuzz_engine.c", "tests/fuzz/fuzz.h"],
    "engine-optimal.txt": ["tests/data_engine_model.c", "tests/check_data.c",
                           "tests/engine_optimal.py"],
    "fuzz-text.txt": ["tests/fuzz/fuzz_text.c", "tests/fuzz/fuzz.h"],
    "fuzz-views.txt": ["tests/fuzz/fuzz_views.c", "tests/fuzz/fuzz.h"],
    "fuzz-notation.txt": ["tests/fuzz/fuzz_notation.c", "tests/fuzz/fuzz.h"],
    "fuzz-types.txt": ["tests/fuzz/fuzz_types.c", "tests/fuzz/fuzz.h"],
    "engine-*.json": ["bench/engine.py", "bench/engine/*.txt",
                      "tools/engine/engine.c"],
    "held-out-*.json": ["bench/device/convert.cu", "bench/device/held_out.cu",
                        "tests/held_out.c"],
    "amd-codeobjects.txt": ["examples/*.hip", "tests/matmul_amd.py",
                            "tests/lessons_amd.py"],
    "same-code.txt": None,
    "*.svg": None,
    "*.md": None,
}
# A record stands where the program is not here that can make it anew: a new
# Debian has no debootstrap, and makes the record of itself while it checks.
MADE_BY = {"fresh-*.txt": "debootstrap"}
# Rooms of the headers that a file has only if it defines the macro; those of
# WERE are headers of their own now.
HEADERS = {"ll.h", "ll_ptx.h", "ll_amd.h"}
ASKED_FOR = ("LL_CLUSTERS", "LL_ENGINE", "LL_SORTS", "LL_TENSOR")
WERE = ("LL_RESHARD", "LL_VIEWS")
# What says instead that a room was not asked for: no file that compiles has it.
REFUSES = re.compile(r"[ \t]*#[ \t]*define[ \t]+\w+\(.*\)[ \t]+"
                     r"(LL_NO_\w+S_\(__VA_ARGS__, \)|LL_ABSENT_PART_\(NAME, "
                     r'"\w+"\))$')
ASKS = re.compile(r"#[ \t]*if(?:def)?\b.*\b(%s)\b" %
                  "|".join(ASKED_FOR + WERE))
TOKEN = re.compile(r"""
    (?P<comment>//(?:[^\\\n]|\\.|\\\n)*|/\*.*?\*/)
  | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<line>\\?\n)
  | (?P<blank>[ \t\r\f\v]+)
  | (?P<word>\w+) | (?P<other>.)""", re.X | re.S)
INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*")([^"]+)"', re.M)
IMPORT = re.compile(r"^(?:import|from) (\w+)", re.M)
PATH = re.compile(r"[\w-]+(?:/[\w.-]*\w)+")


class Fault(Exception):
    pass


class Repository:
    def __init__(self, root):
        self.root = root
        self.moved, self.names, self.texts = {}, {}, {}

    def git(self, *command):
        done = subprocess.run(["git", "-C", str(self.root), *command],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return None if done.returncode else done.stdout.decode(
            errors="replace")

    def is_one(self):
        top = self.git("rev-parse", "--show-toplevel")
        return bool(top) and pathlib.Path(top.strip()).samefile(self.root)

    def moves(self, commit):
        """Where files of a commit are now, of those that have moved since."""
        if commit not in self.moved:
            said = self.git("diff", "-M", "-l0", "--diff-filter=R", "-z",
                            "--name-status", commit, "HEAD").split("\0")
            self.moved[commit] = dict(zip(said[1::3], said[2::3]))
        return self.moved[commit]

    def paths(self, commit):
        """The files of a commit by their names now, and their names then."""
        if commit not in self.names:
            then = self.git("ls-tree", "-r", "--name-only",
                            commit).splitlines()
            moves = self.moves(commit)
            self.names[commit] = {moves.get(name, name): name for name in then}
        return self.names[commit]

    def place(self, commit, path, name):
        """The file that another one includes or imports, or None."""
        then = self.paths(commit)[path]
        folder = pathlib.PurePosixPath(then).parent
        for place in (posixpath.normpath(folder / name), name,
                      f"bench/{name}"):
            now = self.moves(commit).get(place, place)
            if self.paths(commit).get(now) == place:
                return now
        return None

    def text(self, commit, path):
        """A file, in which paths of other files are their names now."""
        if (commit, path) not in self.texts:
            moves, text = self.moves(commit), self.git(
                "show", f"{commit}:{self.paths(commit)[path]}")
            text = INCLUDE.sub(lambda found: found[1] + (
                self.place(commit, path, found[2]) or found[2]) + '"', text)
            self.texts[commit, path] = PATH.sub(
                lambda found: moves.get(found[0], found[0]), text)
        return self.texts[commit, path]


# ---- Sources without comments and white space -------------------------------

def without(text, asked):
    """The text without the rooms behind macros of ASKED_FOR, but for `asked`,
    and without what refuses to do without them."""
    kept, depth = [], 0
    gone, other = 0, 0  # the depth of a room that is left out, of its #else
    for line in text.split("\n"):
        directive = line.replace(" ", "").replace("\t", "")
        if directive.startswith("#if"):
            depth += 1
            found = ASKS.match(line.strip())
            if not gone and found and found[1] not in asked:
                gone = depth
        if directive.startswith(("#else", "#elif")) and depth == gone:
            gone, other = 0, depth
        elif directive.startswith("#endif") and depth == other:
            other = 0
        elif not gone and not REFUSES.match(line):
            kept.append(line)
        if directive.startswith("#endif"):
            if depth == gone:
                gone = 0
            depth -= 1
    return "\n".join(kept)


def c_tokens(text):
    """Words and signs; a blank counts only where it parts two of them, and the
    end of a line only behind a directive."""
    tokens, directive, fresh = [], False, True
    for found in TOKEN.finditer(text):
        kind, part = found.lastgroup, found.group()
        if kind == "line":
            if not part.startswith("\\"):
                if directive:
                    tokens.append("\n")
                directive, fresh = False, True
        elif kind not in ("comment", "blank"):
            directive = directive or (fresh and part == "#")
            fresh = False
            tokens.append(part)
    return tokens


def python_tokens(text):
    """The syntax tree without the texts that document it."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(
                body[0], ast.Expr) and isinstance(
                    body[0].value, ast.Constant) and isinstance(
                        body[0].value.value, str):
            body[0].value.value = ""
    return ast.dump(tree)


def tokens(path, text, asked):
    if path.endswith((".h", ".c", ".cc", ".cu", ".hip")):
        return c_tokens(without(text, asked))
    return python_tokens(text) if path.endswith(".py") else text.split()


# ---- What a figure measures -------------------------------------------------

def included(repository, commit, path):
    """The files of the repository that a file includes or imports."""
    text = repository.text(commit, path)
    if path.endswith(".py"):
        for module in IMPORT.findall(text):
            place = repository.place(commit, path, f"{module}.py")
            if place:
                yield place
    else:
        yield from (name for _, name in INCLUDE.findall(text)
                    if name in repository.paths(commit))


def sources(repository, commit, patterns):
    """The files that a row of MEASURED names, and all that they include."""
    found, left = set(), []
    for pattern in patterns:
        if pattern.startswith("!"):
            left = [path for path in left
                    if not fnmatch.fnmatch(path, pattern[1:])]
        else:
            left += fnmatch.filter(repository.paths(commit), pattern)
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += included(repository, commit, path)
    return found


# How a result says that something failed. Where `make run` must fail, its line
# names the case, as in `make run, no-network`.
FAILURE = re.compile(r'^FAIL|\b[1-9]\d* failed\b|"error_occurred": *true|'
                     r'^that broke a promise +[1-9]|'
                     r'^make \w+: exit status [1-9]', re.M)


def recorded(path):
    """The commit that a result says it is of. A result has no failures, and
    lacks no peer that could not be compiled."""
    text = path.read_text(errors="replace")
    if FAILURE.search(text):
        raise Fault("it records a failure")
    if path.suffix == ".json":
        context = json.loads(text).get("context", {})
        commit = context.get("commit", "")
        if context.get("not compiled"):
            raise Fault(f"peers are missing: {context['not compiled'][0]}")
    else:
        said = re.search(r"^commit +(\S+)$", text, re.M)
        commit = said[1] if said else ""
    if not re.fullmatch(r"[0-9a-f]{7,40}(-dirty)?", commit):
        raise Fault(f"it names no commit ({commit or 'nothing'})")
    if commit.endswith("-dirty"):
        raise Fault(f"it was measured on a changed tree, {commit}")
    return commit


def changed(repository, commit, patterns):
    """The sources that are not what they were."""
    before = sources(repository, commit, patterns)
    now = sources(repository, "HEAD", patterns)
    if not now:
        raise Fault(f"there is no {' or '.join(patterns)}")
    asked = {macro for at, paths in ((commit, before), ("HEAD", now))
             for path in paths - HEADERS for macro in ASKED_FOR + WERE
             if re.search(rf"#[ \t]*define[ \t]+{macro}\b|-D{macro}\b",
                          repository.text(at, path))}
    for path in sorted(before | now):
        if path not in before or path not in now or tokens(
                path, repository.text(commit, path), asked) != tokens(
                    path, repository.text("HEAD", path), asked):
            yield path


def same_code(folder, name, said):
    """The commit whose machine code bench/same.py found to be that of `said`,
    the commit of a record, or `said` itself."""
    path = folder / "same-code.txt"
    for line in path.read_text().splitlines() if path.exists() else []:
        if not re.fullmatch(r"\S+ [0-9a-f]{7,40} [0-9a-f]{7,40} [0-9a-f]{64}",
                            line):
            raise Fault(f"same-code.txt has the line `{line}`")
        record, before, after, _ = line.split()
        if not (folder / record).exists():
            raise Fault(f"same-code.txt names {record}, which is not there")
        if record == name and before != said:
            raise Fault(f"same-code.txt says it is of {before}, not {said}")
        if record == name:
            return after
    return said


def check(repository, path):
    """Raises Fault where the figure cannot be trusted."""
    row = next((row for row in MEASURED if fnmatch.fnmatch(path.name, row)),
               None)
    if row is None:
        raise Fault("tests/figures.py does not know what it measures")
    if MEASURED[row] is None:
        return
    measured = recorded(path)
    said = same_code(path.parent, path.name, measured)
    for name in (measured, said):
        commit = repository.git("rev-parse", "--verify", "-q",
                                name + "^{commit}")
        if commit is None:
            raise Fault(f"there is no commit {name} here")
        commit = commit.strip()
        if repository.git("merge-base", "--is-ancestor", commit,
                          "HEAD") is None:
            raise Fault(f"its commit {name} is not in the history of HEAD")
    stale = list(changed(repository, commit, MEASURED[row]))
    maker = MADE_BY.get(row)
    if stale and (maker is None or shutil.which(maker)):
        raise Fault(f"since its commit {said}, {', '.join(stale)} changed")


def faults(root):
    """(checks, faults) of all results of a repository."""
    repository, found = Repository(root), []
    results = sorted((root / RESULTS).iterdir())
    for path in results:
        try:
            check(repository, path)
        except (Fault, ValueError) as why:
            found.append(f"{RESULTS}/{path.name}: {why}")
    return len(results), found


# ---- Self-test --------------------------------------------------------------

SOURCE = '#include "../ll_ptx.h"\nint main() {}\n'
HEADER = "int one; /* as it was */\n#define TWO 2 // two\n"
# git starts no process that would write while the folder is deleted.
UNTENDED = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")


class Scratch:
    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.git("init", "-q", ".")
        for name in ("ll.h", "ll_ptx.h"):
            self.write(name, HEADER)
        self.write("bench/host.cc", SOURCE)
        self.write("ll_ptx.h", '#include "ll.h"\n' + HEADER)
        self.write("other.txt", "other\n")
        self.first = self.commit()
        self.record(self.first)

    def git(self, *command):
        return subprocess.run(
            ["git", "-C", str(self.root), "-c", "user.name=t", "-c",
             "user.email=t@example.com", *UNTENDED, *command], check=True,
            text=True, stdout=subprocess.PIPE).stdout.strip()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--no-gpg-sign", "--allow-empty", "-m", "c")
        return self.git("rev-parse", "--short", "HEAD")

    def record(self, commit, name="host-x.json", **more):
        self.write(f"{RESULTS}/{name}",
                   json.dumps({"context": {"commit": commit}, **more}))
        self.commit()

    def stands(self):
        return not faults(self.root)[1]

    def header(self, text):
        self.write("ll.h", text)
        self.commit()
        return self.stands()


def trials(scratch):
    """What is tried, whether the figure stood, and whether it should."""
    yield "as recorded", scratch.stands(), True
    yield "a comment", scratch.header(
        "/* now */ int one;\n#define  TWO\\\n 2 /* two\n */\n"), True
    yield "a name", scratch.header(HEADER.replace("one", "uno")), False
    yield "a value", scratch.header(HEADER.replace("2", "3")), False
    yield "a text", scratch.header(HEADER + 'char s[] = "// a";\n'), False
    room = "#ifdef LL_ENGINE\n#if 1\nint more;\n#endif\n#endif\n"
    yield "a room nobody asked for", scratch.header(HEADER + room), True
    refusal = ("#define LL_NO_X_S_(NAME, ...) LL_ABSENT_PART_(NAME, \"LL_X\")\n"
               "#define LL_PLAN(...) LL_NO_X_S_(__VA_ARGS__, )\n")
    yield "a refusal", scratch.header(HEADER + refusal), True
    yield "more than a refusal", scratch.header(
        HEADER + refusal.replace("\n", " int z;\n")), False
    yield "a line behind it", scratch.header(HEADER + room + "int z;\n"), False
    yield "any other room", scratch.header(
        HEADER + room.replace("_ENGINE", "_OTHER")), False
    yield "taken back", scratch.header(HEADER), True
    scratch.write("bench/host.cc", "#define LL_ENGINE\n" + SOURCE)
    scratch.record(scratch.commit())
    yield "it asks", scratch.stands(), True
    yield "a room that it asks for", scratch.header(HEADER + room), False
    scratch.header(HEADER)
    scratch.write("bench/host.cc", SOURCE)
    scratch.record(scratch.first)
    yield "back to the first", scratch.stands(), True
    scratch.write("other.txt", "another\n")
    scratch.commit()
    yield "another file", scratch.stands(), True
    scratch.header(HEADER.replace("one", "uno"))
    later = scratch.git("rev-parse", "--short", "HEAD")
    for what, before, name, should in (
            ("the same code later", scratch.first, "host-x.json", True),
            ("of another commit", later, "host-x.json", False),
            ("of no record", scratch.first, "host-y.json", False)):
        scratch.write(f"{RESULTS}/same-code.txt",
                      f"{name} {before} {later} {'0' * 64}\n")
        scratch.commit()
        yield what, scratch.stands(), should
    scratch.write(f"{RESULTS}/same-code.txt",
                  f"host-x.json {scratch.first} {later} {'0' * 64}\n")
    yield "other code than that", scratch.header(HEADER + "int more;\n"), False
    (scratch.root / RESULTS / "same-code.txt").unlink()
    scratch.header(HEADER)
    for name, commit in (("dirty", scratch.first + "-dirty"),
                         ("unknown", "unknown"), ("missing", "0123456789")):
        scratch.record(commit)
        yield name, scratch.stands(), False
    scratch.record(scratch.first, benchmarks=[{"error_occurred": True}])
    yield "a failure", scratch.stands(), False
    for missing in [], ["rows: no C compiler"]:
        scratch.write(f"{RESULTS}/host-x.json", json.dumps(
            {"context": {"commit": scratch.first, "not compiled": missing}}))
        scratch.commit()
        yield f"{len(missing)} peers missing", scratch.stands(), not missing
    scratch.record(scratch.first)
    scratch.write("tests/held_out.c", SOURCE)
    tested = scratch.commit()
    for name, text, should in (("none failed", "12 passed, 0 failed", True),
                               ("one failed", "11 passed, 1 failed", False),
                               ("a name", "FAIL a_name (1 checks)", False),
                               ("a promise", "that broke a promise    1",
                                False),
                               ("no promise", "that broke a promise    0",
                                True),
                               ("a command", "make check: exit status 2, 9 s",
                                False),
                               ("a case of make run that has to fail",
                                "make run, no-root: exit status 2, 1 s",
                                True)):
        scratch.write(f"{RESULTS}/held-out.txt",
                      f"commit   {tested}\n{text}\n")
        scratch.commit()
        yield name, scratch.stands(), should
    (scratch.root / RESULTS / "held-out.txt").unlink()
    long = SOURCE + "int main_has_no_work;\n" * 3
    scratch.write("examples/one.cu", long)
    scratch.write("examples/kernels/reshard/reshard_nccl.cu", SOURCE)
    scratch.record(scratch.commit(), "examples-x.json")
    (scratch.root / "examples/one.cu").unlink()
    scratch.write("examples/more/one.cu",
                  long.replace("../ll_ptx.h", "../../ll_ptx.h"))
    scratch.commit()
    yield "moved, with the path to what it includes", scratch.stands(), True
    for name, should in (("kernels/reshard/reshard_nccl.cu", True),
                         ("more/one.cu", False)):
        scratch.write(f"examples/{name}", SOURCE + "int more;\n")
        scratch.commit()
        yield f"examples/{name}", scratch.stands(), should
    (scratch.root / RESULTS / "examples-x.json").unlink()
    yield from moves(scratch)
    yield from releases(scratch)
    scratch.record(scratch.first, "nobody-knows.json")
    yield "a file that nobody knows", scratch.stands(), False
    (scratch.root / RESULTS / "nobody-knows.json").unlink()
    scratch.git("checkout", "-q", "--orphan", "else")
    scratch.record(scratch.first)
    yield "a commit of another history", scratch.stands(), False


def moves(scratch):
    """A source and a header that move, with the paths in them and without."""
    source = SOURCE + 'const char *const HERE = "bench/one.h";\n'
    source += "".join(f"int line_{k};\n" for k in range(20))
    scratch.write("bench/one.h", HEADER)
    scratch.write("bench/old.cu", '#include "one.h"\n' + source)
    scratch.record(scratch.commit(), "costs-x.json")
    for name in "old.cu", "one.h":
        (scratch.root / f"bench/{name}").unlink()
    there = '#include "inner/one.h"\n' + source.replace("../", "")
    for what, text, header, should in (
            ("a move", there.replace("bench/", "bench/inner/"), HEADER, True),
            ("an old path in a text", there, HEADER, False),
            ("a move and a value", there.replace("bench/", "bench/inner/"),
             HEADER.replace("2", "3"), False)):
        scratch.write("bench/inner/one.h", header)
        scratch.write("bench/device/costs.cu", text)
        scratch.commit()
        yield what, scratch.stands(), should
    (scratch.root / RESULTS / "costs-x.json").unlink()
    scratch.commit()


def releases(scratch):
    """A record of a new system, where such a system can be made and where not."""
    scratch.write("tests/fresh.sh", "one\n")
    scratch.write("tests/setup.sh", "one\n")
    commit = scratch.commit()
    scratch.write(f"{RESULTS}/fresh-x.txt", f"commit   {commit}\n0 failed\n")
    scratch.write("tests/setup.sh", "two\n")
    scratch.commit()
    for tool, should in (("git", False), ("no-such-program", True)):
        with mock.patch.dict(MADE_BY, {"fresh-*.txt": tool}):
            yield f"a new system, made by {tool}", scratch.stands(), should
    (scratch.root / RESULTS / "fresh-x.txt").unlink()
    scratch.commit()


def self_test():
    wrong, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for what, stood, should in trials(Scratch(folder)):
            count += 1
            if stood != should:
                wrong.append(f"self-test, {what}: the figure "
                             f"{'stands' if stood else 'is refused'}")
    return count, wrong


def main():
    if not Repository(ROOT).is_one():
        print("skipped: figures are compared with a repository's history\n"
              "0 passed, 0 failed, 1 skipped")
        return 0
    if Repository(ROOT).git("rev-parse", "--is-shallow-repository") == "true\n":
        print("skipped: a shallow clone has no history to compare with\n"
              "0 passed, 0 failed, 1 skipped")
        return 0
    (checks, found), (trial, wrong) = faults(ROOT), self_test()
    for line in found + wrong:
        print("FAIL", line)
    failed = len(found) + len(wrong)
    print(f"{checks + trial - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
