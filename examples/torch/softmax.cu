/* softmax.cu - softmax.cu for rows of any length and type.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "../kernels/rows/softmax.cu"
#include "entries.h"
#include "tilings.h"

namespace {
template <class ELEMENT> struct by_softmax {
    ELEMENT *dst;
    const ELEMENT *src;
    unsigned rows, n;
    template <unsigned PER_LANE, unsigned WARPS, unsigned CLUSTER_BLOCKS,
              unsigned ROWS_PER_BLOCK, unsigned PREFETCH>
    const char *run() const {
        return softmax_by<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                          ROWS_PER_BLOCK, PREFETCH, false>(dst, src, rows, n);
    }
};
} // namespace

extern "C" const char *ll_softmax(void *dst, const void *src, int type,
                                  unsigned rows, unsigned n, void *stream) {
    launch_stream() = (cudaStream_t)stream;
    return type == 1
               ? tiled<bf16>(n, by_softmax<bf16>{(bf16 *)dst, (const bf16 *)src,
                                                 rows, n})
           : type == 2
               ? tiled<f16>(
                     n, by_softmax<f16>{(f16 *)dst, (const f16 *)src, rows, n})
               : tiled<float>(n,
                              by_softmax<float>{(float *)dst,
                                                (const float *)src, rows, n});
}
