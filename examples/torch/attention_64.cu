/* attention_64.cu - examples/attention.cu for heads of 64 elements.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#define HEAD 64
#define attention attention_64 /* two of them in one library */
#include "../attention.cu"
#include "entries.h"

LL_ATTENTION(ll_attention_64) {
    return launch_on(o, q, k, v,
                     {batch, heads, kv_heads, rows, keys, causal, 0, 0, 0, 0, 0,
                      0, 0, 0},
                     (cudaStream_t)stream);
}
