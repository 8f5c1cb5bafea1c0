/* attention_fp8.cu - how does softmax(Q K^T) V run in numbers of 8 bits?
 * SPDX-License-Identifier: MIT
 *
 * Like attention.cu, with Q, K and V in e4m3 and the result in bf16. One scale
 * multiplies the scores, one the result. Two things differ, and both are
 * questions of layouts.
 *
 * The probabilities P. A lane of the first product's accumulators has keys 0,
 * 1, 8, 9 of 16, but operand A of the second product needs four adjacent ones.
 * The keys of a product can have any order if V has the same: ll_absorb finds
 * the one in which nothing leaves its lane. What is left renames registers.
 *
 * V. Operands of 8 bits are read along the axis that is summed over, but V
 * comes by rows of keys. The producers' warps transpose each tile in shared
 * memory: transposing loads of pairs of columns, a permute of bytes for each
 * word, matrix stores, and keys in the order above. So that no store has a bank
 * conflict, columns of O change places in each 16, which the end undoes.
 *
 * Probabilities are up to 2^MAX_LOG2 times the largest one's, so that e4m3 has
 * digits for small ones. Heads of 64 and 128 take a new maximum only when a
 * probability would be more than 2^8.8. Tensor cores round what they add up
 * towards 0: of 16,384 values of one sign they lose 32 %. So every few tiles
 * the accumulators are spilled to shared memory, and 1.4 % is lost.
 *
 * This file has the tiles and the producers; attention_kernel.h has the kernel
 * that runs them. At the end, attention_fp8 names the parts of the kernel for
 * each head dimension.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            [-DHEAD=64] \
 *            examples/kernels/attention/attention_fp8.cu -o attention_fp8
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   attention_fp8 [batch heads kv_heads rows keys causal window [ragged
 *        [factor of Q]]]
 */
#include "attention_check.h"
#include "attention_kernel.h"
#include "fp8_in_place_worker.h"
#include "fp8_lazy_maximum.h"
#include "fp8_overlapped_worker.h"
#include "fp8_tile_maximum.h"

#ifndef HEAD
#define HEAD 128
#endif

using namespace ll_kernels;

/* ---- Tiles --------------------------------------------------------------- */

/* Returns the layout of a box of bits i of a key and j of a column over the
 * producers, from that of 16 keys and columns. */
LL_FN ll_layout over_box(const char *square, unsigned keys, unsigned columns) {
    const ll_layout a = ll_mul(ll_parse(square), ll_identity(4, LL_WARP, LL_I));
    return ll_mul(ll_mul(a, ll_identity(keys / 64, LL_REGISTER, LL_I)),
                  ll_identity(columns / 16, LL_REGISTER, LL_J));
}

/* Returns the order of columns in which stores of V have no bank conflicts. */
LL_FN ll_layout exchanged(unsigned columns) {
    return ll_mul(ll_parse("j: j3 j1 j2 j0"),
                  ll_identity(columns / 16, LL_J, LL_J));
}

LL_SCOPE(PRODUCER, threadIdx.x, 128, LL_BARRIER(12));

template <unsigned DIM> struct tiles_fp8 {
    /* clang-format off */
    enum : unsigned {
        HEAD_DIM = DIM, ELEMENT_BYTES = 1,
        WORKERS = DIM == 64 ? 3 : 2,     /* warpgroups, of 64 rows each */
        ROWS = 64 * WORKERS,             /* of Q, per block */
        KEYS = DIM == 256 ? 64 : 128,    /* of a tile of K or V */
        BOX = DIM == 96 ? 32 : DIM == 64 ? 64 : 128, /* columns of a TMA box */
        BOXES = DIM / BOX,
        PART = DIM == 96 ? +BOX : DIM,   /* columns of O of one product */
        PARTS = DIM / PART, BOX_O = DIM == 96 ? 32 : 64, BOXES_O = DIM / BOX_O,
        ONES = DIM == 64 ? 8 : 0,        /* columns of V that are 1 */
        STAGES = DIM == 128 ? 3 : 2, THREADS = 128 + 128 * WORKERS,
        PRODUCER_REGISTERS = 56, WORKER_REGISTERS = WORKERS == 3 ? 152 : 224
    };
    /* clang-format on */
    enum : bool { PERSISTENT = DIM == 64 || DIM == 128 };
    static constexpr float MAX_LOG2 = PERSISTENT ? 6 : 7.8f;

    /* Tiles in shared memory, BOXES of each. V as it comes, and transposed. */
    LL_LAYOUT(TILE_Q, ll_ptx_smem_k(64, BOX, 8, BOX));
    LL_LAYOUT(TILE_K, ll_ptx_smem_k(KEYS, BOX, 8, BOX));
    LL_LAYOUT(BOX_V, ll_ptx_smem_k(BOX, KEYS, 8, KEYS));
    LL_LAYOUT(TILE_V,
              ll_mul(LL_GET(BOX_V), ll_identity(PART / BOX, LL_OFFSET, LL_I)));
    LL_LAYOUT(TILE_O, ll_mul(ll_ptx_smem_k(64, BOX_O, 16, 2 * BOX_O),
                             ll_identity(PART / BOX_O, LL_OFFSET, LL_J)));

    /* Accumulators of a worker: scores, and a part of O. */
    LL_LAYOUT(SCORES, ll_ptx_wgmma_d(64, KEYS, 4));
    LL_LAYOUT(OUTPUT, ll_ptx_wgmma_d(64, PART, 4));
    typedef float output_registers[PARTS][LL_REGS(OUTPUT)];
    static_assert(has_register_rows(LL_GET(SCORES)) &&
                      has_register_columns(LL_GET(SCORES)) &&
                      has_register_rows(LL_GET(OUTPUT)),
                  "register_row and register_column say where registers are");

    /* The largest score of a row, and the total of the lanes' sums of a row. */
    LL_LAYOUT(LANES,
              ll_parse("register: i3 | lane: j0 j1 i0 i1 i2 | warp: i4 i5"));
    LL_REDUCE_PLAN(LARGEST, SCORES, LL_J, 32, LL_SM90);
    LL_REDUCE_PLAN(TOTAL, LANES, LL_J, 32, LL_SM90);

    /* The order of keys in which P is operand A of the second product: no
     * element leaves its lane. */
    LL_LAYOUT(OPERAND_P, ll_ptx_wgmma_a(64, KEYS, 8, 4));
    LL_LAYOUT(ORDER, ll_absorb(LL_GET(SCORES), LL_GET(OPERAND_P), LL_J));
    LL_LAYOUT(ORDERED, ll_renumber(LL_GET(SCORES), LL_J, LL_GET(ORDER)));
    LL_PLAN(RENAME, ORDERED, OPERAND_P, 32, LL_SM90);
    LL_EXPECT_KIND(RENAME, LL_REGISTERS);

    /* How the producers transpose a box of V and put its keys in that order.
     * Pairs of columns, 16 bits, are loaded; IN and OUT are the bytes before
     * and after the permutes. */
    LL_LAYOUT(PAIRS,
              over_box("register: i0 i3 | lane: i1 i2 j0 j1 j2", KEYS, BOX));
    LL_LAYOUT(IN,
              over_box("register: j0 i0 i3 | lane: i1 i2 j1 j2 j3", KEYS, BOX));
    LL_LAYOUT(OUT,
              over_box("register: i0 i3 j0 | lane: i1 i2 j1 j2 j3", KEYS, BOX));
    LL_LAYOUT(TRANSPOSED,
              ll_renumber(ll_renumber(ll_trans(LL_GET(BOX_V), "j i"), LL_I,
                                      ll_inv(LL_GET(ORDER))),
                          LL_J, exchanged(BOX)));
    LL_PLAN_THROUGH(TAKE, PAIRS, PAIRS, 16, LL_SM90,
                    ll_ptx_smem_k(KEYS, BOX / 2, 16, BOX));
    LL_PLAN(TURN, IN, OUT, 8, LL_SM90);
    LL_PLAN_THROUGH(PUT, OUT, OUT, 8, LL_SM90, LL_GET(TRANSPOSED));
    LL_EXPECT_NO_CONFLICTS(TAKE);
    LL_EXPECT_KIND(TURN, LL_REGISTERS);
    LL_EXPECT_NO_CONFLICTS(PUT);

    /* Columns of O go back to their places, and O to where TMA reads it. */
    LL_LAYOUT(EXCHANGED, ll_renumber(LL_GET(OUTPUT), LL_J, exchanged(PART)));
    LL_PLAN(IN_ORDER, EXCHANGED, OUTPUT, 32, LL_SM90);
    LL_EXPECT_KIND(IN_ORDER, LL_REGISTERS);
    LL_PLAN_THROUGH(STORE, OUTPUT, OUTPUT, 16, LL_SM90, LL_GET(TILE_O));
    LL_EXPECT_NO_CONFLICTS(STORE);

    /* Descriptors of tiles at address 0. */
    static constexpr unsigned long long DESC_Q =
        slices_descriptor(LL_GET(TILE_Q), 64, BOX, 8, 32);
    static constexpr unsigned long long DESC_K =
        slices_descriptor(LL_GET(TILE_K), KEYS, BOX, 8, 32);
    static constexpr unsigned long long DESC_V =
        slices_descriptor(LL_GET(TILE_V), PART, KEYS, 8, 32);
    static_assert(DESC_Q && DESC_K && DESC_V,
                  "wgmma reads these tiles, slices of k 32 bytes apart");

    /* Shared memory: Q, the stages of K and V, V as it comes, O, the mbarriers.
     */
    /* clang-format off */
    enum : unsigned {
        BYTES_Q = 64 * DIM, BYTES_K = KEYS * DIM,
        BYTES_V = BYTES_K + ONES * KEYS, BYTES_O = 2 * 64 * DIM,
        BOX_BYTES_Q = 64 * BOX, BOX_BYTES_K = KEYS * BOX,
        BOX_BYTES_O = 2 * 64 * BOX_O,
        AT_K = WORKERS * BYTES_Q, AT_V = AT_K + STAGES * BYTES_K,
        AT_RAW = AT_V + STAGES * BYTES_V, AT_O = AT_RAW + STAGES * BYTES_K,
        FULL_Q = AT_O + WORKERS * BYTES_O,
        EMPTY_Q = FULL_Q + (PERSISTENT ? 8 : 0), FULL_K = EMPTY_Q + 8,
        EMPTY_K = FULL_K + 8 * STAGES,
        FULL_V = EMPTY_K + 8 * STAGES, EMPTY_V = FULL_V + 8 * STAGES,
        FULL_RAW = EMPTY_V + 8 * STAGES, SMEM = FULL_RAW + 8 * STAGES
    };
    /* clang-format on */

    /* scores += q k for a slice; scores = q k if `more` is 0. */
    static __device__ void multiply_scores(float *scores, unsigned long long q,
                                           unsigned long long k,
                                           unsigned more) {
        ll_ptx_wgmma_f32_e4m3<KEYS>(scores, q, k, more);
    }
    /* Starts O += P V. v is the descriptor of the tile. */
    static __device__ void start_output(output_registers &output,
                                        const unsigned *p,
                                        unsigned long long v) {
        LL_UNROLL
        for (unsigned x = 0; x < PARTS * KEYS / 32; ++x) {
            const unsigned part = x / (KEYS / 32), k = x % (KEYS / 32);
            ll_ptx_wgmma_f32_e4m3_ra<PART>(
                output[part], p + 4 * k,
                v + ((KEYS * PART * part + 32 * k) >> 4), 1);
        }
        ll_ptx_wgmma_commit_group();
    }
    static __device__ void round_output(unsigned (&words)[LL_WORDS(OUTPUT, 16)],
                                        const float (&part)[LL_REGS(OUTPUT)]) {
        LL_IN(WARPGROUP);
        float ordered[LL_REGS(OUTPUT)];
        LL_CONVERT(ordered, part, IN_ORDER, 0);
        round_pairs<number_format::BF16>(words, ordered);
    }
    /* P as operand A: registers are renamed, then rounded four to a word. */
    static __device__ void
    round_probabilities(unsigned (&words)[LL_WORDS(OPERAND_P, 8)],
                        const float (&p)[LL_REGS(SCORES)]) {
        LL_IN(WARPGROUP);
        float copies[LL_REGS(ORDERED)], ordered[LL_REGS(OPERAND_P)];
        LL_EACH(r, ORDERED) { copies[r] = p[r]; }
        LL_CONVERT(ordered, copies, RENAME, 0);
        LL_CAST(words, ordered, ll_e4m3, ll_f32);
    }
};

/* ---- The producers ------------------------------------------------------- */

/* Warpgroup 0: one thread starts all copies, all threads transpose V. */
template <class TILES> struct producer_fp8 {
    typedef ring_position<TILES::STAGES> position;

    /* One thread: initialises the mbarriers of V as it comes. */
    static __device__ void init(unsigned smem) {
        for (unsigned k = 0; k < TILES::STAGES; ++k) {
            ll_ptx_mbarrier_init(smem + TILES::FULL_RAW + 8 * k, 1);
        }
    }

    /* Before the first tile: fills V's columns of ones. */
    static __device__ void begin(unsigned char *memory) {
        if constexpr (TILES::ONES > 0) {
            const unsigned four = 0x38383838; /* four ones in e4m3 */
            const uint4 ones = make_uint4(four, four, four, four);
            for (unsigned k = 1; k <= TILES::STAGES; ++k) {
                unsigned char *end = memory + TILES::AT_V + TILES::BYTES_V * k;
                for (unsigned x = threadIdx.x;
                     x < TILES::ONES * TILES::KEYS / 16; x += 128) {
                    ((uint4 *)end)[-1 - (int)x] = ones;
                }
            }
        }
    }

    /* One thread: copies a tile of K, or of V. */
    static __device__ void load(unsigned to, unsigned bar,
                                const CUtensorMap *map, const tile_job &t,
                                int tile) {
        ll_ptx_mbarrier_arrive_expect_tx(bar, TILES::BYTES_K);
        load_boxes<TILES>(to, bar, map, t, tile);
    }

    /* One thread: copies tiles of K and V. V's stage was transposed two steps
     * ago. */
    static __device__ void load_both(unsigned smem, const CUtensorMap *map_k,
                                     const CUtensorMap *map_v, position &p,
                                     const tile_job &t, int tile) {
        ll_ptx_mbarrier_wait(smem + TILES::EMPTY_K + 8 * p.stage, p.parity ^ 1);
        load(smem + TILES::AT_K + TILES::BYTES_K * p.stage,
             smem + TILES::FULL_K + 8 * p.stage, map_k, t, tile);
        load(smem + TILES::AT_RAW + TILES::BYTES_K * p.stage,
             smem + TILES::FULL_RAW + 8 * p.stage, map_v, t, tile);
        p.next();
    }

    /* Transposes the tile of V that has arrived. */
    static __device__ void transpose_tile(unsigned char *memory, position &p) {
        LL_IN(PRODUCER);
        typedef typename TILES::IN IN;
        typedef typename TILES::OUT OUT;
        const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
        ll_ptx_mbarrier_wait(smem + TILES::FULL_RAW + 8 * p.stage, p.parity);
        ll_ptx_mbarrier_wait(smem + TILES::EMPTY_V + 8 * p.stage, p.parity ^ 1);
        LL_UNROLL
        for (unsigned x = 0; x < TILES::BOXES; ++x) {
            unsigned in[LL_WORDS(IN, 8)], out[LL_WORDS(OUT, 8)];
            unsigned char *box = memory + TILES::BOX_BYTES_K * x;
            LL_LOAD_SHARED(in, typename TILES::TAKE,
                           box + TILES::AT_RAW + TILES::BYTES_K * p.stage);
            LL_CONVERT(out, in, typename TILES::TURN, 0);
            LL_STORE_SHARED(out, typename TILES::PUT,
                            box + TILES::AT_V + TILES::BYTES_V * p.stage);
        }
        ll_ptx_fence_proxy_async();
        LL_SYNC();
        if (threadIdx.x == 0) {
            ll_ptx_mbarrier_arrive(smem + TILES::FULL_V + 8 * p.stage);
        }
        p.next();
    }

    /* The tiles of the only job of a block. */
    static __device__ void run(unsigned char *memory, const CUtensorMap *map_q,
                               const CUtensorMap *map_k,
                               const CUtensorMap *map_v, const tile_job &t,
                               ring_positions<TILES::STAGES> &p) {
        const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
        position k = p.k, v = p.v;
        if (threadIdx.x == 0) {
            load_q<TILES>(smem, map_q, t);
            load_both(smem, map_k, map_v, k, t, t.high - 1);
        }
        for (int x = t.high; x-- > t.low;) {
            if (threadIdx.x == 0 && x > t.low) {
                load_both(smem, map_k, map_v, k, t, x - 1);
            }
            __syncwarp();
            transpose_tile(memory, v);
        }
    }
};

/* The same, for one job after another: the workers release Q. */
template <class TILES> struct persistent_producer_fp8 : producer_fp8<TILES> {
    typedef producer_fp8<TILES> one_job;

    static __device__ void run(unsigned char *memory, const CUtensorMap *map_q,
                               const CUtensorMap *map_k,
                               const CUtensorMap *map_v, const tile_job &t,
                               ring_positions<TILES::STAGES> &p) {
        const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
        int next = t.high; /* the tile below is copied next */
        if (threadIdx.x == 0) {
            ll_ptx_mbarrier_wait(smem + TILES::EMPTY_Q, p.q ^ 1);
            load_q<TILES>(smem, map_q, t);
        }
        for (int x = t.high + 1; x-- > t.low;) {
            if (threadIdx.x == 0 && next > t.low) {
                one_job::load_both(smem, map_k, map_v, p.k, t, --next);
            }
            __syncwarp();
            if (x < t.high) {
                one_job::transpose_tile(memory, p.v);
            }
        }
    }
};

/* ---- The kernels --------------------------------------------------------- */

/* The parts of the kernel for heads of 96 and 256, of 64, and of 128. */
template <unsigned DIM> struct attention_fp8 {
    typedef tiles_fp8<DIM> tiles;
    typedef producer_fp8<tiles> producer;
    typedef overlapped_worker<tiles, tile_maximum<tiles>, spill_loop::NESTED>
        worker;
};

template <> struct attention_fp8<64> {
    typedef tiles_fp8<64> tiles;
    typedef persistent_producer_fp8<tiles> producer;
    typedef in_place_worker<tiles> worker;
};

template <> struct attention_fp8<128> {
    typedef tiles_fp8<128> tiles;
    typedef persistent_producer_fp8<tiles> producer;
    typedef overlapped_worker<tiles, lazy_maximum<tiles>, spill_loop::COUNTED>
        worker;
};

/* O = softmax(Q K^T / sqrt(HEAD)) V. Returns an error message, or null. */
static inline const char *launch_on(void *o, const void *q, const void *k,
                                    const void *v, attention_shape s,
                                    cudaStream_t stream) {
    return launch_attention<attention_fp8<HEAD>>(o, q, k, v, s, 1, 1, stream);
}

static inline const char *launch(void *o, const void *q, const void *k,
                                 const void *v, attention_shape s) {
    return launch_on(o, q, k, v, s, 0);
}

#ifndef LL_NO_MAIN

int main(int argc, char **argv) {
    return run_shapes<HEAD, number_format::E4M3>(launch, argc, argv);
}

#endif
