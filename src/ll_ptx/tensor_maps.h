/* ---- Tensor maps ------------------------------------------------------ */
#ifndef LL_PTX_TENSOR_MAPS_H
#define LL_PTX_TENSOR_MAPS_H

#include "descriptors.h"

/* Private: returns 1 if one box with the swizzle mode of d fills the lowest
 * rows x cols of x. */
LL_FN int ll_ptx_is_box_(const ll_layout *x, unsigned rows, unsigned cols,
                         unsigned element_bits, ll_ptx_desc d) {
    ll_ptx_atom_ t = ll_ptx_atom_of_(d.swizzle, d.atom, element_bits);
    const unsigned inner = ll_log2_(d.mn_major ? rows : cols);
    if (t.err || inner < t.wide || (d.swizzle && inner > t.wide)) {
        return 0;
    }
    t.wide = inner;
    t.down = 1u << (t.wide + t.lines);
    const ll_layout p = ll_ptx_places_(&t, rows, cols, (int)d.mn_major);
    return !p.err && !ll_ptx_compare_(x, &p, &t, d.mn_major != 0);
}

/* ll_ptx_tma_of(a, rows, cols, element_bits): returns the swizzle mode with
 * which one tensor copy fills the lowest rows x cols of a memory layout a,
 * offset -> i, j. The result has `swizzle`, `atom` and `mn_major`, which is 1
 * if the rows are the inner dimension of the box. A swizzled box is as wide as
 * the swizzle. Fails with LL_ESINGULAR, LL_EBOX (a is smaller, or the box is
 * larger than 256 elements per side), LL_EOPERAND, LL_EAFFINE, LL_ETENSOR (no
 * swizzle mode has these rows).
 * Example: ll_ptx_tma_of(ll_ptx_smem_k(64, 64, 16, 128), 64, 64, 16).swizzle
 *          is 128;
 * Example: ll_ptx_tma_of(ll_row_major(ll_shape_of("j=64 i=64")), 64, 64,
 *          16).swizzle is 0;
 */
LL_FN ll_ptx_desc ll_ptx_tma_of(ll_layout a, unsigned rows, unsigned cols,
                                unsigned element_bits) {
    const ll_layout x = ll_inv(a);
    ll_ptx_desc d = LL_ZERO;
    const unsigned err = ll_ptx_corner_(&x, rows, cols, element_bits);
    if (err || rows > 256u || cols > 256u) {
        d.err = err ? err : (unsigned)LL_EBOX;
        return d;
    }
    for (unsigned k = 0; k < 12u; ++k) {
        d.swizzle = k < 8u ? ll_ptx_width_(k / 2u) : 128u;
        d.atom = k < 8u ? 16u : 8u << k / 4u << (k / 2u & 1u);
        d.mn_major = k & 1u;
        if (ll_ptx_is_box_(&x, rows, cols, element_bits, d)) {
            return d;
        }
    }
    const ll_ptx_desc none = LL_ZERO;
    d = none;
    d.err = LL_ETENSOR;
    return d;
}

/* The parameters of a tensor map (cuTensorMapEncodeTiled) for tiles of an m x n
 * matrix in global memory, and how its copies fill a tile. The map has the
 * dimensions of the matrix, the contiguous one first: n and m, or m and n if
 * mn_major is 1. */
typedef struct ll_ptx_tensor {
    unsigned err;
    unsigned swizzle, atom; /* bytes, as in ll_ptx_desc */
    unsigned mn_major;      /* 1: rows are the inner dimension of the box */
    unsigned box[2];        /* elements: the inner dimension, the outer one */
    unsigned copies;        /* boxes that fill the tile */
} ll_ptx_tensor;

/* ll_ptx_tensor_of(a, rows, cols, element_bits): returns the map whose copies
 * fill the lowest rows x cols of a memory layout a, offset -> i, j, with the
 * fewest boxes. ll_ptx_tensor_box(a, t, rows, element_bits, n): returns where
 * box n lies: coordinates i, j of its lowest corner in the tile, and byte `at`
 * in shared memory. `at` is all ones if there is no box n, or if it is laid out
 * differently from the first box. Fails as ll_ptx_tma_of.
 * Example: ll_ptx_tensor_of(ll_ptx_smem_k(64, 256, 16, 128), 64, 256,
 *          16).copies is 4;
 * Example: ll_ptx_tensor_of(ll_ptx_smem_mn(64, 256, 16, 128, 16), 64, 256,
 *          16).box[1] is 256;
 * Example: ll_ptx_tensor_box(ll_ptx_smem_k(64, 256, 16, 128), ll_ptx_tensor_of(
 *          ll_ptx_smem_k(64, 256, 16, 128), 64, 256, 16), 64, 16, 3).at
 *          is 24576;
 */
LL_FN ll_ptx_tensor ll_ptx_tensor_of(ll_layout a, unsigned rows, unsigned cols,
                                     unsigned element_bits) {
    const ll_layout x = ll_inv(a);
    ll_ptx_tensor t = LL_ZERO;
    t.err = ll_ptx_corner_(&x, rows, cols, element_bits);
    for (unsigned cut = 0; !t.err && !t.copies && cut < 16u; ++cut) {
        for (unsigned down = 0; !t.copies && down <= cut; ++down) {
            const unsigned high = rows >> down, wide = cols >> (cut - down);
            const ll_ptx_desc d =
                high && wide ? ll_ptx_tma_of(a, high, wide, element_bits)
                             : ll_ptx_tma_of(a, 0, 0, element_bits);
            t.swizzle = d.swizzle;
            t.atom = d.atom;
            t.mn_major = d.mn_major;
            t.box[0] = d.mn_major ? high : wide;
            t.box[1] = d.mn_major ? wide : high;
            t.copies = d.err ? 0u : 1u << cut;
        }
    }
    t.err = t.err || t.copies ? t.err : (unsigned)LL_ETENSOR;
    return t;
}

/* Where one box of a tile lies. */
typedef struct ll_ptx_box {
    unsigned i, j, at;
} ll_ptx_box;

LL_FN ll_ptx_box ll_ptx_tensor_box(ll_layout a, ll_ptx_tensor t, unsigned rows,
                                   unsigned element_bits, unsigned n) {
    const ll_layout x = ll_inv(a);
    const unsigned high = t.mn_major ? t.box[0] : t.box[1];
    const unsigned wide = t.mn_major ? t.box[1] : t.box[0];
    const unsigned down = high ? rows / high : 1u;
    const unsigned inside = high * wide; /* offsets of the first box */
    ll_ptx_box b = LL_ZERO;
    b.i = n % down * high;
    b.j = n / down * wide;
    const unsigned at = ll_ptx_place_(&x, b.i, b.j);
    b.at = t.err || n >= t.copies || (inside && at % inside)
               ? ~0u
               : (unsigned)((unsigned long long)at * element_bits / 8u);
    return b;
}

#endif
