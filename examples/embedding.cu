/* embedding.cu - how are rows looked up, and how do their gradients come back?
 * SPDX-License-Identifier: MIT
 *
 * Forward, row t of the result is row index[t] of a table: a tile of rows whose
 * addresses are loaded first. Backward, the gradients of all tokens of a row
 * are added up. If each token added its own, frequent rows would be added to
 * memory one by one. Here a block sorts its tokens by their rows with LL_SORT,
 * keys with values. Tokens of one row are then neighbours: a warp adds them in
 * registers, and memory sees one addition for each run.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/embedding.cu -o embedding
 *        or, without a GPU, tests/emu/emucc -I. examples/embedding.cu -o ..
 */
#define LL_SORTS
#include "rows.h"

/* dst, tokens x n, becomes the rows of table that index names. A warp takes
 * EACH elements a lane of TALL tokens; n is a multiple of 32 EACH. */
template <class T, unsigned EACH, unsigned TALL>
__global__ void __launch_bounds__(256)
    embed(T *dst, const T *table, const int *index, unsigned tokens,
          unsigned n) {
    LL_LAYOUT(PART, row_of(16 / sizeof(T), EACH, 1, 1, 1));
    LL_SCOPE(ONE, threadIdx.x % 32, 32, LL_BARRIER_WARP());
    LL_IN(ONE);
    const unsigned warp = blockIdx.x * 8 + threadIdx.x / 32;
    const unsigned parts = n / (32 * EACH), j = warp % parts * 32 * EACH;
    const unsigned t = warp / parts * TALL;
    T a[TALL][LL_REGS(PART)];
    LL_UNROLL
    for (unsigned k = 0; k < TALL; ++k) {
        if (t + k < tokens) {
            LL_LOAD(a[k], PART, table + (size_t)index[t + k] * n + j, n);
        }
    }
    LL_UNROLL
    for (unsigned k = 0; k < TALL; ++k) {
        if (t + k < tokens) {
            LL_STORE_BY(a[k], PART, LL_STREAM, dst + (size_t)(t + k) * n + j,
                        n);
        }
    }
}

/* Adds four numbers to memory, at a multiple of 16 bytes: at once, where the
 * GPU can. */
__device__ inline void add_four(float *to, const float (&x)[4]) {
#if !LL_EMULATE && __CUDA_ARCH__ >= 900
    atomicAdd((float4 *)to, make_float4(x[0], x[1], x[2], x[3]));
#else
    for (unsigned c = 0; c < 4; ++c) {
        atomicAdd(to + c, x[c]);
    }
#endif
}

/* sums, vocabulary x n, gets the rows of dy added that belong to its rows. A
 * block has 256 tokens, and 1024 of the n columns. */
template <class T>
__global__ void __launch_bounds__(256)
    embed_back(float *sums, const T *dy, const int *index, unsigned tokens,
               unsigned n) {
    LL_LAYOUT(TOKENS, ll_parse("lane: i0 i1 i2 i3 i4 | warp: i5 i6 i7"));
    LL_SORT_PLAN(SORT, TOKENS, LL_I, 64, LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SORT)];
    __shared__ ll_keyed<int, unsigned> sorted[256];
    const unsigned t = blockIdx.x * 256 + threadIdx.x;
    ll_keyed<int, unsigned> a[1] = {{0x7fffffff, t}};
    if (t < tokens) {
        a->key = index[t];
    }
    LL_SORT(a, a, SORT, smem, ll_up());
    sorted[threadIdx.x] = a[0];
    __syncthreads();
    const unsigned first = threadIdx.x / 32 * 32;
    const unsigned end = blockIdx.y * 1024 + 1024;
    for (unsigned j = blockIdx.y * 1024 + threadIdx.x % 32 * 4;
         j < n && j < end; j += 128) {
        float run[4] = {};
        for (unsigned k = first; k < first + 32; k += 8) {
            T x[8][4] = {};
            LL_UNROLL
            for (unsigned m = 0; m < 8; ++m) { /* loads before all else */
                if (sorted[k + m].value < tokens) {
                    memcpy(x[m], dy + (size_t)sorted[k + m].value * n + j,
                           sizeof x[m]);
                }
            }
            LL_UNROLL
            for (unsigned m = 0; m < 8; ++m) {
                const int row = sorted[k + m].key;
                const bool last = k + m == first + 31 ||
                                  sorted[k + m + 1].key != row;
                LL_UNROLL
                for (unsigned c = 0; c < 4; ++c) {
                    run[c] += (float)x[m][c];
                }
                if (last && sorted[k + m].value < tokens) {
                    add_four(sums + (size_t)row * n + j, run);
                    memset(run, 0, sizeof run);
                }
            }
        }
    }
}

/* Null, or why rows of n elements, a multiple of `by`, are not looked up. */
static inline const char *unfit_rows(unsigned tokens, unsigned n, unsigned by) {
    static thread_local char text[160];
    if (tokens && tokens <= 1u << 28 && n && n <= 1u << 24 && n % by == 0 &&
        (unsigned long long)tokens * n <= 1ull << 36) {
        return nullptr;
    }
    snprintf(text, sizeof text,
             "there are %u rows of %u elements, not 1 to 2^28 of a multiple of "
             "%u to 2^24, nor 2^36 elements at most", tokens, n, by);
    return text;
}

/* n is a multiple of 256 elements of 16 bits, or of 128 floats. Returns null,
 * or a sentence. */
template <class T>
const char *embed_by(T *dst, const T *table, const int *index, unsigned tokens,
                     unsigned n) {
    constexpr unsigned each = 16 / sizeof(T), tall = 4;
    const char *const bad = unfit_rows(tokens, n, 32 * each);
    if (bad) {
        return bad;
    }
    const unsigned warps = n / (32 * each) * ((tokens + tall - 1) / tall);
    embed<T, each, tall>
        <<<(warps + 7) / 8, 256>>>(dst, table, index, tokens, n);
    return said(cudaGetLastError());
}

/* n is a multiple of 4. */
template <class T>
const char *embed_back_by(float *sums, const T *dy, const int *index,
                          unsigned tokens, unsigned n) {
    const char *const bad = unfit_rows(tokens, n, 4);
    if (bad) {
        return bad;
    }
    embed_back<T><<<dim3((tokens + 255) / 256, (n + 1023) / 1024), 256>>>(
        sums, dy, index, tokens, n);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

template <class T> unsigned check(unsigned tokens, unsigned n) {
    enum : unsigned { VOCABULARY = 50 };
    const table<T> rows(VOCABULARY, n, 1, -1, 1);
    table<T> dst(tokens, n);
    table<float> sums(VOCABULARY, n);
    std::vector<int> index(tokens);
    std::vector<double> want((size_t)VOCABULARY * n);
    unsigned wrong[2] = {};
    int *on_device;
    for (unsigned t = 0; t < tokens; ++t) {
        index[t] = (int)(t * t * 2654435761u % (t % 3 ? 7 : VOCABULARY));
    }
    MUST(cudaMalloc((void **)&on_device, tokens * 4));
    MUST(cudaMemcpy(on_device, index.data(), tokens * 4,
                    cudaMemcpyHostToDevice));
    MUST(cudaMemset(sums.device, 0, want.size() * 4));
    MUST(embed_by(dst.device, rows.device, on_device, tokens, n));
    MUST(embed_back_by(sums.device, dst.device, on_device, tokens, n));
    dst.fetch();
    sums.fetch();
    for (unsigned t = 0; t < tokens; ++t) {
        for (unsigned j = 0; j < n; ++j) {
            wrong[0] += dst.at(t, j) != rows.at((unsigned)index[t], j);
            want[(size_t)index[t] * n + j] += dst.at(t, j);
        }
    }
    for (size_t k = 0; k < want.size(); ++k) {
        wrong[1] += !(fabs(sums.host[k] - want[k]) <=
                      1e-5 * fabs(want[k]) + 1e-4);
    }
    cudaFree(on_device);
    const unsigned bits = 8 * (unsigned)sizeof(T);
    printf("%2u bits, %u rows of %u elements: %u wrong\n", bits, tokens, n,
           wrong[0]);
    printf("%2u bits, gradients of %u rows of %u elements: %u wrong\n", bits,
           tokens, n, wrong[1]);
    return wrong[0] + wrong[1];
}

/* How many sizes are not refused that the kernels cannot do. */
static unsigned check_refusals(void) {
    const unsigned sizes[][2] = {{0, 256}, {3, 0}, {3, 130}, {1u << 28, 512}};
    bf16 x;
    float sum;
    const int index = 0;
    unsigned wrong = 0;
    for (const auto &s : sizes) {
        wrong += !embed_by(&x, &x, &index, s[0], s[1]);
        wrong += !embed_back_by(&sum, &x, &index, s[0], s[1]);
    }
    return wrong;
}

int main(void) {
    const unsigned wrong = check<bf16>(300, 256) + check<float>(41, 256) +
                           check_refusals();
    return verdict(wrong);
}

#endif
