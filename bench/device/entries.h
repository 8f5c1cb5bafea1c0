// entries.h - the interface of kernels.cu and more.cu to Python: a list of
// entries and a copy kernel
// SPDX-License-Identifier: MIT
#ifndef LL_BENCH_ENTRIES_H
#define LL_BENCH_ENTRIES_H

struct arguments; // each library defines its own

struct entry { // a kernel on rows
    const char *kernel, *type;
    unsigned tile, first; // longest row; elements per row of a top-k result
    const char *tiling;
    void (*run)(const arguments &);
};

// The library's entries.
extern const entry entries[];
extern const unsigned entry_count;

template <class T> const char *const type_of = "f32";
template <> const char *const type_of<bf16> = "bf16";
template <> const char *const type_of<f16> = "f16";

// The elements of a row that the registers of a cluster hold, and the name of a
// tiling.
#define TILE(E, W, B) ((E) * (W) * (B) * 32)
#define TILING(E, W, B, T, AHEAD)                                           \
    #E " each, " #W " warps, " #B " blocks, " #T " rows, ahead: " #AHEAD

__global__ void copy(uint4 *dst, const uint4 *src) {
    const size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    dst[k] = src[k];
}

extern "C" {
void copy_of(void *dst, const void *src) { // 1 GiB
    copy<<<1 << 18, 256>>>((uint4 *)dst, (const uint4 *)src);
}
unsigned count() { return entry_count; }
const entry *entry_of(unsigned k) { return entries + k; }
void run(unsigned k, const arguments *x) { entries[k].run(*x); }
}

#endif
