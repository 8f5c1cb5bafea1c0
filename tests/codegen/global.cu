// global.cu - tiles of global memory, beside what is written by hand.
// TARGETS 90
//
// A kernel NAME and its twin NAME_by_hand: NAME has at most 1.05 times its
// twin's instructions, and as many registers, which a GPU allots in eights. The
// thread's own element is computed once; each further row is a sum, each column
// an immediate.
#include "ll_ptx.h"

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;

// The same in both: registers from and to pieces of 16 bytes.
template <class T, unsigned N>
__device__ __forceinline__ void fill(T (&a)[N], const uint4 *p) {
#pragma unroll
    for (unsigned k = 0; k < N * sizeof(T) / 16; ++k) {
        const uint4 v = p[threadIdx.x + k * 128];
        memcpy((char *)a + 16 * k, &v, 16);
    }
}

template <class T, unsigned N>
__device__ __forceinline__ void drain(const T (&a)[N], uint4 *p) {
#pragma unroll
    for (unsigned k = 0; k < N * sizeof(T) / 16; ++k) {
        uint4 v;
        memcpy(&v, (const char *)a + 16 * k, 16);
        p[threadIdx.x + k * 128] = v;
    }
}

// Accesses under a predicate.
__device__ __forceinline__ void put(uint4 *p, const uint4 &v, bool on) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0;"
                 " @p st.global.v4.u32 [%0], {%1, %2, %3, %4}; }"
                 :: "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w),
                 "r"((unsigned)on) : "memory");
}
__device__ __forceinline__ void put(uint2 *p, const uint2 &v, bool on) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0;"
                 " @p st.global.v2.u32 [%0], {%1, %2}; }"
                 :: "l"(p), "r"(v.x), "r"(v.y), "r"((unsigned)on) : "memory");
}
__device__ __forceinline__ void put(u32 *p, u32 v, bool on) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0;"
                 " @p st.global.u32 [%0], %1; }"
                 :: "l"(p), "r"(v), "r"((unsigned)on) : "memory");
}
__device__ __forceinline__ void get(uint4 &v, const uint4 *p, bool on) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0;"
                 " @p ld.global.v4.u32 {%0, %1, %2, %3}, [%4]; }"
                 : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w)
                 : "l"(p), "r"((unsigned)on) : "memory");
}
__device__ __forceinline__ void get(uint2 &v, const uint2 *p, bool on) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0;"
                 " @p ld.global.v2.u32 {%0, %1}, [%2]; }"
                 : "+r"(v.x), "+r"(v.y)
                 : "l"(p), "r"((unsigned)on) : "memory");
}
__device__ __forceinline__ void get(u32 &v, const u32 *p, bool on) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0;"
                 " @p ld.global.u32 %0, [%1]; }"
                 : "+r"(v) : "l"(p), "r"((unsigned)on) : "memory");
}

#define PARAMETERS unsigned ld, unsigned rows, unsigned cols
#define STORE(NAME, T) extern "C" __global__ void NAME(                     \
    const uint4 *p, T *dst, PARAMETERS)
#define LOAD(NAME, T) extern "C" __global__ void NAME(                      \
    uint4 *p, const T *src, PARAMETERS)
#define UNROLLED _Pragma("unroll")

#define BY_MOVES(NAME, LAYOUT, T, ...)                                      \
    STORE(store_##NAME, T) {                                                \
        T a[LL_REGS(LAYOUT)];                                               \
        fill(a, p);                                                         \
        LL_STORE(a, LAYOUT, dst, __VA_ARGS__);                              \
    }                                                                       \
    LOAD(load_##NAME, T) {                                                  \
        T a[LL_REGS(LAYOUT)];                                               \
        LL_LOAD(a, LAYOUT, src, __VA_ARGS__);                               \
        drain(a, p);                                                        \
    }

// A tile whose thread t starts in row ROW, column COL and holds accesses of
// type V: access r, c is DOWN rows below and RIGHT columns beside the first,
// in registers from REG on.
#define EACH_ACCESS(LD, ROW, COL, ROWS, DOWN, COLS, RIGHT)                  \
    const unsigned t = threadIdx.x, row = ROW, col = COL;                   \
    auto *q = at + (size_t)row * LD + col;                                  \
    (void)ld, (void)rows, (void)cols;                                       \
    UNROLLED for (unsigned r = 0; r < ROWS; ++r)                            \
        UNROLLED for (unsigned c = 0; c < COLS; ++c)

#define BY_HAND(NAME, LD, T, V, N, REG, ROW, COL, ROWS, DOWN, COLS, RIGHT)  \
    STORE(store_##NAME##_by_hand, T) {                                      \
        T a[N], *at = dst;                                                  \
        fill(a, p);                                                         \
        EACH_ACCESS(LD, ROW, COL, ROWS, DOWN, COLS, RIGHT) {                \
            V v;                                                            \
            memcpy(&v, a + (REG), sizeof v);                                \
            *(V *)(q + (size_t)LD * (DOWN) + c * RIGHT) = v;                \
        }                                                                   \
    }                                                                       \
    LOAD(load_##NAME##_by_hand, T) {                                        \
        T a[N];                                                             \
        const T *at = src;                                                  \
        EACH_ACCESS(LD, ROW, COL, ROWS, DOWN, COLS, RIGHT) {                \
            const V v = *(const V *)(q + (size_t)LD * (DOWN) + c * RIGHT);  \
            memcpy(a + (REG), &v, sizeof v);                                \
        }                                                                   \
        drain(a, p);                                                        \
    }

#define MASKED_BY_HAND(NAME, LD, T, V, N, REG, ROW, COL, ROWS, DOWN, COLS,  \
                       RIGHT)                                               \
    STORE(store_##NAME##_by_hand, T) {                                      \
        T a[N], *at = dst;                                                  \
        fill(a, p);                                                         \
        EACH_ACCESS(LD, ROW, COL, ROWS, DOWN, COLS, RIGHT) {                \
            V v;                                                            \
            memcpy(&v, a + (REG), sizeof v);                                \
            put((V *)(q + (size_t)LD * (DOWN) + c * RIGHT), v,              \
                row + (DOWN) < rows && col + c * RIGHT < cols);             \
        }                                                                   \
    }                                                                       \
    LOAD(load_##NAME##_by_hand, T) {                                        \
        T a[N];                                                             \
        const T *at = src;                                                  \
        EACH_ACCESS(LD, ROW, COL, ROWS, DOWN, COLS, RIGHT) {                \
            V v{};                                                          \
            get(v, (const V *)(q + (size_t)LD * (DOWN) + c * RIGHT),        \
                row + (DOWN) < rows && col + c * RIGHT < cols);             \
            memcpy(a + (REG), &v, sizeof v);                                \
        }                                                                   \
        drain(a, p);                                                        \
    }

// A tile of 64x64 elements in 128 threads.
#define ONE(NAME, LAYOUT, T, ...)                                           \
    LL_LAYOUT(NAME##_LAYOUT, LAYOUT);                                       \
    BY_MOVES(NAME, NAME##_LAYOUT, T, ld)                                    \
    BY_HAND(NAME, ld, T, __VA_ARGS__)
#define ALL(NAME, LAYOUT, T, ...)                                           \
    ONE(NAME, LAYOUT, T, __VA_ARGS__)                                       \
    BY_MOVES(NAME##_const, NAME##_LAYOUT, T, 64)                            \
    BY_HAND(NAME##_const, 64, T, __VA_ARGS__)                               \
    BY_MOVES(NAME##_masked, NAME##_LAYOUT, T, ld, rows, cols)               \
    MASKED_BY_HAND(NAME##_masked, ld, T, __VA_ARGS__)

ALL(rows32, ll_rows(64, 64, 4), u32, uint4, 32, r * 4,
    t / 16, t % 16 * 4, 8, r * 8, 1, 0)
ALL(cols32, ll_trans(ll_rows(64, 64, 4), "j i"), u32, u32, 32, r + c * 4,
    t % 16 * 4, t / 16, 4, r, 8, 8)
ALL(mma32, ll_ptx_mma_c(64, 64, 4), u32, uint2, 32, r * 2 + c * 4,
    t / 32 * 16 + t % 32 / 4, t % 4 * 2, 2, r * 8, 8, 8)
ONE(turned32, ll_trans(ll_ptx_mma_c(64, 64, 4), "j i"), u32, u32, 32,
    r % 2 + r / 2 * 4 + c * 2, t % 4 * 2, t / 32 * 16 + t % 32 / 4,
    16, r % 2 + r / 2 * 8, 2, 8)
ONE(rows8, ll_rows(64, 64, 1), u8, uint4, 32, r * 16,
    t / 4, t % 4 * 16, 2, r * 32, 1, 0)
ONE(rows16, ll_rows(64, 64, 2), u16, uint4, 32, r * 8,
    t / 8, t % 8 * 8, 4, r * 16, 1, 0)
ONE(rows64, ll_rows(64, 64, 8), u64, ulonglong2, 32, r * 2,
    t / 32, t % 32 * 2, 16, r * 4, 1, 0)
ONE(cols64, ll_trans(ll_rows(64, 64, 8), "j i"), u64, u64, 32, r + c * 2,
    t % 32 * 2, t / 32, 2, r, 16, 4)

// Four rows of eight columns: one address for a row.
// CHECK-LABEL: .entry store_cols32(
// CHECK-COUNT-32: @p st.global.u32
// CHECK-NOT:      st.global
// CHECK:          ret;
