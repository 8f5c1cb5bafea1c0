/* checks.h - what the extension asks of its tensors: one sentence for each that
 * does not fit. No CUDA, no PyTorch; C11 and C++.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TORCH_CHECKS_H
#define LL_TORCH_CHECKS_H

#include <stdio.h>
#include <string.h>

/* A tensor as PyTorch describes it. gpu: its number, or -1 on the CPU. */
typedef struct {
    const char *name, *type; /* "float32", "bfloat16", .. */
    unsigned rank;
    long long size[8], stride[8];
    unsigned long long address;
    int gpu;
} tensor;

enum { MOST_COLUMNS = 262144, SENTENCE = 256 };

/* The number of elements before the last `last` dimensions, or of all. */
static inline long long count_of(const tensor *x, unsigned last) {
    long long count = 1;
    for (unsigned k = 0; k + last < x->rank; ++k) {
        count *= x->size[k];
    }
    return count;
}

/* Is the type one of these words? */
static inline int is_one_of(const char *type, const char *types) {
    const size_t length = strlen(type);
    for (const char *at = strstr(types, type); at; at = strstr(at + 1, type)) {
        if ((at == types || at[-1] == ' ') &&
            (!at[length] || at[length] == ' ' || at[length] == ',')) {
            return 1;
        }
    }
    return 0;
}

/* Null, or why x is not `rank` dimensions (0: any from 1 on) of one of some
 * types, side by side in memory and from a multiple of 16 bytes on. */
static inline const char *check_form(char *text, const char *what,
                                     const tensor *x, unsigned rank,
                                     const char *types) {
    long long step = 1;
    if (!is_one_of(x->type, types)) {
        snprintf(text, SENTENCE, "%s: %s is %s; it has to be %s", what, x->name,
                 x->type, types);
        return text;
    }
    if (rank ? x->rank != rank : x->rank == 0 || x->rank > 8) {
        snprintf(text, SENTENCE,
                 rank ? "%s: %s has %u dimensions; it needs %u"
                      : "%s: %s has %u dimensions; it needs 1 to 8",
                 what, x->name, x->rank, rank);
        return text;
    }
    for (unsigned k = x->rank; k-- > 0; step *= x->size[k]) {
        if (x->size[k] != 1 && x->stride[k] != step && count_of(x, 0)) {
            snprintf(text, SENTENCE,
                     "%s: %s has stride %lld in dimension %u, not %lld; take "
                     "%s.contiguous()",
                     what, x->name, x->stride[k], k, step, x->name);
            return text;
        }
    }
    if (x->address % 16) {
        snprintf(text, SENTENCE,
                 "%s: %s starts at no multiple of 16 bytes; take %s.clone()",
                 what, x->name, x->name);
        return text;
    }
    return 0;
}

/* The same of a tensor on the GPU `gpu`, or on any if that is negative. */
static inline const char *check_gpu(char *text, const char *what,
                                    const tensor *x, int gpu) {
    if (x->gpu < 0) {
        snprintf(text, SENTENCE, "%s: %s is on the CPU; take %s.cuda()", what,
                 x->name, x->name);
        return text;
    }
    if (gpu >= 0 && x->gpu != gpu) {
        snprintf(text, SENTENCE, "%s: %s is on GPU %d, the first tensor on %d",
                 what, x->name, x->gpu, gpu);
        return text;
    }
    return 0;
}

/* Null, or why dimension k of x is not `size`. */
static inline const char *check_size(char *text, const char *what,
                                     const tensor *x, unsigned k,
                                     long long size, const char *of) {
    if (x->size[k] == size) {
        return 0;
    }
    snprintf(text, SENTENCE, "%s: dimension %u of %s is %lld; %s is %lld", what,
             k, x->name, x->size[k], of, size);
    return text;
}

/* Null, or why m x n elements are too many: kernels number tiles of them, and
 * their rows, in 32 bits. */
static inline const char *check_most(char *text, const char *what,
                                     const char *name, long long m,
                                     long long n) {
    if (m < 1 || n <= (1ll << 36) / m) {
        return 0;
    }
    snprintf(text, SENTENCE, "%s: %s has %lld x %lld elements; 2^36 are the "
             "most", what, name, m, n);
    return text;
}

#define ROW_TYPES "float32, bfloat16 or float16"

static inline const char *check_rows(char *text, const char *what,
                                     const tensor *x) {
    const char *bad = check_gpu(text, what, x, -1);
    bad = bad ? bad : check_form(text, what, x, 0, ROW_TYPES);
    if (bad) {
        return bad;
    }
    if (x->size[x->rank - 1] > MOST_COLUMNS || count_of(x, 1) >= 1 << 26) {
        snprintf(text, SENTENCE,
                 "%s: %s has %lld rows of %lld elements; there are fewer than "
                 "2^26 of at most %d",
                 what, x->name, count_of(x, 1), x->size[x->rank - 1],
                 (int)MOST_COLUMNS);
        return text;
    }
    return 0;
}

/* softmax(x): of the last dimension. */
static inline const char *check_softmax(char *text, const tensor *x) {
    return check_rows(text, "softmax", x);
}

/* rms_norm(x, gain): of the last dimension, whose length gain has. */
static inline const char *check_rms_norm(char *text, const tensor *x,
                                         const tensor *gain) {
    const char *bad = check_rows(text, "rms_norm", x);
    bad = bad ? bad : check_gpu(text, "rms_norm", gain, x->gpu);
    bad = bad ? bad : check_form(text, "rms_norm", gain, 1, x->type);
    return bad ? bad
               : check_size(text, "rms_norm", gain, 0, x->size[x->rank - 1],
                            "the last of x");
}

/* attention(q, k, v): batch x rows x heads x d of bf16, d 64 or 128; k and v:
 * batch x keys x heads of keys x d. */
static inline const char *check_attention(char *text, const tensor *q,
                                          const tensor *k, const tensor *v) {
    const char *const what = "attention";
    const tensor *const all[] = {q, k, v};
    const char *bad = 0;
    for (unsigned x = 0; x < 3 && !bad; ++x) {
        bad = check_gpu(text, what, all[x], x ? q->gpu : -1);
        bad = bad ? bad : check_form(text, what, all[x], 4, "bfloat16");
        bad = bad ? bad
                  : check_most(text, what, all[x]->name, count_of(all[x], 1),
                               all[x]->size[3]);
    }
    if (!bad && q->size[3] != 64 && q->size[3] != 128) {
        snprintf(text, SENTENCE, "attention: heads of q have %lld elements, "
                 "not 64 or 128", q->size[3]);
        return text;
    }
    for (unsigned x = 1; x < 3 && !bad; ++x) {
        bad = check_size(text, what, all[x], 0, q->size[0], "that of q");
        bad = bad ? bad
                  : check_size(text, what, all[x], 3, q->size[3], "that of q");
    }
    for (unsigned x = 1; x < 3 && !bad; ++x) {
        bad = check_size(text, what, v, x, k->size[x], "that of k");
    }
    if (!bad && (count_of(q, 0) == 0 || count_of(k, 0) == 0)) {
        snprintf(text, SENTENCE, "attention: q, k and v have elements");
        return text;
    }
    if (!bad && q->size[2] % k->size[2]) {
        snprintf(text, SENTENCE, "attention: q has %lld heads, no multiple of "
                 "the %lld of k", q->size[2], k->size[2]);
        return text;
    }
    return bad;
}

/* Bytes of s4 weights as they are stored, features x k. */
static inline long long packed_bytes(long long features, long long k) {
    return (features + 127) / 128 * 2 * ((k + 255) / 256 * 4) * 2176;
}

static inline const char *check_features(char *text, const char *what,
                                         long long features, long long k) {
    if (features > 0 && features % 8 == 0 && features < 1 << 24 && k > 0 &&
        k % 64 == 0 && k < 1 << 24) {
        return check_most(text, what, "the weight", features, k);
    }
    snprintf(text, SENTENCE, "%s: %lld features of %lld elements; the features "
             "are a multiple of 8 and the elements of 64, from there to 2^24",
             what, features, k);
    return text;
}

/* pack(elements, scales): features x k of 0 to 15 and features x k/64, on the
 * CPU. */
static inline const char *check_pack(char *text, const tensor *elements,
                                     const tensor *scales) {
    const char *const what = "pack";
    const tensor *const both[] = {elements, scales};
    const char *bad = check_form(text, what, elements, 2, "uint8");
    bad = bad ? bad : check_form(text, what, scales, 2, "bfloat16");
    for (unsigned x = 0; x < 2 && !bad; ++x) {
        if (both[x]->gpu >= 0) {
            snprintf(text, SENTENCE, "pack: %s is on a GPU; take %s.cpu()",
                     both[x]->name, both[x]->name);
            return text;
        }
    }
    bad = bad ? bad : check_features(text, what, elements->size[0],
                                     elements->size[1]);
    bad = bad ? bad : check_size(text, what, scales, 0, elements->size[0],
                                 "that of elements");
    return bad ? bad : check_size(text, what, scales, 1, elements->size[1] / 64,
                                  "one for 64 elements");
}

/* lowbit(x, packed, features): x is tokens x k. */
static inline const char *check_lowbit(char *text, const tensor *x,
                                       const tensor *packed,
                                       long long features) {
    const char *const what = "lowbit";
    const char *bad = check_gpu(text, what, x, -1);
    bad = bad ? bad : check_form(text, what, x, 2, "bfloat16");
    bad = bad ? bad : check_gpu(text, what, packed, x->gpu);
    bad = bad ? bad : check_form(text, what, packed, 1, "uint8");
    bad = bad ? bad : check_features(text, what, features, x->size[1]);
    if (!bad && (x->size[0] < 1 || x->size[0] >= 1 << 24)) {
        snprintf(text, SENTENCE, "lowbit: x has %lld tokens, not 1 to 2^24",
                 x->size[0]);
        return text;
    }
    bad = bad ? bad : check_most(text, what, "x", x->size[0], x->size[1]);
    bad = bad ? bad
              : check_most(text, what, "the result", x->size[0], features);
    return bad ? bad
               : check_size(text, what, packed, 0,
                            packed_bytes(features, x->size[1]),
                            "what pack makes of such weights");
}

#endif
