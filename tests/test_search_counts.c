/* test_search_counts.c - what the search for memory counts.
 * SPDX-License-Identifier: MIT
 *
 * Byte permutes are counted word by word, wavefronts bank by bank, bounds
 * compared with the costs of all memories that were tried.
 */
#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"
#include "search_spans.h"

/* The byte permutes that turn words of registers into stored words, or loaded
 * words into words of registers. A word of one or two others takes one, a word
 * of more takes two; none is needed if bytes stay in their places. */
static unsigned permutes_beside(const ll_step *s, unsigned scale,
                                unsigned regs) {
    const unsigned most = scale < 2u ? 2u - scale : 0u;
    const unsigned word = most < regs ? most : regs;
    const unsigned mask = (1u << word) - 1u;
    const int load = s->op == LL_OP_LOAD;
    const unsigned to = load ? word : s->pack; /* log2 of a made word */
    const unsigned from = load ? s->pack : word;
    unsigned made[64], other[64], worst = 0;
    int keeps = word == s->pack;
    for (unsigned p = 0; p < 1u << regs; ++p) {
        const unsigned r = ll_registers(&s->at, p);
        keeps = keeps && (r & mask) == (p & mask);
        made[p] = (load ? r : p) >> to;
        other[p] = (load ? p : r) >> from;
        keeps = keeps && other[p] == other[p & ~mask] &&
                made[p] == made[p & ~mask];
    }
    for (unsigned w = 0; w < 1u << (regs - to); ++w) {
        unsigned list[64], n = 0;
        for (unsigned p = 0; p < 1u << regs; ++p) {
            unsigned k = 0;
            while (k < n && list[k] != other[p]) {
                ++k;
            }
            if (made[p] == w && k == n) {
                list[n++] = other[p];
            }
        }
        worst = n > worst ? n : worst;
    }
    return word == 0 || keeps ? 0u : (worst > 2u ? 2u : 1u) << (regs - to);
}

static void byte_permutes_are_counted_word_by_word(void) {
    unsigned found[3] = LL_ZERO;
    for (unsigned n = 0; n < 1500u; ++n) {
        const unsigned scale = test_random(4), regs = test_random(6);
        const unsigned op = test_random(2);
        const ll_target t = LL_SM90;
        const ll_layout x = sums_of_places(regs, 5, test_random(3) == 0);
        ll_step s = ll_step_by_vectors_(&x, scale, op, &t);
        const unsigned want = permutes_beside(&s, scale, regs);
        CHECK(s.at.n == regs && ll_permutes_beside_(&s) == want);
        /* A cost counts wavefronts first, then accesses, nine to a permute. */
        CHECK(ll_step_cost_(&s) == ((unsigned long long)s.count * s.wavefronts
                                    << 32) + 9u * s.count + want);
        s.joined = s.count > 1u;
        CHECK(ll_step_bare_cost_(&s) ==
              ((unsigned long long)s.count * s.wavefronts << 32) +
                  9u * (s.joined ? s.count / 2u : s.count));
        ++found[want == 0 ? 0 : want >> (regs - s.pack) ? 2 : 1];
    }
    CHECK(found[0] > 50u && found[1] + found[2] > 100u);
}

/* Counts the wavefronts of a store word by word, with `bytes` per lane: 32 lanes
 * in phases of 128 bytes, as on sm_90, and up to 64 banks. */
static unsigned stored_in(const ll_layout *x, unsigned scale, unsigned bytes,
                          unsigned banks) {
    const unsigned lanes = bytes <= 4u ? 32u : 128u / bytes;
    unsigned waves = 0;
    for (unsigned first = 0; first < 32u; first += lanes) {
        unsigned word[128], load[64] = LL_ZERO;
        unsigned n = 0, worst = 0;
        for (unsigned k = 0; k < lanes * bytes; k += bytes < 4u ? bytes : 4u) {
            unsigned at = k % bytes, m = 0;
            for (unsigned bit = 0; bit < 5u; ++bit) {
                at ^= (first + k / bytes) >> bit & 1u
                          ? x->basis[x->in.bits[0] + bit] << scale : 0u;
            }
            while (m < n && word[m] != at / 4u) {
                ++m;
            }
            if (m == n) {
                word[n++] = at / 4u;
                const unsigned now = ++load[at / 4u % banks];
                worst = now > worst ? now : worst;
            }
        }
        waves += worst;
    }
    return waves;
}

/* Wavefronts by definition, for any number of banks of 1 to 16 bytes: the lanes
 * whose numbers differ by the sum of phase vectors are served together, and a
 * bank serves one word at a time. */
static unsigned served_by(const ll_target *t, const unsigned *lane,
                          unsigned bytes, unsigned op, unsigned phase_lanes) {
    const unsigned banks = t->banks[op][bytes <= 4u ? 0 : bytes <= 8u ? 1 : 2];
    unsigned sum = 0;
    for (unsigned first = 0; first < t->lanes; first += phase_lanes) {
        unsigned word[1024], n = 0, worst = 0;
        for (unsigned k = 0; k < phase_lanes * bytes; ++k) {
            unsigned at = k % bytes, m = 0;
            for (unsigned bit = 0; bit < 6u; ++bit) {
                at ^= (first + k / bytes) >> bit & 1u ? lane[bit] : 0u;
            }
            while (m < n && word[m] != at / t->bank_bytes) {
                ++m;
            }
            word[m] = at / t->bank_bytes;
            n = m == n ? n + 1u : n;
        }
        for (unsigned b = 0; b < banks; ++b) {
            unsigned load = 0;
            for (unsigned m = 0; m < n; ++m) {
                load += word[m] % banks == b;
            }
            worst = load > worst ? load : worst;
        }
        sum += worst;
    }
    return sum;
}

static void wavefronts_are_counted_for_any_banks(void) {
    for (unsigned n = 0; n < 500u; ++n) {
        const unsigned bytes = 1u << test_random(5), op = test_random(2);
        const unsigned wide = bytes <= 4u ? 0u : bytes <= 8u ? 1u : 2u;
        const unsigned all = 5u + test_random(2); /* lane bits of a warp */
        const unsigned phase = test_random(all + 1u);
        const unsigned banks = 1u << test_random(7);
        unsigned lane[6] = LL_ZERO, least = 0;
        ll_target t = LL_SM90;
        t.lanes = 1u << all;
        t.bank_bytes = 1u << test_random(5);
        t.banks[op][wide] = banks;
        for (unsigned k = 0; k < 6u; ++k) {
            t.phase[op][wide][k] = k < phase ? 1u << k : 0u;
            lane[k] = test_random(6) && k < all ? bytes << test_random(7) : 0u;
        }
        /* A wide read whose address ignores lane 1 or 2 serves two phases. */
        const int merges = op == LL_READ && wide && (!lane[0] || !lane[1]);
        const unsigned together = merges && phase < all ? phase + 1u : phase;
        CHECK(ll_access_waves_(lane, bytes, op, &t, &least) ==
              served_by(&t, lane, bytes, op, 1u << together));
        CHECK(least == t.lanes >> together);
    }
}

/* From the widest access down to the first without conflicts: the fewest
 * wavefronts, then one without conflicts, then the wider one. */
static void the_width_with_the_fewest_wavefronts_is_taken(void) {
    unsigned narrower = 0, clashing = 0;
    for (unsigned n = 0; n < 1500u; ++n) {
        ll_target t = LL_SM90;
        const unsigned scale = test_random(3), regs = 1u + test_random(4);
        ll_layout x = sums_of_places(regs, 5, test_random(2) != 0);
        for (unsigned k = 0; k < 5u; ++k) { /* wide registers, lanes afar */
            x.basis[k] = k < regs && n % 3u ? 1u << k : x.basis[k];
            x.basis[regs + k] = n % 3u ? 1u << (regs + test_random(5))
                                       : x.basis[regs + k];
        }
        unsigned banks[5] = LL_ZERO; /* by log2 of the bytes */
        for (unsigned k = 0; k < 5u; ++k) {
            banks[k] = k == 1u || k == 2u ? banks[0] : 8u << test_random(4);
            t.banks[LL_WRITE][k < 3u ? 0 : k - 2u] = banks[k];
        }
        const ll_step s = ll_step_by_vectors_(&x, scale, LL_WRITE, &t);
        const ll_access at = ll_access_meet_(&x, 4u - scale);
        unsigned best = ~0u, width = 0;
        int clash = 1;
        for (unsigned v = at.vector + 1u; clash && v-- > 0;) {
            const unsigned bytes = 1u << (v + scale);
            const unsigned waves = stored_in(&x, scale, bytes,
                                             banks[v + scale]);
            const unsigned all = waves << (at.n - v);
            clash = waves > (bytes <= 4u ? 1u : bytes / 4u);
            if (all < best || (all == best && !clash)) {
                best = all;
                width = v;
            }
        }
        CHECK(s.at.vector == width && s.bytes == 1u << (width + scale));
        CHECK(s.count * s.wavefronts == best);
        CHECK(s.wavefronts ==
              stored_in(&x, scale, s.bytes, banks[width + scale]));
        narrower += width < at.vector;
        clashing += s.wavefronts > s.least;
    }
    CHECK(narrower > 5u && clashing > 50u);
}

/* CDNA3 ISA, DS_READ2_B32 and DS_READ2ST64_B32: the two offsets have 8 bits,
 * in words or in 64 words; B64 counts double words. */
static void two_accesses_are_joined_by_their_distance(void) {
    const ll_target t = LL_GFX942;
    for (unsigned k = 0; k < 2400u; ++k) { /* all, then about multiples of 64 */
        const unsigned d = k < 1200u ? k + 2u : (k / 3u - 380u) * 64u + k % 3u;
        const int near = d < 256u || (d % 64u == 0 && d / 64u < 256u);
        for (unsigned scale = 2; scale < 4u; ++scale) {
            ll_shape in = ll_shape_of("register=2 lane=64");
            ll_layout x = ll_zero(in, ll_shape_of("offset=65536"));
            x.basis[0] = d;
            ll_step s = ll_step_by_vectors_(&x, scale, LL_READ, &t);
            CHECK(s.count == 2u && (s.joined != 0) == near);
            x.basis[1] = d; /* a lane changes the distance */
            s = ll_step_by_vectors_(&x, scale, LL_READ, &t);
            CHECK(!s.joined || s.count == 1u || x.basis[0] != d);
        }
    }
    for (unsigned d = 4; d <= 1u << 15; d *= 2u) { /* of 16 bits, by twos */
        ll_layout x = ll_zero(ll_shape_of("register=4 lane=64"),
                              ll_shape_of("offset=65536"));
        x.basis[0] = 1;
        x.basis[1] = d;
        const ll_step s = ll_step_by_vectors_(&x, 1, LL_READ, &t);
        CHECK(s.bytes == 4u && s.count == 2u);
        CHECK((s.joined != 0) == (d / 2u < 64u * 256u));
    }
    for (unsigned p = 1; p < 8u; ++p) { /* the shorter of two distances */
        for (unsigned q = 1; q < 8u; ++q) {
            ll_layout x = ll_zero(ll_shape_of("register=4 lane=64"),
                                  ll_shape_of("offset=256"));
            x.basis[0] = 1u << p;
            x.basis[1] = 1u << q;
            const ll_step s = ll_step_by_vectors_(&x, 2, LL_WRITE, &t);
            CHECK(p == q || (s.joined && s.at.place[0] ==
                                             1u << (p < q ? p : q)));
            CHECK(p == q || s.at.place[0] ==
                                x.basis[s.at.reg[0] == 1u ? 0 : 1]);
        }
    }
    for (unsigned bytes = 1; bytes <= 16u; bytes *= 2u) {
        const unsigned two = bytes == 4u || bytes == 8u ? 2u : 1u;
        const ll_target none = LL_SM90;
        for (unsigned n = 1; n <= 32u; n *= 2u) {
            CHECK(ll_accesses_joined_(n, bytes, &none) == n);
            CHECK(ll_accesses_joined_(n, bytes, &t) ==
                  (n == 1u ? n : n / two));
        }
    }
}

/* No memory serves a side for less than the bound, and one reaches it: first 16
 * bytes of registers, then the lanes, then the other registers. */
static void a_side_has_a_least_cost(void) {
    for (unsigned n = 0; n < 600u; ++n) {
        const ll_target t = n % 3u == 0   ? LL_SM90
                            : n % 3u == 1 ? LL_GFX942
                                          : LL_GFX1100;
        const unsigned scale = test_random(5), op = test_random(2);
        const unsigned lanes = t.lanes == 64u ? 6u : 5u;
        ll_layout x = sums_of_places(test_random(5), lanes, n % 2u);
        const unsigned long long bound =
            ll_cost_bound_(&x, scale, t.access_bytes, op, &t);
        const ll_step s = ll_step_by_vectors_(&x, scale, op, &t);
        CHECK(ll_step_bare_cost_(&s) >= bound);
        const unsigned regs = x.in.bits[0];
        const unsigned wide = regs + scale > 4u ? 4u - scale : regs;
        for (unsigned k = 0; k < regs + lanes; ++k) {
            x.basis[k] = 1u << (k < wide    ? k
                                : k >= regs ? k - regs + wide
                                            : k + lanes);
        }
        const ll_step best = ll_step_by_vectors_(&x, scale, op, &t);
        CHECK(ll_step_bare_cost_(&best) == bound);
        CHECK(ll_cost_bound_(&x, scale, t.access_bytes, op, &t) == bound);
        /* By single elements: as many accesses, joined by twos. */
        const unsigned size = 1u << scale;
        if (size >= 4u) {
            const unsigned long long waves =
                ll_cost_bound_(&x, scale, size, op, &t) >> 32;
            CHECK(waves == (size / 4u << regs) * (t.lanes / 32u));
        }
        CHECK((unsigned)ll_cost_bound_(&x, scale, size, op, &t) ==
              9u * ll_accesses_joined_(1u << regs, size, &t));
    }
}

/* Whether the lowest element bit of a matrix' row lies in registers, for every
 * form that takes such elements (PTX ISA, ldmatrix; CDNA4 ISA, DS_READ_TR):
 * two bytes of a row are, two halves of a transposed row or two words are not,
 * and two bytes of a transposed row of bytes are not. */
static void rows_of_matrices_begin_in_registers(void) {
    static const int paired[4][5] = {
        {1, 0, 0, 1, 1}, {0, 0, 0, 1, 1}, {1, 1, 1, 1, 1}, {0, 0, 1, 1, 1}};
    const ll_target t[4] = {LL_SM90, LL_SM100F, LL_GFX942, LL_GFX950};
    for (unsigned k = 0; k < 4u; ++k) {
        for (unsigned scale = 0; scale < 5u; ++scale) {
            CHECK(ll_forms_are_paired_(scale, &t[k]) == paired[k][scale]);
            for (unsigned form = 1; form < LL_MAX_FORMS; ++form) {
                for (unsigned op = 0; op < 2u; ++op) {
                    ll_target one = ll_without_forms_(t[k], LL_READ);
                    one = ll_without_forms_(one, LL_WRITE);
                    one.forms[op][form] = t[k].forms[op][form];
                    /* Transposed pairs of bytes keep together. */
                    const int apart =
                        one.forms[op][form] &&
                        (form == LL_FORM_MATRIX  ? scale == 2u
                         : form == LL_FORM_TRANS ? scale == 1u
                                                 : scale == 0);
                    CHECK(ll_forms_are_paired_(scale, &one) == !apart);
                }
            }
        }
    }
    CHECK(ll_form_is_wordwise_(t[0].forms[LL_READ][LL_FORM_MATRIX]));
    CHECK(!ll_form_is_wordwise_(t[0].forms[LL_READ][LL_FORM_TRANS]));
    CHECK(!ll_form_is_wordwise_(t[1].forms[LL_READ][LL_FORM_BYTES]));
    CHECK(!ll_form_is_wordwise_(t[3].forms[LL_READ][LL_FORM_TRANS]));
}

/* Powers of two: at most 2^16 banks, 64 lanes and 16 bytes. */
static void targets_have_sizes_that_can_be_used(void) {
    const ll_target good = LL_SM90;
    CHECK(ll_is_target_(&good));
    for (unsigned k = 0; k < 3u * 20u; ++k) { /* powers and their neighbours */
        const unsigned x = (1u << k / 3u) + k % 3u - 1u;
        const int power = x && (x & (x - 1u)) == 0;
        ll_target t = good;
        t.lanes = x;
        CHECK(ll_is_target_(&t) == (power && x <= 64u));
        t = good;
        t.bank_bytes = x;
        CHECK(ll_is_target_(&t) == (power && x <= 16u));
        t = good;
        t.access_bytes = x;
        CHECK(ll_is_target_(&t) == (power && x <= 16u));
        for (unsigned m = 0; m < 6u; ++m) {
            t = good;
            t.banks[m / 3u][m % 3u] = x;
            CHECK(ll_is_target_(&t) == (power && x <= 1u << 16));
        }
    }
    ll_target bad = good;
    bad.err = LL_ETARGET;
    CHECK(!ll_is_target_(&bad));
}

/* Bytes whose words are taken apart whatever the memory: each side has two
 * registers or more, they share at most one vector, and on neither side a word
 * begins with it. */
static void words_that_are_taken_apart_anyway(void) {
    unsigned found[2] = LL_ZERO;
    for (unsigned n = 0; n < 2000u; ++n) {
        ll_layout both[2];
        ll_span_ common = LL_ZERO;
        int begins = 0, few = 0;
        const unsigned scale = test_random(4) ? 0u : test_random(3);
        for (unsigned k = 0; k < 2u; ++k) {
            both[k] = sums_of_places(test_random(5), 3, 1);
            both[k].basis[0] = 1u + test_random(15);
            few = few || both[k].in.bits[0] < 2u;
        }
        common.n = test_random(3);
        for (unsigned k = 0; k < common.n; ++k) {
            common.v[k] = test_random(4) ? 1u + test_random(15)
                                         : both[test_random(2)].basis[0];
        }
        for (unsigned k = 0; k < 2u; ++k) {
            begins = begins ||
                     (common.n == 1u && both[k].basis[0] == common.v[0]);
        }
        const int same = both[0].basis[0] == both[1].basis[0];
        const int apart =
            scale == 0 && !few && common.n <= 1u && !begins && !same;
        CHECK(ll_is_apart_anyway_(&both[0], &both[1], &common, scale) ==
              apart);
        ++found[apart];
    }
    CHECK(found[0] > 200u && found[1] > 200u);
}

/* Eighths of a cycle: the pipe of memory, logic beside it, and a barrier. */
static unsigned cycles_by_hand(unsigned permutes, unsigned pipe,
                               const ll_target *t) {
    const unsigned logic = permutes * t->cost[LL_COST_LOGIC];
    pipe *= t->cost[LL_COST_MEMORY];
    return ((pipe > logic ? pipe : logic) + t->cost[LL_COST_BLOCK] + 7u) / 8u;
}

/* Other accesses are tried if byte permutes, not accesses, set the time, and if
 * the plan accesses matrices or the fewest wavefronts would be faster. */
static void permutes_make_vectors_worth_a_try(void) {
    unsigned found[2] = LL_ZERO;
    for (unsigned n = 0; n < 3000u; ++n) {
        const ll_target t = LL_SM90;
        ll_plan p = LL_ZERO;
        const unsigned before = test_random(3) ? test_random(40) : 0u;
        const unsigned after = test_random(3) ? test_random(40) : 0u;
        unsigned pipe = 0;
        p.n = 5;
        p.kind = LL_SHARED;
        p.err = test_random(8) == 0 ? LL_EKIND : LL_OK;
        p.fewest = test_random(60);
        p.step[0].op = p.step[4].op = LL_OP_RENAME;
        p.step[0].count = before;
        p.step[4].count = after;
        p.step[2].op = LL_OP_SYNC_BLOCK;
        p.step[2].count = 1;
        for (unsigned k = 1; k <= 3u; k += 2u) {
            p.step[k].op = k == 1u ? LL_OP_STORE : LL_OP_LOAD;
            p.step[k].form = test_random(2) ? test_random(LL_MAX_FORMS) : 0u;
            p.step[k].count = 1u + test_random(4);
            p.step[k].wavefronts = 1u + test_random(6);
            pipe += p.step[k].count * p.step[k].wavefronts;
        }
        p.cycles = cycles_by_hand(before + after, pipe, &t);
        const unsigned without = cycles_by_hand(0, pipe, &t);
        const unsigned empty = cycles_by_hand(0, 0, &t);
        const unsigned least = (p.fewest * t.cost[LL_COST_MEMORY] + 7u) / 8u;
        const int may = !p.err && without < p.cycles &&
                        (p.step[1].form || p.step[3].form ||
                         empty + least < p.cycles);
        CHECK((ll_plan_may_permute_less_(&p, &t) != 0) == may);
        ++found[may];
    }
    CHECK(found[0] > 200u && found[1] > 100u);
}

/* A memory for two sides has every element, also where the second side holds a
 * part of the tensor only. */
static void memory_holds_what_either_side_does(void) {
    for (unsigned n = 0; n < 300u; ++n) {
        const ll_target t = n % 2u ? LL_SM90 : LL_SM80;
        const unsigned regs = 1u + test_random(7);
        ll_layout part[2];
        for (unsigned k = 0; k < 2u; ++k) {
            part[k] = ll_rename_out(sums_of_places(regs, 5, 1), "offset",
                                    "j");
        }
        const unsigned lost = test_random(regs + 5u);
        part[1].basis[lost] = test_random(2) ? 0u : part[1].basis[lost ^ 1u];
        const unsigned bits = 8u << test_random(4);
        const ll_layout m = ll_swizzle(part[0], part[1], bits, t);
        CHECK(m.err == LL_OK);
        for (unsigned k = 0; k < regs + 5u; ++k) {
            CHECK(ll_reaches(m, part[0].basis[k]));
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(byte_permutes_are_counted_word_by_word);
    RUN(wavefronts_are_counted_for_any_banks);
    RUN(the_width_with_the_fewest_wavefronts_is_taken);
    RUN(two_accesses_are_joined_by_their_distance);
    RUN(a_side_has_a_least_cost);
    RUN(rows_of_matrices_begin_in_registers);
    RUN(targets_have_sizes_that_can_be_used);
    RUN(words_that_are_taken_apart_anyway);
    RUN(permutes_make_vectors_worth_a_try);
    RUN(memory_holds_what_either_side_does);
    return test_end();
}
