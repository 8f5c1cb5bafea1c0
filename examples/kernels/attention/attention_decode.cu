/* attention_decode.cu - how does a new token read all keys and values at the
 * rate of memory?
 * SPDX-License-Identifier: MIT
 *
 * One row of Q for each sequence, bf16: Q is batch x heads x HEAD. Keys and
 * values lie in pages of `page` rows, pages x page x kv_heads x HEAD each, and
 * table[b][x] is the page of rows x * page and on of sequence b, which has
 * lengths[b] rows. heads / kv_heads neighbours share a head of K and V. HEAD is
 * 64, 96, 128 or 256.
 *
 * A warp takes KEYS keys in a step. It copies them from their page to a ring of
 * its own by cp.async, two steps ahead, and waits for no other warp. mma.sync
 * multiplies 16 rows: the heads that share keys; the rest are zeros, which cost
 * nothing where memory is the limit. The steps of a sequence are dealt to the
 * warps of `splits` blocks in turn. The warps of a block add up at the end, and
 * a second kernel adds up the blocks (add_splits.h).
 *
 * Layouts come from the library. Both operands lie by keys in memory. A plan
 * says where cp.async puts each 16 bytes, so that ldmatrix reads K as it lies
 * and V transposed without bank conflicts; the probabilities P go from
 * accumulators to operand A with nothing moved; and the results of the warps
 * are added up by a reduction along an axis k, which counts warps.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_80 -I. \
 *            examples/kernels/attention/attention_decode.cu \
 *            -o attention_decode                      (sm_80 and later)
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "softmax_tile.h"
#include "add_splits.h"
#include "decode_check.h"

#ifndef HEAD
#define HEAD 128
#endif

using namespace ll_kernels;

/* ---- Layouts ------------------------------------------------------------- */

/* Four tokens after 65536 keys take 38 us on an H200: 40 with four stages, 43
 * with eight warps, 58 with prefetches to the L2 cache, 40 to 47 if the next
 * launch runs while splits are added up, as two blocks then share a
 * multiprocessor. A counter that add_splits waits for instead of the end of
 * decode: 37 with fewer blocks than multiprocessors, 39 with equally many. */
enum : unsigned { KEYS = 16, WARPS = 4, STAGES = 3 };

/* Columns of a tile. Heads of 96 have the tile of 128: what is missing is not
 * read from memory, but filled with zeros. */
enum : unsigned { WIDTH = HEAD == 96 ? 128 : HEAD };

/* Operands and accumulators of a warp. K and V are operands B; BY_KEY is K as
 * it lies in memory, a key in a row. */
LL_LAYOUT(Q, ll_ptx_mma_a(16, WIDTH, 16, 1));
LL_LAYOUT(K, ll_ptx_mma_b(WIDTH, KEYS, 16, 1));
LL_LAYOUT(V, ll_ptx_mma_b(KEYS, WIDTH, 16, 1));
LL_LAYOUT(BY_KEY, ll_trans(LL_GET(K), "j i"));
LL_LAYOUT(SCORES, ll_ptx_mma_c(16, KEYS, 1));
LL_LAYOUT(OPERAND_P, ll_ptx_mma_a(16, KEYS, 16, 1));
LL_LAYOUT(OUTPUT, ll_ptx_mma_c(16, WIDTH, 1));
LL_PLAN(NOTHING, SCORES, OPERAND_P, 16, LL_SM80);
LL_EXPECT_KIND(NOTHING, LL_NOTHING);

/* Which lane copies what, and where to. */
LL_LAYOUT(COPY_K, ll_rows_for(LL_GET(BY_KEY), 2));
LL_LAYOUT(COPY_V, ll_rows_for(LL_GET(V), 2));
LL_PLAN_BY(FEED_K, COPY_K, BY_KEY, 16, LL_SM80, LL_COPIES);
LL_PLAN_BY(FEED_V, COPY_V, V, 16, LL_SM80, LL_COPIES);
LL_EXPECT_NO_CONFLICTS(FEED_K);
LL_EXPECT_NO_CONFLICTS(FEED_V);
LL_SCOPE(WARP, threadIdx.x % 32, 32, LL_BARRIER_WARP());

/* Of a row: the largest score of a step, and the total of the lanes' sums. */
LL_LAYOUT(LANES, ll_parse("register: i3 | lane: j0 j1 i0 i1 i2"));
LL_REDUCE_PLAN(LARGEST, SCORES, LL_J, 32, LL_SM80);
LL_REDUCE_PLAN(TOTAL, LANES, LL_J, 32, LL_SM80);

/* The same over all warps, which axis k counts, and the results. */
LL_LAYOUT(ROW_ALL, ll_parse("register: i3 | lane: 0 0 i0 i1 i2 | warp: k0 k1"));
LL_LAYOUT(ROW, ll_reduce(LL_GET(ROW_ALL), LL_K));
LL_LAYOUT(OUTPUT_ALL,
          ll_mul(LL_GET(OUTPUT), ll_identity(WARPS, LL_WARP, LL_K)));
LL_LAYOUT(RESULT, ll_reduce(LL_GET(OUTPUT_ALL), LL_K));
LL_REDUCE_PLAN(OVER_ROWS, ROW_ALL, LL_K, 32, LL_SM80);
LL_REDUCE_PLAN(OVER_OUTPUTS, OUTPUT_ALL, LL_K, 32, LL_SM80);

static_assert(has_register_rows(LL_GET(SCORES)) &&
                  has_register_rows(LL_GET(OUTPUT)) &&
                  has_register_rows(LL_GET(RESULT)),
              "register_row says in which row of a lane a register is");

/* clang-format off */
enum : unsigned {
    BYTES_K = LL_SMEM_BYTES(FEED_K), STAGE = BYTES_K + LL_SMEM_BYTES(FEED_V),
    RING = STAGES * STAGE, SMEM = WARPS * RING
};
/* clang-format on */
static_assert(LL_SMEM_BYTES(OVER_OUTPUTS) <= SMEM, "results fit into the ring");
static_assert(LL_REGS(ROW) == 2, "a lane has two rows");

/* ---- The kernel ---------------------------------------------------------- */

typedef const unsigned short *tensor_16bit;

struct add {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct maximum {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

/* What a warp has of its rows: O and the softmax so far. */
struct warp_state {
    float output[LL_REGS(OUTPUT)], most[2], sum[2];
};

/* The warp's steps of a sequence: first, first + stride and so on. */
struct warp_steps {
    unsigned first, stride, kv_head;
    const int *table;
    int pages; /* of the first 32 steps */
    unsigned keys;
};

/* Returns the page of step n + lane of the warp. Pages do not depend on
 * lengths[b], and so are asked for before it arrives. */
static __device__ int load_page(const paged_cache &c, const warp_steps &w,
                                unsigned n) {
    const unsigned step = w.first + (n + threadIdx.x % 32) * w.stride;
    const unsigned x = step * KEYS / c.page;
    return x < c.most_pages ? w.table[x] : 0;
}

/* Starts the copies of a step. */
static __device__ void start_copies(unsigned char *to, const paged_cache &c,
                                    const warp_steps &w, tensor_16bit k,
                                    tensor_16bit v, unsigned step, int page) {
    LL_IN(WARP);
    if (step * KEYS < w.keys) {
        const unsigned ld = c.kv_heads * HEAD, left = w.keys - step * KEYS;
        const size_t row = (size_t)page * c.page + step * KEYS % c.page;
        const size_t at = row * ld + w.kv_head * HEAD;
        LL_COPY(FEED_K, to, k + at, ld, left, HEAD);
        LL_COPY(FEED_V, to + BYTES_K, v + at, ld, left, HEAD);
    }
    LL_COPY_COMMIT();
}

/* Turns scores into probabilities relative to the largest score so far, and
 * rescales O. The first `left` keys of the step count. */
static __device__ void softmax_step(float (&scores)[LL_REGS(SCORES)],
                                    warp_state &x, unsigned left, float scale) {
    LL_IN(WARP);
    float most[2], factor[2];
    LL_EACH(r, SCORES) {
        scores[r] = LL_AT(SCORES, LL_J, r) < left ? scores[r] : -INFINITY;
    }
    LL_REDUCE(most, scores, LARGEST, 0, maximum());
    softmax_tile(scores, most, x.most, x.sum, factor, scale);
    LL_EACH(r, OUTPUT) { x.output[r] *= factor[register_row(r)]; }
}

/* Runs the steps of a warp. */
static __device__ void run_steps(warp_state &x, unsigned char *ring,
                                 const paged_cache &c, const warp_steps &w,
                                 const unsigned (&q)[LL_WORDS(Q, 16)],
                                 tensor_16bit k_cache, tensor_16bit v_cache) {
    LL_IN(WARP);
    unsigned stage = 0, n = 0;
    int pages = w.pages, next = 0;
    for (; n + 1 < STAGES; ++n) {
        start_copies(ring + n * STAGE, c, w, k_cache, v_cache,
                     w.first + n * w.stride, __shfl_sync(~0u, pages, n));
    }
    for (unsigned step = w.first; step * KEYS < w.keys; step += w.stride) {
        const unsigned ahead = step + (STAGES - 1) * w.stride;
        const unsigned free = stage ? stage - 1 : STAGES - 1;
        float scores[LL_REGS(SCORES)] = {};
        unsigned k[LL_WORDS(K, 16)], v[LL_WORDS(V, 16)];
        unsigned probabilities[LL_WORDS(OPERAND_P, 16)];
        pages = n % 32 ? pages : next;
        next = n % 32 == 16 ? load_page(c, w, n + 16) : next;
        start_copies(ring + free * STAGE, c, w, k_cache, v_cache, ahead,
                     __shfl_sync(~0u, pages, n++ % 32));
        LL_COPY_WAIT(STAGES - 1);
        LL_SYNC();
        LL_LOAD_SHARED(k, FEED_K, ring + stage * STAGE);
        LL_LOAD_SHARED(v, FEED_V, ring + stage * STAGE + BYTES_K);
        LL_MMA(scores, SCORES, q, Q, k, K, 16, ll_ptx_mma_m16n8k16_f32_bf16);
        softmax_step(scores, x, w.keys - step * KEYS, c.scale);
        round_pairs<number_format::BF16>(probabilities, scores);
        LL_MMA(x.output, OUTPUT, probabilities, OPERAND_P, v, V, 16,
               ll_ptx_mma_m16n8k16_f32_bf16);
        LL_SYNC(); /* before the stage is filled again */
        stage = stage + 1 == STAGES ? 0 : stage + 1;
    }
    LL_COPY_WAIT(0);
}

/* Runs one split of a sequence, for a head of K and V and up to 16 heads of Q.
 * Stores O if there is one split, else its part of O and, for each row, the
 * largest score and the sum of probabilities. */
__global__ void __launch_bounds__(32 * WARPS, 1)
    decode(unsigned short *o, float *parts, float *most, float *sums,
           tensor_16bit q, tensor_16bit k, tensor_16bit v,
           const paged_cache c) {
    extern __shared__ __align__(16) unsigned char memory[];
    const unsigned share = c.heads / c.kv_heads, split = blockIdx.x;
    const unsigned kv = blockIdx.y % c.kv_heads;
    const unsigned row = blockIdx.y / c.kv_heads * 16; /* of the share */
    const unsigned rows = share - row < 16 ? share - row : 16;
    const unsigned head = kv * share + row, b = blockIdx.z;
    wait_for_preceding(true);
    const unsigned warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
    warp_steps w = {};
    w.first = split * WARPS + warp;
    w.stride = c.splits * WARPS;
    w.kv_head = kv;
    w.table = c.table + (size_t)b * c.most_pages;
    w.pages = load_page(c, w, 0);
    w.keys = (unsigned)c.lengths[b];
    unsigned words[LL_WORDS(Q, 16)];
    warp_state x = {{}, {-INFINITY, -INFINITY}, {0, 0}};
    {
        LL_IN(WARP);
        LL_LOAD(words, Q, q + ((size_t)b * c.heads + head) * HEAD, HEAD, rows,
                HEAD);
        run_steps(x, memory + warp * RING, c, w, words, k, v);
        LL_REDUCE(x.sum, x.sum, TOTAL, 0, add());
    }
    float highest[2], total[2], result[LL_REGS(RESULT)];
    __syncthreads();
    LL_REDUCE(highest, x.most, OVER_ROWS, memory, maximum());
    for (unsigned r = 0; r < 2; ++r) {
        const float base = highest[r] == -INFINITY ? 0 : highest[r];
        const float factor = ll_ptx_ex2((x.most[r] - base) * c.scale);
        x.sum[r] *= factor;
        x.most[r] = factor;
    }
    LL_EACH(r, OUTPUT) { x.output[r] *= x.most[register_row(r)]; }
    __syncthreads();
    LL_REDUCE(total, x.sum, OVER_ROWS, memory, add());
    __syncthreads();
    LL_REDUCE(result, x.output, OVER_OUTPUTS, memory, add());
    const size_t at = ((size_t)split * c.batch + b) * c.heads + head;
    if (c.splits > 1) {
        LL_STORE(result, RESULT, parts + at * HEAD, HEAD, rows, HEAD);
        LL_STORE(highest, ROW, most + at, 0, 1, rows);
        LL_STORE(total, ROW, sums + at, 0, 1, rows);
        return;
    }
    unsigned words_o[LL_WORDS(RESULT, 16)];
    for (unsigned r = 0; r < 2; ++r) {
        total[r] = total[r] == 0 ? 0 : 1 / total[r];
    }
    LL_UNROLL
    for (unsigned r = 0; r < LL_WORDS(RESULT, 16); ++r) {
        const float factor = total[register_row(2 * r)];
        words_o[r] = ll_ptx_cvt_bf16x2(result[2 * r] * factor,
                                       result[2 * r + 1] * factor);
    }
    LL_STORE(words_o, RESULT, o + at * HEAD, HEAD, rows, HEAD);
}

/* ---- The launcher -------------------------------------------------------- */

/* Launches O = softmax(Q K^T / sqrt(HEAD)) V, with split_bytes(c, HEAD) bytes
 * of memory `work`. Returns an error message, or null. */
static const char *launch_decode(void *o, void *work, const void *q,
                                 const void *k, const void *v, paged_cache c) {
    const char *bad = cache_error(c, KEYS);
    if (bad) {
        return bad;
    }
    if ((size_t)o % 16 || (size_t)q % 16 || (size_t)k % 16 || (size_t)v % 16) {
        return "a tensor does not start at a multiple of 16 bytes";
    }
    const size_t rows = (size_t)c.splits * c.batch * c.heads;
    float *parts = (float *)work, *most = parts + rows * HEAD;
    c.scale = 1.44269504f / sqrtf(HEAD);
    const dim3 blocks(c.splits, c.kv_heads * head_groups(c), c.batch);
    const dim3 heads(c.batch * c.heads);
    cudaError_t err = cudaFuncSetAttribute(
        decode, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SMEM);
    err = err ? err
              : launch_dependent(decode, blocks, 32 * WARPS, SMEM, o, parts,
                                 most, most + rows, q, k, v, c);
    err = err || c.splits == 1
              ? err
              : launch_dependent(add_splits<HEAD>, heads, 1024 / HEAD * HEAD, 0,
                                 o, parts, most, most + rows, c);
    return said(err);
}

#ifndef LL_NO_MAIN

/* Runs a batch; 0 splits: the number for an H200. */
static size_t run(unsigned batch, unsigned heads, unsigned kv_heads,
                  unsigned length, unsigned page, unsigned splits) {
    const paged_cache c = {batch, heads, kv_heads, page, 0, 1, 0, 0, 0};
    splits = splits ? splits : splits_for(c, length, 132, KEYS * WARPS);
    return run_decode<HEAD>(launch_decode, batch, heads, kv_heads, length, page,
                            splits);
}

int main(void) {
    size_t wrong = run(2, 8, 2, 200, 16, 2);
    wrong += run(1, 20, 1, 75, 32, 1);
    wrong += run(3, 2, 2, 40, 16, 3);
    wrong += run(1, 8, 1, 2500, 16, 1);
    if (on_gpu()) {
        wrong += run(32, 32, 8, 8192, 16, 0);
        wrong += run(4, 64, 8, 32768, 64, 0);
    }
    return wrong != 0;
}

#endif
