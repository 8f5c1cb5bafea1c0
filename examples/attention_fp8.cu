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
 * V. Operands of 8 bits are read along the axis that is summed over, but V comes
 * by rows of keys. The producers' warps turn each tile in shared memory, through
 * the registers that ll_ptx_between finds, and put keys in the order above.
 *
 * Weights are up to 256, so that e4m3 has digits for those below 1/256 of the
 * largest one; the sums of a row have the same factor.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            [-DHEAD=64] examples/attention_fp8.cu -o attention_fp8
 *        without a GPU:
 *        tests/emu/emucc -I. examples/attention_fp8.cu -o attention_fp8
 * Run:   attention_fp8 [batch heads kv_heads rows keys causal window]
 */
#define LL_TENSOR
#define FP8 1
#ifndef K_WORKERS
#define K_WORKERS (HEAD == 64 ? 3 : 2)
#endif
#ifndef K_KEYS
#define K_KEYS (HEAD == 256 ? 64 : 128)
#endif
#ifndef K_STAGES
#define K_STAGES 2
#endif
#ifndef K_TURNS
#define K_TURNS 1
#endif
#ifndef K_LAZY
#define K_LAZY 0
#endif
#ifndef K_QREG
#define K_QREG 0
#endif
#ifndef K_NOTURN
#define K_NOTURN 0
#endif
#include "attention.h"
#include "hopper.h"
#include "ll_ptx.h"

/* ---- Layouts ------------------------------------------------------------- */

/* clang-format off */
enum : unsigned {
    WORKERS = K_WORKERS,    /* warpgroups, of 64 rows each */
    ROWS = 64 * WORKERS,
    KEYS = K_KEYS,   /* in a step */
    BOX = HEAD == 96 ? 32 : HEAD == 64 ? 64 : 128, /* columns together */
    BOXES = HEAD / BOX,
    PART = HEAD == 96 ? BOX : HEAD,  /* columns of O of one product */
    PARTS = HEAD / PART, BOX_O = HEAD == 96 ? 32 : 64, BOXES_O = HEAD / BOX_O,
    STAGES = K_STAGES, THREADS = 128 + 128 * WORKERS,
    FEW = WORKERS == 4 ? 64 : WORKERS == 3 ? 56 : 104,
    MANY = WORKERS == 4 ? 112 : WORKERS == 3 ? 152 : 200
};
/* clang-format on */
constexpr float FACTOR = 8; /* weights are up to 2^8 */

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

#if K_QREG
LL_LAYOUT(QUERIES, ll_ptx_wgmma_a(64, HEAD, 8, 4));
LL_PLAN_THROUGH(ASK, QUERIES, QUERIES, 8, LL_SM90, ll_mul(LL_GET(TILE_Q), ll_identity(BOXES, LL_OFFSET, LL_J)));
#endif

/* The order of keys in which weights are operand A of the second product: no
 * element leaves its lane. */
LL_LAYOUT(WEIGHTS, ll_ptx_wgmma_a(64, KEYS, 8, 4));
LL_LAYOUT(ORDER, ll_absorb(LL_GET(SCORES), LL_GET(WEIGHTS), LL_J));
LL_LAYOUT(ORDERED, ll_renumber(LL_GET(SCORES), LL_J, LL_GET(ORDER)));
LL_PLAN(RENAME, ORDERED, WEIGHTS, 32, LL_SM90);
LL_EXPECT_KIND(RENAME, LL_REGISTERS);

/* How the producers turn a box of V, and put its keys in that order. */
LL_LAYOUT(TURNED, ll_renumber(ll_trans(LL_GET(BOX_V), "j i"), LL_I,
                              ll_inv(LL_GET(ORDER))));
LL_LAYOUT(BETWEEN, ll_ptx_between(LL_GET(TILE_K), LL_GET(TURNED), 8, 4,
                                  LL_SM90));
LL_PLAN_THROUGH(TAKE, BETWEEN, BETWEEN, 8, LL_SM90, LL_GET(TILE_K));
LL_PLAN_THROUGH(PUT, BETWEEN, BETWEEN, 8, LL_SM90, LL_GET(TURNED));
LL_SCOPE(PRODUCER, threadIdx.x, 128, LL_BARRIER(12));

/* How O gets to where the copy engine reads it. */
LL_PLAN_THROUGH(OUT, SUMS, SUMS, 16, LL_SM90, LL_GET(TILE_O));
LL_EXPECT_NO_CONFLICTS(OUT);
LL_SCOPE(WORKER, threadIdx.x % 128, 128, LL_BARRIER_AT(threadIdx.x / 128));

/* Which of a lane's two rows register r of SCORES, or of SUMS, is in, and which
 * column after the lane's first one: as in attention.cu. */
LL_FN unsigned row_of(unsigned r) { return r >> 1 & 1; }
LL_FN unsigned col_of(unsigned r) { return (r & 1) + r / 4 * 8; }

/* Descriptors of slices of 32 of k, for a tile at address 0; slice k starts 32 k
 * bytes behind the first one. */
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
static_assert(DESC_Q && DESC_K && DESC_V, "");

/* Shared memory: Q, the stages of K and V, V as it comes, O, the mbarriers. */
/* clang-format off */
enum : unsigned {
    BYTES_Q = 64 * HEAD, BYTES_K = KEYS * HEAD, BYTES_O = 2 * 64 * HEAD,
    BOX_BYTES_Q = 64 * BOX, BOX_BYTES_K = KEYS * BOX,
    BOX_BYTES_O = 2 * 64 * BOX_O,
    AT_K = WORKERS * BYTES_Q, AT_V = AT_K + STAGES * BYTES_K,
    AT_RAW = AT_V + STAGES * BYTES_K, AT_O = AT_RAW + STAGES * BYTES_K,
    FULL_Q = AT_O + WORKERS * BYTES_O,
    FULL_K = FULL_Q + 8, EMPTY_K = FULL_K + 8 * STAGES,
    FULL_V = EMPTY_K + 8 * STAGES, EMPTY_V = FULL_V + 8 * STAGES,
    FULL_RAW = EMPTY_V + 8 * STAGES, SMEM = FULL_RAW + 8 * STAGES
};
/* clang-format on */

/* ---- The kernel ---------------------------------------------------------- */

#include "attention_tasks.h"

/* One thread: copies a tile of K, or of V. */
static __device__ void load(unsigned to, unsigned bar, const CUtensorMap *map,
                            const task &t, int tile) {
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
                                 const task &t, int tile) {
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
        unsigned words[LL_WORDS(BETWEEN, 8)];
        unsigned char *box = memory + BYTES_K * p.stage + BOX_BYTES_K * x;
        if (!K_NOTURN) {
        LL_LOAD_SHARED(words, TAKE, box + AT_RAW);
        LL_STORE_SHARED(words, PUT, box + AT_V);
        }
    }
    ll_ptx_fence_proxy_async();
    LL_SYNC();
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_arrive(smem + FULL_V + 8 * p.stage);
    }
    p.next();
}

/* Producers: start all copies, and turn V. */
static __device__ void produce(unsigned char *memory, const CUtensorMap *map_q,
                               const CUtensorMap *map_k,
                               const CUtensorMap *map_v, const task &t) {
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    place k = {0, 0}, v = {0, 0};
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_arrive_expect_tx(smem + FULL_Q, WORKERS * BYTES_Q);
        for (unsigned x = 0; x < WORKERS * BOXES; ++x) {
            ll_ptx_cp_async_bulk_tensor_load_4d(
                smem + BOX_BYTES_Q * x, map_q, smem + FULL_Q,
                (int)(x % BOXES * BOX), (int)t.head,
                t.row_start + t.row + (int)(x / BOXES * 64), (int)t.batch);
        }
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

/* Starts scores = Q K^T, and sums += weights V; the tiles' descriptors. */
static __device__ void start_scores(float *scores, const unsigned *queries, unsigned long long q,
                                    unsigned long long k) {
    LL_UNROLL
    for (unsigned x = 0; x < HEAD / 32; ++x) {
        const unsigned box = x / (BOX / 32), slice = 32 * (x % (BOX / 32));
#if K_QREG
        (void)q;
        ll_ptx_wgmma_f32_e4m3_ra<KEYS>(
            scores, queries + 4 * x,
            k + ((BOX_BYTES_K * box + slice) >> 4), x);
#else
        (void)queries;
        ll_ptx_wgmma_f32_e4m3<KEYS>(
            scores, q + ((BOX_BYTES_Q * box + slice) >> 4),
            k + ((BOX_BYTES_K * box + slice) >> 4), x);
#endif
    }
    ll_ptx_wgmma_commit_group();
}
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

/* The softmax so far of a lane's two rows. */
struct softmax {
    float most[2], sum[2]; /* the largest score, the lane's sum of weights */
};

/* Scores become weights relative to the largest score so far; `factor` is by
 * how much earlier weights shrink. */
static __device__ void weigh(float (&scores)[LL_REGS(SCORES)], softmax &x,
                             float (&factor)[2], float scale) {
    LL_IN(WORKER);
    float most[2], base[2];
    LL_REDUCE(most, scores, LARGEST, 0,
              [](float a, float b) { return fmaxf(a, b); });
    for (unsigned k = 0; k < 2; ++k) {
        most[k] = fmaxf(most[k], x.most[k]);
        base[k] = most[k] == -INFINITY ? 0 : most[k] * scale;
        factor[k] = ll_ptx_ex2(x.most[k] * scale - base[k]);
        base[k] -= FACTOR;
        x.most[k] = most[k];
        x.sum[k] *= factor[k];
    }
    LL_EACH(r, SCORES) {
        scores[r] = ll_ptx_ex2(fmaf(scores[r], scale, -base[row_of(r)]));
        x.sum[row_of(r)] += scores[r];
    }
}

static __device__ void scale(float (&sums)[PARTS][LL_REGS(SUMS)],
                             const float (&factor)[2]) {
    LL_UNROLL
    for (unsigned p = 0; p < PARTS; ++p) {
        LL_EACH(r, SUMS) { sums[p][r] *= factor[row_of(r)]; }
    }
}

/* Weights as operand A: registers are renamed, then rounded four to a word. */
static __device__ void round_to(unsigned (&words)[LL_WORDS(WEIGHTS, 8)],
                                const float (&weights)[LL_REGS(SCORES)]) {
    LL_IN(WORKER);
    float copies[LL_REGS(ORDERED)], ordered[LL_REGS(WEIGHTS)];
    LL_EACH(r, ORDERED) { copies[r] = weights[r]; }
    LL_CONVERT(ordered, copies, RENAME, 0);
    LL_CAST(words, ordered, ll_e4m3, ll_f32);
}

/* A worker: the sums of 64 rows, divided by the sums of their weights. */
static __device__ void attend(float (&sums)[PARTS][LL_REGS(SUMS)],
                              unsigned smem, const shape &s, const task &t,
                              unsigned worker, float out) {
    LL_IN(WORKER);
    float scores[LL_REGS(SCORES)], factor[2], all[2];
    unsigned weights[LL_WORDS(WEIGHTS, 8)];
    softmax x = {{-INFINITY, -INFINITY}, {0, 0}};
    place k = {0, 0}, v = {0, 0};
    const unsigned long long q = DESC_Q + ((smem + worker * BYTES_Q) >> 4);
    const unsigned long long keys = DESC_K + ((smem + AT_K) >> 4);
    const unsigned long long values = DESC_V + ((smem + AT_V) >> 4);
    const int high = seen(s, t, worker);
    int tile = t.high;
    for (; tile > high; --tile) { /* other workers' */
        ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
        release(smem + EMPTY_K + 8 * k.stage);
        k.next();
        ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
        release(smem + EMPTY_V + 8 * v.stage);
        v.next();
        if (K_TURNS) { turn(worker, tile, t); }
        if (K_TURNS) { pass(worker, tile, t); }
    }
    if (tile == t.low) {
        return;
    }
    ll_ptx_mbarrier_wait(smem + FULL_Q, 0);
#if K_QREG
    unsigned queries[LL_WORDS(QUERIES, 8)];
    extern __shared__ __align__(1024) unsigned char memory[];
    LL_LOAD_SHARED(queries, ASK, memory + worker * BYTES_Q);
#else
    const unsigned *queries = nullptr;
#endif
    ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
    if (K_TURNS) { turn(worker, tile, t); }
    ll_ptx_wgmma_fence();
    start_scores(scores, queries, q, keys + (BYTES_K >> 4) * k.stage);
    if (K_TURNS) { pass(worker, tile, t); }
    ll_ptx_wgmma_wait_group<0>();
    release(smem + EMPTY_K + 8 * k.stage);
    k.next();
    mask(scores, s, t, worker, --tile);
    weigh(scores, x, factor, s.scale);
    round_to(weights, scores);
    while (tile-- > t.low) {
        ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
        ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
        if (K_TURNS) { turn(worker, tile + 1, t); }
        ll_ptx_wgmma_fence();
        start_scores(scores, queries, q, keys + (BYTES_K >> 4) * k.stage);
        start_sums(sums, weights, values + (BYTES_K >> 4) * v.stage);
        if (K_TURNS) { pass(worker, tile + 1, t); }
        ll_ptx_wgmma_wait_group<1>();
        release(smem + EMPTY_K + 8 * k.stage);
        k.next();
        mask(scores, s, t, worker, tile);
        weigh(scores, x, factor, s.scale);
        if (tile > t.low) { /* and no wait for the sums before the softmax */
            ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
        }
        ll_ptx_wgmma_wait_group<0>();
        release(smem + EMPTY_V + 8 * v.stage);
        v.next();
        if (!K_LAZY || __any_sync(~0u, factor[0] != 1 || factor[1] != 1)) {
            scale(sums, factor);
        }
        round_to(weights, scores);
    }
    ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
    ll_ptx_wgmma_fence();
    start_sums(sums, weights, values + (BYTES_K >> 4) * v.stage);
    LL_REDUCE(all, x.sum, TOTAL, 0, [](float a, float b) { return a + b; });
    ll_ptx_wgmma_wait_group<0>();
    for (float &sum : all) { sum = sum == 0 ? 0 : out / sum; }
    scale(sums, all);
}

/* Rounds the sums and has them stored: by the copy engine, or by the threads
 * where other rows than those of the sequence would be overwritten. */
static __device__ void store(const float (&sums)[PARTS][LL_REGS(SUMS)],
                             unsigned char *smem, const CUtensorMap *map_o,
                             const shape &s, const task &t, int row) {
    LL_IN(WORKER);
    const unsigned from = (unsigned)__cvta_generic_to_shared(smem);
    const unsigned ld = s.heads * HEAD;
    const bool whole = !s.row_start || row + 64 <= t.rows;
    unsigned words[LL_WORDS(SUMS, 16)];
    LL_UNROLL
    for (unsigned p = 0; p < PARTS; ++p) {
        LL_CAST(words, sums[p], ll_bf16, ll_f32);
        if (whole) {
            LL_STORE_SHARED(words, OUT, smem + p * BOX_BYTES_O);
        } else if (row < t.rows) {
            LL_STORE(words, SUMS,
                     s.out + (size_t)(t.row_start + row) * ld + t.head * HEAD +
                         p * PART,
                     ld, (unsigned)(t.rows - row), PART);
        }
    }
    ll_ptx_fence_proxy_async();
    LL_SYNC();
    if (whole && threadIdx.x % 128 == 0) {
        for (unsigned x = 0; x < BOXES_O; ++x) {
            ll_ptx_cp_async_bulk_tensor_store_4d(
                map_o, from + BOX_BYTES_O * x, (int)(BOX_O * x), (int)t.head,
                t.row_start + row, (int)t.batch);
        }
        ll_ptx_cp_async_bulk_commit_group();
        ll_ptx_cp_async_bulk_wait_group<0>();
    }
}

__global__ void __launch_bounds__(THREADS, 1)
    attention(const __grid_constant__ CUtensorMap map_q,
              const __grid_constant__ CUtensorMap map_k,
              const __grid_constant__ CUtensorMap map_v,
              const __grid_constant__ CUtensorMap map_o, const shape s,
              float out) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const task t = find(s, blockIdx.x);
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_init(smem + FULL_Q, 1);
        for (unsigned k = 0; k < STAGES; ++k) {
            ll_ptx_mbarrier_init(smem + FULL_K + 8 * k, 1);
            ll_ptx_mbarrier_init(smem + FULL_V + 8 * k, 1);
            ll_ptx_mbarrier_init(smem + FULL_RAW + 8 * k, 1);
            ll_ptx_mbarrier_init(smem + EMPTY_K + 8 * k, WORKERS);
            ll_ptx_mbarrier_init(smem + EMPTY_V + 8 * k, WORKERS);
        }
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<FEW>();
        if (t.low < t.high) {
            produce(memory, &map_q, &map_k, &map_v, t);
        }
    } else {
        ll_ptx_setmaxnreg_inc<MANY>();
        const unsigned worker = __shfl_sync(~0u, threadIdx.x / 128, 0) - 1;
        float sums[PARTS][LL_REGS(SUMS)];
        LL_UNROLL
        for (unsigned p = 0; p < PARTS; ++p) {
            LL_EACH(r, SUMS) { sums[p][r] = 0; }
        }
        if (t.low < t.high) {
            attend(sums, smem, s, t, worker, out);
        }
        store(sums, memory + AT_O + worker * BYTES_O, &map_o, s, t,
              t.row + (int)(64 * worker));
    }
}

/* ---- The launcher -------------------------------------------------------- */

/* The map of a tensor of batch x rows x heads x HEAD elements. */
static const char *map_of_heads(CUtensorMap *map, const void *data,
                                unsigned batch, unsigned rows, unsigned heads,
                                unsigned high, bool out) {
    const unsigned bytes = out ? 2 * BOX_O : BOX;
    return map_of<4>(map, data,
                     out ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                         : CU_TENSOR_MAP_DATA_TYPE_UINT8,
                     {HEAD, heads, rows, batch}, {out ? BOX_O : BOX, 1, high, 1},
                     bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                     : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                   : CU_TENSOR_MAP_SWIZZLE_32B);
}

/* O = out softmax(scores Q K^T / sqrt(HEAD)) V. Returns null, or a sentence that
 * says why it cannot. Where sequences have starts, s.rows and s.keys are those
 * of the longest one, and all_rows and all_keys those of all. */
static const char *launch_on(void *o, const void *q, const void *k,
                             const void *v, shape s, float scores, float out,
                             cudaStream_t stream) {
    CUtensorMap map_q, map_k, map_v, map_o;
    const unsigned batch = s.row_start ? 1 : s.batch;
    const unsigned rows = s.row_start ? s.all_rows : s.rows;
    const unsigned keys = s.row_start ? s.all_keys : s.keys;
    const char *bad = wrong_shape(s);
    bad = bad ? bad : map_of_heads(&map_q, q, batch, rows, s.heads, 64, false);
    bad = bad ? bad : map_of_heads(&map_o, o, batch, rows, s.heads, 64, true);
    bad = bad ? bad
              : map_of_heads(&map_k, k, batch, keys, s.kv_heads, KEYS, false);
    bad = bad ? bad
              : map_of_heads(&map_v, v, batch, keys, s.kv_heads, KEYS, false);
    if (bad) {
        return bad;
    }
    s.out = (unsigned short *)o;
    s.scale = 1.44269504f / sqrtf(HEAD) * scores;
    s.group = s.heads / s.kv_heads; /* share their keys; 32 MiB of them */
    s.group *= s.causal && s.keys < 1u << 20 ? (1u << 24) / HEAD / s.keys : 1;
    s.group = s.group ? s.group : 1;
    MUST(cudaFuncSetAttribute(
        attention, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SMEM));
    attention<<<(s.rows + ROWS - 1) / ROWS * s.heads * s.batch, THREADS, SMEM,
                stream>>>(map_q, map_k, map_v, map_o, s, out);
    return cudaGetLastError() == cudaSuccess
               ? 0
               : "the launch failed: this kernel is for sm_90a";
}

static inline const char *launch(void *o, const void *q, const void *k,
                                 const void *v, shape s) {
    return launch_on(o, q, k, v, s, 1, 1, 0);
}

#ifndef LL_NO_MAIN

int main(int argc, char **argv) { return demonstrate_all(launch, argc, argv); }

#endif
