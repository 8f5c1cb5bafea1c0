/* redistribute_post.h - exchanges a few words between the processes of a host
 * through shared memory, in microseconds and without a GPU.
 * SPDX-License-Identifier: MIT
 *
 * Every rank has two letters, which it fills in turn. It can only fill one
 * again when all ranks have read it: a rank posts number n + 1 after it has
 * read number n of every rank. */
#ifndef LL_TORCH_REDISTRIBUTE_POST_H
#define LL_TORCH_REDISTRIBUTE_POST_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* before any other header */
#endif

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { POST_WORDS = 31 };

/* number: of the exchange, from 1 on; 0: none yet. It is written last. */
typedef struct post_letter {
    _Atomic unsigned long long number;
    long long word[POST_WORDS];
} post_letter;

static inline double post_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until a letter has a number. Returns 0 after `seconds`. */
static inline int post_arrives(const post_letter *p, unsigned long long number,
                               double seconds) {
    const struct timespec nap = {0, 50000};
    double end = 0;
    for (unsigned long tries = 0;; ++tries) {
        if (atomic_load_explicit(&p->number, memory_order_acquire) >= number) {
            return 1;
        }
        if (tries < 2000u) {
            continue;
        }
        const double now = post_seconds();
        end = end > 0 ? end : now + seconds;
        if (now > end) {
            return 0;
        }
        if (now > end - seconds + 0.01) {
            nanosleep(&nap, 0);
        } else {
            sched_yield();
        }
    }
}

/* Posts `words` words of a rank and collects those of all, rank by rank.
 *   box      2 * ranks letters, zero at first, shared by all ranks
 *   number   1 in the first exchange, one more in each
 * Returns the number of ranks, or the first rank that did not come in time. */
static inline unsigned post_exchange(post_letter *box, unsigned rank,
                                     unsigned ranks, unsigned long long number,
                                     const long long *mine, long long *every,
                                     unsigned words, double seconds) {
    post_letter *const own = box + 2u * rank + number % 2u;
    memcpy(own->word, mine, words * sizeof *mine);
    atomic_store_explicit(&own->number, number, memory_order_release);
    for (unsigned r = 0; r < ranks; ++r) {
        const post_letter *const p = box + 2u * r + number % 2u;
        if (!post_arrives(p, number, seconds)) {
            return r;
        }
        memcpy(every + (size_t)r * words, p->word, words * sizeof *mine);
    }
    return ranks;
}

#endif
