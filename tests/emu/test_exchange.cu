/* test_exchange.cu - what exchange_sides.h reads from the layouts of the ranks'
 * tensors, and what it refuses with a sentence.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#include "../../examples/kernels/attention/attention.cu"

#include "../../examples/kernels/attention/exchange_sides.h"

typedef attention_16bit<HEAD, number_format::BF16> kernel;

static int passed, failed;

#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __LINE__)
static void check(bool good, const char *what, int line) {
    good ? ++passed : ++failed;
    if (!good) {
        printf("test_exchange.cu:%d: %s\n", line, what);
    }
}

/* Returns what a launch says of layouts of 2^tokens x 2^columns. */
static const char *said_of(const ll_layout &tokens, const ll_layout &heads,
                           unsigned rank = 0) {
    static float memory[64]; /* no launch comes so far as to use it */
    exchange_call c = {};
    c.tokens = tokens;
    c.heads = heads;
    c.rank = rank;
    for (unsigned r = 0; r < EXCHANGE_RANKS; ++r) {
        c.q[r] = c.k[r] = c.v[r] = c.o[r] = memory;
    }
    const char *said = launch_exchange<kernel>(c, 0);
    return said ? said : "nothing";
}
static bool refuses(const ll_layout &tokens, const ll_layout &heads,
                    const char *part) {
    const char *said = said_of(tokens, heads);
    const bool good = strstr(said, part) != 0;
    if (!good) {
        printf("`%s`, not `%s`\n", said, part);
    }
    return good;
}

/* Returns tokens by rows with the columns of two bits of the input exchanged.
 */
static ll_layout exchanged(ll_layout a, unsigned x, unsigned y) {
    const unsigned was = a.basis[x];
    a.basis[x] = a.basis[y];
    a.basis[y] = was;
    return a;
}

static void refusals() {
    const ll_layout rows = sharding(BY_ROW, 10, 9, 1);
    const ll_layout pieces = sharding(BY_PIECE, 10, 9, 1);
    CHECK(refuses(pieces, pieces, "all columns of 128 neighbouring tokens"));
    CHECK(refuses(sharding(BY_COLUMN, 10, 9, 1), pieces, "128 neighbouring"));
    CHECK(refuses(exchanged(rows, 9, 18), pieces, "128 neighbouring"));
    CHECK(refuses(exchanged(rows, 17, 18), pieces, "tokens of a rank are"));
    CHECK(refuses(rows, sharding(BY_TURNS, 10, 9, 1), "tokens of whole heads"));
    CHECK(refuses(rows, sharding(BY_COLUMN, 10, 9, 1), "of whole heads"));
    CHECK(refuses(rows, rows, "of whole heads"));
    CHECK(refuses(rows, sharding(BY_PIECE, 10, 10, 1), "to j and i"));
    CHECK(refuses(sharding(BY_ROW, 12, 11, 4), sharding(BY_PIECE, 12, 11, 4),
                  "at most 8 ranks"));
    CHECK(refuses(sharding(BY_ROW, 8, 9, 2), sharding(BY_PIECE, 8, 9, 2),
                  "at least 128 tokens"));
    CHECK(refuses(sharding(BY_ROW, 10, 8, 2), sharding(BY_PIECE, 10, 8, 2),
                  "at least one head"));
    CHECK(refuses(ll_layout_none_(LL_EBITS), pieces, "a layout has an error"));
}

/* Ranks in any order: bits 19 and 20 of the input are the rank. */
static void places() {
    const ll_layout rows = sharding(BY_ROW, 11, 10, 2);
    const ll_layout pieces = sharding(BY_PIECE, 11, 10, 2);
    for (unsigned rank = 0; rank < 4; ++rank) {
        const exchange_sizes z = exchange_sizes_of(rows, pieces, 128);
        exchange_move m = {};
        m.rank = rank;
        m.tiles = z.tokens / 128;
        CHECK(!z.bad && z.ranks == 4 && z.rank_tokens == 512);
        CHECK(z.heads == 8 && z.rank_heads == 2);
        CHECK(!read_tokens(&m, exchanged(rows, 19, 20)) && !find_own(&m));
        CHECK(m.own == 4 * (rank >> 1 | (rank & 1) << 1) && m.own_tiles == 4);
        CHECK(m.bit[3].rank == 2 && m.bit[4].rank == 1 && m.bit[2].row == 256);
        CHECK(!read_heads(&m, pieces, z, 128));
        CHECK(m.head_0 == 2 * rank && m.head_bit[0] == 1);
    }
}

int main() {
    refusals();
    places();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
