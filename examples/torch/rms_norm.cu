/* rms_norm.cu - examples/kernels/rows/norm.cu for rows of any length and type.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "../kernels/rows/norm.cu"
#include "entries.h"
#include "tilings.h"

namespace {
template <class ELEMENT> struct by_norm {
    ELEMENT *dst;
    const ELEMENT *src, *gain;
    unsigned rows, n;
    float least;
    template <unsigned PER_LANE, unsigned WARPS, unsigned CLUSTER_BLOCKS,
              unsigned ROWS_PER_BLOCK, unsigned PREFETCH>
    const char *run() const {
        return norm_by<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, ROWS_PER_BLOCK,
                       PREFETCH, false>(
            dst, src, gain, (const ELEMENT *)nullptr, rows, n, least);
    }
};

template <class ELEMENT>
const char *norm_of(void *dst, const void *src, const void *gain, unsigned rows,
                    unsigned n, float least) {
    return tiled<ELEMENT>(
        n, by_norm<ELEMENT>{(ELEMENT *)dst, (const ELEMENT *)src,
                            (const ELEMENT *)gain, rows, n, least});
}
} // namespace

extern "C" const char *ll_rms_norm(void *dst, const void *src, const void *gain,
                                   int type, unsigned rows, unsigned n,
                                   float least, void *stream) {
    launch_stream() = (cudaStream_t)stream;
    return (type == 1   ? norm_of<bf16>
            : type == 2 ? norm_of<f16>
                        : norm_of<float>)(dst, src, gain, rows, n, least);
}
