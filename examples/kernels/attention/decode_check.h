/* decode_check.h - attention of one new token in double precision, and a check
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_DECODE_CHECK_H
#define LL_DECODE_CHECK_H

#include "add_splits.h"
#include "attention_check.h"

namespace ll_kernels {

/* Computes O from q, k and v, with memory `work` of split_bytes. Returns an
 * error message, or null. */
typedef const char *(*decode_launcher)(void *o, void *work, const void *q,
                                       const void *k, const void *v,
                                       paged_cache c);

/* Computes row x of O in double precision; sequence b has lengths[b] rows. */
template <unsigned HEAD_DIM>
void decode_row(double (&want)[HEAD_DIM], const paged_cache &c, size_t x,
                const std::vector<int> &lengths,
                const std::vector<int> &table) {
    constexpr number_format BF16 = number_format::BF16;
    const size_t b = x / c.heads, kv = x % c.heads / (c.heads / c.kv_heads);
    double sum = 0;
    for (double &y : want) {
        y = 0;
    }
    for (size_t j = 0; j < (size_t)lengths[b]; ++j) {
        const size_t page = (size_t)table[b * c.most_pages + j / c.page];
        const size_t row = page * c.page + j % c.page;
        const size_t at = (row * c.kv_heads + kv) * HEAD_DIM;
        double score = 0;
        for (size_t d = 0; d < HEAD_DIM; ++d) {
            score += random_element<BF16>(x * HEAD_DIM + d, SEED_Q) *
                     random_element<BF16>(at + d, SEED_K);
        }
        const double w = exp(score / sqrt((double)HEAD_DIM));
        sum += w;
        for (size_t d = 0; d < HEAD_DIM; ++d) {
            want[d] += w * random_element<BF16>(at + d, SEED_V);
        }
    }
    for (double &y : want) {
        y /= sum;
    }
}

/* Runs a batch, checks it and prints the speed. Returns how much is wrong.
 * Sequence b has length - 11 b rows. Its pages are the cache's, in an
 * order that leaps. */
template <unsigned HEAD_DIM>
size_t run_decode(decode_launcher launch, unsigned batch, unsigned heads,
                  unsigned kv_heads, unsigned length, unsigned page,
                  unsigned splits) {
    constexpr number_format BF16 = number_format::BF16;
    const unsigned most = (length + page - 1) / page, pages = batch * most;
    std::vector<int> lengths, table;
    for (unsigned b = 0; b < batch; ++b) {
        lengths.push_back((int)(length - 11 * b));
        for (unsigned x = 0; x < most; ++x) {
            const unsigned leap = pages % 7 ? 7 : 1;
            table.push_back((int)((b * most + x) * leap % pages));
        }
    }
    const size_t n = (size_t)batch * heads * HEAD_DIM;
    const size_t m = (size_t)pages * page * kv_heads * HEAD_DIM;
    void *q = random_tensor<BF16>(n, SEED_Q),
         *k = random_tensor<BF16>(m, SEED_K),
         *v = random_tensor<BF16>(m, SEED_V), *o, *work;
    paged_cache c = {batch, heads, kv_heads, page, most, splits, 0, 0, 0};
    c.lengths = to_device(lengths);
    c.table = to_device(table);
    std::vector<unsigned short> host(n);
    const char *bad = 0;
    size_t wrong = 0;
    MUST(cudaMalloc(&o, 2 * n));
    MUST(cudaMalloc(&work, split_bytes(c, HEAD_DIM)));
    const float ms = timed([&] { bad = launch(o, work, q, k, v, c); });
    printf("%u x %u rows, %u heads of %u, %u shared, pages of %u, %u splits: ",
           batch, length, heads, HEAD_DIM, kv_heads, page, c.splits);
    if (bad) {
        printf("%s\n", bad);
        return 1;
    }
    MUST(cudaMemcpy(host.data(), o, 2 * n, cudaMemcpyDeviceToHost));
    for (size_t x = 0;
         x<(size_t)batch * heads; x += length> 8000 ? heads + 1 : 1) {
        double want[HEAD_DIM];
        decode_row(want, c, x, lengths, table);
        for (size_t d = 0; d < HEAD_DIM; ++d) {
            const double got = float_of_bits<BF16>(host[x * HEAD_DIM + d]);
            wrong += !(fabs(got - want[d]) <= 0.01);
        }
    }
    for (void *p : {q, k, v, o, work, (void *)c.lengths, (void *)c.table}) {
        MUST(cudaFree(p));
    }
    const double bytes = 4.0 * batch * length * kv_heads * HEAD_DIM;
    return report_wrong(wrong, ms, 1e-6 * bytes / ms, "GB/s");
}

} // namespace ll_kernels

#endif
