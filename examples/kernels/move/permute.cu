/* permute.cu - how to permute the axes of any tensor?
 * SPDX-License-Identifier: MIT
 *
 * Memory is fast in long runs, so two axes matter: j, which is contiguous in
 * the source, and i, which is contiguous in the result. If they differ, every
 * block transposes a tile of both; if they are the same, it copies rows. A
 * short axis is merged with the axes that continue its run of memory, i in the
 * result and j in the source (permute.h). The other axes only say where a tile
 * starts. Tile sizes are compile-time constants, tensor sizes are not.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/move/permute.cu -o permute
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "../check.h"
#include "../launch_stream.h"
#include "ll_ptx.h"
#include "permute.h"
#ifdef LL_NO_MAIN
#include "transpose_odd.cu"
#else
#define LL_NO_MAIN
#include "transpose_odd.cu"
#undef LL_NO_MAIN
#endif

using namespace ll_kernels;

/* Permutes by vectors of 16 bytes, with FEW by single elements. TURN: the tile
 * is transposed. */
template <class T, unsigned ROWS, unsigned COLS, bool FEW, bool TURN>
__global__ void
    __launch_bounds__(256, ROWS *COLS * sizeof(T) > 16384 || FEW ? 3 : 6)
    permute_tiles(T *dst, const T *src, permute_job x) {
    typedef std::conditional_t<FEW, T, uint4> vector;
    constexpr unsigned access = sizeof(vector), bits = 8 * sizeof(T);
    constexpr unsigned wide = access / sizeof(T);
    LL_LAYOUT(FROM, permute_tile(ROWS, COLS, sizeof(T), access));
    LL_LAYOUT(TO, ll_trans(permute_tile(COLS, ROWS, sizeof(T), access), "j i"));
    unsigned a[LL_WORDS(FROM, bits)] = {}, b[LL_WORDS(TO, bits)];
    unsigned tile = blockIdx.x;
    const unsigned down = (x.i.all - 1) / ROWS + 1;
    const unsigned across = (x.j.all - 1) / COLS + 1;
    const bool tall = down > across;
    const unsigned s = split_tile(tile, tall ? across : down);
    const unsigned t = split_tile(tile, tall ? down : across);
    const unsigned i = (tall ? t : s) * ROWS, j = (tall ? s : t) * COLS;
    for (unsigned k = 0; k < x.rank; ++k) {
        const unsigned at = split_tile(tile, x.size[k]);
        src += at * x.from[k], dst += at * x.to[k];
    }
    for_each_vector<FROM, wide>(
        x, i, j, [&](unsigned r, unsigned p, unsigned q) {
            const vector v =
                *(const vector *)(src + axis_offset(x.i, x.i.from, p) + q);
            memcpy((T *)a + r, &v, access);
        });
    if constexpr (TURN) {
        LL_PLAN(ROUND, FROM, TO, bits, LL_SM90);
        __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(ROUND)];
        LL_CONVERT(b, a, ROUND, smem);
        for_each_vector<TO, wide>(
            x, i, j, [&](unsigned r, unsigned p, unsigned q) {
                vector v;
                memcpy(&v, (const T *)b + r, access);
                *(vector *)(dst + axis_offset(x.j, x.j.to, q) + p) = v;
            });
    } else {
        for_each_vector<FROM, wide>(
            x, i, j, [&](unsigned r, unsigned p, unsigned q) {
                vector v;
                memcpy(&v, (const T *)a + r, access);
                *(vector *)(dst + axis_offset(x.i, x.i.to, p) + q) = v;
            });
    }
}

/* Launches the kernel for tiles of ROWS x COLS. */
template <class T, unsigned ROWS, unsigned COLS, bool FEW, bool TURN>
const char *permute_by(T *dst, const T *src, const permute_job &x) {
    size_t tiles = (size_t)((x.i.all - 1) / ROWS + 1) *
                   ((x.j.all - 1) / COLS + 1);
    for (unsigned k = 0; k < x.rank; ++k) {
        tiles *= x.size[k];
    }
    if (tiles >> 31) {
        return "the tensor has 2^31 tiles or more";
    }
    permute_tiles<T, ROWS, COLS, FEW, TURN>
        <<<(unsigned)tiles, 256, 0, launch_stream()>>>(dst, src, x);
    return said(cudaGetLastError());
}

/* Picks a tile with sides that are not much longer than the axes: mostly of 16
 * KiB, but of 32 KiB if both axes are long and elements have 16 bits. */
template <class T, bool FEW>
const char *permute_with(T *dst, const T *src, const permute_job &x) {
    constexpr unsigned w = 16 / sizeof(T), n = (FEW ? 8192 : 16384) / sizeof(T);
    constexpr unsigned m = 8192 / sizeof(T), s = n / 64;
    constexpr unsigned r = sizeof(T) == 2 && !FEW ? 128 : s;
    const unsigned i = x.i.all, j = x.j.all;
    if (!x.turn) {
        return j <= 2 * w ? permute_by<T, m / w, 2 * w, FEW, 0>(dst, src, x)
               : j <= 16 * w
                   ? permute_by<T, n / w / 16, 16 * w, FEW, 0>(dst, src, x)
                   : permute_by<T, m / w / 64, 64 * w, FEW, 0>(dst, src, x);
    }
    return j <= w       ? permute_by<T, m / w, w, FEW, 1>(dst, src, x)
           : i <= w     ? permute_by<T, w, m / w, FEW, 1>(dst, src, x)
           : j <= 4 * w ? permute_by<T, n / w / 4, 4 * w, FEW, 1>(dst, src, x)
           : i <= 4 * w ? permute_by<T, 4 * w, n / w / 4, FEW, 1>(dst, src, x)
           : j <= 64    ? permute_by<T, s, 64, FEW, 1>(dst, src, x)
                        : permute_by<T, r, r == s ? 64 : r, FEW, 1>(dst, src,
                                                                    x);
}

/* Sets dst to src with its axes in another order: axis k of the result is axis
 * order[k] of src. Axis k of src has size[k] elements; the last axis is
 * contiguous. Returns an error message, or null. */
template <class T>
const char *permute(T *dst, const T *src, unsigned rank, const unsigned *size,
                    const unsigned *order) {
    if (const char *const bad = permute_refusal(rank, size, order)) {
        return bad;
    }
    const std::vector<tensor_axis> by = result_axes(rank, size, order);
    const permute_job x = permute_job_of(by, sizeof(T));
    if (x.aligned && ((size_t)dst | (size_t)src) % 16 == 0) {
        return permute_with<T, false>(dst, src, x);
    }
    if constexpr (sizeof(T) < 8) {
        if (const unsigned count = transpose_count(by)) {
            return launch_transpose_odd(dst, src, (unsigned)by[0].n,
                                        (unsigned)by[1].n, count);
        }
    }
    return permute_with<T, true>(dst, src, x);
}

#ifndef LL_NO_MAIN

#include "permute_check.h"

int main(void) {
    unsigned wrong = check_refusals() + check({4, 3, 24, 2}, {1, 0, 3, 2});
    wrong += check({2, 72, 3, 64}, {0, 3, 2, 1}); /* all turned */
    wrong += check({3, 40, 16}, {0, 2, 1});               /* few columns */
    wrong += check({2, 8, 3, 300}, {2, 0, 3, 1});         /* few rows */
    wrong += check({5, 7, 160}, {1, 0, 2}); /* rows are copied */
    wrong += check({11, 7, 13}, {2, 0, 1}); /* small tiles, several to a warp */
    wrong += check({9, 14, 12}, {2, 0, 1}) + check({19, 15, 50}, {2, 0, 1});
    wrong += check({2, 3, 40, 15}, {3, 0, 1, 2});
    wrong += check({3, 8, 19, 32}, {0, 3, 2, 1}); /* merged: 8 and 19 */
    wrong += check({16, 9, 8}, {2, 1, 0}) + check({3, 67, 131}, {0, 2, 1});
    wrong += check({2, 1, 3, 2, 2, 2, 1, 4}, {7, 2, 0, 4, 1, 3, 6, 5});
    wrong += check({3, 5, 2, 2, 8}, {2, 1, 0, 3, 4});
    return verdict(wrong);
}

#endif
