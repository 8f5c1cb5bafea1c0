#!/usr/bin/env python3
"""engine.py - kernels that tools/engine/engine.c writes compile and are right.

Each graph of GRAPHS becomes a kernel, which is built for the emulator, run and
compared with the numbers that the graph stands for, computed here. nvcc, where
it is there, compiles it too. The same graphs become HIP kernels for 64 lanes;
hipcc compiles them, and some run on the emulator. A graph without a kernel must
give a sentence.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EMUCC = ["sh", str(ROOT / "tools/emulator/emucc"), f"-I{ROOT}"]
BAD = [("x = load 4x4:32\ny = reduce x axis=7\n", "reduce x (operation 1"),
       ("#" * 70000 + "\n", "the graph has 65536 characters or more"),
       ("x = load 4x4:32\ny = load x 4x4:32\nstore y\n",
        "load x y (operation 1): addresses must have 64 bits"),
       ("p = load 8:64\nx = load 8:16\ny = load 8:32\nz = atomic p x y 8:16\n"
        "store z\n", "atomic p x y z (operation 3): addresses must"),
       ("p = load 8:64\nm = load 8:1\no = load 8:16\nx = load p m o 8:32\n"
        "store x\n", "load p m o x (operation 3): addresses must"),
       ("x = load 8:32\ny = load 8:32\nz = load 8:32\nstore x y z\n",
        "store x y z (operation 3): addresses must"),
       ("x = tma_load 32x64:32 memory=\"offset: j0 j1 j2^i0 j3 j4 i0 i1 i2 i3 "
        "i4 j5\"\nstore x\n", "there is no kernel text for tma_load x (operation 0)"),
       ("x = load 8:32\nloop 4 a = x\nyield n -> b\nloop 4 c = a\nn = map c\n"
        "yield a -> d\nstore d\n",
        "n is made after the loop whose next value it is: there is no kernel"),
       ("x = load 8:32\nloop 4 a = x\ny = map a\nyield y -> z\nstore y\n",
        "y is made in a loop and used outside it: yield it"),
       ("x = load 8:32\nloop 4 a = x\ny = map a\nyield y\nstore a\n",
        "a is made in a loop and used outside it: yield it"),
       ("x = load 8:32\nloop 4 a = x\nloop 2 b = a\ny = map b\nyield y -> z\n"
        "yield y -> w\nstore w\n", "y is made in a loop and used by the yield of"),
       ("i = load 16x256:32 same=1x256\nstore i\n",
        "load i (operation 0): same= says which elements have one address, "
        "but"),
       ("x = load 8:24\nstore x\n",
        "load x (operation 0): a kernel's elements must have 1, 2, 4, 8, 16, "
        "32 or 64"),
       ("x = load 64:128\nstore x\n",
        "load x (operation 0): a kernel's elements must"),
       ("p = load 8:64\nx = load p 8:32 block=0\nstore x\n",
        "block= and step= place a tile, but the addresses do it already"),
       ("x = tma_load 32x64:32 step=4 memory=\"offset: j0 j1 j2^i0 j3^i1 j4^i2 i0 "
        "i1 i2 i3 i4 j5\"\nstore x\n", "there is no kernel text for tma_load x"),
       ("x = load 64x64:16\ny = dot x x by=mmma\nstore y\n",
        "; the names are mma, wgmma, tcgen05 and tcgen05_ta"),
       ("", "has no operations"), ("# nothing\n", "has no operations")]
# Wrong options, with the error sentence.
OPTIONS = [
    (["--wraps=8"], "there is no option --wraps=8; --help lists them"),
    (["--warps", "8"], "--warps: --warps=.. must be given once, with a number"),
    (["--warps=4", "--warps=4"], "--warps=4: --warps=.. must be given once"),
    (["--warps=3"], "--warps must be a power of two"),
    (["--warps=64"], "a block can have at most 1024 threads"),
    (["--gfx=942", "--warps=32"], "a block can have at most 1024 threads"),
    (["--registers=abc"], "--registers=.. must be given once, with a number"),
    (["--scratch=10k"], "--scratch=.. must be given once, with a number"),
    (["--scratch=-1"], "--scratch=.. must be given once, with a number"),
    (["--type16=foo"], "--type16=.. must be given once, with one of f16 bf16"),
    (["--name=3d"], "--name=.. must be given once, with a name"),
    (["--lanes=16"], "--lanes is only for --gfx"),
    (["--gfx=942", "--lanes=32"], "--gfx is unknown, or has no warps of"),
    (["--gfx=942", "--sm=90"], "--sm and --gfx exclude each other"),
    (["--sm=91"], "--sm is unknown; --help lists the targets"),
    (["--gfx=999"], "--gfx is unknown"),
    (["other.txt"], "only one graph at a time")]
# Graphs with their options, what their kernels have, and what not.
GATHER = """
t = load 64x256:32 contiguous=1x256 align=16
i = load 16x256:32 contiguous=1x256 align=16
g = gather t i axis=0
s = reduce g axis=1
e = expand s axis=1
b = broadcast e 16x256
d = map g b
store d contiguous=1x256 align=16
"""
REMINDER = "#error \"fill in the functions above, then delete these lines\""
TEXTS = [
    (GATHER, [], ["extern __shared__", "static_assert(most(BYTES) <= 65536u"],
     ["_WITHIN"]),
    ("x = load 8x8:32\nm = map x 8x8:32\nstore m\n", [], [REMINDER], []),
    ("x = load 8x8:32\nstore x\n", [], [], ["FILLED_IN"]),
    ("""x = load 128x128:32 contiguous=1x128 align=16
t = trans x order=1x0
store t contiguous=1x128 align=16
""", ["--scratch=16384"], ["LL_PLAN_WITHIN(C0, ", ", TARGET, 16384);",
                           "smem[most(BYTES)]"], ["extern"]),
    ("x = load 8x8:32\nm = reduce x axis=1\nn = reduce x axis=1 op=max\n"
     "y = load 8x8:16\no = reduce y axis=1 op=sum\np = reduce y axis=1 op=xor\n"
     "store m\nstore n\nstore o\nstore p\n", [],
     ["x + y); }); /* a sum: fill in, or say op= */", "x < y ? y : x); });\n",
      "x + y); }); /* of whole numbers: fill in others */", "x ^ y); });\n"], []),
    ("loop 4\nloop 2\nx = load 8:32 step=8\nstore x\nyield\nyield\n", [],
     ["/* the same in each trip of i0 */", "+ (size_t)i1 * 8u",
      "/* the same in each trip of i1: fill in, or say step= */"], []),
    ("x = load 8:32 block=0\nstore x block=64\n", [],
     ["p0_0, 8u);", "p1_0 + (size_t)(TILE) * 64u, 8u);"], ["trip"])]

# Name, graph, arguments, what is compared, and the arithmetic of maps. Inputs are x[k] = k % 97, a map adds its
# operands, a reduction is a sum.
GRAPHS = [
    ("extremes", """
x = load 32x64:32 contiguous=1x64 align=16
m = reduce x axis=1 op=max
n = reduce x axis=1 op=min
store m contiguous=32 align=16
store n contiguous=32 align=16
""", "device[0], device[1], device[2]", """
    for (int i = 0; i < 32; ++i) {
        float most = x[i * 64], least = most;
        for (int j = 0; j < 64; ++j) {
            most = x[i * 64 + j] > most ? x[i * 64 + j] : most;
            least = x[i * 64 + j] < least ? x[i * 64 + j] : least;
        }
        bad += y[i] != most || z[i] != least;
    }
"""),
    ("steps", """
zero = constant 8x64:32
loop 4 sum = zero
a = load 8x64:32 contiguous=1x64 align=16 step=512
b = load 8x64:32 contiguous=1x64 align=16 block=0
n = map sum a b
store n contiguous=1x64 align=16 step=512
yield n -> last
store last contiguous=1x64 align=16
""", "device[0], device[0], device[1], device[2], 0.0f", """
    for (int k = 0; k < 512; ++k) {
        float sum = 0;
        for (int i = 0; i < 4; ++i) {
            sum += x[i * 512 + k] + x[k];
            bad += y[i * 512 + k] != sum;
        }
        bad += z[k] != sum;
    }
"""),
    ("names", """
a.b = load 32x64:32 contiguous=1x64 align=16
a_b = map a.b a.b
t = trans a_b order=1x0
t_0, t_1, t_2, t_3, t_4, t_5, t_6, t_7 = map t t
u = map t_0 t_1 t_2 t_3 t_4 t_5 t_6 t_7
store t contiguous=1x32 align=16
store u contiguous=1x32 align=16
""", "device[0], device[1], device[2]", """
    for (int k = 0; k < 2048; ++k) {
        bad += y[k] != 2 * x[k % 32 * 64 + k / 32] || z[k] != 16 * y[k];
    }
"""),
    ("transpose", """
x = load 32x64:32 contiguous=1x64 align=16
t = trans x order=1x0
store t contiguous=1x32 align=16
""", "device[0], device[1]", """
    for (int k = 0; k < 2048; ++k) {
        bad += y[k % 64 * 32 + k / 64] != x[k];
    }
"""),
    ("centre", """
x = load 16x64:32 contiguous=1x64 align=16
s = reduce x axis=1
e = expand s axis=1
b = broadcast e 16x64
loop 3 acc = b
n = map acc x
yield n -> y
store y contiguous=1x64 align=16
store s contiguous=16 align=16
""", "device[0], device[1], device[2]", """
    for (int i = 0; i < 16; ++i) {
        float sum = 0;
        for (int j = 0; j < 64; ++j) {
            sum += x[i * 64 + j];
        }
        bad += z[i] != sum;
        for (int j = 0; j < 64; ++j) {
            bad += y[i * 64 + j] != sum + 3 * x[i * 64 + j];
        }
    }
"""),
    ("pairs", """
x = load 32x32:32 contiguous=1x32 align=16
y = map x
j = join x y
d, f = split j
t = trans f order=1x0
c = convert d out0="register: j0 j1 j2 | lane: j3 j4 i0 i1 i2 | warp: i3 i4"
store c contiguous=1x32 align=16
store t contiguous=1x32 align=16
""", "device[0], device[1], device[2]", """
    for (int k = 0; k < 1024; ++k) {
        bad += y[k] != x[k] || z[k % 32 * 32 + k / 32] != x[k];
    }
"""),
    ("sums", """
x = load 16x64:32 contiguous=1x64 align=16
s = scan x axis=1
t = scan s axis=0
store s contiguous=1x64 align=16
store t contiguous=1x64 align=16
""", "device[0], device[1], device[2]", """
    for (int i = 0; i < 16; ++i) {
        float sum = 0;
        for (int j = 0; j < 64; ++j) {
            sum += x[i * 64 + j];
            bad += y[i * 64 + j] != sum;
            bad += z[i * 64 + j] != sum + (i ? z[i * 64 + j - 64] : 0);
        }
    }
"""),
    ("nibbles", """
x = load 16x64:8 contiguous=1x64 align=16
u = unpack x axis=1
v = map u 16x128:32
store v contiguous=1x128 align=16
""", "(unsigned char *)device[0], device[1]", """
    for (int k = 0; k < 2048; ++k) {
        const int byte = ((const unsigned char *)x)[k / 2];
        bad += y[k] != (byte >> 4 * (k % 2) & 15);
    }
"""),
    ("branches", """
x = load 32x64:32 contiguous=1x64 align=16
u = map x x
j = join x u
d, f = split j
t = trans f order=1x0
r = reshape t 32x64
m = merge d r
n = merge f m
store m contiguous=1x64 align=16
store n contiguous=1x64 align=16
""", "device[0], 0, 1, device[1], device[2]", """
    for (int k = 0; k < 2048; ++k) {
        bad += y[k] != 2 * x[k % 32 * 64 + k / 32] || z[k] != 2 * x[k];
    }
"""),
    ("masks", """
m = load 32x64:1 contiguous=1x64 align=16
o = load 32x64:32 contiguous=1x64 align=16
v = load m o 32x64:32 contiguous=1x64 align=16
w = load m 32x64:32 contiguous=1x64 align=16
u = map v w
store u contiguous=1x64 align=16
store v m contiguous=1x64 align=16
""", """there<unsigned char>([](int k) { return k / 8 % 3 && k < 1909; }),
        there<float>([](int k) { return 7.0f * k; }),
        device[0], device[0], device[1], device[2] + (cudaMemset(device[2], 0,
        sizeof x), 0)""", """
    for (int k = 0; k < 2048; ++k) {
        const int in = k / 8 % 3 && k < 1909;
        bad += y[k] != (in ? 2 * x[k] : 7 * k) || z[k] != (in ? x[k] : 0);
    }
"""),
    ("tail", """
i = constant 64:32 contiguous=64
r = reshape i 1x64
b = broadcast r 32x64
n = constant 32x64:32
m = map b n 32x64:1 cost=2
v = load m n 32x64:32 contiguous=1x64 align=16
store v contiguous=1x64 align=16
store v m contiguous=1x64 align=16
""", "device[0], device[1], device[2], 50.0f", """
    for (int k = 0; k < 2048; ++k) {
        bad += y[k] != (k % 64 < 50 ? x[k] : 50);
        bad += z[k] != x[k];
    }
""", "x0 < x1"),
    ("rows", """
base = constant 32x64:64
i = load 32:32 contiguous=32 align=16
e = expand i axis=1
b = broadcast e 32x64
r = constant 64:32 contiguous=64
c = expand r axis=1
d = broadcast c 64x32
j = trans d order=1x0
p = map base b j
v = load p 32x64:32 contiguous=1x64 align=16
q = load 64x32:64 contiguous=1x32 align=16
t = trans v order=1x0
store t contiguous=1x32 align=16
store q t contiguous=1x2 align=8
""", """there<unsigned>([](int k) { return k * 5 % 32; }),
        there<unsigned long long>([=](int k) {
            return (unsigned long long)(device[2] + (2047 - k ^ 1)); }),
        device[1], (unsigned char *)device[0]""", """
    for (int k = 0; k < 2048; ++k) {
        bad += y[k] != x[k % 32 * 5 % 32 * 64 + k / 32];
        bad += z[2047 - k ^ 1] != y[k];
    }
""", "x0 + 4ull * (64ull * x1 + x2)"),
    ("atomics", """
v = load 32x64:32 contiguous=1x64 align=16
p = load 32x64:64 contiguous=1x64 align=16
m = load 32x64:1 contiguous=1x64 align=16
none = atomic p v m
s = reduce v axis=1
old = atomic s contiguous=32
u = map old s
store u contiguous=32 align=16
r = reduce s axis=0
h = load 2048:16 contiguous=2048 align=16
q = load 2048:64 contiguous=2048 align=16
unused = atomic q h
store r
""", """device[0], there<unsigned long long>([=](int k) {
            return (unsigned long long)(device[1] + k % 16); }),
        there<unsigned char>([](int k) { return k % 5 != 0; }), device[1] + 64,
        device[1] + 128,
        there<unsigned short>([](int k) { return 3 * k; }),
        there<unsigned long long>([=](int k) {
            return (unsigned long long)((short *)device[2] + k % 5); }),
        device[2] + 16""", """
    float all = 0;
    unsigned short sums[5] = {1, 0, 0, 1};
    memcpy(sums, x, 10);
    for (int k = 0; k < 2048; ++k) {
        sums[k % 5] += (unsigned short)(3 * k);
        all += x[k];
    }
    bad += memcmp(sums, z, 10) != 0 || z[16] != all;
    for (int i = 0; i < 16; ++i) {
        float sum = x[i];
        for (int k = i; k < 2048; k += 16) {
            sum += k % 5 ? x[k] : 0;
        }
        bad += y[i] != sum;
    }
    for (int i = 0; i < 32; ++i) {
        float sum = 0;
        for (int j = 0; j < 64; ++j) {
            sum += x[i * 64 + j];
        }
        bad += y[64 + i] != x[64 + i] + sum || y[128 + i] != y[64 + i];
    }
"""),
    ("exchanges", """
p = load 64:64 contiguous=64 align=16
c = load 64:32 contiguous=64 align=16
v = load 64:32 contiguous=64 align=16
old = atomic p c v 64:32
store old contiguous=64 align=16
""", """there<unsigned long long>([=](int k) {
            return (unsigned long long)(device[2] + 2 * k); }),
        there<float>([](int k) { return k % 3 ? 2 * k % 97 : -1; }),
        device[0], device[1]""", """
    for (int k = 0; k < 64; ++k) {
        bad += y[k] != x[2 * k];
        bad += z[2 * k] != (k % 3 ? x[k] : x[2 * k]);
    }
""")]
EMULATED_AS_HIP = "centre", "masks", "rows", "atomics"
MAIN = """
#include <stdio.h>
#include <string.h>
/* 2048 numbers for the kernel. */
template <class T, class F> static T *there(F f) {
    static T x[2048];
    T *to;
    for (int k = 0; k < 2048; ++k) {
        x[k] = (T)f(k);
    }
    cudaMalloc(&to, sizeof x);
    cudaMemcpy(to, x, sizeof x, cudaMemcpyHostToDevice);
    return to;
}
int main() {
    static float x[2048], y[2048], z[2048];
    float *device[3];
    int bad = 0;
    for (int k = 0; k < 2048; ++k) {
        x[k] = (float)(k %% 97);
    }
    for (int k = 0; k < 3; ++k) {
        cudaMalloc(&device[k], sizeof x);
        cudaMemcpy(device[k], x, sizeof x, cudaMemcpyHostToDevice);
    }
    kernel<<<1, THREADS>>>(%s);
    cudaMemcpy(y, device[1], sizeof x, cudaMemcpyDeviceToHost);
    cudaMemcpy(z, device[2], sizeof x, cudaMemcpyDeviceToHost);
%s
    printf("%%d wrong\\n", bad);
    return bad != 0;
}
"""


# Tiles in shared memory: the loops of local_load and local_store, and tensor
# copies, whose maps MAP makes; a sort. Their kernels are for NVIDIA's GPUs alone.
TILED = [
    ("tiles", """
x = local_load 32x64:32 memory="offset: j0 j1 j2 j3 j4 j5 i0^j2 i1^j3 i2^j4 i3 i4"
t = trans x order=1x0
y = map t t
local_store y memory="offset: j0 j1 j2^i2 j3^i1 j4^i0 i0 i1 i2 i3 i4 i5"
zero = constant 32x64:32
loop 3 sum = zero
w = tma_load 32x64:32 memory="offset: j0 j1 j2 j3 j4 j2^i0 j3^i1 j4^i2 i3 i4 j5"
n = map sum w
yield n -> last
z = sort last axis=1
tma_store z memory="offset: j0 j1 j2 j3 j4 j5 i0 i1 i2 i3 i4"
""", """device[0], device[1], map_of(device[0], 32, 64, MAP_7),
                          map_of(device[2], 32, 64, MAP_11), 0.0f""", """
    for (int k = 0; k < 2048; ++k) {
        int less = 0, least = 0;
        for (int j = k / 64 * 64; j < k / 64 * 64 + 64; ++j) {
            less += 3 * x[j] < z[k];
            least += 3 * x[j] <= z[k];
        }
        bad += less > k % 64 || least <= k % 64;
        bad += y[k] != 2 * x[k % 32 * 64 + k / 32];
    }
"""),
    ("lines", """
x = tma_load 4x8x64:32 memory="offset: k0 k1 k2 k3 k4 k2^j0 k3^j1 k4^j2 i0 i1 k5"
t = trans x order=2x0x1
r = reshape t 2048
tma_store r memory="offset: i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 i10"
""", """map_of(device[0], 32, 64, MAP_0), map_of(device[1], 8, 256, MAP_3)""", """
    for (int k = 0; k < 2048; ++k) {
        bad += y[k] != x[k % 32 * 64 + k / 32];
    }
"""),
    ("products", """
a = tma_load 64x64:16
b = tma_load 64x16:16
c = dot a b by=wgmma
x = load 64x64:16 contiguous=1x64 align=16
d = dot x b by=wgmma
e = map b cost=1
f = dot a e by=wgmma
s = map c d f
store s contiguous=1x16 align=16
""", None, None)]
# The tensor map of a row-major matrix of a type, for tensor copies.
MAP = """
static CUtensorMap map_of(const void *data, unsigned rows, unsigned cols,
                          ll_ptx_tensor t) {
    const cuuint64_t dims[2] = {cols, rows}, strides[1] = {%u * cols};
    const cuuint32_t box[2] = {t.box[0], t.box[1]}, steps[2] = {1, 1};
    void *encode = 0;
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                     cudaEnableDefault, &found);
    ((decltype(&cuTensorMapEncodeTiled))encode)(
        &map, CU_TENSOR_MAP_DATA_TYPE_%s, 2, (void *)data, dims, strides, box,
        steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        t.swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
        : t.swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
        : t.swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                          : CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}
"""


# The flags of the vendors' compilers, and the sources that they read.
FLAGS = {"nvcc": ["-gencode", "arch=compute_90a,code=compute_90a", "-ptx"],
         "hipcc": ["-x", "hip", "--offload-arch=gfx90a", "-c"]}
FOR_COMPILERS = {"nvcc": [], "hipcc": []}


def run(*command):
    """The exit status and the output of a command."""
    done = subprocess.run([str(c) for c in command], capture_output=True,
                          text=True, check=False, cwd=ROOT)
    return done.returncode, done.stdout, done.stderr


def filled(kernel, body):
    """The kernel with the arithmetic of its maps: without a body they add their
    operands."""
    kernel = re.sub(r"\(x0(?: \+ x\d)*\); /\* fill in \*/", f"({body});",
                    kernel) if body else kernel
    return "#define FILLED_IN\n" + kernel


def joined(sources, path):
    """One program of sources, each in a namespace and without macros for the
    next one. Its argument is the number of the source that is run."""
    lines = prelude(sources[0]) + ["#include <stdlib.h>"]
    for n, source in enumerate(sources):
        macros = re.findall(r"^ *# *define (?!LL_)(\w+)", source.read_text(),
                            re.M)
        lines += [f'namespace n{n} {{\n#include "{source}"\n}}',
                  *(f"#undef {macro}" for macro in dict.fromkeys(macros))]
    calls = (f"case {n}: return n{n}::main();" for n in range(len(sources)))
    path.write_text("\n".join([
        *lines, "int main(int, char **argv) {", "switch (atoi(argv[1])) {",
        *calls, "}", "return 99;", "}", ""]))
    return path


def prelude(source):
    """What a source includes, and what it defines for that."""
    return re.findall(r"^ *(# *(?:include|define LL_).*)", source.read_text(),
                      re.M)


def programs(folder, sources):
    """What emucc says of sources, each with its flags, and the command that
    runs its program. Half of the time goes into the headers, so those that
    include the same are one program first, and each is one if that fails."""
    groups = {}
    for source, flags in sources:
        groups.setdefault((*prelude(source), *flags, source.suffix), []).append(
            (source, flags))
    for number, group in enumerate(groups.values()):
        source, flags = group[0]
        if len(group) > 1:
            one = joined([s for s, _ in group],
                         folder / f"joined{number}{source.suffix}")
            if not run(*EMUCC, *flags, one, "-o", one.with_suffix(""))[0]:
                yield from ((s, "", [one.with_suffix(""), n])
                            for n, (s, _) in enumerate(group))
                continue
        for source, flags in group:
            code, out, said = run(*EMUCC, *flags, source, "-o",
                                  source.with_suffix(""))
            yield (source, (out + said or "it fails") if code else "",
                   [source.with_suffix("")])


def emulated(folder, sources):
    """What is wrong with sources, each with its flags, on the emulator."""
    for source, said, command in programs(folder, sources):
        if said:
            yield f"{source.name}: emucc: {said[:1000]}"
            continue
        code, out, said = run(*command)
        if code or out.strip() != "0 wrong":
            yield f"{source.name}: {(out + said)[:1000]}"


def compiled(folder, sources, tool, *flags):
    """What a compiler says of sources: of one program of all first, as half of
    the time goes into the headers, and of each if that fails."""
    groups = {}
    for source in sources:
        groups.setdefault(tuple(prelude(source)), []).append(source)
    for number, group in enumerate(groups.values()):
        one = group[0] if len(group) == 1 else joined(
            group, folder / f"{pathlib.Path(tool).name}{number}{group[0].suffix}")
        command = [tool, *flags, "-std=c++17", f"-I{ROOT}", "-o", os.devnull]
        if run(*command, one)[0]:
            for source in group:
                code, out, said = run(*command, source)
                if code:
                    yield f"{source.name}: {tool}: {(out + said)[:1000]}"


def by_compilers(folder):
    """What the vendors' compilers say of all sources, if they are there."""
    for name, flags in FLAGS.items():
        tool = shutil.which(os.environ.get(name.upper()) or name)
        if tool:
            yield from compiled(folder, FOR_COMPILERS[name], tool, *flags)
        FOR_COMPILERS[name].clear()


def faults(folder, sources, name, graph, arguments, main, body=None):
    """What is wrong with the kernel of one graph, whose program joins those
    that are emulated."""
    (folder / f"{name}.txt").write_text(graph)
    code, kernel, said = run(folder / "engine", folder / f"{name}.txt")
    kernel = filled(kernel, body)
    if code:
        yield f"{name}: {said}"
        return
    source = folder / f"{name}.cu"
    text = kernel + "enum { THREADS = 128 };"
    if arguments:
        text += MAP % (4, "FLOAT32") * ("map_of" in arguments) + MAIN % (arguments, main)
    source.write_text(text)
    FOR_COMPILERS["nvcc"].append(source)
    if arguments:
        sources.append((source, []))


def hip_faults(folder, sources, name, arguments, main, body=None):
    """What is wrong with the kernel of one graph for 64 lanes."""
    code, kernel, said = run(folder / "engine", folder / f"{name}.txt",
                             "--gfx=90a", "--lanes=64")
    kernel = filled(kernel, body)
    source = folder / f"{name}.hip"
    text = kernel + "enum { THREADS = 256 };" + MAIN % (arguments, main)
    source.write_text(text.replace("cudaMem", "hipMem").replace("cudaMalloc",
                                                                "hipMalloc"))
    if code:
        yield f"{name}: HIP: {said}"
        return
    FOR_COMPILERS["hipcc"].append(source)
    if name in EMULATED_AS_HIP:
        sources.append((source, ["-W64", "-DEMU_GFX=0x90a"]))


def texts_and_options(folder):
    """What is wrong with kernels that are read, not run, and with sentences
    about the command line."""
    for graph, options, has, lacks in TEXTS:
        (folder / "text.txt").write_text(graph)
        code, out, said = run(folder / "engine", folder / "text.txt", *options)
        found = [t for t in has if t not in out] + [t for t in lacks if t in out]
        if code or found:
            yield f"the kernel of {graph!r}: {found} {said}{out}"
    for options, sentence in OPTIONS:
        code, out, said = run(folder / "engine", folder / "text.txt", *options)
        if code != 1 or sentence not in said or out:
            yield f"{options} give {code}: {said}{out[:200]}"
    for options, status in ([], 1), (["--help"], 0):
        code, out, said = run(folder / "engine", *options)
        if code != status or not (out + said).startswith("usage: engine GRAPH"):
            yield f"{options} give {code}: {said}{out}"
    piped = subprocess.run([folder / "engine", "-"], input=TEXTS[0][0], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    (folder / "text.txt").write_text(TEXTS[0][0])
    if piped.returncode or piped.stdout != run(folder / "engine",
                                               folder / "text.txt")[1]:
        yield f"- gives {piped.returncode}: {piped.stderr}{piped.stdout}"
    for path, sentence in (folder, "cannot read"), (folder / "none", "cannot open"):
        code, out, said = run(folder / "engine", path)
        if code != 1 or not said.startswith(f"engine: {sentence} {path}"):
            yield f"{path} gives {code}: {said}{out}"


def left_open(folder):
    """What is wrong if a kernel is compiled with and without the functions that
    its author writes. Only the preprocessor reads it."""
    cxx = os.environ.get("CXX") or "g++"
    for graph, opened in (("x = load 8x8:16\nm = map x 8x8:32\nstore m\n", 1),
                          ("p = load 8:64\nx = load 8:32\ny = load 8:1\n"
                           "z = atomic p x y\n", 1),
                          ("x = load 8x8:32\nstore x\n", 0)):
        (folder / "open.txt").write_text(graph)
        code, kernel, said = run(folder / "engine", folder / "open.txt")
        (folder / "open.cc").write_text(kernel)
        command = [cxx, "-E", "-std=c++17", f"-I{ROOT}", "-o", os.devnull,
                   folder / "open.cc"]
        stops, _, why = run(*command)
        goes, _, why_not = run(*command, "-DFILLED_IN")
        if code or bool(stops) != bool(opened) or opened and (
                "fill in the functions" not in why) or goes:
            yield f"{graph!r} left open: {said}{why}{why_not}"


def main():
    wrong, sources = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code, out, said = run(os.environ.get("CC") or "gcc", "-std=c11", "-Og",
                              "-Wall", "-Wextra", "-Werror", "-I.",
                              "tools/engine/engine.c", "-o", folder / "engine")
        if code:
            sys.exit(f"engine.py: {said}")
        for graph in GRAPHS:
            wrong += faults(folder, sources, *graph)
            wrong += hip_faults(folder, sources, graph[0], *graph[2:])
        for graph in TILED:
            wrong += faults(folder, sources, *graph)
        wrong += by_compilers(folder)
        wrong += emulated(folder, sources)
        for bad, sentence in BAD:
            (folder / "bad.txt").write_text(bad)
            code, out, said = run(folder / "engine", folder / "bad.txt")
            if code != 1 or sentence not in said or out:
                wrong.append(f"a bad graph gives {code}: {said}{out}")
        wrong += texts_and_options(folder)
        wrong += left_open(folder)
    for what in wrong:
        print("FAIL", what)
    print(f"{2 * len(GRAPHS) + len(TILED) + len(BAD) + len(TEXTS) + len(OPTIONS) + 7 - len(wrong)} passed, {len(wrong)} failed")
    return len(wrong) != 0


if __name__ == "__main__":
    sys.exit(main())
