/* gather.cu - LL_GATHER against its meaning, on the GPU or on the emulator, of
 * the target that target.h says: every register of the source is filled with
 * the number of the element that it holds, every index at random; after the
 * gather every register is asked.
 * SPDX-License-Identifier: MIT
 */
#include "target.h"
#include "elements.h"

typedef unsigned char byte;
typedef unsigned short half;
typedef unsigned word;
typedef unsigned long long pair;
/* Some index for register r, often beyond the axis. */
__device__ unsigned some(unsigned r) {
    const unsigned x = (threadIdx.x * 257u + r + 1u) * 2654435761u;
    return x ^ x >> 15;
}

#define NUMBER(i, j) ((i) * 1024u + (j))

/* The element that register r of the result should be. */
template <class T, class SRC, class INDEX, unsigned AXIS>
__device__ T expected(unsigned r, unsigned index) {
    const unsigned i = LL_AT(INDEX, LL_I, r), j = LL_AT(INDEX, LL_J, r);
    return element<T>(
        AXIS ? NUMBER(i, index % ll_size(LL_GET(SRC).out, LL_J))
             : NUMBER(index % ll_size(LL_GET(SRC).out, LL_I), j));
}

template <class T, class SRC, class INDEX, unsigned AXIS, unsigned KIND>
struct plan {
    LL_CONSTANT_ ll_gather_plan get() {
        return ll_gather_by(LL_GET(SRC), LL_GET(INDEX), AXIS, 8 * sizeof(T),
                            TARGET, KIND);
    }
};

template <class T, class SRC, class INDEX, unsigned AXIS, unsigned KIND>
__global__ void gather(unsigned *wrong) {
    typedef plan<T, SRC, INDEX, AXIS, KIND> PLAN;
    extern __shared__ __align__(16) unsigned char smem[];
    T src[LL_REGS(SRC)], out[LL_REGS(INDEX)];
    unsigned idx[LL_REGS(INDEX)];
    unsigned bad = 0;
    LL_EACH(r, SRC) {
        src[r] = element<T>(NUMBER(LL_AT(SRC, LL_I, r), LL_AT(SRC, LL_J, r)));
    }
    LL_EACH(r, INDEX) { idx[r] = some(r); }
    LL_GATHER(out, src, idx, PLAN, smem);
    LL_EACH(r, INDEX) {
        bad += differs(out[r], expected<T, SRC, INDEX, AXIS>(r, idx[r]));
    }
    wrong[threadIdx.x] = bad;
}

/* The same with elements packed in words, and indices of 8 bits. */
template <class T, class SRC, class INDEX, unsigned AXIS, unsigned KIND>
__global__ void gather_words(unsigned *wrong) {
    typedef plan<T, SRC, INDEX, AXIS, KIND> PLAN;
    extern __shared__ __align__(16) unsigned char smem[];
    constexpr unsigned n = LL_REGS(SRC), m = LL_REGS(INDEX);
    constexpr unsigned bits = 8 * sizeof(T), each = 32 / bits;
    unsigned src[LL_WORDS(SRC, bits)], out[LL_WORDS(INDEX, bits)];
    unsigned idx[LL_WORDS(INDEX, 8)] = {0};
    unsigned bad = 0;
    memset(src, 0, sizeof src);
    LL_UNROLL for (unsigned r = 0; r < n; ++r) {
        T x = element<T>(NUMBER(LL_AT(SRC, LL_I, r), LL_AT(SRC, LL_J, r)));
        unsigned word = 0;
        memcpy(&word, &x, sizeof x);
        src[r / each] |= word << (r % each * bits);
    }
    LL_UNROLL for (unsigned r = 0; r < m; ++r) {
        idx[r / 4] |= (some(r) & 255u) << (r % 4 * 8);
    }
    LL_GATHER(out, src, idx, PLAN, smem);
    LL_UNROLL for (unsigned r = 0; r < m; ++r) {
        const unsigned word = out[r / each] >> (r % each * bits);
        T x;
        memcpy(&x, &word, sizeof x);
        bad += differs(
            x, expected<T, SRC, INDEX, AXIS>(r, idx[r / 4] >> (r % 4 * 8)));
    }
    wrong[threadIdx.x] = bad;
}

static unsigned of_kind[LL_ANY];

template <bool ON> struct when {};

template <class T, class SRC, class INDEX, unsigned AXIS, unsigned KIND>
void check(const char *, unsigned *, when<false>) {}

template <class T, class SRC, class INDEX, unsigned AXIS, unsigned KIND>
void check_words(const char *, unsigned *, when<false>) {}

template <class T, class SRC, class INDEX, unsigned AXIS, unsigned KIND>
void check_words(const char *what, unsigned *wrong, when<true>) {
    typedef plan<T, SRC, INDEX, AXIS, KIND> PLAN;
    const unsigned smem = LL_SMEM_BYTES(PLAN);
    auto kernel = gather_words<T, SRC, INDEX, AXIS, KIND>;
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    kernel<<<1, LL_THREADS(SRC), smem>>>(wrong);
    judge(what, sizeof(T), LL_THREADS(SRC), wrong, 0);
}

template <class T, class SRC, class INDEX, unsigned AXIS, unsigned KIND>
void check(const char *what, unsigned *wrong, when<true>) {
    typedef plan<T, SRC, INDEX, AXIS, KIND> PLAN;
    const unsigned smem = LL_SMEM_BYTES(PLAN);
    auto kernel = gather<T, SRC, INDEX, AXIS, KIND>;
    MUST(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem));
    MUST(cudaMemset(wrong, 0xff, 1024 * sizeof *wrong));
    kernel<<<1, LL_THREADS(SRC), smem>>>(wrong);
    judge(what, sizeof(T), LL_THREADS(SRC), wrong, 0);
    ++of_kind[LL_GET(PLAN).kind];
    check_words<T, SRC, INDEX, AXIS, KIND>(
        what, wrong,
        when<(sizeof(T) < 4 && LL_REGS(SRC) >= 4 && LL_REGS(INDEX) >= 4)>());
}

template <class T, class SRC, class INDEX, unsigned AXIS>
void check_kinds(const char *what, unsigned *wrong) {
    check<T, SRC, INDEX, AXIS, LL_REGISTERS>(
        what, wrong,
        when<plan<T, SRC, INDEX, AXIS, LL_REGISTERS>::get().err == LL_OK>());
    check<T, SRC, INDEX, AXIS, LL_SHUFFLES>(
        what, wrong,
        when<plan<T, SRC, INDEX, AXIS, LL_SHUFFLES>::get().err == LL_OK>());
    check<T, SRC, INDEX, AXIS, LL_SHARED>(what, wrong, when<true>());
}

/* The cases that are measured: four registers of a row, lanes along the rest of
 * it; fewer rows than there. */
LAYOUT(N4, ll_parse("register: j0 j1 i7 | lane: i0 i1 i2 i3 i4 | "
                    "warp: i5 i6"));
LAYOUT(N8, ll_parse("register: j0 j1 i6 i7 | lane: j2 i0 i1 i2 i3 | "
                    "warp: i4 i5"));
LAYOUT(N16, ll_parse("register: j0 j1 i5 i6 | lane: j2 j3 i0 i1 i2 | "
                     "warp: i3 i4"));
LAYOUT(N64, ll_parse("register: j0 j1 i3 i4 | lane: j2 j3 j4 j5 i0 | "
                     "warp: i1 i2"));

/* Others: the axis in odd places, of 64 lanes in both halves, copies, swizzled
 * warps, flips, more lanes than elements along the axis; an index of another
 * layout and another length. */
LAYOUT(TWISTED, ll_parse("register: j0^i0 j1 i2 | lane: j2 j3^i4 j4 i0 i1 "
                         "| warp: i3^j1 i4"));
LAYOUT(FLIPPED, ll_parse("register: i2 j1 j0 | lane: j2 j3 j4 i0 i1 | "
                         "warp: i3 i4 | 1: i4^j0^i2^j3"));
LAYOUT(HALVES, ll_parse("register: i0 i1 | lane: j0 i2 j2 j3 j4 | "
                        "warp: j1 i3"));
LAYOUT(COPIED, ll_parse("register: j0 0 j1 i2 i0 | lane: j2 0 j4 i1 j3 | "
                        "warp: i3 i4"));
LAYOUT(SHARED, ll_parse("register: i0 i1 i3 i4 j0 | lane: j1 j2 i2 j4 j3 | "
                        "warp: 0 0"));
LAYOUT(SHORT, ll_parse("register: j0 i0 i1 | lane: j1 i2 0 j2 i3 | "
                       "warp: i4 0"));

int main(void) {
    unsigned *wrong;
    MUST(cudaMalloc((void **)&wrong, 1024 * sizeof *wrong));
    check_kinds<byte, N4, N4, 1>("512x4", wrong);
    check_kinds<half, N4, N4, 1>("512x4", wrong);
    check_kinds<word, N4, N4, 1>("512x4", wrong);
    check_kinds<pair, N4, N4, 1>("512x4", wrong);
    check_kinds<wide, N4, N4, 1>("512x4", wrong);
    check_kinds<byte, N8, N8, 1>("512x8", wrong);
    check_kinds<half, N8, N8, 1>("512x8", wrong);
    check_kinds<word, N8, N8, 1>("512x8", wrong);
    check_kinds<pair, N8, N8, 1>("512x8", wrong);
    check_kinds<byte, N16, N16, 1>("512x16", wrong);
    check_kinds<word, N16, N16, 1>("512x16", wrong);
    check_kinds<byte, N64, N64, 1>("512x64", wrong);
    check_kinds<half, N64, N64, 1>("512x64", wrong);
    check_kinds<word, N64, N64, 1>("512x64", wrong);
    check_kinds<byte, N8, N8, 0>("512x8, axis 0", wrong);
    check_kinds<word, N8, N8, 0>("512x8, axis 0", wrong);
    check_kinds<wide, N8, N8, 0>("512x8, axis 0", wrong);
    check_kinds<half, TWISTED, TWISTED, 1>("twisted", wrong);
    check_kinds<word, TWISTED, TWISTED, 1>("twisted", wrong);
    check_kinds<word, FLIPPED, FLIPPED, 0>("flipped, axis 0", wrong);
    check_kinds<byte, FLIPPED, FLIPPED, 1>("flipped", wrong);
    check_kinds<pair, FLIPPED, FLIPPED, 1>("flipped", wrong);
    check_kinds<word, HALVES, HALVES, 1>("halves of 64 lanes", wrong);
    check_kinds<byte, COPIED, COPIED, 1>("copies", wrong);
    check_kinds<word, SHARED, SHARED, 0>("copies in warps, axis 0", wrong);
    check_kinds<byte, FLIPPED, SHORT, 1>("of another layout", wrong);
    check_kinds<word, FLIPPED, SHORT, 1>("of another layout", wrong);
    for (unsigned kind = LL_REGISTERS; kind <= LL_SHARED; ++kind) {
        if (of_kind[kind] < 4) {
            printf("FAIL too few of kind %u\n", kind);
            ++failed;
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
