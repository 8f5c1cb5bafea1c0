"""programs.py - checkers of programs that are compiled here."""
import io
import json
import os
import shutil
import subprocess
import sys
from unittest import mock

from selftests.base import (Missed, ROOT, checker, fails, ran, sees, shell,
                            silent, stops, succeeds, tool, written)


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
    """bench/same.py: figures.py trusts the lines that it writes. The compiler
    here copies its source. Each word of a source is a kernel with one letter
    of code. The record has two programs, measured at different commits."""
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
                                     for n, body in enumerate(bodies)],
            [] if run else None)
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
    with mock.patch.object(cxx, "KERNELS", [written(
            folder / "k.cu", '#include "ll.h"\n__global__ void k() { f(); }\n')]):
        kernel = cxx.KERNELS[0]
        for text, said in (("__device__ void f() {}\n", ""), (
                "__device__ void f(...) {}\n", "variadic")):
            written(folder / "ll.h", text)
            with mock.patch.object(cxx, "ROOT", folder):
                found = cxx.check_kernel(folder, "clang++-14", kernel) \
                    if shutil.which("clang++-14") else said
            sees(found, said) if said else silent(found)
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
