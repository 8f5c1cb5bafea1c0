/* matmul.cu - how does one source multiply matrices of any two types, in any
 * order, of any size, with mma.sync?
 * SPDX-License-Identifier: MIT
 *
 * C = A B. TYPE_A and TYPE_B are types of the table below, given by -D; with
 * COLS_A or COLS_B 1 that matrix lies by columns. The table gives each pair the
 * cheapest instruction that holds all numbers of both exactly:
 *
 *     s8 x s8                    s8, sums in s32
 *     among s8, e4m3, e5m2, f16  f16, sums in f32
 *     among s8, e4m3, e5m2, bf16 bf16, sums in f32
 *     f16 x bf16                 tf32, sums in f32
 *     any other pair             f64
 *
 * A block computes a tile of C. The tiles of A and B come from global memory,
 * 16 bytes a lane where rows allow it, zeros beyond the edges, while the tiles
 * before are multiplied. They pass through shared memory as they are, by plans
 * without bank conflicts, to where the instruction wants their elements; only
 * there are they widened (LL_CAST), word by word. The order of a matrix is a
 * transposed layout, and nothing else.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_80 -DTYPE_A=bf16 -DTYPE_B=s8 -I. \
 *            examples/matmul.cu -o matmul
 *        tests/emu/emucc -I. examples/matmul.cu -o matmul (no GPU)
 * Run:   matmul [m n k]
 */
#define LL_TENSOR
#include "matmul.h"
#include "ll_ptx.h"

#ifndef TYPE_A
#define TYPE_A bf16
#endif
#ifndef TYPE_B
#define TYPE_B s8
#endif
#ifndef COLS_A
#define COLS_A 0
#endif
#ifndef COLS_B
#define COLS_B 0
#endif
#ifndef TARGET
#define TARGET LL_SM80
#endif

/* ---- Types --------------------------------------------------------------- */

/* Whether the numbers of t are numbers of a wider type. */
LL_FN bool holds(type wide, type t) {
    const bool small = t == s8 || t == e4m3 || t == e5m2;
    return wide == f64 || t == wide || (small && wide != s8) ||
           (wide == f32 && (t == f16 || t == bf16));
}

/* The type in which both are multiplied; f32 stands for tf32. */
LL_FN type common(type a, type b) {
    return a == s8 && b == s8                                       ? s8
           : holds(f16, a) && holds(f16, b)                         ? f16
           : holds(bf16, a) && holds(bf16, b)                       ? bf16
           : a != f32 && b != f32 && holds(f32, a) && holds(f32, b) ? f32
                                                                    : f64;
}

constexpr type A_IS = TYPE_A, B_IS = TYPE_B, WIDE = common(A_IS, B_IS);
constexpr type C_IS = WIDE == s8 ? s32 : WIDE == f64 ? f64 : f32;
/* clang-format off */
enum : unsigned {
    BITS_A = bits_of(A_IS), BITS_B = bits_of(B_IS), BITS = bits_of(WIDE),
    MMA_M = BITS == 64 ? 8 : 16, MMA_K = 256 / BITS, /* of one instruction */
    ROWS = BITS == 64 ? 64 : 128, COLS = ROWS,
    DEPTH = BITS >= 32 ? 16 : BITS == 8 ? 64 : 32,
    THREADS = 128
};
/* clang-format on */

/* What sums are, and what an operand is made of in registers. */
template <bool IS, class A, class B> struct choose { typedef A type; };
template <class A, class B> struct choose<false, A, B> { typedef B type; };
typedef choose<WIDE == s8, int, choose<WIDE == f64, double, float>::type>::type
    sum_type;
typedef choose<WIDE == f64, double, unsigned>::type word;

/* ---- Layouts ------------------------------------------------------------- */

/* Rows in memory; 16 bytes an access, or one element. */
LL_FN ll_layout rows_of(unsigned rows, unsigned cols, unsigned bits,
                        bool aligned) {
    ll_rows_spec s = LL_ZERO;
    s.rows = rows;
    s.cols = cols;
    s.bytes = bits / 8;
    s.access = aligned ? 16 : s.bytes;
    s.warps = THREADS / 32;
    return ll_rows_of(s);
}

LL_FN ll_layout turned(ll_layout a, bool by_cols) {
    return by_cols ? ll_trans(a, "j i") : a;
}

LL_FN ll_shape tile(unsigned rows, unsigned cols) {
    const ll_shape none = LL_ZERO;
    return ll_with(ll_with(none, LL_J, cols), LL_I, rows);
}

/* The operands and the sum of two by two warps. */
LL_LAYOUT(A, ll_tiled(ll_ptx_fragment_a(MMA_M, MMA_K, BITS), tile(ROWS, DEPTH),
                      ll_shape_of("i=2 k=2")));
LL_LAYOUT(B, ll_tiled(ll_ptx_fragment_b(MMA_K, 8, BITS), tile(DEPTH, COLS),
                      ll_shape_of("k=2 j=2")));
LL_LAYOUT(C, ll_tiled(ll_ptx_fragment_c(MMA_M, 8), tile(ROWS, COLS),
                      ll_shape_of("i=2 j=2")));

/* The rows of A and B in memory, which are columns where they lie by columns,
 * and how they become operands. */
template <bool ALIGNED> struct feed {
    LL_LAYOUT(ROWS_A, COLS_A ? rows_of(DEPTH, ROWS, BITS_A, ALIGNED)
                             : rows_of(ROWS, DEPTH, BITS_A, ALIGNED));
    LL_LAYOUT(ROWS_B, COLS_B ? rows_of(COLS, DEPTH, BITS_B, ALIGNED)
                             : rows_of(DEPTH, COLS, BITS_B, ALIGNED));
    LL_LAYOUT(FROM_A, turned(LL_GET(ROWS_A), COLS_A));
    LL_LAYOUT(FROM_B, turned(LL_GET(ROWS_B), COLS_B));
    LL_PLAN(FEED_A, FROM_A, A, BITS_A, TARGET);
    LL_PLAN(FEED_B, FROM_B, B, BITS_B, TARGET);
};

/* ---- The kernel ---------------------------------------------------------- */

/* Element k of words that are packed with elements of type T, as a double. */
template <type T>
static __device__ double element(const unsigned *w, unsigned k) {
    const unsigned bits = bits_of(T), v = w[k * bits / 32] >> k * bits % 32;
    double d = 0;
    float f = 0;
    if constexpr (T == f64) {
        LL_COPY_(&d, w + 2 * k, 8);
    } else if constexpr (T == s64) {
        d = (double)(long long)((unsigned long long)w[2 * k + 1] << 32 |
                                w[2 * k]);
    } else if constexpr (T == f32) {
        LL_COPY_(&f, w + k, 4);
        d = f;
    } else {
        d = T == s16 ? (double)(short)v : (double)(int)v;
    }
    return d;
}

/* The operand of a type as that of the instruction. */
template <type T, class W, unsigned M, unsigned N>
static __device__ void widen(W (&b)[M], const unsigned (&a)[N]) {
    typedef typename choose<WIDE == f16, ll_f16, ll_bf16>::type half;
    typedef typename choose<WIDE == f64, ll_f64, half>::type wide;
    if constexpr (T == WIDE && WIDE != f64) {
        LL_UNROLL
        for (unsigned k = 0; k < M; ++k) {
            b[k] = a[k];
        }
    } else if constexpr (WIDE == f32) {
        typedef typename choose<T == f16, ll_f16, ll_bf16>::type from;
        float f[M];
        LL_CAST(f, a, ll_f32, from);
        LL_UNROLL
        for (unsigned k = 0; k < M; ++k) {
            LL_COPY_(&b[k], &f[k], 4);
        }
    } else if constexpr (T == s8) {
        LL_CAST(b, a, wide, ll_s8);
    } else if constexpr (T == e4m3) {
        LL_CAST(b, a, wide, ll_e4m3);
    } else if constexpr (T == e5m2) {
        LL_CAST(b, a, wide, ll_e5m2);
    } else if constexpr (T == f16) {
        LL_CAST(b, a, wide, ll_f16);
    } else if constexpr (T == bf16) {
        LL_CAST(b, a, wide, ll_bf16);
    } else {
        LL_UNROLL
        for (unsigned k = 0; k < M; ++k) {
            b[k] = element<T>(a, k);
        }
    }
}

static __device__ void
multiply(sum_type (&c)[LL_REGS(C)],
         const word (&a)[LL_REGS(A) * BITS / (8 * sizeof(word))],
         const word (&b)[LL_REGS(B) * BITS / (8 * sizeof(word))]) {
    if constexpr (WIDE == s8) {
        LL_MMA(c, C, a, A, b, B, 8, ll_ptx_mma_m16n8k32_s32_s8);
    } else if constexpr (WIDE == f16) {
        LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_f16);
    } else if constexpr (WIDE == bf16) {
        LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_bf16);
    } else if constexpr (WIDE == f32) {
        LL_MMA(c, C, a, A, b, B, 32, ll_ptx_mma_m16n8k8_f32_tf32);
    } else {
        LL_MMA(c, C, a, A, b, B, 64, ll_ptx_mma_m8n8k4_f64_f64);
    }
}

/* An element as LL_LOAD moves it. */
template <unsigned BITS_OF> struct raw { typedef unsigned long long type; };
template <> struct raw<8> { typedef unsigned char type; };
template <> struct raw<16> { typedef unsigned short type; };
template <> struct raw<32> { typedef unsigned type; };

static __device__ unsigned left_of(unsigned all, unsigned at, unsigned most) {
    return at >= all ? 0 : all - at < most ? all - at : most;
}

/* The tile at i, k of A, or at k, j of B: zeros beyond the edges. Of a matrix
 * by columns it is the tile at k, i of its transpose. */
#define LOAD(to, LAYOUT, src, by_cols, i, j, m, n, high, wide)                 \
    do {                                                                       \
        const unsigned y_ = (by_cols) ? (j) : (i), x_ = (by_cols) ? (i) : (j); \
        const unsigned h_ = (by_cols) ? (n) : (m), w_ = (by_cols) ? (m) : (n); \
        const unsigned high_ = (by_cols) ? (wide) : (high);                    \
        const unsigned wide_ = (by_cols) ? (high) : (wide);                    \
        LL_LOAD(to, LAYOUT, src + (unsigned long long)y_ * w_ + x_, w_,        \
                left_of(h_, y_, high_), left_of(w_, x_, wide_));               \
    } while (0)

/* C = A B, m x n. ALIGNED: rows in memory start at multiples of 16 bytes. */
template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    matmul(sum_type *c, const void *a, const void *b, unsigned m, unsigned n,
           unsigned k) {
    typedef typename feed<ALIGNED>::ROWS_A ROWS_A;
    typedef typename feed<ALIGNED>::ROWS_B ROWS_B;
    typedef typename feed<ALIGNED>::FEED_A FEED_A;
    typedef typename feed<ALIGNED>::FEED_B FEED_B;
    __shared__ __align__(16) unsigned char smem_a[LL_SMEM_BYTES(FEED_A)];
    __shared__ __align__(16) unsigned char smem_b[LL_SMEM_BYTES(FEED_B)];
    const raw<BITS_A>::type *from_a = (const raw<BITS_A>::type *)a;
    const raw<BITS_B>::type *from_b = (const raw<BITS_B>::type *)b;
    const unsigned i = blockIdx.y * ROWS, j = blockIdx.x * COLS;
    unsigned next_a[LL_WORDS(ROWS_A, BITS_A)], raw_a[LL_WORDS(A, BITS_A)];
    unsigned next_b[LL_WORDS(ROWS_B, BITS_B)], raw_b[LL_WORDS(B, BITS_B)];
    word left[LL_REGS(A) * BITS / (8 * sizeof(word))];
    word right[LL_REGS(B) * BITS / (8 * sizeof(word))];
    sum_type sum[LL_REGS(C)] = LL_ZERO;
    if (ALIGNED) {
        LOAD(next_a, ROWS_A, from_a, COLS_A, i, 0u, m, k, ROWS, DEPTH);
        LOAD(next_b, ROWS_B, from_b, COLS_B, 0u, j, k, n, DEPTH, COLS);
    }
    for (unsigned at = 0; at < k; at += DEPTH) {
        if (!ALIGNED) { /* single elements have too many addresses */
            LOAD(next_a, ROWS_A, from_a, COLS_A, i, at, m, k, ROWS, DEPTH);
            LOAD(next_b, ROWS_B, from_b, COLS_B, at, j, k, n, DEPTH, COLS);
        }
        LL_STORE_SHARED(next_a, FEED_A, smem_a);
        LL_STORE_SHARED(next_b, FEED_B, smem_b);
        __syncthreads();
        const unsigned next = at + DEPTH < k ? at + DEPTH : k;
        if (ALIGNED) { /* the next tiles come while these are multiplied */
            LOAD(next_a, ROWS_A, from_a, COLS_A, i, next, m, k, ROWS, DEPTH);
            LOAD(next_b, ROWS_B, from_b, COLS_B, next, j, k, n, DEPTH, COLS);
        }
        LL_LOAD_SHARED(raw_a, FEED_A, smem_a);
        LL_LOAD_SHARED(raw_b, FEED_B, smem_b);
        widen<A_IS>(left, raw_a);
        widen<B_IS>(right, raw_b);
        multiply(sum, left, right);
        __syncthreads();
    }
    LL_EACH(r, C) {
        const unsigned y = i + LL_AT(C, LL_I, r), x = j + LL_AT(C, LL_J, r);
        if (y < m && x < n) {
            c[(unsigned long long)y * n + x] = sum[r];
        }
    }
}

/* ---- The launcher -------------------------------------------------------- */

/* Rows of so many elements start at multiples of 16 bytes. */
static bool aligned(const void *p, unsigned elements, unsigned bits) {
    return (size_t)p % 16 == 0 && elements * (size_t)bits % 128 == 0;
}

static const char *launch(void *c, const void *a, const void *b, unsigned m,
                          unsigned n, unsigned k) {
    if (!m || !n || !k || (m + ROWS - 1) / ROWS > 65535) {
        return "m, n and k are at least 1, and m is at most 4 million";
    }
    const bool wide = aligned(a, COLS_A ? m : k, BITS_A) &&
                      aligned(b, COLS_B ? k : n, BITS_B);
    const dim3 grid((n + COLS - 1) / COLS, (m + ROWS - 1) / ROWS);
    if (wide) {
        matmul<true><<<grid, THREADS>>>((sum_type *)c, a, b, m, n, k);
    } else {
        matmul<false><<<grid, THREADS>>>((sum_type *)c, a, b, m, n, k);
    }
    return cudaGetLastError() == cudaSuccess
               ? 0
               : "the launch failed: was this built for this GPU?";
}

#ifndef LL_NO_MAIN

int main(int argc, char **argv) {
    static const unsigned shapes[][3] = {
        {160, 144, 80}, {33, 7, 21}, {1, 1, 1}, {4096, 4096, 4096}};
    const product p = {A_IS, B_IS, C_IS, COLS_A != 0, COLS_B != 0, launch};
    return demonstrate_all(p, shapes, argc, argv);
}

#endif
