#!/usr/bin/env python3
"""debugger.py - layouts and plans as the debuggers show them.

A program with layouts and plans is stopped in gdb, which prints them by
examples/packaging/debugger/ll_gdb.py. ll_parse must read each printed layout as
the layout that it was, and what is printed of a plan must be what its members
say. Of ll.natvis, the types and the members that it names must be in ll.h. Without gdb,
that alone is checked.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.dom.minidom

import api
import source

ROOT = source.ROOT
BUILD = ROOT / "build" / "debugger"
SCRIPT = ROOT / "examples" / "packaging" / "debugger" / "ll_gdb.py"
NATVIS = ROOT / "examples" / "packaging" / "debugger" / "ll.natvis"
LEAST_TYPES = 4

# Layouts as expressions of ll.h. The program compares those that it is given as
# text with them.
LAYOUTS = [
    'll_parse("register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3")',
    "ll_rows(64, 64, 4)",
    'll_trans(ll_rows(64, 32, 2), "j i")',
    'll_parse("lane: j0 0 j1^i0 | 1: i1^j1 -> 4x4")',
    'll_parse("register: dim0.0 dim0.2 | lane: dim0.1 -> dim0=8")',
    "ll_plan_of(ll_rows(64, 64, 4), ll_trans(ll_rows(64, 64, 4), "
    '"j i"), 32, LL_SM90).memory',
    "ll_zeros(4, LL_REGISTER, LL_J, 8)",
    "ll_identity(8, LL_REGISTER, LL_J)",
]
PLANS = ['ll_plan_of(ll_rows(64, 64, 4), ll_trans(ll_rows(64, 64, 4), "j i"), '
         "32, LL_SM90)",
         "ll_plan_of(ll_rows(64, 64, 4), ll_rows(64, 64, 4), 32, LL_SM90)"]


def program():
    """Everything is made in main: a constant of C cannot call a function."""
    body = """
#include "ll_ptx.h"
#include <stdio.h>
static ll_layout a[%d], wrong;
static ll_plan p[%d];
static ll_shape sizes;
static ll_dim dim;

__attribute__((noinline)) static void stop(void) { __asm__ volatile(""); }

static void words(ll_plan q) {
    printf("%%u bytes of shared memory, about %%u cycles per warp, %%u steps\\n",
           q.smem_bytes, q.cycles, q.n);
    for (unsigned k = 0; k < q.n; ++k) {
        printf("%%u instructions\\n", q.step[k].count);
    }
}

int main(int argc, char **argv) {
%s    wrong = ll_parse("lane: j0 | lane: j1");
    sizes = ll_shape_of("j=16 i=4");
    dim = LL_REGISTER;
    if (argc == 1) {
        stop();
    } else if (argc == 2) {
        words(p[0]);
        words(p[1]);
    }
    for (int k = 2; k < argc; ++k) {
        if (!ll_is_equal(ll_parse(argv[k]), a[k - 2])) {
            printf("%%s\\n", argv[k]);
        }
    }
    return (int)(wrong.err + sizes.err + (unsigned)dim) & 0;
}
"""
    made = [f"    a[{k}] = {text};\n" for k, text in enumerate(LAYOUTS)] + \
        [f"    p[{k}] = {text};\n" for k, text in enumerate(PLANS)]
    return body % (len(LAYOUTS), len(PLANS), "".join(made))


class Failed(Exception):
    """What is wrong, in words."""


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise Failed(f"{command[0]}: {done.stdout[-2000:]}")
    return done.stdout


def built(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "layouts.c").write_text(program())
    run(os.environ.get("CC", "gcc"), "-std=c11", "-g", "-O0", "-I", ROOT,
        folder / "layouts.c", "-o", folder / "layouts")
    return folder / "layouts"


def printed(binary, script):
    """What gdb prints of each value, in one line each, by its expression."""
    asked = [f"a[{k}]" for k in range(len(LAYOUTS))] + \
        [f"p[{k}]" for k in range(len(PLANS))] + ["wrong", "sizes", "dim"]
    commands = ["set confirm off", "set width 0", "set print elements 0",
                "set startup-with-shell off", f"source {script}", "break stop",
                "run"] + [f"print {a}" for a in asked]
    args = [part for c in commands for part in ("-ex", c)]
    out = run("gdb", "-nx", "-batch", *args, binary)
    found = re.findall(r"^\$\d+ = (.*)$", out, re.M)
    if len(found) != len(asked):
        raise Failed(f"gdb printed {len(found)} of {len(asked)} values: "
                     f"{out[-1500:]}")
    return dict(zip(asked, found))


def gdb_faults(binary, script):
    """Each printed value that differs from the program's."""
    try:
        found = printed(binary, script)
    except Failed as why:
        return [str(why)]
    texts = [found[f"a[{k}]"] for k in range(len(LAYOUTS))]
    other = run(binary, "compare", *texts).splitlines()
    faults = [f"not the layout that it was: {text}" for text in other]
    words = run(binary, "words").splitlines()
    plans = " ".join(found[f"p[{k}]"] for k in range(len(PLANS)))
    for line in words:
        where = plans.find(line)
        if where < 0:
            faults.append(f"not printed of a plan, or out of order: {line}")
        plans = plans[where + len(line):] if where >= 0 else plans
    for name, text in (("wrong", "no layout: LL_ETWICE"), ("sizes", "j=16 i=4"),
                       ("dim", "register")):
        if found[name] != text:
            faults.append(f"{name} is printed as {found[name]!r}, not {text!r}")
    kinds = found["p[0]"].split(",")[0], found["p[1]"].split(",")[0]
    if kinds != ("shared", "nothing"):
        faults.append(f"the plans are printed as {kinds}")
    return faults


def member_names():
    """Names of the members of each public struct, from the list of the API."""
    found = {}
    for entry in api.entries(source.headers()):
        kind = re.match(r"\S+ type struct (\w+): (.*)", entry)
        if kind:
            found[kind[1]] = set(re.findall(r"(\w+)(?=\[[^]]*\]|,|;|$)",
                                            re.sub(r"\[[^]]*\]", "", kind[2])))
    return found


def expressions(node):
    """What the debugger evaluates in a type's visualizer."""
    for child in node.getElementsByTagName("*"):
        for key in ("Condition", "Name"):
            text = child.getAttribute(key)
            yield from re.findall(r"\{([^}]*)\}", text) if key == "Name" \
                else [text]
        text = "".join(t.data for t in child.childNodes
                       if t.nodeType == t.TEXT_NODE).strip()
        yield from re.findall(r"\{([^}]*)\}", text) \
            if child.tagName == "DisplayString" else [text]


def natvis_faults(text, members):
    try:
        page = xml.dom.minidom.parseString(text)
    except xml.parsers.expat.ExpatError as error:
        return [f"ll.natvis is not XML: {error}"]
    kinds = page.getElementsByTagName("Type")
    faults = [] if len(kinds) >= LEAST_TYPES else \
        [f"{len(kinds)} types, at least {LEAST_TYPES} expected"]
    for kind in kinds:
        name = kind.getAttribute("Name")
        if name not in members:
            faults.append(f"{name} is no type of the headers")
            continue
        known = members[name] | members["ll_shape"] | {"u", "char", "c", "x"}
        known |= {v.getAttribute("Name")
                  for v in kind.getElementsByTagName("Variable")}
        for text in expressions(kind):
            for word in re.findall(r"\b[a-z]\w*", text):
                if word not in known:
                    faults.append(f"{name} has no member {word}: {text}")
    return faults


def main():
    faults = natvis_faults(NATVIS.read_text(), member_names())
    checks, skipped = LEAST_TYPES, 0
    if shutil.which("gdb"):
        checks += len(LAYOUTS) + len(PLANS) + 3
        faults += gdb_faults(built(BUILD), SCRIPT)
    else:
        print("skipped: there is no gdb")
        skipped = 1
    for fault in faults:
        print("FAIL", fault)
    print(f"{max(checks - len(faults), 0)} passed, {len(faults)} failed, "
          f"{skipped} skipped")
    return len(faults) != 0


if __name__ == "__main__":
    sys.exit(main())
