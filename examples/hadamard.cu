/* hadamard.cu - how are long butterflies split between registers and trips?
 * SPDX-License-Identifier: MIT
 *
 * A Hadamard transform of 2^k numbers adds and subtracts pairs that differ in
 * one bit of their index, for each of the k bits. A lane holds 64 numbers, six
 * bits, and does those in its registers. Then LL_CONVERT moves the numbers so
 * that other bits are those of registers. Three layouts do up to 2^15:
 *   FIRST   bits 0 to 2, so that loads have 16 bytes, and those that make 4 KiB
 *           in a row a warp's
 *   SECOND  the bits that were those of the lanes, so that no warp waits
 *   LAST    what is left, and bits 0 to 2 again, already done, so that stores
 *           have 16 bytes: the way back costs no trip of its own
 * All sums are of 32 bits.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/hadamard.cu -o hadamard
 *        or, without a GPU, tests/emu/emucc -I. examples/hadamard.cu -o ..
 */
#include "rows.h"

/* Layouts of rows end to end: a letter for each bit of the index, from the
 * lowest on, says if it is one of the register, lane or warp. Bit 11 is where
 * 2^15 differ: it waits for the second layout. */
LL_FN const char *bits_of(unsigned k, unsigned which) {
    const char *const text[5][3] = {
        {"rrrlllllrrrwwww", "rllrrrrrlllwwww", "rrrlllllrrrwwww"},
        {"rrrlllllrrrwwww", "rllrrrrrlllwwww", "rrrlllllwrrrwww"},
        {"rrrlllllrrrwwww", "rllrrrrrlllwwww", "rrrlllllwwrrrww"},
        {"rrrlllllrrrwwww", "rllrrrrrlllwwww", "rrrlllllwwwrrrw"},
        {"rrrlllllrrrwwww", "lllrrrrrllwrwww", "rrrlllllwwwwrrr"}};
    return text[k < 12 ? 0 : k - 11][which];
}

/* The layout of 2048 numbers for each of some warps. */
LL_FN ll_layout layout_of(unsigned k, unsigned which, unsigned warps) {
    const char *const bits = bits_of(k, which);
    ll_layout a = ll_identity(1, LL_REGISTER, LL_J);
    for (unsigned b = 0; 1u << b < 2048 * warps; ++b) {
        a = ll_mul(a, ll_identity(2,
                                  bits[b] == 'r'   ? LL_REGISTER
                                  : bits[b] == 'l' ? LL_LANE
                                                   : LL_WARP,
                                  LL_J));
    }
    return a;
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

/* The warps of a block: those of a row, `tall` times. */
LL_FN unsigned warps_of(unsigned k, unsigned tall) {
    return (k < 11 ? 1 : 1u << (k - 11)) * tall;
}

/* dst becomes the Hadamard transform of each row of src, times `scale`. Each
 * block has the rows that its warps hold. A row of 2^15 takes a multiprocessor:
 * its block goes from row to row, and loads the next one in the meantime. */
template <class T, unsigned K, unsigned TALL>
__global__ void __launch_bounds__(32 * warps_of(K, TALL),
                                  16 / warps_of(K, TALL))
    hadamard(T *dst, const T *src, float scale, unsigned count) {
    constexpr unsigned warps = warps_of(K, TALL);
    LL_LAYOUT(FIRST, layout_of(K, 0, warps));
    LL_LAYOUT(SECOND, layout_of(K, 1, warps));
    LL_LAYOUT(LAST, layout_of(K, 2, warps));
    LL_PLAN(TRIP, FIRST, SECOND, 32, LL_SM90);
    LL_PLAN(LAST_TRIP, SECOND, LAST, 32, LL_SM90);
    constexpr bool ahead = K == 15;
    constexpr unsigned all = (1u << K) - 1;
    constexpr unsigned first = index_bits(LL_GET(FIRST)) & all;
    constexpr unsigned second = index_bits(LL_GET(SECOND)) & all & ~first;
    constexpr unsigned last = all & ~(first | second);
    constexpr bool alone = LL_GET(LAST_TRIP).step[2].op == LL_OP_SYNC_WARP;
    extern __shared__ __align__(16) unsigned char smem[];
    unsigned words[32], out[32];
    float a[64], b[64];
    unsigned x = blockIdx.x;
    LL_LOAD_BY(words, FIRST, LL_STREAM, src + (size_t)x * warps * 2048, 0);
    for (;;) {
        const size_t at = (size_t)x * warps * 2048;
        LL_EACH(r, FIRST) { a[r] = number<T>(words, r); }
        x += gridDim.x;
        if (ahead && x < count) {
            LL_LOAD_BY(words, FIRST, LL_STREAM, src + (size_t)x * warps * 2048,
                       0);
        }
        butterflies<register_bits(LL_GET(FIRST), first)>(a);
        LL_CONVERT(b, a, TRIP, smem);
        butterflies<register_bits(LL_GET(SECOND), second)>(b);
        alone ? __syncwarp() : LL_SYNC();
        LL_CONVERT(a, b, LAST_TRIP, smem);
        butterflies<register_bits(LL_GET(LAST), last)>(a);
        put_numbers<T>(out, [&](unsigned r) { return a[r] * scale; });
        LL_STORE_BY(out, LAST, LL_STREAM, dst + at, 0);
        if (!ahead || x >= count) {
            break;
        }
        LL_SYNC();
    }
}

/* Returns null, or a sentence. */
template <class T, unsigned K, unsigned TALL>
const char *hadamard_by(T *dst, const T *src, unsigned rows, float scale) {
    constexpr unsigned warps = warps_of(K, TALL), each = warps * 2048;
    const size_t all = (size_t)rows << K;
    if (!all || all % each || all / each >= 1u << 31) {
        return "rows are a multiple of those of a block, and at least one";
    }
    const unsigned count = (unsigned)(all / each);
    unsigned blocks;
    return launch_some(&blocks, warps * 8192, K == 15, hadamard<T, K, TALL>,
                       count, 32 * warps, 1, dst, src, scale, count);
}

#ifndef LL_NO_MAIN

template <class T, unsigned K, unsigned TALL>
unsigned check(unsigned rows) {
    const unsigned n = 1u << K;
    const table<T> src(rows, n, K, -1, 1);
    table<T> dst(rows, n);
    numbers x(n);
    unsigned wrong = 0;
    MUST(hadamard_by<T, K, TALL>(dst.device, src.device, rows, 0.125f));
    dst.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            x[j] = src.at(i, j) / 8;
        }
        hadamard_by_hand(x);
        wrong += wrong_in_row(dst, i, x, 5e-3, 1e-4);
    }
    printf("%2u rows of %5u: %u wrong\n", rows, n, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 8, 1>(8) + check<f16, 9, 2>(8);
    wrong += check<bf16, 10, 1>(2) + check<bf16, 11, 2>(2);
    wrong += check<bf16, 12, 1>(1) + check<f16, 13, 1>(1);
    wrong += check<bf16, 14, 1>(1) + check<bf16, 15, 1>(9);
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}

#endif
