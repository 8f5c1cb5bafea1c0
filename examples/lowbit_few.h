/* lowbit_few.h - how are weights multiplied that are read in microseconds?
 * SPDX-License-Identifier: MIT
 *
 * For up to 16 tokens, in matmul_lowbit.cu: each warp multiplies by mma.sync,
 * from the same words. The time is that of reading W, and what precedes and
 * follows counts as much. So 8 warps of a block share k, and no warp waits for
 * another before the end: each asks for its weights before anything else, and
 * has rings of its own in shared memory, of weights and of activations. A block
 * takes half a processor, so that the next kernel's weights come while this one
 * multiplies, and it has many features, so that activations are read less often
 * than weights. If there are few blocks, two of a cluster share k as well.
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

/* 64 TALL features of a block, COMMON blocks of which share k. Each warp has
 * DEEP steps of weights on the way, and FAR of activations. */
template <format F, unsigned TOKENS, unsigned TALL, unsigned PARTS,
          unsigned SIDE, unsigned TOGETHER>
struct rings {
    /* clang-format off */
    enum : unsigned {
        HIGH = TALL, LINES = PARTS, BESIDE = SIDE, COMMON = TOGETHER,
        WARPS = LINES * BESIDE, FEATURES = 64 * HIGH * BESIDE,
        DEEP = 128 / bits_of(F) / (LINES * HIGH),
        FAR = TOKENS > 8 ? 2 : +DEEP,
        AHEAD = HIGH == 1 && DEEP > FAR, /* unpacks before activations come */
        TILE = tile_of(F), OWN = elements_of(F) / 4,    /* of 16 features */
        SCALES = TILE / 4 - OWN,
        X = ROW_X * TOKENS, W = HIGH * TILE,            /* bytes of a step */
        EACH = 2 * HIGH * TOKENS,                       /* sums of a lane */
        RING_W = LINES * FAR * X, SENT = RING_W + WARPS * DEEP * W,
        ARRIVED = SENT + (COMMON - 1) * 128 * EACH * BESIDE, SMEM = ARRIVED + 8
    };
    /* clang-format on */
    static_assert(DEEP % FAR == 0, "rounds of both rings");
    static_assert(128 * EACH * WARPS <= SENT, "sums fit into the rings");
    static_assert((2 / BESIDE) * (SMEM + 1024) <= 228 * 1024,
                  "half a processor, or all of it");
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
static __device__ void load_tokens(unsigned (&b)[TOKENS],
                                   unsigned char *from) {
    LL_IN(WARP);
    LL_UNROLL
    for (unsigned h = 0; h < TOKENS; h += 8) {
        unsigned words[BITS / 2];
        LL_LOAD_SHARED(words, COPIED, from + h * ROW_X);
        LL_UNROLL
        for (unsigned y = 0; y < 8; ++y) {
            const unsigned word = words[y * BITS / 16];
            b[h + y] = IS == e4m3
                           ? ll_ptx_cvt_f16x2_e4m3x2(word >> y % 2 * 16)
                           : word;
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

/* Adds the sums of the warps, then those of the other block, which sends its
 * own, and stores them. */
template <class R, unsigned TOKENS>
static __device__ void add_sums(const float (&sum)[R::HIGH * 4][TOKENS / 2],
                                float scale, unsigned smem, unsigned short *c,
                                unsigned m, unsigned n) {
    typedef typename few<TOKENS>::SUMS SUMS;
    LL_IN(WARP);
    const unsigned warp = threadIdx.x / 32, each = R::EACH / 4;
    const unsigned beside = R::BESIDE;
    const unsigned at = smem + threadIdx.x % 32 * 16;
    const unsigned arrived = smem + R::ARRIVED;
    const bool sends = blockIdx.x % R::COMMON != 0;
    __syncthreads(); /* operands are read */
    LL_UNROLL
    for (unsigned y = 0; y < each; ++y) {
        ll_words v = LL_ZERO;
        LL_COPY_(v.w, sum[y * 8 / TOKENS] + y * 4 % (TOKENS / 2), 16);
        ll_ptx_st_shared_b128(
            at + 512 * (each * (warp % beside * R::LINES + warp / beside) + y),
            v);
    }
    __syncthreads();
    if (R::COMMON > 1) {
        if (threadIdx.x == 0) { /* sums may come before they are expected */
            ll_ptx_mbarrier_arrive_expect_tx(arrived, 128 * R::EACH * beside);
        }
        ll_ptx_barrier_cluster_wait(); /* the other block has begun */
    }
    for (unsigned yy = warp; yy < each * beside; yy += R::WARPS) {
        const unsigned side = yy / each, y = yy % each;
        float all[4] = {}, f[4];
        ll_words v = LL_ZERO;
        LL_UNROLL
        for (unsigned from = 0; from <= R::LINES; ++from) {
            if (from == R::LINES && (R::COMMON == 1 || sends)) {
                break;
            }
            if (from == R::LINES) {
                ll_ptx_mbarrier_wait(arrived, 0);
            }
            v = ll_ptx_ld_shared_b128(
                at + (from < R::LINES
                          ? 512 * (each * (side * R::LINES + from) + y)
                          : R::SENT + 512 * yy));
            LL_COPY_(f, v.w, 16);
            LL_UNROLL
            for (unsigned q = 0; q < 4; ++q) {
                all[q] += f[q];
            }
        }
        if (R::COMMON > 1 && sends) {
            LL_COPY_(v.w, all, 16);
            ll_ptx_st_async_b128(ll_ptx_mapa(at + R::SENT + 512 * yy, 0), v,
                                 ll_ptx_mapa(arrived, 0));
            continue;
        }
        LL_UNROLL
        for (unsigned q = 0; q < 4; ++q) {
            const unsigned z = 4 * y % (TOKENS / 2) + q;
            const unsigned slab = (blockIdx.x / R::COMMON * beside + side) *
                                      R::HIGH * 4 + y * 8 / TOKENS;
            const unsigned i = slab * 16 + LL_AT(SUMS, LL_I, z);
            const unsigned j = LL_AT(SUMS, LL_J, z);
            if (i < n && j < m) {
                c[(size_t)j * n + i] =
                    (unsigned short)rounded(scale * all[q], 0);
            }
        }
    }
}

/* ---- The kernel ---------------------------------------------------------- */

/* W is not a result of the kernels before, and is asked for at once. The kernel
 * after this one may start when the last steps begin: its weights would delay
 * these. */
template <format F, unsigned TOKENS, unsigned HIGH, unsigned LINES,
          unsigned BESIDE, unsigned COMMON>
__global__ void __launch_bounds__(32 * LINES * BESIDE, 2 / BESIDE)
    lowbit_few(unsigned short *c, const unsigned char *w, const number *x,
               unsigned m, unsigned n, unsigned k, float scale) {
    typedef rings<F, TOKENS, HIGH, LINES, BESIDE, COMMON> R;
    LL_IN(WARP);
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned warp = ll_ptx_shfl_idx(threadIdx.x / 32, 0);
    const unsigned lane = threadIdx.x % 32, deep = deep_of(k);
    const unsigned line = warp / BESIDE, side = warp % BESIDE;
    const unsigned part = blockIdx.x % COMMON * LINES + line;
    const unsigned first = k / DEPTH * part / (LINES * COMMON);
    const unsigned count = k / DEPTH * (part + 1) / (LINES * COMMON) - first;
    unsigned char *const ring_x = memory + line * R::FAR * R::X;
    const unsigned ring_w = smem + R::RING_W + warp * R::DEEP * R::W;
    unsigned a[R::AHEAD ? HIGH * 4 : 1][16], b[TOKENS];
    float sum[HIGH * 4][TOKENS / 2] = {};
    const unsigned rows = (n + 127) / 128 * 2; /* tiles that are stored */
    unsigned row = (blockIdx.x / COMMON * BESIDE + side) * HIGH;
    row = row < rows ? row : rows - HIGH;
    const auto ask = [&](unsigned u, unsigned t) {
        LL_UNROLL
        for (unsigned v = 0; v < HIGH; ++v) {
            const size_t tile = (size_t)(row + v) * deep + first + t;
            const unsigned char *from = w + tile * R::TILE + lane * 16;
            LL_UNROLL
            for (unsigned at = 0; at < R::TILE; at += 512) {
                if (t < count && (at + 512 <= R::TILE ||
                                  at + lane * 16 < R::TILE)) {
                    ll_ptx_cp_async_cg_b128(
                        ring_w + u * R::W + v * R::TILE + at + lane * 16,
                        (unsigned long long)(from + at));
                }
            }
        }
    };
    const auto ask_tokens = [&](unsigned u, unsigned t) {
        if (t < count) {
            LL_UNROLL
            for (unsigned h = BESIDE > 1 ? 8 * side : 0;
                 h < (BESIDE > 1 ? 8 * side + 8 : TOKENS); h += 8) {
                LL_COPY(COPIED, ring_x + u * R::X + h * ROW_X,
                        x + (size_t)h * k + (first + t) * DEPTH, k,
                        m > h ? m - h : 0, DEPTH);
            }
        }
        LL_COPY_COMMIT(); /* a group for each step, and be it empty */
    };
    const auto meet = [&] {
        BESIDE > 1 ? ll_ptx_bar_at<64>(1 + line) : __syncwarp();
    };
    const auto unpack_all = [&](unsigned u) {
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
    if (COMMON > 1 && threadIdx.x == 0) {
        ll_ptx_mbarrier_init(smem + R::ARRIVED, 1);
        ll_ptx_fence_mbarrier_init();
    }
    if (COMMON > 1) {
        __syncwarp();
        ll_ptx_barrier_cluster_arrive();
    }
    if (R::AHEAD && count) {
        LL_COPY_WAIT(0);
        __syncwarp();
        unpack_all(0);
    }
    ll_ptx_griddepcontrol_wait(); /* X may be a result of the kernel before */
    LL_UNROLL
    for (unsigned t = 0; t < R::FAR; ++t) {
        ask_tokens(t, t);
    }
    for (unsigned begin = 0; begin < count; begin += R::DEEP) {
        LL_UNROLL
        for (unsigned u = 0; u < R::DEEP; ++u) {
            const unsigned t = begin + u;
            if (t == count) {
                break;
            }
            LL_COPY_WAIT(R::FAR - 1);
            meet();
            if (u == 0 && t + R::DEEP >= count) {
                ll_ptx_griddepcontrol_launch_dependents();
            }
            load_tokens<TOKENS>(b, ring_x + u % R::FAR * R::X);
            LL_UNROLL
            for (unsigned s = 0; s < HIGH * 4; ++s) {
                unsigned(&one)[16] = a[R::AHEAD ? s : 0];
                if (!R::AHEAD) {
                    load_weights<F, R>(one, ring_w + u * R::W, s);
                }
                multiply<TOKENS>(sum[s], one, b);
            }
            meet();
            ask(u, t + R::DEEP);
            ask_tokens(u % R::FAR, t + R::FAR);
            if (R::AHEAD && t + 1 < count) {
                unpack_all((u + 1) % R::DEEP);
            }
        }
    }
    add_sums<R, TOKENS>(sum, scale, smem, c, m, n);
}

template <format F, unsigned TOKENS, unsigned HIGH, unsigned LINES,
          unsigned BESIDE, unsigned COMMON>
static const char *launch_few(void *c, const void *x, const void *w, unsigned m,
                              unsigned n, unsigned k, cudaStream_t stream,
                              float scale) {
    typedef rings<F, TOKENS, HIGH, LINES, BESIDE, COMMON> R;
    return launch_clusters(lowbit_few<F, TOKENS, HIGH, LINES, BESIDE, COMMON>,
                           (n + R::FEATURES - 1) / R::FEATURES * COMMON,
                           COMMON, 32 * R::WARPS, R::SMEM, stream,
                           (unsigned short *)c, (const unsigned char *)w,
                           (const number *)x, m, n, k,
                           (IS == e4m3 && F == mxfp4 ? 0x1p8f : 1) *
                               lacking(F) * scale);
}

#endif
