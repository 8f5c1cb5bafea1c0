// host.cc - the time of planning on the host
// SPDX-License-Identifier: MIT
//
// Every row works through a pool of random inputs, so that neither the branch
// predictor nor the compiler knows them. Every result of the pool is checked
// once before the clock starts. Rows that end in /m4ri do the same job on the
// same matrices with libm4ri, if it is installed.
//
// Build and run: bench/run.sh host
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ll_ptx.h"

#if defined(LL_BENCH_M4RI)
#include <m4ri/m4ri.h>
#endif

namespace {

enum : unsigned { pool = 256 }; // a power of two

[[noreturn]] void wrong(const char *what) {
    std::fprintf(stderr, "host: a wrong result: %s\n", what);
    std::exit(1);
}

void check(bool ok, const char *what) {
    if (!ok) {
        wrong(what);
    }
}

// xorshift64*, seeded with the index of the input.
struct dice {
    unsigned long long x;
    explicit dice(unsigned long long seed)
        : x(seed * 0x9e3779b97f4a7c15ull + 1u) {}
    unsigned roll() {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        return static_cast<unsigned>(x * 0x2545f4914f6cdd1dull >> 32);
    }
    unsigned below(unsigned n) { return roll() % n; }
};

// ---- Inputs ------------------------------------------------

// One dimension per side, or the usual three and two.
enum shape { plain, hardware };

ll_shape side(shape s, unsigned n, int out) {
    const ll_shape none = LL_ZERO;
    if (s == plain) {
        return ll_with(none, ll_dim_of(out ? "y" : "x"), 1u << n);
    }
    if (out) {
        return ll_with(ll_with(none, LL_J, 1u << n / 2), LL_I,
                       1u << (n - n / 2));
    }
    const unsigned warp = n < 12 ? 2 : 3;
    return ll_with(
        ll_with(ll_with(none, LL_REGISTER, 1u << (n - 5 - warp)), LL_LANE, 32),
        LL_WARP, 1u << warp);
}

// Returns a random n x n matrix.
ll_layout any(dice &d, shape s, unsigned n) {
    ll_layout a = ll_zero(side(s, n, 0), side(s, n, 1));
    for (unsigned k = 0; k < n; ++k) {
        a.basis[k] = d.roll() & ((1u << n) - 1u);
    }
    return a;
}

// Returns a random n x n matrix that has an inverse.
ll_layout invertible(dice &d, shape s, unsigned n) {
    ll_layout a = any(d, s, n);
    while (ll_rank(a) != n) {
        a = any(d, s, n);
    }
    return a;
}

// Returns a distributed layout of 2^n elements, with every output bit in a
// random place.
ll_layout shuffled(dice &d, unsigned n) {
    ll_layout a = ll_zero(side(hardware, n, 0), side(hardware, n, 1));
    for (unsigned k = 0; k < n; ++k) {
        const unsigned m = d.below(k + 1u);
        a.basis[k] = a.basis[m];
        a.basis[m] = 1u << k;
    }
    return a;
}

struct pair {
    ll_layout a, b;
    unsigned element_bits;
};

std::vector<pair> shuffles(unsigned n) {
    std::vector<pair> v;
    for (unsigned k = 0; k < pool; ++k) {
        dice d(k);
        const unsigned bits = 8u << d.below(4);
        const ll_layout a = shuffled(d, n);
        v.push_back(pair{a, shuffled(d, n), bits});
    }
    return v;
}

// Returns pairs from rows of 16 bytes per lane to columns of 16 bytes per lane.
std::vector<pair> turns(unsigned rows, unsigned cols) {
    std::vector<pair> v;
    for (unsigned k = 0; k < pool; ++k) {
        const unsigned bits = 8u << dice(k).below(4);
        v.push_back(pair{ll_rows(rows, cols, bits / 8),
                         ll_trans(ll_rows(cols, rows, bits / 8), "j i"), bits});
    }
    return v;
}

std::vector<pair> systems(shape s, unsigned n) {
    std::vector<pair> v;
    for (unsigned k = 0; k < pool; ++k) {
        dice d(k + 1000u);
        const ll_layout b = invertible(d, s, n);
        v.push_back(pair{any(d, s, n), b, 32});
    }
    return v;
}

// Returns a layout with more inputs than outputs: n + extra columns, rank n.
ll_layout wide(dice &d, unsigned n, unsigned extra) {
    ll_layout a = invertible(d, hardware, n);
    a = ll_resize_in(a, LL_REGISTER, ll_size(a.in, LL_REGISTER) << extra);
    for (unsigned k = 0; k < n + extra; ++k) {
        const unsigned y = d.roll() & ((1u << n) - 1u);
        a.basis[k] = a.basis[k] ? a.basis[k] : y;
    }
    return a;
}

// ---- Checks without the function under test ---------------------------

// Checks b(x(v)) = a(v) for the unit vectors, zero and a few random v.
void check_solution(const ll_layout &b, const ll_layout &x,
                    const ll_layout &a) {
    const unsigned n = ll_shape_bits_(&a.in);
    dice d(7);
    check(x.err == LL_OK, "solve failed");
    for (unsigned k = 0; k < n + 9u; ++k) {
        const unsigned v = k < n    ? 1u << k
                           : k == n ? 0u
                                    : d.roll() & ((1u << n) - 1u);
        const unsigned in = ll_shape_repack_(ll_apply(x, v), &x.out, &b.in);
        check(ll_apply(b, in) ==
                  ll_shape_repack_(ll_apply(a, v), &a.out, &b.out),
              "solve");
    }
}

// Counts the wavefronts of one access from every lane's words, in phases of
// consecutive lanes. No lane bit may have the column 0, except bit 0 or 1:
// lanes that differ in it read the same words in one phase, so `skip` leaves
// one of them out.
unsigned counted(const ll_layout &a, const ll_layout &m, unsigned scale,
                 unsigned bytes, unsigned skip = 0) {
    const ll_layout where = ll_inv(m);
    const unsigned lanes = bytes <= 4 ? 32 : 128 / bytes;
    std::vector<unsigned> all;
    for (unsigned l = 0; l < 32; ++l) {
        if (!(l & skip)) {
            all.push_back(l);
        }
    }
    unsigned total = 0;
    for (size_t first = 0; first < all.size(); first += lanes) {
        std::vector<std::vector<unsigned>> bank(32);
        unsigned most = 0;
        for (size_t n = first; n < first + lanes && n < all.size(); ++n) {
            const unsigned y = ll_apply(a, ll_pack(a.in, LL_LANE, all[n]));
            const unsigned at = (ll_apply(where, y) << scale) & ~(bytes - 1u);
            for (unsigned w = at / 4; w < (at + bytes + 3) / 4; ++w) {
                std::vector<unsigned> &b = bank[w % 32];
                bool seen = false;
                for (unsigned other : b) {
                    seen = seen || other == w;
                }
                if (!seen) {
                    b.push_back(w);
                }
                most = b.size() > most ? unsigned(b.size()) : most;
            }
        }
        total += most;
    }
    return total;
}

// Returns the thread bit whose two values load the same data in step k, twice
// what each needs, and select their half in the last step. 0: there is none.
unsigned over_read(const ll_plan &plan, unsigned k) {
    const ll_step &s = plan.step[k];
    return s.op == LL_OP_LOAD && s.bits > plan.to_bits
               ? plan.step[plan.n - 1u].flip
               : 0u;
}

unsigned counted_of_step(const pair &p, const ll_plan &plan, unsigned k) {
    const ll_step &s = plan.step[k];
    const unsigned both = over_read(plan, k);
    ll_layout by = s.op == LL_OP_STORE ? p.a : p.b;
    if (both) {
        by.basis[by.in.bits[0] + ll_log2_(both)] = 0;
    }
    return counted(by, plan.memory, ll_log2_(p.element_bits) - 3u, s.bytes,
                   both & 3u);
}

// Checks that the memory holds every element once and that the plan's
// wavefronts of vector accesses are correct. A plan with only vector accesses
// uses this memory; one with matrix accesses, or with lanes that read more than
// they need, may use another.
void check_swizzle(const pair &p, const ll_layout &m) {
    const ll_plan plan = ll_plan_of(p.a, p.b, p.element_bits, LL_SM90);
    bool vectors = true, more = false;
    check(ll_is_invertible(m), "swizzle is not invertible");
    check(plan.err == LL_OK, "no plan");
    if (plan.kind != LL_SHARED) {
        return;
    }
    for (unsigned k = 0; k < plan.n; ++k) {
        const ll_step &s = plan.step[k];
        if (s.op != LL_OP_STORE && s.op != LL_OP_LOAD) {
            continue;
        }
        vectors = vectors && s.form == LL_FORM_VECTOR;
        more = more || over_read(plan, k) != 0;
        if (s.form == LL_FORM_VECTOR) {
            check(s.wavefronts == counted_of_step(p, plan, k), "wavefronts");
        }
    }
    check(!vectors || more || ll_is_equal(plan.memory, m),
          "plan and swizzle differ");
}

// ---- Rows ------------------------------------------------

unsigned swizzle_left(const std::vector<pair> &v) {
    unsigned conflicts = 0;
    for (const pair &p : v) {
        const ll_plan plan = ll_plan_of(p.a, p.b, p.element_bits, LL_SM90);
        conflicts += ll_conflicts(plan);
    }
    return conflicts;
}

void swizzle(benchmark::State &state, const std::vector<pair> &v) {
    const ll_target t = LL_SM90;
    for (const pair &p : v) {
        check_swizzle(p, ll_swizzle(p.a, p.b, p.element_bits, t));
    }
    unsigned k = 0;
    for (auto _ : state) {
        const pair &p = v[k++ % pool];
        benchmark::DoNotOptimize(ll_swizzle(p.a, p.b, p.element_bits, t));
    }
    state.counters["conflicts"] = double(swizzle_left(v)) / pool;
}

void plan(benchmark::State &state, const std::vector<pair> &v) {
    const ll_target t = LL_SM90;
    unsigned k = 0;
    for (auto _ : state) {
        const pair &p = v[k++ % pool];
        benchmark::DoNotOptimize(ll_plan_of(p.a, p.b, p.element_bits, t));
    }
}

void wavefronts(benchmark::State &state, const std::vector<pair> &v) {
    const ll_target t = LL_SM90;
    std::vector<ll_layout> m;
    for (const pair &p : v) {
        m.push_back(ll_swizzle(p.a, p.b, p.element_bits, t));
        const unsigned bytes = p.element_bits < 32 ? 4 : p.element_bits / 8;
        const unsigned w =
            ll_wavefronts(p.b, m.back(), p.element_bits, bytes, LL_READ, t);
        check(w == 0 || w == counted(p.b, m.back(),
                                     ll_log2_(p.element_bits) - 3u, bytes),
              "wavefronts");
    }
    unsigned k = 0;
    for (auto _ : state) {
        const pair &p = v[k % pool];
        const unsigned bytes = p.element_bits < 32 ? 4 : p.element_bits / 8;
        benchmark::DoNotOptimize(ll_wavefronts(
            p.b, m[k++ % pool], p.element_bits, bytes, LL_READ, t));
    }
}

void solve(benchmark::State &state, const std::vector<pair> &v,
           unsigned policy) {
    for (const pair &p : v) {
        check_solution(p.b, ll_solve(p.b, p.a, policy), p.a);
    }
    unsigned k = 0;
    for (auto _ : state) {
        const pair &p = v[k++ % pool];
        benchmark::DoNotOptimize(ll_solve(p.b, p.a, policy));
    }
}

void inverse(benchmark::State &state, const std::vector<pair> &v) {
    for (const pair &p : v) {
        const ll_layout x = ll_inv(p.b);
        for (unsigned y = 0; y < 256; ++y) {
            check(ll_apply(p.b, ll_apply(x, y)) == y, "inverse");
        }
    }
    unsigned k = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(ll_inv(v[k++ % pool].b));
    }
}

// ll_compose needs the outputs of a to match the inputs of b.
void compose(benchmark::State &state, const std::vector<pair> &v) {
    std::vector<pair> w;
    for (pair p : v) {
        p.b.in = p.a.out;
        const ll_layout c = ll_compose(p.b, p.a);
        for (unsigned x = 0; x < 256; ++x) {
            check(ll_apply(c, x) == ll_apply(p.b, ll_apply(p.a, x)), "compose");
        }
        w.push_back(p);
    }
    unsigned k = 0;
    for (auto _ : state) {
        const pair &p = w[k++ % pool];
        benchmark::DoNotOptimize(ll_compose(p.b, p.a));
    }
}

std::string text_of(const ll_layout &a) {
    char buf[2000];
    check(ll_str(a, buf, sizeof buf) < sizeof buf, "the text is too long");
    return buf;
}

void parse(benchmark::State &state, const std::vector<pair> &v) {
    std::vector<std::string> text;
    for (const pair &p : v) {
        text.push_back(text_of(p.a));
        check(ll_is_equal(ll_parse(text.back().c_str()), p.a), "parse");
    }
    unsigned k = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(ll_parse(text[k++ % pool].c_str()));
    }
}

void str(benchmark::State &state, const std::vector<pair> &v) {
    char buf[2000];
    unsigned k = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(ll_str(v[k++ % pool].a, buf, sizeof buf));
        benchmark::ClobberMemory();
    }
}

#if defined(LL_BENCH_M4RI)

// The matrix of a layout: column k is basis k.
mzd_t *matrix(const ll_layout &a, unsigned rows, unsigned cols) {
    mzd_t *m = mzd_init(int(rows), int(cols));
    for (unsigned c = 0; c < cols; ++c) {
        for (unsigned r = 0; r < rows; ++r) {
            mzd_write_bit(m, int(r), int(c), int(a.basis[c] >> r & 1u));
        }
    }
    return m;
}

bool is_matrix(const mzd_t *m, const ll_layout &a) {
    bool same = true;
    for (int c = 0; c < m->ncols; ++c) {
        for (int r = 0; r < m->nrows; ++r) {
            same = same &&
                   unsigned(mzd_read_bit(m, r, c)) == (a.basis[c] >> r & 1u);
        }
    }
    return same;
}

struct matrices {
    std::vector<mzd_t *> a, b;
    mzd_t *x, *y;
    matrices(const std::vector<pair> &v, unsigned n)
        : x(mzd_init(int(n), int(n))), y(mzd_init(int(n), int(n))) {
        for (const pair &p : v) {
            a.push_back(matrix(p.a, n, n));
            b.push_back(matrix(p.b, n, n));
        }
    }
    ~matrices() {
        for (unsigned k = 0; k < a.size(); ++k) {
            mzd_free(a[k]);
            mzd_free(b[k]);
        }
        mzd_free(x);
        mzd_free(y);
    }
};

// m4ri solves in place, so both matrices are copied first.
void solve_m4ri(benchmark::State &state, const std::vector<pair> &v,
                unsigned n) {
    const matrices m(v, n);
    const auto once = [&](unsigned k) {
        mzd_copy(m.x, m.b[k]);
        mzd_copy(m.y, m.a[k]);
        return mzd_solve_left(m.x, m.y, 0, 1);
    };
    for (unsigned k = 0; k < pool; ++k) {
        check(once(k) == 0 &&
                  is_matrix(m.y, ll_solve(v[k].b, v[k].a, LL_FIRST)),
              "m4ri and solve differ");
    }
    unsigned k = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(once(k++ % pool));
        benchmark::ClobberMemory();
    }
}

void inverse_m4ri(benchmark::State &state, const std::vector<pair> &v,
                  unsigned n) {
    const matrices m(v, n);
    for (unsigned k = 0; k < pool; ++k) {
        mzd_inv_m4ri(m.x, m.b[k], 0);
        check(is_matrix(m.x, ll_inv(v[k].b)), "m4ri and inv differ");
    }
    unsigned k = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(mzd_inv_m4ri(m.x, m.b[k++ % pool], 0));
        benchmark::ClobberMemory();
    }
}

void compose_m4ri(benchmark::State &state, const std::vector<pair> &v,
                  unsigned n) {
    const matrices m(v, n);
    for (unsigned k = 0; k < pool; ++k) {
        ll_layout b = v[k].b;
        b.in = v[k].a.out;
        mzd_mul(m.x, m.b[k], m.a[k], 0);
        check(is_matrix(m.x, ll_compose(b, v[k].a)), "m4ri, compose differ");
    }
    unsigned k = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(mzd_mul(m.x, m.b[k % pool], m.a[k % pool], 0));
        benchmark::ClobberMemory();
        ++k;
    }
}

#endif

// Returns the spread of the repetitions' times, as a fraction of their median.
double spread(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return (v.back() - v.front()) / v[v.size() / 2];
}

template <class F, class... A> void row(const std::string &name, F f, A... a) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State &s) { f(s, a...); })
        ->ComputeStatistics(
            "spread", [](const std::vector<double> &v) { return spread(v); },
            benchmark::kPercentage);
}

void rows_of(unsigned n) {
    const std::string size = std::to_string(n) + "x" + std::to_string(n);
    const std::vector<pair> flat = systems(plain, n);
    const std::vector<pair> hard = systems(hardware, n);
    row("solve/" + size + "/first", solve, flat, unsigned(LL_FIRST));
    row("solve/" + size + "/light", solve, flat, unsigned(LL_LIGHT));
    row("solve/" + size + "/hardware/first", solve, hard, unsigned(LL_FIRST));
    row("inverse/" + size, inverse, flat);
    row("compose/" + size, compose, flat);
#if defined(LL_BENCH_M4RI)
    row("solve/" + size + "/m4ri", solve_m4ri, flat, n);
    row("inverse/" + size + "/m4ri", inverse_m4ri, flat, n);
    row("compose/" + size + "/m4ri", compose_m4ri, flat, n);
#endif
}

} // namespace

int main(int argc, char **argv) {
    const std::vector<pair> turn = turns(128, 128);
    const std::vector<pair> mixed = shuffles(14);
    row("swizzle/2^14/transpose", swizzle, turn);
    row("swizzle/2^14/random", swizzle, mixed);
    row("plan/2^14/transpose", plan, turn);
    row("plan/2^14/random", plan, mixed);
    row("wavefronts/2^14/random", wavefronts, mixed);
    rows_of(16);
    rows_of(24);

    // the solution that a conversion needs: the nearest of several holders
    std::vector<pair> near;
    for (unsigned k = 0; k < pool; ++k) {
        dice d(k + 2000u);
        const ll_layout b = wide(d, 16, 3);
        near.push_back(pair{any(d, hardware, 16), b, 32});
    }
    row("solve/16x19/first", solve, near, unsigned(LL_FIRST));
    row("solve/16x19/local", solve, near, unsigned(LL_LOCAL));
    row("parse/2^14", parse, mixed);
    row("str/2^14", str, mixed);

    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 1;
    }
    for (const char *key : {"commit", "command", "device"}) {
        std::string variable = std::string("LL_") + key;
        for (char &c : variable) {
            c = char(std::toupper(static_cast<unsigned char>(c)));
        }
        const char *value = std::getenv(variable.c_str());
        benchmark::AddCustomContext(key, value ? value : "unknown");
    }
    benchmark::AddCustomContext("compiler", __VERSION__);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
