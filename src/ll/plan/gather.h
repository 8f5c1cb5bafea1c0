/* ---- Gathers ---------------------------------------------------------- */
#ifndef LL_PLAN_GATHER_H
#define LL_PLAN_GATHER_H

#include "reduce.h"

/* A gather along j computes out[i, j] = src[i, index[i, j]]; a gather along i
 * computes src[index[i, j], j]. The place of the wanted element in the source
 * is a linear map of the register, lane and warp of the index, without the
 * axis, and of the bits of the index. The planner therefore solves for the bits
 * of an index as if they were further register bits. The place is the XOR of
 * three parts: of the thread, of the register (a literal), and of the index. It
 * is a register (position) and a lane, or an address. */
typedef struct ll_gather_plan {
    unsigned err;
    unsigned lanes;        /* of a warp */
    unsigned threads;      /* of a block */
    unsigned kind;         /* LL_REGISTERS, LL_SHUFFLES or LL_SHARED */
    unsigned element_bits; /* of one element */
    unsigned from_bits;    /* log2 of the registers of the source */
    unsigned to_bits;      /* log2 of the registers of index and result */
    unsigned axis_bits;    /* lowest bits of an index that are used */
    unsigned smem_bytes;   /* of shared memory */
    unsigned cycles;       /* of a warp, estimated, for random indices */
    unsigned next_kind;    /* of the best plan of another kind, or .kind */
    unsigned next_cycles;  /* and its cycles */
    unsigned choice;       /* log2 of the positions an index selects from */
    unsigned logic;        /* selects, permutes and index arithmetic */
    unsigned n;            /* steps of the source, before the fetch */
    ll_step step[4];       /* RENAME; with memory also SELECT, STORE, SYNC */
    ll_step turn;          /* selects indices before the fetch, results after */
    ll_step fetch;         /* places: bytes, or position and lane above it */
    ll_map value;          /* index -> its part of the place */
    ll_layout memory;      /* offset -> tensor, where memory is used */
    ll_lack lacks;
} ll_gather_plan;

/* Private: returns the elements of a that b asks for along axis d, over the
 * inputs of b, with the bits of an index above its registers. */
LL_FN ll_layout ll_gather_asked_(const ll_layout *a, const ll_layout *b,
                                 unsigned d) {
    const unsigned from = ll_shape_find_(&b->out, a->out.dim[d]);
    const unsigned n = b->in.bits[0];
    const unsigned axis = a->out.bits[d];
    ll_shape in = b->in;
    ll_shape out = b->out;
    in.bits[0] = (unsigned short)(in.bits[0] + axis);
    if (from < out.n) {
        out.bits[from] = (unsigned short)axis;
    }
    if (!ll_shape_fits_both_(&out, &a->out)) {
        return ll_layout_none_(LL_EMATCH);
    }
    if (ll_shape_start_(&in, in.n) > LL_MAX_BITS) {
        return ll_layout_none_(LL_EBITS);
    }
    const unsigned along = ll_shift_(ll_ones_(b->out.bits[from]),
                                   ll_shape_start_(&b->out, from));
    ll_layout g = ll_zero(in, a->out);
    for (unsigned k = 0; k < ll_shape_bits_(&b->in); ++k) {
        g.basis[k < n ? k : k + axis] =
            ll_shape_repack_(b->basis[k] & ~along, &b->out, &a->out);
    }
    for (unsigned k = 0; k < axis; ++k) {
        g.basis[n + k] = 1u << (ll_shape_start_(&a->out, d) + k);
    }
    g.offset = ll_shape_repack_(b->offset & ~along, &b->out, &a->out);
    return g;
}

/* Private: returns half of `count`, for work on indices alone, which several
 * gathers may share. */
LL_FN unsigned ll_reused_(unsigned count) { return count / 2u; }

/* Private: splits the places y into the parts of thread, register and index.
 * Each term of the index's map takes a shift, unless its distance is 0, and one
 * instruction that masks and XORs. */
LL_FN void ll_gather_parts_of_(ll_gather_plan *p, const ll_layout *y) {
    const ll_shape none = LL_ZERO;
    ll_step *s = &p->fetch;
    const ll_shape in = ll_shape_add_(none, LL_REGISTER, p->axis_bits);
    ll_layout value = ll_zero(in, y->out);
    const ll_layout thread = ll_thread_places_(y, y->offset, 0);
    s->bits = s->at.n = p->to_bits;
    for (unsigned k = 0; k < p->to_bits; ++k) {
        s->at.reg[k] = 1u << k;
        s->at.place[k] = y->basis[k];
    }
    for (unsigned k = 0; k < p->axis_bits; ++k) {
        value.basis[k] = y->basis[p->to_bits + k];
    }
    s->touched = ll_columns_beyond_(&thread, 0) | thread.offset |
                 ll_columns_beyond_(&value, 0);
    s->thread = ll_map_of(thread);
    p->value = ll_map_of(value);
    for (unsigned k = 0; k < p->value.n; ++k) {
        p->logic += ll_reused_((p->value.shift[k] ? 2u : 1u) << p->to_bits);
    }
}

/* Private: returns a basis of the source's registers. Index and thread select
 * among the 2^*choice registers that its first *choice vectors span. */
LL_FN ll_span_ ll_chosen_(const ll_layout *x, unsigned to_bits,
                          unsigned *choice) {
    const ll_span_ units = ll_span_units_(0, x->out.bits[0]);
    ll_span_ moved = LL_ZERO;
    ll_span_ fixed = LL_ZERO;
    for (unsigned k = 0; k < ll_shape_bits_(&x->in); ++k) {
        ll_span_push_(k < to_bits ? &fixed : &moved,
                      ll_place_register_(x, x->basis[k]));
    }
    ll_span_ all = ll_span_intersect_(&units, &moved);
    *choice = all.n;
    ll_span_append_(&moved, &fixed, LL_MAX_BITS);
    const ll_span_ rest = ll_span_intersect_(&units, &moved);
    ll_span_append_(&all, &rest, LL_MAX_BITS);
    return all;
}

/* Private: returns the estimated cycles, as ll_plan_cycles_ does, but with less
 * weight on index arithmetic, which several gathers often share. A gather
 * within a warp keeps source, indices and result live, and over LL_MANY_WORDS_
 * words slow it down. (Both measured: bench/device/gather.cu.) */
#define LL_MANY_WORDS_ 128u
LL_FN unsigned ll_gather_cycles_(const ll_gather_plan *p, unsigned pipe,
                                 unsigned wait, const ll_target *t) {
    const unsigned pack = ll_elements_per_word_(p->element_bits);
    const unsigned logic = p->logic * t->cost[LL_COST_LOGIC] * 4u / 5u;
    const unsigned words =
        ll_word_count_(p->from_bits, pack, p->element_bits) +
        ll_word_count_(p->to_bits, pack, p->element_bits) + (1u << p->to_bits);
    const unsigned cycles = ((pipe > logic ? pipe : logic) + wait + 7u) / 8u;
    return p->kind != LL_SHARED && words > LL_MANY_WORDS_
               ? cycles * words / LL_MANY_WORDS_
               : cycles;
}

/* Private: returns a gather that stays in its warp. The index names a lane, and
 * each word of it that may hold the element is fetched. The index then selects
 * the word, and the element within the word. A shuffle from a lane named by an
 * index costs a 32nd more: 64 and 128 shuffles took 66.2 and 131.9 cycles. */
LL_FN ll_gather_plan ll_gather_in_warp_(ll_gather_plan p, const ll_layout *x,
                                        const ll_target *t) {
    const ll_span_ from = ll_chosen_(x, p.to_bits, &p.choice);
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    const unsigned parts = ll_element_words_(p.element_bits);
    ll_span_ regs = LL_ZERO;
    ll_layout y = *x;
    for (unsigned k = 0; k < ll_shape_bits_(&x->in); ++k) {
        ll_span_push_(&regs, ll_place_register_(x, x->basis[k]));
    }
    const ll_span_ terms = ll_span_terms_(&from, &regs);
    for (unsigned k = 0; k < terms.n; ++k) {
        y.basis[k] = terms.v[k] | ll_place_lane_(x, x->basis[k]) << from.n;
    }
    y.offset = ll_place_lane_(x, x->offset) << from.n;
    ll_gather_parts_of_(&p, &y);
    p.n = 1;
    p.step[0] =
        ll_step_renaming_(&from, ll_place_register_(x, x->offset), pack);
    p.step[0].count = ll_permutes_(&p.step[0].at, p.element_bits,
                                   pack < p.from_bits ? pack : p.from_bits,
                                   p.step[0].pack);
    const unsigned words = p.choice > pack ? 1u << (p.choice - pack) : 1u;
    p.kind = ll_output_stays_(x, 1) ? LL_REGISTERS : LL_SHUFFLES;
    p.fetch.op = p.kind == LL_SHUFFLES ? LL_OP_SHUFFLE : LL_OP_SELECT;
    p.fetch.pack = p.step[0].pack;
    p.fetch.count = (p.kind == LL_SHUFFLES ? words : words - 1u) * parts
                    << p.to_bits;
    p.logic += (((words - 1u) * parts + (pack ? 1u : 0u)) << p.to_bits) +
               p.step[0].count;
    const unsigned pipe = p.fetch.count * t->cost[LL_COST_SHUFFLE];
    p.cycles = ll_gather_cycles_(
        &p, p.kind == LL_SHUFFLES ? pipe + pipe / 32u : 0u, 0, t);
    return p;
}

/* Private: returns the probability, in units of 2^-16, that one of 2^banks
 * banks gets more than m of n requests, if `count` banks do on average. It is 1
 * if there are more than m requests per bank. If two banks cannot, it is the
 * average N; otherwise it is about N (1 + N) / (1 + N + N^2). */
LL_FN unsigned long long ll_one_bank_(unsigned n, unsigned m, unsigned banks,
                                      unsigned long long count) {
    const unsigned long long one = 1ull << 16;
    const unsigned long long up = count * (one + count) / one;
    return m << banks < n      ? one
           : 2u * (m + 1u) > n ? (count < one ? count : one)
                               : up * one / (up + one);
}

/* Private: returns the expected number of requests, in eighths, to the busiest
 * bank. In each of 2^groups groups, n requests go to its 2^banks banks at
 * random; a bank has `most` different words. More than m requests to a bank are
 * a binomial tail, in units of 2^-50. Groups are independent. */
LL_FN unsigned ll_bank_busiest_(unsigned groups, unsigned n, unsigned banks,
                                unsigned most) {
    const unsigned limit = n < most ? n : most;
    const unsigned long long one = 1ull << 16;
    unsigned long long exact = 1ull << 50;
    unsigned long long sum = one; /* probabilities of more than 0, 1, .. */
    if (banks == 0) {
        return 8u * limit;
    }
    for (unsigned k = 0; k < n; ++k) {
        exact -= exact >> banks;
    }
    unsigned long long more = (1ull << 50) - exact;
    for (unsigned m = 1; m < limit; ++m) {
        exact = exact * (n - m + 1u) / m / ((1ull << banks) - 1u);
        more -= exact < more ? exact : more;
        unsigned long long none =
            one - ll_one_bank_(n, m, banks, more << banks >> 34);
        for (unsigned k = 0; k < groups; ++k) {
            none = none * none / one;
        }
        sum += one - none;
    }
    return (unsigned)(8u * sum / one);
}

/* Private: returns the wavefronts, in eighths, of a warp that reads one element
 * per lane, for random bits of the index. x maps registers, with the index
 * above them, and lanes to offsets. */
LL_FN unsigned ll_random_waves_(const ll_layout *x, unsigned to_bits,
                                unsigned scale, const ll_target *t) {
    const unsigned last = t->banks[LL_READ][ll_access_width_(1u << scale)] - 1u;
    ll_target apart = *t;
    apart.merge = 0; /* equal lanes may have different indices */
    unsigned lane[6] = LL_ZERO;
    ll_echelon_ words = LL_ZERO;
    ll_echelon_ banks = LL_ZERO;
    ll_lane_bytes_(x, scale, lane);
    const ll_phase_ p = ll_phase_of_(lane, 1u << scale, LL_READ, &apart);
    for (unsigned k = to_bits; k < x->in.bits[0]; ++k) {
        const unsigned word = ll_shift_(x->basis[k], scale) / t->bank_bytes;
        ll_echelon_load_(&words, word, 0);
        ll_echelon_load_(&banks, word & last, 0);
    }
    ll_echelon_ random = banks;
    for (unsigned k = 0; k < p.n; ++k) {
        const unsigned word =
            ll_lane_address_(lane, p.number[k]) / t->bank_bytes;
        ll_echelon_load_(&words, word, 0);
        ll_echelon_load_(&banks, word & last, 0);
    }
    const unsigned some = ll_echelon_rank_(&random);
    const unsigned groups = ll_echelon_rank_(&banks) - some;
    const unsigned deep = ll_echelon_rank_(&words) - ll_echelon_rank_(&banks);
    return (t->lanes >> p.n) *
           ll_bank_busiest_(groups, 1u << (p.n - groups), some,
                            deep < 16u ? 1u << deep : 1u << 16);
}

/* Private: the order in which lanes take the registers of the index. Lanes that
 * request one row of the tensor hit the same few banks. If each lane XORs the
 * order of its rows with its number, the rows that lanes read at one time can
 * lie in different banks. The lanes of the source then store in different
 * orders too. Both lists give, per thread bit, the XOR to a register number: of
 * the source in `from`, of the index in `to`. */
typedef struct ll_skew_ {
    ll_span_ from;
    ll_span_ to;
} ll_skew_;

/* Private: gives one more lane bit an order of its own. The lane bit must not
 * affect the request, apart from the index. Source a and request g are sheared,
 * so that they describe what lanes access at one time. Returns 0 if there is no
 * such lane bit, or no register for it. */
LL_FN int ll_skew_more_(ll_skew_ *s, ll_layout *a, ll_layout *g,
                        unsigned to_bits) {
    const unsigned lane_a = a->in.bits[0];
    const unsigned lane_g = g->in.bits[0];
    const ll_span_ regs = ll_span_of_columns_(a, 0, lane_a);
    const ll_span_ lanes =
        ll_span_of_columns_(g, lane_g, lane_g + g->in.bits[1]);
    for (unsigned t = 0; t < lanes.n; ++t) {
        for (unsigned k = 0; lanes.v[t] == 0 && k < to_bits; ++k) {
            ll_span_ row = LL_ZERO;
            ll_span_push_(&row, g->basis[k]);
            if (!ll_in_span_(&row, &lanes) && ll_in_span_(&row, &regs)) {
                s->to.v[t] = 1u << k;
                s->from.v[t] = ll_span_terms_(&regs, &row).v[0];
                a->basis[lane_a + t] ^= row.v[0];
                g->basis[lane_g + t] = row.v[0];
                return 1;
            }
        }
    }
    return 0;
}

/* Private: sorts columns from..to-1, so that index bits shift together. */
LL_FN void ll_columns_sort_(ll_layout *m, unsigned from, unsigned to) {
    for (unsigned k = from; k < to; ++k) {
        for (unsigned l = k; l > from && m->basis[l] < m->basis[l - 1u]; --l) {
            const unsigned y = m->basis[l];
            m->basis[l] = m->basis[l - 1u];
            m->basis[l - 1u] = y;
        }
    }
}

/* Private: returns memory for a gather from a to g. The first 2^vector
 * different elements of a lane are contiguous. If data stays in its warp
 * (`own`), each warp has its own part of the memory. */
LL_FN ll_layout ll_gather_memory_(ll_layout a, ll_layout g, int own,
                                  unsigned vector, unsigned scale,
                                  const ll_target *t) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ regs = ll_span_of_columns_(&a, 0, a.in.bits[0]);
    const unsigned end = ll_shape_bits_(&a.in);
    ll_span_ low = ll_span_independent_(&none, &regs);
    low.n = low.n < vector ? low.n : vector;
    if (own) {
        a.in.n = g.in.n = 2;
    }
    const ll_span_ warps = ll_span_of_columns_(&a, ll_shape_bits_(&a.in), end);
    ll_layout m = ll_memory_arrange_(&a, &g, &low, ll_way_of_vectors_(low.n),
                                     ll_way_of_vectors_(0), scale, t);
    const unsigned n = m.in.bits[0];
    const unsigned high = n - ll_banks_above_(n, scale, LL_READ, scale, t);
    const unsigned word = ll_elements_per_word_(8u << scale);
    ll_columns_sort_(&m, low.n > word ? low.n : word, high);
    ll_columns_sort_(&m, high, n);
    for (unsigned k = 0; k < warps.n; ++k) {
        m.basis[m.in.bits[0]] = warps.v[k];
        ++m.in.bits[0];
    }
    return m;
}

/* Private: adds the steps that store the source in memory. Returns 0 if the
 * skew splits a word or stores one twice. */
LL_FN int ll_gather_store_steps_(ll_gather_plan *p, const ll_layout *a,
                                 const ll_skew_ *skew, unsigned scale,
                                 const ll_target *t) {
    const unsigned bits = p->element_bits;
    const unsigned pack = ll_elements_per_word_(bits);
    const ll_layout x = ll_solve(p->memory, *a, LL_FIRST);
    const ll_step store = ll_step_by_vectors_(&x, scale, LL_WRITE, t);
    ll_span_ regs = LL_ZERO;
    for (unsigned k = 0; k < store.at.n; ++k) {
        ll_span_push_(&regs, store.at.reg[k]);
    }
    const ll_span_ by = ll_span_terms_(&regs, &skew->from);
    const int on = ll_span_or_(&skew->from) != 0;
    p->step[0] = ll_step_forth_(&store.at, store.pack);
    p->step[0].count = ll_permutes_(&store.at, bits,
                                    pack < p->from_bits ? pack : p->from_bits,
                                    store.pack);
    p->n = 1;
    if (on) {
        p->step[1] = ll_step_selects_(&by, store.at.n, store.pack, bits);
        p->n = 2;
    }
    p->step[p->n] = ll_step_addressed_(store, a, &p->memory, scale, t);
    ++p->n;
    return !on || (store.at.copies == 0 &&
                   (ll_span_or_(&by) & ll_ones_(store.pack)) == 0);
}

/* Private: returns the layout with its outputs multiplied by 2^scale. */
LL_FN ll_layout ll_layout_scaled_(ll_layout x, unsigned scale) {
    for (unsigned k = 0; k < ll_shape_bits_(&x.in); ++k) {
        x.basis[k] = ll_shift_(x.basis[k], scale);
    }
    x.offset = ll_shift_(x.offset, scale);
    return x;
}

/* Private: returns a gather through memory, stored by 2^vector elements. */
LL_FN ll_gather_plan ll_gather_through_(ll_gather_plan p, const ll_layout *a,
                                        const ll_layout *g,
                                        const ll_skew_ *skew, int own,
                                        unsigned vector, const ll_target *t) {
    const unsigned scale = ll_element_scale_(p.element_bits);
    p.kind = LL_SHARED;
    p.memory = ll_gather_memory_(*a, *g, own, vector, scale, t);
    if (p.memory.in.bits[0] + scale >= 32u ||
        !ll_gather_store_steps_(&p, a, skew, scale, t)) {
        p.err = p.memory.in.bits[0] + scale >= 32u ? LL_EBITS : LL_EKIND;
        return p;
    }
    p.smem_bytes = 1u << (p.memory.in.bits[0] + scale);
    const ll_layout x = ll_solve(p.memory, *g, LL_FIRST);
    const unsigned waves = ll_random_waves_(&x, p.to_bits, scale, t);
    const ll_layout y = ll_layout_scaled_(x, scale);
    ll_gather_parts_of_(&p, &y);
    p.turn = ll_step_selects_(&skew->to, p.to_bits, 0, 32);
    p.fetch.op = LL_OP_LOAD;
    p.fetch.count = 1u << p.to_bits;
    p.fetch.bytes = 1u << scale;
    p.fetch.wavefronts = (waves + 4u) / 8u;
    const ll_step *store = &p.step[p.n - 1u];
    p.step[p.n].op = own ? LL_OP_SYNC_WARP : LL_OP_SYNC_BLOCK;
    const unsigned turns = ll_reused_(p.turn.count) +
                           p.turn.count * ll_element_words_(p.element_bits);
    const unsigned before = p.step[0].count + (p.n > 2u ? p.step[1].count : 0u);
    ++p.n;
    p.logic += turns + before;
    p.cycles = ll_gather_cycles_(
        &p,
        (store->count * store->wavefronts + p.fetch.count * waves / 8u) *
            t->cost[LL_COST_MEMORY],
        t->cost[own ? LL_COST_WARP : LL_COST_BLOCK], t);
    return p;
}

/* The most words per lane for a skew, half of the registers of a thread: with
 * more words, register spills would cost more than the skew saves. */
#define LL_MAX_SKEWED_ 128u

/* Private: returns the cheapest gather through memory. It tries stores of one
 * word and the widest, and skews lane bits while that helps. */
LL_FN ll_gather_plan ll_gather_shared_(ll_gather_plan p, ll_layout a,
                                       ll_layout g, const ll_layout *x,
                                       const ll_target *t) {
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    const unsigned most =
        ll_widest_access_(ll_element_scale_(p.element_bits), t);
    ll_gather_plan best = p;
    a = ll_in_block_(a);
    g = ll_in_block_(g);
    const int own = ll_output_stays_(x, 2) && ll_spare_threads_(&a) < t->lanes;
    ll_skew_ skew = LL_ZERO; /* 0 for each thread bit: no order changes */
    skew.from.n = skew.to.n = ll_shape_bits_(&g.in) - g.in.bits[0];
    const unsigned bits = p.from_bits > p.to_bits ? p.from_bits : p.to_bits;
    const int few = ll_word_count_(bits, 0, p.element_bits) <= LL_MAX_SKEWED_;
    int more = 1;
    best.err = LL_EKIND;
    while (more) {
        const unsigned before = best.cycles;
        for (unsigned v = pack; v <= most; v += most > v ? most - v : 1u) {
            const ll_gather_plan q =
                ll_gather_through_(p, &a, &g, &skew, own, v, t);
            if (!ll_plan_is_cheaper_(best.err, best.cycles, q.err, q.cycles)) {
                best = q;
            }
        }
        more = best.cycles != before && few &&
               ll_skew_more_(&skew, &a, &g, p.to_bits);
    }
    return best;
}

/* Private: returns the cheaper of two gathers; the other is its runner-up. */
LL_FN ll_gather_plan ll_cheaper_gather_(const ll_gather_plan *a,
                                        const ll_gather_plan *b) {
    const int first = ll_plan_is_cheaper_(a->err, a->cycles, b->err, b->cycles);
    ll_gather_plan p = first ? *a : *b;
    const ll_gather_plan *other = first ? b : a;
    p.next_kind = other->err ? p.kind : other->kind;
    p.next_cycles = other->err ? 0u : other->cycles;
    return p;
}

/* Private: returns the cheapest gather of this kind, or of LL_ANY. */
LL_FN ll_gather_plan ll_gather_(ll_layout a, ll_layout b, ll_dim d,
                                unsigned element_bits, ll_target t,
                                unsigned kind) {
    ll_gather_plan p = LL_ZERO;
    a = ll_hardware_(a);
    b = ll_with_warps_(ll_hardware_(b), &a);
    a = ll_with_warps_(a, &b);
    p.err = a.err ? a.err : b.err;
    const unsigned axis = ll_axis_at_(&a.out, d);
    p.err = !p.err && axis >= a.out.n ? (unsigned)LL_EMISSING : p.err;
    p.err = !p.err && kind > LL_ANY ? (unsigned)LL_ENOKIND : p.err;
    if (p.err) {
        return p;
    }
    p.lanes = t.lanes;
    p.threads = ll_threads_of_(&a);
    const ll_layout g = ll_gather_asked_(&a, &b, axis);
    ll_layout x = ll_places_map_(&a, &g, element_bits, &t, LL_LOCAL);
    p.err = x.err || ll_is_trivial(x, "block") ? x.err : (unsigned)LL_EBLOCK;
    if (p.err) {
        a = p.err == LL_ENOSOLUTION ? ll_layout_holding_(a, axis) : a;
        p.lacks = ll_lack_of_(&a);
        p.err = a.err ? a.err : p.err;
        return p;
    }
    p.element_bits = ll_element_held_(element_bits);
    p.from_bits = a.in.bits[0];
    p.to_bits = b.in.bits[0];
    p.axis_bits = a.out.bits[axis];
    ll_gather_plan warp = p;
    ll_gather_plan memory = p;
    warp.err = memory.err = LL_EKIND;
    if (kind != LL_SHARED && ll_output_stays_(&x, 2)) {
        warp = ll_gather_in_warp_(p, &x, &t);
        warp.err = kind != LL_ANY && kind != warp.kind ? LL_EKIND : LL_OK;
    }
    if (kind == LL_SHARED || kind == LL_ANY) {
        memory = ll_gather_shared_(p, a, g, &x, &t);
    }
    return ll_cheaper_gather_(&warp, &memory);
}

/* ll_gather_of(a, b, d, element_bits, t): returns the plan that gathers
 * elements of a source of layout a along axis d by indices of layout b, at the
 * least cost for random indices: within each lane, by shuffles within each
 * warp, or through shared memory. The result has layout b as well: out[i, j] =
 * src[i, index[i, j]] for LL_J, src[index[i, j], j] for LL_I. Both tensors have
 * the same axes and, except for axis d, the same sizes. Only the lowest
 * p.axis_bits bits of an index are used, so an index out of range fetches some
 * element but never reads out of bounds. (Paper, section 5.5, "Optimized
 * Codegen for Gather"; there an axis within a warp is always shuffled.)
 *
 * ll_gather_by(.., kind): returns the plan of exactly that kind.
 *
 * p.err tells why there is no plan: LL_EMISSING (no such axis), LL_EHARDWARE,
 * LL_EMATCH, LL_EHELD (a does not hold all of the axis: p.lacks names a bit),
 * LL_ENOSOLUTION, LL_EELEMENT, LL_ELANES, LL_EBLOCK, LL_EKIND, LL_ENOKIND.
 * Example: ll_gather_of(L("register: j0 j1 | lane: i0 i1 i2 i3 i4"),
 *          L("register: j0 j1 | lane: i0 i1 i2 i3 i4"), LL_J, 8, LL_SM90)
 *          .kind is LL_REGISTERS;
 * Example: ll_gather_of(L("lane: j0 j1 j2 j3 j4"), L("lane: j0 j1 j2 j3 j4"),
 *          LL_J, 32, LL_SM90).kind is LL_SHUFFLES;
 */
LL_FN ll_gather_plan ll_gather_of(ll_layout a, ll_layout b, ll_dim d,
                                  unsigned element_bits, ll_target t) {
    return ll_gather_(a, b, d, element_bits, t, LL_ANY);
}

LL_FN ll_gather_plan ll_gather_by(ll_layout a, ll_layout b, ll_dim d,
                                  unsigned element_bits, ll_target t,
                                  unsigned kind) {
    return ll_gather_(a, b, d, element_bits, t, kind);
}

#endif
