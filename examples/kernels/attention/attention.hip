/* attention.hip - how do the weights of attention get from the sums of one
 * product into the operand of the next, on AMD's matrix units?
 * SPDX-License-Identifier: MIT
 *
 * O = softmax(Q K^T) V, bf16 or f16 in and out, sums in f32. Q and O are batch
 * x rows x heads x HEAD, K and V are batch x keys x kv_heads x HEAD; row i sees
 * keys up to i + keys - rows where it is causal. HEAD is 64 or 128.
 *
 * The products are transposed: S^T = K Q^T and O^T = V^T P^T. A lane has sums
 * of one query then, in S^T and in O^T alike, so that the largest score, the
 * sum of the weights and the factor of earlier sums are one number each. The
 * weights P^T are operand B of the second product. Its k, the keys, may be in
 * any order if V^T has them in the same one. ll_absorb finds the order in which
 * nothing moves: the compiler proves it for gfx9 and gfx12. On gfx11, where
 * both halves of a warp hold copies of B, the halves exchange what they lack.
 *
 * Operand V^T has neighbouring keys in a register, but memory has rows of V. A
 * plan turns them: by ds_read_b64_tr_b16 on gfx950, elsewhere by byte permutes
 * of a lane's part of 4 rows, before it stores vectors to LDS.
 *
 * Build: hipcc -std=c++17 -O3 --offload-arch=gfx942 [-DHEAD=64] [-DHALF=1] \
 *            -I. examples/kernels/attention/attention.hip -o attention
 *        or, without a GPU, tools/emulator/emucc -W64 -DEMU_GFX=0x942 -I. ..
 * Run:   attention [batch heads kv_heads rows keys causal 0]
 */
#include "../hip.h"
#ifndef LL_NO_MAIN
#include "attention_check.h"
#endif
#ifndef HEAD
#define HEAD 128
#endif
#ifndef HALF
#define HALF 0
#endif

/* ---- The table of instructions ------------------------------------------- */

/* Of each target: its instruction, the side of D and the depth k of it; KEYS in
 * a step, such that all stay in registers; how many rows of V a lane has, for
 * which kind of plan. */
#if HALF
typedef f16 number;
#define BY_TYPE(f16_, bf16_) f16_
#else
typedef bf16 number;
#define BY_TYPE(f16_, bf16_) bf16_
#endif
#if defined(__GFX11__) || EMU_GFX == 0x1100
#define UNIT(which, ...) ll_amd_wmma_##which(0x1100, 32, __VA_ARGS__)
#define MULTIPLY BY_TYPE(ll_amd_wmma_f32_16x16x16_f16_w32, \
                         ll_amd_wmma_f32_16x16x16_bf16_w32)
#elif defined(__GFX12__) || EMU_GFX == 0x1201
#define UNIT(which, ...) ll_amd_wmma_##which(0x1201, 32, __VA_ARGS__)
#define MULTIPLY BY_TYPE(ll_amd_wmma_f32_16x16x16_f16_w32_gfx12, \
                         ll_amd_wmma_f32_16x16x16_bf16_w32_gfx12)
#elif defined(__gfx950__) || EMU_GFX == 0x950
enum : unsigned { DEEP = 16, HIGH = 1, BY = LL_COPIES, KEYS = 64 };
#define MULTIPLY BY_TYPE(ll_amd_mfma_f32_32x32x16_f16, \
                         ll_amd_mfma_f32_32x32x16_bf16)
#else /* gfx90a, gfx942 */
enum : unsigned { DEEP = 8, HIGH = 4, BY = LL_ANY, KEYS = 4096 / HEAD };
#define MULTIPLY BY_TYPE(ll_amd_mfma_f32_32x32x8f16, \
                         ll_amd_mfma_f32_32x32x8bf16_1k)
#endif
#ifdef UNIT
enum : unsigned { SIDE = 16, HIGH = 4, BY = LL_ANY, KEYS = 2048 / HEAD };
#define UNIT_A UNIT(a, 16, 16)
#define UNIT_B UNIT(b, 16, 16)
#define UNIT_D UNIT(c, 32)
#else
enum : unsigned { SIDE = 32 };
#define UNIT_A ll_amd_mfma_a(32, DEEP, 1, 16)
#define UNIT_B ll_amd_mfma_b(DEEP, 32, 1, 16)
#define UNIT_D ll_amd_mfma_c(32, 32, 1, 32)
#endif

/* ---- Layouts ------------------------------------------------------------- */

/* A warp has SIDE rows of Q, a block ROWS: 4 x 32 or, on RDNA, 8 x 16. */
enum : unsigned { THREADS = 256, WARPS = THREADS / LANES };
enum : unsigned { ROWS = WARPS * SIDE };

LL_FN ll_layout tiled(ll_layout unit, unsigned rows, unsigned cols,
                      ll_dim over_warps) {
    const ll_shape none = LL_ZERO;
    return ll_tiled(unit, ll_with(ll_with(none, LL_J, cols), LL_I, rows),
                    ll_with(none, over_warps, WARPS));
}

/* S^T = K Q^T, and O^T = V^T P^T. K and V^T have no axis k of warps: each warp
 * has all of them. */
LL_LAYOUT(LEFT_K, tiled(UNIT_A, KEYS, HEAD, LL_K));
LL_LAYOUT(RIGHT_Q, tiled(UNIT_B, HEAD, ROWS, LL_J));
LL_LAYOUT(SCORES, tiled(UNIT_D, KEYS, ROWS, LL_J));
LL_LAYOUT(LEFT_V, tiled(UNIT_A, HEAD, KEYS, LL_K));
LL_LAYOUT(RIGHT_P, tiled(UNIT_B, KEYS, ROWS, LL_J));
LL_LAYOUT(SUMS, tiled(UNIT_D, HEAD, ROWS, LL_J));

/* The order of the keys in which sums are an operand. */
LL_LAYOUT(ORDER, ll_absorb(LL_GET(SCORES), LL_GET(RIGHT_P), LL_I));
LL_LAYOUT(WEIGHTS, ll_renumber(LL_GET(SCORES), LL_I, LL_GET(ORDER)));
LL_PLAN(PASS, WEIGHTS, RIGHT_P, 16, TARGET);
#if !defined(__GFX11__) && EMU_GFX != 0x1100
LL_EXPECT_KIND(PASS, LL_NOTHING);
#endif

/* K and V lie in memory by keys; Q and O by queries, which are columns here. */
LL_LAYOUT(ROWS_K, LL_ROWS(.rows = KEYS, .cols = HEAD, .bytes = 2,
                          .lanes = LANES, .warps = WARPS));
LL_LAYOUT(ROWS_V, LL_ROWS(.rows = KEYS, .cols = HEAD, .bytes = 2,
                          .height = HIGH, .lanes = LANES, .warps = WARPS));
LL_LAYOUT(COLS_V, ll_trans(ll_renumber(LL_GET(LEFT_V), LL_J,
                                       ll_inv(LL_GET(ORDER))), "j i"));
LL_LAYOUT(ROWS_Q, ll_trans(LL_GET(RIGHT_Q), "j i"));
LL_LAYOUT(COLS_O, ll_trans(LL_GET(SUMS), "j i"));
LL_LAYOUT(ROWS_O, ll_mul(LL_ROWS(.rows = SIDE, .cols = HEAD, .bytes = 2,
                                 .lanes = LANES, .warps = 1),
                         ll_identity(WARPS, LL_WARP, LL_I)));
LL_PLAN(TURN_O, COLS_O, ROWS_O, 16, TARGET);
LL_PLAN(FEED_K, ROWS_K, LEFT_K, 16, TARGET);
LL_PLAN_BY(FEED_V, ROWS_V, COLS_V, 16, TARGET, BY);
LL_EXPECT_NO_CONFLICTS(FEED_K);
LL_EXPECT_NO_CONFLICTS(FEED_V);
LL_EXPECT_NO_CONFLICTS(TURN_O);
enum : unsigned {
    AT_V = LL_SMEM_BYTES(FEED_K), END_V = AT_V + LL_SMEM_BYTES(FEED_V),
    SMEM = END_V > LL_SMEM_BYTES(TURN_O) ? +END_V : LL_SMEM_BYTES(TURN_O)
};

/* The largest score of a query, and the sum of what lanes have of it. */
LL_FN ll_layout parts(void) {
    const ll_layout a = ll_mul(ll_identity(1, LL_REGISTER, LL_J),
                               ll_identity(SIDE, LL_LANE, LL_J));
    return ll_mul(ll_mul(a, ll_identity(LANES / SIDE, LL_LANE, LL_I)),
                  ll_identity(WARPS, LL_WARP, LL_J));
}
LL_LAYOUT(PARTS, parts());
LL_REDUCE_PLAN(LARGEST, SCORES, LL_I, 32, TARGET);
LL_REDUCE_PLAN(TOTAL, PARTS, LL_I, 32, TARGET);
static_assert(ll_is_equal(ll_reduce(LL_GET(SCORES), LL_I),
                          ll_reduce(LL_GET(PARTS), LL_I)),
              "a lane has sums of one query");

/* ---- The kernel ---------------------------------------------------------- */

struct shape_of {
    unsigned heads, kv_heads, rows, keys, causal;
    float scale; /* of scores, and the logarithm of e to base 2 */
};

/* How many of `left` are in a tile of `size`. */
LL_FN unsigned some(int left, unsigned size) {
    return left <= 0 ? 0 : (unsigned)left < size ? (unsigned)left : size;
}

/* Scores become weights relative to the largest score so far, `most`; sums so
 * far shrink by the result. `last` is the last key of the tile that the lane's
 * query sees. */
__device__ float weigh(float (&s)[LL_REGS(SCORES)], float &most, float &total,
                       int last, float scale) {
    float top[1];
    LL_EACH(r, SCORES) {
        s[r] = (int)LL_AT(SCORES, LL_I, r) <= last ? s[r] : -INFINITY;
    }
    LL_REDUCE(top, s, LARGEST, (unsigned char *)nullptr,
              [](float x, float y) { return x > y ? x : y; });
    top[0] = top[0] > most ? top[0] : most;
    const float base = top[0] == -INFINITY ? 0 : top[0] * scale;
    const float factor = power(most * scale - base);
    most = top[0];
    total *= factor;
    LL_EACH(r, SCORES) {
        s[r] = power(s[r] * scale - base);
        total += s[r];
    }
    return factor;
}

__global__ void __launch_bounds__(THREADS, 2)
    attention(number *o, const number *q, const number *k, const number *v,
              shape_of is) {
    __shared__ ALIGNED unsigned char smem[SMEM];
    unsigned char *const smem_v = smem + AT_V;
    unsigned next_k[LL_WORDS(ROWS_K, 16)], next_v[LL_WORDS(ROWS_V, 16)];
    unsigned right_q[LL_WORDS(RIGHT_Q, 16)], left_k[LL_WORDS(LEFT_K, 16)];
    unsigned left_v[LL_WORDS(LEFT_V, 16)], right_p[LL_WORDS(RIGHT_P, 16)];
    unsigned rows_o[LL_WORDS(ROWS_O, 16)];
    number round[LL_REGS(SUMS)], weights[LL_REGS(WEIGHTS)];
    float sums[LL_REGS(SUMS)] = LL_ZERO, total[1] = {0}, most = -INFINITY;
    const unsigned head = blockIdx.y % is.heads, batch = blockIdx.y / is.heads;
    const unsigned kv_head = head / (is.heads / is.kv_heads);
    const size_t step = is.heads * HEAD, kv_step = is.kv_heads * HEAD;
    const int first = (int)(blockIdx.x * ROWS);
    const unsigned high = some((int)is.rows - first, ROWS);
    const int ahead = is.causal ? (int)is.keys - (int)is.rows : (int)is.keys;
    const int own = first + (int)LL_AT(SCORES, LL_J, 0) + ahead;
    const int end = (int)some(first + (int)ROWS + ahead, is.keys);
    q += ((size_t)batch * is.rows + (size_t)first) * step + head * HEAD;
    o += ((size_t)batch * is.rows + (size_t)first) * step + head * HEAD;
    k += (size_t)batch * is.keys * kv_step + kv_head * HEAD;
    v += (size_t)batch * is.keys * kv_step + kv_head * HEAD;
    LL_LOAD(right_q, ROWS_Q, q, step, high, HEAD);
    LL_LOAD(next_k, ROWS_K, k, kv_step, some(end, KEYS), HEAD);
    LL_LOAD(next_v, ROWS_V, v, kv_step, some(end, KEYS), HEAD);
    for (int at = 0; at < end; at += KEYS) {
        float scores[LL_REGS(SCORES)] = LL_ZERO;
        LL_STORE_SHARED(next_k, FEED_K, smem);
        LL_STORE_SHARED(next_v, FEED_V, smem_v);
        ll_amd_s_barrier();
        const size_t next = (size_t)at + KEYS;
        LL_LOAD(next_k, ROWS_K, k + next * kv_step, kv_step,
                some(end - (int)next, KEYS), HEAD);
        LL_LOAD(next_v, ROWS_V, v + next * kv_step, kv_step,
                some(end - (int)next, KEYS), HEAD);
        LL_LOAD_SHARED(left_k, FEED_K, smem);
        MULTIPLY(scores, left_k, right_q);
        const int seen = own < end ? own : end - 1;
        const float factor = weigh(scores, most, total[0], seen - at, is.scale);
        LL_EACH(r, SUMS) { sums[r] *= factor; }
        LL_EACH(r, WEIGHTS) { weights[r] = (number)scores[r]; }
        LL_CONVERT(right_p, weights, PASS, smem);
        LL_LOAD_SHARED(left_v, FEED_V, smem_v);
        MULTIPLY(sums, left_v, right_p);
        ll_amd_s_barrier();
    }
    float all[1];
    LL_REDUCE(all, total, TOTAL, smem, ll_add());
    const float scale = all[0] == 0 ? 0 : inverse(all[0]);
    LL_EACH(r, SUMS) { round[r] = (number)(sums[r] * scale); }
    LL_CONVERT(rows_o, round, TURN_O, smem);
    LL_STORE(rows_o, ROWS_O, o, step, high, HEAD);
}

#ifndef LL_NO_MAIN

using namespace ll_kernels;

static const char *launch(void *o, const void *q, const void *k, const void *v,
                          attention_shape s) {
    const shape_of is = {s.heads, s.kv_heads, s.rows, s.keys, s.causal,
                         1.44269504f / sqrtf(HEAD)};
    if (s.window || s.row_start || s.heads % s.kv_heads) {
        return "there is no window, and all sequences have the same length";
    }
    attention<<<dim3((s.rows + ROWS - 1) / ROWS, s.batch * s.heads), THREADS>>>(
        (number *)o, (const number *)q, (const number *)k, (const number *)v,
        is);
    return said(cudaGetLastError());
}

int main(int argc, char **argv) {
    constexpr number_format FORMAT =
        HALF ? number_format::F16 : number_format::BF16;
    static const unsigned shapes[][8] = {
        {1, 2, 1, 100, 200, 0}, {3, 2, 2, 1, 1, 0}, {1, 1, 1, 300, 300, 1},
        {2, 1, 1, 70, 150, 1}, {1, 1, 1, 200, 100, 1},
        {8, 16, 16, 4096, 4096, 1}};
    size_t wrong = 0;
    if (argc > 7) {
        return run_shapes<HEAD, FORMAT>(launch, argc, argv);
    }
    for (const unsigned(&x)[8] : shapes) {
        if (x[3] <= 1000 || on_gpu()) {
            wrong +=
                run_shape<HEAD, FORMAT>(launch, shape_of_numbers(x), false);
        }
    }
    return wrong != 0;
}

#endif
