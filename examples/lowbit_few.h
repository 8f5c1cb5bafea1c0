/* lowbit_few.h - how are weights multiplied that are read in microseconds?
 * SPDX-License-Identifier: MIT
 *
 * For few tokens, in matmul_lowbit.cu. `lowbit_few` has no ring of the block,
 * no copy engine and no cluster: 16 warps share k, and each asks for its
 * weights before anything else. A block takes half a processor, so that the
 * next kernel's weights come while this one multiplies: 8 tokens of bf16 on an
 * H200, n = k = 4096: 4.4 us, by the ring 6.3; 8192: 10.2 us, by the ring 12.6.
 */
#ifndef LL_LOWBIT_FEW_H
#define LL_LOWBIT_FEW_H

/* 16 warps of a block share k. Each has rings of its own in shared memory, by
 * cp.async, so that none waits for another before the end: DEEP steps of the
 * weights of 16 SLABS features, and FAR of activations. */
template <format F, unsigned TOKENS, unsigned SLABS> struct rings {
    enum : unsigned {
        WARPS = 16,
        DEEP = 32 / bits_of(F) / SLABS,
        FAR = 2,
        TOGETHER = TOKENS > 8 ? 1 : 2, /* blocks a processor has room for */
        X = ROW_X * TOKENS,            /* bytes of a step */
        SLAB = elements_of(F) / 4,     /* elements of 16 features */
        SCALES = tile_of(F) / 4 - SLAB,
        W = SLABS * (SLAB + SCALES),
        BYTES = FAR * X + DEEP * W
    };
    static_assert(SLABS <= 4 && 4 % SLABS == 0, "slabs of one tile");
    static_assert(DEEP % FAR == 0, "a step of a round knows its place");
    static_assert(SLABS * TOKENS / 2 * 128 <= BYTES, "sums fit as well");
};

/* A warp asks for the weights of a step: the words, and then the scales, of its
 * block's features lie together. */
template <format F, class R, unsigned SLABS>
static __device__ void ask(unsigned to, const unsigned char *w, unsigned step,
                           unsigned k) {
    const unsigned at = threadIdx.x % 32 * 16, slab = blockIdx.x * SLABS;
    const unsigned long long tile =
        (unsigned long long)w +
        ((size_t)(slab / 4) * deep_of(k) + step) * tile_of(F);
    if (step < k / DEPTH) {
        LL_UNROLL
        for (unsigned s = 0; s < SLABS * R::SLAB; s += 512) {
            ll_ptx_cp_async_cg_b128(to + s + at,
                                    tile + slab % 4 * R::SLAB + s + at);
        }
        if (F != fp8 && at < SLABS * R::SCALES) {
            ll_ptx_cp_async_cg_b128(to + SLABS * R::SLAB + at,
                                    tile + elements_of(F) +
                                        slab % 4 * R::SCALES + at);
        }
    }
}

/* Adds the sums of the warps, which share k, and stores them. */
template <unsigned TOKENS, unsigned SLABS, unsigned WARPS>
static __device__ void add_warps(const float (&sum)[SLABS][TOKENS / 2],
                                 float scale, unsigned smem, unsigned short *c,
                                 unsigned m, unsigned n) {
    typedef typename few<TOKENS>::SUMS SUMS;
    LL_IN(WARP);
    const unsigned all = SLABS * LL_REGS(SUMS), lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32, at = smem + 4 * lane;
    __syncthreads(); /* operands are read */
    LL_UNROLL
    for (unsigned y = 0; y < all; ++y) {
        ll_words v = LL_ZERO;
        LL_COPY_(v.w, sum[y / LL_REGS(SUMS)] + y % LL_REGS(SUMS), 4);
        ll_ptx_st_shared_b32(at + 128 * (all * warp + y), v);
    }
    __syncthreads();
    for (unsigned y = warp; y < all; y += WARPS) {
        const unsigned q = y % LL_REGS(SUMS);
        const unsigned i = (blockIdx.x * SLABS + y / LL_REGS(SUMS)) * 16 +
                           LL_AT(SUMS, LL_I, q);
        const unsigned j = LL_AT(SUMS, LL_J, q);
        float total = 0;
        LL_UNROLL
        for (unsigned v = 0; v < WARPS; ++v) {
            const ll_words one = ll_ptx_ld_shared_b32(at + 128 * (all * v + y));
            float f = 0;
            LL_COPY_(&f, one.w, 4);
            total += f;
        }
        if (i < n && j < m) {
            c[(size_t)j * n + i] = (unsigned short)rounded(scale * total, 0);
        }
    }
}

/* The kernel after this one may start when the activations of the last steps
 * are there: its weights would delay them. */
template <format F, unsigned TOKENS, unsigned SLABS>
__global__ void __launch_bounds__(32 * rings<F, TOKENS, SLABS>::WARPS,
                                  rings<F, TOKENS, SLABS>::TOGETHER)
    lowbit_few(unsigned short *c, const unsigned char *w, const number *x,
               unsigned m, unsigned n, unsigned k, float scale) {
    typedef rings<F, TOKENS, SLABS> R;
    typedef typename few<TOKENS>::X X;
    typedef typename few<TOKENS>::COPIED COPIED;
    LL_IN(WARP);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned warp = ll_ptx_shfl_idx(threadIdx.x / 32, 0);
    const unsigned lane = threadIdx.x % 32, mine = warp * R::BYTES;
    const unsigned ring_w = smem + mine + R::FAR * R::X;
    float sum[SLABS][TOKENS / 2] = {};
    const auto ask_x = [&](unsigned u, unsigned step) {
        if (step < k / DEPTH) {
            LL_COPY(COPIED, memory + mine + u % R::FAR * R::X, x + step * DEPTH,
                    k, m, DEPTH);
        }
        LL_COPY_COMMIT(); /* a group for each step, and be it empty */
    };
    LL_UNROLL
    for (unsigned u = 0; u < R::DEEP; ++u) {
        ask<F, R, SLABS>(ring_w + u * R::W, w, R::WARPS * u + warp, k);
    }
    LL_COPY_COMMIT();
    ll_ptx_griddepcontrol_wait(); /* X may be a result of the kernel before */
    LL_UNROLL
    for (unsigned u = 0; u < R::FAR; ++u) {
        ask_x(u, R::WARPS * u + warp);
    }
    const unsigned all = (k / DEPTH + R::WARPS - 1 - warp) / R::WARPS;
    for (unsigned t = 0; t < all; t += R::DEEP) {
        LL_UNROLL
        for (unsigned u = 0; u < R::DEEP; ++u) {
            if (t + u == all) {
                break;
            }
            const unsigned from = ring_w + u * R::W;
            const unsigned next = R::WARPS * (t + u) + warp;
            unsigned b[LL_WORDS(X, BITS)];
            LL_COPY_WAIT(R::FAR - 1);
            __syncwarp();
            if (u == 0 && t + R::DEEP >= all) {
                ll_ptx_griddepcontrol_launch_dependents();
            }
            LL_LOAD_SHARED(b, COPIED, memory + mine + u % R::FAR * R::X);
            LL_UNROLL
            for (unsigned s = 0; s < SLABS; ++s) {
                multiply_words<F, TOKENS>(
                    sum[s], elements_at<F>(from + s * R::SLAB, lane),
                    scales_of<F>(from + SLABS * R::SLAB + s * R::SCALES,
                                 lane / 4),
                    b);
            }
            __syncwarp();
            ask<F, R, SLABS>(from, w, next + R::WARPS * R::DEEP, k);
            ask_x(u, next + R::WARPS * R::FAR);
        }
    }
    add_warps<TOKENS, SLABS, R::WARPS>(sum, scale, smem, c, m, n);
}

template <format F, unsigned TOKENS, unsigned SLABS>
static const char *launch_few(void *c, const void *x, const void *w, unsigned m,
                              unsigned n, unsigned k, cudaStream_t stream,
                              float scale) {
    typedef rings<F, TOKENS, SLABS> R;
    return launch_clusters(lowbit_few<F, TOKENS, SLABS>,
                           (n + 16 * SLABS - 1) / (16 * SLABS), 1,
                           32 * R::WARPS, R::WARPS * R::BYTES, stream,
                           (unsigned short *)c, (const unsigned char *)w,
                           (const number *)x, m, n, k, lacking(F) * scale);
}

#endif
