/* moves.cu - the moves against their meaning, on the GPU or on
 * the emulator, of the target that target.h says: every register is filled with
 * the number of the element that it should hold, by LL_AT or from memory; after
 * the move every register is asked.
 * SPDX-License-Identifier: MIT
 */
#include "target.h"
#include "elements.h"

/* The number of the element in register r of this thread: row, column. */
#define NUMBER(LAYOUT, r)                                                   \
    (LL_AT(LAYOUT, LL_I, r) * 1024u + LL_AT(LAYOUT, LL_J, r))

template <class T, class FROM, class TO>
__global__ void convert(unsigned *wrong) {
    LL_PLAN(PLAN, FROM, TO, 8 * sizeof(T), TARGET);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    T a[LL_REGS(FROM)], b[LL_REGS(TO)];
    unsigned bad = 0;
    LL_EACH(r, FROM) { a[r] = element<T>(NUMBER(FROM, r)); }
    LL_CONVERT(b, a, PLAN, smem);
    LL_EACH(r, TO) { bad += differs(b[r], element<T>(NUMBER(TO, r))); }
    wrong[threadIdx.x] = bad;
}

/* The same by one kind of plan, with elements of 1 or 2 bytes packed in words:
 * the array is filled and read as bytes. */
template <class T, class FROM, class TO, unsigned KIND>
__global__ void convert_words(unsigned *wrong) {
    LL_PLAN_BY(PLAN, FROM, TO, 8 * sizeof(T), TARGET, KIND);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    unsigned a[LL_WORDS(FROM, 8 * sizeof(T))], b[LL_WORDS(TO, 8 * sizeof(T))];
    T x;
    unsigned bad = 0;
    LL_EACH(r, FROM) {
        x = element<T>(NUMBER(FROM, r));
        memcpy((char *)a + r * sizeof(T), &x, sizeof(T));
    }
    LL_CONVERT(b, a, PLAN, smem);
    LL_EACH(r, TO) {
        memcpy(&x, (char *)b + r * sizeof(T), sizeof(T));
        bad += differs(x, element<T>(NUMBER(TO, r)));
    }
    wrong[threadIdx.x] = bad;
}

#if LL_EMULATE && !defined(TARGET_GFX) /* matrices of bytes of sm_100f */
template <class FROM, class TO> __global__ void convert_bytes(unsigned *wrong) {
    LL_PLAN(PLAN, FROM, TO, 8, LL_SM100F);
    static_assert(LL_GET(PLAN).step[1].form == LL_FORM_BYTES ||
                      LL_GET(PLAN).step[3].form == LL_FORM_BYTES,
                  "by matrices of bytes");
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    unsigned char a[LL_REGS(FROM)], b[LL_REGS(TO)];
    unsigned bad = 0;
    LL_EACH(r, FROM) { a[r] = element<unsigned char>(NUMBER(FROM, r)); }
    LL_CONVERT(b, a, PLAN, smem);
    LL_EACH(r, TO) {
        bad += differs(b[r], element<unsigned char>(NUMBER(TO, r)));
    }
    wrong[threadIdx.x] = bad;
}

template <class FROM, class TO>
void check_bytes(const char *what, unsigned *wrong) {
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    convert_bytes<FROM, TO><<<1, LL_THREADS(FROM)>>>(wrong);
    judge(what, 1, LL_THREADS(FROM), wrong, 0);
}
#endif

/* The same in a part of the memory: 2^PASSES passes through it. */
template <class T, class FROM, class TO, unsigned PASSES>
__global__ void convert_within(unsigned *wrong) {
    constexpr unsigned bytes = LL_REGS(FROM) * LL_THREADS(FROM) * sizeof(T);
    LL_PLAN_WITHIN(PLAN, FROM, TO, 8 * sizeof(T), TARGET, bytes >> PASSES);
    static_assert(LL_GET(PLAN).passes == PASSES, "as many passes as asked for");
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    T a[LL_REGS(FROM)], b[LL_REGS(TO)];
    unsigned bad = 0;
    LL_EACH(r, FROM) { a[r] = element<T>(NUMBER(FROM, r)); }
    LL_CONVERT(b, a, PLAN, smem);
    LL_EACH(r, TO) { bad += differs(b[r], element<T>(NUMBER(TO, r))); }
    wrong[threadIdx.x] = bad;
}

/* Stored by one plan and loaded by another of the same memory. */
template <class T, class FROM, class TO>
__global__ void convert_through(unsigned *wrong) {
    LL_LAYOUT(MEMORY, ll_for_operand(LL_GET(TO), 8 * sizeof(T), TARGET));
    LL_PLAN_THROUGH(PUT, FROM, FROM, 8 * sizeof(T), TARGET, LL_GET(MEMORY));
    LL_PLAN_THROUGH(TAKE, TO, TO, 8 * sizeof(T), TARGET, LL_GET(MEMORY));
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PUT)];
    T a[LL_REGS(FROM)], b[LL_REGS(TO)];
    unsigned bad = 0;
    LL_EACH(r, FROM) { a[r] = element<T>(NUMBER(FROM, r)); }
    LL_STORE_SHARED(a, PUT, smem);
    __syncthreads();
    LL_LOAD_SHARED(b, TAKE, smem);
    LL_EACH(r, TO) { bad += differs(b[r], element<T>(NUMBER(TO, r))); }
    wrong[threadIdx.x] = bad;
}

/* Loads a tile of rows x cols of a matrix, checks it, stores it elsewhere. */
template <class T, class LAYOUT>
__global__ void copy(T *dst, const T *src, unsigned ld, unsigned rows,
                     unsigned cols, unsigned *wrong) {
    T a[LL_REGS(LAYOUT)];
    unsigned bad = 0;
    T none;
    memset(&none, 0, sizeof none);
    LL_LOAD(a, LAYOUT, src, ld, rows, cols);
    LL_EACH(r, LAYOUT) {
        const unsigned i = LL_AT(LAYOUT, LL_I, r), j = LL_AT(LAYOUT, LL_J, r);
        bad += differs(a[r], i < rows && j < cols ? src[i * ld + j] : none);
    }
    LL_STORE(a, LAYOUT, dst, ld, rows, cols);
    wrong[threadIdx.x] = bad;
}

template <class T, class FROM, class TO>
void check_convert(const char *what, unsigned *wrong) {
    const unsigned threads = LL_THREADS(FROM);
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    convert<T, FROM, TO><<<1, threads>>>(wrong);
    judge(what, sizeof(T), threads, wrong, 0);
}

template <class FROM, class TO>
void check_converts(const char *what, unsigned *wrong) {
    check_convert<unsigned char, FROM, TO>(what, wrong);
    check_convert<unsigned short, FROM, TO>(what, wrong);
    check_convert<unsigned, FROM, TO>(what, wrong);
    check_convert<unsigned long long, FROM, TO>(what, wrong);
    check_convert<wide, FROM, TO>(what, wrong);
}

template <class T, class FROM, class TO, unsigned KIND>
void check_word(const char *what, unsigned *wrong) {
    const unsigned threads = LL_THREADS(FROM);
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    convert_words<T, FROM, TO, KIND><<<1, threads>>>(wrong);
    judge(what, sizeof(T), threads, wrong, 0);
}

template <class T, class FROM, class TO, unsigned PASSES>
void check_within(const char *what, unsigned *wrong) {
    const unsigned threads = LL_THREADS(FROM);
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    convert_within<T, FROM, TO, PASSES><<<1, threads>>>(wrong);
    judge(what, sizeof(T), threads, wrong, 0);
}

template <class T, class FROM, class TO>
void check_through(const char *what, unsigned *wrong) {
    const unsigned threads = LL_THREADS(FROM);
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    convert_through<T, FROM, TO><<<1, threads>>>(wrong);
    judge(what, sizeof(T), threads, wrong, 0);
}

template <class FROM, class TO, unsigned KIND>
void check_words(const char *what, unsigned *wrong) {
    check_word<unsigned char, FROM, TO, KIND>(what, wrong);
    check_word<unsigned short, FROM, TO, KIND>(what, wrong);
    check_word<unsigned, FROM, TO, KIND>(what, wrong);
    check_word<unsigned long long, FROM, TO, KIND>(what, wrong);
}

template <class T, class LAYOUT>
void check_copy(const char *what, unsigned rows, unsigned cols,
                unsigned *wrong) {
    enum { LD = 64, ROWS = 64, SIZE = LD * ROWS };
    static T src[SIZE], dst[SIZE];
    T *a, *b;
    unsigned bad = 0;
    const unsigned threads = LL_THREADS(LAYOUT);
    randomise(src, sizeof src, rows * 100 + cols);
    MUST(cudaMalloc((void **)&a, sizeof src));
    MUST(cudaMalloc((void **)&b, sizeof src));
    MUST(cudaMemcpy(a, src, sizeof src, cudaMemcpyHostToDevice));
    MUST(cudaMemset(b, 0xee, sizeof dst));
    copy<T, LAYOUT><<<1, threads>>>(b, a, LD, rows, cols, wrong);
    MUST(cudaMemcpy(dst, b, sizeof dst, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < SIZE; ++k) {
        T other;
        memset(&other, 0xee, sizeof other);
        const bool in = k / LD < rows && k % LD < cols;
        bad += memcmp(&dst[k], in ? &src[k] : &other, sizeof(T)) != 0;
    }
    judge(what, sizeof(T), threads, wrong, bad);
    MUST(cudaFree(a));
    MUST(cudaFree(b));
}

/* Layouts of a 32 x 32 tensor, or smaller ones with copies. */
LAYOUT(ROWS, ll_parse("register: j0 j1 i2 | lane: j2 j3 j4 i0 i1 | "
                      "warp: i3 i4"));
LAYOUT(COLS, ll_parse("register: i0 i1 j2 | lane: i2 i3 i4 j0 j1 | "
                      "warp: j3 j4"));
LAYOUT(RENAMED, ll_parse("register: i2 j1 j0 | lane: j2 j3 j4 i0 i1 | "
                         "warp: i3 i4"));
LAYOUT(LANES, ll_parse("register: j0 i1 j4 | lane: i0 j2 j3 j1 i2 | "
                       "warp: i3 i4"));
LAYOUT(TWISTED, ll_parse("register: j0^i0 j1 i2 | lane: j2 j3^i4 j4 i0 i1 "
                         "| warp: i3^j1 i4"));
LAYOUT(FLIPPED, ll_parse("register: j0 j1 i2 | lane: j2 j3 j4 i0 i1 | "
                         "warp: i3 i4 | 1: i4^j0^i2"));
LAYOUT(COPIED, ll_parse("register: j0 0 j1 i2 i0 | lane: j2 0 j4 i1 j3 | "
                        "warp: i3 i4"));
LAYOUT(SHARED, ll_parse("register: i0 i1 i3 i4 j0 | lane: j1 j2 i2 j4 j3 | "
                        "warp: 0 0"));
LAYOUT(NARROW, ll_parse("register: i4 | lane: j0 j1 j2 j3 j4 | "
                        "warp: i0 i1 i2 i3"));
LAYOUT(ROW_EACH, ll_parse("register: j0 j1 j2 | lane: i0 i1 i2 i3 i4 | "
                          "warp: 0 0"));
LAYOUT(DEALT, ll_parse("register: j2 | lane: j0 j1 i0 i1 i2 | "
                       "warp: i3 i4"));

/* Within a warp: lanes in other orders, some bits in registers; with copies;
 * lanes that choose among their own registers; and per warp differently. */
LAYOUT(HELD, ll_parse("register: j0 j1 j2 j3 | lane: j4 j5 i0 i1 i2 | "
                      "warp: i3 i4"));
LAYOUT(ONE_BIT, ll_parse("register: j0 j1 j2 j4 | lane: j3 j5 i0 i1 i2 | "
                         "warp: i3 i4"));
LAYOUT(CYCLE, ll_parse("register: j0 j1 j2 i0 | lane: j3 j4 j5 i1 i2 | "
                       "warp: i3 i4"));
LAYOUT(LOW_BITS, ll_parse("register: i0 j5 i1 j2 | lane: j0 j3 j4 j1 i2 | "
                          "warp: i3 i4"));
LAYOUT(OWN, ll_parse("register: j0^j4 j1 j2 j3 | lane: j4^j1 j5 i0 i1 i2 | "
                     "warp: i3 i4"));
LAYOUT(PER_WARP, ll_parse("register: j0 j1 i0 j3 | lane: j4 j5 j2 i1 i2 | "
                          "warp: i3^j4 i4^j0"));
LAYOUT(TURNED, ll_parse("register: j0 j1 i1 j3 | lane: j4 j5 i0 j2 i2 | "
                        "warp: i3 i4 | 1: j4^j2^i1"));
LAYOUT(ACC, ll_ptx_mma_c(64, 64, 4));
LAYOUT(OPERAND8, ll_ptx_mma_a(64, 64, 8, 4));
LAYOUT(OPERAND16, ll_ptx_mma_a(64, 64, 16, 4));

/* Tiles of a 64 x 64 matrix. */
LAYOUT(TILE1, ll_rows(64, 64, 1));
LAYOUT(TILE4, ll_rows(64, 64, 4));
LAYOUT(ACROSS, ll_trans(ll_rows(64, 64, 2), "j i"));
LAYOUT(SCALAR, ll_blocked(ll_shape_of("j=64 i=64"), ll_shape_of("i=4"),
                          ll_shape_of("j=32"), ll_shape_of("i=4")));
LL_LAYOUT(BYTE_ROWS, ll_rows(128, 128, 1));
LL_LAYOUT(BYTE_COLS, ll_trans(ll_rows(128, 128, 1), "j i"));
LL_LAYOUT(BYTE_HALVES,
          LL_ROWS(.rows = 16, .cols = 16, .bytes = 1, .access = 8, .warps = 1));
LL_LAYOUT(BYTE_OPERAND, ll_ptx_mma_b(16, 16, 8, 1));
LAYOUT(SWIRL, ll_parse("register: i5 j0 j1 i4 i3 | lane: j2 j3 j4 j5 i0 | "
                       "warp: i1 i2 | 1: i3^j4"));

int main(void) {
    unsigned *wrong;
    MUST(cudaMalloc((void **)&wrong, 1024 * sizeof *wrong));
    check_converts<ROWS, ROWS>("nothing", wrong);
    check_converts<ROWS, RENAMED>("renamed", wrong);
    check_converts<ROWS, COLS>("rows to columns", wrong);
    check_converts<COLS, ROWS>("columns to rows", wrong);
    check_converts<ROWS, LANES>("between lanes", wrong);
    check_converts<ROWS, TWISTED>("to a twisted layout", wrong);
    check_converts<TWISTED, COLS>("from a twisted layout", wrong);
    check_converts<ROWS, FLIPPED>("flipped", wrong);
    check_converts<FLIPPED, COLS>("from flipped", wrong);
    check_converts<ROWS, COPIED>("to copies", wrong);
    check_converts<COPIED, COLS>("from copies", wrong);
    check_converts<SHARED, COPIED>("from copies in warps", wrong);
    check_converts<COLS, SHARED>("to copies in warps", wrong);
    check_converts<ROW_EACH, DEALT>("many from one lane", wrong);
    check_converts<NARROW, NARROW>("sixteen warps, nothing", wrong);
    check_words<HELD, ONE_BIT, LL_SHUFFLES>("one bit exchanged", wrong);
    check_words<HELD, CYCLE, LL_SHUFFLES>("lanes in another order", wrong);
    check_words<HELD, CYCLE, LL_SHARED>("the same by memory", wrong);
    check_words<CYCLE, LOW_BITS, LL_SHUFFLES>("low bits exchanged", wrong);
    check_words<LOW_BITS, HELD, LL_ANY>("and back", wrong);
    check_words<HELD, OWN, LL_SHUFFLES>("to sums of bits", wrong);
    check_words<HELD, PER_WARP, LL_SHUFFLES>("differing by warp", wrong);
    check_words<HELD, TURNED, LL_SHUFFLES>("with an offset", wrong);
    check_words<ACC, OPERAND8, LL_SHUFFLES>("accumulator to operand", wrong);
    check_words<ACC, OPERAND16, LL_ANY>("accumulator to operand", wrong);
    check_words<TILE1, TILE4, LL_ANY>("rows to rows", wrong);
    check_words<TILE4, ACROSS, LL_SHARED>("matrices transposed", wrong);
    check_words<ACROSS, TILE4, LL_SHARED>("and back", wrong);
#if LL_EMULATE && !defined(TARGET_GFX)
    check_bytes<BYTE_ROWS, BYTE_COLS>("bytes transposed", wrong);
    check_bytes<BYTE_HALVES, BYTE_OPERAND>("bytes to an operand", wrong);
#endif
    check_within<unsigned char, ACC, TILE4, 1>("two passes", wrong);
    check_within<unsigned short, TILE4, ACC, 1>("two passes", wrong);
    check_within<unsigned, TILE4, ACC, 2>("four passes", wrong);
    check_within<unsigned long long, ACC, TILE4, 1>("two passes", wrong);
    check_through<unsigned short, TILE4, OPERAND16>("an operand's", wrong);
    check_through<unsigned char, TILE1, OPERAND8>("an operand's", wrong);
    check_copy<unsigned char, TILE1>("bytes", 64, 64, wrong);
    check_copy<unsigned char, TILE1>("bytes, ragged", 37, 48, wrong);
    check_copy<unsigned, TILE4>("words", 64, 64, wrong);
    check_copy<unsigned, TILE4>("words, ragged", 5, 20, wrong);
    check_copy<unsigned short, SCALAR>("one by one, ragged", 63, 33, wrong);
    check_copy<unsigned long long, SCALAR>("one by one", 1, 1, wrong);
    check_copy<wide, SCALAR>("16 bytes, ragged", 31, 63, wrong);
    check_copy<unsigned short, SWIRL>("affine", 64, 64, wrong);
    check_copy<unsigned short, SWIRL>("affine, ragged", 41, 36, wrong);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
