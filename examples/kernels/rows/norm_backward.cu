/* norm_backward.cu - how do sums over rows and over columns share one reading?
 * SPDX-License-Identifier: MIT
 *
 * With y = (x - mean) / deviation, the gradient of a layernorm with respect to
 * its input needs two sums over each row, of w = dout * gain and of w * y. One
 * reduction makes them together with the mean and the deviation. The
 * gradients of gain and bias are sums over all rows, of dout * y and of dout.
 * Blocks that go from row to row, as in norm.cu, have the same columns in the
 * same registers all the time, and add up the sums over rows there. Each block
 * writes its sums once. A second kernel adds those of all blocks, always in the
 * same order. Each row is read from shared memory twice: rmsnorm_backward.cu
 * says why.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/rows/norm_backward.cu
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "norm_backward.h"

using namespace ll_kernels;

/* Writes the gradient of x to dx, rows x n, and each cluster's parts of the
 * gradients of gain and bias to `sums`, a row of n pairs per cluster. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, bool FULL_TILE, unsigned PREFETCH>
__global__ void __launch_bounds__(32 * WARPS,
                                  blocks_held(FULL_TILE &&WARPS > 1 &&
                                                      CLUSTER_BLOCKS == 1
                                                  ? PER_LANE * 8
                                                  : PER_LANE * 2 + 104,
                                              WARPS))
    norm_backward(unsigned rows, unsigned n, unsigned *count, ELEMENT *dx,
                  float2 *sums, const ELEMENT *dout, const ELEMENT *x,
                  const ELEMENT *gain, float least) {
    LL_LAYOUT(ROW_LAYOUT, row_of(16 / sizeof(ELEMENT), PER_LANE, WARPS, 1, 1));
    typedef row_stream<ELEMENT, ROW_LAYOUT, CLUSTER_BLOCKS, FULL_TILE, PREFETCH>
        rows_type;
    constexpr unsigned wide = 16 / sizeof(ELEMENT);
    __shared__ row_reducer<weighted, WARPS, CLUSTER_BLOCKS, 1, 4> team;
    extern __shared__ __align__(128) unsigned char slots[];
    unsigned char *const other = slots + to_line(rows_type::bytes);
    rows_type here(rows, n, count);
    unsigned a[4], d[4], g[here.words];
    float of_gain[PER_LANE] = {}, of_bias[PER_LANE] = {};
    const float by = 1 / (float)n;
    team.start();
    here.start(slots, x);
    rows_type(rows, n).start(other, dout);
    here.load_weights(g, gain);
    here.fill(g, (ELEMENT)0.0f);
    float shift = FULL_TILE ? 0 : here.first_of(x, here.row),
          last_shift = shift;
    const auto sums_of = [&](const rows_type &row) {
        weighted own[2] = {};
        float pivot = 0;
        last_shift = shift;
        shift = FULL_TILE ? 0 : row.first_of(x, row.row);
        row.wait(slots);
        row.wait(other);
        keep_packed(g);
        LL_UNROLL
        for (unsigned r = 0; r < PER_LANE; r += wide) {
            row.bring(a, r, slots, x);
            row.bring(d, r, other, dout);
            row.fill(a, r, (ELEMENT)shift);
            row.fill(d, r, (ELEMENT)0.0f);
            pivot = r ? pivot : number<ELEMENT>(a, 0);
            LL_UNROLL
            for (unsigned k = 0; k < wide; ++k) {
                const float z = number<ELEMENT>(a, k) - pivot;
                const float w =
                    number<ELEMENT>(d, k) * number<ELEMENT>(g, r + k);
                weighted &p = own[k % 2];
                p.mean += z, p.square = fmaf(z, z, p.square);
                p.sum += w, p.product = fmaf(w, z, p.product);
            }
        }
        return of_lane(own[0], own[1], PER_LANE, pivot, shift);
    };
    const auto write = [&](const rows_type &row, weighted all) {
        const float2 of_x = make_float2(all.mean, all.square);
        const float2 of =
            FULL_TILE ? of_x
                      : of_row(of_x, PER_LANE * WARPS * 32 * CLUSTER_BLOCKS,
                               (float)n);
        const float down = of.x + last_shift, scale = rsqrtf(of.y + least);
        const float low = -scale * (all.sum * by);
        const float part = -scale * scale * scale *
                           ((all.product + all.sum * (all.mean - of.x)) * by);
        last_shift = shift;
        keep_packed(g);
        LL_UNROLL
        for (unsigned r = 0; r < PER_LANE; r += wide) {
            row.bring(a, r, slots, x);
            row.bring(d, r, other, dout);
            unsigned to[4];
            put_numbers<ELEMENT>(to, [&](unsigned k) {
                const float z = number<ELEMENT>(a, k) - down;
                const float e = number<ELEMENT>(d, k) * scale;
                of_gain[r + k] = fmaf(e, z, of_gain[r + k]);
                of_bias[r + k] += number<ELEMENT>(d, k);
                return fmaf(e, number<ELEMENT>(g, r + k), fmaf(z, part, low));
            });
            row.store(dx, r, to);
        }
        row.fetch(slots, x);
        row.fetch(other, dout);
    };
    each_row(team, here, merged(), sums_of, write);
    ll_ptx_griddepcontrol_launch_dependents();
    LL_EACH(r, ROW_LAYOUT) {
        if (here.column(r) >= 0 && here.column(r) < here.stop()) {
            sums[blockIdx.x / CLUSTER_BLOCKS * (size_t)n + here.column(r)] =
                make_float2(of_gain[r], of_bias[r]);
        }
    }
    team.end();
}

/* Rows of n elements, as for norm_by. sums: most_parts(n) * n pairs. */
template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned PREFETCH>
const char *norm_backward_by(ELEMENT *dx, ELEMENT *dgain, ELEMENT *dbias,
                             float2 *sums, const ELEMENT *dout,
                             const ELEMENT *x, const ELEMENT *gain,
                             unsigned rows, unsigned n, float least) {
    unsigned parts = 0;
    const char *bad = misplaced_any(dx, dout, x, gain);
    bad =
        bad ? bad
            : launch_rows<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, 1,
                          PREFETCH>(
                  norm_backward<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, true,
                                PREFETCH>,
                  norm_backward<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, false,
                                PREFETCH>,
                  {rows, n, 2, most_parts(n), true, &parts, false, to_line(1)},
                  dx, sums, dout, x, gain, least);
    return bad ? bad : add_parts<CLUSTER_BLOCKS>(dgain, dbias, sums, parts, n);
}

#ifndef LL_NO_MAIN

template <class ELEMENT, unsigned PER_LANE, unsigned WARPS,
          unsigned CLUSTER_BLOCKS, unsigned PREFETCH>
unsigned check(unsigned rows, unsigned n) {
    const table<ELEMENT> x(rows, n, 1, 3, 5), dout(rows, n, 2, -1, 1);
    const table<ELEMENT> gain(1, n, 3, -1, 1);
    table<ELEMENT> dx(rows, n), dgain(1, n), dbias(1, n);
    table<double> sums(most_parts(n), n); /* of the size of a pair */
    MUST(norm_backward_by<ELEMENT, PER_LANE, WARPS, CLUSTER_BLOCKS, PREFETCH>(
        dx.device, dgain.device, dbias.device, (float2 *)sums.device,
        dout.device, x.device, gain.device, rows, n, 1e-5f));
    dx.fetch(), dgain.fetch(), dbias.fetch();
    return wrong_gradients(dx, dgain, dbias, x, dout, gain, true,
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
