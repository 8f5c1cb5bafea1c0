// costs.cu - the costs of a plan's steps on this GPU, as JSON.
// SPDX-License-Identifier: MIT
//
//     nvcc -O3 -std=c++17 -arch=sm_90a bench/device/costs.cu -o costs; ./costs
//
// Each figure is in cycles of a multiprocessor per warp instruction: the time
// from the first clock of its blocks to the last, divided by the instructions
// of all these blocks. So it does not matter how many of the eight blocks per
// multiprocessor it received, or ran at the same time. Some names stand for
// several instructions:
//
//   selp_by_4     a comparison and four selects
//   selects       two selects of LL_CONVERT: a selp, and a predicated mad in
//                 the multiplication pipe
//   shfl_selects  a shuffle and four such selects
//   shfl_prmts    a shuffle and two byte permutes of other words
//   cluster       one barrier
//
// Enough warps run to measure throughput rather than latency. Accesses to
// shared memory have no bank conflicts. A warp that has not diverged needs no
// instruction for syncwarp.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <vector>

enum { THREADS = 256, BLOCKS = 8, ROUNDS = 1024, EACH = 16, RUNS = 5 };
typedef unsigned word;

// The multiprocessor on which a block ran, and the clocks at start and end.
struct stay {
    word processor;
    long long from, to;
};

// The state of a thread.
// x: four chains of dependent words
// at, at_8, at_16: addresses for accesses of 4, 8 and 16 bytes
// far, far_16: the same addresses in the other block of the cluster
struct lane {
    word x[4];
    word at, at_8, at_16, far, far_16;
    word on, one; // a condition of the selects, and the number 1
};

#define OP(NAME, BODY)                                                      \
    struct NAME {                                                           \
        static __device__ void once(lane &s, word k) {                      \
            word &x = s.x[k % 4];                                           \
            (void)x;                                                        \
            BODY                                                            \
        }                                                                   \
    }
OP(nothing, asm volatile("" : "+r"(x)););
OP(prmt, asm volatile("prmt.b32 %0, %0, %1, 0x6420;"
                      : "+r"(x) : "r"(s.at)););
OP(selp_by_4, /* a comparison and four selects */
   asm volatile("{ .reg .pred p; setp.gt.u32 p, %4, %0;\n"
                "selp.b32 %0, %1, %4, p;\nselp.b32 %1, %2, %4, p;\n"
                "selp.b32 %2, %3, %4, p;\nselp.b32 %3, %4, %1, p; }"
                : "+r"(s.x[0]), "+r"(s.x[1]), "+r"(s.x[2]), "+r"(s.x[3])
                : "r"(s.at)););
OP(lop3, asm volatile("lop3.b32 %0, %0, %1, %1, 0x96;"
                      : "+r"(x) : "r"(s.at)););
OP(shfl, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x)););
#define SELECTS(A, B, C, D)                                                 \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0;\n"                  \
                 "selp.b32 %0, %1, %0, p;\n@p mad.lo.u32 %2, %3, %5, 0; }"  \
                 : "+r"(s.x[A]), "+r"(s.x[B]), "+r"(s.x[C]), "+r"(s.x[D])   \
                 : "r"(s.on), "r"(s.one))
#define OTHER(K) s.x[(k + K) % 4]
OP(selects, if (k % 2) { SELECTS(0, 1, 2, 3); } else { SELECTS(1, 2, 3, 0); });
OP(shfl_selects, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;"
                              : "+r"(x));
   SELECTS(0, 1, 2, 3); SELECTS(1, 2, 3, 0););
OP(shfl_prmts, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;\n"
                            "prmt.b32 %1, %1, %3, 0x6420;\n"
                            "prmt.b32 %2, %2, %3, 0x6420;"
                            : "+r"(x), "+r"(OTHER(1)), "+r"(OTHER(2))
                            : "r"(s.at)););
// Memory holds zeros. The next address depends on the loaded value, so the
// compiler removes no load. The additions do not use the memory pipe.
#define ONE(NAME, WHAT, AT)                                                 \
    OP(NAME, word y; asm volatile(WHAT " %0, [%1];"                         \
                                  : "=r"(y) : "r"(s.AT + x) : "memory");    \
       x += y;)
#define TWO(NAME, WHAT, AT)                                                 \
    OP(NAME, word y; word z;                                                \
       asm volatile(WHAT " {%0, %1}, [%2];"                                 \
                    : "=r"(y), "=r"(z) : "r"(s.AT + x) : "memory");         \
       x += y + z;)
#define FOUR(NAME, WHAT, AT)                                                \
    OP(NAME, word y; word z; word v; word w;                                \
       asm volatile(WHAT " {%0, %1, %2, %3}, [%4];"                         \
                    : "=r"(y), "=r"(z), "=r"(v), "=r"(w)                    \
                    : "r"(s.AT + x) : "memory");                            \
       x += y + z + (v + w);)
#define MATRIX "sync.aligned.m8n8.x4"
ONE(load_4, "ld.shared.u32", at);
TWO(load_8, "ld.shared.v2.u32", at_8);
FOUR(load_16, "ld.shared.v4.u32", at_16);
FOUR(ldmatrix, "ldmatrix." MATRIX ".shared.b16", at_16);
FOUR(ldmatrix_trans, "ldmatrix." MATRIX ".trans.shared.b16", at_16);
ONE(dsmem_4, "ld.shared::cluster.u32", far);
FOUR(dsmem_16, "ld.shared::cluster.v4.u32", far_16);
OP(store_4, asm volatile("st.volatile.shared.u32 [%1], %0;"
                         :: "r"(x), "r"(s.at) : "memory"););
OP(store_16, asm volatile("st.volatile.shared.v4.u32 [%1], {%0, %0, %0, %0};"
                          :: "r"(x), "r"(s.at_16) : "memory"););
OP(stmatrix, asm volatile("stmatrix." MATRIX ".shared.b16 [%1], "
                          "{%0, %0, %0, %0};"
                          :: "r"(x), "r"(s.at_16) : "memory"););
OP(stmatrix_trans,
   asm volatile("stmatrix." MATRIX ".trans.shared.b16 [%1], {%0, %0, %0, %0};"
                :: "r"(x), "r"(s.at_16) : "memory"););
OP(syncwarp, asm volatile("bar.warp.sync -1;" ::: "memory"););
OP(bar, asm volatile("bar.sync 0;" ::: "memory"););
OP(cluster, asm volatile("barrier.cluster.arrive.aligned;\n"
                         "barrier.cluster.wait.aligned;" ::: "memory"););

// Returns the same address in the other block of the cluster.
static __device__ word other(word at) {
    word far, rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(far) : "r"(at), "r"(rank ^ 1u));
    return far;
}

// Adjacent threads access adjacent shared memory.
template <class Op>
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(THREADS, BLOCKS)
    measure(word *out, stay *stays) {
    extern __shared__ __align__(128) word memory[];
    for (word k = threadIdx.x; k < THREADS * 4; k += THREADS) {
        memory[k] = 0;
    }
    __syncthreads();
    lane s;
    const word base = (word)__cvta_generic_to_shared(memory);
    s.at = base + threadIdx.x * 4;
    s.at_8 = base + threadIdx.x * 8;
    s.at_16 = base + threadIdx.x * 16;
    s.far = other(s.at);
    s.far_16 = other(s.at_16);
    s.on = threadIdx.x & 4u;
    s.one = memory[threadIdx.x] + 1;
    for (word k = 0; k < 4; ++k) {
        s.x[k] = memory[threadIdx.x * 4 + k];
    }
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::: "memory");
    const long long from = clock64();
#pragma unroll 1
    for (word r = 0; r < ROUNDS; ++r) {
#pragma unroll
        for (word k = 0; k < EACH; ++k) {
            Op::once(s, k);
        }
    }
    __syncthreads();
    const long long to = clock64();
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * THREADS + threadIdx.x] =
        s.x[0] ^ s.x[1] ^ s.x[2] ^ s.x[3];
    if (threadIdx.x == 0) {
        word processor;
        asm("mov.u32 %0, %%smid;" : "=r"(processor));
        stays[blockIdx.x] = {processor, from, to};
    }
}

static int failed;

static void check(cudaError_t e, const char *what) {
    if (e != cudaSuccess) {
        fprintf(stderr, "costs: %s: %s\n", what, cudaGetErrorString(e));
        failed = 1;
    }
}

// Returns the median over all multiprocessors of the cycles per instruction.
static double middle(const std::vector<stay> &stays) {
    struct sum {
        long long from = LLONG_MAX, to = LLONG_MIN, blocks = 0;
    };
    std::vector<sum> sums;
    for (const stay &s : stays) {
        if (s.processor >= sums.size()) {
            sums.resize(s.processor + 1);
        }
        sum &one = sums[s.processor];
        one.from = std::min(one.from, s.from);
        one.to = std::max(one.to, s.to);
        ++one.blocks;
    }
    std::vector<double> cycles;
    for (const sum &one : sums) {
        if (one.blocks) {
            cycles.push_back(double(one.to - one.from) / double(one.blocks) /
                             (double(ROUNDS) * EACH * THREADS / 32));
        }
    }
    std::nth_element(cycles.begin(), cycles.begin() + cycles.size() / 2,
                     cycles.end());
    return cycles[cycles.size() / 2];
}

// Returns the least of several runs.
template <class Op> static double cycles(int processors) {
    const int blocks = processors * BLOCKS / 2 * 2;
    std::vector<stay> host(blocks);
    stay *each = nullptr;
    word *out = nullptr;
    double best = 1e30;
    check(cudaMalloc(&each, blocks * sizeof *each), "memory");
    check(cudaMalloc(&out, sizeof(word) * blocks * THREADS), "memory");
    for (int run = 0; run < RUNS && !failed; ++run) {
        measure<Op><<<blocks, THREADS, THREADS * 16>>>(out, each);
        check(cudaDeviceSynchronize(), "kernel");
        check(cudaMemcpy(host.data(), each, blocks * sizeof *each,
                         cudaMemcpyDeviceToHost), "copy");
        best = std::min(best, middle(host));
    }
    cudaFree(each);
    cudaFree(out);
    return best;
}

int main() {
    cudaDeviceProp gpu;
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    if (failed) {
        return 1;
    }
    printf("{\"device\": \"%s\", \"unit\": \"cycles a warp\"", gpu.name);
#define SHOW(NAME)                                                          \
    printf(",\n \"" #NAME "\": %.3f", cycles<NAME>(gpu.multiProcessorCount))
    SHOW(nothing);
    SHOW(prmt);
    SHOW(selp_by_4);
    SHOW(lop3);
    SHOW(selects);
    SHOW(shfl_selects);
    SHOW(shfl_prmts);
    SHOW(shfl);
    SHOW(load_4);
    SHOW(load_8);
    SHOW(load_16);
    SHOW(store_4);
    SHOW(store_16);
    SHOW(ldmatrix);
    SHOW(ldmatrix_trans);
    SHOW(stmatrix);
    SHOW(stmatrix_trans);
    SHOW(syncwarp);
    SHOW(bar);
    SHOW(dsmem_4);
    SHOW(dsmem_16);
    SHOW(cluster);
    printf("}\n");
    return failed;
}
