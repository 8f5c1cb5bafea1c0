/* test_launchers.cu - what the launchers of products of matrices say of shapes
 * and pointers that their kernels cannot take: one sentence, and nothing is
 * launched.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "../../examples/kernels/matmul/matmul_blocks.h"
#include "../../examples/kernels/matmul/matmul_check.h"
#include "../../examples/kernels/matmul/matmul_choice.h"
#include "../../examples/kernels/matmul/matmul_sync_load.h"
#include "../../examples/kernels/matmul/matmul_sync_multiply.h"

namespace by_any_types {
#include "../../examples/kernels/matmul/matmul.cu"
}
namespace by_wgmma {
#include "../../examples/kernels/matmul/matmul_scaled.cu"
}
#define OPERAND e4m3
namespace by_hopper {
#include "../../examples/kernels/matmul/matmul_hopper.cu"
}

static int passed, failed;

/* The launcher says so, and C stays as it was. */
static void refuses(const char *said, const char *part,
                    const unsigned char *c, int line) {
    bool good = said && strstr(said, part) && emu_error_count() == 0;
    for (unsigned k = 0; k < 1024; ++k) {
        good = good && c[k] == 0xee;
    }
    good ? ++passed : ++failed;
    if (!good) {
        printf("test_launchers.cu:%d: `%s`, not `%s`\n%s", line,
               said ? said : "nothing", part, emu_errors());
    }
}
#define REFUSES(part, ...) refuses(__VA_ARGS__, part, c, __LINE__)

/* Every refusal of a tensor map names its cause; f32 has rows of 4 bytes an
 * element. */
static void maps(unsigned char *a, unsigned char *c) {
    CUtensorMap map;
    const auto u8 = CU_TENSOR_MAP_DATA_TYPE_UINT8;
    const auto f32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    const auto plain = CU_TENSOR_MAP_SWIZZLE_NONE;
    const auto by_128 = CU_TENSOR_MAP_SWIZZLE_128B;
    const cuuint64_t many = (1ull << 32) + 1;
    REFUSES("a tensor has 1 to 2^32 elements",
            map_of<2>(&map, a, u8, {0, 8}, {16, 8}, plain));
    REFUSES("a tensor has 1 to 2^32 elements",
            map_of<2>(&map, a, u8, {16, many}, {16, 8}, plain));
    REFUSES("a box has 1 to 256 elements",
            map_of<2>(&map, a, u8, {16, 512}, {16, 257}, plain));
    REFUSES("a box has 1 to 256 elements",
            map_of<2>(&map, a, u8, {16, 512}, {0, 8}, plain));
    REFUSES("the rows of a tensor are multiples of 16 bytes apart",
            map_of<2>(&map, a, u8, {24, 8}, {16, 8}, plain));
    REFUSES("the rows of a tensor are multiples of 16 bytes apart",
            map_of<3>(&map, a, u8, {many - 1, 256, 2}, {16, 8, 1}, plain));
    REFUSES("the pointer to a tensor is null",
            map_of<2>(&map, 0, u8, {16, 8}, {16, 8}, plain));
    REFUSES("elements of 4 and 6 bits",
            map_of<2>(&map, a, (CUtensorMapDataType)13, {128, 8}, {128, 8},
                      plain));
    REFUSES("a tensor does not start at a multiple of 16 bytes",
            map_of<2>(&map, a + 8, u8, {16, 8}, {16, 8}, plain));
    REFUSES("a row of a box is a multiple of 16 bytes",
            map_of<2>(&map, a, u8, {16, 8}, {8, 8}, plain));
    REFUSES("a row of a box is wider than its swizzle",
            map_of<2>(&map, a, u8, {512, 8}, {256, 8}, by_128));
    REFUSES("a row of a box is wider than its swizzle",
            map_of<2>(&map, a, f32, {64, 8}, {64, 8}, by_128));
}

/* The copy engine brings the box at 4, 1 of 8 x 8 floats. */
__global__ void box_of_floats(__grid_constant__ const CUtensorMap map,
                              float *to) {
    __shared__ alignas(128) float box[16];
    __shared__ unsigned long long full;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&full);
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_init(at, 1);
        ll_ptx_fence_mbarrier_init();
        ll_ptx_mbarrier_arrive_expect_tx(at, sizeof box);
        ll_ptx_cp_async_bulk_tensor_load_2d(
            (unsigned)__cvta_generic_to_shared(box), &map, at, 4, 1);
    }
    __syncthreads();
    ll_ptx_mbarrier_wait(at, 0);
    to[threadIdx.x] = box[threadIdx.x];
}

static void floats() {
    CUtensorMap map;
    float *from, *to, host[64];
    MUST(cudaMalloc((void **)&from, sizeof host));
    MUST(cudaMalloc((void **)&to, 64));
    for (int x = 0; x < 64; ++x) {
        host[x] = (float)x;
    }
    MUST(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
    MUST(map_of<2>(&map, from, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, {8, 8}, {4, 4},
                   CU_TENSOR_MAP_SWIZZLE_NONE));
    LL_LAUNCH(box_of_floats, 1, 16, 0, map, to);
    MUST(cudaMemcpy(host, to, 64, cudaMemcpyDeviceToHost));
    bool good = emu_error_count() == 0;
    for (int x = 0; x < 16; ++x) {
        good = good && host[x] == (float)(8 * (1 + x / 4) + 4 + x % 4);
    }
    good ? ++passed : ++failed;
    if (!good) {
        printf("test_launchers.cu: a box of floats is wrong\n%s",
               emu_errors());
    }
}

int main() {
    unsigned char *a, *b, *c;
    float *scales;
    MUST(cudaMalloc((void **)&a, 1 << 16));
    MUST(cudaMalloc((void **)&b, 1 << 16));
    MUST(cudaMalloc((void **)&c, 1 << 16));
    MUST(cudaMalloc((void **)&scales, 1 << 16));
    MUST(cudaMemset(c, 0xee, 1 << 16));
    emu_reset();
    for (unsigned zero = 0; zero < 3; ++zero) {
        const unsigned m = zero != 0 ? 16 : 0, n = zero != 1 ? 16 : 0,
                       k = zero != 2 ? 16 : 0;
        const by_wgmma::gemm_scales by = {scales, scales};
        REFUSES("at least 1", by_any_types::launch_matmul(c, a, b, m, n, k));
        REFUSES("at least 1", by_hopper::launch_matmul(c, a, b, m, n, k));
        for (bool blocks : {false, true}) {
            REFUSES("at least 1",
                    by_wgmma::launch_scaled(blocks, c, a, b, by, m, n, k));
            REFUSES("n is a multiple of 8 and k of 16",
                    by_wgmma::launch_scaled(blocks, c, a, b, by, 16, 12, 16));
            REFUSES("n is a multiple of 8 and k of 16",
                    by_wgmma::launch_scaled(blocks, c, a, b, by, 16, 16, 24));
        }
    }
    REFUSES("at most 4 million",
            by_any_types::launch_matmul(c, a, b, 1u << 31, 16, 16));
    REFUSES("n is a multiple of 8",
            by_hopper::launch_matmul(c, a, b, 16, 12, 16));
    REFUSES("a row of k a multiple of 16 bytes",
            by_hopper::launch_matmul(c, a, b, 16, 16, 8));
    REFUSES("a tensor does not start at a multiple of 16 bytes",
            by_hopper::launch_matmul(c, a + 8, b, 16, 16, 16));
    REFUSES("a tensor does not start at a multiple of 16 bytes",
            by_hopper::launch_matmul(c, a, b + 1, 16, 16, 16));
    REFUSES("a tensor does not start at a multiple of 16 bytes",
            by_hopper::launch_matmul(c + 8, a, b, 16, 16, 16));
    maps(a, c);
    floats();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
