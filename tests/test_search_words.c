/* test_search_words.c - the search for memory, with elements in words.
 * SPDX-License-Identifier: MIT
 *
 * Orders of registers, forms, and pairs of elements of 4 bits are compared with
 * lists of all possibilities.
 */
#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"
#include "search_spans.h"

/* ---- What a search for memory counts ------------------------------------- */

/* Shifts and bitwise selects for elements of 4 bits. A word has four pairs. To
 * move apart takes a shift for each word, to join a shift and a select; less
 * than a word takes two. An exchange of register bit 0 with another takes four
 * for a word, two if that bit tells words apart. */
static void nibbles_cost_their_shifts_and_selects(void) {
    static const unsigned hows[] = {LL_STAY, LL_APART, 1, 2, 3, 4, 5};
    ll_target t = LL_SM90;
    for (unsigned k = 0; k < LL_MAX_COSTS; ++k) {
        t.cost[k] = 8;
    }
    for (unsigned n = 0; n < 7u * 7u * 36u; ++n) {
        ll_plan p = LL_ZERO;
        unsigned logic = 0;
        p.nibbles = 1;
        p.before = hows[n % 7u];
        p.after = hows[n / 7u % 7u];
        p.from_bits = 1u + n / 49u % 6u;
        p.to_bits = 1u + n / 294u;
        for (unsigned end = 0; end < 2u; ++end) {
            const unsigned how = end ? p.after : p.before;
            const unsigned bits = end ? p.to_bits : p.from_bits;
            const unsigned pairs = how == LL_APART ? 1u << bits >> 1
                                                   : 1u << bits;
            const unsigned words = pairs > 4u ? pairs / 4u : 1u;
            logic += how == LL_STAY    ? 0u
                     : how != LL_APART ? (how < 3u ? 4u : 2u) * words
                     : end == 0 && pairs >= 4u ? words
                                               : 2u * words;
        }
        CHECK(ll_nibble_logic_(&p) == logic);
        CHECK(ll_plan_cycles_(&p, &t) == logic); /* one cycle each */
        p.n = 1;
        p.step[0].op = LL_OP_SHUFFLE;
        p.step[0].count = 5;
        const unsigned lanes = logic > 5u + logic / 2u ? logic
                               : logic % 2u            ? 6u + logic / 2u
                                                       : 5u + logic / 2u;
        CHECK(ll_plan_cycles_(&p, &t) == lanes + (logic ? 1u : 0u));
    }
}

/* The digits of a form up to the end of their list; who asks for a digit gets
 * the first that has the value, and whoever drops the forms of one operation
 * keeps those of the other. */
static void forms_are_lists_of_digits(void) {
    CHECK(ll_form_digits_("b0\0b3 b2 b1", 4) == 0xfff0);
    CHECK(ll_form_digits_("b0 r3 b2", 4) == 0xf2b0);
    for (unsigned n = 0; n < 300u; ++n) {
        ll_target t = LL_SM100F;
        ll_form form = 0;
        unsigned digit[16];
        for (unsigned k = 0; k < 16u; ++k) {
            digit[k] = test_random(16);
            form |= (ll_form)digit[k] << 4u * k;
        }
        for (unsigned d = 0; d < 16u; ++d) {
            unsigned first = 0; /* four bits of a byte and six of a lane */
            while (first < 10u && digit[first] != d) {
                ++first;
            }
            CHECK(ll_form_stands_for_(form, d) == first);
        }
        t.forms[n & 1u][n % LL_MAX_FORMS] = form;
        const ll_target other = ll_without_forms_(t, n & 1u);
        for (unsigned k = 0; k < LL_MAX_FORMS; ++k) {
            CHECK(other.forms[n & 1u][k] == 0);
            CHECK(other.forms[!(n & 1u)][k] == t.forms[!(n & 1u)][k]);
        }
    }
    for (unsigned bits = 0; bits < 600u; ++bits) {
        unsigned log = 0; /* elements of 6 bits lie in bytes */
        while (log < 5u && 8u << log != (bits == 6u ? 8u : bits)) {
            ++log;
        }
        CHECK(ll_element_scale_(bits) == log);
    }
    ll_access whole = LL_ZERO; /* half a word, which keeps its bytes */
    whole.n = 1;
    whole.reg[0] = 1;
    CHECK(ll_permutes_(&whole, 8, 2, 2) == 0);
}

/* The side that is wrong is told, not what it makes of the other; and the most
 * warps there can be make no size of 32 bits. */
static void the_side_that_is_wrong_is_told(void) {
    const ll_layout good = ll_rows(1 << 12, 1 << 10, 4);
    const ll_layout bad = L("x: j0 | y: j1 | z: j2 j3 j4 j5 j6 j7 j8 j9 j10 "
                            "j11 j12 j13 j14 j15 j16");
    ll_layout warps = ll_zero(ll_shape_of("register=1 lane=1 warp=1"),
                              good.out);
    CHECK(ll_plan_of(good, bad, 32, LL_SM90).err == LL_EHARDWARE);
    CHECK(ll_plan_of(bad, good, 32, LL_SM90).err == LL_EHARDWARE);
    CHECK(ll_swizzle(good, bad, 32, LL_SM90).err == LL_EHARDWARE);
    warps.in.bits[2] = 32;
    CHECK(ll_plan_of(good, warps, 32, LL_SM90).err == LL_ELANES);
    CHECK(ll_plan_of(warps, good, 32, LL_SM90).err == LL_ELANES);
    const ll_layout m = L("offset: j0 j1 j2 j3 i0 i1 i2 i3 i4");
    const ll_layout a = L("register: j0 j1 j2 j3 | lane: i0 i1 i2 i3 i4");
    for (unsigned most = 0; most < 40u; ++most) {
        unsigned bytes = most ? 1u : 0u;
        while (2u * bytes <= most && bytes && bytes < 16u) {
            bytes *= 2u;
        }
        CHECK(ll_widest(a, m, 8, most) == bytes);
    }
    CHECK(ll_wavefronts(a, m, 8, 16, LL_READ, LL_SM90) == 4u);
    CHECK(ll_wavefronts(a, m, 8, 16, LL_READ, LL_GFX942) == 0);
    CHECK(ll_wavefronts(a, m, 8, 0, LL_READ, LL_SM90) == 0);
}

/* A layout of few output bits, so that columns often share some. */
static ll_layout random_columns(unsigned regs, unsigned lanes, unsigned bits) {
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    ll_layout a = ll_zero(ll_with(in, LL_LANE, 1u << lanes),
                          ll_with(ll_shape_of(""), LL_J, 1u << bits));
    for (unsigned k = 0; k < regs + lanes; ++k) {
        a.basis[k] = test_random(8) ? 1u << test_random(bits) : 0u;
        a.basis[k] |= test_random(6) ? 0u : 1u << test_random(bits);
    }
    a.offset = test_random(3) ? 0u : 1u << test_random(bits);
    return a;
}

static int is_apart(const ll_layout *a, unsigned k) {
    int apart = a->basis[k] && !(a->basis[k] & a->offset);
    for (unsigned m = 0; m < bits_in(&a->in); ++m) {
        apart = apart && (m == k || !(a->basis[k] & a->basis[m]));
    }
    return apart;
}

/* Where a register is cut out, the bits above it move down. */
static unsigned closed(unsigned x, unsigned mask) {
    unsigned y = 0, n = 0;
    for (unsigned k = 0; k < 32u; ++k) {
        if (!(mask >> k & 1u)) {
            y |= (x >> k & 1u) << n++;
        }
    }
    return y;
}

static void check_uncut(const ll_passes_ *cut, unsigned which, unsigned regs) {
    ll_access at = LL_ZERO;
    unsigned first, reg[6], copy[3];
    const unsigned mask = cut->mask[which];
    first = test_random(1u << regs) & ~mask;
    at.n = test_random(7);
    at.copies = test_random(4);
    at.offset = test_random(0);
    at.first = closed(first, mask);
    for (unsigned k = 0; k < at.n; ++k) {
        reg[k] = test_random(1u << regs) & ~mask;
        at.reg[k] = closed(reg[k], mask);
    }
    for (unsigned k = 0; k < at.copies; ++k) {
        copy[k] = test_random(1u << regs) & ~mask;
        at.copy[k] = closed(copy[k], mask);
    }
    const ll_access all = ll_access_uncut_(at, cut, which);
    CHECK(all.first == first && all.offset == at.offset);
    CHECK(all.n == at.n + cut->n && all.copies == at.copies);
    for (unsigned k = 0; k < 32u; ++k) {
        CHECK(all.reg[k] == (k < at.n    ? reg[k]
                             : k < all.n ? 1u << cut->bit[which][k - at.n]
                                         : 0u));
        CHECK(k >= at.copies || all.copy[k] == copy[k]);
    }
}

/* The registers that both sides hold alike, and apart from all else, take
 * turns: the highest first. */
static void registers_of_both_sides_take_turns(void) {
    unsigned found = 0;
    for (unsigned n = 0; n < 1000u; ++n) {
        const ll_layout a = random_columns(1u + test_random(6), 2, 14);
        ll_layout b = random_columns(test_random(7), 3, 14);
        for (unsigned k = 0; k < b.in.bits[0] && test_random(8); ++k) {
            b.basis[k] = a.basis[test_random(a.in.bits[0])];
        }
        const unsigned most = test_random(5);
        const ll_passes_ cut = ll_passes_of_(&a, &b, most);
        unsigned count = 0, masks[2] = LL_ZERO;
        for (unsigned k = bits_in(&a.in); k-- > 0;) {
            CHECK(ll_column_is_apart_(&a, k) == is_apart(&a, k));
            for (unsigned m = 0; k < a.in.bits[0] && m < b.in.bits[0]; ++m) {
                if (a.basis[k] == b.basis[m] && is_apart(&a, k) &&
                    is_apart(&b, m) && count < most) {
                    CHECK(cut.bit[0][count] == k && cut.bit[1][count] == m);
                    masks[0] |= 1u << k;
                    masks[1] |= 1u << m;
                    ++count;
                }
            }
        }
        CHECK(cut.n == count);
        CHECK(cut.mask[0] == masks[0] && cut.mask[1] == masks[1]);
        check_uncut(&cut, 0, a.in.bits[0]);
        check_uncut(&cut, 1, b.in.bits[0]);
        found += count > 1u;
    }
    CHECK(found > 20u);
    ll_layout whole = ll_identity(1u << 16, LL_LANE, LL_I);
    whole = ll_mul(whole, ll_identity(1u << 16, LL_REGISTER, LL_I));
    for (unsigned k = 0; k < 32u; ++k) {
        CHECK(ll_column_is_apart_(&whole, k)); /* there is no column 32 */
    }
    /* j1 cannot take turns, since lanes hold it as well; j0 can. */
    const ll_layout a = L("register: j0 j1 | lane: i0 i1 i2 i3 j1");
    const ll_layout b = L("register: j0 j1 | lane: i3 i2 i0 i1 j1");
    const ll_plan one = ll_plan_by(a, b, 32, LL_SM90, LL_SHARED);
    const ll_plan two = ll_plan_within(a, b, 32, LL_SM90, 128);
    CHECK(one.smem_bytes == 256u && one.passes == 0);
    CHECK(two.err == LL_OK);
    CHECK(two.kind != LL_SHARED ||
          (two.passes == 1u && two.smem_bytes == 128u));
    for (unsigned k = 1; k < 4u && two.kind == LL_SHARED; k += 2u) {
        CHECK(two.step[k].count << two.step[k].at.vector ==
              1u << two.step[k].bits);
    }
    const ll_step s = ll_step_repeated_(one.step[1], 3);
    CHECK(s.count == 8u * one.step[1].count && s.bits == one.step[1].bits + 3u);
}

/* ---- Pairs of elements of 4 bits ----------------------------------------- */

/* What else than the pairs' own registers moves the elements of both sides. */
static void others_of(const ll_layout *a, unsigned k, const ll_layout *b,
                      unsigned m, unsigned char *set) {
    unsigned v[40], n = 0;
    v[n++] = a->offset ^ b->offset;
    for (unsigned c = 0; c < bits_in(&a->in); ++c) {
        v[n] = a->basis[c];
        n += c == k ? 0u : 1u;
    }
    for (unsigned c = 0; c < bits_in(&b->in); ++c) {
        v[n] = b->basis[c];
        n += c == m ? 0u : 1u;
    }
    sums_of(v, n, set);
}

/* An exchange of register bits 0 and k: within a word two shifts and two
 * selects, between words one of each for a word. */
static unsigned price_of(unsigned k) {
    return k == 0 ? 0u : k == 1u || k == 2u ? 4u : 2u;
}

static ll_pairs_ pairs_by_hand(const ll_layout *a, const ll_layout *b,
                               unsigned only) {
    unsigned char set[256];
    ll_pairs_ best = {0, a->in.bits[0] ? 32u : 0u, b->in.bits[0] ? 32u : 0u};
    unsigned least = ~0u;
    for (unsigned k = 0; k < a->in.bits[0]; ++k) {
        for (unsigned m = 0; m < b->in.bits[0]; ++m) {
            const unsigned u = a->basis[k], price = price_of(k) + price_of(m);
            if (u == 0 || u != b->basis[m] || (only && u != only)) {
                continue;
            }
            others_of(a, k, b, m, set);
            if (!set[u] && price < least) {
                least = price;
                best.u = u;
                best.before = k;
                best.after = m;
            }
        }
    }
    return best;
}

/* A word without the lowest bit of u, by which its pair is named. */
static unsigned of_pair(unsigned y, unsigned u) {
    unsigned low = 0;
    while (!(u >> low & 1u)) {
        ++low;
    }
    y ^= y >> low & 1u ? u : 0u;
    return closed(y, 1u << low);
}

/* Of register r, what stands at bit 0 changes places with bit k. */
static unsigned exchanged(unsigned r, unsigned k) {
    const unsigned differ = (r ^ r >> k) & 1u;
    return r ^ differ ^ differ << k;
}

static void check_paired(const ll_layout *a, unsigned k, unsigned u) {
    const ll_layout q = ll_nibbles_paired_(a, k, u);
    const unsigned n = bits_in(&a->in), low = u & (~u + 1u);
    const unsigned cols = 1u << a->out.bits[0];
    CHECK(q.in.bits[0] == a->in.bits[0] - 1u && bits_in(&q.in) == n - 1u);
    CHECK(q.out.bits[0] == a->out.bits[0] - (low < cols ? 1u : 0u));
    CHECK(q.out.bits[1] == a->out.bits[1] - (low < cols ? 0u : 1u));
    for (unsigned x = 0; x < 1u << (n - 1u); ++x) {
        CHECK(value(&q, x) == of_pair(value(a, exchanged(x << 1, k)), u));
    }
    for (unsigned c = n - 1u; c < LL_MAX_BITS; ++c) {
        CHECK(q.basis[c] == 0);
    }
}

static void nibbles_are_paired_at_the_least_price(void) {
    unsigned some = 0, exchanges = 0;
    for (unsigned n = 0; n < 1200u; ++n) {
        const unsigned dims = test_random(9), regs = test_random(6);
        const ll_layout a = random_nibbles(regs, test_random(4), dims, 0);
        const ll_layout b =
            random_nibbles(test_random(6), test_random(4), dims, &a);
        const unsigned only = test_random(3) ? 0u : a.basis[0];
        const ll_pairs_ want = pairs_by_hand(&a, &b, only);
        const ll_pairs_ p = ll_pairs_of_(&a, &b, only);
        CHECK(p.u == want.u && p.before == want.before &&
              p.after == want.after);
        if (want.u) {
            check_paired(&a, want.before, want.u);
            check_paired(&b, want.after, want.u);
            exchanges += want.before && want.after;
            ++some;
        }
    }
    CHECK(some > 200u && exchanges > 20u);
    /* 32 columns of 32 bits, behind which there is nothing. */
    const ll_layout whole =
        ll_identity(1u << 31, LL_REGISTER, LL_J);
    const ll_layout all = ll_mul(whole, ll_identity(2, LL_REGISTER, LL_J));
    const ll_layout pairs = ll_nibbles_paired_(&all, 3, 8);
    const ll_layout apart = ll_nibbles_apart_(all);
    CHECK(pairs.in.bits[0] == 31u && pairs.out.bits[0] == 31u);
    for (unsigned k = 0; k < 32u; ++k) {
        CHECK(apart.basis[k] == (k < 31u ? 2u << k : 1u));
        CHECK(pairs.basis[k] == (k == 31u ? 0u
                                 : k == 2u ? 1u
                                 : k < 2u  ? 2u << k
                                           : 1u << k));
    }
    const ll_layout bytes = ll_nibbles_paired_(&all, 0, 1);
    const ll_pairs_ lowest = {1, 0, 0};
    CHECK(ll_is_equal(ll_nibbles_unpaired_(&bytes, &all, lowest), all));
    ll_layout none = L("register: | lane: j1");
    CHECK(ll_nibbles_apart_(none).basis[0] == none.basis[0]);
}

/* A byte of memory holds a pair, and all else that moves the elements of a side
 * moves whole bytes. */
static void check_nibble_memory(const ll_layout *m, const ll_layout *a,
                                const ll_layout *b, ll_pairs_ p) {
    static unsigned where[256];
    for (unsigned x = 0; x < 1u << m->in.bits[0]; ++x) {
        where[value(m, x)] = x;
    }
    CHECK(m->basis[0] == p.u && where[a->offset] % 2u == 0);
    for (unsigned which = 0; which < 2u; ++which) {
        const ll_layout *s = which ? b : a;
        for (unsigned k = 0; k < bits_in(&s->in); ++k) {
            const unsigned at = where[s->offset ^ s->basis[k]];
            CHECK(at % 2u == (k == (which ? p.after : p.before)));
            CHECK(value(m, at) == (s->offset ^ s->basis[k]));
        }
    }
}

static void bytes_of_memory_are_pairs_of_nibbles(void) {
    unsigned found = 0;
    for (unsigned n = 0; n < 2000u && found < 100u; ++n) {
        const unsigned dims = test_random(9);
        ll_layout a = random_nibbles(3u + test_random(3), 5, dims, 0);
        ll_layout b = a;
        const unsigned regs = a.in.bits[0];
        for (unsigned k = 0; k < 8u; ++k) { /* an order of the same columns */
            const unsigned x = test_random(n % 2u ? regs : regs + 5u);
            const unsigned y = test_random(n % 2u ? regs : regs + 5u);
            const unsigned column = b.basis[x];
            b.basis[x] = b.basis[y];
            b.basis[y] = column;
        }
        b.offset ^= test_random(2) ? b.basis[test_random(regs)] : 0u;
        const ll_pairs_ p = pairs_by_hand(&a, &b, 0);
        const ll_layout m = ll_swizzle(a, b, 4, LL_SM90);
        CHECK(p.u ? m.err == LL_OK : m.err == LL_EPAIR);
        if (p.u) {
            check_nibble_memory(&m, &a, &b, p);
            ++found;
        }
    }
    CHECK(found == 100u);
    /* What no lane holds stands in whole rows as well. */
    const ll_layout m = ll_for_operand(
        L("register: j0 j1 j2 j3 | lane: j4 i0 i1 i2 i3 -> 32x64"), 4,
        LL_SM90);
    CHECK(m.err == LL_OK && ll_shape_bits_(&m.in) == 11u && m.basis[0] == 1u);
    for (unsigned k = 1; k < 11u; ++k) {
        CHECK(m.basis[k] % 2u == 0);
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(nibbles_cost_their_shifts_and_selects);
    RUN(forms_are_lists_of_digits);
    RUN(the_side_that_is_wrong_is_told);
    RUN(registers_of_both_sides_take_turns);
    RUN(nibbles_are_paired_at_the_least_price);
    RUN(bytes_of_memory_are_pairs_of_nibbles);
    return test_end();
}
