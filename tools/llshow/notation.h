/* notation.h - reads layouts and targets that a user types, for llshow.c, the
 * viewer and the Python package.
 * SPDX-License-Identifier: MIT
 *
 * A layout is text of ll.h, an attribute of Triton, alone or in a type, text of
 * CuTe, or the name of a family with its numbers: `rows(64, 64, 4)`. Around any
 * of them, `trans(..)` exchanges rows and columns, and `inv(..)` inverts;
 * `swizzle(A, B)` is the best memory for stores by A and loads by B. This file
 * includes only the headers.
 */
#ifndef NOTATION_H
#define NOTATION_H

#include "tensor_type.h"

enum { NOTATION_ROOM = 4000, NOTATION_DEPTH = 16 };

/* A layout that was read. f: the layout, its error, pads, and the bits of an
 * element; bits 0: the text does not say them. typed: 1 in a type, which has a
 * shape; bare: 1 for an attribute of Triton that has none. swizzle: 1 if bits
 * and target matter. part: 1 for a view of a memory that is the layout of the
 * whole allocation. turned: 1 if rows and columns are yet to be exchanged.
 * differ: two sizes of an element in one text, or 0. assumed: 1 if 32 bits
 * were taken for a swizzle. global: 1 for global memory. compact: the shape and
 * strides of text of CuTe that has no strides. */
typedef struct notation {
    ll_foreign f;
    unsigned typed, bare, swizzle, part, turned;
    unsigned differ[2];
    unsigned assumed, global;
    char compact[200];
} notation;

/* What a text is read for. rank, sizes: the shape of attributes; bits: of an
 * element, for swizzle(A, B), if the text does not say them; 0: 32. */
typedef struct notation_for {
    unsigned rank;
    const unsigned *sizes;
    unsigned bits;
    ll_target target;
} notation_for;

static inline notation notation_wrong(unsigned at, const char *why) {
    notation n = LL_ZERO;
    n.f = notation_bad(at, why);
    return n;
}

/* Returns the element bits of two texts; 0 if neither says them. Sets *differ to
 * 1 if they differ, else to 0. */
static inline unsigned notation_common(unsigned a, unsigned b, int *differ) {
    *differ = a && b && a != b;
    return a ? a : b;
}

/* Writes that two texts say different sizes of an element: "A has elements of
 * 16 bits, but B has elements of 32 bits". */
static inline void notation_differ(ll_writer_ *w, const char *one, unsigned a,
                                   const char *other, unsigned b) {
    ll_write_(w, one);
    ll_write_(w, " has elements of ");
    ll_write_count_(w, a, "bit");
    ll_write_(w, ", but ");
    ll_write_(w, other);
    ll_write_(w, " has elements of ");
    ll_write_count_(w, b, "bit");
}

/* Writes the error of a text, as ll_foreign_error does. */
static inline unsigned notation_error(const char *name, const notation *n,
                                      char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (!n->differ[0]) {
        return ll_foreign_error(name, n->f, buf, size);
    }
    ll_write_(&w, "ll: ");
    ll_write_(&w, name);
    ll_write_(&w, ": ");
    notation_differ(&w, n->swizzle ? "A" : "the type", n->differ[0],
                    n->swizzle ? "B" : "its attribute", n->differ[1]);
    return w.len;
}

/* Returns the start of a text: after `memory`, as in a line of ll_explain. */
static inline unsigned notation_memory(const char *text) {
    const unsigned p = notation_blank(text, 0);
    const unsigned n = ll_name_length_(text + p);
    const unsigned next = notation_blank(text, p + n);
    return notation_is(text + p, n, "memory") && next > p + n ? next : p;
}

/* Returns the position after the parenthesis that closes the one at p, outside
 * comments; 0 if there is none. */
static inline unsigned notation_closed(const char *s, unsigned p) {
    unsigned open = 0;
    while (s[p]) {
        const unsigned over = type_comment(s, p);
        open += s[p] == '(' ? 1u : 0u;
        open -= s[p] == ')' ? 1u : 0u;
        p = over > p ? over : p + 1u;
        if (!open) {
            return p;
        }
    }
    return 0;
}

/* Returns 1 if a text is CuTe's: it begins with a shape, with S<..>, Sw<..> or
 * Swizzle<..>, or with a pointer such as smem_ptr[16b](unset) o. */
static inline int notation_is_cute(const char *s) {
    const unsigned n = ll_name_length_(s);
    if (*s == '(' || *s == '_' || ll_is_digit_(*s)) {
        return *s != '_' || ll_is_digit_(s[1]);
    }
    if (s[n] == '<') {
        return notation_is(s, n, "Swizzle") || notation_is(s, n, "Sw") ||
               notation_is(s, n, "S");
    }
    const unsigned end = n && s[n] == '(' ? notation_closed(s, n) : 0u;
    const unsigned next = end ? notation_blank(s, end) : 0u;
    return (n && s[n] == '[') ||
           (next && ll_name_length_(s + next) == 1u && s[next] == 'o');
}

/* Writes the layout s[from..to-1], a shape, with the strides that it has if none
 * are given: (4,8):(1,4). */
static inline void notation_strides(ll_writer_ *w, const char *s, unsigned from,
                                    unsigned to) {
    unsigned long long compact = 1;
    for (unsigned pass = 0; pass < 2u; ++pass) {
        ll_write_(w, pass ? ":" : "");
        for (unsigned p = from; p < to;) {
            const unsigned at = p;
            const unsigned x = (unsigned)ll_text_number_(s, &p);
            if (p > at) {
                ll_write_number_(w, pass ? (unsigned)compact : x);
                compact *= pass ? x : 1u;
            } else {
                if (!ll_char_is_one_of_(s[p], " \t\r\n_")) {
                    ll_write_char_(w, s[p]);
                }
                ++p;
            }
        }
    }
}

/* Notes what text of CuTe leaves to the reader: strides, and a pointer to global
 * memory. */
static inline void notation_note_cute(const char *s, notation *n) {
    ll_note_ r = LL_ZERO;
    r.s = s;
    const ll_chain_ t = ll_cute_terms_(&r);
    ll_writer_ w = ll_writer_on_(n->compact, sizeof n->compact);
    for (unsigned k = 0; k < t.n; ++k) {
        int strided = !t.layout[k] && k + 1u < t.n;
        unsigned end = t.at[k]; /* of the term without a comment */
        for (; end < t.end[k] && s[end] != '/'; ++end) {
            strided = strided || s[end] == ':';
        }
        if (!strided) {
            ll_write_(&w, w.len ? ", " : "");
            notation_strides(&w, s, t.at[k], end);
        }
        n->global |= type_begins(s + t.at[k], "gmem_ptr") ? 1u : 0u;
    }
}

/* Returns the error of a word ahead of < that is neither a type nor a swizzle,
 * in text outside brackets; why 0: there is none. */
static inline ll_foreign notation_misspelt(const char *s) {
    const char *why = 0;
    ll_foreign f = LL_ZERO;
    ll_note_ r = LL_ZERO;
    r.s = s;
    for (unsigned p = 0; s[p] && !r.why;) {
        const unsigned over = type_comment(s, p);
        const unsigned end = over > p ? over : type_name(s, p);
        unsigned from = p;
        for (unsigned k = p; k < end; ++k) {
            from = ll_char_is_one_of_(s[k], ".!") ? k + 1u : from;
        }
        const unsigned n = end - from;
        const int closed = over == p && s[end] == '<' && s[p] != '#' && n &&
                           !(n > 2u && notation_is(s + end - 3u, 3, "ptr"));
        if (closed && !ll_is_listed_("tensor memdesc Swizzle Sw S ", s + from,
                                     n)) {
            ll_note_blame_word_(&r, from, n, "tensor memdesc Swizzle Sw ",
                                "tensor, memdesc or Swizzle was expected "
                                "before <");
            ll_note_tell_(&r, &f);
        }
        p = end > p ? end : p + 1u;
        p = s[p] == '<' && !type_unclosed(s, p, &why) ? type_closed(s, p) : p;
    }
    return f;
}

/* Returns 1 if a sentence is about the number of axes of an attribute. */
static inline int notation_of_axes(const char *why) {
    for (; why && *why; ++why) {
        if (type_begins(why, "each axis") || type_begins(why, "many axes") ||
            type_begins(why, "two axes")) {
            return 1;
        }
    }
    return 0;
}

/* Adds the leading axes of a type that its attribute does not have: buffers,
 * one after the other. */
static inline ll_layout notation_buffers(ll_layout a, unsigned buffers,
                                         const unsigned *sizes) {
    const ll_dim in = ll_shape_find_(&a.in, LL_TCOL) < a.in.n ? LL_TCOL
                                                               : LL_OFFSET;
    for (unsigned d = 0; d < a.out.n; ++d) {
        a.out.dim[d] = ll_axis(buffers + a.out.n - 1u - d);
    }
    for (unsigned k = buffers; k-- > 0;) {
        a = ll_mul(a, ll_identity(sizes[k], in, ll_axis(k)));
    }
    return a;
}

/* Reads the attribute of a memdesc. Its layout is that of the allocation: the
 * type's own shape may be a part of it. */
static inline void notation_allocated(const char *s, const tensor_type *t,
                                      notation *n) {
    unsigned all[16] = LL_ZERO;
    unsigned more = 0;
    for (unsigned k = 0; k < t->rank; ++k) {
        all[k] = t->axes ? t->all[t->axes - t->rank + k] : t->sizes[k];
        more |= all[k] > t->sizes[k] ? 1u : 0u;
        if (all[k] < t->sizes[k]) {
            n->f = notation_bad(0, "the allocation, the last shape of the "
                                   "type, is smaller than the type");
            return;
        }
    }
    n->f = ll_from_triton(s, t->rank, all);
    for (unsigned k = 1; k < t->rank && notation_of_axes(n->f.why); ++k) {
        const ll_foreign f = ll_from_triton(s, t->rank - k, all + k);
        if (!f.layout.err) {
            n->f = f;
            n->f.layout = notation_buffers(f.layout, k, all);
            break;
        }
    }
    if (!more || n->f.layout.err) {
        return;
    }
    ll_layout at = ll_rinv(n->f.layout);
    ll_layout view = n->f.layout;
    for (unsigned k = 0; k < t->rank; ++k) {
        at = ll_resize_in(at, ll_axis(k), t->sizes[k]);
        view = ll_resize_out(view, ll_axis(k), t->sizes[k]);
    }
    n->part = !at.err && !view.err && ll_is_equal(ll_rinv(view), at) ? 0u : 1u;
    n->f.layout = n->part && !view.err ? n->f.layout : view;
}

/* Blames a memory of a type that is not that of its attribute. */
static inline void notation_check_space(const tensor_type *t, ll_foreign *f) {
    const ll_shape *in = &f->layout.in;
    const unsigned is = ll_shape_find_(in, LL_TCOL) < in->n     ? TYPE_TENSOR
                        : ll_shape_find_(in, LL_OFFSET) < in->n ? TYPE_SHARED
                                                                : TYPE_NO_SPACE;
    if (t->space && !f->layout.err && t->space != is) {
        *f = notation_bad(
            t->at, is == TYPE_SHARED   ? "the type is in tensor memory, but its "
                                         "attribute is one of shared memory"
                   : is == TYPE_TENSOR ? "the type is in shared memory, but its "
                                         "attribute is one of tensor memory"
                                       : "a type of registers has no memory");
    }
}

/* Reads an attribute of Triton, with the shape of its type if it has one. */
static inline notation notation_triton(const char *s, const tensor_type *t,
                                       const notation_for *o) {
    notation n = LL_ZERO;
    n.typed = t->rank ? 1u : 0u;
    n.bare = t->rank ? 0u : 1u;
    if (!t->rank && !o->rank) {
        n.f = notation_bad(notation_blank(s, 0),
                           "an attribute of Triton needs a shape");
    } else if (t->axes && t->axes < t->rank) {
        n.f = notation_bad(notation_blank(s, 0),
                           "the allocation, the last shape of the type, has "
                           "fewer axes than the type");
    } else if (t->memory) {
        notation_allocated(s, t, &n);
    } else {
        n.f = ll_from_triton(s, t->rank ? t->rank : o->rank,
                             t->rank ? t->sizes : o->sizes);
    }
    const ll_layout *a = &n.f.layout;
    notation_check_space(t, &n.f);
    if (t->rank && n.f.bits && n.f.bits != t->bits && !a->err && a->in.n &&
        a->in.dim[0] == LL_OFFSET) {
        n.differ[0] = t->bits;
        n.differ[1] = n.f.bits;
        n.f = notation_bad(notation_blank(s, 0),
                           "the type and its attribute have elements of "
                           "different bits");
    }
    n.f.bits = t->rank ? t->bits : n.f.bits;
    return n;
}

/* Reads a text without trans(..), inv(..) or swizzle(..) around it. */
static inline notation notation_plain(char *text, const notation_for *o) {
    notation f = LL_ZERO;
    tensor_type t = LL_ZERO;
    const unsigned fault = take_type(text, &t);
    const unsigned p = notation_memory(text);
    const unsigned n = ll_name_length_(text + p);
    if (fault) {
        return notation_wrong(fault - 1u, t.why);
    }
    f.f = notation_misspelt(text);
    if (f.f.why) {
        return f;
    }
    if (t.rank || text[p] == '#' || (text[p] == '/' && text[p + 1u] == '/')) {
        return notation_triton(text, &t, o);
    }
    if (notation_is_cute(text + p)) {
        f.f = ll_memory_from_cute(text + p);
        notation_note_cute(text + p, &f);
        f.f.layout.at += f.f.layout.is == LL_AT_CHARACTER ? p : 0u;
    } else if (n &&
               (text[p + n] == '(' || !text[notation_blank(text, p + n)])) {
        f.f = family_layout(text, p, n);
    } else {
        unsigned colon = p;
        while (text[colon] && text[colon] != ':') {
            ++colon;
        }
        f.f.layout = ll_parse(text + p);
        if (f.f.layout.err == LL_ETEXT && n && !text[colon]) {
            return notation_wrong(p + n, "a : is missing after the name of an "
                                         "input, as in register: j0 i0");
        }
        f.f.layout.at += f.f.layout.is == LL_AT_CHARACTER ? p : 0u;
    }
    return f;
}

enum { NOTATION_PLAIN, NOTATION_TRANS, NOTATION_INV, NOTATION_SWIZZLE };

/* Returns which operation stands at p, before its parenthesis. */
static inline unsigned notation_operation(const char *s, unsigned p) {
    const unsigned n = ll_name_length_(s + p);
    return s[p + n] != '('                     ? NOTATION_PLAIN
           : notation_is(s + p, n, "trans")   ? NOTATION_TRANS
           : notation_is(s + p, n, "inv")     ? NOTATION_INV
           : notation_is(s + p, n, "swizzle") ? NOTATION_SWIZZLE
                                               : NOTATION_PLAIN;
}

/* Returns the memory of swizzle(A, B). */
static inline notation notation_swizzle(const notation *a, const notation *b,
                                        unsigned at, const notation_for *o) {
    notation n = a->f.layout.err ? *a : *b;
    int differ = 0;
    const unsigned bits = notation_common(a->f.bits, b->f.bits, &differ);
    n.bare = a->bare | b->bare;
    n.typed = a->typed | b->typed;
    n.swizzle = 1;
    if (n.f.layout.err) {
        n.swizzle = n.differ[0] ? a->swizzle | b->swizzle : 1u;
        return n;
    }
    if (differ || a->f.pads || b->f.pads) {
        n.f = notation_bad(at, differ ? "A and B have elements of different "
                                        "bits"
                                      : "swizzle(A, B) is for layouts of "
                                        "registers");
        n.differ[0] = differ ? a->f.bits : 0u;
        n.differ[1] = differ ? b->f.bits : 0u;
        return n;
    }
    n.f.bits = bits ? bits : o->bits ? o->bits : 32u;
    n.assumed = bits || o->bits ? 0u : 1u;
    n.f.layout = ll_swizzle(a->f.layout, b->f.layout, n.f.bits, o->target);
    n.f.pads = 0;
    return n;
}

/* Exchanges rows and columns if an odd number of trans(..) asks for it. */
static inline void notation_turn(notation *n) {
    if (n->turned && !n->f.layout.err) {
        n->f.layout = ll_trans(n->f.layout, "j i");
    }
    n->turned = 0;
}

/* Applies trans(..) or inv(..). */
static inline void notation_apply(unsigned operation, unsigned at,
                                  notation *n) {
    if (operation == NOTATION_TRANS) {
        n->turned ^= 1u;
        return;
    }
    notation_turn(n);
    if (n->f.layout.err) {
        return;
    }
    if (n->f.pads) {
        n->f = notation_bad(at, "padded memory is no linear layout, so it has "
                                "no inverse");
    } else {
        n->f.layout = ll_inv(n->f.layout);
    }
}

/* Reads the text s[from..to-1], at most `depth` operations deep. */
static inline notation notation_part(char *s, unsigned from, unsigned to,
                                     const notation_for *o, unsigned depth) {
    notation n = LL_ZERO;
    const char end = s[to];
    s[to] = 0;
    const unsigned p = notation_blank(s, from);
    const unsigned operation = notation_operation(s, p);
    if (operation == NOTATION_PLAIN) {
        n = s[p] ? notation_plain(s + from, o)
                 : notation_wrong(p, "the text is empty");
        n.f.layout.at +=
            s[p] && n.f.layout.is == LL_AT_CHARACTER ? from : 0u;
        s[to] = end;
        return n;
    }
    const unsigned open = p + ll_name_length_(s + p);
    const unsigned close = notation_closed(s, open);
    const unsigned in = notation_blank(s, open + 1u);
    const unsigned rest = close ? notation_blank(s, close) : 0u;
    if (!depth) {
        n = notation_wrong(p, "at most 16 operations stand in each other");
    } else if (!close || s[rest]) {
        n = notation_wrong(close ? rest : to, close ? "the end was expected "
                                                      "after the )"
                                                    : ") was expected at the "
                                                      "end");
    } else if (in == close - 1u) {
        n = notation_wrong(in, operation == NOTATION_TRANS
                                   ? "the parentheses of trans(..) are empty"
                               : operation == NOTATION_INV
                                   ? "the parentheses of inv(..) are empty"
                                   : "swizzle(A, B) was expected");
    } else if (operation == NOTATION_SWIZZLE) {
        s[close - 1u] = 0;
        const unsigned comma = type_outside(s, in, ",");
        const int both = s[comma] == ',';
        s[close - 1u] = ')';
        if (both) {
            notation a = notation_part(s, in, comma, o, depth - 1u);
            notation b =
                notation_part(s, comma + 1u, close - 1u, o, depth - 1u);
            notation_turn(&a);
            notation_turn(&b);
            n = notation_swizzle(&a, &b, p, o);
        } else {
            n = notation_wrong(p, "swizzle(A, B) was expected");
        }
    } else {
        n = notation_part(s, in, close - 1u, o, depth - 1u);
        notation_apply(operation, p, &n);
    }
    s[to] = end;
    return n;
}

/* Reads a layout of at most 4,000 characters. Text of CuTe becomes offset ->
 * tensor. */
static inline notation notation_read(const char *text, const notation_for *o) {
    char s[NOTATION_ROOM];
    unsigned n = 0;
    for (; text[n]; ++n) {
        if (n + 1u == sizeof s) {
            return notation_wrong(notation_blank(text, 0),
                                  "the text is too long: at most 4,000 "
                                  "characters");
        }
        s[n] = text[n];
    }
    s[n] = 0;
    notation read = notation_part(s, 0, n, o, NOTATION_DEPTH);
    notation_turn(&read);
    return read;
}

/* Writes what is wrong with the first input that is neither a part of a machine
 * nor an axis, for example a misspelt one. Returns 1 if there is one. */
static inline int notation_unknown(ll_writer_ *w, ll_layout a) {
    static const char *const known[] = {
        "register", "lane",      "warp", "block", "gpu",    "node",
        "offset",   "partition", "dp",   "tcol",  "matrix", "b"};
    enum { SAID = 11, ALL = 12 };
    for (unsigned d = 0; d < a.in.n && !a.err; ++d) {
        unsigned k = 0;
        while (k < ALL && ll_dim_of(known[k]) != a.in.dim[d]) {
            ++k;
        }
        for (unsigned x = 0; k == ALL && x < LL_MAX_DIMS; ++x) {
            k = ll_axis(x) == a.in.dim[d] ? 0u : k;
        }
        if (k == ALL) {
            ll_write_(w, "the input ");
            ll_write_name_(w, a.in.dim[d]);
            ll_write_(w, " is none of ");
            for (unsigned n = 0; n < SAID; ++n) {
                ll_write_(w, known[n]);
                ll_write_(w, n + 1u < SAID ? ", " : ", and no axis i, j, ..");
            }
            return 1;
        }
    }
    return 0;
}

/* Writes what is wrong with the threads of a layout of registers: more than 1,024
 * in a block, or, of an attribute of Triton, not the lanes of a warp. to: the
 * name of target t, or null. Returns 1 if something is. */
static inline int notation_threads(ll_writer_ *w, const char *name,
                                   const notation *n, const char *to,
                                   const ll_target *t) {
    const ll_shape *in = &n->f.layout.in;
    const unsigned lanes = ll_size(*in, LL_LANE);
    const unsigned warps = ll_size(*in, LL_WARP);
    const unsigned least = t ? t->lanes : 32u, most = t ? t->lanes : 64u;
    const int foreign = n->bare || n->typed;
    if (n->f.layout.err || ll_shape_find_(in, LL_LANE) == in->n) {
        return 0;
    }
    if (foreign && lanes != least && lanes != most) {
        ll_write_(w, name);
        ll_write_(w, " has ");
        ll_write_count_(w, lanes, "lane");
        ll_write_(w, t ? ", the target " : ", a warp has 32 or 64");
        ll_write_(w, t ? to : "");
        ll_write_(w, t ? " has " : "");
        if (t) {
            ll_write_number_(w, t->lanes);
        }
        return 1;
    }
    if ((unsigned long long)lanes * warps > 1024u) {
        ll_write_(w, name);
        ll_write_(w, " has ");
        ll_write_count_(w, warps, "warp");
        ll_write_(w, " of ");
        ll_write_count_(w, lanes, "lane");
        ll_write_(w, ", ");
        ll_write_number_(w, lanes * warps);
        ll_write_(w, " threads; a block has at most 1024");
        return 1;
    }
    return 0;
}

/* Reads sm_90, gfx942, gfx1100, 0x1100 or gfx1100w64. */
static inline ll_target notation_target(const char *s) {
    ll_target none = {0};
    unsigned p = 3;
    none.err = LL_ETARGET;
    if (s[0] == 's' && s[1] == 'm' && s[2] == '_') {
        const unsigned sm = notation_number(s, &p);
        return s[p] && s[p] != 'a' && s[p] != 'f' ? none : ll_ptx_target(sm);
    }
    if ((s[0] == 'g' && s[1] == 'f' && s[2] == 'x') ||
        (s[0] == '0' && s[1] == 'x' && s[2])) {
        p = s[0] == '0' ? 2u : 3u;
        const unsigned gfx = notation_hex(s, &p);
        const int wide = s[p] == 'w' && s[p + 1u] == '6' && s[p + 2u] == '4';
        return s[p] && !wide
                   ? none
                   : ll_amd_target(gfx, wide || gfx < 0x1000u ? 64 : 32);
    }
    return none;
}

#endif
