// gather.cu - the three kinds of a gather.
#include "ll_ptx.h"

LL_LAYOUT(OWN, ll_parse("register: j0 j1 | lane: i0 i1 i2 i3 i4"));
LL_LAYOUT(LANES, ll_parse("register: i0 i1 | lane: j0 j1 j2 j3 j4"));
LL_LAYOUT(ROWS, ll_parse("register: j0 j1 | lane: j2 i0 i1 i2 i3 | warp: i4"));
LL_GATHER_PLAN(REGISTERS, OWN, OWN, LL_J, 8, LL_SM75);
LL_GATHER_PLAN(SHUFFLES, LANES, LANES, LL_J, 32, LL_SM75);
LL_GATHER_PLAN(SHARED, ROWS, ROWS, LL_I, 32, LL_SM75);
LL_EXPECT_KIND(REGISTERS, LL_REGISTERS);
LL_EXPECT_KIND(SHUFFLES, LL_SHUFFLES);
LL_EXPECT_KIND(SHARED, LL_SHARED);

template <unsigned N, unsigned M, class PLAN>
__device__ void gather(unsigned *x, const unsigned *index) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];
    unsigned src[N], out[N], idx[M];
    LL_UNROLL for (unsigned r = 0; r < N; ++r) {
        src[r] = x[r * LL_THREADS(ROWS) + threadIdx.x];
    }
    LL_UNROLL for (unsigned r = 0; r < M; ++r) {
        idx[r] = index[r * LL_THREADS(ROWS) + threadIdx.x];
    }
    LL_GATHER(out, src, idx, PLAN, smem);
    LL_UNROLL for (unsigned r = 0; r < N; ++r) {
        x[r * LL_THREADS(ROWS) + threadIdx.x] = out[r];
    }
}

extern "C" __global__ void gather_by_registers(unsigned *x, const unsigned *index) {
    gather<1, 4, REGISTERS>(x, index);
}
extern "C" __global__ void by_shuffles(unsigned *x, const unsigned *index) {
    gather<4, 4, SHUFFLES>(x, index);
}
extern "C" __global__ void gather_by_shared(unsigned *x, const unsigned *index) {
    gather<4, 4, SHARED>(x, index);
}

// CHECK-LABEL: .entry gather_by_registers(
// CHECK-NOT:      {{\.shared\.|bar|shfl}}
// CHECK:          prmt
// CHECK:          ret;
// CHECK-LABEL: .entry by_shuffles(
// CHECK-NOT:      {{\.shared\.|bar|selp}}
// CHECK-COUNT-4:  shfl.sync.idx
// CHECK-NOT:      shfl
// CHECK:          ret;
// CHECK-LABEL: .entry gather_by_shared(
// CHECK-NOT:      shfl
// CHECK-COUNT-4:  st.shared
// CHECK:          bar.sync
// CHECK-COUNT-4:  ld.shared
// CHECK-NOT:      ld.shared
// CHECK:          ret;
