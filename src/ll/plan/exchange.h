/* ---- Exchanges within a warp ------------------------------------------ */
#ifndef LL_PLAN_EXCHANGE_H
#define LL_PLAN_EXCHANGE_H

#include "hops.h"

/* An exchange moves elements between the lanes of a warp by rounds of shuffles.
 * The solution x tells where register r of thread t (its lane and warp) finds
 * its element: in register A r + B t of lane C r + D t. In one shuffle each
 * lane sends one word and receives one. In round r thread t receives its
 * register r + H t from lane C r + (C H + D) t, and thread s sends its register
 * E r + G s. H is chosen such that C H + D is invertible; then such a G exists.
 * Selects before the rounds apply G, and selects after them apply H.
 *
 * If the source has copies in other lanes, D is chosen such that no H is
 * needed. If no H makes C H + D invertible, the rounds fetch every register
 * that some lane wants from another lane, and H selects among them. Registers V
 * that move together (C v = 0) fill words. (Paper, section 5.4, "Intra-warp";
 * there H = G = 0 and rounds are split instead.) */
typedef struct ll_exchange_ {
    int ok;
    ll_layout x;     /* the solution */
    unsigned pack;   /* log2 of the elements that move as one word */
    unsigned first;  /* register of the source that position 0 starts with */
    ll_span_ to;     /* registers of the result, by position bit */
    ll_span_ from;   /* registers of the source, by position bit */
    ll_span_ early;  /* G, by thread bit */
    ll_span_ late;   /* H, by lane bit */
    ll_span_ lane;   /* C H + D: the lane to read from, by thread bit */
} ll_exchange_;

/* Private: returns the register of a place of x. */
LL_FN unsigned ll_place_register_(const ll_layout *x, unsigned y) {
    return y & ll_ones_(x->out.bits[0]);
}

/* Private: returns the lane of a place of x. */
LL_FN unsigned ll_place_lane_(const ll_layout *x, unsigned y) {
    return y >> x->out.bits[0] & ll_ones_(x->out.bits[1]);
}

/* Private: returns the source lanes of the listed result registers: C r. */
LL_FN ll_span_ ll_lanes_of_(const ll_layout *x, const ll_span_ *l) {
    ll_span_ image = LL_ZERO;
    for (unsigned k = 0; k < l->n; ++k) {
        ll_span_push_(&image, ll_place_lane_(x, ll_layout_linear_(x, l->v[k])));
    }
    return image;
}

/* Private: returns the source registers of the listed result registers: A r. */
LL_FN ll_span_ ll_regs_of_(const ll_layout *x, const ll_span_ *l) {
    ll_span_ image = LL_ZERO;
    for (unsigned k = 0; k < l->n; ++k) {
        ll_span_push_(&image,
                      ll_place_register_(x, ll_layout_linear_(x, l->v[k])));
    }
    return image;
}

/* Private: returns the column of thread bit t, counted from lane bit 0. */
LL_FN unsigned ll_thread_image_(const ll_layout *x, unsigned t) {
    return x->basis[x->in.bits[0] + t];
}

/* Private: returns the register bits of the result with columns independent of
 * earlier columns; the other register bits lead to copies. */
LL_FN ll_span_ ll_original_registers_(const ll_layout *x) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ image = ll_span_of_columns_(x, 0, x->in.bits[0]);
    const ll_span_ kept = ll_span_independent_(&none, &image);
    ll_span_ l = LL_ZERO;
    for (unsigned k = 0; k < image.n && l.n < kept.n; ++k) {
        if (image.v[k] == kept.v[l.n]) {
            ll_span_push_(&l, 1u << k);
        }
    }
    return l;
}

/* Private: sets H by C H = 1 + D, so lanes keep numbers; 0 if none does. */
LL_FN int ll_exchange_late_same_(const ll_layout *x, const ll_span_ *regs,
                                 ll_span_ *late) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ lanes = ll_lanes_of_(x, regs);
    ll_echelon_ r = LL_ZERO;
    unsigned left = 0;
    *late = none;
    for (unsigned k = 0; k < regs->n; ++k) {
        ll_echelon_load_(&r, lanes.v[k], regs->v[k]);
    }
    for (unsigned t = 0; t < x->in.bits[1]; ++t) {
        ll_echelon_load_(
            &r, ll_place_lane_(x, ll_thread_image_(x, t)) ^ 1u << t, 0);
    }
    ll_echelon_eliminate_(&r, 0, regs->n);
    for (unsigned k = regs->n; k < r.n; ++k) {
        left |= ll_echelon_vector_(&r, k);
        ll_span_push_(late, ll_echelon_mix_(&r, k));
    }
    return left == 0;
}

/* Private: finds vectors that separate lanes which D maps to one lane although
 * they want different registers. `by` lists the candidates, and `lanes` the
 * lanes they lead to. Each vector that is taken leads to a lane outside the
 * image of D. `apart` gets one vector per lane bit, mostly 0. */
LL_FN void ll_lanes_tell_apart_(const ll_layout *x, const ll_span_ *by,
                                const ll_span_ *lanes, ll_span_ *apart) {
    const ll_span_ none = LL_ZERO;
    const unsigned n = x->in.bits[1];
    ll_echelon_ r = LL_ZERO;
    unsigned next = n;
    *apart = none;
    for (unsigned t = 0; t < n; ++t) {
        ll_echelon_load_(&r, ll_place_lane_(x, ll_thread_image_(x, t)),
                         1u << t);
    }
    for (unsigned k = 0; k < by->n; ++k) {
        ll_echelon_load_(&r, lanes->v[k], 0);
    }
    ll_echelon_eliminate_(&r, 0, r.n);
    for (unsigned t = 0; t < n; ++t) {
        const unsigned who = ll_echelon_mix_(&r, t) << x->in.bits[0];
        const int confused =
            ll_echelon_vector_(&r, t) == 0 && ll_layout_linear_(x, who);
        while (confused && next < r.n && ll_echelon_vector_(&r, next) == 0) {
            ++next;
        }
        ll_span_push_(apart, confused && next < r.n ? by->v[next - n] : 0u);
        next += confused ? 1u : 0u;
    }
}

/* Private: returns the solution in which lanes that D maps to one lane read
 * from copies, if layout a of the source has copies in other lanes. */
LL_FN ll_layout ll_lanes_spread_(ll_layout x, const ll_layout *a) {
    const unsigned n = x.out.bits[0] + x.out.bits[1];
    const ll_span_ images = ll_span_of_columns_(a, 0, n);
    const ll_span_ units = ll_span_units_(0, n);
    ll_span_ lanes = LL_ZERO;
    ll_span_ apart = LL_ZERO;
    const ll_span_ copies = ll_span_nullspace_(&units, &images);
    for (unsigned k = 0; k < copies.n; ++k) {
        ll_span_push_(&lanes, ll_place_lane_(&x, copies.v[k]));
    }
    ll_lanes_tell_apart_(&x, &copies, &lanes, &apart);
    for (unsigned t = 0; t < apart.n; ++t) {
        x.basis[x.in.bits[0] + t] ^= apart.v[t];
    }
    return x;
}

/* Private: returns the solution with additional registers. If lanes that read
 * from one lane still want different registers of it, each of them fetches all
 * these registers, and H selects. */
LL_FN ll_layout ll_registers_fetch_more_(ll_layout x, ll_span_ *late) {
    const unsigned n = x.in.bits[1];
    ll_echelon_ r = LL_ZERO;
    for (unsigned t = 0; t < n; ++t) {
        const unsigned y =
            ll_thread_image_(&x, t) ^ ll_layout_linear_(&x, late->v[t]);
        ll_echelon_load_(&r, ll_place_lane_(&x, y), y);
    }
    ll_echelon_eliminate_(&r, 0, n);
    for (unsigned t = 0; t < n; ++t) {
        const unsigned more = ll_echelon_mix_(&r, t);
        unsigned k = ll_shape_bits_(&x.in);
        if (ll_echelon_vector_(&r, t) || more == 0 || k == LL_MAX_BITS) {
            continue;
        }
        for (; k > x.in.bits[0]; --k) {
            x.basis[k] = x.basis[k - 1u];
        }
        x.basis[k] = more;
        late->v[t] = 1u << k;
        ++x.in.bits[0];
    }
    return x;
}

/* Private: sets G and the lanes to read from, for a known H. Returns 0 if lanes
 * that read from one lane want different registers of it. */
LL_FN int ll_exchange_early_(const ll_layout *x, ll_exchange_ *e) {
    const unsigned n = x->in.bits[1];
    const unsigned threads = n + x->in.bits[2];
    ll_echelon_ r = LL_ZERO;
    int ok = 1;
    for (unsigned t = 0; t < n; ++t) {
        const unsigned y =
            ll_thread_image_(x, t) ^ ll_layout_linear_(x, e->late.v[t]);
        ll_span_push_(&e->lane, ll_place_lane_(x, y));
        ll_echelon_load_(&r, e->lane.v[t], ll_place_register_(x, y));
    }
    for (unsigned t = 0; t < n; ++t) {
        ll_echelon_load_(&r, 1u << t, 0);
    }
    for (unsigned t = n; t < threads; ++t) {
        const unsigned y = ll_thread_image_(x, t);
        ll_span_push_(&e->lane, ll_place_lane_(x, y));
        ll_echelon_load_(&r, e->lane.v[t], ll_place_register_(x, y));
    }
    ll_echelon_load_(&r, ll_place_lane_(x, x->offset),
                     ll_place_register_(x, x->offset));
    ll_echelon_eliminate_(&r, 0, n);
    for (unsigned t = 0; t < n; ++t) {
        ok = ok && (ll_echelon_vector_(&r, t) || ll_echelon_mix_(&r, t) == 0);
    }
    for (unsigned k = n; k < r.n - 1u; ++k) {
        ll_span_push_(&e->early, ll_echelon_mix_(&r, k));
    }
    e->first = ll_echelon_mix_(&r, r.n - 1u);
    return ok;
}

/* Private: returns a basis of the XORs of the listed registers of the result
 * that come from the source word of register 0. */
LL_FN ll_span_ ll_registers_from_word_(const ll_layout *x, const ll_span_ *l,
                                       unsigned pack) {
    ll_span_ above = ll_regs_of_(x, l);
    for (unsigned k = 0; k < above.n; ++k) {
        above.v[k] >>= pack;
    }
    return ll_span_nullspace_(l, &above);
}

/* Private: returns V, at most `pack` registers that stay together: first
 * registers that share a word of the result and a word of the source, then
 * registers that share one of these words, then any others. */
LL_FN ll_span_ ll_registers_together_(const ll_layout *x, const ll_span_ *regs,
                                      unsigned pack) {
    const ll_span_ lanes = ll_lanes_of_(x, regs);
    const ll_span_ stay = ll_span_nullspace_(regs, &lanes);
    ll_span_ low = *regs;
    while (low.n && low.v[low.n - 1u] >> pack) {
        --low.n;
    }
    const ll_span_ to_word = ll_span_intersect_(&low, &stay);
    const ll_span_ from_word = ll_registers_from_word_(x, &stay, pack);
    ll_span_ v = ll_registers_from_word_(x, &to_word, pack);
    ll_span_append_(&v, &to_word, pack);
    ll_span_append_(&v, &from_word, pack);
    ll_span_append_(&v, &stay, pack);
    return v;
}

/* Private: returns the registers sent for result registers r: A r + G C r. */
LL_FN ll_span_ ll_exchange_sent_(const ll_layout *x, const ll_exchange_ *e,
                                 const ll_span_ *regs) {
    const ll_span_ lanes = ll_lanes_of_(x, regs);
    ll_span_ sent = ll_regs_of_(x, regs);
    for (unsigned k = 0; k < sent.n; ++k) {
        for (unsigned t = 0; t < x->out.bits[1]; ++t) {
            sent.v[k] ^= lanes.v[k] >> t & 1u ? e->early.v[t] : 0u;
        }
    }
    return sent;
}

/* Private: sets the positions of both sides when 2^e->pack elements move as one
 * word. Returns 0 if such elements do not stay together on the way. */
LL_FN int ll_exchange_positions_(const ll_layout *x, const ll_span_ *regs,
                                 const ll_span_ *together, ll_exchange_ *e) {
    const ll_span_ none = LL_ZERO;
    e->to = none;
    e->from = none;
    ll_span_append_(&e->to, together, e->pack);
    ll_span_append_(&e->to, &e->late, LL_MAX_BITS);
    ll_span_append_(&e->to, regs, LL_MAX_BITS);
    const ll_span_ sent = ll_exchange_sent_(x, e, &e->to);
    ll_span_append_(&e->from, &sent, LL_MAX_BITS);
    ll_span_append_(&e->from, &e->early, LL_MAX_BITS);
    ll_span_ apart = ll_span_terms_(&e->from, &e->early);
    const ll_span_ at = ll_span_terms_(&e->from, &sent);
    for (unsigned k = e->pack; k < at.n; ++k) {
        ll_span_push_(&apart, at.v[k]);
    }
    return (ll_span_or_(&apart) & ll_ones_(e->pack)) == 0;
}

/* Private: returns the exchange of x; `same`: lanes keep their numbers. */
LL_FN ll_exchange_ ll_exchange_of_(const ll_layout *x, unsigned pack,
                                   int same) {
    const ll_span_ regs = ll_original_registers_(x);
    const ll_span_ together = ll_registers_together_(x, &regs, pack);
    ll_exchange_ e = LL_ZERO;
    e.x = *x;
    if (same) {
        e.ok = ll_exchange_late_same_(x, &regs, &e.late);
    } else {
        /* The H of least rank. */
        const ll_span_ lanes = ll_lanes_of_(x, &regs);
        ll_lanes_tell_apart_(x, &regs, &lanes, &e.late);
        e.x = ll_registers_fetch_more_(*x, &e.late);
    }
    e.ok = (e.ok || !same) && ll_exchange_early_(&e.x, &e);
    e.pack = together.n;
    while (e.ok && !ll_exchange_positions_(&e.x, &regs, &together, &e)) {
        --e.pack;
    }
    return e;
}

/* Private: returns the step of the rounds of an exchange, between its two lists
 * of positions. If lanes keep their numbers, words in their lane stay. */
LL_FN ll_step ll_exchange_rounds_(const ll_layout *x, const ll_exchange_ *e,
                                  unsigned element_bits, const ll_target *t) {
    const ll_shape none = LL_ZERO;
    const ll_span_ sent = ll_exchange_sent_(x, e, &e->to);
    const ll_span_ at = ll_span_terms_(&e->from, &sent);
    ll_span_ lanes = ll_lanes_of_(x, &e->to);
    ll_step s = ll_step_renaming_(&at, 0, e->pack);
    ll_layout thread = ll_zero(ll_shape_add_(none, LL_LANE, e->lane.n), x->out);
    int same = 1;
    for (unsigned k = 0; k < lanes.n; ++k) {
        s.at.place[k] = lanes.v[k];
    }
    for (unsigned k = 0; k < e->lane.n; ++k) {
        thread.basis[k] = e->lane.v[k];
        same = same && e->lane.v[k] == (k < x->in.bits[1] ? 1u << k : 0u);
    }
    thread.offset = ll_place_lane_(x, x->offset);
    ll_span_ here = LL_ZERO;
    ll_span_push_(&here, thread.offset);
    s.thread = ll_map_of(thread);
    const unsigned still = same && ll_in_span_(&here, &lanes)
                               ? 1u << ll_span_nullspace_(&lanes, &lanes).n
                               : 0u;
    s.count = (((1u << lanes.n) - still) >> e->pack) *
              ll_element_words_(element_bits);
    ll_hop_all_(&s, ll_element_words_(element_bits), t->hops, t->lanes);
    return s;
}

/* Private: returns the renaming from positions to result registers. */
LL_FN ll_step ll_exchange_arrived_(const ll_exchange_ *e, unsigned bits,
                                   unsigned pack) {
    ll_access m = LL_ZERO;
    const ll_span_ units = ll_span_units_(0, bits);
    const ll_span_ images = ll_span_of_columns_(&e->x, 0, bits);
    const ll_span_ copies = ll_span_nullspace_(&units, &images);
    m.n = e->to.n;
    m.copies = copies.n;
    for (unsigned k = 0; k < m.n; ++k) {
        m.reg[k] = e->to.v[k];
    }
    for (unsigned k = 0; k < m.copies; ++k) {
        m.copy[k] = copies.v[k];
    }
    return ll_step_back_(&m, bits, pack);
}

/* Private: returns 1 if the byte permutes of a renaming can take position r ^
 * by in place of r: each word then comes from the same one or two words. */
LL_FN int ll_can_flip_(const ll_step *s, unsigned by, unsigned before) {
    ll_access more = s->at;
    more.n = s->pack + 1u;
    more.reg[s->pack] = by;
    return s->count && ll_word_rank_(&s->at, before, s->pack) <= 1u &&
           ll_word_rank_(&more, before, more.n) ==
               ll_word_rank_(&s->at, before, s->pack);
}

/* Private: moves one of the selects into a renaming that permutes bytes anyway:
 * the selectors of its permutes then depend on the thread. The renaming has
 * source words of 2^before elements; if `early`, it precedes the selects. */
LL_FN void ll_step_flip_by_(ll_step *renaming, ll_step *selects, int early,
                            unsigned before) {
    ll_access *at = &selects->at;
    for (unsigned k = 0; k < at->n && !renaming->flip; ++k) {
        const unsigned by = early ? ll_vectors_xor_(renaming->at.reg,
                                                    renaming->at.n, at->reg[k])
                                  : at->reg[k];
        if (ll_can_flip_(renaming, by, before)) {
            renaming->flip = at->place[k];
            renaming->flip_by = by;
            selects->count -= selects->count / at->n;
            --at->n;
            at->reg[k] = at->reg[at->n];
            at->place[k] = at->place[at->n];
        }
    }
}

/* Private: returns the plan p with the steps of an exchange. */
LL_FN ll_plan ll_plan_within_warp_(ll_plan p, const ll_exchange_ *e,
                                   const ll_target *t) {
    const unsigned bits = p.element_bits;
    const ll_span_ early = ll_span_terms_(&e->from, &e->early);
    const ll_span_ late = ll_span_terms_(&e->to, &e->late);
    const unsigned pack = ll_elements_per_word_(bits);
    ll_step first = ll_step_renaming_(&e->from, e->first, e->pack);
    ll_step last = ll_exchange_arrived_(e, p.to_bits, pack);
    ll_step rounds = ll_exchange_rounds_(&e->x, e, bits, t);
    ll_step before = ll_step_selects_(&early, e->from.n, e->pack, bits);
    ll_step after = ll_step_selects_(&late, e->to.n, e->pack, bits);
    p.kind = rounds.count ? LL_SHUFFLES : LL_REGISTERS;
    rounds.op = rounds.count ? LL_OP_SHUFFLE : LL_OP_RENAME;
    first.count = ll_permutes_(&first.at, bits,
                               pack < p.from_bits ? pack : p.from_bits,
                               first.pack);
    last.count = ll_permutes_(&last.at, bits, e->pack, last.pack);
    ll_step_flip_by_(&first, &before, 1,
                     pack < p.from_bits ? pack : p.from_bits);
    ll_step_flip_by_(&last, &after, 0, e->pack);
    const ll_step *all[LL_MAX_STEPS] = {&first, &before, &rounds, &after,
                                        &last}; /* exactly LL_MAX_STEPS */
    for (unsigned k = 0; k < LL_MAX_STEPS; ++k) {
        if (all[k]->op != LL_OP_SELECT || all[k]->at.n) {
            p.step[p.n] = *all[k];
            ++p.n;
        }
    }
    return p;
}

#endif
