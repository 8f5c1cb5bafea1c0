/* reduce.cu - LL_REDUCE and LL_SCAN against the same taken one by one, on the
 * GPU or on the emulator, of the target that target.h says. All copies of a
 * result have the same bits.
 * SPDX-License-Identifier: MIT
 */
#include "target.h"
#include "verdict.h"
#include <string.h>

enum { MOST = 1024 * 64 }; /* threads * registers */

/* Element i, j of the tensor: any value of a small type, a fraction that has no
 * exact sum in floating point. */
template <class T> __host__ __device__ T element(unsigned i, unsigned j) {
    return (T)(((i * 64u + j + 1u) * 2654435761u >> 8) % 1000u) / (T)7;
}

struct wide {
    unsigned w[4];
};
template <>
__host__ __device__ wide element<wide>(unsigned i, unsigned j) {
    wide x = {{i, j, i * 64u + j, 1u}};
    return x;
}

struct sum {
    template <class T> __host__ __device__ T operator()(T x, T y) const {
        return (T)(x + y);
    }
    __host__ __device__ wide operator()(wide x, wide y) const {
        for (unsigned k = 0; k < 4u; ++k) {
            x.w[k] += y.w[k];
        }
        return x;
    }
};

struct most {
    template <class T> __host__ __device__ T operator()(T x, T y) const {
        return x < y ? y : x;
    }
};

/* Is x the result y, taken in another order? */
template <class T> bool is_close(T x, T y) { return !memcmp(&x, &y, sizeof x); }
template <> bool is_close<float>(float x, float y) {
    const float d = x < y ? y - x : x - y;
    return d <= 1e-5f * y;
}

template <class T, class OP, class IN, unsigned AXIS>
__global__ void reduce(T *result, unsigned *line) {
    LL_LAYOUT(OUT, ll_reduce(LL_GET(IN), AXIS));
    LL_REDUCE_PLAN(PLAN, IN, AXIS, 8 * sizeof(T), TARGET);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    T a[LL_REGS(IN)], b[LL_REGS(OUT)];
    LL_EACH(r, IN) {
        a[r] = element<T>(LL_AT(IN, LL_I, r), LL_AT(IN, LL_J, r));
    }
    LL_REDUCE(b, a, PLAN, smem, OP());
    LL_EACH(r, OUT) {
        result[threadIdx.x * LL_REGS(OUT) + r] = b[r];
        line[threadIdx.x * LL_REGS(OUT) + r] = LL_AT(OUT, LL_I, r);
    }
}

/* A pair of numbers, for maps y -> w[0] y + w[1]: their order counts. */
struct after {
    __host__ __device__ unsigned long long
    operator()(unsigned long long x, unsigned long long y) const {
        const unsigned a = (unsigned)x, b = (unsigned)(x >> 32);
        const unsigned c = (unsigned)y, d = (unsigned)(y >> 32);
        return (unsigned long long)(b * c + d) << 32 | a * c;
    }
};

template <class T, class OP, class IN, unsigned AXIS>
__global__ void scan(T *upto, T *below, unsigned *line) {
    LL_SCAN_PLAN(PLAN, IN, AXIS, 8 * sizeof(T), TARGET);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    T a[LL_REGS(IN)], b[LL_REGS(IN)], c[LL_REGS(IN)];
    LL_EACH(r, IN) {
        a[r] = element<T>(LL_AT(IN, LL_I, r), LL_AT(IN, LL_J, r));
    }
    LL_SCAN(b, a, PLAN, smem, OP());
    __syncthreads();
    LL_SCAN_BEFORE(c, a, PLAN, smem, OP(), element<T>(63, 63));
    LL_EACH(r, IN) {
        upto[threadIdx.x * LL_REGS(IN) + r] = b[r];
        below[threadIdx.x * LL_REGS(IN) + r] = c[r];
        line[threadIdx.x * LL_REGS(IN) + r] =
            LL_AT(IN, LL_I, r) * 64u + LL_AT(IN, LL_J, r);
    }
}

static void judge(const char *what, const char *op, unsigned axis,
                  size_t bytes, unsigned bad) {
    verdict(bad, "%s, %s along axis %u, %zu bytes", what, op, axis, bytes);
}

/* The result of a line, one element after the other. */
template <class T, class OP>
T expected(unsigned line, unsigned axis, unsigned size) {
    T y = axis ? element<T>(line, 0) : element<T>(0, line);
    for (unsigned k = 1; k < size; ++k) {
        y = OP()(y, axis ? element<T>(line, k) : element<T>(k, line));
    }
    return y;
}

template <class T, class OP, class IN, unsigned AXIS>
void check(const char *what, const char *op, void *device, unsigned *lines) {
    LL_LAYOUT(OUT, ll_reduce(LL_GET(IN), AXIS));
    static T got[MOST], first[1024];
    static unsigned line[MOST], seen[1024];
    const unsigned n = LL_THREADS(IN) * LL_REGS(OUT);
    const unsigned size = ll_size(LL_GET(IN).out, AXIS ? LL_J : LL_I);
    unsigned bad = 0;
    MUST(cudaMemset(lines, 0xff, n * sizeof *lines));
    reduce<T, OP, IN, AXIS><<<1, LL_THREADS(IN)>>>((T *)device, lines);
    MUST(cudaDeviceSynchronize());
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(got, device, n * sizeof *got, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(line, lines, n * sizeof *line, cudaMemcpyDeviceToHost));
    memset(seen, 0, sizeof seen);
    for (unsigned k = 0; k < n; ++k) {
        if (line[k] >= 1024u) {
            ++bad;
            continue;
        }
        if (!seen[line[k]]++) {
            first[line[k]] = got[k];
            bad += !is_close(got[k], expected<T, OP>(line[k], AXIS, size));
        }
        bad += memcmp(&first[line[k]], &got[k], sizeof(T)) != 0;
    }
    judge(what, op, AXIS, sizeof(T), bad);
}

template <class T, class OP, class IN, unsigned AXIS>
void check_scan(const char *what, const char *op, void *device,
                unsigned *lines) {
    static T got[MOST], below[MOST], first[4096];
    static unsigned line[MOST], seen[4096];
    const unsigned n = LL_THREADS(IN) * LL_REGS(IN);
    T *second = (T *)device + MOST;
    unsigned bad = 0;
    MUST(cudaMemset(lines, 0xff, n * sizeof *lines));
    scan<T, OP, IN, AXIS><<<1, LL_THREADS(IN)>>>((T *)device, second, lines);
    MUST(cudaDeviceSynchronize());
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(got, device, n * sizeof *got, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(below, second, n * sizeof *got, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(line, lines, n * sizeof *line, cudaMemcpyDeviceToHost));
    memset(seen, 0, sizeof seen);
    for (unsigned k = 0; k < n; ++k) {
        if (line[k] >= 4096u) {
            ++bad;
            continue;
        }
        const unsigned i = line[k] / 64u, j = line[k] % 64u;
        const unsigned x = AXIS ? j : i, other = AXIS ? i : j;
        if (!seen[line[k]]++) {
            first[line[k]] = got[k];
            bad += !is_close(got[k], expected<T, OP>(other, AXIS, x + 1u));
            bad += !is_close(below[k], x ? expected<T, OP>(other, AXIS, x)
                                         : element<T>(63, 63));
        }
        bad += memcmp(&first[line[k]], &got[k], sizeof(T)) != 0;
    }
    judge(what, op, AXIS, sizeof(T), bad);
}

template <class IN, unsigned AXIS>
void check_types(const char *what, void *device, unsigned *lines) {
    check<int, sum, IN, AXIS>(what, "sum", device, lines);
    check<float, sum, IN, AXIS>(what, "sum", device, lines);
    check<unsigned char, sum, IN, AXIS>(what, "sum", device, lines);
    check<unsigned short, sum, IN, AXIS>(what, "sum", device, lines);
    check<wide, sum, IN, AXIS>(what, "sum", device, lines);
    check<float, most, IN, AXIS>(what, "maximum", device, lines);
    check<short, most, IN, AXIS>(what, "maximum", device, lines);
    check<unsigned char, most, IN, AXIS>(what, "maximum", device, lines);
    check<long long, most, IN, AXIS>(what, "maximum", device, lines);
    check_scan<float, sum, IN, AXIS>(what, "scan", device, lines);
    check_scan<unsigned char, sum, IN, AXIS>(what, "scan", device, lines);
    check_scan<unsigned long long, after, IN, AXIS>(what, "scan", device,
                                                    lines);
}

/* The same by the operations that have a name, over numbers with a sign: a line
 * is in all lanes of a warp, or of two. */
LAYOUT(WHOLE, ll_parse("register: j5 i0 i1 | lane: j0 j1 j2 j3 j4 | warp: i2"));
LAYOUT(HALVED,
       ll_parse("register: i0 i1 | lane: j0 j1 j2 j3 j4 | warp: i2 j5"));

template <class T> __host__ __device__ T mixed(unsigned i, unsigned j) {
    return (T)((i * 64u + j + 1u) * 2654435761u);
}

template <class T, class OP, class IN> __global__ void by_name(T *result) {
    LL_LAYOUT(OUT, ll_reduce(LL_GET(IN), LL_J));
    LL_REDUCE_PLAN(PLAN, IN, LL_J, 32, TARGET);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    T a[LL_REGS(IN)], b[LL_REGS(OUT)];
    LL_EACH(r, IN) {
        a[r] = mixed<T>(LL_AT(IN, LL_I, r), LL_AT(IN, LL_J, r));
    }
    LL_REDUCE(b, a, PLAN, smem, OP());
    LL_EACH(r, OUT) {
        result[LL_AT(OUT, LL_I, r) * 128u + threadIdx.x] = b[r];
    }
}

template <class T, class IN, class OP, class F>
void check_by_name(const char *op, void *device, OP, F f) {
    static T got[8 * 128];
    unsigned bad = 0;
    by_name<T, OP, IN><<<1, LL_THREADS(IN)>>>((T *)device);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 8u; ++i) {
        T y = mixed<T>(i, 0);
        for (unsigned j = 1; j < 64u; ++j) {
            y = f(y, mixed<T>(i, j));
        }
        for (unsigned k = 0; k < LL_THREADS(IN); ++k) {
            bad += (k / 32u & 1u) == i / 4u && got[i * 128u + k] != y;
        }
    }
    judge("by name", op, 1, sizeof(T), bad);
}

template <class T, class IN> void check_names(void *device) {
    typedef unsigned u;
    check_by_name<T, IN>("sum", device, ll_add(),
                         [](T x, T y) { return (T)((u)x + (u)y); });
    check_by_name<T, IN>("minimum", device, ll_min(),
                         [](T x, T y) { return x < y ? x : y; });
    check_by_name<T, IN>("maximum", device, ll_max(),
                         [](T x, T y) { return x > y ? x : y; });
    check_by_name<T, IN>("and", device, ll_and(),
                         [](T x, T y) { return x & y; });
    check_by_name<T, IN>("or", device, ll_or(), [](T x, T y) { return x | y; });
    check_by_name<T, IN>("exclusive or", device, ll_xor(),
                         [](T x, T y) { return x ^ y; });
}

template <class IN>
void check_axes(const char *what, void *device, unsigned *lines) {
    check_types<IN, 0>(what, device, lines);
    check_types<IN, 1>(what, device, lines);
}

LAYOUT(BLOCKED, ll_blocked(ll_shape_of("j=32 i=32"), ll_shape_of("j=4"),
                           ll_shape_of("j=4 i=8"), ll_shape_of("i=4")));
LAYOUT(COLUMNS, ll_blocked(ll_shape_of("j=32 i=32"), ll_shape_of("i=2"),
                           ll_shape_of("j=16 i=2"), ll_shape_of("j=2 i=4")));
LAYOUT(PRODUCT, ll_ptx_mma_c(32, 32, 4));
LAYOUT(OPERAND, ll_ptx_mma_a(32, 32, 16, 4));
LAYOUT(SLICED, ll_unsqueeze(ll_reduce(ll_ptx_mma_c(32, 32, 4), LL_J), 1));
LAYOUT(CUSTOM, ll_parse("register: j0 0 i3 j1^i0 | lane: i0 0 j2^i1 i1 j3 "
                        "| warp: j4^i2 i2 0 | 1: j3^i1 -> 16x32"));
LAYOUT(TWISTED, ll_parse("register: i0 i1 i2 | lane: j0^i0 j1^i0 j2^i1 j3^j0 "
                         "i3 | warp: j4 i4"));

int main(void) {
    void *device;
    unsigned *lines;
    MUST(cudaMalloc(&device, 2 * MOST * sizeof(wide)));
    MUST(cudaMalloc((void **)&lines, MOST * sizeof *lines));
    check_axes<BLOCKED>("blocked", device, lines);
    check_axes<COLUMNS>("warps along both axes", device, lines);
    check_axes<PRODUCT>("mma accumulator", device, lines);
    check_axes<OPERAND>("mma operand", device, lines);
    check_axes<SLICED>("sliced mma accumulator", device, lines);
    check_axes<CUSTOM>("custom, with copies", device, lines);
    check_axes<TWISTED>("rows that lanes exchange", device, lines);
    check_names<int, WHOLE>(device);
    check_names<unsigned, WHOLE>(device);
    check_names<int, HALVED>(device);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
