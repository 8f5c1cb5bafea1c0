/* ---- Shared memory layouts the hardware reads ------------------------- */
#ifndef LL_PTX_SWIZZLE_MODES_H
#define LL_PTX_SWIZZLE_MODES_H

#include "operands.h"

/* The swizzle modes. A mode divides shared memory into lines of 128 bytes. It
 * cuts each `swizzle` bytes of a line into pieces of `atom` bytes and permutes
 * the pieces by the line number: it XORs the address bits from bit 7 up into
 * the bits from log2(atom) up. */

/* Private: a mode as CuTe's Swizzle<b, m, s> of byte addresses. */
typedef struct ll_ptx_mode_ {
    unsigned err;
    unsigned width; /* bytes; 16 without a swizzle */
    unsigned b, m;
    int s;
} ll_ptx_mode_;

LL_FN ll_ptx_mode_ ll_ptx_mode_of_(unsigned swizzle, unsigned atom) {
    ll_ptx_mode_ w = LL_ZERO;
    const unsigned plain = swizzle == 0 || swizzle == 32u || swizzle == 64u;
    w.err = (atom == 16u && plain) ||
                    (swizzle == 128u &&
                     (atom == 16u || atom == 32u || atom == 64u))
                ? LL_OK
                : LL_EMODE;
    w.width = w.err || swizzle == 0 ? 16u : swizzle;
    w.m = w.err ? 4u : ll_log2_(atom);
    w.b = ll_log2_(w.width) - w.m;
    w.s = 7 - (int)w.m;
    return w;
}

/* ll_ptx_tma(swizzle, atom, flip): returns the permutation of byte addresses
 * that a swizzle mode of TMA applies within one pattern. The base must be
 * aligned to the size of the pattern. swizzle is 0, 32, 64 or 128 bytes. atom
 * is 16, or for modes of sm_100 32 (CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B) or 64
 * (_64B). flip is 8 for _ATOM_32B_FLIP_8B and 0 for all other modes.
 * ll_compose(a, ..) applies it to a layout a of bytes. Source (sm_90; atoms of
 * 32 and 64 sm_100): PTX, "Swizzling Modes". Fails with LL_EMODE.
 * Example: ll_ptx_tma(32, 16, 0) is L("offset: offset0 offset1 offset2 "
 *          "offset3 offset4 offset5 offset6 offset7^offset4");
 * Example: ll_size(ll_ptx_tma(128, 16, 0).in, LL_OFFSET) is 1024;
 * Example: ll_ptx_tma(48, 16, 0).err is LL_EMODE;
 */
LL_FN ll_layout ll_ptx_tma(unsigned swizzle, unsigned atom, unsigned flip) {
    const ll_ptx_mode_ w = ll_ptx_mode_of_(swizzle, atom);
    ll_layout a = ll_cute_swizzle(128u << w.b, w.b, w.m, w.s);
    a.basis[7] ^= flip ? 8u : 0u;
    a = flip && (flip != 8u || atom != 32u) ? ll_layout_bad_(a, LL_EMODE) : a;
    return ll_layout_bad_(a, w.err);
}

/* A descriptor tells wgmma and tcgen05.mma how an operand lies in shared
 * memory: the swizzle mode, which axis is contiguous, and LBO and SBO, the
 * distances in bytes at which atoms repeat. ll_ptx_desc_of makes one from a
 * layout. */
typedef struct ll_ptx_desc {
    unsigned err;
    unsigned swizzle;  /* 0, 32, 64, 128 bytes */
    unsigned atom;     /* 16, or 32 for a mode of tcgen05 */
    unsigned mn_major; /* 1: rows (m or n) are contiguous; 0: columns (k) */
    unsigned lbo, sbo; /* bytes; 0 where nothing repeats */
    unsigned at;       /* bytes from the tile to the slice */
} ll_ptx_desc;

/* Private: an atom in elements: 2^lines lines of 2^wide contiguous elements,
 * swizzled by b, m and s. Atoms repeat at the distance `across` along the
 * contiguous axis and `down` along the other one. */
typedef struct ll_ptx_atom_ {
    unsigned err;
    unsigned wide, lines; /* log2 */
    unsigned b, m, s;
    unsigned across, down; /* offsets */
} ll_ptx_atom_;

LL_FN ll_ptx_atom_ ll_ptx_atom_of_(unsigned swizzle, unsigned atom,
                                   unsigned element_bits) {
    const ll_ptx_mode_ w = ll_ptx_mode_of_(swizzle, atom);
    ll_ptx_atom_ t = LL_ZERO;
    t.err = ll_ptx_packed_(element_bits) ? w.err : (unsigned)LL_EOPERAND;
    const unsigned bits = t.err ? 3u : ll_log2_(element_bits);
    t.wide = ll_log2_(w.width) + 3u - bits;
    t.lines = 7u - w.m;
    t.b = w.b;
    t.m = w.m + 3u - bits;
    t.s = (unsigned)w.s;
    return t;
}

/* Private: returns the offset of bit `bit` of the coordinate on the contiguous
 * axis, or, if `contiguous` is 0, on the other axis. */
LL_FN unsigned ll_ptx_in_atom_(const ll_ptx_atom_ *t, int contiguous,
                               unsigned bit) {
    const unsigned inside = contiguous ? t->wide : t->lines;
    const unsigned at = contiguous ? bit : bit + t->wide;
    const unsigned from = t->m + t->s;
    if (bit >= inside) {
        return ll_shift_(contiguous ? t->across : t->down, bit - inside);
    }
    return 1u << at | (at >= from && at < from + t->b ? 1u << (at - t->s) : 0u);
}

/* Private: returns j, i -> offset for rows x cols in atoms at the distances in
 * t. */
LL_FN ll_layout ll_ptx_places_(const ll_ptx_atom_ *t, unsigned rows,
                               unsigned cols, int mn_major) {
    const ll_shape none = LL_ZERO;
    ll_layout a = ll_zero(ll_shape_matrix_(rows, cols), none);
    a = ll_layout_bad_(a, t->err);
    unsigned all = 0;
    for (unsigned k = 0; !a.err && k < ll_shape_bits_(&a.in); ++k) {
        const int is_row = k >= a.in.bits[0];
        const unsigned bit = is_row ? k - a.in.bits[0] : k;
        a.basis[k] = ll_ptx_in_atom_(t, (mn_major != 0) == is_row, bit);
        all |= a.basis[k];
    }
    unsigned bits = 0;
    while (bits < 32u && all >> bits) {
        ++bits;
    }
    a.out = ll_shape_add_(none, LL_OFFSET, bits);
    return a;
}

/* Private: returns offset -> i, j for a tile of atoms, each swizzled. */
LL_FN ll_layout ll_ptx_smem_(unsigned rows, unsigned cols, ll_ptx_atom_ t,
                             int mn_major) {
    const unsigned wide = 1u << t.wide;
    const unsigned lines = 1u << t.lines;
    const unsigned high = mn_major ? wide : lines; /* rows of an atom */
    const unsigned r = ll_log2_(rows);
    const unsigned c = ll_log2_(cols);
    if (t.err || rows < high || cols < wide * lines / high || r >= 31u ||
        c >= 31u || r + c >= 32u) {
        return ll_layout_none_(t.err ? t.err : (unsigned)LL_EBOX);
    }
    const ll_shape s = ll_shape_matrix_(high, wide * lines / high);
    ll_layout a = mn_major ? ll_col_major(s) : ll_row_major(s);
    a = ll_compose(a, ll_cute_swizzle(wide * lines, t.b, t.m, (int)t.s));
    a = ll_tiled(a, ll_shape_reversed_(ll_shape_matrix_(rows, cols)),
                 ll_shape_of(""));
    return ll_order_out(a, "j i");
}

/* ll_ptx_smem_k(rows, cols, element_bits, swizzle), ll_ptx_smem_mn(rows, cols,
 * element_bits, swizzle, atom): return a tile in shared memory as wgmma and
 * tcgen05.mma read it, offset -> i, j. i is m or n, and j is k, also for B. In
 * _k, neighbours along j are contiguous, in _mn neighbours along i. Atoms of 8
 * lines of `swizzle` bytes (16 for swizzle 0) follow each other along i first,
 * then along j. atom is 16, or 32 for the 128-byte mode of tcgen05 with 32-byte
 * atoms, which have 4 lines. Source (sm_90a): PTX, "Canonical Layouts" of the
 * shared memory matrix. Fail with LL_EMODE, LL_EOPERAND, LL_EBOX.
 * Example: ll_ptx_smem_k(8, 16, 16, 32) is
 *          L("offset: j0 j1 j2 j3 i0 i1 i2^j3");
 * Example: ll_ptx_smem_mn(16, 8, 16, 32, 16) is
 *          L("offset: i0 i1 i2 i3 j0 j1 j2^i3");
 * Example: ll_ptx_smem_k(8, 16, 16, 128).err is LL_EBOX;
 */
LL_FN ll_layout ll_ptx_smem_k(unsigned rows, unsigned cols,
                              unsigned element_bits, unsigned swizzle) {
    return ll_ptx_smem_(rows, cols,
                        ll_ptx_atom_of_(swizzle, 16, element_bits), 0);
}

LL_FN ll_layout ll_ptx_smem_mn(unsigned rows, unsigned cols,
                               unsigned element_bits, unsigned swizzle,
                               unsigned atom) {
    return atom > 32u
               ? ll_layout_none_(LL_EMODE)
               : ll_ptx_smem_(rows, cols,
                              ll_ptx_atom_of_(swizzle, atom, element_bits), 1);
}

#endif
