/* 01_layout_a.c - which element does register 1 of lane 9 hold?
 * SPDX-License-Identifier: MIT
 *
 * The paper's first example, layout A: two warps hold a 16 x 16 tensor. Each
 * lane has 2 x 2 registers, the lanes of a warp form a 4 x 8 grid, and the
 * second warp holds the lower half. The lesson writes the layout as text, looks
 * elements up in both directions, tests how wide a vector access can be, and
 * plans the conversion to the transpose.
 *
 * Build: cc -std=c11 -I. examples/lessons/01_layout_a.c -o 01_layout_a
 * Output:
 *     Layout A
 *       register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3
 *     Equal to the layout built from block sizes: yes
 *     Register 1 of lane 9 holds row 2, column 3
 *     Row 3, column 2 is in register 2 of lane 9 of warp 0
 *     Divided by two elements of a row
 *       register: i0 | lane: j0 j1 j2 i1 i2 | warp: i3
 *     Divided by four
 *       the layout is not block diagonal on the tile
 *     After summing over j
 *       register: i0 | lane: 0 0 0 i1 i2 | warp: i3
 *     Lanes that differ in the bits of 7 hold the same sum
 *     The transpose
 *       register: i0 j0 | lane: i1 i2 i3 j1 j2 | warp: j3
 *     The conversion: data goes through shared memory, 512 bytes, about 8 cycles per warp
 *       1. each lane stores 4 elements to shared memory in 1 access of 8 bytes, 2 wavefronts: no bank conflicts
 *       2. __syncthreads()
 *       3. each lane loads 4 elements from shared memory in 1 access of 8 bytes, 2 wavefronts: no bank conflicts
 *       4. 2 byte permutes reorder the bytes of each lane's registers
 *       memory offset: j0 i0 j1 j2 j3 i1 j2^i2 j3^i3
 *       optimal: no shared-memory layout needs fewer wavefronts for vector accesses
 *     ll: sums: the matrix is singular, so it has no inverse
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
    static char text[4000];

    /* Bit 0 of the register is bit 0 of column j, bit 1 is bit 0 of row i, .. */
    const ll_layout a = ll_parse(
        "register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3");
    show("Layout A", a);

    /* The same layout from the sizes of its blocks. */
    const ll_layout blocked = ll_blocked(
        ll_shape_of("j=16 i=16"), ll_shape_of("j=2 i=2"),
        ll_shape_of("j=8 i=4"), ll_shape_of("i=2"));
    printf("Equal to the layout built from block sizes: %s\n",
           ll_is_equal(a, blocked) ? "yes" : "no");

    /* Register, lane and warp are packed into one word; row and column too. */
    unsigned place = ll_pack(a.in, LL_REGISTER, 1) | ll_pack(a.in, LL_LANE, 9);
    unsigned element = ll_apply(a, place);
    printf("Register 1 of lane 9 holds row %u, column %u\n",
           ll_unpack(a.out, LL_I, element), ll_unpack(a.out, LL_J, element));

    /* The inverse tells which register, lane and warp holds row 3, column 2. */
    element = ll_pack(a.out, LL_I, 3) | ll_pack(a.out, LL_J, 2);
    place = ll_apply(ll_inv(a), element);
    printf("Row 3, column 2 is in register %u of lane %u of warp %u\n",
           ll_unpack(a.in, LL_REGISTER, place), ll_unpack(a.in, LL_LANE, place),
           ll_unpack(a.in, LL_WARP, place));

    /* A lane can load two elements of a row at once if the layout of the pair
     * divides the layout. */
    show("Divided by two elements of a row",
         ll_div(a, ll_parse("register: j0")));
    show("Divided by four", ll_div(a, ll_parse("register: j0 j1")));

    /* The layout of the row sums: which lanes hold copies of the same sum? */
    const ll_layout sums = ll_reduce(a, LL_J);
    show("After summing over j", sums);
    printf("Lanes that differ in the bits of %u hold the same sum\n",
           ll_unpack(sums.in, LL_LANE, ll_free_bits(sums)));

    /* Convert to the transpose, held by the same registers, lanes and warps. */
    const ll_layout b = ll_trans(a, "j i");
    show("The transpose", b);
    ll_explain(ll_plan_of(a, b, 16, LL_SM90), text, sizeof text);
    printf("The conversion: %s", text);

    /* A layout that does not exist is a value that carries an error. */
    ll_error("sums", ll_inv(sums), text, sizeof text);
    printf("%s\n", text);
    return 0;
}
