/* engine_tensor_memory.h - allocates the tensor memory of a kernel.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_TENSOR_MEMORY_H
#define LL_ENGINE_TENSOR_MEMORY_H

#include "engine_products.h"

/* Returns the columns of tensor memory that the kernel needs. */
static unsigned columns(void) {
    unsigned most = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        const product x = product_of(&e.op[p]);
        const unsigned n = x.how == BY_TCGEN05 ? first_column(&x, 5) : 0u;
        most = n > most ? n : most;
    }
    unsigned n = most ? 32u : 0u;
    while (n < most) {
        n *= 2u;
    }
    return n;
}

/* Allocates or frees tensor memory for the whole kernel. */
static void write_tensor_memory(int begins) {
    if (!columns()) {
        return;
    }
    if (begins) {
        printf("    __shared__ unsigned tmem_at;\n"
               "    __shared__ __align__(8) unsigned long long done;\n"
               "    unsigned done_phase = 0;\n"
               "    if (threadIdx.x < 32) {\n"
               "        ll_ptx_tcgen05_alloc(address(&tmem_at), %u);\n"
               "        ll_ptx_tcgen05_relinquish_alloc_permit();\n"
               "    }\n"
               "    if (threadIdx.x == 0) {\n"
               "        ll_ptx_mbarrier_init(address(&done), 1);\n"
               "    }\n"
               "    ll_ptx_fence_mbarrier_init();\n"
               "    ll_ptx_tcgen05_fence_before_thread_sync();\n"
               "    __syncthreads();\n"
               "    ll_ptx_tcgen05_fence_after_thread_sync();\n"
               "    const unsigned tmem = tmem_at;\n",
               columns());
        return;
    }
    printf("    __syncthreads();\n"
           "    if (threadIdx.x < 32) {\n"
           "        ll_ptx_tcgen05_dealloc(tmem, %u);\n"
           "    }\n",
           columns());
}

#endif
