/* check.h - what the lessons share: errors, random data, a table.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_CHECK_H
#define LL_CHECK_H

#ifdef __HIP__ /* the same calls by HIP's names */
#include <hip/hip_runtime.h>
#define cudaError_t hipError_t
#define cudaSuccess hipSuccess
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaMalloc hipMalloc
#define cudaFree hipFree
#define cudaMemcpy hipMemcpy
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemset hipMemset
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaFuncSetAttribute(kernel, what, value)                           \
    hipFuncSetAttribute((const void *)(kernel), what, value)
#define cudaFuncAttributeMaxDynamicSharedMemorySize                         \
    hipFuncAttributeMaxDynamicSharedMemorySize
#define cudaEvent_t hipEvent_t
#define cudaEventCreate hipEventCreate
#define cudaEventRecord(event) hipEventRecord(event, 0)
#define cudaEventSynchronize hipEventSynchronize
#define cudaEventElapsedTime hipEventElapsedTime
#else
#include <cuda_runtime.h>
#endif
#include <stdio.h>
#include <stdlib.h>

/* Null, or the sentence of a CUDA error, which the next call does not see. */
static inline const char *said(cudaError_t err) {
    if (err == cudaSuccess) {
        return NULL;
    }
    (void)cudaGetLastError();
    return cudaGetErrorString(err);
}

/* Ends the program with the place and the sentence of a call that failed: of a
 * CUDA call, or of a launcher, which returns null or a sentence. */
#define MUST(...) must((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
static inline void must(const char *bad, const char *what, const char *file,
                        int line) {
    if (bad) {
        fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, bad);
        exit(1);
    }
}
static inline void must(cudaError_t err, const char *what, const char *file,
                        int line) {
    must(said(err), what, file, line);
}

/* Random bytes, the same for the same seed (xorshift). */
static inline void randomise(void *data, size_t bytes, unsigned seed) {
    unsigned char *p = (unsigned char *)data;
    unsigned x = seed * 2654435761u + 1u;
    for (size_t k = 0; k < bytes; ++k) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        p[k] = (unsigned char)(x >> 11);
    }
}

/* A table of versions: what the emulator counted, or how long the GPU took. */
#if LL_EMULATE
static inline int on_gpu(void) { return 0; }

static inline void report_head(void) {
    printf("Counted by the emulator: sectors are 32 bytes of memory, wavefronts "
           "cycles of shared memory.\n\n"
           "version  wrong   sectors (needed)   wavefronts  bank conflicts\n");
}

template <class F> float timed(F run) {
    emu_reset();
    run();
    MUST(cudaDeviceSynchronize());
    return 0;
}

static inline void report(const char *name, size_t wrong, float, double bytes) {
    printf("%-8s %5zu %9llu (%6.0f) %12llu %15llu\n%s", name, wrong,
           (unsigned long long)emu_sectors(""), bytes / 32,
           (unsigned long long)emu_wavefronts(""),
           (unsigned long long)(emu_wavefronts("") - emu_ideal("")),
           emu_errors());
}

/* Ends the line of a check, with its speed or with what the emulator counted;
 * returns what is wrong. */
static inline size_t report_wrong(size_t wrong, float, double, const char *) {
    const unsigned long long lost = emu_wavefronts("") - emu_ideal("");
    printf("%zu wrong, %llu bank conflicts\n%s", wrong, lost, emu_errors());
    return wrong + lost + (size_t)emu_error_count();
}
#else
static inline int on_gpu(void) { return 1; }

static inline void report_head(void) {
    printf("version  wrong        ms     GB/s\n");
}

template <class F> float timed(F run) {
    cudaEvent_t from, to;
    float ms = 0;
    run();
    MUST(cudaEventCreate(&from));
    MUST(cudaEventCreate(&to));
    MUST(cudaEventRecord(from));
    run();
    MUST(cudaEventRecord(to));
    MUST(cudaEventSynchronize(to));
    MUST(cudaGetLastError());
    MUST(cudaEventElapsedTime(&ms, from, to));
    return ms;
}

static inline void report(const char *name, size_t wrong, float ms,
                          double bytes) {
    printf("%-8s %5zu %9.3f %8.0f\n", name, wrong, ms, bytes / ms / 1e6);
}

static inline size_t report_wrong(size_t wrong, float ms, double speed,
                                  const char *unit) {
    printf("%zu wrong, %.3f ms, %.1f %s\n", wrong, ms, speed, unit);
    return wrong;
}
#endif

#endif
