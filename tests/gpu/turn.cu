/* turn.cu - transposes of every element size and of awkward sizes.
 * SPDX-License-Identifier: MIT
 *
 * The kernels that bench/device/transpose.cu measures; each result is compared
 * with the CPU: sizes with vectors on both sides, on one, on none, with a tile that ends
 * beyond the matrix, and with a single element. For a GPU: emucc does not
 * rewrite the launches of an included file.
 *
 * turn                      all types, small sizes
 * turn BITS ROWS COLUMNS    one of them
 */
#include "bench/device/turn.h"

/* The order of large matrices: rows of tiles by threes. */
template <class T>
void turned_down(T *dst, const T *src, unsigned m, unsigned n) {
    launch_transpose<T, 64, 64, 4, 16, 16, 0, 3>(dst, src, m, n);
}

/* The elements that are wrong after run(dst, src, m, n). */
template <class T>
size_t wrong_of(unsigned m, unsigned n,
                void (*run)(T *, const T *, unsigned, unsigned)) {
    const size_t count = (size_t)m * n, bytes = count * sizeof(T);
    T *src = (T *)malloc(bytes), *dst = (T *)malloc(bytes), *a, *b;
    size_t wrong = 0;
    MUST(src && dst ? cudaSuccess : cudaErrorMemoryAllocation);
    MUST(cudaMalloc((void **)&a, bytes));
    MUST(cudaMalloc((void **)&b, bytes));
    randomise(src, bytes, 1);
    MUST(cudaMemcpy(a, src, bytes, cudaMemcpyHostToDevice));
    MUST(cudaMemset(b, 0xee, bytes));
    run(b, a, m, n);
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(dst, b, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < n; ++j) {
            wrong += dst[j * m + i] != src[i * n + j];
        }
    }
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    free(src);
    free(dst);
    return wrong;
}

static size_t wrong_by(int bits, unsigned m, unsigned n) {
    const size_t wrong =
        bits == 8    ? wrong_of<unsigned char>(m, n, transposed)
        : bits == 16 ? wrong_of<unsigned short>(m, n, transposed)
        : bits == 32 ? wrong_of<unsigned>(m, n, transposed)
                     : wrong_of<unsigned long long>(m, n, transposed);
    if (wrong) {
        printf("%d bits, %u x %u: %zu elements wrong\n", bits, m, n, wrong);
    }
    return wrong;
}

int main(int argc, char **argv) {
    static const unsigned sizes[][2] = {{200, 328}, {33, 71},  {48, 71},
                                        {33, 80},   {1, 1},    {16, 500},
                                        {500, 16}};
    static const int widths[] = {8, 16, 32, 64};
    unsigned passed = 0, failed = 0;
    if (argc == 4) {
        const int bits = atoi(argv[1]), m = atoi(argv[2]), n = atoi(argv[3]);
        if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || m < 1 ||
            n < 1 || (double)m * n > 4e9) {
            fprintf(stderr, "usage: turn [8|16|32|64 rows columns]\n");
            return 2;
        }
        failed = wrong_by(bits, (unsigned)m, (unsigned)n) != 0;
        passed = !failed;
    } else {
        for (int bits : widths) {
            for (const unsigned *size : sizes) {
                const int right = wrong_by(bits, size[0], size[1]) == 0;
                passed += (unsigned)right;
                failed += (unsigned)!right;
            }
        }
        for (const unsigned *size : sizes) {
            const unsigned m = size[0] / 8 * 8 + 8, n = size[1] / 8 * 8 + 8;
            const bool right =
                wrong_of<unsigned short>(m, n, turned_down) == 0 &&
                wrong_of<unsigned long long>(n, m, turned_down) == 0;
            passed += right;
            failed += !right;
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
