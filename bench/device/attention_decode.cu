/* attention_decode.cu - attention_decode.cu as a function that
 * peers/attention.py calls, and a copy of memory to compare with; -DHEAD=64,
 * 96, 128 or 256.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "examples/kernels/attention/attention_decode.cu"

extern "C" unsigned ll_decode_head(void) { return HEAD; }

/* Sets *splits for this number of multiprocessors; returns the bytes of
 * `work`. */
extern "C" size_t ll_decode_room(unsigned batch, unsigned heads,
                                 unsigned kv_heads, unsigned longest,
                                 unsigned processors, unsigned *splits) {
    paged_cache c = {batch, heads, kv_heads, 0, 0, 1, 0, 0, 0};
    c.splits = *splits = splits_for(c, longest, processors, KEYS * WARPS);
    return split_bytes(c, HEAD);
}

/* Returns an error message, or null. */
extern "C" const char *ll_decode(void *o, void *work, const void *q,
                                 const void *k, const void *v,
                                 const int *lengths, const int *table,
                                 unsigned batch, unsigned heads,
                                 unsigned kv_heads, unsigned page,
                                 unsigned most_pages, unsigned splits) {
    return launch_decode(o, work, q, k, v,
                         {batch, heads, kv_heads, page, most_pages, splits, 0,
                          lengths, table});
}

static __global__ void copy_16(uint4 *dst, const uint4 *src) {
    const size_t x = (size_t)blockIdx.x * 1024 + threadIdx.x;
    uint4 v[4];
    for (unsigned k = 0; k < 4; ++k) {
        v[k] = src[x + 256 * k];
    }
    for (unsigned k = 0; k < 4; ++k) {
        dst[x + 256 * k] = v[k];
    }
}

/* Copies a multiple of 16 KiB. */
extern "C" void ll_copy(void *dst, const void *src, size_t bytes) {
    copy_16<<<(unsigned)(bytes >> 14), 256>>>((uint4 *)dst, (const uint4 *)src);
}
