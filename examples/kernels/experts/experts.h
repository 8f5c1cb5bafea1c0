/* experts.h - memory and flags of a mixture of experts across GPUs of a host
 * SPDX-License-Identifier: MIT
 *
 * Each rank has tokens, and each token chooses `top` experts of all ranks.
 * Three kernels, each on all ranks, exchange what they need:
 *
 *     count      the place of every token at its experts (count.h)
 *     dispatch   brings rows of tokens to experts, grouped by expert
 *                (dispatch.h)
 *     combine    brings back the experts' results, as a weighted sum per token
 *                (combine.h)
 *
 * A row crosses a link once per rank that has one of the token's experts; the
 * receiving rank copies it to each of these experts. Weighted sums likewise
 * cross as one partial sum per rank. */
#ifndef LL_EXPERTS_H
#define LL_EXPERTS_H

#include "../check.h"
#include "../reshard/reshard.h"
#include "../rows/packed.h"
#include "../rows/row_layout.h"

namespace ll_kernels {

enum : unsigned {
    EXPERTS_RANKS = 16,    /* most ranks */
    EXPERTS_TOP = 32,      /* most experts of a token */
    EXPERTS_MOST = 1024,   /* most experts of all ranks */
    EXPERTS_THREADS = 1024 /* of a block */
};

/* What is exchanged. Each rank takes part with as many tokens as it likes, up
 * to `tokens`.
 *   tokens    most tokens of a rank
 *   hidden    elements of a row
 *   experts   of all ranks, a multiple of the ranks: rank r has experts
 *             [r * experts / ranks, (r + 1) * experts / ranks)
 *   top       experts of a token
 *   capacity  rows for the experts of a rank
 *   align     each expert's rows start at a multiple of this number */
struct experts_shape {
    unsigned ranks, tokens, hidden, experts, top, capacity, align;
};

/* Words of a rank's flags. Peers set READY + r when rank r takes part, and
 * ARRIVED + r when all of its data has arrived. EPOCH counts the exchanges of a
 * kind. It is in memory so that a CUDA graph can repeat a launch. */
enum : unsigned {
    EXPERTS_EPOCH,
    EXPERTS_TICKET, /* blocks that have ended */
    EXPERTS_NEXT,   /* the next token to receive */
    EXPERTS_READY,
    EXPERTS_ARRIVED = EXPERTS_READY + EXPERTS_RANKS,
    EXPERTS_WORDS = EXPERTS_ARRIVED + EXPERTS_RANKS
};
enum experts_exchange : unsigned {
    EXPERTS_COUNT,
    EXPERTS_DISPATCH,
    EXPERTS_COMBINE,
    EXPERTS_EXCHANGES
};

/* Two more words. LATE: a peer did not come within seconds, results are wrong.
 * OVER: 0, or the rows that the experts of this rank need if that exceeds the
 * capacity. Rows from `capacity` on are then left out. */
enum : unsigned {
    EXPERTS_LATE = EXPERTS_EXCHANGES * EXPERTS_WORDS,
    EXPERTS_OVER,
    EXPERTS_FLAGS
};

/* The place of a token at one of its experts: the expert, and how many rows of
 * the token's rank come before. */
enum : unsigned { EXPERTS_PLACE_BITS = 20, EXPERTS_NOWHERE = ~0u };

/* Parts of a rank's memory that peers write, as offsets in bytes. */
struct experts_parts {
    size_t flags;    /* EXPERTS_FLAGS words */
    size_t sent;     /* [ranks][tokens] epochs: a row has arrived */
    size_t returned; /* [ranks][tokens] epochs: a partial sum has arrived */
    size_t counts;   /* [ranks][experts] rows of a rank for an expert */
    size_t first;    /* [experts / ranks + 1] first row of each expert */
    size_t base;     /* [ranks][experts / ranks] first row of each rank */
    size_t places;   /* [ranks][tokens][top] */
    size_t weights;  /* [ranks][tokens][top] */
    size_t rows;     /* [ranks][tokens][hidden], bf16 or e4m3 */
    size_t scales;   /* [ranks][tokens][hidden / 128] */
    size_t sums;     /* [ranks][tokens][hidden], bf16 or float */
    size_t bytes;    /* of all */
};

inline experts_parts experts_parts_of(const experts_shape &s) {
    experts_parts p = {};
    size_t at = 0;
    const auto next = [&](size_t bytes) {
        const size_t from = at;
        at += (bytes + 255) / 256 * 256;
        return from;
    };
    const size_t all = (size_t)s.ranks * s.tokens, here = s.experts / s.ranks;
    p.flags = next(4 * EXPERTS_FLAGS);
    p.sent = next(4 * all);
    p.returned = next(4 * all);
    p.counts = next((size_t)4 * s.ranks * s.experts);
    p.first = next(4 * (here + 1));
    p.base = next(4 * s.ranks * here);
    p.places = next(4 * all * s.top);
    p.weights = next(4 * all * s.top);
    p.rows = next(2 * all * s.hidden);
    p.scales = next(4 * all * ((s.hidden + 127) / 128));
    p.sums = next(4 * all * s.hidden);
    p.bytes = at;
    return p;
}

/* Phases of an exchange. A launch has both if each rank has its own GPU.
 * Otherwise all ranks send before the first one receives. */
enum : unsigned { EXPERTS_SEND = 1, EXPERTS_RECEIVE = 2, EXPERTS_BOTH = 3 };

/* One rank, as kernels take it.
 *   tokens  its own tokens, at most shape.tokens
 *   memory  of all ranks: experts_parts_of(shape).bytes each, zeroed before the
 *           first exchange, which this rank can read and write */
struct experts_rank {
    experts_shape shape;
    experts_parts parts;
    unsigned rank, tokens, phases;
    unsigned char *memory[EXPERTS_RANKS];

    template <class T> __device__ T *part(unsigned r, size_t at) const {
        return (T *)(memory[r] + at);
    }
    __device__ unsigned *flags(unsigned r, experts_exchange x) const {
        return part<unsigned>(r, parts.flags) + x * EXPERTS_WORDS;
    }
    __device__ unsigned here() const { return shape.experts / shape.ranks; }
};

/* Returns a sentence if no such exchange is possible, else null. */
inline const char *experts_misfit(const experts_rank &g) {
    const experts_shape &s = g.shape;
    if (s.ranks < 1 || s.ranks > EXPERTS_RANKS || g.rank >= s.ranks) {
        return "there are 1 to 16 ranks, and `rank` is one of them";
    }
    if (s.experts < 1 || s.experts > EXPERTS_MOST || s.experts % s.ranks) {
        return "experts are a multiple of the ranks, at most 1024";
    }
    if (s.top < 1 || s.top > EXPERTS_TOP) {
        return "a token has 1 to 32 experts";
    }
    if (s.hidden < 8 || s.hidden % 8 || s.hidden > 1u << 20) {
        return "a row has a multiple of 8 elements, at most 2^20";
    }
    if (s.tokens < 1 || (size_t)s.tokens * s.top > 1u << EXPERTS_PLACE_BITS ||
        g.tokens > s.tokens) {
        return "a rank has at most shape.tokens tokens, and tokens * top is "
               "at most 2^20";
    }
    if (s.align < 1 || s.align & (s.align - 1)) {
        return "align is a power of two";
    }
    if (s.capacity < 1 || s.capacity > 1u << 30) {
        return "capacity is 1 to 2^30 rows";
    }
    for (unsigned r = 0; r < s.ranks; ++r) {
        if (!g.memory[r] || (size_t)g.memory[r] % 256) {
            return "each rank has memory that starts at a multiple of 256";
        }
    }
    return g.phases < 1 || g.phases > 3 ? "phases are EXPERTS_SEND, "
                                          "EXPERTS_RECEIVE or both"
                                        : nullptr;
}

/* Waits until a flag has the epoch. Gives up after some seconds. */
__device__ inline void experts_wait(const experts_rank &g, unsigned *flag,
                                    unsigned epoch) {
    const unsigned most = LL_EMULATE ? 1000u : 3000000u, look = most / 1000u;
    unsigned *late = g.part<unsigned>(g.rank, g.parts.flags) + EXPERTS_LATE;
    for (unsigned tries = 1; (int)(load_flag(flag) - epoch) < 0; ++tries) {
        if (tries > most || (tries % look == 0 && load_flag(late))) {
            atomicExch(late, 1u);
            return;
        }
    }
}

/* How a launch uses the GPU: it has `all` blocks. The first `warps` warps of
 * the first `senders` blocks send, then receive; all others receive. */
struct experts_blocks {
    unsigned all, senders, warps;

    /* The first token that this warp sends, and how far it is to the next. */
    __device__ unsigned first() const {
        const unsigned warp = threadIdx.x / 32;
        return warp < warps && blockIdx.x < senders
                   ? warp * senders + blockIdx.x
                   : ~0u;
    }
    __device__ unsigned step() const { return warps * senders; }
    const char *misfit() const {
        return senders < 1 || senders > all || warps < 1 ||
                       warps > EXPERTS_THREADS / 32
                   ? "1 to all blocks send, with 1 to 32 warps"
                   : nullptr;
    }
};

/* Waits until peers have set the flags from word `first` on. The whole block
 * calls it. */
__device__ inline void experts_wait_all(const experts_rank &g,
                                        experts_exchange x, unsigned first,
                                        unsigned epoch) {
    if (threadIdx.x < g.shape.ranks) {
        experts_wait(g, g.flags(g.rank, x) + first + threadIdx.x, epoch);
    }
    __syncthreads();
}

/* Begins an exchange and returns its epoch. The first block tells peers that
 * this rank has ended all earlier exchanges. All wait for the peers. */
__device__ inline unsigned experts_begin(const experts_rank &g,
                                         experts_exchange x) {
    const unsigned epoch = g.flags(g.rank, x)[EXPERTS_EPOCH] + 1u;
    if (g.phases == EXPERTS_BOTH) {
        if (blockIdx.x == 0 && threadIdx.x < g.shape.ranks) {
            store_flag(g.flags(threadIdx.x, x) + EXPERTS_READY + g.rank, epoch);
        }
        experts_wait_all(g, x, EXPERTS_READY, epoch);
    }
    return epoch;
}

/* Ends an exchange. The last block to receive sets the epoch. */
__device__ inline void experts_end(const experts_rank &g, experts_exchange x,
                                   unsigned epoch) {
    unsigned *const flags = g.flags(g.rank, x);
    __syncthreads();
    if (threadIdx.x == 0 && g.phases & EXPERTS_RECEIVE) {
        __threadfence();
        if (atomicAdd(flags + EXPERTS_TICKET, 1u) + 1u == gridDim.x) {
            flags[EXPERTS_TICKET] = 0;
            flags[EXPERTS_NEXT] = 0;
            flags[EXPERTS_EPOCH] = epoch;
        }
    }
}

/* A warp, which works on one token. */
LL_SCOPE(EXPERTS_WARP, threadIdx.x % 32, 32, LL_BARRIER_WARP());

/* Where a token goes, in lane k the place at its expert number k. */
struct experts_targets {
    unsigned place, owner; /* owner: the rank of the expert, or ~0 */

    __device__ experts_targets(const experts_rank &g, unsigned source,
                               unsigned token) {
        const unsigned lane = threadIdx.x % 32;
        place =
            lane < g.shape.top
                ? g.part<unsigned>(g.rank, g.parts.places)
                      [((size_t)source * g.shape.tokens + token) * g.shape.top +
                       lane]
                : EXPERTS_NOWHERE;
        owner = place == EXPERTS_NOWHERE
                    ? ~0u
                    : (place >> EXPERTS_PLACE_BITS) / g.here();
    }
    /* Returns the set of ranks, as bits. */
    __device__ unsigned ranks(const experts_rank &g) const {
        unsigned all = 0;
        for (unsigned r = 0; r < g.shape.ranks; ++r) {
            all |= (__ballot_sync(~0u, owner == r) != 0) << r;
        }
        return all;
    }
    /* Returns the row at this lane's expert if this rank has it, else ~0. */
    __device__ unsigned row(const experts_rank &g, unsigned source) const {
        const unsigned e = place >> EXPERTS_PLACE_BITS, here = g.here();
        if (owner != g.rank) {
            return ~0u;
        }
        const unsigned at =
            g.part<unsigned>(
                g.rank, g.parts.base)[source * here + (e - g.rank * here)] +
            (place & ((1u << EXPERTS_PLACE_BITS) - 1u));
        return at < g.shape.capacity ? at : ~0u;
    }
};

/* Calls f(k) for each bit k of a set. */
template <class F> __device__ void experts_each(unsigned set, F f) {
    for (; set; set &= set - 1u) {
        f((unsigned)__ffs((int)set) - 1u);
    }
}

/* The next token to receive. */
struct experts_queue {
    unsigned *next, ahead;

    __device__ experts_queue(const experts_rank &g, experts_exchange x)
        : next(g.flags(g.rank, x) + EXPERTS_NEXT) {
        ahead = 0;
        take();
    }
    __device__ void take() {
        if (threadIdx.x % 32 == 0) {
            ahead = atomicAdd(next, 1u);
        }
    }
    /* Returns the number of this warp's token. */
    __device__ unsigned get() {
        const unsigned k = __shfl_sync(~0u, ahead, 0);
        take();
        return k;
    }
};

} // namespace ll_kernels

#endif
