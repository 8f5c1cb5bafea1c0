/* test_views_pads.c - pictures and wavefronts of padded memory.
 * SPDX-License-Identifier: MIT
 *
 * Wavefronts are counted address by address.
 */
#include "../ll.h"
#include "../tools/views/ll_views.h"
#include "machines.h"
#include "views.h"

/* The place of an offset: behind each `every` elements are `pad` more. */
static unsigned place_with(const ll_foreign *f, unsigned x) {
    unsigned place = x;
    for (unsigned k = 0; k < f->pads; ++k) {
        for (unsigned at = f->every[k]; at <= x; at += f->every[k]) {
            place += f->pad[k];
        }
    }
    return place;
}

static ll_foreign padded_square(const char *pads) {
    static const unsigned sizes[2] = {32, 32};
    sprintf(text, "#ttg.padded_shared<[%s] {order = [1, 0], shape = [32, "
                  "32]}>", pads);
    return ll_from_triton(text, 2, sizes);
}

/* The wavefronts of an access, address by address. */
static unsigned wavefronts_with(const ll_view *v, const ll_foreign *f) {
    unsigned all = 0;
    for (unsigned phase = 0; phase < v->phases; ++phase) {
        unsigned seen[256];
        unsigned n = 0;
        unsigned most = 1;
        for (unsigned k = 0; k < 1u << v->phase.n; ++k) {
            const unsigned lane = ll_lane_in_phase_(v, phase, k) & v->named;
            unsigned at = v->start;
            for (unsigned b = 0; b < 6u; ++b) {
                at ^= lane >> b & 1u ? v->lane[b] : 0u;
            }
            for (unsigned byte = 0; byte < v->bytes; byte += 4u) {
                const unsigned place = place_with(f, (at + byte) >> v->scale);
                const unsigned word = (place << v->scale) / 4u;
                unsigned m = 0;
                while (m < n && seen[m] != word) {
                    ++m;
                }
                seen[m] = word;
                n += m == n;
            }
        }
        for (unsigned bank = 0; bank < 32u; ++bank) {
            unsigned words = 0;
            for (unsigned m = 0; m < n; ++m) {
                words += seen[m] % 32u == bank;
            }
            most = words > most ? words : most;
        }
        all += most;
    }
    return all;
}

static void pads_are_counted_address_by_address(void) {
    static const char *const pads[] = {"32:+1", "32:+4", "32:+8", "64:+4",
                                       "128:+4", "32:+1, 128:+2", "4:+4",
                                       "1024:+8", "8:+2", "16:+16, 64:+4"};
    unsigned taken = 0, better = 0, refused = 0;
    for (unsigned n = 0; n < times(600); ++n) {
        const ll_foreign f = padded_square(pads[test_random(10)]);
        ll_layout a = test_random(3) ? ll_trans(ll_rows(32, 32, 4), "j i")
                                     : L("register: j0 j1 j2 j3 j4 | "
                                         "lane: i0 i1 i2 i3 i4");
        a = test_random(4) ? a : random_conversion(5, 9, 5, 1).a;
        const unsigned bits = 8u << test_random(3);
        const unsigned bytes = 1u << test_random(5);
        const ll_view plain = ll_view_banks(a, f.layout, bits, bytes,
                                            test_random(2), LL_SM90);
        const ll_view v = ll_view_padded(plain, f);
        unsigned fits = 1;
        for (unsigned k = 0; k < f.pads; ++k) {
            fits &= f.every[k] * bits / 8u >= bytes &&
                    f.pad[k] * bits / 8u >= bytes;
        }
        CHECK(plain.err ? v.err == plain.err
                        : v.err == (fits ? LL_OK : LL_EACCESS));
        refused += !plain.err && v.err;
        if (!v.err) {
            CHECK(v.rows == wavefronts_with(&v, &f));
            better += v.rows < plain.rows;
            ++taken;
            unsigned marks = 0;
            for (unsigned k = 0; k < v.rows * v.cols; ++k) {
                const ll_cell c = ll_cell_at(&v, k / v.cols, k % v.cols);
                marks += c.mark;
                CHECK(c.text[0] || !c.mark);
            }
            CHECK((marks != 0) == (v.rows > v.phases));
        }
    }
    COVERS(taken > 50u && better > 10u && refused > 5u);
}

/* Lane i reads from row i of 32 x 32 floats. */
static ll_view rows_with(const char *pads, unsigned bytes) {
    const ll_foreign f = padded_square(pads);
    return ll_view_padded(
        ll_view_banks(L("register: j0 j1 j2 j3 j4 | lane: i0 i1 i2 i3 i4"),
                      f.layout, 32, bytes, LL_READ, LL_SM90), f);
}

/* Row i begins at bank 4 i, or at bank 0. */
static void wavefronts_of_pads_are_numbered_through_the_phases(void) {
    const ll_view none = rows_with("32:+4", 16), all = rows_with("32:+32", 16);
    CHECK(none.rows == 4u && all.rows == 32u);
    for (unsigned k = 0; k < 32u * 32u; ++k) {
        const unsigned row = k / 32u, bank = k % 32u;
        char want[4] = "";
        sprintf(want, "%u", row * 8u + bank / 4u);
        ll_cell c = ll_cell_at(&none, row, bank);
        CHECK(row < 4u ? strcmp(c.text, want) == 0 && !c.mark : !c.text[0]);
        sprintf(want, "%u", row);
        c = ll_cell_at(&all, row, bank);
        CHECK(bank < 4u ? strcmp(c.text, want) == 0 && c.mark == (row % 8u != 0)
                        : !c.text[0] && !c.mark);
    }
}

static void pads_of_textbooks_have_their_wavefronts(void) {
    /* the textbook's: a column of floats, and 16 bytes a lane */
    const ll_layout rows = L("register: j0 j1 j2 j3 j4 | lane: i0 i1 i2 i3 i4");
    const ll_foreign one = padded_square("32:+1");
    const ll_foreign four = padded_square("32:+4");
    const ll_view v = ll_view_padded(
        ll_view_banks(rows, one.layout, 32, 4, LL_READ, LL_SM90), one);
    CHECK(v.rows == 1u && strcmp(ll_cell_at(&v, 0, 7).text, "7") == 0);
    CHECK(ll_cell_at(&v, 0, 7).element == 7u << 5);
    CHECK(ll_view_padded(ll_view_banks(rows, four.layout, 32, 16, LL_READ,
                                       LL_SM90), four).rows == 4u);
    CHECK(ll_view_banks(rows, one.layout, 32, 4, LL_READ, LL_SM90).rows == 32u);
    CHECK(rows_with("32:+1", 8).err == LL_EACCESS); /* two elements, one pad */
    /* column 1: lane i asks for word 34 i + 1, and bank 0 for none */
    const ll_foreign two = padded_square("32:+2");
    const ll_layout next =
        L("register: j1 j2 j3 j4 | lane: i0 i1 i2 i3 i4 | 1: j0 -> i=32 | "
          "j=32");
    CHECK(ll_view_padded(ll_view_banks(next, two.layout, 32, 4, LL_READ,
                                       LL_SM90), two).rows == 2u);
}

static void pads_are_empty_places(void) {
    static const char *const pads[] = {"32:+4", "4:+2, 64:+8", "1024:+8",
                                       "8:+1", "256:+64", "512:+1"};
    for (unsigned n = 0; n < 6u; ++n) {
        const ll_foreign f = padded_square(pads[n]);
        const ll_view t = ll_view_padded(ll_view_tensor(f.layout), f);
        const ll_view h = ll_view_padded(ll_view_hardware(f.layout), f);
        unsigned held = 0;
        CHECK(h.cols == 32u && h.rows == place_with(&f, 1023) / 32u + 1u);
        for (unsigned x = 0; x < 1024u; ++x) {
            const unsigned at = place_with(&f, x), y = value(&f.layout, x);
            const ll_cell c = ll_cell_at(&h, at / 32u, at % 32u);
            const ll_cell d = ll_cell_at(&t, y / 32u, y % 32u);
            CHECK(ll_padded(f, x) == at);
            CHECK(c.element == y && element_in(&c, &f.layout.out) == y);
            CHECK(strtoul(d.text, NULL, 10) == at && d.element == y);
        }
        for (unsigned at = 0; at < h.rows * 32u; ++at) {
            held += ll_cell_at(&h, at / 32u, at % 32u).text[0] != 0;
        }
        CHECK(held == 1024u);
    }
}

/* A picture of memory has at most 2^20 places, and a place at most 28 bits. */
static void pads_have_limits(void) {
    static const unsigned most[2] = {1024, 1024}, twice[2] = {16, 16};
    const ll_foreign f = ll_from_triton(
        "#ttg.padded_shared<[32:+1] {order = [1, 0], shape = [1024, 1024]}>",
        2, most);
    CHECK(ll_view_padded(ll_view_hardware(f.layout), f).err == LL_ETABLE);
    CHECK(ll_view_padded(ll_view_tensor(f.layout), f).err == LL_OK);
    CHECK(ll_view_padded(ll_view_matrix(f.layout), f).rows == 20u);
    const ll_foreign g = ll_from_triton(
        "#ttg.padded_shared<[1:+536870912] {order = [1, 0], shape = [16, "
        "16]}>", 2, twice);
    CHECK(ll_view_padded(ll_view_tensor(g.layout), g).err == LL_ETABLE);
    CHECK(ll_view_padded(ll_view_tensor(g.layout), g).rows == 0);
    static const unsigned half[2] = {1024, 512};
    const ll_foreign full = ll_from_triton( /* 2^19 + 2^19 - 1 + 1 places */
        "#ttg.padded_shared<[1:+1, 262144:+1] {order = [1, 0], shape = [1024, "
        "512]}>", 2, half);
    CHECK(ll_padded(full, (1u << 19) - 1u) == (1u << 20) - 1u);
    CHECK(ll_view_padded(ll_view_hardware(full.layout), full).err == LL_OK);
    const ll_foreign far = ll_from_triton( /* more than 2^28 places */
        "#ttg.padded_shared<[1:+256] {order = [1, 0], shape = [1024, 1024]}>",
        2, most);
    CHECK(ll_view_padded(ll_view_tensor(far.layout), far).err == LL_ETABLE);
    const ll_view bad = ll_view_tensor(ll_layout_none_(LL_ESIZE));
    CHECK(ll_view_padded(bad, full).err == LL_ESIZE);
    const ll_foreign none = LL_ZERO; /* no pads, no change */
    const ll_view plain = ll_view_tensor(ll_rows(8, 8, 4));
    CHECK(ll_view_padded(plain, none).err == LL_OK);
    CHECK(ll_view_padded(plain, none).rows == plain.rows);
    const ll_foreign blocks = ll_from_triton(
        "#ttg.padded_shared<[4:+4] {order = [1, 0], shape = [16, 16], "
        "CGALayout = [[1, 0]]}>", 2, twice);
    CHECK(ll_view_padded(ll_view_tensor(blocks.layout), blocks).err ==
          LL_EMEMORY);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(pads_are_counted_address_by_address);
    RUN(wavefronts_of_pads_are_numbered_through_the_phases);
    RUN(pads_of_textbooks_have_their_wavefronts);
    RUN(pads_are_empty_places);
    RUN(pads_have_limits);
    return test_end();
}
