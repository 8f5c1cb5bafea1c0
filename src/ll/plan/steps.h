/* ---- Plans and their steps -------------------------------------------- */
#ifndef LL_PLAN_STEPS_H
#define LL_PLAN_STEPS_H

#include "../layout/permute.h"
#include "banks.h"

/* A plan is a short list of steps. In each step, positions number the elements
 * of a lane in the order in which the step takes them. */

/* The kinds of plans, by the hardware that a conversion needs. LL_ANY and
 * LL_COPIES are requests to ll_plan_by: LL_COPIES asks for shared memory that
 * copies can fill from a row-major tile without passing through registers. */
enum {
    LL_NOTHING,
    LL_REGISTERS,
    LL_SHUFFLES,
    LL_SHARED,
    LL_CLUSTER,
    LL_ANY,
    LL_COPIES
};

/* The operations of a plan's steps. Here p is a position after the step, and
 * at.reg and at.place stand for ll_registers(&at, p) and ll_places(&at, p). */
enum {
    LL_OP_RENAME,     /* position p takes register (position) at.reg */
    LL_OP_SELECT,     /* position p takes position p ^ each at.reg[k] for which
                         thread & at.place[k] has an odd number of bits */
    LL_OP_SHUFFLE,    /* position p takes position at.reg of lane
                         thread map ^ at.place */
    LL_OP_SWAP,       /* position p takes position at.reg; then lanes exchange
                         words. The at.place of the highest position bit is a
                         lane bit. Lanes with this bit exchange the lower half
                         of their positions for the upper half of lanes
                         without it */
    LL_OP_STORE,      /* to shared memory, at thread map ^ at.place */
    LL_OP_SYNC_WARP,  /* a barrier of the warp */
    LL_OP_SYNC_BLOCK, /* a barrier of the block */
    LL_OP_SYNC_CLUSTER, /* a barrier of the cluster, and another one after the
                           loads */
    LL_OP_LOAD        /* from shared memory, at thread map ^ at.place */
};

/* One step of a plan. */
typedef struct ll_step {
    unsigned op;
    unsigned count;      /* instructions per lane */
    unsigned bits;       /* log2 of the positions after the step */
    unsigned pack;       /* log2 of the elements in a 32-bit word after it */
    unsigned form;       /* of an access: LL_FORM_VECTOR .. LL_FORM_BYTES */
    unsigned bytes;      /* of one access of one lane */
    unsigned wavefronts; /* of one access of a warp */
    unsigned least;      /* wavefronts of such an access without conflicts */
    unsigned joined;     /* 1 if one instruction makes two accesses */
    unsigned touched;    /* address bits that depend on the thread; these bits
                            of a place are XORed to the thread's address, the
                            others may be added */
    unsigned flip;       /* of a renaming: a thread with an odd number of these
                            bits takes position at.reg ^ flip_by */
    unsigned flip_by;
    unsigned dsmem;      /* of a load: the lowest place bit of the number of the
                            block to read from; 0: its own block */
    unsigned hops;       /* of a shuffle: hops of the target that it may use; 0
                            if the target has none */
    unsigned near;       /* of a shuffle: words, out of `count`, that use near
                            hops only */
    unsigned logic;      /* of a shuffle on a target with hops: instructions
                            outside the shared-memory pipe */
    ll_access at;        /* positions; places are bytes or lanes */
    ll_map thread;       /* thread number -> byte offset or lane */
} ll_step;

/* The steps that move the elements of one layout to another. */
#define LL_MAX_STEPS 5
typedef struct ll_plan {
    unsigned err;
    unsigned lanes;        /* of a warp */
    unsigned kind;         /* LL_NOTHING .. LL_CLUSTER */
    unsigned threads;      /* of a block */
    unsigned element_bits; /* that the steps move: 8 for elements of 4 and 6 */
    unsigned from_bits;    /* log2 of the registers before the steps */
    unsigned to_bits;      /* log2 of the registers after the steps */
    unsigned nibbles;      /* 1: the elements have 4 bits */
    unsigned pair;         /* XOR of the two elements of 4 bits in a byte; 0 if
                              they move apart */
    unsigned before;       /* of elements of 4 bits, before the steps: LL_STAY,
                              LL_APART (a register of the steps is one element)
                              or a register bit to swap with bit 0 */
    unsigned after;        /* the same after the steps */
    unsigned smem_bytes;   /* of shared memory per block */
    unsigned rank;         /* the lowest thread bit of the block's rank in its
                              cluster; 0: nothing depends on the rank */
    unsigned blocks;       /* log2 of the blocks that lanes load from; 0: only
                              their own block */
    unsigned passes;       /* log2 of the passes through shared memory */
    unsigned copies;       /* 1: of LL_COPIES; the stores are as wide as the
                              copies in their place */
    unsigned cycles;       /* of a warp, estimated */
    unsigned fewest;       /* bound of the wavefronts of stores and loads by
                              vectors, for any memory; 0: not known */
    unsigned next_kind;    /* of the best plan of another kind; .kind if none */
    unsigned next_cycles;  /* of the best plan of another kind */
    unsigned n;            /* steps */
    ll_step step[LL_MAX_STEPS];
    ll_layout memory; /* if memory is used: offset -> tensor, or in a cluster
                         offset, block -> tensor; for pairs, to the tensor
                         without the lowest bit of `pair` */
} ll_plan;

/* A tile of a row-major matrix as the lanes of a block load or store it. Places
 * are packed coordinates: the column in the lowest col_bits, the row above. */
typedef struct ll_tile {
    unsigned err;
    unsigned bytes;    /* of one access of one lane */
    unsigned pack;     /* log2 of the elements in a word of an access */
    unsigned col_bits; /* log2 of the columns of the tile */
    unsigned nibble;   /* of pairs of elements of 4 bits: the register bit to
                          swap with bit 0 after a load or before a store; 0:
                          none */
    unsigned touched;  /* place bits that depend on the thread, see ll_step */
    ll_access at;
    ll_map thread; /* thread number -> packed coordinates */
} ll_tile;

/* The cost for a warp to load or store a tile of a row-major matrix with rows
 * at multiples of 128 bytes. Memory is read and written by sectors of 32 bytes;
 * the two sectors of a half line come together. All accesses count alike. */
typedef struct ll_global {
    unsigned err;
    unsigned bytes;     /* of one access of one lane */
    unsigned count;     /* accesses, that is instructions, per lane */
    unsigned addresses; /* that a lane computes; other columns of a row use
                           immediate offsets */
    unsigned sectors;   /* that one access of a warp touches */
    unsigned halves;    /* halves of lines, 64 bytes, that it touches */
    unsigned lines;     /* lines of 128 bytes that it touches */
    unsigned whole;     /* sectors that all accesses of a warp touch together:
                           its traffic if a cache serves repeated sectors */
} ll_global;

/* Flags for loading or storing a tile. LL_STREAM: data is used once and may
 * leave caches early. LL_WIDE: accesses of 32 bytes if available. */
enum { LL_STREAM = 1, LL_WIDE = 2 };

#endif
