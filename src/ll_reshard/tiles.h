/* ---- Reshards: tiles -------------------------------------------------- */
#ifndef LL_RESHARD_TILES_H
#define LL_RESHARD_TILES_H

#include "plan.h"

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

#endif
