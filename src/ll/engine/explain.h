/* ---- Engine: explanations --------------------------------------------- */
#ifndef LL_ENGINE_EXPLAIN_H
#define LL_ENGINE_EXPLAIN_H

#include "../text/explain.h"
#include "parse.h"
#include "proof.h"

/* Writes the error of a graph, its text, and why it has its layouts: the cost
 * of each operation and each remaining conversion, and the cost of doing
 * without the conversion. For that cost the graph is solved again with one
 * result fixed (a pin). */
#ifdef LL_ENGINE

/* Private: writes the number of operands or results that a kind takes. */
LL_FN void ll_engine_write_arity_(ll_writer_ *w, const ll_engine_op *o,
                                  unsigned n, const char *what) {
    const int dot = ll_engine_is_dot_(o->kind) && n == ~0u;
    const unsigned two = o->kind == LL_ENGINE_DOT ? 2u : 4u;
    if (dot) {
        ll_write_number_(w, two);
        ll_write_(w, " or ");
        ll_write_count_(w, two + 1u, what);
    } else if (n == ~0u) {
        ll_write_(w, "any number of ");
        ll_write_(w, what);
        ll_write_(w, "s");
    } else {
        ll_write_count_(w, n, what);
    }
}

/* Private: writes the numbers of operands and results that an operation
 * takes. */
LL_FN void ll_engine_write_counts_(ll_writer_ *w, const ll_engine_op *o) {
    unsigned ins = 0;
    unsigned outs = 0;
    ll_engine_arity_(o->kind, &ins, &outs);
    outs -= o->kind == LL_ENGINE_CARRY;
    ll_write_(w, ": it takes ");
    ll_engine_write_arity_(w, o, ins, "operand");
    ll_write_(w, " and ");
    if (ll_engine_is_each_(o->kind)) {
        ll_write_(w, "one result per operand");
    } else {
        ll_engine_write_arity_(w, o, outs, "result");
    }
}

/* Private: returns the line of a character of a text or, with `within`, the
 * number of the character in that line, all counted from 1; 0 if character is
 * 0. */
LL_FN unsigned ll_text_place_(const char *text, unsigned character,
                              int within) {
    unsigned line = character != 0u;
    unsigned from = 0;
    for (unsigned k = 0; line && k + 1u < character; ++k) {
        line += text[k] == '\n';
        from = text[k] == '\n' ? k + 1u : from;
    }
    return within ? character - from : line;
}

/* Private: writes the place of an error: its character and, after the first
 * line of the text that was read last, its line. */
LL_FN void ll_engine_write_at_(ll_writer_ *w, const ll_engine *e) {
    ll_write_(w, "at character ");
    ll_write_number_(w, e->character);
    if (e->text && e->wrong >= e->text_ops &&
        ll_text_place_(e->text, e->character, 0) > 1u) {
        ll_write_(w, ": line ");
        ll_write_number_(w, ll_text_place_(e->text, e->character, 0));
        ll_write_(w, ", character ");
        ll_write_number_(w, ll_text_place_(e->text, e->character, 1));
    }
    ll_write_(w, "): ");
}

/* Private: writes the operation at fault and up to four of its values: for a
 * loop the carried value, for a merge all but the hidden one inside. */
LL_FN void ll_engine_write_wrong_(ll_writer_ *w, const ll_engine *e,
                                  const ll_engine_op *o) {
    const int carry = o->kind == LL_ENGINE_CARRY;
    const int loop = carry && o->axis;
    const unsigned n = loop ? 3u : o->n_in + o->n_out;
    unsigned said = 0;
    ll_write_(w, loop ? "loop" : ll_engine_kind_name_(o->kind));
    for (unsigned k = loop ? 2u : 0u; k < n && o->at + k < e->operands; ++k) {
        if (said < 4u && (loop || !carry || k != o->n_in)) {
            ll_write_char_(w, ' ');
            ll_engine_write_value_(w, e, e->operand[o->at + k]);
            ++said;
        }
    }
    ll_write_(w, " (operation ");
    ll_write_number_(w, e->wrong);
}

/* ll_engine_error(e, buf, size): writes the sentence for the error of a graph,
 * which names the operation and the place in the text, and after the first
 * line also the line and the character in it: "ll: reduce m (operation 1, at
 * character 27: line 2, character 11): the value has no such axis, or not of
 * that size". */
LL_FN unsigned ll_engine_error(const ll_engine *e, char *buf, unsigned size) {
#define LL_ENGINE_SENTENCE_(arg, code, text) text,
    const char *const sentences[] = {
        "no error", LL_ENGINE_ERRORS(LL_ENGINE_SENTENCE_, e) ""};
#undef LL_ENGINE_SENTENCE_
    ll_writer_ w = ll_writer_on_(buf, size);
    const int there = e->wrong < e->ops;
    ll_write_(&w, "ll: ");
    if (there) {
        ll_engine_write_wrong_(&w, e, &e->op[e->wrong]);
        ll_write_(&w, e->character ? ", " : "): ");
    } else if (e->character) {
        ll_write_(&w, "(");
    }
    if (e->character) {
        ll_engine_write_at_(&w, e);
    }
    ll_write_(&w, sentences[e->err < LL_ENGINE_ERRORS_N_ ? e->err : 0u]);
    if (there && e->err == LL_ENGINE_ECOUNT) {
        ll_engine_write_counts_(&w, &e->op[e->wrong]);
    }
    return w.len;
}

/* Private: writes a list of numbers, as 1x64. With sizes, the numbers are
 * powers of two, none above the size of its axis. */
LL_FN void ll_engine_write_list_(ll_writer_ *w, const char *key,
                                 const unsigned char *list, unsigned n,
                                 const unsigned char *size) {
    unsigned any = 0;
    for (unsigned k = 0; k < n; ++k) {
        any |= size && size[k] < list[k] ? size[k] : list[k];
    }
    for (unsigned k = 0; k < n && (any || !*key); ++k) {
        ll_write_(w, k ? "x" : key);
        ll_write_number_(w, !size               ? list[k]
                            : list[k] < size[k] ? 1u << list[k]
                                                : 1u << size[k]);
    }
}

/* Private: writes operands with commas or blanks between them. */
LL_FN void ll_engine_write_values_(ll_writer_ *w, const ll_engine *e,
                                   unsigned at, unsigned n,
                                   const char *between) {
    for (unsigned k = 0; k < n; ++k) {
        ll_write_(w, k ? between : "");
        ll_engine_write_value_(w, e, e->operand[at + k]);
    }
}

/* Private: writes the layouts that the caller fixed. */
LL_FN void ll_engine_write_fixed_(ll_writer_ *w, const ll_engine *e,
                                  const ll_engine_op *o) {
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        const unsigned id = e->fixed[o->at + k];
        const unsigned v = e->operand[o->at + k];
        if (id == LL_ENGINE_NONE) {
            continue;
        }
        ll_write_(w, k < o->n_in ? " in" : " out");
        ll_write_number_(w, k < o->n_in ? k : k - o->n_in);
        ll_write_(w, "=\"");
        ll_write_text_(w, ll_engine_layout(e, v, id));
        ll_write_(w, "\"");
    }
}

/* Private: writes the layout of a tile in shared memory. */
LL_FN void ll_engine_write_memory_(ll_writer_ *w, const ll_engine *e,
                                   const ll_engine_op *o) {
    if (o->memory == LL_ENGINE_NONE) {
        return;
    }
    const ll_engine_value *v = &e->value[e->operand[o->at]];
    const ll_shape none = LL_ZERO;
    ll_layout m =
        ll_zero(ll_shape_add_(none, LL_OFFSET, v->bits), ll_engine_shape_(v));
    for (unsigned k = 0; k < v->bits; ++k) {
        m.basis[k] = e->flat[o->memory].basis[k];
    }
    ll_write_(w, " memory=\"");
    ll_write_text_(w, m);
    ll_write_(w, "\"");
}

/* Private: writes the key of a distance, block= or step=, if it was given. */
LL_FN void ll_engine_write_step_(ll_writer_ *w, const char *key, unsigned n) {
    if (n) {
        ll_write_(w, key);
        ll_write_number_(w, n - 1u);
    }
}

/* Private: writes the keys of an operation, except its layouts. */
LL_FN void ll_engine_write_keys_(ll_writer_ *w, const ll_engine *e,
                                 const ll_engine_op *o,
                                 const ll_engine_value *v) {
    const unsigned has = ll_engine_keys_(o->kind);
    if (o->kind == LL_ENGINE_MAP ? o->cost != 8u : o->cost != 0u) {
        ll_write_(w, " cost=");
        ll_write_number_(w, o->cost % 8u ? o->cost : o->cost / 8u);
        ll_write_(w, o->cost % 8u ? "/8" : "");
    }
    if (has & LL_ENGINE_AXIS_ &&
        (o->axis || ll_engine_needs_axis_(
                        o->kind, e->value[e->operand[o->at]].rank))) {
        ll_write_(w, " axis=");
        ll_write_number_(w, o->axis);
    }
    ll_write_(w, o->combine ? " op=" : "");
    ll_write_(w, ll_engine_combine_name_(o->combine));
    ll_engine_write_step_(w, " block=", o->block);
    ll_engine_write_step_(w, " step=", o->step);
    if (o->align) {
        ll_write_(w, " align=");
        ll_write_number_(w, o->align);
    }
    ll_engine_write_list_(w, " order=", o->order,
                          has & LL_ENGINE_ORDER_ ? v->rank : 0u, 0);
    ll_engine_write_list_(w, " contiguous=", o->contiguous,
                          has & LL_ENGINE_CONTIGUOUS_ ? v->rank : 0u, v->size);
    ll_engine_write_list_(w, " same=", o->same,
                          has & LL_ENGINE_SAME_ ? v->rank : 0u, v->size);
}

/* Private: writes an operation that is neither a loop nor a value that it
 * carries. */
LL_FN void ll_engine_write_op_(ll_writer_ *w, const ll_engine *e,
                               const ll_engine_op *o) {
    const unsigned hidden = o->kind == LL_ENGINE_CARRY; /* the one inside */
    const unsigned first =
        e->operand[o->at + (o->n_out > hidden ? o->n_in + hidden : 0u)];
    const ll_engine_value *v = &e->value[first];
    ll_engine_write_values_(w, e, o->at + o->n_in + hidden, o->n_out - hidden,
                            ", ");
    ll_write_(w, o->n_out ? " = " : "");
    ll_write_(w, ll_engine_kind_name_(o->kind));
    ll_write_(w, o->n_in ? " " : "");
    ll_engine_write_values_(w, e, o->at, o->n_in, " ");
    if (o->n_out && !hidden && !ll_engine_is_each_(o->kind) && v->rank) {
        ll_write_(w, " ");
        ll_engine_write_list_(w, "", v->size, v->rank, v->size);
        ll_write_(w, ":");
        ll_write_number_(w, v->element_bits);
    }
    ll_engine_write_keys_(w, e, o, v);
    if (o->by_length) {
        ll_write_(w, " by=");
        for (unsigned k = 0; k < o->by_length; ++k) {
            ll_write_char_(w, o->by[k]);
        }
    }
    ll_engine_write_memory_(w, e, o);
    ll_engine_write_fixed_(w, e, o);
    ll_write_(w, "\n");
}

/* Private: returns whether a carried value before operation p, from `first` on,
 * starts with a result of operation `from`. */
LL_FN int ll_engine_starts_with_(const ll_engine *e, unsigned first, unsigned p,
                                 unsigned from) {
    int any = 0;
    for (unsigned k = first; k < p; ++k) {
        any = any || e->value[e->operand[e->op[k].at]].def == from;
    }
    return any;
}

/* Private: returns the first value that the loop at operation p carries. These
 * values stand before the loop. A value with which one of them starts belongs
 * to an earlier loop. */
LL_FN unsigned ll_engine_carried_(const ll_engine *e, unsigned p) {
    unsigned first = p;
    while (first && e->op[first - 1u].kind == LL_ENGINE_CARRY &&
           e->op[first - 1u].axis == e->op[p].cost &&
           !ll_engine_starts_with_(e, first, p, first - 1u)) {
        --first;
    }
    return first;
}

/* Private: writes the beginning or the end of the loop at operation p. */
LL_FN void ll_engine_write_loop_(ll_writer_ *w, const ll_engine *e, unsigned p,
                                 int end) {
    const unsigned first = ll_engine_carried_(e, p);
    ll_write_(w, end ? "yield" : "loop ");
    if (!end) {
        ll_write_number_(w, e->op[p].cost);
    }
    for (unsigned k = first; k < p; ++k) {
        ll_write_(w, k == first ? " " : ", ");
        if (!end) {
            ll_engine_write_value_(w, e, e->operand[e->op[k].at + 2u]);
            ll_write_(w, " = ");
        }
        ll_engine_write_value_(w, e, e->operand[e->op[k].at + (end ? 1u : 0u)]);
    }
    for (unsigned k = first; k < p && end; ++k) {
        ll_write_(w, k == first ? " -> " : ", ");
        ll_engine_write_value_(w, e, e->operand[e->op[k].at + 3u]);
    }
    ll_write_(w, "\n");
}

/* Private: returns whether carried value p stands before its loop. */
LL_FN int ll_engine_is_before_(const ll_engine *e, unsigned p) {
    const unsigned trips = e->op[p].axis;
    for (unsigned k = p; k < e->ops; ++k) {
        if (e->op[k].kind != LL_ENGINE_CARRY || e->op[k].axis != trips) {
            return e->op[k].kind == LL_ENGINE_LOOP && e->op[k].cost == trips &&
                   p >= ll_engine_carried_(e, k);
        }
    }
    return 0;
}

/* Private: writes a carried value that does not stand before its loop, as a
 * loop of its own. */
LL_FN void ll_engine_write_stray_(ll_writer_ *w, const ll_engine *e,
                                  const ll_engine_op *o) {
    const unsigned *v = e->operand + o->at;
    ll_write_(w, "loop ");
    ll_write_number_(w, o->axis);
    for (unsigned k = 0; k < 2u; ++k) {
        ll_write_(w, k ? "\nyield " : " ");
        ll_engine_write_value_(w, e, v[2u - k]);
        ll_write_(w, k ? " -> " : " = ");
        ll_engine_write_value_(w, e, v[3u * k]);
    }
    ll_write_(w, "\n");
}

/* ll_engine_print(e, buf, size): writes the graph as text that ll_engine_parse
 * reads. Values without names are called v0, v1, .. A carried value that does
 * not stand before its loop is written as a loop of its own, which costs the
 * same. Returns the length of the whole text. */
LL_FN unsigned ll_engine_print(const ll_engine *e, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    unsigned loop[LL_ENGINE_DEPTH] = LL_ZERO;
    unsigned depth = 0;
    for (unsigned p = 0; p < e->ops; ++p) {
        const ll_engine_op *o = &e->op[p];
        if (o->kind == LL_ENGINE_LOOP && o->cost) {
            ll_engine_write_loop_(&w, e, p, 0);
            loop[depth] = p;
            ++depth;
        } else if (o->kind == LL_ENGINE_LOOP) {
            --depth;
            ll_engine_write_loop_(&w, e, loop[depth], 1);
        } else if (o->kind != LL_ENGINE_CARRY || !o->axis) {
            ll_engine_write_op_(&w, e, o);
        } else if (!ll_engine_is_before_(e, p)) {
            ll_engine_write_stray_(&w, e, o);
        }
    }
    return w.len;
}

/* Private: writes eighths of a cycle as cycles. */
LL_FN void ll_engine_write_cycles_(ll_writer_ *w, unsigned long long eighths) {
    const unsigned part = (unsigned)(eighths % 8u) * 125u;
    ll_write_number_(w, eighths / 8u);
    if (part) {
        ll_write_char_(w, '.');
        ll_write_char_(w, (char)('0' + part / 100u));
    }
    ll_write_(w, " cycles");
}

/* Private: writes the name of an operation and of its first result or
 * operand. */
LL_FN void ll_engine_write_name_(ll_writer_ *w, const ll_engine *e,
                                 const ll_engine_op *o) {
    ll_write_(w, ll_engine_kind_name_(o->kind));
    ll_write_char_(w, ' ');
    ll_engine_write_value_(w, e,
                           e->operand[o->at + (o->n_out ? o->n_in : 0u)]);
}

/* Private: writes how much more a graph costs with a pin. It may cost less: the
 * pinned layout is a candidate everywhere, even for values that had too
 * many. */
LL_FN void ll_engine_write_more_(ll_writer_ *w, const ll_engine *e,
                                 unsigned long long pin) {
    const unsigned long long cost = ll_engine_cost(e);
    ll_engine_write_cycles_(w, pin < cost ? cost - pin : pin - cost);
    ll_write_(w, pin < cost ? " less, with more candidates" : " more");
}

/* Private: writes the origin of a layout of value v. */
LL_FN void ll_engine_write_reason_(ll_writer_ *w, const ll_engine *e,
                                   unsigned v, unsigned id) {
    const unsigned from = ll_engine_origin_(e, v, id);
    const unsigned why = from % 4u;
    if (why == LL_ENGINE_BY_NONE_) {
        return;
    }
    const ll_engine_op *o = &e->op[from / 4u];
    ll_write_(w, why == LL_ENGINE_BY_ORDER_    ? ", best order of k for "
                 : why == LL_ENGINE_BY_ACCESS_ ? ", coalesced for "
                                               : ", required by ");
    ll_engine_write_name_(w, e, o);
}

/* Private: returns whether the layout of a value was chosen for the value
 * itself and does not come from an operand. */
LL_FN int ll_engine_is_head_(ll_engine *e, unsigned v) {
    const unsigned op = e->value[v].def;
    const ll_engine_op *o = &e->op[op];
    const unsigned label =
        o->n ? ll_engine_chosen_(e, e->found, op) : LL_ENGINE_NONE;
    int head = o->n > 1u;
    for (unsigned k = 0; k < o->n_in && head; ++k) {
        const unsigned u = e->operand[o->at + k];
        head = e->value[u].is_free ||
               (ll_engine_mask_(e, op, k, label) &
                ~ll_engine_made_(e, e->found, u)) != 0;
    }
    return head;
}

/* Private: writes how much more the graph costs with the next best layout of
 * such a value. */
LL_FN void ll_engine_write_next_(ll_writer_ *w, ll_engine *e, unsigned v) {
    const ll_engine_value a = e->value[v];
    unsigned long long least = ~0ull;
    unsigned which = LL_ENGINE_NONE;
    for (unsigned k = 0; k < a.n; ++k) {
        const unsigned id = e->candidate[a.first + k];
        if (!(ll_engine_made_(e, e->found, v) >> k & 1u)) {
            const unsigned long long cost = ll_engine_pin(e, v, id);
            which = cost < least ? id : which;
            least = cost < least ? cost : least;
        }
    }
    if (which != LL_ENGINE_NONE) {
        ll_write_(w, "    next best: ");
        ll_engine_write_more_(w, e, least);
        ll_write_(w, ": ");
        ll_write_text_(w, ll_engine_layout(e, v, which));
        ll_engine_write_reason_(w, e, v, which);
        ll_write_(w, "\n");
    }
}

LL_FN const char *ll_engine_way_(unsigned kind) {
    return kind == LL_NOTHING     ? "nothing moves"
           : kind == LL_REGISTERS ? "between registers of a lane"
           : kind == LL_SHUFFLES  ? "between lanes"
           : kind == LL_SHARED    ? "through shared memory"
           : kind == LL_CLUSTER   ? "through the cluster's shared memory"
                                  : "without a known plan";
}

/* Private: writes a remaining conversion, and the cost of making the value in
 * that layout instead. */
LL_FN void ll_engine_write_move_(ll_writer_ *w, ll_engine *e,
                                 const ll_engine_move *m) {
    ll_write_(w, "convert ");
    ll_engine_write_value_(w, e, m->value);
    ll_write_(w, ": ");
    ll_engine_write_cycles_(w, m->cost);
    if (m->weight > 1u) {
        ll_write_(w, " in ");
        ll_write_number_(w, m->weight);
        ll_write_(w, " runs");
    }
    ll_write_(w, ", ");
    ll_write_(w, ll_engine_way_(m->kind));
    ll_write_(w, "\n    to ");
    ll_write_text_(w, ll_engine_layout(e, m->value, m->to));
    ll_engine_write_reason_(w, e, m->value, m->to);
    const unsigned long long pin = ll_engine_pin(e, m->value, m->to);
    if (pin == ~0ull) {
        ll_write_(w, "\n    it cannot be made in that layout\n");
        return;
    }
    ll_write_(w, "\n    made there: ");
    ll_engine_write_more_(w, e, pin);
    ll_write_(w, " in total, without the conversion\n");
}

/* Private: writes which copies bring tile `id` of value v. */
LL_FN void ll_engine_write_copies_(ll_writer_ *w, const ll_engine *e,
                                   unsigned v, unsigned id) {
    ll_engine_way_to_ way = LL_ZERO;
    unsigned n = 0;
    ll_engine_brought_(e, v, id, &way);
    for (unsigned j = 0; j < way.n; ++j) {
        const ll_engine_op *copy = &e->op[e->value[way.value[j]].def];
        if (ll_engine_is_tile_(copy->kind)) {
            ll_write_(w, n ? " and " : "");
            ll_engine_write_name_(w, e, copy);
            ++n;
        }
    }
    ll_write_(w, n == 1u ? " brings it\n" : " bring it\n");
}

/* Private: writes where a dot reads operand k, if it may read it in shared
 * memory. */
LL_FN void ll_engine_write_place_(ll_writer_ *w, ll_engine *e, unsigned op,
                                  unsigned k) {
    unsigned tuple[8] = LL_ZERO;
    const ll_engine_op *o = &e->op[op];
    const unsigned v = e->operand[o->at + k];
    if (!ll_engine_is_placed_(o, k) || !ll_engine_executed(e, op, 0, tuple)) {
        return;
    }
    ll_engine_write_name_(w, e, o);
    ll_write_(w, " reads ");
    ll_engine_write_value_(w, e, v);
    if (tuple[k] == o->place[k][2]) {
        ll_write_(w, " in registers\n");
    } else if (tuple[k] == o->in_place[k]) {
        ll_write_(w, " in shared memory, where ");
        ll_engine_write_copies_(w, e, v, tuple[k]);
    } else if (o->shares[k]) {
        ll_write_(w, " in shared memory, where it is stored already\n");
    } else {
        ll_write_(w, " in shared memory, where it is stored: ");
        ll_engine_write_cycles_(
            w, ll_engine_stores_(e, o, k, tuple[k]) * o->weight);
        ll_write_(w, "\n");
    }
}

/* Private: writes which layouts were not tried, and why. */
LL_FN void ll_engine_write_dropped_(ll_writer_ *w, const ll_engine *e) {
    const char *const why[] = {
        " because the value had e->most candidates",
        " because they need more registers than allowed",
        " because other values of an operation lack a matching layout"};
    const unsigned at = w->len;
    for (unsigned k = 0; k < 3u; ++k) {
        if (e->dropped[k]) {
            ll_write_(w, w->len > at ? ", " : "layouts not tried: ");
            ll_write_number_(w, e->dropped[k]);
            ll_write_(w, why[k]);
        }
    }
    ll_write_(w, w->len > at ? "\n" : "");
}

/* Private: writes the cost of each operation, unless it is 0. */
LL_FN void ll_engine_write_prices_(ll_writer_ *w, ll_engine *e) {
    const unsigned long long used = e->used;
    unsigned *tuple = ll_engine_take_word_(e, ll_engine_widest_op_(e));
    const unsigned at = w->len;
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        const ll_engine_op *o = &e->op[p];
        unsigned long long cost = 0;
        for (unsigned k = 0; ll_engine_executed(e, p, k, tuple); ++k) {
            cost += ll_engine_times_(ll_engine_price(e, p, tuple), o->weight) +
                    (k ? ll_engine_again_(o) : 0u);
        }
        if (cost) {
            ll_write_(w, w->len > at ? ", " : "operations: ");
            ll_engine_write_name_(w, e, o);
            ll_write_char_(w, ' ');
            ll_engine_write_cycles_(w, cost);
        }
    }
    ll_write_(w, w->len > at ? "\n" : "");
    e->used = used;
    e->err = LL_ENGINE_OK; /* without memory the line is left out */
}

/* Private: the number of values for which the next best layout is explained. */
#define LL_ENGINE_HEADS_SAID_ 32u

/* ll_engine_explain(e, buf, size): writes the result of ll_engine_solve:
 *
 * The cost, and whether it is the lowest of all choices among the layouts tried
 * (at most e->most per value).
 *
 * The layouts in which each value is made, with the operation that they come
 * from. For the first 32 values that do not take theirs from an operand, also
 * how much more the next best layout would cost.
 *
 * The cost of the operations, and where dots read operands that may be in
 * shared memory.
 *
 * Each remaining conversion and, as `made there`, how much more the graph costs
 * if the value is made in that layout in the first place, without the
 * conversion.
 *
 * The number of layouts that were not tried, and why.
 *
 * Returns the length of the whole text; 0 if there is no result. */
LL_FN unsigned ll_engine_explain(ll_engine *e, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (e->err || !e->found) {
        return 0;
    }
    ll_engine_write_cycles_(&w, ll_engine_cost(e));
    ll_write_(&w, ll_engine_optimal(e)
                      ? " per warp, optimal among the layouts tried"
                      : " per warp, lower bound ");
    if (!ll_engine_optimal(e)) {
        ll_engine_write_cycles_(&w, ll_engine_bound(e));
    }
    ll_write_(&w, "; ");
    ll_write_count_(&w, ll_engine_moves(e), "conversion");
    ll_write_(&w, "\n");
    for (unsigned v = 0, heads = 0; v < e->values; ++v) {
        for (unsigned k = 0; ll_engine_held(e, v, k) != LL_ENGINE_NONE; ++k) {
            ll_engine_write_value_(&w, e, v);
            ll_write_(&w, k ? ", recomputed: " : ": ");
            ll_write_text_(&w, ll_engine_layout(e, v, ll_engine_held(e, v, k)));
            ll_engine_write_reason_(&w, e, v, ll_engine_held(e, v, k));
            ll_write_(&w, "\n");
        }
        if (!e->value[v].is_free && heads < LL_ENGINE_HEADS_SAID_ &&
            ll_engine_is_head_(e, v)) {
            ll_engine_write_next_(&w, e, v);
            ++heads;
        }
    }
    ll_engine_write_prices_(&w, e);
    for (unsigned p = 0; p < 2u * e->ops; ++p) {
        ll_engine_write_place_(&w, e, p / 2u, p % 2u);
    }
    for (unsigned k = 0; k < ll_engine_moves(e); ++k) {
        ll_engine_write_move_(&w, e, &e->found->move[k]);
    }
    ll_engine_write_dropped_(&w, e);
    return w.len;
}

#endif /* LL_ENGINE */

#endif
