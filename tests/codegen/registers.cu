// registers.cu - instructions of registers alone: which of them stay.
#include "ll_ptx.h"

// A permutation of bytes that nobody uses is not computed.
extern "C" __global__ void bytes(unsigned *p) {
    unsigned a = p[0], b = p[1];
    unsigned unused = ll_ptx_prmt(b, a, 0x7632);
    p[2] = ll_ptx_prmt(a, b, 0x5410);
    (void)unused;
}
// CHECK-LABEL: .entry bytes(
// CHECK:          prmt.b32
// CHECK-NOT:      prmt.b32
// CHECK:          ret;

// An exchange stays, though unused: the other lanes take part in it.
extern "C" __global__ void lanes(unsigned *p) {
    (void)ll_ptx_shfl_bfly(p[0], 1);
    (void)ll_ptx_movmatrix(p[0]);
}
// CHECK-LABEL: .entry lanes(
// CHECK:          shfl.sync.bfly.b32
// CHECK:          movmatrix.sync.aligned
// CHECK:          ret;
