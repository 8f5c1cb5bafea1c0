/* rmsnorm_backward.cu - how does a row's reduction run under the row before it?
 * SPDX-License-Identifier: MIT
 *
 * The gradient of an rmsnorm needs two sums over each row, of x^2 and of dout *
 * gain * x, before the row can be written, and those of the gradient of gain
 * over all rows, as in norm_backward.cu. Warps and blocks would wait for each
 * other once a row. Here each row is read from shared memory twice: for its own
 * sums, and to be written, when the sums of the next row are on their way. A
 * lane has 16 bytes of a row in registers at a time, which leaves room for the
 * sums over rows.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/rows/rmsnorm_backward.cu
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "norm_backward.h"

using namespace ll_kernels;

/* Writes the gradient of x to dx, rows x n: with y = x / sqrt(mean of x^2 +
 * least), the gradient of y is w = dout * gain. Writes each cluster's part of
 * the gradient of gain to `sums`, a row of n numbers per cluster. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, bool FULL_TILE, unsigned PREFETCH>
__global__ void __launch_bounds__(32 * WARPS,
                                  blocks_held(PER_LANE * 2 + 64, WARPS))
    rmsnorm_backward(unsigned rows, unsigned n, unsigned *count, ELEMENT *dx,
                     float *sums, const ELEMENT *dout, const ELEMENT *x,
                     const ELEMENT *gain, float least) {
    LL_LAYOUT(ROW_LAYOUT, row_of(16 / sizeof(ELEMENT), PER_LANE, WARPS, 1, 1));
    typedef row_stream<ELEMENT, ROW_LAYOUT, CLUSTER_BLOCKS, FULL_TILE, PREFETCH>
        rows_type;
    constexpr unsigned wide = 16 / sizeof(ELEMENT);
    __shared__ row_reducer<float2, WARPS, CLUSTER_BLOCKS, 1, 4> team;
    extern __shared__ __align__(128) unsigned char slots[];
    unsigned char *const other = slots + to_line(rows_type::bytes);
    rows_type here(rows, n, count);
    unsigned a[4], d[4], g[here.words];
    float of_gain[PER_LANE] = {};
    const float by = 1 / (float)n;
    team.start();
    here.start(slots, x);
    rows_type(rows, n).start(other, dout);
    here.load_weights(g, gain);
    here.fill(g, (ELEMENT)0.0f);
    const auto sums_of = [&](const rows_type &row) {
        float2 own[2] = {};
        row.wait(slots);
        row.wait(other);
        keep_packed(g);
        LL_UNROLL
        for (unsigned r = 0; r < PER_LANE; r += wide) {
            row.bring(a, r, slots, x);
            row.bring(d, r, other, dout);
            row.fill(a, r, (ELEMENT)0.0f);
            row.fill(d, r, (ELEMENT)0.0f);
            LL_UNROLL
            for (unsigned k = 0; k < wide; ++k) {
                const float z = number<ELEMENT>(a, k);
                const float w =
                    number<ELEMENT>(d, k) * number<ELEMENT>(g, r + k);
                own[k % 2].x = fmaf(z, z, own[k % 2].x);
                own[k % 2].y = fmaf(w, z, own[k % 2].y);
            }
        }
        return plus()(own[0], own[1]);
    };
    const auto write = [&](const rows_type &row, float2 all) {
        const float scale = rsqrtf(all.x * by + least);
        const float part = -scale * scale * scale * (all.y * by);
        keep_packed(g);
        LL_UNROLL
        for (unsigned r = 0; r < PER_LANE; r += wide) {
            row.bring(a, r, slots, x);
            row.bring(d, r, other, dout);
            unsigned to[4];
            put_numbers<ELEMENT>(to, [&](unsigned k) {
                const float z = number<ELEMENT>(a, k),
                            e = number<ELEMENT>(d, k) * scale;
                of_gain[r + k] = fmaf(e, z, of_gain[r + k]);
                return fmaf(e, number<ELEMENT>(g, r + k), z * part);
            });
            row.store(dx, r, to);
        }
        row.fetch(slots, x);
        row.fetch(other, dout);
    };
    each_row(team, here, plus(), sums_of, write);
    ll_ptx_griddepcontrol_launch_dependents();
    LL_EACH(r, ROW_LAYOUT) {
        if (here.column(r) >= 0 && here.column(r) < here.stop()) {
            sums[blockIdx.x / CLUSTER_BLOCKS * (size_t)n + here.column(r)] =
                of_gain[r];
        }
    }
    team.end();
}

/* Launches it for rows of n elements, as norm_by; PREFETCH is at least 2.
 * `sums` has room for most_parts(n) * n numbers. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned PREFETCH>
const char *rmsnorm_backward_by(ELEMENT *dx, ELEMENT *dgain, float *sums,
                                const ELEMENT *dout, const ELEMENT *x,
                                const ELEMENT *gain, unsigned rows, unsigned n,
                                float least) {
    unsigned parts = 0;
    const char *bad = misplaced_any(dx, dout, x, gain);
    bad =
        bad ? bad
            : launch_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, 1,
                          PREFETCH>(
                  rmsnorm_backward<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                                   true, PREFETCH>,
                  rmsnorm_backward<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS,
                                   false, PREFETCH>,
                  {rows, n, 2, most_parts(n), true, &parts, false, to_line(1)},
                  dx, sums, dout, x, gain, least);
    return bad ? bad
               : add_parts<CLUSTER_BLOCKS>(dgain, (ELEMENT *)nullptr, sums,
                                           parts, n);
}

#ifndef LL_NO_MAIN

template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned PREFETCH>
unsigned check(unsigned rows, unsigned n) {
    const table<ELEMENT> x(rows, n, 1, 3, 5), dout(rows, n, 2, -1, 1);
    const table<ELEMENT> gain(1, n, 3, -1, 1);
    table<ELEMENT> dx(rows, n), dgain(1, n);
    table<float> sums(most_parts(n), n);
    MUST(
        rmsnorm_backward_by<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, PREFETCH>(
            dx.device, dgain.device, sums.device, dout.device, x.device,
            gain.device, rows, n, 1e-5f));
    dx.fetch(), dgain.fetch();
    return wrong_gradients(dx, dgain, dgain, x, dout, gain, false,
                           CLUSTER_BLOCKS);
}

int main(void) {
    unsigned wrong = check<bf16, 16, 2, 1, 3>(20, 1024);
    wrong += check<float, 8, 2, 1, 2>(67, 509);
    wrong += check<f16, 16, 1, 2, 2>(35, 1013);
    wrong += check<bf16, 16, 2, 2, 3>(67, 2048);
    return verdict(wrong);
}

#endif
