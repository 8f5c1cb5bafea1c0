/* access.h - compares two layouts that were read, and counts the accesses of one
 * to the other.
 * SPDX-License-Identifier: MIT
 *
 * llshow.c, the viewer and the Python package include it; it includes only
 * notation.h.
 */
#ifndef LLSHOW_ACCESS_H
#define LLSHOW_ACCESS_H

#include "notation.h"

/* Writes the bits of axes that no register or offset has, for example those of
 * a misspelt axis. */
static inline void notation_missing(ll_writer_ *w, ll_layout a) {
    unsigned all = a.offset;
    const char *before = "no register or offset holds an element with ";
    for (unsigned k = 0; k < ll_shape_bits_(&a.in); ++k) {
        all |= a.basis[k];
    }
    for (unsigned d = a.out.n; d-- > 0;) {
        for (unsigned k = 0; k < a.out.bits[d]; ++k) {
            if (!(all >> (ll_shape_start_(&a.out, d) + k) & 1u)) {
                ll_write_(w, before);
                ll_write_name_(w, a.out.dim[d]);
                ll_write_number_(w, k);
                before = ", ";
            }
        }
    }
    ll_write_(w, *before == ',' ? " = 1" : "");
}

/* Writes how much of a layout another one has, as in "A covers part of B: 32 of
 * 64 along j": a line for each axis where it has less. */
static inline void notation_part_of(ll_writer_ *w, const char *part,
                                    ll_layout has, ll_layout of) {
    for (unsigned k = of.out.n; k-- > 0 && !has.err && !of.err;) {
        const unsigned size = ll_size(has.out, of.out.dim[k]);
        if (size < 1u << of.out.bits[k]) {
            ll_write_(w, part);
            ll_write_number_(w, size);
            ll_write_(w, " of ");
            ll_write_number_(w, 1ull << of.out.bits[k]);
            ll_write_(w, " along ");
            ll_write_name_(w, of.out.dim[k]);
            ll_write_(w, "\n");
        }
    }
}

/* Writes which part of A a smaller B holds. */
static inline void notation_held(ll_writer_ *w, ll_layout a, ll_layout b) {
    notation_part_of(w, "B holds part of A: ", b, a);
}

/* Writes which part of memory B a smaller A covers. */
static inline void notation_covered(ll_writer_ *w, ll_layout a, ll_layout b) {
    notation_part_of(w, "A covers part of B: ", a, b);
}

/* Returns the number of axes if they are i, j, .. without a gap; else 0. */
static inline unsigned notation_axes(const ll_shape *s) {
    unsigned found = 0;
    for (unsigned k = 0; k < s->n; ++k) {
        found += ll_shape_find_(s, ll_axis(k)) < s->n ? 1u : 0u;
    }
    return found == s->n ? found : 0u;
}

/* Returns 1 if the axes of A have the sizes that those of B have which stand
 * `more` places after them. */
static inline int notation_fits(const ll_layout *a, const ll_layout *b,
                                unsigned more) {
    for (unsigned k = 0; k < a->out.n; ++k) {
        if (ll_size(a->out, ll_axis(k)) != ll_size(b->out, ll_axis(k + more))) {
            return 0;
        }
    }
    return 1;
}

/* Writes sizes, the slowest axis first: 2x128x64. */
static inline void notation_write_sizes(ll_writer_ *w, const ll_shape *s,
                                        unsigned from) {
    for (unsigned k = from; k < s->n; ++k) {
        ll_write_(w, k > from ? "x" : "");
        ll_write_number_(w, ll_size(*s, ll_axis(k)));
    }
}

/* Returns the part of a memory layout whose first `more` axes are 0, with the
 * names of the other axes moved forward. */
static inline ll_layout notation_buffer(ll_layout m, unsigned more) {
    ll_layout at = ll_rinv(m);
    for (unsigned k = 0; k < more; ++k) {
        at = ll_resize_in(at, ll_axis(k), 1);
    }
    unsigned n = 0;
    for (unsigned d = 0; d < at.in.n && !at.err; ++d) {
        unsigned axis = 0;
        while (ll_axis(axis) != at.in.dim[d]) {
            ++axis;
        }
        if (axis >= more) {
            at.in.dim[n] = ll_axis(axis - more);
            at.in.bits[n++] = at.in.bits[d];
        }
    }
    at.in.n = at.err ? at.in.n : n;
    const ll_layout part = ll_pinv(at);
    const ll_layout back = ll_rinv(part);
    return part.err || (!back.err && ll_is_equal(back, at))
               ? part
               : ll_layout_none_(LL_EDIMS);
}

/* Compares the axes of A and B by number. If memory B has more of them ahead of
 * those of A, B becomes one of its buffers, and a line says so. Returns 1 if
 * they do not fit, with a sentence. */
static inline int notation_align(ll_writer_ *w, const ll_layout *a,
                                 ll_layout *b) {
    const unsigned na = notation_axes(&a->out), nb = notation_axes(&b->out);
    const int memory = b->in.n && b->in.dim[0] == LL_OFFSET;
    const int named = na == 1u && notation_fits(a, b, 0);
    if (a->err || b->err || !na || !nb || na == nb) {
        return 0;
    }
    if (memory && na < nb && !named && notation_fits(a, b, nb - na)) {
        const ll_layout one = notation_buffer(*b, nb - na);
        if (!one.err) {
            ll_write_(w, "B is ");
            notation_write_sizes(w, &b->out, 0);
            ll_write_(w, "; one buffer of ");
            notation_write_sizes(w, &b->out, nb - na);
            ll_write_(w, " is checked\n");
            *b = one;
            return 0;
        }
    }
    if (notation_fits(na < nb ? a : b, na < nb ? b : a, 0)) {
        return 0;
    }
    for (unsigned k = 0; k < 2u; ++k) {
        ll_write_(w, k ? ", B has " : "A has ");
        ll_write_number_(w, k ? nb : na);
        ll_write_(w, k ? " (" : na == 1u ? " axis (" : " axes (");
        notation_write_sizes(w, k ? &b->out : &a->out, 0);
        ll_write_(w, ")");
    }
    return 1;
}

/* Pairs of 4-bit elements as bytes: sets *x to the byte in each place of
 * registers, and *m to the memory of bytes, with an axis per input of memory.
 * Returns 0 if no lane holds both elements of a byte. */
static inline int notation_bytes(ll_layout a, const ll_foreign *of,
                                 ll_layout *x, ll_foreign *m) {
    const ll_layout at = ll_solve(of->layout, ll_in_block_(ll_hardware_(a)),
                                  LL_FIRST);
    const unsigned regs = at.err ? 0u : at.in.bits[0];
    unsigned pair = 0;
    while (pair < 1u << regs && ll_layout_linear_(&at, pair) != 1u) {
        ++pair;
    }
    if (at.err || pair == 1u << regs) {
        return 0;
    }
    unsigned drop = 0;
    while (!(pair >> drop & 1u)) {
        ++drop;
    }
    ll_shape out = LL_ZERO;
    ll_shape in = at.in;
    in.bits[0] = (unsigned short)(regs - 1u);
    m->layout = ll_zero(out, out);
    for (unsigned d = 0; d < at.out.n; ++d) {
        const unsigned bits = at.out.bits[d] - (d ? 0u : 1u);
        m->layout = ll_mul(m->layout, ll_identity(1u << bits, at.out.dim[d],
                                                  ll_axis(d)));
        out = ll_shape_add_(out, ll_axis(d), bits);
    }
    *x = ll_zero(in, out);
    for (unsigned k = 0, n = 0; k < ll_shape_bits_(&at.in); ++k) {
        if (k != drop) {
            x->basis[n++] = at.basis[k] >> 1;
        }
    }
    x->offset = at.offset >> 1;
    m->pads = of->pads;
    for (unsigned k = 0; k < of->pads; ++k) {
        if ((of->every[k] | of->pad[k]) & 1u) {
            return 0;
        }
        m->every[k] = of->every[k] / 2u;
        m->pad[k] = of->pad[k] / 2u;
    }
    return !x->err && !m->layout.err;
}

/* Returns a warp's access between registers and memory, as ll_view_banks. For
 * padded memory it is the access with the most wavefronts, over all registers
 * and warps. */
static inline ll_view notation_banks(ll_layout a, const ll_foreign *m,
                                     unsigned bits, unsigned bytes,
                                     unsigned op, ll_target t) {
    ll_layout x = LL_ZERO;
    ll_foreign of_bytes = LL_ZERO;
    if (bits == 4u && !a.err && !m->layout.err) {
        if (!notation_bytes(a, m, &x, &of_bytes)) {
            return ll_view_bad_(LL_EACCESS);
        }
        ll_view v = notation_banks(x, &of_bytes, 8, bytes, op, t);
        v.a = m->layout; /* the first element of each byte */
        --v.a.in.bits[0];
        for (unsigned k = 0; k < ll_shape_bits_(&v.a.in); ++k) {
            v.a.basis[k] = m->layout.basis[k + 1u];
        }
        return v;
    }
    ll_view most = ll_view_padded(
        ll_view_banks(a, m->layout, bits, bytes, op, t), *m);
    const unsigned regs = m->pads ? ll_size(a.in, LL_REGISTER) : 1u;
    const unsigned warps = m->pads ? ll_size(a.in, LL_WARP) : 1u;
    for (unsigned n = 1; !most.err && n < regs * warps; ++n) {
        ll_layout b = a;
        b.offset = ll_apply(a, ll_pack(a.in, LL_REGISTER, n % regs) |
                                   ll_pack(a.in, LL_WARP, n / regs));
        const ll_view v = ll_view_padded(
            ll_view_banks(b, m->layout, bits, bytes, op, t), *m);
        most = v.err || v.rows > most.rows ? v : most;
    }
    return most;
}

/* Returns the largest bytes per access: ll_widest, but at most a pad or the
 * distance between two pads. */
static inline unsigned notation_widest(ll_layout a, const ll_foreign *m,
                                       unsigned bits, ll_target t) {
    unsigned most = ll_widest(a, m->layout, bits, t.access_bytes);
    for (unsigned k = 0; k < m->pads && most; ++k) {
        const unsigned least = ll_pad_vector_(m, k);
        while (most > 1u && most > 1ull * least * ll_element_held_(bits) / 8u) {
            most /= 2u;
        }
    }
    return most;
}

/* Returns why there is no view of memory `m`, or of a layout (m 0). widest: the
 * bytes of the widest access, of elements of `bits` bits. */
static inline const char *notation_why(unsigned err, const ll_foreign *m,
                                       unsigned bits, unsigned widest) {
    return err == LL_ETABLE ? "a picture can have at most 2^20 cells"
           : err == LL_EMEMORY && m && m->pads
               ? "padded memory is drawn and counted for a single block, but "
                 "this one has the input block"
           : err == LL_EACCESS && bits == 4u && !widest
               ? "no lane holds both 4-bit elements of a byte, so none can "
                 "access it"
               : ll_strerror(err);
}

/* Returns the accesses of `bytes` bytes with which a lane moves its registers,
 * without those that hold copies. */
static inline unsigned notation_accesses(ll_layout a, unsigned bits,
                                         unsigned bytes) {
    unsigned distinct = 0;
    unsigned n = 0;
    for (unsigned d = 0; d < a.in.n; ++d) {
        for (unsigned k = 0; k < a.in.bits[d]; ++k, ++n) {
            distinct += a.in.dim[d] == LL_REGISTER && a.basis[n] ? 1u : 0u;
        }
    }
    const unsigned long long all = (1ull << distinct) *
                                   ll_element_held_(bits) / 8u;
    return all > bytes && bytes ? (unsigned)(all / bytes) : 1u;
}

/* Writes "read: 8 accesses of 16 bytes, 4 wavefronts each (best 4): 32 per
 * warp". Accesses to padded memory (pads not 0) differ, and v is one with the
 * most wavefronts. */
static inline void notation_write_accesses(ll_writer_ *w, const ll_view *v,
                                           unsigned pads, unsigned n) {
    const char *const most = pads && n > 1u ? "at most " : "";
    ll_write_(w, v->op == LL_READ ? "read: " : "write: ");
    ll_write_number_(w, n);
    ll_write_(w, n == 1u ? " access of " : " accesses of ");
    ll_write_count_(w, v->bytes, "byte");
    ll_write_(w, ", ");
    ll_write_(w, most);
    ll_write_count_(w, v->rows, "wavefront");
    ll_write_(w, n == 1u ? " (best " : " each (best ");
    ll_write_number_(w, v->phases);
    ll_write_(w, "): ");
    ll_write_(w, most);
    ll_write_number_(w, n * v->rows);
    ll_write_(w, " per warp");
}

#endif
