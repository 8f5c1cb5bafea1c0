/* attention_128.cu - examples/attention.cu for heads of 128 elements.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#define HEAD 128
#define attention attention_128 /* two of them in one library */
#include "../attention.cu"
#include "entries.h"

LL_ATTENTION(ll_attention_128) {
    return launch_on(o, q, k, v,
                     {batch, heads, kv_heads, rows, keys, causal, 0, 0, 0, 0, 0,
                      0, 0, 0},
                     (cudaStream_t)stream);
}
