/* numbers.h - what the tests of products share: types of numbers, matrices of
 * small numbers, and where layouts put their elements.
 * SPDX-License-Identifier: MIT
 */
#ifndef NUMBERS_H
#define NUMBERS_H

/* A lambda that a kernel takes; on a GPU nvcc wants --extended-lambda. */
#if LL_EMULATE
#define ON_DEVICE
#else
#define ON_DEVICE __device__
#endif

/* A type: its bits, and the patterns of 0, 1, 2, 3, -1, -2. */
struct number {
    unsigned bits;
    u64 of[6];
};
static const int VALUES[6] = {0, 1, 2, 3, -1, -2};
static const number F16 = {16, {0, 0x3c00, 0x4000, 0x4200, 0xbc00, 0xc000}};
static const number BF16 = {16, {0, 0x3f80, 0x4000, 0x4040, 0xbf80, 0xc000}};
static const number TF32 = {
    32, {0, 0x3f800000, 0x40000000, 0x40400000, 0xbf800000, 0xc0000000}};
static const number F64 = {64,
                           {0, 0x3ff0000000000000, 0x4000000000000000,
                            0x4008000000000000, 0xbff0000000000000,
                            0xc000000000000000}};
static const number E4M3 = {8, {0, 0x38, 0x40, 0x44, 0xb8, 0xc0}};
static const number E5M2 = {8, {0, 0x3c, 0x40, 0x42, 0xbc, 0xc0}};
static const number E2M3 = {8, {0, 0x08, 0x10, 0x14, 0x28, 0x30}};
static const number E3M2 = {8, {0, 0x0c, 0x10, 0x12, 0x2c, 0x30}};
static const number E2M1 = {8, {0, 2 << 2, 4 << 2, 5 << 2, 10 << 2, 12 << 2}};
static const number FP4 = {4, {0, 2, 4, 5, 10, 12}}; /* e2m1, packed */
static const number S8 = {8, {0, 1, 2, 3, 0xff, 0xfe}};
static const number U8 = {8, {0, 1, 2, 3, 0, 0}};
static const number S4 = {4, {0, 1, 2, 3, 0xf, 0xe}};
static const number U4 = {4, {0, 1, 2, 3, 0, 0}};
static const number B1 = {1, {0, 1, 0, 1, 0, 1}};
static const number F32 = TF32;
static const number S32 = {32, {0, 1, 2, 3, ~0ull, ~1ull}};

static int value_of(const number &t, unsigned x) {
    return (&t == &U8 || &t == &U4) && x > 3 ? 0
           : &t == &B1                       ? (int)(x & 1)
                                             : VALUES[x];
}

static unsigned seed_ = 1;
static unsigned drawn(unsigned below) {
    seed_ = seed_ * 1664525u + 1013904223u;
    return (seed_ >> 10) % below;
}

/* A matrix of numbers by their place in VALUES. */
struct matrix {
    unsigned rows, cols;
    unsigned char x[64 * 1024];
    unsigned char &at(unsigned i, unsigned j) { return x[i * cols + j]; }
    void fill(unsigned r, unsigned c) {
        rows = r;
        cols = c;
        for (unsigned k = 0; k < r * c; ++k) {
            x[k] = (unsigned char)drawn(6);
        }
    }
};

/* The row and column of register r of lane l, of warp w. */
static void place(const ll_layout &a, unsigned r, unsigned l, unsigned w,
                  unsigned *i, unsigned *j) {
    const unsigned x = ll_pack(a.in, LL_REGISTER, r) ^
                       ll_pack(a.in, LL_LANE, l) ^ ll_pack(a.in, LL_WARP, w);
    const unsigned y = ll_apply(a, x);
    *i = ll_unpack(a.out, LL_I, y);
    *j = ll_unpack(a.out, LL_J, y);
}

/* The registers of all threads, `stride` bytes for each. */
static void put(u8 *to, unsigned stride, const ll_layout &a, const number &t,
                matrix &m, unsigned threads) {
    const unsigned regs = ll_size(a.in, LL_REGISTER);
    memset(to, 0, (size_t)stride * threads);
    for (unsigned x = 0; x < threads; ++x) {
        for (unsigned r = 0; r < regs; ++r) {
            unsigned i, j;
            place(a, r, x % 32, x / 32, &i, &j);
            u64 v =
                t.of[m.at(i, j)] & (t.bits < 64 ? (1ull << t.bits) - 1 : ~0ull);
            u8 *p = to + (size_t)stride * x + r * t.bits / 8;
            u64 was = 0;
            memcpy(&was, p, t.bits < 8 ? 1 : t.bits / 8);
            was = t.bits < 8 ? was | v << r * t.bits % 8 : v;
            memcpy(p, &was, t.bits < 8 ? 1 : t.bits / 8);
        }
    }
}

/* Puts a tile where its layout in memory says; of one bit, 8 share a byte. */
static void put_tile(u8 *to, const ll_layout &memory, const number &t,
                     matrix &m, bool transposed) {
    for (unsigned o = 0; o < ll_size(memory.in, LL_OFFSET); ++o) {
        const unsigned y = ll_apply(memory, o);
        const unsigned i = ll_unpack(memory.out, LL_I, y);
        const unsigned j = ll_unpack(memory.out, LL_J, y);
        const u64 v = t.of[transposed ? m.at(j, i) : m.at(i, j)];
        u8 *p = to + (size_t)o * t.bits / 8;
        if (t.bits < 8) {
            *p = (u8)(*p & ~(1u << o % 8)) | (u8)(v << o % 8);
        } else {
            memcpy(p, &v, t.bits / 8);
        }
    }
}

static u8 *buffer(size_t bytes) {
    u8 *p = 0;
    cudaMalloc(&p, bytes);
    cudaMemset(p, 0, bytes);
    return p;
}

/* Reads element r of a lane's sums. */
static double sum_at(const u8 *c, const number &t, unsigned lane, unsigned r,
                     unsigned stride) {
    const u8 *p = c + (size_t)stride * lane + r * t.bits / 8;
    float f;
    double d;
    int i;
    unsigned short h;
    if (&t == &S32) {
        memcpy(&i, p, 4);
        return i;
    }
    if (&t == &F64) {
        memcpy(&d, p, 8);
        return d;
    }
    if (&t == &F16) {
        memcpy(&h, p, 2);
        const int e = h >> 10 & 31, m = h & 1023;
        return (h >> 15 ? -1 : 1) *
               (e ? ldexp(m + 1024, e - 25) : ldexp(m, -24));
    }
    memcpy(&f, p, 4);
    return f;
}

#endif
