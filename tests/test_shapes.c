/* test_shapes.c - the shape operations, against arrays.
 * SPDX-License-Identifier: MIT
 *
 * The oracle is a small array whose elements are moved one by one. Under the
 * layout of the result each register holds, after the operation, the element
 * that it held before.
 */
#include "definition.h"

enum { MAX_RANK = 6, MAX_ELEMENTS = 1 << 12 };

/* A tensor: sizes, slowest first, and elements in row-major order. */
typedef struct array {
    unsigned rank;
    unsigned size[MAX_RANK];
    unsigned element[MAX_ELEMENTS];
} array;

static unsigned inputs(const ll_layout *a) {
    unsigned n = 0;
    for (unsigned k = 0; k < a->in.n; ++k) {
        n += a->in.bits[k];
    }
    return 1u << n;
}

static unsigned elements(const array *t) {
    unsigned n = 1;
    for (unsigned k = 0; k < t->rank; ++k) {
        n *= t->size[k];
    }
    return n;
}

static void coordinates(const array *t, unsigned index, unsigned *at) {
    for (unsigned k = t->rank; k-- > 0;) {
        at[k] = index % t->size[k];
        index /= t->size[k];
    }
}

static unsigned index_of(const array *t, const unsigned *at) {
    unsigned index = 0;
    for (unsigned k = 0; k < t->rank; ++k) {
        index = index * t->size[k] + at[k];
    }
    return index;
}

/* Is the shape of the layout that of the array, axes i, j, ..? */
static int has_shape(const ll_layout *a, const array *t) {
    int same = !a->err && a->out.n == t->rank;
    for (unsigned k = 0; same && k < t->rank; ++k) {
        same = a->out.dim[t->rank - 1u - k] == ll_axis(k) &&
               1u << a->out.bits[t->rank - 1u - k] == t->size[k];
    }
    return same;
}

/* Does input x of b hold in t what input x of a holds in s? */
static int holds_the_same(const ll_layout *a, const array *s,
                          const ll_layout *b, const array *t) {
    int same = has_shape(a, s) && has_shape(b, t) && inputs(a) == inputs(b);
    for (unsigned x = 0; same && x < inputs(a); ++x) {
        same = s->element[value(a, x)] == t->element[value(b, x)];
    }
    return same;
}

typedef struct source {
    ll_layout a;
    array t;
} source;

/* A random distributed layout of a random tensor, perhaps with an offset. */
static source random_source(unsigned max_rank, int affine) {
    source c = LL_ZERO;
    unsigned tensor = test_random(8);
    unsigned sizes[MAX_RANK];
    c.t.rank = 1u + test_random(max_rank);
    for (unsigned k = 0; k < c.t.rank; ++k) {
        sizes[k] = 1;
    }
    for (unsigned k = 0; k < tensor; ++k) {
        sizes[test_random(c.t.rank)] *= 2u;
    }
    memcpy(c.t.size, sizes, sizeof sizes);
    for (unsigned k = 0; k < elements(&c.t); ++k) {
        c.t.element[k] = k;
    }
    ll_shape in = ll_shape_of("register lane warp block");
    unsigned n = tensor + test_random(3);
    for (unsigned k = 0; k < n; ++k) {
        unsigned at = test_random(7);
        ++in.bits[at < 2u ? 0 : at < 4u ? 1 : at < 6u ? 2 : 3];
    }
    c.a = ll_zero(in, ll_tensor(c.t.rank, sizes));
    for (unsigned bit = 0; bit < tensor; ++bit) {
        unsigned k = test_random(n);
        while (c.a.basis[k]) {
            k = (k + 1u) % n;
        }
        c.a.basis[k] = 1u << bit;
    }
    c.a.offset = affine ? test_random(1u << tensor) : 0u;
    return c;
}

static const char letters[] = "ijklmn";

static void trans_moves_no_element(void) {
    for (unsigned k = 0; k < times(4000u); ++k) {
        const source c = random_source(4, 1);
        array t = c.t;
        unsigned order[MAX_RANK];
        char list[3 * MAX_RANK] = "";
        for (unsigned m = 0; m < t.rank; ++m) {
            unsigned p = test_random(m + 1u);
            order[m] = order[p];
            order[p] = m;
        }
        for (unsigned m = 0; m < t.rank; ++m) {
            list[2u * m] = letters[order[m]];
            list[2u * m + 1u] = ' ';
            t.size[m] = c.t.size[order[m]];
        }
        for (unsigned index = 0; index < elements(&t); ++index) {
            unsigned to[MAX_RANK];
            unsigned from[MAX_RANK];
            coordinates(&t, index, to);
            for (unsigned m = 0; m < t.rank; ++m) {
                from[order[m]] = to[m];
            }
            t.element[index] = c.t.element[index_of(&c.t, from)];
        }
        const ll_layout b = ll_trans(c.a, list);
        CHECK(holds_the_same(&c.a, &c.t, &b, &t));
        CHECK(ll_is_equal(ll_trans_back(b, list), c.a));
        CHECK(ll_is_equal(ll_trans(ll_trans_back(c.a, list), list), c.a));
    }
}

static void reshape_moves_no_element(void) {
    for (unsigned k = 0; k < times(4000u); ++k) {
        const source c = random_source(4, 1);
        array t = c.t;
        unsigned sizes[MAX_RANK] = {0};
        t.rank = 1u + test_random(4);
        for (unsigned m = 0; m < t.rank; ++m) {
            sizes[m] = 1;
        }
        for (unsigned n = elements(&c.t); n > 1u; n /= 2u) {
            sizes[test_random(t.rank)] *= 2u;
        }
        memcpy(t.size, sizes, sizeof sizes);
        const ll_layout b = ll_reshape_out(c.a, ll_tensor(t.rank, sizes));
        CHECK(holds_the_same(&c.a, &c.t, &b, &t));
        CHECK(ll_is_equal(ll_reshape_out(b, c.a.out), c.a));
    }
}

/* The array with a new axis of a size as the k-th; copies along it. */
static array expanded(const array *s, unsigned k, unsigned size) {
    array t = *s;
    ++t.rank;
    for (unsigned m = s->rank; m > k; --m) {
        t.size[m] = s->size[m - 1u];
    }
    t.size[k] = size;
    for (unsigned index = 0; index < elements(&t); ++index) {
        unsigned at[MAX_RANK];
        coordinates(&t, index, at);
        for (unsigned m = k; m + 1u < t.rank; ++m) {
            at[m] = at[m + 1u];
        }
        t.element[index] = s->element[index_of(s, at)];
    }
    return t;
}

static void expand_moves_no_element(void) {
    for (unsigned n = 0; n < times(4000u); ++n) {
        const source c = random_source(4, 1);
        unsigned k = test_random(c.t.rank + 1u);
        const array t = expanded(&c.t, k, 1);
        const ll_layout b = ll_unsqueeze(c.a, k);
        CHECK(holds_the_same(&c.a, &c.t, &b, &t));
        CHECK(ll_is_equal(ll_unsqueeze_back(b, k), c.a));
        CHECK(ll_unsqueeze(c.a, c.t.rank + 1u).err == LL_EAXIS);
        CHECK(ll_unsqueeze_back(c.a, c.t.rank).err == LL_EMISSING);
        if (k < c.t.rank && c.t.size[k] > 1u) {
            CHECK(ll_unsqueeze_back(c.a, k).err == LL_EONE);
        }
    }
}

static void broadcast_repeats_in_registers(void) {
    for (unsigned n = 0; n < times(4000u); ++n) {
        const source c = random_source(4, 1);
        unsigned k = test_random(c.t.rank + 1u);
        unsigned size = 1u << test_random(4);
        const array t = expanded(&c.t, k, size);
        const ll_layout one = ll_unsqueeze(c.a, k);
        const ll_layout b = ll_broadcast(one, ll_axis(k), size);
        unsigned regs = ll_size(c.a.in, LL_REGISTER);
        CHECK(has_shape(&b, &t) && ll_is_surjective(b));
        CHECK(ll_size(b.in, LL_REGISTER) == regs * size);
        for (unsigned x = 0; x < inputs(&b); ++x) {
            unsigned reg = x % (regs * size) % regs;
            unsigned old = x / (regs * size) * regs + reg;
            CHECK(t.element[value(&b, x)] == c.t.element[value(&c.a, old)]);
        }
        CHECK(ll_is_equal(ll_broadcast_back(b, ll_axis(k)), one));
        if (size > 1u) {
            CHECK(ll_broadcast(b, ll_axis(k), 2).err == LL_EONE);
        }
        CHECK(ll_broadcast(b, LL_OFFSET, 2).err == LL_EMISSING);
        CHECK(ll_broadcast(one, ll_axis(k), 3).err == LL_ESIZE);
    }
}

/* The sets of elements, reduced, that each thread holds, as one number. */
static void held_by_threads(const ll_layout *a, const array *t, unsigned k,
                            unsigned char *held) {
    unsigned regs = ll_size(a->in, LL_REGISTER);
    array s = *t;
    if (k < t->rank) {
        s.size[k] = 1;
    }
    memset(held, 0, MAX_ELEMENTS * 16u);
    for (unsigned x = 0; x < inputs(a); ++x) {
        unsigned at[MAX_RANK];
        coordinates(t, value(a, x), at);
        if (k < t->rank) {
            at[k] = 0;
        }
        held[x / regs * elements(&s) + index_of(&s, at)] = 1;
    }
}

static void reduce_leaves_a_slice(void) {
    static unsigned char before[MAX_ELEMENTS * 16];
    static unsigned char after[MAX_ELEMENTS * 16];
    for (unsigned n = 0; n < times(2000u); ++n) {
        const source c = random_source(4, 1);
        unsigned k = test_random(c.t.rank);
        array t = c.t;
        --t.rank;
        for (unsigned m = k; m < t.rank; ++m) {
            t.size[m] = c.t.size[m + 1u];
        }
        const ll_layout b = ll_reduce(c.a, k);
        CHECK(has_shape(&b, &t) && ll_is_surjective(b));
        held_by_threads(&c.a, &c.t, k, before);
        held_by_threads(&b, &t, MAX_RANK, after);
        CHECK(memcmp(before, after, sizeof before) == 0);
        unsigned copies = 0; /* a register that was a copy stays one */
        for (unsigned r = 0; r < b.in.bits[0]; ++r) {
            copies += b.basis[r] == 0 ? 1u : 0u;
        }
        for (unsigned r = 0; r < c.a.in.bits[0]; ++r) {
            copies -= c.a.basis[r] == 0 ? 1u : 0u;
        }
        CHECK(copies == 0);
        unsigned size = 1u << test_random(4);
        CHECK(ll_is_equal(ll_reduce(ll_reduce_back(b, k, size), k), b));
        CHECK(ll_reduce(c.a, c.t.rank).err == LL_EMISSING);
    }
}

static void join_interleaves_and_split_undoes(void) {
    for (unsigned n = 0; n < times(4000u); ++n) {
        const source c = random_source(4, 1);
        const ll_layout b = ll_join(c.a);
        array t = c.t;
        t.rank = c.t.rank + 1u;
        t.size[c.t.rank] = 2;
        CHECK(has_shape(&b, &t));
        for (unsigned x = 0; x < inputs(&b); ++x) {
            CHECK(value(&b, x) == value(&c.a, x >> 1) * 2u + (x & 1u));
        }
        CHECK(ll_is_equal(ll_split(b), c.a));
        const ll_layout flat = ll_unsqueeze(c.a, c.t.rank);
        CHECK(ll_split(flat).err == LL_ENOTREGISTER);
        const ll_layout lanes =
            ll_mul(ll_identity(2, LL_LANE, ll_axis(c.t.rank)), flat);
        CHECK(lanes.err || ll_split(lanes).err == LL_ENOTREGISTER);
    }
}

/* Any layout whose last axis is in a register bit of its own, wherever it is:
 * each half holds, in the registers that are left, the elements it held. */
static void split_takes_the_register_of_the_last_axis(void) {
    for (unsigned n = 0; n < times(4000u); ++n) {
        const source c = random_source(3, 1);
        const ll_layout joined = ll_join(c.a);
        const unsigned bits = joined.in.bits[0];
        const unsigned to = test_random(bits);
        unsigned order[32];
        for (unsigned k = 0; k < bits; ++k) {
            order[k] = k < to ? k + 1u : k == to ? 0u : k;
        }
        const ll_layout a = ll_permute(joined, LL_REGISTER,
                                       ll_perm_of(bits, bits, order));
        const ll_layout b = ll_split(a);
        CHECK(has_shape(&b, &c.t) && inputs(&a) == 2u * inputs(&b));
        for (unsigned x = 0; !b.err && x < inputs(&a); ++x) {
            const unsigned low = x & ((1u << to) - 1u);
            const unsigned half = low | (x >> (to + 1u) << to);
            CHECK(value(&a, x) == value(&b, half) * 2u + (x >> to & 1u));
        }
        CHECK(ll_is_equal(ll_permute(ll_join(b), LL_REGISTER,
                                     ll_perm_of(bits, bits, order)),
                          a));
    }
}

/* The way back of a broadcast, for any layout of the result: each thread holds
 * what it held, the coordinate along the axis being forgotten, and no register
 * is left that told nothing else. */
static void broadcast_back_forgets_an_axis(void) {
    static unsigned char before[MAX_ELEMENTS * 16];
    static unsigned char after[MAX_ELEMENTS * 16];
    for (unsigned n = 0; n < times(2000u); ++n) {
        const source c = random_source(4, 1);
        const unsigned k = test_random(c.t.rank);
        const ll_layout b = ll_broadcast_back(c.a, ll_axis(k));
        array t = c.t;
        t.size[k] = 1;
        CHECK(has_shape(&b, &t));
        held_by_threads(&c.a, &c.t, k, before);
        held_by_threads(&b, &t, MAX_RANK, after);
        CHECK(memcmp(before, after, sizeof before) == 0);
        unsigned told = 0; /* register bits of the axis alone */
        for (unsigned r = 0; r < c.a.in.bits[0]; ++r) {
            unsigned from[MAX_RANK];
            coordinates(&c.t, c.a.basis[r], from);
            from[k] = 0;
            told += c.a.basis[r] && !index_of(&c.t, from) ? 1u : 0u;
        }
        CHECK(b.in.bits[0] + told == c.a.in.bits[0]);
    }
}

static void split_needs_a_register_of_its_own(void) {
    const ll_layout a[4] = {ll_parse("register: j0 | lane: i0^j0"),
                            ll_parse("register: j0 j0 | lane: i0"),
                            ll_parse("register: j0 i0 | 1: j0"),
                            ll_parse("register: j0 j1 | lane: i0")};
    for (unsigned k = 0; k < 4u; ++k) {
        CHECK(ll_split(a[k]).err == LL_ENOTREGISTER);
    }
}

/* blocked, by counting: which thread holds an element, from its coordinates.
 * The tile of a warp is repeated in registers. */
static void check_blocked(const unsigned *bits) {
    ll_shape s[4];
    for (unsigned p = 0; p < 4u; ++p) {
        s[p] = ll_with(ll_with(ll_shape_of(""), LL_J, 1u << bits[2u * p]),
                       LL_I, 1u << bits[2u * p + 1u]);
    }
    const ll_layout a = ll_blocked(s[0], s[1], s[2], s[3]);
    const ll_layout where = ll_rinv(a);
    CHECK(!a.err && ll_is_distributed(a));
    CHECK(ll_size(a.in, LL_LANE) == 1u << (bits[4] + bits[5]));
    CHECK(ll_size(a.in, LL_WARP) == 1u << (bits[6] + bits[7]));
    for (unsigned y = 0; y < 1u << (bits[0] + bits[1]); ++y) {
        unsigned x = value(&where, y);
        unsigned part[3] = LL_ZERO;
        for (unsigned d = 2; d-- > 0;) {
            unsigned rest = d ? y >> bits[0] : y & ((1u << bits[0]) - 1u);
            for (unsigned p = 0; p < 3u; ++p) {
                unsigned n = bits[2u + 2u * p + d];
                part[p] = part[p] << n | (rest & ((1u << n) - 1u));
                rest >>= n;
            }
        }
        unsigned mask = (1u << (bits[2] + bits[3])) - 1u;
        CHECK((ll_unpack(a.in, LL_REGISTER, x) & mask) == part[0]);
        CHECK(ll_unpack(a.in, LL_LANE, x) == part[1]);
        CHECK(ll_unpack(a.in, LL_WARP, x) == part[2]);
    }
}

static void blocked_tiles_as_it_is_drawn(void) {
    for (unsigned n = 0; n < times(3000u); ++n) {
        unsigned bits[8]; /* j and i of shape, registers, lanes, warps */
        bits[0] = 2u + test_random(4);
        bits[1] = 2u + test_random(4);
        for (unsigned k = 2; k < 8u; ++k) {
            bits[k] = test_random(3);
        }
        check_blocked(bits);
    }
    const ll_shape s = ll_shape_of("j=4 i=4");
    const ll_shape one = ll_shape_of("k=2");
    CHECK(ll_blocked(s, one, s, s).err == LL_EMISSING);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(trans_moves_no_element);
    RUN(reshape_moves_no_element);
    RUN(expand_moves_no_element);
    RUN(broadcast_repeats_in_registers);
    RUN(reduce_leaves_a_slice);
    RUN(join_interleaves_and_split_undoes);
    RUN(split_takes_the_register_of_the_last_axis);
    RUN(broadcast_back_forgets_an_axis);
    RUN(split_needs_a_register_of_its_own);
    RUN(blocked_tiles_as_it_is_drawn);
    return test_end();
}
