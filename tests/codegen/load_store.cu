// load_store.cu - the moves by themselves: widths, masks, copies.
#include "ll_ptx.h"

LL_LAYOUT(ROWS, ll_rows(64, 64, 2));
LL_LAYOUT(PAIRS, ll_parse("register: j0 j3 | lane: j1 j2 i0 i1 i2 -> 8x16"));
LL_LAYOUT(COPIES, ll_parse("register: j0 j1 0 | lane: j2 j3 j4 i0 0 -> 2x32"));

// Masked at ragged edges: a predicate for each access, no branch.
extern "C" __global__ void masked(unsigned short *dst,
                                  const unsigned short *src, unsigned ld,
                                  unsigned rows, unsigned cols) {
    unsigned short a[LL_REGS(ROWS)];
    LL_LOAD(a, ROWS, src, ld, rows, cols);
    LL_STORE(a, ROWS, dst, ld, rows, cols);
}
// CHECK-LABEL: .entry masked(
// CHECK-COUNT-4:  @p ld.global.v4.u32
// CHECK-NOT:      ld.global
// CHECK-COUNT-4:  @p st.global.v4.u32
// CHECK-NOT:      st.global
// CHECK:          ret;

// Used once; where LL_WIDE finds no accesses of 32 bytes it has those of 16.
LL_LAYOUT(WIDE, LL_ROWS(.rows = 64, .cols = 64, .bytes = 2, .access = 32));
extern "C" __global__ void streamed(unsigned short *dst,
                                    const unsigned short *src, unsigned ld) {
    unsigned short a[LL_REGS(WIDE)];
    LL_LOAD_BY(a, WIDE, LL_STREAM | LL_WIDE, src, ld);
    LL_STORE_BY(a, WIDE, LL_STREAM, dst, ld);
}
// CHECK-LABEL: .entry streamed(
// CHECK-COUNT-4:  ld.global.L1::no_allocate.v4.u32
// CHECK-NOT:      ld.global
// CHECK-COUNT-4:  st.global.L1::no_allocate.v4.u32
// CHECK-NOT:      st.global
// CHECK:          ret;

// Two elements lie side by side: accesses of 4 bytes.
extern "C" __global__ void pairs(unsigned short *dst,
                                 const unsigned short *src, unsigned ld) {
    unsigned short a[LL_REGS(PAIRS)];
    LL_LOAD(a, PAIRS, src, ld);
    LL_STORE(a, PAIRS, dst, ld);
}
// CHECK-LABEL: .entry pairs(
// CHECK-COUNT-2:  ld.global.u32
// CHECK-NOT:      ld.global
// CHECK-COUNT-2:  st.global.u32
// CHECK-NOT:      st.global
// CHECK:          ret;

// What is held twice is loaded once by each lane, and stored by one lane.
extern "C" __global__ void copies(float *dst, const float *src) {
    float a[LL_REGS(COPIES)];
    LL_LOAD(a, COPIES, src, 32);
    LL_STORE(a, COPIES, dst, 32);
}
// CHECK-LABEL: .entry copies(
// CHECK-COUNT-1:  ld.global.v4.u32
// CHECK-NOT:      ld.global
// CHECK:          and.b32 {{.*}}, 16;
// CHECK-COUNT-1:  st.global.v4.u32
// CHECK-NOT:      st.global
// CHECK:          ret;

// The halves of a conversion: nothing but shared memory between them.
LL_LAYOUT(TURNED, ll_trans(LL_GET(ROWS), "j i"));
LL_PLAN(TURN, ROWS, TURNED, 16, LL_SM75);
extern "C" __global__ void halves(unsigned short *dst,
                                  const unsigned short *src) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    unsigned short a[LL_REGS(ROWS)];
    LL_LOAD(a, ROWS, src, 64);
    LL_STORE_SHARED(a, TURN, smem);
    __syncthreads();
    LL_LOAD_SHARED(a, TURN, smem);
    LL_STORE(a, ROWS, dst, 64);
}
// CHECK-LABEL: .entry halves(
// CHECK-COUNT-4:  st.shared.v4.u32
// CHECK-NOT:      st.shared
// CHECK:          bar.sync
// CHECK-NOT:      {{bar|st.shared}}
// CHECK-COUNT-4:  ldmatrix.sync.aligned.m8n8.x4.trans
// CHECK-NOT:      {{ldmatrix|ld.shared}}
// CHECK:          ret;
