/* lowbit_few.h - how does a GEMM of up to 16 tokens read its weights at the
 * speed of memory, when that takes microseconds?
 * SPDX-License-Identifier: MIT
 *
 * What precedes and follows the reading of W counts as much. The 8 warps of a
 * block share k, and no warp waits for another one before the end: each loads
 * its weights before anything else, and has its own rings of weights and of
 * activations in shared memory. It multiplies by mma.sync, from the words of
 * lowbit_format.h. A block takes half a multiprocessor, so that the next
 * kernel's weights are loaded while this one multiplies.
 *
 * If there are about as many panels of 64 features as multiprocessors, a block
 * has one. If there are fewer or many more, the two blocks of a cluster have
 * one or two panels and share k: each sends half of its sums to the other one.
 * Larger clusters leave multiprocessors idle.
 *
 * sm_90 has no mma.sync of e4m3: ptxas would convert both operands to f16 for
 * each. Here elements are unpacked to f16, and activations are converted once
 * for all features.
 */
#ifndef LL_LOWBIT_FEW_H
#define LL_LOWBIT_FEW_H

#include "../hopper.h"
#include "lowbit_unpack.h"
#include "warpgroup.h"

namespace ll_kernels {

/* ---- Layouts ------------------------------------------------------------- */

LL_SCOPE(WARP, threadIdx.x % 32, 32, LL_BARRIER_WARP());

/* What a warp multiplies at once: a slab of 16 features, DEPTH of k, and all
 * tokens. */
template <unsigned TOKENS> struct few_layouts {
    LL_LAYOUT(W, ll_ptx_mma_a(16, DEPTH, 16, 1));
    LL_LAYOUT(X, ll_ptx_mma_b(DEPTH, TOKENS, 16, 1));
    LL_LAYOUT(SUMS, ll_ptx_mma_c(16, TOKENS, 1));
    static_assert(LL_WORDS(X, 16) == TOKENS, "a word of a lane per token");
};

/* How a warp copies DEPTH of the activations of eight tokens. */
LL_LAYOUT(BY_TOKEN, ll_trans(ll_ptx_mma_b(DEPTH, 8, BITS, 1), "j i"));
LL_LAYOUT(TOKEN_ROWS, ll_rows_for(LL_GET(BY_TOKEN), BITS / 8));
LL_PLAN_BY(COPY_TOKENS, TOKEN_ROWS, BY_TOKEN, BITS, LL_SM80, LL_COPIES);
LL_EXPECT_NO_CONFLICTS(COPY_TOKENS);

/* A tile of C, 64 PANELS features x TOKENS, of SPLITS blocks that share k; and
 * shared memory. A ring has STEPS steps of DEPTH in flight: all that a warp
 * multiplies, if n and k are 4096 and memory allows. */
template <format F, unsigned TOKENS_, unsigned PANELS_, unsigned SPLITS_>
struct few_form {
    /* clang-format off */
    enum : unsigned {
        TOKENS = TOKENS_, PANELS = PANELS_, SPLITS = SPLITS_, WARPS = 8,
        SLABS = 4 * PANELS, PARTS = WARPS * SPLITS, /* of k */
        FEWER_STEPS = TOKENS > 8 || IS_E4M3,
        STEPS = F == fp8 || PANELS > 1 ? 2 : FEWER_STEPS ? 3 : 4,
        /* whether a step is unpacked before its activations arrive */
        UNPACKS_EARLY =
            F != fp8 && PANELS == 1 && (FEWER_STEPS || SPLITS == 1),
        BYTES_TILE = tile_bytes(F),
        BYTES_SLAB = element_bytes(F) / 4, /* elements of a slab */
        BYTES_SCALES = BYTES_TILE / 4 - BYTES_SLAB,
        BYTES_X = TOKEN_BYTES * TOKENS, BYTES_W = PANELS * BYTES_TILE,
        AT_W = WARPS * STEPS * BYTES_X,
        RINGS = AT_W + WARPS * STEPS * BYTES_W,
        QUADS = PANELS * TOKENS / 2, /* fours of a lane's accumulators */
        KEPT = QUADS / SPLITS, SENT = QUADS - KEPT,
        BYTES_SUMS = 512 * QUADS * WARPS, /* where the rings were */
        AT_RECEIVED = RINGS > BYTES_SUMS ? +RINGS : +BYTES_SUMS,
        ARRIVED = AT_RECEIVED + 512 * SENT, /* the mbarrier */
        SMEM = ARRIVED + 8
    };
    /* clang-format on */
    static_assert(2 * (SMEM + 1024) <= 228 * 1024,
                  "a block takes half of a multiprocessor's memory");
};

/* ---- Operands ------------------------------------------------------------ */

/* A warp: copies a tile of weights, in pieces of 512 bytes. All lanes share the
 * rest, the scales: the profiler counts too many wavefronts for copies by some
 * lanes. */
template <class T>
static __device__ void copy_tile(unsigned to, const unsigned char *from) {
    const unsigned lane = threadIdx.x % 32, left = T::BYTES_TILE % 512;
    unsigned at = 0;
    LL_UNROLL
    for (; at + 512 <= T::BYTES_TILE; at += 512) {
        ll_ptx_cp_async_cg_b128(to + at + lane * 16,
                                (unsigned long long)(from + at + lane * 16));
    }
    static_assert(left == 0 || left == 128 || left == 256, "a word or two");
    if (left == 128) {
        ll_ptx_cp_async_ca_b32(to + at + lane * 4,
                               (unsigned long long)(from + at + lane * 4));
    } else if (left == 256) {
        ll_ptx_cp_async_ca_b64(to + at + lane * 8,
                               (unsigned long long)(from + at + lane * 8));
    }
}

/* Unpacks slice s of e4m3 to f16. A magnitude of mxfp4 selects the high byte of
 * a number whose low byte is 0; the number lacks 2^8 more than an e4m3. */
template <format F>
static __device__ void unpack_slice_f16(unsigned *a, const ll_words &words,
                                        const ll_words &scales, unsigned s) {
    unsigned bytes[2] = {words.w[2 * s], words.w[2 * s + 1]};
    if constexpr (F != mxfp4 && F != fp8) {
        unpack_slice_e4m3<F>(bytes, words.w[s],
                             scales.w[F == nvfp4 ? s / 2 : 0], s);
    }
    LL_UNROLL
    for (unsigned row = 0; row < 2; ++row) {
        unsigned wide[2] = {0, 0};
        if constexpr (F == mxfp4) {
            const unsigned x =
                ll_ptx_prmt(scales.w[0], 0, 0x4440u + row + s / 2 * 2);
            const unsigned low = 0x0a080400u + x * 0x04040400u;
            const unsigned high = 0x12100e0cu + x * 0x04040404u;
            const unsigned all =
                ll_ptx_prmt(low, high, magnitudes(words.w[s], row)) |
                signs(words.w[s], row);
            wide[0] = ll_ptx_prmt(all, 0, 0x1404);
            wide[1] = ll_ptx_prmt(all, 0, 0x3424);
        } else {
            const unsigned one[] = {bytes[row]};
            LL_CAST(wide, one, ll_f16, ll_e4m3);
        }
        a[row] = wide[0];
        a[row + 2] = wide[1];
    }
}

/* Loads and unpacks operand A of a slab from the tiles at `step`. */
template <format F, class T>
static __device__ void load_slab(unsigned (&a)[16], unsigned step,
                                 unsigned slab) {
    const unsigned tile = step + slab / 4 * T::BYTES_TILE;
    const unsigned lane = threadIdx.x % 32;
    const ll_words w = load_elements<F>(tile + slab % 4 * T::BYTES_SLAB, lane);
    const ll_words scales = load_scales<F>(
        tile + element_bytes(F) + slab % 4 * T::BYTES_SCALES, lane / 4);
    if constexpr (IS_E4M3) {
        LL_UNROLL
        for (unsigned s = 0; s < 4; ++s) {
            unpack_slice_f16<F>(a + 4 * s, w, scales, s);
        }
    } else {
        unpack_tile<F>(a, w, scales);
    }
}

/* Loads operand B of a step. */
template <unsigned TOKENS>
static __device__ void load_tokens(unsigned (&b)[TOKENS], unsigned char *from) {
    LL_IN(WARP);
    LL_UNROLL
    for (unsigned h = 0; h < TOKENS; h += 8) {
        unsigned words[BITS / 2];
        LL_LOAD_SHARED(words, COPY_TOKENS, from + h * TOKEN_BYTES);
        LL_UNROLL
        for (unsigned y = 0; y < 8; ++y) {
            const unsigned word = words[y * BITS / 16];
            b[h + y] =
                IS_E4M3 ? ll_ptx_cvt_f16x2_e4m3x2(word >> y % 2 * 16) : word;
        }
    }
}

/* sum += a b for a slab. */
template <unsigned TOKENS>
static __device__ void multiply_slab(float (&sum)[TOKENS / 2],
                                     const unsigned (&a)[16],
                                     const unsigned (&b)[TOKENS]) {
    typedef typename few_layouts<TOKENS>::W W;
    typedef typename few_layouts<TOKENS>::X X;
    typedef typename few_layouts<TOKENS>::SUMS SUMS;
    if constexpr (IS_BF16) {
        LL_MMA(sum, SUMS, a, W, b, X, 16, ll_ptx_mma_m16n8k16_f32_bf16);
    } else {
        LL_MMA(sum, SUMS, a, W, b, X, 16, ll_ptx_mma_m16n8k16_f32_f16);
    }
}

/* ---- Sums ---------------------------------------------------------------- */

/* Adds quad q of all warps of the block to `all`. */
template <class T>
static __device__ void add_warps(float (&all)[4], unsigned at, unsigned q) {
    LL_UNROLL
    for (unsigned from = 0; from < T::WARPS; ++from) {
        const ll_words v =
            ll_ptx_ld_shared_b128(at + 512 * (T::QUADS * from + q));
        float f[4];
        LL_MEMCPY_(f, v.w, 16);
        LL_UNROLL
        for (unsigned z = 0; z < 4; ++z) {
            all[z] += f[z];
        }
    }
}

/* Stores quad q in C, at a lane's tokens and features. */
template <class T>
static __device__ void store_quad(const float (&all)[4], unsigned q,
                                  unsigned panel, unsigned short *c, unsigned m,
                                  unsigned n) {
    typedef typename few_layouts<T::TOKENS>::SUMS SUMS;
    LL_IN(WARP);
    LL_UNROLL
    for (unsigned y = 0; y < 4; ++y) {
        const unsigned z = 4 * q % (T::TOKENS / 2) + y;
        const unsigned slab = panel * 4 + q * 8 / T::TOKENS;
        const unsigned i = slab * 16 + LL_AT(SUMS, LL_I, z);
        const unsigned j = LL_AT(SUMS, LL_J, z);
        if (i < n && j < m) {
            c[(size_t)j * n + i] =
                (unsigned short)round_pair<OUTPUT>(all[y], 0);
        }
    }
}

/* Adds the sums of all warps and stores them. If two blocks share k, each sends
 * half of its quads to the other one, and receives its partial sums of the
 * other half. */
template <class T>
static __device__ void store_sums(const float (&sum)[T::SLABS][T::TOKENS / 2],
                                  float scale, unsigned smem, unsigned panel,
                                  unsigned short *c, unsigned m, unsigned n) {
    const unsigned warp = threadIdx.x / 32, rank = blockIdx.x % T::SPLITS;
    const unsigned at = smem + threadIdx.x % 32 * 16;
    const unsigned arrived = smem + T::ARRIVED, sent = T::SENT;
    __syncthreads(); /* the rings are read */
    LL_UNROLL
    for (unsigned q = 0; q < T::QUADS; ++q) {
        ll_words v = LL_ZERO;
        LL_MEMCPY_(v.w, sum[q * 8 / T::TOKENS] + q * 4 % (T::TOKENS / 2), 16);
        ll_ptx_st_shared_b128(at + 512 * (T::QUADS * warp + q), v);
    }
    __syncthreads();
    if (T::SPLITS > 1 && threadIdx.x == 0) { /* sums may arrive before this */
        ll_ptx_mbarrier_arrive_expect_tx(arrived, 512 * sent);
    }
    if (T::SPLITS > 1) {
        ll_ptx_barrier_cluster_wait(); /* the other block has begun */
    }
    for (unsigned x = warp; x < T::QUADS; x += T::WARPS) {
        const unsigned q = (x + sent * !rank) % T::QUADS;
        float all[4] = {}, received[4] = {};
        ll_words v = LL_ZERO;
        add_warps<T>(all, at, q);
        if (T::SPLITS > 1 && x < T::QUADS / 2) {
            LL_MEMCPY_(v.w, all, 16);
            ll_ptx_st_async_b128(
                ll_ptx_mapa(at + T::AT_RECEIVED + 512 * x, !rank), v,
                ll_ptx_mapa(arrived, !rank));
            continue;
        }
        if (T::SPLITS > 1) {
            ll_ptx_mbarrier_wait(arrived, 0);
            v = ll_ptx_ld_shared_b128(at + T::AT_RECEIVED + 512 * (x - sent));
            LL_MEMCPY_(received, v.w, 16);
        }
        LL_UNROLL
        for (unsigned z = 0; z < 4; ++z) {
            all[z] = scale * (all[z] + received[z]);
        }
        store_quad<T>(all, q, panel, c, m, n);
    }
    if (T::SPLITS > 1) {
        ll_ptx_mbarrier_wait(arrived, 0); /* before the block ends */
    }
}

/* ---- The kernel ---------------------------------------------------------- */

/* Computes C, m tokens x n features. W is not a result of the preceding
 * kernels, so it is loaded at once. The next kernel may start when the last
 * steps begin; if it started earlier, its weights would delay these. */
template <format F, unsigned TOKENS, unsigned PANELS, unsigned SPLITS>
__global__ void __launch_bounds__(256, 2)
    matmul_lowbit_few(unsigned short *c, const unsigned char *w,
                      const activation *x, unsigned m, unsigned n, unsigned k,
                      float scale) {
    typedef few_form<F, TOKENS, PANELS, SPLITS> T;
    LL_IN(WARP);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned warp = ll_ptx_shfl_idx(threadIdx.x / 32, 0);
    const unsigned part = blockIdx.x % T::SPLITS * T::WARPS + warp;
    const unsigned first = k / DEPTH * part / T::PARTS;
    const unsigned count = k / DEPTH * (part + 1) / T::PARTS - first;
    const unsigned panel_tiles = tiles_along_k(k);
    unsigned char *const ring_x = memory + warp * T::STEPS * T::BYTES_X;
    const unsigned ring_w = smem + T::AT_W + warp * T::STEPS * T::BYTES_W;
    const unsigned panels = stored_panels(n);
    const unsigned panel = blockIdx.x / T::SPLITS * PANELS;
    const unsigned from = panel < panels ? panel : panels - PANELS;
    /* Start the copies of step t of weights, or activations, to stage u. */
    const auto copy_weights = [&](unsigned u, unsigned t) {
        LL_UNROLL
        for (unsigned v = 0; v < PANELS && t < count; ++v) {
            copy_tile<T>(ring_w + u * T::BYTES_W + v * T::BYTES_TILE,
                         w + ((size_t)(from + v) * panel_tiles + first + t) *
                                 T::BYTES_TILE);
        }
    };
    const auto copy_tokens = [&](unsigned u, unsigned t) {
        LL_UNROLL
        for (unsigned h = 0; h < TOKENS && t < count; h += 8) {
            LL_COPY(COPY_TOKENS, ring_x + u * T::BYTES_X + h * TOKEN_BYTES,
                    x + (size_t)h * k + (first + t) * DEPTH, k,
                    m > h ? m - h : 0, DEPTH);
        }
        LL_COPY_COMMIT(); /* a group for each step, even an empty one */
    };
    unsigned a[T::UNPACKS_EARLY ? T::SLABS : 1][16], b[TOKENS], u = 0;
    float sum[T::SLABS][TOKENS / 2] = {};
    const auto unpack_step = [&] {
        LL_UNROLL
        for (unsigned s = 0; s < T::SLABS && T::UNPACKS_EARLY; ++s) {
            load_slab<F, T>(a[T::UNPACKS_EARLY ? s : 0],
                            ring_w + u * T::BYTES_W, s);
        }
    };
    LL_UNROLL
    for (unsigned t = 0; t < T::STEPS; ++t) {
        copy_weights(t, t);
    }
    LL_COPY_COMMIT();
    if (SPLITS > 1) {
        if (threadIdx.x == 0) {
            ll_ptx_mbarrier_init(smem + T::ARRIVED, 1);
            ll_ptx_fence_mbarrier_init();
        }
        __syncwarp();
        ll_ptx_barrier_cluster_arrive();
    }
    if (T::UNPACKS_EARLY && count) {
        LL_COPY_WAIT(0);
        __syncwarp();
        unpack_step();
    }
    ll_ptx_griddepcontrol_wait(); /* the preceding kernel may have written X */
    LL_UNROLL
    for (unsigned t = 0; t < T::STEPS; ++t) {
        copy_tokens(t, t);
    }
    if (count <= T::STEPS + 1) { /* hardly any weights are left to load */
        ll_ptx_griddepcontrol_launch_dependents();
    }
#pragma unroll 1
    for (unsigned t = 0; t < count; ++t) {
        LL_COPY_WAIT(T::STEPS - 1);
        __syncwarp();
        if (t + T::STEPS >= count) {
            ll_ptx_griddepcontrol_launch_dependents();
        }
        if (t) {
            unpack_step();
        }
        load_tokens<TOKENS>(b, ring_x + u * T::BYTES_X);
        LL_UNROLL
        for (unsigned s = 0; s < T::SLABS; ++s) {
            unsigned(&slab)[16] = a[T::UNPACKS_EARLY ? s : 0];
            if (!T::UNPACKS_EARLY) {
                load_slab<F, T>(slab, ring_w + u * T::BYTES_W, s);
            }
            multiply_slab<TOKENS>(sum[s], slab, b);
        }
        __syncwarp();
        copy_weights(u, t + T::STEPS);
        copy_tokens(u, t + T::STEPS);
        u = u + 1 == T::STEPS ? 0 : u + 1;
    }
    store_sums<T>(sum, scale, smem, panel, c, m, n);
}

/* Launches the kernel of a form. Returns an error message, or null. */
template <format F, unsigned TOKENS, unsigned PANELS, unsigned SPLITS>
static const char *launch_few_tokens(void *c, const void *x, const void *w,
                                     unsigned m, unsigned n, unsigned k,
                                     cudaStream_t stream, float scale) {
    typedef few_form<F, TOKENS, PANELS, SPLITS> T;
    return launch_clusters(
        matmul_lowbit_few<F, TOKENS, PANELS, SPLITS>,
        (n + 64 * PANELS - 1) / (64 * PANELS) * SPLITS, SPLITS, 32 * T::WARPS,
        T::SMEM, stream, (unsigned short *)c, (const unsigned char *)w,
        (const activation *)x, m, n, k,
        (IS_E4M3 && F == mxfp4 ? 0x1p8f : 1) * missing_factor(F) * scale);
}

} // namespace ll_kernels

#endif
