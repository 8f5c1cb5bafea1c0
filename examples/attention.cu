/* attention.cu - how does softmax(Q K^T) V run at the speed of Hopper's tensor
 * cores?
 * SPDX-License-Identifier: MIT
 *
 * bf16 in and out, sums in f32. Q is batch x rows x heads x HEAD, K and V are
 * batch x keys x kv_heads x HEAD; heads / kv_heads neighbours share a head of
 * K and V. Row i sees keys up to i + keys - rows where it is causal, and of
 * these the last `window` where that is not 0. HEAD is 64, 128 or 256.
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
 *            [-DHEAD=64] examples/attention.cu -o attention
 *        without a GPU:
 *        tests/emu/emucc -I. examples/attention.cu -o attention
 * Run:   attention [batch heads kv_heads rows keys causal window]
 */
#define LL_TENSOR
#include "check.h"
#include "ll_ptx.h"
#include <cuda.h>
#include <math.h>
#include <string.h>

#ifndef HEAD
#define HEAD 128
#endif

/* ---- Layouts ------------------------------------------------------------- */

/* clang-format off */
enum : unsigned {
    WORKERS = HEAD == 64 ? 3 : 2,  /* warpgroups, of 64 rows each */
    ROWS = 64 * WORKERS,
    KEYS = HEAD == 256 ? 64 : 128, /* in a step */
    STAGES = 2, THREADS = 128 + 128 * WORKERS,
    FEW = WORKERS == 3 ? 32 : 24, MANY = WORKERS == 3 ? 160 : 240
};
/* clang-format on */

/* Tiles in shared memory. O takes the place of Q. V is stored as K is, by keys;
 * its columns are the contiguous dimension of the product's operand B. */
LL_LAYOUT(TILE_Q, ll_ptx_smem_k(64, HEAD, 16, 128));
LL_LAYOUT(TILE_K, ll_ptx_smem_k(KEYS, HEAD, 16, 128));
LL_LAYOUT(TILE_V, ll_mul(ll_ptx_smem_mn(64, KEYS, 16, 128, 16),
                         ll_identity(HEAD / 64, LL_OFFSET, LL_I)));

/* Scores of a worker and sums of O; the largest score of each row, and lanes'
 * sums of a row. */
LL_LAYOUT(SCORES, ll_ptx_wgmma_d(64, KEYS, 4));
LL_LAYOUT(SUMS, ll_ptx_wgmma_d(64, HEAD, 4));
LL_LAYOUT(PARTS, ll_parse("register: i3 | lane: j0 j1 i0 i1 i2 | warp: i4 i5"));
LL_REDUCE_PLAN(LARGEST, SCORES, LL_J, 32, LL_SM90);
LL_REDUCE_PLAN(TOTAL, PARTS, LL_J, 32, LL_SM90);
static_assert(ll_is_equal(ll_reduce(LL_GET(SCORES), LL_J),
                          ll_reduce(LL_GET(PARTS), LL_J)), "");

/* Which of a lane's two rows register r of SCORES, or of SUMS, is in. */
LL_FN unsigned row_of(unsigned r) { return r >> 1 & 1; }
LL_FN bool is_row_of(ll_layout a) {
    bool is = true;
    for (unsigned r = 0; r < 1u << a.in.bits[0]; ++r) {
        is = is && row_of(r) == (ll_unpack(a.out, LL_I, ll_apply(a, r)) != 0);
    }
    return is;
}
static_assert(is_row_of(LL_GET(SCORES)) && is_row_of(LL_GET(SUMS)), "");

/* Weights are operand A of the second product: nothing moves. */
LL_LAYOUT(WEIGHTS, ll_ptx_wgmma_a(64, KEYS, 16, 4));
LL_PLAN(NOTHING, SCORES, WEIGHTS, 16, LL_SM90);
LL_EXPECT_KIND(NOTHING, LL_NOTHING);

/* How O gets to where the copy engine reads it. */
LL_PLAN_THROUGH(OUT, SUMS, SUMS, 16, LL_SM90, LL_GET(TILE_Q));
LL_EXPECT_NO_CONFLICTS(OUT);
LL_SCOPE(WORKER, threadIdx.x % 128, 128, LL_BARRIER_AT(threadIdx.x / 128));

/* Descriptors of slices of 16 of k, for a tile at address 0, and how far behind
 * the first one slice k of a tile starts. */
LL_FN unsigned long long first(ll_layout tile, unsigned rows) {
    return ll_ptx_desc_wgmma(ll_ptx_desc_slice(tile, rows, 16, 16, 0, 0), 0);
}
constexpr unsigned long long DESC_Q = first(LL_GET(TILE_Q), 64);
constexpr unsigned long long DESC_K = first(LL_GET(TILE_K), KEYS);
constexpr unsigned long long DESC_V = first(LL_GET(TILE_V), HEAD);
LL_FN unsigned next_q(unsigned k) { return k / 4 * 2 * 64 * 64 + k % 4 * 32; }
LL_FN unsigned next_k(unsigned k) { return k / 4 * 2 * 64 * KEYS + k % 4 * 32; }
LL_FN unsigned next_v(unsigned k) { return k * 2048; }
LL_FN bool is_next(ll_layout tile, unsigned rows, unsigned cols,
                   unsigned (*next)(unsigned)) {
    bool is = true;
    for (unsigned k = 0; k < cols / 16; ++k) {
        const ll_ptx_desc d = ll_ptx_desc_slice(tile, rows, 16, 16, 0, 16 * k);
        is = is && !d.err && d.at == next(k);
    }
    return is;
}
static_assert(is_next(LL_GET(TILE_Q), 64, HEAD, next_q) &&
              is_next(LL_GET(TILE_K), KEYS, HEAD, next_k) &&
              is_next(LL_GET(TILE_V), HEAD, KEYS, next_v), "");

/* The boxes that the copy engine moves. */
constexpr ll_ptx_tensor BOX_Q =
    ll_ptx_tensor_of(LL_GET(TILE_Q), 64, HEAD, 16);
constexpr ll_ptx_tensor BOX_K =
    ll_ptx_tensor_of(LL_GET(TILE_K), KEYS, HEAD, 16);
constexpr ll_ptx_tensor BOX_V =
    ll_ptx_tensor_of(LL_GET(TILE_V), HEAD, KEYS, 16);
static_assert(BOX_K.copies == HEAD / 64 && BOX_Q.copies == HEAD / 64 &&
              BOX_V.copies == HEAD / 64 && BOX_V.mn_major, "");

/* Shared memory: Q, the stages of K and V, the mbarriers. */
/* clang-format off */
enum : unsigned {
    BYTES_Q = 2 * 64 * HEAD, BYTES_K = 2 * KEYS * HEAD, BOX = 2 * 64 * KEYS,
    AT_K = WORKERS * BYTES_Q, AT_V = AT_K + STAGES * BYTES_K,
    FULL_Q = AT_V + STAGES * BYTES_K,
    FULL_K = FULL_Q + 8, EMPTY_K = FULL_K + 8 * STAGES,
    FULL_V = EMPTY_K + 8 * STAGES, EMPTY_V = FULL_V + 8 * STAGES,
    SMEM = EMPTY_V + 8 * STAGES
};
/* clang-format on */

/* ---- The kernel ---------------------------------------------------------- */

struct shape {
    unsigned batch, heads, kv_heads, rows, keys, causal, window;
    float scale; /* of scores, and the logarithm of e to base 2 */
};

/* The keys that some row of a block sees: tiles from `low` to below `high`. */
struct range {
    int low, high;
    __device__ range(const shape &s, int row) : low(0), high(0) {
        const int past = (int)s.keys - (int)s.rows; /* row 0 sees keys to it */
        const int end = s.causal ? row + (int)ROWS + past : (int)s.keys;
        const int begin = s.window ? row + past + 1 - (int)s.window : 0;
        high = ((end < (int)s.keys ? end : (int)s.keys) + (int)KEYS - 1) /
               (int)KEYS;
        low = begin > 0 ? begin / (int)KEYS : 0;
        high = end <= 0 ? low : high;
    }
};

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
                            unsigned full, unsigned empty, place &p, int tile,
                            unsigned head, unsigned batch) {
    const unsigned bar = smem + full + 8 * p.stage;
    ll_ptx_mbarrier_wait(smem + empty + 8 * p.stage, p.parity ^ 1);
    ll_ptx_mbarrier_arrive_expect_tx(bar, BYTES_K);
    LL_UNROLL
    for (unsigned x = 0; x < HEAD / 64; ++x) {
        ll_ptx_cp_async_bulk_tensor_load_4d(
            smem + at + BYTES_K * p.stage + BOX * x, map, bar, (int)(64 * x),
            (int)head, tile * (int)KEYS, (int)batch);
    }
    p.next();
}

/* One thread: starts all copies. V is wanted one step after K. */
static __device__ void produce(unsigned smem, const CUtensorMap *map_q,
                               const CUtensorMap *map_k,
                               const CUtensorMap *map_v, const shape &s,
                               unsigned row, unsigned head, range tiles) {
    const unsigned batch = blockIdx.z;
    const unsigned kv = head / (s.heads / s.kv_heads);
    place k = {0, 0}, v = {0, 0};
    ll_ptx_mbarrier_arrive_expect_tx(smem + FULL_Q, WORKERS * BYTES_Q);
    for (unsigned x = 0; x < WORKERS * HEAD / 64; ++x) {
        ll_ptx_cp_async_bulk_tensor_load_4d(
            smem + 2 * 64 * 64 * x, map_q, smem + FULL_Q,
            (int)(x % (HEAD / 64) * 64), (int)head,
            (int)(row + x / (HEAD / 64) * 64), (int)batch);
    }
    for (int t = tiles.high; t-- > tiles.low;) {
        load(smem, map_k, AT_K, FULL_K, EMPTY_K, k, t, kv, batch);
        if (t + 1 < tiles.high) {
            load(smem, map_v, AT_V, FULL_V, EMPTY_V, v, t + 1, kv, batch);
        }
    }
    load(smem, map_v, AT_V, FULL_V, EMPTY_V, v, tiles.low, kv, batch);
}

/* Workers start products in turn: each waits for the one before it. */
static __device__ void turn(unsigned worker, bool is_first) {
    if (worker || !is_first) {
        ll_ptx_bar_at<256>(1 + WORKERS + worker);
    }
}
static __device__ void pass(unsigned worker, bool is_last) {
    if (worker + 1 < WORKERS || !is_last) {
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
        ll_ptx_wgmma_f32_bf16<KEYS>(scores, q + (next_q(x) >> 4),
                                    k + (next_k(x) >> 4), x);
    }
    ll_ptx_wgmma_commit_group();
}
static __device__ void start_sums(float *sums, const unsigned *weights,
                                  unsigned long long v) {
    LL_UNROLL
    for (unsigned x = 0; x < KEYS / 16; ++x) {
        ll_ptx_wgmma_f32_bf16_ra<HEAD, 1>(sums, weights + 4 * x,
                                          v + (next_v(x) >> 4), 1);
    }
    ll_ptx_wgmma_commit_group();
}

/* Scores of keys that a row does not see become minus infinity, in tiles that
 * have any. */
static __device__ void mask(float *scores, const shape &s, unsigned row,
                            int tile) {
    LL_IN(WORKER);
    const int past = (int)s.keys - (int)s.rows;
    const int end = (tile + 1) * (int)KEYS; /* key behind the tile */
    if (end <= (int)s.keys && (!s.causal || end - 1 <= (int)row + past) &&
        (!s.window ||
         end - (int)KEYS + (int)s.window > (int)row + 63 + past)) {
        return;
    }
    LL_EACH(r, SCORES) {
        const int i = (int)(row + LL_AT(SCORES, LL_I, r)) + past;
        const int j = tile * (int)KEYS + (int)LL_AT(SCORES, LL_J, r);
        const bool seen = j < (int)s.keys && (!s.causal || j <= i) &&
                          (!s.window || j + (int)s.window > i);
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
    float most[2], base[2];
    LL_REDUCE(most, scores, LARGEST, 0,
              [](float a, float b) { return fmaxf(a, b); });
    for (unsigned k = 0; k < 2; ++k) {
        most[k] = fmaxf(most[k], x.most[k]);
        base[k] = most[k] == -INFINITY ? 0 : most[k] * scale;
        factor[k] = ll_ptx_ex2(x.most[k] * scale - base[k]);
        x.most[k] = most[k];
        x.sum[k] *= factor[k];
    }
    LL_EACH(r, SCORES) {
        scores[r] = ll_ptx_ex2(fmaf(scores[r], scale, -base[row_of(r)]));
        x.sum[row_of(r)] += scores[r];
    }
}

static __device__ void round_to(unsigned (&weights)[LL_WORDS(WEIGHTS, 16)],
                                const float (&scores)[LL_REGS(SCORES)]) {
    LL_UNROLL
    for (unsigned w = 0; w < LL_WORDS(WEIGHTS, 16); ++w) {
        weights[w] = ll_ptx_cvt_bf16x2(scores[2 * w], scores[2 * w + 1]);
    }
}

/* A worker: the sums of 64 rows, divided by the sums of their weights. */
static __device__ void attend(float (&sums)[LL_REGS(SUMS)], unsigned smem,
                              const shape &s, unsigned row, unsigned worker,
                              range tiles) {
    LL_IN(WORKER);
    float scores[LL_REGS(SCORES)], factor[2], all[2];
    unsigned weights[LL_WORDS(WEIGHTS, 16)];
    softmax x = {{-INFINITY, -INFINITY}, {0, 0}};
    place k = {0, 0}, v = {0, 0};
    const unsigned long long q = DESC_Q + ((smem + worker * BYTES_Q) >> 4);
    const unsigned long long keys = DESC_K + ((smem + AT_K) >> 4);
    const unsigned long long values = DESC_V + ((smem + AT_V) >> 4);
    int t = tiles.high - 1;
    LL_EACH(r, SUMS) { sums[r] = 0; }
    ll_ptx_mbarrier_wait(smem + FULL_Q, 0);
    ll_ptx_mbarrier_wait(smem + FULL_K, 0);
    ll_ptx_wgmma_fence();
    start_scores(scores, q, keys);
    ll_ptx_wgmma_wait_group<0>();
    release(smem + EMPTY_K);
    k.next();
    mask(scores, s, row, t);
    weigh(scores, x, factor, s.scale);
    round_to(weights, scores);
    while (t-- > tiles.low) {
        ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
        ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
        turn(worker, t + 2 == tiles.high);
        ll_ptx_wgmma_fence();
        start_scores(scores, q, keys + (BYTES_K >> 4) * k.stage);
        start_sums(sums, weights, values + (BYTES_K >> 4) * v.stage);
        pass(worker, t == tiles.low);
        ll_ptx_wgmma_wait_group<1>();
        release(smem + EMPTY_K + 8 * k.stage);
        k.next();
        mask(scores, s, row, t);
        weigh(scores, x, factor, s.scale);
        if (t > tiles.low) { /* and no wait for the sums before the softmax */
            ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
        }
        ll_ptx_wgmma_wait_group<0>();
        release(smem + EMPTY_V + 8 * v.stage);
        v.next();
        LL_EACH(r, SUMS) { sums[r] *= factor[row_of(r)]; }
        round_to(weights, scores);
    }
    ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
    ll_ptx_wgmma_fence();
    start_sums(sums, weights, values + (BYTES_K >> 4) * v.stage);
    LL_REDUCE(all, x.sum, TOTAL, 0, [](float a, float b) { return a + b; });
    ll_ptx_wgmma_wait_group<0>();
    for (float &sum : all) { sum = sum == 0 ? 0 : 1 / sum; }
    LL_EACH(r, SUMS) { sums[r] *= all[row_of(r)]; }
}

/* Rounds the sums and has them stored. */
static __device__ void store(const float *sums, unsigned char *smem,
                             const CUtensorMap *map_o, unsigned row,
                             unsigned head) {
    LL_IN(WORKER);
    unsigned words[LL_WORDS(SUMS, 16)];
    LL_UNROLL
    for (unsigned w = 0; w < LL_WORDS(SUMS, 16); ++w) {
        words[w] = ll_ptx_cvt_bf16x2(sums[2 * w], sums[2 * w + 1]);
    }
    LL_STORE_SHARED(words, OUT, smem);
    ll_ptx_fence_proxy_async();
    LL_SYNC();
    if (threadIdx.x % 128 == 0) {
        const unsigned from = (unsigned)__cvta_generic_to_shared(smem);
        for (unsigned x = 0; x < HEAD / 64; ++x) {
            ll_ptx_cp_async_bulk_tensor_store_4d(
                map_o, from + 2 * 64 * 64 * x, (int)(64 * x), (int)head,
                (int)row, (int)blockIdx.z);
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
    /* those that see most keys first */
    const unsigned row = (gridDim.x - 1 - blockIdx.x) * ROWS;
    const range tiles(s, (int)row);
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
        if (threadIdx.x == 0 && tiles.low < tiles.high) {
            produce(smem, &map_q, &map_k, &map_v, s, row, blockIdx.y, tiles);
        }
    } else {
        ll_ptx_setmaxnreg_inc<MANY>();
        const unsigned worker = __shfl_sync(~0u, threadIdx.x / 128, 0) - 1;
        float sums[LL_REGS(SUMS)];
        if (tiles.low < tiles.high) {
            attend(sums, smem, s, row + 64 * worker, worker, tiles);
        } else {
            LL_EACH(r, SUMS) { sums[r] = 0; }
        }
        store(sums, memory + worker * BYTES_Q, &map_o, row + 64 * worker,
              blockIdx.y);
    }
}

/* ---- The launcher -------------------------------------------------------- */

/* The map of batch x rows x heads x HEAD elements. */
static const char *map_of(CUtensorMap *map, const void *data, unsigned batch,
                          unsigned rows, unsigned heads, unsigned high) {
    typedef decltype(&cuTensorMapEncodeTiled) encoder;
    static void *encode = 0;
    const cuuint64_t dims[] = {HEAD, heads, rows, batch};
    const cuuint64_t strides[] = {2ull * HEAD, 2ull * HEAD * heads,
                                  2ull * HEAD * heads * rows};
    const cuuint32_t box[] = {64, 1, high, 1}, steps[] = {1, 1, 1, 1};
    cudaDriverEntryPointQueryResult found;
    if (!encode && (cudaGetDriverEntryPointByVersion(
                        "cuTensorMapEncodeTiled", &encode, 12000,
                        cudaEnableDefault, &found) != cudaSuccess ||
                    !encode)) {
        return "the driver has no tensor maps";
    }
    return ((encoder)encode)(
               map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, (void *)data, dims,
               strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? 0
               : "a tensor does not start at a multiple of 16 bytes";
}

/* O = softmax(Q K^T / sqrt(HEAD)) V. Returns null, or a sentence that says why
 * it cannot; s.scale is set here. */
static const char *launch(void *o, const void *q, const void *k, const void *v,
                          shape s) {
    CUtensorMap map_q, map_k, map_v, map_o;
    if (!s.batch || !s.heads || !s.kv_heads || !s.rows || !s.keys ||
        s.heads % s.kv_heads) {
        return "batch, heads, rows and keys are at least 1, and heads are a "
               "multiple of the heads of keys";
    }
    if (s.batch > 65535 || s.heads > 65535 || s.rows > 1u << 30 ||
        s.keys > 1u << 30 || s.window > 1u << 30) {
        return "batch and heads are at most 65535, rows and keys 2^30";
    }
    const char *bad = map_of(&map_q, q, s.batch, s.rows, s.heads, 64);
    bad = bad ? bad : map_of(&map_o, o, s.batch, s.rows, s.heads, 64);
    bad = bad ? bad : map_of(&map_k, k, s.batch, s.keys, s.kv_heads, KEYS);
    bad = bad ? bad : map_of(&map_v, v, s.batch, s.keys, s.kv_heads, KEYS);
    if (bad) {
        return bad;
    }
    s.scale = 1.44269504f / sqrtf(HEAD);
    MUST(cudaFuncSetAttribute(
        attention, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SMEM));
    const dim3 blocks((s.rows + ROWS - 1) / ROWS, s.heads, s.batch);
    attention<<<blocks, THREADS, SMEM>>>(map_q, map_k, map_v, map_o, s);
    return cudaGetLastError() == cudaSuccess
               ? 0
               : "the launch failed: this kernel is for sm_90a";
}

#ifndef LL_NO_MAIN

/* ---- The check ----------------------------------------------------------- */

static float value(size_t x, unsigned seed) { /* about normal */
    unsigned h = (unsigned)x * 2654435761u + seed * 40503u;
    float sum = 0;
    for (unsigned k = 0; k < 4; ++k) {
        h ^= h >> 15;
        h *= 2246822519u;
        h ^= h >> 13;
        sum += (float)(h & 0xffff) / 65536.0f - 0.5f;
    }
    unsigned w = 0;
    memcpy(&w, &(sum *= 1.7f), 4);
    w = (w + 0x7fff + (w >> 16 & 1)) & 0xffff0000u; /* bf16 */
    memcpy(&sum, &w, 4);
    return sum;
}

static void *tensor(size_t count, unsigned seed) {
    unsigned short *host = (unsigned short *)malloc(2 * count);
    void *p = 0;
    for (size_t x = 0; x < count; ++x) {
        const float f = value(x, seed);
        unsigned w = 0;
        memcpy(&w, &f, 4);
        host[x] = (unsigned short)(w >> 16);
    }
    MUST(cudaMalloc(&p, 2 * count));
    MUST(cudaMemcpy(p, host, 2 * count, cudaMemcpyHostToDevice));
    free(host);
    return p;
}

/* Row i of a head, in double precision. */
static void row_by_hand(double *out, const shape &s, size_t b, size_t h,
                        size_t i) {
    const size_t kv = h / (s.heads / s.kv_heads);
    const long long end = (long long)i + s.keys - s.rows;
    double sum = 0;
    for (unsigned d = 0; d < HEAD; ++d) { out[d] = 0; }
    for (size_t j = 0; j < s.keys; ++j) {
        double x = 0;
        if ((s.causal && (long long)j > end) ||
            (s.window && (long long)j + s.window <= end)) {
            continue;
        }
        const size_t at = ((b * s.keys + j) * s.kv_heads + kv) * HEAD;
        for (unsigned d = 0; d < HEAD; ++d) {
            x += (double)value(((b * s.rows + i) * s.heads + h) * HEAD + d, 1) *
                 value(at + d, 2);
        }
        const double w = exp(x / sqrt((double)HEAD));
        sum += w;
        for (unsigned d = 0; d < HEAD; ++d) { out[d] += w * value(at + d, 3); }
    }
    for (unsigned d = 0; d < HEAD; ++d) { out[d] /= sum == 0 ? 1 : sum; }
}

/* Every row, or some where there are many. */
static size_t count_wrong(const unsigned short *o, const shape &s) {
    const size_t all = (size_t)s.batch * s.rows * s.heads;
    const size_t some = all * s.keys > 1u << 20 ? all / 37 + 1 : 1;
    size_t wrong = 0;
    double want[HEAD];
    for (size_t x = 0; x < all; x += some) {
        const size_t h = x % s.heads, i = x / s.heads % s.rows;
        row_by_hand(want, s, x / s.heads / s.rows, h, i);
        for (unsigned d = 0; d < HEAD; ++d) {
            const unsigned w = (unsigned)o[x * HEAD + d] << 16;
            float f = 0;
            memcpy(&f, &w, 4);
            wrong += !(fabs(f - want[d]) <= 0.01 + 0.01 * fabs(want[d]));
        }
    }
    return wrong;
}

static size_t demonstrate(const shape &s) {
    const size_t n = (size_t)s.batch * s.rows * s.heads * HEAD;
    const size_t m = (size_t)s.batch * s.keys * s.kv_heads * HEAD;
    void *q = tensor(n, 1), *k = tensor(m, 2), *v = tensor(m, 3), *o;
    unsigned short *host = (unsigned short *)malloc(2 * n);
    const char *bad = 0;
    MUST(cudaMalloc(&o, 2 * n));
    const float ms = timed([&] { bad = launch(o, q, k, v, s); });
    printf("%u x %u x %u of %u, keys %u of %u%s, window %u: ", s.batch, s.rows,
           s.heads, HEAD, s.keys, s.kv_heads, s.causal ? ", causal" : "",
           s.window);
    if (bad) {
        printf("%s\n", bad);
        return 1;
    }
    MUST(cudaMemcpy(host, o, 2 * n, cudaMemcpyDeviceToHost));
    const size_t wrong = count_wrong(host, s);
    free(host);
    for (void *p : {q, k, v, o}) { MUST(cudaFree(p)); }
#if LL_EMULATE
    const unsigned long long lost = emu_wavefronts("") - emu_ideal("");
    printf("%zu wrong, %llu bank conflicts\n%s", wrong, lost, emu_errors());
    (void)ms;
    return wrong + lost + (size_t)emu_error_count();
#else
    printf("%zu wrong, %.3f ms, %.1f T/s\n", wrong, ms,
           4e-9 * s.batch * s.heads * s.rows * s.keys * HEAD /
               (s.causal ? 2 : 1) / ms);
    return wrong;
#endif
}

int main(int argc, char **argv) {
    static const shape shapes[] = {
        {1, 2, 1, 100, 200, 0, 0, 0},      {2, 1, 1, 1, 1, 0, 0, 0},
        {1, 1, 1, 300, 300, 1, 0, 0},      {1, 1, 1, 260, 700, 1, 150, 0},
        {1, 1, 1, 200, 100, 1, 0, 0},      {8, 16, 16, 2048, 2048, 0, 0, 0},
        {1, 16, 16, 16384, 16384, 0, 0, 0}, {1, 16, 2, 16384, 16384, 1, 0, 0}};
    size_t wrong = 0;
    if (argc > 7) {
        unsigned x[7];
        for (int k = 0; k < 7; ++k) { x[k] = (unsigned)atoi(argv[k + 1]); }
        return demonstrate({x[0], x[1], x[2], x[3], x[4], x[5], x[6], 0}) != 0;
    }
    for (const shape &s : shapes) {
        wrong += s.rows > 1000 && !on_gpu() ? 0 : demonstrate(s);
    }
    return wrong != 0;
}

#endif
