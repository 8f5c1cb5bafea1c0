// ll: LL_LOAD(a, LAYOUT, src, ld [, rows, cols]): a must be an array, not a pointer, src a pointer to elements, and ld, rows and cols numbers
// and: ll: LL_STORE(a, LAYOUT, dst, ld [, rows, cols]): a must be an array, not a pointer, dst a pointer to elements, and ld, rows and cols numbers
// and: ll: LL_CONVERT(b, a, PLAN, smem): b and a must be arrays, not pointers
// and: ll: LL_STORE_SHARED(a, PLAN, smem): a must be an array, not a pointer
// and: ll: LL_LOAD_SHARED(b, PLAN, smem): b must be an array, not a pointer
// and: ll: LL_COPY(PLAN, smem, src, ld [, rows, cols]): src must be a pointer to elements, ld, rows and cols numbers, with both rows and cols or neither
// and: ll: LL_REDUCE(b, a, PLAN, smem, op): b and a must be arrays of one type, not pointers, and op an operation
// and: ll: LL_REDUCE_EACH(c, a, PLAN, smem, op): c and a must be arrays of one type, not pointers, and op an operation
// and: ll: LL_SCAN(b, a, PLAN, smem, op): b and a must be arrays of one type, not pointers, and op an operation
// and: ll: LL_SCAN_BEFORE(b, a, PLAN, smem, op, first): b and a must be arrays of one type, not pointers, op an operation and first an element
// and: ll: LL_GATHER(out, src, idx, PLAN, smem): out, src and idx must be arrays, not pointers, idx of unsigned
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_LAYOUT(LINE, ll_reduce(LL_GET(IN), LL_J));
LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
LL_PLAN_BY(FEED, IN, IN, 32, LL_SM90, LL_COPIES);
LL_REDUCE_PLAN(SUM, IN, LL_J, 32, LL_SM90);
LL_SCAN_PLAN(RUN, IN, LL_J, 32, LL_SM90);
LL_GATHER_PLAN(LOOK, IN, IN, LL_J, 32, LL_SM90);

#ifdef TWIN
typedef float (&registers)[LL_REGS(IN)];
typedef float number;
typedef unsigned word;
#define FITS ll_add(), 0
#define ROWS 64, 64, 64
#else
typedef float *registers;
typedef double number;
typedef int word;
#define FITS ll_add()
#define ROWS 64, 64
#endif

__global__ void kernel(float *dst, const float *src) {
    __shared__ __align__(16) unsigned char smem[16384];
    float array[LL_REGS(IN)];
    number line[LL_REGS(LINE)], scanned[LL_REGS(IN)];
    word idx[LL_REGS(IN)] = {0};
    registers a = array;
    LL_LOAD(a, IN, src, 64);
    LL_CONVERT(a, a, TURN, smem);
    LL_STORE_SHARED(a, TURN, smem);
    LL_LOAD_SHARED(a, TURN, smem);
    LL_COPY(FEED, smem, src, ROWS);
    LL_REDUCE(line, array, SUM, smem, ll_add());
    LL_REDUCE_EACH(scanned, array, SUM, smem, ll_add());
    LL_SCAN(scanned, array, RUN, smem, ll_add());
    LL_SCAN_BEFORE(array, array, RUN, smem, FITS);
    LL_GATHER(array, array, idx, LOOK, smem);
    LL_STORE(a, IN, dst, 64);
    dst[0] = (float)line[0];
}
