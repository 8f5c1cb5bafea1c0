/* ---- Engine: links ---------------------------------------------------- */
#ifndef LL_ENGINE_LINKS_H
#define LL_ENGINE_LINKS_H

#include "flat.h"

/* In most operations the layout of one operand determines the others: bits of
 * the index move, disappear or are inserted, and nothing else. So each fixed
 * layout is carried forwards and backwards from operation to operation, until
 * nothing new is found. An instance of an operation is a list of layouts for
 * all its operands and results that satisfies its rule. The candidates of a
 * value are its layouts in the instances that make or use it. */
#ifdef LL_ENGINE

/* Private: how the index bits of the small and the big side of an operation
 * correspond. Bit k of the small index is bit to[k] of the big index. */
typedef struct ll_engine_link_ {
    unsigned small_bits, big_bits;
    unsigned char to[LL_MAX_BITS];
    unsigned big_is_in; /* 1: the operands are big, the results small */
    unsigned insert;    /* new registers: 0 after the others, 1 in front */
    unsigned lone;      /* 1: only one register bit may reach the bit that the
                           small side lacks; 2: only the first one */
} ll_engine_link_;

/* Private: returns the lowest index bit of an axis. */
LL_FN unsigned ll_engine_low_(const ll_engine_value *v, unsigned axis) {
    unsigned low = 0;
    for (unsigned k = axis + 1u; k < v->rank; ++k) {
        low += v->size[k];
    }
    return low;
}

/* Private: records that the small index lacks `n` bits, from bit `at` on. */
LL_FN void ll_link_gap_(ll_engine_link_ *l, unsigned at, unsigned n) {
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        l->to[k] = (unsigned char)(l->to[k] + (l->to[k] >= at ? n : 0u));
    }
}

/* Private: returns the link of an operation. */
LL_FN ll_engine_link_ ll_engine_link_of_(const ll_engine *e,
                                         const ll_engine_op *o) {
    ll_engine_link_ l = LL_ZERO;
    const ll_engine_value *in = &e->value[e->operand[o->at]];
    const ll_engine_value *out =
        &e->value[e->operand[o->at + (o->n_out ? o->n_in : 0u)]];
    const int big_is_in =
        o->kind == LL_ENGINE_REDUCE || o->kind == LL_ENGINE_SPLIT;
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        l.to[k] = (unsigned char)k;
    }
    l.big_is_in = (unsigned)big_is_in;
    l.small_bits = big_is_in ? out->bits : in->bits;
    l.big_bits = big_is_in ? in->bits : out->bits;
    if (o->kind == LL_ENGINE_REDUCE) {
        ll_link_gap_(&l, ll_engine_low_(in, o->axis), in->size[o->axis]);
    } else if (o->kind == LL_ENGINE_SPLIT || o->kind == LL_ENGINE_JOIN) {
        ll_link_gap_(&l, 0, 1);
        l.insert = l.lone = 1;
    } else if (o->kind == LL_ENGINE_UNPACK) {
        ll_link_gap_(&l, ll_engine_low_(out, o->axis), 1);
        l.insert = 1;
        l.lone = 2;
    } else if (o->kind == LL_ENGINE_BROADCAST) {
        for (unsigned k = out->rank; k-- > 0;) {
            if (in->size[k] != out->size[k]) {
                ll_link_gap_(&l, ll_engine_low_(out, k), out->size[k]);
            }
        }
    } else if (o->kind == LL_ENGINE_TRANS) {
        for (unsigned k = 0; k < out->rank; ++k) {
            const unsigned low = ll_engine_low_(in, o->order[k]);
            for (unsigned b = 0; b < out->size[k]; ++b) {
                l.to[low + b] = (unsigned char)(ll_engine_low_(out, k) + b);
            }
        }
    }
    return l;
}

/* Private: returns the mask of the big bits that the small index lacks. */
LL_FN unsigned ll_link_gone_(const ll_engine_link_ *l) {
    unsigned gone = ll_ones_(l->big_bits);
    for (unsigned k = 0; k < l->small_bits; ++k) {
        gone &= ~(1u << l->to[k]);
    }
    return gone;
}

/* Private: converts a layout of the big side to the small side. Returns 0 if
 * the rule of the operation forbids it. */
LL_FN int ll_link_shrink_(const ll_engine_link_ *l, const ll_engine_flat *f,
                          ll_engine_flat *g) {
    const unsigned gone = ll_link_gone_(l);
    unsigned alone = 0;
    unsigned touching = 0;
    *g = *f;
    for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
        unsigned y = 0;
        for (unsigned b = 0; b < l->small_bits; ++b) {
            y |= (f->basis[k] >> l->to[b] & 1u) << b;
        }
        g->basis[k] = y;
        touching += (f->basis[k] & gone) != 0;
        alone += k < f->n[0] && f->basis[k] == gone && (l->lone < 2u || !k);
    }
    *g = ll_flat_tidy_(*g);
    return !l->lone || (alone == 1u && touching == 1u);
}

/* Private: log2 of the most elements per lane of a value that an operation
 * enlarges, or takes as it is. */
#define LL_ENGINE_WIDEST_ 12u

/* Private: converts a layout of the small side to the big side: each lane holds
 * the new elements in registers. Returns 0 if there are too many. */
LL_FN int ll_link_grow_(const ll_engine_link_ *l, const ll_engine_flat *f,
                        ll_engine_flat *g) {
    const unsigned gone = ll_link_gone_(l);
    const unsigned more = ll_popcount_(gone);
    const ll_engine_flat none = LL_ZERO;
    if (ll_flat_total_(f) + more > LL_MAX_BITS ||
        f->n[0] + more > LL_ENGINE_WIDEST_) {
        return 0;
    }
    *g = none;
    for (unsigned d = 0; d < 4u; ++d) {
        g->n[d] = (unsigned char)(f->n[d] + (d ? 0u : more));
    }
    const unsigned at = l->insert ? 0u : f->n[0];
    unsigned n = 0;
    for (unsigned b = 0; b < l->big_bits; ++b) {
        if (gone >> b & 1u) {
            g->basis[at + n] = 1u << b;
            ++n;
        }
    }
    for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
        unsigned y = 0;
        for (unsigned b = 0; b < l->small_bits; ++b) {
            y |= (f->basis[k] >> b & 1u) << l->to[b];
        }
        g->basis[k < at ? k : k + more] = y;
    }
    return 1;
}

/* Private: returns the number of the layout on the other side of a link;
 * LL_ENGINE_NONE if there is none. */
LL_FN unsigned ll_engine_across_(ll_engine *e, const ll_engine_link_ *l,
                                 unsigned id, int from_big) {
    ll_engine_flat g = LL_ZERO;
    const ll_engine_flat f = e->flat[id];
    const int ok =
        from_big ? ll_link_shrink_(l, &f, &g) : ll_link_grow_(l, &f, &g);
    return ok ? ll_engine_enter_(e, g) : LL_ENGINE_NONE;
}

/* Private: returns the index of a layout among the candidates of a value, or
 * LL_ENGINE_NONE. */
LL_FN unsigned ll_engine_at_(const ll_engine *e, unsigned v, unsigned id) {
    const ll_engine_value *a = &e->value[v];
    for (unsigned k = 0; k < a->n; ++k) {
        if (e->candidate[a->first + k] == id) {
            return k;
        }
    }
    return LL_ENGINE_NONE;
}

#endif /* LL_ENGINE */

#endif
