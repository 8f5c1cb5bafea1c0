/* cluster.cu - conversions between the blocks of a cluster, on a GPU of sm_90
 * or later, or on the emulator: every register is filled with the element that
 * it should hold, by LL_AT; after the conversion every register is asked.
 * SPDX-License-Identifier: MIT
 */
#include "ll_ptx.h"
#include "elements.h"

#define NUMBER(LAYOUT, r)                                                   \
    (LL_AT(LAYOUT, LL_I, r) * 1024u + LL_AT(LAYOUT, LL_J, r))

/* Several clusters are launched, each with elements of its own. */
enum { CLUSTERS = 3 };

template <class T, class FROM, class TO, unsigned PASSES>
__global__ void convert(unsigned *wrong) {
    LL_PLAN(WHOLE, FROM, TO, 8 * sizeof(T), LL_SM90);
    LL_PLAN_WITHIN(PLAN, FROM, TO, 8 * sizeof(T), LL_SM90,
                   LL_SMEM_BYTES(WHOLE) >> PASSES);
    static_assert(LL_GET(PLAN).passes == PASSES, "as many passes as asked for");
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    T a[LL_REGS(FROM)], b[LL_REGS(TO)];
    const unsigned salt = blockIdx.x / LL_BLOCKS(FROM) << 20;
    unsigned bad = 0;
    LL_EACH(r, FROM) { a[r] = element<T>(NUMBER(FROM, r) + salt); }
    LL_CONVERT(b, a, PLAN, smem);
    LL_EACH(r, TO) { bad += differs(b[r], element<T>(NUMBER(TO, r) + salt)); }
    wrong[blockIdx.x * blockDim.x + threadIdx.x] = bad;
}

/* There and back by the two halves, elements in words, the memory used anew. */
template <class T, class FROM, class TO>
__global__ void return_trip(unsigned *wrong) {
    LL_PLAN(THERE, FROM, TO, 8 * sizeof(T), LL_SM90);
    LL_PLAN(BACK, TO, FROM, 8 * sizeof(T), LL_SM90);
    LL_EXPECT_KIND(THERE, LL_CLUSTER);
    constexpr unsigned bytes = LL_SMEM_BYTES(THERE) > LL_SMEM_BYTES(BACK)
                                   ? LL_SMEM_BYTES(THERE)
                                   : LL_SMEM_BYTES(BACK);
    __shared__ __align__(16) unsigned char smem[bytes];
    unsigned a[LL_WORDS(FROM, 8 * sizeof(T))], b[LL_WORDS(TO, 8 * sizeof(T))];
    unsigned bad = 0;
    T x;
    LL_EACH(r, FROM) {
        x = element<T>(NUMBER(FROM, r));
        memcpy((char *)a + r * sizeof(T), &x, sizeof(T));
    }
    LL_STORE_SHARED(a, THERE, smem);
    ll_ptx_barrier_cluster_arrive();
    memset(a, 0, sizeof a);
    ll_ptx_barrier_cluster_wait();
    LL_LOAD_SHARED(b, THERE, smem);
    LL_CONVERT(a, b, BACK, smem);
    LL_EACH(r, FROM) {
        memcpy(&x, (char *)a + r * sizeof(T), sizeof(T));
        bad += differs(x, element<T>(NUMBER(FROM, r)));
    }
    wrong[blockIdx.x * blockDim.x + threadIdx.x] = bad;
}

/* Four values of a column at once, in each register of the rows. */
struct totals {
    unsigned sum, least, most, count;
};

struct joined {
    __device__ totals operator()(totals x, totals y) const {
        return {x.sum + y.sum, min(x.least, y.least), max(x.most, y.most),
                x.count + y.count};
    }
};

/* Reduces along the rows, which lie in several blocks, three times: the second
 * and third reduction use the same memory at once. */
template <class L> __global__ void reduce(unsigned *wrong) {
    LL_REDUCE_PLAN(FOUR, L, LL_I, 128, LL_SM90);
    LL_REDUCE_PLAN(ONE, L, LL_I, 32, LL_SM90);
    static_assert(LL_GET(FOUR).reaches || LL_GET(FOUR).between.blocks,
                  "across blocks");
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(FOUR)];
    constexpr unsigned n = ll_size(LL_GET(L).out, LL_I);
    totals a[LL_REGS(L)], b[LL_REGS(L)];
    unsigned x[LL_REGS(L)], y[LL_REGS(L)], bad = 0;
    LL_EACH(r, L) {
        x[r] = NUMBER(L, r);
        a[r] = {x[r], x[r], x[r], 1};
    }
    LL_REDUCE_EACH(b, a, FOUR, smem, joined());
    LL_REDUCE_EACH(y, x, ONE, smem, ll_max());
    LL_REDUCE_EACH(x, x, ONE, smem, ll_add());
    LL_EACH(r, L) {
        const unsigned j = LL_AT(L, LL_J, r), sum = n * (n - 1) / 2 * 1024;
        bad += b[r].sum != sum + n * j || b[r].least != j ||
               b[r].most != (n - 1) * 1024 + j || b[r].count != n;
        bad += x[r] != b[r].sum || y[r] != b[r].most;
    }
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
    MUST(cudaMemset(wrong, 0xff, all * threads * sizeof *wrong));
    MUST(cudaLaunchKernelEx(&config, kernel, wrong));
    judge(what, bytes, all * threads, wrong, 0);
}

template <class T, class FROM, class TO, unsigned PASSES>
void check_one(const char *what, unsigned *wrong) {
    constexpr unsigned a = LL_BLOCKS(FROM), b = LL_BLOCKS(TO);
    constexpr unsigned m = LL_THREADS(FROM), n = LL_THREADS(TO);
    launch(convert<T, FROM, TO, PASSES>, what, sizeof(T), a > b ? a : b,
           m > n ? m : n, wrong);
}

template <class FROM, class TO>
void check_most(const char *what, unsigned *wrong) {
    check_one<unsigned char, FROM, TO, 0>(what, wrong);
    check_one<unsigned short, FROM, TO, 0>(what, wrong);
    check_one<unsigned, FROM, TO, 0>(what, wrong);
    check_one<unsigned long long, FROM, TO, 0>(what, wrong);
}

template <class FROM, class TO>
void check_each(const char *what, unsigned *wrong) {
    check_most<FROM, TO>(what, wrong);
    check_one<wide, FROM, TO, 0>(what, wrong);
}

template <class T, class FROM, class TO>
void check_return(const char *what, unsigned *wrong) {
    launch(return_trip<T, FROM, TO>, what, sizeof(T), LL_BLOCKS(FROM),
           LL_THREADS(FROM), wrong);
}

template <class L> void check_reduce(const char *what, unsigned *wrong) {
    launch(reduce<L>, what, 16, LL_BLOCKS(L), LL_THREADS(L), wrong);
}

/* Rows of a tensor on the blocks, or columns; 2, 4 and 8 of them. */
LL_LAYOUT(ROWS2, ll_parse("register: j0 j1 i2 | lane: j2 j3 j4 i0 i1 | "
                          "warp: i3 | block: i4"));
LL_LAYOUT(COLS2, ll_parse("register: i0 i1 j2 | lane: i2 i3 i4 j0 j1 | "
                          "warp: j3 | block: j4"));
LL_LAYOUT(ROWS4, ll_parse("register: j0 j1 i2 | lane: j2 j3 j4 i0 i1 | "
                          "warp: i3 j5 | block: i4 i5"));
LL_LAYOUT(COLS4, ll_parse("register: i0 i1 j2 | lane: i2 i3 i4 j0 j1 | "
                          "warp: j3 i5 | block: j4 j5"));
LL_LAYOUT(ROWS8, ll_parse("register: j0 j1 i2 | lane: j2 j3 j4 i0 i1 | "
                          "warp: i3 | block: i4 i5 i6"));
LL_LAYOUT(MIXED8, ll_parse("register: i4 j0 i5 | lane: j1 i6 i0^i5 i1 j2^i4 | "
                           "warp: j3^i6 | block: j4 i2^j0 i3"));

/* One block's part on all of them; the whole tensor in each; copies on lanes
 * and blocks; the parts of other blocks. */
LL_LAYOUT(ALL4, ll_parse("register: j0 j1 i2 i4 i5 | lane: j2 j3 j4 i0 i1 | "
                         "warp: i3 j5 | block: 0 0"));
LL_LAYOUT(TWICE4, ll_parse("register: j0 j1 i2 i4 | lane: j2 j3 j4 i0 i1 | "
                           "warp: i3 j5 | block: i5 0"));
LL_LAYOUT(COPIES4, ll_parse("register: j0 0 i1 i2 i4 | lane: j2 j3 i0 j1 0 | "
                            "warp: j4 j5 0 | block: i3 i5"));
LL_LAYOUT(OTHERS4, ll_parse("register: j0 j1 i2 | lane: j2 j3 j4 i0 i1 | "
                            "warp: i3 j5 | block: i5 i4 | 1: i4^j1"));
LL_LAYOUT(ALONE4, ll_parse("register: j0 j1 i2 i3 i4 i5 | "
                           "lane: j2 j3 j4 i0 i1 | warp: j5"));

/* As many parts of a column as do not go at once. */
LL_LAYOUT(LONG8, ll_parse("register: i0 | lane: i1 i2 i3 i4 j0 | "
                          "warp: i5 i6 i7 | block: i8 j1 i9"));

/* An accumulator, 32 rows a block, and the operand that has its columns. */
LL_LAYOUT(ACC4, ll_mul(ll_ptx_mma_c(32, 64, 2),
                       ll_identity(4, LL_BLOCK, LL_I)));
LL_LAYOUT(OPERAND4, ll_mul(ll_ptx_mma_a(128, 16, 16, 2),
                           ll_identity(4, LL_BLOCK, LL_J)));

int main(void) {
    unsigned *wrong;
    MUST(cudaMalloc((void **)&wrong, 8192 * sizeof *wrong));
    check_each<ROWS2, COLS2>("rows to columns, 2 blocks", wrong);
    check_each<COLS2, ROWS2>("columns to rows, 2 blocks", wrong);
    check_each<ROWS4, COLS4>("rows to columns, 4 blocks", wrong);
    check_each<COLS4, ROWS4>("columns to rows, 4 blocks", wrong);
    check_each<ROWS8, MIXED8>("sums of bits, 8 blocks", wrong);
    check_each<MIXED8, ROWS8>("and back", wrong);
    check_most<ROWS4, ALL4>("to all blocks", wrong);
    check_most<ALL4, COLS4>("each takes its part of its own", wrong);
    check_each<ROWS4, TWICE4>("to two blocks each", wrong);
    check_each<TWICE4, COLS4>("from two blocks each", wrong);
    check_each<COPIES4, COLS4>("from copies", wrong);
    check_each<COLS4, COPIES4>("to copies", wrong);
    check_each<ROWS4, OTHERS4>("blocks exchanged", wrong);
    check_most<ALONE4, ROWS4>("from a layout without blocks", wrong);
    check_most<ROWS4, ALONE4>("to a layout without blocks", wrong);
    check_one<unsigned short, ACC4, OPERAND4, 0>("accumulator to operand",
                                                 wrong);
    check_one<unsigned, ROWS4, ALL4, 1>("two passes", wrong);
    check_one<unsigned char, ROWS4, TWICE4, 2>("four passes", wrong);
    check_return<unsigned char, ROWS2, COLS2>("return trip", wrong);
    check_return<unsigned short, ROWS4, COLS4>("return trip", wrong);
    check_return<unsigned, ROWS8, MIXED8>("return trip", wrong);
    check_return<unsigned long long, ROWS4, OTHERS4>("return trip", wrong);
    check_reduce<ROWS2>("columns, rows on 2 blocks", wrong);
    check_reduce<ROWS4>("columns, rows on 4 blocks", wrong);
    check_reduce<MIXED8>("columns, sums of bits on 8 blocks", wrong);
    check_reduce<LONG8>("columns, in each block first", wrong);
    check_reduce<COPIES4>("columns, copies", wrong);
    check_reduce<OTHERS4>("columns, blocks exchanged", wrong);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
