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
 * same order.
 * An rmsnorm is the same without the mean and the bias.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. examples/norm_backward.cu
 *        or, without a GPU, tests/emu/emucc -I. examples/norm_backward.cu
 */
#include "norm_backward.h"

/* dx, rows x n, becomes the gradient of x. sums, a row of n pairs for each
 * cluster of blocks, become the cluster's parts of those of gain and bias. */
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS, bool WHOLE,
          unsigned AHEAD, bool LAYER>
__global__ void __launch_bounds__(32 * WARPS,
                                  blocks_held(EACH, WARPS, LAYER,
                                              WHOLE && BLOCKS == 1))
    norm_backward(unsigned rows, unsigned n, unsigned *count, T *dx,
                  float2 *sums, const T *dout, const T *x, const T *gain,
                  float least) {
    LL_LAYOUT(PART, row_of(16 / sizeof(T), EACH, WARPS, 1, 1));
    typedef rows_of<T, PART, BLOCKS, WHOLE, AHEAD> rows_type;
    typedef std::conditional_t<LAYER, weighted, float2> value;
    constexpr bool shifted = LAYER && !WHOLE;
    __shared__ team_of<value, WARPS, BLOCKS, 1> first;
    extern __shared__ __align__(16) unsigned char slots[];
    unsigned char *const other = slots + rows_type::bytes;
    rows_type here(rows, n, count), there(rows, n);
    unsigned a[here.words], d[here.words], g[here.words], turn = 0;
    float of_gain[EACH] = {}, of_bias[EACH] = {};
    first.start();
    here.start(slots, x);
    there.start(other, dout);
    here.load_weights(g, gain);
    here.fill(g, (T)0.0f);
    float shift = shifted ? here.first_of(x, here.row) : 0;
    do {
        float down = 0, scale, mean = 0, part; /* of w, and of w y */
        const auto weight = [&](unsigned r) {
            return number<T>(d, r) * number<T>(g, r);
        };
        here.load(a, slots, x, (T)shift);
        there.load(d, other, dout, (T)0.0f);
        if constexpr (!LAYER) {
            float2 own = {0, 0};
            LL_EACH(r, PART) {
                own.x = fmaf(number<T>(a, r), number<T>(a, r), own.x);
                own.y = fmaf(weight(r), number<T>(a, r), own.y);
            }
            const float2 all = first.all(own, turn, plus(), here);
            scale = rsqrtf(all.x / (float)n + least);
            part = all.y * scale / (float)n;
        } else {
            constexpr float tile = EACH * WARPS * 32 * BLOCKS;
            weighted own = {0, 0, 0, 0};
            LL_EACH(r, PART) { own.mean += number<T>(a, r) - shift; }
            const float near = own.mean * (1 / (float)EACH) + shift;
            own.mean = near - shift;
            keep_packed(a);
            LL_EACH(r, PART) {
                const float z = number<T>(a, r) - near;
                const float w = weight(r);
                own.square = fmaf(z, z, own.square);
                own.sum += w;
                own.product = fmaf(w, z, own.product);
            }
            own.square *= 1 / (float)EACH;
            const weighted all = first.all(own, turn, merged(), here);
            const float2 row =
                of_row(make_float2(all.mean, all.square), tile, (float)n);
            down = row.x + shift;
            scale = rsqrtf(row.y + least);
            mean = all.sum / (float)n;
            part = (all.product + all.sum * (all.mean - row.x)) * scale /
                   (float)n;
        }
        shift = shifted ? here.first_of(x, here.following()) : 0;
        there.coming[AHEAD] = here.coming[AHEAD];
        here.fetch(slots, x);
        there.fetch(other, dout);
        keep_packed(a);
        keep_packed(d);
        keep_packed(g);
        put_numbers<T>(a, [&](unsigned r) {
            const float y = (number<T>(a, r) - down) * scale;
            of_gain[r] = fmaf(number<T>(d, r), y, of_gain[r]);
            of_bias[r] += LAYER ? number<T>(d, r) : 0;
            return fmaf(weight(r), scale,
                        -scale * fmaf(y, part, LAYER ? mean : 0));
        });
        here.store(dx, a);
        ++turn;
        there.next();
    } while (here.next());
    LL_EACH(r, PART) {
        if (here.column(r) >= 0 && here.column(r) < here.stop()) {
            sums[blockIdx.x / BLOCKS * (size_t)n + here.column(r)] =
                make_float2(of_gain[r], of_bias[r]);
        }
    }
    here.finish();
    first.end();
}

/* Rows of n elements, as for norm_by. sums: most_parts(n) * n pairs. */
static inline unsigned most_parts(unsigned n) {
    return n > 8192 ? 264 : n > 2048 ? 1056 : 4224;
}
template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned AHEAD, bool LAYER>
const char *norm_backward_by(T *dx, T *dgain, T *dbias, float2 *sums,
                             const T *dout, const T *x, const T *gain,
                             unsigned rows, unsigned n, float least) {
    unsigned parts = 0;
    const char *bad = unaligned(gain, nullptr);
    bad = bad ? bad : launch_rows<T, EACH, WARPS, BLOCKS, 1, AHEAD>(
        norm_backward<T, EACH, WARPS, BLOCKS, true, AHEAD, LAYER>,
        norm_backward<T, EACH, WARPS, BLOCKS, false, AHEAD, LAYER>,
        {rows, n, 2, most_parts(n), true, &parts}, dx, sums, dout, x, gain,
        least);
    constexpr unsigned wide = BLOCKS > 1 ? 32 : 8; /* few parts, or many */
    constexpr unsigned warps = BLOCKS > 1 ? 8 : 32;
    return bad ? bad
               : launch(add_sums<T, wide, warps>, (n + wide - 1) / wide,
                        32 * warps, 1, dgain, LAYER ? dbias : nullptr,
                        (const float2 *)sums, parts, n);
}

#ifndef LL_NO_MAIN

template <class T, unsigned EACH, unsigned WARPS, unsigned BLOCKS,
          unsigned AHEAD, bool LAYER>
unsigned check(unsigned rows, unsigned n) {
    const table<T> x(rows, n, 1, 3, 5), dout(rows, n, 2, -1, 1);
    const table<T> gain(1, n, 3, -1, 1);
    table<T> dx(rows, n), dgain(1, n), dbias(1, n);
    table<double> sums(most_parts(n), n); /* of the size of a pair */
    MUST(norm_backward_by<T, EACH, WARPS, BLOCKS, AHEAD, LAYER>(
        dx.device, dgain.device, dbias.device, (float2 *)sums.device,
        dout.device, x.device, gain.device, rows, n, 1e-5f));
    dx.fetch(), dgain.fetch(), dbias.fetch();
    return wrong_gradients(dx, dgain, dbias, x, dout, gain, LAYER, BLOCKS);
}

int main(void) {
    unsigned wrong = check<bf16, 16, 2, 1, 1, true>(20, 1024);
    wrong += check<float, 8, 2, 1, 2, false>(19, 509);
    wrong += check<f16, 16, 1, 2, 2, true>(35, 1013);
    return verdict(wrong);
}

#endif
