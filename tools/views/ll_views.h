/* Written from the rooms in src/ll_views by `make headers`: change them. */
/* ll_views.h - views for tools: the notations of Triton and CuTe, and pictures.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_VIEWS_H
#define LL_VIEWS_H

#ifndef LL_H
#include "ll.h"
#endif

/* ---- triton: Views: Triton's attributes ------------------------------- */

/* Views are for tools that show layouts. Kernels have no use for them, so they
 * are in a header of their own, ll_views.h.
 *
 * The compiler Triton writes a layout as an attribute of a tensor's type. An
 * attribute is a recipe of factors: a number of registers along one axis, a
 * number of lanes along another, and so on. Each factor takes the next higher
 * bits of its input and of its axis. The result is repeated, or cut, to fill
 * the part of the tensor that one block holds, and blocks come last. This room
 * reads the recipe and executes it. */

#define LL_MAX_PADS 4u /* pairs of an interval and a pad */

/* A layout that was read from another notation. In shared memory with pads, the
 * element at offset x of the layout lies at
 * x + x / every[0] * pad[0] + x / every[1] * pad[1] + .. */
typedef struct ll_foreign {
    ll_layout layout; /* err, at, is: as of ll_parse */
    const char *why;  /* what is wrong with the text; 0 if nothing is */
    const char *key;  /* the key that is missing or wrong, or 0 */
    unsigned pads;
    unsigned every[LL_MAX_PADS], pad[LL_MAX_PADS]; /* elements */
    unsigned bits; /* of an element, if the text says it: elementBitWidth = 16,
                    * smem_ptr[16b]; else 0 */
    unsigned valued;   /* 1: a number is wrong, */
    unsigned got;      /* and it is this one */
    const char *meant; /* the word that a misspelt one may mean, of `letters` */
    unsigned letters;  /* characters; or 0 */
} ll_foreign;

#define LL_AXES_ 16u /* axes of a tensor while an attribute is read */
#define LL_NEST_ 24u /* attributes inside attributes, names of names */

/* Private: a text, and the first error in it. */
typedef struct ll_note_ {
    const char *s;
    unsigned at; /* number of the character at fault, from 0 */
    const char *why, *key;
    unsigned valued, got;
    const char *meant;
    unsigned letters;
} ll_note_;

LL_FN void ll_note_blame_(ll_note_ *r, unsigned at, const char *why) {
    if (!r->why) {
        r->at = at;
        r->why = why;
    }
}

/* Private: blames a number: its sentence ends with "(got 7)". */
LL_FN void ll_note_blame_got_(ll_note_ *r, unsigned at, unsigned got,
                              const char *why) {
    if (!r->why) {
        r->valued = 1;
        r->got = got;
    }
    ll_note_blame_(r, at, why);
}

/* Private: writes the first error of a text to a layout that was not read. */
LL_FN void ll_note_tell_(const ll_note_ *r, ll_foreign *f) {
    f->why = r->why;
    f->key = r->key;
    f->valued = r->valued;
    f->got = r->got;
    f->meant = r->meant;
    f->letters = r->letters;
    f->layout = ll_layout_bad_(f->layout, LL_ETEXT);
    f->layout.at = r->at + 1u;
    f->layout.is = LL_AT_CHARACTER;
}

/* Private: returns how many characters to change, add or drop to make of a word
 * of n characters another one of m. Case does not count. 99: a word is longer
 * than 32 characters. */
LL_FN unsigned ll_edits_(const char *a, unsigned n, const char *b, unsigned m) {
    unsigned row[33] = LL_ZERO;
    if (n > 32u || m > 32u) {
        return 99;
    }
    for (unsigned j = 0; j <= m; ++j) {
        row[j] = j;
    }
    for (unsigned i = 1; i <= n; ++i) {
        unsigned before = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= m; ++j) {
            const unsigned same = (a[i - 1u] | 32) == (b[j - 1u] | 32);
            unsigned least = before + 1u - same;
            before = row[j];
            least = row[j] < least ? row[j] + 1u : least;
            row[j] = row[j - 1u] < least ? row[j - 1u] + 1u : least;
        }
    }
    return row[m];
}

/* Private: returns the word of a list, each with a blank after it, that a
 * misspelt word of n characters may mean, and its length; 0 if there is none.
 * It differs by at most 2 characters, and by less than half of its own. */
LL_FN const char *ll_meant_(const char *words, const char *a, unsigned n,
                            unsigned *letters) {
    const char *best = 0;
    unsigned least = 3;
    while (*words) {
        unsigned m = 0;
        while (words[m] != ' ') {
            ++m;
        }
        const unsigned edits = ll_edits_(a, n, words, m);
        if (edits < least && 2u * edits < m) {
            least = edits;
            best = words;
            *letters = m;
        }
        words += m + 1u;
    }
    return best;
}

/* Private: blames a word of n characters that is none of a list. */
LL_FN void ll_note_blame_word_(ll_note_ *r, unsigned at, unsigned n,
                               const char *words, const char *why) {
    if (!r->why) {
        r->meant = ll_meant_(words, r->s + at, n, &r->letters);
    }
    ll_note_blame_(r, at, why);
}

/* Private: returns the position of the next character that is not a blank and
 * not in a comment. */
LL_FN unsigned ll_note_over_(const ll_note_ *r, unsigned p) {
    const char *s = r->s;
    while (s[p] == ' ' || s[p] == '\n' || s[p] == '\t' || s[p] == '\r' ||
           (s[p] == '/' && s[p + 1u] == '/')) {
        if (s[p] == '/') {
            while (s[p + 1u] && s[p + 1u] != '\n') {
                ++p;
            }
        }
        ++p;
    }
    return p;
}

LL_FN int ll_char_is_one_of_(char c, const char *set) {
    while (*set && *set != c) {
        ++set;
    }
    return c && *set == c;
}

/* Private: returns 1 if the word of n characters at p is `word`. */
LL_FN int ll_is_word_(const ll_note_ *r, unsigned p, unsigned n,
                      const char *word) {
    unsigned k = 0;
    while (k < n && word[k] && r->s[p + k] == word[k]) {
        ++k;
    }
    return k == n && !word[k];
}

/* Private: returns the number of characters of a name such as #ttg.blocked. */
LL_FN unsigned ll_hash_length_(const ll_note_ *r, unsigned p) {
    unsigned n = 0;
    while (ll_char_code_(r->s[p + n]) ||
           ll_char_is_one_of_(r->s[p + n], n ? ".$-" : "#")) {
        ++n;
    }
    return n;
}

/* Private: returns 1 to 4 for the brackets [ { < ( or, if `closing`, for the
 * brackets that close them; 0 for other characters. */
LL_FN unsigned ll_bracket_(char c, int closing) {
    const char *const all = closing ? "]}>)" : "[{<(";
    unsigned k = 0;
    while (all[k] && all[k] != c) {
        ++k;
    }
    return all[k] ? k + 1u : 0u;
}

/* Private: returns the position after the bracket that closes the one at p. If
 * one is not closed, blames the innermost one that is open. */
LL_FN unsigned ll_note_behind_(ll_note_ *r, unsigned p) {
    unsigned depth = 0;
    unsigned at[32] = LL_ZERO;
    unsigned char open[32] = LL_ZERO;
    do {
        const unsigned opens = ll_bracket_(r->s[p], 0);
        const unsigned closes = ll_bracket_(r->s[p], 1);
        if (!r->s[p] || depth == 32u ||
            (closes && open[depth - 1u] != closes)) {
            unsigned k = depth;
            while (k && closes && open[k - 1u] != closes) {
                --k;
            }
            ll_note_blame_(r, k ? at[depth - 1u] : p,
                           k ? "this bracket is not closed"
                             : "this bracket closes none");
            return p;
        }
        at[depth] = opens ? p : at[depth];
        open[depth] = (unsigned char)(opens ? opens : open[depth]);
        depth += opens ? 1u : 0u;
        depth -= closes ? 1u : 0u;
        ++p;
        p = depth ? ll_note_over_(r, p) : p;
    } while (depth);
    return p;
}

/* Private: returns the position after the value at p and the blanks after
 * it. */
LL_FN unsigned ll_value_end_(ll_note_ *r, unsigned p) {
    const unsigned from = p;
    while (r->s[p] && !ll_char_is_one_of_(r->s[p], "[{<(,]}>) \n\t\r=")) {
        ++p;
    }
    if (ll_char_is_one_of_(r->s[p], "[{<(")) {
        p = ll_note_behind_(r, p);
    } else if (p == from) {
        ll_note_blame_(r, p, "a value was expected");
    }
    p = ll_note_over_(r, p);
    if (r->s[p] == ':' && r->s[from] != '#') { /* the type of a number */
        p = ll_note_over_(r, p + 1u);
        p = ll_note_over_(r, p + ll_name_length_(r->s + p));
    }
    return p;
}

/* Private: an attribute. word, n: its word (`blocked`). outer, outer_to: the
 * text between < and >. from, to: the entries of its dictionary; without a
 * dictionary all of that text. */
typedef struct ll_head_ {
    unsigned word, n;
    unsigned outer, outer_to;
    unsigned from, to;
} ll_head_;

/* Private: returns the value of a key among the entries from..to-1; 0 if it is
 * not there. */
LL_FN unsigned ll_find_key_(ll_note_ *r, unsigned from, unsigned to,
                            const char *key) {
    unsigned found = 0;
    unsigned p = ll_note_over_(r, from);
    while (p < to && !r->why) {
        const unsigned n = ll_name_length_(r->s + p);
        const unsigned q = ll_note_over_(r, p + n);
        if (n && r->s[q] == '=') {
            const unsigned at = ll_note_over_(r, q + 1u);
            if (ll_is_word_(r, p, n, key)) {
                if (found) {
                    ll_note_blame_(r, p, "this key occurs twice");
                }
                found = at;
            }
            p = at;
        }
        p = p < to ? ll_value_end_(r, p) : p;
        if (p < to && r->s[p] == ',') {
            p = ll_note_over_(r, p + 1u);
        } else if (p < to && r->s[p] != '{') { /* a list, then a dictionary */
            ll_note_blame_(r, p, "a comma or the end was expected");
        }
    }
    return found;
}

/* Private: returns 1 if a word of n characters is in a list of words, each with
 * a blank after it. */
LL_FN int ll_is_listed_(const char *words, const char *a, unsigned n) {
    while (*words) {
        unsigned k = 0;
        while (k < n && words[k] == a[k]) {
            ++k;
        }
        if (n && k == n && words[k] == ' ') {
            return 1;
        }
        while (*words != ' ') {
            ++words;
        }
        ++words;
    }
    return 0;
}

/* Private: blames the first key among the entries that is not in the list of
 * words, each with a blank after it. */
LL_FN void ll_known_keys_(ll_note_ *r, unsigned from, unsigned to,
                          const char *words) {
    unsigned p = ll_note_over_(r, from);
    while (p < to && !r->why) {
        const unsigned n = ll_name_length_(r->s + p);
        const unsigned q = ll_note_over_(r, p + n);
        if (n && (r->s[q] != '=' || !ll_is_listed_(words, r->s + p, n))) {
            ll_note_blame_word_(r, p, n, words,
                                "the attribute has no such key");
            return;
        }
        p = ll_value_end_(r, n ? ll_note_over_(r, q + 1u) : p);
        p = r->s[p] == ',' ? ll_note_over_(r, p + 1u) : p;
    }
}

/* Private: returns the position of a name's definition, after `#name =`; 0 if
 * there is none. With n 0, returns the position of the attribute after the
 * definitions. */
LL_FN unsigned ll_note_defined_(ll_note_ *r, unsigned name, unsigned n) {
    unsigned p = ll_note_over_(r, 0);
    while (r->s[p] == '#' && !r->why) {
        const unsigned m = ll_hash_length_(r, p);
        const unsigned q = ll_note_over_(r, p + m);
        if (r->s[q] != '=') {
            break;
        }
        unsigned same = 0;
        while (same < n && same < m && r->s[p + same] == r->s[name + same]) {
            ++same;
        }
        const unsigned at = ll_note_over_(r, q + 1u);
        if (n && same == n && m == n) {
            return at;
        }
        p = ll_value_end_(r, at);
    }
    return n ? 0u : p;
}

/* Private: finds the dictionary of an attribute. */
LL_FN void ll_find_entries_(ll_note_ *r, ll_head_ *h) {
    h->from = h->outer;
    h->to = h->outer_to;
    if (r->s[h->from] == '[') {
        h->from = ll_note_over_(r, ll_note_behind_(r, h->from));
    }
    if (r->s[h->from] == '{') {
        h->to = ll_note_behind_(r, h->from) - 1u;
        ++h->from;
        const unsigned p = ll_note_over_(r, h->to + 1u);
        const int more =
            r->s[p] == ',' && ll_is_word_(r, h->word, h->n, "shared_linear");
        if (p < h->outer_to && !more) {
            ll_note_blame_(r, p, "the attribute has no such key");
        }
    }
}

/* Private: reads the head of the attribute at p, and follows names to it. */
LL_FN ll_head_ ll_head_at_(ll_note_ *r, unsigned p) {
    ll_head_ h = LL_ZERO;
    for (unsigned hop = 0; hop < LL_NEST_ && !r->why; ++hop) {
        const unsigned n = ll_hash_length_(r, p);
        unsigned dot = 0;
        while (dot < n && r->s[p + dot] != '.') {
            ++dot;
        }
        if (r->s[p] != '#' || n < 2u) {
            ll_note_blame_(r, p, "an attribute begins with # and a name");
        } else if (dot < n && r->s[p + n] == '<') {
            h.word = p + dot + 1u;
            h.n = n - dot - 1u;
            h.outer = ll_note_over_(r, p + n + 1u);
            h.outer_to = ll_note_behind_(r, p + n) - 1u;
            ll_find_entries_(r, &h);
            return h;
        } else {
            const unsigned at = ll_note_defined_(r, p, n);
            if (!at) {
                ll_note_blame_(r, p, "this name is not defined");
            }
            p = at;
        }
    }
    ll_note_blame_(r, p, "names stand for each other, or too many do");
    return h;
}

/* Private: an attribute while it is read, and the layout while it is made. A
 * column has one component per axis. The inputs are register, lane, warp and
 * block; in shared memory offset, none, partition and block; in tensor memory
 * dp, tcol, none and block.
 */
enum { LL_IN_REGISTER_, LL_IN_LANE_, LL_IN_WARP_, LL_IN_BLOCK_, LL_INPUTS_ };
typedef struct ll_recipe_ {
    ll_note_ *r;
    ll_head_ h;
    unsigned here;  /* the value that was read last */
    unsigned space; /* LL_SPACE_.., registers if it is not memory */
    unsigned bits;  /* of an element; 0: the attribute does not say it */
    unsigned rank;
    unsigned size[LL_AXES_]; /* log2 of the tensor, */
    unsigned part[LL_AXES_]; /* of one block's part of it, */
    unsigned has[LL_AXES_];  /* and of what is laid out so far */
    unsigned n[LL_INPUTS_];
    unsigned v[LL_INPUTS_][LL_MAX_BITS][LL_AXES_];
} ll_recipe_;

enum { LL_SPACE_REGISTERS_, LL_SPACE_SHARED_, LL_SPACE_TENSOR_ };

/* Private: numbers, and where each stands in the text. */
typedef struct ll_list_ {
    unsigned n;
    unsigned v[LL_AXES_];
    unsigned at[LL_AXES_];
} ll_list_;

LL_FN void ll_blame_key_(ll_recipe_ *m, const char *key, unsigned at,
                         const char *why) {
    m->r->key = m->r->why ? m->r->key : key;
    ll_note_blame_(m->r, at, why);
}

/* Private: returns the position of a key's value; 0 if the key is missing. With
 * `need` that is an error. */
LL_FN unsigned ll_value_of_(ll_recipe_ *m, const char *key, int need) {
    const unsigned at = ll_find_key_(m->r, m->h.from, m->h.to, key);
    if (!at && need) {
        ll_blame_key_(m, key, m->h.word, "the attribute lacks a key");
    }
    m->here = at ? at : m->h.word;
    return m->r->why ? 0u : at;
}

/* Private: reads a number and moves *p past it. */
LL_FN unsigned ll_note_digits_(ll_note_ *r, unsigned *p) {
    const unsigned from = *p;
    const unsigned long long x = ll_text_number_(r->s, p);
    if (from == *p || x >> 30) {
        ll_note_blame_(r, from, "a number from 0 to 2^30 - 1 was expected");
    }
    return (unsigned)x;
}

LL_FN unsigned ll_number_of_(ll_recipe_ *m, const char *key, int need,
                             unsigned otherwise) {
    unsigned at = ll_value_of_(m, key, need);
    return at ? ll_note_digits_(m->r, &at) : otherwise;
}

/* Private: blames the number of a key, or the attribute if the key is not
 * there. */
LL_FN void ll_blame_number_(ll_recipe_ *m, const char *key, const char *why) {
    const unsigned at = ll_value_of_(m, key, 0);
    unsigned end = at;
    if (at) {
        const unsigned got = ll_note_digits_(m->r, &end);
        ll_note_blame_got_(m->r, at, got, why);
    } else {
        ll_note_blame_(m->r, m->h.word, why);
    }
}

LL_FN int ll_flag_of_(ll_recipe_ *m, const char *key) {
    const unsigned at = ll_value_of_(m, key, 0);
    const unsigned n = at ? ll_name_length_(m->r->s + at) : 0u;
    const int yes = at && ll_is_word_(m->r, at, n, "true");
    if (at && !yes && !ll_is_word_(m->r, at, n, "false")) {
        ll_note_blame_(m->r, at, "true or false was expected");
    }
    return yes;
}

/* Private: reads `[1, 2, ..]` at *p and moves past it. */
LL_FN ll_list_ ll_list_at_(ll_note_ *r, unsigned *p) {
    ll_list_ list = LL_ZERO;
    if (r->s[*p] != '[') {
        ll_note_blame_(r, *p, "a list was expected");
        return list;
    }
    *p = ll_note_over_(r, *p + 1u);
    while (r->s[*p] != ']' && !r->why) {
        if (list.n == LL_AXES_) {
            ll_note_blame_(r, *p, "a list has at most 16 numbers");
            break;
        }
        list.at[list.n] = *p;
        list.v[list.n++] = ll_note_digits_(r, p);
        *p = ll_note_over_(r, *p);
        if (r->s[*p] == ',') {
            *p = ll_note_over_(r, *p + 1u);
        } else if (r->s[*p] != ']') {
            ll_note_blame_(r, *p, "a comma or ] was expected");
        }
    }
    *p = r->why ? *p : ll_note_over_(r, *p + 1u);
    return list;
}

/* Private: reads the list of a key, which must have `n` numbers; any count if n
 * is 0.
 */
LL_FN ll_list_ ll_list_of_(ll_recipe_ *m, const char *key, int need,
                           unsigned n) {
    ll_list_ list = LL_ZERO;
    const unsigned at = ll_value_of_(m, key, need);
    unsigned p = at;
    if (at) {
        list = ll_list_at_(m->r, &p);
        if (n && list.n != n) {
            ll_blame_key_(m, key, at,
                          "the list needs a number for each axis of the shape");
        }
    }
    const ll_list_ none = LL_ZERO;
    return m->r->why ? none : list;
}

/* Private: reads the list of a key as ll_list_of_. Blames a number that is not
 * a power of two. */
LL_FN ll_list_ ll_powers_of_(ll_recipe_ *m, const char *key, int need,
                             unsigned n) {
    const ll_list_ list = ll_list_of_(m, key, need, n);
    for (unsigned k = 0; k < list.n && !m->r->why; ++k) {
        if (ll_log2_(list.v[k]) > 30u) {
            m->r->key = key;
            ll_note_blame_got_(m->r, list.at[k], list.v[k],
                               "this number must be a power of two, at least "
                               "1");
        }
    }
    return list;
}

/* Private: reads an order: each axis once, the fastest first. */
LL_FN ll_list_ ll_order_of_(ll_recipe_ *m, const char *key) {
    ll_list_ list = ll_list_of_(m, key, 1, m->rank);
    unsigned seen = 0;
    for (unsigned k = 0; k < list.n && !m->r->why; ++k) {
        const unsigned axis = list.v[k];
        if (axis >= m->rank || seen >> axis & 1u) {
            m->r->key = key;
            ll_note_blame_got_(m->r, list.at[k], axis,
                               "an order names each axis, counted from 0, "
                               "once");
        }
        seen |= axis < m->rank ? 1u << axis : 0u;
    }
    list.n = m->r->why ? 0u : list.n;
    return list;
}

/* Private: reads the columns of one input, a list of lists, from the position
 * `at`. */
LL_FN void ll_columns_at_(ll_recipe_ *m, unsigned at, unsigned in) {
    ll_note_ *r = m->r;
    unsigned p = at;
    if (r->s[p] != '[') {
        ll_note_blame_(r, p, "a list of lists was expected");
        return;
    }
    p = ll_note_over_(r, p + 1u);
    while (r->s[p] != ']' && !r->why) {
        const unsigned from = p;
        const ll_list_ list = ll_list_at_(r, &p);
        if (m->n[in] == LL_MAX_BITS || list.n != m->rank) {
            ll_note_blame_(
                r, from,
                list.n != m->rank
                    ? "a column needs a number for each axis of the shape"
                    : "an input has at most 32 columns");
            return;
        }
        for (unsigned k = 0; k < m->rank; ++k) {
            m->v[in][m->n[in]][k] = list.v[k];
        }
        ++m->n[in];
        if (r->s[p] == ',') {
            p = ll_note_over_(r, p + 1u);
        } else if (r->s[p] != ']') {
            ll_note_blame_(r, p, "a comma or ] was expected");
        }
    }
}

LL_FN void ll_columns_of_(ll_recipe_ *m, const char *key, int need,
                          unsigned in) {
    const unsigned at = ll_value_of_(m, key, need);
    if (at) {
        ll_columns_at_(m, at, in);
    }
}

/* The factors of a recipe. LL_NO_AXIS_ stands for no axis: such inputs hold
 * copies. */
#define LL_NO_AXIS_ LL_AXES_

/* Private: lays `count` values of an input along an axis. */
LL_FN void ll_recipe_lay_(ll_recipe_ *m, unsigned in, unsigned count,
                          unsigned axis) {
    const unsigned bits = ll_log2_(count);
    if (bits > 30u || m->n[in] + bits > LL_MAX_BITS ||
        (axis < LL_NO_AXIS_ && m->has[axis] + bits > 30u)) {
        if (bits > 30u) {
            ll_note_blame_got_(m->r, m->here, count,
                               "this number must be a power of two, at least "
                               "1");
        }
        ll_note_blame_(m->r, m->here, "the layout has more than 2^32 elements");
        return;
    }
    for (unsigned k = 0; k < bits; ++k) {
        if (axis < LL_NO_AXIS_) {
            m->v[in][m->n[in]][axis] = 1u << m->has[axis];
            ++m->has[axis];
        }
        ++m->n[in];
    }
}

/* Private: lays values of an input along each axis of an order; along axis
 * `except` they hold copies. */
LL_FN void ll_recipe_lay_all_(ll_recipe_ *m, unsigned in, ll_list_ count,
                              ll_list_ order, unsigned except) {
    for (unsigned k = 0; k < order.n; ++k) {
        const unsigned axis = order.v[k];
        /* cppcheck-suppress arrayIndexOutOfBoundsCond ; an order has axes */
        ll_recipe_lay_(m, in, count.v[axis],
                       axis == except ? LL_NO_AXIS_ : axis);
    }
}

/* Private: lays values of an input along an axis until it has 2^bits
 * elements. */
LL_FN void ll_recipe_fill_(ll_recipe_ *m, unsigned in, unsigned bits,
                           unsigned axis) {
    if (!m->r->why && m->has[axis] < bits) {
        ll_recipe_lay_(m, in, ll_shift_(1u, bits - m->has[axis]), axis);
    }
}

/* Private: returns an order of axes: `inner` and `outer` first, if they are
 * axes, then the other axes, the last first. */
LL_FN ll_list_ ll_order_matrix_first_(unsigned rank, unsigned inner,
                                      unsigned outer) {
    ll_list_ order = LL_ZERO;
    if (inner < rank) {
        order.v[order.n++] = inner;
    }
    if (outer < rank) {
        order.v[order.n++] = outer;
    }
    for (unsigned k = rank; k-- > 0;) {
        if (k != inner && k != outer) {
            order.v[order.n++] = k;
        }
    }
    return order;
}

LL_FN ll_list_ ll_order_last_first_(unsigned rank) {
    return ll_order_matrix_first_(rank, rank, rank);
}

LL_FN ll_list_ ll_order_first_first_(unsigned rank) {
    ll_list_ order = LL_ZERO;
    for (; order.n < rank; ++order.n) {
        order.v[order.n] = order.n;
    }
    return order;
}

/* Private: reads blocks in the syntax of older releases: CTAsPerCGA blocks
 * along each axis, CTASplitNum of them with distinct data, in the order
 * CTAOrder. */
LL_FN void ll_old_blocks_(ll_recipe_ *m) {
    const ll_list_ all = ll_powers_of_(m, "CTAsPerCGA", 1, m->rank);
    const ll_list_ split = ll_powers_of_(m, "CTASplitNum", 1, m->rank);
    const ll_list_ order = ll_order_of_(m, "CTAOrder");
    for (unsigned k = 0; k < order.n && !m->r->why; ++k) {
        const unsigned axis = order.v[k];
        const unsigned parts = split.v[axis];
        ll_recipe_lay_(m, LL_IN_BLOCK_, parts, axis);
        ll_recipe_lay_(m, LL_IN_BLOCK_, parts ? all.v[axis] / parts : 0u,
                       LL_NO_AXIS_);
    }
}

/* Private: reads the blocks, cuts them to the tensor, and finds the part of the
 * tensor that one block holds. Along axis `except` blocks hold copies. */
LL_FN void ll_recipe_cut_blocks_(ll_recipe_ *m, unsigned except) {
    if (ll_value_of_(m, "CTAsPerCGA", 0)) {
        ll_old_blocks_(m);
    } else {
        ll_columns_of_(m, "CGALayout", 0, LL_IN_BLOCK_);
    }
    for (unsigned axis = 0; axis < m->rank; ++axis) {
        unsigned all = 0;
        for (unsigned k = 0; k < m->n[LL_IN_BLOCK_]; ++k) {
            unsigned *x = &m->v[LL_IN_BLOCK_][k][axis];
            *x = axis == except || *x >> m->size[axis] ? 0u : *x;
            all |= *x;
        }
        m->part[axis] = m->size[axis];
        for (; all; all >>= 1) {
            --m->part[axis];
        }
        m->has[axis] = 0;
    }
}

/* Private: repeats the layout of a block along the axes of an order, cuts it to
 * the block's part of the tensor, and puts the blocks side by side. */
LL_FN void ll_recipe_fit_(ll_recipe_ *m, ll_list_ order) {
    for (unsigned k = 0; k < order.n; ++k) {
        ll_recipe_fill_(m, 0, m->part[order.v[k]], order.v[k]);
    }
    for (unsigned axis = 0; axis < m->rank; ++axis) {
        for (unsigned in = 0; in < LL_IN_BLOCK_; ++in) {
            for (unsigned k = 0; k < m->n[in]; ++k) {
                unsigned *x = &m->v[in][k][axis];
                *x = *x >> m->part[axis] ? 0u : *x;
            }
        }
        for (unsigned k = 0; k < m->n[LL_IN_BLOCK_]; ++k) {
            m->v[LL_IN_BLOCK_][k][axis] <<= m->part[axis];
        }
    }
}

/* Private: drops the register columns that are 0 and marked in `only`. */
LL_FN void ll_recipe_drop_zeros_(ll_recipe_ *m, unsigned only) {
    unsigned n = 0;
    for (unsigned k = 0; k < m->n[0]; ++k) {
        unsigned any = 0;
        for (unsigned axis = 0; axis < m->rank; ++axis) {
            any |= m->v[0][k][axis];
            m->v[0][n][axis] = m->v[0][k][axis];
        }
        n += any || !(only >> k & 1u) ? 1u : 0u;
    }
    m->n[0] = n;
}

/* Private: returns 1 if the tensor has a matrix, its last two axes; else blames
 * the attribute. */
LL_FN int ll_recipe_has_matrix_(ll_recipe_ *m) {
    if (m->rank < 2u) {
        ll_note_blame_(m->r, m->h.word, "the attribute needs two axes");
    }
    return m->rank >= 2u;
}

/* ---- triton_memory: Views: Triton's attributes of memory -------------- */

/* The recipes of attributes that lay a tensor in shared or tensor memory, and
 * of linear ones, which list the columns. */

/* Private: the keys that say which blocks there are. */
#define LL_BLOCK_KEYS_ "CGALayout CTAsPerCGA CTASplitNum CTAOrder "

/* Private: returns what is wrong with the columns of a linear layout, or 0.
 * Together they must reach every element. With `plain` each column is one bit,
 * and no two are the same, except for columns that are 0. */
LL_FN const char *ll_is_linear_(const ll_recipe_ *m, int plain) {
    unsigned ok = 1;
    unsigned whole = 1;
    for (unsigned axis = 0; axis < m->rank; ++axis) {
        unsigned seen = 0;
        for (unsigned in = 0; in < LL_INPUTS_; ++in) {
            for (unsigned k = 0; k < m->n[in]; ++k) {
                const unsigned x = m->v[in][k][axis];
                ok = plain && (x & seen || x & (x - 1u)) ? 0u : ok;
                for (unsigned b = axis + 1u; plain && x && b < m->rank; ++b) {
                    ok = m->v[in][k][b] ? 0u : ok;
                }
                seen |= x;
            }
        }
        whole = seen & (seen + 1u) ? 0u : whole;
    }
    return !ok      ? "each column is 0, or one bit that no other has, but for "
                      "generic_linear"
           : !whole ? "the columns do not reach every element: one that is "
                      "half of another is missing"
                    : 0;
}

/* Private: linear<{register, lane, warp, block}>, and the same for memory. The
 * axes are repeated in the order in which the register columns name them. */
LL_FN void ll_make_linear_(ll_recipe_ *m, int plain) {
    ll_list_ order = LL_ZERO;
    unsigned seen = 0;
    unsigned full = 0; /* register columns that are not 0 */
    const char *const wrong = ll_is_linear_(m, plain);
    if (wrong) {
        ll_note_blame_(m->r, m->h.word, wrong);
    }
    for (unsigned k = 0; k < m->n[0]; ++k) {
        for (unsigned axis = 0; axis < m->rank; ++axis) {
            if (m->v[0][k][axis] && !(seen >> axis & 1u)) {
                order.v[order.n++] = axis;
                seen |= 1u << axis;
            }
            full |= m->v[0][k][axis] ? 1u << k : 0u;
        }
    }
    for (unsigned axis = m->rank; axis-- > 0;) {
        unsigned all = 0;
        for (unsigned in = 0; in < LL_INPUTS_; ++in) {
            for (unsigned k = 0; k < m->n[in]; ++k) {
                unsigned *x = &m->v[in][k][axis];
                all |= *x;
                *x = *x >> m->size[axis] ? 0u : *x;
            }
        }
        for (; all; all >>= 1) {
            ++m->has[axis];
        }
        if (!(seen >> axis & 1u)) {
            order.v[order.n++] = axis;
        }
    }
    for (unsigned k = 0; k < order.n; ++k) {
        ll_recipe_fill_(m, 0, m->size[order.v[k]], order.v[k]);
    }
    if (m->space == LL_SPACE_REGISTERS_) {
        ll_recipe_drop_zeros_(m, full);
    }
}

/* Private: swizzled_shared<{vec, perPhase, maxPhase, order}>: XORs the vectors
 * of a row with the number of the row's phase; with `turns` 2, rotated, also
 * with the bits of the row above the phase. */
LL_FN void ll_make_swizzled_(ll_recipe_ *m, unsigned turns) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "vec perPhase maxPhase order " LL_BLOCK_KEYS_);
    const unsigned vec = ll_number_of_(m, "vec", 1, 0);
    const unsigned per = ll_number_of_(m, "perPhase", 1, 0);
    const unsigned most = ll_number_of_(m, "maxPhase", 1, 0);
    const ll_list_ order = ll_order_of_(m, "order");
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (ll_log2_(vec) > 15u || ll_log2_(per) > 15u || ll_log2_(most) > 15u) {
        ll_blame_number_(m, ll_log2_(vec) > 15u   ? "vec"
                            : ll_log2_(per) > 15u ? "perPhase"
                                                  : "maxPhase",
                         "vec, perPhase and maxPhase are powers of two");
        return;
    }
    for (unsigned k = 0; k < order.n; ++k) {
        const unsigned axis = order.v[k];
        const unsigned col = order.v[0];
        for (unsigned b = 0; b < m->part[axis]; ++b) {
            const unsigned row = (1u << b) / per;
            const unsigned phase =
                row % most ^ (turns > 1u ? row / most % most : 0u);
            const unsigned x = phase * vec & ll_ones_(m->part[col]);
            ll_recipe_lay_(m, 0, 2, axis);
            if (k == 1u && !m->r->why) {
                m->v[0][m->n[0] - 1u][col] = x;
            }
        }
    }
    ll_recipe_fit_(m, order);
}

/* Private: the parameters of nvmma_shared: the bytes of a swizzled line, the
 * bits of an element, and the box. */
typedef struct ll_lines_ {
    unsigned bytes, bits;
    unsigned pads; /* 1: each 16 places hold 8 elements twice */
    unsigned turned;
    unsigned fast;          /* the contiguous axis */
    unsigned box[LL_AXES_]; /* log2 of the box of one tensor copy */
} ll_lines_;

/* Private: returns a column of a swizzled line. If its elements are padded, bit
 * 3 of a place is left out. */
LL_FN unsigned ll_fold_(unsigned x, unsigned pads) {
    return pads ? (x & 7u) | (x >> 1 & ~7u) : x;
}

/* Private: adds a column of the box as a matrix, in which all axes but the
 * contiguous one are rows. Elements are counted along the contiguous axis
 * first, then from the last axis to the first. */
LL_FN void ll_lay_cell_(ll_recipe_ *m, const ll_lines_ *t, unsigned row,
                        unsigned col) {
    const unsigned n = m->rank;
    unsigned long long x = (unsigned long long)row << t->box[t->fast] | col;
    const unsigned at = m->n[0];
    ll_recipe_lay_(m, 0, 2, LL_NO_AXIS_);
    for (unsigned k = n; k-- > 0 && !m->r->why;) {
        const unsigned axis = (k + t->turned) % n;
        m->v[0][at][axis] = (unsigned)(x & ll_ones_(t->box[axis]));
        x >>= t->box[axis];
    }
}

/* Private: lays eight rows of `bytes` swizzled bytes each, and repeats them
 * down the rows. */
LL_FN void ll_lay_box_(ll_recipe_ *m, const ll_lines_ *t) {
    const unsigned per = 128u / t->bytes;
    unsigned high = 0;
    for (unsigned b = 0; b < t->box[t->fast] + t->pads; ++b) {
        ll_lay_cell_(m, t, 0, ll_fold_(1u << b, t->pads));
    }
    for (unsigned k = 0; k < m->rank; ++k) {
        high += k == t->fast ? 0u : t->box[k];
        m->has[k] = t->box[k];
    }
    for (unsigned b = 0; b < 3u || b < high; ++b) {
        const unsigned phase = (1u << b) / per % (t->bytes / 16u);
        ll_lay_cell_(m, t, 1u << b, ll_fold_(phase * (128u / t->bits),
                                             t->pads));
    }
}

/* Private: checks the rank of memory attributes: the key `rank`, or the axes of
 * the blocks, or 2. */
LL_FN void ll_check_rank_(ll_recipe_ *m) {
    const int told =
        ll_value_of_(m, "CGALayout", 0) || ll_value_of_(m, "CTAsPerCGA", 0);
    const unsigned rank = ll_number_of_(m, "rank", 0, told ? m->rank : 2u);
    if (rank != m->rank) {
        ll_blame_number_(m, "rank",
                         "the attribute has not as many axes as the shape");
    }
}

/* Private: returns 1 if a block's part of the tensor holds a tile of 8 swizzled
 * lines. All axes but the contiguous one count as rows. */
LL_FN int ll_has_lines_(const ll_recipe_ *m, const ll_lines_ *t) {
    unsigned rows = 0;
    for (unsigned k = 0; k < m->rank; ++k) {
        rows += k == t->fast ? 0u : t->box[k];
    }
    return m->rank < 2u || (rows >= 3u && m->part[t->fast] >= t->box[t->fast]);
}

/* Private: nvmma_shared<{swizzlingByteWidth, transposed, elementBitWidth,
 * fp4Padded, rank}>: what TMA writes and wgmma reads. */
LL_FN void ll_make_nvmma_(ll_recipe_ *m) {
    ll_lines_ t = LL_ZERO;
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "swizzlingByteWidth elementBitWidth transposed fp4Padded "
                   "rank " LL_BLOCK_KEYS_);
    t.bytes = ll_number_of_(m, "swizzlingByteWidth", 1, 0);
    t.bits = ll_number_of_(m, "elementBitWidth", 1, 0);
    t.turned = ll_flag_of_(m, "transposed") ? 1u : 0u;
    t.pads = ll_flag_of_(m, "fp4Padded") ? 1u : 0u;
    ll_check_rank_(m);
    if (t.bytes != 0 && t.bytes != 32u && t.bytes != 64u && t.bytes != 128u) {
        ll_blame_number_(m, "swizzlingByteWidth",
                         "swizzlingByteWidth is 0, 32, 64 or 128");
    }
    if (ll_log2_(t.bits) > 7u || t.bits < 4u) {
        ll_blame_number_(m, "elementBitWidth",
                         "elementBitWidth is 4, 8, 16, 32, 64 or 128");
    }
    if (t.pads && t.bits != 8u) {
        ll_blame_number_(m, "elementBitWidth",
                         "with fp4Padded elementBitWidth is 8, a byte for two "
                         "elements");
    }
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (m->r->why) {
        return;
    }
    t.fast = t.turned ? 0u : m->rank - 1u;
    for (unsigned k = 0; k < m->rank; ++k) {
        const unsigned bits = m->part[k] + (k == t.fast ? t.pads : 0u);
        t.box[k] = bits < 8u ? bits : 8u;
    }
    t.box[t.fast] = t.bytes ? ll_log2_(8u * t.bytes / t.bits) : t.box[t.fast];
    t.box[t.fast] -= t.pads;
    m->bits = t.bits;
    if (t.bytes && !ll_has_lines_(m, &t)) {
        ll_note_blame_(m->r, m->h.word,
                       "the block's part of the tensor is smaller than a "
                       "swizzled tile, which has 8 rows of swizzlingByteWidth "
                       "bytes");
        return;
    }
    const ll_list_ order = m->rank < 2u || t.bytes == 0
                               ? ll_order_last_first_(m->rank)
                               : ll_order_first_first_(m->rank);
    if (m->rank < 2u || t.bytes == 0) {
        for (unsigned k = 0; k < order.n; ++k) {
            ll_recipe_fill_(m, 0, t.box[order.v[k]], order.v[k]);
        }
    } else {
        ll_lay_box_(m, &t);
    }
    ll_recipe_fit_(m, order);
}

/* Private: padded_shared<[interval:+pad, ..] {order, shape}>, or with the
 * columns {offset, block} in place of the order. */
LL_FN void ll_make_padded_(ll_recipe_ *m, ll_foreign *f) {
    ll_note_ *r = m->r;
    unsigned p = m->h.outer;
    if (r->s[p] != '[') {
        ll_note_blame_(r, p, "a list of interval:+pad was expected");
        return;
    }
    p = ll_note_over_(r, p + 1u);
    while (r->s[p] != ']' && !r->why) {
        const unsigned from = p;
        const unsigned every = ll_note_digits_(r, &p);
        if (r->s[p] != ':' || r->s[p + 1u] != '+') {
            ll_note_blame_(r, p, "interval:+pad was expected");
            return;
        }
        p += 2u;
        const unsigned at = p;
        const unsigned pad = ll_note_digits_(r, &p);
        if (f->pads == LL_MAX_PADS) {
            ll_note_blame_(r, from, "there are at most 4 pads");
            return;
        }
        if (ll_log2_(every) > 30u || ll_log2_(pad) > 30u) {
            const int wide = ll_log2_(every) > 30u;
            ll_note_blame_got_(r, wide ? from : at, wide ? every : pad,
                               "an interval and a pad are powers of two");
            return;
        }
        for (unsigned k = 0; k < f->pads; ++k) {
            if (f->every[k] == every) {
                ll_note_blame_(r, from, "this interval occurs twice");
            }
        }
        f->every[f->pads] = every;
        f->pad[f->pads++] = pad;
        p = ll_note_over_(r, p);
        p = r->s[p] == ',' ? ll_note_over_(r, p + 1u) : p;
    }
    if (!ll_value_of_(m, "order", 0)) {
        const int listed = ll_value_of_(m, "offset", 0) != 0;
        ll_known_keys_(r, m->h.from, m->h.to,
                       listed ? "offset block " : "order shape offset block ");
        ll_columns_of_(m, "offset", 1, 0);
        ll_columns_of_(m, "block", 0, LL_IN_BLOCK_);
        ll_make_linear_(m, 0);
        return;
    }
    ll_known_keys_(r, m->h.from, m->h.to, "order shape CGALayout ");
    const ll_list_ order = ll_order_of_(m, "order");
    ll_list_of_(m, "shape", 1, m->rank);
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    ll_recipe_fit_(m, order);
}

/* Private: tensor_memory_encoding<blockM, blockN, colStride, twoCTAs>. A block
 * of 64 rows lies in the lower half of each quarter of the 128 lanes of tensor
 * memory. The other half holds the next block, or nothing; for a pair of blocks
 * it holds the second half of the columns. Input 0 is dp, input 1 is tcol. */
LL_FN void ll_make_tensor_(ll_recipe_ *m) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "blockM blockN colStride twoCTAs fp4Padded CGALayout "
                   "CTASplitM CTASplitN ");
    const unsigned rows = ll_number_of_(m, "blockM", 1, 0);
    const unsigned cols = ll_number_of_(m, "blockN", 1, 0);
    const unsigned step = ll_number_of_(m, "colStride", 1, 0);
    const int pair = ll_flag_of_(m, "twoCTAs");
    const int pads = ll_flag_of_(m, "fp4Padded");
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (m->rank != 2u || (rows != 64u && rows != 128u) || ll_log2_(cols) > 9u ||
        ll_log2_(step) > 5u) {
        const char *const why =
            "tensor memory has two axes, blockM 64 or 128, blockN and "
            "colStride powers of two";
        if (m->rank != 2u) {
            ll_note_blame_(m->r, m->h.word, why);
        }
        ll_blame_number_(m, rows != 64u && rows != 128u ? "blockM"
                            : ll_log2_(cols) > 9u       ? "blockN"
                                                        : "colStride",
                         why);
        return;
    }
    const unsigned wide =
        ll_log2_(cols) < m->part[1] ? ll_log2_(cols) : m->part[1];
    ll_recipe_lay_(m, 1, step, LL_NO_AXIS_);
    ll_recipe_lay_(m, 1, pads ? 2 : 1, LL_NO_AXIS_);
    if (rows == 64u) {
        ll_recipe_lay_(m, 0, pair ? 64 : 16, 0);
        ll_recipe_fill_(m, 1, pair && wide ? wide - 1u : wide, 1);
        if (!pair) { /* the next block lies between the rows of this one */
            m->has[0] = 6;
            ll_recipe_lay_(m, 0, 2, m->part[0] > 6u ? 0u : 1u);
            m->has[0] = 4;
            ll_recipe_lay_(m, 0, 4, 0);
            m->has[0] = 7;
        } else {
            ll_recipe_lay_(m, 0, 2, wide ? 1u : LL_NO_AXIS_);
        }
    } else {
        ll_recipe_lay_(m, 0, 128, 0);
        ll_recipe_fill_(m, 1, wide, 1);
    }
    ll_recipe_fill_(m, 1, m->part[0], 0);
    ll_recipe_fill_(m, 1, m->part[1], 1);
    ll_recipe_fit_(m, ll_order_first_first_(m->rank));
}

/* Private: tensor_memory_scales_encoding<blockRepOrder>: 32 rows, repeated in
 * each quarter of the lanes; in the columns 4 along k, then 4 times 32 rows,
 * then the rest. */
LL_FN void ll_make_scales_(ll_recipe_ *m) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "blockRepOrder CGALayout CTASplitM CTASplitN ");
    const unsigned at = ll_value_of_(m, "blockRepOrder", 0);
    const unsigned from = at && m->r->s[at] == '"' ? at + 1u : at;
    const unsigned n = at ? ll_name_length_(m->r->s + from) : 0u;
    const unsigned first = ll_is_word_(m->r, from, n, "k_then_mn") ? 1u : 0u;
    if (n && !first && !ll_is_word_(m->r, from, n, "mn_then_k")) {
        ll_note_blame_(m->r, from, "k_then_mn or mn_then_k was expected");
    }
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (m->rank != 2u) {
        ll_note_blame_(m->r, m->h.word, "scales have two axes");
        return;
    }
    ll_recipe_lay_(m, 0, 32, 0);
    ll_recipe_lay_(m, 0, 4, LL_NO_AXIS_);
    ll_recipe_lay_(m, 1, 4, 1);
    ll_recipe_lay_(m, 1, m->part[0] < 7u ? 2 : 4, 0);
    ll_recipe_fill_(m, 1, m->part[first], first);
    ll_recipe_fill_(m, 1, m->part[1u - first], 1u - first);
    ll_recipe_fit_(m, ll_order_first_first_(m->rank));
}

/* ---- triton_families: Views: families of attributes ------------------- */

/* Each family of attributes has a function that executes its recipe. The
 * operand of a dot, `dot_op`, is the recipe of its parent, but k is not divided
 * among warps and blocks: along k they hold copies. */

/* Private: an operand. number: 0 or 1; 2 for the result of the dot, whose k is
 * not an axis. width: the elements along k that a lane holds side by side. k,
 * other: the axes. */
typedef struct ll_role_ {
    unsigned number, width;
    unsigned k, other;
} ll_role_;

LL_FN ll_role_ ll_role_of_(unsigned number, unsigned width, unsigned rank) {
    ll_role_ o = LL_ZERO;
    o.number = number;
    o.width = width;
    o.k = number > 1u ? LL_NO_AXIS_ : rank - 1u - number;
    o.other = rank - 2u + number;
    return o;
}

/* Private: blocked<{sizePerThread, threadsPerWarp, warpsPerCTA, order}>. */
LL_FN void ll_make_blocked_(ll_recipe_ *m, ll_role_ o) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "sizePerThread threadsPerWarp warpsPerCTA "
                   "order " LL_BLOCK_KEYS_);
    ll_list_ each = ll_powers_of_(m, "sizePerThread", 1, m->rank);
    const ll_list_ lanes = ll_powers_of_(m, "threadsPerWarp", 1, m->rank);
    const ll_list_ warps = ll_powers_of_(m, "warpsPerCTA", 1, m->rank);
    const ll_list_ order = ll_order_of_(m, "order");
    ll_recipe_cut_blocks_(m, o.k);
    if (o.k < LL_NO_AXIS_) {
        each.v[o.k] = 1u << m->part[o.k];
    }
    ll_recipe_lay_all_(m, LL_IN_REGISTER_, each, order, LL_NO_AXIS_);
    ll_recipe_lay_all_(m, LL_IN_LANE_, lanes, order, o.k);
    ll_recipe_lay_all_(m, LL_IN_WARP_, warps, order, o.k);
    ll_recipe_fit_(m, order);
}

/* Private: a tile of mma.sync, m x n along two axes: 8 rows of 4 lanes, with
 * `width` elements per lane; the rest is in registers, the outer axis first. */
LL_FN void ll_lay_quads_(ll_recipe_ *m, unsigned rows, unsigned cols,
                         unsigned width, unsigned inner, unsigned outer) {
    ll_recipe_lay_(m, LL_IN_REGISTER_, width, inner);
    ll_recipe_lay_(m, LL_IN_LANE_, 4, inner);
    ll_recipe_lay_(m, LL_IN_LANE_, 8, outer);
    ll_recipe_fill_(m, LL_IN_REGISTER_, ll_log2_(rows), outer);
    ll_recipe_fill_(m, LL_IN_REGISTER_, ll_log2_(cols), inner);
}

/* Private: returns 1 if a list has at least `least` numbers, and `n` of them
 * from `from` on are powers of two, at most 2^bits; else blames the wrong one
 * with the sentence `why`. */
LL_FN int ll_has_powers_(ll_recipe_ *m, const ll_list_ *list, unsigned least,
                         unsigned from, unsigned n, unsigned bits,
                         const char *why) {
    if (list->n < least) {
        ll_note_blame_(m->r, m->h.word, why);
    }
    for (unsigned k = from; k < from + n && !m->r->why; ++k) {
        if (ll_log2_(list->v[k]) > bits) {
            ll_note_blame_got_(m->r, list->at[k], list->v[k], why);
        }
    }
    return !m->r->why;
}

/* Private: nvidia_mma<{versionMajor, warpsPerCTA, instrShape}>. Warps go along
 * the last axis first; in version 3 (wgmma) along the first. */
LL_FN void ll_make_mma_(ll_recipe_ *m, ll_role_ o) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "versionMajor versionMinor warpsPerCTA "
                   "instrShape " LL_BLOCK_KEYS_);
    const unsigned major = ll_number_of_(m, "versionMajor", 1, 0);
    const ll_list_ warps = ll_powers_of_(m, "warpsPerCTA", 1, m->rank);
    const ll_list_ instr = ll_list_of_(m, "instrShape", 1, 0);
    ll_number_of_(m, "versionMinor", 0, 0);
    const ll_list_ order = major == 3u ? ll_order_first_first_(m->rank)
                                       : ll_order_last_first_(m->rank);
    const unsigned at = major == 3u    ? 0u
                        : instr.n < 2u ? 0u
                                       : instr.n - 2u; /* where m is */
    if (!ll_recipe_has_matrix_(m)) {
        return;
    }
    if (major != 2u && major != 3u) {
        ll_blame_number_(m, "versionMajor", "versionMajor is 2 or 3");
        return;
    }
    if (!ll_has_powers_(m, &instr, 2, at, 2, 8,
                        "instrShape has rows and columns, powers of two")) {
        return;
    }
    ll_recipe_cut_blocks_(m, o.k);
    if (o.number > 1u) {
        ll_lay_quads_(m, instr.v[at], instr.v[at + 1u], 2, m->rank - 1u,
                      m->rank - 2u);
        ll_recipe_lay_all_(m, LL_IN_WARP_, warps, order, LL_NO_AXIS_);
        ll_recipe_fit_(m, ll_order_last_first_(m->rank));
        return;
    }
    const int small = major == 2u && instr.v[at] == 8u; /* double precision */
    ll_lay_quads_(m, o.number || small ? 8 : 16,
                  small ? 4u * o.width : 8u * o.width, o.width, o.k, o.other);
    ll_recipe_lay_all_(m, LL_IN_WARP_, warps, order, o.k);
    ll_recipe_fit_(m, ll_order_matrix_first_(m->rank, o.k, o.other));
}

/* Private: the rows (or columns, with b) of the instruction of an AMD matrix
 * layout, which may be transposed. */
LL_FN unsigned ll_extent_(const ll_list_ *instr, unsigned b, int turned) {
    return instr->v[(b != 0) != (turned != 0) ? 1 : 0];
}

/* Private: checks the instruction and the version of amd_mfma. */
LL_FN int ll_is_mfma_(ll_recipe_ *m, const ll_list_ *instr, unsigned version) {
    const char *const why = "instrShape has 4, 16, 32 or 64 rows and columns, "
                            "and version is at most 4";
    if (instr->n > 3u) {
        ll_note_blame_(m->r, m->h.word, why);
    }
    for (unsigned k = 0; k < 2u && instr->n >= 2u && !m->r->why; ++k) {
        if (instr->v[k] < 4u) {
            ll_note_blame_got_(m->r, instr->at[k], instr->v[k], why);
        }
    }
    if (version > 4u) {
        ll_blame_number_(m, "version", why);
    }
    return ll_has_powers_(m, instr, 2, 0, 2, 6, why);
}

/* Private: amd_mfma<{version, warpsPerCTA, instrShape, isTransposed,
 * tilesPerWarp, elementBitWidth}>. A lane holds 4 rows (1 in double precision),
 * then come the lanes of a row, then the other lanes below. */
LL_FN void ll_make_mfma_(ll_recipe_ *m, ll_role_ o) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "version versionMajor versionMinor warpsPerCTA instrShape "
                   "isTransposed tilesPerWarp elementBitWidth " LL_BLOCK_KEYS_);
    const int turned = ll_flag_of_(m, "isTransposed");
    const ll_list_ warps = ll_powers_of_(m, "warpsPerCTA", 1, m->rank);
    ll_list_ tiles = ll_powers_of_(m, "tilesPerWarp", 0, m->rank);
    const unsigned bits = ll_number_of_(m, "elementBitWidth", 0, 32);
    const unsigned version = ll_number_of_(m, "version", 0, 0);
    const ll_list_ instr = ll_list_of_(m, "instrShape", 1, 0);
    if (!ll_recipe_has_matrix_(m)) {
        return;
    }
    if (!ll_is_mfma_(m, &instr, version)) {
        return;
    }
    for (unsigned k = 0; !tiles.n && k < m->rank; ++k) {
        tiles.v[k] = 1;
    }
    /* operands keep blocks along k, and tiles fill the whole tensor */
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (o.number <= 1u) {
        const unsigned side = ll_extent_(&instr, o.number, 0);
        ll_recipe_lay_(m, LL_IN_REGISTER_, o.width, o.k);
        ll_recipe_lay_(m, LL_IN_LANE_, side, o.other);
        ll_recipe_lay_(m, LL_IN_LANE_, 64u / side, o.k);
        ll_recipe_lay_(m, LL_IN_REGISTER_, side == 64u ? 16 : 1, o.k);
        ll_recipe_fill_(m, LL_IN_REGISTER_, m->size[o.k], o.k);
        ll_recipe_lay_(m, LL_IN_REGISTER_, tiles.v[o.other], o.other);
        ll_recipe_lay_all_(m, LL_IN_WARP_, warps, ll_order_last_first_(m->rank),
                           o.k);
        ll_recipe_fit_(m, ll_order_matrix_first_(m->rank, o.k, o.other));
        return;
    }
    m->bits = ll_value_of_(m, "elementBitWidth", 0) ? bits : 0u;
    const unsigned rows = m->rank - 2u;
    const unsigned cols = m->rank - 1u;
    const unsigned down = turned ? cols : rows;
    const unsigned across = turned ? rows : cols;
    const unsigned high = bits == 64u ? 1u : 4u;
    const unsigned wide = instr.v[!turned];
    ll_recipe_lay_(m, LL_IN_REGISTER_, high, down);
    ll_recipe_lay_(m, LL_IN_LANE_, wide, across);
    ll_recipe_lay_(m, LL_IN_LANE_, 64u / wide, down);
    ll_recipe_fill_(m, LL_IN_REGISTER_, ll_log2_(instr.v[turned]), down);
    ll_recipe_lay_(m, LL_IN_REGISTER_, tiles.v[cols], cols);
    ll_recipe_lay_(m, LL_IN_WARP_, warps.v[cols], cols);
    ll_recipe_fill_(m, LL_IN_REGISTER_, m->size[cols], cols);
    ll_recipe_lay_(m, LL_IN_REGISTER_, tiles.v[rows], rows);
    ll_recipe_lay_(m, LL_IN_WARP_, warps.v[rows], rows);
    for (unsigned k = rows; k-- > 0;) {
        ll_recipe_lay_(m, LL_IN_WARP_, warps.v[k], k);
    }
    ll_recipe_fit_(m, ll_order_last_first_(m->rank));
}

/* Private: the tiles of amd_wmma in releases before ctaLayout. Along each axis
 * of an order a warp has tilesPerWarp tiles in registers (1 by default), then
 * come warpsPerCTA warps. The registers fill the part of a block along the
 * first axis of the order before they go on: k of an operand, before its tiles.
 */
LL_FN void ll_lay_old_tiles_(ll_recipe_ *m, ll_role_ o) {
    const ll_list_ warps = ll_powers_of_(m, "warpsPerCTA", 1, m->rank);
    const ll_list_ tiles = ll_powers_of_(m, "tilesPerWarp", 0, m->rank);
    const unsigned cols = m->rank - 1u;
    if (o.k < LL_NO_AXIS_) { /* copies of version 1 count as a part of k */
        const unsigned copies = ll_number_of_(m, "version", 1, 0) == 1u;
        const unsigned bits = m->part[o.k];
        ll_recipe_fill_(m, LL_IN_REGISTER_, bits > copies ? bits - copies : 0u,
                        o.k);
    }
    for (unsigned axis = m->rank; axis-- > 0 && !m->r->why;) {
        if (axis != o.k && tiles.n) {
            ll_recipe_lay_(m, LL_IN_REGISTER_, tiles.v[axis], axis);
        }
        ll_recipe_lay_(m, LL_IN_WARP_, warps.v[axis],
                       axis == o.k ? LL_NO_AXIS_ : axis);
        if (axis == cols && o.k == LL_NO_AXIS_) {
            ll_recipe_fill_(m, LL_IN_REGISTER_, m->size[axis], axis);
        }
    }
}

/* Private: the registers and warps of amd_wmma's tiles after the first
 * instruction's tile: the columns of ctaLayout, in units of tiles. Along axis
 * k of an operand warps hold copies, and register columns are dropped. */
LL_FN void ll_lay_tiles_(ll_recipe_ *m, ll_role_ o) {
    const unsigned except = o.k;
    const unsigned at = ll_value_of_(m, "ctaLayout", 0);
    const unsigned before[2] = {m->n[LL_IN_REGISTER_], m->n[LL_IN_WARP_]};
    unsigned tops[LL_AXES_] = LL_ZERO;
    if (at && (ll_value_of_(m, "warpsPerCTA", 0) ||
               ll_value_of_(m, "tilesPerWarp", 0))) {
        ll_note_blame_(m->r, m->here,
                       "ctaLayout replaces warpsPerCTA and tilesPerWarp");
    }
    if (!at) {
        ll_lay_old_tiles_(m, o);
        return;
    }
    if (m->r->s[at] != '{') {
        ll_note_blame_(m->r, at, "a dictionary was expected");
        return;
    }
    m->h.from = at + 1u;
    m->h.to = ll_note_behind_(m->r, at) - 1u;
    ll_known_keys_(m->r, m->h.from, m->h.to, "register warp ");
    ll_columns_of_(m, "register", 0, LL_IN_REGISTER_);
    ll_columns_of_(m, "warp", 0, LL_IN_WARP_);
    unsigned kept = before[0];
    for (unsigned side = 0; side < 2u; ++side) {
        const unsigned in = side ? LL_IN_WARP_ : LL_IN_REGISTER_;
        for (unsigned k = before[side]; k < m->n[in]; ++k) {
            unsigned any = 0;
            for (unsigned axis = 0; axis < m->rank; ++axis) {
                unsigned x = m->v[in][k][axis];
                x = axis == except ? 0u : x;
                tops[axis] |= x;
                any |= x;
                m->v[in][k][axis] = 0;
                m->v[in][side ? k : kept][axis] = ll_shift_(x, m->has[axis]);
            }
            kept += !side && (any || except == LL_NO_AXIS_) ? 1u : 0u;
        }
    }
    m->n[LL_IN_REGISTER_] = kept;
    for (unsigned axis = 0; axis < m->rank; ++axis) {
        for (; tops[axis]; tops[axis] >>= 1) {
            ++m->has[axis];
        }
    }
}

/* Private: blames an unknown key of amd_wmma. An operand (number 0 or 1) does
 * not depend on isTranspose, which some texts misspell. */
LL_FN void ll_known_wmma_keys_(ll_recipe_ *m, unsigned number) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   number > 1u ? "version isTranspose ctaLayout warpsPerCTA "
                                 "tilesPerWarp instrShape rank " LL_BLOCK_KEYS_
                               : "version isTranspose isTransposed ctaLayout "
                                 "warpsPerCTA tilesPerWarp instrShape "
                                 "rank " LL_BLOCK_KEYS_);
}

/* Private: amd_wmma<{version, isTranspose, ctaLayout, instrShape, rank}>, in
 * older releases warpsPerCTA and tilesPerWarp in place of ctaLayout. */
LL_FN void ll_make_wmma_(ll_recipe_ *m, ll_role_ o) {
    const char *const wrong =
        "version is 1, 2 or 3, and instrShape three powers of two";
    ll_known_wmma_keys_(m, o.number);
    const unsigned version = ll_number_of_(m, "version", 1, 0);
    const int turned = ll_flag_of_(m, "isTranspose");
    ll_list_ instr = ll_list_of_(m, "instrShape", 0, 3);
    if (!ll_recipe_has_matrix_(m)) {
        return;
    }
    for (unsigned k = 0; !instr.n && k < 3u; ++k) {
        instr.v[k] = 16;
    }
    if (version < 1u || version > 3u) {
        ll_blame_number_(m, "version", wrong);
        return;
    }
    if (!ll_has_powers_(m, &instr, 0, 0, 2, 6, wrong) ||
        !ll_has_powers_(m, &instr, 0, 2, 1, 10, wrong)) {
        return;
    }
    /* the older texts keep blocks along k */
    ll_recipe_cut_blocks_(m, ll_value_of_(m, "ctaLayout", 0) ? o.k
                                                             : LL_NO_AXIS_);
    if (o.number <= 1u) {
        const unsigned part = m->part[o.k], whole = ll_log2_(instr.v[2]);
        const unsigned deep = version == 1u && part < whole ? part : whole;
        ll_recipe_lay_(m, LL_IN_REGISTER_, o.width, o.k);
        ll_recipe_lay_(m, LL_IN_LANE_, 16, o.other);
        ll_recipe_lay_(m, LL_IN_LANE_, 2, version == 1u ? LL_NO_AXIS_ : o.k);
        ll_recipe_fill_(m, LL_IN_REGISTER_, deep, o.k);
        ll_recipe_fill_(m, LL_IN_REGISTER_,
                        ll_log2_(ll_extent_(&instr, o.number, turned)),
                        o.other);
        ll_lay_tiles_(m, o);
        ll_recipe_fit_(m, ll_order_matrix_first_(m->rank, o.k, o.other));
        return;
    }
    const unsigned down = turned ? m->rank - 1u : m->rank - 2u;
    const unsigned across = turned ? m->rank - 2u : m->rank - 1u;
    if (version > 1u) {
        ll_recipe_lay_(m, LL_IN_REGISTER_, 8, down);
        ll_recipe_lay_(m, LL_IN_LANE_, 16, across);
        ll_recipe_lay_(m, LL_IN_LANE_, 2, down);
    } else { /* the two halves of the lanes hold alternate rows */
        m->has[down] = 1;
        ll_recipe_lay_(m, LL_IN_REGISTER_, 8, down);
        ll_recipe_lay_(m, LL_IN_LANE_, 16, across);
        m->has[down] = 0;
        ll_recipe_lay_(m, LL_IN_LANE_, 2, down);
        m->has[down] = 4;
    }
    ll_recipe_fill_(m, LL_IN_REGISTER_, ll_log2_(instr.v[0]), down);
    ll_lay_tiles_(m, o);
    ll_recipe_fit_(m, ll_order_last_first_(m->rank));
}

/* Private: executes the recipe of a register attribute. Returns 0 if there is
 * none of that name. */
LL_FN int ll_make_registers_(ll_recipe_ *m, ll_role_ o) {
    const ll_note_ *r = m->r;
    const unsigned p = m->h.word;
    const unsigned n = m->h.n;
    if (ll_is_word_(r, p, n, "blocked")) {
        ll_make_blocked_(m, o);
    } else if (ll_is_word_(r, p, n, "nvidia_mma")) {
        ll_make_mma_(m, o);
    } else if (ll_is_word_(r, p, n, "amd_mfma")) {
        ll_make_mfma_(m, o);
    } else if (ll_is_word_(r, p, n, "amd_wmma")) {
        ll_make_wmma_(m, o);
    } else {
        return 0;
    }
    return 1;
}

/* Private: checks that the alignment after the columns of shared_linear, `,
 * alignment = 16`, is a power of two. */
LL_FN void ll_check_alignment_(ll_recipe_ *m) {
    const unsigned from = ll_note_over_(m->r, m->h.to + 1u);
    const unsigned at =
        m->r->s[from] == ','
            ? ll_find_key_(m->r, from + 1u, m->h.outer_to, "alignment")
            : 0u;
    unsigned end = at;
    if (m->r->s[from] == ',') {
        ll_known_keys_(m->r, from + 1u, m->h.outer_to, "alignment ");
    }
    const unsigned bytes = at ? ll_note_digits_(m->r, &end) : 1u;
    if (ll_log2_(bytes) > 30u) {
        ll_note_blame_got_(m->r, at, bytes, "an alignment is a power of two");
    }
}

/* Private: executes the recipe of any other attribute. Some texts of linear
 * name an order, and some of amd_mfma a versionMajor in place of the version;
 * they change nothing. */
LL_FN void ll_make_memory_(ll_recipe_ *m, ll_foreign *f) {
    const ll_note_ *r = m->r;
    const unsigned p = m->h.word;
    const unsigned n = m->h.n;
    const int plain = ll_is_word_(r, p, n, "linear");
    m->space = LL_SPACE_SHARED_;
    if (plain || ll_is_word_(r, p, n, "generic_linear")) {
        m->space = LL_SPACE_REGISTERS_;
        ll_known_keys_(m->r, m->h.from, m->h.to,
                       "register lane warp block order ");
        ll_columns_of_(m, "register", 1, LL_IN_REGISTER_);
        ll_columns_of_(m, "lane", 1, LL_IN_LANE_);
        ll_columns_of_(m, "warp", 1, LL_IN_WARP_);
        ll_columns_of_(m, "block", 1, LL_IN_BLOCK_);
        ll_make_linear_(m, plain);
    } else if (ll_is_word_(r, p, n, "shared_linear")) {
        ll_known_keys_(m->r, m->h.from, m->h.to, "offset block ");
        ll_columns_of_(m, "offset", 1, 0);
        ll_columns_of_(m, "block", 0, LL_IN_BLOCK_);
        ll_check_alignment_(m);
        ll_make_linear_(m, 0);
    } else if (ll_is_word_(r, p, n, "swizzled_shared")) {
        ll_make_swizzled_(m, 1);
    } else if (ll_is_word_(r, p, n, "amd_rotating_shared")) {
        ll_make_swizzled_(m, 2);
    } else if (ll_is_word_(r, p, n, "nvmma_shared")) {
        ll_make_nvmma_(m);
    } else if (ll_is_word_(r, p, n, "padded_shared")) {
        ll_make_padded_(m, f);
    } else if (ll_is_word_(r, p, n, "tensor_memory_encoding")) {
        m->space = LL_SPACE_TENSOR_;
        ll_make_tensor_(m);
    } else if (ll_is_word_(r, p, n, "tensor_memory_scales_encoding")) {
        m->space = LL_SPACE_TENSOR_;
        ll_make_scales_(m);
    } else {
        ll_note_blame_word_(
            m->r, p, n,
            "blocked linear generic_linear nvidia_mma amd_mfma amd_wmma slice "
            "dot_op swizzled_shared amd_rotating_shared nvmma_shared "
            "padded_shared partitioned_shared shared_linear "
            "tensor_memory_encoding tensor_memory_scales_encoding ",
            "there is no attribute of this name; there are blocked, "
            "(generic_)linear, nvidia_mma, amd_mfma, amd_wmma, slice, "
            "dot_op, (swizzled|amd_rotating|nvmma|padded|partitioned)_"
            "shared, shared_linear, tensor_memory_(scales_)encoding");
    }
}

/* Private: reads the attribute inside the current one, the value of `key`. */
LL_FN ll_head_ ll_inner_head_(ll_recipe_ *m, const char *key) {
    const unsigned at = ll_value_of_(m, key, 1);
    const ll_head_ none = LL_ZERO;
    return at ? ll_head_at_(m->r, at) : none;
}

/* Private: partitioned_shared<{numPartitions, numGroups, partitionDim,
 * partitionLayout}>: pieces along an axis lie in different partitions in
 * turn. */
LL_FN void ll_make_pieces_(ll_recipe_ *m, ll_foreign *f) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "numPartitions numGroups partitionDim partitionLayout ");
    const unsigned parts = ll_number_of_(m, "numPartitions", 1, 0);
    const unsigned groups = ll_number_of_(m, "numGroups", 1, 0);
    const unsigned axis = ll_number_of_(m, "partitionDim", 1, 0);
    const unsigned word = m->h.word;
    m->h = ll_inner_head_(m, "partitionLayout");
    const unsigned p = ll_log2_(parts);
    const unsigned g = ll_log2_(groups);
    if (axis >= m->rank || p > 30u || g > 30u || p + g > m->size[axis]) {
        ll_note_blame_(
            m->r, word,
            "numPartitions and numGroups are powers of two, together no "
            "larger than the axis");
        return;
    }
    m->size[axis] -= p + g;
    ll_make_memory_(m, f);
    m->has[axis] = m->size[axis];
    ll_recipe_lay_(m, LL_IN_WARP_, parts, axis);
    ll_recipe_lay_(m, 0, groups, axis);
    m->size[axis] += p + g;
}

/* Private: dot_op<{opIdx, parent, kWidth}>. */
LL_FN void ll_make_operand_(ll_recipe_ *m) {
    const unsigned word = m->h.word;
    ll_known_keys_(m->r, m->h.from, m->h.to, "opIdx parent kWidth ");
    const unsigned number = ll_number_of_(m, "opIdx", 1, 0);
    const unsigned width = ll_number_of_(m, "kWidth", 0, 0);
    if (number > 1u) {
        ll_blame_number_(m, "opIdx", "opIdx is 0 or 1");
    }
    if (width && ll_log2_(width) > 30u) {
        ll_blame_number_(m, "kWidth", "kWidth is a power of two");
    }
    m->h = ll_inner_head_(m, "parent");
    const int alone =
        !m->r->why && ll_is_word_(m->r, m->h.word, m->h.n, "blocked");
    const int wgmma = !m->r->why &&
                      ll_is_word_(m->r, m->h.word, m->h.n, "nvidia_mma") &&
                      ll_number_of_(m, "versionMajor", 1, 0) == 3u;
    if (number > 1u || m->rank < 2u || (width == 0) != alone ||
        (wgmma && number)) {
        ll_note_blame_(m->r, word,
                       m->rank < 2u ? "an operand has two axes"
                       : wgmma && width
                           ? "wgmma has B in shared memory alone"
                           : "kWidth is needed, but not with a blocked "
                             "parent");
        return;
    }
    if (!ll_make_registers_(m, ll_role_of_(number, width, m->rank))) {
        ll_note_blame_(m->r, m->h.word, "a dot_op has another kind of parent");
    }
}

/* Private: adds an axis of size 1 to the tensor for each slice<{dim, parent}>,
 * from the outer one to the inner one. Returns the number of slices. */
LL_FN unsigned ll_open_slices_(ll_recipe_ *m, unsigned *axes) {
    unsigned n = 0;
    while (!m->r->why && ll_is_word_(m->r, m->h.word, m->h.n, "slice")) {
        ll_known_keys_(m->r, m->h.from, m->h.to, "dim parent ");
        const unsigned axis = ll_number_of_(m, "dim", 1, 0);
        if (axis > m->rank) {
            ll_blame_number_(m, "dim", "the shape has no room for this axis");
        }
        if (m->rank == LL_AXES_) {
            ll_note_blame_(m->r, m->here, "a tensor has at most 16 axes");
        }
        if (m->r->why) {
            break;
        }
        m->h = ll_inner_head_(m, "parent");
        for (unsigned k = m->rank; k > axis; --k) {
            m->size[k] = m->size[k - 1u];
        }
        m->size[axis] = 0;
        ++m->rank;
        axes[n++] = axis;
    }
    return n;
}

/* Private: removes an axis of size 1. */
LL_FN void ll_close_slice_(ll_recipe_ *m, unsigned axis) {
    --m->rank;
    for (unsigned k = axis; k < m->rank; ++k) {
        m->size[k] = m->size[k + 1u];
        for (unsigned in = 0; in < LL_INPUTS_; ++in) {
            for (unsigned c = 0; c < m->n[in]; ++c) {
                m->v[in][c][k] = m->v[in][c][k + 1u];
            }
        }
    }
}

/* Private: returns the layout that was made. */
LL_FN ll_layout ll_made_layout_(const ll_recipe_ *m, const unsigned *sizes) {
    const char *const names[3][LL_INPUTS_] = {
        {"register", "lane", "warp", "block"},
        {"offset", "", "partition", "block"},
        {"dp", "tcol", "", "block"}};
    ll_layout a = LL_ZERO;
    for (unsigned k = m->rank; k-- > 0;) {
        a.out = ll_with(a.out, ll_axis(k), sizes[k]);
    }
    unsigned at = 0;
    for (unsigned in = 0; in < LL_INPUTS_; ++in) {
        const char *name = names[m->space][in];
        if (*name && (m->n[in] || (in != LL_IN_BLOCK_ && *name != 'p'))) {
            a.in = ll_shape_add_(a.in, ll_dim_of(name), m->n[in]);
        }
        for (unsigned c = 0; c < m->n[in] && !a.in.err; ++c, ++at) {
            unsigned place = 0;
            for (unsigned k = m->rank; k-- > 0;) {
                a.basis[at] |= ll_shift_(m->v[in][c][k], place);
                place += m->size[k];
            }
        }
    }
    a = ll_layout_bad_shape_(ll_layout_bad_shape_(a, &a.in), &a.out);
    return a.err ? a : ll_check(a);
}

/* Private: executes the recipe of an attribute that is not a slice. */
LL_FN void ll_make_any_(ll_recipe_ *m, ll_foreign *f) {
    if (ll_is_word_(m->r, m->h.word, m->h.n, "dot_op")) {
        ll_make_operand_(m);
    } else if (ll_is_word_(m->r, m->h.word, m->h.n, "partitioned_shared")) {
        ll_make_pieces_(m, f);
    } else if (!ll_make_registers_(m, ll_role_of_(2, 0, m->rank))) {
        ll_make_memory_(m, f);
    }
}

/* ll_from_triton(text, rank, sizes): returns the layout of a Triton attribute
 * on a tensor. The sizes are listed slowest first, as in ll_tensor, and the
 * layout has the axes i, j, .. The text is the attribute, or a name of one;
 * definitions `#name = #ttg..` stand before it in any order. All attributes of
 * releases 3.5 to 3.8 are read: blocked, linear, generic_linear, nvidia_mma,
 * amd_mfma, amd_wmma, slices and operands of these; swizzled_shared,
 * amd_rotating_shared, nvmma_shared, padded_shared, shared_linear,
 * partitioned_shared as offset -> tensor; tensor_memory_encoding and
 * tensor_memory_scales_encoding as (dp, tcol) -> tensor. The input block is
 * there if there are several blocks. A wrong text gives LL_ETEXT, the character
 * and the sentence `why`; a wrong shape gives LL_ESIZE, LL_EDIMS or LL_EBITS.
 * Source: Triton's own layouts.
 * Example: ll_from_triton("#ttg.blocked<{sizePerThread = [1, 2], "
 *                         "threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], "
 *                         "order = [1, 0]}>", 2, SIZES(8, 8)).layout is
 *          L("register: j0 | lane: j1 j2 i0 i1 i2 | warp:");
 * Example: ll_from_triton("#b", 2, SIZES(8, 8)).layout.at is 1;
 */
LL_FN ll_foreign ll_from_triton(const char *text, unsigned rank,
                                const unsigned *sizes) {
    ll_foreign f = LL_ZERO;
    ll_note_ r = LL_ZERO;
    ll_recipe_ m = LL_ZERO;
    unsigned slices[LL_AXES_] = LL_ZERO;
    unsigned total = 0;
    if (!text || (rank && !sizes)) {
        f.layout.err = LL_ENULL;
        return f;
    }
    r.s = text;
    m.r = &r;
    m.rank = rank;
    for (unsigned k = 0; k < rank && k < LL_AXES_; ++k) {
        m.size[k] = ll_log2_(sizes[k]);
        if (m.size[k] > 30u) {
            f.layout = ll_layout_bad_value_(f.layout, LL_ESIZE, sizes[k]);
            return f;
        }
        total += m.size[k];
    }
    if (rank == 0 || rank > LL_AXES_ || total > LL_MAX_BITS) {
        f.layout =
            ll_layout_bad_(f.layout, total > LL_MAX_BITS ? LL_EBITS : LL_EDIMS);
        return f;
    }
    const unsigned from = ll_note_defined_(&r, 0, 0);
    const unsigned end = r.s[from] == '#' ? ll_value_end_(&r, from) : from;
    if (!r.why && r.s[end] && end > from) {
        ll_note_blame_(&r, end, "the text continues after the attribute");
    }
    if (!r.s[from] && r.s[ll_note_over_(&r, 0)] == '#') {
        ll_note_blame_(&r, from, "an attribute or its name stands after the "
                            "definitions");
    }
    m.h = ll_head_at_(&r, from);
    const unsigned n = ll_open_slices_(&m, slices);
    if (!r.why) {
        ll_make_any_(&m, &f);
    }
    if (n && m.space != LL_SPACE_REGISTERS_) {
        ll_note_blame_(&r, m.h.word, "a slice has a parent of registers");
    }
    for (unsigned k = n; k-- > 0 && !r.why;) {
        ll_close_slice_(&m, slices[k]);
    }
    if (n && !r.why) {
        ll_recipe_drop_zeros_(&m, ~0u);
    }
    if (!r.why) {
        f.layout = ll_made_layout_(&m, sizes);
        f.bits = m.bits;
        return f;
    }
    ll_note_tell_(&r, &f);
    return f;
}

/* ---- cute: Views: CuTe's notation ------------------------------------- */

/* CuTe writes a layout as Shape:Stride, a function from coordinates to an
 * offset: the sum of each coordinate times its stride. If sizes are powers of
 * two and no addition carries, that sum is an XOR, and the function is a layout
 * here, with a column for each bit of a coordinate. A composition `A o B`
 * applies B first; A may be a swizzle. */

/* Private: a layout while it is read. col: a column for each bit of its index,
 * mode by mode, the first mode the fastest. bits: the number of bits of each
 * mode. */
typedef struct ll_modes_ {
    unsigned n;
    unsigned col[LL_MAX_BITS];
    unsigned modes;
    unsigned bits[LL_MAX_DIMS];
    unsigned offset;
    unsigned held; /* bits of an element of the pointer; 0: no pointer */
    unsigned meet; /* where two strides meet in one bit, from 1; 0: nowhere */
} ll_modes_;

/* Private: reads 8 or _8 and moves *p past it. */
LL_FN unsigned ll_cute_number_(ll_note_ *r, unsigned *p) {
    *p += r->s[*p] == '_' ? 1u : 0u;
    const unsigned x = ll_note_digits_(r, p);
    *p = ll_note_over_(r, *p);
    if (r->s[*p] == '@') {
        ll_note_blame_(r, *p, "a stride is a number of elements here");
    }
    return x;
}

/* Private: finds the pads of an offset that is a sum: with its columns in order
 * of size, element 2^k lies at column k. Sets *order to the number of each
 * column in that order. Returns 0 if there are no such pads. */
LL_FN int ll_cute_pads_(const ll_modes_ *a, unsigned *order, ll_foreign *f) {
    for (unsigned k = 0; k < a->n; ++k) {
        order[k] = 0;
        for (unsigned n = 0; n < a->n; ++n) {
            order[k] += a->col[n] < a->col[k] ||
                                (n < k && a->col[n] == a->col[k])
                            ? 1u
                            : 0u;
        }
    }
    for (unsigned at = 0; at < a->n; ++at) {
        unsigned k = 0;
        while (order[k] != at) {
            ++k;
        }
        unsigned long long place = 1ull << at;
        for (unsigned n = 0; n < f->pads; ++n) {
            place += 1ull * ((1u << at) / f->every[n]) * f->pad[n];
        }
        if (a->col[k] < place ||
            (a->col[k] > place && f->pads == LL_MAX_PADS)) {
            return 0;
        }
        if (a->col[k] > place) {
            f->every[f->pads] = 1u << at;
            f->pad[f->pads++] = (unsigned)(a->col[k] - place);
        }
    }
    return a->offset == 0;
}

/* Private: sets `to` to the columns in order of size, the largest first. */
LL_FN void ll_cute_sorted_(const ll_modes_ *a, unsigned *to) {
    for (unsigned k = 0; k < a->n; ++k) {
        unsigned at = k;
        for (; at && to[at - 1u] < a->col[k]; --at) {
            to[at] = to[at - 1u];
        }
        to[at] = a->col[k];
    }
}

/* Private: returns 1 if two elements have the same offset, a sum: if some
 * columns, each with a sign, add up to 0. Tries the largest column first, and
 * gives up after 2^16 steps: then it returns 0. */
LL_FN int ll_cute_overlaps_(const ll_modes_ *a) {
    unsigned col[LL_MAX_BITS] = LL_ZERO;
    unsigned turn[LL_MAX_BITS + 1u] = LL_ZERO; /* 0: none, 1: plus, 2: minus */
    long long sum[LL_MAX_BITS + 1u] = LL_ZERO;
    long long rest[LL_MAX_BITS + 1u] = LL_ZERO;
    unsigned used[LL_MAX_BITS + 1u] = LL_ZERO;
    ll_cute_sorted_(a, col);
    for (unsigned k = a->n; k-- > 0;) {
        rest[k] = rest[k + 1u] + col[k];
    }
    unsigned k = 0;
    for (unsigned step = 0; step < 65536u && a->n; ++step) {
        if (turn[k] == 3u || k == a->n) {
            if (!k) {
                break;
            }
            --k;
            continue;
        }
        const unsigned sign = turn[k]++;
        const long long y = sign == 0   ? sum[k]
                            : sign == 1 ? sum[k] + col[k]
                                        : sum[k] - col[k];
        if ((sign == 2u && !used[k]) || y > rest[k + 1u] ||
            -y > rest[k + 1u]) {
            continue;
        }
        used[k + 1u] = used[k] | (sign != 0 ? 1u : 0u);
        if (used[k + 1u] && y == 0) {
            return 1;
        }
        sum[++k] = y;
        turn[k] = 0;
    }
    return 0;
}

/* Private: blames a layout whose offset is a sum that carries. what: what is
 * done with it that needs an XOR. */
LL_FN void ll_cute_no_sum_(ll_note_ *r, const ll_modes_ *a, const char *what) {
    ll_foreign f = LL_ZERO;
    unsigned order[LL_MAX_BITS] = LL_ZERO;
    if (a->meet && !r->why) {
        const int padded = what && ll_cute_pads_(a, order, &f);
        ll_note_blame_(r, a->meet - 1u,
                       padded ? what
                       : ll_cute_overlaps_(a)
                           ? "two elements have the same offset"
                           : "two strides meet in one bit, so the offset is no "
                             "XOR, and these are no padded rows");
    }
}

/* Private: adds one size and its stride to a mode. */
LL_FN void ll_add_mode_(ll_note_ *r, ll_modes_ *a, unsigned at, unsigned mode,
                        unsigned size, unsigned long long stride) {
    const unsigned bits = ll_log2_(size);
    unsigned all = 0;
    if (bits > 30u) {
        ll_note_blame_got_(r, at, size, "this size must be a power of two");
        return;
    }
    if (mode >= LL_MAX_DIMS || a->n + bits > LL_MAX_BITS ||
        stride * (size - 1u) >> 32) {
        ll_note_blame_(r, at, "the layout has more than 16 modes, or more than "
                              "2^32 elements");
        return;
    }
    for (unsigned k = 0; k < a->n; ++k) {
        all |= a->col[k];
    }
    for (unsigned k = 0; k < bits; ++k) {
        const unsigned col = (unsigned)(stride << k);
        a->meet = col & all && !a->meet ? at + 1u : a->meet;
        all |= col;
        a->col[a->n++] = col;
    }
    a->bits[mode] += bits;
    a->modes = a->modes > mode ? a->modes : mode + 1u;
}

/* Private: reads a shape at *p and, if there is one, its stride, which must
 * have the same parentheses; it walks both side by side. Without a stride the
 * layout is compact. */
LL_FN ll_modes_ ll_cute_layout_(ll_note_ *r, unsigned *p) {
    ll_modes_ a = LL_ZERO;
    unsigned s = *p;
    unsigned depth = 0;
    unsigned mode = 0;
    unsigned long long compact = 1;
    unsigned d = r->s[s] == '(' ? ll_note_behind_(r, s)
                                : s + ll_name_length_(r->s + s);
    d = ll_note_over_(r, d);
    const int strided = r->s[d] == ':';
    d = strided ? ll_note_over_(r, d + 1u) : s; /* the stride, or the shape */
    do {
        const char c = r->s[s];
        if (!depth && ll_char_is_one_of_(c, "),")) {
            ll_note_blame_(r, s, "a shape was expected");
        } else if (r->s[d] != c && (ll_char_is_one_of_(c, "(),") ||
                             ll_char_is_one_of_(r->s[d], "(),"))) {
            ll_note_blame_(r, d,
                           "the stride has other parentheses than the shape");
        }
        depth += c == '(' ? 1u : 0u;
        depth -= c == ')' && depth ? 1u : 0u;
        mode += c == ',' && depth == 1u ? 1u : 0u;
        if (ll_char_is_one_of_(c, "(),")) {
            s = ll_note_over_(r, s + 1u);
            d = r->why ? d : ll_note_over_(r, d + 1u);
        } else {
            const unsigned at = s;
            const unsigned size = ll_cute_number_(r, &s);
            const unsigned long long stride =
                strided && !r->why ? ll_cute_number_(r, &d) : compact;
            compact *= size;
            ll_add_mode_(r, &a, at, mode, size, stride);
            d = strided ? d : s;
        }
    } while (depth && !r->why);
    *p = d;
    return a;
}

/* Private: checks the address of a pointer after its parenthesis at p: unset,
 * (nil), or a number such as 0x7f00. */
LL_FN void ll_cute_address_(ll_note_ *r, unsigned p) {
    const unsigned from = ll_note_over_(r, p + 1u);
    const int hex = r->s[from] == '0' && r->s[from + 1u] == 'x';
    const char *const digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
    unsigned at = from + (hex ? 2u : 0u);
    const unsigned first = at;
    while (ll_char_is_one_of_(r->s[at], digits)) {
        ++at;
    }
    const unsigned n = ll_name_length_(r->s + from);
    const int named = ll_is_word_(r, from, n, "unset") ||
                      ll_is_word_(r, from, n, "nil") || r->s[from] == '(';
    if (!named && (at == first || r->s[ll_note_over_(r, at)] != ')')) {
        ll_note_blame_word_(r, from, n, "unset ",
                            "an address is unset, or a number such as 0x7f00");
    }
}

/* Private: reads the name of a pointer and the bits of its elements:
 * smem_ptr[16b](unset). Returns the position after it. */
LL_FN unsigned ll_cute_pointer_(ll_note_ *r, unsigned p, ll_modes_ *a) {
    const unsigned from = p;
    p += ll_name_length_(r->s + p);
    if (r->s[p] == '<') {
        ll_note_blame_(r, from, "a pointer to sparse elements is not read");
    }
    if (r->s[p] == '[') {
        unsigned at = ll_note_over_(r, p + 1u);
        const unsigned bits = at;
        a->held = ll_note_digits_(r, &at);
        if (!a->held || a->held > 128u) {
            ll_note_blame_got_(r, bits, a->held,
                               "an element of a pointer has 1 to 128 bits");
        }
        if (r->s[at] != 'b' || r->s[at + 1u] != ']') {
            ll_note_blame_got_(r, at, a->held,
                               "a b was expected after the bits of an element, "
                               "as in smem_ptr[16b]");
        }
        p = ll_note_behind_(r, p);
    }
    if (r->s[p] == '(') {
        ll_cute_address_(r, p);
    }
    return r->s[p] == '(' ? ll_note_over_(r, ll_note_behind_(r, p))
                          : ll_note_over_(r, p);
}

/* Private: applies Swizzle<b, m, s>, with s negative if `up`. With a pointer it
 * swizzles byte addresses, so its bits are converted to bits of the offset. */
LL_FN void ll_cute_apply_swizzle_(ll_note_ *r, unsigned from, const unsigned *v,
                                  unsigned up, ll_modes_ *a) {
    const unsigned held = a->held ? ll_log2_(a->held) : 3u;
    const unsigned low = v[1] + 3u > held ? v[1] + 3u - held : 0u;
    const unsigned lost = held > v[1] + 3u ? held - v[1] - 3u : 0u;
    const unsigned bits = v[0] > lost ? v[0] - lost : 0u;
    if (held > 31u) {
        ll_note_blame_(r, from,
                       "a swizzle of bytes has elements of 1, 2, 4, 8, .. "
                       "bits");
    } else if (v[0] > v[2] || low + v[2] + bits > 32u) {
        ll_note_blame_(r, from, ll_strerror(LL_ECUTE));
    }
    for (unsigned k = 0; k <= a->n && !r->why; ++k) {
        unsigned *y = k < a->n ? &a->col[k] : &a->offset;
        const unsigned moved =
            ll_shift_down_(*y, low + (up ? 0u : v[2])) & ll_ones_(bits);
        *y ^= ll_shift_(moved, low + (up ? v[2] : 0u));
    }
}

/* Private: reads Swizzle<b, m, s> after its word, and the pointer that may
 * follow as in Sw<3,4,3>_smem_ptr[16b](unset), and applies it. Returns the
 * position after it. */
LL_FN unsigned ll_cute_swizzled_(ll_note_ *r, unsigned p, ll_modes_ *a) {
    unsigned v[3] = {0, 0, 0};
    unsigned up = 0; /* s is negative */
    const unsigned from = p;
    for (unsigned k = 0; k < 3u && !r->why; ++k) {
        p = ll_note_over_(r, p + 1u);
        up = k == 2u && r->s[p] == '-' ? 1u : 0u;
        p += up;
        v[k] = ll_note_digits_(r, &p);
        p = ll_note_over_(r, p);
        if (r->s[p] != (k < 2u ? ',' : '>')) {
            ll_note_blame_(r, p, "Swizzle<b, m, s> was expected");
        }
    }
    const int pointer = !r->why && r->s[p + 1u] == '_';
    const unsigned end = r->why    ? p
                         : pointer ? ll_cute_pointer_(r, p + 2u, a)
                                   : ll_note_over_(r, p + 1u);
    ll_cute_apply_swizzle_(r, from, v, up, a);
    return end;
}

/* Private: applies layout b, as a function of one index, after layout a. */
LL_FN void ll_cute_then_(ll_note_ *r, unsigned at, const ll_modes_ *b,
                         ll_modes_ *a) {
    for (unsigned k = 0; k <= a->n; ++k) {
        unsigned *y = k < a->n ? &a->col[k] : &a->offset;
        unsigned z = 0;
        for (unsigned bit = 0; bit < b->n; ++bit) {
            z ^= *y >> bit & 1u ? b->col[bit] : 0u;
        }
        if (ll_shift_down_(*y, b->n)) {
            ll_note_blame_(r, at,
                           "the following layout reaches beyond this one");
        }
        *y = z;
    }
}

/* Private: adds a number to the offset. Returns the position after it. */
LL_FN unsigned ll_cute_offset_(ll_note_ *r, unsigned p, ll_modes_ *a) {
    unsigned end = p;
    unsigned all = a->offset;
    const unsigned x = ll_cute_number_(r, &end);
    if (x) {
        ll_cute_no_sum_(r, a, "an offset before padded rows cannot be read");
    }
    for (unsigned k = 0; k < a->n; ++k) {
        all |= a->col[k];
    }
    if (x & all) {
        ll_note_blame_(r, p, "this offset meets a bit of the layout after it");
    }
    a->offset |= x;
    return end;
}

/* Private: the terms of a composition: where each begins and ends. A term that
 * has a `(` or a `:` is a layout. */
typedef struct ll_chain_ {
    unsigned n;
    unsigned at[8], end[8];
    int layout[8];
} ll_chain_;

LL_FN ll_chain_ ll_cute_terms_(ll_note_ *r) {
    ll_chain_ t = LL_ZERO;
    unsigned p = ll_note_over_(r, 0);
    t.at[0] = p;
    while (r->s[p] && !r->why) {
        const unsigned n = ll_name_length_(r->s + p);
        if (n == 1u && r->s[p] == 'o') {
            t.end[t.n] = p;
            p = ll_note_over_(r, p + 1u);
            if (t.n == 7u) {
                ll_note_blame_(r, p, "a composition has at most 8 terms");
                break;
            }
            t.at[++t.n] = p;
            continue;
        }
        t.layout[t.n] = t.layout[t.n] || r->s[p] == ':' ||
                        (r->s[p] == '(' && p == t.at[t.n]);
        p = ll_char_is_one_of_(r->s[p], "([<") ? ll_note_behind_(r, p)
                                               : p + (n ? n : 1u);
        p = ll_note_over_(r, p);
    }
    t.end[t.n++] = p;
    return t;
}

/* Private: applies term k of a composition to the layout after it. */
LL_FN void ll_cute_term_(ll_note_ *r, const ll_chain_ *t, unsigned k,
                         ll_modes_ *a) {
    const unsigned p = t->at[k];
    const unsigned n = ll_name_length_(r->s + p);
    unsigned end = p;
    if (k + 1u == t->n && n && !ll_is_digit_(r->s[p]) && r->s[p] != '_') {
        ll_note_blame_(r, p, "the last term is Shape:Stride");
    } else if (t->layout[k] || k + 1u == t->n) {
        const ll_modes_ b = ll_cute_layout_(r, &end);
        if (!r->why && end != t->end[k]) {
            ll_note_blame_(r, end, "the end of the layout was expected");
        }
        if (k + 1u == t->n) {
            *a = b;
        } else if (!r->why) {
            const char *const why =
                "padded rows can be read alone, not in a composition";
            ll_cute_no_sum_(r, &b, why);
            ll_cute_no_sum_(r, a, why);
            ll_cute_then_(r, p, &b, a);
        }
    } else if (ll_is_word_(r, p, n, "Swizzle") || ll_is_word_(r, p, n, "Sw") ||
               ll_is_word_(r, p, n, "S")) {
        if (r->s[p + n] != '<') {
            ll_note_blame_(r, p + n, "Swizzle<b, m, s> was expected");
        } else {
            ll_cute_no_sum_(r, a, "a swizzle of padded rows cannot be read: "
                                  "pad the rows or swizzle them");
            end = ll_cute_swizzled_(r, p + n, a);
            if (!r->why && end != t->end[k]) {
                ll_note_blame_(r, end, "o was expected");
            }
        }
    } else if (ll_is_digit_(r->s[p]) || r->s[p] == '_') {
        end = ll_cute_offset_(r, p, a);
        if (!r->why && end != t->end[k]) {
            ll_note_blame_(r, end, "o was expected");
        }
    } else if (n) {
        end = ll_cute_pointer_(r, p, a);
        if (!r->why && end != t->end[k]) {
            ll_note_blame_(r, end, "o was expected");
        }
    } else {
        ll_note_blame_(r, p, "a layout, a swizzle or an offset was expected");
    }
}

/* Private: reads all terms of a composition. */
LL_FN ll_modes_ ll_cute_modes_(ll_note_ *r) {
    ll_modes_ a = LL_ZERO;
    const ll_chain_ t = ll_cute_terms_(r);
    for (unsigned k = t.n; k-- > 0 && !r->why;) {
        ll_cute_term_(r, &t, k, &a);
    }
    return a;
}

/* Private: returns the function of what was read, or its error. */
LL_FN ll_foreign ll_cute_made_(const ll_note_ *r, const ll_modes_ *a) {
    ll_foreign f = LL_ZERO;
    unsigned all = 0;
    if (r->why) {
        ll_note_tell_(r, &f);
        return f;
    }
    unsigned at = 0;
    for (unsigned mode = a->modes; mode-- > 0;) {
        f.layout.in = ll_shape_add_(f.layout.in, ll_axis(mode), a->bits[mode]);
        unsigned from = 0;
        for (unsigned k = 0; k < mode; ++k) {
            from += a->bits[k];
        }
        for (unsigned k = 0; k < a->bits[mode]; ++k, ++at) {
            f.layout.basis[at] = a->col[from + k];
            all |= a->col[from + k];
        }
    }
    f.layout.offset = a->offset;
    f.bits = a->held;
    unsigned bits = 0;
    for (all |= a->offset; bits < 32u && all >> bits; ++bits) {}
    f.layout.out = ll_shape_add_(f.layout.out, LL_OFFSET, bits);
    return f;
}

/* ll_from_cute(text): returns the function of CuTe's text, from coordinates to
 * offset. The axes i, j, .. are the modes at the top, the first one i. Terms
 * are joined by `o`. The last term is Shape:Stride, or a shape alone, which is
 * compact; the others are layouts, swizzles, offsets and pointers. A swizzle
 * before `smem_ptr[16b]`, or `Sw<..>_smem_ptr[16b]`, permutes bytes, as in
 * CuTe; all others permute elements. Sizes are powers of two. If no two
 * elements share a place, ll_inv of the result is the memory layout offset ->
 * tensor. If there are gaps, ll_pinv is, provided that an added offset has no
 * bit in a gap. In a layout of threads and values the modes are lanes and
 * registers: name them with ll_rename_in and ll_reshape_out. Fails with
 * LL_ETEXT, the character and the sentence `why`. Source: CUTLASS.
 * Example: ll_from_cute("(2,4):(4,1)").layout is
 *          L("j: offset0 offset1 | i: offset2");
 * Example: ll_inv(ll_from_cute("Swizzle<1,0,2> o (2,4):(4,1)").layout) is
 *          L("offset: j0 j1 i0^j0");
 * Example: ll_inv(ll_from_cute("Sw<1,1,2> o smem_ptr[16b](unset) o "
 *          "(2,4):(4,1)").layout) is L("offset: j0 j1 i0^j0");
 * Example: ll_reshape_out(ll_rename_in(ll_from_cute("((4,8),(2,2)):((32,1),"
 *          "(16,8))").layout, "i j", "lane register"),
 *          ll_shape_of("i=16 j=8")) is L("register: j0 i3 | "
 *          "lane: j1 j2 i0 i1 i2 -> i=16 | j=8");
 * Example: ll_from_cute("(3,4):(4,1)").layout.at is 2;
 */
LL_FN ll_foreign ll_from_cute(const char *text) {
    ll_note_ r = LL_ZERO;
    if (!text) {
        ll_foreign f = LL_ZERO;
        f.layout.err = LL_ENULL;
        return f;
    }
    r.s = text;
    const ll_modes_ a = ll_cute_modes_(&r);
    ll_cute_no_sum_(&r, &a, "padded rows are a layout of memory alone, so the "
                            "function of coordinates is no XOR");
    return ll_cute_made_(&r, &a);
}

/* Private: returns the memory layout of a function from coordinates to offsets
 * that has no pads. */
LL_FN ll_foreign ll_cute_inverse_(ll_note_ *r, ll_foreign f) {
    const ll_layout at = f.layout;
    const ll_layout made = ll_inv(at);
    if (f.layout.err || !made.err) {
        f.layout = f.layout.err ? f.layout : made;
        return f;
    }
    f.layout = ll_pinv(at);
    const ll_layout back = ll_rinv(f.layout);
    const int whole = ll_is_injective(at);
    if (!whole || f.layout.err || back.err || !ll_is_equal(back, at)) {
        ll_note_blame_(r, ll_note_over_(r, 0),
                       whole ? "the layout skips offsets; a memory layout can "
                               "do so only by bits of the offset that are "
                               "always 0"
                             : "two elements have the same offset, so this is "
                               "not a memory layout");
        const ll_modes_ none = LL_ZERO;
        return ll_cute_made_(r, &none);
    }
    return f;
}

/* ll_memory_from_cute(text): returns the memory layout of CuTe's text, offset
 * -> tensor, for the layouts that ll_from_cute reads. It may skip bits of the
 * offset that are always 0. Rows may be padded, as those of (32,32):(33,1),
 * without a swizzle: then the result has pads. Fails with LL_ETEXT, the
 * character and the sentence `why`.
 * Example: ll_memory_from_cute("(2,4):(8,1)").layout is
 *          L("offset: j0 j1 0 i0");
 * Example: ll_memory_from_cute("(4,8):(9,1)").layout is
 *          L("offset: j0 j1 j2 i0 i1");
 * Example: ll_memory_from_cute("(4,8):(9,1)").pad[0] is 1;
 * Example: ll_memory_from_cute("(4,8):(0,1)").layout.err is LL_ETEXT;
 */
LL_FN ll_foreign ll_memory_from_cute(const char *text) {
    ll_note_ r = LL_ZERO;
    ll_foreign pads = LL_ZERO;
    unsigned order[LL_MAX_BITS] = LL_ZERO;
    if (!text) {
        pads.layout.err = LL_ENULL;
        return pads;
    }
    r.s = text;
    ll_modes_ a = ll_cute_modes_(&r);
    if (!r.why && a.meet && ll_cute_pads_(&a, order, &pads)) {
        for (unsigned k = 0; k < a.n; ++k) {
            a.col[k] = 1u << order[k];
        }
        pads.layout = ll_inv(ll_cute_made_(&r, &a).layout);
        pads.bits = a.held;
        return pads;
    }
    ll_cute_no_sum_(&r, &a, 0);
    return ll_cute_inverse_(&r, ll_cute_made_(&r, &a));
}

/* ll_foreign_error(name, f, buf, size): writes the error of a text that is not
 * a layout, as ll_error does: "ll: A: the attribute lacks a key: order (at
 * character 6, counted from 1)". */
LL_FN unsigned ll_foreign_error(const char *name, ll_foreign f, char *buf,
                                unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (!f.why) {
        return ll_error(name, f.layout, buf, size);
    }
    ll_write_(&w, "ll: ");
    ll_write_(&w, name ? name : "");
    ll_write_(&w, name ? ": " : "");
    ll_write_(&w, f.why);
    ll_write_(&w, f.key ? ": " : "");
    ll_write_(&w, f.key ? f.key : "");
    if (f.meant) {
        ll_write_(&w, "; did you mean ");
        for (unsigned k = 0; k < f.letters; ++k) {
            ll_write_char_(&w, f.meant[k]);
        }
        ll_write_char_(&w, '?');
    }
    if (f.valued) {
        ll_write_(&w, " (got ");
        ll_write_number_(&w, f.got);
        ll_write_char_(&w, ')');
    }
    ll_write_(&w, " (at character ");
    ll_write_number_(&w, f.layout.at);
    ll_write_(&w, ", counted from 1)");
    return w.len;
}

/* ---- pictures: Views: pictures ---------------------------------------- */

/* A picture is a grid of cells. Each cell has a few characters, a hue, and a
 * mark if something is wrong with it. A view says what is in each cell; a form,
 * text or SVG, writes the cells of any view. A plan is a sequence of frames,
 * each a view with a sentence. */

enum {
    LL_VIEW_MATRIX,   /* output bits by input bits */
    LL_VIEW_TENSOR,   /* elements, each with the place that holds it */
    LL_VIEW_HARDWARE, /* registers of lanes, or offsets, with their elements */
    LL_VIEW_BANKS,    /* wavefronts by banks, each with the lane it serves */
    LL_VIEW_AFTER     /* as LL_VIEW_HARDWARE, after a step of a plan */
};

enum { LL_AS_TEXT, LL_AS_COLOUR, LL_AS_SVG, LL_AS_CSV };

#define LL_NO_HUE 256u
#define LL_NO_ELEMENT (~0u)
#define LL_CELL_ROOM 28u

typedef struct ll_cell {
    char text[LL_CELL_ROOM];
    unsigned hue;     /* 0 to 255, or LL_NO_HUE */
    unsigned mark;    /* 1: a conflict */
    unsigned element; /* packed, or LL_NO_ELEMENT */
} ll_cell;

/* What is drawn. The functions ll_view_.. make it; rows and cols are the size
 * of the grid.
 */
typedef struct ll_view {
    unsigned err;
    unsigned kind;
    unsigned rows, cols;
    ll_layout a;      /* places -> elements */
    ll_layout where;  /* elements -> places, for LL_VIEW_TENSOR */
    unsigned split;   /* log2 of the places or elements in a row */
    unsigned lane[6]; /* of an access: the byte address of each lane bit */
    unsigned start;   /* the byte address of lane 0 */
    unsigned bytes;   /* bytes per lane, or per row of a matrix */
    unsigned named;   /* bits of the lanes that pass addresses */
    unsigned phases;  /* number of phases */
    unsigned ways;    /* wavefronts per phase */
    unsigned bank_bytes, banks;
    unsigned scale; /* log2 of the bytes of an element */
    ll_phase_ phase;
    unsigned op; /* LL_READ or LL_WRITE */
    unsigned step; /* LL_VIEW_AFTER: the number of the step */
    ll_plan p;
    ll_foreign padded; /* the pads of the memory */
} ll_view;

/* Private: returns a view with an error. */
LL_FN ll_view ll_view_bad_(unsigned err) {
    ll_view v = LL_ZERO;
    v.err = err;
    return v;
}

/* ll_view_matrix(a): returns the matrix of a layout: a row for each output bit,
 * a column for each input bit, and a last column with the affine part if there
 * is one. */
LL_FN ll_view ll_view_matrix(ll_layout a) {
    ll_view v = ll_view_bad_(a.err);
    v.kind = LL_VIEW_MATRIX;
    v.a = a;
    v.rows = a.err ? 0u : ll_shape_bits_(&a.out);
    v.cols = a.err ? 0u : ll_shape_bits_(&a.in) + (a.offset ? 1u : 0u);
    return v;
}

/* ll_view_tensor(a): returns a view with a row for each index of the slowest
 * axes and a column for each index of the fastest. Each cell has the place of
 * the element: warp:lane:register, or the offset in memory. If an element has
 * several places, the cell has one of them. Fails with LL_ENOTONTO if an
 * element has none, and with LL_ETABLE for more than 2^20 elements. */
LL_FN ll_view ll_view_tensor(ll_layout a) {
    ll_view v = ll_view_bad_(a.err);
    const unsigned n = ll_shape_bits_(&a.out);
    v.kind = LL_VIEW_TENSOR;
    v.a = a;
    v.where = ll_rinv(a);
    v.err = v.err ? v.err : n > 20u ? (unsigned)LL_ETABLE : v.where.err;
    v.split = a.out.n == 1u && n > 5u ? 5u : a.out.n ? a.out.bits[0] : 0u;
    v.rows = v.err ? 0u : 1u << (n - v.split);
    v.cols = v.err ? 0u : 1u << v.split;
    return v;
}

/* ll_view_reached(a): returns ll_view_tensor(a), in which the cell of an
 * element that has no place is empty.
 * Example: ll_view_reached(L("lane: i1 -> 4")).err is LL_OK;
 * Example: ll_view_reached(L("lane: i1 -> 4")).cols is 4;
 */
LL_FN ll_view ll_view_reached(ll_layout a) {
    ll_view v = ll_view_tensor(a);
    if (v.err == LL_ENOTONTO) {
        ll_layout whole = a; /* any layout of the tensor, for the grid */
        whole.in = a.out;
        for (unsigned k = 0; k < ll_shape_bits_(&a.out); ++k) {
            whole.basis[k] = 1u << k;
        }
        v = ll_view_tensor(whole);
        v.a = a;
        v.where = ll_pinv(a);
    }
    return v;
}

/* ll_view_hardware(a): returns a view with a row for each lane, warp after
 * warp, and a column for each register (or 32 offsets per row). Each cell has
 * the element there. In memory a place that only columns of 0 reach is empty.
 * Fails with LL_ETABLE for more than 2^20 places. */
LL_FN ll_view ll_view_hardware(ll_layout a) {
    ll_view v = ll_view_bad_(a.err);
    const unsigned n = ll_shape_bits_(&a.in);
    const int regs = a.in.n && a.in.dim[0] == LL_REGISTER;
    v.kind = LL_VIEW_HARDWARE;
    v.a = a;
    v.err = v.err ? v.err : n > 20u ? (unsigned)LL_ETABLE : 0u;
    v.split = a.in.n == 0 ? 0u : regs || a.in.bits[0] < 5u ? a.in.bits[0] : 5u;
    v.rows = v.err ? 0u : 1u << (n - v.split);
    v.cols = v.err ? 0u : 1u << v.split;
    return v;
}

/* ll_padded(f, x): returns the place of offset x in a memory with pads.
 * Example: ll_padded(ll_from_triton("#ttg.padded_shared<[4:+2] {order = [0], "
 *          "shape = [16]}>", 1, SIZES(16)), 9) is 13;
 */
LL_FN unsigned ll_padded(ll_foreign f, unsigned x) {
    unsigned place = x;
    for (unsigned k = 0; k < f.pads; ++k) {
        place += x / f.every[k] * f.pad[k];
    }
    return place;
}

/* Private: returns the first of `n` offsets whose place is not below `place`; n
 * if there is none. */
LL_FN unsigned ll_unpadded_(const ll_foreign *f, unsigned n, unsigned place) {
    unsigned from = 0;
    while (from < n) {
        const unsigned half = from + (n - from) / 2u;
        if (ll_padded(*f, half) < place) {
            from = half + 1u;
        } else {
            n = half;
        }
    }
    return from;
}

/* Private: returns the address of a lane in an access. */
LL_FN unsigned ll_lane_start_(const ll_view *v, unsigned lane) {
    const unsigned at = ll_lane_address_(v->lane, lane & v->named) ^ v->start;
    return v->padded.pads ? ll_padded(v->padded, at >> v->scale) << v->scale
                          : at;
}

/* Private: returns lane number `k` of phase number `phase`. The lanes of a
 * phase are a coset of the lanes of the first phase. */
LL_FN unsigned ll_lane_in_phase_(const ll_view *v, unsigned phase, unsigned k) {
    ll_echelon_ r = LL_ZERO;
    unsigned lane = ll_lane_address_(v->phase.number, k);
    for (unsigned n = 0; n < v->phase.n; ++n) {
        ll_echelon_load_(&r, v->phase.number[n], 0);
    }
    const unsigned own = r.n;
    for (unsigned b = 0; b < 6u; ++b) {
        ll_echelon_load_(&r, 1u << b, 0);
    }
    ll_echelon_eliminate_(&r, 0, r.n);
    unsigned next = 0;
    for (unsigned n = own; n < r.n; ++n) {
        if (ll_echelon_vector_(&r, n)) {
            lane ^= phase >> next & 1u ? 1u << (n - own) : 0u;
            ++next;
        }
    }
    return lane;
}

/* Private: finds what wavefront `way` of a phase serves in a bank: the first
 * lane that asks for the word, the number of lanes that do (*count is 0
 * before), and the word. Returns 0 if there is none. */
LL_FN int ll_bank_serves_(const ll_view *v, unsigned phase, unsigned way,
                          unsigned bank, unsigned *lane, unsigned *count,
                          unsigned *at_word) {
    unsigned seen[64] = LL_ZERO;
    unsigned n = 0;
    for (unsigned k = 0; k < 1u << v->phase.n; ++k) {
        const unsigned l = ll_lane_in_phase_(v, phase, k);
        const unsigned at = ll_lane_start_(v, l) / v->bank_bytes;
        const unsigned words =
            v->bytes > v->bank_bytes ? v->bytes / v->bank_bytes : 1u;
        const unsigned word = (at & ~(words - 1u)) | (bank & (words - 1u));
        if ((word & (v->banks - 1u)) != bank) {
            continue;
        }
        unsigned which = 0;
        while (which < n && seen[which] != word) {
            ++which;
        }
        if (which == n) { /* there are at most 64 lanes */
            seen[n++] = word;
        }
        if (which == way) {
            *at_word = word;
            *lane = *count ? *lane : l;
            ++*count;
        }
    }
    return *count != 0;
}

/* Private: returns the wavefronts of a phase, at least 1: the most words of any
 * bank. */
LL_FN unsigned ll_ways_of_(const ll_view *v, unsigned phase) {
    unsigned ways = 1;
    for (unsigned bank = 0; bank < v->banks; ++bank) {
        unsigned lane = 0;
        unsigned count = 0;
        unsigned word = 0;
        while (ll_bank_serves_(v, phase, ways, bank, &lane, &count, &word)) {
            count = 0;
            ++ways;
        }
    }
    return ways;
}

/* Private: returns the phase of a row of an access, and sets *way to its
 * wavefront in that phase. */
LL_FN unsigned ll_phase_at_(const ll_view *v, unsigned row, unsigned *way) {
    unsigned phase = v->ways ? row / v->ways : 0u;
    *way = v->ways ? row % v->ways : 0u;
    if (v->padded.pads) {
        *way = row;
        for (phase = 0; *way >= ll_ways_of_(v, phase); ++phase) {
            *way -= ll_ways_of_(v, phase);
        }
    }
    return phase;
}

/* Private: completes the view of an access whose lanes are known. Lanes that
 * pass no address have no phase. */
LL_FN ll_view ll_view_access_(ll_view v, unsigned op, const ll_target *t) {
    unsigned least = 0;
    v.kind = LL_VIEW_BANKS;
    v.op = op;
    v.bank_bytes = t->bank_bytes;
    v.banks = t->banks[op][ll_access_width_(v.bytes)];
    v.phase = ll_phase_of_(v.lane, v.bytes, op, t);
    const unsigned all = ll_access_waves_(v.lane, v.bytes, op, t, &least);
    v.phases = least * (v.named + 1u) / t->lanes;
    v.ways = all / least;
    v.rows = v.phases * v.ways;
    v.cols = v.banks;
    return v;
}

/* ll_view_banks(a, m, element_bits, bytes, op, t): returns a view of an access
 * of `bytes` bytes per lane between registers of layout a and memory of layout
 * m, as ll_draw takes it: a column for each bank and a row for each wavefront.
 * A cell has the first lane whose word the bank serves then, and + if other
 * lanes ask for that word as well. Every wavefront of a phase but the first is
 * marked: a bank conflict. Fails as ll_draw does. */
LL_FN ll_view ll_view_banks(ll_layout a, ll_layout m, unsigned element_bits,
                            unsigned bytes, unsigned op, ll_target t) {
    ll_bank_picture_ p = LL_ZERO;
    ll_view v =
        ll_view_bad_(ll_find_picture_(&p, a, &m, element_bits, bytes, op, &t));
    if (v.err) {
        return v;
    }
    v.a = m;
    v.scale = ll_element_scale_(element_bits);
    v.start = p.start;
    v.bytes = p.bytes;
    v.named = p.named;
    for (unsigned k = 0; k < 6u; ++k) {
        v.lane[k] = p.lane[k];
    }
    return ll_view_access_(v, op, &t);
}

/* Private: returns the largest power of two of elements that lie side by side
 * and aligned, whatever multiple of pad k is before them. */
LL_FN unsigned ll_pad_vector_(const ll_foreign *f, unsigned k) {
    const unsigned low = f->pad[k] & (~f->pad[k] + 1u);
    return f->every[k] < low ? f->every[k] : low;
}

/* ll_view_padded(v, f): returns view v of memory f.layout with the pads of f,
 * as ll_from_triton reads them. ll_view_tensor then has the places,
 * ll_view_hardware empty cells for the pads, and ll_view_banks the wavefronts,
 * counted address by address. Other views do not change. Fails with LL_EACCESS
 * if an access is larger than a pad or an interval between pads, with
 * LL_EMEMORY for memory of several blocks, and with LL_ETABLE for too many
 * places. */
LL_FN ll_view ll_view_padded(ll_view v, ll_foreign f) {
    const unsigned last = ll_ones_(ll_shape_bits_(&f.layout.in));
    unsigned long long size = 1ull + last;
    v.padded = f;
    if (v.err || f.pads == 0 || v.kind == LL_VIEW_MATRIX) {
        return v;
    }
    v.err = f.layout.in.n == 1u ? 0u : (unsigned)LL_EMEMORY;
    for (unsigned k = 0; k < f.pads; ++k) {
        const unsigned least = ll_pad_vector_(&f, k);
        size += 1ull * (last / f.every[k]) * f.pad[k];
        if (v.kind == LL_VIEW_BANKS && v.bytes > 1ull * least << v.scale) {
            v.err = LL_EACCESS;
        }
    }
    if (size > 1u << (v.kind == LL_VIEW_HARDWARE ? 20 : 28)) {
        v.err = v.err ? v.err : (unsigned)LL_ETABLE;
    }
    if (v.kind == LL_VIEW_HARDWARE) {
        v.rows = ((unsigned)size + v.cols - 1u) >> v.split;
    } else if (v.kind == LL_VIEW_BANKS) {
        v.rows = 0;
        for (unsigned phase = 0; phase < v.phases && !v.err; ++phase) {
            v.rows += ll_ways_of_(&v, phase);
        }
    }
    v.rows = v.err ? 0u : v.rows;
    return v;
}

/* Private: returns the number of frames of a step. */
LL_FN unsigned ll_step_frames_(const ll_plan *p, unsigned k) {
    const ll_step *s = &p->step[k];
    if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
        return 1u << (s->at.n - s->at.vector);
    }
    return ll_is_sync_(s->op) || s->count || p->n == 1u ? 1u : 0u;
}

/* ll_frames(p): returns the number of frames of a plan: the registers before
 * it, one frame per step (for a store or a load, one per access), and the
 * registers after it. 0 for an invalid plan.
 * Example: ll_frames(ll_plan_of(ll_rows(8, 8, 4), ll_rows(8, 8, 4), 32,
 *                               LL_SM90)) is 2;
 */
LL_FN unsigned ll_frames(ll_plan p) {
    unsigned n = 2;
    for (unsigned k = 0; k < p.n; ++k) {
        n += ll_step_frames_(&p, k);
    }
    return p.err ? 0u : n;
}

/* Private: returns the step of a frame, and sets *at to the number of the
 * access. Returns the number of steps for the first and the last frame. */
LL_FN unsigned ll_frame_step_(const ll_plan *p, unsigned frame, unsigned *at) {
    unsigned k = 0;
    *at = frame;
    while (frame && k<p->n && * at> ll_step_frames_(p, k)) {
        *at -= ll_step_frames_(p, k);
        ++k;
    }
    *at -= 1u;
    return frame ? k : p->n;
}

/* Private: returns the view of access number k of a step, by warp 0. */
LL_FN ll_view ll_view_step_(const ll_plan *p, const ll_step *s, unsigned k,
                            const ll_target *t) {
    ll_view v = LL_ZERO;
    const unsigned op = s->op == LL_OP_LOAD ? LL_READ : LL_WRITE;
    const ll_form form = t->forms[op][s->form]; /* 0: vectors */
    v.a = p->memory;
    v.scale = ll_element_scale_(p->element_bits);
    v.bytes = s->bytes;
    v.named = t->lanes - 1u;
    if (form) { /* one lane for each row */
        v.bytes = 1u << ll_form_row_bits_(form);
        v.named = s->bytes * t->lanes / v.bytes - 1u;
    }
    v.start = ll_map_at(s->thread, 0) ^ ll_places(&s->at, k << s->at.vector);
    for (unsigned b = 0; b < 6u; ++b) {
        v.lane[b] =
            ll_map_at(s->thread, 1u << b) ^ ll_map_at(s->thread, 0);
    }
    return ll_view_access_(v, op, t);
}

/* ll_view_frame(p, a, b, t, frame): returns frame number `frame` of a plan from
 * layout a to layout b on target t. It shows registers of block 0, and accesses
 * of warp 0 in the first pass. A frame of a barrier shows the contents of
 * memory. */
LL_FN ll_view ll_view_frame(ll_plan p, ll_layout a, ll_layout b, ll_target t,
                            unsigned frame) {
    unsigned at = 0;
    const unsigned k = ll_frame_step_(&p, frame, &at);
    if (p.err || frame >= ll_frames(p)) {
        return ll_view_bad_(p.err ? p.err : (unsigned)LL_EMISSING);
    }
    if (k == p.n) {
        return ll_view_hardware(ll_in_block_(ll_hardware_(frame ? b : a)));
    }
    const ll_step *s = &p.step[k];
    if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
        return ll_view_step_(&p, s, at, &t);
    }
    if (ll_is_sync_(s->op)) {
        return ll_view_hardware(p.memory);
    }
    if (p.kind >= LL_SHARED && k > 3u) { /* the last step, after the loads */
        return ll_view_hardware(ll_in_block_(ll_hardware_(b)));
    }
    ll_view v = ll_view_hardware(ll_in_block_(ll_hardware_(a)));
    v.kind = LL_VIEW_AFTER;
    v.step = k;
    v.p = p;
    v.rows = p.threads;
    v.cols = 1u << s->bits;
    return v;
}

/* Private: returns where, before the plan, the element was that a thread holds
 * at a position after step k, as register | thread. */
LL_FN unsigned ll_traced_(const ll_plan *p, unsigned k, unsigned thread,
                          unsigned position) {
    for (unsigned n = k + 1u; n-- > 0;) {
        const ll_step *s = &p->step[n];
        const unsigned from = position;
        if (s->op == LL_OP_SELECT) {
            for (unsigned m = 0; m < s->at.n; ++m) {
                position ^= ll_popcount_(thread & s->at.place[m]) & 1u
                                ? s->at.reg[m]
                                : 0u;
            }
        } else if (s->op == LL_OP_SWAP) {
            const unsigned half = (1u << s->bits) / 2u;
            const unsigned bit = s->at.place[s->at.n - 1u];
            const int high = (thread & bit) != 0;
            const int moves = high ? position < half : position >= half;
            thread ^= moves ? bit : 0u;
            position = ll_registers(&s->at, moves ? position ^ half : position);
        } else {
            position = ll_registers(&s->at, position) ^
                       (ll_popcount_(thread & s->flip) & 1u ? s->flip_by : 0u);
        }
        if (s->op == LL_OP_SHUFFLE) {
            thread = (thread & ~(p->lanes - 1u)) |
                     ((ll_map_at(s->thread, thread) ^ ll_places(&s->at, from)) &
                      (p->lanes - 1u));
        }
    }
    return thread << p->from_bits | position;
}

/* ll_frame_words(p, frame, buf, size): writes what happens in a frame. */
LL_FN unsigned ll_frame_words(ll_plan p, unsigned frame, char *buf,
                              unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    unsigned at = 0;
    const unsigned k = ll_frame_step_(&p, frame, &at);
    if (p.err || frame >= ll_frames(p)) {
        ll_write_no_plan_(&w, p.err ? p.err : (unsigned)LL_EMISSING, 0);
    } else if (k == p.n) {
        ll_write_(&w, frame ? "after: " : "before: ");
        ll_write_kind_(&w, &p);
    } else {
        const ll_step *s = &p.step[k];
        if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
            ll_write_(&w, s->op == LL_OP_STORE ? "store " : "load ");
            ll_write_number_(&w, at + 1u);
            ll_write_(&w, " of ");
            ll_write_number_(&w, ll_step_frames_(&p, k));
            ll_write_(&w, p.passes ? " in the first pass: " : ": ");
        }
        ll_write_step_(&w, s, p.nibbles ? "byte" : "element");
    }
    return w.len;
}

/* Private: returns a writer on the text of a cell. */
LL_FN ll_writer_ ll_cell_writer_(ll_cell *c) {
    return ll_writer_on_(c->text, LL_CELL_ROOM);
}

/* Private: returns the hue of a number; neighbours get distant hues. */
LL_FN unsigned ll_hue_(unsigned x) { return x * 97u & 255u; }

/* Private: writes the coordinates of an element, i first. */
LL_FN void ll_write_element_(ll_writer_ *w, const ll_shape *s, unsigned y) {
    for (unsigned k = s->n; k-- > 0;) {
        ll_write_number_(w, ll_shape_field_(s, k, y));
        ll_write_(w, k ? "," : "");
    }
}

/* Private: writes a place: block, warp, lane and register joined by colons, or
 * the offset. */
LL_FN void ll_write_place_(ll_writer_ *w, const ll_shape *s, unsigned x) {
    for (unsigned k = s->n; k-- > 0;) {
        if (s->dim[k] != LL_BLOCK || s->bits[k]) {
            ll_write_number_(w, ll_shape_field_(s, k, x));
            ll_write_(w, k ? ":" : "");
        }
    }
}

/* Private: returns the hue of an element, by its slowest coordinate. */
LL_FN unsigned ll_element_hue_(const ll_shape *s, unsigned y) {
    const unsigned k = s->n ? s->n - 1u : 0u;
    return s->n ? ll_hue_(s->n == 1u ? y >> 3 : ll_shape_field_(s, k, y)) : 0u;
}

/* Private: fills in a cell of an access. */
LL_FN void ll_bank_cell_(const ll_view *v, unsigned row, unsigned col,
                         ll_writer_ *w, ll_cell *c) {
    unsigned lane = 0;
    unsigned count = 0;
    unsigned word = 0;
    unsigned way = 0;
    const unsigned phase = ll_phase_at_(v, row, &way);
    if (ll_bank_serves_(v, phase, way, col, &lane, &count, &word)) {
        const unsigned at = ll_shift_down_(word * v->bank_bytes, v->scale);
        const unsigned all = ll_shape_bits_(&v->a.in);
        ll_write_number_(w, lane);
        ll_write_(w, count > 1u ? "+" : "");
        c->hue = ll_hue_(lane);
        c->mark = way ? 1u : 0u;
        c->element = ll_apply(
            v->a, (v->padded.pads ? ll_unpadded_(&v->padded, ll_ones_(all), at)
                                  : at) & ll_ones_(all));
    }
}

/* Private: sets *x to the place, in a, of what is at a place of registers or
 * memory. Returns 0 if the place is empty: a pad, or a copy in memory. */
LL_FN int ll_held_at_(const ll_view *v, unsigned row, unsigned col,
                      unsigned *x) {
    const unsigned all = ll_shape_bits_(&v->a.in);
    unsigned empty = 0;
    *x = ll_shift_(row, v->split) | col;
    if (v->kind == LL_VIEW_AFTER) {
        *x = ll_traced_(&v->p, v->step, row, col);
    } else if (v->padded.pads) {
        const unsigned at = *x;
        *x = ll_unpadded_(&v->padded, ll_ones_(all), at);
        empty = ll_padded(v->padded, *x) != at;
    }
    for (unsigned k = 0; v->a.in.n && k < v->a.in.bits[0]; ++k) {
        empty |= v->a.in.dim[0] == LL_OFFSET && v->a.basis[k] == 0 &&
                 (*x >> k & 1u);
    }
    *x &= ll_ones_(all);
    return !empty;
}

/* ll_cell_at(v, row, col): returns a cell of a view. */
LL_FN ll_cell ll_cell_at(const ll_view *v, unsigned row, unsigned col) {
    ll_cell c = LL_ZERO;
    ll_writer_ w = ll_cell_writer_(&c);
    unsigned x = 0;
    c.hue = LL_NO_HUE;
    c.element = LL_NO_ELEMENT;
    if (v->err || row >= v->rows || col >= v->cols) {
        return c;
    }
    if (v->kind == LL_VIEW_MATRIX) {
        const unsigned y =
            col < ll_shape_bits_(&v->a.in) ? v->a.basis[col] : v->a.offset;
        const unsigned one = y >> row & 1u;
        ll_write_(&w, one ? "1" : ".");
        unsigned k = 0;
        while (one && ll_shape_start_(&v->a.out, k + 1u) <= row) {
            ++k;
        }
        c.hue = one ? ll_hue_(k + 1u) : LL_NO_HUE;
    } else if (v->kind == LL_VIEW_TENSOR) {
        c.element = row << v->split | col;
        x = ll_apply(v->where, c.element);
        if (ll_apply(v->a, x) != c.element) {
            return c;
        }
        if (v->padded.pads) {
            ll_write_number_(&w, ll_padded(v->padded, x));
        } else {
            ll_write_place_(&w, &v->a.in, x);
        }
        c.hue =
            ll_hue_(v->a.in.n > 1u ? ll_shape_field_(&v->a.in, 1, x) : x >> 3);
    } else if (v->kind == LL_VIEW_BANKS) {
        ll_bank_cell_(v, row, col, &w, &c);
    } else if (ll_held_at_(v, row, col, &x)) {
        c.element = ll_apply(v->a, x);
        ll_write_element_(&w, &v->a.out, c.element);
        c.hue = ll_element_hue_(&v->a.out, c.element);
    }
    return c;
}

/* Private: writes a bit of a packed word, as in "lane 3". */
LL_FN void ll_write_bit_name_(ll_writer_ *w, const ll_shape *s, unsigned bit) {
    unsigned k = 0;
    while (k + 1u < s->n && ll_shape_start_(s, k + 1u) <= bit) {
        ++k;
    }
    if (ll_write_name_(w, s->dim[k])) {
        ll_write_char_(w, '.');
    }
    ll_write_number_(w, bit - ll_shape_start_(s, k));
}

/* Private: returns the number of an input that holds registers: 0 node, 1 gpu,
 * 2 block, 3 warp, 4 lane; 5 for any other. */
LL_FN unsigned ll_owner_of_(ll_dim d) {
    const char *const names[5] = {"node", "gpu", "block", "warp", "lane"};
    unsigned n = 0;
    while (n < 5u && ll_dim_of(names[n]) != d) {
        ++n;
    }
    return n;
}

/* Private: writes who holds a row of registers: "b1 w0 l3" is block 1, warp 0,
 * lane 3, whatever the order of the inputs. Other inputs come first, with their
 * names. Lanes alone are those of warp 0. */
LL_FN void ll_write_owner_(ll_writer_ *w, const ll_shape *in, unsigned place) {
    for (unsigned k = 0; k < 6u; ++k) {
        const unsigned n = k ? k - 1u : 5u;
        for (unsigned d = in->n; d-- > 1u;) {
            if (ll_owner_of_(in->dim[d]) != n) {
                continue;
            }
            ll_write_(w, w->len ? " " : "");
            ll_write_(w, n == 4u && in->n == 2u ? "w0 " : "");
            if (n < 5u) {
                ll_write_char_(w, "ngbwl"[n]);
            } else if (ll_write_name_(w, in->dim[d])) {
                ll_write_char_(w, '.');
            }
            ll_write_number_(w, ll_shape_field_(in, d, place));
        }
    }
}

/* ll_head_of(v, rows, k): returns the label beside row k of a view, or above
 * column k. */
LL_FN ll_cell ll_head_of(const ll_view *v, int rows, unsigned k) {
    ll_cell c = LL_ZERO;
    ll_writer_ w = ll_cell_writer_(&c);
    const ll_shape *in = &v->a.in;
    const ll_shape *out = &v->a.out;
    c.hue = LL_NO_HUE;
    if (v->kind == LL_VIEW_MATRIX) {
        if (rows) {
            ll_write_bit_name_(&w, out, k);
        } else if (k < ll_shape_bits_(in)) {
            ll_write_bit_name_(&w, in, k);
        } else {
            ll_write_(&w, "1");
        }
    } else if (v->kind == LL_VIEW_BANKS) {
        ll_write_(&w, rows ? "wavefront " : "b");
        ll_write_number_(&w, k);
    } else if (v->kind == LL_VIEW_TENSOR && out->n > 1u) {
        if (rows) { /* all axes but the fastest */
            for (unsigned d = out->n; d-- > 1u;) {
                ll_write_name_(&w, out->dim[d]);
                ll_write_number_(
                    &w, ll_shape_field_(out, d, ll_shift_(k, v->split)));
                ll_write_(&w, d > 1u ? "," : "");
            }
        } else {
            ll_write_name_(&w, out->dim[0]);
            ll_write_number_(&w, k);
        }
    } else if (v->kind == LL_VIEW_TENSOR || in->n < 2u ||
               in->dim[0] != LL_REGISTER) {
        ll_write_(&w, rows ? "" : "+");
        ll_write_number_(&w, rows ? (unsigned long long)k << v->split : k);
    } else if (!rows) {
        ll_write_(&w, "r");
        ll_write_number_(&w, k);
    } else {
        ll_write_owner_(&w, in, k << v->split);
    }
    return c;
}

/* ll_legend(v, buf, size): writes what the cells of a view mean, in one line:
 * "cells: warp:lane:register".
 * Example: ll_legend(ll_view_tensor(ll_rows(8, 8, 4)), 0, 0) is 25;
 */
LL_FN unsigned ll_legend(ll_view v, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    const int places = v.kind == LL_VIEW_TENSOR;
    const ll_shape *s = places ? &v.a.in : &v.a.out;
    if (v.kind == LL_VIEW_MATRIX) {
        ll_write_(&w, "cells: 1 if this input bit (column) sets this output "
                      "bit (row)");
        return w.len;
    }
    if (v.kind == LL_VIEW_BANKS) {
        ll_write_(&w, v.op == LL_READ ? "read, " : "write, ");
        ll_write_count_(&w, v.bytes, "byte");
        ll_write_(&w, " per lane; cells: the lane that the bank serves; +: "
                      "other lanes use the same word; !: bank conflict");
        return w.len;
    }
    ll_write_(&w, "cells: ");
    for (unsigned k = s->n; k-- > 0;) {
        if (!places || s->dim[k] != LL_BLOCK || s->bits[k]) {
            ll_write_name_(&w, s->dim[k]);
            ll_write_(&w, !k ? "" : places ? ":" : ",");
        }
    }
    ll_write_(&w, places ? "" : s->n ? " of the element" : "the element");
    return w.len;
}

/* Private: returns red, green and blue of a hue, pale. */
LL_FN unsigned ll_rgb_(unsigned hue) {
    const unsigned part = (hue & 255u) * 6u;
    const unsigned up = part & 255u;
    const unsigned ramp[6][3] = {{255, up, 0}, {255u - up, 255, 0},
                                 {0, 255, up}, {0, 255u - up, 255},
                                 {up, 0, 255}, {255, 0, 255u - up}};
    unsigned rgb = 0;
    for (unsigned k = 0; k < 3u; ++k) {
        rgb = rgb << 8 | (150u + ramp[part >> 8][k] * 2u / 5u);
    }
    return rgb;
}

LL_FN void ll_write_rgb_(ll_writer_ *w, unsigned rgb) {
    ll_write_char_(w, '#');
    for (unsigned k = 6; k-- > 0;) {
        ll_write_char_(w, "0123456789abcdef"[rgb >> 4u * k & 15u]);
    }
}

LL_FN unsigned ll_cell_length_(const ll_cell *c) {
    unsigned n = 0;
    while (c->text[n]) {
        ++n;
    }
    return n;
}

/* Private: writes a cell `wide` characters wide, the text at the right, with a
 * colour of the terminal's 6 x 6 x 6 cube. A marked cell ends with `!` and,
 * with colours, is white on red. */
LL_FN void ll_write_cell_(ll_writer_ *w, const ll_cell *c, unsigned wide,
                          int colour) {
    const int shown = colour && (c->hue < LL_NO_HUE || c->mark);
    unsigned n = ll_cell_length_(c) + (c->mark ? 1u : 0u);
    if (shown) {
        const unsigned rgb = ll_rgb_(c->hue);
        ll_write_(w, c->mark ? "\033[1;97;48;5;" : "\033[30;48;5;");
        ll_write_number_(w, c->mark ? 160u
                                    : 16u + 36u * ((rgb >> 16) / 51u) +
                                          6u * ((rgb >> 8 & 255u) / 51u) +
                                          (rgb & 255u) / 51u);
        ll_write_char_(w, 'm');
    }
    for (; n < wide; ++n) {
        ll_write_char_(w, ' ');
    }
    ll_write_(w, c->text);
    ll_write_(w, c->mark ? "!" : "");
    ll_write_(w, shown ? "\033[0m" : "");
}

/* Private: returns the width of the widest cell of a view, including heads of
 * columns. */
LL_FN unsigned ll_widest_cell_(const ll_view *v) {
    unsigned wide = 1;
    for (unsigned col = 0; col < v->cols; ++col) {
        const ll_cell head = ll_head_of(v, 0, col);
        unsigned n = ll_cell_length_(&head);
        wide = n > wide ? n : wide;
        for (unsigned row = 0; row < v->rows; ++row) {
            const ll_cell c = ll_cell_at(v, row, col);
            n = ll_cell_length_(&c) + (c.mark ? 1u : 0u);
            wide = n > wide ? n : wide;
        }
    }
    return wide;
}

LL_FN unsigned ll_widest_head_(const ll_view *v) {
    unsigned wide = 0;
    for (unsigned row = 0; row < v->rows; ++row) {
        const ll_cell head = ll_head_of(v, 1, row);
        const unsigned n = ll_cell_length_(&head);
        wide = n > wide ? n : wide;
    }
    return wide;
}

/* Private: writes a cell as a value of CSV, in quotes if it has a comma. */
LL_FN void ll_write_value_(ll_writer_ *w, const ll_cell *c) {
    const char *quote = "";
    for (unsigned k = 0; c->text[k]; ++k) {
        quote = c->text[k] == ',' ? "\"" : quote;
    }
    ll_write_(w, quote);
    ll_write_cell_(w, c, 0, 0);
    ll_write_(w, quote);
}

/* Private: writes text, a line for each row, or values separated by commas. */
LL_FN void ll_write_grid_(ll_writer_ *w, const ll_view *v, unsigned form) {
    const int csv = form == LL_AS_CSV;
    const unsigned wide = csv ? 0u : ll_widest_cell_(v);
    const unsigned first = csv ? 0u : ll_widest_head_(v);
    for (unsigned row = 0; row <= v->rows; ++row) {
        for (unsigned k = 0; k <= v->cols; ++k) {
            const ll_cell none = LL_ZERO;
            const ll_cell c = k && row ? ll_cell_at(v, row - 1u, k - 1u)
                              : k      ? ll_head_of(v, 0, k - 1u)
                              : row    ? ll_head_of(v, 1, row - 1u)
                                       : none;
            ll_write_(w, !k ? "" : csv ? "," : " ");
            if (csv) {
                ll_write_value_(w, &c);
            } else {
                ll_write_cell_(w, &c, k ? wide : first,
                               k && form == LL_AS_COLOUR);
            }
        }
        ll_write_char_(w, '\n');
    }
}

/* Private: writes one cell as a rectangle with its text. */
LL_FN void ll_write_box_(ll_writer_ *w, const ll_cell *c, unsigned x,
                         unsigned y, unsigned wide) {
    if (c->hue < LL_NO_HUE || c->mark) {
        ll_write_(w, "<rect x=\"");
        ll_write_number_(w, x);
        ll_write_(w, "\" y=\"");
        ll_write_number_(w, y);
        ll_write_(w, "\" width=\"");
        ll_write_number_(w, wide);
        ll_write_(w, "\" height=\"18\" fill=\"");
        ll_write_rgb_(w, c->mark ? 0xff5040u : ll_rgb_(c->hue));
        ll_write_(w, "\"/>");
    }
    if (c->text[0]) {
        ll_write_(w, "<text x=\"");
        ll_write_number_(w, x + wide / 2u);
        ll_write_(w, "\" y=\"");
        ll_write_number_(w, y + 13u);
        ll_write_(w, c->mark ? "\" font-weight=\"bold\">" : "\">");
        ll_write_(w, c->text);
        ll_write_(w, c->mark ? "!</text>\n" : "</text>\n");
    }
}

LL_FN void ll_write_svg_(ll_writer_ *w, const ll_view *v) {
    const unsigned wide = 8u + 7u * ll_widest_cell_(v);
    const unsigned first = 8u + 7u * ll_widest_head_(v);
    ll_write_(w, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    ll_write_number_(w, first + v->cols * (wide + 1u));
    ll_write_(w, "\" height=\"");
    ll_write_number_(w, (v->rows + 1u) * 19u);
    ll_write_(w, "\" font-family=\"monospace\" font-size=\"11\" "
                 "text-anchor=\"middle\">\n<title>");
    char legend[300] = LL_ZERO;
    ll_legend(*v, legend, sizeof legend);
    ll_write_(w, legend);
    ll_write_(w, "</title>\n<rect width=\"100%\" "
                 "height=\"100%\" fill=\"#ffffff\"/>\n");
    for (unsigned row = 0; row <= v->rows; ++row) {
        ll_cell c = LL_ZERO;
        c = row ? ll_head_of(v, 1, row - 1u) : c;
        c.hue = LL_NO_HUE;
        ll_write_box_(w, &c, 0, row * 19u, first);
        for (unsigned col = 0; col < v->cols; ++col) {
            c = row ? ll_cell_at(v, row - 1u, col) : ll_head_of(v, 0, col);
            ll_write_box_(w, &c, first + col * (wide + 1u), row * 19u, wide);
        }
    }
    ll_write_(w, "</svg>\n");
}

/* ll_picture(v, form, buf, size): writes a view as LL_AS_TEXT, LL_AS_COLOUR
 * (text with the colours of a terminal), LL_AS_SVG or LL_AS_CSV. The legend is
 * the line above a text, and the title of an SVG. For an invalid view it writes
 * the sentence of the error.
 * Example: ll_picture(ll_view_matrix(L("lane: i0 i1")), LL_AS_CSV, 0, 0) is
 *          27;
 */
LL_FN unsigned ll_picture(ll_view v, unsigned form, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (v.err) {
        ll_write_(&w, ll_strerror(v.err));
        ll_write_char_(&w, '\n');
    } else if (form == LL_AS_SVG) {
        ll_write_svg_(&w, &v);
    } else {
        if (form != LL_AS_CSV) {
            char legend[300] = LL_ZERO;
            ll_legend(v, legend, sizeof legend);
            ll_write_(&w, legend);
            ll_write_char_(&w, '\n');
        }
        ll_write_grid_(&w, &v, form);
    }
    return w.len;
}

/*
 * MIT License
 *
 * Copyright (c) 2026 the ll authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in
 * all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */

#endif
