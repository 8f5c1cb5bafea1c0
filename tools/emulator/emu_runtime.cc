/* emu_runtime.cc - the run-time calls of the host, for memory, errors and
 * limits of kernels, and arithmetic by a mode of rounding.
 *
 * Sections: memory - errors - limits of kernels - rounding.
 */
#include "emu_int.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <cstring>

/* ==== Memory ============================================================ */

/* A buffer has guard space on both sides, filled so that a stray read does not
 * return a plausible zero. */
extern "C" cudaError_t emu_malloc(void **p, size_t bytes) {
    emulator *e = emu_get();
    size_t whole = bytes + 2 * GUARD_BYTES + 512;
    char *block = (char *)malloc(whole);
    if (!block) {
        return cudaErrorMemoryAllocation;
    }
    memset(block, 0xa5, whole);
    uint64_t at = ((uint64_t)block + GUARD_BYTES + 511) & ~(uint64_t)511;
    buffer b = {(char *)at, bytes, block, {}};
    b.valid.assign(bytes, 0);
    e->buffers[at] = b;
    *p = (void *)at;
    return cudaSuccess;
}

extern "C" cudaError_t cudaFree(void *p) {
    emulator *e = emu_get();
    auto it = e->buffers.find((uint64_t)p);
    if (!p) {
        return cudaSuccess;
    }
    if (it == e->buffers.end()) {
        return cudaErrorInvalidValue;
    }
    free(it->second.block);
    free(it->second.by);
    free(it->second.uses);
    e->buffers.erase(it);
    return cudaSuccess;
}

extern "C" void emu_global_add(void *p, size_t bytes) {
    buffer b = {(char *)p, bytes, nullptr, {}};
    b.valid.assign(bytes, 1);
    emu_get()->buffers[(uint64_t)p] = b;
}

extern "C" void emu_global_remove(void *p) {
    auto it = emu_get()->buffers.find((uint64_t)p);
    if (it != emu_get()->buffers.end()) {
        free(it->second.by);
        free(it->second.uses);
        emu_get()->buffers.erase(it);
    }
}

/* Returns the buffer that contains the whole range, or null. */
static buffer *holder(const void *p, size_t bytes) {
    emulator *e = emu_get();
    auto it = e->buffers.upper_bound((uint64_t)p);
    if (it == e->buffers.begin()) {
        return nullptr;
    }
    buffer *b = &(--it)->second;
    uint64_t off = (uint64_t)p - it->first;
    return off <= b->size && bytes <= b->size - off ? b : nullptr;
}

extern "C" cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                  enum cudaMemcpyKind kind) {
    buffer *d = holder(to, bytes), *s = holder(from, bytes);
    bool need_d = kind == cudaMemcpyHostToDevice ||
                  kind == cudaMemcpyDeviceToDevice;
    bool need_s = kind == cudaMemcpyDeviceToHost ||
                  kind == cudaMemcpyDeviceToDevice;
    if ((need_d && !d) || (need_s && !s)) {
        return cudaErrorInvalidValue;
    }
    memmove(to, from, bytes);
    for (size_t i = 0; d && i < bytes; i++) {
        size_t k = (size_t)((char *)to - d->start) + i;
        d->valid[k] = s ? s->valid[(size_t)((char *)from - s->start) + i] : 1;
    }
    return cudaSuccess;
}

extern "C" cudaError_t cudaMemset(void *p, int value, size_t bytes) {
    buffer *d = holder(p, bytes);
    if (!d) {
        return cudaErrorInvalidValue;
    }
    memset(p, value, bytes);
    memset(d->valid.data() + ((char *)p - d->start), 1, bytes);
    return cudaSuccess;
}

/* ==== Errors ============================================================ */

extern "C" cudaError_t cudaPeekAtLastError(void) {
    return (cudaError_t)emu_get()->last_error;
}

extern "C" cudaError_t cudaGetLastError(void) {
    emulator *e = emu_get();
    int r = e->last_error;
    e->last_error = 0;
    return (cudaError_t)r;
}

extern "C" const char *cudaGetErrorString(cudaError_t c) {
    switch (c) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorNoDevice: return "no device";
    case cudaErrorLaunchFailure: return "a fault stopped the kernel; the "
                                        "report is printed at exit";
    default: return "unknown error";
    }
}

extern "C" const char *cudaGetErrorName(cudaError_t c) {
    switch (c) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    default: return "cudaErrorUnknown";
    }
}

/* ==== Limits of kernels ================================================= */

/* Dynamic shared memory that cudaFuncSetAttribute allowed, by kernel. */
static std::map<const void *, size_t> &allowed(void) {
    static auto *all = new std::map<const void *, size_t>;
    return *all;
}

extern "C" void emu_allow(const void *kernel, size_t bytes) {
    allowed()[kernel] = bytes;
}

extern "C" void emu_limit(const void *kernel) {
    size_t most = 48 << 10;
    for (const auto &[of, bytes] : allowed()) {
        const bool counts = !kernel || !of || of == kernel;
        most = counts ? std::max(most, bytes) : most;
    }
    emu_get()->dyn_limit = most;
}

/* ==== Arithmetic by a mode of rounding ================================== */

template <class T>
static T directed(int op, int mode, T a, T b, T c) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                FE_UPWARD};
    volatile T x = a, y = b, z = c, r;
    fesetround(modes[mode & 3]);
    r = op == '+' ? x + y : op == '*' ? x * y : op == '/' ? x / y
        : op == 's' ? std::sqrt(x) : std::fma(x, y, z);
    fesetround(FE_TONEAREST);
    return r;
}

extern "C" float emu_directed(int op, int mode, float a, float b, float c) {
    return directed(op, mode, a, b, c);
}

extern "C" double emu_directed_double(int op, int mode, double a, double b,
                                      double c) {
    return directed(op, mode, a, b, c);
}
