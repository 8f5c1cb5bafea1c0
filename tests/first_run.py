#!/usr/bin/env python3
"""first_run.py - what `make run` says on machines that lack something.

Runs examples/run.sh with programs that pretend: nvidia-smi with an old driver,
an nvcc that fails or builds a kernel that fails, a compiler that is not there.
It must say what is wrong in one line, end as it should, and show the table of
the emulator wherever that can run. Its first line comes within five seconds.

Runs a copy of tests/setup.sh too, with an apt-get, an id and a sudo that pretend:
it says what it installs before it does, and everything that is missing at once.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SMI = """#!/bin/sh
[ "$1" = -L ] && { echo 'GPU 0: NVIDIA Tester'; exit; }
echo '| NVIDIA-SMI 550.54    Driver Version: 550.54    CUDA Version: %s |'
"""
NVCC = """#!/bin/sh
[ "$1" = --version ] && { echo 'Cuda tools, release 13.0, V13.0.88'; exit; }
%s
"""
BUILDS = r"""while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
printf '#!/bin/sh\necho cudaMalloc: %s; exit 1\n' "$SAYS" >"$out"
chmod +x "$out"
"""
TABLE = r"^layout +0 "
OLD = "The GPU cannot run it: its driver is for CUDA 12.4, and nvcc is of CUDA " \
      "13.0. The emulator runs it."
CASES = [ # what it is, CUDA of the driver, nvcc, variables, lines, exit status
    ("an old driver", "12.4", "exit 9", {}, [re.escape(OLD), TABLE], 0),
    ("a newer CUDA 13", "13.2", "echo unsupported gpu; exit 9", {},
     ["The GPU cannot run it: nvcc does not build for it: unsupported gpu. The",
      TABLE], 0),
    ("another name for the driver's", "x CUDA UMD Version: 12.8", "exit 9", {},
     ["its driver is for CUDA 12.8,", TABLE], 0),
    ("a kernel that fails", "13.0", BUILDS, {"SAYS": "no device"},
     ["The GPU cannot run it: cudaMalloc: no device. The emulator", TABLE], 0),
    ("no GPU", "", "exit 9", {"GPU": ""}, [TABLE], 0),
    ("no C++ compiler", "", "exit 9", {"GPU": "", "CXX": "no-c++"},
     ["data goes through shared memory",
      r"^run: no-c\+\+ is missing: the emulator needs a C\+\+ compiler; "
      r"install g\+\+, or name another: make run CXX=clang\+\+$"], 2),
    ("no C compiler", "", "exit 9", {"GPU": "", "CC": "no-cc"},
     [r"^run: no-cc is missing: install a C and a C.. compiler, as gcc and "
      r"g\+\+, or name others: make run CC=clang CXX=clang\+\+$"], 2),
]
APT = """#!/bin/sh
[ "$1 $2" != "install --assume-no" ] || { printf "%s"; exit 1; }
exit %d
"""
OLD_APT = "Need to get 62.3 MB/63 MB of archives.\\nAfter this operation, " \
          "231 MB of additional disk space will be used.\\n"
NEW_APT = "  Download size: 70.1 MB\\n  Space needed: 301 MB / 74 GB available\\n"
TO_INSTALL = ["^setup: to install with apt-get: no-cc no-c.. .details: build/"]
ABSENT = [r"^setup: apt-get did not install no-cc no-c.. .is there a network"]
SETUPS = [ # what it is, who, what apt-get says, its exit status, lines in order
    ("no root", 1000, "", 0, ["^setup: no permission to install packages; run "
     "as root: apt-get update && apt-get install --no-install-recommends no-cc "
     r"no-c\+\+ $"]),
    ("no network", 0, "", 100, TO_INSTALL + ABSENT),
    ("an old apt-get", 0, OLD_APT, 0, TO_INSTALL +
     [r"^setup: installing no-cc no-c\+\+ .62.3 MB to fetch, 231 MB on disk.$"] +
     ABSENT),
    ("a new apt-get", 0, NEW_APT, 0, TO_INSTALL +
     [r"^setup: installing no-cc no-c\+\+ .70.1 MB to fetch, 301 MB on disk.$"] +
     ABSENT),
]


def pretended(folder, driver, nvcc):
    """A folder with programs that pretend."""
    folder.mkdir()
    for name, text in (("nvidia-smi", SMI % driver), ("nvcc", NVCC % nvcc)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def started(variables, programs):
    """The exit status, the output, and the seconds to the first line."""
    variables = {**os.environ, "READY": "1", "MAKEFLAGS": "", **variables,
                 "PATH": f"{programs}:{os.environ['PATH']}"}
    if "GPU" not in variables or variables["GPU"]:
        variables.pop("GPU", None)
    start, first, text = time.time(), None, ""
    with subprocess.Popen(["sh", "examples/run.sh"], cwd=ROOT, env=variables,
                          text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        for line in process.stdout:
            first = time.time() - start if first is None else first
            text += line
    return process.returncode, text, first or 0


def faults(case, folder):
    """What is wrong with the output of a case."""
    name, driver, nvcc, variables, lines, status = case
    (ROOT / "build/gpu/transpose").unlink(missing_ok=True)
    code, text, first = started(variables, pretended(folder, driver, nvcc))
    (ROOT / "build/gpu/transpose").unlink(missing_ok=True)
    if code != status:
        yield f"exit status {code}, not {status}\n{text}"
    for line in lines:
        if len(re.findall(line, text, re.M)) != 1:
            yield f"there is not one line {line}\n{text}"
    if status == 0 and not re.search(r"^next: .*\n\Z", text, re.M):
        yield "it does not end with what to do next"
    if first > 5:
        yield f"the first line comes after {first:.1f} s"


def set_up(case, folder):
    """What is wrong with the output of setup.sh where compilers are missing."""
    name, user, says, status, lines = case
    (folder / "tests").mkdir(parents=True)
    shutil.copy(ROOT / "tests/setup.sh", folder / "tests")
    for tool, text in (("apt-get", APT % (says, status)), ("sudo", "exit 1\n"),
                       ("id", f"echo {user}\n")):
        (folder / tool).write_text(f"#!/bin/sh\n{text}")
        (folder / tool).chmod(0o755)
    done = subprocess.run(
        ["sh", folder / "tests/setup.sh", "build"], check=False, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "CC": "no-cc", "CXX": "no-c++ -O1",
             "PATH": f"{folder}:{os.environ['PATH']}"})
    if done.returncode != 3:
        yield f"{name}: exit status {done.returncode}, not 3\n{done.stdout}"
    found = [[i for i, text in enumerate(done.stdout.splitlines())
              if re.search(line, text)] for line in lines]
    if [len(places) for places in found] != [1] * len(lines) or \
       sorted(found) != found:
        yield f"{name}: not these lines in this order: {lines}\n{done.stdout}"


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(CASES):
            wrong += [f"{case[0]}: {fault}" for fault in
                      faults(case, pathlib.Path(folder) / str(number))]
        for number, case in enumerate(SETUPS):
            wrong += set_up(case, pathlib.Path(folder) / f"set-up-{number}")
    print("".join(f"FAIL {what}\n" for what in wrong), end="")
    print(f"{max(len(CASES + SETUPS) - len(wrong), 0)} passed, {len(wrong)} failed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
