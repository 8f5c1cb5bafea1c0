/* fuzz_notation.c - any text to what llshow and the viewer read.
 * SPDX-License-Identifier: MIT
 *
 * The first bytes are the rank and the sizes of a tensor; the rest is the text
 * of a layout and, after a semicolon, that of a target.
 */
#include "../../tools/llshow/notation.h"

#include "tensor.h"

/* A fault has a place in the text, and a sentence that fits any buffer. */
static void said(const notation *read, const char *text) {
    char sentence[1400], start[9];
    const ll_foreign f = read->f;
    MUST(f.layout.err || !f.why);
    MUST(f.layout.is != LL_AT_CHARACTER ||
         (f.layout.at >= 1u && f.layout.at <= strlen(text) + 1u));
    const unsigned n = notation_error("A", read, sentence, sizeof sentence);
    MUST(n < sizeof sentence && n == strlen(sentence));
    MUST(notation_error("A", read, start, sizeof start) == n);
    MUST(strncmp(sentence, start, sizeof start - 1) == 0);
}

static notation read_text(const char *text, unsigned rank,
                          const unsigned *sizes) {
    notation_for what = LL_ZERO;
    what.rank = rank;
    what.sizes = sizes;
    what.target = LL_SM90;
    return notation_read(text, &what);
}

/* Two exchanges of rows and columns leave a layout as it is. The text may end
 * with a comment, which a line ends. */
static void turned(ll_layout a, const char *text, unsigned rank,
                   const unsigned *sizes) {
    const size_t n = strlen(text);
    char *twice = malloc(n + 20u);
    (void)snprintf(twice, n + 20u, " trans( trans(%s\n) ) ", text);
    const ll_foreign f = read_text(twice, rank, sizes).f;
    MUST(n > 3900u || ll_is_equal(good(f.layout), a));
    free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const tensor_text t = tensor_text_of(data, size);
    char *target = strchr(t.text, ';');
    if (target) {
        *target++ = 0;
        const ll_target to = notation_target(target);
        MUST(to.err < LL_N_ERRORS_ && (to.err || to.lanes));
    }
    const notation n = read_text(t.text, t.rank, t.sizes);
    const ll_foreign f = n.f;
    good(f.layout);
    said(&n, t.text);
    if (!f.layout.err) {
        turned(f.layout, t.text, t.rank, t.sizes);
    }
    free(t.text);
    return 0;
}
