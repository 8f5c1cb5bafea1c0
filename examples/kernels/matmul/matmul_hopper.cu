/* matmul_hopper.cu - how does a product of matrices reach the speed of Hopper's
 * tensor cores?
 * SPDX-License-Identifier: MIT
 *
 * C = A B, sums in f32. A is m x k by rows, B k x n by columns (k is contiguous
 * in both), C is m x n by rows. A and B have the type OPERAND: bf16, f16, or
 * e4m3. C is f16 if they are, otherwise bf16; the sums are multiplied by one
 * scale. Rows start at multiples of 16 bytes; otherwise m, n and k are free.
 *
 * A block computes tiles of C. One thread, the producer, starts TMA copies,
 * which fill a ring of stages in shared memory (matmul_load.h). One to three
 * warpgroups multiply by wgmma, which reads both operands from there
 * (matmul_multiply.h). At the end of a tile they round the sums and write them
 * to shared memory by stmatrix; TMA stores them to C while the next tile is
 * computed (matmul_store.h).
 *
 * The rows of wgmma, 64 for each warpgroup, are columns of C. Its columns, 16
 * to 256, are rows of C, which may have only a few. The blocks of a cluster
 * have neighbouring tiles and share what they load of A or of B
 * (matmul_tiles.h), or they have the same tile and a part of k each
 * (matmul_split.h). matmul_choice.h chooses the form of tiles and clusters.
 * 09_hopper.md explains these files line by line.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/kernels/matmul/matmul_hopper.cu -o matmul_hopper
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   matmul_hopper [m n k [FORM NEIGHBOURS SPLITS [PROCESSORS [STACKED]]]]
 */
#include "../hopper.h"
#include "matmul_check.h"
#include "matmul_choice.h"
#include "matmul_multiply.h"

using namespace ll_kernels;

#ifndef OPERAND
#define OPERAND bf16
#endif
constexpr dtype IN = dtype::OPERAND;

#ifndef HOPPER_FORMS
#define HOPPER_FORMS gemm_forms<IN>
#endif

/* ---- The kernel ---------------------------------------------------------- */

/* Waits until all blocks of the cluster have begun. */
static __device__ void wait_for_cluster(const gemm_problem &p) {
    if (p.neighbours * p.splits > 1) {
        ll_ptx_barrier_cluster_arrive_relaxed();
        ll_ptx_barrier_cluster_wait();
    } else {
        __syncthreads();
    }
}

/* Computes C by tiles of the form T. */
template <class T>
__global__ void __launch_bounds__(T::THREADS, 1)
    matmul(const __grid_constant__ gemm_maps maps, const gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    const tile_scheduler<T> t(p);
    if (threadIdx.x == 0) {
        ll_ptx_prefetch_tensormap(&maps.a);
        ll_ptx_prefetch_tensormap(&maps.b);
        for (unsigned s = 0; s < T::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, 1);
            ll_ptx_mbarrier_init(smem + T::EMPTY + 8 * s,
                                 T::WORKERS * p.neighbours);
        }
        ll_ptx_fence_mbarrier_init();
    }
    wait_for_cluster(p);
    ll_ptx_griddepcontrol_launch_dependents();
    ll_ptx_griddepcontrol_wait(); /* the preceding kernel has written A and B */
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<32>();
        if (threadIdx.x < 32 && ll_ptx_elect()) {
            load_all_tiles<T>(smem, maps, p, t);
        }
        __syncwarp();
        if (t.has_split_tile) { /* as in multiply_all_tiles */
            LL_BARRIER_CLUSTER();
        }
    } else {
        ll_ptx_setmaxnreg_inc<T::REGISTERS>();
        multiply_all_tiles<T>(memory, maps, p, t,
                              [&](float *sum, unsigned, unsigned) {
                                  LL_UNROLL
                                  for (unsigned r = 0; r < T::ROWS / 2; ++r) {
                                      sum[r] *= p.scale;
                                  }
                              });
    }
    if (t.has_split_tile) { /* no block ends while another one reads its sums */
        __syncwarp();
        LL_BARRIER_CLUSTER();
    }
}

/* ---- The launcher -------------------------------------------------------- */

/* Launches the kernel of a form. Returns an error message, or null. */
typedef const char *matmul_launcher(const void *a, const void *b,
                                    gemm_problem p);

template <class T>
static const char *launch_form(const void *a, const void *b, gemm_problem p) {
    gemm_maps maps;
    if (!is_valid_division(p, T::PADDED_ROWS, T::DEPTH)) {
        return "a tile of this form is not divided in this way";
    }
    const char *bad = make_maps<T>(&maps, a, b, p);
    return bad ? bad
               : launch_clusters(matmul<T>, grid_blocks(p, T::COLS, T::ROWS),
                                 p.neighbours * p.splits, T::THREADS, T::SMEM,
                                 launch_stream(), maps, p);
}

/* Launches the kernel of form `number`. */
template <class... F>
static const char *launch_number(form_list<F...>, unsigned number,
                                 const void *a, const void *b,
                                 const gemm_problem &p) {
    static matmul_launcher *const LAUNCHERS[] = {launch_form<F>...};
    return number < sizeof...(F) ? LAUNCHERS[number](a, b, p)
                                 : "there are fewer forms";
}

/* Computes C = scale A B. Returns an error message, or null. */
static const char *launch_matmul_scaled(void *c, const void *a, const void *b,
                                        float scale, unsigned m, unsigned n,
                                        unsigned k) {
    if (!m || !n || !k || n % 8 || k * bits_of(IN) % 128) {
        return "m, n and k are at least 1, n is a multiple of 8 and a row of k "
               "a multiple of 16 bytes";
    }
    gemm_problem p = {c, scale, m, n, k, 1, 1, processors_here()};
    const unsigned number =
        choose_form(HOPPER_FORMS(), p, gemm_layouts<IN>::DEPTH);
    return launch_number(HOPPER_FORMS(), number, a, b, p);
}

static const char *launch_matmul(void *c, const void *a, const void *b,
                                 unsigned m, unsigned n, unsigned k) {
    return launch_matmul_scaled(c, a, b, 1, m, n, k);
}

#ifndef LL_NO_MAIN

/* A choice by the arguments of the program: the number of a form, neighbours,
 * splits; processors, stacked. */
static unsigned choice[5];
static const char *launch_choice(void *c, const void *a, const void *b,
                                 unsigned m, unsigned n, unsigned k) {
    return launch_number(
        HOPPER_FORMS(), choice[0], a, b,
        {c, 1, m, n, k, choice[1], choice[2], choice[3], choice[4] != 0});
}

int main(int argc, char **argv) {
    static const unsigned shapes[][3] = {{200, 264, 144},    {1, 8, 16},
                                         {513, 520, 1008},   {4096, 4096, 4096},
                                         {8192, 8192, 8192}, {4000, 8200, 264}};
    const dtype out = gemm_layouts<IN>::RESULT;
    product p = {IN, IN, out, false, true, launch_matmul};
    choice[3] = processors_here();
    for (int x = 4; x < argc && x < 9; ++x) {
        choice[x - 4] = (unsigned)atoi(argv[x]);
        p.launch = launch_choice;
    }
    size_t wrong = (size_t)demonstrate_all(p, shapes, argc, argv);
    p.launch = launch_choice;
    for (unsigned x = 0; argc < 4 && x < 3 * HOPPER_FORMS::COUNT; ++x) {
        const bool splits = x % 3 == 1, stacked = x % 3 == 2;
        choice[0] = x / 3, choice[1] = 2 - splits, choice[2] = 1 + splits;
        choice[3] = 4; /* neighbours take some tiles and split the last one */
        choice[4] = stacked;
        wrong += demonstrate(p, 40, x % 3 ? 264 : 1544, 144);
    }
    return wrong != 0;
}

#endif
