/* test_refusals.cu - what the launchers of the lessons say of shapes and
 * pointers that their kernels cannot take: one sentence, and nothing is
 * launched. test_launchers.cu has those of products of matrices.
 * SPDX-License-Identifier: MIT
 */
#define LL_NO_MAIN
#define LL_SORTS
#define LL_TENSOR
#include "../../examples/kernels/attention/attention_kernel.h"
#include "../../examples/kernels/attention/decode_check.h"
#include "../../examples/kernels/rows/crossentropy.cu"
#include "../../examples/kernels/rows/crossentropy_gradient.cu"
#include "../../examples/kernels/rows/cumsum.cu"
#include "../../examples/kernels/lookup/embedding.cu"
#include "../../examples/kernels/lookup/embedding_backward.cu"
#include "../../examples/kernels/lookup/gather_gemv.cu"
#include "../../examples/kernels/rows/hadamard.cu"
#include "../../examples/kernels/rows/norm.cu"
#include "../../examples/kernels/rows/norm_backward.cu"
#include "../../examples/kernels/move/permute.cu"
#include "../../examples/kernels/quantise/quantise.cu"
#include "../../examples/kernels/rows/rmsnorm_backward.cu"
#include "../../examples/kernels/rows/rope.cu"
#include "../../examples/kernels/rows/softmax.cu"
#include "../../examples/kernels/rows/topk.cu"

namespace by_decode {
#include "../../examples/kernels/attention/attention_decode.cu"
}
namespace by_attention {
#include "../../examples/kernels/attention/attention.cu"
}

static int passed, failed;
static unsigned char *to, *from, *third; /* 64 KiB each */

/* The launcher says so, and what it writes to stays as it was. */
static void refuses(const char *said, const char *part, int line) {
    bool good = said && strstr(said, part) && emu_error_count() == 0;
    for (unsigned k = 0; k < 1u << 16; ++k) {
        good = good && to[k] == 0xee;
    }
    good ? ++passed : ++failed;
    if (!good) {
        printf("test_refusals.cu:%d: `%s`, not `%s`\n%s", line,
               said ? said : "nothing", part, emu_errors());
    }
}
#define REFUSES(part, ...) refuses(__VA_ARGS__, part, __LINE__)

/* f(dst, src, rows, n): matrices of bf16 with rows of up to `tile` elements. */
template <class F> static void any_rows(F f, unsigned tile) {
    bf16 *const d = (bf16 *)to;
    const bf16 *const x = (const bf16 *)from;
    REFUSES("there are 0 rows", f(d, x, 0u, tile));
    REFUSES("there are 67108865 rows", f(d, x, (1u << 26) + 1, tile));
    REFUSES("rows of 0 elements", f(d, x, 2u, 0u));
    REFUSES("do not fit registers", f(d, x, 2u, tile + 1));
    REFUSES("do not fit registers", f(d, x, 2u, tile - 1));
    REFUSES("multiples of 16 bytes", f(d, x + 1, 2u, tile));
}

/* The same of those that write a matrix of as many rows. */
template <class F> static void matrices_by(F f, unsigned tile) {
    any_rows(f, tile);
    REFUSES("multiples of 16 bytes",
            f((bf16 *)to + 4, (const bf16 *)from, 2u, tile));
}

static void of_rows() {
    float *const w = (float *)third;
    const int *const which = (const int *)third;
    const bf16 *const gain = (const bf16 *)third;
    matrices_by([](bf16 *d, const bf16 *x, unsigned rows, unsigned n) {
        return softmax_by<bf16, 16, 2, 1, 1, 0, false>(d, x, rows, n);
    }, 1024);
    matrices_by([](bf16 *d, const bf16 *x, unsigned rows, unsigned n) {
        return softmax_by<bf16, 16, 1, 2, 1, 1, true>(d, x, rows, n);
    }, 1024);
    matrices_by([=](bf16 *d, const bf16 *x, unsigned rows, unsigned n) {
        return norm_by<bf16, 16, 1, 1, 1, 0, true>(d, x, gain, gain, rows, n,
                                                   1e-5f);
    }, 512);
    matrices_by([=](bf16 *d, const bf16 *x, unsigned rows, unsigned n) {
        return norm_backward_by<bf16, 16, 1, 1, 2>(d, d, d, (float2 *)w, x, x,
                                                   gain, rows, n, 1e-5f);
    }, 512);
    matrices_by([=](bf16 *d, const bf16 *x, unsigned rows, unsigned n) {
        return rmsnorm_backward_by<bf16, 16, 1, 1, 2>(d, d, w, x, x, gain, rows,
                                                      n, 1e-5f);
    }, 512);
    matrices_by([=](bf16 *d, const bf16 *x, unsigned rows, unsigned n) {
        return crossentropy_by<bf16, 16, 1, 1, 1>(w, d, x, which, rows, n, 1);
    }, 512);
    matrices_by([](bf16 *d, const bf16 *x, unsigned rows, unsigned n) {
        return cumsum_by<bf16, 16, 1, 1, 0, false>(d, x, nullptr, rows, n);
    }, 512);
    matrices_by([=](bf16 *d, const bf16 *x, unsigned rows, unsigned n) {
        return topk_by<bf16, 8, 16, 1, 1>(d, (unsigned *)w, x, rows, n);
    }, 512);
    REFUSES("do not fit registers",
            softmax_by<bf16, 24, 2, 1, 1, 1, false>((bf16 *)to, gain, 1, 1536));
    REFUSES("do not fit registers",
            crossentropy_by<bf16, 24, 2, 2, 1>(w, (bf16 *)to, gain, which, 1,
                                               3072, 1));
    REFUSES("there are 0 rows", loss_by<bf16, 8, 1>(w, gain, which, 0, 8));
    REFUSES("rows of 0 elements", loss_by<bf16, 8, 1>(w, gain, which, 1, 0));
    REFUSES("rows of 1073741825 elements",
            loss_by<bf16, 8, 1>(w, gain, which, 1, (1u << 30) + 1));
    REFUSES("multiples of 16 bytes",
            loss_by<bf16, 8, 1>(w, gain + 1, which, 1, 8));
}

/* What rows share: weights, sines, tables, matrices that are chosen. */
static void of_more() {
    bf16 *const d = (bf16 *)to;
    float *const f = (float *)to;
    const bf16 *const x = (const bf16 *)from;
    const float *const w = (const float *)third;
    const int *const which = (const int *)third;
    const signed char *const bytes = (const signed char *)from;
    const bf16 *const gain = (const bf16 *)third + 1;
    REFUSES("gain and bias",
            norm_by<bf16, 16, 1, 1, 1, 0, false>(d, x, gain, x, 1, 512, 0.1f));
    REFUSES("gain and bias",
            norm_backward_by<bf16, 16, 1, 1, 2>(d, d, d, (float2 *)third, x, x,
                                                gain, 1, 512, 0.1f));
    REFUSES("copies of the weights need room",
            norm_by<bf16, 16, 1, 1, 1, 0, true, 3>(d, x, x, x, 1, 512, 0.1f));
    for (unsigned zero = 0; zero < 3; ++zero) {
        REFUSES("there are 1 to 2^30 tokens",
                rope_by<bf16, 8, 64, 1, true>(d, x, w, w, zero != 0, zero != 1,
                                               zero != 2));
    }
    REFUSES("multiples of 16 bytes",
            rope_by<bf16, 8, 64, 1, true>(d, x, w + 1, w, 1, 1, 1));
    REFUSES("multiples of 16 bytes",
            rope_by<bf16, 8, 64, 1, true>(d, x + 1, w, w, 1, 1, 1));
    REFUSES("there are 0 rows", embed_by(d, x, which, 0, 256));
    REFUSES("rows of 255 elements", embed_by(d, x, which, 1, 255));
    REFUSES("multiples of 16 bytes", embed_by(d, x + 1, which, 1, 256));
    REFUSES("1 to 2^28 rows", embed_by(d, x, which, 1, 256, 0, third));
    REFUSES("multiples of 16 bytes",
            embed_by(d, x, which, 1, 256, 1, third + 8));
    REFUSES("there are 0 rows",
            embed_backward_by(f, x, which, 0, 1, 256, third));
    REFUSES("1 to 2^28 rows",
            embed_backward_by(f, x, which, 1, 0, 256, third));
    REFUSES("sorted tokens need memory",
            embed_backward_by(f, x, which, 1, 1, 256, nullptr));
    REFUSES("rows of 0 elements",
            embed_backward_by(f, x, which, 1, 1, 0, third));
    REFUSES("multiples of 16 bytes",
            embed_backward_by(f, x + 1, which, 1, 1, 256, third));
    REFUSES("multiples of 16 bytes",
            embed_backward_by(f, x, which, 1, 1, 256, third + 8));
    REFUSES("at least one", gather_gemv_by<1>(f, bytes, which, 1, x, 0, 512));
    REFUSES("columns of 512", gather_gemv_by<1>(f, bytes, which, 1, x, 8, 500));
    REFUSES("matrices are chosen",
            gather_gemv_by<1>(f, bytes, which, 0, x, 8, 512));
    REFUSES("multiples of 16 bytes",
            gather_gemv_by<1>(f, bytes + 1, which, 1, x, 8, 512));
    REFUSES("at least one", hadamard_by<bf16, 8, 1, 0>(d, x, 0, 1));
    REFUSES("a multiple of those of a block",
            hadamard_by<bf16, 8, 2, 0>(d, x, 1, 1));
    REFUSES("multiples of 16 bytes",
            hadamard_by<bf16, 8, 1, 0>(d, x + 1, 64, 1));
    REFUSES("multiples of 16, at most",
            quantise_by<bf16, false>(to, to, f, f, x, 0, 16));
    REFUSES("multiples of 16, at most",
            quantise_by<bf16, false>(to, to, f, f, x, 16, 24));
    REFUSES("matrices start",
            quantise_by<bf16, false>(to, to, f, f, x + 1, 16, 16));
}

/* Transposes and other orders of axes, of every size of an element. */
template <class T> static void turned() {
    T *const d = (T *)to;
    const T *const x = (const T *)from;
    const unsigned axes[2] = {100, 0}, order[3] = {0, 2, 1};
    const unsigned sizes[3] = {3, 67, 131}, twice[3] = {0, 1, 1};
    const T *const late = (const T *)(from + 1);
    REFUSES("rows and columns", launch_transpose_odd(d, x, 0, 7));
    REFUSES("rows and columns", launch_transpose_odd(d, x, 7, 0));
    REFUSES("there is a matrix", launch_transpose_odd(d, x, 7, 7, 0));
    REFUSES("2^32 - 513 bytes", launch_transpose_odd(d, x, 1, ~0u));
    REFUSES("2^32 - 513 bytes", launch_transpose_odd(d, x, ~0u, 1));
    REFUSES("at most 65535", launch_transpose_odd(d, x, 7, 7, 65536));
    if constexpr (sizeof(T) > 1) {
        REFUSES("1 to 2^31 elements", permute(d, x, 2, axes, order));
        REFUSES("names each axis once", permute(d, x, 3, sizes, twice));
        REFUSES("at most 8 axes", permute(d, x, 9, sizes, order));
        REFUSES("its elements' size", launch_transpose_odd(d, late, 7, 7));
        REFUSES("its elements' size",
                launch_transpose_odd((T *)(to + 1), x, 7, 7));
        REFUSES("its elements' size", permute(d, late, 3, sizes, order));
    }
}

static void decoded() {
    typedef ll_kernels::paged_cache cache;
    const int *const which = (const int *)third;
    const cache good = {1, 2, 1, 16, 1, 1, 1, which, which};
    const auto run = [&](const cache &c, unsigned late) {
        return by_decode::launch_decode(to, third, from + late, from, from,
                                           c);
    };
    for (unsigned zero = 0; zero < 4; ++zero) {
        cache c = good;
        *(zero == 0 ? &c.batch : zero == 1 ? &c.heads : zero == 2
              ? &c.kv_heads : &c.splits) = 0;
        REFUSES("are at least 1", run(c, 0));
    }
    cache c = good;
    c.kv_heads = 3;
    REFUSES("a multiple of the heads of keys", run(c, 0));
    c = good, c.page = 24;
    REFUSES("a multiple of 16 rows", run(c, 0));
    c = good, c.batch = 65536;
    REFUSES("at most 65535", run(c, 0));
    REFUSES("a multiple of 16 bytes", run(good, 8));
}

/* Starts of sequences, or none; late: how far Q is from 16 bytes. */
static void attended() {
    const int *const starts = (const int *)third;
    const attention_shape good = {1, 2, 1, 8, 8, 0, 0, 0, 0, 8, 8, 0, 0, 0};
    const auto run = [&](const attention_shape &s, unsigned late) {
        return by_attention::launch(to, from + late, from, from, s);
    };
    for (const int *at : {(const int *)nullptr, starts}) {
        for (unsigned zero = 0; zero < 5; ++zero) {
            attention_shape s = good;
            s.row_start = s.key_start = at;
            *(zero == 0 ? &s.batch : zero == 1 ? &s.heads : zero == 2
                  ? &s.kv_heads : zero == 3 ? &s.rows : &s.keys) = 0;
            REFUSES("are at least 1", run(s, 0));
        }
    }
    attention_shape s = good;
    s.kv_heads = 3;
    REFUSES("a multiple of the heads of keys", run(s, 0));
    s = good, s.row_start = starts;
    REFUSES("or neither has", run(s, 0));
    s = good, s.rows = (1u << 30) + 1;
    REFUSES("at most 2^30", run(s, 0));
    REFUSES("a multiple of 16 bytes", run(good, 8));
}

int main() {
    for (unsigned char **p : {&to, &from, &third}) {
        MUST(cudaMalloc((void **)p, 1 << 16));
        MUST(cudaMemset(*p, p == &to ? 0xee : 0, 1 << 16));
    }
    emu_reset();
    of_rows();
    of_more();
    turned<unsigned char>();
    turned<unsigned short>();
    turned<unsigned>();
    decoded();
    attended();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
