/* 10_engine.c - which layouts should the values of a kernel have?
 * SPDX-License-Identifier: MIT
 *
 * A kernel is a graph, one operation a line. The engine prices accesses,
 * reductions and conversions, and finds the layouts that cost least.
 *
 * Layer norm: each lane adds up parts of all 16 rows, which all warps share.
 * The root of the variance is expensive. In the layout of the sums each lane
 * would take 16 of them, the same as all others. The engine converts the sums
 * so that each lane takes one, and converts the results back, which costs less.
 *
 * Attention: `by=mma` gives the products the layouts of mma.sync, in any order
 * of k. In the order that is found for the first product q is loaded where it
 * is wanted, 16 bytes at a time, and not converted. k and v are converted in
 * each turn: loading k in the layout of the operand would cost as much, v far
 * more. The probabilities are made in a layout that is both the first product's
 * result and the second one's operand: nothing moves there. `next best` is what
 * the graph would cost more with another layout of a value that has a choice,
 * and `made there` if a value were made where it is converted to.
 *
 * Build: cc -std=c11 -I. examples/10_engine.c -o 10_engine
 * Output:
 *     layer norm: 2287 cycles of a warp, the least that is possible; 2 conversions
 *     convert v: 21 cycles, through shared memory
 *         to register: | lane: i0 i1 i2 i3 0 | warp: 0 0, coalesced for load x
 *         made there: 158 cycles more
 *     convert r1: 13 cycles, through shared memory
 *         to register: i0 i1 i2 i3 | lane: 0 0 0 0 0 | warp: 0 0 -> j=1 | i=16, coalesced for store y
 *         made there: 0 cycles more
 *     the proof is checked
 *     attention: 8296 cycles of a warp, the least that is possible; 3 conversions
 *     q: register: j0 i3 j1 j2 j5 | lane: j3 j4 i0 i1 i2 | warp: i4 i5, k as is best for dot qk
 *         next best: 0 cycles more: register: j0 i3 j2 j1 j5 | lane: j3 j4 i0 i1 i2 | warp: i4 i5, k as is best for dot qk
 *     acc: register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, which dot pv wants
 *     o: register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, which dot pv wants
 *     k: register: j0 j1 j2 i4 i5 | lane: j3 j4 j5 i0 i1 | warp: i2 i3, coalesced for load k
 *         next best: 1152 cycles more: register: i1 i2 i3 i4 i5 | lane: j0 j1 j2 j3 j4 | warp: j5 i0, coalesced for load k
 *     kt: register: i0 i1 i2 j4 j5 | lane: i3 i4 i5 j0 j1 | warp: j2 j3, coalesced for load k
 *     qk: register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, which dot qk wants
 *     m: register: i3 | lane: 0 0 i0 i1 i2 | warp: i4 i5, which dot qk wants
 *     m1: register: i3 | lane: 0 0 i0 i1 i2 | warp: i4 i5 -> j=1 | i=64, which dot qk wants
 *     mb: register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, which dot qk wants
 *     p: register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, which dot qk wants
 *     p16: register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, which dot pv wants
 *     v: register: j0 j1 j2 i4 i5 | lane: j3 j4 j5 i0 i1 | warp: i2 i3, coalesced for load v
 *         next best: 1152 cycles more: register: i1 i2 i3 i4 i5 | lane: j0 j1 j2 j3 j4 | warp: j5 i0, coalesced for load v
 *     pv: register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, which dot pv wants
 *     o16: register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, which dot pv wants
 *     convert kt: 1344 cycles in 16 runs, through shared memory
 *         to register: i0 i1 i2 i5 j3 j4 j5 | lane: i3 i4 j0 j1 j2 | warp: 0 0, k as is best for dot qk
 *         made there: 0 cycles more
 *     convert v: 1344 cycles in 16 runs, through shared memory
 *         to register: i0 i3 i4 i5 j3 j4 j5 | lane: i1 i2 j0 j1 j2 | warp: 0 0, which dot pv wants
 *         made there: 15424 cycles more
 *     convert o16: 36 cycles, through shared memory
 *         to register: j0 j1 j2 i4 i5 | lane: j3 j4 j5 i0 i1 | warp: i2 i3, coalesced for store o16
 *         made there: 32 cycles more
 *     the proof is checked
 */
#define LL_ENGINE
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

static const char attention[] =
    "q = load 64x64:16 contiguous=1x64 align=16\n"
    "zero = constant 64x64:32\n"
    "loop 16 acc = zero\n"
    "k = load 64x64:16 contiguous=1x64 align=16\n"
    "kt = trans k order=1x0\n"
    "start = constant 64x64:32\n"
    "qk = dot q kt start by=mma\n"
    "m = reduce qk axis=1\n"
    "m1 = expand m axis=1\n"
    "mb = broadcast m1 64x64\n"
    "p = map qk mb cost=4\n"
    "p16 = map p 64x64:16\n"
    "v = load 64x64:16 contiguous=1x64 align=16\n"
    "pv = dot p16 v acc by=mma\n"
    "yield pv -> o\n"
    "o16 = map o 64x64:16\n"
    "store o16 contiguous=1x64 align=16\n";

/* Prints the cost, and from the layouts of a value on the rest. */
static void find(const char *name, const char *text, const char *value) {
    static unsigned char memory[1 << 24];
    static ll_engine e;
    static char why[20000];
    ll_engine_begin(&e, memory, sizeof memory, LL_SM90, 4, 1);
    e.family = ll_ptx_dot;
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
    find("layer norm", layer_norm, "\nconvert v: ");
    find("attention", attention, "\nq: ");
    return 0;
}
