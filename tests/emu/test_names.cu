/* test_names.cu - what LL_MMA takes from the name of an instruction, against a
 * table made by hand from the manual (PTX, "mma" and "Block scaling for
 * mma.sync"), and products by layout of one fragment against their instruction.
 * SPDX-License-Identifier: MIT
 */
#define LL_TENSOR
#include <cuda_runtime.h>
#include "../../ll_ptx.h"
#include <stdio.h>

static int passed, failed;

static void check(bool right, const char *name, int line) {
    if (right) {
        ++passed;
    } else {
        ++failed;
        printf("FAIL %s, line %d\n", name, line);
    }
}

/* m, k, the bits of an element of A, and the first digit of the type of the
 * sums, or s; the scales along k of what has some, else 0. */
static const struct {
    const char *name;
    unsigned m, k, bits;
    char sums;
    unsigned scales;
} ALL[] = {
    {"ll_ptx_mma_m8n8k4_f64_f64", 8, 4, 64, '6', 0},
    {"ll_ptx_mma_m16n8k16_f64_f64", 16, 16, 64, '6', 0},
    {"ll_ptx_mma_m16n8k8_f16_f16", 16, 8, 16, '1', 0},
    {"ll_ptx_mma_m16n8k16_f32_f16", 16, 16, 16, '3', 0},
    {"ll_ptx_mma_m16n8k16_f32_bf16", 16, 16, 16, '3', 0},
    {"ll_ptx_mma_m16n8k4_f32_tf32", 16, 4, 32, '3', 0},
    {"ll_ptx_mma_m16n8k8_f32_tf32", 16, 8, 32, '3', 0},
    {"ll_ptx_mma_m8n8k16_s32_s8", 8, 16, 8, 's', 0},
    {"ll_ptx_mma_m16n8k32_s32_u8_s8", 16, 32, 8, 's', 0},
    {"ll_ptx_mma_m8n8k32_s32_s4", 8, 32, 4, 's', 0},
    {"ll_ptx_mma_m16n8k64_s32_u4", 16, 64, 4, 's', 0},
    {"ll_ptx_mma_m8n8k128_s32_b1_xor_popc", 8, 128, 1, 's', 0},
    {"ll_ptx_mma_m16n8k256_s32_b1_and_popc", 16, 256, 1, 's', 0},
    {"ll_ptx_mma_m16n8k32_f32_e4m3", 16, 32, 8, '3', 0},
    {"ll_ptx_mma_m16n8k32_f16_e5m2", 16, 32, 8, '1', 0},
    {"ll_ptx_mma_m16n8k16_f32_e5m2_e4m3", 16, 16, 8, '3', 0},
    {"ll_ptx_mma_m16n8k32_f32_e2m1_f8f6f4", 16, 32, 8, '3', 0},
    {"ll_ptx_mma_m16n8k32_f16_e2m3_f8f6f4", 16, 32, 8, '1', 0},
    {"ll_ptx_mma_m16n8k32_f32_e3m2_e4m3_f8f6f4", 16, 32, 8, '3', 0},
    {"ll_ptx_mma_m16n8k32_f32_e4m3_mxf8f6f4", 16, 32, 8, '3', 1},
    {"ll_ptx_mma_m16n8k32_f32_e2m1_e3m2_mxf8f6f4", 16, 32, 8, '3', 1},
    {"ll_ptx_mma_m16n8k64_f32_e2m1_mxf4", 16, 64, 4, '3', 2},
    {"ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_2x", 16, 64, 4, '3', 2},
    {"ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_4x", 16, 64, 4, '3', 4},
    {"ll_ptx_mma_sp_m16n8k8_f32_tf32", 16, 8, 32, '3', 0},
    {"ll_ptx_mma_sp_m16n8k32_f16_f16", 16, 32, 16, '1', 0},
    {"ll_ptx_mma_sp_m16n8k64_s32_u8", 16, 64, 8, 's', 0},
    {"ll_ptx_mma_sp_m16n8k128_s32_s4_u4", 16, 128, 4, 's', 0},
    {"ll_ptx_mma_sp_m16n8k64_f32_e5m2", 16, 64, 8, '3', 0},
    {"ll_ptx_mma_sp_m16n8k64_f32_e4m3_mxf8f6f4", 16, 64, 8, '3', 1},
    {"ll_ptx_mma_sp_m16n8k128_f32_e2m1_mxf4", 16, 128, 4, '3', 2},
    {"ll_ptx_mma_sp_m16n8k128_f32_e2m1_mxf4nvf4_4x", 16, 128, 4, '3', 4},
};

static void names_say_what_they_are() {
    for (const auto &x : ALL) {
        const unsigned long long facts = ll_ptx_facts_(x.name);
        check(ll_ptx_shape_(x.name, 'm') == x.m, x.name, __LINE__);
        check(ll_ptx_shape_(x.name, 'k') == x.k, x.name, __LINE__);
        check(ll_ptx_operand_bits_(x.name) == x.bits, x.name, __LINE__);
        check(ll_ptx_sums_(x.name) == x.sums, x.name, __LINE__);
        check(!x.scales || ll_ptx_scales_(x.name) == x.scales, x.name,
              __LINE__);
        check((facts & 255) == x.m && (facts >> 8 & 4095) == x.k &&
                  (facts >> 20 & 255) == x.bits &&
                  (!x.scales || (facts >> 28 & 15) == x.scales) &&
                  (facts >> 32 & 255) == (unsigned char)x.sums,
              x.name, __LINE__);
    }
    /* what is no name of a product says so */
    for (const char *other : {"", "k", "f", "ll_ptx_mma", "mma_m16", "f8", "e",
                              "ll_ptx_ldmatrix_x4", "m16n8k16", "x"}) {
        check(!ll_ptx_shape_(other, 'm') || !ll_ptx_shape_(other, 'k') ||
                  !ll_ptx_operand_bits_(other),
              other, __LINE__);
    }
}

/* ---- One product by layout is its instruction ---------------------------- */

LL_LAYOUT(C16, ll_ptx_fragment_c(16, 8));
LL_LAYOUT(C8, ll_ptx_fragment_c(8, 8));
LL_LAYOUT(A64, ll_ptx_fragment_a(16, 8, 64));
LL_LAYOUT(B64, ll_ptx_fragment_b(8, 8, 64));
LL_LAYOUT(A16, ll_ptx_fragment_a(16, 16, 16));
LL_LAYOUT(B16, ll_ptx_fragment_b(16, 8, 16));
LL_LAYOUT(A8, ll_ptx_fragment_a(16, 32, 8));
LL_LAYOUT(B8, ll_ptx_fragment_b(32, 8, 8));
LL_LAYOUT(A4, ll_ptx_fragment_a(16, 64, 4));
LL_LAYOUT(B4, ll_ptx_fragment_b(64, 8, 4));
LL_LAYOUT(A1, ll_ptx_fragment_a(8, 128, 1));
LL_LAYOUT(B1, ll_ptx_fragment_b(128, 8, 1));
LL_LAYOUT(LONG16, ll_ptx_fragment_b(32, 8, 16));
LL_LAYOUT(LONG8, ll_ptx_fragment_b(64, 8, 8));
LL_LAYOUT(LONG4, ll_ptx_fragment_b(128, 8, 4));
LL_LAYOUT(E16, ll_ptx_sparse_e(32, 16));
LL_LAYOUT(E8, ll_ptx_sparse_e(64, 8));
LL_LAYOUT(E4, ll_ptx_sparse_e(128, 4));
LL_LAYOUT(SA1, ll_ptx_scale_a(1));
LL_LAYOUT(SB1, ll_ptx_scale_b(1));
LL_LAYOUT(SA2, ll_ptx_scale_a(2));
LL_LAYOUT(SB2, ll_ptx_scale_b(2));
LL_LAYOUT(SA4, ll_ptx_scale_a(4));
LL_LAYOUT(SB4, ll_ptx_scale_b(4));

/* Words of a thread at random. Metadata keep elements 0 and 1 of each four. */
template <class T, unsigned N> __device__ void fill(T (&a)[N], unsigned seed) {
    for (unsigned k = 0; k < N; ++k) {
        seed = (seed + k + threadIdx.x) * 2654435761u;
        a[k] = (T)(seed >> 7);
    }
}

/* Both take the same words, `by_layout` for c and `itself` for d. */
#define ONE(number, T, n_c, W, n_a, n_b, by_layout, itself)                  \
    __global__ void one_##number(unsigned *equal) {                          \
        T c[n_c], d[n_c];                                                    \
        W a[n_a], b[n_b];                                                    \
        unsigned e[1] = {0x44444444u}, sa[1], sb[1];                         \
        fill(a, 3), fill(b, 5), fill(c, 7), fill(d, 7);                      \
        fill(sa, 11), fill(sb, 13);                                          \
        by_layout;                                                           \
        itself;                                                              \
        equal[threadIdx.x] = e[0] && (sa[0] || sb[0]);                       \
        for (unsigned k = 0; k < n_c; ++k) {                                 \
            equal[threadIdx.x] &=                                            \
                c[k] == d[k] || (c[k] != c[k] && d[k] != d[k]);              \
        }                                                                    \
    }                                                                        \
    static void run_##number(unsigned *equal) {                              \
        unsigned all[32], both = 1;                                          \
        emu_reset();                                                         \
        LL_LAUNCH(one_##number, 1, 32, 0, equal);                            \
        cudaMemcpy(all, equal, sizeof all, cudaMemcpyDeviceToHost);          \
        for (unsigned lane = 0; lane < 32; ++lane) {                         \
            both &= all[lane];                                               \
        }                                                                    \
        check(both, #by_layout, __LINE__);                                   \
        check(emu_stat("mma") == 2 && emu_error_count() == 0, #by_layout,    \
              __LINE__);                                                     \
    }

ONE(0, double, 4, double, 4, 2,
    LL_MMA(c, C16, a, A64, b, B64, 64, ll_ptx_mma_m16n8k8_f64_f64),
    ll_ptx_mma_m16n8k8_f64_f64(d, a, b))
ONE(1, unsigned, 2, unsigned, 4, 2,
    LL_MMA(c, C16, a, A16, b, B16, 16, ll_ptx_mma_m16n8k16_f16_f16),
    ll_ptx_mma_m16n8k16_f16_f16(d, a, b))
ONE(2, float, 4, unsigned, 4, 2,
    LL_MMA(c, C16, a, A8, b, B8, 8, ll_ptx_mma_m16n8k32_f32_e3m2_e4m3_f8f6f4),
    ll_ptx_mma_m16n8k32_f32_e3m2_e4m3_f8f6f4(d, a, b))
ONE(3, int, 4, unsigned, 4, 2,
    LL_MMA(c, C16, a, A4, b, B4, 4, ll_ptx_mma_m16n8k64_s32_s4_u4),
    ll_ptx_mma_m16n8k64_s32_s4_u4(d, a, b))
ONE(4, int, 2, unsigned, 1, 1,
    LL_MMA(c, C8, a, A1, b, B1, 1, ll_ptx_mma_m8n8k128_s32_b1_xor_popc),
    ll_ptx_mma_m8n8k128_s32_b1_xor_popc(d, a, b))
ONE(5, unsigned, 2, unsigned, 4, 4,
    LL_MMA(c, C16, a, A16, b, LONG16, 16, ll_ptx_mma_sp_m16n8k32_f16_f16, e,
           E16),
    (ll_ptx_mma_sp_m16n8k32_f16_f16<0>(d, a, b, e[0])))
ONE(6, int, 4, unsigned, 4, 4,
    LL_MMA(c, C16, a, A4, b, LONG4, 4, ll_ptx_mma_sp_m16n8k128_s32_u4, e, E4),
    (ll_ptx_mma_sp_m16n8k128_s32_u4<0>(d, a, b, e[0])))
ONE(7, float, 4, unsigned, 4, 2,
    LL_MMA(c, C16, a, A8, b, B8, 8, ll_ptx_mma_m16n8k32_f32_e2m3_mxf8f6f4, sa,
           SA1, sb, SB1),
    (ll_ptx_mma_m16n8k32_f32_e2m3_mxf8f6f4<0, 0, 0, 0>(d, a, b, sa[0], sb[0])))
ONE(8, float, 4, unsigned, 4, 2,
    LL_MMA(c, C16, a, A4, b, B4, 4, ll_ptx_mma_m16n8k64_f32_e2m1_mxf4, sa, SA2,
           sb, SB2),
    (ll_ptx_mma_m16n8k64_f32_e2m1_mxf4<0, 0, 0, 0>(d, a, b, sa[0], sb[0])))
ONE(9, float, 4, unsigned, 4, 2,
    LL_MMA(c, C16, a, A4, b, B4, 4, ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_4x,
           sa, SA4, sb, SB4),
    (ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_4x<0, 0>(d, a, b, sa[0], sb[0])))
ONE(10, float, 4, unsigned, 4, 4,
    LL_MMA(c, C16, a, A8, b, LONG8, 8,
           ll_ptx_mma_sp_m16n8k64_f32_e5m2_mxf8f6f4, e, E8, sa, SA1, sb, SB1),
    (ll_ptx_mma_sp_m16n8k64_f32_e5m2_mxf8f6f4<0, 0, 0, 0>(d, a, b, e[0], sa[0],
                                                           sb[0])))

int main() {
    unsigned *equal = nullptr;
    cudaMalloc((void **)&equal, 32 * sizeof *equal);
    names_say_what_they_are();
    run_0(equal), run_1(equal), run_2(equal), run_3(equal), run_4(equal);
    run_5(equal), run_6(equal), run_7(equal), run_8(equal), run_9(equal);
    run_10(equal);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
