// index.cu - what applying a constant layout to a run-time number costs.
#include "ll_ptx.h"

// The swizzle of 128-byte rows: 16-byte groups of a row move by the row.
LL_LAYOUT(SWIZZLE, ll_parse(
    "lane: offset0 offset1 offset2 offset3 offset4 | warp: offset5 offset6 "
    "offset7^offset4 offset8^offset5 offset9^offset6 offset10 offset11"));
extern "C" __global__ void swizzle_128b(unsigned *y) {
    *y = LL_AT(SWIZZLE, LL_OFFSET, 0);
}
// ARITHMETIC swizzle_128b: 4 in PTX, 3 in sm_90

// The accumulator of mma.m16n8, in row-major memory of 8 columns.
LL_LAYOUT(ACCUMULATOR, ll_parse(
    "register: offset0 offset6 | "
    "lane: offset1 offset2 offset3 offset4 offset5"));
extern "C" __global__ void accumulator(unsigned *y) {
    LL_EACH(r, ACCUMULATOR) {
        y[r] = LL_AT(ACCUMULATOR, LL_OFFSET, r);
    }
}
// ARITHMETIC accumulator: 6 in PTX, 6 in sm_90

// A dense triangle of 8 x 8.
LL_LAYOUT(TRIANGLE, ll_parse(
    "lane: i0 i1^i0 i2^i1^i0 i3^i2^i1^i0 i4^i3^i2^i1^i0 | "
    "warp: i5^i4^i3^i2^i1^i0 i6^i5^i4^i3^i2^i1^i0 "
    "i7^i6^i5^i4^i3^i2^i1^i0"));
extern "C" __global__ void triangle(unsigned *y) {
    *y = LL_AT(TRIANGLE, LL_I, 0);
}
// ARITHMETIC triangle: 23 in PTX, 18 in sm_90

// CHECK: ret;

// An axis of size 1 behind 32 bits: no shift by 32.
LL_LAYOUT(ONE, ll_parse("register: j0 | lane: j1 j2 j3 j4 j31 -> "
                        "j=4294967296 | i=1"));
extern "C" __global__ void behind_32_bits(unsigned *y) {
    y[0] = LL_AT(ONE, LL_I, threadIdx.x);
    y[1] = LL_AT(ONE, LL_J, 1);
}

// No bit of a row number is in both a thread and a register: rows of two
// registers differ by a literal.
LL_LAYOUT(FAR, LL_ROWS(.rows = 32, .cols = 64, .height = 4));
extern "C" __global__ void differences(unsigned *y) {
    LL_EACH(r, FAR) {
        y[r] = LL_AT(FAR, LL_I, r) - LL_AT(FAR, LL_I, 0);
    }
}
// ARITHMETIC differences: 0 in PTX, 0 in sm_90
