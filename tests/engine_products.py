#!/usr/bin/env python3
"""engine_products.py - products in the kernels that engine.c writes.

    engine_products.py [all]     all: none is left out

Each graph of GRAPHS becomes a kernel with its instructions, by the layouts that
the engine chose. Those that are not in MORE are built for the emulator and run
on random integers, and each element is compared with the sum that the graph
stands for, computed here. nvcc and hipcc, where they are there, compile some of them for their
target. The comparison itself must find a product that is not the one asked
for. Where the target lacks the instructions there is one sentence.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

import engine

# Types: in C, the numbers 0, 1, 2 and 3 (of s8 -3) in their code.
CODES = {"f16": ("unsigned short", "0, 0x3c00, 0x4000, 0x4200"),
         "bf16": ("unsigned short", "0, 0x3f80, 0x4000, 0x4040"),
         "e4m3": ("unsigned char", "0, 0x38, 0x40, 0x44"),
         "e4m3fnuz": ("unsigned char", "0, 0x40, 0x48, 0x4c"),
         "e5m2": ("unsigned char", "0, 0x3c, 0x40, 0x42"),
         "s8": ("unsigned char", "0, 1, 2, 0xfd"),
         "u8": ("unsigned char", "0, 1, 2, 3"),
         "s4": ("unsigned char", "0, 1, 2, 0xd"),
         "u4": ("unsigned char", "0, 1, 2, 3"),
         "e2m1": ("unsigned char", "0, 2, 4, 5"),
         "f32": ("float", "0, 1, 2, 3"), "f64": ("double", "0, 1, 2, 3")}

MAIN = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>
enum { R = %(R)d, K = %(K)d, N = %(N)d };
typedef %(T)s number;
typedef %(S)s sum_;
static const number code[] = {%(codes)s};
static const int value[] = {0, 1, 2, %(three)s};
template <class X> static X *there(const std::vector<X> &from) {
    X *to;
    cudaMalloc(&to, from.size() * sizeof(X));
    cudaMemcpy(to, from.data(), from.size() * sizeof(X),
               cudaMemcpyHostToDevice);
    return to;
}
static std::vector<int> matrix(int n, std::vector<number> &codes) {
    std::vector<int> values(n);
    codes.resize(n);
    for (int i = 0; i < n; ++i) {
        const int v = rand() / 7 %% 4;
        values[i] = value[v];
        codes[i] = code[v];
    }
    return values;
}
static std::vector<unsigned char> scales(int n) {
    std::vector<unsigned char> s(n);
    for (int i = 0; i < n; ++i) {
        s[i] = (unsigned char)(%(factors)s);
    }
    return s;
}
/* Two numbers of 4 bits to a byte. */
static std::vector<number> packed(const std::vector<number> &from) {
    std::vector<number> to(from.size() / 2);
    for (size_t i = 0; i < to.size(); ++i) {
        to[i] = (number)((int)from[2 * i] | (int)from[2 * i + 1] << 4);
    }
    return to;
}
int main() {
    int bad = 0;
    std::vector<number> x, y[3];
    std::vector<int> a = matrix(R * K, x), b[3];
    for (int n = 0; n < 3; ++n) {
        b[n] = matrix(K * N, y[n]);
    }
    std::vector<sum_> z(R * N), got(R * N);
    for (int i = 0; i < R * N; ++i) {
        z[i] = (sum_)(i %% 13);
    }
    const std::vector<unsigned char> s = scales(R * (K / 16 + 1));
    const std::vector<unsigned char> t = scales(N * (K / 16 + 1));
    number *dx = there(x), *dy[3] = {there(y[0]), there(y[1]), there(y[2])};
    sum_ *dz = there(z), *dc = there(got);
    unsigned char *ds = there(s), *dt = there(t);
    (void)ds, (void)dt, (void)dz, (void)dy;
%(allow)s    kernel<<<1, %(threads)d%(dynamic)s>>>(%(args)s, dc);
    cudaDeviceSynchronize();
    cudaMemcpy(got.data(), dc, got.size() * sizeof(sum_),
               cudaMemcpyDeviceToHost);
#define A(i, k) a[(i) * K + (k)]
#define B(n, k, j) b[n][(k) * N + (j)]
    for (int i = 0; i < R; ++i) {
        for (int j = 0; j < N; ++j) {
            double want = %(start)s;
            for (int k = 0; k < K; ++k) {
                want += (%(sum)s) * %(scale)s;
            }
            bad += got[i * N + j] != want;
        }
    }
    printf("%%d wrong\\n", bad);
    return bad != 0;
}
"""
ALLOW = """    cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, %s);
"""
SCALE = ("ldexp(1, s[i * (K / 32) + k / 32] - 127) * "
         "ldexp(1, t[k / 32 * N + j] - 127)")
# Factors of ue4m3: 0.5, 0.75, 1, 1.5, 2.
SMALL = ("ldexp(8 + s[i * (K / 16) + k / 16] % 8, "
         "s[i * (K / 16) + k / 16] / 8 - 10) * "
         "ldexp(8 + t[k / 16 * N + j] % 8, t[k / 16 * N + j] / 8 - 10)")


# Another type, shape or number of warps of instructions that other graphs have.
MORE = set() if sys.argv[1:] == ["all"] else set("""
mma-bf16 mma-75 mma-s8 mma-f64-80 mma-scaled-e5m2 mma-u4-75 mma-scaled-e2m1
wgmma-8-warps wgmma-e5m2 wgmma-tf32 wgmma-carried mma-swapped wgmma-copied
tcgen05-64 tcgen05-256 tcgen05-8-warps tcgen05-s8 tcgen05-tf32
tcgen05-ta-8-warps tcgen05-scaled-32 tcgen05-mxf4-8-warps tcgen05-mxf4-turned
tcgen05-ta-mxf4 tcgen05-nvf4 mfma32-f16 mfma16-bf16 mfma16-f32 wmma_w32-s8
wmma_w32_gfx12-bf16 mfma_scale32-e5m2 mfma_scale16-e2m1
mma-e4m3 mma-tf32 mma-f64 mma-scaled wgmma-u8 wgmma-tf32 tcgen05-e4m3
tcgen05-ta-scaled tcgen05-ta-nvf4 mfma16-e4m3 mfma32-s8 wmma_w32_gfx12-e4m3
""".split())


def dot(by, sizes, bits, adds=False):
    """A product of what lanes load. Its sums have 32 bits, those of f64 64."""
    r, k, n = sizes
    wide = max(bits, 32)
    added = f"z = load {r}x{n}:{wide} contiguous=1x{n} align=16\n"
    return f"""
a = load {r}x{k}:{bits} contiguous=1x{k} align=16
b = load {k}x{n}:{bits} contiguous=1x{n} align=16
{added * adds}c = dot a b{" z" * adds} {r}x{n}:{wide} by={by}
store c contiguous=1x{n} align=16
"""


def scaled(by, sizes, bits=8, each=32):
    r, k, n = sizes
    return f"""
a = load {r}x{k}:{bits} contiguous=1x{k} align=16
b = load {k}x{n}:{bits} contiguous=1x{n} align=16
s = load {r}x{k // each}:8 contiguous=1x{k // each} align={k // each}
t = load {k // each}x{n}:8 contiguous=1x{n} align=16
c = dot_scaled a b s t by={by}
store c contiguous=1x{n} align=16
"""


def carried(carry, body, yields, after="", trips=4):
    """Products with the tiles that a loop carries."""
    return f"""
a = local_load 64x64:16
z = load 64x64:32 contiguous=1x64 align=16
b = local_load 64x64:16
e = local_load 64x64:16
loop {trips} {carry}, acc = z
{body}
yield {yields}, d -> u, v, x
{after}
store c contiguous=1x64 align=16
"""


def cuda(name, graph, sizes, kind, sm=90, warps=4, **more):
    return dict(name=name, graph=graph, sizes=sizes, kind=kind, warps=warps,
                options=[f"--sm={sm}", f"--warps={warps}"], lanes=32,
                arch=f"sm_{sm}{'a' * (sm >= 90)}", **more)


def amd(by, sizes, bits, kind, gfx, lanes, **more):
    graph = more.pop("graph", dot(by, sizes, bits, not more.get("scale")))
    start = {} if more.get("scale") else {"start": "z[i * N + j]",
                                          "args": "dx, dy[0], dz"}
    return dict(name=f"{by}-{kind}", graph=graph, sizes=sizes, kind=kind,
                options=[f"--gfx={gfx:x}", f"--lanes={lanes}"], lanes=lanes,
                warps=4, gfx=gfx, **{**start, **more})


PLACED = ' memory="offset: j0 j1 j2 j3 j4 j5 i0 i1 i2 i3 i4 i5"'
SQUARE, TALL = (64, 64, 64), (128, 64, 64)
ADDED = {"start": "z[i * N + j]", "args": "dx, dy[0], dz"}
SCALED = {"scale": SCALE, "args": "dx, dy[0], ds, dt"}
LOOPS = {"start": "z[i * N + j]", "args": "dx, dz, dy[0], dy[1], dy[2]"}
NVF4 = {"scale": SMALL, "args": "dx, dy[0], ds, dt",
        "factors": "0x30 + 4 * (rand() / 7 % 5)"}
TWO = (64, 128, 32)
GRAPHS = [
    cuda("mma", dot("mma", (64, 64, 32), 16, True), (64, 64, 32), "f16",
         compile=1, **ADDED),
    cuda("mma-bf16", dot("mma", (128, 32, 16), 16), (128, 32, 16), "bf16", 80),
    cuda("mma-75", dot("mma", (64, 32, 16), 16), (64, 32, 16), "f16", 75),
    cuda("mma-e4m3", dot("mma", (64, 64, 32), 8), (64, 64, 32), "e4m3"),
    cuda("mma-s8", dot("mma", (64, 64, 32), 8, True), (64, 64, 32), "s8", 80,
         **ADDED),
    cuda("mma-tf32", dot("mma", (64, 32, 32), 32), (64, 32, 32), "f32"),
    cuda("mma-f64", dot("mma", (64, 16, 16), 64, True), (64, 16, 16), "f64",
         **ADDED),
    cuda("mma-f64-80", dot("mma", (64, 16, 16), 64), (64, 16, 16), "f64", 80),
    cuda("mma-scaled", scaled("mma", (64, 64, 32)), (64, 64, 32), "e4m3", 120,
         compile=1, **SCALED),
    cuda("mma-scaled-e5m2", scaled("mma", TWO), TWO, "e5m2", 120, **SCALED),
    cuda("mma-s4", dot("mma", (64, 128, 32), 4, True), (64, 128, 32), "s4", 80,
         compile=1, **ADDED),
    cuda("mma-u4-75", dot("mma", (64, 64, 16), 4), (64, 64, 16), "u4", 75),
    cuda("mma-unpacked", """
x = load 64x64:8 contiguous=1x64 align=16
a = unpack x axis=1 64x128:4
b = load 128x32:4 contiguous=1x32 align=16
c = dot a b by=mma
store c contiguous=1x32 align=16
""", (64, 128, 32), "s4", args="there(packed(x)), dy[0]"),
    cuda("mma-scaled-e2m1", scaled("mma", TWO, 4), TWO, "e2m1", 120, compile=1,
         **SCALED),
    cuda("mma-nvf4", scaled("mma", TWO, 4, 16), TWO, "e2m1", 120, compile=1,
         **NVF4),
    cuda("wgmma", dot("wgmma", SQUARE, 16, True), SQUARE, "f16", **ADDED),
    cuda("wgmma-8-warps", dot("wgmma", (256, 64, 64), 16), (256, 64, 64),
         "bf16", warps=8),
    cuda("wgmma-e5m2", dot("wgmma", (64, 64, 32), 8), (64, 64, 32), "e5m2"),
    cuda("wgmma-u8", dot("wgmma", (64, 64, 32), 8), (64, 64, 32), "u8"),
    cuda("wgmma-tf32", dot("wgmma", (64, 32, 32), 32), (64, 32, 32), "f32"),
    cuda("wgmma-turned", """
a = local_load 64x64:16
w = local_load 64x64:16
b = trans w order=1x0
c = dot a b by=wgmma
store c contiguous=1x64 align=16
""", SQUARE, "f16", sum="A(i, k) * B(0, j, k)"),
    cuda("wgmma-one-tile", """
a = load 64x64:16 contiguous=1x64 align=16
b = load 64x64:16 contiguous=1x64 align=16
t = trans a order=1x0
d = dot a t by=wgmma
c = dot b a d by=wgmma
store c contiguous=1x64 align=16
""", SQUARE, "f16", sum="A(i, k) * A(j, k) + B(0, i, k) * A(k, j)"),
    cuda("wgmma-registers", """
a = load 64x64:16 out0="register: j0 i3 j3 j4 j5 | """
         """lane: j1 j2 i0 i1 i2 | warp: i4 i5"
b = local_load 64x64:16
c = dot a b by=wgmma
store c contiguous=1x64 align=16
""", SQUARE, "f16"),
    cuda("wgmma-carried", carried(
        "t = b, s = e", "n = local_load 64x64:16\nd = dot a t acc by=wgmma",
        "s, n", "c = map x"), SQUARE, "f16", compile=1,
        sum="A(i, k) * (B(0, k, j) + B(1, k, j) + 2 * B(2, k, j))", **LOOPS),
    cuda("wgmma-swapped", carried(
        "t = b, s = e", "d = dot a t acc by=wgmma", "s, t",
        "c = dot a u x by=wgmma", 3), SQUARE, "f16",
        sum="A(i, k) * 2 * (B(0, k, j) + B(1, k, j))",
        start="z[i * N + j]", args="dx, dz, dy[0], dy[1]"),
    cuda("mma-swapped", carried(
        "t = b, s = e", "d = dot a t acc by=mma", "s, t",
        "c = dot a u x by=mma", 3).replace("64:16", "64:16" + PLACED), SQUARE,
        "f16", sum="A(i, k) * 2 * (B(0, k, j) + B(1, k, j))",
        start="z[i * N + j]", args="dx, dz, dy[0], dy[1]"),
    cuda("wgmma-branches", """
a = local_load 64x64:16
b = local_load 64x64:16
e = local_load 64x64:16
t = merge b e
c = dot a t by=wgmma
store c contiguous=1x64 align=16
""", SQUARE, "f16", sum="A(i, k) * B(1, k, j)", args="dx, dy[0], dy[1], 0"),
    cuda("wgmma-copied", """
a = tma_load 64x64:16
b = tma_load 64x32:16
c = dot a b by=wgmma
store c contiguous=1x32 align=16
""", (64, 64, 32), "f16", maps=1,
         args="map_of(dx, R, K, MAP_0), map_of(dy[0], K, N, MAP_1)"),
    cuda("tcgen05", dot("tcgen05", TALL, 16, True), TALL, "f16", 100,
         **ADDED),
    cuda("tcgen05-64", dot("tcgen05", SQUARE, 16), SQUARE, "f16", 100,
         compile=1),
    cuda("tcgen05-256", dot("tcgen05", (256, 64, 64), 16), (256, 64, 64),
         "bf16", 100),
    cuda("tcgen05-8-warps", dot("tcgen05", TALL, 16), TALL, "f16", 100, 8),
    cuda("tcgen05-e4m3", dot("tcgen05", TALL, 8), TALL, "e4m3", 100),
    cuda("tcgen05-s8", dot("tcgen05", TALL, 8), TALL, "s8", 100),
    cuda("tcgen05-tf32", dot("tcgen05", (128, 32, 32), 32), (128, 32, 32),
         "f32", 100),
    cuda("tcgen05-ta", dot("tcgen05_ta", (256, 64, 64), 16), (256, 64, 64),
         "f16", 100),
    cuda("tcgen05-ta-8-warps", dot("tcgen05_ta", TALL, 8, True), TALL, "e4m3",
         100, 8, **ADDED),
    cuda("tcgen05-scaled", scaled("tcgen05", (128, 256, 64)), (128, 256, 64),
         "e4m3", 100, compile=1, **SCALED),
    cuda("tcgen05-scaled-32", scaled("tcgen05", (128, 32, 64)), (128, 32, 64),
         "e5m2", 100, **SCALED),
    cuda("tcgen05-ta-scaled", scaled("tcgen05_ta", (256, 64, 16)),
         (256, 64, 16), "e4m3", 100, **SCALED),
    cuda("tcgen05-mxf4", scaled("tcgen05", (128, 256, 64), 4), (128, 256, 64),
         "e2m1", 100, compile=1, **SCALED),
    cuda("tcgen05-mxf4-8-warps", scaled("tcgen05", (256, 128, 32), 4),
         (256, 128, 32), "e2m1", 100, 8, **SCALED),
    cuda("tcgen05-mxf4-turned", """
x = load 128x128:4 contiguous=1x128 align=16 out0="register: i0 j0 j1 j2 j3 j4 j5 | """
         """lane: j6 i1 i2 i3 i4 | warp: i5 i6"
b = load 128x64:4 contiguous=1x64 align=16
s = load 128x4:8 contiguous=1x4 align=4
t = load 4x64:8 contiguous=1x64 align=16
c = dot_scaled x b s t by=tcgen05
store c contiguous=1x64 align=16
""", (128, 128, 64), "e2m1", 100, **SCALED),
    cuda("tcgen05-ta-mxf4", scaled("tcgen05_ta", (128, 128, 32), 4),
         (128, 128, 32), "e2m1", 100, **SCALED),
    cuda("tcgen05-nvf4", scaled("tcgen05", (128, 128, 64), 4, 16),
         (128, 128, 64), "e2m1", 100, compile=1, **NVF4),
    cuda("tcgen05-ta-nvf4", scaled("tcgen05_ta", (256, 256, 32), 4, 16),
         (256, 256, 32), "e2m1", 100, **NVF4),
    amd("mfma16", (64, 32, 32), 16, "f16", 0x90a, 64, compile=1),
    amd("mfma32", (128, 32, 64), 16, "f16", 0x908, 64),
    amd("mfma16", (64, 32, 32), 16, "bf16", 0x942, 64),
    amd("mfma16", (64, 64, 32), 8, "e4m3", 0x942, 64, codes="e4m3fnuz"),
    amd("mfma32", (128, 64, 32), 8, "s8", 0x942, 64),
    amd("mfma16", (64, 16, 32), 32, "f32", 0x90a, 64),
    amd("mfma16", (64, 16, 32), 64, "f64", 0x90a, 64, compile=1),
    amd("wmma_w32", (64, 32, 32), 16, "f16", 0x1100, 32),
    amd("wmma_w32", (64, 32, 32), 8, "s8", 0x1100, 32),
    amd("wmma_w32_gfx12", (64, 32, 32), 16, "bf16", 0x1201, 32),
    amd("wmma_w32_gfx12", (64, 32, 32), 8, "e4m3", 0x1201, 32),
    amd("mfma_scale16", (128, 256, 32), 8, "e4m3", 0x950, 64,
        graph=scaled("mfma_scale16", (128, 256, 32)), **SCALED),
    amd("mfma_scale32", (128, 128, 64), 8, "e5m2", 0x950, 64,
        graph=scaled("mfma_scale32", (128, 128, 64)), **SCALED),
    amd("mfma_scale16", (128, 256, 32), 4, "e2m1", 0x950, 64,
        graph=scaled("mfma_scale16", (128, 256, 32), 4), **SCALED),
    amd("mfma_scale32", (128, 128, 64), 4, "e2m1", 0x950, 64,
        graph=scaled("mfma_scale32", (128, 128, 64), 4), **SCALED)]
# A product that is not what the comparison expects: it must say so.
WRONG = cuda("another product", dot("mma", (64, 64, 32), 16), (64, 64, 32),
             "f16", sum="A(i, k) * B(0, (k + 1) % K, j)")
# Graph, options, and the sentence.
# What is left to the author.
BY_HAND = [(scaled("tcgen05", (128, 256, 64), 4), "--sm=100",
            "--type4=s4"),
           (scaled("tcgen05", (128, 256, 64), 8, 16), "--sm=100"),
           (scaled("mma", (128, 256, 64), 8, 16), "--sm=120"),
           (scaled("mfma_scale16", (128, 256, 32), 4, 16), "--gfx=950"),
           (scaled("tcgen05", (128, 128, 64), 4).replace(
               "b = load 128x64:4 contiguous=1x64 align=16",
               "w = local_load 64x128:4\nb = trans w order=1x0"), "--sm=100"),
           (dot("tcgen05", (128, 64, 64), 4), "--sm=100"),
           (dot("wmma_w32", (64, 32, 32), 4), "--gfx=1100", "--lanes=32")]
LACKS = [(dot("wgmma", SQUARE, 16), ["--sm=80"], "sm_80 has no wgmma"),
         (dot("wgmma", (64, 64, 32), 4), ["--sm=90"],
          "sm_90 has no wgmma of 4 bits"),
         (dot("tcgen05", TALL, 16), ["--sm=90"], "sm_90 has no tcgen05"),
         (dot("mma", SQUARE, 16), ["--sm=75", "--type16=bf16"],
          "sm_75 has no mma.sync of this type"),
         (scaled("mma", SQUARE), ["--sm=90"],
          "sm_90 has no mma.sync with scales"),
         (dot("mfma16", SQUARE, 16), ["--gfx=908", "--type16=bf16"],
          "gfx908 has no mfma_f32_16x16x16bf16_1k")]


def source_of(graph, kernel):
    """The program of a kernel."""
    r, k, n = graph["sizes"]
    kind = graph["kind"]
    dynamic = re.search(r"launch it with (\d+) bytes", kernel)
    number, codes = CODES[graph.get("codes", kind)]
    text = engine.filled(kernel, None) + engine.MAP % (2, "FLOAT16") * graph.get("maps", 0) + MAIN % {
        "R": r, "K": k, "N": n, "T": number, "codes": codes,
        "S": "double" if kind == "f64" else "float",
        "three": "-3" if kind in ("s8", "s4") else "3",
        "threads": graph["warps"] * graph["lanes"],
        "dynamic": f", {dynamic[1]}" if dynamic else "",
        "allow": ALLOW % dynamic[1] if dynamic else "",
        "args": graph.get("args", "dx, dy[0]"),
        "start": graph.get("start", "0"), "scale": graph.get("scale", "1"),
        "factors": graph.get("factors", "126 + rand() / 7 % 3"),
        "sum": graph.get("sum", "A(i, k) * B(0, k, j)")}
    return re.sub(r"\bcuda(?=[MDF])", "hip", text) if "gfx" in graph else text


def compiled(graph, source):
    """What the vendor's compiler says, if it is there and is to see this."""
    if not graph.get("compile"):
        return ""
    if "gfx" in graph:
        tool = shutil.which(os.environ.get("HIPCC") or "hipcc")
        flags = ["-x", "hip", f"--offload-arch=gfx{graph['gfx']:x}", "-c"]
    else:
        tool = shutil.which(os.environ.get("NVCC") or "nvcc")
        flags = [f"-arch={graph['arch']}", "-cubin"]
    if not tool:
        return ""
    code, out, said = engine.run(tool, *flags, "-std=c++17",
                                 f"-I{engine.ROOT}", source, "-o", os.devnull)
    return (out + said)[:1000] if code else ""


def faults(folder, graph, sources):
    """What is wrong with the kernel of one graph, whose program joins those
    that are emulated."""
    name = graph["name"].replace(" ", "_")
    bits = graph["kind"]
    option = [f"--type16={bits}"] * bits.endswith("f16") + \
        [f"--type8={bits}"] * bits.endswith(("m3", "m2", "8")) + \
        [f"--type4={bits}"] * (bits in ("s4", "u4", "e2m1"))
    (folder / f"{name}.txt").write_text(graph["graph"])
    code, kernel, said = engine.run(folder / "engine", folder / f"{name}.txt",
                                    *graph["options"], *option)
    if code or "fill in: an instruction" in kernel:
        yield f"{name}: {said or 'a product is to be filled in'}"
        return
    if graph["name"] in MORE:
        return
    source = folder / f"{name}.{'hip' if 'gfx' in graph else 'cu'}"
    source.write_text(source_of(graph, kernel))
    said = compiled(graph, source)
    if said:
        yield f"{name}: {said}"
    flags = ["-W64"] * (graph["lanes"] == 64)
    if "gfx" in graph:
        flags.append(f"-DEMU_GFX={graph['gfx']:#x}")
    sources.append((source, flags))


def sentences(folder):
    """What is wrong where a target lacks the instructions."""
    for graph, options, sentence in LACKS:
        (folder / "lacks.txt").write_text(graph)
        code, out, said = engine.run(folder / "engine", folder / "lacks.txt",
                                     *options)
        if code != 1 or said != f"engine: {sentence}\n" or out:
            yield f"{sentence}: it gives {code}: {said}"
    for graph, *options in BY_HAND:
        (folder / "lacks.txt").write_text(graph)
        code, out, said = engine.run(folder / "engine", folder / "lacks.txt",
                                     *options)
        if code or "fill in: an instruction" not in out:
            yield f"{graph}: no function is left to the author: {said}"


def main():
    wrong, sources = [], []
    unknown = MORE - {graph["name"] for graph in GRAPHS}
    if unknown:
        wrong.append(f"MORE names what is not in GRAPHS: {unknown}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code, out, said = engine.run(os.environ.get("CC") or "gcc", "-std=c11",
                                     "-Og", "-I.", "tools/engine/engine.c",
                                     "-o", folder / "engine")
        if code:
            sys.exit(f"engine_products.py: {said}")
        for graph in GRAPHS:
            wrong += faults(folder, graph, sources)
        wrong += faults(folder, WRONG, sources)
        said = list(engine.emulated(folder, sources))
        seen = [what for what in said
                if re.match(r"another_product\.cu: [1-9]\d* wrong", what)]
        if not seen:
            wrong.append("another product is taken for the right one")
        wrong += [what for what in said if what not in seen]
        wrong += sentences(folder)
    for what in wrong:
        print("FAIL", what)
    print(f"{len(GRAPHS) + 1 + len(LACKS) + len(BY_HAND) - len(wrong)} passed, "
          f"{len(wrong)} failed")
    return len(wrong) != 0


if __name__ == "__main__":
    sys.exit(main())
