/* ---- Descriptors of shared memory ------------------------------------- */
#ifndef LL_PTX_DESCRIPTORS_H
#define LL_PTX_DESCRIPTORS_H

#include "swizzle_modes.h"

/* Private: converts a distance from bytes to elements. */
LL_FN unsigned ll_ptx_elements_(unsigned bytes, unsigned element_bits) {
    return element_bits ? bytes / 16u * (128u / element_bits) : 0u;
}

/* ll_ptx_desc_places(d, rows, cols, element_bits): returns the place of each
 * element i, j of the operand that descriptor d describes, as j, i -> offset in
 * elements. Its inverse (ll_inv, or ll_pinv if there are gaps) is the memory
 * layout. Fails with the error of d, LL_EMODE, LL_EOPERAND.
 * Example: ll_ptx_desc_places(ll_ptx_desc_of(ll_ptx_smem_k(64, 16, 16, 32),
 *          64, 16, 16), 64, 16, 16) is
 *          ll_inv(ll_ptx_smem_k(64, 16, 16, 32));
 */
LL_FN ll_layout ll_ptx_desc_places(ll_ptx_desc d, unsigned rows, unsigned cols,
                                   unsigned element_bits) {
    ll_ptx_atom_ t = ll_ptx_atom_of_(d.swizzle, d.atom, element_bits);
    const int swap = d.mn_major && d.swizzle == 0;
    const unsigned wide = !d.mn_major && d.swizzle; /* LBO is not read */
    t.across = ll_ptx_elements_(wide ? 0 : swap ? d.sbo : d.lbo, element_bits);
    t.down = ll_ptx_elements_(swap ? d.lbo : d.sbo, element_bits);
    t.err = d.err ? d.err : t.err;
    return ll_ptx_places_(&t, rows, cols, (int)d.mn_major);
}

/* Private: returns column `bit` of input d, or 0 if there is none. */
LL_FN unsigned ll_ptx_column_(const ll_layout *x, ll_dim d, unsigned bit) {
    const unsigned at = ll_shape_find_(&x->in, d);
    return at < x->in.n && bit < x->in.bits[at]
               ? x->basis[ll_shape_start_(&x->in, at) + bit]
               : 0u;
}

/* Private: returns LL_OK if x has the columns of p, LL_EATOM if they differ
 * within an atom, LL_ESTRIDE if only the distances between atoms differ. */
LL_FN unsigned ll_ptx_compare_(const ll_layout *x, const ll_layout *p,
                               const ll_ptx_atom_ *t, int mn_major) {
    unsigned err = p->err;
    for (unsigned d = 0; d < 2u && err != LL_EATOM; ++d) {
        const unsigned inside = (d == 0) != mn_major ? t->wide : t->lines;
        for (unsigned k = 0; k < p->in.bits[d]; ++k) {
            const unsigned want = ll_ptx_column_(p, p->in.dim[d], k);
            if (ll_ptx_column_(x, p->in.dim[d], k) != want) {
                err = k < inside            ? (unsigned)LL_EATOM
                      : err == LL_EATOM ? err
                                        : (unsigned)LL_ESTRIDE;
            }
        }
    }
    return err;
}

/* Private: returns the distance between atoms along d in bytes. Returns 0 if
 * one atom suffices, or if the distance is no power of two, does not fit a
 * descriptor or is shorter than an atom; ll_ptx_compare_ reports these three
 * cases as a wrong distance. */
LL_FN unsigned ll_ptx_stride_(const ll_layout *x, const ll_ptx_atom_ *t,
                              int contiguous, ll_dim d, unsigned size,
                              unsigned element_bits) {
    const unsigned inside = contiguous ? t->wide : t->lines;
    const unsigned to = ll_ptx_column_(x, d, inside);
    const unsigned long long bytes =
        (unsigned long long)to * element_bits / 8u;
    return size <= 1u << inside || ll_log2_(to) >= 32u || bytes >> 18 ||
                   to < 1u << (t->wide + t->lines)
               ? 0u
               : (unsigned)bytes;
}

LL_FN ll_ptx_desc ll_ptx_try_(const ll_layout *x, unsigned rows, unsigned cols,
                              unsigned element_bits, ll_ptx_desc d) {
    const ll_ptx_atom_ t = ll_ptx_atom_of_(d.swizzle, d.atom, element_bits);
    const int mn = d.mn_major != 0;
    const unsigned across = ll_ptx_stride_(
        x, &t, 1, mn ? LL_I : LL_J, mn ? rows : cols, element_bits);
    const unsigned down = ll_ptx_stride_(
        x, &t, 0, mn ? LL_J : LL_I, mn ? cols : rows, element_bits);
    const int swap = mn && d.swizzle == 0;
    d.lbo = !mn && d.swizzle ? 16u : swap ? down : across;
    d.sbo = swap ? across : down;
    const ll_layout p = ll_ptx_desc_places(d, rows, cols, element_bits);
    d.err = ll_ptx_compare_(x, &p, &t, mn);
    return d;
}

/* Private: returns the error that rules out any descriptor for the lowest rows
 * x cols of a tile with inverse x, or LL_OK. */
LL_FN unsigned ll_ptx_corner_(const ll_layout *x, unsigned rows,
                              unsigned cols, unsigned element_bits) {
    const unsigned r = ll_log2_(rows);
    const unsigned c = ll_log2_(cols);
    const unsigned i = ll_shape_find_(&x->in, LL_I);
    const unsigned j = ll_shape_find_(&x->in, LL_J);
    return x->err ? x->err
           : r >= 32u || c >= 32u || i == x->in.n || j == x->in.n ||
                   r > x->in.bits[i] || c > x->in.bits[j]
               ? (unsigned)LL_EBOX
           : !ll_ptx_packed_(element_bits) ? (unsigned)LL_EOPERAND
           : x->offset                     ? (unsigned)LL_EAFFINE
                                           : (unsigned)LL_OK;
}

/* Private: returns swizzle width number k: 0, 32, 64 or 128 bytes. */
LL_FN unsigned ll_ptx_width_(unsigned k) { return k ? 16u << k : 0u; }

/* ll_ptx_desc_of(a, rows, cols, element_bits): returns the descriptor with
 * which one instruction reads its operand of rows x cols (m or n by k; k has
 * 256 bits) at the lowest corner of a memory layout a, offset -> i, j. rows and
 * cols are powers of two: for an n of 192 pass 256. For the next instructions,
 * add to the address: see ll_ptx_desc_slice. LBO is 16 if the instruction does
 * not read it. Fails with LL_ESINGULAR, LL_EBOX (a is smaller), LL_EOPERAND,
 * LL_EAFFINE, LL_EATOM (no swizzle mode has these rows), LL_ESTRIDE (a mode has
 * them, but its atoms are not at constant distances).
 * Example: ll_ptx_desc_of(ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16).sbo
 *          is 1024;
 * Example: ll_ptx_desc_of(ll_row_major(ll_shape_of("j=64 i=64")), 64, 16,
 *          16).err is LL_EATOM;
 */
LL_FN ll_ptx_desc ll_ptx_desc_of(ll_layout a, unsigned rows, unsigned cols,
                                 unsigned element_bits) {
    const ll_layout x = ll_inv(a);
    ll_ptx_desc best = LL_ZERO;
    best.err = ll_ptx_corner_(&x, rows, cols, element_bits);
    if (best.err) {
        return best;
    }
    best.err = LL_EATOM;
    for (unsigned k = 0; k < 9u && best.err; ++k) {
        ll_ptx_desc d = LL_ZERO;
        d.swizzle = ll_ptx_width_(k < 8u ? k / 2u : 3u);
        d.atom = k >= 8u ? 32u : 16u;
        d.mn_major = k == 8u || (k & 1u);
        d = ll_ptx_try_(&x, rows, cols, element_bits, d);
        best = !d.err || (d.err == LL_ESTRIDE) ? d : best;
    }
    return best;
}

/* Private: returns the byte address that the swizzle of d maps to element
 * `offset` of a tile. */
LL_FN unsigned ll_ptx_unswizzled_(ll_ptx_desc d, unsigned offset,
                                  unsigned element_bits) {
    const ll_ptx_mode_ w = ll_ptx_mode_of_(d.swizzle, d.atom);
    const unsigned byte =
        (unsigned)((unsigned long long)offset * element_bits / 8u);
    return byte ^ (byte >> w.s & ((1u << w.b) - 1u) << w.m);
}

/* Private: returns the XOR of the columns of x that the bits of i, j select. */
LL_FN unsigned ll_ptx_place_(const ll_layout *x, unsigned i, unsigned j) {
    unsigned at = 0;
    for (unsigned k = 0; k < 32u; ++k) {
        at ^= (i >> k & 1u) * ll_ptx_column_(x, LL_I, k) ^
              (j >> k & 1u) * ll_ptx_column_(x, LL_J, k);
    }
    return at;
}

/* ll_ptx_desc_slice(a, rows, cols, element_bits, i, j): returns the descriptor
 * of ll_ptx_desc_of for the slice whose lowest corner is element i, j of the
 * memory layout a. i is a multiple of rows and j of cols. `at` is the distance
 * in bytes from the tile to the slice; a loop over slices adds it to the
 * address. Fails as ll_ptx_desc_of, and with LL_EBOX (no such slice),
 * LL_ESTRIDE (the slice is laid out differently from the lowest slice).
 * Example: ll_ptx_desc_slice(ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16, 0,
 *          48).at is 96;
 * Example: ll_ptx_desc_slice(ll_ptx_smem_k(128, 64, 16, 128), 64, 16, 16, 64,
 *          16).at is 8224;
 * Example: ll_ptx_desc_slice(ll_ptx_smem_mn(128, 64, 16, 128, 16), 64, 16, 16,
 *          64, 16).at is 5120;
 * Example: ll_ptx_desc_slice(ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16, 64,
 *          0).err is LL_EBOX;
 */
LL_FN ll_ptx_desc ll_ptx_desc_slice(ll_layout a, unsigned rows, unsigned cols,
                                    unsigned element_bits, unsigned i,
                                    unsigned j) {
    ll_ptx_desc d = ll_ptx_desc_of(a, rows, cols, element_bits);
    const ll_layout x = ll_inv(a);
    if (d.err) {
        return d;
    }
    if (i % rows || j % cols || i >= ll_size(x.in, LL_I) ||
        j >= ll_size(x.in, LL_J)) {
        d.err = LL_EBOX;
        return d;
    }
    d.at = ll_ptx_unswizzled_(d, ll_ptx_place_(&x, i, j), element_bits);
    for (unsigned k = 0; !d.err && k < 32u; ++k) {
        const unsigned row = k < 16u ? 1u << k : 0u;
        const unsigned col = k < 16u ? 0u : 1u << (k - 16u);
        const int inside = row < rows && col < cols;
        const unsigned step = ll_ptx_unswizzled_(
            d, ll_ptx_place_(&x, row, col), element_bits);
        d.err = inside && (step & d.at) ? (unsigned)LL_ESTRIDE : d.err;
    }
    d.err = d.at % 16u ? (unsigned)LL_ESTRIDE : d.err;
    return d;
}

/* Private: returns the bits that the descriptors of wgmma and tcgen05 share. */
LL_FN unsigned long long ll_ptx_desc_bits_(ll_ptx_desc d, unsigned address) {
    return ((address + d.at) >> 4 & 0x3fffu) |
           (unsigned long long)(d.lbo >> 4) << 16 |
           (unsigned long long)(d.sbo >> 4) << 32;
}

/* ll_ptx_desc_wgmma(d, address), ll_ptx_desc_tcgen05(d, address): return the
 * 64-bit descriptor of a tile at byte `address` of shared memory, or of its
 * slice d.at bytes later. The address must be a multiple of the swizzle's
 * pattern: 128 bytes for swizzle 0, else 8 times `swizzle`. The result is 0 if
 * d has an error or a mode that wgmma lacks. Source (sm_90a): PTX, "Matrix
 * descriptor" of wgmma, "Shared memory descriptor" of tcgen05.
 * Example: ll_ptx_desc_wgmma(ll_ptx_desc_of(
 *          ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16), 1024) is
 *          0x4000004000010040;
 */
LL_FN unsigned long long ll_ptx_desc_wgmma(ll_ptx_desc d, unsigned address) {
    const unsigned long long mode = d.swizzle == 128u  ? 1u
                                    : d.swizzle == 64u ? 2u
                                    : d.swizzle == 32u ? 3u
                                                       : 0u;
    return d.err || d.atom != 16u ? 0u
                                  : ll_ptx_desc_bits_(d, address) | mode << 62;
}

LL_FN unsigned long long ll_ptx_desc_tcgen05(ll_ptx_desc d, unsigned address) {
    const unsigned long long mode = d.atom == 32u       ? 1u
                                    : d.swizzle == 128u ? 2u
                                    : d.swizzle == 64u  ? 4u
                                    : d.swizzle == 32u  ? 6u
                                                        : 0u;
    return d.err ? 0u
                 : ll_ptx_desc_bits_(d, address) | 1ull << 46 | mode << 61;
}

#endif
