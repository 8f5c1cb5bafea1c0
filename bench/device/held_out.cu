// held_out.cu - times pairs of tests/held_out.c: is the plan with the lower
// cost faster? SPDX-License-Identifier: MIT
//
// build/host/held_out lists the pairs in held_out_pairs.h: sm_90, 8 to 64 bits,
// 128 threads, each element once, convertible by shuffles and through shared
// memory. `ll` is the plan of ll_plan_of, `ll-shared` or `ll-shuffles` the
// runner-up (LL_PLAN_BY). The timing is as in convert.cu; the objects replace
// its parts: 8, 16, and 32 and 64 bits, each in three thirds. Elements of 64
// bits are compared as two of 32.
//
// Build and run: bench/run.sh held-out.
#include "convert.h"

template <> struct element_of<64> { typedef unsigned long long type; };

namespace {

enum : unsigned { part_tiles, part_operands, part_cub, parts };
#define PART_(what) part_##what
#define PART(what) PART_(what)

// Does pair K, with elements of BITS, belong to this object?
template <unsigned K, unsigned BITS> constexpr bool is_mine() {
    return (BITS == 64 ? 32 : BITS) == LL_BENCH_BITS &&
           K / 6 % parts == PART(LL_BENCH_WHAT);
}

// source_of for elements of 64 bits, whose two words `dump` stores apart: word
// w of thread t at w * threads + t.
template <class B> std::vector<unsigned> source_of_words() {
    const ll_layout b = LL_GET(B);
    constexpr unsigned regs = LL_REGS(B);
    std::vector<unsigned> from(2 * regs * threads);
    for (unsigned x = 0; x < regs * threads; ++x) {
        const unsigned r = x % regs, t = x / regs;
        const unsigned y = ll_apply(b, x);
        from[2 * r * threads + t] = 2 * y;
        from[(2 * r + 1) * threads + t] = 2 * y + 1;
    }
    return from;
}

template <class A, class B, unsigned BITS, bool MINE>
void add_pair(std::vector<conversion> &all, const char *name) {
    if constexpr (MINE) {
        conversion c = {};
        c.name = name;
        c.m = ll_size(LL_GET(A).out, LL_I);
        c.n = ll_size(LL_GET(A).out, LL_J) * (BITS == 64 ? 2 : 1);
        c.bits = BITS == 64 ? 32 : BITS;
        if constexpr (BITS == 64) {
            c.from = source_of_words<B>();
        } else {
            c.from = source_of<B, BITS>();
        }
        add_ll<A, B, BITS>(c);
        all.push_back(c);
    }
}

#define X(K, BITS, FROM, TO)                                                \
    struct from_##K {                                                       \
        LL_CONSTANT_ ll_layout get() { return ll_parse(FROM); }             \
    };                                                                      \
    struct to_##K {                                                         \
        LL_CONSTANT_ ll_layout get() { return ll_parse(TO); }               \
    };
#include "held_out_pairs.h"
#undef X

} // namespace

void LL_BENCH_NAME(LL_BENCH_WHAT, LL_BENCH_BITS)(std::vector<conversion> &all) {
#define X(K, BITS, FROM, TO)                                                \
    add_pair<from_##K, to_##K, BITS, is_mine<K, BITS>()>(                   \
        all, "held-out-" #K "-" #BITS);
#include "held_out_pairs.h"
#undef X
}
