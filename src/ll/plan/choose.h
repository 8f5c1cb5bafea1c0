/* ---- The best memory -------------------------------------------------- */
#ifndef LL_PLAN_CHOOSE_H
#define LL_PLAN_CHOOSE_H

#include "../layout/shapes.h"
#include "nibbles.h"
#include "swizzle.h"

/* The search tries forms and widths of both sides; lower bounds end it. */

/* The cheapest memory so far, and lower bounds of each side and of both. */
typedef struct ll_best_memory_ {
    unsigned long long cost;
    unsigned long long worth;    /* a bound must be below it: the cost, or its
                                  * wavefronts if it counts byte permutes */
    unsigned long long least[2]; /* by op */
    unsigned long long both;
    int apart; /* 1: byte permutes do not count */
    unsigned long long vectors; /* bound of both, with vector accesses only */
    ll_layout m;
} ll_best_memory_;

/* Private: returns 1 if the lower bound admits a cheaper memory. */
LL_FN int ll_best_memory_is_open_(const ll_best_memory_ *best) {
    return best->both < best->cost;
}

/* Private: returns 1 if byte permutes do not distinguish memories: both sides
 * share at most one register of bytes, and no word begins with it. */
LL_FN int ll_is_apart_anyway_(const ll_layout *a, const ll_layout *b,
                              const ll_span_ *common, unsigned scale) {
    if (scale > 0 || a->in.bits[0] < 2u || b->in.bits[0] < 2u ||
        common->n > 1u || a->basis[0] == b->basis[0]) {
        return 0;
    }
    const ll_span_ wa = ll_span_of_columns_(a, 0, 2);
    const ll_span_ wb = ll_span_of_columns_(b, 0, 2);
    return ll_in_span_(&wa, common) + ll_in_span_(&wb, common) == 0;
}

/* Private: returns the cost of a step in a search. */
LL_FN unsigned long long ll_cost_in_(const ll_best_memory_ *best,
                                     const ll_step *s) {
    return best->apart ? ll_step_bare_cost_(s) : ll_step_cost_(s);
}

/* Private: returns the start of a search between a and b: no memory, and the
 * lower bounds. If the sides share no register, one of them lacks the lowest
 * bit of memory in registers and needs one access per element. */
LL_FN ll_best_memory_ ll_best_memory_start_(const ll_layout *a,
                                            const ll_layout *b,
                                            const ll_span_ *common,
                                            unsigned scale,
                                            const ll_target *t) {
    const unsigned most = t->access_bytes;
    const unsigned long long store =
        ll_cost_bound_(a, scale, most, LL_WRITE, t);
    const unsigned long long load = ll_cost_bound_(b, scale, most, LL_READ, t);
    ll_best_memory_ best = LL_ZERO;
    best.cost = best.worth = ~0ull;
    best.least[LL_WRITE] = store;
    best.least[LL_READ] = load;
    best.both = best.vectors = store + load;
    if (common->n == 0) {
        const unsigned one = 1u << scale;
        const unsigned long long x =
            store + ll_cost_bound_(b, scale, one, LL_READ, t);
        const unsigned long long y =
            load + ll_cost_bound_(a, scale, one, LL_WRITE, t);
        best.vectors = x < y ? x : y;
        best.both = ll_forms_are_paired_(scale, t) ? best.vectors : best.both;
    }
    best.apart = ll_is_apart_anyway_(a, b, common, scale);
    return best;
}

/* Private: keeps m if it is the cheapest memory so far. The side with the
 * narrower accesses comes first; it may rule m out alone. */
LL_FN void ll_try_memory_(ll_best_memory_ *best, const ll_layout *m,
                          const ll_layout *a, const ll_layout *b,
                          unsigned narrow, unsigned scale, const ll_target *t) {
    const unsigned wide = narrow == LL_READ ? LL_WRITE : LL_READ;
    const ll_step first =
        ll_step_between_(narrow == LL_READ ? b : a, m, scale, narrow, t);
    const unsigned long long one = ll_cost_in_(best, &first);
    if (one + best->least[wide] >= best->cost) {
        return;
    }
    const ll_step second =
        ll_step_between_(narrow == LL_READ ? a : b, m, scale, wide, t);
    const unsigned long long cost = one + ll_cost_in_(best, &second);
    if (cost < best->cost) {
        const unsigned long long bare =
            ll_step_bare_cost_(&first) + ll_step_bare_cost_(&second);
        best->cost = cost;
        best->worth = best->apart || bare == cost ? cost : cost >> 32 << 32;
        best->m = *m;
    }
}

/* Private: tries what ll_memory_arrange_ builds on the lowest vectors. */
LL_FN void ll_try_lowest_(ll_best_memory_ *best, const ll_layout *a,
                          const ll_layout *b, const ll_span_ *low, ll_way_ va,
                          ll_way_ vb, unsigned scale, const ll_target *t) {
    const ll_layout m = ll_memory_arrange_(a, b, low, va, vb, scale, t);
    ll_try_memory_(best, &m, a, b,
                   va.vector < vb.vector ? LL_WRITE : LL_READ, scale, t);
}

/* Private: tries memories with vector accesses on both sides. Both sides share
 * the lowest vectors; then a or b, in turn, gets wider accesses. */
LL_FN void ll_try_vectors_(ll_best_memory_ *best, const ll_layout *a,
                           const ll_layout *b, ll_span_ common, unsigned scale,
                           const ll_target *t) {
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    unsigned most = ll_widest_access_(scale, t);
    common.n = common.n < most ? common.n : most;
    const unsigned trials = common.n == most ? 1u : 2u;
    for (unsigned wide = 0; wide < trials && ll_best_memory_is_open_(best);
         ++wide) {
        const ll_span_ low =
            wide ? ll_memory_lowest_(b, a, &common, scale, LL_WRITE, t)
                 : ll_memory_lowest_(a, b, &common, scale, LL_READ, t);
        const unsigned n = ll_in_span_(&low, wide ? &rb : &ra);
        ll_try_lowest_(best, a, b, &low,
                       ll_way_of_vectors_(wide ? common.n : n),
                       ll_way_of_vectors_(wide ? n : common.n), scale, t);
    }
}

/* Private: tries memories with matrix accesses on the side of a. One access of
 * b moves the lowest vectors of a row, as far as they are in registers of b. */
LL_FN void ll_try_matrices_(ll_best_memory_ *best, const ll_layout *a,
                            const ll_layout *b, unsigned op, unsigned scale,
                            const ll_target *t) {
    if (!ll_best_memory_is_open_(best)) {
        return;
    }
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ common = ll_span_intersect_(&ra, &rb);
    for (unsigned form = LL_FORM_MATRIX;
         form < LL_MAX_FORMS && ll_best_memory_is_open_(best); ++form) {
        const ll_form code = t->forms[op][form];
        const ll_span_ row = ll_matrix_row_(a, &common, code, scale, t);
        if (row.n == 0 || row.n + scale != ll_form_row_bits_(code)) {
            continue;
        }
        const ll_way_ way = {form, row.n};
        const ll_way_ other = ll_way_of_vectors_(ll_in_span_(&row, &rb));
        if (op == LL_WRITE) {
            ll_try_lowest_(best, a, b, &row, way, other, scale, t);
        } else {
            ll_try_lowest_(best, b, a, &row, other, way, scale, t);
        }
    }
}

/* Private: returns the vectors that both sides hold in registers. Vectors
 * within words of ra come first, then vectors within words of rb: where they
 * are neighbours in memory, words keep their bytes. */
LL_FN ll_span_ ll_common_registers_(const ll_span_ *ra, const ll_span_ *rb,
                                    unsigned scale) {
    const ll_span_ both = ll_span_intersect_(ra, rb);
    const ll_span_ *side[2] = {ra, rb};
    ll_span_ common = LL_ZERO;
    for (unsigned k = 0; k < 2u; ++k) {
        ll_span_ word = *side[k];
        word.n = ll_word_bits_(scale) < word.n ? ll_word_bits_(scale) : word.n;
        word.n = ll_in_span_(&word, &both);
        ll_span_append_(&common, &word, LL_MAX_BITS);
    }
    ll_span_append_(&common, &both, LL_MAX_BITS);
    return common;
}

/* The best memory for accesses of given widths. Side a has the wider accesses,
 * of 2^x elements. It holds the lowest x vectors of memory in registers; side b
 * holds the lowest y of them. H is a complement of these x vectors (or of the
 * vectors of a word, if a word has more) and contains the segments. Accesses
 * are aligned if H contains the threads of a, and if no column of a thread has
 * one of the lowest y places. Lanes in a phase of b conflict only by segments,
 * and segments can be chosen that meet a subspace of H no more than its rank
 * requires. The rank of the part of a phase of b in H therefore determines the
 * least number of conflicts. The part that the threads of a generate stays in
 * H. The rest leaves it, up to x - y vectors, one for each place that an access
 * of a fills beyond an access of b. The choices of the lowest y vectors and of
 * the segments do not change this. The minimum over all widths is therefore the
 * least cost of any memory. */

/* One side of an exchange. */
typedef struct ll_end_ {
    const ll_layout *a;
    unsigned op;
    unsigned most;              /* log2 of the elements of the widest access */
    ll_span_ regs, threads;     /* columns */
    unsigned long long cost[5]; /* least, with accesses of 2^k elements */
} ll_end_;

/* Both sides of an exchange, for all widths. */
typedef struct ll_ends_ {
    ll_end_ end[2];  /* by op */
    ll_span_ common; /* in registers of both, and reached by no thread */
    ll_span_ threads;
    unsigned n; /* rank of all columns */
} ll_ends_;

/* The widths of both sides, as log2 of elements. The side with the wider
 * accesses, of operation `op`, is called a, and the other side b. */
typedef struct ll_widths_ {
    unsigned op;
    unsigned a, b;
} ll_widths_;

/* Private: returns a basis of the span of two lists. */
LL_FN ll_span_ ll_joint_(const ll_span_ *a, const ll_span_ *b) {
    const ll_span_ none = LL_ZERO;
    ll_span_ l = ll_span_independent_(&none, a);
    ll_span_append_(&l, b, LL_MAX_BITS);
    return l;
}

/* Private: returns the least cost of 2^rank elements, 2^v per access. */
LL_FN unsigned long long ll_free_cost_(const ll_layout *a, unsigned rank,
                                       unsigned v, unsigned scale, unsigned op,
                                       const ll_target *t) {
    const unsigned n = 1u << (rank - v);
    const unsigned bytes = 1u << (v + scale);
    unsigned lane[6] = LL_ZERO;
    ll_lane_bytes_(a, 0, lane);
    const unsigned waves =
        n * t->lanes >> ll_phase_of_(lane, bytes, op, t).n;
    return ll_cost_weigh_(waves, ll_accesses_joined_(n, bytes, t));
}

/* Private: returns one side of an exchange. */
LL_FN ll_end_ ll_end_of_(const ll_layout *a, unsigned scale, unsigned op,
                         const ll_target *t) {
    const ll_span_ none = LL_ZERO;
    const unsigned most = ll_widest_access_(scale, t);
    ll_end_ e = LL_ZERO;
    e.a = a;
    e.op = op;
    e.regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    e.threads = ll_span_of_columns_(a, a->in.bits[0], ll_shape_bits_(&a->in));
    e.most = ll_span_independent_(&e.threads, &e.regs).n;
    e.most = e.most < most ? e.most : most;
    const unsigned rank = ll_span_independent_(&none, &e.regs).n;
    for (unsigned v = 0; v <= e.most; ++v) {
        e.cost[v] = ll_free_cost_(a, rank, v, scale, op, t);
    }
    return e;
}

/* Private: returns both sides of the exchange from a to b. */
LL_FN ll_ends_ ll_ends_of_(const ll_layout *a, const ll_layout *b,
                           unsigned scale, const ll_target *t) {
    ll_ends_ e = LL_ZERO;
    e.end[LL_WRITE] = ll_end_of_(a, scale, LL_WRITE, t);
    e.end[LL_READ] = ll_end_of_(b, scale, LL_READ, t);
    const ll_end_ *from = &e.end[LL_WRITE];
    const ll_end_ *to = &e.end[LL_READ];
    const ll_span_ held = ll_span_intersect_(&from->regs, &to->regs);
    e.threads = ll_joint_(&from->threads, &to->threads);
    e.common = ll_span_independent_(&e.threads, &held);
    const ll_span_ all = ll_joint_(&e.threads, &from->regs);
    e.n = all.n + ll_span_independent_(&all, &to->regs).n;
    return e;
}

/* Private: returns the rank of the part of a phase of b in the best complement.
 * Lanes of b that share a word do not conflict, but need no special case: their
 * phase has no more vectors than banks, and only those that stay conflict. */
LL_FN unsigned ll_complement_left_(const ll_end_ *a, const ll_span_ *phase,
                                   ll_widths_ w) {
    const ll_span_ none = LL_ZERO;
    const unsigned rank = ll_span_independent_(&none, phase).n;
    const unsigned stay = rank - ll_span_independent_(&a->threads, phase).n;
    const unsigned gone = w.a - w.b;
    return rank > gone + stay ? rank - gone : stay;
}

/* Private: returns a lower bound of the cost of any memory for these widths. */
LL_FN unsigned long long ll_least_cost_(const ll_ends_ *e, ll_widths_ w,
                                        unsigned scale, const ll_target *t) {
    const ll_end_ *a = &e->end[w.op];
    const ll_end_ *b = &e->end[!w.op];
    const unsigned word = ll_word_bits_(scale);
    const unsigned low = w.a > word ? w.a : word;
    const ll_span_ phase =
        ll_lanes_served_(b->a, 1u << (w.b + scale), b->op, t);
    const unsigned above = ll_banks_above_(e->n, w.b + scale, b->op, scale, t);
    const unsigned need = ll_complement_left_(a, &phase, w) + above + low;
    const unsigned clash = above && need > e->n ? need - e->n : 0u;
    return a->cost[w.a] + (b->cost[w.b] >> 32 << (32u + clash)) +
           (unsigned)b->cost[w.b];
}

/* Private: appends vectors of `from` outside the span `avoid` to the list,
 * until it has n vectors, and to `avoid`. */
LL_FN void ll_take_(ll_span_ *l, ll_span_ *avoid, const ll_span_ *from,
                    unsigned n) {
    const ll_span_ fresh = ll_span_independent_(avoid, from);
    for (unsigned k = 0; k < fresh.n && l->n < n; ++k) {
        ll_span_push_(l, fresh.v[k]);
        ll_span_push_(avoid, fresh.v[k]);
    }
}

/* Memory without segments: the lowest vectors, a basis of complement H. */
typedef struct ll_ground_ {
    ll_span_ low;
    ll_span_ high;
} ll_ground_;

/* Private: appends vectors of a word, up to n, from registers `own` of a: first
 * vectors in a phase of b, then vectors independent of the phase. */
LL_FN void ll_take_word_(ll_ground_ *g, const ll_end_ *a, const ll_span_ *own,
                         const ll_span_ *phase, unsigned n) {
    const ll_span_ shared = ll_span_intersect_(phase, own);
    ll_span_ avoid = ll_joint_(&a->threads, &g->low);
    ll_take_(&g->low, &avoid, &shared, n);
    ll_span_ reached = ll_joint_(&avoid, phase);
    ll_take_(&g->low, &reached, own, n);
}

/* Private: appends vectors above a word, up to n, from registers `own` of a:
 * first vectors that only threads of a separate from the phase of b, then any
 * vectors e. Each e takes a vector f of the phase with it: H contains e ^ f in
 * place of f, so that f has the place of e. */
LL_FN void ll_ground_take_wide_(ll_ground_ *g, const ll_end_ *a,
                                const ll_span_ *own, const ll_span_ *phase,
                                unsigned n) {
    ll_span_ avoid = ll_joint_(&a->threads, &g->low);
    const ll_span_ reached = ll_joint_(&avoid, phase);
    const ll_span_ both = ll_span_intersect_(own, &reached);
    ll_take_(&g->low, &avoid, &both, n);
    const ll_span_ f = ll_span_independent_(&avoid, phase);
    const unsigned from = g->low.n;
    ll_span_ all = ll_joint_(&avoid, phase);
    ll_take_(&g->low, &all, own, n);
    for (unsigned k = from; k < g->low.n && k - from < f.n; ++k) {
        ll_span_push_(&g->high, g->low.v[k] ^ f.v[k - from]);
    }
}

/* Private: returns the ground for these widths. Vectors above the lowest w.b
 * come from a complement with the threads of both sides. */
LL_FN ll_ground_ ll_ground_of_(const ll_ends_ *e, ll_widths_ w, unsigned scale,
                               const ll_target *t) {
    const ll_end_ *a = &e->end[w.op];
    const ll_end_ *b = &e->end[!w.op];
    const unsigned word = ll_word_bits_(scale);
    const ll_span_ phase =
        ll_lanes_served_(b->a, 1u << (w.b + scale), b->op, t);
    ll_ground_ g = LL_ZERO;
    ll_span_append_(&g.low, &e->common, w.b);
    ll_span_ space = ll_joint_(&g.low, &e->threads);
    ll_span_append_(&space, &a->regs, LL_MAX_BITS);
    ll_span_append_(&space, &b->regs, LL_MAX_BITS);
    ll_span_ own = a->regs;
    ll_span_project_low_(&own, &space, w.b);
    ll_take_word_(&g, a, &own, &phase, w.a < word ? w.a : word);
    ll_ground_take_wide_(&g, a, &own, &phase, w.a);
    ll_span_ all = g.low;
    ll_span_append_(&all, &a->threads, LL_MAX_BITS);
    ll_span_append_(&all, &g.high, LL_MAX_BITS);
    ll_span_append_(&all, &space, LL_MAX_BITS);
    ll_ground_ whole = LL_ZERO;
    for (unsigned k = 0; k < all.n; ++k) {
        ll_span_push_(k < g.low.n || k < word ? &whole.low : &whole.high,
                      all.v[k]);
    }
    return whole;
}

/* Private: returns memory on this ground; its segments avoid both sides. */
LL_FN ll_layout ll_on_ground_(const ll_ends_ *e, const ll_ground_ *g,
                              ll_widths_ w, unsigned scale,
                              const ll_target *t) {
    const ll_shape none = LL_ZERO;
    const ll_layout *from = e->end[LL_WRITE].a;
    const unsigned word = ll_word_bits_(scale);
    const unsigned na = ll_banks_above_(e->n, w.a + scale, w.op, scale, t);
    const unsigned nb = ll_banks_above_(e->n, w.b + scale, !w.op, scale, t);
    ll_span_ all = ll_joint_(&g->low, &g->high);
    ll_span_ u = ll_lanes_served_(e->end[w.op].a, 1u << (w.a + scale), w.op, t);
    ll_span_project_low_(&u, &all, g->low.n);
    ll_span_ v =
        ll_lanes_served_(e->end[!w.op].a, 1u << (w.b + scale), !w.op, t);
    for (unsigned k = 0; k < g->low.n && (k < w.b || k < word); ++k) {
        ll_span_push_(&v, g->low.v[k]);
    }
    v = ll_span_intersect_(&g->high, &v);
    ll_span_ high = ll_segments_(&u, &v, &g->high, na < nb ? na : nb);
    ll_more_segments_(&high, na > nb ? &u : &v, &g->low, &g->high,
                      na > nb ? na : nb);
    const ll_span_ banks = ll_span_independent_(&high, &g->high);
    all.n = g->low.n;
    ll_span_append_(&all, &banks, LL_MAX_BITS);
    ll_span_append_(&all, &high, LL_MAX_BITS);
    ll_layout m = ll_zero(ll_shape_add_(none, LL_OFFSET, e->n), from->out);
    m.offset = from->offset;
    for (unsigned k = 0; k < e->n; ++k) {
        m.basis[k] = all.v[k];
    }
    return m;
}

#define LL_MAX_PAIRS_ 25u /* widths of 1 to 16 bytes on both sides */

/* Private: returns pair number k of widths: 2^v[op] elements for each side. If
 * both are equal, the stores count as wider. */
LL_FN ll_widths_ ll_widths_of_(const ll_ends_ *e, unsigned k) {
    const unsigned n = e->end[0].most + 1u;
    const unsigned v[2] = {k % n, k / n};
    const unsigned op = v[1] < v[0] ? 0u : 1u;
    const ll_widths_ w = {op, v[op], v[1u - op]};
    return w;
}

/* Private: returns the number of the first minimum of n costs. */
LL_FN unsigned ll_cost_smallest_(const unsigned long long *cost, unsigned n) {
    unsigned first = 0;
    for (unsigned k = 1; k < n; ++k) {
        first = cost[k] < cost[first] ? k : first;
    }
    return first;
}

/* Private: tries the best memory for each pair of widths with a lower bound
 * that admits a cheaper one, the lowest bound first. Sets best->vectors, a
 * lower bound of the cost of any memory with vector accesses. */
LL_FN void ll_try_widths_(ll_best_memory_ *best, const ll_layout *a,
                          const ll_layout *b, unsigned scale,
                          const ll_target *t) {
    const ll_ends_ e = ll_ends_of_(a, b, scale, t);
    const unsigned n = (e.end[0].most + 1u) * (e.end[1].most + 1u);
    unsigned long long bound[LL_MAX_PAIRS_] = LL_ZERO;
    for (unsigned k = 0; k < n; ++k) {
        const ll_widths_ w = ll_widths_of_(&e, k);
        const unsigned long long free =
            e.end[w.op].cost[w.a] + e.end[!w.op].cost[w.b];
        bound[k] = w.b > e.common.n      ? ~0ull
                   : free >= best->worth ? free
                                         : ll_least_cost_(&e, w, scale, t);
    }
    unsigned first = ll_cost_smallest_(bound, n);
    best->vectors = bound[first];
    while (bound[first] < best->worth) {
        const ll_widths_ w = ll_widths_of_(&e, first);
        const ll_ground_ g = ll_ground_of_(&e, w, scale, t);
        const ll_layout m = ll_on_ground_(&e, &g, w, scale, t);
        ll_try_memory_(best, &m, a, b, !w.op, scale, t);
        bound[first] = ~0ull;
        first = ll_cost_smallest_(bound, n);
    }
}

/* Private: returns the cheapest memory between a and b, with its bounds. */
LL_FN ll_best_memory_ ll_memory_choose_(const ll_layout *a, const ll_layout *b,
                                        unsigned scale, const ll_target *t) {
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    const ll_span_ common = ll_common_registers_(&ra, &rb, scale);
    ll_best_memory_ best = ll_best_memory_start_(a, b, &common, scale, t);
    ll_try_vectors_(&best, a, b, common, scale, t);
    ll_try_matrices_(&best, a, b, LL_WRITE, scale, t);
    ll_try_matrices_(&best, b, a, LL_READ, scale, t);
    if (best.vectors < best.worth) {
        ll_try_widths_(&best, a, b, scale, t);
    }
    return best;
}

/* ll_swizzle(a, b, element_bits, t): returns the cheapest memory layout, from
 * offset to tensor, for a conversion from registers of layout a to registers of
 * layout b. The cost is the number of wavefronts of stores and loads together;
 * a tie goes to fewer accesses and byte permutes. Only vector accesses are
 * considered: each lane moves the bytes at its own address. No other memory
 * takes fewer wavefronts, whatever the columns of a and b are: the result
 * always reaches a lower bound, which is computed from ranks alone. (A phase
 * must not have more lanes than there are banks for its words; this holds for
 * all targets of both vendors.) The sum of accesses and byte permutes is low,
 * but not always minimal: a search found a lower sum for about 1 of 100 pairs
 * of layouts with columns of several bits. ll_plan keeps the bound in `fewest`,
 * and ll_explain shows it. For one side alone pass the same layout as a and b.
 * Each side makes the widest accesses that its registers allow. Where a kernel
 * makes narrower ones, as a loop over single elements does, say so with
 * ll_swizzle_by.
 * (Paper, section 5.4 and appendix, "Optimal Swizzling", for columns of one bit
 * each.) Fails with LL_EMATCH, LL_ENOSOLUTION, LL_EELEMENT, LL_ELANES,
 * LL_EBLOCK, LL_EPAIR (4 bits).
 * Example: ll_swizzle(L("register: i0 j0 | lane: j1 j2 i1 i2 i3"),
 *          L("register: j0 i1 | lane: i0 i2 i3 j1 j2"), 4, LL_SM90) is
 *          L("offset: j0 i0 j1 j2 i1 i2 i3");
 */
LL_FN ll_layout ll_swizzle(ll_layout a, ll_layout b, unsigned element_bits,
                           ll_target t) {
    a = ll_hardware_(a);
    b = ll_hardware_(b);
    if (element_bits == 4u) {
        const ll_layout x = ll_places_map_(&a, &b, 8, &t, LL_FIRST);
        b = x.err ? b : ll_layout_onto_(b, &a.out);
        const ll_pairs_ p = ll_pairs_of_(&a, &b, 0);
        const ll_layout m =
            p.u ? ll_swizzle(ll_nibbles_paired_(&a, p.before, p.u),
                             ll_nibbles_paired_(&b, p.after, p.u), 8, t)
                : ll_layout_bad_(x, LL_EPAIR);
        return x.err ? x : m.err ? m : ll_nibbles_unpaired_(&m, &a, p);
    }
    const int blocks = a.in.bits[3] || b.in.bits[3];
    const ll_layout x =
        ll_places_map_(&a, &b, element_bits, &t, blocks ? LL_LOCAL : LL_FIRST);
    if (x.err || (blocks && !ll_is_trivial(x, "block"))) {
        return ll_layout_bad_(x, LL_EBLOCK);
    }
    const ll_shape out = a.out;
    b = ll_layout_onto_(ll_in_block_(b), &out);
    a = ll_in_block_(a);
    t = ll_without_forms_(ll_without_forms_(t, LL_READ), LL_WRITE);
    return ll_memory_choose_(&a, &b, ll_element_scale_(element_bits), &t).m;
}

/* Private: one access of a lane takes the elements of 2^n registers. Returns
 * the mask of their n register bits: the next choice after the mask x, or ~0u
 * after the last one. n = LL_NO_BITS_: all bits. x = ~0u: the first choice. */
LL_FN unsigned ll_next_choice_(const ll_layout *a, unsigned n, unsigned x) {
    const unsigned all = ll_ones_(a->in.bits[0]);
    if (n >= a->in.bits[0]) {
        return x == ~0u ? all : ~0u;
    }
    for (++x; x <= all; ++x) {
        if (ll_popcount_(x) == n) {
            return x;
        }
    }
    return ~0u;
}

/* Private: returns the cost of all accesses of one side, if one access takes
 * its elements from the registers of `part`, a part of a. */
LL_FN unsigned long long ll_parts_cost_(const ll_layout *a,
                                        const ll_layout *part,
                                        const ll_layout *m, unsigned scale,
                                        unsigned op, const ll_target *t) {
    const ll_step s = ll_step_between_(part, m, scale, op, t);
    return ll_step_cost_(&s) << (a->in.bits[0] - part->in.bits[0]);
}

#define LL_MOST_CHOICES_ 256u

/* Private: returns the cheapest memory in which an access takes 2^n[0] elements
 * of a, and one 2^n[1] of b. It tries at most LL_MOST_CHOICES_ choices. */
LL_FN ll_layout ll_memory_by_(const ll_layout *a, const ll_layout *b,
                              const unsigned *n, unsigned scale,
                              const ll_target *t) {
    ll_layout best = *a;
    unsigned long long least = ~0ull;
    unsigned tried = 0;
    for (unsigned x = ll_next_choice_(a, n[0], ~0u); x != ~0u;
         x = ll_next_choice_(a, n[0], x)) {
        const ll_layout from = ll_drop_registers_(*a, ~x);
        for (unsigned y = ll_next_choice_(b, n[1], ~0u);
             y != ~0u && tried < LL_MOST_CHOICES_;
             y = ll_next_choice_(b, n[1], y), ++tried) {
            const ll_layout to = ll_drop_registers_(*b, ~y);
            const ll_layout m = ll_memory_choose_(&from, &to, scale, t).m;
            const unsigned long long cost =
                ll_parts_cost_(a, &from, &m, scale, LL_WRITE, t) +
                ll_parts_cost_(b, &to, &m, scale, LL_READ, t);
            best = cost < least ? m : best;
            least = cost < least ? cost : least;
        }
    }
    return best;
}

/* Private: returns memory m with the columns of a that it lacks. These differ
 * between accesses alone, so they change no bank. */
LL_FN ll_layout ll_memory_whole_(ll_layout m, const ll_layout *a) {
    ll_span_ all = ll_span_of_columns_(&m, 0, m.in.bits[0]);
    const ll_span_ more = ll_span_of_columns_(a, 0, ll_shape_bits_(&a->in));
    ll_span_append_(&all, &more, LL_MAX_BITS);
    for (unsigned k = m.in.bits[0]; k < all.n; ++k) {
        m.basis[k] = all.v[k];
    }
    m.in.bits[0] = (unsigned short)all.n;
    return m;
}

/* ll_swizzle_by(a, b, element_bits, t, write_bytes, read_bytes): returns the
 * memory layout of ll_swizzle for accesses of at most write_bytes bytes from a,
 * and read_bytes bytes to b; 0: as wide as the registers allow. Narrower
 * accesses bring more lanes into one wavefront, and these must not meet in a
 * bank. A reader that takes one float at a time has read_bytes 4:
 *
 *     ll_swizzle_by(rows, cols, 32, LL_SM90, 0, 4)
 *
 * Which registers an access takes together is chosen; ll_widest and
 * ll_wavefronts count for the result. Fails as ll_swizzle does, with LL_EACCESS
 * for bytes that are no power of two, below an element's or above the target's
 * widest access, and with LL_EELEMENT for elements of 4 bits.
 * Example: ll_swizzle_by(L("register: j0 | lane: j1 j2 j3 j4 i0"),
 *          L("register: i0 | lane: j0 j1 j2 j3 j4"), 32, LL_SM90, 3, 4).err is
 *          LL_EACCESS;
 */
LL_FN ll_layout ll_swizzle_by(ll_layout a, ll_layout b, unsigned element_bits,
                              ll_target t, unsigned write_bytes,
                              unsigned read_bytes) {
    const unsigned scale = ll_element_scale_(element_bits);
    const unsigned bytes[2] = {write_bytes, read_bytes};
    unsigned n[2] = {LL_NO_BITS_, LL_NO_BITS_}; /* elements, by side */
    ll_layout best = ll_swizzle(a, b, element_bits, t);
    if (element_bits == 4u) {
        return ll_layout_bad_value_(best, LL_EELEMENT, 4);
    }
    for (unsigned k = 0; k < 2u && !best.err; ++k) {
        const unsigned log = ll_log2_(bytes[k]);
        if (bytes[k] && (log < scale || bytes[k] > t.access_bytes ||
                         log == LL_NO_BITS_)) {
            return ll_layout_bad_value_(best, LL_EACCESS, bytes[k]);
        }
        n[k] = bytes[k] ? log - scale : LL_NO_BITS_;
    }
    if (best.err) {
        return best;
    }
    a = ll_hardware_(a);
    b = ll_in_block_(ll_layout_onto_(ll_hardware_(b), &a.out));
    a = ll_in_block_(a);
    t = ll_without_forms_(ll_without_forms_(t, LL_READ), LL_WRITE);
    return ll_memory_whole_(ll_memory_by_(&a, &b, n, scale, &t), &a);
}

#endif
