/* ---- Conversions ------------------------------------------------------ */
#ifndef LL_PLAN_CONVERT_H
#define LL_PLAN_CONVERT_H

#include "swaps.h"
#include "exchange.h"
#include "memory.h"

/* The planner tries each kind of plan and returns the cheapest plan, with the
 * best plan of another kind as its runner-up. A conversion from layout a to
 * layout b solves b = a x: x maps each place of b to a place of a that holds
 * the same element. If x stays within a lane, registers are renamed. Within a
 * warp, lanes exchange words. Within a block, data goes through shared memory;
 * beyond it, through the shared memory of the cluster. */

/* Private: returns the plan through `bytes` bytes of memory, in passes. */
LL_FN ll_plan ll_in_block_by_(const ll_plan *p, ll_layout a, ll_layout b,
                              const ll_layout *x, unsigned long long bytes,
                              const ll_target *t) {
    ll_passes_ cut = LL_ZERO;
    unsigned passes = 0;
    ll_plan q = ll_plan_through_memory_(*p, a, b, x, &cut, t);
    if (!p->rank) {
        q = ll_plan_over_reads_(p, q, &a, &b, x, t);
        q = ll_plan_permuted_less_(p, q, a, b, x, t);
    }
    while (!q.err && bytes && q.smem_bytes >> passes > bytes) {
        ++passes;
    }
    if (passes && !q.err) {
        cut = ll_passes_of_(&a, &b, passes);
        q = ll_plan_through_memory_(*p, a, b, x, &cut, t);
    }
    if (!q.err && q.smem_bytes > bytes) {
        q.err = LL_EBUDGET;
    }
    return q;
}

/* Private: returns the plan of kind LL_COPIES, with a barrier of the block. */
LL_FN ll_plan ll_by_copies_(ll_plan p, ll_layout a, ll_layout b, ll_target t) {
    const ll_passes_ once = LL_ZERO;
    const ll_shape out = a.out;
    b = ll_layout_onto_(ll_in_block_(b), &out);
    a = ll_in_block_(a);
    t = ll_without_forms_(t, LL_WRITE);
    p.memory =
        ll_memory_of_pieces_(&a, &b, ll_element_scale_(p.element_bits), &t);
    p.err = t.copies ? p.memory.err : (unsigned)LL_ENOCOPIES;
    p.copies = 1;
    p.next_kind = LL_SHARED;
    return p.err ? p : ll_plan_by_memory_(p, &a, &b, &once, 0, &t);
}

/* Private: returns a plan for lanes that need data of another block of the
 * cluster, or of different places in different blocks. Every block stores its
 * data in its own memory, and lanes load from the memory of the block to which
 * x leads. Stores stay in their own block, so that a block writes its memory
 * when it is ready, and an element that several blocks need is stored once. */
LL_FN ll_plan ll_plan_in_cluster_(ll_plan p, ll_layout a, const ll_layout *x,
                                  unsigned long long bytes, ll_target t) {
    const ll_shape out = a.out;
    const ll_span_ home = ll_span_of_columns_(&a, ll_shape_start_(&a.in, 3),
                                              ll_shape_bits_(&a.in));
    ll_layout place = ll_in_block_(a);
    p.rank = a.in.bits[1] + a.in.bits[2];
    p.blocks = ll_output_stays_(x, 3) ? 0u : a.in.bits[3];
    place.in = a.in;
    place.out = ll_shape_add_(out, LL_BLOCK, p.blocks);
    p.err = place.out.err;
    if (p.err) {
        return p;
    }
    for (unsigned k = 0; k < p.blocks; ++k) {
        place.basis[ll_shape_start_(&a.in, 3) + k] =
            1u << (ll_shape_bits_(&out) + k);
    }
    t = p.blocks ? ll_without_forms_(t, LL_READ) : t;
    p = ll_in_block_by_(&p, ll_in_block_(place), ll_compose(place, *x), x,
                        bytes, &t);
    if (p.err) {
        return p;
    }
    p.next_kind = p.kind;
    p.memory.in.bits[0] =
        (unsigned short)(p.memory.in.bits[0] - p.blocks);
    p.memory.in = ll_shape_add_(p.memory.in, LL_BLOCK, home.n);
    p.memory.out = out;
    for (unsigned k = 0; k < home.n; ++k) {
        p.memory.basis[p.memory.in.bits[0] + k] = home.v[k];
    }
    return p;
}

/* Private: returns 1 if the first plan is valid and costs no more than the
 * second. A valid plan beats any invalid plan. */
LL_FN int ll_plan_is_cheaper_(unsigned err, unsigned cycles, unsigned other_err,
                              unsigned other_cycles) {
    return !err && (other_err || cycles <= other_cycles);
}

/* Private: returns the cheaper of two plans; the other is its runner-up. */
LL_FN ll_plan ll_better_(const ll_plan *a, const ll_plan *b) {
    const int first = ll_plan_is_cheaper_(a->err, a->cycles, b->err, b->cycles);
    ll_plan p = first ? *a : *b;
    const ll_plan *other = first ? b : a;
    if (!other->err && other->kind != p.kind) {
        p.next_kind = other->kind;
        p.next_cycles = other->cycles;
    }
    return p;
}

/* Private: returns the cheapest plan of up to three swaps if it beats q,
 * otherwise q. (Of 20,000 pairs of random layouts of AMD's families on gfx950,
 * 983 change, to 0.32 times the cycles on average.) */
LL_FN ll_plan ll_plan_swapped_(const ll_plan *p, ll_plan q, const ll_layout *x,
                               const ll_target *t) {
    const unsigned high = t->swaps & (t->swaps - 1u);
    const unsigned bit[2] = {t->swaps ^ high, high};
    const ll_span_ regs = ll_original_registers_(x);
    const ll_span_ stay = ll_registers_together_(
        x, &regs, ll_elements_per_word_(p->element_bits));
    ll_span_ to = stay;
    ll_span_append_(&to, &regs, LL_MAX_BITS);
    ll_span_ wanted = LL_ZERO;
    for (unsigned k = 0; k < to.n; ++k) {
        ll_span_push_(&wanted, ll_layout_linear_(x, to.v[k]));
    }
    for (unsigned word = 0; word < 6u; ++word) {
        const unsigned lane[2] = {bit[word % 2u], bit[1u - word % 2u]};
        const unsigned n = word / 2u + 1u;
        const unsigned others = t->swaps ^ (n == 1u ? lane[0] : t->swaps);
        ll_plan r = q;
        r.err = LL_EKIND;
        for (unsigned pack = stay.n + 1u; r.err && pack-- > 0;) {
            ll_swaps_ w = LL_ZERO;
            w.n = n;
            w.pack = pack;
            w.lane[0] = w.lane[2] = lane[0];
            w.lane[1] = lane[1];
            if (lane[0] && (n == 1u || lane[1]) &&
                ll_is_swap_(x, t->swaps ^ others)) {
                r = ll_plan_by_swaps_(*p, x, &w, &wanted);
            }
        }
        r.cycles = ll_plan_cycles_(&r, t);
        q = ll_better_(&q, &r);
    }
    return q;
}

/* Private: returns plan p with its cost. All words of a shuffle use the
 * shared-memory pipe if that is cheaper: near hops add to the selects and byte
 * permutes, which run beside that pipe. */
LL_FN ll_plan ll_plan_priced_(ll_plan p, const ll_target *t) {
    const unsigned plain =
        t->hops & (1u << LL_HOP_ANY | 1u << LL_HOP_32 | 1u << LL_HOP_HALF);
    p.cycles = ll_plan_cycles_(&p, t);
    ll_plan q = p;
    for (unsigned k = 0; t->hops && k < q.n; ++k) {
        if (q.step[k].op == LL_OP_SHUFFLE) {
            ll_hop_all_(&q.step[k], ll_element_words_(p.element_bits),
                        plain, t->lanes);
        }
    }
    q.cycles = ll_plan_cycles_(&q, t);
    return q.cycles < p.cycles ? q : p;
}

/* Private: returns a plan within each warp. x maps to places of a. */
LL_FN ll_plan ll_plan_in_warp_(ll_plan p, const ll_layout *x,
                               const ll_layout *a, const ll_target *t) {
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    ll_plan best = p;
    best.err = LL_EKIND;
    for (int same = 0; same < 2 && ll_output_stays_(x, 2); ++same) {
        const ll_layout from = same ? *x : ll_lanes_spread_(*x, a);
        const ll_exchange_ e = ll_exchange_of_(&from, pack, same);
        if (e.ok) {
            const ll_plan q =
                ll_plan_priced_(ll_plan_within_warp_(p, &e, t), t);
            best = ll_better_(&q, &best);
        }
    }
    return ll_is_swap_(x, t->swaps) ? ll_plan_swapped_(&p, best, x, t) : best;
}

/* Private: returns a plan that keeps data in its lane. If both layouts are the
 * `same`, data stays in its register too, even if x takes another copy. */
LL_FN ll_plan ll_in_lane_(ll_plan p, const ll_layout *x, int same,
                          const ll_target *t) {
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    ll_span_ reg = ll_span_of_columns_(x, 0, p.to_bits);
    if (!same) {
        p.kind = LL_REGISTERS;
        p.n = 1;
        p.step[0] = ll_step_renaming_(&reg, x->offset, pack);
        p.step[0].count = ll_permutes_(
            &p.step[0].at, p.element_bits,
            pack < p.from_bits ? pack : p.from_bits, p.step[0].pack);
    }
    p.cycles = ll_plan_cycles_(&p, t);
    return p;
}

typedef struct ll_sides_ {
    ll_layout a, b; /* both with registers, lanes, warps and blocks */
    ll_layout x;    /* from places of b to places of a */
    ll_pairs_ pairs; /* of elements of 4 bits */
    unsigned nibbles;
} ll_sides_;

/* Private: gives both sides the same dimensions, computes x and returns the
 * start of a plan of this kind, or the error. */
LL_FN ll_plan ll_plan_begin_(ll_sides_ *s, unsigned element_bits, unsigned kind,
                             const ll_target *t) {
    ll_plan p = LL_ZERO;
    s->a = ll_hardware_(s->a);
    s->b = ll_with_blocks_(ll_hardware_(s->b), &s->a);
    s->a = ll_with_blocks_(s->a, &s->b);
    s->x = ll_places_map_(&s->a, &s->b, element_bits, t, LL_LOCAL);
    const int crosses = !s->x.err && !ll_is_trivial(s->x, "block");
    const int has_blocks = ll_shift_down_(t->blocks, s->a.in.bits[3]) != 0;
    p.lanes = t->lanes;
    p.threads = ll_threads_of_(&s->a);
    p.element_bits = ll_element_held_(element_bits);
    p.from_bits = s->a.in.bits[0];
    p.to_bits = s->b.in.bits[0];
    p.nibbles = s->nibbles;
    p.pair = s->pairs.u;
    p.before = s->pairs.before;
    p.after = s->pairs.after;
    const unsigned far = !has_blocks                            ? LL_EBLOCK
                         : kind == LL_CLUSTER || kind == LL_ANY ? LL_OK
                                                                : LL_EKIND;
    p.err = s->x.err ? s->x.err : crosses ? far : (unsigned)LL_OK;
    p.kind = crosses && !p.err ? (unsigned)LL_CLUSTER : 0u;
    return p;
}

/* Private: turns the sides of a plan for elements of 4 bits into sides for
 * bytes. Memory m, unless null, determines the pairs and is paired, too. */
LL_FN void ll_in_bytes_(ll_sides_ *s, unsigned kind, ll_layout *m,
                        const ll_target *t) {
    const ll_plan p = ll_plan_begin_(s, 8, kind, t);
    const ll_layout b = p.err ? s->b : ll_layout_onto_(s->b, &s->a.out);
    const int copied = kind == LL_COPIES;
    s->nibbles = 1;
    if (p.err) {
        return;
    }
    s->pairs = ll_pairs_of_(&s->a, &b, m ? m->basis[0] : copied ? 1u : 0u);
    if (m && s->pairs.u) {
        ll_span_ others = LL_ZERO;
        ll_span_add_others_(&others, &s->a, s->pairs.before, m->offset);
        ll_span_add_others_(&others, m, 0, m->offset);
        s->pairs.u = ll_is_pair_(s->pairs.u, &others) ? s->pairs.u : 0u;
    }
    if (s->pairs.u) {
        s->a = ll_nibbles_paired_(&s->a, s->pairs.before, s->pairs.u);
        s->b = ll_nibbles_paired_(&b, s->pairs.after, s->pairs.u);
    } else {
        const int none = m || copied;
        s->a = none ? ll_layout_bad_(s->a, m ? LL_EPAIR : LL_EKIND)
                    : ll_nibbles_apart_(s->a);
        s->b = ll_nibbles_apart_(b);
    }
    if (m && s->pairs.u) {
        *m = ll_nibbles_paired_(m, 0, s->pairs.u);
    }
}

/* Private: removes exchanges of nibbles that undo each other from a plan within
 * a lane. With other exchanges its kind is LL_REGISTERS. */
LL_FN ll_plan ll_unmoved_(ll_plan p) {
    const int undone = p.n == 0 && p.before == p.after;
    const unsigned apart = undone && p.before == LL_APART;
    if (undone) {
        p.before = p.after = LL_STAY;
        p.from_bits -= apart;
        p.to_bits -= apart;
        p.cycles = 0;
    } else {
        p.kind = p.next_kind = LL_REGISTERS;
    }
    return p;
}

/* Private: returns the cheapest plan of this kind within `bytes` bytes. */
LL_FN ll_plan ll_plan_cheapest_(ll_layout a, ll_layout b, unsigned element_bits,
                                ll_target t, unsigned kind,
                                unsigned long long bytes) {
    ll_sides_ s = LL_ZERO;
    s.a = a;
    s.b = b;
    if (element_bits == 4u) {
        ll_in_bytes_(&s, kind, 0, &t);
        element_bits = 8;
    }
    ll_plan p = ll_plan_begin_(&s, element_bits, kind, &t);
    if (p.err || kind > LL_COPIES) {
        p.err = p.err ? p.err : (unsigned)LL_ENOKIND;
        return p;
    }
    if (p.kind == LL_CLUSTER) {
        return ll_plan_in_cluster_(p, s.a, &s.x, bytes, t);
    }
    if (kind == LL_COPIES) {
        return ll_by_copies_(p, s.a, s.b, t);
    }
    if (ll_is_trivial(s.x, "lane warp")) {
        p = ll_in_lane_(p, &s.x,
                        ll_is_equal(s.a, ll_layout_onto_(s.b, &s.a.out)), &t);
        p = ll_unmoved_(p);
        p.err = p.kind > kind ? (unsigned)LL_EKIND : p.err;
        return p;
    }
    ll_plan warp = p;
    ll_plan memory = p;
    warp.err = memory.err = LL_EKIND;
    if (kind != LL_SHARED) {
        warp = ll_plan_in_warp_(p, &s.x, &s.a, &t);
    }
    if (kind >= LL_SHARED) {
        memory = ll_in_block_by_(&p, ll_in_block_(s.a),
                                 ll_layout_onto_(ll_in_block_(s.b), &s.a.out),
                                 &s.x, bytes, &t);
    }
    warp.err = warp.kind > kind ? (unsigned)LL_EKIND : warp.err;
    warp.next_kind = warp.kind;
    memory.next_kind = memory.kind;
    return ll_better_(&warp, &memory);
}

/* ll_plan_of(a, b, element_bits, t): returns the cheapest plan on target t that
 * converts registers of layout a to registers of layout b. The tensor stays the
 * same; b may hold only a part of it. The plan moves nothing, renames registers
 * within each lane, shuffles within each warp, or goes through shared memory.
 * Data that leaves its block, or lies in different places of different blocks,
 * goes through the shared memory of the cluster's blocks. If a lane's own block
 * holds an element, the lane loads it from there. (Paper, section 5.4.)
 *
 * ll_plan_by(a, b, element_bits, t, kind): returns the cheapest plan of at most
 * that kind, in the order LL_NOTHING .. LL_CLUSTER. LL_SHARED goes through the
 * shared memory of the block whenever data leaves its lane. LL_COPIES always
 * goes through shared memory, arranged for copies that fill it without the
 * registers of a: see ll_tile_copied.
 *
 * ll_plan_within(a, b, element_bits, t, bytes): returns the cheapest plan with
 * at most `bytes` bytes of shared memory per block. If both sides have enough
 * registers in common, it takes several passes.
 *
 * p.err tells why there is no plan: LL_EHARDWARE, LL_EMATCH, LL_ENOSOLUTION,
 * LL_EELEMENT, LL_ELANES, LL_EBLOCK (the target has no clusters of that many
 * blocks), LL_EBUDGET, LL_EKIND (no plan is of that kind; with LL_COPIES: no
 * lane of a holds 4 bytes of a row), LL_ENOCOPIES (the target has none),
 * LL_ENOKIND.
 * Example: ll_plan_by(L("register: j0 j1 | lane: i0 i1 i2 i3 i4"),
 *          L("register: j1 j0 | lane: i0 i1 i2 i3 i4"), 32, LL_SM90,
 *          LL_NOTHING).err is LL_EKIND;
 * Example: ll_plan_of(L("register: j0 | lane: i0 i1 i2 i3 i4 | block: i5"),
 *          L("register: i5 | lane: i0 i1 i2 i3 i4 | block: j0"), 32,
 *          LL_SM90).kind is LL_CLUSTER;
 * Example: ll_plan_within(ll_rows(64, 64, 2), ll_ptx_mma_a(64, 64, 16, 4), 16,
 *          LL_SM90, 4096).passes is 1;
 * Example: ll_plan_within(ll_rows(64, 64, 2), ll_ptx_mma_a(64, 64, 16, 4), 16,
 *          LL_SM90, 64).err is LL_EBUDGET;
 */
LL_FN ll_plan ll_plan_of(ll_layout a, ll_layout b, unsigned element_bits,
                         ll_target t) {
    return ll_plan_cheapest_(a, b, element_bits, t, LL_ANY, ~0ull);
}

LL_FN ll_plan ll_plan_by(ll_layout a, ll_layout b, unsigned element_bits,
                         ll_target t, unsigned kind) {
    return ll_plan_cheapest_(a, b, element_bits, t, kind, ~0ull);
}

LL_FN ll_plan ll_plan_within(ll_layout a, ll_layout b, unsigned element_bits,
                             ll_target t, unsigned bytes) {
    return ll_plan_cheapest_(a, b, element_bits, t, LL_ANY, bytes);
}

/* ll_plan_through(a, b, element_bits, t, m): returns the plan through shared
 * memory of layout m, from offset to tensor: for instance a layout that
 * hardware copies write and matrix instructions read, or the result of
 * ll_for_operand. Each side has the widest accesses that m allows without
 * needless wavefronts; m determines the bank conflicts. For one side alone,
 * with LL_LOAD_SHARED or LL_STORE_SHARED, pass the same layout as a and b.
 * p.err is LL_EMEMORY if m has other inputs or holds an element twice,
 * LL_EMATCH if m and a have different tensors, LL_EKIND if data leaves its
 * block, or an error of ll_plan_of.
 * Example: ll_plan_through(ll_rows(64, 64, 2), ll_ptx_mma_a(64, 64, 16, 4), 16,
 *          LL_SM90, ll_ptx_smem_k(64, 64, 16, 128)).step[3].wavefronts is 4;
 * Example: ll_plan_through(ll_rows(64, 64, 2), ll_rows(64, 64, 2), 16, LL_SM90,
 *          ll_rows(64, 64, 2)).err is LL_EMEMORY;
 */
LL_FN ll_plan ll_plan_through(ll_layout a, ll_layout b, unsigned element_bits,
                              ll_target t, ll_layout m) {
    const ll_passes_ once = LL_ZERO;
    ll_sides_ s = LL_ZERO;
    s.a = a;
    s.b = b;
    ll_plan p = ll_plan_begin_(&s, element_bits == 4u ? 8u : element_bits,
                               LL_SHARED, &t);
    ll_shape out = s.a.out;
    const int is_memory = m.in.n == 1u && m.in.dim[0] == LL_OFFSET;
    const unsigned err = !is_memory                           ? LL_EMEMORY
                         : !ll_shape_fits_both_(&m.out, &out) ? LL_EMATCH
                         : !ll_is_invertible(m)               ? LL_EMEMORY
                                                              : LL_OK;
    p.err = p.err ? p.err : m.err ? m.err : err;
    if (!p.err && element_bits == 4u) {
        m = ll_layout_onto_(m, &out);
        ll_in_bytes_(&s, LL_SHARED, &m, &t);
        p = ll_plan_begin_(&s, 8, LL_SHARED, &t);
        out = s.a.out;
    }
    if (p.err) {
        return p;
    }
    a = ll_in_block_(s.a);
    b = ll_layout_onto_(ll_in_block_(s.b), &out);
    p.memory = ll_layout_onto_(m, &out);
    p.next_kind = LL_SHARED;
    return ll_plan_by_memory_(p, &a, &b, &once, 0, &t);
}

/* ll_conflicts(p): returns the wavefronts per warp lost to bank conflicts. */
LL_FN unsigned ll_conflicts(ll_plan p) {
    unsigned lost = 0;
    for (unsigned k = 0; k < p.n; ++k) {
        const ll_step *s = &p.step[k];
        lost += (s->wavefronts - s->least) * s->count;
    }
    return lost;
}

#endif
