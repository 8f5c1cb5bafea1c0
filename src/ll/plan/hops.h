/* ---- Renamings and hops ----------------------------------------------- */
#ifndef LL_PLAN_HOPS_H
#define LL_PLAN_HOPS_H

#include "accesses.h"

/* Steps that need no memory. A renaming gives registers other numbers; it is
 * free, or permutes bytes within words. A hop is one instruction that fetches a
 * word from another lane. A swap exchanges a position bit with a lane bit. */

/* Private: returns a renaming: position p takes the register that is the XOR of
 * `first` and of reg->v[k] for each bit k of p. */
LL_FN ll_step ll_step_renaming_(const ll_span_ *reg, unsigned first,
                                unsigned pack) {
    ll_step s = LL_ZERO;
    s.op = LL_OP_RENAME;
    s.pack = pack < reg->n ? pack : reg->n;
    s.bits = reg->n;
    s.at.n = reg->n;
    s.at.first = first;
    for (unsigned k = 0; k < reg->n; ++k) {
        s.at.reg[k] = reg->v[k];
    }
    return s;
}

/* Private: returns the renaming from the positions of an access to 2^bits
 * registers. Registers that hold copies take the same position. */
LL_FN ll_step ll_step_back_(const ll_access *m, unsigned bits, unsigned pack) {
    ll_span_ basis = LL_ZERO;
    ll_span_ wanted = LL_ZERO;
    ll_span_ reg = LL_ZERO;
    for (unsigned k = 0; k < m->n; ++k) {
        ll_span_push_(&basis, m->reg[k]);
    }
    for (unsigned k = 0; k < m->copies; ++k) {
        ll_span_push_(&basis, m->copy[k]);
    }
    for (unsigned k = 0; k < bits; ++k) {
        ll_span_push_(&wanted, 1u << k);
    }
    ll_span_push_(&wanted, m->first);
    const ll_span_ terms = ll_span_terms_(&basis, &wanted);
    for (unsigned k = 0; k < bits; ++k) {
        ll_span_push_(&reg, terms.v[k] & ll_ones_(m->n));
    }
    return ll_step_renaming_(&reg, terms.v[bits] & ll_ones_(m->n), pack);
}

/* Private: returns the renaming from registers to an access's positions. */
LL_FN ll_step ll_step_forth_(const ll_access *m, unsigned pack) {
    ll_span_ reg = LL_ZERO;
    for (unsigned k = 0; k < m->n; ++k) {
        ll_span_push_(&reg, m->reg[k]);
    }
    return ll_step_renaming_(&reg, m->first, pack);
}

/* Private: returns a step of selects. by_thread lists, for each thread bit, the
 * value that it XORs to the position. The step takes one select per word for
 * each dimension of the span of these values. */
LL_FN ll_step ll_step_selects_(const ll_span_ *by_thread, unsigned bits,
                               unsigned pack, unsigned element_bits) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ basis = ll_span_independent_(&none, by_thread);
    const ll_span_ terms = ll_span_terms_(&basis, by_thread);
    ll_step s = LL_ZERO;
    s.op = LL_OP_SELECT;
    s.pack = pack;
    s.bits = bits;
    s.at.n = basis.n;
    for (unsigned k = 0; k < basis.n; ++k) {
        s.at.reg[k] = basis.v[k];
        for (unsigned t = 0; t < terms.n; ++t) {
            s.at.place[k] |= (terms.v[t] >> k & 1u) << t;
        }
    }
    s.count = basis.n * ll_word_count_(bits, pack, element_bits);
    return s;
}

/* Private: returns 1 if output d of x is just the input of that name. */
LL_FN int ll_output_stays_(const ll_layout *x, unsigned d) {
    const unsigned in = ll_shape_start_(&x->in, d);
    const unsigned out = ll_shape_start_(&x->out, d);
    const unsigned mask = ll_shift_(ll_ones_(x->out.bits[d]), out);
    int stays = x->in.bits[d] == x->out.bits[d] && !(x->offset & mask);
    for (unsigned k = 0; k < ll_shape_bits_(&x->in); ++k) {
        const unsigned bit = k - in < x->in.bits[d] ? 1u << (k - in) : 0u;
        stays = stays && (x->basis[k] & mask) == ll_shift_(bit, out);
    }
    return stays;
}

/* Private: returns 1 if a map with these columns keeps the lane bits below
 * `low` among themselves and every other lane bit in place. */
LL_FN int ll_map_stays_below_(const unsigned *column, unsigned n,
                              unsigned low) {
    int stays = 1;
    for (unsigned k = 0; k < n; ++k) {
        stays = stays && (k < low ? column[k] >> low == 0
                                  : column[k] == 1u << k);
    }
    return stays;
}

/* Private: returns the control of a hop in which each of 2^low lanes reads one
 * of these lanes: `low` bits per lane, from lane 0 up. */
LL_FN unsigned long long ll_control_(const unsigned *column, unsigned low,
                                     unsigned first) {
    unsigned long long control = 0;
    for (unsigned lane = 0; lane < 1u << low; ++lane) {
        const unsigned from = (first ^ ll_vectors_xor_(column, low, lane)) &
                              ll_ones_(low);
        control |= (unsigned long long)from << low * lane;
    }
    return control;
}

/* Private: returns 1 if the map with these columns leaves each lane bit in
 * place or, below bit 5, clears it. */
LL_FN int ll_map_is_diagonal_(const unsigned *column, unsigned n) {
    int is = 1;
    for (unsigned k = 0; k < n; ++k) {
        is = is && (column[k] == 1u << k || (k < 5u && column[k] == 0));
    }
    return is;
}

/* Private: appends a hop. `near`: it avoids the shared-memory pipe. */
LL_FN void ll_push_hop_(ll_hops *h, unsigned hop, unsigned long long control) {
    h->hop[h->n] = hop;
    h->control[h->n] = control;
    h->near = hop != LL_HOP_ANY && hop != LL_HOP_32;
    ++h->n;
}

/* Private: returns 1 if `hops` has it; LL_HOP_XOR: with this control. */
LL_FN int ll_can_hop_(unsigned hops, unsigned hop, unsigned control) {
    const unsigned by = hop == LL_HOP_XOR ? 16u + control : hop;
    return control < 16u && (hops >> hop & hops >> by & 1u);
}

/* Private: adds an XOR within a row, if there is one, and a map of 4 lanes. */
LL_FN void ll_hop_twice_(ll_hops *h, const unsigned *column, unsigned first,
                         unsigned hops) {
    for (unsigned c = first & 12u; c < (first & 12u) + 4u; ++c) {
        if (h->n == 0 && ll_can_hop_(hops, LL_HOP_XOR, c)) {
            ll_push_hop_(h, LL_HOP_XOR, c);
            ll_push_hop_(h, LL_HOP_QUAD, ll_control_(column, 2, first ^ c));
        }
    }
}

/* Private: adds the hops within 32 lanes for a map with these columns, followed
 * by an XOR with `first`. Returns 0 if two hops are not enough. */
LL_FN int ll_hop_(ll_hops *h, const unsigned *column, unsigned n,
                  unsigned first, unsigned hops) {
    const unsigned before = h->n;
    const unsigned row = first & 16u ? LL_HOP_ROWX : LL_HOP_ROW;
    const int still = ll_map_stays_below_(column, n, 0);
    const int quad = ll_map_stays_below_(column, n, 2) &&
                     ll_can_hop_(hops, LL_HOP_QUAD, 0);
    if (first >= 32u || h->n == 2u || (still && first == 0)) {
        return still && first == 0;
    }
    if (still && ll_can_hop_(hops, LL_HOP_XOR, first)) {
        ll_push_hop_(h, LL_HOP_XOR, first);
    } else if (quad && first < 4u) {
        ll_push_hop_(h, LL_HOP_QUAD, ll_control_(column, 2, first));
    } else if (ll_map_stays_below_(column, n, 4) && ll_can_hop_(hops, row, 0)) {
        ll_push_hop_(h, row, ll_control_(column, 4, first));
    } else if (quad && first < 16u) {
        ll_hop_twice_(h, column, first, hops);
    }
    if (h->n == before && ll_map_is_diagonal_(column, n) &&
        ll_can_hop_(hops, LL_HOP_32, 0)) {
        ll_push_hop_(h, LL_HOP_32,
                     column[0] | column[1] | column[2] | column[3] |
                         column[4] | first << 10);
    }
    return h->n > before;
}

/* ll_hops_of(m, place, hops, lanes): returns the hops that bring each lane l a
 * word from lane ll_map_at(m, l) ^ place. `hops` is the member of a target. The
 * result is the cheapest way of at most two hops; near hops are preferred. With
 * two hops, the second names a lane, and the first names the lane that this
 * lane reads. Returns LL_HOP_ANY if there is no other way, if the lane depends
 * on the warp, or if `lanes` is not a power of two up to 64.
 * Example: ll_hops_of(ll_map_of(ll_identity(64, LL_LANE, LL_LANE)), 4,
 *          LL_GFX942.hops, 64).control[0] is 7;
 * Example: ll_hops_of(ll_map_of(L("lane: lane1 lane0 lane2 lane3 lane4")), 0,
 *          LL_GFX1100.hops, 32).hop[0] is 1;
 * Example: ll_hops_of(ll_map_of(ll_identity(64, LL_LANE, LL_LANE)), 16,
 *          LL_GFX942.hops, 64).near is 0;
 */
LL_FN ll_hops ll_hops_of(ll_map m, unsigned place, unsigned hops,
                         unsigned lanes) {
    const unsigned n = ll_log2_(lanes);
    unsigned column[6] = LL_ZERO;
    unsigned first = m.offset ^ place;
    ll_hops h = LL_ZERO;
    int in_warp = 1;
    if (n > 6u) {
        ll_push_hop_(&h, LL_HOP_ANY, 0);
        return h;
    }
    for (unsigned k = 0; k < m.n; ++k) {
        in_warp = in_warp && m.mask[k] < lanes;
    }
    for (unsigned k = 0; k < n; ++k) {
        column[k] = ll_map_at(m, 1u << k) ^ m.offset;
    }
    h.near = 1;
    ll_hops swaps = h;
    for (unsigned lane = 16; lane < lanes; lane *= 2u) {
        if ((first & lane) && ll_can_hop_(hops, LL_HOP_SWAP, 0)) {
            ll_push_hop_(&swaps, LL_HOP_SWAP, lane);
        }
    }
    if (swaps.n && in_warp && ll_hop_(&swaps, column, n, first & 15u, hops) &&
        swaps.near) {
        return swaps;
    }
    if ((first & 32u) && ll_can_hop_(hops, LL_HOP_HALF, 0)) {
        ll_push_hop_(&h, LL_HOP_HALF, 0);
        first ^= 32u;
    }
    if (!in_warp || !ll_hop_(&h, column, n, first, hops)) {
        h.n = 0;
        ll_push_hop_(&h, LL_HOP_ANY, 0);
    }
    return h;
}

/* Private: lets a shuffle of `lanes` lanes use these hops. Counts its words
 * that use near hops only, and its instructions outside the shared-memory pipe:
 * near hops, and one for each lane that LL_HOP_ANY names. */
LL_FN void ll_hop_all_(ll_step *s, unsigned parts, unsigned hops,
                       unsigned lanes) {
    unsigned long long named = 0;
    s->hops = hops;
    s->near = s->logic = 0;
    for (unsigned p = 0; hops && p < 1u << s->bits; p += 1u << s->pack) {
        const unsigned place = ll_vectors_xor_(s->at.place, s->at.n, p);
        const ll_hops h = ll_hops_of(s->thread, place, hops, lanes);
        s->near += h.n && h.near ? parts : 0u;
        for (unsigned k = 0; k < h.n; ++k) {
            const unsigned hop = h.hop[k];
            s->logic += hop == LL_HOP_32     ? 0u
                        : hop == LL_HOP_SWAP ? 3u * parts
                        : hop != LL_HOP_ANY  ? parts
                                             : !(named >> place & 1u);
            named |= hop == LL_HOP_ANY ? 1ull << place : 0u;
        }
    }
}

#endif
