/* check.h - what the programs of this folder share: they run on a GPU or on the
 * emulator and compare with values that the host computes. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static int passed, failed;

static void check(bool ok, const char *what, int line) {
    ok ? ++passed : ++failed;
    if (!ok) {
        printf("line %d: wrong: %s\n", line, what);
    }
}
#define CHECK(x) check(x, #x, __LINE__)

/* Memory of the device with n values, filled by the host. */
template <class T> static T *device(const T *values, int n) {
    T *p;
    cudaMalloc(&p, sizeof(T) * (size_t)n);
    cudaMemcpy(p, values, sizeof(T) * (size_t)n, cudaMemcpyHostToDevice);
    return p;
}
template <class T> static T *zeros(int n) {
    T *p;
    cudaMalloc(&p, sizeof(T) * (size_t)n);
    cudaMemset(p, 0, sizeof(T) * (size_t)n);
    return p;
}
/* Its values; the memory is freed. */
template <class T> static void fetch(T *to, T *p, int n) {
    CHECK(cudaMemcpy(to, p, sizeof(T) * (size_t)n, cudaMemcpyDeviceToHost) ==
          cudaSuccess);
    cudaFree(p);
}

static int told() {
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
