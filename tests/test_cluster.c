/* test_cluster.c - reductions and scans across blocks, executed for all places.
 * SPDX-License-Identifier: MIT
 *
 * Every element of a tensor has a random weight. What a place holds is known as
 * the sum of the weights of some elements, and which elements these must be is
 * counted by the layout alone. The sends and loads of a plan are carried out
 * place by place for all blocks of a cluster.
 */
#ifndef LL_CLUSTERS
#define LL_CLUSTERS
#endif
#include "../ll_ptx.h"
#include "test.h"

enum { MAX_BLOCKS = 16, MAX_SLOTS = 1 << 12, MAX_PLACES = 1 << 14 };
enum { MAX_ELEMENTS = 1 << 12 };

typedef unsigned long long word;

static word weight[MAX_ELEMENTS];
static word slot[MAX_BLOCKS][MAX_SLOTS];
static unsigned filled[MAX_BLOCKS][MAX_SLOTS];
static word now[MAX_PLACES], then[MAX_PLACES];
static word of_block[MAX_BLOCKS][MAX_ELEMENTS]; /* of the line of an element */
static word of_line[MAX_ELEMENTS];

static unsigned pick(const unsigned *of, unsigned n, unsigned x) {
    unsigned y = 0;
    for (unsigned k = 0; k < n; ++k) {
        y ^= x >> k & 1u ? of[k] : 0u;
    }
    return y;
}

/* A layout whose blocks, 2^blocks of them, hold what they like or, with
 * `upper`, the highest bits of axis i and copies of others. */
static ll_layout random_layout(unsigned blocks, int upper) {
    const unsigned regs = test_random(4), warps = test_random(3);
    const unsigned own = regs + 5u + warps, n = own + blocks;
    const unsigned high = upper ? 1u + test_random(blocks) : 0u;
    const unsigned i = 1u + blocks + test_random(3), most = upper ? own : n;
    const unsigned j = test_random(most < i - high + 4u ? most - i + high + 1u
                                                        : 4u);
    ll_layout a = ll_zero(
        ll_with(ll_with(ll_with(ll_with(ll_shape_of(""), LL_REGISTER,
                                        1u << regs),
                                LL_LANE, 32),
                        LL_WARP, 1u << warps),
                LL_BLOCK, 1u << blocks),
        ll_with(ll_with(ll_shape_of(""), LL_J, 1u << j), LL_I, 1u << i));
    for (unsigned b = 0; b < i + j; ++b) {
        const int far = upper && b >= i + j - high;
        unsigned to = far ? own + b - (i + j - high)
                          : test_random(upper ? own : n);
        while (a.basis[to]) {
            to = (to + 1u) % (upper ? own : n);
        }
        a.basis[to] = 1u << b;
    }
    const unsigned mixed = test_random(2) ? 0u : test_random(2u * n);
    for (unsigned m = 0; m < mixed; ++m) {
        unsigned to = test_random(n), from = test_random(n);
        const int fine = !upper || (to < own) == (from < own);
        a.basis[to] ^= from != to && fine ? a.basis[from] : 0u;
    }
    for (unsigned k = own; k < n && upper; ++k) { /* and parts of other rows */
        a.basis[k] |= test_random(3) ? 0u : test_random(1u << j);
    }
    a.offset = test_random(2) ? test_random(1u << (i + j)) : 0u;
    return a;
}

static unsigned place(const ll_layout *a, unsigned reg, unsigned thread,
                      unsigned block) {
    return reg | thread << a->in.bits[0] |
           block << (a->in.bits[0] + a->in.bits[1] + a->in.bits[2]);
}

/* Sums the weights of what each block holds, by the definition: an element
 * counts once, however many copies there are. */
static void count(const ll_layout *a, ll_dim d) {
    static unsigned char seen[MAX_BLOCKS][MAX_ELEMENTS];
    const unsigned elements = 1u << ll_shape_bits_(&a->out);
    const unsigned axis =
        (ll_size(a->out, d) - 1u)
        << ll_shape_start_(&a->out, ll_shape_find_(&a->out, d));
    memset(seen, 0, sizeof seen);
    memset(of_block, 0, sizeof of_block);
    memset(of_line, 0, sizeof of_line);
    for (unsigned y = 0; y < elements; ++y) {
        weight[y] = (word)test_random(1u << 31) << 32 | test_random(1u << 31);
        of_line[y & ~axis] += weight[y];
    }
    const unsigned each = ll_shape_bits_(&a->in) - a->in.bits[3];
    for (unsigned x = 0; x < 1u << ll_shape_bits_(&a->in); ++x) {
        const unsigned y = ll_apply(*a, x), b = x >> each;
        of_block[b][y & ~axis] += seen[b][y] ? 0u : weight[y];
        seen[b][y] = 1;
    }
}

/* Carries out the sends of all blocks. Of a scan only places with the last
 * coordinate of their block send. */
static void send(const ll_cluster_plan *p, const ll_layout *a, ll_dim d,
                 const unsigned *reg) {
    const ll_layout *s = &p->sends;
    const unsigned axis =
        (ll_size(a->out, d) - 1u)
        << ll_shape_start_(&a->out, ll_shape_find_(&a->out, d));
    const unsigned slots = 1u << (p->partial + p->results);
    memset(slot, 0, sizeof slot);
    memset(filled, 0, sizeof filled);
    for (unsigned b = 0; b < 1u << a->in.bits[3]; ++b) {
        for (unsigned t = 0; t < p->threads; ++t) {
            for (unsigned r = 0; r < 1u << s->in.bits[0]; ++r) {
                const unsigned to = ll_apply(*s, place(s, r, t, b));
                const unsigned at = ll_unpack(s->out, LL_OFFSET, to);
                const unsigned far = ll_unpack(s->out, LL_BLOCK, to);
                const unsigned from = pick(reg, p->n, r & ((1u << p->n) - 1u));
                const unsigned y = ll_apply(*a, place(a, from, t, b));
                const unsigned last = ll_size(s->out, d) - 1u;
                if (t & p->spare ||
                    (p->scans && ll_shape_find_(&s->out, d) < s->out.n &&
                     ll_unpack(s->out, d, to) != last)) {
                    continue;
                }
                CHECK(at < slots);
                slot[far][at] += of_block[b][y & ~axis];
                ++filled[far][at];
                CHECK(!p->scans ||
                      (ll_unpack(a->out, d, y) & last) == last);
            }
        }
    }
    for (unsigned b = 0; b < 1u << a->in.bits[3]; ++b) {
        for (unsigned k = 0; k < slots; ++k) {
            CHECK(filled[b][k] == 1u); /* as many bytes as are waited for */
        }
    }
    CHECK(p->bytes == slots * p->slot_bytes);
}

/* Two operations that are commutative: a sum, and one that tells orders. */
static word combined(word x, word y, int sum) {
    const word z = (x ^ y) * 0x9e3779b97f4a7c15u + x * y;
    return sum ? x + y : z ^ z >> 29;
}

/* What the lanes of block b load and combine; the results are in `now`. */
static void receive(const ll_cluster_plan *p, unsigned b, int sum) {
    const ll_tree *t = &p->tree;
    const ll_layout *r = &p->receives;
    const unsigned all = t->n + t->own;
    CHECK(1u << all <= ll_size(r->in, LL_REGISTER));
    for (unsigned x = 0; x < p->threads; ++x) {
        for (unsigned k = 0; k < 1u << t->n; ++k) {
            word v[1u << 8];
            for (unsigned o = 0; o < 1u << t->own; ++o) {
                const unsigned reg = pick(t->reg, all, k | o << t->n);
                v[o] = slot[b][ll_apply(*r, place(r, reg, x, b))];
            }
            for (unsigned half = (1u << t->own) / 2u; half; half /= 2u) {
                for (unsigned o = 0; o < half; ++o) {
                    v[o] = combined(v[o], v[o + half], sum);
                }
            }
            now[x << t->n | k] = v[0];
        }
    }
    for (unsigned m = 0; m < t->lanes; ++m) {
        memcpy(then, now, sizeof now);
        for (unsigned x = 0; x < p->threads << t->n; ++x) {
            now[x] = combined(
                then[x], then[x ^ (t->with[m] | t->lane[m] << t->n)], sum);
        }
    }
}

/* All copies of a result, in all blocks, are the sum, and have the same bits
 * by an operation that tells orders. */
static void check_reduce(const ll_cluster_plan *p, const ll_layout *a,
                         ll_dim d) {
    static word bits[MAX_ELEMENTS];
    const unsigned axis =
        (ll_size(a->out, d) - 1u)
        << ll_shape_start_(&a->out, ll_shape_find_(&a->out, d));
    count(a, d);
    send(p, a, d, p->reduce.first.reg);
    memset(bits, 0, sizeof bits);
    for (unsigned b = 0; b < 1u << a->in.bits[3]; ++b) {
        for (int sum = 0; sum < 2; ++sum) {
            receive(p, b, sum);
            for (unsigned x = 0; x < p->threads << p->n; ++x) {
                const unsigned reg = pick(p->reduce.first.reg, p->n,
                                          x & ((1u << p->n) - 1u));
                const unsigned y =
                    ll_apply(*a, place(a, reg, x >> p->n, b)) & ~axis;
                bits[y] = !sum && !bits[y] ? now[x] : bits[y];
                CHECK(now[x] == (sum ? of_line[y] : bits[y]));
            }
        }
    }
}

/* A register loads the totals of its line, one of each block along it, and
 * knows where it is. */
static void check_scan(const ll_cluster_plan *p, const ll_layout *a, ll_dim d) {
    const ll_layout *r = &p->receives, *s = &p->sends;
    const unsigned low = ll_shape_start_(&a->out, ll_shape_find_(&a->out, d));
    const unsigned size = ll_size(a->out, d), axis = (size - 1u) << low;
    const unsigned block = size >> p->partial; /* coordinates */
    count(a, d);
    send(p, a, d, p->reg);
    for (unsigned x = 0; x < 1u << ll_shape_bits_(&a->in); ++x) {
        const unsigned reg = x & ((1u << a->in.bits[0]) - 1u);
        const unsigned t = x >> a->in.bits[0] & (p->threads - 1u);
        const unsigned b = x >> a->in.bits[0] >> a->in.bits[1] >>
                           a->in.bits[2];
        const unsigned y = ll_apply(*a, x), at = ll_unpack(a->out, d, y);
        for (unsigned k = 0; k < 1u << p->partial; ++k) {
            const unsigned from = ll_apply(
                *r, place(r, k | pick(p->line, p->from_bits, reg) << p->partial,
                          t, b));
            word sum = 0;
            for (unsigned c = k * block; c < (k + 1u) * block; ++c) {
                sum += weight[(y & ~axis) | c << low];
            }
            CHECK(ll_unpack(r->out, d, from) == at / block);
            CHECK(slot[b][ll_unpack(r->out, LL_OFFSET, from)] == sum);
        }
        const unsigned of_thread = ll_apply(*s, place(s, 0, t, b));
        CHECK(block == 1u || (ll_unpack(s->out, d, of_thread) ^
                              pick(p->x, p->from_bits, reg)) == at % block);
    }
}

/* The parts of shared memory lie one behind the other, at multiples of 16 and,
 * the mbarriers, 8 bytes. A block has a barrier in each turn. */
static void check_memory(const ll_cluster_plan *p, unsigned ahead,
                         unsigned element_bits) {
    const unsigned slots = p->slot_bytes << (p->partial + p->results);
    const unsigned here = p->scans ? p->scan.smem_bytes : p->reduce.smem_bytes;
    const ll_plan *between =
        p->scans ? &p->scan.between : &p->reduce.between;
    const unsigned crosses = p->scans ? p->scan.crosses : p->reduce.crosses;
    CHECK(p->slot_bytes >= 4u && 8u * p->slot_bytes >= element_bits);
    CHECK(p->here_bytes % 16u == 0 && p->here_bytes >= here);
    CHECK(p->slots_at >= 2u * p->here_bytes && p->slots_at % 16u == 0);
    CHECK(p->buffers >= 2u + 2u * ahead &&
          (p->buffers & (p->buffers - 1u)) == 0);
    CHECK(p->bars_at >= p->slots_at + p->buffers * ((slots + 15u) / 16u * 16u));
    CHECK(p->bars_at % 8u == 0);
    CHECK(p->smem_bytes == p->bars_at + 8u * p->buffers);
    CHECK(p->wait == LL_OP_SYNC_BLOCK || p->scan.turned ||
          (p->wait == LL_OP_SYNC_WARP && p->threads == 32u) ||
          (crosses && between->step[2].op == LL_OP_SYNC_BLOCK));
}

static void reductions_combine_every_element_once(void) {
    unsigned planned = 0;
    for (unsigned k = 0; k < times(60); ++k) {
        const unsigned bits = 8u << test_random(5);
        const ll_layout a = random_layout(1u + test_random(4), 0);
        const ll_dim d = test_random(2) ? LL_I : LL_J;
        const ll_cluster_plan p = ll_cluster_reduce_of(a, d, bits, LL_SM90);
        if (p.err == LL_EMISSING || p.err == LL_EHELD || p.err == LL_EBLOCK) {
            continue; /* an axis of one element, or not all of it is held, or a
                         block's part of it is not one of whole bits */
        }
        CHECK(!p.err);
        CHECK(p.partial || !p.smem_bytes || p.reduce.crosses);
        if (p.partial) {
            check_memory(&p, 0, bits);
            check_reduce(&p, &a, d);
            ++planned;
        }
    }
    COVERS(planned > 10u);
}

static void scans_see_the_blocks_before(void) {
    unsigned planned = 0;
    for (unsigned k = 0; k < times(60); ++k) {
        const unsigned bits = 8u << test_random(5), ahead = test_random(4);
        const ll_layout a = random_layout(1u + test_random(4), 1);
        const ll_cluster_plan p =
            ll_cluster_scan_by(a, LL_I, bits, LL_SM90, ahead, 0);
        if (p.err == LL_EHELD) {
            continue;
        }
        CHECK(!p.err);
        if (p.partial) {
            check_memory(&p, ahead, bits);
            check_scan(&p, &a, LL_I);
            ++planned;
        }
    }
    COVERS(planned > 10u);
}

static void what_cannot_be_planned_says_why(void) {
    const ll_layout row = ll_parse("lane: j0 j1 j2 j3 j4 | block: j5 j6");
    const ll_layout wide =
        ll_parse("lane: j0 j1 j2 j3 j4 | block: j5 j6 j7 j8 j9");
    const ll_layout low = ll_parse("lane: j1 j2 j3 j4 j5 | block: j0 j6");
    const ll_layout moved = ll_parse("lane: j0 j1 j2 j3 j4 | block: j5^j0");
    const ll_layout long_one =
        ll_parse("register: i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 | "
                 "lane: i12 i13 i14 i15 i16 | block: j0");
    CHECK(ll_cluster_reduce_of(row, LL_I, 32, LL_SM90).err == LL_EMISSING);
    CHECK(ll_cluster_reduce_of(row, LL_J, 32, LL_SM80).err == LL_EBLOCK);
    CHECK(ll_cluster_reduce_of(wide, LL_J, 32, LL_SM90).err == LL_EBLOCK);
    CHECK(ll_cluster_reduce_of(row, LL_J, 256, LL_SM90).err == LL_EELEMENT);
    CHECK(!ll_cluster_reduce_of(low, LL_J, 32, LL_SM90).err);
    CHECK(ll_cluster_scan_of(low, LL_J, 32, LL_SM90).err == LL_EBLOCK);
    CHECK(ll_cluster_scan_of(moved, LL_J, 32, LL_SM90).err == LL_EBLOCK);
    CHECK(ll_cluster_scan_of(row, LL_J, 32, LL_SM80).err == LL_EBLOCK);
    CHECK(ll_cluster_reduce_of(long_one, LL_J, 32, LL_SM90).err == LL_EBITS);
    CHECK(ll_cluster_reduce_by(row, LL_J, 32, LL_SM90, 0, 1u << 20).err ==
          LL_EBITS);
    CHECK(ll_cluster_reduce_by(row, LL_J, 32, LL_SM90, 32, 0).err == LL_EBITS);
    CHECK(ll_cluster_reduce_by(row, LL_J, 32, LL_SM90, 1, 12).bytes == 28u);
}

static void one_block_sends_nothing(void) {
    const ll_layout a = ll_parse("lane: j0 j1 j2 j3 j4 | warp: j5 | block: i0");
    const ll_cluster_plan p = ll_cluster_reduce_of(a, LL_J, 32, LL_SM90);
    const ll_cluster_plan s = ll_cluster_scan_of(a, LL_J, 32, LL_SM80);
    CHECK(!p.err && !p.partial && !p.wait);
    CHECK(p.smem_bytes == 2u * p.here_bytes && p.here_bytes);
    CHECK(!s.err && !s.partial && !s.wait);
}

static void a_plan_explains_itself(void) {
    const ll_layout a =
        ll_parse("lane: j0 j1 j2 j3 j4 | warp: i0 | block: j5 j6");
    char text[600];
    ll_explain_cluster(ll_cluster_reduce_of(a, LL_J, 64, LL_SM90), text,
                       sizeof text);
    CHECK(strstr(text, "between blocks: each of 4 blocks sends 2 results of 8 "
                       "bytes to each of them, in 2 buffers\n"
                       "  2 exchanges combine"));
    ll_explain_cluster(ll_cluster_scan_by(a, LL_J, 32, LL_SM90, 1, 0), text,
                       sizeof text);
    CHECK(strstr(text, "each of 4 blocks sends 2 results of 4 bytes to each of "
                       "them, in 4 buffers\n"
                       "  each lane combines the results of the preceding "
                       "blocks\n"));
    CHECK(ll_explain_cluster(ll_cluster_scan_of(a, LL_K, 32, LL_SM90), text,
                             sizeof text) == strlen(text));
    CHECK(strstr(text, "not in the layout"));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(reductions_combine_every_element_once);
    RUN(scans_see_the_blocks_before);
    RUN(what_cannot_be_planned_says_why);
    RUN(one_block_sends_nothing);
    RUN(a_plan_explains_itself);
    return test_end();
}
