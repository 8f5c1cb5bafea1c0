/* attention.cu - how does softmax(Q K^T) V run at the speed of Hopper's tensor
 * cores?
 * SPDX-License-Identifier: MIT
 *
 * bf16 or f16 in and out, sums in f32. Q is batch x rows x heads x HEAD, K and V
 * are batch x keys x kv_heads x HEAD; heads / kv_heads neighbours share a head of
 * K and V. Row i sees keys up to i + keys - rows where it is causal, and of
 * these the last `window` where that is not 0. Sequences of several lengths lie
 * end to end; row_start and key_start tell where each one starts. HEAD is
 * 64, 96, 128 or 256.
 *
 * A block has 64 rows of Q for each of its WORKERS, and passes over the keys,
 * KEYS in a step. One thread starts the copies of K and V into two stages each.
 * A worker is a warpgroup. It starts the scores of the next keys and the
 * product of the last weights with V, and takes the softmax of the one while
 * the tensor cores are at the other. Workers take turns at starting products,
 * so that the softmax of one runs under the products of another.
 *
 * What is a question of layouts comes from the library. The weights P go from
 * the sums of one product to operand A of the next: no element moves, which the
 * compiler proves. V lies by rows where the product wants columns: the layout
 * of its tile is mn-major, and the descriptors follow from that.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            [-DHEAD=64] [-DHALF=1] \
 *            examples/kernels/attention/attention.cu -o attention
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   attention [batch heads kv_heads rows keys causal window [ragged
 *        [factor of Q]]]
 */
#define LL_TENSOR
#define STAYS 0
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
    BOX = HEAD == 96 ? 32 : 64,      /* columns that lie together */
    BOXES = HEAD / BOX,
    PART = HEAD == 96 ? BOX : HEAD,  /* columns of O of one product */
    PARTS = HEAD / PART, BOX_O = BOX, BOXES_O = BOXES,
    STAGES = 2, THREADS = 128 + 128 * WORKERS,
    FEW = WORKERS == 3 ? 32 : 24, MANY = WORKERS == 3 ? 160 : 240
};
/* clang-format on */

constexpr bool LAZY = HEAD == 64; /* whether sums are scaled only where a
                                     factor is not 1: as it is faster */
constexpr float FACTOR = 0; /* weights are up to 1 */

/* Tiles in shared memory, BOXES of each. O takes the place of Q. V is stored as
 * K is, by keys; its columns are the contiguous dimension of operand B. */
LL_LAYOUT(TILE_Q, ll_ptx_smem_k(64, BOX, 16, 2 * BOX));
LL_LAYOUT(TILE_K, ll_ptx_smem_k(KEYS, BOX, 16, 2 * BOX));
LL_LAYOUT(TILE_V, ll_mul(ll_ptx_smem_mn(BOX, KEYS, 16, 2 * BOX, 16),
                         ll_identity(PART / BOX, LL_OFFSET, LL_I)));
LL_LAYOUT(TILE_O, ll_mul(LL_GET(TILE_Q),
                         ll_identity(PART / BOX, LL_OFFSET, LL_J)));

/* Scores of a worker, and sums of a part of O; the largest score of each row,
 * and lanes' sums of a row. */
LL_LAYOUT(SCORES, ll_ptx_wgmma_d(64, KEYS, 4));
LL_LAYOUT(SUMS, ll_ptx_wgmma_d(64, PART, 4));
LL_LAYOUT(LANES, ll_parse("register: i3 | lane: j0 j1 i0 i1 i2 | warp: i4 i5"));
LL_REDUCE_PLAN(LARGEST, SCORES, LL_J, 32, LL_SM90);
LL_REDUCE_PLAN(TOTAL, LANES, LL_J, 32, LL_SM90);
static_assert(ll_is_equal(ll_reduce(LL_GET(SCORES), LL_J),
                          ll_reduce(LL_GET(LANES), LL_J)),
              "a lane sums the rows of which it has the largest score");

/* In which column after the lane's first one register r of SCORES, or of SUMS,
 * is; in which row by row_of. */
LL_FN unsigned col_of(unsigned r) { return (r & 1) + r / 4 * 8; }
LL_FN bool is_so(ll_layout a) {
    bool is = true;
    for (unsigned r = 0; r < 1u << a.in.bits[0]; ++r) {
        const unsigned x = ll_apply(a, r);
        is = is && row_of(r) == (ll_unpack(a.out, LL_I, x) != 0) &&
             col_of(r) == ll_unpack(a.out, LL_J, x);
    }
    return is;
}
static_assert(is_so(LL_GET(SCORES)) && is_so(LL_GET(SUMS)),
              "row_of and col_of say where registers are");

/* Weights are operand A of the second product: nothing moves. */
LL_LAYOUT(WEIGHTS, ll_ptx_wgmma_a(64, KEYS, 16, 4));
LL_PLAN(NOTHING, SCORES, WEIGHTS, 16, LL_SM90);
LL_EXPECT_KIND(NOTHING, LL_NOTHING);

/* How O gets to where the copy engine reads it. */
LL_PLAN_THROUGH(STORE, SUMS, SUMS, 16, LL_SM90, LL_GET(TILE_O));
LL_EXPECT_NO_CONFLICTS(STORE);
LL_SCOPE(WORKER, threadIdx.x % 128, 128, LL_BARRIER_AT(threadIdx.x / 128));

/* Descriptors of slices of 16 of k, for a tile at address 0, and how far after
 * the first slice k of a tile starts. */
LL_FN unsigned long long first(ll_layout tile, unsigned rows) {
    return ll_ptx_desc_wgmma(ll_ptx_desc_slice(tile, rows, 16, 16, 0, 0), 0);
}
constexpr unsigned long long DESC_Q = first(LL_GET(TILE_Q), 64);
constexpr unsigned long long DESC_K = first(LL_GET(TILE_K), KEYS);
constexpr unsigned long long DESC_V = first(LL_GET(TILE_V), PART);
LL_FN unsigned next_k(unsigned k) { return k * 32; }
LL_FN unsigned next_v(unsigned k) { return k * 32 * BOX; }
LL_FN bool is_next(ll_layout tile, unsigned rows, unsigned cols,
                   unsigned (*next)(unsigned)) {
    bool is = true;
    for (unsigned k = 0; k < cols / 16; ++k) {
        const ll_ptx_desc d = ll_ptx_desc_slice(tile, rows, 16, 16, 0, 16 * k);
        is = is && !d.err && d.at == next(k);
    }
    return is;
}
static_assert(is_next(LL_GET(TILE_Q), 64, BOX, next_k) &&
              is_next(LL_GET(TILE_K), KEYS, BOX, next_k) &&
              is_next(LL_GET(TILE_V), PART, KEYS, next_v),
              "slices of k start where next_k and next_v say");

/* The boxes that the copy engine moves: BOX columns, and all rows. */
constexpr ll_ptx_tensor BOX_Q =
    ll_ptx_tensor_of(LL_GET(TILE_Q), 64, BOX, 16);
constexpr ll_ptx_tensor BOX_K =
    ll_ptx_tensor_of(LL_GET(TILE_K), KEYS, BOX, 16);
constexpr ll_ptx_tensor BOX_V =
    ll_ptx_tensor_of(LL_GET(TILE_V), BOX, KEYS, 16);
static_assert(BOX_Q.copies == 1 && BOX_K.copies == 1 && BOX_V.copies == 1 &&
              BOX_V.mn_major && BOX_V.box[0] == BOX_K.box[0],
              "one copy loads a tile of Q, K or V, by rows of one width");

/* Shared memory: Q, the stages of K and V, the mbarriers. */
/* clang-format off */
enum : unsigned {
    BYTES_Q = 2 * 64 * HEAD, BYTES_K = 2 * KEYS * HEAD,
    BOX_BYTES_Q = 2 * 64 * BOX, BOX_BYTES_K = 2 * KEYS * BOX,
    BYTES_O = BYTES_Q, BOX_BYTES_O = BOX_BYTES_Q, AT_O = 0,
    AT_K = WORKERS * BYTES_Q, AT_V = AT_K + STAGES * BYTES_K,
    FULL_Q = AT_V + STAGES * BYTES_K,
    FULL_K = FULL_Q + 8, EMPTY_K = FULL_K + 8 * STAGES,
    FULL_V = EMPTY_K + 8 * STAGES, EMPTY_V = FULL_V + 8 * STAGES,
    SMEM = EMPTY_V + 8 * STAGES
};
/* clang-format on */

/* ---- The kernel ---------------------------------------------------------- */

#if HALF
#define WGMMA ll_ptx_wgmma_f32_f16
#define WGMMA_RA ll_ptx_wgmma_f32_f16_ra
#define ROUND ll_ptx_cvt_f16x2
#else
#define WGMMA ll_ptx_wgmma_f32_bf16
#define WGMMA_RA ll_ptx_wgmma_f32_bf16_ra
#define ROUND ll_ptx_cvt_bf16x2
#endif

#include "attention_tasks.h"

/* One thread: copies a tile of K or V when its stage is empty. */
static __device__ void load(unsigned smem, const CUtensorMap *map, unsigned at,
                            unsigned full, unsigned empty, place &p,
                            const tile_job &t, int tile) {
    const unsigned bar = smem + full + 8 * p.stage;
    ll_ptx_mbarrier_wait(smem + empty + 8 * p.stage, p.parity ^ 1);
    ll_ptx_mbarrier_arrive_expect_tx(bar, BYTES_K);
    LL_UNROLL
    for (unsigned x = 0; x < BOXES; ++x) {
        ll_ptx_cp_async_bulk_tensor_load_4d(
            smem + at + BYTES_K * p.stage + BOX_BYTES_K * x, map, bar,
            (int)(BOX * x), (int)t.kv_head, t.key_start + tile * (int)KEYS,
            (int)t.batch);
    }
    p.next();
}

/* Producers, of whom one thread starts all copies. V is wanted one step after
 * K. */
static __device__ void produce(unsigned char *memory, const CUtensorMap *map_q,
                               const CUtensorMap *map_k,
                               const CUtensorMap *map_v, const tile_job &t) {
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    place k = {0, 0}, v = {0, 0};
    if (threadIdx.x != 0) {
        return;
    }
    load_rows(smem, map_q, t);
    for (int x = t.high; x-- > t.low;) {
        load(smem, map_k, AT_K, FULL_K, EMPTY_K, k, t, x);
        if (x + 1 < t.high) {
            load(smem, map_v, AT_V, FULL_V, EMPTY_V, v, t, x + 1);
        }
    }
    load(smem, map_v, AT_V, FULL_V, EMPTY_V, v, t, t.low);
}

/* Starts sums += weights V; V's descriptor. */
static __device__ void start_sums(float (&sums)[PARTS][LL_REGS(SUMS)],
                                  const unsigned *weights,
                                  unsigned long long v) {
    LL_UNROLL
    for (unsigned x = 0; x < PARTS * KEYS / 16; ++x) {
        const unsigned part = x / (KEYS / 16), k = x % (KEYS / 16);
        WGMMA_RA<PART, 1>(sums[part], weights + 4 * k,
                          v + ((BOX_BYTES_K * part + next_v(k)) >> 4), 1);
    }
    ll_ptx_wgmma_commit_group();
}

/* Weights as operand A: rounded, two to a word. */
static __device__ void
round_to_weights(unsigned (&words)[LL_WORDS(WEIGHTS, 16)], const float *weights) {
    LL_UNROLL
    for (unsigned w = 0; w < LL_WORDS(WEIGHTS, 16); ++w) {
        words[w] = ROUND(weights[2 * w], weights[2 * w + 1]);
    }
}

static __device__ void start_barriers(unsigned) {}

#include "attention_steps.h"

#ifndef LL_NO_MAIN

int main(int argc, char **argv) { return demonstrate_all(launch, argc, argv); }

#endif
