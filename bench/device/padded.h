/* padded.h - shared memory with padding, for comparison.
 * SPDX-License-Identifier: MIT
 *
 * A padded layout (rows of 33) is not linear, so no layout and no plan
 * describes it. These two functions count its wavefronts access by access, for
 * benchmarks and tests that compare them with a swizzle.
 */
#ifndef LL_BENCH_PADDED_H
#define LL_BENCH_PADDED_H

#include "../../ll.h"

/* padded_offset(offset, interval, pad): returns the place of an element in
 * memory with `pad` unused elements after each `interval` elements. With
 * several intervals the pads add up.
 * padded_wavefronts: ll_wavefronts for memory of layout m with this padding,
 * the most wavefronts that an access of the first warp takes, over all its
 * accesses. Returns 0 if the access is impossible: intervals and pads must keep
 * it contiguous and aligned.
 * Example: padded_offset(33, 32, 1) is 34;
 */
LL_FN unsigned padded_offset(unsigned offset, unsigned interval, unsigned pad) {
    return interval ? offset + offset / interval * pad : offset;
}

/* Private: an access to padded memory: the element offsets of the lane bits,
 * the lanes of a phase, and sizes in bytes. */
typedef struct ll_pads_ {
    unsigned lane[6];
    ll_phase_ phase;
    unsigned op, bytes, size, interval, pad;
} ll_pads_;

/* Private: collects the different words that the phase of lane l accesses and
 * returns their number. *done marks the lanes of phases already seen. */
#define LL_MAX_WORDS_ 256u /* 64 lanes of 16 bytes in banks of 4 */
LL_FN unsigned ll_padded_words_(const ll_pads_ *p, unsigned place, unsigned l,
                                const ll_target *t, unsigned *word,
                                unsigned long long *done) {
    unsigned n = 0;
    for (unsigned k = 0; k < 1u << p->phase.n; ++k) {
        const unsigned who = l ^ ll_lane_address_(p->phase.number, k);
        *done |= 1ull << (who & 63u);
        unsigned at = place ^ ll_lane_address_(p->lane, who);
        at = padded_offset(at, p->interval, p->pad) * p->size;
        for (unsigned b = 0; b < p->bytes; b += t->bank_bytes) {
            unsigned known = 0;
            while (known < n && word[known] != (at + b) / t->bank_bytes) {
                ++known;
            }
            word[known] = (at + b) / t->bank_bytes;
            n += known == n ? 1u : 0u;
        }
    }
    return n;
}

/* Private: returns the wavefronts of the access at `place`: the most words in
 * one bank, summed over the phases. */
LL_FN unsigned ll_padded_access_(const ll_pads_ *p, unsigned place,
                                 const ll_target *t) {
    const unsigned banks = t->banks[p->op][ll_access_width_(p->bytes)];
    unsigned word[LL_MAX_WORDS_] = LL_ZERO;
    unsigned waves = 0;
    unsigned long long done = 0;
    for (unsigned l = 0; l < t->lanes && l < 64u; ++l) {
        unsigned n =
            done >> l & 1u ? 0u : ll_padded_words_(p, place, l, t, word, &done);
        unsigned most = 0;
        for (unsigned k = 0; k < n; ++k) {
            unsigned here = 0;
            for (unsigned m = 0; m < n; ++m) {
                here += (word[m] ^ word[k]) % banks == 0 ? 1u : 0u;
            }
            most = here > most ? here : most;
        }
        waves += most;
    }
    return waves;
}

LL_FN unsigned padded_wavefronts(ll_layout a, ll_layout m,
                                    unsigned element_bits, unsigned bytes,
                                    unsigned op, ll_target t,
                                    unsigned interval, unsigned pad) {
    const ll_layout x = ll_solve(m, ll_in_block_(ll_hardware_(a)), LL_FIRST);
    const unsigned size = element_bits / 8u;
    const unsigned vector = size ? bytes / size : 0u;
    unsigned most = 0;
    ll_pads_ p = LL_ZERO;
    if (!ll_is_target_(&t) || op > LL_WRITE || vector == 0 ||
        interval % vector || pad % vector ||
        ll_widest(a, m, element_bits, bytes) != bytes) {
        return 0;
    }
    const ll_access at = ll_access_meet_(&x, ll_log2_(vector));
    ll_lane_bytes_(&x, 0, p.lane);
    p.phase = ll_phase_of_(p.lane, bytes, op, &t);
    p.op = op;
    p.bytes = bytes;
    p.size = size;
    p.interval = interval;
    p.pad = pad;
    for (unsigned n = 0; n < 1u << at.n; n += vector) {
        unsigned place = at.offset;
        for (unsigned k = 0; k < at.n; ++k) {
            place ^= n >> k & 1u ? at.place[k] : 0u;
        }
        unsigned w = ll_padded_access_(&p, place, &t);
        most = w > most ? w : most;
    }
    return most;
}

#endif
