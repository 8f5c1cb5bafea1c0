/* 10_engine.c - which layout should each tensor in my kernel have?
 * SPDX-License-Identifier: MIT
 *
 * Describe a kernel as a graph, one operation per line. The engine prices
 * memory accesses, reductions and conversions, and finds the cheapest layouts.
 *
 * Layer norm: each lane sums parts of all 16 rows. The square root of the
 * variance is expensive, and in the layout of the sums each lane would take all
 * 16. It is cheaper to convert them to one per lane, and back.
 *
 * Attention: `by=mma` gives the two GEMMs the layouts of mma.sync, in any order
 * of k. In the order found for Q K^T, q is loaded as the fragment, 16 bytes at
 * a time. k and v are converted in each iteration: loading k as a fragment
 * would cost as much, v far more. P is an operand of P V in the registers where
 * it is computed. o is converted to store full lines. `next best` is the extra
 * cost of another layout for a tensor, `made there` of computing it without
 * conversion.
 *
 * `by=wgmma` reads k and v from shared memory. TMA brings their tiles with the
 * swizzle that wgmma wants, and no lane holds them. q is stored there before
 * the loop; P stays in registers. `make engine` builds engine.c, which writes
 * the kernel of a graph: build/engine --help.
 *
 * Build: cc -std=c11 -I. examples/lessons/10_engine.c -o 10_engine
 * Output:
 *     layer norm: 1967 cycles per warp, optimal among the layouts tried; 2 conversions
 *     convert v: 21 cycles, through shared memory
 *         to register: | lane: i0 i1 i2 i3 0 | warp: 0 0, coalesced for load x
 *         made there: 158 cycles more in total, without the conversion
 *     convert r1: 13 cycles, through shared memory
 *         to register: i0 i1 i2 i3 | lane: 0 0 0 0 0 | warp: 0 0 -> j=1 | i=16, coalesced for store y
 *         made there: 0 cycles more in total, without the conversion
 *     the proof is checked
 *     attention: 6912 cycles per warp, optimal among the layouts tried; 3 conversions
 *     q: register: j0 i3 j1 j2 j5 | lane: j3 j4 i0 i1 i2 | warp: i4 i5, best order of k for dot qk
 *         next best: 0 cycles more: register: j0 i3 j2 j1 j5 | lane: j3 j4 i0 i1 i2 | warp: i4 i5, best order of k for dot qk
 *     p: register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5, required by dot pv
 *     convert o: 68 cycles, through shared memory
 *         to register: j0 j1 i3 i4 i5 | lane: j2 j3 j4 j5 i0 | warp: i1 i2, coalesced for store o
 *         made there: 2108 cycles more in total, without the conversion
 *     convert kt: 1344 cycles in 16 runs, through shared memory
 *         to register: i0 i1 i2 i5 j3 j4 j5 | lane: i3 i4 j0 j1 j2 | warp: 0 0, best order of k for dot qk
 *         made there: 0 cycles more in total, without the conversion
 *     convert v: 1344 cycles in 16 runs, through shared memory
 *         to register: i0 i3 i4 i5 j3 j4 j5 | lane: i1 i2 j0 j1 j2 | warp: 0 0, required by dot pv
 *         made there: 10880 cycles more in total, without the conversion
 *     the proof is checked
 *     on Hopper: 2052 cycles per warp, optimal among the layouts tried; 1 conversion
 *     dot qk reads q in shared memory, where it is stored: 20 cycles
 *     dot qk reads kt in shared memory, where tma_load k brings it
 *     dot pv reads p in registers
 *     dot pv reads v in shared memory, where tma_load v brings it
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

#define ATTENTION(LOAD, BY)                                                 \
    "q = load 64x64:16 contiguous=1x64 align=16\n"                          \
    "zero = constant 64x64:32\n"                                            \
    "loop 16 acc = zero\n"                                                  \
    "k = " LOAD "\n"                                                        \
    "kt = trans k order=1x0\n"                                              \
    "qk = dot q kt by=" BY "\n"                                             \
    "m = reduce qk axis=1\n"                                                \
    "m1 = expand m axis=1\n"                                                \
    "mb = broadcast m1 64x64\n"                                             \
    "p = map qk mb 64x64:16 cost=4\n"                                       \
    "v = " LOAD "\n"                                                        \
    "pv = dot p v acc by=" BY "\n"                                          \
    "yield pv -> o\n"                                                       \
    "store o contiguous=1x64 align=16\n"

/* Prints the cost, and lines that begin with one of the words. */
static void find(const char *name, const char *text, const char *words) {
    static unsigned char memory[1 << 24];
    static ll_engine e;
    static char why[20000];
    int on = 1;
    ll_engine_begin(&e, memory, sizeof memory, LL_SM90, 4, 1);
    e.family = ll_ptx_dot;
    if (!ll_engine_parse(&e, text) || !ll_engine_solve(&e)) {
        ll_engine_error(&e, why, sizeof why);
        puts(why);
        return;
    }
    ll_engine_explain(&e, why, sizeof why);
    printf("%s: ", name);
    for (char *s = strtok(why, "\n"); s; s = strtok(NULL, "\n")) {
        char word[20] = "";
        on = *s <= '9' || sscanf(s, "%19s", word) < 1 ? on
                                                      : !!strstr(words, word);
        printf(on ? "%s\n" : "", s);
    }
    printf("the proof is %s\n",
           ll_engine_check(&e) == LL_ENGINE_PROVEN ? "checked" : "refused");
}

int main(void) {
    find("layer norm", layer_norm, "convert");
    find("attention", ATTENTION("load 64x64:16 contiguous=1x64 align=16", "mma"),
         "q: p: convert");
    find("on Hopper", ATTENTION("tma_load 64x64:16", "wgmma"), "dot");
    return 0;
}
