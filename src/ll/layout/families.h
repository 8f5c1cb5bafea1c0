/* ---- Layout families -------------------------------------------------- */
#ifndef LL_LAYOUT_FAMILIES_H
#define LL_LAYOUT_FAMILIES_H

#include "shapes.h"

/* Named layouts. Each is a product of small identities: first the registers of
 * a lane, then the lanes, then the warps, each along one axis after the other.
 * Families that a vendor's instructions define are in ll_ptx.h and ll_amd.h. */

/* ll_row_major(s), ll_col_major(s): return the memory layout offset -> tensor
 * of the shape s with the last axis (or the first axis) contiguous.
 * Example: ll_row_major(ll_shape_of("j=4 i=2")) is L("offset: j0 j1 i0");
 * Example: ll_col_major(ll_shape_of("j=4 i=2")) is L("offset: i0 j0 j1");
 */
LL_FN ll_layout ll_row_major(ll_shape s) {
    const ll_shape none = LL_ZERO;
    unsigned n = ll_shape_bits_(&s);
    ll_layout a = ll_zero(ll_shape_add_(none, LL_OFFSET, n), s);
    for (unsigned k = 0; k < n && k < LL_MAX_BITS; ++k) {
        a.basis[k] = 1u << k;
    }
    return a;
}

LL_FN ll_layout ll_col_major(ll_shape s) {
    ll_layout a = ll_row_major(ll_shape_reversed_(s));
    const ll_shape from = a.out;
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        a.basis[k] = ll_shape_repack_(a.basis[k], &from, &s);
    }
    a.out = s;
    return a;
}

/* Private: returns row-major memory with bits of the row XORed into the number
 * of the vector in its row. Row bit log2(per_phase) + t goes to vector bit t
 * mod log2(max_phase), for t below turns * log2(max_phase). */
LL_FN ll_layout ll_rows_xored_(ll_shape s, unsigned vec, unsigned per_phase,
                           unsigned max_phase, unsigned turns) {
    ll_layout a = ll_row_major(s);
    const unsigned v = ll_log2_(vec);
    const unsigned p = ll_log2_(per_phase);
    const unsigned m = ll_log2_(max_phase);
    const unsigned cols = s.n ? s.bits[0] : 0u;
    const unsigned rows = s.n > 1u ? s.bits[1] : 0u;
    if (a.err || v > 31u || p > 31u || m > 31u || v + m > cols) {
        return ll_layout_bad_(a, LL_ESWIZZLE);
    }
    for (unsigned t = 0; t < m * turns && p + t < rows; ++t) {
        a.basis[cols + p + t] |= 1u << (v + t % m);
    }
    return a;
}

/* ll_swizzled(s, vec, per_phase, max_phase): returns row-major memory with the
 * vectors of `vec` elements permuted within each row i: vector c stands at c ^
 * (i / per_phase % max_phase). The first two dimensions of the shape s are
 * columns and rows. ll_rotated, for AMD GPUs, also XORs i / per_phase /
 * max_phase % max_phase. ll_swizzle finds better ones. Source (any GPU): paper,
 * appendix, "mma swizzling"; Triton. Fail with LL_ESWIZZLE.
 * Example: ll_swizzled(ll_shape_of("j=8 i=4"), 2, 1, 4) is
 *          L("offset: j0 j1 j2 i0^j1 i1^j2");
 * Example: ll_rotated(ll_shape_of("j=4 i=4"), 2, 1, 2) is
 *          L("offset: j0 j1 i0^j1 i1^j1");
 * Example: ll_swizzled(ll_shape_of("j=4 i=4"), 2, 1, 4).err is LL_ESWIZZLE;
 */
LL_FN ll_layout ll_swizzled(ll_shape s, unsigned vec, unsigned per_phase,
                            unsigned max_phase) {
    return ll_rows_xored_(s, vec, per_phase, max_phase, 1);
}

LL_FN ll_layout ll_rotated(ll_shape s, unsigned vec, unsigned per_phase,
                           unsigned max_phase) {
    return ll_rows_xored_(s, vec, per_phase, max_phase, 2);
}

/* ll_cute_swizzle(size, b, m, s): returns CuTe's Swizzle<b, m, s> on the
 * numbers below size. It XORs the b bits from bit m + s on into the bits s
 * places lower. With s negative, it XORs the b bits from bit m on into the bits
 * |s| places higher. ll_compose(a, swizzle) swizzles the offsets of a memory
 * layout a. The swizzle is its own inverse. Source (any GPU): CUTLASS. Fails
 * with LL_ESIZE, LL_ECUTE (also if a negative s moves bits beyond size).
 * Example: ll_cute_swizzle(64, 2, 1, 3) is
 *          L("offset: offset0 offset1 offset2 offset3 offset4^offset1 "
 *          "offset5^offset2");
 * Example: ll_cute_swizzle(8, 2, 0, 1).err is LL_ECUTE;
 * Example: ll_cute_swizzle(4, 1, 0, -3).err is LL_ECUTE;
 */
LL_FN ll_layout ll_cute_swizzle(unsigned size, unsigned b, unsigned m, int s) {
    ll_layout a = ll_identity(size, LL_OFFSET, LL_OFFSET);
    const unsigned by = s < 0 ? 0u - (unsigned)s : (unsigned)s;
    const unsigned n = ll_shape_bits_(&a.in);
    const int up = s < 0 && b && m < n; /* some number has bits that move up */
    if (b > by || by > 32u || m > 32u || m + by + b > 32u ||
        (up && m + by + b > n)) {
        return ll_layout_bad_(a, LL_ECUTE);
    }
    const unsigned from = s < 0 ? m : m + by;
    const unsigned to = s < 0 ? m + by : m;
    for (unsigned k = 0; k < b && from + k < n; ++k) {
        a.basis[from + k] ^= 1u << (to + k);
    }
    return a;
}

/* ll_tiled(tile, shape, warps): returns the tile repeated to fill a tensor.
 * First, warps put tiles side by side: `warps` gives their number along each
 * axis, with its first axis fastest. ll_shape_of("") means no warps. Then
 * registers (offsets, if the tile is memory) repeat the result, along the first
 * axis of the shape first. The axes of the result are in the order of the
 * shape, the first one fastest. Where the tensor is smaller, inputs hold
 * copies; so do warps along an axis that the shape lacks.
 *
 * For a cluster, tile one block first, then multiply the result by the blocks,
 * fastest first: ll_mul with ll_identity(blocks, LL_BLOCK, axis), or with
 * ll_zeros(blocks, LL_BLOCK, axis, 1) for blocks that hold copies (multicast).
 * In a matmul on m x n warps, A (i x j) takes the warps i=m k=n, B takes k=m
 * j=n and C takes i=m j=n: each warp then has what it needs. (Paper, appendix,
 * "Layout Engine".) Fails with LL_EMISSING if the shape lacks an axis of the
 * tile, LL_EBITS.
 * Example: ll_tiled(L("register: j0 | lane: i0"), ll_shape_of("j=8 i=4"),
 *                   ll_shape_of("i=2 k=2")) is
 *          L("register: j0 j1 j2 | lane: i0 | warp: i1 0");
 * Example: ll_tiled(L("register: j0 j1 | lane: i0"), ll_shape_of("j=2 i=2"),
 *                   ll_shape_of("")) is
 *          L("register: j0 0 | lane: i0");
 * Example: ll_mul(ll_mul(ll_tiled(L("register: j0 | lane: i0"),
 *                                 ll_shape_of("j=4 i=2"), ll_shape_of("")),
 *                        ll_identity(2, LL_BLOCK, LL_I)),
 *                 ll_zeros(2, LL_BLOCK, LL_J, 1)) is
 *          L("register: j0 j1 | lane: i0 | block: i1 0");
 */
LL_FN ll_layout ll_tiled(ll_layout tile, ll_shape shape, ll_shape warps) {
    ll_layout a =
        ll_layout_bad_shape_(ll_layout_bad_shape_(tile, &shape), &warps);
    for (unsigned k = 0; !a.err && k < tile.out.n; ++k) {
        a = ll_shape_find_(&shape, tile.out.dim[k]) < shape.n
                ? a
                : ll_layout_lacking_(a, tile.out.dim[k]);
    }
    for (unsigned k = 0; !a.err && k < warps.n; ++k) {
        const unsigned size = ll_shift_(1u, warps.bits[k]);
        const ll_dim d = warps.dim[k];
        const int there = ll_shape_find_(&shape, d) < shape.n;
        const ll_dim any = shape.n ? shape.dim[0] : d;
        a = there ? ll_layout_by_(a, size, LL_WARP, d)
                  : ll_mul(a, ll_zeros(size, LL_WARP, any, 1));
    }
    for (unsigned k = 0; !a.err && k < shape.n; ++k) {
        unsigned at = ll_shape_find_(&a.out, shape.dim[k]);
        unsigned has = at < a.out.n ? a.out.bits[at] : 0u;
        if (has < shape.bits[k]) {
            a = ll_layout_by_(a, ll_shift_(1u, shape.bits[k] - has),
                              ll_layout_inner_(&a), shape.dim[k]);
        }
    }
    return a.err ? a : ll_layout_onto_(a, &shape);
}

/* ll_cute_tiled(atom, shape, b, m, s): CuTe's
 * tile_to_shape(composition(Swizzle<b, m, s>, atom), shape). Returns the memory
 * of a tensor of this shape, filled with copies of the atom, along the shape's
 * first axis first, and then swizzled. The atom is the memory layout before the
 * swizzle. It may span fewer bits than the swizzle acts on; higher bits then
 * come from the number of the copy. The axes of the result are in the order of
 * the shape. Source (any GPU): CUTLASS. Fails with LL_EMISSING, LL_EMATCH (the
 * atom is not memory), LL_ECUTE, LL_EBITS.
 * Example: ll_cute_tiled(L("offset: j0 j1 i0"), ll_shape_of("i=4 j=8"), 1, 1,
 *          2) is L("offset: j0 j1 i0 i1^j1 j2 -> i=4 | j=8");
 * Example: ll_cute_tiled(L("lane: j0"), ll_shape_of("j=4"), 1, 0, 1).err is
 *          LL_EMATCH;
 */
LL_FN ll_layout ll_cute_tiled(ll_layout atom, ll_shape shape, unsigned b,
                              unsigned m, int s) {
    const ll_shape none = LL_ZERO;
    const ll_layout a = ll_tiled(atom, shape, none);
    const int is_memory = a.in.n == 1u && a.in.dim[0] == LL_OFFSET;
    return a.err ? a
           : is_memory
               ? ll_compose(a, ll_cute_swizzle(ll_size(a.in, LL_OFFSET), b, m,
                                               s))
               : ll_layout_bad_(a, LL_EMATCH);
}

/* ll_blocked(shape, registers, lanes, warps): returns nested blocks: a block of
 * registers per lane, a block of lanes per warp, a block of warps. Registers
 * repeat the whole until it fills the shape. `registers`, `lanes` and `warps`
 * give the number along each axis, fastest first. Where the shape is smaller,
 * inputs hold copies. Source (any GPU): paper, appendix, "Blocked layouts are
 * linear layouts". Fails with LL_EMISSING.
 * Example: ll_blocked(ll_shape_of("j=16 i=16"), ll_shape_of("j=2 i=2"),
 *                     ll_shape_of("j=8 i=4"), ll_shape_of("i=2")) is
 *          L("register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3");
 */
LL_FN ll_layout ll_blocked(ll_shape shape, ll_shape registers, ll_shape lanes,
                           ll_shape warps) {
    const ll_dim in[3] = {LL_REGISTER, LL_LANE, LL_WARP};
    const ll_shape size[3] = {registers, lanes, warps};
    const ll_shape none = LL_ZERO;
    ll_layout a = ll_layout_bad_shape_(
        ll_layout_empty_("register lane warp", ""), &shape);
    for (unsigned d = 0; d < 3u; ++d) {
        a = ll_layout_bad_shape_(a, &size[d]);
        for (unsigned k = 0; k < size[d].n; ++k) {
            a = ll_layout_by_(a, ll_shift_(1u, size[d].bits[k]), in[d],
                              size[d].dim[k]);
        }
    }
    return ll_tiled(a, shape, none);
}

/* A row-major tile, divided among lanes and warps. 0 means the default. */
typedef struct ll_rows_spec {
    unsigned rows LL_INIT_, cols LL_INIT_; /* of the tile */
    unsigned bytes LL_INIT_;  /* of an element; 0: 4 */
    unsigned access LL_INIT_; /* bytes of one access; 0: 16, or one element */
    unsigned height LL_INIT_; /* rows in which a lane holds one access; 0: 1 */
    unsigned lanes LL_INIT_;  /* of a warp; 0: 32 */
    unsigned warps LL_INIT_;  /* 0: 4 */
} ll_rows_spec;

/* ll_rows_of(s): returns a layout in which each lane holds `access` contiguous
 * bytes (fewer in a narrow tile) in each of `height` rows. Lanes are side by
 * side along a row, then down the rows; warps are below each other. Registers
 * repeat the whole until the tile is full. Use smaller accesses for rows that
 * do not start at multiples of 16 bytes. LL_ROWS(.rows = 64, .cols = 64,
 * .access = 4) is ll_rows_of with named members, in the order of the struct;
 * NVRTC needs C++20 for it. ll_rows(rows, cols, bytes) takes the defaults for
 * all other members. Fail with LL_ESIZE, LL_EELEMENT, LL_EACCESS (access is not
 * a power of two, or is less than an element).
 * Example: LL_ROWS(.rows = 64, .cols = 64, .access = 4, .warps = 2) is
 *          L("register: j5 i1 i2 i3 i4 i5 | lane: j0 j1 j2 j3 j4 | warp: i0");
 * Example: ll_rows(64, 64, 4) is L("register: j0 j1 i3 i4 i5 | "
 *          "lane: j2 j3 j4 j5 i0 | warp: i1 i2");
 */
LL_FN ll_layout ll_rows_of(ll_rows_spec s) {
    const unsigned bytes = s.bytes ? s.bytes : 4u;
    const unsigned access = s.access ? s.access : bytes > 16u ? bytes : 16u;
    const unsigned lanes = s.lanes ? s.lanes : 32u;
    const unsigned wide = access > bytes ? access / bytes : 1u;
    const unsigned vector = wide < s.cols ? wide : s.cols;
    const unsigned fit = vector ? s.cols / vector : 0u;
    const unsigned across = fit < lanes ? fit : lanes;
    ll_layout a = ll_blocked(ll_shape_matrix_(s.rows, s.cols),
                             ll_shape_matrix_(s.height ? s.height : 1u, vector),
                             ll_shape_matrix_(ll_log2_(lanes) > 31u ? lanes
                                              : across ? lanes / across
                                                       : 0u,
                                              across),
                             ll_shape_matrix_(s.warps ? s.warps : 4u, 1));
    return ll_log2_(bytes) > 4u ? ll_layout_bad_value_(ll_layout_none_(LL_OK),
                                                       LL_EELEMENT, 8u * bytes)
           : access < bytes || ll_log2_(access) > 31u
               ? ll_layout_bad_value_(ll_layout_none_(LL_OK), LL_EACCESS,
                                      access)
               : a;
}

#if defined(__cplusplus)
#define LL_ROWS(...) ll_rows_of(ll_rows_spec{__VA_ARGS__})
#else
#define LL_ROWS(...) ll_rows_of((ll_rows_spec){__VA_ARGS__})
#endif

LL_FN ll_layout ll_rows(unsigned rows, unsigned cols, unsigned bytes) {
    ll_rows_spec s = LL_ZERO;
    s.rows = rows;
    s.cols = cols;
    s.bytes = bytes;
    return bytes ? ll_rows_of(s)
                 : ll_layout_bad_value_(ll_layout_none_(LL_OK), LL_EELEMENT, 0);
}

/* ll_rows_for(a, bytes): returns the layout in which the lanes and warps of a,
 * a layout of one block, load its tensor from row-major global memory. An
 * element has `bytes` bytes. It is ll_rows_of with accesses of 16 bytes, or a
 * whole row if that is less; all axes beyond the fastest count as rows. For a
 * column-major tensor: ll_trans(ll_rows_for(ll_trans(a, "j i"), bytes), "j i").
 * Fails with LL_EELEMENT, LL_ENOAXIS.
 * Example: ll_rows_for(L("register: j0 j3 i3 | lane: j1 j2 i0 i1 i2"), 2) is
 *          L("register: j0 j1 j2 | lane: j3 i0 i1 i2 i3 | warp:");
 */
LL_FN ll_layout ll_rows_for(ll_layout a, unsigned bytes) {
    const unsigned cols = a.out.n ? a.out.bits[0] : 0u;
    const unsigned rows = ll_shape_bits_(&a.out) - cols;
    if (a.err || a.out.n == 0) {
        return ll_layout_bad_(a, LL_ENOAXIS);
    }
    ll_rows_spec s = LL_ZERO;
    s.rows = ll_shift_(1u, rows);
    s.cols = ll_shift_(1u, cols);
    s.bytes = bytes;
    s.lanes = ll_size(a.in, LL_LANE);
    s.warps = ll_size(a.in, LL_WARP);
    return bytes ? ll_reshape_out(ll_rows_of(s), a.out)
                 : ll_layout_bad_value_(ll_layout_none_(LL_OK), LL_EELEMENT, 0);
}

/* A tile of a grid, by its row and column. */
typedef struct ll_spot {
    unsigned row, col;
} ll_spot;

/* ll_grid_linear(n, rows, cols, group): returns tile number n of a grid of rows
 * x cols: `group` rows of tiles at a time, down each column of the group, so
 * that blocks that run at the same time share rows and columns. Group 1 is
 * row-major order. ll_grid_hilbert(n, rows, cols): the same along Hilbert's
 * curve of the square around the grid, without the tiles outside: neighbours in
 * number are mostly neighbours in the grid. n must be less than rows * cols;
 * block b of a persistent grid takes tiles b, b + blocks, and so on. No layout
 * has this order: a bit of the place depends on all higher bits.
 * Example: ll_grid_linear(5, 4, 4, 2).row is 1;
 * Example: ll_grid_linear(5, 4, 4, 2).col is 2;
 * Example: ll_grid_hilbert(2, 2, 2).col is 1;
 * Example: ll_grid_hilbert(4, 3, 2).row is 2;
 */
LL_FN ll_spot ll_grid_linear(unsigned n, unsigned rows, unsigned cols,
                             unsigned group) {
    ll_spot at = LL_ZERO;
    const unsigned long long all = (unsigned long long)group * cols;
    const unsigned long long each = all ? all : 1u;
    const unsigned first = (unsigned)(n / each) * group;
    const unsigned left = first < rows ? rows - first : 1u;
    const unsigned high = left < group ? left : group ? group : 1u;
    at.row = first + (unsigned)(n % each) % high;
    at.col = (unsigned)(n % each) / high;
    return at;
}

/* Private: returns how many of the places from..from+side-1 are below `to`. */
LL_FN unsigned ll_clipped_(unsigned from, unsigned side, unsigned to) {
    return to <= from ? 0u : to - from < side ? to - from : side;
}

LL_FN ll_spot ll_grid_hilbert(unsigned n, unsigned rows, unsigned cols) {
    ll_spot at = LL_ZERO;
    unsigned side = 1, turned = 0, flipped = 0;
    while (side && (side < rows || side < cols)) {
        side *= 2u;
    }
    for (side /= 2u; side; side /= 2u) {
        for (unsigned q = 0; q < 4u; ++q) { /* quarters along the curve */
            const unsigned down = q >> 1;
            const unsigned right = (q ^ q >> 1) & 1u;
            const unsigned i = (turned ? right : down) ^ flipped;
            const unsigned j = (turned ? down : right) ^ flipped;
            const unsigned inside =
                ll_clipped_(at.row + i * side, side, rows) *
                ll_clipped_(at.col + j * side, side, cols);
            if (n < inside) {
                at.row += i * side;
                at.col += j * side;
                turned ^= (unsigned)(q == 0 || q == 3u);
                flipped ^= (unsigned)(q == 3u);
                break;
            }
            n -= inside;
        }
    }
    return at;
}

#endif
