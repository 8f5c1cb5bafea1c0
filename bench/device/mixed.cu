/* mixed.cu - GEMMs of any two types, in any order, of any size.
 * SPDX-License-Identifier: MIT
 *
 * Runs matmul.cu for all linked pairs of types (mixed_pair.cu), with both
 * operands by rows and by columns, on the shapes below. Compares every element
 * with a sum of integers that the host computes. Writes the passed cases as
 * JSON: of all cases, and of the 784 that the paper counts in its table of pass
 * rates. The paper names the classes of types and the number of cases of each.
 * Here the cases are the four orders, eight shapes, and four more shapes if an
 * operand has 8 bits. The class i8/f8 has a third pair, e4m3 x s8.
 *
 * Run: mixed [RESULT.json]     (bench/run.sh mixed builds and runs it)
 */
#include "mixed.h"
#include <string>
#include <vector>

using namespace ll_kernels;

static const mixed *&first_pair() {
    static const mixed *first = 0;
    return first;
}

mixed::mixed(const product (&p)[4]) : next(first_pair()) {
    memcpy(orders, p, sizeof orders);
    first_pair() = this;
}

static const unsigned SHAPES[][3] = {{16, 16, 16},
                                     {32, 32, 32},
                                     {64, 64, 64},
                                     {128, 128, 128},
                                     {160, 144, 80},
                                     {33, 7, 21},
                                     {1, 1, 1},
                                     {256, 320, 96},
                                     /* if an operand has 8 bits */
                                     {16, 16, 128},
                                     {128, 256, 64},
                                     {1, 272, 31},
                                     {192, 48, 208}};
enum { SHAPES_ALL = 12, SHAPES_PAPER = 8 };

static const char *const NAMES[] = {"s8",   "s16", "s32",  "s64", "e4m3",
                                    "e5m2", "f16", "bf16", "f32", "f64"};

constexpr dtype s8 = dtype::s8, s16 = dtype::s16, s32 = dtype::s32,
                s64 = dtype::s64, e4m3 = dtype::e4m3, e5m2 = dtype::e5m2,
                f16 = dtype::f16, bf16 = dtype::bf16, f32 = dtype::f32,
                f64 = dtype::f64;
enum : unsigned { TYPES = (unsigned)dtype::f64 + 1 };

/* The classes of the paper's table, with the pairs that represent each. */
struct row {
    const char *name;
    unsigned cases;
    std::vector<std::pair<dtype, dtype>> pairs;
};
static const row ROWS_OF_TABLE[] = {
    {"i16/f16", 64, {{s16, f16}, {s16, bf16}}},
    {"i16/f32", 32, {{s16, f32}}},
    {"i16/f64", 32, {{s16, f64}}},
    {"i16/f8", 96, {{s16, e4m3}, {s16, e5m2}}},
    {"i32/f16", 32, {{s32, f16}}},
    {"i32/f64", 32, {{s32, f64}}},
    {"i32/f8", 48, {{s32, e4m3}}},
    {"i64/f16", 32, {{s64, f16}}},
    {"i64/f32", 32, {{s64, f32}}},
    {"i64/f8", 48, {{s64, e4m3}}},
    {"i8/f16", 96, {{s8, f16}, {s8, bf16}}},
    {"i8/f32", 48, {{s8, f32}}},
    {"i8/f64", 48, {{s8, f64}}},
    {"i8/f8", 144, {{s8, e4m3}, {s8, e5m2}, {e4m3, s8}}}};

/* The shapes that one order of a pair computes correctly. */
struct tally {
    bool right[SHAPES_ALL];
};

/* Returns the matrix C of a shape in an order. Its elements are integers, so
 * every type gives the same. */
static const std::vector<long long> &sums_of(unsigned shape, unsigned order,
                                             bool cols_a, bool cols_b) {
    static std::vector<long long> known[SHAPES_ALL][4];
    std::vector<long long> &sums = known[shape][order];
    const unsigned *s = SHAPES[shape];
    if (sums.empty()) {
        sums.resize((size_t)s[0] * s[1]);
        for (unsigned i = 0; i < s[0]; ++i) {
            for (unsigned j = 0; j < s[1]; ++j) {
                long long sum = 0;
                for (unsigned z = 0; z < s[2]; ++z) {
                    sum += (long long)value_at(
                               cols_a ? z * s[0] + i : i * s[2] + z, 1) *
                           value_at(cols_b ? j * s[2] + z : z * s[1] + j, 2);
                }
                sums[(size_t)i * s[1] + j] = sum;
            }
        }
    }
    return sums;
}

/* Returns the matrix of a type and a number of elements; makes it on the first
 * call. */
static void *kept(dtype t, size_t count, unsigned seed) {
    struct item {
        dtype t;
        size_t count;
        unsigned seed;
        void *data;
    };
    static std::vector<item> items;
    for (const item &x : items) {
        if (x.t == t && x.count == count && x.seed == seed) {
            return x.data;
        }
    }
    items.push_back({t, count, seed, matrix_of(t, count, seed)});
    return items.back().data;
}

static bool is_product_right(const product &p, unsigned shape, unsigned order) {
    const unsigned *s = SHAPES[shape];
    const size_t size = bits_of(p.c) / 8, count = (size_t)s[0] * s[1];
    const std::vector<long long> &sums =
        sums_of(shape, order, p.cols_a, p.cols_b);
    std::vector<unsigned char> host(count * size);
    void *a = kept(p.a, (size_t)s[0] * s[2], 1);
    void *b = kept(p.b, (size_t)s[2] * s[1], 2), *c;
    MUST(cudaMalloc(&c, count * size));
    MUST(cudaMemset(c, 0xff, count * size));
    const char *bad = p.launch(c, a, b, s[0], s[1], s[2]);
    MUST(cudaMemcpy(host.data(), c, count * size, cudaMemcpyDeviceToHost));
    MUST(cudaFree(c));
    size_t wrong = bad != 0;
    for (size_t x = 0; x < count; ++x) {
        wrong += !is_right(p.c, &host[x * size], sums[x]);
    }
    if (wrong) {
        printf("%s x %s, %s x %s, %u x %u x %u: %zu wrong %s\n",
               NAMES[(unsigned)p.a], NAMES[(unsigned)p.b],
               p.cols_a ? "columns" : "rows", p.cols_b ? "columns" : "rows",
               s[0], s[1], s[2], wrong, bad ? bad : "");
    }
    return !wrong;
}

/* How many of 8 shapes, and of 12 shapes, a pair of types computes right. */
static unsigned passed[TYPES][TYPES][2];

static unsigned *passed_of(dtype a, dtype b) {
    return passed[(unsigned)a][(unsigned)b];
}

static void check_all(unsigned *right, unsigned *all) {
    for (const mixed *pair = first_pair(); pair; pair = pair->next) {
        for (unsigned order = 0; order < 4; ++order) {
            const product &p = pair->orders[order];
            if (!p.launch) { /* tests/pairs.py builds some of them alone */
                continue;
            }
            for (unsigned shape = 0; shape < SHAPES_ALL; ++shape) {
                const bool good = is_product_right(p, shape, order);
                passed_of(p.a, p.b)[0] += good && shape < SHAPES_PAPER;
                passed_of(p.a, p.b)[1] += good;
                *right += good;
                ++*all;
            }
        }
    }
}

/* Returns the line of JSON for a class of the table. */
static std::string line_of(const row &r, unsigned *right, unsigned *all) {
    char text[200];
    unsigned n = 0;
    for (const std::pair<dtype, dtype> &p : r.pairs) {
        const bool byte = bits_of(p.first) == 8 || bits_of(p.second) == 8;
        n += passed_of(p.first, p.second)[byte];
    }
    *right += n;
    *all += r.cases;
    snprintf(text, sizeof text,
             "  {\"types\": \"%s\", \"passed\": %u, "
             "\"of\": %u}",
             r.name, n, r.cases);
    return text;
}

/* Returns an environment variable that bench/run.sh sets, or "unknown". */
static const char *told(const char *name) {
    const char *value = getenv(name);
    return value ? value : "unknown";
}

int main(int argc, char **argv) {
    unsigned right = 0, all = 0, right_paper = 0, all_paper = 0;
    std::string rows;
    check_all(&right, &all);
    for (const row &r : ROWS_OF_TABLE) {
        rows +=
            (rows.empty() ? "" : ",\n") + line_of(r, &right_paper, &all_paper);
    }
    printf("%u of %u of the paper's cases, %u of %u in all\n", right_paper,
           all_paper, right, all);
#if LL_EMULATE
    const unsigned long long lost = emu_wavefronts("") - emu_ideal("");
    printf("%llu bank conflicts\n%s", lost, emu_errors());
    right -= lost != 0 || emu_error_count() != 0;
#endif
    if (argc > 1) {
        FILE *f = fopen(argv[1], "w");
        if (!f) {
            perror(argv[1]);
            return 1;
        }
        fprintf(f,
                "{\n \"context\": {\"device\": \"%s\", \"commit\": \"%s\", "
                "\"command\": \"%s\"},\n"
                " \"paper\": {\"passed\": %u, \"of\": %u},\n"
                " \"all\": {\"passed\": %u, \"of\": %u},\n"
                " \"rows\": [\n%s\n ]\n}\n",
                told("LL_DEVICE"), told("LL_COMMIT"), told("LL_COMMAND"),
                right_paper, all_paper, right, all, rows.c_str());
        fclose(f);
    }
    return right != all;
}
