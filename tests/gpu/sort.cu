/* sort.cu - LL_SORT against sorting by the C++ library, on the GPU or on the
 * emulator, of the target that target.h says. Keys have ties, values tell the
 * elements apart, and all copies of a result are the same element.
 * SPDX-License-Identifier: MIT
 */
#define LL_SORTS
#include "target.h"
#include "verdict.h"
#include <algorithm>
#include <string.h>
#include <vector>

enum { MOST = 1024 * 64 }; /* threads * registers */

/* Element i, j: a key of few values, which floating point has exactly. */
__host__ __device__ inline int number_of(unsigned i, unsigned j) {
    return (int)(((i * 64u + j + 1u) * 2654435761u >> 9) % 100u) - 50;
}
template <class T> struct element {
    __host__ __device__ static T at(unsigned i, unsigned j) {
        return (T)number_of(i, j);
    }
};
template <class K, class V> struct element<ll_keyed<K, V>> {
    __host__ __device__ static ll_keyed<K, V> at(unsigned i, unsigned j) {
        return {(K)number_of(i, j), (V)(i * 64u + j)};
    }
};

/* An order of the caller's own: stable, as values are coordinates. */
struct stable {
    template <class T> __host__ __device__ bool operator()(T x, T y) const {
        return y.key < x.key || (x.key == y.key && x.value < y.value);
    }
};

typedef decltype(ll_up()) up;
typedef decltype(ll_down()) down;

/* What two elements are compared by here. */
template <class T> T key(const T &x) { return x; }
template <class K, class V> K key(const ll_keyed<K, V> &x) { return x.key; }
template <class T> bool before(const T &x, const T &y, up) {
    return key(x) < key(y);
}
template <class T> bool before(const T &x, const T &y, down) {
    return key(y) < key(x);
}
template <class T> bool before(const T &x, const T &y, stable) {
    return stable()(x, y);
}
template <class T> bool is_same(const T &x, const T &y) { return x == y; }
template <class K, class V>
bool is_same(const ll_keyed<K, V> &x, const ll_keyed<K, V> &y) {
    return x.key == y.key && x.value == y.value;
}

template <class T, class IN, unsigned AXIS, unsigned COUNT> struct planned {
    LL_TOP_PLAN(PLAN, IN, AXIS, COUNT, 8 * sizeof(T), TARGET);
    LL_LAYOUT(OUT, LL_GET(PLAN).to);
};
template <class T, class IN, unsigned AXIS> struct planned<T, IN, AXIS, 0> {
    LL_SORT_PLAN(PLAN, IN, AXIS, 8 * sizeof(T), TARGET);
    LL_LAYOUT(OUT, LL_GET(PLAN).to);
};

template <class T, class IN, unsigned AXIS, unsigned COUNT, class ORDER>
__global__ void sort(T *result, unsigned *place) {
    typedef planned<T, IN, AXIS, COUNT> by;
    typedef typename by::PLAN PLAN;
    typedef typename by::OUT OUT;
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    T a[LL_REGS(IN)], b[LL_REGS(OUT)];
    LL_EACH(r, IN) {
        a[r] = element<T>::at(LL_AT(IN, LL_I, r), LL_AT(IN, LL_J, r));
    }
    LL_SORT(b, a, PLAN, smem, ORDER());
    LL_EACH(r, OUT) {
        result[threadIdx.x * LL_REGS(OUT) + r] = b[r];
        place[threadIdx.x * LL_REGS(OUT) + r] =
            LL_AT(OUT, LL_I, r) * 64u + LL_AT(OUT, LL_J, r);
    }
}

/* Returns how many elements of one line are wrong: their keys against those of
 * the sorted line, and whether each is another element of the line. */
template <class T, class ORDER>
unsigned wrong_of(std::vector<T> all, const std::vector<T> &got) {
    unsigned bad = 0;
    std::vector<T> left = all;
    std::stable_sort(all.begin(), all.end(), [](const T &x, const T &y) {
        return before(x, y, ORDER());
    });
    for (unsigned x = 0; x < got.size(); ++x) {
        bad += before(all[x], got[x], ORDER()) ||
               before(got[x], all[x], ORDER());
        const auto at =
            std::find_if(left.begin(), left.end(),
                         [&](const T &y) { return is_same(y, got[x]); });
        at == left.end() ? (void)++bad : (void)left.erase(at);
    }
    return bad;
}

template <class T, class IN, unsigned AXIS, unsigned COUNT, class ORDER>
void check(const char *what, const char *type, void *device,
           unsigned *places) {
    typedef typename planned<T, IN, AXIS, COUNT>::OUT OUT;
    static T got[MOST], first[4096];
    static unsigned place[MOST], seen[4096];
    const unsigned n = LL_THREADS(IN) * LL_REGS(OUT);
    const unsigned size = ll_size(LL_GET(IN).out, AXIS ? LL_J : LL_I);
    const unsigned lines = ll_size(LL_GET(IN).out, AXIS ? LL_I : LL_J);
    unsigned bad = 0;
    MUST(cudaMemset(places, 0xff, n * sizeof *places));
    sort<T, IN, AXIS, COUNT, ORDER>
        <<<1, LL_THREADS(IN)>>>((T *)device, places);
    MUST(cudaDeviceSynchronize());
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(got, device, n * sizeof *got, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(place, places, n * sizeof *place, cudaMemcpyDeviceToHost));
    memset(seen, 0, sizeof seen);
    for (unsigned k = 0; k < n; ++k) {
        if (place[k] >= 4096u) {
            ++bad;
            continue;
        }
        if (!seen[place[k]]++) {
            first[place[k]] = got[k];
        }
        bad += !is_same(first[place[k]], got[k]);
    }
    for (unsigned line = 0; line < lines; ++line) {
        std::vector<T> all, row;
        for (unsigned x = 0; x < size; ++x) {
            all.push_back(AXIS ? element<T>::at(line, x)
                               : element<T>::at(x, line));
        }
        for (unsigned x = 0; x < (COUNT ? COUNT : size); ++x) {
            const unsigned at = AXIS ? line * 64u + x : x * 64u + line;
            bad += !seen[at];
            row.push_back(first[at]);
        }
        bad += wrong_of<T, ORDER>(all, row);
    }
    verdict(bad, "%s, %s along axis %u, %u first", what, type, AXIS, COUNT);
}

LAYOUT(BLOCKED, ll_blocked(ll_shape_of("j=32 i=32"), ll_shape_of("j=4"),
                           ll_shape_of("j=4 i=8"), ll_shape_of("i=4")));
LAYOUT(PRODUCT, ll_ptx_mma_c(32, 32, 4));
LAYOUT(CUSTOM, ll_parse("register: j0 0 i3 j1^i0 | lane: i0 0 j2^i1 i1 j3 "
                        "| warp: j4^i2 i2 0 | 1: j3^i1 -> 16x32"));
LAYOUT(TWISTED, ll_parse("register: i0 i1 i2 | lane: j0^i0 j1^i0 j2^i1 j3^j0 "
                         "i3 | warp: j4 i4"));

typedef ll_keyed<float, unsigned> pair;
typedef ll_keyed<short, unsigned short> small;
typedef ll_keyed<double, long long> large;

/* Zeros, infinities and NaN of both signs: the order of IEEE 754. */
LAYOUT(LINE, ll_parse("register: i0 i1 | lane: i2 i3 i4 i5 i6 | warp: 0"));
__global__ void special(unsigned *bits) {
    LL_SORT_PLAN(PLAN, LINE, LL_I, 32, TARGET);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    const unsigned some[] = {0x7fc00000u, 0xffc00000u, 0x80000000u, 0,
                             0x7f800000u, 0xff800000u, 0x3f800000u,
                             0xbf800000u};
    float a[LL_REGS(LINE)];
    LL_EACH(r, LINE) {
        unsigned x = some[0];
        LL_UNROLL for (unsigned k = 1; k < 8u; ++k) {
            x = LL_AT(LINE, LL_I, r) * 5u % 8u == k ? some[k] : x;
        }
        memcpy(&a[r], &x, 4);
    }
    LL_SORT(a, a, PLAN, smem, ll_up());
    LL_EACH(r, LINE) {
        memcpy(&bits[LL_AT(LINE, LL_I, r)], &a[r], 4);
    }
}

static void check_special(unsigned *bits) {
    const unsigned want[] = {0xffc00000u, 0xff800000u, 0xbf800000u,
                             0x80000000u, 0, 0x3f800000u, 0x7f800000u,
                             0x7fc00000u};
    unsigned got[128], bad = 0;
    special<<<1, LL_THREADS(LINE)>>>(bits);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(got, bits, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < 128u; ++k) {
        bad += got[k] != want[k / 16u];
    }
    verdict(bad, "special numbers");
}

int main(void) {
    void *device;
    unsigned *places;
    MUST(cudaMalloc(&device, MOST * 16));
    MUST(cudaMalloc((void **)&places, MOST * sizeof *places));
    check<float, BLOCKED, 0, 0, up>("blocked", "float", device, places);
    check<pair, BLOCKED, 1, 0, down>("blocked", "pair", device, places);
    check<small, BLOCKED, 0, 16, up>("blocked", "small pair", device,
                                        places);
    check<signed char, CUSTOM, 1, 0, down>("with copies", "char", device,
                                              places);
    check<pair, CUSTOM, 0, 4, stable>("with copies", "pair in order", device,
                                      places);
    check<large, CUSTOM, 1, 1, down>("with copies", "large pair", device,
                                        places);
    check<pair, TWISTED, 1, 0, up>("twisted", "pair", device, places);
    check<float, PRODUCT, 0, 8, down>("accumulator", "float", device,
                                         places);
    check_special(places);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
