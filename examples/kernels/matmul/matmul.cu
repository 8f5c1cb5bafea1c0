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
 * With TYPE_C f16 the sums of products in f16 are f16 as well.
 *
 * A block computes a tile of C. There are two kernels. In `piped`, cp.async
 * keeps a ring of STAGES tiles filled, and while one slice of k is multiplied,
 * the next is loaded, by ldmatrix where that fits. In `through`, tiles pass
 * registers: it is for rows that do not start at multiples of 16 bytes.
 * Elements go through shared memory as they are, to where the instruction wants
 * them; only there are they widened (LL_CAST), word by word. Beyond the edges
 * both kernels read zeros.
 *
 * Shared memory is arranged by plans without bank conflicts. The order of a
 * matrix is a transposed layout, and nothing else.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_80 -DTYPE_A=bf16 -DTYPE_B=s8 -I. \
 *            examples/kernels/matmul/matmul.cu -o matmul
 *        tools/emulator/emucc -I. examples/kernels/matmul/matmul.cu -o matmul
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
#ifndef TYPE_C
#define TYPE_C f32
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

/* The tile of `piped`: rows and columns, bytes of k, and how many at a time. */
#ifndef PIPE
#define PIPE 1
#endif
#ifndef PIPED_ROWS
#define PIPED_ROWS 128
#define PIPED_COLS 256
#define PIPED_BYTES 128
#define PIPED_STAGES 3
#endif
enum : unsigned { GROUP = 8 }; /* rows of tiles at a time */

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
constexpr type C_IS = WIDE == s8                      ? s32
                      : WIDE == f64                   ? f64
                      : WIDE == f16 && TYPE_C == f16 ? f16
                                                      : f32;
static_assert(TYPE_C == f32 || TYPE_C == C_IS, "only of f16 sums are f16");
/* clang-format off */
enum : unsigned {
    BITS_A = bits_of(A_IS), BITS_B = bits_of(B_IS), BITS = bits_of(WIDE),
    MMA_M = BITS == 64 ? 8 : 16, MMA_K = 256 / BITS /* of one instruction */
};

/* The tile of a block, by HIGH x BROAD warps, DEPTH of k at a time. Where k is
 * contiguous, that is a line of 128 bytes: copies of half lines would take as
 * long. */
struct piped_tile { enum : unsigned {
    ROWS = BITS == 64 ? 64 : PIPED_ROWS, COLS = BITS == 64 ? 64 : PIPED_COLS,
    LEAST_A = COLS_A ? +BITS : +BITS_A, LEAST_B = COLS_B ? +BITS_B : +BITS,
    LEAST = BITS == 64 ? 64 : LEAST_A < LEAST_B ? +LEAST_A : +LEAST_B,
    DEPTH = PIPED_BYTES * 8 / LEAST,
    HIGH = BITS == 64 ? 2 : ROWS / 64, BROAD = BITS == 64 ? 2 : COLS / 64,
    THREADS = 32 * HIGH * BROAD, SLICES = DEPTH / MMA_K,
    BYTES_A = ROWS * DEPTH * BITS_A / 8, BYTES_B = COLS * DEPTH * BITS_B / 8,
    STAGE = BYTES_A + BYTES_B,
    STAGES = PIPED_STAGES * STAGE > 163 * 1024 ? 2 : PIPED_STAGES,
    SMEM = STAGES * STAGE
}; };
struct through_tile { enum : unsigned {
    ROWS = BITS == 64 ? 64 : 128, COLS = ROWS,
    DEPTH = BITS >= 32 ? 16 : BITS == 8 ? 64 : 32,
    STAGES = 1, HIGH = 2, BROAD = 2, THREADS = 32 * HIGH * BROAD
}; };
/* clang-format on */

/* What sums are in memory, and sums and an operand in registers. */
template <bool IS, class A, class B> struct choose { typedef A type; };
template <class A, class B> struct choose<false, A, B> { typedef B type; };
typedef choose<WIDE == s8, int, choose<WIDE == f64, double, float>::type>::type
    wide_sum;
typedef choose<C_IS == f16, unsigned short, wide_sum>::type sum_type;
typedef choose<C_IS == f16, unsigned, wide_sum>::type sum_word;
typedef choose<WIDE == f64, double, unsigned>::type word;
#define SUMS_OF(C) (C_IS == f16 ? LL_WORDS(C, 16) : LL_REGS(C))

/* ---- Layouts ------------------------------------------------------------- */

LL_FN ll_layout turned(ll_layout a, bool by_cols) {
    return by_cols ? ll_trans(a, "j i") : a;
}

/* A fragment, repeated to fill rows x cols: y warps along axis d, which is the
 * fastest, and x along axis e. An axis that the fragment lacks holds copies. */
LL_FN ll_layout repeated(ll_layout fragment, unsigned rows, unsigned cols,
                         ll_dim d, unsigned y, ll_dim e, unsigned x) {
    const ll_shape none = LL_ZERO;
    return ll_tiled(fragment, ll_with(ll_with(none, LL_J, cols), LL_I, rows),
                    ll_with(ll_with(none, d, y), e, x));
}

/* The operands with k elements of k, and the sums, of the tile T. */
template <class T> LL_FN ll_layout operand_a(unsigned k) {
    return repeated(ll_ptx_fragment_a(MMA_M, MMA_K, BITS), T::ROWS, k, LL_I,
                    T::HIGH, LL_K, T::BROAD);
}
template <class T> LL_FN ll_layout operand_b(unsigned k) {
    return repeated(ll_ptx_fragment_b(MMA_K, 8, BITS), k, T::COLS, LL_K,
                    T::HIGH, LL_J, T::BROAD);
}
template <class T> LL_FN ll_layout sums() {
    return repeated(ll_ptx_fragment_c(MMA_M, 8), T::ROWS, T::COLS, LL_I,
                    T::HIGH, LL_J, T::BROAD);
}

/* Slice s of a tile of DEPTH of k. */
template <class T> LL_FN ll_layout slice_a(unsigned s) {
    return ll_flip(ll_resize_out(operand_a<T>(MMA_K), LL_J, T::DEPTH), LL_J,
                   MMA_K * s);
}
template <class T> LL_FN ll_layout slice_b(unsigned s) {
    return ll_flip(ll_resize_out(operand_b<T>(MMA_K), LL_I, T::DEPTH), LL_I,
                   MMA_K * s);
}

/* One step of the instruction, as LL_MMA takes it. */
template <class T, unsigned K> struct product_of {
    LL_LAYOUT(A, operand_a<T>(K));
    LL_LAYOUT(B, operand_b<T>(K));
    LL_LAYOUT(C, sums<T>());
};

/* How pieces of 16 bytes get from memory to where ldmatrix finds no bank
 * conflicts. A tile has the order of memory. */
template <class T> struct copies {
    LL_LAYOUT(A, turned(operand_a<T>(T::DEPTH), COLS_A));
    LL_LAYOUT(B, turned(operand_b<T>(T::DEPTH), COLS_B));
    LL_LAYOUT(FROM_A, ll_rows_for(LL_GET(A), BITS_A / 8));
    LL_LAYOUT(FROM_B, ll_rows_for(LL_GET(B), BITS_B / 8));
    LL_PLAN_BY(COPY_A, FROM_A, A, BITS_A, TARGET, LL_COPIES);
    LL_PLAN_BY(COPY_B, FROM_B, B, BITS_B, TARGET, LL_COPIES);
};

/* How a slice gets from there to registers. */
template <class T, unsigned S> struct slices {
    typedef copies<T> of;
    typedef typename of::FROM_A FROM_A;
    typedef typename of::FROM_B FROM_B;
    typedef typename of::COPY_A COPY_A;
    typedef typename of::COPY_B COPY_B;
    LL_LAYOUT(A, turned(slice_a<T>(S), COLS_A));
    LL_LAYOUT(B, turned(slice_b<T>(S), COLS_B));
    LL_PLAN_THROUGH(FEED_A, FROM_A, A, BITS_A, TARGET, LL_GET(COPY_A).memory);
    LL_PLAN_THROUGH(FEED_B, FROM_B, B, BITS_B, TARGET, LL_GET(COPY_B).memory);
    static constexpr unsigned CONFLICTS =
        ll_conflicts(LL_GET(FEED_A)) + ll_conflicts(LL_GET(FEED_B));
};

/* Columns of bytes are sooner turned in registers. So is what has conflicts. */
constexpr bool PIPED =
    PIPE && !(BITS_A == 8 && COLS_A) && slices<piped_tile, 0>::CONFLICTS == 0;

/* Rows in memory; 16 bytes an access, or one element. */
LL_FN ll_layout rows_of(unsigned rows, unsigned cols, unsigned bits,
                        bool aligned) {
    ll_rows_spec s = LL_ZERO;
    s.rows = rows;
    s.cols = cols;
    s.bytes = bits / 8;
    s.access = aligned ? 16 : s.bytes;
    s.warps = through_tile::THREADS / 32;
    return ll_rows_of(s);
}

/* The rows of A and B in memory, which are columns where they lie by columns,
 * and how they become operands. */
template <class T, bool ALIGNED> struct feed {
    LL_LAYOUT(A, operand_a<T>(T::DEPTH));
    LL_LAYOUT(B, operand_b<T>(T::DEPTH));
    LL_LAYOUT(ROWS_A, COLS_A ? rows_of(T::DEPTH, T::ROWS, BITS_A, ALIGNED)
                             : rows_of(T::ROWS, T::DEPTH, BITS_A, ALIGNED));
    LL_LAYOUT(ROWS_B, COLS_B ? rows_of(T::COLS, T::DEPTH, BITS_B, ALIGNED)
                             : rows_of(T::DEPTH, T::COLS, BITS_B, ALIGNED));
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
        LL_MEMCPY_(&d, w + 2 * k, 8);
    } else if constexpr (T == s64) {
        d = (double)(long long)((unsigned long long)w[2 * k + 1] << 32 |
                                w[2 * k]);
    } else if constexpr (T == f32) {
        LL_MEMCPY_(&f, w + k, 4);
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
            LL_MEMCPY_(&b[k], &f[k], 4);
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

/* Words of so many bits of each lane, as elements of the instruction. */
LL_FN unsigned words_of(unsigned registers) {
    return registers * BITS / (8 * (unsigned)sizeof(word));
}

/* Both operands, as the instruction takes them. */
template <class OF> struct wide {
    typedef typename OF::A A;
    typedef typename OF::B B;
    word a[words_of(LL_REGS(A))], b[words_of(LL_REGS(B))];
    template <unsigned N, unsigned M>
    __device__ void set(const unsigned (&raw_a)[N],
                        const unsigned (&raw_b)[M]) {
        widen<A_IS>(a, raw_a);
        widen<B_IS>(b, raw_b);
    }
};

/* sum += a b */
template <class OF, class S, unsigned NC>
static __device__ void multiply(S (&c)[NC], const wide<OF> &by) {
    typedef typename OF::A A;
    typedef typename OF::B B;
    typedef typename OF::C C;
    const auto &a = by.a;
    const auto &b = by.b;
    if constexpr (WIDE == s8) {
        LL_MMA(c, C, a, A, b, B, 8, ll_ptx_mma_m16n8k32_s32_s8);
    } else if constexpr (C_IS == f16) {
        LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f16_f16);
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

/* The sums of the tile at i, j: two of a row at a time, where rows allow it. */
template <class T, class C, unsigned N>
static __device__ void store(sum_type *c, const sum_word (&sum)[N], unsigned i,
                             unsigned j, unsigned m, unsigned n) {
    const unsigned pairs = n | (unsigned)((size_t)c / sizeof *c);
    if (pairs % 2 == 0 && m - i >= T::ROWS && n - j >= T::COLS) {
        LL_STORE(sum, C, c + (size_t)i * n + j, n);
    } else {
        LL_EACH(r, C) {
            const unsigned y = i + LL_AT(C, LL_I, r);
            const unsigned x = j + LL_AT(C, LL_J, r);
            if (y < m && x < n) {
                if constexpr (C_IS == f16) {
                    c[(size_t)y * n + x] =
                        (sum_type)(sum[r / 2] >> r % 2 * 16);
                } else {
                    c[(size_t)y * n + x] = sum[r];
                }
            }
        }
    }
}

/* The tile of a block: GROUP rows of tiles at a time, so that the operands of
 * tiles that are computed at the same time meet in the L2 cache. */
template <class T>
static __device__ void place(unsigned &i, unsigned &j, unsigned m, unsigned n) {
    const unsigned high = (m + T::ROWS - 1) / T::ROWS;
    const unsigned wide = (n + T::COLS - 1) / T::COLS;
    const unsigned first = blockIdx.x / (GROUP * wide) * GROUP;
    const unsigned in = blockIdx.x % (GROUP * wide);
    const unsigned most = high - first < GROUP ? high - first : GROUP;
    i = (first + in % most) * T::ROWS;
    j = in / most * T::COLS;
}

/* ---- Tiles by cp.async --------------------------------------------------- */

typedef raw<BITS_A>::type type_a;
typedef raw<BITS_B>::type type_b;

/* The matrices from the tile's row and column on, and what is left of them. */
struct source {
    const type_a *a;
    const type_b *b;
    unsigned high, wide, k, lda, ldb; /* rows of A, columns of B */
};

template <class T>
static __device__ source source_of(const void *a, const void *b, unsigned i,
                                   unsigned j, unsigned m, unsigned n,
                                   unsigned k) {
    source s;
    s.lda = COLS_A ? m : k;
    s.ldb = COLS_B ? k : n;
    s.a = (const type_a *)a + (COLS_A ? i : (size_t)i * s.lda);
    s.b = (const type_b *)b + (COLS_B ? (size_t)j * s.ldb : j);
    s.high = left_of(m, i, T::ROWS);
    s.wide = left_of(n, j, T::COLS);
    s.k = k;
    return s;
}

/* Starts the copies of a tile of A, or of B, at `at` of k. WHOLE: nothing of it
 * is beyond the edges, where it is filled with zeros. */
template <class T, bool WHOLE>
static __device__ void copy_a(unsigned char *stage, const source &s,
                              unsigned at) {
    typedef typename copies<T>::COPY_A COPY_A;
    const type_a *a = s.a + (COLS_A ? (size_t)at * s.lda : at);
    const unsigned deep = left_of(s.k, at, T::DEPTH);
    if constexpr (WHOLE) {
        LL_COPY(COPY_A, stage, a, s.lda);
    } else {
        LL_COPY(COPY_A, stage, a, s.lda, COLS_A ? deep : s.high,
                COLS_A ? s.high : deep);
    }
}

template <class T, bool WHOLE>
static __device__ void copy_b(unsigned char *stage, const source &s,
                              unsigned at) {
    typedef typename copies<T>::COPY_B COPY_B;
    const type_b *b = s.b + (COLS_B ? at : (size_t)at * s.ldb);
    const unsigned deep = left_of(s.k, at, T::DEPTH);
    if constexpr (WHOLE) {
        LL_COPY(COPY_B, stage + T::BYTES_A, b, s.ldb);
    } else {
        LL_COPY(COPY_B, stage + T::BYTES_A, b, s.ldb, COLS_B ? s.wide : deep,
                COLS_B ? deep : s.wide);
    }
}

/* A slice of both operands in registers. */
template <class T> struct raw_slice {
    typedef product_of<T, MMA_K> of;
    typedef typename of::A A;
    typedef typename of::B B;
    unsigned a[LL_WORDS(A, BITS_A)], b[LL_WORDS(B, BITS_B)];
    template <unsigned S> __device__ void load(const unsigned char *stage) {
        typedef typename slices<T, S>::FEED_A FEED_A;
        typedef typename slices<T, S>::FEED_B FEED_B;
        LL_LOAD_SHARED(a, FEED_A, stage);
        LL_LOAD_SHARED(b, FEED_B, stage + T::BYTES_A);
    }
};

/* Where a block is in its ring of stages. */
template <class T> struct ring {
    unsigned char *memory;
    unsigned used, filled; /* stages */
    static __device__ unsigned next(unsigned stage) {
        return stage + 1 == T::STAGES ? 0 : stage + 1;
    }
};

/* Whether operands are widened before the next slice is loaded, and not after:
 * on an H200 up to 8 % faster, elsewhere as much slower. */
constexpr bool EARLY =
    WIDE == f16 ||
    (!COLS_B && (WIDE == f32 || (WIDE == bf16 && A_IS != s8 && B_IS != s8)));

/* Multiplies slice S of a tile, and those after it. Meanwhile the next slice is
 * loaded, and copies begin of the tile at `later` of k. */
template <class T, bool WHOLE, unsigned S, unsigned N>
static __device__ void advance(sum_word (&sum)[N], raw_slice<T> (&raw)[2],
                               ring<T> &r, const source &from,
                               unsigned later) {
    if constexpr (S < T::SLICES) {
        unsigned char *fill = r.memory + r.filled * T::STAGE;
        wide<product_of<T, MMA_K>> by;
        if constexpr (S + 1 == T::SLICES) {
            LL_COPY_WAIT(T::STAGES - 2);
            __syncthreads();
            r.used = r.next(r.used);
        }
        if (EARLY) {
            by.set(raw[S % 2].a, raw[S % 2].b);
        }
        raw[(S + 1) % 2].template load<(S + 1) % T::SLICES>(r.memory +
                                                            r.used * T::STAGE);
        if constexpr (S == 0) {
            copy_a<T, WHOLE>(fill, from, later);
        }
        if constexpr (S == 2) {
            copy_b<T, WHOLE>(fill, from, later);
            LL_COPY_COMMIT();
            r.filled = r.next(r.filled);
        }
        if (!EARLY) {
            by.set(raw[S % 2].a, raw[S % 2].b);
        }
        multiply(sum, by);
        advance<T, WHOLE, S + 1>(sum, raw, r, from, later);
    }
}

/* The sums of a block. WHOLE: all tiles are within both matrices; what is
 * copied after the last one is the first one again. */
template <class T, bool WHOLE, unsigned N>
static __device__ void sum_up(sum_word (&sum)[N], unsigned char *memory,
                              const source &from) {
    ring<T> r = {memory, 0, T::STAGES - 1};
    raw_slice<T> raw[2];
    for (unsigned s = 0; s < T::STAGES - 1; ++s) {
        copy_a<T, WHOLE>(memory + s * T::STAGE, from, s * T::DEPTH);
        copy_b<T, WHOLE>(memory + s * T::STAGE, from, s * T::DEPTH);
        LL_COPY_COMMIT();
    }
    LL_COPY_WAIT(T::STAGES - 2);
    __syncthreads();
    raw[0].template load<0>(memory);
    for (unsigned at = 0; at < from.k; at += T::DEPTH) {
        const unsigned later = at + (T::STAGES - 1) * T::DEPTH;
        advance<T, WHOLE, 0>(sum, raw, r, from,
                             WHOLE && later >= from.k ? 0 : later);
    }
}

template <class T>
__global__ void __launch_bounds__(T::THREADS)
    piped(sum_type *c, const void *a, const void *b, unsigned m, unsigned n,
          unsigned k) {
    typedef typename product_of<T, MMA_K>::C C;
    extern __shared__ __align__(128) unsigned char memory[];
    unsigned i, j;
    place<T>(i, j, m, n);
    const source from = source_of<T>(a, b, i, j, m, n, k);
    sum_word sum[SUMS_OF(C)] = LL_ZERO;
    if (from.high == T::ROWS && from.wide == T::COLS && k % T::DEPTH == 0 &&
        k >= 4 * T::DEPTH) {
        sum_up<T, true>(sum, memory, from);
        store<T, C>(c, sum, i, j, m, n);
    } else {
        sum_up<T, false>(sum, memory, from);
        store<T, C>(c, sum, i, j, m, n);
    }
}

/* ---- Tiles through registers --------------------------------------------- */

/* ALIGNED: rows in memory start at multiples of 16 bytes. */
template <class T, bool ALIGNED>
__global__ void __launch_bounds__(T::THREADS)
    through(sum_type *c, const void *a, const void *b, unsigned m, unsigned n,
            unsigned k) {
    typedef feed<T, ALIGNED> fed;
    typedef typename fed::A A;
    typedef typename fed::B B;
    typedef typename fed::ROWS_A ROWS_A;
    typedef typename fed::ROWS_B ROWS_B;
    typedef typename fed::FEED_A FEED_A;
    typedef typename fed::FEED_B FEED_B;
    typedef product_of<T, T::DEPTH> product;
    typedef typename product::C C;
    __shared__ __align__(16) unsigned char smem_a[LL_SMEM_BYTES(FEED_A)];
    __shared__ __align__(16) unsigned char smem_b[LL_SMEM_BYTES(FEED_B)];
    const type_a *from_a = (const type_a *)a;
    const type_b *from_b = (const type_b *)b;
    unsigned next_a[LL_WORDS(ROWS_A, BITS_A)], raw_a[LL_WORDS(A, BITS_A)];
    unsigned next_b[LL_WORDS(ROWS_B, BITS_B)], raw_b[LL_WORDS(B, BITS_B)];
    sum_word sum[SUMS_OF(C)] = LL_ZERO;
    unsigned i, j;
    place<T>(i, j, m, n);
    if (ALIGNED) {
        LOAD(next_a, ROWS_A, from_a, COLS_A, i, 0u, m, k, T::ROWS, T::DEPTH);
        LOAD(next_b, ROWS_B, from_b, COLS_B, 0u, j, k, n, T::DEPTH, T::COLS);
    }
    for (unsigned at = 0; at < k; at += T::DEPTH) {
        if (!ALIGNED) { /* single elements have too many addresses */
            LOAD(next_a, ROWS_A, from_a, COLS_A, i, at, m, k, T::ROWS,
                 T::DEPTH);
            LOAD(next_b, ROWS_B, from_b, COLS_B, at, j, k, n, T::DEPTH,
                 T::COLS);
        }
        LL_STORE_SHARED(next_a, FEED_A, smem_a);
        LL_STORE_SHARED(next_b, FEED_B, smem_b);
        __syncthreads();
        const unsigned next = at + T::DEPTH < k ? at + T::DEPTH : k;
        if (ALIGNED) { /* the next tiles come while these are multiplied */
            LOAD(next_a, ROWS_A, from_a, COLS_A, i, next, m, k, T::ROWS,
                 T::DEPTH);
            LOAD(next_b, ROWS_B, from_b, COLS_B, next, j, k, n, T::DEPTH,
                 T::COLS);
        }
        LL_LOAD_SHARED(raw_a, FEED_A, smem_a);
        LL_LOAD_SHARED(raw_b, FEED_B, smem_b);
        wide<product> by;
        by.set(raw_a, raw_b);
        multiply(sum, by);
        __syncthreads();
    }
    store<T, C>(c, sum, i, j, m, n);
}

/* ---- The launcher -------------------------------------------------------- */

/* Rows of so many elements start at multiples of 16 bytes. */
static bool aligned(const void *p, unsigned elements, unsigned bits) {
    return (size_t)p % 16 == 0 && elements * (size_t)bits % 128 == 0;
}

template <class T> static unsigned blocks(unsigned m, unsigned n) {
    return (m + T::ROWS - 1) / T::ROWS * ((n + T::COLS - 1) / T::COLS);
}

/* The kernel for rows that start at multiples of 16 bytes. */
template <class T>
static cudaError_t launch_aligned(sum_type *c, const void *a, const void *b,
                                  unsigned m, unsigned n, unsigned k) {
    if constexpr (T::STAGES > 1) {
        static_assert(slices<T, T::SLICES - 1>::CONFLICTS == 0,
                      "loads of operands have no bank conflicts");
        const cudaError_t err = cudaFuncSetAttribute(
            piped<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
            (int)T::SMEM);
        if (err) {
            return err;
        }
        piped<T><<<blocks<T>(m, n), T::THREADS, T::SMEM>>>(c, a, b, m, n, k);
    } else {
        through<T, true><<<blocks<T>(m, n), T::THREADS>>>(c, a, b, m, n, k);
    }
    return cudaGetLastError();
}

/* C = A B. Returns null, or a sentence that says why it cannot. */
static const char *launch(void *c, const void *a, const void *b, unsigned m,
                          unsigned n, unsigned k) {
    typedef through_tile tile;
    sum_type *to = (sum_type *)c;
    if (!m || !n || !k || m > 1u << 22 || n > 1u << 22) {
        return "m, n and k are at least 1, and m and n at most 4 million";
    }
    if (aligned(a, COLS_A ? m : k, BITS_A) &&
        aligned(b, COLS_B ? k : n, BITS_B)) {
        return said(launch_aligned<choose<PIPED, piped_tile, tile>::type>(
            to, a, b, m, n, k));
    }
    through<tile, false>
        <<<blocks<tile>(m, n), tile::THREADS>>>(to, a, b, m, n, k);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

int main(int argc, char **argv) {
    static const unsigned shapes[][3] = {
        {160, 144, 80}, {33, 7, 21}, {1, 1, 1}, {128, 256, 256},
        {4096, 4096, 4096}};
    const product p = {A_IS, B_IS, C_IS, COLS_A != 0, COLS_B != 0, launch};
    return demonstrate_all(p, shapes, argc, argv);
}

#endif
