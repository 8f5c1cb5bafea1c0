/* ---- Swaps ------------------------------------------------------------ */
#ifndef LL_PLAN_SWAPS_H
#define LL_PLAN_SWAPS_H

#include "hops.h"

/* Some targets have an instruction that exchanges a position bit with a lane
 * bit, for two words. In vectors of the source: before a swap the registers
 * hold the span of C and v, and the lane bit holds A. After the swap the
 * registers hold the span of C and A, and the lane bit holds v. At the end the
 * lane bits must hold the vectors that the solution asks for, and the registers
 * must hold the vectors of the result.
 *
 * The planner therefore finds the last swap first. C is what the registers need
 * after a swap, without A. Before the swap they need C and v; if v is in C,
 * they hold a copy of it. Exchanging two lane bits takes three swaps. The first
 * swap puts a spare v into its lane bit, the third one brings it back. */
typedef struct ll_swaps_ {
    unsigned n;
    unsigned lane[3]; /* the lane bit of each swap, as a lane number */
    unsigned get[3];  /* v: what the lane bit gets */
    unsigned give[3]; /* A: what the lane bit gives */
    ll_span_ kept[3]; /* C: what registers keep */
    unsigned pack;    /* log2 of the elements per word, which are first in C */
} ll_swaps_;

/* Private: returns the vector that a lane bit holds in the source. */
LL_FN unsigned ll_lane_from_(const ll_layout *x, unsigned lane) {
    return lane << x->out.bits[0];
}

/* Private: returns the vector that a lane bit holds in the result. */
LL_FN unsigned ll_lane_to_(const ll_layout *x, unsigned lane) {
    return x->basis[x->in.bits[0] + ll_log2_(lane)];
}

/* Private: returns 1 if x moves only registers and the lane bits in `swaps`. */
LL_FN int ll_is_swap_(const ll_layout *x, unsigned swaps) {
    const unsigned regs = x->in.bits[0];
    const unsigned fixed =
        ~(ll_ones_(x->out.bits[0]) | ll_lane_from_(x, swaps));
    int is = 1;
    for (unsigned k = 0; k < ll_shape_bits_(&x->in); ++k) {
        const unsigned bit = k < regs ? 0u : 1u << (k - regs);
        is = is && (k >= regs && !(bit & swaps)
                        ? x->basis[k] == ll_lane_from_(x, bit)
                        : !(x->basis[k] & fixed));
    }
    return is;
}

/* Private: returns l without components along vector `at` of the basis. */
LL_FN ll_span_ ll_span_less_(const ll_span_ *l, const ll_span_ *of,
                             unsigned at) {
    const ll_span_ terms = ll_span_terms_(of, l);
    ll_span_ rest = *l;
    for (unsigned k = 0; k < l->n; ++k) {
        rest.v[k] ^= terms.v[k] >> at & 1u ? of->v[at] : 0u;
    }
    return rest;
}

/* Private: returns a basis for three swaps; vector *at is the spare vector of
 * the first swap. It comes after the vectors that stay in a word and the
 * register parts of the vectors that the lane bits get, so these have no
 * component along it. If possible, the result needs it, too. */
LL_FN ll_span_ ll_spare_basis_(const ll_layout *x, const ll_span_ *wanted,
                               const ll_swaps_ *w, unsigned *at) {
    const unsigned regs = ll_ones_(x->out.bits[0]);
    const ll_span_ units = ll_span_units_(0, x->out.bits[0] + x->out.bits[1]);
    ll_span_ basis = LL_ZERO;
    ll_span_ more = *wanted;
    more.n = w->pack;
    ll_span_push_(&more, ll_lane_to_(x, w->lane[0]) & regs);
    ll_span_push_(&more, ll_lane_to_(x, w->lane[1]) & regs);
    ll_span_append_(&basis, &more, LL_MAX_BITS);
    *at = basis.n;
    more = *wanted;
    for (unsigned k = 0; k < wanted->n; ++k) {
        more.v[k] &= wanted->v[k] & ~regs ? 0u : regs;
    }
    ll_span_append_(&basis, &more, LL_MAX_BITS);
    ll_span_append_(&basis, &units, LL_MAX_BITS);
    return basis;
}

/* Private: fills in what each swap keeps, gets and gives, from the last swap to
 * the first. `need` lists what registers hold at the end, starting with the
 * vectors that stay in words. Returns 0 if some would start in lanes. */
LL_FN int ll_swaps_back_(const ll_layout *x, ll_span_ need, ll_swaps_ *w) {
    const ll_span_ none = LL_ZERO;
    const unsigned regs = ll_ones_(x->out.bits[0]);
    unsigned at = 0;
    const ll_span_ basis =
        w->n == 3u ? ll_spare_basis_(x, &need, w, &at) : none;
    const unsigned spare = basis.v[at] & ~regs ? 0u : basis.v[at];
    for (unsigned k = w->n; k-- > 0;) {
        const int again = k == 2u;
        w->get[k] = w->n == 3u && k == 0 ? spare : ll_lane_to_(x, w->lane[k]);
        w->give[k] = again ? spare : ll_lane_from_(x, w->lane[k]);
        if (again) {
            need = ll_span_less_(&need, &basis, at);
        }
        for (unsigned m = 0; m < need.n && !again; ++m) {
            need.v[m] &= ~w->give[k];
        }
        ll_span_append_(&w->kept[k], &need, LL_MAX_BITS);
        need.n = w->pack;
        ll_span_push_(&need, w->get[k]);
        for (unsigned m = w->pack; m < w->kept[k].n; ++m) {
            ll_span_push_(&need, w->kept[k].v[m]);
        }
    }
    return !(ll_span_or_(&need) & ~regs);
}

/* Private: makes the step of swap k. `now` has the vectors of the position bits
 * before the swap, and after it on return. Returns 0 if it splits a word. */
LL_FN int ll_swap_(ll_step *s, const ll_swaps_ *w, unsigned k, ll_span_ *now,
                   unsigned element_bits) {
    const unsigned word = ll_ones_(w->pack);
    ll_span_ next = w->kept[k];
    ll_span_push_(&next, w->get[k]);
    ll_span_ terms = ll_span_terms_(now, &next);
    const int whole = !(terms.v[next.n - 1u] & word);
    for (unsigned m = w->pack; m < next.n; ++m) {
        terms.v[m] &= ~word;
        next.v[m] = ll_vectors_xor_(now->v, now->n, terms.v[m]);
    }
    *s = ll_step_renaming_(&terms, 0, w->pack);
    s->op = LL_OP_SWAP;
    s->at.place[next.n - 1u] = w->lane[k];
    s->count = ll_word_count_(next.n, w->pack, element_bits) / 2u;
    next.v[next.n - 1u] = w->give[k];
    *now = next;
    return whole;
}

/* Private: returns the plan that renames, makes these swaps, and renames again,
 * so that registers hold `wanted`. Fails with LL_EKIND. */
LL_FN ll_plan ll_plan_by_swaps_(ll_plan p, const ll_layout *x, ll_swaps_ *w,
                                const ll_span_ *wanted) {
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    ll_span_ offset = LL_ZERO;
    ll_span_ all = ll_span_units_(0, p.from_bits);
    p.kind = LL_SHUFFLES;
    p.err = ll_swaps_back_(x, *wanted, w) ? 0u : (unsigned)LL_EKIND;
    p.n = w->n + 2u;
    ll_span_ now = w->kept[0];
    ll_span_push_(&now, w->get[0]);
    const ll_span_ start = now;
    for (unsigned k = 0; k < w->n && !p.err; ++k) {
        const int whole = ll_swap_(&p.step[k + 1u], w, k, &now, p.element_bits);
        p.err = whole ? 0u : (unsigned)LL_EKIND;
    }
    const ll_span_ images = ll_span_of_columns_(x, 0, p.to_bits);
    for (unsigned k = 0; k < now.n; ++k) {
        ll_span_push_(&all, now.v[k]);
    }
    ll_span_push_(&offset, x->offset);
    p.err = ll_in_span_(&offset, &all) ? p.err : (unsigned)LL_EKIND;
    const unsigned first = ll_span_terms_(&all, &offset).v[0];
    const ll_span_ reg = ll_span_terms_(&now, &images);
    p.step[0] =
        ll_step_renaming_(&start, first & ll_ones_(p.from_bits), w->pack);
    p.step[0].count = ll_permutes_(&p.step[0].at, p.element_bits,
                                   pack < p.from_bits ? pack : p.from_bits,
                                   w->pack);
    ll_step *last = &p.step[p.n - 1u];
    *last = ll_step_renaming_(&reg, first >> p.from_bits, pack);
    last->count =
        ll_permutes_(&last->at, p.element_bits, w->pack, last->pack);
    return p;
}

#endif
