/* test_reduce_costs.c - what reductions and scans cost, say and refuse.
 * SPDX-License-Identifier: MIT
 *
 * Costs are counted here once more, round by round.
 */
#include "machines.h"
#include "reduce.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

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

/* The eight warps of a block combine their results into one. Each warp then
 * fetches the result of one block, and the warps combine these as well. */
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
    CHECK(error_of("lane: i0 i1 i2 i3 i4 -> 64", 0, 32) == LL_EHELD);
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
    RUN(reductions_and_scans_cost_what_their_rounds_do);
    RUN(rounds_are_taken_apart);
    RUN(limits_are_met_to_the_bit);
    RUN(positions_are_closed_and_opened);
    RUN(reductions_are_put_in_words);
    RUN(reductions_across_blocks_are_put_in_words);
    RUN(scans_are_put_in_words);
    RUN(reductions_that_cannot_be_say_why);
    return test_end();
}
