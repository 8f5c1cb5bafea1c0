/* norm.hip - how does one reading of a row give the mean and the variance?
 * SPDX-License-Identifier: MIT
 *
 * A layernorm needs the mean of a row and the mean of the squared distances
 * from it; made from the sums of the elements and of their squares, the second
 * loses its digits where the first is large. Here a block has the row in
 * registers, 16 bytes to an access, and sums twice: each time a thread adds up
 * its own elements, and one LL_REDUCE adds up those of all threads. The second
 * sum costs no memory, and a trip through LDS of a few bytes. An rmsnorm needs
 * the second sum alone. Within 16 lanes an addition reads another lane itself
 * (v_add_f32_dpp), as the compiler joins it with the move of the plan.
 *
 * Build: hipcc -std=c++17 -O3 --offload-arch=gfx942 -I. \
 *            examples/kernels/rows/norm.hip
 *        nvcc -x cu -std=c++17 -O3 -arch=sm_90 -I. ..
 *        or, without a GPU, tools/emulator/emucc -W64 -DEMU_GFX=0x942 -I. ..
 */
#include "../hip.h"

/* Row number blockIdx.x of dst becomes the layernorm of that of src, or the
 * rmsnorm: (x - mean) / sqrt(variance + 1e-5) * gain + bias, or x / sqrt(mean
 * of x^2 + 1e-5) * gain. A row has n elements, whole lines of 16 bytes, at most
 * EACH of each thread; WHOLE: as many. */
template <class T, unsigned EACH, unsigned THREADS, bool LAYER, bool WHOLE>
__global__ void __launch_bounds__(THREADS)
    norm(T *dst, const T *src, const T *gain, const T *bias, unsigned n) {
    LL_LAYOUT(ROW, row_of(sizeof(T), EACH, THREADS));
    LL_LAYOUT(SUMS, row_of(4, 1, THREADS));
    LL_REDUCE_PLAN(ALL, SUMS, LL_J, 32, TARGET);
    __shared__ ALIGNED unsigned char smem[2][LL_SMEM_BYTES(ALL)];
    const size_t at = (size_t)blockIdx.x * n;
    const unsigned cols = WHOLE ? EACH * THREADS : n;
    const float part = 1.0f / (float)cols;
    float x[EACH], own[1] = {0}, sum[1], mean = 0;
    T a[EACH], g[EACH], b[EACH];
    LL_LOAD(a, ROW, src + at, 0, 1, cols);
    LL_LOAD(g, ROW, gain, 0, 1, cols);
    LAYER ? LL_LOAD(b, ROW, bias, 0, 1, cols) : (void)0;
    const float from = LAYER ? (float)src[at] : 0; /* sums are small then */
    LL_EACH(r, ROW) {
        x[r] = WHOLE || LL_AT(ROW, LL_J, r) < n ? (float)a[r] - from : 0;
        own[0] += x[r];
    }
    if (LAYER) {
        LL_REDUCE(sum, own, ALL, smem[0], ll_add());
        mean = sum[0] * part;
    }
    own[0] = 0;
    LL_EACH(r, ROW) {
        x[r] = WHOLE || LL_AT(ROW, LL_J, r) < n ? x[r] - mean : 0;
        own[0] += x[r] * x[r];
    }
    LL_REDUCE(sum, own, ALL, smem[1], ll_add());
    const float by = inverse_root(sum[0] * part + 1e-5f);
    LL_EACH(r, ROW) {
        a[r] = (T)(x[r] * by * (float)g[r] + (LAYER ? (float)b[r] : 0));
    }
    LL_STORE(a, ROW, dst + at, 0, 1, cols);
}

#ifndef LL_NO_MAIN

/* Runs rows of n elements and returns how many are wrong. */
template <class T, unsigned EACH, unsigned THREADS, bool LAYER>
unsigned check(unsigned rows, unsigned n) {
    const table<T> src(rows, n, 1, 40, 42), gain(1, n, 2, -1, 1);
    const table<T> bias(1, n, 3, -1, 1);
    table<T> dst(rows, n);
    if (n == EACH * THREADS) {
        norm<T, EACH, THREADS, LAYER, true><<<rows, THREADS>>>(
            dst.device, src.device, gain.device, bias.device, n);
    } else {
        norm<T, EACH, THREADS, LAYER, false><<<rows, THREADS>>>(
            dst.device, src.device, gain.device, bias.device, n);
    }
    MUST(cudaGetLastError());
    dst.fetch();
    return wrong_norms(dst, src, gain, bias, LAYER, 1);
}

int main(void) {
    unsigned wrong = check<float, 4, 256, false>(3, 1024);
    wrong += check<float, 8, 256, true>(3, 2000);
    wrong += check<bf16, 16, 256, false>(2, 4096);
    wrong += check<f16, 16, 512, true>(2, 8184);
    return verdict(wrong + check<bf16, 32, 512, true>(1, 16384));
}

#endif
