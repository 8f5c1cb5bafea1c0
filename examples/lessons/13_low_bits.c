/* 13_low_bits.c - in which order should I pack 4-bit weights, so that few
 * instructions dequantise them?
 * SPDX-License-Identifier: MIT
 *
 * A 32-bit word holds eight 4-bit numbers. A GEMM in f16 wants them in four
 * words, two per word. One lop3 masks two numbers and puts them below an
 * exponent, which makes them f16 numbers; if they are too high in the word for
 * the mantissa, a shift comes first. In plain order numbers 0 and 1 are
 * neighbours, and no single mask can bring them to the two halves of a word.
 *
 * The order of the bits in the word is a layout, from the offset of a bit to
 * the bit of an element. ll_ptx_twiddled tries all orders of the five bits of
 * that offset and returns the one with the fewest instructions; store the
 * weights in that order. ll_ptx_untwiddle returns its shifts and masks, and a
 * kernel unpacks by LL_CAST(wide, word, ll_f16, LL_TWIDDLED(ll_s4, ORDER)).
 *
 * A mask does not extend the sign. Store signed numbers with their sign bit
 * flipped, which adds 8: x ^ 0x88888888 does so in any order of whole numbers.
 * The fma that removes the exponent then subtracts 1024 + 8 instead of 1024, so
 * signed numbers cost no more.
 *
 * A kernel that has the numbers in registers packs them by LL_CAST(word,
 * number, ll_s4, ll_s8), if register p holds the number of place p in the word.
 * If the bits of a number stay together, that order is a part of the layout.
 *
 * Build: cc -std=c11 -I. examples/lessons/13_low_bits.c -o 13_low_bits
 * Output:
 *     Plain, to f16: offset: bit0 bit1 e0 e1 e2
 *       some word takes more than a shift and a lop3
 *     The best, to f16: offset: bit0 bit1 e1 e2 e0 -> bit=4 | e=8
 *       5 instructions for 4 words
 *       word 0: x >> 0 & 0x000f000f, numbers times 1
 *       word 1: x >> 0 & 0x00f000f0, numbers times 16
 *       word 2: x >> 8 & 0x000f000f, numbers times 1
 *       word 3: x >> 8 & 0x00f000f0, numbers times 16
 *     The best, to 8 bits: offset: bit0 bit1 e2 e0 e1 -> bit=4 | e=8
 *       2 instructions for 2 words
 *       word 0: x >> 0 & 0x0f0f0f0f, numbers times 1
 *       word 1: x >> 0 & 0xf0f0f0f0, numbers times 16
 *     Packed by registers, register: e1 e2 e0: 0x230c8f71, as bit by bit
 *     0xab8407f9, stored with flipped signs, is 1 -4 7 0 -1 3 -8 2
 */
#include "ll.h"
#include "ll_ptx.h"
#include <stdio.h>

/* to: bits of an unpacked number. room: how many of its lowest bits may hold
 * the packed one; the mantissa of an f16 has 10. */
static void show(const char *what, ll_layout storage, unsigned to,
                 unsigned room) {
    char text[400];
    const ll_ptx_twiddle t = ll_ptx_untwiddle(storage, to, room);
    ll_str(storage, text, sizeof text);
    printf("%s: %s\n", what, text);
    if (t.err) {
        printf("  %s\n", t.err == LL_EUNPACK
                             ? "some word takes more than a shift and a lop3"
                             : "no such storage");
        return;
    }
    printf("  %u instructions for %u words\n", t.instructions, t.words);
    for (unsigned k = 0; k < t.words; ++k) {
        printf("  word %u: x >> %d & 0x%08x, numbers times %u\n", k, t.shift[k],
               t.mask[k], 1u << t.at[k]);
    }
}

/* Puts eight numbers into a word, bit by bit. */
static unsigned packed(ll_layout storage, const int *number) {
    unsigned word = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
        const unsigned at = ll_apply(storage, bit);
        const unsigned e = ll_unpack(storage.out, ll_dim_of("e"), at);
        const unsigned b = ll_unpack(storage.out, ll_dim_of("bit"), at);
        word |= ((unsigned)number[e] >> b & 1u) << bit;
    }
    return word;
}

int main(void) {
    const int number[8] = {1, -4, 7, 0, -1, 3, -8, 2};
    const ll_layout plain = ll_parse("offset: bit0 bit1 e0 e1 e2");
    show("Plain, to f16", plain, 16, 10);

    const ll_layout best = ll_ptx_twiddled(4, 16, 10);
    show("The best, to f16", best, 16, 10);
    show("The best, to 8 bits", ll_ptx_twiddled(4, 8, 8), 8, 8);

    /* Packed by registers: place p holds number order(p). */
    const ll_layout places =
        ll_reshape_in(best, ll_shape_of("place=4 register=8"));
    const ll_layout order = ll_sub(places, "register", "e");
    char text[100];
    unsigned word = 0;
    for (unsigned p = 0; p < 8; ++p) {
        word |= ((unsigned)number[ll_apply(order, p)] & 15u) << 4 * p;
    }
    ll_str(order, text, sizeof text);
    printf("Packed by registers, %s: 0x%08x, %s\n", text, word,
           word == packed(best, number) ? "as bit by bit" : "wrong");

    /* Unpack: two numbers per word, divided by their factor, minus 8. */
    const ll_ptx_twiddle t = ll_ptx_untwiddle(best, 16, 10);
    const unsigned x = word ^ 0x88888888u;
    printf("0x%08x, stored with flipped signs, is", x);
    for (unsigned k = 0; k < t.words; ++k) {
        const unsigned moved = t.shift[k] < 0 ? x << -t.shift[k]
                                              : x >> t.shift[k];
        const unsigned two = moved & t.mask[k];
        printf(" %d %d", (int)((two & 0xffff) >> t.at[k]) - 8,
               (int)(two >> 16 >> t.at[k]) - 8);
    }
    printf("\n");
    return 0;
}
