// constants.cu - arrays of a constant, and shapes, in a kernel.
#include "ll_ptx.h"

LL_LAYOUT(PACKED, ll_ptx_twiddled(4, 16, 10));
LL_TWIDDLE(T, ll_ptx_untwiddle(LL_GET(PACKED), 16, 10));

// The copy is a constant of the kernel, so its masks and shifts are literals.
extern "C" __global__ void unpacked(unsigned *dst, const unsigned *src) {
    constexpr ll_ptx_twiddle t = LL_GET(T);
    const unsigned x = src[threadIdx.x];
    for (unsigned p = 0; p < 4; ++p) {
        dst[p] = (x >> t.shift[p]) & t.mask[p];
    }
}
// CHECK-LABEL: .entry unpacked(
// CHECK-NOT:      ld.local
// CHECK:          and.b32 {{.*}}, 983055;
// CHECK:          ret;

LL_LAYOUT(ROWS, ll_rows(64, 64, 4));
extern "C" __global__ void columns(unsigned *dst) {
    constexpr ll_layout a = LL_GET(ROWS);
    for (unsigned k = 0; k < 4; ++k) {
        dst[k] = a.basis[k];
    }
}
// CHECK-LABEL: .entry columns(
// CHECK-COUNT-4:  st.global.u32
// CHECK:          ret;

// The place of a dimension in a packed number of a constant shape.
extern "C" __global__ void coordinate(unsigned *dst, unsigned x) {
    dst[0] = ll_unpack(LL_GET(ROWS).out, LL_I, x);
}
// ARITHMETIC coordinate: 2 in PTX, 2 in sm_90

extern "C" __global__ void coordinates(unsigned *dst) {
    LL_EACH(r, ROWS) {
        dst[r] = ll_unpack(LL_GET(ROWS).out, LL_I, ll_apply(LL_GET(ROWS), r)) +
                 ll_pack(LL_GET(ROWS).out, LL_I, r) +
                 ll_size(LL_GET(ROWS).out, LL_J);
    }
}
// ARITHMETIC coordinates: 0 in PTX, 0 in sm_90

// A word in the order that the library chose: masks, exponents and an fma for
// each pair, and one shift; in plain order it takes 21 instructions.
extern "C" __global__ void signed_halves(unsigned *dst, const unsigned *src) {
    unsigned a[1] = {src[0]}, b[4];
    LL_CAST(b, a, ll_f16, LL_TWIDDLED(ll_s4, PACKED));
    for (unsigned k = 0; k < 4; ++k) {
        dst[k] = b[k];
    }
}
// ARITHMETIC signed_halves: 9 in PTX, 15 in sm_90
