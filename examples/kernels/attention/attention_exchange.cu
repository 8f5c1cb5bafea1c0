/* attention_exchange.cu - how do several GPUs compute attention, each some
 * heads, when each has some tokens?
 * SPDX-License-Identifier: MIT
 *
 * The usual way is an all-to-all of Q, K and V, attention, and an all-to-all of
 * O back. Here it is one kernel: see attention_exchange.h. Who holds what comes
 * from the layouts of the tensors.
 *
 * Sampled rows are checked in double precision. Without several GPUs, all
 * ranks are memories of one and run one after the other.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            [-DHEAD=64] \
 *            examples/kernels/attention/attention_exchange.cu -o exchange
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   exchange [log2 of the ranks, tokens and heads, causal, back] */
#define LL_NO_MAIN
#include "attention.cu"
#undef LL_NO_MAIN

#include "exchange_sides.h"

typedef attention_16bit<HEAD, number_format::BF16> kernel;

/* The memories of all ranks. */
struct rank_memory {
    unsigned short *q, *k, *v, *o;
    unsigned *flags;
    void *copies;
};

struct ranks {
    ll_layout tokens, heads;
    exchange_sizes size;
    std::vector<rank_memory> of;
    bool together; /* each rank has its own GPU */
    int devices;
};

static void select(const ranks &a, unsigned rank) {
    if (a.devices > 1) {
        MUST(cudaSetDevice((int)rank % a.devices));
    }
}

/* Returns a rank's part of a random tensor, in its memory. */
static unsigned short *part_of(const ranks &a, unsigned rank, unsigned seed) {
    const unsigned bits = a.tokens.in.bits[0];
    std::vector<unsigned short> host((size_t)1 << bits);
    unsigned short *p;
    for (unsigned x = 0; x < host.size(); ++x) {
        host[x] = (unsigned short)bits_of_float<number_format::BF16>(
            random_value(ll_apply(a.tokens, rank << bits | x), seed));
    }
    MUST(cudaMalloc((void **)&p, 2 * host.size()));
    MUST(cudaMemcpy(p, host.data(), 2 * host.size(), cudaMemcpyHostToDevice));
    return p;
}

static void enable_peers(const ranks &a, unsigned rank) {
#if !LL_EMULATE
    for (int d = 0; d < a.devices; ++d) {
        if (d != (int)rank % a.devices) {
            (void)cudaDeviceEnablePeerAccess(d, 0); /* perhaps again */
            (void)cudaGetLastError();
        }
    }
#endif
}

static ranks open_ranks(unsigned gpus, unsigned tokens, unsigned heads) {
    const unsigned columns = heads + ll_log2_(HEAD);
    ranks a = {};
    a.devices = 1;
#if !LL_EMULATE
    MUST(cudaGetDeviceCount(&a.devices));
#endif
    a.tokens = sharding(BY_ROW, tokens, columns, gpus);
    a.heads = sharding(BY_PIECE, tokens, columns, gpus);
    a.size = exchange_sizes_of(a.tokens, a.heads, HEAD);
    MUST(a.size.bad);
    a.of.resize(a.size.ranks);
    a.together = a.devices >= (int)a.size.ranks;
    for (unsigned r = 0; r < a.size.ranks; ++r) {
        rank_memory &m = a.of[r];
        const size_t words = exchange_words(a.size);
        select(a, r);
        enable_peers(a, r);
        m.q = part_of(a, r, SEED_Q);
        m.k = part_of(a, r, SEED_K);
        m.v = part_of(a, r, SEED_V);
        MUST(cudaMalloc((void **)&m.o, (size_t)2 << a.tokens.in.bits[0]));
        MUST(cudaMalloc((void **)&m.flags, 4 * words));
        MUST(cudaMemset(m.flags, 0, 4 * words));
        MUST(cudaMalloc(&m.copies, exchange_bytes(a.size, HEAD)));
    }
    return a;
}

static void close_ranks(const ranks &a) {
    for (unsigned r = 0; r < a.size.ranks; ++r) {
        const rank_memory &m = a.of[r];
        select(a, r);
        for (void *p : {(void *)m.q, (void *)m.k, (void *)m.v, (void *)m.o,
                        (void *)m.flags, m.copies}) {
            MUST(cudaFree(p));
        }
    }
}

/* Returns a rank's call. */
static exchange_call call_of(const ranks &a, unsigned rank, unsigned causal,
                             unsigned back, unsigned number) {
    exchange_call c = {};
    c.tokens = a.tokens;
    c.heads = a.heads;
    c.rank = rank;
    c.causal = causal;
    c.back = back;
    c.call = number;
    c.wait = a.together;
    c.copies = a.of[rank].copies;
    for (unsigned r = 0; r < a.size.ranks; ++r) {
        c.q[r] = a.of[r].q;
        c.k[r] = a.of[r].k;
        c.v[r] = a.of[r].v;
        c.o[r] = a.of[r].o;
        c.flags[r] = a.of[r].flags;
    }
    return c;
}

/* Starts a call of all ranks. If they run one after the other, all are marked
 * ready first. */
static void start(const ranks &a, unsigned causal, unsigned back,
                  unsigned number) {
    const std::vector<unsigned> ready(EXCHANGE_RANKS, number);
    for (unsigned r = 0; r < a.size.ranks && !a.together; ++r) {
        MUST(cudaMemcpy(a.of[r].flags, ready.data(), 4 * ready.size(),
                        cudaMemcpyHostToDevice));
    }
    for (unsigned r = 0; r < a.size.ranks; ++r) {
        select(a, r);
        MUST(launch_exchange<kernel>(call_of(a, r, causal, back, number), 0));
    }
}

/* Waits for all ranks. Returns how many were late. */
static size_t finish(const ranks &a) {
    size_t late = 0;
    for (unsigned r = 0; r < a.size.ranks; ++r) {
        unsigned flag = 0;
        select(a, r);
        MUST(cudaDeviceSynchronize());
        MUST(cudaMemcpy(&flag, a.of[r].flags + EXCHANGE_LATE, 4,
                        cudaMemcpyDeviceToHost));
        late += flag;
    }
    return late;
}

/* Returns how many sampled elements of O are wrong. */
static size_t wrong_in(const ranks &a, unsigned causal, unsigned back) {
    const ll_layout &side = back ? a.tokens : a.heads;
    const unsigned bits = side.in.bits[0];
    std::vector<unsigned short> part((size_t)1 << bits);
    std::vector<unsigned short> whole(part.size() * a.size.ranks);
    attention_shape s = {};
    s.batch = 1;
    s.heads = s.kv_heads = a.size.heads;
    s.rows = s.keys = a.size.tokens;
    s.causal = causal;
    for (unsigned r = 0; r < a.size.ranks; ++r) {
        MUST(cudaMemcpy(part.data(), a.of[r].o, 2 * part.size(),
                        cudaMemcpyDeviceToHost));
        for (unsigned x = 0; x < part.size(); ++x) {
            whole[ll_apply(side, r << bits | x)] = part[x];
        }
    }
    return count_wrong<HEAD, number_format::BF16>(
        whole.data(), s, {{0, 0, (int)s.rows, (int)s.keys}});
}

/* Runs a shape several times and checks it. Returns how much is wrong. */
static size_t run_exchange(unsigned gpus, unsigned tokens, unsigned heads,
                           unsigned causal, unsigned back) {
    ranks a = open_ranks(gpus, tokens, heads);
    unsigned number = 0;
    size_t late = 0;
    const float ms = timed([&] {
        start(a, causal, back, ++number);
        late += finish(a);
    });
    const double n = a.size.tokens, work = n * n * a.size.heads * HEAD;
    printf("%u x %u rows, %u heads of %d%s%s: ", a.size.ranks,
           a.size.rank_tokens, a.size.heads, HEAD, causal ? ", causal" : "",
           back ? ", and back" : "");
    const size_t wrong = late + wrong_in(a, causal, back);
    close_ranks(a);
    return report_wrong(wrong, ms,
                        4e-9 * work / (causal ? 2 : 1) / ms / a.size.ranks,
                        "T/s each");
}

int main(int argc, char **argv) {
    static const unsigned shapes[][5] = {
        {1, 8, 1, 0, 0}, {1, 9, 2, 1, 1},  {2, 9, 2, 1, 0},
        {2, 9, 3, 0, 1}, {1, 13, 5, 0, 0}, {1, 13, 5, 1, 1}};
    size_t wrong = 0;
    if (argc > 5) {
        unsigned x[5];
        for (int k = 0; k < 5; ++k) {
            x[k] = (unsigned)atoi(argv[k + 1]);
        }
        return run_exchange(x[0], x[1], x[2], x[3], x[4]) != 0;
    }
    for (const unsigned(&x)[5] : shapes) {
        if (x[1] < 10 || on_gpu()) {
            wrong += run_exchange(x[0], x[1], x[2], x[3], x[4]);
        }
    }
    return wrong != 0;
}
