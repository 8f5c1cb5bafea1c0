/* ---- Views: families of attributes ------------------------------------ */
#ifndef LL_VIEWS_TRITON_FAMILIES_H
#define LL_VIEWS_TRITON_FAMILIES_H

#include "triton_memory.h"

/* Each family of attributes has a function that executes its recipe. The
 * operand of a dot, `dot_op`, is the recipe of its parent, but k is not divided
 * among warps and blocks: along k they hold copies. */

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
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "sizePerThread threadsPerWarp warpsPerCTA "
                   "order " LL_BLOCK_KEYS_);
    ll_list_ each = ll_powers_of_(m, "sizePerThread", 1, m->rank);
    const ll_list_ lanes = ll_powers_of_(m, "threadsPerWarp", 1, m->rank);
    const ll_list_ warps = ll_powers_of_(m, "warpsPerCTA", 1, m->rank);
    const ll_list_ order = ll_order_of_(m, "order");
    ll_recipe_cut_blocks_(m, o.k);
    if (o.k < LL_NO_AXIS_) {
        each.v[o.k] = 1u << m->part[o.k];
    }
    ll_recipe_lay_all_(m, LL_IN_REGISTER_, each, order, LL_NO_AXIS_);
    ll_recipe_lay_all_(m, LL_IN_LANE_, lanes, order, o.k);
    ll_recipe_lay_all_(m, LL_IN_WARP_, warps, order, o.k);
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

/* Private: returns 1 if a list has at least `least` numbers, and `n` of them
 * from `from` on are powers of two, at most 2^bits; else blames the wrong one
 * with the sentence `why`. */
LL_FN int ll_has_powers_(ll_recipe_ *m, const ll_list_ *list, unsigned least,
                         unsigned from, unsigned n, unsigned bits,
                         const char *why) {
    if (list->n < least) {
        ll_note_blame_(m->r, m->h.word, why);
    }
    for (unsigned k = from; k < from + n && !m->r->why; ++k) {
        if (ll_log2_(list->v[k]) > bits) {
            ll_note_blame_got_(m->r, list->at[k], list->v[k], why);
        }
    }
    return !m->r->why;
}

/* Private: nvidia_mma<{versionMajor, warpsPerCTA, instrShape}>. Warps go along
 * the last axis first; in version 3 (wgmma) along the first. */
LL_FN void ll_make_mma_(ll_recipe_ *m, ll_role_ o) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "versionMajor versionMinor warpsPerCTA "
                   "instrShape " LL_BLOCK_KEYS_);
    const unsigned major = ll_number_of_(m, "versionMajor", 1, 0);
    const ll_list_ warps = ll_powers_of_(m, "warpsPerCTA", 1, m->rank);
    const ll_list_ instr = ll_list_of_(m, "instrShape", 1, 0);
    ll_number_of_(m, "versionMinor", 0, 0);
    const ll_list_ order = major == 3u ? ll_order_first_first_(m->rank)
                                       : ll_order_last_first_(m->rank);
    const unsigned at = major == 3u    ? 0u
                        : instr.n < 2u ? 0u
                                       : instr.n - 2u; /* where m is */
    if (!ll_recipe_has_matrix_(m)) {
        return;
    }
    if (major != 2u && major != 3u) {
        ll_blame_number_(m, "versionMajor", "versionMajor is 2 or 3");
        return;
    }
    if (!ll_has_powers_(m, &instr, 2, at, 2, 8,
                        "instrShape has rows and columns, powers of two")) {
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

/* Private: checks the instruction and the version of amd_mfma. */
LL_FN int ll_is_mfma_(ll_recipe_ *m, const ll_list_ *instr, unsigned version) {
    const char *const why = "instrShape has 4, 16, 32 or 64 rows and columns, "
                            "and version is at most 4";
    if (instr->n > 3u) {
        ll_note_blame_(m->r, m->h.word, why);
    }
    for (unsigned k = 0; k < 2u && instr->n >= 2u && !m->r->why; ++k) {
        if (instr->v[k] < 4u) {
            ll_note_blame_got_(m->r, instr->at[k], instr->v[k], why);
        }
    }
    if (version > 4u) {
        ll_blame_number_(m, "version", why);
    }
    return ll_has_powers_(m, instr, 2, 0, 2, 6, why);
}

/* Private: amd_mfma<{version, warpsPerCTA, instrShape, isTransposed,
 * tilesPerWarp, elementBitWidth}>. A lane holds 4 rows (1 in double precision),
 * then come the lanes of a row, then the other lanes below. */
LL_FN void ll_make_mfma_(ll_recipe_ *m, ll_role_ o) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "version versionMajor versionMinor warpsPerCTA instrShape "
                   "isTransposed tilesPerWarp elementBitWidth " LL_BLOCK_KEYS_);
    const int turned = ll_flag_of_(m, "isTransposed");
    const ll_list_ warps = ll_powers_of_(m, "warpsPerCTA", 1, m->rank);
    ll_list_ tiles = ll_powers_of_(m, "tilesPerWarp", 0, m->rank);
    const unsigned bits = ll_number_of_(m, "elementBitWidth", 0, 32);
    const unsigned version = ll_number_of_(m, "version", 0, 0);
    const ll_list_ instr = ll_list_of_(m, "instrShape", 1, 0);
    if (!ll_recipe_has_matrix_(m)) {
        return;
    }
    if (!ll_is_mfma_(m, &instr, version)) {
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
    const ll_list_ warps = ll_powers_of_(m, "warpsPerCTA", 1, m->rank);
    const ll_list_ tiles = ll_powers_of_(m, "tilesPerWarp", 0, m->rank);
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

/* Private: blames an unknown key of amd_wmma. An operand (number 0 or 1) does
 * not depend on isTranspose, which some texts misspell. */
LL_FN void ll_known_wmma_keys_(ll_recipe_ *m, unsigned number) {
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   number > 1u ? "version isTranspose ctaLayout warpsPerCTA "
                                 "tilesPerWarp instrShape rank " LL_BLOCK_KEYS_
                               : "version isTranspose isTransposed ctaLayout "
                                 "warpsPerCTA tilesPerWarp instrShape "
                                 "rank " LL_BLOCK_KEYS_);
}

/* Private: amd_wmma<{version, isTranspose, ctaLayout, instrShape, rank}>, in
 * older releases warpsPerCTA and tilesPerWarp in place of ctaLayout. */
LL_FN void ll_make_wmma_(ll_recipe_ *m, ll_role_ o) {
    const char *const wrong =
        "version is 1, 2 or 3, and instrShape three powers of two";
    ll_known_wmma_keys_(m, o.number);
    const unsigned version = ll_number_of_(m, "version", 1, 0);
    const int turned = ll_flag_of_(m, "isTranspose");
    ll_list_ instr = ll_list_of_(m, "instrShape", 0, 3);
    if (!ll_recipe_has_matrix_(m)) {
        return;
    }
    for (unsigned k = 0; !instr.n && k < 3u; ++k) {
        instr.v[k] = 16;
    }
    if (version < 1u || version > 3u) {
        ll_blame_number_(m, "version", wrong);
        return;
    }
    if (!ll_has_powers_(m, &instr, 0, 0, 2, 6, wrong) ||
        !ll_has_powers_(m, &instr, 0, 2, 1, 10, wrong)) {
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
    const unsigned bytes = at ? ll_note_digits_(m->r, &end) : 1u;
    if (ll_log2_(bytes) > 30u) {
        ll_note_blame_got_(m->r, at, bytes, "an alignment is a power of two");
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
        ll_known_keys_(m->r, m->h.from, m->h.to,
                       "register lane warp block order ");
        ll_columns_of_(m, "register", 1, LL_IN_REGISTER_);
        ll_columns_of_(m, "lane", 1, LL_IN_LANE_);
        ll_columns_of_(m, "warp", 1, LL_IN_WARP_);
        ll_columns_of_(m, "block", 1, LL_IN_BLOCK_);
        ll_make_linear_(m, plain);
    } else if (ll_is_word_(r, p, n, "shared_linear")) {
        ll_known_keys_(m->r, m->h.from, m->h.to, "offset block ");
        ll_columns_of_(m, "offset", 1, 0);
        ll_columns_of_(m, "block", 0, LL_IN_BLOCK_);
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
        ll_note_blame_word_(
            m->r, p, n,
            "blocked linear generic_linear nvidia_mma amd_mfma amd_wmma slice "
            "dot_op swizzled_shared amd_rotating_shared nvmma_shared "
            "padded_shared partitioned_shared shared_linear "
            "tensor_memory_encoding tensor_memory_scales_encoding ",
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
    ll_known_keys_(m->r, m->h.from, m->h.to,
                   "numPartitions numGroups partitionDim partitionLayout ");
    const unsigned parts = ll_number_of_(m, "numPartitions", 1, 0);
    const unsigned groups = ll_number_of_(m, "numGroups", 1, 0);
    const unsigned axis = ll_number_of_(m, "partitionDim", 1, 0);
    const unsigned word = m->h.word;
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
    ll_known_keys_(m->r, m->h.from, m->h.to, "opIdx parent kWidth ");
    const unsigned number = ll_number_of_(m, "opIdx", 1, 0);
    const unsigned width = ll_number_of_(m, "kWidth", 0, 0);
    if (number > 1u) {
        ll_blame_number_(m, "opIdx", "opIdx is 0 or 1");
    }
    if (width && ll_log2_(width) > 30u) {
        ll_blame_number_(m, "kWidth", "kWidth is a power of two");
    }
    m->h = ll_inner_head_(m, "parent");
    const int alone =
        !m->r->why && ll_is_word_(m->r, m->h.word, m->h.n, "blocked");
    const int wgmma = !m->r->why &&
                      ll_is_word_(m->r, m->h.word, m->h.n, "nvidia_mma") &&
                      ll_number_of_(m, "versionMajor", 1, 0) == 3u;
    if (number > 1u || m->rank < 2u || (width == 0) != alone ||
        (wgmma && number)) {
        ll_note_blame_(m->r, word,
                       m->rank < 2u ? "an operand has two axes"
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
        ll_known_keys_(m->r, m->h.from, m->h.to, "dim parent ");
        const unsigned axis = ll_number_of_(m, "dim", 1, 0);
        if (axis > m->rank) {
            ll_blame_number_(m, "dim", "the shape has no room for this axis");
        }
        if (m->rank == LL_AXES_) {
            ll_note_blame_(m->r, m->here, "a tensor has at most 16 axes");
        }
        if (m->r->why) {
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
    ll_note_tell_(&r, &f);
    return f;
}

#endif
