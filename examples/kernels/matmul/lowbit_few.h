/* lowbit_few.h - how are weights multiplied that are read in microseconds?
 * SPDX-License-Identifier: MIT
 *
 * For up to 16 tokens, in matmul_lowbit.cu: each warp multiplies by mma.sync,
 * from the same words. The time is that of reading W, and what precedes and
 * follows counts as much. So 8 warps of a block share k, and no warp waits for
 * another before the end: each asks for its weights before anything else, and
 * has rings of its own in shared memory, of weights and of activations. A block
 * takes half a processor, so that the next kernel's weights come while this one
 * multiplies. Where there are about as many tiles as processors, a block has
 * one. Where there are fewer or many more, two blocks of a cluster have one or
 * two and share k: each sends half of its sums to the other. Larger clusters
 * leave processors unused.
 *
 * sm_90 has no mma.sync of e4m3: ptxas makes f16 of both operands each time.
 * Here elements become f16 at once, and activations once for all features.
 */
#ifndef LL_LOWBIT_FEW_H
#define LL_LOWBIT_FEW_H

/* ---- Layouts ------------------------------------------------------------- */

LL_SCOPE(WARP, threadIdx.x % 32, 32, LL_BARRIER_WARP());

/* What a warp multiplies: 16 features by DEPTH of k, and all tokens. */
template <unsigned TOKENS> struct few {
    LL_LAYOUT(W, ll_ptx_mma_a(16, DEPTH, 16, 1));
    LL_LAYOUT(X, ll_ptx_mma_b(DEPTH, TOKENS, 16, 1));
    LL_LAYOUT(SUMS, ll_ptx_mma_c(16, TOKENS, 1));
    static_assert(LL_WORDS(X, 16) == TOKENS, "a word of a lane each");
};

/* How a warp copies a step of activations of eight tokens. */
LL_LAYOUT(BY_TOKEN, ll_trans(ll_ptx_mma_b(DEPTH, 8, BITS, 1), "j i"));
LL_LAYOUT(ROWS, ll_rows_for(LL_GET(BY_TOKEN), BITS / 8));
LL_PLAN_BY(COPIED, ROWS, BY_TOKEN, BITS, LL_SM80, LL_COPIES);
LL_EXPECT_NO_CONFLICTS(COPIED);

/* 64 TALL features of TOGETHER blocks. Each warp has DEEP steps of weights on
 * the way, and as many of activations: all that it multiplies, if n and k are
 * 4096 and memory allows. */
template <format F, unsigned TOKENS, unsigned TALL, unsigned TOGETHER>
struct rings {
    /* clang-format off */
    enum : unsigned {
        HIGH = TALL, WARPS = 8, COMMON = TOGETHER, PARTS = WARPS * COMMON,
        FEWER = TOKENS > 8 || IS == e4m3,
        DEEP = F == fp8 || HIGH > 1 ? 2 : FEWER ? 3 : 4,
        AHEAD = F != fp8 && HIGH == 1 && (FEWER || COMMON == 1),
        TILE = tile_of(F), OWN = elements_of(F) / 4,    /* of 16 features */
        SCALES = TILE / 4 - OWN,
        X = ROW_X * TOKENS, W = HIGH * TILE,            /* bytes of a step */
        RING_W = WARPS * DEEP * X, RINGS = RING_W + WARPS * DEEP * W,
        QUADS = HIGH * TOKENS / 2, KEPT = QUADS / COMMON, /* of sums */
        SUMS = 512 * QUADS * WARPS, SENT = RINGS > SUMS ? +RINGS : +SUMS,
        ARRIVED = SENT + 512 * (QUADS - KEPT), SMEM = ARRIVED + 8
    };
    /* clang-format on */
    static_assert(2 * (SMEM + 1024) <= 228 * 1024, "half a processor");
};

/* ---- Products ------------------------------------------------------------ */

/* Slice s of e4m3 as f16. A size of mxfp4 selects the high byte of a number,
 * whose low byte is 0, and which lacks 2^8 more than one of e4m3. */
template <format F>
static __device__ void unpack_wide(unsigned *a, const ll_words &words,
                                   const ll_words &scales, unsigned s) {
    unsigned bytes[2] = {words.w[2 * s], words.w[2 * s + 1]};
    if constexpr (F != mxfp4 && F != fp8) {
        unpack_e4m3<F>(bytes, words.w[s], scales.w[F == nvfp4 ? s / 2 : 0], s);
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
                ll_ptx_prmt(low, high, sizes(words.w[s], row)) |
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

/* A warp: copies a tile of weights. All lanes share what is left behind pieces
 * of 512 bytes, the scales: of a copy without some lanes the profiler would not
 * count the wavefronts right. */
template <class R>
static __device__ void copy_tile(unsigned to, const unsigned char *from) {
    const unsigned lane = threadIdx.x % 32, left = R::TILE % 512;
    unsigned at = 0;
    LL_UNROLL
    for (; at + 512 <= R::TILE; at += 512) {
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

/* Operand A of 16 features, from a lane's words of weights and what it needs of
 * their scales. */
template <format F, class R>
static __device__ void load_weights(unsigned (&a)[16], unsigned step,
                                    unsigned slab) {
    const unsigned tile = step + slab / 4 * R::TILE, lane = threadIdx.x % 32;
    const ll_words w = elements_at<F>(tile + slab % 4 * R::OWN, lane);
    const ll_words scales =
        scales_of<F>(tile + elements_of(F) + slab % 4 * R::SCALES, lane / 4);
    if constexpr (IS == e4m3) {
        LL_UNROLL
        for (unsigned s = 0; s < 4; ++s) {
            unpack_wide<F>(a + 4 * s, w, scales, s);
        }
    } else {
        unpack<F>(a, w, scales);
    }
}

/* Operand B of a step. */
template <unsigned TOKENS>
static __device__ void load_tokens(unsigned (&b)[TOKENS], unsigned char *from) {
    LL_IN(WARP);
    LL_UNROLL
    for (unsigned h = 0; h < TOKENS; h += 8) {
        unsigned words[BITS / 2];
        LL_LOAD_SHARED(words, COPIED, from + h * ROW_X);
        LL_UNROLL
        for (unsigned y = 0; y < 8; ++y) {
            const unsigned word = words[y * BITS / 16];
            b[h + y] =
                IS == e4m3 ? ll_ptx_cvt_f16x2_e4m3x2(word >> y % 2 * 16) : word;
        }
    }
}

template <unsigned TOKENS>
static __device__ void multiply(float (&sum)[TOKENS / 2],
                                const unsigned (&a)[16],
                                const unsigned (&b)[TOKENS]) {
    typedef typename few<TOKENS>::W W;
    typedef typename few<TOKENS>::X X;
    typedef typename few<TOKENS>::SUMS SUMS;
    if constexpr (IS == bf16) {
        LL_MMA(sum, SUMS, a, W, b, X, 16, ll_ptx_mma_m16n8k16_f32_bf16);
    } else {
        LL_MMA(sum, SUMS, a, W, b, X, 16, ll_ptx_mma_m16n8k16_f32_f16);
    }
}

/* Quad q of a block's sums: those of all its warps. */
template <class R>
static __device__ void total(float (&all)[4], unsigned at, unsigned q) {
    LL_UNROLL
    for (unsigned from = 0; from < R::WARPS; ++from) {
        const ll_words v =
            ll_ptx_ld_shared_b128(at + 512 * (R::QUADS * from + q));
        float f[4];
        LL_MEMCPY_(f, v.w, 16);
        LL_UNROLL
        for (unsigned z = 0; z < 4; ++z) {
            all[z] += f[z];
        }
    }
}

/* Quad q of C: of the tokens and features of a lane. */
template <class R, unsigned TOKENS>
static __device__ void put(const float (&all)[4], unsigned q, unsigned row,
                           unsigned short *c, unsigned m, unsigned n) {
    typedef typename few<TOKENS>::SUMS SUMS;
    LL_IN(WARP);
    LL_UNROLL
    for (unsigned y = 0; y < 4; ++y) {
        const unsigned z = 4 * q % (TOKENS / 2) + y;
        const unsigned slab = row * 4 + q * 8 / TOKENS;
        const unsigned i = slab * 16 + LL_AT(SUMS, LL_I, z);
        const unsigned j = LL_AT(SUMS, LL_J, z);
        if (i < n && j < m) {
            c[(size_t)j * n + i] = (unsigned short)rounded(all[y], 0);
        }
    }
}

/* Adds the sums of the warps and stores them. If two blocks share them, each
 * sends half of its quads to the other, and gets that of the other half. */
template <class R, unsigned TOKENS>
static __device__ void add_sums(const float (&sum)[R::HIGH * 4][TOKENS / 2],
                                float scale, unsigned smem, unsigned row,
                                unsigned short *c, unsigned m, unsigned n) {
    const unsigned warp = threadIdx.x / 32, rank = blockIdx.x % R::COMMON;
    const unsigned at = smem + threadIdx.x % 32 * 16;
    const unsigned arrived = smem + R::ARRIVED, sent = R::QUADS - R::KEPT;
    __syncthreads(); /* operands are read */
    LL_UNROLL
    for (unsigned q = 0; q < R::QUADS; ++q) {
        ll_words v = LL_ZERO;
        LL_MEMCPY_(v.w, sum[q * 8 / TOKENS] + q * 4 % (TOKENS / 2), 16);
        ll_ptx_st_shared_b128(at + 512 * (R::QUADS * warp + q), v);
    }
    __syncthreads();
    if (R::COMMON > 1 && threadIdx.x == 0) { /* sums may come before that */
        ll_ptx_mbarrier_arrive_expect_tx(arrived, 512 * sent);
    }
    if (R::COMMON > 1) {
        ll_ptx_barrier_cluster_wait(); /* the other block has begun */
    }
    for (unsigned x = warp; x < R::QUADS; x += R::WARPS) {
        const unsigned q = (x + sent * !rank) % R::QUADS;
        float all[4] = {}, f[4] = {};
        ll_words v = LL_ZERO;
        total<R>(all, at, q);
        if (R::COMMON > 1 && x < R::QUADS / 2) {
            LL_MEMCPY_(v.w, all, 16);
            ll_ptx_st_async_b128(ll_ptx_mapa(at + R::SENT + 512 * x, !rank), v,
                                 ll_ptx_mapa(arrived, !rank));
            continue;
        }
        if (R::COMMON > 1) {
            ll_ptx_mbarrier_wait(arrived, 0);
            v = ll_ptx_ld_shared_b128(at + R::SENT + 512 * (x - sent));
            LL_MEMCPY_(f, v.w, 16);
        }
        LL_UNROLL
        for (unsigned z = 0; z < 4; ++z) {
            all[z] = scale * (all[z] + f[z]);
        }
        put<R, TOKENS>(all, q, row, c, m, n);
    }
    if (R::COMMON > 1) {
        ll_ptx_mbarrier_wait(arrived, 0); /* before the block ends */
    }
}

/* ---- The kernel ---------------------------------------------------------- */

/* W is not a result of the kernels before, and is asked for at once. The kernel
 * after this one may start when the last steps begin: its weights would delay
 * these. */
template <format F, unsigned TOKENS, unsigned HIGH, unsigned COMMON>
__global__ void __launch_bounds__(256, 2)
    lowbit_few(unsigned short *c, const unsigned char *w, const number *x,
               unsigned m, unsigned n, unsigned k, float scale) {
    typedef rings<F, TOKENS, HIGH, COMMON> R;
    LL_IN(WARP);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned warp = ll_ptx_shfl_idx(threadIdx.x / 32, 0);
    const unsigned part = blockIdx.x % R::COMMON * R::WARPS + warp;
    const unsigned first = k / DEPTH * part / R::PARTS;
    const unsigned count = k / DEPTH * (part + 1) / R::PARTS - first;
    const unsigned deep = deep_of(k);
    unsigned char *const ring_x = memory + warp * R::DEEP * R::X;
    const unsigned ring_w = smem + R::RING_W + warp * R::DEEP * R::W;
    const unsigned rows = (n + 127) / 128 * 2; /* tiles that are stored */
    const unsigned row = blockIdx.x / R::COMMON * HIGH;
    const unsigned from = row < rows ? row : rows - HIGH;
    const auto ask = [&](unsigned u, unsigned t) {
        LL_UNROLL
        for (unsigned v = 0; v < HIGH && t < count; ++v) {
            copy_tile<R>(ring_w + u * R::W + v * R::TILE,
                         w + ((size_t)(from + v) * deep + first + t) * R::TILE);
        }
    };
    const auto ask_tokens = [&](unsigned u, unsigned t) {
        LL_UNROLL
        for (unsigned h = 0; h < TOKENS && t < count; h += 8) {
            LL_COPY(COPIED, ring_x + u * R::X + h * ROW_X,
                    x + (size_t)h * k + (first + t) * DEPTH, k,
                    m > h ? m - h : 0, DEPTH);
        }
        LL_COPY_COMMIT(); /* a group for each step, and be it empty */
    };
    unsigned a[R::AHEAD ? HIGH * 4 : 1][16], b[TOKENS], u = 0;
    float sum[HIGH * 4][TOKENS / 2] = {};
    const auto unpack_all = [&] {
        LL_UNROLL
        for (unsigned s = 0; s < HIGH * 4 && R::AHEAD; ++s) {
            load_weights<F, R>(a[R::AHEAD ? s : 0], ring_w + u * R::W, s);
        }
    };
    LL_UNROLL
    for (unsigned t = 0; t < R::DEEP; ++t) {
        ask(t, t);
    }
    LL_COPY_COMMIT();
    if (COMMON > 1) {
        if (threadIdx.x == 0) {
            ll_ptx_mbarrier_init(smem + R::ARRIVED, 1);
            ll_ptx_fence_mbarrier_init();
        }
        __syncwarp();
        ll_ptx_barrier_cluster_arrive();
    }
    if (R::AHEAD && count) { /* before activations come */
        LL_COPY_WAIT(0);
        __syncwarp();
        unpack_all();
    }
    ll_ptx_griddepcontrol_wait(); /* X may be a result of the kernel before */
    LL_UNROLL
    for (unsigned t = 0; t < R::DEEP; ++t) {
        ask_tokens(t, t);
    }
    if (count <= R::DEEP + 1) { /* hardly any weights are left to ask for */
        ll_ptx_griddepcontrol_launch_dependents();
    }
#pragma unroll 1
    for (unsigned t = 0; t < count; ++t) {
        LL_COPY_WAIT(R::DEEP - 1);
        __syncwarp();
        if (t + R::DEEP >= count) {
            ll_ptx_griddepcontrol_launch_dependents();
        }
        if (t) {
            unpack_all();
        }
        load_tokens<TOKENS>(b, ring_x + u * R::X);
        LL_UNROLL
        for (unsigned s = 0; s < HIGH * 4; ++s) {
            unsigned(&one)[16] = a[R::AHEAD ? s : 0];
            if (!R::AHEAD) {
                load_weights<F, R>(one, ring_w + u * R::W, s);
            }
            multiply<TOKENS>(sum[s], one, b);
        }
        __syncwarp();
        ask(u, t + R::DEEP);
        ask_tokens(u, t + R::DEEP);
        u = u + 1 == R::DEEP ? 0 : u + 1;
    }
    add_sums<R, TOKENS>(sum, scale, smem, row, c, m, n);
}

template <format F, unsigned TOKENS, unsigned HIGH, unsigned COMMON>
static const char *launch_few(void *c, const void *x, const void *w, unsigned m,
                              unsigned n, unsigned k, cudaStream_t stream,
                              float scale) {
    typedef rings<F, TOKENS, HIGH, COMMON> R;
    return launch_clusters(
        lowbit_few<F, TOKENS, HIGH, COMMON>,
        (n + 64 * HIGH - 1) / (64 * HIGH) * COMMON, COMMON, 32 * R::WARPS,
        R::SMEM, stream, (unsigned short *)c, (const unsigned char *)w,
        (const number *)x, m, n, k,
        (IS == e4m3 && F == mxfp4 ? 0x1p8f : 1) * lacking(F) * scale);
}

#endif
