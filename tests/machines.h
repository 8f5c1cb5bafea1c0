/* machines.h - target machines, random layouts, and an interpreter of plans on
 * arrays, for the tests of what ll.h plans. Wavefronts are counted one by one.
 * SPDX-License-Identifier: MIT
 */
#ifndef MACHINES_H
#define MACHINES_H

#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

enum { OPS = 2, WIDTHS = 3, MAX_LANES = 64 };

/* Returns ll_rows_of for any number of lanes and warps. */
TEST_FN ll_layout rows_of_lanes(unsigned rows, unsigned cols, unsigned bytes,
                                unsigned lanes, unsigned warps) {
    ll_rows_spec s = LL_ZERO;
    s.rows = rows;
    s.cols = cols;
    s.bytes = bytes;
    s.lanes = lanes;
    s.warps = warps;
    return ll_rows_of(s);
}

/* ---- Machines ------------------------------------------------------------ */

typedef struct phases {
    unsigned vector[WIDTHS][6];
} phases;

TEST_FN ll_target machine(unsigned lanes, unsigned banks, unsigned merge,
                         phases read, phases write) {
    ll_target t = LL_ZERO;
    t.lanes = lanes;
    t.bank_bytes = 4;
    t.access_bytes = 16;
    t.copies = 1;
    t.merge = merge;
    for (unsigned w = 0; w < WIDTHS; ++w) {
        t.banks[LL_READ][w] = banks;
        t.banks[LL_WRITE][w] = banks;
        for (unsigned k = 0; k < 6u; ++k) {
            t.phase[LL_READ][w][k] = read.vector[w][k];
            t.phase[LL_WRITE][w][k] = write.vector[w][k];
        }
    }
    return t;
}

TEST_FN const phases p32 = {{{1, 2, 4, 8, 16, 0}, {1, 2, 4, 8, 0, 0},
                            {1, 2, 4, 0, 0, 0}}};
TEST_FN const phases p32_20 = {{{1, 2, 4, 8, 16, 0}, {1, 2, 4, 8, 0, 0},
                               {1, 2, 20, 0, 0, 0}}};
TEST_FN const phases p32_16 = {{{1, 2, 4, 8, 16, 0}, {1, 2, 4, 8, 0, 0},
                               {1, 2, 16, 0, 0, 0}}};
TEST_FN const phases p64_12 = {{{1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16, 0},
                               {1, 2, 12, 20, 0, 0}}};
TEST_FN const phases p64_8 = {{{1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16, 0},
                              {1, 2, 8, 16, 0, 0}}};
TEST_FN const phases p4 = {{{1, 2, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0},
                           {0, 0, 0, 0, 0, 0}}};
TEST_FN const phases p4_3 = {{{1, 2, 0, 0, 0, 0}, {3, 0, 0, 0, 0, 0},
                             {0, 0, 0, 0, 0, 0}}};
TEST_FN const phases p2 = {{{1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0},
                           {0, 0, 0, 0, 0, 0}}};

/* Returns the machine t with another number of banks for op. */
TEST_FN ll_target split(ll_target t, unsigned op, unsigned banks) {
    for (unsigned w = 0; w < WIDTHS; ++w) {
        t.banks[op][w] = banks;
    }
    return t;
}

enum { N_REAL = 9, N_TINY = 7, MERGES = 3 };

/* Returns the machine t with the matrix accesses of another target. */
TEST_FN ll_target with_matrices(ll_target t, ll_target of) {
    for (unsigned k = 0; k < LL_MAX_FORMS; ++k) {
        t.forms[LL_READ][k] = of.forms[LL_READ][k];
        t.forms[LL_WRITE][k] = of.forms[LL_WRITE][k];
    }
    return t;
}

TEST_FN ll_target real_machine(unsigned k) {
    return k == 0   ? machine(32, 32, 3, p32, p32)
           : k == 6 ? with_matrices(machine(32, 32, 3, p32, p32), LL_SM90)
           : k == 7 ? with_matrices(machine(32, 32, 3, p32, p32), LL_SM100F)
           : k == 8 ? with_matrices(machine(64, 64, 0, p64_12, p32), LL_GFX950)
           : k == 1 ? machine(64, 32, 0, p32_20, p32)
           : k == 2 ? machine(64, 64, 0, p64_12, p64_8)
           : k == 3 ? machine(64, 64, 0, p64_8, p64_12)
           : k == 5 ? split(machine(64, 64, 0, p64_12, p32), LL_WRITE, 32)
                    : machine(64, 32, 0, p32_16, p32_20);
}

TEST_FN ll_target tiny_machine(unsigned k) {
    return k == 0   ? machine(4, 4, 0, p4, p4)
           : k == 1 ? machine(2, 2, 0, p2, p2)
           : k == 2 ? machine(4, 2, 0, p2, p2)
           : k == 3 ? machine(4, 4, 1, p4, p4)
           : k == 5 ? split(machine(4, 4, 0, p4, p2), LL_WRITE, 2)
           : k == 6 ? split(machine(4, 4, 0, p2, p4), LL_READ, 2)
                    : machine(4, 4, 0, p4_3, p4);
}

/* ---- Counting wavefronts ------------------------------------------------- */

/* Returns the largest number of distinct words that the n lanes request from
 * one bank. */
TEST_FN unsigned worst_bank(const unsigned *address, const unsigned *lane,
                           unsigned n, unsigned bytes, unsigned op,
                           const ll_target *t) {
    const unsigned banks =
        t->banks[op][bytes <= 4u ? 0 : bytes <= 8u ? 1 : 2];
    unsigned word[MAX_LANES * 16];
    unsigned asked[64] = LL_ZERO;
    unsigned words = 0;
    unsigned worst = 0;
    for (unsigned k = 0; k < n; ++k) {
        for (unsigned b = 0; b < bytes; ++b) {
            unsigned w = (address[lane[k]] + b) / t->bank_bytes;
            unsigned seen = 0;
            while (seen < words && word[seen] != w) {
                ++seen;
            }
            if (seen == words) {
                word[words++] = w;
                unsigned now = ++asked[w % banks];
                worst = now > worst ? now : worst;
            }
        }
    }
    return worst;
}

/* Lists the lanes of the phase of lane 0 and returns their number. */
TEST_FN unsigned phase_of_zero(const unsigned *address, unsigned bytes,
                              unsigned op, const ll_target *t,
                              unsigned *lane) {
    const unsigned *basis = t->phase[op][bytes <= 4u ? 0 : bytes <= 8u ? 1 : 2];
    unsigned n = 1;
    lane[0] = 0;
    for (unsigned k = 0; k < 6u && basis[k]; ++k) {
        for (unsigned m = 0; m < n; ++m) {
            lane[n + m] = lane[m] ^ basis[k];
        }
        n *= 2u;
    }
    int merges = 0;
    for (unsigned k = 0; op == LL_READ && bytes > 4u && k < 6u; ++k) {
        merges |= (t->merge >> k & 1u) && address[1u << k] == address[0];
    }
    for (unsigned m = 0; merges && n < t->lanes && m < n; ++m) {
        lane[n + m] = lane[m] + n;
    }
    return merges && n < t->lanes ? 2u * n : n;
}

/* Returns the wavefronts of one access, whose phases are served one after
 * another. */
TEST_FN unsigned served(const unsigned *address, unsigned bytes, unsigned op,
                       const ll_target *t) {
    unsigned phase[MAX_LANES];
    unsigned member[MAX_LANES];
    unsigned char done[MAX_LANES] = LL_ZERO;
    unsigned n = phase_of_zero(address, bytes, op, t, phase);
    unsigned sum = 0;
    for (unsigned lane = 0; lane < t->lanes; ++lane) {
        for (unsigned k = 0; !done[lane] && k < n; ++k) {
            member[k] = lane ^ phase[k];
        }
        sum += done[lane] ? 0u : worst_bank(address, member, n, bytes, op, t);
        for (unsigned k = 0; k < n; ++k) {
            done[lane ^ phase[k]] = 1;
        }
    }
    return sum;
}

/* Sets n random columns of `bits` bits, linearly independent. */
TEST_FN void random_basis(unsigned *column, unsigned n, unsigned bits) {
    unsigned unit[32];
    for (unsigned k = 0; k < bits; ++k) {
        unit[k] = 1u << k;
    }
    for (unsigned k = 0; k < n; ++k) {
        unsigned m = k + test_random(bits - k);
        column[k] = unit[m];
        unit[m] = unit[k];
    }
    for (unsigned round = 0; n > 1u && round < 3u * n; ++round) {
        unsigned p = test_random(n);
        unsigned q = test_random(n);
        column[p] ^= p != q ? column[q] : 0u;
    }
}

/* Renames the elements by a matrix, which turns a distributed layout into a
 * general one. */
TEST_FN void twist(ll_layout *a, const unsigned *basis, unsigned n) {
    for (unsigned k = 0; k < 32u; ++k) {
        unsigned y = a->basis[k] >> n << n;
        for (unsigned bit = 0; bit < n; ++bit) {
            y ^= a->basis[k] >> bit & 1u ? basis[bit] : 0u;
        }
        a->basis[k] = y;
    }
}

/* ---- Plans, executed ----------------------------------------------------- */

enum { MAX_VALUES = 1 << 18 };

TEST_FN unsigned before[MAX_VALUES]; /* thread * registers + register */
TEST_FN unsigned after[MAX_VALUES];
TEST_FN unsigned memory[MAX_VALUES];
TEST_FN unsigned writer[MAX_VALUES]; /* the warp */
TEST_FN unsigned forms[LL_MAX_FORMS]; /* accesses of each form that were run */
TEST_FN unsigned before_bits;         /* log2 of the positions in `before` */
TEST_FN unsigned by_thread[MAX_VALUES];   /* what each thread of a step adds */
TEST_FN unsigned by_position[MAX_VALUES]; /* and what each position adds */
TEST_FN unsigned element_scale;           /* log2 of an element's bytes */

TEST_FN unsigned packed(const ll_shape *s, unsigned reg, unsigned thread,
                       unsigned lanes, unsigned block) {
    return placed(s, LL_REGISTER, reg) | placed(s, LL_LANE, thread % lanes) |
           placed(s, LL_WARP,
                  thread / lanes & ((1u << held_bits(s, LL_WARP)) - 1u)) |
           placed(s, LL_BLOCK, block);
}

/* The source of byte n of a lane in a matrix access: the lane that names the
 * row, and the byte within the row, as the manuals give them. ldmatrix: word q
 * of lane l is bytes 4 (l % 4) and up of row l / 4 of matrix q; transposed, it
 * is element l / 4 of rows 2 (l % 4) and 2 (l % 4) + 1. Lane 8q + r names row r
 * of matrix q. For bytes, ldmatrix has matrices of 16 rows; the bytes of a word
 * come from four rows, and words from columns 8 apart. stmatrix has 8 rows, and
 * the columns within a word are 8 apart. ds_read_b64_tr: groups of 16 lanes,
 * each lane naming 8 bytes. */
typedef struct row_byte {
    unsigned lane, byte;
} row_byte;

TEST_FN row_byte matrix_byte(const ll_step *s, const ll_target *t,
                             unsigned lane, unsigned n) {
    const unsigned q = n / 4u;
    const unsigned b = n % 4u;
    const unsigned to = lane / 4u;
    const unsigned side = lane % 4u;
    row_byte is = {8u * q + to, side * 4u + b};
    if (t->lanes == 64u) {
        const int pairs = s->form == LL_FORM_TRANS;
        is.lane = lane / 16u * 16u + (pairs ? n / 2u * 4u + lane % 16u / 4u
                                            : n * 2u + lane % 16u / 8u);
        is.byte = pairs ? side * 2u + n % 2u : lane % 8u;
    } else if (s->form == LL_FORM_TRANS) {
        is.lane = 8u * q + side * 2u + b / 2u;
        is.byte = to * 2u + b % 2u;
    } else if (s->form == LL_FORM_BYTES && s->op == LL_OP_LOAD) {
        is.lane = q / 2u * 16u + side * 4u + b;
        is.byte = q % 2u * 8u + to;
    } else if (s->form == LL_FORM_BYTES) {
        is.lane = 8u * q + side * 2u + b % 2u;
        is.byte = b / 2u * 8u + to;
    }
    return is;
}

/* Lists the addresses of an access: of each of `threads` threads, numbered
 * anew after every `per_block`, and the place of each position. */
TEST_FN void list_addresses(const ll_plan *p, const ll_step *s,
                            unsigned threads, unsigned per_block) {
    for (unsigned thread = 0; thread < threads; ++thread) {
        by_thread[thread] = ll_map_at(s->thread, thread % per_block);
    }
    for (unsigned k = 0; k < 1u << s->at.n; ++k) {
        by_position[k] = ll_places(&s->at, k);
    }
    element_scale = ll_log2_(p->element_bits / 8u);
    CHECK(element_scale < 32u && ll_log2_(s->bytes) < 32u);
}

/* Returns the byte address that a matrix access uses for a position of a
 * thread. */
TEST_FN unsigned matrix_address(const ll_step *s, const ll_plan *p,
                                const ll_target *t, unsigned thread,
                                unsigned position) {
    const unsigned lane = thread % t->lanes;
    const unsigned in_access = position & ((1u << s->at.vector) - 1u);
    const unsigned group = position >> s->at.vector << s->at.vector;
    const row_byte from =
        matrix_byte(s, t, lane, in_access * (p->element_bits / 8u));
    const unsigned who = thread - lane + from.lane;
    const unsigned base = by_thread[who], place = by_position[group];
    const unsigned first = base ^ place;
    CHECK(first == (base ^ (place & s->touched)) + (place & ~s->touched));
    CHECK(first % (t->lanes == 64u ? 8u : 16u) == 0);
    CHECK(s->bytes == p->element_bits / 8u << s->at.vector);
    return first + from.byte;
}

/* Returns the address of a position in elements, and checks that it is aligned,
 * within `bytes` of memory, and split between thread and register as `touched`
 * promises. The step's addresses are listed. */
TEST_FN unsigned address_of(const ll_step *s, const ll_plan *p, unsigned bytes,
                           const ll_target *t, unsigned thread,
                           unsigned position) {
    const unsigned element = p->element_bits / 8u;
    const unsigned scale = element_scale;
    if (s->form != LL_FORM_VECTOR) {
        const unsigned byte = matrix_address(s, p, t, thread, position);
        CHECK(byte + element <= bytes);
        return (byte >> scale) % MAX_VALUES;
    }
    const unsigned base = by_thread[thread], place = by_position[position];
    const unsigned address = base ^ place;
    const unsigned run = (1u << s->at.vector) - 1u;
    const unsigned first = base ^ by_position[position & ~run];
    CHECK(address == (base ^ (place & s->touched)) + (place & ~s->touched));
    CHECK((first & (s->bytes - 1u)) == 0);
    CHECK(address == first + ((position & run) << scale));
    CHECK(address + element <= bytes);
    CHECK(address >> scale < MAX_VALUES);
    return (address >> scale) % MAX_VALUES;
}

/* Returns the address of a position in the memories of a cluster's blocks,
 * which follow each other. The places of loads from other blocks name the
 * block. */
TEST_FN unsigned cluster_address_of(const ll_step *s, const ll_plan *p,
                                    const ll_target *t, unsigned thread,
                                    unsigned position, unsigned block) {
    const unsigned whole = p->smem_bytes << (s->dsmem ? p->blocks : 0u);
    CHECK(s->dsmem == 0 || 1u << s->dsmem == p->smem_bytes);
    CHECK(s->dsmem == 0 ||
          (s->form == LL_FORM_VECTOR && s->bytes <= 1u << s->dsmem));
    const unsigned at = address_of(s, p, whole, t, thread, position);
    return s->dsmem ? at
                    : block * (p->smem_bytes / (p->element_bits / 8u)) + at;
}

/* Returns what a thread holds at a position before the step. */
TEST_FN unsigned held_before(unsigned thread, unsigned position) {
    return before[(thread << before_bits) + position];
}

TEST_FN void run_store(const ll_plan *p, const ll_step *s, const ll_target *t,
                       unsigned threads, unsigned blocks, unsigned pass) {
    const unsigned places = p->smem_bytes / (p->element_bits / 8u) * blocks;
    const unsigned most = MAX_VALUES;
    memset(memory, 0xff, (size_t)(places < most ? places : most) << 2);
    list_addresses(p, s, threads, threads);
    for (unsigned all = 0; all < threads * blocks; ++all) {
        const unsigned thread = all % threads;
        for (unsigned k = 0; k < 1u << s->at.n; ++k) {
            unsigned at = cluster_address_of(s, p, t, thread, k, all / threads);
            if (!(thread & s->at.spare)) {
                CHECK(memory[at] == ~0u); /* stored once */
                memory[at] = held_before(all, pass << s->at.n | k);
                writer[at] = all / t->lanes;
            }
        }
    }
}

TEST_FN void run_load(const ll_plan *p, const ll_step *s, const ll_target *t,
                      unsigned threads, unsigned blocks, int own_warp,
                      unsigned pass) {
    list_addresses(p, s, threads * blocks, threads * blocks);
    for (unsigned all = 0; all < threads * blocks; ++all) {
        for (unsigned k = 0; k < 1u << s->at.n; ++k) {
            unsigned at = cluster_address_of(s, p, t, all, k, all / threads);
            CHECK(!own_warp || writer[at] == all / t->lanes);
            after[(all << s->bits) + (pass << s->at.n | k)] = memory[at];
        }
    }
}

TEST_FN unsigned odd(unsigned x) {
    unsigned parity = 0;
    for (; x; x >>= 1) {
        parity ^= x & 1u;
    }
    return parity;
}

/* Returns the lane that lane l reads in one hop (ISA references of CDNA3 and
 * RDNA3, on DPP, v_permlane16, v_permlane64 and ds_swizzle). */
TEST_FN unsigned hop_lane(unsigned hop, unsigned long long control,
                         unsigned l) {
    const unsigned imm = (unsigned)control;
    const unsigned quad[4] = {imm & 3u, imm >> 2 & 3u, imm >> 4 & 3u,
                              imm >> 6 & 3u};
    const unsigned in_row = (unsigned)(control >> 4u * (l % 16u)) % 16u;
    switch (hop) {
    case LL_HOP_QUAD: return l / 4u * 4u + quad[l % 4u];
    case LL_HOP_XOR: return l ^ imm;
    case LL_HOP_ROW: return l / 16u * 16u + in_row;
    case LL_HOP_ROWX: return (l / 16u ^ 1u) * 16u + in_row;
    case LL_HOP_HALF: return (l + 32u) % 64u;
    case LL_HOP_SWAP: CHECK(imm == 16u || imm == 32u); return l ^ imm;
    case LL_HOP_32:
        return l / 32u * 32u +
               (((l % 32u & imm % 32u) | imm / 32u % 32u) ^ imm / 1024u);
    default: CHECK(hop == 0); return l;
    }
}

/* Returns 1 if the target has the hop with that control. */
TEST_FN int has_hop(const ll_target *t, unsigned hop,
                   unsigned long long control) {
    return (t->hops >> hop & 1u) &&
           (hop == LL_HOP_QUAD  ? control < 256u
            : hop == LL_HOP_XOR ? control < 16u &&
                                      (t->hops >> (16u + control) & 1u)
            : hop == LL_HOP_32   ? control < 32768u
            : hop == LL_HOP_SWAP ? t->swaps >> 4 << 4 & control
                                : hop < LL_MAX_HOPS);
}

/* Returns the lane whose word reaches lane l through all hops: the lane of the
 * first hop, taken at the lane of the second one. */
TEST_FN unsigned hops_lane(const ll_hops *h, const ll_target *t, unsigned l) {
    CHECK(h->n <= 2u);
    for (unsigned k = h->n; k-- > 0;) {
        CHECK(has_hop(t, h->hop[k], h->control[k]));
        l = hop_lane(h->hop[k], h->control[k], l);
    }
    return l;
}

/* Returns a target whose shuffles are so dear that near hops are cheaper. */
LL_FN ll_target with_dear_shuffles(ll_target t) {
    t.cost[LL_COST_SHUFFLE] *= 64u;
    return t;
}

/* Returns the hops of a position of a shuffle, which may use some of those of
 * the target. LL_HOP_ANY stands for the lane map of the step. */
TEST_FN ll_hops hops_at(const ll_step *s, const ll_target *t, unsigned p) {
    ll_hops h = LL_ZERO;
    h.hop[0] = LL_HOP_ANY;
    h.n = 1;
    CHECK((s->hops & ~t->hops) == 0);
    CHECK(s->op != LL_OP_SHUFFLE || !s->hops == !t->hops);
    return s->op == LL_OP_SHUFFLE && s->hops
               ? ll_hops_of(s->thread, ll_places(&s->at, p), s->hops, t->lanes)
               : h;
}

/* Lists what a rename or a select adds to the position in each thread, and the
 * lane that a thread of a shuffle names at place 0. */
TEST_FN void list_sources(const ll_step *s, unsigned threads) {
    for (unsigned thread = 0; thread < threads; ++thread) {
        unsigned at = 0;
        if (s->op == LL_OP_SELECT) {
            for (unsigned k = s->at.n; k-- > 0;) {
                at ^= odd(thread & s->at.place[k]) ? s->at.reg[k] : 0u;
            }
        } else if (s->op == LL_OP_SHUFFLE) {
            at = ll_map_at(s->thread, thread);
        } else if (s->op == LL_OP_RENAME) { /* of another position in some */
            at = odd(thread & s->flip) ? s->flip_by : 0u;
        }
        by_thread[thread] = at;
    }
}

/* Sets what each thread holds at position p after a rename, a select or a
 * shuffle, whose sources are listed. A select and a shuffle keep the elements
 * of a word together. */
TEST_FN void fetch(const ll_step *s, const ll_target *t, const ll_hops *h,
                   unsigned threads, unsigned p) {
    const unsigned reg = s->op == LL_OP_SELECT ? p : ll_registers(&s->at, p);
    const unsigned place = ll_places(&s->at, p);
    const int shuffles = s->op == LL_OP_SHUFFLE;
    const int hops = shuffles && (h->n == 0 || h->hop[0] != LL_HOP_ANY);
    unsigned lane_of[MAX_LANES] = LL_ZERO;
    for (unsigned l = 0; hops && l < t->lanes; ++l) {
        lane_of[l] = hops_lane(h, t, l);
    }
    for (unsigned thread = 0; thread < threads; ++thread) {
        const unsigned first = thread & ~(t->lanes - 1u);
        const unsigned lane = hops ? lane_of[thread - first]
                                   : by_thread[thread] ^ place;
        const unsigned at = shuffles ? reg : reg ^ by_thread[thread];
        CHECK(!shuffles || lane < t->lanes);
        CHECK(s->op == LL_OP_RENAME || (at ^ p) % (1u << s->pack) == 0);
        CHECK(at < 1u << before_bits);
        after[(thread << s->bits) + p] =
            held_before(shuffles ? first | lane : thread, at);
    }
}

/* Runs a swap as the instructions do it: v_permlane16_swap and
 * v_permlane32_swap exchange the odd rows or halves of one register with the
 * even ones of another. The two registers are positions that differ in the
 * highest bit. */
TEST_FN void run_swap(const ll_step *s, const ll_target *t, unsigned threads,
                      unsigned parts) {
    const unsigned half = (1u << s->bits) / 2u;
    const unsigned bit = s->at.place[s->at.n - 1u];
    CHECK(s->at.n == s->bits && s->bits > s->pack);
    CHECK((t->swaps & bit) && (bit & (bit - 1u)) == 0);
    CHECK(s->count == (half >> s->pack) * parts);
    for (unsigned k = 0; k < s->bits; ++k) {
        const unsigned whole = 1u << s->pack;
        CHECK(k < s->pack ? s->at.reg[k] == 1u << k
                          : s->at.reg[k] % whole == 0);
        CHECK(k + 1u == s->bits || s->at.place[k] == 0);
    }
    for (unsigned thread = 0; thread < threads; ++thread) {
        for (unsigned k = 0; k < 2u * half; ++k) {
            after[(thread << s->bits) + k] =
                held_before(thread, ll_registers(&s->at, k));
        }
    }
    for (unsigned thread = 0; thread < threads; ++thread) {
        for (unsigned k = 0; (thread & bit) && k < half; ++k) {
            unsigned *odd_row = &after[(thread << s->bits) + k];
            unsigned *even_row =
                &after[((thread - bit) << s->bits) + k + half];
            const unsigned x = *odd_row;
            *odd_row = *even_row;
            *even_row = x;
        }
    }
}

/* Runs a rename, a select or a shuffle. An element has `parts` words, at least
 * one. */
TEST_FN void run_exchange(const ll_step *s, const ll_target *t,
                         unsigned threads, unsigned parts) {
    unsigned near = 0;
    unsigned logic = 0;
    unsigned named[MAX_LANES] = LL_ZERO; /* lanes that words come from */
    list_sources(s, threads);
    for (unsigned k = 0; k < 1u << s->bits; ++k) {
        const ll_hops h = hops_at(s, t, k);
        fetch(s, t, &h, threads, k);
        near += h.n && h.hop[0] && h.hop[h.n - 1u] != LL_HOP_32;
        for (unsigned m = 0; m < h.n; ++m) {
            logic += h.hop[m] == LL_HOP_32 || h.hop[m] == LL_HOP_ANY ? 0u
                     : h.hop[m] == LL_HOP_SWAP                       ? 3u
                                                                     : 1u;
        }
        if (s->op == LL_OP_SHUFFLE && h.n && h.hop[0] == LL_HOP_ANY) {
            named[ll_places(&s->at, k)] = 1;
        }
    }
    if (s->op == LL_OP_SHUFFLE && s->hops) {
        CHECK(s->near == (near >> s->pack) * parts);
        unsigned names = 0;
        for (unsigned l = 0; l < MAX_LANES; ++l) {
            names += named[l];
        }
        CHECK(s->logic == (logic >> s->pack) * parts + names);
        CHECK(s->near <= s->count);
    }
}

/* Checks that wavefronts, width and least of a step are what its addresses
 * give. */
TEST_FN void check_step(const ll_plan *p, const ll_step *s,
                       const ll_target *t) {
    unsigned address[MAX_LANES];
    unsigned phase[MAX_LANES];
    unsigned op = s->op == LL_OP_LOAD ? LL_READ : LL_WRITE;
    for (unsigned lane = 0; lane < t->lanes; ++lane) {
        address[lane] = ll_map_at(s->thread, lane);
    }
    if (s->form != LL_FORM_VECTOR && t->lanes == 64u) { /* rows of 8 bytes */
        CHECK(s->bytes == 8u && op == LL_READ);
        CHECK(s->wavefronts == served(address, 8, op, t));
        CHECK(s->least == t->lanes / phase_of_zero(address, 8, op, t, phase));
        return;
    }
    if (s->form != LL_FORM_VECTOR) { /* each matrix's rows are a phase */
        const unsigned n = s->bytes / 4u;
        for (unsigned lane = 8u * n; lane < 32u; ++lane) {
            address[lane] = address[lane % 8u];
        }
        CHECK(s->wavefronts == served(address, 16, LL_WRITE, t) * n / 4u);
        CHECK(s->least == n);
        return;
    }
    CHECK(s->bytes == (p->element_bits / 8u) << s->at.vector);
    CHECK(s->wavefronts == served(address, s->bytes, op, t));
    CHECK(s->least ==
          t->lanes / phase_of_zero(address, s->bytes, op, t, phase));
}

/* Runs the passes through memory, steps 1 to 3 of a plan. */
TEST_FN void run_passes(const ll_plan *p, const ll_target *t,
                        unsigned threads, unsigned blocks) {
    const ll_step *store = &p->step[1];
    const ll_step *load = &p->step[3];
    const int own_warp = p->step[2].op == LL_OP_SYNC_WARP;
    CHECK(own_warp || p->step[2].op == (p->blocks ? LL_OP_SYNC_CLUSTER
                                                  : LL_OP_SYNC_BLOCK));
    CHECK(p->step[2].count == (2u << p->passes) - (p->blocks ? 0u : 1u));
    CHECK(!store->dsmem && (p->blocks != 0) == (load->dsmem != 0));
    CHECK(store->bits == store->at.n + p->passes);
    CHECK(load->bits == load->at.n + p->passes);
    check_step(p, store, t);
    check_step(p, load, t);
    ++forms[store->form];
    ++forms[load->form];
    for (unsigned pass = 0; pass < 1u << p->passes; ++pass) {
        run_store(p, store, t, threads, blocks, pass);
        run_load(p, load, t, threads, blocks, own_warp, pass);
    }
}

/* Runs a plan of blocks of `threads` threads on `before`, block by block, and
 * leaves the result in `after`. Several blocks form a cluster. */
TEST_FN void run_plan(const ll_plan *p, const ll_target *t, unsigned threads,
                      unsigned blocks) {
    const unsigned all = threads * blocks;
    before_bits = p->from_bits;
    memcpy(after, before, (size_t)all << before_bits << 2);
    CHECK(p->n || p->from_bits == p->to_bits);
    CHECK(p->n || p->kind == (p->before || p->after ? LL_REGISTERS
                                                    : LL_NOTHING));
    CHECK(p->kind < LL_SHARED || p->n == 5u);
    CHECK(p->rank == (p->kind == LL_CLUSTER ? ll_log2_(threads) : 0u));
    for (unsigned k = 0; k < p->n; ++k) {
        const ll_step *s = &p->step[k];
        if (s->op == LL_OP_SWAP) {
            run_swap(s, t, all, (p->element_bits + 31u) / 32u);
        } else if (s->op == LL_OP_STORE) {
            run_passes(p, t, threads, blocks);
            k += 2u;
        } else {
            run_exchange(s, t, all, (p->element_bits + 31u) / 32u);
        }
        before_bits = p->step[k].bits;
        memcpy(before, after, (size_t)all << before_bits << 2);
    }
}

/* ---- Random pairs -------------------------------------------------------- */

typedef struct random_pair {
    unsigned tensor, blocks; /* bits of the tensor in a block; block bits */
    ll_shape out;
    ll_layout a, b;
} random_pair;

/* Returns a random distributed layout of the case's tensor. */
TEST_FN ll_layout random_side(const random_pair *c, unsigned lanes,
                             unsigned max_warps, unsigned max_regs) {
    unsigned warps = test_random(max_warps + 1u);
    unsigned least = c->tensor > lanes + warps ? c->tensor - lanes - warps : 0;
    unsigned regs = least + test_random(3);
    regs = regs > max_regs ? least : regs;
    unsigned n = regs + lanes + warps;
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1u << warps);
    in = c->blocks ? ll_with(in, LL_BLOCK, 1u << c->blocks) : in;
    ll_layout a = ll_zero(in, c->out);
    for (unsigned bit = 0; bit < c->tensor && bit < n; ++bit) {
        unsigned k = test_random(n);
        while (a.basis[k]) {
            k = (k + 1u) % n;
        }
        a.basis[k] = 1u << bit;
    }
    for (unsigned k = 0; k < c->blocks; ++k) {
        a.basis[n + k] = 1u << (c->tensor + k);
    }
    return a;
}

/* Returns a random pair of layouts. The kind says which sides are renamed: 1 is
 * a, 2 is b, 3 is both by the same matrix. */
TEST_FN random_pair random_conversion(unsigned lanes, unsigned tensor,
                                     unsigned max_regs, unsigned kind) {
    unsigned max_warps = 3;
    random_pair c = LL_ZERO;
    unsigned basis[32];
    c.tensor = tensor;
    c.blocks = test_random(5) == 0;
    unsigned all = c.tensor + c.blocks;
    unsigned fast = test_random(all + 1u);
    c.out = ll_with(ll_with(ll_shape_of(""), LL_J, 1u << fast), LL_I,
                    1u << (all - fast));
    c.a = random_side(&c, lanes, max_warps, max_regs);
    c.b = random_side(&c, lanes, max_warps, max_regs);
    random_basis(basis, c.tensor, c.tensor);
    if (kind & 1u) {
        twist(&c.a, basis, c.tensor);
    }
    if (kind & 2u) {
        twist(&c.b, basis, c.tensor);
    }
    return c;
}

/* Sets the elements of layout a in the 2^regs registers of each of n threads,
 * counted from the first one of the block: that of register 0 of the
 * first thread of a block, plus the columns of registers and threads. */
TEST_FN void elements_of(unsigned *element, const ll_layout *a, unsigned n,
                         unsigned regs, unsigned threads, unsigned lanes,
                         unsigned block) {
    const unsigned last = (1u << held_bits(&a->in, LL_BLOCK)) - 1u;
    for (; n; n -= threads, ++block, element += threads << regs) {
        element[0] = value(a, packed(&a->in, 0, 0, lanes, block & last));
        for (unsigned bit = 0; 1u << bit < threads << regs; ++bit) {
            const unsigned reg = bit < regs ? 1u << bit : 0u;
            const unsigned thread = reg ? 0u : 1u << (bit - regs);
            const unsigned column =
                value(a, packed(&a->in, reg, thread, lanes, 0)) ^ a->offset;
            for (unsigned m = 0; m < 1u << bit; ++m) {
                element[m | 1u << bit] = element[m] ^ column;
            }
        }
    }
}

/* Runs the plan on `together` blocks, from one block on, and compares what
 * their lanes hold with the definition. */
TEST_FN void check_blocks(const random_pair *c, const ll_target *t,
                          const ll_plan *p, unsigned threads, unsigned block,
                          unsigned together) {
    elements_of(before, &c->a, threads * together, p->from_bits, threads,
                t->lanes, block);
    run_plan(p, t, threads, together);
    elements_of(before, &c->b, threads * together, p->to_bits, threads,
                t->lanes, block);
    for (unsigned k = 0; k < threads * together << p->to_bits; ++k) {
        CHECK(after[k] == before[k]);
    }
}

/* Compares what the lanes hold after the plan with the definition. */
TEST_FN void check_the_plan(const random_pair *c, unsigned element_bits,
                            const ll_target *t, unsigned kind, ll_plan p) {
    /* A block has as many warps as the larger side. Warps that the other side
     * does not have hold copies. */
    const unsigned from = t->lanes << held_bits(&c->a.in, LL_WARP);
    unsigned to = t->lanes << held_bits(&c->b.in, LL_WARP);
    const unsigned blocks = 1u << c->blocks;
    const unsigned together = p.kind == LL_CLUSTER ? blocks : 1u;
    to = from > to ? from : to;
    if (kind == LL_SHUFFLES && p.err == LL_EKIND) {
        return;
    }
    CHECK(p.err == LL_OK && p.element_bits == element_bits);
    CHECK(p.from_bits == held_bits(&c->a.in, LL_REGISTER));
    CHECK(p.to_bits == held_bits(&c->b.in, LL_REGISTER));
    for (unsigned block = 0; !p.err && block < blocks; block += together) {
        check_blocks(c, t, &p, to, block, together);
    }
}

/* Checks the plan of a kind, and returns the kind that was chosen. */
TEST_FN unsigned check_plan(const random_pair *c, unsigned element_bits,
                            const ll_target *t, unsigned kind) {
    const ll_plan p = ll_plan_by(c->a, c->b, element_bits, *t, kind);
    check_the_plan(c, element_bits, t, kind, p);
    return p.kind;
}

TEST_FN random_pair random_small(const ll_target *t) {
    unsigned lanes = ll_log2_(t->lanes);
    unsigned tensor = 1u + test_random(lanes + 4u);
    random_pair c = random_conversion(lanes, tensor, 6, test_random(4));
    if (c.blocks == 0 && test_random(4) == 0) {
        c.a.offset = test_random(1u << tensor);
        c.b.offset = test_random(1u << tensor);
    }
    if (c.blocks && test_random(2)) {
        c.a.offset = 1u << tensor; /* both layouts exchange the blocks */
        c.b.offset = 1u << tensor;
    }
    if (test_random(4) == 0) {
        c.b = c.a; /* the plan is registers or nothing */
        for (unsigned k = 0; k < c.b.in.bits[0]; ++k) {
            unsigned m = test_random(c.b.in.bits[0]);
            unsigned y = c.b.basis[k];
            c.b.basis[k] = c.b.basis[m];
            c.b.basis[m] = y;
        }
    }
    return c;
}

#endif
