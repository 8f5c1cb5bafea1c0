/* test_zero_fill.cu - the sectors of global memory that cp.async with zero fill
 * touches, as an H200 counted them.
 * SPDX-License-Identifier: MIT
 *
 * A lane with source size 0 touches nothing; any other lane touches the sector of
 * its address. ncu counted so in lts__t_sectors_srcunit_tex_op_read for the
 * copies below, each by one warp, on cold caches.
 */
#include <cuda_runtime.h>
#include <stdio.h>

/* Lane l copies `size` bytes from l * step, and takes `take` of them if bit l of
 * `mask` is set, otherwise none. */
struct copy {
    unsigned size, take, step, mask;
    bool cached;
    unsigned counted;
};
static const copy copies[] = {
    {16, 16, 16, ~0u, false, 16},        {16, 16, 16, 0xffff, false, 8},
    {16, 8, 16, ~0u, false, 16},         {16, 4, 16, ~0u, false, 16},
    {16, 16, 16, 0, false, 0},           {16, 16, 16, 0x55555555, false, 16},
    {16, 16, 16, 0x11111111, false, 8},  {8, 8, 8, 0xffff, true, 4},
    {4, 4, 4, 0xffff, true, 2},          {4, 4, 32, 0x07070707, true, 12},
    {16, 16, 16, 0xffff, true, 8},
};

__global__ void copy_by_lanes(const char *from, int *to, copy x) {
    __shared__ __align__(16) char s[32 * 16];
    const char *const p = from + threadIdx.x * x.step;
    const unsigned take = x.mask >> threadIdx.x & 1 ? x.take : 0;
    const unsigned at =
        (unsigned)__cvta_generic_to_shared(s + 16 * threadIdx.x);
    if (x.size == 16 && !x.cached) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at),
                     "l"(p), "r"(take) : "memory");
    } else if (x.size == 16) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(at),
                     "l"(p), "r"(take) : "memory");
    } else if (x.size == 8) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at),
                     "l"(p), "r"(take) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at),
                     "l"(p), "r"(take) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    to[threadIdx.x] = *(int *)(s + 16 * threadIdx.x);
}

static unsigned passed, failed;

static void equal(unsigned long long is, unsigned long long want, size_t row) {
    is == want ? ++passed : ++failed;
    if (is != want) {
        printf("FAIL copy %zu: %llu, not %llu\n", row, is, want);
    }
}

int main() {
    char *from;
    int *to, host[32];
    cudaMalloc((void **)&from, 4096);
    cudaMalloc((void **)&to, sizeof host);
    cudaMemset(from, 1, 4096);
    for (const copy &x : copies) {
        emu_reset();
        LL_LAUNCH(copy_by_lanes, 1, 32, 0, from, to, x);
        const size_t row = (size_t)(&x - copies);
        equal((unsigned long long)emu_error_count(), 0, row);
        equal(emu_sectors("cp.async"), x.counted, row);
        cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
        for (unsigned l = 0; l < 32; ++l) {
            equal((unsigned)host[l], x.mask >> l & 1 ? 0x01010101u : 0u, row);
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
