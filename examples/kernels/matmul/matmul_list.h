/* matmul_list.h - the list of products of matmul_grouped.cu: how it gets to the
 * GPU, which tiles it is computed in, and whether the results are right.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_MATMUL_LIST_H
#define LL_MATMUL_LIST_H

#include <algorithm>
#include <vector>

/* A product of the list: C is m x n; m may be 0. */
struct item {
    void *c;
    const void *a, *b;
    unsigned m, n, k;
};

/* A list on the GPU, and the form of its tiles; `beside` blocks of a cluster
 * have neighbouring ones. */
struct grouped {
    const job *jobs;
    unsigned count, tiles, beside;
    const char *(*launch)(const grouped &, cudaStream_t);
};

template <class T>
static const char *launch_list(const grouped &g, cudaStream_t stream) {
    const unsigned most =
        resident({0, 1, 0, 0, 0, g.beside, 1, processors_here()});
    return launch_clusters(
        matmul_grouped<T>, (g.tiles < most ? g.tiles : most) * g.beside,
        g.beside, T::THREADS, T::SMEM, stream, g.jobs, g.count, g.beside);
}

/* Makes the list for tiles of a form. */
template <class T>
static const char *list(std::vector<job> &jobs, const std::vector<item> &items,
                        unsigned beside) {
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
        const char *bad =
            maps_of<T>(&j.of, x.a, x.b, {x.c, 1, x.m, x.n, x.k, beside, 1, 0});
        if (bad) {
            return bad;
        }
        j.m = x.m, j.n = x.n, j.k = x.k, j.start = tiles;
        j.end = tiles += up(x.m, T::ROWS) * up(x.n, beside * T::COLS);
        jobs.push_back(j);
    }
    return 0;
}

/* About how many cycles the list takes in tiles of a form: those of the cluster
 * that ends last. The end of a tile takes longer than in a single product, since
 * the next one may have other maps. */
static double cycles_of(const std::vector<item> &items, unsigned workers,
                        unsigned rows, unsigned beside) {
    problem p = {0, 1, 0, 0, 0, beside, 1, processors_here()};
    std::vector<double> busy(resident(p));
    size_t at = 0;
    for (const item &x : items) {
        p.m = x.m, p.n = x.n, p.k = x.k;
        if (x.m) {
            const double step = step_of(p, workers, rows, p.processors, false);
            for (unsigned t = clusters_of(p, 64 * workers, rows); t; --t) {
                busy[at++ % busy.size()] += up(x.k, DEPTH) * step + 6 * END;
            }
        }
    }
    return *std::max_element(busy.begin(), busy.end());
}

/* Makes `g` of a list: C = A B for each. `room` is device memory of sizeof(job)
 * bytes for each. Choice number x is form x / 2 with x % 2 + 1 blocks beside
 * each other; -1 stands for the best. Returns null, or a sentence that says why
 * it cannot. */
static const char *prepare(grouped *g, void *room,
                           const std::vector<item> &items, int number = -1) {
#define TRY(workers, rows)                     \
    {workers, rows, list<form<workers, rows>>, \
     launch_list<form<workers, rows>>},
    static const struct {
        unsigned workers, rows;
        const char *(*list)(std::vector<job> &, const std::vector<item> &,
                            unsigned);
        const char *(*launch)(const grouped &, cudaStream_t);
    } ALL[] = {FORMS(TRY)};
#undef TRY
    unsigned best = number < 0 ? 0 : (unsigned)number;
    double least = 0;
    for (unsigned x = 1; number < 0 && x < 2 * sizeof ALL / sizeof *ALL;
         x += 2) { /* pairs were the fastest for all lists */
        const double cycles =
            cycles_of(items, ALL[x / 2].workers, ALL[x / 2].rows, x % 2 + 1);
        if (x == 1 || cycles < least) {
            least = cycles;
            best = x;
        }
    }
    std::vector<job> jobs;
    const char *bad = ALL[best / 2].list(jobs, items, best % 2 + 1);
    *g = {(const job *)room, (unsigned)jobs.size(),
          jobs.empty() ? 0 : jobs.back().end, best % 2 + 1,
          ALL[best / 2].launch};
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
static size_t check(std::vector<item> items, int number) {
    const product p = {IN, IN, OUT_IS, false, true, 0};
    double operations = 0;
    size_t wrong = 0;
    grouped g;
    void *room;
    MUST(cudaMalloc(&room, items.size() * sizeof(job)));
    for (item &x : items) {
        x.a = matrix_of(IN, (size_t)x.m * x.k + 8, 1);
        x.b = matrix_of(IN, (size_t)x.k * x.n, 2);
        MUST(cudaMalloc(&x.c, 2 * (size_t)x.m * x.n + 16));
        operations += 2.0 * x.m * x.n * x.k;
    }
    const char *bad = prepare(&g, room, items, number);
    const float ms = timed([&] { bad = bad ? bad : launch_grouped(g, 0); });
    for (item &x : items) {
        std::vector<unsigned char> host(2 * (size_t)x.m * x.n + 1);
        MUST(cudaMemcpy(host.data(), x.c, host.size() - 1,
                        cudaMemcpyDeviceToHost));
        wrong += count_wrong(p, host.data(), x.m, x.n, x.k);
        for (const void *y : {x.a, x.b, (const void *)x.c}) {
            MUST(cudaFree((void *)y));
        }
    }
    MUST(cudaFree(room));
    printf("%zu products: %s%zu wrong, ", items.size(), bad ? bad : "", wrong);
#if LL_EMULATE
    const unsigned long long lost = emu_wavefronts("") - emu_ideal("");
    printf("%llu bank conflicts\n%s", lost, emu_errors());
    (void)ms, (void)operations;
    return wrong + lost + (size_t)emu_error_count();
#else
    printf("%.3f ms, %.1f T/s\n", ms, 1e-9 * operations / ms);
    return wrong;
#endif
}

#endif

#endif
