/* launch_stream.h - the stream of a thread's launches.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_LAUNCH_STREAM_H
#define LL_LAUNCH_STREAM_H

#include <cuda_runtime.h>

namespace ll_kernels {

/* Returns the stream of all launches of this thread by functions that take no
 * stream, to read or to set; at first the default stream.
 *
 *     launch_stream() = mine;
 *     softmax_rows(dst, src, rows, n);    on `mine` */
inline cudaStream_t &launch_stream() {
    static thread_local cudaStream_t stream;
    return stream;
}

} // namespace ll_kernels

#endif
