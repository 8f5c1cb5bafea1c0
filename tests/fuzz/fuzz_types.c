/* fuzz_types.c - any text to what llshow reads as a tensor's type.
 * SPDX-License-Identifier: MIT
 *
 * What is left of the text is read as a layout of the type's shape.
 */
#include "../../tools/llshow/notation.h"

#include "tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const tensor_text given = tensor_text_of(data, size);
    const size_t n = strlen(given.text);
    tensor_type t;
    const unsigned bad = take_type(given.text, &t);
    MUST(strlen(given.text) == n);
    MUST(!bad || (bad <= n && t.why && !t.rank));
    MUST(t.rank <= 16u && t.axes <= 16u && t.bits <= 128u &&
         (t.rank || !t.bits));
    if (!bad) {
        notation_for what = LL_ZERO;
        what.rank = t.rank ? t.rank : given.rank;
        what.sizes = t.rank ? t.sizes : given.sizes;
        what.target = LL_SM90;
        const ll_foreign f = notation_read(given.text, &what).f;
        good(f.layout);
        MUST(f.layout.is != LL_AT_CHARACTER ||
             (f.layout.at >= 1u && f.layout.at <= n + 1u));
    }
    free(given.text);
    return 0;
}
