"""shells.py - scripts of the shell, and checkers of tools."""
import contextlib
import io
import os
import pathlib
import re
import sys
from unittest import mock

from selftests.base import (Missed, ROOT, checker, compiler, fails, ran, sees,
                            shell, silent, stops, succeeds, tool, written)
from selftests.texts import HEADER


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
    stop = "#error fill in the functions"
    tool(folder / "engine", "grep -q 'map\\|atomic' \"$1\" || exit 0\n"
         f"printf '#ifndef FILLED_IN\\n{stop}\\n#endif\\n'\n")
    silent(list(engine.left_open(folder)))
    for always in "exit 0", f"echo '{stop}'":
        tool(folder / "engine", f"{always}\n")
        sees(list(engine.left_open(folder)), "left open")


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
    for every, count, command in (False, 2, "3"), (True, 3, "all1"):
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
    silent(silence("echo a; sleep 0.1; echo b") not in ("0 0", "1 0", "0 1"))
    silent(silence("echo a; sleep 3; printf b") not in ("3 0", "4 0"))
    silent(silence("echo a; sleep 3") not in ("3 0", "4 0"))
    silent(silence("sleep 3") not in ("3 3", "4 4"))
    bound = re.search(r"^within\(\).*?^\}$", text, re.M | re.S)[0]
    verdict = re.search(r"^verdict\(\).*?^\}$", text, re.M | re.S)[0]
    def bounded(value):
        return shell("sh", "-c", f"passed=0 failed=0\n{verdict}\n{bound}\n"
                     f"within 'the time' {value} 60 s; exit $failed")
    succeeds(bounded(60))
    fails(bounded(61), "FAIL make run: the time is 61 s (at most 60)")
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
