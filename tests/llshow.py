#!/usr/bin/env python3
"""llshow.py - what tools/llshow/llshow.c prints.

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
import pty
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
    """What llshow prints; status None: 0 or, for check with conflicts, 1."""
    done = subprocess.run([LLSHOW, *words], text=True, input=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(f"{' '.join(words)}: status {done.returncode}, {done.stderr[:200]}",
           done.returncode == status or
           (status is None and done.returncode in (0, 1)))
    return done.stdout, done.stderr


def check(*words):
    return run("check", *words, status=None)[0]


def access(out, op="read"):
    """Bytes, wavefronts and least wavefronts of each access that check prints.
    The products at the end of its line are right."""
    line = re.search(rf"^{op}: (\d+) access(?:es)? of (\d+) bytes?, (at most )?"
                     r"(\d+) wavefronts?(?: each)? \(best (\d+)\): "
                     r"(at most )?(\d+) per warp$", out, re.M)
    n, size, _, waves, best, _, all_waves = line.groups() if line else "0" * 7
    expect(f"a line of {op} in {out}", line and
           int(all_waves) == int(n) * int(waves))
    return int(size), int(waves), int(best)


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
            expect(f"json of {name}", found["layout"] == want and
                   found["text"] == text)
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
    rows = list(csv.reader(io.StringIO(run(
        "register: j0 k0 l0 i0 | lane: 0", "--view", "tensor", "--as",
        "csv")[0])))
    expect("heads of three axes", {len(r) for r in rows} == {3} and
           rows[2][0] == "i0,j0,k1")
    legends()
    colours()
    parts()
    colour = run("mma_c(16, 8, 1)", "--as", "colour", "--view", "tensor")[0]
    plain = run("mma_c(16, 8, 1)", "--view", "tensor")[0]
    expect("colour is text with colours",
           re.sub("\033\\[[0-9;]*m", "", colour) == plain)
    drawn = run("banks", "trans(rows(16, 16, 4))", "row_major(16, 16)",
                "--bytes", "4")[0]
    expect("4 wavefronts, 24 cells marked",
           drawn.count("wavefront") == 4 and
           drawn[drawn.index("\n", drawn.index("read, 4 bytes per")):].count(
               "!") == 24)


def on_terminal(*words, **more):
    """What llshow writes to a terminal, with variables of the environment."""
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("NO_COLOR", "TERM")}
    done = subprocess.Popen([LLSHOW, *words], stdout=theirs,
                            env={**environment, **more})
    os.close(theirs)
    out = b""
    try:
        while chunk := os.read(ours, 1 << 16):
            out += chunk
    except OSError: # the end, on Linux
        pass
    os.close(ours)
    done.wait()
    return out.decode().replace("\r\n", "\n")


def colours():
    """A terminal has colours, unless NO_COLOR or --as says otherwise."""
    words = "rows(8, 8, 4)", "--view", "tensor"
    plain = run(*words)[0]
    colour = run(*words, "--as", "colour")[0]
    expect("both spellings", colour == run(*words, "--as", "color")[0])
    expect("colours differ", "\033[" in colour and "\033[" not in plain)
    for more, want in (({}, colour), ({"TERM": "xterm"}, colour),
                       ({"TERM": "dumb"}, plain), ({"NO_COLOR": "1"}, plain),
                       ({"NO_COLOR": ""}, colour)):
        expect(f"on a terminal, {more}", on_terminal(*words, **more) == want)
    expect("text on a terminal", on_terminal(*words, "--as", "text") == plain)
    expect("colour without a terminal", on_terminal(
        *words, "--as", "color", NO_COLOR="1") == colour)


def parts():
    """Inputs have their names, missing elements empty cells, and a picture that
    is too large a reason."""
    drawn = run("register: j0 j1 | block: j2 | lane: i0", "--view", "hardware",
                "--as", "csv")[0]
    expect("blocks are no warps", [row.split(",")[0] for row in
           drawn.split("\n")[1:5]] == ["b0 l0", "b1 l0", "b0 l1", "b1 l1"])
    for text, name in (("register: j0 | foo: j1", "foo"),
                       ("register: j0 | lan: j1", "lan"),
                       ("Register: j0", "Register"),
                       ("offsets: j0", "offsets")):
        for words in ((text,), ("table", text), ("convert", text, text),
                      ("check", "lane: j0", text), ("banks", text, text)):
            said = run(*words, status=2)[1]
            expect(f"{words}: {said}", said.startswith(
                f"llshow: the input {name} is none of register, lane, warp, "
                "block, gpu, node, offset, "))
    run("register: j0 | gpu: i0 | node: i1")
    run("j: offset0 | i: offset1")
    holes = run("register: j0 0 | lane: j1 j2 j3 i1 i2", "--view", "tensor",
                "--as", "csv")[0]
    rows = list(csv.reader(io.StringIO(holes)))[1:]
    expect("rows 1, 3, 5, 7 are empty", [[bool(c) for c in row[1:]]
           for row in rows] == [[i % 2 == 0] * 16 for i in range(8)])
    for i in range(0, 8, 2):
        for j in range(16):
            lane, reg = map(int, rows[i][j + 1].split(":"))
            expect("the place of a reached element",
                   [j, i] == [reg % 2 + 2 * (lane % 8), lane // 8 * 2])
    out = run("row_major(8192, 8192)")[0]
    expect("why there is no picture", out.count(
        "no picture: a picture can have at most 2^20 cells\n") == 2 and
        "The offset of each element:\nno picture" in out)


def legends():
    """A line above a picture says what a cell is; in an SVG it is the title."""
    lines = run("rows(8, 8, 4)")[0].split("\n")
    expect("legends", [x for x in lines if x.startswith("cells: ")][1:] ==
           ["cells: warp:lane:register", "cells: i,j of the element"])
    drawn = run("banks", "rows(8, 8, 4)", "row_major(8, 8)", "--op", "write")[0]
    expect("legend of banks", drawn.split("\n")[0].startswith(
        "write, 16 bytes per lane; cells: the lane "))
    svg = run("rows(8, 8, 4)", "--as", "svg", "--view", "hardware")[0]
    title = xml.dom.minidom.parseString(svg).getElementsByTagName("title")
    expect("title", title[0].firstChild.data == "cells: i,j of the element")


SQUARE = ("#ttg.padded_shared<[%s] {order = [1, 0], shape = [32, 32]}>",
          "--shape", "32x32")


def pads():
    """Memory with pads: a column of 32 x 33 floats, by hand."""
    column = "register: j0 j1 j2 j3 j4 | lane: i0 i1 i2 i3 i4"
    for every, wide, ways in (("32:+1", 4, 1), ("32:+2", 4, 2),
                              ("32:+4", 16, 4), ("32:+32", 4, 32)):
        out = run("check", column, SQUARE[0] % every, *SQUARE[1:], "--bytes",
                  str(wide), status=ways > max(wide // 4, 1))[0]
        least = max(wide // 4, 1)
        expect(f"{every}: {out}", access(out) == (wide, ways, least))
        rows = list(csv.reader(io.StringIO(run(
            SQUARE[0] % every, *SQUARE[1:], "--view", "tensor", "--as",
            "csv")[0])))
        pad = int(every.split("+")[1])
        expect(f"offsets of {every}", [[int(x) for x in row[1:]] for row in
               rows[1:]] == [[i * (32 + pad) + j for j in range(32)]
                             for i in range(32)])
    text = SQUARE[0] % "32:+4"
    out = run(text, *SQUARE[1:], "--view", "hardware", "--as", "csv")[0]
    cells = [c for row in list(csv.reader(io.StringIO(out)))[1:]
             for c in row[1:]]
    expect("pads are empty", [c for c in cells[:72] if c] ==
           [f"{i},{j}" for i in range(2) for j in range(32)] and
           cells[32:36] == [""] * 4 and cells[68:72] == [""] * 4)
    expect("no pad is wider than what it holds", "at most 16 bytes" not in
           run("check", column, SQUARE[0] % "32:+1", *SQUARE[1:], "--bytes",
               "8", status=2)[0])
    run("table", text, *SQUARE[1:], status=2)
    drawn = run("banks", column, SQUARE[0] % "32:+1", *SQUARE[1:], "--as",
                "csv", "--bytes", "4")[0]
    expect("a bank for each lane", drawn.split("\n")[1] ==
           "wavefront 0," + ",".join(str(k) for k in range(32)))


ASSUMED = "elements of 32 bits (assumed; --bits says others)\n"
PAIR = ("rows(64, 64, 4)", "trans(rows(64, 64, 4))")


def plans():
    short = run("convert", *PAIR, "--target", "sm_90")[0]
    expect("the plan alone", short.count("\n") < 20 and "frame " not in short)
    out = run("convert", *PAIR, "--target", "sm_90", "--frame", "all")[0]
    expect("first the plan", out.startswith(short))
    frames = re.findall(r"^frame (\d+) of 0 to (\d+): ", out, re.M)
    expect("every frame is drawn",
           [int(k) for k, _ in frames] == list(range(int(frames[0][1]) + 1)))
    last = frames[0][1]
    expect("the last frame", f"frame {last} of 0 to {last}: after" in
           run("convert", *PAIR, "--frame", last)[0])
    expect("no frame", f"--frame must be 0 to {last}" in
           run("convert", *PAIR, "--frame", str(int(last) + 1), status=2)[1])
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
           run("rows(16, 16, 4, 64, 1)")[0])
    expect("rows have bytes, then lanes, then warps", len({
        run(f"rows(64, 64, 2{more})")[0] for more in
        ("", ", 32", ", 32, 4")}) == 1 and
        "lane: j3 j4 j5 i0 i1 i2 | warp: i3\n" in
        run("rows(64, 64, 2, 64, 2)")[0])
    expect("a reason", "there is no plan" in out or "ll: " in out)


BLOCKED = ("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
           "warpsPerCTA = [2, 1], order = [1, 0]}>")
SHARED = ("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = "
          "[1, 0]}>")


def types():
    """A type of Triton's has a shape and the bits of an element."""
    for attribute, rest in ((BLOCKED, ""), (SHARED, ", #smem, mutable")):
        want = run(attribute, "--shape", "64x32")[0]
        for text in (f"tensor<64x32xf16, {attribute}{rest}>",
                     f"!ttg.memdesc<64x32xf16, {attribute}{rest}, 4x64x32>",
                     f"#a = {attribute} // tensor<\ntensor<64x32xi1, #a{rest}>",
                     f" tensor<64x32x!tt.ptr<f32, 1> ,{attribute}{rest} > "):
            expect(text, run(text)[0] == want)
        expect("the other way round", run(
            f"trans(tensor<64x32xf16, {attribute}{rest}>)")[0] ==
            run(f"trans({attribute})", "--shape", "64x32")[0])
    for name, size in (("f16", 2), ("i1", 1), ("f8E4M3FN", 1), ("bf16", 2),
                       ("i64", 8), ("!tt.ptr<f16>", 8)):
        out = check(f"tensor<64x32x{name}, {BLOCKED}>", "row_major(64, 32)")
        expect(f"bytes of {name}", access(out)[0] == 2 * size)
    run("check", f"tensor<64x32xf16, {BLOCKED}>", "row_major(64, 32)", "--bits",
        "32", status=2)
    for text, sentence in (
            ("tensor<64x32xf16>", "a type must look like tensor<"),
            (f"tensor<f16, {BLOCKED}>", "a type must look like tensor<"),
            (f"tensor<64x32xf16, {BLOCKED}", "this bracket is not closed (at "
             "character 7,"),
            (f"tensor<64x32x, {BLOCKED}>", "a type must look like tensor<"),
            (f"tensor<64x32xf999, {BLOCKED}>", "a type must look like tensor<"),
            (f"tensor<{'1x' * 16}2xf16, {BLOCKED}>",
             "a type must look like tensor<"),
            (f"tensor<64x60xf16, {BLOCKED}>", "(got 60)"),
            ("tensor<64x32xf16, #a>", "not defined (at character 19,"),
            (f"tensor<64x32xf16(, {BLOCKED}>", "not closed (at character 17,"),
            (f"tensor<64x32x\xe92, {BLOCKED}>", "a type must look like tensor<"),
            (f"tensor<64x32x!tt.ptr<(>, {BLOCKED}>",
             "not closed (at character 22,"),
            (f"x)tensor<64x32xf16, {BLOCKED}>", "ll: "),
            (f"tensor<64x32xf16, {BLOCKED}>>", "the text continues")):
        expect(f"{text}: {sentence}", sentence in run(text, status=2)[1])
    for rest in ("#smem, muta(ble", "#smem, mutable, 64x32x", "#, mutable",
                 "#smem mutable", "immutable", "", "#smem, (64x32", "64x32]",
                 "mutable>, 64x32", "a\xe9"):
        text = f"!ttg.memdesc<64x32xf16, {SHARED}, {rest}>"
        said = run(text, status=2)[1]
        expect(f"{rest}: {said}", "after its attribute a type has" in said or
               rest[:8] == "mutable>" and "the text continues" in said or
               "(" in rest and "this bracket is not closed" in said or
               "]" in rest and "this bracket closes none" in said)
        run(f"trans({text})", status=2)
    expect("two shapes", "already has a shape" in run(
        f"tensor<64x32xf16, {BLOCKED}>", "--shape", "64x32", status=2)[1])


def comments():
    drawn = run("trans((4,8))", "--view", "tensor")
    expect("a comment that ends with a bracket",
           run("trans((4,8) // no (\n)", "--view", "tensor") == drawn)


def bounds():
    run("check", *PAIR, "--conflicts", "0")
    out = run("check", *PAIR, "--width", "16", status=1)[0]
    expect("the missed bound", "(at least 16: missed)" in out)
    run("check", *PAIR, "--cycles", "1", status=1)
    held = run("check", "mma_c(64, 64, 4)", "smem_k(64, 64, 16, 128)", "--bits",
               "16", "--conflicts", "0")[0]
    expect("the held bound", "(at most 0: held)" in held)
    column = "trans(rows(32, 32, 4))", "row_major(32, 32)"
    for bound, status in ((), 1), (("--conflicts", "0"), 1), (
            ("--conflicts", "13"), 1), (("--conflicts", "14"), 0):
        out = run("check", *column, *bound, status=status)[0]
        expect("a conflict misses the bound", (
            f"extra wavefronts of one read and one write: 14 (at most "
            f"{bound[1] if bound else 0}: {'missed' if status else 'held'})"
            in out))
    run("check", *PAIR)


# Texts that say the bits of an element, and texts for any bits.
SAY = {"rows(64, 64, 2)": 16, "mma_a(64, 64, 16, 4)": 16,
       "mma_b(64, 64, 8, 4)": 8, "wgmma_a(64, 64, 16, 4)": 16,
       "smem_k(64, 64, 16, 128)": 16, "smem_mn(64, 64, 16, 128, 16)": 16,
       "mfma_a(32, 8, 1, 16)": 16, "mfma_b(16, 16, 1, 16)": 16,
       "mfma_c(16, 16, 1, 64)": 64, "wmma_a(gfx1100, 32, 16, 16)": 16,
       "wmma_b(0x1200, 32, 16, 8)": 8, "wmma_c(1100, 32, 32)": 32,
       "smem_ptr[8b](unset) o (64,64):(64,1)": 8,
       "tensor<64x64xbf16, #ttg.linear<{register = [], lane = [], warp = [], "
       "block = []}>>": 16,
       "trans(rows(64, 64, 8))": 64, "trans( trans(rows(64, 64, 1)))": 8,
       "inv(smem_k(8, 64, 16, 128))": 16,
       "swizzle(rows(64, 64, 2), trans(rows(64, 64, 2)))": 16,
       "swizzle(mma_c(64, 64, 4), rows(64, 64, 2))": 16}


def bits():
    """The bits that a text says are the bits that are planned and counted."""
    wide = "rows(64, 64, 4, 32, 4)", "trans(rows(64, 64, 4))"
    out = run("convert", "rows(64, 64, 2)", "trans(rows(64, 64, 2))")[0]
    expect("2 bytes per element", "8192 bytes" in out and out == run(
        "convert", "rows(64, 64, 2)", "trans(rows(64, 64, 2))", "--bits",
        "16")[0])
    expect("4 bytes per element", "16384 bytes" in run("convert", *wide)[0])
    expect("bits of both", access(run(
        "check", "mma_a(64,64,16,4)", "smem_k(64, 64, 16, 128)")[0])[:2] ==
        (4, 1))
    banks = run("banks", "rows(64, 64, 2)", "row_major(64, 64)")[0]
    expect("banks", banks == run("banks", "rows(64, 64, 2)",
                                 "row_major(64, 64)", "--bits", "16")[0])
    for text, n in SAY.items():
        for verb in "convert", "check", "banks":
            for pair in (text, text), (text, "row_major(64, 64)"), (
                    "mma_c(64, 64, 4)", text):
                said = run(verb, *pair, "--bits", str(n + 1), status=2)[1]
                expect(f"{verb} {pair}: {said}",
                       f"--bits is {n + 1}, but the text has elements of {n} "
                       "bits" in said)
            said = run(verb, text, "rows(64, 64, 16)", status=2)[1]
            expect(f"{text}: {said}", f"A has elements of {n} bits, but B has "
                   "elements of 128 bits" in said)
            said = run(verb, "rows(64, 64, 16)", text, status=2)[1]
            expect(f"{text}: {said}", "A has elements of 128 bits, but B has "
                   f"elements of {n} bits" in said)
    unused = (NVMMA.replace("#", "#u = #", 1) + "\n" + BLOCKED)
    expect("a definition that is not used says nothing", access(
        check(unused, "row_major(64, 32)", "--shape", "64x32"))[0] == 8)
    said = run(f"tensor<64x64xf32, {NVMMA}>", status=2)[1]
    expect(said, "the type has elements of 32 bits, but its attribute has "
           "elements of 16 bits" in said)
    said = run("swizzle(rows(64, 64, 2), rows(64, 64, 4))", status=2)[1]
    expect(said, "A has elements of 16 bits, but B has elements of 32 bits" in
           said)
    four = run("check", "mma_a(64, 64, 4, 4)", "row_major(64, 64)", status=1)[0]
    expect("4 bits are half a byte", four == run(
        "check", "mma_a(64, 32, 8, 4)", "row_major(64, 32)", status=1)[0] and
        four == run("check", "mma_a(64, 64, 4, 4)", "row_major(64, 64)",
                    "--bits", "4", status=1)[0])
    drawn = run("banks", "mma_a(64, 64, 4, 4)", "row_major(64, 64)")[0]
    expect("banks of 4 bits", drawn == run(
        "banks", "mma_a(64, 32, 8, 4)", "row_major(64, 32)")[0])
    swapped = "register: i0 j1 j0 | lane: j2 j3 j4 i1 i2"
    expect("4 bits in another order", access(check(
        swapped, "row_major(8, 32)", "--bits", "4"))[0] == 2)
    said = run("check", "register: j1 | lane: j0 i0 i1 i2 i3",
               "row_major(16, 4)", "--bits", "4", status=2)[1]
    expect(said, "no lane holds both 4-bit elements of a byte" in said)
    expect("6 bits are a byte", check(
        "mma_a(64, 64, 6, 4)", "row_major(64, 64)") == check(
        "mma_a(64, 64, 8, 4)", "row_major(64, 64)"))


def operations():
    """trans, inv and swizzle, in each other."""
    text = run("smem_k(8, 64, 16, 128)", "--view", "matrix")[0].split("\n")[0]
    expect("the inverse of the inverse", text == run(
        " inv( inv(smem_k(8, 64, 16, 128)) )", "--view",
        "matrix")[0].split("\n")[0])
    expect("an inverse", run("inv((2,4):(4,1))", "--view", "matrix")[0].split(
        "\n")[0] == "j: offset0 offset1 | i: offset2")
    pair = "rows(64, 64, 2)", "trans(rows(64, 64, 2))"
    memory = f"swizzle({pair[0]}, {pair[1]})"
    for side in pair:
        run("check", side, memory)
        run("check", side, f"inv(inv({memory}))")
    wide = run("swizzle(mma_c(64, 64, 4), trans(mma_c(64, 64, 4)))", "--bits",
               "64", "--target", "sm_75", "--view", "matrix")[0]
    expect("bits and target of a swizzle", wide != run(
        "swizzle(mma_c(64, 64, 4), trans(mma_c(64, 64, 4)))", "--view",
        "matrix")[0])
    run("swizzle(mma_c(64, 64, 4), mma_c(64, 64, 4))", "--target", "sm_1",
        status=2)
    expect("too deep", "at most 16 operations" in run(
        "trans(" * 17 + "rows(8, 8, 4)" + ")" * 17, status=2)[1])
    run("trans(" * 16 + "rows(8, 8, 4)" + ")" * 16)
    for text, want in (
            ("ldmatrix(8, 16, 0, 4)", "register: j0 matrix0 matrix1 | lane: j1 "
             "j2 i0 i1 i2 -> j=8 | i=8 | matrix=4"),
            ("tmem(32, 32, 4, 32)", "register: tcol0 tcol1 | lane: dp0 dp1 dp2 "
             "dp3 dp4 | warp: dp5 dp6"),
            ("tcgen05_ld(16, 64, 1, 16)", "register: tcol0 | lane: dp3 tcol1 dp0 "
             "dp1 dp2 | warp: dp5 dp6"),
            ("tcgen05_d(64, 8, 1)", "tcol: j0 j1 | dp: i0 i1 i2 i3 i4 i5 j2"),
            ("scale_a(4)", "register: j0 j1 | lane: i3 0 i0 i1 i2"),
            ("scale_b(4)", "register: i0 i1 | lane: 0 0 j0 j1 j2"),
            ("sparse_e(32, 16)", "register: j0 j1 j2 j3 i3 | lane: j4 0 i0 i1 "
             "i2"),
            ("mfma_scale_a(16, 128)", "register: | lane: i0 i1 i2 i3 j0 j1"),
            ("wmma_c(gfx1100, 32, 32)", "register: i1 i2 i3 | lane: j0 j1 j2 "
             "j3 i0"),
            ("smfmac_b(16, 32, 16)", "register: i0 i1 i2 | lane: j0 j1 j2 j3 "
             "j4 i3"),
            ("swmmac_a(gfx1200, 32, 32, 16)", "register: 0 j2 j4 | lane: i0 i1 "
             "i2 i3 j3")):
        expect(text, run(text, "--view", "matrix")[0].split("\n")[0] == want)
    for gfx in "gfx1100", "0x1100", "1100":
        expect(gfx, run(f"wmma_c({gfx}, 32, 16)") ==
               run("wmma_c(0x1100, 32, 16)"))
    pair = "rows(16, 16, 4)", "trans(rows(16, 16, 4))"
    expect("0x1100 is gfx1100", run("convert", *pair, "--target", "gfx1100") ==
           run("convert", *pair, "--target", "0x1100"))


VIEW = ("!ttg.memdesc<%s, #ttg.swizzled_shared<{vec = %d, perPhase = 1, "
        "maxPhase = %d, order = [1, 0]}>, #smem, mutable%s>")
ROWS = "register: | lane: i0 i1 i2 i3 i4 -> j=8 | i=32"


def allocations():
    """The last shape of a memdesc is that of its allocation."""
    for alloc, ways in ((", 32x32", 32), (", 4x32x32", 32), ("", 8),
                        (", 32x16", 16), (", 32x64", 32)):
        out = check(ROWS, VIEW % ("32x8xf32", 1, 1, alloc))
        expect(f"{alloc}: {out}", access(out)[:2] == (4, ways))
    text = run(VIEW % ("32x8xf32", 1, 1, ", 32x32"))[0].split("\n")[0]
    expect(text, text == "offset: j0 j1 j2 0 0 i0 i1 i2 i3 i4")
    whole = run(VIEW % ("32x8xf32", 4, 8, ", 32x32"))[0].split("\n")
    expect(whole[:2], whole[0].startswith("the type is a view") and
           whole[1] == "offset: j0 j1 j2 j3 j4 j2^i0 j3^i1 j4^i2 i3 i4")
    out = check(ROWS, VIEW % ("32x8xf32", 4, 8, ", 32x32"))
    expect(out, access(out)[:2] == (4, 4))
    for n in "2x32x32", "4x2x32x32":
        text = run(VIEW % (f"{n}xf32", 4, 8, ""), "--view", "matrix")[0]
        i, j = "jk" if n == "2x32x32" else "kl"
        more = "i0" if n == "2x32x32" else "j0 i0 i1"
        want = (f"offset: {j}0 {j}1 {j}2 {j}3 {j}4 {j}2^{i}0 {j}3^{i}1 "
                f"{j}4^{i}2 {i}3 {i}4 {more}")
        expect(f"{n}: {text}", text.split("\n")[0] == want)
    text = run("!ttg.memdesc<2x128x32xf32, #ttng.tensor_memory_encoding<blockM "
               "= 128, blockN = 32, colStride = 1>, #ttng.tensor_memory, "
               "mutable>", "--view", "matrix")[0].split("\n")[0]
    expect(text, text == "dp: j0 j1 j2 j3 j4 j5 j6 | tcol: k0 k1 k2 k3 k4 i0")
    for alloc, words in ((", 16x32", "smaller than the type"),
                         (", 32", "fewer axes than the type"),
                         (", 32x33", "(got 33)")):
        said = run(VIEW % ("32x8xf32", 1, 1, alloc), status=2)[1]
        expect(f"{alloc}: {said}", words in said)


def cute():
    """Pointers and swizzles ahead of a layout, and rows with pads."""
    rows = "offset: j0 j1 j2 j3 j4 j5 i0 i1 i2"
    for ahead in ("smem_ptr[32b](0x7f) o ", "gmem_ptr[16b](0x7f0e00000000) o ",
                  "gmem_ptr(0x7f0e00000000) o ", "ptr[64b](unset) o 0 o ",
                  "0 o ",
                  "raw_ptr_16b(0x10) o "):
        for layout in "(8,64):(64,1)", "(_8,_64):(_64,_1)":
            text = run(ahead + layout)[0].split("\n")[0]
            expect(ahead + layout, text == rows)
    for ahead in "S<3,4,3> o 0 o ", "Sw<3,4,3> o ", "Swizzle<3,4,3> o 0 o ":
        text = run(ahead + "(8,64):(64,1)")[0].split("\n")[0]
        expect(ahead + text, text ==
               "offset: j0 j1 j2 j3 j4 j5 i0 i1^j4 i2^j5" or text ==
               "offset: j0 j1 j2 j3 j4 j5 i0 j4^i1 j5^i2")
    column = "register: | lane: i0 i1 i2 i3 i4 -> j=32 | i=32"
    for stride, ways in (33, 1), (34, 2), (35, 1), (36, 4), (40, 8), (48, 16):
        out = run("check", column, f"(32,32):({stride},1)",
                  status=ways > 1)[0]
        expect(f"{stride}: {out}", access(out)[:2] == (4, ways) and
               f"padding: {stride - 32} element" in out)
        rows = list(csv.reader(io.StringIO(run(
            f"(32,32):({stride},1)", "--view", "tensor", "--as", "csv")[0])))
        expect(f"offsets of {stride}", [[int(x) for x in r[1:]] for r in
               rows[1:]] == [[i * stride + j for j in range(32)]
                             for i in range(32)])
    row = "register: j0 j1 j2 j3 j4 | lane: i0 i1 i2 i3 i4"
    for stride, wide in (33, 4), (34, 8), (35, 4), (36, 16), (38, 8), (40, 16):
        out = check(row, f"(32,32):({stride},1)")
        expect(f"{stride}: {out}", f"bytes per access: {wide}\n" in out)
    deep = run("((4,8),(2,16)):((2,17),(1,136))", "--view", "tensor", "--as",
               "csv")[0]
    cells = [int(x) for r in list(csv.reader(io.StringIO(deep)))[1:]
             for x in r[1:]]
    expect("pads of nested modes", sorted(cells) == sorted(
        2 * a + 17 * b + c + 136 * d for a in range(4) for b in range(8)
        for c in range(2) for d in range(16)))


NVMMA = ("#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
         "elementBitWidth = 16}>")


BLOCKS = ("#ttg.padded_shared<[32:+1] {order = [1, 0], shape = [8, 8], CGALayout "
          "= [[1, 0]]}>")


def errors():
    for words, sentence in (
            (["rows(3, 4)"], "rows(rows, cols, bytes[, lanes[, warps]]) was"),
            (["row_major(4,4()"], "row_major(rows, cols) was expected"),
            (["row_major(4;4)"], "row_major(rows, cols) was expected: a , or "
             ") is missing (at character 12, "),
            (["row_major(4,x)"], "was expected: a number is missing (at "
             "character 13, "),
            (["rows(64,64,4"], "rows(rows, cols, bytes[, lanes[, warps]]) was "
             "expected: a ) is missing (at character 13, "),
            (["rows(64 64 4)"], "warps]]) was expected: a , is missing (at "
             "character 9, "),
            (["rows(1, 1, 1, 1, 1, 1, 1)"], "too many numbers (at character "
             "24, "),
            (["register j0 i0"], "a : is missing after the name of an input, as "
             "in register: j0 i0 (at character 9, "),
            (["trans( lane j0 )"], "(at character 12, "),
            (["mma_c"], "mma_c(rows, cols, warps) was expected"),
            (["rows(3, 4, 4)"], "a size is a power of two"),
            (["rows(64, 64, 4, 33)"], "a size is a power of two"),
            (["rows(64, 64, 4, 32, 4, 1)"], "warps]]) was expected"),
            (["nothing(1)"], "no family of this name; the families are rows "),
            (["nothing"], "no family of this name; the families are rows "),
            (["Blocked([1, 4])"],
             "no family of this name; the families are rows "),
            ([""], "the text is empty"),
            (["trans()"], "of trans(..) are empty"),
            (["inv( )"], "of inv(..) are empty"),
            (["swizzle()"], "swizzle(A, B) was expected"),
            (["swizzle(rows(8, 8, 4))"], "swizzle(A, B) was expected"),
            (["trans(rows(8, 8, 4)) x"], "the end was expected after the ) (at "
             "character 22,"),
            (["inv(rows(8, 8, 4))"], "the matrix is singular"),
            (["register: j0 |"], "at character"),
            (["trans(rows(8, 8, 4)"], ") was expected at the end"),
            (["#ttg.blocked<{}>"], "needs a shape"),
            (["#ttg.blocked<{}>", "--shape", "8x8"], "lacks a key"),
            (["(4,4):(1,2)"], "two elements have the same offset (at "),
            (["(128,64):(32,1)"], "two elements have the same offset (at "
             "character 6, "),
            (["(128,64):(64,2)"], "two elements have the same offset (at "
             "character 6, "),
            (["(8,60):(60,1)"], "power of two (got 60) (at character 4, "),
            (["(8,60):(64,1)"], "this size must be a power of two (got 60) (at "
             "character 4, counted from 1)\n"),
            (["(128,72):(72,1)"], "power of two (got 72) (at character 6, "),
            (["(32,32):(33,2)"], "meet in one bit, so the offset is no XOR, and "
             "these are no padded rows (at character 5, counted from 1)\n"),
            (["Swizzle<2,0,3> o (32,32):(33,1)"], "a swizzle of padded rows "
             "cannot be read: pad the rows or swizzle them (at character 22, "),
            (["2 o (32,32):(33,1)"], "an offset before padded rows cannot "),
            (["(4,8):(0,1)"], "two elements have the same offset"),
            (["Swizzle<1,0,-3> o (2,32):(1,16)"], "skips offsets"),
            (["64 o (4,8):(8,1)"], "skips offsets"),
            (["convert", "rows(8, 8, 4)"], "a layout is missing"),
            (["rows(8, 8, 4)", "--colour", "x"], "no such option"),
            (["rows(8, 8, 4)", "--view=all"], "two words, without ="),
            (["rows(8, 8, 4)", "-x"], "no such option"),
            (["rows(8, 8, 4)", "--view"], "needs a value"),
            (["rows(8, 8, 4)", "--shape", "8x8"], "attributes of Triton"),
            (["rows(8, 8, 4)", "--bits", "8"], "is for llshow convert, "),
            (["convert", *PAIR, "--conflicts", "0"], "is for llshow check"),
            (["banks", *PAIR, "--conflicts", "0"], "is for llshow check"),
            (["convert", *PAIR, "--view", "bank"], "is for llshow LAYOUT"),
            (["rows(8, 8, 4)", "--as", "png"],
             "must be text, colour, svg or csv"),
            (["rows(8, 8, 4)", "--as", "svg"], "choose it with --view"),
            (["convert", *PAIR, "--as", "csv"], "choose it with --frame"),
            (["mma_c(1024, 4096, 4)", "--view", "hardware"], "2^20 cells"),
            (["@/nowhere"], "cannot read the file"),
            (["@/tmp"], "cannot read the file"),
            (["convert", PAIR[0], "row_major(64, 64)"], "use llshow check or"),
            (["check", "register: j0 | lane: j1 j2 i0 i1 i2 | block: i3",
              BLOCKS, "--shape", "16x8"], "padded memory is drawn and counted "
             "for a single block, but this one has the input block"),
            (["banks", "register: j0 | lane: j1 j2 i0 i1 i2 | block: i3",
              BLOCKS, "--shape", "16x8"], "for a single block"),
            ([BLOCKS, "--shape", "16x8", "--view", "tensor"],
             "for a single block"),
            (["check", PAIR[0], "row_major(64, 64)", "--bytes", "3"],
             "(got 3)"),
            (["check", PAIR[1], "row_major(64, 64)", "--bytes", "8"],
             "(here at most 4 bytes)"),
            (["check", "mma_a(64, 64, 16, 4)", NVMMA, "--shape", "64x64",
              "--bits", "32"], "the text has elements of 16 bits"),
            (["table", "rows(8, 8, 4)", "--name", "1x"], "no digit first"),
            (["table", "rows(8, 8, 4)", "--name", "float"], "a reserved word"),
            (["table", "rows(8, 8, 4)", "--name", "fn", "--lang", "rust"],
             "a reserved word"),
            (["table", "rows(8, 8, 4)", "--name", "in", "--lang", "json"],
             "a reserved word"),
            (["convert", *PAIR, "--target", "sm_1"],
             "no target sm_1; the targets are sm_75 sm_80 ")):
        expect(f"{words}: {sentence}",
               sentence in run(*words, status=2)[1])
    run("-", stdin="rows(8, 8, 4)\n")
    run("-", stdin="", status=2)
    run("mma_c(1024, 4096, 4)")
    expect("version", re.fullmatch(r"llshow \d+\.\d+\.\d+\n",
                                   run("--version")[0]))
    expect("a part of A", "B holds part of A: 32 of 64 along i\n" in
           check("rows(64, 64, 4)", "rows(32, 64, 4)"))
    for verb in "banks", "check": # elements have no place
        expect("a part in memory", run(verb, "rows(64, 64, 4)", "row_major(32, "
               "64)", status=2)[0] == "B holds part of A: 32 of 64 along i\n")
    expect("axes that nothing has", "with j1, j2 = 1\n" in
           run("register: j0 j3 | lane: i0")[0])
    out = check("register: j0 j3 | lane: i0 i1 i2 i3 i4",
                "row_major(32, 16)")
    expect("axes of A that nothing has", out.startswith(
        ASSUMED + "A: no register or offset holds an element with j1, j2 = 1\n"
        "read: "))
    expect("bits of the text", access(
        check("mma_a(64, 64, 16, 4)", NVMMA, "--shape", "64x64"))[0] == 4)
    expect("bits of a pointer", check(
        "mma_a(64, 64, 16, 4)", "smem_k(64, 64, 16, 128)", "--bits", "16") ==
        check("mma_a(64, 64, 16, 4)",
              "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_64):(_64,_1)"))
    with open("/dev/full", "w") as full:
        done = subprocess.run([LLSHOW, "rows(8, 8, 4)"], stdout=full,
                              stderr=subprocess.PIPE)
        expect("a full disk", done.returncode == 2)
    told = run("--help")[0]
    expect("help", "Examples:" in told)
    for text in re.findall(r"\b(?:ldmatrix|tmem|tcgen05_d|scale_a|mfma_scale_a)"
                           r"\([^)]*\)", told):
        run(text, "--view", "matrix")
    expect("help names new families", all(x in told for x in (
        "ldmatrix(", "tmem(", "tcgen05_d(", "scale_a(", "mfma_scale_a(",
        "inv(A)", "swizzle(A, B)")))
    run(status=2)


TILE = ("tensor<128x64xf16, #ttg.blocked<{sizePerThread = [1, 8], "
        "threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>")
MEMORY = f"!ttg.memdesc<128x64xf16, {NVMMA}, #smem, mutable>"


def axes():
    """Leading axes of a memory are buffers; what does not fit is said."""
    whole = check(TILE, MEMORY)
    for lead in 1, 2, 4:
        for text in (MEMORY.replace("128x64", f"{lead}x128x64"),
                     f"Sw<3,4,3> o smem_ptr[16b](unset) o ({lead},128,64):(8192"
                     ",64,1)"):
            said = f"B is {lead}x128x64; one buffer of 128x64 is checked\n"
            expect(f"{text}", check(TILE, text) == said + whole)
            expect(f"banks of {text}", run("banks", TILE, text)[0] ==
                   said + run("banks", TILE, MEMORY)[0])
    for pair in ((TILE, MEMORY.replace("128x64", "2x64x64")),
                 (TILE, "smem_ptr[16b](unset) o (2,64,64):(4096,64,1)")):
        for verb in "check", "banks":
            expect(pair[1], "A has 2 axes (128x64), B has 3 (2x64x64)\n" in
                   run(verb, *pair, status=2)[1])
    expect("a part of B", check(TILE.replace("128x64", "128x32"),
           MEMORY).startswith("A covers part of B: 32 of 64 along j\n"))


def open_texts():
    """What a text leaves open is said; what contradicts itself is refused."""
    plain = "register: j0 j1 | lane: j2 i0 i1 i2 i3", "row_major(16, 8)"
    for verb in "check", "banks":
        expect(verb, run(verb, *plain, status=None)[0].startswith(ASSUMED) and
               ASSUMED not in run(verb, *plain, "--bits", "32",
                                  status=None)[0])
    expect("convert", run("convert", plain[0], plain[0])[0].startswith(ASSUMED))
    expect("strides of B", check(TILE, "smem_ptr[16b](unset) o (128,64)")
           .startswith("B has no strides: (128,64):(1,128) as in CuTe\n"))
    expect("nested strides", run("((4, 8),_2)")[0].startswith(
        "the text has no strides: ((4,8),2):((1,4),32) as in CuTe\n"))
    for name in "#ttg.shared_memory", "#smem1":
        run(MEMORY.replace("#smem", name))
    run("#m = #ttg.shared_memory\n" + MEMORY.replace("#smem", "#m"))
    for text, said in (
            (MEMORY.replace("#smem", "#ttng.tensor_memory"), "the type is in "
             "tensor memory, but its attribute is one of shared memory"),
            (MEMORY.replace("#smem", "#smen"), "the memory of a type is #smem"),
            (TILE.replace("}>>", "}>, #smem>"), "of registers has no memory"),
            ("smem_ptr[16b](0xzz) o (8,8)", "a number such as 0x7f00 (at "
             "character 15,"),
            ("smem_ptr[16](unset) o (8,8)", "(got 16) (at character 12,"),
            ("smem_ptr[0b](unset) o (8,8)", "1 to 128 bits (got 0)"),
            (TILE.replace("[4, 1]", "[64, 1]"), "64 warps of 32 lanes, 2048 "
             "threads; a block has at most 1024"),
            (MEMORY.replace("elementBit", "fp4Padded = true, elementBit"),
             "with fp4Padded elementBitWidth is 8, a byte for two elements "
             "(got 16)"),
            (TILE.replace("[1, 8]", "[1, 8"), "this bracket is not closed (at "
             "character 50,"),
            (MEMORY.replace("}>", ">"), "not closed (at character 44,"),
            (TILE.replace("[4, 8]", "[4, 7]"), "threadsPerWarp (got 7) (at "
             "character 79,"),
            (TILE.replace("[1, 8]", "[1, 0]"), "sizePerThread (got 0) (at "
             "character 54,"),
            (TILE.replace("[4, 8]", "[4, 4]"), "16 lanes, a warp has 32 or 64"),
            (TILE.replace("[1, 0]", "[1, 1]"), "order (got 1) (at character "
             "117,"),
            (TILE.replace("sizePerThread", "sizePerTread"), "no such key; did "
             "you mean sizePerThread? (at character 34,"),
            (TILE.replace("blocked", "blockd"), "did you mean blocked?"),
            (TILE.replace("tensor", "tenser"), "did you mean tensor? (at "
             "character 1,"),
            (MEMORY.replace("memdesc", "memdsc"), "did you mean memdesc? (at "
             "character 6,"),
            ("SW<3,4,3> o (8,64):(64,1)", "did you mean Sw?"),
            ("Swizle<3,4,3> o (8,64):(64,1)", "did you mean Swizzle?"),
            (MEMORY.replace("= 128", "= 100"), "(got 100) (at character 66,")):
        said_here = run(text, status=2)[1]
        expect(f"{text}: {said_here}", said in said_here)
    for words, said in (
            (["check", TILE, "gmem_ptr[16b](unset) o (128,64):(64,1)"],
             "B is in global memory (gmem_ptr), which has no banks"),
            ([NVMMA, "--shape", "64x64x"], "must be sizes such as"),
            (["check", TILE.replace("[4, 8]", "[4, 4]"), MEMORY],
             "A has 16 lanes, the target sm_90 has 32"),
            (["chekc", "A", "B"], "there is no command chekc; there are "
             "convert, banks, table and check; did you mean check?"),
            (["convert", "offset: j0 | gpu: i0", "offset: i0 | gpu: j0"],
             "(ll_explain_reshard)"),
            ([f"#ttg.padded_shared<[60:+4] {{order = [1, 0], shape = [32, 32]}}"
              ">", "--shape", "32x32"], "(got 60) (at character 21,")):
        said_here = run(*words, status=2)[1]
        expect(f"{words}: {said_here}", said in said_here)


def places():
    """--at says who holds an element, as the pictures do."""
    expect("a register", run(TILE, "--at", "17,42")[0] ==
           "warp 0, lane 13, register 10\n")
    expect("an offset", run(MEMORY, "--at", "17,42")[0] ==
           "offset 1122 (byte 2244, bank 17)\n")
    expect("behind pads", run("(32,32):(33,1)", "--at", "3,1", "--bits", "32")
           [0] == "offset 100 (byte 400, bank 4)\n")
    expect("copies", run("register: j0 0 | lane: j1", "--at", "3")[0] ==
           "lane 1, register 1\nlane 1, register 3\n")
    expect("nobody", "nothing holds" in run("register: j0 j2", "--at", "2")[0])
    for at in "17", "17,64", "128,1", "1,2,3", "x", "-1,2", "1, 2":
        run(TILE, "--at", at, status=2)


def completes():
    """The completion offers commands, then options, then values."""
    script = ROOT / "tools/llshow/llshow.bash"
    for words, wanted in (
            (["build/llshow", "c"], {"convert", "check"}),
            (["./llshow", ""], {"convert", "banks", "table", "check"}),
            (["llshow", "check", "--con"], {"--conflicts"}),
            (["llshow", "check", "--bits", ""],
             {"4", "6", "8", "16", "32", "64", "128"}),
            (["llshow", "check", "--conflicts", ""], set()),
            (["llshow", "convert", "--op"], {"--op"})):
        done = subprocess.run(
            ["bash", "-c", 'source "$0"; COMP_WORDS=("$@"); '
             'COMP_CWORD=$(($# - 1)); '
             '"$(complete -p llshow | sed "s/.*-F //;s/ .*//")"; '
             'printf "%s\\n" "${COMPREPLY[@]}"', str(script), *words],
            text=True, stdout=subprocess.PIPE)
        expect(f"{words}: {done.stdout}", set(done.stdout.split()) == wanted)


def pages():
    source = "".join(path.read_text() for path in
                     sorted((ROOT / "tools/llshow").glob("*.[ch]")))
    options = set(re.findall(r'"(--[a-z]+)"', source)) - {"--"}
    page = (ROOT / "tools/llshow/llshow.1").read_text().replace("\\-", "-")
    shell = (ROOT / "tools/llshow/llshow.bash").read_text()
    told = run("--help")[0]
    for option in sorted(options):
        expect(f"{option} is everywhere", option in shell and
               (option == "--help" or (option in page and option in told)))
    for line in re.findall(r"^  (llshow .*?[^\\])$", told, re.M | re.S):
        words = re.findall(r"'([^']*)'|(\S+)", line.replace("\\\n", " "))
        run(*[a or b for a, b in words][1:])
    readme = re.findall("build/llshow(.*?)(?: #(.*))?$",
                        (ROOT / "README.md").read_text(), re.M)
    expect("the README draws and checks",
           [words.split()[0] for words, _ in readme] == ["'mma_c(16,", "check",
                                                         "check"])
    for line, comment in readme:
        run(*[a or b for a, b in re.findall(r"'([^']*)'|(\S+)", line)],
            status=int("exit 1" in comment))


def main():
    for part in (tables, pictures, pads, plans, types, comments, bounds, bits,
                 operations, allocations, cute, errors, axes, open_texts, places,
                 completes, pages):
        part()
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
