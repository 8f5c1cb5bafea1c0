// paper_rows.cu - welford and rope of the paper's list, for peers/benchmarks.py
// SPDX-License-Identifier: MIT
#define LL_NO_MAIN
#include "examples/kernels/rows/norm.cu"
#include "examples/kernels/rows/rope.cu"

extern "C" {
// Rows of 1k to 16k elements: mean and variance in one pass, by Welford.
void layernorm_of(void *dst, const void *src, const void *gain,
                  const void *bias, unsigned rows, unsigned n) {
    const auto by = n <= 1024   ? norm_by<bf16, 32, 1, 1, 1, 0, true>
                    : n <= 4096 ? norm_by<bf16, 32, 4, 1, 1, 0, true>
                                : norm_by<bf16, 32, 8, 2, 1, 2, true>;
    MUST(by((bf16 *)dst, (const bf16 *)src, (const bf16 *)gain,
            (const bf16 *)bias, rows, n, 1e-5f, nullptr));
}
// Rows are tokens of 32 heads of 128, at `positions` positions.
void rope_of(void *dst, const void *src, const float *cosine,
             const float *sine, unsigned tokens, unsigned positions) {
    rope<bf16, 32, 128, 4, true><<<tokens, 128>>>(
        (bf16 *)dst, (const bf16 *)src, cosine, sine, positions);
    MUST(cudaGetLastError());
}
}
