/* matmul_grouped.cu - how does one kernel compute a list of products?
 * SPDX-License-Identifier: MIT
 *
 * C = A B for each of a list of products, such as those of the experts of a
 * model, which have as many rows as there are tokens for them. One launch for
 * each would leave processors idle at the end of each. Here the tiles of all
 * products are numbered through, and block b takes tiles b, b + blocks, ..: the
 * copies of the next product's operands start while the last tile is computed.
 *
 * Everything else is matmul_hopper.cu: types, layouts, the ring, the products of
 * a tile. A list in global memory has the tensor maps and the sizes.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/matmul_grouped.cu -o matmul_grouped
 *        without a GPU:
 *        tests/emu/emucc -I. examples/matmul_grouped.cu -o matmul_grouped
 */
#ifndef FORMS
#define FORMS(F)                                                            \
    F(2, 32) F(2, 64) F(2, 128) F(2, 208) F(2, 256) F(3, 96) F(3, 128) F(3, 176)
#endif
#define LL_NO_MAIN
#include "matmul_hopper.cu"

#include <math.h>
#include <vector>

/* A product of the list: C is m x n, its rows may be none. */
struct item {
    void *c;
    const void *a, *b;
    unsigned m, n, k;
};

/* The same in global memory: its tiles are those from `start` to below `end`. */
struct alignas(128) job {
    CUtensorMap a, b, c;
    unsigned m, n, k, start, end;
};

/* The tiles of a block, one after the other. */
template <class T> struct walk {
    const job *at, *last;
    unsigned number;
    __device__ walk(const job *jobs, unsigned count)
        : at(jobs), last(jobs + count), number(blockIdx.x) {}
    __device__ bool more() {
        while (at < last && number >= at->end) {
            ++at;
        }
        return at < last;
    }
    __device__ tiles<T> tile() const {
        tiles<T> t(problem{0, 1, at->m, at->n, at->k, 1, 1});
        t.find(number - at->start);
        return t;
    }
    __device__ void next() { number += gridDim.x; }
};

/* One thread: starts the copies of all tiles. */
template <class T>
static __device__ void produce_all(unsigned smem, walk<T> w) {
    place<T> p = {smem, 0, 1}; /* the ring is empty */
    for (; w.more(); w.next()) {
        const tiles<T> t = w.tile();
        for (unsigned s = 0; s < t.steps; ++s) {
            const int at = (int)(s * DEPTH);
            ll_ptx_mbarrier_wait(p.empty(), p.parity);
            ll_ptx_mbarrier_arrive_expect_tx(p.full(), T::STAGE);
            ll_ptx_cp_async_bulk_tensor_load_2d(p.b(), &w.at->b, p.full(), at,
                                                (int)t.col);
            ll_ptx_cp_async_bulk_tensor_load_2d(p.a(), &w.at->a, p.full(), at,
                                                (int)t.row);
            p.next();
        }
    }
}

/* The tiles of a warpgroup. */
template <class T>
static __device__ void work_all(unsigned char *memory, walk<T> w) {
    const unsigned worker = threadIdx.x / 128 - 1;
    unsigned char *c = memory + T::AT_C + worker * T::BYTES_C;
    float sum[T::ROWS / 2];
    place<T> at = {(unsigned)__cvta_generic_to_shared(memory), 0, 0};
    for (; w.more(); w.next()) {
        const tiles<T> t = w.tile();
        const unsigned col = t.col + 64 * worker;
        multiply<T>(sum, worker, t, at);
        store<T::PART>(sum, 1, c, &w.at->c, t.row, col);
        if constexpr (T::PART < T::ROWS) {
            store<T::ROWS - T::PART>(sum + T::PART / 2, 1, c, &w.at->c,
                                     t.row + T::PART, col);
        }
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group<0>();
    }
}

template <class T>
__global__ void __launch_bounds__(T::THREADS, 1)
    matmul_grouped(const job *jobs, unsigned count) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const walk<T> w(jobs, count);
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < T::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, 1);
            ll_ptx_mbarrier_init(smem + T::EMPTY + 8 * s, T::WORKERS);
        }
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    ll_ptx_griddepcontrol_wait(); /* what ran before has written A and B */
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<32>();
        if (threadIdx.x == 0) {
            produce_all<T>(smem, w);
        }
    } else {
        ll_ptx_setmaxnreg_inc<T::REGISTERS>();
        work_all<T>(memory, w);
    }
}

/* ---- The launcher -------------------------------------------------------- */

/* The list for tiles of a form; the number of tiles. */
template <class T>
static const char *list(std::vector<job> &jobs, const std::vector<item> &items) {
    unsigned tiles = 0;
    for (const item &x : items) {
        job j;
        if (!x.n || !x.k || x.n % 8 || x.k * BITS % 128) {
            return "n and k are at least 1, n is a multiple of 8 and a row of "
                   "k a multiple of 16 bytes";
        }
        if (!x.m) {
            continue;
        }
        const char *bad = map_of_rows(&j.a, x.a, TYPE_IN, x.m, x.k, T::ROWS,
                                      BOX.box[0]);
        bad = bad ? bad
                  : map_of_rows(&j.b, x.b, TYPE_IN, x.n, x.k, T::COLS,
                                BOX.box[0]);
        bad = bad ? bad
                  : map_of_rows(&j.c, x.c, TYPE_OUT, x.m, x.n, BOX_C.box[1],
                                BOX_C.box[0]);
        if (bad) {
            return bad;
        }
        j.m = x.m, j.n = x.n, j.k = x.k;
        j.start = tiles;
        tiles += up(x.m, T::ROWS) * up(x.n, T::COLS);
        j.end = tiles;
        jobs.push_back(j);
    }
    return 0;
}

/* A list on the GPU, and the form of its tiles. */
struct grouped {
    const job *jobs;
    unsigned count, tiles;
    const char *(*launch)(const grouped &, cudaStream_t);
};

template <class T>
static const char *launch_list(const grouped &g, cudaStream_t stream) {
    const unsigned most = processors_here();
    return launch_clusters(matmul_grouped<T>, g.tiles < most ? g.tiles : most,
                           1, T::THREADS, T::SMEM, stream, g.jobs, g.count);
}

/* About how many cycles the list takes in tiles of a form. */
static double cycles_of(const std::vector<item> &items, unsigned workers,
                        unsigned rows) {
    double tiles = 0, cycles = 0;
    for (const item &x : items) {
        const unsigned count = up(x.m, rows) * up(x.n, 64 * workers);
        tiles += count;
        cycles += count * cycles_of({0, 1, rows, 64 * workers, x.k, 1, 1},
                                    workers, rows, DEPTH, processors_here());
    }
    return ceil(tiles / processors_here()) * cycles / (tiles > 0 ? tiles : 1);
}

/* Makes `g` of a list: C = A B for each. `room` is device memory of sizeof(job)
 * bytes for each. Returns null, or a sentence that says why it cannot. */
static const char *prepare(grouped *g, void *room,
                           const std::vector<item> &items, int number = -1) {
#define TRY(workers, rows)                                                  \
    {workers, rows, list<form<workers, rows>>,                              \
     launch_list<form<workers, rows>>},
    static const struct {
        unsigned workers, rows;
        const char *(*list)(std::vector<job> &, const std::vector<item> &);
        const char *(*launch)(const grouped &, cudaStream_t);
    } ALL[] = {FORMS(TRY)};
#undef TRY
    unsigned best = 0;
    for (unsigned x = 1; x < sizeof ALL / sizeof *ALL; ++x) {
        best = cycles_of(items, ALL[x].workers, ALL[x].rows) <
                       cycles_of(items, ALL[best].workers, ALL[best].rows)
                   ? x
                   : best;
    }
    best = number < 0 ? best : (unsigned)number;
    std::vector<job> jobs;
    const char *bad = ALL[best].list(jobs, items);
    *g = {(const job *)room, (unsigned)jobs.size(),
          jobs.empty() ? 0 : jobs.back().end, ALL[best].launch};
    MUST(cudaMemcpy(room, jobs.data(), jobs.size() * sizeof(job),
                    cudaMemcpyHostToDevice));
    return bad;
}

/* Computes all products of a list; see prepare. */
static const char *launch_grouped(const grouped &g, cudaStream_t stream) {
    return g.tiles ? g.launch(g, stream) : 0;
}

#ifndef LL_NO_MAIN_GROUPED

/* Runs a list, checks it and prints the speed; returns what is wrong. */
static size_t check(const std::vector<item> &sizes, int number) {
    std::vector<item> items = sizes;
    grouped g;
    const char *bad = 0;
    size_t wrong = 0;
    double operations = 0;
    void *room;
    MUST(cudaMalloc(&room, items.size() * sizeof(job)));
    for (item &x : items) {
        x.a = matrix_of(IN, (size_t)x.m * x.k + 8, 1);
        x.b = matrix_of(IN, (size_t)x.k * x.n, 2);
        MUST(cudaMalloc(&x.c, 2 * (size_t)x.m * x.n + 16));
        operations += 2.0 * x.m * x.n * x.k;
    }
    bad = prepare(&g, room, items, number);
    const float ms = timed([&] { bad = bad ? bad : launch_grouped(g, 0); });
    printf("%zu products: ", items.size());
    const product p = {IN, IN, OUT_IS, false, true, 0};
    for (item &x : items) {
        std::vector<unsigned char> host(2 * (size_t)x.m * x.n + 1);
        MUST(cudaMemcpy(host.data(), x.c, host.size() - 1,
                        cudaMemcpyDeviceToHost));
        wrong += bad ? 1 : count_wrong(p, host.data(), x.m, x.n, x.k);
        MUST(cudaFree((void *)x.a));
        MUST(cudaFree((void *)x.b));
        MUST(cudaFree(x.c));
    }
    MUST(cudaFree(room));
    if (bad) {
        printf("%s\n", bad);
        return 1;
    }
#if LL_EMULATE
    const unsigned long long lost = emu_wavefronts("") - emu_ideal("");
    printf("%zu wrong, %llu bank conflicts\n%s", wrong, lost, emu_errors());
    (void)ms, (void)operations;
    return wrong + lost + (size_t)emu_error_count();
#else
    printf("%zu wrong, %.3f ms, %.1f T/s\n", wrong, ms,
           1e-9 * operations / ms);
    return wrong;
#endif
}

int main(void) {
    size_t wrong = 0;
    const std::vector<item> odd = {{0, 0, 0, 40, 136, 144},
                                   {0, 0, 0, 0, 64, 64},
                                   {0, 0, 0, 1, 8, 16},
                                   {0, 0, 0, 130, 264, 80},
                                   {0, 0, 0, 17, 72, 200}};
    for (int x = -1; x < 8; ++x) {
        wrong += check(odd, x);
    }
    if (on_gpu()) {
        std::vector<item> experts;
        for (unsigned x = 0; x < 32; ++x) {
            experts.push_back({0, 0, 0, 37 * x, 4096, 2048});
        }
        wrong += check(experts, -1);
    }
    return wrong != 0;
}

#endif
