/* cuda_runtime.h - the run-time calls that tests use, on host memory. Times
 * are zero, copies are immediate, no device is counted. */
#ifndef EMU_CUDA_RUNTIME_H
#define EMU_CUDA_RUNTIME_H

#include <stddef.h>
#include "vector_types.h"

typedef int cudaError_t;
typedef struct emu_stream *cudaStream_t;
typedef struct emu_event *cudaEvent_t;
enum {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2,
    cudaErrorNoDevice = 100, cudaErrorLaunchFailure = 719
};
enum cudaMemcpyKind {
    cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

/* A launch with attributes: of these the cluster's size is known. gridDim and
 * blockDim are macros here, so kernels' files give the members by position. */
enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension = 4 };
union cudaLaunchAttributeValue {
    struct {
        unsigned x, y, z;
    } clusterDim;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 grid, block;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};

extern "C" {
cudaError_t emu_malloc(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind);
cudaError_t cudaMemset(void *p, int value, size_t bytes);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t e);
}

template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *c,
                                             void (*kernel)(P...), A... args) {
    dim3 cluster(1);
    for (unsigned k = 0; k < c->numAttrs; k++) {
        cluster = dim3(c->attrs[k].val.clusterDim.x,
                       c->attrs[k].val.clusterDim.y,
                       c->attrs[k].val.clusterDim.z);
    }
    emu_run_clusters("kernel", kernel, c->grid, c->block, cluster,
                     c->dynamicSmemBytes, args...);
    return cudaPeekAtLastError();
}
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t bytes) {
    return emu_malloc((void **)p, bytes);
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n,
                                          enum cudaMemcpyKind kind,
                                          cudaStream_t = 0) {
    return cudaMemcpy(to, from, n, kind);
}
static inline cudaError_t cudaMemsetAsync(void *p, int value, size_t n,
                                          cudaStream_t = 0) {
    return cudaMemset(p, value, n);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(T &to, const void *from,
                                             size_t n) {
    __builtin_memcpy((void *)&to, from, n);
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceSynchronize() {
    return cudaPeekAtLastError();
}
static inline cudaError_t cudaGetDeviceCount(int *n) {
    *n = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
template <class F>
static inline cudaError_t cudaFuncSetAttribute(F, int, int) {
    return cudaSuccess;
}
static inline cudaError_t cudaStreamCreate(cudaStream_t *s) {
    *s = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return cudaSuccess;
}
static inline cudaError_t cudaStreamDestroy(cudaStream_t) {
    return cudaSuccess;
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *e) {
    *e = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0) {
    return cudaSuccess;
}
static inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
    return cudaSuccess;
}
static inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t,
                                               cudaEvent_t) {
    *ms = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaEventDestroy(cudaEvent_t) {
    return cudaSuccess;
}

#endif
