/* test_sectors.cu - the sectors of global memory that rows of 16-byte accesses
 * touch where they begin in the middle of a sector, as an H200 counted them.
 * SPDX-License-Identifier: MIT
 *
 * Lane l is at base + l / per * pitch + l % per * 16, where a row has `per` lanes,
 * and lanes from `on` on are off. ncu counted one warp for each line, in
 * l1tex__t_sectors_pipe_lsu_mem_global_op_ld: cp.async.cg counts a sector once
 * for each 8 lanes, with a source size or without; cp.async.ca, ld.global and
 * ld.global.cg count it once.
 */
#include <cuda_runtime.h>
#include <stdio.h>

struct row {
    unsigned base, per, pitch, on, by_cg, by_others;
};
static const row rows[] = {
    {0, 32, 512, 32, 16, 16},  {16, 32, 512, 32, 20, 17},
    {16, 16, 496, 16, 10, 9},  {48, 16, 496, 16, 10, 9},
    {80, 16, 496, 16, 10, 9},  {112, 16, 496, 16, 10, 9},
    {16, 32, 512, 8, 5, 5},    {16, 32, 512, 9, 6, 5},
    {0, 16, 496, 32, 18, 17},  {16, 16, 496, 32, 18, 17},
    {48, 16, 816, 32, 18, 17}, {112, 16, 816, 32, 18, 17},
};
enum { BY_CG, BY_CG_SIZE, BY_CA, BY_LOAD, WAYS };
static const char *const kinds[WAYS] = {"cp.async", "cp.async", "cp.async",
                                        "ld.global"};

template <int WAY> __global__ void read(const char *from, int4 *to, row x) {
    __shared__ __align__(16) int4 s[32];
    const unsigned l = threadIdx.x, take = l < x.on ? 16 : 0;
    const char *p = from + x.base + l / x.per * x.pitch + l % x.per * 16;
    const unsigned at = (unsigned)__cvta_generic_to_shared(s + l);
    int4 v = make_int4(0, 0, 0, 0);
    s[l] = v;
    if (WAY == BY_CG_SIZE) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at),
                     "l"(p), "r"(take) : "memory");
    } else if (take && WAY == BY_CG) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at),
                     "l"(p) : "memory");
    } else if (take && WAY == BY_CA) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at),
                     "l"(p) : "memory");
    } else if (take) {
        asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    to[l] = WAY == BY_LOAD ? v : s[l];
}

static unsigned passed, failed;

template <int WAY> static void compare(const char *from, int4 *to) {
    for (const row &x : rows) {
        emu_reset();
        read<WAY><<<1, 32>>>(from, to, x);
        const unsigned want = WAY < BY_CA ? x.by_cg : x.by_others;
        const unsigned is = (unsigned)emu_sectors(kinds[WAY]);
        is == want ? ++passed : ++failed;
        if (is != want) {
            printf("FAIL way %d, row %zu: %u sectors, not %u\n", WAY,
                   (size_t)(&x - rows), is, want);
        }
    }
}

int main() {
    char *from;
    int4 *to;
    cudaMalloc((void **)&from, 1 << 12);
    cudaMalloc((void **)&to, 32 * sizeof(int4));
    cudaMemset(from, 1, 1 << 12);
    compare<BY_CG>(from, to);
    compare<BY_CG_SIZE>(from, to);
    compare<BY_CA>(from, to);
    compare<BY_LOAD>(from, to);
    failed += emu_error_count() != 0;
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
