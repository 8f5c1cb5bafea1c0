/* embedding.h - checks of arguments of embedding lookups
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EMBEDDING_H
#define LL_EMBEDDING_H

#include "../rows/rows.h"

namespace ll_kernels {

/* Checks that rows of n elements, a multiple of `step`, can be looked up for
 * this number of tokens. Returns an error message, or null. */
static inline const char *misfit_lookup(const void *dst, const void *src,
                                        unsigned tokens, unsigned n,
                                        unsigned step) {
    static thread_local char text[160];
    if (tokens && tokens <= 1u << 28 && n && n <= 1u << 24 && n % step == 0 &&
        (unsigned long long)tokens * n <= 1ull << 36) {
        return misplaced(dst, src);
    }
    snprintf(text, sizeof text,
             "there are %u rows of %u elements, not 1 to 2^28 of a multiple of "
             "%u to 2^24, nor 2^36 elements at most",
             tokens, n, step);
    return text;
}

} // namespace ll_kernels

#endif
