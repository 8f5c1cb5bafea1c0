#!/usr/bin/env python3
"""pairs.py - examples/matmul.cu of any two types, on the emulator.

    pairs.py SEED COUNT     so many pairs of types, chosen by the seed
    pairs.py all            every pair of the paper's table

What bench/mixed.cu runs on a GPU: both operands by rows and by columns, twelve
shapes. Every pair has to be built, which takes 20 seconds, so `make check` has
a few: the seed is the only choice.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def pairs():
    """The pairs of the paper's table, as bench/mixed.cu has them."""
    text = (ROOT / "bench/mixed.cu").read_text()
    table = re.search(r"ROWS_OF_TABLE\[\] = \{(.*?)\};", text, re.S)[1]
    return re.findall(r"\{(\w+), (\w+)\}", table)


def built(chosen, folder):
    """The program of some pairs."""
    files = []
    for a, b in chosen:
        files.append(folder / f"{a}-{b}.cu")
        files[-1].write_text(f"#define TYPE_A {a}\n#define TYPE_B {b}\n"
                             f'#include "bench/mixed_pair.cu"\n')
    program = folder / "mixed"
    subprocess.run(["sh", "tests/emu/emucc", "-I.", "-Ibench",
                    "bench/mixed.cu", *map(str, files), "-o", str(program)],
                   cwd=ROOT, check=True)
    return program


def judge(text, status, count):
    """What is wrong with what the program says of so many pairs."""
    said = re.search(r"(\d+) of (\d+) in all$", text, re.M)
    if not said:
        return f"it says: {text[:300]}"
    cases = 4 * 12 * count
    if status or said[1] != said[2] or int(said[2]) != cases or \
            "\n0 bank conflicts" not in text:
        return f"exit status {status}, of {cases} cases: {text[:1000]}"
    return None


def main():
    chosen = pairs()
    if sys.argv[1:] != ["all"]:
        seed, count = map(int, sys.argv[1:])
        chosen = random.Random(seed).sample(chosen, count)
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run([str(built(chosen, pathlib.Path(name)))],
                              text=True, stdout=subprocess.PIPE)
    print(" ".join(f"{a}-{b}" for a, b in chosen) + "\n" + done.stdout)
    wrong = judge(done.stdout, done.returncode, len(chosen))
    if wrong:
        print("FAIL", wrong)
    print(f"{int(not wrong)} passed, {int(bool(wrong))} failed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
