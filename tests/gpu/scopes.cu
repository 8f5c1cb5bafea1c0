/* scopes.cu - every move in blocks and parts of blocks of all shapes: two
 * dimensions and three, warps 8 to 11 of 12 beside warps that never arrive, one
 * warp, and roles that hand each other tiles at named barriers. Each register
 * is compared with the number of its element, on the GPU or on the emulator, of
 * the target that target.h says.
 * SPDX-License-Identifier: MIT
 */
#include "target.h"
#include "elements.h"

enum { ROWS = 32, COLS = 16, TILE = ROWS * COLS, THREADS = 128 };

LAYOUT(IN, ll_parse("register: j0 j1 | lane: j2 j3 i0 i1 i2 | warp: i3 i4"));
LAYOUT(TURNED, ll_parse("register: i0 i1 | lane: i2 i3 i4 j0 j1 | "
                        "warp: j2 j3"));
LAYOUT(SUMS, ll_reduce(LL_GET(IN), LL_I));
LL_PLAN(TURN, IN, TURNED, 32, TARGET);
LL_PLAN_BY(FEED, IN, TURNED, 32, COPYING, LL_COPIES);
LL_REDUCE_PLAN(COLUMNS, IN, LL_I, 32, TARGET);
LL_SCAN_PLAN(DOWN, IN, LL_I, 32, TARGET);
LL_GATHER_PLAN_BY(PICK, IN, IN, LL_I, 32, TARGET, LL_SHARED);
enum { SMEM = TILE * 4 };
static_assert(LL_SMEM_BYTES(TURN) <= SMEM && LL_SMEM_BYTES(FEED) <= SMEM &&
              LL_SMEM_BYTES(COLUMNS) <= SMEM && LL_SMEM_BYTES(DOWN) <= SMEM &&
              LL_SMEM_BYTES(PICK) <= SMEM, "the tile is the most");

struct add {
    LL_HOST_DEVICE_ unsigned operator()(unsigned x, unsigned y) const {
        return x + y;
    }
};

/* The number of the element in register r, of a tile that begins at FIRST. */
#define NUMBER(LAYOUT, r, first)                                            \
    ((first) + LL_AT(LAYOUT, LL_I, r) * COLS + LL_AT(LAYOUT, LL_J, r))

/* The sum of n elements of a column, from `top` down. */
__device__ unsigned sum_of(unsigned n, unsigned top) {
    return n * top + n * (n - 1) / 2 * COLS;
}

/* Returns how many registers are wrong after every move of scope S. The tile of
 * src holds its numbers, from `first` on. */
template <class S>
__device__ unsigned all_moves(const unsigned *src, unsigned first,
                              unsigned char *smem) {
    LL_IN(S);
    unsigned a[LL_REGS(IN)], b[LL_REGS(TURNED)], c[LL_REGS(IN)];
    unsigned sum[LL_REGS(SUMS)], index[LL_REGS(IN)];
    unsigned bad = 0;
    LL_LOAD(a, IN, src, COLS);
    LL_EACH(r, IN) { bad += a[r] != NUMBER(IN, r, first); }
    LL_CONVERT(b, a, TURN, smem);
    LL_EACH(r, TURNED) { bad += b[r] != NUMBER(TURNED, r, first); }
    LL_SYNC();
    LL_COPY(FEED, smem, src, COLS);
    LL_COPY_COMMIT();
    LL_COPY_WAIT(0);
    LL_SYNC();
    LL_LOAD_SHARED(b, FEED, smem);
    LL_EACH(r, TURNED) { bad += b[r] != NUMBER(TURNED, r, first); }
    LL_SYNC();
    LL_REDUCE(sum, a, COLUMNS, smem, add());
    LL_EACH(r, SUMS) {
        const unsigned top = first + LL_AT(SUMS, LL_I, r);
        bad += sum[r] != sum_of(ROWS, top);
    }
    LL_SYNC();
    LL_SCAN(c, a, DOWN, smem, add());
    LL_EACH(r, IN) {
        const unsigned i = LL_AT(IN, LL_I, r);
        const unsigned top = first + LL_AT(IN, LL_J, r);
        bad += c[r] != sum_of(i + 1, top);
        index[r] = 5 * i + LL_AT(IN, LL_J, r);
    }
    LL_SYNC();
    LL_GATHER(c, a, index, PICK, smem);
    LL_EACH(r, IN) {
        bad += c[r] != first + index[r] % ROWS * COLS + LL_AT(IN, LL_J, r);
    }
    return bad;
}

/* The same by halves, and each element beside the sum of its column. */
template <class S>
__device__ unsigned halves(unsigned *dst, const unsigned *src, unsigned first,
                           unsigned char *smem) {
    LL_IN(S);
    unsigned a[LL_REGS(IN)], c[LL_REGS(IN)], index[LL_REGS(IN)], bad = 0;
    unsigned sum[LL_REGS(SUMS)];
    LL_LOAD(a, IN, src, COLS);
    LL_SYNC();
    const auto reduced = LL_REDUCE_STORE(a, COLUMNS, smem, add());
    LL_SYNC();
    LL_REDUCE_LOAD(sum, reduced, COLUMNS, smem, add());
    LL_SPREAD(c, sum, COLUMNS);
    LL_EACH(r, IN) {
        const unsigned top = first + LL_AT(IN, LL_J, r);
        bad += c[r] != sum_of(ROWS, top);
    }
    LL_SYNC();
    LL_REDUCE_EACH(c, a, COLUMNS, smem, add());
    LL_EACH(r, IN) {
        const unsigned top = first + LL_AT(IN, LL_J, r);
        bad += c[r] != sum_of(ROWS, top);
    }
    LL_SYNC();
    const auto scanned = LL_SCAN_STORE(a, DOWN, smem, add());
    LL_SYNC();
    LL_SCAN_LOAD(c, scanned, DOWN, smem, add());
    LL_EACH(r, IN) {
        const unsigned i = LL_AT(IN, LL_I, r);
        const unsigned top = first + LL_AT(IN, LL_J, r);
        bad += c[r] != sum_of(i + 1, top);
    }
    LL_SCAN_LOAD_BEFORE(c, scanned, DOWN, smem, add(), 0u);
    LL_EACH(r, IN) {
        const unsigned i = LL_AT(IN, LL_I, r);
        const unsigned top = first + LL_AT(IN, LL_J, r);
        bad += c[r] != sum_of(i, top);
        index[r] = 5 * i + LL_AT(IN, LL_J, r);
    }
    LL_SYNC();
    const auto stored = LL_GATHER_STORE(a, PICK, smem);
    LL_SYNC();
    LL_GATHER_LOAD(c, stored, index, PICK, smem);
    LL_EACH(r, IN) {
        bad += c[r] != first + index[r] % ROWS * COLS + LL_AT(IN, LL_J, r);
    }
    LL_STORE(a, IN, dst, COLS);
    return bad;
}

/* The threads of a block of any shape. */
LL_SCOPE(ALL, LL_THREAD(), THREADS, __syncthreads());

__global__ void in_block(unsigned *wrong, unsigned *dst, const unsigned *src) {
    __shared__ __align__(16) unsigned char smem[SMEM];
    unsigned bad = all_moves<ALL>(src, 0, smem);
    __syncthreads();
    bad += halves<ALL>(dst, src, 0, smem);
    wrong[LL_THREAD()] = bad;
}

#ifndef TARGET_GFX
/* Warps 8 to 11 of 12; the others are gone before they begin. */
LL_SCOPE(LAST, LL_THREAD() - 256, THREADS, LL_BARRIER(7));

__global__ void in_last(unsigned *wrong, unsigned *dst, const unsigned *src) {
    __shared__ __align__(16) unsigned char smem[SMEM];
    const unsigned thread = LL_THREAD();
    unsigned bad = 0;
    if (thread >= 256) {
        LL_IN(LAST);
        bad = all_moves<LAST>(src, 0, smem);
        LL_SYNC();
        bad += halves<LAST>(dst, src, 0, smem);
    }
    wrong[thread] = bad;
}

/* Three teams of four warps, each with a tile and a barrier of its own. */
LL_SCOPE(TEAM, LL_THREAD() % THREADS, THREADS,
         LL_BARRIER_AT(1 + LL_THREAD() / THREADS));

__global__ void in_teams(unsigned *wrong, unsigned *dst, const unsigned *src) {
    __shared__ __align__(16) unsigned char smem[3][SMEM];
    LL_IN(TEAM);
    const unsigned team = LL_THREAD() / THREADS, first = team * TILE;
    unsigned bad = all_moves<TEAM>(src + first, first, smem[team]);
    LL_SYNC();
    bad += halves<TEAM>(dst + first, src + first, first, smem[team]);
    wrong[LL_THREAD()] = bad;
}

/* Warps 0 to 3 produce tiles; warps 4 to 7 consume every second one and warps 8
 * to 11 the others, each at a barrier of their own. All come to the first
 * barrier at one place: what two instructions of different branches have in
 * common, racecheck and synccheck do not see. */
enum { ROUNDS = 3 };
LL_SCOPE(PRODUCERS, LL_THREAD(), THREADS, LL_BARRIER(4));
LL_SCOPE(CONSUMERS, LL_THREAD() % THREADS, THREADS,
         LL_BARRIER_AT(1 + LL_THREAD() / THREADS));
LL_SCOPE(EVERYBODY, LL_THREAD(), 3 * THREADS, LL_BARRIER(1));

/* Loads tile k; OWN: and scans it, which takes a barrier of the producers. */
template <bool OWN>
__device__ unsigned produce(unsigned char *tile, const unsigned *src,
                            unsigned k, unsigned char *smem) {
    LL_IN(PRODUCERS);
    LL_SCAN_PLAN(ALONG, IN, LL_I, 32, TARGET);
    unsigned a[LL_REGS(IN)], b[LL_REGS(IN)], bad = 0;
    LL_LOAD(a, IN, src + k * TILE, COLS);
    if (OWN) {
        LL_SYNC();
        LL_SCAN_BEFORE(b, a, ALONG, smem, add(), 0u);
        LL_EACH(r, IN) {
            const unsigned i = LL_AT(IN, LL_I, r);
            const unsigned top = k * TILE + LL_AT(IN, LL_J, r);
            bad += b[r] != sum_of(i, top);
        }
    }
    LL_STORE_SHARED(a, TURN, tile);
    return bad;
}

__device__ unsigned consume(unsigned *dst, unsigned char *tile, unsigned k,
                            unsigned char *smem) {
    LL_IN(CONSUMERS);
    LL_PLAN(BACK, TURNED, IN, 32, TARGET);
    unsigned a[LL_REGS(IN)], b[LL_REGS(TURNED)], sum[LL_REGS(SUMS)], bad = 0;
    LL_LOAD_SHARED(b, TURN, tile);
    LL_EACH(r, TURNED) { bad += b[r] != NUMBER(TURNED, r, k * TILE); }
    LL_SYNC();
    LL_CONVERT(a, b, BACK, smem);
    LL_SYNC();
    LL_REDUCE(sum, a, COLUMNS, smem, add());
    LL_EACH(r, SUMS) {
        const unsigned top = k * TILE + LL_AT(SUMS, LL_I, r);
        bad += sum[r] != sum_of(ROWS, top);
    }
    LL_STORE(a, IN, dst + k * TILE, COLS);
    return bad;
}

template <bool OWN>
__global__ void roles(unsigned *wrong, unsigned *dst, const unsigned *src) {
    __shared__ __align__(16) unsigned char tile[2][SMEM], smem[3][SMEM];
    LL_IN(EVERYBODY);
    const unsigned role = LL_THREAD() / THREADS;
    unsigned bad = 0;
    for (unsigned k = 0; k < ROUNDS; ++k) {
        if (role == 0) {
            bad += produce<OWN>(tile[k % 2], src, k, smem[0]);
        }
        LL_SYNC();
        if (role == 1 + k % 2) {
            bad += consume(dst, tile[k % 2], k, smem[role]);
        }
    }
    wrong[LL_THREAD()] = bad;
}

/* One warp copies or stores tiles that four others read. HAND chooses the
 * memory; each side has a plan of its own through it. */
LL_LAYOUT(ONE, ll_parse("register: j0 j1 i3 i4 | lane: j2 j3 i0 i1 i2"));
LL_PLAN_BY(HAND, ONE, TURNED, 32, COPYING, LL_COPIES);
LL_PLAN_THROUGH(PUT, ONE, ONE, 32, COPYING, LL_GET(HAND).memory);
LL_PLAN_THROUGH(TAKE, TURNED, TURNED, 32, COPYING, LL_GET(HAND).memory);
LL_SCOPE(GIVER, threadIdx.x, 32, LL_BARRIER_WARP());
LL_SCOPE(TAKERS, threadIdx.x - 32, THREADS, LL_BARRIER(1));
LL_SCOPE(GIVER_AND_TAKERS, threadIdx.x, 32 + THREADS, LL_BARRIER(2));

__global__ void handed(unsigned *wrong, unsigned *dst, const unsigned *src) {
    __shared__ __align__(16) unsigned char tile[2][LL_SMEM_BYTES(HAND)];
    LL_IN(GIVER_AND_TAKERS);
    unsigned bad = 0;
    for (unsigned k = 0; k < ROUNDS; ++k) {
        if (threadIdx.x < 32) {
            LL_IN(GIVER);
            if (k % 2) {
                unsigned a[LL_REGS(ONE)];
                LL_LOAD(a, ONE, src + k * TILE, COLS);
                LL_STORE_SHARED(a, PUT, tile[k % 2]);
            } else {
                LL_COPY(PUT, tile[k % 2], src + k * TILE, COLS);
                LL_COPY_COMMIT();
                LL_COPY_WAIT(0);
            }
        }
        LL_SYNC();
        if (threadIdx.x >= 32) {
            LL_IN(TAKERS);
            unsigned b[LL_REGS(TURNED)];
            LL_LOAD_SHARED(b, TAKE, tile[k % 2]);
            LL_EACH(r, TURNED) { bad += b[r] != NUMBER(TURNED, r, k * TILE); }
            LL_STORE(b, TURNED, dst + k * TILE, COLS);
        }
    }
    wrong[threadIdx.x] = bad;
}

/* One warp of several, which waits for nobody else. */
LL_LAYOUT(SMALL, ll_parse("register: j0 j1 | lane: j2 j3 i0 i1 i2"));
LL_LAYOUT(SMALL_TURNED, ll_trans(LL_GET(SMALL), "j i"));
LL_LAYOUT(SMALL_BACK, ll_parse("register: i0 i1 | lane: j0 j1 j2 j3 i2"));
LL_PLAN_BY(SMALL_TURN, SMALL, SMALL_BACK, 32, TARGET, LL_SHARED);
LL_SCOPE(THIRD, threadIdx.x, 32, LL_BARRIER_WARP());

__global__ void in_warp(unsigned *wrong) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SMALL_TURN)];
    LL_IN(THIRD);
    unsigned a[LL_REGS(SMALL)], b[LL_REGS(SMALL_BACK)], bad = 0;
    if (threadIdx.y == 2) {
        LL_EACH(r, SMALL) { a[r] = NUMBER(SMALL, r, 0); }
        LL_CONVERT(b, a, SMALL_TURN, smem);
        LL_EACH(r, SMALL_BACK) { bad += b[r] != NUMBER(SMALL_BACK, r, 0); }
    }
    wrong[threadIdx.y * 32 + threadIdx.x] = bad;
}

/* Eight lines in each lane of one warp: a lane goes on with fewer of them in
 * each round. Bytes share the words of shuffles. */
LL_LAYOUT(LINES, ll_parse("register: i0 i1 i2 | lane: j0 j1 j2 j3 j4"));
LL_LAYOUT(ENDS, ll_reduce(LL_GET(LINES), LL_J));
LL_REDUCE_PLAN(ACROSS, LINES, LL_J, 32, TARGET);
LL_REDUCE_PLAN(BYTES_ACROSS, LINES, LL_J, 8, TARGET);
static_assert(LL_GET(ACROSS).first.split == 3, "a line for each lane");

struct add_bytes {
    LL_HOST_DEVICE_ unsigned char operator()(unsigned char x,
                                             unsigned char y) const {
        return (unsigned char)(x + y);
    }
};

__global__ void lines(unsigned *wrong) {
    LL_IN(THIRD);
    unsigned a[LL_REGS(LINES)], b[LL_REGS(ENDS)], bad = 0;
    unsigned char c[LL_REGS(LINES)], d[LL_REGS(ENDS)];
    LL_EACH(r, LINES) {
        a[r] = LL_AT(LINES, LL_I, r) * 1000u + LL_AT(LINES, LL_J, r);
        c[r] = (unsigned char)a[r];
    }
    LL_REDUCE(b, a, ACROSS, nullptr, add());
    LL_REDUCE(d, c, BYTES_ACROSS, nullptr, add_bytes());
    LL_EACH(r, ENDS) {
        const unsigned all = LL_AT(ENDS, LL_I, r) * 32000u + 31u * 16u;
        bad += b[r] != all;
        bad += d[r] != (unsigned char)all;
    }
    wrong[threadIdx.y * 32 + threadIdx.x] = bad;
}
#endif

typedef void (*kernel_of)(unsigned *, unsigned *, const unsigned *);

static void check(const char *what, kernel_of kernel, dim3 block,
                  unsigned tiles, unsigned *wrong, unsigned *dst,
                  const unsigned *src) {
    static unsigned got[3 * TILE];
    const unsigned n = block.x * block.y * block.z;
    unsigned bad = 0;
    MUST(cudaMemset(wrong, 0xff, n * sizeof *wrong));
    MUST(cudaMemset(dst, 0xff, sizeof got));
    kernel<<<1, block>>>(wrong, dst, src);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(got, dst, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < tiles * TILE; ++k) {
        bad += got[k] != k;
    }
    judge(what, 4, n, wrong, bad);
}

/* With an argument it leaves out the kernel whose barriers racecheck loses, as
 * it loses those of barriers.cu. */
int main(int n, char **) {
    static unsigned numbers[3 * TILE];
    unsigned *wrong, *dst, *src;
    MUST(cudaMalloc(&wrong, 1024 * sizeof *wrong));
    MUST(cudaMalloc(&dst, sizeof numbers));
    MUST(cudaMalloc(&src, sizeof numbers));
    for (unsigned k = 0; k < 3 * TILE; ++k) {
        numbers[k] = k;
    }
    MUST(cudaMemcpy(src, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    check("one dimension", in_block, dim3(128), 1, wrong, dst, src);
    check("two dimensions", in_block, dim3(32, 4), 1, wrong, dst, src);
    check("three dimensions", in_block, dim3(8, 8, 2), 1, wrong, dst, src);
#ifndef TARGET_GFX
    check("warps 8 to 11", in_last, dim3(384), 1, wrong, dst, src);
    check("warps 8 to 11, 2-D", in_last, dim3(16, 24), 1, wrong, dst, src);
    check("three teams", in_teams, dim3(384), 3, wrong, dst, src);
    check("three teams, 3-D", in_teams, dim3(4, 8, 12), 3, wrong, dst, src);
    check("one warp hands tiles", handed, dim3(32 + THREADS), ROUNDS, wrong,
          dst, src);
    check("two roles", roles<false>, dim3(32, 12), ROUNDS, wrong, dst, src);
    if (n == 1) {
        check("two roles, a barrier for each", roles<true>, dim3(32, 12),
              ROUNDS, wrong, dst, src);
    }
    MUST(cudaMemset(wrong, 0xff, 128 * sizeof *wrong));
    in_warp<<<1, dim3(32, 4)>>>(wrong);
    judge("one warp", 4, 128, wrong, 0);
    MUST(cudaMemset(wrong, 0xff, 128 * sizeof *wrong));
    lines<<<1, dim3(32, 4)>>>(wrong);
    judge("eight lines in a lane", 4, 128, wrong, 0);
#endif
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
