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
    F(1, 16) F(1, 32) F(1, 96) F(1, 112) F(1, 128) F(2, 32) F(2, 64) F(2, 80)  \
    F(2, 104) F(2, 112) F(2, 128) F(2, 152) F(2, 200) F(2, 216) F(2, 224)      \
    F(2, 232) F(2, 256) F(3, 64) F(3, 128) F(3, 176)
/* clang-format on */
#endif

#define ONE(workers, rows) +1
enum : unsigned { FORMS_ALL = 0 FORMS(ONE) };
#undef ONE

/* C = scale A B, by clusters in which `beside` blocks have neighbouring tiles,
 * of the same rows, or, if `above`, of the same columns; and `shares` blocks
 * have a part of k of the same tile. */
struct problem {
    void *c;
    float scale;
    unsigned m, n, k, beside, shares, processors;
    bool above;
};

LL_FN unsigned up(unsigned x, unsigned by) { return (x + by - 1) / by; }

/* The rows of a box where `count` neighbours copy so many together: the same
 * for each if that are groups of 8, or a few boxes of 16. */
LL_FN unsigned box_of(unsigned rows, unsigned count) {
    return rows % (8 * count) ? 16 : rows / count;
}

/* ---- Forms ---------------------------------------------------------------*/

/* A tile of C, and shared memory: the stages, the tiles of C, the mbarriers. */
/* clang-format off */
template <unsigned WORKERS_, unsigned ROWS_> struct form {
    enum : unsigned {
        WORKERS = WORKERS_, ROWS = ROWS_, COLS = 64 * WORKERS,
        THREADS = 128 + 128 * WORKERS, REGISTERS = WORKERS < 3 ? 232 : 160,
        PADDED = (ROWS + 15) / 16 * 16, BOX = ROWS % 16 ? 8 : 16,
        PIECES = ROWS > 128 ? 4 : 2, /* stored after one another */
        PIECE = (PADDED / 16 + PIECES - 1) / PIECES * 16,
        BYTES_A = 128 * PADDED, BYTES_B = 128 * COLS, BYTES_C = 256 * PIECE,
        STAGE = BYTES_A + BYTES_B,
        FIT = (227 * 1024 - 192 - WORKERS * BYTES_C) / STAGE,
        STAGES = FIT < 12 ? FIT : 12, LEAST = 2, /* stages of a tile */
        AT_C = STAGES * STAGE, FULL = AT_C + WORKERS * BYTES_C,
        EMPTY = FULL + 8 * STAGES, SMEM = EMPTY + 8 * STAGES,
        BYTES_SUMS = 4 * 64 * PADDED /* of a warpgroup */
    };
    static_assert(STAGES > 2, "the tile is too large: three stages do not fit");
    static_assert(WORKERS * BYTES_SUMS <= AT_C, "sums fit into the stages");
};
/* clang-format on */

/* ---- Tensor maps --------------------------------------------------------- */

constexpr CUtensorMapDataType TYPE_OUT = OUT_IS == f16
                                             ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                             : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
constexpr CUtensorMapDataType TYPE_IN =
    IN == e4m3 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : TYPE_OUT;

struct maps {
    CUtensorMap a, b, c;
};

/* The maps of A and B. Null, or a sentence. */
template <class T>
static const char *operand_maps(maps *to, const void *a, const void *b,
                                const problem &p) {
    const char *bad =
        map_of_rows(&to->a, a, TYPE_IN, p.m, p.k,
                    box_of(T::PADDED, p.above ? 1 : p.beside), BOX.box[0]);
    return bad ? bad
               : map_of_rows(&to->b, b, TYPE_IN, p.n, p.k,
                             box_of(T::COLS, p.above ? p.beside : 1),
                             BOX.box[0]);
}

/* Those of a product. Null, or a sentence. */
template <class T>
static const char *maps_of(maps *to, const void *a, const void *b,
                           const problem &p) {
    const char *bad = operand_maps<T>(to, a, b, p);
    return bad ? bad
               : map_of_rows(&to->c, p.c, TYPE_OUT, p.m, p.n, T::BOX,
                             BOX_C.box[0]);
}

/* ---- Tiles --------------------------------------------------------------- */

enum : unsigned { GROUP = 8 };

/* Whether the tiles of the last round are so few that the neighbours of a
 * cluster take one tile and a part of k each. */
LL_FN bool is_split(const problem &p, unsigned count, unsigned by,
                    unsigned steps) {
    return p.shares == 1 && p.beside > 1 && !p.above && count > by &&
           count % by * p.beside <= by &&
           (p.beside - 1) * up(steps, p.beside) < steps && steps > p.beside;
}

/* The tiles of a block: GROUP columns of tiles at a time, so that the operands
 * of tiles that are computed at the same time meet in the L2 cache. After
 * those that are whole, up to number `whole`, its cluster may share one. */
template <class T> struct tiles {
    unsigned high, wide; /* in tiles, in neighbours */
    unsigned whole, first, by, number;
    bool is_shared; /* one more */
    unsigned beside, rank, shares, share, begin, steps, row, col;
    bool above;
    unsigned box_a, box_b;
    __device__ tiles(const problem &p)
        : high(up(p.m, (p.above ? p.beside : 1) * T::ROWS)),
          wide(up(p.n, (p.above ? 1 : p.beside) * T::COLS)), whole(high * wide),
          first(blockIdx.x / (p.beside * p.shares)),
          by(gridDim.x / (p.beside * p.shares)), number(first - by),
          is_shared(p.shares > 1),
          beside(p.beside), rank(ll_ptx_cluster_ctarank() % p.beside),
          shares(1), share(0), begin(0), steps(up(p.k, DEPTH)), row(0), col(0),
          above(p.above), box_a(box_of(T::PADDED, p.above ? 1 : p.beside)),
          box_b(box_of(T::COLS, p.above ? p.beside : 1)) {
        steps = steps < T::LEAST ? T::LEAST : steps; /* more are zeros */
        const bool split = is_split(p, whole, by, steps);
        const unsigned rest = split ? whole % by : 0;
        is_shared |= first < rest * p.beside;
        whole = p.shares > 1 ? 0 : whole - rest;
    }
    __device__ void find(unsigned number) { find(number, rank); }
    __device__ void find(unsigned number, unsigned neighbour) {
        const unsigned left = number / (GROUP * high) * GROUP;
        const unsigned in = number % (GROUP * high);
        const unsigned most = wide - left < GROUP ? wide - left : GROUP;
        row = in / most, col = left + in % most;
        row = (above ? row * beside + neighbour : row) * T::ROWS;
        col = (above ? col : col * beside + neighbour) * T::COLS;
    }
    /* The tile that is shared: neighbours keep theirs, or split one tile. */
    __device__ void find_shared(const problem &p) {
        const bool split = p.shares == 1;
        find(split ? whole + first / p.beside : first,
             split ? first % p.beside : rank);
        beside = split ? 1 : p.beside;
        shares = split ? p.beside : p.shares;
        share = ll_ptx_cluster_ctarank() / beside;
        rank = ll_ptx_cluster_ctarank() % beside;
        const unsigned all = steps, each = up(all, shares);
        begin = share * each;
        steps = all - begin < each ? all - begin : each;
        steps = steps < T::LEAST ? T::LEAST : steps;
    }
    /* Goes to the next tile, at first to the first; false if there is none. */
    __device__ bool next(const problem &p) {
        number += by;
        if (number < whole) {
            find(number);
            return true;
        }
        if (is_shared && shares == 1) {
            find_shared(p);
            return true;
        }
        return false;
    }
};

/* ---- The choice ---------------------------------------------------------- */

static unsigned clusters_of(const problem &p, unsigned cols, unsigned rows) {
    return p.above ? up(p.n, cols) * up(p.m, p.beside * rows)
                   : up(p.n, p.beside * cols) * up(p.m, rows);
}

/* How many clusters run at once: as counted on an H200, whose groups of
 * processors larger clusters do not fill. Those of 5 and 7 blocks, which choose
 * does not try, are at least as many as those of 6 and 8. */
static unsigned resident(const problem &p) {
    static const unsigned MOST[] = {0, 132, 66, 39, 30, 17, 17, 15, 15};
    const unsigned most = MOST[p.beside * p.shares] * p.processors / 132;
    return most ? most : 1;
}

/* The blocks of a launch: clusters for all tiles, or as many as run at once. */
static unsigned blocks_of(const problem &p, unsigned cols, unsigned rows) {
    const unsigned all = clusters_of(p, cols, rows), most = resident(p);
    return (p.shares > 1 || all < most ? all : most) * p.beside * p.shares;
}

/* Whether a cluster can be like that: it has at most 8 blocks, and each has a
 * part of k, of two steps or more if there are several. */
static bool is_possible(const problem &p, unsigned rows, unsigned depth) {
    const unsigned steps = up(p.k, depth);
    return p.beside && p.shares && p.beside <= 8 && p.shares <= 8 &&
           p.beside * p.shares <= 8 && rows % 16 == 0 &&
           (p.shares - 1) * up(steps, p.shares) < steps &&
           (p.shares == 1 || steps > p.shares);
}

/* About how many cycles a step of k takes while `blocks` blocks run: as long as
 * the tensor cores, shared memory, memory or the instructions need for it,
 * whatever is slowest, and a little for all that comes from the L2 cache. Tiles
 * above each other take their columns of B from there. Neighbours with the same
 * rows that have one tile each wait for each other, most where products are
 * what takes longest. */
static double step_of(const problem &p, unsigned workers, unsigned rows,
                      unsigned blocks, bool waits) {
    const unsigned cols = 64 * workers;
    const double of_a = p.above ? rows : rows / (double)p.beside;
    const double of_b = p.above ? cols / (double)p.beside : cols;
    const double weights = cols / (double)up(p.m, rows);
    const double takes[] = {cols * rows / 32.0, /* tensor cores */
                            1.45 * workers * (64 + rows), 5.36 * weights,
                            0.0528 * weights * blocks, 405.0};
    unsigned most = 0;
    for (unsigned x = 1; x < 5; ++x) {
        most = takes[x] > takes[most] ? x : most;
    }
    return takes[most] + 0.572 * (of_a + of_b) +
           (waits ? (most < 2 ? 0.572 : 0.268) * (rows - of_a) : 0);
}

enum : unsigned { END = 1831 }; /* cycles of the end of a tile */

/* About how many cycles the product takes: the rounds of tiles, times the steps
 * of k and the end of a tile. The constants are fitted to the times of all
 * forms for the products in bench/peers/matmul.py on an H200; what they choose
 * is 0.2 % slower than the best form, at most 2 %. */
static double cycles_of(const problem &p, unsigned workers, unsigned rows,
                        unsigned depth) {
    const unsigned cols = 64 * workers, steps = up(p.k, depth);
    const unsigned count = clusters_of(p, cols, rows), most = resident(p);
    const unsigned blocks = (count < most ? count : most) * p.beside * p.shares;
    const double sharing = 4451.0 + 0.286 * cols * rows;
    const double step = step_of(p, workers, rows, blocks, count <= most);
    return is_split(p, count, most, steps)
               ? count / most * (steps * step + END) +
                     up(steps, p.beside) * step + END + sharing
               : up(count, most) * (up(steps, p.shares) * step + END) +
                     (p.shares > 1 ? sharing : 0);
}

/* Sets `beside`, `above` and `shares`; returns the number of the form. */
static unsigned choose(problem &p, unsigned depth) {
    static const struct {
        unsigned beside;
        bool above;
    } CLUSTERS[] = {{1, false}, {2, false}, {3, false}, {4, false}, {2, true}};
    static const unsigned SHARES[] = {1, 2, 3, 4, 6};
#define PAIR(workers, rows) {workers, rows},
    static const unsigned SIZES[][2] = {FORMS(PAIR)};
#undef PAIR
    unsigned best = 0;
    double least = 0;
    problem of_best = p;
    for (unsigned x = 0; x < sizeof SIZES / sizeof *SIZES * 25; ++x) {
        const unsigned *size = SIZES[x / 25];
        p.beside = CLUSTERS[x / 5 % 5].beside;
        p.above = CLUSTERS[x / 5 % 5].above;
        p.shares = SHARES[x % 5];
        const double cycles = is_possible(p, up(size[1], 16) * 16, depth)
                                  ? cycles_of(p, size[0], size[1], depth)
                                  : 0;
        if (cycles > 0 && (!least || cycles < least)) {
            least = cycles;
            best = x / 25;
            of_best = p;
        }
    }
    p = of_best;
    return best;
}

#endif
