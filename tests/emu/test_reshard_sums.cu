/* test_reshard_sums.cu - the kernels of reshard.h, and those of ragged
 * tensors, add partial sums in the order of the ranks, as floats, and round
 * once.
 * SPDX-License-Identifier: MIT
 *
 * The parts are numbers whose sum depends on the order: large ones of both
 * signs, and small ones that are lost beside them. Each element is compared,
 * bit by bit, with plain additions in that order. The same additions in the
 * opposite order must differ, or the test says nothing.
 */
#include "../../examples/kernels/reshard/reshard_host.h"
#include "../../examples/kernels/reshard/reshard_ragged_kernels.h"
#include <math.h>
#include <string.h>

using namespace ll_kernels;

enum { ROWS = 7, COLS = 9 };
enum { F32, F16, BF16 };

struct sums {
    unsigned from, to, gpus, type;
    const char *axes;
};

static int passed, failed;

static unsigned word_of(float x) {
    unsigned word;
    memcpy(&word, &x, sizeof word);
    return word;
}

/* To the nearest number of a type, of two to the even one. */
static unsigned rounded(float x, unsigned type) {
    const unsigned word = word_of(x), sign = word >> 16 & 0x8000u;
    if (type == F32) {
        return word;
    }
    if (type == BF16) {
        return (word + 0x7fffu + (word >> 16 & 1u)) >> 16;
    }
    int e = 0;
    (void)frexp(x, &e);
    e = x == 0.0f || e - 1 < -14 ? -14 : e - 1;
    return sign | ((unsigned)(e + 14) * 1024u +
                   (unsigned)nearbyint(ldexp(fabs(x), 10 - e)));
}

/* What a rank has of element y, which all types hold: of some only -0. */
static float part_of(unsigned y, unsigned rank, unsigned type) {
    const unsigned h = (y * 2654435761u + rank * 40503u) * 2246822519u >> 15;
    const float large = type == F16 ? 0x1p15f : 0x1p30f;
    const float small = (float)(int)(h % 255u) - 127.0f;
    return y % 32u == 5u  ? -0.0f
           : h & 0x8000u ? h & 0x10000u ? large : -large
           : type == F16 ? small * 0x1p-14f
                         : small;
}

/* The sum over the ranks that differ from one in the bits `sum`. */
static unsigned sum_of(unsigned y, unsigned rank, unsigned sum, unsigned type,
                       bool backwards) {
    float all = 0;
    bool first = true;
    for (unsigned k = 0; k < RESHARD_RANKS; ++k) {
        const unsigned r = backwards ? RESHARD_RANKS - 1 - k : k;
        if (!((r ^ rank) & ~sum)) {
            const float x = part_of(y, r, type);
            all = first ? x : all + x;
            first = false;
        }
    }
    return rounded(all, type);
}

static reshard_job job_of(const sums &s) {
    const ll_layout a = sharding_over(s.from, ROWS, COLS, s.gpus, true);
    const ll_layout b = sharding_over(s.to, ROWS, COLS, s.gpus, true);
    const ll_topology gpu =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
    return reshard_job_of(a, b, s.type == F32 ? 32 : 16,
                          ll_topology_with(gpu, "node", 50, 9000), 4096,
                          s.axes);
}

/* One pair that has a kernel of its own. */
template <class T> struct known {
    static constexpr unsigned N = 1, BITS = 12 - ll_log2_(sizeof(T));
    LL_FN reshard_job of(unsigned) {
        const ll_topology gpu =
            ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
        return reshard_job_of(
            sharding_over(BY_COPY, ROWS, COLS, 2, true),
            sharding_over(BY_COLUMN, ROWS, COLS, 2, true), 8 * sizeof(T),
            ll_topology_with(gpu, "node", 50, 9000), 4096, "gpu node");
    }
};

/* What the memory of a rank holds before, or should hold after. */
template <class T>
static std::vector<T> image(const sums &s, unsigned rank, unsigned sum,
                            bool after, bool backwards) {
    const ll_layout a =
        sharding_over(after ? s.to : s.from, ROWS, COLS, s.gpus, true);
    std::vector<T> data(ll_size(a.in, LL_OFFSET));
    for (unsigned o = 0; o < data.size(); ++o) {
        const unsigned y = ll_apply(a, rank << a.in.bits[0] | o);
        data[o] = (T)(after ? sum_of(y, rank, sum, s.type, backwards)
                            : rounded(part_of(y, rank, s.type), s.type));
    }
    return data;
}

/* Moves and adds, and compares. */
template <class T, class SUM> static void adds(const sums &s) {
    const reshard_job j = job_of(s);
    rank_memories h = open_host(1u << s.gpus, sizeof(T) << (ROWS + COLS));
    bool matters = false, good = !j.tile.err;
    for (unsigned r = 0; r < h.ranks; ++r) {
        const std::vector<T> data = image<T>(s, r, 0, false, false);
        MUST(cudaMemcpy(h.src[r], data.data(), data.size() * sizeof(T),
                        cudaMemcpyHostToDevice));
    }
    begin_move(h);
    for (unsigned r = 0; r < h.ranks && good; ++r) {
        const bool own =
            reshard_launch<T, known<T>, SUM>(move_of_rank(h, j, r), j.tile,
                                             j.push, 0);
        good = own == (s.to == BY_COLUMN);
    }
    good = good && finish_move(h, reshard_crosses(j.plan));
    for (unsigned r = 0; r < h.ranks && good; ++r) {
        const std::vector<T> want = image<T>(s, r, j.plan.sum, true, false);
        std::vector<T> got(want.size());
        MUST(cudaMemcpy(got.data(), h.dst[r], got.size() * sizeof(T),
                        cudaMemcpyDeviceToHost));
        good = got == want;
        matters = matters ||
                  want != image<T>(s, r, j.plan.sum, true, true);
    }
    close_host(h);
    good && matters ? ++passed : ++failed;
    if (!good || !matters) {
        printf("FAIL sums of type %u over %s, %u to %u, %u ranks: %s\n", s.type,
               s.axes, s.from, s.to, h.ranks,
               good ? "their order does not matter" : "wrong");
    }
}

/* Matrices of ragged sizes; each rank has a part of all of them. */
struct ragged_sums {
    unsigned to, gpus, type, rows, cols;
};

static unsigned parts(unsigned n, unsigned ranks) {
    return (n + ranks - 1) / ranks;
}

/* The rank that wants element (i, j), and where. */
static bool has(const ragged_sums &s, unsigned rank, unsigned i, unsigned j,
                size_t *at) {
    const unsigned n = 1u << s.gpus, m = parts(s.rows, n), w = parts(s.cols, n);
    *at = s.to == BY_ROW      ? (size_t)(i % m) * s.cols + j
          : s.to == BY_COLUMN ? (size_t)(j % w) * s.rows + i
          : s.to == BY_TURNS  ? (size_t)i * parts(s.cols - rank, n) + j / n
                              : (size_t)i * s.cols + j;
    return s.to == BY_ROW      ? i / m == rank
           : s.to == BY_COLUMN ? j / w == rank
           : s.to == BY_TURNS  ? j % n == rank
                               : true;
}

static ragged_job job_of(const ragged_sums &s) {
    const unsigned n = 1u << s.gpus;
    const ll_layout a = sharding_over(BY_COPY, ROWS, COLS, s.gpus, true);
    const ll_topology gpu =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
    ragged sizes = ragged_of(a.out);
    ragged_with(&sizes, a.out, "i", s.rows, parts(s.rows, n));
    ragged_with(&sizes, a.out, "j", s.cols,
                s.to == BY_TURNS ? 0 : parts(s.cols, n));
    return ragged_job_of(a, sharding_over(s.to, ROWS, COLS, s.gpus, true),
                         s.type == F32 ? 32 : 16,
                         ll_topology_with(gpu, "node", 50, 9000), 4096, sizes,
                         "gpu node");
}

/* Starts the kernels of all ranks; returns false if one does not run. */
template <class T, class SUM>
static bool runs(rank_memories &h, const ragged_job &j, bool tiled) {
    bool good = !j.err && tiled == !!j.by.tile.bits;
    begin_move(h);
    for (unsigned r = 0; r < h.ranks && good; ++r) {
        const reshard_move m = move_of_rank(h, j.by, r);
        ragged_move g;
        good = ragged_numbers(j, m, &g);
        ragged_launch<T, SUM>(j, m, g, 0);
    }
    return good && finish_move(h, true);
}

/* Nothing beyond the elements of a rank changes. */
template <class T, class SUM> static void adds(const ragged_sums &s) {
    const unsigned n = s.rows * s.cols, sum = (1u << s.gpus) - 1u;
    rank_memories h = open_host(1u << s.gpus, sizeof(T) << (ROWS + COLS));
    std::vector<T> data(n), got(h.bytes / sizeof(T));
    for (unsigned r = 0; r < h.ranks; ++r) {
        for (unsigned y = 0; y < n; ++y) {
            data[y] = (T)rounded(part_of(y, r, s.type), s.type);
        }
        MUST(cudaMemcpy(h.src[r], data.data(), n * sizeof(T),
                        cudaMemcpyHostToDevice));
        MUST(cudaMemset(h.dst[r], 0xee, h.bytes));
    }
    bool good = runs<T, SUM>(h, job_of(s), s.to != BY_TURNS);
    for (unsigned r = 0; r < h.ranks && good; ++r) {
        std::vector<T> want(got.size());
        memset(want.data(), 0xee, h.bytes);
        for (unsigned y = 0; y < n; ++y) {
            size_t at = 0;
            if (has(s, r, y / s.cols, y % s.cols, &at)) {
                want[at] = (T)sum_of(y, r, sum, s.type, false);
            }
        }
        MUST(cudaMemcpy(got.data(), h.dst[r], h.bytes, cudaMemcpyDeviceToHost));
        good = got == want;
    }
    close_host(h);
    good ? ++passed : ++failed;
    if (!good) {
        printf("FAIL ragged sums of type %u to %u, %u ranks\n", s.type, s.to,
               h.ranks);
    }
}

int main() {
    static const struct {
        unsigned from, to, gpus;
        const char *axes;
    } all[] = {{BY_COPY, BY_COLUMN, 2, "gpu node"},
               {BY_COPY, BY_ROW, 2, "gpu node"},
               {BY_COPY, BY_COPY, 2, "gpu node"},
               {BY_COPY, BY_GRID, 3, "gpu node"},
               {BY_GROUP, BY_GRID, 3, "gpu"}};
    for (const auto &a : all) {
        adds<unsigned, reshard_f32>({a.from, a.to, a.gpus, F32, a.axes});
        adds<unsigned short, reshard_f16>({a.from, a.to, a.gpus, F16, a.axes});
        adds<unsigned short, reshard_bf16>(
            {a.from, a.to, a.gpus, BF16, a.axes});
    }
    for (const unsigned to : {BY_ROW, BY_COLUMN, BY_COPY, BY_TURNS}) {
        adds<unsigned, reshard_f32>({to, 2, F32, 101, 397});
        adds<unsigned short, reshard_f16>({to, 2, F16, 99, 411});
        adds<unsigned short, reshard_bf16>({to, 3, BF16, 90, 395});
    }
#if LL_EMULATE
    const char *const errors = emu_errors();
    printf("%s", errors);
    failed += errors[0] != 0;
#endif
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
