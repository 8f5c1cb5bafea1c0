/* attention.cu - how does softmax(Q K^T) V run at the speed of Hopper's tensor
 * cores?
 * SPDX-License-Identifier: MIT
 *
 * bf16 or f16 in and out, accumulators in f32. Q is batch x rows x heads x
 * HEAD, K and V are batch x keys x kv_heads x HEAD; heads / kv_heads neighbours
 * share a head of K and V. If causal, row i sees keys up to i + keys - rows;
 * with a window, only the last `window` of them. Sequences of several lengths
 * lie end to end; row_start and key_start tell where each one starts. HEAD is
 * 64, 96, 128 or 256.
 *
 * A block has 64 rows of Q for each of its WORKERS, and passes over the keys,
 * KEYS in a step. One thread starts the copies of K and V into two stages each.
 * A worker is a warpgroup. It starts the scores of the next keys and the
 * product of the last probabilities with V, and computes a softmax while the
 * tensor cores work. Workers take turns at starting products, so that the
 * softmax of one runs under the products of another.
 *
 * Layouts come from the library. The probabilities P go from the accumulators
 * of one product to operand A of the next: no element moves, which the compiler
 * proves. V lies by rows where the product wants columns: the layout of its
 * tile is mn-major, and the descriptors follow from that.
 *
 * This file has the tiles, the producer and the worker; attention_kernel.h has
 * the kernel that runs them.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            [-DHEAD=64] [-DHALF=1] \
 *            examples/kernels/attention/attention.cu -o attention
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   attention [batch heads kv_heads rows keys causal window [ragged
 *        [factor of Q]]]
 */
#include "attention_check.h"
#include "attention_kernel.h"

#ifndef HEAD
#define HEAD 128
#endif
#ifndef HALF /* f16 */
#define HALF 0
#endif

using namespace ll_kernels;

/* ---- Tiles --------------------------------------------------------------- */

template <unsigned DIM, number_format FORMAT> struct tiles_16bit {
    /* clang-format off */
    enum : unsigned {
        HEAD_DIM = DIM, ELEMENT_BYTES = 2,
        WORKERS = DIM == 64 ? 3 : 2,     /* warpgroups, of 64 rows each */
        ROWS = 64 * WORKERS,             /* of Q, per block */
        KEYS = DIM == 256 ? 64 : 128,    /* of a tile of K or V */
        BOX = DIM == 96 ? 32 : 64,       /* columns of a TMA box */
        BOXES = DIM / BOX,
        PART = DIM == 96 ? +BOX : DIM,   /* columns of O of one product */
        PARTS = DIM / PART, BOX_O = BOX, BOXES_O = BOXES,
        STAGES = 2, THREADS = 128 + 128 * WORKERS,
        PRODUCER_REGISTERS = WORKERS == 3 ? 32 : 24,
        WORKER_REGISTERS = WORKERS == 3 ? 160 : 240
    };
    /* clang-format on */
    enum : bool {
        PERSISTENT = false,
        LAZY_RESCALE = DIM == 64 /* rescale O only by factors other than 1, as
                                    that is faster */
    };

    /* Tiles in shared memory, BOXES of each. O takes the place of Q. V is
     * stored by keys, like K; its columns are the contiguous dimension of
     * operand B. */
    LL_LAYOUT(TILE_Q, ll_ptx_smem_k(64, BOX, 16, 2 * BOX));
    LL_LAYOUT(TILE_K, ll_ptx_smem_k(KEYS, BOX, 16, 2 * BOX));
    LL_LAYOUT(TILE_V, ll_mul(ll_ptx_smem_mn(BOX, KEYS, 16, 2 * BOX, 16),
                             ll_identity(PART / BOX, LL_OFFSET, LL_I)));
    LL_LAYOUT(TILE_O,
              ll_mul(LL_GET(TILE_Q), ll_identity(PART / BOX, LL_OFFSET, LL_J)));

    /* Accumulators of a worker: scores, and a part of O. */
    LL_LAYOUT(SCORES, ll_ptx_wgmma_d(64, KEYS, 4));
    LL_LAYOUT(OUTPUT, ll_ptx_wgmma_d(64, PART, 4));
    typedef float output_registers[PARTS][LL_REGS(OUTPUT)];
    static_assert(has_register_rows(LL_GET(SCORES)) &&
                      has_register_columns(LL_GET(SCORES)) &&
                      has_register_rows(LL_GET(OUTPUT)) &&
                      has_register_columns(LL_GET(OUTPUT)),
                  "register_row and register_column say where registers are");

    /* The largest score of a row, and the total of the lanes' sums of a row. */
    LL_LAYOUT(LANES,
              ll_parse("register: i3 | lane: j0 j1 i0 i1 i2 | warp: i4 i5"));
    LL_REDUCE_PLAN(LARGEST, SCORES, LL_J, 32, LL_SM90);
    LL_REDUCE_PLAN(TOTAL, LANES, LL_J, 32, LL_SM90);
    static_assert(ll_is_equal(ll_reduce(LL_GET(SCORES), LL_J),
                              ll_reduce(LL_GET(LANES), LL_J)),
                  "a lane sums the rows of which it has the largest score");

    /* P is operand A of the second product: nothing moves. */
    LL_LAYOUT(OPERAND_P, ll_ptx_wgmma_a(64, KEYS, 16, 4));
    LL_PLAN(NOTHING, SCORES, OPERAND_P, 16, LL_SM90);
    LL_EXPECT_KIND(NOTHING, LL_NOTHING);

    /* O goes to where TMA reads it. */
    LL_PLAN_THROUGH(STORE, OUTPUT, OUTPUT, 16, LL_SM90, LL_GET(TILE_O));
    LL_EXPECT_NO_CONFLICTS(STORE);

    /* Descriptors of tiles at address 0, and the distance of slices of V. */
    enum : unsigned { NEXT_V = 32 * BOX };
    static constexpr unsigned long long DESC_Q =
        slices_descriptor(LL_GET(TILE_Q), 64, BOX, 16, 32);
    static constexpr unsigned long long DESC_K =
        slices_descriptor(LL_GET(TILE_K), KEYS, BOX, 16, 32);
    static constexpr unsigned long long DESC_V =
        slices_descriptor(LL_GET(TILE_V), PART, KEYS, 16, NEXT_V);
    static_assert(DESC_Q && DESC_K && DESC_V,
                  "wgmma reads these tiles, their slices at one distance");

    /* The boxes that TMA moves: BOX columns, and all rows. */
    static constexpr ll_ptx_tensor BOX_Q =
        ll_ptx_tensor_of(LL_GET(TILE_Q), 64, BOX, 16);
    static constexpr ll_ptx_tensor BOX_K =
        ll_ptx_tensor_of(LL_GET(TILE_K), KEYS, BOX, 16);
    static constexpr ll_ptx_tensor BOX_V =
        ll_ptx_tensor_of(LL_GET(TILE_V), BOX, KEYS, 16);
    static_assert(BOX_Q.copies == 1 && BOX_K.copies == 1 && BOX_V.copies == 1 &&
                      BOX_V.mn_major && BOX_V.box[0] == BOX_K.box[0],
                  "one copy loads a tile of Q, K or V, by rows of one width");

    /* Shared memory: Q, the stages of K and V, the mbarriers. */
    /* clang-format off */
    enum : unsigned {
        BYTES_Q = 2 * 64 * DIM, BYTES_K = 2 * KEYS * DIM,
        BOX_BYTES_Q = 2 * 64 * BOX, BOX_BYTES_K = 2 * KEYS * BOX,
        BYTES_O = BYTES_Q, BOX_BYTES_O = BOX_BYTES_Q, AT_O = 0,
        AT_K = WORKERS * BYTES_Q, AT_V = AT_K + STAGES * BYTES_K,
        FULL_Q = AT_V + STAGES * BYTES_K,
        FULL_K = FULL_Q + 8, EMPTY_K = FULL_K + 8 * STAGES,
        FULL_V = EMPTY_K + 8 * STAGES, EMPTY_V = FULL_V + 8 * STAGES,
        SMEM = EMPTY_V + 8 * STAGES
    };
    /* clang-format on */

    /* scores += q k for a slice; scores = q k if `more` is 0. */
    static __device__ void multiply_scores(float *scores, unsigned long long q,
                                           unsigned long long k,
                                           unsigned more) {
        if constexpr (FORMAT == number_format::F16) {
            ll_ptx_wgmma_f32_f16<KEYS>(scores, q, k, more);
        } else {
            ll_ptx_wgmma_f32_bf16<KEYS>(scores, q, k, more);
        }
    }
    /* Starts O += P V. v is the descriptor of the tile. */
    static __device__ void start_output(output_registers &output,
                                        const unsigned *p,
                                        unsigned long long v) {
        LL_UNROLL
        for (unsigned x = 0; x < PARTS * KEYS / 16; ++x) {
            const unsigned part = x / (KEYS / 16), k = x % (KEYS / 16);
            const unsigned long long slice =
                v + ((BOX_BYTES_K * part + NEXT_V * k) >> 4);
            if constexpr (FORMAT == number_format::F16) {
                ll_ptx_wgmma_f32_f16_ra<PART, 1>(output[part], p + 4 * k, slice,
                                                 1);
            } else {
                ll_ptx_wgmma_f32_bf16_ra<PART, 1>(output[part], p + 4 * k,
                                                  slice, 1);
            }
        }
        ll_ptx_wgmma_commit_group();
    }
    static __device__ void round_output(unsigned (&words)[LL_WORDS(OUTPUT, 16)],
                                        const float *part) {
        round_pairs<FORMAT>(words, part);
    }
    /* P as operand A. */
    static __device__ void
    round_probabilities(unsigned (&words)[LL_WORDS(OPERAND_P, 16)],
                        const float *p) {
        round_pairs<FORMAT>(words, p);
    }
};

/* ---- The producer -------------------------------------------------------- */

/* One thread starts all copies. */
template <class TILES> struct producer_16bit {
    typedef ring_position<TILES::STAGES> position;

    static __device__ void init(unsigned) {}
    static __device__ void begin(unsigned char *) {}

    /* Copies a tile of K or V when its stage is empty. */
    static __device__ void load(unsigned smem, const CUtensorMap *map,
                                unsigned at, unsigned full, unsigned empty,
                                position &p, const tile_job &t, int tile) {
        const unsigned bar = smem + full + 8 * p.stage;
        ll_ptx_mbarrier_wait(smem + empty + 8 * p.stage, p.parity ^ 1);
        ll_ptx_mbarrier_arrive_expect_tx(bar, TILES::BYTES_K);
        load_boxes<TILES>(smem + at + TILES::BYTES_K * p.stage, bar, map, t,
                          tile);
        p.next();
    }
    /* Copies the tiles of a job. V is needed one step after K. */
    static __device__ void run(unsigned char *memory, const CUtensorMap *map_q,
                               const CUtensorMap *map_k,
                               const CUtensorMap *map_v, const tile_job &t,
                               ring_positions<TILES::STAGES> &p) {
        const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
        position k = p.k, v = p.v;
        if (threadIdx.x != 0) {
            return;
        }
        load_q<TILES>(smem, map_q, t);
        for (int x = t.high; x-- > t.low;) {
            load(smem, map_k, TILES::AT_K, TILES::FULL_K, TILES::EMPTY_K, k, t,
                 x);
            if (x + 1 < t.high) {
                load(smem, map_v, TILES::AT_V, TILES::FULL_V, TILES::EMPTY_V, v,
                     t, x + 1);
            }
        }
        load(smem, map_v, TILES::AT_V, TILES::FULL_V, TILES::EMPTY_V, v, t,
             t.low);
    }
};

/* ---- The worker ---------------------------------------------------------- */

template <class TILES> struct worker_16bit {
    typedef typename TILES::SCORES SCORES;
    typedef typename TILES::OPERAND_P OPERAND_P;
    /* clang-format off */
    enum : unsigned {
        WORKERS = TILES::WORKERS, BYTES_K = TILES::BYTES_K,
        FULL_K = TILES::FULL_K, EMPTY_K = TILES::EMPTY_K,
        FULL_V = TILES::FULL_V, EMPTY_V = TILES::EMPTY_V
    };
    /* clang-format on */

    /* Turns the scores of a tile into probabilities. Sets `factor` to the scale
     * of everything accumulated so far. */
    static __device__ void softmax_step(float (&scores)[LL_REGS(SCORES)],
                                        running_softmax &x, float (&factor)[2],
                                        float scale) {
        LL_IN(WARPGROUP);
        float most[2];
        LL_REDUCE(most, scores, typename TILES::LARGEST, 0,
                  [](float a, float b) { return fmaxf(a, b); });
        softmax_tile(scores, most, x.most, x.sum, factor, scale);
    }

    /* Computes 64 rows of O, scaled by output_scale. */
    static __device__ void run(typename TILES::output_registers &output,
                               unsigned smem, const attention_shape &s,
                               const tile_job &t, unsigned worker,
                               float output_scale,
                               ring_positions<TILES::STAGES> &p) {
        LL_IN(WARPGROUP);
        float scores[LL_REGS(SCORES)], factor[2], total[2];
        unsigned probabilities[LL_WORDS(OPERAND_P, 16)];
        running_softmax x = {{-INFINITY, -INFINITY}, {0, 0}};
        ring_position<TILES::STAGES> k = p.k, v = p.v;
        const unsigned long long q =
            TILES::DESC_Q + ((smem + worker * TILES::BYTES_Q) >> 4);
        const unsigned long long keys =
            TILES::DESC_K + ((smem + TILES::AT_K) >> 4);
        const unsigned long long values =
            TILES::DESC_V + ((smem + TILES::AT_V) >> 4);
        const int high = tiles_seen<TILES::KEYS>(s, t, worker);
        int tile = t.high;
        for (; tile > high; --tile) {
            skip_tile<TILES>(smem, k, v);
            wait_turn<WORKERS>(worker, tile, t);
            pass_turn<WORKERS>(worker, tile, t);
        }
        if (tile == t.low) {
            return;
        }
        ll_ptx_mbarrier_wait(smem + TILES::FULL_Q, p.q);
        ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
        wait_turn<WORKERS>(worker, tile, t);
        ll_ptx_wgmma_fence();
        start_scores<TILES>(scores, q, keys + (BYTES_K >> 4) * k.stage);
        pass_turn<WORKERS>(worker, tile, t);
        ll_ptx_wgmma_wait_group<0>();
        release(smem + EMPTY_K + 8 * k.stage);
        k.next();
        mask_scores<TILES>(scores, s, t, worker, --tile);
        softmax_step(scores, x, factor, s.scale);
        TILES::round_probabilities(probabilities, scores);
        while (tile-- > t.low) {
            ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
            ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
            wait_turn<WORKERS>(worker, tile + 1, t);
            ll_ptx_wgmma_fence();
            start_scores<TILES>(scores, q, keys + (BYTES_K >> 4) * k.stage);
            TILES::start_output(output, probabilities,
                                values + (BYTES_K >> 4) * v.stage);
            pass_turn<WORKERS>(worker, tile + 1, t);
            ll_ptx_wgmma_wait_group<1>();
            release(smem + EMPTY_K + 8 * k.stage);
            k.next();
            mask_scores<TILES>(scores, s, t, worker, tile);
            softmax_step(scores, x, factor, s.scale);
            if (tile > t.low) { /* before O, which the softmax does not need */
                ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
            }
            ll_ptx_wgmma_wait_group<0>();
            release(smem + EMPTY_V + 8 * v.stage);
            v.next();
            if (!TILES::LAZY_RESCALE ||
                __any_sync(~0u, factor[0] != 1 || factor[1] != 1)) {
                scale_rows(output, factor);
            }
            TILES::round_probabilities(probabilities, scores);
        }
        ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
        ll_ptx_wgmma_fence();
        TILES::start_output(output, probabilities,
                            values + (BYTES_K >> 4) * v.stage);
        LL_REDUCE(total, x.sum, typename TILES::TOTAL, 0,
                  [](float a, float b) { return a + b; });
        ll_ptx_wgmma_wait_group<0>();
        for (float &sum : total) {
            sum = sum == 0 ? 0 : output_scale * (1 / sum);
        }
        scale_rows(output, total);
    }
};

/* ---- The kernel ---------------------------------------------------------- */

template <unsigned DIM, number_format FORMAT> struct attention_16bit {
    typedef tiles_16bit<DIM, FORMAT> tiles;
    typedef producer_16bit<tiles> producer;
    typedef worker_16bit<tiles> worker;
};

constexpr number_format ELEMENT =
    HALF ? number_format::F16 : number_format::BF16;

/* O = softmax(Q K^T / sqrt(HEAD)) V. Returns an error message, or null. */
static inline const char *launch_on(void *o, const void *q, const void *k,
                                    const void *v, attention_shape s,
                                    cudaStream_t stream) {
    return launch_attention<attention_16bit<HEAD, ELEMENT>>(o, q, k, v, s, 1, 1,
                                                            stream);
}

static inline const char *launch(void *o, const void *q, const void *k,
                                 const void *v, attention_shape s) {
    return launch_on(o, q, k, v, s, 0);
}

#ifndef LL_NO_MAIN

int main(int argc, char **argv) {
    return run_shapes<HEAD, ELEMENT>(launch, argc, argv);
}

#endif
