/* test_matmul_exchange.cu - the GEMM of matmul_exchange.h gives each element of
 * C to its owner.
 * SPDX-License-Identifier: MIT
 *
 * Ranks are memories of one GPU; their kernels run one after the other. A and B
 * are small whole numbers, so every element is exact. The shardings of C and
 * the element at each offset are those of reshard.h, not of the plan.
 */
#include "../../examples/kernels/hopper.h"
#include "../../examples/kernels/matmul/matmul_check.h"
#include "../../examples/kernels/matmul/matmul_exchange.h"
#include <string.h>
#include <vector>

using namespace ll_kernels;

enum { ANY = 99 };

static int passed, failed;

static void expect(bool good, const char *what) {
    passed += good;
    failed += !good;
    if (!good) {
        printf("FAIL %s\n", what);
    }
}

/* C of 2^rows x 2^cols elements, sharded among 2^gpus ranks as `to`; and how it
 * is computed: two multiprocessors have some tiles each. */
struct exchanged {
    unsigned rows, cols, gpus, to, k, order, form, neighbours;
    bool stacked;
};

static exchange_sharding sharding_of(const exchanged &x) {
    return exchange_sharding_of(
        columns_of_ranks(1u << x.rows, 1u << x.cols, x.gpus),
        sharding(x.to, x.rows, x.cols, x.gpus));
}

static std::vector<int> values(size_t n, unsigned seed) {
    std::vector<int> all(n);
    for (size_t x = 0; x < n; ++x) {
        all[x] = value_at(x, seed);
    }
    return all;
}

struct ranks_of_c {
    exchange_memory m;
    void *a, *b;
    size_t bytes;
};

static ranks_of_c open_ranks(const exchanged &x) {
    ranks_of_c r = {};
    r.a = matrix_of(dtype::bf16, (size_t)x.k << x.rows, 1);
    r.b = matrix_of(dtype::bf16, (size_t)x.k << x.cols, 2);
    r.bytes = (size_t)2 << (x.rows + x.cols - x.gpus);
    r.m.a = r.a, r.m.b = r.b;
    r.m.order = x.order;
    for (unsigned k = 0; k < 1u << x.gpus; ++k) {
        MUST(cudaMalloc(&r.m.c[k], r.bytes));
        MUST(cudaMalloc((void **)&r.m.flags[k], EXCHANGE_FLAGS * 4));
        MUST(cudaMemset(r.m.flags[k], 0, EXCHANGE_FLAGS * 4));
    }
    return r;
}

static void close_ranks(const ranks_of_c &r, const exchanged &x) {
    for (unsigned k = 0; k < 1u << x.gpus; ++k) {
        MUST(cudaFree(r.m.c[k]));
        MUST(cudaFree(r.m.flags[k]));
    }
    MUST(cudaFree(r.a));
    MUST(cudaFree(r.b));
}

/* Runs the kernels of all ranks; all are marked ready before. */
static const char *run(const ranks_of_c &r, const exchanged &x, unsigned call) {
    const std::vector<unsigned> ready(RESHARD_RANKS, call);
    const char *bad = 0;
    for (unsigned k = 0; k < 1u << x.gpus; ++k) {
        MUST(cudaMemset(r.m.c[k], 0xee, r.bytes));
        MUST(cudaMemcpy(r.m.flags[k], ready.data(), RESHARD_RANKS * 4,
                        cudaMemcpyHostToDevice));
    }
    for (unsigned k = 0; k < 1u << x.gpus && !bad; ++k) {
        exchange_memory m = r.m;
        m.rank = k;
        m.b = (const char *)m.b + (((size_t)2 * x.k * k) << (x.cols - x.gpus));
        bad = x.form == ANY ? launch_matmul_exchange(sharding_of(x), m, x.k)
                            : launch_exchange_number(
                                  exchange_forms(), x.form, sharding_of(x), m,
                                  {0, 1, 1u << x.rows, 1u << (x.cols - x.gpus),
                                   x.k, x.neighbours, 1, 2, x.stacked});
    }
    MUST(cudaDeviceSynchronize());
    return bad;
}

static size_t wrong_in(const ranks_of_c &r, const exchanged &x) {
    const ll_layout b = sharding(x.to, x.rows, x.cols, x.gpus);
    const std::vector<int> of_a = values((size_t)x.k << x.rows, 1);
    const std::vector<int> of_b = values((size_t)x.k << x.cols, 2);
    std::vector<unsigned char> data(r.bytes);
    size_t wrong = 0;
    for (unsigned k = 0; k < 1u << x.gpus; ++k) {
        MUST(
            cudaMemcpy(data.data(), r.m.c[k], r.bytes, cudaMemcpyDeviceToHost));
        for (unsigned o = 0; o < r.bytes / 2; ++o) {
            const unsigned y = ll_apply(b, k << b.in.bits[0] | o);
            const int *const i = &of_a[ll_unpack(b.out, LL_I, y) * x.k];
            const int *const j = &of_b[ll_unpack(b.out, LL_J, y) * x.k];
            long long sum = 0;
            for (unsigned z = 0; z < x.k; ++z) {
                sum += i[z] * j[z];
            }
            wrong += !is_right(dtype::bf16, &data[2 * o], sum);
        }
    }
    return wrong;
}

/* The flags after `call` calls: all ranks are done, and nobody was late. */
static bool are_done(const ranks_of_c &r, const exchanged &x, unsigned call) {
    bool good = true;
    for (unsigned k = 0; k < 1u << x.gpus; ++k) {
        unsigned f[EXCHANGE_FLAGS];
        MUST(cudaMemcpy(f, r.m.flags[k], sizeof f, cudaMemcpyDeviceToHost));
        for (unsigned q = 0; q < 1u << x.gpus; ++q) {
            good = good && f[q] == call && f[RESHARD_RANKS + q] == call;
        }
        good = good && !f[RESHARD_LATE] && !f[EXCHANGE_DONE] &&
               f[EXCHANGE_CALLS] == call;
    }
    return good;
}

static void exchanges(const exchanged &x) {
    const ranks_of_c r = open_ranks(x);
    char what[200];
    for (unsigned call = 1; call <= 2; ++call) {
        const char *const bad = run(r, x, call);
        const size_t wrong = bad ? 1 : wrong_in(r, x);
        snprintf(what, sizeof what,
                 "2^%u x 2^%u x %u, %u ranks, sharding %u, order %u, form %u: "
                 "%zu wrong%s%s",
                 x.rows, x.cols, x.k, 1u << x.gpus, x.to, x.order, x.form,
                 wrong, bad ? ", " : "", bad ? bad : "");
        expect(!wrong, what);
        expect(are_done(r, x, call), "flags after a call");
    }
    close_ranks(r, x);
}

/* Partial sums of two ranks, which have 16 of k each. Parts are at most 256, so
 * bf16 holds them. */
static void adds_parts(unsigned order) {
    const exchanged x = {8, 8, 1, BY_ROW, 16, order, 3, 1, false};
    const unsigned m = 256, n = 256, k = 16, half = m / 2;
    const exchange_sharding s =
        exchange_sharding_of(parts_of_ranks(m, n, 1), rows_of_parts(m, n, 1));
    std::vector<int> a[2], b[2];
    ranks_of_c r = open_ranks({9, 8, 1, BY_ROW, k, order, 3, 1, false});
    for (unsigned z = 0; z < 2; ++z) {
        const std::vector<unsigned> ready(RESHARD_RANKS, 1);
        MUST(cudaMemcpy(r.m.flags[z], ready.data(), RESHARD_RANKS * 4,
                        cudaMemcpyHostToDevice));
        a[z] = values(m * k, 3 + z), b[z] = values(n * k, 5 + z);
    }
    for (unsigned z = 0; z < 2; ++z) {
        exchange_memory one = r.m;
        one.rank = z;
        one.a = matrix_of(dtype::bf16, m * k, 3 + z);
        one.b = matrix_of(dtype::bf16, n * k, 5 + z);
        expect(!launch_exchange_number(exchange_forms(), x.form, s, one,
                                       {0, 1, m, n, k, 1, 1, 2, false}),
               "a launch with partial sums");
    }
    for (unsigned z = 0; z < 2; ++z) {
        std::vector<unsigned char> data(half * n * 2);
        void *sums;
        size_t wrong = 0;
        MUST(cudaMalloc(&sums, data.size()));
        expect(!launch_add_parts(sums, r.m.c[z], half * n, 2), "an addition");
        MUST(cudaDeviceSynchronize());
        MUST(
            cudaMemcpy(data.data(), sums, data.size(), cudaMemcpyDeviceToHost));
        for (unsigned y = 0; y < half * n; ++y) {
            const unsigned i = z * half + y / n, j = y % n;
            long long sum = 0;
            for (unsigned w = 0; w < 2 * k; ++w) {
                sum += a[w / k][i * k + w % k] * b[w / k][j * k + w % k];
            }
            wrong += !is_right(dtype::bf16, &data[2 * y], sum);
        }
        expect(!wrong, "sums of parts");
        MUST(cudaFree(sums));
    }
    expect(are_done(r, x, 1), "flags after partial sums");
    close_ranks(r, x);
}

/* Which shardings no box fits, and what the launcher says. */
static void refuses(const exchanged &x, const char *starts) {
    const ranks_of_c r = open_ranks(x);
    const char *const bad = run(r, x, 1);
    expect(bad && !strncmp(bad, starts, strlen(starts)), bad ? bad : starts);
    close_ranks(r, x);
}

/* Each tile comes once; the tiles of the own rank last, or in turns. */
static void orders(unsigned order, unsigned turn) {
    const exchanged x = {13, 13, 2, BY_ROW, 64, order, ANY, 1, false};
    const exchange_form form = {256, 256, 64, 1};
    for (unsigned rank = 0; rank < 4; ++rank) {
        exchange_plan p = {};
        expect(!make_exchange_plan(&p, sharding_of(x), form, rank, order),
               "a plan");
        std::vector<unsigned> seen(1u << p.tile_bits);
        bool good = p.tile_bits == 8;
        for (unsigned t = 0; t < 1u << p.tile_bits; ++t) {
            const exchange_tile at = tile_at(p, t);
            good = good && !seen[at.row * 8 + at.col]++;
            const unsigned owner = place_of(p, at.row * 256, at.col * 256).rank;
            good = good && owner == at.row / 8 &&
                   owner == (rank ^ (3u - t / turn % 4));
        }
        expect(good, "the order of tiles");
    }
}

/* Each tile comes once; the own ones are the last that run together, and the
 * others are spread over those before. */
static void spreads(unsigned running, unsigned gpus) {
    const exchanged x = {13,  13, gpus, BY_ROW, 64, EXCHANGE_SPREAD,
                         ANY, 1,  false};
    const exchange_form form = {256, 256, 64, running};
    const unsigned all = 1024u >> gpus, own = all >> gpus;
    for (unsigned rank = 0; rank < 1u << gpus; ++rank) {
        exchange_plan p = {};
        expect(!make_exchange_plan(&p, sharding_of(x), form, rank, x.order),
               "a plan that spreads");
        std::vector<unsigned> seen(all);
        const unsigned last = running < own ? running : own;
        unsigned sent = 0;
        bool good = 1u << p.tile_bits == all;
        for (unsigned t = 0; t < all; ++t) {
            const exchange_tile at = tile_at(p, tile_number(p, t));
            good = good && !seen[at.row * (32u >> gpus) + at.col]++;
            sent += place_of(p, at.row * 256, at.col * 256).rank != rank;
            const unsigned even = (t + 1) * (all - own) / (all - last);
            good = good &&
                   (t + last >= all ? sent == all - own
                                    : sent + 32 >= even && sent <= even + 32);
        }
        expect(good, "a spread of tiles");
    }
}

int main(void) {
    const unsigned first = EXCHANGE_FIRST;
    exchanges({7, 8, 1, BY_ROW, 64, first, ANY, 1, false});
    exchanges({8, 8, 1, BY_ROW, 72, first, 3, 1, false});
    exchanges({8, 8, 1, BY_ROW, 136, 1, 3, 1, false});
    exchanges({10, 8, 1, BY_ROW, 64, EXCHANGE_SPREAD, 3, 1, false});
    exchanges({8, 8, 2, BY_ROW, 64, first, 3, 1, false});
    exchanges({8, 9, 1, BY_BLOCK, 64, first, 3, 2, false});
    exchanges({8, 9, 1, BY_HEAD, 64, first, 2, 1, false});
    exchanges({8, 8, 1, BY_PIECE, 64, first, 3, 2, true});
    exchanges({9, 9, 1, BY_ROW, 64, first, 0, 2, false});
    exchanges({9, 8, 1, BY_ROW, 128, first, 1, 2, true});
    adds_parts(EXCHANGE_FIRST);
    adds_parts(2);
    refuses({8, 9, 1, BY_COLUMN, 64, first, ANY, 1, false}, "16 rows x 64");
    refuses({8, 9, 1, BY_TURNS, 64, first, ANY, 1, false}, "16 rows x 64");
    refuses({8, 9, 1, BY_ROW, 4, first, ANY, 1, false}, "k must be");
    orders(EXCHANGE_FIRST, 64);
    orders(4, 16);
    spreads(64, 1);
    spreads(66, 1);
    spreads(132, 2);
#if LL_EMULATE
    printf("%s", emu_errors());
    failed += (int)emu_error_count();
#endif
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
