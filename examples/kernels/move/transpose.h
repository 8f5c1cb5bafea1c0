/* transpose.h - the tile of 02_transpose.c and transpose.cu.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TRANSPOSE_H
#define LL_TRANSPOSE_H

#include "ll_ptx.h"

/* A block of 8 warps transposes 128 x 64 elements of 2 bytes. A lane accesses
 * 16 bytes of global memory at once. */
enum {
    TILE_ROWS = 128,
    TILE_COLS = 64,
    TILE_WARPS = 8,
    TILE_BYTES = 2,
    TILE_ACCESS = 16
};

/* Returns the tile of a block, with lanes along the rows. Each lane holds a
 * square of elements both before and after the transpose. The square has 16
 * bytes or more, which one access to shared memory can move. */
LL_FN ll_layout row_tile(unsigned rows, unsigned cols, unsigned bytes,
                         unsigned access, unsigned warps) {
    return LL_ROWS(.rows = rows, .cols = cols, .bytes = bytes, .access = access,
                   .height = bytes < 4u ? 4u : 2u, .warps = warps);
}

#endif
