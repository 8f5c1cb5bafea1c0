/* lowbit_tiles.h - the tiles of a GEMM with weights of 4 and 8 bits: their
 * layouts, how a block divides its shared memory, and the order of tiles
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_LOWBIT_TILES_H
#define LL_LOWBIT_TILES_H

#include "lowbit_format.h"

namespace ll_kernels {

/* clang-format off */
enum : unsigned {
    MAX_SPLITS = 2,   /* blocks of a cluster; more leave multiprocessors idle */
    EARLY_STAGES = 2, /* of weights, loaded before activations */
    STORED_TOKENS = 128 /* of C, stored at once */
};
/* clang-format on */

/* ---- Layouts ------------------------------------------------------------- */

/* A tile of C as TMA stores it, of 64 features, and how accumulators get there.
 */
LL_LAYOUT(TILE_C, ll_ptx_smem_mn(64, STORED_TOKENS, 16, 128, 16));
LL_LAYOUT(STORED_SUMS, ll_ptx_wgmma_d(64, STORED_TOKENS, 4));
LL_PLAN_THROUGH(STORE_C, STORED_SUMS, STORED_SUMS, 16, LL_SM90, LL_GET(TILE_C));
LL_EXPECT_NO_CONFLICTS(STORE_C);
static constexpr ll_ptx_tensor BOX_C =
    ll_ptx_tensor_of(LL_GET(TILE_C), 64, STORED_TOKENS, 16);
static_assert(BOX_C.copies == 1, "one copy stores TILE_C");

/* DEPTH of activations as operand B, and the accumulators of a warpgroup. */
template <unsigned TOKENS> struct token_layouts {
    LL_LAYOUT(TILE_X, ll_ptx_smem_k(TOKENS, DEPTH, BITS, TOKEN_BYTES));
    LL_LAYOUT(SUMS, ll_ptx_wgmma_d(64, TOKENS, 4));

    /* The descriptor of a slice of k, for a tile at address 0. */
    static constexpr ll_ptx_desc slice(unsigned k) {
        return ll_ptx_desc_slice(LL_GET(TILE_X), TOKENS, SLICE, BITS, 0, k);
    }
    static constexpr unsigned long long DESC = ll_ptx_desc_wgmma(slice(0), 0);
    static constexpr unsigned NEXT_K = slice(SLICE).at;
    static constexpr ll_ptx_tensor BOX_X =
        ll_ptx_tensor_of(LL_GET(TILE_X), TOKENS, DEPTH, BITS);
    static_assert(DESC &&
                      slice(DEPTH - SLICE).at == (DEPTH / SLICE - 1) * NEXT_K,
                  "wgmma reads TILE_X, and its slices have one distance");
    static_assert(BOX_X.copies == 1, "one copy loads TILE_X");
};

/* ---- Forms --------------------------------------------------------------- */

/* A tile of C, 64 PANELS features x TOKENS, computed by PANELS x SHARES
 * warpgroups: SHARES of them have the same features and share k. And shared
 * memory: the ring of stages, tiles of C, the mbarriers. */
template <format F, unsigned TOKENS_, unsigned PANELS_, unsigned SHARES_>
struct lowbit_form : token_layouts<TOKENS_> {
    /* clang-format off */
    enum : unsigned {
        TOKENS = TOKENS_, PANELS = PANELS_, SHARES = SHARES_,
        FEATURES = 64 * PANELS, WORKERS = PANELS * SHARES,
        WORKER_STEPS = TOKENS > 128 && !IS_E4M3 ? 1 : 2, /* of a stage */
        STEPS = SHARES * WORKER_STEPS, /* of DEPTH, of a stage */
        THREADS = 128 + 128 * WORKERS,
        PRODUCER_REGISTERS = WORKERS > 2 ? 32 : 40,
        WORKER_REGISTERS = WORKERS > 2 ? 112 : 232,
        BYTES_X = TOKEN_BYTES * TOKENS,        /* of a step */
        BYTES_TILE = tile_bytes(F),            /* of a step, of a panel */
        BYTES_W = STEPS * BYTES_TILE,          /* of a stage, of a panel */
        BYTES_WARP = element_bytes(F) / 4,     /* elements of a warp */
        STAGE = (STEPS * BYTES_X + PANELS * BYTES_W + 1023) & ~1023u,
        BYTES_C = TOKENS > 128 ? 2 * 64 * STORED_TOKENS : 0,
        STAGES = (226 * 1024 - WORKERS * BYTES_C) / STAGE,
        AT_C = STAGES * STAGE, FULL = AT_C + WORKERS * BYTES_C,
        EMPTY = FULL + 8 * STAGES, SMEM = EMPTY + 8 * STAGES
    };
    /* clang-format on */
    static_assert(+EARLY_STAGES <= +STAGES, "early stages fit into the ring");
    static_assert(TOKENS * 256 * WORKERS <= AT_C, "sums fit into the ring");
    static_assert(TOKENS / 2 % (MAX_SPLITS * SHARES) == 0,
                  "warpgroups add equal parts of the sums");
    static_assert(128 * (PRODUCER_REGISTERS + WORKERS * WORKER_REGISTERS) <=
                      65536 / THREADS / 8 * 8 * THREADS,
                  "the registers of the launch are enough");
};

/* ---- The order of tiles -------------------------------------------------- */

/* The tiles of a block, and its part of k. Tiles are numbered in groups of
 * GROUP tiles of tokens, so that tiles computed at the same time share operands
 * in the L2 cache.
 *   high, wide     C in tiles: of features and of tokens
 *   splits         blocks of a cluster that split k
 *   panels         of W that are stored
 *   first, stages  the part of k
 *   tiles          of this block */
struct lowbit_scheduler {
    enum : unsigned { GROUP = 4 };
    unsigned high, wide, splits, panels, first, stages, tiles;
    __device__ lowbit_scheduler(unsigned feature_tiles, unsigned token_tiles,
                                unsigned all_stages, unsigned blocks,
                                unsigned stored)
        : high(feature_tiles), wide(token_tiles), splits(blocks),
          panels(stored), first(all_stages * (blockIdx.x % blocks) / blocks),
          stages(all_stages * (blockIdx.x % blocks + 1) / blocks - first),
          tiles((high * wide - blockIdx.x / blocks + gridDim.x / blocks - 1) /
                (gridDim.x / blocks)) {}
    /* Sets row and col to tile x of the block: a tile of features, and a tile
     * of tokens. */
    __device__ void find(unsigned x, unsigned &row, unsigned &col) const {
        const unsigned tile = (blockIdx.x + x * gridDim.x) / splits;
        const unsigned begin = tile / (GROUP * high) * GROUP;
        const unsigned in = tile % (GROUP * high);
        const unsigned most = wide - begin < GROUP ? wide - begin : GROUP;
        row = in / most;
        col = begin + in % most;
    }
};

/* A stage of the ring; the parity flips with each round. */
template <class T> struct ring_position {
    unsigned stage, parity;
    __device__ void next() {
        stage = stage + 1 == T::STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

} // namespace ll_kernels

#endif
