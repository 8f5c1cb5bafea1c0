/* paged_cache.h - keys and values in pages, for attention of one new token
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_PAGED_CACHE_H
#define LL_PAGED_CACHE_H

#include <stddef.h>

namespace ll_kernels {

/* Keys and values are pages x page x kv_heads x head dimension each. Sequence b
 * has lengths[b] rows; table[b * most_pages + x] is the page of its rows
 * x * page and on. `splits` blocks share a sequence. */
struct paged_cache {
    unsigned batch, heads, kv_heads, page, most_pages, splits;
    float scale; /* of scores, includes log2(e); set by the launcher */
    const int *lengths, *table;
};

/* Returns the groups of up to 16 heads that share keys, per head of keys. */
inline unsigned head_groups(const paged_cache &c) {
    return (c.heads / c.kv_heads + 15) / 16;
}

/* Returns null, or an error message for a wrong cache. step_keys: keys of a
 * step. */
inline const char *cache_error(const paged_cache &c, unsigned step_keys) {
    if (!c.batch || !c.heads || !c.kv_heads || c.heads % c.kv_heads ||
        !c.splits) {
        return "batch, heads and splits are at least 1, and heads are a "
               "multiple of the heads of keys";
    }
    if (c.page % step_keys || !c.page) {
        return "a page has a multiple of 16 rows";
    }
    if (c.batch > 65535 || c.heads > 65535 || c.splits > 65535) {
        return "batch, heads and splits are at most 65535";
    }
    return 0;
}

/* Returns how many blocks should share a sequence, so that all start at once,
 * one per multiprocessor.
 *   longest         rows of the longest sequence
 *   multiprocessors  of the GPU
 *   block_keys      keys of a step of a block */
inline unsigned splits_for(const paged_cache &c, unsigned longest,
                           unsigned multiprocessors, unsigned block_keys) {
    const unsigned wanted =
        multiprocessors / (c.batch * c.kv_heads * head_groups(c));
    const unsigned most = longest / (block_keys * 4);
    const unsigned splits = wanted < most ? wanted : most;
    return splits ? splits : 1;
}

} // namespace ll_kernels

#endif
