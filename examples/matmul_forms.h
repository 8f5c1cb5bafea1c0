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
#define FORMS(F)                                                        \
    F(2, 16)                                                            \
    F(2, 32)                                                            \
    F(2, 64) F(1, 64) F(1, 128) F(2, 112) F(2, 128) F(2, 208) F(2, 224) \
        F(2, 240) F(2, 256) F(3, 96) F(3, 128) F(3, 176)
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

/* Small tiles leave room for a second block, which begins while the first one,
 * of the same launch or of the one before, still works. */
LL_FN unsigned resident_of(unsigned workers, unsigned rows) {
    return workers * rows > 128 ? 1 : 2;
}

/* A tile of C, and shared memory: the stages, the tiles of C, the mbarriers. */
/* clang-format off */
template <unsigned WORKERS_, unsigned ROWS_> struct form {
    enum : unsigned {
        WORKERS = WORKERS_, ROWS = ROWS_, COLS = 64 * WORKERS,
        THREADS = 128 + 128 * WORKERS, REGISTERS = WORKERS == 2 ? 232 : 160,
        RESIDENT = resident_of(WORKERS, ROWS), /* blocks of a processor */
        PART = ROWS <= 128 ? ROWS : (ROWS / 2 + 15) / 16 * 16, /* stored once */
        BYTES_A = 128 * ROWS, BYTES_B = 128 * COLS, BYTES_C = 128 * PART,
        STAGE = BYTES_A + BYTES_B,
        FIT = ((228 / RESIDENT - 1) * 1024 - 192 - WORKERS * BYTES_C) / STAGE,
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

/* How many clusters of one block for each processor run at once: as counted on
 * a H200, whose groups of processors larger clusters do not fill. */
static unsigned resident(unsigned processors, unsigned blocks) {
    static const unsigned MOST[] = {0, 132, 66, 39, 30, 0, 17, 0, 15};
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

/* About how many cycles the product takes: those of its tiles, or those in
 * which the memory delivers what it reads. */
static double cycles_of(const problem &p, unsigned workers, unsigned rows,
                        unsigned depth, unsigned processors) {
    const unsigned cols = 64 * workers, blocks = p.beside * p.shares;
    const unsigned all = clusters_of(p, cols, rows);
    const unsigned most =
        resident_of(workers, rows) * resident(processors, blocks);
    const double tensor = cols * rows / 32 * 1.12;
    const double shared = workers * (2048 + 32 * rows) / 32;
    const double cache = (cols + rows / (double)p.beside) * 128 / 40;
    double step = tensor > shared ? tensor : shared;
    step = step > cache ? step : cache;
    const double end =
        600 + workers * rows / 2 + (p.shares > 1 ? 1000 + cols * rows / 50 : 0);
    const double tiles =
        up(all, most) * (up(up(p.k, depth), p.shares) * step + end);
    const double bytes =
        128. / depth * p.k * ((double)p.m + p.n) + 2. * p.m * p.n;
    const double busy = (all < most ? all : most) * blocks * 45.;
    const double memory = bytes / (busy < 2300 ? busy : 2300);
    return tiles > memory ? tiles : memory;
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
