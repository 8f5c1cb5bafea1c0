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

/* losses, one a row of x, rows x n; dst becomes the gradient times `scale`, and
 * may be x, as the row stays in registers. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS, bool WHOLE,
          unsigned AHEAD>
__global__ void __launch_bounds__(32 * WARPS, resident(EACH * 4, WARPS, AHEAD))
    crossentropy(unsigned rows, unsigned n, unsigned *count, float *losses,
                 T *dst, const T *x, const int *targets, float scale) {
    LL_LAYOUT(PART, row_of(16 / sizeof(T), power_from(EACH), WARPS, 1, 1));
    __shared__ team_of<peak, WARPS, BLOCKS, 1> team;
    extern __shared__ __align__(128) unsigned char lines[];
    unsigned char *const slots = lines + (AHEAD ? OFF_LINE : 0);
    constexpr unsigned some = EACH == power_from(EACH) ? 0 : EACH;
    constexpr bool back = WHOLE && AHEAD > 2 && BLOCKS > 4; /* faster there */
    rows_of<T, PART, BLOCKS, WHOLE, AHEAD, false, some, back>
        here(rows, n, count);
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
        back ? __syncwarp() : (void)0; /* before others write over it */
        here.fetch(slots, x);
        const int next = targets[here.following()];
        const float factor = target < 0 ? 0 : scale;
        const float by =
            factor * __fdividef(power((most - all.most) * LOG2E), all.sum);
        put_numbers<T>(a, [&](unsigned r) { return e[r] * by; });
        const float less = wanted - all.most;
        const T there = (T)(
            factor * (__fdividef(power(less * LOG2E), all.sum) - 1));
        here.store(dst, a, slots, x, (T *)held, there);
        back ? (void)0 : __syncwarp();
        if (held) { /* after the warp has stored the target's column too */
            losses[here.row] = logarithm(all.sum) * LN2 - less;
            back ? (void)0 : (void)(dst[(size_t)here.row * n + target] = there);
        } else if (target < 0 && threadIdx.x == 0 && blockIdx.x % BLOCKS == 0) {
            losses[here.row] = 0;
        }
        target = next;
        ++turn;
    } while (here.next());
    here.finish();
    team.end();
}

/* Losses and gradients of rows of n elements; n, and what a row may start late,
 * at most the tile. Returns null, or a sentence. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned AHEAD>
const char *crossentropy_by(float *losses, T *dst, const T *x,
                            const int *targets, unsigned rows, unsigned n,
                            float scale) {
    const char *const bad = misplaced(dst, x);
    rows_to_do all = {rows, n};
    all.more = AHEAD ? OFF_LINE : 0;
    return bad ? bad : launch_rows<T, EACH, WARPS, BLOCKS, 1, AHEAD>(
        crossentropy<T, EACH, WARPS, BLOCKS, true, AHEAD>,
        crossentropy<T, EACH, WARPS, BLOCKS, false, AHEAD>, all, losses, dst, x,
        targets, scale);
}

#ifndef LL_NO_MAIN

/* Runs rows of n logits and returns how many results are wrong. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned AHEAD>
unsigned check(unsigned rows, unsigned n) {
    const table<T> x(rows, n, 1, -10, 10);
    table<T> dst(rows, n);
    table<float> losses(rows, 1);
    table<int> targets(rows, 1, 7, 0, (float)n);
    targets.host[0] = -1;
    MUST(cudaMemcpy(targets.device, targets.host.data(), 4 * rows,
                    cudaMemcpyHostToDevice));
    unsigned wrong = 0;
    MUST(crossentropy_by<T, EACH, WARPS, BLOCKS, AHEAD>(
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
    wrong += check<bf16, 8, 1, 8, 3>(40, 2048);
    return verdict(wrong);
}

#endif
