/* 10_engine.c - which layouts should the values of a kernel have?
 * SPDX-License-Identifier: MIT
 *
 * A kernel is written as a graph, one operation a line. The engine prices each
 * access, each reduction and each conversion by its plan, and finds the layouts
 * that cost least, with a proof.
 *
 * Layer norm: each lane adds up parts of all 16 rows, which all warps share. The
 * root of the variance is dear. In the layout of the sums each lane would take
 * 16 of them, the same as all others. The engine converts the sums so that each
 * lane takes one, and converts the results back, which costs less.
 *
 * Attention: mma.sync wants its own layouts. q is converted once, before the
 * loop. k and v are converted in each turn, because loading them in the layout
 * of the operand would cost more. The probabilities are made in a layout that
 * is both the first product's result and the second one's operand: nothing
 * moves there. `made there` is what the graph would cost more if the value were
 * made in that layout in the first place.
 *
 * Build: cc -std=c11 -I. examples/10_engine.c -o 10_engine
 * Output:
 *     layer norm: 2287 cycles of a warp, the least that is possible; 2 conversions
 *     y: register: j0 j1 j9 i0 i1 i2 i3 | lane: j2 j3 j4 j5 j6 | warp: j7 j8
 *     convert v: 21 cycles, through shared memory
 *         to register: | lane: i0 i1 i2 i3 0 | warp: 0 0
 *         made there: 158 cycles more
 *     convert r1: 13 cycles, through shared memory
 *         to register: i0 i1 i2 i3 | lane: 0 0 0 0 0 | warp: 0 0 -> j=1 | i=16
 *         made there: 0 cycles more
 *     the proof is checked
 *     attention: 8332 cycles of a warp, the least that is possible; 4 conversions
 *     pv: register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, which fixed q wants
 *     o16: register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, which fixed q wants
 *     convert q: 36 cycles, through shared memory
 *         to register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, which fixed q wants
 *         made there: 100 cycles more
 *     convert kt: 1344 cycles in 16 runs, through shared memory
 *         to register: i0 i3 i4 i5 j3 j4 j5 | lane: i1 i2 j0 j1 j2 | warp: 0 0, which fixed kt wants
 *         made there: 0 cycles more
 *     convert v: 1344 cycles in 16 runs, through shared memory
 *         to register: i0 i3 i4 i5 j3 j4 j5 | lane: i1 i2 j0 j1 j2 | warp: 0 0, which fixed kt wants
 *         made there: 15424 cycles more
 *     convert o16: 36 cycles, through shared memory
 *         to register: j0 j1 j2 i4 i5 | lane: j3 j4 j5 i0 i1 | warp: i2 i3
 *         made there: 32 cycles more
 *     the proof is checked
 */
#define LL_ENGINE
#include "ll.h"
#include "ll_ptx.h"
#include <stdio.h>
#include <string.h>

static const char layer_norm[] =
    "x = load 16x1024:32 contiguous=1x1024 align=16\n"
    "s = reduce x axis=1\n"
    "s1 = expand s axis=1\n"
    "sb = broadcast s1 16x1024\n"
    "d = map x sb cost=2\n"
    "v = reduce d axis=1\n"
    "r = map v cost=8\n"
    "r1 = expand r axis=1\n"
    "rb = broadcast r1 16x1024\n"
    "y = map d rb\n"
    "store y contiguous=1x1024 align=16\n";

/* Operand A and the result have one layout, operand B another. */
#define C "register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5"
#define B "register: i0 i3 i4 i5 j3 j4 j5 | lane: i1 i2 j0 j1 j2 | warp: 0 0"

static const char attention[] =
    "q = load 64x64:16 contiguous=1x64 align=16\n"
    "zero = constant 64x64:32\n"
    "loop 16 acc = zero\n"
    "k = load 64x64:16 contiguous=1x64 align=16\n"
    "kt = trans k order=1x0\n"
    "start = constant 64x64:32\n"
    "qk = dot q kt start 64x64:32 in0=\"" C "\" in1=\"" B "\" in2=\"" C
    "\" out0=\"" C "\"\n"
    "m = reduce qk axis=1\n"
    "m1 = expand m axis=1\n"
    "mb = broadcast m1 64x64\n"
    "p = map qk mb cost=4\n"
    "p16 = map p 64x64:16\n"
    "v = load 64x64:16 contiguous=1x64 align=16\n"
    "pv = dot p16 v acc 64x64:32 in0=\"" C "\" in1=\"" B "\" in2=\"" C
    "\" out0=\"" C "\"\n"
    "yield pv -> o\n"
    "o16 = map o 64x64:16\n"
    "store o16 contiguous=1x64 align=16\n";

/* Prints the cost, and from the layouts of a value on the rest. */
static void find(const char *name, const char *text, const char *value) {
    static unsigned char memory[1 << 24];
    static ll_engine e;
    static char why[20000];
    ll_engine_begin(&e, memory, sizeof memory, LL_SM90, 4, 1);
    if (!ll_engine_parse(&e, text) || !ll_engine_solve(&e)) {
        ll_engine_error(&e, why, sizeof why);
        printf("%s\n", why);
        return;
    }
    ll_engine_explain(&e, why, sizeof why);
    printf("%s: %.*s%s", name, (int)strcspn(why, "\n"), why,
           strstr(why, value));
    printf("the proof is %s\n",
           ll_engine_check(&e) == LL_ENGINE_PROVEN ? "checked" : "refused");
}

int main(void) {
    find("layer norm", layer_norm, "\ny: ");
    find("attention", attention, "\npv: ");
    return 0;
}
