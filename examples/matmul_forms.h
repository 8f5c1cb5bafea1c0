/* matmul_forms.h - which tiles does a product take, and which blocks share one?
 * SPDX-License-Identifier: MIT
 *
 * matmul_hopper.cu is compiled for the forms below. Which is fastest, how many
 * blocks with neighbouring tiles share what they load, and how many blocks
 * share a tile, is chosen by an estimate: the rounds that the processors need
 * for all tiles, times the cycles of a tile.
 */
#ifndef LL_MATMUL_FORMS_H
#define LL_MATMUL_FORMS_H

/* F(WORKERS, ROWS): tiles of 64 WORKERS columns of C and of ROWS rows. */
#ifndef FORMS
/* clang-format off */
#define FORMS(F)                                                               \
    F(2, 16) F(2, 32) F(2, 64) F(2, 112) F(2, 128) F(2, 208) F(2, 224)         \
    F(2, 240) F(2, 256) F(3, 96) F(3, 128) F(3, 176)
/* clang-format on */
#endif

/* C = scale A B, by clusters in which `beside` blocks have neighbouring tiles
 * and `shares` blocks have a part of k of the same tile. */
struct problem {
    void *c;
    float scale;
    unsigned m, n, k, beside, shares;
};

LL_FN unsigned up(unsigned x, unsigned by) { return (x + by - 1) / by; }

/* ---- Forms ---------------------------------------------------------------*/

/* A tile of C, and shared memory: the stages, the tiles of C, the mbarriers. */
/* clang-format off */
template <unsigned WORKERS_, unsigned ROWS_> struct form {
    enum : unsigned {
        WORKERS = WORKERS_, ROWS = ROWS_, COLS = 64 * WORKERS,
        THREADS = 128 + 128 * WORKERS, REGISTERS = WORKERS == 2 ? 232 : 160,
        PART = ROWS <= 128 ? ROWS : (ROWS / 2 + 15) / 16 * 16, /* stored once */
        BYTES_A = 128 * ROWS, BYTES_B = 128 * COLS, BYTES_C = 128 * PART,
        STAGE = BYTES_A + BYTES_B,
        FIT = (227 * 1024 - 192 - WORKERS * BYTES_C) / STAGE,
        STAGES = FIT < 12 ? FIT : 12,
        AT_C = STAGES * STAGE, FULL = AT_C + WORKERS * BYTES_C,
        EMPTY = FULL + 8 * STAGES, SMEM = EMPTY + 8 * STAGES,
        BYTES_SUMS = 4 * 64 * ROWS /* of a warpgroup */
    };
    static_assert(WORKERS * BYTES_SUMS <= FULL && STAGES > 2, "");
};
/* clang-format on */

enum : unsigned { GROUP = 8 };

/* The tiles of a block: GROUP columns of tiles at a time, so that the operands
 * of tiles that are computed at the same time meet in the L2 cache. */
template <class T> struct tiles {
    unsigned high, wide; /* in tiles, in neighbours */
    unsigned count, first, by;
    unsigned beside, rank, share, begin, steps, row, col;
    __device__ tiles(const problem &p)
        : high(up(p.m, T::ROWS)), wide(up(p.n, p.beside * T::COLS)),
          count(high * wide), first(blockIdx.x / (p.beside * p.shares)),
          by(gridDim.x / (p.beside * p.shares)), beside(p.beside),
          rank(ll_ptx_cluster_ctarank() % p.beside),
          share(ll_ptx_cluster_ctarank() / p.beside), row(0), col(0) {
        const unsigned all = up(p.k, DEPTH), each = up(all, p.shares);
        begin = share * each;
        steps = all - begin < each ? all - begin : each;
    }
    __device__ void find(unsigned number) {
        const unsigned left = number / (GROUP * high) * GROUP;
        const unsigned in = number % (GROUP * high);
        const unsigned most = wide - left < GROUP ? wide - left : GROUP;
        row = in / most * T::ROWS;
        col = ((left + in % most) * beside + rank) * T::COLS;
    }
};

/* ---- The choice ---------------------------------------------------------- */

static unsigned clusters_of(const problem &p, unsigned cols, unsigned rows) {
    return up(p.n, p.beside * cols) * up(p.m, rows);
}

/* How many clusters run at once: as counted on an H200, whose groups of
 * processors larger clusters do not fill. Those of 5 and 7 blocks, which choose
 * does not try, are at least as many as those of 6 and 8. */
static unsigned resident(unsigned processors, unsigned blocks) {
    static const unsigned MOST[] = {0, 132, 66, 39, 30, 17, 17, 15, 15};
    const unsigned most = MOST[blocks] * processors / 132;
    return most ? most : 1;
}

/* Whether a cluster can be like that: each block loads whole groups of 8 rows
 * of A, and has a part of k. */
static bool is_possible(const problem &p, unsigned rows, unsigned depth) {
    const unsigned steps = up(p.k, depth);
    return p.beside && p.shares && p.beside <= 8 && p.shares <= 8 &&
           p.beside * p.shares <= 8 && rows % (8 * p.beside) == 0 &&
           (p.shares - 1) * up(steps, p.shares) < steps;
}

/* About how many cycles the product takes: the rounds of tiles, times the steps
 * of k and the end of a tile. A step takes as long as the tensor cores, shared
 * memory or the L2 cache need for it, whichever is slowest. The constants are
 * fitted to the times of all forms for the products in bench/matmul.py on an
 * H200. */
static double cycles_of(const problem &p, unsigned workers, unsigned rows,
                        unsigned depth, unsigned processors) {
    const unsigned cols = 64 * workers;
    const unsigned rounds = up(clusters_of(p, cols, rows),
                               resident(processors, p.beside * p.shares));
    const double tensor = 0.894 * cols * rows / 32;
    const double shared = 1.2 * workers * (64 + rows);
    const double cache = 128 / 52.5 * (cols + rows / (double)p.beside);
    const double most = tensor > shared ? tensor : shared;
    const double step = (most > cache ? most : cache) + 0.155 * rows;
    const double sharing = p.shares > 1 ? 750 + 0.063 * cols * rows : 0;
    return rounds * (up(up(p.k, depth), p.shares) * step + 2100 + sharing);
}

/* Sets `beside` and `shares`; returns the number of the form. */
static unsigned choose(problem &p, unsigned depth, unsigned processors) {
    static const unsigned BESIDE[] = {1, 2, 4}, SHARES[] = {1, 2, 3, 4, 6};
#define PAIR(workers, rows) {workers, rows},
    static const unsigned SIZES[][2] = {FORMS(PAIR)};
#undef PAIR
    unsigned best = 0;
    double least = 0;
    problem of_best = p;
    for (unsigned x = 0; x < sizeof SIZES / sizeof *SIZES * 15; ++x) {
        const unsigned *size = SIZES[x / 15];
        p.beside = BESIDE[x / 5 % 3];
        p.shares = SHARES[x % 5];
        const double cycles =
            is_possible(p, size[1], depth)
                ? cycles_of(p, size[0], size[1], depth, processors)
                : 0;
        if (cycles > 0 && (!least || cycles < least)) {
            least = cycles;
            best = x / 15;
            of_best = p;
        }
    }
    p = of_best;
    return best;
}

#endif
