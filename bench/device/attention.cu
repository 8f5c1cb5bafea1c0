/* attention.cu - attention.cu, or attention_fp8.cu with -DFP8=1, as a
 * function that peers/attention.py calls; -DHEAD=64, 96, 128 or 256.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#ifdef FP8
enum : unsigned { BITS = 8 };
#include "examples/kernels/attention/attention_fp8.cu"
#else
enum : unsigned { BITS = 16 };
#include "examples/kernels/attention/attention.cu"
#endif

extern "C" unsigned ll_head(void) { return HEAD; }
extern "C" unsigned ll_bits(void) { return BITS; }

/* O = softmax(Q K^T) V. O is bf16, the others have ll_bits() bits. Returns an
 * error message, or null. */
extern "C" const char *ll_attention(void *o, const void *q, const void *k,
                                    const void *v, unsigned batch,
                                    unsigned heads, unsigned kv_heads,
                                    unsigned rows, unsigned keys,
                                    unsigned causal, unsigned window) {
    return launch(o, q, k, v,
                  {batch, heads, kv_heads, rows, keys, causal, window, 0, 0, 0,
                   0, 0, 0, 0});
}
