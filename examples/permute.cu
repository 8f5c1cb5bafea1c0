/* permute.cu - how are the axes of a tensor permuted, whatever they are?
 * SPDX-License-Identifier: MIT
 *
 * Memory is fast in long runs, so two axes count: the one that is contiguous in
 * the source and the one that is contiguous in the result. Axes that stay
 * neighbours become one. If the two are different axes, every block turns a
 * tile of both, as a transpose does; if they are the same, it copies a tile of
 * rows. The other axes only say where a tile starts. The tiles are compiled,
 * the sizes come at run time. permute() picks a tile whose sides are not much
 * longer than the axes, and accesses of 16 bytes if all addresses allow them.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/permute.cu -o permute
 *        or, without a GPU, tests/emu/emucc -I. examples/permute.cu -o permute
 */
#include "check.h"
#include "ll_ptx.h"
#include <vector>

/* The tile of a block, lanes along the row; a lane holds 64 bytes, or less of a
 * small tile, or more of one for 8 warps. */
LL_FN unsigned warps_of(unsigned bytes) {
    return bytes >= 16384u ? 8u : bytes >= 4096u ? bytes / 2048u : 1u;
}
LL_FN ll_layout tile_of(unsigned rows, unsigned cols, unsigned bytes,
                        unsigned access, unsigned warps) {
    return LL_ROWS(.rows = rows, .cols = cols, .bytes = bytes, .access = access,
                   .height = bytes < 4u ? 4u : 2u, .warps = warps);
}

/* Axis i runs down a tile and j along it; src is contiguous in j. Of the other
 * axes, those of the tiles included, block numbers count the first fastest. */
struct job {
    unsigned rank, size[10];
    size_t from[10], to[10]; /* strides, in elements */
    unsigned ni, nj, nk; /* k: of the other axes the first */
    size_t from_i, to_i, to_j, from_k, to_k;
};

/* A warp that has a small tile for itself does so many, 4 KiB, along a further
 * axis: finding a tile costs more than moving it. Blocks have 8 such warps. */
LL_FN unsigned deep(unsigned bytes) {
    return warps_of(bytes) > 1u ? 1u : 4096u / bytes;
}
LL_FN unsigned teams(unsigned bytes) { return warps_of(bytes) > 1u ? 1u : 8u; }

template <unsigned TEAMS> __device__ void wait_for_team() {
    TEAMS > 1 ? LL_BARRIER_WARP() : __syncthreads();
}

/* MERGED: axis i has the ROWS of a tile, and axis k is next to it in the result,
 * so that the tiles of a warp make one with longer runs there. */
template <class T, unsigned ROWS, unsigned COLS, unsigned ACCESS, bool TURN,
          bool MERGED>
__global__ void __launch_bounds__(32 * warps_of(ROWS * COLS * sizeof(T)) *
                                  teams(ROWS * COLS * sizeof(T)))
    permuted(T *dst, const T *src, unsigned count, job x) {
    constexpr unsigned bytes = ROWS * COLS * sizeof(T), each = deep(bytes);
    constexpr unsigned warps = warps_of(bytes), high = MERGED ? each : 1;
    LL_LAYOUT(FROM, tile_of(ROWS, COLS, sizeof(T), ACCESS, warps));
    LL_LAYOUT(TO, tile_of(COLS, ROWS * high, sizeof(T), ACCESS, warps));
    LL_LAYOUT(TURNED, ll_trans(LL_GET(TO), "j i"));
    LL_SCOPE(TEAM, threadIdx.x % LL_THREADS(FROM), LL_THREADS(FROM),
             wait_for_team<teams(bytes)>());
    LL_IN(TEAM);
    T a[each][LL_REGS(FROM)] = {};
    const unsigned team = threadIdx.x / LL_THREADS(FROM);
    unsigned tile = blockIdx.x * teams(bytes) + team, at[3] = {};
    if (teams(bytes) > 1 && tile >= count) {
        return;
    }
    for (unsigned k = 0; k < x.rank; ++k) {
        const unsigned here = tile % x.size[k];
        tile /= x.size[k];
        src += here * x.from[k];
        dst += here * x.to[k];
        at[0] = k == 0 ? here * COLS : at[0];
        at[1] = k == 1 ? here * ROWS : at[1];
        at[2] = k == 2 ? here * each : at[2];
    }
    const unsigned left = each > 1 ? x.nk - at[2] : 1;
    LL_UNROLL
    for (unsigned k = 0; k < each; ++k) {
        if (k < left) {
            LL_LOAD(a[k], FROM, src + k * x.from_k, x.from_i, x.ni - at[1],
                    x.nj - at[0]);
        }
    }
    if constexpr (MERGED) {
        LL_LAYOUT(ALL, ll_mul(LL_GET(FROM), ll_identity(each, LL_REGISTER,
                                                        LL_I)));
        LL_PLAN(ROUND, ALL, TURNED, 8 * sizeof(T), LL_SM90);
        __shared__ __align__(16) unsigned char smem[teams(bytes)]
                                                   [LL_SMEM_BYTES(ROUND)];
        T all[LL_REGS(ALL)], b[LL_REGS(TO)];
        LL_EACH(r, ALL) { all[r] = a[r / LL_REGS(FROM)][r % LL_REGS(FROM)]; }
        LL_CONVERT(b, all, ROUND, smem[team]);
        LL_STORE(b, TO, dst, x.to_j, x.nj - at[0],
                 (left < each ? left : each) * ROWS);
    } else if constexpr (TURN) {
        LL_PLAN(ROUND, FROM, TURNED, 8 * sizeof(T), LL_SM90);
        __shared__ __align__(16) unsigned char smem[teams(bytes)]
                                                   [LL_SMEM_BYTES(ROUND)];
        T b[LL_REGS(TO)];
        LL_UNROLL
        for (unsigned k = 0; k < each && k < left; ++k) {
            k ? LL_SYNC() : (void)0; /* memory has been read */
            LL_CONVERT(b, a[k], ROUND, smem[team]);
            LL_STORE(b, TO, dst + k * x.to_k, x.to_j, x.nj - at[0],
                     x.ni - at[1]);
        }
    } else {
        LL_UNROLL
        for (unsigned k = 0; k < each && k < left; ++k) {
            LL_STORE(a[k], FROM, dst + k * x.to_k, x.to_i, x.ni - at[1],
                     x.nj - at[0]);
        }
    }
}

/* Adds the tiles of both axes to those that blocks count, and starts. */
template <class T, unsigned ROWS, unsigned COLS, unsigned ACCESS, bool TURN>
const char *permute_by(T *dst, const T *src, const job &x) {
    constexpr unsigned bytes = ROWS * COLS * sizeof(T), each = deep(bytes);
    job y = x;
    y.rank += 2;
    for (unsigned k = 0; k < x.rank; ++k) {
        y.size[k + 2] = x.size[k];
        y.from[k + 2] = x.from[k], y.to[k + 2] = x.to[k];
    }
    if (each > 1 && x.rank) {
        y.size[2] = (x.size[0] - 1) / each + 1;
        y.from[2] = each * x.from[0], y.to[2] = each * x.to[0];
    }
    y.nk = x.rank ? x.size[0] : 1, y.from_k = x.from[0], y.to_k = x.to[0];
    y.size[0] = (x.nj - 1) / COLS + 1, y.size[1] = (x.ni - 1) / ROWS + 1;
    y.from[0] = COLS, y.to[0] = COLS * x.to_j;
    y.from[1] = ROWS * x.from_i, y.to[1] = ROWS * x.to_i;
    size_t tiles = 1;
    for (unsigned k = 0; k < y.rank; ++k) {
        tiles *= y.size[k];
    }
    if (tiles >> 31) {
        return "the tensor has 2^31 tiles or more";
    }
    const dim3 grid((unsigned)((tiles - 1) / teams(bytes) + 1));
    const unsigned threads = 32 * warps_of(bytes) * teams(bytes);
    constexpr bool longer = TURN && each > 1 && ACCESS == 16;
    if (longer && x.ni == ROWS && x.rank && x.to[0] == ROWS) {
        permuted<T, ROWS, COLS, ACCESS, TURN, longer>
            <<<grid, threads>>>(dst, src, (unsigned)tiles, y);
    } else {
        permuted<T, ROWS, COLS, ACCESS, TURN, false>
            <<<grid, threads>>>(dst, src, (unsigned)tiles, y);
    }
    return said(cudaGetLastError());
}

template <class T, unsigned ACCESS>
const char *permute_with(T *dst, const T *src, const job &x, bool turn) {
    constexpr unsigned k = 4 / sizeof(T) ? 4 / sizeof(T) : 1, n = 32 * k;
    constexpr unsigned m = sizeof(T) == 1 ? 128 : 64, w = 16 / sizeof(T);
    if (!turn && x.nj <= 8 * k) {
        return permute_by<T, 512, 8 * k, ACCESS, false>(dst, src, x);
    } else if (!turn) {
        return x.nj <= 64 * k
                   ? permute_by<T, 64, 64 * k, ACCESS, false>(dst, src, x)
                   : permute_by<T, 8, 512 * k, ACCESS, false>(dst, src, x);
    } else if (x.ni <= w && x.nj <= 32) {
        return permute_by<T, w, 32, ACCESS, true>(dst, src, x);
    } else if (x.ni <= 2 * w && x.nj <= 16) {
        return permute_by<T, 2 * w, 16, ACCESS, true>(dst, src, x);
    } else if (x.ni <= 2 * w && x.nj <= 64) {
        return permute_by<T, 2 * w, 64, ACCESS, true>(dst, src, x);
    } else if (x.ni <= 64 && x.nj <= 2 * w) {
        return permute_by<T, 64, 2 * w, ACCESS, true>(dst, src, x);
    } else if (x.ni <= 8 * k) {
        return permute_by<T, 8 * k, 256, ACCESS, true>(dst, src, x);
    } else if (x.nj <= 8 * k) {
        return permute_by<T, 256, 8 * k, ACCESS, true>(dst, src, x);
    }
    return x.ni <= n ? permute_by<T, n, m, ACCESS, true>(dst, src, x)
                     : permute_by<T, 2 * n, m, ACCESS, true>(dst, src, x);
}

/* Null, or why axes cannot be permuted. */
static inline const char *unfit(unsigned rank, const unsigned *size,
                                const unsigned *order) {
    size_t all = 1;
    unsigned seen = 0;
    if (rank > 8) {
        return "a tensor has at most 8 axes";
    }
    for (unsigned k = 0; k < rank; ++k) {
        seen |= order[k] < rank ? 1u << order[k] : 0u;
        if (!size[k] || size[k] > 1u << 31 ||
            all > ((size_t)1 << 40) / size[k]) {
            return "an axis has 1 to 2^31 elements, and all have up to 2^40";
        }
        all *= size[k];
    }
    return seen == (1u << rank) - 1 ? nullptr
                                    : "the order names each axis once";
}

/* dst becomes src with its axes in another order: axis k of the result is axis
 * order[k] of src. size[k] is that of axis k of src, of which the last one is
 * contiguous. Returns null, or a sentence. */
template <class T>
const char *permute(T *dst, const T *src, unsigned rank, const unsigned *size,
                    const unsigned *order) {
    struct axis {
        size_t n, from, to;
    };
    const char *const bad = unfit(rank, size, order);
    if (bad) {
        return bad;
    }
    std::vector<axis> by, all(rank);
    size_t from = 1, to = 1;
    for (unsigned k = rank; k-- > 0; from *= size[k]) {
        all[k].n = size[k], all[k].from = from;
    }
    for (unsigned k = rank; k-- > 0; to *= size[order[k]]) {
        const axis next = {all[order[k]].n, all[order[k]].from, to};
        if (next.n != 1 && by.size() &&
            next.from == by.back().from * by.back().n &&
            by.back().n * next.n <= 1u << 31) {
            by.back().n *= next.n; /* still neighbours */
        } else if (next.n != 1) {
            by.push_back(next);
        }
    }
    while (by.size() < 2) {
        by.push_back({1, to, to});
    }
    unsigned j = 0; /* by[0] is contiguous in the result */
    for (unsigned k = 1; k < by.size(); ++k) {
        j = by[k].from < by[j].from ? k : j;
    }
    const bool turn = j != 0;
    const axis &down = by[turn ? 0 : 1], &along = by[j];
    size_t bits = (size_t)dst | (size_t)src | along.n * sizeof(T) |
                  (turn ? down.n : along.n) * sizeof(T);
    job x = {};
    x.ni = (unsigned)down.n, x.from_i = down.from, x.to_i = down.to;
    x.nj = (unsigned)along.n, x.to_j = along.to;
    for (const axis &a : by) {
        if (&a != &down && &a != &along) {
            x.size[x.rank] = (unsigned)a.n;
            x.from[x.rank] = a.from, x.to[x.rank++] = a.to;
        }
    }
    return bits % 16 ? permute_with<T, sizeof(T)>(dst, src, x, turn)
                     : permute_with<T, 16>(dst, src, x, turn);
}

#ifndef LL_NO_MAIN

/* Permutes a tensor of the numbers 0, 1, .. and returns how many are wrong. */
static unsigned check(std::vector<unsigned> size, std::vector<unsigned> order) {
    typedef unsigned short T;
    const unsigned rank = (unsigned)size.size();
    size_t n = 1;
    unsigned wrong = 0;
    for (unsigned s : size) {
        n *= s;
    }
    std::vector<T> src(n), got(n);
    T *from, *to;
    for (size_t k = 0; k < n; ++k) {
        src[k] = (T)(k * 40503u);
    }
    MUST(cudaMalloc((void **)&from, n * sizeof(T)));
    MUST(cudaMalloc((void **)&to, n * sizeof(T)));
    MUST(cudaMemcpy(from, src.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    MUST(permute(to, from, rank, size.data(), order.data()));
    MUST(cudaMemcpy(got.data(), to, n * sizeof(T), cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < n; ++k) {
        size_t at = 0, left = k, place[8];
        for (unsigned d = rank; d-- > 0; left /= size[order[d]]) {
            place[order[d]] = left % size[order[d]];
        }
        for (unsigned d = 0; d < rank; ++d) {
            at = at * size[d] + place[d];
        }
        wrong += got[k] != src[at];
    }
    cudaFree(from), cudaFree(to);
    printf("%zu elements, rank %u: %u wrong\n", n, rank, wrong);
    return wrong;
}

/* How many tensors are not refused that have no elements, or too many, or whose
 * order is none. */
static unsigned check_refusals(void) {
    const unsigned none[] = {3, 0, 2}, large[] = {1u << 31, 1u << 31, 2};
    const unsigned some[] = {3, 2, 2}, order[] = {2, 0, 1}, twice[] = {2, 0, 0};
    unsigned short x = 0;
    unsigned wrong = !permute(&x, &x, 3, none, order);
    wrong += !permute(&x, &x, 3, large, order);
    wrong += !permute(&x, &x, 3, some, twice);
    wrong += !permute(&x, &x, 9, some, order);
    return wrong;
}

int main(void) {
    unsigned wrong = check_refusals();
    wrong += check({2, 72, 3, 64}, {0, 3, 2, 1}); /* all turned */
    wrong += check({3, 40, 16}, {0, 2, 1});               /* few columns */
    wrong += check({2, 8, 3, 300}, {2, 0, 3, 1});         /* few rows */
    wrong += check({4, 3, 24, 2}, {1, 0, 3, 2});
    wrong += check({5, 7, 160}, {1, 0, 2}); /* rows are copied */
    wrong += check({11, 7, 13}, {2, 0, 1}); /* small tiles, several to a warp */
    wrong += check({9, 14, 12}, {2, 0, 1}) + check({19, 15, 50}, {2, 0, 1});
    wrong += check({2, 3, 40, 15}, {3, 0, 1, 2});
    wrong += check({3, 8, 19, 32}, {0, 3, 2, 1}); /* merged: 8 and 19 */
    wrong += check({16, 9, 8}, {2, 1, 0});
    wrong += check({2, 1, 3, 2, 2, 2, 1, 4}, {7, 2, 0, 4, 1, 3, 6, 5});
    wrong += check({3, 5, 2, 2, 8}, {2, 1, 0, 3, 4});
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}

#endif
