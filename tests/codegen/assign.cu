// assign.cu - layouts that a text asks for.
// What the compiler makes of them is what it makes of the same layouts by hand.
#define LL_ENGINE
#include "ll_ptx.h"

// CHECK-LABEL: .entry turn(
// CHECK-COUNT-8: ld.global.v4.u32
// CHECK: bar.sync
// CHECK-COUNT-8: st.global.v4.u32
extern "C" __global__ void turn(float *y, const float *x) {
    LL_ASSIGN(BEST,
              "x = load 64x64:32 contiguous=1x64 align=16\n"
              "t = trans x order=1x0\n"
              "store t contiguous=1x64 align=16\n",
              4, LL_SM90);
    LL_ASSIGNED(IN, BEST, "x", 0);
    LL_ASSIGNED(MADE, BEST, "t", 0);
    LL_ASSIGNED(STORED, BEST, "t", 1);
    LL_PLAN(TURN, MADE, STORED, 32, LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    float a[LL_REGS(IN)], b[LL_REGS(STORED)];
    LL_LOAD(a, IN, x, 64);
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE(b, STORED, y, 64);
}

extern "C" __global__ void turn_by_hand(float *y, const float *x) {
    LL_LAYOUT(IN, ll_rows(64, 64, 4));
    LL_LAYOUT(MADE, ll_trans(LL_GET(IN), "j i"));
    LL_PLAN(TURN, MADE, IN, 32, LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    float a[LL_REGS(IN)], b[LL_REGS(IN)];
    LL_LOAD(a, IN, x, 64);
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE(b, IN, y, 64);
}

// k comes in the order in which a lane loads its part of a by 16 bytes.
// CHECK-LABEL: .entry operand(
// CHECK-COUNT-4: ld.global.v4.u32
// CHECK-NOT: bar.sync
// CHECK: ret;
extern "C" __global__ void operand(uint4 *y, const unsigned short *x) {
    LL_ASSIGN_BY(BEST,
                 "a = load 64x64:16 contiguous=1x64 align=16\n"
                 "b = tma_load 64x64:16 memory=\"offset: i0 i1 i2 i3 i4 i5 j0 "
                 "j1 j2 j3 j4 j5\"\n"
                 "c = dot a b by=mma\n",
                 4, LL_SM80, ll_ptx_dot);
    LL_ASSIGNED(A, BEST, "a", 0);
    static_assert(!ll_is_equal(LL_GET(A), ll_ptx_mma_a(64, 64, 16, 4)), "");
    __align__(16) unsigned short a[LL_REGS(A)];
    LL_LOAD(a, A, x, 64);
    for (unsigned k = 0; k < 4; ++k) {
        y[k] = ((const uint4 *)a)[k];
    }
}
