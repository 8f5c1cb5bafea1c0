/* fuzz_engine.c - any text as a graph, in any amount of memory.
 * SPDX-License-Identifier: MIT
 *
 * The first byte decides how much memory and how many warps there are. A graph
 * that is read prints as a text that reads as the same graph; a result has a
 * certificate that holds; an error has a sentence.
 */
#define LL_ENGINE
#include "fuzz.h"

static unsigned char memory[1 << 22];
static ll_engine e;
static char once[1 << 14], again[1 << 14]; /* names may lie in these */
static char said[1 << 14];

static void refused(void) {
    char start[9];
    MUST(e.err < LL_ENGINE_ERRORS_N_);
    const unsigned n = ll_engine_error(&e, said, sizeof said);
    MUST(n == strlen(said) && n > 10u);
    MUST(ll_engine_error(&e, start, sizeof start) == n);
}

static void solved(void) {
    const unsigned long long cost = ll_engine_cost(&e);
    MUST(ll_engine_bound(&e) <= cost);
    const unsigned bad = ll_engine_check(&e);
    MUST(bad == LL_ENGINE_PROVEN || bad == LL_ENGINE_BAD_MEMORY);
    (void)ll_engine_explain(&e, said, sizeof said);
    MUST(ll_engine_cost(&e) == cost);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const unsigned long long bytes =
        size && data[0] & 3u ? sizeof memory : 64u * (size ? data[0] : 0u);
    const unsigned warps = size && data[0] & 4u ? 4u : 2u;
    const size_t skip = size ? 1u : 0u;
    char *text = malloc(size + 1u);
    memcpy(text, data + skip, size - skip);
    text[size - skip] = 0;
    ll_engine_begin(&e, memory, bytes, LL_SM90, warps, 1);
    e.most = 3;
    e.family = ll_ptx_dot;
    if (!ll_engine_parse(&e, text)) {
        MUST(e.character <= size + 1u);
        refused();
        free(text);
        return 0;
    }
    const unsigned n = ll_engine_print(&e, once, sizeof once);
    if (n < sizeof once && bytes == sizeof memory) {
        ll_engine_begin(&e, memory, bytes, LL_SM90, warps, 1);
        e.most = 3;
        e.family = ll_ptx_dot;
        MUST(ll_engine_parse(&e, once));
        MUST(ll_engine_print(&e, again, sizeof again) == n);
        MUST(strcmp(once, again) == 0);
    }
    if (ll_engine_solve(&e)) {
        solved();
    } else {
        refused();
    }
    free(text);
    return 0;
}
