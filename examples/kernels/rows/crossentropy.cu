/* crossentropy.cu - a loss from logits that need not stay?
 * SPDX-License-Identifier: MIT
 *
 * The loss of a row is log(sum of exp(x)) - x[target]. It keeps nothing of the
 * row: each lane combines the pairs of its elements, the largest one and the
 * sum relative to it, from part to part, and a block waits for nobody until the
 * row ends. Rows whose target is negative are left out: their loss is 0.
 * crossentropy_gradient.cu makes the gradient in the same reading.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/rows/crossentropy.cu -o loss
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "rows.h"

using namespace ll_kernels;

/* Writes one loss per row of x, rows x n. A block reads a row, PER_LANE
 * elements per lane at a time, and keeps none of them. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS>
__global__ void __launch_bounds__(32 * WARPS)
    loss(float *losses, const ELEMENT *x, const int *targets, unsigned rows,
         unsigned n) {
    LL_LAYOUT(ROW_LAYOUT, row_of(16 / sizeof(ELEMENT), PER_LANE, WARPS, 1, 1));
    __shared__ row_reducer<peak, WARPS, 1, 1> team;
    row_stream<ELEMENT, ROW_LAYOUT, 1, false, 0> here(rows, n);
    const int target = targets[here.row];
    const float wanted =
        target < 0 ? 0 : (float)x[(size_t)here.row * n + target];
    unsigned a[here.words], b[here.words];
    peak all = {-2.3e38f, 0};
    here.load(a, nullptr, x, (ELEMENT)-INFINITY);
    for (int j = -here.early; j < (int)n; j += here.part) {
        float e[PER_LANE];
        here.skip();
        here.load(b, nullptr, x, (ELEMENT)-INFINITY);
        const peak own = peak_of<ELEMENT>(e, a, largest<ELEMENT>(a));
        all = merge()(all, own);
        memcpy(a, b, sizeof a);
    }
    all = team.all(all, 0, merge());
    if (threadIdx.x == 0) {
        losses[here.row] =
            target < 0 ? 0 : all.most + logarithm(all.sum) * LN2 - wanted;
    }
}

/* Launches crossentropy for rows of any length. Returns an error message, or
 * null. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS>
const char *loss_by(float *losses, const ELEMENT *x, const int *targets,
                    unsigned rows, unsigned n) {
    const char *bad = misfit(rows, n, 1u << 30, 16 / sizeof(ELEMENT));
    bad = bad ? bad : misplaced(x, x);
    return bad ? bad
               : launch(loss<ELEMENT, PER_LANE, WARPS>, rows, 32 * WARPS, 1,
                        losses, x, targets, rows, n);
}

#ifndef LL_NO_MAIN

/* Runs rows of n logits and returns how many results are wrong. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS>
unsigned check(unsigned rows, unsigned n) {
    const table<ELEMENT> x(rows, n, 1, -10, 10);
    table<float> losses(rows, 1);
    table<int> targets(rows, 1, 7, 0, (float)n);
    targets.host[0] = -1;
    MUST(cudaMemcpy(targets.device, targets.host.data(), 4 * rows,
                    cudaMemcpyHostToDevice));
    unsigned wrong = 0;
    MUST(loss_by<ELEMENT, PER_LANE, WARPS>(losses.device, x.device,
                                           targets.device, rows, n));
    losses.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        const int target = targets.host[i];
        const numbers logs = softmax_by_hand(x, i, true);
        const double want = target < 0 ? 0 : -logs[target];
        wrong += !(fabs(losses.at(i, 0) - want) < 1e-5 * (1 + want));
    }
    printf("%2u bits, %u rows of %u logits: %u wrong\n",
           8 * (unsigned)sizeof(ELEMENT), rows, n, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 16, 2>(4, 1024);
    wrong += check<bf16, 32, 2>(19, 3001);
    wrong += check<f16, 16, 1>(5, 2035);
    wrong += check<float, 8, 2>(3, 1003);
    alignas(16) float x[8] = {};
    wrong += !loss_by<float, 8, 2>(x, x + 1, nullptr, 1, 4);
    wrong += !loss_by<float, 8, 2>(x, x, nullptr, 0, 4);
    return verdict(wrong);
}

#endif
