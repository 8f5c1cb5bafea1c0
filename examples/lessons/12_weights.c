/* 12_weights.c - how does the softmax result P feed the second GEMM (P V)
 * without leaving its registers?
 * SPDX-License-Identifier: MIT
 *
 * Attention is two GEMMs. The accumulators of Q K^T, scores of rows i and keys
 * j, become the probabilities P, which are operand A of P V; its k axis is the
 * same keys. If each lane already holds the elements of P that the fragment
 * wants of it, nothing moves.
 *
 * With 16 bits this is so: in accumulator and fragment, a lane of wgmma holds
 * columns 2 l and 2 l + 1 of eight. With 8 bits the fragment wants four
 * neighbours of a row, and the planner has to shuffle. But keys may be summed
 * in any order: ll_absorb finds the order of j in which every element of P is
 * already in its lane. The rows of V are numbered by the same keys; store V in
 * that order, once for all tokens that read it.
 *
 * Build: cc -std=c11 -I. examples/lessons/12_weights.c -o 12_weights
 * Output:
 *     Scores
 *       register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5
 *     Operand A, 16 bits
 *       register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5
 *     To it: nothing moves
 *     Operand A, 8 bits
 *       register: j0 j1 i3 j4 j5 | lane: j2 j3 i0 i1 i2 | warp: i4 i5
 *     To it: data stays in its warp, about 12 cycles per warp
 *       1. 8 selects reorder each lane's registers
 *       2. 8 shuffles exchange words between lanes
 *       3. 8 byte permutes reorder the bytes of each lane's registers
 *       next best: through shared memory, about 17 cycles per warp
 *     The order of keys that ll_absorb finds
 *       j: j0 j2 j3 j1 j4 j5
 *     To it in that order: data stays in its lane, about 5 cycles per warp
 *       1. 8 byte permutes reorder the bytes of each lane's registers
 *     Row 4 of V is stored as row 8
 */
#include "ll.h"
#include "ll_ptx.h"
#include <stdio.h>

static void show(const char *what, ll_layout a) {
    char text[400];
    ll_str(a, text, sizeof text);
    printf("%s\n  %s\n", what, text);
}

static void convert(const char *what, ll_layout a, ll_layout b, unsigned bits) {
    static char text[2000];
    ll_explain(ll_plan_of(a, b, bits, LL_SM90), text, sizeof text);
    printf("%s: %s", what, text);
}

int main(void) {
    /* A warpgroup holds the scores of 64 rows and 64 keys. */
    const ll_layout scores = ll_ptx_wgmma_d(64, 64, 4);
    show("Scores", scores);

    const ll_layout bf16 = ll_ptx_wgmma_a(64, 64, 16, 4);
    show("Operand A, 16 bits", bf16);
    convert("To it", scores, bf16, 16);

    const ll_layout fp8 = ll_ptx_wgmma_a(64, 64, 8, 4);
    show("Operand A, 8 bits", fp8);
    convert("To it", scores, fp8, 8);

    const ll_layout order = ll_absorb(scores, fp8, LL_J);
    show("The order of keys that ll_absorb finds", order);
    convert("To it in that order", ll_renumber(scores, LL_J, order), fp8, 8);

    /* V has one row per key. Key 4 of the scores moves to this row: */
    printf("Row 4 of V is stored as row %u\n", ll_apply(order, 4));
    return 0;
}
