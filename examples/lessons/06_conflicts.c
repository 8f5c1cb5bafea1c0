/* 06_conflicts.c - which memory layout has no bank conflicts?
 * SPDX-License-Identifier: MIT
 *
 * Lane i of a warp reads 16 bytes of row i of a 32 x 32 tile of floats. A
 * wavefront serves each of the 32 banks once, 128 bytes in all, so 32 lanes
 * with 16 bytes each need at least 4 wavefronts. In row-major memory every row
 * starts at bank 0, and the access takes 32.
 *
 * ll_wavefronts counts the wavefronts of any register layout on any memory
 * layout. ll_swizzle finds the memory layout with the fewest. ll_draw shows the
 * lanes that are served first, here 8. Columns are banks, lines are 128 bytes
 * of shared memory, and a digit is the lane that accesses that bank.
 *
 * Build: cc -std=c11 -I. examples/lessons/06_conflicts.c -o 06_conflicts
 * Output:
 *     Row-major: 32 wavefronts
 *       offset: j0 j1 j2 j3 j4 i0 i1 i2 i3 i4
 *     0000............................
 *     1111............................
 *     2222............................
 *     3333............................
 *     4444............................
 *     5555............................
 *     6666............................
 *     7777............................
 *     Swizzled for the reads: 4 wavefronts
 *       offset: j0 j1 i0 i1 i2 j2 j4 j3 i4 i3
 *     00001111222233334444555566667777
 *     Swizzled for rows written and these reads: 4 wavefronts
 *       offset: j0 j1 j2 j3 j4 i4 i3 j2^i0 j3^i1 j4^i2
 *     0000............................
 *     ....1111........................
 *     ........2222....................
 *     ............3333................
 *     ................4444............
 *     ....................5555........
 *     ........................6666....
 *     ............................7777
 *     And the writes: 4 wavefronts
 *     Row-major, ldmatrix: 32 wavefronts
 *     ll_for_operand, ldmatrix: 4 wavefronts
 *     Column-major, ldmatrix: register bit 0 is at byte 128, but must be at byte 2
 */
#include "ll.h"
#include "ll_ptx.h"
#include <stdio.h>

static void show(const char *what, ll_layout registers, ll_layout memory) {
    static char text[4000];
    printf("%s: %u wavefronts\n", what,
           ll_wavefronts(registers, memory, 32, 16, LL_READ, LL_SM90));
    ll_str(memory, text, sizeof text);
    printf("  %s\n", text);
    ll_draw(registers, memory, 32, 16, LL_READ, LL_SM90, text, sizeof text);
    for (const char *c = text; *c; ++c) {
        if (*c != ' ') { /* lanes 0 to 7: one digit each */
            putchar(*c);
        }
    }
}

int main(void) {
    static char text[2000];
    const ll_layout reads = ll_parse(
        "register: j0 j1 j2 | lane: i0 i1 i2 i3 i4 | warp: j3 j4");
    const ll_layout plain = ll_row_major(reads.out);
    show("Row-major", reads, plain);

    /* Swizzled for the reads alone: pass them as both arguments. */
    show("Swizzled for the reads", reads, ll_swizzle(reads, reads, 32, LL_SM90));

    /* Swizzled for reads and writes: the tile is written by rows. */
    const ll_layout writes = ll_rows(32, 32, 4);
    const ll_layout both = ll_swizzle(writes, reads, 32, LL_SM90);
    show("Swizzled for rows written and these reads", reads, both);
    printf("And the writes: %u wavefronts\n",
           ll_wavefronts(writes, both, 32, 16, LL_WRITE, LL_SM90));

    /* Can ldmatrix load a fragment of mma.sync from these memory layouts? */
    const ll_layout a = ll_ptx_mma_a(64, 64, 16, 4);
    ll_explain_matrix(a, ll_row_major(a.out), 16, LL_READ, LL_FORM_MATRIX,
                      LL_SM90, text, sizeof text);
    printf("Row-major, %s", text);
    ll_explain_matrix(a, ll_for_operand(a, 16, LL_SM90), 16, LL_READ,
                      LL_FORM_MATRIX, LL_SM90, text, sizeof text);
    printf("ll_for_operand, %s", text);
    ll_explain_matrix(a, ll_col_major(a.out), 16, LL_READ, LL_FORM_MATRIX,
                      LL_SM90, text, sizeof text);
    printf("Column-major, %s", text);
    return 0;
}
