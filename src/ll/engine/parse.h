/* ---- Engine: the text of a graph -------------------------------------- */
#ifndef LL_ENGINE_PARSE_H
#define LL_ENGINE_PARSE_H

#include "instructions.h"
#include "reader.h"

#ifdef LL_ENGINE

/* Private: a line of text, in parts. */
typedef struct ll_engine_line_ {
    ll_engine_spec spec;
    unsigned in[16], name[16]; /* operands; places of the results' names */
    unsigned names;
    unsigned fixed[32], fix_at[32]; /* operand (or 64 + result), each once, and
                                       the place of its layout */
    unsigned fixes;
    unsigned shaped; /* 1: it has a shape */
    unsigned by, by_length; /* place of the name of its instructions */
    unsigned memory;        /* place of its layout in memory; 0: none */
    unsigned keys;          /* the keys that it has */
    unsigned lengths;       /* bit n: order, contiguous or same has n
                               numbers */
    unsigned later;         /* place of the name of a value that a later
                               line makes, from 1; 0: none */
} ll_engine_line_;

/* Private: skips a layout in quotes. */
LL_FN void ll_engine_quoted_(ll_engine_reader_ *r) {
    if (r->s[r->p] != '"') {
        ll_engine_stop_(r, LL_ENGINE_ETEXT);
        return;
    }
    ++r->p;
    while (r->s[r->p] && r->s[r->p] != '"' && r->s[r->p] != '\n') {
        ++r->p;
    }
    if (r->s[r->p] != '"') {
        ll_engine_stop_(r, LL_ENGINE_ETEXT);
        return;
    }
    ++r->p;
}

/* Private: reads a number after a key. */
LL_FN unsigned ll_engine_read_number_(ll_engine_reader_ *r, unsigned most) {
    const unsigned at = r->p;
    const unsigned long long x = ll_text_number_(r->s, &r->p);
    if (r->p == at || x > most) {
        const unsigned err = r->p == at ? LL_ENGINE_ETEXT : LL_ENGINE_ELIMIT;
        r->p = at;
        ll_engine_stop_(r, err);
        return 0;
    }
    return (unsigned)x;
}

/* Private: reads the instructions per register, whole or n/8. Returns
 * eighths. */
LL_FN unsigned ll_engine_read_cost_(ll_engine_reader_ *r) {
    const unsigned at = r->p;
    const unsigned x = ll_engine_read_number_(r, 8u << 12);
    if (r->s[r->p] == '/' && r->s[r->p + 1u] == '8') {
        r->p += 2u;
        return x;
    }
    if (x > 1u << 12) {
        r->p = at;
        ll_engine_stop_(r, LL_ENGINE_ELIMIT);
    }
    return 8u * x;
}

/* Private: reads the name of the operation that combines two elements. */
LL_FN unsigned ll_engine_read_combine_(ll_engine_reader_ *r) {
    const unsigned n = ll_engine_word_(r);
    for (unsigned k = LL_ENGINE_SUM; k <= LL_ENGINE_XOR; ++k) {
        if (ll_engine_is_word_(r->s + r->p, n, ll_engine_combine_name_(k))) {
            r->p += n;
            return k;
        }
    }
    return ll_engine_stop_(r, n ? LL_ENGINE_EUNKNOWN : LL_ENGINE_ETEXT);
}

/* Private: reads the layout of an operand or result after the key of n
 * characters at `at`. */
LL_FN void ll_engine_read_fix_(ll_engine_reader_ *r, ll_engine_line_ *l,
                               unsigned at, unsigned n) {
    const char *key = r->s + at;
    const int in = n > 2u && key[0] == 'i' && key[1] == 'n';
    const int out = n > 3u && key[0] == 'o' && key[1] == 'u' && key[2] == 't';
    unsigned p = at + (in ? 2u : 3u);
    const unsigned long long k = in || out ? ll_text_number_(r->s, &p) : 16u;
    const unsigned slot = (unsigned)k + (in ? 0u : 64u);
    unsigned err =
        p != at + n || k >= 16u ? (unsigned)LL_ENGINE_EUNKNOWN : 0u;
    for (unsigned j = 0; j < l->fixes; ++j) {
        err = !err && l->fixed[j] == slot ? (unsigned)LL_ENGINE_EKEY : err;
    }
    if (err) {
        r->p = at;
        ll_engine_stop_(r, err);
        return;
    }
    l->fixed[l->fixes] = slot;
    l->fix_at[l->fixes] = r->p;
    ++l->fixes;
    ll_engine_quoted_(r);
}

/* Private: reads the bytes after `align=`, which stands at `at`. */
LL_FN unsigned ll_engine_read_align_(ll_engine_reader_ *r, unsigned at) {
    const unsigned align = ll_engine_read_number_(r, 1u << 12);
    if (align & (align - 1u)) {
        r->p = at;
        ll_engine_stop_(r, LL_ENGINE_ELIMIT);
    }
    return align;
}

/* Private: reads the name of a dot's instructions. */
LL_FN void ll_engine_read_by_(ll_engine_reader_ *r, ll_engine_line_ *l) {
    l->by = r->p;
    l->by_length = ll_engine_word_(r);
    r->p += l->by_length;
    if (!l->by_length) {
        ll_engine_stop_word_(r);
    }
}

/* Private: reads the value of the key of n characters at `at`. */
LL_FN void ll_engine_read_key_(ll_engine_reader_ *r, ll_engine_line_ *l,
                               unsigned at, unsigned n) {
    const unsigned key = ll_engine_key_of_(r->s + at, n);
    ll_engine_spec *s = &l->spec;
    if (key & (l->keys | ~ll_engine_keys_(s->kind))) {
        r->p = at;
        ll_engine_stop_(r, LL_ENGINE_EKEY);
        return;
    }
    l->keys |= key;
    if (key == LL_ENGINE_COST_) {
        s->cost = ll_engine_read_cost_(r);
    } else if (key == LL_ENGINE_AXIS_) {
        s->axis = ll_engine_read_number_(r, LL_ENGINE_AXES - 1u);
    } else if (key == LL_ENGINE_ALIGN_) {
        s->align = ll_engine_read_align_(r, at);
    } else if (key == LL_ENGINE_OP_) {
        s->combine = ll_engine_read_combine_(r);
    } else if (key == LL_ENGINE_BLOCK_) {
        s->block = ll_engine_read_number_(r, 1u << 30) + 1u;
    } else if (key == LL_ENGINE_STEP_) {
        s->step = ll_engine_read_number_(r, 1u << 30) + 1u;
    } else if (key == LL_ENGINE_ORDER_) {
        l->lengths |= 1u << ll_engine_read_list_(r, s->order, 0);
    } else if (key == LL_ENGINE_CONTIGUOUS_) {
        l->lengths |= 1u << ll_engine_read_list_(r, s->contiguous, 1);
    } else if (key == LL_ENGINE_SAME_) {
        l->lengths |= 1u << ll_engine_read_list_(r, s->same, 1);
    } else if (key == LL_ENGINE_BY_) {
        ll_engine_read_by_(r, l);
    } else if (key == LL_ENGINE_MEMORY_) {
        l->memory = r->p;
        ll_engine_quoted_(r);
    } else {
        ll_engine_read_fix_(r, l, at, n);
    }
}

/* Private: returns whether `=` follows the word of n characters after blanks: a
 * key that is written like a name. */
LL_FN int ll_engine_is_spaced_(const ll_engine_reader_ *r, unsigned n) {
    unsigned p = r->p + n;
    while (r->s[p] == ' ' || r->s[p] == '\t') {
        ++p;
    }
    return n && r->s[p] == '=';
}

/* Private: reads operands, the shape and keys, up to the end of the line. */
LL_FN void ll_engine_read_rest_(ll_engine_reader_ *r, ll_engine_line_ *l) {
    for (ll_engine_skip_(r); !r->e->err && r->s[r->p] && r->s[r->p] != '\n';
         ll_engine_skip_(r)) {
        const unsigned at = r->p;
        const unsigned n = ll_engine_word_(r);
        const int spaced = ll_engine_is_spaced_(r, n);
        if (ll_is_digit_(r->s[at]) && !l->shaped) {
            l->spec.rank = ll_engine_read_list_(r, l->spec.size, 1);
            l->shaped = 1;
            if (r->s[r->p] == ':') {
                ++r->p;
                l->spec.element_bits = ll_engine_read_number_(r, 128);
            }
        } else if (n && r->s[at + n] == '=') {
            r->p = at + n + 1u;
            ll_engine_read_key_(r, l, at, n);
        } else if (spaced || l->spec.n_in == 16u) {
            ll_engine_stop_(r, spaced ? LL_ENGINE_ETEXT : LL_ENGINE_ECOUNT);
        } else if (l->spec.kind == LL_ENGINE_CARRY && l->spec.n_in == 1u && n &&
                   ll_engine_find_(r, n) == LL_ENGINE_NONE) {
            l->in[l->spec.n_in++] = l->in[0];
            l->later = at + 1u;
            r->p += n;
        } else {
            l->in[l->spec.n_in] = ll_engine_read_value_(r);
            ++l->spec.n_in;
        }
        ll_engine_end_word_(r);
    }
}

/* Private: returns whether a line's shape is the shape of its result. */
LL_FN int ll_engine_is_shaped_(const ll_engine *e, const ll_engine_spec *s,
                               const ll_engine_op *o) {
    if (o->n_out == 0) {
        return 0;
    }
    const ll_engine_value *out = &e->value[e->operand[o->at + o->n_in]];
    int same = out->rank == s->rank &&
               (!s->element_bits || s->element_bits == out->element_bits);
    for (unsigned k = 0; same && k < s->rank; ++k) {
        same = s->size[k] == out->size[k];
    }
    return same;
}

/* Private: returns whether an operation on a value of several axes must name
 * its axis. Other operations take the first axis by default. */
LL_FN int ll_engine_needs_axis_(unsigned kind, unsigned rank) {
    return rank > 1u && (kind == LL_ENGINE_REDUCE || kind == LL_ENGINE_SCAN ||
                         kind == LL_ENGINE_SORT);
}

/* Private: returns whether a line lacks a key that its operation needs. */
LL_FN int ll_engine_needs_key_(const ll_engine_line_ *l, unsigned rank) {
    const unsigned kind = l->spec.kind;
    int outs = kind != LL_ENGINE_CONVERT;
    for (unsigned k = 0; k < l->fixes; ++k) {
        outs = outs || l->fixed[k] == 64u;
    }
    return !outs || (ll_engine_needs_axis_(kind, rank) &&
                     !(l->keys & LL_ENGINE_AXIS_));
}

/* Private: returns the error of a line after its operation was added: a shape
 * that is not the result's, lists of a wrong length, or a missing key. */
LL_FN unsigned ll_engine_line_error_(const ll_engine *e,
                                     const ll_engine_line_ *l, unsigned op) {
    const ll_engine_op *o = &e->op[op];
    if (!o->n_in && !o->n_out) {
        return LL_ENGINE_OK;
    }
    const ll_engine_value *in = &e->value[e->operand[o->at]];
    const int along = o->kind == LL_ENGINE_REDUCE || o->kind == LL_ENGINE_SCAN;
    int lists = !(l->lengths & ~(1u << in->rank));
    for (unsigned k = 0; k < in->rank; ++k) {
        lists = lists && l->spec.contiguous[k] <= in->size[k] &&
                l->spec.same[k] <= in->size[k];
    }
    return l->shaped && !ll_engine_is_shaped_(e, &l->spec, o)
               ? LL_ENGINE_ESHAPE
           : !lists                          ? LL_ENGINE_ELIST
           : along && o->n_out != o->n_in    ? LL_ENGINE_ECOUNT
           : ll_engine_needs_key_(l, in->rank) ? LL_ENGINE_ENEEDS
                                             : LL_ENGINE_OK;
}

/* Private: fixes the layouts that a line gives, after its operation was
 * added. */
LL_FN void ll_engine_read_fixes_(ll_engine_reader_ *r, const ll_engine_line_ *l,
                                 unsigned op) {
    ll_engine *e = r->e;
    if (l->by_length && !e->err) {
        ll_engine_by(e, op, r->s + l->by, l->by_length);
    }
    if (l->memory && !e->err) {
        const ll_layout m = ll_parse_to_(r->s + l->memory + 1u, '"');
        ll_engine_memory(e, op, m);
        e->character =
            e->err ? l->memory + (m.err ? m.at : 1u) + 1u : e->character;
    }
    for (unsigned k = 0; k < l->fixes && !e->err; ++k) {
        const unsigned side = l->fixed[k] >= 64u;
        const unsigned which = l->fixed[k] % 64u;
        r->p = l->fix_at[k];
        const ll_engine_op o = e->op[op];
        if (which >= (side ? o.n_out : o.n_in)) {
            ll_engine_stop_(r, LL_ENGINE_ECOUNT);
            return;
        }
        const unsigned slot = which + (side ? o.n_in : 0u);
        const unsigned v = e->operand[o.at + slot];
        const ll_layout a = ll_parse_to_(r->s + r->p + 1u, '"');
        if (a.err) {
            ll_engine_fail_(e, LL_ENGINE_EQUOTED, op);
        } else {
            ll_engine_fix(e, op, slot, ll_engine_id(e, v, a));
        }
        if (e->err) {
            e->wrong = op;
            e->character = r->p + (a.err ? a.at : 1u) + 1u;
        }
    }
}

/* Private: adds the operation of a line, and names its results. */
LL_FN void ll_engine_read_op_(ll_engine_reader_ *r, ll_engine_line_ *l) {
    ll_engine *e = r->e;
    const unsigned at = r->p;
    l->spec.cost = l->spec.kind == LL_ENGINE_MAP ? 8u : 0u;
    ll_engine_read_rest_(r, l);
    if (e->err) {
        return;
    }
    const unsigned end = r->p;
    l->spec.in = l->in;
    l->spec.n_out = l->names;
    if (!l->shaped && l->spec.n_in && l->spec.kind == LL_ENGINE_FIXED) {
        const ll_engine_value *v = &e->value[l->in[l->spec.n_in - 1u]];
        l->spec.rank = v->rank;
        l->spec.element_bits = v->element_bits;
        for (unsigned k = 0; k < LL_ENGINE_AXES; ++k) {
            l->spec.size[k] = v->size[k];
        }
    }
    e->character = at + 1u;
    const unsigned op = ll_engine_add(e, l->spec);
    const unsigned hidden = l->spec.kind == LL_ENGINE_CARRY;
    if (!e->err && e->op[op].n_out != l->names + hidden) {
        ll_engine_fail_(e, LL_ENGINE_ECOUNT, op);
    }
    for (unsigned k = 0; k < l->names; ++k) {
        ll_engine_call_(r, ll_engine_result(e, op, k + hidden), l->name[k]);
    }
    const unsigned err = e->err ? e->err : ll_engine_line_error_(e, l, op);
    if (err) {
        ll_engine_fail_(e, err, op);
    }
    ll_engine_read_fixes_(r, l, op);
    if (!e->err) {
        e->op[op].first = l->later;
    }
    r->p = end;
}

/* Private: reads `loop TRIPS NAME = START, ..`. Writes the operations of the
 * carried values to carry[] and returns their number. */
LL_FN unsigned ll_engine_read_loop_(ll_engine_reader_ *r, unsigned *carry) {
    unsigned n = 0;
    ll_engine_skip_(r);
    r->e->character = r->p + 1u;
    const unsigned trips = ll_engine_read_number_(r, 1u << 20);
    if (trips == 0) {
        ll_engine_stop_(r, LL_ENGINE_ETRIPS);
    }
    for (ll_engine_skip_(r); !r->e->err && r->s[r->p] && r->s[r->p] != '\n';
         ll_engine_skip_(r)) {
        const unsigned name = ll_engine_read_name_(r);
        ll_engine_skip_(r);
        if (r->s[r->p] != '=' || n == 16u) {
            ll_engine_stop_(r, LL_ENGINE_ETEXT);
            return 0;
        }
        ++r->p;
        ll_engine_skip_(r);
        carry[n] = ll_engine_carry(r->e, ll_engine_read_value_(r), trips);
        ll_engine_call_(r, ll_engine_result(r->e, carry[n], 0), name);
        ++n;
        ll_engine_skip_(r);
        r->p += r->s[r->p] == ',';
    }
    ll_engine_loop(r->e, trips);
    return n;
}

/* Private: reads `yield VALUE, .. -> NAME, ..`. If a later line makes a value,
 * the place of its name, counted from 1, is kept as the first instance of the
 * carried value, which has no instances yet. */
LL_FN void ll_engine_read_yield_(ll_engine_reader_ *r, const unsigned *carry,
                                 unsigned n) {
    for (unsigned k = 0; k < n && !r->e->err; ++k) {
        ll_engine_skip_(r);
        const unsigned length = ll_engine_word_(r);
        if (length && ll_engine_find_(r, length) == LL_ENGINE_NONE) {
            r->e->op[carry[k]].first = r->p + 1u;
            r->p += length;
        } else if (!length && !ll_char_code_(r->s[r->p])) {
            ll_engine_stop_(r, LL_ENGINE_EYIELD);
        } else {
            const unsigned at = r->p;
            ll_engine_yield(r->e, carry[k], ll_engine_read_value_(r));
            r->e->character = at + 1u;
        }
        ll_engine_skip_(r);
        r->p += r->s[r->p] == ',' && k + 1u < n;
    }
    ll_engine_skip_(r);
    ll_engine_loop(r->e, 0);
    const int arrow = r->s[r->p] == '-' && r->s[r->p + 1u] == '>';
    r->p += arrow ? 2u : 0u;
    for (unsigned k = 0; k < n && arrow && !r->e->err; ++k) {
        ll_engine_skip_(r);
        const unsigned name = ll_engine_read_name_(r);
        ll_engine_call_(r, ll_engine_result(r->e, carry[k], 1), name);
        ll_engine_skip_(r);
        r->p += r->s[r->p] == ',' && k + 1u < n;
    }
    ll_engine_skip_(r);
    if (r->s[r->p] && r->s[r->p] != '\n') {
        ll_engine_stop_(r, LL_ENGINE_EYIELD);
    }
}

/* Private: completes the yields of values that later lines made, from operation
 * `from` on. */
LL_FN void ll_engine_read_later_(ll_engine_reader_ *r, unsigned from) {
    for (unsigned p = from; p < r->e->ops && !r->e->err; ++p) {
        const ll_engine_op *o = &r->e->op[p];
        if (o->kind == LL_ENGINE_CARRY && o->first) {
            r->p = o->first - 1u;
            ll_engine_yield(r->e, p, ll_engine_read_value_(r));
        }
    }
}

/* Private: returns the kind named by the n characters at s. */
LL_FN unsigned ll_engine_kind_of_(const char *s, unsigned n) {
#define LL_ENGINE_KIND_(kind, name, in_, out_)                              \
    if (ll_engine_is_word_(s, n, name)) {                                   \
        return kind;                                                        \
    }
    LL_ENGINE_KINDS(LL_ENGINE_KIND_)
#undef LL_ENGINE_KIND_
    return ll_engine_is_word_(s, n, "merge") ? (unsigned)LL_ENGINE_CARRY
                                             : LL_ENGINE_NONE;
}

/* Private: reads the names before `=`, if there is one; else none. */
LL_FN void ll_engine_read_names_(ll_engine_reader_ *r, ll_engine_line_ *l) {
    const unsigned at = r->p;
    unsigned p = at;
    while (r->s[p] && r->s[p] != '\n' && r->s[p] != '=' && r->s[p] != '"') {
        ++p;
    }
    unsigned words = 0;
    for (unsigned k = at; k < p; ++k) {
        words += ll_char_code_(r->s[k]) && (k == at || r->s[k - 1u] == ' ');
    }
    unsigned commas = 0;
    for (unsigned k = at; k < p; ++k) {
        commas += r->s[k] == ',';
    }
    if (r->s[p] != '=' || words > commas + 1u) {
        return; /* a key stands before =, not a list of names */
    }
    while (!r->e->err && l->names < 16u) {
        l->name[l->names] = ll_engine_read_name_(r);
        ++l->names;
        ll_engine_skip_(r);
        if (r->s[r->p] != ',') {
            break;
        }
        ++r->p;
        ll_engine_skip_(r);
    }
    if (r->s[r->p] != '=') {
        ll_engine_stop_(r, LL_ENGINE_ETEXT);
        return;
    }
    ++r->p;
    ll_engine_skip_(r);
}

/* Private: the values that the open loops of a text carry, and how many loops
 * were open before it. */
typedef struct ll_engine_open_ {
    unsigned bottom;
    unsigned n[LL_ENGINE_DEPTH + 1u], carry[LL_ENGINE_DEPTH + 1u][16];
} ll_engine_open_;

/* Private: reads a line that is not empty. */
LL_FN void ll_engine_read_line_(ll_engine_reader_ *r, ll_engine_open_ *open) {
    ll_engine_line_ l = LL_ZERO;
    ll_engine_read_names_(r, &l);
    const char *word = r->s + r->p;
    const unsigned n = ll_engine_word_(r);
    const unsigned depth = r->e->depth;
    if (r->e->err) {
        return;
    }
    const int loop = !l.names && ll_engine_is_word_(word, n, "loop");
    const int yield = !l.names && ll_engine_is_word_(word, n, "yield");
    l.spec.kind = n ? ll_engine_kind_of_(word, n) : LL_ENGINE_NONE;
    if (!loop && !yield &&
        (l.spec.kind == LL_ENGINE_NONE || l.spec.kind == LL_ENGINE_LOOP)) {
        ll_engine_stop_(r, n ? LL_ENGINE_EUNKNOWN : LL_ENGINE_ETEXT);
        return;
    }
    r->p += n;
    if (loop) {
        open->n[depth] = ll_engine_read_loop_(r, open->carry[depth]);
    } else if (yield && depth <= open->bottom) {
        ll_engine_stop_(r, LL_ENGINE_ELOOP);
    } else if (yield) {
        ll_engine_read_yield_(r, open->carry[depth - 1u], open->n[depth - 1u]);
    } else {
        ll_engine_read_op_(r, &l);
    }
}

/* ll_engine_parse(e, text): appends the operations of a text to the graph.
 * Returns 1, or 0 with an error; e->character is its place in the text, counted
 * from 1. The text must stay in memory, because names are kept as pointers into
 * it. */
LL_FN int ll_engine_parse(ll_engine *e, const char *text) {
    ll_engine_reader_ r = {e, text, 0};
    ll_engine_open_ open = LL_ZERO;
    const unsigned from = e->ops;
    if (!text) {
        ll_engine_fail_(e, LL_ENGINE_ENULL, LL_ENGINE_NONE);
        return 0;
    }
    open.bottom = e->depth;
    e->text = text;
    e->text_ops = from;
    for (ll_engine_skip_(&r); !e->err && text[r.p]; ll_engine_skip_(&r)) {
        if (text[r.p] == '\n') {
            ++r.p;
        } else {
            ll_engine_read_line_(&r, &open);
        }
    }
    if (!e->err && e->depth != open.bottom) {
        ll_engine_stop_(&r, LL_ENGINE_ELOOP);
    }
    ll_engine_read_later_(&r, from);
    return !e->err;
}

/* Private: returns whether a value has that name. */
LL_FN int ll_engine_is_name_(const ll_engine *e, const char *name) {
    int is = 0;
    for (unsigned v = 0; !is && v < e->values; ++v) {
        const ll_engine_value *a = &e->value[v];
        is = a->name && ll_engine_is_word_(a->name, a->length, name);
    }
    return is;
}

/* Private: writes the name of a value, or v and its number. If another value
 * has that name, underscores follow. */
LL_FN void ll_engine_write_value_(ll_writer_ *w, const ll_engine *e,
                                  unsigned v) {
    char name[80] = LL_ZERO; /* names of values are shorter */
    if (v < e->values && e->value[v].name) {
        for (unsigned k = 0; k < e->value[v].length; ++k) {
            ll_write_char_(w, e->value[v].name[k]);
        }
        return;
    }
    ll_writer_ own = ll_writer_on_(name, sizeof name);
    ll_write_(&own, "v");
    ll_write_number_(&own, v);
    while (ll_engine_is_name_(e, name)) {
        ll_write_(&own, "_");
    }
    ll_write_(w, name);
}

LL_FN const char *ll_engine_kind_name_(unsigned kind) {
#define LL_ENGINE_KIND_(k, name, in_, out_) name,
    const char *const names[] = {LL_ENGINE_KINDS(LL_ENGINE_KIND_) "merge"};
#undef LL_ENGINE_KIND_
    return names[kind == LL_ENGINE_CARRY ? (unsigned)LL_ENGINE_KINDS_N_ : kind];
}

#endif /* LL_ENGINE */

#endif
