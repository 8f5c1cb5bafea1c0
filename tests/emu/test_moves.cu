/* test_moves.cu - the moves of a kernel by hops and swaps, thread by thread.
 * SPDX-License-Identifier: MIT
 *
 * The templates of ll.h get moves that know AMD's ways between lanes by their
 * definition in machines.h, and go through shared memory to make them.
 */
#include "../machines.h"

#include "../../ll_amd.h"

enum { KINDS = LL_MAX_HOPS + 1 };

/* Moves of thread 0 by kind, swaps last. */
static __device__ unsigned *made() {
    __shared__ unsigned n[KINDS];
    return n;
}

/* The word x of another lane of the block's only warp. */
static unsigned of_lane(unsigned x, unsigned lane) {
    __shared__ unsigned slot[MAX_LANES];
    slot[threadIdx.x] = x;
    __syncthreads();
    const unsigned y = slot[lane];
    __syncthreads();
    return y;
}

static void count(unsigned kind) {
    if (threadIdx.x == 0) {
        ++made()[kind];
    }
}

template <unsigned LANES> struct moves {
    enum : unsigned { lanes = LANES, loads = 1, stores = 1 };
    static unsigned permute(unsigned a, unsigned b, unsigned selector) {
        const unsigned long long both = (unsigned long long)b << 32 | a;
        unsigned y = 0;
        for (unsigned k = 0; k < 4u; ++k) {
            y |= (unsigned)(both >> 8u * (selector >> 4u * k & 7u) & 255u)
                 << 8u * k;
        }
        return y;
    }
    static unsigned low_halves(unsigned a, unsigned b) {
        return permute(a, b, 0x5410);
    }
    template <bool> static unsigned choose(unsigned a, unsigned b,
                                           unsigned on) {
        return on ? b : a;
    }
    template <unsigned XOR> static unsigned exchange(unsigned x) {
        count(LL_HOP_ANY);
        return of_lane(x, threadIdx.x ^ XOR);
    }
    static unsigned shuffle(unsigned x, unsigned lane) {
        count(LL_HOP_ANY);
        return of_lane(x, lane);
    }
    template <unsigned HOP, unsigned long long CONTROL>
    static unsigned hop(unsigned x) {
        count(HOP);
        return of_lane(x, hop_lane(HOP, CONTROL, threadIdx.x));
    }
    template <unsigned LANE> static void swap(unsigned &a, unsigned &b) {
        count(LL_MAX_HOPS);
        const unsigned from_b = of_lane(b, threadIdx.x ^ LANE);
        const unsigned from_a = of_lane(a, threadIdx.x ^ LANE);
        (threadIdx.x & LANE ? a : b) = threadIdx.x & LANE ? from_b : from_a;
    }
    template <unsigned FORM, unsigned BYTES>
    static void put(unsigned, const ll_words &) {}
    template <unsigned FORM, unsigned BYTES> static ll_words take(unsigned) {
        return ll_words();
    }
    static void wait_warp() {}
    static void wait_block() {}
};

template <class T, class PLAN, unsigned LANES>
__global__ void convert(const T *from, T *to, unsigned *moves_made) {
    T a[1u << LL_GET(PLAN).from_bits];
    T b[1u << LL_GET(PLAN).to_bits];
    for (unsigned k = 0; threadIdx.x == 0 && k < KINDS; ++k) {
        made()[k] = 0;
    }
    for (unsigned k = 0; k < sizeof a / sizeof a[0]; ++k) {
        a[k] = from[threadIdx.x * (sizeof a / sizeof a[0]) + k];
    }
    ll_convert_by_<moves<LANES>, PLAN>(b, a, threadIdx.x, 0);
    for (unsigned k = 0; k < sizeof b / sizeof b[0]; ++k) {
        to[threadIdx.x * (sizeof b / sizeof b[0]) + k] = b[k];
    }
    for (unsigned k = 0; threadIdx.x == 0 && k < KINDS; ++k) {
        moves_made[k] = made()[k];
    }
}

/* Converts, and checks how many moves of `kind` there are. */
template <class T, class PLAN, unsigned LANES>
static void check(ll_layout a, ll_layout b, unsigned kind, unsigned n) {
    static T elements[1 << 12];
    T *from, *to;
    unsigned *n_made;
    cudaMalloc(&from, sizeof(T) << bits_in(&a.in));
    cudaMalloc(&to, sizeof(T) << bits_in(&b.in));
    cudaMalloc(&n_made, sizeof(unsigned) * KINDS);
    for (unsigned x = 0; x < 1u << bits_in(&a.in); ++x) {
        elements[x] = (T)(value(&a, x) * 0x9e3779b97f4a7c15ull >> 32);
    }
    cudaMemcpy(from, elements, sizeof(T) << bits_in(&a.in),
               cudaMemcpyHostToDevice);
    convert<T, PLAN, LANES><<<1, LANES>>>(from, to, n_made);
    for (unsigned x = 0; x < 1u << bits_in(&b.in); ++x) {
        CHECK(to[x] == (T)(value(&b, x) * 0x9e3779b97f4a7c15ull >> 32));
    }
    CHECK(n_made[kind] == n && LL_GET(PLAN).kind == LL_SHUFFLES);
    CHECK(emu_error_count() == 0);
    cudaFree(from);
    cudaFree(to);
    cudaFree(n_made);
}

/* The layouts and the plan of a case, and its check. */
#define CASE(NAME, FROM, TO, T, target)                                     \
    LL_LAYOUT(NAME##_from, FROM);                                           \
    LL_LAYOUT(NAME##_to, TO);                                               \
    LL_PLAN_BY(NAME, NAME##_from, NAME##_to, 8 * sizeof(T), target, LL_SHUFFLES)
#define MOVE(NAME, T, lanes, kind, n)                                       \
    check<T, NAME, lanes>(LL_GET(NAME##_from), LL_GET(NAME##_to), kind, n)

#define PAIR64 "register: i0 | lane: j0 j1 j2 j3 j4 j5"
#define PAIR32 "register: i0 | lane: j0 j1 j2 j3 j4"
CASE(quad, ll_parse(PAIR64), ll_parse("register: j2 | lane: j0 j1 i0 j3 j4 j5"),
     unsigned, with_dear_shuffles(LL_GFX942));
CASE(swizzle, ll_parse(PAIR64),
     ll_parse("register: j4 | lane: j0 j1 j2 j3 i0 j5"), unsigned, LL_GFX942);
CASE(any, ll_parse(PAIR64), ll_parse("register: j5 | lane: j0 j1 j2 j3 j4 i0"),
     unsigned, LL_GFX90A);
CASE(row, ll_parse(PAIR32), ll_parse("register: i0 | lane: j2 j0 j3 j1 j4"),
     unsigned, LL_GFX1100);
CASE(rowx, ll_parse(PAIR32), ll_parse("register: j4 | lane: j0 j1 j2 j3 i0"),
     unsigned, with_dear_shuffles(LL_GFX1201));
CASE(half, ll_parse(PAIR64), ll_parse("register: j5 | lane: j0 j1 j2 j3 j4 i0"),
     unsigned, with_dear_shuffles(ll_amd_target(0x1201, 64)));
CASE(turn, ll_parse(PAIR64), ll_flip(ll_parse(PAIR64), LL_J, 48), unsigned,
     with_dear_shuffles(LL_GFX950));

/* Words that only change lanes: near hops are cheapest anyway. */
CASE(quads, ll_parse(PAIR64), ll_flip(ll_parse(PAIR64), LL_J, 3), unsigned,
     LL_GFX942);
CASE(rows, ll_parse(PAIR32), ll_flip(ll_parse(PAIR32), LL_J, 17), unsigned,
     LL_GFX1201);
CASE(halves, ll_parse(PAIR64), ll_flip(ll_parse(PAIR64), LL_J, 32), unsigned,
     ll_amd_target(0x1201, 64));

/* Where logic is the bottleneck, the cheapest way is the pipe. */
CASE(piped, ll_parse(PAIR64),
     ll_parse("register: j2 | lane: j0 j1 i0 j3 j4 j5"), unsigned, LL_GFX942);
CASE(piped16, ll_parse(PAIR64), ll_flip(ll_parse(PAIR64), LL_J, 48), unsigned,
     LL_GFX950);

/* Accumulators that become operands, in several types; lane bits exchanged. */
#define CHAIN_C                                                             \
    ll_tiled(ll_amd_mfma_c(16, 16, 1, 32), ll_shape_of("j=16 i=32"),        \
             ll_shape_of(""))
#define CHAIN_B                                                             \
    ll_tiled(ll_amd_mfma_b(32, 16, 1, 16), ll_shape_of("j=16 i=32"),        \
             ll_shape_of(""))
CASE(chain16, CHAIN_C, CHAIN_B, unsigned short, LL_GFX950);
CASE(chain64, CHAIN_C, CHAIN_B, unsigned long long, LL_GFX950);
CASE(three, ll_parse("register: i0 i1 i2 | lane: j0 j1 j2 j3 j4 j5"),
     ll_parse("register: i0 i1 i2 | lane: j0 j1 j2 j3 j5 j4"), unsigned char,
     LL_GFX950);

static void single_hops(void) {
    MOVE(quad, unsigned, 64, LL_HOP_QUAD, 1);
    MOVE(quad, unsigned, 64, LL_HOP_XOR, 1);
    MOVE(swizzle, unsigned, 64, LL_HOP_32, 1);
    MOVE(any, unsigned, 64, LL_HOP_ANY, 1);
    MOVE(row, unsigned, 32, LL_HOP_ROW, 2);
    MOVE(rowx, unsigned, 32, LL_HOP_ROWX, 1);
    MOVE(half, unsigned, 64, LL_HOP_HALF, 1);
    MOVE(quads, unsigned, 64, LL_HOP_XOR, 2);
    MOVE(rows, unsigned, 32, LL_HOP_ROWX, 2);
    MOVE(halves, unsigned, 64, LL_HOP_HALF, 2);
    MOVE(piped, unsigned, 64, LL_HOP_32, 1);
    MOVE(piped16, unsigned, 64, LL_HOP_ANY, 2);
}

static void swaps(void) {
    MOVE(turn, unsigned, 64, LL_MAX_HOPS, 4);
    MOVE(chain16, unsigned short, 64, LL_MAX_HOPS, 4);
    MOVE(chain64, unsigned long long, 64, LL_MAX_HOPS, 16);
    MOVE(three, unsigned char, 64, LL_MAX_HOPS, 3);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(single_hops);
    RUN(swaps);
    return test_end();
}
