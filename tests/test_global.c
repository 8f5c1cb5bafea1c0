/* test_global.c - what a warp's accesses to global memory cost.
 * SPDX-License-Identifier: MIT
 *
 * The expected counts are found by listing the address of every element that a
 * warp holds, in a matrix whose rows are far apart.
 */
#include "test.h"

#include "../ll_ptx.h"
#include "../ll_amd.h"

enum { MOST = 1 << 13 };

/* The element that a register holds: row and column. */
typedef struct element {
    unsigned row, col;
} element;

static element element_of(const ll_layout *a, unsigned reg, unsigned thread) {
    const unsigned x = reg | thread << a->in.bits[0];
    const unsigned y = ll_apply(*a, x);
    const element e = {y >> a->out.bits[0], y & ((1u << a->out.bits[0]) - 1u)};
    return e;
}

/* Its address in bytes. Rows are 2^16 bytes apart: more than one has. */
static unsigned address_of(const ll_layout *a, unsigned bytes, unsigned reg,
                           unsigned thread) {
    const element e = element_of(a, reg, thread);
    return (e.row << 16) + e.col * bytes;
}

static unsigned list[MOST];
static unsigned listed;

/* Adds a number to the list of those that are different. */
static void add(unsigned x) {
    for (unsigned k = 0; k < listed; ++k) {
        if (list[k] == x) {
            return;
        }
    }
    CHECK(listed < MOST);
    list[listed++] = x;
}

/* The different pieces of `bytes` bytes in which one access of a warp, that of
 * the register, has elements. */
static unsigned pieces(const ll_layout *a, unsigned size, unsigned reg,
                       unsigned bytes) {
    listed = 0;
    for (unsigned lane = 0; lane < 1u << a->in.bits[1]; ++lane) {
        add(address_of(a, size, reg, lane) / bytes);
    }
    return listed;
}

/* Whether every lane can access its elements by runs of `bytes` bytes: if it
 * holds an element of an aligned run, it holds all of it, and each lane holds
 * the same part of a run in the same register. */
static int is_run(const ll_layout *a, unsigned size, unsigned bytes) {
    const unsigned regs = 1u << a->in.bits[0];
    const unsigned threads = 1u << (a->in.bits[1] + a->in.bits[2]);
    for (unsigned t = 0; t < threads; ++t) {
        for (unsigned r = 0; r < regs; ++r) {
            const unsigned run = address_of(a, size, r, t) / bytes;
            if (address_of(a, size, r, t) % bytes !=
                address_of(a, size, r, 0) % bytes) {
                return 0;
            }
            listed = 0;
            for (unsigned s = 0; s < regs; ++s) {
                const unsigned at = address_of(a, size, s, t);
                const int same = at / bytes == run;
                const int first = address_of(a, size, r, 0) / bytes ==
                                  address_of(a, size, s, 0) / bytes;
                if (same != first) {
                    return 0;
                }
                if (same) {
                    add(at);
                }
            }
            if (listed * size != bytes) {
                return 0;
            }
        }
    }
    return 1;
}

/* Whether two registers are, in every thread, in the same row and at the same
 * distance: one address does for both. */
static int is_beside(const ll_layout *a, unsigned r, unsigned s) {
    const unsigned threads = 1u << (a->in.bits[1] + a->in.bits[2]);
    const element r0 = element_of(a, r, 0);
    const element s0 = element_of(a, s, 0);
    for (unsigned t = 0; t < threads; ++t) {
        const element x = element_of(a, r, t);
        const element y = element_of(a, s, t);
        if (x.row != y.row || y.col - x.col != s0.col - r0.col) {
            return 0;
        }
    }
    return 1;
}

/* The first registers of the accesses of lane 0. */
static unsigned accesses(const ll_layout *a, unsigned size, unsigned bytes,
                         unsigned *first) {
    unsigned n = 0;
    listed = 0;
    for (unsigned r = 0; r < 1u << a->in.bits[0]; ++r) {
        const unsigned before = listed;
        add(address_of(a, size, r, 0) / bytes);
        if (listed > before) {
            first[n++] = r;
        }
    }
    return n;
}

static void check(ll_layout a, unsigned size, unsigned most, ll_target t) {
    static unsigned first[MOST];
    const ll_global g = ll_global_of(a, 8u * size, most, t);
    CHECK(g.err == LL_OK);
    CHECK(g.bytes >= size && is_run(&a, size, g.bytes));
    CHECK(2u * g.bytes > most || !is_run(&a, size, 2u * g.bytes));
    const unsigned n = accesses(&a, size, g.bytes, first);
    CHECK(g.count == n);
    unsigned addresses = 0;
    for (unsigned k = 0; k < n; ++k) {
        int fresh = 1;
        for (unsigned l = 0; l < k; ++l) {
            fresh = fresh && !is_beside(&a, first[l], first[k]);
        }
        addresses += fresh ? 1u : 0u;
        CHECK(g.sectors == pieces(&a, size, first[k], 32));
        CHECK(g.halves == pieces(&a, size, first[k], 64));
        CHECK(g.lines == pieces(&a, size, first[k], 128));
    }
    /* An offset is XORed as the thread's bits are. */
    CHECK(a.offset ? g.addresses >= addresses : g.addresses == addresses);
    listed = 0;
    for (unsigned r = 0; r < 1u << a.in.bits[0]; ++r) {
        for (unsigned lane = 0; lane < 1u << a.in.bits[1]; ++lane) {
            add(address_of(&a, size, r, lane) / 32u);
        }
    }
    CHECK(g.whole == listed);
}

/* A layout of a matrix whose columns are single bits, in any order, with
 * copies, or with further bits XORed to them. */
static ll_layout random_layout(unsigned lanes, unsigned kind) {
    const unsigned cols = test_random(6);
    const unsigned rows = 9u - cols;
    ll_layout a = ll_zero(ll_shape_of("register=1 lane=1 warp=1"),
                          ll_shape_of("j=1 i=1"));
    unsigned bits[3] = LL_ZERO;
    bits[0] = test_random(5);
    bits[1] = lanes;
    bits[2] = test_random(3);
    unsigned at = 0;
    a.out.bits[0] = (unsigned short)cols;
    a.out.bits[1] = (unsigned short)rows;
    for (unsigned d = 0; d < 3u; ++d) {
        a.in.bits[d] = (unsigned short)bits[d];
        for (unsigned k = 0; k < bits[d]; ++k, ++at) {
            const unsigned copy = kind > 0 && test_random(8) == 0;
            a.basis[at] = copy ? 0u : 1u << test_random(cols + rows);
            if (kind > 1 && test_random(3) == 0) {
                a.basis[at] ^= 1u << test_random(cols + rows);
            }
        }
    }
    a.offset = kind > 1 ? test_random(1u << (cols + rows)) : 0u;
    return a;
}

static void counts_are_those_of_a_list_of_addresses(void) {
    unsigned wide = 0, several = 0;
    for (unsigned n = 0; n < times(600); ++n) {
        const unsigned size = 1u << test_random(5);
        const int amd = test_random(3) == 0;
        const ll_target t = amd ? LL_GFX942 : LL_SM90;
        const unsigned most = test_random(2) || size > 16u ? 32u : 16u;
        const ll_layout a = random_layout(amd ? 6u : 5u, n % 3u);
        const ll_global g = ll_global_of(a, 8u * size, most, t);
        check(a, size, most, t);
        wide += g.bytes > size;
        several += g.addresses > 1u && g.addresses < g.count;
    }
    COVERS(wide > 20 && several > 5);
}

static void families_are_counted(void) {
    for (unsigned size = 1; size <= 16u; size *= 2u) {
        check(ll_rows(32, 32, size), size, 16, LL_SM90);
        check(ll_rows(32, 32, size), size, 32, LL_SM90);
        check(ll_trans(ll_rows(32, 32, size), "j i"), size, 16, LL_SM90);
        check(ll_ptx_mma_c(32, 32, 2), size, 16, LL_SM90);
        check(ll_trans(ll_ptx_mma_c(32, 32, 2), "j i"), size, 16, LL_SM90);
        check(ll_rows_for(ll_ptx_mma_c(32, 32, 2), size), size, 16, LL_SM90);
    }
}

/* ll_rows_for wastes no part of a line that a warp could fill: what a request
 * touches is what it moves, in whole lines where rows have them. */
static void rows_fill_what_they_touch(void) {
    for (unsigned size = 1; size <= 16u; size *= 2u) {
        for (unsigned cols = 32u / size; cols && cols <= 256u; cols *= 2u) {
            const ll_layout a =
                ll_blocked(ll_shape_of("j=1 i=64"), ll_shape_of("i=2"),
                           ll_shape_of("i=32"), ll_shape_of("i=1"));
            ll_layout tile =
                ll_tiled(a, ll_shape_matrix_(64, cols), ll_shape_of(""));
            tile = ll_rows_for(tile, size);
            const ll_global g = ll_global_of(tile, 8u * size, 16, LL_SM90);
            CHECK(g.err == LL_OK && g.sectors * 32u == 32u * g.bytes);
            CHECK(cols * size < 64u || g.halves * 2u == g.sectors);
            CHECK(cols * size < 128u || g.lines * 4u == g.sectors);
        }
    }
}

/* Without gaps, rows of 16 bytes fill their sectors; with gaps they do not. */
static void a_flat_matrix_has_no_gaps(void) {
    const ll_layout a = ll_rows(64, 4, 4);
    const ll_global apart = ll_global_of(a, 32, 16, LL_SM90);
    const ll_global flat =
        ll_global_of(ll_flatten_out(a, LL_J), 32, 16, LL_SM90);
    CHECK(apart.sectors == 32u && apart.halves == 32u && apart.lines == 32u);
    CHECK(flat.sectors == 16u && flat.halves == 8u && flat.lines == 4u);
}

static void bad_arguments_have_an_error(void) {
    const ll_layout a = ll_rows(64, 64, 4);
    CHECK(ll_global_of(a, 12, 16, LL_SM90).err == LL_EELEMENT);
    CHECK(ll_global_of(a, 32, 2, LL_SM90).err == LL_EACCESS);
    CHECK(ll_global_of(a, 32, 16, LL_GFX942).err == LL_ELANES);
    CHECK(ll_global_of(a, 32, 16, ll_ptx_target(12)).err != LL_OK);
    ll_target none = LL_ZERO;
    CHECK(ll_global_of(a, 32, 16, none).err == LL_ETARGET);
    CHECK(ll_global_of(ll_parse("register: i0 j0 k0 | lane: 0 0 0 0 0"), 32, 16,
                       LL_SM90)
              .err == LL_EAXES);
    CHECK(ll_global_of(ll_parse("bad"), 32, 16, LL_SM90).err != LL_OK);
}

/* ---- Tiles --------------------------------------------------------------- */

/* What a thread holds at a position of a tile: the elements of its places, with
 * the lowest positions side by side, and each way to add them up. */
static void check_position(const ll_tile *tile, unsigned place, unsigned thread,
                           unsigned p) {
    const unsigned base = ll_map_at(tile->thread, thread);
    const unsigned at = ll_places(&tile->at, p);
    const unsigned run = (1u << tile->at.vector) - 1u;
    CHECK(place == (base ^ at));
    CHECK(place == (base ^ (at & tile->touched)) + (at & ~tile->touched));
    CHECK((place & run) == (p & run));
    CHECK((place ^ (p & run)) == (base ^ ll_places(&tile->at, p & ~run)));
}

/* Threads without a spare bit hold each element once, and all that the others
 * hold; registers that differ in a copy hold one element. */
static void check_copies(const ll_layout *a, const ll_tile *tile) {
    static unsigned char held[1 << 16];
    const unsigned threads = 1u << (a->in.bits[1] + a->in.bits[2]);
    memset(held, 0, sizeof held);
    for (unsigned spare = 0; spare < 2u; ++spare) {
        for (unsigned k = 0; k < threads << tile->at.n; ++k) {
            const unsigned t = k >> tile->at.n;
            const unsigned r =
                ll_registers(&tile->at, k & ((1u << tile->at.n) - 1u));
            const unsigned y = ll_apply(*a, r | t << a->in.bits[0]);
            if (((t & tile->at.spare) != 0) == (spare != 0)) {
                CHECK(y < sizeof held && held[y] == spare);
                held[y] = 1;
            }
        }
    }
}

/* The order of the positions: those that need another address last, else by
 * rows and columns. */
static void check_order(const ll_tile *tile) {
    for (unsigned k = tile->at.vector + 1u; k < tile->at.n; ++k) {
        const unsigned x = tile->at.place[k - 1u];
        const unsigned y = tile->at.place[k];
        CHECK((x & tile->touched) < (y & tile->touched) ||
              ((x & tile->touched) == (y & tile->touched) && x < y));
    }
}

/* The place bits that some thread has. */
static unsigned bits_of_threads(const ll_tile *tile, unsigned threads) {
    unsigned all = 0;
    for (unsigned t = 0; t < threads; ++t) {
        all |= ll_map_at(tile->thread, t);
    }
    return all;
}

static void check_tile(ll_layout a, unsigned size, unsigned most) {
    const ll_tile tile = ll_tile_of(a, 8u * size, most);
    const unsigned threads = 1u << (a.in.bits[1] + a.in.bits[2]);
    const unsigned word = size >= 4u ? 0u : size == 2u ? 1u : 2u;
    unsigned widest = size;
    most = most < 32u ? most : 32u;
    while (2u * widest <= most && 2u * widest <= size << a.out.bits[0] &&
           is_run(&a, size, 2u * widest)) {
        widest *= 2u;
    }
    CHECK(tile.err == LL_OK && tile.nibble == 0);
    CHECK(tile.bytes == widest && tile.bytes == size << tile.at.vector);
    CHECK(tile.pack == (word < tile.at.vector ? word : tile.at.vector));
    CHECK(tile.col_bits == a.out.bits[0]);
    CHECK(tile.touched == bits_of_threads(&tile, threads));
    CHECK(tile.at.n + tile.at.copies == a.in.bits[0]);
    for (unsigned t = 0; t < threads; ++t) {
        for (unsigned p = 0; p < 1u << tile.at.n; ++p) {
            const unsigned r = ll_registers(&tile.at, p);
            const element e = element_of(&a, r, t);
            check_position(&tile, e.row << tile.col_bits | e.col, t, p);
            for (unsigned k = 0; k < tile.at.copies; ++k) {
                const element c = element_of(&a, r ^ tile.at.copy[k], t);
                CHECK(c.row == e.row && c.col == e.col && tile.at.copy[k]);
            }
        }
    }
    check_copies(&a, &tile);
    check_order(&tile);
}

/* Elements of 4 bits lie in pairs of columns 2j and 2j + 1: the register bit of
 * a column's lowest bit changes places with bit 0. */
static void check_tile_of_pairs(ll_layout a, unsigned bit) {
    const ll_tile tile = ll_tile_of(a, 4, 16);
    const unsigned threads = 1u << (a.in.bits[1] + a.in.bits[2]);
    CHECK(tile.err == LL_OK && tile.nibble == bit);
    CHECK(tile.bytes == 1u << tile.at.vector);
    CHECK(tile.pack == (tile.at.vector < 2u ? tile.at.vector : 2u));
    CHECK(tile.col_bits == a.out.bits[0] - 1u);
    CHECK(tile.touched == bits_of_threads(&tile, threads));
    for (unsigned t = 0; t < threads; ++t) {
        for (unsigned p = 0; p < 2u << tile.at.n; ++p) {
            const unsigned r = ll_registers(&tile.at, p / 2u) << 1 | p % 2u;
            const unsigned low = r & 1u, high = r >> bit & 1u;
            const unsigned reg = (r & ~(1u | 1u << bit)) | high | low << bit;
            const element e = element_of(&a, bit ? reg : r, t);
            CHECK(e.col % 2u == p % 2u);
            check_position(&tile, e.row << tile.col_bits | e.col / 2u, t,
                           p / 2u);
        }
    }
    check_order(&tile);
}

static void tiles_hold_every_element(void) {
    unsigned ordered = 0, spare = 0;
    for (unsigned n = 0; n < 150u; ++n) {
        const unsigned size = 1u << test_random(5);
        const ll_layout a = random_layout(test_random(4), n % 3u);
        const unsigned most = size << test_random(6);
        check_tile(a, size, most);
        const ll_tile tile = ll_tile_of(a, 8u * size, most);
        ordered += tile.at.n > tile.at.vector + 1u;
        spare += tile.at.spare != 0;
    }
    COVERS(ordered > 20 && spare > 20);
    /* Registers in the reverse order, and the columns of threads between. */
    check_tile(L("register: i3 i2 j2 i1 j1 j0 | lane: j3 i0 | warp: i4"), 1,
               16);
    check_tile(L("register: i3 j4 i2^j5 | lane: j5 i0 j0 j1 | warp: j2"), 4,
               16);
    for (unsigned bit = 0; bit < 4u; ++bit) {
        ll_layout a = L("register: i0 j1 i1 j2 | lane: j3 i2 | warp: i3 j4");
        const unsigned column = a.basis[bit];
        a.basis[bit] = 1; /* j0 */
        a.basis[0] = bit ? column : a.basis[0];
        check_tile_of_pairs(a, bit);
    }
}

static void tiles_that_are_none_have_a_reason(void) {
    const ll_layout a = L("register: j0 j1 | lane: i0 | warp: j2");
    for (unsigned size = 1; size <= 16u; size *= 2u) {
        for (unsigned most = 0; most < 70u; ++most) {
            CHECK(ll_tile_of(a, 8u * size, most).err ==
                  (most < size ? LL_EACCESS : LL_OK));
        }
    }
    CHECK(ll_tile_of(a, 256, 64).err == LL_EELEMENT);
    CHECK(ll_tile_of(a, 24, 64).err == LL_EELEMENT);
    CHECK(ll_tile_of(L("register: j0 i0 k0"), 32, 16).err == LL_EAXES);
    CHECK(ll_tile_of(L("register: j0 i0"), 32, 16).err == LL_OK);
    CHECK(ll_tile_of(L("register: j0 | block: i0"), 32, 16).err == LL_EBLOCK);
    CHECK(ll_tile_of(L("x: j0"), 32, 16).err == LL_EHARDWARE);
    CHECK(ll_tile_of(L("lane: j0 | register: j1"), 4, 16).err == LL_EPAIR);
    const ll_tile none = ll_tile_of(L("register: ->"), 32, 16);
    CHECK(none.err == LL_OK && none.col_bits == 0 && none.bytes == 4u);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(counts_are_those_of_a_list_of_addresses);
    RUN(families_are_counted);
    RUN(rows_fill_what_they_touch);
    RUN(a_flat_matrix_has_no_gaps);
    RUN(bad_arguments_have_an_error);
    RUN(tiles_hold_every_element);
    RUN(tiles_that_are_none_have_a_reason);
    return test_end();
}
