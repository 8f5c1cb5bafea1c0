/* test_choose_k.c - layouts of scales, and orders of k.
 * SPDX-License-Identifier: MIT
 *
 * The oracles go through elements and lanes one by one.
 */
#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"
#include "choose.h"

/* ---- Scales -------------------------------------------------------------- */

/* The packed scale of the element y: its coordinate along d divided. */
static unsigned scale_of(const ll_layout *a, ll_dim d, unsigned group,
                         unsigned y) {
    unsigned at = 0;
    unsigned low = 0;
    while (a->out.dim[at] != d) {
        low += a->out.bits[at];
        ++at;
    }
    const unsigned below = y & ((1u << low) - 1u);
    return ((y >> low) / group << low) | below;
}

/* Does each thread hold the scales that its elements need, and no others? */
static int holds_its_scales(const ll_layout *a, const ll_layout *s, ll_dim d,
                            unsigned group) {
    static unsigned char need[MAX], have[MAX];
    const unsigned all = 1u << bits_in(&s->out);
    const unsigned cells = inputs(a) / registers(a) * all;
    memset(need, 0, cells);
    memset(have, 0, cells);
    for (unsigned x = 0; x < inputs(a); ++x) {
        const unsigned y = scale_of(a, d, group, value(a, x));
        need[x / registers(a) * all + y] = 1;
    }
    for (unsigned x = 0; x < inputs(s); ++x) {
        have[x / registers(s) * all + value(s, x)] = 1;
    }
    return memcmp(need, have, cells) == 0;
}

/* The scales repeated: does register r hold those of the r-th of the scales? */
static int repeats_its_scales(const ll_layout *a, const ll_layout *s, ll_dim d,
                              unsigned group) {
    const ll_layout b = ll_scales_back(*s, d, group);
    int same = !b.err && ll_size(b.out, d) == ll_size(a->out, d);
    same = same && registers(&b) == group * registers(s);
    for (unsigned p = 0; same && p < inputs(&b); ++p) {
        const unsigned r = p % registers(&b) % registers(s);
        const unsigned q = p / registers(&b) * registers(s) + r;
        same = scale_of(&b, d, group, value(&b, p)) == value(s, q);
    }
    return same && ll_is_surjective(b) &&
           ll_is_equal(ll_scales_of(b, d, group), *s);
}

/* Each register's scale, reached inside of each lane by the same renaming. */
static int tells_each_scale(const ll_layout *a, const ll_layout *s, ll_dim d,
                            unsigned group) {
    const ll_layout each = ll_scales_each(*a, d, group);
    const ll_layout x = ll_solve(*s, each, LL_LOCAL);
    int same = !each.err && inputs(&each) == inputs(a);
    for (unsigned p = 0; same && p < inputs(a); ++p) {
        same = value(&each, p) == scale_of(a, d, group, value(a, p));
    }
    return same && ll_is_trivial(x, "lane warp block");
}

static void scales_lie_where_they_are_needed(void) {
    for (unsigned n = 0; n < times(3000u); ++n) {
        const unsigned rank = 1u + test_random(4);
        const ll_layout a = random_layout(rank, n % 2u);
        const ll_dim d = ll_axis(test_random(rank));
        const unsigned group = 1u << test_random(5);
        const ll_layout s = ll_scales_of(a, d, group);
        if (group > ll_size(a.out, d)) {
            CHECK(s.err == LL_EGROUP);
            continue;
        }
        CHECK(!s.err && s.out.n == rank);
        CHECK(ll_size(s.out, d) == ll_size(a.out, d) / group);
        CHECK(holds_its_scales(&a, &s, d, group));
        CHECK(repeats_its_scales(&a, &s, d, group));
        CHECK(tells_each_scale(&a, &s, d, group));
        CHECK(ll_scales_of(a, d, 3).err == LL_EGROUP);
        CHECK(ll_scales_back(s, d, 3).err == LL_EGROUP);
        CHECK(ll_scales_of(a, LL_OFFSET, 2).err == LL_EMISSING);
        CHECK(ll_scales_back(s, LL_OFFSET, 2).err == LL_EMISSING);
    }
}

/* The scaled instructions want fewer copies: a quad (NVIDIA) or a column of
 * lanes (AMD) holds together what each of its lanes needs. */
static void instructions_want_the_scales_of_their_lanes(void) {
    const ll_layout a4 = ll_amd_mfma_a(16, 128, 1, 4);
    const ll_layout b4 = ll_amd_mfma_b(64, 32, 1, 4);
    CHECK(ll_is_equal(ll_scales_of(a4, LL_J, 32), ll_amd_mfma_scale_a(16, 128)));
    CHECK(ll_is_equal(ll_scales_of(b4, LL_I, 32), ll_amd_mfma_scale_b(64, 32)));
    const ll_layout a8 = ll_scales_of(ll_amd_mfma_a(32, 64, 1, 8), LL_J, 32);
    const ll_layout in8 = ll_solve(ll_amd_mfma_scale_a(32, 64), a8, LL_LOCAL);
    CHECK(ll_is_equal(ll_sub(in8, "lane", "lane"),
                      ll_parse("lane: lane0 lane1 lane2 lane3 lane4 0 "
                               "-> lane=64")));
    for (unsigned scales = 1; scales <= 2u; scales *= 2u) {
        const ll_layout a = ll_ptx_fragment_a(16, 32u * scales, 4);
        const ll_layout b = ll_ptx_fragment_b(32u * scales, 8, 4);
        const ll_layout sa = ll_scales_of(a, LL_J, 32);
        const ll_layout sb = ll_scales_of(b, LL_I, 32);
        const ll_layout xa = ll_solve(ll_ptx_scale_a(scales), sa, LL_LOCAL);
        const ll_layout xb = ll_solve(ll_ptx_scale_b(scales), sb, LL_LOCAL);
        CHECK(ll_is_equal(ll_sub(xa, "lane", "lane"),
                          ll_parse("lane: 0 lane1 lane2 lane3 lane4")));
        CHECK(ll_is_trivial(xb, "lane"));
        CHECK(registers(&sa) == 2u * scales && registers(&sb) == scales);
    }
}

/* ---- The order of k ------------------------------------------------------ */

/* The most elements, a power of two, that each lane holds side by side along
 * d, aligned, counted at the place of its first register. */
static unsigned side_by_side(const ll_layout *a, ll_dim d) {
    static unsigned char held[MAX];
    unsigned least = ll_size(a->out, d);
    const unsigned k = ll_pack(a->out, d, ~0u);
    for (unsigned first = 0; first < inputs(a); first += registers(a)) {
        const unsigned at = value(a, first);
        memset(held, 0, ll_size(a->out, d));
        for (unsigned r = 0; r < registers(a); ++r) {
            const unsigned y = value(a, first + r);
            if ((y & ~k) == (at & ~k)) {
                held[ll_unpack(a->out, d, y)] = 1;
            }
        }
        unsigned n = ll_size(a->out, d);
        for (unsigned m = 1; m <= n; m *= 2u) {
            const unsigned from = ll_unpack(a->out, d, at) / m * m;
            for (unsigned x = from; m <= n && x < from + m; ++x) {
                n = held[x] ? n : m / 2u;
            }
        }
        least = n < least ? n : least;
    }
    return least;
}

/* The elements along d at the place of the first register: for a distributed
 * layout what any order can bring together. */
static unsigned along(const ll_layout *a, ll_dim d) {
    const unsigned k = ll_pack(a->out, d, ~0u);
    unsigned char seen[512] = {0};
    unsigned n = 0;
    for (unsigned r = 0; r < registers(a); ++r) {
        const unsigned y = value(a, r);
        if (((y ^ value(a, 0)) & ~k) == 0) {
            n += seen[ll_unpack(a->out, d, y)] ? 0u : 1u;
            seen[ll_unpack(a->out, d, y)] = 1;
        }
    }
    return n;
}

static int is_order(const ll_layout *s) {
    unsigned char seen[1024] = {0};
    int ok = !s->err && s->in.n == 1u && s->out.n == 1u &&
             s->in.bits[0] == s->out.bits[0] && s->in.bits[0] <= 10u;
    for (unsigned x = 0; ok && x < inputs(s); ++x) {
        const unsigned y = value(s, x);
        ok = y < inputs(s) && !seen[y];
        seen[y & 1023u] = 1;
    }
    return ok;
}

static void shuffled_elements_lie_side_by_side(void) {
    for (unsigned n = 0; n < times(3000u); ++n) {
        const unsigned rank = 1u + test_random(3);
        const unsigned mixed = n % 2u;
        const ll_layout a = random_layout(rank, mixed);
        const ll_dim d = ll_axis(test_random(rank));
        unsigned most = mixed ? ll_size(a.out, d) : along(&a, d);
        for (unsigned v = 1; v <= most; v *= 2u) {
            const ll_layout s = ll_preshuffle(a, d, v);
            if (mixed && s.err == LL_EVECTOR) {
                break;
            }
            const ll_layout b = ll_renumber(a, d, s);
            CHECK(is_order(&s) && side_by_side(&b, d) >= v);
            CHECK(d != b.out.dim[0] || ll_vector(b, v) == v);
            for (unsigned x = 0; x < inputs(&a); ++x) {
                const unsigned y = value(&a, x);
                const unsigned k = value(&s, ll_unpack(a.out, d, y));
                CHECK(value(&b, x) == ((y & ~ll_pack(a.out, d, ~0u)) |
                                       ll_pack(a.out, d, k)));
            }
        }
        CHECK(mixed || ll_preshuffle(a, d, 2u * most).err == LL_EVECTOR);
        CHECK(ll_preshuffle(a, d, 3).err == LL_EVECTOR);
        CHECK(ll_preshuffle(a, LL_OFFSET, 1).err == LL_EMISSING);
        CHECK(ll_renumber(a, LL_OFFSET, a).err == LL_EMISSING);
        CHECK(ll_renumber(a, d, ll_identity(2u * ll_size(a.out, d), d, d)).err ==
              LL_EMATCH);
    }
}

enum { M = 64, N = 16, K = 128 };
static int left[M * K], right[K * N], got_left[M * K], got_right[K * N];

/* What an instruction multiplies: it takes a lane's register for the element
 * that the layout a says, whatever was loaded there, by the layout b. */
static void fill(const ll_layout *a, const ll_layout *b, const int *from,
                 int *to) {
    for (unsigned x = 0; x < inputs(a); ++x) {
        to[value(a, x)] = from[value(b, x)];
    }
}

static void check_product(ll_layout a, ll_layout b, unsigned elements) {
    const ll_layout s = ll_preshuffle(a, LL_J, elements);
    const ll_layout as = ll_renumber(a, LL_J, s);
    const ll_layout bs = ll_renumber(b, LL_I, s);
    CHECK(!as.err && !bs.err && !ll_is_equal(s, ll_identity(K, LL_J, LL_J)));
    for (unsigned k = 0; k < M * K; ++k) {
        left[k] = (int)test_random(255) - 127;
    }
    for (unsigned k = 0; k < K * N; ++k) {
        right[k] = (int)test_random(255) - 127;
    }
    fill(&a, &as, left, got_left);
    fill(&b, &bs, right, got_right);
    for (unsigned i = 0; i < M; ++i) {
        for (unsigned j = 0; j < N; ++j) {
            int plain = 0;
            int other = 0;
            for (unsigned k = 0; k < K; ++k) {
                plain += left[i * K + k] * right[k * N + j];
                other += got_left[i * K + k] * got_right[k * N + j];
            }
            CHECK(plain == other);
        }
    }
    CHECK(ll_vector(a, 16) < elements && ll_vector(as, elements) == elements);
    const unsigned wide = elements < 8u ? elements : 8u; /* 16 bits */
    CHECK(ll_vector(ll_trans(bs, "j i"), wide) == wide);
    CHECK(ll_widest(as, ll_row_major(as.out), 8, 16) == elements);
}

static void a_product_does_not_see_the_order_of_k(void) {
    for (unsigned elements = 4; elements <= 16u; elements *= 2u) {
        check_product(ll_ptx_mma_a(M, K, 16, 4), ll_ptx_mma_b(K, N, 16, 4),
                      elements);
        const ll_layout a = filled(ll_amd_mfma_a(16, 16, 1, 16), M, K, 4);
        const ll_layout b = filled(ll_amd_mfma_b(16, 16, 1, 16), K, N, 1);
        check_product(a, ll_resize_in(b, LL_WARP, 4),
                      elements < 8u ? 8u : elements);
    }
}

/* wgmma reads B in its own order, so B is stored shuffled instead: element k
 * where s(k) was; A of 4 bits, two in a byte, loads 16 bytes a lane. */
static void one_operand_in_registers_is_enough(void) {
    const ll_layout a = ll_ptx_wgmma_a(M, K, 16, 4);
    const ll_layout s = ll_preshuffle(a, LL_J, 32);
    const ll_layout as = ll_renumber(a, LL_J, s);
    int before[K];
    int stored[K];
    for (unsigned k = 0; k < K; ++k) {
        before[k] = (int)test_random(1000);
    }
    for (unsigned k = 0; k < K; ++k) {
        stored[k] = before[value(&s, k)];
    }
    for (unsigned x = 0; x < inputs(&a); ++x) {
        const unsigned k = value(&a, x) % K; /* what the instruction means */
        CHECK(stored[k] == before[value(&as, x) % K]);
    }
    const unsigned order[7] = {0, 2, 3, 4, 5, 1, 6};
    const ll_layout sorted =
        ll_permute(as, LL_REGISTER, ll_perm_of(6, 6, order));
    CHECK(ll_vector(as, 32) == 32u);
    CHECK(ll_vector(ll_bitcast(sorted, 4, 8), 16) == 16u);
    CHECK(ll_vector(ll_bitcast(a, 4, 8), 16) == 1u);
}

/* A shuffled element has the scale of the element that was loaded there. */
static void scales_follow_the_order_of_k(void) {
    const ll_layout a = ll_ptx_mma_a(M, K, 16, 4);
    const ll_layout as = ll_renumber(a, LL_J, ll_preshuffle(a, LL_J, 16));
    const ll_layout s = ll_scales_of(as, LL_J, 32);
    const ll_layout plain = ll_scales_of(a, LL_J, 32);
    CHECK(holds_its_scales(&as, &s, LL_J, 32));
    CHECK(!holds_its_scales(&as, &plain, LL_J, 32));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(scales_lie_where_they_are_needed);
    RUN(instructions_want_the_scales_of_their_lanes);
    RUN(shuffled_elements_lie_side_by_side);
    RUN(a_product_does_not_see_the_order_of_k);
    RUN(one_operand_in_registers_is_enough);
    RUN(scales_follow_the_order_of_k);
    return test_end();
}
