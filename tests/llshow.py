#!/usr/bin/env python3
"""llshow.py - what examples/llshow.c prints.

Tables are compared with columns that are read here from the text of the layout;
those in C are compiled, those in Python executed, those in Rust compiled if
rustc is here. Bounds that are held and missed give the exit status that a build
relies on. Pictures are well-formed. The manual page and the completion know
every option.
"""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parent.parent
CC = os.environ.get("CC", "gcc")
LLSHOW = str(ROOT / "build/llshow")
passed, failed = 0, 0


def expect(what, condition):
    global passed, failed
    passed += bool(condition)
    failed += not condition
    if not condition:
        print("FAIL", what)


def run(*words, status=0, stdin=None):
    done = subprocess.run([LLSHOW, *words], text=True, input=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(f"{' '.join(words)}: status {done.returncode}, {done.stderr[:200]}",
           done.returncode == status)
    return done.stdout, done.stderr


def elements(text, rows, cols):
    """The row-major element of each place, from the columns of a text."""
    column = []
    for group in text.split(" -> ")[0].split(" | "):
        for word in group.split(":")[1].split():
            y = 0
            for term in word.split("^"):
                if term != "0":
                    y ^= (cols if term[0] == "i" else 1) << int(term[1:])
            column.append(y)
    table = [0]
    for y in column:
        table += [x ^ y for x in table]
    return table


LAYOUTS = {
    "mma_c(16, 8, 1)": (16, 8),
    "trans(rows(32, 64, 4))": (64, 32),
    "smem_k(8, 64, 16, 128)": (8, 64),
    "Swizzle<2,0,3> o (8,16):(16,1)": (8, 16),
    "register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3": (16, 16),
}


def tables():
    with tempfile.TemporaryDirectory() as folder:
        for name, (rows, cols) in LAYOUTS.items():
            text = run(name)[0].split("\n")[0]
            want = elements(text, rows, cols)
            found = json.loads(run("table", name, "--lang", "json")[0])
            expect(f"json of {name}", found["layout"] == want)
            scope = {}
            exec(run("table", name, "--lang", "python", "--name", "T")[0],
                 scope)
            expect(f"python of {name}", scope["T"] == want)
            check_compiled(folder, name, want)


def check_compiled(folder, name, want):
    path = pathlib.Path(folder)
    c, rs = path / "t.c", path / "t.rs"
    n = len(want)
    c.write_text(run("table", name, "--name", "t")[0] + "#include <stdio.h>\n"
                 f"int main(void) {{ for (int k = 0; k < {n}; ++k) "
                 'printf("%u ", (unsigned)t[k]); return 0; }\n')
    subprocess.run([CC, "-std=c11", "-Wall", "-Werror", c, "-o", path / "t"],
                   check=True)
    out = subprocess.run([path / "t"], stdout=subprocess.PIPE, text=True)
    expect(f"C of {name}", [int(x) for x in out.stdout.split()] == want)
    rust = run("table", name, "--lang", "rust", "--name", "T")[0]
    if shutil.which("rustc"):
        rs.write_text(rust + "fn main() { for x in T { print!(\"{} \", x); } }")
        subprocess.run(["rustc", rs, "-o", path / "r"], check=True)
        out = subprocess.run([path / "r"], stdout=subprocess.PIPE, text=True)
        numbers = out.stdout.split()
    else:
        head = re.search(r"pub const T: \[u(16|32); (\d+)\] = \[", rust)
        expect(f"head of Rust of {name}", head and int(head[2]) == n)
        numbers = re.findall(r"\d+", rust[head.end():])
    expect(f"Rust of {name}", [int(x) for x in numbers] == want)


def pictures():
    svg = run("mma_c(16, 8, 1)", "--as", "svg", "--view", "tensor")[0]
    texts = [t.firstChild.data for t in
             xml.dom.minidom.parseString(svg).getElementsByTagName("text")]
    rows = list(csv.reader(io.StringIO(
        run("mma_c(16, 8, 1)", "--as", "csv", "--view", "tensor")[0])))
    cells = [c for row in rows for c in row if c]
    expect("SVG has the cells of the CSV", texts == cells)
    expect("17 lines of 9", len(rows) == 17 and {len(r) for r in rows} == {9})
    want = elements(run("mma_c(16, 8, 1)")[0].split("\n")[0], 16, 8)
    for i in range(16):
        for j in range(8):
            warp, lane, reg = map(int, rows[i + 1][j + 1].split(":"))
            expect(f"owner of {i}, {j}",
                   want[warp << 7 | lane << 2 | reg] == i * 8 + j)
    colour = run("mma_c(16, 8, 1)", "--as", "colour", "--view", "tensor")[0]
    plain = run("mma_c(16, 8, 1)", "--view", "tensor")[0]
    expect("colour is text with colours",
           re.sub("\033\\[[0-9;]*m", "", colour) == plain)
    drawn = run("banks", "trans(rows(16, 16, 4))", "row_major(16, 16)",
                "--bytes", "4")[0]
    expect("4 wavefronts, 24 cells marked",
           drawn.count("wavefront") == 4 and drawn.count("!") == 24)


PAIR = ("rows(64, 64, 4)", "trans(rows(64, 64, 4))")


def plans():
    out = run("convert", *PAIR, "--target", "sm_90")[0]
    frames = re.findall(r"^frame (\d+) of (\d+): ", out, re.M)
    expect("every frame is drawn",
           [int(k) for k, _ in frames] == list(range(int(frames[0][1]))))
    expect("the plan in words", "data goes through shared memory" in out)
    one = run("convert", *PAIR, "--frame", "1")[0]
    expect("one frame", len(re.findall("^frame ", one, re.M)) == 1)
    out = run("convert", "rows(8, 8, 4)", "rows(8, 16, 4)",
              status=2)[1]
    pasted = re.search(r"^  (memory offset: .*)$", run("convert", *PAIR)[0],
                       re.M).group(1)
    expect("the line of the memory is a layout",
           run(pasted)[0] == run(pasted.replace("memory ", ""))[0])
    expect("a character behind the word", "at character 19" in
           run("memory offset: j0 ?", status=2)[1])
    expect("rows of 64 lanes", "lane: j2 j3 i0 i1 i2 i3" in
           run("rows(16, 16, 1, 64, 4)")[0])
    expect("a reason", "there is no plan" in out or "ll: " in out)


def bounds():
    run("check", *PAIR, "--conflicts", "0")
    out = run("check", *PAIR, "--width", "16", status=1)[0]
    expect("the missed bound", "(at least 16: missed)" in out)
    run("check", *PAIR, "--cycles", "1", status=1)
    held = run("check", "mma_c(64, 64, 4)", "smem_k(64, 64, 16, 128)", "--bits",
               "16", "--conflicts", "0")[0]
    expect("the held bound", "(at most 0: held)" in held)
    run("check", "trans(rows(32, 32, 4))", "row_major(32, 32)", "--conflicts",
        "0", status=1)


def errors():
    for words, sentence in (
            (["rows(3, 4)"], "the family has 3 numbers"),
            (["rows(3, 4, 4)"], "a size is a power of two"),
            (["nothing(1)"], "no family of this name; there are rows "),
            (["register: j0 |"], "at character"),
            (["trans(rows(8, 8, 4)"], "in parentheses"),
            (["#ttg.blocked<{}>"], "needs a shape"),
            (["#ttg.blocked<{}>", "--shape", "8x8"], "lacks a key"),
            (["(4,4):(1,2)"], "meet in one bit"),
            (["convert", "rows(8, 8, 4)"], "a layout is missing"),
            (["rows(8, 8, 4)", "--colour", "x"], "no such option"),
            (["rows(8, 8, 4)", "--as", "png"], "text, colour, svg or csv"),
            (["@/nowhere"], "cannot be read"),
            (["convert", *PAIR, "--target", "sm_1"], "target")):
        expect(f"{words}: {sentence}",
               sentence in run(*words, status=2)[1])
    run("-", stdin="rows(8, 8, 4)\n")
    expect("help", "Examples:" in run("--help")[0])
    run(status=2)


def pages():
    source = (ROOT / "examples/llshow.c").read_text()
    options = set(re.findall(r'"(--[a-z]+)"', source)) - {"--"}
    page = (ROOT / "examples/llshow.1").read_text().replace("\\-", "-")
    shell = (ROOT / "examples/llshow.bash").read_text()
    told = run("--help")[0]
    for option in sorted(options):
        expect(f"{option} is everywhere", option in shell and
               (option == "--help" or (option in page and option in told)))
    for line in re.findall(r"^  (llshow .*?[^\\])$", told, re.M | re.S):
        words = re.findall(r"'([^']*)'|(\S+)", line.replace("\\\n", " "))
        run(*[a or b for a, b in words][1:])


def main():
    for part in (tables, pictures, plans, bounds, errors, pages):
        part()
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
