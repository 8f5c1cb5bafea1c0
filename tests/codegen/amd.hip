/* amd.hip - kernels of ll_amd.h without any header of ROCm, for
 * tests/assemble_amd.py: THE_LANES is the size of a wavefront, THE_GFX the
 * target.
 */
#pragma clang diagnostic ignored "-Wc++20-designator" /* of LL_ROWS */
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#include "ll_ptx.h" /* its tables alone: the compiler is AMD's */
#include "ll_amd.h"

#define TARGET ll_amd_target(THE_GFX, THE_LANES)
#define KERNEL(name, ...)                                                   \
    extern "C" __global__ void name(const unsigned *p, unsigned *o) {       \
        typedef ll_amd_moves_<THE_LANES> V;                                     \
        const unsigned l = LL_AMD_THREAD_, x = p[l];                        \
        o[l] = __VA_ARGS__;                                                 \
    }
KERNEL(exchange_1, V::exchange<1>(x))
KERNEL(exchange_5, V::exchange<5>(x))
KERNEL(exchange_12, V::exchange<12>(x))
KERNEL(exchange_16, V::exchange<16>(x))
KERNEL(exchange_21, V::exchange<21>(x))
#if THE_LANES == 64
KERNEL(exchange_32, V::exchange<32>(x))
KERNEL(exchange_37, V::exchange<37>(x))
#endif
KERNEL(shuffle, V::shuffle(x, p[l + 64]))
KERNEL(permute, V::permute(x, l, 0x5410))

KERNEL(select, V::choose<true>(x, l, p[l + 99] & 1))

LL_LAYOUT(IN, LL_ROWS(.rows = 64, .cols = 64, .lanes = THE_LANES));
LL_LAYOUT(OUT, LL_ROWS(.rows = 64, .cols = 64, .lanes = THE_LANES));
LL_LAYOUT(TURNED, ll_trans(LL_GET(OUT), "j i"));
LL_PLAN(TURN, IN, TURNED, 32, TARGET);
LL_EXPECT_NO_CONFLICTS(TURN);

extern "C" __global__ void transpose(float *dst, const float *src, unsigned n,
                                     unsigned rows, unsigned cols) {
    static __shared__ __attribute__((aligned(16))) unsigned char
        smem[LL_SMEM_BYTES(TURN)];
    float a[LL_REGS(IN)], b[LL_REGS(OUT)];
    LL_LOAD(a, IN, src, n, rows, cols);
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE(b, OUT, dst, n, cols, rows);
}

/* Data that is used once. */
extern "C" __global__ void streamed(float *dst, const float *src,
                                    unsigned rows, unsigned cols) {
    float a[LL_REGS(IN)];
    LL_LOAD_BY(a, IN, LL_STREAM, src, 64, rows, cols);
    LL_STORE_BY(a, IN, LL_STREAM, dst, 64, rows, cols);
}

/* Coordinates are arithmetic on the thread number alone. */
extern "C" __global__ void where(unsigned *p) {
    LL_EACH(r, IN) {
        p[LL_AT(IN, LL_I, r) * 64 + LL_AT(IN, LL_J, r)] = r + LL_REGS(IN);
    }
}

LL_REDUCE_PLAN(SUM, IN, LL_J, 32, TARGET);
extern "C" __global__ void sum(float *dst, const float *src) {
    static __shared__ __attribute__((aligned(16))) unsigned char
        smem[LL_SMEM_BYTES(SUM)];
    float a[LL_REGS(IN)], b[1u << LL_GET(SUM).to_bits];
    LL_LOAD(a, IN, src, 64);
    LL_REDUCE(b, a, SUM, smem, [](float x, float y) { return x + y; });
    dst[LL_AMD_THREAD_] = b[0];
}
