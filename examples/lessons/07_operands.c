/* 07_operands.c - how does an 8-bit matrix become an operand of a 16-bit MMA?
 * SPDX-License-Identifier: MIT
 *
 * mma.sync multiplies 16-bit elements, but A has 8 bits per element in memory.
 * A layout counts elements, so A keeps its layout when registers convert it to
 * 16 bits. But then a lane holds only two neighbours of a row, and its loads
 * would have 2 bytes. Since k may be summed in any order, ll_preshuffle
 * renumbers k so that a lane's 16 elements are neighbours: one 16-byte load.
 * Either renumber both operands in the same way, or permute the stored one
 * once.
 *
 * With block scales, such as one per 32 elements of k, ll_scales_of says which
 * scales a lane needs, and ll_scales_each which scale each register takes.
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
    /* 64 x 128, four warps, as the fragment of a 16-bit mma.sync. */
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

    /* If A has 16 bits in memory: the layout for cp.async and ldmatrix, 16
     * bytes of a row at a time, without bank conflicts. */
    show("Memory for A of 16 bits", ll_for_operand(a, 16, LL_SM90));
    return 0;
}
