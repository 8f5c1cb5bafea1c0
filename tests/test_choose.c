/* test_choose.c - memory chosen for an operand, and the blocks of a cluster.
 * SPDX-License-Identifier: MIT
 *
 * The oracles go through elements, lanes, words and banks one by one.
 */
#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"
#include "choose.h"

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

/* Do the registers of the first lane fill whole vectors of `bytes` bytes? */
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

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(nvidia_operands_are_fed_without_conflicts);
    RUN(plans_through_such_memory_lose_nothing);
    RUN(amd_operands_are_fed_without_conflicts);
    RUN(rdna_operands_are_fed_without_conflicts);
    RUN(sixteen_byte_rows_suit_ldmatrix);
    RUN(choosers_tell_what_cannot_be);
    RUN(blocks_of_a_cluster_tile_the_tensor);
    return test_end();
}
