/* ---- Tiles in memory -------------------------------------------------- */
#ifndef LL_PLAN_TILES_H
#define LL_PLAN_TILES_H

#include "nibbles.h"
#include "accesses.h"

/* Addresses of tiles in global memory, and places of a step in bytes. */

/* Private: returns the map from the thread number (lane, then warp) to the
 * places of x for register 0. The first input of x is the register. `offset`
 * replaces the offset of x, and all places are multiplied by 2^scale. */
LL_FN ll_layout ll_thread_places_(const ll_layout *x, unsigned offset,
                                  unsigned scale) {
    const ll_shape none = LL_ZERO;
    unsigned n = x->in.bits[0];
    ll_layout thread = ll_zero(none, x->out);
    thread.in = ll_shape_add_(none, LL_LANE, ll_shape_bits_(&x->in) - n);
    thread.offset = ll_shift_(offset, scale);
    for (unsigned k = 0; k < thread.in.bits[0]; ++k) {
        thread.basis[k] = ll_shift_(x->basis[n + k], scale);
    }
    return thread;
}

/* Private: returns the map from the thread number to the tensor, for register 0
 * of a layout with hardware inputs. */
LL_FN ll_layout ll_thread_map_(ll_layout a) {
    const ll_layout h = ll_hardware_(a);
    return h.err ? h : ll_thread_places_(&h, h.offset, 0);
}

/* Private: completes a step for kernels: places in bytes, and the map from the
 * thread number to the byte offset. */
LL_FN ll_step ll_step_addressed_(ll_step s, const ll_layout *a,
                                 const ll_layout *m, unsigned scale,
                                 const ll_target *t) {
    const unsigned op = s.op == LL_OP_LOAD ? LL_READ : LL_WRITE;
    unsigned lane[6] = LL_ZERO;
    const ll_layout x = ll_solve(*m, *a, LL_FIRST);
    ll_layout thread = ll_thread_places_(&x, s.at.offset, 0);
    s.at.spare = ll_spare_threads_(&x);
    if (s.form != LL_FORM_VECTOR) {
        ll_row_lanes_(&x, &s.at, t->forms[op][s.form], scale, lane);
        for (unsigned k = 0; k < x.in.bits[1]; ++k) {
            thread.basis[k] = lane[k];
        }
    }
    for (unsigned k = 0; k < thread.in.bits[0]; ++k) {
        thread.basis[k] = ll_shift_(thread.basis[k], scale);
    }
    thread.offset = ll_shift_(thread.offset, scale);
    for (unsigned k = 0; k < s.at.n; ++k) {
        s.at.place[k] = ll_shift_(s.at.place[k], scale);
    }
    s.touched = ll_columns_beyond_(&thread, 0) | thread.offset;
    s.thread = ll_map_of(thread);
    return s;
}

/* Private: sorts the position bits of a tile. Bits that change `touched` place
 * bits come last, because each of their values needs its own address. The
 * others go row by row, so that a lane uses up one address before the next. */
LL_FN ll_access ll_access_row_by_row_(ll_access m, unsigned touched) {
    for (unsigned k = m.vector; k < m.n; ++k) {
        for (unsigned l = k; l > m.vector; --l) {
            const unsigned place = m.place[l];
            const unsigned reg = m.reg[l];
            const unsigned moved = place & touched;
            const unsigned before = m.place[l - 1u] & touched;
            if (moved < before ||
                (moved == before && place < m.place[l - 1u])) {
                m.place[l] = m.place[l - 1u];
                m.reg[l] = m.reg[l - 1u];
                m.place[l - 1u] = place;
                m.reg[l - 1u] = reg;
            }
        }
    }
    return m;
}

/* ll_tile_of(a, element_bits, most): returns how the lanes of a block load or
 * store a tile of layout a. Its accesses are the widest that the layout allows,
 * up to `most` bytes; more than 32 count as 32. The tensor has one or two axes.
 * Fails with LL_EELEMENT, LL_EACCESS (`most` is less than an element),
 * LL_EHARDWARE (a has an input that is not register, lane, warp or block),
 * LL_EBLOCK (a has several blocks), LL_EAXES (more than two axes), LL_EPAIR.
 * For 4 bits its elements are pairs, columns 2j and 2j + 1.
 * Example: ll_tile_of(ll_rows(64, 64, 2), 16, 16).bytes is 16;
 * Example: ll_tile_of(LL_ROWS(.rows = 64, .cols = 64, .bytes = 2,
 *                             .access = 32), 16, 32).bytes is 32;
 * Example: ll_tile_of(L("register: i0 j0 j1 | lane: j2"), 4, 16).nibble is 1;
 * Example: ll_tile_of(L("register: j1 | lane: j0"), 4, 16).err is LL_EPAIR;
 */
LL_FN ll_tile ll_tile_of(ll_layout a, unsigned element_bits, unsigned most) {
    ll_tile tile = LL_ZERO;
    unsigned scale = ll_element_scale_(element_bits);
    const ll_layout all = ll_hardware_(a);
    ll_layout h = ll_in_block_(all);
    if (element_bits == 4u && !h.err) {
        const ll_pairs_ p = ll_pairs_of_(&h, &h, 1);
        if (p.u == 0) {
            tile.err = LL_EPAIR;
            return tile;
        }
        tile.nibble = p.before;
        h = ll_nibbles_paired_(&h, p.before, p.u);
        scale = 0;
    }
    unsigned widest = h.out.bits[0];
    int err = scale > 4u           ? LL_EELEMENT
              : h.out.n > 2        ? LL_EAXES
              : all.in.bits[3]     ? LL_EBLOCK
              : most >> scale == 0 ? LL_EACCESS
                                   : LL_OK;
    tile.err = h.err ? h.err : (unsigned)err;
    most = most < 32u ? most : 32u;
    while (widest && ll_shift_down_(most, widest + scale) == 0) {
        --widest;
    }
    if (!tile.err) {
        tile.at = ll_access_meet_(&h, widest);
        tile.at.spare = ll_spare_threads_(&h);
        const ll_layout thread = ll_thread_places_(&h, tile.at.offset, 0);
        tile.bytes = 1u << (tile.at.vector + scale);
        tile.pack = ll_word_bits_(scale);
        tile.pack = tile.pack < tile.at.vector ? tile.pack : tile.at.vector;
        tile.col_bits = h.out.bits[0];
        tile.touched = ll_columns_beyond_(&thread, 0) | thread.offset;
        tile.at = ll_access_row_by_row_(tile.at, tile.touched);
        tile.thread = ll_map_of(thread);
    }
    return tile;
}

/* Private: returns the number of different aligned pieces of `bytes` bytes, a
 * power of two, that columns first..end-1 of h reach in a tile of layout h with
 * elements of 2^scale bytes. The number of a piece is linear. */
LL_FN unsigned ll_tile_pieces_(const ll_layout *h, unsigned first, unsigned end,
                               unsigned bytes, unsigned scale) {
    const unsigned cols = ll_ones_(h->out.bits[0]);
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = first; k < end; ++k) {
        ll_echelon_load_(&r, h->basis[k] & ~(((bytes >> scale) - 1u) & cols),
                         0);
    }
    return 1u << ll_echelon_rank_(&r);
}

/* Private: returns the number of addresses that a lane computes for a tile: one
 * per row and per value of the bits that are XORed. */
LL_FN unsigned ll_tile_addresses_(const ll_tile *tile) {
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = 0; k < tile->at.n; ++k) {
        const unsigned apart = tile->touched | ~ll_ones_(tile->col_bits);
        ll_echelon_load_(&r, tile->at.place[k] & apart, 0);
    }
    return 1u << ll_echelon_rank_(&r);
}

/* ll_global_of(a, element_bits, most, t): returns the cost for a warp of target
 * t to load or store layout a by LL_LOAD or LL_STORE, with accesses of up to
 * `most` bytes: 16, or 32 by LL_WIDE. A layout of one axis is one contiguous
 * row; ll_flatten_out(a, LL_J) turns a matrix without gaps between its rows
 * into such a layout. Fails as ll_tile_of does, and with LL_ETARGET, LL_ELANES.
 * Example: ll_global_of(ll_rows(64, 64, 4), 32, 16, LL_SM90).sectors is 16;
 * Example: ll_global_of(ll_rows(64, 64, 4), 32, 16, LL_SM90).halves is 8;
 * Example: ll_global_of(ll_trans(ll_rows(64, 64, 4), "j i"), 32, 16,
 *                       LL_SM90).halves is 16;
 */
LL_FN ll_global ll_global_of(ll_layout a, unsigned element_bits, unsigned most,
                             ll_target t) {
    const unsigned scale = ll_element_scale_(element_bits);
    const ll_layout h = ll_in_block_(ll_hardware_(a));
    const ll_tile tile = ll_tile_of(a, element_bits, most);
    ll_global g = LL_ZERO;
    g.err = tile.err                            ? tile.err
            : t.err                             ? t.err
            : !ll_is_target_(&t)                ? (unsigned)LL_ETARGET
            : h.in.bits[1] != ll_log2_(t.lanes) ? (unsigned)LL_ELANES
                                                : (unsigned)LL_OK;
    if (!g.err) {
        const unsigned lane = h.in.bits[0];
        const unsigned warp = lane + h.in.bits[1];
        g.bytes = tile.bytes;
        g.count = 1u << (tile.at.n - tile.at.vector);
        g.addresses = ll_tile_addresses_(&tile);
        g.sectors = ll_tile_pieces_(&h, lane, warp, 32, scale);
        g.halves = ll_tile_pieces_(&h, lane, warp, 64, scale);
        g.lines = ll_tile_pieces_(&h, lane, warp, 128, scale);
        g.whole = ll_tile_pieces_(&h, 0, warp, 32, scale);
    }
    return g;
}

/* Private: returns the packed coordinates of the element that each thread
 * stores in position 0, as a layout of the thread number. */
LL_FN ll_layout ll_stored_(const ll_plan *p) {
    const ll_shape none = LL_ZERO;
    const ll_map *thread = &p->step[1].thread;
    const unsigned scale = ll_element_scale_(p->element_bits);
    ll_layout a =
        ll_zero(ll_shape_add_(none, LL_LANE, LL_MAX_BITS), p->memory.out);
    a.offset = ll_apply(p->memory, thread->offset >> scale);
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        const unsigned place = ll_map_at(*thread, 1u << k) ^ thread->offset;
        a.basis[k] = ll_layout_linear_(&p->memory, place >> scale);
    }
    return a;
}

/* Private: returns log2 of the elements contiguous and aligned in a row of the
 * tile and in memory: at most an access of the store, or a word. */
LL_FN unsigned ll_tile_side_by_side_(const ll_tile *tile, const ll_step *s,
                                     unsigned scale) {
    const unsigned bank = ll_word_bits_(scale);
    const unsigned most = s->at.vector > bank ? s->at.vector : bank;
    unsigned n = 0;
    while (n < most && n < tile->col_bits && tile->at.place[n] == 1u << n &&
           s->at.place[n] >> scale == 1u << n) {
        ++n;
    }
    unsigned others = tile->touched | s->touched >> scale;
    for (unsigned k = n; k < s->at.n; ++k) {
        others |= tile->at.place[k] | s->at.place[k] >> scale;
    }
    while (others & ll_ones_(n)) {
        --n;
    }
    return n;
}

/* ll_tile_copied(p): returns the tile of a row-major matrix that copies move to
 * shared memory in place of the plan's store. It has the positions of step[1].
 * Its accesses are the widest that are contiguous both in a row and in memory.
 * They are no wider than accesses of the store, but have at least 4 bytes.
 * Every plan of LL_COPIES has such a tile, with accesses as wide as its stores.
 * Other plans may have a tile with narrower accesses, which LL_COPY refuses.
 * Fails with LL_EKIND (the plan does not store vectors, or takes several
 * passes), LL_EAXES, LL_ECOPY (fewer than 4 bytes, which no copy moves).
 * Example: ll_tile_copied(ll_plan_by(ll_rows(64, 64, 2),
 *          ll_ptx_mma_a(64, 64, 16, 4), 16, LL_SM80, LL_COPIES)).bytes is 16;
 */
LL_FN ll_tile ll_tile_copied(ll_plan p) {
    const ll_step *s = &p.step[1];
    const unsigned scale = ll_element_scale_(p.element_bits);
    ll_tile tile = LL_ZERO;
    const int none = p.kind != LL_SHARED || p.passes ||
                     s->form != LL_FORM_VECTOR ||
                     (p.nibbles && p.pair != 1u);
    const int err = none                  ? LL_EKIND
                    : p.memory.out.n > 2u ? LL_EAXES
                                          : LL_OK;
    tile.err = p.err ? p.err : (unsigned)err;
    if (tile.err) {
        return tile;
    }
    const ll_layout thread = ll_stored_(&p);
    tile.col_bits = p.memory.out.bits[0];
    tile.touched = ll_columns_beyond_(&thread, 0) | thread.offset;
    tile.thread = ll_map_of(thread);
    tile.at = s->at;
    for (unsigned k = 0; k < s->at.n; ++k) {
        tile.at.place[k] =
            ll_layout_linear_(&p.memory, s->at.place[k] >> scale);
    }
    tile.at.vector = ll_tile_side_by_side_(&tile, s, scale);
    tile.bytes = 1u << (tile.at.vector + scale);
    tile.err = tile.bytes < 4u ? (unsigned)LL_ECOPY : tile.err;
    return tile;
}

/* ll_registers(access, p): returns the register of position p. */
LL_FN unsigned ll_registers(const ll_access *m, unsigned p) {
    return m->first ^ ll_vectors_xor_(m->reg, m->n, p);
}

/* ll_places(access, p): returns position p's place for thread 0 and offset
 * 0. */
LL_FN unsigned ll_places(const ll_access *m, unsigned p) {
    return ll_vectors_xor_(m->place, m->n, p);
}

#endif
