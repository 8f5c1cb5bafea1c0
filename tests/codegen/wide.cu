// wide.cu - accesses of 32 bytes where they are asked for, and there.
// TARGETS 100 120
#include "ll_ptx.h"

LL_LAYOUT(ROWS, LL_ROWS(.rows = 64, .cols = 64, .bytes = 2, .access = 32));
LL_LAYOUT(NARROW, ll_rows(64, 64, 2));

extern "C" __global__ void wide(unsigned short *dst, const unsigned short *src,
                                unsigned ld, unsigned rows, unsigned cols) {
    unsigned short a[LL_REGS(ROWS)];
    LL_LOAD_BY(a, ROWS, LL_WIDE, src, ld, rows, cols);
    LL_STORE_BY(a, ROWS, LL_WIDE, dst, ld, rows, cols);
}
// CHECK-LABEL: .entry wide(
// CHECK-COUNT-2:  @p ld.global.v8.b32
// CHECK-NOT:      ld.global
// CHECK-COUNT-2:  @p st.global.v8.b32
// CHECK-NOT:      st.global
// CHECK:          ret;

// Both hints in one access.
extern "C" __global__ void both(unsigned short *dst, const unsigned short *src,
                                unsigned ld) {
    unsigned short a[LL_REGS(ROWS)];
    LL_LOAD_BY(a, ROWS, LL_WIDE | LL_STREAM, src, ld);
    LL_STORE_BY(a, ROWS, LL_WIDE | LL_STREAM, dst, ld);
}
// CHECK-LABEL: .entry both(
// CHECK-COUNT-2:  ld.global.L1::no_allocate.v8.b32
// CHECK-NOT:      ld.global
// CHECK-COUNT-2:  st.global.L1::no_allocate.v8.b32
// CHECK-NOT:      st.global
// CHECK:          ret;

// Nobody asked: a pointer may be a multiple of 16 bytes only.
extern "C" __global__ void plain(unsigned short *dst, const unsigned short *src,
                                 unsigned ld) {
    unsigned short a[LL_REGS(ROWS)];
    LL_LOAD(a, ROWS, src, ld);
    LL_STORE_BY(a, ROWS, LL_STREAM, dst, ld);
}
// CHECK-LABEL: .entry plain(
// CHECK-COUNT-4:  ld.global.v4.u32
// CHECK-NOT:      ld.global
// CHECK-COUNT-4:  st.global.L1::no_allocate.v4.u32
// CHECK-NOT:      st.global
// CHECK:          ret;

// The layout has 16 bytes.
extern "C" __global__ void narrow(unsigned short *dst,
                                  const unsigned short *src, unsigned ld) {
    unsigned short a[LL_REGS(NARROW)];
    LL_LOAD_BY(a, NARROW, LL_WIDE, src, ld);
    LL_STORE_BY(a, NARROW, LL_WIDE, dst, ld);
}
// CHECK-LABEL: .entry narrow(
// CHECK-COUNT-4:  ld.global.v4.u32
// CHECK-NOT:      ld.global
// CHECK-COUNT-4:  st.global.v4.u32
// CHECK-NOT:      st.global
// CHECK:          ret;
