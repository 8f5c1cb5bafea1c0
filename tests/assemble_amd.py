#!/usr/bin/env python3
"""assemble_amd.py - every instruction of ll_amd.h for AMD's targets.

Each instruction becomes kernels, which are compiled to assembly for
each target. Where ll_amd_has says that the target has the instruction, it must
be there, with its control, and nothing may be spilled; where it says not, the
compiler must answer with our sentence alone, and that must name the targets
that ll_amd_has knows. Of the kernels of tests/codegen/amd.hip MOVED tells what
they contain; none spills, reads a table or branches other than around a masked
access. Then the headers as plain C for the device.
AMDCLANG names the compiler, CC the one that asks ll_amd_has.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import source

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG = os.environ.get("AMDCLANG") or "clang-22"
TARGETS = ["gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]
WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion",
        "-Wshadow", "-Wundef", "-Werror"]
HIP = ["-x", "hip", "-nogpulib", "-nogpuinc", "-O3", "-I", str(ROOT), *WARN]
HEAD = """#define __global__ __attribute__((global))
#include "ll_amd.h"
"""
ASK = """#include "ll_amd.h"
#include <stdio.h>
int main(void) {
    char target[20], name[200];
    while (scanf("%19s %199[^\\n]", target, name) == 2) {
        printf("%d\\n", ll_amd_has(target, name));
    }
}
"""

# What stands before an access: gfx9's name of the width, and gfx11's.
READ = {"b8": ("u8", "u8"), "b16": ("u16", "u16"), "b32": ("b32", "b32"),
        "b64": ("b64", "b64"), "b128": ("b128", "b128")}
LOAD = {"b8": ("ubyte", "u8"), "b16": ("ushort", "u16"),
        "b32": ("dword", "b32"), "b64": ("dwordx2", "b64"),
        "b128": ("dwordx4", "b128")}
STORE = {**LOAD, "b8": ("byte", "b8"), "b16": ("short", "b16")}
WORDS = {"b8": 1, "b16": 1, "b32": 1, "b64": 2, "b128": 4}
ONCE = r"\b(slc|nt|th:TH_\w+_NT)\b"  # the bits of what is used once
BYTES = {"b8": 1, "b16": 2, "b32": 4, "b64": 8, "b128": 16}


def cases():
    """Function, call, question for ll_amd_has, pattern on gfx9 and later."""
    all_of = []

    def case(name, call, ask, old, new=None):
        all_of.append((name, call, ask, old, new or old))

    for w, n in WORDS.items():
        at = f"l * {BYTES[w]}"
        far = f"(unsigned long long)p + {at}"
        keep = "".join(f"o[l * {n} + {k}] = v.w[{k}]; " for k in range(n))
        case(f"ds_read_{w}", f"ll_words v = ll_amd_ds_read_{w}({at}); {keep}",
             "ds_read", f"ds_read_{READ[w][0]} ", f"ds_load_{READ[w][1]} ")
        case(f"ds_write_{w}", f"ll_amd_ds_write_{w}({at}, u);", "ds_write",
             f"ds_write_{w} ", f"ds_store_{w} ")
        case(f"global_load_{w}",
             f"ll_words v = ll_amd_global_load_{w}({far}, x & 1); {keep}",
             "global_load", f"global_load_{LOAD[w][0]} ",
             f"global_load_{LOAD[w][1]} ")
        case(f"global_store_{w}", f"ll_amd_global_store_{w}({far}, u, x & 1);",
             "global_store", f"global_store_{STORE[w][0]} ",
             f"global_store_{STORE[w][1]} ")
        case(f"global_load_nt_{w}",
             f"ll_words v = ll_amd_global_load_nt_{w}({far}, 1); {keep}",
             "global_load", f"global_load_{LOAD[w][0]} .*{ONCE}",
             f"global_load_{LOAD[w][1]} .*{ONCE}")
        case(f"global_store_nt_{w}",
             f"ll_amd_global_store_nt_{w}({far}, u, 1);", "global_store",
             f"global_store_{STORE[w][0]} .*{ONCE}",
             f"global_store_{STORE[w][1]} .*{ONCE}")
        case(f"raw_buffer_load_{w}", f"ll_words v = "
             f"ll_amd_raw_buffer_load_{w}(b, {at}); {keep}",
             "raw_buffer_load", f"buffer_load_{LOAD[w][0]} ",
             f"buffer_load_{LOAD[w][1]} ")
        case(f"raw_buffer_store_{w}",
             f"ll_amd_raw_buffer_store_{w}(b, {at}, u);", "raw_buffer_store",
             f"buffer_store_{STORE[w][0]} ", f"buffer_store_{STORE[w][1]} ")
    case("make_buffer_rsrc", "o[l] = ll_amd_raw_buffer_load_b32(b, x).w[0];",
         "raw_buffer_load", r"s_mov\w+ s\S+ 0x27000\b",
         r"s_mov\w+ s\S+ 0x31027000\b")
    for w, n in (("b32", 1), ("b64", 2)):
        keep = "".join(f"o[l + {64 * k}] = v.w[{k}]; " for k in range(2 * n))
        case(f"ds_read2_{w}",
             f"ll_words v = ll_amd_ds_read2_{w}<3, 7>(l * 8); {keep}",
             "ds_read", rf"ds_read2_{w} .*offset0:3 offset1:7",
             rf"ds_load_2addr_{w} .*offset0:3 offset1:7")
        case(f"ds_write2_{w}", f"ll_amd_ds_write2_{w}<3, 7>(l * 8, u);",
             "ds_write", rf"ds_write2_{w} .*offset0:3 offset1:7",
             rf"ds_store_2addr_{w} .*offset0:3 offset1:7")
    for bits in (16, 8, 4):
        case(f"ds_read_tr{bits}_b64",
             f"ll_words v = ll_amd_ds_read_tr{bits}_b64(l * 8); "
             "o[l] = v.w[0]; o[l + 64] = v.w[1];", f"ds_read_tr{bits}_b64",
             f"ds_read_b64_tr_b{bits} ")
    for n, kind in ((1, "ubyte"), (2, "ushort"), (4, "dword"), (12, "dwordx3"),
                    (16, "dwordx4")):
        case("global_load_lds", f"ll_amd_global_load_lds<{n}>(1024, "
             "(unsigned long long)(p + l));", f"global_load_lds {n}",
             rf"global_load_(lds_{kind} |{kind} .* lds)")
    case("s_barrier", "ll_amd_s_barrier();", "s_barrier", "s_barrier",
         "s_barrier")
    case("wave_barrier", "ll_amd_wave_barrier();", "wave_barrier",
         "; wave barrier")
    for control, more, kind in (
            ("LL_AMD_QUAD_PERM(1, 0, 3, 2)", "", r"quad_perm:\[1,0,3,2\]"),
            ("LL_AMD_ROW_SHL + 3", "", "row_shl:3"),
            ("LL_AMD_ROW_SHR + 15", "", "row_shr:15"),
            ("LL_AMD_ROW_ROR + 8", "", "row_ror:8"),
            ("LL_AMD_ROW_MIRROR", "", "row_mirror"),
            ("LL_AMD_ROW_HALF_MIRROR", "", "row_half_mirror"),
            ("LL_AMD_WAVE_SHL", " wave", "wave_shl:1"),
            ("LL_AMD_WAVE_ROL", " wave", "wave_rol:1"),
            ("LL_AMD_WAVE_SHR", " wave", "wave_shr:1"),
            ("LL_AMD_WAVE_ROR", " wave", "wave_ror:1"),
            ("LL_AMD_ROW_BCAST15", " row_bcast15", "row_bcast:15"),
            ("LL_AMD_ROW_BCAST31", " row_bcast31", "row_bcast:31"),
            ("LL_AMD_ROW_NEWBCAST + 5", " newbcast", "row_(newbcast|share):5"),
            ("LL_AMD_ROW_XMASK + 9", " xmask", "row_xmask:9")):
        case("update_dpp", f"o[l] = ll_amd_update_dpp<{control}>(x);",
             "update_dpp" + more, rf"v_mov_b32_dpp .*{kind} row_mask:0xf "
             "bank_mask:0xf bound_ctrl:1")
    case("mov_dpp8", "o[l] = ll_amd_mov_dpp8<053170>(x);", "mov_dpp8",
         r"v_mov_b32_dpp .*dpp8:\[0,7,1,3,5,0,0,0\]")
    for name in ("permlane16", "permlanex16"):
        case(name, f"o[l] = ll_amd_{name}(x, 0x76543201, 0xfedcba98);", name,
             f"v_{name}_b32")
    case("permlane64", "o[l] = ll_amd_permlane64(x);", "permlane64",
         "v_permlane64_b32")
    for name in ("permlane16_swap", "permlane32_swap"):
        # both results, added as floats: two different registers
        case(name, f"ll_amd_{name}(x, y); o[l] = __builtin_bit_cast(unsigned, "
             "__builtin_bit_cast(float, x) + __builtin_bit_cast(float, y));",
             name, rf"v_{name}_b32\w* (v\d+), (v\d+)(?s:.*)"
             r"v_add_f32\w* v\d+, (\1, \2|\2, \1)\b")
    case("ds_swizzle", "o[l] = ll_amd_ds_swizzle<0x401f>(x);", "ds_swizzle",
         r"ds_swizzle_b32 .*offset:swizzle\(SWAP,16\)")
    case("ds_bpermute", "o[l] = ll_amd_ds_bpermute(y, x);", "ds_bpermute",
         "ds_bpermute_b32")
    case("ds_permute", "o[l] = ll_amd_ds_permute(y, x);", "ds_permute",
         "ds_permute_b32")
    case("readlane", "o[l] = y + ll_amd_readlane(x, 5);", "readlane",
         r"v_readlane_b32 s\w+, v\d+, 5")
    case("readfirstlane", "o[l] = y + ll_amd_readfirstlane(x);",
         "readfirstlane", r"v_readfirstlane_b32")
    case("perm", "o[l] = ll_amd_perm(x, y, 0x07020500);", "perm",
         "v_perm_b32 v")
    return all_of


def products():
    """The same of the products of matrices: mnemonics are spelt without the
    last underscore on gfx908 and gfx90a."""
    all_of = []

    def case(name, a, c, kind, pattern, call=None, more=""):
        words = f"unsigned a[{a}], d[{a}]; {kind} c[{c}]; "
        load = (f"for (unsigned k = 0; k < {a}; ++k) "
                f"a[k] = p[l + 64 * k], d[k] = p[l + 64 * k + 4096]; "
                f"for (unsigned k = 0; k < {c}; ++k) c[k] = ({kind})p[k]; ")
        keep = (f"for (unsigned k = 0; k < {c}; ++k) "
                f"(({kind} *)o)[l + 64 * k] = c[k];")
        all_of.append((name, f"{words}{load}{call or f'll_amd_{name}'}"
                       f"(c, a, d{more}); {keep}", name, pattern, pattern))

    def mfma(shape, kinds, words, out="f32", old="", new="_", tail=""):
        m = int(shape.split("x", maxsplit=1)[0])
        regs = m * m // 64
        name = f"mfma_{out}_{shape}{old}{kinds}{tail}"
        first = f"v_mfma_{out}_{shape}{old}{kinds}{tail} "
        later = f"v_mfma_{out}_{shape}{new}{kinds} "
        case(name, words, regs,
             {"f32": "float", "f64": "double", "i32": "int"}[out],
             {"gfx908": first, "gfx90a": first, "": later})

    for shape in ("32x32x2", "16x16x4"):
        mfma(shape, "f32", 1)
    for shape in ("32x32x8", "16x16x16"):
        mfma(shape, "f16", 2)
        mfma(shape, "bf16", 2, tail="_1k")
        mfma(shape, "i8", 1, "i32")
    for shape in ("32x32x4", "16x16x8"):
        mfma(shape, "bf16", 1)
    for shape in ("32x32x16", "16x16x32"):
        mfma(shape, "f16", 4, old="_")
        mfma(shape, "bf16", 4, old="_")
        mfma(shape, "i8", 2, "i32", old="_")
        for kinds in ("fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8"):
            mfma(shape, kinds, 2, old="_")
    for shape in ("32x32x32", "16x16x64"):
        mfma(shape, "i8", 4, "i32", old="_")
    mfma("16x16x4", "f64", 2, "f64")
    for shape, regs in (("32x32x64", 16), ("16x16x128", 4)):
        name = f"mfma_scale_f32_{shape}_f8f6f4"
        case(name, 8, regs, "float", rf"v_{name} .*op_sel:\[1,0,0\] "
             r"op_sel_hi:\[0,1,0\] blgp:1",
             f"ll_amd_{name}<LL_AMD_FP8, LL_AMD_BF8, 1, 2>", ", x, y")
        case(name, 4, regs, "float", rf"v_{name} .*cbsz:4 blgp:4",
             f"ll_amd_{name}<LL_AMD_FP4, LL_AMD_FP4>", ", x, y")
    for kinds, old, new in (("f16", 8, 4), ("bf16", 8, 4)):
        case(f"wmma_f32_16x16x16_{kinds}_w32", old, 8, "float",
             f"v_wmma_f32_16x16x16_{kinds} ")
        case(f"wmma_f32_16x16x16_{kinds}_w32_gfx12", new, 8, "float",
             f"v_wmma_f32_16x16x16_{kinds} ")
    for kinds in ("fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8"):
        case(f"wmma_f32_16x16x16_{kinds}_w32_gfx12", 2, 8, "float",
             f"v_wmma_f32_16x16x16_{kinds} ")
    for name, words in (("wmma_i32_16x16x16_iu8_w32", 4),
                        ("wmma_i32_16x16x16_iu8_w32_gfx12", 2)):
        case(name, words, 8, "int",
             r"v_wmma_i32_16x16x16_iu8 .*neg_lo:\[1,1,0\]")
        case(name, words, 8, "int",
             r"v_wmma_i32_16x16x16_iu8 .*neg_lo:\[0,1,0\]",
             f"ll_amd_{name}<false, true>")
    return all_of


# The instructions that each kernel of tests/codegen/amd.hip is made of: those
# that move words between lanes. Older targets, then gfx950, then RDNA.
LANES = r"\bv_mov_b32_dpp\b|v_permlane\w+?_b32|ds_\w*(?:swizzle|permute)_b32|" \
        r"v_perm_b32|v_cndmask_b32|v_mul\w*|v_mad\w*"
DPP, SWIZZLE, ASK_ANY = ["v_mov_b32_dpp"], ["ds_swizzle_b32"], ["ds_bpermute_b32"]
SWAP16 = ["v_permlane16_swap_b32", "v_cndmask_b32"]
SWAP32 = ["v_permlane32_swap_b32", "v_cndmask_b32"]
ROWX, HALF = ["v_permlanex16_b32"], ["v_permlane64_b32"]
MOVED = {
    "exchange_1": (DPP, DPP, DPP),
    "exchange_5": (DPP * 2, DPP * 2, DPP),
    "exchange_12": (DPP * 2, DPP * 2, DPP),
    "exchange_16": (SWIZZLE, SWAP16, ROWX),
    "exchange_21": (SWIZZLE, SWAP16 + DPP * 2, ROWX),
    "exchange_32": (ASK_ANY, SWAP32, HALF),
    "exchange_37": (ASK_ANY, SWAP32 + DPP * 2, HALF + DPP),
    "shuffle": (ASK_ANY, ASK_ANY, ASK_ANY),
    "permute": (["v_perm_b32"],) * 3,
    "select": (["v_cndmask_b32"],) * 3,
}
# Patterns of the others: on gfx9, from gfx11 on.
CONTAINED = {
    "transpose": (["global_load_dwordx4", "ds_write_b128", "ds_read",
                   "global_store_dwordx4"],
                  ["global_load_b128", "ds_store_b128", "ds_load",
                   "global_store_b128"]),
    "streamed": ([rf"global_load_dwordx4 .*{ONCE}",
                  rf"global_store_dwordx4 .*{ONCE}"],
                 [rf"global_load_b128 .*{ONCE}",
                  rf"global_store_b128 .*{ONCE}"]),
    "where": ([], []),
    "sum": (["v_add_f32_dpp|v_permlane16_swap|ds_swizzle"],
            ["v_add_f32_dpp|v_permlanex16"]),
}

# ll_amd_has speaks of instructions that some targets lack.
EVERYWHERE = ("ds_read", "ds_write", "global_load", "global_store", "s_barrier",
              "wave_barrier")


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **more)
    return done.returncode, done.stdout


def is_rdna(target):
    return target.startswith("gfx1")


def functions():
    """The instructions, from what the preprocessor makes of them."""
    text = (ROOT / "ll_amd.h").read_text()
    said = subprocess.run([CLANG, "-E", "-P", "-x", "c++", "-DLL_DEVICE=DEVICE",
                           "-D__HIP__", "-DLL_EMULATE=0", "-"], text=True,
                          input=source.room(text, "instructions/"), check=True, stdout=subprocess.PIPE)
    return set(re.findall(r"\bDEVICE\s+\w+\s+ll_amd_(\w*[^\W_])\(",
                          said.stdout))


def kernel(n, call):
    return (f'extern "C" __global__ void k{n}(const unsigned *p, unsigned *o) '
            "{\n    const unsigned l = LL_AMD_THREAD_;\n"
            "    unsigned x = p[l], y = p[l + 1024];\n"
            "    const ll_words u = {{x, y, x + 1, y + 1}};\n"
            + ("    const ll_amd_buffer b = ll_amd_make_buffer_rsrc(p, 4096);\n"
               if "(b, " in call else "")
            + f"    (void)u, (void)x, (void)y, (void)o;\n    {call}\n}}\n")


def compiled(source, target, *flags):
    return run(CLANG, *HIP, f"--offload-arch={target}", "--cuda-device-only",
               "-S", *flags, source, "-o", "-")


def bodies(text):
    """The instructions of each kernel, and what it spills in bytes."""
    code = dict(re.findall(r"^(\w+):[^\n]*@\1\n(.*?)^\.Lfunc_end", text,
                           re.S | re.M))
    spill = dict(re.findall(r"^\s*\.amdhsa_kernel (\w+)\n.*?"
                            r"private_segment_fixed_size (\d+)", text,
                            re.S | re.M))
    return {name: (body, int(spill[name])) for name, body in code.items()}


def check_present(folder, target, all_of, flags):
    """Faults of the kernels whose instruction the target has."""
    source = folder / f"has_{target}{''.join(flags)}.hip"
    source.write_text(HEAD + "".join(kernel(n, c[1]) for n, c in all_of))
    status, said = compiled(source, target, "-std=c++17", *flags)
    if status:
        return [said[:3000]] * len(all_of)
    found = bodies(said)
    faults = []
    for n, (name, _, _, old, new) in all_of:
        body, spill = found[f"k{n}"]
        pattern = new if is_rdna(target) else old
        if isinstance(pattern, dict):
            pattern = pattern.get(target, pattern[""])
        if not re.search(pattern, body) or spill:
            faults.append(f"{name} for {target} {' '.join(flags)}: no "
                          f"'{pattern}', or {spill} bytes spilled in\n{body}")
    return faults


def check_moves(target, lanes):
    """Faults of the kernels of tests/codegen/amd.hip."""
    flags = ["-mwavefrontsize64"] if lanes == 64 and is_rdna(target) else []
    status, said = compiled(ROOT / "tests/codegen/amd.hip", target,
                            "-std=c++17", f"-DTHE_LANES={lanes}",
                            f"-DTHE_GFX=0x{target[3:]}", *flags)
    if status:
        return [said[:3000]]
    found, faults = bodies(said), []
    column = 2 if is_rdna(target) else int(target == "gfx950")
    for name, (body, spill) in found.items():
        why = ""
        if name in MOVED:
            wanted = list(MOVED[name][column])
            if name == "shuffle" and (target, lanes) == ("gfx1100", 64):
                wanted = HALF + ASK_ANY * 2 + ["v_cndmask_b32"]
            moved = re.findall(LANES, body)
            why = f"moves by {moved}" if sorted(moved) != sorted(wanted) else ""
        else:
            why = "".join(f"no {p}; " for p in
                          CONTAINED[name][is_rdna(target)]
                          if not re.search(p, body))
        why += f"; {spill} bytes spilled" if spill else ""
        why += "".join(f"; {what}" for pattern, what in
                       ((r"s_getpc|@rel32|@got", "a table"),
                        (r"\bs_(branch|cbranch_scc|cbranch_vcc)", "a branch"),
                        (r"s_swappc|s_setpc", "a call"))
                       if re.search(pattern, body))
        if why:
            faults.append(f"{name} for {target}, {lanes} lanes: {why} in\n{body}")
    missing = set(MOVED) | set(CONTAINED)
    missing -= set(found) | (set() if lanes == 64 else
                             {"exchange_32", "exchange_37"})
    return faults + [f"{name} for {target} is not there" for name in missing]


def is_named(target, sentence):
    """Does a sentence about an instruction speak of that target?"""
    names = re.findall(r"gfx\w+", sentence.split(" instruction of ")[-1])
    return any(target.startswith(name) for name in names)


def check_absent(folder, target, all_of, has):
    """Faults of those that it lacks. has(target, ask) is ll_amd_has."""
    source = folder / f"lacks_{target}.hip"
    parts = [HEAD] + [kernel(n, c[1]) for n, c in all_of]
    source.write_text("".join(parts))
    starts = [sum(p.count("\n") for p in parts[:k + 1]) + 1
              for k in range(len(all_of))]
    _, said = compiled(source, target, "-std=c++17", "-ferror-limit=0",
                       "-Wno-everything")
    faults, told = [], set()
    for part in re.split(r"^(?=\S+:\d+:\d+: error: )", said, flags=re.M)[1:]:
        line = re.search(rf"{source.name}:(\d+):.*requested here", part)
        sentence = re.search(r"error: static assertion failed.*?: (ll: .*)",
                             part)
        if not line or not sentence:
            faults.append(f"{target}: another error: {part[:500]}")
            continue
        k = max(i for i, s in enumerate(starts) if s <= int(line[1]))
        _, (name, _, ask, _, _) = all_of[k]
        told.add(k)
        if name not in sentence[1]:
            faults.append(f"{name} is not in '{sentence[1]}'")
        for other in TARGETS:
            if name != "update_dpp" and \
                    is_named(other, sentence[1]) != has(other, ask):
                faults.append(f"'{sentence[1]}' is wrong about {other}")
    return faults + [f"{all_of[k][1][0]} is not refused for {target}"
                     for k in range(len(all_of)) if k not in told]


def asked(folder, questions):
    """What ll_amd_has says to each target and instruction."""
    (folder / "ask.c").write_text(ASK)
    status, said = run(os.environ.get("CC", "gcc"), "-std=c11", "-I", ROOT,
                       folder / "ask.c", "-o", folder / "ask")
    if status:
        sys.exit(said)
    text = "".join(f"{t} {name}\n" for t, name in questions)
    answers = run(folder / "ask", input=text)[1].split()
    return {q: q[1] in EVERYWHERE or a == "1"
            for q, a in zip(questions, answers)}


def check_plain(folder, target):
    """The headers for the device in C, and for the host half of HIP."""
    source = folder / f"plain_{target}.c"
    source.write_text(
        '#include "ll_amd.h"\n#define GLOBAL __attribute__((address_space(1)))'
        "\n__attribute__((amdgpu_kernel)) void k(GLOBAL unsigned *p);\n"
        "__attribute__((amdgpu_kernel)) void k(GLOBAL unsigned *p) {\n"
        '    p[0] = ll_apply(ll_parse("lane: i1 i0"), p[1]);\n}\n')
    status, said = run(CLANG, "--target=amdgcn-amd-amdhsa", f"-mcpu={target}",
                       "-std=c11", "-nogpulib", "-ffreestanding", "-nostdinc",
                       "-O1", *WARN, "-I", ROOT, "-S", source, "-o", os.devnull)
    return [f"plain C for {target}: {said[:2000]}"] if status else []


def check_dialects(folder, all_of):
    """Other standards of C++, and the host's half of a HIP file."""
    source = folder / "all.hip"
    source.write_text(HEAD + "".join(kernel(n, c[1]) for n, c in all_of))
    faults = []
    for flags in (["-std=c++17", "--cuda-device-only"],
                  ["-std=c++20", "--cuda-device-only"],
                  ["-std=c++17", "--cuda-host-only"]):
        for file in (source, ROOT / "tests/codegen/amd.hip"):
            status, said = run(CLANG, *HIP, "--offload-arch=gfx950",
                               "-DTHE_LANES=64", "-DTHE_GFX=0x950", *flags,
                               "-fsyntax-only", file)
            if status:
                faults.append(f"{file.name}, {flags}: {said[:2000]}")
    return faults


def check_sizes(folder):
    """Arrays that are not those of a product."""
    name = "ll_amd_mfma_f32_32x32x8f16(c, a, b)"
    faults = []
    for a, b, c, ok in ((2, 2, 16, True), (4, 4, 16, True), (8, 4, 32, True),
                        (2, 4, 16, False), (4, 4, 32, False), (1, 2, 16, False),
                        (3, 3, 16, False), (2, 2, 8, False)):
        source = folder / f"sizes{a}{b}{c}.hip"
        source.write_text(f"{HEAD}__global__ void k(float *o) {{\n"
                          f"    unsigned a[{a}] = {{1}}, b[{b}] = {{1}};\n"
                          f"    float c[{c}] = {{1}};\n    {name};\n"
                          "    o[0] = c[0];\n}\n")
        status, said = compiled(source, "gfx942", "-std=c++17")
        if (status == 0) != ok or \
                ("ll: c, a and b must hold the registers" in said) == ok:
            faults.append(f"{name} of {a}, {b}, {c} words: {said[:1000]}")
    return faults


def check_forms(folder):
    """A plan by transposing loads is refused where the target lacks them: what
    ll.h asks for it."""
    source = folder / "forms.hip"
    source.write_text(HEAD + "static_assert((unsigned)ll_amd_moves_<64>::loads "
                      '>> LL_FORM_TRANS & 1u, "no transposing loads");\n')
    faults = []
    for target, ok in (("gfx950", True), ("gfx942", False)):
        status, said = compiled(source, target, "-std=c++17")
        if (status == 0) != ok or ("no transposing loads" in said) == ok:
            faults.append(f"forms of {target}: {said[:1000]}")
    return faults


def check(folder):
    """The counts of passed and failed, and the faults."""
    all_of = list(enumerate(cases() + products()))
    ask = sorted({c[2] for _, c in all_of})
    answers = asked(folder, [(t, a) for t in TARGETS for a in ask])
    jobs, counts = [], 0
    faults = [f"ll_amd_{name} has no case" for name in
              functions() ^ {c[0] for _, c in all_of}]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for target in TARGETS:
            has = [c for c in all_of if answers[target, c[1][2]]]
            lacks = [c for c in all_of if not answers[target, c[1][2]]]
            for flags in ([], ["-mwavefrontsize64"])[:1 + is_rdna(target)]:
                lanes = 64 if flags or not is_rdna(target) else 32
                some = [c for c in has if not (flags and "_w32" in c[1][0])]
                jobs.append(pool.submit(check_present, folder, target, some,
                                        flags))
                jobs.append(pool.submit(check_moves, target, lanes))
                counts += len(some) + len(MOVED) + len(CONTAINED)
            jobs.append(pool.submit(check_absent, folder, target, lacks,
                                    lambda t, a: answers[t, a]))
            jobs.append(pool.submit(check_plain, folder, target))
            counts += len(lacks) + 1
        jobs.append(pool.submit(check_dialects, folder,
                                [c for c in all_of
                                 if answers["gfx950", c[1][2]]]))
        jobs.append(pool.submit(check_sizes, folder))
        jobs.append(pool.submit(check_forms, folder))
        counts += 6 + 8 + 2 + len(functions())
        for job in jobs:
            faults += job.result()
    return counts - len(faults), faults


def main():
    if not shutil.which(CLANG):
        print(f"skipped: there is no {CLANG}\n0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory() as name:
        passed, faults = check(pathlib.Path(name))
    for fault in faults:
        print("FAIL", fault)
    print(f"{max(passed, 0)} passed, {len(faults)} failed, 0 skipped")
    return len(faults) != 0


if __name__ == "__main__":
    sys.exit(main())
