/* attention.cu - examples/attention.cu as a function that bench/attention.py
 * calls; -DHEAD=64, 96, 128 or 256. SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "../examples/attention.cu"

extern "C" unsigned ll_head(void) { return HEAD; }

/* O = softmax(Q K^T) V of bf16. Null, or what is wrong. */
extern "C" const char *ll_attention(void *o, const void *q, const void *k,
                                    const void *v, unsigned batch,
                                    unsigned heads, unsigned kv_heads,
                                    unsigned rows, unsigned keys,
                                    unsigned causal, unsigned window) {
    return launch(o, q, k, v,
                  {batch, heads, kv_heads, rows, keys, causal, window, 0, 0, 0,
                   0, 0, 0, 0});
}
