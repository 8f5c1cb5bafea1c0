/* lowbit.cu - examples/kernels/matmul/matmul_lowbit.cu with weights s4.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "../kernels/matmul/matmul_lowbit.cu"
#include "entries.h"

extern "C" const char *ll_pack(unsigned char *to, const unsigned char *elements,
                               const unsigned short *scales, unsigned features,
                               unsigned k) {
    return pack_weights<s4>(to, elements, scales, features, k);
}

extern "C" const char *ll_lowbit(void *c, const void *x, const void *packed,
                                 unsigned tokens, unsigned features, unsigned k,
                                 void *stream) {
    return launch_lowbit<s4>(c, x, packed, tokens, features, k,
                             (cudaStream_t)stream);
}
