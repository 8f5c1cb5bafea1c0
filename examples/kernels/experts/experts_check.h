/* experts_check.h - ranks, random routing, and what experts and tokens must get
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EXPERTS_CHECK_H
#define LL_EXPERTS_CHECK_H

#include "../check.h"
#include "combine.h"
#include "count.h"
#include <vector>

namespace ll_kernels {

/* A random number. */
LL_FN unsigned hash_of(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Element j of a row, as bits of a bf16 of either sign: magnitudes from 2^-6
 * up to 2^2. `salt` tells apart the rows of ranks. */
LL_FN unsigned bf16_value(unsigned salt, unsigned row, unsigned j) {
    const unsigned h = hash_of(salt * 0x9e3779b9u ^ hash_of(row * 65599u + j));
    return (h & 0x8000u) | (121u + (h >> 20) % 8u) << 7 | (h >> 8 & 0x7fu);
}
__device__ inline float float_value(unsigned salt, unsigned row, unsigned j) {
    return __uint_as_float(bf16_value(salt, row, j) << 16);
}

enum : unsigned { TOKEN_SALT = 1, RESULT_SALT = 100 };

/* The routing of all ranks, and where it must bring each entry. */
struct experts_routing {
    experts_shape shape;
    std::vector<unsigned> tokens;             /* of each rank */
    std::vector<std::vector<int>> experts;    /* [rank][tokens * top] */
    std::vector<std::vector<float>> weights;  /* likewise */
    std::vector<std::vector<unsigned>> row;   /* likewise */
    std::vector<std::vector<unsigned>> first; /* [rank][experts here + 1] */
};

/* Returns a random expert. With `skewed`, a quarter of the experts are drawn
 * in three of four cases. */
inline int random_expert(const experts_shape &s, bool skewed, unsigned h) {
    const unsigned few = (s.experts + 3) / 4;
    return (int)(skewed && h >> 30 ? (h >> 4) % few : (h >> 4) % s.experts);
}

/* Draws the experts of a token: all different, if there are enough. */
inline void draw_experts(experts_routing &g, unsigned r, unsigned t,
                         bool skewed, unsigned seed) {
    const experts_shape &s = g.shape;
    for (unsigned k = 0; k < s.top; ++k) {
        unsigned h = hash_of(seed + hash_of((r * s.tokens + t) * 64u + k));
        bool again = true;
        int e = 0;
        for (unsigned tries = 0; again && tries < 1000; ++tries) {
            e = random_expert(s, skewed, h = hash_of(h + 1));
            again = false;
            for (unsigned m = 0; m < k; ++m) {
                again = again || g.experts[r][t * s.top + m] == e;
            }
        }
        g.experts[r][t * s.top + k] = e;
        g.weights[r][t * s.top + k] =
            (float)(int)(h >> 8 & 0xffff) / 65536 - 0.25f;
    }
}

/* Sets the rows: by expert, then rank, then token. */
inline void place_rows(experts_routing &g) {
    const experts_shape &s = g.shape;
    const unsigned here = s.experts / s.ranks;
    for (unsigned d = 0; d < s.ranks; ++d) {
        unsigned at = 0;
        g.first.push_back({});
        for (unsigned e = d * here; e < (d + 1) * here; ++e) {
            g.first[d].push_back(at);
            for (unsigned r = 0; r < s.ranks; ++r) {
                for (size_t k = 0; k < g.experts[r].size(); ++k) {
                    if (g.experts[r][k] == (int)e) {
                        g.row[r][k] = at++;
                    }
                }
            }
            at = (at + s.align - 1) / s.align * s.align;
        }
        g.first[d].push_back(at);
    }
}

/* Returns a random routing. Rank r has r tokens fewer than the most. With
 * `holes`, some entries name no expert. */
inline experts_routing random_routing(const experts_shape &s, bool skewed,
                                      bool holes, unsigned seed) {
    experts_routing g = {s, {}, {}, {}, {}, {}};
    for (unsigned r = 0; r < s.ranks; ++r) {
        const unsigned n = holes && s.tokens > r ? s.tokens - r : s.tokens;
        g.tokens.push_back(n);
        g.experts.push_back(std::vector<int>((size_t)n * s.top));
        g.weights.push_back(std::vector<float>((size_t)n * s.top));
        g.row.push_back(std::vector<unsigned>((size_t)n * s.top, ~0u));
        for (unsigned t = 0; t < n; ++t) {
            draw_experts(g, r, t, skewed, seed);
        }
        for (size_t k = 0; holes && k < g.experts[r].size(); k += 7) {
            g.experts[r][k] = k % 2 ? -1 : (int)s.experts;
        }
    }
    place_rows(g);
    return g;
}

/* Fills rows with the values of a salt. */
__global__ void fill_rows(unsigned short *to, unsigned salt, unsigned rows,
                          unsigned hidden) {
    for (unsigned r = blockIdx.x; r < rows; r += gridDim.x) {
        for (unsigned j = threadIdx.x; j < hidden; j += blockDim.x) {
            to[(size_t)r * hidden + j] = (unsigned short)bf16_value(salt, r, j);
        }
    }
}

/* Returns the value of an e4m3. */
__device__ inline float e4m3_value(unsigned char x) {
    const unsigned e = x >> 3 & 15u, m = x & 7u;
    const float v = e ? (float)(8u + m) * __uint_as_float((e + 117u) << 23)
                      : (float)m * 0x1p-9f;
    return x & 128u ? -v : v;
}

/* Returns whether element j of a row of e4m3 differs from the token's element
 * by more than quantising explains. */
__device__ inline bool e4m3_is_wrong(const unsigned char *row,
                                     const float *scales, unsigned salt,
                                     unsigned t, unsigned j) {
    float peak = 1e-12f;
    for (unsigned k = j / 128 * 128; k < j / 128 * 128 + 128; ++k) {
        peak = fmaxf(peak, fabsf(float_value(salt, t, k)));
    }
    const float x = float_value(salt, t, j), scale = scales[j / 128];
    const float y = e4m3_value(row[j]) * scale;
    return !(fabsf(scale * 448 - peak) <= 1e-5f * peak) ||
           !(fabsf(y - x) <= fabsf(x) * 0.0626f + scale * 0x1p-10f);
}

/* Counts wrong elements of the rows of one rank's tokens at the experts of one
 * rank. row: of each entry, or ~0 if its expert is elsewhere. */
__global__ void check_rows(expert_rows at, bool e4m3, const unsigned *row,
                           unsigned source, unsigned entries, unsigned top,
                           unsigned capacity, unsigned hidden,
                           unsigned *wrong) {
    for (unsigned k = blockIdx.x; k < entries; k += gridDim.x) {
        const size_t r = row[k];
        for (unsigned j = threadIdx.x; j < hidden && r < capacity;
             j += blockDim.x) {
            const unsigned salt = TOKEN_SALT + source, t = k / top;
            const bool bad =
                e4m3 ? e4m3_is_wrong((unsigned char *)at.elements + r * hidden,
                                     at.scales + r * (hidden / 128), salt, t, j)
                     : ((unsigned short *)at.elements)[r * hidden + j] !=
                           bf16_value(salt, t, j);
            if (bad) {
                atomicAdd(wrong, 1u);
            }
        }
    }
}

/* Counts wrong elements of the sums. row: of each entry, ~0 if it has no row;
 * owner: the rank of its expert; rounding: relative error of a partial sum. */
__global__ void check_sums(const unsigned short *out, const unsigned *row,
                           const int *owner, const float *weights,
                           unsigned tokens, unsigned top, unsigned capacity,
                           unsigned hidden, float rounding, unsigned *wrong) {
    for (unsigned t = blockIdx.x; t < tokens; t += gridDim.x) {
        for (unsigned j = threadIdx.x; j < hidden; j += blockDim.x) {
            double sum = 0, size = 0;
            for (unsigned k = t * top; k < (t + 1) * top; ++k) {
                if (row[k] < capacity) {
                    const double x =
                        (double)weights[k] *
                        (double)float_value(RESULT_SALT + (unsigned)owner[k],
                                            row[k], j);
                    sum += x;
                    size += x < 0 ? -x : x;
                }
            }
            const double y =
                __uint_as_float((unsigned)out[(size_t)t * hidden + j] << 16);
            const double far = y < sum ? sum - y : y - sum;
            const double most = (sum < 0 ? -sum : sum) * 0x1.01p-8 +
                                size * ((double)rounding + 1e-6);
            if (!(far <= most)) {
                atomicAdd(wrong, 1u);
            }
        }
    }
}

/* A rank's memories. */
struct experts_host {
    experts_rank rank;
    int device;
    cudaStream_t stream;
    int *experts;
    float *weights;
    unsigned short *x, *y, *out;
    expert_rows rows;
    unsigned *row; /* of entries, for the checks */
    int *owner;
    unsigned *wrong;
};

template <class T> T *device_array(size_t n) {
    void *at = nullptr;
    MUST(cudaMalloc(&at, n * sizeof(T) + 256));
    return (T *)at;
}

inline int experts_devices() {
    int devices = 1;
#if !LL_EMULATE
    MUST(cudaGetDeviceCount(&devices));
#endif
    return devices;
}

inline void select(const experts_host &h) {
#if !LL_EMULATE
    MUST(cudaSetDevice(h.device));
#else
    (void)h;
#endif
}

/* Lets all devices reach each other. */
inline void reach_peers(unsigned devices) {
#if !LL_EMULATE
    for (unsigned d = 0; d < devices; ++d) {
        MUST(cudaSetDevice((int)d));
        for (unsigned e = 0; e < devices; ++e) {
            if (e != d) {
                const cudaError_t err = cudaDeviceEnablePeerAccess((int)e, 0);
                if (err == cudaErrorPeerAccessAlreadyEnabled) {
                    (void)cudaGetLastError();
                } else {
                    MUST(err);
                }
            }
        }
    }
#else
    (void)devices;
#endif
}

/* All ranks, on one device or each on its own (`together`). */
struct experts_group {
    experts_shape shape;
    bool together;
    std::vector<experts_host> ranks;
    size_t bytes; /* of each rank's memory */
};

/* Gives a group a shape that needs no more memory than its first one. */
inline void set_shape(experts_group &g, const experts_shape &s) {
    const experts_parts parts = experts_parts_of(s);
    MUST(parts.bytes > g.bytes ? "the group has too little memory" : nullptr);
    g.shape = s;
    for (experts_host &a : g.ranks) {
        const unsigned r = a.rank.rank;
        select(a);
        a.rank.shape = s;
        a.rank.parts = parts;
        MUST(cudaMemset(a.rank.memory[r], 0, parts.bytes));
        fill_rows<<<256, 128>>>(a.x, TOKEN_SALT + r, s.tokens, s.hidden);
        fill_rows<<<256, 128>>>(a.y, RESULT_SALT + r, s.capacity, s.hidden);
        MUST(cudaDeviceSynchronize());
    }
}

/* Allocates the memories of a rank. */
inline experts_host open_rank(const experts_shape &s, unsigned rank,
                              int device) {
    const size_t n = (size_t)s.tokens * s.top, h = s.hidden;
    experts_host a = {};
    a.device = device;
    select(a);
    MUST(cudaStreamCreateWithFlags(&a.stream, cudaStreamNonBlocking));
    a.experts = device_array<int>(n);
    a.weights = device_array<float>(n);
    a.row = device_array<unsigned>(n * s.ranks);
    a.owner = device_array<int>(n);
    a.wrong = device_array<unsigned>(1);
    a.x = device_array<unsigned short>(s.tokens * h);
    a.out = device_array<unsigned short>(s.tokens * h);
    a.y = device_array<unsigned short>(s.capacity * h);
    a.rows.elements = device_array<unsigned short>(s.capacity * h);
    a.rows.scales = device_array<float>(s.capacity * ((h + 127) / 128));
    a.rank = {s, {}, rank, s.tokens, EXPERTS_BOTH, {}};
    a.rank.memory[rank] =
        device_array<unsigned char>(experts_parts_of(s).bytes);
    return a;
}

inline experts_group open_group(const experts_shape &s) {
    const unsigned devices = (unsigned)experts_devices();
    experts_group g = {
        s, devices >= s.ranks && s.ranks > 1, {}, experts_parts_of(s).bytes};
    reach_peers(g.together ? s.ranks : 1u);
    for (unsigned r = 0; r < s.ranks; ++r) {
        g.ranks.push_back(open_rank(s, r, g.together ? (int)r : 0));
    }
    for (experts_host &a : g.ranks) {
        for (unsigned r = 0; r < s.ranks; ++r) {
            a.rank.memory[r] = g.ranks[r].rank.memory[r];
        }
    }
    set_shape(g, s);
    return g;
}

inline void close_group(experts_group &g) {
    for (experts_host &a : g.ranks) {
        select(a);
        for (void *p :
             {(void *)a.experts, (void *)a.weights, (void *)a.row,
              (void *)a.owner, (void *)a.wrong, (void *)a.x, (void *)a.y,
              (void *)a.out, a.rows.elements, (void *)a.rows.scales,
              (void *)a.rank.memory[a.rank.rank]}) {
            MUST(cudaFree(p));
        }
        MUST(cudaStreamDestroy(a.stream));
    }
}

/* Copies a routing to all ranks. */
inline void set_routing(experts_group &g, const experts_routing &r) {
    for (experts_host &a : g.ranks) {
        const unsigned k = a.rank.rank;
        const size_t bytes = r.experts[k].size() * 4;
        select(a);
        a.rank.tokens = r.tokens[k];
        MUST(cudaMemcpy(a.experts, r.experts[k].data(), bytes,
                        cudaMemcpyHostToDevice));
        MUST(cudaMemcpy(a.weights, r.weights[k].data(), bytes,
                        cudaMemcpyHostToDevice));
    }
}

/* Launches an exchange of all ranks: at once, or first all that send. */
template <class LAUNCH> void on_all_ranks(experts_group &g, LAUNCH launch) {
    const unsigned phases[2] = {EXPERTS_SEND, EXPERTS_RECEIVE};
    for (unsigned k = 0; k < (g.together ? 1u : 2u); ++k) {
        for (experts_host &a : g.ranks) {
            select(a);
            a.rank.phases = g.together ? (unsigned)EXPERTS_BOTH : phases[k];
            MUST(launch(a));
            if (!g.together) {
                MUST(cudaDeviceSynchronize());
            }
        }
    }
}

inline void wait_for_group(const experts_group &g) {
    for (const experts_host &a : g.ranks) {
        select(a);
        MUST(cudaDeviceSynchronize());
    }
}

/* Returns a word of a rank's flags. */
inline unsigned flag_of(const experts_host &a, unsigned word) {
    unsigned x = 0;
    select(a);
    MUST(cudaMemcpy(&x,
                    a.rank.memory[a.rank.rank] + a.rank.parts.flags + 4 * word,
                    4, cudaMemcpyDeviceToHost));
    return x;
}

/* Returns what check kernels have counted. */
inline unsigned take_wrong(const experts_host &a) {
    unsigned x = 0;
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(&x, a.wrong, 4, cudaMemcpyDeviceToHost));
    MUST(cudaMemset(a.wrong, 0, 4));
    return x;
}

/* Returns the wrong elements of the experts' rows, offsets and errors. */
inline unsigned wrong_rows(experts_group &g, const experts_routing &r,
                           bool e4m3) {
    const experts_shape &s = g.shape;
    const unsigned here = s.experts / s.ranks;
    unsigned wrong = 0;
    for (experts_host &a : g.ranks) {
        const unsigned d = a.rank.rank, need = r.first[d][here];
        std::vector<unsigned> first(here + 1);
        select(a);
        MUST(cudaMemset(a.wrong, 0, 4));
        MUST(cudaMemcpy(first.data(), a.rank.memory[d] + a.rank.parts.first,
                        4 * (here + 1), cudaMemcpyDeviceToHost));
        wrong += first != r.first[d];
        wrong += flag_of(a, EXPERTS_LATE);
        wrong += flag_of(a, EXPERTS_OVER) != (need > s.capacity ? need : 0);
        for (unsigned source = 0; source < s.ranks; ++source) {
            std::vector<unsigned> row = r.row[source];
            for (size_t k = 0; k < row.size(); ++k) {
                const int e = r.experts[source][k];
                if (e < 0 || (unsigned)e / here != d) {
                    row[k] = ~0u;
                }
            }
            unsigned *const to = a.row + (size_t)source * s.tokens * s.top;
            MUST(cudaMemcpy(to, row.data(), row.size() * 4,
                            cudaMemcpyHostToDevice));
            check_rows<<<256, 128>>>(a.rows, e4m3, to, source,
                                     (unsigned)row.size(), s.top, s.capacity,
                                     s.hidden, a.wrong);
        }
        wrong += take_wrong(a);
    }
    return wrong;
}

/* Returns the wrong elements of all tokens' sums. */
inline unsigned wrong_sums(experts_group &g, const experts_routing &r,
                           float rounding) {
    const experts_shape &s = g.shape;
    unsigned wrong = 0;
    for (experts_host &a : g.ranks) {
        const unsigned k = a.rank.rank;
        std::vector<int> owner = r.experts[k];
        for (int &e : owner) {
            e = e < 0 ? 0 : e / (int)(s.experts / s.ranks);
        }
        select(a);
        MUST(cudaMemset(a.wrong, 0, 4));
        MUST(cudaMemcpy(a.row, r.row[k].data(), owner.size() * 4,
                        cudaMemcpyHostToDevice));
        MUST(cudaMemcpy(a.owner, owner.data(), owner.size() * 4,
                        cudaMemcpyHostToDevice));
        check_sums<<<256, 128>>>(a.out, a.row, a.owner, a.weights, r.tokens[k],
                                 s.top, s.capacity, s.hidden, rounding,
                                 a.wrong);
        wrong += take_wrong(a) + flag_of(a, EXPERTS_LATE);
    }
    return wrong;
}

} // namespace ll_kernels

#endif
