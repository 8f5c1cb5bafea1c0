/* redistribute.cu - the kernel of reshard.h for redistribute.py, and
 * the memory of other processes. Each entry returns null, or a sentence.
 * SPDX-License-Identifier: MIT
 */
#include "../kernels/reshard/reshard_engine.h"
#include "../kernels/reshard/reshard_ragged_kernels.h"

#include "redistribute.h"
#include "redistribute_segments.cuh"
#include <stdlib.h>

using namespace ll_kernels;

namespace {

/* The pairs of shardings that have kernels of their own: those of matrices of
 * 64 MiB a GPU between two GPUs, with elements of 8, 16 and 32 bits. Larger
 * matrices have tiles of the same orders, and so have more GPUs, unless
 * elements in turns are spread over them: four pairs of 4 and of 8 GPUs. */
template <class T> struct known {
    static constexpr unsigned PAIRS = SHARDINGS * SHARDINGS, N = PAIRS + 8;
    static constexpr unsigned LOG = ll_log2_(8 * sizeof(T)), BITS = 17 - LOG;
    LL_FN reshard_job of(unsigned k) {
        const unsigned more = k < PAIRS ? 0u : k - PAIRS;
        const unsigned other = more % 2 ? BY_PIECE : BY_ROW;
        const bool back = more / 2 % 2;
        const unsigned from = k < PAIRS ? k / SHARDINGS
                              : back    ? BY_TURNS
                                        : other;
        const unsigned to = k < PAIRS ? k % SHARDINGS
                            : back    ? other
                                      : BY_TURNS;
        const unsigned rows = (30 - LOG) / 2, cols = 30 - LOG - rows;
        reshard_job none = {};
        none.tile.err = LL_RESHARD_ETILE;
        return from == to || sizeof(T) > 4u
                   ? none
                   : job_between(from, to, rows, cols,
                                 k < PAIRS ? 1u : 2u + more / 4u);
    }
    LL_FN reshard_job job_between(unsigned from, unsigned to, unsigned rows,
                                  unsigned cols, unsigned gpus) {
        return reshard_job_of(
            sharding(from, rows, cols, gpus), sharding(to, rows, cols, gpus),
            8 * sizeof(T),
            ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000), 16384);
    }
};

/* Which kernel executes a plan: one that pushes to the peers by the plan of the
 * way back, which is faster, or one that pulls from them. */
struct choice {
    const ll_reshard *plan;
    ll_reshard_tile tile;
    bool push;
};

choice chosen(const redistribution *r) {
    const choice pull = {&r->plan, reshard_pull_tile(r->plan, 16384), false};
    const choice push = {&r->back, ll_reshard_tile_of(r->back, 16384, 128),
                         true};
    const bool alone = r->once && r->one_source && !push.tile.err;
    return alone || (pull.tile.err && !r->plan.sum) ? push : pull;
}

/* The pairs of sums that have kernels of their own: all of it to rows, to
 * columns and to all, of 64 MiB between two GPUs. */
template <class T> struct known_sums {
    static constexpr unsigned N = 3;
    static constexpr unsigned LOG = ll_log2_(8 * sizeof(T)), BITS = 17 - LOG;
    LL_FN reshard_job of(unsigned k) {
        const unsigned to[3] = {BY_ROW, BY_COLUMN, BY_COPY};
        const unsigned rows = (29 - LOG) / 2, cols = 29 - LOG - rows;
        const ll_topology gpu =
            ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
        return reshard_job_of(sharding_over(BY_COPY, rows, cols, 1, true),
                              sharding_over(to[k], rows, cols, 1, true),
                              8 * sizeof(T),
                              ll_topology_with(gpu, "node", 50, 9000), 16384,
                              "gpu node");
    }
};

/* What partial sums are: the numbers of redistribute.py. */
enum { NO_SUMS, BF16, F16, F32, OTHER_SUMS };

template <class T>
void start(const reshard_move &m, const choice &c, void *stream) {
    reshard_launch<T, known<T>>(m, c.tile, c.push, (cudaStream_t)stream);
}

template <class T, class SUM>
void start_sums(const reshard_move &m, const choice &c, void *stream) {
    reshard_launch<T, known_sums<T>, SUM>(m, c.tile, false,
                                          (cudaStream_t)stream);
}

/* The job of a ragged tensor, and what the kernel is told. */
struct ragged_start {
    ragged_job job;
    reshard_move m;
    ragged_move g;
    bool good;
};

ragged_start ragged_told(const redistribution *r) {
    ragged_start s;
    s.job = ragged_job_of(r->from, r->to, r->plan.bits,
                          redist_axes(&r->from, &r->to), 16384, r->sizes,
                          r->sums);
    s.m = reshard_numbers(s.job.by.plan, s.job.by.tile, r->rank);
    s.good = !s.job.err && ragged_numbers(s.job, s.m, &s.g);
    return s;
}

/* Says where the memories of all ranks are, and their flags. */
void tell(reshard_move *m, const redistribution *r, bool push, void *const *src,
          void *const *dst, void *const *flags, unsigned epoch) {
    for (unsigned k = 0; k < r->ranks; ++k) {
        m->far[k] = (unsigned char *)(push ? dst[k] : src[k]);
        m->flags[k] = (unsigned *)flags[k];
    }
    m->near = (unsigned char *)(push ? src[r->rank] : dst[r->rank]);
    m->epoch = reshard_crosses(r->plan) ? epoch : 0;
    m->wait = 1;
}

/* Starts it, with the memories of all ranks. */
const char *start_ragged(const redistribution *r, ragged_start s,
                         void *const *src, void *const *dst, void *const *flags,
                         unsigned epoch, unsigned sums, void *stream) {
    tell(&s.m, r, s.job.by.push, src, dst, flags, epoch);
    (sums == BF16          ? ragged_launch<unsigned short, reshard_bf16>
     : sums == F16         ? ragged_launch<unsigned short, reshard_f16>
     : sums == F32         ? ragged_launch<unsigned, reshard_f32>
     : r->plan.bits == 8u  ? ragged_launch<unsigned char>
     : r->plan.bits == 16u ? ragged_launch<unsigned short>
     : r->plan.bits == 32u ? ragged_launch<unsigned>
     : r->plan.bits == 64u
         ? ragged_launch<uint2>
         : ragged_launch<uint4>)(s.job, s.m, s.g, (cudaStream_t)stream);
    return said(cudaGetLastError());
}

/* What a copy engine moves: messages of 64 MiB at least. At 32 MiB it takes as
 * long as the kernel, or longer. */
bool by_engine(const redistribution *r) {
    const size_t message = (size_t)(r->plan.bits / 8u) << r->plan.message;
    return reshard_rows_of(r->plan).good && message >= (size_t)64 << 20 &&
           reshard_crosses(r->plan) && !r->is_ragged;
}

/* The second stream of a GPU, made once. */
const char *beside_of(reshard_side_stream *b) {
    static reshard_side_stream all[64];
    int device = 0;
    cudaError_t err = cudaGetDevice(&device);
    if (!err && device < 64 && !all[device].end) {
        err = open_side_stream(&all[device]);
    }
    *b = all[device < 64 ? device : 0];
    return err ? said(err) : device < 64 ? nullptr : "there are too many GPUs";
}

/* What is the same in each call of a plan. */
struct prepared {
    choice c;
    reshard_move m;
    ragged_start ragged;
    bool crosses, engine;
};

/* Prepares a plan once; null without memory. */
const prepared *prepared_of(redistribution *r) {
    if (!r->ready && (r->ready = malloc(sizeof(prepared)))) {
        prepared *const p = (prepared *)r->ready;
        p->c = chosen(r);
        p->m = reshard_numbers(*p->c.plan, p->c.tile, r->rank);
        p->ragged.good = false;
        if (r->is_ragged) {
            p->ragged = ragged_told(r);
        }
        p->crosses = reshard_crosses(r->plan);
        p->engine = by_engine(r);
    }
    return (const prepared *)r->ready;
}

} // namespace

/* Null, or why there is no kernel for a plan; sums: what partial sums are. */
extern "C" const char *redist_kernel(void *plan, unsigned sums) {
    redistribution *const r = (redistribution *)plan;
    const prepared *const p = prepared_of(r);
    if (!p || sums == OTHER_SUMS) {
        return p ? "the kernel adds bf16, f16 and f32" : "no memory for a plan";
    }
    const choice &c = p->c;
    if (r->is_ragged && r->ranks <= RESHARD_RANKS) {
        return p->ragged.good ? nullptr
                              : "the kernel is for at most 6 axes, and "
                                "10 digits of a memory";
    }
    if (c.tile.err) {
        return ll_reshard_strerror(c.tile.err);
    }
    if (r->ranks > RESHARD_RANKS || (c.push && !r->once)) {
        return r->ranks > RESHARD_RANKS ? "the kernel is for at most 16 ranks"
                                        : "the kernel pushes no copies";
    }
    return nullptr;
}

namespace {

/* Starts the kernel, or the copy engine, of a plan that has one. */
const char *start_any(const redistribution *r, const prepared *p,
                      void *const *src, void *const *dst, void *const *flags,
                      unsigned epoch, unsigned sums, void *stream) {
    if (r->is_ragged) {
        return start_ragged(r, p->ragged, src, dst, flags, epoch, sums, stream);
    }
    const choice c = p->c;
    reshard_move m = p->m;
    tell(&m, r, c.push, src, dst, flags, epoch);
    if (p->engine) {
        reshard_side_stream b;
        const char *const none = beside_of(&b);
        return none
                   ? none
                   : said(reshard_by_copy_engine(
                         r->plan, m, (const unsigned char *)src[r->rank],
                         (unsigned char *const *)dst, b, (cudaStream_t)stream));
    }
    (sums == BF16          ? start_sums<unsigned short, reshard_bf16>
     : sums == F16         ? start_sums<unsigned short, reshard_f16>
     : sums == F32         ? start_sums<unsigned, reshard_f32>
     : r->plan.bits == 8u  ? start<unsigned char>
     : r->plan.bits == 16u ? start<unsigned short>
     : r->plan.bits == 32u ? start<unsigned>
     : r->plan.bits == 64u ? start<uint2>
                           : start<uint4>)(m, c, stream);
    return said(cudaGetLastError());
}

} // namespace

/* Starts the kernel on a stream.
 *   src, dst  the memories of all ranks: a pull reads `src`, a push writes `dst`
 *   flags     of all ranks
 *   epoch     the number of the call; 0: the GPU counts, for a call in a graph
 */
extern "C" const char *redist_start(void *plan, void *const *src,
                                    void *const *dst, void *const *flags,
                                    unsigned epoch, unsigned sums,
                                    void *stream) {
    redistribution *const r = (redistribution *)plan;
    const char *bad = redist_kernel(plan, sums);
    const prepared *const p = prepared_of(r);
    if (bad || epoch || !p->crosses) {
        return bad ? bad
                   : start_any(r, p, src, dst, flags, epoch, sums, stream);
    }
    void *within[RESHARD_RANKS];
    for (unsigned k = 0; k < r->ranks; ++k) {
        within[k] = (unsigned *)flags[k] + FLAGS_WITHIN;
    }
    bad = meet_counted(flags, r->rank, r->ranks, 0, (cudaStream_t)stream);
    bad = bad ? bad : start_any(r, p, src, dst, within, 0, sums, stream);
    return bad ? bad
               : meet_counted(flags, r->rank, r->ranks, RESHARD_RANKS,
                              (cudaStream_t)stream);
}

/* The GPU that the next entries are for: this library has a runtime of its own.
 */
extern "C" const char *redist_device(int device) {
    return said(cudaSetDevice(device));
}
