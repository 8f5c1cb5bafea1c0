/* tensor.h - the input of the fuzzers that read texts about tensors.
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_TENSOR_H
#define FUZZ_TENSOR_H

#include "fuzz.h"

/* The first bytes are the rank and the sizes of a tensor, too many and too large
 * ones among them; the rest is a text, which the caller frees. */
typedef struct tensor_text {
    unsigned rank, sizes[18];
    char *text;
} tensor_text;

static inline tensor_text tensor_text_of(const uint8_t *data, size_t size) {
    bytes input = {data, size};
    tensor_text t = {0};
    t.rank = next(&input, 256) % 18u;
    for (unsigned k = 0; k < t.rank; ++k) {
        const unsigned x = next(&input, 256);
        t.sizes[k] = x & 32u ? x : 1u << x % 32u;
    }
    t.text = malloc(input.left + 1u);
    memcpy(t.text, input.at, input.left);
    t.text[input.left] = 0;
    return t;
}

#endif
