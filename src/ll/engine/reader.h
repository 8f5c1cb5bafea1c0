/* ---- Engine: words of a text ------------------------------------------ */
#ifndef LL_ENGINE_READER_H
#define LL_ENGINE_READER_H

#include "graph.h"

#ifdef LL_ENGINE

/* Private: a text, and the place in it. */
typedef struct ll_engine_reader_ {
    ll_engine *e;
    const char *s;
    unsigned p;
} ll_engine_reader_;

/* Private: records an error at the next character, which counts from 1. */
LL_FN unsigned ll_engine_stop_(ll_engine_reader_ *r, unsigned err) {
    if (!r->e->err) {
        ll_engine_fail_(r->e, err, LL_ENGINE_NONE);
        r->e->character = r->p + 1u;
    }
    return LL_ENGINE_NONE;
}

LL_FN void ll_engine_skip_(ll_engine_reader_ *r) {
    while (r->s[r->p] == ' ' || r->s[r->p] == '\t' || r->s[r->p] == '\r') {
        ++r->p;
    }
    if (r->s[r->p] == '#') {
        while (r->s[r->p] && r->s[r->p] != '\n') {
            ++r->p;
        }
    }
}

/* Private: returns the length of the next word: letters, digits, _ and dots; 0
 * if it is too long. */
LL_FN unsigned ll_engine_word_(const ll_engine_reader_ *r) {
    unsigned n = 0;
    while (ll_char_code_(r->s[r->p + n]) || r->s[r->p + n] == '.') {
        ++n;
    }
    return n < 64u ? n : 0u;
}

/* Private: fails where a word of up to 63 characters was expected. */
LL_FN unsigned ll_engine_stop_word_(ll_engine_reader_ *r) {
    return ll_engine_stop_(r, ll_char_code_(r->s[r->p]) && !ll_engine_word_(r)
                                  ? LL_ENGINE_ELIMIT
                                  : LL_ENGINE_ETEXT);
}

/* Private: fails unless a blank or the end of a line follows. */
LL_FN void ll_engine_end_word_(ll_engine_reader_ *r) {
    const char c = r->s[r->p];
    if (c && c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '#') {
        ll_engine_stop_(r, LL_ENGINE_ETEXT);
    }
}

/* Private: returns whether the n characters at s are the given word. */
LL_FN int ll_engine_is_word_(const char *s, unsigned n, const char *word) {
    unsigned k = 0;
    while (word && word[k]) {
        ++k;
    }
    int same = s && word && k == n;
    while (same && k-- > 0) {
        same = s[k] == word[k];
    }
    return same;
}

/* Private: returns the value named by the next n characters. */
LL_FN unsigned ll_engine_find_(const ll_engine_reader_ *r, unsigned n) {
    for (unsigned v = r->e->values; n && v-- > 0;) {
        const ll_engine_value *a = &r->e->value[v];
        unsigned k = 0;
        while (a->length == n && k < n && a->name[k] == r->s[r->p + k]) {
            ++k;
        }
        if (k == n) {
            return v;
        }
    }
    return LL_ENGINE_NONE;
}

/* Private: returns the value named by the next word, and moves past it. */
LL_FN unsigned ll_engine_read_value_(ll_engine_reader_ *r) {
    const unsigned n = ll_engine_word_(r);
    const unsigned v = ll_engine_find_(r, n);
    if (v == LL_ENGINE_NONE) {
        return n && !ll_is_digit_(r->s[r->p])
                   ? ll_engine_stop_(r, LL_ENGINE_EVALUE)
                   : ll_engine_stop_word_(r);
    }
    r->p += n;
    return v;
}

/* Private: reads a new name. Returns its place in the text, and moves past
 * it. */
LL_FN unsigned ll_engine_read_name_(ll_engine_reader_ *r) {
    const unsigned at = r->p;
    const unsigned n = ll_engine_word_(r);
    if (n == 0 || ll_is_digit_(r->s[at])) {
        return ll_engine_stop_word_(r);
    }
    if (ll_engine_find_(r, n) != LL_ENGINE_NONE) {
        return ll_engine_stop_(r, LL_ENGINE_ETWICE);
    }
    r->p += n;
    return at;
}

/* Private: gives a value the name at a place of the text. */
LL_FN void ll_engine_call_(ll_engine_reader_ *r, unsigned v, unsigned at) {
    if (!r->e->err) {
        const ll_engine_reader_ there = {r->e, r->s, at};
        r->e->value[v].name = r->s + at;
        r->e->value[v].length = ll_engine_word_(&there);
    }
}

/* Private: reads numbers separated by x; powers of two as their logarithms if
 * `logs`. Returns how many there are. */
LL_FN unsigned ll_engine_read_list_(ll_engine_reader_ *r, unsigned char *list,
                                    int logs) {
    unsigned n = 0;
    do {
        r->p += n != 0;
        const unsigned at = r->p;
        const unsigned long long x = ll_text_number_(r->s, &r->p);
        const unsigned bits = ll_log2_(x);
        if (at == r->p || n == LL_ENGINE_AXES ||
            (logs ? bits > 24u : x >= LL_ENGINE_AXES)) {
            r->p = at;
            ll_engine_stop_(r, at == r->p && !ll_is_digit_(r->s[at])
                                   ? LL_ENGINE_ETEXT
                                   : LL_ENGINE_ESIZE);
            return 0;
        }
        list[n] = (unsigned char)(logs ? bits : (unsigned)x);
        ++n;
    } while (r->s[r->p] == 'x');
    return n;
}

/* How a reduction or a scan combines two elements. No price depends on it. */
enum {
    LL_ENGINE_UNSAID, LL_ENGINE_SUM, LL_ENGINE_PRODUCT, LL_ENGINE_MIN,
    LL_ENGINE_MAX, LL_ENGINE_AND, LL_ENGINE_OR, LL_ENGINE_XOR
};

LL_FN const char *ll_engine_combine_name_(unsigned k) {
    const char *const names[] = {"",    "sum", "product", "min",
                                 "max", "and", "or",      "xor"};
    return names[k];
}

/* Private: the keys, as bits: all but in0, out0, .. */
enum {
    LL_ENGINE_COST_ = 1, LL_ENGINE_BY_ = 2, LL_ENGINE_MEMORY_ = 4,
    LL_ENGINE_AXIS_ = 8, LL_ENGINE_OP_ = 16, LL_ENGINE_ORDER_ = 32,
    LL_ENGINE_CONTIGUOUS_ = 64, LL_ENGINE_SAME_ = 128, LL_ENGINE_ALIGN_ = 256,
    LL_ENGINE_BLOCK_ = 512, LL_ENGINE_STEP_ = 1024
};

/* Private: returns the key named by the n characters at s; 0 if there is
 * none. */
LL_FN unsigned ll_engine_key_of_(const char *s, unsigned n) {
    const char *const names[] = {"cost",  "by",         "memory", "axis",
                                 "op",    "order",      "contiguous", "same",
                                 "align", "block",      "step"};
    unsigned k = 0;
    while (k < 11u && !ll_engine_is_word_(s, n, names[k])) {
        ++k;
    }
    return k < 11u ? 1u << k : 0u;
}

/* Private: returns the keys that a kind of operation takes. */
LL_FN unsigned ll_engine_keys_(unsigned kind) {
    const unsigned all = LL_ENGINE_COST_ | LL_ENGINE_BY_ | LL_ENGINE_MEMORY_ |
                         LL_ENGINE_ALIGN_;
    switch (kind) {
    case LL_ENGINE_CONSTANT:
        return all | LL_ENGINE_CONTIGUOUS_;
    case LL_ENGINE_LOAD:
    case LL_ENGINE_STORE:
    case LL_ENGINE_ATOMIC:
        return all | LL_ENGINE_CONTIGUOUS_ | LL_ENGINE_SAME_ |
               LL_ENGINE_BLOCK_ | LL_ENGINE_STEP_;
    case LL_ENGINE_TRANS:
        return all | LL_ENGINE_ORDER_;
    case LL_ENGINE_REDUCE:
    case LL_ENGINE_SCAN:
        return all | LL_ENGINE_AXIS_ | LL_ENGINE_OP_;
    case LL_ENGINE_EXPAND:
    case LL_ENGINE_SORT:
    case LL_ENGINE_GATHER:
    case LL_ENGINE_UNPACK:
        return all | LL_ENGINE_AXIS_;
    default:
        return all | (ll_engine_is_tile_(kind)
                          ? (unsigned)LL_ENGINE_BLOCK_ | LL_ENGINE_STEP_
                          : 0u);
    }
}

#endif /* LL_ENGINE */

#endif
