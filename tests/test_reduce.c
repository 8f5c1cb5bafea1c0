/* test_reduce.c - reductions and scans, executed on sets of elements.
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* What a register holds: which elements of one line along the axis have been
 * combined, and a number that tells in which tree, but for the order of two. */
typedef struct element_set {
    unsigned long long half[2];
} element_set;

typedef struct part {
    element_set set;
    unsigned long long tree;
    unsigned line; /* the coordinates other than along the axis */
    unsigned from, to; /* of a scan: the first element, and the last one */
    float sum, most;   /* of numbers, and of NaN and -0.0 */
} part;

enum { MAX_PARTS = MAX_VALUES };
#define MAX_AXIS 7u

static part now[MAX_PARTS], then[MAX_PARTS]; /* thread * positions + position */

static unsigned long long mixed(unsigned long long z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Place x of a line, of 2^size: lines of -0.0, of -1 and one NaN, of NaN, and
 * of -1. A zero that were padded in would make the sum of the first +0.0, and
 * the most of the others 0. */
static unsigned nan_of(unsigned line, unsigned size) {
    return line / 4u % (1u << size);
}

static float not_a_number(void) {
    const unsigned bits = 0x7fc00000u;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float number(unsigned line, unsigned x, unsigned size) {
    const unsigned kind = line % 4u;
    return kind == 0                              ? -0.0f
           : kind == 3u                           ? -1.0f
           : kind == 2u || nan_of(line, size) == x ? not_a_number()
                                                  : -1.0f;
}

static float larger(float x, float y) { /* as fmaxf: a NaN counts as missing */
    return x != x || y > x ? y : x;
}

/* The first n of a line combined: what the definition of the sum says. */
static int has_the_numbers(const part *v, unsigned line, unsigned n,
                           unsigned size) {
    const int lost = line % 4u == 1u && nan_of(line, size) < n;
    const int none = line % 4u == 2u || (lost && n == 1u);
    unsigned sign;
    memcpy(&sign, &v->sum, sizeof sign);
    if (line % 4u == 0) { /* -0.0 and not +0.0 */
        return sign == 1u << 31 && memcmp(&v->sum, &v->most, sizeof sign) == 0;
    }
    return (lost || none ? v->sum != v->sum : v->sum == -(float)n) &&
           (none ? v->most != v->most : v->most == -1.0f);
}

static element_set only(unsigned element) {
    element_set s = LL_ZERO;
    s.half[element / 64u] = 1ull << element % 64u;
    return s;
}

static int are_apart(element_set x, element_set y) {
    return !(x.half[0] & y.half[0]) && !(x.half[1] & y.half[1]);
}

static element_set all_of(element_set x, element_set y) {
    x.half[0] |= y.half[0];
    x.half[1] |= y.half[1];
    return x;
}

/* The first n elements and no other. */
static int is_whole(element_set s, unsigned n) {
    return s.half[0] == (n < 64u ? (1ull << n) - 1u : ~0ull) &&
           s.half[1] == (n > 64u ? ~0ull >> (128u - n) : 0u);
}

/* An operation takes operands of one line, and no element twice. */
static part combined(part x, part y) {
    part z = LL_ZERO;
    CHECK(x.line == y.line);
    CHECK(are_apart(x.set, y.set));
    z.line = x.line;
    z.set = all_of(x.set, y.set);
    z.sum = x.sum + y.sum;
    z.most = larger(x.most, y.most);
    z.tree = mixed(x.tree + y.tree);
    return z;
}

/* The same where the order counts. */
static part joined(part x, part y) {
    part z = combined(x, y);
    CHECK(x.to + 1u == y.from);
    z.from = x.from;
    z.to = y.to;
    z.tree = mixed(x.tree + 3u * y.tree);
    return z;
}

/* ---- Conversions, executed ---------------------------------------------- */

static void check_stored_once(unsigned slots, const part *from) {
    static unsigned long long seen[1 << 15];
    memset(seen, 0, sizeof seen);
    for (unsigned k = 0; k < slots && k < MAX_PARTS; ++k) {
        if (memory[k] != ~0u) {
            const part *v = &from[memory[k]];
            unsigned h = (unsigned)(v->tree >> 49);
            for (; seen[h] && seen[h] != v->tree; h = (h + 1u) % 32768u) {
            }
            CHECK(seen[h] == 0);
            seen[h] = v->tree;
        }
    }
}

/* Runs a conversion on `now`, on the machine of the case: on the threads of
 * `together` blocks of `each` at a time, of all `blocks`. */
static ll_target on;

static void convert(const ll_plan *p, unsigned each, unsigned together,
                    unsigned blocks) {
    const unsigned threads = each * together;
    for (unsigned block = 0; block < blocks; block += together) {
        const part *from = now + ((size_t)(block * each) << p->from_bits);
        part *to = then + ((size_t)(block * each) << p->to_bits);
        for (unsigned k = 0; k < threads << p->from_bits; ++k) {
            before[k] = k;
        }
        run_plan(p, &on, each, together);
        if (p->kind == LL_SHARED) {
            check_stored_once(p->smem_bytes * 8u / p->element_bits, from);
        }
        for (unsigned k = 0; k < threads << p->to_bits; ++k) {
            to[k] = from[after[k] % MAX_PARTS];
        }
    }
    memcpy(now, then, sizeof *now * each * blocks << p->to_bits);
}

/* ---- Reductions, executed ----------------------------------------------- */

static unsigned low_bit(unsigned x) { return x & (~x + 1u); }

/* Split round k: each lane goes on with half of its 2^n values. */
static void cut_round(const ll_tree *tree, unsigned k, unsigned n,
                      unsigned threads) {
    const unsigned half = 1u << (n - 1u);
    for (unsigned t = 0; t < threads; ++t) {
        const int upper = !tree->with[k] && t & low_bit(tree->lane[k]);
        for (unsigned p = 0; p < half; ++p) {
            const unsigned mine = upper ? p + half : p;
            then[t * half + p] = combined(
                now[(t << n) + mine],
                now[((t ^ tree->lane[k]) << n) + (mine ^ tree->with[k])]);
        }
    }
    memcpy(now, then, sizeof *now * threads * half);
}

/* Back from split round k: each lane fetches what the other one kept. */
static void fetch_round(const ll_tree *tree, unsigned k, unsigned n,
                        unsigned threads) {
    const unsigned half = 1u << (n - 1u);
    for (unsigned t = 0; t < threads; ++t) {
        const int upper = !tree->with[k] && t & low_bit(tree->lane[k]);
        for (unsigned p = 0; p < half; ++p) {
            then[(t << n) + p + (upper ? half : 0u)] = now[t * half + p];
            then[(t << n) + p + (upper ? 0u : half)] =
                now[(t ^ tree->lane[k]) * half +
                    (p ^ (tree->with[k] & (half - 1u)))];
        }
    }
    memcpy(now, then, sizeof *now * threads << n);
}

/* Runs a tree on `now`, of 2^bits registers a thread. */
static void grow(const ll_tree *tree, unsigned bits, unsigned lanes,
                 unsigned threads) {
    unsigned n = tree->n;
    for (unsigned t = 0; t < threads; ++t) {
        part v[1 << 10];
        for (unsigned p = 0; p < 1u << (n + tree->own); ++p) {
            v[p] =
                now[(t << bits) + ll_vectors_xor_(tree->reg, n + tree->own, p)];
        }
        for (unsigned half = n + tree->own; half-- > n;) {
            for (unsigned p = 0; p < 1u << half; ++p) {
                v[p] = combined(v[p], v[p + (1u << half)]);
            }
        }
        memcpy(then + ((size_t)t << n), v, sizeof *v << n);
    }
    memcpy(now, then, sizeof *now * threads << n);
    CHECK(tree->split <= tree->lanes && tree->split <= n);
    for (unsigned k = 0; k < tree->lanes; ++k) {
        CHECK(tree->lane[k] && tree->lane[k] < lanes);
        if (k < tree->split) {
            cut_round(tree, k, n--, threads);
            continue;
        }
        CHECK(tree->with[k] >> n == 0);
        for (unsigned m = 0; m < threads << n; ++m) {
            const unsigned other =
                m ^ (tree->lane[k] << n) ^ tree->with[k];
            then[m] = combined(now[m], now[other]);
        }
        memcpy(now, then, sizeof *now * threads << n);
    }
    for (unsigned k = tree->split; k-- > 0 && !tree->alone;) {
        fetch_round(tree, k, ++n, threads);
    }
}

static unsigned bits_of(const ll_layout *a, ll_dim d) {
    return ll_log2_(ll_size(a->in, d));
}

static unsigned place(const ll_layout *a, unsigned reg, unsigned thread,
                      unsigned block) {
    const unsigned lanes = ll_size(a->in, LL_LANE);
    return ll_pack(a->in, LL_REGISTER, reg) |
           ll_pack(a->in, LL_LANE, thread % lanes) |
           ll_pack(a->in, LL_WARP, thread / lanes) |
           ll_pack(a->in, LL_BLOCK, block);
}

/* The elements as they are before, each alone; `low` is the first bit of the
 * axis in a packed element and `size` its bits. The threads may be those of
 * several blocks, from `block` on. */
static void begin(const ll_layout *a, unsigned low, unsigned size,
                  unsigned threads, unsigned block) {
    const unsigned bits = bits_of(a, LL_REGISTER);
    const unsigned each = ll_size(a->in, LL_LANE) * ll_size(a->in, LL_WARP);
    for (unsigned k = 0; k < threads << bits; ++k) {
        const unsigned t = k >> bits;
        const unsigned y = ll_apply(
            *a, place(a, k & ((1u << bits) - 1u), t % each, block + t / each));
        now[k].from = now[k].to = y >> low & ((1u << size) - 1u);
        now[k].set = only(now[k].to);
        now[k].line = (y & ((1u << low) - 1u)) | y >> (low + size) << low;
        now[k].sum = now[k].most = number(now[k].line, now[k].to, size);
        now[k].tree = mixed(y + 1u);
    }
}

/* Every register of the result has its line, whole, in the same tree. */
static void check_results(const ll_reduce_plan *p, const ll_layout *a,
                          unsigned k, unsigned size, unsigned bits,
                          unsigned threads, unsigned block) {
    static unsigned long long tree[1 << 16];
    const ll_layout r = ll_reduce(*a, k);
    memset(tree, 0, sizeof tree);
    CHECK(p->to_bits == bits_of(&r, LL_REGISTER));
    for (unsigned m = 0; m < threads << p->to_bits; ++m) {
        const unsigned reg = m & ((1u << p->to_bits) - 1u);
        const unsigned t = m >> p->to_bits;
        const part v =
            now[(t << bits) + ll_vectors_xor_(p->reg, p->to_bits, reg)];
        const unsigned line = ll_apply(
            r, place(&r, reg, t % p->threads, block + t / p->threads));
        CHECK(is_whole(v.set, 1u << size));
        CHECK(v.line == line);
        CHECK(has_the_numbers(&v, line, 1u << size, size));
        CHECK(tree[line % 65536u] == 0 || tree[line % 65536u] == v.tree);
        tree[line % 65536u] = v.tree;
    }
}

/* Runs the part of a reduction that is within blocks. Returns log2 of the
 * positions that are left of a thread. */
static unsigned reduce_here(const ll_reduce_plan *p, unsigned lanes,
                            unsigned each, unsigned blocks) {
    unsigned bits = p->first.n;
    CHECK(p->first.alone == (p->crosses != 0) && !p->second.alone);
    grow(&p->first, p->from_bits, lanes, each * blocks);
    if (p->crosses) {
        bits -= p->first.split;
        CHECK(p->between.from_bits == bits);
        convert(&p->between, each, p->between.kind == LL_CLUSTER ? blocks : 1u,
                blocks);
        bits = p->second.n;
        grow(&p->second, p->between.to_bits, lanes, each * blocks);
    }
    return bits;
}

/* The results of registers in the place of positions. */
static void hand_out(const ll_reduce_plan *p, unsigned bits, unsigned threads) {
    for (unsigned m = 0; m < threads << p->to_bits; ++m) {
        const unsigned r = m & ((1u << p->to_bits) - 1u);
        then[m] = now[(m >> p->to_bits << bits) +
                      ll_vectors_xor_(p->reg, p->to_bits, r)];
    }
    memcpy(now, then, sizeof *now * threads << p->to_bits);
}

static unsigned clusters, at_once; /* reductions across blocks that were run */

static void check_reduction(const ll_layout *a, unsigned k,
                            unsigned element_bits, const ll_target *t) {
    const ll_reduce_plan p = ll_reduce_of(*a, k, element_bits, *t);
    on = *t;
    const unsigned at = a->out.n - 1u - k;
    const unsigned low = ll_shape_start_(&a->out, at);
    const unsigned size = a->out.bits[at];
    const unsigned threads = t->lanes * ll_size(a->in, LL_WARP);
    const unsigned blocks = ll_size(a->in, LL_BLOCK);
    CHECK(p.err == LL_OK && p.from_bits == bits_of(a, LL_REGISTER));
    CHECK(p.reaches || p.smem_bytes == (p.crosses ? p.between.smem_bytes : 0u));
    CHECK(p.threads == threads);
    const int direct = p.crosses && p.between.kind == LL_CLUSTER;
    const unsigned together = direct || p.reaches ? blocks : 1u;
    const unsigned all = threads * together;
    clusters += together > 1u ? 1u : 0u;
    at_once += direct ? 1u : 0u;
    for (unsigned block = 0; block < blocks; block += together) {
        begin(a, low, size, all, block);
        unsigned bits = reduce_here(&p, t->lanes, threads, together);
        if (p.reaches) {
            const ll_plan far = ll_plan_of(p.far, p.near, p.element_bits, *t);
            const ll_reduce_plan near =
                ll_reduce_of(p.near, p.axis, p.element_bits, *t);
            CHECK(far.err == LL_OK && near.err == LL_OK && !near.reaches);
            CHECK(far.from_bits == bits && near.to_bits == bits);
            CHECK(p.smem_bytes == p.near_at + near.smem_bytes);
            CHECK(p.near_at >= p.far_at + far.smem_bytes);
            CHECK(p.far_at >= (p.crosses ? p.between.smem_bytes : 0u));
            convert(&far, threads, together, together);
            bits = reduce_here(&near, t->lanes, threads, together);
            hand_out(&near, bits, all);
            bits = near.to_bits;
        }
        check_results(&p, a, k, size, bits, all, block);
    }
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

enum { PLAIN, COPIES = 1, MIXED = 2, AFFINE = 4, BLOCKS = 8, KINDS = 16 };

/* A layout of a tensor of up to three axes, none longer than 2^MAX_AXIS, all of
 * whose elements are held by each block, or, of BLOCKS, by all blocks of which
 * each has the whole of axis k. */
static ll_layout random_layout(unsigned lanes, unsigned kind, unsigned k) {
    const unsigned rank = k + 1u + test_random(3u - k);
    const unsigned warps = test_random(4);
    const unsigned blocks = (kind & BLOCKS) && rank > 1u ? test_random(3) : 0u;
    unsigned bits = 1u + test_random(lanes + warps + 4u);
    ll_shape out = ll_shape_of("");
    ll_shape in = ll_shape_of("");
    for (unsigned d = rank; d-- > 0;) {
        unsigned n = d ? test_random(bits + 1u) : bits;
        n = n > MAX_AXIS ? MAX_AXIS : n;
        n = d == (k ? 0u : rank - 1u) && n < blocks ? blocks : n;
        out = ll_with(out, ll_axis(d), 1u << n);
        bits -= n < bits ? n : bits;
    }
    const unsigned tensor = ll_shape_bits_(&out);
    const unsigned other = ll_shape_start_(&out, k ? rank - 1u : 0u);
    const unsigned inner = tensor - blocks;
    unsigned regs = inner > lanes + warps ? inner - lanes - warps : 0u;
    regs += test_random(kind & COPIES ? 4u : 3u);
    const unsigned n = regs + lanes + warps;
    in = ll_with(ll_with(in, LL_REGISTER, 1u << regs), LL_LANE, 1u << lanes);
    in = ll_with(ll_with(in, LL_WARP, 1u << warps), LL_BLOCK, 1u << blocks);
    ll_layout a = ll_zero(in, out);
    for (unsigned b = 0, m = 0; b < tensor; ++b) {
        if (b - other < blocks) {
            a.basis[n + m++] = 1u << b;
            continue;
        }
        unsigned to = test_random(n);
        while (a.basis[to]) {
            to = (to + 1u) % n;
        }
        a.basis[to] = 1u << b;
    }
    for (unsigned m = 0; (kind & MIXED) && m < 2u * n; ++m) {
        const unsigned to = test_random(n + blocks);
        const unsigned from = test_random(n);
        a.basis[to] ^= from != to ? a.basis[from] : 0u;
    }
    a.offset = kind & AFFINE ? test_random(1u << tensor) : 0u;
    return a;
}

typedef void (*checker)(const ll_layout *, unsigned, unsigned,
                        const ll_target *);

static void check_random(unsigned n, const ll_target *t, checker check) {
    const unsigned lanes = ll_log2_(t->lanes);
    for (unsigned c = 0; c < times(n); ++c) {
        const unsigned k = test_random(3);
        const ll_layout a = random_layout(lanes, c % KINDS, k);
        CHECK(ll_check(a).err == LL_OK);
        check(&a, k, 8u << test_random(5), t);
    }
}

static void reductions_of_random_layouts_combine_each_element_once(void) {
    const ll_target nvidia = LL_SM90;
    const ll_target old = ll_ptx_target(75);
    const ll_target amd = ll_amd_target(0x942, 64);
    check_random(6000, &nvidia, check_reduction);
    check_random(1000, &old, check_reduction);
    check_random(1000, &amd, check_reduction);
}

/* Along the axis that is spread over the blocks. */
static void reductions_cross_the_blocks_of_a_cluster(void) {
    const ll_target t = LL_SM90;
    clusters = at_once = 0;
    for (unsigned c = 0; c < times(1000); ++c) {
        const ll_layout a = random_layout(5, c % KINDS | BLOCKS, 0);
        const unsigned k = a.out.n - 1u;
        const unsigned threads = 32u * ll_size(a.in, LL_WARP);
        const unsigned places = threads << bits_of(&a, LL_REGISTER);
        if (places * ll_size(a.in, LL_BLOCK) <= MAX_PARTS / 8u) {
            check_reduction(&a, k, 8u << test_random(5), &t);
        }
    }
    printf("%u reductions across blocks, %u of them at once\n", clusters,
           at_once);
    COVERS(clusters > 200u && at_once > 5u);
}

static void scans_of_random_layouts_keep_the_order(void) {
    const ll_target nvidia = LL_SM90;
    const ll_target amd = ll_amd_target(0x942, 64);
    check_random(5000, &nvidia, check_scan);
    check_random(1000, &amd, check_scan);
    printf("%u scans cross warps, %u are turned\n", crossings, turns);
    COVERS(turns > 100u && crossings > 500u);
}

/* ---- Costs, round by round ----------------------------------------------- */

/* A tree costs, in eighths of a cycle, an operation for each register beyond
 * the first of a position, and for each position of a round. A split round
 * sends half of its positions, and fetches as many at the end where lanes need
 * all results; both take two selects a word where lanes keep different halves. */
static unsigned tree_cost(const ll_tree *tree, unsigned split,
                          unsigned element_bits, const ll_target *t) {
    const unsigned parts = element_bits > 32u ? element_bits / 32u : 1u;
    unsigned logic = 0, sent = 0;
    unsigned here = 1u << tree->n;
    for (unsigned k = 0; k < here; ++k) {
        logic += (1u << tree->own) - 1u;
    }
    for (unsigned k = 0; k < tree->lanes; ++k) {
        if (k < split) {
            const unsigned ways = tree->alone ? 1u : 2u;
            here /= 2u;
            sent += ways * here;
            logic += here + (tree->with[k] ? 0u : ways * 2u * here * parts);
        } else {
            sent += here;
            logic += here;
        }
    }
    return logic * t->cost[LL_COST_LOGIC] +
           sent * parts * t->cost[LL_COST_SHUFFLE];
}

/* The rounds that change the position come first, and are split. No other number
 * of split rounds is cheaper. */
static void check_split(const ll_tree *tree, unsigned element_bits,
                        const ll_target *t) {
    const unsigned cost = tree_cost(tree, tree->split, element_bits, t);
    unsigned first = 0;
    for (unsigned k = 0; k < tree->lanes; ++k) {
        CHECK(!tree->with[k] || first == k);
        first += tree->with[k] != 0;
    }
    CHECK(tree->split <= tree->lanes && tree->split <= tree->n);
    CHECK(tree->split >= first);
    for (unsigned k = first; k <= tree->lanes && k <= tree->n; ++k) {
        CHECK(cost <= tree_cost(tree, k, element_bits, t));
        CHECK(k >= tree->split || cost < tree_cost(tree, k, element_bits, t));
    }
}

/* Column k of q with the rest of the axis moved to new registers, but for as
 * many vectors as `idle` has lanes that told only copies apart. */
static ll_layout spread_rest(const ll_layout *q, const ll_span_ *rest,
                             const ll_span_ *idle, unsigned mask) {
    const unsigned regs = q->in.bits[0];
    const unsigned more = rest->n - idle->n;
    ll_layout b = *q;
    for (unsigned k = 0; k < bits_in(&q->in); ++k) {
        b.basis[k < regs ? k : k + more] = q->basis[k] & ~mask;
    }
    for (unsigned k = 0; k < rest->n; ++k) {
        const unsigned lane = k < more ? 0u : idle->v[k - more] + more;
        b.basis[k < more ? regs + k : lane] = rest->v[k];
    }
    b.in.bits[0] = (unsigned short)(regs + more);
    return b;
}

/* No other number of lanes that take a part of the axis is cheaper. */
static void check_exchange(const ll_reduce_plan *p, const ll_layout *layout,
                           ll_dim d, const ll_target *t) {
    ll_span_ axis = LL_ZERO, done = LL_ZERO, idle = LL_ZERO;
    unsigned least = ~0u;
    const ll_layout a =
        ll_layout_reducible_(*layout, d, p->element_bits, t, &axis);
    const unsigned mask = ll_span_or_(&axis);
    ll_tree_of_(&a, &axis, &done);
    const ll_layout q = ll_tree_cosets_(&a, &p->first, &done);
    /* An offset names its coset, by whichever of its elements it is told. */
    ll_layout other = *layout;
    other.offset ^= done.n ? done.v[test_random(done.n)] : 0u;
    const ll_reduce_plan moved = ll_reduce_of(other, d, p->element_bits, *t);
    CHECK(moved.cycles == p->cycles && moved.smem_bytes == p->smem_bytes);
    CHECK(!memcmp(&moved.first, &p->first, sizeof moved.first));
    CHECK(!memcmp(&moved.second, &p->second, sizeof moved.second));
    CHECK(!memcmp(moved.between.memory.basis, p->between.memory.basis,
                  sizeof moved.between.memory.basis));
    const ll_layout h = ll_tree_halves_(&q, &p->first);
    const ll_span_ rest = ll_span_independent_(&done, &axis);
    const unsigned first = q.in.bits[0], end = first + q.in.bits[1];
    for (unsigned k = first; k <= end && idle.n <= rest.n; ++k) {
        const ll_layout b = spread_rest(&q, &rest, &idle, mask);
        const ll_plan way = ll_plan_of(h, b, p->element_bits, *t);
        ll_span_ all = LL_ZERO;
        const ll_tree second = ll_tree_split_(ll_tree_of_(&b, &axis, &all), 0,
                                         p->element_bits, t);
        const unsigned trees =
            tree_cost(&p->first, p->first.split, p->element_bits, t) +
            tree_cost(&second, second.split, p->element_bits, t);
        const unsigned cycles = way.cycles + (trees + 7u) / 8u;
        least = cycles < least ? cycles : least;
        while (k < end && (q.basis[k] & ~mask)) {
            ++k;
        }
        ll_span_push_(&idle, k);
    }
    CHECK(p->cycles == least);
}

static unsigned split_trees, crossing_trees;

static void check_reduction_cost(const ll_layout *a, unsigned k,
                                 unsigned element_bits, const ll_target *t) {
    const ll_reduce_plan p = ll_reduce_of(*a, ll_axis(k), element_bits, *t);
    const unsigned first = tree_cost(&p.first, p.first.split, element_bits, t);
    CHECK(p.lanes == t->lanes && p.element_bits == element_bits);
    CHECK(p.err || p.threads == t->lanes << bits_of(a, LL_WARP));
    if (p.err == LL_OK) {
        const unsigned second =
            p.crosses ? tree_cost(&p.second, p.second.split, element_bits, t)
                      : 0u;
        CHECK(p.cycles == (p.crosses ? p.between.cycles : 0u) +
                              (first + second + 7u) / 8u);
        CHECK(p.smem_bytes == (p.crosses ? p.between.smem_bytes : 0u));
        check_split(&p.first, element_bits, t);
        check_split(&p.second, element_bits, t);
        /* Registers that hold but a part of the axis go. */
        const unsigned axis = placed(
            &a->out, ll_axis(k), (1u << held_bits(&a->out, ll_axis(k))) - 1u);
        for (unsigned r = 0; r < p.from_bits; ++r) {
            const unsigned y = a->basis[r];
            CHECK((p.kept >> r & 1u) == (y == 0 || (y & ~axis) != 0));
        }
        CHECK(p.kept >> p.from_bits == 0);
        if (p.crosses) {
            check_exchange(&p, a, ll_axis(k), t);
        }
        split_trees += p.first.split > 0;
        crossing_trees += p.crosses > 0;
    }
}

/* An operation for each element and, for each level, one upwards and one
 * downwards; where a level crosses lanes, selects take two more and each total
 * is sent. Totals of other warps take an operation for each and each line. */
static unsigned scan_cost(const ll_scan_plan *s, const ll_target *t) {
    const unsigned parts = s->element_bits > 32u ? s->element_bits / 32u : 1u;
    unsigned sent = 0, logic = 1u << s->n, left = s->n;
    for (unsigned k = 0; k < s->levels; ++k) {
        unsigned here = 1u << s->n, above = here;
        for (unsigned bit = 0; bit < 32u; ++bit) {
            here >>= s->level[k].gone >> bit & 1u;
            above >>= s->level[k + 1u].gone >> bit & 1u;
        }
        sent += s->level[k].lane ? here * parts : 0u;
        logic += (s->level[k].lane ? 3u : 1u) * (here + above);
    }
    for (unsigned bit = 0; bit < 32u; ++bit) {
        left -= s->level[s->levels].gone >> bit & 1u;
    }
    logic += s->crosses ? ((1u << s->lines) + (1u << left)) << s->crosses : 0u;
    return (sent * t->cost[LL_COST_SHUFFLE] +
            logic * t->cost[LL_COST_LOGIC] + 7u) / 8u;
}

static void check_scan_cost(const ll_layout *a, unsigned k,
                            unsigned element_bits, const ll_target *t) {
    const ll_scan_plan s = ll_scan_of(*a, ll_axis(k), element_bits, *t);
    if (s.err) {
        return;
    }
    CHECK(s.lanes == t->lanes && s.element_bits == element_bits);
    CHECK(s.threads == t->lanes << bits_of(a, LL_WARP));
    CHECK(s.from_bits == bits_of(a, LL_REGISTER) && s.to_bits == s.from_bits);
    unsigned cycles = scan_cost(&s, t);
    unsigned bytes = s.crosses ? s.between.smem_bytes : 0u;
    cycles += s.crosses ? s.between.cycles : 0u;
    if (s.turned) {
        const ll_plan *way[2] = {&s.there, &s.back};
        for (unsigned m = 0; m < 2u; ++m) {
            CHECK(way[m]->err == LL_OK && way[m]->element_bits == element_bits);
            cycles += way[m]->cycles;
            bytes = way[m]->smem_bytes > bytes ? way[m]->smem_bytes : bytes;
        }
    }
    CHECK(s.cycles == cycles && s.smem_bytes == bytes);
    /* Of two ways that cost the same, the one without conversions is taken. */
    ll_span_ axis = LL_ZERO;
    const ll_layout block =
        ll_layout_scannable_(*a, ll_axis(k), element_bits, t, &axis);
    const ll_scan_plan here = ll_scan_plan_here_(
        &block, &axis, ll_shape_start_(&a->out, a->out.n - 1u - k),
        element_bits, t);
    CHECK(!s.turned || here.err || s.cycles < here.cycles);
    CHECK(!s.turned || s.bits == here.n); /* copies of registers stay behind */
}

static void reductions_and_scans_cost_what_their_rounds_do(void) {
    static const unsigned some[] = {1, 8, 40, 320};
    for (unsigned n = 0; n < 60u; ++n) {
        ll_target t = n % 3u ? LL_SM90 : ll_amd_target(0x942, 64);
        const ll_target real = LL_SM90;
        for (unsigned k = 0; k < LL_MAX_COSTS; ++k) {
            t.cost[k] = n % 2u ? some[test_random(4)] : real.cost[k];
        }
        for (unsigned c = 0; c < 10u; ++c) {
            const unsigned k = test_random(3);
            const ll_layout a =
                random_layout(ll_log2_(t.lanes), test_random(KINDS), k);
            check_reduction_cost(&a, k, 8u << test_random(5), &t);
            check_scan_cost(&a, k, 8u << test_random(5), &t);
        }
    }
    CHECK(split_trees > 5u && crossing_trees > 50u);
    /* Where nothing costs anything, nothing is converted. */
    const ll_target real = LL_SM90;
    ll_target free = real;
    memset(free.cost, 0, sizeof free.cost);
    CHECK(ll_scan_of(ll_rows(32, 32, 4), LL_I, 32, real).turned);
    CHECK(!ll_scan_of(ll_rows(32, 32, 4), LL_I, 32, free).turned);
    ll_target other = LL_SM90;
    other.lanes = 64;
    const ll_layout a = ll_rows(32, 32, 4);
    CHECK(ll_reduce_of(a, LL_J, 32, other).lanes == 64u); /* with its error */
}

/* Rounds added to each other. Those that change the position come first, from
 * its highest bit down; each of the others has a lane bit of its own. */
static void rounds_are_taken_apart(void) {
    for (unsigned c = 0; c < 2000u; ++c) {
        unsigned with[64], lane[6], all = 0;
        ll_tree tree = LL_ZERO;
        tree.n = test_random(7);
        tree.lanes = c % 7u;
        random_basis(lane, 6, 6);
        for (unsigned k = 0; k < tree.n; ++k) {
            tree.reg[k] = 1u << k;
        }
        for (unsigned k = 0; k < tree.lanes; ++k) {
            tree.lane[k] = lane[k];
            tree.with[k] = test_random(3) ? test_random(1u << tree.n) : 0u;
        }
        memset(with, 255, sizeof with);
        for (unsigned k = 0; k < 1u << tree.lanes; ++k) {
            with[ll_vectors_xor_(tree.lane, tree.lanes, k)] =
                ll_vectors_xor_(tree.with, tree.lanes, k);
        }
        const ll_tree b = ll_tree_apart_(tree);
        CHECK(b.n == tree.n && b.lanes == tree.lanes && b.split <= b.n);
        for (unsigned k = 0; k < 1u << b.lanes; ++k) {
            const unsigned to = ll_vectors_xor_(b.lane, b.lanes, k);
            const unsigned at = ll_vectors_xor_(b.with, b.lanes, k);
            CHECK((k == 0) == (to == 0));
            CHECK(with[to] == ll_vectors_xor_(b.reg, b.n, at));
        }
        for (unsigned k = 0; k < b.lanes; ++k) {
            const int moves = k < b.split;
            CHECK(moves == (b.with[k] != 0));
            const unsigned own = moves ? 1u << (b.n - 1u - k)
                                       : low_bit(b.lane[k]);
            for (unsigned m = moves ? 0u : b.split; m < b.lanes; ++m) {
                CHECK(((moves ? b.with[m] : b.lane[m]) & own) ==
                      (m == k ? own : 0u));
            }
        }
        for (unsigned k = 0; k < b.n; ++k) {
            all |= b.reg[k];
        }
        CHECK(all == (1u << b.n) - 1u);
    }
    /* More positions than a wavefront has lanes: six rounds may be split. */
    const ll_layout a =
        ll_parse("register: j0 j1 j2 j3 j4 j5 j6 | lane: i0 i1 i2 i3 i4 i5");
    CHECK(ll_reduce_of(a, LL_I, 32, LL_GFX942).first.lanes == 6u);
}

/* ---- Across blocks ------------------------------------------------------- */

/* What a block fetches has the axis in warps that hold copies, then in such
 * lanes, then in new registers. Its memory begins at a multiple of 16 bytes
 * behind that of the block's own part. */
static void check_fetch(const ll_reduce_plan *p, const ll_layout *layout,
                        const ll_target *t) {
    ll_span_ axis = LL_ZERO;
    ll_layout left = LL_ZERO;
    const ll_layout a =
        ll_layout_reducible_(*layout, p->axis, p->element_bits, t, &axis);
    const ll_span_ here = ll_axis_part_here_(&a, &axis);
    const ll_reduce_plan own =
        ll_reduce_here_(&a, &axis, &here, p->element_bits, t, &left);
    const ll_plan far = ll_plan_of(p->far, p->near, p->element_bits, *t);
    const ll_reduce_plan near =
        ll_reduce_of(p->near, p->axis, p->element_bits, *t);
    CHECK(here.n < axis.n && axis.n - here.n == p->reaches);
    CHECK(p->cycles == own.cycles + far.cycles + near.cycles);
    CHECK(p->far_at == (own.smem_bytes + 15u) / 16u * 16u);
    CHECK(p->near_at == p->far_at + (far.smem_bytes + 15u) / 16u * 16u);
    const unsigned low = ll_shape_start_(&p->far.out, ll_axis_at_(&p->far.out,
                                                                  p->axis));
    const unsigned mask = ((1u << p->reaches) - 1u) << low;
    const unsigned regs = p->far.in.bits[0], lanes = p->far.in.bits[1];
    const unsigned warps = p->far.in.bits[2], n = bits_in(&p->far.in);
    CHECK(p->far.offset == ll_bits_close_(a.offset, ll_span_or_(&here)));
    unsigned want[LL_MAX_BITS] = LL_ZERO, next = low;
    for (unsigned k = 0; k < n; ++k) {
        want[k] = p->far.basis[k] & ~mask;
    }
    for (unsigned k = 0; k < lanes + warps && next < low + p->reaches; ++k) {
        const unsigned at = regs + (k < warps ? lanes + k : k - warps);
        want[at] = want[at] ? want[at] : 1u << next++;
    }
    const unsigned more = low + p->reaches - next;
    CHECK(p->near.in.bits[0] == regs + more);
    CHECK(bits_in(&p->near.in) == n + more);
    for (unsigned k = 0; k < n + more; ++k) {
        CHECK(p->near.basis[k] == (k < regs          ? want[k]
                                   : k < regs + more ? 1u << (next + k - regs)
                                                     : want[k - more]));
    }
}

/* Warps and lanes of copies, and axes longer than what one access fetches. */
static void blocks_fetch_by_warps_and_lanes_of_copies(void) {
    const ll_target t = LL_SM90;
    unsigned found = 0, filled = 0, added = 0;
    for (unsigned c = 0; c < 40u; ++c) {
        const unsigned regs = test_random(3), warps = test_random(4);
        const unsigned blocks = 1u + test_random(3), n = regs + 5u + warps;
        ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
        in = ll_with(ll_with(in, LL_LANE, 32), LL_WARP, 1u << warps);
        in = ll_with(in, LL_BLOCK, 1u << blocks);
        const unsigned inside = test_random(3);
        const unsigned other = c % 4u ? test_random(n - 2u) : n - inside;
        const unsigned bits = inside + blocks;
        ll_layout a = ll_zero(in, ll_with(ll_with(ll_shape_of(""), LL_J,
                                                  1u << other),
                                          LL_I, 1u << bits));
        for (unsigned k = 0; k < other + inside; ++k) {
            unsigned to = test_random(n);
            while (a.basis[to]) {
                to = (to + 1u) % n;
            }
            a.basis[to] = 1u << k;
        }
        for (unsigned k = 0; k < blocks; ++k) {
            a.basis[n + k] = 1u << (other + inside + k);
            const unsigned to = c % 3u ? n : test_random(n);
            a.basis[to] ^= to < n && a.basis[to] >> other == 0 && a.basis[to]
                               ? a.basis[n + k]
                               : 0u;
        }
        a.offset = c % 2u ? test_random(1u << (other + bits)) : 0u;
        const unsigned width = 32u << test_random(3);
        const ll_reduce_plan p = ll_reduce_of(a, LL_I, width, t);
        CHECK(p.err == LL_OK);
        check_reduction(&a, 0, width, &t);
        if (p.reaches) {
            check_fetch(&p, &a, &t);
            ++found;
            filled += p.near.in.bits[0] == p.far.in.bits[0];
            added += p.near.in.bits[0] > p.far.in.bits[0];
        }
    }
    printf("%u blocks fetch parts, %u of them by copies alone\n", found,
           filled);
    COVERS(found > 10u && filled > 3u && added > 3u);
}

/* ---- Limits -------------------------------------------------------------- */

/* Lanes and warps hold a line of axis j, register bits its lines. */
static ll_layout lines_of(unsigned regs, unsigned warps) {
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 32), LL_WARP, 1u << warps);
    ll_layout a = ll_zero(in, ll_with(ll_with(ll_shape_of(""), LL_J,
                                              32u << warps),
                                      LL_I, 1u << regs));
    for (unsigned k = 0; k < regs + 5u + warps; ++k) {
        a.basis[k] = 1u << (k < regs ? k + 5u + warps : k - regs);
    }
    return a;
}

/* A lane loads up to 2^8 totals: more take a layout of their own. Exchanges of
 * 4 GiB have no plan, and neither have places of 33 bits. */
static void limits_are_met_to_the_bit(void) {
    const ll_target t = LL_SM90;
    ll_scan_plan s = ll_scan_of(lines_of(6, 2), LL_J, 32, t);
    CHECK(s.err == LL_OK && !s.turned && s.lines + s.crosses == 8u);
    s = ll_scan_of(lines_of(7, 2), LL_J, 32, t);
    CHECK(s.err == LL_OK && s.turned && s.crosses == 0);
    CHECK(ll_scan_of(lines_of(21, 1), LL_J, 128, t).err == LL_OK);
    CHECK(ll_scan_of(lines_of(22, 1), LL_J, 128, t).err == LL_EBITS);
    /* Two warps share a line, and 2^22 pairs of warps have lines of theirs. */
    ll_layout wide = ll_zero(ll_shape_of("register=1 lane=32 warp=8388608"),
                             ll_shape_of("j=2 i=134217728"));
    for (unsigned k = 0; k < 28u; ++k) {
        wide.basis[k] = k == 5u ? 1u : 2u << (k < 5u ? k : k - 1u);
    }
    CHECK(ll_check(wide).err == LL_OK);
    CHECK(ll_scan_of(wide, LL_J, 16, t).err == LL_OK);
    CHECK(ll_scan_of(wide, LL_J, 128, t).err == LL_EBITS);
    CHECK(ll_reduce_of(lines_of(25, 1), LL_J, 8, t).err == LL_OK);
    CHECK(ll_reduce_of(lines_of(26, 1), LL_J, 8, t).err == LL_EBITS);
}

/* Bit by bit: the bits that are not gone, moved together and back. */
static void positions_are_closed_and_opened(void) {
    for (unsigned n = 0; n < 300u; ++n) {
        const unsigned gone = n < 33u ? (unsigned)((1ull << n) - 1u)
                                      : test_random(0) & test_random(0);
        const unsigned p = test_random(0);
        unsigned closed = 0, left = 0, m = 0;
        for (unsigned k = 0; k < 32u; ++k) {
            if (!(gone & 1u << k)) {
                left |= p & 1u << k;
                closed |= p & 1u << k ? 1u << m : 0u;
                ++m;
            }
        }
        CHECK(ll_bits_close_(p, gone) == closed);
        CHECK(ll_bits_open_(closed, gone) == left);
    }
}

/* ---- Layouts of practice ------------------------------------------------- */

/* A row of the table in README.md: reductions that were right, and accesses of
 * shared memory in the program of a lane. `lanes` are those of all lanes, and
 * all_lanes those of which every thread stores each register that it holds. */
typedef struct account {
    unsigned reductions, passed, instructions, lanes, all_lanes;
} account;

static void add(account *sum, ll_layout a, unsigned k) {
    const ll_target t = LL_SM90;
    const unsigned failed = test.here;
    const ll_reduce_plan p = ll_reduce_of(a, k, 32, t);
    const unsigned threads = 32u * ll_size(a.in, LL_WARP);
    CHECK(a.err == LL_OK);
    check_reduction(&a, k, 32, &t);
    ++sum->reductions;
    sum->passed += test.here == failed;
    if (p.crosses) {
        const ll_step *s = &p.between.step[1];
        const unsigned spare = ll_popcount_(s->at.spare);
        sum->instructions += s->count + p.between.step[3].count;
        sum->lanes += threads >> spare << s->at.n;
        sum->all_lanes += threads << (p.from_bits - p.first.own);
    }
}

/* Both axes of a matrix, and what is left after each: a slice. */
static void add_all(account *whole, account *slice, ll_layout a) {
    for (unsigned k = 0; k < 2u; ++k) {
        add(whole, a, k);
        if (slice) {
            add(slice, ll_reduce(a, k), 0);
        }
    }
}

/* The paper's instructions, and those of Triton before it (0: it failed). */
static void print(const char *family, account sum, unsigned paper,
                  unsigned triton) {
    printf("| %s | %u | %u | %u | %u | ", family, sum.reductions, sum.passed,
           sum.instructions, paper);
    triton ? printf("%u |\n", triton) : printf("|\n");
    CHECK(sum.passed == sum.reductions && sum.lanes < sum.all_lanes);
    CHECK(sum.instructions < paper);
}

static ll_shape matrix_of(unsigned rows, unsigned cols) {
    return ll_with(ll_with(ll_shape_of(""), LL_J, cols), LL_I, rows);
}

static ll_layout custom(unsigned rows, unsigned cols) {
    ll_layout a = ll_rows(rows, cols, 4);
    a = ll_mul(a, ll_zeros(2, LL_REGISTER, LL_J, 1));
    a = ll_resize_in(a, LL_WARP, 2u * ll_size(a.in, LL_WARP));
    return ll_flip(a, LL_I, rows / 2u);
}

/* The shapes of the paper, section 6.1, "Broadcasting". Blocks of 1x4 and 4x1
 * elements; accumulators of mma and wgmma, slices of the former alone. */
static void reductions_of_the_families_store_no_copies(void) {
    const unsigned shape[][2] = {{128, 16}, {128, 128}, {32, 128}, {32, 32},
                                 {16, 16}};
    account sum[7] = LL_ZERO;
    for (unsigned n = 0; n < 5u; ++n) {
        const unsigned r = shape[n][0];
        const unsigned c = shape[n][1];
        const ll_shape s = matrix_of(r, c);
        add_all(&sum[0], &sum[3],
                ll_blocked(s, matrix_of(1, 4), matrix_of(8, 4),
                           matrix_of(4, 1)));
        add_all(&sum[0], &sum[3],
                ll_blocked(s, matrix_of(4, 1), matrix_of(4, 8),
                           matrix_of(1, 4)));
        add_all(&sum[1], &sum[4], ll_ptx_mma_c(r, c, 4));
        add_all(&sum[1], NULL,
                ll_tiled(ll_ptx_wgmma_d(64, 16, 4), s, ll_shape_of("")));
        add_all(&sum[2], &sum[5], ll_ptx_mma_a(r, c, 16, 4));
        add_all(&sum[6], NULL, custom(r, c));
    }
    print("blocked", sum[0], 1388, 5888);
    print("mma", sum[1], 3517, 5914);
    print("mma input", sum[2], 5884, 0);
    print("sliced blocked", sum[3], 4687, 6703);
    print("sliced mma", sum[4], 320, 0);
    print("sliced mma input", sum[5], 545, 0);
    print("custom", sum[6], 913, 0);
}

/* ---- In words ------------------------------------------------------------ */

static void reductions_are_put_in_words(void) {
    const ll_reduce_plan p =
        ll_reduce_of(ll_rows(32, 32, 4), LL_I, 32, LL_SM90);
    const char *words =
        "8 registers are reduced to 4, about 34 cycles per warp\n"
        "  each lane combines 8 registers into 4\n"
        "  3 exchanges combine the registers of 4 lanes\n"
        "  between warps: data goes through shared memory, 512 bytes, about 13 "
        "cycles per warp\n"
        "  1. each lane stores 1 element to shared memory in 1 access of 4 "
        "bytes, 1 wavefront: no bank conflicts\n"
        "  2. __syncthreads()\n"
        "  3. each lane loads 8 elements from shared memory in 2 accesses of "
        "16 bytes, 4 wavefronts each: no bank conflicts\n"
        "  memory offset: ";
    char text[2000];
    const unsigned n = ll_explain_reduce(p, text, sizeof text);
    const ll_reduce_plan none = ll_reduce_of(ll_parse("?"), LL_I, 32, LL_SM90);
    CHECK(n == strlen(text));
    CHECK(strncmp(text, words, strlen(words)) == 0);
    CHECK(strstr(text, "\n  4 exchanges combine the registers of 2 lanes\n"));
    CHECK(ll_explain_reduce(p, text, 10) == n && strlen(text) == 9u);
    CHECK(ll_explain_reduce(none, text, sizeof text) == strlen(text));
    CHECK(strstr(text, "there is no plan: the text is not a layout"));
    CHECK(!strstr(text, "between blocks"));
}

/* Each block has eight registers a lane of a line, of which its warps make one,
 * and each warp fetches one of another block. */
static void reductions_across_blocks_are_put_in_words(void) {
    static const char *const parts[] = {
        "2 registers are reduced to 1, about ",
        "\n"
        "  each lane combines 2 registers into 1\n"
        "  5 exchanges combine the registers of 32 lanes\n"
        "  between warps: data ",
        "\n"
        "  each lane combines 4 registers into 1\n"
        "  1 exchange combines the registers of 2 lanes\n"
        "  between blocks: data ",
        "\n  between warps: data ",
        "\n"
        "  each lane combines 4 registers into 1\n"
        "  1 exchange combines the registers of 2 lanes\n"};
    const ll_layout a =
        ll_parse("register: j11 | lane: j0 j1 j2 j3 j4 | warp: j5 j6 j7 | "
                 "block: j8 j9 j10");
    const ll_reduce_plan p = ll_reduce_of(a, LL_J, 128, LL_SM90);
    char text[4000];
    CHECK(p.reaches == 3u);
    CHECK(ll_explain_reduce(p, text, sizeof text) == strlen(text));
    const char *at = text;
    for (unsigned k = 0; k < 5u && at; ++k) {
        at = strstr(at, parts[k]);
        at = at ? at + strlen(parts[k]) : NULL;
        CHECK(at != NULL);
    }
    CHECK(at && *at == 0); /* nothing follows */
    /* Blocks of one warp: its lanes combine what they fetch of eight blocks. */
    static const char *const last =
        "\n"
        "  each lane combines 16 registers into 8\n"
        "  16 exchanges combine the registers of 4 lanes\n";
    const ll_reduce_plan q = ll_reduce_of(
        ll_parse("register: i0 i1 i2 | lane: j0 j1 i3 i4 i5 | block: j2 j3 j4"),
        LL_J, 128, LL_SM90);
    CHECK(ll_explain_reduce(q, text, sizeof text) == strlen(text));
    at = strstr(text, last);
    CHECK(at && at[strlen(last)] == 0 && !strstr(text, "between warps"));
}

static void scans_are_put_in_words(void) {
    const ll_layout a = ll_parse("register: i0 i1 j0 | lane: i2 i3 i4 j1 j2 | "
                                 "warp: i5 j3");
    const ll_scan_plan p = ll_scan_of(a, LL_I, 32, LL_SM90);
    const ll_scan_plan q = ll_scan_of(ll_rows(32, 32, 4), LL_I, 32, LL_SM90);
    const ll_scan_plan none = ll_scan_of(ll_parse("?"), LL_I, 32, LL_SM90);
    const char *words =
        "8 registers, about 58 cycles per warp\n"
        "  each lane scans 2 lines of 4 registers\n"
        "  6 exchanges combine the totals of 8 lanes\n"
        "  between warps: data goes through shared memory, 128 bytes, about 8 "
        "cycles per warp\n"
        "  1. each lane stores 2 elements to shared memory in 1 access of 8 "
        "bytes, 2 wavefronts: no bank conflicts\n"
        "  2. __syncthreads()\n"
        "  3. each lane loads 4 elements from shared memory in 1 access of 16 "
        "bytes, 2 wavefronts: no bank conflicts\n"
        "  memory offset: j0 i5 j1 j2 j3\n"
        "  optimal: no shared-memory layout needs fewer wavefronts for vector "
        "accesses\n"
        "  each lane combines 2 totals per line\n";
    char text[2000];
    CHECK(ll_explain_scan(p, text, sizeof text) == strlen(words));
    CHECK(strcmp(text, words) == 0);
    CHECK(ll_explain_scan(p, text, 10) == strlen(words) && strlen(text) == 9u);
    CHECK(ll_explain_scan(q, text, sizeof text) == strlen(text));
    CHECK(strstr(text, "\n  conversion to a layout along the axis: data "));
    CHECK(strstr(text, "\n"
                       "  each lane scans 1 line of 8 registers\n"
                       "  2 exchanges combine the totals of 4 lanes\n"
                       "  conversion back: "));
    CHECK(ll_explain_scan(none, text, sizeof text) == strlen(text));
    CHECK(strstr(text, "there is no plan: the text is not a layout"));
}

/* ---- What cannot be ------------------------------------------------------ */

static unsigned error_of(const char *text, unsigned k, unsigned bits) {
    return ll_reduce_of(ll_parse(text), k, bits, LL_SM90).err;
}

static void reductions_that_cannot_be_say_why(void) {
    CHECK(error_of("lane: i0 i1 i2 i3 i4", 0, 32) == LL_OK);
    CHECK(error_of("lane: i0 i1 i2 i3 i4", 1, 32) == LL_EMISSING);
    CHECK(error_of("lane: i0 i1 i2 i3 i4", 0, 24) == LL_EELEMENT);
    CHECK(error_of("lane: i0 i1 i2 i3", 0, 32) == LL_ELANES);
    CHECK(error_of("thread: i0 i1 i2 i3", 0, 32) == LL_EHARDWARE);
    CHECK(error_of("lane: i0 i1 i2 i3 i4 -> 64", 0, 32) == LL_ENOSOLUTION);
    CHECK(error_of("lane: i0 i1 i2 i3 i4 | block: i5", 0, 32) == LL_OK);
    CHECK(error_of("lane: i0 i1 i2 i3 i4 | block: i5 i6 i7 i8", 0, 32) ==
          LL_EBLOCK);
    CHECK(ll_reduce_of(ll_parse("lane: i0 i1 i2 i3 i4 | block: i5"), LL_I, 32,
                       LL_SM80).err == LL_EBLOCK);
    CHECK(error_of("lane: i0 i1 i2 i3 j0 | block: j1", 0, 32) == LL_OK);
    /* No block has the whole of a line, although none moves along it. */
    CHECK(ll_scan_of(ll_parse("lane: j0^i0 j1 j2 j3 j4 | block: i0"), LL_J, 32,
                     LL_SM90).err == LL_EBLOCK);
    CHECK(error_of("?", 0, 32) == LL_ETEXT);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(reductions_of_random_layouts_combine_each_element_once);
    RUN(reductions_cross_the_blocks_of_a_cluster);
    RUN(scans_of_random_layouts_keep_the_order);
    RUN(reductions_and_scans_cost_what_their_rounds_do);
    RUN(rounds_are_taken_apart);
    RUN(blocks_fetch_by_warps_and_lanes_of_copies);
    RUN(limits_are_met_to_the_bit);
    RUN(positions_are_closed_and_opened);
    RUN(reductions_of_the_families_store_no_copies);
    RUN(reductions_are_put_in_words);
    RUN(reductions_across_blocks_are_put_in_words);
    RUN(scans_are_put_in_words);
    RUN(reductions_that_cannot_be_say_why);
    return test_end();
}
