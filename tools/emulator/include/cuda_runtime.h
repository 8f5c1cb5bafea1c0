/* cuda_runtime.h - the run-time calls that tests use, on host memory. Times are
 * zero, copies are immediate, and no device is counted. */
#ifndef EMU_CUDA_RUNTIME_H
#define EMU_CUDA_RUNTIME_H

#include <stddef.h>
#include "vector_types.h"
#include "device_functions.h"

typedef struct emu_stream *cudaStream_t;
typedef struct emu_event *cudaEvent_t;
enum cudaError {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9, cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101, cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700, cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801, cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};
enum cudaFuncCache {
    cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10, cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum {
    cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaEventDefault = 0,
    cudaEventDisableTiming = 2, cudaHostAllocDefault = 0,
    cudaMemAttachGlobal = 1
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin;
    size_t sharedMemPerMultiprocessor, totalConstMem;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3];
    int maxGridSize[3], major, minor, multiProcessorCount, l2CacheSize;
    int maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
    int regsPerMultiprocessor;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, maxDynamicSharedSizeBytes;
};

/* Launch attributes. Only the cluster size has an effect. */
enum cudaLaunchAttributeID {
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
union cudaLaunchAttributeValue {
    struct {
        unsigned x, y, z;
    } clusterDim;
    int cooperative, programmaticStreamSerializationAllowed;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
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
const char *cudaGetErrorName(cudaError_t e);
}

template <class... P_, class... A_>
static inline cudaError_t
cudaLaunchKernelEx(const cudaLaunchConfig_t *c, void (*kernel)(P_...),
                   A_... args) {
    dim3 cluster(1);
    for (unsigned k = 0; k < c->numAttrs; k++) {
        const cudaLaunchAttribute &a = c->attrs[k];
        if (a.id == cudaLaunchAttributeClusterDimension) {
            cluster = dim3(a.val.clusterDim.x, a.val.clusterDim.y,
                           a.val.clusterDim.z);
        }
    }
    emu_limit((const void *)kernel);
    emu_run_clusters("kernel", kernel, c->gridDim, c->blockDim, cluster,
                     c->dynamicSmemBytes, args...);
    return cudaPeekAtLastError();
}
template <class T_> static inline cudaError_t cudaMalloc(T_ **p, size_t bytes) {
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
static inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch,
                                       const void *from, size_t from_pitch,
                                       size_t width, size_t height,
                                       enum cudaMemcpyKind kind) {
    cudaError_t e = cudaSuccess;
    for (size_t i = 0; i < height && e == cudaSuccess; i++) {
        e = cudaMemcpy((char *)to + i * to_pitch,
                       (const char *)from + i * from_pitch, width, kind);
    }
    return e;
}
static inline cudaError_t
cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                  size_t from_pitch, size_t width, size_t height,
                  enum cudaMemcpyKind kind, cudaStream_t = 0) {
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

static inline cudaError_t cudaMemset2D(void *p, size_t pitch, int value,
                                       size_t width, size_t height) {
    cudaError_t e = cudaSuccess;
    for (size_t i = 0; i < height && e == cudaSuccess; i++) {
        e = cudaMemset((char *)p + i * pitch, value, width);
    }
    return e;
}

/* Reads the arguments from their addresses; the kernel's type gives theirs. */
template <class... P_, size_t... K_>
static inline void emu_launch_by(void (*kernel)(P_...), dim3 grid, dim3 block,
                                 void **args, size_t shared,
                                 std::index_sequence<K_...>) {
    emu_limit((const void *)kernel);
    emu_run("kernel", kernel, grid, block, shared, *(P_ *)args[K_]...);
}
template <class... P_>
static inline cudaError_t cudaLaunchKernel(void (*kernel)(P_...), dim3 grid,
                                           dim3 block, void **args,
                                           size_t shared = 0,
                                           cudaStream_t = 0) {
    emu_launch_by(kernel, grid, block, args, shared,
                  std::make_index_sequence<sizeof...(P_)>());
    return cudaPeekAtLastError();
}

/* ---- Memory of other kinds ---------------------------------------------- */

template <class T_>
static inline cudaError_t cudaMallocManaged(T_ **p, size_t bytes,
                                            unsigned = cudaMemAttachGlobal) {
    const cudaError_t e = cudaMalloc(p, bytes);
    /* Writes of the host are not tracked: the memory counts as written. */
    return e == cudaSuccess ? cudaMemset(*p, 0, bytes) : e;
}
template <class T_>
static inline cudaError_t cudaMallocAsync(T_ **p, size_t bytes, cudaStream_t) {
    return cudaMalloc(p, bytes);
}
template <class T_>
static inline cudaError_t cudaMallocHost(T_ **p, size_t bytes, unsigned = 0) {
    *p = (T_ *)malloc(bytes);
    if (*p) {
        emu_global_add(*p, bytes); /* kernels can access it */
    }
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
template <class T_>
static inline cudaError_t cudaHostAlloc(T_ **p, size_t bytes, unsigned) {
    return cudaMallocHost(p, bytes);
}
template <class T_>
static inline cudaError_t cudaMallocPitch(T_ **p, size_t *pitch, size_t width,
                                          size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(p, *pitch * height);
}
static inline cudaError_t cudaFreeHost(void *p) {
    emu_global_remove(p);
    free(p);
    return cudaSuccess;
}
static inline cudaError_t cudaFreeAsync(void *p, cudaStream_t) {
    return cudaFree(p);
}
template <class T_>
static inline cudaError_t
cudaMemcpyToSymbol(T_ &to, const void *from, size_t n, size_t offset = 0,
                   enum cudaMemcpyKind = cudaMemcpyHostToDevice) {
    emu_memcpy((char *)(void *)&to + offset, from, n);
    return cudaSuccess;
}
template <class T_>
static inline cudaError_t
cudaMemcpyFromSymbol(void *to, const T_ &from, size_t n, size_t offset = 0,
                     enum cudaMemcpyKind = cudaMemcpyDeviceToHost) {
    emu_memcpy(to, (const char *)(const void *)&from + offset, n);
    return cudaSuccess;
}
template <class T_>
static inline cudaError_t cudaGetSymbolAddress(void **p, const T_ &symbol) {
    *p = (void *)&symbol;
    return cudaSuccess;
}
template <class T_>
static inline cudaError_t cudaGetSymbolSize(size_t *n, const T_ &symbol) {
    *n = sizeof symbol;
    return cudaSuccess;
}

/* ---- The device: properties of an H100, but a count of zero -------------- */

static inline cudaError_t cudaDeviceSynchronize() {
    return cudaPeekAtLastError();
}
static inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
static inline cudaError_t cudaGetDeviceCount(int *n) {
    *n = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
static inline cudaError_t cudaGetDevice(int *d) {
    *d = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaRuntimeGetVersion(int *v) {
    *v = 13000;
    return cudaSuccess;
}
static inline cudaError_t cudaDriverGetVersion(int *v) {
    return cudaRuntimeGetVersion(v);
}
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int) {
    static const cudaDeviceProp h100 = {
        "emulator", (size_t)80 << 30, 48 << 10, 227 << 10, 228 << 10, 64 << 10,
        65536, 32, 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}, 9, 0,
        132, 50 << 20, 2048, 32, 65536
    };
    *p = h100;
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr a,
                                                 int) {
    *v = a == cudaDevAttrMaxThreadsPerBlock        ? 1024
         : a == cudaDevAttrMaxSharedMemoryPerBlock ? 48 << 10
         : a == cudaDevAttrWarpSize                ? 32
         : a == cudaDevAttrMultiProcessorCount     ? 132
         : a == cudaDevAttrComputeCapabilityMajor  ? 9
         : a == cudaDevAttrComputeCapabilityMinor  ? 0
         : a == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 227 << 10
                                                        : -1;
    return *v < 0 ? cudaErrorInvalidValue : cudaSuccess;
}

/* ---- Kernels ------------------------------------------------------------ */

template <class F_>
static inline cudaError_t cudaFuncSetAttribute(F_ *kernel, cudaFuncAttribute a,
                                               int value) {
    if (a == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        if (value < 0) {
            return cudaErrorInvalidValue;
        }
        emu_allow((const void *)kernel, (size_t)value);
    }
    return cudaSuccess;
}
template <class F_>
static inline cudaError_t cudaFuncSetCacheConfig(F_ *, cudaFuncCache) {
    return cudaSuccess;
}
template <class F_>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, F_ *) {
    *a = cudaFuncAttributes{0, 0, 0, 1024, 32, 48 << 10};
    return cudaSuccess;
}
template <class F_>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F_ *, int threads,
                                              size_t bytes) {
    const int by_memory = (int)((228 << 10) / (bytes + 1024));
    *blocks = min(min(2048 / threads, 32), by_memory);
    return cudaSuccess;
}
template <class F_>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F_ *, size_t = 0,
                                   int limit = 0) {
    *block = limit > 0 && limit < 1024 ? limit : 1024;
    *grid = 132 * (2048 / *block);
    return cudaSuccess;
}

/* ---- Functions of the driver, by their name ------------------------------- */

#include "cuda.h"

enum { cudaEnableDefault = 0 };
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0, cudaDriverEntryPointSymbolNotFound = 1
};
static inline cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned,
                                 unsigned long long,
                                 cudaDriverEntryPointQueryResult *found = 0) {
    const bool known = !strcmp(name, "cuTensorMapEncodeTiled");
    *function = known ? (void *)cuTensorMapEncodeTiled : nullptr;
    if (found) {
        *found = known ? cudaDriverEntryPointSuccess
                       : cudaDriverEntryPointSymbolNotFound;
    }
    return cudaSuccess;
}

/* ---- Streams and events: all is done at once ----------------------------- */

static inline cudaError_t cudaStreamCreate(cudaStream_t *s) {
    *s = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s,
                                                    unsigned) {
    return cudaStreamCreate(s);
}
static inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s,
                                                       unsigned, int) {
    return cudaStreamCreate(s);
}
static inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least,
                                                           int *greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return cudaPeekAtLastError();
}
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t,
                                              unsigned = 0) {
    return cudaSuccess;
}
static inline cudaError_t cudaStreamQuery(cudaStream_t) {
    return cudaSuccess;
}
static inline cudaError_t cudaStreamDestroy(cudaStream_t) {
    return cudaSuccess;
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *e) {
    *e = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned) {
    return cudaEventCreate(e);
}
static inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0) {
    return cudaSuccess;
}
static inline cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
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
