/* test_levels.c - the level that data must cross in a conversion: none, register,
 * lane or warp, by the library's plan and by Triton's rule.
 * SPDX-License-Identifier: MIT
 *
 * Triton's rule is written out here for layouts whose columns have one bit or
 * none, without the library: it maps the inputs in which both sides have the
 * same columns to themselves, solves for the others with the first columns
 * there are, and takes away the slowest dimensions that are left alone.
 */
#include "test.h"

#include "../ll_ptx.h"

enum { NONE, REGISTER, LANE, WARP, DIMS = 3, BITS = 12 };

static const char *const names[] = {"none", "register", "lane", "warp"};

/* The columns of a layout by input dimension, from the registers up. */
typedef struct table {
    unsigned n[DIMS];
    unsigned column[DIMS][BITS];
} table;

static table table_of(const ll_layout *a) {
    table t = LL_ZERO;
    unsigned at = 0;
    for (unsigned d = 0; d < DIMS; ++d) {
        t.n[d] = a->in.bits[d];
        for (unsigned k = 0; k < t.n[d]; ++k) {
            t.column[d][k] = a->basis[at++];
        }
    }
    return t;
}

/* A map from places to places. A place is an input bit: its dimension, and its
 * number there. */
enum { NOWHERE = 99 };

typedef struct place {
    unsigned dim, bit;
} place;

typedef struct map {
    unsigned n[DIMS];
    place to[DIMS][BITS];
} map;

static int same_columns(const table *a, const table *b, unsigned d) {
    int same = a->n[d] == b->n[d];
    for (unsigned k = 0; same && k < a->n[d]; ++k) {
        same = a->column[d][k] == b->column[d][k];
    }
    return same;
}

/* The first place of the source that holds a column. */
static place find_column(const table *src, unsigned column,
                         const int *taken_out) {
    place p = {NOWHERE, 0};
    for (unsigned d = 0; d < DIMS; ++d) {
        for (unsigned k = 0; !taken_out[d] && k < src->n[d]; ++k) {
            if (p.dim == NOWHERE && column && src->column[d][k] == column) {
                p.dim = d;
                p.bit = k;
            }
        }
    }
    CHECK(column == 0 || p.dim != NOWHERE);
    return p;
}

static map first_map(const table *src, const table *dst) {
    map m = LL_ZERO;
    int same[DIMS] = LL_ZERO;
    for (unsigned d = 0; d < DIMS; ++d) {
        same[d] = same_columns(src, dst, d);
        m.n[d] = dst->n[d];
    }
    for (unsigned d = 0; d < DIMS; ++d) {
        for (unsigned k = 0; k < dst->n[d]; ++k) {
            const place own = {d, k};
            m.to[d][k] =
                same[d] ? own : find_column(src, dst->column[d][k], same);
        }
    }
    return m;
}

/* The identity on d, from which and to which nothing else leads. */
static int is_left_alone(const map *m, const table *src, unsigned d) {
    int alone = m->n[d] == src->n[d];
    for (unsigned e = 0; e < DIMS; ++e) {
        for (unsigned k = 0; k < m->n[e]; ++k) {
            const place to = m->to[e][k];
            alone =
                alone && (e == d ? to.dim == d && to.bit == k : to.dim != d);
        }
    }
    return alone;
}

static unsigned rule(const ll_layout *a, const ll_layout *b) {
    const table src = table_of(a);
    const table dst = table_of(b);
    const map m = first_map(&src, &dst);
    unsigned level = WARP;
    while (level > NONE && is_left_alone(&m, &src, level - 1u)) {
        --level;
    }
    return level;
}

/* The level of the library's plan: by shuffles, or else beyond the warp. */
static unsigned planned(const ll_layout *a, const ll_layout *b) {
    const ll_plan p = ll_plan_by(*a, *b, 32, LL_SM90, LL_SHUFFLES);
    CHECK(p.err == LL_OK || p.err == LL_EKIND);
    return p.err                    ? (unsigned)WARP
           : p.kind == LL_SHUFFLES  ? (unsigned)LANE
           : p.kind == LL_REGISTERS ? (unsigned)REGISTER
                                    : (unsigned)NONE;
}

/* Sizes along both axes that make up 2^bits, in either order. */
static ll_shape random_sizes(unsigned bits, int either) {
    const unsigned along_j = test_random(bits + 1u);
    const ll_dim dims[2] = {LL_J, LL_I};
    const unsigned size[2] = {1u << along_j, 1u << (bits - along_j)};
    const unsigned first = either ? test_random(2) : 0u;
    ll_shape s = LL_ZERO;
    for (unsigned k = 0; k < 2u; ++k) {
        s = ll_with(s, dims[first ^ k], size[first ^ k]);
    }
    return s;
}

static ll_layout random_blocked(ll_shape tensor, unsigned warps) {
    return ll_blocked(tensor, random_sizes(test_random(5), 1),
                      random_sizes(5, 1), random_sizes(warps, 1));
}

static void count_conversions(unsigned rows, unsigned cols,
                              unsigned found[4][4]) {
    const ll_dim dims[2] = {LL_J, LL_I};
    const unsigned warps = test_random(4);
    ll_shape tensor = LL_ZERO;
    tensor = ll_with(tensor, dims[0], cols);
    tensor = ll_with(tensor, dims[1], rows);
    const ll_layout a = random_blocked(tensor, warps);
    const ll_layout b = random_blocked(tensor, warps);
    const unsigned ours = planned(&a, &b);
    const unsigned theirs = rule(&a, &b);
    CHECK(!a.err && !b.err && ours <= theirs);
    ++found[theirs][ours];
}

static void plans_cross_no_higher_level_than_the_rule(void) {
    const unsigned n = times(10000u);
    unsigned found[4][4] = LL_ZERO;
    unsigned lower = 0;
    for (unsigned k = 0; k < n; ++k) {
        count_conversions(1u << test_random(7), 1u << test_random(7), found);
    }
    for (unsigned theirs = 0; theirs < 4u; ++theirs) {
        for (unsigned ours = 0; ours < 4u; ++ours) {
            lower += ours < theirs ? found[theirs][ours] : 0u;
            if (found[theirs][ours]) {
                printf("    %s by the rule, %s by the plan: %u\n",
                       names[theirs], names[ours], found[theirs][ours]);
            }
        }
    }
    printf("    lower in %u of %u conversions\n", lower, n);
    CHECK(lower * 10u >= n);
}

/* Both would need shared memory if each lane could send one register only, or
 * if lanes read the first of several copies. */
static void exchanges_within_a_warp_are_found(void) {
    const char *const texts[][2] = {
        {"register: j0 j1 j2 | lane: i0 i1 i2 i3 i4 | warp: 0 0",
         "register: j2 | lane: j0 j1 i0 i1 i2 | warp: i3 i4"},
        {"register: i1 j1 | lane: 0 j0 j2 i0 i2",
         "register: j1 | lane: j0 i2 i0 j2 i1"}};
    const unsigned most[] = {8, 2};
    for (unsigned k = 0; k < 2u; ++k) {
        const ll_plan p =
            ll_plan_by(ll_parse(texts[k][0]), ll_parse(texts[k][1]), 32,
                       LL_SM90, LL_SHUFFLES);
        unsigned shuffles = 0;
        for (unsigned n = 0; n < p.n; ++n) {
            shuffles += p.step[n].op == LL_OP_SHUFFLE ? p.step[n].count : 0u;
        }
        CHECK(!p.err && shuffles && shuffles <= most[k]);
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(plans_cross_no_higher_level_than_the_rule);
    RUN(exchanges_within_a_warp_are_found);
    return test_end();
}
