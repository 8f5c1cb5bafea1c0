#!/usr/bin/env python3
"""fail.py - programs that must not compile, and say why in one sentence.

Each file of tests/fail names in its first line the sentence to be printed. A
line `// and: SENTENCE` names a second one, `// shows: REGEX` what else the
compiler must say, `// at: BEGINNING` the line that the error must name. The
file is compiled twice: as it is, when every error that the compiler reports
must be one of these sentences, once each, and with -DTWIN, which takes the
mistake out, when it must compile: so nothing but the mistake is the reason.
Files .cpp go to g++, clang++ and nvcc; files .cu to nvcc alone, for sm_90 or
what a line `// arch: NAME` says. CXX, CLANGXX and NVCC name other compilers;
one that is not there is skipped. Every error of LL_ERRORS has a file with its
whole sentence.

    fail.py [--alone]

g++ compiles each mistake alone, with precompiled headers. For clang++ and nvcc
all files that include the same header are one program, each in a namespace:
what is said is divided among them, and a file whose part is not as it should be
is compiled alone, which decides. No error shows a macro's long expansion. --alone has every compiler do so with all.
Twins are compiled as one too, and one by one if that fails.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests/fail"
FLAGS = ["-I", str(ROOT)]

# Fewer errors in LL_ERRORS mean that the list was not understood.
LEAST_ERRORS = 40

# The characters of the longest line that nvcc may show below an error.
LONGEST = 1000

# The compilers that see mistakes together, and how they are made to tell all.
LIMIT = {"clang++": ["-ferror-limit=0"],
         "nvcc": ["-Xcudafe", "--error_limit=1000"]}

# Errors that no LL_LAYOUT or LL_PLAN can meet, and why.
UNREACHED = {
    "LL_ECOPY": "only ll_tile_copied gives it: copy_access.cu",
    "LL_ETABLE": "only ll_table prints it",
}


def compilers():
    """Name, command and file suffixes of each compiler that is there."""
    cxx = os.environ.get("CXX", "g++")
    clang = os.environ.get("CLANGXX", "clang++")
    nvcc = os.environ.get("NVCC", "nvcc")
    strict = ["-std=c++14", "-Wall", "-Wextra", "-Wpedantic", "-fsyntax-only"]
    kernel = ["-std=c++17", "-x", "cu", "-arch=sm_90", "-ptx", "-o", os.devnull]
    host = {".cpp": "c++"}
    return [("g++", [cxx, *FLAGS, *strict], host),
            ("clang++", [clang, *FLAGS, *strict], host),
            ("nvcc", [nvcc, *FLAGS, *kernel], {".cpp": "cu", ".cu": "cu"})]


def for_target(command, path):
    """The command, for the target of nvcc that a file names."""
    named = re.search(r"^// arch: (\w+)$", path.read_text(), re.M)
    return [f"-arch={named[1]}" if named and word.startswith("-arch=") else word
            for word in command]


def compile_one(command, path, *flags):
    """The exit status and everything that the compiler said."""
    done = subprocess.run([*command, *flags, str(path)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def includes(path):
    """The lines of a file that include headers, and what they are to have."""
    wanted = (r"^#(?:include .*|define LL_(?:ENGINE|SORTS|CLUSTERS|VIEWS|RESHARD)$|"
              r"define LL_(?:TENSOR|MATRIX|PTX_ANY).*)")
    return "\n".join(re.findall(wanted, path.read_text(), re.M))


def joined(files, folder):
    """One program of files that include the same, each in a namespace and
    without macros for the next one."""
    lines = [includes(files[0])]
    for n, file in enumerate(files):
        macros = re.findall(r"^#define (?!LL_)(\w+)", file.read_text(), re.M)
        lines += [f'namespace n{n} {{\n#include "{file}"\n}}',
                  *(f"#undef {macro}" for macro in dict.fromkeys(macros))]
    source = pathlib.Path(folder) / "joined.cpp"
    source.write_text("\n".join(lines) + "\n")
    return source


def together(command, files):
    """These files, if their twins compile as one; or none of them."""
    with tempfile.TemporaryDirectory() as folder:
        status, _ = compile_one(command, joined(files, folder), "-DTWIN")
    return set(files) if status == 0 else set()


def divided(said, files):
    """What a compiler said of a program of these files, by file; None if an
    error is not of exactly one file."""
    parts = dict.fromkeys(files, "")
    heads = r"^(?=In file included|\S+: (?:fatal )?(?:error|warning)\b)"
    message = ""
    for start in re.split(heads, said, flags=re.M):
        message += start
        if re.fullmatch(r"(In file included.*\s*|\s+from .*\s*)*", message):
            continue
        own = [f for f in files
               if re.search(rf"{re.escape(str(f))}\b", message)]
        if len(own) == 1:
            parts[own[0]] += message
        elif re.search(r"\berror: ", message):
            return None
        message = ""
    return parts


def told(command, limit, files):
    """The files whose mistakes are told as they should be in one program of
    all; `limit`: the flags that have the compiler show every error."""
    with tempfile.TemporaryDirectory() as folder:
        status, said = compile_one(command, joined(files, folder), *limit)
    parts = divided(said, files) if status else None
    return {f for f in files if parts and not verdict(f, parts[f])}


def precompiled(command, headers, folder):
    """The command with its headers read before a file; as it is where the
    compiler cannot prepare them."""
    header = folder / f"{len(list(folder.iterdir()))}.h"
    header.write_text(headers + "\n")
    command = [word for word in command if word != "-fsyntax-only"]
    done, _ = compile_one([*command, "-x", "c++-header", "-o", f"{header}.gch"],
                          header)
    return [*command, "-fsyntax-only"] + ["-include", str(header)] * (not done)


def in_groups(jobs, pool, alone, folder):
    """The jobs of judge, with the files whose mistakes are told and whose twins
    compile in a program of all that include the same."""
    groups = {}
    for name, command, path in jobs:
        group = groups.setdefault((name, includes(path), *command),
                                  (command, []))
        group[1].append(path)
    twins = {group: pool.submit(together, *what)
             for group, what in groups.items()}
    mistakes = {group: pool.submit(told, what[0], LIMIT[group[0]], what[1])
                for group, what in groups.items()
                if group[0] in LIMIT and not alone}
    commands = {group: precompiled(what[0], group[1], folder)
                if group[0] == "g++" else what[0]
                for group, what in groups.items()}
    return [(job[0], commands[group], job[2],
             mistakes[group].result() if group in mistakes else set(),
             twins[group].result())
            for job in jobs for group in [(job[0], includes(job[2]), *job[1])]]


def verdict(path, said):
    """Why what a compiler said of a file is not as it should be, or ''."""
    text = path.read_text()
    wanted = [text.splitlines()[0].removeprefix("// ")]
    wanted += re.findall(r"^// and: (.*)$", text, re.M)
    errors = [line for line in said.splitlines()
              if re.search(r"\berror\b", line)
              and not re.match(r"[\s\d|]*#error\b", line) # the line itself
              and not re.search(r"\d errors? (generated|detected)", line)]
    others = [e for e in errors if not any(w in e for w in wanted)]
    times = [sum(w in e for e in errors) for w in wanted]
    if others or 0 in times:
        return f"expected {wanted}, got\n" + "\n".join(others or [said])
    if max(times) > 1:
        return "a mistake is told more than once\n" + "\n".join(errors)
    for line in re.findall(r"\berror\b.*\n(.*)", said):
        if len(line) > LONGEST:
            return f"a line of {len(line)} characters is shown"
    for shown in re.findall(r"^// shows: (.*)$", text, re.M):
        if not re.search(shown, said):
            return f"expected to be shown {shown}, got\n{said}"
    # A sentence without a name of the user's: the notes below tell it. Where
    # there is none, they lead to the line, which `// at: BEGINNING` asks for.
    names = re.findall(r"LL_(?:LAYOUT|\w*PLAN\w*|ASSIGN|SCOPE|DESCRIPTOR|"
                       r"TENSOR_MAP|TWIDDLE|INSTRUCTION)\((\w+)", text)
    names = names + ["TURN"] if names else [path.name]
    for at in re.findall(r"^// at: (.*)$", text, re.M):
        line = next(n for n, of in enumerate(text.splitlines(), 1)
                    if of.startswith(at))
        names = [f"{path.name}({line})", f"{path.name}:{line}:",
                 f"at line {line} of {path}"]
    if not any(n in said for n in names):
        return "no name of the user's is in the message"
    return ""


def judge(_, command, path, mistakes=(), twins=()):
    """Why the file is not as it should be with this compiler, or ''; of those
    in `mistakes` and `twins` that half is known to be right."""
    if path not in mistakes:
        status, said = compile_one(command, path)
        why = verdict(path, said) if status else "it compiles"
        if why:
            return why
    if path in twins:
        return ""
    status, said = compile_one(command, path, "-DTWIN")
    return f"its twin does not compile\n{said}" if status else ""


def sentences(text):
    """The sentence of each error in the lists that LL_ERRORS is made of."""
    def body(name):
        start = re.search(rf"^#define {name}\(.*\n", text, re.M)
        if not start:
            sys.exit(f"fail.py: ll.h has no list {name}")
        return re.match(r"(?:.*\\\n)*.*\n", text[start.end():])[0]

    entries = "".join(map(body, re.findall(r"\bLL_\w+_ERRORS\b",
                                           body("LL_ERRORS"))))
    found = {code: "".join(re.findall(r'"([^"]*)"', words)) for code, words in
             re.findall(r'\bX\(\w+,\s*(LL_E\w+),[\s\\]*\d+,'
                        r'((?:[\s\\]|"[^"]*")*)\)', entries)}
    codes = set(re.findall(r"\bLL_E[A-Z0-9]+\b", entries))
    if len(found) < LEAST_ERRORS or codes != set(found) or \
            not all(found.values()):
        sys.exit(f"fail.py: {len(found)} errors were read from LL_ERRORS, at "
                 f"least {LEAST_ERRORS} were expected; not understood: "
                 f"{', '.join(sorted(codes - set(found))) or 'none'}")
    return found


def unlisted(wanted, files):
    """What is wrong with the files as a list of all errors: each error has one
    whose first line holds the whole sentence, except those in UNREACHED."""
    firsts = [f.read_text().splitlines()[0] for f in files]
    wrong = [f"{code}: it is in UNREACHED, but not in LL_ERRORS"
             for code in sorted(set(UNREACHED) - set(wanted))]
    for code, words in wanted.items():
        there = any(first.endswith(": " + words) for first in firsts)
        if there and code in UNREACHED:
            wrong.append(f"{code}: it has a file, so it can be reached")
        if not there and code not in UNREACHED:
            wrong.append(f"{code}: no file has its sentence: {words}")
    return wrong


def main():
    files = sorted(f for f in FOLDER.iterdir() if f.suffix in (".cpp", ".cu"))
    skipped, jobs = 0, []
    for name, command, suffixes in compilers():
        if shutil.which(command[0]):
            jobs += [(name, for_target(command, f), f)
                     for f in files if f.suffix in suffixes]
        else:
            print(f"skipped: {name} is not here")
            skipped += 1
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool, \
            tempfile.TemporaryDirectory() as folder:
        jobs = in_groups(jobs, pool, sys.argv[1:] == ["--alone"],
                         pathlib.Path(folder))
        for job, why in zip(jobs, pool.map(lambda j: judge(*j), jobs)):
            if why:
                failed += 1
                print(f"FAIL {job[2].name} with {job[0]}: {why}")
    wrong = unlisted(sentences((ROOT / "ll.h").read_text()), files)
    for line in wrong:
        print(f"FAIL {line}")
    passed = len(jobs) - failed + (not wrong)
    failed += bool(wrong)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
