/* redistribute_segments.cuh - memory that PyTorch maps chunk by chunk (expandable
 * segments), for redistribute.py. It has no handle for the whole: a peer maps
 * the same chunks, in the same places of an address range of its own.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TORCH_REDISTRIBUTE_SEGMENTS_H
#define LL_TORCH_REDISTRIBUTE_SEGMENTS_H

#include "redistribute_memory.cuh"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ll_kernels {

inline const char *said_by_driver(const char *name, CUresult err) {
    static thread_local char text[96];
    if (!err) {
        return nullptr;
    }
    snprintf(text, sizeof text, "%s failed with error %d", name, (int)err);
    return text;
}

/* Calls an entry of the driver, which it looks up once. */
#define LL_DRIVER(NAME, ...)                                                   \
    said_by_driver(#NAME, [&] {                                                \
        static void *const entry = driver_entry(#NAME);                        \
        return driver_called((decltype(&NAME))entry, __VA_ARGS__);             \
    }())

template <class... P, class... A>
CUresult driver_called(CUresult (*entry)(P...), A... args) {
    return entry ? entry(args...) : CUDA_ERROR_NOT_FOUND;
}

/* A file of this process that is a file of another one; -1: it gives none. */
inline int file_of(int process, int file) {
    const int there = (int)syscall(SYS_pidfd_open, process, 0);
    const int here = there < 0
                         ? -1
                         : (int)syscall(SYS_pidfd_getfd, there, file, 0);
    if (there >= 0) {
        close(there);
    }
    return here;
}

} // namespace ll_kernels

/* The segment of some bytes at p, and the chunks that hold them.
 *   segment  where it begins, and its bytes
 *   words    of each chunk: where it begins, its bytes, and its number
 *   chunks   in: the most that `words` holds; out: how many there are */
extern "C" const char *redist_chunks(unsigned long long p,
                                     unsigned long long bytes,
                                     unsigned long long segment[2],
                                     unsigned long long *words,
                                     unsigned *chunks) {
    using namespace ll_kernels;
    const beside_capture beside;
    const unsigned most = *chunks;
    CUdeviceptr from = 0;
    size_t all = 0;
    const char *bad = LL_DRIVER(cuPointerGetAttribute, (void *)&from,
                                CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                (CUdeviceptr)p);
    bad = bad ? bad
              : LL_DRIVER(cuPointerGetAttribute, (void *)&all,
                          CU_POINTER_ATTRIBUTE_RANGE_SIZE, (CUdeviceptr)p);
    segment[0] = from;
    segment[1] = all;
    *chunks = 0;
    for (CUdeviceptr at = p; !bad && at < p + bytes && *chunks < most;) {
        CUdeviceptr base = 0;
        size_t size = 0;
        bad = LL_DRIVER(cuMemGetAddressRange, &base, &size, at);
        bad = bad ? bad
                  : LL_DRIVER(cuPointerGetAttribute,
                              (void *)&words[3 * *chunks + 2],
                              CU_POINTER_ATTRIBUTE_BUFFER_ID, at);
        words[3 * *chunks] = base;
        words[3 * *chunks + 1] = size;
        at = base + size;
        *chunks += !bad;
    }
    return bad;
}

/* A file for the chunk at an address, which the caller closes. */
extern "C" const char *redist_chunk_file(unsigned long long p, int *file) {
    using namespace ll_kernels;
    const beside_capture beside;
    CUmemGenericAllocationHandle h = 0;
    const char *bad = LL_DRIVER(cuMemRetainAllocationHandle, &h, (void *)p);
    if (bad) {
        return bad;
    }
    bad = LL_DRIVER(cuMemExportToShareableHandle, (void *)file, h,
                    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0ull);
    LL_DRIVER(cuMemRelease, h);
    return bad;
}

/* An address range for a peer's segment. */
extern "C" const char *redist_reserve(unsigned long long bytes,
                                      unsigned long long *p) {
    using namespace ll_kernels;
    CUdeviceptr at = 0;
    const char *const bad = LL_DRIVER(cuMemAddressReserve, &at, (size_t)bytes,
                                      (size_t)0, (CUdeviceptr)0, 0ull);
    *p = at;
    return bad;
}

/* Takes away a chunk that a peer has freed. No call still reads or writes it: a
 * call ends on no rank before it has done so on all. */
extern "C" const char *redist_unmap_chunk(unsigned long long p,
                                          unsigned long long bytes) {
    using namespace ll_kernels;
    const beside_capture beside;
    return LL_DRIVER(cuMemUnmap, (CUdeviceptr)p, (size_t)bytes);
}

/* Maps a peer's chunk. */
extern "C" const char *redist_map_chunk(int device, int process, int file,
                                        unsigned long long p,
                                        unsigned long long bytes) {
    using namespace ll_kernels;
    const beside_capture beside;
    const int here = file_of(process, file);
    if (here < 0) {
        return "a process may not take a file of its peer (pidfd_getfd)";
    }
    CUmemGenericAllocationHandle h = 0;
    const char *bad = LL_DRIVER(cuMemImportFromShareableHandle, &h,
                                (void *)(size_t)here,
                                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    close(here);
    if (bad) {
        return bad;
    }
    CUmemAccessDesc access = {};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = device;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    bad = LL_DRIVER(cuMemMap, (CUdeviceptr)p, (size_t)bytes, (size_t)0, h,
                    0ull);
    LL_DRIVER(cuMemRelease, h);
    return bad ? bad
               : LL_DRIVER(cuMemSetAccess, (CUdeviceptr)p, (size_t)bytes,
                           (const CUmemAccessDesc *)&access, (size_t)1);
}

#undef LL_DRIVER

#endif
