/* attention.cu - how does softmax(Q K^T) V run at the speed of Hopper's tensor
 * cores?
 * SPDX-License-Identifier: MIT
 *
 * bf16 or f16 in and out, sums in f32. Q is batch x rows x heads x HEAD, K and V
 * are batch x keys x kv_heads x HEAD; heads / kv_heads neighbours share a head of
 * K and V. Row i sees keys up to i + keys - rows where it is causal, and of
 * these the last `window` where that is not 0. Sequences of several lengths lie
 * behind each other; row_start and key_start tell where each one starts. HEAD is
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
 *            [-DHEAD=64] [-DHALF=1] examples/attention.cu -o attention
 *        without a GPU:
 *        tests/emu/emucc -I. examples/attention.cu -o attention
 * Run:   attention [batch heads kv_heads rows keys causal window]
 */
#define LL_TENSOR
#include "attention.h"
#include "hopper.h"
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
    PARTS = HEAD / PART,
    STAGES = 2, THREADS = 128 + 128 * WORKERS,
    FEW = WORKERS == 3 ? 32 : 24, MANY = WORKERS == 3 ? 160 : 240
};
/* clang-format on */

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
                          ll_reduce(LL_GET(LANES), LL_J)), "");

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
static_assert(is_so(LL_GET(SCORES)) && is_so(LL_GET(SUMS)), "");

/* Weights are operand A of the second product: nothing moves. */
LL_LAYOUT(WEIGHTS, ll_ptx_wgmma_a(64, KEYS, 16, 4));
LL_PLAN(NOTHING, SCORES, WEIGHTS, 16, LL_SM90);
LL_EXPECT_KIND(NOTHING, LL_NOTHING);

/* How O gets to where the copy engine reads it. */
LL_PLAN_THROUGH(OUT, SUMS, SUMS, 16, LL_SM90, LL_GET(TILE_O));
LL_EXPECT_NO_CONFLICTS(OUT);
LL_SCOPE(WORKER, threadIdx.x % 128, 128, LL_BARRIER_AT(threadIdx.x / 128));

/* Descriptors of slices of 16 of k, for a tile at address 0, and how far behind
 * the first one slice k of a tile starts. */
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
              is_next(LL_GET(TILE_V), PART, KEYS, next_v), "");

/* The boxes that the copy engine moves: BOX columns, and all rows. */
constexpr ll_ptx_tensor BOX_Q =
    ll_ptx_tensor_of(LL_GET(TILE_Q), 64, BOX, 16);
constexpr ll_ptx_tensor BOX_K =
    ll_ptx_tensor_of(LL_GET(TILE_K), KEYS, BOX, 16);
constexpr ll_ptx_tensor BOX_V =
    ll_ptx_tensor_of(LL_GET(TILE_V), BOX, KEYS, 16);
static_assert(BOX_Q.copies == 1 && BOX_K.copies == 1 && BOX_V.copies == 1 &&
              BOX_V.mn_major && BOX_V.box[0] == BOX_K.box[0], "");

/* Shared memory: Q, the stages of K and V, the mbarriers. */
/* clang-format off */
enum : unsigned {
    BYTES_Q = 2 * 64 * HEAD, BYTES_K = 2 * KEYS * HEAD,
    BOX_BYTES_Q = 2 * 64 * BOX, BOX_BYTES_K = 2 * KEYS * BOX,
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

/* A block's sequence and head, its first row in the sequence, and the keys that
 * some of its rows sees: tiles from `low` to below `high`. */
struct task {
    unsigned batch, head, kv_head; /* batch is 0 where sequences have starts */
    int row, rows, keys;           /* of the sequence */
    int row_start, key_start;
    int low, high;
};

/* Task number x. `group` heads at a time, so that their keys stay in the L2
 * cache, and of these the rows first that see most keys. */
static __device__ task find(const shape &s, unsigned x) {
    const unsigned most = (s.rows + ROWS - 1) / ROWS;
    const unsigned first = x / (s.group * most) * s.group;
    const unsigned all = s.batch * s.heads;
    const unsigned count = all - first < s.group ? all - first : s.group;
    const unsigned in = x - first * most;
    const unsigned head = first + in % count;
    task t = {head / s.heads, head % s.heads, head % s.heads / (s.heads / s.kv_heads),
              (int)((most - 1 - in / count) * ROWS), (int)s.rows, (int)s.keys,
              0, 0, 0, 0};
    if (s.row_start) {
        t.row_start = s.row_start[t.batch];
        t.key_start = s.key_start[t.batch];
        t.rows = s.row_start[t.batch + 1] - t.row_start;
        t.keys = s.key_start[t.batch + 1] - t.key_start;
        t.batch = 0;
    }
    const int past = t.keys - t.rows; /* row 0 sees keys to it */
    const int end = s.causal ? t.row + (int)ROWS + past : t.keys;
    const int begin = s.window ? t.row + past + 1 - (int)s.window : 0;
    t.high = ((end < t.keys ? end : t.keys) + (int)KEYS - 1) / (int)KEYS;
    t.low = begin > 0 ? begin / (int)KEYS : 0;
    t.high = t.high > t.low && end > 0 && t.row < t.rows ? t.high : t.low;
    return t;
}

/* A position in a ring of stages; the parity changes with each round. */
struct place {
    unsigned stage, parity;
    __device__ void next() {
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

/* One thread: copies a tile of K or V when its stage is empty. */
static __device__ void load(unsigned smem, const CUtensorMap *map, unsigned at,
                            unsigned full, unsigned empty, place &p,
                            const task &t, int tile) {
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

/* One thread: starts all copies. V is wanted one step after K. */
static __device__ void produce(unsigned smem, const CUtensorMap *map_q,
                               const CUtensorMap *map_k,
                               const CUtensorMap *map_v, const task &t) {
    place k = {0, 0}, v = {0, 0};
    ll_ptx_mbarrier_arrive_expect_tx(smem + FULL_Q, WORKERS * BYTES_Q);
    for (unsigned x = 0; x < WORKERS * BOXES; ++x) {
        ll_ptx_cp_async_bulk_tensor_load_4d(
            smem + BOX_BYTES_Q * x, map_q, smem + FULL_Q,
            (int)(x % BOXES * BOX), (int)t.head,
            t.row_start + t.row + (int)(x / BOXES * 64), (int)t.batch);
    }
    for (int x = t.high; x-- > t.low;) {
        load(smem, map_k, AT_K, FULL_K, EMPTY_K, k, t, x);
        if (x + 1 < t.high) {
            load(smem, map_v, AT_V, FULL_V, EMPTY_V, v, t, x + 1);
        }
    }
    load(smem, map_v, AT_V, FULL_V, EMPTY_V, v, t, t.low);
}

/* Workers start products in turn, those below tile `end`: each waits for the one
 * before it. */
static __device__ void turn(unsigned worker, int end, const task &t) {
    if (worker || end < t.high) {
        ll_ptx_bar_at<256>(1 + WORKERS + worker);
    }
}
static __device__ void pass(unsigned worker, int end, const task &t) {
    if (worker + 1 < WORKERS || end - 1 > t.low) {
        ll_ptx_bar_arrive_at<256>(1 + WORKERS + (worker + 1) % WORKERS);
    }
}

static __device__ void release(unsigned bar) {
    if (threadIdx.x % 128 == 0) {
        ll_ptx_mbarrier_arrive(bar);
    }
}

/* Starts scores = Q K^T, and sums += weights V; the tiles' descriptors. */
static __device__ void start_scores(float *scores, unsigned long long q,
                                    unsigned long long k) {
    LL_UNROLL
    for (unsigned x = 0; x < HEAD / 16; ++x) {
        const unsigned box = x / (BOX / 16), slice = next_k(x % (BOX / 16));
        WGMMA<KEYS>(scores, q + ((BOX_BYTES_Q * box + slice) >> 4),
                    k + ((BOX_BYTES_K * box + slice) >> 4), x);
    }
    ll_ptx_wgmma_commit_group();
}
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

/* Scores of keys that a row does not see become minus infinity, in tiles that
 * have any. */
static __device__ void mask(float *scores, const shape &s, const task &t,
                            unsigned worker, int tile) {
    LL_IN(WORKER);
    const int row = t.row + (int)(64 * worker) + t.keys - t.rows;
    const int begin = tile * (int)KEYS, end = begin + (int)KEYS;
    if (end <= t.keys && (!s.causal || end - 1 <= row) &&
        (!s.window || begin + (int)s.window > row + 63)) {
        return;
    }
    int first[2], last[2]; /* columns, from the lane's first one on */
    const int lane = begin + (int)LL_AT(SCORES, LL_J, 0);
    for (unsigned k = 0; k < 2; ++k) {
        const int i = row + (int)LL_AT(SCORES, LL_I, 2 * k);
        last[k] = (s.causal && i + 1 < t.keys ? i + 1 : t.keys) - lane;
        first[k] = s.window ? i + 1 - (int)s.window - lane : 0;
    }
    LL_EACH(r, SCORES) {
        const int j = (int)col_of(r);
        const bool seen = j >= first[row_of(r)] && j < last[row_of(r)];
        scores[r] = seen ? scores[r] : -INFINITY;
    }
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
    float most[2];
    LL_REDUCE(most, scores, LARGEST, 0,
              [](float a, float b) { return fmaxf(a, b); });
    weigh_tile(scores, most, x.most, x.sum, factor, scale);
}

static __device__ void scale(float (&sums)[PARTS][LL_REGS(SUMS)],
                             const float (&factor)[2]) {
    LL_UNROLL
    for (unsigned p = 0; p < PARTS; ++p) {
        LL_EACH(r, SUMS) { sums[p][r] *= factor[row_of(r)]; }
    }
}

template <unsigned N>
static __device__ void round_to(unsigned (&words)[N], const float *x) {
    LL_UNROLL
    for (unsigned w = 0; w < N; ++w) {
        words[w] = ROUND(x[2 * w], x[2 * w + 1]);
    }
}

/* How many tiles, counted from key 0, a worker's rows see. */
static __device__ int seen(const shape &s, const task &t, unsigned worker) {
    const int row = t.row + (int)(64 * worker), end = row + 64 + t.keys - t.rows;
    const int tiles = end > 0 ? (end + (int)KEYS - 1) / (int)KEYS : 0;
    const int high = s.causal && tiles < t.high ? tiles : t.high;
    return row >= t.rows || high < t.low ? t.low : high;
}

/* A worker: the sums of 64 rows, divided by the sums of their weights. */
static __device__ void attend(float (&sums)[PARTS][LL_REGS(SUMS)],
                              unsigned smem, const shape &s, const task &t,
                              unsigned worker) {
    LL_IN(WORKER);
    float scores[LL_REGS(SCORES)], factor[2], all[2];
    unsigned weights[LL_WORDS(WEIGHTS, 16)];
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
        turn(worker, tile, t);
        pass(worker, tile, t);
    }
    if (tile == t.low) {
        return;
    }
    ll_ptx_mbarrier_wait(smem + FULL_Q, 0);
    ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
    turn(worker, tile, t);
    ll_ptx_wgmma_fence();
    start_scores(scores, q, keys + (BYTES_K >> 4) * k.stage);
    pass(worker, tile, t);
    ll_ptx_wgmma_wait_group<0>();
    release(smem + EMPTY_K + 8 * k.stage);
    k.next();
    mask(scores, s, t, worker, --tile);
    weigh(scores, x, factor, s.scale);
    round_to(weights, scores);
    while (tile-- > t.low) {
        ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
        ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
        turn(worker, tile + 1, t);
        ll_ptx_wgmma_fence();
        start_scores(scores, q, keys + (BYTES_K >> 4) * k.stage);
        start_sums(sums, weights, values + (BYTES_K >> 4) * v.stage);
        pass(worker, tile + 1, t);
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
        scale(sums, factor);
        round_to(weights, scores);
    }
    ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
    ll_ptx_wgmma_fence();
    start_sums(sums, weights, values + (BYTES_K >> 4) * v.stage);
    LL_REDUCE(all, x.sum, TOTAL, 0, [](float a, float b) { return a + b; });
    ll_ptx_wgmma_wait_group<0>();
    for (float &sum : all) { sum = sum == 0 ? 0 : 1 / sum; }
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
        round_to(words, sums[p]);
        if (whole) {
            LL_STORE_SHARED(words, OUT, smem + p * BOX_BYTES_Q);
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
        for (unsigned x = 0; x < BOXES; ++x) {
            ll_ptx_cp_async_bulk_tensor_store_4d(
                map_o, from + BOX_BYTES_Q * x, (int)(BOX * x), (int)t.head,
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
              const __grid_constant__ CUtensorMap map_o, const shape s) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const task t = find(s, blockIdx.x);
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_init(smem + FULL_Q, 1);
        for (unsigned k = 0; k < STAGES; ++k) {
            ll_ptx_mbarrier_init(smem + FULL_K + 8 * k, 1);
            ll_ptx_mbarrier_init(smem + FULL_V + 8 * k, 1);
            ll_ptx_mbarrier_init(smem + EMPTY_K + 8 * k, WORKERS);
            ll_ptx_mbarrier_init(smem + EMPTY_V + 8 * k, WORKERS);
        }
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<FEW>();
        if (threadIdx.x == 0 && t.low < t.high) {
            produce(smem, &map_q, &map_k, &map_v, t);
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
            attend(sums, smem, s, t, worker);
        }
        store(sums, memory + worker * BYTES_Q, &map_o, s, t,
              t.row + (int)(64 * worker));
    }
}

/* ---- The launcher -------------------------------------------------------- */

/* The map of a tensor of batch x rows x heads x HEAD elements. */
static const char *map_of_heads(CUtensorMap *map, const void *data,
                                unsigned batch, unsigned rows, unsigned heads,
                                unsigned high) {
    return map_of<4>(map, data, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                     {HEAD, heads, rows, batch}, {BOX, 1, high, 1},
                     BOX == 64 ? CU_TENSOR_MAP_SWIZZLE_128B
                               : CU_TENSOR_MAP_SWIZZLE_64B);
}

/* O = softmax(Q K^T / sqrt(HEAD)) V. Returns null, or a sentence that says why
 * it cannot. Where sequences have starts, s.rows and s.keys are those of the
 * longest one, and all_rows and all_keys those of all. */
static const char *launch_on(void *o, const void *q, const void *k,
                             const void *v, shape s, cudaStream_t stream) {
    CUtensorMap map_q, map_k, map_v, map_o;
    const unsigned batch = s.row_start ? 1 : s.batch;
    const unsigned rows = s.row_start ? s.all_rows : s.rows;
    const unsigned keys = s.row_start ? s.all_keys : s.keys;
    if (!s.batch || !s.heads || !s.kv_heads || !rows || !keys ||
        s.heads % s.kv_heads) {
        return "batch, heads, rows and keys are at least 1, and heads are a "
               "multiple of the heads of keys";
    }
    if (!s.row_start != !s.key_start) {
        return "rows and keys have starts, or neither has";
    }
    if (rows > 1u << 30 || keys > 1u << 30 || s.window > 1u << 30 ||
        (double)s.batch * s.heads * ((s.rows + ROWS - 1) / ROWS) > 1u << 30) {
        return "there are at most 2^30 rows, keys, and blocks";
    }
    const char *bad = map_of_heads(&map_q, q, batch, rows, s.heads, 64);
    bad = bad ? bad : map_of_heads(&map_o, o, batch, rows, s.heads, 64);
    bad = bad ? bad : map_of_heads(&map_k, k, batch, keys, s.kv_heads, KEYS);
    bad = bad ? bad : map_of_heads(&map_v, v, batch, keys, s.kv_heads, KEYS);
    if (bad) {
        return bad;
    }
    s.out = (unsigned short *)o;
    s.scale = 1.44269504f / sqrtf(HEAD);
    s.group = s.heads / s.kv_heads; /* share their keys; 32 MiB of them */
    s.group *= s.causal && s.keys < 1u << 20 ? (1u << 23) / HEAD / s.keys : 1;
    s.group = s.group ? s.group : 1;
    bad = said(cudaFuncSetAttribute(
        attention, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SMEM));
    if (bad) {
        return bad;
    }
    attention<<<(s.rows + ROWS - 1) / ROWS * s.heads * s.batch, THREADS, SMEM,
                stream>>>(map_q, map_k, map_v, map_o, s);
    return said(cudaGetLastError());
}

static inline const char *launch(void *o, const void *q, const void *k,
                                 const void *v, shape s) {
    return launch_on(o, q, k, v, s, 0);
}

#ifndef LL_NO_MAIN

int main(int argc, char **argv) { return demonstrate_all(launch, argc, argv); }

#endif
