/* reshard_ragged.cu - what if the sizes of a tensor are no powers of two?
 * SPDX-License-Identifier: MIT
 *
 * Matrices of random sizes go from one sharding to another, with elements of 1
 * to 16 bytes between 2, 4 and 8 ranks. Each memory is as large as what it
 * holds, plain arithmetic on indices says where an element is, and around it
 * nothing may change. With fewer rows than ranks the last rank holds nothing,
 * and its memory is at null.
 *
 * Build: nvcc -std=c++17 -arch=sm_90 -I. \
 *            examples/kernels/reshard/reshard_ragged.cu -o ragged
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   ragged [log2 of the ranks, 1 to 3], or 2, 4 and 8 ranks in turn
 */
#include "reshard_host.h"
#include "reshard_ragged_kernels.h"
#include <string.h>

using namespace ll_kernels;

enum { ROWS = 7, COLS = 10, GUARD = 64, SWIZZLED = BY_GRID };

static const char *const names[] = {"rows",  "columns", "tiles",  "heads",
                                    "turns", "pieces",  "swizzled rows",
                                    "copies"};

struct pair {
    unsigned from, to, size; /* bytes of an element */
    unsigned rows, cols, gpus;
};

static unsigned parts(unsigned n, unsigned ranks) {
    return (n + ranks - 1) / ranks;
}

/* Where element (i, j) is: the rank, and the address there; copies are in each.
 */
struct spot {
    unsigned rank;
    size_t at;
};

static spot spot_of(const pair &p, unsigned kind, unsigned i, unsigned j) {
    const unsigned n = 1u << p.gpus, m = parts(p.rows, n), w = parts(p.cols, n);
    const unsigned rank = kind == BY_ROW || kind == SWIZZLED ? i / m
                          : kind == BY_TURNS                 ? j % n
                                                             : j / w;
    const unsigned left = p.cols - rank * w, have = left < w ? left : w;
    const unsigned x = j % w, even = w + w % 2;
    const unsigned head = have < 128 ? have : 128;
    return kind == BY_ROW      ? spot{rank, (size_t)(i % m) * p.cols + j}
           : kind == SWIZZLED
               ? spot{rank, (size_t)(i % m / 2 * 2 + ((i % m ^ x) & 1)) * even *
                                    parts(p.cols, w) + j / w * even + x}
           : kind == BY_COLUMN ? spot{rank, (size_t)x * p.rows + i}
           : kind == BY_PIECE  ? spot{rank, (size_t)i * have + x}
           : kind == BY_HEAD
               ? spot{rank, (size_t)(x / 128 * p.rows + i) * head + x % 128}
           : kind == BY_TURNS
               ? spot{rank, (size_t)i * parts(p.cols - rank, n) + j / n}
               : spot{~0u, (size_t)i * p.cols + j};
}

/* What a rank holds, and around it bytes that are 0xee. */
static std::vector<unsigned char> image(const pair &p, unsigned kind,
                                        unsigned rank, size_t bytes) {
    std::vector<unsigned char> data(bytes + 2 * GUARD, 0xee);
    for (unsigned i = 0; i < p.rows; ++i) {
        for (unsigned j = 0; j < p.cols; ++j) {
            const spot s = spot_of(p, kind, i, j);
            if (s.rank == rank || s.rank == ~0u) {
                write_value(&data[GUARD + s.at * p.size], i * p.cols + j,
                            p.size);
            }
        }
    }
    return data;
}

/* Fewer rows than ranks are one in each. */
static unsigned row_bits(const pair &p) {
    return p.rows >> p.gpus ? (unsigned)ROWS : p.gpus;
}

/* Rows in which odd columns have the odd and even rows of a pair swapped: the
 * lowest bit of a column is then a digit, and parts have room for pairs. */
static ll_layout side(const pair &p, unsigned kind, bool grid) {
    if (kind != SWIZZLED) {
        return sharding_over(kind, row_bits(p), COLS, p.gpus, grid);
    }
    ll_layout a = sharding(BY_ROW, ROWS, COLS, p.gpus);
    a.basis[0] ^= a.basis[COLS];
    return a;
}

static ragged_job job_of(const pair &p) {
    const unsigned n = 1u << p.gpus;
    const bool turns = p.from == BY_TURNS || p.to == BY_TURNS;
    const bool grid = p.from == BY_COPY || p.to == BY_COPY;
    const ll_layout a = side(p, p.from, grid), b = side(p, p.to, grid);
    const ll_topology gpu =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
    ragged sizes = ragged_of(a.out);
    if (!ragged_with(&sizes, a.out, "i", p.rows, parts(p.rows, n)) ||
        !ragged_with(&sizes, a.out, "j", p.cols,
                     turns ? 0 : parts(p.cols, n))) {
        printf("%u x %u do not fit\n", p.rows, p.cols);
        exit(1);
    }
    return ragged_job_of(
        a, b, 8 * p.size,
        grid ? ll_topology_with(gpu, "node", 50, 9000) : gpu, 8192, sizes);
}

static void start(const reshard_move &m, const ragged_job &j, unsigned size) {
    ragged_move g;
    if (!ragged_numbers(j, m, &g)) {
        printf("a memory has too many digits\n");
        exit(1);
    }
    size == 1   ? ragged_launch<unsigned char>(j, m, g, 0)
    : size == 2 ? ragged_launch<unsigned short>(j, m, g, 0)
    : size == 4 ? ragged_launch<unsigned>(j, m, g, 0)
    : size == 8 ? ragged_launch<uint2>(j, m, g, 0)
                : ragged_launch<uint4>(j, m, g, 0);
}

/* The bytes of a rank before and after. */
static size_t bytes_of(const ragged_job &j, unsigned rank, bool after,
                       unsigned size) {
    const ragged_memory m = after != j.by.push ? ragged_after(&j.plan, rank)
                                               : ragged_before(&j.plan, rank);
    return m.elements * size;
}

/* Writes the memories of all ranks: before, only what they hold. */
static void fill(const rank_memories &h, const pair &p, const ragged_job &j) {
    for (unsigned r = 0; r < h.ranks; ++r) {
        const size_t bytes = bytes_of(j, r, false, p.size);
        const std::vector<unsigned char> data = image(p, p.from, r, bytes);
        select_device(h, r);
        MUST(cudaMemcpy(h.src[r], &data[GUARD], bytes ? bytes : 1,
                        cudaMemcpyHostToDevice));
        MUST(cudaMemset(h.dst[r], 0xee, h.bytes));
    }
}

/* Counts the ranks whose memory is wrong after it. */
static size_t wrong_in(const rank_memories &h, const pair &p,
                       const ragged_job &j) {
    size_t wrong = 0;
    for (unsigned r = 0; r < h.ranks; ++r) {
        const std::vector<unsigned char> want =
            image(p, p.to, r, bytes_of(j, r, true, p.size));
        std::vector<unsigned char> got(want.size());
        select_device(h, r);
        MUST(cudaMemcpy(got.data(), h.dst[r], got.size(),
                        cudaMemcpyDeviceToHost));
        wrong += got != want;
    }
    return wrong;
}

/* One pair of shardings. What is written begins GUARD bytes into a memory. */
static size_t move(rank_memories &h, const pair &p) {
    const ragged_job j = job_of(p);
    if (j.err) {
        printf("%s\n", ll_reshard_strerror(j.err));
        return 1;
    }
    fill(h, p, j);
    begin_move(h);
    rank_memories at = h;
    for (unsigned r = 0; r < h.ranks; ++r) {
        at.src[r] = bytes_of(j, r, false, p.size) ? h.src[r] : NULL;
        at.dst[r] = bytes_of(j, r, true, p.size) ? h.dst[r] + GUARD : NULL;
    }
    for (unsigned r = 0; r < h.ranks; ++r) {
        reshard_move m = move_of_rank(at, j.by, r);
        select_device(h, r);
        m.wait = h.together;
        start(m, j, p.size);
    }
    const bool ran = finish_move(h, reshard_crosses(j.by.plan));
    const size_t wrong = wrong_in(h, p, j);
    printf("%u x %u of %u bytes, %s -> %s, %u ranks, %s: %zu wrong%s\n",
           p.rows, p.cols, p.size, names[p.from], names[p.to], h.ranks,
           !j.by.tile.bits ? "one by one"
           : j.by.push     ? "push"
                           : "pull",
           wrong, ran ? "" : "; a rank was late");
    return wrong + !ran;
}

/* Pairs with elements of 1 to 16 bytes; sizes need all bits when padded. */
static size_t move_all(unsigned gpus) {
    const unsigned pairs[][2] = {
        {BY_ROW, BY_COLUMN},  {BY_COLUMN, BY_ROW},  {BY_ROW, BY_PIECE},
        {BY_HEAD, BY_ROW},    {BY_ROW, BY_TURNS},   {BY_TURNS, BY_ROW},
        {BY_COLUMN, BY_HEAD}, {BY_PIECE, BY_COLUMN}, {BY_ROW, BY_COPY},
        {SWIZZLED, BY_COLUMN}};
    const unsigned n = 1u << gpus;
    static unsigned seed = 1;
    rank_memories h = open_host(n, ((size_t)16 << (ROWS + COLS)) + 2 * GUARD);
    size_t wrong = 0;
    for (unsigned k = 0; k < 5 * sizeof pairs / sizeof *pairs; ++k) {
        const unsigned size = 1u << k % 5, least[2] = {1u << (ROWS - 1),
                                                       1u << (COLS - 1)};
        unsigned sides[2];
        for (unsigned d = 0; d < 2; ++d) {
            seed = seed * 1664525u + 1013904223u;
            sides[d] = least[d] + n + (seed >> 8) % (least[d] - n + 1);
        }
        const unsigned at = (k + k / 10) % (sizeof pairs / sizeof *pairs);
        if (on_gpu() || k % 4 == gpus % 4) { /* the emulator is slow */
            wrong += move(h, {pairs[at][0], pairs[at][1], size, sides[0],
                              sides[1], gpus});
        }
    }
    for (unsigned k = 0; k < 4; ++k) { /* nothing on the last rank */
        static const unsigned empty[4][2] = {{BY_ROW, BY_COLUMN},
                                             {BY_COLUMN, BY_ROW},
                                             {BY_ROW, BY_TURNS},
                                             {BY_ROW, BY_COPY}};
        wrong += move(h, {empty[k][0], empty[k][1], 1u << 2 * (k % 3), n - 1u,
                          777u + k, gpus});
    }
    close_host(h);
    return wrong;
}

int main(int argc, char **argv) {
    return run_for_ranks("ragged", move_all, argc, argv);
}
