// fused_attention.cu - attention over several GPUs in one kernel, beside an
// all-to-all and attention in turn. SPDX-License-Identifier: MIT
//
// fused_attention ROWS [choices]: every GPU holds some tokens of all heads. Two
// kernels are asked for: attention of some heads of all tokens on each GPU, and
// the same with O back on the GPU of its tokens. Every element is compared with
// that of the kernels in turn, sampled rows are computed in double precision.
// In turn: our exchange of Q, K and V, by the kernel or by the copy engines,
// whichever is faster; our attention; our exchange of O. With `choices`, the
// parts are timed too, and how many blocks copy and which rows come first.
#define LL_NO_MAIN
#include "examples/kernels/attention/attention.cu"

#include "examples/kernels/attention/exchange_sides.h"
#include "examples/kernels/reshard/reshard_engine.h"
#include "examples/kernels/reshard/reshard_kernels.h"
#include "fused.h"
#include <cstring>

using fused::each_rank;
using fused::gpus;
using fused::RANKS;

struct shape {
    unsigned tokens, heads, dim, causal; // log2 of the first three
};

constexpr shape SHAPES[] = {
    {12, 5, 7, 0}, {12, 5, 7, 1}, {12, 5, 6, 0}, {12, 5, 6, 1}, {13, 4, 7, 0},
    {13, 4, 7, 1}, {13, 5, 7, 0}, {13, 5, 7, 1}, {13, 5, 6, 0}, {13, 5, 6, 1},
    {14, 5, 7, 0}, {14, 5, 7, 1}, {14, 5, 6, 0}, {14, 5, 6, 1}};

// Tokens are sharded by rows or, of heads, by columns.
LL_FN ll_layout side(unsigned kind, unsigned tokens, unsigned columns) {
    return sharding(kind, tokens, columns, LOG_GPUS);
}

LL_FN reshard_job job_of(unsigned from, unsigned to, unsigned tokens,
                         unsigned columns) {
    return reshard_job_of(
        side(from, tokens, columns), side(to, tokens, columns), 16,
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000), 16384);
}

// The exchanges of all shapes, there and back.
struct pairs {
    static constexpr unsigned N = 18, BITS = 13;
    LL_FN reshard_job of(unsigned k) {
        return k % 2 ? job_of(BY_ROW, BY_PIECE, 12 + k / 6, 10 + k / 2 % 3)
                     : job_of(BY_PIECE, BY_ROW, 12 + k / 6, 10 + k / 2 % 3);
    }
};

// The memories of a rank: its tokens, its heads, and O of the one kernel.
struct memory {
    unsigned short *token[4], *head[4], *one[2]; // Q, K, V, O
    unsigned *flags, *exchange_flags, *wrong;
    void *copies;
    reshard_side_stream side;
};

struct bench {
    shape s;
    ll_layout tokens, heads;
    exchange_sizes size;
    size_t elements; // of a rank
    memory at[RANKS];
    reshard_job there, back;
    unsigned moves, calls; // their numbers
    bool engine;           // move by the copy engines
};

// Random numbers from -3 to 3, of mean square 1, exact in bf16.
__host__ __device__ inline float number_of(size_t x, unsigned seed) {
    return fused::random_value(x, seed) + fused::random_value(x, seed + 16) +
           fused::random_value(x, seed + 32);
}

__global__ void fill(unsigned short *to, size_t n, size_t first,
                     unsigned seed) {
    for (size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x; x < n;
         x += (size_t)gridDim.x * blockDim.x) {
        to[x] = (unsigned short)(__float_as_uint(number_of(first + x, seed)) >>
                                 16);
    }
}

// Counts elements that differ by more than the rounding of a sum in another
// order.
__global__ void compare(const unsigned short *a, const unsigned short *b,
                        size_t n, unsigned *wrong) {
    unsigned bad = 0;
    for (size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x; x < n;
         x += (size_t)gridDim.x * blockDim.x) {
        const float p = __uint_as_float((unsigned)a[x] << 16);
        const float q = __uint_as_float((unsigned)b[x] << 16);
        bad += !(fabsf(p - q) <= 0.002f + 0.01f * fabsf(q));
    }
    if (bad) {
        atomicAdd(wrong, bad);
    }
}

// ---- Memories --------------------------------------------------------------

static void open_memory(bench &b, unsigned r) {
    memory &m = b.at[r];
    const size_t bytes = 2 * b.elements, words = exchange_words(b.size);
    for (unsigned k = 0; k < 4; ++k) {
        m.token[k] = fused::memory_of<unsigned short>(r, bytes);
        m.head[k] = fused::memory_of<unsigned short>(r, bytes);
    }
    for (unsigned k = 0; k < 3; ++k) { // tokens are sharded by rows
        fill<<<1024, 256>>>(m.token[k], b.elements, b.elements * r, k + 1);
    }
    m.one[0] = fused::memory_of<unsigned short>(r, bytes);
    m.one[1] = fused::memory_of<unsigned short>(r, bytes);
    m.flags = fused::memory_of<unsigned>(r, 4 * RESHARD_FLAGS);
    m.exchange_flags = fused::memory_of<unsigned>(r, 4 * words);
    m.wrong = fused::memory_of<unsigned>(r, 4);
    m.copies = fused::memory_of<void>(r, exchange_bytes(b.size, 1u << b.s.dim));
    MUST(cudaMemset(m.flags, 0, 4 * RESHARD_FLAGS));
    MUST(cudaMemset(m.exchange_flags, 0, 4 * words));
    MUST(cudaMemset(m.wrong, 0, 4));
    MUST(open_side_stream(&m.side));
    MUST(cudaDeviceSynchronize());
}

static bench open_bench(const shape &s) {
    const unsigned columns = s.heads + s.dim;
    bench b = {};
    b.s = s;
    b.tokens = side(BY_ROW, s.tokens, columns);
    b.heads = side(BY_PIECE, s.tokens, columns);
    b.size = exchange_sizes_of(b.tokens, b.heads, 1u << s.dim);
    MUST(b.size.bad);
    b.elements = (size_t)1 << b.tokens.in.bits[0];
    b.there = job_of(BY_ROW, BY_PIECE, s.tokens, columns);
    b.back = job_of(BY_PIECE, BY_ROW, s.tokens, columns);
    each_rank([&](unsigned r) { open_memory(b, r); });
    return b;
}

static void close_bench(bench &b) {
    each_rank([&](unsigned r) {
        const memory &m = b.at[r];
        MUST(cudaDeviceSynchronize());
        for (unsigned k = 0; k < 4; ++k) {
            MUST(cudaFree(m.token[k]));
            MUST(cudaFree(m.head[k]));
        }
        for (void *p : {(void *)m.one[0], (void *)m.one[1], (void *)m.flags,
                        (void *)m.exchange_flags, (void *)m.wrong, m.copies}) {
            MUST(cudaFree(p));
        }
        MUST(cudaEventDestroy(m.side.begin));
        MUST(cudaEventDestroy(m.side.end));
        MUST(cudaStreamDestroy(m.side.stream));
    });
}

// ---- In turn ---------------------------------------------------------------

// Moves tensor k: to heads, or O back. `last`: waits until all ranks are done.
static void move_one(bench &b, unsigned r, unsigned k, unsigned number,
                     bool last) {
    const bool back = k == 3;
    const reshard_job &j = back ? b.back : b.there;
    reshard_move m = reshard_numbers(j.plan, j.tile, r);
    unsigned char *to[RANKS];
    for (unsigned e = 0; e < RANKS; ++e) {
        const memory &n = b.at[e];
        unsigned short *from = back ? n.head[k] : n.token[k];
        to[e] = (unsigned char *)(back ? n.token[k] : n.head[k]);
        m.far[e] = j.push ? to[e] : (unsigned char *)from;
        m.flags[e] = n.flags;
    }
    unsigned char *from =
        (unsigned char *)(back ? b.at[r].head[k] : b.at[r].token[k]);
    m.near = j.push ? from : to[r];
    m.epoch = number;
    m.wait = last;
    if (b.engine) { // by the plan of the direction of the data
        const ll_reshard p =
            back ? ll_reshard_of(b.heads, b.tokens, 16, j.plan.topology)
                 : ll_reshard_of(b.tokens, b.heads, 16, j.plan.topology);
        MUST(reshard_by_copy_engine(p, m, from, to, b.at[r].side,
                                    gpus()[r].stream));
    } else if (!reshard_launch<unsigned short, pairs>(m, j.tile, j.push,
                                                      gpus()[r].stream)) {
        MUST("the exchange has no kernel of its own");
    }
}

static void move_all(bench &b, unsigned first, unsigned count) {
    each_rank([&](unsigned r) {
        for (unsigned k = 0; k < count; ++k) {
            move_one(b, r, first + k, b.moves + 1 + k, k + 1 == count);
        }
    });
    b.moves += count;
}

template <unsigned DIM> static void attend(bench &b, unsigned r) {
    attention_shape s = {};
    memory &m = b.at[r];
    s.batch = 1;
    s.heads = s.kv_heads = b.size.rank_heads;
    s.rows = s.keys = b.size.tokens;
    s.causal = b.s.causal;
    MUST(launch_attention<attention_16bit<DIM, number_format::BF16>>(
        m.head[3], m.head[0], m.head[1], m.head[2], s, 1, 1,
        gpus()[r].stream));
}

static void attend_all(bench &b) {
    each_rank([&](unsigned r) {
        b.s.dim == 7 ? attend<128>(b, r) : attend<64>(b, r);
    });
}

static void in_turn(bench &b, bool back) {
    move_all(b, 0, 3);
    attend_all(b);
    if (back) {
        move_all(b, 3, 1);
    }
}

// ---- The one kernel --------------------------------------------------------

struct choice {
    unsigned copiers, lead;
};

static void one_kernel(bench &b, bool back, choice how) {
    ++b.calls;
    each_rank([&](unsigned r) {
        exchange_call c = {};
        c.tokens = b.tokens;
        c.heads = b.heads;
        c.rank = r;
        c.causal = b.s.causal;
        c.back = back;
        c.call = b.calls;
        c.wait = 1;
        c.copiers = how.copiers;
        c.lead = how.lead;
        c.copies = b.at[r].copies;
        for (unsigned e = 0; e < RANKS; ++e) {
            c.q[e] = b.at[e].token[0];
            c.k[e] = b.at[e].token[1];
            c.v[e] = b.at[e].token[2];
            c.o[e] = b.at[e].one[back];
            c.flags[e] = b.at[e].exchange_flags;
        }
        MUST(b.s.dim == 7
                 ? launch_exchange<attention_16bit<128, number_format::BF16>>(
                       c, gpus()[r].stream)
                 : launch_exchange<attention_16bit<64, number_format::BF16>>(
                       c, gpus()[r].stream));
    });
}

// ---- What is wrong ---------------------------------------------------------

// Compares O of the one kernel with that in turn.
static size_t wrong_in(bench &b, bool back) {
    size_t wrong = 0;
    each_rank([&](unsigned r) {
        const memory &m = b.at[r];
        unsigned bad = 0, late[2] = {};
        MUST(cudaMemset(m.wrong, 0, 4));
        compare<<<1024, 256>>>(m.one[back], back ? m.token[3] : m.head[3],
                               b.elements, m.wrong);
        MUST(cudaMemcpy(&bad, m.wrong, 4, cudaMemcpyDeviceToHost));
        MUST(cudaMemcpy(late, m.exchange_flags + EXCHANGE_LATE, 4,
                        cudaMemcpyDeviceToHost));
        MUST(cudaMemcpy(late + 1, m.flags + RESHARD_LATE, 4,
                        cudaMemcpyDeviceToHost));
        wrong += bad + late[0] + late[1];
        if (bad || late[0] || late[1]) {
            printf("rank %u%s: %u wrong, late %u %u\n", r, back ? ", back" : "",
                   bad, late[0], late[1]);
        }
    });
    return wrong;
}

// Computes row i of a head.
static void exact_row(const bench &b, size_t head, size_t i, double *out) {
    const size_t dim = (size_t)1 << b.s.dim, line = dim << b.s.heads;
    const size_t keys = b.s.causal ? i + 1 : b.size.tokens;
    std::vector<double> q(dim), all(dim);
    double sum = 0;
    for (size_t d = 0; d < dim; ++d) {
        q[d] = number_of(i * line + head * dim + d, 1) / sqrt((double)dim);
    }
    for (size_t j = 0; j < keys; ++j) {
        const size_t at = j * line + head * dim;
        double x = 0;
        for (size_t d = 0; d < dim; ++d) {
            x += q[d] * number_of(at + d, 2);
        }
        const double w = exp(x);
        sum += w;
        for (size_t d = 0; d < dim; ++d) {
            all[d] += w * number_of(at + d, 3);
        }
    }
    for (size_t d = 0; d < dim; ++d) {
        out[d] = all[d] / sum;
    }
}

// Checks sampled rows of O by tokens in double precision.
static size_t wrong_rows(bench &b) {
    const size_t dim = (size_t)1 << b.s.dim, line = dim << b.s.heads;
    std::vector<double> want(dim);
    std::vector<unsigned short> got(dim);
    size_t wrong = 0;
    for (size_t k = 0; k < 6; ++k) {
        const size_t i = (k * 2 + 1) * b.size.tokens / 12 + 5 * k;
        const size_t head = (k * 5 + 1) % b.size.heads;
        const size_t rank = i / b.size.rank_tokens;
        exact_row(b, head, i, want.data());
        MUST(cudaMemcpy(got.data(),
                        b.at[rank].one[1] +
                            i % b.size.rank_tokens * line + head * dim,
                        2 * dim, cudaMemcpyDeviceToHost));
        for (size_t d = 0; d < dim; ++d) {
            const unsigned word = (unsigned)got[d] << 16;
            float x = 0;
            memcpy(&x, &word, 4);
            wrong += !(fabs(x - want[d]) <= 0.002 + 0.01 * fabs(want[d]));
        }
    }
    return wrong;
}

static size_t check(bench &b) {
    size_t wrong = 0;
    in_turn(b, true);
    one_kernel(b, false, {});
    one_kernel(b, true, {});
    fused::wait_all();
    wrong += wrong_in(b, false) + wrong_in(b, true);
    const size_t rows = wrong_rows(b);
    if (rows) {
        printf("%zu of sampled rows wrong\n", rows);
    }
    return wrong + rows;
}

// ---- Times -----------------------------------------------------------------

static unsigned burst_of(const bench &b) {
    return b.s.tokens == 14 ? 3u : 10u;
}

// Times the parts, and other choices.
static void try_choices(bench &b) {
    const unsigned n = burst_of(b);
    const double alone = fused::time_of([&] { attend_all(b); }, n);
    printf("  attention alone %.1f us", alone);
    for (const bool engine : {false, true}) {
        b.engine = engine;
        printf(", %s %.1f and back %.1f", engine ? "engines" : "kernels",
               fused::time_of([&] { move_all(b, 0, 3); }, n),
               fused::time_of([&] { move_all(b, 3, 1); }, n));
    }
    b.engine = false;
    printf("\n");
    for (const bool back : {false, true}) {
        printf("  %s copiers:", back ? "back," : "here,");
        for (const unsigned copiers : {16u, 24u, 32u, 48u, 64u}) {
            printf(" %u %.1f", copiers,
                   fused::time_of(
                       [&] { one_kernel(b, back, {copiers, 0}); }, n));
        }
        printf("\n");
        for (const unsigned lead : {1u, 4u, 8u, 16u, 32u}) {
            if (b.s.causal) {
                printf("  lead %u: %.1f\n", lead,
                       fused::time_of(
                           [&] { one_kernel(b, back, {32, lead}); }, n));
            }
        }
    }
    fflush(stdout);
}

// Returns the faster of both ways to exchange.
static double time_in_turn(bench &b, bool back) {
    double us[2];
    for (const bool engine : {false, true}) {
        b.engine = engine;
        us[engine] =
            fused::time_of([&] { in_turn(b, back); }, burst_of(b));
    }
    b.engine = false;
    printf("  in turn%s: by kernels %.1f, by copy engines %.1f\n",
           back ? " and back" : "", us[0], us[1]);
    return std::min(us[0], us[1]);
}

static size_t measure(FILE *f, const shape &s, bool choices) {
    bench b = open_bench(s);
    char name[100];
    const size_t wrong = check(b);
    snprintf(name, sizeof name, "%u tokens, %u heads of %u%s", b.size.tokens,
             b.size.heads, 1u << s.dim, s.causal ? ", causal" : "");
    printf("%s\n", name);
    if (choices) {
        try_choices(b);
    }
    for (const bool back : {false, true}) {
        const double us = fused::time_of(
            [&] { one_kernel(b, back, {}); }, burst_of(b));
        fused::write_row(f,
                         back ? "tokens to heads, attention, and back"
                              : "tokens to heads, attention",
                         name, wrong, us, time_in_turn(b, back), {});
    }
    const size_t late = wrong_in(b, false) + wrong_in(b, true);
    close_bench(b);
    return wrong + late;
}

int main(int argc, char **argv) {
    size_t wrong = 0;
    FILE *f = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!f) {
        fprintf(stderr, "usage: fused_attention ROWS [choices]\n");
        return 2;
    }
    MUST(fused::open_gpus());
    for (const shape &s : SHAPES) {
        wrong += measure(f, s, argc > 2);
    }
    fclose(f);
    printf("%zu wrong\n", wrong);
    return wrong != 0;
}
