/* matmul_forms.h - forms of a GEMM on Hopper: the tile of C that a block
 * computes, its layouts, and how the block divides its shared memory
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_MATMUL_FORMS_H
#define LL_MATMUL_FORMS_H

#ifndef LL_TENSOR
#define LL_TENSOR
#endif
#include "ll_ptx.h"
#include "matmul_types.h"

namespace ll_kernels {

/* ---- Layouts ------------------------------------------------------------- */

/* C is f16 if A and B are, otherwise bf16. */
LL_FN dtype result_of(dtype operand) {
    return operand == dtype::f16 ? dtype::f16 : dtype::bf16;
}

/* Tiles of A, B and C in shared memory and in registers. */
template <dtype INPUT> struct gemm_layouts {
    static constexpr dtype IN = INPUT, RESULT = result_of(INPUT);

    /* clang-format off */
    enum : unsigned {
        BITS = bits_of(IN), SLICE = 256 / BITS, /* of k, of one wgmma */
        DEPTH = 128 * 8 / BITS                  /* of k, of a stage */
    };
    /* clang-format on */

    /* Tiles in shared memory, in the order that wgmma and TMA share. A tile of
     * fewer rows is the beginning of TILE. TILE_C: 16 rows of C. */
    LL_LAYOUT(TILE, ll_ptx_smem_k(256, DEPTH, BITS, 128));
    LL_LAYOUT(TILE_C, ll_ptx_smem_mn(64, 16, 16, 128, 16));

    /* The accumulators of a warpgroup for 16 rows of C, and how they get to
     * TILE_C: i is a column of C, j a row. */
    LL_LAYOUT(SUMS, ll_ptx_wgmma_d(64, 16, 4));
    LL_PLAN_THROUGH(OUT, SUMS, SUMS, 16, LL_SM90, LL_GET(TILE_C));
    LL_EXPECT_NO_CONFLICTS(OUT);

    /* The descriptor of a slice of k, for a tile at address 0. */
    static constexpr ll_ptx_desc slice(unsigned row, unsigned k) {
        return ll_ptx_desc_slice(LL_GET(TILE), 64, SLICE, BITS, row, k);
    }
    static constexpr unsigned long long DESC =
        ll_ptx_desc_wgmma(slice(0, 0), 0);
    static constexpr unsigned NEXT_K = slice(0, SLICE).at;
    static constexpr unsigned NEXT_ROWS = slice(64, 0).at;
    static_assert(DESC && slice(192, 3 * SLICE).at == 3 * (NEXT_ROWS + NEXT_K),
                  "wgmma reads TILE, and its slices have one distance");

    /* The boxes that TMA moves; those of A and B are as wide as BOX. */
    static constexpr ll_ptx_tensor BOX =
        ll_ptx_tensor_of(LL_GET(TILE), 256, DEPTH, BITS);
    static constexpr ll_ptx_tensor BOX_C =
        ll_ptx_tensor_of(LL_GET(TILE_C), 64, 16, 16);
    static_assert(BOX.copies == 1 && BOX_C.copies == 1 && BOX_C.mn_major,
                  "one copy loads TILE, one stores TILE_C by columns");
};

/* ---- Forms --------------------------------------------------------------- */

/* A tile of C of WORKERS warpgroups, 64 columns each, and ROWS rows; and shared
 * memory: the stages, the tiles of C, the mbarriers. */
/* clang-format off */
template <dtype INPUT, unsigned WORKERS_, unsigned ROWS_>
struct gemm_form : gemm_layouts<INPUT> {
    enum : unsigned {
        WORKERS = WORKERS_, ROWS = ROWS_, COLS = 64 * WORKERS,
        THREADS = 128 + 128 * WORKERS, REGISTERS = WORKERS < 3 ? 232 : 160,
        PADDED_ROWS = (ROWS + 15) / 16 * 16,
        STORE_ROWS = ROWS % 16 ? 8 : 16, /* of one TMA store */
        PIECES = ROWS > 128 ? 4 : 2, /* stored after one another */
        PIECE = (PADDED_ROWS / 16 + PIECES - 1) / PIECES * 16,
        BYTES_A = 128 * PADDED_ROWS, BYTES_B = 128 * COLS,
        BYTES_C = 256 * PIECE, STAGE = BYTES_A + BYTES_B,
        FIT = (227 * 1024 - 192 - WORKERS * BYTES_C) / STAGE,
        STAGES = FIT < 12 ? FIT : 12, MIN_STEPS = 2, /* stages of a tile */
        AT_C = STAGES * STAGE, FULL = AT_C + WORKERS * BYTES_C,
        EMPTY = FULL + 8 * STAGES, SMEM = EMPTY + 8 * STAGES,
        BYTES_SUMS = 4 * 64 * PADDED_ROWS /* partial sums of a warpgroup */
    };
    static_assert(STAGES > 2, "the tile is too large: three stages do not fit");
    static_assert(WORKERS * BYTES_SUMS <= AT_C, "sums fit into the stages");
};
/* clang-format on */

/* Forms that a program compiles. Their numbers count from 0. */
template <class... F> struct form_list {
    enum : unsigned { COUNT = sizeof...(F) };
};

} // namespace ll_kernels

#endif
