/* row_refusals.h - which rows and pointers a kernel does not take
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ROW_REFUSALS_H
#define LL_ROW_REFUSALS_H

#include <cuda_runtime.h>
#include <stdio.h>

namespace ll_kernels {

/* Checks that rows of n elements fit the registers of a cluster. Returns an
 * error message, or null.
 *   tile  elements in the registers of a cluster
 *   wide  elements per 16 bytes */
static inline const char *misfit(unsigned rows, unsigned n, unsigned tile,
                                 unsigned wide) {
    static thread_local char text[160];
    if (rows == 0 || rows > 1u << 26) {
        snprintf(text, sizeof text, "there are %u rows, not 1 to 2^26", rows);
        return text;
    }
    if (n == 0 || n > tile || (n % wide && n + wide - 1 > tile)) {
        snprintf(text, sizeof text,
                 "rows of %u elements do not fit registers for %u; rows that "
                 "start at no multiple of 16 bytes need %u more",
                 n, tile, wide - 1);
        return text;
    }
    return nullptr;
}

/* Checks that matrices start at multiples of 16 bytes. Returns an error
 * message, or null. */
inline const char *misplaced(const void *dst, const void *src,
                             const void *other = nullptr) {
    return ((size_t)dst | (size_t)src | (size_t)other) % 16
               ? "all matrices start at multiples of 16 bytes"
               : nullptr;
}

/* Checks that gain and bias, which all rows share, are aligned. */
inline const char *unaligned(const void *gain, const void *bias) {
    return ((size_t)gain | (size_t)bias) % 16
               ? "gain and bias start at multiples of 16 bytes"
               : nullptr;
}

} // namespace ll_kernels

#endif
