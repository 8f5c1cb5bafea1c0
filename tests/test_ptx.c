/* test_ptx.c - what recorded cases leave open of ll_ptx.h's operands: formulas of
 * the manual for whole operands, tensors over warps, words of small elements.
 * SPDX-License-Identifier: MIT
 */
#define LL_TENSOR 1
#include "test.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

static int same(ll_layout a, const char *text) {
    return ll_is_equal(a, ll_parse(text));
}

static unsigned at(ll_layout a, unsigned reg, unsigned lane, unsigned warp) {
    return ll_apply(a, ll_pack(a.in, LL_REGISTER, reg) ^
                           ll_pack(a.in, LL_LANE, lane) ^
                           ll_pack(a.in, LL_WARP, warp));
}

/* The formulas of the PTX manual, point by point. */
static void fragments_are_those_of_the_manual(void) {
    const unsigned sizes[] = {1, 4, 8, 16, 32, 64};
    for (unsigned s = 0; s < 6u; ++s) {
        unsigned bits = sizes[s];
        unsigned e = bits < 32u ? 32u / bits : 1u;
        for (unsigned k = 4u * e; k <= (bits < 64u ? 8u : 16u) * e; k *= 2u) {
            for (unsigned m = 8; m <= 16u; m *= 2u) {
                ll_layout a = ll_ptx_fragment_a(m, k, bits);
                ll_layout b = ll_ptx_fragment_b(k, 8, bits);
                unsigned rows = m / 8u;
                CHECK(ll_size(a.in, LL_REGISTER) == m * k / 32u);
                CHECK(ll_is_invertible(a) && ll_is_invertible(b));
                for (unsigned x = 0; x < m * k / 32u * 32u; ++x) {
                    unsigned lane = x & 31u;
                    unsigned i = x >> 5;
                    unsigned r = i / e;
                    unsigned across = (lane & 3u) * e + i % e;
                    unsigned y = at(a, i, lane, 0);
                    CHECK(ll_unpack(a.out, LL_I, y) ==
                          (lane >> 2) + 8u * (r % rows));
                    CHECK(ll_unpack(a.out, LL_J, y) ==
                          across + 4u * e * (r / rows));
                    y = at(b, i, lane, 0);
                    CHECK(i >= k / 4u ||
                          (ll_unpack(b.out, LL_I, y) == across + 4u * e * r &&
                           ll_unpack(b.out, LL_J, y) == lane >> 2));
                }
            }
        }
    }
}

/* The product that the lanes compute: every (row, column) once, and all of k. */
static void warps_of_a_tensor_meet(void) {
    for (unsigned warps = 1; warps <= 8u; warps *= 2u) {
        for (unsigned size = 8; size <= 128u; size *= 2u) {
            ll_layout a = ll_ptx_mma_a(size, 64, 16, warps);
            ll_layout b = ll_ptx_mma_b(64, size, 16, warps);
            ll_layout c = ll_ptx_mma_c(size, size, warps);
            CHECK(ll_is_distributed(a) && ll_is_distributed(b));
            CHECK(ll_is_distributed(c));
            for (unsigned w = 0; w < warps; ++w) {
                unsigned ya = ll_unpack(a.out, LL_I, at(a, 0, 0, w));
                CHECK(ya == ll_unpack(c.out, LL_I, at(c, 0, 0, w)));
                CHECK(at(b, 0, 0, w) == 0);
            }
        }
    }
    CHECK(same(ll_ptx_wgmma_a(64, 32, 16, 4),
               "register: j0 i3 j3 j4 | lane: j1 j2 i0 i1 i2 | warp: i4 i5"));
    CHECK(same(ll_ptx_wgmma_d(128, 8, 4), "register: j0 i3 i6 | "
                                          "lane: j1 j2 i0 i1 i2 | warp: i4 i5"));
    CHECK(same(ll_ptx_wgmma_d(128, 8, 8), "register: j0 i3 | lane: j1 j2 i0 i1 "
                                          "i2 | warp: i4 i5 i6"));
}

/* An operand of that size: each element is held, by columns that are one bit,
 * each another one, or 0 for as many copies as that. */
static int holds(ll_layout a, unsigned rows, unsigned cols, unsigned copies) {
    return !a.err && ll_is_distributed(a) && ll_size(a.out, LL_I) == rows &&
           ll_size(a.out, LL_J) == cols &&
           1u << (ll_shape_bits_(&a.in) - ll_rank(a)) == copies;
}

/* A, B and C have one m, n and k, and lanes that hold the same k in A and B. */
static int fit(ll_layout a, ll_layout b, ll_layout c) {
    int same = ll_size(a.out, LL_I) == ll_size(c.out, LL_I) &&
               ll_size(b.out, LL_J) == ll_size(c.out, LL_J) &&
               ll_size(a.out, LL_J) == ll_size(b.out, LL_I);
    for (unsigned lane = 0; lane < 32u; ++lane) {
        same = same && ll_unpack(a.out, LL_J, at(a, 0, lane, 0)) ==
                           ll_unpack(b.out, LL_I, at(b, 0, lane, 0));
    }
    return same;
}

static void operands_hold_each_element_and_fit(void) {
    const unsigned sizes[] = {1, 4, 8, 16, 32, 64};
    unsigned found = 0;
    for (unsigned x = 0; x < 6u * 2u * 7u; ++x) {
        unsigned bits = sizes[x % 6u];
        unsigned m = x / 6u % 2u ? 8 : 16;
        unsigned k = 4u << x / 12u;
        ll_layout a = ll_ptx_fragment_a(m, k, bits);
        ll_layout b = ll_ptx_fragment_b(k, 8, bits);
        ll_layout c = ll_ptx_fragment_c(m, 8);
        CHECK(holds(c, m, 8, 1));
        CHECK(b.err || a.err == (bits < 64u && k * bits > 256u ? LL_EK : 0));
        CHECK(a.err || (holds(a, m, k, 1) && holds(b, k, 8, 1)));
        CHECK(a.err || fit(a, b, c));
        found += !a.err;
    }
    CHECK(found == 2u * (2 + 2 + 2 + 2 + 2 + 3));
    for (int row = 0; row < 4; ++row) {
        ll_layout a = ll_ptx_quad_a(row & 1);
        ll_layout b = ll_ptx_quad_b(row >> 1);
        CHECK(holds(a, 8, 4, 1) && holds(b, 4, 8, 1));
        CHECK(holds(ll_ptx_quad_c(16), 8, 8, 1));
        CHECK(holds(ll_ptx_quad_c(32), 8, 8, 1));
        CHECK(ll_size(a.out, ll_dim_of("mma")) == 4u);
    }
}

/* Of a sparse product A holds half of k, which the metadata has in full; a scale
 * stands for a part of k, in A and B alike. */
static void metadata_and_scales_fit_their_operands(void) {
    for (unsigned x = 0; x < 8u; ++x) {
        unsigned bits = 4u << x % 4u;
        unsigned k = 256u / bits << x / 4u;
        ll_layout a = ll_ptx_fragment_a(16, k / 2u, bits);
        ll_layout b = ll_ptx_fragment_b(k, 8, bits);
        unsigned copies = (bits <= 8u ? 2u : 4u) >> x / 4u;
        CHECK(holds(a, 16, k / 2u, 1) && holds(b, k, 8, 1));
        CHECK(holds(ll_ptx_sparse_e(k, bits), 16, k, copies));
    }
    for (unsigned scales = 1; scales <= 4u; scales *= 2u) {
        CHECK(holds(ll_ptx_scale_a(scales), 16, scales, 2));
        CHECK(holds(ll_ptx_scale_b(scales), scales, 8, 4));
    }
}

/* Matrix loads hold all of the memory; so does tensor memory of the accumulator
 * where no lanes are left over. A load from tensor memory reads nothing twice,
 * of 16 of 32 lanes. */
static void loads_and_tensor_memory_lose_nothing(void) {
    for (unsigned n = 1; n <= 4u; n *= 2u) {
        CHECK(holds(ll_ptx_matrix(8, 16, 0, n), 8, 8, 1));
        CHECK(holds(ll_ptx_matrix(8, 16, 1, n), 8, 8, 1));
        CHECK(holds(ll_ptx_matrix(8, 8, 0, n), 8, 16, 1));
        CHECK(n == 4u || holds(ll_ptx_matrix(16, 8, 1, n), 16, 16, 1));
        CHECK(holds(ll_ptx_matrix_rows(8, n), 8, 1, 4u / n));
    }
    for (unsigned n = 1; n <= 256u; n *= 2u) {
        CHECK(holds(ll_ptx_tcgen05_d(128, n, 0), 128, n, 1));
        CHECK(holds(ll_ptx_tcgen05_d(64, n, 0), 64, n, 2));
        CHECK(n < 2u || holds(ll_ptx_tcgen05_d(64, n, 1), 64, n, 1));
        CHECK(n < 4u || holds(ll_ptx_tcgen05_d(32, n, 1), 32, n, 1));
    }
    CHECK(ll_ptx_tcgen05_d(128, 0, 0).err == LL_EN);
    CHECK(ll_ptx_tcgen05_d(64, 1, 1).err == LL_EN);
    CHECK(ll_ptx_tcgen05_d(32, 2, 1).err == LL_EN);
    for (unsigned n = 1; n <= 128u; n *= 2u) {
        for (unsigned bits = 32; bits <= 256u; bits *= 2u) {
            ll_layout a = ll_ptx_tmem(bits == 32u ? 32 : 16, bits, n, 32);
            CHECK(a.err || ll_is_injective(a));
            CHECK(a.err || ll_shape_bits_(&a.out) - ll_rank(a) ==
                               (bits == 32u ? 0u : 1u));
        }
    }
}

/* PTX, "Data path layout organization": column c and row r lie in lane r and
 * column c; 64 rows use 16 of each 32 lanes; folded, the columns of each lane
 * are a half or a quarter of n, and rows of the next ones lie above. It says so
 * for 8 columns and more, and fewer are the first of them. */
static void accumulators_of_any_columns(void) {
    for (unsigned x = 0; x < 4u * 9u; ++x) {
        const unsigned n = 1u << x / 4u;
        const unsigned m = x % 4u == 0 ? 128u : x % 4u == 3u ? 32u : 64u;
        const int folded = x % 4u > 1u;
        const unsigned each = folded ? n * m / 128u : n;
        const ll_layout a = ll_ptx_tcgen05_d(m, n, folded);
        CHECK((a.err == LL_OK) == (each > 0u));
        for (unsigned k = 0; !a.err && k < m * n; ++k) {
            const unsigned r = k % m, c = k / m;
            const unsigned dp = folded     ? r + m * (c / each)
                                : m == 64u ? r % 16u + 32u * (r / 16u)
                                           : r;
            const unsigned y =
                ll_apply(a, ll_pack(a.in, LL_TCOL, c % each) ^
                                ll_pack(a.in, LL_DP, dp));
            CHECK(ll_unpack(a.out, LL_I, y) == r);
            CHECK(ll_unpack(a.out, LL_J, y) == c);
        }
    }
}

/* CUTLASS's ELayouts of sm_120, without recorded cases: value v of thread
 * (t0, t1, t2), out of (2, 2, 8), is element 8 t0 + 8 k t1 + t2 + 16 v of a
 * column-major 16 x k matrix. Also its ELayout_64x64 of sm_90. */
static void metadata_of_narrow_elements(void) {
    for (unsigned bits = 4; bits <= 8u; bits += 2u) { /* 6 in bytes */
        unsigned k = bits == 6u ? 64u : 512u / bits;
        ll_layout a = ll_ptx_sparse_e(k, bits);
        CHECK(ll_is_invertible(a));
        for (unsigned x = 0; x < 16u * k; ++x) {
            unsigned lane = x & 31u;
            unsigned v = x >> 5;
            unsigned to = 8u * (lane & 1u) + 8u * k * (lane >> 1 & 1u) +
                          (lane >> 2) + 16u * v;
            unsigned y = at(a, v, lane, 0);
            CHECK(ll_unpack(a.out, LL_I, y) == to % 16u);
            CHECK(ll_unpack(a.out, LL_J, y) == to / 16u);
        }
    }
    CHECK(same(ll_tiled(ll_ptx_sparse_e(64, 8), ll_shape_of("j=64 i=64"),
                        ll_shape_of("i=4")),
               "register: j0 j1 j2 j3 j4 | lane: i3 j5 i0 i1 i2 | "
               "warp: i4 i5"));
}

/* The short k is the first half of the long one, and selectors tell apart as
 * many groups of lanes as hold copies: of four lanes one where an instruction
 * has 256 bits of metadata, two for 512, all for 1024 (PTX, "Sparse matrix
 * storage"). */
static void metadata_of_a_short_k(void) {
    for (unsigned bits = 4; bits <= 32u; bits *= 2u) {
        for (unsigned k = 256u / bits; k <= 512u / bits; k *= 2u) {
            ll_layout a = ll_ptx_sparse_e(k, bits);
            unsigned each = bits == 4u ? 1u : bits == 32u ? 4u : 2u;
            unsigned speak = 16u * k * each / 2u / 32u;
            CHECK(ll_is_surjective(a) && ll_size(a.in, LL_LANE) == 32u);
            CHECK(ll_rank(ll_sub(a, "lane", "i j")) ==
                  (speak == 8u ? 3u : speak == 16u ? 4u : 5u));
            CHECK(ll_size(a.in, LL_REGISTER) * each == 64u);
            CHECK(ll_is_equal(
                a, ll_tiled(ll_ptx_sparse_e(512u / bits, bits),
                            ll_shape_matrix_(16, k), ll_shape_of(""))));
        }
        CHECK(ll_ptx_sparse_e(1024u / bits, bits).err == LL_EK);
    }
    CHECK(ll_ptx_sparse_e(256, 1).err == LL_EOPERAND);
    CHECK(ll_ptx_sparse_e(8, 64).err == LL_EOPERAND);
}

static void tiles_fill_any_tensor(void) {
    const ll_layout tile = ll_parse("register: j0 | lane: j1 i0");
    for (unsigned x = 0; x < 256u; ++x) {
        ll_shape none = LL_ZERO;
        ll_shape s = ll_with(ll_with(none, LL_J, 1u << (x & 3u)), LL_I,
                             1u << (x >> 2 & 3u));
        ll_shape w = ll_with(ll_with(none, LL_I, 1u << (x >> 4 & 3u)), LL_J,
                             1u << (x >> 6 & 3u));
        ll_layout a = ll_tiled(tile, s, w);
        CHECK(ll_is_distributed(a));
        CHECK(ll_size(a.out, LL_I) == ll_size(s, LL_I));
        CHECK(ll_size(a.out, LL_J) == ll_size(s, LL_J));
        CHECK(ll_size(a.in, LL_LANE) == 4);
        CHECK(ll_size(a.in, LL_WARP) == 1u << ((x >> 4 & 3u) + (x >> 6 & 3u)));
    }
    CHECK(ll_tiled(tile, ll_shape_of("j=4"), ll_shape_of("i=2")).err ==
          LL_EMISSING);
    CHECK(ll_tiled(tile, ll_shape_of("j=4 k=4"), ll_shape_of("i=2")).err ==
          LL_EMISSING);
}

/* ---- Targets ------------------------------------------------------------- */

/* Byte n of a lane, by the digits of a form: the lane that names its row, and
 * the byte in it. */
static unsigned from_lane(ll_form form, unsigned lane, unsigned n) {
    const unsigned x = n | lane << 4;
    unsigned from = 0;
    for (unsigned k = 0; k < 10u; ++k) {
        const unsigned digit = (unsigned)(form >> 4u * k) & 15u;
        from |= digit < 15u && x >> k & 1u ? 1u << digit : 0u;
    }
    return from; /* bits 0 up: the byte; 8 up: the lane */
}

/* Returns whether a form is what ldmatrix or stmatrix does with n matrices. */
static int is_form(ll_form form, unsigned rows, unsigned bits, int trans,
                   unsigned n) {
    const ll_layout a = ll_ptx_matrix(rows, bits, trans, n);
    const ll_layout named = ll_ptx_matrix_rows(rows, n);
    int is = !a.err && !named.err;
    for (unsigned x = 0; is && x < 512u; ++x) {
        const unsigned lane = x % 32u;
        const unsigned byte = x / 32u;
        const unsigned reg = byte * 8u / bits;
        if (reg < ll_size(a.in, LL_REGISTER)) {
            const unsigned y = at(a, reg, lane, 0);
            const unsigned from = from_lane(form, lane, byte);
            const unsigned row = ll_apply(named, from >> 8);
            is = ll_unpack(a.out, LL_I, y) == ll_unpack(named.out, LL_I, row) &&
                 ll_unpack(a.out, ll_dim_of("matrix"), y) ==
                     ll_unpack(named.out, ll_dim_of("matrix"), row) &&
                 ll_unpack(a.out, LL_J, y) * bits / 8u + byte % (bits / 8u) ==
                     (from & 255u);
        }
    }
    return is;
}

static void forms_are_what_the_instructions_do(void) {
    const ll_target t = LL_SM100F;
    for (unsigned n = 1; n <= 4u; n *= 2u) {
        CHECK(is_form(t.forms[LL_READ][LL_FORM_MATRIX], 8, 16, 0, n));
        CHECK(is_form(t.forms[LL_WRITE][LL_FORM_MATRIX], 8, 16, 0, n));
        CHECK(is_form(t.forms[LL_READ][LL_FORM_TRANS], 8, 16, 1, n));
        CHECK(is_form(t.forms[LL_WRITE][LL_FORM_TRANS], 8, 16, 1, n));
        CHECK(is_form(t.forms[LL_WRITE][LL_FORM_BYTES], 8, 8, 1, n));
        CHECK(n == 4u || is_form(t.forms[LL_READ][LL_FORM_BYTES], 16, 8, 1, n));
    }
    CHECK(!is_form(t.forms[LL_READ][LL_FORM_MATRIX], 8, 16, 1, 1));
}

/* ---- Words of operands --------------------------------------------------- */

static unsigned permutes(ll_plan p) {
    unsigned n = 0;
    for (unsigned k = 0; k < p.n; ++k) {
        n += p.step[k].op == LL_OP_RENAME ? p.step[k].count : 0u;
    }
    return n;
}

/* Operand number f of an instruction, or its transpose. */
static ll_layout operand(unsigned f, unsigned rows, unsigned cols,
                         unsigned warps) {
    const ll_layout a = f % 5u == 0   ? ll_ptx_mma_a(rows, cols, 16, warps)
                        : f % 5u == 1 ? ll_ptx_mma_b(rows, cols, 16, warps)
                        : f % 5u == 2 ? ll_ptx_mma_c(rows, cols, warps)
                        : f % 5u == 3 ? ll_ptx_wgmma_a(rows, cols, 16, warps)
                                      : ll_ptx_wgmma_d(rows, cols, warps);
    return f < 5u ? a : ll_trans(a, "j i");
}

/* A word of an operand of 16 bits holds neighbours of a row or of a column.
 * With or without .trans, matrix accesses move both as they are, so that a
 * kernel written by hand permutes no bytes. */
static void operands_keep_their_words(void) {
    unsigned swizzled = 0;
    unsigned operands = 0;
    for (unsigned n = 0; n < 10u * 5u * 5u * 4u; ++n) {
        const unsigned rows = 16u << n / 10u % 5u;
        const unsigned cols = 16u << n / 50u % 5u;
        const ll_layout a = operand(n % 10u, rows, cols, 1u << n / 250u);
        const ll_layout from = ll_rows_for(a, 2);
        const ll_layout m[4] = {ll_ptx_smem_k(rows, cols, 16, 128),
                                ll_ptx_smem_k(cols, rows, 16, 128),
                                ll_ptx_smem_mn(rows, cols, 16, 128, 16),
                                ll_ptx_smem_mn(cols, rows, 16, 128, 16)};
        if (a.err) {
            continue;
        }
        ++operands;
        CHECK(permutes(ll_plan_of(from, a, 16, LL_SM90)) == 0);
        CHECK(permutes(ll_plan_of(a, from, 16, LL_SM90)) == 0);
        CHECK(permutes(ll_plan_by(from, a, 16, LL_SM90, LL_COPIES)) == 0);
        CHECK(permutes(ll_plan_of(from, a, 16, LL_SM80)) == 0 ||
              n % 10u == 1u || n % 10u > 4u); /* stores do not transpose */
        for (unsigned k = 0; k < 4u; ++k) {
            const ll_plan p = ll_plan_through(a, a, 16, LL_SM90, m[k]);
            CHECK(p.err == m[k].err || p.err == LL_EMATCH);
            CHECK(p.err || permutes(p) == 0);
            swizzled += !p.err;
        }
    }
    CHECK(operands == 720u && swizzled > 1000u);
}

/* The sums of mma.sync and wgmma become operand A of the next product, in types
 * of 4 to 32 bits, once its k is counted in the order that ll_absorb finds:
 * while they are floats, only registers get other names. */
static void sums_become_an_operand_in_the_order_of_absorb(void) {
    for (unsigned x = 0; x < 4u * 4u * 4u; ++x) {
        const unsigned bits = 4u << (x & 3u), groups = x >> 2 & 1u;
        const unsigned warps = groups ? 4u : 1u << (x >> 3 & 1u);
        const unsigned rows = 16u * warps << (x >> 4 & 1u);
        const unsigned cols = 64u << (x >> 5 & 1u);
        const ll_layout sums = groups ? ll_ptx_wgmma_d(rows, cols, warps)
                                      : ll_ptx_mma_c(rows, cols, warps);
        const ll_layout a = groups ? ll_ptx_wgmma_a(rows, cols, bits, warps)
                                   : ll_ptx_mma_a(rows, cols, bits, warps);
        const ll_layout s = ll_absorb(sums, a, LL_J);
        const ll_plan p =
            ll_plan_of(ll_renumber(sums, LL_J, s), a, 32, LL_SM90);
        CHECK(!s.err && ll_is_invertible(s) && !p.err);
        CHECK(p.kind == LL_REGISTERS || p.kind == LL_NOTHING);
        CHECK(p.cycles == 0);
        /* in their own order, only those of 16 bits stay where they are */
        const ll_plan q = ll_plan_of(sums, a, 32, LL_SM90);
        CHECK((q.kind == LL_REGISTERS || q.kind == LL_NOTHING) ==
              (bits == 16u));
    }
}

/* What untwiddling makes of word x. */
static unsigned untwiddled(const ll_ptx_twiddle *t, unsigned k, unsigned x) {
    const int s = t->shift[k];
    return (s < 0 ? x << -s : x >> s) & t->mask[k];
}

/* Instructions and results are linear in the bits of a word: that each single
 * bit comes where it belongs is the proof for all 2^32 words. */
static void each_bit_of_a_twiddled_word_comes_where_it_belongs(void) {
    for (unsigned x = 0; x < 4u * 12u; ++x) {
        const unsigned bits = x & 1u ? 4 : 2, to = x & 2u ? 16 : 8;
        const unsigned room = x / 4u % 12u + 4u;
        const ll_layout s = ll_ptx_twiddled(bits, to, room < to ? room : to);
        const ll_ptx_twiddle t =
            ll_ptx_untwiddle(s, to, room < to ? room : to);
        CHECK(!s.err && !t.err && t.words == to / bits);
        for (unsigned o = 0; o < 32u; ++o) {
            const unsigned y = ll_apply(s, o);
            const unsigned e = ll_unpack(s.out, ll_dim_of("e"), y);
            const unsigned b = ll_unpack(s.out, ll_dim_of("bit"), y);
            for (unsigned k = 0; k < t.words; ++k) {
                const unsigned each = 32u / to;
                const unsigned want =
                    e / each == k ? 1u << (e % each * to + t.at[k] + b) : 0u;
                CHECK(untwiddled(&t, k, 1u << o) == want);
                CHECK(t.at[k] + bits <= room);
            }
        }
    }
}

/* The fewest shifts for words whose numbers lie `above` their places: of all
 * sets of up to `most` shifts. */
static unsigned shifts_for(const int *above, unsigned words, int spare) {
    unsigned best = 99;
    for (unsigned set = 0; set < 1u << words; ++set) {
        unsigned served = 0, n = 0;
        for (unsigned k = 0; k < words; ++k) {
            n += set >> k & 1u;
            served += above[k] >= 0 && above[k] <= spare;
            for (unsigned m = 0; m < words && !(above[k] >= 0 &&
                                                above[k] <= spare); ++m) {
                if ((set >> m & 1u) && above[k] >= above[m] &&
                    above[k] <= above[m] + spare) {
                    ++served;
                    break;
                }
            }
        }
        best = served == words && n < best ? n : best;
    }
    return best;
}

/* All 8! orders of the numbers of 4 bits in a word, layouts or not. */
static unsigned fewest_of_all_orders(unsigned to, unsigned room) {
    unsigned order[8] = {0, 1, 2, 3, 4, 5, 6, 7}, at[8] = LL_ZERO;
    unsigned best = ~0u;
    const unsigned each = 32u / to, words = to / 4u;
    for (unsigned k = 0; k < 8u;) {
        if (k == 0) { /* order[e]: the place of element e */
            int above[8] = LL_ZERO;
            unsigned alike = 1;
            for (unsigned e = 0; e < 8u; ++e) {
                const int d = (int)(4u * order[e]) - (int)(e % each * to);
                alike = alike && (e % each == 0 || above[e / each] == d);
                above[e / each] = d;
            }
            if (alike) {
                const unsigned n =
                    words + shifts_for(above, words, (int)room - 4);
                best = n < best ? n : best;
            }
        }
        if (at[k] < k) {
            const unsigned other = k % 2u ? at[k] : 0u, y = order[other];
            order[other] = order[k];
            order[k] = y;
            ++at[k];
            k = 0;
        } else {
            at[k++] = 0;
        }
    }
    return best;
}

static void no_order_of_a_word_unpacks_in_fewer_instructions(void) {
    const unsigned known[][3] = {
        {16, 10, 5}, {16, 7, 7}, {16, 16, 4}, {8, 8, 2}, {8, 4, 3}, {16, 4, 7}};
    for (unsigned k = 0; k < 6u; ++k) {
        const unsigned to = known[k][0], room = known[k][1];
        const ll_ptx_twiddle t =
            ll_ptx_untwiddle(ll_ptx_twiddled(4, to, room), to, room);
        CHECK(!t.err && t.instructions == known[k][2]);
        CHECK(t.instructions == fewest_of_all_orders(to, room));
    }
}

/* Weights lie in files in the order of a storage: it must not change. */
static void storages_are_as_they_ever_were(void) {
    static const struct {
        unsigned bits, to;
        const char *storage;
    } list[] = {
        {2, 8, "offset: bit0 e2 e3 e0 e1 -> bit=2 | e=16"},
        {2, 16, "offset: bit0 e1 e2 e3 e0 -> bit=2 | e=16"},
        {4, 8, "offset: bit0 bit1 e2 e0 e1 -> bit=4 | e=8"},
        {4, 16, "offset: bit0 bit1 e1 e2 e0 -> bit=4 | e=8"},
    };
    for (unsigned k = 0; k < 4u; ++k) {
        for (unsigned room = list[k].bits; room <= list[k].to; ++room) {
            CHECK(ll_is_equal(ll_ptx_twiddled(list[k].bits, list[k].to, room),
                              L(list[k].storage)));
        }
    }
}

static void words_that_cannot_be_untwiddled_are_refused(void) {
    static const struct {
        const char *storage;
        unsigned to, err;
    } list[] = {
        {"offset: bit0 bit1 e0 e1 e2 | 1: e0", 8, LL_EMATCH},
        {"offset: bit0 bit0 e0 e1 e2 -> bit=4 | e=8", 8, LL_EMATCH},
        {"offset: bit0 bit1 e0 e1 e2 k0", 8, LL_EMATCH},
        {"offset: bit0 bit1 e0 e1", 8, LL_EMATCH},
        {"offset: bit0 bit1 bit2 e0 e1", 8, LL_ETWIDDLE},
        {"offset: e0 e1 e2 e3 e4", 8, LL_ETWIDDLE},
        {"offset: bit0 bit1 e0 e1 e2", 8, LL_EUNPACK},
        /* word 1 would do, but word 0 would not */
        {"offset: bit0 e2 bit1^e2 e0 e1", 8, LL_EUNPACK},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const ll_ptx_twiddle t =
            ll_ptx_untwiddle(L(list[k].storage), list[k].to, list[k].to);
        CHECK(t.err == list[k].err && t.instructions == 0);
        CHECK(t.words == 0 || t.err == LL_EUNPACK);
    }
    const ll_layout plain = ll_parse("offset: bit0 bit1 e0 e1 e2");
    const ll_layout good = ll_ptx_twiddled(4, 16, 10);
    CHECK(ll_ptx_untwiddle(plain, 16, 10).err == LL_EUNPACK);
    CHECK(ll_ptx_untwiddle(plain, 8, 8).err == LL_EUNPACK);
    CHECK(ll_ptx_untwiddle(good, 8, 8).err == LL_EUNPACK);
    CHECK(ll_ptx_untwiddle(good, 32, 8).err == LL_ETWIDDLE);
    CHECK(ll_ptx_untwiddle(good, 0, 8).err == LL_ETWIDDLE);
    CHECK(ll_ptx_untwiddle(good, 16, 3).err == LL_ETWIDDLE);
    CHECK(ll_ptx_untwiddle(good, 16, 17).err == LL_ETWIDDLE);
    CHECK(ll_ptx_untwiddle(ll_parse("?"), 16, 10).err == LL_EMATCH);
    CHECK(ll_ptx_untwiddle(ll_parse("offset: e0 e1 e2"), 16, 10).err ==
          LL_EMATCH);
    CHECK(ll_ptx_untwiddle(ll_parse("offset: i0 i1 i2 i3 i4"), 16, 10).err);
    CHECK(ll_ptx_twiddled(8, 16, 10).err == LL_ETWIDDLE);
    CHECK(ll_ptx_twiddled(1, 16, 10).err == LL_ETWIDDLE);
    CHECK(ll_ptx_twiddled(4, 4, 4).err == LL_ETWIDDLE);
}

/* ---- Limits of descriptors ----------------------------------------------- */

/* Register r of a lane of the upper half holds column r + split. */
static void halves_of_tensor_memory_overlap(void) {
    for (unsigned bits = 16; bits <= 32u; bits += 16u) {
        for (unsigned n = 1; n <= 32u; n *= 2u) {
            for (unsigned split = 1; split <= 32u; split *= 2u) {
                const unsigned columns = n * (32u / bits);
                const unsigned most = columns > split ? columns : split;
                const ll_layout a = ll_ptx_tmem_x2(n, bits, split);
                CHECK(a.err == LL_OK);
                CHECK(ll_size(a.in, LL_REGISTER) == columns);
                CHECK(ll_size(a.out, LL_TCOL) == 2u * most);
                const unsigned y = ll_apply(
                    a, ll_pack(a.in, LL_REGISTER, columns - 1u) |
                           ll_pack(a.in, LL_LANE, 16));
                CHECK(ll_unpack(a.out, LL_TCOL, y) ==
                      ((columns - 1u) ^ split));
            }
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(fragments_are_those_of_the_manual);
    RUN(warps_of_a_tensor_meet);
    RUN(operands_hold_each_element_and_fit);
    RUN(metadata_and_scales_fit_their_operands);
    RUN(loads_and_tensor_memory_lose_nothing);
    RUN(metadata_of_narrow_elements);
    RUN(accumulators_of_any_columns);
    RUN(metadata_of_a_short_k);
    RUN(tiles_fill_any_tensor);
    RUN(forms_are_what_the_instructions_do);
    RUN(operands_keep_their_words);
    RUN(sums_become_an_operand_in_the_order_of_absorb);
    RUN(each_bit_of_a_twiddled_word_comes_where_it_belongs);
    RUN(no_order_of_a_word_unpacks_in_fewer_instructions);
    RUN(storages_are_as_they_ever_were);
    RUN(words_that_cannot_be_untwiddled_are_refused);
    RUN(halves_of_tensor_memory_overlap);
    return test_end();
}
