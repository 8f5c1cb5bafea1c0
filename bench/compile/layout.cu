// layout.cu - the transpose of compile/hand.cu, written with layouts
// SPDX-License-Identifier: MIT
#include "ll_ptx.h"

__global__ void __launch_bounds__(256)
    by_layout(unsigned *dst, const unsigned *src, unsigned m, unsigned n) {
    LL_LAYOUT(ROWS, ll_parse("register: j0 j1 i0 i1 | lane: j2 j3 j4 j5 i2 | "
                             "warp: i3 i4 i5"));
    LL_LAYOUT(TURNED, ll_trans(LL_GET(ROWS), "j i"));
    LL_PLAN(TURN, ROWS, TURNED, 32, LL_SM90);
    LL_EXPECT_NO_CONFLICTS(TURN);

    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    unsigned a[LL_REGS(ROWS)], b[LL_REGS(ROWS)];
    const unsigned i = blockIdx.y * 64, j = blockIdx.x * 64;
    LL_LOAD(a, ROWS, src + (size_t)i * n + j, n, m - i, n - j);
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE(b, ROWS, dst + (size_t)j * m + i, m, n - j, m - i);
}
