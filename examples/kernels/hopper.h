/* hopper.h - what the programs for Hopper do on the host: tensor maps, and
 * launches of clusters.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_HOPPER_H
#define LL_HOPPER_H

#include "check.h"
#include "launch_stream.h"
#include <cuda.h>

/* The bytes of an element; 0 if it has no whole number of them. */
static inline unsigned bytes_of(CUtensorMapDataType type) {
    switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
        return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
        return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
        return 4;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
        return 8;
    default: /* 4 and 6 bits */
        return 0;
    }
}

/* Why there is no map of such a tensor; null if there is one. `width` is that
 * of the swizzle in bytes, 0 without one. */
template <unsigned DIMS>
const char *no_map(const void *data, unsigned bytes,
                   const cuuint64_t (&dims)[DIMS],
                   const cuuint32_t (&box)[DIMS], unsigned width) {
    cuuint64_t stride = bytes;
    for (unsigned d = 0; d < DIMS; ++d) {
        if (dims[d] < 1 || dims[d] > 1ull << 32) {
            return "a tensor has 1 to 2^32 elements along each dimension";
        }
        if (box[d] < 1 || box[d] > 256) {
            return "a box has 1 to 256 elements along each dimension";
        }
        if (d && (stride % 16 || stride >> 40)) {
            return "the rows of a tensor are multiples of 16 bytes apart, "
                   "fewer than 2^40";
        }
        stride *= dims[d];
    }
    return !data    ? "the pointer to a tensor is null"
           : !bytes ? "elements of 4 and 6 bits are not mapped"
           : (size_t)data % 16
               ? "a tensor does not start at a multiple of 16 bytes"
           : box[0] * bytes % 16 ? "a row of a box is a multiple of 16 bytes"
           : width && box[0] * bytes > width
               ? "a row of a box is wider than its swizzle"
               : 0;
}

/* The map of a dense tensor of DIMS dimensions, the contiguous one first, that
 * is moved in boxes. Returns null, or a sentence that says why there is none. */
template <unsigned DIMS>
const char *map_of(CUtensorMap *map, const void *data, CUtensorMapDataType type,
                   const cuuint64_t (&dims)[DIMS],
                   const cuuint32_t (&box)[DIMS], CUtensorMapSwizzle swizzle) {
    typedef decltype(&cuTensorMapEncodeTiled) encoder;
    static void *encode = 0;
    const unsigned width = swizzle ? 16u << swizzle : 0;
    const char *bad = no_map(data, bytes_of(type), dims, box, width);
    cuuint64_t strides[DIMS];
    cuuint32_t steps[DIMS];
    cudaDriverEntryPointQueryResult found;
    if (!encode && (cudaGetDriverEntryPointByVersion(
                        "cuTensorMapEncodeTiled", &encode, 12000,
                        cudaEnableDefault, &found) != cudaSuccess ||
                    !encode)) {
        return "the driver has no tensor maps";
    }
    for (unsigned d = 0; d < DIMS; ++d) {
        strides[d] = dims[d] * (d ? strides[d - 1] : bytes_of(type));
        steps[d] = 1;
    }
    return bad ? bad
           : ((encoder)encode)(map, type, DIMS, (void *)data, dims, strides,
                               box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
               ? "the driver refuses a tensor map for a reason of its own"
               : 0;
}

/* The map of rows x cols elements by rows, moved in boxes of high x wide. */
static inline const char *map_of_rows(CUtensorMap *map, const void *data,
                                      CUtensorMapDataType type, unsigned rows,
                                      unsigned cols, unsigned high,
                                      unsigned wide) {
    return map_of<2>(map, data, type, {cols, rows}, {wide, high},
                     CU_TENSOR_MAP_SWIZZLE_128B);
}

/* Launches `blocks` blocks in clusters of `cluster`, which may begin while the
 * kernel before them ends (griddepcontrol), and share a processor's memory with
 * it if both fit. Returns null, or a sentence. */
template <class... P, class... A>
const char *launch_clusters(void (*kernel)(P...), unsigned blocks,
                            unsigned cluster, unsigned threads, unsigned shared,
                            cudaStream_t stream, A... args) {
    cudaLaunchAttribute how[2] = {};
    how[0].id = cudaLaunchAttributeClusterDimension;
    how[0].val.clusterDim.x = cluster;
    how[0].val.clusterDim.y = how[0].val.clusterDim.z = 1;
    how[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    how[1].val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {dim3(blocks), dim3(threads), shared,
                                       stream,       how,           2};
    cudaError_t err = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    err = err ? err
              : cudaFuncSetAttribute(
                    kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                    100);
    return said(err ? err : cudaLaunchKernelEx(&config, kernel, args...));
}

/* At least 1: where there is no GPU, the launch says so. */
static inline unsigned processors_here(void) {
    int device = 0, count = 0;
    cudaError_t err = cudaGetDevice(&device);
    err = err ? err
              : cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount,
                                       device);
    return said(err) || count < 1 ? 1u : (unsigned)count;
}

#endif
