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
