/* ---- Clusters: plans -------------------------------------------------- */
#ifndef LL_CLUSTER_PLAN_H
#define LL_CLUSTER_PLAN_H

#include "../text/explain.h"

/* Optional: define LL_CLUSTERS before including the header. These are
 * reductions and scans across the blocks of a cluster without barriers of the
 * cluster, for kernels that execute one after the other.
 *
 * Blocks are vectors over F2, as their columns are. The blocks that hold parts
 * of the same results as block 0 are a subspace: their columns, without the
 * axis, lie in the span of one block's elements. Some blocks of this subspace
 * hold only copies; they are a subspace of it. A complement of that one, of 2^k
 * blocks, has the 2^k partial results of each element once. Block b therefore
 * sends to block b ^ c for all c of the complement, and its number there, the
 * slot, is linear in b. Every block finds the same partial results in the same
 * slots and combines them in the same order, so all results have the same bits.
 *
 * Threads that hold copies send to different blocks. A send is st.async, which
 * stores to the other block and reports its bytes to an mbarrier there. Each
 * lane waits for this mbarrier and loads a share of its slots. The lanes of a
 * warp then combine them as in a reduction.
 *
 * In a scan, the numbers of the blocks must be the upper bits of the axis.
 * Blocks send their lines' totals; lanes combine those before their own.
 *
 * Turn number t uses buffer t mod B and its mbarrier. Let each thread send at
 * most d turns more than it receives, and B >= 2 + 2d. A block has a barrier in
 * each turn, before it sends. Suppose that block b sends turn t to block r. The
 * threads of b have received turn t - 1 - d, so r has sent it. Before the
 * barrier of that turn, all threads of r had received turn t - 2 - 2d. They
 * last read the same buffer in turn t - B, which is not later. So nothing is
 * overwritten before it is read, and no mbarrier is a phase ahead of a thread
 * that waits. Reductions and scans within a block have two buffers: the barrier
 * of turn t - 1 stands between turns t - 2 and t. At the start the cluster
 * waits until all mbarriers are there; at the end, until none sends. */

#ifdef LL_CLUSTERS

/* A plan for the reduction or the scan of a layout across blocks. */
typedef struct ll_cluster_plan {
    unsigned err;
    unsigned lanes;        /* of a warp */
    unsigned threads;      /* of a block */
    unsigned element_bits;
    unsigned from_bits;    /* log2 of the registers before */
    unsigned to_bits;      /* log2 of the registers after */
    unsigned smem_bytes;   /* of shared memory */
    unsigned cycles;       /* of a warp, estimated */
    unsigned scans;        /* 1: a scan, 0: a reduction */
    ll_reduce_plan reduce; /* within each block */
    ll_scan_plan scan;
    unsigned wait;         /* a further barrier per turn; 0: none */
    unsigned partial;      /* log2 of the partial results of one element, which
                              blocks exchange; 0: one block has all of it */
    unsigned results;      /* log2 of the results of a block */
    unsigned slot_bytes;   /* of a partial result, 4 to 16 */
    ll_layout sends;       /* register, lane, warp, block -> slot, the block to
                              send to, and in a scan the coordinate */
    unsigned n;            /* log2 of the positions among these registers: the
                              others send to further blocks */
    unsigned reg[LL_MAX_BITS]; /* of a scan: register of bit k of a position */
    unsigned spare;        /* threads with one of these bits are copies, which
                              send nothing */
    ll_layout receives;    /* register, lane, warp, block -> slot, and in a scan
                              the block's coordinate */
    ll_tree tree;          /* of a reduction: combines these registers */
    unsigned line[LL_MAX_BITS]; /* of a scan: line of bit k of a register */
    unsigned x[LL_MAX_BITS];    /* and its coordinate within the block */
    unsigned buffers;
    unsigned bytes;        /* that a block receives in a turn */
    unsigned here_bytes;   /* of a buffer for the work within a block */
    unsigned slots_at, bars_at; /* in shared memory */
    ll_lack lacks;
} ll_cluster_plan;

/* Private: what the blocks of a cluster share. */
typedef struct ll_cluster_blocks_ {
    ll_span_ results; /* a basis of what a block holds, without the axis */
    ll_span_ with;    /* XORed to a block: blocks with other partial results */
    ll_span_ number;  /* per block bit: number of its partial results */
    ll_span_ place;   /* per block bit: the result, in the basis */
} ll_cluster_blocks_;

/* Private: returns a list without the bits of a mask. */
LL_FN ll_span_ ll_masked_(ll_span_ l, unsigned mask) {
    for (unsigned k = 0; k < l.n; ++k) {
        l.v[k] &= ~mask;
    }
    return l;
}

/* Private: returns the coordinates of vectors in a basis that unit vectors
 * complete, for its first n vectors alone. */
LL_FN ll_span_ ll_low_terms_(ll_span_ basis, const ll_span_ *l, unsigned n) {
    const ll_span_ units = ll_span_units_(0, LL_MAX_BITS);
    ll_span_append_(&basis, &units, LL_MAX_BITS);
    return ll_masked_(ll_span_terms_(&basis, l), ~ll_ones_(n));
}

/* Private: returns what the blocks of layout a share along the axis `mask`. */
LL_FN ll_cluster_blocks_ ll_cluster_blocks_of_(const ll_layout *a,
                                               unsigned mask) {
    const ll_span_ none = LL_ZERO;
    const unsigned first = ll_shape_start_(&a->in, 3);
    const ll_span_ units = ll_span_units_(0, ll_shape_bits_(&a->in) - first);
    const ll_span_ columns = ll_span_of_columns_(a, 0, first);
    const ll_span_ far = ll_span_of_columns_(a, first, first + units.n);
    const ll_span_ here = ll_span_independent_(&none, &columns);
    const ll_span_ rows = ll_masked_(columns, mask);
    const ll_span_ of_blocks = ll_masked_(far, mask);
    ll_cluster_blocks_ b = LL_ZERO;
    b.results = ll_span_independent_(&none, &rows);
    ll_span_ image = of_blocks;
    ll_span_project_(&image, &b.results);
    const ll_span_ group = ll_span_nullspace_(&units, &image);
    image = none;
    for (unsigned k = 0; k < group.n; ++k) {
        ll_span_push_(&image, ll_vectors_xor_(far.v, far.n, group.v[k]));
    }
    ll_span_project_(&image, &here);
    b.with = ll_span_fresh_(&none, &group, &image);
    ll_span_ basis = b.with;
    const ll_span_ copies = ll_span_nullspace_(&group, &image);
    ll_span_append_(&basis, &copies, LL_MAX_BITS);
    b.number = ll_low_terms_(basis, &units, b.with.n);
    b.place = ll_low_terms_(b.results, &of_blocks, b.results.n);
    return b;
}

/* Private: returns the layout from registers, lanes, warps and blocks to pairs
 * of a partial result (along LL_J) and a result (along LL_I). q: the results of
 * a block, in any order. b: the blocks. */
LL_FN ll_layout ll_cluster_slots_(const ll_layout *q, unsigned mask,
                                  const ll_cluster_blocks_ *b) {
    const unsigned partial = b->with.n;
    const unsigned own = ll_shape_start_(&q->in, 3);
    ll_layout s = *q;
    const ll_span_ columns = ll_span_of_columns_(q, 0, own);
    const ll_span_ rows = ll_masked_(columns, mask);
    const ll_span_ at = ll_low_terms_(b->results, &rows, b->results.n);
    ll_shape out = LL_ZERO;
    out = ll_shape_add_(out, LL_J, partial);
    out = ll_shape_add_(out, LL_I, b->results.n);
    s.out = out;
    s.offset = 0;
    s.in.n = 3;
    s.in = ll_shape_add_(s.in, LL_BLOCK, b->number.n);
    for (unsigned k = 0; k < own + b->number.n; ++k) {
        const unsigned y = k < own ? at.v[k] : b->place.v[k - own];
        s.basis[k] = ll_shift_(y, partial);
    }
    return s;
}

/* Private: inserts `more` registers after the others, with these columns. */
LL_FN void ll_more_registers_(ll_layout *a, const unsigned *column,
                              unsigned more) {
    const unsigned regs = a->in.bits[0];
    for (unsigned k = ll_shape_bits_(&a->in); k > regs; --k) {
        a->basis[k - 1u + more] = a->basis[k - 1u];
    }
    for (unsigned k = 0; k < more; ++k) {
        a->basis[regs + k] = column[k];
    }
    a->in.bits[0] = (unsigned short)(regs + more);
}

/* Private: sets where each thread sends. p->sends is set to s with three
 * outputs: the slot, the block and, for a scan, the coordinate of `length`
 * bits. Threads that hold copies send to other blocks, while there are any.
 * Then each thread itself sends to the remaining blocks. */
LL_FN void ll_cluster_sends_(ll_cluster_plan *p, ll_layout s, ll_dim axis,
                             const ll_span_ *x, unsigned length,
                             const ll_cluster_blocks_ *b) {
    const unsigned regs = s.in.bits[0];
    const unsigned own = ll_shape_start_(&s.in, 3);
    const unsigned block = b->with.n + b->results.n;
    const unsigned at = block + b->number.n;
    ll_span_ reduced = LL_ZERO;
    unsigned more[LL_MAX_BITS] = LL_ZERO;
    unsigned next = 0;
    for (unsigned k = 0; k < own; ++k) {
        s.basis[k] |= ll_shift_(x->v[k], at);
        if (ll_span_extend_(&reduced, s.basis[k]) == 0) {
            p->spare |= next < b->with.n ? 0u : 1u << (k - regs);
            s.basis[k] ^= next < b->with.n ? ll_shift_(b->with.v[next], block)
                                           : 0u;
            ++next;
        }
    }
    for (unsigned k = 0; k < b->number.n; ++k) {
        s.basis[own + k] |= b->number.v[k] | ll_shift_(1u << k, block);
    }
    next = next < b->with.n ? next : b->with.n;
    for (unsigned k = next; k < b->with.n; ++k) {
        more[k - next] = ll_shift_(b->with.v[k], block);
    }
    ll_more_registers_(&s, more, b->with.n - next);
    ll_shape out = LL_ZERO;
    out = ll_shape_add_(out, LL_OFFSET, block);
    out = ll_shape_add_(out, LL_BLOCK, b->number.n);
    s.out = length ? ll_shape_add_(out, axis, length) : out;
    p->n = regs;
    p->sends = s;
}

/* Private: numbers the slots so that those of a warp lie side by side. */
LL_FN void ll_cluster_order_(ll_cluster_plan *p) {
    const ll_span_ none = LL_ZERO;
    const unsigned bits = p->partial + p->results;
    const unsigned mask = ll_ones_(bits);
    const unsigned first = p->receives.in.bits[0];
    ll_layout *const both[] = {&p->sends, &p->receives};
    ll_span_ lanes = ll_span_of_columns_(&p->receives, first,
                                         first + p->receives.in.bits[1]);
    lanes = ll_masked_(lanes, ~mask);
    const ll_span_ basis = ll_span_independent_(&none, &lanes);
    for (unsigned m = 0; m < 2u; ++m) {
        ll_layout *const a = both[m];
        for (unsigned k = 0; k <= ll_shape_bits_(&a->in); ++k) {
            unsigned *const y = k ? &a->basis[k - 1u] : &a->offset;
            ll_span_ slot = LL_ZERO;
            ll_span_push_(&slot, *y & mask);
            slot = ll_low_terms_(basis, &slot, bits);
            *y = (*y & ~mask) | slot.v[0];
        }
    }
}

/* Private: places the buffers; `ahead` turns are sent before a receive. */
LL_FN ll_cluster_plan ll_cluster_placed_(ll_cluster_plan p, unsigned ahead,
                                         unsigned more) {
    const unsigned bytes = p.element_bits / 8u;
    const unsigned here = p.scans ? p.scan.smem_bytes : p.reduce.smem_bytes;
    const unsigned bits = p.partial + p.results;
    p.slot_bytes = bytes < 4u ? 4u : bytes;
    p.here_bytes = (here + 15u) / 16u * 16u;
    p.slots_at = p.smem_bytes = 2u * p.here_bytes;
    p.buffers = 2;
    while (p.buffers < 2u + 2u * ahead && p.buffers < 64u) {
        p.buffers *= 2u;
    }
    p.wait = p.partial ? p.wait : 0u;
    if (p.err || !p.partial) {
        return p;
    }
    p.bytes = bits < 16u ? (p.slot_bytes << bits) + more : ~0u;
    if (p.bytes >= 1u << 20 || more >= 1u << 20 || ahead > 31u) {
        p.err = LL_EBITS; /* an mbarrier counts no further */
        return p;
    }
    const unsigned slots = (p.slot_bytes << bits) + 15u;
    p.bars_at = p.slots_at + p.buffers * (slots / 16u * 16u);
    p.smem_bytes = p.bars_at + 8u * p.buffers;
    return p;
}

/* Private: returns a plan with the members that reductions and scans share. */
LL_FN ll_cluster_plan ll_cluster_for_(const ll_layout *a, unsigned element_bits,
                                      const ll_target *t) {
    ll_cluster_plan p = LL_ZERO;
    p.err = a->err;
    p.lacks = ll_lack_of_(a);
    p.lanes = t->lanes;
    p.element_bits = ll_element_held_(element_bits);
    p.threads = a->err ? 0u : ll_threads_of_(a);
    p.from_bits = p.to_bits = a->err ? 0u : a->in.bits[0];
    if (!p.err && a->in.n > 3u && a->in.bits[3] &&
        ll_ones_(a->in.bits[3]) >= 2u * t->blocks) {
        p.err = LL_EBLOCK;
    }
    return p;
}

/* Private: sets the number of partial results that blocks exchange. Returns 0
 * if they are too many. length: bits of the coordinate sent. */
LL_FN int ll_cluster_fits_(ll_cluster_plan *p, const ll_layout *a,
                           unsigned length, const ll_cluster_blocks_ *b) {
    const unsigned slot = b->with.n + b->results.n;
    p->partial = b->with.n;
    p->results = b->results.n;
    p->err = slot + a->in.bits[3] + length > LL_MAX_BITS ||
                     ll_shape_bits_(&a->in) + b->with.n > LL_MAX_BITS
                 ? LL_EBITS
                 : LL_OK;
    return !p->err;
}

/* Private: returns the barrier that a turn needs beside the plan's own barrier,
 * which waits for the block if the plan crosses warps and `op` says so. */
LL_FN unsigned ll_cluster_wait_(const ll_cluster_plan *p, unsigned crosses,
                                unsigned op) {
    return crosses && op == LL_OP_SYNC_BLOCK ? 0u
           : p->threads > p->lanes           ? (unsigned)LL_OP_SYNC_BLOCK
                                             : (unsigned)LL_OP_SYNC_WARP;
}

/* Private: sets which partial results the lanes load, after a reduction that
 * leaves them in layout q, and the tree that combines them. */
LL_FN void ll_cluster_receives_(ll_cluster_plan *p, const ll_layout *q,
                                const ll_target *t) {
    const ll_span_ axis = ll_span_units_(0, p->partial);
    const unsigned mask = ll_span_or_(&axis);
    ll_layout block = ll_in_block_(*q);
    ll_span_ done = LL_ZERO;
    const unsigned idle = ll_idle_lanes_(&block, mask);
    block =
        ll_axis_gathered_(&block, mask, &axis, idle < axis.n ? idle : axis.n);
    p->tree = ll_tree_split_(ll_tree_of_(&block, &axis, &done), 0,
                             p->element_bits, t);
    p->cycles += (ll_tree_cost_(&p->tree, p->element_bits, t) + 7u) / 8u;
    p->receives = block;
    p->receives.in = ll_shape_add_(block.in, LL_BLOCK, q->in.bits[3]);
    for (unsigned k = 0; k < q->in.bits[3]; ++k) {
        p->receives.basis[ll_shape_bits_(&block.in) + k] =
            q->basis[ll_shape_start_(&q->in, 3) + k];
    }
    ll_shape out = LL_ZERO;
    p->receives.out = ll_shape_add_(out, LL_OFFSET, p->partial + p->results);
}

/* ll_cluster_reduce_by(a, d, element_bits, t, ahead, more): as
 * ll_cluster_reduce_of, below. A kernel may send `ahead` turns before it
 * receives the first of them. In each turn a block also waits for `more` bytes,
 * which the kernel sends to LL_CLUSTER_BAR. */
LL_FN ll_cluster_plan ll_cluster_reduce_by(ll_layout a, ll_dim d,
                                           unsigned element_bits, ll_target t,
                                           unsigned ahead, unsigned more) {
    ll_span_ axis = LL_ZERO;
    ll_layout left = LL_ZERO;
    a = ll_layout_reducible_(a, d, element_bits, &t, &axis);
    ll_cluster_plan p = ll_cluster_for_(&a, element_bits, &t);
    if (p.err) {
        return p;
    }
    const ll_layout block = ll_in_block_(a);
    const ll_span_ columns =
        ll_span_of_columns_(&block, 0, ll_shape_bits_(&block.in));
    const ll_span_ here = ll_span_intersect_(&axis, &columns);
    const unsigned mask = ll_span_or_(&axis);
    p.reduce = ll_reduce_here_(&block, &axis, &here, element_bits, &t, &left);
    p.err = p.reduce.err == LL_ENOSOLUTION ? (unsigned)LL_EBLOCK : p.reduce.err;
    p.to_bits = p.reduce.to_bits;
    p.cycles = p.reduce.cycles;
    p.wait = ll_cluster_wait_(&p, p.reduce.crosses,
                              p.reduce.between.step[2].op);
    if (!p.err && a.in.n > 3u) {
        const ll_cluster_blocks_ b = ll_cluster_blocks_of_(&a, mask);
        const ll_span_ none = LL_ZERO;
        const ll_layout q = ll_cluster_slots_(&left, mask, &b);
        if (!ll_cluster_fits_(&p, &a, 0, &b)) {
            return p;
        }
        ll_cluster_receives_(&p, &q, &t);
        ll_cluster_sends_(&p, q, d, &none, 0, &b);
        ll_cluster_order_(&p);
    }
    return ll_cluster_placed_(p, ahead, more);
}

/* Private: returns layout a within a block, which has the lowest `length` bits
 * of the axis. Axis `at` starts at packed bit `start`. The layout is invalid if
 * a block has other coordinates as well, or if they depend on the block. */
LL_FN ll_layout ll_cluster_below_(const ll_layout *a, unsigned at,
                                  unsigned start, unsigned length) {
    const unsigned mask = ll_shift_(ll_ones_(a->out.bits[at]), start);
    const unsigned low = ll_shift_(ll_ones_(length), start);
    ll_layout c = ll_in_block_(*a);
    const unsigned first = ll_shape_bits_(&c.in);
    for (unsigned k = 0; k < ll_shape_bits_(&a->in); ++k) {
        const unsigned wrong = k < first ? mask & ~low : low;
        c.err = a->basis[k] & wrong ? (unsigned)LL_EBLOCK : c.err;
        c.basis[k] = k < first ? ll_bits_close_(a->basis[k], mask & ~low) : 0u;
    }
    c.offset = ll_bits_close_(a->offset, mask & ~low);
    c.out.bits[at] = (unsigned short)length;
    return c;
}

/* Private: sets what a lane of a scan loads: all partial results of each of its
 * lines, in the registers below the lines. q: the results of a block. */
LL_FN void ll_cluster_lines_(ll_cluster_plan *p, const ll_layout *q, ll_dim d,
                             const ll_cluster_blocks_ *b, unsigned offset) {
    const ll_span_ none = LL_ZERO;
    const unsigned regs = q->in.bits[0];
    const unsigned slot = p->partial + p->results;
    const ll_span_ columns = ll_span_of_columns_(q, 0, regs);
    const ll_span_ lines = ll_span_independent_(&none, &columns);
    const ll_span_ line = ll_span_terms_(&lines, &columns);
    const unsigned blocks = ll_shape_start_(&q->in, 3);
    ll_span_ loaded = ll_span_units_(0, p->partial);
    ll_layout r = *q;
    r.in.bits[0] = 0;
    for (unsigned k = regs; k < ll_shape_bits_(&q->in); ++k) {
        r.basis[k - regs] =
            q->basis[k] |
            (k < blocks ? 0u : ll_shift_(b->number.v[k - blocks], slot));
    }
    for (unsigned k = 0; k < lines.n; ++k) {
        ll_span_push_(&loaded, lines.v[k]);
    }
    ll_more_registers_(&r, loaded.v, loaded.n);
    for (unsigned k = 0; k < regs; ++k) {
        p->line[k] = line.v[k];
    }
    ll_shape out = LL_ZERO;
    out = ll_shape_add_(out, LL_OFFSET, slot);
    r.out = ll_shape_add_(out, d, p->partial);
    r.offset = ll_shift_(offset, slot);
    p->receives = r;
}

/* Private: sets who sends the totals of a block: for each line, the place with
 * the last coordinate. c: the layout of the block. Copies do not send. */
LL_FN void ll_cluster_totals_(ll_cluster_plan *p, const ll_layout *q,
                              const ll_layout *c, unsigned start, ll_dim d,
                              const ll_cluster_blocks_ *b, unsigned offset) {
    const ll_span_ none = LL_ZERO;
    const unsigned regs = c->in.bits[0];
    const unsigned length = c->out.bits[ll_axis_at_(&c->out, d)];
    const unsigned at = p->partial + p->results + b->number.n;
    const ll_span_ units = ll_span_units_(0, regs);
    const ll_span_ images = ll_span_images_(c, &units);
    const ll_span_ reg = ll_span_fresh_(&none, &units, &images);
    ll_span_ x = ll_span_images_(c, &reg);
    ll_layout s = *q;
    s.in.bits[0] = (unsigned short)reg.n;
    for (unsigned k = 0; k < reg.n; ++k) {
        p->reg[k] = reg.v[k];
        s.basis[k] = ll_layout_linear_(q, reg.v[k]);
    }
    for (unsigned k = regs; k < ll_shape_bits_(&q->in); ++k) {
        s.basis[reg.n + k - regs] = q->basis[k];
        ll_span_push_(&x, k < ll_shape_bits_(&c->in) ? c->basis[k] : 0u);
    }
    ll_span_push_(&x, c->offset);
    for (unsigned k = 0; k < regs; ++k) {
        p->x[k] = ll_shift_down_(images.v[k], start) & ll_ones_(length);
    }
    for (unsigned k = 0; k < x.n; ++k) {
        x.v[k] = ll_shift_down_(x.v[k], start) & ll_ones_(length);
    }
    s.offset = offset | ll_shift_(x.v[x.n - 1u], at);
    ll_cluster_sends_(p, s, d, &x, length, b);
}

/* Private: returns 1 if some thread has the last coordinate in a register with
 * this image: all of `ones` from bit `at` on. */
LL_FN int ll_cluster_may_(const ll_layout *s, unsigned image, unsigned at,
                          unsigned ones) {
    ll_span_ reduced = LL_ZERO;
    for (unsigned k = s->in.bits[0]; k < ll_shape_bits_(&s->in); ++k) {
        ll_span_extend_(&reduced, ll_shift_down_(s->basis[k], at) & ones);
    }
    const unsigned x = ll_shift_down_(image ^ s->offset, at) & ones;
    return ll_span_extend_(&reduced, x ^ ones) == 0;
}

/* ll_cluster_scan_by(a, d, element_bits, t, ahead, more): as
 * ll_cluster_scan_of, below. ahead, more: as for ll_cluster_reduce_by. */
LL_FN ll_cluster_plan ll_cluster_scan_by(ll_layout a, ll_dim d,
                                         unsigned element_bits, ll_target t,
                                         unsigned ahead, unsigned more) {
    ll_span_ axis = LL_ZERO;
    const ll_layout all = ll_hardware_(a);
    a = ll_layout_reducible_(a, d, element_bits, &t, &axis);
    ll_cluster_plan p = ll_cluster_for_(&a, element_bits, &t);
    p.scans = 1;
    if (p.err) {
        return p;
    }
    const unsigned at = ll_axis_at_(&all.out, d);
    const unsigned start = ll_shape_start_(&all.out, at);
    const unsigned mask = ll_span_or_(&axis);
    const unsigned first = ll_shape_start_(&all.in, 3);
    const ll_span_ columns = ll_span_of_columns_(&all, 0, first);
    const unsigned length = ll_span_intersect_(&axis, &columns).n;
    const ll_layout c = ll_cluster_below_(&all, at, start, length);
    p.scan = ll_scan_of(c, d, element_bits, t);
    p.err = p.scan.err;
    p.cycles = p.scan.cycles;
    p.wait = p.scan.turned ? 0u
                           : ll_cluster_wait_(&p, p.scan.crosses,
                                              p.scan.between.step[2].op);
    if (!p.err) {
        ll_cluster_blocks_ b = ll_cluster_blocks_of_(&all, mask);
        const ll_layout q = ll_cluster_slots_(&all, mask, &b);
        if (!ll_cluster_fits_(&p, &all, length, &b)) {
            return p;
        }
        for (unsigned k = 0; k < b.number.n; ++k) {
            b.number.v[k] =
                ll_shift_down_(all.basis[first + k] & mask, start + length);
        }
        const unsigned number =
            ll_shift_down_(all.offset & mask, start + length);
        ll_cluster_lines_(&p, &q, d, &b, number);
        ll_cluster_totals_(&p, &q, &c, start, d, &b, number);
        ll_cluster_order_(&p);
    }
    return ll_cluster_placed_(p, ahead, more);
}

/* ll_cluster_reduce_of(a, d, element_bits, t), ll_cluster_scan_of(a, d,
 * element_bits, t): return the plans that combine the elements of layout a
 * along axis d across the blocks of a cluster, as ll_reduce_of and ll_scan_of
 * do. A cluster may have up to twice the blocks that every kernel of the target
 * may use: 16 on sm_90, if the kernel allows it. The blocks may hold any part
 * of the axis of a reduction, other axes and copies; the blocks of a scan hold
 * its upper bits. If one block has all of the axis, blocks send nothing.
 *
 * p.err: as for these functions; LL_EBLOCK also if the coordinates within a
 * block of a scan are not the lowest ones or depend on the block, or if what a
 * block has of the axis of a reduction is not a set of its bits; LL_EBITS also
 * if blocks send 1 MiB or more.
 * Example: ll_cluster_reduce_of(L("lane: j0 j1 j2 j3 j4 | block: j5 j6 j7"),
 *          LL_J, 64, LL_SM90).tree.lanes is 3;
 * Example: ll_cluster_reduce_of(L("lane: j0 j1 j2 j3 j4 | block: j5 j6"), LL_J,
 *                               128, LL_SM90).bytes is 64;
 * Example: ll_cluster_scan_of(L("lane: j0 j1 j2 j3 j4 | block: j5 j6"), LL_J,
 *                             32, LL_SM90).partial is 2;
 * Example: ll_cluster_scan_of(L("lane: j1 j2 j3 j4 j5 | block: j0"), LL_J, 32,
 *                             LL_SM90).err is LL_EBLOCK;
 */
LL_FN ll_cluster_plan ll_cluster_reduce_of(ll_layout a, ll_dim d,
                                           unsigned element_bits,
                                           ll_target t) {
    return ll_cluster_reduce_by(a, d, element_bits, t, 0, 0);
}

LL_FN ll_cluster_plan ll_cluster_scan_of(ll_layout a, ll_dim d,
                                         unsigned element_bits, ll_target t) {
    return ll_cluster_scan_by(a, d, element_bits, t, 0, 0);
}

/* ll_explain_cluster(p, buf, size): writes a plan across blocks in words. */
LL_FN unsigned ll_explain_cluster(ll_cluster_plan p, char *buf,
                                  unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (p.err) {
        ll_write_no_axis_(&w, p.err, &p.lacks);
        return w.len;
    }
    w.len = p.scans ? ll_explain_scan(p.scan, buf, size)
                    : ll_explain_reduce(p.reduce, buf, size);
    if (p.partial) {
        ll_write_(&w, "  between blocks: each of ");
        ll_write_number_(&w, 1u << p.partial);
        ll_write_(&w, " blocks sends ");
        ll_write_count_(&w, 1u << p.results, "result");
        ll_write_(&w, " of ");
        ll_write_count_(&w, p.slot_bytes, "byte");
        ll_write_(&w, " to each of them, in ");
        ll_write_number_(&w, p.buffers);
        ll_write_(&w, " buffers\n");
        if (p.scans) {
            ll_write_(&w, "  each lane combines the results of the preceding "
                          "blocks\n");
        } else {
            ll_write_tree_(&w, &p.tree);
        }
    }
    return w.len;
}

#endif /* LL_CLUSTERS */

#endif
