/* test_gather_banks.c - random reads of gathers, and the banks that they keep
 * busy.
 * SPDX-License-Identifier: MIT
 */
#include "definition.h"
#include "gather.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* The wavefronts of one access of 32 lanes at such addresses, sm_90: the words
 * of each phase, at most once, bank by bank. */
static unsigned counted(const unsigned *address, unsigned bytes) {
    const unsigned lanes = bytes <= 4u ? 32u : 128u / bytes;
    unsigned waves = 0;
    for (unsigned first = 0; first < 32u; first += lanes) {
        unsigned load[32] = LL_ZERO;
        unsigned worst = 0;
        for (unsigned k = first; k < first + lanes; ++k) {
            int known = 0;
            for (unsigned m = first; m < k; ++m) {
                known = known || address[m] / 4u == address[k] / 4u;
            }
            load[address[k] / 4u % 32u] += known ? 0u : 1u;
        }
        for (unsigned k = 0; k < 32u; ++k) {
            worst = load[k] > worst ? load[k] : worst;
        }
        waves += worst;
    }
    return waves;
}

/* The mean, in eighths, over random indices. */
static unsigned mean_of(const ll_gather_plan *p) {
    unsigned long long sum = 0;
    enum { TRIALS = 400 };
    for (unsigned k = 0; k < TRIALS; ++k) {
        unsigned address[32];
        for (unsigned lane = 0; lane < 32u; ++lane) {
            address[lane] = ll_map_at(p->fetch.thread, lane) ^
                            ll_map_at(p->value, test_random(0));
        }
        sum += counted(address, p->fetch.bytes);
    }
    return (unsigned)(sum * 8u / TRIALS);
}

static void random_reads_cost_what_is_estimated(void) {
    for (unsigned n = 4; n <= 64u; n *= 2u) {
        for (unsigned bits = 8; bits <= 128u; bits *= 2u) {
            for (unsigned axis = 0; axis < 2u; ++axis) {
                const ll_layout a = rows(512, n);
                const ll_gather_plan p =
                    ll_gather_by(a, a, axis, bits, LL_SM90, LL_SHARED);
                const unsigned mean = mean_of(&p);
                const unsigned guess = 8u * p.fetch.wavefronts;
                CHECK(guess <= mean + mean / 6u + 5u);
                CHECK(mean <= guess + mean / 6u + 5u);
            }
        }
    }
}

/* Only the banks and phases of accesses as wide as an element count. */
static void other_widths_do_not_matter_to_random_reads(void) {
    for (unsigned n = 0; n < 200u; ++n) {
        const unsigned bits = 8u << n % 5u;
        const unsigned own = bits <= 32u ? 0u : bits == 64u ? 1u : 2u;
        const ll_layout a = rows(512, 4u << test_random(5));
        ll_target t = LL_SM90;
        const unsigned axis = test_random(2);
        const unsigned waves =
            ll_gather_by(a, a, axis, bits, t, LL_SHARED).fetch.wavefronts;
        for (unsigned w = 0; w < 3u; ++w) {
            for (unsigned k = 0; w != own && k < 6u; ++k) {
                t.phase[LL_READ][w][k] = k < 2u ? 1u << k : 0u;
            }
            t.banks[LL_READ][w] = w == own ? 32u : 4u;
        }
        const ll_gather_plan p = ll_gather_by(a, a, axis, bits, t, LL_SHARED);
        CHECK(p.fetch.wavefronts == waves || p.turn.at.n);
    }
}

/* How many rows of banks the source has does not matter once each lane may ask
 * for another. */
static void long_axes_are_as_busy_as_shorter_ones(void) {
    unsigned waves[2] = LL_ZERO;
    for (unsigned k = 0; k < 2u; ++k) {
        const unsigned regs = k ? 18u : 8u;
        ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
        in = ll_with(in, LL_LANE, 32);
        ll_layout a = ll_zero(in, ll_with(ll_shape_of(""), LL_J,
                                          32u << regs));
        for (unsigned bit = 0; bit < regs + 5u; ++bit) {
            a.basis[bit] = 1u << (bit < regs ? bit + 5u : bit - regs);
        }
        const ll_layout index =
            ll_zero(ll_shape_of("register=1 lane=32"), a.out);
        waves[k] = ll_gather_by(a, index, LL_J, 32, LL_SM90, LL_SHARED)
                       .fetch.wavefronts;
    }
    CHECK(waves[0] > 1u && waves[0] == waves[1]);
}

/* The most requests to one of 2^banks banks of any group, of n to each group at
 * random; the mean of many trials. */
static unsigned busiest_at_random(unsigned groups, unsigned n,
                                  unsigned banks) {
    enum { TRIALS = 1000 };
    unsigned sum = 0;
    for (unsigned k = 0; k < TRIALS; ++k) {
        unsigned worst = 0;
        for (unsigned g = 0; g < 1u << groups; ++g) {
            unsigned load[32] = LL_ZERO;
            for (unsigned m = 0; m < n; ++m) {
                const unsigned now = ++load[test_random(1u << banks)];
                worst = now > worst ? now : worst;
            }
        }
        sum += worst;
    }
    return 8u * sum / TRIALS;
}

/* Two requests of 2^groups pairs meet in a bank with a chance of one in 2^banks
 * each: the busiest bank has one request, or two. One bank of several gets more
 * than m of n requests as often as it does on average where two cannot. */
static void chances_of_banks_are_exact_for_few_requests(void) {
    for (unsigned banks = 1; banks < 6u; ++banks) {
        for (unsigned groups = 0; groups < 4u; ++groups) {
            double none = 1;
            for (unsigned k = 0; k < 1u << groups; ++k) {
                none *= 1 - 1.0 / (1u << banks);
            }
            const double want = 8 * (2 - none);
            const double got = ll_bank_busiest_(groups, 2, banks, 1u << 16);
            CHECK(got <= want && got > want - 1.01);
        }
    }
    for (unsigned n = 1; n <= 64u; ++n) {
        for (unsigned m = 1; m < n; ++m) {
            for (unsigned count = 0; count < 5u; ++count) {
                const double x = count / 4.0;
                const int two = n >= (m + 1u) + (m + 1u);
                const double want =
                    n > 4u * m ? 1
                    : two      ? x * (1 + x) / (1 + x + x * x)
                               : x;
                const double got =
                    (double)ll_one_bank_(n, m, 2, count << 14) / 65536;
                CHECK(got > want - 0.0001 && got < want + 0.0001);
            }
        }
    }
}

/* A phase of all 64 lanes, of banks for each of them. */
static void whole_wavefronts_are_one_phase(void) {
    const ll_layout a = ll_parse("register: i0 | lane: j0 j1 j2 j3 j4 j5");
    ll_target t = LL_GFX950;
    for (unsigned k = 0; k < 6u; ++k) {
        t.phase[LL_READ][0][k] = 1u << k;
    }
    t.banks[LL_READ][0] = 64;
    const ll_gather_plan p = ll_gather_by(a, a, LL_I, 32, t, LL_SHARED);
    CHECK(p.err == LL_OK && p.fetch.wavefronts - 1u < 2u); /* two words */
}

/* Exactly where nothing is random, and near a count where something is. */
static void the_busiest_bank_is_as_busy_as_at_random(void) {
    for (unsigned banks = 0; banks <= 5u; ++banks) {
        for (unsigned n = 1; n <= 32u; n *= 2u) {
            for (unsigned groups = 0; groups < 3u; ++groups) {
                const unsigned guess =
                    ll_bank_busiest_(groups, n, banks, 1u << 16);
                const unsigned mean = busiest_at_random(groups, n, banks);
                CHECK(n > 1u || guess == 8u);
                CHECK(banks || guess == 8u * n);
                CHECK(guess <= mean + mean / 16u + 1u &&
                      mean <= guess + mean / 8u + 1u);
            }
        }
        CHECK(ll_bank_busiest_(3, 1, banks, 1u << 16) == 8u);
        CHECK(banks ||
              ll_bank_busiest_(2, 32, 0, 5) == 40u); /* but five words */
    }
}

/* Where a lane's bank does not depend on indices no read waits. */
static void reads_do_not_conflict_where_they_need_not(void) {
    for (unsigned n = 4; n <= 64u; n *= 2u) { /* 128 bytes are asked of */
        const ll_layout a = rows(512, n);
        const ll_gather_plan p =
            ll_gather_by(a, a, LL_J, 8, LL_SM90, LL_SHARED);
        CHECK(mean_of(&p) == 8u && p.fetch.wavefronts == 1u);
    }
    for (unsigned n = 4; n <= 8u; n *= 2u) { /* each row has banks of its own */
        const ll_layout a = rows(512, n);
        const ll_gather_plan p =
            ll_gather_by(a, a, LL_J, 32, LL_SM90, LL_SHARED);
        CHECK(mean_of(&p) == 8u && p.fetch.wavefronts == 1u);
        CHECK((p.turn.at.n != 0) == (n == 8u));
    }
}

/* The fastest of all kinds on an H200, bench/results/gather-*. */
static void the_fastest_kind_is_chosen(void) {
    static const unsigned fastest[][5] = {
        {LL_REGISTERS, LL_SHUFFLES, LL_SHUFFLES, LL_SHARED, LL_SHARED},
        {LL_REGISTERS, LL_SHARED, LL_SHUFFLES, LL_SHARED, LL_SHARED},
        {LL_REGISTERS, LL_SHARED, LL_SHARED, LL_SHARED, LL_SHARED}};
    for (unsigned b = 0; b < 3u; ++b) {
        for (unsigned k = 0; k < 5u; ++k) {
            const ll_layout a = rows(512, 4u << k);
            const ll_gather_plan p = ll_gather_of(a, a, LL_J, 8u << b, LL_SM90);
            CHECK(p.kind == fastest[b][k]);
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(random_reads_cost_what_is_estimated);
    RUN(other_widths_do_not_matter_to_random_reads);
    RUN(long_axes_are_as_busy_as_shorter_ones);
    RUN(chances_of_banks_are_exact_for_few_requests);
    RUN(whole_wavefronts_are_one_phase);
    RUN(the_busiest_bank_is_as_busy_as_at_random);
    RUN(reads_do_not_conflict_where_they_need_not);
    RUN(the_fastest_kind_is_chosen);
    return test_end();
}
