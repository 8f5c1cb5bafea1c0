#!/usr/bin/env python3
"""examples.py - compile time, registers and spills of each example.

    examples.py RESULT.json

Builds each .cu of examples/lessons and examples/kernels with the nvcc command
after its `Build:`, JOBS at a time (4). A row has the processor time, and the
most registers, bytes of stack and bytes spilled of its kernels, as reported by
ptxas. An example that needs another library is left out. NVCC names the
compiler.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NVCC = os.environ.get("NVCC", "nvcc")


def command(text):
    """The options and the file after `Build:`, or None."""
    text = text.partition(" */\n")[0]
    found = re.search(r"Build: .*?\bnvcc +(-.*?examples/[\w/]+\.cu)", text,
                      re.S)
    library = re.search(r"Build: (?:[^\n]*\\\n)*[^\n]* -l\w+", text)
    if not found or library:
        return None
    plain = re.sub(r"\[[^]]*\]", "", re.sub(r"\\?\n \*", " ", found[1]))
    return shlex.split(plain)


def counted(text):
    """The number of kernels, and their most registers, stack and spills."""
    def most(pattern):
        return max(map(int, re.findall(pattern, text)), default=0)
    return {"kernels": len(re.findall(r"Used \d+ registers", text)),
            "registers": most(r"Used (\d+) registers"),
            "stack_bytes": most(r"(\d+) bytes stack frame"),
            "spilled_bytes": most(r"(\d+) bytes spill stores")}


def row_of(path, folder):
    """The row of an example; None if it has no command."""
    options = command(path.read_text())
    if options is None:
        return None
    with open(pathlib.Path(folder) / f"{path.stem}.log", "w+") as log:
        child = subprocess.Popen(
            [NVCC, *options, "-Xptxas", "-v", "-o",
             str(pathlib.Path(folder) / path.stem)], cwd=ROOT, stdout=log,
            stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
        log.seek(0)
        text = log.read()
    if status:
        sys.exit(f"{path.name}: {text}")
    return {"name": path.name, "command": " ".join(options[:-1]),
            "seconds": round(used.ru_utime + used.ru_stime, 2),
            "MB": used.ru_maxrss // 1024, **counted(text)}


def main():
    sources = sorted([*(ROOT / "examples/lessons").glob("*.cu"),
                      *(ROOT / "examples/kernels").glob("*/*.cu")],
                     key=lambda path: path.name)
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(
                int(os.environ.get("JOBS", "4"))) as pool:
            rows = [row for row in pool.map(lambda x: row_of(x, folder),
                                            sources) if row]
    version = subprocess.run([NVCC, "--version"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    context = {"command": os.environ.get("LL_COMMAND", "bench/examples.py"),
               "device": os.environ.get("LL_DEVICE", "unknown"),
               "compiler": re.search(r"release.*", version)[0],
               "commit": os.environ.get("LL_COMMIT", "unknown"),
               "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(
        {"context": context, "examples": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
