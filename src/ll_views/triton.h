/* ---- Views: Triton's attributes --------------------------------------- */
#ifndef LL_VIEWS_TRITON_H
#define LL_VIEWS_TRITON_H

#include "../ll/layout/make.h"

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

#endif
