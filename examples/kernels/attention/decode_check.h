/* decode_check.h - attention_decode.cu compared with the same in double
 * precision.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_DECODE_CHECK_H
#define LL_DECODE_CHECK_H

/* Row x of O, of HEAD columns; sequence b has lengths[b] rows. */
static void decode_by_hand(double (&want)[HEAD], const cache &c, size_t x,
                           const std::vector<int> &lengths,
                           const std::vector<int> &table) {
    const size_t b = x / c.heads, kv = x % c.heads / (c.heads / c.kv_heads);
    double sum = 0;
    for (double &y : want) {
        y = 0;
    }
    for (size_t j = 0; j < (size_t)lengths[b]; ++j) {
        const size_t page = (size_t)table[b * c.most_pages + j / c.page];
        const size_t row = page * c.page + j % c.page;
        const size_t at = (row * c.kv_heads + kv) * HEAD;
        double score = 0;
        for (size_t d = 0; d < HEAD; ++d) {
            score += element(x * HEAD + d, 1) * element(at + d, 2);
        }
        const double w = exp(score / sqrt((double)HEAD));
        sum += w;
        for (size_t d = 0; d < HEAD; ++d) {
            want[d] += w * element(at + d, 3);
        }
    }
    for (double &y : want) {
        y /= sum;
    }
}

/* Sequence b has length - 11 b rows. Its pages are those of the cache in an
 * order that leaps. */
static size_t demonstrate(unsigned batch, unsigned heads, unsigned kv_heads,
                          unsigned length, unsigned page, unsigned splits) {
    const unsigned most = (length + page - 1) / page, pages = batch * most;
    std::vector<int> lengths, table;
    for (unsigned b = 0; b < batch; ++b) {
        lengths.push_back((int)(length - 11 * b));
        for (unsigned x = 0; x < most; ++x) {
            const unsigned leap = pages % 7 ? 7 : 1;
            table.push_back((int)((b * most + x) * leap % pages));
        }
    }
    const size_t n = (size_t)batch * heads * HEAD;
    const size_t m = (size_t)pages * page * kv_heads * HEAD;
    void *q = tensor(n, 1), *k = tensor(m, 2), *v = tensor(m, 3), *o, *room;
    cache c = {batch, heads, kv_heads, page, most, splits, 0,
               to_device(lengths), to_device(table)};
    std::vector<unsigned short> host(n);
    const char *bad = 0;
    size_t wrong = 0;
    c.splits = splits ? splits : splits_of(c, length, 132);
    MUST(cudaMalloc(&o, 2 * n));
    MUST(cudaMalloc(&room, room_of(c)));
    const float ms = timed([&] { bad = launch_decode(o, room, q, k, v, c); });
    printf("%u x %u rows, %u heads of %u, %u shared, pages of %u, %u splits: ",
           batch, length, heads, HEAD, kv_heads, page, c.splits);
    if (bad) {
        printf("%s\n", bad);
        return 1;
    }
    MUST(cudaMemcpy(host.data(), o, 2 * n, cudaMemcpyDeviceToHost));
    for (size_t x = 0; x < (size_t)batch * heads;
         x += length > 8000 ? heads + 1 : 1) {
        double want[HEAD];
        decode_by_hand(want, c, x, lengths, table);
        for (size_t d = 0; d < HEAD; ++d) {
            const double got = float_of(host[x * HEAD + d]);
            wrong += !(fabs(got - want[d]) <= 0.01);
        }
    }
    for (void *p : {q, k, v, o, room, (void *)c.lengths, (void *)c.table}) {
        MUST(cudaFree(p));
    }
    const double bytes = 4.0 * batch * length * kv_heads * HEAD;
    return report_wrong(wrong, ms, 1e-6 * bytes / ms, "GB/s");
}

#endif
