/* crossentropy.cu - a loss and its gradient from one reading of the logits?
 * SPDX-License-Identifier: MIT
 *
 * The loss of a row is log(sum of exp(x)) - x[target], and its gradient
 * softmax(x) - 1 at the target. With the row in the registers of a cluster, as
 * in softmax.cu, both come from one reading, for vocabularies of 256k and more;
 * the gradient may even replace the logits. The loss alone keeps nothing: each
 * lane combines the pairs of its elements from part to part, and a block waits
 * for nobody until the row ends. Rows whose target is negative are left out:
 * their loss and gradient are 0.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/crossentropy.cu -o loss
 *        or, without a GPU, tests/emu/emucc -I. examples/crossentropy.cu -o ..
 */
#include "rows.h"

/* losses, one a row of x, rows x n. A block has a row, EACH elements of a lane
 * at a time: they need not stay. */
template <class T, unsigned EACH, unsigned WARPS>
__global__ void __launch_bounds__(32 * WARPS)
    loss(float *losses, const T *x, const int *targets, unsigned rows,
         unsigned n) {
    LL_LAYOUT(PART, row_of(16 / sizeof(T), EACH, WARPS, 1, 1));
    __shared__ team_of<peak, WARPS, 1, 1> team;
    rows_of<T, PART, 1, false, 0> here(rows, n);
    const int target = targets[here.row];
    const float wanted =
        target < 0 ? 0 : (float)x[(size_t)here.row * n + target];
    unsigned a[here.words], b[here.words];
    peak all = {-2.3e38f, 0};
    here.load(a, nullptr, x, (T)-INFINITY);
    for (int j = -here.early; j < (int)n; j += here.part) {
        float e[EACH];
        here.skip();
        here.load(b, nullptr, x, (T)-INFINITY);
        const peak own = peak_of<T>(e, a, largest<T>(a));
        all = merge()(all, own);
        memcpy(a, b, sizeof a);
    }
    all = team.all(all, 0, merge());
    if (threadIdx.x == 0) {
        losses[here.row] =
            target < 0 ? 0 : all.most + logarithm(all.sum) * LN2 - wanted;
    }
}

/* The same, and dst, rows x n, becomes the gradient times `scale`. The row
 * stays in registers, and dst may be x. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS, bool WHOLE,
          unsigned AHEAD>
__global__ void __launch_bounds__(32 * WARPS, resident(EACH * 4, WARPS, AHEAD))
    crossentropy(unsigned rows, unsigned n, unsigned *count, float *losses,
                 T *dst, const T *x, const int *targets, float scale) {
    LL_LAYOUT(PART, row_of(16 / sizeof(T), power_from(EACH), WARPS, 1, 1));
    __shared__ team_of<peak, WARPS, BLOCKS, 1> team;
    extern __shared__ __align__(16) unsigned char slots[];
    constexpr unsigned some = EACH == power_from(EACH) ? 0 : EACH;
    rows_of<T, PART, BLOCKS, WHOLE, AHEAD, false, some> here(rows, n, count);
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
        const T *const held = here.held(slots, x, target);
        const float wanted = held ? (float)*held : 0;
        here.fetch(slots, x);
        const int next = targets[here.following()];
        const float factor = target < 0 ? 0 : scale;
        const float by =
            factor * __fdividef(power((most - all.most) * LOG2E), all.sum);
        put_numbers<T>(a, [&](unsigned r) { return e[r] * by; });
        here.store(dst, a);
        __syncwarp();
        if (held) { /* after the warp has stored the target's column too */
            const float less = wanted - all.most;
            losses[here.row] = logarithm(all.sum) * LN2 - less;
            dst[(size_t)here.row * n + target] = (T)(
                factor * (__fdividef(power(less * LOG2E), all.sum) - 1));
        } else if (target < 0 && threadIdx.x == 0 && blockIdx.x % BLOCKS == 0) {
            losses[here.row] = 0;
        }
        target = next;
        ++turn;
    } while (here.next());
    here.finish();
    team.end();
}

/* The losses of rows of any length. Returns null, or a sentence. */
template <class T, unsigned EACH, unsigned WARPS>
const char *loss_by(float *losses, const T *x, const int *targets,
                    unsigned rows, unsigned n) {
    const char *const bad = misfit(rows, n, 1u << 30, 16 / sizeof(T));
    return bad ? bad
               : launch(loss<T, EACH, WARPS>, rows, 32 * WARPS, 1, losses, x,
                        targets, rows, n);
}

/* Losses and gradients of rows of n elements; n, and what a row may start late,
 * at most the tile. Returns null, or a sentence. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned AHEAD>
const char *crossentropy_by(float *losses, T *dst, const T *x,
                            const int *targets, unsigned rows, unsigned n,
                            float scale) {
    return launch_rows<T, EACH, WARPS, BLOCKS, 1, AHEAD>(
        crossentropy<T, EACH, WARPS, BLOCKS, true, AHEAD>,
        crossentropy<T, EACH, WARPS, BLOCKS, false, AHEAD>, {rows, n}, losses,
        dst, x, targets, scale);
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
    MUST(crossentropy_by<T, EACH, WARPS, BLOCKS, AHEAD>(
        losses.device, dst.device, x.device, targets.device, rows, n, 0.5f));
    MUST(loss_by<T, power_from(EACH), WARPS>(again.device, x.device,
                                             targets.device, rows, n));
    dst.fetch();
    losses.fetch();
    again.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        const int target = targets.host[i];
        numbers want = softmax_by_hand(x, i, true);
        const double loss = target < 0 ? 0 : -want[target];
        wrong += !(fabs(losses.at(i, 0) - loss) < 1e-5 * (1 + loss));
        wrong += !(fabs(again.at(i, 0) - loss) < 1e-5 * (1 + loss));
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
    wrong += check<bf16, 24, 2, 2, 1>(19, 3001);
    wrong += check<float, 8, 2, 2, 0>(3, 1003);
    return verdict(wrong);
}

#endif
