/* test_reduce.c - reductions, executed on sets of elements.
 * SPDX-License-Identifier: MIT
 */
#include "machines.h"
#include "reduce.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* The first n elements and no other. */
static int is_whole(element_set s, unsigned n) {
    return s.half[0] == (n < 64u ? (1ull << n) - 1u : ~0ull) &&
           s.half[1] == (n > 64u ? ~0ull >> (128u - n) : 0u);
}

/* ---- Reductions, executed ----------------------------------------------- */

/* Split round k: each lane goes on with half of its 2^n values. */
static void cut_round(const ll_tree *tree, unsigned k, unsigned n,
                      unsigned threads) {
    const unsigned half = 1u << (n - 1u);
    for (unsigned t = 0; t < threads; ++t) {
        const int upper = !tree->with[k] && t & low_bit(tree->lane[k]);
        for (unsigned p = 0; p < half; ++p) {
            const unsigned mine = upper ? p + half : p;
            then[t * half + p] = combined(
                now[(t << n) + mine],
                now[((t ^ tree->lane[k]) << n) + (mine ^ tree->with[k])]);
        }
    }
    memcpy(now, then, sizeof *now * threads * half);
}

/* Back from split round k: each lane fetches what the other one kept. */
static void fetch_round(const ll_tree *tree, unsigned k, unsigned n,
                        unsigned threads) {
    const unsigned half = 1u << (n - 1u);
    for (unsigned t = 0; t < threads; ++t) {
        const int upper = !tree->with[k] && t & low_bit(tree->lane[k]);
        for (unsigned p = 0; p < half; ++p) {
            then[(t << n) + p + (upper ? half : 0u)] = now[t * half + p];
            then[(t << n) + p + (upper ? 0u : half)] =
                now[(t ^ tree->lane[k]) * half +
                    (p ^ (tree->with[k] & (half - 1u)))];
        }
    }
    memcpy(now, then, sizeof *now * threads << n);
}

/* Runs a tree on `now`, of 2^bits registers a thread. */
static void grow(const ll_tree *tree, unsigned bits, unsigned lanes,
                 unsigned threads) {
    unsigned n = tree->n;
    for (unsigned t = 0; t < threads; ++t) {
        part v[1 << 10];
        for (unsigned p = 0; p < 1u << (n + tree->own); ++p) {
            v[p] =
                now[(t << bits) + ll_vectors_xor_(tree->reg, n + tree->own, p)];
        }
        for (unsigned half = n + tree->own; half-- > n;) {
            for (unsigned p = 0; p < 1u << half; ++p) {
                v[p] = combined(v[p], v[p + (1u << half)]);
            }
        }
        memcpy(then + ((size_t)t << n), v, sizeof *v << n);
    }
    memcpy(now, then, sizeof *now * threads << n);
    CHECK(tree->split <= tree->lanes && tree->split <= n);
    for (unsigned k = 0; k < tree->lanes; ++k) {
        CHECK(tree->lane[k] && tree->lane[k] < lanes);
        if (k < tree->split) {
            cut_round(tree, k, n--, threads);
            continue;
        }
        CHECK(tree->with[k] >> n == 0);
        for (unsigned m = 0; m < threads << n; ++m) {
            const unsigned other =
                m ^ (tree->lane[k] << n) ^ tree->with[k];
            then[m] = combined(now[m], now[other]);
        }
        memcpy(now, then, sizeof *now * threads << n);
    }
    for (unsigned k = tree->split; k-- > 0 && !tree->alone;) {
        fetch_round(tree, k, ++n, threads);
    }
}

/* Every register of the result has its line, whole, in the same tree. */
static void check_results(const ll_reduce_plan *p, const ll_layout *a,
                          unsigned k, unsigned size, unsigned bits,
                          unsigned threads, unsigned block) {
    static unsigned long long tree[1 << 16];
    const ll_layout r = ll_reduce(*a, k);
    memset(tree, 0, sizeof tree);
    CHECK(p->to_bits == bits_of(&r, LL_REGISTER));
    for (unsigned m = 0; m < threads << p->to_bits; ++m) {
        const unsigned reg = m & ((1u << p->to_bits) - 1u);
        const unsigned t = m >> p->to_bits;
        const part v =
            now[(t << bits) + ll_vectors_xor_(p->reg, p->to_bits, reg)];
        const unsigned line = ll_apply(
            r, place(&r, reg, t % p->threads, block + t / p->threads));
        CHECK(is_whole(v.set, 1u << size));
        CHECK(v.line == line);
        CHECK(has_the_numbers(&v, line, 1u << size, size));
        CHECK(tree[line % 65536u] == 0 || tree[line % 65536u] == v.tree);
        tree[line % 65536u] = v.tree;
    }
}

/* Runs the part of a reduction that is within blocks. Returns log2 of the
 * positions that are left of a thread. */
static unsigned reduce_here(const ll_reduce_plan *p, unsigned lanes,
                            unsigned each, unsigned blocks) {
    unsigned bits = p->first.n;
    CHECK(p->first.alone == (p->crosses != 0) && !p->second.alone);
    grow(&p->first, p->from_bits, lanes, each * blocks);
    if (p->crosses) {
        bits -= p->first.split;
        CHECK(p->between.from_bits == bits);
        convert(&p->between, each, p->between.kind == LL_CLUSTER ? blocks : 1u,
                blocks);
        bits = p->second.n;
        grow(&p->second, p->between.to_bits, lanes, each * blocks);
    }
    return bits;
}

/* The results of registers in the place of positions. */
static void hand_out(const ll_reduce_plan *p, unsigned bits, unsigned threads) {
    for (unsigned m = 0; m < threads << p->to_bits; ++m) {
        const unsigned r = m & ((1u << p->to_bits) - 1u);
        then[m] = now[(m >> p->to_bits << bits) +
                      ll_vectors_xor_(p->reg, p->to_bits, r)];
    }
    memcpy(now, then, sizeof *now * threads << p->to_bits);
}

static unsigned clusters, at_once; /* reductions across blocks that were run */

static void check_reduction(const ll_layout *a, unsigned k,
                            unsigned element_bits, const ll_target *t) {
    const ll_reduce_plan p = ll_reduce_of(*a, k, element_bits, *t);
    on = *t;
    const unsigned at = a->out.n - 1u - k;
    const unsigned low = ll_shape_start_(&a->out, at);
    const unsigned size = a->out.bits[at];
    const unsigned threads = t->lanes * ll_size(a->in, LL_WARP);
    const unsigned blocks = ll_size(a->in, LL_BLOCK);
    CHECK(p.err == LL_OK && p.from_bits == bits_of(a, LL_REGISTER));
    CHECK(p.reaches || p.smem_bytes == (p.crosses ? p.between.smem_bytes : 0u));
    CHECK(p.threads == threads);
    const int direct = p.crosses && p.between.kind == LL_CLUSTER;
    const unsigned together = direct || p.reaches ? blocks : 1u;
    const unsigned all = threads * together;
    clusters += together > 1u ? 1u : 0u;
    at_once += direct ? 1u : 0u;
    for (unsigned block = 0; block < blocks; block += together) {
        begin(a, low, size, all, block);
        unsigned bits = reduce_here(&p, t->lanes, threads, together);
        if (p.reaches) {
            const ll_plan far = ll_plan_of(p.far, p.near, p.element_bits, *t);
            const ll_reduce_plan near =
                ll_reduce_of(p.near, p.axis, p.element_bits, *t);
            CHECK(far.err == LL_OK && near.err == LL_OK && !near.reaches);
            CHECK(far.from_bits == bits && near.to_bits == bits);
            CHECK(p.smem_bytes == p.near_at + near.smem_bytes);
            CHECK(p.near_at >= p.far_at + far.smem_bytes);
            CHECK(p.far_at >= (p.crosses ? p.between.smem_bytes : 0u));
            convert(&far, threads, together, together);
            bits = reduce_here(&near, t->lanes, threads, together);
            hand_out(&near, bits, all);
            bits = near.to_bits;
        }
        check_results(&p, a, k, size, bits, all, block);
    }
}

/* ---- Random layouts ------------------------------------------------------ */

static void reductions_of_random_layouts_combine_each_element_once(void) {
    const ll_target nvidia = LL_SM90;
    const ll_target old = ll_ptx_target(75);
    const ll_target amd = ll_amd_target(0x942, 64);
    check_random(6000, &nvidia, check_reduction);
    check_random(1000, &old, check_reduction);
    check_random(1000, &amd, check_reduction);
}

/* Along the axis that is spread over the blocks. */
static void reductions_cross_the_blocks_of_a_cluster(void) {
    const ll_target t = LL_SM90;
    clusters = at_once = 0;
    for (unsigned c = 0; c < times(1000); ++c) {
        const ll_layout a = random_layout(5, c % KINDS | BLOCKS, 0);
        const unsigned k = a.out.n - 1u;
        const unsigned threads = 32u * ll_size(a.in, LL_WARP);
        const unsigned places = threads << bits_of(&a, LL_REGISTER);
        if (places * ll_size(a.in, LL_BLOCK) <= MAX_PARTS / 8u) {
            check_reduction(&a, k, 8u << test_random(5), &t);
        }
    }
    printf("%u reductions across blocks, %u of them at once\n", clusters,
           at_once);
    COVERS(clusters > 200u && at_once > 5u);
}

/* ---- Across blocks ------------------------------------------------------- */

/* What a block fetches has the axis in warps that hold copies, then in such
 * lanes, then in new registers. Its memory begins at a multiple of 16 bytes
 * behind that of the block's own part. */
static void check_fetch(const ll_reduce_plan *p, const ll_layout *layout,
                        const ll_target *t) {
    ll_span_ axis = LL_ZERO;
    ll_layout left = LL_ZERO;
    const ll_layout a =
        ll_layout_reducible_(*layout, p->axis, p->element_bits, t, &axis);
    const ll_span_ here = ll_axis_part_here_(&a, &axis);
    const ll_reduce_plan own =
        ll_reduce_here_(&a, &axis, &here, p->element_bits, t, &left);
    const ll_plan far = ll_plan_of(p->far, p->near, p->element_bits, *t);
    const ll_reduce_plan near =
        ll_reduce_of(p->near, p->axis, p->element_bits, *t);
    CHECK(here.n < axis.n && axis.n - here.n == p->reaches);
    CHECK(p->cycles == own.cycles + far.cycles + near.cycles);
    CHECK(p->far_at == (own.smem_bytes + 15u) / 16u * 16u);
    CHECK(p->near_at == p->far_at + (far.smem_bytes + 15u) / 16u * 16u);
    const unsigned low = ll_shape_start_(&p->far.out, ll_axis_at_(&p->far.out,
                                                                  p->axis));
    const unsigned mask = ((1u << p->reaches) - 1u) << low;
    const unsigned regs = p->far.in.bits[0], lanes = p->far.in.bits[1];
    const unsigned warps = p->far.in.bits[2], n = bits_in(&p->far.in);
    CHECK(p->far.offset == ll_bits_close_(a.offset, ll_span_or_(&here)));
    unsigned want[LL_MAX_BITS] = LL_ZERO, next = low;
    for (unsigned k = 0; k < n; ++k) {
        want[k] = p->far.basis[k] & ~mask;
    }
    for (unsigned k = 0; k < lanes + warps && next < low + p->reaches; ++k) {
        const unsigned at = regs + (k < warps ? lanes + k : k - warps);
        want[at] = want[at] ? want[at] : 1u << next++;
    }
    const unsigned more = low + p->reaches - next;
    CHECK(p->near.in.bits[0] == regs + more);
    CHECK(bits_in(&p->near.in) == n + more);
    for (unsigned k = 0; k < n + more; ++k) {
        CHECK(p->near.basis[k] == (k < regs          ? want[k]
                                   : k < regs + more ? 1u << (next + k - regs)
                                                     : want[k - more]));
    }
}

/* Warps and lanes of copies, and axes longer than what one access fetches. */
static void blocks_fetch_by_warps_and_lanes_of_copies(void) {
    const ll_target t = LL_SM90;
    unsigned found = 0, filled = 0, added = 0;
    for (unsigned c = 0; c < 40u; ++c) {
        const unsigned regs = test_random(3), warps = test_random(4);
        const unsigned blocks = 1u + test_random(3), n = regs + 5u + warps;
        ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
        in = ll_with(ll_with(in, LL_LANE, 32), LL_WARP, 1u << warps);
        in = ll_with(in, LL_BLOCK, 1u << blocks);
        const unsigned inside = test_random(3);
        const unsigned other = c % 4u ? test_random(n - 2u) : n - inside;
        const unsigned bits = inside + blocks;
        ll_layout a = ll_zero(in, ll_with(ll_with(ll_shape_of(""), LL_J,
                                                  1u << other),
                                          LL_I, 1u << bits));
        for (unsigned k = 0; k < other + inside; ++k) {
            unsigned to = test_random(n);
            while (a.basis[to]) {
                to = (to + 1u) % n;
            }
            a.basis[to] = 1u << k;
        }
        for (unsigned k = 0; k < blocks; ++k) {
            a.basis[n + k] = 1u << (other + inside + k);
            const unsigned to = c % 3u ? n : test_random(n);
            a.basis[to] ^= to < n && a.basis[to] >> other == 0 && a.basis[to]
                               ? a.basis[n + k]
                               : 0u;
        }
        a.offset = c % 2u ? test_random(1u << (other + bits)) : 0u;
        const unsigned width = 32u << test_random(3);
        const ll_reduce_plan p = ll_reduce_of(a, LL_I, width, t);
        CHECK(p.err == LL_OK);
        check_reduction(&a, 0, width, &t);
        if (p.reaches) {
            check_fetch(&p, &a, &t);
            ++found;
            filled += p.near.in.bits[0] == p.far.in.bits[0];
            added += p.near.in.bits[0] > p.far.in.bits[0];
        }
    }
    printf("%u blocks fetch parts, %u of them by copies alone\n", found,
           filled);
    COVERS(found > 10u && filled > 3u && added > 3u);
}

/* ---- Layouts of practice ------------------------------------------------- */

/* A row of bench/results/reductions.md: all reductions, the correct ones, and
 * the shared-memory accesses in a lane's program. `lanes`: stores of all lanes.
 * all_lanes: the same if every thread stored each register that it holds. */
typedef struct account {
    unsigned reductions, passed, instructions, lanes, all_lanes;
} account;

static void add(account *sum, ll_layout a, unsigned k) {
    const ll_target t = LL_SM90;
    const unsigned failed = test.here;
    const ll_reduce_plan p = ll_reduce_of(a, k, 32, t);
    const unsigned threads = 32u * ll_size(a.in, LL_WARP);
    CHECK(a.err == LL_OK);
    check_reduction(&a, k, 32, &t);
    ++sum->reductions;
    sum->passed += test.here == failed;
    if (p.crosses) {
        const ll_step *s = &p.between.step[1];
        const unsigned spare = ll_popcount_(s->at.spare);
        sum->instructions += s->count + p.between.step[3].count;
        sum->lanes += threads >> spare << s->at.n;
        sum->all_lanes += threads << (p.from_bits - p.first.own);
    }
}

/* Both axes of a matrix, and what is left after each: a slice. */
static void add_all(account *whole, account *slice, ll_layout a) {
    for (unsigned k = 0; k < 2u; ++k) {
        add(whole, a, k);
        if (slice) {
            add(slice, ll_reduce(a, k), 0);
        }
    }
}

/* The paper's instructions, and those of Triton before it (0: it failed). */
static void print(const char *family, account sum, unsigned paper,
                  unsigned triton) {
    printf("| %s | %u | %u | %u | %u | ", family, sum.reductions, sum.passed,
           sum.instructions, paper);
    triton ? printf("%u |\n", triton) : printf("|\n");
    CHECK(sum.passed == sum.reductions && sum.lanes < sum.all_lanes);
    CHECK(sum.instructions < paper);
}

static ll_shape matrix_of(unsigned rows, unsigned cols) {
    return ll_with(ll_with(ll_shape_of(""), LL_J, cols), LL_I, rows);
}

static ll_layout custom(unsigned rows, unsigned cols) {
    ll_layout a = ll_rows(rows, cols, 4);
    a = ll_mul(a, ll_zeros(2, LL_REGISTER, LL_J, 1));
    a = ll_resize_in(a, LL_WARP, 2u * ll_size(a.in, LL_WARP));
    return ll_flip(a, LL_I, rows / 2u);
}

/* The shapes of the paper, section 6.1, "Broadcasting". Blocks of 1x4 and 4x1
 * elements; accumulators of mma and wgmma, slices of the former alone. */
static void reductions_of_the_families_store_no_copies(void) {
    const unsigned shape[][2] = {{128, 16}, {128, 128}, {32, 128}, {32, 32},
                                 {16, 16}};
    account sum[7] = LL_ZERO;
    for (unsigned n = 0; n < 5u; ++n) {
        const unsigned r = shape[n][0];
        const unsigned c = shape[n][1];
        const ll_shape s = matrix_of(r, c);
        add_all(&sum[0], &sum[3],
                ll_blocked(s, matrix_of(1, 4), matrix_of(8, 4),
                           matrix_of(4, 1)));
        add_all(&sum[0], &sum[3],
                ll_blocked(s, matrix_of(4, 1), matrix_of(4, 8),
                           matrix_of(1, 4)));
        add_all(&sum[1], &sum[4], ll_ptx_mma_c(r, c, 4));
        add_all(&sum[1], NULL,
                ll_tiled(ll_ptx_wgmma_d(64, 16, 4), s, ll_shape_of("")));
        add_all(&sum[2], &sum[5], ll_ptx_mma_a(r, c, 16, 4));
        add_all(&sum[6], NULL, custom(r, c));
    }
    print("blocked", sum[0], 1388, 5888);
    print("mma", sum[1], 3517, 5914);
    print("mma input", sum[2], 5884, 0);
    print("sliced blocked", sum[3], 4687, 6703);
    print("sliced mma", sum[4], 320, 0);
    print("sliced mma input", sum[5], 545, 0);
    print("custom", sum[6], 913, 0);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(reductions_of_random_layouts_combine_each_element_once);
    RUN(reductions_cross_the_blocks_of_a_cluster);
    RUN(blocks_fetch_by_warps_and_lanes_of_copies);
    RUN(reductions_of_the_families_store_no_copies);
    return test_end();
}
