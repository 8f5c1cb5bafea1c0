/* embedding.h - embedding lookups: argument checks and test data.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EMBEDDING_H
#define LL_EMBEDDING_H

#include "../rows/rows.h"

namespace ll_kernels {

/* Null, or why rows of n elements, a multiple of `by`, are not looked up in or
 * brought to these matrices. */
static inline const char *unfit_rows(const void *dst, const void *src,
                                     unsigned tokens, unsigned n, unsigned by) {
    static thread_local char text[160];
    if (tokens && tokens <= 1u << 28 && n && n <= 1u << 24 && n % by == 0 &&
        (unsigned long long)tokens * n <= 1ull << 36) {
        return misplaced(dst, src);
    }
    snprintf(text, sizeof text,
             "there are %u rows of %u elements, not 1 to 2^28 of a multiple of "
             "%u to 2^24, nor 2^36 elements at most",
             tokens, n, by);
    return text;
}

#ifndef LL_NO_MAIN

enum : unsigned { VOCABULARY = 50 };

/* The rows that tokens ask for: of three tokens, two ask for one of 7 rows. */
struct tokens_of {
    std::vector<int> host;
    int *device;

    explicit tokens_of(unsigned tokens) : host(tokens) {
        for (unsigned t = 0; t < tokens; ++t) {
            host[t] = (int)(t * t * 2654435761u % (t % 3 ? 7 : VOCABULARY));
        }
        MUST(cudaMalloc((void **)&device, tokens * 4));
        MUST(cudaMemcpy(device, host.data(), tokens * 4,
                        cudaMemcpyHostToDevice));
    }
    ~tokens_of() { cudaFree(device); }
    tokens_of(const tokens_of &) = delete;
    tokens_of &operator=(const tokens_of &) = delete;
};

#endif

} // namespace ll_kernels

#endif
