/* rope.cu - how are elements of a row rotated in pairs?
 * SPDX-License-Identifier: MIT
 *
 * A rotary embedding turns pairs of a head's elements by the angle of their
 * token and column. Pairs are (j, j + d/2) in some models and (2j, 2j + 1) in
 * others. The layout gives each lane both elements of its pairs: in the first
 * case the top bit of the column is a bit of the register number, above the
 * eight elements of an access; in the second its lowest bit is one anyway. The
 * kernel is the same for both. The layout of the angles leaves that bit out,
 * and has no bits of the head: lanes of different heads load the same angles,
 * once for all heads of a lane. Tokens of the same position need them again
 * when much else has passed through the L2 cache, which is asked to keep them.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/rows/rope.cu -o rope
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "rows.h"

using namespace ll_kernels;

/* Loads four floats and asks the L2 cache to keep them longer than streamed
 * data. */
__device__ inline void load_kept(float *a, const float *src) {
    float4 v;
#if LL_EMULATE
    v = *(const float4 *)src;
#else
    unsigned long long keep;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(src), "l"(keep)
                 : "memory");
#endif
    memcpy(a, &v, 16);
}

/* The layout of some heads of a token, d elements each. A lane has 8
 * consecutive elements and, if `far`, the 8 that lie d/2 after them. */
LL_FN ll_layout heads_of(unsigned heads, unsigned d, unsigned warps, bool far) {
    const unsigned lanes = d / (far ? 16 : 8), held = 32 / lanes * warps;
    ll_layout a = ll_mul(ll_identity(8, LL_REGISTER, LL_J),
                         ll_identity(lanes, LL_LANE, LL_J));
    a = far ? ll_mul(a, ll_identity(2, LL_REGISTER, LL_J)) : a;
    a = ll_mul(a, ll_identity(32 / lanes, LL_LANE, LL_I));
    a = ll_mul(a, ll_identity(warps, LL_WARP, LL_I));
    return ll_mul(a, ll_identity(heads / held, LL_REGISTER, LL_I));
}

/* The layout of a token's d/2 angles on the same lanes. */
LL_FN ll_layout angles_of(unsigned d, unsigned warps, bool far) {
    const unsigned lanes = d / (far ? 16 : 8);
    ll_layout a = ll_mul(ll_identity(far ? 8 : 4, LL_REGISTER, LL_J),
                         ll_identity(lanes, LL_LANE, LL_J));
    a = ll_mul(a, ll_zeros(32 / lanes, LL_LANE, LL_J, 1));
    return ll_mul(a, ll_zeros(warps, LL_WARP, LL_J, 1));
}

/* dst and src: tokens x heads x D elements. cosine and sine: positions x D/2,
 * of the positions that the tokens have in turn, as in a batch. A block has
 * HEADS heads of a token. */
template <class ELEMENT, unsigned HEADS, unsigned D, unsigned WARPS, bool FAR>
__global__ void __launch_bounds__(32 * WARPS)
    rope(ELEMENT *dst, const ELEMENT *src, const float *cosine,
         const float *sine, unsigned positions) {
    LL_LAYOUT(TILE, heads_of(HEADS, D, WARPS, FAR));
    LL_LAYOUT(ANGLES, angles_of(D, WARPS, FAR));
    constexpr unsigned pair = FAR ? 8 : 1, words = LL_WORDS(TILE, 16);
    const size_t token = blockIdx.x;
    const size_t at = (token * gridDim.y + blockIdx.y) * HEADS * D;
    const size_t row = token % positions * (D / 2);
    unsigned a[words];
    float c[LL_REGS(ANGLES)], s[LL_REGS(ANGLES)];
    LL_LOAD(a, TILE, src + at, D);
    LL_UNROLL
    for (unsigned r = 0; r < LL_REGS(ANGLES); r += 4) {
        load_kept(c + r, cosine + row + LL_AT(ANGLES, LL_J, r));
        load_kept(s + r, sine + row + LL_AT(ANGLES, LL_J, r));
    }
    unsigned b[words];
    put_numbers<ELEMENT>(b, [&](unsigned r) {
        const unsigned angle = FAR ? r % 8 : r / 2 % 4;
        const float x = number<ELEMENT>(a, r), y = number<ELEMENT>(a, r ^ pair);
        return fmaf(x, c[angle], r & pair ? y * s[angle] : -y * s[angle]);
    });
    LL_STORE(b, TILE, dst + at, D);
}

/* Launches rope for tokens of groups * HEADS heads. Returns an error message,
 * or null. */
template <class ELEMENT, unsigned HEADS, unsigned D, unsigned WARPS, bool FAR>
const char *rope_by(ELEMENT *dst, const ELEMENT *src, const float *cosine,
                    const float *sine, unsigned tokens, unsigned groups,
                    unsigned positions) {
    if (!tokens || tokens > 1u << 30 || !groups || groups > 65535 ||
        !positions) {
        return "there are 1 to 2^30 tokens, 1 to 65535 groups of heads, and "
               "positions";
    }
    if (const char *const bad = misplaced(dst, src)) {
        return bad;
    }
    if (const char *const bad = misplaced(cosine, sine)) {
        return bad;
    }
    rope<ELEMENT, HEADS, D, WARPS, FAR>
        <<<dim3(tokens, groups), 32 * WARPS, 0, launch_stream()>>>(
            dst, src, cosine, sine, positions);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

/* Returns how many elements of some tokens are wrong. */
template <class ELEMENT, unsigned HEADS, unsigned D, unsigned WARPS, bool FAR>
unsigned check(unsigned tokens, unsigned groups, unsigned positions) {
    const table<ELEMENT> src(tokens * groups * HEADS, D, 1, -2, 2);
    table<ELEMENT> dst(tokens * groups * HEADS, D);
    table<float> c(positions, D / 2, 2, -1, 1), s(positions, D / 2, 3, -1, 1);
    unsigned wrong = 0;
    MUST(rope_by<ELEMENT, HEADS, D, WARPS, FAR>(
        dst.device, src.device, c.device, s.device, tokens, groups, positions));
    dst.fetch();
    for (unsigned i = 0; i < tokens * groups * HEADS; ++i) {
        const unsigned token = i / (groups * HEADS) % positions;
        for (unsigned k = 0; k < D / 2; ++k) {
            const unsigned j = FAR ? k : 2 * k, far = FAR ? k + D / 2 : j + 1;
            const double x = src.at(i, j), y = src.at(i, far);
            const double p = c.at(token, k), q = s.at(token, k);
            wrong += !(fabs(dst.at(i, j) - (x * p - y * q)) < 2e-2);
            wrong += !(fabs(dst.at(i, far) - (y * p + x * q)) < 2e-2);
        }
    }
    printf("%u tokens of %u heads of %u, pairs %s: %u wrong\n", tokens,
           groups * HEADS, D, FAR ? "half a head apart" : "side by side",
           wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 32, 128, 4, true>(3, 1, 2);
    wrong += check<bf16, 32, 128, 4, false>(3, 1, 2);
    wrong += check<f16, 8, 64, 1, true>(2, 3, 2);
    wrong += check<f16, 16, 64, 2, false>(2, 2, 1);
    const auto by = rope_by<f16, 16, 64, 2, false>;
    alignas(16) float a[8] = {};
    alignas(16) f16 x[8] = {};
    wrong += !by(x, x, a, a, 0, 1, 1) + !by(x, x, a, a, 1, 65536, 1);
    wrong += !by(x, x, a, a, 1, 1, 0) + !by(x, x + 1, a, a, 1, 1, 1);
    wrong += !by(x, x, a, a + 1, 1, 1, 1);
    return verdict(wrong);
}

#endif
