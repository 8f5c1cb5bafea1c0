/* ---- Views: Triton's attributes of memory ----------------------------- */
#ifndef LL_VIEWS_TRITON_MEMORY_H
#define LL_VIEWS_TRITON_MEMORY_H

#include "triton.h"

/* The recipes of attributes that lay a tensor in shared or tensor memory, and
 * of linear ones, which list the columns. */

/* Private: the keys that say which blocks there are. */
#define LL_BLOCK_KEYS_ "CGALayout CTAsPerCGA CTASplitNum CTAOrder "

/* Private: returns what is wrong with the columns of a linear layout, or 0.
 * Together they must reach every element. With `plain` each column is one bit,
 * and no two are the same, except for columns that are 0. */
LL_FN const char *ll_is_linear_(const ll_recipe_ *m, int plain) {
    unsigned ok = 1;
    unsigned whole = 1;
    for (unsigned axis = 0; axis < m->rank; ++axis) {
        unsigned seen = 0;
        for (unsigned in = 0; in < LL_INPUTS_; ++in) {
            for (unsigned k = 0; k < m->n[in]; ++k) {
                const unsigned x = m->v[in][k][axis];
                ok = plain && (x & seen || x & (x - 1u)) ? 0u : ok;
                for (unsigned b = axis + 1u; plain && x && b < m->rank; ++b) {
                    ok = m->v[in][k][b] ? 0u : ok;
                }
                seen |= x;
            }
        }
        whole = seen & (seen + 1u) ? 0u : whole;
    }
    return !ok      ? "each column is 0, or one bit that no other has, but for "
                      "generic_linear"
           : !whole ? "the columns do not reach every element: one that is "
                      "half of another is missing"
                    : 0;
}

/* Private: linear<{register, lane, warp, block}>, and the same for memory. The
 * axes are repeated in the order in which the register columns name them. */
LL_FN void ll_make_linear_(ll_recipe_ *m, int plain) {
    ll_list_ order = LL_ZERO;
    unsigned seen = 0;
    unsigned full = 0; /* register columns that are not 0 */
    const char *const wrong = ll_is_linear_(m, plain);
    if (wrong) {
        ll_note_blame_(m->r, m->h.word, wrong);
    }
    for (unsigned k = 0; k < m->n[0]; ++k) {
        for (unsigned axis = 0; axis < m->rank; ++axis) {
            if (m->v[0][k][axis] && !(seen >> axis & 1u)) {
                order.v[order.n++] = axis;
                seen |= 1u << axis;
            }
            full |= m->v[0][k][axis] ? 1u << k : 0u;
        }
    }
    for (unsigned axis = m->rank; axis-- > 0;) {
        unsigned all = 0;
        for (unsigned in = 0; in < LL_INPUTS_; ++in) {
            for (unsigned k = 0; k < m->n[in]; ++k) {
                unsigned *x = &m->v[in][k][axis];
                all |= *x;
                *x = *x >> m->size[axis] ? 0u : *x;
            }
        }
        for (; all; all >>= 1) {
            ++m->has[axis];
        }
        if (!(seen >> axis & 1u)) {
            order.v[order.n++] = axis;
        }
    }
    for (unsigned k = 0; k < order.n; ++k) {
        ll_recipe_fill_(m, 0, m->size[order.v[k]], order.v[k]);
    }
    if (m->space == LL_SPACE_REGISTERS_) {
        ll_recipe_drop_zeros_(m, full);
    }
}

/* Private: swizzled_shared<{vec, perPhase, maxPhase, order}>: XORs the vectors
 * of a row with the number of the row's phase; with `turns` 2, rotated, also
 * with the bits of the row above the phase. */
LL_FN void ll_make_swizzled_(ll_recipe_ *m, unsigned turns) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "vec perPhase maxPhase order " LL_BLOCK_KEYS_);
    const unsigned vec = ll_number_of_(m, "vec", 1, 0);
    const unsigned per = ll_number_of_(m, "perPhase", 1, 0);
    const unsigned most = ll_number_of_(m, "maxPhase", 1, 0);
    const ll_list_ order = ll_order_of_(m, "order");
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (ll_log2_(vec) > 15u || ll_log2_(per) > 15u || ll_log2_(most) > 15u) {
        ll_blame_number_(m, ll_log2_(vec) > 15u   ? "vec"
                            : ll_log2_(per) > 15u ? "perPhase"
                                                  : "maxPhase",
                         "vec, perPhase and maxPhase are powers of two");
        return;
    }
    for (unsigned k = 0; k < order.n; ++k) {
        const unsigned axis = order.v[k];
        const unsigned col = order.v[0];
        for (unsigned b = 0; b < m->part[axis]; ++b) {
            const unsigned row = (1u << b) / per;
            const unsigned phase =
                row % most ^ (turns > 1u ? row / most % most : 0u);
            const unsigned x = phase * vec & ll_ones_(m->part[col]);
            ll_recipe_lay_(m, 0, 2, axis);
            if (k == 1u && !m->r->why) {
                m->v[0][m->n[0] - 1u][col] = x;
            }
        }
    }
    ll_recipe_fit_(m, order);
}

/* Private: the parameters of nvmma_shared: the bytes of a swizzled line, the
 * bits of an element, and the box. */
typedef struct ll_lines_ {
    unsigned bytes, bits;
    unsigned pads; /* 1: each 16 places hold 8 elements twice */
    unsigned turned;
    unsigned fast;          /* the contiguous axis */
    unsigned box[LL_AXES_]; /* log2 of the box of one tensor copy */
} ll_lines_;

/* Private: returns a column of a swizzled line. If its elements are padded, bit
 * 3 of a place is left out. */
LL_FN unsigned ll_fold_(unsigned x, unsigned pads) {
    return pads ? (x & 7u) | (x >> 1 & ~7u) : x;
}

/* Private: adds a column of the box as a matrix, in which all axes but the
 * contiguous one are rows. Elements are counted along the contiguous axis
 * first, then from the last axis to the first. */
LL_FN void ll_lay_cell_(ll_recipe_ *m, const ll_lines_ *t, unsigned row,
                        unsigned col) {
    const unsigned n = m->rank;
    unsigned long long x = (unsigned long long)row << t->box[t->fast] | col;
    const unsigned at = m->n[0];
    ll_recipe_lay_(m, 0, 2, LL_NO_AXIS_);
    for (unsigned k = n; k-- > 0 && !m->r->why;) {
        const unsigned axis = (k + t->turned) % n;
        m->v[0][at][axis] = (unsigned)(x & ll_ones_(t->box[axis]));
        x >>= t->box[axis];
    }
}

/* Private: lays eight rows of `bytes` swizzled bytes each, and repeats them
 * down the rows. */
LL_FN void ll_lay_box_(ll_recipe_ *m, const ll_lines_ *t) {
    const unsigned per = 128u / t->bytes;
    unsigned high = 0;
    for (unsigned b = 0; b < t->box[t->fast] + t->pads; ++b) {
        ll_lay_cell_(m, t, 0, ll_fold_(1u << b, t->pads));
    }
    for (unsigned k = 0; k < m->rank; ++k) {
        high += k == t->fast ? 0u : t->box[k];
        m->has[k] = t->box[k];
    }
    for (unsigned b = 0; b < 3u || b < high; ++b) {
        const unsigned phase = (1u << b) / per % (t->bytes / 16u);
        ll_lay_cell_(m, t, 1u << b, ll_fold_(phase * (128u / t->bits),
                                             t->pads));
    }
}

/* Private: checks the rank of memory attributes: the key `rank`, or the axes of
 * the blocks, or 2. */
LL_FN void ll_check_rank_(ll_recipe_ *m) {
    const int told =
        ll_value_of_(m, "CGALayout", 0) || ll_value_of_(m, "CTAsPerCGA", 0);
    const unsigned rank = ll_number_of_(m, "rank", 0, told ? m->rank : 2u);
    if (rank != m->rank) {
        ll_blame_number_(m, "rank",
                         "the attribute has not as many axes as the shape");
    }
}

/* Private: returns 1 if a block's part of the tensor holds a tile of 8 swizzled
 * lines. All axes but the contiguous one count as rows. */
LL_FN int ll_has_lines_(const ll_recipe_ *m, const ll_lines_ *t) {
    unsigned rows = 0;
    for (unsigned k = 0; k < m->rank; ++k) {
        rows += k == t->fast ? 0u : t->box[k];
    }
    return m->rank < 2u || (rows >= 3u && m->part[t->fast] >= t->box[t->fast]);
}

/* Private: nvmma_shared<{swizzlingByteWidth, transposed, elementBitWidth,
 * fp4Padded, rank}>: what TMA writes and wgmma reads. */
LL_FN void ll_make_nvmma_(ll_recipe_ *m) {
    ll_lines_ t = LL_ZERO;
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "swizzlingByteWidth elementBitWidth transposed fp4Padded "
                   "rank " LL_BLOCK_KEYS_);
    t.bytes = ll_number_of_(m, "swizzlingByteWidth", 1, 0);
    t.bits = ll_number_of_(m, "elementBitWidth", 1, 0);
    t.turned = ll_flag_of_(m, "transposed") ? 1u : 0u;
    t.pads = ll_flag_of_(m, "fp4Padded") ? 1u : 0u;
    ll_check_rank_(m);
    if (t.bytes != 0 && t.bytes != 32u && t.bytes != 64u && t.bytes != 128u) {
        ll_blame_number_(m, "swizzlingByteWidth",
                         "swizzlingByteWidth is 0, 32, 64 or 128");
    }
    if (ll_log2_(t.bits) > 7u || t.bits < 4u) {
        ll_blame_number_(m, "elementBitWidth",
                         "elementBitWidth is 4, 8, 16, 32, 64 or 128");
    }
    if (t.pads && t.bits != 8u) {
        ll_blame_number_(m, "elementBitWidth",
                         "with fp4Padded elementBitWidth is 8, a byte for two "
                         "elements");
    }
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (m->r->why) {
        return;
    }
    t.fast = t.turned ? 0u : m->rank - 1u;
    for (unsigned k = 0; k < m->rank; ++k) {
        const unsigned bits = m->part[k] + (k == t.fast ? t.pads : 0u);
        t.box[k] = bits < 8u ? bits : 8u;
    }
    t.box[t.fast] = t.bytes ? ll_log2_(8u * t.bytes / t.bits) : t.box[t.fast];
    t.box[t.fast] -= t.pads;
    m->bits = t.bits;
    if (t.bytes && !ll_has_lines_(m, &t)) {
        ll_note_blame_(m->r, m->h.word,
                       "the block's part of the tensor is smaller than a "
                       "swizzled tile, which has 8 rows of swizzlingByteWidth "
                       "bytes");
        return;
    }
    const ll_list_ order = m->rank < 2u || t.bytes == 0
                               ? ll_order_last_first_(m->rank)
                               : ll_order_first_first_(m->rank);
    if (m->rank < 2u || t.bytes == 0) {
        for (unsigned k = 0; k < order.n; ++k) {
            ll_recipe_fill_(m, 0, t.box[order.v[k]], order.v[k]);
        }
    } else {
        ll_lay_box_(m, &t);
    }
    ll_recipe_fit_(m, order);
}

/* Private: padded_shared<[interval:+pad, ..] {order, shape}>, or with the
 * columns {offset, block} in place of the order. */
LL_FN void ll_make_padded_(ll_recipe_ *m, ll_foreign *f) {
    ll_note_ *r = m->r;
    unsigned p = m->h.outer;
    if (r->s[p] != '[') {
        ll_note_blame_(r, p, "a list of interval:+pad was expected");
        return;
    }
    p = ll_note_over_(r, p + 1u);
    while (r->s[p] != ']' && !r->why) {
        const unsigned from = p;
        const unsigned every = ll_note_digits_(r, &p);
        if (r->s[p] != ':' || r->s[p + 1u] != '+') {
            ll_note_blame_(r, p, "interval:+pad was expected");
            return;
        }
        p += 2u;
        const unsigned at = p;
        const unsigned pad = ll_note_digits_(r, &p);
        if (f->pads == LL_MAX_PADS) {
            ll_note_blame_(r, from, "there are at most 4 pads");
            return;
        }
        if (ll_log2_(every) > 30u || ll_log2_(pad) > 30u) {
            const int wide = ll_log2_(every) > 30u;
            ll_note_blame_got_(r, wide ? from : at, wide ? every : pad,
                               "an interval and a pad are powers of two");
            return;
        }
        for (unsigned k = 0; k < f->pads; ++k) {
            if (f->every[k] == every) {
                ll_note_blame_(r, from, "this interval occurs twice");
            }
        }
        f->every[f->pads] = every;
        f->pad[f->pads++] = pad;
        p = ll_note_over_(r, p);
        p = r->s[p] == ',' ? ll_note_over_(r, p + 1u) : p;
    }
    if (!ll_value_of_(m, "order", 0)) {
        const int listed = ll_value_of_(m, "offset", 0) != 0;
        ll_known_keys_(r, m->h.from, m->h.to,
                       listed ? "offset block " : "order shape offset block ");
        ll_columns_of_(m, "offset", 1, 0);
        ll_columns_of_(m, "block", 0, LL_IN_BLOCK_);
        ll_make_linear_(m, 0);
        return;
    }
    ll_known_keys_(r, m->h.from, m->h.to, "order shape CGALayout ");
    const ll_list_ order = ll_order_of_(m, "order");
    ll_list_of_(m, "shape", 1, m->rank);
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    ll_recipe_fit_(m, order);
}

/* Private: tensor_memory_encoding<blockM, blockN, colStride, twoCTAs>. A block
 * of 64 rows lies in the lower half of each quarter of the 128 lanes of tensor
 * memory. The other half holds the next block, or nothing; for a pair of blocks
 * it holds the second half of the columns. Input 0 is dp, input 1 is tcol. */
LL_FN void ll_make_tensor_(ll_recipe_ *m) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "blockM blockN colStride twoCTAs fp4Padded CGALayout "
                   "CTASplitM CTASplitN ");
    const unsigned rows = ll_number_of_(m, "blockM", 1, 0);
    const unsigned cols = ll_number_of_(m, "blockN", 1, 0);
    const unsigned step = ll_number_of_(m, "colStride", 1, 0);
    const int pair = ll_flag_of_(m, "twoCTAs");
    const int pads = ll_flag_of_(m, "fp4Padded");
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (m->rank != 2u || (rows != 64u && rows != 128u) || ll_log2_(cols) > 9u ||
        ll_log2_(step) > 5u) {
        const char *const why =
            "tensor memory has two axes, blockM 64 or 128, blockN and "
            "colStride powers of two";
        if (m->rank != 2u) {
            ll_note_blame_(m->r, m->h.word, why);
        }
        ll_blame_number_(m, rows != 64u && rows != 128u ? "blockM"
                            : ll_log2_(cols) > 9u       ? "blockN"
                                                        : "colStride",
                         why);
        return;
    }
    const unsigned wide =
        ll_log2_(cols) < m->part[1] ? ll_log2_(cols) : m->part[1];
    ll_recipe_lay_(m, 1, step, LL_NO_AXIS_);
    ll_recipe_lay_(m, 1, pads ? 2 : 1, LL_NO_AXIS_);
    if (rows == 64u) {
        ll_recipe_lay_(m, 0, pair ? 64 : 16, 0);
        ll_recipe_fill_(m, 1, pair && wide ? wide - 1u : wide, 1);
        if (!pair) { /* the next block lies between the rows of this one */
            m->has[0] = 6;
            ll_recipe_lay_(m, 0, 2, m->part[0] > 6u ? 0u : 1u);
            m->has[0] = 4;
            ll_recipe_lay_(m, 0, 4, 0);
            m->has[0] = 7;
        } else {
            ll_recipe_lay_(m, 0, 2, wide ? 1u : LL_NO_AXIS_);
        }
    } else {
        ll_recipe_lay_(m, 0, 128, 0);
        ll_recipe_fill_(m, 1, wide, 1);
    }
    ll_recipe_fill_(m, 1, m->part[0], 0);
    ll_recipe_fill_(m, 1, m->part[1], 1);
    ll_recipe_fit_(m, ll_order_first_first_(m->rank));
}

/* Private: tensor_memory_scales_encoding<blockRepOrder>: 32 rows, repeated in
 * each quarter of the lanes; in the columns 4 along k, then 4 times 32 rows,
 * then the rest. */
LL_FN void ll_make_scales_(ll_recipe_ *m) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "blockRepOrder CGALayout CTASplitM CTASplitN ");
    const unsigned at = ll_value_of_(m, "blockRepOrder", 0);
    const unsigned from = at && m->r->s[at] == '"' ? at + 1u : at;
    const unsigned n = at ? ll_name_length_(m->r->s + from) : 0u;
    const unsigned first = ll_is_word_(m->r, from, n, "k_then_mn") ? 1u : 0u;
    if (n && !first && !ll_is_word_(m->r, from, n, "mn_then_k")) {
        ll_note_blame_(m->r, from, "k_then_mn or mn_then_k was expected");
    }
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (m->rank != 2u) {
        ll_note_blame_(m->r, m->h.word, "scales have two axes");
        return;
    }
    ll_recipe_lay_(m, 0, 32, 0);
    ll_recipe_lay_(m, 0, 4, LL_NO_AXIS_);
    ll_recipe_lay_(m, 1, 4, 1);
    ll_recipe_lay_(m, 1, m->part[0] < 7u ? 2 : 4, 0);
    ll_recipe_fill_(m, 1, m->part[first], first);
    ll_recipe_fill_(m, 1, m->part[1u - first], 1u - first);
    ll_recipe_fit_(m, ll_order_first_first_(m->rank));
}

#endif
