/* ---- Reshards: explanations ------------------------------------------- */
#ifndef LL_RESHARD_EXPLAIN_H
#define LL_RESHARD_EXPLAIN_H

#include "../ll/text/explain.h"
#include "rounds.h"

/* Private: writes a number of bytes, 48 MiB or 16 bytes. */
LL_FN void ll_write_bytes_(ll_writer_ *w, unsigned long long n) {
    const char *unit[4] = {" bytes", " KiB", " MiB", " GiB"};
    unsigned k = 0;
    while (k < 3u && n >= 1024u && n % 1024u == 0) {
        n /= 1024u;
        ++k;
    }
    ll_write_number_(w, n);
    ll_write_(w, n == 1u && k == 0 ? " byte" : unit[k]);
}

/* Private: writes one part of a name, with "and" between parts. */
LL_FN void ll_write_part_(ll_writer_ *w, const char *name, unsigned bits,
                          unsigned *parts) {
    if (*parts) {
        ll_write_(w, " and ");
    }
    ll_write_(w, name);
    if (bits) {
        ll_write_(w, " among ");
        ll_write_number_(w, 1ull << bits);
    }
    ++*parts;
}

/* Private: returns log2 of the number of ranks that are read. */
LL_FN unsigned ll_sources_(const ll_reshard *p) {
    ll_span_ s = LL_ZERO;
    for (unsigned k = 0; k < ll_shape_bits_(&p->source.in); ++k) {
        ll_span_extend_(&s, ll_shift_down_(p->source.basis[k],
                                           p->source.out.bits[0]));
    }
    return s.n + ll_popcount_(p->sum);
}

/* Private: writes the name of the collective. */
LL_FN void ll_write_collective_(ll_writer_ *w, const ll_reshard *p) {
    const unsigned out = p->from - p->both, in = p->to - p->both;
    const unsigned turned = in < out ? in : out;
    const unsigned ranks =
        ll_shape_bits_(&p->source.in) - p->message - p->peers;
    const int few = ll_sources_(p) < ranks;
    unsigned parts = 0;
    if (p->sum) {
        int apart = 0;
        for (unsigned k = p->message + p->peers;
             k < ll_shape_bits_(&p->source.in); ++k) {
            apart |= (ll_rank_of_bit_(p, k) & p->sum) &&
                     p->source.basis[k] & ll_ones_(p->source.out.bits[0]);
        }
        ll_write_part_(w, apart ? "reduce-scatter" : "all-reduce",
                       ll_popcount_(p->sum), &parts);
    }
    if (turned) {
        ll_write_part_(w, "all-to-all", turned, &parts);
    }
    if (in > turned) {
        ll_write_part_(
            w, ranks < ll_shape_bits_(&p->mesh) ? "gather" : "all-gather",
            in - turned, &parts);
    }
    if (p->moves) {
        ll_write_part_(w, !few ? "permute" : out > turned ? "scatter"
                                                          : "broadcast",
                       0, &parts);
    }
    if (!parts) {
        ll_write_(w, out > turned ? "slice: nothing crosses a link"
                                  : "local: nothing crosses a link");
    }
}

/* Private: writes the most bytes that a rank moves over the links of each
 * level. */
LL_FN void ll_write_links_(ll_writer_ *w, const ll_reshard *p) {
    const unsigned bits = ll_shape_bits_(&p->mesh);
    for (unsigned level = 0; level < p->mesh.n; ++level) {
        unsigned long long in = 0, out = 0;
        for (unsigned k = 0; k < 1u << (bits < 10u ? bits : 10u); ++k) {
            const unsigned rank = ll_counted_rank_(bits, k);
            const unsigned long long r = ll_reshard_bytes(*p, rank, level);
            const unsigned long long s = ll_reshard_sent(*p, rank, level);
            in = r > in ? r : in;
            out = s > out ? s : out;
        }
        ll_write_(w, "over ");
        ll_write_name_(w, p->topology.level[level].dim);
        ll_write_(w, " each rank receives at most ");
        ll_write_bytes_(w, in);
        ll_write_(w, " and sends at most ");
        ll_write_bytes_(w, out);
        ll_write_(w, "\n");
    }
}

/* Private: writes the messages of a rank. If each rank has a message from every
 * distance, and one distance is 0, that message stays. */
LL_FN void ll_write_messages_(ll_writer_ *w, const ll_reshard *p) {
    const unsigned long long bytes = (p->bits / 8ull) << p->message;
    const unsigned n = 1u << p->peers;
    const int stays =
        ll_reshard_rounds(*p) == n && ll_reshard_round(*p, 0) == 0;
    if (stays && n == 1u) {
        ll_write_bytes_(w, bytes);
        ll_write_(w, " per rank stay");
        return;
    }
    ll_write_(w, "each rank receives ");
    ll_write_count_(w, stays ? n - 1u : n, "message");
    ll_write_(w, " of ");
    ll_write_bytes_(w, bytes);
    if (stays) {
        ll_write_(w, " from others and keeps ");
        ll_write_bytes_(w, bytes);
    }
}

/* ll_explain_reshard(p, buf, size): writes a plan in words: its collectives,
 * the bytes over the links of each level, messages, runs, rounds and the
 * modelled time. Returns the length of the whole text.
 * Example: ll_explain_reshard(ll_reshard_of(L("offset: j0 | gpu: i0"),
 *          L("offset: i0 | gpu: j0"), 4, ll_topology_of(2000)), 0, 0) is 55;
 */
LL_FN unsigned ll_explain_reshard(ll_reshard p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (p.err) {
        ll_write_(&w, ll_reshard_strerror(p.err));
        ll_write_(&w, "\n");
        return w.len;
    }
    ll_write_number_(&w, 1ull << ll_shape_bits_(&p.mesh));
    ll_write_(&w, " ranks, ");
    ll_write_collective_(&w, &p);
    ll_write_(&w, "\n");
    ll_write_links_(&w, &p);
    ll_write_messages_(&w, &p);
    ll_write_(&w, ": runs of ");
    ll_write_bytes_(&w, (p.bits / 8ull) << p.source_run);
    ll_write_(&w, " in the source, ");
    ll_write_bytes_(&w, (p.bits / 8ull) << p.target_run);
    ll_write_(&w, " in the target, ");
    ll_write_bytes_(&w, (p.bits / 8ull) << p.run);
    ll_write_(&w, " in both\nrank r receives from r ^ d for d =");
    const unsigned rounds = ll_reshard_rounds(p);
    for (unsigned k = 0; k < rounds && k < 8u; ++k) {
        ll_write_(&w, k ? ", " : " ");
        ll_write_number_(&w, ll_reshard_round(p, k));
    }
    ll_write_(&w, rounds > 8u ? ", ..\n" : "\n");
    if (p.in_place) {
        ll_write_(&w, "in place: each message replaces the one that is sent "
                      "in return\n");
    }
    ll_write_(&w, "about ");
    ll_write_number_(&w, (unsigned long long)(ll_reshard_us(p) + 0.5));
    ll_write_(&w, " us\n");
    return w.len;
}

#endif
