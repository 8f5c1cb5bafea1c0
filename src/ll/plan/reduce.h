/* ---- Reductions ------------------------------------------------------- */
#ifndef LL_PLAN_REDUCE_H
#define LL_PLAN_REDUCE_H

#include "convert.h"

/* A reduction combines the elements along an axis. A place (register, lane,
 * warp) of layout a starts with one element y. After each step it holds the
 * combination of the coset y + S, for a subspace S of the axis that grows by
 * one vector v per step. If A d = v for an input d, places p and p ^ d together
 * hold what y + S + <v> needs, whatever else a does. If d has register bits
 * only, the step is an operation within each lane; if d has lane bits as well,
 * it is one round of a butterfly. The part of the axis that only warps hold is
 * first moved into registers and lanes by a conversion of the cosets, which
 * stores each coset once. All places of a coset combine the same operands in
 * the same tree, so copies have the same bits, provided that op(x, y) and op(y,
 * x) have the same bits. (Paper, section 5.1, "Broadcasting".) */

/* The combinations within each warp. First, 2^own registers are combined into
 * each of the 2^n positions. Then each of the `lanes` rounds combines every
 * position with a position of another lane. */
typedef struct ll_tree {
    unsigned n;                /* log2 of the positions */
    unsigned own;              /* log2 of the registers per position */
    unsigned reg[LL_MAX_BITS]; /* register of bit k of a position; from n on,
                                  the registers to combine */
    unsigned lanes;            /* rounds */
    unsigned with[6];          /* of each round: XORed to the position */
    unsigned lane[6];          /* of each round: XORed to the lane number */
    unsigned split;            /* number of first rounds that split positions:
                                  each lane continues with one half, and fetches
                                  the results of the other half at the end */
    unsigned alone;            /* 1: lanes do not fetch these results */
} ll_tree;

/* With LL_EHELD: the first bit of the axis that the layout does not hold. */
typedef struct ll_lack {
    ll_dim dim;
    unsigned bit;
} ll_lack;

/* A plan for the reduction of a layout along an axis. */
typedef struct ll_reduce_plan {
    unsigned err;
    unsigned lanes;      /* of a warp */
    unsigned threads;    /* of a block */
    unsigned element_bits;
    unsigned from_bits;  /* log2 of the registers before */
    unsigned to_bits;    /* log2 of the registers after */
    unsigned smem_bytes; /* of shared memory */
    unsigned cycles;     /* of a warp, estimated */
    unsigned crosses;    /* log2 of the partial results per element that warps
                            exchange; 0: one warp has the whole axis */
    ll_tree first;       /* in each warp, before the exchange */
    ll_plan between;     /* if it crosses: the exchange */
    ll_tree second;      /* if it crosses: in each warp, after it */
    unsigned reg[LL_MAX_BITS]; /* position of bit k of a result register */
    unsigned kept;       /* register bits before that remain after */
    unsigned reaches;    /* log2 of the partial results per element that blocks
                            exchange then; 0: one block has the whole axis */
    ll_layout far, near; /* if it reaches: layouts of the partial results in all
                            blocks, and as fetched by the warps of each block,
                            which then reduces them along `axis` */
    unsigned far_at, near_at; /* byte offsets of their shared memory */
    ll_dim axis;
    ll_target target;
    ll_lack lacks;
} ll_reduce_plan;

/* Private: returns the images of the inputs l under a, without its offset. */
LL_FN ll_span_ ll_span_images_(const ll_layout *a, const ll_span_ *l) {
    ll_span_ image = LL_ZERO;
    for (unsigned k = 0; k < l->n; ++k) {
        ll_span_push_(&image, ll_layout_linear_(a, l->v[k]));
    }
    return image;
}

/* Private: returns a basis of the XORs of inputs l that a maps into span s. */
LL_FN ll_span_ ll_inputs_into_(const ll_layout *a, const ll_span_ *l,
                               const ll_span_ *s) {
    ll_span_ image = ll_span_images_(a, l);
    ll_span_project_(&image, s);
    return ll_span_nullspace_(l, &image);
}

/* Private: returns the tree that combines the part of the axis in registers and
 * lanes of a. Sets *done to this part. Registers that are copies are left out,
 * and lane bits that only distinguish copies get no round. */
LL_FN ll_tree ll_tree_of_(const ll_layout *a, const ll_span_ *axis,
                          ll_span_ *done) {
    const ll_span_ none = LL_ZERO;
    const unsigned regs = a->in.bits[0];
    const ll_span_ units = ll_span_units_(0, regs);
    const ll_span_ lanes = ll_span_units_(regs, regs + a->in.bits[1]);
    const ll_span_ flat = ll_inputs_into_(a, &units, axis);
    ll_span_ image = ll_span_images_(a, &flat);
    const ll_span_ own = ll_span_fresh_(&none, &flat, &image);
    ll_span_ both = ll_span_independent_(&flat, &units);
    ll_tree tree = LL_ZERO;
    tree.n = both.n;
    tree.own = own.n;
    for (unsigned k = 0; k < tree.n + own.n; ++k) {
        tree.reg[k] = k < tree.n ? both.v[k] : own.v[k - tree.n];
    }
    *done = ll_span_independent_(&none, &image);
    const ll_span_ basis = both;
    ll_span_append_(&both, &lanes, LL_MAX_BITS);
    const ll_span_ into = ll_inputs_into_(a, &both, axis);
    image = ll_span_images_(a, &into);
    const ll_span_ rounds = ll_span_fresh_(done, &into, &image);
    ll_span_append_(done, &image, LL_MAX_BITS);
    const ll_span_ with = ll_span_terms_(&basis, &rounds);
    tree.lanes = rounds.n < 6u ? rounds.n : 6u;
    for (unsigned k = 0; k < tree.lanes; ++k) {
        tree.with[k] = with.v[k];
        tree.lane[k] = rounds.v[k] >> regs;
    }
    return tree;
}

/* Private: returns the layout of the results of a tree over a. Registers are
 * positions, elements are cosets of `done`. */
LL_FN ll_layout ll_tree_cosets_(const ll_layout *a, const ll_tree *tree,
                                const ll_span_ *done) {
    const unsigned regs = a->in.bits[0];
    ll_span_ columns = LL_ZERO;
    ll_layout q = *a;
    for (unsigned k = 0; k < tree->n; ++k) {
        ll_span_push_(&columns, ll_layout_linear_(a, tree->reg[k]));
    }
    for (unsigned k = regs; k < ll_shape_bits_(&a->in); ++k) {
        ll_span_push_(&columns, a->basis[k]);
    }
    ll_span_project_(&columns, done);
    q.in.bits[0] = (unsigned short)tree->n;
    for (unsigned k = 0; k < columns.n; ++k) {
        q.basis[k] = columns.v[k];
    }
    return q;
}

/* Private: returns q with the rest of the axis moved out of the warps, into new
 * registers and into `lanes` lane bits that would otherwise only distinguish
 * copies. q must have that many such lane bits. */
LL_FN ll_layout ll_axis_gathered_(const ll_layout *q, unsigned axis,
                                  const ll_span_ *rest, unsigned lanes) {
    const unsigned regs = q->in.bits[0];
    const unsigned more = rest->n - lanes;
    ll_layout b = *q;
    unsigned next = 0;
    b.in.bits[0] = (unsigned short)(regs + more);
    for (unsigned k = 0; k < ll_shape_bits_(&q->in); ++k) {
        const unsigned to = k < regs ? k : k + more;
        b.basis[to] = q->basis[k] & ~axis;
        if (k >= regs && next < lanes && b.basis[to] == 0) {
            b.basis[to] = rest->v[more + next];
            ++next;
        }
    }
    for (unsigned k = 0; k < more; ++k) {
        b.basis[regs + k] = rest->v[k];
    }
    return b;
}

/* Private: returns the number of lane bits of q that hold only the axis. */
LL_FN unsigned ll_idle_lanes_(const ll_layout *q, unsigned axis) {
    unsigned idle = 0;
    for (unsigned k = q->in.bits[0]; k < ll_shape_start_(&q->in, 2); ++k) {
        idle += (q->basis[k] & ~axis) == 0 ? 1u : 0u;
    }
    return idle;
}

/* Private: takes the lowest position (`by_lane`: lane) bit of round k, XORs the
 * round into all others from `first` on with this bit, and returns it. */
LL_FN unsigned ll_clear_round_(ll_tree *tree, unsigned first, unsigned k,
                               int by_lane) {
    const unsigned *bits = by_lane ? tree->lane : tree->with;
    const unsigned pivot = bits[k] & (~bits[k] + 1u);
    for (unsigned m = first; m < tree->lanes; ++m) {
        if (m != k && bits[m] & pivot) {
            tree->with[m] ^= tree->with[k];
            tree->lane[m] ^= tree->lane[k];
        }
    }
    return pivot;
}

/* Private: exchanges position bits a and b of a tree. */
LL_FN void ll_swap_positions_(ll_tree *tree, unsigned a, unsigned b) {
    const unsigned reg = tree->reg[a];
    tree->reg[a] = tree->reg[b];
    tree->reg[b] = reg;
    for (unsigned k = 0; k < tree->lanes; ++k) {
        const unsigned w = tree->with[k];
        const unsigned differ = (w >> a ^ w >> b) & 1u;
        tree->with[k] = w ^ (differ << a | differ << b);
    }
}

/* Private: returns the tree with its rounds combined so that all can be split.
 * Rounds that change the position come first, each with a position bit of its
 * own, from the highest bit down. Both lanes of such a round keep the half in
 * which that bit is 0. The other rounds change the lane number alone. Each has
 * a lane bit of its own, its lowest, which selects the half that a lane
 * keeps. */
LL_FN ll_tree ll_tree_apart_(ll_tree tree) {
    unsigned first = 0;
    for (unsigned k = 0; k < tree.lanes; ++k) {
        if (tree.with[k]) {
            const unsigned pivot = ll_clear_round_(&tree, 0, k, 0);
            const unsigned with = tree.with[k];
            const unsigned lane = tree.lane[k];
            tree.with[k] = tree.with[first];
            tree.lane[k] = tree.lane[first];
            tree.with[first] = with;
            tree.lane[first] = lane;
            ++first;
            ll_swap_positions_(&tree, ll_log2_(pivot), tree.n - first);
        }
    }
    for (unsigned k = first; k < tree.lanes; ++k) {
        ll_clear_round_(&tree, first, k, 1);
    }
    tree.split = first;
    return tree;
}

/* Private: returns the elements that a lane sends in the rounds of a tree. */
LL_FN unsigned ll_tree_sent_(const ll_tree *tree) {
    const unsigned all = 1u << tree->n;
    const unsigned left = all >> tree->split;
    return (tree->alone ? 1u : 2u) * (all - left) +
           (tree->lanes - tree->split) * left;
}

/* Private: returns the cost of a tree in eighths of a cycle. Its operations
 * count as logic. So do two selects per element that is sent or fetched in a
 * split round in which lanes keep different halves. */
LL_FN unsigned ll_tree_cost_(const ll_tree *tree, unsigned element_bits,
                             const ll_target *t) {
    const unsigned parts = ll_element_words_(element_bits);
    const unsigned sent = ll_tree_sent_(tree);
    const unsigned all = 1u << tree->n;
    const unsigned gone = all - (all >> tree->split);
    const unsigned ops =
        (ll_ones_(tree->own) << tree->n) + sent - (tree->alone ? 0u : gone);
    unsigned chosen = 0;
    for (unsigned k = 0; k < tree->split; ++k) {
        chosen += tree->with[k] ? 0u : all >> (k + 1u);
    }
    return (ops + (tree->alone ? 2u : 4u) * chosen * parts) *
               t->cost[LL_COST_LOGIC] +
           sent * parts * t->cost[LL_COST_SHUFFLE];
}

/* Private: returns the tree with the cheapest number of split rounds. */
LL_FN ll_tree ll_tree_split_(ll_tree tree, unsigned alone,
                             unsigned element_bits, const ll_target *t) {
    tree = ll_tree_apart_(tree);
    tree.alone = alone;
    ll_tree best = tree;
    while (tree.split < tree.lanes && tree.split < tree.n) {
        ++tree.split;
        if (ll_tree_cost_(&tree, element_bits, t) <
            ll_tree_cost_(&best, element_bits, t)) {
            best = tree;
        }
    }
    return best;
}

/* Private: returns the layout after the rounds of a tree that does not fetch
 * the other halves. In q each lane has all positions. */
LL_FN ll_layout ll_tree_halves_(const ll_layout *q, const ll_tree *tree) {
    const unsigned regs = tree->n - tree->split;
    ll_layout h = *q;
    h.in.bits[0] = (unsigned short)regs;
    for (unsigned k = tree->n; k < ll_shape_bits_(&q->in); ++k) {
        h.basis[k - tree->split] = q->basis[k];
    }
    for (unsigned k = 0; k < tree->split; ++k) {
        const unsigned lane = tree->lane[k];
        if (!tree->with[k]) {
            h.basis[regs + ll_log2_(lane & (~lane + 1u))] ^=
                q->basis[tree->n - 1u - k];
        }
    }
    return h;
}

/* Private: returns p with the cheapest conversion between warps, and tree. */
LL_FN ll_reduce_plan ll_reduce_across_(ll_reduce_plan p, const ll_layout *q,
                                       const ll_span_ *axis,
                                       const ll_span_ *rest,
                                       const ll_target *t) {
    const unsigned mask = ll_span_or_(axis);
    const unsigned idle = ll_idle_lanes_(q, mask);
    const ll_layout h = ll_tree_halves_(q, &p.first);
    ll_reduce_plan best = p;
    best.cycles = ~0u;
    best.err =
        ll_shape_bits_(&q->in) + rest->n > LL_MAX_BITS ? LL_EBITS : LL_OK;
    for (unsigned lanes = 0;
         !best.err && lanes <= idle && lanes <= rest->n; ++lanes) {
        ll_span_ done = LL_ZERO;
        const ll_layout b = ll_axis_gathered_(q, mask, rest, lanes);
        p.between = ll_plan_of(h, b, p.element_bits, *t);
        p.second =
            ll_tree_split_(ll_tree_of_(&b, axis, &done), 0, p.element_bits, t);
        p.cycles = p.between.cycles +
                   (ll_tree_cost_(&p.first, p.element_bits, t) +
                    ll_tree_cost_(&p.second, p.element_bits, t) + 7u) / 8u;
        p.err = p.between.err;
        p.smem_bytes = p.between.smem_bytes;
        if (p.err || p.cycles < best.cycles) {
            best = p;
        }
    }
    return best;
}

/* Private: returns the layout, with LL_EHELD if it does not hold all of axis
 * number `at`; then a.at is the first packed output bit that it lacks. */
LL_FN ll_layout ll_layout_holding_(ll_layout a, unsigned at) {
    const unsigned start = ll_shape_start_(&a.out, at);
    const ll_span_ axis = ll_span_units_(start, start + a.out.bits[at]);
    const ll_span_ all = ll_span_of_columns_(&a, 0, ll_shape_bits_(&a.in));
    const unsigned n = ll_in_span_(&axis, &all);
    return n < axis.n ? ll_layout_bad_value_(a, LL_EHELD, start + n) : a;
}

/* Private: returns the bit that a layout of ll_layout_holding_ lacks. */
LL_FN ll_lack ll_lack_of_(const ll_layout *a) {
    ll_lack l = LL_ZERO;
    unsigned at = 0;
    if (a->err == LL_EHELD) {
        while (a->at >= ll_shape_start_(&a->out, at + 1u)) {
            ++at;
        }
        l.dim = a->out.dim[at];
        l.bit = a->at - ll_shape_start_(&a->out, at);
    }
    return l;
}

/* Private: returns a with its hardware inputs: without blocks if one block has
 * the whole axis, otherwise with them. On failure, returns an invalid layout.
 * Sets *axis to the packed output bits of axis d. */
LL_FN ll_layout ll_layout_reducible_(ll_layout a, ll_dim d,
                                     unsigned element_bits, const ll_target *t,
                                     ll_span_ *axis) {
    const unsigned at = ll_axis_at_(&a.out, d);
    const unsigned start = ll_shape_start_(&a.out, at);
    a = at < a.out.n || a.err ? ll_hardware_(a)
                              : ll_layout_bad_(a, LL_EMISSING);
    const ll_layout x = ll_places_map_(&a, &a, element_bits, t, LL_FIRST);
    if (a.err || x.err) {
        return ll_layout_bad_(a, x.err);
    }
    *axis = ll_span_units_(start, start + a.out.bits[at]);
    const ll_layout block = ll_in_block_(a);
    const ll_span_ here =
        ll_span_of_columns_(&block, 0, ll_shape_bits_(&block.in));
    return ll_in_span_(axis, &here) == axis->n ? block
                                              : ll_layout_holding_(a, at);
}

/* Private: returns a within one block, as ll_layout_reducible_ does. Fails also
 * with LL_EBLOCK if a block has only a part of the axis, or if the coordinate
 * along the axis depends on the block. */
LL_FN ll_layout ll_layout_scannable_(ll_layout a, ll_dim d,
                                     unsigned element_bits, const ll_target *t,
                                     ll_span_ *axis) {
    const ll_layout all = ll_hardware_(a);
    a = ll_layout_reducible_(a, d, element_bits, t, axis);
    const unsigned moved =
        ll_columns_beyond_(&all, ll_shape_start_(&all.in, 3));
    return a.in.n > 3u || moved & ll_span_or_(axis)
               ? ll_layout_bad_(a, LL_EBLOCK)
               : a;
}

/* Private: finds the position of each register of the result, which holds the
 * same element of the tensor without the axis. */
LL_FN void ll_reduce_results_(ll_reduce_plan *p, const ll_layout *a,
                              const ll_layout *q, unsigned axis) {
    ll_span_ have = ll_span_of_columns_(q, 0, q->in.bits[0]);
    ll_span_ wanted = LL_ZERO;
    for (unsigned k = 0; k < have.n; ++k) {
        have.v[k] &= ~axis;
    }
    for (unsigned k = 0; k < a->in.bits[0]; ++k) {
        const unsigned y = a->basis[k];
        if (y == 0 || (y & ~axis)) { /* ll_reduce drops the rest */
            ll_span_push_(&wanted, y & ~axis);
            p->kept |= 1u << k;
        }
    }
    const ll_span_ terms = ll_span_terms_(&have, &wanted);
    p->to_bits = terms.n;
    for (unsigned k = 0; k < terms.n; ++k) {
        p->reg[k] = terms.v[k];
    }
}

/* Private: removes the bits of `gone` from p and closes the gaps. */
LL_FN unsigned ll_bits_close_(unsigned p, unsigned gone) {
    unsigned closed = 0;
    unsigned n = 0;
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        if (!(gone >> k & 1u)) {
            closed |= (p >> k & 1u) << n;
            ++n;
        }
    }
    return closed;
}

/* Private: returns the part of the axis in one block if it consists of whole
 * bits of the axis; otherwise the whole axis. */
LL_FN ll_span_ ll_axis_part_here_(const ll_layout *a, const ll_span_ *axis) {
    const ll_layout block = ll_in_block_(*a);
    const ll_span_ columns =
        ll_span_of_columns_(&block, 0, ll_shape_bits_(&block.in));
    const ll_span_ here = ll_span_intersect_(axis, &columns);
    return ll_popcount_(ll_span_or_(&here)) == here.n ? here : *axis;
}

/* Private: returns the plan that combines the part `here` of the axis. Sets
 * *left to the layout of its positions. */
LL_FN ll_reduce_plan ll_reduce_here_(const ll_layout *a, const ll_span_ *axis,
                                     const ll_span_ *here,
                                     unsigned element_bits,
                                     const ll_target *t, ll_layout *left) {
    ll_reduce_plan p = LL_ZERO;
    ll_span_ done = LL_ZERO;
    p.lanes = t->lanes;
    p.element_bits = ll_element_held_(element_bits);
    p.from_bits = a->in.bits[0];
    p.threads = ll_threads_of_(a);
    p.first = ll_tree_of_(a, here, &done);
    const ll_span_ rest = ll_span_independent_(&done, here);
    p.crosses = rest.n;
    p.first = ll_tree_split_(p.first, rest.n != 0, element_bits, t);
    p.cycles = (ll_tree_cost_(&p.first, element_bits, t) + 7u) / 8u;
    *left = ll_tree_cosets_(a, &p.first, &done);
    ll_reduce_results_(&p, a, left, ll_span_or_(axis));
    return rest.n ? ll_reduce_across_(p, left, here, &rest, t) : p;
}

/* Private: returns q with the axis moved out of the blocks: to warps that hold
 * copies, then to lanes that hold copies, then to new registers. */
LL_FN ll_layout ll_axis_fetched_(const ll_layout *q, unsigned axis) {
    unsigned rest = axis;
    const unsigned lanes = q->in.bits[1];
    const unsigned warps = q->in.bits[2];
    ll_layout b = *q;
    for (unsigned k = 0; k < ll_shape_bits_(&q->in); ++k) {
        b.basis[k] &= ~axis;
    }
    for (unsigned m = 0; m < lanes + warps; ++m) {
        const unsigned k =
            q->in.bits[0] + (m < warps ? lanes + m : m - warps);
        const unsigned bit = rest & (0u - rest);
        b.basis[k] |= b.basis[k] == 0 ? bit : 0u;
        rest ^= b.basis[k] == bit ? bit : 0u;
    }
    for (; rest; rest &= rest - 1u) {
        for (unsigned k = ll_shape_bits_(&b.in); k > b.in.bits[0]; --k) {
            b.basis[k] = b.basis[k - 1u];
        }
        b.basis[b.in.bits[0]] = rest & (0u - rest);
        ++b.in.bits[0];
    }
    return b;
}

/* Private: completes p, which combines the part `here` of the axis in a block,
 * by an exchange between the blocks of a cluster along the other bits. */
LL_FN ll_reduce_plan ll_reduce_reach_(ll_reduce_plan p, const ll_layout *q,
                                      unsigned at, unsigned here) {
    const unsigned start = ll_shape_start_(&q->out, at);
    ll_layout left = LL_ZERO;
    p.far = *q;
    p.far.offset = ll_bits_close_(q->offset, here);
    for (unsigned k = 0; k < ll_shape_bits_(&q->in); ++k) {
        p.far.basis[k] = ll_bits_close_(q->basis[k], here);
    }
    p.far.out.bits[at] =
        (unsigned short)(p.far.out.bits[at] - ll_popcount_(here));
    p.reaches = p.far.out.bits[at];
    const ll_span_ axis = ll_span_units_(start, start + p.reaches);
    p.near = ll_axis_fetched_(&p.far, ll_span_or_(&axis));
    const ll_plan far = ll_plan_of(p.far, p.near, p.element_bits, p.target);
    const ll_layout block = ll_in_block_(p.near);
    const ll_reduce_plan near = ll_reduce_here_(
        &block, &axis, &axis, p.element_bits, &p.target, &left);
    p.err = p.err ? p.err : far.err ? far.err : near.err;
    p.far_at = (p.smem_bytes + 15u) / 16u * 16u;
    p.near_at = p.far_at + (far.smem_bytes + 15u) / 16u * 16u;
    p.smem_bytes = p.near_at + near.smem_bytes;
    p.cycles += far.cycles + near.cycles;
    return p;
}

/* ll_reduce_of(a, d, element_bits, t): returns the plan that combines the
 * elements of layout a along axis d on target t. The result has the layout
 * ll_reduce(a, d). The operation must be associative and commutative, up to
 * rounding. Each element is combined once, however many copies it has. Operands
 * are elements or combinations of elements: no padding is added, so the sum of
 * -0.0 is -0.0. The operation alone decides how NaN is treated. The order of
 * two operands is not specified and differs between lanes, so all copies of a
 * result have the same bits only if op(x, y) and op(y, x) do. fmaxf(x, y) is
 * suitable; x > y ? x : y is not if there may be a NaN, or -0.0 beside 0.0.
 * (Paper, section 5.1, "Broadcasting".)
 *
 * If the axis is spread over the blocks of a cluster, and one access per lane
 * fetches its share of all partial results, p.between is of kind LL_CLUSTER.
 * Otherwise p.reaches is not 0: each block first combines its own part; warps
 * then share the fetch from others, and the block combines.
 *
 * p.err tells why there is no plan: LL_EMISSING (no such axis), LL_EHARDWARE,
 * LL_EELEMENT, LL_ELANES, LL_ETARGET, LL_EHELD (a does not hold all of the
 * axis: p.lacks names a bit), LL_EBLOCK (another block holds a part of it, and
 * the target has no clusters of that many blocks), LL_EBITS (the exchange
 * between warps takes 4 GiB, or places of more than 32 bits).
 * Example: ll_reduce_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90).first.lanes is
 *          3;
 * Example: ll_reduce_of(ll_rows(32, 32, 4), LL_I, 32, LL_SM90).crosses is 2;
 * Example: ll_reduce_of(ll_rows(32, 32, 4), LL_K, 32, LL_SM90).err is
 *          LL_EMISSING;
 * Example: ll_reduce_of(L("lane: j0 j1 j2 j3 j4 | block: j5 j6"), LL_J, 32,
 *                       LL_SM90).between.kind is LL_CLUSTER;
 * Example: ll_reduce_of(L("lane: j0 j1 j2 j3 j4 | warp: j5 j6 j7 | block: j8 "
 *                       "j9 j10"), LL_J, 128, LL_SM90).reaches is 3;
 */
LL_FN ll_reduce_plan ll_reduce_of(ll_layout a, ll_dim d, unsigned element_bits,
                                  ll_target t) {
    ll_reduce_plan p = LL_ZERO;
    ll_span_ axis = LL_ZERO;
    ll_layout left = LL_ZERO;
    a = ll_layout_reducible_(a, d, element_bits, &t, &axis);
    p.lacks = ll_lack_of_(&a);
    p.err = a.err;
    p.lanes = t.lanes;
    p.element_bits = ll_element_held_(element_bits);
    if (p.err) {
        return p;
    }
    ll_span_ here = axis;
    p = ll_reduce_here_(&a, &axis, &here, element_bits, &t, &left);
    if (p.crosses && p.between.blocks && p.between.step[3].count > 1u) {
        here = ll_axis_part_here_(&a, &axis);
        p = ll_reduce_here_(&a, &axis, &here, element_bits, &t, &left);
    }
    p.axis = d;
    p.target = t;
    return here.n < axis.n ? ll_reduce_reach_(p, &left, ll_axis_at_(&a.out, d),
                                              ll_span_or_(&here))
                           : p;
}

#endif
