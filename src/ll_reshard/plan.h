/* ---- Reshards: plans across GPUs -------------------------------------- */
#ifndef LL_RESHARD_PLAN_H
#define LL_RESHARD_PLAN_H

#include "../ll/layout/spans.h"

/* Reshards are for programs that move tensors between the memories of several
 * GPUs. Kernels do not pay for them: they have a header of their own,
 * ll_reshard.h.
 *
 * A sharding is a layout with one more kind of input. `offset` is the position
 * in the memory of one GPU. `gpu` and `node` say which GPU; the axes of a mesh
 * may also have other names. A matrix sharded by rows over four GPUs, and by
 * columns:
 *
 *     offset: j0 j1 j2 i0 | gpu: i1 i2      offset: j0 i0 i1 i2 | gpu: j1 j2
 *
 * A zero column of `gpu` says that the GPUs hold copies. A rank is the packed
 * value of all axes of the mesh, the nearest first.
 *
 * To reshard is to solve a linear system: which place of the first layout holds
 * the element that a place of the second one wants? If copies leave a choice,
 * the answer is the place with the smallest word
 *
 *     (rank of the source XOR rank of the target) , offset of the source
 *
 * The bits of far axes are the highest, so the nearest copy wins, and data that
 * is already there does not move. The smallest word of a coset is a linear
 * function of the coset. The whole plan is therefore two affine maps over F2,
 * from (offset in the message, peer, rank of the target) to the place in either
 * layout. The bytes on each link are powers of two, counted by ranks of
 * matrices. In round d each rank receives from rank XOR d, so no rank serves
 * two others at a time. */

/* Errors of reshards. The errors of layouts have lower numbers. */
#define LL_RESHARD_ERRORS(X, n)                                             \
    X(n, LL_RESHARD_EMESH,                                                  \
      "a sharding must have the input offset, and its other inputs must be " \
      "axes of the topology")                                               \
    X(n, LL_RESHARD_ERANKS, "a reshard may have at most 2^16 ranks")        \
    X(n, LL_RESHARD_ELEVELS,                                                \
      "a topology must have at most 8 axes, with different names and "      \
      "bandwidths above 0")                                                 \
    X(n, LL_RESHARD_EELEMENT,                                               \
      "element bits of a reshard must be 8, 16, 32, 64 or 128")             \
    X(n, LL_RESHARD_ELACKS,                                                 \
      "the first sharding lacks elements of the second one")                \
    X(n, LL_RESHARD_EOUT,                                                   \
      "the two shardings must be of tensors with the same axes and sizes")  \
    X(n, LL_RESHARD_ESUM,                                                   \
      "the axes of partial sums must be inputs of the first sharding and "  \
      "of the topology, with columns of 0")                                 \
    X(n, LL_RESHARD_EBUDGET,                                                \
      "the staging memory is too small for one run of the reshard")         \
    X(n, LL_RESHARD_ETILE,                                                  \
      "no tile of the reshard has 16 contiguous bytes in both memories")    \
    X(n, LL_RESHARD_EPLACESUM,                                              \
      "in one buffer, partial sums would be overwritten before other ranks " \
      "have read them: use two buffers")                                    \
    X(n, LL_RESHARD_EPLACESIZE,                                             \
      "in one buffer, each rank must hold as many elements after as before, " \
      "each once: use two buffers")                                         \
    X(n, LL_RESHARD_EPLACE,                                                 \
      "in one buffer, each message must go where the one sent in return "   \
      "was; here one would overwrite data still to be sent: use two buffers")

#define LL_ENUM_(arg, code, text) code,
enum {
    LL_RESHARD_BEFORE_ = LL_N_ERRORS_ + 1000,
    LL_RESHARD_ERRORS(LL_ENUM_, err) LL_N_RESHARD_ERRORS_
};
#undef LL_ENUM_

/* ll_reshard_strerror(err): returns the sentence of an error of reshards or of
 * a layout.
 * Example: ll_reshard_strerror(LL_RESHARD_ERANKS)[0] is 'a';
 */
LL_FN const char *ll_reshard_strerror(unsigned err) {
#define LL_CASE_(arg, code, text)                                           \
    if (err == (unsigned)code) {                                            \
        return text;                                                        \
    }
    LL_RESHARD_ERRORS(LL_CASE_, err)
#undef LL_CASE_
    return ll_strerror(err);
}

/* A topology: the axes of the mesh, nearest first, and the bandwidth with which
 * a rank can receive, and send, over the links of each axis. */
#define LL_MAX_LEVELS 8u
typedef struct ll_link {
    ll_dim dim;
    unsigned gbps; /* 10^9 bytes per second, in each direction; 0: the links
                      are those of the axis before */
    unsigned ns;   /* latency of one message */
} ll_link;

typedef struct ll_topology {
    unsigned err;
    unsigned n;
    unsigned local; /* 10^9 bytes per second that a rank can copy */
    ll_link level[LL_MAX_LEVELS];
} ll_topology;

/* ll_topology_of(local): returns a topology without links, in which ranks copy
 * `local` gigabytes per second. ll_topology_with(t, axis, gbps, ns): returns
 * the topology with one more axis, farther than the others. Fails with
 * LL_RESHARD_ELEVELS, or LL_ENULL if axis is null.
 * Example: ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000).n is 1;
 * Example: ll_topology_with(ll_topology_of(2000), "gpu", 0, 1).err is
 *          LL_RESHARD_ELEVELS;
 */
LL_FN ll_topology ll_topology_of(unsigned local) {
    ll_topology t = LL_ZERO;
    t.local = local;
    t.err = local ? (unsigned)LL_OK : (unsigned)LL_RESHARD_ELEVELS;
    return t;
}

LL_FN ll_topology ll_topology_with(ll_topology t, const char *axis,
                                   unsigned gbps, unsigned ns) {
    const ll_dim d = ll_dim_of(axis);
    int bad = t.n >= LL_MAX_LEVELS || !d || d == LL_OFFSET || !gbps;
    for (unsigned k = 0; k < t.n && !bad; ++k) {
        bad = t.level[k].dim == d;
    }
    if (bad || t.err) {
        t.err = t.err  ? t.err
                : axis ? (unsigned)LL_RESHARD_ELEVELS
                       : (unsigned)LL_ENULL;
        return t;
    }
    t.level[t.n].dim = d;
    t.level[t.n].gbps = gbps;
    t.level[t.n].ns = ns;
    ++t.n;
    return t;
}

/* ll_topology_beside(t, axis): returns the topology with one more axis whose
 * links are those of the axis before it: the bytes of both axes share them, as
 * those of a 2 x 2 mesh within a host. Fails as ll_topology_with does, and if
 * there is no axis yet.
 * Example: ll_topology_beside(ll_topology_with(ll_topology_of(2000), "gpu",
 *          350, 12000), "node").level[1].gbps is 0;
 * Example: ll_topology_beside(ll_topology_of(2000), "gpu").err is
 *          LL_RESHARD_ELEVELS;
 */
LL_FN ll_topology ll_topology_beside(ll_topology t, const char *axis) {
    const unsigned first = t.n == 0;
    t = ll_topology_with(t, axis, first ? 0u : 1u, 0);
    if (!t.err) {
        t.level[t.n - 1u].gbps = 0;
    }
    return t;
}

/* A plan. The inputs of `source` and `target` are the offset in a message, the
 * number of the peer (0: the nearest), and the mesh: the rank of the target.
 * Their outputs are a place: an offset and the mesh. If a rank wants an element
 * several times, it receives it once and writes it to the target's offset XOR
 * each sum of copy[0..copies-1]. If ranks hold partial sums, the element is the
 * sum over all sources with ranks that differ in the bits `sum`. */
typedef struct ll_reshard {
    unsigned err;
    unsigned bits; /* of an element */
    ll_topology topology;
    ll_shape mesh; /* all ranks; an axis may be larger than a layout's */
    ll_layout source, target;
    unsigned message; /* log2 of the elements of a message */
    unsigned peers;   /* log2 of the peers of a rank, itself included */
    unsigned sum;     /* bits of the rank */
    unsigned copies;
    unsigned copy[LL_MAX_BITS];
    unsigned run;        /* log2 of elements side by side in both memories */
    unsigned source_run; /* the same in the source, in the order of a message */
    unsigned target_run; /* log2 of elements of a message side by side there */
    unsigned from, to, both; /* log2 of its elements: before, after, kept */
    unsigned moves; /* 1: a rank may receive nothing from itself */
    unsigned chunk; /* log2 of the elements that are staged at once */
    unsigned long long staging; /* bytes of staging memory of a rank */
    unsigned in_place; /* 1: a message replaces the one sent in return */
} ll_reshard;

LL_FN unsigned ll_reshard_fails_(ll_reshard *p, unsigned err) {
    p->err = p->err ? p->err : err;
    return p->err;
}

/* Private: one side of a plan while it is made. A place is an offset, and above
 * it the rank. */
typedef struct ll_shard_ {
    unsigned offset_bits;
    ll_span_ place;  /* of each input bit of the layout */
    ll_span_ column; /* its element */
    unsigned at_0;   /* the element of place 0 */
} ll_shard_;

/* Private: adds the sizes of a sharding to the mesh of all ranks. */
LL_FN unsigned ll_mesh_of_(ll_reshard *p, const ll_layout *a) {
    unsigned named = 0;
    if (!p->mesh.n) {
        for (unsigned k = 0; k < p->topology.n; ++k) {
            p->mesh = ll_shape_add_(p->mesh, p->topology.level[k].dim, 0);
        }
    }
    for (unsigned k = 0; k < a->in.n; ++k) {
        const unsigned at = ll_shape_find_(&p->mesh, a->in.dim[k]);
        named += at < p->mesh.n || a->in.dim[k] == LL_OFFSET;
        if (at < p->mesh.n && p->mesh.bits[at] < a->in.bits[k]) {
            p->mesh.bits[at] = a->in.bits[k];
        }
    }
    if (named < a->in.n || ll_shape_find_(&a->in, LL_OFFSET) == a->in.n) {
        return ll_reshard_fails_(p, LL_RESHARD_EMESH);
    }
    return ll_shape_start_(&p->mesh, p->mesh.n) > 16u
               ? ll_reshard_fails_(p, LL_RESHARD_ERANKS)
               : p->err;
}

/* Private: returns the inputs of a sharding as places. */
LL_FN ll_shard_ ll_shard_of_(const ll_reshard *p, const ll_layout *a) {
    ll_shard_ s = LL_ZERO;
    s.at_0 = a->offset;
    s.offset_bits = a->in.bits[ll_shape_find_(&a->in, LL_OFFSET)];
    for (unsigned k = 0; k < a->in.n; ++k) {
        const unsigned at = ll_shape_find_(&p->mesh, a->in.dim[k]);
        const unsigned low =
            at < p->mesh.n ? s.offset_bits + ll_shape_start_(&p->mesh, at) : 0u;
        for (unsigned bit = 0; bit < a->in.bits[k]; ++bit) {
            ll_span_push_(&s.place, ll_shift_(1u, low + bit));
            ll_span_push_(&s.column,
                          a->basis[ll_shape_start_(&a->in, k) + bit]);
        }
    }
    return s;
}

/* Private: returns the smallest word of v + span, for a list made by
 * ll_span_extend_. */
LL_FN unsigned ll_span_least_(const ll_span_ *reduced, unsigned v) {
    for (unsigned k = 0; k < reduced->n; ++k) {
        v = (v ^ reduced->v[k]) < v ? v ^ reduced->v[k] : v;
    }
    return v;
}

/* Private: words, and the target's offset for each. There is one more than
 * bits, for the constant. */
typedef struct ll_wordlist_ {
    unsigned n;
    unsigned word[LL_MAX_BITS + 1u], to[LL_MAX_BITS + 1u];
} ll_wordlist_;

/* Private: returns the words (distance, offset of the source) for each input
 * bit of the target, and last for the constant. */
LL_FN ll_wordlist_ ll_reshard_words_(ll_reshard *p, const ll_shard_ *a,
                                     const ll_shard_ *b) {
    const ll_span_ null = ll_span_nullspace_(&a->place, &a->column);
    const unsigned own = ll_ones_(b->offset_bits);
    ll_span_ least = LL_ZERO;
    ll_wordlist_ words = LL_ZERO;
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = 0; k < null.n; ++k) {
        ll_span_extend_(&least, null.v[k]);
    }
    for (unsigned k = 0; k < a->place.n; ++k) {
        ll_echelon_load_(&r, a->column.v[k], a->place.v[k]);
    }
    for (unsigned k = 0; k < b->place.n; ++k) {
        ll_echelon_load_(&r, b->column.v[k], 0);
    }
    ll_echelon_load_(&r, a->at_0 ^ b->at_0, 0);
    ll_echelon_eliminate_(&r, 0, a->place.n);
    for (unsigned k = 0; k <= b->place.n; ++k) {
        const unsigned rank =
            k < b->place.n
                ? ll_shift_down_(b->place.v[k] & ~own, b->offset_bits)
                : 0u;
        if (ll_echelon_vector_(&r, a->place.n + k)) {
            ll_reshard_fails_(p, LL_RESHARD_ELACKS);
        }
        words.word[k] =
            ll_span_least_(&least, ll_echelon_mix_(&r, a->place.n + k) ^
                                       ll_shift_(rank, a->offset_bits));
    }
    return words;
}

LL_FN unsigned ll_leading_bit_(unsigned v) {
    unsigned bit = 0;
    for (; v > 1u; v >>= 1) {
        ++bit;
    }
    return 1u << bit;
}

/* Private: clears the leading bits of the reduced pairs in a further pair. */
LL_FN void ll_wordlist_clear_(const ll_wordlist_ *l, unsigned *word,
                              unsigned *to) {
    for (unsigned k = l->n; k-- > 0;) {
        if (*word & ll_leading_bit_(l->word[k])) {
            *word ^= l->word[k];
            *to ^= l->to[k];
        }
    }
}

LL_FN void ll_wordlist_insert_(ll_wordlist_ *l, unsigned word, unsigned to) {
    ll_wordlist_clear_(l, &word, &to);
    const unsigned lead = ll_leading_bit_(word);
    unsigned at = l->n;
    for (unsigned k = 0; k < l->n; ++k) {
        if (l->word[k] & lead) {
            l->word[k] ^= word;
            l->to[k] ^= to;
        }
    }
    for (; at > 0 && ll_leading_bit_(l->word[at - 1u]) > lead; --at) {
        l->word[at] = l->word[at - 1u];
        l->to[at] = l->to[at - 1u];
    }
    l->word[at] = word;
    l->to[at] = to;
    ++l->n;
}

/* Private: returns the transfers of a rank: one per place, but only one for
 * places that hold the same element. The other places are listed as copies. The
 * words are fully reduced, with the lowest leading bit first. */
LL_FN ll_wordlist_ ll_transfers_(ll_reshard *p, const ll_shard_ *b,
                                 const ll_wordlist_ *words) {
    ll_wordlist_ l = LL_ZERO;
    ll_span_ own = LL_ZERO, column = LL_ZERO, copies = LL_ZERO;
    unsigned leads = 0;
    for (unsigned k = 0; k < b->place.n; ++k) {
        if (b->place.v[k] <= ll_ones_(b->offset_bits)) {
            ll_span_push_(&own, b->place.v[k]);
            ll_span_push_(&column, b->column.v[k]);
        }
    }
    const ll_span_ null = ll_span_nullspace_(&own, &column);
    for (unsigned k = 0; k < null.n; ++k) {
        ll_span_extend_(&copies, null.v[k]);
    }
    for (unsigned k = 0; k < copies.n; ++k) {
        p->copy[k] = copies.v[k];
        leads |= ll_leading_bit_(copies.v[k]);
    }
    p->copies = copies.n;
    for (unsigned k = 0; k < b->place.n; ++k) {
        if (b->place.v[k] <= ll_ones_(b->offset_bits) &&
            !(b->place.v[k] & leads)) {
            ll_wordlist_insert_(&l, words->word[k], b->place.v[k]);
        }
    }
    return l;
}

/* Private: sets the inputs and outputs of the two maps of a plan. */
LL_FN void ll_map_shapes_(ll_reshard *p, const ll_shard_ *a, const ll_shard_ *b,
                          const ll_layout *to) {
    const ll_shape none = LL_ZERO;
    ll_shape in = ll_shape_add_(none, LL_OFFSET, p->message);
    ll_shape out[2] = LL_ZERO;
    out[0] = ll_shape_add_(none, LL_OFFSET, a->offset_bits);
    out[1] = ll_shape_add_(none, LL_OFFSET, b->offset_bits);
    in = ll_shape_add_(in, ll_dim_of("peer"), p->peers);
    for (unsigned k = 0; k < p->mesh.n; ++k) {
        const unsigned at = ll_shape_find_(&to->in, p->mesh.dim[k]);
        in = ll_shape_add_(in, p->mesh.dim[k],
                           at < to->in.n ? to->in.bits[at] : 0u);
        out[0] = ll_shape_add_(out[0], p->mesh.dim[k], p->mesh.bits[k]);
        out[1] = ll_shape_add_(out[1], p->mesh.dim[k], p->mesh.bits[k]);
    }
    p->source = ll_zero(in, out[0]);
    p->target = ll_zero(in, out[1]);
    ll_reshard_fails_(p, p->source.err ? p->source.err : p->target.err);
}

/* Private: returns the bit of the rank that an input bit of a plan is; 0 if
 * none. */
LL_FN unsigned ll_rank_of_bit_(const ll_reshard *p, unsigned bit) {
    const unsigned x = ll_shape_repack_(1u << bit, &p->source.in, &p->mesh);
    return bit < p->message + p->peers ? 0u : x;
}

/* Private: sets the two maps of a plan. The words of ranks are reduced by the
 * words of transfers, so peer 0 is the nearest and message offset 0 the
 * lowest. */
LL_FN void ll_maps_(ll_reshard *p, const ll_shard_ *a, const ll_shard_ *b,
                    const ll_wordlist_ *words, const ll_wordlist_ *l) {
    const unsigned bits = ll_shape_bits_(&p->source.in);
    for (unsigned k = 0; k < l->n && !p->err; ++k) {
        p->source.basis[k] = l->word[k];
        p->target.basis[k] = l->to[k];
    }
    for (unsigned bit = l->n; bit <= bits && !p->err; ++bit) {
        const unsigned rank = bit < bits ? ll_rank_of_bit_(p, bit) : 0u;
        unsigned k = b->place.n, to = 0;
        for (unsigned m = 0; m < b->place.n && rank; ++m) {
            k = b->place.v[m] == ll_shift_(rank, b->offset_bits) ? m : k;
        }
        unsigned word = words->word[k];
        ll_wordlist_clear_(l, &word, &to);
        word ^= ll_shift_(rank, a->offset_bits);
        to ^= ll_shift_(rank, b->offset_bits);
        *(bit < bits ? &p->source.basis[bit] : &p->source.offset) = word;
        *(bit < bits ? &p->target.basis[bit] : &p->target.offset) = to;
    }
}

/* Private: sets log2 of the elements of a message that lie side by side in the
 * source, in the target, and in both. In the low bits of the target, a constant
 * or a column of a higher bit ends a run. */
LL_FN void ll_runs_(ll_reshard *p, unsigned own) {
    unsigned others = p->target.offset & own, both = 1, source = 1;
    ll_span_ to = ll_span_of_columns_(&p->target, 0, p->message);
    ll_span_ reduced = LL_ZERO;
    for (unsigned k = 0; k < p->message; ++k) {
        ll_span_extend_(&reduced, to.v[k]);
        source = source && p->source.basis[k] == 1u << k;
        both = both && source && to.v[k] == 1u << k;
        p->source_run += source;
        p->run += both;
    }
    while (p->target_run < p->message &&
           ll_span_least_(&reduced, 1u << p->target_run) == 0) {
        ++p->target_run;
    }
    for (unsigned k = p->run; k < ll_shape_bits_(&p->target.in); ++k) {
        others |= p->target.basis[k] & own;
    }
    while (p->run && others & ll_ones_(p->run)) {
        --p->run;
    }
}

/* Private: sets log2 of the elements that a rank holds before, after, and
 * both. */
LL_FN void ll_holdings_(ll_reshard *p, const ll_shard_ *a) {
    ll_span_ own = LL_ZERO, held = LL_ZERO;
    for (unsigned k = 0; k < a->place.n; ++k) {
        if (a->place.v[k] <= ll_ones_(a->offset_bits)) {
            ll_span_push_(&own, a->column.v[k]);
        }
    }
    for (unsigned k = 0; k < own.n; ++k) {
        ll_span_extend_(&held, own.v[k]);
    }
    p->from = held.n;
    p->to = p->message + p->peers;
    p->both = p->message;
}

/* Private: returns the rank of the source XOR the rank of the target for an
 * input bit of the plan; for bit = number of input bits, the constant. */
LL_FN unsigned ll_distance_(const ll_reshard *p, unsigned bit) {
    const unsigned all = ll_shape_bits_(&p->source.in);
    const unsigned a = bit < all ? p->source.basis[bit] : p->source.offset;
    const unsigned b = bit < all ? p->target.basis[bit] : p->target.offset;
    return ll_shift_down_(a, p->source.out.bits[0]) ^
           ll_shift_down_(b, p->target.out.bits[0]);
}

/* Private: returns 1 if the message that a rank receives in a round goes to the
 * offsets of the message that it sends in that round, in any order. Then a rank
 * needs no second buffer: it stages one message. */
LL_FN unsigned ll_can_swap_(const ll_reshard *p) {
    const unsigned n = p->source.out.bits[0], own = ll_ones_(n);
    const unsigned first = p->message, all = ll_shape_bits_(&p->source.in);
    ll_span_ same = LL_ZERO;
    int ok = n == p->target.out.bits[0] && !p->copies && !p->sum &&
             all == n + ll_shape_bits_(&p->mesh);
    for (unsigned k = 0; k < p->message; ++k) {
        ll_span_extend_(&same, p->source.basis[k] & own);
    }
    for (unsigned k = 0; k < p->message; ++k) {
        ok = ok && ll_span_least_(&same, p->target.basis[k] & own) == 0;
    }
    for (unsigned bit = first; bit <= all; ++bit) {
        const unsigned rank = bit < all ? ll_rank_of_bit_(p, bit) : 0u;
        const unsigned d = ll_distance_(p, bit);
        unsigned there = bit < all ? p->source.basis[bit] : p->source.offset;
        for (unsigned m = first + p->peers; m < all; ++m) {
            there ^= d & ll_rank_of_bit_(p, m) ? p->source.basis[m] : 0u;
        }
        there ^= bit < all ? p->target.basis[bit] : p->target.offset;
        ok = ok && ll_span_least_(&same, there & own) == 0 && (!rank || !d);
    }
    return (unsigned)ok;
}

/* Private: returns 1 if some rank receives nothing from itself: not all
 * distances of ranks, reduced by the distances of peers, are 0. */
LL_FN unsigned ll_departs_(const ll_reshard *p) {
    unsigned moves = 0;
    for (unsigned k = p->message + p->peers; k <= ll_shape_bits_(&p->source.in);
         ++k) {
        moves |= ll_distance_(p, k) != 0;
    }
    return moves;
}

/* Private: returns the bits of a rank that a list of axes stands for. */
LL_FN unsigned ll_sum_bits_(ll_reshard *p, const ll_layout *a,
                            const char *names) {
    const ll_shape s = ll_shape_of(names);
    unsigned mask = 0;
    for (unsigned k = 0; k < s.n; ++k) {
        const unsigned at = ll_shape_find_(&a->in, s.dim[k]);
        const unsigned m = ll_shape_find_(&p->mesh, s.dim[k]);
        if (at == a->in.n || m == p->mesh.n) {
            ll_reshard_fails_(p, LL_RESHARD_ESUM);
            return 0;
        }
        for (unsigned bit = 0; bit < a->in.bits[at]; ++bit) {
            if (a->basis[ll_shape_start_(&a->in, at) + bit]) {
                ll_reshard_fails_(p, LL_RESHARD_ESUM);
            }
        }
        mask |=
            ll_shift_(ll_ones_(a->in.bits[at]), ll_shape_start_(&p->mesh, m));
    }
    ll_reshard_fails_(p, s.err);
    return mask;
}

/* Private: returns the error of the arguments. */
LL_FN unsigned ll_reshard_asked_(ll_reshard *p, const ll_layout *a,
                                 const ll_layout *b) {
    ll_reshard_fails_(p, a->err ? a->err : b->err);
    ll_reshard_fails_(p, p->topology.err);
    if (p->bits < 8u || p->bits > 128u || ll_log2_(p->bits) == LL_NO_BITS_) {
        ll_reshard_fails_(p, LL_RESHARD_EELEMENT);
    }
    if (!p->err && !ll_shape_fits_both_(&a->out, &b->out)) {
        ll_reshard_fails_(p, LL_RESHARD_EOUT);
    }
    if (!p->err) {
        ll_mesh_of_(p, a);
    }
    return p->err ? p->err : ll_mesh_of_(p, b);
}

/* ll_reshard_sum(a, names, b, bits, t): returns the plan that moves elements of
 * `bits` bits from sharding a to sharding b. The ranks of a that differ in the
 * axes `names`, such as "gpu" or "gpu node", hold partial sums.
 * ll_reshard_of(a, b, bits, t) is the same for "": ranks that differ in a zero
 * column hold copies. Each rank receives each element that it lacks once, from
 * the nearest rank that has it; of a sum it receives each part. If n ranks want
 * the same sums, two plans move fewer bytes: one to a sharding of the sums over
 * these ranks, and one from there to copies. Fails with an error of a layout or
 * of reshards.
 * Example: ll_reshard_of(L("offset: j0 | gpu: i0"), L("offset: i0 | gpu: j0"),
 *          32, ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000)).peers
 *          is 1;
 */
LL_FN ll_reshard ll_reshard_sum(ll_layout a, const char *names, ll_layout b,
                                unsigned bits, ll_topology t) {
    ll_reshard p = LL_ZERO;
    p.bits = bits;
    p.topology = t;
    if (ll_reshard_asked_(&p, &a, &b)) {
        return p;
    }
    b = ll_layout_onto_(b, &a.out);
    const ll_shard_ from = ll_shard_of_(&p, &a), to = ll_shard_of_(&p, &b);
    if (from.offset_bits + ll_shape_bits_(&p.mesh) > LL_MAX_BITS ||
        to.offset_bits + ll_shape_bits_(&p.mesh) > LL_MAX_BITS) {
        ll_reshard_fails_(&p, LL_EBITS);
        return p;
    }
    p.sum = ll_sum_bits_(&p, &a, names);
    const ll_wordlist_ words = ll_reshard_words_(&p, &from, &to);
    const ll_wordlist_ l = ll_transfers_(&p, &to, &words);
    while (p.message < l.n &&
           l.word[p.message] <= ll_ones_(from.offset_bits)) {
        ++p.message;
    }
    p.peers = l.n - p.message;
    ll_map_shapes_(&p, &from, &to, &b);
    ll_maps_(&p, &from, &to, &words, &l);
    if (p.err) {
        return p;
    }
    ll_runs_(&p, ll_ones_(to.offset_bits));
    ll_holdings_(&p, &from);
    p.moves = ll_departs_(&p);
    p.chunk = p.message;
    p.in_place = ll_can_swap_(&p);
    return p;
}

LL_FN ll_reshard ll_reshard_of(ll_layout a, ll_layout b, unsigned bits,
                               ll_topology t) {
    return ll_reshard_sum(a, "", b, bits, t);
}

#endif
