/* test_cluster_turns.cu - reductions and scans across the blocks of a cluster in
 * turns, on a GPU of sm_90 or later, or on the emulator. Each turn has elements
 * of its own; a result is compared with what the definition says, which is one
 * loop along the axis. No barrier stands between turns.
 * SPDX-License-Identifier: MIT
 */
#define LL_CLUSTERS
#include "ll_ptx.h"
#include "../gpu/elements.h"

enum { CLUSTERS = 2, TURNS = 7 };

/* An element of 32 bits for coordinates i, j in a turn of a cluster. */
__device__ unsigned number(unsigned i, unsigned j, unsigned salt) {
    unsigned x = (i * 1031u + j + salt * 0x9e3779b9u) * 2654435761u;
    return (x ^ x >> 15) * 2246822519u >> 7;
}

/* Elements of 1 to 4 words: what one is made of, and an operation. Those with
 * an order are for scans. */
struct add {
    typedef unsigned type;
    __device__ static type of(unsigned x, unsigned) { return x; }
    __device__ type operator()(type x, type y) const { return x + y; }
};

struct half {
    typedef unsigned short type;
    __device__ static type of(unsigned x, unsigned) { return (type)x; }
    __device__ type operator()(type x, type y) const { return (type)(x + y); }
};

/* The largest value and where it first is. */
struct largest {
    struct type {
        unsigned value, at;
    };
    __device__ static type of(unsigned x, unsigned at) {
        return {x % 61, at};
    }
    __device__ type operator()(type x, type y) const {
        return x.value > y.value || (x.value == y.value && x.at < y.at) ? x : y;
    }
};

/* Three numbers; a fourth one would make 16 bytes. */
struct moments {
    struct __align__(16) type {
        unsigned count, sum, square, none;
    };
    __device__ static type of(unsigned x, unsigned) {
        return {1, x % 1301, x % 1301 * (x % 1301), 0};
    }
    __device__ type operator()(type x, type y) const {
        return {x.count + y.count, x.sum + y.sum, x.square + y.square, 0};
    }
};

/* Maps x -> a x + b, one after the other: not commutative. */
struct maps {
    struct type {
        unsigned a, b;
    };
    __device__ static type of(unsigned x, unsigned) { return {x | 1, x >> 9}; }
    __device__ type operator()(type x, type y) const {
        return {x.a * y.a, x.b * y.a + y.b};
    }
};

/* 16 bytes: products of matrices of 2 x 2. */
struct products {
    struct __align__(16) type {
        unsigned a, b, c, d;
    };
    __device__ static type of(unsigned x, unsigned) {
        return {x, x >> 3 | 1, x * 5, x ^ 77};
    }
    __device__ type operator()(type x, type y) const {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d,
                x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

/* The last of some elements, or rather the first: op(x, y) is x. */
struct first {
    typedef unsigned char type;
    __device__ static type of(unsigned x, unsigned) { return (type)x; }
    __device__ type operator()(type x, type) const { return x; }
};

/* What the definition says of elements `from` up to `end` of a line. */
template <class OP, ll_dim D>
__device__ typename OP::type by_hand(unsigned i, unsigned j, unsigned salt,
                                     unsigned from, unsigned end) {
    typename OP::type x = {};
    for (unsigned k = from; k < end; ++k) {
        const auto y = D == LL_I ? OP::of(number(k, j, salt), k)
                                 : OP::of(number(i, k, salt), k);
        x = k == from ? y : OP()(x, y);
    }
    return x;
}

template <class L, ll_dim D, class OP, unsigned N>
__device__ void fill(typename OP::type (&a)[N], unsigned salt) {
    LL_EACH(r, L) {
        const unsigned i = LL_AT(L, LL_I, r), j = LL_AT(L, LL_J, r);
        a[r] = OP::of(number(i, j, salt), D == LL_I ? i : j);
    }
}

template <class L> __device__ unsigned salt_of(unsigned turn) {
    return blockIdx.x / LL_BLOCKS(L) * 64 + turn;
}

template <class L, ll_dim D, class OP>
__global__ void reduce(unsigned *wrong) {
    typedef typename OP::type T;
    LL_CLUSTER_REDUCE_PLAN(PLAN, L, D, 8 * sizeof(T), LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    constexpr unsigned n = ll_size(LL_GET(L).out, D);
    unsigned bad = 0;
    LL_CLUSTER_BEGIN(PLAN, smem);
    for (unsigned turn = 0; turn < TURNS; ++turn) {
        T a[LL_REGS(L)];
        fill<L, D, OP>(a, salt_of<L>(turn));
        LL_CLUSTER_REDUCE_EACH(a, a, PLAN, smem, turn, OP());
        LL_EACH(r, L) {
            bad += differs(a[r], by_hand<OP, D>(LL_AT(L, LL_I, r),
                                                LL_AT(L, LL_J, r),
                                                salt_of<L>(turn), 0, n));
        }
    }
    LL_CLUSTER_END(PLAN, smem);
    wrong[blockIdx.x * blockDim.x + threadIdx.x] = bad;
}

/* The same in halves: each turn is sent before the one before it is received.
 * Each block is also sent a number of every block, by the kernel itself. */
template <class L, ll_dim D, class OP>
__global__ void reduce_ahead(unsigned *wrong) {
    typedef typename OP::type T;
    constexpr unsigned blocks = LL_BLOCKS(L);
    LL_CLUSTER_REDUCE_PLAN_BY(PLAN, L, D, 8 * sizeof(T), LL_SM90, 1,
                              4 * LL_BLOCKS(L));
    constexpr unsigned buffers = LL_GET(PLAN).buffers;
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    __shared__ unsigned numbers[buffers][blocks];
    constexpr unsigned n = ll_size(LL_GET(L).out, D);
    const unsigned rank = blockIdx.x % blocks;
    T a[LL_REGS(L)], b[1u << LL_GET(PLAN).to_bits];
    unsigned bad = 0;
    LL_CLUSTER_BEGIN(PLAN, smem);
    decltype(LL_CLUSTER_REDUCE_SEND(a, PLAN, smem, 0, OP())) sent[2];
    for (unsigned turn = 0; turn <= TURNS; ++turn) {
        if (turn < TURNS) {
            fill<L, D, OP>(a, salt_of<L>(turn));
            sent[turn % 2] =
                LL_CLUSTER_REDUCE_SEND(a, PLAN, smem, turn, OP());
            if (threadIdx.x < blocks) {
                const unsigned to = (unsigned)__cvta_generic_to_shared(
                    &numbers[turn % buffers][rank]);
                ll_ptx_st_async_b32(
                    ll_ptx_mapa(to, threadIdx.x), {{rank * 100 + turn}},
                    ll_ptx_mapa(LL_CLUSTER_BAR(PLAN, smem, turn),
                                threadIdx.x));
            }
        }
        if (turn) {
            const unsigned last = turn - 1;
            LL_CLUSTER_REDUCE_RECEIVE(b, sent[last % 2], PLAN, smem, last,
                                      OP());
            for (unsigned k = 0; k < blocks; ++k) {
                bad += numbers[last % buffers][k] != k * 100 + last;
            }
            bad += differs(b[0], by_hand<OP, D>(LL_AT(L, LL_I, 0),
                                                LL_AT(L, LL_J, 0),
                                                salt_of<L>(last), 0, n));
        }
    }
    LL_CLUSTER_END(PLAN, smem);
    wrong[blockIdx.x * blockDim.x + threadIdx.x] = bad;
}

/* Both kinds of scan in turns, in halves. */
template <class L, ll_dim D, class OP>
__global__ void scan_ahead(unsigned *wrong) {
    typedef typename OP::type T;
    LL_CLUSTER_SCAN_PLAN_BY(PLAN, L, D, 8 * sizeof(T), LL_SM90, 1, 0);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    const T none = OP::of(1234567, 99);
    unsigned bad = 0;
    LL_CLUSTER_BEGIN(PLAN, smem);
    for (unsigned turn = 0; turn < TURNS; turn += 2) {
        T a[LL_REGS(L)], b[LL_REGS(L)], c[LL_REGS(L)];
        fill<L, D, OP>(a, salt_of<L>(turn));
        fill<L, D, OP>(c, salt_of<L>(turn + 1));
        const auto upto = LL_CLUSTER_SCAN_SEND(a, PLAN, smem, turn, OP());
        const auto before =
            LL_CLUSTER_SCAN_SEND_BEFORE(c, PLAN, smem, turn + 1, OP(), none);
        LL_CLUSTER_SCAN_RECEIVE(b, upto, PLAN, smem, turn, OP());
        LL_CLUSTER_SCAN_RECEIVE(c, before, PLAN, smem, turn + 1, OP());
        LL_EACH(r, L) {
            const unsigned i = LL_AT(L, LL_I, r), j = LL_AT(L, LL_J, r);
            const unsigned end = D == LL_I ? i : j;
            const T x = by_hand<OP, D>(i, j, salt_of<L>(turn), 0, end + 1);
            const T y = by_hand<OP, D>(i, j, salt_of<L>(turn + 1), 0, end);
            bad += differs(b[r], x) + differs(c[r], end ? y : none);
        }
    }
    LL_CLUSTER_END(PLAN, smem);
    wrong[blockIdx.x * blockDim.x + threadIdx.x] = bad;
}

/* Both kinds of scan in turn. */
template <class L, ll_dim D, class OP>
__global__ void scan(unsigned *wrong) {
    typedef typename OP::type T;
    LL_CLUSTER_SCAN_PLAN(PLAN, L, D, 8 * sizeof(T), LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    const T none = OP::of(1234567, 99);
    unsigned bad = 0;
    LL_CLUSTER_BEGIN(PLAN, smem);
    for (unsigned turn = 0; turn < TURNS; ++turn) {
        T a[LL_REGS(L)], b[LL_REGS(L)];
        fill<L, D, OP>(a, salt_of<L>(turn));
        if (turn % 2) {
            LL_CLUSTER_SCAN(b, a, PLAN, smem, turn, OP());
        } else {
            LL_CLUSTER_SCAN_BEFORE(b, a, PLAN, smem, turn, OP(), none);
        }
        LL_EACH(r, L) {
            const unsigned i = LL_AT(L, LL_I, r), j = LL_AT(L, LL_J, r);
            const unsigned end = (D == LL_I ? i : j) + turn % 2;
            const T y = by_hand<OP, D>(i, j, salt_of<L>(turn), 0, end);
            bad += differs(b[r], end ? y : none);
        }
    }
    LL_CLUSTER_END(PLAN, smem);
    wrong[blockIdx.x * blockDim.x + threadIdx.x] = bad;
}

static void launch(void (*kernel)(unsigned *), const char *what, unsigned bytes,
                   unsigned blocks, unsigned threads, unsigned *wrong) {
    cudaLaunchAttribute cluster = {};
    const unsigned all = CLUSTERS * blocks;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    const cudaLaunchConfig_t config = {dim3(all), dim3(threads), 0, 0,
                                       &cluster, 1};
    MUST(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    MUST(cudaMemset(wrong, 0xff, all * threads * sizeof *wrong));
    MUST(cudaLaunchKernelEx(&config, kernel, wrong));
    judge(what, bytes, all * threads, wrong, 0);
}

template <class L, ll_dim D, class OP>
void check_reduce(const char *what, unsigned *wrong) {
    launch(reduce<L, D, OP>, what, sizeof(typename OP::type), LL_BLOCKS(L),
           LL_THREADS(L), wrong);
}

template <class L, ll_dim D, class OP>
void check_scan(const char *what, unsigned *wrong) {
    launch(scan<L, D, OP>, what, sizeof(typename OP::type), LL_BLOCKS(L),
           LL_THREADS(L), wrong);
}

template <class L, ll_dim D, class OP>
void check_ahead(const char *what, unsigned *wrong) {
    launch(reduce_ahead<L, D, OP>, what, sizeof(typename OP::type),
           LL_BLOCKS(L), LL_THREADS(L), wrong);
}

template <class L, ll_dim D, class OP>
void check_scan_ahead(const char *what, unsigned *wrong) {
    launch(scan_ahead<L, D, OP>, what, sizeof(typename OP::type), LL_BLOCKS(L),
           LL_THREADS(L), wrong);
}

template <class L, ll_dim D>
void check_reduces(const char *what, unsigned *wrong) {
    check_reduce<L, D, add>(what, wrong);
    check_reduce<L, D, half>(what, wrong);
    check_reduce<L, D, largest>(what, wrong);
    check_reduce<L, D, moments>(what, wrong);
}

template <class L, ll_dim D>
void check_scans(const char *what, unsigned *wrong) {
    check_scan<L, D, add>(what, wrong);
    check_scan<L, D, maps>(what, wrong);
    check_scan<L, D, products>(what, wrong);
    check_scan<L, D, first>(what, wrong);
}

/* One warp a block; several lines a lane; several warps; copies on lanes, warps
 * and blocks; blocks that exchange; other axes on blocks, sums of bits. */
LL_LAYOUT(ROW8, ll_parse("register: i0 | lane: j0 j1 j2 j3 j4 | "
                         "block: j5 j6 j7"));
LL_LAYOUT(ROW16, ll_parse("register: j7 i0 | lane: j0 j1 j2 j3 j4 | "
                          "warp: j5 j6 | block: j8 j10 j9 j11"));
LL_LAYOUT(WARPS4, ll_parse("register: j0 j1 i2 | lane: j2 j3 j4 i0 i1 | "
                           "warp: i3 j5 | block: j6 j7"));
LL_LAYOUT(COLS4, ll_parse("register: j0 j1 i2 | lane: j2 j3 j4 i0 i1 | "
                          "warp: i3 j5 | block: i4 i5"));
LL_LAYOUT(MIXED8, ll_parse("register: i4 j0 i5 | lane: j1 i6 i0^i5 i1 j2^i4 | "
                           "warp: j3^i6 | block: j4 i2^j0 i3"));
LL_LAYOUT(COPIES4, ll_parse("register: j0 0 i1 i2 i4 | lane: j2 j3 i0 j1 0 | "
                            "warp: j4 j5 0 | block: i3 i5"));
LL_LAYOUT(COPIES8, ll_parse("register: i0 0 | lane: i2 0 j1 i1 0 | "
                            "warp: j0 i3 0 | block: i5 0 i4^j0 | 1: i5^j1"));
LL_LAYOUT(TURNED4, ll_parse("register: j3 i0 | lane: j0 i1 j4 j2 j1 | "
                            "warp: j5^j0 0 | block: j7 j6^j7 | 1: j6^j2"));
LL_LAYOUT(ROWS8, ll_parse("register: j0 j1 | lane: j2 j3 j4 i0 0 | "
                          "warp: i1^j2 | block: j6 i2 j5"));

int main(void) {
    unsigned *wrong;
    MUST(cudaMalloc((void **)&wrong, 8192 * sizeof *wrong));
    check_reduces<ROW8, LL_J>("one warp a block", wrong);
    check_reduces<WARPS4, LL_J>("rows of several warps", wrong);
    check_reduces<WARPS4, LL_I>("columns within blocks", wrong);
    check_reduces<COLS4, LL_I>("columns", wrong);
    check_reduces<MIXED8, LL_I>("columns, sums of bits", wrong);
    check_reduces<MIXED8, LL_J>("rows, sums of bits", wrong);
    check_reduces<COPIES4, LL_I>("columns, copies", wrong);
    check_reduces<COPIES8, LL_I>("columns, copies on blocks", wrong);
    check_reduces<COPIES8, LL_J>("rows, copies on blocks", wrong);
    check_scans<ROW8, LL_J>("scan of one warp a block", wrong);
    check_scans<WARPS4, LL_J>("scan of rows of several warps", wrong);
    check_scans<WARPS4, LL_I>("scan of columns within blocks", wrong);
    check_scans<COLS4, LL_I>("scan of columns", wrong);
    check_scans<TURNED4, LL_J>("scan of blocks exchanged, turned", wrong);
    check_scans<ROWS8, LL_J>("scan of rows and copies", wrong);
    check_ahead<ROW8, LL_J, largest>("ahead, one warp a block", wrong);
    check_ahead<WARPS4, LL_J, add>("ahead, rows of several warps", wrong);
    check_ahead<MIXED8, LL_I, moments>("ahead, sums of bits", wrong);
    check_scan_ahead<WARPS4, LL_J, products>("scan ahead, rows", wrong);
    check_scan_ahead<COLS4, LL_I, maps>("scan ahead, columns", wrong);
#if !LL_EMULATE /* which has clusters of up to 8 blocks */
    check_reduces<ROW16, LL_J>("rows on 16 blocks", wrong);
    check_scans<ROW16, LL_J>("scan of rows on 16 blocks", wrong);
    check_ahead<ROW16, LL_J, moments>("ahead, rows on 16 blocks", wrong);
#endif
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
