/* matmul_exchange.h - how does a GEMM send its result to other GPUs while it
 * computes?
 * SPDX-License-Identifier: MIT
 *
 * Tensor parallel to sequence parallel, as one kernel. Rank r of n GPUs has all
 * rows of A and some columns of B, so it computes some columns of C. Afterwards
 * each rank holds another part of C, such as some rows and all columns. The
 * kernel multiplies as matmul_hopper.cu does. TMA stores each box of C, 64
 * columns of 16 to 64 rows, to the memory of the rank that owns it. The pieces of a
 * tile are stored at equal distances while the next tile is computed, because
 * the link is much slower than the multiprocessors.
 *
 * Two layouts say which rank owns a box, and where (exchange_plan.h). Tiles for
 * other ranks are spread evenly, so the link always has work; the last tiles
 * are a rank's own. No two ranks take the owners in the same order, so none
 * sends to the same rank as another one.
 *
 * Flags order the ranks, as in reshard.h. A rank is ready when its kernel has
 * begun, and only then do others write to its C. The kernel of a rank ends when
 * all ranks are done, so the next kernel on its stream can read C. The number
 * of a call is counted in memory: the same launch can be repeated, and be a
 * node of a CUDA graph. All ranks must make the same calls.
 *
 * If ranks have parts of k instead, each computes partial sums of all of C. The
 * same kernel sends them to the owners (parts_of_ranks, rows_of_parts), and a
 * second kernel adds the parts.
 */
#ifndef LL_MATMUL_EXCHANGE_H
#define LL_MATMUL_EXCHANGE_H

#ifndef LL_TENSOR
#define LL_TENSOR
#endif
#include "ll_ptx.h"

#include "../dependent_launch.h"
#include "../reshard/reshard.h"
#include "exchange_plan.h"
#include "matmul_choice.h"
#include "matmul_multiply.h"

namespace ll_kernels {

/* ---- Arguments ----------------------------------------------------------- */

/* Flags of a rank in addition to those of reshard.h: how many calls are over,
 * and how many workers of this call. */
enum { EXCHANGE_CALLS = RESHARD_FLAGS, EXCHANGE_DONE, EXCHANGE_FLAGS };

/* A rank's call.
 *   pace      steps of k between two pieces of a tile that are stored
 *   flags     EXCHANGE_FLAGS words of each rank, zero before the first call
 *   together  all ranks run at the same time, each on its own GPU */
struct exchange_call {
    exchange_plan plan;
    gemm_problem p;
    unsigned *flags[EXCHANGE_RANKS];
    unsigned rank, ranks, pace;
    bool together;
};

struct exchange_maps {
    gemm_maps operands; /* c is not used */
    CUtensorMap of_rank[EXCHANGE_RANKS];
};

/* ---- Flags --------------------------------------------------------------- */

/* One thread: waits until a flag of this rank has the number of this call. As
 * wait_for_peers, gives up after some seconds and sets RESHARD_LATE. */
static __device__ void wait_for_flag(const exchange_call &c, unsigned word,
                                     unsigned call) {
    const unsigned most = LL_EMULATE ? 1000u : 3000000u, look = most / 1000u;
    unsigned *const own = c.flags[c.rank];
    for (unsigned tries = 1; (int)(load_flag(own + word) - call) < 0; ++tries) {
        if (tries > most ||
            (tries % look == 0 && load_flag(own + RESHARD_LATE))) {
            atomicExch(own + RESHARD_LATE, 1u);
            return;
        }
    }
}

/* One thread: tells all ranks that this rank is ready (first = 0) or done
 * (RESHARD_RANKS). */
static __device__ void tell_ranks(const exchange_call &c, unsigned first,
                                  unsigned call) {
    for (unsigned r = 0; r < c.ranks; ++r) {
        store_flag(c.flags[r] + first + c.rank, call);
    }
}

/* One thread of each worker: waits until its stores have arrived. The last
 * worker of the rank tells the ranks, and waits until they are done. */
static __device__ void finish_exchange(const exchange_call &c, unsigned workers,
                                       unsigned call) {
    unsigned *const own = c.flags[c.rank];
    ll_ptx_cp_async_bulk_wait_group<0>();
    __threadfence_system();
    if (atomicAdd(own + EXCHANGE_DONE, 1u) + 1u == workers) {
        __threadfence_system();
        atomicExch(own + EXCHANGE_DONE, 0u);
        tell_ranks(c, RESHARD_RANKS, call);
        for (unsigned r = 0; r < c.ranks && c.together; ++r) {
            wait_for_flag(c, RESHARD_RANKS + r, call);
        }
        own[EXCHANGE_CALLS] = call;
    }
}

/* ---- Tiles --------------------------------------------------------------- */

/* The tiles of a block, in the order of the plan. */
template <class T> struct exchange_tiles : tile_scheduler<T> {
    typedef tile_scheduler<T> base;
    const exchange_plan &plan;
    __device__ exchange_tiles(const exchange_call &c)
        : base(c.p), plan(c.plan) {
        base::whole = 1u << plan.tile_bits;
        base::has_split_tile = false;
    }
    __device__ bool next() {
        base::number += base::stride;
        const bool more = base::number < base::whole;
        const exchange_tile at = tile_at(plan, tile_number(plan, base::number));
        const unsigned across = base::stacked ? 1 : base::neighbours;
        const unsigned down = base::stacked ? base::neighbours : 1;
        base::row = (at.row * down + base::rank % down) * T::ROWS;
        base::col = (at.col * across + base::rank % across) * T::COLS;
        return more;
    }
};

/* ---- Stores -------------------------------------------------------------- */

/* Stores the columns of a warpgroup. One thread starts the TMA stores, and
 * knows which ranks are ready. */
struct exchange_stores {
    const exchange_maps &maps;
    const exchange_call &c;
    unsigned call, ready; /* a bit for each rank */
    __device__ void to(const exchange_place &at, unsigned from) {
        if (!(ready >> at.rank & 1u)) {
            wait_for_flag(c, at.rank, call);
            ready |= 1u << at.rank;
        }
        ll_ptx_cp_async_bulk_tensor_store_2d(&maps.of_rank[at.rank], from,
                                             (int)at.col, (int)at.row);
    }
    /* Rows `from` to `end` of the tile that starts at `row`, `col`. */
    template <class T>
    __device__ void rows(unsigned char *smem, unsigned row, unsigned col,
                         unsigned from, unsigned end) {
        const unsigned memory = (unsigned)__cvta_generic_to_shared(smem);
        if (threadIdx.x % 128 == 0 && col < c.p.n) {
            const exchange_place tile = place_of(c.plan, row, col);
            for (unsigned i = from; i < end && row + i < c.p.m;
                 i += c.plan.box_rows) {
                to(tile ^ row_in_tile(c.plan, i), memory + 128 * (i - from));
            }
        }
        if (threadIdx.x % 128 == 0) {
            ll_ptx_cp_async_bulk_commit_group();
        }
    }
};

/* As store_tile: stores a tile piece by piece while the next one is computed.
 */
template <class T, class F>
static __device__ void
exchange_tile_pieces(const rounded_tile<T> &c, unsigned char *smem,
                     exchange_stores &stores, unsigned row, unsigned col,
                     F after) {
    LL_IN(WARPGROUP);
    LL_UNROLL
    for (unsigned x = 0; x < T::PIECES * T::PIECE; x += T::PIECE) {
        unsigned char *const to = smem + x % (2 * T::PIECE) * 128;
        write_rows(c, to, x, x + T::PIECE);
        if (threadIdx.x % 128 == 0) { /* the previous piece was read */
            ll_ptx_cp_async_bulk_wait_group_read<0>();
        }
        LL_SYNC();
        stores.rows<T>(to, row, col, x, x + T::PIECE);
        after();
    }
}

/* As store_last_tile: stores the last tile of a block where the stages were. */
template <class T>
static __device__ void
exchange_last_tile(const rounded_tile<T> &c, unsigned char *memory,
                   unsigned worker, exchange_stores &stores, unsigned row,
                   unsigned col) {
    LL_IN(WARPGROUP);
    unsigned char *const to = memory + worker * T::PADDED_ROWS * 128;
    ll_ptx_bar_named<1 + T::WORKERS, 128 * T::WORKERS>(); /* all is read */
    write_rows(c, to, 0, T::ROWS);
    LL_SYNC();
    stores.rows<T>(to, row, col, 0, T::ROWS);
}

/* ---- The kernel ---------------------------------------------------------- */

/* One thread: starts the copies of all tiles of its block. */
template <class T>
static __device__ void load_exchange(unsigned smem, const gemm_maps &maps,
                                     exchange_tiles<T> t) {
    ring_stage<T> at = {smem, 0, 1}; /* the ring is empty */
    while (t.next()) {
        load_tile<T>(at, maps, t);
    }
    for (unsigned s = 0; s < T::STAGES; ++s) {
        ll_ptx_mbarrier_wait(at.empty(), at.parity); /* all have arrived */
        at.next();
    }
}

/* A warpgroup: multiplies and stores all tiles of its block. */
template <class T>
static __device__ void
multiply_exchange(unsigned char *memory, const exchange_maps &maps,
                  const exchange_call &c, exchange_tiles<T> t) {
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    const unsigned worker = uniform(threadIdx.x / 128) - 1;
    const unsigned call =
        threadIdx.x % 128 ? 0 : load_flag(c.flags[c.rank] + EXCHANGE_CALLS) + 1;
    exchange_stores stores = {maps, c, call, 1u << c.rank};
    float sum[T::ROWS / 2];
    rounded_tile<T> rounded;
    wgmma_pipeline<T> f = {{smem, 0, 0}};
    unsigned row = 0, col = 0;
    bool is_first = true;
    if (blockIdx.x == 0 && threadIdx.x == 128) {
        tell_ranks(c, 0, call);
    }
    while (t.next()) {
        f.begin(sum, worker, t.steps);
        if (!is_first) { /* the previous tile */
            exchange_tile_pieces(rounded,
                                 memory + T::AT_C + worker * T::BYTES_C, stores,
                                 row, col, [&] {
#pragma unroll 1
                                     for (unsigned x = 0; x < c.pace; ++x) {
                                         f.step(sum, worker, t, t.neighbours);
                                     }
                                 });
        }
        f.finish(sum, worker, t, t.neighbours);
        is_first = false;
        row = t.row, col = t.col + 64 * worker;
        rounded.round(sum);
    }
    exchange_last_tile(rounded, memory, worker, stores, row, col);
    if (threadIdx.x % 128 == 0) {
        finish_exchange(c, gridDim.x * T::WORKERS, call);
    }
}

/* Computes this rank's columns of C, and stores each box where its owner has
 * it. */
template <class T>
__global__ void __launch_bounds__(T::THREADS, 1)
    matmul_exchange(const __grid_constant__ exchange_maps maps,
                    const __grid_constant__ exchange_call c) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    if (threadIdx.x == 0) {
        ll_ptx_prefetch_tensormap(&maps.operands.a);
        ll_ptx_prefetch_tensormap(&maps.operands.b);
        for (unsigned s = 0; s < T::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, 1);
            ll_ptx_mbarrier_init(smem + T::EMPTY + 8 * s,
                                 T::WORKERS * c.p.neighbours);
        }
        ll_ptx_fence_mbarrier_init();
    }
    if (c.p.neighbours > 1) {
        ll_ptx_barrier_cluster_arrive_relaxed();
        ll_ptx_barrier_cluster_wait();
    } else {
        __syncthreads();
    }
    ll_ptx_griddepcontrol_launch_dependents();
    ll_ptx_griddepcontrol_wait(); /* the preceding kernel has written A and B */
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<32>();
        if (threadIdx.x < 32 && ll_ptx_elect()) {
            load_exchange<T>(smem, maps.operands, exchange_tiles<T>(c));
        }
        __syncwarp();
    } else {
        ll_ptx_setmaxnreg_inc<T::REGISTERS>();
        multiply_exchange<T>(memory, maps, c, exchange_tiles<T>(c));
    }
}

/* ---- The launcher -------------------------------------------------------- */

/* The forms that the launcher chooses from. Their tiles are powers of two. */
typedef form_list<gemm_form<dtype::bf16, 2, 256>,
                  gemm_form<dtype::bf16, 2, 128>,
                  gemm_form<dtype::bf16, 1, 128>, gemm_form<dtype::bf16, 1, 32>>
    exchange_forms;

/* What a launch takes beside a plan. C and the flags are of all ranks.
 *   order  EXCHANGE_SPREAD, EXCHANGE_FIRST, or a log2: see set_order
 *   pace   as in exchange_call; 0: such that all of a tile is used
 *   together, flags  as in exchange_call */
struct exchange_memory {
    void *c[EXCHANGE_RANKS];
    unsigned *flags[EXCHANGE_RANKS];
    const void *a, *b;
    unsigned rank, order, pace;
    bool together;
};

/* Makes the maps of all ranks. Returns an error message, or null. */
template <class T>
static const char *make_exchange_maps(exchange_maps *to,
                                      const exchange_memory &m,
                                      const exchange_call &c) {
    const char *bad = make_operand_maps<T>(&to->operands, m.a, m.b, c.p);
    for (unsigned r = 0; r < c.ranks && !bad; ++r) {
        bad = map_of_rows(&to->of_rank[r], m.c[r], map_type(T::RESULT),
                          c.plan.rows, c.plan.pitch, c.plan.box_rows,
                          T::BOX_C.box[0]);
    }
    return bad;
}

/* Returns the steps of k between two pieces, at least 1. */
static unsigned exchange_pace(unsigned k, unsigned depth, unsigned pieces) {
    const unsigned pace = div_up(k, depth) / pieces;
    return pace ? pace : 1;
}

template <class T>
static const char *launch_exchange_form(const exchange_sharding &s,
                                        const exchange_memory &m,
                                        gemm_problem p) {
    exchange_call c = {};
    exchange_maps maps = {};
    const exchange_form form = {
        T::ROWS * (p.stacked ? p.neighbours : 1),
        T::COLS * (p.stacked ? 1 : p.neighbours), T::PIECE,
        grid_blocks(p, T::COLS, T::ROWS) / p.neighbours};
    const char *bad = make_exchange_plan(&c.plan, s, form, m.rank, m.order);
    c.p = p;
    c.pace = m.pace ? m.pace : exchange_pace(p.k, T::DEPTH, T::PIECES);
    c.rank = m.rank, c.ranks = 1u << s.rank_bits, c.together = m.together;
    for (unsigned r = 0; r < c.ranks; ++r) {
        c.flags[r] = m.flags[r];
    }
    bad = bad ? bad : make_exchange_maps<T>(&maps, m, c);
    return bad ? bad
               : launch_clusters(matmul_exchange<T>,
                                 grid_blocks(p, T::COLS, T::ROWS), p.neighbours,
                                 T::THREADS, T::SMEM, launch_stream(), maps, c);
}

/* Sets the neighbours of p. Returns the number of the form with the fewest
 * estimated cycles. */
template <class... F>
static unsigned choose_exchange_form(form_list<F...>, gemm_problem &p) {
    static const unsigned SIZES[][2] = {{F::WORKERS, F::ROWS}...};
    unsigned best = 0;
    double least = 0;
    gemm_problem of_best = p;
    for (unsigned x = 0; x < sizeof...(F) * 3; ++x) {
        const unsigned *const size = SIZES[x / 3];
        p.neighbours = x % 3 ? 2 : 1;
        p.stacked = x % 3 == 2;
        const double cycles = gemm_cycles(p, size[0], size[1], 64);
        if (!least || cycles < least) {
            least = cycles, best = x / 3, of_best = p;
        }
    }
    p = of_best;
    return best;
}

template <class... F>
static const char *launch_exchange_number(form_list<F...>, unsigned number,
                                          const exchange_sharding &s,
                                          const exchange_memory &m,
                                          const gemm_problem &p) {
    typedef const char *launcher(const exchange_sharding &,
                                 const exchange_memory &, gemm_problem);
    static launcher *const LAUNCHERS[] = {launch_exchange_form<F>...};
    return LAUNCHERS[number](s, m, p);
}

/* Computes C = A B on all ranks: each calls it once, on launch_stream(). A is m
 * x k by rows, and B has this rank's columns, k contiguous, as in
 * matmul_hopper.cu; both are bf16. C has the shardings of `s`. Returns an error
 * message, or null. */
static const char *launch_matmul_exchange(const exchange_sharding &s,
                                          const exchange_memory &m,
                                          unsigned k) {
    if (!k || k % 8) {
        return "k must be a multiple of 8, at least 8";
    }
    if (s.bad) {
        return s.bad;
    }
    gemm_problem p = {0, 1, s.m, s.n, k, 1, 1, processors_here()};
    const unsigned number = choose_exchange_form(exchange_forms(), p);
    return launch_exchange_number(exchange_forms(), number, s, m, p);
}

/* ---- Partial sums -------------------------------------------------------- */

/* Adds `parts` matrices of bf16 of `groups` times 16 bytes, as floats in their
 * order, and rounds once. */
static __global__ void __launch_bounds__(256)
    add_parts(uint4 *to, const uint4 *from, size_t groups, unsigned parts) {
    typedef reshard_bf16 type;
    wait_for_preceding(true);
    for (size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x; x < groups;
         x += (size_t)gridDim.x * blockDim.x) {
        float s[8];
        uint4 next = __ldcs(from + x);
        for (unsigned p = 0; p < parts; ++p) {
            const unsigned words[4] = {next.x, next.y, next.z, next.w};
            next = p + 1 < parts ? __ldcs(from + (p + 1) * groups + x) : next;
            LL_UNROLL
            for (unsigned k = 0; k < 8; ++k) {
                const float one = type::number(words[k / 2], k % 2);
                s[k] = p ? s[k] + one : one;
            }
        }
        __stcs(to + x, make_uint4(type::word(s), type::word(s + 2),
                                  type::word(s + 4), type::word(s + 6)));
    }
}

/* Adds the parts of `elements` bf16, a multiple of 8, on launch_stream().
 * Returns an error message, or null. */
static const char *launch_add_parts(void *to, const void *from, size_t elements,
                                    unsigned parts) {
    if (elements % 8 || !parts) {
        return "parts have a multiple of 8 elements, and there is at least one";
    }
    return said(launch_dependent(add_parts, dim3(8 * processors_here()), 256, 0,
                                 (uint4 *)to, (const uint4 *)from, elements / 8,
                                 parts));
}

} // namespace ll_kernels

#endif
