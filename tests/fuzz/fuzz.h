/* fuzz.h - what the fuzzers share.
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "../../ll.h"
#include "../../ll_ptx.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program where a promise is broken; the fuzzer keeps the input. */
#define MUST(cond)                                                     \
    ((cond) ? (void)0                                                  \
            : (void)(printf("%s:%d: %s\n", __FILE__, __LINE__, #cond), \
                     fflush(stdout), abort()))

/* Any layout that a function returns: if it has no error its parts fit, and
 * its text reads back as itself, into a buffer that is just long enough. */
static inline ll_layout good(ll_layout a) {
    MUST(a.err < LL_N_ERRORS_);
    if (a.err == LL_OK) {
        MUST(ll_check(a).err == LL_OK);
        const unsigned n = ll_str(a, NULL, 0);
        char *text = malloc(n + 1u);
        MUST(ll_str(a, text, n + 1u) == n && strlen(text) == n);
        MUST(ll_is_equal(ll_parse(text), a));
        text[n / 2u] = 'x';
        MUST(ll_str(a, text, n / 2u) == n && text[n / 2u] == 'x');
        free(text);
    }
    return a;
}

/* The number of the input's next byte, 0 behind its end. */
typedef struct bytes {
    const uint8_t *at;
    size_t left;
} bytes;

static inline unsigned next(bytes *b, unsigned below) {
    unsigned x = b->left ? b->at[0] : 0u;
    b->at += b->left ? 1 : 0;
    b->left -= b->left ? 1 : 0;
    return x % below;
}

/* solve, for one policy: b takes what it returns to where a goes. */
static inline void solve_holds(ll_layout b, ll_layout a, unsigned policy) {
    const ll_layout x = good(ll_solve(b, a, policy));
    for (unsigned k = 0; x.err == LL_OK && k <= 32u; ++k) {
        const unsigned bits = ll_shape_start_(&a.in, a.in.n);
        const unsigned u = k < bits ? 1u << k : 0u;
        const unsigned y = ll_apply(b, ll_apply(x, u));
        for (unsigned d = 0; d < a.out.n; ++d) {
            MUST(ll_unpack(b.out, a.out.dim[d], y) ==
                 ll_unpack(a.out, a.out.dim[d], ll_apply(a, u)));
        }
    }
}

#endif
