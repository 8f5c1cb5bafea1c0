// ll: the array of shared memory has given_ bytes below, but must have needed_: LL_SMEM_BYTES of the plan
// shows: (given_=8192U?, needed_=16384U?|ll_bytes_are_<8192U?, 16384U?>)
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
#ifdef TWIN
enum { BYTES = LL_SMEM_BYTES(TURN) };
#else
enum { BYTES = LL_SMEM_BYTES(TURN) / 2 };
#endif

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[2][BYTES];
    extern __shared__ __align__(16) unsigned char dynamic[];
    float a[LL_REGS(IN)], b[LL_REGS(OUT)];
    LL_LOAD(a, IN, src, 64);
    LL_CONVERT(b, a, TURN, dynamic);
    LL_CONVERT(b, a, TURN, &smem[0][0]);
    LL_CONVERT(b, a, TURN, smem[1]);
    LL_STORE(b, OUT, dst, 64);
}
