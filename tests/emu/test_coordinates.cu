/* test_coordinates.cu - LL_AT against evaluation of the layout, for parts of
 * registers and threads that share bits of an axis and for parts that do not.
 * SPDX-License-Identifier: MIT
 */
#include "../definition.h"

#include "../../ll_ptx.h"

#define LAYOUTS(X)                                                           \
    X(APART, "register: j0 j1 i2 | lane: j2 j3 j4 i0 i1 | warp: i3")         \
    X(CONSTANT, "register: j0 j1 i2 | lane: j2 j3 j4 i0 i1 | warp: i3 | "    \
                "1: j0^j3^i2^i3")                                            \
    X(MIXED, "register: j0^j2 j1 i2^i0 | lane: j2 j3 j4 i0 i1 | warp: i3 | " \
             "1: j0^j2^i1")                                                  \
    X(ONE_MIXED, "register: j0 i1^i0 | lane: j1 j2 j3 j4 i0 | warp: i2^i1 | "\
                 "1: i1^j4^j0")                                              \
    X(COPIES, "register: j0 0 i0 | lane: j1 0 j2 i1 i2 | warp: 0 | 1: i0")   \
    X(FLIPPED, "register: i0 | lane: i1 i2 i3 i4 j0 | 1: i0^i1^i2^i3^i4^j0") \
    X(NONE, "lane: j0 j1 j2 i0 i1 | 1: j1^i0")                               \
    X(BLOCKS, "register: j0 i1 | lane: j1 j2 j3 j4 i0 | warp: i2 | "         \
              "block: i3 j5 | 1: j0^j5^i1^i3")                               \
    X(MIXED_BLOCKS, "register: j0^j5 i1 | lane: j1 j2 j3 j4 i0 | "           \
                    "block: i2 j5 | 1: j5^i1")

#define DECLARE(NAME, text) LL_LAYOUT(NAME, ll_parse(text));
LAYOUTS(DECLARE)

template <class NAME> __global__ void coordinates(unsigned *y) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    LL_EACH(r, NAME) {
        const unsigned at = (thread * LL_REGS(NAME) + r) * 4u;
        y[at] = LL_AT(NAME, LL_I, r);
        y[at + 1] = LL_AT(NAME, LL_J, r);
        y[at + 2] = LL_AT(NAME, LL_I, r) - LL_AT(NAME, LL_I, 0);
        y[at + 3] = LL_AT(NAME, LL_J, LL_REGS(NAME) - 1u - r);
    }
}

/* Runs the kernel in one cluster of the layout's blocks. */
template <class NAME> static bool runs(unsigned *y) {
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = LL_BLOCKS(NAME);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    const cudaLaunchConfig_t config = {dim3(LL_BLOCKS(NAME)),
                                       dim3(LL_THREADS(NAME)), 0, 0, &cluster,
                                       1};
    return cudaLaunchKernelEx(&config, coordinates<NAME>, y) == cudaSuccess &&
           cudaDeviceSynchronize() == cudaSuccess;
}

template <class NAME> static unsigned wrong(void) {
    const ll_layout a = ll_hardware_(LL_GET(NAME));
    const unsigned regs = LL_REGS(NAME);
    const unsigned all = regs * LL_THREADS(NAME) * LL_BLOCKS(NAME);
    unsigned *y, n = 0;
    cudaMallocManaged(&y, all * 4u * sizeof *y);
    n += !runs<NAME>(y);
    const unsigned j = held_bits(&a.out, LL_J);
    for (unsigned x = 0; x < all; ++x) {
        const unsigned r = x % regs;
        const unsigned here = value(&a, x);
        const unsigned first = value(&a, x - r);
        const unsigned last = value(&a, x - r + regs - 1u - r);
        const unsigned *got = y + x * 4u;
        n += got[0] != here >> j || got[1] != (here & ((1u << j) - 1u)) ||
             got[2] != (here >> j) - (first >> j) ||
             got[3] != (last & ((1u << j) - 1u));
    }
    cudaFree(y);
    return n;
}

static void coordinates_are_those_of_the_layout(void) {
#define IS_RIGHT(NAME, text) CHECK(wrong<NAME>() == 0);
    LAYOUTS(IS_RIGHT)
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(coordinates_are_those_of_the_layout);
    return test_end();
}
