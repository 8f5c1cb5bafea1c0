#!/usr/bin/env python3
"""paper.py - the evaluation of the paper, beside Triton 3.6 and this library.

    paper.py [PAGE]      writes build/paper.html
    paper.py --check     writes it, and asks whether it is complete

One page has each table and figure of section 6: what the paper reports of
Triton before it and with linear layouts, what Triton 3.6 does, and what this
library does. The paper's figures are facts in tests/data/paper.json, and with
them those of Triton 3.6 that bench/peers/triton_paper.py counts. Ours come from
bench/results; widths of accesses are computed here, by ll.h. What no file of
bench/results has is not measured, and the page says so. Figures marked GPU need
one: `make bench-all` measures them.
"""
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from report import (conversions, gathers, grouped, lowbit, records, # noqa: E402
                    rows, svg, trips)

RESULTS = ROOT / "bench/results"
FACTS = ROOT / "tests" / "data" / "paper.json"
PAGE = ROOT / "build" / "paper.html"
NONE = "not measured"
# Rows of each part: as many as the paper has, or at least one.
ROWS = {"contiguity": 10, "broadcasting": 7, "mixed": 14, "mxfp4": 4,
        "conversion": 12, "gather": 18, "real": 10}
COLOURS = ["#9aa0a6", "#fbbc04", "#1a73e8", "#34a853"]
OF_FOUR = ["#9aa0a6", "#fbbc04", "#ea4335", "#1a73e8"] # with Triton 3.6
BEFORE, WITH = "paper: Triton", "paper: with linear layouts"

# Lanes of four warps hold neighbours in the order of memory, which is taken as
# one axis: as many as there are for each lane, or 16 bytes, where other
# warps then hold copies.
WIDTHS = """
#include "ll.h"
#include <stdio.h>
static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }
static ll_shape matrix(unsigned rows, unsigned cols) {
    return ll_with(ll_with(ll_shape_of(""), LL_J, cols), LL_I, rows);
}
static unsigned width(unsigned n, unsigned bits, unsigned each) {
    const unsigned cols = least(n, each);
    const unsigned across = n / cols;
    const ll_layout a = ll_blocked(matrix(512, n), matrix(each / cols, cols),
                                   matrix(32 / across, across), matrix(4, 1));
    return bits * ll_vector(ll_flatten_out(a, LL_J), 128u / bits);
}
int main(void) {
    for (unsigned bits = 8; bits <= 16; bits *= 2) {
        for (unsigned n = 1; n <= 16; n *= 2) {
            const unsigned most = 128u / bits;
            printf("%u %u %u %u\\n", n, bits,
                   width(n, bits, least(4 * n, most)), width(n, bits, most));
        }
    }
    return 0;
}
"""


def widths():
    """Bits of an access by columns and bits of an element: of lanes without
    copies, and of lanes with 16 bytes."""
    folder = ROOT / "build" / "paper"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-O0", "-I",
                    str(ROOT), "-x", "c", "-", "-o", str(folder / "widths")],
                   input=WIDTHS, text=True, check=True)
    out = subprocess.run([str(folder / "widths")], stdout=subprocess.PIPE,
                         text=True, check=True).stdout
    return {(n, bits): (alone, wide) for n, bits, alone, wide in
            (map(int, line.split()) for line in out.splitlines())}


class Part:
    """A table of the page, its words and its chart."""

    def __init__(self, name, facts, head, rows, words=(), chart=None,
                 results=None):
        self.name, self.title = name, facts[name]["title"]
        self.head, self.rows = head, rows
        self.words = [f"The paper: {facts[name]['paper']}.", *words]
        if results:
            context = results["context"]
            self.words.append(
                f"Ours: {context.get('device', 'an unnamed device')}, "
                f"{context.get('command', 'an unnamed command')}, commit "
                f"{context.get('commit', 'unknown')}.")
        self.chart = chart


def drawn(title, groups, names, unit, line=None, colours=None):
    """A chart as SVG, or None where nothing was measured."""
    groups = [(text, values) for text, values in groups if any(values)]
    return svg.svg("", title, groups, names, unit, line,
                      colours or COLOURS)[1] if groups else None


def said(value, digits=2):
    return NONE if value is None else f"{value:.{digits}f}" \
        if isinstance(value, float) else str(value)


def contiguity(facts, found):
    rows, groups = [], []
    for row in facts["contiguity"]["rows"]:
        n, bits = row["tensor"][1], row["bits"]
        alone, wide = found.get((n, bits), (None, None))
        name = f"[512,{n}] f{bits}"
        now = row.get("triton_3_6")
        rows.append([name, said(row["triton"]), said(row["linear"]), said(now),
                     said(alone), said(wide)])
        groups.append((name, [row["triton"], row["linear"], now, alone]))
    return Part("contiguity", facts, [
        "tensor", BEFORE, WITH, "Triton 3.6", "ours, no copies",
        "ours, 16 bytes a lane"], rows, [
            "Bits of one access of four warps, computed here by ll_vector. A "
            "tensor that has less than 16 bytes for each of 128 threads is "
            "held once, or by lanes of 16 bytes and then with copies. Triton "
            "3.6 in layouts of its choice, compiled for sm_90."],
        drawn("Bits of an access", groups,
              [BEFORE, WITH, "Triton 3.6", "ours, no copies"], "bits",
              colours=OF_FOUR))


def reductions():
    """The table that `make reductions` wrote: layout to passed and count."""
    text = (RESULTS / "reductions.md").read_text()
    found = re.findall(r"^\| ([a-z ]+) \| (\d+) \| (\d+) \| (\d+) \|", text,
                       re.M)
    return {name: (int(of), int(passed), int(count))
            for name, of, passed, count in found}


def now_of(row):
    """Triton 3.6 in a row: the cases that pass, and instructions."""
    count, passed = row.get("triton_3_6"), row.get("triton_3_6_passed")
    return NONE if count is None else f"{count}, compiled only" \
        if passed is None else f"{passed}/{row['cases']}, {count}"


def broadcasting(facts, found):
    rows, groups = [], []
    for row in facts["broadcasting"]["rows"]:
        of, passed, count = found.get(row["layout"], (0, 0, None))
        before = said(row["triton"]) if row["triton_passed"] else "fails"
        rows.append([
            row["layout"], f"{row['triton_passed']}/{row['cases']}, {before}",
            f"{row['cases']}/{row['cases']}, {row['linear']}",
            now_of(row), f"{passed}/{of}, {count}" if count else NONE])
        groups.append((row["layout"], [row["triton"], row["linear"],
                                       row.get("triton_3_6"), count]))
    return Part("broadcasting", facts,
                ["layout", BEFORE, WITH, "Triton 3.6", "ours"], rows, [
                    "Cases that pass, and instructions of shared memory. Ours "
                    "and those of Triton 3.6 are of one lane's program, summed "
                    "over the cases; the paper counts those of layouts that it "
                    "does not list."],
                drawn("Instructions of shared memory", groups,
                      [BEFORE, WITH, "Triton 3.6", "ours"],
                      "instructions, all cases", colours=OF_FOUR))


def mixed(facts, data):
    ours = {row["types"]: row for row in data["rows"]} if data else {}
    rows, groups = [], []
    for row in facts["mixed"]["rows"]:
        own, now = ours.get(row["types"]), row.get("triton_3_6")
        rows.append([row["types"], f"{row['triton']}/{row['of']}",
                     f"{row['of']}/{row['of']}",
                     NONE if now is None else f"{now}/{row['of']}",
                     f"{own['passed']}/{own['of']}" if own else NONE])
        groups.append((row["types"], [
            row["triton"] / row["of"], 1.0,
            None if now is None else now / row["of"],
            own and own["passed"] / own["of"]]))
    total = [f"{data['paper']['passed']} of {data['paper']['of']} of the "
             "paper's cases pass."] if data else []
    return Part("mixed", facts,
                ["types", BEFORE, WITH, "Triton 3.6", "ours (GPU)"], rows,
                [*total, "The shapes of a class are ours: the paper names the "
                 "classes and the number of cases. Triton 3.6 has the same "
                 "shapes, and a kernel with tl.dot that converts both operands "
                 "to the type that is no integer; its compiler fails where "
                 "that is f64 and the integers have 8 or 16 bits. "
                 f"{facts['triton_3_6']}."],
                drawn("Cases that pass", groups,
                      [BEFORE, WITH, "Triton 3.6", "ours"], "fraction",
                      colours=OF_FOUR), data)


def mxfp4(facts, data):
    ours = {(r["m"], r["n"]): r for r in lowbit.lowbit_rows(data, "prefill")
            if r["format"] == "mxfp4"} if data else {}
    part, rows, groups = facts["mxfp4"], [], []
    for row in part["rows"]:
        own = ours.get((row["m"], row["n"]))
        rate = own and own["rested_tflops"]
        times = rate / row["triton"] if own and row["triton"] else None
        rows.append([f"{row['m']} x {row['n']} x {row['n']}",
                     f"up to {part['speedup']:.2f} times",
                     said(row["triton"]), said(rate and round(rate)),
                     said(times)])
        groups.append((f"{row['m']}", [row["triton"], rate]))
    return Part("mxfp4", facts, [
        "m x n x k", WITH + ", against Triton before it", "Triton 3.6, TFLOP/s",
        "ours (GPU), TFLOP/s", "times as fast"], rows, [
            f"The paper's best: {part['of']}. Weights of mxfp4, activations of "
            f"bf16. Triton's dot_scaled: {facts['triton_3_6']}; ours after a "
            "rest."],
        drawn("Products with mxfp4, n = k = 8192", groups,
              ["Triton 3.6", "ours"], "TFLOP/s"), data)


def conversion(facts, data):
    found = records.cells(data) if data else {}
    paper, rows, groups = facts["conversion"]["speedup"], [], []
    known = {(row["tile"], row["bits"]): row
             for row in facts["conversion"].get("rows", ())}
    for case, size in conversions.SHUFFLED:
        for bits in (8, 16, 32):
            ll = conversions.by_shuffles(found, case, bits)
            padded = trips.fastest(found, case, bits, "padded*")
            triton = trips.fastest(found, case, bits, "triton") or \
                known.get((size, bits))
            speeds = [trips.speed(who, padded) for who in (triton, ll)]
            rows.append([f"{size}, {bits} bits", f"up to {paper:.2f}",
                         *map(said, speeds), said(trips.speed(ll, triton))])
            groups.append((f"{size}, {bits}", speeds))
    return Part("conversion", facts, [
        "tile", WITH, "Triton 3.6", "ours (GPU)", "ours against Triton 3.6"],
        rows, ["Times as fast as through padded shared memory, "
               "[1,16]x[8,4] to [2,8]x[4,8], ours by shuffles. Triton's of the "
               f"tiles above 32x64: {facts['triton_3_6']}."],
        drawn("Conversions by shuffles", groups, ["Triton 3.6", "ours"],
              f"times as fast as padded memory; dashed: the paper, {paper}",
              paper), data)


def gather(facts, data):
    found = records.cells(data) if data else {}
    paper, rows, groups = facts["gather"]["speedup"], [], []
    for case, text, goals in gathers.GATHERS:
        speeds = []
        for bits in goals:
            ll, triton = (trips.fastest(found, case, bits, who, "gather")
                          for who in ("ll", "triton"))
            rows.append([f"{text}, {bits} bits", f"up to {paper:.2f} times",
                         said(triton and round(triton["ns"])),
                         said(ll and round(ll["ns"])),
                         said(trips.speed(ll, triton))])
            speeds.append(trips.speed(ll, triton))
        groups.append((text, speeds))
    return Part("gather", facts, [
        "tensor", WITH + ", against Triton before it", "Triton 3.6, ns",
        "ours (GPU), ns", "times as fast"], rows, [],
        drawn("Gathers against Triton 3.6", groups,
              ["8 bits", "16 bits", "32 bits"],
              f"times as fast; dashed: the paper, {paper}", paper), data)


def span(values, unit):
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return (low if low == high else f"{low} to {high}") + f" of {unit}"


def of_rows(what, names, reader):
    """Of the copy rate: of ours and of Triton, in the rows of some kernels."""
    data = records.latest(what)
    cases = [case for key, case in reader(data).items() if key[0] in names] \
        if data else []
    found = {}
    for who in ("ll", "triton"):
        some = [case[who]["of_copy"] for case in cases if who in case]
        found[who] = some and span(some, "a copy")
    return found


def of_grouped():
    data = records.latest("grouped")
    rows = grouped.grouped_rows(data).values() if data else []
    some = [row["ll"] / row["triton"] for row in rows if "triton" in row]
    return some and span(some, "Triton")


def of_triton():
    """How ours compares with Triton's kernel of each name."""
    data, found = records.latest("benchmarks"), {}
    for row in data["of_paper"] if data else []:
        found.setdefault(row["benchmark"], []).append(row["ratio"])
    return {name: span(some, "Triton") for name, some in found.items()}


def of_mixed():
    data = records.latest("mixed")
    rows = {r["types"]: r for r in data["rows"]} if data else {}
    return "i16/f16" in rows and \
        f"{rows['i16/f16']['passed']}/{rows['i16/f16']['of']} cases pass"


def now_mixed(facts, types):
    """The same of Triton 3.6."""
    row = next(r for r in facts["mixed"]["rows"] if r["types"] == types)
    return "triton_3_6" in row and \
        f"{row['triton_3_6']}/{row['of']} cases pass"


def kernels_of_ours(facts):
    """What each benchmark corresponds to here: (ours, Triton 3.6, file)."""
    welford = of_rows("kernels", ("layernorm",), rows.rows_of)
    rope = of_rows("kernels", ("rope",), rows.rows_of)
    files = {"gemm": "matmul_hopper.cu", "int4gemm": "matmul_lowbit.cu",
             "template_attention": "attention.cu",
             "fp8_gemm": "matmul_hopper.cu", "gather_gemv": "gather_gemv.cu",
             "embedding": "embedding.cu"}
    beside = of_triton()
    found = {name: (beside.get(name), "1", file)
             for name, file in files.items()} | {
        "bf16xint16_gemm": (of_mixed(), now_mixed(facts, "i16/f16"),
                            "matmul.cu"),
        "welford": (welford["ll"], welford["triton"], "norm.cu"),
        "grouped_gemm": (of_grouped(), "1", "matmul_grouped.cu"),
        "rope": (rope["ll"], rope["triton"], "rope.cu"),
    }
    return {name: (beside[name], "1", x[2]) if name in beside else x
            for name, x in found.items()}


def real(facts, ours):
    rows = []
    for row in facts["real"]["rows"]:
        own, triton, file = ours.get(row["name"], (None, None, None))
        rows.append([row["name"],
                     f"{row['load']}, {row['store']}, {row['convert']}",
                     triton or row.get("triton") or NONE, own or NONE,
                     file or "no kernel here"])
    platforms = facts["real"]["platforms"]
    return Part("real", facts, [
        "benchmark", "paper: loads, stores, conversions", "Triton 3.6",
        "ours (GPU)", "kernel"], rows, [
            "Speedups over Triton before it: " + "; ".join(
                f"{p['name']} {p['least']:.2f} to {p['most']:.2f}"
                for p in platforms) + ". Ours are other programs for the same "
            "task, beside the vendor's library or a copy kernel. Triton's rope "
            f"and embedding: {facts['triton_3_6']}."],
        drawn("Speedups that the paper reports",
              [(p["name"], [p["least"], p["most"]]) for p in platforms],
              ["least", "most"], "times as fast as Triton before it", 1))


def parts(facts):
    return [contiguity(facts, widths()), broadcasting(facts, reductions()),
            mixed(facts, records.latest("mixed")),
            mxfp4(facts, records.latest("lowbit")),
            conversion(facts, records.latest("convert")),
            gather(facts, records.latest("gather")),
            real(facts, kernels_of_ours(facts))]


STYLE = """body { font: 15px sans-serif; max-width: 70em; margin: 2em auto;
  padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse }
th, td { padding: .25em .8em; border-bottom: 1px solid #ddd; text-align: right }
th:first-child, td:first-child { text-align: left }
td.none { color: #767676; font-style: italic }
svg { max-width: 100%; height: auto }"""


def page(found):
    out = ["<!doctype html>", '<html lang="en"><head><meta charset="utf-8">',
           "<title>The paper's evaluation</title>",
           f"<style>{STYLE}</style></head><body>",
           "<h1>The paper's evaluation, beside Triton 3.6 and ll</h1>",
           "<p>Columns marked GPU need a GPU: <code>make bench-all</code>.</p>",
           "<ul>"]
    out += [f'<li><a href="#{p.name}">{html.escape(p.title)}</a></li>'
            for p in found] + ["</ul>"]
    for p in found:
        out.append(f'<h2 id="{p.name}">{html.escape(p.title)}</h2>')
        out += [f"<p>{html.escape(text)}</p>" for text in p.words]
        cells = "".join(f"<th>{html.escape(c)}</th>" for c in p.head)
        out += ["<table>", f"<tr>{cells}</tr>"]
        for row in p.rows:
            out.append("<tr>" + "".join(
                f"<td{' class=none' if cell == NONE else ''}>"
                f"{html.escape(cell)}</td>" for cell in row) + "</tr>")
        out += ["</table>", p.chart or "<p>No chart: nothing measured.</p>"]
    return "\n".join(out + ["</body></html>", ""])


def fact_faults(facts):
    """Sums and bounds that the paper states of its own tables."""
    rows = facts["mixed"]["rows"]
    for name in ("contiguity", "broadcasting", "mixed", "mxfp4", "real"):
        if len(facts[name]["rows"]) != ROWS[name]:
            yield (f"{name}: {len(facts[name]['rows'])} facts, "
                   f"{ROWS[name]} expected")
    if sum(row["of"] for row in rows) != facts["mixed"]["of"]:
        yield f"mixed: the cases are not {facts['mixed']['of']} in all"
    for row in rows:
        if row.get("triton_3_6", 0) > row["of"]:
            yield f"mixed: {row['types']}: more cases pass than there are"
    share = sum(row["triton"] for row in rows) / facts["mixed"]["of"]
    if abs(share - 0.466) > 0.001:
        yield f"mixed: Triton passes {share:.3f}, the paper says 0.466"


def page_faults(text):
    """What a page lacks, from its text alone."""
    for name, count in ROWS.items():
        part = re.search(rf'<h2 id="{name}">(.*?)(?=<h2|</body>)', text, re.S)
        if not part:
            yield f"{name}: not on the page"
            continue
        rows = re.findall(r"<tr>(.*?)</tr>", part[1])
        if len(rows) != count + 1:
            yield f"{name}: {len(rows) - 1} rows, {count} expected"
        head = len(re.findall("<th>", rows[0])) if rows else 0
        if not rows or "Triton 3.6" not in rows[0] or "ours" not in rows[0] or \
                "paper: " not in rows[0]:
            yield f"{name}: a column is missing"
        for row in rows[1:]:
            cells = re.findall(r"<td[^>]*>(.*?)</td>", row)
            if len(cells) != head or not all(cells):
                yield f"{name}: an empty cell in {cells}"
        if name in ("contiguity", "broadcasting") and NONE in part[1]:
            yield f"{name}: a figure is missing, though none needs a GPU"
        chart = re.search(r"<svg.*?</svg>", part[1], re.S)
        if chart:
            xml.dom.minidom.parseString(chart[0])
        elif "No chart: nothing measured." not in part[1]:
            yield f"{name}: no chart"
        if f'href="#{name}"' not in text:
            yield f"{name}: not in the list"


def width_faults(facts, found):
    """Our accesses are at least as wide as the paper's."""
    for row in facts["contiguity"]["rows"]:
        n, bits = row["tensor"][1], row["bits"]
        alone, wide = found.get((n, bits), (0, 0))
        if alone < min(row["linear"], 4 * n * bits) or wide < row["linear"]:
            yield (f"contiguity: [512,{n}] of {bits} bits: {alone} and {wide} "
                   f"bits, the paper has {row['linear']}")


def main():
    facts = json.loads(FACTS.read_text())
    named = [a for a in sys.argv[1:] if not a.startswith("--")]
    path = pathlib.Path(named[0]) if named else PAGE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(parts(facts)))
    if "--check" not in sys.argv:
        print(f"see it: {os.path.relpath(path)}")
        return 0
    faults = [*fact_faults(facts), *width_faults(facts, widths()),
              *page_faults(path.read_text())]
    for fault in faults:
        print("FAIL", fault)
    checks = sum(ROWS.values()) + len(ROWS)
    print(f"{max(checks - len(faults), 0)} passed, {len(faults)} failed")
    return len(faults) != 0


if __name__ == "__main__":
    sys.exit(main())
