/* reshard_one_buffer.h - executes a plan in one buffer per rank, which is the
 * source and the target.
 * SPDX-License-Identifier: MIT
 *
 * A rank has an image of each rank's memory, its own too, at the same offsets.
 * A kernel that pushes writes the images, and copy engines move them on when
 * all ranks have read their sources. A kernel that pulls reads images that copy
 * engines have filled, and starts when all ranks have theirs. */
#ifndef LL_EXAMPLE_RESHARD_ONE_BUFFER_H
#define LL_EXAMPLE_RESHARD_ONE_BUFFER_H

#include "reshard_engine.h"
#include "reshard_kernels.h"

namespace ll_kernels {

/* Rows of a memory that a copy engine moves: bytes of a row, between rows, and
 * the number of rows. More rows lie at an offset XORed with sums of more[]. */
struct image_rows {
    bool good;
    size_t width, pitch, height;
    unsigned n;
    size_t more[8];
};

/* Returns the rows that the bits of a list of offsets span, in bytes, from
 * elements of `size` bytes. Not good if bits are no powers of two. */
inline image_rows image_rows_of(const size_t *bit, unsigned n, unsigned size) {
    size_t all = 0;
    image_rows r = {true, size, 0, 1, 0, {}};
    for (unsigned k = 0; k < n; ++k) {
        r.good = r.good && bit[k] && !(bit[k] & (bit[k] - 1u)) &&
                 !(all & bit[k]);
        all |= bit[k];
    }
    for (; all & r.width; r.width *= 2u) {
        all ^= r.width;
    }
    for (r.pitch = all & (0u - all); all & r.pitch * r.height; r.height *= 2u) {
        all ^= r.pitch * r.height;
    }
    for (; all && r.n < 8u; all &= all - 1u) {
        r.more[r.n++] = all & (0u - all);
    }
    r.pitch = r.pitch ? r.pitch : r.width;
    r.good = r.good && !all;
    return r;
}

/* How a rank's tiles are cut into parts with one peer each: bits of a tile's
 * number that choose the peer, and the rows of a part. */
struct image_cut {
    unsigned fixed, at[LL_MAX_BITS];
    image_rows rows;
};

inline image_cut image_cut_of(const reshard_move &m, const ll_reshard_tile &t,
                              unsigned size) {
    image_cut c = {};
    size_t bit[LL_MAX_BITS];
    unsigned n = 0;
    for (unsigned k = 0; k < t.bits + m.tiles; ++k) {
        if (!m.bit[k].peer) {
            bit[n++] = (size_t)m.bit[k].far * size;
        } else if (k >= t.bits) {
            c.at[c.fixed++] = k;
        }
    }
    c.rows = image_rows_of(bit, n, size);
    return c;
}

/* Calls move(rank, offset in bytes) for the rows of part x in each rank's
 * memory. */
template <class MOVE>
void image_each(const reshard_move &m, const ll_reshard_tile &t,
                const image_cut &c, unsigned size, unsigned x, MOVE move) {
    unsigned mixed[LL_MAX_TILE_ + 1u], n = 0;
    reshard_bit base = m.zero;
    for (unsigned k = 0; k < c.fixed; ++k) {
        base.far ^= x >> k & 1u ? m.bit[c.at[k]].far : 0u;
        base.peer ^= x >> k & 1u ? m.bit[c.at[k]].peer : 0u;
    }
    for (unsigned k = 0; k < t.bits; ++k) {
        if (m.bit[k].peer) {
            mixed[n++] = k;
        }
    }
    for (unsigned y = 0; y < 1u << n; ++y) {
        unsigned peer = base.peer, far = base.far, part = 0;
        for (unsigned k = 0; k < n; ++k) {
            peer ^= y >> k & 1u ? m.bit[mixed[k]].peer : 0u;
            far ^= y >> k & 1u ? m.bit[mixed[k]].far : 0u;
        }
        do { /* all ranks that hold parts of a sum */
            move((peer & ~m.sum) | part, (size_t)far * size);
            part = (part - m.sum) & m.sum;
        } while (part);
    }
}

/* Copies rows at an offset from one memory to the same offset of another. */
inline cudaError_t image_copy(const image_rows &r, unsigned char *dst,
                              const unsigned char *src, size_t at,
                              cudaStream_t s) {
    cudaError_t err = cudaSuccess;
    for (unsigned x = 0; x < 1u << r.n && !err; ++x) {
        size_t o = at;
        for (unsigned k = 0; k < r.n; ++k) {
            o ^= x >> k & 1u ? r.more[k] : 0u;
        }
        err = r.height == 1u || r.pitch == r.width
                  ? cudaMemcpyAsync(dst + o, src + o, r.width * r.height,
                                    cudaMemcpyDefault, s)
                  : cudaMemcpy2DAsync(dst + o, r.pitch, src + o, r.pitch,
                                      r.width, r.height, cudaMemcpyDefault, s);
    }
    return err;
}

/* Executes a rank's tiles in one buffer: m.near and m.far[m.rank] are the same.
 *   image  this rank's images of the memories of all ranks
 *   s      a stream that does not wait for others, as the default stream does
 * Each rank must have a GPU of its own. Fails with cudaErrorNotSupported if
 * messages are no rows. */
template <class T, class PAIRS, class SUM = void>
cudaError_t reshard_in_one_buffer(const reshard_move &m,
                                  const ll_reshard_tile &t, bool push,
                                  unsigned char *const *image, cudaStream_t s) {
    const image_cut c = image_cut_of(m, t, sizeof(T));
    cudaError_t err = c.rows.good ? cudaSuccess : cudaErrorNotSupported;
    reshard_move own = m;
    own.epoch = 0;
    for (unsigned k = 0; k < m.ranks; ++k) {
        own.far[k] = image[k];
    }
    if (err) {
        return err;
    }
    if (push) {
        reshard_launch<T, PAIRS, void>(own, t, true, s);
    }
    meet_peers<<<1, 32, 0, s>>>(m, 0);
    for (unsigned x = 0; x < 1u << c.fixed; ++x) {
        image_each(m, t, c, sizeof(T), x, [&](unsigned k, size_t at) {
            err = err ? err
                      : image_copy(c.rows, push ? m.far[k] : image[k],
                                   push ? image[k] : m.far[k], at, s);
        });
    }
    meet_peers<<<1, 32, 0, s>>>(m, RESHARD_RANKS);
    if (!push) {
        reshard_launch<T, PAIRS, SUM>(own, t, false, s);
    }
    return err ? err : cudaGetLastError();
}

/* Returns null, or why source and target may not overlap in the kernels of
 * reshard.h. */
inline const char *reshard_overlaps(const void *src, size_t src_bytes,
                                    const void *dst, size_t dst_bytes) {
    const size_t a = (size_t)src, b = (size_t)dst;
    return a + src_bytes <= b || b + dst_bytes <= a
               ? nullptr
               : "source and target overlap: a rank would overwrite what its "
                 "peers still read; use two buffers, or reshard_in_one_buffer";
}

} // namespace ll_kernels

#endif
