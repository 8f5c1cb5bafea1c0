// turn.h - the kernels of transpose.cu for every type and size
// SPDX-License-Identifier: MIT
#ifndef LL_BENCH_TURN_H
#define LL_BENCH_TURN_H

#define LL_NO_MAIN
#include "examples/kernels/move/transpose.cu"
#include "examples/kernels/move/transpose_odd.cu"

// The tile for an element size. Runs of 256 bytes on both sides are fast in
// memory; a small matrix needs enough tiles for all multiprocessors. Small
// matrices of bytes bypass the L1 cache (bench/notes/transposes.md).
struct tile {
    unsigned rows, cols, warps, hint;
};

constexpr tile tile_for(unsigned size, bool large) {
    return size == 8            ? tile{64, 32, 16}
           : size == 4          ? tile{64, 64, 16}
           : size == 2 && large ? tile{128, 128, 8}
           : size == 2          ? tile{128, 64, 8}
           : large              ? tile{256, 256, 16}
                                : tile{64, 256, 4, LL_STREAM};
}

constexpr bool is_large(size_t bytes) { return bytes > (size_t)1 << 27; }

// The tiles of a large matrix follow each other down its columns, so that
// concurrent blocks write long runs; but not if its rows have 128 KiB or more
// (bench/notes/transposes.md).
template <class T, bool LARGE, unsigned IN, unsigned OUT>
void turn_by(T *dst, const T *src, unsigned m, unsigned n) {
    constexpr tile t = tile_for(sizeof(T), LARGE);
    constexpr unsigned down = !LARGE ? 0 : sizeof(T) == 8 ? 128 : 256;
    if (down && (size_t)n * sizeof(T) < 1u << 17) {
        launch_transpose<T, t.rows, t.cols, t.warps, IN, OUT, t.hint, down>(
            dst, src, m, n);
    } else {
        launch_transpose<T, t.rows, t.cols, t.warps, IN, OUT, t.hint>(dst, src,
                                                                      m, n);
    }
}

// Transposes a matrix. If the rows of a side are no multiples of 16 bytes, it
// calls launch_transpose_odd; elements of 8 bytes move one by one on such a
// side.
template <class T>
void transposed(T *dst, const T *src, unsigned m, unsigned n) {
    constexpr unsigned size = sizeof(T);
    const bool in = n * size % 16 == 0, out = m * size % 16 == 0;
    if (in && out) {
        is_large((size_t)m * n * size)
            ? turn_by<T, true, 16, 16>(dst, src, m, n)
            : turn_by<T, false, 16, 16>(dst, src, m, n);
    } else if constexpr (size < 8) {
        MUST(launch_transpose_odd(dst, src, m, n));
    } else {
        in    ? turn_by<T, false, 16, size>(dst, src, m, n)
        : out ? turn_by<T, false, size, 16>(dst, src, m, n)
              : turn_by<T, false, size, size>(dst, src, m, n);
    }
}

#endif
