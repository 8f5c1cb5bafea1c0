/* ---- Targets ---------------------------------------------------------- */
#ifndef LL_PLAN_TARGET_H
#define LL_PLAN_TARGET_H

#include "../base/types.h"

/* A target describes a machine in numbers: the lanes of a warp, the banks and
 * phases of shared memory, the accesses that move matrices, the ways to read a
 * word of another lane, and the cost of each. The vendor headers fill in the
 * tables. No code below depends on the name of a machine. */

enum { LL_READ, LL_WRITE };

/* The forms of an access to shared memory. In a vector access each lane moves
 * the bytes at its own address. In a matrix access some lanes give the
 * addresses of rows, and the bytes of the rows are distributed over all lanes:
 * words of a row (ldmatrix, stmatrix), or pieces of a column of 2-byte or
 * 1-byte elements (.trans, ds_read_tr).
 *
 * A target encodes each matrix form in hex digits, highest first: log2 of the
 * most bytes per lane in one access, log2 of the fewest, and log2 of the bytes
 * per row; then one digit for each of the bits 5 to 0 of the lane that moves a
 * byte, and one for each of the bits 3 to 0 of the byte's number in that lane.
 * A digit k below 8 stands for bit k of the byte's number in its row, 8 + k for
 * bit k of the lane that names the row, f for nothing. Without the form: 0. */
enum {
    LL_FORM_VECTOR,
    LL_FORM_MATRIX,
    LL_FORM_TRANS,
    LL_FORM_BYTES,
    LL_MAX_FORMS
};
typedef unsigned long long ll_form;

/* Hops: ways to read a word of another lane. Each is one instruction, except
 * LL_HOP_SWAP. The control, a literal, selects the lane that lane l reads.
 * LL_HOP_ANY and LL_HOP_32 use the shared-memory pipe; near hops do not.
 *
 *     hop           lane l reads                                 AMD's name
 *     LL_HOP_ANY    any lane, by a computed number               ds_bpermute
 *     LL_HOP_QUAD   a lane of its group of four; its number      quad_perm
 *                   there starts at bit 2 (l & 3) of the control
 *     LL_HOP_XOR    l ^ control, control below 16                row_xmask
 *     LL_HOP_ROW    a lane of its row of 16; its number          permlane16
 *                   there starts at bit 4 (l & 15) of the control
 *     LL_HOP_ROWX   a lane of the row of l ^ 16; its number      permlanex16
 *                   there starts at bit 4 (l & 15) of the control
 *     LL_HOP_HALF   l ^ 32                                       permlane64
 *     LL_HOP_32     ((l & a) | b) ^ c in its 32 lanes, for the   ds_swizzle
 *                   control a | b << 5 | c << 10
 *     LL_HOP_SWAP   l ^ control, which is 16 or 32: two copies   permlane*_swap
 *                   of a word are swapped, and each lane selects one
 */
enum {
    LL_HOP_ANY,
    LL_HOP_QUAD,
    LL_HOP_XOR,
    LL_HOP_ROW,
    LL_HOP_ROWX,
    LL_HOP_HALF,
    LL_HOP_32,
    LL_HOP_SWAP,
    LL_MAX_HOPS
};

/* The hops that fetch a word from another lane, in execution order. n is 0 if
 * the word is already in its lane. */
typedef struct ll_hops {
    unsigned n;
    unsigned hop[2];
    unsigned long long control[2];
    unsigned near; /* 1 if no hop uses the shared-memory pipe */
} ll_hops;

/* A machine as layouts see it. A phase is a set of lanes that shared memory
 * serves together, a coset of a subspace of lane numbers. phase[op][w] is a
 * basis of this subspace, followed by zeros, and banks[op][w] is the number of
 * banks in use. The width w is 0 for accesses of at most 4 bytes per lane, 1
 * for 8 bytes and 2 for 16 bytes; 3 is for 12 bytes, which the tables describe
 * but no plan uses. If a lane bit in `merge` does not change the address of a
 * wide read, two neighbouring phases are served as one. */
#define LL_MAX_WIDTHS 4
enum {
    LL_COST_MEMORY,  /* a wavefront of shared memory */
    LL_COST_SHUFFLE, /* an exchange of 32 bits between lanes */
    LL_COST_LOGIC,   /* a byte permute, near hop or swap */
    LL_COST_WARP,    /* a barrier of a warp */
    LL_COST_BLOCK,   /* a barrier of a block */
    LL_COST_DSMEM,   /* a wavefront of another block's shared memory */
    LL_COST_CLUSTER, /* a barrier of a cluster */
    LL_COST_SELECT,  /* a select */
    LL_COST_ISSUE,   /* a scheduler's time to issue a shuffle, or two selects or
                        permutes; 0: nothing waits for it */
    LL_COST_START,   /* time in an exchange without overlap of its shuffles
                        and logic */
    LL_MAX_COSTS
};
typedef struct ll_target {
    unsigned err;
    unsigned lanes;
    unsigned bank_bytes;
    unsigned access_bytes; /* of the widest access of a lane, at most 16 */
    unsigned store_bytes;  /* of the widest store, if narrower; otherwise 0 */
    unsigned copies; /* 1 if lanes copy from global memory to shared memory */
    unsigned merge;        /* lane bits, see above */
    unsigned pairs;  /* 1 if one instruction can make two accesses of 4 or 8
                        bytes at a fixed distance */
    unsigned blocks; /* of the largest cluster; 0: no clusters */
    ll_form forms[2][LL_MAX_FORMS]; /* by op */
    unsigned cost[LL_MAX_COSTS]; /* in eighths of a cycle */
    unsigned hops;               /* bit h: the target has hop h; bit 16 + c:
                                    it has LL_HOP_XOR with the control c */
    unsigned swaps;              /* OR of the lane bits, as lane numbers, that
                                    an instruction swaps with register bits */
    unsigned banks[2][LL_MAX_WIDTHS];
    unsigned phase[2][LL_MAX_WIDTHS][6];
} ll_target;

/* Private: packs up to n names of bits, from bit 0 up, into digits of a form:
 * `b3` is bit 3 of the byte in its row, `r3` is bit 3 of the lane that names
 * the row. Digits without a name are f. */
LL_FN ll_form ll_form_digits_(const char *bits, unsigned n) {
    ll_form form = 0;
    for (unsigned k = 0; k < n; ++k) {
        const unsigned row = *bits == 'r' ? 8u : 0u;
        const unsigned digit = *bits ? row + (unsigned)(bits[1] - '0') : 15u;
        form |= (ll_form)digit << 4u * k;
        bits += *bits ? bits[2] ? 3 : 2 : 0;
    }
    return form;
}

/* Private: encodes a form as a manual's table states it. `most`, `fewest`: log2
 * of the most and the fewest bytes per lane. `row`: log2 of the bytes of a row.
 * `lane`, `byte`: the meaning of each bit of the lane that moves a byte, and of
 * the byte's number in that lane. */
LL_FN ll_form ll_form_of_(unsigned most, unsigned fewest, unsigned row,
                          const char *lane, const char *byte) {
    return (ll_form)(most << 8 | fewest << 4 | row) << 40 |
           ll_form_digits_(lane, 6) << 16 | ll_form_digits_(byte, 4);
}

/* A rule says which targets have an instruction (ll_ptx_has, ll_amd_has). A
 * name is divided into parts at `.`, `_` and blanks. A rule applies to a name
 * if its first word matches the first part of the name and each of its other
 * words matches some part. A `*` at the start or the end of a word matches any
 * characters. If several rules apply, the last one decides. */
typedef struct ll_rule_ {
    const char *words;
    const char *targets;
} ll_rule_;

/* Private: returns the number of characters of the first part of a name. */
LL_FN unsigned ll_name_part_(const char *text) {
    unsigned n = 0;
    while (text[n] && text[n] != '.' && text[n] != '_' && text[n] != ' ') {
        ++n;
    }
    return n;
}

/* Private: returns the name from its second part on, which may be empty. */
LL_FN const char *ll_name_next_part_(const char *text) {
    text += ll_name_part_(text);
    return *text ? text + 1 : text;
}

/* Private: returns 1 if the first word of `word` matches part 1 of `part`. */
LL_FN int ll_name_matches_(const char *part, const char *word) {
    const unsigned n = ll_name_part_(part);
    const unsigned m = ll_name_part_(word);
    const unsigned head = m && word[0] == '*';
    const unsigned tail = !head && m && word[m - 1u] == '*';
    const unsigned same = m - head - tail;
    const unsigned from = head && n >= same ? n - same : 0u;
    int like = head || tail ? n >= same : n == same;
    for (unsigned k = 0; like && k < same; ++k) {
        like = part[from + k] == word[head + k];
    }
    return like;
}

/* Private: returns 1 if a rule with these words applies to a name. */
LL_FN int ll_rule_speaks_(const char *words, const char *name) {
    int speaks = ll_name_matches_(name, words);
    for (words = ll_name_next_part_(words); speaks && *words;
         words = ll_name_next_part_(words)) {
        speaks = 0;
        for (const char *p = name; *p && !speaks; p = ll_name_next_part_(p)) {
            speaks = ll_name_matches_(p, words);
        }
    }
    return speaks;
}

/* Private: returns the targets of the last rule for a name; "" without one. */
LL_FN const char *ll_rule_targets_(const ll_rule_ *rule, unsigned n,
                                   const char *name) {
    while (n && !ll_rule_speaks_(rule[n - 1u].words, name)) {
        --n;
    }
    return n ? rule[n - 1u].targets : "";
}

/* Private: returns 1 if the target is valid and its numbers of banks, lanes and
 * bytes are powers of two that the planner can use. */
LL_FN int ll_is_target_(const ll_target *t) {
    int known = !t->err;
    for (unsigned k = 0; k < 6u; ++k) {
        known = known && ll_log2_(t->banks[k / 3u][k % 3u]) <= 16u;
    }
    return known && ll_log2_(t->lanes) <= 6u &&
           ll_log2_(t->bank_bytes) <= 4u && ll_log2_(t->access_bytes) <= 4u;
}

/* Private: returns the target without matrix accesses for operation `op`. */
LL_FN ll_target ll_without_forms_(ll_target t, unsigned op) {
    for (unsigned k = 0; k < LL_MAX_FORMS; ++k) {
        t.forms[op][k] = 0;
    }
    return t;
}

/* The digits of a form: digits 0 to 3 are for the bits of a byte's number in
 * its lane, 4 to 9 for the bits of that lane. LL_DIGITS_ is their number. */
#define LL_LANE_DIGITS_ 4u
#define LL_DIGITS_ 10u
/* Private: returns digit k of a form. */
LL_FN unsigned ll_form_digit_(ll_form form, unsigned k) {
    return (unsigned)(form >> 4u * k) & 15u;
}

/* Private: returns log2 of the bytes of a row. */
LL_FN unsigned ll_form_row_bits_(ll_form form) {
    return ll_form_digit_(form, 10);
}

/* Private: returns 1 if a form keeps elements of 2^scale bytes whole. */
LL_FN int ll_form_takes_(ll_form form, unsigned scale) {
    int takes = form && scale < 4u;
    for (unsigned k = 0; takes && k < scale; ++k) {
        takes = ll_form_digit_(form, k) == k;
    }
    return takes;
}

/* Private: returns 1 if a form keeps the 4 bytes of a word together, so that
 * the elements of a word lie in one row. */
LL_FN int ll_form_is_wordwise_(ll_form form) {
    return ll_form_digit_(form, 0) == 0 && ll_form_digit_(form, 1) == 1u;
}

/* Private: returns the number of the digit with the value d: below
 * LL_LANE_DIGITS_ a bit of the byte, from there on a bit of the lane, and
 * LL_DIGITS_ if no digit has this value. */
LL_FN unsigned ll_form_stands_for_(ll_form form, unsigned d) {
    unsigned k = 0;
    while (k < LL_DIGITS_ && ll_form_digit_(form, k) != d) {
        ++k;
    }
    return k;
}

#endif
