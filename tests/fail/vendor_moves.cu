// ll: include ll_ptx.h (NVIDIA) or ll_amd.h (AMD)
// at:     LL_LOAD(a
#ifdef TWIN
# include "ll_ptx.h"
#endif
#include "ll.h" // alone

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));

template <class T> __global__ void kernel(T *dst, const T *src) {
    T a[LL_REGS(IN)];
    LL_LOAD(a, IN, src, 64);
    LL_EACH(r, IN) { a[r] += LL_AT(IN, LL_J, r); }
    LL_SYNC();
    LL_STORE_BY(a, IN, LL_STREAM, dst, 64);
}
template __global__ void kernel<float>(float *, const float *);
