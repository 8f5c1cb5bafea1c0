/* ---- Memory accesses of a step ---------------------------------------- */
#ifndef LL_PLAN_ACCESSES_H
#define LL_PLAN_ACCESSES_H

#include "../layout/questions.h"
#include "../layout/spans.h"
#include "steps.h"

/* The registers that form one access of a step: by vectors or by matrices, for
 * stores to memory and loads from it. */

/* How one side accesses the lowest vectors of memory: the form and, for vector
 * accesses, the number of these vectors in one access. */
typedef struct ll_way_ {
    unsigned form;
    unsigned vector;
} ll_way_;

/* Private: returns, for each bit of the number of a lane that names a row, the
 * tensor vector by which the bit moves the row: the column of a lane bit, or a
 * register that is independent of the vectors of a row, or 0. */
LL_FN ll_span_ ll_matrix_rows_(const ll_layout *a, const ll_span_ *row,
                               ll_form form) {
    const ll_span_ regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ more = ll_span_independent_(row, &regs);
    ll_span_ rows = LL_ZERO;
    unsigned next = 0;
    for (unsigned d = 8; d < 14u; ++d) {
        const unsigned k = ll_form_stands_for_(form, d);
        const int reg = k < LL_LANE_DIGITS_ && next < more.n;
        ll_span_push_(&rows,
                      reg ? more.v[next]
                      : k < LL_LANE_DIGITS_ || k == LL_DIGITS_
                          ? 0u
                          : a->basis[a->in.bits[0] + k - LL_LANE_DIGITS_]);
        next += reg ? 1u : 0u;
    }
    return rows;
}

/* Private: returns log2 of the 2^scale-byte elements in the widest access. */
LL_FN unsigned ll_widest_access_(unsigned scale, const ll_target *t) {
    unsigned bytes = ll_log2_(t->access_bytes);
    return bytes > scale ? bytes - scale : 0u;
}

/* Private: the same for the target's widest store or load. */
LL_FN unsigned ll_widest_by_(unsigned scale, unsigned op, const ll_target *t) {
    const unsigned widest = ll_widest_access_(scale, t);
    const unsigned store = ll_shift_down_(t->store_bytes, scale);
    return op == LL_WRITE && store && ll_log2_(store) < widest
               ? ll_log2_(store)
               : widest;
}

/* Private: returns the thread bits with columns that depend on earlier columns.
 * A thread with one of these bits holds only copies. */
LL_FN unsigned ll_spare_threads_(const ll_layout *x) {
    return ll_shift_down_(ll_free_bits(*x), x->in.bits[0]);
}

/* Private: returns log2 of the elements that fit in a word: 4 of one byte, 2 of
 * two, else 1. `pack` is log2 of the elements that a word does hold. */
LL_FN unsigned ll_elements_per_word_(unsigned element_bits) {
    return ll_word_bits_(ll_element_scale_(element_bits));
}

/* Private: returns the words per element; 1 if it is smaller than a word. */
LL_FN unsigned ll_element_words_(unsigned element_bits) {
    return element_bits > 32u ? element_bits / 32u : 1u;
}

/* Private: returns the words of 2^bits elements, 2^pack to a word. */
LL_FN unsigned ll_word_count_(unsigned bits, unsigned pack,
                              unsigned element_bits) {
    return (bits > pack ? 1u << (bits - pack) : 1u) *
           ll_element_words_(element_bits);
}

/* Private: returns the rank of the source words of one word, when a renaming
 * turns words of 2^before elements into words of 2^after elements. */
LL_FN unsigned ll_word_rank_(const ll_access *m, unsigned before,
                             unsigned after) {
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = 0; k < after && k < m->n; ++k) {
        ll_echelon_load_(&r, m->reg[k] >> before, 0);
    }
    return ll_echelon_rank_(&r);
}

/* Private: returns 1 if a renaming from words of 2^before elements to words of
 * 2^after elements leaves every element at its place within the word. */
LL_FN int ll_keeps_bytes_(const ll_access *m, unsigned before,
                          unsigned after) {
    int keeps = (m->first & ll_ones_(before)) == 0;
    for (unsigned k = 0; k < m->n; ++k) {
        /* cppcheck-suppress arrayIndexThenCheck ; it has m->n elements */
        keeps = keeps && (k < after ? m->reg[k] == 1u << k && k < before
                                    : !(m->reg[k] & ll_ones_(before)));
    }
    return keeps;
}

/* Private: returns the byte permutes of a renaming. A word from one or two
 * source words takes one permute. A word from four source words takes two on
 * average, because each of the first permutes serves two words. Elements of 32
 * bits or more take none, nor do words with all bytes in place. */
LL_FN unsigned ll_permutes_(const ll_access *m, unsigned element_bits,
                            unsigned before, unsigned after) {
    const unsigned words = ll_word_count_(m->n, after, element_bits);
    const unsigned rank = ll_word_rank_(m, before, after);
    return ll_elements_per_word_(element_bits) == 0 ? 0u
           : rank > 1u                              ? 2u * words
           : ll_keeps_bytes_(m, before, after)      ? 0u
                                                    : words;
}

/* Private: returns the byte permutes of an access step: from registers to its
 * positions before a store, or back after a load. */
LL_FN unsigned ll_permutes_beside_(const ll_step *s) {
    const unsigned scale = ll_log2_(s->bytes) - s->at.vector;
    const unsigned held = s->at.n + s->at.copies;
    const unsigned most = ll_word_bits_(scale);
    const unsigned word = most < held ? most : held;
    if (word == 0 || (word == s->pack && ll_keeps_bytes_(&s->at, word, word))) {
        return 0;
    }
    /* The source words of a word. A load also fills each word from all the
     * 2^(word - pack) access words that hold its elements. */
    const int load = s->op == LL_OP_LOAD;
    const unsigned x = s->pack > 0 ? s->at.reg[0] >> word : 0u;
    const unsigned y = s->pack > 1u ? s->at.reg[1] >> word : 0u;
    const unsigned rank = (x ? 1u : 0u) + (y && y != x ? 1u : 0u) +
                          (load ? word - s->pack : 0u);
    const unsigned words = 1u << (load ? held - word : s->at.n - s->pack);
    return rank > 1u ? 2u * words : words;
}

/* Private: the cost of an access in byte permutes. From 9 on, no conversion
 * takes more LDS instructions on gfx950 than Triton's code for it. */
#define LL_ACCESS_ 9u

/* Private: returns a cost as one number: wavefronts, then accesses. */
LL_FN unsigned long long ll_cost_weigh_(unsigned waves, unsigned accesses) {
    return ((unsigned long long)waves << 32) + accesses * LL_ACCESS_;
}

/* Private: returns the cost of the accesses of a step. */
LL_FN unsigned long long ll_step_bare_cost_(const ll_step *s) {
    return ll_cost_weigh_(s->count * s->wavefronts, s->count >> s->joined);
}

/* Private: returns this cost plus the byte permutes of the step. */
LL_FN unsigned long long ll_step_cost_(const ll_step *s) {
    return ll_step_bare_cost_(s) + ll_permutes_beside_(s);
}

/* Private: joins the accesses of x in pairs if one instruction can make both.
 * Among register bits with a distance that no thread changes, moves the bit
 * with the shortest distance next to the vector. The instruction has 8 bits for
 * the distance, in units of one access or of 64 accesses. */
LL_FN void ll_step_join_(ll_step *s, const ll_layout *x) {
    const unsigned touched =
        ll_columns_beyond_(x, x->in.bits[0]) | s->at.offset;
    const unsigned to = s->at.vector;
    unsigned k = s->at.n;
    for (unsigned m = to; m < s->at.n; ++m) {
        k = !(s->at.place[m] & touched) &&
                    (k == s->at.n || s->at.place[m] < s->at.place[k])
                ? m
                : k;
    }
    const unsigned far = k < s->at.n ? s->at.place[k] >> to : 0u;
    s->joined = (s->bytes == 4u || s->bytes == 8u) && far &&
                (far < 256u || (far % 64u == 0 && far < 256u * 64u));
    if (s->joined) {
        const unsigned reg = s->at.reg[k];
        const unsigned place = s->at.place[k];
        s->at.reg[k] = s->at.reg[to];
        s->at.place[k] = s->at.place[to];
        s->at.reg[to] = reg;
        s->at.place[to] = place;
    }
}

/* Private: returns the step that stores or loads the places x by vector
 * accesses. It tries lengths from the longest down to the first length without
 * conflicts, and keeps the longest length with the fewest wavefronts. */
LL_FN ll_step ll_step_by_vectors_(const ll_layout *x, unsigned scale,
                                  unsigned op, const ll_target *t) {
    ll_step s = LL_ZERO;
    unsigned lane[6] = LL_ZERO;
    unsigned best = ~0u;
    ll_lane_bytes_(x, scale, lane);
    ll_access at = ll_access_meet_(x, ll_widest_by_(scale, op, t));
    int clash = 1;
    for (unsigned v = at.vector + 1u; clash && v-- > 0;) {
        unsigned least = 0;
        unsigned bytes = 1u << (v + scale);
        unsigned w = ll_access_waves_(lane, bytes, op, t, &least);
        clash = w > least;
        unsigned cost = w << (at.n - v);
        if (cost < best) {
            best = cost;
            s.bytes = bytes;
            s.wavefronts = w;
            s.least = least;
            s.at.vector = v;
        }
    }
    at.vector = s.at.vector;
    s.at = at;
    s.count = 1u << (at.n - at.vector);
    s.pack = ll_word_bits_(scale);
    s.pack = s.pack < at.vector ? s.pack : at.vector;
    s.op = op == LL_READ ? LL_OP_LOAD : LL_OP_STORE;
    s.bits = at.n;
    if (t->pairs) {
        ll_step_join_(&s, x);
    }
    return s;
}

/* Private: returns the place in a row, in elements, that a digit of a form
 * stands for; 0 if it does not stand for a byte of a row. */
LL_FN unsigned ll_row_place_(unsigned digit, unsigned scale) {
    return digit < 8u ? 1u << digit >> scale : 0u;
}

/* Private: returns the registers of x in the order in which a matrix form takes
 * them. The lanes of x fit the form. A register bit that moves within a row is
 * assigned to the position bit that stands for it. */
LL_FN ll_access ll_in_rows_(const ll_layout *x, ll_form form, unsigned scale) {
    ll_access at = ll_access_meet_(x, LL_LANE_DIGITS_ - scale);
    for (unsigned b = scale; b < LL_LANE_DIGITS_; ++b) {
        const unsigned place = ll_row_place_(ll_form_digit_(form, b), scale);
        const unsigned to = b - scale;
        for (unsigned k = 0; to < at.n && k < at.n; ++k) {
            if (at.place[k] == place) {
                const unsigned reg = at.reg[k];
                at.reg[k] = at.reg[to];
                at.place[k] = at.place[to];
                at.reg[to] = reg;
                at.place[to] = place;
            }
        }
    }
    return at;
}

/* Private: returns 1 if the lane bits of x that stand for bytes of a row have
 * their places there, and the other thread bits and the offset reach no place
 * inside a row. This rejects most layouts without matrices. */
LL_FN int ll_lanes_fit_(const ll_layout *x, ll_form form, unsigned scale) {
    const unsigned regs = x->in.bits[0];
    const unsigned n = ll_shape_bits_(&x->in) - regs;
    const unsigned inside = ll_ones_(ll_form_row_bits_(form) - scale);
    int fits = (x->offset & inside) == 0;
    for (unsigned k = 0; fits && k < n; ++k) {
        const unsigned d =
            k < x->in.bits[1] ? ll_form_digit_(form, LL_LANE_DIGITS_ + k) : 15u;
        const unsigned y = x->basis[regs + k];
        fits = d < 8u ? y == ll_row_place_(d, scale) : !(y & inside);
    }
    return fits;
}

/* Private: returns 1 if the position bits that stand for bytes of a row have
 * their places there, and the others reach no place inside a row. */
LL_FN int ll_registers_fit_(const ll_access *at, ll_form form,
                            unsigned scale) {
    const unsigned inside = ll_ones_(ll_form_row_bits_(form) - scale);
    int fits = 1;
    for (unsigned k = 0; fits && k < at->n; ++k) {
        const unsigned d =
            k + scale < LL_LANE_DIGITS_ ? ll_form_digit_(form, k + scale) : 15u;
        fits = d < 8u ? at->place[k] == ll_row_place_(d, scale)
                      : !(at->place[k] & inside);
    }
    return fits;
}

/* Private: sets lane[k] to what lane bit k adds to the place of the row named.
 * Returns log2 of the lanes that name rows. */
LL_FN unsigned ll_row_lanes_(const ll_layout *x, const ll_access *at,
                             ll_form form, unsigned scale, unsigned *lane) {
    unsigned n = 0;
    for (unsigned d = 8; d < 14u; ++d) {
        const unsigned k = ll_form_stands_for_(form, d);
        const int reg = k < LL_LANE_DIGITS_ && k - scale < at->vector;
        const int is_lane = k >= LL_LANE_DIGITS_ && k < LL_DIGITS_;
        lane[d - 8u] = reg ? at->place[k - scale]
                       : is_lane
                           ? x->basis[x->in.bits[0] + k - LL_LANE_DIGITS_]
                           : 0u;
        n += reg || is_lane ? 1u : 0u;
    }
    return n;
}

/* Private: returns the step that stores or loads the places x by matrices, with
 * the most matrices per instruction. `wavefronts` is 0 if the form does not
 * fit. Rows count as vectors whose phases never merge. */
LL_FN ll_step ll_step_by_matrices_(const ll_layout *x, unsigned form,
                                   unsigned scale, unsigned op,
                                   const ll_target *t) {
    const ll_form code = t->forms[op][form];
    unsigned rows[6] = LL_ZERO;
    ll_target apart = *t;
    ll_step s = LL_ZERO;
    s.op = op == LL_READ ? LL_OP_LOAD : LL_OP_STORE;
    if (!ll_form_takes_(code, scale) || 1u << x->in.bits[1] != t->lanes ||
        !ll_lanes_fit_(x, code, scale) ||
        (ll_spare_threads_(x) & (t->lanes - 1u))) {
        return s;
    }
    const unsigned least = ll_form_digit_(code, 11) - scale;
    const unsigned most = ll_form_digit_(code, 12) - scale;
    s.at = ll_in_rows_(x, code, scale);
    if (s.at.n < least || (s.at.copies && op == LL_WRITE) ||
        !ll_registers_fit_(&s.at, code, scale)) {
        return s;
    }
    s.form = form;
    s.at.vector = s.at.n < most ? s.at.n : most;
    s.pack = ll_word_bits_(scale);
    s.bits = s.at.n;
    s.bytes = 1u << (s.at.vector + scale);
    s.count = 1u << (s.at.n - s.at.vector);
    const unsigned n = ll_row_lanes_(x, &s.at, code, scale, rows);
    for (unsigned k = 0; k < 6u; ++k) {
        rows[k] <<= scale;
    }
    apart.merge = 0;
    s.wavefronts = (ll_access_waves_(rows, 1u << ll_form_row_bits_(code), op,
                                     &apart, &s.least)
                    << n) /
                   t->lanes;
    s.least = (s.least << n) / t->lanes;
    return s;
}

/* Private: returns the cheapest step that stores or loads the places x. */
LL_FN ll_step ll_step_cheapest_(const ll_layout *x, unsigned scale, unsigned op,
                                const ll_target *t) {
    ll_step best = ll_step_by_vectors_(x, scale, op, t);
    for (unsigned form = LL_FORM_MATRIX; form < LL_MAX_FORMS; ++form) {
        if (t->forms[op][form]) {
            const ll_step s = ll_step_by_matrices_(x, form, scale, op, t);
            best = s.wavefronts && ll_step_cost_(&s) < ll_step_cost_(&best)
                       ? s
                       : best;
        }
    }
    return best;
}

/* Private: returns the cheapest step between registers a and memory m. */
LL_FN ll_step ll_step_between_(const ll_layout *a, const ll_layout *m,
                               unsigned scale, unsigned op,
                               const ll_target *t) {
    const ll_layout x = ll_solve(*m, *a, LL_FIRST);
    return ll_step_cheapest_(&x, scale, op, t);
}

#endif
