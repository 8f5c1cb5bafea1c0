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

static int passed, failed;

static void expect(bool good, const char *what) {
    passed += good;
    failed += !good;
    if (!good) {
        printf("FAIL %s\n", what);
    }
}

/* C of 2^rows x 2^cols elements, sharded among 2^gpus ranks as `to`. */
struct exchanged {
    unsigned rows, cols, gpus, to, k, order;
};

static exchange_sharding sharding_of(const exchanged &x) {
    return exchange_sharding_of(
        columns_of_ranks(1u << x.rows, 1u << x.cols, x.gpus),
        sharding(x.to, x.rows, x.cols, x.gpus));
}

static long long element_of_c(unsigned i, unsigned j, unsigned k) {
    long long sum = 0;
    for (unsigned z = 0; z < k; ++z) {
        sum += (long long)value_at((size_t)i * k + z, 1) *
               value_at((size_t)j * k + z, 2);
    }
    return sum;
}

struct ranks_of_c {
    exchange_memory m;
    void *a;
    size_t bytes;
};

static ranks_of_c open_ranks(const exchanged &x) {
    ranks_of_c r = {};
    r.a = matrix_of(dtype::bf16, (size_t)x.k << x.rows, 1);
    r.m.b = matrix_of(dtype::bf16, (size_t)x.k << x.cols, 2);
    r.bytes = (size_t)2 << (x.rows + x.cols - x.gpus);
    r.m.a = r.a;
    r.m.order = x.order;
    for (unsigned k = 0; k < 1u << x.gpus; ++k) {
        MUST(cudaMalloc(&r.m.c[k], r.bytes));
        MUST(cudaMalloc((void **)&r.m.flags[k], EXCHANGE_FLAGS * 4));
        MUST(cudaMemset(r.m.flags[k], 0, EXCHANGE_FLAGS * 4));
    }
    return r;
}

/* Runs the kernels of all ranks; all are marked ready before. */
static const char *run(const ranks_of_c &r, const exchanged &x,
                       unsigned call) {
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
        bad = launch_matmul_exchange(sharding_of(x), m, x.k);
    }
    MUST(cudaDeviceSynchronize());
    return bad;
}

static size_t wrong_in(const ranks_of_c &r, const exchanged &x) {
    const ll_layout b = sharding(x.to, x.rows, x.cols, x.gpus);
    std::vector<unsigned char> data(r.bytes);
    size_t wrong = 0;
    for (unsigned k = 0; k < 1u << x.gpus; ++k) {
        MUST(cudaMemcpy(data.data(), r.m.c[k], r.bytes,
                        cudaMemcpyDeviceToHost));
        for (unsigned o = 0; o < r.bytes / 2; ++o) {
            const unsigned y = ll_apply(b, k << b.in.bits[0] | o);
            wrong += !is_right(dtype::bf16, &data[2 * o],
                               element_of_c(ll_unpack(b.out, LL_I, y),
                                            ll_unpack(b.out, LL_J, y), x.k));
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
                 "2^%u x 2^%u x %u, %u ranks, sharding %u, order %u: %zu "
                 "wrong%s%s",
                 x.rows, x.cols, x.k, 1u << x.gpus, x.to, x.order, wrong,
                 bad ? ", " : "", bad ? bad : "");
        expect(!wrong, what);
        expect(are_done(r, x, call), "flags after a call");
    }
}

/* Which shardings no box fits, and what the launcher says. */
static void refuses(const exchanged &x, const char *starts) {
    const ranks_of_c r = open_ranks(x);
    const char *const bad = run(r, x, 1);
    expect(bad && !strncmp(bad, starts, strlen(starts)), bad ? bad : starts);
}

/* Each tile comes once; the tiles of the own rank last, or in turns. */
static void orders(unsigned order, unsigned turn) {
    const exchanged x = {13, 13, 2, BY_ROW, 64, order};
    const exchange_form form = {256, 256, 64};
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

int main(void) {
    exchanges({7, 8, 1, BY_ROW, 64, EXCHANGE_FIRST});
    exchanges({9, 10, 1, BY_ROW, 136, EXCHANGE_FIRST});
    exchanges({9, 10, 1, BY_ROW, 64, 1});
    exchanges({9, 10, 2, BY_ROW, 64, EXCHANGE_FIRST});
    exchanges({9, 10, 1, BY_BLOCK, 64, EXCHANGE_FIRST});
    exchanges({9, 10, 1, BY_HEAD, 64, EXCHANGE_FIRST});
    exchanges({8, 9, 1, BY_PIECE, 64, EXCHANGE_FIRST});
    refuses({8, 9, 1, BY_COLUMN, 64, EXCHANGE_FIRST}, "16 rows x 64 columns");
    refuses({8, 9, 1, BY_TURNS, 64, EXCHANGE_FIRST}, "16 rows x 64 columns");
    refuses({8, 9, 1, BY_ROW, 4, EXCHANGE_FIRST}, "k must be");
    orders(EXCHANGE_FIRST, 64);
    orders(4, 16);
#if LL_EMULATE
    printf("%s", emu_errors());
    failed += (int)emu_error_count();
#endif
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
