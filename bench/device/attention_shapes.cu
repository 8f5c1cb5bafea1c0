/* attention_shapes.cu - attention.cu as a function of all that a shape
 * can be, which peers/attention.py calls; -DHEAD=64, 96, 128 or 256, -DHALF=1.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "examples/kernels/attention/attention.cu"

/* O = softmax(Q K^T) V. Sequence x has rows and keys starts[x] to starts[x + 1],
 * which are numbers in the GPU's memory; `longest` is the length of the longest,
 * `all` the sum. Without starts all have that length. Null, or what is wrong. */
extern "C" const char *ll_attention_shape(void *o, const void *q, const void *k,
                                          const void *v, const int *starts,
                                          unsigned sequences, unsigned heads,
                                          unsigned kv_heads, unsigned longest,
                                          unsigned all, unsigned causal,
                                          unsigned window) {
    return launch(o, q, k, v,
                  {sequences, heads, kv_heads, longest, longest, causal, window,
                   starts, starts, all, all, 0, 0, 0});
}
