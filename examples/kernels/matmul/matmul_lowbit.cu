/* matmul_lowbit.cu - how are weights of 4 and 8 bits multiplied at the speed of
 * the tensor cores, and read at the speed of memory?
 * SPDX-License-Identifier: MIT
 *
 * C = scale X W^T, with accumulators of f32.
 *   X      activations, tokens x k by rows, of the type OPERAND: bf16, f16 or
 *          e4m3
 *   W      weights, features x k, in one of the formats below
 *   C      tokens x features by rows; f16 if X is, otherwise bf16
 *   scale  one for all elements
 *
 *     mxfp4  e2m1, with a scale 2^e for each 32 elements along k; e is -61 to
 *            65, for f16 -19 to 5, for e4m3 -9 to 2
 *     nvfp4  e2m1, with an e4m3 scale for each 16
 *     s4     -8 to 7, with a bf16 scale for each 64
 *     fp8    e4m3, without scales
 *
 * An element times its scale gets the type of X: it is exact, or rounded once
 * to the nearest, ties to even. Rounded are s4 for bf16, and for e4m3 s4, times
 * 2^8 and saturating, and nvfp4, times 2^-7.
 *
 * W is operand A of wgmma, from registers, since its elements get the type of X
 * there (lowbit_unpack.h). So it is packed once in the order of that operand
 * (lowbit_format.h, lowbit_pack.h).
 *
 * One thread fills a ring of stages in shared memory (lowbit_load.h).
 * Warpgroups unpack and multiply (lowbit_multiply.h) and store C
 * (lowbit_store.h). With many tokens (prefill) two of them take tiles of 128 x
 * 256. With fewer tokens, reading W takes the most time. To keep enough of it
 * in flight and unpack it as fast, four warpgroups of a block and two blocks of
 * a cluster share tiles and k (lowbit_tiles.h). W is not a result of the
 * preceding kernels: its first stages are loaded while they end.
 *
 * For up to 16 tokens a wgmma would do a quarter of its work or less. They have
 * a kernel of their own with mma.sync (lowbit_few.h).
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/kernels/matmul/matmul_lowbit.cu -o matmul_lowbit
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   matmul_lowbit [tokens features k]
 */
#include "lowbit_few.h"
#include "lowbit_load.h"
#include "lowbit_multiply.h"
#include "lowbit_pack.h"
#include "lowbit_store.h"
#include "matmul_maps.h"

using namespace ll_kernels;

/* ---- The kernel ---------------------------------------------------------- */

/* Computes C, m tokens x n features. `splits`: blocks of a cluster that split
 * k, 1 or 2. */
template <format F, unsigned TOKENS, unsigned PANELS, unsigned SHARES>
__global__ void
__launch_bounds__(lowbit_form<F, TOKENS, PANELS, SHARES>::THREADS, 1)
    matmul_lowbit(unsigned short *c, const unsigned char *w,
                  const __grid_constant__ CUtensorMap map_x,
                  const __grid_constant__ CUtensorMap map_c, unsigned m,
                  unsigned n, unsigned k, unsigned splits, float scale) {
    typedef lowbit_form<F, TOKENS, PANELS, SHARES> T;
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const lowbit_scheduler t(
        (n + T::FEATURES - 1) / T::FEATURES, (m + TOKENS - 1) / TOKENS,
        (k / DEPTH + T::STEPS - 1) / T::STEPS, splits, stored_panels(n));
    const bool has_whole_tiles = TOKENS > 128 && splits == 1;
    ll_ptx_griddepcontrol_launch_dependents();
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < T::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, 1);
            ll_ptx_mbarrier_init(smem + T::EMPTY + 8 * s, 4 * T::WORKERS);
        }
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<T::PRODUCER_REGISTERS>();
        if (threadIdx.x == 0) {
            load_all_tiles<T>(smem, w, &map_x, tiles_along_k(k),
                              m < TOKENS ? m : TOKENS, t);
        }
        __syncwarp();
        if (!has_whole_tiles) { /* as in add_partial_sums */
            LL_BARRIER_CLUSTER();
        }
    } else {
        ll_ptx_setmaxnreg_inc<T::WORKER_REGISTERS>();
        if (m < TOKENS) {
            clear_missing_tokens<T>(memory, m);
        }
        const unsigned worker = ll_ptx_shfl_idx(threadIdx.x / 128 - 1, 0);
        float sum[TOKENS / 2];
        unsigned row = 0, col = 0;
        ring_position<T> p = {0, 0};
        for (unsigned x = 0; x < t.tiles; ++x) {
            t.find(x, row, col);
            row = row * T::FEATURES + worker % T::PANELS * 64;
            col *= TOKENS;
            multiply_tile<F, T>(sum, smem, worker, t.stages, p);
            LL_UNROLL
            for (unsigned y = 0; y + STORED_TOKENS <= TOKENS && has_whole_tiles;
                 y += STORED_TOKENS) {
                store_tile(sum + y / 2, scale,
                           memory + T::AT_C + worker * T::BYTES_C, &map_c, row,
                           col + y);
            }
        }
        if (!has_whole_tiles) {
            add_partial_sums<T>(sum, scale, smem, t, c, row, col, m, n);
        }
        if (threadIdx.x % 128 == 0) {
            ll_ptx_cp_async_bulk_wait_group<0>();
        }
        __syncwarp();
    }
    LL_BARRIER_CLUSTER(); /* no block ends while another one reads its sums */
}

/* ---- The launcher -------------------------------------------------------- */

/* Launches the kernel of a form on a GPU of `processors` multiprocessors.
 * Returns an error message, or null. */
template <format F, unsigned TOKENS, unsigned PANELS, unsigned SHARES>
static const char *launch_form(unsigned processors, void *c, const void *x,
                               const void *w, unsigned m, unsigned n,
                               unsigned k, cudaStream_t stream, float scale) {
    typedef lowbit_form<F, TOKENS, PANELS, SHARES> T;
    CUtensorMap map_x, map_c;
    const char *bad = /* a box of m tokens, since zeros take time */
        map_of<2>(&map_x, x, map_type(ACTIVATION), {k, m},
                  {T::BOX_X.box[0], m < TOKENS ? m : TOKENS},
                  IS_E4M3 ? CU_TENSOR_MAP_SWIZZLE_64B
                          : CU_TENSOR_MAP_SWIZZLE_128B);
    bad = bad ? bad
              : map_of_rows(&map_c, c, map_type(OUTPUT), m, n, BOX_C.box[1],
                            BOX_C.box[0]);
    if (bad) {
        return bad;
    }
    const unsigned tiles =
        (n + T::FEATURES - 1) / T::FEATURES * ((m + TOKENS - 1) / TOKENS);
    const bool is_deep = k / DEPTH > 3 * T::STEPS; /* four stages at least */
    const unsigned splits =
        is_deep && MAX_SPLITS * tiles <= processors ? MAX_SPLITS : 1;
    const unsigned blocks =
        TOKENS <= 128 || tiles < processors ? tiles * splits : processors;
    return launch_clusters(matmul_lowbit<F, TOKENS, PANELS, SHARES>, blocks,
                           splits, T::THREADS, T::SMEM, stream,
                           (unsigned short *)c, (const unsigned char *)w, map_x,
                           map_c, m, n, k, splits, missing_factor(F) * scale);
}

/* launch_lowbit_scaled on a GPU of `processors` multiprocessors. If tiles of
 * few features would leave many of them idle, tiles are smaller; otherwise
 * larger tiles read X less often. */
template <format F>
static const char *launch_lowbit_on(unsigned processors, void *c, const void *x,
                                    const void *w, unsigned m, unsigned n,
                                    unsigned k, cudaStream_t stream,
                                    float scale) {
    if (!m || !n || !k || n % 8 || k % DEPTH) {
        return "m, n and k are at least 1, n is a multiple of 8, so that rows "
               "start at multiples of 16 bytes, and k is a multiple of 64, so "
               "that groups of scales are whole";
    }
    if (!c || !x || !w || ((size_t)c | (size_t)x | (size_t)w) % 16) {
        return "C, X and W are not null, and start at multiples of 16 bytes";
    }
    const unsigned panels = (n + 63) / 64;
    const bool is_small = MAX_SPLITS * panels <= processors;
    const bool is_one_round = panels <= processors && F != fp8;
    if (m <= 16 && (is_small || !IS_E4M3 || (is_one_round && m <= 8))) {
        constexpr unsigned PANELS = F == fp8 || IS_E4M3 ? 1 : 2;
        constexpr unsigned ALONE = F == fp8 ? 2 : 1;
        auto form = m > 8 ? launch_few_tokens<F, 16, PANELS, 2>
                          : launch_few_tokens<F, 8, PANELS, 2>;
        if (is_small) {
            form = m > 8 ? launch_few_tokens<F, 16, 1, 2>
                         : launch_few_tokens<F, 8, 1, 2>;
        } else if (is_one_round) {
            form = m > 8 ? launch_few_tokens<F, 16, 1, 3 - PANELS>
                         : launch_few_tokens<F, 8, 1, ALONE>;
        }
        return form(c, x, w, m, n, k, stream, scale);
    }
    const bool is_shared = is_small && k % 512 == 0;
    auto form = launch_form<F, 256, 2, 1>;
    if (m <= 32) {
        form = is_shared ? launch_form<F, 32, 1, 4> : launch_form<F, 32, 2, 2>;
        if constexpr (IS_E4M3) {
            form = m <= 8    ? launch_form<F, 8, 2, 2>
                   : m <= 16 ? launch_form<F, 16, 2, 2>
                             : form;
        }
    } else if (m <= 64) {
        form = is_shared ? launch_form<F, 64, 1, 4> : launch_form<F, 64, 2, 2>;
    } else if (m <= 128) {
        form = launch_form<F, 128, 2, 1>;
    }
    return form(processors, c, x, w, m, n, k, stream, scale);
}

/* Computes C = scale X W^T for m tokens and n features; nvfp4 has such a scale
 * for all of W. Returns an error message, or null. */
template <format F>
static const char *launch_lowbit_scaled(void *c, const void *x, const void *w,
                                        unsigned m, unsigned n, unsigned k,
                                        cudaStream_t stream, float scale) {
    return launch_lowbit_on<F>(processors_here(), c, x, w, m, n, k, stream,
                               scale);
}

template <format F>
static const char *launch_lowbit(void *c, const void *x, const void *w,
                                 unsigned m, unsigned n, unsigned k,
                                 cudaStream_t stream) {
    return launch_lowbit_scaled<F>(c, x, w, m, n, k, stream, 1);
}

#ifndef LL_NO_MAIN
#include "lowbit_check.h"

/* Launches as on a small GPU, where small shapes have more tiles than
 * multiprocessors. */
template <format F>
static const char *launch_on_small_gpu(void *c, const void *x, const void *w,
                                       unsigned m, unsigned n, unsigned k,
                                       cudaStream_t stream, float scale) {
    return launch_lowbit_on<F>(4, c, x, w, m, n, k, stream, scale);
}

/* Checks a format. Returns the exit status. */
template <format F> static int check(int argc, char **argv) {
    static const unsigned shapes[][3] = {
        {3, 72, 2048},     {3, 8, 6400},      {40, 8, 1536},
        {12, 72, 1280},    {12, 8, 4608},     {17, 72, 1280},
        {100, 8, 192},     {130, 136, 384},   {16, 4096, 4096},
        {16, 8192, 4096},  {16, 16392, 4096}, {64, 4096, 4096},
        {100, 4104, 4160}, {200, 4096, 4096}, {4000, 4104, 4160}};
    static const unsigned small[][3] = {
        {3, 248, 2240}, {3, 328, 1600}, {12, 328, 1600}, {12, 248, 2240}};
    return demonstrate_all_lowbit<F>(launch_lowbit_scaled<F>, shapes, argc,
                                     argv) ||
           (argc < 4 && demonstrate_all_lowbit<F>(launch_on_small_gpu<F>, small,
                                                  argc, argv));
}

/* Returns whether NaN or an infinite scale is packed; neither can be stored. */
static bool packs_invalid() {
    static unsigned char to[1 << 16], none[8 * 64], nan[8 * 64] = {0x7f};
    const unsigned short s_4[32] = {0x7f80}, mx[32] = {255}, nv[32] = {127};
    return !pack_weights<fp8>(to, nan, 0, 8, 64) ||
           !pack_weights<s4>(to, none, s_4, 8, 64) ||
           !pack_weights<mxfp4>(to, none, mx, 8, 64) ||
           !pack_weights<nvfp4>(to, none, nv, 8, 64);
}

/* Returns whether a GEMM is refused with a message that has these words. */
static bool refuses(const char *words, void *c, const void *x, const void *w,
                    unsigned m, unsigned n, unsigned k) {
    const char *bad = launch_lowbit<mxfp4>(c, x, w, m, n, k, 0);
    return bad && strstr(bad, words);
}

/* Returns whether shapes and pointers that no kernel takes are refused. */
static bool refuses_all() {
    static const unsigned shapes[][3] = {
        {0, 16, 64}, {16, 0, 64}, {16, 16, 0}, {16, 12, 64}, {16, 16, 40}};
    alignas(16) static unsigned char at[32];
    bool all = true;
    for (const unsigned(&s)[3] : shapes) {
        all &= refuses("k is a multiple of 64", at, at, at, s[0], s[1], s[2]);
    }
    for (unsigned x = 0; x < 12; ++x) { /* each null, and off by 1, 2 and 8 */
        void *p[] = {at, at, at};
        p[x / 4] = x % 4 ? at + (x % 4 > 2 ? 8 : x % 4) : 0;
        all &= refuses("are not null", p[0], p[1], p[2], 16, 16, 64);
    }
    return all;
}

int main(int argc, char **argv) {
    return !refuses_all() || packs_invalid() || check<mxfp4>(argc, argv) ||
           check<s4>(argc, argv) || check<nvfp4>(argc, argv) ||
           check<fp8>(argc, argv);
}

#endif
