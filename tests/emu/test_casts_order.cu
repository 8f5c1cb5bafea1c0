/* test_casts_order.cu - LL_CAST of words whose bits are in another order: every
 * value in every place of a word, against packing by definition of the layout.
 * SPDX-License-Identifier: MIT
 */
#include "../definition.h"

#include "../../ll_ptx.h"

enum { S4, U4, E2M1 };

/* The orders that the library chooses, and others that need more shifts. */
LL_LAYOUT(FOR_F16, ll_ptx_twiddled(4, 16, 10));
LL_LAYOUT(FOR_BF16, ll_ptx_twiddled(4, 16, 7));
LL_LAYOUT(FOR_BYTES, ll_ptx_twiddled(4, 8, 8));
LL_LAYOUT(ENDS, ll_parse("offset: bit0 bit1 e2 e1 e0"));

/* The numbers of a type, by hand. */
static double number(int from, unsigned v) {
    static const double magnitude[8] = {0, .5, 1, 1.5, 2, 3, 4, 6};
    return from == S4   ? (double)(int)v - (v & 8 ? 16 : 0)
           : from == U4 ? v
                        : (v & 8 ? -1 : 1) * magnitude[v & 7];
}

/* Bits of a container: an integer, or a 16-bit float, exact. */
static unsigned encoded(double x, bool negative, unsigned man, unsigned bias) {
    unsigned e = bias;
    double a = x < 0 ? -x : x;
    const unsigned sign = negative ? 0x8000u : 0u;
    if (a == 0) {
        return sign;
    }
    for (; a >= 2; ++e) {
        a /= 2;
    }
    for (; a < 1; --e) {
        a *= 2;
    }
    return sign | e << man | (unsigned)((a - 1) * (1u << man));
}

template <class TO> struct to_of { enum : unsigned { bits = 8 }; };
template <> struct to_of<ll_f16> {
    enum : unsigned { bits = 16, man = 10, bias = 15 };
};
template <> struct to_of<ll_bf16> {
    enum : unsigned { bits = 16, man = 7, bias = 127 };
};

template <class TO> static unsigned wanted(int from, unsigned v) {
    const double x = number(from, v);
    if constexpr (to_of<TO>::bits == 16) {
        const bool minus = x < 0 || (from == E2M1 && v & 8);
        return encoded(x, minus, to_of<TO>::man, to_of<TO>::bias);
    } else {
        return (unsigned)(int)x & 255u;
    }
}

/* The word with number v(e) for element e. */
static unsigned packed(const ll_layout *a, const unsigned char *v) {
    unsigned word = 0;
    for (unsigned k = 0; k < 32; ++k) {
        const unsigned at = value(a, k);
        for (unsigned e = 0; e < 8; ++e) {
            for (unsigned bit = 0; bit < 4; ++bit) {
                if (at == (placed(&a->out, ll_dim_of("e"), e) ^
                           placed(&a->out, ll_dim_of("bit"), bit))) {
                    word |= (v[e] >> bit & 1u) << k;
                }
            }
        }
    }
    return word;
}

enum { WORDS = 2, THREADS = 128 };

template <class TO, class FROM, class ORDER>
__global__ void cast(unsigned *y, const unsigned *x) {
    constexpr unsigned each = to_of<TO>::bits / 4u;
    unsigned a[WORDS], b[WORDS * each];
    for (unsigned k = 0; k < WORDS; ++k) {
        a[k] = x[threadIdx.x * WORDS + k];
    }
    LL_CAST(b, a, TO, LL_TWIDDLED(FROM, ORDER));
    for (unsigned k = 0; k < WORDS * each; ++k) {
        y[threadIdx.x * WORDS * each + k] = b[k];
    }
}

/* Thread 16 e + v has value v in place e of its words; the others differ. */
template <class TO, class FROM, class ORDER>
static unsigned wrong(int from) {
    constexpr unsigned bits = to_of<TO>::bits, all = THREADS * WORDS;
    const ll_layout a = LL_GET(ORDER);
    static unsigned char v[THREADS * WORDS][8];
    unsigned *x, *y, n = 0;
    cudaMallocManaged(&x, all * sizeof *x);
    cudaMallocManaged(&y, all * bits / 4u * sizeof *y);
    for (unsigned w = 0; w < all; ++w) {
        const unsigned thread = w / WORDS;
        for (unsigned e = 0; e < 8; ++e) {
            v[w][e] = e == thread / 16u ? thread % 16u
                                        : (thread * 7u + w * 5u + e * 11u) % 16u;
        }
        x[w] = packed(&a, v[w]);
    }
    cast<TO, FROM, ORDER><<<1, THREADS>>>(y, x);
    n += cudaDeviceSynchronize() != cudaSuccess;
    for (unsigned k = 0; k < all * 8u; ++k) {
        const unsigned word = y[k * bits / 32u];
        const unsigned got = word >> k * bits % 32u & ((1u << bits) - 1u);
        n += got != wanted<TO>(from, v[k / 8u][k % 8u]);
    }
    cudaFree(x), cudaFree(y);
    return n;
}

template <class TO, class ORDER> static unsigned wrong_wide(void) {
    return wrong<TO, ll_s4, ORDER>(S4) + wrong<TO, ll_u4, ORDER>(U4) +
           wrong<TO, ll_e2m1, ORDER>(E2M1);
}

static void wide_numbers_are_those_that_were_packed(void) {
    CHECK((wrong_wide<ll_f16, FOR_F16>()) == 0);
    CHECK((wrong_wide<ll_f16, FOR_BF16>()) == 0);
    CHECK((wrong_wide<ll_f16, ENDS>()) == 0);
    CHECK((wrong_wide<ll_bf16, FOR_F16>()) == 0);
    CHECK((wrong_wide<ll_bf16, FOR_BF16>()) == 0);
    CHECK((wrong_wide<ll_bf16, ENDS>()) == 0);
}

static void bytes_are_those_that_were_packed(void) {
    CHECK((wrong<ll_s8, ll_s4, FOR_BYTES>(S4)) == 0);
    CHECK((wrong<ll_s8, ll_u4, FOR_BYTES>(U4)) == 0);
    CHECK((wrong<ll_u8, ll_u4, FOR_BYTES>(U4)) == 0);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(wide_numbers_are_those_that_were_packed);
    RUN(bytes_are_those_that_were_packed);
    return test_end();
}
