/* transpose.hip - how does LDS turn a tile whose elements are small?
 * SPDX-License-Identifier: MIT
 *
 * Both matrices are accessed 16 bytes to a lane, along their rows. Elements of
 * 1 or 2 bytes that are neighbours in a register are in different rows of the
 * result, so somebody has to take words apart. Two ways:
 *   - A lane loads 16 bytes of each of 4 rows. Then all accesses to LDS have 16
 *     bytes as well, and byte permutes in registers do the rest.
 *   - gfx950 has reads of LDS that transpose 1- and 2-byte elements between
 *     lanes. If the lanes that take part stand below each other in the result,
 *     the plan finds them, and no lane moves a byte.
 * Which memory layout has no bank conflicts is another matter for each target,
 * for its own banks and phases. The plan finds it, or this does not compile.
 *
 * Build: hipcc -std=c++17 -O3 --offload-arch=gfx942 -I. \
 *            examples/kernels/move/transpose.hip
 *        nvcc -x cu -std=c++17 -O3 -arch=sm_90 -I. ..
 *        or, without a GPU, tools/emulator/emucc -W64 -DEMU_GFX=0x942 -I. ..
 */
#include "../hip.h"

#if defined(__gfx950__) || EMU_GFX == 0x950
enum : unsigned { TURNS = 1 };
#else
enum : unsigned { TURNS = 0 };
#endif
enum : unsigned { THREADS = 256, WARPS = THREADS / LANES };

/* A tile: 64 x 64 elements of 4 bytes, 128 x 128 of 1 or 2 bytes. */
LL_FN unsigned side_of(unsigned bytes) { return bytes < 4 ? 128 : 64; }

LL_FN ll_layout rows_of(unsigned bytes, unsigned high) {
    return LL_ROWS(.rows = side_of(bytes), .cols = side_of(bytes),
                   .bytes = bytes, .height = high, .lanes = LANES,
                   .warps = WARPS);
}

/* The same with as many lanes below each other as a transposing read has. */
LL_FN ll_layout below(unsigned bytes) {
    const unsigned side = side_of(bytes), wide = 16 / bytes, low = 8 / bytes;
    const unsigned across = side / wide, rest = LANES / low / across;
    ll_layout a = ll_mul(ll_identity(wide, LL_REGISTER, LL_J),
                         ll_identity(low, LL_LANE, LL_I));
    a = ll_mul(a, ll_identity(across, LL_LANE, LL_J));
    a = ll_mul(a, ll_identity(rest, LL_LANE, LL_I));
    a = ll_mul(a, ll_identity(WARPS, LL_WARP, LL_I));
    return ll_mul(a, ll_identity(side / (low * rest * WARPS), LL_REGISTER,
                                 LL_I));
}

/* dst, n x m, becomes the transpose of src, m x n. All rows of src start at
 * multiples of 16 bytes. */
template <class T>
__global__ void __launch_bounds__(THREADS)
    transpose(T *dst, const T *src, unsigned m, unsigned n) {
    constexpr unsigned bytes = sizeof(T), side = side_of(bytes);
    constexpr bool turns = TURNS && bytes < 4;
    LL_LAYOUT(IN, rows_of(bytes, turns ? 1 : 4));
    LL_LAYOUT(OUT, turns ? below(bytes) : rows_of(bytes, 4));
    LL_LAYOUT(TURNED, ll_trans(LL_GET(OUT), "j i"));
    LL_PLAN(TURN, IN, TURNED, 8 * bytes, TARGET);
    LL_EXPECT_NO_CONFLICTS(TURN);
    __shared__ ALIGNED unsigned char smem[LL_SMEM_BYTES(TURN)];
    unsigned a[LL_WORDS(IN, 8 * bytes)], b[LL_WORDS(OUT, 8 * bytes)];
    const size_t i = blockIdx.y * side, j = blockIdx.x * side;
    const unsigned high = m - i < side ? m - i : side;
    const unsigned wide = n - j < side ? n - j : side;
    LL_LOAD(a, IN, src + i * n + j, n, high, wide);
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE(b, OUT, dst + j * m + i, m, wide, high);
}

#ifndef LL_NO_MAIN

/* Turns a matrix and returns how many elements are wrong. */
template <class T> unsigned check(unsigned m, unsigned n) {
    const unsigned side = side_of(sizeof(T));
    const dim3 grid((n + side - 1) / side, (m + side - 1) / side);
    const table<T> src(m, n, 1, 0, 256);
    table<T> dst(n, m);
    unsigned wrong = 0;
    const float ms = timed([&] {
        transpose<<<grid, THREADS>>>(dst.device, src.device, m, n);
    });
    dst.fetch();
    for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            wrong += dst.at(j, i) != src.at(i, j);
        }
    }
    printf("%u x %u of %u bytes", m, n, (unsigned)sizeof(T));
    if (on_gpu()) {
        printf(", %.0f GB/s", 2e-6 * sizeof(T) * m * n / ms);
    }
#if LL_EMULATE
    printf(", %d bank conflicts", (int)(emu_wavefronts("") - emu_ideal("")));
    wrong += emu_wavefronts("") != emu_ideal("");
#endif
    printf(": %u wrong\n", wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<unsigned>(68, 132) + check<unsigned>(64, 128);
    wrong += check<unsigned short>(136, 264) + check<unsigned char>(272, 144);
    wrong += on_gpu() ? check<unsigned short>(8192, 8192) : 0;
    return verdict(wrong);
}

#endif
