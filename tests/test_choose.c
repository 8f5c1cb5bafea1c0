/* test_choose.c - layouts that are chosen: memory for an operand, scales, the
 * order of k, the blocks of a cluster.
 * SPDX-License-Identifier: MIT
 *
 * The oracles go through elements, lanes, words and banks one by one.
 */
#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

enum { MAX = 1 << 18 };

static unsigned inputs(const ll_layout *a) { return 1u << bits_in(&a->in); }

static unsigned registers(const ll_layout *a) {
    return ll_size(a->in, LL_REGISTER);
}

/* ---- Memory for an operand ----------------------------------------------- */

/* What one side of an exchange through memory does: how the target serves it,
 * and the place of each element. */
typedef struct side {
    ll_layout a;
    ll_target t;
    unsigned op, element; /* bytes */
    unsigned place[MAX];
} side;

static unsigned phase_bits(const side *s, unsigned bytes) {
    const unsigned *p =
        s->t.phase[s->op][bytes <= 4u ? 0 : bytes <= 8u ? 1 : 2];
    unsigned n = 0;
    while (n < 6u && p[n]) {
        ++n;
    }
    return n;
}

/* Do the registers of the first lane fill whole vectors of so many bytes? */
static int fills(const side *s, unsigned bytes) {
    static unsigned char held[MAX];
    const unsigned each = bytes / s->element;
    int whole = each != 0;
    memset(held, 0, 1u << bits_in(&s->a.out));
    for (unsigned r = 0; r < registers(&s->a); ++r) {
        held[s->place[value(&s->a, r)]] = 1;
    }
    for (unsigned r = 0; whole && r < registers(&s->a); ++r) {
        const unsigned from = s->place[value(&s->a, r)] / each * each;
        for (unsigned k = 0; k < each; ++k) {
            whole = whole && held[from + k];
        }
    }
    return whole;
}

/* The wavefronts of the access of a register by the first warp: for each phase
 * the most words that one bank is asked for. */
static unsigned wavefronts(const side *s, unsigned reg, unsigned bytes) {
    const unsigned width = bytes <= 4u ? 0 : bytes <= 8u ? 1 : 2;
    const unsigned n = phase_bits(s, bytes);
    unsigned char done[64] = {0};
    unsigned total = 0;
    for (unsigned first = 0; first < s->t.lanes; ++first) {
        unsigned word[256];
        unsigned words = 0;
        unsigned asked[64] = {0};
        unsigned worst = 0;
        for (unsigned m = 0; !done[first] && m < 1u << n; ++m) {
            unsigned lane = first;
            for (unsigned k = 0; k < n; ++k) {
                lane ^= m >> k & 1u ? s->t.phase[s->op][width][k] : 0u;
            }
            done[lane] = lane != first;
            const unsigned x = reg | lane * registers(&s->a);
            unsigned byte = s->place[value(&s->a, x)] * s->element;
            byte -= byte % bytes;
            for (unsigned b = 0; b < bytes; b += b + 4u <= bytes ? 4u : bytes) {
                unsigned w = (byte + b) / 4u;
                unsigned k = 0;
                while (k < words && word[k] != w) {
                    ++k;
                }
                word[k] = w;
                if (k == words) {
                    ++words;
                    unsigned bank = w % s->t.banks[s->op][width];
                    worst = ++asked[bank] > worst ? asked[bank] : worst;
                }
            }
        }
        total += worst;
    }
    return total;
}

/* Is the cheapest way for this side to access memory free of conflicts? */
static int is_free(const side *s) {
    unsigned least = ~0u;
    int free_of = 0;
    for (unsigned bytes = s->t.access_bytes; bytes >= s->element; bytes /= 2u) {
        if (fills(s, bytes)) {
            const unsigned any = test_random(registers(&s->a));
            const unsigned n = wavefronts(s, 0, bytes);
            const unsigned cost = n * (s->t.access_bytes / bytes);
            CHECK(wavefronts(s, any, bytes) == n);
            if (cost < least) {
                least = cost;
                free_of = n <= s->t.lanes >> phase_bits(s, bytes);
            }
        }
    }
    return free_of;
}

/* What ldmatrix does with the elements of four bytes of each lane, those of
 * register reg and of its neighbours by the bits g and h (0: none): 0 if they do
 * not fill eight pieces of 16 bytes, 1 if two of the pieces have a bank in
 * common, 2 if none have. */
static unsigned matrices(const side *s, unsigned reg, unsigned g, unsigned h) {
    unsigned piece[8];
    unsigned n = 0;
    unsigned banks = 0;
    for (unsigned m = 0; m < 32u * 4u / s->element; ++m) {
        const unsigned r = reg ^ (m & 1u ? g : 0u) ^ (m & 2u ? h : 0u);
        const unsigned lane = m * s->element / 4u;
        const unsigned x = (r | lane * registers(&s->a));
        const unsigned to = s->place[value(&s->a, x)] * s->element / 16u;
        unsigned k = 0;
        while (k < n && piece[k] != to) {
            ++k;
        }
        if (k == 8u) {
            return 0;
        }
        piece[k] = to;
        n += k == n ? 1u : 0u;
        banks |= 1u << to % 8u;
    }
    return n < 8u ? 0u : banks == 255u ? 2u : 1u;
}

/* The best that ldmatrix makes of this side without taking words apart. Of four
 * bytes, the two that stay together are neighbours in memory. */
static unsigned best_matrices(const side *s) {
    const unsigned regs = registers(&s->a);
    const unsigned reg = test_random(regs);
    unsigned best = 0;
    if (s->element > 1u) {
        return matrices(s, reg, s->element == 2u && regs > 1u, 0);
    }
    for (unsigned g = 1; g < regs; g *= 2u) {
        const unsigned to = s->place[value(&s->a, reg ^ g)];
        for (unsigned h = 1; h < regs; h *= 2u) {
            if ((s->place[value(&s->a, reg)] ^ to) == 1u && g != h) {
                const unsigned m = matrices(s, reg, g, h);
                best = m > best ? m : best;
            }
        }
    }
    return best;
}

/* Does AMD's transposing read take this memory without a conflict? */
static int is_read_transposed(const side *s, const ll_layout *m) {
    const ll_plan p =
        ll_plan_through(s->a, s->a, 8u * s->element, s->t, *m);
    return p.step[3].form != LL_FORM_VECTOR &&
           p.step[3].wavefronts == p.step[3].least;
}

static unsigned operands, by_matrices;

static void check_operand(ll_layout a, unsigned bits, ll_target t) {
    static side s;
    if (a.err) {
        return;
    }
    const ll_layout rows = ll_rows_for(a, bits / 8u);
    const ll_layout m = ll_for_operand(a, bits, t);
    const unsigned row = bits / 8u << a.out.bits[0];
    s.t = t;
    s.element = bits / 8u;
    CHECK(!m.err && ll_is_surjective(m) && ll_is_surjective(rows));
    if (m.err) {
        return;
    }
    CHECK(ll_vector(rows, 16u / (bits / 8u)) * bits / 8u ==
          (row < 16u ? row : 16u));
    /* Pieces stay whole, of some of AMD's operands a part, but in a tensor
     * with fewer of them than lanes. */
    const unsigned piece = row < 16u ? row : 16u;
    const unsigned tensor = (1u << bits_in(&a.out)) * s.element;
    const unsigned whole = t.merge ? piece : piece / 4u;
    CHECK(ll_widest(rows, m, bits, 16) >= whole || tensor < t.lanes * piece);
    for (unsigned x = 0; x < inputs(&m); ++x) {
        s.place[value(&m, x)] = x;
    }
    s.a = rows;
    s.op = LL_WRITE;
    CHECK(is_free(&s));
    s.a = a;
    s.op = LL_READ;
    const int is_ldmatrix = t.lanes == 32u && t.forms[LL_READ][LL_FORM_MATRIX];
    const unsigned matrix =
        is_ldmatrix && s.element <= 4u ? best_matrices(&s) : 0u;
    CHECK(matrix ? matrix == 2u : is_free(&s) || is_read_transposed(&s, &m));
    by_matrices += matrix != 0;
    ++operands;
}

static void nvidia_operands_are_fed_without_conflicts(void) {
    operands = by_matrices = 0;
    for (unsigned n = 0; n < 4u * 4u * 5u * 3u; ++n) {
        const unsigned bits = 8u << n % 4u;
        const unsigned rows = 16u << n / 4u % 4u;
        const unsigned cols = 8u << n / 16u % 5u;
        const unsigned warps = 1u << n / 80u;
        const ll_layout b = ll_ptx_mma_b(rows, cols, bits, warps);
        check_operand(ll_ptx_mma_a(rows, cols, bits, warps), bits, LL_SM90);
        check_operand(b, bits, LL_SM90);
        check_operand(ll_trans(b, "j i"), bits, LL_SM90);
        check_operand(ll_ptx_mma_c(rows, cols, warps), bits, LL_SM90);
        check_operand(ll_ptx_wgmma_d(rows, cols, warps), bits, LL_SM90);
    }
    CHECK(operands == 1000);
    CHECK(by_matrices > 500u);
}

/* What a plan through such a memory loses to conflicts, for any operand and its
 * transpose: nothing. The bytes of a piece are in order but where the comment
 * of ll_for_operand says otherwise. */
static void check_plan(ll_layout a, unsigned bits) {
    for (unsigned k = 0; k < 2u && !a.err; ++k) {
        const ll_layout rows = ll_rows_for(a, bits / 8u);
        const ll_layout m = ll_for_operand(a, bits, LL_SM90);
        const ll_target t = ll_without_forms_(LL_SM90, LL_WRITE);
        const ll_plan p = ll_plan_through(rows, a, bits, t, m);
        const unsigned row = bits / 8u << a.out.bits[0];
        const unsigned piece = (row < 16u ? row : 16u) * 8u / bits;
        CHECK(!p.err && ll_conflicts(p) == 0);
        CHECK(ll_widest(rows, m, bits, 16) >= piece * bits / 8u ||
              (1u << bits_in(&a.out)) < 32u * piece);
        int in_order = 1;
        for (unsigned b = 1; b < piece; b *= 2u) {
            in_order = in_order && ll_apply(m, b) == b;
        }
        CHECK(in_order || (bits == 8u && ll_vector(a, 4) < 4u));
        a = ll_trans(a, "j i");
        ++operands;
    }
}

static void plans_through_such_memory_lose_nothing(void) {
    operands = 0;
    for (unsigned n = 0; n < 4u * 6u * 6u * 4u; ++n) {
        const unsigned bits = 8u << n % 4u;
        const unsigned rows = 8u << n / 4u % 6u;
        const unsigned cols = 8u << n / 24u % 6u;
        const unsigned warps = 1u << n / 144u;
        check_plan(ll_ptx_mma_a(rows, cols, bits, warps), bits);
        check_plan(ll_ptx_mma_b(rows, cols, bits, warps), bits);
        check_plan(ll_ptx_mma_c(rows, cols, warps), bits);
        check_plan(ll_ptx_wgmma_a(rows, cols, bits, warps), bits);
        check_plan(ll_ptx_wgmma_d(rows, cols, warps), bits);
    }
    CHECK(operands > 3000u);
}

static ll_layout filled(ll_layout a, unsigned rows, unsigned cols,
                        unsigned warps) {
    const ll_shape none = ll_shape_of("");
    return ll_tiled(a, ll_with(ll_with(none, LL_J, cols), LL_I, rows),
                    ll_with(none, LL_I, warps));
}

/* The operand alone, with its products side by side, and tiled. */
static void check_amd(ll_layout a, unsigned bits, ll_target t) {
    a = bits < 8u ? ll_bitcast(a, bits, 8) : a;
    bits = bits < 8u ? 8u : bits;
    check_operand(a, bits, t);
    if (!a.err && a.out.n == 2u) {
        check_operand(filled(a, 64, 64, 4), bits, t);
        check_operand(filled(a, 32, 128, 1), bits, t);
        check_operand(ll_trans(filled(a, 32, 64, 2), "j i"), bits, t);
    }
}

static void amd_operands_are_fed_without_conflicts(void) {
    const ll_target t[3] = {LL_GFX90A, LL_GFX942, LL_GFX950};
    operands = 0;
    for (unsigned n = 0; n < 4u * 9u * 5u * 5u; ++n) {
        const unsigned m = 4u << n % 4u;
        const unsigned k = 1u << n / 4u % 9u;
        const unsigned blocks = 1u << n / 36u % 5u;
        const unsigned bits = 4u << n / 180u;
        const ll_target *to = &t[n % 3u];
        check_amd(ll_amd_mfma_a(m, k, blocks, bits), bits, *to);
        check_amd(ll_amd_mfma_b(k, m, blocks, bits), bits, *to);
        check_amd(ll_amd_mfma_c(m, m, blocks, bits), bits, *to);
    }
    CHECK(operands == 330);
}

static void rdna_operands_are_fed_without_conflicts(void) {
    operands = 0;
    for (unsigned n = 0; n < 2u * 2u * 2u * 4u; ++n) {
        const unsigned gfx = n % 2u ? 0x1201 : 0x1100;
        const unsigned lanes = 32u << n / 2u % 2u;
        const unsigned k = 16u << n / 4u % 2u;
        const unsigned bits = 4u << n / 8u;
        const ll_target t = ll_amd_target(gfx, lanes);
        check_amd(ll_amd_wmma_a(gfx, lanes, k, bits), bits, t);
        check_amd(ll_amd_wmma_b(gfx, lanes, k, bits), bits, t);
        check_amd(ll_amd_wmma_c(gfx, lanes, bits), bits, t);
    }
    CHECK(operands == 152);
}

/* Does a matrix of ldmatrix find its rows? Its lanes hold, of 16 bytes of
 * memory, what the operand's lanes hold, and nothing else tells them apart. */
static int suits_ldmatrix(ll_layout a, unsigned bits, int trans) {
    const ll_layout m = ll_for_operand(a, bits, LL_SM90);
    const ll_layout x = ll_resize_out(ll_solve(m, a, LL_FIRST), LL_OFFSET,
                                      128u / bits);
    ll_layout want = ll_ptx_matrix(8, bits, trans, 1);
    want = ll_sub(want, "register lane", "j");
    want = ll_resize_in(want, LL_REGISTER, registers(&a));
    want = ll_resize_in(want, LL_WARP, ll_size(a.in, LL_WARP));
    want = ll_rename_out(want, "j", "offset");
    return ll_is_equal(x, want);
}

static void sixteen_byte_rows_suit_ldmatrix(void) {
    for (unsigned n = 0; n < 3u * 3u * 3u; ++n) {
        const unsigned rows = 16u << n % 3u;
        const unsigned cols = 16u << n / 3u % 3u;
        const unsigned warps = 1u << n / 9u;
        const ll_layout b = ll_ptx_mma_b(rows, cols, 16, warps);
        const ll_layout a8 = ll_ptx_mma_a(rows, 2u * cols, 8, warps);
        CHECK(suits_ldmatrix(ll_ptx_mma_a(rows, cols, 16, warps), 16, 0));
        CHECK(suits_ldmatrix(b, 16, 1));
        CHECK(suits_ldmatrix(ll_trans(b, "j i"), 16, 0));
        CHECK(suits_ldmatrix(a8, 8, 0));
    }
    CHECK(!suits_ldmatrix(ll_ptx_mma_b(32, 64, 8, 1), 8, 0));
}

static void choosers_tell_what_cannot_be(void) {
    const ll_layout a = ll_ptx_mma_a(64, 64, 16, 4);
    CHECK(ll_rows_for(ll_parse("register: "), 2).err == LL_ENOAXIS);
    CHECK(ll_rows_for(a, 3).err == LL_EELEMENT);
    CHECK(ll_for_operand(a, 2, LL_SM90).err == LL_EELEMENT);
    CHECK(ll_for_operand(ll_ptx_mma_b(64, 64, 16, 4), 4, LL_SM90).err ==
          LL_EPAIR); /* no lane has two columns of a row */
    CHECK(ll_for_operand(a, 16, LL_GFX942).err == LL_ELANES);
    CHECK(ll_for_operand(ll_mul(a, ll_identity(2, LL_BLOCK, LL_I)), 16, LL_SM90)
              .err == LL_EBLOCK);
}

/* ---- Random layouts ------------------------------------------------------ */

/* Registers, lanes, warps and blocks hold a tensor of `rank` axes, some of them
 * copies; with `mixed`, columns of several bits; perhaps an affine part. */
static ll_layout random_layout(unsigned rank, unsigned mixed) {
    const unsigned tensor = 3u + test_random(6);
    const unsigned n = tensor + test_random(3);
    unsigned sizes[4] = {1, 1, 1, 1};
    ll_shape in = ll_shape_of("register lane warp block");
    for (unsigned k = 0; k < tensor; ++k) {
        sizes[test_random(rank)] *= 2u;
    }
    for (unsigned k = 0; k < n; ++k) {
        const unsigned at = test_random(8);
        ++in.bits[at < 4u ? 0 : at < 6u ? 1 : at - 4u];
    }
    ll_layout a = ll_zero(in, ll_tensor(rank, sizes));
    for (unsigned bit = 0; bit < tensor; ++bit) {
        unsigned k = test_random(n);
        while (a.basis[k]) {
            k = (k + 1u) % n;
        }
        a.basis[k] = 1u << bit;
    }
    for (unsigned k = 0; mixed && k < n; ++k) {
        const unsigned from = test_random(n);
        const unsigned to = test_random(n);
        a.basis[to] ^= from == to ? 0u : a.basis[from];
    }
    a.offset = test_random(2) ? test_random(1u << tensor) : 0u;
    return a;
}

/* ---- Scales -------------------------------------------------------------- */

/* The packed scale of the element y: its coordinate along d divided. */
static unsigned scale_of(const ll_layout *a, ll_dim d, unsigned group,
                         unsigned y) {
    unsigned at = 0;
    unsigned low = 0;
    while (a->out.dim[at] != d) {
        low += a->out.bits[at];
        ++at;
    }
    const unsigned below = y & ((1u << low) - 1u);
    return ((y >> low) / group << low) | below;
}

/* Does each thread hold the scales that its elements need, and no others? */
static int holds_its_scales(const ll_layout *a, const ll_layout *s, ll_dim d,
                            unsigned group) {
    static unsigned char need[MAX], have[MAX];
    const unsigned all = 1u << bits_in(&s->out);
    const unsigned cells = inputs(a) / registers(a) * all;
    memset(need, 0, cells);
    memset(have, 0, cells);
    for (unsigned x = 0; x < inputs(a); ++x) {
        const unsigned y = scale_of(a, d, group, value(a, x));
        need[x / registers(a) * all + y] = 1;
    }
    for (unsigned x = 0; x < inputs(s); ++x) {
        have[x / registers(s) * all + value(s, x)] = 1;
    }
    return memcmp(need, have, cells) == 0;
}

/* The scales repeated: does register r hold those of the r-th of the scales? */
static int repeats_its_scales(const ll_layout *a, const ll_layout *s, ll_dim d,
                              unsigned group) {
    const ll_layout b = ll_scales_back(*s, d, group);
    int same = !b.err && ll_size(b.out, d) == ll_size(a->out, d);
    same = same && registers(&b) == group * registers(s);
    for (unsigned p = 0; same && p < inputs(&b); ++p) {
        const unsigned r = p % registers(&b) % registers(s);
        const unsigned q = p / registers(&b) * registers(s) + r;
        same = scale_of(&b, d, group, value(&b, p)) == value(s, q);
    }
    return same && ll_is_surjective(b) &&
           ll_is_equal(ll_scales_of(b, d, group), *s);
}

/* Each register's scale, reached inside of each lane by the same renaming. */
static int tells_each_scale(const ll_layout *a, const ll_layout *s, ll_dim d,
                            unsigned group) {
    const ll_layout each = ll_scales_each(*a, d, group);
    const ll_layout x = ll_solve(*s, each, LL_LOCAL);
    int same = !each.err && inputs(&each) == inputs(a);
    for (unsigned p = 0; same && p < inputs(a); ++p) {
        same = value(&each, p) == scale_of(a, d, group, value(a, p));
    }
    return same && ll_is_trivial(x, "lane warp block");
}

static void scales_lie_where_they_are_needed(void) {
    for (unsigned n = 0; n < times(3000u); ++n) {
        const unsigned rank = 1u + test_random(4);
        const ll_layout a = random_layout(rank, n % 2u);
        const ll_dim d = ll_axis(test_random(rank));
        const unsigned group = 1u << test_random(5);
        const ll_layout s = ll_scales_of(a, d, group);
        if (group > ll_size(a.out, d)) {
            CHECK(s.err == LL_EGROUP);
            continue;
        }
        CHECK(!s.err && s.out.n == rank);
        CHECK(ll_size(s.out, d) == ll_size(a.out, d) / group);
        CHECK(holds_its_scales(&a, &s, d, group));
        CHECK(repeats_its_scales(&a, &s, d, group));
        CHECK(tells_each_scale(&a, &s, d, group));
        CHECK(ll_scales_of(a, d, 3).err == LL_EGROUP);
        CHECK(ll_scales_back(s, d, 3).err == LL_EGROUP);
        CHECK(ll_scales_of(a, LL_OFFSET, 2).err == LL_EMISSING);
        CHECK(ll_scales_back(s, LL_OFFSET, 2).err == LL_EMISSING);
    }
}

/* The scaled instructions want fewer copies: a quad (NVIDIA) or a column of
 * lanes (AMD) holds together what each of its lanes needs. */
static void instructions_want_the_scales_of_their_lanes(void) {
    const ll_layout a4 = ll_amd_mfma_a(16, 128, 1, 4);
    const ll_layout b4 = ll_amd_mfma_b(64, 32, 1, 4);
    CHECK(ll_is_equal(ll_scales_of(a4, LL_J, 32), ll_amd_mfma_scale_a(16, 128)));
    CHECK(ll_is_equal(ll_scales_of(b4, LL_I, 32), ll_amd_mfma_scale_b(64, 32)));
    const ll_layout a8 = ll_scales_of(ll_amd_mfma_a(32, 64, 1, 8), LL_J, 32);
    const ll_layout in8 = ll_solve(ll_amd_mfma_scale_a(32, 64), a8, LL_LOCAL);
    CHECK(ll_is_equal(ll_sub(in8, "lane", "lane"),
                      ll_parse("lane: lane0 lane1 lane2 lane3 lane4 0 "
                               "-> lane=64")));
    for (unsigned scales = 1; scales <= 2u; scales *= 2u) {
        const ll_layout a = ll_ptx_fragment_a(16, 32u * scales, 4);
        const ll_layout b = ll_ptx_fragment_b(32u * scales, 8, 4);
        const ll_layout sa = ll_scales_of(a, LL_J, 32);
        const ll_layout sb = ll_scales_of(b, LL_I, 32);
        const ll_layout xa = ll_solve(ll_ptx_scale_a(scales), sa, LL_LOCAL);
        const ll_layout xb = ll_solve(ll_ptx_scale_b(scales), sb, LL_LOCAL);
        CHECK(ll_is_equal(ll_sub(xa, "lane", "lane"),
                          ll_parse("lane: 0 lane1 lane2 lane3 lane4")));
        CHECK(ll_is_trivial(xb, "lane"));
        CHECK(registers(&sa) == 2u * scales && registers(&sb) == scales);
    }
}

/* ---- The order of k ------------------------------------------------------ */

/* The most elements, a power of two, that each lane holds side by side along
 * d, aligned, counted at the place of its first register. */
static unsigned side_by_side(const ll_layout *a, ll_dim d) {
    static unsigned char held[MAX];
    unsigned least = ll_size(a->out, d);
    const unsigned k = ll_pack(a->out, d, ~0u);
    for (unsigned first = 0; first < inputs(a); first += registers(a)) {
        const unsigned at = value(a, first);
        memset(held, 0, ll_size(a->out, d));
        for (unsigned r = 0; r < registers(a); ++r) {
            const unsigned y = value(a, first + r);
            if ((y & ~k) == (at & ~k)) {
                held[ll_unpack(a->out, d, y)] = 1;
            }
        }
        unsigned n = ll_size(a->out, d);
        for (unsigned m = 1; m <= n; m *= 2u) {
            const unsigned from = ll_unpack(a->out, d, at) / m * m;
            for (unsigned x = from; m <= n && x < from + m; ++x) {
                n = held[x] ? n : m / 2u;
            }
        }
        least = n < least ? n : least;
    }
    return least;
}

/* The elements along d at the place of the first register: for a distributed
 * layout what any order can bring together. */
static unsigned along(const ll_layout *a, ll_dim d) {
    const unsigned k = ll_pack(a->out, d, ~0u);
    unsigned char seen[512] = {0};
    unsigned n = 0;
    for (unsigned r = 0; r < registers(a); ++r) {
        const unsigned y = value(a, r);
        if (((y ^ value(a, 0)) & ~k) == 0) {
            n += seen[ll_unpack(a->out, d, y)] ? 0u : 1u;
            seen[ll_unpack(a->out, d, y)] = 1;
        }
    }
    return n;
}

static int is_order(const ll_layout *s) {
    unsigned char seen[1024] = {0};
    int ok = !s->err && s->in.n == 1u && s->out.n == 1u &&
             s->in.bits[0] == s->out.bits[0] && s->in.bits[0] <= 10u;
    for (unsigned x = 0; ok && x < inputs(s); ++x) {
        const unsigned y = value(s, x);
        ok = y < inputs(s) && !seen[y];
        seen[y & 1023u] = 1;
    }
    return ok;
}

static void shuffled_elements_lie_side_by_side(void) {
    for (unsigned n = 0; n < times(3000u); ++n) {
        const unsigned rank = 1u + test_random(3);
        const unsigned mixed = n % 2u;
        const ll_layout a = random_layout(rank, mixed);
        const ll_dim d = ll_axis(test_random(rank));
        unsigned most = mixed ? ll_size(a.out, d) : along(&a, d);
        for (unsigned v = 1; v <= most; v *= 2u) {
            const ll_layout s = ll_preshuffle(a, d, v);
            if (mixed && s.err == LL_EVECTOR) {
                break;
            }
            const ll_layout b = ll_renumber(a, d, s);
            CHECK(is_order(&s) && side_by_side(&b, d) >= v);
            CHECK(d != b.out.dim[0] || ll_vector(b, v) == v);
            for (unsigned x = 0; x < inputs(&a); ++x) {
                const unsigned y = value(&a, x);
                const unsigned k = value(&s, ll_unpack(a.out, d, y));
                CHECK(value(&b, x) == ((y & ~ll_pack(a.out, d, ~0u)) |
                                       ll_pack(a.out, d, k)));
            }
        }
        CHECK(mixed || ll_preshuffle(a, d, 2u * most).err == LL_EVECTOR);
        CHECK(ll_preshuffle(a, d, 3).err == LL_EVECTOR);
        CHECK(ll_preshuffle(a, LL_OFFSET, 1).err == LL_EMISSING);
        CHECK(ll_renumber(a, LL_OFFSET, a).err == LL_EMISSING);
        CHECK(ll_renumber(a, d, ll_identity(2u * ll_size(a.out, d), d, d)).err ==
              LL_EMATCH);
    }
}

enum { M = 64, N = 16, K = 128 };
static int left[M * K], right[K * N], got_left[M * K], got_right[K * N];

/* What an instruction multiplies: it takes a lane's register for the element
 * that the layout a says, whatever was loaded there, by the layout b. */
static void fill(const ll_layout *a, const ll_layout *b, const int *from,
                 int *to) {
    for (unsigned x = 0; x < inputs(a); ++x) {
        to[value(a, x)] = from[value(b, x)];
    }
}

static void check_product(ll_layout a, ll_layout b, unsigned elements) {
    const ll_layout s = ll_preshuffle(a, LL_J, elements);
    const ll_layout as = ll_renumber(a, LL_J, s);
    const ll_layout bs = ll_renumber(b, LL_I, s);
    CHECK(!as.err && !bs.err && !ll_is_equal(s, ll_identity(K, LL_J, LL_J)));
    for (unsigned k = 0; k < M * K; ++k) {
        left[k] = (int)test_random(255) - 127;
    }
    for (unsigned k = 0; k < K * N; ++k) {
        right[k] = (int)test_random(255) - 127;
    }
    fill(&a, &as, left, got_left);
    fill(&b, &bs, right, got_right);
    for (unsigned i = 0; i < M; ++i) {
        for (unsigned j = 0; j < N; ++j) {
            int plain = 0;
            int other = 0;
            for (unsigned k = 0; k < K; ++k) {
                plain += left[i * K + k] * right[k * N + j];
                other += got_left[i * K + k] * got_right[k * N + j];
            }
            CHECK(plain == other);
        }
    }
    CHECK(ll_vector(a, 16) < elements && ll_vector(as, elements) == elements);
    const unsigned wide = elements < 8u ? elements : 8u; /* 16 bits */
    CHECK(ll_vector(ll_trans(bs, "j i"), wide) == wide);
    CHECK(ll_widest(as, ll_row_major(as.out), 8, 16) == elements);
}

static void a_product_does_not_see_the_order_of_k(void) {
    for (unsigned elements = 4; elements <= 16u; elements *= 2u) {
        check_product(ll_ptx_mma_a(M, K, 16, 4), ll_ptx_mma_b(K, N, 16, 4),
                      elements);
        const ll_layout a = filled(ll_amd_mfma_a(16, 16, 1, 16), M, K, 4);
        const ll_layout b = filled(ll_amd_mfma_b(16, 16, 1, 16), K, N, 1);
        check_product(a, ll_resize_in(b, LL_WARP, 4),
                      elements < 8u ? 8u : elements);
    }
}

/* wgmma reads B in its own order, so B is stored shuffled instead: element k
 * where s(k) was; A of 4 bits, two in a byte, loads 16 bytes a lane. */
static void one_operand_in_registers_is_enough(void) {
    const ll_layout a = ll_ptx_wgmma_a(M, K, 16, 4);
    const ll_layout s = ll_preshuffle(a, LL_J, 32);
    const ll_layout as = ll_renumber(a, LL_J, s);
    int before[K];
    int stored[K];
    for (unsigned k = 0; k < K; ++k) {
        before[k] = (int)test_random(1000);
    }
    for (unsigned k = 0; k < K; ++k) {
        stored[k] = before[value(&s, k)];
    }
    for (unsigned x = 0; x < inputs(&a); ++x) {
        const unsigned k = value(&a, x) % K; /* what the instruction means */
        CHECK(stored[k] == before[value(&as, x) % K]);
    }
    const unsigned order[7] = {0, 2, 3, 4, 5, 1, 6};
    const ll_layout sorted =
        ll_permute(as, LL_REGISTER, ll_perm_of(6, 6, order));
    CHECK(ll_vector(as, 32) == 32u);
    CHECK(ll_vector(ll_bitcast(sorted, 4, 8), 16) == 16u);
    CHECK(ll_vector(ll_bitcast(a, 4, 8), 16) == 1u);
}

/* The scales of shuffled elements are those of the elements that were loaded. */
static void scales_follow_the_order_of_k(void) {
    const ll_layout a = ll_ptx_mma_a(M, K, 16, 4);
    const ll_layout as = ll_renumber(a, LL_J, ll_preshuffle(a, LL_J, 16));
    const ll_layout s = ll_scales_of(as, LL_J, 32);
    const ll_layout plain = ll_scales_of(a, LL_J, 32);
    CHECK(holds_its_scales(&as, &s, LL_J, 32));
    CHECK(!holds_its_scales(&as, &plain, LL_J, 32));
}

/* ---- Clusters ------------------------------------------------------------ */

/* Each block of a grid of blocks holds its part of the tensor as the block's
 * own layout says; blocks along k hold copies. */
static void blocks_of_a_cluster_tile_the_tensor(void) {
    for (unsigned n = 0; n < times(2000u); ++n) {
        const ll_layout own = random_layout(2, n % 2u);
        const ll_layout one = ll_sub(ll_resize_in(own, LL_BLOCK, 1),
                                     "register lane warp", "j i");
        const unsigned down = 1u << test_random(3);
        const unsigned across = 1u << test_random(3);
        const unsigned copies = 1u << test_random(2);
        ll_layout a = ll_mul(one, ll_identity(down, LL_BLOCK, LL_I));
        a = ll_mul(a, ll_zeros(copies, LL_BLOCK, LL_I, 1));
        a = ll_mul(a, ll_identity(across, LL_BLOCK, LL_J));
        const unsigned rows = ll_size(one.out, LL_I);
        const unsigned cols = ll_size(one.out, LL_J);
        CHECK(!a.err && ll_size(a.in, LL_BLOCK) == down * copies * across);
        CHECK(ll_size(a.out, LL_I) == rows * down);
        for (unsigned x = 0; x < inputs(&a); ++x) {
            const unsigned block = x / inputs(&one);
            const unsigned y = value(&one, x % inputs(&one));
            const unsigned i = y / cols + rows * (block % down);
            const unsigned j = y % cols + cols * (block / down / copies);
            CHECK(value(&a, x) == i * cols * across + j);
        }
    }
}

/* ---- What the planner prefers -------------------------------------------- */

/* What things cost on a target, in eighths of a cycle, as its header says:
 * wavefronts, shuffled words, logic, waits of a warp, a block and a cluster's
 * two, selects, issue and start. */
enum { NVIDIA, CDNA, RDNA, MACHINES };
static const unsigned costs[MACHINES][LL_MAX_COSTS] = {
    {8, 8, 5, 4, 32, 64, 1600, 3, 5, 14},
    {32, 64, 32, 16, 128, 0, 0, 32, 0, 0},
    {16, 16, 8, 8, 64, 0, 0, 8, 0, 0}};

static ll_target machine_of(unsigned k) {
    return k == NVIDIA ? LL_SM90 : k == CDNA ? LL_GFX942 : LL_GFX1100;
}

/* A way from registers to registers: what it puts in the pipe of shared memory
 * (shuffled words or wavefronts) and in the lanes' own units, and its
 * barrier. */
typedef struct way {
    unsigned shuffles, wavefronts, logic; /* logic: without selects */
    unsigned selects;
    unsigned barrier; /* LL_COST_WARP or LL_COST_BLOCK; 0: none */
} way;

/* The pipe, the units and the schedulers work side by side. Where shuffles and
 * logic wait for each other, they start late; all lanes wait for a barrier. A
 * scheduler issues two selects or permutes while it issues a shuffle. */
static unsigned cycles_of(const unsigned *cost, way w) {
    const unsigned pipe = w.shuffles * cost[LL_COST_SHUFFLE] +
                          w.wavefronts * cost[LL_COST_MEMORY];
    const unsigned logic =
        w.logic * cost[LL_COST_LOGIC] + w.selects * cost[LL_COST_SELECT];
    const unsigned twice = w.shuffles * 2u + w.logic + w.selects;
    const unsigned issue = twice * cost[LL_COST_ISSUE] / 2u;
    const unsigned start = w.shuffles && logic ? cost[LL_COST_START] : 0u;
    const unsigned lanes = (logic > issue ? logic : issue) + start;
    const unsigned wait = w.barrier ? cost[w.barrier] : 0u;
    return ((pipe > lanes ? pipe : lanes) + wait + 7u) / 8u;
}

/* What the steps of a plan put where. */
static way way_of(const ll_plan *p) {
    way w = LL_ZERO;
    for (unsigned k = 0; k < p->n; ++k) {
        const ll_step *s = &p->step[k];
        switch (s->op) {
        case LL_OP_SHUFFLE:
            w.shuffles += s->count - s->near;
            w.logic += s->logic;
            break;
        case LL_OP_STORE:
        case LL_OP_LOAD: w.wavefronts += s->count * s->wavefronts; break;
        case LL_OP_SYNC_WARP: w.barrier = LL_COST_WARP; break;
        case LL_OP_SYNC_BLOCK: w.barrier = LL_COST_BLOCK; break;
        case LL_OP_SELECT: w.selects += s->count; break;
        default: w.logic += s->count; break;
        }
    }
    return w;
}

static int same_way(way a, way b) {
    return a.shuffles == b.shuffles && a.wavefronts == b.wavefronts &&
           a.logic == b.logic && a.selects == b.selects &&
           a.barrier == b.barrier;
}

/* Conversions on the edge between shuffles and shared memory. `near` is the way
 * by shuffles, `far` that through memory, counted by hand; at equal cycles
 * shuffles win, which need no memory. With `cost` changed by a quarter, or of
 * small ones by half, the other way wins: the constant is what decides. */
typedef struct edge {
    const char *why;
    unsigned machine, bits;
    const char *from, *to;
    way near, far;
    unsigned winner;
    unsigned cost, other; /* the constant, and a value that turns it around */
} edge;

static const edge edges[] = {
    /* NVIDIA */
    {"eight wavefronts and a barrier for sixteen selects", NVIDIA, 32,
     "register: j0 i1 | lane: j1 i0 i3 i4 i2",
     "register: i2 i0 | lane: j1 j0 i1 i3 i4",
     {4, 0, 0, 16, 0}, {0, 8, 0, 0, LL_COST_WARP}, LL_SHARED, LL_COST_MEMORY, 12},
    {"a tie of 7 cycles; cheaper memory takes it", NVIDIA, 32,
     "register: i1 i3 0 | lane: i0 i2 i4 0 j0",
     "register: i4 0 | lane: i3 i0 i1 i2 j0",
     {2, 0, 0, 10, 0}, {0, 6, 0, 0, LL_COST_WARP}, LL_SHUFFLES, LL_COST_MEMORY, 6},
    {"eight words shuffled for six wavefronts", NVIDIA, 32,
     "register: i0 | lane: i3 i2 i1 j1 j0",
     "register: i1 i0 i3 | lane: 0 i2 0 j1 j0",
     {8, 0, 0, 0, 0}, {0, 6, 0, 0, LL_COST_WARP}, LL_SHARED, LL_COST_SHUFFLE, 6},
    {"eight words shuffled, as long as eight wavefronts", NVIDIA, 32,
     "register: i2 i3 | lane: i1 i4 j0 j1 i0",
     "register: i2 i3 i4 | lane: 0 j0 j1 i0 i1",
     {8, 0, 0, 0, 0}, {0, 8, 0, 0, LL_COST_WARP}, LL_SHUFFLES,
     LL_COST_SHUFFLE, 10},
    {"logic dearer than the memory that saves it", NVIDIA, 16,
     "register: j2 i1 j1 i2 | lane: i0 i3 i4 i5 j0",
     "register: i4 i5 j1 i1 | lane: i2 i0 j2 j0 i3",
     {8, 0, 16, 16, 0}, {0, 16, 0, 0, LL_COST_WARP}, LL_SHARED,
     LL_COST_LOGIC, 4},
    {"the same, if selects took less", NVIDIA, 16,
     "register: j2 i1 j1 i2 | lane: i0 i3 i4 i5 j0",
     "register: i4 i5 j1 i1 | lane: i2 i0 j2 j0 i3",
     {8, 0, 16, 16, 0}, {0, 16, 0, 0, LL_COST_WARP}, LL_SHARED,
     LL_COST_SELECT, 2},
    {"a tie of 7 cycles; dearer selects lose it", NVIDIA, 16,
     "register: i0 i1 j1 | lane: i2 i3 0 j0 j2",
     "register: j2 i1 | lane: i2 i3 j1 j0 i0",
     {1, 0, 6, 4, 0}, {0, 6, 6, 0, LL_COST_WARP}, LL_SHUFFLES,
     LL_COST_SELECT, 4},
    {"four shuffles and four permutes to be issued", NVIDIA, 16,
     "register: i2 | lane: j0 j1 j2 i0 i1",
     "register: j1 j0 | lane: j2 i0 i1 i2 0",
     {4, 0, 4, 0, 0}, {0, 4, 2, 0, LL_COST_WARP}, LL_SHARED,
     LL_COST_ISSUE, 4},
    {"two and three, as long as three wavefronts", NVIDIA, 16,
     "register: i1 | lane: 0 i0 i3 0 i2 -> j=1 | i=16",
     "register: i3 | lane: i0 i1 i2 0 0 -> j=1 | i=16",
     {2, 0, 3, 0, 0}, {0, 3, 1, 0, LL_COST_WARP}, LL_SHUFFLES,
     LL_COST_ISSUE, 6},
    {"selects that wait for shuffles, and these for selects", NVIDIA, 32,
     "register: i0 j1 | lane: i4 i1 j0 j2 i2 | warp: i3",
     "register: j2 j0 | lane: i0 i1 i2 i4 j1 | warp: i3",
     {4, 0, 0, 16, 0}, {0, 8, 0, 0, LL_COST_WARP}, LL_SHARED,
     LL_COST_START, 11},
    {"a tie of 3 cycles, most of them the start", NVIDIA, 8,
     "register: i0 | lane: i3 i4 i5 0 i2 | warp: i1 -> j=1 | i=64",
     "register: | lane: i5 i2 i0 i4 i3 | warp: i1 -> j=1 | i=64",
     {1, 0, 2, 0, 0}, {0, 2, 0, 0, LL_COST_WARP}, LL_SHUFFLES,
     LL_COST_START, 17},
    {"ten selects and permutes, as long as a block's barrier", NVIDIA, 16,
     "register: j2 j3 | lane: 0 j1 j4 0 j0 | warp: -> j=32 | i=1",
     "register: 0 0 | lane: j1 0 j3 j0 j2 | warp: j4 -> j=32 | i=1",
     {1, 0, 6, 4, 0}, {0, 3, 2, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_LOGIC, 6},
    {"the same, if the barrier took less", NVIDIA, 16,
     "register: j2 j3 | lane: 0 j1 j4 0 j0 | warp: -> j=32 | i=1",
     "register: 0 0 | lane: j1 0 j3 j0 j2 | warp: j4 -> j=32 | i=1",
     {1, 0, 6, 4, 0}, {0, 3, 2, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_BLOCK, 24},
    {"twelve selects and permutes take longer than the barrier", NVIDIA, 16,
     "register: j0 i0 | lane: j2 j3 j4 j5 j1",
     "register: | lane: j0 j1 j4 i0 j3 | warp: j5 j2",
     {4, 0, 4, 8, 0}, {0, 3, 0, 0, LL_COST_BLOCK}, LL_SHARED, LL_COST_BLOCK, 40},
    /* CDNA: 64 lanes, all of it slower, logic a wavefront */
    {"four wavefronts and the barrier", CDNA, 8,
     "register: j0 i0 | lane: i1 j1 0 i3 i2 0 | warp:",
     "register: 0 | lane: i0 i2 0 j0 i3 j1 | warp: i1",
     {2, 0, 6, 2, 0}, {0, 4, 1, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_MEMORY, 24},
    {"four wavefronts for nine instructions of logic", CDNA, 8,
     "register: i4 i0 | lane: i1 i5 i2 i3 0 0 | warp: -> j=1 | i=64",
     "register: | lane: i5 0 0 0 i1 i0 | warp: i2 i3 i4 -> j=1 | i=64",
     {1, 0, 5, 4, 0}, {0, 4, 0, 0, LL_COST_BLOCK}, LL_SHARED, LL_COST_MEMORY, 40},
    {"a shuffle of 64 lanes takes the pipe twice", CDNA, 16,
     "register: | lane: i1 i2 j0 i0 i3 i4 | warp: j1",
     "register: i2 i0 | lane: j0 i3 i1 i4 0 0 | warp: j1",
     {4, 0, 6, 0, 0}, {0, 6, 0, 0, LL_COST_WARP}, LL_SHARED, LL_COST_SHUFFLE, 48},
    {"two shuffles are four wavefronts, without a barrier", CDNA, 8,
     "register: i1 | lane: i5 i6 i4 i3 i2 i0 | warp: -> j=1 | i=128",
     "register: i4 i1 | lane: i5 i6 i0 0 i2 i3 | warp: -> j=1 | i=128",
     {2, 0, 3, 0, 0}, {0, 4, 1, 0, LL_COST_WARP}, LL_SHUFFLES, LL_COST_SHUFFLE, 80},
    {"seven instructions of logic for four wavefronts", CDNA, 8,
     "register: i1 j3 | lane: j4 0 j0 j1 j2 i0 | warp:",
     "register: | lane: j1 j3 j4 j0 i0 i1 | warp: j2",
     {2, 0, 5, 2, 0}, {0, 4, 0, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_LOGIC, 40},
    {"twelve of them for six", CDNA, 16,
     "register: j3 j2 | lane: j1 i1 0 i0 j0 j4 | warp: 0",
     "register: 0 | lane: 0 i0 j1 j0 j2 j3 | warp: i1 j4",
     {2, 0, 6, 6, 0}, {0, 6, 1, 0, LL_COST_BLOCK}, LL_SHARED, LL_COST_LOGIC, 24},
    {"a tie of 80 cycles", CDNA, 32,
     "register: i2 j3 | lane: i0 j0 j4 j1 j2 i1 | warp: 0",
     "register: j4 j0 | lane: 0 j2 i1 j3 j1 i2 | warp: i0",
     {4, 0, 4, 16, 0}, {0, 16, 0, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_BLOCK, 96},
    /* RDNA: 32 lanes, logic at its full rate, DPP beside the pipe */
    {"twelve instructions of logic for six wavefronts", RDNA, 32,
     "register: j1 j3 | lane: i0 j4 0 j0 j2",
     "register: i0 | lane: j4 j0 j1 j3 j2",
     {0, 0, 2, 10, 0}, {0, 6, 0, 0, LL_COST_WARP}, LL_SHUFFLES, LL_COST_LOGIC, 10},
    {"the same, if wavefronts took less", RDNA, 32,
     "register: j1 j3 | lane: i0 j4 0 j0 j2",
     "register: i0 | lane: j4 j0 j1 j3 j2",
     {0, 0, 2, 10, 0}, {0, 6, 0, 0, LL_COST_WARP}, LL_SHUFFLES, LL_COST_MEMORY, 12},
    {"nine for three", RDNA, 16, "register: i1 i2 | lane: 0 0 j0 j1 i0",
     "register: | lane: j0 i2 j1 i0 i1",
     {1, 0, 5, 4, 0}, {0, 3, 0, 0, LL_COST_WARP}, LL_SHARED, LL_COST_LOGIC, 6},
    {"four words shuffled for three wavefronts", RDNA, 8,
     "register: j0 | lane: j1 j3 i0 j2 i2 | warp: i1",
     "register: j2 j0 j1 | lane: i0 i2 0 0 j3 | warp: i1",
     {4, 0, 6, 0, 0}, {0, 3, 2, 0, LL_COST_WARP}, LL_SHARED, LL_COST_SHUFFLE, 12},
    {"eight near moves for three wavefronts and a warp's wait", RDNA, 8,
     "register: i4 | lane: i5 i1 i3 i0 i2 | warp: -> j=1 | i=64",
     "register: i0 i3 i4 | lane: i5 0 i1 0 i2 | warp: -> j=1 | i=64",
     {0, 0, 8, 0, 0}, {0, 3, 2, 0, LL_COST_WARP}, LL_SHARED, LL_COST_WARP, 16},
    {"a tie of 12 cycles", RDNA, 8,
     "register: j0 0 j1 | lane: j2 j4 0 j3 i0 | warp:",
     "register: 0 | lane: j2 i0 j4 j1 j0 | warp: j3",
     {2, 0, 6, 6, 0}, {0, 2, 2, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_BLOCK, 48}};

static void constants_decide_between_shuffles_and_memory(void) {
    for (unsigned k = 0; k < sizeof edges / sizeof *edges; ++k) {
        const edge *e = &edges[k];
        const unsigned failed = test.here;
        ll_target t = machine_of(e->machine);
        const ll_layout a = ll_parse(e->from);
        const ll_layout b = ll_parse(e->to);
        const int shared = e->winner == LL_SHARED;
        const ll_plan p = ll_plan_of(a, b, e->bits, t);
        const ll_plan near = ll_plan_by(a, b, e->bits, t, LL_SHUFFLES);
        const ll_plan far = ll_plan_by(a, b, e->bits, t, LL_SHARED);
        const unsigned *cost = costs[e->machine];
        const unsigned cycles[2] = {cycles_of(cost, e->near),
                                    cycles_of(cost, e->far)};
        CHECK(shared == (cycles[1] < cycles[0]));
        CHECK(!p.err && !near.err && !far.err);
        CHECK(same_way(way_of(&near), e->near));
        CHECK(same_way(way_of(&far), e->far));
        CHECK(near.cycles == cycles[0] && far.cycles == cycles[1]);
        CHECK(p.kind == e->winner && p.cycles == cycles[shared]);
        CHECK(p.next_kind == (shared ? LL_SHUFFLES : LL_SHARED));
        CHECK(p.next_cycles == cycles[!shared]);
        t.cost[e->cost] = e->other;
        if (e->machine != NVIDIA && e->cost == LL_COST_LOGIC) {
            t.cost[LL_COST_SELECT] = e->other; /* the same units */
        }
        CHECK(ll_plan_of(a, b, e->bits, t).kind == p.next_kind);
        if (test.here != failed) {
            printf("  %s\n", e->why);
        }
    }
}

/* A layout of `tensor` bits, each in one place of registers, lanes, warps. */
static ll_layout random_places(unsigned tensor, unsigned lanes,
                               unsigned warps) {
    const unsigned n = lanes + warps + 4u;
    const ll_shape none = LL_ZERO;
    ll_shape in = ll_with(ll_with(none, LL_REGISTER, 16), LL_LANE, 1u << lanes);
    in = ll_with(in, LL_WARP, 1u << warps);
    ll_layout a = ll_zero(in, ll_with(none, LL_J, 1u << tensor));
    for (unsigned bit = 0; bit < tensor; ++bit) {
        unsigned k = test_random(n);
        while (a.basis[k]) {
            k = (k + 1u) % n;
        }
        a.basis[k] = 1u << bit;
    }
    return a;
}

/* Everywhere the estimate is that of the steps at the costs above, and the plan
 * is the cheapest of its kinds, the nearer one of equals. */
static void the_cheapest_plan_is_chosen(void) {
    unsigned found[2] = {0, 0};
    unsigned ties = 0;
    for (unsigned n = 0; n < times(3000u); ++n) {
        const unsigned machine = n % MACHINES;
        const ll_target t = machine_of(machine);
        const unsigned bits = 8u << test_random(3);
        const unsigned lanes = machine == CDNA ? 6 : 5;
        const unsigned warps = test_random(2);
        const unsigned tensor = lanes + warps + 1u + test_random(3);
        const ll_layout a = random_places(tensor, lanes, warps);
        const ll_layout b = random_places(tensor, lanes, warps);
        const ll_plan p = ll_plan_of(a, b, bits, t);
        const ll_plan near = ll_plan_by(a, b, bits, t, LL_SHUFFLES);
        const ll_plan far = ll_plan_by(a, b, bits, t, LL_SHARED);
        CHECK(!p.err && (far.err || far.kind <= LL_SHARED));
        CHECK(p.cycles == cycles_of(costs[machine], way_of(&p)));
        CHECK(far.cycles == cycles_of(costs[machine], way_of(&far)));
        if (near.err || far.kind != LL_SHARED) {
            CHECK(near.err ? near.err == LL_EKIND && p.kind == LL_SHARED
                           : p.kind == near.kind);
            continue;
        }
        CHECK(near.cycles == cycles_of(costs[machine], way_of(&near)));
        CHECK(p.kind == (near.cycles <= far.cycles ? near.kind : far.kind));
        CHECK(p.cycles ==
              (near.cycles <= far.cycles ? near.cycles : far.cycles));
        ++found[p.kind == LL_SHARED];
        ties += near.cycles == far.cycles;
    }
    COVERS(found[0] > 100u && found[1] > 100u && ties > 10u);
}

/* Between blocks of a cluster: wavefronts of other blocks' memory, and two
 * waits of the cluster, since its blocks must not leave before all have
 * read. */
static void clusters_cost_what_they_are_said_to(void) {
    const ll_plan p = ll_plan_of(
        ll_parse("register: j0 | lane: i0 i1 i2 i3 i4 | block: i5"),
        ll_parse("register: i5 | lane: i0 i1 i2 i3 i4 | block: j0"), 32,
        LL_SM90);
    const unsigned store = p.step[1].count * p.step[1].wavefronts;
    const unsigned load = p.step[3].count * p.step[3].wavefronts;
    CHECK(p.kind == LL_CLUSTER && p.n == 5u && store == 2u && load == 2u);
    CHECK(p.cycles == 2u * 1u + 2u * 8u + 2u * 200u);
}

/* ---- What a search for memory counts ------------------------------------- */

/* Places for 2^regs registers of random lanes: bits in a random order, or sums
 * of them. */
static ll_layout sums_of_places(unsigned regs, unsigned lanes, int sums) {
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(in, LL_LANE, 1u << lanes);
    ll_layout x = ll_zero(in, ll_with(ll_shape_of(""), LL_OFFSET,
                                      1u << (regs + lanes)));
    for (unsigned k = 0; k < regs + lanes; ++k) {
        const unsigned m = test_random(k + 1u);
        x.basis[k] = x.basis[m];
        x.basis[m] = 1u << k;
    }
    for (unsigned k = 0; sums && k < 4u; ++k) {
        const unsigned from = test_random(regs + lanes);
        const unsigned to = test_random(regs + lanes);
        x.basis[to] ^= from != to ? x.basis[from] : 0u;
    }
    return x;
}

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

/* The wavefronts of a store of so many bytes a lane, word by word: 32 lanes in
 * phases of 128 bytes, as on sm_90, and up to 64 banks. */
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

/* All sums of n vectors of at most 8 bits, as a set. */
static void sums_of(const unsigned *v, unsigned n, unsigned char *set) {
    unsigned sums[256] = LL_ZERO, count = 1;
    memset(set, 0, 256);
    set[0] = 1;
    for (unsigned k = 0; k < n; ++k) {
        const unsigned before = count;
        for (unsigned x = 0; !set[v[k]] && x < before; ++x) {
            sums[count++] = sums[x] ^ v[k];
        }
        for (unsigned x = before; x < count; ++x) {
            set[sums[x]] = 1;
        }
    }
}

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

static ll_layout random_nibbles(unsigned regs, unsigned lanes, unsigned dims,
                                const ll_layout *like) {
    ll_shape out = ll_with(ll_shape_of(""), LL_J, 1u << dims);
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1);
    ll_layout a = ll_zero(in, ll_with(out, LL_I, 1u << (8u - dims)));
    for (unsigned k = 0; k < regs + lanes; ++k) {
        a.basis[k] = 1u << test_random(8) | test_random(2) << test_random(8);
        if (k < regs && like && test_random(3)) {
            a.basis[k] = like->basis[test_random(like->in.bits[0] + 1u)];
        }
    }
    a.offset = test_random(3) ? 0u : test_random(256);
    return a;
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

/* ---- What a search for memory is made of --------------------------------- */

static unsigned size_of_set(const unsigned char *set) {
    unsigned n = 0;
    for (unsigned x = 0; x < 256u; ++x) {
        n += set[x];
    }
    return n;
}

static void span_of_list(const ll_span_ *l, unsigned char *set) {
    sums_of(l->v, l->n, set);
}

/* Appends v to a list of independent vectors if it is not one of their sums. */
static void append_new(ll_span_ *l, unsigned v) {
    unsigned char set[256];
    span_of_list(l, set);
    if (!set[v]) {
        l->v[l->n++] = v;
    }
}

static int is_list(const ll_span_ *a, const ll_span_ *b, unsigned n) {
    int same = a->n >= n && b->n >= n;
    for (unsigned k = 0; same && k < n; ++k) {
        same = a->v[k] == b->v[k];
    }
    return same;
}

static ll_span_ random_vectors(unsigned most, int independent) {
    ll_span_ l = LL_ZERO;
    for (unsigned n = test_random(most + 1u); n > 0; --n) {
        const unsigned v = test_random(2) ? 1u << test_random(8)
                                          : test_random(256);
        if (independent) {
            append_new(&l, v);
        } else {
            l.v[l.n++] = v;
        }
    }
    return l;
}

static ll_span_ columns_of(const ll_layout *a, unsigned from, unsigned to) {
    ll_span_ l = LL_ZERO;
    for (unsigned k = from; k < to; ++k) {
        l.v[l.n++] = a->basis[k];
    }
    return l;
}

/* The lowest vectors, then lanes and warps of a, of b, then their registers. */
static void check_space(const ll_layout *a, const ll_layout *b) {
    const ll_span_ low = random_vectors(3, 1);
    const ll_layout *both[2] = {a, b};
    ll_span_ want = low;
    for (unsigned part = 0; part < 4u; ++part) {
        const ll_layout *s = both[part & 1u];
        const unsigned regs = s->in.bits[0];
        for (unsigned k = part < 2u ? regs : 0u;
             k < (part < 2u ? bits_in(&s->in) : regs); ++k) {
            append_new(&want, s->basis[k]);
        }
    }
    const ll_span_ space = ll_segments_space_(a, b, &low);
    CHECK(space.n == want.n && is_list(&space, &want, want.n));
}

/* The elements of the words of a, as far as both sides hold them, then those of
 * b, then all that both hold. */
static void check_common(const ll_layout *a, const ll_layout *b,
                         unsigned scale) {
    const ll_span_ r[2] = {columns_of(a, 0, a->in.bits[0]),
                           columns_of(b, 0, b->in.bits[0])};
    const unsigned word = scale < 2u ? 2u - scale : 0u;
    unsigned char set[2][256], all[256];
    ll_span_ want = LL_ZERO;
    span_of_list(&r[0], set[0]);
    span_of_list(&r[1], set[1]);
    for (unsigned k = 0; k < 2u; ++k) {
        for (unsigned m = 0; m < word && m < r[k].n &&
                             set[!k][r[k].v[m]]; ++m) {
            append_new(&want, r[k].v[m]);
        }
    }
    const ll_span_ common = ll_common_registers_(&r[0], &r[1], scale);
    CHECK(is_list(&common, &want, want.n));
    span_of_list(&common, all);
    for (unsigned x = 0; x < 256u; ++x) {
        CHECK(all[x] == (set[0][x] && set[1][x]));
    }
    CHECK(size_of_set(all) == 1u << common.n);
}

/* What a phase serves on sm_90: 128 bytes, and twice as many lanes of a wide
 * read that ignores lane bit 0 or 1. */
static ll_span_ served_lanes(const ll_layout *a, unsigned bytes, unsigned op) {
    const unsigned regs = a->in.bits[0];
    unsigned lanes = bytes <= 4u ? 5u : bytes == 8u ? 4u : 3u;
    lanes += op == LL_READ && bytes > 4u &&
             (!a->basis[regs] || !a->basis[regs + 1u]);
    return columns_of(a, regs, regs + lanes);
}

static void check_avoid(const ll_layout *a, unsigned scale, unsigned op) {
    const ll_target t = LL_SM90;
    const ll_span_ low = random_vectors(5, 0);
    const unsigned vector = test_random(5u - scale);
    ll_span_ want = served_lanes(a, 1u << (vector + scale), op);
    unsigned char set[2][256];
    for (unsigned k = 0; k < low.n; ++k) { /* an access, or a bank of 4 bytes */
        if (k < vector || 1u << k << scale < 4u) {
            want.v[want.n++] = low.v[k];
        }
    }
    const ll_span_ u =
        ll_segments_avoid_(a, &low, ll_way_of_vectors_(vector), scale, op, &t);
    span_of_list(&u, set[0]);
    span_of_list(&want, set[1]);
    CHECK(memcmp(set[0], set[1], sizeof set[0]) == 0);
}

/* What both hold, then columns of a until a bank is full, then what a holds in
 * registers and b in the lanes of a phase, up to 16 bytes. */
static void check_lowest(const ll_layout *a, const ll_layout *b,
                         unsigned scale) {
    const ll_target t = LL_SM90;
    const unsigned bank = scale < 2u ? 2u - scale : 0u;
    const ll_span_ common = random_vectors(2, 1);
    const ll_span_ regs = columns_of(a, 0, a->in.bits[0]);
    unsigned char held[256], avoided[256], set[256];
    ll_span_ want = common;
    for (unsigned k = 0; k < bits_in(&a->in) && want.n < bank; ++k) {
        append_new(&want, a->basis[k]);
    }
    const ll_span_ low = ll_memory_lowest_(a, b, &common, scale, LL_READ, &t);
    CHECK(is_list(&low, &want, want.n));
    const ll_span_ avoid = ll_segments_avoid_(
        b, &want, ll_way_of_vectors_(common.n), scale, LL_READ, &t);
    span_of_list(&regs, held);
    span_of_list(&avoid, avoided);
    for (unsigned k = want.n; k < low.n; ++k) {
        CHECK(held[low.v[k]] && avoided[low.v[k]]);
    }
    for (unsigned x = 0; x < 256u && want.n + scale < 4u; ++x) {
        if (held[x] && avoided[x]) {
            append_new(&want, x);
        }
    }
    CHECK(low.n == want.n);
    span_of_list(&low, set);
    CHECK(size_of_set(set) == 1u << low.n);
}

/* Segments for the side with fewer banks: in front of the others, outside of
 * all that is given, and not one more than asked for. */
static void check_more_segments(void) {
    const ll_span_ avoid = random_vectors(3, 1), low = random_vectors(2, 1);
    const ll_span_ space = random_vectors(8, 0);
    const ll_span_ old = random_vectors(2, 1);
    const unsigned n = test_random(6);
    ll_span_ high = old, all = avoid;
    for (unsigned k = 0; k < low.n; ++k) {
        append_new(&all, low.v[k]);
    }
    for (unsigned k = 0; k < old.n; ++k) {
        append_new(&all, old.v[k]);
    }
    ll_span_ more = all;
    for (unsigned k = 0; k < space.n; ++k) {
        append_new(&more, space.v[k]);
    }
    ll_more_segments_(&high, &avoid, &low, &space, n);
    const unsigned there_are = more.n - all.n;
    const unsigned missing = n > old.n ? n - old.n : 0u;
    const unsigned added = there_are < missing ? there_are : missing;
    CHECK(high.n == old.n + added);
    for (unsigned k = 0; k < high.n; ++k) {
        CHECK(k < added ? high.v[k] == more.v[all.n + k]
                        : high.v[k] == old.v[k - added]);
    }
}

static void lists_of_a_search_have_their_order(void) {
    for (unsigned n = 0; n < 600u; ++n) {
        const unsigned scale = test_random(5);
        ll_layout a = random_nibbles(test_random(7), 5, 4, 0);
        ll_layout b = random_nibbles(test_random(7), 5, 4, &a);
        for (unsigned k = 0; k < 2u; ++k) {
            a.basis[a.in.bits[0] + k] *= test_random(3) != 0;
            b.basis[b.in.bits[0] + k] *= test_random(3) != 0;
        }
        check_space(&a, &b);
        check_common(&a, &b, scale);
        check_avoid(&a, scale, n & 1u);
        check_lowest(&a, &b, scale);
        check_more_segments();
    }
}

/* A side costs its accesses without conflicts, of the width with the fewest
 * wavefronts; phases are of any size here. */
static unsigned long long least_by_hand(const ll_layout *a, unsigned scale,
                                        unsigned most, unsigned op,
                                        const ll_target *t,
                                        const unsigned *phase) {
    unsigned char set[256];
    const ll_span_ regs = columns_of(a, 0, a->in.bits[0]);
    unsigned best = ~0u;
    span_of_list(&regs, set);
    const unsigned bytes = size_of_set(set) << scale;
    for (unsigned of = 4; of <= 16u; of *= 2u) {
        const unsigned wide = of == 4u ? 0u : of == 8u ? 1u : 2u;
        const unsigned one = of < most ? of : most;
        unsigned together = 1u << phase[wide];
        for (unsigned k = 0; k < 2u && op == LL_READ && wide; ++k) {
            if (!a->basis[a->in.bits[0] + k] && together == 1u << phase[wide] &&
                together < t->lanes) {
                together *= 2u;
            }
        }
        const unsigned all = (bytes > one ? bytes / one : 1u) * t->lanes;
        if ((of == 4u || of <= most) && all / together < best) {
            best = all / together;
        }
    }
    const unsigned n = bytes > most ? bytes / most : 1u;
    const int joins = t->pairs && n > 1u && (most == 4u || most == 8u);
    return ((unsigned long long)best << 32) + 9u * (joins ? n / 2u : n);
}

static ll_target random_phases(unsigned phase[2][3]) {
    ll_target t = test_random(2) ? LL_GFX942 : LL_SM90;
    t.merge = 3;
    t.access_bytes = 1u << (2u + test_random(3));
    for (unsigned k = 0; k < 6u; ++k) {
        phase[k / 3u][k % 3u] = 2u + test_random(t.lanes == 64u ? 5 : 4);
        for (unsigned m = 0; m < 6u; ++m) {
            t.phase[k / 3u][k % 3u][m] =
                m < phase[k / 3u][k % 3u] ? 1u << m : 0u;
        }
    }
    return t;
}

static void check_start(const ll_layout *a, const ll_layout *b, unsigned scale,
                        const ll_target *t, unsigned phase[2][3]) {
    const unsigned size = 1u << scale, most = t->access_bytes;
    const unsigned long long store =
        least_by_hand(a, scale, most, LL_WRITE, t, phase[LL_WRITE]);
    const unsigned long long load =
        least_by_hand(b, scale, most, LL_READ, t, phase[LL_READ]);
    const unsigned long long x =
        store + least_by_hand(b, scale, size, LL_READ, t, phase[LL_READ]);
    const unsigned long long y =
        load + least_by_hand(a, scale, size, LL_WRITE, t, phase[LL_WRITE]);
    const unsigned long long narrow = x < y ? x : y;
    const ll_span_ common = random_vectors(2, 1);
    const ll_best_memory_ best = ll_best_memory_start_(a, b, &common, scale, t);
    CHECK(best.cost == ~0ull && best.worth == ~0ull);
    CHECK(best.least[LL_WRITE] == store && best.least[LL_READ] == load);
    CHECK(best.vectors == (common.n ? store + load : narrow));
    CHECK(
        best.both ==
        (common.n || !ll_forms_are_paired_(scale, t) ? store + load : narrow));
    CHECK(best.apart == ll_is_apart_anyway_(a, b, &common, scale));
}

/* The memory of the first of two orders is kept unless the second costs less. A
 * bound must undercut the cost, or its wavefronts if permutes are in it. */
static void check_tries(const ll_layout *a, const ll_layout *b,
                        unsigned scale) {
    const ll_target t = LL_SM90;
    const ll_span_ none = LL_ZERO;
    ll_best_memory_ best = ll_best_memory_start_(a, b, &none, scale, &t);
    best.apart = (int)test_random(2);
    best.least[0] = best.least[1] = 0;
    unsigned long long least = ~0ull;
    for (unsigned n = 0; n < 3u; ++n) {
        ll_layout m = ll_identity(1u << a->out.bits[0], LL_OFFSET, LL_OFFSET);
        for (unsigned k = 0; k < 6u; ++k) {
            const unsigned x = test_random(a->out.bits[0]);
            const unsigned y = test_random(a->out.bits[0]);
            const unsigned column = m.basis[x];
            m.basis[x] = m.basis[y];
            m.basis[y] = column;
        }
        const ll_step store = ll_step_between_(a, &m, scale, LL_WRITE, &t);
        const ll_step load = ll_step_between_(b, &m, scale, LL_READ, &t);
        const unsigned long long bare =
            ll_step_bare_cost_(&store) + ll_step_bare_cost_(&load);
        const unsigned long long cost =
            best.apart ? bare : ll_step_cost_(&store) + ll_step_cost_(&load);
        ll_try_memory_(&best, &m, a, b, n & 1u, scale, &t);
        if (cost < least) {
            least = cost;
            CHECK(best.worth == (best.apart || cost == bare
                                     ? cost
                                     : cost - (unsigned)cost));
            CHECK(ll_is_equal(best.m, m));
        }
        CHECK(best.cost == least);
    }
}

static void a_search_starts_from_its_bounds(void) {
    for (unsigned n = 0; n < 600u; ++n) {
        unsigned phase[2][3];
        const unsigned scale = test_random(5);
        ll_target t = random_phases(phase);
        const unsigned lanes = t.lanes == 64u ? 6u : 5u;
        ll_layout a = random_nibbles(test_random(6), lanes, 4, 0);
        ll_layout b = random_nibbles(test_random(6), lanes, 4, &a);
        a.basis[a.in.bits[0]] *= test_random(3) != 0;
        b.basis[b.in.bits[0] + 1u] *= test_random(3) != 0;
        if (t.access_bytes >= 1u << scale) {
            check_start(&a, &b, scale, &t, phase);
        }
        const unsigned regs = 1u + test_random(4);
        const ll_layout x = sums_of_places(regs, 5, 0);
        const ll_layout y = sums_of_places(regs, 5, n & 1u);
        check_tries(&x, &y, scale);
    }
    /* Whether a lane bit is ignored is a question of its whole column. */
    ll_layout far = ll_zero(ll_shape_of("register=1 lane=32"),
                            ll_shape_of("offset=1"));
    far.out.bits[0] = 32;
    for (unsigned k = 0; k < 5u; ++k) {
        far.basis[k] = 1u << (31u - k);
    }
    const ll_target t = LL_SM90;
    CHECK(ll_cost_bound_(&far, 3, 16, LL_READ, &t) >> 32 == 2u);
    unsigned long long bounds[5] = {7, 3, 9, 3, 5};
    CHECK(ll_cost_smallest_(bounds, 5) == 1u &&
          ll_cost_smallest_(bounds, 1) == 0);
    bounds[0] = 3;
    CHECK(ll_cost_smallest_(bounds, 5) == 0);
}

/* Where matrices take no more wavefronts than the bytes of both sides fill,
 * other widths are not looked at: `fewest` is that number, 32 lanes by 4 bytes
 * each. */
static void a_search_ends_at_its_bound(void) {
    static const char *const pairs[][2] = {
        {"register: j0 j1 | lane: j2 i0 i1 i2 i3 | warp: i4 i5 i6",
         "register: j0 i4 i0 | lane: i1 i2 j1 j2 i3 | warp: i5 i6"},
        {"register: i1 i3 i4 i6 | lane: i7 i2 i5 i0 j0 | warp: i8",
         "register: j0 i4 i5 | lane: i0 i2 i1 i6 i3 | warp: i7 i8"},
        {"register: i1 i0 i3 | lane: i4 i5 i6 j0 i2 | warp: i7 i8",
         "register: i6 i7 i0 j0 | lane: i1 i2 i3 i4 i5 | warp: i8"},
    };
    for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
        const ll_layout a = L(pairs[k][0]), b = L(pairs[k][1]);
        const ll_plan p = ll_plan_by(a, b, 8, LL_SM90, LL_SHARED);
        const unsigned words = (registers(&a) + registers(&b)) / 4u;
        CHECK(!p.err && p.step[1].form + p.step[3].form != 0);
        CHECK(p.step[1].count * p.step[1].wavefronts +
                  p.step[3].count * p.step[3].wavefronts == words);
        CHECK(p.fewest == words);
    }
}

/* Each two widths once; of equal ones the stores are the wider. */
static void widths_are_counted_once(void) {
    for (unsigned most = 0; most < 25u; ++most) {
        ll_ends_ e = LL_ZERO;
        unsigned char seen[5][5] = LL_ZERO;
        e.end[LL_READ].most = most % 5u;
        e.end[LL_WRITE].most = most / 5u;
        const unsigned n = (most % 5u + 1u) * (most / 5u + 1u);
        for (unsigned k = 0; k < n; ++k) {
            const ll_widths_ w = ll_widths_of_(&e, k);
            const unsigned store = w.op == LL_WRITE ? w.a : w.b;
            const unsigned load = w.op == LL_WRITE ? w.b : w.a;
            CHECK(load <= most % 5u && store <= most / 5u);
            CHECK(w.op == (store >= load ? LL_WRITE : LL_READ));
            CHECK(!seen[store][load]++);
        }
    }
}

/* ---- Matrices ------------------------------------------------------------ */

static unsigned digit_of(ll_form form, unsigned k) {
    return (unsigned)(form >> 4u * k) & 15u;
}

/* Registers and lanes that hold the rows of a form: each byte of a row where
 * its digit says, all else above the row. */
static ll_layout fitting(ll_form form, unsigned scale, unsigned lanes,
                         unsigned regs, unsigned warps) {
    const unsigned row = digit_of(form, 10) - scale; /* log2 of its elements */
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1u << warps);
    ll_layout x = ll_zero(in, ll_with(ll_shape_of(""), LL_OFFSET, 1u << 20));
    unsigned free = row;
    for (unsigned k = 0; k < regs + lanes + warps; ++k) {
        const unsigned digit = k < regs && k + scale < 4u
                                   ? digit_of(form, k + scale)
                               : k >= regs && k < regs + lanes
                                   ? digit_of(form, 4u + k - regs)
                                   : 15u;
        x.basis[k] = 1u << (digit < 8u ? digit - scale : free++);
        x.basis[k] ^= digit >= 8u && test_random(3) == 0 && k
                          ? x.basis[k - 1u] >> row << row : 0u;
    }
    for (unsigned k = 0; k < 2u * regs; ++k) { /* registers in any order */
        const unsigned p = test_random(regs), q = test_random(regs);
        const unsigned column = x.basis[p];
        x.basis[p] = x.basis[q];
        x.basis[q] = column;
    }
    x.offset = test_random(4) ? 0u : test_random(1u << (free - row)) << row;
    return x;
}

/* The positions of a step take the bytes of its rows in order, each position
 * bit one register. */
static void check_rows(const ll_step *s, const ll_layout *x, ll_form form,
                       unsigned scale) {
    const unsigned row = digit_of(form, 10) - scale;
    unsigned all = 0;
    for (unsigned k = 0; k < s->at.n; ++k) {
        const unsigned digit = k + scale < 4u ? digit_of(form, k + scale) : 15u;
        unsigned reg = 0;
        while (reg < 31u && s->at.reg[k] != 1u << reg) {
            ++reg;
        }
        all |= s->at.reg[k];
        CHECK(x->basis[reg] == s->at.place[k]);
        CHECK(digit < 8u ? s->at.place[k] == 1u << (digit - scale)
                         : s->at.place[k] % (1u << row) == 0);
    }
    CHECK(all == (1u << s->at.n) - 1u && s->at.n == x->in.bits[0]);
}

/* The lanes that name rows, and by which places (PTX ISA and CDNA4 ISA, by the
 * digits of the form). */
static void check_row_lanes(const ll_step *s, const ll_layout *x, ll_form form,
                            unsigned scale) {
    unsigned lane[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    unsigned count = 0;
    const unsigned n =
        ll_row_lanes_(x, &s->at, form, scale, lane);
    for (unsigned r = 0; r < 6u; ++r) {
        unsigned k = 0;
        while (k < 10u && digit_of(form, k) != 8u + r) {
            ++k;
        }
        const int reg = k < 4u && k < s->at.vector + scale;
        CHECK(lane[r] == (reg                   ? s->at.place[k - scale]
                          : k >= 4u && k < 10u ? x->basis[x->in.bits[0] + k -
                                                          4u]
                                               : 0u));
        count += reg || (k >= 4u && k < 10u);
    }
    CHECK(n == count && lane[6] == 9u && lane[7] == 9u);
}

/* What moves a row: the lanes that name it, or the next register that is not
 * one of the row's. */
static void check_matrix_rows(const ll_layout *x, ll_form form) {
    const ll_span_ row = random_vectors(3, 1);
    const ll_span_ regs = columns_of(x, 0, x->in.bits[0]);
    ll_span_ more = row;
    unsigned next = row.n;
    for (unsigned k = 0; k < regs.n; ++k) {
        append_new(&more, regs.v[k]);
    }
    const ll_span_ rows = ll_matrix_rows_(x, &row, form);
    CHECK(rows.n == 6u);
    for (unsigned r = 0; r < 6u; ++r) {
        unsigned k = 0;
        while (k < 10u && digit_of(form, k) != 8u + r) {
            ++k;
        }
        CHECK(rows.v[r] ==
              (k == 10u  ? 0u
               : k >= 4u ? x->basis[x->in.bits[0] + k - 4u]
               : next < more.n ? more.v[next++] : 0u));
    }
}

/* Of a row, the bytes that registers hold are their first ones where a word is
 * whole, else what both sides hold, or the last one. */
static void check_matrix_row(const ll_layout *x, ll_form form, unsigned scale,
                             const ll_target *t) {
    const ll_span_ common = random_vectors(2, 1);
    const int whole = digit_of(form, 0) == 0 && digit_of(form, 1) == 1u;
    int takes = form && scale < 4u && 1u << x->in.bits[1] == t->lanes;
    ll_span_ want = LL_ZERO;
    unsigned next = 0;
    for (unsigned k = 0; k < scale && k < 4u; ++k) {
        takes = takes && digit_of(form, k) == k;
    }
    for (unsigned d = scale; takes && d < digit_of(form, 10); ++d) {
        unsigned k = 0;
        while (digit_of(form, k) != d) {
            ++k;
        }
        if (k >= 4u) {
            append_new(&want, x->basis[x->in.bits[0] + k - 4u]);
        } else if (next < x->in.bits[0]) {
            append_new(&want, whole      ? x->basis[next]
                              : common.n ? common.v[0]
                                         : x->basis[x->in.bits[0] - 1u]);
            ++next;
        }
    }
    const ll_span_ row = ll_matrix_row_(x, &common, form, scale, t);
    CHECK(row.n == want.n && is_list(&row, &want, want.n));
}

/* Each form is taken where registers and lanes have their places, whatever the
 * order of the registers, and not where one has another. */
static void matrices_are_taken_where_they_fit(void) {
    const ll_target machines[3] = {LL_SM90, LL_SM100F, LL_GFX950};
    unsigned fits = 0;
    for (unsigned n = 0; n < 3000u; ++n) {
        const ll_target t = machines[n % 3u];
        const unsigned op = test_random(2), scale = test_random(3);
        const unsigned form = 1u + test_random(LL_MAX_FORMS - 1u);
        const ll_form code = t.forms[op][form];
        const unsigned lanes = t.lanes == 64u ? 6u : 5u;
        const unsigned regs = test_random(6), warps = test_random(3);
        const unsigned least = digit_of(code, 11), most = digit_of(code, 12);
        ll_layout small = random_nibbles(test_random(6), lanes, 4, 0);
        check_matrix_row(&small, code, test_random(5), &t);
        if (code) {
            check_matrix_rows(&small, code);
            small.in.bits[1] = (unsigned short)(11u - lanes);
            check_matrix_row(&small, code, scale, &t);
        }
        int takes = code != 0;
        for (unsigned k = 0; k < scale; ++k) {
            takes = takes && digit_of(code, k) == k;
        }
        if (!takes) {
            const ll_layout any = fitting(machines[0].forms[0][1], 0, lanes,
                                          regs + 1u, warps);
            CHECK(ll_step_by_matrices_(&any, form, scale, op, &t).wavefronts ==
                  0);
            continue;
        }
        ll_layout x = fitting(code, scale, lanes, regs, warps);
        const ll_step s = ll_step_by_matrices_(&x, form, scale, op, &t);
        CHECK((s.wavefronts != 0) == (regs + scale >= least));
        if (s.wavefronts) {
            const unsigned bits = regs + scale < most ? regs + scale : most;
            CHECK(s.form == form && s.bytes == 1u << bits);
            CHECK(s.count << bits == 1u << (regs + scale));
            check_rows(&s, &x, code, scale);
            check_row_lanes(&s, &x, code, scale);
            ++fits;
        }
        const ll_layout other = fitting(code, scale, 11u - lanes, regs, warps);
        CHECK(!ll_step_by_matrices_(&other, form, scale, op, &t).wavefronts);
        /* One place within a row too many, or a lane that holds copies. */
        ll_layout bad = x;
        const unsigned k = test_random(regs + lanes + warps + 1u);
        const unsigned y = 1u << test_random(digit_of(code, 10) - scale);
        *(k < regs + lanes + warps ? &bad.basis[k] : &bad.offset) ^= y;
        CHECK(k < regs || !ll_step_by_matrices_(&bad, form, scale, op,
                                                &t).wavefronts);
        bad = x;
        bad.basis[regs + test_random(lanes)] = 0;
        CHECK(!ll_step_by_matrices_(&bad, form, scale, op, &t).wavefronts);
        if (regs + scale > least) { /* a register that holds copies */
            bad = x;
            unsigned last = 0;
            for (unsigned r = 0; r < regs; ++r) {
                last = x.basis[r] > x.basis[last] ? r : last;
            }
            bad.basis[last] = 0;
            CHECK((ll_step_by_matrices_(&bad, form, scale, op, &t).wavefronts !=
                   0) == (op == LL_READ));
        }
    }
    CHECK(fits > 300u);
}

/* What the widths of an exchange share, and the ground of two of them. */
static void check_ends(const ll_layout *a, const ll_layout *b,
                       const ll_target *t, unsigned scale) {
    const ll_ends_ e = ll_ends_of_(a, b, scale, t);
    ll_span_ all = LL_ZERO, threads = LL_ZERO;
    const ll_layout *both[2] = {a, b};
    unsigned char in[2][256], all_threads[256], common[256];
    for (unsigned k = 0; k < 2u; ++k) {
        const ll_span_ regs = columns_of(both[k], 0, both[k]->in.bits[0]);
        span_of_list(&regs, in[k]);
        for (unsigned c = 0; c < bits_in(&both[k]->in); ++c) {
            append_new(&all, both[k]->basis[c]);
            append_new(&threads, c < both[k]->in.bits[0] ? 0u
                                                        : both[k]->basis[c]);
        }
    }
    CHECK(e.n == all.n && e.threads.n == threads.n);
    span_of_list(&threads, all_threads);
    span_of_list(&e.common, common);
    for (unsigned x = 1; x < 256u; ++x) { /* no thread reaches it */
        CHECK(!common[x] || (in[0][x] && in[1][x] && !all_threads[x]));
    }
}

/* Behind the vectors that threads of a make ones of the phase, each vector e
 * has its f of the phase: e ^ f is of the ground. */
static void check_take_wide(const ll_layout *a, const ll_target *t,
                            unsigned scale) {
    const ll_end_ end = ll_end_of_(a, scale, LL_WRITE, t);
    const ll_span_ phase = random_vectors(4, 1);
    const unsigned n = test_random(6);
    ll_ground_ g = LL_ZERO;
    ll_span_ reached = end.threads, free = end.threads;
    unsigned char set[256], held[256];
    g.low = random_vectors(1, 1);
    const ll_span_ low = g.low;
    ll_ground_take_wide_(&g, &end, &end.regs, &phase, n);
    CHECK(is_list(&g.low, &low, low.n) && (g.low.n <= n || g.low.n == low.n));
    span_of_list(&end.regs, held);
    for (unsigned k = 0; k < low.n; ++k) {
        append_new(&free, low.v[k]);
    }
    unsigned from = low.n;
    for (int wide = 1; wide && from < g.low.n;) { /* of the phase first */
        reached = free;
        for (unsigned k = 0; k < phase.n; ++k) {
            append_new(&reached, phase.v[k]);
        }
        span_of_list(&reached, set);
        wide = set[g.low.v[from]];
        if (wide) {
            append_new(&free, g.low.v[from++]);
        }
    }
    unsigned pairs = 0; /* vectors of the phase that are free of all that */
    ll_span_ fresh = free;
    for (unsigned k = 0; k < phase.n; ++k) {
        append_new(&fresh, phase.v[k]);
    }
    pairs = fresh.n - free.n;
    CHECK(g.high.n == (pairs < g.low.n - from ? pairs : g.low.n - from));
    for (unsigned k = low.n; k < g.low.n; ++k) {
        CHECK(held[g.low.v[k]]);
    }
    for (unsigned k = 0; k < g.high.n; ++k) {
        CHECK((g.high.v[k] ^ g.low.v[from + k]) == fresh.v[free.n + k]);
    }
}

static void widths_share_their_ends(void) {
    const ll_target t = LL_SM90;
    /* Of a phase of four vectors, none a thread of a, one leaves for each place
     * that accesses of a fill beyond those of b. */
    const ll_span_ four = {4, {1, 2, 4, 8}};
    for (unsigned n = 0; n < 15u; ++n) {
        const ll_end_ free = LL_ZERO;
        const ll_widths_ w = {LL_WRITE, n / 3u, n % 3u};
        CHECK(w.a < w.b ||
              ll_complement_left_(&free, &four, w) == 4u - (w.a - w.b));
    }
    for (unsigned n = 0; n < 600u; ++n) {
        const unsigned scale = test_random(5);
        ll_layout a = random_nibbles(test_random(7), 5, 4, 0);
        ll_layout b = random_nibbles(test_random(7), 5, 4, &a);
        for (unsigned k = 0; k < 5u; ++k) { /* few lanes, many registers */
            a.basis[a.in.bits[0] + k] *= test_random(2);
            b.basis[b.in.bits[0] + k] *= test_random(2);
        }
        check_ends(&a, &b, &t, scale);
        check_take_wide(&a, &t, scale);
    }
    /* Two permutes for each word that comes from four others; one for a word
     * of loaded halves, also where another register holds the same. */
    ll_access m = LL_ZERO;
    m.n = 4;
    for (unsigned k = 0; k < 4u; ++k) {
        m.reg[k] = 1u << (3u - k);
    }
    CHECK(ll_permutes_(&m, 8, 2, 2) == 2u * 4u);
    const ll_layout x = L("register: 0 offset4 | lane: offset0 offset1 offset2 "
                          "offset3 offset5");
    const ll_step s = ll_step_by_vectors_(&x, 1, LL_READ, &t);
    CHECK(s.at.n == 1u && s.at.copies == 1u && s.pack == 0);
    CHECK(ll_permutes_beside_(&s) == 2u);
}

/* The elements of an axis that registers hold alone, and that a list lacks. */
static void registers_hold_a_part_of_an_axis(void) {
    for (unsigned n = 0; n < 600u; ++n) {
        const unsigned dims = 1u + test_random(7);
        const ll_layout a = random_nibbles(test_random(8), 3, dims, 0);
        const unsigned at = test_random(2), start = at ? dims : 0u;
        const unsigned size = 1u << (at ? 8u - dims : dims);
        ll_span_ l = LL_ZERO, all;
        const ll_span_ regs = columns_of(&a, 0, a.in.bits[0]);
        unsigned char held[256], set[256];
        for (unsigned k = test_random(3); k > 0; --k) {
            append_new(&l, test_random(size));
        }
        span_of_list(&regs, held);
        all = l;
        for (unsigned x = 0; x < size; ++x) {
            if (held[x << start]) {
                append_new(&all, x);
            }
        }
        const ll_span_ some = ll_held_along_(&a, at, &l);
        CHECK(some.n == all.n - l.n);
        ll_span_ sum = l;
        for (unsigned k = 0; k < some.n; ++k) {
            CHECK(some.v[k] < size && held[some.v[k] << start]);
            append_new(&sum, some.v[k]);
        }
        span_of_list(&sum, set);
        CHECK(sum.n == all.n && size_of_set(set) == 1u << all.n);
    }
}

/* ---- Limits of scans and gathers ----------------------------------------- */

static unsigned scan_by_totals(const char *text) {
    const ll_target t = LL_SM90;
    ll_span_ axis = LL_ZERO, done = LL_ZERO;
    ll_layout a = ll_layout_reducible_(ll_parse(text), LL_I, 32, &t, &axis);
    const unsigned start = ll_shape_start_(&a.out, ll_axis_at_(&a.out, LL_I));
    ll_tree_of_(&a, &axis, &done);
    const ll_scan_plan s = ll_scan_plan_here_(&a, &axis, start, 32, &t);
    CHECK(s.err || s.lines + s.crosses == 8u);
    return s.err;
}

/* A lane loads up to 256 totals; an axis may have a level for each of 32 bits;
 * a gather with twice 128 words of a lane takes twice the time. */
static void scans_and_gathers_have_their_limits(void) {
    CHECK(scan_by_totals("register: j0 j1 j2 j3 | lane: i0 i1 i2 i3 i4 | "
                         "warp: i5 i6 i7 i8") == LL_OK);
    CHECK(scan_by_totals("register: j0 j1 j2 j3 j4 | lane: i0 i1 i2 i3 i4 | "
                         "warp: i5 i6 i7 i8") == LL_EBITS);
    ll_scan_plan s = LL_ZERO;
    ll_layout a = ll_zero(ll_shape_of("register=1 lane=32 warp=1"),
                          ll_shape_of("j=1"));
    a.in.bits[0] = 27;
    a.out.bits[0] = 32;
    s.n = 27;
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
        s.reg[k] = k < 27u ? 1u << k : 0u;
    }
    for (unsigned k = 0; k < 32u; ++k) {
        CHECK(ll_scan_rise_(&s, &a, 1u << k));
        CHECK(s.level[k].lane == (k < 27u ? 0u : 1u << (k - 27u)));
    }
    CHECK(s.levels == 32u && s.level[32].gone == (1u << 27) - 1u);
    CHECK(s.crosses == 0 && s.lines == 0 && s.between.err == 0);
    const ll_target t = LL_SM90;
    ll_gather_plan p = LL_ZERO;
    p.element_bits = 32;
    p.kind = LL_SHUFFLES;
    for (p.from_bits = 5; p.from_bits < 9u; ++p.from_bits) {
        for (p.to_bits = 5; p.to_bits < 9u; ++p.to_bits) {
            const unsigned words = (1u << p.from_bits) + (2u << p.to_bits);
            CHECK(ll_gather_cycles_(&p, 8u * 1280u, 0, &t) ==
                  (words > 128u ? 10u * words : 1280u));
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(nvidia_operands_are_fed_without_conflicts);
    RUN(plans_through_such_memory_lose_nothing);
    RUN(amd_operands_are_fed_without_conflicts);
    RUN(rdna_operands_are_fed_without_conflicts);
    RUN(sixteen_byte_rows_suit_ldmatrix);
    RUN(choosers_tell_what_cannot_be);
    RUN(scales_lie_where_they_are_needed);
    RUN(instructions_want_the_scales_of_their_lanes);
    RUN(shuffled_elements_lie_side_by_side);
    RUN(a_product_does_not_see_the_order_of_k);
    RUN(one_operand_in_registers_is_enough);
    RUN(scales_follow_the_order_of_k);
    RUN(blocks_of_a_cluster_tile_the_tensor);
    RUN(constants_decide_between_shuffles_and_memory);
    RUN(the_cheapest_plan_is_chosen);
    RUN(clusters_cost_what_they_are_said_to);
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
    RUN(nibbles_cost_their_shifts_and_selects);
    RUN(forms_are_lists_of_digits);
    RUN(the_side_that_is_wrong_is_told);
    RUN(registers_of_both_sides_take_turns);
    RUN(nibbles_are_paired_at_the_least_price);
    RUN(bytes_of_memory_are_pairs_of_nibbles);
    RUN(lists_of_a_search_have_their_order);
    RUN(a_search_starts_from_its_bounds);
    RUN(a_search_ends_at_its_bound);
    RUN(widths_are_counted_once);
    RUN(matrices_are_taken_where_they_fit);
    RUN(widths_share_their_ends);
    RUN(registers_hold_a_part_of_an_axis);
    RUN(scans_and_gathers_have_their_limits);
    return test_end();
}
