#!/usr/bin/env python3
"""selftest.py - each checker is shown a planted fault, and must see it.

    selftest.py [NAME...]    those alone

Every tests/*.py and tests/*.sh that judges something has a function here, which
gives its judging code small inputs, sound ones and such with one fault. Tools
that a machine may lack are stood in for by scripts. A checker without such a
function is a failure, as is one that misses a fault or finds one where none is.
"""
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True

# What judges nothing.
NO_CHECKERS = {
    "schemata.py": "changes functions for mutate.py",
    "source.py": "reads the headers for other scripts",
    "wrappers.py": "lists functions for tests/data_wrappers.cc",
    "setup.sh": "installs",
    "package.sh": "installs; tests/install looks at what it did",
    "selftest.py": "this script",
}
TESTS = {}


def checker(name):
    def keep(function):
        TESTS[name] = function
        return function
    return keep


class Missed(Exception):
    """What a checker should have said, or should not."""


def sees(said, *words):
    """The checker speaks of the fault."""
    text = said if isinstance(said, str) else "\n".join(map(str, said))
    for word in words:
        if word not in text:
            raise Missed(f"'{word}' is not in what it says: {text[:1000]!r}")


def silent(said):
    """It finds nothing."""
    if said:
        raise Missed(f"it finds a fault where none is: {said!r}"[:1000])


def stops(function, *arguments):
    """The sentence with which a function ends the script."""
    try:
        function(*arguments)
    except SystemExit as end:
        return str(end.code)
    raise Missed("it goes on")


def ran(module, *arguments, **patches):
    """Exit status and output of a script's main."""
    said = io.StringIO()
    with contextlib.ExitStack() as stack:
        for what, by in patches.items():
            stack.enter_context(mock.patch.object(module, what, by))
        argv = ["", *map(str, arguments)]
        stack.enter_context(mock.patch.object(sys, "argv", argv))
        stack.enter_context(contextlib.redirect_stdout(said))
        status = module.main()
    return int(status), said.getvalue()


def fails(result, *words):
    status, said = result
    if status == 0:
        raise Missed(f"exit status 0, and {said[-500:]!r}")
    sees(said, *words)


def succeeds(result):
    status, said = result
    silent(said if status else "")


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def tool(path, text):
    """A program that stands in for another."""
    written(path, "#!/bin/sh\n" + text).chmod(0o755)
    return str(path)


def compiler(path, output, said=""):
    """One that writes `output` where -o tells it."""
    written(path.with_suffix(".out"), output)
    written(path.with_suffix(".said"), said)
    return tool(path, f"cat {path.with_suffix('.said')}\n"
                'while [ $# -gt 1 ]; do [ "$1" != -o ] || '
                f'cp {path.with_suffix(".out")} "$2"; shift; done\n')


# ---- Text of the headers ---------------------------------------------------

HEADER = "".join(f"""/* ---- base/r{n}: Room {n} --------------------- */

/* ll_low{n}(a): one. */
LL_FN unsigned ll_low{n}(unsigned a) {{
    return a;
}}

LL_FN unsigned ll_mid{n}(unsigned a) {{
    return ll_low{n}(a);
}}

#define LL_M{n}(a) ll_mid{n}(a)
#define LL_N{n} 3

""" for n in range(1, 12))


@checker("shape.py")
def _(_folder):
    import shape
    silent(list(shape.faults(HEADER)))
    sees(shape.faults(HEADER + "/* " + "x" * 80 + " */\n"), "86 columns")
    sees(shape.faults(HEADER + "\tx\n"), "a tab")
    sees(shape.faults(HEADER.replace("return a;", "return a; ")), "a blank")
    between = "LL_FN int ll_helper_(int a) {\n    return a;\n}\n"
    sees(shape.faults(HEADER.replace("one. */\n", "one. */\n" + between, 1)),
         "the comment of ll_low1 stands above ll_helper_")
    silent(list(shape.faults(HEADER.replace("one. */", "one. */\n#if 1", 1))))
    sees(shape.faults("int x;\n"), "0 comments begin with a call")


@checker("api.py")
def _(folder):
    import api
    text = "".join(f"#define LL_VERSION_{part} {number}\n" for part, number in
                   (("MAJOR", 0), ("MINOR", 3), ("PATCH", 1))) + HEADER + """
typedef struct ll_pair {
    unsigned a; /* one */
    unsigned b[LL_N2];
} ll_pair;
enum { LL_ONE, LL_TWO = 3, LL_PRIVATE_ };
template <class T_, unsigned N_>
LL_DEVICE void ll_moved(T_ *to, unsigned from) {
}
"""
    header = written(folder / "ll.h", text)
    lists = folder / "api"
    lists.mkdir()
    changes = ["## 0.3.1\n\n## 0.3.0\n"]
    def faults(*change, version="0.3.1"):
        now = text.replace("PATCH 1", "PATCH " + version[-1])
        now = now.replace("MINOR 3", "MINOR " + version[2])
        now = now.replace("MAJOR 0", "MAJOR " + version[0])
        if change:
            sees(now, change[0])
        written(header, now.replace(*change) if change else now)
        with mock.patch.object(api, "LEAST", 40):
            return api.faults([header], lists, changes[0])[1]
    sees(faults(), "tests/api has no list of 0.3.1: make api")
    api.write([header], lists)
    silent(faults())
    sees((lists / "0.3.1.txt").read_text(), "unsigned a; unsigned b[LL_N2]",
         "constant LL_TWO", "template <class T_, unsigned N_> void ll_moved(T_",
         "macro LL_M1(a)")
    removed = ("LL_FN unsigned ll_mid7(", "LL_FN unsigned ll_mid7_(")
    sees(faults(*removed), "function ll_mid7: removed; ll.h needs a new")
    changed = ("ll_low3(unsigned a)", "ll_low3(int a)")
    sees(faults(*changed), "ll_low3, which was function unsigned",
         "changed; ll.h needs a new version")
    added = ("#define LL_N3 3", "#define LL_N3 3\n#define LL_NEW(x) 3")
    sees(faults(*added), "LL_NEW: not in the list of 0.3.1: make api")
    sees(faults("LL_M5(a) ll_mid5(a)", "LL_M5(a, b) ll_mid5(a)"),
         "LL_M5, which")
    sees(faults("LL_M5(a) ll_mid5(a)", "LL_M5 ll_mid5"), "LL_M5, which")
    sees(faults("unsigned a; /*", "int c;\n    unsigned a; /*"),
         "ll_pair, which")
    sees(faults("LL_N2];", "LL_N2];\n    int c;"), "ll_pair: not in the list")
    sees(faults("LL_TWO", "LL_TWO_"), "constant LL_TWO: removed")
    sees(faults("N_>", "M_, int N_>"), "ll_moved, which")
    silent(faults("ll_low3(unsigned a)", "ll_low3(unsigned b)"))
    silent(faults("<class T_, unsigned N_>", "<class T_, unsigned M_>"))
    sees(stops(api.write, [header], lists) if faults(*removed) else "",
         "0.3.1 is listed, and this breaks it", "ll_mid7")
    # the next versions
    for version, change, said in (
            ("0.3.2", added, "LL_NEW: a patch version has the interface of"),
            ("0.3.2", removed, "ll_mid7: a patch version"),
            ("0.4.0", added, ""),
            ("0.4.0", changed, ""), ("1.0.0", changed, ""),
            ("0.4.0", removed, "ll_mid7 of 0.3.1 is gone, and CHANGELOG.md")):
        changes[0] = f"## {version}\n"
        faults(*change, version=version)
        api.write([header], lists)
        found = faults(*change, version=version)
        sees(found, said) if said else silent(found)
        (lists / f"{version}.txt").unlink()
    changes[0] = "## 0.4.0\n\n`ll_mid7` is gone.\n\n## 0.3.1\n"
    faults(*removed, version="0.4.0")
    api.write([header], lists)
    silent(faults(*removed, version="0.4.0"))
    changes[0] = "## 0.3.1\n"
    sees(faults(*removed, version="0.4.0"), "CHANGELOG.md has no part 0.4.0")
    (lists / "0.4.0.txt").unlink()
    (lists / "0.3.1.txt").rename(lists / "1.3.1.txt")
    changes[0] = "## 1.4.0\n`ll_mid7`\n"
    faults(*removed, version="1.4.0")
    api.write([header], lists)
    sees(faults(*removed, version="1.4.0"), "ll_mid7: needs version 2.0.0")
    written(header, "#define LL_VERSION_MAJOR 0\n#define LL_VERSION_MINOR 1\n"
            "#define LL_VERSION_PATCH 0\n")
    sees(api.faults([header], lists, "")[1], "3 entries, at least 500")


@checker("rooms.py")
def _(folder):
    import rooms
    def faults(text, foreign=()):
        return [what for _, what in
                [*rooms.room_faults(text),
                 *rooms.order_faults(text, foreign, True)]]
    silent(faults(HEADER))
    sees(faults(HEADER.replace("ll_low2(a);", "ll_low7(a);")),
         "ll_low7 is used in base/r2", "in base/r7")
    sees(faults(HEADER.replace("LL_M3(a) ll_mid3(a)", "LL_M3(a) ll_mid5(a)")),
         "ll_mid5 is used in base/r3")
    sees(faults(HEADER.replace("{\n    return a;", "{\n    return LL_N1;", 1)),
         "LL_N1 is used in base/r1")
    sees(faults(HEADER.replace(
        "/* ll_low4", "LL_FN unsigned ll_mid4(unsigned a);\n/* ll_low4")),
        "ll_mid4 is declared ahead")
    sees(faults(HEADER.replace("/* ll_low5", "\n" * 1000 + "/* ll_low5")),
         "base/r5, Room 5, has 10", "at most 1000")
    up = HEADER.replace("base/r3:", "plan/r3:").replace("base/r4:", "layout/r4:")
    silent(faults(up))
    up = up.replace("ll_low4(a);", "ll_low3(a);")
    sees(faults(up), "layout/r4 uses ll_low3 of plan/r3: layout is not above")
    parts = HEADER.replace("base/r3:", "sort/r3:").replace(
        "#define LL_N3 3", "#ifdef LL_SORTS\n#define LL_N3 3\n#endif")
    silent(list(rooms.part_faults(parts, True)))
    sees([what for _, what in rooms.part_faults(
        parts.replace("def LL_SORTS", "def LL_ENGINE"), True)],
        "sort/r3 asks for LL_ENGINE")
    sees([what for _, what in rooms.part_faults(
        parts.replace("sort/", "base/"), True)], "base/r3 asks for LL_SORTS")
    sees([what for _, what in rooms.part_faults(
        HEADER.replace("ll_low2(a);", "emu_x(a);"), True)], "calls the emulator")
    sees(faults(HEADER.replace("return a;", "return ll_ptx_x(a);", 1),
                {"ll_ptx_x"}), "of a header that includes this one")
    pair = HEADER.replace("ll_low2(a);", "ll_low2_(a);")
    silent(list(rooms.underscore_faults(HEADER, rooms.names_of([HEADER]))))
    silent(list(rooms.underscore_faults(
        HEADER.replace("ll_low2(a);", "ll_low2_##a;"),
        rooms.names_of([HEADER]))))
    sees([what for _, what in rooms.underscore_faults(
        pair, rooms.names_of([HEADER]))],
        "ll_low2_ differs from ll_low2 by an underscore alone")
    sees(faults("int x;\n"), "0 rooms", "0 definitions")
    headers = [written(folder / n, HEADER) for n in ("ll.h", "a.h", "b.h")]
    written(headers[2], HEADER.replace("ll_low2(a);", "ll_low7(a);"))
    for room, below in (("base/a", ""), ("plan/b", "../base/a"),
                        ("layout/c", "../base/a")):
        include = f'#define A_H\n\n#include "{below}.h"\n' if below else \
            "#define A_H\n"
        written(folder / f"src/ll/{room}.h",
                ROOM.replace("#define A_H\n", include) % "int a;")
    def included(order="base/a\nlayout/c\nplan/b\n"):
        written(folder / "src/ll.rooms", order)
        return [what for _, what in rooms.include_faults("ll", folder)]
    silent(included())
    sees(included("plan/b\nbase/a\nlayout/c\n"), "base/a, which is not below")
    written(folder / "src/ll/layout/c.h", ROOM.replace(
        "#define A_H\n", '#define A_H\n\n#include "../plan/b.h"\n') % "int a;")
    sees(included("base/a\nplan/b\nlayout/c\n"), "layout is not above plan")
    with mock.patch.multiple(rooms.source, headers=lambda: headers,
                             PLACES=dict.fromkeys(h.name for h in headers),
                             VENDORS=("a.h",)):
        fails(ran(rooms, HOOKS={}), "FAIL b.h:", "1 failed")
        fails(ran(rooms, HOOKS={"LL_HOOK": "a reason"}),
              "a.h: it lacks the hook LL_HOOK")


ROOM = """/* ---- A room ------------------------------ */
#ifndef A_H
#define A_H

%s

#endif
"""


@checker("joined.py")
def _(folder):
    import joined
    for name in joined.join.NAMES:
        written(folder / f"src/{name}.rooms", "# a header\nlow\nup/high\n")
        written(folder / f"src/{name}/low.h", ROOM % "int low;")
        written(folder / f"src/{name}/up/high.h", ROOM.replace(
            "#define A_H\n", '#define A_H\n\n#include "../../ll/low.h"\n') %
                "int high;")
    written(folder / "LICENSE", "MIT\n")
    with mock.patch.object(joined.source, "ROOT", folder):
        joined.join.main([], folder)
        succeeds(ran(joined))
        sees((folder / "ll_ptx.h").read_text(), '#include "ll.h"',
             "/* ---- up/high: A room -", "int high;")
        shown = folder / "tools/views/ll_views.h"
        shown.write_text(shown.read_text() + "\n")
        fails(ran(joined), "FAIL ll_views.h differs from src/ll_views")
        written(folder / "src/ll/low.h", ROOM % "int lower;")
        fails(ran(joined), "FAIL ll.h differs from src/ll", "2 failed")
        joined.join.main([], folder)
        # a room of another folder, below one that includes it
        written(folder / "src/ll_amd/mine.h", ROOM % "int mine;")
        fails(ran(joined), "src/ll_amd/mine.h is not in src/ll_amd.rooms")
        written(folder / "src/ll.rooms", "../ll_amd/mine\nlow\nup/high\n")
        written(folder / "src/ll/low.h", ROOM.replace(
            "#define A_H\n", '#define A_H\n\n#include "../ll_amd/mine.h"\n')
            % "int low;")
        joined.join.main([], folder)
        succeeds(ran(joined))
        sees((folder / "ll.h").read_text(), "/* ---- ll_amd/mine: A room -",
             "int mine;")
        silent('#include "ll_amd.h"' in (folder / "ll.h").read_text())
        joined.join.main([], folder)
        written(folder / "src/ll_amd/up/new.h", ROOM % "int more;")
        fails(ran(joined), "src/ll_amd/up/new.h is not in src/ll_amd.rooms")
        written(folder / "src/ll/low.h", "int low;\n")
        fails(ran(joined), "FAIL low.h is not a room")


@checker("alone.py")
def _(folder):
    import alone
    low = ROOM % "static inline int low(void) { return 1; }"
    high = '#define A_H\n\n#include "../low.h"\n'
    high = ROOM.replace("#define A_H\n", high).replace("A_H", "B_H") % \
        "static inline int high(void) { return low(); }"
    for name in alone.join.NAMES:
        written(folder / f"src/{name}.rooms", "low\nup/high\n")
        written(folder / f"src/{name}/low.h", low)
        written(folder / f"src/{name}/up/high.h", high)
    def said(*arguments):
        with mock.patch.object(alone.source, "ROOT", folder):
            return ran(alone, *arguments)
    succeeds(said())
    sees(said("--all")[1], "40 passed" if shutil.which("clang") else "skipped")
    written(folder / "src/ll/up/high.h",
            high.replace('#include "../low.h"\n', ""))
    fails(said("--all"), "FAIL src/ll/up/high.h, gcc: ")
    fails(said(), "FAIL src/ll/up/high.h")


@checker("twins.py")
def _(_folder):
    import twins
    more = dict(twins.TEXT)
    at = more["ptx"].index("/* ---- operands: ")
    more["ptx"] = (more["ptx"][:at] + "LL_FN int ll_ptx_planted(int a) {\n}\n" +
                   more["ptx"][at:])
    told = {**twins.EXPLAINED, "a reason": ["function planted (amd)"]}
    fails(ran(twins, TEXT=more, EXPLAINED=told),
          "not explained: function planted (ptx)",
          "no difference any more: function planted (amd)", "2 failed")
    with mock.patch.object(twins, "differences", lambda: ([], 1)):
        fails(ran(twins, EXPLAINED={}), "planted, but not found")


@checker("reference.py")
def _(folder):
    import reference
    text = "".join(f"#define LL_VERSION_{part} 1\n" for part in
                   ("MAJOR", "MINOR", "PATCH"))
    text = HEADER.replace("\n\n", f"\n\n{text}\n", 1) + """
/* ---- base/r12: Links ---------------------------- */

/* Above ll_low1, of base/r2, and LL_NOT_HERE.
 *
 *     a table
 */

/* A pair. ll_low3(a) is elsewhere, ll_twin(a) is here.
 * Example: ll_low2(1) is 1;
 */
typedef struct ll_pair {
    unsigned a; /* one */
} ll_pair;
enum { LL_ONE, LL_TWO };
LL_FN unsigned ll_twin(unsigned a) {
    return a;
}

/* What all do.
 *
 * ll_left(a): `one`. ll_hand(a) is the same.
 *
 * ll_right(a): two.
 */
#define ll_left(a) (a)
#define ll_hand(a) (a)
#define ll_right(a) (a)
"""
    header, to = written(folder / "ll.h", text), folder / "pages"
    def faults(page="", old="", new=""):
        reference.write([header], to)
        if page:
            was = (to / page).read_text()
            sees(was, old)
            (to / page).write_text(was.replace(old, new, 1))
        with mock.patch.object(reference, "LEAST", 40):
            return reference.check([header], to)[1]
    silent(faults())
    last = (to / "ll-base-r12.html").read_text()
    sees(last, '<a href="ll-base-r1.html#ll_low1">ll_low1</a>', " LL_NOT_HERE",
         '<a href="ll-base-r2.html">base/r2</a>', "unsigned a; /* one */",
         '<a id="LL_TWO"></a>', "<pre>Example: ", "    a table",
         'See <a href="ll-base-r12.html#ll_pair">ll_pair</a>.',
         '</div>\n<p>What all do.</p>\n<div class="item"><a id="ll_left">',
         '<a id="ll_right"></a>\n<pre>#define ll_right(a) (a)</pre>\n<p>'
         '<a href="ll-base-r12.html#ll_right">ll_right</a>(a): two.</p>',
         'See <a href="ll-base-r12.html#ll_left">ll_left</a>.')
    sees(faults("ll-base-r12.html", "<code>one</code>", "`one`"),
         "ll-base-r12.html: a backtick in one")
    sees((to / "index.html").read_text(), "Links", "ll 1.1.1")
    sees(faults("ll-base-r12.html", "ll-base-r1.html#ll_low1", "ll-base-r1.html#ll_low"),
         "ll-base-r12.html: a dead link: ll-base-r1.html#ll_low")
    sees(faults("ll-base-r12.html", 'href="ll-base-r2.html"', 'href="ll-99.html"'),
         "a dead link: ll-99.html")
    sees(faults("ll-base-r3.html", '<a id="ll_mid3">', "<a>"),
         "ll.h: ll_mid3 has no place", "a dead link: ll-base-r3.html#ll_mid3")
    sees(faults("ll-base-r3.html", '<a id="ll_mid3">', '<a id="ll_low3">'),
         "two places ll_low3")
    sees(faults("ll-base-r3.html", "</div>", ""), "is not closed")
    sees(faults("ll-base-r3.html", "</pre>", "</p>"), "</p> closes another tag")
    index = (to / "index.html").read_text()
    reference.write([header], to)
    (to / "index.html").write_text(index.replace("ll-base-r4.html",
                                                    "ll-base-r5.html"))
    sees(reference.check([header], to)[1], "ll-base-r4.html is not in the contents",
         "entries, at least 500 expected")
    with mock.patch.object(reference.api, "entries", lambda _: [
            f"ll.h macro LL_LOST{k}" for k in range(500)]):
        found = ran(reference, "--check", to)
    fails(found, "ll.h: LL_LOST499 has no place",
          "LL_LOST499 is not in the contents", "1000 failed")


@checker("redistribute.py")
def _(folder):
    import contextlib
    import importlib.util
    import io
    import types
    spec = importlib.util.spec_from_file_location(
        "check_redistribute", ROOT / "tests/redistribute.py")
    redistribute = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(redistribute)  # imports another of its own name
    rd = redistribute.rd
    class Plan:  # of two ranks, rows to rows: each rank keeps what it has
        digest = 1
        targets = [1 << k for k in range(8)]
        def __init__(self, rank):
            self.rank = rank
        def part(self, peer):
            return types.SimpleNamespace(
                peer=peer, step=types.SimpleNamespace(peer=peer), first=0,
                source=lambda: rd.Places.of(0, Plan.targets),
                targets=lambda: [rd.Places.of(0, self.targets)])
        def groups(self):
            return [[self.part(self.rank)]]
    def judged(function, *arguments, **changed):
        with contextlib.ExitStack() as changes:
            for name, value in changed.items():
                changes.enter_context(mock.patch.object(rd, name, value))
            changes.enter_context(contextlib.redirect_stdout(io.StringIO()))
            return function(*arguments)
    def carried(kind, after, sums=False):
        return judged(redistribute.carried, [kind(0), kind(1)],
                      [[k + 1000 * r for k in range(256)] for r in (0, 1)],
                      after, sums)
    kept = [[k + 1000 * r for k in range(256)] for r in (0, 1)]
    added = [[2 * k + 1000 for k in range(256)]] * 2
    class Sum(Plan):
        def groups(self):
            return [[self.part(peer) for peer in (0, 1)]]
    class Turned(Plan):
        targets = Plan.targets[::-1]
    class Silent(Plan):
        def groups(self):
            return []
    class Half(Sum):
        def groups(self):
            return [[self.part(1 - self.rank)]]
    class Other(Plan):
        def __init__(self, rank):
            self.rank = self.digest = rank
    silent(judged(redistribute.texts)[1])
    silent(carried(Plan, kept))
    silent(carried(Sum, added, True))
    for fault in Turned, Silent, Other:
        if not carried(fault, kept):
            raise Missed(f"a plan that is {fault.__name__}")
    if not carried(Half, added, True):
        raise Missed("a sum without one part")
    wrong = judged(redistribute.texts, placed=lambda *a: ("offset: j0", a[0]))
    if wrong[0] != wrong[1]:
        raise Missed(f"wrong texts: {wrong}")


@checker("recipes.py")
def _(folder):
    import recipes
    root, names = folder / "tree", [recipes.CONAN, "tests/install/consumer.c"]
    names += [f"{recipes.PORT}/{name}" for name in ("vcpkg.json",
                                                    "portfile.cmake")]
    names += [*recipes.source.PLACES.values(), "LICENSE",
              "examples/packaging/cmake/CMakeLists.txt"]
    whole = recipes.version(ROOT)
    minor = whole.rpartition(".")[0]
    def tree():
        for name in names:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    def judged(name="", old="", new="", path=os.environ["PATH"]):
        tree()
        if name:
            text = (root / name).read_text()
            sees(text, old)
            (root / name).write_text(text.replace(old, new))
        with mock.patch.dict(os.environ, PATH=path):
            return ran(recipes, main=lambda main=recipes.main:
                       main(root, folder / "build"))
    bare = folder / "bin" # no tool, or those that a case writes
    bare.mkdir()
    without = judged(path=str(bare))
    succeeds(without)
    sees(without[1], "skipped: a consumer of Conan's package: there is no "
         "conan and no cmake", "no vcpkg", "2 passed, 0 failed, 3 skipped")
    fails(judged("ll.h", "LL_VERSION_PATCH 0", "LL_VERSION_PATCH 7",
                 str(bare)), f"the port has version {whole}, ll.h {minor}.7")
    fails(judged(recipes.CONAN, "|PATCH)", ")", str(bare)),
          f"the recipe has version {minor}, ll.h {whole}")
    fails(judged(recipes.CONAN, '"ll_amd.h", ', "", str(bare)),
          "ll_amd.h is not packaged")
    fails(judged(recipes.CONAN, '"licenses"', '"include"', str(bare)),
          "the licence is not packaged")
    fails(judged(f"{recipes.PORT}/vcpkg.json", '"linear-layouts"', '"ll"',
                 str(bare)), "the port is not named linear-layouts")
    tool(bare / "cmake", "exit 1\n")
    tool(bare / "conan", "exit 0\n")
    tool(bare / "vcpkg", "exit 0\n")
    broken = judged(path=f"{bare}:/usr/bin:/bin")
    fails(broken, "FAIL a consumer of Conan's package: cmake -S",
          "FAIL what the port installs: cmake -P", "FAIL a consumer of vcpkg's")
    if shutil.which("cmake"):
        (bare / "cmake").unlink()
        (bare / "conan").unlink()
        (bare / "vcpkg").unlink()
        where = os.environ["PATH"]
        port = f"{recipes.PORT}/portfile.cmake"
        with mock.patch.object(recipes, "TRIED", recipes.TRIED[3:4]):
            succeeds(judged(path=where))
            fails(judged(port, "vcpkg_cmake_install()", "", where), "FAIL what")
            fails(judged(port, "../../../..", "../..", where), "FAIL what")
            fails(judged("examples/packaging/cmake/CMakeLists.txt",
                         "${ll_root}/ll_amd.h", "", where), "ll_amd.h is not packaged")


@checker("debugger.py")
def _(folder):
    import debugger
    natvis, members = debugger.NATVIS.read_text(), debugger.member_names()
    def faults(old, new, known=members):
        sees(natvis, old)
        return debugger.natvis_faults(natvis.replace(old, new), known)
    silent(debugger.natvis_faults(natvis, members))
    sees(faults('"ll_plan"', '"ll_plans"'), "ll_plans is no type of the")
    sees(faults("{wavefronts}", "{waves}"), "ll_step has no member waves")
    sees(faults("in.bits[k]", "in.sizes[k]"), "ll_layout has no member sizes")
    sees(faults("smem_bytes != 0", "bytes != 0"), "ll_plan has no member bytes")
    sees(faults("</Type>", ""), "ll.natvis is not XML")
    sees(debugger.natvis_faults("<A/>", members), "0 types, at least 4")
    bare = folder / "bin"
    bare.mkdir()
    with mock.patch.dict(os.environ, PATH=str(bare)):
        alone = ran(debugger)
    succeeds(alone)
    sees(alone[1], "skipped: there is no gdb", "4 passed, 0 failed, 1 skipped")
    if not shutil.which("gdb"):
        return
    binary, text = debugger.built(folder), debugger.SCRIPT.read_text()
    def shown(old="", new=""):
        sees(text, old)
        script = written(folder / "ll_gdb.py", text.replace(old, new))
        return debugger.gdb_faults(binary, script)
    silent(shown())
    sees(shown(">> (start + bit)", ">> bit"), "not the layout that it was")
    sees(shown('constant("LL_NOTHING"', 'constant("LL_OP_RENAME"'),
         "the plans are printed as")
    sees(shown("['count'])} instr", "['bits'])} instr"),
         "not printed of a plan")
    sees(shown("6 * (9 - k)", "6 * k"), "dim is printed as")
    sees(shown('"ll_plan": Plan', '"ll_plan": Missing'), "not the layout")
    sees(shown("register_pretty_printer(", "PrettyPrinter and print("),
         "not the layout")


@checker("paper.py")
def _(folder):
    import paper
    facts = json.loads(paper.FACTS.read_text())
    widths = paper.widths()
    silent(list(paper.fact_faults(facts)))
    silent(list(paper.width_faults(facts, widths)))
    sees(paper.width_faults(facts, {**widths, (2, 8): (64, 64)}),
         "[512,2] of 8 bits: 64 and 64 bits, the paper has 128")
    sees(paper.width_faults(facts, {**widths, (4, 16): (64, 128)}), "[512,4]")
    other = json.loads(paper.FACTS.read_text())
    other["mixed"]["rows"][3]["triton"] += 10
    other["mixed"]["rows"][4]["triton_3_6"] = 33
    other["mixed"]["rows"].pop()
    other["real"]["rows"].pop()
    sees(paper.fact_faults(other), "not 784 in all", "mixed: 13 facts",
         "real: 9 facts", "the paper says 0.466",
         "i32/f16: more cases pass than there are")
    with mock.patch.object(paper, "widths", lambda: widths):
        text = paper.page(paper.parts(facts))
        with mock.patch.object(paper.records, "latest", lambda _: None):
            bare = paper.page(paper.parts(facts))
        succeeds(ran(paper, "--check", folder / "page.html"))
        with mock.patch.object(paper, "drawn", lambda *_, **__: None):
            silent(list(paper.page_faults(paper.page(paper.parts(facts)))))
    silent(list(paper.page_faults(text)))
    silent(list(paper.page_faults(bare)))
    sees(bare, paper.NONE, "No chart: nothing measured.")
    sees(paper.page_faults(text.replace('<h2 id="gather">', "<h2>")),
         "gather: not on the page")
    for name, count in paper.ROWS.items():
        at = text.index("</tr>", text.index(f'<h2 id="{name}">')) + 6
        end = text.index("</tr>", at) + 6
        sees(paper.page_faults(text[:at] + text[end:]),
             f"{name}: {count - 1} rows, {count} expected")
    sees(paper.page_faults(text.replace(">5888<", "><", 1).replace(
        "20/20, 5888<", "<", 1)), "broadcasting: an empty cell")
    sees(paper.page_faults(text.replace("<td>32</td>",
                                        f"<td>{paper.NONE}</td>", 1)),
         "contiguity: a figure is missing")
    sees(paper.page_faults(text.replace("<th>Triton 3.6</th>", "", 1)),
         "contiguity: a column is missing")
    sees(paper.page_faults(re.sub("<svg.*?</svg>", "", text, 1, re.S)),
         "contiguity: no chart")
    sees(paper.page_faults(text.replace('href="#real"', "")),
         "real: not in the list")
    try:
        list(paper.page_faults(text.replace("</text>", "", 1)))
    except Exception as error: # a chart that is not XML
        sees(str(error), "mismatched tag")
    else:
        raise Missed("a chart that is not XML passes")
    with mock.patch.object(paper, "parts", lambda _: []):
        fails(ran(paper, "--check", folder / "page.html"), "7 failed")


# ---- Programs --------------------------------------------------------------

@checker("fail.py")
def _(folder):
    import fail
    text = (ROOT / "ll.h").read_text()
    wanted = fail.sentences(text)
    files = sorted(f for f in fail.FOLDER.iterdir())
    one = next(iter(wanted))
    rest = [f for f in files if not f.read_text().splitlines()[0]
            .endswith(": " + wanted[one])]
    sees(fail.unlisted(wanted, rest), f"{one}: no file has its sentence")
    sees(fail.unlisted({"LL_ENEW": "new words", **wanted}, files), "LL_ENEW")
    sees(stops(fail.sentences, text.replace("    X(n, ", "    Y(n, ")),
         "0 errors", one)
    sees(stops(fail.sentences, "int x;\n"), "no list LL_ERRORS")
    sees(stops(fail.sentences, text.replace(f"X(n, {one}, ", f"X(n, {one}; ")),
         "not understood", one)

    def judged(body, twin=""):
        source = written(folder / "f.cpp",
                         "// ll: TURN: the words\n#ifndef TWIN"
                         f"\n{body}\n#else\n{twin}\n#endif\n")
        return fail.judge("c++", [os.environ.get("CXX", "g++"), *fail.FLAGS,
                                  "-fsyntax-only"], source)

    wrong = 'static_assert(0, "ll: TURN: the words");'
    silent(judged(wrong))
    sees(judged("int x;"), "it compiles")
    sees(judged('static_assert(0, "ll: TURN: others");'), "expected ['ll: TURN")
    sees(judged(wrong + "\nint x = y;"), "expected ['ll: TURN")
    sees(judged(wrong + "\n" + wrong), "told more than once")
    sees(judged(wrong + "\n// and: ll: more"), "expected ['ll: TURN")
    sees(judged(wrong + "\n// shows: nothing like it"), "to be shown")
    sees(judged(wrong, "int x = y;"), "its twin does not compile")
    sees(judged(wrong + " // " + "x" * fail.LONGEST), "characters is shown")

    def twins(*bodies):
        paths = [written(folder / f"t{n}.cpp", f"#ifdef TWIN\n{body}\n#endif\n")
                 for n, body in enumerate(bodies)]
        return len(fail.together([os.environ.get("CXX", "g++"),
                                  "-fsyntax-only"], paths))

    silent(twins("int x;", "int x;") != 2)
    silent(twins("int x;", "int x = y;"))

    written(folder / "ll.h", "#pragma once\n"
            "#define LL_LAYOUT(a, words) static_assert(0, words)\n"
            "template <int N> struct hidden {\n"
            '    static_assert(N, "ll: IN: the words");\n};\n')

    def told(*bodies):
        paths = [written(folder / f"m{n}.cpp", "// ll: IN: the words\n"
                         f'#include "ll.h"\nLL_LAYOUT(IN, "ll: IN: {body}\n')
                 for n, body in enumerate(bodies)]
        return sorted(paths.index(p) for p in fail.told(
            [os.environ.get("CXX", "g++"), "-I", folder, "-fsyntax-only"], [],
            paths))

    right = 'the words");'
    silent(told(right, right) != [0, 1])
    silent(told(right, 'others");', right) != [0, 2])
    silent(told(right, right + " int x = y;") != [0])
    again = 'LL_LAYOUT(IN, "ll: IN: ' + right
    silent(told(right, right + "\n" + again)
           != [0])
    silent(told(right + "\nhidden<0> h;", right)) # of no file: all go alone
    silent(told(right + "\n#define y 1", right + "\nint x = y;") != [0])
    gxx = [os.environ.get("CXX", "g++"), "-I", str(folder), "-fsyntax-only"]
    nvcc = ["nvcc", "-arch=sm_90"]
    named = written(folder / "a.cu", "// ll: the words\n// arch: sm_120a\n")
    sees(fail.for_target(nvcc, named), "-arch=sm_120a")
    sees(fail.for_target(nvcc, folder / "m0.cpp"), "-arch=sm_90")
    sees(fail.precompiled(gxx, '#include "ll.h"', folder), "-include")
    silent("-include" in fail.precompiled(gxx, '#include "no.h"', folder))


@checker("kernels.py")
def _(folder):
    import kernels
    fine = "ptxas info    : 0 bytes stack frame, 0 bytes spill stores\n" \
           "ptxas info    : Used 168 registers\n"
    silent(list(kernels.faults(fine)))
    sees(kernels.faults(""), "says nothing of a kernel")
    sees(kernels.faults(fine.replace("0 bytes stack", "16 bytes stack")),
         "16 bytes stack")
    sees(kernels.faults(fine.replace("0 bytes spill", "8 bytes spill")),
         "8 bytes spill")
    sees(kernels.faults(fine + "wgmma.mma_async are serialized due to calls"),
         "serialized")
    silent(kernels.command("k.cu:sm_80:A=1:B=2")[-4:] !=
           ["arch=compute_80,code=sm_80", "-DA=1", "-DB=2", "k.cu"])
    silent(kernels.command("k.cu")[-2:] !=
           ["arch=compute_90a,code=sm_90a", "k.cu"])

    def judged(said, status):
        written(folder / "said", said)
        return ran(kernels, "k.cu", NVCC=tool(
            folder / "nvcc", f"cat {folder / 'said'}\nexit {status}\n"))
    succeeds(judged(fine, 0))
    fails(judged(fine + "no such type", 2), "no such type")
    fails(judged("", 0), "says nothing")


@checker("suffix.py")
def _(folder):
    import suffix
    small = written(folder / "k.cu", "int x;\n")
    cicc = "#$ cicc --c++17  -arch %s -m64\n"
    silent(suffix.added(cicc % "compute_90" + cicc % "compute_90a") !=
           ["compute_90"])
    near = written(folder / "near.h", "ll_ptx_wgmma_fence();\n")
    silent(suffix.NEEDS.search(suffix.with_headers(small)))
    small.write_text(f'#include "{near.name}"\n')
    sees(suffix.with_headers(small), "wgmma_fence")

    def nvcc(body):
        return mock.patch.object(suffix, "NVCC", tool(folder / "nvcc", body))

    keeps = """while [ "$1" != -keep-dir ]; do shift; done
echo '.target sm_90' >$2/a.ptx; echo '.target sm_90a' >$2/b.ptx
"""
    with nvcc("exit 0"):
        silent(list(suffix.refused(small, "compute_90")))
        sees(suffix.unbuilt("sm_90a", ""), "left no PTX")
    with nvcc("echo no such thing; exit 1"):
        sees(suffix.refused(small, "compute_90"), "no such thing")
        sees(suffix.unbuilt("sm_90a", ""), "no such thing")
    with nvcc("echo warning: advice"):
        sees(suffix.refused(small, "compute_90"), "advice")
    with nvcc(keeps + "echo '  trap;' >>$2/a.ptx"):
        silent(list(suffix.unbuilt("sm_90a", "")))
    with nvcc(keeps):
        sees(suffix.unbuilt("sm_90a", ""), "a.ptx for sm_90a does not stop")
    with nvcc(keeps + "for f in a b; do echo ' trap;' >>$2/$f.ptx; done"):
        sees(suffix.unbuilt("sm_90a", ""), "b.ptx for sm_90a stops")


# These plant their faults in every run of their own; here their judge is blind,
# and that they must notice.

@checker("lessons.py")
def _(_):
    import lessons
    silent(list(lessons.unseen()))
    with mock.patch.object(lessons, "faults", lambda *_: []):
        sees(list(lessons.unseen()), "an exit status of 1")


@checker("headers.py")
def _(folder):
    import headers
    silent(list(headers.unseen(folder)))
    with mock.patch.object(headers, "refused", lambda *_: ""):
        sees(list(headers.unseen(folder)), "size_t")
    with mock.patch.object(headers, "has_guard", lambda _: True):
        sees(list(headers.unseen(folder)), "int f(void)")


@checker("links.py")
def _(_):
    import links
    fails(ran(links, built=lambda *_: "", emulated=lambda *_: ""),
          "a type that two files share is not noticed")


@checker("features.py")
def _(_):
    import features
    fails(ran(features, both_take=lambda *_: True, check_program=lambda *_: 30),
          "the emulator takes it")


@checker("readme.py")
def _(_):
    import readme
    with mock.patch.object(readme, "faults", lambda *_: []), \
            mock.patch.object(readme, "shown", lambda *_: []), \
            mock.patch.object(readme, "is_right", lambda *_: True), \
            mock.patch.object(readme, "is_table", lambda *_: True):
        said = list(readme.unseen(("", "", "")))
    sees(said, "a program that is wrong", "a table that is stale",
         "[03_reduced.cu]")


@checker("reductions.py")
def _(_):
    import readme
    import reductions
    sound = reductions.BEGIN + "| a | 1 |\n" + reductions.END
    silent(not readme.is_table(sound, reductions.BEGIN, reductions.END,
                               "| a | 1 |\n"))
    silent(readme.is_table(sound, reductions.BEGIN, reductions.END,
                           "| a | 2 |\n"))


@checker("macros.py")
def _(_):
    import macros
    with mock.patch.object(macros, "run", lambda *_: ""):
        fails(ran(macros), "a word of ours is not noticed")


@checker("figures.py")
def _(folder):
    import figures
    silent(figures.self_test()[1])
    with mock.patch.object(figures.Scratch, "stands", lambda _: True):
        sees(figures.self_test()[1], "the figure stands")
    records_of_the_same_code(folder)


def records_of_the_same_code(folder):
    """bench/same.py, whose lines figures.py believes: a compiler that copies
    its source, of which each word is a kernel with one letter of code, and a
    record of two programs of two commits."""
    sys.path.insert(0, str(ROOT / "bench"))
    import figures
    import same
    results = folder / "bench/results"

    def commit(old, new):
        written(folder / "old.cu", old)
        written(folder / "new.cu", new)
        for words in (["init", "-q"], ["add", "-A"],
                      ["-c", "user.name=x", "-c", "user.email=x",
                       *figures.UNTENDED, "commit", "-qm", "x",
                       "--allow-empty"]):
            shell("git", "-C", folder, *words)
        return shell("git", "-C", folder, "rev-parse", "--short",
                     "HEAD")[1].strip()
    first, second = commit("f:A", "g:B"), commit("f:C", "g:D")
    written(results / "pair-x.json", json.dumps(
        {"context": {"commit": first, "commits": {"new.cu": second}}}))
    tools = {"ROOT": folder, "RESULTS": results, "FLAGS": [],
             "LIST": results / "same-code.txt",
             "PROGRAMS": {"pair": ["old.cu", "new.cu"]},
             "NVCC": tool(folder / "nvcc", 'cp "$1" "$3"\n'),
             "CUOBJDUMP": tool(folder / "dump", "for k in $(cat $2); do\n"
                               "echo \" Function : ${k%:*}\"\n"
                               "echo \" /*0000*/ ${k#*:}\"\ndone\n")}
    with mock.patch.multiple(same, **tools):
        # one joined; another name
        for programs in (("f:A", "g:D"), ("f:A h:E", "g:D"), ("h:A", "g:D")):
            now = commit(*programs)
            sees(ran(same, "pair-x.json")[1], "the same code at")
            sees((results / "same-code.txt").read_text(),
                 f"pair-x.json {first} {now} ")
        # With the hash of all code in the list, no other commit is compiled.
        now = commit("f:A", "g:D")
        ran(same, "pair-x.json")
        silent(f"{first} old.cu" in ran(same, "pair-x.json")[1])
        # Either at the other's commit, one that is gone, one with two codes.
        for programs in (("f:C", "g:D"), ("f:A", "g:B"), ("f:E", "g:D"),
                         ("f:A f:E", "g:D")):
            commit(*programs)
            fails(ran(same, "pair-x.json"), "OTHER code at")
            silent((results / "same-code.txt").read_text())

    def shape(callee, name="low", line=3):
        return same.shape(same.functions(
            f"{name}:\n\t.loc 1 {line}\n\t{callee}\n.L{line}:\n\tret\n"
            f"high:\n\tcall {name}\n\tjmp .L{line}\n"))
    silent(shape("nop") != shape("nop", "other", 9))
    if shape("nop") == shape("inc"):
        raise Missed("a function whose code changed")
    if sum((shape("nop") & shape("inc")).values()) != 0:
        raise Missed("a function that calls one whose code changed")
    silent(shape("nop", "ll_strerror") != shape("inc", "ll_strerror"))


MINI = """#include "%s/ll.h"
/* A complete example.
 *
 *     #include "ll.h"
 *     int main(void) {
 *         printf("lane: i0\\nregister 1 of lane 9\\n");
 *         return 0;
 *     }
 */
/* ---- guide: The guide --------------------------- */
/* | four, and others | ll_mini, ll_more_.. | */
/* ---- low/r7: Room ------------------------------- */
/* ll_mini(): four.
 * Example: ll_mini() is 4;
 * Example: L("lane: i0") is L("lane: i0"); */
LL_FN unsigned ll_mini(void) { return 4u; }
LL_FN unsigned ll_more_one(void) { return 1u; }
"""


@checker("examples.py")
def _(folder):
    import examples
    def made(text):
        name = written(folder / "mini.h", text)
        said = io.StringIO()
        examples.write([str(name)], said)
        program = said.getvalue().replace(f"../{name}", str(name))
        source = written(folder / "e.c", program)
        done = subprocess.run(
            [os.environ.get("CC", "gcc"), "-w", "-I", ROOT / "tests", source,
             "-o", folder / "e"], text=True, stderr=subprocess.PIPE)
        if done.returncode:
            raise Missed(done.stderr[:500])
        done = subprocess.run([folder / "e"], text=True, stdout=subprocess.PIPE)
        return done.returncode, done.stdout
    mini = MINI % ROOT
    succeeds(made(mini))
    bad = mini.replace("is 4;", "is 5;").replace('is L("lane: i0")',
                                                 'is L("lane: i1")')
    bad = bad.replace("| ll_mini, ll_more_..", "| ll_other, ll_mini_..")
    bad = bad.replace("of lane 9", "of lane 8")
    fails(made(bad), "FAIL example_0", "FAIL example_1",
          "FAIL the_names_of_the_guide_are_defined",
          "the guide names ll_other, which is not defined",
          "the guide names ll_mini_, which", "FAIL the_complete_example")
    sees(stops(examples.examples, "/* Example: 4; */"), "not `EXPR is EXPR;`")
    sees(stops(examples.examples, "/* Example: a is 4 */"), "does not end")


@checker("families.py")
def _(folder):
    import families
    text = ("/* ll_x(a, b): a family. Source (machine): a manual. Fails with "
            "nothing. */\nLL_FN int ll_x(int a, int b) {\n}\n")
    def read(header):
        written(folder / "ll.h", header)
        with mock.patch.object(families, "ROOT", folder):
            return list(families.families("ll.h"))
    if [f[1:] for f in read(text)] != [("machine", "a manual")]:
        raise Missed("a sound family is not read")
    sees(stops(read, text.replace("int b)", "int c)")), "ll_x(a, c)")
    sees(stops(read, text.replace("LL_FN int ll_x(", "int ll_x(")), "a family")
    written(folder / "build/counts/check_data", "")
    with mock.patch.object(families, "ROOT", folder), \
            mock.patch.dict(os.environ, MAKE="false"):
        silent(families.counts())  # None: the runner cannot be built


@checker("cxx.py")
def _(folder):
    import cxx
    gcc, where = os.environ.get("CC", "gcc"), (folder,)
    many = "#ifndef H\n#define H\n" + "".join(
        f"static inline int f{n}(int a) {{ return a + {n}; }}\n"
        for n in range(120)) + "%s\n#endif\n"
    def header(more=""):
        written(folder / "ll.h", many % more)
        for name in list(cxx.source.PLACES.values())[1:]:
            written(folder / name, '#include "ll.h"\n')
    def test(body, flags=()):
        return cxx.check_test(folder, gcc, "c11",
                              written(folder / "test_x.c", body), flags)
    def tests(run, *bodies):
        return cxx.check_tests(
            folder, "g++", "c++17", [written(folder / f"test_{n}.c", body)
                                     for n, body in enumerate(bodies)], run)
    def alone():
        return cxx.check_alone(*where, gcc, "c", "c11", "ll.h")
    def foreign(target, language):
        return cxx.check_foreign(
            folder, language.replace("c", "clang", 1), target, language,
            {"c": "c11", "c++": "c++17"}[language])
    def symbols():
        return cxx.check_symbols(*where, gcc, "c", "c11")
    with mock.patch.object(cxx, "ROOT", folder):
        header()
        silent(alone() or symbols())
        header("#include <stdio.h>")
        sees(alone(), "stdio.h")
        header("int puts(const char *);\nstatic inline int g(void) "
               '{ return puts("x"); }\nstatic int v[4];\n'
               "static inline int *h(void) { return v; }")
        sees(symbols(), "needs puts", "has the variable v")
        parse = "#define ll_parse(text) 0u\nconstexpr unsigned ll_apply(" \
                "unsigned a, unsigned b) { %s }"
        for target in cxx.FOREIGN if shutil.which("clang++") else ():
            header(parse % "return 2u + a * b;")
            silent(foreign(target, "c++"))
            header(parse % "return 1u + a * b;")
            sees(foreign(target, "c++"), "static", "assert")
            header("unsigned ll_parse(const char *a);\n"
                   "unsigned ll_apply(unsigned a, unsigned b);\n"
                   "typedef char c[sizeof(void *) > 4 ? 1 : -1];")
            if "i686" in target:
                sees(foreign(target, "c"), "negative size")
            else:
                silent(foreign(target, "c"))
        header()
        written(folder / "ll.h", "#pragma once\n"
                "static inline int f(void) { return 1; }\n")
        sees(symbols(), "functions were looked at")
    main = "int main(void) { %s }\n"
    silent(test(main % "return 0;"))
    sees(test(main % "return 1;"), "it fails")
    sees(test(main % "int x; return 0;"), "unused variable")
    sees(test(main % "int x; return 0;", None), "unused variable")
    over = "int a[2] = {0}; volatile int k = 2; return a[k] & 0;"
    silent(test(main % over))
    sees(test(main % over, cxx.SANITIZED), "out of bounds")
    main = "static int f(void) { %s }\nint main(int n, char **v) {\n" \
           "    return n != 3 || v[1][0] != '1' || v[2][0] != '0' || f(); }\n"
    silent(tests(True, main % "return 0;", main % "return 0;"))
    sees(tests(True, main % "return 0;", main % "return 1;"),
         "test_1: it fails")
    sees(tests(True, main % "return 1;", main % "return 0;"),
         "test_0: it fails")
    silent(tests(False, main % "return 0;", main % "return 1;"))
    sees(tests(False, main % "return 0;", main % "int x; return 0;"),
         "unused variable")


@checker("mutate.py")
def _(folder):
    import figures
    import mutate
    header = ("#define LL_FN static\n"
              "LL_FN unsigned ll_seen(unsigned a) {\n    return a + 4u;\n}\n"
              "LL_FN unsigned ll_unseen(unsigned a) {\n"
              "    unsigned b = 5u;\n    b = a;\n    return b < 3u;\n}\n"
              "#define LL_TOP_ 3u\n"
              "LL_FN unsigned ll_loop(void) {\n    unsigned k = 0;\n"
              "    for (; k != LL_TOP_; k += 1u) {\n    }\n    return k;\n}\n")
    test = ('#include "../ll.h"\nint main(void) {\n'
            "    return ll_unseen(9) + ll_seen(1) != %u ||\n"
            "           ll_loop() != 3;\n}\n")

    def prepared(at):
        written(at / "ll.h", header)
        written(at / "tests/test_x.c", test % expected)
        written(at / "tests/examples.c", "int main(void) { return 0; }\n")

    def main(*arguments):
        written(folder / "ll.h", header)
        return ran(mutate, "--jobs", 1, "--record", folder / "r.json",
                   *arguments, ROOT=folder, WORK=folder / "w", NAMES=("ll.h",),
                   prepare=prepared, commit=lambda: "c", state=lambda *_: "s",
                   EXPLAINED=folder / "explained.txt")

    expected = 5
    fails(main(), "survived: ll_unseen: return b < 3u; => return b <= 3u;",
          "2 equivalent", "7 killed", "3 survived")
    fails(ran(mutate, "--summary", folder / "r.json"), "slice 1 of 1",
          "3 survivors are left", "ll.h: ll_unseen: b = a; => ;")
    fails(main("--again"), "3 of", "3 survived")
    written(folder / "two.json", (folder / "r.json").read_text()
            .replace('"of": 1', '"of": 2').replace("survived", "explained"))
    fails(ran(mutate, "--summary", folder / "two.json"),
          "missing: all headers: 2 of 2")
    runs = mutate.records(folder / "r.json")
    silent(runs[0]["survivors"])  # they stand where they were tried last
    explained = [s.partition(": ")[2] + " # why" for s in
                 runs[1]["survivors"]]
    # a run that was stopped goes on where it was
    runs[1]["choice"] = runs[0]["choice"]
    runs[1].update(untried=runs[1]["survivors"][:1],
                   survivors=runs[1]["survivors"][1:])
    written(folder / "r.json", json.dumps(runs[1]) + "\n")
    fails(ran(mutate, "--summary", folder / "r.json"), "3 survivors are left")
    fails(main(), "1 of 12 mutants", "4 survived")
    runs = mutate.records(folder / "r.json")
    silent(len(runs) != 1 or len(runs[0]["survivors"]) != 3 or
           "untried" in runs[0])
    fails(main("--again", "--tests", "no such test"), "3 survived")
    written(folder / "explained.txt", "\n".join(explained))
    succeeds(main())
    written(folder / "explained.txt", "ll_gone: a => b # why\n")
    sees(stops(main), "an explanation of no mutant: ll_gone")
    written(folder / "explained.txt", "a line # why\n")
    sees(stops(main), "not `FUNCTION: line => line # reason`: a line")
    (folder / "explained.txt").unlink()
    # what changed since a commit
    written(folder / "ll.h", header.replace("a + 4u", "a + 7u"))
    for words in ("init -q", "add ll.h", "-c user.name=n -c user.email=e "
                  "commit -qm c"):
        subprocess.run(["git", *words.split()], cwd=folder, check=True)
    status, said = main("--since", "HEAD", "--record", folder / "s.json")
    sees(said, "2 of 12 mutants", "2 killed")
    silent(status)
    sees(stops(main, "--since", "nothing"), "there is no commit nothing")
    expected = 6
    shutil.rmtree(folder / "w")
    sees(stops(main), "test_x fails before anything is changed")
    sees(stops(main, "--slice", "4/3"), "no slice 4/3")
    names = {t.name for t in mutate.programs(ROOT / "tests")}
    lacking = {f.stem for f in (ROOT / "tests").glob("test_*.c")} - names
    silent(lacking - {"test_m4ri"})
    silent(set(figures.ASKED_FOR) ^ set(mutate.ASKED_FOR))


# ---- Compilers for GPUs ----------------------------------------------------

KERNEL = ".entry k0(\n)\n{\n%s\tret;\n}\n"


@checker("codegen.py")
def _(folder):
    import codegen
    source = written(folder / "x.cu",
                     "// ARITHMETIC k0: 1 in PTX, 1 in sm_90\n")
    def ptx(body, said="", check=None):
        nvcc = compiler(folder / "nvcc", KERNEL % body, said)
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.check_ptx(source, "17", folder, check)
    add = "\tadd.s32 \t%r1, %r2, %r3;\n"
    silent(ptx(add))
    sees(ptx(add * 2), "2 arithmetic instructions in PTX, at most 1")
    for text, what in (("\t.local .b8 x[4];", "local memory"),
                       ("\t@%p bra L;", "a branch"),
                       ("\tcall.uni f;", "a call"), ("\ttrap;", "a trap"),
                       ("\t.const .b8 t[4];", "a table"),
                       ("\tld.const.u8 %r1, [t];", "loads from a table")):
        sees(ptx(text + "\n"), what)
    sees(ptx(add, "warning"), "warning")
    unlike = tool(folder / "check", "echo unlike; exit 1\n")
    sees(ptx(add, "", unlike), "unlike")
    def assembled(text):
        nvcc = compiler(folder / "nvcc", "", text)
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.check_assembled(source, "90", folder)
    said = ("entry function 'k0'\n%s bytes stack frame, 0 bytes spill stores, "
            "0 bytes spill loads\n")
    silent(assembled(said % 0))
    sees(assembled(said % 8), "k0: 8 0 0 bytes of stack")
    sees(assembled("nothing\n"), "nothing")
    other = written(folder / "y.cu", "#define LL_X\n#define Y 1\n")
    def both(text, wrong=()):
        written(folder / "x.17.ptx", KERNEL)
        written(folder / "y.17.ptx", KERNEL.replace("k0", "k1"))
        nvcc = compiler(folder / "nvcc", "", text)
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.assembled_together(
                [source, other], "80", folder,
                {source: mock.Mock(**{"result.return_value": []}),
                 other: mock.Mock(**{"result.return_value": wrong})})
    two = said % 0 + said.replace("k0", "k1") % 0
    silent(both(two) != [source, other])
    for text in (said % 0, two.replace("0 bytes spill l", "4 bytes spill l")):
        silent(both(text))
    silent(both(two, ["its PTX"]))
    sees((folder / "joined.80.cu").read_text(), "#define LL_X\n#include",
         "#undef Y")
    right = mock.Mock(**{"result.return_value": [source]})
    silent(codegen.check_assembled(source, "80", folder, right=right))
    made = tool(folder / "ptxas", f"[ $2 = {folder}/x.17.ptx ] && echo made\n")
    sees(codegen.check_assembled(source, "90", folder, made, mock.Mock()),
         "made")
    def machine(body):
        text = f".section\t.text.k0\n{body}        /*00*/ EXIT ;\n"
        written(folder / "sass", text)
        return codegen.check_machine(
            source, folder, tool(folder / "dis", f"cat {folder / 'sass'}\n"))
    silent(machine("        /*00*/ IADD3 R1 ;\n"))
    sees(machine("        /*00*/ IADD3 R1 ;\n" * 2), "2 arithmetic instr")
    sees(machine("        /*00*/ STL [R1], R2 ;\n"), "STL")
    # beside a kernel that is written by hand, in PTX, registers and instructions
    written(source, "")
    two = KERNEL + KERNEL.replace("k0", "k0_by_hand")
    def beside(code, hand):
        nvcc = compiler(folder / "nvcc", two % (code, hand))
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.check_ptx(source, "17", folder, None)
    silent(beside(add * 2, add))
    silent(beside(add * 2 + "\tadd.s64 \t%rd1, %rd2, 64;\n", add))
    sees(beside(add * 2 + "\tadd.s64 \t%rd1, %rd2, %rd3;\n", add),
         "k0: 3 arithmetic instructions in PTX, 1 by hand")
    used = "Used %d registers\n"
    both = said % 0 + used + said.replace("k0", "k0_by_hand") % 0 + used
    silent(assembled(both % (40, 33)))
    sees(assembled(both % (41, 40)), "k0: 6 times 8 registers, 5 by hand")
    def disassembled(code, hand):
        move = "        /*00*/ MOV R1 ;\n"
        text = "".join(f".section\t.text.{k}\n{move * n}        /*00*/ EXIT ;\n"
                       for k, n in (("k0", code), ("k0_by_hand", hand)))
        written(folder / "sass", text)
        return codegen.check_machine(
            source, folder, tool(folder / "dis", f"cat {folder / 'sass'}\n"))
    silent(disassembled(21, 20))
    sees(disassembled(22, 20), "k0: 23 instructions in sm_90, 21 by hand")
    def stopping(body):
        nvcc = compiler(folder / "nvcc", KERNEL % body)
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.stops(folder)
    silent(stopping("\ttrap;\n\tvprintf,\n"))
    sees(stopping(add), "no trap")
    def columns(body, debug):
        nvcc = compiler(folder / "nvcc", KERNEL % body)
        with mock.patch.object(codegen, "NVCC", nvcc):
            return codegen.columns(folder, debug)
    sentence = ", ".join(map(str, b"columns of the matrix"))
    silent(columns(add, 0) + columns(f"\ttrap; {sentence}\n", 1))
    sees(columns("\ttrap;\n", 0), "LL_DEBUG=0: trap;")
    sees(columns(add, 1), "LL_DEBUG=1: trap;")
    sees(columns("\ttrap;\n", 1), f"LL_DEBUG=1: {sentence}")


@checker("assemble.py")
def _(folder):
    import assemble
    asm = "// begin inline asm\n\t%s\n\t// end inline asm\n"
    compiler(folder / "nvcc", ".target sm_75\n" + "".join(
        f".entry k{n}(\n{asm % name}" for n, name in
        enumerate(("ld.shared.u32 a, [b];", "elect.sync a, b;"))))
    functions = [("void", "ll_ptx_old", []), ("void", "ll_ptx_new", [])]

    def checked(*lines):
        """ptxas refuses these lines."""
        tool(folder / "ptxas", "".join(
            f'echo "x.ptx, line {n}; error : no"\n' for n in lines))
        said = io.StringIO()
        with mock.patch.multiple(assemble, NVCC=str(folder / "nvcc"),
                                 TARGETS=["75"]), \
                contextlib.redirect_stdout(said):
            counts = assemble.check(functions, folder)
        return int(counts[1]), said.getvalue()

    succeeds(checked(8))
    fails(checked(), "FAIL ll_ptx_new: elect.sync is assembled for sm_75")
    fails(checked(4, 8), "FAIL ll_ptx_old: ld.shared.u32 is refused for sm_75")

    def named(name, instruction):
        return assemble.misnamed([("void", name, [])], [instruction])

    mma = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale."
    mma += "scale_vec::%dX.f32.e2m1.e2m1.f32.ue4m3"
    silent(named("ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_4x<0>", mma % 4))
    sees(named("ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_4x<0>", mma % 2), "2X")
    sparse = "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.%s"
    silent(named("ll_ptx_mma_sp_m16n8k32_s32_s8_u8", sparse % "s32.s8.u8.s32"))
    sees(named("ll_ptx_mma_sp_m16n8k32_s32_s8_u8", sparse % "s32.u8.s8.s32"),
         "u8.s8")
    sees(named("ll_ptx_mma_m16n8k32_s32_s8_u8", sparse % "s32.s8.u8.s32"), "sp")
    wgmma = "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16"
    silent(named("ll_ptx_wgmma_f32_bf16_ra<64, 0>", wgmma))
    sees(named("ll_ptx_wgmma_f32_f16_ra<64, 0>", wgmma), "bf16")


@checker("assemble_amd.py")
def _(folder):
    import assemble_amd as amd

    def code(body, name="k0", spill=0):
        return 0, (f"{name}: ; @{name}\n{body}\n.Lfunc_end0\n"
                   f"    .amdhsa_kernel {name}\n"
                   f"    .amdhsa_private_segment_fixed_size {spill}\n")

    def with_code(said, function, *arguments):
        with mock.patch.object(amd, "compiled", lambda *_: said):
            return function(*arguments)

    case = [(0, ("perm", "call;", "perm", "v_perm_b32 v", "v_perm_b32 v"))]
    def present(said):
        return with_code(said, amd.check_present, folder, "gfx942", case, [])
    silent(present(code("\tv_perm_b32 v0, v1")))
    sees(present(code("\tv_mov_b32 v0, v1")), "perm for gfx942", "no 'v_perm")
    sees(present(code("\tv_perm_b32 v0", spill=4)), "4 bytes spilled")
    sees(present((1, "an error")), "an error")
    def moved(body):
        with mock.patch.multiple(amd, MOVED={"m": (["v_perm_b32"],) * 3},
                                 CONTAINED={}):
            return with_code(code(body, "m"), amd.check_moves, "gfx942", 64)
    silent(moved("\tv_perm_b32 v0"))
    sees(moved("\tds_bpermute_b32 v0"), "m for gfx942, 64 lanes: moves by")
    sees(moved("\tv_perm_b32 v0\n\ts_branch x"), "a branch")
    with mock.patch.multiple(amd, MOVED={}, CONTAINED={"c": (["ds_x"],) * 2}):
        sees(with_code(code("\tv_y", "c"), amd.check_moves, "gfx942", 64),
             "no ds_x")
        sees(with_code((0, ""), amd.check_moves, "gfx942", 64),
             "c for gfx942 is not there")
    def absent(said):
        return with_code((1, said), amd.check_absent, folder, "gfx908", case,
                         lambda t, _: t == "gfx950")
    error = ("x.hip:1:1: error: static assertion failed: ll: perm is an "
             "instruction of %s\nlacks_gfx908.hip:4:1: note: requested here\n")
    silent(absent(error % "gfx950"))
    sees(absent(""), "perm is not refused for gfx908")
    sees(absent(error % "gfx942"), "is wrong about gfx942")
    sees(absent("x.hip:1:1: error: other\n"), "another error")
    sees(with_code((0, ""), amd.check_sizes, folder), "of 3, 3, 16 words")
    sees(with_code((0, ""), amd.check_forms, folder), "forms of gfx942")
    with mock.patch.object(amd, "run", lambda *_: (1, "no")):
        sees(amd.check_plain(folder, "gfx942"), "plain C for gfx942: no")
        sees(amd.check_dialects(folder, case), "amd.hip")
    nothing = {n: lambda *_: [] for n in
               ("check_present", "check_moves", "check_absent", "check_plain",
                "check_dialects", "check_sizes", "check_forms")}
    with mock.patch.multiple(amd, functions=lambda: {"planted"},
                             asked=lambda _, q: dict.fromkeys(q, True),
                             **nothing):
        sees(amd.check(folder)[1], "ll_amd_planted has no case")


@checker("matmul_amd.py")
def _(_folder):
    import matmul_amd
    good = ("v_mfma_f32_32x32x8_f16 a\n" * 32 + "global_load_dwordx4 v\n"
            "ds_read_b128 v\nds_write_b128 v\n")
    notes = dict.fromkeys(matmul_amd.NOTES, 0)
    def faults(code, **more):
        return matmul_amd.faults("gfx942", {**notes, **more}, code)[0]
    silent(faults(good))
    sees(faults(good, vgpr_spill_count=1), "gfx942: spills")
    sees(faults(good[1:]), "32 of v_mfma", )
    for code, what in (("v_mfma_f32_4x4 a", "no other product"),
                       ("global_load_dword v", "global loads of 16"),
                       ("ds_read_b32 v", "reads of LDS"),
                       ("ds_write_b32 v", "LDS by vectors"),
                       ("v_mov_b32_dpp v", "no exchange of lanes")):
        sees(faults(good + code + "\n"), what)


@checker("lessons_amd.py")
def _(_folder):
    import lessons_amd
    code = "\tglobal_load_dwordx4 v[0:3] // 0\n\ts_barrier // 0\n"
    notes = dict.fromkeys(lessons_amd.NOTES, 0)
    wants = ({lessons_amd.LOAD: 1, lessons_amd.NARROW: 0, "s_barrier": 1},
             {"gfx9": {lessons_amd.DPP: range(1)}})
    def faults(text, **more):
        return lessons_amd.faults("k", "gfx942", {**notes, **more}, text,
                                  wants)[0]
    silent(faults(code))
    sees(faults(code, private_segment_fixed_size=4),
         "k, gfx942: 4 private_segment_fixed_size")
    sees(faults(code, agpr_count=4), "k, gfx942: 4 agpr_count")
    sees(faults(code * 2), "2 of s_barrier, not 1")
    sees(faults(code + "\tv_add_f32_dpp v // 0\n"), "1 of v_\\w+_dpp")
    sees(faults(code + "\tglobal_load_dword v // 0\n"), "1 of global_(load")
    with mock.patch.object(lessons_amd, "build", lambda *_: []):
        sees(lessons_amd.judged("a", "", "gfx942", [()])[1], "0 kernels")


# ---- What programs print ---------------------------------------------------

DRAWN = "\n".join(
    " ".join([" ."] * 4 * k + [f" {k}"] * 4 + [" ."] * (28 - 4 * k))
    for k in range(8))
JOB = f"""A block reads a tile as
  register: j0 | lane: i0
and writes it as
  register: i0 | lane: j0
Between the two, data goes through shared memory, 16384 bytes
  1. each lane stores 32 elements to shared memory in 4 accesses of 16 bytes
  2. __syncthreads()

{DRAWN}

and of a load:

{DRAWN}

version  wrong   sectors (needed)
naive        0     70800
layout       0      9128

All agree.
"""


@checker("main_job.py")
def _(_folder):
    import main_job
    words = {"LL_EX": "an access has 1 byte"}
    def faults(text):
        return main_job.faults(text, words)
    silent(faults(JOB))
    sees(faults(JOB.replace(DRAWN, words["LL_EX"], 1)), "1 pictures of banks",
         "there is the error LL_EX")
    sees(faults(JOB.replace(DRAWN, DRAWN.replace(" .", " 3", 1), 1)),
         "picture 1 uses bank 4 twice")
    sees(faults(JOB.replace(DRAWN, DRAWN.split("\n")[0])), "has 1 lanes")
    sees(faults(JOB.replace("layout       0", "layout       2")),
         "layout has 2 wrong")
    sees(faults(JOB.replace("layout       0", "other        0")),
         "no version `layout`")
    sees(faults(JOB.replace("9128\n", "9128\na race\n")), "no version `layout`")
    sees(faults(JOB.replace("  2. the", "  the")), "the steps of the plan")
    sees(faults(JOB.replace("in 4 acc", "in acc")), "the accesses of the plan")
    sees(faults(""), "the layouts of both sides", "what the plan does")
    fails(ran(main_job, "false"), "exit status 1")


@checker("pairs.py")
def _(_folder):
    import pairs
    good = "96 of 784 of the paper's cases, 96 of 96 in all\n0 bank conflicts\n"
    silent(pairs.judge(good, 0, 8) or "")
    sees(pairs.judge(good, 1, 8), "exit status 1")
    sees(pairs.judge(good, 0, 9), "of 108 cases")
    sees(pairs.judge(good.replace("96 of 96", "95 of 96"), 0, 8), "95 of 96")
    sees(pairs.judge(good.replace("0 bank", "4 bank"), 0, 8), "4 bank")
    sees(pairs.judge("", 139, 8), "it says")
    some = {pair[:2] for seed in "012"
            for pair in pairs.chosen_by(["each", seed])}
    one = pairs.chosen_by(["all", "each", "1"])
    if some != set(pairs.pairs()):
        raise Missed(f"three seeds choose not every pair: {some}")
    if {(a, b) for a, b, _ in one} != set(pairs.pairs()) or \
            {order for _, _, order in one} != {0, 1, 2, 3}:
        raise Missed(f"not every pair, or not every order: {one}")
    if len(pairs.pairs()) != 19 or ("s16", "e5m2") not in pairs.pairs():
        raise Missed(f"it does not read the table: {pairs.pairs()}")


@checker("faults.py")
def _(_folder):
    import faults
    clean = "8 x 8 x 8: 0 wrong, 0 bank conflicts\n"
    found = "a/matmul.cu:7: a race: thread 0\n"
    silent(faults.judge(0, clean) or "")
    silent(faults.judge(3, found + clean) or "")
    sees(faults.judge(0, found + clean), "without a fault")
    sees(faults.judge(0, ""), "without a fault")
    sees(faults.judge(3, clean), "not found")
    sees(faults.judge(3, clean.replace("0 wrong", "9 wrong")), "not found")
    text = faults.planted("wait(a);\nint p = 0;\n",
                          [(1, "wait(a);", ";"), (2, "wait(a);", "wait(b);"),
                           (3, "int p = 0;", "int p = X ? 1 : 0;")])
    sees(text, "if (is_planted(1)) { ; } else "
         "if (is_planted(2)) { wait(b); } else { wait(a); }",
         "int p = (is_planted(3)) ? 1 : 0;")
    for gone in ("wait();", "wait(a); wait(a);"):
        try:
            faults.planted(gone, [(1, "wait(a);", ";")])
        except ValueError:
            continue
        raise Missed(f"a line that is not there once: {gone}")


@checker("output.py")
def _(folder):
    import output
    good = "8 x 8 x 8, 64 lanes: 0 wrong, 0 bank conflicts\n"
    silent(output.gemm(good, "64"))
    sees(output.gemm(good, "32"), "64 lanes, not 32")
    sees(output.gemm(good.replace("0 wrong", "1 wrong"), "64"), "1 wrong elem")
    sees(output.gemm(good.replace("0 bank", "2 bank"), "64"), "2 bank conf")
    sees(output.gemm(good + "a race\n", "64"), "it says: a race")
    sees(output.gemm("", "64"), "no line")
    line = "8 x 8 x 8: 0 wrong, 0 bank conflicts\n"
    ragged = line.replace("8 x 8 x 8", "3 x 14 rows, 2 heads, ragged")
    silent(output.attention(ragged, "1"))
    sees(output.attention(ragged.replace("0 bank", "2 bank"), "1"), "2 bank")
    silent(output.matmul(2 * line, "2"))
    some = line.replace("8 x 8 x 8", "5 products")
    silent(output.matmul(some, "1"))
    sees(output.matmul(some.replace("0 wrong", "1 wrong"), "1"), "1 wrong")
    sees(output.matmul(line, "2"), "1 shapes are right, not 2")
    sees(output.matmul(line.replace("0 wrong", "3 wrong"), "1"), "3 wrong")
    sees(output.matmul(line + "a race\n", "1"), "it says: a race")
    line, end = "2 rows of 8: 0 wrong\n", "All agree with the CPU.\n"
    silent(output.rows(2 * line + end, "2"))
    sees(output.rows(line + end, "2"), "fewer than 2")
    sees(output.rows(line + line.replace("0", "3") + end, "1"), "3 wrong")
    sees(output.rows(2 * line + "a race\n" + end, "2"), "it says: a race")
    sees(output.rows(2 * line, "2"), "it says: 2 rows")
    sees(output.rows("", "2"), "fewer than 2")
    stat = "stat::number_of_executed_units: %d\n"
    silent(output.fuzz(stat % 10, "10"))
    sees(output.fuzz(stat % 9, "10"), "9 inputs were tried, not 10")
    sees(output.fuzz("", "10"), "no stat")
    sees(output.fuzz(stat % 10 + "==1==ERROR: x\n", "10"), "ERROR: x")
    bad = tool(folder / "bad", f"echo '{good.strip()}'\nexit 3\n")
    fails(ran(output, "gemm", 64, bad), "exit status 3")


@checker("fuzz_long.py")
def _(folder):
    import fuzz_long
    said = "echo 'stat::number_of_executed_units: 7'\n"
    with mock.patch.object(fuzz_long, "ROOT", folder):
        written(folder / "bench/commit.sh", "echo 1234567\n")
        good = tool(folder / "good", said)
        with mock.patch.object(fuzz_long, "processor_seconds",
                               lambda: 1800):
            sees(ran(fuzz_long, "fuzz_x", 1, 1, good)[1], "time 0.50, in 1 ")
            sees(ran(fuzz_long, "fuzz_x", 1, 1, good)[1], "time 1.00, in 2 ",
                 "ran         14\n")
            (folder / "build/fuzz/fuzz_x.json").unlink()
        begun = fuzz_long.processor_seconds()
        busy = tool(folder / "busy", said + "seq 300000 | sort -R >/dev/null\n")
        succeeds(ran(fuzz_long, "fuzz_x", 1, 1, busy))
        if fuzz_long.processor_seconds() < begun + 0.05:
            raise Missed("processor time of the fuzzer is not counted")
        told = ran(fuzz_long, "fuzz_x", 1800, 2, good, "-max_len=9")
        succeeds(told)
        sees(told[1], "ran         14\n", "promise    0\n",
             "make long-fuzz_x FUZZ_SECONDS=1800 FUZZ_JOBS=2 FUZZ_LENGTH=9\n")
        dead = tool(folder / "dead", said + "echo last; exit 77\n")
        fails(ran(fuzz_long, "fuzz_x", 1, 2, dead), "promise    2\n",
              "exit status 77", "last")
        fails(ran(fuzz_long, "fuzz_x", 1, 1, tool(folder / "mute", "")),
              "promise    1\n", "no stat")


# ---- Scripts of the shell --------------------------------------------------

def shell(*command, **environment):
    done = subprocess.run([str(c) for c in command], text=True,
                          env={**os.environ, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def counted(module, function, *arguments):
    """The checks that a function of the module counts as failed."""
    module.passed = module.failed = 0
    with contextlib.redirect_stdout(io.StringIO()):
        function(*arguments)
    return module.failed


@checker("llshow.py")
def _(folder):
    import llshow
    if llshow.elements("register: j0 | lane: i0^j1", 2, 4) != [0, 1, 6, 7]:
        raise Missed("elements of a layout")
    texts = {"rust": "pub const T: [u16; 3] = [\n 0, 2, 1\n];\n",
             "c": "static const unsigned short t[3] = {0, 2, 1};\n"}
    real, llshow.run = llshow.run, lambda *words, **_: (
        texts["rust" if "rust" in words else "c"], "")
    right = counted(llshow, llshow.check_compiled, folder, "x", [0, 2, 1])
    wrong = counted(llshow, llshow.check_compiled, folder, "x", [0, 1, 2])
    llshow.run = real
    if right != 0 or wrong != 2:
        raise Missed(f"{right} and {wrong} tables are wrong, not 0 and 2")
    llshow.LLSHOW = tool(folder / "held", "exit 0\n")
    if counted(llshow, llshow.bounds) < 4:
        raise Missed("no bound is missed")


@checker("engine.py")
def _(folder):
    import engine
    real, said = engine.run, {}
    def run(command, *rest):
        command = str(command)
        which = next((w for w in ("engine", "nvcc", "hipcc", "sh") if
                      command.endswith(w)), "program")
        return said.get(which, (0, "0 wrong", ""))
    def judged(faults, *graph):
        sources = []
        found = list(faults(folder, sources, *graph))
        found += engine.by_compilers(folder)
        return found + list(engine.emulated(folder, sources))
    def wrong(**faults):
        said.clear()
        said.update(faults)
        return judged(engine.faults, "g", "", "x", "")
    def hip(**faults):
        said.clear()
        said.update(faults)
        return judged(engine.hip_faults, engine.EMULATED_AS_HIP[0], "", "")
    engine.run = run
    compiler(folder / "nvcc", "")
    with mock.patch.dict(os.environ, {"NVCC": str(folder / "nvcc")}):
        silent(wrong())
        sees(wrong(engine=(1, "", "no graph")), "g: no graph")
        sees(wrong(sh=(1, "", "no program")), "emucc: no program")
        sees(wrong(program=(0, "3 wrong", "")), "g.cu: 3 wrong")
        sees(wrong(nvcc=(2, "", "no ptx")), "nvcc: no ptx")
    compiler(folder / "hipcc", "")
    with mock.patch.dict(os.environ, {"HIPCC": str(folder / "hipcc")}):
        silent(hip())
        sees(hip(engine=(1, "", "no graph")), "HIP: no graph")
        sees(hip(hipcc=(2, "", "no code")), "hipcc: no code")
        sees(hip(program=(0, "3 wrong", "")), ".hip: 3 wrong")
    engine.run = real


@checker("engine_products.py")
def _(folder):
    import engine_products
    real, said = engine_products.engine.run, {}
    def run(command, *rest):
        which = next((w for w in ("engine", "nvcc", "hipcc", "sh") if
                      str(command).endswith(w)), "program")
        return said.get(which, (0, "0 wrong", ""))
    def wrong(graph, **faults):
        said.clear()
        said.update(faults)
        sources = []
        found = list(engine_products.faults(folder, graph, sources))
        return found + list(engine_products.engine.emulated(folder, sources))
    engine_products.engine.run = run
    cuda, hip = (next(g for g in engine_products.GRAPHS if g.get("compile") and
                      ("gfx" in g) == is_hip) for is_hip in (False, True))
    for graph, which in ((cuda, "nvcc"), (hip, "hipcc")):
        compiler(folder / which, "")
        with mock.patch.dict(os.environ, {which.upper(): str(folder / which)}):
            silent(wrong(graph))
            sees(wrong(graph, engine=(1, "", "no graph")), "no graph")
            sees(wrong(graph, engine=(0, "/* fill in: an instruction", "")),
                 "to be filled in")
            sees(wrong(graph, sh=(1, "", "no program")), "no program")
            sees(wrong(graph, program=(0, "3 wrong", "")), "3 wrong")
            sees(wrong(graph, **{which: (2, "", "no code")}), "no code")
    said.clear()
    said["engine"] = (1, "", "engine: no graph\n")
    sees(list(engine_products.sentences(folder)), "it gives 1")
    engine_products.engine.run = real


# Value 0 costs 9: made for 9 as all need it, or for 5 and converted for 4. Value
# 1 costs 5, by way of layout 1, which an operation takes; value 2 costs 9, as no
# operation takes what is on its way. Value 3 is made twice, for 1 + 1 + 2.
MODEL = """graph one
cost COST
op 1 0 | 5 > 0.0 | 9 > 0.1
op 2 1 | 0 0.0 > | 0 0.1 >
op 1 1 | 0 0.1 >
op 1 0 | 0 > 1.0
op 1 0 | 0 1.1 >
op 1 0 | 0 1.2 >
op 1 0 | 0 > 2.0
op 1 0 | 0 2.2 > | 100 2.1 >
op 2 2 | 1 > 3.0 | 1 > 3.1
op 1 0 | 0 3.0 >
op 1 0 | 0 3.1 >
value 0 2 0 4 4 0
value 1 2 0 2 9 9 0 3 9 9 0
value 2 1 0 2 9 9 0 3 9 9 0
value 3 2 0 50 50 0
"""


@checker("engine_optimal.py")
def _(folder):
    import engine_optimal
    def judged(cost, bound, found):
        return engine_optimal.judge({"cost": cost}, bound, found) or ""
    silent(judged(14, 14, 14) or judged(14, 13.2, 14))
    sees(judged(14, 13, 13), "13 is possible")
    sees(judged(14, 15, 15), "less than the bound 15")
    sees(judged(14, 12, 14), "only 12 is proven")
    if engine_optimal.highspy is None:
        return
    written(folder / "1.a.txt", MODEL.replace("COST", "27"))
    succeeds(ran(engine_optimal, folder))
    written(folder / "1.a.txt", MODEL.replace("COST", "28"))
    fails(ran(engine_optimal, folder), "costs 28, and 27 is possible")
    written(folder / "1.a.txt", MODEL.replace("COST", "26"))
    fails(ran(engine_optimal, folder), "less than the bound 27")
    (folder / "1.a.txt").unlink()
    fails(ran(engine_optimal, folder))


@checker("viewer.py")
def _(folder):
    import viewer
    one = {"name": "x", "what": {"a": "A", "b": ""}, "words": "",
           "views": {"0": "1,2"}, "legends": ["cells: lane:register"]}
    real, viewer.llshow = viewer.llshow, lambda what, *words: "1,2"
    same = counted(viewer, viewer.views, one)
    viewer.llshow = lambda what, *words: "1,3"
    other = counted(viewer, viewer.views, one)
    viewer.llshow = lambda what, *words: "1,2"
    mute = counted(viewer, viewer.views, {**one, "legends": []})
    viewer.llshow = real
    if mute != 1:
        raise Missed("a picture without a legend")
    if same != 0 or other != 1:
        raise Missed("another picture than the library's")
    viewer.PAGE = written(folder / "page.html", "<script src=x></script>")
    viewer.BROWSER = tool(folder / "browser", "echo nothing\n")
    if counted(viewer, viewer.main) != 4: # nor does it on a phone, twice
        raise Missed("a page that fetches, or does not run")
    one = {"name": "x", "graph": "", "choices": ["v: a to b"],
           "what": {"graph": "x = load 4x64:32\nstore x\n", "warps": "4",
                    "a": "c", "b": ""}}
    out = {"examples": [one, one], "pressed": ["a", "b", "16", False],
           "no_graph": ["character 5", 0], "empty": True, "eight": ["", ""]}
    if counted(viewer, viewer.graphs, out, folder) != 8: # three each, and warps
        raise Missed("other layouts of a graph than the engine's")


@checker("run.sh")
def _(folder):
    def part(name, text, status=0):
        return shell("sh", ROOT / "tests/run.sh", name,
                     tool(folder / name, f"echo '{text}'\nexit {status}\n"),
                     RESULTS=str(folder / "results"))
    def added(*names):
        return shell("sh", ROOT / "tests/run.sh", "--sum", *names,
                     RESULTS=str(folder / "results"))
    succeeds(part("good", "3 passed, 0 failed, 1 skipped"))
    sees(added("good")[1], "3 passed, 0 failed, 1 skipped")
    fails(part("bad", "3 passed, 1 failed"), "3 passed, 1 failed")
    fails(part("dies", "3 passed, 0 failed", 1), "exit status 1")
    fails(part("mute", "hello"), "no closing line")
    fails(part("empty", "0 passed, 0 failed"), "nothing was tested")
    fails(added("good", "bad"), "6 passed, 1 failed")
    fails(added("good", "gone"), "gone: was not built", "1 failed")


@checker("check.py")
def _(folder):
    import check
    def table(rows):
        return check.read("[a section]\n" + rows)
    def judged(rows, *arguments, **patches):
        (folder / "results").mkdir(exist_ok=True)
        return ran(check, *arguments, RESULTS=folder / "results",
                   TABLE=written(folder / "parts.txt", rows), **patches)
    good = "{a,b}-c | 1 | | | | echo 1 passed, 0 failed # {} {0} {1}\n"
    sees(list(table(good)), "a-c", "b-c")
    sees(table(good)["a-c"].command(""), "a-c a c")
    sees(list(table("tests/test_*.c -test_text | 1 | | | |\n")), "test_views")
    silent([n for n in table("tests/test_*.c -test_text | 1 | | | |\n")
            if n == "test_text"])
    both = check.read("[some]\n" + good +
                      "[some all]\nd | 1 | | | | {all}{every}\n")
    for every, count, command in (False, 2, "2"), (True, 3, "all1"):
        with mock.patch.object(check, "ALL", every):
            if len(check.chosen(both, [])) != count or \
                    len(check.chosen(both, ["--section", "some"])) != count or \
                    both["d"].command("") != command or \
                    [p.name for p in check.chosen(both, ["d"])] != ["d"]:
                raise Missed("the parts of check-all")
    sees(stops(table, good + good), "two parts a-c")
    sees(stops(table, "a | 1 | | |\n"), "5 columns")
    sees(stops(check.chosen, table(good), ["d*"]), "there is no part d*")
    with mock.patch.dict(os.environ, READY="1", RESULTS=str(folder / "results"),
                         JOBS="2", MAKE="make"):
        status, said = judged(good)
        succeeds((status, said))
        sees(said, "[2 of 2]", "2 passed, 0 failed, 0 skipped")
        sees(judged(good, "b-*")[1], "[1 of 1]", "1 passed, 0 failed")
        fails(judged(good + "d | 1 | | | | echo 1 passed, 1 failed\n"),
              "3 passed, 1 failed")
        fails(judged("d | 1 | | | build/there/is/no/rule | true\n"),
              "No rule", "does not compile", "1 failed")
        fails(judged("d | 1 | | | emucc tests/gone.cu |\n"), "tests/gone.cu")
        sees(judged("d | 1 | | command gone_tool | | true\n")[1],
             "there is no gone_tool here", "1 skipped")
        sees(judged("d | 1 | | header gone.h | | true\n")[1], "no gone.h here")
        slow = "d | 1 | | | | sleep 3; echo 1 passed, 0 failed\n"
        sees(judged(slow, SILENCE=1)[1], "running: d (1 s)")
        silent("running" in judged(slow, SILENCE=20)[1])


@checker("fresh.sh")
def _(folder):
    text = (ROOT / "tests/fresh.sh").read_text()
    timed = re.search(r"^timed\(\).*?^\}$", text, re.M | re.S)[0]
    def silence(lines):
        shell("sh", "-c", f"{timed}\n({lines}) | timed {folder}/longest")
        return (folder / "longest").read_text().strip()
    silent(silence("echo a; sleep 0.1; echo b") not in ("0", "1"))
    silent(silence("echo a; sleep 3; printf b") not in ("3", "4"))
    silent(silence("echo a; sleep 3") not in ("3", "4"))
    fails(shell("sh", ROOT / "tests/fresh.sh"), "SUITE is missing")
    nobody = tool(folder / "id", "echo 1000\n")
    fails(shell("sh", ROOT / "tests/fresh.sh", "trixie", PATH=os.pathsep.join(
        [str(pathlib.Path(nobody).parent), os.environ["PATH"]])), "needs root")


@checker("lint.sh")
def _(folder):
    for name in ("lint.sh", "shape.py", "source.py"):
        written(folder / "tests" / name, (ROOT / "tests" / name).read_text())
    path = folder / "bin"
    path.mkdir()
    for name in ("sh", "ls", "grep", "tr", "cat", "dirname"):
        (path / name).symlink_to(shell("which", name)[1].strip())
    (path / "python3").symlink_to(sys.executable)
    def linted(text):
        for name in ("ll.h", "ll_ptx.h", "ll_amd.h"):
            written(folder / name, text)
        return shell("/bin/sh", folder / "tests/lint.sh", PATH=str(path))
    succeeds(linted(HEADER))
    sees(linted(HEADER)[1], "shellcheck: skipped", "headers: nothing found")
    fails(linted(HEADER + "\tx\n"), "a tab", "headers: FAILED")
    written(folder / "bench/profile.py", "")
    fails(linted(HEADER), "named as a module", "scripts: FAILED")
    (folder / "bench/profile.py").unlink()
    tool(path / "shellcheck", "echo a fault\nexit 1\n")
    fails(linted(HEADER), "a fault", "shellcheck: FAILED")


# ---- All of them -----------------------------------------------------------

def why(name):
    """Why a checker is not to be trusted, or ''."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            TESTS[name](pathlib.Path(folder))
        except Missed as what:
            return str(what)
        except (Exception, SystemExit) as error: # the checker broke
            return f"{type(error).__name__}: {error}"
    return ""


def main():
    there = {f.name for f in (ROOT / "tests").iterdir()
             if f.suffix in (".py", ".sh")} - set(NO_CHECKERS)
    failed = 0
    for name in sorted(there - set(TESTS)):
        failed += 1
        print(f"FAIL {name}: it has no test here")
    for name in sorted(set(TESTS) - there):
        failed += 1
        print(f"FAIL {name}: there is no such checker")
    chosen = sorted(set(sys.argv[1:] or there & set(TESTS)))
    for name in chosen:
        start = time.monotonic()
        what = why(name)
        failed += bool(what)
        seconds = time.monotonic() - start
        print(f"FAIL {name}: {what}" if what else f"{name}: {seconds:.1f} s")
    print(f"{len(chosen) - failed if failed < len(chosen) else 0} passed, "
          f"{failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
