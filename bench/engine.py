#!/usr/bin/env python3
"""engine.py - graphs with the engine's layouts and with Triton's, on the GPU.

    engine.py build FOLDER     writes FOLDER/NAME.cu for each pair and builds it
    engine.py measure FOLDER RESULT   runs the programs
    engine.py choose FOLDER NUMBER    writes the best pairs of
                                      `ENGINE_PAIRS=FOLDER make check-data` to
                                      bench/engine/*.txt: least cost relative to
                                      Triton's, and no addresses to fill in

A pair is bench/engine/NAME.ours.txt, a graph with the layouts that its text
fixes, and NAME.theirs.txt, the same with all of Triton's layouts. engine.c
turns both into kernels. A line "# 8: x0 + 4u * x1" is the arithmetic of
operation 8, for computed addresses. Both kernels receive the same integers, and
their results are compared bit by bit. The operations between loads and stores
are repeated REPEATS times, on registers that are opaque to the compiler. Times
are medians of launches in turn. NVCC and NVCC_ARCH name the compiler and the
target.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAIRS = ROOT / "bench/engine"
TILES, TURNS, MOST_REGISTERS, MEMORY = 32, 40000, 128, 1 << 20
HEAD = r"# (\S+) warps (\d+) blocks (\d+) lanes (\d+) cost (\d+) (\d+)"

# The compiler must not know that all iterations of the loop are alike.
# `nothing` and `key`, its multiple by the iteration, are 0 at run time, which
# neither nvcc nor ptxas can see; an empty asm would stop only nvcc. Each word
# adds another multiple, so that equal words are not merged. Each thread has its
# own value, so that no shuffle is of a uniform value.
OPAQUE = r"""
static __device__ volatile unsigned source_of_nothing[1024];
static __device__ unsigned taken_words;
template <class T, unsigned long long N>
[[maybe_unused]] static __device__ void opaque(T (&a)[N], unsigned nothing) {
    constexpr unsigned BYTES = sizeof(T) * N < 4 ? sizeof(T) * N : 4;
#pragma unroll
    for (unsigned k = 0; k < sizeof(T) * N / BYTES; ++k) {
        unsigned word = 0;
        memcpy(&word, (char *)a + BYTES * k, BYTES);
        word += nothing * (k + 1u);
        memcpy((char *)a + BYTES * k, &word, BYTES);
    }
}
template <class T, unsigned long long N>
[[maybe_unused]] static __device__ void taken(const T (&a)[N], unsigned &by) {
    constexpr unsigned BYTES = sizeof(T) * N < 4 ? sizeof(T) * N : 4;
#pragma unroll
    for (unsigned k = 0; k < sizeof(T) * N / BYTES; ++k) {
        unsigned word = 0;
        memcpy(&word, (const char *)a + BYTES * k, BYTES);
        by ^= word;
    }
}
"""

MAIN = r"""
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

enum { TILES = %(tiles)d, BLOCKS = 132 * %(blocks)d,
       THREADS = 32 * %(warps)d, ROUNDS = 41, LAUNCHES = 2 };

template <class T> static void fill(std::vector<unsigned char> &to) {
    unsigned state = 1;
    for (size_t k = 0; k + sizeof(T) <= to.size(); k += sizeof(T)) {
        state = state * 1664525u + 1013904223u;
        const T x = (T)(state >> 16 & 15);
        memcpy(&to[k], &x, sizeof x);
    }
}

%(buffers)s

static float time_of(int theirs) {
    cudaEvent_t start, stop;
    float ms = 0;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    for (int k = 0; k < LAUNCHES; ++k) {
        launch(theirs);
    }
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return ms / LAUNCHES * 1000;
}

int main() {
    std::vector<float> us[2];
    const int wrong = compare();
    for (int k = 0; k < ROUNDS; ++k) {
        for (int theirs = 0; theirs < 2; ++theirs) {
            us[theirs].push_back(time_of(theirs));
        }
    }
    for (int theirs = 0; theirs < 2; ++theirs) {
        std::sort(us[theirs].begin(), us[theirs].end());
    }
    const cudaError_t err = cudaDeviceSynchronize();
    printf("{\"wrong\": %%d, \"us\": [%%.3f, %%.3f], "
           "\"quartiles\": [[%%.3f, %%.3f], [%%.3f, %%.3f]], "
           "\"error\": \"%%s\"}\n",
           wrong, us[0][ROUNDS / 2], us[1][ROUNDS / 2], us[0][ROUNDS / 4],
           us[0][3 * ROUNDS / 4], us[1][ROUNDS / 4], us[1][3 * ROUNDS / 4],
           cudaGetErrorString(err));
    return wrong != 0 || err != cudaSuccess;
}
"""


def run(*command, check=True):
    done = subprocess.run([str(c) for c in command], capture_output=True,
                          text=True, check=False, cwd=ROOT)
    if check and done.returncode:
        sys.exit(f"engine.py: {command[0]}: {done.stderr[:2000]}")
    return done


def writer(folder):
    """Builds the program that writes kernels."""
    run(os.environ.get("CC", "cc"), "-std=c11", "-O2", "-I.",
        "tools/engine/engine.c", "-o", folder / "engine")
    return folder / "engine"


def kernel(engine, path, name):
    """The kernel's text and its cycles; None if there is no kernel."""
    warps = re.match(HEAD, path.read_text())[2]
    done = run(engine, path, f"--warps={warps}", f"--name={name}", check=False)
    if done.returncode:
        return None, 0
    text = done.stdout
    for op, body in re.findall(r"^# (\d+): (.*)", path.read_text(), re.M):
        start = rf" f{op}_0\([^)]*\) \{{\n    return \([a-z ]+\)"
        text = re.sub(rf"({start})\(.*\);", rf"\1({body});", text)
    return text, float(re.search(r"([\d.]+) cycles", text)[1])


def parameters(text, name):
    """Type, whether it is read, and elements per tile, of each pointer."""
    head = re.search(rf"void {name}\((.*?)\) \{{", text, re.S)[1]
    found = []
    for parameter in head.split(", "):
        p = re.match(r"(const )?([a-z ]+?) \*(p\d+_\d+)", parameter)
        if p:
            n = re.search(rf"{p[3]} \+ \(size_t\)\(TILE\) \* (\d+)u", text)[1]
            found.append((p[2], p[1] is not None, int(n)))
    return found, "float constant" in head, "*memory" in head


def dynamic(text):
    """The bytes of shared memory with which a kernel is launched."""
    found = re.search(r"launch it with (\d+) bytes", text)
    return int(found[1]) if found else 0


def repeated(text, repeats):
    """The kernel with a loop around everything between its loads and stores."""
    head, brace, rest = text.partition("smem[most(BYTES)];\n")
    if not brace:
        head, brace, rest = text.partition("unsigned char smem[];\n")
    body = rest[:rest.rindex("}")]
    loads, inside = [], []
    lines = body.split("\n")
    for k, line in enumerate(lines):
        constant = re.match(r" *(\w+)\[r\] = \(.*\)(?:constant|memory);",
                            lines[k - 1])
        load = re.match(r" *LL_LOAD\((\w+),", line)
        store = re.match(r" *(?:LL_STORE\(|store_at<.*>\(\w+, )(\w+),", line)
        if load:
            array = next(n for n in range(len(inside) - 1, -1, -1)
                         if re.search(rf"\b{load[1]}\[1 <<", inside[n]))
            loads += [inside[array], line]
            inside[array] = f"    opaque({load[1]}, nothing);"
        elif store:
            inside += [f"    taken({store[1]}, by);",
                       f"    if (repeat + 1 == {repeats}) {{", line, "    }"]
        else:
            inside.append(line)
            inside += [f"    opaque({constant[1]}, key);"] if constant else []
    return "\n".join([head + brace.rstrip("\n"), *loads,
                      "    const unsigned nothing = "
                      "source_of_nothing[threadIdx.x];",
                      "    unsigned by = 0, key = 0;",
                      "#pragma unroll 1",
                      f"    for (int repeat = 0; repeat < {repeats}; "
                      "++repeat, key += nothing) {", *inside, "    }",
                      "    if (by == 0x9e3779b9u && nothing) {",
                      "        taken_words = by;", "    }", "}", ""])


def buffers(found, constant, whole, memory):
    """The arrays of both kernels, their launches, and the comparison. `whole`:
    is there a memory accessed by addresses?"""
    lines = ["static unsigned char *in[16], *out[2][16];",
             "static void launch(int theirs) {"]
    lines += [f"    cudaFuncSetAttribute({name}::{name}, "
              f"cudaFuncAttributeMaxDynamicSharedMemorySize, {n});"
              for name, n in memory.items() if n]
    for name in ("ours", "theirs"):
        args = [f"({'const ' if read else ''}{kind} *)"
                + (f"in[{k}]" if read else
                   f"out[{int(name == 'theirs')}][{k}]")
                for k, (kind, read, _) in enumerate(found)]
        args += ["3.0f"] if constant else []
        args += [f"out[{int(name == 'theirs')}][15]"] if whole else []
        lines.append(f"    {'if (!theirs) ' if name == 'ours' else 'else '}"
                     f"{name}::{name}<<<BLOCKS, THREADS, {memory[name]}>>>"
                     f"({', '.join(args)});")
    lines += ["}", "static int compare() {", "    int wrong = 0;"]
    for k, (kind, read, n) in enumerate(found):
        size = f"sizeof({kind}) * {n}u * TILES"
        lines.append(f"    {{ std::vector<unsigned char> x({size});")
        if read:
            lines += [f"    fill<{kind}>(x);",
                      f"    cudaMalloc(&in[{k}], x.size());",
                      f"    cudaMemcpy(in[{k}], x.data(), x.size(), "
                      "cudaMemcpyHostToDevice); }"]
        else:
            lines += [f"    for (int t = 0; t < 2; ++t) {{ "
                      f"cudaMalloc(&out[t][{k}], x.size()); "
                      f"cudaMemset(out[t][{k}], 85 + t, x.size()); }} }}"]
    if whole:
        lines += [f"    {{ std::vector<unsigned char> x({MEMORY});",
                  "    fill<unsigned>(x);",
                  "    for (int t = 0; t < 2; ++t) {",
                  "    cudaMalloc(&out[t][15], x.size());",
                  "    cudaMemcpy(out[t][15], x.data(), x.size(), "
                  "cudaMemcpyHostToDevice); } }"]
        found = found + [("unsigned char", False, MEMORY)]
    lines += ["    launch(0);", "    launch(1);"]
    for k, (kind, read, n) in enumerate(found):
        size = f"sizeof({kind}) * {n}u * TILES"
        if n == MEMORY:
            k, size = 15, f"{n}u"
        if not read:
            lines += [f"    {{ std::vector<unsigned char> x({size}), "
                      f"y({size});",
                      f"    cudaMemcpy(x.data(), out[0][{k}], x.size(), "
                      "cudaMemcpyDeviceToHost);",
                      f"    cudaMemcpy(y.data(), out[1][{k}], y.size(), "
                      "cudaMemcpyDeviceToHost);",
                      "    wrong += x != y; }"]
    return "\n".join(lines + ["    return wrong;", "}"])


def names():
    return sorted(p.name[:-len(".ours.txt")] for p in PAIRS.glob("*.ours.txt"))


def source_of(engine, name):
    """The program of a pair."""
    texts, memory = [], {}
    written = {who: kernel(engine, PAIRS / f"{name}.{who}.txt", who)
               for who in ("ours", "theirs")}
    repeats = max(100, int(TURNS / written["theirs"][1]))
    for who, (text, _) in written.items():
        found, constant, whole = parameters(text, who)
        memory[who] = dynamic(text)
        texts.append(re.sub(r"^#(include|define TARGET) .*", "",
                            repeated(text, repeats), flags=re.M))
    warps = re.match(HEAD, (PAIRS / f"{name}.ours.txt").read_text())[2]
    return ('#define FILLED_IN\n#include "ll_ptx.h"\n'
            "#define TARGET ll_ptx_target(90)\n"
            f"#define TILE (blockIdx.x % {TILES}u)\n{OPAQUE}"
            f"namespace ours {{\n{texts[0]}\n}}\n"
            f"namespace theirs {{\n{texts[1]}\n}}\n"
            + MAIN % {"tiles": TILES, "warps": int(warps),
                      "blocks": max(8, 32 // int(warps)),
                      "buffers": buffers(found, constant, whole, memory)})


def build(folder):
    folder.mkdir(parents=True, exist_ok=True)
    engine = writer(folder)
    jobs = []
    for name in names():
        (folder / f"{name}.cu").write_text(source_of(engine, name))
        jobs.append((os.environ.get("NVCC", "nvcc"), "-std=c++17", "-O3",
                     f"-arch={os.environ.get('NVCC_ARCH', 'sm_90')}", "-I.",
                     folder / f"{name}.cu", "-o", folder / name))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(lambda job: run(*job), jobs):
            pass


def measure(folder, result):
    engine, rows, agree = writer(folder), [], 0
    for name in names():
        row = {"name": name, "cycles": [
            kernel(engine, PAIRS / f"{name}.{who}.txt", who)[1]
            for who in ("ours", "theirs")]}
        done = run(folder / name, check=False)
        row |= json.loads(done.stdout) if done.stdout else {
            "error": done.stderr[:200], "us": [0, 0], "wrong": -1}
        row["agrees"] = not row["wrong"] and row["us"][0] < row["us"][1]
        agree += row["agrees"]
        rows.append(row)
        print(f"{name:44} {row['cycles'][0]:8.1f} {row['cycles'][1]:8.1f} cyc."
              f" {row['us'][0]:9.2f} {row['us'][1]:9.2f} us  "
              f"{'as planned' if row['agrees'] else 'NOT as planned'}")
    device = run("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
    pathlib.Path(result).write_text(json.dumps({
        "context": {"command": os.environ.get("LL_COMMAND",
                                              "bench/run.sh engine"),
                    "commit": os.environ.get("LL_COMMIT", ""),
                    "device": device.stdout.strip()},
        "pairs": rows}, indent=1) + "\n")
    print(f"{agree} of {len(rows)} as planned")
    return agree != len(rows)


def choose(folder, number):
    engine, found = writer(ROOT / "build"), []
    for ours in pathlib.Path(folder).glob("*.ours"):
        theirs = ours.with_suffix(".theirs")
        head = re.match(HEAD, ours.read_text())
        if head[3] != "1" or head[4] != "32":
            continue
        costs = []
        for path in (ours, theirs):
            text, cycles = kernel(engine, path, "k")
            by_hand = r"\b(load|store)_at<|\ba\d+\(\(|int first"
            if re.search(by_hand, text or ""):
                text = None  # addresses and branches are for the author
            arrays = re.findall(r"(\w+) v_\w+\[1 << (\d+)\];", text or "")
            most = max((1 << int(n) for _, n in arrays), default=1 << 20)
            costs.append(cycles if most <= MOST_REGISTERS else 0)
        if 0 < costs[0] < costs[1]:
            found.append((costs[0] / costs[1], ours, head[1]))
    for ratio, ours, name in sorted(found)[:int(number)]:
        slug = re.sub(r"^.*?/([^/]+)/([^/]+(?:/sm_\d+)?)$", r"\1-\2", name)
        slug = re.sub(r"[^a-z0-9]+", "_", slug.lower())
        print(f"{ratio:.3f} {slug}")
        for path in (ours, ours.with_suffix(".theirs")):
            (PAIRS / f"{slug}{path.suffix}.txt").write_text(path.read_text())


if __name__ == "__main__":
    what, where = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if what == "choose":
        choose(where, sys.argv[3])
    elif what == "build":
        build(where)
    else:
        sys.exit(measure(where, sys.argv[3]))
