/* ---- Making layouts --------------------------------------------------- */
#ifndef LL_LAYOUT_MAKE_H
#define LL_LAYOUT_MAKE_H

#include "../base/types.h"

/* Layouts are made from names and sizes, from text (see the guide), or column
 * by column. ll_parse reads what ll_str writes. */

/* ll_dim_of(name): returns the dimension of that name; 0 if null or not valid.
 * Example: ll_dim_of("lane") is LL_LANE;
 * Example: ll_dim_of("2nd") is 0;
 */
LL_FN ll_dim ll_dim_of(const char *name) {
    const unsigned n = name ? ll_name_length_(name) : 0u;
    return !name || name[n] ? 0 : ll_dim_read_(name, n);
}

/* Private: returns the shape with dimension d of `bits` bits appended. */
LL_FN ll_shape ll_shape_add_(ll_shape s, ll_dim d, unsigned bits) {
    int err = d == 0                                          ? LL_ENAME
              : bits == LL_NO_BITS_                           ? LL_ESIZE
              : ll_shape_find_(&s, d) < s.n                   ? LL_ETWICE
              : s.n >= LL_MAX_DIMS                            ? LL_EDIMS
              : ll_shape_start_(&s, s.n) + bits > LL_MAX_BITS ? LL_EBITS
                                                              : LL_OK;
    if (!s.err && !err) {
        s.dim[s.n] = d;
        s.bits[s.n] = (unsigned short)bits;
        ++s.n;
    }
    return ll_shape_bad_(s, (unsigned)err);
}

/* ll_with(s, d, size): returns the shape s with dimension d appended as the
 * slowest. Fails with LL_ESIZE, LL_ENAME, LL_ETWICE, LL_EDIMS or LL_EBITS.
 * Example: ll_with(ll_shape_of("j=4"), LL_I, 2) is ll_shape_of("j=4 i=2");
 */
LL_FN ll_shape ll_with(ll_shape s, ll_dim d, unsigned size) {
    const int before = s.err != LL_OK;
    s = ll_shape_add_(s, d, ll_log2_(size));
    s.value = s.err == LL_ESIZE && !before ? size : s.value;
    return s;
}

/* Private: reads a decimal number and moves *p past it. For a number above
 * 2^32, returns some value above 2^32. */
LL_FN unsigned long long ll_text_number_(const char *s, unsigned *p) {
    unsigned long long x = 0;
    while (ll_is_digit_(s[*p])) {
        x = x > 1ull << 32 ? x : x * 10u + (unsigned)(s[*p] - '0');
        ++*p;
    }
    return x;
}

LL_FN void ll_text_blank_(const char *s, unsigned *p) {
    while (s[*p] == ' ' || s[*p] == '\n' || s[*p] == '\t') {
        ++*p;
    }
}

/* ll_shape_of(text): returns the shape that a text describes, fastest dimension
 * first. A name without a size (`lane` instead of `lane=32`) has size 1, so
 * this function also reads lists of names. Fails with LL_ETEXT, LL_ESIZE,
 * LL_ENAME, LL_ETWICE, LL_EDIMS or LL_EBITS, and with LL_ENULL if text is null.
 * Example: ll_shape_of("j=4 i=2").n is 2;
 * Example: ll_shape_of("lane warp").dim[1] is LL_WARP;
 * Example: ll_shape_of("i=3").err is LL_ESIZE;
 */
LL_FN ll_shape ll_shape_of(const char *text) {
    ll_shape s = LL_ZERO;
    unsigned p = 0;
    if (!text) {
        return ll_shape_bad_(s, LL_ENULL);
    }
    ll_text_blank_(text, &p);
    while (text[p] && !s.err) {
        unsigned n = ll_name_length_(text + p);
        ll_dim d = ll_dim_read_(text + p, n);
        unsigned long long size = 1;
        unsigned bits = 0;
        p += n;
        if (text[p] == '=') {
            ++p;
            size = ll_text_number_(text, &p);
            bits = ll_log2_(size);
        }
        s = n ? ll_shape_add_(s, d, bits) : ll_shape_bad_(s, LL_ETEXT);
        s.value = s.err != LL_ESIZE ? 0u : size >> 32 ? ~0u : (unsigned)size;
        ll_text_blank_(text, &p);
    }
    return s;
}

/* ll_axis(k): returns the name of axis k: i, j, .. to x; 0 for k above 15.
 * Example: ll_axis(1) is LL_J;
 */
LL_FN ll_dim ll_axis(unsigned k) {
    return k < LL_MAX_DIMS ? LL_I + ((ll_dim)k << 54) : 0;
}

/* ll_tensor(rank, sizes): returns the shape of a tensor with the axes i, j, ..
 * `sizes` is an array, slowest axis first, as in an array declaration. For
 * known sizes, ll_shape_of("j=64 i=64") is shorter. Fails with LL_ESIZE,
 * LL_EBITS, LL_ENULL, and with LL_ENAME for more than 16 axes. */
LL_FN ll_shape ll_tensor(unsigned rank, const unsigned *sizes) {
    ll_shape s = LL_ZERO;
    s.err = rank && !sizes ? LL_ENULL : LL_OK;
    for (unsigned k = rank; k-- > 0 && sizes;) {
        s = ll_with(s, ll_axis(k), sizes[k]);
    }
    return s;
}

/* Private: returns the place of dimension d in a packed word; no bits if s has
 * no such dimension. The loop has a fixed length, so that in a kernel it is
 * unrolled and a constant shape leaves literals. */
typedef struct ll_field_ {
    unsigned start, bits;
} ll_field_;

LL_FN ll_field_ ll_shape_named_(const ll_shape s, ll_dim d) {
    ll_field_ f = LL_ZERO;
    unsigned found = 0;
    LL_UNROLL
    for (unsigned k = 0; k < LL_MAX_DIMS; ++k) {
        const unsigned bits = k < s.n ? s.bits[k] : 0u;
        const unsigned is = k < s.n && s.dim[k] == d;
        f.bits = is && !found ? bits : f.bits;
        found |= is;
        f.start += found ? 0u : bits;
    }
    return f;
}

/* ll_pack(s, d, x): returns the packed word with dimension d equal to x and all
 * others 0. ll_unpack(s, d, word): returns the value of dimension d in a packed
 * word. Both return 0 if s has no dimension d.
 * Example: ll_pack(ll_shape_of("j=4 i=2"), LL_I, 1) is 4;
 * Example: ll_unpack(ll_shape_of("j=4 i=2"), LL_J, 7) is 3;
 */
LL_FN unsigned ll_pack(ll_shape s, ll_dim d, unsigned x) {
    const ll_field_ f = ll_shape_named_(s, d);
    return ll_shift_(x & ll_ones_(f.bits), f.start);
}

LL_FN unsigned ll_unpack(ll_shape s, ll_dim d, unsigned word) {
    const ll_field_ f = ll_shape_named_(s, d);
    return ll_shift_down_(word, f.start) & ll_ones_(f.bits);
}

/* ll_size(s, d): returns the size of dimension d; 1 if absent, 0 for 2^32.
 * Example: ll_size(ll_shape_of("j=4 i=2"), LL_J) is 4;
 */
LL_FN unsigned ll_size(ll_shape s, ll_dim d) {
    unsigned k = ll_shape_find_(&s, d);
    return k < s.n ? ll_shift_(1u, s.bits[k]) : 1u;
}

/* ll_zero(in, out): returns the layout that maps every input to element 0. To
 * make a layout from numbers, fill in basis[] and offset, then call ll_check.
 * Example: ll_zero(ll_shape_of("lane=2"), ll_shape_of("i=2")) is
 *          L("lane: 0 -> i=2");
 */
LL_FN ll_layout ll_zero(ll_shape in, ll_shape out) {
    ll_layout a = LL_ZERO;
    a.in = in;
    a.out = out;
    return ll_layout_bad_shape_(ll_layout_bad_shape_(a, &in), &out);
}

/* ll_check(a): returns a, with an error if its parts do not fit together. It
 * checks that names are valid and distinct, that there are not too many
 * dimensions or bits, and that the columns lie within the output sizes. Call it
 * for layouts filled in by hand: other functions do not check. Fails with
 * LL_ENAME, LL_ETWICE, LL_EDIMS, LL_EBITS or LL_ERANGE. */
LL_FN ll_layout ll_check(ll_layout a) {
    for (unsigned side = 0; side < 2u; ++side) {
        const ll_shape s = side ? a.out : a.in;
        ll_shape again = LL_ZERO;
        if (s.n > LL_MAX_DIMS) {
            return ll_layout_bad_(a, LL_EDIMS);
        }
        for (unsigned k = 0; k < s.n; ++k) {
            again = s.bits[k] > 32u ? ll_shape_bad_(again, LL_EBITS)
                                    : ll_shape_add_(again, s.dim[k], 0);
        }
        a = ll_layout_bad_(a, again.err);
        if (a.err || ll_shape_start_(&s, s.n) > LL_MAX_BITS) {
            return ll_layout_bad_(a, LL_EBITS);
        }
    }
    unsigned all = a.offset;
    for (unsigned k = 0; k < ll_shape_bits_(&a.in); ++k) {
        all |= a.basis[k];
    }
    return all & ~ll_ones_(ll_shape_bits_(&a.out))
               ? ll_layout_bad_(a, LL_ERANGE)
               : a;
}

/* ll_strided(size, stride, in, out): returns the layout x -> stride * x.
 * ll_identity(size, in, out): the same with stride 1. ll_zeros(size, in, out,
 * out_size): returns the layout that maps every input to 0, as in a broadcast.
 * Fail with LL_ESIZE, LL_ESTEP (the stride is not a power of two), LL_EBITS
 * (the elements need more than 32 bits).
 * Example: ll_strided(4, 2, LL_LANE, LL_I) is L("lane: i1 i2");
 * Example: ll_identity(4, LL_LANE, LL_I) is L("lane: i0 i1");
 * Example: ll_zeros(4, LL_LANE, LL_I, 2) is L("lane: 0 0 -> i=2");
 * Example: ll_identity(3, LL_LANE, LL_I).err is LL_ESIZE;
 */
LL_FN ll_layout ll_strided(unsigned size, unsigned stride, ll_dim in,
                           ll_dim out) {
    const ll_shape none = LL_ZERO;
    unsigned n = ll_log2_(size);
    unsigned by = ll_log2_(stride);
    if (n >= 32u || by >= 32u) {
        return n >= 32u ? ll_layout_bad_value_(ll_layout_none_(LL_OK), LL_ESIZE,
                                               size)
                        : ll_layout_bad_value_(ll_layout_none_(LL_OK), LL_ESTEP,
                                               stride);
    }
    if (n + by > 32u) {
        return ll_layout_none_(LL_EBITS);
    }
    ll_layout a =
        ll_zero(ll_shape_add_(none, in, n), ll_shape_add_(none, out, n + by));
    for (unsigned k = 0; k < n && !a.err; ++k) {
        a.basis[k] = 1u << (k + by);
    }
    return a;
}

LL_FN ll_layout ll_identity(unsigned size, ll_dim in, ll_dim out) {
    return ll_strided(size, 1, in, out);
}

LL_FN ll_layout ll_zeros(unsigned size, ll_dim in, ll_dim out,
                         unsigned out_size) {
    const ll_shape none = LL_ZERO;
    return ll_zero(ll_with(none, in, size), ll_with(none, out, out_size));
}

#endif
