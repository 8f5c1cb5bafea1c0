/* ---- Views: families of attributes ------------------------------------ */
#ifndef LL_VIEWS_TRITON_FAMILIES_H
#define LL_VIEWS_TRITON_FAMILIES_H

#include "triton.h"

/* Each family of attributes has a function that executes its recipe. The
 * operand of a dot, `dot_op`, is the recipe of its parent, but k is not divided
 * among warps and blocks: along k they hold copies. */

/* Private: the keys that say which blocks there are. */
#define LL_BLOCK_KEYS_ "CGALayout CTAsPerCGA CTASplitNum CTAOrder "

/* Private: an operand. number: 0 or 1; 2 for the result of the dot, whose k is
 * not an axis. width: the elements along k that a lane holds side by side. k,
 * other: the axes. */
typedef struct ll_role_ {
    unsigned number, width;
    unsigned k, other;
} ll_role_;

LL_FN ll_role_ ll_role_of_(unsigned number, unsigned width, unsigned rank) {
    ll_role_ o = LL_ZERO;
    o.number = number;
    o.width = width;
    o.k = number > 1u ? LL_NO_AXIS_ : rank - 1u - number;
    o.other = rank - 2u + number;
    return o;
}

/* Private: blocked<{sizePerThread, threadsPerWarp, warpsPerCTA, order}>. */
LL_FN void ll_make_blocked_(ll_recipe_ *m, ll_role_ o) {
    ll_list_ each = ll_list_of_(m, "sizePerThread", 1, m->rank);
    const ll_list_ lanes = ll_list_of_(m, "threadsPerWarp", 1, m->rank);
    const ll_list_ warps = ll_list_of_(m, "warpsPerCTA", 1, m->rank);
    const ll_list_ order = ll_order_of_(m, "order");
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "sizePerThread threadsPerWarp warpsPerCTA "
                   "order " LL_BLOCK_KEYS_);
    ll_recipe_cut_blocks_(m, o.k);
    if (o.k < LL_NO_AXIS_) {
        each.v[o.k] = 1u << m->part[o.k];
    }
    ll_recipe_lay_all_(m, LL_IN_REGISTER_, each, order, LL_NO_AXIS_);
    ll_recipe_lay_all_(m, LL_IN_LANE_, lanes, order, o.k);
    ll_recipe_lay_all_(m, LL_IN_WARP_, warps, order, o.k);
    ll_recipe_fit_(m, order);
}

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
    const unsigned vec = ll_number_of_(m, "vec", 1, 0);
    const unsigned per = ll_number_of_(m, "perPhase", 1, 0);
    const unsigned most = ll_number_of_(m, "maxPhase", 1, 0);
    const ll_list_ order = ll_order_of_(m, "order");
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "vec perPhase maxPhase order " LL_BLOCK_KEYS_);
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (ll_log2_(vec) > 15u || ll_log2_(per) > 15u || ll_log2_(most) > 15u) {
        ll_note_blame_(m->r, m->h.word,
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

/* Private: a tile of mma.sync, m x n along two axes: 8 rows of 4 lanes, with
 * `width` elements per lane; the rest is in registers, the outer axis first. */
LL_FN void ll_lay_quads_(ll_recipe_ *m, unsigned rows, unsigned cols,
                         unsigned width, unsigned inner, unsigned outer) {
    ll_recipe_lay_(m, LL_IN_REGISTER_, width, inner);
    ll_recipe_lay_(m, LL_IN_LANE_, 4, inner);
    ll_recipe_lay_(m, LL_IN_LANE_, 8, outer);
    ll_recipe_fill_(m, LL_IN_REGISTER_, ll_log2_(rows), outer);
    ll_recipe_fill_(m, LL_IN_REGISTER_, ll_log2_(cols), inner);
}

/* Private: nvidia_mma<{versionMajor, warpsPerCTA, instrShape}>. Warps go along
 * the last axis first; in version 3 (wgmma) along the first. */
LL_FN void ll_make_mma_(ll_recipe_ *m, ll_role_ o) {
    const unsigned major = ll_number_of_(m, "versionMajor", 1, 0);
    const ll_list_ warps = ll_list_of_(m, "warpsPerCTA", 1, m->rank);
    const ll_list_ instr = ll_list_of_(m, "instrShape", 1, 0);
    ll_number_of_(m, "versionMinor", 0, 0);
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "versionMajor versionMinor warpsPerCTA "
                   "instrShape " LL_BLOCK_KEYS_);
    const ll_list_ order = major == 3u ? ll_order_first_first_(m->rank)
                                       : ll_order_last_first_(m->rank);
    const unsigned at = major == 3u    ? 0u
                        : instr.n < 2u ? 0u
                                       : instr.n - 2u; /* where m is */
    if (!ll_recipe_has_matrix_(m)) {
        return;
    }
    if ((major != 2u && major != 3u) || instr.n < 2u ||
        ll_log2_(instr.v[at]) > 8u || ll_log2_(instr.v[at + 1u]) > 8u) {
        ll_note_blame_(m->r, m->h.word,
                       major != 2u && major != 3u
                           ? "versionMajor is 2 or 3"
                           : "instrShape has rows and columns, powers of two");
        return;
    }
    ll_recipe_cut_blocks_(m, o.k);
    if (o.number > 1u) {
        ll_lay_quads_(m, instr.v[at], instr.v[at + 1u], 2, m->rank - 1u,
                      m->rank - 2u);
        ll_recipe_lay_all_(m, LL_IN_WARP_, warps, order, LL_NO_AXIS_);
        ll_recipe_fit_(m, ll_order_last_first_(m->rank));
        return;
    }
    const int small = major == 2u && instr.v[at] == 8u; /* double precision */
    ll_lay_quads_(m, o.number || small ? 8 : 16,
                  small ? 4u * o.width : 8u * o.width, o.width, o.k, o.other);
    ll_recipe_lay_all_(m, LL_IN_WARP_, warps, order, o.k);
    ll_recipe_fit_(m, ll_order_matrix_first_(m->rank, o.k, o.other));
}

/* Private: the rows (or columns, with b) of the instruction of an AMD matrix
 * layout, which may be transposed. */
LL_FN unsigned ll_extent_(const ll_list_ *instr, unsigned b, int turned) {
    return instr->v[(b != 0) != (turned != 0) ? 1 : 0];
}

/* Private: amd_mfma<{version, warpsPerCTA, instrShape, isTransposed,
 * tilesPerWarp, elementBitWidth}>. A lane holds 4 rows (1 in double precision),
 * then come the lanes of a row, then the other lanes below. */
LL_FN void ll_make_mfma_(ll_recipe_ *m, ll_role_ o) {
    const int turned = ll_flag_of_(m, "isTransposed");
    const ll_list_ warps = ll_list_of_(m, "warpsPerCTA", 1, m->rank);
    ll_list_ tiles = ll_list_of_(m, "tilesPerWarp", 0, m->rank);
    const unsigned bits = ll_number_of_(m, "elementBitWidth", 0, 32);
    const unsigned version = ll_number_of_(m, "version", 0, 0);
    const ll_list_ instr = ll_list_of_(m, "instrShape", 1, 0);
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "version versionMajor versionMinor warpsPerCTA instrShape "
                   "isTransposed tilesPerWarp elementBitWidth " LL_BLOCK_KEYS_);
    if (!ll_recipe_has_matrix_(m)) {
        return;
    }
    if (instr.n < 2u || instr.n > 3u || version > 4u || instr.v[0] < 4u ||
        instr.v[1] < 4u || ll_log2_(instr.v[0]) > 6u ||
        ll_log2_(instr.v[1]) > 6u) {
        ll_note_blame_(m->r, m->h.word,
                       "instrShape has 4, 16, 32 or 64 rows and columns, and "
                       "version is at most 4");
        return;
    }
    for (unsigned k = 0; !tiles.n && k < m->rank; ++k) {
        tiles.v[k] = 1;
    }
    /* operands keep blocks along k, and tiles fill the whole tensor */
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (o.number <= 1u) {
        const unsigned side = ll_extent_(&instr, o.number, 0);
        ll_recipe_lay_(m, LL_IN_REGISTER_, o.width, o.k);
        ll_recipe_lay_(m, LL_IN_LANE_, side, o.other);
        ll_recipe_lay_(m, LL_IN_LANE_, 64u / side, o.k);
        ll_recipe_lay_(m, LL_IN_REGISTER_, side == 64u ? 16 : 1, o.k);
        ll_recipe_fill_(m, LL_IN_REGISTER_, m->size[o.k], o.k);
        ll_recipe_lay_(m, LL_IN_REGISTER_, tiles.v[o.other], o.other);
        ll_recipe_lay_all_(m, LL_IN_WARP_, warps, ll_order_last_first_(m->rank),
                           o.k);
        ll_recipe_fit_(m, ll_order_matrix_first_(m->rank, o.k, o.other));
        return;
    }
    m->bits = ll_value_of_(m, "elementBitWidth", 0) ? bits : 0u;
    const unsigned rows = m->rank - 2u;
    const unsigned cols = m->rank - 1u;
    const unsigned down = turned ? cols : rows;
    const unsigned across = turned ? rows : cols;
    const unsigned high = bits == 64u ? 1u : 4u;
    const unsigned wide = instr.v[!turned];
    ll_recipe_lay_(m, LL_IN_REGISTER_, high, down);
    ll_recipe_lay_(m, LL_IN_LANE_, wide, across);
    ll_recipe_lay_(m, LL_IN_LANE_, 64u / wide, down);
    ll_recipe_fill_(m, LL_IN_REGISTER_, ll_log2_(instr.v[turned]), down);
    ll_recipe_lay_(m, LL_IN_REGISTER_, tiles.v[cols], cols);
    ll_recipe_lay_(m, LL_IN_WARP_, warps.v[cols], cols);
    ll_recipe_fill_(m, LL_IN_REGISTER_, m->size[cols], cols);
    ll_recipe_lay_(m, LL_IN_REGISTER_, tiles.v[rows], rows);
    ll_recipe_lay_(m, LL_IN_WARP_, warps.v[rows], rows);
    for (unsigned k = rows; k-- > 0;) {
        ll_recipe_lay_(m, LL_IN_WARP_, warps.v[k], k);
    }
    ll_recipe_fit_(m, ll_order_last_first_(m->rank));
}

/* Private: the tiles of amd_wmma in releases before ctaLayout. Along each axis
 * of an order a warp has tilesPerWarp tiles in registers (1 by default), then
 * come warpsPerCTA warps. The registers fill the part of a block along the
 * first axis of the order before they go on: k of an operand, before its tiles.
 */
LL_FN void ll_lay_old_tiles_(ll_recipe_ *m, ll_role_ o) {
    const ll_list_ warps = ll_list_of_(m, "warpsPerCTA", 1, m->rank);
    const ll_list_ tiles = ll_list_of_(m, "tilesPerWarp", 0, m->rank);
    const unsigned cols = m->rank - 1u;
    if (o.k < LL_NO_AXIS_) { /* copies of version 1 count as a part of k */
        const unsigned copies = ll_number_of_(m, "version", 1, 0) == 1u;
        const unsigned bits = m->part[o.k];
        ll_recipe_fill_(m, LL_IN_REGISTER_, bits > copies ? bits - copies : 0u,
                        o.k);
    }
    for (unsigned axis = m->rank; axis-- > 0 && !m->r->why;) {
        if (axis != o.k && tiles.n) {
            ll_recipe_lay_(m, LL_IN_REGISTER_, tiles.v[axis], axis);
        }
        ll_recipe_lay_(m, LL_IN_WARP_, warps.v[axis],
                       axis == o.k ? LL_NO_AXIS_ : axis);
        if (axis == cols && o.k == LL_NO_AXIS_) {
            ll_recipe_fill_(m, LL_IN_REGISTER_, m->size[axis], axis);
        }
    }
}

/* Private: the registers and warps of amd_wmma's tiles after the first
 * instruction's tile: the columns of ctaLayout, in units of tiles. Along axis
 * k of an operand warps hold copies, and register columns are dropped. */
LL_FN void ll_lay_tiles_(ll_recipe_ *m, ll_role_ o) {
    const unsigned except = o.k;
    const unsigned at = ll_value_of_(m, "ctaLayout", 0);
    const unsigned before[2] = {m->n[LL_IN_REGISTER_], m->n[LL_IN_WARP_]};
    unsigned tops[LL_AXES_] = LL_ZERO;
    /* an operand does not depend on isTranspose, which some texts misspell */
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   o.number > 1u
                       ? "version isTranspose ctaLayout warpsPerCTA "
                         "tilesPerWarp instrShape rank " LL_BLOCK_KEYS_
                       : "version isTranspose isTransposed ctaLayout "
                         "warpsPerCTA tilesPerWarp instrShape "
                         "rank " LL_BLOCK_KEYS_);
    if (at && (ll_value_of_(m, "warpsPerCTA", 0) ||
               ll_value_of_(m, "tilesPerWarp", 0))) {
        ll_note_blame_(m->r, m->here,
                       "ctaLayout replaces warpsPerCTA and tilesPerWarp");
    }
    if (!at) {
        ll_lay_old_tiles_(m, o);
        return;
    }
    if (m->r->s[at] != '{') {
        ll_note_blame_(m->r, at, "a dictionary was expected");
        return;
    }
    m->h.from = at + 1u;
    m->h.to = ll_note_behind_(m->r, at) - 1u;
    ll_known_keys_(m->r, m->h.from, m->h.to, "register warp ");
    ll_columns_of_(m, "register", 0, LL_IN_REGISTER_);
    ll_columns_of_(m, "warp", 0, LL_IN_WARP_);
    unsigned kept = before[0];
    for (unsigned side = 0; side < 2u; ++side) {
        const unsigned in = side ? LL_IN_WARP_ : LL_IN_REGISTER_;
        for (unsigned k = before[side]; k < m->n[in]; ++k) {
            unsigned any = 0;
            for (unsigned axis = 0; axis < m->rank; ++axis) {
                unsigned x = m->v[in][k][axis];
                x = axis == except ? 0u : x;
                tops[axis] |= x;
                any |= x;
                m->v[in][k][axis] = 0;
                m->v[in][side ? k : kept][axis] = ll_shift_(x, m->has[axis]);
            }
            kept += !side && (any || except == LL_NO_AXIS_) ? 1u : 0u;
        }
    }
    m->n[LL_IN_REGISTER_] = kept;
    for (unsigned axis = 0; axis < m->rank; ++axis) {
        for (; tops[axis]; tops[axis] >>= 1) {
            ++m->has[axis];
        }
    }
}

/* Private: amd_wmma<{version, isTranspose, ctaLayout, instrShape, rank}>, in
 * older releases warpsPerCTA and tilesPerWarp in place of ctaLayout. */
LL_FN void ll_make_wmma_(ll_recipe_ *m, ll_role_ o) {
    const unsigned version = ll_number_of_(m, "version", 1, 0);
    const int turned = ll_flag_of_(m, "isTranspose");
    ll_list_ instr = ll_list_of_(m, "instrShape", 0, 3);
    if (!ll_recipe_has_matrix_(m)) {
        return;
    }
    for (unsigned k = 0; !instr.n && k < 3u; ++k) {
        instr.v[k] = 16;
    }
    if (version < 1u || version > 3u || ll_log2_(instr.v[0]) > 6u ||
        ll_log2_(instr.v[1]) > 6u || ll_log2_(instr.v[2]) > 10u) {
        ll_note_blame_(
            m->r, m->h.word,
            "version is 1, 2 or 3, and instrShape three powers of two");
        return;
    }
    /* the older texts keep blocks along k */
    ll_recipe_cut_blocks_(m, ll_value_of_(m, "ctaLayout", 0) ? o.k
                                                             : LL_NO_AXIS_);
    if (o.number <= 1u) {
        const unsigned part = m->part[o.k], whole = ll_log2_(instr.v[2]);
        const unsigned deep = version == 1u && part < whole ? part : whole;
        ll_recipe_lay_(m, LL_IN_REGISTER_, o.width, o.k);
        ll_recipe_lay_(m, LL_IN_LANE_, 16, o.other);
        ll_recipe_lay_(m, LL_IN_LANE_, 2, version == 1u ? LL_NO_AXIS_ : o.k);
        ll_recipe_fill_(m, LL_IN_REGISTER_, deep, o.k);
        ll_recipe_fill_(m, LL_IN_REGISTER_,
                        ll_log2_(ll_extent_(&instr, o.number, turned)),
                        o.other);
        ll_lay_tiles_(m, o);
        ll_recipe_fit_(m, ll_order_matrix_first_(m->rank, o.k, o.other));
        return;
    }
    const unsigned down = turned ? m->rank - 1u : m->rank - 2u;
    const unsigned across = turned ? m->rank - 2u : m->rank - 1u;
    if (version > 1u) {
        ll_recipe_lay_(m, LL_IN_REGISTER_, 8, down);
        ll_recipe_lay_(m, LL_IN_LANE_, 16, across);
        ll_recipe_lay_(m, LL_IN_LANE_, 2, down);
    } else { /* the two halves of the lanes hold alternate rows */
        m->has[down] = 1;
        ll_recipe_lay_(m, LL_IN_REGISTER_, 8, down);
        ll_recipe_lay_(m, LL_IN_LANE_, 16, across);
        m->has[down] = 0;
        ll_recipe_lay_(m, LL_IN_LANE_, 2, down);
        m->has[down] = 4;
    }
    ll_recipe_fill_(m, LL_IN_REGISTER_, ll_log2_(instr.v[0]), down);
    ll_lay_tiles_(m, o);
    ll_recipe_fit_(m, ll_order_last_first_(m->rank));
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
        ll_note_blame_(m->r, m->here,
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
    t.bytes = ll_number_of_(m, "swizzlingByteWidth", 1, 0);
    t.bits = ll_number_of_(m, "elementBitWidth", 1, 0);
    t.turned = ll_flag_of_(m, "transposed") ? 1u : 0u;
    t.pads = ll_flag_of_(m, "fp4Padded") ? 1u : 0u;
    ll_check_rank_(m);
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "swizzlingByteWidth elementBitWidth transposed fp4Padded "
                   "rank " LL_BLOCK_KEYS_);
    const int known =
        t.bytes == 0 || t.bytes == 32u || t.bytes == 64u || t.bytes == 128u;
    if (!known || ll_log2_(t.bits) > 7u || t.bits < 4u) {
        ll_note_blame_(m->r, m->h.word,
                       known ? "elementBitWidth is 4, 8, 16, 32, 64 or 128"
                             : "swizzlingByteWidth is 0, 32, 64 or 128");
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
        const unsigned pad = ll_note_digits_(r, &p);
        if (f->pads == LL_MAX_PADS || ll_log2_(every) > 30u ||
            ll_log2_(pad) > 30u) {
            ll_note_blame_(r, from,
                           f->pads == LL_MAX_PADS
                               ? "there are at most 4 pads"
                               : "an interval and a pad are powers of two");
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
        ll_columns_of_(m, "offset", 1, 0);
        ll_columns_of_(m, "block", 0, LL_IN_BLOCK_);
        ll_known_keys_(r, m->h.from, m->h.to, "offset block ");
        ll_make_linear_(m, 0);
        return;
    }
    const ll_list_ order = ll_order_of_(m, "order");
    ll_list_of_(m, "shape", 1, m->rank);
    ll_known_keys_(r, m->h.from, m->h.to, "order shape CGALayout ");
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    ll_recipe_fit_(m, order);
}

/* Private: tensor_memory_encoding<blockM, blockN, colStride, twoCTAs>. A block
 * of 64 rows lies in the lower half of each quarter of the 128 lanes of tensor
 * memory. The other half holds the next block, or nothing; for a pair of blocks
 * it holds the second half of the columns. Input 0 is dp, input 1 is tcol. */
LL_FN void ll_make_tensor_(ll_recipe_ *m) {
    const unsigned rows = ll_number_of_(m, "blockM", 1, 0);
    const unsigned cols = ll_number_of_(m, "blockN", 1, 0);
    const unsigned step = ll_number_of_(m, "colStride", 1, 0);
    const int pair = ll_flag_of_(m, "twoCTAs");
    const int pads = ll_flag_of_(m, "fp4Padded");
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "blockM blockN colStride twoCTAs fp4Padded CGALayout "
                   "CTASplitM CTASplitN ");
    ll_recipe_cut_blocks_(m, LL_NO_AXIS_);
    if (m->rank != 2u || (rows != 64u && rows != 128u) || ll_log2_(cols) > 9u ||
        ll_log2_(step) > 5u) {
        ll_note_blame_(
            m->r, m->h.word,
            "tensor memory has two axes, blockM 64 or 128, blockN and "
            "colStride powers of two");
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
    const unsigned at = ll_value_of_(m, "blockRepOrder", 0);
    const unsigned from = at && m->r->s[at] == '"' ? at + 1u : at;
    const unsigned n = at ? ll_name_length_(m->r->s + from) : 0u;
    const unsigned first = ll_is_word_(m->r, from, n, "k_then_mn") ? 1u : 0u;
    if (n && !first && !ll_is_word_(m->r, from, n, "mn_then_k")) {
        ll_note_blame_(m->r, from, "k_then_mn or mn_then_k was expected");
    }
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "blockRepOrder CGALayout CTASplitM CTASplitN ");
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

/* Private: executes the recipe of a register attribute. Returns 0 if there is
 * none of that name. */
LL_FN int ll_make_registers_(ll_recipe_ *m, ll_role_ o) {
    const ll_note_ *r = m->r;
    const unsigned p = m->h.word;
    const unsigned n = m->h.n;
    if (ll_is_word_(r, p, n, "blocked")) {
        ll_make_blocked_(m, o);
    } else if (ll_is_word_(r, p, n, "nvidia_mma")) {
        ll_make_mma_(m, o);
    } else if (ll_is_word_(r, p, n, "amd_mfma")) {
        ll_make_mfma_(m, o);
    } else if (ll_is_word_(r, p, n, "amd_wmma")) {
        ll_make_wmma_(m, o);
    } else {
        return 0;
    }
    return 1;
}

/* Private: checks that the alignment after the columns of shared_linear, `,
 * alignment = 16`, is a power of two. */
LL_FN void ll_check_alignment_(ll_recipe_ *m) {
    const unsigned from = ll_note_over_(m->r, m->h.to + 1u);
    const unsigned at =
        m->r->s[from] == ','
            ? ll_find_key_(m->r, from + 1u, m->h.outer_to, "alignment")
            : 0u;
    unsigned end = at;
    if (m->r->s[from] == ',') {
        ll_known_keys_(m->r, from + 1u, m->h.outer_to, "alignment ");
    }
    if (at && ll_log2_(ll_note_digits_(m->r, &end)) > 30u) {
        ll_note_blame_(m->r, at, "an alignment is a power of two");
    }
}

/* Private: executes the recipe of any other attribute. Some texts of linear
 * name an order, and some of amd_mfma a versionMajor in place of the version;
 * they change nothing. */
LL_FN void ll_make_memory_(ll_recipe_ *m, ll_foreign *f) {
    const ll_note_ *r = m->r;
    const unsigned p = m->h.word;
    const unsigned n = m->h.n;
    const int plain = ll_is_word_(r, p, n, "linear");
    m->space = LL_SPACE_SHARED_;
    if (plain || ll_is_word_(r, p, n, "generic_linear")) {
        m->space = LL_SPACE_REGISTERS_;
        ll_columns_of_(m, "register", 1, LL_IN_REGISTER_);
        ll_columns_of_(m, "lane", 1, LL_IN_LANE_);
        ll_columns_of_(m, "warp", 1, LL_IN_WARP_);
        ll_columns_of_(m, "block", 1, LL_IN_BLOCK_);
        ll_known_keys_(m->r, m->h.from, m->h.to,
                       "register lane warp block order ");
        ll_make_linear_(m, plain);
    } else if (ll_is_word_(r, p, n, "shared_linear")) {
        ll_columns_of_(m, "offset", 1, 0);
        ll_columns_of_(m, "block", 0, LL_IN_BLOCK_);
        ll_known_keys_(m->r, m->h.from, m->h.to, "offset block ");
        ll_check_alignment_(m);
        ll_make_linear_(m, 0);
    } else if (ll_is_word_(r, p, n, "swizzled_shared")) {
        ll_make_swizzled_(m, 1);
    } else if (ll_is_word_(r, p, n, "amd_rotating_shared")) {
        ll_make_swizzled_(m, 2);
    } else if (ll_is_word_(r, p, n, "nvmma_shared")) {
        ll_make_nvmma_(m);
    } else if (ll_is_word_(r, p, n, "padded_shared")) {
        ll_make_padded_(m, f);
    } else if (ll_is_word_(r, p, n, "tensor_memory_encoding")) {
        m->space = LL_SPACE_TENSOR_;
        ll_make_tensor_(m);
    } else if (ll_is_word_(r, p, n, "tensor_memory_scales_encoding")) {
        m->space = LL_SPACE_TENSOR_;
        ll_make_scales_(m);
    } else {
        ll_note_blame_(
            m->r, p,
            "there is no attribute of this name; there are blocked, "
            "(generic_)linear, nvidia_mma, amd_mfma, amd_wmma, slice, "
            "dot_op, (swizzled|amd_rotating|nvmma|padded|partitioned)_"
            "shared, shared_linear, tensor_memory_(scales_)encoding");
    }
}

/* Private: reads the attribute inside the current one, the value of `key`. */
LL_FN ll_head_ ll_inner_head_(ll_recipe_ *m, const char *key) {
    const unsigned at = ll_value_of_(m, key, 1);
    const ll_head_ none = LL_ZERO;
    return at ? ll_head_at_(m->r, at) : none;
}

/* Private: partitioned_shared<{numPartitions, numGroups, partitionDim,
 * partitionLayout}>: pieces along an axis lie in different partitions in
 * turn. */
LL_FN void ll_make_pieces_(ll_recipe_ *m, ll_foreign *f) {
    const unsigned parts = ll_number_of_(m, "numPartitions", 1, 0);
    const unsigned groups = ll_number_of_(m, "numGroups", 1, 0);
    const unsigned axis = ll_number_of_(m, "partitionDim", 1, 0);
    const unsigned word = m->h.word;
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "numPartitions numGroups partitionDim partitionLayout ");
    m->h = ll_inner_head_(m, "partitionLayout");
    const unsigned p = ll_log2_(parts);
    const unsigned g = ll_log2_(groups);
    if (axis >= m->rank || p > 30u || g > 30u || p + g > m->size[axis]) {
        ll_note_blame_(
            m->r, word,
            "numPartitions and numGroups are powers of two, together no "
            "larger than the axis");
        return;
    }
    m->size[axis] -= p + g;
    ll_make_memory_(m, f);
    m->has[axis] = m->size[axis];
    ll_recipe_lay_(m, LL_IN_WARP_, parts, axis);
    ll_recipe_lay_(m, 0, groups, axis);
    m->size[axis] += p + g;
}

/* Private: dot_op<{opIdx, parent, kWidth}>. */
LL_FN void ll_make_operand_(ll_recipe_ *m) {
    const unsigned word = m->h.word;
    const unsigned number = ll_number_of_(m, "opIdx", 1, 0);
    const unsigned width = ll_number_of_(m, "kWidth", 0, 0);
    ll_known_keys_(m->r, m->h.from, m->h.to, "opIdx parent kWidth ");
    m->h = ll_inner_head_(m, "parent");
    const int alone =
        !m->r->why && ll_is_word_(m->r, m->h.word, m->h.n, "blocked");
    const int wgmma = !m->r->why &&
                      ll_is_word_(m->r, m->h.word, m->h.n, "nvidia_mma") &&
                      ll_number_of_(m, "versionMajor", 1, 0) == 3u;
    if (number > 1u || m->rank < 2u || (width == 0) != alone ||
        (wgmma && number)) {
        ll_note_blame_(m->r, word,
                       number > 1u    ? "opIdx is 0 or 1"
                       : m->rank < 2u ? "an operand has two axes"
                       : wgmma && width
                           ? "wgmma has B in shared memory alone"
                           : "kWidth is needed, but not with a blocked "
                             "parent");
        return;
    }
    if (!ll_make_registers_(m, ll_role_of_(number, width, m->rank))) {
        ll_note_blame_(m->r, m->h.word, "a dot_op has another kind of parent");
    }
}

/* Private: adds an axis of size 1 to the tensor for each slice<{dim, parent}>,
 * from the outer one to the inner one. Returns the number of slices. */
LL_FN unsigned ll_open_slices_(ll_recipe_ *m, unsigned *axes) {
    unsigned n = 0;
    while (!m->r->why && ll_is_word_(m->r, m->h.word, m->h.n, "slice")) {
        const unsigned axis = ll_number_of_(m, "dim", 1, 0);
        ll_known_keys_(m->r, m->h.from, m->h.to, "dim parent ");
        if (axis > m->rank || m->rank == LL_AXES_) {
            ll_note_blame_(m->r, m->here,
                           axis > m->rank
                               ? "the shape has no room for this axis"
                               : "a tensor has at most 16 axes");
            break;
        }
        m->h = ll_inner_head_(m, "parent");
        for (unsigned k = m->rank; k > axis; --k) {
            m->size[k] = m->size[k - 1u];
        }
        m->size[axis] = 0;
        ++m->rank;
        axes[n++] = axis;
    }
    return n;
}

/* Private: removes an axis of size 1. */
LL_FN void ll_close_slice_(ll_recipe_ *m, unsigned axis) {
    --m->rank;
    for (unsigned k = axis; k < m->rank; ++k) {
        m->size[k] = m->size[k + 1u];
        for (unsigned in = 0; in < LL_INPUTS_; ++in) {
            for (unsigned c = 0; c < m->n[in]; ++c) {
                m->v[in][c][k] = m->v[in][c][k + 1u];
            }
        }
    }
}

/* Private: returns the layout that was made. */
LL_FN ll_layout ll_made_layout_(const ll_recipe_ *m, const unsigned *sizes) {
    const char *const names[3][LL_INPUTS_] = {
        {"register", "lane", "warp", "block"},
        {"offset", "", "partition", "block"},
        {"dp", "tcol", "", "block"}};
    ll_layout a = LL_ZERO;
    for (unsigned k = m->rank; k-- > 0;) {
        a.out = ll_with(a.out, ll_axis(k), sizes[k]);
    }
    unsigned at = 0;
    for (unsigned in = 0; in < LL_INPUTS_; ++in) {
        const char *name = names[m->space][in];
        if (*name && (m->n[in] || (in != LL_IN_BLOCK_ && *name != 'p'))) {
            a.in = ll_shape_add_(a.in, ll_dim_of(name), m->n[in]);
        }
        for (unsigned c = 0; c < m->n[in] && !a.in.err; ++c, ++at) {
            unsigned place = 0;
            for (unsigned k = m->rank; k-- > 0;) {
                a.basis[at] |= ll_shift_(m->v[in][c][k], place);
                place += m->size[k];
            }
        }
    }
    a = ll_layout_bad_shape_(ll_layout_bad_shape_(a, &a.in), &a.out);
    return a.err ? a : ll_check(a);
}

/* Private: executes the recipe of an attribute that is not a slice. */
LL_FN void ll_make_any_(ll_recipe_ *m, ll_foreign *f) {
    if (ll_is_word_(m->r, m->h.word, m->h.n, "dot_op")) {
        ll_make_operand_(m);
    } else if (ll_is_word_(m->r, m->h.word, m->h.n, "partitioned_shared")) {
        ll_make_pieces_(m, f);
    } else if (!ll_make_registers_(m, ll_role_of_(2, 0, m->rank))) {
        ll_make_memory_(m, f);
    }
}

/* ll_from_triton(text, rank, sizes): returns the layout of a Triton attribute
 * on a tensor. The sizes are listed slowest first, as in ll_tensor, and the
 * layout has the axes i, j, .. The text is the attribute, or a name of one;
 * definitions `#name = #ttg..` stand before it in any order. All attributes of
 * releases 3.5 to 3.8 are read: blocked, linear, generic_linear, nvidia_mma,
 * amd_mfma, amd_wmma, slices and operands of these; swizzled_shared,
 * amd_rotating_shared, nvmma_shared, padded_shared, shared_linear,
 * partitioned_shared as offset -> tensor; tensor_memory_encoding and
 * tensor_memory_scales_encoding as (dp, tcol) -> tensor. The input block is
 * there if there are several blocks. A wrong text gives LL_ETEXT, the character
 * and the sentence `why`; a wrong shape gives LL_ESIZE, LL_EDIMS or LL_EBITS.
 * Source: Triton's own layouts.
 * Example: ll_from_triton("#ttg.blocked<{sizePerThread = [1, 2], "
 *                         "threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], "
 *                         "order = [1, 0]}>", 2, SIZES(8, 8)).layout is
 *          L("register: j0 | lane: j1 j2 i0 i1 i2 | warp:");
 * Example: ll_from_triton("#b", 2, SIZES(8, 8)).layout.at is 1;
 */
LL_FN ll_foreign ll_from_triton(const char *text, unsigned rank,
                                const unsigned *sizes) {
    ll_foreign f = LL_ZERO;
    ll_note_ r = LL_ZERO;
    ll_recipe_ m = LL_ZERO;
    unsigned slices[LL_AXES_] = LL_ZERO;
    unsigned total = 0;
    if (!text || (rank && !sizes)) {
        f.layout.err = LL_ENULL;
        return f;
    }
    r.s = text;
    m.r = &r;
    m.rank = rank;
    for (unsigned k = 0; k < rank && k < LL_AXES_; ++k) {
        m.size[k] = ll_log2_(sizes[k]);
        if (m.size[k] > 30u) {
            f.layout = ll_layout_bad_value_(f.layout, LL_ESIZE, sizes[k]);
            return f;
        }
        total += m.size[k];
    }
    if (rank == 0 || rank > LL_AXES_ || total > LL_MAX_BITS) {
        f.layout =
            ll_layout_bad_(f.layout, total > LL_MAX_BITS ? LL_EBITS : LL_EDIMS);
        return f;
    }
    const unsigned from = ll_note_defined_(&r, 0, 0);
    const unsigned end = r.s[from] == '#' ? ll_value_end_(&r, from) : from;
    if (!r.why && r.s[end] && end > from) {
        ll_note_blame_(&r, end, "the text continues after the attribute");
    }
    if (!r.s[from] && r.s[ll_note_over_(&r, 0)] == '#') {
        ll_note_blame_(&r, from, "an attribute or its name stands after the "
                            "definitions");
    }
    m.h = ll_head_at_(&r, from);
    const unsigned n = ll_open_slices_(&m, slices);
    if (!r.why) {
        ll_make_any_(&m, &f);
    }
    if (n && m.space != LL_SPACE_REGISTERS_) {
        ll_note_blame_(&r, m.h.word, "a slice has a parent of registers");
    }
    for (unsigned k = n; k-- > 0 && !r.why;) {
        ll_close_slice_(&m, slices[k]);
    }
    if (n && !r.why) {
        ll_recipe_drop_zeros_(&m, ~0u);
    }
    if (!r.why) {
        f.layout = ll_made_layout_(&m, sizes);
        f.bits = m.bits;
        return f;
    }
    f.why = r.why;
    f.key = r.key;
    f.layout = ll_layout_bad_(f.layout, LL_ETEXT);
    f.layout.at = r.at + 1u;
    f.layout.is = LL_AT_CHARACTER;
    return f;
}

#endif
