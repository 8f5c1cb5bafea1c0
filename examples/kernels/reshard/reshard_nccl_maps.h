/* reshard_nccl_maps.h - moves the elements of a message one by one.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EXAMPLE_RESHARD_NCCL_MAPS_H
#define LL_EXAMPLE_RESHARD_NCCL_MAPS_H

#include "reshard_kernels.h"
#include "reshard_ragged.h"

namespace ll_kernels {

/* Maps a number to the offset base ^ (XOR of the columns of its set bits), or
 * to itself without columns. Weights: what a bit of an offset adds to an
 * address. */
struct nccl_map {
    unsigned base, column[LL_MAX_BITS], weight[LL_MAX_BITS];
};

/* The elements of a chunk that exist. */
struct nccl_sizes {
    ragged_map elements;
    ragged sizes;
};

template <class T>
__global__ void nccl_copy(T *to, const nccl_map a, const T *from,
                          const nccl_map b, unsigned bits) {
    const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t m = first; m >> bits == 0;
         m += (size_t)gridDim.x * blockDim.x) {
        unsigned x = a.base, y = b.base;
        for (unsigned k = 0; k < bits; ++k) {
            x ^= m >> k & 1u ? a.column[k] : 0u;
            y ^= m >> k & 1u ? b.column[k] : 0u;
        }
        to[x] = from[y];
    }
}

__device__ inline unsigned nccl_address(const nccl_map &a, unsigned m,
                                        unsigned bits) {
    unsigned x = a.base, at = 0;
    for (unsigned k = 0; k < bits; ++k) {
        x ^= m >> k & 1u ? a.column[k] : 0u;
    }
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        at += x >> k & 1u ? a.weight[k] : 0u;
    }
    return at;
}

__device__ inline bool nccl_exists(const nccl_sizes &s, unsigned m,
                                   unsigned bits) {
    unsigned y = s.elements.base;
    bool has = true;
    for (unsigned k = 0; k < bits; ++k) {
        y ^= m >> k & 1u ? s.elements.column[k] : 0u;
    }
    for (unsigned k = 0; k < s.sizes.n; ++k) {
        const ragged_axis a = s.sizes.axis[k];
        const unsigned x = y >> a.start & ((1u << a.bits) - 1u);
        const unsigned low = x & ((1u << a.low) - 1u);
        has = has && low < a.part && (x >> a.low) * a.part + low < a.size;
    }
    return has;
}

/* Moves a chunk between memories of any sizes. */
template <class T>
__global__ void nccl_carry(T *to, const __grid_constant__ nccl_map a,
                           const T *from, const __grid_constant__ nccl_map b,
                           const __grid_constant__ nccl_sizes s,
                           unsigned bits) {
    for (unsigned m = blockIdx.x * blockDim.x + threadIdx.x; m >> bits == 0;
         m += gridDim.x * blockDim.x) {
        if (nccl_exists(s, m, bits)) {
            to[nccl_address(a, m, bits)] = from[nccl_address(b, m, bits)];
        }
    }
}

/* The parts of a sum in the order of the ranks, each packed as a chunk. */
struct nccl_parts {
    unsigned n;
    const void *from[RESHARD_RANKS];
};

/* Adds the parts as floats and rounds once. */
template <class T, class SUM>
__global__ void nccl_add(T *to, const __grid_constant__ nccl_map a,
                         const __grid_constant__ nccl_parts parts,
                         const __grid_constant__ nccl_map b,
                         const __grid_constant__ nccl_sizes s, unsigned bits) {
    for (unsigned m = blockIdx.x * blockDim.x + threadIdx.x; m >> bits == 0;
         m += gridDim.x * blockDim.x) {
        const unsigned at = nccl_address(b, m, bits);
        float sum[2] = {0, 0};
        for (unsigned k = 0; k < parts.n && nccl_exists(s, m, bits); ++k) {
            const float x = SUM::number(((const T *)parts.from[k])[at], 0);
            *sum = k ? *sum + x : x;
        }
        if (nccl_exists(s, m, bits)) {
            to[nccl_address(a, m, bits)] = (T)SUM::word(sum);
        }
    }
}

/* Returns the map of 2^bits elements from element `first` on; without columns
 * it maps to the numbers of the elements. */
inline nccl_map nccl_part(const unsigned *column, unsigned base, size_t first,
                          unsigned bits) {
    nccl_map a = {};
    a.base = base;
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        a.column[k] = k < bits ? column ? column[k] : 1u << k : 0u;
        a.base ^= column && first >> k & 1u ? column[k] : 0u;
        a.weight[k] = 1u << k;
    }
    return a;
}

/* Makes pairs of elements the elements of a map. Returns false if pairs are not
 * contiguous. */
inline bool nccl_pair_elements(nccl_map *a, unsigned bits) {
    unsigned low = a->base;
    for (unsigned k = 1; k < bits; ++k) {
        low |= a->column[k];
    }
    if (!bits || a->column[0] != 1u || low & 1u) {
        return false;
    }
    a->base >>= 1u;
    for (unsigned k = 0; k + 1u < LL_MAX_BITS; ++k) {
        a->column[k] = a->column[k + 1u] >> 1u;
    }
    return true;
}

inline unsigned nccl_blocks(unsigned bits) {
    return bits < 8u ? 1u : bits > 20u ? 4096u : 1u << (bits - 8u);
}

/* Copies 2^bits elements of `size` bytes between maps, up to 16 bytes at a
 * time. */
inline void nccl_move(void *to, nccl_map a, const void *from, nccl_map b,
                      unsigned bits, unsigned size, cudaStream_t s) {
    for (nccl_map x = a, y = b; size < 16u && nccl_pair_elements(&x, bits) &&
                                nccl_pair_elements(&y, bits);) {
        a = x, b = y;
        size *= 2u;
        --bits;
    }
    const unsigned n = nccl_blocks(bits);
    size == 1u
        ? nccl_copy<<<n, 256, 0, s>>>((unsigned char *)to, a,
                                      (const unsigned char *)from, b, bits)
    : size == 2u
        ? nccl_copy<<<n, 256, 0, s>>>((unsigned short *)to, a,
                                      (const unsigned short *)from, b, bits)
    : size == 4u ? nccl_copy<<<n, 256, 0, s>>>((unsigned *)to, a,
                                               (const unsigned *)from, b, bits)
    : size == 8u ? nccl_copy<<<n, 256, 0, s>>>((uint2 *)to, a,
                                               (const uint2 *)from, b, bits)
                 : nccl_copy<<<n, 256, 0, s>>>((uint4 *)to, a,
                                               (const uint4 *)from, b, bits);
}

/* Returns whether a chunk is contiguous in a memory. */
inline bool nccl_is_contiguous(const unsigned *column, unsigned base,
                               unsigned bits) {
    bool flat = !(base & ll_ones_(bits));
    for (unsigned k = 0; k < bits; ++k) {
        flat = flat && column[k] == 1u << k;
    }
    return flat;
}

/* Returns the map with the weights of a memory. */
inline nccl_map nccl_with_weights(nccl_map a, const ragged_memory &m) {
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        a.weight[k] = k < m.n ? m.weight[k] : 0u;
    }
    return a;
}

template <class T>
void nccl_carries(void *to, const nccl_map &a, const void *from,
                  const nccl_map &b, const nccl_sizes &s, unsigned bits,
                  cudaStream_t stream) {
    nccl_carry<T><<<nccl_blocks(bits), 256, 0, stream>>>(
        (T *)to, a, (const T *)from, b, s, bits);
}

/* The same for elements of any size. */
inline void nccl_ragged(void *to, const nccl_map &a, const void *from,
                        const nccl_map &b, const nccl_sizes &s, unsigned bits,
                        unsigned size, cudaStream_t stream) {
    (size == 1u   ? nccl_carries<unsigned char>
     : size == 2u ? nccl_carries<unsigned short>
     : size == 4u ? nccl_carries<unsigned>
     : size == 8u ? nccl_carries<uint2>
                  : nccl_carries<uint4>)(to, a, from, b, s, bits, stream);
}

} // namespace ll_kernels

#endif
