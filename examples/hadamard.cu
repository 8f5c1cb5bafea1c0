/* hadamard.cu - how are long butterflies split between registers and trips?
 * SPDX-License-Identifier: MIT
 *
 * A Hadamard transform of 2^k numbers adds and subtracts pairs that differ in
 * one bit of their index, for each of the k bits. A lane holds 64 numbers, six
 * bits, and does those in its registers. Then LL_CONVERT moves the numbers so
 * that other bits are those of registers. Three layouts do up to 2^15:
 *   FIRST   bits 0 to 2, so that loads have 16 bytes, and the highest ones
 *   SECOND  the bits that were those of the lanes, so that no warp waits
 *   LAST    what is left, and bits 0 to 2 again, already done, so that stores
 *           have 16 bytes: the way back costs no trip of its own
 * A row of 2^15 lies in two blocks, which exchange halves by the last trip. All
 * sums are of 32 bits.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/hadamard.cu -o hadamard
 *        or, without a GPU, tests/emu/emucc -I. examples/hadamard.cu -o ..
 */
#include "rows.h"

#define LOW_LANES " | lane: j3 j4 j5 j6 j7"
#define LOW_REGS "register: j0 j3 j4 j5 j6 j7 | lane: j1 j2 "

/* The layouts of rows of 2^k; j is the index, i the row. */
LL_FN const char *layout_of(unsigned k, unsigned which) {
    const char *const text[8][3] = {
        {"register: j0 j1 j2 i0 i1 i2" LOW_LANES, LOW_REGS "i0 i1 i2", ""},
        {"register: j0 j1 j2 j8 i0 i1" LOW_LANES, LOW_REGS "j8 i0 i1", ""},
        {"register: j0 j1 j2 j8 j9 i0" LOW_LANES, LOW_REGS "j8 j9 i0", ""},
        {"register: j0 j1 j2 j8 j9 j10" LOW_LANES, LOW_REGS "j8 j9 j10", ""},
        {"register: j0 j1 j2 j9 j10 j11" LOW_LANES " | warp: j8",
         LOW_REGS "j9 j10 j11 | warp: j8",
         "register: j0 j1 j2 j8 j10 j11" LOW_LANES " | warp: j9"},
        {"register: j0 j1 j2 j10 j11 j12" LOW_LANES " | warp: j8 j9",
         LOW_REGS "j10 j11 j12 | warp: j8 j9",
         "register: j0 j1 j2 j8 j9 j12" LOW_LANES " | warp: j10 j11"},
        {"register: j0 j1 j2 j11 j12 j13" LOW_LANES " | warp: j8 j9 j10",
         LOW_REGS "j11 j12 j13 | warp: j8 j9 j10",
         "register: j0 j1 j2 j8 j9 j10" LOW_LANES " | warp: j11 j12 j13"},
        {"register: j0 j1 j2 j12 j13 j14" LOW_LANES
         " | warp: j8 j9 j10 | block: j11",
         "register: j3 j4 j5 j6 j7 j8 | lane: j0 j1 j2 j12 j13"
         " | warp: j9 j10 j14 | block: j11",
         "register: j0 j1 j2 j9 j10 j11" LOW_LANES
         " | warp: j8 j12 j13 | block: j14"}};
    return text[k - 8][which == 2 && k < 12 ? 0 : which];
}

/* The same with `tall` times as many rows. */
LL_FN ll_layout tall_layout(unsigned k, unsigned which, unsigned tall) {
    return ll_mul(ll_parse(layout_of(k, which)),
                  ll_identity(tall, LL_WARP, LL_I));
}

/* The bits of the index that are bits of the register. */
LL_FN unsigned index_bits(ll_layout a) {
    unsigned bits = 0;
    for (unsigned b = 0; b < 6; ++b) {
        bits |= ll_unpack(a.out, LL_J, a.basis[b]);
    }
    return bits;
}

/* Of these bits of the index, the bits of the register. */
LL_FN unsigned register_bits(ll_layout a, unsigned todo) {
    unsigned bits = 0;
    for (unsigned b = 0; b < 6; ++b) {
        bits |= ll_unpack(a.out, LL_J, a.basis[b]) & todo ? 1u << b : 0u;
    }
    return bits;
}

/* Does the butterflies of some bits of the register. */
template <unsigned BITS> __device__ void butterflies(float (&a)[64]) {
    LL_UNROLL
    for (unsigned b = 0; b < 6; ++b) {
        LL_UNROLL
        for (unsigned r = 0; r < 64; ++r) {
            if ((BITS >> b & 1) && !(r >> b & 1)) {
                const float x = a[r], y = a[r | 1u << b];
                a[r] = x + y, a[r | 1u << b] = x - y;
            }
        }
    }
}

/* dst, rows x 2^K, becomes the Hadamard transform of each row of src, times
 * `scale`. rows is a multiple of those of a block. */
template <class T, unsigned K, unsigned TALL>
__global__ void __launch_bounds__((K < 11   ? 32
                                   : K < 15 ? 32 << (K - 11)
                                            : 256) * TALL,
                                  K < 15 ? 1 : 3)
    hadamard(T *dst, const T *src, float scale) {
    LL_LAYOUT(FIRST, tall_layout(K, 0, TALL));
    LL_LAYOUT(SECOND, tall_layout(K, 1, TALL));
    LL_LAYOUT(LAST, tall_layout(K, 2, TALL));
    LL_LAYOUT(FROM, ll_resize_in(LL_GET(FIRST), LL_BLOCK, 1));
    LL_LAYOUT(TO, ll_resize_in(LL_GET(LAST), LL_BLOCK, 1));
    LL_PLAN(TRIP, FIRST, SECOND, 32, LL_SM90);
    LL_PLAN(LAST_TRIP, SECOND, LAST, 32, LL_SM90);
    constexpr unsigned n = 1u << K, tall = ll_size(LL_GET(FIRST).out, LL_I);
    constexpr unsigned first = index_bits(LL_GET(FIRST));
    constexpr unsigned second = index_bits(LL_GET(SECOND)) & ~first;
    constexpr unsigned last = (n - 1) & ~(first | second);
    extern __shared__ __align__(16) unsigned char smem[];
    const unsigned rank = K < 15 ? 0 : blockIdx.x % 2;
    const size_t at = (size_t)(K < 15 ? blockIdx.x : blockIdx.x / 2) * tall * n;
    unsigned words[32];
    float a[64], b[64];
    LL_LOAD_BY(words, FROM, LL_STREAM, src + at + (rank << 11), n);
    LL_EACH(r, FROM) { a[r] = number<T>(words, r); }
    butterflies<register_bits(LL_GET(FIRST), first)>(a);
    LL_CONVERT(b, a, TRIP, smem);
    butterflies<register_bits(LL_GET(SECOND), second)>(b);
    constexpr bool alone = LL_GET(LAST_TRIP).step[2].op == LL_OP_SYNC_WARP;
    alone ? __syncwarp() : LL_SYNC();
    LL_CONVERT(a, b, LAST_TRIP, smem);
    butterflies<register_bits(LL_GET(LAST), last)>(a);
    put_numbers<T>(words, [&](unsigned r) { return a[r] * scale; });
    LL_STORE_BY(words, TO, LL_STREAM, dst + at + (rank << 14), n);
}

template <class T, unsigned K, unsigned TALL>
void hadamard_by(T *dst, const T *src, unsigned rows, float scale) {
    constexpr unsigned blocks = K < 15 ? 1 : 2;
    constexpr unsigned warps = (K > 11 ? 1u << (K - 11) : 1) * TALL / blocks;
    constexpr unsigned bytes = warps * 64 * 32 * 4;
    launch_with(bytes, 0, hadamard<T, K, TALL>,
                (unsigned)(((size_t)rows << K) / (warps * 2048)), 32 * warps,
                blocks, dst, src, scale);
}

#ifndef LL_NO_MAIN

template <class T, unsigned K, unsigned TALL> unsigned check(unsigned rows) {
    const unsigned n = 1u << K;
    const table<T> src(rows, n, K, -1, 1);
    table<T> dst(rows, n);
    std::vector<double> x(n);
    unsigned wrong = 0;
    hadamard_by<T, K, TALL>(dst.device, src.device, rows, 0.125f);
    dst.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            x[j] = src.at(i, j) / 8;
        }
        for (unsigned bit = 1; bit < n; bit *= 2) {
            for (unsigned j = 0; j < n; ++j) {
                if (!(j & bit)) {
                    const double p = x[j], q = x[j | bit];
                    x[j] = p + q, x[j | bit] = p - q;
                }
            }
        }
        for (unsigned j = 0; j < n; ++j) {
            wrong += !(fabs(dst.at(i, j) - x[j]) <= 5e-3 * fabs(x[j]) + 1e-4);
        }
    }
    printf("%2u rows of %5u: %u wrong\n", rows, n, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 8, 1>(8) + check<f16, 9, 2>(8);
    wrong += check<bf16, 10, 1>(2) + check<bf16, 11, 2>(2);
    wrong += check<f16, 13, 1>(1) + check<bf16, 15, 1>(2);
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}

#endif
