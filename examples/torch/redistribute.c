/* redistribute.c - plans of redistribute.h for redistribute.py. A plan is
 * behind a pointer that redist_close frees.
 * SPDX-License-Identifier: MIT
 */
#include "redistribute_post.h"

#include "redistribute.h"
#include <stdlib.h>

/* Null, with a sentence in `text`, if there is no such plan. */
void *redist_open(const char *from, const char *to, const char *sizes,
                  const char *sums, unsigned size, unsigned rank,
                  unsigned ranks, char *text);
void redist_close(void *plan);
unsigned long long redist_digest(const void *plan);
unsigned redist_rounds(const void *plan);
redist_step redist_step_of(const void *plan, unsigned round);

/* log2 of: 0 elements of a message, 1 those that are staged at once; 2, 3: of a
 * rank before and after, padded; 4: places of a received element; 5: parts of
 * which an element is the sum; bits: 6 of the ranks that hold them. */
unsigned redist_log2(const void *plan, unsigned what);

/* Column k: 0 of a message in the source's memory, 1 in the target's; 2 of the
 * places of a received element. */
unsigned redist_column(const void *plan, unsigned of, unsigned k);

/* The elements of a rank before (0) and after (1). */
unsigned long long redist_elements(const void *plan, unsigned after);

/* See redist_array and redist_listed in redistribute.h. */
unsigned redist_digits(const void *plan, unsigned round,
                       unsigned long long first, unsigned side,
                       unsigned copy, unsigned long long *word);
unsigned long long redist_list(const void *plan, unsigned round,
                               unsigned long long first, unsigned side,
                               unsigned copy, unsigned long long *address);

/* post_exchange in redistribute_post.h, with a box of redist_box_bytes. */
unsigned redist_exchange(void *box, unsigned rank, unsigned ranks,
                         unsigned long long number, const long long *mine,
                         long long *every, unsigned words, double seconds);
unsigned long long redist_box_bytes(unsigned ranks);

/* Limits the staging memory; null, or a sentence. */
const char *redist_within(void *plan, unsigned long long bytes);

void *redist_open(const char *from, const char *to, const char *sizes,
                  const char *sums, unsigned size, unsigned rank,
                  unsigned ranks, char *text) {
    const redist_asked asked = {from, to, sizes, sums, size};
    redistribution *const r = (redistribution *)malloc(sizeof *r);
    if (!r) {
        snprintf(text, REDIST_SENTENCE, "redistribute: no memory for a plan");
        return 0;
    }
    if (redist_plan(r, &asked, rank, ranks, text)) {
        free(r);
        return 0;
    }
    return r;
}

void redist_close(void *plan) {
    if (plan) {
        free(((redistribution *)plan)->ready);
    }
    free(plan);
}

unsigned long long redist_digest(const void *plan) {
    const redistribution *const r = (const redistribution *)plan;
    const ragged_plan g = redist_ragged(r);
    const unsigned long long of_plan = ragged_number(&g);
    return ranks_mix(r->layouts, &of_plan, sizeof of_plan);
}

unsigned redist_rounds(const void *plan) {
    return ll_reshard_rounds(((const redistribution *)plan)->plan);
}

redist_step redist_step_of(const void *plan, unsigned round) {
    return redist_round((const redistribution *)plan, round);
}

unsigned redist_log2(const void *plan, unsigned what) {
    const ll_reshard *const p = &((const redistribution *)plan)->plan;
    return what == 0u   ? p->message
           : what == 1u ? p->chunk
           : what == 2u ? p->source.out.bits[0]
           : what == 3u ? p->target.out.bits[0]
           : what == 4u ? p->copies
           : what == 5u ? ll_popcount_(p->sum)
                        : p->sum;
}

unsigned redist_column(const void *plan, unsigned of, unsigned k) {
    const ll_reshard *const p = &((const redistribution *)plan)->plan;
    return k >= LL_MAX_BITS ? 0u
           : of == 0u       ? p->source.basis[k]
           : of == 1u       ? p->target.basis[k]
                            : p->copy[k];
}

unsigned long long redist_elements(const void *plan, unsigned after) {
    const redistribution *const r = (const redistribution *)plan;
    const ragged_plan g = redist_ragged(r);
    return (after ? ragged_after(&g, r->rank) : ragged_before(&g, r->rank))
        .elements;
}

unsigned redist_digits(const void *plan, unsigned round,
                       unsigned long long first, unsigned side,
                       unsigned copy, unsigned long long *word) {
    return redist_array((const redistribution *)plan, round, first, side, copy,
                        word);
}

unsigned long long redist_list(const void *plan, unsigned round,
                               unsigned long long first, unsigned side,
                               unsigned copy, unsigned long long *address) {
    return redist_listed((const redistribution *)plan, round, first, side,
                         copy, address);
}

const char *redist_within(void *plan, unsigned long long bytes) {
    redistribution *const r = (redistribution *)plan;
    const ll_reshard p = ll_reshard_within(r->plan, bytes);
    if (p.err) {
        return ll_reshard_strerror(p.err);
    }
    r->plan = p;
    return 0;
}

unsigned redist_exchange(void *box, unsigned rank, unsigned ranks,
                         unsigned long long number, const long long *mine,
                         long long *every, unsigned words, double seconds) {
    return words > POST_WORDS
               ? 0u
               : post_exchange((post_letter *)box, rank, ranks, number, mine,
                               every, words, seconds);
}

unsigned long long redist_box_bytes(unsigned ranks) {
    return 2ull * ranks * sizeof(post_letter);
}
