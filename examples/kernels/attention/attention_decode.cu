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
 * a second kernel adds up the blocks (attention_splits.h).
 *
 * What is a question of layouts comes from the library. Both operands lie by
 * keys in memory. A plan says where cp.async puts each 16 bytes, so that
 * ldmatrix reads K as it lies and V transposed without bank conflicts; weights
 * go from sums to operand A with nothing moved; and the sums of the warps are a
 * reduction along an axis k, which counts warps.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_80 -I. \
 *            examples/kernels/attention/attention_decode.cu \
 *            -o attention_decode                      (sm_80 and later)
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#define LL_TENSOR
#include "attention.h"
#include "ll_ptx.h"
#include "attention_weigh.h"
#include "../dependent_launch.h"

/* ---- Layouts ------------------------------------------------------------- */

/* Four tokens after 65536 keys take 38 us on an H200: 40 with four stages, 43
 * with eight warps, 58 with prefetches to the L2 cache, 40 to 47 if the next
 * launch runs under the sums of splits, as two blocks then share a processor. A
 * counter that add_up waits for instead of the end of decode: 37 with fewer
 * blocks than processors, 39 with as many. */
enum : unsigned { KEYS = 16, WARPS = 4, STAGES = 3 };

/* Columns of a tile. Heads of 96 have the tile of 128: what is missing is not
 * read from memory, but filled with zeros. */
enum : unsigned { WIDTH = HEAD == 96 ? 128 : HEAD };

/* Operands and sums of a warp. K and V are operands B; by_key is K as it lies
 * in memory, a key in a row. */
LL_LAYOUT(Q, ll_ptx_mma_a(16, WIDTH, 16, 1));
LL_LAYOUT(K, ll_ptx_mma_b(WIDTH, KEYS, 16, 1));
LL_LAYOUT(V, ll_ptx_mma_b(KEYS, WIDTH, 16, 1));
LL_LAYOUT(BY_KEY, ll_trans(LL_GET(K), "j i"));
LL_LAYOUT(SCORES, ll_ptx_mma_c(16, KEYS, 1));
LL_LAYOUT(WEIGHTS, ll_ptx_mma_a(16, KEYS, 16, 1));
LL_LAYOUT(SUMS, ll_ptx_mma_c(16, WIDTH, 1));
LL_PLAN(NOTHING, SCORES, WEIGHTS, 16, LL_SM80);
LL_EXPECT_KIND(NOTHING, LL_NOTHING);

/* Who copies what, and where to. */
LL_LAYOUT(COPY_K, ll_rows_for(LL_GET(BY_KEY), 2));
LL_LAYOUT(COPY_V, ll_rows_for(LL_GET(V), 2));
LL_PLAN_BY(FEED_K, COPY_K, BY_KEY, 16, LL_SM80, LL_COPIES);
LL_PLAN_BY(FEED_V, COPY_V, V, 16, LL_SM80, LL_COPIES);
LL_EXPECT_NO_CONFLICTS(FEED_K);
LL_EXPECT_NO_CONFLICTS(FEED_V);
LL_SCOPE(WARP, threadIdx.x % 32, 32, LL_BARRIER_WARP());

/* Of a row: the largest score of a step, and a lane's sum of weights. */
LL_LAYOUT(LANES, ll_parse("register: i3 | lane: j0 j1 i0 i1 i2"));
LL_REDUCE_PLAN(LARGEST, SCORES, LL_J, 32, LL_SM80);
LL_REDUCE_PLAN(TOTAL, LANES, LL_J, 32, LL_SM80);

/* The same of all warps, which axis k counts, and their results. */
LL_LAYOUT(ROW_ALL, ll_parse("register: i3 | lane: 0 0 i0 i1 i2 | warp: k0 k1"));
LL_LAYOUT(ROW, ll_reduce(LL_GET(ROW_ALL), LL_K));
LL_LAYOUT(SUMS_ALL, ll_mul(LL_GET(SUMS), ll_identity(WARPS, LL_WARP, LL_K)));
LL_LAYOUT(RESULT, ll_reduce(LL_GET(SUMS_ALL), LL_K));
LL_REDUCE_PLAN(OF_ROWS, ROW_ALL, LL_K, 32, LL_SM80);
LL_REDUCE_PLAN(OF_SUMS, SUMS_ALL, LL_K, 32, LL_SM80);

/* row_of is true of registers of SCORES, SUMS and RESULT. */
LL_FN bool is_row_of(ll_layout a) {
    bool is = true;
    for (unsigned r = 0; r < 1u << a.in.bits[0]; ++r) {
        is = is && row_of(r) == (ll_unpack(a.out, LL_I, ll_apply(a, r)) != 0);
    }
    return is;
}
static_assert(is_row_of(LL_GET(SCORES)) && is_row_of(LL_GET(SUMS)) &&
                  is_row_of(LL_GET(RESULT)),
              "row_of says in which row of a lane a register is");

/* clang-format off */
enum : unsigned {
    BYTES_K = LL_SMEM_BYTES(FEED_K), STAGE = BYTES_K + LL_SMEM_BYTES(FEED_V),
    RING = STAGES * STAGE, SMEM = WARPS * RING
};
/* clang-format on */
static_assert(LL_SMEM_BYTES(OF_SUMS) <= SMEM, "sums fit into the ring");
static_assert(LL_REGS(ROW) == 2, "a lane has two rows");

/* ---- The kernels --------------------------------------------------------- */

typedef const unsigned short *tensor_of_16;

struct cache {
    unsigned batch, heads, kv_heads, page, most_pages, splits;
    float scale; /* of scores, and the logarithm of e to base 2 */
    const int *lengths, *table;
};

struct add {
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

/* What a warp has of its rows: O, the largest score, the lane's weights. */
struct part {
    float sums[LL_REGS(SUMS)], most[2], sum[2];
};

/* The warp's steps of a sequence: first, first + stride and so on. */
struct walk {
    unsigned first, stride, kv_head;
    const int *table;
    int pages; /* of the first 32 steps */
    unsigned keys;
};

/* The pages of steps number n to n + 31 of the warp, one in a lane. They do not
 * depend on lengths[b], and so are asked for before it arrives. */
static __device__ int pages_of(const cache &c, const walk &w, unsigned n) {
    const unsigned step = w.first + (n + threadIdx.x % 32) * w.stride;
    const unsigned x = step * KEYS / c.page;
    return x < c.most_pages ? w.table[x] : 0;
}

/* Starts the copies of a step. */
static __device__ void fetch(unsigned char *to, const cache &c, const walk &w,
                             tensor_of_16 k, tensor_of_16 v, unsigned step,
                             int page) {
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

/* Scores become weights relative to the largest score so far, and what was
 * there before shrinks. */
static __device__ void weigh(float (&scores)[LL_REGS(SCORES)], part &x,
                             unsigned left, float scale) {
    LL_IN(WARP);
    float most[2], factor[2];
    LL_EACH(r, SCORES) {
        scores[r] = LL_AT(SCORES, LL_J, r) < left ? scores[r] : -INFINITY;
    }
    LL_REDUCE(most, scores, LARGEST, 0, larger());
    weigh_tile(scores, most, x.most, x.sum, factor, scale);
    LL_EACH(r, SUMS) { x.sums[r] *= factor[row_of(r)]; }
}

/* A warp: its steps. */
static __device__ void attend(part &x, unsigned char *ring, const cache &c,
                              const walk &w,
                              const unsigned (&q)[LL_WORDS(Q, 16)],
                              tensor_of_16 k_cache, tensor_of_16 v_cache) {
    LL_IN(WARP);
    unsigned stage = 0, n = 0;
    int pages = w.pages, next = 0;
    for (; n + 1 < STAGES; ++n) {
        fetch(ring + n * STAGE, c, w, k_cache, v_cache, w.first + n * w.stride,
              __shfl_sync(~0u, pages, n));
    }
    for (unsigned step = w.first; step * KEYS < w.keys; step += w.stride) {
        const unsigned ahead = step + (STAGES - 1) * w.stride;
        const unsigned free = stage ? stage - 1 : STAGES - 1;
        float scores[LL_REGS(SCORES)] = {};
        unsigned k[LL_WORDS(K, 16)], v[LL_WORDS(V, 16)];
        unsigned weights[LL_WORDS(WEIGHTS, 16)];
        pages = n % 32 ? pages : next;
        next = n % 32 == 16 ? pages_of(c, w, n + 16) : next;
        fetch(ring + free * STAGE, c, w, k_cache, v_cache, ahead,
              __shfl_sync(~0u, pages, n++ % 32));
        LL_COPY_WAIT(STAGES - 1);
        LL_SYNC();
        LL_LOAD_SHARED(k, FEED_K, ring + stage * STAGE);
        LL_LOAD_SHARED(v, FEED_V, ring + stage * STAGE + BYTES_K);
        LL_MMA(scores, SCORES, q, Q, k, K, 16, ll_ptx_mma_m16n8k16_f32_bf16);
        weigh(scores, x, w.keys - step * KEYS, c.scale);
        LL_UNROLL
        for (unsigned r = 0; r < LL_WORDS(WEIGHTS, 16); ++r) {
            weights[r] = ll_ptx_cvt_bf16x2(scores[2 * r], scores[2 * r + 1]);
        }
        LL_MMA(x.sums, SUMS, weights, WEIGHTS, v, V, 16,
               ll_ptx_mma_m16n8k16_f32_bf16);
        LL_SYNC(); /* before the stage is filled again */
        stage = stage + 1 == STAGES ? 0 : stage + 1;
    }
    LL_COPY_WAIT(0);
}

/* One split of a sequence, for a head of K and V and up to 16 heads of Q. Its
 * part of O, and of each row the largest score and the sum of weights, or O
 * where there are no others. */
__global__ void __launch_bounds__(32 * WARPS, 1)
    decode(unsigned short *o, float *sums, float *most, float *weights,
           tensor_of_16 q, tensor_of_16 k, tensor_of_16 v, const cache c) {
    extern __shared__ __align__(16) unsigned char memory[];
    const unsigned share = c.heads / c.kv_heads, split = blockIdx.x;
    const unsigned kv = blockIdx.y % c.kv_heads;
    const unsigned row = blockIdx.y / c.kv_heads * 16; /* of the share */
    const unsigned rows = share - row < 16 ? share - row : 16;
    const unsigned head = kv * share + row, b = blockIdx.z;
    wait_for_preceding(true);
    const unsigned warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
    walk w = {split * WARPS + warp, c.splits * WARPS, kv,
              c.table + (size_t)b * c.most_pages, 0, 0};
    w.pages = pages_of(c, w, 0);
    w.keys = (unsigned)c.lengths[b];
    unsigned words[LL_WORDS(Q, 16)];
    part x = {{}, {-INFINITY, -INFINITY}, {0, 0}};
    {
        LL_IN(WARP);
        LL_LOAD(words, Q, q + ((size_t)b * c.heads + head) * HEAD, HEAD, rows,
                HEAD);
        attend(x, memory + warp * RING, c, w, words, k, v);
        LL_REDUCE(x.sum, x.sum, TOTAL, 0, add());
    }
    float highest[2], all[2], result[LL_REGS(RESULT)];
    __syncthreads();
    LL_REDUCE(highest, x.most, OF_ROWS, memory, larger());
    for (unsigned r = 0; r < 2; ++r) {
        const float base = highest[r] == -INFINITY ? 0 : highest[r];
        const float factor = ll_ptx_ex2((x.most[r] - base) * c.scale);
        x.sum[r] *= factor;
        x.most[r] = factor;
    }
    LL_EACH(r, SUMS) { x.sums[r] *= x.most[row_of(r)]; }
    __syncthreads();
    LL_REDUCE(all, x.sum, OF_ROWS, memory, add());
    __syncthreads();
    LL_REDUCE(result, x.sums, OF_SUMS, memory, add());
    const size_t at = ((size_t)split * c.batch + b) * c.heads + head;
    if (c.splits > 1) {
        LL_STORE(result, RESULT, sums + at * HEAD, HEAD, rows, HEAD);
        LL_STORE(highest, ROW, most + at, 0, 1, rows);
        LL_STORE(all, ROW, weights + at, 0, 1, rows);
        return;
    }
    unsigned words_o[LL_WORDS(RESULT, 16)];
    for (unsigned r = 0; r < 2; ++r) {
        all[r] = all[r] == 0 ? 0 : 1 / all[r];
    }
    LL_UNROLL
    for (unsigned r = 0; r < LL_WORDS(RESULT, 16); ++r) {
        const float factor = all[row_of(2 * r)];
        words_o[r] = ll_ptx_cvt_bf16x2(result[2 * r] * factor,
                                       result[2 * r + 1] * factor);
    }
    LL_STORE(words_o, RESULT, o + at * HEAD, HEAD, rows, HEAD);
}

#include "attention_splits.h" /* launch_decode */

#ifndef LL_NO_MAIN
#include "decode_check.h"

/* 0 splits are as many as an H200 wants. */
int main(void) {
    size_t wrong = demonstrate(2, 8, 2, 200, 16, 2);
    wrong += demonstrate(1, 20, 1, 75, 32, 1);
    wrong += demonstrate(3, 2, 2, 40, 16, 3);
    wrong += demonstrate(1, 8, 1, 2500, 16, 1);
    if (on_gpu()) {
        wrong += demonstrate(32, 32, 8, 8192, 16, 0);
        wrong += demonstrate(4, 64, 8, 32768, 64, 0);
    }
    return wrong != 0;
}

#endif
