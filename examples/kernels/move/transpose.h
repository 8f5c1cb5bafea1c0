/* transpose.h - the tile that 02_transpose.c explains and transpose.cu moves.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TRANSPOSE_H
#define LL_TRANSPOSE_H

#include "ll_ptx.h"

/* A block of 8 warps turns 128 x 64 elements of 2 bytes; one access of a lane
 * to global memory moves 16 bytes. */
enum {
    TILE_ROWS = 128,
    TILE_COLS = 64,
    TILE_WARPS = 8,
    TILE_BYTES = 2,
    TILE_ACCESS = 16
};

/* The tile of one block, lanes along the row. The square of elements that a
 * lane holds before as well as after the turn is what one access to shared
 * memory can move: 16 bytes or more. */
LL_FN ll_layout rows_of(unsigned rows, unsigned cols, unsigned bytes,
                        unsigned access, unsigned warps) {
    return LL_ROWS(.rows = rows, .cols = cols, .bytes = bytes, .access = access,
                   .height = bytes < 4u ? 4u : 2u, .warps = warps);
}

#endif
