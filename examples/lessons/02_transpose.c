/* 02_transpose.c - what does a transpose do in shared memory?
 * SPDX-License-Identifier: MIT
 *
 * A thread block loads a tile by rows and stores it by columns. This lesson
 * prints the two layouts, the plan that converts one to the other, and a
 * picture of each access to shared memory. transpose.cu is the kernel, with the
 * same tile.
 *
 * Build: cc -std=c11 -I. examples/lessons/02_transpose.c -o 02_transpose
 * Output:
 *     A transpose in tiles of 128 x 64 elements of 16 bits
 *     A block loads a tile as
 *       register: j0 j1 j2 i0 i1 | lane: j3 j4 j5 i2 i3 | warp: i4 i5 i6
 *     and stores it as
 *       register: i0 i1 i2 j0 j1 | lane: i3 i4 i5 i6 j2 | warp: j3 j4 j5
 *     In between, data goes through shared memory, 16384 bytes, about 36 cycles a warp
 *       1. each lane stores 32 elements to shared memory by 4 accesses of 16 bytes, 4 wavefronts each: no bank conflicts
 *       2. the warps of the block wait for each other
 *       3. each lane loads 32 elements from shared memory by 4 accesses of 16 bytes, 4 wavefronts each: no bank conflicts
 *       4. each lane moves bytes between its words by 16 byte permutes
 *       memory offset: j0 i0 j1 j3 j4 j5 i1 j2 i6 i2 j3^i3 j4^i4 j5^i5
 *       no memory takes fewer wavefronts with vector accesses
 *
 *     First store, first 8 lanes. Columns: banks 0 to 31. Lines: 128 bytes of shared memory.
 *     Number: the lane that writes there.
 *
 *      0  0  0  0  1  1  1  1  2  2  2  2  3  3  3  3  4  4  4  4  5  5  5  5  6  6  6  6  7  7  7  7
 *
 *     First load, first 8 lanes. Columns: banks 0 to 31. Lines: 128 bytes of shared memory.
 *     Number: the lane that reads there.
 *
 *      0  0  0  0  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
 *      .  .  .  .  1  1  1  1  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
 *      .  .  .  .  .  .  .  .  2  2  2  2  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
 *      .  .  .  .  .  .  .  .  .  .  .  .  3  3  3  3  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
 *      .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  4  4  4  4  .  .  .  .  .  .  .  .  .  .  .  .
 *      .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  5  5  5  5  .  .  .  .  .  .  .  .
 *      .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  6  6  6  6  .  .  .  .
 *      .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  7  7  7  7
 *
 *     No column is used twice: no bank conflicts.
 */
#include "../kernels/move/transpose.h"
#include <stdio.h>

static char text[1 << 14];

static void show(const char *what, ll_layout a) {
    ll_str(a, text, sizeof text);
    printf("%s\n  %s\n", what, text);
}

/* Draws the first access of a step, for the lanes that the hardware serves
 * together. Returns 0 if there is no picture: for matrix instructions, or if an
 * earlier step has rearranged the registers of layout a. */
static int draw(ll_layout a, const ll_plan *p, const ll_step *s) {
    const unsigned op = s->op == LL_OP_STORE ? LL_WRITE : LL_READ;
    const unsigned wavefronts = ll_wavefronts(a, p->memory, p->element_bits,
                                              s->bytes, op, LL_SM90);
    if (s->form != LL_FORM_VECTOR || wavefronts != s->wavefronts) {
        return 0;
    }
    ll_draw(a, p->memory, p->element_bits, s->bytes, op, LL_SM90, text,
            sizeof text);
    printf("\nFirst %s, first 8 lanes. Columns: banks 0 to 31. Lines: 128 "
           "bytes of shared memory.\nNumber: the lane that %s there.\n\n%s",
           op == LL_WRITE ? "store" : "load",
           op == LL_WRITE ? "writes" : "reads", text);
    return 1;
}

int main(void) {
    const ll_layout from =
        row_tile(TILE_ROWS, TILE_COLS, TILE_BYTES, TILE_ACCESS, TILE_WARPS);
    const ll_layout to = ll_trans(
        row_tile(TILE_COLS, TILE_ROWS, TILE_BYTES, TILE_ACCESS, TILE_WARPS),
        "j i");
    const ll_plan plan = ll_plan_of(from, to, 8 * TILE_BYTES, LL_SM90);
    unsigned accesses = 0, drawn = 0;

    printf("A transpose in tiles of %d x %d elements of %d bits\n", TILE_ROWS,
           TILE_COLS, 8 * TILE_BYTES);
    show("A block loads a tile as", from);
    show("and stores it as", to);
    ll_explain(plan, text, sizeof text);
    printf("In between, %s", text);
    for (unsigned k = 0; k < plan.n; ++k) {
        const ll_step *s = &plan.step[k];
        if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
            ++accesses;
            drawn += draw(s->op == LL_OP_STORE ? from : to, &plan, s) != 0;
        }
    }
    if (drawn < accesses) {
        printf("\n%u of %u accesses have no picture: they are not vectors.\n",
               accesses - drawn, accesses);
    } else if (accesses && ll_conflicts(plan) == 0) {
        printf("\nNo column is used twice: no bank conflicts.\n");
    }
    return plan.err != LL_OK;
}
