#!/usr/bin/env python3
"""wrappers.py - the functions of ll_ptx.h, one an instruction.

    wrappers.py ll_ptx.h > list      a line WRAPPER(name) for each

They are read from what the preprocessor makes of the section, so that those
behind a macro are there too. A template stands with numbers for its arguments;
one of X128_, X64_ or X32_ repetitions stands with each number up to that, and
some of wgmma with every number of columns.
"""
import os
import re
import subprocess
import sys

import source

SIZES = ("COLS_", "REGS_", "THREADS_")
# A function of each table of columns that all functions of wgmma are made of,
# with the most operands after the sums.
EVERY = {"ll_ptx_wgmma_sp_f32_bf16_ra": range(8, 257, 8),
         "ll_ptx_wgmma_sp_f16_f16_ra": range(8, 257, 8),
         "ll_ptx_wgmma_s32_s8": [8, 24, *range(16, 257, 16)]}


def arguments(template, name):
    """The arguments of a template: numbers that its parameters may have."""
    names = re.findall(r"unsigned (\w+)", template)
    if not names:
        return [""]
    most = re.match(r"X(\d+)_$", names[0])
    firsts = [str(2 ** k) for k in range(int(most[1]).bit_length())] if most \
        else [str(n) for n in EVERY[name]] if name in EVERY \
        else ["64" if names[0] in SIZES else "0"]
    rest = ["64" if n in SIZES else "0" for n in names[1:]]
    return [f"<{', '.join([first] + rest)}>" for first in firsts]


def wrappers(header):
    """Result, name and the types of the parameters of each function."""
    with open(header) as file:
        text = file.read()
    cxx = os.environ.get("CXX", "g++")
    done = subprocess.run([cxx, "-E", "-P", "-x", "c++", "-DLL_DEVICE=DEVICE",
                           "-DLL_TENSOR", "-"], input=source.room(text, "instructions/"), text=True, check=True,
                          stdout=subprocess.PIPE)
    found = re.findall(r"(template\s*<[^>]*>\s*)?\bDEVICE\s+(\w+)\s+"
                       r"(ll_ptx_\w+)\(([^)]*)\)\s*\{", done.stdout)
    return [(result, name + given,
             [re.match(r"(.*?[ *])\w+$", p.strip())[1].strip()
              for p in parameters.split(",") if p.strip() not in ("", "void")])
            for template, result, name, parameters in found
            for given in arguments(template, name)]


if __name__ == "__main__":
    print("\n".join(f"WRAPPER({name})" for _, name, _ in wrappers(sys.argv[1])))
