/* reshard_ranks.c - what happens to a reshard when a rank dies?
 * SPDX-License-Identifier: MIT
 *
 * 2 to 16 processes move a matrix between shardings by messages. Their
 * transport is shared memory: one box for each pair of ranks. Every element is
 * compared with the layouts. Then one rank is killed between two messages, one
 * leaves without a word, and one brings another plan: each time every other
 * rank must return an error within the stated time, and where plans differ no
 * memory may have changed. Matrices of random sizes come as well, and partial
 * sums over one axis of 2 x 2 ranks: each element is where plain arithmetic on
 * its indices says, and nothing else is touched. Source and target may be one
 * buffer if each message replaces the one sent in return.
 *
 * Build: cc -std=c11 -I. \
 *            examples/kernels/reshard/reshard_ranks.c -o reshard_ranks
 */
#define _DEFAULT_SOURCE
#include "reshard_ragged.h"
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    RANKS = 16,
    BOX = 4096,         /* bytes of a message */
    ROWS = 6, COLS = 6, /* log2 */
    NOTICE_MS = 10000, /* within which every rank reports an error */
    LATE_MS = 8000,    /* how long a rank waits for another */
    LEFT_MS = 2000     /* the same, where one leaves on purpose */
};

/* What the processes share. */
typedef struct shared {
    atomic_uint broken; /* 1: some rank has given up, or has died */
    atomic_uint here[2];
    _Atomic unsigned long long number[RANKS];
    atomic_uint result[RANKS]; /* 1 + what ranks_reshard returned */
    atomic_uint wrong;
    struct box {
        atomic_uint full;
        unsigned char data[BOX];
    } box[RANKS][RANKS];
} shared;

typedef struct wire {
    shared *s;
    unsigned late_ms, sends;
    unsigned dies, leaves; /* at this send, counted from 1; 0: never */
    size_t bytes;          /* that were sent */
} wire;

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Waits until *at is at least `least`, or exactly 0 for 0. A rank that waits
 * too long tells the others. */
static int waits(const wire *l, atomic_uint *at, unsigned least) {
    const double end = now_ms() + l->late_ms;
    while (least ? atomic_load(at) < least : atomic_load(at) != 0) {
        if (atomic_load(&l->s->broken) || now_ms() > end) {
            atomic_store(&l->s->broken, 1);
            return RANKS_LOST;
        }
        usleep(50);
    }
    return RANKS_OK;
}

static int meets(transport *t, unsigned where) {
    wire *const l = (wire *)t->self;
    atomic_fetch_add(&l->s->here[where], 1);
    return waits(l, &l->s->here[where], t->ranks);
}

static int agree(transport *t, unsigned long long number) {
    wire *const l = (wire *)t->self;
    atomic_store(&l->s->number[t->rank], number);
    const int err = meets(t, 0);
    int same = 1;
    for (unsigned r = 0; r < t->ranks; ++r) {
        same = same && atomic_load(&l->s->number[r]) == number;
    }
    return err ? err : same ? RANKS_OK : RANKS_DISAGREE;
}

static int finish(transport *t) { return meets(t, 1); }

static int sends(transport *t, unsigned to, const void *data, size_t bytes) {
    wire *const l = (wire *)t->self;
    struct box *const b = &l->s->box[t->rank][to];
    if (++l->sends == l->dies) {
        raise(SIGKILL);
    }
    if (l->sends == l->leaves) {
        _exit(0);
    }
    const int err = waits(l, &b->full, 0);
    if (!err) {
        memcpy(b->data, data, bytes);
        l->bytes += bytes;
        atomic_store(&b->full, 1);
    }
    return err;
}

static int receives(transport *t, unsigned from, void *data, size_t bytes) {
    wire *const l = (wire *)t->self;
    struct box *const b = &l->s->box[from][t->rank];
    const int err = waits(l, &b->full, 1);
    if (!err) {
        memcpy(data, b->data, bytes);
        atomic_store(&b->full, 0);
    }
    return err;
}

static void adds(void *to, const void *from) {
    unsigned a, b;
    memcpy(&a, to, sizeof a);
    memcpy(&b, from, sizeof b);
    a += b;
    memcpy(to, &a, sizeof a);
}

/* Element y; of partial sums, the part of a rank. */
static unsigned element(unsigned y, unsigned part) {
    return (y + 1u) * 2654435761u + part * 40503u * (y | 1u);
}

/* The words of a sharding: "offset:" with bits of axes, and so on. */
static char *bits(char *s, char axis, unsigned from, unsigned to) {
    for (; from < to; ++from) {
        s += sprintf(s, " %c%u", axis, from);
    }
    return s;
}

enum { BY_ROWS, BY_COLS, BY_TURNS, SWAPPED, ON_ALL, ON_FIRST, REPLACED };
static const char *const names[] = {"rows",     "columns",   "turns",
                                    "others",   "all ranks", "the first rank",
                                    "replaced"};

static ll_layout sharding(unsigned kind, unsigned gpus) {
    char text[400], *s = text + sprintf(text, "offset:");
    const unsigned n = kind == ON_ALL || kind == ON_FIRST ? 0u : gpus;
    if (kind == REPLACED) { /* columns, each row's where the others' were */
        s = bits(bits(s, 'j', 0, COLS - n), 'i', ROWS - n, ROWS);
        s = bits(s, 'i', 0, ROWS - n);
        bits(s + sprintf(s, " | gpu:"), 'j', COLS - n, COLS);
        return ll_parse(text);
    }
    s = kind == BY_COLS ? bits(s, 'i', 0, ROWS) : s;
    s = bits(s, 'j', kind == BY_TURNS ? n : 0u,
             COLS - (kind == BY_COLS ? n : 0u));
    s = kind == BY_COLS
            ? s
            : bits(s, 'i', 0, ROWS - (kind == BY_TURNS ? 0u : n));
    s += kind == ON_FIRST ? 0 : sprintf(s, " | gpu:");
    for (unsigned k = 0; k < gpus && kind == ON_ALL; ++k) {
        s += sprintf(s, " 0");
    }
    if (kind == BY_TURNS) {
        bits(s, 'j', 0, n);
    } else if (kind == BY_COLS) {
        bits(s, 'j', COLS - n, COLS);
    } else if (n) {
        bits(s, 'i', ROWS - n, ROWS);
    }
    ll_layout a = ll_parse(text); /* the others: in the opposite order */
    a.offset = kind == SWAPPED ? ll_pack(a.out, LL_I, (1u << ROWS) - 1u) : 0u;
    return a;
}

typedef struct test {
    unsigned from, to, gpus, sums, dies, leaves, other;
    unsigned rows, cols; /* of a ragged matrix; 0: 2^ROWS x 2^COLS */
    unsigned one;        /* 1: one buffer; 2: one, in small chunks */
    unsigned grid;       /* 1 + a case of `grids`, between 2 x 2 ranks */
} test;

/* One process: fills its memory, reshards, and compares. */
static void rank_runs(shared *s, const test *c, unsigned rank) {
    static unsigned src[1u << (ROWS + COLS)], dst[1u << (ROWS + COLS)];
    static unsigned char staging[BOX];
    const int odd = c->other && rank == 1u;
    const ll_layout a = sharding(c->from, c->gpus);
    const ll_layout b = sharding(odd ? (unsigned)BY_TURNS : c->to, c->gpus);
    wire l = {s, c->leaves ? LEFT_MS : LATE_MS, 0, rank == 1u ? c->dies : 0u,
              rank == 1u ? c->leaves : 0u, 0};
    transport t = {&l, rank, 1u << c->gpus, agree, sends, receives, finish};
    ll_reshard p = ll_reshard_sum(
        a, c->sums ? "gpu" : "", b, 32,
        ll_topology_with(ll_topology_of(100), "gpu", 10, 1000));
    p.chunk = p.message < 6u ? p.message : 6u;
    p.chunk = c->one ? p.message - (c->one == 2u) : p.chunk;
    unsigned *const target = c->one ? src : dst;
    const unsigned gpu = ll_pack(a.in, ll_dim_of("gpu"), rank);
    for (unsigned o = 0; o < ll_size(a.in, LL_OFFSET); ++o) {
        src[o] = element(ll_apply(a, gpu | o), c->sums ? rank : 0u);
    }
    memset(dst, 0xee, sizeof dst);
    const int result = ranks_reshard(&t, &p, src, target, staging, adds);
    const unsigned to = ll_pack(b.in, ll_dim_of("gpu"), rank);
    unsigned wrong = 0;
    for (unsigned o = 0; o < ll_size(b.in, LL_OFFSET); ++o) {
        unsigned want = 0;
        for (unsigned r = 0; r < (c->sums ? t.ranks : 1u); ++r) {
            want += element(ll_apply(b, to | o), r);
        }
        const int quiet = rank && c->to == ON_FIRST;
        wrong += (result == RANKS_OK && !quiet && target[o] != want) ||
                 (result == RANKS_DISAGREE && dst[o] != 0xeeeeeeeeu);
    }
    for (unsigned o = 0; o < ll_size(a.in, LL_OFFSET); ++o) {
        wrong += result == RANKS_PLACE &&
                 src[o] != element(ll_apply(a, gpu | o), c->sums ? rank : 0u);
    }
    atomic_fetch_add(&s->wrong, wrong);
    atomic_store(&s->result[rank], 1u + (unsigned)result);
    _exit(0);
}

static unsigned parts(unsigned n, unsigned ranks) {
    return (n + ranks - 1u) / ranks;
}

/* Which rank has element (i, j) of a ragged matrix, and where: arrays of parts
 * of rows, or of columns; columns in turns; all in each. */
typedef struct spot {
    unsigned rank, at;
} spot;

static spot spot_of(const test *c, unsigned kind, unsigned i, unsigned j) {
    const unsigned n = 1u << c->gpus;
    const unsigned m = parts(c->rows, n), w = parts(c->cols, n);
    const spot rows = {i / m, i % m * c->cols + j};
    const spot cols = {j / w, j % w * c->rows + i};
    const spot turns = {j % n, i * parts(c->cols - j % n, n) + j / n};
    const spot all = {0, i * c->cols + j};
    return kind == BY_ROWS    ? rows
           : kind == BY_COLS  ? cols
           : kind == BY_TURNS ? turns
                              : all;
}

/* What the places of a rank hold, 0xee where nothing is. `part` is added up
 * over the ranks up to `last`. */
static void ragged_fill(const test *c, unsigned kind, unsigned rank,
                        unsigned part, unsigned last, unsigned *data) {
    memset(data, 0xee, sizeof(unsigned) << (ROWS + COLS));
    for (unsigned y = 0; y < c->rows * c->cols; ++y) {
        const spot s = spot_of(c, kind, y / c->cols, y % c->cols);
        unsigned x = 0;
        for (unsigned r = part; r <= last; ++r) {
            x += element(y, r);
        }
        if (s.rank == rank || kind == ON_ALL) {
            data[s.at] = x;
        }
    }
}

/* The bytes that a rank has and others want. */
static size_t ragged_bytes(const test *c, unsigned rank) {
    size_t bytes = 0;
    for (unsigned y = 0; y < c->rows * c->cols; ++y) {
        const unsigned i = y / c->cols, j = y % c->cols;
        bytes += spot_of(c, c->from, i, j).rank == rank &&
                         spot_of(c, c->to, i, j).rank != rank
                     ? sizeof(unsigned)
                     : 0u;
    }
    return bytes;
}

/* The sizes of a test as a plan takes them: columns that take turns have no
 * parts. */
static ragged ragged_sizes(const test *c, ll_shape s) {
    const unsigned n = 1u << c->gpus;
    const int turns = c->from == BY_TURNS || c->to == BY_TURNS;
    ragged r;
    char text[60];
    sprintf(text, turns ? "i: %u by %u, j: %u" : "i: %u by %u, j: %u by %u",
            c->rows, parts(c->rows, n), c->cols, parts(c->cols, n));
    const char *const bad = ragged_read(&r, s, text);
    r.n = bad ? 0u : r.n;
    return r;
}

/* The same of a ragged matrix, whose sizes take all bits when padded. */
static void rank_runs_ragged(shared *s, const test *c, unsigned rank) {
    static unsigned src[1u << (ROWS + COLS)], dst[1u << (ROWS + COLS)];
    static unsigned want[1u << (ROWS + COLS)];
    static unsigned char staging[BOX];
    const ll_layout a = sharding(c->from, c->gpus);
    const ll_layout b = sharding(c->to, c->gpus);
    const unsigned last = (1u << c->gpus) - 1u;
    wire l = {s, LATE_MS, 0, 0, 0, 0};
    transport t = {&l, rank, 1u << c->gpus, agree, sends, receives, finish};
    ll_reshard p = ll_reshard_sum(
        a, c->sums ? "gpu" : "", b, 32,
        ll_topology_with(ll_topology_of(100), "gpu", 10, 1000));
    p.chunk = p.message < 6u ? p.message : 6u;
    test odd = *c;
    odd.rows -= c->other && rank == 1u;
    const ragged_plan g = ragged_plan_of(p, a, b, ragged_sizes(&odd, a.out));
    ragged_fill(c, c->from, rank, c->sums ? rank : 0u, c->sums ? rank : 0u,
                src);
    ragged_fill(c, c->to, rank, 0, c->sums ? last : 0u, want);
    memset(dst, 0xee, sizeof dst);
    if (c->other) {
        memset(want, 0xee, sizeof want);
    }
    const int result = ragged_reshard(&t, &g, src, dst, staging, adds);
    const int counted = !c->other && c->from != ON_ALL && c->to != ON_ALL;
    atomic_fetch_add(&s->wrong, memcmp(dst, want, sizeof dst) != 0);
    atomic_fetch_add(&s->wrong, counted && l.bytes != ragged_bytes(c, rank));
    atomic_store(&s->result[rank], 1u + (unsigned)result);
    _exit(0);
}

/* Sums over one axis of 2 x 2 ranks: how the sums lie before and after, and
 * whether the axis is node. Rows i are shared over the other axis. */
#define ALL_J " j0 j1 j2 j3 j4 j5"
#define LOW " j0 j1 j2 j3 j4 i0 i1 i2 i3 i4"
enum { GRID_ROWS, GRID_COLS, GRID_SAME, GRID_CROSS };
static const struct {
    unsigned over_node, kind;
    const char *to;
} grids[] = {
    {0, GRID_ROWS, "offset:" ALL_J " i0 i1 i2 i3 | gpu: i4 | node: i5"},
    {0, GRID_COLS, "offset:" LOW " | gpu: j5 | node: i5"},
    {0, GRID_SAME, "offset:" ALL_J " i0 i1 i2 i3 i4 | gpu: 0 | node: i5"},
    {0, GRID_CROSS, "offset:" LOW " | gpu: i5 | node: j5"},
    {1, GRID_CROSS, "offset:" LOW " | gpu: i5 | node: j5"},
    {1, GRID_ROWS, "offset:" ALL_J " i0 i1 i2 i3 | gpu: i4 | node: i5"}};

/* The number, 64 * row + column, of what lies at an offset of a rank after it.
 */
static unsigned grid_element(unsigned kind, unsigned rank, unsigned o) {
    const unsigned gpu = rank % 2u, node = rank / 2u;
    return kind == GRID_ROWS   ? (node * 32u + gpu * 16u) * 64u + o
           : kind == GRID_SAME ? node * 32u * 64u + o
           : kind == GRID_COLS
               ? (node * 32u + o / 32u) * 64u + gpu * 32u + o % 32u
               : (gpu * 32u + o / 32u) * 64u + node * 32u + o % 32u;
}

static void rank_runs_grid(shared *s, const test *c, unsigned rank) {
    static unsigned src[1u << (ROWS + COLS)], dst[1u << (ROWS + COLS)];
    static unsigned char staging[BOX];
    const unsigned k = c->grid - 1u, node = grids[k].over_node;
    const ll_layout a = ll_parse(
        node ? "offset:" ALL_J " i0 i1 i2 i3 i4 | gpu: i5 | node: 0"
             : "offset:" ALL_J " i0 i1 i2 i3 i4 | gpu: 0 | node: i5");
    const ll_layout b = ll_parse(grids[k].to);
    wire l = {s, LATE_MS, 0, 0, 0, 0};
    transport t = {&l, rank, 4, agree, sends, receives, finish};
    ll_reshard p = ll_reshard_sum(
        a, node ? "node" : "gpu", b, 32,
        ll_topology_with(ll_topology_with(ll_topology_of(100), "gpu", 10, 1000),
                         "node", 5, 2000));
    p.chunk = p.message < 6u ? p.message : 6u;
    for (unsigned o = 0; o < 32u * 64u; ++o) {
        src[o] = element((node ? rank % 2u : rank / 2u) * 32u * 64u + o, rank);
    }
    memset(dst, 0xee, sizeof dst);
    const int result = ranks_reshard(&t, &p, src, dst, staging, adds);
    const unsigned held = grids[k].kind == GRID_SAME ? 2048u : 1024u;
    unsigned wrong = 0;
    for (unsigned o = 0; o < 1u << (ROWS + COLS); ++o) {
        const unsigned y = grid_element(grids[k].kind, rank, o);
        const unsigned half = y / (32u * 64u);
        const unsigned one = node ? half : 2u * half;
        const unsigned sum = element(y, one) + element(y, one + 1u + node);
        wrong += dst[o] != (o < held ? sum : 0xeeeeeeeeu);
    }
    atomic_fetch_add(&s->wrong, wrong);
    atomic_store(&s->result[rank], 1u + (unsigned)result);
    _exit(0);
}

/* Runs all ranks of a test; a rank that is killed, or one that does not start,
 * breaks the transport. Counts the ranks that did not return `want`. */
static unsigned run(const test *c, int want) {
    const unsigned ranks = 1u << c->gpus;
    shared *const s = (shared *)mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const double begin = now_ms();
    unsigned wrong = 0, started = 0;
    if (s == MAP_FAILED) {
        return ranks;
    }
    for (pid_t child = 1; started < ranks && child > 0; started += child > 0) {
        child = fork();
        if (child == 0) {
            (c->grid   ? rank_runs_grid
             : c->rows ? rank_runs_ragged
                       : rank_runs)(s, c, started);
        }
    }
    if (started < ranks) {
        atomic_store(&s->broken, 1);
    }
    for (unsigned r = 0; r < started; ++r) {
        int status = 0;
        wait(&status);
        if (!WIFEXITED(status)) {
            atomic_store(&s->broken, 1);
        }
    }
    for (unsigned r = 0; r < ranks; ++r) {
        const unsigned lost = r == 1u && (c->dies || c->leaves);
        wrong += atomic_load(&s->result[r]) !=
                 (lost ? 0u : 1u + (unsigned)want);
    }
    wrong += atomic_load(&s->wrong);
    wrong += want && now_ms() - begin > NOTICE_MS;
    munmap(s, sizeof *s);
    return wrong;
}

/* Prints and returns what is wrong with a test. */
static unsigned shows(const test *c, const char *what, int want) {
    const unsigned wrong = run(c, want);
    printf("%u ranks, %s: %u wrong\n", 1u << c->gpus, what, wrong);
    return wrong;
}

/* Matrices of random sizes that need all bits, between 2^gpus ranks. */
static unsigned shows_ragged(unsigned gpus) {
    static unsigned seed = 1;
    const unsigned pairs[][3] = {
        {BY_ROWS, BY_COLS, 0}, {BY_COLS, BY_ROWS, 0}, {BY_TURNS, BY_ROWS, 0},
        {BY_ROWS, BY_TURNS, 0}, {BY_ROWS, ON_ALL, 0}, {ON_ALL, BY_COLS, 1}};
    unsigned wrong = 0;
    for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
        const unsigned least = 1u << (ROWS - 1u), n = 1u << gpus;
        test c = {pairs[k][0], pairs[k][1], gpus, pairs[k][2], 0, 0, 0, 0, 0,
                  0, 0};
        unsigned size[2];
        for (unsigned d = 0; d < 2u; ++d) {
            seed = seed * 1664525u + 1013904223u;
            size[d] = least + n + (seed >> 16) % (least - n + 1u);
        }
        c.rows = size[0], c.cols = size[1];
        char what[80];
        sprintf(what, "%s of %s to %s, %u x %u", c.sums ? "sums" : "copies",
                names[c.from], names[c.to], c.rows, c.cols);
        wrong += shows(&c, what, RANKS_OK);
        c.other = 1;
        wrong += k ? 0u : shows(&c, "one has other sizes", RANKS_DISAGREE);
    }
    return wrong;
}

/* One buffer: what is replaced, in whole messages; what is not is refused. */
static unsigned shows_one_buffer(unsigned gpus) {
    const test good = {.from = BY_ROWS, .to = REPLACED, .gpus = gpus, .one = 1};
    const test chunks = {.from = BY_ROWS, .to = REPLACED, .gpus = gpus,
                         .one = 2};
    const test cols = {.from = BY_ROWS, .to = BY_COLS, .gpus = gpus, .one = 1};
    const test turns = {.from = BY_ROWS, .to = BY_TURNS, .gpus = gpus,
                        .one = 1};
    const test sums = {.from = ON_ALL, .to = ON_ALL, .gpus = gpus, .sums = 1,
                       .one = 1};
    return shows(&good, "one buffer, rows to replaced", RANKS_OK) +
           shows(&chunks, "one buffer, in small chunks", RANKS_PLACE) +
           shows(&cols, "one buffer, rows to columns", RANKS_OK) +
           shows(&turns, "one buffer, rows to turns", RANKS_PLACE) +
           shows(&sums, "one buffer, sums", RANKS_PLACE);
}

/* Sums over an axis of 2 x 2 ranks; a matrix without columns. */
static unsigned shows_grids(void) {
    unsigned wrong = 0;
    for (unsigned k = 0; k < sizeof grids / sizeof *grids; ++k) {
        const test c = {.gpus = 2, .grid = k + 1u};
        char what[80];
        sprintf(what, "sums over %s of 2 x 2, %s",
                grids[k].over_node ? "node" : "gpu", grids[k].to + 8);
        wrong += shows(&c, what, RANKS_OK);
    }
    const test empty = {.from = BY_ROWS, .to = BY_COLS, .gpus = 2, .rows = 40};
    const test turns = {.from = BY_TURNS, .to = BY_ROWS, .gpus = 1, .rows = 33};
    return wrong + shows(&empty, "40 x 0, rows to columns", RANKS_OK) +
           shows(&turns, "33 x 0, turns to rows", RANKS_OK);
}

int main(void) {
    const unsigned pairs[][3] = {
        {BY_ROWS, BY_COLS, 0}, {BY_TURNS, BY_ROWS, 0}, {BY_ROWS, ON_ALL, 0},
        {ON_ALL, BY_COLS, 1},  {ON_ALL, ON_ALL, 1},    {ON_FIRST, ON_ALL, 0},
        {BY_ROWS, SWAPPED, 0}, {BY_COLS, ON_FIRST, 0}};
    unsigned wrong = 0;
    for (unsigned gpus = 1; gpus <= 4u; ++gpus) {
        for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
            const test c = {pairs[k][0], pairs[k][1], gpus, pairs[k][2],
                            0,           0,           0,    0,
                            0,           0,           0};
            char what[80];
            sprintf(what, "%s of %s to %s", c.sums ? "sums" : "copies",
                    names[c.from], names[c.to]);
            wrong += shows(&c, what, RANKS_OK);
        }
        const test killed = {BY_ROWS, BY_COLS, gpus, 0, 2, 0, 0, 0, 0, 0, 0};
        const test other = {BY_ROWS, BY_COLS, gpus, 0, 0, 0, 1, 0, 0, 0, 0};
        wrong += shows(&killed, "one is killed", RANKS_LOST);
        wrong += shows(&other, "one has another plan", RANKS_DISAGREE);
        wrong += shows_ragged(gpus) + shows_one_buffer(gpus);
    }
    wrong += shows_grids();
    const test left = {BY_ROWS, BY_COLS, 2, 0, 0, 2, 0, 0, 0, 0, 0};
    wrong += shows(&left, "one leaves without a word", RANKS_LOST);
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}
