/* matmul_list.h - makes the list of GEMMs of matmul_grouped.cu on the GPU, and
 * chooses the tiles that it is computed in
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_MATMUL_LIST_H
#define LL_MATMUL_LIST_H

#include "matmul_choice.h"
#include "matmul_maps.h"
#include <algorithm>
#include <vector>

namespace ll_kernels {

constexpr dtype list_operand = dtype::bf16;
typedef form_list<
    gemm_form<list_operand, 2, 32>, gemm_form<list_operand, 2, 64>,
    gemm_form<list_operand, 2, 128>, gemm_form<list_operand, 2, 208>,
    gemm_form<list_operand, 2, 256>, gemm_form<list_operand, 3, 96>,
    gemm_form<list_operand, 3, 128>, gemm_form<list_operand, 3, 176>>
    list_forms;

/* A product of a list on the host: C is m x n; m may be 0. */
struct list_product {
    void *c;
    const void *a, *b;
    unsigned m, n, k;
};

/* A product of a list in global memory: C is m x n; its tiles are `start` to
 * below `end`. */
struct alignas(128) list_entry {
    gemm_maps maps;
    unsigned m, n, k, start, end;
};

/* A list on the GPU.
 *   count       number of entries
 *   tiles       of all entries
 *   neighbours  blocks of a cluster, which have neighbouring tiles
 *   form        the number of its form in list_forms */
struct gemm_list {
    const list_entry *entries;
    unsigned count, tiles, neighbours, form;
};

/* Returns the blocks of a launch. */
static unsigned list_blocks(const gemm_list &g) {
    const unsigned most =
        resident_clusters({0, 1, 0, 0, 0, g.neighbours, 1, processors_here()});
    return (g.tiles < most ? g.tiles : most) * g.neighbours;
}

/* Appends the entries of a list for tiles of the form T. Returns an error
 * message, or null. */
template <class T>
static const char *make_entries(std::vector<list_entry> &entries,
                                const std::vector<list_product> &products,
                                unsigned neighbours) {
    unsigned tiles = 0;
    for (const list_product &x : products) {
        list_entry j;
        if (!x.n || !x.k || x.n % 8 || x.k * T::BITS % 128) {
            return "n and k are at least 1, n is a multiple of 8 and a row of "
                   "k a multiple of 16 bytes";
        }
        if (!x.m) {
            continue;
        }
        const char *bad = make_maps<T>(
            &j.maps, x.a, x.b, {x.c, 1, x.m, x.n, x.k, neighbours, 1, 0});
        if (bad) {
            return bad;
        }
        j.m = x.m, j.n = x.n, j.k = x.k, j.start = tiles;
        j.end = tiles +=
            div_up(x.m, T::ROWS) * div_up(x.n, neighbours * T::COLS);
        entries.push_back(j);
    }
    return 0;
}

/* Estimates the cycles of a list in tiles of a form: those of the cluster that
 * ends last. The end of a tile takes longer than in a single GEMM, since the
 * next tile may have other maps. */
static double list_cycles(const std::vector<list_product> &products,
                          unsigned workers, unsigned rows,
                          unsigned neighbours) {
    const unsigned depth = gemm_layouts<list_operand>::DEPTH;
    gemm_problem p = {0, 1, 0, 0, 0, neighbours, 1, processors_here()};
    std::vector<double> busy(resident_clusters(p));
    size_t at = 0;
    for (const list_product &x : products) {
        p.m = x.m, p.n = x.n, p.k = x.k;
        if (x.m) {
            const double step =
                step_cycles(p, workers, rows, p.processors, false);
            for (unsigned t = cluster_count(p, 64 * workers, rows); t; --t) {
                busy[at++ % busy.size()] +=
                    div_up(x.k, depth) * step + 6 * TILE_END_CYCLES;
            }
        }
    }
    return *std::max_element(busy.begin(), busy.end());
}

/* prepare for a list of forms. */
template <class... F>
static const char *prepare_forms(form_list<F...>, gemm_list *g, void *room,
                                 const std::vector<list_product> &products,
                                 int number) {
    static const struct {
        unsigned workers, rows;
        const char *(*make)(std::vector<list_entry> &,
                            const std::vector<list_product> &, unsigned);
    } ALL[] = {{F::WORKERS, F::ROWS, make_entries<F>}...};
    unsigned best = number < 0 ? 0 : (unsigned)number;
    double least = 0;
    for (unsigned x = 1; number < 0 && x < 2 * sizeof...(F);
         x += 2) { /* pairs were the fastest for all lists */
        const double cycles = list_cycles(products, ALL[x / 2].workers,
                                          ALL[x / 2].rows, x % 2 + 1);
        if (x == 1 || cycles < least) {
            least = cycles;
            best = x;
        }
    }
    std::vector<list_entry> entries;
    const char *bad = ALL[best / 2].make(entries, products, best % 2 + 1);
    *g = {(const list_entry *)room, (unsigned)entries.size(),
          entries.empty() ? 0 : entries.back().end, best % 2 + 1, best / 2};
    MUST(cudaMemcpy(room, entries.data(), entries.size() * sizeof(list_entry),
                    cudaMemcpyHostToDevice));
    return bad;
}

/* Makes `g` of a list: C = A B for each product. Returns an error message, or
 * null.
 *   room    device memory, sizeof(list_entry) bytes for each product
 *   number  choice x is form x / 2 in clusters of x % 2 + 1 neighbours; -1 is
 *           the best by an estimate */
static const char *prepare(gemm_list *g, void *room,
                           const std::vector<list_product> &products,
                           int number = -1) {
    return prepare_forms(list_forms(), g, room, products, number);
}

} // namespace ll_kernels

#endif
