// peers.h - the peers of a transpose: copies and padded kernels
// SPDX-License-Identifier: MIT
#ifndef LL_BENCH_PEERS_H
#define LL_BENCH_PEERS_H

// Copies 16 bytes per lane, and a rest of less than 16 bytes byte by byte.
__global__ void __launch_bounds__(512)
    copy(unsigned char *dst, const unsigned char *src, size_t bytes) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t k = first; k < bytes / 16; k += step) {
        reinterpret_cast<uint4 *>(dst)[k] =
            reinterpret_cast<const uint4 *>(src)[k];
    }
    for (size_t k = bytes / 16 * 16 + first; k < bytes; k += step) {
        dst[k] = src[k];
    }
}

// Copies 16 bytes per lane in one access, without a loop.
__global__ void __launch_bounds__(256)
    copy_flat(unsigned char *dst, const unsigned char *src, size_t bytes) {
    const size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < bytes / 16) {
        reinterpret_cast<uint4 *>(dst)[k] =
            reinterpret_cast<const uint4 *>(src)[k];
    } else if (k - bytes / 16 < bytes % 16) {
        dst[k - bytes / 16 + bytes / 16 * 16] =
            src[k - bytes / 16 + bytes / 16 * 16];
    }
}

// Transposes by tiles of R x R, with rows PAD bytes longer in shared memory and
// accesses of 16 bytes to global memory on both sides. Rows enter shared memory
// 16 bytes at a time if the padding keeps them aligned, else 8 or 4. Columns
// leave it element by element. Rows of both matrices must be multiples of 16
// bytes.
template <class T, unsigned R, unsigned PAD>
__global__ void __launch_bounds__(2 * R)
    padded_wide(T *dst, const T *src, unsigned m, unsigned n) {
    constexpr unsigned row = R * sizeof(T) + PAD;
    constexpr unsigned wide = 16 / sizeof(T);
    constexpr unsigned across = R / wide;
    constexpr unsigned part = PAD % 16 == 0 ? 16 : PAD % 8 == 0 ? 8 : 4;
    __shared__ __align__(16) unsigned char tile[R * row];
    const unsigned i = blockIdx.y * R, j = blockIdx.x * R;
#pragma unroll
    for (unsigned c = threadIdx.x; c < R * across; c += 2 * R) {
        const unsigned r = c / across, q = c % across * wide;
        if (i + r < m && j + q < n) {
            const uint4 v = *reinterpret_cast<const uint4 *>(
                src + (size_t)(i + r) * n + j + q);
            unsigned char *at = tile + r * row + q * sizeof(T);
            if (part == 16) {
                *reinterpret_cast<uint4 *>(at) = v;
            } else if (part == 8) {
                reinterpret_cast<uint2 *>(at)[0] = make_uint2(v.x, v.y);
                reinterpret_cast<uint2 *>(at)[1] = make_uint2(v.z, v.w);
            } else {
                reinterpret_cast<unsigned *>(at)[0] = v.x;
                reinterpret_cast<unsigned *>(at)[1] = v.y;
                reinterpret_cast<unsigned *>(at)[2] = v.z;
                reinterpret_cast<unsigned *>(at)[3] = v.w;
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned c = threadIdx.x; c < R * across; c += 2 * R) {
        const unsigned r = c / across, q = c % across * wide;
        if (j + r < n && i + q < m) {
            union {
                T t[wide];
                uint4 v;
            } u;
#pragma unroll
            for (unsigned k = 0; k < wide; ++k) {
                u.t[k] = *reinterpret_cast<const T *>(tile + (q + k) * row +
                                                      r * sizeof(T));
            }
            *reinterpret_cast<uint4 *>(dst + (size_t)(j + r) * m + i + q) = u.v;
        }
    }
}

#endif
