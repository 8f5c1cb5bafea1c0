/* test_scans.c - scans, executed on sets of elements.
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"
#include "reduce.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* The same where the order counts. */
static part joined(part x, part y) {
    part z = combined(x, y);
    CHECK(x.to + 1u == y.from);
    z.from = x.from;
    z.to = y.to;
    z.tree = mixed(x.tree + 3u * y.tree);
    return z;
}

/* ---- Scans, executed ----------------------------------------------------- */

static part total[MAX_AXIS + 1][MAX_PARTS]; /* by level; gone positions empty */
static part prior[MAX_PARTS];

static unsigned along(const ll_scan_plan *s, unsigned k) {
    return ll_map_at(s->thread, k >> s->n) ^ ll_vectors_xor_(s->x, s->n, k);
}

/* The sibling's total of position k, a thread's number above it. */
static part sibling(const ll_scan_plan *s, unsigned level, unsigned k) {
    const ll_level *l = &s->level[level];
    return total[level][k ^ l->with ^ l->lane << s->n];
}

static void climb(const ll_scan_plan *s, unsigned level, unsigned threads) {
    for (unsigned k = 0; k < threads << s->n; ++k) {
        if (!(k & s->level[level + 1u].gone)) {
            const part mine = total[level][k];
            const part other = sibling(s, level, k);
            total[level + 1u][k] = along(s, k) >> level & 1u
                                       ? joined(other, mine)
                                       : joined(mine, other);
        }
    }
}

/* What comes before each total, from those of its line. Totals are named by the
 * bits of an element that they do not cover. */
static void cross(const ll_scan_plan *s, unsigned low, unsigned threads) {
    const unsigned m = s->levels;
    const unsigned covered = ((1u << m) - 1u) << low;
    CHECK((s->between.memory.offset & covered) == 0);
    const unsigned gone = s->level[m].gone;
    const unsigned bits = s->between.to_bits;
    unsigned n = 0;
    for (unsigned k = 0; k < threads << s->n; ++k) {
        if (!(k & gone)) {
            now[n++] = total[m][k];
        }
    }
    convert(&s->between, threads, 1, 1);
    CHECK(bits == s->lines + s->crosses);
    for (unsigned k = 0; k < threads << s->n; ++k) {
        const unsigned t = k >> s->n;
        const unsigned p = ll_bits_close_(k & ((1u << s->n) - 1u), gone);
        const unsigned line = ll_vectors_xor_(s->line, s->n, p);
        if (!(k & gone)) {
            prior[k] = now[(t << bits) + line];
            for (unsigned j = 1; j < along(s, k) >> m; ++j) {
                prior[k] = joined(prior[k],
                                  now[(t << bits) + (j << s->lines) + line]);
            }
        }
    }
}

static void descend(const ll_scan_plan *s, unsigned level, unsigned threads) {
    const ll_level *l = &s->level[level];
    const unsigned pivot = l[1].gone & ~l->gone;
    for (unsigned k = 0; k < threads << s->n; ++k) {
        const part above = prior[k & pivot ? k ^ l->with : k];
        const part other = sibling(s, level, k);
        const unsigned x = along(s, k) >> level;
        if (!(k & l->gone)) {
            then[k] = x > 1u && x & 1u ? joined(above, other)
                      : x & 1u         ? other
                                       : above;
        }
    }
    memcpy(prior, then, sizeof *prior * threads << s->n);
}

static void check_scanned(const ll_scan_plan *s, const ll_layout *a,
                          unsigned low, unsigned threads, unsigned block) {
    static unsigned long long tree[1 << 16];
    const unsigned bits = s->from_bits;
    memset(tree, 0, sizeof tree);
    for (unsigned k = 0; k < threads << s->bits; ++k) {
        const unsigned reg = k & ((1u << s->bits) - 1u);
        const unsigned at =
            (k >> s->bits << s->n) + ll_vectors_xor_(s->at, s->bits, reg);
        then[k] = along(s, at) ? joined(prior[at], total[0][at])
                               : total[0][at];
    }
    memcpy(now, then, sizeof *now * threads << s->bits);
    if (s->turned) {
        convert(&s->back, threads, 1, 1);
    }
    for (unsigned k = 0; k < threads << bits; ++k) {
        const unsigned reg = k & ((1u << bits) - 1u);
        const unsigned y = ll_apply(*a, place(a, reg, k >> bits, block));
        const unsigned x = y >> low & ((1u << s->axis) - 1u);
        const unsigned line =
            (y & ((1u << low) - 1u)) | y >> (low + s->axis) << low;
        const part v = now[k];
        CHECK(v.from == 0 && v.to == x && v.line == line);
        CHECK(has_the_numbers(&v, line, x + 1u, s->axis));
        CHECK(tree[y % 65536u] == 0 || tree[y % 65536u] == v.tree);
        tree[y % 65536u] = v.tree;
    }
}

static unsigned turns, crossings; /* scans of each sort that were run */

static void check_scan(const ll_layout *a, unsigned k, unsigned element_bits,
                       const ll_target *t) {
    const ll_scan_plan s = ll_scan_of(*a, k, element_bits, *t);
    on = *t;
    const unsigned at = a->out.n - 1u - k;
    const unsigned low = ll_shape_start_(&a->out, at);
    const unsigned threads = t->lanes * ll_size(a->in, LL_WARP);
    for (unsigned m = 0; m < bits_of(a, LL_BLOCK); ++m) {
        const unsigned y = ll_apply(*a, place(a, 0, 0, 1u << m)) ^ a->offset;
        if (y >> low & ((1u << a->out.bits[at]) - 1u)) {
            CHECK(s.err == LL_EBLOCK);
            return;
        }
    }
    CHECK(s.err == LL_OK && s.from_bits == bits_of(a, LL_REGISTER));
    CHECK(s.axis == a->out.bits[at] && s.to_bits == s.from_bits);
    turns += s.turned;
    crossings += s.crosses ? 1u : 0u;
    for (unsigned block = 0; block < ll_size(a->in, LL_BLOCK); ++block) {
        begin(a, low, s.axis, threads, block);
        if (s.turned) {
            convert(&s.there, threads, 1, 1);
            CHECK(s.bits == s.n);
        }
        for (unsigned m = 0; m < threads << s.n; ++m) {
            /* A turned scan counts along the axis: registers, then threads. */
            CHECK(!s.turned || along(&s, m) == (m & ((1u << s.axis) - 1u)));
            total[0][m] = now[(m >> s.n << s.bits) +
                              ll_vectors_xor_(s.reg, s.n, m)];
        }
        for (unsigned level = 0; level < s.levels; ++level) {
            climb(&s, level, threads);
        }
        if (s.crosses) {
            cross(&s, low, threads);
        }
        for (unsigned level = s.levels; level-- > 0;) {
            descend(&s, level, threads);
        }
        check_scanned(&s, a, low, threads, block);
    }
}

/* ---- Random layouts ------------------------------------------------------ */

static void scans_of_random_layouts_keep_the_order(void) {
    const ll_target nvidia = LL_SM90;
    const ll_target amd = ll_amd_target(0x942, 64);
    check_random(5000, &nvidia, check_scan);
    check_random(1000, &amd, check_scan);
    printf("%u scans cross warps, %u are turned\n", crossings, turns);
    COVERS(turns > 100u && crossings > 500u);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(scans_of_random_layouts_keep_the_order);
    return test_end();
}
