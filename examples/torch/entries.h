/* entries.h - what the files of kernels give to binding.cpp. Each entry returns
 * null, or a sentence. Pointers are to the GPU, but for those of ll_pack.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TORCH_ENTRIES_H
#define LL_TORCH_ENTRIES_H

/* Rows of n elements of a type: 0 float32, 1 bfloat16, 2 float16. */
extern "C" const char *ll_softmax(void *dst, const void *src, int type,
                                  unsigned rows, unsigned n, void *stream);
extern "C" const char *ll_rms_norm(void *dst, const void *src, const void *gain,
                                   int type, unsigned rows, unsigned n,
                                   float least, void *stream);
/* bfloat16; heads of 64 and of 128 elements. */
#define LL_ATTENTION(NAME)                                                  \
    extern "C" const char *NAME(void *o, const void *q, const void *k,      \
                                const void *v, unsigned batch,              \
                                unsigned heads, unsigned kv_heads,          \
                                unsigned rows, unsigned keys,               \
                                unsigned causal, void *stream)
LL_ATTENTION(ll_attention_64);
LL_ATTENTION(ll_attention_128);
/* s4 with a scale for 64 elements. */
extern "C" const char *ll_pack(unsigned char *to, const unsigned char *elements,
                               const unsigned short *scales, unsigned features,
                               unsigned k);
extern "C" const char *ll_lowbit(void *c, const void *x, const void *packed,
                                 unsigned tokens, unsigned features, unsigned k,
                                 void *stream);

#endif
