/* matmul.hip - how do the matrix units of AMD's GPUs get their operands, from
 * one source?
 * SPDX-License-Identifier: MIT
 *
 * D = A B, f16 in, f32 out. Each generation expects the operands in different
 * registers. Along k, a lane holds 4 adjacent elements on gfx908 to gfx942, 8
 * on gfx950, all 16 on gfx11 (with copies in the other half of the lanes) and
 * two groups of 4 on gfx12. A table below states this in a few lines: the
 * layouts of A, B and D for one instruction, and its name. The rest follows:
 *   - A block loads tiles of A and B with 16 bytes per lane. The tiles of the
 *     next step are loaded while those of this step are multiplied.
 *   - Two plans convert them to the operands through LDS. The program compiles
 *     only if they have no bank conflicts. B is transposed on the way, since k
 *     runs down its columns; each lane loads pairs of rows.
 *   - The instruction multiplies the registers, tile by tile.
 *   - D is stored from the registers of the result, in runs of 64 or 128 bytes.
 *
 * Build: hipcc -O3 --offload-arch=gfx942 -I. \
 *            examples/kernels/matmul/matmul.hip -o matmul
 *        or, without a GPU, tools/emulator/emucc -W64 -DEMU_GFX=0x942 -I. ..
 *        (leave out -W64 for gfx11 and gfx12, which have 32 lanes).
 *        Without ROCm, the assembly of the kernel alone:
 *        clang-22 -x hip --offload-arch=gfx942 --cuda-device-only -nogpuinc
 *        -nogpulib -O3 -I. -S examples/kernels/matmul/matmul.hip
 * Run:   matmul [m n k]
 */
#ifdef __global__ /* the emulator or ROCm */
#include "../check.h"
#define BLOCK_X blockIdx.x
#define BLOCK_Y blockIdx.y
#else
#define LL_NO_MAIN
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((amdgpu_flat_work_group_size(n, n)))
#define BLOCK_X __builtin_amdgcn_workgroup_id_x()
#define BLOCK_Y __builtin_amdgcn_workgroup_id_y()
#endif
#include "ll_amd.h"

/* The table. The host's pass only has to compile, and takes the last entry. */
#if defined(__gfx1100__) || EMU_GFX == 0x1100
#define TARGET LL_GFX1100
#define TILE_A ll_amd_wmma_a(0x1100, 32, 16, 16)
#define TILE_B ll_amd_wmma_b(0x1100, 32, 16, 16)
#define TILE_D ll_amd_wmma_c(0x1100, 32, 32)
#define MULTIPLY ll_amd_wmma_f32_16x16x16_f16_w32
#elif defined(__gfx1201__) || EMU_GFX == 0x1201
#define TARGET LL_GFX1201
#define TILE_A ll_amd_wmma_a(0x1201, 32, 16, 16)
#define TILE_B ll_amd_wmma_b(0x1201, 32, 16, 16)
#define TILE_D ll_amd_wmma_c(0x1201, 32, 32)
#define MULTIPLY ll_amd_wmma_f32_16x16x16_f16_w32_gfx12
#elif defined(__gfx950__) || EMU_GFX == 0x950
#define TARGET LL_GFX950
#define TILE_A ll_amd_mfma_a(32, 16, 1, 16)
#define TILE_B ll_amd_mfma_b(16, 32, 1, 16)
#define TILE_D ll_amd_mfma_c(32, 32, 1, 32)
#define MULTIPLY ll_amd_mfma_f32_32x32x16_f16
#else /* gfx908, gfx90a, gfx942 */
#define TARGET LL_GFX942
#define TILE_A ll_amd_mfma_a(32, 8, 1, 16)
#define TILE_B ll_amd_mfma_b(8, 32, 1, 16)
#define TILE_D ll_amd_mfma_c(32, 32, 1, 32)
#define MULTIPLY ll_amd_mfma_f32_32x32x8f16
#endif

#define ALIGNED __attribute__((aligned(16)))

/* A block of 2 x 4 warps computes ROWS x COLS of D, DEPTH of k per step:
 * 128 x 256 with 64 lanes, 64 x 128 with 32. */
enum : unsigned { LANES = TARGET.lanes, ROWS = 2 * LANES, COLS = 4 * LANES };
enum : unsigned { DEPTH = 64, WAVES = 8, THREADS = WAVES * LANES };

LL_FN ll_shape tile(unsigned rows, unsigned cols) {
    const ll_shape none = LL_ZERO;
    return ll_with(ll_with(none, LL_J, cols), LL_I, rows);
}

LL_LAYOUT(ROWS_A, LL_ROWS(.rows = ROWS, .cols = DEPTH, .bytes = 2,
                          .lanes = LANES, .warps = WAVES));
LL_LAYOUT(ROWS_B, LL_ROWS(.rows = DEPTH, .cols = COLS, .bytes = 2, .height = 2,
                          .lanes = LANES, .warps = WAVES));
LL_LAYOUT(A, ll_tiled(TILE_A, tile(ROWS, DEPTH), ll_shape_of("i=2 k=4")));
LL_LAYOUT(B, ll_tiled(TILE_B, tile(DEPTH, COLS), ll_shape_of("k=2 j=4")));
LL_LAYOUT(D, ll_tiled(TILE_D, tile(ROWS, COLS), ll_shape_of("i=2 j=4")));
LL_PLAN(CONVERT_A, ROWS_A, A, 16, TARGET);
LL_PLAN(CONVERT_B, ROWS_B, B, 16, TARGET);
LL_EXPECT_NO_CONFLICTS(CONVERT_A);
LL_EXPECT_NO_CONFLICTS(CONVERT_B);

LL_FN unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Computes d = a b, m x n. Loads read zeros beyond the edges. k and n are
 * multiples of 8, so that rows of a, b and d start at multiples of 16 bytes. */
__global__ void __launch_bounds__(THREADS)
    gemm(float *d, const _Float16 *a, const _Float16 *b, unsigned m, unsigned n,
         unsigned k) {
    __shared__ ALIGNED unsigned char smem_a[LL_SMEM_BYTES(CONVERT_A)];
    __shared__ ALIGNED unsigned char smem_b[LL_SMEM_BYTES(CONVERT_B)];
    unsigned next_a[LL_WORDS(ROWS_A, 16)], next_b[LL_WORDS(ROWS_B, 16)];
    unsigned operand_a[LL_WORDS(A, 16)], operand_b[LL_WORDS(B, 16)];
    float sum[LL_REGS(D)] = LL_ZERO;
    const unsigned i = BLOCK_Y * ROWS, j = BLOCK_X * COLS;
    const unsigned high = least(m - i, ROWS), wide = least(n - j, COLS);
    a += 1ull * i * k;
    b += j;
    LL_LOAD(next_a, ROWS_A, a, k, high, least(k, DEPTH));
    LL_LOAD(next_b, ROWS_B, b, n, least(k, DEPTH), wide);
    for (unsigned at = 0; at < k; at += DEPTH) {
        LL_STORE_SHARED(next_a, CONVERT_A, smem_a);
        LL_STORE_SHARED(next_b, CONVERT_B, smem_b);
        ll_amd_s_barrier();
        const unsigned next = least(at + DEPTH, k); /* at the end: nothing */
        const unsigned deep = least(k - next, DEPTH);
        LL_LOAD(next_a, ROWS_A, a + next, k, high, deep);
        LL_LOAD(next_b, ROWS_B, b + 1ull * next * n, n, deep, wide);
        LL_LOAD_SHARED(operand_a, CONVERT_A, smem_a);
        LL_LOAD_SHARED(operand_b, CONVERT_B, smem_b);
        MULTIPLY(sum, operand_a, operand_b);
        ll_amd_s_barrier();
    }
    LL_STORE(sum, D, d + 1ull * i * n + j, n, high, wide);
}

#ifndef LL_NO_MAIN

/* Returns the lanes of a warp. The host's pass of HIP does not know them. */
static unsigned lanes_of_device(void) {
#if LL_EMULATE
    return LANES;
#else
    hipDeviceProp_t of;
    MUST(hipGetDeviceProperties(&of, 0));
    return (unsigned)of.warpSize;
#endif
}

/* Returns a matrix of random numbers from -8/8 to 7/8, so that all sums are
 * exact in any order. */
static _Float16 *random_matrix(size_t rows, size_t cols, unsigned seed) {
    _Float16 *a = (_Float16 *)malloc(rows * cols * sizeof *a);
    MUST(a ? cudaSuccess : cudaErrorMemoryAllocation);
    randomise(a, rows * cols * sizeof *a, seed);
    for (size_t x = 0; x < rows * cols; ++x) {
        const int eighths = ((const unsigned char *)a)[2 * x] % 16 - 8;
        a[x] = (_Float16)((float)eighths / 8);
    }
    return a;
}

/* Returns device memory, with a copy of `src` unless that is null. */
template <class T> static T *on_device(const T *src, size_t count) {
    T *p;
    MUST(cudaMalloc((void **)&p, count * sizeof(T)));
    if (src) {
        MUST(cudaMemcpy(p, src, count * sizeof(T), cudaMemcpyHostToDevice));
    }
    return p;
}

static size_t count_wrong(const float *d, const _Float16 *a, const _Float16 *b,
                          size_t m, size_t n, size_t k) {
    size_t wrong = 0;
    for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < n; ++j) {
            float sum = 0;
            for (size_t x = 0; x < k; ++x) {
                sum += (float)a[i * k + x] * (float)b[x * n + j];
            }
            wrong += d[i * n + j] != sum;
        }
    }
    return wrong;
}

/* Runs the kernel, checks every element and prints the speed. Returns the
 * number of faults. */
static size_t demonstrate(unsigned m, unsigned n, unsigned k, unsigned lanes) {
    const unsigned high = 2 * lanes, wide = 4 * lanes;
    const dim3 grid((n + wide - 1) / wide, (m + high - 1) / high);
    _Float16 *a = random_matrix(m, k, 1), *b = random_matrix(k, n, 2);
    float *d = (float *)malloc(sizeof(float) * m * n);
    _Float16 *on_a = on_device(a, (size_t)m * k);
    _Float16 *on_b = on_device(b, (size_t)k * n);
    float *on_d = on_device((const float *)0, (size_t)m * n);
    const float ms = timed(
        [=] { gemm<<<grid, WAVES * lanes>>>(on_d, on_a, on_b, m, n, k); });
    MUST(d ? cudaSuccess : cudaErrorMemoryAllocation);
    MUST(cudaMemcpy(d, on_d, sizeof(float) * m * n, cudaMemcpyDeviceToHost));
    const size_t wrong = count_wrong(d, a, b, m, n, k);
    printf("%u x %u x %u, %u lanes: %zu wrong", m, n, k, lanes, wrong);
#if LL_EMULATE
    printf(", %llu bank conflicts\n%s",
           (unsigned long long)(emu_wavefronts("") - emu_ideal("")),
           emu_errors());
    (void)ms;
    return wrong + (size_t)emu_error_count() +
           (emu_wavefronts("") != emu_ideal(""));
#else
    printf(", %.3f ms, %.1f TFLOP/s\n", ms, 2e-9 * m * n * k / ms);
    return wrong;
#endif
}

int main(int argc, char **argv) {
    const unsigned lanes = lanes_of_device();
    const int few = !on_gpu();
    const int m = argc > 1 ? atoi(argv[1]) : few ? 3 * (int)lanes + 5 : 4096;
    const int n = argc > 2 ? atoi(argv[2]) : few ? 4 * (int)lanes + 24 : 4096;
    const int k = argc > 3 ? atoi(argv[3]) : few ? 2 * DEPTH + 8 : 4096;
    if (m < 1 || n < 1 || k < 1 || n % 8 || k % 8) {
        fprintf(stderr, "m, n and k are at least 1, and n and k are multiples "
                        "of 8: rows start at multiples of 16 bytes\n");
        return 2;
    }
    return demonstrate((unsigned)m, (unsigned)n, (unsigned)k, lanes) != 0;
}

#endif
