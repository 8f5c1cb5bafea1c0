/* ---- Multicast boxes by block rank ------------------------------------ */
#ifndef LL_PTX_MULTICAST_H
#define LL_PTX_MULTICAST_H

#include "slices.h"
#include "instructions/bodies.h"

/* Multicast boxes by block rank.
 *
 * LL_MULTICAST_BOX(TILE, rows, cols, element_bits, blocks, rank, n) is
 * ll_ptx_multicast_box for a rank and a box number n that are known only at run
 * time. For each set bit of rank and n it XORs a constant into the result.
 *
 *     LL_LAYOUT(TILE, ll_ptx_smem_k(256, 64, 16, 128));
 *
 *     const ll_ptx_box b = LL_MULTICAST_BOX(TILE, 256, 64, 16, 2, rank, 0);
 */
#ifdef LL_PTX_DEVICE_

/* Private: the boxes of a tile, one for each bit of the rank and of the box
 * number. */
template <class A_, unsigned ROWS_, unsigned COLS_, unsigned BITS_,
          unsigned BLOCKS_>
struct ll_ptx_boxes_ {
    static constexpr ll_ptx_tensor map =
        ll_ptx_multicast_of(LL_GET(A_), ROWS_, COLS_, BITS_, BLOCKS_);
    static_assert(!map.err,
                  "ll: LL_MULTICAST_BOX: blocks must be 2, 4 or 8 and cut TILE "
                  "into slices of whole boxes: see ll_ptx_multicast_of");
    static constexpr unsigned blocks = map.err ? 1u : BLOCKS_;
    static constexpr unsigned ranks = ll_log2_(blocks);
    static constexpr unsigned numbers = map.err ? 0u : ll_log2_(map.copies);
    /* The box of one bit: the bits of the rank come first, then those of the
     * number. */
    template <unsigned BIT_>
    static constexpr ll_ptx_box box = ll_ptx_multicast_box(
        LL_GET(A_), map, ROWS_, COLS_, BITS_, BIT_ < ranks ? 1u << BIT_ : 0u,
        BIT_ < ranks ? 0u : 1u << (BIT_ - ranks));
};

template <class T_, unsigned... BIT_>
LL_DEVICE ll_ptx_box ll_ptx_box_of_(unsigned rank, unsigned n,
                                    ll_seq_<BIT_...>) {
    const unsigned bits = rank | n << T_::ranks;
    ll_ptx_box b = {};
    ((b.i ^= bits >> BIT_ & 1u ? T_::template box<BIT_>.i : 0u), ...);
    ((b.j ^= bits >> BIT_ & 1u ? T_::template box<BIT_>.j : 0u), ...);
    ((b.at ^= bits >> BIT_ & 1u ? T_::template box<BIT_>.at : 0u), ...);
    b.at = rank < T_::blocks && n >> T_::numbers == 0 ? b.at : ~0u;
    return b;
}

template <class T_>
LL_DEVICE ll_ptx_box ll_ptx_box_of_(unsigned rank, unsigned n) {
    return ll_ptx_box_of_<T_>(
        rank, n, typename ll_seq_upto_<T_::ranks + T_::numbers>::type());
}
#define LL_MULTICAST_BOX(TILE, rows, cols, element_bits, blocks, rank, n)   \
    ll_ptx_box_of_<ll_ptx_boxes_<LL_TYPE_(TILE), rows, cols, element_bits,  \
                                 blocks>>(rank, n)
#endif

#endif
