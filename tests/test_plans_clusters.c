/* test_plans_clusters.c - plans of clusters move every element.
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"
#include "plans.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* Registers, lanes, warps and some of 2^blocks blocks, each bit somewhere;
 * other columns are 0 or, where `again`, hold elements a second time. */
static ll_layout random_in_cluster(const random_pair *c, unsigned lanes,
                                   unsigned blocks, int again) {
    const unsigned threads = lanes + test_random(3) + blocks;
    const unsigned least = c->tensor > threads ? c->tensor - threads : 0u;
    const unsigned regs = least + test_random(3);
    const unsigned warps = threads - lanes - blocks;
    const unsigned n = regs + threads;
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1u << warps);
    ll_layout a = ll_zero(ll_with(in, LL_BLOCK, 1u << blocks), c->out);
    for (unsigned bit = 0; bit < c->tensor; ++bit) {
        unsigned k = test_random(3) ? test_random(n)
                                    : n - 1u - test_random(blocks + 1u);
        while (a.basis[k]) {
            k = (k + 1u) % n;
        }
        a.basis[k] = 1u << bit;
    }
    for (unsigned k = 0; again && k < n; ++k) {
        a.basis[k] ^= a.basis[k] == 0 && test_random(2)
                          ? test_random(1u << c->tensor)
                          : 0u;
    }
    return a;
}

static random_pair random_cluster(const ll_target *t) {
    random_pair c = LL_ZERO;
    unsigned basis[32];
    const unsigned kind = test_random(8);
    c.tensor = 1u + test_random(ll_log2_(t->lanes) + 5u);
    c.blocks = 1u + test_random(3);
    const unsigned fewer = test_random(4) ? c.blocks : test_random(c.blocks);
    const unsigned fast = test_random(c.tensor + 1u);
    c.out = ll_with(ll_with(ll_shape_of(""), LL_J, 1u << fast), LL_I,
                    1u << (c.tensor - fast));
    c.a = random_in_cluster(&c, ll_log2_(t->lanes), c.blocks, kind & 1u);
    c.b = random_in_cluster(&c, ll_log2_(t->lanes), fewer, kind & 2u);
    random_basis(basis, c.tensor, c.tensor);
    if (kind & 4u) {
        twist(&c.b, basis, c.tensor);
    }
    if (test_random(4) == 0) {
        c.a.offset = test_random(1u << c.tensor);
        c.b.offset = test_random(1u << c.tensor);
    }
    if (test_random(2)) {
        const ll_layout swap = c.a;
        c.a = c.b;
        c.b = swap;
    }
    return c;
}

/* Has each block of layout a what its lanes hold in layout b? */
static int has_its_own(const random_pair *c) {
    static unsigned char held[1 << 16];
    const unsigned all[2] = {bits_in(&c->a.in), bits_in(&c->b.in)};
    const unsigned of[2] = {held_bits(&c->a.in, LL_BLOCK),
                            held_bits(&c->b.in, LL_BLOCK)};
    for (unsigned block = 0; block < 1u << c->blocks; ++block) {
        memset(held, 0, sizeof held);
        for (unsigned side = 0; side < 2u; ++side) {
            const unsigned n = all[side] - of[side]; /* blocks are highest */
            const unsigned own = (block & ((1u << of[side]) - 1u)) << n;
            for (unsigned k = 0; k < 1u << n; ++k) {
                const unsigned y = value(side ? &c->b : &c->a, own | k);
                if (side && !held[y]) {
                    return 0;
                }
                held[y] = 1;
            }
        }
    }
    return 1;
}

/* Data leaves its block only where it must. */
static void plans_of_clusters_move_every_element(void) {
    unsigned kinds[LL_ANY] = LL_ZERO;
    unsigned far[4] = LL_ZERO;
    unsigned near = 0, wide = 0;
    for (unsigned k = 0; k < times(24000u); ++k) {
        const unsigned which = test_random(N_REAL + N_TINY);
        ll_target t = which < N_REAL ? real_machine(which)
                                     : tiny_machine(which - N_REAL);
        const unsigned bits = 8u << test_random(5);
        t.blocks = 8;
        const random_pair c = random_cluster(&t);
        const ll_plan p = ll_plan_of(c.a, c.b, bits, t);
        check_the_plan(&c, bits, &t, LL_ANY, p);
        CHECK((p.blocks == 0) == has_its_own(&c));
        CHECK(p.kind < LL_CLUSTER || ll_plan_by(c.a, c.b, bits, t, LL_SHARED)
                                             .err == LL_EKIND);
        ++kinds[p.kind];
        ++far[p.blocks];
        near += p.kind == LL_CLUSTER && p.blocks == 0;
        wide += p.blocks && p.step[3].bytes == 16u;
    }
    printf("%u far, of 2, 4, 8 blocks %u %u %u; %u near; %u by 16 bytes\n",
           kinds[LL_CLUSTER] - near, far[1], far[2], far[3], near, wide);
    COVERS(far[1] > 3000u && far[2] > 3000u && far[3] > 3000u);
    COVERS(near > 500u && wide > 2000u && kinds[LL_CLUSTER] > 12000u);
}

static void plans_of_clusters_within_a_budget(void) {
    unsigned found[3] = LL_ZERO;
    for (unsigned k = 0; k < times(6000u); ++k) {
        ll_target t = real_machine(test_random(2) ? 0 : 6);
        const unsigned bits = 8u << test_random(5);
        t.blocks = 8;
        const random_pair c = random_cluster(&t);
        const ll_plan whole = ll_plan_of(c.a, c.b, bits, t);
        const unsigned halved = test_random(3);
        const unsigned bytes = whole.smem_bytes >> halved;
        const ll_plan p = ll_plan_within(c.a, c.b, bits, t, bytes);
        CHECK(p.err == LL_OK || (p.err == LL_EBUDGET && halved));
        if (!p.err && p.kind == LL_CLUSTER) {
            CHECK(p.passes == halved);
            CHECK(p.smem_bytes <= bytes);
            check_the_plan(&c, bits, &t, LL_ANY, p);
            ++found[p.passes];
        }
    }
    COVERS(found[0] > 1000u && found[1] > 20u && found[2] > 5u);
}

/* Clusters of 16 blocks, which sm_90 has where the launch asks for more than
 * the portable 8 (CUDA C++ Programming Guide, "Thread Block Clusters"). */
static void plans_of_16_blocks_move_every_element(void) {
    unsigned far = 0;
    for (unsigned k = 0; k < times(300u); ++k) {
        ll_target t = real_machine(test_random(2) ? 0 : 6);
        const unsigned bits = 8u << test_random(5);
        random_pair c = LL_ZERO;
        c.blocks = 4;
        c.tensor = 4u + test_random(6);
        c.out = ll_with(ll_shape_of(""), LL_J, 1u << c.tensor);
        c.a = random_in_cluster(&c, 5, 4, 0);
        c.b = random_in_cluster(&c, 5, 4, 0);
        t.blocks = 16;
        const ll_plan p = ll_plan_of(c.a, c.b, bits, t);
        check_the_plan(&c, bits, &t, LL_ANY, p);
        CHECK((p.blocks == 0) == has_its_own(&c));
        CHECK(p.blocks == 0 || p.blocks == 4u);
        far += p.blocks == 4u;
        t.blocks = 8;
        CHECK(p.kind != LL_CLUSTER ||
              ll_plan_of(c.a, c.b, bits, t).err == LL_EBLOCK);
    }
    COVERS(far > 150u);
}

/* As many blocks as a target has in a cluster, and no more. */
static void clusters_have_their_limits(void) {
    const char *from = "register: j0 | lane: i0 i1 i2 i3 i4 | block: ";
    const char *to = "register: i5 | lane: i0 i1 i2 i3 i4 | block: j0";
    char a[96], b[96];
    const char *more[] = {"i5", "i5 i6", "i5 i6 i7", "i5 i6 i7 i8"};
    const char *less[] = {"", " i6", " i6 i7", " i6 i7 i8"};
    for (unsigned k = 0; k < 4u; ++k) {
        snprintf(a, sizeof a, "%s%s", from, more[k]);
        snprintf(b, sizeof b, "%s%s", to, less[k]);
        const ll_plan p = ll_plan_of(ll_parse(a), ll_parse(b), 32, LL_SM90);
        CHECK(p.err == (k < 3u ? LL_OK : LL_EBLOCK));
        CHECK(p.err || (p.kind == LL_CLUSTER && p.smem_bytes == 256u));
        CHECK(ll_plan_of(ll_parse(a), ll_parse(b), 32, LL_SM89).err ==
              LL_EBLOCK);
        CHECK(ll_plan_by(ll_parse(a), ll_parse(b), 32, LL_SM90, LL_SHARED)
                  .err == (k < 3u ? LL_EKIND : LL_EBLOCK));
        CHECK(ll_plan_by(ll_parse(a), ll_parse(b), 32, LL_SM90, LL_CLUSTER)
                  .err == p.err);
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(plans_of_clusters_move_every_element);
    RUN(plans_of_clusters_within_a_budget);
    RUN(plans_of_16_blocks_move_every_element);
    RUN(clusters_have_their_limits);
    return test_end();
}
