/* ---- Unpacking words of small numbers --------------------------------- */
#ifndef LL_PTX_TWIDDLE_H
#define LL_PTX_TWIDDLE_H

#include "../ll/layout/solve.h"
#include "base.h"

/* How to unpack a word of small numbers. Word k of the result is (x >> shift[k]
 * & mask[k]) | (any constant): one lop3, and a shift if shift[k] is not 0; a
 * negative shift[k] shifts to the left. Its numbers, in the order of their
 * elements, then start at bit at[k] of their containers, so they are 2^at[k]
 * times too large. */
typedef struct ll_ptx_twiddle {
    unsigned err;
    unsigned words, instructions;
    int shift[8];
    unsigned mask[8], at[8];
} ll_ptx_twiddle;

/* Private: returns the place in the word of bit `bit` of element e. */
LL_FN int ll_ptx_bit_at_(const ll_layout *x, unsigned e, unsigned bit) {
    return (int)ll_apply(*x, ll_pack(x->in, ll_dim_of("e"), e) ^
                                 ll_pack(x->in, ll_dim_of("bit"), bit));
}

/* Private: returns how many bits above their containers the numbers of word k
 * lie; 99 if this is not the same for all of them. */
LL_FN int ll_ptx_above_(const ll_layout *x, unsigned bits, unsigned to,
                        unsigned k) {
    const unsigned each = 32u / to;
    const int above = ll_ptx_bit_at_(x, k * each, 0);
    for (unsigned n = 0; n < each * bits; ++n) {
        const unsigned e = n / bits, bit = n % bits;
        if (ll_ptx_bit_at_(x, k * each + e, bit) !=
            above + (int)(e * to + bit)) {
            return 99;
        }
    }
    return above;
}

/* Private: sets shift, at and mask of each word of t that is not in the set
 * `done` and fits its containers after this shift. Returns the set of these
 * words. */
LL_FN unsigned ll_ptx_serve_(ll_ptx_twiddle *t, const int *above, unsigned done,
                             int shift, unsigned bits, unsigned to_bits,
                             unsigned room) {
    unsigned served = 0;
    for (unsigned k = 0; k < t->words; ++k) {
        const int at = above[k] - shift;
        if (!(done >> k & 1u) && at >= 0 && at <= (int)(room - bits)) {
            t->shift[k] = shift;
            t->at[k] = (unsigned)at;
            served |= 1u << k;
            for (unsigned e = 0; e < 32u / to_bits; ++e) {
                t->mask[k] |= ((1u << bits) - 1u)
                              << (e * to_bits + (unsigned)at);
            }
        }
    }
    return served;
}

/* ll_ptx_untwiddle(storage, to_bits, room): returns how to unpack a word into
 * containers of to_bits. storage is a layout offset -> bit, e: bit `offset` of
 * the word is bit `bit` of element e. A number may start above bit 0 of its
 * container if it ends within the lowest `room` bits: 10 for f16 and 7 for
 * bf16, which are the bits of the mantissa, to_bits for integers. The caller
 * divides by the factor 2^at[k]; an fma that subtracts a constant does so at no
 * cost. The result has the fewest instructions of this form.
 * ll_ptx_twiddled(bits, to_bits, room): returns the storage of elements of 2 or
 * 4 bits that takes the fewest instructions, out of all orders of the five bits
 * of the offset. Source (sm_75): lop3 and shifts; tests/test_ptx.c compares
 * with all orders of the numbers, and with every bit of a word. Fail with
 * LL_ETWIDDLE (sizes), LL_EMATCH (no such layout), LL_EUNPACK (a word would
 * need more than one lop3). LL_CAST unpacks LL_TWIDDLED words in a kernel.
 * Example: ll_ptx_untwiddle(ll_ptx_twiddled(4, 16, 10), 16, 10).instructions
 *          is 5;
 * Example: ll_ptx_untwiddle(ll_ptx_twiddled(4, 8, 8), 8, 8).instructions is 2;
 * Example: ll_ptx_untwiddle(L("offset: bit0 bit1 e0 e1 e2"), 16, 10).err
 *          is LL_EUNPACK;
 */
LL_FN ll_ptx_twiddle ll_ptx_untwiddle(ll_layout storage, unsigned to_bits,
                                      unsigned room) {
    ll_ptx_twiddle t = LL_ZERO;
    const ll_layout x = ll_inv(storage);
    const unsigned bits = ll_size(x.in, ll_dim_of("bit"));
    int above[8] = LL_ZERO;
    t.err = x.err || x.offset ? (unsigned)LL_EMATCH
            : ll_shape_bits_(&x.in) != 5u ||
                    ll_size(x.in, ll_dim_of("e")) * bits != 32u
                ? (unsigned)LL_EMATCH
            : (to_bits != 8u && to_bits != 16u) || bits < 2u ||
                    bits >= to_bits || room < bits || room > to_bits
                ? (unsigned)LL_ETWIDDLE
                : (unsigned)LL_OK;
    t.words = t.err ? 0u : to_bits / bits;
    for (unsigned k = 0; k < t.words && !t.err; ++k) {
        above[k] = ll_ptx_above_(&x, bits, to_bits, k);
        t.err = above[k] == 99 ? (unsigned)LL_EUNPACK : t.err;
    }
    /* the lowest word first: its shift serves all words that then fit */
    unsigned done = 0;
    t.instructions = t.err ? 0u : t.words;
    for (unsigned step = 0; step <= t.words && !t.err; ++step) {
        int shift = 0; /* first the words that need none */
        for (unsigned k = 0; k < t.words && step; ++k) {
            const int first = !(done >> k & 1u);
            shift = first && (shift == 0 || above[k] < shift) ? above[k]
                                                              : shift;
        }
        const unsigned served = ll_ptx_serve_(&t, above, done, shift, bits,
                                              to_bits, room);
        t.instructions += step && served;
        done |= served;
    }
    return t;
}

LL_FN ll_layout ll_ptx_twiddled(unsigned bits, unsigned to_bits,
                                unsigned room) {
    const ll_shape none = LL_ZERO;
    const unsigned log = ll_log2_(bits);
    if (log > 2u) {
        return ll_layout_none_(LL_ETWIDDLE);
    }
    ll_shape out = ll_shape_add_(none, ll_dim_of("bit"), log);
    out = ll_shape_add_(out, ll_dim_of("e"), 5u - log);
    ll_layout best = ll_layout_none_(LL_ETWIDDLE);
    unsigned fewest = ~0u;
    for (unsigned order = 0; order < 120u; ++order) {
        ll_layout a = ll_zero(ll_shape_add_(none, LL_OFFSET, 5), out);
        unsigned left[5] = LL_ZERO;
        unsigned rest = order;
        for (unsigned k = 0; k < 5u; ++k) {
            left[k] = 1u << k;
        }
        for (unsigned k = 0; k < 5u; ++k) {
            const unsigned at = rest % (5u - k);
            rest /= 5u - k;
            a.basis[k] = left[at];
            for (unsigned m = at; m < 4u; ++m) {
                left[m] = left[m + 1u];
            }
        }
        const ll_ptx_twiddle t = ll_ptx_untwiddle(a, to_bits, room);
        best = !t.err && t.instructions < fewest ? a : best;
        fewest = !t.err && t.instructions < fewest ? t.instructions : fewest;
    }
    return best;
}

#endif
