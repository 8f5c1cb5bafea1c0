// transpose.cu - a transpose in each element size, complete: every access of
// memory moves 16 bytes, and what lies between them is straight-line code.
#include "ll_ptx.h"

// 64 x 64 elements; each lane holds 16 bytes of a row, and as many rows as can
// make 16 bytes of a column, or 4.
constexpr ll_layout tile(unsigned bytes) {
    const ll_shape none = LL_ZERO;
    const unsigned sizes[] = {64, 64};
    const unsigned wide = 16 / bytes;
    const unsigned across = 64 / wide < 32 ? 64 / wide : 32;
    return ll_blocked(
        ll_tensor(2, sizes),
        ll_with(ll_with(none, LL_J, wide), LL_I, wide < 4 ? wide : 4),
        ll_with(ll_with(none, LL_J, across), LL_I, 32 / across),
        ll_with(none, LL_I, bytes == 1 ? 2 : 4));
}

#define TRANSPOSE(NAME, T)                                                  \
    extern "C" __global__ void NAME(T *dst, const T *src, unsigned n) {     \
        LL_LAYOUT(IN, tile(sizeof(T)));                                     \
        LL_LAYOUT(TURNED, ll_trans(tile(sizeof(T)), "j i"));                \
        LL_PLAN(TURN, IN, TURNED, 8 * sizeof(T), LL_SM90);                  \
        LL_EXPECT_NO_CONFLICTS(TURN);                                       \
        __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];   \
        T a[LL_REGS(IN)], b[LL_REGS(IN)];                                   \
        const unsigned i = blockIdx.y * 64, j = blockIdx.x * 64;            \
        LL_LOAD(a, IN, src + i * n + j, n);                                 \
        LL_CONVERT(b, a, TURN, smem);                                       \
        LL_STORE(b, IN, dst + j * n + i, n);                                \
    }

TRANSPOSE(transpose_8, unsigned char)
// CHECK-LABEL: .entry transpose_8(
// CHECK-NOT:      ld.shared
// CHECK-COUNT-4:  ld.global.v4.u32
// CHECK-NOT:      ld.global
// CHECK-COUNT-4:  st.shared.v4.u32
// CHECK-NOT:      st.shared
// CHECK:          bar.sync
// CHECK-COUNT-4:  ld.shared.v4.u32
// CHECK-NOT:      {{ld.shared|bar}}
// CHECK-COUNT-4:  st.global.v4.u32
// CHECK-NOT:      st.global
// CHECK:          ret;

TRANSPOSE(transpose_16, unsigned short)
// CHECK-LABEL: .entry transpose_16(
// CHECK-COUNT-4:  ld.global.v4.u32
// CHECK-NOT:      ld.global
// CHECK-COUNT-4:  st.shared.v4.u32
// CHECK-NOT:      st.shared
// CHECK:          bar.sync
// CHECK-COUNT-4:  ld.shared.v4.u32
// CHECK-NOT:      {{ld.shared|bar}}
// CHECK-COUNT-4:  st.global.v4.u32
// CHECK-NOT:      st.global
// CHECK:          ret;

TRANSPOSE(transpose_32, float)
// CHECK-LABEL: .entry transpose_32(
// CHECK-COUNT-8:  ld.global.v4.u32
// CHECK-NOT:      ld.global
// CHECK-COUNT-8:  st.shared.v4.u32
// CHECK-NOT:      st.shared
// CHECK:          bar.sync
// CHECK-COUNT-8:  ld.shared.v4.u32
// CHECK-NOT:      {{ld.shared|bar}}
// CHECK-COUNT-8:  st.global.v4.u32
// CHECK-NOT:      st.global
// CHECK:          ret;

TRANSPOSE(transpose_64, double)
// CHECK-LABEL: .entry transpose_64(
// CHECK-COUNT-16: ld.global.v4.u32
// CHECK-NOT:      ld.global
// CHECK-COUNT-16: st.shared.v4.u32
// CHECK-NOT:      st.shared
// CHECK:          bar.sync
// CHECK-COUNT-16: ld.shared.v4.u32
// CHECK-NOT:      {{ld.shared|bar}}
// CHECK-COUNT-16: st.global.v4.u32
// CHECK-NOT:      st.global
// CHECK:          ret;
