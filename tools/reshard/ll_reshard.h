/* Written from the rooms in src/ll_reshard by `make headers`: change them. */
/* ll_reshard.h - reshards: plans for tensors that move between GPUs.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_RESHARD_H
#define LL_RESHARD_H

#ifndef LL_H
#include "ll.h"
#endif

/* ---- plan: Reshards: plans across GPUs -------------------------------- */

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

/* ---- rounds: Reshards: bytes and rounds ------------------------------- */

/* Bytes, rounds and messages follow from the two maps of a plan. A count of
 * bytes is the number of solutions of a linear system, so it is a power of two
 * or 0. The distances of the rounds are the sums of a few distances. A tile is
 * a subspace of the inputs that has runs in both memories; a kernel moves it
 * like any tile. */

/* Private: returns 1 if the target sharding has a rank. It lacks the ranks that
 * have a bit of a mesh axis that only the source has. */
LL_FN int ll_reshard_wants_(const ll_reshard *p, unsigned rank) {
    const unsigned x = ll_shape_repack_(rank, &p->mesh, &p->source.in);
    return rank == ll_shape_repack_(x, &p->source.in, &p->mesh);
}

/* Private: returns log2 of the message elements that a rank receives from ranks
 * at a distance that is 0 in the bits from `low` on, plus 1; 0 if there are
 * none. */
LL_FN unsigned ll_nearer_(const ll_reshard *p, unsigned rank, unsigned low) {
    const unsigned high = ~ll_ones_(low);
    const unsigned first = p->message + p->peers;
    ll_span_ far = LL_ZERO;
    unsigned d = ll_distance_(p, ll_shape_bits_(&p->source.in));
    for (unsigned k = 0; k < p->peers; ++k) {
        ll_span_extend_(&far, ll_distance_(p, p->message + k) & high);
    }
    for (unsigned k = first; k < ll_shape_bits_(&p->source.in); ++k) {
        d ^= ll_rank_of_bit_(p, k) & rank ? ll_distance_(p, k) : 0u;
    }
    if (ll_span_least_(&far, d & high & ~p->sum) ||
        !ll_reshard_wants_(p, rank)) {
        return 0;
    }
    return 1u + first - far.n + ll_popcount_(p->sum & ~high);
}

LL_FN unsigned long long ll_elements_(unsigned log2_plus_1) {
    return log2_plus_1 ? 1ull << (log2_plus_1 - 1u) : 0ull;
}

/* ll_reshard_bytes(p, rank, level): returns the bytes that a rank receives over
 * links of a level of the topology (0: the nearest). No plan has fewer: a rank
 * receives the elements that it wants and lacks, and over this level only
 * elements that no nearer rank holds. ll_reshard_own(p, rank): returns the
 * bytes that it takes from itself. Both are 0 for a rank that the target
 * sharding lacks.
 * Example: ll_reshard_bytes(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000)), 1, 0) is 4;
 */
LL_FN unsigned long long ll_reshard_bytes(ll_reshard p, unsigned rank,
                                          unsigned level) {
    if (p.err || level >= p.mesh.n) {
        return 0;
    }
    const unsigned low =
        ll_shape_start_(&p.mesh, level); /* bits of nearer ranks */
    return (ll_elements_(ll_nearer_(&p, rank, low + p.mesh.bits[level])) -
            ll_elements_(ll_nearer_(&p, rank, low))) *
           (p.bits / 8u);
}

LL_FN unsigned long long ll_reshard_own(ll_reshard p, unsigned rank) {
    return p.err ? 0ull
                 : ll_elements_(ll_nearer_(&p, rank, 0)) * (p.bits / 8u);
}

/* Private: returns the distances of all rounds as a span, and sets *least to
 * the smallest one. */
LL_FN ll_span_ ll_distances_(const ll_reshard *p, unsigned *least) {
    ll_wordlist_ l = LL_ZERO;
    ll_span_ s = LL_ZERO;
    unsigned none = 0, d = ll_distance_(p, ll_shape_bits_(&p->source.in));
    for (unsigned k = p->message; k < ll_shape_bits_(&p->source.in) + 16u;
         ++k) {
        const unsigned bit = k - ll_shape_bits_(&p->source.in);
        unsigned v = k < ll_shape_bits_(&p->source.in) ? ll_distance_(p, k)
                                                       : p->sum & 1u << bit;
        ll_wordlist_clear_(&l, &v, &none);
        if (v) {
            ll_wordlist_insert_(&l, v, 0);
        }
    }
    ll_wordlist_clear_(&l, &d, &none);
    for (unsigned k = 0; k < l.n; ++k) {
        ll_span_push_(&s, l.word[k]);
    }
    *least = d;
    return s;
}

/* ll_reshard_rounds(p): returns the number of rounds of a plan.
 * ll_reshard_round(p, k): returns the distance d of round k. Rank r receives
 * from rank r XOR d, and sends to it. In the round with distance 0, a rank
 * moves elements that it already has.
 * Example: ll_reshard_rounds(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000))) is 2;
 */
LL_FN unsigned ll_reshard_rounds(ll_reshard p) {
    unsigned least = 0;
    return p.err ? 0u : 1u << ll_distances_(&p, &least).n;
}

LL_FN unsigned ll_reshard_round(ll_reshard p, unsigned round) {
    unsigned d = 0;
    const ll_span_ s = ll_distances_(&p, &d);
    for (unsigned k = 0; k < s.n; ++k) {
        d ^= round >> k & 1u ? s.v[k] : 0u;
    }
    return p.err ? 0u : d;
}

/* A message: what a rank receives in a round. Element m of it lies in the
 * memory of rank `from`, at offset `source` XORed with column k of p.source for
 * each bit k of m. */
typedef struct ll_message {
    unsigned exists;
    unsigned from;           /* a rank */
    unsigned x;              /* input of p.source and p.target for m = 0 */
    unsigned source, target; /* offsets for m = 0 */
    unsigned long long elements;
} ll_message;

/* ll_reshard_message(p, rank, d): returns the message that a rank receives from
 * rank XOR d; exists is 0 if there is none. The message that it sends to rank
 * XOR d is the one that rank XOR d receives.
 * Example: ll_reshard_message(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000)), 0, 1).source is 0;
 */
LL_FN ll_message ll_reshard_message(ll_reshard p, unsigned rank, unsigned d) {
    ll_message m = LL_ZERO;
    if (p.err || !ll_reshard_wants_(&p, rank)) {
        return m;
    }
    m.x = ll_shape_repack_(rank, &p.mesh, &p.source.in);
    unsigned rest = d & ~p.sum;
    for (unsigned k = p.message; k <= ll_shape_bits_(&p.source.in); ++k) {
        const int on = k == ll_shape_bits_(&p.source.in) || m.x >> k & 1u;
        rest ^= on ? ll_distance_(&p, k) : 0u;
    }
    for (unsigned k = p.peers; k-- > 0;) {
        const unsigned v = ll_distance_(&p, p.message + k);
        if (rest & ll_leading_bit_(v)) {
            rest ^= v;
            m.x |= 1u << (p.message + k);
        }
    }
    m.exists = rest == 0;
    m.from = rank ^ d;
    m.source = ll_apply(p.source, m.x) & ll_ones_(p.source.out.bits[0]);
    m.target = ll_apply(p.target, m.x) & ll_ones_(p.target.out.bits[0]);
    m.elements = 1ull << p.message;
    return m;
}

/* ll_reshard_within(p, bytes): returns the plan with at most `bytes` bytes of
 * staging memory per rank. Messages are sent in chunks of 2^p.chunk elements.
 * There are two buffers for a chunk if messages must be packed, and two if they
 * must be unpacked, so that packing overlaps with sending. A kernel that reads
 * the memory of its peers needs none. Fails with LL_RESHARD_EBUDGET.
 * Example: ll_reshard_within(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000)), 64).staging is 0;
 */
LL_FN ll_reshard ll_reshard_within(ll_reshard p, unsigned long long bytes) {
    const unsigned pack = p.source_run < p.message;
    const unsigned unpack = p.run < p.message || p.sum || p.copies;
    const unsigned buffers = 2u * (pack + unpack);
    if (p.err) {
        return p;
    }
    p.chunk = p.message;
    while (buffers && p.chunk > p.run &&
           (1ull << p.chunk) * (p.bits / 8u) * buffers > bytes) {
        --p.chunk;
    }
    p.staging = (1ull << p.chunk) * (p.bits / 8u) * buffers;
    if (p.staging > bytes) {
        ll_reshard_fails_(&p, LL_RESHARD_EBUDGET);
    }
    return p;
}

/* ll_reshard_in_place(p): returns the plan for ranks with one buffer, which is
 * the source and the target. In each round a rank then stages a whole message.
 * Fails with LL_RESHARD_EPLACESUM, LL_RESHARD_EPLACESIZE, or, if a message
 * would overwrite data that is still to be sent, with LL_RESHARD_EPLACE.
 * Example: ll_reshard_in_place(ll_reshard_of(L("offset: j0 j1 | gpu: i0"),
 *          L("offset: j0 i0 | gpu: j1"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000))).err is LL_OK;
 * Example: ll_reshard_in_place(ll_reshard_of(L("offset: j0 j1 | gpu: i0"),
 *          L("offset: i0 j0 | gpu: j1"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000))).err is LL_RESHARD_EPLACE;
 */
LL_FN ll_reshard ll_reshard_in_place(ll_reshard p) {
    const unsigned held = p.source.out.bits[0] + ll_shape_bits_(&p.mesh);
    if (p.err || p.in_place) {
        p.chunk = p.message;
    } else if (p.sum) {
        ll_reshard_fails_(&p, LL_RESHARD_EPLACESUM);
    } else if (p.copies || p.source.out.bits[0] != p.target.out.bits[0] ||
               ll_shape_bits_(&p.source.in) != held) {
        ll_reshard_fails_(&p, LL_RESHARD_EPLACESIZE);
    } else {
        ll_reshard_fails_(&p, LL_RESHARD_EPLACE);
    }
    return p;
}

/* Private: returns log2 of the elements that a rank sends to ranks at a
 * distance that is 0 in the bits from `low` on, plus 1; 0 if there are none.
 * The inputs of these targets form a coset. */
LL_FN unsigned ll_sends_(const ll_reshard *p, unsigned rank, unsigned low) {
    const unsigned high = ~ll_ones_(low), all = ll_shape_bits_(&p->source.in);
    const unsigned shift = p->source.out.bits[0];
    ll_span_ s = LL_ZERO;
    unsigned n = all;
    const unsigned want = (rank ^ ll_shift_down_(p->source.offset, shift)) |
                          (ll_distance_(p, all) & high) << 16;
    for (unsigned k = 0; k < all; ++k) {
        ll_span_extend_(&s, ll_shift_down_(p->source.basis[k], shift) |
                                (ll_distance_(p, k) & high) << 16);
    }
    for (unsigned k = 0; k < 16u; ++k) {
        if (p->sum >> k & 1u) {
            ll_span_extend_(&s, 1u << k | (1u << k & high) << 16);
            ++n;
        }
    }
    return ll_span_least_(&s, want) ? 0u : 1u + n - s.n;
}

/* ll_reshard_sent(p, rank, level): returns the bytes that a rank sends over
 * links of a level.
 * Example: ll_reshard_sent(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000)), 1, 0) is 4;
 */
LL_FN unsigned long long ll_reshard_sent(ll_reshard p, unsigned rank,
                                         unsigned level) {
    if (p.err || level >= p.mesh.n ||
        rank > ll_ones_(ll_shape_bits_(&p.mesh))) {
        return 0;
    }
    const unsigned low =
        ll_shape_start_(&p.mesh, level); /* bits of nearer ranks */
    return (ll_elements_(ll_sends_(&p, rank, low + p.mesh.bits[level])) -
            ll_elements_(ll_sends_(&p, rank, low))) *
           (p.bits / 8u);
}

/* Private: returns the microseconds for a number of bytes at a bandwidth in
 * 10^9 bytes per second. */
LL_FN double ll_reshard_time_(unsigned long long bytes, unsigned gbps) {
    return (double)bytes / gbps / 1000.0;
}

/* Private: returns the k-th rank for which bytes are counted: all of up to 2^10
 * ranks; of more ranks, those with zeros except in the five highest and five
 * lowest bits. */
LL_FN unsigned ll_counted_rank_(unsigned bits, unsigned k) {
    return bits <= 10u ? k : (k & 31u) | (k >> 5) << (bits - 5u);
}

/* Private: returns 1 if a kernel must read from peers: it adds sums, or several
 * ranks want or have an element, or 16 bytes of the target come from several
 * ranks. Otherwise it writes to its peers. */
LL_FN int ll_reshard_reads_(const ll_reshard *p) {
    const unsigned all = ll_shape_bits_(&p->source.in);
    ll_span_ places = LL_ZERO;
    for (unsigned k = 0; k < all; ++k) {
        ll_span_extend_(&places, p->source.basis[k]);
    }
    return p->sum || p->copies || places.n < all ||
           all < ll_shape_bits_(&p->source.out) ||
           (p->bits / 8ull) << p->target_run < 16ull;
}

/* ll_reshard_us(p): returns the modelled time of the plan in microseconds: the
 * time of the slowest level of the slowest rank, plus the largest latency of
 * the levels in use; a quarter of the nearest one's, a launch, if none is. On a
 * level, the larger of the bytes received and sent counts. A rank's own memory
 * counts as one more level. Links of different levels work at the same time. If
 * a kernel must read from its peers, both directions carry its requests, and it
 * takes 13/12 of the time. It adds two parts of a sum at once: each further
 * pair adds a latency. Of more than 1,024 ranks, only those that differ in the
 * lowest or highest five bits are considered. With 350 GB/s, 12 us and 2,000
 * GB/s within a rank, the model is within 10 % of two and of four H200
 * (tests/test_reshard_us.c).
 * Example: ll_reshard_us(ll_reshard_of(L("gpu: i0 | offset: j0"),
 *          L("gpu: i0 | offset: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 350, 12000))) < 4 is 1;
 */
LL_FN double ll_reshard_us(ll_reshard p) {
    const unsigned bits = ll_shape_bits_(&p.mesh);
    const unsigned parts = ll_popcount_(p.sum); /* log2 */
    const double slow = !p.err && ll_reshard_reads_(&p) ? 13.0 / 12.0 : 1.0;
    double worst = 0, latency = p.err ? 0 : p.topology.level[0].ns / 4000.0;
    for (unsigned k = 0; k < 1u << (bits < 10u ? bits : 10u) && !p.err; ++k) {
        const unsigned rank = ll_counted_rank_(bits, k);
        const unsigned long long element = p.bits / 8u; /* bytes */
        const unsigned long long held =
            ll_elements_(ll_nearer_(&p, rank, bits)) * element;
        const double local = ll_reshard_time_(held, p.topology.local);
        unsigned long long in = 0, out = 0;
        unsigned first = 0; /* of the levels with the same links */
        worst = local > worst ? local : worst;
        for (unsigned level = 0; level < p.mesh.n; ++level) {
            if (p.topology.level[level].gbps) {
                in = out = 0;
                first = level;
            }
            in += ll_reshard_bytes(p, rank, level);
            out += ll_reshard_sent(p, rank, level);
            const double us = slow * ll_reshard_time_(in > out ? in : out,
                                               p.topology.level[first].gbps);
            const double late = p.topology.level[first].ns / 1000.0;
            worst = us > worst ? us : worst;
            latency = in && late > latency ? late : latency;
        }
    }
    return worst + latency * (parts > 1u ? 1u << (parts - 1u) : 1u);
}

/* ---- tiles: Reshards: tiles ------------------------------------------- */

/* A tile of a plan: a number of elements that form runs in both memories. It
 * renumbers the inputs of the plan's maps. In the new number, the first `bits`
 * bits are the element in the tile, the next `rest` bits the tile, and the
 * others the rank. The input is `origin`, XORed with x[k] for each bit k of
 * that number. Elements are numbered in the order of the target. In the order
 * of the source, bit m of the element's number is bit order[m]. */
#define LL_MAX_TILE_ 15u
typedef struct ll_reshard_tile {
    unsigned err;
    unsigned bits; /* log2 of the elements of a tile */
    unsigned rest; /* log2 of the tiles of a rank */
    unsigned x[LL_MAX_BITS], origin;
    unsigned order[LL_MAX_TILE_ + 1u];
} ll_reshard_tile;

/* Private: returns the inputs of the target's offsets 1, 2, 4, ..: a run. */
LL_FN ll_span_ ll_tile_near_(const ll_reshard *p) {
    const unsigned n = p->message + p->peers;
    const ll_span_ to = ll_span_of_columns_(&p->target, 0, n);
    const ll_span_ units = ll_span_units_(0, p->target.out.bits[0]);
    ll_span_ all = ll_span_terms_(&to, &units);
    ll_span_ run = LL_ZERO;
    for (unsigned k = 0; k < all.n; ++k) {
        unsigned y = 0;
        for (unsigned m = 0; m < n; ++m) {
            y ^= all.v[k] >> m & 1u ? to.v[m] : 0u;
        }
        if (y != units.v[k]) {
            break;
        }
        ll_span_push_(&run, all.v[k]);
    }
    return run;
}

/* Private: adds the vectors of a list, up to number n, to a space of at most
 * `most` dimensions. */
LL_FN void ll_span_gain_(ll_span_ *space, const ll_span_ *from, unsigned n,
                         unsigned most) {
    ll_span_ part = *from;
    part.n = n < part.n ? n : part.n;
    ll_span_append_(space, &part, most);
}

/* Private: returns the space of a tile: 16 bytes of the target; runs of `run`
 * elements, and longer ones while there is room, the source's first; then any
 * other inputs. (If 16 bytes of both sides do not fit, there is no tile.) */
LL_FN ll_span_ ll_tile_space_(const ll_span_ *near, const ll_span_ *far,
                              unsigned low, unsigned run, unsigned most,
                              unsigned all) {
    const ll_span_ units = ll_span_units_(0, all);
    ll_span_ space = LL_ZERO;
    ll_span_gain_(&space, near, low, most);
    for (unsigned n = run; n <= LL_MAX_BITS; ++n) {
        ll_span_gain_(&space, far, n, most);
        ll_span_gain_(&space, near, n, most);
    }
    ll_span_gain_(&space, &units, all, most);
    return space;
}

/* Private: returns the vectors of a list that lie in a space. */
LL_FN ll_span_ ll_span_inside_(const ll_span_ *l, const ll_span_ *space) {
    ll_span_ reduced = LL_ZERO, in = LL_ZERO;
    for (unsigned k = 0; k < space->n; ++k) {
        ll_span_extend_(&reduced, space->v[k]);
    }
    for (unsigned k = 0; k < l->n; ++k) {
        if (ll_span_least_(&reduced, l->v[k]) == 0) {
            ll_span_push_(&in, l->v[k]);
        }
    }
    return in;
}

/* Private: moves an input within its tile to where the target's offset is 0 in
 * the first bits of the tile. */
LL_FN unsigned ll_moved_(const ll_reshard *p, const ll_span_ *near,
                         const ll_reshard_tile *t, unsigned x, unsigned at_0) {
    const unsigned y = ll_apply(p->target, x) ^ at_0;
    for (unsigned k = 0; k < t->bits && t->x[k] == near->v[k]; ++k) {
        x ^= y >> k & 1u ? near->v[k] : 0u;
    }
    return x;
}

/* Private: returns 1 if only the first bits of a tile, in an order, reach the
 * low bits of offsets, so that 16 bytes are one access. */
LL_FN int ll_aligned_(const ll_layout *map, const ll_reshard_tile *t,
                      const unsigned *order, unsigned low) {
    unsigned any = ll_apply(*map, t->origin);
    for (unsigned k = low; k < ll_shape_bits_(&map->in); ++k) {
        const unsigned at = k < t->bits ? order[k] : k;
        any |= ll_apply(*map, t->x[at]) ^ map->offset;
    }
    return (any & ll_ones_(low)) == 0;
}

/* ll_reshard_tile_of(p, bytes, run): returns a tile of `bytes` bytes. In it,
 * both memories have runs of at least `run` bytes if the plan has such runs and
 * two of them fit; otherwise shorter runs, of at least 16 bytes. A kernel reads
 * a tile in the order of the source, converts it, and writes it in the order of
 * the target. Sizes below 16 bytes count as 16. Fails with LL_RESHARD_ETILE if
 * 16 bytes of either side are not contiguous, or if neither order is a
 * permutation of the other.
 * Example: ll_reshard_tile_of(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000)), 4096, 128).err is
 *          LL_RESHARD_ETILE;
 */
LL_FN ll_reshard_tile ll_reshard_tile_of(ll_reshard p, unsigned bytes,
                                         unsigned run) {
    ll_reshard_tile t = LL_ZERO;
    const unsigned all = p.message + p.peers, size = p.bits / 8u;
    const unsigned low = p.err ? 0u : ll_log2_(16u / size);
    const unsigned tile = bytes < 16u ? low : ll_log2_(bytes) - ll_log2_(size);
    const unsigned side = run < 16u ? low : ll_log2_(run) - ll_log2_(size);
    t.err = p.err;
    t.bits = tile < all ? tile : all;
    t.rest = all - t.bits;
    if (t.err || t.bits > LL_MAX_TILE_ || ll_log2_(bytes) == LL_NO_BITS_ ||
        ll_log2_(run) == LL_NO_BITS_) {
        t.err = t.err ? t.err : (unsigned)LL_RESHARD_ETILE;
        return t;
    }
    const ll_span_ near = ll_tile_near_(&p),
                   far = ll_span_units_(0, p.source_run);
    const ll_span_ space =
        ll_tile_space_(&near, &far, low, side, t.bits, all);
    const ll_span_ units = ll_span_units_(0, all),
                   peers = ll_span_units_(p.message, all);
    ll_span_ to = ll_span_inside_(&near, &space),
             from = ll_span_inside_(&far, &space);
    const unsigned short_ = to.n < low || from.n < low;
    ll_span_gain_(&to, &space, space.n, t.bits);
    ll_span_gain_(&from, &to, to.n, t.bits);
    const ll_span_ order = ll_span_terms_(&to, &from);
    unsigned wrong = short_;
    for (unsigned k = 0; k < t.bits; ++k) {
        wrong |= order.v[k] != ll_leading_bit_(order.v[k]);
        t.order[k] = order.v[k] ? ll_log2_(ll_leading_bit_(order.v[k])) : 0u;
    }
    ll_span_gain_(&to, &peers, peers.n, all);
    ll_span_gain_(&to, &units, all, all);
    const ll_span_ ranks = ll_span_units_(all, ll_shape_bits_(&p.source.in));
    unsigned same[LL_MAX_TILE_ + 1u] = LL_ZERO;
    ll_span_gain_(&to, &ranks, LL_MAX_BITS, LL_MAX_BITS);
    for (unsigned k = 0; k < to.n; ++k) {
        t.x[k] = k < t.bits ? to.v[k]
                            : ll_moved_(&p, &near, &t, to.v[k],
                                        p.target.offset);
        same[k < t.bits ? k : LL_MAX_TILE_] = k;
    }
    t.origin = ll_moved_(&p, &near, &t, 0, 0);
    if (wrong || !ll_aligned_(&p.target, &t, same, low) ||
        !ll_aligned_(&p.source, &t, t.order, low)) {
        t.err = LL_RESHARD_ETILE;
    }
    return t;
}

/* ---- explain: Reshards: explanations ---------------------------------- */

/* Private: writes a number of bytes, 48 MiB or 16 bytes. */
LL_FN void ll_write_bytes_(ll_writer_ *w, unsigned long long n) {
    const char *unit[4] = {" bytes", " KiB", " MiB", " GiB"};
    unsigned k = 0;
    while (k < 3u && n >= 1024u && n % 1024u == 0) {
        n /= 1024u;
        ++k;
    }
    ll_write_number_(w, n);
    ll_write_(w, n == 1u && k == 0 ? " byte" : unit[k]);
}

/* Private: writes one part of a name, with "and" between parts. */
LL_FN void ll_write_part_(ll_writer_ *w, const char *name, unsigned bits,
                          unsigned *parts) {
    if (*parts) {
        ll_write_(w, " and ");
    }
    ll_write_(w, name);
    if (bits) {
        ll_write_(w, " among ");
        ll_write_number_(w, 1ull << bits);
    }
    ++*parts;
}

/* Private: returns log2 of the number of ranks that are read. */
LL_FN unsigned ll_sources_(const ll_reshard *p) {
    ll_span_ s = LL_ZERO;
    for (unsigned k = 0; k < ll_shape_bits_(&p->source.in); ++k) {
        ll_span_extend_(&s, ll_shift_down_(p->source.basis[k],
                                           p->source.out.bits[0]));
    }
    return s.n + ll_popcount_(p->sum);
}

/* Private: writes the name of the collective. */
LL_FN void ll_write_collective_(ll_writer_ *w, const ll_reshard *p) {
    const unsigned out = p->from - p->both, in = p->to - p->both;
    const unsigned turned = in < out ? in : out;
    const unsigned ranks =
        ll_shape_bits_(&p->source.in) - p->message - p->peers;
    const int few = ll_sources_(p) < ranks;
    unsigned parts = 0;
    if (p->sum) {
        int apart = 0;
        for (unsigned k = p->message + p->peers;
             k < ll_shape_bits_(&p->source.in); ++k) {
            apart |= (ll_rank_of_bit_(p, k) & p->sum) &&
                     p->source.basis[k] & ll_ones_(p->source.out.bits[0]);
        }
        ll_write_part_(w, apart ? "reduce-scatter" : "all-reduce",
                       ll_popcount_(p->sum), &parts);
    }
    if (turned) {
        ll_write_part_(w, "all-to-all", turned, &parts);
    }
    if (in > turned) {
        ll_write_part_(
            w, ranks < ll_shape_bits_(&p->mesh) ? "gather" : "all-gather",
            in - turned, &parts);
    }
    if (p->moves) {
        ll_write_part_(w, !few ? "permute" : out > turned ? "scatter"
                                                          : "broadcast",
                       0, &parts);
    }
    if (!parts) {
        ll_write_(w, out > turned ? "slice: nothing crosses a link"
                                  : "local: nothing crosses a link");
    }
}

/* Private: writes the most bytes that a rank moves over the links of each
 * level. */
LL_FN void ll_write_links_(ll_writer_ *w, const ll_reshard *p) {
    const unsigned bits = ll_shape_bits_(&p->mesh);
    for (unsigned level = 0; level < p->mesh.n; ++level) {
        unsigned long long in = 0, out = 0;
        for (unsigned k = 0; k < 1u << (bits < 10u ? bits : 10u); ++k) {
            const unsigned rank = ll_counted_rank_(bits, k);
            const unsigned long long r = ll_reshard_bytes(*p, rank, level);
            const unsigned long long s = ll_reshard_sent(*p, rank, level);
            in = r > in ? r : in;
            out = s > out ? s : out;
        }
        ll_write_(w, "over ");
        ll_write_name_(w, p->topology.level[level].dim);
        ll_write_(w, " each rank receives at most ");
        ll_write_bytes_(w, in);
        ll_write_(w, " and sends at most ");
        ll_write_bytes_(w, out);
        ll_write_(w, "\n");
    }
}

/* Private: writes the messages of a rank. If each rank has a message from every
 * distance, and one distance is 0, that message stays. */
LL_FN void ll_write_messages_(ll_writer_ *w, const ll_reshard *p) {
    const unsigned long long bytes = (p->bits / 8ull) << p->message;
    const unsigned n = 1u << p->peers;
    const int stays =
        ll_reshard_rounds(*p) == n && ll_reshard_round(*p, 0) == 0;
    if (stays && n == 1u) {
        ll_write_bytes_(w, bytes);
        ll_write_(w, " per rank stay");
        return;
    }
    ll_write_(w, "each rank receives ");
    ll_write_count_(w, stays ? n - 1u : n, "message");
    ll_write_(w, " of ");
    ll_write_bytes_(w, bytes);
    if (stays) {
        ll_write_(w, " from others and keeps ");
        ll_write_bytes_(w, bytes);
    }
}

/* ll_explain_reshard(p, buf, size): writes a plan in words: its collectives,
 * the bytes over the links of each level, messages, runs, rounds and the
 * modelled time. Returns the length of the whole text.
 * Example: ll_explain_reshard(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 4, ll_topology_of(2000)), 0, 0) is 55;
 */
LL_FN unsigned ll_explain_reshard(ll_reshard p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (p.err) {
        ll_write_(&w, ll_reshard_strerror(p.err));
        ll_write_(&w, "\n");
        return w.len;
    }
    ll_write_number_(&w, 1ull << ll_shape_bits_(&p.mesh));
    ll_write_(&w, " ranks, ");
    ll_write_collective_(&w, &p);
    ll_write_(&w, "\n");
    ll_write_links_(&w, &p);
    ll_write_messages_(&w, &p);
    ll_write_(&w, ": runs of ");
    ll_write_bytes_(&w, (p.bits / 8ull) << p.source_run);
    ll_write_(&w, " in the source, ");
    ll_write_bytes_(&w, (p.bits / 8ull) << p.target_run);
    ll_write_(&w, " in the target, ");
    ll_write_bytes_(&w, (p.bits / 8ull) << p.run);
    ll_write_(&w, " in both\nrank r receives from r ^ d for d =");
    const unsigned rounds = ll_reshard_rounds(p);
    for (unsigned k = 0; k < rounds && k < 8u; ++k) {
        ll_write_(&w, k ? ", " : " ");
        ll_write_number_(&w, ll_reshard_round(p, k));
    }
    ll_write_(&w, rounds > 8u ? ", ..\n" : "\n");
    if (p.in_place) {
        ll_write_(&w, "in place: each message replaces the one that is sent "
                      "in return\n");
    }
    ll_write_(&w, "about ");
    ll_write_number_(&w, (unsigned long long)(ll_reshard_us(p) + 0.5));
    ll_write_(&w, " us\n");
    return w.len;
}

/*
 * MIT License
 *
 * Copyright (c) 2026 the ll authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in
 * all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */

#endif
