"""texts.py - checkers of the text of the headers and of pages."""
import contextlib
import io
import json
import os
import re
import shutil
from unittest import mock

from selftests.base import (Missed, ROOT, checker, fails, ran, sees, silent,
                            stops, succeeds, tool, written)

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


@checker("streams.py")
def _(_folder):
    import streams
    for text, count in streams.PLANTED.items():
        if len(list(streams.faults(text))) != count:
            raise Missed(text)
    sees(list(streams.faults("k<<<1, 2>>>();")), "without a stream")


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
    def faked(test, of=redistribute.Kernels, **changed):
        with contextlib.ExitStack() as changes:
            for name, value in changed.items():
                changes.enter_context(mock.patch.object(of, name, value))
            return judged(redistribute.faked, test)[0][1]
    silent(faked(redistribute.empty_shards) or faked(redistribute.access))
    for fault in (lambda pointer: None), (lambda pointer: [9] * 11):
        if not faked(redistribute.empty_shards,
                     redistribute.redistribute_ranks, shared=fault):
            raise Missed("an empty shard that is shared otherwise")
    for fault in (lambda device, bus: True), (lambda device, bus: False):
        if not faked(redistribute.access, redist_can_access=fault):
            raise Missed("GPUs whose access is not asked for")
    if not judged(redistribute.posts, load=lambda: [types.SimpleNamespace(
            redist_box_bytes=lambda ranks: 4096,
            redist_exchange=lambda *a: 4)])[1]:
        raise Missed("an exchange without words")
    wrong = judged(redistribute.texts, placed=lambda *a: ("offset: j0", a[0]))
    if wrong[0] != wrong[1]:
        raise Missed(f"wrong texts: {wrong}")


@checker("redistribute_dtensor.py")
def _(folder):
    import contextlib
    import importlib.util
    import io
    import sys
    import types
    spec = importlib.util.spec_from_file_location(
        "check_dtensors", ROOT / "tests/redistribute_dtensor.py")
    redistribute_dtensor = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(redistribute_dtensor) # examples have one too
    t = object.__new__(redistribute_dtensor.Bench)
    t.rank = t.passed = t.failed = 0
    t.torch = types.SimpleNamespace(uint8="bytes", int16="words",
                                    int32="longs", equal=lambda a, b: a == b)
    class Local: # a local tensor: its bits, and what is asked of it
        def __init__(self, bits, shape, whole):
            self.bits, self.shape, self.whole = bits, shape, whole
        def detach(self):
            return self
        contiguous = detach
        def element_size(self):
            return 2
        def is_contiguous(self):
            return self.whole
        def view(self, kind):
            sees(kind, "words")
            return self.bits
    def tensor(bits="01", part=(1, 2), whole=True, **changed):
        return types.SimpleNamespace(**{
            "to_local": lambda: Local(bits, part, whole), "placements": (1,),
            "stride": lambda: (2, 1), "shape": (2, 2), "dtype": "bf16",
            "requires_grad": False, **changed})
    if not t.equal(tensor(), tensor(whole=False)):
        raise Missed("two equal tensors")
    for fault in ({"bits": "10"}, {"part": (2, 1)}, {"whole": False},
                  {"placements": (0,)}, {"stride": lambda: (1, 2)},
                  {"shape": (4, 2)}, {"dtype": "f32"},
                  {"requires_grad": True}):
        if t.equal(tensor(**fault), tensor()):
            raise Missed(f"a tensor with another {fault}")
    with contextlib.redirect_stdout(io.StringIO()) as said:
        t.counts(True, "good")
        t.counts(False, "a fault")
    sees(said.getvalue(), "FAIL rank 0: a fault")
    if (t.passed, t.failed) != (1, 1):
        raise Missed("a failure that is not counted")
    with mock.patch.dict(sys.modules, torch=None):
        sees(redistribute_dtensor.said(lambda: int("x")), "invalid literal")
        skips = ran(redistribute_dtensor, "here")
    sees(skips[1], "0 passed, 0 failed, 1 skipped")


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
