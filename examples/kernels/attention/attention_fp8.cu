/* attention_fp8.cu - how does softmax(Q K^T) V run in numbers of 8 bits?
 * SPDX-License-Identifier: MIT
 *
 * As attention.cu, with Q, K and V in e4m3 and the result in bf16. One scale
 * multiplies the scores, one the result. Two things differ, and both are
 * questions of layouts.
 *
 * The weights P. A lane of the first product's sums has keys 0, 1, 8, 9 of 16,
 * but operand A of the second one wants four that lie side by side. The keys of
 * a product can have any order, if V has the same: ll_absorb finds the one in
 * which nothing leaves its lane. What is left renames registers.
 *
 * V. Operands of 8 bits are read along the axis that is summed over, but V
 * comes by rows of keys. The producers' warps turn each tile in shared memory:
 * transposing loads of pairs of columns, a permute of bytes for each word,
 * matrix stores, and keys in the order above. So that no store has a bank
 * conflict, columns of O change places in each 16, which the end undoes.
 *
 * Weights are up to 2^FACTOR times the largest one's, so that e4m3 has digits
 * for small ones. Heads of 64 and 128 take the largest score anew only where a
 * weight would be more than 2^8.8. Tensor cores round what they add up towards
 * 0: of 16,384 values of one sign they lose 32 %. So every few tiles sums move
 * to shared memory (fp8_spilled_sums.h), and 1.4 % is lost.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            [-DHEAD=64] \
 *            examples/kernels/attention/attention_fp8.cu -o attention_fp8
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   attention_fp8 [batch heads kv_heads rows keys causal window [ragged
 *        [factor of Q]]]
 */
#define LL_TENSOR
#define FP8 1
#define STAYS (HEAD == 64 || HEAD == 128) /* persistent_kernel.h */
#include "attention.h"
#include "../hopper.h"
#include "ll_ptx.h"
#include "attention_weigh.h"

/* ---- Layouts ------------------------------------------------------------- */

/* clang-format off */
enum : unsigned {
    WORKERS = HEAD == 64 ? 3 : 2,    /* warpgroups, of 64 rows each */
    ROWS = 64 * WORKERS,
    KEYS = HEAD == 256 ? 64 : 128,   /* in a step */
    BOX = HEAD == 96 ? 32 : HEAD == 64 ? 64 : 128, /* columns together */
    BOXES = HEAD / BOX,
    PART = HEAD == 96 ? BOX : HEAD,  /* columns of O of one product */
    PARTS = HEAD / PART, BOX_O = HEAD == 96 ? 32 : 64, BOXES_O = HEAD / BOX_O,
    ONES = HEAD == 64 ? 8 : 0, /* columns of V that are 1 */
    STAGES = HEAD == 128 ? 3 : 2, THREADS = 128 + 128 * WORKERS,
    FEW = 56, MANY = WORKERS == 3 ? 152 : 224
};
/* clang-format on */
constexpr bool LAZY = true; /* sums are scaled only where a factor is not 1 */
constexpr float FACTOR = STAYS ? 6 : 7.8f;

/* Tiles in shared memory, BOXES of each. V as it comes, and turned. */
LL_LAYOUT(TILE_Q, ll_ptx_smem_k(64, BOX, 8, BOX));
LL_LAYOUT(TILE_K, ll_ptx_smem_k(KEYS, BOX, 8, BOX));
LL_LAYOUT(BOX_V, ll_ptx_smem_k(BOX, KEYS, 8, KEYS));
LL_LAYOUT(TILE_V, ll_mul(LL_GET(BOX_V),
                         ll_identity(PART / BOX, LL_OFFSET, LL_I)));
LL_LAYOUT(TILE_O, ll_mul(ll_ptx_smem_k(64, BOX_O, 16, 2 * BOX_O),
                         ll_identity(PART / BOX_O, LL_OFFSET, LL_J)));

/* Scores of a worker, and sums of a part of O; the largest score of each row,
 * and lanes' sums of a row. */
LL_LAYOUT(SCORES, ll_ptx_wgmma_d(64, KEYS, 4));
LL_LAYOUT(SUMS, ll_ptx_wgmma_d(64, PART, 4));
LL_LAYOUT(LANES, ll_parse("register: i3 | lane: j0 j1 i0 i1 i2 | warp: i4 i5"));
LL_REDUCE_PLAN(LARGEST, SCORES, LL_J, 32, LL_SM90);
LL_REDUCE_PLAN(TOTAL, LANES, LL_J, 32, LL_SM90);

/* The order of keys in which weights are operand A of the second product: no
 * element leaves its lane. */
LL_LAYOUT(WEIGHTS, ll_ptx_wgmma_a(64, KEYS, 8, 4));
LL_LAYOUT(ORDER, ll_absorb(LL_GET(SCORES), LL_GET(WEIGHTS), LL_J));
LL_LAYOUT(ORDERED, ll_renumber(LL_GET(SCORES), LL_J, LL_GET(ORDER)));
LL_PLAN(RENAME, ORDERED, WEIGHTS, 32, LL_SM90);
LL_EXPECT_KIND(RENAME, LL_REGISTERS);

/* How the producers turn a box of V, of bits i of a key and j of a column, and
 * put its keys in that order. Pairs of columns, 16 bits, are loaded; IN and OUT
 * are the bytes before and after the permutes. */
LL_FN ll_layout over_box(const char *square) { /* of 16 keys and columns */
    const ll_layout a = ll_mul(ll_parse(square), ll_identity(4, LL_WARP, LL_I));
    return ll_mul(ll_mul(a, ll_identity(KEYS / 64, LL_REGISTER, LL_I)),
                  ll_identity(BOX / 16, LL_REGISTER, LL_J));
}
LL_LAYOUT(PAIRS, over_box("register: i0 i3 | lane: i1 i2 j0 j1 j2"));
LL_LAYOUT(IN, over_box("register: j0 i0 i3 | lane: i1 i2 j1 j2 j3"));
LL_LAYOUT(OUT, over_box("register: i0 i3 j0 | lane: i1 i2 j1 j2 j3"));
LL_FN ll_layout exchanged(unsigned columns) {
    return ll_mul(ll_parse("j: j3 j1 j2 j0"),
                  ll_identity(columns / 16, LL_J, LL_J));
}
LL_LAYOUT(TURNED,
          ll_renumber(ll_renumber(ll_trans(LL_GET(BOX_V), "j i"), LL_I,
                                  ll_inv(LL_GET(ORDER))),
                      LL_J, exchanged(BOX)));
LL_PLAN_THROUGH(TAKE, PAIRS, PAIRS, 16, LL_SM90,
                ll_ptx_smem_k(KEYS, BOX / 2, 16, BOX));
LL_PLAN(TURN, IN, OUT, 8, LL_SM90);
LL_PLAN_THROUGH(PUT, OUT, OUT, 8, LL_SM90, LL_GET(TURNED));
LL_EXPECT_NO_CONFLICTS(TAKE);
LL_EXPECT_KIND(TURN, LL_REGISTERS);
LL_EXPECT_NO_CONFLICTS(PUT);
LL_SCOPE(PRODUCER, threadIdx.x, 128, LL_BARRIER(12));

/* How columns of O get back to their places, and O to where the copy engine
 * reads it. */
LL_LAYOUT(EXCHANGED, ll_renumber(LL_GET(SUMS), LL_J, exchanged(PART)));
LL_PLAN(IN_ORDER, EXCHANGED, SUMS, 32, LL_SM90);
LL_EXPECT_KIND(IN_ORDER, LL_REGISTERS);
LL_PLAN_THROUGH(STORE, SUMS, SUMS, 16, LL_SM90, LL_GET(TILE_O));
LL_EXPECT_NO_CONFLICTS(STORE);
LL_SCOPE(WORKER, threadIdx.x % 128, 128, LL_BARRIER_AT(threadIdx.x / 128));

/* The column of register r of SCORES, or of SUMS, after the lane's first one, as
 * in attention.cu. */
LL_FN unsigned col_of(unsigned r) { return (r & 1) + r / 4 * 8; }

/* Descriptors of slices of 32 of k, for a tile at address 0; slice k starts
 * 32 k bytes after the first one. */
LL_FN unsigned long long first(ll_layout tile, unsigned rows, unsigned cols) {
    for (unsigned k = 0; k < cols / 32; ++k) {
        const ll_ptx_desc d = ll_ptx_desc_slice(tile, rows, 32, 8, 0, 32 * k);
        if (d.err || d.at != 32 * k) {
            return 0;
        }
    }
    return ll_ptx_desc_wgmma(ll_ptx_desc_slice(tile, rows, 32, 8, 0, 0), 0);
}
constexpr unsigned long long DESC_Q = first(LL_GET(TILE_Q), 64, BOX);
constexpr unsigned long long DESC_K = first(LL_GET(TILE_K), KEYS, BOX);
constexpr unsigned long long DESC_V = first(LL_GET(TILE_V), PART, KEYS);
static_assert(DESC_Q && DESC_K && DESC_V,
              "wgmma reads these tiles, slices of k 32 bytes apart");

/* Shared memory: Q, the stages of K and V, V as it comes, O, the mbarriers. */
/* clang-format off */
enum : unsigned {
    BYTES_Q = 64 * HEAD, BYTES_K = KEYS * HEAD, BYTES_V = BYTES_K + ONES * KEYS,
    BYTES_O = 2 * 64 * HEAD,
    BOX_BYTES_Q = 64 * BOX, BOX_BYTES_K = KEYS * BOX,
    BOX_BYTES_O = 2 * 64 * BOX_O,
    AT_K = WORKERS * BYTES_Q, AT_V = AT_K + STAGES * BYTES_K,
    AT_RAW = AT_V + STAGES * BYTES_V, AT_O = AT_RAW + STAGES * BYTES_K,
    FULL_Q = AT_O + WORKERS * BYTES_O,
    EMPTY_Q = FULL_Q + 8 * STAYS, FULL_K = EMPTY_Q + 8,
    EMPTY_K = FULL_K + 8 * STAGES,
    FULL_V = EMPTY_K + 8 * STAGES, EMPTY_V = FULL_V + 8 * STAGES,
    FULL_RAW = EMPTY_V + 8 * STAGES, SMEM = FULL_RAW + 8 * STAGES
};
/* clang-format on */

/* ---- The kernel ---------------------------------------------------------- */

#define WGMMA ll_ptx_wgmma_f32_e4m3

#include "attention_tasks.h"

/* One thread: copies a tile of K, or of V. */
static __device__ void load(unsigned to, unsigned bar, const CUtensorMap *map,
                            const tile_job &t, int tile) {
    ll_ptx_mbarrier_arrive_expect_tx(bar, BYTES_K);
    LL_UNROLL
    for (unsigned x = 0; x < BOXES; ++x) {
        ll_ptx_cp_async_bulk_tensor_load_4d(
            to + BOX_BYTES_K * x, map, bar, (int)(BOX * x), (int)t.kv_head,
            t.key_start + tile * (int)KEYS, (int)t.batch);
    }
}

/* One thread: copies tiles of K and V. V's stage was turned two steps ago. */
static __device__ void load_both(unsigned smem, const CUtensorMap *map_k,
                                 const CUtensorMap *map_v, place &p,
                                 const tile_job &t, int tile) {
    ll_ptx_mbarrier_wait(smem + EMPTY_K + 8 * p.stage, p.parity ^ 1);
    load(smem + AT_K + BYTES_K * p.stage, smem + FULL_K + 8 * p.stage, map_k, t,
         tile);
    load(smem + AT_RAW + BYTES_K * p.stage, smem + FULL_RAW + 8 * p.stage,
         map_v, t, tile);
    p.next();
}

/* Producers: turn the tile of V that has come. */
static __device__ void turn_tile(unsigned char *memory, place &p) {
    LL_IN(PRODUCER);
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    ll_ptx_mbarrier_wait(smem + FULL_RAW + 8 * p.stage, p.parity);
    ll_ptx_mbarrier_wait(smem + EMPTY_V + 8 * p.stage, p.parity ^ 1);
    LL_UNROLL
    for (unsigned x = 0; x < BOXES; ++x) {
        unsigned in[LL_WORDS(IN, 8)], out[LL_WORDS(OUT, 8)];
        unsigned char *box = memory + BOX_BYTES_K * x;
        LL_LOAD_SHARED(in, TAKE, box + AT_RAW + BYTES_K * p.stage);
        LL_CONVERT(out, in, TURN, 0);
        LL_STORE_SHARED(out, PUT, box + AT_V + BYTES_V * p.stage);
    }
    ll_ptx_fence_proxy_async();
    LL_SYNC();
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_arrive(smem + FULL_V + 8 * p.stage);
    }
    p.next();
}

#if HEAD == 64
/* Producers, before the first tile: V's columns of ones. */
static __device__ void put_ones(unsigned char *memory) {
    const unsigned one = 0x38383838;
    for (unsigned k = 1; k <= STAGES; ++k) {
        unsigned char *end = memory + AT_V + BYTES_V * k;
        for (unsigned x = threadIdx.x; x < ONES * KEYS / 16; x += 128) {
            ((uint4 *)end)[-1 - (int)x] = {one, one, one, one};
        }
    }
}
#endif

#if !STAYS /* persistent_kernel.h has its own */
/* Producers: start all copies, and turn V. */
static __device__ void produce(unsigned char *memory, const CUtensorMap *map_q,
                               const CUtensorMap *map_k,
                               const CUtensorMap *map_v, const tile_job &t) {
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    place k = {0, 0}, v = {0, 0};
    if (threadIdx.x == 0) {
        load_rows(smem, map_q, t);
        load_both(smem, map_k, map_v, k, t, t.high - 1);
    }
    for (int x = t.high; x-- > t.low;) {
        if (threadIdx.x == 0 && x > t.low) {
            load_both(smem, map_k, map_v, k, t, x - 1);
        }
        __syncwarp();
        turn_tile(memory, v);
    }
}
#endif

/* One thread, before all: the mbarriers. */
static __device__ void start_barriers(unsigned smem) {
    for (unsigned k = 0; k < STAGES; ++k) {
        ll_ptx_mbarrier_init(smem + FULL_RAW + 8 * k, 1);
    }
}

/* Starts sums += weights V; V's descriptor. */
static __device__ void start_sums(float (&sums)[PARTS][LL_REGS(SUMS)],
                                  const unsigned *weights,
                                  unsigned long long v) {
    LL_UNROLL
    for (unsigned x = 0; x < PARTS * KEYS / 32; ++x) {
        const unsigned part = x / (KEYS / 32), k = x % (KEYS / 32);
        ll_ptx_wgmma_f32_e4m3_ra<PART>(
            sums[part], weights + 4 * k,
            v + ((KEYS * PART * part + 32 * k) >> 4), 1);
    }
    ll_ptx_wgmma_commit_group();
}

/* Weights as operand A: registers are renamed, then rounded four to a word. */
static __device__ void round_to_weights(unsigned (&words)[LL_WORDS(WEIGHTS, 8)],
                                const float (&weights)[LL_REGS(SCORES)]) {
    LL_IN(WORKER);
    float copies[LL_REGS(ORDERED)], ordered[LL_REGS(WEIGHTS)];
    LL_EACH(r, ORDERED) { copies[r] = weights[r]; }
    LL_CONVERT(ordered, copies, RENAME, 0);
    LL_CAST(words, ordered, ll_e4m3, ll_f32);
}

#if HEAD == 64
#include "attention_three.h"
#elif HEAD == 128
#include "attention_lazy.h"
#else
#include "overlapped.h"
#endif
#include "attention_steps.h"

#ifndef LL_NO_MAIN

int main(int argc, char **argv) { return demonstrate_all(launch, argc, argv); }

#endif
