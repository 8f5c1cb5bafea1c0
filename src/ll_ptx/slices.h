/* ---- Slices and multicasts -------------------------------------------- */
#ifndef LL_PTX_SLICES_H
#define LL_PTX_SLICES_H

#include "base.h"
#include "tensor_maps.h"

/* ll_ptx_stage(t, bytes, n): returns the byte offset of stage n in a ring of
 * stages. A stage is a tile of `bytes` bytes that copies of the tensor t fill.
 * It starts at a multiple of the swizzle's pattern, which is 8 times as wide as
 * the swizzle, at least 128 bytes. The ring must start at such a multiple too.
 * Example: ll_ptx_stage(ll_ptx_tensor_of(ll_ptx_smem_k(64, 64, 16, 128), 64,
 *          64, 16), 8192, 3) is 24576;
 * Example: ll_ptx_stage(ll_ptx_tensor_of(ll_ptx_smem_k(8, 16, 16, 32), 8, 16,
 *          16), 200, 1) is 256;
 */
LL_FN unsigned ll_ptx_stage(ll_ptx_tensor t, unsigned bytes, unsigned n) {
    const unsigned pattern = t.swizzle ? 8u * t.swizzle : 128u;
    return (bytes + pattern - 1u) / pattern * pattern * n;
}

/* Private: sets *b to where box n of a tile of `rows` rows lies. Returns 0 if
 * the box is laid out differently from the first box. */
LL_FN unsigned ll_ptx_slice_at_(const ll_layout *a, ll_ptx_tensor t,
                                unsigned rows, unsigned element_bits,
                                unsigned n, ll_ptx_box *b) {
    const ll_layout x = ll_inv(*a);
    const unsigned high = t.mn_major ? t.box[0] : t.box[1];
    const unsigned wide = t.mn_major ? t.box[1] : t.box[0];
    b->i = n % (rows / high) * high;
    b->j = n / (rows / high) * wide;
    const unsigned at = ll_ptx_place_(&x, b->i, b->j);
    b->at = (unsigned)((unsigned long long)at * element_bits / 8u);
    return at % (high * wide) == 0;
}

/* ll_ptx_multicast_of(a, rows, cols, element_bits, blocks): returns the map of
 * a tile that the blocks of a cluster, 2, 4 or 8, load together. Each block
 * copies a slice to all blocks: rows / blocks rows, or cols / blocks columns if
 * the rows would not fill a pattern. `copies` is the number of boxes per block.
 * ll_ptx_multicast_box(a, t, rows, cols, element_bits, rank, n): returns where
 * box n of the block `rank` lies: coordinates i, j in the tile, and byte `at`
 * in shared memory, the same in all blocks. `at` is all ones if there is no
 * such box. This function is for constants; in a kernel, which knows the rank
 * only at run time, use LL_MULTICAST_BOX. Fails as ll_ptx_tma_of, and with
 * LL_EBOX (`blocks` is not 2, 4 or 8, or a slice is not made of boxes).
 * Example: ll_ptx_multicast_of(ll_ptx_smem_k(256, 64, 16, 128), 256, 64, 16,
 *          2).box[1] is 128;
 * Example: ll_ptx_multicast_box(ll_ptx_smem_k(256, 64, 16, 128),
 *          ll_ptx_multicast_of(ll_ptx_smem_k(256, 64, 16, 128), 256, 64, 16,
 *          2), 256, 64, 16, 1, 0).at is 16384;
 * Example: ll_ptx_multicast_of(ll_ptx_smem_k(64, 64, 16, 128), 64, 64, 16,
 *          3).err is LL_EBOX;
 */
LL_FN ll_ptx_tensor ll_ptx_multicast_of(ll_layout a, unsigned rows,
                                        unsigned cols, unsigned element_bits,
                                        unsigned blocks) {
    const unsigned by = ll_log2_(blocks);
    ll_ptx_tensor t = LL_ZERO;
    t.err = LL_EBOX;
    for (unsigned side = 0; side < 2u && t.err && by >= 1u && by <= 3u;
         ++side) {
        const unsigned r = side ? rows : rows / blocks;
        const unsigned c = side ? cols / blocks : cols;
        t = ll_ptx_tensor_of(a, r, c, element_bits);
        const unsigned all = t.err ? 0u : t.copies * blocks;
        for (unsigned n = 0; n < all && !t.err; ++n) {
            ll_ptx_box b = LL_ZERO;
            const unsigned fits =
                ll_ptx_slice_at_(&a, t, rows, element_bits, n, &b);
            t.err = fits ? t.err : (unsigned)LL_EBOX;
        }
    }
    return t;
}

LL_FN ll_ptx_box ll_ptx_multicast_box(ll_layout a, ll_ptx_tensor t,
                                      unsigned rows, unsigned cols,
                                      unsigned element_bits, unsigned rank,
                                      unsigned n) {
    ll_ptx_box b = LL_ZERO;
    b.at = ~0u;
    if (t.err || n >= t.copies) {
        return b;
    }
    const unsigned down = rows / (t.mn_major ? t.box[0] : t.box[1]);
    const unsigned wide = t.mn_major ? t.box[1] : t.box[0];
    const unsigned blocks = down * (cols / wide) / t.copies;
    if (rank >= blocks) {
        return b;
    }
    /* a slice of rows has part `rank` of each column of boxes */
    const unsigned each = down / blocks;
    const unsigned number =
        each ? n / each * down + rank * each + n % each : rank * t.copies + n;
    if (!ll_ptx_slice_at_(&a, t, rows, element_bits, number, &b)) {
        b.at = ~0u;
    }
    return b;
}

#endif
