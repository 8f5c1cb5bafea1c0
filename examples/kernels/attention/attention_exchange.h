/* attention_exchange.h - attention over several GPUs in one kernel: each GPU
 * holds some tokens of all heads and computes some heads of all tokens
 * SPDX-License-Identifier: MIT
 *
 * An all-to-all and attention, tile by tile (Ulysses). A rank's blocks compute
 * attention as those of attention.cu do, and read tokens where they lie:
 * - K and V of the rank's own tokens, from its memory.
 * - K and V of other ranks' tokens, from a copy. Every block of a head needs
 *   them, and a GPU does not cache what a peer holds, so a tile crosses the
 *   link once: one thread of each of the first blocks copies tiles, as wgmma
 *   will read them, and raises a flag for each.
 * - Q directly from the rank that holds the tokens: one block needs it.
 * O stays on the rank of the head, or is written to the rank of the token,
 * which is the all-to-all back.
 *
 * The blocks that begin first copy, so a block waits only for blocks that run:
 * any number of them may be resident. The kernels of all ranks must run at the
 * same time. If a rank's does not come, waits give up after some seconds, LATE
 * is set, and O is not valid.
 *
 * exchange_sides.h has the host's side: which rank holds what.
 */
#ifndef LL_ATTENTION_EXCHANGE_H
#define LL_ATTENTION_EXCHANGE_H

#include "attention_kernel.h"

#include "../reshard/reshard.h"

namespace ll_kernels {

#ifndef EXCHANGE_BUFFERS
#define EXCHANGE_BUFFERS 4 /* boxes in flight per block that copies */
#endif

/* Words of a rank's flags. Rank r sets READY + r of all ranks to the call's
 * number when its Q, K and V are there and its O may be written, and DONE + r
 * when it needs its peers' memory no more. A wait gives up after some seconds
 * and sets LATE. From TILES on, a word per head and tile: the number of the
 * call that copied it. The counters are 0 between calls. */
enum : unsigned {
    EXCHANGE_RANKS = 8,
    EXCHANGE_READY = 0,
    EXCHANGE_DONE = EXCHANGE_RANKS,
    EXCHANGE_LATE = 2 * EXCHANGE_RANKS,
    EXCHANGE_BEGUN = 32, /* blocks that have begun, */
    EXCHANGE_TAKEN,      /* tiles that a block copies or has copied, */
    EXCHANGE_COPIED,     /* tiles that are there, */
    EXCHANGE_ENDED,      /* blocks that have ended */
    EXCHANGE_TILES = 64
};

/* Where a token is: the rank, and the row of its memory. */
struct exchange_place {
    unsigned rank, row;
};

/* A rank's call, as the kernel takes it. */
struct exchange_move {
    unsigned rank, ranks, call; /* call: its number, from 1 on */
    unsigned wait;              /* 1: end when all ranks are done */
    unsigned heads, group;      /* heads of this rank; neighbours in time */
    unsigned tiles;             /* of 128 keys */
    unsigned own, own_tiles;    /* first tile of this rank's tokens; number */
    unsigned copiers;           /* blocks that copy */
    unsigned lead; /* if causal: blocks of own rows that come first */
    unsigned back; /* 1: O goes to the ranks of its tokens */
    unsigned *flags[EXCHANGE_RANKS]; /* of all ranks */
    unsigned char *copies;           /* of tiles of other ranks */
    /* The place of 64 tokens: the XOR of `bit` where their number has a 1. */
    exchange_place bit[LL_MAX_BITS];
    /* In the same way, the head of the tensor of this rank's head. */
    unsigned head_0, head_bit[LL_MAX_BITS];
    /* The memories of all ranks: tokens x heads x head dimension. Without
     * `back`, o[rank] is of this rank's heads of all tokens. */
    CUtensorMap q[EXCHANGE_RANKS], k[EXCHANGE_RANKS], v[EXCHANGE_RANKS],
        o[EXCHANGE_RANKS];
};

/* ---- Places and orders --------------------------------------------------- */

/* Returns the place of 64 tokens. */
static __device__ exchange_place place_of(const exchange_move &m,
                                          unsigned number) {
    exchange_place p = {0, 0};
    for (unsigned k = 0; number >> k; ++k) {
        const unsigned on = 0u - (number >> k & 1u);
        p.rank ^= m.bit[k].rank & on;
        p.row ^= m.bit[k].row & on;
    }
    return p;
}

/* Returns the head of the tensor of this rank's head x. */
static __device__ unsigned head_of(const exchange_move &m, unsigned x) {
    unsigned head = m.head_0;
    for (unsigned k = 0; x >> k; ++k) {
        head ^= m.head_bit[k] & (0u - (x >> k & 1u));
    }
    return head;
}

/* A tile of K and V of a head of this rank. */
struct exchange_tile {
    unsigned head, tile;
};

/* Returns tile x of those that are copied, in the order in which blocks need
 * them: if causal, the last tile of each head of a group first; otherwise head
 * by head, from the tile after the rank's own ones on. */
static __device__ exchange_tile copied_tile(const exchange_move &m,
                                            unsigned causal, unsigned x) {
    const unsigned far = m.tiles - m.own_tiles;
    const unsigned first = x / (m.group * far) * m.group;
    const unsigned left = m.heads - first;
    const unsigned count = left < m.group ? left : m.group;
    const unsigned in = x - first * far, past = m.own + m.own_tiles;
    unsigned tile = m.tiles - 1 - in / count;
    if (causal) {
        tile -= tile < past ? m.own_tiles : 0;
    } else {
        tile = (past + in / count) % m.tiles;
    }
    return exchange_tile{first + in % count, tile};
}

/* Returns the tile that a job takes as number x of those left. If not causal,
 * a rank begins with its own tokens. */
static __device__ unsigned tile_at(const exchange_move &m, unsigned causal,
                                   int x) {
    return causal ? (unsigned)x
                  : (m.own + m.tiles - 1u - (unsigned)x) % m.tiles;
}

/* Returns the block of rows that comes as number y of `blocks`, if causal:
 * those that see the most keys first, after `lead` blocks of own rows. */
static __device__ unsigned causal_rows(unsigned blocks, unsigned past,
                                       unsigned lead, unsigned y) {
    const unsigned at = blocks - 1 - (y - lead);
    return y < lead ? past - 1 - y : at < past ? at - lead : at;
}

/* Returns job x of a rank: ROWS rows of a head. */
template <unsigned ROWS, unsigned KEYS>
static __device__ tile_job exchange_job(const exchange_move &m,
                                        const attention_shape &s, unsigned x) {
    const unsigned blocks = (s.rows + ROWS - 1) / ROWS;
    const unsigned own = m.own * KEYS / ROWS;
    const unsigned near = m.own_tiles * KEYS / ROWS;
    unsigned head = 0, block = 0;
    if (s.causal) {
        const unsigned first = x / (m.group * blocks) * m.group;
        const unsigned left = m.heads - first;
        const unsigned count = left < m.group ? left : m.group;
        const unsigned in = x - first * blocks;
        head = first + in % count;
        block = causal_rows(blocks, own + near, first ? 0 : m.lead, in / count);
    } else { /* rows of own tokens first, then all others */
        const bool far = x >= near * m.heads;
        const unsigned in = far ? x - near * m.heads : x;
        const unsigned of_head = far ? blocks - near : near;
        head = in / of_head;
        block = (own + (far ? near : 0) + in % of_head) % blocks;
    }
    tile_job t = {0, head, head, (int)(block * ROWS), (int)s.rows, (int)s.keys,
                  0, 0,    0,    (int)m.tiles};
    const int high = (t.row + (int)ROWS + (int)KEYS - 1) / (int)KEYS;
    t.high = s.causal && high < t.high ? high : t.high;
    return t;
}

/* ---- Flags --------------------------------------------------------------- */

/* Orders copies (cp.async.bulk) of global memory with the thread's other
 * accesses of it. */
static __device__ void order_copies(void) {
#if !LL_EMULATE
    asm volatile("fence.proxy.async.global;" ::: "memory");
#endif
}

/* Returns whether a flag is of this call. */
static __device__ bool is_set(const exchange_move &m, unsigned word) {
    return (int)(load_flag(m.flags[m.rank] + word) - m.call) >= 0;
}

/* Waits for a flag of this rank. Copies that the thread starts afterwards see
 * what was there before the flag. */
static __device__ void wait_flag(const exchange_move &m, unsigned word) {
    const unsigned most = LL_EMULATE ? 20000u : 3000000u, look = most / 1000u;
    unsigned *late = m.flags[m.rank] + EXCHANGE_LATE;
    for (unsigned tries = 1; !is_set(m, word); ++tries) {
        if (tries > most || (tries % look == 0 && load_flag(late))) {
            atomicExch(late, 1u);
            break;
        }
    }
    order_copies();
}

/* Sets this rank's flag of all ranks. Called by one thread. */
static __device__ void tell_ranks(const exchange_move &m, unsigned first) {
    for (unsigned r = 0; r < m.ranks; ++r) {
        store_flag(m.flags[r] + first + m.rank, m.call);
    }
}

/* The last block to end resets the counters and tells the ranks; with m.wait it
 * waits for them. Called by one thread, when the block has stored O. */
static __device__ void end_block(const exchange_move &m) {
    unsigned *own = m.flags[m.rank];
    order_copies();
    __threadfence_system();
    if (atomicAdd(own + EXCHANGE_ENDED, 1u) + 1u < gridDim.x) {
        return;
    }
    for (unsigned k = EXCHANGE_BEGUN; k <= EXCHANGE_ENDED; ++k) {
        atomicExch(own + k, 0u);
    }
    __threadfence_system();
    tell_ranks(m, EXCHANGE_DONE);
    for (unsigned r = 0; r < m.ranks && m.wait; ++r) {
        wait_flag(m, EXCHANGE_DONE + r);
    }
}

/* ---- Copies -------------------------------------------------------------- */

/* Shared memory behind that of TILES: mbarriers of the buffers, the number of
 * the tile of each, and the buffers, which are boxes of K or V. */
template <class TILES> struct exchange_memory {
    /* clang-format off */
    enum : unsigned {
        BUFFERS = EXCHANGE_BUFFERS, BYTES = TILES::BOX_BYTES_K,
        BOXES = 2 * TILES::BOXES, /* of a tile: K, then V */
        FULL = (TILES::SMEM + 7) / 8 * 8, NUMBER = FULL + 8 * BUFFERS,
        AT = (NUMBER + 4 * BUFFERS + 1023) / 1024 * 1024,
        SMEM = AT + BUFFERS * BYTES
    };
    /* clang-format on */
    static_assert(BUFFERS >= 2 && SMEM <= 232448, "a block has 227 KiB");
};

/* Returns where the copy of a tile of K is; that of V is BYTES_K further. */
template <class TILES>
static __device__ unsigned char *copy_of(const exchange_move &m, unsigned head,
                                         unsigned tile) {
    return m.copies +
           (size_t)(head * m.tiles + tile) * (2 * TILES::BYTES_K);
}

/* Copies tiles of other ranks, box by box. One thread of a block. */
template <class TILES> struct exchange_copier {
    typedef exchange_memory<TILES> memory;
    const exchange_move &m;
    unsigned char *shared;
    unsigned causal, all, number, loaded;

    __device__ exchange_copier(const exchange_move &move, unsigned char *at,
                               unsigned is_causal)
        : m(move), shared(at), causal(is_causal),
          all((move.tiles - move.own_tiles) * move.heads), number(0),
          loaded(0) {}
    __device__ unsigned at(unsigned offset) const {
        return (unsigned)__cvta_generic_to_shared(shared) + offset;
    }
    __device__ unsigned *number_of(unsigned box) const {
        return (unsigned *)(shared + memory::NUMBER) + box % memory::BUFFERS;
    }
    static __device__ void init(unsigned smem) {
        for (unsigned k = 0; k < memory::BUFFERS; ++k) {
            ll_ptx_mbarrier_init(smem + memory::FULL + 8 * k, 1);
        }
    }
    /* Starts to load the next box, if one is left. */
    __device__ void load() {
        const unsigned box = loaded % memory::BOXES;
        const unsigned buffer = loaded % memory::BUFFERS;
        if (number < all && box == 0) {
            number = atomicAdd(m.flags[m.rank] + EXCHANGE_TAKEN, 1u);
        }
        if (number >= all) {
            return;
        }
        const exchange_tile t = copied_tile(m, causal, number);
        const exchange_place p = place_of(m, TILES::KEYS / 64 * t.tile);
        const unsigned bar = at(memory::FULL + 8 * buffer);
        if (box == 0) {
            wait_flag(m, EXCHANGE_READY + p.rank);
        }
        *number_of(loaded) = number;
        ll_ptx_mbarrier_arrive_expect_tx(bar, memory::BYTES);
        ll_ptx_cp_async_bulk_tensor_load_4d(
            at(memory::AT + memory::BYTES * buffer),
            (box < TILES::BOXES ? m.k : m.v) + p.rank, bar,
            (int)(box % TILES::BOXES * TILES::BOX), (int)head_of(m, t.head),
            (int)p.row, 0);
        ++loaded;
    }
    /* Starts to store box x. */
    __device__ void store(unsigned x) {
        const unsigned buffer = x % memory::BUFFERS;
        const exchange_tile t = copied_tile(m, causal, *number_of(x));
        ll_ptx_mbarrier_wait(at(memory::FULL + 8 * buffer),
                             x / memory::BUFFERS & 1u);
        ll_ptx_cp_async_bulk_store(
            (unsigned long long)(size_t)copy_of<TILES>(m, t.head, t.tile) +
                x % memory::BOXES * memory::BYTES,
            at(memory::AT + memory::BYTES * buffer), memory::BYTES);
        ll_ptx_cp_async_bulk_commit_group();
    }
    /* Box x is stored: sets the flag of a tile that is complete. */
    __device__ void finish(unsigned x) {
        unsigned *own = m.flags[m.rank];
        const exchange_tile t = copied_tile(m, causal, *number_of(x));
        if (x % memory::BOXES == memory::BOXES - 1) {
            order_copies();
            __threadfence();
            store_flag(own + EXCHANGE_TILES + t.head * m.tiles + t.tile,
                       m.call);
            atomicAdd(own + EXCHANGE_COPIED, 1u);
        }
    }
    __device__ void run() {
        const unsigned begun =
            atomicAdd(m.flags[m.rank] + EXCHANGE_BEGUN, 1u);
        if (begun == 0) {
            tell_ranks(m, EXCHANGE_READY);
        }
        for (unsigned k = 0; k < memory::BUFFERS && begun < m.copiers; ++k) {
            load();
        }
        for (unsigned x = 0; x < loaded; ++x) {
            store(x);
            if (x) {
                ll_ptx_cp_async_bulk_wait_group<1>();
                finish(x - 1);
                load();
            }
        }
        if (loaded) {
            ll_ptx_cp_async_bulk_wait_group<0>();
            finish(loaded - 1);
        }
    }
};

/* ---- The producer -------------------------------------------------------- */

/* Loads the tiles of a job. One thread of a block. */
template <class TILES> struct exchange_producer {
    const exchange_move &m;
    const attention_shape &s;
    const tile_job &t;
    unsigned smem, head;
    bool asked, all; /* all tiles of other ranks are there */

    __device__ exchange_producer(const exchange_move &move,
                                 const attention_shape &shape,
                                 const tile_job &job, unsigned at)
        : m(move), s(shape), t(job), smem(at), head(head_of(move, job.head)),
          asked(false), all(false) {}

    /* Q, 64 rows at a time, each from the rank that holds them. */
    __device__ void load_q() {
        const unsigned left = s.rows - (unsigned)t.row;
        const unsigned workers =
            left < TILES::ROWS ? left / 64 : (unsigned)TILES::WORKERS;
        ll_ptx_mbarrier_arrive_expect_tx(smem + TILES::FULL_Q,
                                         workers * TILES::BYTES_Q);
        for (unsigned w = 0; w < workers; ++w) {
            const exchange_place p = place_of(m, (unsigned)t.row / 64 + w);
            if (p.rank != m.rank) {
                wait_flag(m, EXCHANGE_READY + p.rank);
            }
            for (unsigned x = 0; x < TILES::BOXES; ++x) {
                ll_ptx_cp_async_bulk_tensor_load_4d(
                    smem + TILES::BOX_BYTES_Q * (w * TILES::BOXES + x),
                    m.q + p.rank, smem + TILES::FULL_Q, (int)(x * TILES::BOX),
                    (int)head, (int)p.row, 0);
            }
        }
    }
    /* Waits until a tile of another rank has been copied. */
    __device__ void wait_copy(unsigned tile) {
        if (!asked) {
            asked = true;
            all = load_flag(m.flags[m.rank] + EXCHANGE_COPIED) ==
                  (m.tiles - m.own_tiles) * m.heads;
            order_copies();
        }
        if (!all) {
            wait_flag(m, EXCHANGE_TILES + t.head * m.tiles + tile);
        }
    }
    /* Copies tile x of those left, of K or V, when its stage is empty. V comes
     * after K of the same tile. */
    __device__ void load(bool is_v, ring_position<TILES::STAGES> &p, int x) {
        const unsigned tile = tile_at(m, s.causal, x);
        const exchange_place from = place_of(m, TILES::KEYS / 64 * tile);
        const unsigned bar =
            smem + (is_v ? TILES::FULL_V : TILES::FULL_K) + 8 * p.stage;
        const unsigned empty =
            smem + (is_v ? TILES::EMPTY_V : TILES::EMPTY_K) + 8 * p.stage;
        const unsigned to = smem + (is_v ? TILES::AT_V : TILES::AT_K) +
                            TILES::BYTES_K * p.stage;
        if (from.rank != m.rank && !is_v) {
            wait_copy(tile);
        }
        ll_ptx_mbarrier_wait(empty, p.parity ^ 1);
        ll_ptx_mbarrier_arrive_expect_tx(bar, TILES::BYTES_K);
        if (from.rank != m.rank) {
            ll_ptx_cp_async_bulk_load(
                to,
                (unsigned long long)(size_t)copy_of<TILES>(m, t.head, tile) +
                    (is_v ? TILES::BYTES_K : 0),
                TILES::BYTES_K, bar);
        } else {
            for (unsigned b = 0; b < TILES::BOXES; ++b) {
                ll_ptx_cp_async_bulk_tensor_load_4d(
                    to + TILES::BOX_BYTES_K * b, (is_v ? m.v : m.k) + m.rank,
                    bar, (int)(TILES::BOX * b), (int)head, (int)from.row, 0);
            }
        }
        p.next();
    }
    __device__ void run() {
        ring_position<TILES::STAGES> k = {0, 0}, v = {0, 0};
        load_q();
        for (int x = t.high; x-- > t.low;) {
            load(false, k, x);
            if (x + 1 < t.high) {
                load(true, v, x + 1);
            }
        }
        load(true, v, t.low);
    }
};

/* ---- The kernel ---------------------------------------------------------- */

/* Stores 64 rows of O from row `row` on: with m.back on the rank that holds
 * their tokens. */
template <class TILES>
static __device__ void
store_rows(const typename TILES::output_registers &output, unsigned char *to,
           const exchange_move &m, const attention_shape &s, tile_job t,
           int row) {
    exchange_place p = {m.rank, (unsigned)row};
    if (row >= t.rows) {
        return;
    }
    if (m.back) {
        p = place_of(m, (unsigned)row / 64);
        t.head = head_of(m, t.head);
        t.row_start = (int)p.row - row;
        if (threadIdx.x % 128 == 0 && p.rank != m.rank) {
            wait_flag(m, EXCHANGE_READY + p.rank);
        }
    }
    store_output<TILES>(output, to, m.o + p.rank, s, t, row);
}

/* Registers of a thread. Copies need 40 where 24 are enough without them. A
 * block that asks for more than it begins with waits for ever. */
template <class TILES> struct exchange_registers {
    /* clang-format off */
    enum : unsigned {
        PRODUCER = TILES::WORKERS == 2 ? 40 : 32,
        WORKER = TILES::WORKERS == 2 ? 232 : 160,
        AT_FIRST = 65536 / TILES::THREADS / 8 * 8
    };
    /* clang-format on */
    static_assert(PRODUCER + TILES::WORKERS * WORKER <=
                      AT_FIRST * (TILES::WORKERS + 1),
                  "no thread takes registers that none gives back");
};

/* Computes O = softmax(Q K^T) V of a rank's heads. The worker
 * comes from KERNEL (attention_kernel.h). */
template <class KERNEL>
__global__ void __launch_bounds__(KERNEL::tiles::THREADS, 1)
    attention_exchange(const __grid_constant__ exchange_move m,
                       const attention_shape s) {
    typedef typename KERNEL::tiles tiles;
    typedef exchange_registers<tiles> registers;
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const tile_job job =
        exchange_job<tiles::ROWS, tiles::KEYS>(m, s, blockIdx.x);
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_init(smem + tiles::FULL_Q, 1);
        init_ring<tiles>(smem);
        exchange_copier<tiles>::init(smem);
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<registers::PRODUCER>();
        if (threadIdx.x == 0) {
            exchange_producer<tiles>(m, s, job, smem).run();
        } else if (threadIdx.x == 32) {
            exchange_copier<tiles>(m, memory, s.causal).run();
        }
        __syncwarp();
    } else {
        ll_ptx_setmaxnreg_inc<registers::WORKER>();
        const unsigned number = __shfl_sync(~0u, threadIdx.x / 128, 0) - 1;
        ring_positions<tiles::STAGES> p = {{0, 0}, {0, 0}, 0};
        typename tiles::output_registers output;
        clear(output);
        KERNEL::worker::run(output, smem, s, job, number, 1, p);
        store_rows<tiles>(output,
                          memory + tiles::AT_O + number * tiles::BYTES_O, m, s,
                          job, job.row + (int)(64 * number));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        end_block(m);
    }
}

} // namespace ll_kernels

#endif
