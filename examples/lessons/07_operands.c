/* 07_operands.c - how is an operand of mixed precision fed and scaled?
 * SPDX-License-Identifier: MIT
 *
 * The product is by mma.sync with 16 bits, and A lies in memory with 8 bits to
 * an element. A layout counts elements: converted to 16 bits in registers, A
 * keeps its layout. But a lane then holds only two neighbours of a row, so its
 * loads would have 2 bytes. Since k may be summed in any order, ll_preshuffle
 * renumbers k so that a lane's 16 elements are neighbours: one load of 16
 * bytes. Either both operands are renumbered in the same way, or the stored one
 * is permuted once.
 *
 * With block scales, such as one for each 32 elements of k, ll_scales_of says
 * which scales a lane needs, and ll_scales_each which one each register takes.
 *
 * Build: cc -std=c11 -I. examples/lessons/07_operands.c -o 07_operands
 * Output:
 *     Operand A
 *       register: j0 i3 j3 j4 j5 j6 | lane: j1 j2 i0 i1 i2 | warp: i4 i5
 *     Elements side by side in a lane: 2
 *     The new order of k
 *       j: j0 j4 j5 j1 j2 j3 j6
 *     A in that order
 *       register: j0 i3 j1 j2 j3 j6 | lane: j4 j5 i0 i1 i2 | warp: i4 i5
 *     Elements side by side in a lane: 16
 *     The scales that a lane needs
 *       register: i3 j1 | lane: 0 j0 i0 i1 i2 | warp: i4 i5
 *     The scale of each register
 *       register: 0 i3 0 0 0 j1 | lane: 0 j0 i0 i1 i2 | warp: i4 i5
 *     Memory for A of 16 bits
 *       offset: j0 j1 j2 j3 j4 j5 i3 i5 i4 j6 j3^i0 j4^i1 j5^i2
 */
#include "ll.h"
#include "ll_ptx.h"
#include <stdio.h>

static void show(const char *what, ll_layout a) {
    char text[400];
    ll_str(a, text, sizeof text);
    printf("%s\n  %s\n", what, text);
}

int main(void) {
    /* 64 x 128, four warps, in the registers of a product with 16 bits. */
    const ll_layout a = ll_ptx_mma_a(64, 128, 16, 4);
    show("Operand A", a);
    printf("Elements side by side in a lane: %u\n", ll_vector(a, 16));

    const ll_layout order = ll_preshuffle(a, LL_J, 16);
    const ll_layout shuffled = ll_renumber(a, LL_J, order);
    show("The new order of k", order);
    show("A in that order", shuffled);
    printf("Elements side by side in a lane: %u\n", ll_vector(shuffled, 16));

    show("The scales that a lane needs", ll_scales_of(shuffled, LL_J, 32));
    show("The scale of each register", ll_scales_each(shuffled, LL_J, 32));

    /* With 16 bits in memory: the layout that feeds A by cp.async and ldmatrix,
     * 16 bytes of a row at a time, without bank conflicts. */
    show("Memory for A of 16 bits", ll_for_operand(a, 16, LL_SM90));
    return 0;
}
