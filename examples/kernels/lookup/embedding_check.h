/* embedding_check.h - tokens for the checks of embedding lookups
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EMBEDDING_CHECK_H
#define LL_EMBEDDING_CHECK_H

#include "../check.h"
#include <vector>

namespace ll_kernels {

enum : unsigned { VOCABULARY = 50 }; /* rows of the table */

/* The row that each token looks up, on the host and on the device. Two of three
 * tokens look up one of 7 rows, so some rows are frequent. */
struct token_index {
    std::vector<int> host;
    int *device;

    explicit token_index(unsigned tokens) : host(tokens) {
        for (unsigned t = 0; t < tokens; ++t) {
            host[t] = (int)(t * t * 2654435761u % (t % 3 ? 7 : VOCABULARY));
        }
        MUST(cudaMalloc((void **)&device, tokens * 4));
        MUST(cudaMemcpy(device, host.data(), tokens * 4,
                        cudaMemcpyHostToDevice));
    }
    ~token_index() { cudaFree(device); }
    token_index(const token_index &) = delete;
    token_index &operator=(const token_index &) = delete;
};

} // namespace ll_kernels

#endif
