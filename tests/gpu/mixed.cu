/* mixed.cu - a product of mixed precision: A of signed bytes with a scale for
 * each 32 of them along k, B and the result of floats, on the GPU or on the
 * emulator, against the plain sum on the host.
 *
 * What an instruction multiplies is registers: it takes a register of A for the
 * element that the operand's layout says. Here shared memory stands for the
 * instruction: each register is put where its operand's layout wants it,
 * whatever was loaded into it, and each thread sums a part of the result.
 * SPDX-License-Identifier: MIT
 */
#include "ll_ptx.h"
#include "verdict.h"
#include <string.h>

enum { M = 64, N = 16, K = 128, GROUP = 32 };

/* The operands; k in the order in which a lane of A holds 16 bytes of a row;
 * the scales for A as it is loaded, and the one of each register. */
LL_LAYOUT(A, ll_ptx_mma_a(M, K, 16, 4));
LL_LAYOUT(B, ll_ptx_mma_b(K, N, 16, 4));
LL_LAYOUT(C, ll_ptx_mma_c(M, N, 4));
LL_LAYOUT(SHUFFLE, ll_preshuffle(LL_GET(A), LL_J, 16));
LL_LAYOUT(A_LOADED, ll_renumber(LL_GET(A), LL_J, LL_GET(SHUFFLE)));
LL_LAYOUT(B_LOADED, ll_renumber(LL_GET(B), LL_I, LL_GET(SHUFFLE)));
LL_LAYOUT(SCALES, ll_scales_of(LL_GET(A_LOADED), LL_J, GROUP));
LL_LAYOUT(EACH, ll_scales_each(LL_GET(A_LOADED), LL_J, GROUP));
LL_PLAN(SPREAD, SCALES, EACH, 32, LL_SM90);
LL_EXPECT_KIND(SPREAD, LL_REGISTERS);
LL_EXPECT_VECTOR(A_LOADED, 16);
LL_LAYOUT(B_COLUMNS, ll_trans(LL_GET(B_LOADED), "j i"));
LL_EXPECT_VECTOR(B_COLUMNS, 8);
/* The same without a shuffle: pairs of bytes. */
LL_LAYOUT(SCALES_PLAIN, ll_scales_of(LL_GET(A), LL_J, GROUP));
LL_LAYOUT(EACH_PLAIN, ll_scales_each(LL_GET(A), LL_J, GROUP));
LL_PLAN(SPREAD_PLAIN, SCALES_PLAIN, EACH_PLAIN, 32, LL_SM90);
LL_LAYOUT(B_PLAIN, ll_trans(LL_GET(B), "j i"));

/* A [M][K], its scales [M][K / GROUP], B by columns [N][K], the result [M][N].
 */
template <class ROWS, class COLUMNS, class S, class E, class P>
__global__ void product(float *c, const signed char *a, const float *scale,
                        const float *b) {
    __shared__ float left[M][K], right[K][N];
    signed char ra[LL_REGS(A)];
    float rs[LL_REGS(S)], re[LL_REGS(E)], rb[LL_REGS(B)], rc[LL_REGS(C)];
    LL_LOAD(ra, ROWS, a, K);
    LL_LOAD(rs, S, scale, K / GROUP);
    LL_LOAD(rb, COLUMNS, b, K);
    LL_CONVERT(re, rs, P, left);
    LL_EACH(r, A) {
        left[LL_AT(A, LL_I, r)][LL_AT(A, LL_J, r)] = (float)ra[r] * re[r];
    }
    if (threadIdx.x < 32) { /* the other warps hold copies */
        LL_EACH(r, B) { right[LL_AT(B, LL_I, r)][LL_AT(B, LL_J, r)] = rb[r]; }
    }
    __syncthreads();
    LL_EACH(r, C) {
        rc[r] = 0;
        for (unsigned k = 0; k < K; ++k) {
            rc[r] += left[LL_AT(C, LL_I, r)][k] * right[k][LL_AT(C, LL_J, r)];
        }
    }
    LL_STORE(rc, C, c, N);
}

struct data {
    signed char a[M][K];
    float scale[M][K / GROUP], b[N][K], c[M][N];
};

/* Small whole numbers and powers of two: every sum is exact, in any order. */
static void make(data *d) {
    randomise(d->a, sizeof d->a, 1);
    unsigned char bytes[M * K];
    randomise(bytes, sizeof bytes, 2);
    for (unsigned k = 0; k < M * K / GROUP; ++k) {
        (&d->scale[0][0])[k] = (float)(1u << bytes[k] % 4u) / 2.0f;
    }
    for (unsigned k = 0; k < N * K; ++k) {
        (&d->b[0][0])[k] = (float)((int)(bytes[k] % 15u) - 7);
    }
}

static unsigned wrong(const data *d) {
    unsigned bad = 0;
    for (unsigned i = 0; i < M; ++i) {
        for (unsigned j = 0; j < N; ++j) {
            float sum = 0;
            for (unsigned k = 0; k < K; ++k) {
                sum += (float)d->a[i][k] * d->scale[i][k / GROUP] * d->b[j][k];
            }
            bad += sum != d->c[i][j];
        }
    }
    return bad;
}

template <class ROWS, class COLUMNS, class S, class E, class P>
void check(const char *what) {
    static data d;
    data *on;
    make(&d);
    MUST(cudaMalloc((void **)&on, sizeof d));
    MUST(cudaMemcpy(on, &d, sizeof d, cudaMemcpyHostToDevice));
    product<ROWS, COLUMNS, S, E, P><<<1, LL_THREADS(A)>>>(
        &on->c[0][0], &on->a[0][0], &on->scale[0][0], &on->b[0][0]);
    MUST(cudaDeviceSynchronize());
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(&d, on, sizeof d, cudaMemcpyDeviceToHost));
    unsigned bad = wrong(&d);
    printf("%s: %u bytes of A, %u of B in one access\n", what,
           LL_VECTOR(ROWS, signed char), 4u * LL_VECTOR(COLUMNS, float));
    verdict(bad, "%s", what);
    MUST(cudaFree(on));
}

int main(void) {
    check<A, B_PLAIN, SCALES_PLAIN, EACH_PLAIN, SPREAD_PLAIN>("as it is");
    check<A_LOADED, B_COLUMNS, SCALES, EACH, SPREAD>("k shuffled");
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
