// loop.cu - what stays in a loop, and that nvcc unrolls it behind a tile.
// LOOPS
// TARGETS 90
//
// Where the indices of a gather are the same in all trips, addresses are
// computed once: a trip selects, stores, loads and selects. An address that
// LL_LOAD hides from nvcc in asm keeps it from unrolling the loop behind it.
#include "ll_ptx.h"

LL_LAYOUT(ROWS, ll_parse("register: j0 j1 i5 i6 i7 i8 | lane: j2 j3 i0 i1 i2 | "
                         "warp: i3 i4"));
LL_GATHER_PLAN(SHARED, ROWS, ROWS, LL_J, 32, LL_SM90);
LL_EXPECT_KIND(SHARED, LL_SHARED);
LL_LAYOUT(OWN, ll_parse("register: j0 j1 i7 i8 | lane: i0 i1 i2 i3 i4 | "
                        "warp: i5 i6"));
LL_GATHER_PLAN(REGISTERS, OWN, OWN, LL_J, 32, LL_SM90);
LL_EXPECT_KIND(REGISTERS, LL_REGISTERS);

// LOOP same_indices: 210 instructions in PTX
extern "C" __global__ void __launch_bounds__(128)
    same_indices(unsigned *x, const unsigned *index, unsigned trips) {
    extern __shared__ __align__(16) unsigned char smem[];
    unsigned a[LL_REGS(ROWS)], idx[LL_REGS(ROWS)];
    LL_LOAD(a, ROWS, x, 16);
    LL_LOAD(idx, ROWS, index, 16);
    for (unsigned k = 0; k < trips; ++k) {
        unsigned b[LL_REGS(ROWS)];
        LL_GATHER(b, a, idx, SHARED, smem);
        LL_UNROLL for (unsigned r = 0; r < LL_REGS(ROWS); ++r) { a[r] = b[r]; }
        __syncwarp();
    }
    LL_STORE(a, ROWS, x, 16);
}

// CHECK-LABEL:     .entry behind_a_tile(
// CHECK-COUNT-192: selp
extern "C" __global__ void __launch_bounds__(128)
    behind_a_tile(unsigned *dst, const unsigned *src, const unsigned *index,
                  unsigned trips) {
    unsigned a[LL_REGS(OWN)], idx[LL_REGS(OWN)];
    LL_LOAD(a, OWN, src + blockIdx.x * 2048u, 4);
    LL_UNROLL for (unsigned r = 0; r < LL_REGS(OWN); ++r) {
        idx[r] = index[r * LL_THREADS(OWN) + threadIdx.x];
    }
    for (unsigned k = 0; k < trips; ++k) {
        unsigned b[LL_REGS(OWN)];
        LL_GATHER(b, a, idx, REGISTERS, 0);
        LL_UNROLL for (unsigned r = 0; r < LL_REGS(OWN); ++r) { a[r] = b[r]; }
    }
    LL_STORE(a, OWN, dst + blockIdx.x * 2048u, 4);
}
