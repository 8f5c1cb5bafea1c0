/* ---- Constants for the parameters of hardware ------------------------- */
#ifndef LL_PTX_CONSTANTS_H
#define LL_PTX_CONSTANTS_H

#include "../ll/kernel/constants.h"
#include "twiddle.h"
#include "slices.h"
#include "between.h"
#include "idesc.h"

/* Constants for the parameters of hardware.
 *
 * These macros declare a constant, as LL_LAYOUT does for a layout. The compiler
 * computes the value once, and LL_GET(NAME) is the value. If the value has an
 * error, the compiler stops with a sentence that says why.
 *
 *     LL_DESCRIPTOR(NAME, d)   d of ll_ptx_desc_of, _slice or ll_ptx_tma_of
 *     LL_TENSOR_MAP(NAME, t)   t of ll_ptx_tensor_of or ll_ptx_multicast_of
 *     LL_TWIDDLE(NAME, t)      t of ll_ptx_untwiddle
 *     LL_INSTRUCTION(NAME, d)  d of ll_ptx_idesc_of
 *
 * For example:
 *
 *     LL_LAYOUT(TILE, ll_ptx_smem_k(64, 64, 16, 128));
 *     LL_DESCRIPTOR(SLICE, ll_ptx_desc_of(LL_GET(TILE), 64, 16, 16));
 *     LL_DESCRIPTOR(NEXT, ll_ptx_desc_slice(LL_GET(TILE), 64, 16, 16, 0, 16));
 *     LL_TENSOR_MAP(BOXES, ll_ptx_tensor_of(LL_GET(TILE), 64, 64, 16));
 *
 *     const unsigned long long a = ll_ptx_desc_wgmma(LL_GET(SLICE), address);
 *     const unsigned long long b = a + (LL_GET(NEXT).at >> 4);
 *
 * A loop over an array of a constant copies the constant first, see LL_GET:
 *
 *     LL_TWIDDLE(T, ll_ptx_untwiddle(ll_ptx_twiddled(4, 16, 10), 16, 10));
 *
 *     constexpr ll_ptx_twiddle t = LL_GET(T);
 *     for (unsigned p = 0; p < 4; ++p) {
 *         y[p] = x >> t.shift[p] & t.mask[p];
 *     }
 */
#define LL_DESCRIPTOR(NAME, ...) LL_DECLARE_(NAME, ll_ptx_desc, __VA_ARGS__)
#define LL_TENSOR_MAP(NAME, ...) LL_DECLARE_(NAME, ll_ptx_tensor, __VA_ARGS__)

#define LL_TWIDDLE(NAME, ...) LL_DECLARE_(NAME, ll_ptx_twiddle, __VA_ARGS__)
#define LL_INSTRUCTION(NAME, ...) LL_DECLARE_(NAME, ll_ptx_idesc, __VA_ARGS__)

#endif
