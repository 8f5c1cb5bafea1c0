/* redistribute_memory.cuh - the memory of other processes, and the flags of a
 * group, for redistribute.py. Each entry returns null, or a sentence.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TORCH_REDISTRIBUTE_MEMORY_H
#define LL_TORCH_REDISTRIBUTE_MEMORY_H

#include "../kernels/reshard/reshard_engine.h"

#include <cuda.h>
#include <string.h>

namespace ll_kernels {

/* Flags of a rank: of calls that the host numbers; of calls in a graph, which
 * the GPU numbers; and the flags that the kernels of the latter are given, which
 * nobody waits for. Last, the number of calls in graphs. */
enum {
    FLAGS_COUNTED = RESHARD_FLAGS,
    FLAGS_WITHIN = 2 * RESHARD_FLAGS,
    FLAGS_COUNT = 3 * RESHARD_FLAGS,
    FLAGS_ALL
};

inline const char *said(cudaError_t err) {
    return err ? cudaGetErrorString(err) : nullptr;
}

/* While it lives, calls of this thread that are not for a stream do not end the
 * capture of a graph. */
struct beside_capture {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    beside_capture() { cudaThreadExchangeStreamCaptureMode(&mode); }
    ~beside_capture() { cudaThreadExchangeStreamCaptureMode(&mode); }
    beside_capture(const beside_capture &) = delete;
    beside_capture &operator=(const beside_capture &) = delete;
};

/* Meets the peers before (first = 0) or after (RESHARD_RANKS) the kernels of a
 * call in a graph. m.epoch: 1 to count a further call. */
__global__ void meet_and_count(reshard_move m, unsigned *count,
                               unsigned first) {
    m.epoch += *count;
    __syncwarp();
    if (!first && threadIdx.x == 0) {
        *count = m.epoch;
    }
    signal_peers(m, first);
    wait_for_peers(m, first);
}

inline const char *meet_counted(void *const *flags, unsigned rank,
                                unsigned ranks, unsigned first,
                                cudaStream_t s) {
    reshard_move m = {};
    for (unsigned k = 0; k < ranks; ++k) {
        m.flags[k] = (unsigned *)flags[k] + FLAGS_COUNTED;
    }
    m.rank = rank;
    m.ranks = ranks;
    m.epoch = first ? 0u : 1u;
    meet_and_count<<<1, 32, 0, s>>>(m, (unsigned *)flags[rank] + FLAGS_COUNT,
                                    first);
    return said(cudaGetLastError());
}

/* An entry of the driver; null if it has none. */
inline void *driver_entry(const char *name) {
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    const cudaError_t err = cudaGetDriverEntryPointByVersion(
        name, &entry, 12000, cudaEnableDefault, &found);
    return err ? nullptr : entry;
}

/* The allocation that holds an address: where it begins, and a number that no
 * other allocation of this process has. */
struct allocation {
    CUdeviceptr base;
    unsigned long long number;
    bool known;
};

inline allocation allocation_of(const void *p) {
    typedef CUresult range_of(CUdeviceptr *, size_t *, CUdeviceptr);
    typedef CUresult attribute_of(void *, CUpointer_attribute, CUdeviceptr);
    static range_of *const range = (range_of *)driver_entry(
        "cuMemGetAddressRange");
    static attribute_of *const attribute = (attribute_of *)driver_entry(
        "cuPointerGetAttribute");
    allocation a = {0, 0, false};
    size_t bytes = 0;
    a.known = range && attribute && !range(&a.base, &bytes, (CUdeviceptr)p) &&
              !attribute(&a.number, CU_POINTER_ATTRIBUTE_BUFFER_ID,
                         (CUdeviceptr)p);
    return a;
}

} // namespace ll_kernels

/* Flags of a group, zero at first, and a word of the host for redist_watch. */
extern "C" const char *redist_flags(void **flags, void **late) {
    const size_t bytes = ll_kernels::FLAGS_ALL * sizeof(unsigned);
    cudaError_t err = cudaMalloc(flags, bytes);
    err = err ? err : cudaMemset(*flags, 0, bytes);
    err = err ? err : cudaDeviceSynchronize();
    err = err ? err : cudaHostAlloc(late, 2 * sizeof(unsigned), 0);
    if (!err) {
        memset(*late, 0, 2 * sizeof(unsigned));
    }
    return ll_kernels::said(err);
}

/* Copies to the host, in the order of the stream, whether a rank was late: a
 * word for numbered calls, and one for calls in a graph. */
extern "C" const char *redist_watch(const void *flags, void *late,
                                    void *stream) {
    const unsigned *const f = (const unsigned *)flags;
    return ll_kernels::said(cudaMemcpy2DAsync(
        late, sizeof(unsigned), f + ll_kernels::RESHARD_LATE,
        ll_kernels::RESHARD_FLAGS * sizeof(unsigned), sizeof(unsigned), 2,
        cudaMemcpyDeviceToHost, (cudaStream_t)stream));
}

/* A number of a GPU that all processes of a host agree on: that of its bus. */
extern "C" const char *redist_bus(int device, unsigned long long *bus) {
    char text[16] = "";
    const cudaError_t err = cudaDeviceGetPCIBusId(text, sizeof text, device);
    *bus = 0;
    for (const char *c = text; *c; ++c) {
        const char *const digits = "0123456789ABCDEFabcdef";
        const char *const at = strchr(digits, *c);
        const unsigned n = at ? (unsigned)(at - digits) : 0u;
        *bus = at ? *bus * 16u + (n < 16u ? n : n - 6u) : *bus;
    }
    return ll_kernels::said(err);
}

/* Can a GPU access the memory of the GPU on a bus? Also yes if it is the same
 * one, or if this process does not see it: opening its memory then tells. */
extern "C" int redist_can_access(int device, unsigned long long bus) {
    int devices = 0, can = 1;
    cudaGetDeviceCount(&devices);
    for (int d = 0; d < devices; ++d) {
        unsigned long long other = 0;
        if (d != device && !redist_bus(d, &other) && other == bus) {
            cudaDeviceCanAccessPeer(&can, device, d);
        }
    }
    cudaGetLastError();
    return can;
}

/* A handle of the allocation that holds p; words: the base of the allocation,
 * its number, and the offset of p. */
extern "C" const char *redist_share(void *p, unsigned char handle[64],
                                    unsigned long long words[3]) {
    const ll_kernels::beside_capture beside;
    const ll_kernels::allocation a = ll_kernels::allocation_of(p);
    if (!a.known) {
        return "the memory has no address range";
    }
    cudaIpcMemHandle_t h;
    const cudaError_t err = cudaIpcGetMemHandle(&h, (void *)a.base);
    memcpy(handle, &h, sizeof h);
    words[0] = a.base;
    words[1] = a.number;
    words[2] = (unsigned long long)p - a.base;
    cudaGetLastError();
    return ll_kernels::said(err);
}

/* The memory behind a handle of another process. *p: what a freed allocation
 * there was opened as, or null; it is closed. */
extern "C" const char *redist_open_peer(const unsigned char handle[64],
                                        void **p) {
    const ll_kernels::beside_capture beside;
    cudaIpcMemHandle_t h;
    memcpy(&h, handle, sizeof h);
    if (*p) {
        cudaIpcCloseMemHandle(*p);
    }
    const cudaError_t err =
        cudaIpcOpenMemHandle(p, h, cudaIpcMemLazyEnablePeerAccess);
    cudaGetLastError();
    return ll_kernels::said(err);
}

#endif
