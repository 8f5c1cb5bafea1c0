/* hadamard.cu - how are long butterflies split between registers and trips?
 * SPDX-License-Identifier: MIT
 *
 * A Hadamard transform of 2^k numbers adds and subtracts pairs that differ in
 * one bit of their index, for each of the k bits. A lane holds 64 numbers, six
 * bits, and does those six in its registers. Then LL_CONVERT moves the numbers
 * so that other bits are registers. Three layouts do up to 2^15:
 *   FIRST   bits 0 to 2, so that loads have 16 bytes, and the three top ones
 *   SECOND  the bits of the lanes of the first, so that no warp waits
 *   LAST    what is left, and bits 0 to 2 again, already done, so that stores
 *           have 16 bytes: the way back costs no trip of its own
 * Up to 2^9, LAST follows FIRST at once. All sums are of 32 bits.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/hadamard.cu -o hadamard
 *        or, without a GPU, tests/emu/emucc -I. examples/hadamard.cu -o ..
 */
#include "rows.h"

/* Which bits of the index are bits of the register, in each layout. */
LL_FN unsigned first_bits(unsigned k) { return 7u | 7u << (k - 3); }
LL_FN unsigned second_bits(unsigned k) {
    return k < 10 ? first_bits(k) : k < 15 ? 1u | 31u << 3 : 63u << 3;
}
LL_FN unsigned last_bits(unsigned k) {
    unsigned left = ((1u << k) - 1) & ~(first_bits(k) | second_bits(k));
    unsigned bits = 7u | left, n = 3;
    for (; left; left &= left - 1) {
        ++n;
    }
    for (unsigned b = k; n < 6; ++n) { /* of those done, the top ones */
        for (--b; bits >> b & 1; --b) {
        }
        bits |= 1u << b;
    }
    return bits;
}

/* The layout of rows of 2^k with these register bits, the bits of the warps
 * from 8 on in `warps`, and further rows on lanes and warps that are left. */
LL_FN ll_layout bits_layout(unsigned k, unsigned regs, unsigned warps,
                            unsigned tall) {
    const unsigned all = (1u << k) - 1, part[3] = {regs, all & ~regs & ~warps,
                                                   warps};
    const ll_dim dim[3] = {LL_REGISTER, LL_LANE, LL_WARP};
    ll_shape in = ll_shape_of("");
    for (unsigned d = 0; d < 3; ++d) {
        unsigned n = 0;
        for (unsigned left = part[d]; left; left &= left - 1) {
            ++n;
        }
        in = ll_with(in, dim[d], 1u << n);
    }
    ll_layout a = ll_zero(in, ll_with(ll_shape_of(""), LL_J, 1u << k));
    for (unsigned d = 0, n = 0; d < 3; ++d) {
        for (unsigned b = 0; b < k; ++b) {
            if (part[d] >> b & 1) {
                a.basis[n++] = 1u << b;
            }
        }
    }
    const unsigned lanes = k < 11 ? 1u << (11 - k) : 1;
    a = ll_mul(a, ll_identity(lanes, LL_LANE, LL_I));
    return ll_mul(a, ll_identity(tall, LL_WARP, LL_I));
}

LL_FN ll_layout first_of(unsigned k, unsigned tall) {
    const unsigned warps = k > 11 ? ((1u << (k - 11)) - 1) << 8 : 0;
    return bits_layout(k, first_bits(k), warps, tall);
}
LL_FN ll_layout second_of(unsigned k, unsigned tall) {
    const unsigned warps = k > 11 ? ((1u << (k - 11)) - 1) << 8 : 0;
    return bits_layout(k, second_bits(k), k == 15 ? 15u << 9 : warps, tall);
}
LL_FN ll_layout last_of(unsigned k, unsigned tall) {
    const unsigned here = 31u << 3 | last_bits(k), all = (1u << k) - 1;
    return bits_layout(k, last_bits(k), k > 11 ? all & ~here : 0, tall);
}

/* Returns the bits of the register whose bit of the index is in `todo`. */
LL_FN unsigned among(ll_layout a, unsigned todo) {
    unsigned bits = 0;
    for (unsigned b = 0; b < 6; ++b) {
        bits |= (a.basis[b] & todo) != 0 ? 1u << b : 0u;
    }
    return bits;
}

/* Does the butterflies of the index bits TODO, register bits of LAYOUT. */
template <class LAYOUT, unsigned TODO>
__device__ void butterflies(float (&a)[64]) {
    constexpr unsigned bits = among(LL_GET(LAYOUT), TODO);
    LL_UNROLL
    for (unsigned b = 0; b < 6; ++b) {
        if (bits >> b & 1) {
            LL_UNROLL
            for (unsigned r = 0; r < 64; ++r) {
                if (!(r >> b & 1)) {
                    const float x = a[r], y = a[r | 1u << b];
                    a[r] = x + y, a[r | 1u << b] = x - y;
                }
            }
        }
    }
}

/* dst, rows x 2^K, becomes the Hadamard transform of each row of src, times
 * `scale`. rows is a multiple of those of a block. */
template <class T, unsigned K, unsigned TALL>
__global__ void __launch_bounds__((K > 11 ? 32 << (K - 11) : 32) * TALL)
    hadamard(T *dst, const T *src, float scale) {
    LL_LAYOUT(FIRST, first_of(K, TALL));
    LL_LAYOUT(SECOND, second_of(K, TALL));
    LL_LAYOUT(LAST, last_of(K, TALL));
    LL_PLAN(TRIP, FIRST, SECOND, 32, LL_SM90);
    LL_PLAN(LAST_TRIP, SECOND, LAST, 32, LL_SM90);
    constexpr unsigned n = 1u << K, tall = ll_size(LL_GET(FIRST).out, LL_I);
    constexpr unsigned left =
        (n - 1) & ~(first_bits(K) | (K < 10 ? 0 : second_bits(K)));
    extern __shared__ __align__(16) unsigned char smem[];
    const size_t at = (size_t)blockIdx.x * tall * n;
    unsigned words[32];
    float a[64], b[64];
    LL_LOAD_BY(words, FIRST, LL_STREAM, src + at, n);
    LL_EACH(r, FIRST) { a[r] = number<T>(words, r); }
    butterflies<FIRST, n - 1>(a);
    LL_CONVERT(b, a, TRIP, smem);
    if constexpr (K >= 10) {
        butterflies<SECOND, (n - 1) & ~first_bits(K)>(b);
        constexpr bool alone = LL_GET(LAST_TRIP).step[2].op == LL_OP_SYNC_WARP;
        alone ? __syncwarp() : LL_SYNC();
    }
    LL_CONVERT(a, b, LAST_TRIP, smem);
    butterflies<LAST, left>(a);
    put_numbers<T>(words, [&](unsigned r) { return a[r] * scale; });
    LL_STORE_BY(words, LAST, LL_STREAM, dst + at, n);
}

template <class T, unsigned K, unsigned TALL>
void hadamard_by(T *dst, const T *src, unsigned rows, float scale) {
    constexpr unsigned warps = (K > 11 ? 1u << (K - 11) : 1) * TALL;
    constexpr unsigned bytes = warps * 64 * 32 * 4;
    MUST(cudaFuncSetAttribute(hadamard<T, K, TALL>,
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (int)bytes));
    hadamard<T, K, TALL><<<(unsigned)(((size_t)rows << K) / (warps * 2048)),
                           32 * warps, bytes>>>(dst, src, scale);
    MUST(cudaGetLastError());
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
    wrong += check<bf16, 10, 1>(2) + check<bf16, 11, 1>(1);
    wrong += check<f16, 13, 1>(1) + check<bf16, 15, 1>(1);
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}

#endif
