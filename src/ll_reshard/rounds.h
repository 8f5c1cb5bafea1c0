/* ---- Reshards: bytes and rounds --------------------------------------- */
#ifndef LL_RESHARD_ROUNDS_H
#define LL_RESHARD_ROUNDS_H

#include "plan.h"

/* Bytes, rounds and messages follow from the two maps of a plan. A count of
 * bytes is the number of solutions of a linear system, so it is a power of two
 * or 0. The distances of the rounds are the sums of a few distances. A tile is
 * a subspace of the inputs that has runs in both memories; a kernel moves it
 * like any tile. */

/* Private: returns 1 if the target sharding has a rank. It lacks the ranks that
 * have a bit of a mesh axis that only the source has. */
LL_FN int ll_reshard_wants_(const ll_reshard *p, unsigned rank) {
    const unsigned x = ll_shape_repack_(rank, &p->mesh, &p->source.in);
    return rank == ll_shape_repack_(x, &p->source.in, &p->mesh);
}

/* Private: returns log2 of the message elements that a rank receives from ranks
 * at a distance that is 0 in the bits from `low` on, plus 1; 0 if there are
 * none. */
LL_FN unsigned ll_nearer_(const ll_reshard *p, unsigned rank, unsigned low) {
    const unsigned high = ~ll_ones_(low);
    const unsigned first = p->message + p->peers;
    ll_span_ far = LL_ZERO;
    unsigned d = ll_distance_(p, ll_shape_bits_(&p->source.in));
    for (unsigned k = 0; k < p->peers; ++k) {
        ll_span_extend_(&far, ll_distance_(p, p->message + k) & high);
    }
    for (unsigned k = first; k < ll_shape_bits_(&p->source.in); ++k) {
        d ^= ll_rank_of_bit_(p, k) & rank ? ll_distance_(p, k) : 0u;
    }
    if (ll_span_least_(&far, d & high & ~p->sum) ||
        !ll_reshard_wants_(p, rank)) {
        return 0;
    }
    return 1u + first - far.n + ll_popcount_(p->sum & ~high);
}

LL_FN unsigned long long ll_elements_(unsigned log2_plus_1) {
    return log2_plus_1 ? 1ull << (log2_plus_1 - 1u) : 0ull;
}

/* ll_reshard_bytes(p, rank, level): returns the bytes that a rank receives over
 * links of a level of the topology (0: the nearest). No plan has fewer: a rank
 * receives the elements that it wants and lacks, and over this level only
 * elements that no nearer rank holds. ll_reshard_own(p, rank): returns the
 * bytes that it takes from itself. Both are 0 for a rank that the target
 * sharding lacks.
 * Example: ll_reshard_bytes(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000)), 1, 0) is 4;
 */
LL_FN unsigned long long ll_reshard_bytes(ll_reshard p, unsigned rank,
                                          unsigned level) {
    if (p.err || level >= p.mesh.n) {
        return 0;
    }
    const unsigned low =
        ll_shape_start_(&p.mesh, level); /* bits of nearer ranks */
    return (ll_elements_(ll_nearer_(&p, rank, low + p.mesh.bits[level])) -
            ll_elements_(ll_nearer_(&p, rank, low))) *
           (p.bits / 8u);
}

LL_FN unsigned long long ll_reshard_own(ll_reshard p, unsigned rank) {
    return p.err ? 0ull
                 : ll_elements_(ll_nearer_(&p, rank, 0)) * (p.bits / 8u);
}

/* Private: returns the distances of all rounds as a span, and sets *least to
 * the smallest one. */
LL_FN ll_span_ ll_distances_(const ll_reshard *p, unsigned *least) {
    ll_wordlist_ l = LL_ZERO;
    ll_span_ s = LL_ZERO;
    unsigned none = 0, d = ll_distance_(p, ll_shape_bits_(&p->source.in));
    for (unsigned k = p->message; k < ll_shape_bits_(&p->source.in) + 16u;
         ++k) {
        const unsigned bit = k - ll_shape_bits_(&p->source.in);
        unsigned v = k < ll_shape_bits_(&p->source.in) ? ll_distance_(p, k)
                                                       : p->sum & 1u << bit;
        ll_wordlist_clear_(&l, &v, &none);
        if (v) {
            ll_wordlist_insert_(&l, v, 0);
        }
    }
    ll_wordlist_clear_(&l, &d, &none);
    for (unsigned k = 0; k < l.n; ++k) {
        ll_span_push_(&s, l.word[k]);
    }
    *least = d;
    return s;
}

/* ll_reshard_rounds(p): returns the number of rounds of a plan.
 * ll_reshard_round(p, k): returns the distance d of round k. Rank r receives
 * from rank r XOR d, and sends to it. In the round with distance 0, a rank
 * moves elements that it already has.
 * Example: ll_reshard_rounds(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000))) is 2;
 */
LL_FN unsigned ll_reshard_rounds(ll_reshard p) {
    unsigned least = 0;
    return p.err ? 0u : 1u << ll_distances_(&p, &least).n;
}

LL_FN unsigned ll_reshard_round(ll_reshard p, unsigned round) {
    unsigned d = 0;
    const ll_span_ s = ll_distances_(&p, &d);
    for (unsigned k = 0; k < s.n; ++k) {
        d ^= round >> k & 1u ? s.v[k] : 0u;
    }
    return p.err ? 0u : d;
}

/* A message: what a rank receives in a round. Element m of it lies in the
 * memory of rank `from`, at offset `source` XORed with column k of p.source for
 * each bit k of m. */
typedef struct ll_message {
    unsigned exists;
    unsigned from;           /* a rank */
    unsigned x;              /* input of p.source and p.target for m = 0 */
    unsigned source, target; /* offsets for m = 0 */
    unsigned long long elements;
} ll_message;

/* ll_reshard_message(p, rank, d): returns the message that a rank receives from
 * rank XOR d; exists is 0 if there is none. The message that it sends to rank
 * XOR d is the one that rank XOR d receives.
 * Example: ll_reshard_message(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000)), 0, 1).source is 0;
 */
LL_FN ll_message ll_reshard_message(ll_reshard p, unsigned rank, unsigned d) {
    ll_message m = LL_ZERO;
    if (p.err || !ll_reshard_wants_(&p, rank)) {
        return m;
    }
    m.x = ll_shape_repack_(rank, &p.mesh, &p.source.in);
    unsigned rest = d & ~p.sum;
    for (unsigned k = p.message; k <= ll_shape_bits_(&p.source.in); ++k) {
        const int on = k == ll_shape_bits_(&p.source.in) || m.x >> k & 1u;
        rest ^= on ? ll_distance_(&p, k) : 0u;
    }
    for (unsigned k = p.peers; k-- > 0;) {
        const unsigned v = ll_distance_(&p, p.message + k);
        if (rest & ll_leading_bit_(v)) {
            rest ^= v;
            m.x |= 1u << (p.message + k);
        }
    }
    m.exists = rest == 0;
    m.from = rank ^ d;
    m.source = ll_apply(p.source, m.x) & ll_ones_(p.source.out.bits[0]);
    m.target = ll_apply(p.target, m.x) & ll_ones_(p.target.out.bits[0]);
    m.elements = 1ull << p.message;
    return m;
}

/* ll_reshard_within(p, bytes): returns the plan with at most `bytes` bytes of
 * staging memory per rank. Messages are sent in chunks of 2^p.chunk elements.
 * There are two buffers for a chunk if messages must be packed, and two if they
 * must be unpacked, so that packing overlaps with sending. A kernel that reads
 * the memory of its peers needs none. Fails with LL_RESHARD_EBUDGET.
 * Example: ll_reshard_within(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000)), 64).staging is 0;
 */
LL_FN ll_reshard ll_reshard_within(ll_reshard p, unsigned long long bytes) {
    const unsigned pack = p.source_run < p.message;
    const unsigned unpack = p.run < p.message || p.sum || p.copies;
    const unsigned buffers = 2u * (pack + unpack);
    if (p.err) {
        return p;
    }
    p.chunk = p.message;
    while (buffers && p.chunk > p.run &&
           (1ull << p.chunk) * (p.bits / 8u) * buffers > bytes) {
        --p.chunk;
    }
    p.staging = (1ull << p.chunk) * (p.bits / 8u) * buffers;
    if (p.staging > bytes) {
        ll_reshard_fails_(&p, LL_RESHARD_EBUDGET);
    }
    return p;
}

/* ll_reshard_in_place(p): returns the plan for ranks with one buffer, which is
 * the source and the target. In each round a rank then stages a whole message.
 * Fails with LL_RESHARD_EPLACESUM, LL_RESHARD_EPLACESIZE, or, if a message
 * would overwrite data that is still to be sent, with LL_RESHARD_EPLACE.
 * Example: ll_reshard_in_place(ll_reshard_of(L("offset: j0 j1 | gpu: i0"),
 *          L("offset: j0 i0 | gpu: j1"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000))).err is LL_OK;
 * Example: ll_reshard_in_place(ll_reshard_of(L("offset: j0 j1 | gpu: i0"),
 *          L("offset: i0 j0 | gpu: j1"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000))).err is LL_RESHARD_EPLACE;
 */
LL_FN ll_reshard ll_reshard_in_place(ll_reshard p) {
    const unsigned held = p.source.out.bits[0] + ll_shape_bits_(&p.mesh);
    if (p.err || p.in_place) {
        p.chunk = p.message;
    } else if (p.sum) {
        ll_reshard_fails_(&p, LL_RESHARD_EPLACESUM);
    } else if (p.copies || p.source.out.bits[0] != p.target.out.bits[0] ||
               ll_shape_bits_(&p.source.in) != held) {
        ll_reshard_fails_(&p, LL_RESHARD_EPLACESIZE);
    } else {
        ll_reshard_fails_(&p, LL_RESHARD_EPLACE);
    }
    return p;
}

/* Private: returns log2 of the elements that a rank sends to ranks at a
 * distance that is 0 in the bits from `low` on, plus 1; 0 if there are none.
 * The inputs of these targets form a coset. */
LL_FN unsigned ll_sends_(const ll_reshard *p, unsigned rank, unsigned low) {
    const unsigned high = ~ll_ones_(low), all = ll_shape_bits_(&p->source.in);
    const unsigned shift = p->source.out.bits[0];
    ll_span_ s = LL_ZERO;
    unsigned n = all;
    const unsigned want = (rank ^ ll_shift_down_(p->source.offset, shift)) |
                          (ll_distance_(p, all) & high) << 16;
    for (unsigned k = 0; k < all; ++k) {
        ll_span_extend_(&s, ll_shift_down_(p->source.basis[k], shift) |
                                (ll_distance_(p, k) & high) << 16);
    }
    for (unsigned k = 0; k < 16u; ++k) {
        if (p->sum >> k & 1u) {
            ll_span_extend_(&s, 1u << k | (1u << k & high) << 16);
            ++n;
        }
    }
    return ll_span_least_(&s, want) ? 0u : 1u + n - s.n;
}

/* ll_reshard_sent(p, rank, level): returns the bytes that a rank sends over
 * links of a level.
 * Example: ll_reshard_sent(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 374, 3000)), 1, 0) is 4;
 */
LL_FN unsigned long long ll_reshard_sent(ll_reshard p, unsigned rank,
                                         unsigned level) {
    if (p.err || level >= p.mesh.n ||
        rank > ll_ones_(ll_shape_bits_(&p.mesh))) {
        return 0;
    }
    const unsigned low =
        ll_shape_start_(&p.mesh, level); /* bits of nearer ranks */
    return (ll_elements_(ll_sends_(&p, rank, low + p.mesh.bits[level])) -
            ll_elements_(ll_sends_(&p, rank, low))) *
           (p.bits / 8u);
}

/* Private: returns the microseconds for a number of bytes at a bandwidth in
 * 10^9 bytes per second. */
LL_FN double ll_reshard_time_(unsigned long long bytes, unsigned gbps) {
    return (double)bytes / gbps / 1000.0;
}

/* Private: returns the k-th rank for which bytes are counted: all of up to 2^10
 * ranks; of more ranks, those with zeros except in the five highest and five
 * lowest bits. */
LL_FN unsigned ll_counted_rank_(unsigned bits, unsigned k) {
    return bits <= 10u ? k : (k & 31u) | (k >> 5) << (bits - 5u);
}

/* Private: returns 1 if a kernel must read from peers: it adds sums, or several
 * ranks want or have an element, or 16 bytes of the target come from several
 * ranks. Otherwise it writes to its peers. */
LL_FN int ll_reshard_reads_(const ll_reshard *p) {
    const unsigned all = ll_shape_bits_(&p->source.in);
    ll_span_ places = LL_ZERO;
    for (unsigned k = 0; k < all; ++k) {
        ll_span_extend_(&places, p->source.basis[k]);
    }
    return p->sum || p->copies || places.n < all ||
           all < ll_shape_bits_(&p->source.out) ||
           (p->bits / 8ull) << p->target_run < 16ull;
}

/* ll_reshard_us(p): returns the modelled time of the plan in microseconds: the
 * time of the slowest level of the slowest rank, plus the largest latency of
 * the levels in use; a quarter of the nearest one's, a launch, if none is. On a
 * level, the larger of the bytes received and sent counts. A rank's own memory
 * counts as one more level. Links of different levels work at the same time. If
 * a kernel must read from its peers, both directions carry its requests, and it
 * takes 13/12 of the time. It adds two parts of a sum at once: each further
 * pair adds a latency. Of more than 1,024 ranks, only those that differ in the
 * lowest or highest five bits are considered. With 350 GB/s, 12 us and 2,000
 * GB/s within a rank, the model is within 10 % of two and of four H200
 * (tests/test_reshard_us.c).
 * Example: ll_reshard_us(ll_reshard_of(L("gpu: i0 | offset: j0"),
 *          L("gpu: i0 | offset: j0"), 32, ll_topology_with(
 *          ll_topology_of(2000), "gpu", 350, 12000))) < 4 is 1;
 */
LL_FN double ll_reshard_us(ll_reshard p) {
    const unsigned bits = ll_shape_bits_(&p.mesh);
    const unsigned parts = ll_popcount_(p.sum); /* log2 */
    const double slow = !p.err && ll_reshard_reads_(&p) ? 13.0 / 12.0 : 1.0;
    double worst = 0, latency = p.err ? 0 : p.topology.level[0].ns / 4000.0;
    for (unsigned k = 0; k < 1u << (bits < 10u ? bits : 10u) && !p.err; ++k) {
        const unsigned rank = ll_counted_rank_(bits, k);
        const unsigned long long element = p.bits / 8u; /* bytes */
        const unsigned long long held =
            ll_elements_(ll_nearer_(&p, rank, bits)) * element;
        const double local = ll_reshard_time_(held, p.topology.local);
        unsigned long long in = 0, out = 0;
        unsigned first = 0; /* of the levels with the same links */
        worst = local > worst ? local : worst;
        for (unsigned level = 0; level < p.mesh.n; ++level) {
            if (p.topology.level[level].gbps) {
                in = out = 0;
                first = level;
            }
            in += ll_reshard_bytes(p, rank, level);
            out += ll_reshard_sent(p, rank, level);
            const double us = slow * ll_reshard_time_(in > out ? in : out,
                                               p.topology.level[first].gbps);
            const double late = p.topology.level[first].ns / 1000.0;
            worst = us > worst ? us : worst;
            latency = in && late > latency ? late : latency;
        }
    }
    return worst + latency * (parts > 1u ? 1u << (parts - 1u) : 1u);
}

#endif
