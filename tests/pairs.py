#!/usr/bin/env python3
"""pairs.py - matmul.cu of any two types, on the emulator.

    pairs.py each SEED      every sixth pair of the paper's table in one order of
                            its operands; the seed chooses both
    pairs.py all each SEED  every pair in one order: a quarter of the cases
    pairs.py SEED COUNT     COUNT pairs, chosen by the seed, in all orders
    pairs.py all            every pair in all orders

What bench/device/mixed.cu runs on a GPU: both operands by rows and by columns, twelve
shapes. To build a pair in one order takes a few seconds.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def pairs():
    """The pairs of the paper's table, as bench/device/mixed.cu has them."""
    text = (ROOT / "bench/device/mixed.cu").read_text()
    table = re.search(r"ROWS_OF_TABLE\[\] = \{(.*?)\};", text, re.S)[1]
    return re.findall(r"\{(\w+), (\w+)\}", table)


# A third of the time goes into the headers, so some pairs are one file.
PAIRS_OF_FILE = 5
HEAD = """#define LL_NO_MAIN
#include "examples/kernels/matmul/matmul_sync_load.h"
#include "examples/kernels/matmul/matmul_sync_multiply.h"
#include "mixed.h"
"""
ONE = """#define TYPE_A {a}
#define TYPE_B {b}
#define COLS_A {cols_a}
#define COLS_B {cols_b}
namespace {a}_{b} {{
#include "examples/kernels/matmul/matmul.cu"
static const product ORDERS[4] = {{{before}{{dtype::TYPE_A, dtype::TYPE_B,
    gemm_types::RESULT, {cols_a}, {cols_b}, launch_matmul}}}};
static const mixed pair(ORDERS);
}}
#undef TYPE_A
#undef TYPE_B
#undef COLS_A
#undef COLS_B
"""


def source(a, b, order):
    """What a file has of a pair in one order, or with None in all of them."""
    if order is None:
        return (f"#define TYPE_A {a}\n#define TYPE_B {b}\n"
                f'#include "bench/device/mixed_pair.cu"\n')
    return ONE.format(a=a, b=b, cols_a=order // 2, cols_b=order % 2,
                      before="{}, " * order)


def built(chosen, folder):
    """The program of some pairs, each with its order."""
    files = []
    each = PAIRS_OF_FILE if chosen[0][2] is not None else 1
    for first in range(0, len(chosen), each):
        files.append(folder / f"pairs{first}.cu")
        files[-1].write_text(HEAD + "".join(
            source(*pair) for pair in chosen[first:first + each]))
    program = folder / "mixed"
    subprocess.run(["sh", "tools/emulator/emucc", "-I.", "-Ibench/device",
                    "bench/device/mixed.cu", *map(str, files), "-o", str(program)],
                   cwd=ROOT, check=True)
    return program


def judge(text, status, count):
    """The errors in the program's output for a number of orders of pairs."""
    said = re.search(r"(\d+) of (\d+) in all$", text, re.M)
    if not said:
        return f"it says: {text[:300]}"
    cases = 12 * count
    if status or said[1] != said[2] or int(said[2]) != cases or \
            "\n0 bank conflicts" not in text:
        return f"exit status {status}, of {cases} cases: {text[:1000]}"
    return None


def chosen_by(words):
    """Pairs and orders, by the words of the command."""
    every = pairs()
    if words[-2:-1] == ["each"]:
        seed = int(words[-1])
        whole = [(a, b, (n + seed) % 4) for n, (a, b) in enumerate(every)]
        return whole if words[0] == "all" else whole[seed % 6::6]
    if words != ["all"]:
        seed, count = map(int, words)
        every = random.Random(seed).sample(every, count)
    return [(a, b, None) for a, b in every]


def main():
    chosen = chosen_by(sys.argv[1:])
    orders = sum(4 if order is None else 1 for _, _, order in chosen)
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run([str(built(chosen, pathlib.Path(name)))],
                              text=True, stdout=subprocess.PIPE)
    print(" ".join(f"{a}-{b}" for a, b, _ in chosen) + "\n" + done.stdout)
    wrong = judge(done.stdout, done.returncode, orders)
    if wrong:
        print("FAIL", wrong)
    print(f"{int(not wrong)} passed, {int(bool(wrong))} failed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
