/* test_families.c - layouts by their family, against their definitions.
 * SPDX-License-Identifier: MIT
 */
#include "definition.h"

#include "../bench/device/padded.h"

static const ll_shape none = LL_ZERO;

static ll_shape matrix(unsigned cols, unsigned rows) {
    return ll_with(ll_with(none, LL_J, cols), LL_I, rows);
}

/* ---- Tiles -------------------------------------------------------------- */

/* What is left of a number after its lowest part, below `size`, was taken. */
static unsigned take(unsigned *x, unsigned size) {
    unsigned low = *x % size;
    *x /= size;
    return low;
}

/* Along each axis a register, then the lanes, the warps and the repeats count
 * on; beyond the size the count starts again. */
static void blocked_is_its_definition(void) {
    for (unsigned n = 0; n < times(500u); ++n) {
        unsigned count[4][2]; /* registers, lanes, warps, repeats; j, i */
        unsigned size[2];
        for (unsigned d = 0; d < 2u; ++d) {
            unsigned block = 1;
            size[d] = 1u << test_random(6);
            for (unsigned k = 0; k < 3u; ++k) {
                count[k][d] = 1u << test_random(3);
                block *= count[k][d];
            }
            count[3][d] = block < size[d] ? size[d] / block : 1u;
        }
        ll_layout a = ll_blocked(matrix(size[0], size[1]),
                                 matrix(count[0][0], count[0][1]),
                                 matrix(count[1][0], count[1][1]),
                                 matrix(count[2][0], count[2][1]));
        for (unsigned x = 0; x < 1u << ll_shape_bits_(&a.in); ++x) {
            const unsigned order[4] = {0, 3, 1, 2}; /* repeats are registers */
            unsigned part[4][2];
            unsigned rest = x;
            for (unsigned k = 0; k < 4u; ++k) {
                part[order[k]][0] = take(&rest, count[order[k]][0]);
                part[order[k]][1] = take(&rest, count[order[k]][1]);
            }
            for (unsigned d = 0; d < 2u; ++d) {
                unsigned at = 0;
                for (unsigned k = 4; k-- > 0;) {
                    at = at * count[k][d] + part[k][d];
                }
                CHECK(ll_unpack(a.out, d ? LL_I : LL_J, ll_apply(a, x)) ==
                      at % size[d]);
            }
        }
    }
}

static void tiled_fails_without_the_axis(void) {
    const ll_layout a = ll_identity(4, LL_LANE, LL_K);
    CHECK(ll_tiled(a, matrix(4, 4), ll_shape_of("")).err == LL_EMISSING);
    CHECK(ll_tiled(a, ll_shape_of("k=3"), ll_shape_of("")).err == LL_ESIZE);
    CHECK(ll_tiled(ll_parse("?"), matrix(4, 4), ll_shape_of("")).err ==
          LL_ETEXT);
}

/* Memory is repeated in offsets, and a layout of lanes alone in registers. */
static void tiled_repeats_where_it_should(void) {
    CHECK(ll_is_equal(ll_tiled(ll_parse("offset: j0"), matrix(4, 2),
                               ll_shape_of("")),
                      ll_parse("offset: j0 j1 i0")));
    CHECK(ll_is_equal(ll_tiled(ll_parse("lane: j0"), matrix(4, 1),
                               ll_shape_of("")),
                      ll_parse("lane: j0 | register: j1 -> j=4 | i=1")));
}

/* Warps along an axis of the shape that the tile lacks, and along none. */
static void tiled_places_warps(void) {
    CHECK(ll_is_equal(ll_tiled(ll_parse("lane: j0"), matrix(4, 4),
                               ll_shape_of("i=2 k=2")),
                      ll_parse("lane: j0 | warp: i0 0 | register: j1 i1")));
    CHECK(ll_is_equal(ll_tiled(ll_parse("lane: j0 i0"), matrix(2, 2),
                               ll_shape_of("i=2")),
                      ll_parse("lane: j0 i0 | warp: 0")));
}

/* A narrower view and back is the layout; the wider view exists if and only if
 * a lane holds the neighbours side by side. */
static void like_and_back_is_the_layout(void) {
    for (unsigned n = 0; n < times(500u); ++n) {
        ll_layout a = ll_rows(1u << test_random(7), 1u << (2u + test_random(6)),
                              1u << test_random(5));
        unsigned bits = 1u << (2u + test_random(6));
        unsigned narrow = bits >> test_random(3);
        narrow = narrow ? narrow : 1u;
        ll_layout b = ll_bitcast(a, bits, narrow);
        CHECK(ll_is_equal(ll_bitcast(b, narrow, bits), a));
        CHECK(ll_size(b.out, LL_J) * narrow == ll_size(a.out, LL_J) * bits);
        CHECK(ll_size(b.in, LL_LANE) == ll_size(a.in, LL_LANE));
    }
    CHECK(ll_bitcast(ll_parse("register: i0 j0"), 8, 16).err == LL_EWHOLE);
    CHECK(ll_bitcast(ll_parse("register: j0"), 24, 8).err == LL_ECAST);
    CHECK(ll_bitcast(ll_parse("register: j0"), 8, 256).err == LL_ECAST);
}

/* ---- Swizzles and pads -------------------------------------------------- */

/* Element (row, col) stands in its row, its vector moved by the phase. */
static void swizzled_is_its_definition(void) {
    for (unsigned n = 0; n < times(300u); ++n) {
        unsigned cols = 1u << test_random(7);
        unsigned rows = 1u << test_random(6);
        unsigned vec = 1u << test_random(4);
        unsigned per = 1u << test_random(3);
        unsigned max = 1u << test_random(5);
        ll_layout a = ll_swizzled(matrix(cols, rows), vec, per, max);
        ll_layout b = ll_rotated(matrix(cols, rows), vec, per, max);
        CHECK((a.err == LL_ESWIZZLE) == (vec * max > cols));
        CHECK(a.err == b.err);
        for (unsigned x = 0; !a.err && x < rows * cols; ++x) {
            unsigned i = x / cols;
            unsigned phase = i / per % max;
            unsigned turn = phase ^ i / per / max % max;
            CHECK(ll_apply(a, x) == (x ^ phase * vec));
            CHECK(ll_apply(b, x) == (x ^ turn * vec));
        }
        CHECK(a.err || ll_is_memory(a));
    }
    CHECK(ll_swizzled(matrix(8, 8), 3, 1, 1).err == LL_ESWIZZLE);
    CHECK(ll_swizzled(matrix(8, 8), 1, 0, 1).err == LL_ESWIZZLE);
    CHECK(ll_swizzled(matrix(8, 8), 1, 1, 0).err == LL_ESWIZZLE);
    CHECK(ll_swizzled(matrix(7, 8), 1, 1, 1).err == LL_ESIZE);
}

/* A machine of 32 lanes and 32 banks of 4 bytes, as NVIDIA's are. */
static ll_target machine(void) {
    ll_target t = LL_ZERO;
    t.lanes = 32;
    t.bank_bytes = 4;
    t.access_bytes = 16;
    t.copies = 1;
    t.merge = 2;
    for (unsigned op = 0; op < 2u; ++op) {
        for (unsigned w = 0; w < 3u; ++w) {
            t.banks[op][w] = 32;
            for (unsigned k = 0; k + w < 5u; ++k) {
                t.phase[op][w][k] = 1u << k;
            }
        }
    }
    return t;
}

/* Without pads the enumeration counts what the rank says. */
static void padded_by_nothing_is_linear(void) {
    for (unsigned n = 0; n < times(300u); ++n) {
        const ll_target t = machine();
        unsigned bytes = 1u << test_random(4);
        ll_layout a = ll_rows(32, 64, bytes);
        ll_layout m = ll_row_major(matrix(64, 32));
        a = test_random(2) ? a : ll_trans(ll_rows(64, 32, bytes), "j i");
        m = test_random(2)
                ? m
                : ll_swizzled(matrix(64, 32), 1u << test_random(4),
                              1u << test_random(3), 1u << test_random(3));
        unsigned wide = bytes << test_random(3);
        unsigned op = test_random(2);
        CHECK(padded_wavefronts(a, m, 8u * bytes, wide, op, t, 0, 0) ==
              ll_wavefronts(a, m, 8u * bytes, wide, op, t));
    }
}

/* 33 words a row: columns are read without conflicts, in plain memory each lane
 * waits for all others. A pad must keep wide accesses aligned. */
static void a_row_of_33_has_no_conflicts(void) {
    const ll_target t = machine();
    const ll_layout m = ll_row_major(matrix(32, 32));
    const ll_layout cols = ll_parse("register: j0 j1 j2 j3 j4 | "
                                    "lane: i0 i1 i2 i3 i4");
    CHECK(padded_wavefronts(cols, m, 32, 4, LL_READ, t, 0, 0) == 32);
    CHECK(padded_wavefronts(cols, m, 32, 4, LL_READ, t, 32, 1) == 1);
    CHECK(padded_wavefronts(cols, m, 32, 4, LL_READ, t, 32, 2) == 2);
    CHECK(padded_wavefronts(cols, m, 32, 16, LL_READ, t, 32, 1) == 0);
    CHECK(padded_wavefronts(cols, m, 32, 16, LL_READ, t, 32, 4) == 4);
    CHECK(padded_wavefronts(cols, m, 32, 16, LL_READ, t, 2, 4) == 0);
    CHECK(padded_wavefronts(cols, m, 32, 3, LL_READ, t, 32, 4) == 0);
    CHECK(padded_offset(31, 32, 1) == 31);
    CHECK(padded_offset(64, 32, 1) == 66);
    CHECK(padded_offset(64, 0, 1) == 64);
}

/* Access by access, word by word: the most words that any bank is asked for in
 * a phase, added up over the phases that serve all lanes. */
static unsigned waves_of(const unsigned *byte, unsigned bytes, unsigned op,
                         const ll_target *t, const unsigned *phase) {
    const unsigned banks = t->banks[op][bytes <= 4u ? 0 : bytes <= 8u ? 1 : 2];
    unsigned char done[64] = LL_ZERO;
    unsigned sum = 0;
    for (unsigned first = 0; first < t->lanes; ++first) {
        unsigned word[64 * 4];
        unsigned asked[64] = LL_ZERO;
        unsigned words = 0, most = 0;
        unsigned n = 0;
        while (n < 6u && phase[n]) {
            ++n;
        }
        for (unsigned m = 0; !done[first] && m < 1u << n; ++m) {
            unsigned lane = first;
            for (unsigned k = 0; k < n; ++k) {
                lane ^= m >> k & 1u ? phase[k] : 0u;
            }
            for (unsigned b = 0; b < bytes; b += 4u) {
                const unsigned w = (byte[lane] + b) / 4u;
                unsigned known = 0;
                while (known < words && word[known] != w) {
                    ++known;
                }
                word[known] = w;
                asked[w % banks] += known == words;
                words += known == words;
                most = asked[w % banks] > most ? asked[w % banks] : most;
            }
            done[lane] = lane != first;
        }
        sum += most;
    }
    return sum;
}

/* Memory with pads, against going through each lane's bytes. The phases are
 * those that the machine has for the width: of 64 lanes and 64 banks too, where
 * an access asks for 64 words; and 32 words may be in one bank. */
static void padded_memory_is_counted_word_by_word(void) {
    unsigned most = 0, some = 0;
    for (unsigned n = 0; n < times(1500u); ++n) {
        ll_target t = machine();
        const unsigned lanes = n % 2u ? 64 : 32;
        const unsigned banks = n % 4u < 2u ? 32 : 64;
        const unsigned scale = test_random(3);
        const unsigned wide = scale + test_random(5u - scale);
        const unsigned width = wide <= 2u ? 0 : wide - 2u;
        const unsigned op = test_random(2);
        const unsigned vector = 1u << (wide - scale);
        const unsigned interval = vector * (1u + test_random(70));
        const unsigned pad = vector * test_random(4);
        unsigned byte[64];
        t.lanes = lanes;
        t.merge = 0;
        for (unsigned k = 0; k < 6u; ++k) {
            t.banks[k / 3u][k % 3u] = banks;
            for (unsigned b = 0; b < 6u; ++b) {
                t.phase[k / 3u][k % 3u][b] =
                    1u << b < banks >> k % 3u && 1u << b < lanes ? 1u << b : 0u;
            }
        }
        const ll_shape tensor = matrix(64, 64);
        const ll_layout m = ll_row_major(tensor);
        ll_rows_spec s = {64, 64, 1u << scale, 1u << wide, 1, lanes, 1};
        ll_layout a = ll_rows_of(s);
        a = test_random(2) ? a : ll_trans(a, "j i");
        const unsigned got = padded_wavefronts(
            a, m, 8u << scale, 1u << wide, op, t, interval, pad);
        unsigned want = 0;
        if (ll_widest(a, m, 8u << scale, 16) < 1u << wide) {
            CHECK(got == 0);
            continue;
        }
        for (unsigned r = 0; r < ll_size(a.in, LL_REGISTER); ++r) {
            for (unsigned lane = 0; lane < lanes; ++lane) {
                const unsigned x = r | lane * ll_size(a.in, LL_REGISTER);
                const unsigned at = value(&a, x) / vector * vector;
                byte[lane] = (at + at / interval * pad) << scale;
            }
            const unsigned w =
                waves_of(byte, 1u << wide, op, &t, t.phase[op][width]);
            want = w > want ? w : want;
        }
        CHECK(got == want);
        most = want > most ? want : most;
        ++some;
    }
    COVERS(some > 500u && most >= 32u);
}

/* Whatever the columns, no number of lanes or warps but a power of two. */
static void rows_have_lanes_and_warps_that_are_powers_of_two(void) {
    for (unsigned n = 1; n <= 70u; ++n) {
        for (unsigned cols = 1; cols <= 512u; cols *= 2u) {
            ll_rows_spec s = {64, cols, 4, 0, 0, n, 0};
            const unsigned want = n & (n - 1u) ? (unsigned)LL_ESIZE : 0u;
            CHECK(ll_rows_of(s).err == want);
            CHECK(want || ll_size(ll_rows_of(s).in, LL_LANE) == n);
            s.lanes = 0;
            s.warps = n;
            CHECK(ll_rows_of(s).err == want);
        }
    }
    const ll_rows_spec most = {1, 2, 4, 4, 0, 1u << 31, 1};
    CHECK(ll_size(ll_rows_of(most).in, LL_LANE) == 1u << 31);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(blocked_is_its_definition);
    RUN(tiled_fails_without_the_axis);
    RUN(tiled_repeats_where_it_should);
    RUN(tiled_places_warps);
    RUN(like_and_back_is_the_layout);
    RUN(swizzled_is_its_definition);
    RUN(padded_by_nothing_is_linear);
    RUN(a_row_of_33_has_no_conflicts);
    RUN(padded_memory_is_counted_word_by_word);
    RUN(rows_have_lanes_and_warps_that_are_powers_of_two);
    return test_end();
}
