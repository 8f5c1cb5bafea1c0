/* tiles.cu - tiles of row-major memory, on the GPU or on the emulator, of the
 * target that target.h says: loaded and stored with each hint and width, and
 * copied to where a plan reads them, past the registers where that can be. All
 * against plain indexing on the host's random data.
 * SPDX-License-Identifier: MIT
 */
#include "target.h"
#include "elements.h"

enum { LD = 96, ROWS = 72, SIZE = LD * ROWS };

/* Loads rows x cols of a tile, checks it, stores it elsewhere. */
template <class T, class LAYOUT, unsigned HOW>
__global__ void move(T *dst, const T *src, unsigned rows, unsigned cols,
                     unsigned *wrong) {
    T a[LL_REGS(LAYOUT)], none;
    unsigned bad = 0;
    memset(&none, 0, sizeof none);
    LL_LOAD_BY(a, LAYOUT, HOW, src, LD, rows, cols);
    LL_EACH(r, LAYOUT) {
        const unsigned i = LL_AT(LAYOUT, LL_I, r), j = LL_AT(LAYOUT, LL_J, r);
        bad += differs(a[r], i < rows && j < cols ? src[i * LD + j] : none);
    }
    LL_STORE_BY(a, LAYOUT, HOW, dst, LD, rows, cols);
    wrong[threadIdx.x] = bad;
}

/* Copies rows x cols of a tile to shared memory, or all of it where these are
 * 0, loads it in another layout and checks it. What was there is overwritten,
 * with zeros where the tile ends. */
template <class T, class FROM, class TO, unsigned KIND>
__global__ void copied(const T *src, unsigned rows, unsigned cols,
                       unsigned *wrong) {
    LL_PLAN_BY(PLAN, FROM, TO, 8 * sizeof(T), COPYING, KIND);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    T b[LL_REGS(TO)], none;
    unsigned bad = 0;
    memset(&none, 0, sizeof none);
    for (unsigned k = threadIdx.x; k < sizeof smem; k += blockDim.x) {
        smem[k] = 0xcd;
    }
    __syncthreads();
    if (rows) {
        LL_COPY(PLAN, smem, src, LD, rows, cols);
    } else {
        LL_COPY(PLAN, smem, src, LD);
    }
    LL_COPY_COMMIT();
    LL_COPY_WAIT(0);
    __syncthreads();
    LL_LOAD_SHARED(b, PLAN, smem);
    LL_EACH(r, TO) {
        const unsigned i = LL_AT(TO, LL_I, r), j = LL_AT(TO, LL_J, r);
        const bool in = rows == 0 || (i < rows && j < cols);
        bad += differs(b[r], in ? src[i * LD + j] : none);
    }
    wrong[threadIdx.x] = bad;
}

/* The words of an operand, by two buffers: while one tile is read the next one
 * is under way. */
template <class FROM, class TO>
__global__ void pipeline(const unsigned short *src, unsigned tiles,
                         unsigned *wrong) {
    LL_PLAN_BY(FEED, FROM, TO, 16, COPYING, LL_COPIES);
    __shared__ __align__(16) unsigned char smem[2][LL_SMEM_BYTES(FEED)];
    unsigned b[LL_WORDS(TO, 16)], bad = 0;
    LL_COPY(FEED, smem[0], src, LD);
    LL_COPY_COMMIT();
    for (unsigned k = 0; k < tiles; ++k) {
        if (k + 1 < tiles) {
            LL_COPY(FEED, smem[(k + 1) % 2], src + 8 * (k + 1), LD);
        }
        LL_COPY_COMMIT();
        LL_COPY_WAIT(1);
        __syncthreads();
        LL_LOAD_SHARED(b, FEED, smem[k % 2]);
        __syncthreads();
        LL_EACH(r, TO) {
            const unsigned i = LL_AT(TO, LL_I, r), j = LL_AT(TO, LL_J, r);
            bad += (b[r / 2] >> r % 2 * 16 & 0xffffu) !=
                   src[i * LD + j + 8 * k];
        }
    }
    wrong[threadIdx.x] = bad;
}

/* Random elements on the device. */
template <class T> T *fresh(T *host, unsigned seed) {
    T *a;
    randomise(host, SIZE * sizeof(T), seed);
    MUST(cudaMalloc((void **)&a, SIZE * sizeof(T)));
    MUST(cudaMemcpy(a, host, SIZE * sizeof(T), cudaMemcpyHostToDevice));
    return a;
}

template <class T, class LAYOUT, unsigned HOW>
void check_move(const char *what, unsigned rows, unsigned cols,
                unsigned *wrong) {
    static T src[SIZE], dst[SIZE];
    T *a = fresh(src, rows * 100 + cols), *b;
    unsigned bad = 0;
    const unsigned threads = LL_THREADS(LAYOUT);
    MUST(cudaMalloc((void **)&b, sizeof dst));
    MUST(cudaMemset(b, 0xee, sizeof dst));
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    move<T, LAYOUT, HOW><<<1, threads>>>(b, a, rows, cols, wrong);
    MUST(cudaMemcpy(dst, b, sizeof dst, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < SIZE; ++k) {
        T other;
        memset(&other, 0xee, sizeof other);
        const bool in = k / LD < rows && k % LD < cols && k / LD < 64 &&
                        k % LD < 64;
        bad += memcmp(&dst[k], in ? &src[k] : &other, sizeof(T)) != 0;
    }
#if LL_EMULATE
    const bool has32 = LL_VECTOR_BY(LAYOUT, HOW, T) * sizeof(T) == 32;
    bad += (emu_stat("ld.global.b256") != 0) != (LL_PTX_WIDE && has32);
    bad += (emu_stat("st.global.b256") != 0) != (LL_PTX_WIDE && has32);
#endif
    judge(what, sizeof(T), threads, wrong, bad);
    MUST(cudaFree(a));
    MUST(cudaFree(b));
}

template <class T, class LAYOUT> void check_moves(unsigned *wrong) {
    check_move<T, LAYOUT, LL_STREAM>("streamed", 64, 64, wrong);
    check_move<T, LAYOUT, LL_STREAM>("streamed, ragged", 37, 32, wrong);
    check_move<T, LAYOUT, LL_WIDE>("wide", 70, 70, wrong);
    check_move<T, LAYOUT, LL_WIDE | LL_STREAM>("both", 41, 32, wrong);
}

template <class T, class FROM, class TO, unsigned KIND>
void check_copied(const char *what, unsigned rows, unsigned cols,
                  unsigned *wrong) {
    static T src[SIZE];
    T *a = fresh(src, rows * 100 + cols);
    const unsigned threads = LL_THREADS(FROM);
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    copied<T, FROM, TO, KIND><<<1, threads>>>(a, rows, cols, wrong);
    unsigned bad = 0;
#if LL_EMULATE
    LL_PLAN_BY(PLAN, FROM, TO, 8 * sizeof(T), COPYING, KIND);
    bad = KIND == LL_COPIES && rows == 0 &&
          ll_conflicts(LL_GET(PLAN)) == 0 &&
          emu_wavefronts("cp.async.shared") != emu_ideal("cp.async.shared");
#endif
    judge(what, sizeof(T), threads, wrong, bad);
    MUST(cudaFree(a));
}

template <class T, class FROM, class TO, unsigned KIND = LL_COPIES>
void check_copies(const char *what, unsigned *wrong) {
    check_copied<T, FROM, TO, KIND>(what, 0, 0, wrong);
    check_copied<T, FROM, TO, KIND>(what, 37, 48, wrong);
    check_copied<T, FROM, TO, KIND>(what, 1, 16, wrong);
    check_copied<T, FROM, TO, KIND>(what, 70, 70, wrong);
}

template <class FROM, class TO> void check_pipeline(unsigned *wrong) {
    static unsigned short src[SIZE];
    unsigned short *a = fresh(src, 5);
    const unsigned threads = LL_THREADS(FROM);
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    pipeline<FROM, TO><<<1, threads>>>(a, 3, wrong);
    judge("pipeline", 2, threads, wrong, 0);
    MUST(cudaFree(a));
}

/* 32 bytes of a row in each lane. */
LAYOUT(WIDE1, LL_ROWS(.rows = 64, .cols = 64, .bytes = 1, .access = 32));
LAYOUT(WIDE2, LL_ROWS(.rows = 64, .cols = 64, .bytes = 2, .access = 32));
LAYOUT(WIDE4, LL_ROWS(.rows = 64, .cols = 64, .access = 32));
LAYOUT(WIDE8, LL_ROWS(.rows = 64, .cols = 64, .bytes = 8, .access = 32));
LAYOUT(WIDE16, LL_ROWS(.rows = 64, .cols = 64, .bytes = 16, .access = 32));
LAYOUT(NARROW, LL_ROWS(.rows = 64, .cols = 64, .bytes = 2, .access = 2));
LAYOUT(SWIRL, ll_parse("register: j3 j0 j1 j2 i3 | lane: i4 i5 j4 j5 i0 | "
                       "warp: i1 i2 | 1: i3^j4"));

/* Rows that copies take, and what their readers want. */
LAYOUT(ROWS1, ll_rows(64, 64, 1));
LAYOUT(ROWS2, ll_rows(64, 64, 2));
LAYOUT(ROWS4, ll_rows(64, 64, 4));
LAYOUT(ROWS8, ll_rows(64, 64, 8));
LAYOUT(ROWS16, ll_rows(32, 64, 16));
LL_LAYOUT(COLS1, ll_trans(LL_GET(ROWS1), "j i"));
LL_LAYOUT(COLS2, ll_trans(LL_GET(ROWS2), "j i"));
LL_LAYOUT(COLS4, ll_trans(LL_GET(ROWS4), "j i"));
LL_LAYOUT(COLS8, ll_trans(LL_GET(ROWS8), "j i"));
LAYOUT(COLS16, ll_trans(ll_rows(64, 32, 16), "j i"));
LAYOUT(PAIRS2, LL_ROWS(.rows = 64, .cols = 64, .bytes = 2, .access = 4));
LAYOUT(FOURS2, LL_ROWS(.rows = 64, .cols = 64, .bytes = 2, .access = 8));
LAYOUT(A8, ll_ptx_mma_a(64, 64, 8, 4));
LAYOUT(A16, ll_ptx_mma_a(64, 64, 16, 4));
LAYOUT(B16, ll_ptx_mma_b(64, 64, 16, 4));
LAYOUT(A32, ll_ptx_mma_a(64, 64, 32, 4));
LAYOUT(TWISTED, ll_parse(
    "register: j0 j1 j2 j3 i3 | lane: j4^i5 j5 i0 i1 i2 | warp: i4^j4 i5 | "
    "1: i3^j4"));
LAYOUT(COPIED, ll_parse("register: j0 0 j1 j2 i0 j4 i2 | lane: j5 i5 i3 i4 "
                        "j3 | warp: 0 i1"));
LAYOUT(SPARE, ll_parse("register: j0 j1 j2 i0 i1 i2 j4 | lane: j5 0 i3 i4 "
                       "j3 | warp: i5 0"));

int main(void) {
    unsigned *wrong;
    MUST(cudaMalloc((void **)&wrong, 1024 * sizeof *wrong));
    check_moves<unsigned char, WIDE1>(wrong);
    check_moves<unsigned short, WIDE2>(wrong);
    check_moves<unsigned, WIDE4>(wrong);
    check_moves<unsigned long long, WIDE8>(wrong);
    check_moves<wide, WIDE16>(wrong);
    check_moves<unsigned char, NARROW>(wrong);
    check_moves<unsigned short, NARROW>(wrong);
    check_moves<unsigned short, SWIRL>(wrong);
    check_copies<unsigned char, ROWS1, COLS1>("to columns", wrong);
    check_copies<unsigned short, ROWS2, COLS2>("to columns", wrong);
    check_copies<unsigned, ROWS4, COLS4>("to columns", wrong);
    check_copies<unsigned long long, ROWS8, COLS8>("to columns", wrong);
    check_copies<wide, ROWS16, COLS16>("to columns", wrong);
    check_copies<unsigned, ROWS2, COLS2>("pieces of a row", wrong);
    check_copies<unsigned short, PAIRS2, A16>("4 bytes", wrong);
    check_copies<unsigned short, FOURS2, B16>("8 bytes", wrong);
    check_copies<unsigned short, ROWS2, ROWS2>("the same layout", wrong);
    check_copies<unsigned char, ROWS1, A8>("operand", wrong);
    check_copies<unsigned short, ROWS2, A16>("operand", wrong);
    check_copies<unsigned short, ROWS2, B16>("operand", wrong);
    check_copies<unsigned, ROWS4, A32>("operand", wrong);
    check_copies<unsigned short, TWISTED, A16>("twisted, affine", wrong);
    check_copies<unsigned short, COPIED, A16>("copies in registers", wrong);
    check_copies<unsigned short, SPARE, B16>("copies in lanes", wrong);
    check_copies<wide, ROWS16, COLS16, LL_ANY>("a plan as it is", wrong);
    check_pipeline<ROWS2, A16>(wrong);
    check_pipeline<ROWS2, B16>(wrong);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
