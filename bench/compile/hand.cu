// hand.cu - the transpose of compile/layout.cu, written by hand
// SPDX-License-Identifier: MIT
//
// dst (n x m) receives the transpose of src (m x n). Elements have 32 bits; m
// and n are multiples of 4. Blocks of 256 threads, one per tile of 64 x 64. A
// lane holds a square of 4 x 4. Shared memory holds the transposed tile in
// chunks of 16 bytes. The chunk of row group g in column c is at g ^ (c / 4 %
// 16), so that neither side has bank conflicts.
__global__ void __launch_bounds__(256)
    by_hand(unsigned *dst, const unsigned *src, unsigned m, unsigned n) {
    __shared__ uint4 tile[64 * 16];
    const unsigned q = threadIdx.x % 16, g = threadIdx.x / 16;
    const unsigned i = blockIdx.y * 64, j = blockIdx.x * 64;
    uint4 a[4];
#pragma unroll
    for (unsigned r = 0; r < 4; ++r) {
        a[r] = make_uint4(0, 0, 0, 0);
        if (i + 4 * g + r < m && j + 4 * q < n) {
            a[r] = *reinterpret_cast<const uint4 *>(
                src + (size_t)(i + 4 * g + r) * n + j + 4 * q);
        }
    }
    const unsigned at = 64 * q + (g ^ q);
    tile[at] = make_uint4(a[0].x, a[1].x, a[2].x, a[3].x);
    tile[at + 16] = make_uint4(a[0].y, a[1].y, a[2].y, a[3].y);
    tile[at + 32] = make_uint4(a[0].z, a[1].z, a[2].z, a[3].z);
    tile[at + 48] = make_uint4(a[0].w, a[1].w, a[2].w, a[3].w);
    __syncthreads();
#pragma unroll
    for (unsigned r = 0; r < 4; ++r) {
        const unsigned c = 4 * g + r;
        if (j + c < n && i + 4 * q < m) {
            *reinterpret_cast<uint4 *>(dst + (size_t)(j + c) * m + i + 4 * q) =
                tile[16 * c + (q ^ g)];
        }
    }
}
