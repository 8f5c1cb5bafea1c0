/* attention_shape.h - the sizes of a call of attention, and their check
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ATTENTION_SHAPE_H
#define LL_ATTENTION_SHAPE_H

namespace ll_kernels {

/* The type of Q, K and V. O is BF16 if they are E4M3, else of the same type. */
enum class number_format { BF16, F16, E4M3 };

/* Q and O are batch x rows x heads x head dimension, K and V are batch x keys x
 * kv_heads x head dimension. heads / kv_heads neighbours share a head of K and
 * V. If causal, row i sees keys up to i + keys - rows; with a window, only the
 * last `window` of them. */
struct attention_shape {
    unsigned batch, heads, kv_heads, rows, keys, causal, window;
    /* Null, or for sequences of several lengths: the first row and the first
     * key of each, and the end of the last. They lie on the GPU. */
    const int *row_start, *key_start;
    unsigned all_rows, all_keys; /* then, of all sequences */
    /* Set by the launcher. */
    float scale;    /* of scores; includes log2(e) */
    unsigned group; /* heads whose keys stay in the L2 cache together */
    unsigned short *out;
};

/* Computes attention. Returns an error message, or null. */
typedef const char *(*attention_launcher)(void *o, const void *q, const void *k,
                                          const void *v, attention_shape s);

/* Returns what is wrong with a shape, or null, for blocks of `block_rows` rows.
 * If sequences have starts, rows and keys are of the longest. */
inline const char *shape_error(const attention_shape &s, unsigned block_rows) {
    const unsigned rows = s.row_start ? s.all_rows : s.rows;
    const unsigned keys = s.row_start ? s.all_keys : s.keys;
    if (!s.batch || !s.heads || !s.kv_heads || !rows || !keys || !s.rows ||
        !s.keys || s.heads % s.kv_heads) {
        return "batch, heads, rows and keys are at least 1, and heads are a "
               "multiple of the heads of keys";
    }
    if (!s.row_start != !s.key_start) {
        return "rows and keys have starts, or neither has";
    }
    if (rows > 1u << 30 || keys > 1u << 30 || s.window > 1u << 30 ||
        (double)s.batch * s.heads * ((s.rows + block_rows - 1) / block_rows) >
            1u << 30) {
        return "there are at most 2^30 rows, keys, and blocks";
    }
    return 0;
}

} // namespace ll_kernels

#endif
