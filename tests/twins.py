#!/usr/bin/env python3
"""twins.py - ll_ptx.h and ll_amd.h are twins: where do they differ, and why?

Compared are the rooms, the rows of the capability table of the guide, the
functions of the rooms below the instructions, the instructions, and the members
of the hooks for ll.h, which has the moves themselves: neither header
defines a public macro that ll.h has. Every difference stands in EXPLAINED with its reason, as the script writes it, "V: mads (ptx)" for what one
header alone has; a difference that does not, and an explanation that explains
nothing, are failures. CC names the C compiler.
"""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys

import source

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXT = {v: (ROOT / f"ll_{v}.h").read_text() for v in ("ptx", "amd")}

# Instructions that do the same: NVIDIA's, AMD's, by their names before the
# width. Widths are compared.
SAME = [
    ("ld_shared", "ds_read"), ("st_shared", "ds_write"),
    ("ld_global", "global_load"), ("st_global", "global_store"),
    ("ld_global_no_allocate", "global_load_nt"),
    ("st_global_no_allocate", "global_store_nt"),
    ("bar", "s_barrier"), ("bar_warp", "wave_barrier"),
    ("prmt", "perm"), ("shfl_idx", "ds_bpermute"),
]

# What both take from the emulator.
EMULATED = {"enter", "came", "columns", "half", "memory"}

# Reason: the differences that it explains; * stands for anything.
EXPLAINED = {
    "a target of AMD is a number and a size of wavefronts": [
        "function target: (sm) and (gfx, lanes)"],
    "sm_100f and its like, beside sm_100: AMD's targets have no such variants":
        ["function family (ptx)"],
    "operands of mma.sync and wgmma": [
        "function fragment (ptx)", "function quad (ptx)",
        "function sparse (ptx)", "function scale (ptx)", "function mma (ptx)",
        "function wgmma (ptx)"],
    "operands of MFMA and WMMA, and what modifiers make of them": [
        "function mfma (amd)", "function mfma_scale (amd)",
        "function smfmac (amd)", "function wmma (amd)", "function swmmac (amd)",
        "function cbsz (amd)", "function blgp (amd)",
        "function index_set (amd)", "function opsel (amd)"],
    "what exchanges elements on the way from shared memory": [
        "function matrix (ptx)", "function matrix_rows (ptx)",
        "function ds_read_tr (amd)", "function ds_load_tr (amd)"],
    "AMD has no tensor memory": [
        "function tmem (ptx)", "function tmem_x2 (ptx)",
        "function tcgen05 (ptx)", "function idesc_of (ptx)",
        "function idesc_scales (ptx)"],
    "words of small numbers are unpacked by lop3, which AMD lacks": [
        "function untwiddle (ptx)", "function twiddled (ptx)",
        "row unpacking small numbers (ptx)"],
    "AMD's operands come from registers, whatever their memory": [
        "function between (ptx)", "row shared to shared memory (ptx)"],
    "AMD's matrix instructions read registers alone, and no engine copies "
    "tiles: no descriptors, no swizzles of hardware": [
        "function tma (ptx)", "function tma_of (ptx)", "function smem_k (ptx)",
        "function smem_mn (ptx)", "function desc_places (ptx)",
        "function desc_of (ptx)", "function desc_wgmma (ptx)",
        "function desc_tcgen05 (ptx)", "function desc_slice (ptx)",
        "function tensor_of (ptx)", "function tensor_box (ptx)",
        "function stage (ptx)", "function multicast_of (ptx)",
        "function multicast_box (ptx)",
        "row tensor maps of such memory (ptx)",
        "row tensor copies, mbarrier (ptx)"],
    "AMD's instructions take whole arrays; LL_CAST is NVIDIA's so far": [
        "row conversions of types (ptx)", "room multiply: * (ptx)",
        "room cast: * (ptx)", "room cast_order: * (ptx)"],
    "what is above the registers is a room each for NVIDIA": [
        "room swizzle_modes: * (ptx)", "room shared: * (amd)",
        "room twiddle: * (ptx)", "room descriptors: * (ptx)",
        "room tensor_maps: * (ptx)", "room slices: * (ptx)",
        "room between: * (ptx)", "room idesc: * (ptx)",
        "room constants: * (ptx)", "room multicast: * (ptx)"],
    "each has its own instructions": ["room instructions/*", "room hooks: *"],
    "AMD has accesses of up to 16 bytes": [
        "widths of ld_global and global_load: b256",
        "widths of st_global and global_store: b256",
        "widths of ld_global_no_allocate and global_load_nt: b256",
        "widths of st_global_no_allocate and global_store_nt: b256"],
    "NVIDIA's exchanges between lanes": [
        "instruction shfl_bfly (ptx)", "instruction shfl_up (ptx)",
        "instruction shfl_down (ptx)", "instruction movmatrix (ptx)",
        "instruction redux_* (ptx)", "V: redux (ptx)"],
    "AMD's exchanges between lanes": [
        "instruction update_dpp (amd)", "instruction mov_dpp8 (amd)",
        "instruction permlane* (amd)", "instruction ds_swizzle (amd)",
        "instruction ds_permute (amd)", "instruction readlane (amd)",
        "instruction readfirstlane (amd)"],
    "NVIDIA's matrices of shared memory, copies past the registers, clusters": [
        "instruction ldmatrix_* (ptx)", "instruction stmatrix_* (ptx)",
        "instruction cp_async_* (ptx)", "instruction fence_proxy_async (ptx)",
        "instruction cluster_ctarank (ptx)", "instruction mapa (ptx)",
        "instruction ld_shared_cluster (ptx)",
        "instruction barrier_cluster_* (ptx)",
        "instruction ld_global_nc (ptx)"],
    "AMD's ways to memory: two places at once, transposed, buffers whose end is "
    "known, past the registers to places in the order of the lanes": [
        "instruction ds_read2 (amd)", "instruction ds_write2 (amd)",
        "instruction ds_read_tr* (amd)", "instruction make_buffer_rsrc (amd)",
        "instruction raw_buffer_* (amd)",
        "instruction global_load_lds (amd)"],
    "mma.sync takes the arrays of a lane as they are, and PTX spells it with "
    "every type and size: it is left to the caller": [
        "instruction mfma_* (amd)", "instruction wmma_* (amd)"],
    "multiplications relieve NVIDIA's logic pipe of selects and permutes; on "
    "AMD these are plain C": [
        "instruction selp (ptx)", "instruction mad (ptx)",
        "instruction mad_if (ptx)"],
    "barriers in shared memory, copies of tensors and remote stores, which AMD "
    "lacks": [
        "instruction mbarrier_* (ptx)", "instruction fence_mbarrier_init (ptx)",
        "instruction st_async (ptx)", "instruction prefetch_tensormap (ptx)",
        "instruction bar_arrive_at (ptx)"],
    "how a launch and its threads share the machine": [
        "instruction setmaxnreg_* (ptx)", "instruction griddepcontrol_* (ptx)",
        "instruction elect (ptx)"],
    "conversions of pairs that LL_CAST is made of, and exponentials": [
        "instruction cvt_* (ptx)", "instruction fma_* (ptx)",
        "instruction ex2 (ptx)"],
    "a cluster of blocks, which AMD lacks": [
        "V: block (ptx)", "V: dsmem (ptx)", "V: take_dsmem (ptx)",
        "V: wait_cluster (ptx)", "V: arm_bar (ptx)", "V: init_bar (ptx)",
        "V: fence_bars (ptx)", "V: wait_bar (ptx)", "V: push (ptx)"],
    "lanes that are reached without shared memory's pipe; NVIDIA has none": [
        "V: hop (amd)", "V: swap (amd)"],
    "barriers of some threads of a block; AMD's targets have none": [
        "V: wait_named (ptx)", "V: wait_named_at (ptx)",
        "instruction bar_named (ptx)", "instruction bar_at (ptx)"],
    "AMD's own: the target, and what it has": [
        "V: gfx (amd)", "V: halves (amd)"],
}


def rooms(vendor):
    return [f"{name}: {title}" for name, title, *_ in
            source.rooms(TEXT[vendor])]


def rows(vendor):
    """The left column of the table of the guide, a row of several lines
    once."""
    table = re.findall(r"^ \* \| (.{26}) \|",
                       source.room(TEXT[vendor], "guide"), re.M)
    return [row.strip() for row in table if row.strip()]


def functions(vendor):
    """Public functions of the rooms below the instructions: the family, its
    parameters. The last letter of an operand, _a to _e and _k, is left out."""
    found = {}
    text = TEXT[vendor].partition("/* ---- instructions/")[0]
    for name, args in re.findall(rf"^LL_FN [\w ]+? ll_{vendor}_(\w*[^\W_])"
                                 r"\(([^)]*)\)", text, re.M):
        family = re.sub(r"^((?!smem).*?)_[a-ek]$", r"\1", name)
        family = "tcgen05" if name == "tcgen05_d" else family
        found.setdefault(family, re.findall(r"(\w+)(?:,|$)", args))
    return found


def instructions(vendor):
    """Instructions as the preprocessor makes them: their widths."""
    text = source.room(TEXT[vendor], "instructions/")
    flags = ["-D__HIP__", "-D__clang_major__=22"] if vendor == "amd" else []
    said = subprocess.run([os.environ.get("CC", "gcc"), "-E", "-P", "-x", "c++",
                           "-DLL_DEVICE=DEVICE", "-DLL_EMULATE=0", *flags, "-"],
                          input=text, text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    found = {}
    for name in re.findall(rf"\bDEVICE\s+\w+\s+ll_{vendor}_(\w*[^\W_])\(",
                           said):
        width = re.search(r"_(b\d+)$", name)
        family = name[:width.start()] if width else name
        found.setdefault(family, set()).add(width[1] if width else "")
    return found


def doubled(vendor):
    """Public macros of the header that ll.h has too."""
    def macros(text):
        return set(re.findall(r"^#define (LL_\w*[^\W_])\(", text, re.M))
    return [f"{name} of ll.h is defined again (ll_{vendor}.h)" for name in
            sorted(macros(TEXT[vendor]) & macros((ROOT / "ll.h").read_text()))]


def members(vendor):
    """Of what the hooks give to ll.h, their bases included."""
    text, found = source.room(TEXT[vendor], "hooks"), set()
    for body in re.findall(r"\bstruct ll_\w+_(?:moves|accesses)_\b[^;]*?{$(.*?)^};",
                           text, re.M | re.S):
        found |= set(re.findall(r"LL_DEVICE (?:\w+ )+(\w+)\(", body))
        for names in re.findall(r"enum : unsigned {(.*?)}", body, re.S):
            found |= set(re.findall(r"(\w+) = ", names))
    return found


def only(what, ptx, amd):
    """Those that one header alone has."""
    return [f"{what} {name} (ptx)" for name in ptx if name not in amd] + \
           [f"{what} {name} (amd)" for name in amd if name not in ptx]


def ordered(what, ptx, amd):
    """The same, in the same order."""
    return only(what, ptx, amd) or \
        [f"{what} {p}, where ll_amd.h has {a}" for p, a in zip(ptx, amd)
         if p != a]


def instruction_differences():
    ptx, amd = instructions("ptx"), instructions("amd")
    found = []
    for p, a in SAME:
        for name, of in ((p, ptx), (a, amd)):
            if name not in of:
                found.append(f"there is no instruction {name}")
        widths = ptx.pop(p, set()) ^ amd.pop(a, set())
        found += [f"widths of {p} and {a}: {w}" for w in sorted(widths)]
    return found + only("instruction", ptx, amd)


def differences():
    """All, and how many things were compared."""
    both = [(read("ptx"), read("amd")) for read in
            (rooms, rows, functions, members)]
    heads, table, calls, gives = both
    found = ordered("room", *heads) + ordered("row", *table) + \
        only("function", *calls) + \
        only("V:", *gives) + instruction_differences() + \
        doubled("ptx") + doubled("amd")
    ptx, amd = calls
    for name in ptx:
        p, a = (", ".join(x) for x in (ptx[name], amd.get(name, ptx[name])))
        if p != a:
            found.append(f"function {name}: ({p}) and ({a})")
    used = set(re.findall(r"\b(?:V_|moves)::(?:template )?(\w+)",
                          (ROOT / "ll.h").read_text())) - EMULATED
    found += [f"V: ll.h uses {name}, which no header gives"
              for name in used - gives[0] - gives[1]]
    least = (10, 15, 5, 16)
    found += [f"only {len(of)} {what} of ll_{vendor}.h were found" for
              what, pair, n in zip(("rooms", "rows", "functions", "members"),
                                   both, least)
              for vendor, of in zip(("ptx", "amd"), pair) if len(of) < n]
    return found, sum(len(p) + len(a) for p, a in both) + len(SAME)


def planted():
    """What is not found of three faults, each planted into the headers."""
    kept, lost = dict(TEXT), []
    for vendor, old, new, wanted in (
            ("amd", "LL_DEVICE void wait_block()", "LL_DEVICE void wait_all()",
             "V: wait_block (ptx)"),
            ("ptx", "/* ---- hooks:", "#define LL_LOAD(a)\n/* ---- hooks:",
             "LL_LOAD of ll.h is defined again (ll_ptx.h)"),
            ("ptx", " ll_ptx_st_shared_b16(", " ll_ptx_st_shared_b17(",
             "widths of st_shared and ds_write: b17")):
        TEXT[vendor] = kept[vendor].replace(old, new)
        lost += [] if wanted in differences()[0] else [wanted]
        TEXT.update(kept)
    return lost


def main():
    found, compared = differences()
    reasons = [p for patterns in EXPLAINED.values() for p in patterns]

    def explains(pattern, difference):
        return fnmatch.fnmatchcase(difference, pattern)

    faults = [f"not explained: {d}" for d in found
              if not any(explains(p, d) for p in reasons)]
    faults += [f"no difference any more: {p}" for p in reasons
               if not any(explains(p, d) for d in found)]
    faults += [f"planted, but not found: {d}" for d in planted()]
    for fault in faults:
        print("FAIL", fault)
    print(f"{compared - len(faults)} passed, {len(faults)} failed")
    return len(faults) != 0


if __name__ == "__main__":
    sys.exit(main())
