/* fuzz_views.c - any text to the readers of other notations.
 * SPDX-License-Identifier: MIT
 *
 * The first bytes are the rank and the sizes of a tensor; the rest is the text,
 * which both readers get.
 */
#include "tensor.h"

#include "../../tools/views/ll_views.h"

static void read_holds(ll_foreign f, const char *text) {
    char sentence[300], start[9];
    const unsigned err = good(f.layout).err;
    MUST(f.why == NULL || (err == LL_ETEXT && f.layout.at >= 1u &&
                           f.layout.at <= strlen(text) + 1u));
    MUST(err != LL_ETEXT || f.why);
    MUST(f.pads <= LL_MAX_PADS);
    if (err) {
        const unsigned n = ll_foreign_error("A", f, sentence, sizeof sentence);
        MUST(n < sizeof sentence && n == strlen(sentence));
        MUST(ll_foreign_error("A", f, start, sizeof start) == n);
        MUST(strncmp(sentence, start, sizeof start - 1) == 0);
    }
}

/* Pictures of any layout fit what they say they need; with pads, too. */
static void draws(ll_foreign f) {
    char small[64];
    const ll_layout a = f.layout;
    const ll_view views[] = {
        ll_view_matrix(a), ll_view_tensor(a), ll_view_hardware(a),
        ll_view_padded(ll_view_tensor(a), f),
        ll_view_padded(ll_view_hardware(a), f)};
    for (unsigned k = 0; k < 5u; ++k) {
        if (views[k].rows * views[k].cols <= 256u) {
            for (unsigned form = LL_AS_TEXT; form <= LL_AS_CSV; ++form) {
                const unsigned n =
                    ll_picture(views[k], form, small, sizeof small);
                char *whole = malloc(n + 1u);
                MUST(ll_picture(views[k], form, whole, n + 1u) == n);
                MUST(strlen(whole) == n);
                free(whole);
            }
        }
    }
}

/* What is said of the axes of a tensor: their names, or all in i. */
static void triton_holds(const char *text, unsigned rank,
                         const unsigned *sizes) {
    const ll_foreign f = ll_from_triton(text, rank, sizes);
    read_holds(f, text);
    draws(f);
    for (unsigned k = 0; !f.layout.err && k < rank && rank <= 8u; ++k) {
        MUST(ll_size(f.layout.out, ll_axis(k)) == sizes[k]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const tensor_text t = tensor_text_of(data, size);
    triton_holds(t.text, t.rank, t.sizes);
    const ll_foreign f = ll_from_cute(t.text);
    read_holds(f, t.text);
    draws(f);
    good(ll_inv(f.layout));
    good(ll_pinv(f.layout));
    free(t.text);
    return 0;
}
