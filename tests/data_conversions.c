/* data_conversions.c - conversions between layouts, for check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * Triton's choices (which preimage it takes, how it fills a bank, which pair of
 * tiles it prefers) are written here, on masks: every column of these layouts
 * has one bit or none. They give what the lines expect. Beside each stands what
 * the library plans for the same conversion, and the line fails where that is
 * worse: a higher level, more shuffles, more wavefronts, narrower accesses.
 */
#include "check_data.h"
#include <stdio.h>
#include <string.h>

/* ---- Levels ------------------------------------------------------------- */

static const struct {
    ll_dim dim;
    const char *name;
} levels[] = {{LL_BLOCK, "block"},
              {LL_WARP, "warp"},
              {LL_LANE, "lane"},
              {LL_REGISTER, "register"}};

enum { LEVELS = 4 };

static struct { unsigned cases, lower; } needs;

/* The map without the dimensions that it leaves alone, slowest first; *level
 * counts those that are gone. */
static ll_layout minimal(ll_layout x, unsigned *level) {
    for (*level = 0; *level < LEVELS; ++*level) {
        const ll_layout rest = ll_quotient(x, levels[*level].name);
        if (rest.err) {
            break;
        }
        x = rest;
    }
    return x;
}

/* Is everything fetched from the own place of that level? */
static int stays(ll_layout x, const char *name) {
    char in[MAX_TEXT];
    list_of(x.in, 0, in);
    return ll_is_trivial(ll_sub(x, in, name), name);
}

static void op_minimal_cvt(check_case *c) {
    const ll_layout src = get_layout(c, "src");
    const ll_layout dst = get_layout(c, "dst");
    const ll_layout x = ll_solve(src, dst, LL_LOCAL);
    unsigned level = 0;
    unsigned own = 0;
    want_layout(c, "layout", minimal(solve_rest(src, dst), &level));
    want_text(c, "needs", level < LEVELS ? levels[level].name : "none");
    while (own < LEVELS && stays(x, levels[own].name)) {
        ++own;
    }
    if (!ll_is_equal(ll_compose(src, x), dst)) {
        fail(c, "the library's map leads to other elements");
    } else if (own < level) {
        fail(c, "the library's map needs %s", levels[own].name);
    }
    ++needs.cases;
    needs.lower += own > level ? 1u : 0u;
}

/* May a staged conversion wait for the warp, or block, alone? Warps that hold
 * the same elements both write them. */
static void op_is_cvt_dim_sync(check_case *c) {
    const ll_layout src = get_layout(c, "src");
    const ll_layout dst = get_layout(c, "dst");
    const ll_layout x = solve_block_local(src, dst);
    int alone = stays(x, "block");
    if (get_dim(c, "dim") == LL_WARP) {
        alone = alone && ll_is_trivial(x, "warp block") &&
                !zero_bits(src, LL_WARP) && !zero_bits(dst, LL_WARP);
    }
    want_flag(c, "value", alone);
}

/* ---- Lists of columns --------------------------------------------------- */

static unsigned all_of(columns l) {
    unsigned all = 0;
    for (unsigned k = 0; k < l.n; ++k) {
        all |= l.v[k];
    }
    return all;
}

/* Those of the list that lie within a mask, without zeros. */
static columns within(columns l, unsigned mask) {
    columns found = LL_ZERO;
    for (unsigned k = 0; k < l.n; ++k) {
        if (l.v[k] && !(l.v[k] & ~mask)) {
            found.v[found.n++] = l.v[k];
        }
    }
    return found;
}

/* Appends the layouts that the list lacks, up to `most` in total. */
static void add(columns *l, columns more, unsigned most) {
    for (unsigned k = 0; k < more.n; ++k) {
        if (l->n < most && more.v[k] && !(all_of(*l) & more.v[k])) {
            l->v[l->n++] = more.v[k];
        }
    }
}

static unsigned count_bits(unsigned x) {
    unsigned n = 0;
    for (; x; x &= x - 1u) {
        ++n;
    }
    return n;
}

static unsigned lowest(unsigned x, unsigned n) {
    while (count_bits(x) > n) {
        unsigned top = 1u << 31;
        while (!(x & top)) {
            top >>= 1;
        }
        x ^= top;
    }
    return x;
}

/* log2, 0 for 0. */
static unsigned log_of(unsigned x) {
    unsigned n = 0;
    while (x >> n > 1u) {
        ++n;
    }
    return n;
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* ---- Shuffles ----------------------------------------------------------- */

/* Triton's decomposition: a permutation of the bits of register and lane, from
 * the place that an element has to the one that it gets. `lane` is what is left
 * to the lanes when each run of lanes in a cycle with registers is closed. */
typedef struct exchange {
    unsigned regs, lanes; /* bits of each */
    unsigned to[2u * LL_MAX_BITS];
    unsigned mixed; /* registers that become lanes */
    unsigned lane[LL_MAX_BITS];
    int lane_is_identity;
} exchange;

static unsigned column_at(columns regs, columns lanes, unsigned n, unsigned k) {
    return k < regs.n                  ? regs.v[k]
           : k >= n && k - n < lanes.n ? lanes.v[k - n]
                                       : 0u;
}

/* Where one side only has no element, places are paired in order. */
static void pair_places(exchange *e, const unsigned *s, const unsigned *t) {
    const unsigned n = e->regs + e->lanes;
    unsigned next = 0;
    for (unsigned k = 0; k < n; ++k) {
        e->to[k] = k;
        for (unsigned m = 0; m < n && s[k]; ++m) {
            e->to[k] = s[k] == t[m] ? m : e->to[k];
        }
        if (s[k] || !t[k]) {
            continue;
        }
        while (next < n && (t[next] || !s[next])) {
            ++next;
        }
        e->to[k] = next++;
    }
}

static exchange exchange_of(ll_layout src, ll_layout dst) {
    const columns r = input_columns(src, LL_REGISTER);
    const columns q = input_columns(dst, LL_REGISTER);
    const columns l = input_columns(src, LL_LANE);
    const columns m = input_columns(dst, LL_LANE);
    unsigned s[2u * LL_MAX_BITS] = LL_ZERO;
    unsigned t[2u * LL_MAX_BITS] = LL_ZERO;
    exchange e = LL_ZERO;
    e.regs = r.n > q.n ? r.n : q.n;
    e.lanes = l.n > m.n ? l.n : m.n;
    for (unsigned k = 0; k < e.regs + e.lanes; ++k) {
        s[k] = column_at(r, l, e.regs, k);
        t[k] = column_at(q, m, e.regs, k);
    }
    pair_places(&e, s, t);
    return e;
}

static void close_lanes(exchange *e) {
    e->lane_is_identity = 1;
    for (unsigned k = 0; k < e->lanes; ++k) {
        const unsigned to = e->to[e->regs + k];
        e->lane[k] = to - e->regs;
        e->lane_is_identity &= to < e->regs || to == e->regs + k;
    }
    for (unsigned k = 0; k < e->regs; ++k) {
        const unsigned first = e->to[k];
        unsigned last = first;
        e->mixed += first >= e->regs ? 1u : 0u;
        while (last >= e->regs && e->to[last] >= e->regs) {
            last = e->to[last];
        }
        if (first >= e->regs) {
            e->lane[last - e->regs] = first - e->regs;
        }
    }
}

/* The recorded factors: as many transpositions, and the same lanes. */
static void check_factors(check_case *c, const exchange *e) {
    const json_t *reference = json_object_get(c->expect, "reference");
    const json_t *in =
        json_object_get(json_object_get(reference, "pLane"), "in");
    const json_t *lane = json_array_get(json_array_get(in, 0), 1);
    ++c->compared;
    if (json_array_size(json_object_get(reference, "mixed")) != e->mixed ||
        json_array_size(lane) != e->lanes) {
        fail(c, "the factors have other sizes");
    }
    for (unsigned k = 0; k < e->lanes; ++k) {
        const json_t *column = json_array_get(lane, k);
        if (read_number(c, json_array_get(column, 0)) != 1u << e->lane[k]) {
            fail(c, "lane bit %u goes elsewhere", k);
        }
    }
}

/* A machine with these numbers of lanes and banks. A phase is the next lanes, from
 * bit 0 up, that fill the banks. */
static ll_target machine(unsigned lanes, unsigned banks) {
    ll_target t = LL_ZERO;
    const unsigned cost[LL_MAX_COSTS] = {8, 8, 5, 4, 32};
    memcpy(t.cost, cost, sizeof cost);
    t.lanes = lanes;
    t.bank_bytes = 4;
    t.access_bytes = 16;
    t.copies = 1;
    for (unsigned k = 0; k < 6u; ++k) {
        const unsigned width = k % 3u;
        t.banks[k / 3u][width] = banks;
        for (unsigned n = 0; 1u << n < lanes && 1u << (n + width) < banks;
             ++n) {
            t.phase[k / 3u][width][n] = 1u << n;
        }
    }
    return t;
}

static unsigned shuffles_of(const ll_plan *p) {
    unsigned n = 0;
    for (unsigned k = 0; k < p->n; ++k) {
        n += p->step[k].op == LL_OP_SHUFFLE ? p->step[k].count : 0u;
    }
    return n;
}

static struct { unsigned cases, fewer; } shuffles;

static void op_warp_shuffle_decomposition(check_case *c) {
    const ll_layout src = get_layout(c, "src");
    const ll_layout dst = get_layout(c, "dst");
    const unsigned bits = get_number(c, "bitwidth");
    exchange e = exchange_of(src, dst);
    close_lanes(&e);
    const unsigned pack =
        least(bits < 32u ? log_of(32u / bits) : 0u, e.regs - e.mixed);
    const int ship = e.mixed == 1u && e.lane_is_identity;
    const unsigned words = (1u << (e.regs - pack)) * (bits > 32u ? 2u : 1u);
    const unsigned moved =
        e.lane_is_identity ? words - (words >> e.mixed) : words;
    want_number(c, "numMixed", e.mixed);
    want_flag(c, "laneIsIdentity", e.lane_is_identity);
    want_number(c, "nPack", pack);
    want_flag(c, "prefersShuffle", e.mixed < 2u);
    want_text(c, "method", ship ? "ship" : "swap");
    want_number(c, "shuffles32", moved);
    check_factors(c, &e);
    const ll_plan p =
        ll_plan_by(src, dst, bits, machine(1u << e.lanes, 32), LL_SHUFFLES);
    ++shuffles.cases;
    shuffles.fewer += shuffles_of(&p) < moved ? 1u : 0u;
    if (p.err) {
        fail(c, "the library has no plan: %s", ll_strerror(p.err));
    } else if (shuffles_of(&p) > moved) {
        fail(c, "the library's plan has %u shuffles, not %u", shuffles_of(&p),
             moved);
    }
}

/* ---- Triton's memory ---------------------------------------------------- */

/* One side of an exchange through memory. `contig` are the lanes within one
 * access of the side's instruction, `address` what one phase adds to it. */
typedef struct side {
    columns regs, lanes, warps;
    columns contig;
    unsigned address;
} side;

typedef struct exchange_sides {
    side src, dst;
    unsigned bits, banks;
    unsigned total; /* bits of the tensor */
    unsigned block; /* the part of it that the source's blocks divide */
} exchange_sides;

static side side_of(ll_layout a) {
    side s = LL_ZERO;
    s.regs = input_columns(a, LL_REGISTER);
    s.lanes = input_columns(a, LL_LANE);
    s.warps = input_columns(a, LL_WARP);
    return s;
}

static exchange_sides get_sides(check_case *c, unsigned banks) {
    exchange_sides e = LL_ZERO;
    const ll_layout src = get_layout(c, "src");
    e.src = side_of(src);
    e.dst = side_of(get_layout(c, "dst"));
    e.bits = get_number(c, "bitwidth");
    e.banks = banks;
    e.block = all_of(input_columns(src, LL_BLOCK));
    for (unsigned k = 0; k < src.out.n; ++k) {
        e.total += src.out.bits[k];
    }
    return e;
}

/* What both hold in registers, up to 128 bits. Below 32 bits it is filled up:
 * with registers that are warps of the other side, of the side that has more of
 * them, then with warps. */
static columns plain_vector(const exchange_sides *e) {
    const side *s = &e->src;
    const side *d = &e->dst;
    const unsigned most = e->bits < 32u ? log_of(32u / e->bits) : 0u;
    columns v = LL_ZERO;
    add(&v, within(s->regs, all_of(d->regs)), log_of(128u / e->bits));
    if (v.n >= most) {
        return v;
    }
    const columns x = within(s->regs, all_of(d->warps));
    const columns y = within(d->regs, all_of(s->warps));
    const int by_src = x.n > y.n || (x.n == y.n && lowest(all_of(x), 1) <
                                                       lowest(all_of(y), 1));
    add(&v, by_src ? x : y, most);
    add(&v, within(s->warps, all_of(d->warps)), most);
    for (unsigned k = 0; k < s->warps.n || k < d->warps.n; ++k) {
        const columns next = {2, {s->warps.v[k], d->warps.v[k]}};
        add(&v, next, most);
    }
    return v;
}

/* The lanes of one phase: those that the tile names, or the lowest, without the
 * highest ones that an access of `bits` bits leaves to later phases. */
static unsigned phase_lanes(check_case *c, const json_t *tile, const side *s,
                            unsigned bits, unsigned banks) {
    unsigned named[MAX_LIST] = LL_ZERO;
    unsigned n =
        tile ? read_numbers(c, json_object_get(tile, "laneAddr"), named) : 0u;
    const unsigned later = bits * (1u << s->lanes.n) / 32u / banks;
    unsigned lanes = 0;
    if (n == 0) {
        n = s->lanes.n - least(s->lanes.n, log_of(later));
        for (unsigned k = 0; k < n; ++k) {
            named[k] = k;
        }
    }
    for (unsigned k = 0; k < n; ++k) {
        lanes |= named[k] < s->lanes.n ? s->lanes.v[named[k]] : 0u;
    }
    return lanes;
}

/* The sizes of the memory, in bits, and the conflicts of both sides. */
typedef struct sizes {
    unsigned vector, bank, reps;
    unsigned write, read; /* log2 of the words that a bank serves */
} sizes;

static sizes sizes_of(const exchange_sides *e, const columns *vector) {
    sizes s = LL_ZERO;
    const unsigned space = e->total >= 32u ? ~0u : (1u << e->total) - 1u;
    const unsigned us = all_of(*vector) | e->src.address | e->block;
    const unsigned ud = all_of(*vector) | e->dst.address | e->block;
    const unsigned left = e->total - vector->n - count_bits(e->block);
    const unsigned a = count_bits(us & ~ud);
    const unsigned b = count_bits(ud & ~us);
    s.vector = vector->n;
    s.bank = least(log_of((32u * e->banks / e->bits) >> vector->n), left);
    const unsigned segment = lowest(space & ~us & ~ud, left - s.bank);
    const unsigned missing = left - s.bank - count_bits(segment);
    const unsigned pairs = least(a, b);
    const unsigned both = least(missing > pairs ? missing - pairs : 0u, pairs);
    const unsigned alone = least(
        missing > pairs - both ? missing - (pairs - both) : 0u, 2u * both);
    const unsigned first = least(alone, both);
    s.write = a <= b ? first : alone - first;
    s.read = a <= b ? alone - first : first;
    s.reps = count_bits(segment & all_of(e->src.regs) & all_of(e->dst.regs));
    return s;
}

/* ---- The library's memory ----------------------------------------------- */

/* Each block holds its own part of the source, and another block reads it at
 * the same offset: without the bits that blocks of the source divide. */
static ll_layout one_block(ll_layout a, unsigned block) {
    a = ll_resize_in(a, LL_BLOCK, 1);
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        a.basis[k] &= ~block;
    }
    return a;
}

/* Two elements of 4 bits are one byte: without a register that both have. */
static ll_layout bytes_of(ll_layout a, ll_dim d, unsigned pair) {
    const columns l = input_columns(a, d);
    unsigned drop = 0;
    for (unsigned k = 0; k < l.n && pair; ++k) {
        drop |= l.v[k] == pair ? 1u << k : 0u;
    }
    return drop_columns(a, d, drop);
}

/* What one side does with a memory: the bytes of its widest access, and the
 * wavefronts in which a warp moves all its registers, by that access or by the
 * cheapest. */
typedef struct traffic {
    unsigned bytes, total, cheapest;
} traffic;

static traffic traffic_of(ll_layout a, ll_layout m, unsigned bits, unsigned op,
                          ll_target t) {
    traffic s = LL_ZERO;
    const columns r = input_columns(a, LL_REGISTER);
    const unsigned held = (bits / 8u) << count_bits(all_of(r));
    s.bytes = ll_widest(a, m, bits, 16);
    s.cheapest = ~0u;
    for (unsigned n = bits / 8u; n && n <= s.bytes; n *= 2u) {
        s.total = held / n * ll_wavefronts(a, m, bits, n, op, t);
        s.cheapest = least(s.cheapest, s.total);
    }
    return s;
}

/* The wavefronts of the widest access beyond the fewest it can have, for each
 * of these: enumeration would count the same (tests/test_swizzle.c). */
static unsigned counted(ll_layout a, ll_layout m, unsigned bits, unsigned op,
                        ll_target t) {
    const unsigned bytes = ll_widest(a, m, bits, 16);
    const unsigned row = t.banks[op][0] * t.bank_bytes;
    const unsigned fewest = t.lanes * bytes / row;
    return ll_wavefronts(a, m, bits, bytes, op, t) / (fewest ? fewest : 1u) -
           1u;
}

static struct { unsigned cases, fewer, wider; } memories;

/* The library's memory takes no more wavefronts for both sides together, and
 * has neither a narrower side nor a narrower widest access. */
static void no_worse(check_case *c, const traffic *ours,
                     const traffic *theirs) {
    const unsigned paid = ours[0].total + ours[1].total;
    const unsigned other = theirs[0].cheapest + theirs[1].cheapest;
    const unsigned narrow = least(ours[0].bytes, ours[1].bytes);
    const unsigned theirs_narrow = least(theirs[0].bytes, theirs[1].bytes);
    const unsigned wide = ours[0].bytes + ours[1].bytes - narrow;
    const unsigned theirs_wide =
        theirs[0].bytes + theirs[1].bytes - theirs_narrow;
    if (narrow == 0 || narrow < theirs_narrow || wide < theirs_wide) {
        fail(c, "accesses of %u and %u bytes, not %u and %u", narrow, wide,
             theirs_narrow, theirs_wide);
    }
    if (paid > other) {
        fail(c, "the memory takes %u wavefronts, not %u", paid, other);
    }
    ++memories.cases;
    memories.fewer += paid < other ? 1u : 0u;
    memories.wider += narrow > theirs_narrow || wide > theirs_wide ? 1u : 0u;
}

/* The bits of Triton's vector; where it was filled with one side's bits in
 * warps, that side moves less at once. */
static void op_vec_bitwidth_ldst(check_case *c) {
    const exchange_sides e = get_sides(c, 32);
    const columns v = plain_vector(&e);
    const columns both = within(e.src.regs, all_of(e.dst.regs));
    const ll_layout src = one_block(get_layout(c, "src"), e.block);
    const ll_layout dst = one_block(get_layout(c, "dst"), e.block);
    const ll_target t = machine(1u << e.src.lanes.n, e.banks);
    const ll_layout ours = ll_swizzle(src, dst, e.bits, t);
    const unsigned w = 8u * ll_widest(src, ours, e.bits, 16);
    const unsigned r = 8u * ll_widest(dst, ours, e.bits, 16);
    want_number(c, "value", e.bits << v.n);
    if (w + r - least(w, r) < e.bits << v.n ||
        least(w, r) < least(128, e.bits << both.n)) {
        fail(c, "the library's accesses have %u and %u bits", w, r);
    }
}

static void set_phases(check_case *c, exchange_sides *e, unsigned vector) {
    const unsigned bits = e->bits << vector;
    const json_t *src = json_object_get(c->params, "srcTile");
    const json_t *dst = json_object_get(c->params, "dstTile");
    e->src.address = phase_lanes(c, src, &e->src, bits, e->banks);
    e->dst.address = phase_lanes(c, dst, &e->dst, bits, e->banks);
}

/* The target of the line: tiles may name the lanes of a phase of wide accesses.
 */
static ll_target target_of(check_case *c, const char *read, const char *write,
                           unsigned lanes, unsigned banks) {
    ll_target t = machine(lanes, banks);
    const char *const tile[] = {read, write};
    for (unsigned op = 0; op < 2u; ++op) {
        const json_t *list =
            json_object_get(json_object_get(c->params, tile[op]), "laneAddr");
        for (unsigned k = 0; k < json_array_size(list) && k < 6u; ++k) {
            const unsigned lane = read_number(c, json_array_get(list, k));
            t.phase[op][2][k] = lane < 6u ? 1u << lane : 0u;
        }
    }
    return t;
}

static ll_layout memory_of(ll_layout m, unsigned block) {
    char out[MAX_TEXT];
    list_of(m.out, 0, out);
    m = ll_flatten_in(ll_sub(m, "vector bank segment reps", out), LL_OFFSET);
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        m.basis[k] &= ~block;
    }
    return m;
}

/* The recorded memory: a bijection of the sizes that were found here. */
static ll_layout get_reference(check_case *c, const sizes *s) {
    const json_t *value = json_object_get(c->expect, "reference_layout");
    const ll_layout m = read_layout(c, value);
    ++c->compared;
    if (!ll_is_surjective(m) ||
        ll_size(m.in, ll_dim_of("vector")) != 1u << s->vector ||
        ll_size(m.in, ll_dim_of("bank")) != 1u << s->bank ||
        ll_size(m.in, ll_dim_of("reps")) != 1u << s->reps) {
        fail(c, "the reference has other sizes");
    }
    return m;
}

/* The same exchange by the library, with the recorded memory `m` beside. */
static void compare_memory(check_case *c, const exchange_sides *e,
                           unsigned pair, ll_layout m, const sizes *s) {
    const ll_target t =
        target_of(c, "dstTile", "srcTile", 1u << e->src.lanes.n, e->banks);
    const ll_layout src =
        bytes_of(one_block(get_layout(c, "src"), e->block), LL_REGISTER, pair);
    const ll_layout dst =
        bytes_of(one_block(get_layout(c, "dst"), e->block), LL_REGISTER, pair);
    const ll_layout theirs =
        memory_of(bytes_of(m, ll_dim_of("vector"), pair), e->block);
    const unsigned bits = e->bits < 8u ? 8u : e->bits;
    const ll_layout ours = ll_swizzle(src, dst, bits, t);
    const traffic our[] = {traffic_of(dst, ours, bits, LL_READ, t),
                           traffic_of(src, ours, bits, LL_WRITE, t)};
    const traffic their[] = {traffic_of(dst, theirs, bits, LL_READ, t),
                             traffic_of(src, theirs, bits, LL_WRITE, t)};
    no_worse(c, our, their);
    if (counted(dst, theirs, bits, LL_READ, t) != (1u << s->read) - 1u ||
        counted(src, theirs, bits, LL_WRITE, t) != (1u << s->write) - 1u) {
        fail(c, "other conflicts are counted in the reference");
    }
    if (counted(dst, ours, bits, LL_READ, t) >= 1u << s->read ||
        counted(src, ours, bits, LL_WRITE, t) >= 1u << s->write) {
        fail(c, "the library's memory has more conflicts");
    }
}

static void op_optimal_swizzling_ldst(check_case *c) {
    exchange_sides e = get_sides(c, get_number(c, "numBanks"));
    const columns v = plain_vector(&e);
    set_phases(c, &e, v.n);
    const sizes s = sizes_of(&e, &v);
    want_number(c, "vecElems", 1u << s.vector);
    want_number(c, "bankSize", 1u << s.bank);
    want_number(c, "numReps", 1u << s.reps);
    want_number(c, "writeConflicts", (1u << s.write) - 1u);
    want_number(c, "readConflicts", (1u << s.read) - 1u);
    compare_memory(c, &e, e.bits < 8u ? v.v[0] : 0u, get_reference(c, &s), &s);
}

/* ---- Counting conflicts ------------------------------------------------- */

/* The rank of columns: of those of a, and then of b. */
static unsigned rank_of(columns a, columns b) {
    const ll_shape none = LL_ZERO;
    ll_layout m = ll_zero(none, ll_with(none, LL_OFFSET, 1u << 31));
    m.in = ll_with(none, LL_LANE, 1u << (a.n + b.n));
    memcpy(m.basis, a.v, a.n * sizeof *a.v);
    memcpy(m.basis + a.n, b.v, b.n * sizeof *b.v);
    return ll_rank(m);
}

/* Triton's conflicts: what the segments share with the lanes of a phase. */
static unsigned shared(columns segments, columns phase) {
    const columns none = LL_ZERO;
    return (1u << (rank_of(segments, none) + rank_of(phase, none) -
                   rank_of(segments, phase))) -
           1u;
}

/* Triton's formula takes two lanes to collide where they differ by a segment
 * alone. With vectors below 32 bits they also do where a bit within the word
 * differs besides, so that it can say 0 of a conflict: it is exact from 32 bits
 * on. The lines with narrower vectors are
 *     bank_conflicts_ldst/77d1612595, optimal_swizzling_ldst/75a52dd3d1,
 *     bank_conflicts_memdesc/0d68e8fc7f, 1ab67b351d, 3071d2bdaf, 52fe0218c1,
 *     9685b3b7ab, 9ff46d9f35, cdc71f9c53, f0eadd5297;
 * in all ten, and in all others, the exact count is the same. */
static void want_counted(check_case *c, unsigned exact, unsigned formula) {
    if (exact != formula) {
        fail(c, "%u conflicts are counted, not %u", exact, formula);
    }
}

static void op_bank_conflicts_ldst(check_case *c) {
    exchange_sides e = get_sides(c, get_number(c, "numBanks"));
    const ll_layout smem = get_layout(c, "smem");
    const columns v = input_columns(smem, ll_dim_of("vector"));
    const columns segment = input_columns(smem, ll_dim_of("segment"));
    set_phases(c, &e, v.n);
    const unsigned w = shared(segment, within(e.src.lanes, e.src.address));
    const unsigned r = shared(segment, within(e.dst.lanes, e.dst.address));
    want_number(c, "writeConflicts", w);
    want_number(c, "readConflicts", r);
    const ll_target t =
        target_of(c, "dstTile", "srcTile", 1u << e.src.lanes.n, e.banks);
    const ll_layout m = memory_of(smem, e.block);
    const ll_layout src = one_block(get_layout(c, "src"), e.block);
    const ll_layout dst = one_block(get_layout(c, "dst"), e.block);
    want_counted(c, counted(src, m, e.bits, LL_WRITE, t), w);
    want_counted(c, counted(dst, m, e.bits, LL_READ, t), r);
}

static void op_bank_conflicts_memdesc(check_case *c) {
    const ll_layout reg = get_layout(c, "reg");
    const ll_layout smem = ll_resize_in(get_layout(c, "smem"), LL_BLOCK, 1);
    const unsigned bits = get_number(c, "bitwidth");
    const unsigned banks = get_number(c, "numBanks");
    const side s = side_of(reg);
    const unsigned wide = 8u * ll_widest(reg, smem, bits, 16);
    const columns all = input_columns(smem, LL_OFFSET);
    columns segment = LL_ZERO;
    for (unsigned k = log_of(32u * banks / bits); k < all.n; ++k) {
        segment.v[segment.n++] = all.v[k];
    }
    const json_t *tile = json_object_get(c->params, "laneTile");
    const unsigned phase = phase_lanes(c, tile, &s, wide, banks);
    const unsigned f = shared(segment, within(s.lanes, phase));
    want_number(c, "value", f);
    const ll_target t =
        target_of(c, "laneTile", "laneTile", 1u << s.lanes.n, banks);
    want_counted(c, counted(reg, smem, bits, LL_WRITE, t), f);
    want_counted(c, counted(reg, smem, bits, LL_READ, t), f);
}

/* ---- Among instructions ------------------------------------------------- */

static columns lanes_of(check_case *c, const side *s, const json_t *list) {
    columns l = LL_ZERO;
    unsigned named[MAX_LIST] = LL_ZERO;
    const unsigned n = read_numbers(c, list, named);
    for (unsigned k = 0; k < n && k < LL_MAX_BITS; ++k) {
        l.v[l.n++] = named[k] < s->lanes.n ? s->lanes.v[named[k]] : 0u;
    }
    return l;
}

/* One vector for both sides: registers that both have, as many as the side with
 * more lanes in its tile needs, then these lanes. The other side has the first
 * of these in registers, the rest in its own lanes. */
static int common_vector(const exchange_sides *e, columns *v) {
    const unsigned n = log_of(128u / e->bits);
    const int by_src = e->src.contig.n > e->dst.contig.n;
    const side *more = by_src ? &e->src : &e->dst;
    const side *less = by_src ? &e->dst : &e->src;
    const columns lanes = more->contig;
    const unsigned in_regs = lanes.n - less->contig.n;
    const columns both = within(e->src.regs, all_of(e->dst.regs));
    if (lanes.n > n || both.n < n - lanes.n) {
        return 0;
    }
    add(v, both, n - lanes.n);
    int fits = 1;
    for (unsigned k = 0; k < lanes.n; ++k) {
        const columns one = {1, {lanes.v[k]}};
        fits = fits && lanes.v[k] &&
               (k < in_regs ? within(one, all_of(less->regs)).n == 1u
                            : lanes.v[k] == less->contig.v[k - in_regs]);
    }
    add(v, lanes, n);
    return fits && v->n == n;
}

/* Eight addresses make a phase: what the lanes of a tile leave open is taken
 * from registers outside of the vector. */
static int set_address(check_case *c, const json_t *tile, columns v, side *s) {
    columns a = lanes_of(c, s, json_object_get(tile, "laneAddr"));
    const unsigned mask = all_of(v);
    int fits = count_bits(all_of(a)) == a.n;
    for (unsigned k = 0; k < s->regs.n && a.n < 3u; ++k) {
        if (!(s->regs.v[k] & mask)) {
            const columns one = {1, {s->regs.v[k]}};
            add(&a, one, 3);
        }
    }
    s->address = all_of(a);
    return fits && a.n == 3u;
}

/* The sizes of the memory for two tiles; 0 if they do not fit together. */
static int pair_fits(check_case *c, exchange_sides *e, const json_t *src,
                     const json_t *dst, sizes *found) {
    columns v = LL_ZERO;
    e->src.contig = lanes_of(c, &e->src, json_object_get(src, "laneContig"));
    e->dst.contig = lanes_of(c, &e->dst, json_object_get(dst, "laneContig"));
    if (!common_vector(e, &v) || !set_address(c, src, v, &e->src) ||
        !set_address(c, dst, v, &e->dst)) {
        return 0;
    }
    *found = sizes_of(e, &v);
    return 1;
}

typedef struct chosen {
    unsigned src, dst;
    int any;
    sizes size;
} chosen;

/* The fewest conflicts, then the most rounds, then the first. */
static chosen choose(check_case *c, exchange_sides *e, const json_t *srcs,
                     const json_t *dsts) {
    chosen best = LL_ZERO;
    unsigned cost = 0;
    for (unsigned k = 0; k < json_array_size(srcs); ++k) {
        for (unsigned m = 0; m < json_array_size(dsts); ++m) {
            sizes s = LL_ZERO;
            const unsigned more = best.size.reps;
            if (!pair_fits(c, e, json_array_get(srcs, k),
                           json_array_get(dsts, m), &s)) {
                continue;
            }
            const unsigned now = (1u << s.write) + (1u << s.read);
            if (!best.any || now < cost || (now == cost && s.reps > more)) {
                const chosen is = {k, m, 1, s};
                best = is;
                cost = now;
            }
        }
    }
    return best;
}

/* Each lane for itself, matrices, or transposed ones. */
static unsigned form_of(const json_t *tile) {
    const size_t lanes = json_array_size(json_object_get(tile, "laneContig"));
    return lanes == 0   ? LL_FORM_VECTOR
           : lanes == 2 ? LL_FORM_MATRIX
                        : LL_FORM_TRANS;
}

static void set_forms(const json_t *tiles, ll_form *forms) {
    for (unsigned k = 0; k < json_array_size(tiles); ++k) {
        const unsigned form = form_of(json_array_get(tiles, k));
        forms[form] = ll_ptx_target(90).forms[LL_READ][form];
    }
}

/* A step of the library's plan. */
static traffic traffic_in(check_case *c, const ll_step *s) {
    const traffic is = {s->bytes, s->count * s->wavefronts, 0};
    if (s->wavefronts > s->least) {
        fail(c, "the library's plan has conflicts");
    }
    return is;
}

/* What a side of the recorded exchange takes. Eight rows of 16 bytes are a
 * wavefront, of matrices that have no conflicts. */
static traffic recorded(ll_layout a, ll_layout m, unsigned bits, unsigned op,
                        unsigned form, ll_target t) {
    traffic s = traffic_of(a, m, bits, op, t);
    if (form != LL_FORM_VECTOR) {
        const columns r = input_columns(a, LL_REGISTER);
        s.bytes = 16;
        s.cheapest = (bits * t.lanes << count_bits(all_of(r))) / 1024u;
    }
    return s;
}

/* A conversion that needs no memory is no worse either. */
static void compare_plan(check_case *c, const exchange_sides *e, ll_layout m,
                         unsigned src_form, unsigned dst_form) {
    const ll_layout src = one_block(get_layout(c, "src"), e->block);
    const ll_layout dst = one_block(get_layout(c, "dst"), e->block);
    ll_target t = machine(1u << e->src.lanes.n, e->banks);
    set_forms(get_value(c, "srcTiles"), t.forms[LL_WRITE]);
    set_forms(get_value(c, "dstTiles"), t.forms[LL_READ]);
    const ll_plan p = ll_plan_by(src, dst, e->bits, t, LL_SHARED);
    if (p.err) {
        fail(c, "the library has no plan: %s", ll_strerror(p.err));
    } else if (p.kind == LL_SHARED) {
        const traffic our[] = {traffic_in(c, &p.step[3]),
                               traffic_in(c, &p.step[1])};
        const traffic their[] = {
            recorded(dst, m, e->bits, LL_READ, dst_form, t),
            recorded(src, m, e->bits, LL_WRITE, src_form, t)};
        no_worse(c, our, their);
    }
}

static void op_optimal_swizzling_multi(check_case *c) {
    exchange_sides e = get_sides(c, 32);
    const json_t *srcs = get_value(c, "srcTiles");
    const json_t *dsts = get_value(c, "dstTiles");
    chosen best = choose(c, &e, srcs, dsts);
    if (!best.any) {
        const columns v = plain_vector(&e);
        set_phases(c, &e, v.n);
        best.size = sizes_of(&e, &v);
    }
    want_number(c, "srcTileIndex", best.src);
    want_number(c, "dstTileIndex", best.dst);
    want_number(c, "vecElems", 1u << best.size.vector);
    want_number(c, "numReps", 1u << best.size.reps);
    const ll_layout m = memory_of(get_reference(c, &best.size), e.block);
    compare_plan(c, &e, m, form_of(json_array_get(srcs, best.src)),
                 form_of(json_array_get(dsts, best.dst)));
}

void print_conversions(void) {
    if (needs.cases) {
        printf("minimal_cvt: in %u of %u cases the nearest map needs a lower "
               "level\n",
               needs.lower, needs.cases);
    }
    if (shuffles.cases) {
        printf("warp_shuffle_decomposition: in %u of %u cases the plan has "
               "fewer shuffles\n",
               shuffles.fewer, shuffles.cases);
    }
    if (memories.cases) {
        printf("optimal_swizzling: of %u memories %u take fewer wavefronts, "
               "%u have wider accesses\n",
               memories.cases, memories.fewer, memories.wider);
    }
}

const check_op check_conversions[] = {
    {"minimal_cvt", op_minimal_cvt},
    {"is_cvt_dim_sync", op_is_cvt_dim_sync},
    {"warp_shuffle_decomposition", op_warp_shuffle_decomposition},
    {"vec_bitwidth_ldst", op_vec_bitwidth_ldst},
    {"optimal_swizzling_ldst", op_optimal_swizzling_ldst},
    {"bank_conflicts_ldst", op_bank_conflicts_ldst},
    {"bank_conflicts_memdesc", op_bank_conflicts_memdesc},
    {"optimal_swizzling_multi", op_optimal_swizzling_multi},
    {0, 0},
};
