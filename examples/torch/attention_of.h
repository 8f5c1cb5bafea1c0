/* attention_of.h - attention.cu for heads of HEAD elements, in a library that
 * has it for several sizes.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ATTENTION_OF_H
#define LL_ATTENTION_OF_H

#define LL_NO_MAIN
#define OF_HEAD_(name, head) name##head
#define OF_HEAD(name, head) OF_HEAD_(name, head)
#include "../kernels/attention/attention.cu"
#include "entries.h"

LL_ATTENTION(OF_HEAD(ll_attention_, HEAD)) {
    return launch_on(o, q, k, v,
                     {batch, heads, kv_heads, rows, keys, causal, 0, 0, 0, 0, 0,
                      0, 0, 0},
                     (cudaStream_t)stream);
}

#endif
