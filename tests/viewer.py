#!/usr/bin/env python3
"""viewer.py - the viewer in a headless browser, against the C library.

Every example of the menu is loaded. Each picture that the page draws is compared
cell by cell with what build/llshow writes for the same layouts, the words of
each plan and of its frames too. The layouts of each graph, and the words of the
engine, are as in a program in C. Then a wrong layout, hovering, the keyboard,
the state in the URL, the two themes and the time for 65,536 elements. With
--screenshots DIR the pictures of the browser are kept.
"""
import html
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "build/viewer.html"
LLSHOW = ROOT / "build/llshow"
BROWSER = "chromium-headless-shell"
LARGEST = 1 << 20
passed, failed = 0, 0

TYPE = ("tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp"
        " = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>>")
DRIVER = """<script>
const TYPE = "@TYPE@";
async function drive() {
  while (!ll || !state) await new Promise(r => setTimeout(r, 20));
  const out = {examples: []};
  for (const [name, what] of EXAMPLES) {
    load(what);
    const one = {name, what: {...START, ...what}, views: {}, frames: [],
      message: $("message").textContent,
      words: $("plan").hidden ? "" : $("words").textContent,
      kernel: $("plan").hidden ? "" : $("kernel").textContent,
      graph: $("graph-words").hidden ? "" : $("graph-words").textContent,
      choices: [...$("values").children].map(x => x.textContent),
      legends: [...document.querySelectorAll("#views .legend")]
        .map(x => x.textContent)};
    pictures.forEach((p, slot) => {
      if (p && !p.small) one.views[slot] = dump(slot);
    });
    for (let f = 0; one.words && f < ll.frames_of(); ++f) {
      state.frame = String(f);
      showFrame();
      const p = pictures[6];
      one.frames.push({words: $("frame-words").textContent,
        legend: $("frame-legend").textContent,
        cells: !p.small ? dump(6) : ""});
    }
    out.examples.push(one);
  }
  const graph = EXAMPLES.find(([, e]) => e.graph === ATTENTION)[1];
  load({...graph, a: "(4,4)", b: ""});
  $("values").lastChild.click();
  out.pressed = [$("a").value, $("b").value, $("bits").value,
    $("plan").hidden];
  load({...graph, graph: "x = lod 4x4:32"});
  out.no_graph = [$("graph-words").textContent, $("values").children.length];
  load({...graph, graph: " "});
  out.empty = $("graph-words").hidden;
  $("graph").value = SOFTMAX;
  $("graph").oninput();
  out.eight = [];
  for (const warps of ["8", "4"]) {
    $("warps").value = warps;
    $("warps").oninput();
    out.eight.push($("values").firstChild.textContent);
  }
  load({a: "#ttg.blocked<{x}>", shape: "8x8"});
  out.wrong = $("message").textContent;
  load({a: "rows(8, 8, 4)", shape: "8,8"});
  out.shape = $("message").textContent;
  load({a: "register: j0 j3 | lane: i0"});
  out.missing = $("views").textContent;
  load({a: "smem_k(8, 64, 16, 128)",
        b: "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"});
  out.bits = [$("message").textContent, dump(0) === dump(3)];
  state.bits = "32";
  render();
  out.bits.push($("message").textContent, $("plan").hidden, pictures.length);
  load({a: "rows(64, 64, 2)", b: "trans(rows(64, 64, 2))"});
  out.two = [$("words").textContent, $("kernel").textContent];
  load({a: "rows(64, 64, 2)", b: "trans(rows(64, 64, 4))"});
  out.differ = [$("message").textContent, $("plan").hidden, pictures.length];
  out.narrow = [4, 6].map(bits => {
    load({a: `mma_a(16, 64, ${bits}, 1)`, b: `trans(mma_a(64, 16, ${bits}, 1))`,
          bits: String(bits)});
    return [$("bits").value, $("message").textContent,
            $("words").textContent, $("kernel").textContent];
  });
  load({a: "register: j0 | lan: j1"});
  out.unknown = [$("message").textContent, pictures.length];
  load({a: "register: j0 0 | lane: j1 j2 j3 i1 i2"});
  out.holes = dump(0);
  pictures[0].point(1, 3);
  out.nowhere = $("where").textContent;
  load({a: "row_major(8192, 8192)"});
  out.large = $("views").textContent;
  load({a: "rows(64, 64, 4)", b: "rows(32, 64, 4)"});
  out.part = $("words").textContent;
  load({a: "rows(64, 64, 4)", b: "row_major(32, 64)"});
  out.part_of_memory = $("part").textContent;
  load({a: TYPE});
  out.type = [$("message").textContent, dump(0)];
  load({a: TYPE, shape: "64x32"});
  out.two_shapes = $("message").textContent;
  load({a: "gmem_ptr[16b](0x7f0) o (8,8):(9,1)"});
  out.cute = dump(0);
  load({a: "swizzle(rows(8, 8, 2), trans(rows(8, 8, 2)))"});
  out.swizzle = dump(0);
  load({a: "rows(64, 64, 4)", b: "trans(rows(64, 64, 4))", target: "gfx942"});
  out.none = ["frame", "play", "kernel", "grid-6"].map(id =>
    $(id).getClientRects().length);
  load({a: "rows(32, 32, 4)", b: EXAMPLES.find(e => e[1].shape === "32x32")[1].b,
        shape: "32x32", bytes: "16"});
  out.refused = $("views").textContent;
  state.bytes = "4";
  render();
  pictures[6].point(0, 7);
  out.padded = [$("views").textContent, $("where").textContent];
  load(EXAMPLES[2][1]);
  out.chosen = [$("example").value];
  $("a").value = "rows(8, 8, 4)";
  $("a").oninput();
  out.chosen.push($("example").value);
  load({a: "register: j0 k0 l0 i0 | lane: 0"});
  out.three = dump(0);
  load({a: "rows(16, 16, 4)", b: "trans(rows(16, 16, 4))"});
  pictures[0].point(3, 5);
  out.where = $("where").textContent;
  const c = pictures[0].canvas;
  c.focus();
  c.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
  out.key = $("where").textContent;
  out.label = c.getAttribute("aria-label");
  load({a: "rows(64, 64, 4)"});
  const wide = pictures[0], box = wide.canvas.parentNode;
  const press = (key, n) => {
    for (let k = 0; k < n; ++k) {
      wide.canvas.dispatchEvent(new KeyboardEvent("keydown", {key}));
    }
    const y = wide.y0 + wide.at[0] * wide.h - box.scrollTop;
    const x = wide.x0 + wide.at[1] * wide.w - box.scrollLeft;
    return [...wide.at, y >= 0 && y + wide.h <= box.clientHeight &&
      x >= 0 && x + wide.w <= box.clientWidth].join();
  };
  wide.point(0, 0);
  out.scrolled = [press("ArrowDown", 45), press("ArrowRight", 60),
    press("ArrowUp", 45), press("ArrowLeft", 60), box.scrollTop, box.scrollLeft];
  const paper = () => getComputedStyle(document.body).backgroundColor;
  out.paper = [paper()];
  $("theme").click();
  out.paper.push(paper());
  load({a: "rows(8, 8, 4)"});
  await new Promise(r => setTimeout(r, 500));
  out.url = location.hash;
  location.hash = new URLSearchParams({a: "(4,4):(4,1)"});
  for (let k = 0; k < 200 && $("a").value[0] !== "("; ++k) {
    await new Promise(r => setTimeout(r, 20));
  }
  out.from_url = [$("a").value, pictures.length && dump(0)];
  const pre = document.createElement("pre");
  pre.id = "results";
  pre.textContent = JSON.stringify(out);
  document.body.append(pre);
}
drive();
</script></body>""".replace("@TYPE@", TYPE)


# The layouts of a graph: the words, then a line for each layout in which a value
# is made, and for each conversion.
GRAPH = r"""
#define LL_ENGINE
#include "ll_ptx.h"
#include <stdio.h>
static char graph[1 << 14], text[1 << 16];
static unsigned char memory[1 << 24];
static ll_engine e;
static void say(const char *before, unsigned v, unsigned id) {
    ll_str(ll_engine_layout(&e, v, id), text, sizeof text);
    printf("%s%s", before, text);
}
static void name(unsigned v) {
    printf("\n%.*s:", (int)e.value[v].length, e.value[v].name);
}
int main(int argc, char **argv) {
    graph[fread(graph, 1, sizeof graph - 1, stdin)] = 0;
    ll_engine_begin(&e, memory, sizeof memory, LL_SM90,
                    (unsigned)(argv[argc - 1][0] - '0'), 1);
    e.family = ll_ptx_dot;
    if (!ll_engine_parse(&e, graph) || !ll_engine_solve(&e)) {
        return 1;
    }
    ll_engine_explain(&e, text, sizeof text);
    printf("%s==", text);
    for (unsigned v = 0; v < e.values; ++v) {
        for (unsigned k = 0; ll_engine_held(&e, v, k) != LL_ENGINE_NONE; ++k) {
            name(v);
            say(" ", v, ll_engine_held(&e, v, k));
        }
    }
    for (unsigned k = 0; k < ll_engine_moves(&e); ++k) {
        const ll_engine_move m = ll_engine_move_at(&e, k);
        name(m.value);
        say(" ", m.value, m.from);
        say(" to ", m.value, m.to);
    }
    return 0;
}
"""


def expect(what, condition):
    global passed, failed
    passed += bool(condition)
    failed += not condition
    if not condition:
        print("FAIL", what)


def browse(url, *flags):
    return subprocess.run(
        [BROWSER, "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--window-size=1400,1600", "--virtual-time-budget=60000", *flags, url],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        timeout=300).stdout


def llshow(what, *words):
    more = []
    if words[0] in ("convert", "banks"):
        more += ["--bits", what["bits"]] * bool(what["bits"])
        more += ["--target", what["target"]]
    if words[0] == "banks" and what["bytes"]:
        more += ["--bytes", what["bytes"]]
    if any("#ttg" in word for word in words):
        more += ["--shape", what["shape"]]
    return subprocess.run([str(LLSHOW), *words, *more], stdout=subprocess.PIPE,
                          text=True).stdout


def views(one):
    """Each picture but those of frames is what llshow writes."""
    what = one["what"]
    kinds = [(v, side) for side in "ab" for v in ("tensor", "hardware",
                                                  "matrix")]
    for slot, dump in one["views"].items():
        if int(slot) < 6:
            kind, side = kinds[int(slot)]
            want = llshow(what, what[side], "--view", kind, "--as", "csv")
        elif one["words"]:
            continue
        else:
            want = llshow(what, "banks", what["a"], what["b"], "--as", "csv",
                          "--op", "read" if slot == "6" else "write")
        expect(f"{one['name']}: view {slot}", dump == want and want)
    drawn = [k for k in one["views"] if k != "6" or not one["words"]]
    expect(f"{one['name']}: legends", len(one["legends"]) >= len(drawn) and all(
        re.match("cells: |(read|write), .*; cells: ", x)
        for x in one["legends"]))


def plan(one):
    what = one["what"]
    told = llshow(what, "convert", what["a"], what["b"], "--frame", "0")
    expect(f"{one['name']}: words", one["words"] and one["words"] in told)
    for k, frame in enumerate(one["frames"]):
        if k > 12:
            break
        text = llshow(what, "convert", what["a"], what["b"], "--frame", str(k))
        words = re.search(rf"^frame {k} of 0 to (\d+): (.*)$", text, re.M)
        expect(f"{one['name']}: words of frame {k}", words and
               frame["words"].strip() ==
               f"{k} of 0 to {words[1]}: {words[2]}".strip())
        expect(f"{one['name']}: legend of frame {k}", frame["legend"] in text)
        if frame["cells"]:
            want = llshow(what, "convert", what["a"], what["b"], "--frame",
                          str(k), "--as", "csv")
            expect(f"{one['name']}: frame {k}", frame["cells"] == want)
    expect(f"{one['name']}: frames", len(one["frames"]) >= 2)


def tells(out):
    """The page does not guess: bits are those of the texts, and what is missing
    has a reason."""
    def tensor(text):
        return subprocess.run([str(LLSHOW), text, "--view", "tensor", "--as",
                               "csv"], stdout=subprocess.PIPE, text=True).stdout

    message, same, differs, hidden, drawn = out["bits"]
    expect(out["bits"], not message and same and hidden and drawn == 0 and
           differs == "bits per element is 32, but the text has elements of 16 "
           "bits")
    words, kernel = out["two"]
    expect(words, "8192 bytes" in words and
           "LL_PLAN(PLAN, A, B, 16, " in kernel)
    expect(out["differ"], out["differ"] == [
        "A has elements of 16 bits, but B has elements of 32 bits", True, 0])
    for bits, (value, wrong, plan_words, kernel) in zip((4, 6), out["narrow"]):
        expect(f"{bits} bits: {wrong}", value == str(bits) and not wrong and
               plan_words and "undefined" not in kernel and
               f"LL_PLAN(PLAN, A, B, {bits}, " in kernel)
    expect(out["unknown"], out["unknown"][0].startswith(
        "the input lan is none of register, lane, ") and not out["unknown"][1])
    expect("holes", out["holes"] == tensor(
        "register: j0 0 | lane: j1 j2 j3 i1 i2"))
    expect(out["nowhere"], "A: nowhere" in out["nowhere"])
    expect("why there is no picture", out["large"].count(
        "no picture: a picture can have at most 2^20 cells") == 2)
    expect(out["part"], out["part"].startswith(
        "B holds part of A: 32 of 64 along i\n"))
    expect(out["part_of_memory"], out["part_of_memory"] ==
           "B holds part of A: 32 of 64 along i\n")
    expect(out["type"][0], out["type"] == ["", tensor(TYPE)])
    expect(out["two_shapes"], "already has a shape" in out["two_shapes"])
    expect("a pointer and pads", out["cute"] == tensor(
        "gmem_ptr[16b](0x7f0) o (8,8):(9,1)"))
    expect("a swizzle", out["swizzle"] == tensor(
        "swizzle(rows(8, 8, 2), trans(rows(8, 8, 2)))"))


def graphs(out, folder):
    """The engine's layouts are those that it finds in C."""
    program = pathlib.Path(folder) / "graph"
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-O0", "-I.", "-x",
                    "c", "-", "-o", str(program)], input=GRAPH, text=True,
                   cwd=ROOT, check=True)

    def found(text, warps):
        return subprocess.run([str(program), warps], input=text, text=True,
                              stdout=subprocess.PIPE).stdout.split("==\n")

    drawn = [one for one in out["examples"] if one["what"]["graph"]]
    expect("two graphs", len(drawn) == 2)
    for one in drawn:
        what = one["what"]
        words, lines = found(what["graph"], what["warps"])
        expect(f"{one['name']}: the engine's words", one["graph"] == words)
        expect(f"{one['name']}: layouts", one["choices"] == lines.split("\n"))
        pair = what["a"] + (f" to {what['b']}" if what["b"] else "")
        expect(f"{one['name']}: A and B are of the graph",
               any(choice.endswith(": " + pair) for choice in one["choices"]))
    others = [one for one in out["examples"] if not one["what"]["graph"]]
    expect("no graph, no words", all(not one["graph"] and not one["choices"]
                                     for one in others))
    a, b = re.match(r"v: (.*) to (.*)$", drawn[1]["choices"][-1]).groups()
    expect(f"a conversion is shown: {out['pressed']}",
           out["pressed"] == [a, b, "16", False])
    expect(out["no_graph"], "character 5" in out["no_graph"][0] and
           out["no_graph"][1] == 0)
    expect("an empty graph", out["empty"])
    for warps, shown in zip("84", out["eight"]):
        expect(f"{warps} warps", shown ==
               found(drawn[0]["what"]["graph"], warps)[1].split("\n")[0])


def cpu_seconds(what):
    """What the browser computes for, to load a page and draw it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    browse(PAGE.as_uri() + "#" + urllib.parse.urlencode(what), "--dump-dom",
           "--single-process")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def large_layouts_are_fast():
    """The browser's clock is virtual, so its processor time is compared."""
    small = min(cpu_seconds({"a": "rows(4, 4, 4)"}) for _ in range(2))
    large = min(cpu_seconds({"a": "rows(256, 256, 2)",
                             "b": "trans(rows(256, 256, 2))", "bits": "16"})
                for _ in range(2))
    print(f"65,536 elements take {large - small:.2f} s")
    expect("less than a second for each layout", large - small < 2)


def kernels(examples, more):
    """The kernels that the page shows compile for the emulator."""
    todo = [e["kernel"] for e in examples if e["kernel"]][:1] + more
    with tempfile.TemporaryDirectory() as folder:
        for text in todo:
            path = pathlib.Path(folder) / "k.cu"
            path.write_text(text + "int main() { return 0; }\n")
            done = subprocess.run(
                ["sh", "tools/emulator/emucc", "-I.", str(path), "-o",
                 str(path.with_suffix(""))], cwd=ROOT, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            expect(f"the kernel compiles: {done.stdout[-300:]}",
                   done.returncode == 0)


def screenshots(folder, examples):
    folder.mkdir(parents=True, exist_ok=True)
    for k, one in enumerate(examples):
        for theme in ("light", "dark")[:2 if k == 0 else 1]:
            name = re.sub(r"\W+", "-", one["name"]).strip("-").lower()
            what = {k: v for k, v in one["what"].items() if v}
            if what.get("b"):
                what["frame"] = "1"
            dark = ["--blink-settings=preferredColorScheme=0"] * (theme == "dark")
            browse(PAGE.as_uri() + "#" + urllib.parse.urlencode(what),
                   f"--screenshot={folder / (name + '-' + theme)}.png", *dark)


def fits_a_phone(folder, text):
    """Nothing is wider than the window, but for grids that scroll."""
    page = pathlib.Path(folder) / "phone.html"
    for k in range(2):
        page.write_text(text.replace("</body>", f"""<script>(async () => {{
  while (!ll || !state) await new Promise(r => setTimeout(r, 20));
  load(EXAMPLES[{k} ? EXAMPLES.length - 2 : 6][1]);
  const pre = document.createElement("pre");
  pre.id = "widths";
  pre.textContent = [innerWidth, ...[...document.querySelectorAll(
    "form, textarea, select, button, input, section, pre")].map(
    x => Math.ceil(x.getBoundingClientRect().right))].join(" ");
  document.body.append(pre);
}})();</script></body>"""))
        dom = browse(page.as_uri(), "--dump-dom", "--window-size=400,900")
        widths = re.search('<pre id="widths">([0-9 ]+)<', dom)
        window, *rights = map(int, widths[1].split()) if widths else (0, 1)
        expect(f"a window of {window}: {max(rights)}",
               window == 400 and len(rights) > 20 and max(rights) <= window)


def main():
    if not shutil.which(BROWSER):
        print(f"skipped: {BROWSER} is not here\n0 passed, 0 failed, 1 skipped")
        return 0
    text = PAGE.read_text()
    expect(f"{PAGE.stat().st_size} bytes, at most {LARGEST}",
           PAGE.stat().st_size <= LARGEST)
    expect("nothing is fetched", not re.search(r"(src|href)=|fetch\(|import ",
                                               text))
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        page.write_text(text.replace("</body>", DRIVER))
        dom = browse(page.as_uri(), "--dump-dom")
        fits_a_phone(folder, text)
    found = re.search(r'<pre id="results">(.*?)</pre>', dom, re.S)
    expect("the page ran", found)
    if found:
        out = json.loads(html.unescape(found[1]))
        for one in out["examples"]:
            expect(f"{one['name']}: {one['message']}", not one["message"])
            expect(f"{one['name']} is drawn", one["views"] or
                   "65,536" in one["name"])
            views(one)
            if one["words"]:
                plan(one)
        expect("a reason with its place", "(at character" in out["wrong"])
        expect(out["shape"], "the shape must be sizes such as 64x64: 8,8" in
               out["shape"])
        expect("axes that nothing has",
               "no register or offset holds an element with j1, j2 = 1" in
               out["missing"])
        tells(out)
        expect(f"no plan, nothing to play: {out['none']}",
               out["none"] == [0, 0, 0, 0])
        expect("an access wider than a pad",
               "an access has 1, 2, 4, 8 or 16 bytes" in out["refused"])
        expect(out["padded"][1], "padding: 1 element after each 32" in
               out["padded"][0] and
               re.search(r"element (\d+),(\d+);.* B: offset (\d+), bank (\d+)",
                         out["padded"][1]))
        found = re.search(r"element (\d+),(\d+);.* B: offset (\d+), bank (\d+)",
                          out["padded"][1])
        i, j, offset, bank = map(int, found.groups())
        expect("the place with pads", offset == 33 * i + j and
               bank == offset % 32)
        expect("the example that is shown", out["chosen"] == ["2", ""])
        expect("heads of three axes", '"i0,j0,k1",0:0:2' in out["three"] or
               '"i0,j0,k1",0:2' in out["three"])
        expect(out["where"], "element 3,5" in out["where"] and
               "A: register 1, lane 13" in out["where"] and
               "memory: offset" in out["where"] and "bank" in out["where"])
        expect(out["key"], "element 3,6" in out["key"])
        expect(out["scrolled"], out["scrolled"] == [
            "45,0,true", "45,60,true", "0,60,true", "0,0,true", 0, 0])
        expect(out["label"], "16 rows, 16 columns" in out["label"])
        expect("two themes", out["paper"][0] != out["paper"][1])
        expect("a URL of the state",
               urllib.parse.parse_qs(out["url"][1:]) == {"a": ["rows(8, 8, 4)"]})
        expect("state in the URL", out["from_url"][0] == "(4,4):(4,1)" and
               out["from_url"][1].count("\n") == 5)
        with tempfile.TemporaryDirectory() as folder:
            graphs(out, folder)
        kernels(out["examples"], [kernel for *_, kernel in out["narrow"]])
        large_layouts_are_fast()
        if sys.argv[1:2] == ["--screenshots"]:
            screenshots(pathlib.Path(sys.argv[2]).resolve(), out["examples"])
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
