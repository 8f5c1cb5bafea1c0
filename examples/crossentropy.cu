/* crossentropy.cu - a loss and its gradient from one reading of the logits?
 * SPDX-License-Identifier: MIT
 *
 * The loss of a row is log(sum of exp(x)) - x[target], and its gradient
 * softmax(x) - 1 at the target. With the row in the registers of a cluster, as
 * in softmax.cu, both come from one reading, for vocabularies of 256k and more;
 * the gradient may even replace the logits. Rows whose target is negative are
 * left out: their loss and gradient are 0.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/crossentropy.cu -o loss
 *        or, without a GPU, tests/emu/emucc -I. examples/crossentropy.cu -o ..
 */
#include "rows.h"

/* losses, one a row of x, rows x n; GRADIENT also makes dst, rows x n, the
 * gradient times `scale`. dst may be x. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS, bool WHOLE,
          unsigned AHEAD, bool GRADIENT>
__global__ void __launch_bounds__(32 * WARPS,
                                  resident(EACH * (GRADIENT ? 4 : 2), WARPS,
                                           AHEAD))
    crossentropy(float *losses, T *dst, const T *x, const int *targets,
                 unsigned rows, unsigned n, float scale, unsigned *count) {
    LL_LAYOUT(PART, row_of(16 / sizeof(T), EACH, WARPS, 1, 1));
    __shared__ team_of<peak, WARPS, BLOCKS, 1> team;
    extern __shared__ __align__(16) unsigned char slots[];
    rows_of<T, PART, BLOCKS, WHOLE, AHEAD> here(rows, n, count);
    unsigned a[here.words], turn = 0;
    int target = targets[here.row];
    team.start();
    here.start(slots, x);
    do {
        float e[EACH];
        here.load(a, slots, x, (T)-INFINITY);
        const float most = largest<T>(a);
        const peak own = peak_of<T>(e, a, most);
        const peak all = team.all(own, turn, merge(), here);
        const bool first = threadIdx.x == 0 && blockIdx.x % BLOCKS == 0;
        const T *wanted = AHEAD      ? here.held(slots, target)
                          : !first   ? nullptr
                          : target < 0 ? nullptr
                                     : x + (size_t)here.row * n + target;
        if (wanted) {
            losses[here.row] =
                all.most + logarithm(all.sum) * LN2 - (float)*wanted;
        } else if (first && target < 0) {
            losses[here.row] = 0;
        }
        here.fetch(slots, x);
        const int next = targets[here.following()];
        if constexpr (GRADIENT) {
            const float factor = target < 0 ? 0 : scale;
            const float by = factor * __fdividef(
                power((most - all.most) * LOG2E), all.sum);
            put_numbers<T>(a, [&](unsigned r) {
                const float y = e[r] * by;
                return here.column(r) == target ? y - factor : y;
            });
            here.store(dst, a);
        }
        target = next;
        ++turn;
    } while (here.next());
    here.finish();
    team.end();
}

/* Rows of n elements; n, and what a row may start late, at most the tile.
 * Returns null, or a sentence. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned AHEAD, bool GRADIENT>
const char *crossentropy_by(float *losses, T *dst, const T *x,
                            const int *targets, unsigned rows, unsigned n,
                            float scale) {
    constexpr unsigned tile = EACH * WARPS * 32 * BLOCKS;
    unsigned *count = nullptr;
    const char *bad = misfit(rows, n, tile, 16 / sizeof(T));
    bad = bad ? bad : counter(&count, AHEAD, n);
    if (bad) {
        return bad;
    }
    return launch_with(
        ring(EACH * sizeof(T), WARPS, AHEAD), AHEAD != 0,
        n == tile
            ? crossentropy<T, EACH, WARPS, BLOCKS, true, AHEAD, GRADIENT>
            : crossentropy<T, EACH, WARPS, BLOCKS, false, AHEAD, GRADIENT>,
        rows * BLOCKS, 32 * WARPS, BLOCKS, losses, dst, x, targets, rows, n,
        scale, count);
}

#ifndef LL_NO_MAIN

/* Runs rows of n logits and returns how many results are wrong. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned AHEAD>
unsigned check(unsigned rows, unsigned n) {
    const table<T> x(rows, n, 1, -10, 10);
    table<T> dst(rows, n);
    table<float> losses(rows, 1), again(rows, 1);
    table<int> targets(rows, 1, 7, 0, (float)n);
    targets.host[0] = -1;
    MUST(cudaMemcpy(targets.device, targets.host.data(), 4 * rows,
                    cudaMemcpyHostToDevice));
    unsigned wrong = 0;
    MUST(crossentropy_by<T, EACH, WARPS, BLOCKS, AHEAD, true>(
        losses.device, dst.device, x.device, targets.device, rows, n, 0.5f));
    MUST(crossentropy_by<T, EACH, WARPS, BLOCKS, AHEAD, false>(
        again.device, (T *)nullptr, x.device, targets.device, rows, n, 0.5f));
    dst.fetch();
    losses.fetch();
    again.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        const int target = targets.host[i];
        numbers want = softmax_by_hand(x, i, true);
        const double loss = target < 0 ? 0 : -want[target];
        wrong += !(fabs(losses.at(i, 0) - loss) < 1e-5 * (1 + loss));
        wrong += again.at(i, 0) != losses.at(i, 0);
        for (unsigned j = 0; j < n; ++j) {
            want[j] = target < 0 ? 0 : (exp(want[j]) - ((int)j == target)) / 2;
        }
        wrong += wrong_in_row(dst, i, want, sizeof(T) == 4 ? 2e-6 : 5e-3, 1e-7);
    }
    printf("%2u bits, %u rows of %u logits, %u blocks a row: %u wrong\n",
           8 * (unsigned)sizeof(T), rows, n, BLOCKS, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 16, 2, 1, 0>(4, 1024);
    wrong += check<bf16, 16, 1, 4, 2>(19, 2035);
    wrong += check<float, 8, 2, 2, 0>(3, 1003);
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}

#endif
