/* matmul_grouped.cu - matmul_grouped.cu as functions that
 * peers/grouped.py calls. SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "examples/kernels/matmul/matmul_grouped.cu"

static gemm_list one;

extern "C" size_t ll_grouped_room(void) { return sizeof(list_entry); }

/* Prepares C = A B^T for each matrix of a list, in bf16. Returns an error
 * message, or null. */
extern "C" const char *ll_grouped_prepare(void *room, unsigned count,
                                          void *const *c, void *const *a,
                                          void *const *b, const unsigned *m,
                                          const unsigned *n, const unsigned *k,
                                          int number) {
    std::vector<list_product> items;
    for (unsigned x = 0; x < count; ++x) {
        items.push_back({c[x], a[x], b[x], m[x], n[x], k[x]});
    }
    return prepare(&one, room, items, number);
}

extern "C" const char *ll_grouped(void) { return launch_grouped(one, 0); }
