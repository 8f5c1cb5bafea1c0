/* glue.c - the C functions of the Python package. Python keeps layouts and
 * plans as bytes. A function writes text to a buffer and returns its length. If
 * the text is an error message, a length of 0 means success.
 * SPDX-License-Identifier: MIT
 */
#include "tools/llshow/access.h"

#if defined(_WIN32)
#define PY_API __declspec(dllexport)
#else
#define PY_API __attribute__((visibility("default")))
#endif

PY_API unsigned py_layout_bytes(void) { return sizeof(ll_layout); }
PY_API unsigned py_plan_bytes(void) { return sizeof(ll_plan); }
PY_API unsigned py_version(void) { return LL_VERSION; }

static unsigned refused(ll_layout a, char *buf, unsigned size) {
    return a.err ? ll_error("layout", a, buf, size) : 0;
}

static unsigned said(const char *sentence, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    ll_write_(&w, sentence);
    return w.len;
}

/* ---- Layouts -------------------------------------------------------------- */

/* Reads a layout. bits: of an element, if the text says them, else 0. */
PY_API unsigned py_read(ll_layout *out, const char *text, unsigned rank,
                        const unsigned *sizes, unsigned *bits, char *buf,
                        unsigned size) {
    notation_for what = LL_ZERO;
    what.rank = rank;
    what.sizes = sizes;
    what.target = LL_SM90;
    const notation n = notation_read(text, &what);
    *out = n.f.layout;
    *bits = n.f.bits;
    return n.f.layout.err ? notation_error(text, &n, buf, size)
           : n.f.pads ? said("padded memory is no linear layout", buf, size)
           : rank && n.typed && !n.bare
               ? said("the type already has a shape: leave the shape out", buf,
                      size)
               : 0;
}

PY_API unsigned py_text(const ll_layout *a, char *buf, unsigned size) {
    return ll_str(*a, buf, size);
}

PY_API int py_is_equal(const ll_layout *a, const ll_layout *b) {
    return ll_is_equal(*a, *b);
}

enum { PY_INV, PY_PINV, PY_MUL, PY_COMPOSE, PY_TRANS, PY_REDUCE, PY_SWIZZLE };

static ll_layout made(unsigned how, const ll_layout *a, const ll_layout *b,
                      const char *word, unsigned bits) {
    const ll_shape s = how == PY_REDUCE ? ll_shape_of(word) : ll_shape_of("");
    switch (how) {
    case PY_INV: return ll_inv(*a);
    case PY_PINV: return ll_pinv(*a);
    case PY_MUL: return ll_mul(*a, *b);
    case PY_COMPOSE: return ll_compose(*b, *a);
    case PY_TRANS: return ll_trans(*a, word);
    case PY_REDUCE: return s.n == 1 ? ll_reduce(*a, s.dim[0]) : ll_inv(*a);
    default: return ll_swizzle(*a, *b, bits, notation_target(word));
    }
}

/* Makes a layout from a and b. word: a list, an axis as "j=1", or a target. */
PY_API unsigned py_make(ll_layout *out, unsigned how, const ll_layout *a,
                        const ll_layout *b, const char *word, unsigned bits,
                        char *buf, unsigned size) {
    *out = made(how, a, b, word, bits);
    return refused(*out, buf, size);
}

/* Returns the size of input (side 0) or output (1) k; 0 if there is none. */
PY_API unsigned py_dim(const ll_layout *a, unsigned side, unsigned k, char *buf,
                       unsigned size) {
    const ll_shape *s = side ? &a->out : &a->in;
    ll_writer_ w = ll_writer_on_(buf, size);
    if (k >= s->n) {
        return 0;
    }
    ll_write_name_(&w, s->dim[k]);
    return 1u << s->bits[k];
}

/* Maps n packed inputs; stops at one that is out of range. Returns how many. */
PY_API unsigned long long py_apply(const ll_layout *a, const unsigned *in,
                                   unsigned *out, unsigned long long n) {
    unsigned long long k = 0, all = 1;
    for (unsigned d = 0; d < a->in.n; ++d) {
        all <<= a->in.bits[d];
    }
    while (k < n && in[k] < all) {
        out[k] = ll_apply(*a, in[k]);
        ++k;
    }
    return k;
}

static ll_view banks(const ll_layout *a, const ll_layout *m, unsigned bits,
                     unsigned op, ll_target t) {
    ll_foreign f = LL_ZERO;
    f.layout = *m;
    const unsigned bytes = notation_widest(*a, &f, bits, t);
    return notation_banks(*a, &f, bits, bytes, op, t);
}

/* Writes what is wrong with the inputs of a layout. */
static unsigned unknown(const ll_layout *a, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    notation_unknown(&w, *a);
    return w.len;
}

/* Draws a layout: 0 matrix, 1 tensor, 2 hardware; with a memory layout m also 3
 * banks of a load, 4 of a store. If err is set, the text is its message. */
PY_API unsigned py_picture(const ll_layout *a, const ll_layout *m,
                           unsigned what, unsigned form, unsigned bits,
                           const char *target, unsigned *err, char *buf,
                           unsigned size) {
    const ll_target t = notation_target(target);
    const unsigned op = what == 3 ? LL_READ : LL_WRITE;
    const unsigned bad = what ? unknown(a, buf, size) : 0;
    if (bad) {
        *err = LL_ENAME;
        return bad;
    }
    const ll_view v = what == 0   ? ll_view_matrix(*a)
                      : what == 1 ? ll_view_reached(*a)
                      : what == 2 ? ll_view_hardware(*a)
                                  : banks(a, m, bits, op, t);
    *err = v.err;
    return ll_picture(v, form, buf, size);
}

/* Writes which part of a layout b holds, a line for each axis. */
PY_API unsigned py_part(const ll_layout *a, const ll_layout *b, char *buf,
                        unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    ll_write_(&w, "");
    notation_held(&w, *a, *b);
    return w.len;
}

/* ---- Plans ---------------------------------------------------------------- */

/* kind: LL_ANY or the kind to use; within: most bytes of memory, or ~0; m: the
 * memory layout to use, or null. */
PY_API unsigned py_plan(ll_plan *out, const ll_layout *a, const ll_layout *b,
                        unsigned bits, const char *target, unsigned kind,
                        unsigned within, const ll_layout *m, char *buf,
                        unsigned size) {
    const ll_target t = notation_target(target);
    const unsigned bad = unknown(a, buf, size);
    if (bad || unknown(b, buf, size)) {
        return bad ? bad : unknown(b, buf, size);
    }
    *out = m                 ? ll_plan_through(*a, *b, bits, t, *m)
           : within != ~0u   ? ll_plan_within(*a, *b, bits, t, within)
           : kind != LL_ANY ? ll_plan_by(*a, *b, bits, t, kind)
                             : ll_plan_of(*a, *b, bits, t);
    return out->err ? ll_explain(*out, buf, size) : 0;
}

PY_API unsigned py_explain(const ll_plan *p, char *buf, unsigned size) {
    return ll_explain(*p, buf, size);
}

/* 0 kind, 1 cycles, 2 bytes of shared memory, 3 wavefronts lost to conflicts,
 * 4 steps, 5 frames. */
PY_API unsigned py_of_plan(const ll_plan *p, unsigned what) {
    const unsigned all[] = {p->kind,         p->cycles, p->smem_bytes,
                            ll_conflicts(*p), p->n,      ll_frames(*p)};
    return what < 6 ? all[what] : 0;
}

PY_API void py_memory(const ll_plan *p, ll_layout *out) { *out = p->memory; }

PY_API unsigned py_frame(const ll_plan *p, const ll_layout *a,
                         const ll_layout *b, const char *target, unsigned k,
                         unsigned form, char *buf, unsigned size) {
    return ll_picture(ll_view_frame(*p, *a, *b, notation_target(target), k),
                      form, buf, size);
}

PY_API unsigned py_frame_words(const ll_plan *p, unsigned k, char *buf,
                               unsigned size) {
    return ll_frame_words(*p, k, buf, size);
}
