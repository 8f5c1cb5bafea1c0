// experts_by_hand.h - expert dispatch and combine without ll: a warp per token
// SPDX-License-Identifier: MIT
//
// What one would write by hand. `slots`: one kernel that stores a row once per
// expert, over the link too, and one that loads results from there. `rows`: a
// row crosses a link once per rank; a second kernel, after a barrier of all
// ranks, copies it to the experts or adds the partial sums.
#ifndef LL_BENCH_EXPERTS_BY_HAND_H
#define LL_BENCH_EXPERTS_BY_HAND_H

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

namespace by_hand {

enum : unsigned { RANKS = 8, WARPS = 8 };

// A rank's view of all ranks' memories.
//   row       [tokens * top] the row of each entry, at the rank `owner`
//   far_row   [ranks] the rows of the entries of each rank at this rank, or ~0
//   weight    of own entries; far_weight: of each rank's
//   staging   [ranks * tokens] rows that have arrived, at each rank
struct job {
    unsigned rank, ranks, tokens, hidden, top;
    const unsigned *row, *far_row[RANKS];
    const int *owner;
    const float *weight, *far_weight[RANKS];
    uint4 *experts[RANKS], *staging[RANKS];
    float *scales[RANKS], *staged_scales[RANKS];
    const uint4 *results[RANKS];
    unsigned *flags[RANKS]; // [0]: epoch, [1]: ticket, [2 + r]: rank r has come
};

// The last block of all ranks' kernels meets the others.
__device__ inline void meet(const job &g) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        last = atomicAdd(g.flags[g.rank] + 1, 1u) + 1 == gridDim.x * gridDim.y;
    }
    __syncthreads();
    if (last && threadIdx.x < g.ranks) {
        const unsigned epoch = g.flags[g.rank][0] + 1;
        unsigned seen;
        asm volatile("st.release.sys.global.u32 [%0], %1;"
                     :
                     : "l"(g.flags[threadIdx.x] + 2 + g.rank), "r"(epoch)
                     : "memory");
        for (unsigned tries = 0; tries < 3000000; ++tries) {
            asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(g.flags[g.rank] + 2 + threadIdx.x)
                         : "memory");
            if ((int)(seen - epoch) >= 0) {
                break;
            }
        }
        __syncwarp((1u << g.ranks) - 1);
        if (threadIdx.x == 0) {
            g.flags[g.rank][1] = 0;
            g.flags[g.rank][0] = epoch;
        }
    }
}

// Copies a row of n vectors to up to 8 places.
__device__ __forceinline__ void copy_row(uint4 *const (&to)[8],
                                         const uint4 *from, unsigned n,
                                         unsigned lane) {
    for (unsigned j = lane; j < n; j += 32) {
        const uint4 v = from[j];
#pragma unroll
        for (unsigned k = 0; k < 8; ++k) {
            if (to[k]) {
                to[k][j] = v;
            }
        }
    }
}

// Stores each token's row at each of its experts.
__global__ void __launch_bounds__(32 * WARPS)
    dispatch_slots(const __grid_constant__ job g, const uint4 *x) {
    const unsigned t = blockIdx.x * WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, n = g.hidden / 8;
    if (t < g.tokens) {
        uint4 *to[8];
#pragma unroll
        for (unsigned k = 0; k < 8; ++k) {
            const unsigned at = t * g.top + k;
            to[k] = k < g.top ? g.experts[g.owner[at]] + (size_t)g.row[at] * n
                              : nullptr;
        }
        copy_row(to, x + (size_t)t * n, n, lane);
    }
    meet(g);
}

// Quantises 8 elements; 16 lanes share a scale.
__device__ inline uint2 quantise(const uint4 &v, float *scale) {
    const unsigned w[4] = {v.x, v.y, v.z, v.w};
    float f[8], peak = 1e-12f;
    for (unsigned k = 0; k < 8; ++k) {
        f[k] = __uint_as_float(k % 2 ? w[k / 2] & 0xffff0000u : w[k / 2] << 16);
        peak = fmaxf(peak, fabsf(f[k]));
    }
    for (unsigned m = 1; m < 16; m *= 2) {
        peak = fmaxf(peak, __shfl_xor_sync(~0u, peak, m));
    }
    const float inverse = __fdividef(448.0f, peak);
    unsigned q[2] = {0, 0};
    for (unsigned k = 0; k < 8; k += 2) {
        const unsigned two = __nv_cvt_float2_to_fp8x2(
            make_float2(f[k] * inverse, f[k + 1] * inverse), __NV_SATFINITE,
            __NV_E4M3);
        q[k / 4] |= two << k % 4 * 8;
    }
    *scale = peak * (1 / 448.0f);
    return make_uint2(q[0], q[1]);
}

// Quantises a row of n vectors of bf16 to up to 8 places.
__device__ __forceinline__ void quantise_row(uint2 *const (&to)[8],
                                             float *const (&scales)[8],
                                             const uint4 *from, unsigned n,
                                             unsigned lane) {
    for (unsigned j = lane; j < n; j += 32) {
        float scale;
        const uint2 q = quantise(from[j], &scale);
#pragma unroll
        for (unsigned k = 0; k < 8; ++k) {
            if (to[k]) {
                to[k][j] = q;
                if (lane % 16 == 0) {
                    scales[k][j / 16] = scale;
                }
            }
        }
    }
}

// Stores each token's row in e4m3 at each of its experts. The hidden size is a
// multiple of 256.
__global__ void __launch_bounds__(32 * WARPS)
    dispatch_slots_e4m3(const __grid_constant__ job g, const uint4 *x) {
    const unsigned t = blockIdx.x * WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, n = g.hidden / 8;
    if (t < g.tokens) {
        uint2 *to[8];
        float *scales[8];
#pragma unroll
        for (unsigned k = 0; k < 8; ++k) {
            const unsigned at = t * g.top + k;
            to[k] = nullptr;
            if (k < g.top) {
                to[k] = (uint2 *)g.experts[g.owner[at]] + (size_t)g.row[at] * n;
                scales[k] =
                    g.scales[g.owner[at]] + (size_t)g.row[at] * (n / 16);
            }
        }
        quantise_row(to, scales, x + (size_t)t * n, n, lane);
    }
    meet(g);
}

// Stores each token's row at its own rank's experts, and once at each other
// rank that has one.
__global__ void __launch_bounds__(32 * WARPS)
    dispatch_rows(const __grid_constant__ job g, const uint4 *x) {
    const unsigned t = blockIdx.x * WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, n = g.hidden / 8;
    if (t < g.tokens) {
        uint4 *to[8];
        unsigned seen = 0;
#pragma unroll
        for (unsigned k = 0; k < 8; ++k) {
            const unsigned at = t * g.top + k;
            to[k] = nullptr;
            if (k < g.top) {
                const unsigned r = (unsigned)g.owner[at];
                if (r == g.rank) {
                    to[k] = g.experts[r] + (size_t)g.row[at] * n;
                } else if (!(seen >> r & 1u)) {
                    to[k] = g.staging[r] + ((size_t)g.rank * g.tokens + t) * n;
                    seen |= 1u << r;
                }
            }
        }
        copy_row(to, x + (size_t)t * n, n, lane);
    }
    meet(g);
}

// Copies the rows of others to the experts. blockIdx.y: the other rank.
__global__ void __launch_bounds__(32 * WARPS)
    expand_rows(const __grid_constant__ job g) {
    const unsigned t = blockIdx.x * WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, n = g.hidden / 8;
    const unsigned s = blockIdx.y + (blockIdx.y >= g.rank);
    if (t < g.tokens) {
        uint4 *to[8];
#pragma unroll
        for (unsigned k = 0; k < 8; ++k) {
            const unsigned row = k < g.top ? g.far_row[s][t * g.top + k] : ~0u;
            to[k] = row == ~0u ? nullptr : g.experts[g.rank] + (size_t)row * n;
        }
        const uint4 *const from =
            g.staging[g.rank] + ((size_t)s * g.tokens + t) * n;
        copy_row(to, from, n, lane);
    }
}

// As dispatch_rows, in e4m3.
__global__ void __launch_bounds__(32 * WARPS)
    dispatch_rows_e4m3(const __grid_constant__ job g, const uint4 *x) {
    const unsigned t = blockIdx.x * WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, n = g.hidden / 8;
    if (t < g.tokens) {
        uint2 *to[8];
        float *scales[8];
        unsigned seen = 0;
#pragma unroll
        for (unsigned k = 0; k < 8; ++k) {
            const unsigned at = t * g.top + k;
            to[k] = nullptr;
            if (k < g.top) {
                const unsigned r = (unsigned)g.owner[at];
                const size_t far = (size_t)g.rank * g.tokens + t;
                if (r == g.rank) {
                    to[k] = (uint2 *)g.experts[r] + (size_t)g.row[at] * n;
                    scales[k] = g.scales[r] + (size_t)g.row[at] * (n / 16);
                } else if (!(seen >> r & 1u)) {
                    to[k] = (uint2 *)g.staging[r] + far * n;
                    scales[k] = g.staged_scales[r] + far * (n / 16);
                    seen |= 1u << r;
                }
            }
        }
        quantise_row(to, scales, x + (size_t)t * n, n, lane);
    }
    meet(g);
}

// As expand_rows, in e4m3.
__global__ void __launch_bounds__(32 * WARPS)
    expand_rows_e4m3(const __grid_constant__ job g) {
    const unsigned t = blockIdx.x * WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, n = g.hidden / 16;
    const unsigned s = blockIdx.y + (blockIdx.y >= g.rank);
    if (t < g.tokens) {
        const size_t at = (size_t)s * g.tokens + t;
        const uint4 *const from = g.staging[g.rank] + at * n;
        const float *const scale = g.staged_scales[g.rank] + at * (n / 8);
        uint4 *to[8];
        unsigned row[8];
#pragma unroll
        for (unsigned k = 0; k < 8; ++k) {
            row[k] = k < g.top ? g.far_row[s][t * g.top + k] : ~0u;
            to[k] = row[k] == ~0u ? nullptr
                                  : g.experts[g.rank] + (size_t)row[k] * n;
        }
        copy_row(to, from, n, lane);
        for (unsigned j = lane; j < n / 8; j += 32) {
            const float v = scale[j];
#pragma unroll
            for (unsigned k = 0; k < 8; ++k) {
                if (to[k]) {
                    g.scales[g.rank][(size_t)row[k] * (n / 8) + j] = v;
                }
            }
        }
    }
}

__device__ inline void add(float (&sum)[8], const uint4 &v, float w) {
    const unsigned a[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
        sum[k] += w * __uint_as_float(k % 2 ? a[k / 2] & 0xffff0000u
                                            : a[k / 2] << 16);
    }
}
__device__ inline uint4 packed(const float (&sum)[8]) {
    uint4 v;
    unsigned *const w = &v.x;
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
        const __nv_bfloat162 two =
            __floats2bfloat162_rn(sum[2 * k], sum[2 * k + 1]);
        memcpy(w + k, &two, 4);
    }
    return v;
}

// Returns the weighted sum of up to 8 rows at vector j. All loads come first.
__device__ __forceinline__ uint4 sum_at(const uint4 *const (&from)[8],
                                        const float (&w)[8], unsigned j) {
    float sum[8] = {0};
    uint4 v[8];
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
        if (from[k]) {
            v[k] = from[k][j];
        }
    }
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
        if (from[k]) {
            add(sum, v[k], w[k]);
        }
    }
    return packed(sum);
}

// Loads each expert's result, over the link too, and adds them.
__global__ void __launch_bounds__(32 * WARPS)
    combine_slots(const __grid_constant__ job g, uint4 *out) {
    const unsigned t = blockIdx.x * WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, n = g.hidden / 8;
    if (t < g.tokens) {
        const uint4 *from[8];
        float w[8];
#pragma unroll
        for (unsigned k = 0; k < 8; ++k) {
            const unsigned at = t * g.top + k;
            from[k] = k < g.top ? g.results[g.owner[at]] + (size_t)g.row[at] * n
                                : nullptr;
            w[k] = k < g.top ? g.weight[at] : 0;
        }
        for (unsigned j = lane; j < n; j += 32) {
            out[(size_t)t * n + j] = sum_at(from, w, j);
        }
    }
    meet(g); // nobody changes results that others still load
}

// Adds the results of this rank for rank s, and stores the sum there or, of own
// tokens, here. blockIdx.y: the rank.
__global__ void __launch_bounds__(32 * WARPS)
    combine_rows(const __grid_constant__ job g) {
    const unsigned t = blockIdx.x * WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, n = g.hidden / 8;
    const unsigned s = (blockIdx.y + g.rank + 1) % g.ranks;
    if (t < g.tokens) {
        const uint4 *from[8];
        float w[8];
        bool any = s == g.rank;
#pragma unroll
        for (unsigned k = 0; k < 8; ++k) {
            const unsigned at = t * g.top + k;
            const unsigned row = k < g.top ? g.far_row[s][at] : ~0u;
            from[k] =
                row == ~0u ? nullptr : g.results[g.rank] + (size_t)row * n;
            w[k] = k < g.top ? g.far_weight[s][at] : 0;
            any = any || from[k];
        }
        uint4 *const to = g.staging[s] + ((size_t)g.rank * g.tokens + t) * n;
        for (unsigned j = lane; j < n && any; j += 32) {
            to[j] = sum_at(from, w, j);
        }
    }
    meet(g);
}

// Adds the partial sums of all ranks that have an expert of the token.
__global__ void __launch_bounds__(32 * WARPS)
    add_rows(const __grid_constant__ job g, uint4 *out) {
    const unsigned t = blockIdx.x * WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, n = g.hidden / 8;
    if (t < g.tokens) {
        unsigned ranks = 0;
        for (unsigned k = 0; k < g.top; ++k) {
            ranks |= 1u << g.owner[t * g.top + k];
        }
        for (unsigned j = lane; j < n; j += 32) {
            float sum[8] = {0};
            for (unsigned r = 0; r < g.ranks; ++r) {
                if (ranks >> r & 1u) {
                    add(sum,
                        g.staging[g.rank][((size_t)r * g.tokens + t) * n + j],
                        1);
                }
            }
            out[(size_t)t * n + j] = packed(sum);
        }
    }
}

} // namespace by_hand

#endif
