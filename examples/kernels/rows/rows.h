/* rows.h - what the kernels of long rows share: a row, or a part of it, in the
 * registers of each lane, as words of one float or two numbers of 16 bits.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ROWS_H
#define LL_ROWS_H

#define LL_TENSOR /* copies by the copy engine, and mbarriers */
#include "ll_ptx.h"
#include "../rows_check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

typedef __nv_bfloat16 bf16;
typedef __half f16;

/* A row on the lanes of `warps` warps in each of `blocks` blocks of a cluster,
 * `each` elements to a lane, `wide` of them side by side; and `tall` rows in
 * each block. What a warp has lies side by side. */
LL_FN ll_layout row_of(unsigned wide, unsigned each, unsigned warps,
                       unsigned blocks, unsigned tall) {
    ll_layout a = ll_mul(ll_identity(wide, LL_REGISTER, LL_J),
                         ll_identity(32, LL_LANE, LL_J));
    a = ll_mul(a, ll_identity(each / wide, LL_REGISTER, LL_J));
    a = ll_mul(a, ll_identity(warps, LL_WARP, LL_J));
    a = ll_mul(a, ll_identity(tall, LL_WARP, LL_I));
    return blocks > 1u ? ll_mul(a, ll_identity(blocks, LL_BLOCK, LL_J)) : a;
}

/* The power of two from x on. */
LL_FN unsigned power_from(unsigned x) {
    return x & (x - 1) ? power_from(x + (x & -x)) : x;
}

/* How many blocks of so many warps, with `bytes` of numbers in the registers of
 * each lane, a multiprocessor must hold at least: those that copy ahead need
 * several, of which some work while others wait. */
LL_FN unsigned resident(unsigned bytes, unsigned warps, unsigned ahead) {
    const unsigned each = warps * (bytes + 160);
    return !ahead || each > 3400 ? 1 : each > 2816 ? 2 : 5632 / each;
}

/* The bytes of shared memory of `ahead` rows and their barriers. */
LL_FN unsigned ring(unsigned bytes, unsigned warps, unsigned ahead) {
    return (ahead * warps * (32 * bytes + 8) + 15) / 16 * 16;
}

/* Element r of registers in words of 32 bits, as a float. */
template <class T>
__device__ float number(const unsigned *a, unsigned r) {
    if constexpr (sizeof(T) == 4) {
        return __uint_as_float(a[r]);
    } else if constexpr (std::is_same<T, bf16>::value) {
        return __uint_as_float(r % 2 ? a[r / 2] & 0xffff0000u : a[r / 2] << 16);
    } else {
        return __half2float(
            __ushort_as_half((unsigned short)(a[r / 2] >> r % 2 * 16)));
    }
}

/* Makes the words of numbers f(0), f(1), .. of type T. */
template <class T, unsigned N, class F>
__device__ void put_numbers(unsigned (&a)[N], F f) {
    LL_UNROLL
    for (unsigned w = 0; w < N; ++w) {
        if constexpr (sizeof(T) == 4) {
            a[w] = __float_as_uint(f(w));
        } else if constexpr (std::is_same<T, bf16>::value) {
            const __nv_bfloat162 x =
                __floats2bfloat162_rn(f(2 * w), f(2 * w + 1));
            memcpy(a + w, &x, 4);
        } else {
            const __half2 x = __floats2half2_rn(f(2 * w), f(2 * w + 1));
            memcpy(a + w, &x, 4);
        }
    }
}

/* What a counter was before one is added; without one, the same plus the number
 * of blocks. The instruction writes the register itself, as a copy would wait
 * for it; nor are increments of several lanes combined. */
__device__ inline void add_one(unsigned *was, unsigned *count) {
#if LL_EMULATE
    *was = count ? atomicAdd(count, 1u) : *was + gridDim.x;
#else
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u64 p, %1, 0;\n\t"
                 "@p atom.global.inc.u32 %0, [%1], 0x7fffffff;\n\t"
                 "@!p add.u32 %0, %0, %2;\n\t}"
                 : "+r"(*was)
                 : "l"(count), "r"(gridDim.x)
                 : "memory");
#endif
}

/* The copy engine's rows start so many bytes behind a multiple of 128 in shared
 * memory. Softmax of 65536 numbers of 16 bits, stored from there, reaches 0.985
 * of a copy, for 0.979 from 64 on, 0.973 from 96 on, 0.966 from 0 on, and 0.85
 * to 0.90 from other multiples of 16. */
enum : unsigned { OFF_LINE = 32 };

/* The rows of a block, n elements each. WHOLE rows are as long as the layout
 * PART of a block times its blocks, so that vectors are in line and nothing is
 * masked. Other rows start anywhere: the registers then start at the 16 bytes
 * that hold the first element, up to 15 bytes earlier, and all accesses but the
 * first and the last of a row keep their 16 bytes; its blocks have parts of the
 * same length. A lane whose registers are full masks nothing. Memory ends at a
 * multiple of 16 bytes.
 *
 * AHEAD: the clusters of a small grid go from row to row. While they work on
 * one, the copy engine brings the next AHEAD rows, each to a buffer of its own.
 * A warp asks for its part alone and waits for nothing else, so that
 * reductions, in which blocks wait for each other, keep no copy waiting.
 *
 * Multiprocessors do not share the memory's bandwidth evenly, so that some
 * would be late with their share of the rows. Therefore a cluster draws rows
 * from a counter, one for each that it asks for (team_of::all hands them to its
 * blocks). Without a counter, of N clusters each takes every Nth row. SORTED:
 * up to 1024 rows that start at the same place of 16 bytes follow each other,
 * which costs as pages of memory are visited out of order. ALIKE: all rows of a
 * cluster start at the same place, as clusters number `wide` k + c have rows
 * number `wide` r + c, from a counter of their own; without AHEAD, too, they go
 * from row to row.
 *
 * SOME: of the numbers that PART gives a lane only the first SOME are used, so
 * that rows that are no power of two leave few lanes empty. All warps then have
 * shares of the same length, and registers start at a line of 128 bytes.
 *
 * BACK: a row is written over where it was in shared memory, from where the
 * copy engine stores it. Its place is asked for again a row later, when the
 * copy engine has long read it. */
template <class T, class PART, unsigned BLOCKS, bool WHOLE, unsigned AHEAD,
          bool ALIKE = false, unsigned SOME = 0, bool BACK = false>
struct rows_of {
    enum : unsigned {
        wide = 16 / sizeof(T),
        line = SOME ? 128 / sizeof(T) : +wide, /* what registers start at */
        each = SOME ? SOME : LL_WORDS(PART, 8 * sizeof(T)) * 4 / sizeof(T),
        words = each * sizeof(T) / 4,
        part = ll_size(LL_GET(PART).out, LL_J),
        tall = ll_size(LL_GET(PART).out, LL_I),
        share = 32 * each, /* elements of a warp */
        room = share * sizeof(T),
        warps = LL_THREADS(PART) / 32,
        ahead = AHEAD,
        bytes = ring(each * sizeof(T), warps, AHEAD),
        drawn_alike = ALIKE && !WHOLE
    };
    static_assert(AHEAD == 0 || tall == 1, "rows are loaded ahead one by one");
    static_assert(!BACK || (WHOLE && AHEAD > 1), "whole rows, one on its way");
    unsigned rows, n, at; /* where the block's part of a row starts */
    unsigned slot = 0, parity = 0;
    unsigned row; /* of the lane */
    int early = 0; /* elements before the row in the registers */
    int first, left; /* the lane's first column; from there to the part's end */
    long long from; /* of that column, in the matrix */
    unsigned coming[AHEAD + 1], drawn, *count;
    unsigned stored = 0, stored_slot = AHEAD; /* what to ask for, and where */
    unsigned alike = 0; /* log2 of how many rows in turn start alike */

    __device__ rows_of(unsigned rows_, unsigned n_, unsigned *count_ = nullptr,
                       bool sorted = false)
        : rows(rows_), n(n_), count(count_) {
        const unsigned clusters = gridDim.x / BLOCKS;
        while (sorted && alike < 10 && rows >> alike >= 2 * wide) {
            ++alike;
        }
        at = BLOCKS > 1 ? blockIdx.x % BLOCKS * length() : 0;
        for (unsigned k = 0; k <= AHEAD; ++k) {
            coming[k] = row_of_number(blockIdx.x / BLOCKS + k * clusters);
        }
        drawn = blockIdx.x / BLOCKS + (AHEAD - 1) * clusters;
        count = count && drawn_alike ? count + blockIdx.x / BLOCKS % wide
                                     : count;
        go(coming[0]);
    }
    /* Goes to the next row of the block, if there is one. */
    __device__ bool next() {
        if constexpr (AHEAD != 0) {
            LL_UNROLL
            for (unsigned k = 0; k < AHEAD; ++k) {
                coming[k] = coming[k + 1];
            }
            coming[AHEAD] += gridDim.x / BLOCKS; /* unless one is drawn */
            go(coming[0]);
            slot = slot + 1 < AHEAD ? slot + 1 : 0;
            parity ^= slot == 0;
            return coming[0] < rows;
        } else if constexpr (ALIKE && !WHOLE) {
            coming[0] += gridDim.x / BLOCKS;
            go(coming[0]);
            return coming[0] < rows;
        }
        return false;
    }
    /* The row drawn by the last call, and draws another one: in the first
     * thread of a cluster. */
    __device__ unsigned draw() {
        const unsigned last = drawn, clusters = gridDim.x / BLOCKS;
        drawn = !count        ? drawn + clusters
                : drawn_alike ? AHEAD * clusters + atomicAdd(count, 1u) * wide +
                                    blockIdx.x / BLOCKS % wide
                              : AHEAD * clusters + atomicAdd(count, 1u);
        return row_of_number(last);
    }
    /* At the end: the last cluster clears the counter. */
    __device__ void finish() {
        if (BACK && threadIdx.x % 32 == 0) {
            ll_ptx_cp_async_bulk_wait_group<0>();
        }
        if (AHEAD && count && threadIdx.x == 0 && blockIdx.x % BLOCKS == 0) {
            __threadfence();
            unsigned *const all =
                count - (drawn_alike ? blockIdx.x / BLOCKS % wide : 0);
            if (atomicAdd(all + wide, 1u) == gridDim.x / BLOCKS - 1) {
                memset(all, 0, (wide + 1) * sizeof *all);
            }
        }
    }
    /* The column of register r, which may be none of the block's. */
    __device__ int column(unsigned r) const { return first + (int)step(r); }
    __device__ bool has(unsigned r) const {
        return WHOLE || (column(r) >= 0 && (int)step(r) < left);
    }
    /* The column after the block's last one. */
    __device__ int stop() const {
        const int end = (int)(at + length()) - early;
        return end < (int)n ? end : (int)n;
    }
    /* In a block that has rows of several parts: goes to the next one. */
    __device__ void skip() { first += part, left -= part, from += part; }
    /* Before the first row: starts to copy it and those after it. */
    __device__ void start(unsigned char *slots, const T *src) {
        if constexpr (AHEAD != 0) {
            for (unsigned k = 0; k < AHEAD && threadIdx.x % 32 == 0; ++k) {
                ll_ptx_mbarrier_init(bar(slots, k), 1);
            }
            ll_ptx_fence_mbarrier_init();
            __syncwarp();
            if (threadIdx.x == 0 && blockIdx.x % BLOCKS == 0) {
                draw();
            }
            rows_of that = *this;
            for (unsigned k = 0; k < AHEAD; ++k) {
                that.go(coming[k]);
                that.ask(slots, src, k);
            }
        }
    }
    /* When all lanes have the row in registers and its reduction has brought a
     * number: starts to copy that row to the same place. */
    __device__ void fetch(unsigned char *slots, const T *src) const {
        if constexpr (AHEAD != 0 && !BACK) {
            rows_of that = *this;
            that.go(coming[AHEAD]);
            __syncwarp();
            that.ask(slots, src, slot);
        }
    }
    /* What is none of the row becomes `none`. */
    __device__ void load(unsigned (&a)[words], const unsigned char *slots,
                         const T *src, T none) const {
        if constexpr (WHOLE && !AHEAD) {
            LL_LOAD(a, PART, src + (size_t)(row - down()) * n + at, n);
        } else {
            wait(slots);
            LL_UNROLL
            for (unsigned r = 0; r < each; r += wide) {
                bring(a + r * sizeof(T) / 4, r, slots, src);
            }
            fill(a, none);
        }
    }
    /* Replaces what is none of the row by `none`. */
    __device__ void fill(unsigned (&a)[words], T none) const {
        LL_UNROLL
        for (unsigned r = 0; r < each; r += wide) {
            fill(a + r * sizeof(T) / 4, r, none);
        }
    }
    /* The same in parts, of the 16 bytes from register r on. A row that is
     * copied ahead can be brought again until another one is fetched; what is
     * none of it is anything. */
    __device__ void wait(const unsigned char *slots) const {
        if (AHEAD != 0) {
            ll_ptx_mbarrier_wait(bar(slots, slot), parity);
        }
    }
    __device__ void bring(unsigned *a, unsigned r, const unsigned char *slots,
                          const T *src) const {
        const T *const lane = AHEAD ? (const T *)place_of(slots, slot) +
                                          threadIdx.x % 32 * wide
                                    : src + from;
        uint4 v = {0, 0, 0, 0};
        if (WHOLE || full() || (int)step(r) < left) {
            v = *(const uint4 *)(lane + step(r));
        }
        memcpy(a, &v, 16);
    }
    __device__ void fill(unsigned *a, unsigned r, T none) const {
        if (!WHOLE && !full() && !full(r)) {
            T x[wide];
            memcpy(x, a, 16);
            LL_UNROLL
            for (unsigned k = 0; k < wide; ++k) {
                x[k] = has(r + k) ? x[k] : none;
            }
            memcpy(a, x, 16);
        }
    }
    /* Element `column` of the row, in the first lane of the warp that has it,
     * before it fetches another row. Null in others, and outside the row. */
    __device__ const T *held(const unsigned char *slots, const T *src,
                             int column_) const {
        const int in = column_ - first;
        return column_ < 0 || threadIdx.x % 32 || in < 0 || in >= (int)share ||
                       in >= left
                   ? nullptr
               : AHEAD ? (const T *)place_of(slots, slot) + in
                       : src + from + in;
    }
    /* The first element of a row; 0 if there is no such row. */
    __device__ float first_of(const T *src, unsigned row_) const {
        return row_ < rows ? (float)src[(size_t)row_ * n] : 0;
    }
    /* The next row, or the last one. */
    __device__ unsigned following() const {
        return coming[AHEAD != 0] < rows ? coming[AHEAD != 0] : rows - 1;
    }
    /* Words with a byte for each element of the row; 0 where there is none. */
    __device__ void load_bytes(unsigned (&b)[each / 4],
                               const unsigned char *src) const {
        typedef std::conditional_t<wide == 8, uint2, unsigned> some;
        LL_UNROLL
        for (unsigned r = 0; r < each; r += wide) {
            if constexpr (WHOLE) {
                const some v = row < rows
                                   ? *(const some *)(src + from + step(r))
                                   : some();
                memcpy(b + r / 4, &v, wide);
            } else {
                unsigned char v[wide];
                LL_UNROLL
                for (unsigned k = 0; k < wide; ++k) {
                    v[k] = has(r + k) ? src[from + step(r + k)] : 0;
                }
                memcpy(b + r / 4, v, wide);
            }
        }
    }
    /* What all rows share, an element for each column; anything where there is
     * none. The 16 bytes of a row's columns lie in two of those in memory. */
    __device__ void load_weights(unsigned (&a)[words], const T *src) const {
        if constexpr (WHOLE) {
            LL_LOAD(a, PART, src + at, 0);
        } else {
            LL_UNROLL
            for (unsigned r = 0; r < each; r += wide) {
                weights_at(a + r * sizeof(T) / 4, r, src);
            }
        }
    }
    /* The same from copies of it, one for each place of 16 bytes where a row
     * may start, each as long as a cluster's registers: a row's are in line. */
    __device__ void load_copies(unsigned (&a)[words], const T *src) const {
        src += (size_t)early * (BLOCKS * warps * share) + (first + early);
        LL_UNROLL
        for (unsigned r = 0; r < each; r += wide) {
            const uint4 v = *(const uint4 *)(src + step(r));
            memcpy(a + r * sizeof(T) / 4, &v, 16);
        }
    }
    /* The same to shared memory, 16 bytes of each lane in turn, where it finds
     * them by take_back. */
    __device__ void put_weights(unsigned char *to, const T *src) const {
#pragma unroll 1
        for (unsigned r = 0; r < each; r += wide) {
            unsigned w[4];
            weights_at(w, r, src);
            memcpy(to + r / wide * 16 * blockDim.x, w, 16);
        }
    }
    __device__ void store(T *dst, const unsigned (&a)[words]) const {
        if constexpr (WHOLE && !SOME) {
            LL_STORE(a, PART, dst + (size_t)(row - down()) * n + at, n);
        } else {
            LL_UNROLL
            for (unsigned r = 0; r < each; r += wide) {
                const unsigned *w = a + r * sizeof(T) / 4;
                ll_ptx_st_global_b128(
                    (unsigned long long)(dst + from + step(r)),
                    {w[0], w[1], w[2], w[3]}, full() || full(r));
            }
            full() ? (void)0 : store_ends(dst, a);
        }
    }
    /* The same of the 16 bytes from register r on. */
    __device__ void store(T *dst, unsigned r, const unsigned *a) const {
        ll_ptx_st_global_b128((unsigned long long)(dst + from + step(r)),
                              {a[0], a[1], a[2], a[3]},
                              WHOLE || full() || full(r));
        WHOLE || full() ? (void)0 : store_end(dst, r, a);
    }

    /* The same, with BACK from where it was, which is asked for again later;
     * lane 0 may replace an element there. */
    __device__ void store(T *dst, const unsigned (&a)[words],
                          unsigned char *slots, const T *src,
                          T *where = nullptr, T value = (T)0.0f) {
        if constexpr (BACK) {
            unsigned char *const place = place_of(slots, slot);
            LL_UNROLL
            for (unsigned w = 0; w < words; w += 4) {
                memcpy(place + (w * 32 + threadIdx.x % 32 * 4) * 4, a + w, 16);
            }
            ll_ptx_fence_proxy_async();
            __syncwarp();
            if (threadIdx.x % 32 == 0) {
                if (where) {
                    *where = value;
                    ll_ptx_fence_proxy_async();
                }
                ll_ptx_cp_async_bulk_store(
                    (unsigned long long)(dst + from),
                    (unsigned)__cvta_generic_to_shared(place), room);
                ll_ptx_cp_async_bulk_commit_group();
                ll_ptx_cp_async_bulk_wait_group_read<1>();
                if (stored_slot < AHEAD) {
                    rows_of that = *this;
                    that.go(stored);
                    that.ask(slots, src, stored_slot);
                }
            }
            stored = coming[AHEAD], stored_slot = slot;
        } else {
            store(dst, a);
        }
    }

    /* What 16 bytes from register r on have in common with other rows. */
    __device__ void weights_at(unsigned *a, unsigned r, const T *src) const {
        const int j = column(r) + early;
        uint4 v[2] = {};
        if (early && j > 0 && j < (int)(n + wide)) {
            v[0] = *(const uint4 *)(src + j - wide);
        }
        if (j < (int)n) {
            v[1] = *(const uint4 *)(src + j);
        }
        back(a, v);
    }

private:
    __device__ unsigned down() const {
        return tall > 1 ? LL_AT(PART, LL_I, 0) : 0;
    }
    /* The columns of a block, of a row that starts in line. */
    __device__ unsigned length() const {
        return WHOLE ? +part
                     : ((n + line - 2) / BLOCKS + line) / line * line;
    }
    /* How far register r is from register 0: lanes have 16 bytes in turn. */
    __device__ static constexpr unsigned step(unsigned r) {
        return r % wide + r / wide * wide * 32;
    }
    /* Are 16 bytes from register r on all of the row, or all registers? */
    __device__ bool full(unsigned r) const {
        return (r || first >= 0) && (int)(step(r) + wide) <= left;
    }
    __device__ bool full() const {
        return first >= 0 && (int)step(each - 1) < left;
    }
    /* What is left of vectors that are not all of the row. */
    __device__ void store_ends(T *dst, const unsigned (&a)[words]) const {
        LL_UNROLL
        for (unsigned r = 0; r < each; r += wide) {
            store_end(dst, r, a + r * sizeof(T) / 4);
        }
    }
    __device__ void store_end(T *dst, unsigned r, const unsigned *a) const {
        T x[wide];
        memcpy(x, a, 16);
        LL_UNROLL
        for (unsigned k = 0; k < wide && !full(r); ++k) {
            if (has(r + k)) {
                dst[from + step(r + k)] = x[k];
            }
        }
    }
    /* Of 32 bytes the last 16, or those `early` elements before them. */
    __device__ void back(unsigned *a, const uint4 (&v)[2]) const {
        const unsigned by = (unsigned)early * sizeof(T);
        unsigned w[8];
        memcpy(w, v, sizeof w);
        LL_UNROLL
        for (unsigned k = 0; k < 6; ++k) {
            w[k] = by & 8 ? w[k] : w[k + 2];
        }
        LL_UNROLL
        for (unsigned k = 0; k < 5; ++k) {
            w[k] = by & 4 ? w[k] : w[k + 1];
        }
        LL_UNROLL
        for (unsigned k = 0; k < 4; ++k) {
            a[k] = sizeof(T) == 4 ? w[k + 1]
                                  : __funnelshift_l(w[k], w[k + 1], by % 4 * 8);
        }
    }
    /* Where the warp keeps its part of a row, and is told of it. */
    template <class P> __device__ static P *place_of(P *slots, unsigned k) {
        return slots + (k * warps + threadIdx.x / 32) * room;
    }
    __device__ static unsigned bar(const unsigned char *slots, unsigned k) {
        return (unsigned)__cvta_generic_to_shared(slots) +
               AHEAD * warps * room + 8 * (k * warps + threadIdx.x / 32);
    }
    /* Asks for the warp's part of this row, up to the row's last 16 bytes. */
    __device__ void ask(unsigned char *slots, const T *src, unsigned k) const {
        if (threadIdx.x % 32 == 0) {
            const int most = left < (int)share ? left : (int)share;
            const unsigned size =
                left <= 0 ? 0
                : WHOLE   ? +room
                          : ((unsigned)most + wide - 1) / wide * 16;
            ll_ptx_mbarrier_arrive_expect_tx(bar(slots, k), size);
            if (size) {
                ll_ptx_cp_async_bulk_load(
                    (unsigned)__cvta_generic_to_shared(place_of(slots, k)),
                    (unsigned long long)(src + from), size, bar(slots, k));
            }
        }
    }
    /* Row number `number` of those that are drawn. */
    __device__ unsigned row_of_number(unsigned number) const {
        const unsigned in = number % (wide << alike);
        return number - in + (wide << alike) <= rows
                   ? number - in + in % (1u << alike) * wide + (in >> alike)
                   : number;
    }
    __device__ void go(unsigned number) {
        row = number * tall + down();
        if (!WHOLE && row < rows) {
            early = (int)(row * (n % line) % line);
        }
        first = (int)(at + LL_AT(PART, LL_J, 0)) - early;
        left = row < rows ? stop() - first : 0;
        if (SOME) {
            const unsigned in = threadIdx.x % 32 * wide, each_warp =
                (length() + warps * line - 1) / (warps * line) * line;
            const int end = stop() - (int)at + early;
            const int of_warp = (int)(threadIdx.x / 32 * each_warp);
            const int more = end - of_warp < (int)each_warp ? end - of_warp
                                                            : (int)each_warp;
            first = (int)(at + in) + of_warp - early;
            left = row < rows ? more - (int)in : 0;
        }
        from = (long long)((size_t)row * n) + first;
    }
};

/* Four numbers that the L2 cache keeps rather than what is used once. */
__device__ inline void load_kept(float *a, const float *src) {
    float4 v;
#if LL_EMULATE
    v = *(const float4 *)src;
#else
    unsigned long long keep;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(src), "l"(keep)
                 : "memory");
#endif
    memcpy(a, &v, 16);
}

/* Brings words of a lane from shared memory, 16 bytes in turn. */
template <unsigned N>
__device__ void take_back(unsigned (&a)[N], const unsigned char *from) {
    LL_UNROLL
    for (unsigned w = 0; w < N; w += 4) {
        const uint4 v = *(const uint4 *)(from + w * 4 * blockDim.x);
        memcpy(a + w, &v, 16);
    }
}

/* Makes the compiler take numbers out of their words again, where it would keep
 * all of them in other registers from one pass over a row to the next. */
template <unsigned N> __device__ void keep_packed(unsigned (&a)[N]) {
    LL_UNROLL
    for (unsigned w = 0; w < N; ++w) {
        asm("" : "+r"(a[w]));
    }
}

/* The largest of all numbers, two at a time where they have 16 bits. */
template <class T, unsigned N> __device__ float largest(unsigned (&a)[N]) {
    if constexpr (sizeof(T) == 2) {
        typedef decltype(__halves2bfloat162(bf16(), bf16())) bf16x2;
        typedef std::conditional_t<std::is_same<T, bf16>::value, bf16x2,
                                   __half2> pair;
        unsigned most[1] = {a[0]};
        LL_UNROLL
        for (unsigned w = 1; w < N; ++w) {
            pair x, y;
            memcpy(&x, most, 4);
            memcpy(&y, a + w, 4);
            x = __hmax2(x, y);
            memcpy(most, &x, 4);
        }
        return fmaxf(fmaxf(number<T>(most, 0), number<T>(most, 1)), -2.3e38f);
    } else {
        float most = -2.3e38f;
        LL_UNROLL
        for (unsigned w = 0; w < N; ++w) {
            most = fmaxf(most, number<T>(a, w));
        }
        return most;
    }
}

/* 2 to the power of x, by one instruction. */
__device__ inline float power(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* The logarithm of x to base 2, by one instruction. */
__device__ inline float logarithm(float x) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* st.async to the memory of another block of the cluster, which tells its
 * mbarrier: no fence, which would wait for all that was stored before. */
template <class V>
__device__ void push(unsigned to, const V &x, unsigned bar) {
    ll_words w = {};
    memcpy(w.w, &x, sizeof(V));
    if constexpr (sizeof(V) == 4) {
        ll_ptx_st_async_b32(to, w, bar);
    } else if constexpr (sizeof(V) == 8) {
        ll_ptx_st_async_b64(to, w, bar);
    } else {
        ll_ptx_st_async_b128(to, w, bar);
    }
}

/* How the threads of a row combine one value of type V each. First a block does
 * it, then its result goes to each block of the cluster. Rows take memory in
 * turn: a block sends its result of the next row when all its threads have done
 * with this one, and nobody sends one of the row after that before. */
template <class V, unsigned WARPS, unsigned BLOCKS, unsigned TALL,
          unsigned TURNS = 2>
struct team_of {
    LL_LAYOUT(LANES, row_of(1, 1, WARPS, 1, TALL));
    LL_LAYOUT(FAR, ll_mul(ll_mul(ll_identity(BLOCKS, LL_LANE, LL_J),
                                 ll_zeros(32 / BLOCKS, LL_LANE, LL_J, 1)),
                          ll_zeros(WARPS * TALL, LL_WARP, LL_J, 1)));
    LL_REDUCE_PLAN(HERE, LANES, LL_J, 8 * sizeof(V), LL_SM90);
    LL_REDUCE_PLAN(THERE, FAR, LL_J, 8 * sizeof(V), LL_SM90);
    enum : unsigned {
        bytes = (LL_SMEM_BYTES(HERE) + 15) / 16 * 16,
        sent = BLOCKS * sizeof(V) + 4
    };
    alignas(16) unsigned char memory[2][bytes];
    alignas(16) V of_block[TURNS][BLOCKS];
    unsigned long long full[TURNS];
    unsigned number[TURNS];

    /* Before the first row; `draws` is 0 where no numbers are handed out. */
    __device__ void start(unsigned draws = 1) {
        if constexpr (BLOCKS > 1) {
            if (threadIdx.x == 0) {
                for (unsigned k = 0; k < TURNS; ++k) {
                    ll_ptx_mbarrier_init(address(full + k), 1);
                    ll_ptx_mbarrier_arrive_expect_tx(address(full + k),
                                                     sent - (draws ? 0 : 4));
                }
                ll_ptx_fence_mbarrier_init();
            }
            wait_for_cluster();
        }
    }
    /* Row number `turn`. With `here`, also hands out the number of a row to
     * come. */
    template <class OP, class ROWS>
    __device__ V all(V own, unsigned turn, OP op, ROWS &here) {
        return finish(begin(own, turn, op, here), turn, op, here);
    }
    template <class OP>
    __device__ V all(V own, unsigned turn, OP op, unsigned next = 0) {
        return combined(reduced(own, turn, op, next), turn, op);
    }
    /* The same in two halves. With TURNS of 4 the next row may begin before
     * this one is finished, so that nobody waits for other blocks. */
    template <class OP, class ROWS>
    __device__ V begin(V own, unsigned turn, OP op, ROWS &here) {
        unsigned next = 0;
        if (ROWS::ahead && threadIdx.x == 0 && blockIdx.x % BLOCKS == 0) {
            next = here.draw();
            number[turn % TURNS] = next;
        }
        if (WARPS == 1) {
            __syncwarp();
        }
        return reduced(own, turn, op, next);
    }
    template <class OP, class ROWS>
    __device__ V finish(V ours, unsigned turn, OP op, ROWS &here) {
        const V result = combined(ours, turn, op);
        if (ROWS::ahead) {
            here.coming[ROWS::ahead] = number[turn % TURNS];
        }
        return result;
    }
    /* The same in two halves, for scans. Before the block's barrier: hands out
     * the number of a row to come. */
    template <class ROWS> __device__ void draw(unsigned turn, ROWS &here) {
        if (ROWS::ahead && threadIdx.x == 0 && blockIdx.x % BLOCKS == 0) {
            const unsigned next = here.draw();
            number[turn % 2] = next;
            for (unsigned k = 0; k < BLOCKS && BLOCKS > 1; ++k) {
                push(ll_ptx_mapa(address(number + turn % 2), k), next,
                     ll_ptx_mapa(address(full + turn % 2), k));
            }
        }
    }
    /* After it: what the blocks before this one have. `own`, of a block's last
     * lane, is all that the block has. */
    template <class OP, class ROWS>
    __device__ V before(V own, unsigned turn, OP op, ROWS &here) {
        V sum = {};
        if (WARPS == 1) {
            __syncwarp();
        }
        if constexpr (BLOCKS > 1) {
            const unsigned rank = blockIdx.x % BLOCKS;
            if (threadIdx.x == 32 * WARPS - 1) {
                for (unsigned k = 0; k < BLOCKS; ++k) {
                    push(ll_ptx_mapa(address(of_block[turn % 2] + rank), k),
                         own, ll_ptx_mapa(address(full + turn % 2), k));
                }
            }
            ll_ptx_mbarrier_wait(address(full + turn % 2), turn / 2 % 2);
            if (threadIdx.x == 0) {
                ll_ptx_mbarrier_arrive_expect_tx(
                    address(full + turn % 2),
                    BLOCKS * sizeof(V) + (ROWS::ahead ? 4 : 0));
            }
            LL_UNROLL
            for (unsigned k = 0; k + 1 < BLOCKS; ++k) {
                sum = k < rank ? op(sum, of_block[turn % 2][k]) : sum;
            }
        }
        if (ROWS::ahead) {
            here.coming[ROWS::ahead] = number[turn % 2];
        }
        return sum;
    }
    /* No block ends while others still send. */
    __device__ static void end() {
        if constexpr (BLOCKS > 1) {
            wait_for_cluster();
        }
    }

private:
    /* What the block has, which it sends to all blocks. */
    template <class OP>
    __device__ V reduced(V own, unsigned turn, OP op, unsigned next) {
        const V mine[1] = {own};
        V result[1];
        LL_REDUCE(result, mine, HERE, memory[turn % 2], op);
        if constexpr (BLOCKS > 1) {
            send(result[0], turn % TURNS, __shfl_sync(~0u, next, 0));
        }
        return result[0];
    }
    /* What all blocks have. */
    template <class OP> __device__ V combined(V ours, unsigned turn, OP op) {
        V result[1] = {ours};
        if constexpr (BLOCKS > 1) {
            const unsigned k = turn % TURNS;
            ll_ptx_mbarrier_wait(address(full + k), turn / TURNS % 2);
            if (threadIdx.x == 0) {
                ll_ptx_mbarrier_arrive_expect_tx(address(full + k), sent);
            }
            const V its[1] = {of_block[k][threadIdx.x % BLOCKS]};
            LL_REDUCE(result, its, THERE, 0, op);
        }
        return result[0];
    }
    __device__ void send(const V &x, unsigned turn, unsigned next) {
        const unsigned rank = blockIdx.x % BLOCKS;
        if (threadIdx.x < BLOCKS) {
            const unsigned bar =
                ll_ptx_mapa(address(full + turn), threadIdx.x);
            push(ll_ptx_mapa(address(of_block[turn] + rank), threadIdx.x), x,
                 bar);
            if (rank == 0) {
                push(ll_ptx_mapa(address(number + turn), threadIdx.x), next,
                     bar);
            }
        }
    }
    template <class P> __device__ static unsigned address(const P *p) {
        return (unsigned)__cvta_generic_to_shared(p);
    }
    __device__ static void wait_for_cluster() {
        ll_ptx_barrier_cluster_arrive();
        ll_ptx_barrier_cluster_wait();
    }
};

#define LOG2E 1.4426950408889634f
#define LN2 0.6931471805599453f

/* The largest of some numbers, and the sum of 2^((x - most) * LOG2E). */
struct peak {
    float most, sum;
};

/* Has the same bits for (x, y) and (y, x), as all lanes need the same. */
struct merge {
    __device__ peak operator()(peak x, peak y) const {
        const bool first = x.most > y.most;
        const float less = power(-fabsf(x.most - y.most) * LOG2E);
        const float high = first ? x.sum : y.sum, low = first ? y.sum : x.sum;
        return {first ? x.most : y.most, fmaf(low, less, high)};
    }
};

/* A lane's pair of its numbers; e becomes what the sum is of. */
template <class T, unsigned N, unsigned M>
__device__ peak peak_of(float (&e)[M], const unsigned (&a)[N], float most) {
    const float down = most * LOG2E;
    float sums[4] = {};
    LL_UNROLL
    for (unsigned r = 0; r < M; ++r) {
        e[r] = power(fmaf(number<T>(a, r), LOG2E, -down));
        sums[r % 4] += e[r];
    }
    return {most, (sums[0] + sums[1]) + (sums[2] + sums[3])};
}

/* Null, or why kernels do not take rows of n elements, of which `wide` make 16
 * bytes, in the registers of a cluster, which hold `tile`. */
static inline const char *misfit(unsigned rows, unsigned n, unsigned tile,
                                 unsigned wide) {
    static thread_local char text[160];
    if (rows == 0 || rows > 1u << 26) {
        snprintf(text, sizeof text, "there are %u rows, not 1 to 2^26", rows);
        return text;
    }
    if (n == 0 || n > tile || (n % wide && n + wide - 1 > tile)) {
        snprintf(text, sizeof text,
                 "rows of %u elements do not fit registers for %u; rows that "
                 "start at no multiple of 16 bytes need %u more",
                 n, tile, wide - 1);
        return text;
    }
    return nullptr;
}

/* Null, or that a matrix does not start at 16 bytes, whatever its rows do. */
inline const char *misplaced(const void *dst, const void *src,
                             const void *other = nullptr) {
    return ((size_t)dst | (size_t)src | (size_t)other) % 16
               ? "all matrices start at multiples of 16 bytes"
               : nullptr;
}

/* Null, or that what all rows share does not start at 16 bytes. */
inline const char *unaligned(const void *gain, const void *bias) {
    return ((size_t)gain | (size_t)bias) % 16
               ? "gain and bias start at multiples of 16 bytes"
               : nullptr;
}

/* The stream of all launches of this thread; the default one if none is set. */
inline cudaStream_t &stream_of_rows() {
    static thread_local cudaStream_t stream;
    return stream;
}

/* Numbers for a launch that goes ahead, 0 before and after it: rows that were
 * drawn, of up to 8 kinds, and clusters that are done. Short rows have none:
 * they would draw faster than one counter can count. There are as many of them
 * as launches that a GPU may have in its queues. Returns null, or a
 * sentence. */
inline const char *counter(unsigned **count, unsigned ahead, unsigned n) {
    enum { GPUS = 64, COUNTERS = 1024, EACH = 16 };
    static thread_local unsigned *all[GPUS], turn;
    const size_t bytes = EACH * COUNTERS * sizeof **count;
    int gpu = 0;
    *count = nullptr;
    if (!ahead || n < 8192) {
        return nullptr;
    }
    cudaError_t err = cudaGetDevice(&gpu);
    if (!err && gpu < GPUS && !all[gpu]) {
        unsigned *here = nullptr;
        err = cudaMalloc((void **)&here, bytes);
        err = err ? err : cudaMemset(here, 0, bytes);
        err = err ? err : cudaDeviceSynchronize(); /* for any stream */
        all[gpu] = err ? nullptr : here;
    }
    *count = err || gpu >= GPUS ? nullptr
                                : all[gpu] + EACH * (turn++ % COUNTERS);
    return said(err);
}

/* How many clusters of a kernel the GPU holds at once. What the last call of
 * this thread found is kept, for each type of kernel. */
template <class... A>
cudaError_t held_at_once(int *held, void (*kernel)(A...),
                         const cudaLaunchConfig_t &config, unsigned blocks) {
    static thread_local struct {
        void (*kernel)(A...);
        size_t bytes;
        unsigned threads, blocks;
        int gpu, held;
    } last;
    int gpu = 0;
    cudaError_t err = cudaGetDevice(&gpu);
    if (!err && (last.kernel != kernel || last.gpu != gpu ||
                 last.bytes != config.dynamicSmemBytes ||
                 last.threads != config.blockDim.x || last.blocks != blocks)) {
#if LL_EMULATE
        *held = 8;
#else
        cudaLaunchConfig_t one = config;
        one.numAttrs = 1;
        err = cudaOccupancyMaxActiveClusters(held, kernel, &one);
#endif
        if (err) {
            return err;
        }
        last = {kernel, config.dynamicSmemBytes, config.blockDim.x, blocks, gpu,
                *held};
    }
    *held = last.held;
    return err;
}

/* Launches a kernel of blocks in clusters, with `bytes` of shared memory. With
 * `fit` the grid is no larger than what the GPU holds at once, and of a
 * multiple of `fit` clusters; *clusters becomes how many it has. Returns null,
 * or a sentence. */
template <class... A>
const char *launch_some(unsigned *clusters, unsigned bytes, unsigned fit,
                        void (*kernel)(A...), unsigned grid, unsigned threads,
                        unsigned blocks, A... arguments) {
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = blocks;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {dim3(grid),       dim3(threads), bytes,
                                 stream_of_rows(), &cluster,      blocks > 1};
    cudaError_t err = cudaSuccess;
    if (blocks > 8) {
        err = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    }
    if (!err && bytes > 16 << 10) { /* with static memory, more than 48 KiB */
        err = cudaFuncSetAttribute(kernel,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   (int)bytes);
    }
    if (!err && fit) {
        int held = 0;
        err = held_at_once(&held, kernel, config, blocks);
        const unsigned most = held < (int)fit ? fit : held / fit * fit;
        config.gridDim.x = grid / blocks < most ? grid : most * blocks;
    }
    *clusters = config.gridDim.x / blocks;
    return said(err ? err : cudaLaunchKernelEx(&config, kernel, arguments...));
}

template <class... A>
const char *launch(void (*kernel)(A...), unsigned grid, unsigned threads,
                   unsigned blocks, A... arguments) {
    unsigned clusters;
    return launch_some(&clusters, 0, 0, kernel, grid, threads, blocks,
                       arguments...);
}

/* Launches a kernel whose blocks may start while the last ones of the kernel
 * before it end; it waits for that by griddepcontrol. */
template <class... A>
const char *launch_early(void (*kernel)(A...), unsigned grid, unsigned threads,
                        A... arguments) {
    cudaLaunchAttribute next = {};
    next.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    next.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {dim3(grid),       dim3(threads), 0,
                                       stream_of_rows(), &next,         1};
    return said(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/* How a kernel goes over rows of n elements. `rings`: matrices that are copied
 * ahead. `most`: clusters at most. `alike`: all rows of a cluster must start at
 * the same place of 16 bytes; `drawn`: kernels are ALIKE. `more`: further bytes
 * of shared memory. */
struct rows_to_do {
    unsigned rows, n, rings = 1, most = ~0u;
    bool alike = false;
    unsigned *clusters = nullptr; /* becomes how many there are */
    bool drawn = false;
    unsigned more = 0;
};

/* Launches one of two kernels with the rows, the counter of those that are
 * drawn if they are, and `arguments`: the first if rows are as long as the
 * tile of a cluster. Short rows without a counter start alike, so that weights
 * stay in registers. Returns null, or a sentence. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned TALL, unsigned AHEAD, class... A>
const char *launch_rows(void (*whole)(unsigned, unsigned, unsigned *, A...),
                        void (*some)(unsigned, unsigned, unsigned *, A...),
                        const rows_to_do &x, A... arguments) {
    constexpr unsigned tile = EACH * WARPS * 32 * BLOCKS, wide = 16 / sizeof(T);
    constexpr bool all = EACH == power_from(EACH);
    const bool fits = all && x.n == tile && x.rows % TALL == 0;
    const bool alike = !fits && (x.alike || x.drawn || x.n < 8192);
    const unsigned groups = (x.rows + TALL - 1) / TALL;
    unsigned *count = nullptr, clusters;
    /* Blocks of a part that is no power of two have no room for all of it. */
    const char *bad = misfit(x.rows, x.n, tile - (!all && x.n == tile),
                             all ? wide : 128 / sizeof(T));
    bad = bad ? bad : counter(&count, x.alike && !fits ? 0 : AHEAD, x.n);
    return bad ? bad
               : launch_some(x.clusters ? x.clusters : &clusters,
                             x.rings * ring(EACH * sizeof(T), WARPS * TALL,
                                            AHEAD) + x.more,
                             AHEAD == 0 && !(x.drawn && !fits) ? 0
                             : alike                         ? wide
                                                             : 1,
                             fits ? whole : some,
                             (groups < x.most ? groups : x.most) * BLOCKS,
                             32 * WARPS * TALL, BLOCKS, x.rows, x.n, count,
                             arguments...);
}

#endif
