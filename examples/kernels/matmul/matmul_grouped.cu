/* matmul_grouped.cu - how does one kernel compute a list of GEMMs?
 * SPDX-License-Identifier: MIT
 *
 * C = A B of bf16 for each product of a list, such as the experts of a model,
 * with one row for each token of an expert. One launch per product would leave
 * multiprocessors idle at its end. Here the tiles of all products have
 * consecutive numbers, and cluster c takes tiles c, c + clusters, ..: the
 * copies of the next product start while the previous one is computed.
 * Everything else is as in matmul_hopper.cu. A list in global memory has the
 * tensor maps and sizes; matmul_list.h makes it and chooses the tiles.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/kernels/matmul/matmul_grouped.cu -o matmul_grouped
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   matmul_grouped [CHOICE]: the small list with one choice of prepare
 */
#include "matmul_list.h"
#include "matmul_multiply.h"

using namespace ll_kernels;

/* The tiles of a cluster, one after another. */
template <class T> struct list_walk {
    const list_entry *const entries;
    unsigned at, count, x, neighbours;
    __device__ list_walk(const list_entry *all, unsigned number, unsigned of)
        : entries(all), at(0), count(number), x(blockIdx.x / of),
          neighbours(of) {}
    /* Finds the product of tile x. Returns false after the last one. */
    __device__ bool find() {
        while (at < count && x >= entries[at].end) {
            ++at;
        }
        return at < count;
    }
    __device__ void next() { x += gridDim.x / neighbours; }
    __device__ const list_entry &product() const { return entries[at]; }
    __device__ tile_scheduler<T> tile() const {
        const list_entry &j = product();
        tile_scheduler<T> t(
            gemm_problem{0, 1, j.m, j.n, j.k, neighbours, 1, 0});
        t.find(x - j.start);
        return t;
    }
};

/* A warpgroup: multiplies and stores all tiles of its block. */
template <class T>
static __device__ void multiply_list(unsigned char *memory, list_walk<T> w) {
    const unsigned worker = uniform(threadIdx.x / 128) - 1;
    unsigned char *const to = memory + T::AT_C + worker * T::BYTES_C;
    wgmma_pipeline<T> f = {
        {uniform((unsigned)__cvta_generic_to_shared(memory)), 0, 0}};
    float sum[T::ROWS / 2];
    rounded_tile<T> c;
    if (w.find()) {
        f.begin(sum, worker, w.tile().steps);
        for (;;) {
            const tile_scheduler<T> t = w.tile();
            const gemm_maps &maps = w.product().maps;
            f.finish(sum, worker, t, w.neighbours);
            c.round(sum);
            w.next();
            if (!w.find()) {
                store_last_tile(c, memory, worker, maps, t.row,
                                t.col + 64 * worker);
                break;
            }
            f.begin(sum, worker, w.tile().steps); /* the next tile */
            store_tile(c, to, maps, t.row, t.col + 64 * worker,
                       [&] { f.step(sum, worker, t, w.neighbours); });
        }
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group_read<0>();
    }
}

/* Computes all products of a list by tiles of the form T. */
template <class T>
__global__ void __launch_bounds__(T::THREADS, 1)
    matmul_grouped(const list_entry *entries, unsigned count,
                   unsigned neighbours) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < T::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, 1);
            ll_ptx_mbarrier_init(smem + T::EMPTY + 8 * s,
                                 T::WORKERS * neighbours);
        }
        ll_ptx_fence_mbarrier_init();
    }
    LL_BARRIER_CLUSTER();
    ll_ptx_griddepcontrol_launch_dependents();
    ll_ptx_griddepcontrol_wait(); /* the preceding kernel has written A and B */
    list_walk<T> w(entries, count, neighbours);
    if (threadIdx.x < 128) {
        ring_stage<T> p = {smem, 0, 1}; /* the ring is empty */
        ll_ptx_setmaxnreg_dec<40>(); /* 32 do not hold a product and a tile */
        const bool one = threadIdx.x < 32 && ll_ptx_elect();
        for (; one && w.find(); w.next()) {
            load_tile(p, w.product().maps, w.tile());
        }
    } else {
        enum : unsigned { REGISTERS = T::WORKERS == 3 ? 152 : T::REGISTERS };
        ll_ptx_setmaxnreg_inc<REGISTERS>();
        multiply_list(memory, w);
    }
    __syncwarp();
    LL_BARRIER_CLUSTER(); /* no block ends while another one signals it */
}

/* ---- The launcher -------------------------------------------------------- */

/* Launches the kernel of a form. Returns an error message, or null. */
template <class T>
static const char *launch_list_form(const gemm_list &g, cudaStream_t stream) {
    return launch_clusters(matmul_grouped<T>, list_blocks(g), g.neighbours,
                           T::THREADS, T::SMEM, stream, g.entries, g.count,
                           g.neighbours);
}
template <class... F>
static const char *launch_list(form_list<F...>, const gemm_list &g,
                               cudaStream_t stream) {
    static const char *(*const LAUNCHERS[])(const gemm_list &, cudaStream_t) = {
        launch_list_form<F>...};
    return LAUNCHERS[g.form](g, stream);
}

/* Computes all products of a list that `prepare` made. Returns an error
 * message, or null. */
static const char *launch_grouped(const gemm_list &g, cudaStream_t stream) {
    return g.tiles ? launch_list(list_forms(), g, stream) : 0;
}

#ifndef LL_NO_MAIN
#include "matmul_check.h"

/* Runs a list, checks it and prints the speed. Returns the number of faults. */
static size_t check(std::vector<list_product> products, int number) {
    const dtype in = list_operand;
    const product p = {in, in, result_of(in), false, true, 0};
    double operations = 0;
    size_t wrong = 0;
    gemm_list g;
    void *room;
    MUST(cudaMalloc(&room, products.size() * sizeof(list_entry)));
    for (list_product &x : products) {
        x.a = matrix_of(in, (size_t)x.m * x.k + 8, 1);
        x.b = matrix_of(in, (size_t)x.k * x.n, 2);
        MUST(cudaMalloc(&x.c, 2 * (size_t)x.m * x.n + 16));
        operations += 2.0 * x.m * x.n * x.k;
    }
    const char *bad = prepare(&g, room, products, number);
    const float ms = timed([&] { bad = bad ? bad : launch_grouped(g, 0); });
    for (list_product &x : products) {
        std::vector<unsigned char> host(2 * (size_t)x.m * x.n + 1);
        MUST(cudaMemcpy(host.data(), x.c, host.size() - 1,
                        cudaMemcpyDeviceToHost));
        wrong += count_wrong(p, host.data(), x.m, x.n, x.k);
        for (const void *y : {x.a, x.b, (const void *)x.c}) {
            MUST(cudaFree((void *)y));
        }
    }
    MUST(cudaFree(room));
    printf("%zu products: %s", products.size(), bad ? bad : "");
    return report_wrong(wrong, ms, 1e-9 * operations / ms, "T/s");
}

int main(int argc, char **argv) {
    std::vector<list_product> experts, odd;
    size_t wrong = 0;
    for (unsigned x = 0; x < 5; ++x) { /* 0, 43, 129, 15 and 58 rows */
        odd.push_back({0, 0, 0, 43 * x * x % 157, 8 + 64 * x, 16 + 40 * x});
    }
    if (argc == 2) {
        return check(odd, atoi(argv[1])) != 0;
    }
    for (int x = -1; x < 14; x += 3) {
        wrong += check(odd, x);
    }
    for (unsigned x = 0; x < 32 && on_gpu(); ++x) {
        experts.push_back({0, 0, 0, 37 * x, 4096, 1024});
    }
    return (wrong + (on_gpu() ? check(experts, -1) : 0)) != 0;
}

#endif
