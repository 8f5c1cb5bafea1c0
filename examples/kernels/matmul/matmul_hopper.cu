/* matmul_hopper.cu - how does a product of matrices reach the speed of Hopper's
 * tensor cores?
 * SPDX-License-Identifier: MIT
 *
 * C = A B, sums in f32. A is m x k by rows, B k x n by columns (k is contiguous
 * in both), C is m x n by rows. A and B have the type OPERAND: bf16, f16, or
 * e4m3. C is f16 if they are, otherwise bf16; the sums are multiplied by one
 * scale. Rows start at multiples of 16 bytes; otherwise m, n and k are free.
 *
 * A block computes tiles of C. One thread starts copies: the copy engine fills
 * a ring of stages in shared memory. One to three warpgroups multiply by wgmma,
 * which reads both operands from there. At the end of a tile they round the
 * sums and store them by stmatrix; the copy engine takes that to global memory
 * while the next tile is computed.
 *
 * The rows of wgmma, 64 for each warpgroup, are columns of C; its columns, 16
 * to 256, are rows of C, of which there may be few. The blocks of a cluster
 * have neighbouring tiles and share what they load of A or of B, or they share
 * a tile and have a part of k each. matmul_forms.h chooses. 09_hopper.md
 * explains this file line by line.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/kernels/matmul/matmul_hopper.cu -o matmul_hopper
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   matmul_hopper [m n k [FORM BESIDE SHARES [PROCESSORS [ABOVE]]]]
 */
#define LL_TENSOR
#include "../hopper.h"
#include "ll_ptx.h"
#include "matmul.h"

#ifndef OPERAND
#define OPERAND bf16
#endif

/* ---- Layouts ------------------------------------------------------------- */

constexpr type IN = OPERAND, OUT_IS = IN == f16 ? f16 : bf16;

/* clang-format off */
enum : unsigned {
    BITS = bits_of(IN), SLICE = 256 / BITS,  /* of k, of one wgmma */
    DEPTH = 128 * 8 / BITS                   /* of k, of a stage */
};
/* clang-format on */

/* Tiles in shared memory, in the order that wgmma and the copy engine share. A
 * tile of fewer rows is the beginning of this one. Of C, 16 rows. */
LL_LAYOUT(TILE, ll_ptx_smem_k(256, DEPTH, BITS, 128));
LL_LAYOUT(TILE_C, ll_ptx_smem_mn(64, 16, 16, 128, 16));

/* The sums of a warpgroup for 16 rows of C, and how they get to TILE_C: i is a
 * column of C, j a row. */
LL_LAYOUT(SUMS, ll_ptx_wgmma_d(64, 16, 4));
LL_PLAN_THROUGH(OUT, SUMS, SUMS, 16, LL_SM90, LL_GET(TILE_C));
LL_EXPECT_NO_CONFLICTS(OUT);
LL_SCOPE(WORKER, threadIdx.x % 128, 128, LL_BARRIER_AT(threadIdx.x / 128));

/* The descriptor of a slice of k, for a tile at address 0. */
LL_FN ll_ptx_desc slice(unsigned row, unsigned k) {
    return ll_ptx_desc_slice(LL_GET(TILE), 64, SLICE, BITS, row, k);
}
constexpr unsigned long long DESC = ll_ptx_desc_wgmma(slice(0, 0), 0);
constexpr unsigned NEXT_K = slice(0, SLICE).at, NEXT_ROWS = slice(64, 0).at;
static_assert(DESC && slice(192, 3 * SLICE).at == 3 * (NEXT_ROWS + NEXT_K),
              "wgmma reads TILE, and its slices have one distance");

/* The boxes that the copy engine moves: of A and B as wide as this one. */
constexpr ll_ptx_tensor BOX = ll_ptx_tensor_of(LL_GET(TILE), 256, DEPTH, BITS);
constexpr ll_ptx_tensor BOX_C = ll_ptx_tensor_of(LL_GET(TILE_C), 64, 16, 16);
static_assert(BOX.copies == 1 && BOX_C.copies == 1 && BOX_C.mn_major,
              "one copy loads TILE, one stores TILE_C by columns");

#include "matmul_forms.h"

/* ---- The kernel ---------------------------------------------------------- */

#include "matmul_load.h"

/* A thread for each neighbour, or all such threads for the one block that reads
 * a stage, tell it that this warpgroup has read it. */
static __device__ void release(unsigned empty, unsigned to, unsigned threads) {
    if (threadIdx.x % 128 < threads) {
        ll_ptx_mbarrier_arrive_cluster_relaxed(ll_ptx_mapa(empty, to));
    }
}

/* sum += a b for a slice; sum = a b if `more` is 0. */
template <unsigned WIDE>
static __device__ void wgmma(float *sum, unsigned long long a,
                             unsigned long long b, unsigned more) {
    if constexpr (IN == bf16) {
        ll_ptx_wgmma_f32_bf16<WIDE>(sum, a, b, more);
    } else if constexpr (IN == f16) {
        ll_ptx_wgmma_f32_f16<WIDE>(sum, a, b, more);
    } else {
        ll_ptx_wgmma_f32_e4m3<WIDE>(sum, a, b, more);
    }
}

/* Starts the products of a stage, which are added to the sums if `more`. */
template <class T>
static __device__ void start(float *sum, unsigned worker, const place<T> &p,
                             unsigned more) {
    const unsigned long long a = DESC + (p.a() >> 4);
    const unsigned long long b = DESC + ((p.b() + worker * NEXT_ROWS) >> 4);
    ll_ptx_mbarrier_wait(p.full(), p.parity);
    ll_ptx_wgmma_fence();
    LL_UNROLL
    for (unsigned s = 0; s < DEPTH / SLICE; ++s) {
        wgmma<T::ROWS>(sum, b + (s * NEXT_K >> 4), a + (s * NEXT_K >> 4),
                       more + s);
    }
    ll_ptx_wgmma_commit_group();
}

/* What a warpgroup is at: the products of the two stages from `oldest` on run,
 * those of `left` more of the tile are not started. */
template <class T> struct flow {
    place<T> oldest, next;
    unsigned left;
    __device__ void begin(float *sum, unsigned worker, unsigned steps) {
        next = oldest;
#pragma unroll 1 /* the same code for both, which compiles faster */
        for (unsigned x = 0; x < 2; ++x) {
            start(sum, worker, next, x);
            next.next();
        }
        left = steps - 2;
    }
    /* Releases the oldest stage when its products are done. */
    __device__ void pass(const tiles<T> &t, unsigned threads) {
        release(oldest.empty(),
                t.share * t.beside + (t.beside > 1 ? threadIdx.x % 128 : 0),
                threads);
        oldest.next();
    }
    /* Then starts one more, if any are left. */
    __device__ void step(float *sum, unsigned worker, const tiles<T> &t,
                         unsigned threads) {
        if (left) {
            ll_ptx_wgmma_wait_group<1>();
            pass(t, threads);
            start(sum, worker, next, 1);
            next.next();
            --left;
        }
    }
    __device__ void finish(float *sum, unsigned worker, const tiles<T> &t,
                           unsigned threads) {
        while (left) {
            step(sum, worker, t, threads);
        }
        ll_ptx_wgmma_wait_group<1>();
        pass(t, threads);
        ll_ptx_wgmma_wait_group<0>();
        pass(t, threads);
    }
};

#include "matmul_store.h"
#include "matmul_split.h"

/* The tiles of a warpgroup. `change` may change the sums of a tile at a row and
 * a column. */
template <class T, class F>
static __device__ void work(unsigned char *memory, const maps &of,
                            const problem &p, tiles<T> t, F change) {
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    const unsigned worker = uniform(threadIdx.x / 128) - 1;
    unsigned char *const to = memory + T::AT_C + worker * T::BYTES_C;
    float sum[T::ROWS / 2];
    words<T> c;
    flow<T> f = {{smem, 0, 0}};
    unsigned row = 0, col = 0;
    bool is_first = true;
    while (t.next(p)) {
        f.begin(sum, worker, t.steps);
        if (!is_first) { /* the tile before */
            store(c, to, of, row, col,
                  [&] { f.step(sum, worker, t, p.beside); });
        }
        f.finish(sum, worker, t, p.beside);
        is_first = false;
        row = t.row, col = t.col + 64 * worker;
        change(sum, row, col);
        c.round(sum);
    }
    if (t.is_shared) {
        ll_ptx_bar_named<1 + T::WORKERS, 128 * T::WORKERS>(); /* all is read */
        lay_down<T>(sum, memory + worker * T::BYTES_SUMS);
        LL_BARRIER_CLUSTER();
        add_up<T>(p, smem, t);
    } else {
        store_last(c, memory, worker, of, row, col);
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group_read<0>();
    }
}

/* Waits until all blocks of the cluster have begun. */
static __device__ void meet(const problem &p) {
    if (p.beside * p.shares > 1) {
        ll_ptx_barrier_cluster_arrive_relaxed();
        ll_ptx_barrier_cluster_wait();
    } else {
        __syncthreads();
    }
}

template <class T>
__global__ void __launch_bounds__(T::THREADS, 1)
    matmul(const __grid_constant__ maps of, const problem p) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    const tiles<T> t(p);
    if (threadIdx.x == 0) {
        ll_ptx_prefetch_tensormap(&of.a);
        ll_ptx_prefetch_tensormap(&of.b);
        for (unsigned s = 0; s < T::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, 1);
            ll_ptx_mbarrier_init(smem + T::EMPTY + 8 * s,
                                 T::WORKERS * p.beside);
        }
        ll_ptx_fence_mbarrier_init();
    }
    meet(p);
    ll_ptx_griddepcontrol_launch_dependents();
    ll_ptx_griddepcontrol_wait(); /* what ran before has written A and B */
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<32>();
        if (threadIdx.x < 32 && ll_ptx_elect()) {
            produce<T>(smem, of, p, t);
        }
        __syncwarp();
        if (t.is_shared) { /* as in work */
            LL_BARRIER_CLUSTER();
        }
    } else {
        ll_ptx_setmaxnreg_inc<T::REGISTERS>();
        work<T>(memory, of, p, t, [&](float *sum, unsigned, unsigned) {
            LL_UNROLL
            for (unsigned r = 0; r < T::ROWS / 2; ++r) {
                sum[r] *= p.scale;
            }
        });
    }
    if (t.is_shared) { /* nobody comes to a block that has ended */
        __syncwarp();
        LL_BARRIER_CLUSTER();
    }
}

/* ---- The launcher -------------------------------------------------------- */

template <class T>
static const char *launch_form(const void *a, const void *b, problem p) {
    maps of;
    if (!is_possible(p, T::PADDED, DEPTH)) {
        return "a tile of this form is not divided in this way";
    }
    const char *bad = maps_of<T>(&of, a, b, p);
    return bad ? bad
               : launch_clusters(matmul<T>, blocks_of(p, T::COLS, T::ROWS),
                                 p.beside * p.shares, T::THREADS, T::SMEM, 0,
                                 of, p);
}

#ifndef LL_NO_LAUNCH /* matmul_grouped.cu and matmul_scaled.cu have their own */

#define LAUNCH(workers, rows) launch_form<form<workers, rows>>,
static const char *(*const LAUNCHERS[FORMS_ALL])(const void *a, const void *b,
                                                 problem p) = {FORMS(LAUNCH)};

/* C = scale A B. Returns null, or a sentence that says why it cannot. */
static const char *launch_scaled(void *c, const void *a, const void *b,
                                 float scale, unsigned m, unsigned n,
                                 unsigned k) {
    if (!m || !n || !k || n % 8 || k * BITS % 128) {
        return "m, n and k are at least 1, n is a multiple of 8 and a row of k "
               "a multiple of 16 bytes";
    }
    problem p = {c, scale, m, n, k, 1, 1, processors_here()};
    return LAUNCHERS[choose(p, DEPTH)](a, b, p);
}

static const char *launch(void *c, const void *a, const void *b, unsigned m,
                          unsigned n, unsigned k) {
    return launch_scaled(c, a, b, 1, m, n, k);
}

#endif
#ifndef LL_NO_MAIN

/* A choice: the number of a form, neighbours, shares; processors, `above`. */
static unsigned how[5];
static const char *launch_as(void *c, const void *a, const void *b, unsigned m,
                             unsigned n, unsigned k) {
    return how[0] >= FORMS_ALL
               ? "there are fewer forms"
               : LAUNCHERS[how[0]](
                     a, b,
                     {c, 1, m, n, k, how[1], how[2], how[3], how[4] != 0});
}

int main(int argc, char **argv) {
    static const unsigned shapes[][3] = {{200, 264, 144},    {1, 8, 16},
                                         {513, 520, 1008},   {4096, 4096, 4096},
                                         {8192, 8192, 8192}, {4000, 8200, 264}};
    product p = {IN, IN, OUT_IS, false, true, launch};
    how[3] = processors_here();
    for (int x = 4; x < argc && x < 9; ++x) {
        how[x - 4] = (unsigned)atoi(argv[x]);
        p.launch = launch_as;
    }
    size_t wrong = (size_t)demonstrate_all(p, shapes, argc, argv);
    p.launch = launch_as;
    for (unsigned x = 0; argc < 4 && x < 3 * FORMS_ALL; ++x) {
        const bool shares = x % 3 == 1, above = x % 3 == 2;
        how[0] = x / 3, how[1] = 2 - shares, how[2] = 1 + shares;
        how[3] = 4; /* two neighbours take some tiles and split the last one */
        how[4] = above;
        wrong += demonstrate(p, 40, x % 3 ? 264 : 1544, 144);
    }
    return wrong != 0;
}

#endif
