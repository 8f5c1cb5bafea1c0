/* rms_norm.cu - examples/kernels/rows/norm.cu for rows of any length and type.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "../kernels/rows/norm.cu"
#include "entries.h"
#include "tilings.h"

namespace {
template <class T> struct by_norm {
    T *dst;
    const T *src, *gain;
    unsigned rows, n;
    float least;
    template <unsigned EACH, unsigned WARPS, unsigned BLOCKS, unsigned TALL,
              unsigned AHEAD>
    const char *run() const {
        return norm_by<T, EACH, WARPS, BLOCKS, TALL, AHEAD, false>(
            dst, src, gain, (const T *)nullptr, rows, n, least);
    }
};

template <class T>
const char *norm_of(void *dst, const void *src, const void *gain, unsigned rows,
                    unsigned n, float least) {
    return tiled<T>(n, by_norm<T>{(T *)dst, (const T *)src, (const T *)gain,
                                  rows, n, least});
}
} // namespace

extern "C" const char *ll_rms_norm(void *dst, const void *src, const void *gain,
                                   int type, unsigned rows, unsigned n,
                                   float least, void *stream) {
    stream_of_rows() = (cudaStream_t)stream;
    return (type == 1   ? norm_of<bf16>
            : type == 2 ? norm_of<f16>
                        : norm_of<float>)(dst, src, gain, rows, n, least);
}
