// reduce.cu - reductions within lanes, within warps and across warps; a scan.
#define LL_SORTS
#include "ll_ptx.h"

LL_LAYOUT(TALL, ll_parse("register: j0 j1 i2 | lane: j2 j3 j4 j5 j6 | "
                         "warp: i0 i1"));
LL_LAYOUT(ROWS, ll_rows(32, 32, 4));
LL_REDUCE_PLAN(COLUMNS, TALL, LL_I, 32, LL_SM75);
LL_REDUCE_PLAN(LINES, ROWS, LL_J, 32, LL_SM75);

#define REDUCE(NAME, IN, PLAN, AXIS)                                        \
    LL_LAYOUT(NAME##_out, ll_reduce(LL_GET(IN), AXIS));                     \
    extern "C" __global__ void NAME(float *dst, const float *src) {         \
        __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(PLAN)];   \
        float a[LL_REGS(IN)], b[LL_REGS(NAME##_out)];                       \
        LL_LOAD(a, IN, src, ll_size(LL_GET(IN).out, LL_J));                 \
        LL_REDUCE(b, a, PLAN, smem,                                         \
                  [](float x, float y) { return x + y; });                  \
        LL_STORE(b, NAME##_out, dst, 0);                                    \
    }
REDUCE(by_columns, TALL, COLUMNS, 0)
REDUCE(by_lines, ROWS, LINES, 1)

// Eight rows over two warps.
LL_LAYOUT(EIGHT, ll_parse("register: i0 i1 i2 | lane: j0 j1 j2 i3 i4 | "
                          "warp: j3"));
LL_REDUCE_PLAN(EIGHT_LINES, EIGHT, LL_J, 32, LL_SM75);
REDUCE(by_warps, EIGHT, EIGHT_LINES, 1)

// The same, each lane bit with a bit of the row.
LL_LAYOUT(TWISTED, ll_parse("register: i0 i1 i2 | lane: j0^i0 j1^i1 j2^i2 i3 "
                            "i4 | warp: j3"));
LL_REDUCE_PLAN(TWISTED_LINES, TWISTED, LL_J, 32, LL_SM75);
REDUCE(by_twisted_warps, TWISTED, TWISTED_LINES, 1)

LL_SCAN_PLAN(UP_TO, ROWS, LL_J, 32, LL_SM75);
extern "C" __global__ void by_scan(float *dst, const float *src) {
    float a[LL_REGS(ROWS)], b[LL_REGS(ROWS)];
    LL_LOAD(a, ROWS, src, 32);
    LL_SCAN(b, a, UP_TO, nullptr, [](float x, float y) { return x + y; });
    LL_STORE(b, ROWS, dst, 32);
}

// A line in all lanes of a warp, of integers, by an operation with a name.
LL_LAYOUT(WHOLE, ll_parse("register: j5 i0 | lane: j0 j1 j2 j3 j4"));
LL_REDUCE_PLAN(WHOLE_LINES, WHOLE, LL_J, 32, LL_SM75);
extern "C" __global__ void by_name(int *dst, const int *src) {
    int a[LL_REGS(WHOLE)], b[2];
    LL_LOAD(a, WHOLE, src, 64);
    LL_REDUCE(b, a, WHOLE_LINES, nullptr, ll_max());
    dst[threadIdx.x] = b[0] + b[1];
}

// Four registers of a lane are in order after six comparisons.
LL_LAYOUT(ROWS_OF_FOUR, ll_parse("register: i0 i1 | lane: j0 j1 j2 j3 j4"));
LL_SORT_PLAN(FOUR, ROWS_OF_FOUR, LL_I, 32, LL_SM75);
extern "C" __global__ void by_sort(int *dst) {
    int a[4];
    LL_EACH(r, ROWS_OF_FOUR) { a[r] = dst[r * 32 + threadIdx.x]; }
    LL_SORT(a, a, FOUR, nullptr, ll_up());
    LL_EACH(r, ROWS_OF_FOUR) { dst[r * 32 + threadIdx.x] = a[r]; }
}

// Eight registers, four columns of two rows: four sums, of four warps.
// CHECK-LABEL: .entry by_columns(
// CHECK-COUNT-4:  add.{{.*}}f32
// CHECK-NOT:      {{shfl|add.*f32}}
// CHECK:          st.shared.v4
// CHECK-NOT:      st.shared
// CHECK:          bar.sync
// CHECK-COUNT-4:  ld.shared.v4
// CHECK-NOT:      {{shfl|ld.shared|bar}}
// CHECK-COUNT-12: add.{{.*}}f32
// CHECK-NOT:      {{shfl|ld.shared|bar|add.*f32}}
// CHECK:          ret;
// Two lines of four columns; eight lanes hold a line, three rounds. From the
// first one on a lane has one line, at the end it fetches the other.
// CHECK-LABEL: .entry by_lines(
// CHECK-NOT:      {{\.shared\.|bar\.}}
// CHECK-COUNT-4:  shfl.sync.bfly
// CHECK-NOT:      {{shfl|\.shared\.|bar\.}}
// CHECK:          ret;
// A lane sends four, two and one of its eight rows, and stores the one that it
// keeps; eight totals of each of two warps come back.
// CHECK-LABEL: .entry by_warps(
// CHECK-NOT:      {{\.shared\.|bar\.}}
// CHECK-COUNT-7:  shfl.sync.bfly
// CHECK-NOT:      {{shfl|bar\.}}
// CHECK:          st.shared.{{[bfu]}}32
// CHECK-NOT:      {{shfl|st\.shared}}
// CHECK:          bar.sync
// CHECK-COUNT-4:  ld.shared.v4
// CHECK-NOT:      {{shfl|\.shared\.|bar\.}}
// CHECK:          ret;
// Here both lanes of a round keep the same rows: nothing is selected.
// CHECK-LABEL: .entry by_twisted_warps(
// CHECK-NOT:      {{\.shared\.|bar\.|selp}}
// CHECK-COUNT-7:  shfl.sync.bfly
// CHECK-NOT:      {{shfl|bar\.|selp}}
// CHECK:          st.shared.{{[bfu]}}32
// CHECK-NOT:      {{shfl|st\.shared}}
// CHECK:          bar.sync
// CHECK-COUNT-16: ld.shared
// CHECK-NOT:      {{shfl|\.shared\.|bar\.}}
// CHECK:          ret;
// A line is four registers and eight lanes: three totals of two lines from other
// lanes.
// CHECK-LABEL: .entry by_scan(
// CHECK-NOT:      {{\.shared\.|bar\.}}
// CHECK-COUNT-6:  shfl.sync.bfly
// CHECK-NOT:      {{shfl|\.shared\.|bar\.}}
// CHECK:          ret;
// Two registers of each of two lines, then one instruction a line.
// CHECK-LABEL: .entry by_name(
// CHECK-NOT:      {{shfl|redux|\.shared\.|bar\.}}
// CHECK-COUNT-2:  max.s32
// CHECK-COUNT-2:  redux.sync.max.s32
// CHECK-NOT:      {{shfl|redux|max|\.shared\.|bar\.}}
// CHECK:          ret;
// Two comparisons in each of three steps, in registers alone.
// CHECK-LABEL: .entry by_sort(
// CHECK-NOT:      {{shfl|selp|setp|\.shared\.|bar\.}}
// CHECK-COUNT-6:  {{(min|max).s32}}
// CHECK-NOT:      {{shfl|selp|setp|\.shared\.|bar\.}}
// CHECK-COUNT-6:  {{(min|max).s32}}
// CHECK-NOT:      {{shfl|selp|setp|\.shared\.|bar\.}}
// CHECK:          ret;
