/* crossentropy_gradient.cu - a loss and its gradient from one reading?
 * SPDX-License-Identifier: MIT
 *
 * The gradient of the loss that crossentropy.cu makes is softmax(x) - 1 at the
 * target. With the row in the registers of a cluster, as in softmax.cu, both
 * come from one reading of the logits, for vocabularies of 256k and more; the
 * gradient may even replace them. Rows whose target is negative are left out:
 * their loss and gradient are 0.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/rows/crossentropy_gradient.cu
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "rows.h"

using namespace ll_kernels;

/* Writes one loss per row of x, rows x n, and the gradient times `scale` to
 * dst. dst may be x, because the row stays in registers. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, bool FULL_TILE, unsigned PREFETCH>
__global__ void __launch_bounds__(32 * WARPS,
                                  resident(PER_LANE * 4, WARPS, PREFETCH))
    crossentropy(unsigned rows, unsigned n, unsigned *count, float *losses,
                 ELEMENT *dst, const ELEMENT *x, const int *targets,
                 float scale) {
    LL_LAYOUT(ROW_LAYOUT,
              row_of(16 / sizeof(ELEMENT), power_from(PER_LANE), WARPS, 1, 1));
    __shared__ row_reducer<peak, WARPS, CLUSTER_BLOCKS, 1> team;
    extern __shared__ __align__(128) unsigned char lines[];
    unsigned char *const slots = lines + (PREFETCH ? TMA_ROW_OFFSET : 0);
    constexpr unsigned some = PER_LANE == power_from(PER_LANE) ? 0 : PER_LANE;
    constexpr bool back =
        FULL_TILE && PREFETCH > 2 && CLUSTER_BLOCKS > 4; /* faster there */
    row_stream<ELEMENT, ROW_LAYOUT, CLUSTER_BLOCKS, FULL_TILE, PREFETCH, false,
               some, back>
        here(rows, n, count);
    unsigned a[here.words], turn = 0;
    int target = targets[here.row];
    team.start();
    here.start(slots, x);
    do {
        float e[PER_LANE];
        here.load(a, slots, x, (ELEMENT)-INFINITY);
        const float most = largest<ELEMENT>(a);
        const peak own = peak_of<ELEMENT>(e, a, most);
        const peak all = team.all(own, turn, merge(), here);
        const ELEMENT *const held = here.held(slots, x, target);
        const float wanted = held ? (float)*held : 0;
        back ? __syncwarp() : (void)0; /* before others write over it */
        here.fetch(slots, x);
        const int next = targets[here.following()];
        const float factor = target < 0 ? 0 : scale;
        const float by =
            factor * __fdividef(power((most - all.most) * LOG2E), all.sum);
        put_numbers<ELEMENT>(a, [&](unsigned r) { return e[r] * by; });
        const float less = wanted - all.most;
        const ELEMENT there =
            (ELEMENT)(factor * (__fdividef(power(less * LOG2E), all.sum) - 1));
        here.store(dst, a, slots, x, (ELEMENT *)held, there);
        back ? (void)0 : __syncwarp();
        if (held) { /* after the warp has stored the target's column too */
            losses[here.row] = logarithm(all.sum) * LN2 - less;
            back ? (void)0 : (void)(dst[(size_t)here.row * n + target] = there);
        } else if (target < 0 && threadIdx.x == 0 &&
                   blockIdx.x % CLUSTER_BLOCKS == 0) {
            losses[here.row] = 0;
        }
        target = next;
        ++turn;
    } while (here.next());
    here.finish();
    team.end();
}

/* Launches it for rows of n elements, which must fit the tile as in softmax_by.
 * Returns an error message, or null. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned PREFETCH>
const char *crossentropy_by(float *losses, ELEMENT *dst, const ELEMENT *x,
                            const int *targets, unsigned rows, unsigned n,
                            float scale) {
    const char *const bad = misplaced(dst, x);
    row_launch all = {rows, n};
    all.more = PREFETCH ? TMA_ROW_OFFSET : 0;
    return bad ? bad
               : launch_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, 1,
                             PREFETCH>(
                     crossentropy<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                                  true, PREFETCH>,
                     crossentropy<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                                  false, PREFETCH>,
                     all, losses, dst, x, targets, scale);
}

#ifndef LL_NO_MAIN

/* Runs rows of n logits and returns how many results are wrong. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned PREFETCH>
unsigned check(unsigned rows, unsigned n) {
    const table<ELEMENT> x(rows, n, 1, -10, 10);
    table<ELEMENT> dst(rows, n);
    table<float> losses(rows, 1);
    table<int> targets(rows, 1, 7, 0, (float)n);
    targets.host[0] = -1;
    MUST(cudaMemcpy(targets.device, targets.host.data(), 4 * rows,
                    cudaMemcpyHostToDevice));
    unsigned wrong = 0;
    MUST(crossentropy_by<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, PREFETCH>(
        losses.device, dst.device, x.device, targets.device, rows, n, 0.5f));
    dst.fetch();
    losses.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        const int target = targets.host[i];
        numbers want = softmax_by_hand(x, i, true);
        const double loss = target < 0 ? 0 : -want[target];
        wrong += !(fabs(losses.at(i, 0) - loss) < 1e-5 * (1 + loss));
        for (unsigned j = 0; j < n; ++j) {
            want[j] = target < 0 ? 0 : (exp(want[j]) - ((int)j == target)) / 2;
        }
        wrong += wrong_in_row(dst, i, want, sizeof(ELEMENT) == 4 ? 2e-6 : 5e-3,
                              1e-7);
    }
    printf("%2u bits, %u rows of %u logits, %u blocks a row: %u wrong\n",
           8 * (unsigned)sizeof(ELEMENT), rows, n, CLUSTER_BLOCKS, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 16, 2, 1, 0>(4, 1024);
    wrong += check<bf16, 16, 1, 4, 2>(19, 2035);
    wrong += check<bf16, 24, 2, 2, 1>(19, 3001);
    wrong += check<float, 8, 2, 2, 0>(3, 1003);
    wrong += check<bf16, 8, 1, 8, 3>(40, 2048);
    return verdict(wrong);
}

#endif
