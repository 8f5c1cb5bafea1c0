/* 08_cluster.cu - how do the blocks of a cluster exchange data?
 * SPDX-License-Identifier: MIT
 *
 * A 16 x 32 tile is spread over a cluster of four blocks with one warp each. If
 * layouts have a `block`, a conversion may go through distributed shared
 * memory: each block stores its elements in its own shared memory, and lanes
 * load from the block that has what they need. LL_CONVERT synchronizes the
 * cluster before and after the loads. sm_90 and later have clusters; for other
 * targets the plan is an error. For reductions or scans in a loop define
 * LL_CLUSTERS and use LL_CLUSTER_REDUCE or LL_CLUSTER_SCAN (cluster/moves in
 * ll.h), which need no cluster barrier in each iteration.
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. \
 *            examples/lessons/08_cluster.cu -o 08_cluster
 *        tools/emulator/emucc -I. examples/lessons/08_cluster.cu -o 08_cluster
 * Output:
 *     data goes through the shared memory of the cluster's blocks, 512 bytes each, about 436 cycles per warp
 *       1. each lane stores 4 elements to shared memory in 1 access of 16 bytes, 4 wavefronts: no bank conflicts
 *       2. barrier of the cluster, and another one after all blocks have loaded
 *       3. each lane loads 4 elements from the cluster's shared memory in 1 access of 16 bytes, 4 wavefronts: no bank conflicts
 *       memory offset: j0 j1 j2 j3 j4 j3^i0 j4^i1 | block: i2 i3
 *       optimal: no shared-memory layout needs fewer wavefronts for vector accesses
 *     Planned for sm_80: an error
 *     0 wrong
 */
#include "../kernels/check.h"
#include "ll_ptx.h"

LL_LAYOUT(BY_ROWS, ll_parse("register: j0 j1 | lane: j2 j3 j4 i0 i1 | "
                            "block: i2 i3"));
LL_LAYOUT(BY_COLS, ll_parse("register: j0 j1 | lane: j2 i0 i1 i2 i3 | "
                            "block: j3 j4"));
LL_PLAN(CROSS, BY_ROWS, BY_COLS, 32, LL_SM90);
LL_EXPECT_KIND(CROSS, LL_CLUSTER);

/* LL_AT is the coordinate of a register in this thread of this block. */
#define NUMBER(LAYOUT, r) (LL_AT(LAYOUT, LL_I, r) * 32 + LL_AT(LAYOUT, LL_J, r))

__global__ void cross(unsigned *wrong) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(CROSS)];
    unsigned a[LL_REGS(BY_ROWS)], b[LL_REGS(BY_COLS)], n = 0;
    LL_EACH(r, BY_ROWS) { a[r] = NUMBER(BY_ROWS, r); }
    LL_CONVERT(b, a, CROSS, smem);
    LL_EACH(r, BY_COLS) { n += b[r] != NUMBER(BY_COLS, r); }
    wrong[blockIdx.x * LL_THREADS(BY_ROWS) + threadIdx.x] = n;
}

int main(void) {
    enum : unsigned { THREADS = LL_THREADS(BY_ROWS), N = LL_BLOCKS(BY_ROWS) };
    static unsigned wrong[N * THREADS];
    static char text[2000];
    unsigned *device, sum = 0;
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = N;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    const cudaLaunchConfig_t config = {dim3(N), dim3(THREADS), 0, 0, &cluster,
                                       1};
    MUST(cudaMalloc((void **)&device, sizeof wrong));
    MUST(cudaMemset(device, 0xff, sizeof wrong));
    MUST(cudaLaunchKernelEx(&config, cross, device));
    MUST(cudaMemcpy(wrong, device, sizeof wrong, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < N * THREADS; ++k) {
        sum += wrong[k];
    }
    ll_explain(LL_GET(CROSS), text, sizeof text);
    printf("%s", text);
    printf("Planned for sm_80: %s\n",
           ll_plan_of(LL_GET(BY_ROWS), LL_GET(BY_COLS), 32, LL_SM80).err
               ? "an error"
               : "a plan");
    printf("%u wrong\n", sum);
    return sum != 0;
}
