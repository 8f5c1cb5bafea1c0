/* matmul_grouped.cu - how does one kernel compute a list of products?
 * SPDX-License-Identifier: MIT
 *
 * C = A B for each of a list of products, such as those of the experts of a
 * model, which have as many rows as there are tokens for them. One launch for
 * each would leave processors idle at its end. Here the tiles of all products
 * are numbered through, and cluster c takes tiles c, c + clusters, ..: the
 * copies for the next product start while the last one is computed. All else is
 * matmul_hopper.cu. A list in global memory has the tensor maps and sizes;
 * matmul_list.h makes it and chooses the tiles.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/kernels/matmul/matmul_grouped.cu -o matmul_grouped
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   matmul_grouped [CHOICE]: the small list by one choice of prepare
 */
#ifdef LL_NO_MAIN
#define LL_NO_MAIN_GROUPED
#else
#define LL_NO_MAIN
#endif
#define LL_NO_LAUNCH
#define FORMS(F) \
    F(2, 32) F(2, 64) F(2, 128) F(2, 208) F(2, 256) F(3, 96) F(3, 128) F(3, 176)
#include "matmul_hopper.cu"

/* A product of the list in global memory: C is m x n; its tiles are `start` to
 * below `end`. */
struct alignas(128) job {
    maps of;
    unsigned m, n, k, start, end;
};

/* The tiles of a cluster, one after another. */
template <class T> struct walk {
    const job *const jobs;
    unsigned at, count, x, beside;
    __device__ walk(const job *all, unsigned number, unsigned by)
        : jobs(all), at(0), count(number), x(blockIdx.x / by), beside(by) {}
    __device__ bool more() { /* finds the product of tile x */
        while (at < count && x >= jobs[at].end) {
            ++at;
        }
        return at < count;
    }
    __device__ void next() { x += gridDim.x / beside; }
    __device__ const job &product() const { return jobs[at]; }
    __device__ tiles<T> tile() const {
        const job &j = product();
        tiles<T> t(problem{0, 1, j.m, j.n, j.k, beside, 1, 0});
        t.find(x - j.start);
        return t;
    }
};

/* The tiles of a warpgroup. */
template <class T>
static __device__ void work_list(unsigned char *memory, walk<T> w) {
    const unsigned worker = uniform(threadIdx.x / 128) - 1;
    unsigned char *const to = memory + T::AT_C + worker * T::BYTES_C;
    flow<T> f = {{uniform((unsigned)__cvta_generic_to_shared(memory)), 0, 0}};
    float sum[T::ROWS / 2];
    words<T> c;
    if (w.more()) {
        f.begin(sum, worker, w.tile().steps);
        for (;;) {
            const tiles<T> t = w.tile();
            const maps &of = w.product().of;
            f.finish(sum, worker, t, w.beside);
            c.round(sum);
            w.next();
            if (!w.more()) {
                store_last(c, memory, worker, of, t.row, t.col + 64 * worker);
                break;
            }
            f.begin(sum, worker, w.tile().steps); /* the next tile */
            store(c, to, of, t.row, t.col + 64 * worker,
                  [&] { f.step(sum, worker, t, w.beside); });
        }
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group_read<0>();
    }
}

template <class T>
__global__ void __launch_bounds__(T::THREADS, 1)
    matmul_grouped(const job *jobs, unsigned count, unsigned beside) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < T::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, 1);
            ll_ptx_mbarrier_init(smem + T::EMPTY + 8 * s, T::WORKERS * beside);
        }
        ll_ptx_fence_mbarrier_init();
    }
    LL_BARRIER_CLUSTER();
    ll_ptx_griddepcontrol_launch_dependents();
    ll_ptx_griddepcontrol_wait(); /* what ran before has written A and B */
    walk<T> w(jobs, count, beside);
    if (threadIdx.x < 128) {
        place<T> p = {smem, 0, 1};   /* the ring is empty */
        ll_ptx_setmaxnreg_dec<40>(); /* 32 do not hold a product and a tile */
        const bool one = threadIdx.x < 32 && ll_ptx_elect();
        for (; one && w.more(); w.next()) {
            load(p, w.product().of, w.tile());
        }
    } else {
        enum : unsigned { REGISTERS = T::WORKERS == 3 ? 152 : T::REGISTERS };
        ll_ptx_setmaxnreg_inc<REGISTERS>();
        work_list(memory, w);
    }
    __syncwarp();
    LL_BARRIER_CLUSTER(); /* nobody signals a block that has ended */
}

#include "matmul_list.h"

#ifndef LL_NO_MAIN_GROUPED

int main(int argc, char **argv) {
    std::vector<item> experts, odd;
    size_t wrong = 0;
    for (unsigned x = 0; x < 5; ++x) { /* of 0, 43, 129, 15, 58 rows */
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
