/* redistribute.cu - the kernel of examples/reshard.h for redistribute.py, and
 * the memory of other processes. Each entry returns null, or a sentence.
 * SPDX-License-Identifier: MIT
 */
#include "../reshard.h"

#include "redistribute.h"
#include <cuda.h>

namespace {

const char *said(cudaError_t err) {
    return err ? cudaGetErrorString(err) : nullptr;
}

/* The kernels for elements of a type: one for each order of a tile of 2^BITS
 * elements. */
template <class T, unsigned BITS, bool PUSH, unsigned long long... ORDERS>
struct kernels {
    static bool found(const ll_reshard_tile &t) {
        const unsigned long long order = reshard_order(t);
        return !t.err && t.bits == BITS && ((order == ORDERS) || ...);
    }
    static void start(const reshard_move &m, const ll_reshard_tile &t,
                      cudaStream_t stream) {
        reshard_start<T, BITS, PUSH, ORDERS...>(m, t, stream);
    }
};

/* The orders that rows, columns, blocks, heads, turns and pieces have between
 * two GPUs. */
typedef kernels<unsigned char, 14, false, 0xdcba987654321ull,
                0x543210dcba9876ull, 0x6543210dcba987ull, 0x76543210dcba98ull,
                0x8760dcba954321ull, 0x9870dcba654321ull, 0x9876dcba543210ull,
                0x987dcba6543210ull, 0xbdca9876543210ull, 0xd6cba987543210ull,
                0xdba9876c543210ull, 0xdcba9876543210ull, 0xdcb0a987654321ull>
    pull_8;
typedef kernels<unsigned short, 13, false, 0xcba987654321ull,
                0x543210cba9876ull, 0x6543210cba987ull, 0x6cba987543210ull,
                0x870cba9654321ull, 0x8760cba954321ull, 0x876cba9543210ull,
                0x9870cba654321ull, 0x987cba6543210ull, 0xacb9876543210ull,
                0xba9876c543210ull, 0xbca9876543210ull, 0xcba9876543210ull,
                0xcb0a987654321ull>
    pull_16;
typedef kernels<unsigned, 12, false, 0xba987654321ull, 0x543210ba9876ull,
                0x6ba987543210ull, 0x760ba9854321ull, 0x870ba9654321ull,
                0x876ba9543210ull, 0x87ba96543210ull, 0xa9876b543210ull,
                0xab9876543210ull, 0xba9876543210ull, 0xb0a987654321ull>
    pull_32;
typedef kernels<unsigned char, 14, true, 0xdcba987654321ull,
                0x8760dcba954321ull, 0x9870dcba654321ull, 0xdcb0a987654321ull>
    push_8;
typedef kernels<unsigned short, 13, true, 0xcba987654321ull, 0x870cba9654321ull,
                0x8760cba954321ull, 0x9870cba654321ull, 0xcb0a987654321ull>
    push_16;
typedef kernels<unsigned, 12, true, 0xba987654321ull, 0x760ba9854321ull,
                0x870ba9654321ull, 0xb0a987654321ull>
    push_32;

/* Which kernel executes a plan: one that pulls from the peers, or else one that
 * pushes to them by the plan of the way back. */
struct choice {
    const ll_reshard *plan;
    ll_reshard_tile tile;
    bool push;
};

choice chosen(const redistribution *r) {
    choice c = {&r->plan, ll_reshard_tile_of(r->plan, 16384, 128), false};
    if (c.tile.err) {
        c = {&r->back, ll_reshard_tile_of(r->back, 16384, 128), true};
    }
    return c;
}

} // namespace

/* Null, or why there is no kernel for a plan. */
extern "C" const char *redist_kernel(const void *plan) {
    const redistribution *const r = (const redistribution *)plan;
    const choice c = chosen(r);
    const unsigned bits = r->plan.bits;
    if (c.tile.err) {
        return ll_reshard_strerror(c.tile.err);
    }
    if (r->ranks > RESHARD_RANKS || r->plan.copies || (c.push && !r->once)) {
        return r->ranks > RESHARD_RANKS ? "the kernel is for at most 16 ranks"
                                        : "the kernel writes no copies";
    }
    const bool found =
        bits == 8u    ? (c.push ? push_8::found : pull_8::found)(c.tile)
        : bits == 16u ? (c.push ? push_16::found : pull_16::found)(c.tile)
        : bits == 32u ? (c.push ? push_32::found : pull_32::found)(c.tile)
                      : false;
    return found ? nullptr
                 : "no kernel has this order of a tile, or such elements";
}

/* Starts the kernel on a stream. src and dst: the memories of all ranks, of
 * which a pull reads `src` and a push writes `dst`; flags: of all ranks. */
extern "C" const char *redist_start(const void *plan, void *const *src,
                                    void *const *dst, void *const *flags,
                                    unsigned epoch, void *stream) {
    const redistribution *const r = (const redistribution *)plan;
    const char *const bad = redist_kernel(plan);
    const choice c = chosen(r);
    if (bad) {
        return bad;
    }
    reshard_move m = reshard_numbers(*c.plan, c.tile, r->rank);
    for (unsigned k = 0; k < r->ranks; ++k) {
        m.far[k] = (unsigned char *)(c.push ? dst[k] : src[k]);
        m.flags[k] = (unsigned *)flags[k];
    }
    m.near = (unsigned char *)(c.push ? src[r->rank] : dst[r->rank]);
    m.epoch = epoch;
    m.wait = 1;
    (r->plan.bits == 8u    ? (c.push ? push_8::start : pull_8::start)
     : r->plan.bits == 16u ? (c.push ? push_16::start : pull_16::start)
                           : (c.push ? push_32::start : pull_32::start))(
        m, c.tile, (cudaStream_t)stream);
    return said(cudaGetLastError());
}

/* The GPU that the next entries are for: this library has a runtime of its own.
 */
extern "C" const char *redist_device(int device) {
    return said(cudaSetDevice(device));
}

/* Flags of a group, zero at first. */
extern "C" const char *redist_flags(void **flags) {
    const cudaError_t err = cudaMalloc(flags, RESHARD_FLAGS * sizeof(unsigned));
    return said(err ? err
                    : cudaMemset(*flags, 0, RESHARD_FLAGS * sizeof(unsigned)));
}

/* Was a rank late? Waits for the stream. */
extern "C" const char *redist_late(void *flags, void *stream) {
    unsigned late = 0;
    cudaError_t err = cudaStreamSynchronize((cudaStream_t)stream);
    err = err ? err
              : cudaMemcpy(&late, (unsigned *)flags + RESHARD_LATE, sizeof late,
                           cudaMemcpyDeviceToHost);
    return err ? said(err) : late ? "a rank is lost, or late" : nullptr;
}

/* The handle of the allocation that holds p, and p's offset in it. */
extern "C" const char *redist_share(void *p, unsigned char handle[64],
                                    unsigned long long *offset) {
    typedef CUresult range_of(CUdeviceptr *, size_t *, CUdeviceptr);
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaError_t err = cudaGetDriverEntryPointByVersion(
        "cuMemGetAddressRange", &entry, 12000, cudaEnableDefault, &found);
    CUdeviceptr base = 0;
    size_t bytes = 0;
    if (err || !entry ||
        ((range_of *)entry)(&base, &bytes, (CUdeviceptr)p)) {
        return "the memory has no address range";
    }
    cudaIpcMemHandle_t h;
    err = cudaIpcGetMemHandle(&h, (void *)base);
    memcpy(handle, &h, sizeof h);
    *offset = (unsigned long long)p - base;
    cudaGetLastError();
    return said(err);
}

/* The memory behind a handle of another process. */
extern "C" const char *redist_open_peer(const unsigned char handle[64],
                                        void **p) {
    cudaIpcMemHandle_t h;
    memcpy(&h, handle, sizeof h);
    const cudaError_t err =
        cudaIpcOpenMemHandle(p, h, cudaIpcMemLazyEnablePeerAccess);
    cudaGetLastError();
    return said(err);
}
