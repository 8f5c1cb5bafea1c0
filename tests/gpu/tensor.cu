/* tensor.cu - the products of tests/emu/test_tensor.cu and test_sparse.cu that
 * sm_90a has, on the GPU: mma.sync and wgmma of all types, dense and with a
 * sparse A, against their definition.
 * SPDX-License-Identifier: MIT
 *
 * Build: nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a
 *        --extended-lambda -I. tests/gpu/tensor.cu -o tensor
 */
#include <cuda_runtime.h>
#include <stdio.h>

/* What the emulator would say: a launch counts the products that it should. */
#define LL_LAUNCH(kernel, grid, block, shared, ...)                         \
    kernel<<<grid, block, shared>>>(__VA_ARGS__)
static inline void emu_reset(void) {}
static inline int emu_error_count(void) {
    return cudaDeviceSynchronize() != cudaSuccess;
}
static inline int emu_stat(const char *what) { return *what == 'w' ? 4 : 1; }
static inline const char *emu_errors(void) {
    return cudaGetErrorString(cudaGetLastError());
}

#include "../emu/test_tensor.cu"
namespace sparse {
#undef LL_TENSOR
#include "../emu/test_sparse.cu"
}

int main() {
    test_all_products();
    sparse::test_sparse();
    sparse::test_groups();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
