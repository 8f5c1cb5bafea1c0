/* attention_shapes.cu - attention.cu of any shape, as a function that
 * peers/attention.py calls; -DHEAD=64, 96, 128 or 256, -DHALF=1.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "examples/kernels/attention/attention.cu"

/* O = softmax(Q K^T) V. Returns an error message, or null.
 * starts: sequence x has rows and keys starts[x] to starts[x + 1]; in the GPU's
 *   memory, or null if all sequences have `longest` rows
 * longest: length of the longest sequence
 * all: sum of the lengths */
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
