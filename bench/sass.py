#!/usr/bin/env python3
"""sass.py - the machine code of GEMM inner loops, and the data movement between
lanes in attention.

    sass.py RESULT.txt

Builds matmul.cu for sm_90 and the Hopper kernels for sm_90a with nvcc (NVCC).
Writes for each kernel the registers and spills, nvcc's time for the file, and
the instructions of its inner loop with their counts. The inner loop is the
innermost loop with the most matrix instructions. A kernel is named by a part of
its mangled name.

For attention it writes all data movement between lanes in the kernel: shuffles,
and loads and stores of shared memory, by the source call that they come from,
and the number of places. It fails if one comes from a call outside ALLOWED, so
nothing moves the probabilities P. A self-test plants such a fault.

Needs cuobjdump and nvdisasm (CUOBJDUMP and NVDISASM, or beside nvcc).
"""
import collections
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NVCC = os.environ.get("NVCC", "nvcc")
ATTENTION = "9attention"
SM90A = ["-gencode", "arch=compute_90a,code=sm_90a"]
CASES = (
    ("matmul.cu, f16, B by columns", "matmul.cu", "piped", ["-arch=sm_90",
     "-DTYPE_A=f16", "-DTYPE_B=f16", "-DCOLS_B=1"]),
    ("matmul.cu, bf16, both by rows", "matmul.cu", "piped", ["-arch=sm_90",
     "-DTYPE_A=bf16", "-DTYPE_B=bf16"]),
    ("matmul.cu, s8, B by columns", "matmul.cu", "piped", ["-arch=sm_90",
     "-DTYPE_A=s8", "-DTYPE_B=s8", "-DCOLS_B=1"]),
    ("matmul.cu, bf16 x s8, B by columns", "matmul.cu", "piped",
     ["-arch=sm_90", "-DTYPE_A=bf16", "-DTYPE_B=s8", "-DCOLS_B=1"]),
    ("matmul_hopper.cu, bf16, tiles of 128 x 256", "matmul_hopper.cu",
     r"matmulI\w*9gemm_formI\w*ELj2ELj256E", SM90A),
    ("matmul_hopper.cu, e4m3, tiles of 128 x 256", "matmul_hopper.cu",
     r"matmulI\w*9gemm_formI\w*ELj2ELj256E",
     [*SM90A, "-DOPERAND=e4m3"]),
    ("matmul_scaled.cu, scales of rows, tiles of 128 x 256",
     "matmul_scaled.cu", r"matmul_scaledI\w*9gemm_form\w*ELj256E\w*Lb0E",
     SM90A),
    ("matmul_scaled.cu, scales of blocks, tiles of 128 x 256",
     "matmul_scaled.cu", r"matmul_scaledI\w*10block_formI\w*Lj256E", SM90A),
    ("matmul_lowbit.cu, bf16 x mxfp4, 256 tokens", "matmul_lowbit.cu",
     r"matmul_lowbitI\w*6formatE0ELj256E", SM90A),
    ("matmul_lowbit.cu, bf16 x mxfp4, 16 tokens", "matmul_lowbit.cu",
     r"matmul_lowbit_fewI\w*6formatE0ELj16ELj2ELj2E", SM90A),
    ("matmul_lowbit.cu, bf16 x mxfp4, 8 tokens, small", "matmul_lowbit.cu",
     r"matmul_lowbit_fewI\w*6formatE0ELj8ELj1ELj2E", SM90A),
    ("matmul_lowbit.cu, bf16 x int4, 256 tokens", "matmul_lowbit.cu",
     r"matmul_lowbitI\w*6formatE1ELj256E", SM90A),
    ("attention.cu, bf16, heads of 64", "attention.cu", ATTENTION,
     [*SM90A, "-lineinfo", "-DHEAD=64"]),
    ("attention.cu, bf16, heads of 128", "attention.cu", ATTENTION,
     [*SM90A, "-lineinfo"]),
    ("attention_fp8.cu, e4m3, heads of 128", "attention_fp8.cu", ATTENTION,
     [*SM90A, "-lineinfo"]),
)
BETWEEN_LANES = re.compile(r"\b(SHFL|MOVM|REDUX|LDSM?|STSM?)\b")
# The calls of attention that may move data between lanes, and their purpose.
ALLOWED = (
    (r"LL_REDUCE\(.*\bLARGEST\b", "largest scores of rows"),
    (r"LL_REDUCE\(.*\bTOTAL\b", "sums of rows"),
    (r"__shfl_sync\(~0u, threadIdx\.x", "a warp's number"),
    (r"LL_LOAD_SHARED\(.*\bTAKE\b", "V, turned by the producers"),
    (r"LL_STORE_SHARED\(.*\bPUT\b", "V, turned by the producers"),
    (r"LL_STORE_SHARED\(.*\bSTORE\b", "O on its way to memory"),
    (r"^to\[128 \* x\] = |\bany \? \*from :",
     "earlier sums, which the lane that stores them reads again"),
)
MATRIX = re.compile(r"[A-Z]+MMA\b|[A-Z]GMMA\b")


def instructions(sass, kernel):
    """The instructions of a function: (address, text)."""
    part = next(x for x in sass.split("Function : ")[1:]
                if re.search(kernel, x.split("\n")[0]))
    return [(int(at, 16), text.strip()) for at, text in
            re.findall(r"/\*([0-9a-f]{4,5})\*/\s+(.*?);", part)]


def inner_loop(code):
    """The innermost loop with the most matrix instructions."""
    loops = []
    for at, text in code:
        jump = re.search(r"\bBRA\S* .*?(0x[0-9a-f]+)", text)
        if jump and int(jump[1], 16) < at:
            first = int(jump[1], 16)
            body = [x for a, x in code if first <= a <= at]
            matrix = sum(bool(MATRIX.search(x)) for x in body)
            loops += [(matrix, -len(body), first, at, body)] * (matrix > 0)
    inner = [x for x in loops
             if not any(x[2] <= y[2] and y[3] <= x[3] and y is not x and
                        (y[2], y[3]) != (x[2], x[3]) for y in loops)]
    return max(inner)[4]


def names(body):
    """The instructions and their counts, the most frequent first."""
    count = collections.Counter(
        re.sub(r"^@!?U?P\w+ +", "", text).split()[0] for text in body)
    return [f"    {number:5} {name}" for name, number in
            sorted(count.items(), key=lambda x: (-x[1], x[0]))]


def path_of(source):
    path, = pathlib.Path("examples/kernels").glob(f"*/{source}")
    return path


@functools.cache
def built(source, flags, folder):
    """Builds a file: nvcc's output, its time, and the machine code."""
    cubin, begun = folder / "x.cubin", os.times()
    done = subprocess.run([NVCC, "-std=c++17", "-O3", "-I.", "-Xptxas", "-v",
                           "-cubin", *flags, path_of(source), "-o", cubin],
                          check=True, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    ended = os.times()
    seconds = (ended.children_user - begun.children_user +
               ended.children_system - begun.children_system)
    tool = os.environ.get("CUOBJDUMP", "cuobjdump")
    sass = subprocess.run([tool, "-sass", cubin], check=True, text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout
    return done.stdout, seconds, sass, annotated(cubin, tool)


def annotated(cubin, cuobjdump):
    """The machine code with source lines, if it has any."""
    beside = pathlib.Path(shutil.which(cuobjdump)).with_name("nvdisasm")
    return subprocess.run([os.environ.get("NVDISASM", beside), "-gi", "-c",
                           cubin], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def callers(text, line_of):
    """Yields the instructions between lanes, the source line of the example
    that contains the call, and the place. line_of(file, number) returns a
    line."""
    frames, fresh = [], True
    for line in text.splitlines():
        frame = re.search(r'//## File "(.*?)", line (\d+)', line)
        if frame:
            frames = [frame.groups()] if fresh else [*frames, frame.groups()]
        fresh = not frame
        found = re.search(r"/\*[0-9a-f]{4,5}\*/\s+(.*?);", line)
        name = found and BETWEEN_LANES.search(found[1])
        if name:
            outer = [x for x in frames if "examples/" in x[0]]
            yield (name[1], line_of(*outer[0]).strip() if outer else "",
                   tuple(outer))


def exchanges(text, line_of):
    """The lines of the result for the instructions between lanes."""
    places = collections.defaultdict(list)
    for name, line, place in callers(text, line_of):
        why = next((y for x, y in ALLOWED if re.search(x, line)), None)
        if not why:
            sys.exit(f"{name} moves data between lanes for `{line}`")
        places[f"{name}, {why}"].append(place)
    return [*(f"    {len(found):5} {name}; places: {len(set(found))}"
              for name, found in sorted(places.items())),
            "        0 others, so none for the weights P"]


def line_of(path, number):
    return pathlib.Path(path).read_text().splitlines()[int(number) - 1]


def self_test():
    """A reduction's shuffle must pass; one of probabilities, or without a
    source line, must not."""
    source = {"1": "LL_REDUCE(most, scores, LARGEST, 0,",
              "2": "words[w] = ROUND(weights[2 * w], weights[2 * w + 1]);"}
    code = ('//## File "ll_ptx.h", line 9 inlined at "{}", line {}\n'
            '//## File "{}", line {}\n'
            "        /*0310*/  @P0 SHFL.BFLY PT, R0, R0, 0x1, 0x1f ;\n")
    for file, line, word in (("examples/x.h", 1, "1 SHFL, largest scores"),
                             ("examples/x.h", 2, "lanes for `words"),
                             ("ll.h", 1, "lanes for ``")):
        try:
            said = "\n".join(exchanges(code.format(file, line, file, line),
                                       lambda _, x: source[x]))
        except SystemExit as end:
            said = str(end)
        if word not in said:
            sys.exit(f"self-test: {file}, {source[str(line)]}: {said}")


def lines(name, source, kernel, flags, folder):
    """The lines of the result for one case."""
    text, seconds, sass, source_lines = built(source, tuple(flags), folder)
    said = re.search(kernel + r".*?(\d+) bytes spill stores, (\d+) bytes spill "
                     r"loads.*?Used (\d+) registers", text, re.S)
    if kernel == ATTENTION:
        what, found = "between lanes", exchanges(source_lines, line_of)
    else:
        body = inner_loop(instructions(sass, kernel))
        what, found = f"{len(body)} instructions in the inner loop", names(body)
    return [f"{name}: {what}",
            f"    {said[3]} registers, {said[1]} bytes of spill stores, "
            f"{said[2]} of loads; nvcc {seconds:.1f} s", *found, ""]


def main():
    self_test()
    commit = subprocess.run(["sh", "bench/commit.sh"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.strip()
    version = subprocess.run([NVCC, "--version"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    text = [f"commit   {commit}", "command  bench/run.sh sass",
            f"compiler {re.search(r'release.*', version)[0]}", ""]
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            text += lines(*case, pathlib.Path(folder))
    pathlib.Path(sys.argv[1]).write_text("\n".join(text).rstrip() + "\n")
    print("\n".join(text))


if __name__ == "__main__":
    main()
