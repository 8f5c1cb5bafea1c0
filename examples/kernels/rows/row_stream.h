/* row_stream.h - brings rows to registers, ahead of their use, and stores them
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ROW_STREAM_H
#define LL_ROW_STREAM_H

#include "packed.h"
#include "row_layout.h"

namespace ll_kernels {

/* Byte offset of a TMA row from a 128-byte line of shared memory. Of 0, 16, ..
 * 112 it is the fastest. Softmax of rows of 65536 16-bit elements, as a
 * fraction of the speed of a copy, by offset:
 *
 *     32: 0.985   64: 0.979   96: 0.973   0: 0.966   others: 0.85 to 0.90 */
enum : unsigned { TMA_ROW_OFFSET = 32 };

/* Brings the rows of a matrix to the registers of a block, or of the blocks of
 * a cluster, and stores them.
 *   ROW_LAYOUT      a block's part of a row, from row_of
 *   CLUSTER_BLOCKS  blocks that share a row
 *   FULL_TILE       A row has exactly as many elements as the layout times the
 *                   blocks: vectors are aligned and nothing is masked. Other
 *                   rows start anywhere. Their registers start at the 16 bytes
 *                   that hold the first element, up to 15 bytes earlier, and
 *                   all accesses but the first and the last of a row keep their
 *                   16 bytes. Memory must end at a multiple of 16 bytes.
 *   PREFETCH        rows that TMA brings ahead, each to a buffer of its own.
 *                   The grid is small, and a cluster goes from row to row. Each
 *                   warp asks for its own part and waits for nothing else, so a
 *                   reduction across blocks delays no copy.
 *   SAME_ALIGNMENT  All rows of a cluster start at the same offset from 16
 *                   bytes: cluster `wide` k + c takes rows `wide` r + c, with a
 *                   counter for each c. Without PREFETCH, too, a cluster then
 *                   goes from row to row.
 *   USED            If not 0: a lane uses only the first USED of its registers,
 *                   so that a row that is no power of two leaves few lanes
 *                   empty. All warps then have equal shares, and registers
 *                   start at a line of 128 bytes.
 *   IN_PLACE        A row is written over its own buffer, and TMA stores it
 *                   from there. The buffer is filled again one row later, when
 *                   TMA has read it.
 *
 * Rows are scheduled dynamically, because multiprocessors do not share the
 * memory's bandwidth evenly: a cluster draws the next row from the counter
 * `count`, and row_reducer::all hands it to its blocks. Without a counter, each
 * of N clusters takes every Nth row. With `sorted`, up to 1024 rows of the same
 * alignment follow each other; that costs time, because pages of memory are
 * visited out of order. */
template <class ELEMENT, class ROW_LAYOUT, unsigned CLUSTER_BLOCKS,
          bool FULL_TILE, unsigned PREFETCH, bool SAME_ALIGNMENT = false,
          unsigned USED = 0, bool IN_PLACE = false>
struct row_stream {
    enum : unsigned {
        wide = 16 / sizeof(ELEMENT),
        line =
            USED ? 128 / sizeof(ELEMENT) : +wide, /* what registers start at */
        each = USED ? USED
                    : LL_WORDS(ROW_LAYOUT, 8 * sizeof(ELEMENT)) * 4 /
                          sizeof(ELEMENT),
        words = each * sizeof(ELEMENT) / 4,
        part = ll_size(LL_GET(ROW_LAYOUT).out, LL_J),
        tall = ll_size(LL_GET(ROW_LAYOUT).out, LL_I),
        share = 32 * each, /* elements of a warp */
        room = share * sizeof(ELEMENT),
        warps = LL_THREADS(ROW_LAYOUT) / 32,
        ahead = PREFETCH,
        bytes = ring(each * sizeof(ELEMENT), warps, PREFETCH),
        drawn_alike = SAME_ALIGNMENT && !FULL_TILE
    };
    static_assert(PREFETCH == 0 || tall == 1,
                  "rows are loaded ahead one by one");
    static_assert(!IN_PLACE || (FULL_TILE && PREFETCH > 1),
                  "whole rows, one on its way");
    unsigned rows, n, at; /* first column of the block */
    unsigned slot = 0, parity = 0;
    unsigned row;    /* of the lane */
    int early = 0;   /* elements before the row in the registers */
    int first, left; /* the lane's first column; from there to the part's end */
    long long from;  /* of that column, in the matrix */
    unsigned coming[PREFETCH + 1], drawn, *count;
    unsigned stored = 0, stored_slot = PREFETCH; /* the next row to ask for */
    unsigned alike = 0; /* log2 of successive rows with one alignment */

    __device__ row_stream(unsigned rows_, unsigned n_,
                          unsigned *count_ = nullptr, bool sorted = false)
        : rows(rows_), n(n_), count(count_) {
        const unsigned clusters = gridDim.x / CLUSTER_BLOCKS;
        while (sorted && alike < 10 && rows >> alike >= 2 * wide) {
            ++alike;
        }
        at = CLUSTER_BLOCKS > 1 ? blockIdx.x % CLUSTER_BLOCKS * length() : 0;
        for (unsigned k = 0; k <= PREFETCH; ++k) {
            coming[k] =
                row_of_number(blockIdx.x / CLUSTER_BLOCKS + k * clusters);
        }
        drawn = blockIdx.x / CLUSTER_BLOCKS + (PREFETCH - 1) * clusters;
        count = count && drawn_alike
                    ? count + blockIdx.x / CLUSTER_BLOCKS % wide
                    : count;
        go(coming[0]);
    }
    /* Goes to the next row of the block, if there is one. */
    __device__ bool next() {
        if constexpr (PREFETCH != 0) {
            LL_UNROLL
            for (unsigned k = 0; k < PREFETCH; ++k) {
                coming[k] = coming[k + 1];
            }
            coming[PREFETCH] +=
                gridDim.x / CLUSTER_BLOCKS; /* unless one is drawn */
            go(coming[0]);
            slot = slot + 1 < PREFETCH ? slot + 1 : 0;
            parity ^= slot == 0;
            return coming[0] < rows;
        } else if constexpr (SAME_ALIGNMENT && !FULL_TILE) {
            coming[0] += gridDim.x / CLUSTER_BLOCKS;
            go(coming[0]);
            return coming[0] < rows;
        }
        return false;
    }
    /* Draws a row and returns the one drawn by the last call. Called by the
     * first thread of a cluster. */
    __device__ unsigned draw() {
        const unsigned last = drawn, clusters = gridDim.x / CLUSTER_BLOCKS;
        drawn = !count ? drawn + clusters
                : drawn_alike
                    ? PREFETCH * clusters + atomicAdd(count, 1u) * wide +
                          blockIdx.x / CLUSTER_BLOCKS % wide
                    : PREFETCH * clusters + atomicAdd(count, 1u);
        return row_of_number(last);
    }
    /* At the end: the last cluster clears the counter. */
    __device__ void finish() {
        if (IN_PLACE && threadIdx.x % 32 == 0) {
            ll_ptx_cp_async_bulk_wait_group<0>();
        }
        if (PREFETCH && count && threadIdx.x == 0 &&
            blockIdx.x % CLUSTER_BLOCKS == 0) {
            __threadfence();
            unsigned *const all =
                count - (drawn_alike ? blockIdx.x / CLUSTER_BLOCKS % wide : 0);
            if (atomicAdd(all + wide, 1u) == gridDim.x / CLUSTER_BLOCKS - 1) {
                memset(all, 0, (wide + 1) * sizeof *all);
            }
        }
    }
    /* Returns the column of register r; it may lie outside the block. */
    __device__ int column(unsigned r) const { return first + (int)step(r); }
    __device__ bool has(unsigned r) const {
        return FULL_TILE || (column(r) >= 0 && (int)step(r) < left);
    }
    /* The column after the block's last one. */
    __device__ int stop() const {
        const int end = (int)(at + length()) - early;
        return end < (int)n ? end : (int)n;
    }
    /* In a block that has rows of several parts: goes to the next one. */
    __device__ void skip() { first += part, left -= part, from += part; }
    /* Before the first row: starts to copy it and those after it. */
    __device__ void start(unsigned char *slots, const ELEMENT *src) {
        if constexpr (PREFETCH != 0) {
            for (unsigned k = 0; k < PREFETCH && threadIdx.x % 32 == 0; ++k) {
                ll_ptx_mbarrier_init(bar(slots, k), 1);
            }
            ll_ptx_fence_mbarrier_init();
            __syncwarp();
            if (threadIdx.x == 0 && blockIdx.x % CLUSTER_BLOCKS == 0) {
                draw();
            }
            row_stream that = *this;
            for (unsigned k = 0; k < PREFETCH; ++k) {
                that.go(coming[k]);
                that.ask(slots, src, k);
            }
        }
    }
    /* Starts to copy the row just drawn into this row's buffer. All lanes must
     * have read the buffer. */
    __device__ void fetch(unsigned char *slots, const ELEMENT *src) const {
        if constexpr (PREFETCH != 0 && !IN_PLACE) {
            row_stream that = *this;
            that.go(coming[PREFETCH]);
            __syncwarp();
            that.ask(slots, src, slot);
        }
    }
    /* Loads the row. Registers outside it are set to `none`. */
    __device__ void load(unsigned (&a)[words], const unsigned char *slots,
                         const ELEMENT *src, ELEMENT none) const {
        if constexpr (FULL_TILE && !PREFETCH) {
            LL_LOAD(a, ROW_LAYOUT, src + (size_t)(row - down()) * n + at, n);
        } else {
            wait(slots);
            LL_UNROLL
            for (unsigned r = 0; r < each; r += wide) {
                bring(a + r * sizeof(ELEMENT) / 4, r, slots, src);
            }
            fill(a, none);
        }
    }
    /* Sets registers outside the row to `none`. */
    __device__ void fill(unsigned (&a)[words], ELEMENT none) const {
        LL_UNROLL
        for (unsigned r = 0; r < each; r += wide) {
            fill(a + r * sizeof(ELEMENT) / 4, r, none);
        }
    }
    /* The steps of load: wait(), then bring() and fill() for the 16 bytes from
     * register r on. A prefetched row can be brought again until `fetch`.
     * Before fill() registers outside the row hold anything. */
    __device__ void wait(const unsigned char *slots) const {
        if (PREFETCH != 0) {
            ll_ptx_mbarrier_wait(bar(slots, slot), parity);
        }
    }
    __device__ void bring(unsigned *a, unsigned r, const unsigned char *slots,
                          const ELEMENT *src) const {
        const ELEMENT *const lane =
            PREFETCH ? (const ELEMENT *)place_of(slots, slot) +
                           threadIdx.x % 32 * wide
                     : src + from;
        uint4 v = {0, 0, 0, 0};
        if (FULL_TILE || full() || (int)step(r) < left) {
            v = *(const uint4 *)(lane + step(r));
        }
        memcpy(a, &v, 16);
    }
    __device__ void fill(unsigned *a, unsigned r, ELEMENT none) const {
        if (!FULL_TILE && !full() && !full(r)) {
            ELEMENT x[wide];
            memcpy(x, a, 16);
            LL_UNROLL
            for (unsigned k = 0; k < wide; ++k) {
                x[k] = has(r + k) ? x[k] : none;
            }
            memcpy(a, x, 16);
        }
    }
    /* Returns the address of an element of the row, in the first lane of the
     * warp that has it; null in other lanes. Only before `fetch`. */
    __device__ const ELEMENT *held(const unsigned char *slots,
                                   const ELEMENT *src, int column_) const {
        const int in = column_ - first;
        return column_ < 0 || threadIdx.x % 32 || in < 0 || in >= (int)share ||
                       in >= left
                   ? nullptr
               : PREFETCH ? (const ELEMENT *)place_of(slots, slot) + in
                          : src + from + in;
    }
    /* Returns the first element of a row, or 0 if there is no such row. */
    __device__ float first_of(const ELEMENT *src, unsigned row_) const {
        return row_ < rows ? (float)src[(size_t)row_ * n] : 0;
    }
    /* Returns the next row, or the last one. */
    __device__ unsigned following() const {
        return coming[PREFETCH != 0] < rows ? coming[PREFETCH != 0] : rows - 1;
    }
    /* Loads one byte per element of the row; 0 outside it. */
    __device__ void load_bytes(unsigned (&b)[each / 4],
                               const unsigned char *src) const {
        typedef std::conditional_t<wide == 8, uint2, unsigned> some;
        LL_UNROLL
        for (unsigned r = 0; r < each; r += wide) {
            if constexpr (FULL_TILE) {
                const some v =
                    row < rows ? *(const some *)(src + from + step(r)) : some();
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
    /* Loads weights that all rows share, one per column. A row that starts
     * anywhere needs two aligned vectors for each of its own. */
    __device__ void load_weights(unsigned (&a)[words],
                                 const ELEMENT *src) const {
        if constexpr (FULL_TILE) {
            LL_LOAD(a, ROW_LAYOUT, src + at, 0);
        } else {
            LL_UNROLL
            for (unsigned r = 0; r < each; r += wide) {
                weights_at(a + r * sizeof(ELEMENT) / 4, r, src);
            }
        }
    }
    /* Loads weights from copies, one for each alignment of a row, so that every
     * load is aligned. A copy is as long as a cluster's registers. */
    __device__ void load_copies(unsigned (&a)[words],
                                const ELEMENT *src) const {
        src +=
            (size_t)early * (CLUSTER_BLOCKS * warps * share) + (first + early);
        LL_UNROLL
        for (unsigned r = 0; r < each; r += wide) {
            const uint4 v = *(const uint4 *)(src + step(r));
            memcpy(a + r * sizeof(ELEMENT) / 4, &v, 16);
        }
    }
    /* Copies weights to shared memory, 16 bytes per lane in turn. take_back
     * loads them. */
    __device__ void put_weights(unsigned char *to, const ELEMENT *src) const {
#pragma unroll 1
        for (unsigned r = 0; r < each; r += wide) {
            unsigned w[4];
            weights_at(w, r, src);
            memcpy(to + r / wide * 16 * blockDim.x, w, 16);
        }
    }
    __device__ void store(ELEMENT *dst, const unsigned (&a)[words]) const {
        if constexpr (FULL_TILE && !USED) {
            LL_STORE(a, ROW_LAYOUT, dst + (size_t)(row - down()) * n + at, n);
        } else {
            LL_UNROLL
            for (unsigned r = 0; r < each; r += wide) {
                const unsigned *w = a + r * sizeof(ELEMENT) / 4;
                ll_ptx_st_global_b128(
                    (unsigned long long)(dst + from + step(r)),
                    {w[0], w[1], w[2], w[3]}, full() || full(r));
            }
            full() ? (void)0 : store_ends(dst, a);
        }
    }
    /* Stores the 16 bytes from register r on. */
    __device__ void store(ELEMENT *dst, unsigned r, const unsigned *a) const {
        ll_ptx_st_global_b128((unsigned long long)(dst + from + step(r)),
                              {a[0], a[1], a[2], a[3]},
                              FULL_TILE || full() || full(r));
        FULL_TILE || full() ? (void)0 : store_end(dst, r, a);
    }

    /* Stores the row; with IN_PLACE by TMA from its buffer, which is filled
     * again one row later. Lane 0 may replace the element at `where`. */
    __device__ void store(ELEMENT *dst, const unsigned (&a)[words],
                          unsigned char *slots, const ELEMENT *src,
                          ELEMENT *where = nullptr,
                          ELEMENT value = (ELEMENT)0.0f) {
        if constexpr (IN_PLACE) {
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
                if (stored_slot < PREFETCH) {
                    row_stream that = *this;
                    that.go(stored);
                    that.ask(slots, src, stored_slot);
                }
            }
            stored = coming[PREFETCH], stored_slot = slot;
        } else {
            store(dst, a);
        }
    }

    /* Loads the weights of the 16 bytes from register r on. */
    __device__ void weights_at(unsigned *a, unsigned r,
                               const ELEMENT *src) const {
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
        return tall > 1 ? LL_AT(ROW_LAYOUT, LL_I, 0) : 0;
    }
    /* The columns of a block, of a row that starts in line. */
    __device__ unsigned length() const {
        return FULL_TILE
                   ? +part
                   : ((n + line - 2) / CLUSTER_BLOCKS + line) / line * line;
    }
    /* Returns the distance of register r from register 0: lanes have 16 bytes
     * in turn. */
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
    /* Stores the elements of vectors that lie partly outside the row. */
    __device__ void store_ends(ELEMENT *dst, const unsigned (&a)[words]) const {
        LL_UNROLL
        for (unsigned r = 0; r < each; r += wide) {
            store_end(dst, r, a + r * sizeof(ELEMENT) / 4);
        }
    }
    __device__ void store_end(ELEMENT *dst, unsigned r,
                              const unsigned *a) const {
        ELEMENT x[wide];
        memcpy(x, a, 16);
        LL_UNROLL
        for (unsigned k = 0; k < wide && !full(r); ++k) {
            if (has(r + k)) {
                dst[from + step(r + k)] = x[k];
            }
        }
    }
    /* Returns the last 16 of 32 bytes, shifted back by `early` elements. */
    __device__ void back(unsigned *a, const uint4 (&v)[2]) const {
        const unsigned by = (unsigned)early * sizeof(ELEMENT);
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
            a[k] = sizeof(ELEMENT) == 4
                       ? w[k + 1]
                       : __funnelshift_l(w[k], w[k + 1], by % 4 * 8);
        }
    }
    /* The buffer of the warp's part of a row, and its barrier. */
    template <class P> __device__ static P *place_of(P *slots, unsigned k) {
        return slots + (k * warps + threadIdx.x / 32) * room;
    }
    __device__ static unsigned bar(const unsigned char *slots, unsigned k) {
        return (unsigned)__cvta_generic_to_shared(slots) +
               PREFETCH * warps * room + 8 * (k * warps + threadIdx.x / 32);
    }
    /* Starts the copy of the warp's part of this row. */
    __device__ void ask(unsigned char *slots, const ELEMENT *src,
                        unsigned k) const {
        if (threadIdx.x % 32 == 0) {
            const int most = left < (int)share ? left : (int)share;
            const unsigned size = left <= 0 ? 0
                                  : FULL_TILE
                                      ? +room
                                      : ((unsigned)most + wide - 1) / wide * 16;
            ll_ptx_mbarrier_arrive_expect_tx(bar(slots, k), size);
            if (size) {
                ll_ptx_cp_async_bulk_load(
                    (unsigned)__cvta_generic_to_shared(place_of(slots, k)),
                    (unsigned long long)(src + from), size, bar(slots, k));
            }
        }
    }
    /* Returns the row to process for a drawn number. */
    __device__ unsigned row_of_number(unsigned number) const {
        const unsigned in = number % (wide << alike);
        return number - in + (wide << alike) <= rows
                   ? number - in + in % (1u << alike) * wide + (in >> alike)
                   : number;
    }
    __device__ void go(unsigned number) {
        row = number * tall + down();
        if (!FULL_TILE && row < rows) {
            early = (int)(row * (n % line) % line);
        }
        first = (int)(at + LL_AT(ROW_LAYOUT, LL_J, 0)) - early;
        left = row < rows ? stop() - first : 0;
        if (USED) {
            const unsigned in = threadIdx.x % 32 * wide,
                           each_warp = (length() + warps * line - 1) /
                                       (warps * line) * line;
            const int end = stop() - (int)at + early;
            const int of_warp = (int)(threadIdx.x / 32 * each_warp);
            const int more =
                end - of_warp < (int)each_warp ? end - of_warp : (int)each_warp;
            first = (int)(at + in) + of_warp - early;
            left = row < rows ? more - (int)in : 0;
        }
        from = (long long)((size_t)row * n) + first;
    }
};

} // namespace ll_kernels

#endif
