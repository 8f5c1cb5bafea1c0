// reshard_model.cu - the times of ll_reshard_us for machines not measured.
// SPDX-License-Identifier: MIT
//
// The pairs of reshard.cu, with elements of 16 bits, between 2, 4 and 8 GPUs of
// a host and between two hosts of 8, as a record for bench/report. Rates within
// a host were measured between two and four H200s; between hosts a GPU has a
// link of 400 Gbit/s. Nothing runs on a GPU.
#include "examples/kernels/reshard/reshard.h"
#include <stdio.h>
#include <stdlib.h>

using namespace ll_kernels;

constexpr unsigned NEAR = 350, FAR = 50; // GB/s per GPU
constexpr unsigned NEAR_NS = 12000, FAR_NS = 18000;
static const char *const names[] = {"row",  "column", "block",
                                    "head", "turns",  "piece"};

static bool is_pair(unsigned from, unsigned to) {
    return from != to && (from != BY_PIECE || to == BY_ROW) &&
           (to != BY_PIECE || from == BY_ROW);
}

// Returns a sharding of 2^all elements over 2^ranks GPUs, in hosts of 8.
static ll_layout side(unsigned kind, unsigned all, unsigned ranks, bool hosts) {
    const ll_layout a = sharding(kind, all / 2, all - all / 2, ranks);
    ll_shape in =
        ll_with(ll_shape_of(""), LL_OFFSET, ll_size(a.in, LL_OFFSET));
    in = ll_with(in, ll_dim_of("gpu"), 1u << (hosts ? 3u : ranks));
    return hosts ? ll_reshape_in(
                       a, ll_with(in, ll_dim_of("node"), 1u << (ranks - 3u)))
                 : a;
}

static void model(unsigned ranks, bool hosts, size_t bytes, const char *comma) {
    const ll_topology host =
        ll_topology_with(ll_topology_of(2000), "gpu", NEAR, NEAR_NS);
    const ll_topology t =
        hosts ? ll_topology_with(host, "node", FAR, FAR_NS) : host;
    const unsigned all = ll_log2_(bytes / 2) + ranks;
    for (unsigned k = 0; k < SHARDINGS * SHARDINGS; ++k) {
        const unsigned from = k / SHARDINGS, to = k % SHARDINGS;
        if (!is_pair(from, to)) {
            continue;
        }
        const ll_reshard p = ll_reshard_of(side(from, all, ranks, hosts),
                                           side(to, all, ranks, hosts), 16, t);
        printf("%s\n  {\"ranks\": %u, \"hosts\": %u, \"from\": \"%s\", "
               "\"to\": \"%s\", \"bytes\": %zu, \"near\": %llu, "
               "\"far\": %llu, \"us\": %.2f, \"err\": %u}",
               comma, 1u << ranks, hosts ? 1u << (ranks - 3u) : 1u,
               names[from], names[to], bytes, ll_reshard_bytes(p, 0, 0),
               ll_reshard_bytes(p, 0, 1), ll_reshard_us(p), p.err);
        comma = ",";
    }
}

int main() {
    const char *const commit = getenv("LL_COMMIT");
    const char *comma = "";
    printf("{\"context\": {\"device\": \"ll_reshard_us\", "
           "\"command\": \"bench/run.sh model\", \"near\": %u, "
           "\"far\": %u, \"commit\": \"%s\"},\n \"modelled\": [",
           NEAR, FAR, commit ? commit : "");
    for (unsigned log = 26; log <= 30; log += 4) {
        for (unsigned ranks = 1; ranks <= 3; ++ranks) {
            model(ranks, false, (size_t)1 << log, comma);
            comma = ",";
        }
    }
    model(4, true, (size_t)64 << 20, ","); // 2^32 elements are too many
    printf("\n ]}\n");
    return 0;
}
