/* ---- Plans through memory --------------------------------------------- */
#ifndef LL_PLAN_MEMORY_H
#define LL_PLAN_MEMORY_H

#include "../layout/families.h"
#include "tiles.h"
#include "passes.h"
#include "choose.h"
#include "hops.h"
#include "costs.h"

/* Plans that store to shared memory and load from it. Variants keep pieces of
 * rows whole, over-read, or reduce byte permutes. */

/* Private: appends an offset bit with column y to memory m. */
LL_FN void ll_more_memory_(ll_layout *m, unsigned y) {
    m->basis[m->in.bits[0]] = y;
    ++m->in.bits[0];
}

/* Private: returns the cheapest memory for the exchange from a to b, which have
 * registers, lanes and warps. If the data stays in its warp (`own`), each warp
 * has its own part of the memory, in the order of the warps. The next plan may
 * then start as soon as the warp is ready. If a warp bit has different columns
 * in a and b, the part of a warp sees only the difference. */
LL_FN ll_best_memory_ ll_memory_(ll_layout a, ll_layout b, int own,
                                 unsigned scale, const ll_target *t) {
    const unsigned all = ll_shape_bits_(&a.in);
    const unsigned start = own ? ll_shape_start_(&a.in, 2) : all;
    const ll_span_ warps = ll_span_of_columns_(&a, start, all);
    for (unsigned k = 0; k < warps.n; ++k) {
        b.basis[ll_shape_start_(&b.in, 2) + k] ^= warps.v[k];
    }
    a.in.n -= own ? 1u : 0u;
    ll_best_memory_ best = ll_memory_choose_(&a, &b, scale, t);
    for (unsigned k = 0; k < warps.n; ++k) {
        ll_more_memory_(&best.m, warps.v[k]);
    }
    return best;
}

/* Private: returns the cheapest memory for lanes that load from 2^blocks blocks
 * with identical memory layouts. A place is an offset in a block's memory, with
 * the block number above it. The block is the highest output of b. A block has
 * at least 16 bytes, so no access crosses into the next. */
LL_FN ll_best_memory_ ll_cluster_memory_(ll_layout a, ll_layout b,
                                         unsigned blocks, unsigned scale,
                                         const ll_target *t) {
    const unsigned top = ll_shape_bits_(&a.out) - blocks;
    for (unsigned k = 0; k < ll_shape_bits_(&b.in); ++k) {
        b.basis[k] &= ll_ones_(top);
    }
    ll_best_memory_ best = ll_memory_(a, b, 0, scale, t);
    while (blocks && best.m.in.bits[0] + scale < 4u) {
        ll_more_memory_(&best.m, 0);
    }
    for (unsigned k = 0; k < blocks; ++k) {
        ll_more_memory_(&best.m, 1u << (top + k));
    }
    return best;
}

/* Private: tries a memory that starts with the vectors `low`. Its pieces, each
 * 2^n elements of a row, keep their order wherever they lie. */
LL_FN void ll_try_pieces_(ll_best_memory_ *best, const ll_layout *a,
                          const ll_layout *b, const ll_span_ *low, unsigned n,
                          ll_way_ way, unsigned scale, const ll_target *t) {
    ll_layout m =
        ll_memory_arrange_(a, b, low, ll_way_of_vectors_(n), way, scale, t);
    for (unsigned k = n; k < m.in.bits[0]; ++k) {
        m.basis[k] &= ~ll_ones_(n);
    }
    ll_try_memory_(best, &m, a, b, LL_READ, scale, t);
}

/* Private: returns the cheapest memory between a and b that copies can fill
 * from a row-major tile. Pieces of 4 to 16 bytes stay whole, out of the
 * contiguous elements of a row in a lane of a. A copy moves at most one piece:
 * sets t->store_bytes to the bytes of a piece. */
LL_FN ll_layout ll_memory_of_pieces_(const ll_layout *a, const ll_layout *b,
                                     unsigned scale, ll_target *t) {
    ll_target some = *t;
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    const ll_span_ common = ll_span_intersect_(&rb, &ra);
    const unsigned cols = a->out.bits[0];
    const unsigned widest = ll_widest_access_(scale, t);
    const ll_access at = ll_access_meet_(a, cols < widest ? cols : widest);
    ll_best_memory_ best = LL_ZERO;
    best.cost = ~0ull;
    best.m = ll_layout_none_(LL_EKIND);
    for (unsigned n = at.vector + 1u; n-- > 0 && n + scale >= 2u;) {
        const ll_span_ low = ll_span_units_(0, n);
        const unsigned long long before = best.cost;
        some.store_bytes = 1u << (n + scale);
        ll_try_pieces_(&best, a, b, &low, n,
                       ll_way_of_vectors_(ll_in_span_(&low, &rb)), scale,
                       &some);
        for (unsigned form = LL_FORM_MATRIX; form < LL_MAX_FORMS; ++form) {
            const ll_form code = t->forms[LL_READ][form];
            const ll_span_ row = ll_matrix_row_(b, &common, code, scale, t);
            const ll_way_ way = {form, row.n};
            if (row.n) {
                ll_span_ more = low;
                ll_span_append_(&more, &row, row.n);
                ll_try_pieces_(&best, a, b, &more, n, way, scale, &some);
            }
        }
        t->store_bytes =
            best.cost < before ? some.store_bytes : t->store_bytes;
    }
    return best.m;
}

/* Private: tries the memories with whole pieces, each 2^n elements of a row,
 * that vector or matrix accesses of b read. The elements of a piece are in
 * order, or the elements of a matrix row come first. */
LL_FN void ll_try_whole_(ll_best_memory_ *best, const ll_layout *a,
                         const ll_layout *b, unsigned n, unsigned scale,
                         const ll_target *t) {
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    const ll_span_ units = ll_span_units_(0, n);
    const ll_span_ common = ll_span_intersect_(&rb, &units);
    ll_try_pieces_(best, a, b, &units, n,
                   ll_way_of_vectors_(ll_in_span_(&units, &rb)), scale, t);
    for (unsigned form = LL_FORM_MATRIX; form < LL_MAX_FORMS; ++form) {
        const ll_form code = t->forms[LL_READ][form];
        const ll_span_ row = ll_matrix_row_(b, &common, code, scale, t);
        const ll_way_ way = {form, row.n};
        ll_span_ low = row;
        ll_span_append_(&low, &units, LL_MAX_BITS);
        if (row.n && low.n == n && row.n + scale == ll_form_row_bits_(code)) {
            ll_try_pieces_(best, a, b, &low, n, way, scale, t);
        }
    }
}

/* ll_for_operand(a, element_bits, t): returns the memory layout that feeds an
 * operand of layout a from row-major global memory by pieces of 16 bytes of a
 * row, as cp.async writes and ldmatrix reads them. Neither writing the pieces,
 * with lanes side by side as in ll_rows_for, nor reading registers of a in the
 * cheapest way of the target has bank conflicts. This holds for every operand
 * of both vendors' headers; for other layouts the result is the best of the
 * ll_swizzle layout and of memories with whole pieces.
 *
 * Pieces stay whole where that costs no conflict: always for NVIDIA's operands,
 * in a tensor with one piece per lane of a warp; some pieces of AMD's operands
 * are cut. The bytes of a piece are in order, except for operands of 8 bits
 * with fewer than four neighbours of a row per lane, such as B. A piece then
 * begins with the bytes that a lane holds, for instance of columns 0 and 8, and
 * registers must fill the memory, not cp.async. (LL_COPIES keeps the order, and
 * reads fewer bytes at once.) A conversion through registers (LL_PLAN from
 * ll_rows_for) may split rows and do better. For column-major memory, transpose
 * the operand before the call and the result after it. Elements of 4 bits are
 * read as pairs of one row. Fails as ll_swizzle and ll_rows_of do.
 * Example: ll_for_operand(ll_ptx_mma_a(16, 32, 16, 1), 16, LL_SM90) is
 *          L("offset: j0 j1 j2 j3 j4 i0 i3 j3^i1 j4^i2");
 */
LL_FN ll_layout ll_for_operand(ll_layout a, unsigned element_bits,
                               ll_target t) {
    const unsigned scale = ll_element_scale_(element_bits);
    if (element_bits == 4u) {
        a = ll_hardware_(a);
        const ll_pairs_ p = ll_pairs_of_(&a, &a, 1);
        const ll_layout m =
            p.u && !a.err
                ? ll_for_operand(ll_nibbles_paired_(&a, p.before, 1), 8, t)
                : ll_layout_bad_(a, LL_EPAIR);
        return m.err ? m : ll_nibbles_unpaired_(&m, &a, p);
    }
    const ll_layout rows = ll_rows_for(a, ll_element_held_(element_bits) / 8u);
    const unsigned piece = ll_vector(rows, ll_shift_down_(16u, scale));
    /* Reads keep only registers within a piece: others cut it. */
    const unsigned kept = ll_registers_in_(&a, piece - 1u);
    const ll_layout m = ll_swizzle(rows, ll_drop_registers_(a, ~kept),
                                   element_bits, t);
    if (m.err) {
        return m;
    }
    ll_best_memory_ best = LL_ZERO;
    best.cost = ~0ull;
    t = ll_without_forms_(t, LL_WRITE);
    a = ll_layout_onto_(ll_in_block_(ll_hardware_(a)), &rows.out);
    ll_try_memory_(&best, &m, &rows, &a, LL_READ, scale, &t);
    ll_try_whole_(&best, &rows, &a, ll_log2_(piece), scale, &t);
    return best.m;
}

/* Private: returns plan p with the steps of a conversion through p.memory: a
 * renaming, stores, a barrier, loads and a renaming. */
LL_FN ll_plan ll_plan_by_memory_(ll_plan p, const ll_layout *a,
                                 const ll_layout *b, const ll_passes_ *cut,
                                 int own, const ll_target *t) {
    const unsigned scale = ll_element_scale_(p.element_bits);
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    p.kind = p.rank ? LL_CLUSTER : LL_SHARED;
    p.passes = cut->n;
    if (p.memory.in.bits[0] + scale >= 32u) {
        p.err = LL_EBITS;
        return p;
    }
    p.smem_bytes = 1u << (p.memory.in.bits[0] - p.blocks + scale);
    const ll_step store = ll_step_between_(a, &p.memory, scale, LL_WRITE, t);
    const ll_step load = ll_step_between_(b, &p.memory, scale, LL_READ, t);
    const ll_access forth = ll_access_uncut_(store.at, cut, 0);
    const ll_access back = ll_access_uncut_(load.at, cut, 1);
    p.n = 5;
    p.step[0] = ll_step_forth_(&forth, store.pack);
    p.step[0].count =
        ll_permutes_(&p.step[0].at, p.element_bits,
                     pack < p.from_bits ? pack : p.from_bits, p.step[0].pack);
    p.step[1] = ll_step_addressed_(ll_step_repeated_(store, cut->n), a,
                                   &p.memory, scale, t);
    p.step[2].op = own        ? LL_OP_SYNC_WARP
                   : p.blocks ? LL_OP_SYNC_CLUSTER
                              : LL_OP_SYNC_BLOCK;
    p.step[2].count = (2u << cut->n) - (p.blocks ? 0u : 1u);
    p.step[3] = ll_step_addressed_(ll_step_repeated_(load, cut->n), b,
                                   &p.memory, scale, t);
    p.step[3].dsmem = p.blocks ? ll_log2_(p.smem_bytes) : 0u;
    p.step[4] = ll_step_back_(&back, p.to_bits, pack);
    p.step[4].count = ll_permutes_(&p.step[4].at, p.element_bits,
                                   p.step[3].pack, p.step[4].pack);
    p.cycles = ll_plan_cycles_(&p, t);
    return p;
}

/* Private: returns plan p through the cheapest memory between a and b. */
LL_FN ll_plan ll_plan_through_memory_(ll_plan p, ll_layout a, ll_layout b,
                                      const ll_layout *x, const ll_passes_ *cut,
                                      const ll_target *t) {
    const unsigned scale = ll_element_scale_(p.element_bits);
    const int own =
        !p.rank && ll_output_stays_(x, 2) && ll_spare_threads_(&a) < t->lanes;
    a = ll_drop_registers_(a, cut->mask[0]);
    b = ll_drop_registers_(b, cut->mask[1]);
    const ll_best_memory_ best = p.rank
                              ? ll_cluster_memory_(a, b, p.blocks, scale, t)
                              : ll_memory_(a, b, own, scale, t);
    p.memory = best.m;
    p.fewest = (unsigned)(best.vectors >> 32) << cut->n;
    return ll_plan_by_memory_(p, &a, &b, cut, own, t);
}

/* Private: returns b with thread bit w turned into one more register bit.
 *
 * Matrix accesses move pairs of bytes, which both sides must hold in registers.
 * If the sides share no register, lanes over-read: they load pairs of bytes but
 * need one byte of each pair. Bit w of the thread number selects this byte. The
 * bit is a register bit of the load, and the last renaming takes the byte that
 * the thread needs. Neighbouring lanes that read the same bytes cost no extra
 * wavefronts, so this also helps where lanes would load less than a word at
 * once. (Of 15,958 pairs of random layouts, 8 bits, sm_90, 2,767 change, to
 * 0.83 times the cycles on average, 0.45 times at best.) */
LL_FN ll_layout ll_layout_with_both_(const ll_layout *b, unsigned w) {
    const unsigned thread = b->in.bits[0] + w;
    ll_layout c = ll_mul(*b, ll_zeros(2, LL_REGISTER, b->out.dim[0], 1));
    c.basis[b->in.bits[0]] = b->basis[thread];
    c.basis[thread + 1u] = 0;
    return c;
}

/* Private: returns the plan with an over-read by bit w of the thread number. */
LL_FN ll_plan ll_plan_over_read_(const ll_plan *p, const ll_layout *a,
                                 const ll_layout *b, const ll_layout *x,
                                 unsigned w, const ll_target *t) {
    const ll_passes_ once = LL_ZERO;
    const ll_layout c = ll_layout_with_both_(b, w);
    ll_plan q = *p;
    ++q.to_bits;
    q = ll_plan_through_memory_(q, *a, c, x, &once, t);
    --q.to_bits;
    ll_step *last = &q.step[4];
    last->flip_by = last->at.reg[p->to_bits];
    if (!q.err && last->flip_by >> q.step[3].pack) {
        q.err = LL_EKIND;
    }
    last->at.n = last->bits = p->to_bits;
    last->flip = 1u << w;
    last->count = ll_word_count_(last->bits, last->pack, p->element_bits) *
                  (ll_word_rank_(&last->at, q.step[3].pack, last->pack) > 1u
                       ? 2u
                       : 1u);
    q.cycles = q.err ? 0u : ll_plan_cycles_(&q, t);
    return q;
}

/* Private: returns the cheapest plan with an over-read, or q if none is
 * cheaper. It tries at most two thread bits: first lane bit 0 or 1, as such
 * lanes share wavefronts; then, if that does not help or stores less than
 * words, one of the highest thread bits. */
LL_FN ll_plan ll_plan_over_reads_(const ll_plan *p, ll_plan q,
                                  const ll_layout *a, const ll_layout *b,
                                  const ll_layout *x, const ll_target *t) {
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    const int apart = p->element_bits == 8u &&
                      !ll_span_intersect_(&ra, &rb).n &&
                      !t->forms[LL_READ][LL_FORM_BYTES];
    if (q.err || !(apart || q.step[3].bytes < 4u) || p->element_bits > 16u ||
        !t->forms[LL_READ][LL_FORM_TRANS] || p->to_bits < 2u) {
        return q;
    }
    const unsigned threads = b->in.bits[1] + b->in.bits[2];
    const unsigned cycles = q.cycles;
    unsigned tries = 2;
    for (unsigned k = 0; k < threads && tries; ++k) {
        const unsigned w = k < 2u ? k : threads + 1u - k;
        ll_span_ u = LL_ZERO;
        ll_span_push_(&u, b->basis[b->in.bits[0] + w]);
        if (u.v[0] && ll_in_span_(&u, &ra) &&
            (w < b->in.bits[1] || !ll_output_stays_(x, 2))) {
            const ll_plan r = ll_plan_over_read_(p, a, b, x, w, t);
            const int wider = q.cycles < cycles && r.cycles == q.cycles &&
                              r.step[1].bytes > q.step[1].bytes;
            q = !r.err && (r.cycles < q.cycles || wider) ? r : q;
            tries -= q.cycles < cycles && q.step[1].bytes >= 4u ? tries : 1u;
            k += k == 0;
        }
    }
    return q;
}

/* Private: returns 1 if byte permutes take plan p longer than its accesses, and
 * other accesses could be cheaper. */
LL_FN int ll_plan_may_permute_less_(const ll_plan *p, const ll_target *t) {
    const unsigned memory = p->fewest * t->cost[LL_COST_MEMORY];
    ll_plan q = *p;
    q.step[0].count = q.step[4].count = 0;
    const int permutes = !p->err && ll_plan_cycles_(&q, t) < p->cycles;
    q.step[1].count = q.step[3].count = 0;
    return permutes &&
           (p->step[1].form || p->step[3].form ||
            ll_plan_cycles_(&q, t) + (memory + 7u) / 8u < p->cycles);
}

/* Private: returns q, or a cheaper plan with two of 4 low columns exchanged. */
LL_FN ll_plan ll_plan_reordered_(const ll_plan *p, ll_plan q,
                                 const ll_layout *a, const ll_layout *b,
                                 const ll_target *t) {
    const ll_passes_ once = LL_ZERO;
    const int own = q.step[2].op == LL_OP_SYNC_WARP;
    const int may = !q.step[4].flip && ll_plan_may_permute_less_(&q, t);
    const unsigned low = q.memory.in.bits[0] - (own ? a->in.bits[2] : 0u);
    const ll_layout m = q.memory;
    ll_plan r = *p;
    r.fewest = q.fewest;
    for (unsigned i = 0; may && i < 4u && i < low; ++i) {
        for (unsigned j = 0; j < i; ++j) {
            r.memory = m;
            r.memory.basis[i] = m.basis[j];
            r.memory.basis[j] = m.basis[i];
            const ll_plan s = ll_plan_by_memory_(r, a, b, &once, own, t);
            q = !s.err && s.cycles < q.cycles ? s : q;
        }
    }
    return q;
}

/* Private: returns the plan through the cheapest memory for all registers but n
 * that both sides share, with these n registers appended last. */
LL_FN ll_plan ll_plan_without_common_(const ll_plan *p, const ll_layout *a,
                                      const ll_layout *b, const ll_layout *x,
                                      unsigned n, const ll_target *t) {
    const ll_passes_ once = LL_ZERO;
    const ll_passes_ cut = ll_passes_of_(a, b, n);
    ll_plan q = *p;
    q.err = LL_EKIND;
    if (cut.n == n) {
        q = ll_plan_through_memory_(*p, *a, *b, x, &cut, t);
    }
    if (q.err) {
        return q;
    }
    ll_plan r = *p;
    r.memory = q.memory;
    for (unsigned k = 0; k < n; ++k) {
        ll_more_memory_(&r.memory, a->basis[cut.bit[0][k]]);
    }
    return ll_plan_by_memory_(r, a, b, &once, q.step[2].op == LL_OP_SYNC_WARP,
                              t);
}

/* Private: returns the cheapest of plan q and plans that may need fewer
 * permutes: with memory in another order, with narrower accesses, with vectors
 * only, or with registers of both sides last in memory. */
LL_FN ll_plan ll_plan_permuted_less_(const ll_plan *p, ll_plan q, ll_layout a,
                                     ll_layout b, const ll_layout *x,
                                     const ll_target *t) {
    const ll_passes_ once = LL_ZERO;
    const unsigned fewest = q.fewest;
    ll_plan best = q;
    for (unsigned k = 0; k < 8u && ll_plan_may_permute_less_(&best, t); ++k) {
        ll_target some = *t;
        some.access_bytes >>= k / 2u;
        if (k & 1u) {
            some = ll_without_forms_(some, LL_READ);
            some = ll_without_forms_(some, LL_WRITE);
        }
        if (k < 6u && !some.access_bytes) {
            continue;
        }
        q = k == 0   ? q
            : k < 6u ? ll_plan_through_memory_(*p, a, b, x, &once, &some)
                     : ll_plan_without_common_(p, &a, &b, x, k - 5u, t);
        q.fewest = fewest;
        q = k < 6u ? ll_plan_reordered_(p, q, &a, &b, &some) : q;
        best = !q.err && q.cycles < best.cycles ? q : best;
    }
    return best;
}

#endif
