/* reduce.h - sets of elements and random layouts, for tests of reductions and
 * scans.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_REDUCE_H
#define TEST_REDUCE_H

#include "machines.h"

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

/* thread * positions + position */
TEST_FN part now[MAX_PARTS], then[MAX_PARTS];

TEST_FN unsigned long long mixed(unsigned long long z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* Place x of a line, of 2^size: lines of -0.0, of -1 and one NaN, of NaN, and
 * of -1. A zero that were padded in would make the sum of the first +0.0, and
 * the most of the others 0. */
TEST_FN unsigned nan_of(unsigned line, unsigned size) {
    return line / 4u % (1u << size);
}

TEST_FN float not_a_number(void) {
    const unsigned bits = 0x7fc00000u;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

TEST_FN float number(unsigned line, unsigned x, unsigned size) {
    const unsigned kind = line % 4u;
    return kind == 0                              ? -0.0f
           : kind == 3u                           ? -1.0f
           : kind == 2u || nan_of(line, size) == x ? not_a_number()
                                                  : -1.0f;
}

TEST_FN float larger(float x, float y) { /* as fmaxf: a NaN counts as missing */
     return x != x || y > x ? y : x;
}

/* The first n of a line combined: what the definition of the sum says. */
TEST_FN int has_the_numbers(const part *v, unsigned line, unsigned n,
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

TEST_FN element_set only(unsigned element) {
    element_set s = LL_ZERO;
    s.half[element / 64u] = 1ull << element % 64u;
    return s;
}

TEST_FN int are_apart(element_set x, element_set y) {
    return !(x.half[0] & y.half[0]) && !(x.half[1] & y.half[1]);
}

TEST_FN element_set all_of(element_set x, element_set y) {
    x.half[0] |= y.half[0];
    x.half[1] |= y.half[1];
    return x;
}

/* An operation takes operands of one line, and no element twice. */
TEST_FN part combined(part x, part y) {
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

TEST_FN void check_stored_once(unsigned slots, const part *from) {
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
TEST_FN ll_target on;

TEST_FN void convert(const ll_plan *p, unsigned each, unsigned together,
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

TEST_FN unsigned low_bit(unsigned x) { return x & (~x + 1u); }

static unsigned bits_of(const ll_layout *a, ll_dim d) {
    return ll_log2_(ll_size(a->in, d));
}

TEST_FN unsigned place(const ll_layout *a, unsigned reg, unsigned thread,
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
TEST_FN void begin(const ll_layout *a, unsigned low, unsigned size,
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

enum { PLAIN, COPIES = 1, MIXED = 2, AFFINE = 4, BLOCKS = 8, KINDS = 16 };

/* A layout of a tensor of up to three axes, none longer than 2^MAX_AXIS. Each
 * block holds all elements. With BLOCKS, the blocks divide the elements, and
 * each block has the whole of axis k. */
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

TEST_FN void check_random(unsigned n, const ll_target *t, checker check) {
    const unsigned lanes = ll_log2_(t->lanes);
    for (unsigned c = 0; c < times(n); ++c) {
        const unsigned k = test_random(3);
        const ll_layout a = random_layout(lanes, c % KINDS, k);
        CHECK(ll_check(a).err == LL_OK);
        check(&a, k, 8u << test_random(5), t);
    }
}

#endif
