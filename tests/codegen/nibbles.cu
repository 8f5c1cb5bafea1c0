// nibbles.cu - elements of 4 bits: an exchange of nibbles between words takes a
// shift and one merge a word, within words two of each.
// TARGETS 80 90a
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_parse("register: j0 j1 j2 j3 i0 | lane: j4 j5 i1 i2 i3"));
LL_LAYOUT(WORDS, ll_parse("register: j3 j1 j2 j0 i0 | lane: j4 j5 i1 i2 i3"));
LL_LAYOUT(INSIDE, ll_parse("register: j1 j0 j2 j3 i0 | lane: j4 j5 i1 i2 i3"));
LL_PLAN(BETWEEN, IN, WORDS, 4, LL_SM80);
LL_PLAN(WITHIN, IN, INSIDE, 4, LL_SM80);
LL_EXPECT_KIND(BETWEEN, LL_REGISTERS);
LL_EXPECT_KIND(WITHIN, LL_REGISTERS);

extern "C" __global__ void between(uint4 *dst, const uint4 *src) {
    const uint4 x = src[threadIdx.x];
    const unsigned a[LL_WORDS(IN, 4)] = {x.x, x.y, x.z, x.w};
    unsigned b[LL_WORDS(WORDS, 4)];
    LL_CONVERT(b, a, BETWEEN, 0);
    dst[threadIdx.x] = make_uint4(b[0], b[1], b[2], b[3]);
}

extern "C" __global__ void within(uint4 *dst, const uint4 *src) {
    const uint4 x = src[threadIdx.x];
    const unsigned a[LL_WORDS(IN, 4)] = {x.x, x.y, x.z, x.w};
    unsigned b[LL_WORDS(INSIDE, 4)];
    LL_CONVERT(b, a, WITHIN, 0);
    dst[threadIdx.x] = make_uint4(b[0], b[1], b[2], b[3]);
}

// CHECK-LABEL:   .entry between(
// CHECK-NOT:     prmt
// CHECK-COUNT-4: lop3.b32
// CHECK-NOT:     lop3
// CHECK:         ret;
// CHECK-LABEL:   .entry within(
// CHECK-NOT:     prmt
// CHECK-COUNT-8: lop3.b32
// CHECK-NOT:     lop3
// CHECK:         ret;
