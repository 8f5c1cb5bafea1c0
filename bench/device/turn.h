// turn.h - the kernels of transpose.cu for every type and size
// SPDX-License-Identifier: MIT
#ifndef LL_BENCH_TURN_H
#define LL_BENCH_TURN_H

#define LL_NO_MAIN
#include "examples/kernels/move/transpose.cu"
#include "examples/kernels/move/transpose_odd.cu"

// The tile for an element size. Memory likes runs of 256 bytes on both sides;
// a small matrix likes to be spread evenly over the multiprocessors.
// Bytes of a small matrix pass the first cache by: 4096 x 4096 of them moved at
// 1.09 of a copy with the hint and 1.00 without, elements of 16 bits at 0.92
// and 0.94.
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

// The tiles of a large matrix follow each other down its columns, so that the
// blocks that run at the same time write long runs: 16384 x 32768 elements of 2
// bytes move at 1.03 of a copy, in turn along the rows at 0.98, 16384 x 8192 of
// 8 bytes at 1.03 and 0.96. Not where rows that are read have 128 KiB or more:
// 8192 x 16384 of 8 bytes, 0.98 and 1.01.
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

// Transposes a matrix. Where rows of either side do not start at multiples of
// 16 bytes, the kernel for odd sizes does it; elements of 8 bytes move one by
// one on such a side.
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
