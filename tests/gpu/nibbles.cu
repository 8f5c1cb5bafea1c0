/* nibbles.cu - elements of 4 bits, two to a byte, on the GPU or on the
 * emulator, of the target that target.h says: conversions by pairs and with
 * elements moved apart, tiles and copies, against plain indexing.
 * SPDX-License-Identifier: MIT
 */
#include "target.h"
#include "elements.h"

enum { N = 64, LD = 48 }; /* rows and columns of a tile; pairs in a row */

/* The element of row i and column j. */
__host__ __device__ inline unsigned at(unsigned i, unsigned j) {
    return (i * 64u + j + 1u) * 2654435761u >> 13 & 15u;
}

/* Element r of a lane's registers, or of memory, is a half of byte r / 2. */
__device__ inline unsigned half(const void *a, unsigned r) {
    return ((const unsigned char *)a)[r / 2] >> r % 2 * 4 & 15u;
}

/* Fills an array of registers of a layout. Bytes and halves that hold no
 * element are anything. */
template <class LAYOUT, class T, unsigned M> __device__ void fill(T (&a)[M]) {
    unsigned char *bytes = (unsigned char *)a;
    for (unsigned k = 0; k < sizeof a; ++k) {
        bytes[k] = 0xff;
    }
    LL_EACH(r, LAYOUT) {
        const unsigned x =
            at(LL_AT(LAYOUT, LL_I, r), LL_AT(LAYOUT, LL_J, r));
        bytes[r / 2] = (unsigned char)(r % 2 ? (bytes[r / 2] & 15u) | x << 4
                                             : (bytes[r / 2] & 0xf0u) | x);
    }
}

template <class LAYOUT> __device__ unsigned count(const void *b) {
    unsigned bad = 0;
    LL_EACH(r, LAYOUT) {
        bad += half(b, r) !=
               at(LL_AT(LAYOUT, LL_I, r), LL_AT(LAYOUT, LL_J, r));
    }
    return bad;
}

/* By an array of words, then by one of bytes. */
template <class FROM, class TO, unsigned KIND>
__global__ void convert(unsigned *wrong) {
    LL_PLAN_BY(PLAN, FROM, TO, 4, TARGET, KIND);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    unsigned a[LL_WORDS(FROM, 4)], b[LL_WORDS(TO, 4)];
    fill<FROM>(a);
    LL_CONVERT(b, a, PLAN, smem);
    unsigned bad = count<TO>(b);
    __syncthreads();
    ll_b4x2 c[(LL_REGS(FROM) + 1) / 2], d[(LL_REGS(TO) + 1) / 2];
    fill<FROM>(c);
    LL_CONVERT(d, c, PLAN, smem);
    wrong[threadIdx.x] = bad + count<TO>(d);
}

template <class FROM, class TO, unsigned KIND = LL_ANY>
void check(const char *what, unsigned *wrong) {
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    convert<FROM, TO, KIND><<<1, LL_THREADS(FROM)>>>(wrong);
    judge(what, 1, LL_THREADS(FROM), wrong, 0);
}

/* From memory to registers, to the layout of an operand, and back. */
template <class FROM, class TO>
__global__ void tiles(ll_b4x2 *dst, const ll_b4x2 *src, unsigned *wrong) {
    LL_LAYOUT(MEMORY, ll_for_operand(LL_GET(TO), 4, TARGET));
    LL_PLAN_THROUGH(PUT, FROM, FROM, 4, TARGET, LL_GET(MEMORY));
    LL_PLAN_THROUGH(TAKE, TO, TO, 4, TARGET, LL_GET(MEMORY));
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PUT)];
    ll_b4x2 a[LL_REGS(FROM) / 2];
    unsigned b[LL_WORDS(TO, 4)];
    LL_LOAD(a, FROM, src, LD);
    unsigned bad = count<FROM>(a);
    LL_STORE_SHARED(a, PUT, smem);
    __syncthreads();
    LL_LOAD_SHARED(b, TAKE, smem);
    LL_STORE(b, TO, dst, LD);
    wrong[threadIdx.x] = bad + count<TO>(b);
}

template <class FROM, class TO>
__global__ void copies(const ll_b4x2 *src, unsigned *wrong) {
    LL_PLAN_BY(PLAN, FROM, TO, 4, COPYING, LL_COPIES);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    unsigned b[LL_WORDS(TO, 4)];
    LL_COPY(PLAN, smem, src, LD);
    LL_COPY_COMMIT();
    LL_COPY_WAIT(0);
    __syncthreads();
    LL_LOAD_SHARED(b, PLAN, smem);
    wrong[threadIdx.x] = count<TO>(b);
}

template <class FROM, class TO>
void check_tiles(const char *what, unsigned *wrong) {
    static ll_b4x2 host[N * LD], back[N * LD];
    ll_b4x2 *src, *dst;
    unsigned bad = 0;
    for (unsigned k = 0; k < N * LD; ++k) {
        const unsigned i = k / LD, j = k % LD * 2;
        host[k].pair = (unsigned char)(at(i, j) | at(i, j + 1) << 4);
    }
    MUST(cudaMalloc((void **)&src, sizeof host));
    MUST(cudaMalloc((void **)&dst, sizeof host));
    MUST(cudaMemcpy(src, host, sizeof host, cudaMemcpyHostToDevice));
    MUST(cudaMemset(dst, 0xee, sizeof host));
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    tiles<FROM, TO><<<1, LL_THREADS(FROM)>>>(dst, src, wrong);
    MUST(cudaMemcpy(back, dst, sizeof host, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < N * LD; ++k) {
        bad += back[k].pair != (k % LD * 2 < N ? host[k].pair : 0xee);
    }
    judge(what, 1, LL_THREADS(FROM), wrong, bad);
#if !defined(TARGET_GFX)
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    copies<FROM, TO><<<1, LL_THREADS(FROM)>>>(src, wrong);
    judge("copies", 1, LL_THREADS(FROM), wrong, 0);
#endif
    MUST(cudaFree(src));
    MUST(cudaFree(dst));
}

/* A tile of 64 x 64, or smaller ones. */
LAYOUT(ROWS, ll_bitcast(ll_rows(64, 32, 1), 8, 4));
LL_LAYOUT(COLS, ll_trans(LL_GET(ROWS), "j i"));
LAYOUT(A, ll_ptx_mma_a(64, 64, 4, 4));
LAYOUT(B, ll_ptx_mma_b(64, 64, 4, 4));
LAYOUT(TURNED, ll_parse("register: i0 j0 j1 j2 i1 | lane: j3 j4 j5 i2 i3 | "
                        "warp: i4 i5"));
LAYOUT(LATE, ll_parse("register: j1 j2 j3 j0 i0 | lane: j4 j5 i1 i2 i3 | "
                      "warp: i4 i5"));
LAYOUT(SWIRL, ll_parse("register: j0 j1 j2 j3 j4 | lane: j5^j0 i0 i1 i2 i3 | "
                       "warp: i4 i5 | 1: j0^i3"));
LAYOUT(FEW, ll_parse("register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3 i4"));
LAYOUT(FEW_J, ll_parse("register: j1 j0 | lane: i0 j2 j3 i1 i2 | "
                       "warp: i3 i4"));
LAYOUT(ONE, ll_parse("register: | lane: j0 j1 j2 j3 i0 | warp: i1 i2 -> 8x16"));
LAYOUT(TWO, ll_parse("register: i0 | lane: j1 j0 j2 j3 i1 | warp: i2 0"));
LAYOUT(FOUR, ll_parse("register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: 0 0"));
LAYOUT(TWICE, ll_parse("register: 0 j0 j1 | lane: j2 j3 i0 i1 i2 | "
                       "warp: 0 j0"));

int main(void) {
    unsigned *wrong;
    MUST(cudaMalloc((void **)&wrong, 1024 * sizeof *wrong));
    check<ROWS, ROWS>("nothing", wrong);
    check<ROWS, A>("operand A", wrong);
    check<ROWS, B>("operand B", wrong);
    check<ROWS, COLS>("transposed", wrong);
    check<COLS, A>("transposed to operand A", wrong);
    check<ROWS, LATE>("exchanged between words", wrong);
    check<LATE, TURNED>("exchanged on both sides", wrong);
    check<TURNED, ROWS, LL_SHARED>("exchanged within words", wrong);
    check<TURNED, SWIRL>("a swizzle of nibbles", wrong);
    check<SWIRL, COLS>("a swizzle of nibbles", wrong);
    check<FEW, FEW_J>("two bytes a lane", wrong);
    check<FEW_J, FEW>("two bytes a lane, back", wrong);
    check<ONE, FOUR>("one element a lane", wrong);
    check<FOUR, ONE>("to one element a lane", wrong);
    check<TWO, ONE>("one byte to one element", wrong);
    check<ONE, TWO>("to one byte a lane", wrong);
    check<FOUR, TWO>("two bytes to one", wrong);
    check<TWICE, FOUR>("copies", wrong);
    check<FOUR, TWICE>("copies", wrong);
    check_tiles<ROWS, A>("tiles of operand A", wrong);
    check_tiles<LATE, TURNED>("tiles of exchanged pairs", wrong);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
