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
#define FORMS(F) \
    F(2, 16) F(2, 32) F(2, 64) F(2, 128) F(2, 192) F(2, 208) F(2, 256) F(3, 176)
#endif

/* C = scale A B, by clusters in which `beside` blocks have neighbouring tiles
 * and `shares` blocks have a part of k of the same tile. */
struct problem {
    void *c;
    float scale;
    unsigned m, n, k, beside, shares;
};

static unsigned up(unsigned x, unsigned by) { return (x + by - 1) / by; }

static unsigned clusters_of(const problem &p, unsigned cols, unsigned rows) {
    return up(p.n, p.beside * cols) * up(p.m, rows);
}

/* How many clusters run at once: larger ones leave processors unused. */
static unsigned resident(unsigned processors, unsigned blocks) {
    return (blocks > 2 ? processors / 16 * 16 : processors) / blocks;
}

/* About how many cycles the product takes: those of its tiles, or those in
 * which the memory delivers what it reads. */
static double cycles_of(const problem &p, unsigned workers, unsigned rows,
                        unsigned depth, unsigned processors) {
    const unsigned cols = 64 * workers, blocks = p.beside * p.shares;
    const unsigned all = clusters_of(p, cols, rows);
    const unsigned most = resident(processors, blocks);
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
    static const unsigned BESIDE[] = {1, 2, 4}, SHARES[] = {1, 2, 3, 4, 8};
#define PAIR(workers, rows) {workers, rows},
    static const unsigned SIZES[][2] = {FORMS(PAIR)};
#undef PAIR
    const unsigned steps = up(p.k, depth);
    unsigned best = 0;
    double least = 0;
    problem of_best = p;
    for (unsigned x = 0; x < sizeof SIZES / sizeof *SIZES * 15; ++x) {
        const unsigned *size = SIZES[x / 15];
        p.beside = BESIDE[x / 5 % 3];
        p.shares = SHARES[x % 5];
        if (p.beside * p.shares > 8 || size[1] / p.beside % 8 ||
            (p.shares - 1) * up(steps, p.shares) >= steps) {
            continue; /* a block without a part of k */
        }
        const double cycles = cycles_of(p, size[0], size[1], depth, processors);
        if (!least || cycles < least) {
            least = cycles;
            best = x / 15;
            of_best = p;
        }
    }
    p = of_best;
    return best;
}

#endif
