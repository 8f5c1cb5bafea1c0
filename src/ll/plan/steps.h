/* ---- Plans and their steps -------------------------------------------- */
#ifndef LL_PLAN_STEPS_H
#define LL_PLAN_STEPS_H

#include "../layout/permute.h"
#include "banks.h"

/* A plan is a short list of steps. Each step numbers the elements of a lane by
 * positions, in the order in which it takes them. */

/* The kinds of plans, by what a conversion needs. LL_ANY and LL_COPIES are
 * requests to ll_plan_by: LL_COPIES asks for shared memory in an arrangement
 * that copies from a row-major tile can fill without the use of registers. */
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
    LL_OP_SELECT,     /* position p takes position p ^ the at.reg[k] of all k
                         where at.place[k] has an odd number of the thread's
                         bits */
    LL_OP_SHUFFLE,    /* position p takes position at.reg of the lane with
                         number thread map ^ at.place */
    LL_OP_SWAP,       /* position p takes position at.reg; then lanes exchange
                         words. The at.place of the highest position bit is a
                         lane bit: the lower half of the positions of lanes
                         that have it and the upper half of those of lanes
                         that do not have it change places */
    LL_OP_STORE,      /* to shared memory, at thread map ^ at.place */
    LL_OP_SYNC_WARP,  /* the lanes of a warp wait for each other */
    LL_OP_SYNC_BLOCK, /* the warps of a block wait for each other */
    LL_OP_SYNC_CLUSTER, /* the blocks of a cluster wait for each other, and
                           once more after the loads */
    LL_OP_LOAD        /* from shared memory, at thread map ^ at.place */
};

/* One step of a plan. */
typedef struct ll_step {
    unsigned op;
    unsigned count;      /* instructions of a lane */
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
                            block whose memory is read; 0: its own block's */
    unsigned hops;       /* of a shuffle: those of the target's hops that it may
                            use; 0 if the target has none */
    unsigned near;       /* of a shuffle: words of the count that make near hops
                            only */
    unsigned logic;      /* of a shuffle on a target with hops: instructions
                            that do not use the pipe of shared memory */
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
    unsigned element_bits; /* of what the steps move: 8 for 4 and 6 */
    unsigned from_bits;    /* log2 of the registers before the steps */
    unsigned to_bits;      /* log2 of the registers after the steps */
    unsigned nibbles;      /* 1: the elements have 4 bits */
    unsigned pair;         /* what two elements of 4 bits in a byte differ in;
                              0 if they move apart */
    unsigned before;       /* of elements of 4 bits, before the steps: LL_STAY,
                              LL_APART (a register of the steps is one element)
                              or a register bit that changes places with 0 */
    unsigned after;        /* the same after the steps */
    unsigned smem_bytes;   /* of shared memory, of each block */
    unsigned rank;         /* the lowest thread bit of the block's rank in its
                              cluster; 0: nothing depends on the rank */
    unsigned blocks;       /* log2 of the blocks whose memory lanes load from;
                              0: only their own block's */
    unsigned passes;       /* log2 of the passes through shared memory */
    unsigned copies;       /* 1: of LL_COPIES; the stores are as wide as what
                              copies take in their place */
    unsigned cycles;       /* of a warp, estimated */
    unsigned fewest;       /* wavefronts of stores and loads: no memory takes
                              fewer with vector accesses; 0: not known */
    unsigned next_kind;    /* of the best plan of another kind; .kind if none */
    unsigned next_cycles;  /* of the best plan of another kind */
    unsigned n;            /* steps */
    ll_step step[LL_MAX_STEPS];
    ll_layout memory; /* if memory is used: offset -> tensor, or in a cluster
                         offset, block -> tensor; of pairs, to the tensor
                         without the lowest bit of `pair` */
} ll_plan;

/* A tile of a row-major matrix as the lanes of a block load or store it. Places
 * are packed coordinates: the column in the lowest col_bits, the row above. */
typedef struct ll_tile {
    unsigned err;
    unsigned bytes;    /* of one access of one lane */
    unsigned pack;     /* log2 of the elements in a word of an access */
    unsigned col_bits; /* log2 of the columns of the tile */
    unsigned nibble;   /* of pairs of elements of 4 bits: the register bit that
                          changes places with bit 0, after a load or before a
                          store; 0: none */
    unsigned touched;  /* place bits that depend on the thread, see ll_step */
    ll_access at;
    ll_map thread; /* thread number -> packed coordinates */
} ll_tile;

/* What it costs a warp to load or store a tile of a row-major matrix whose rows
 * start at multiples of 128 bytes. Memory is read and written by sectors of 32
 * bytes. The two sectors of a half line come together. The counts of one access
 * of a warp are the same for each of its accesses. */
typedef struct ll_global {
    unsigned err;
    unsigned bytes;     /* of one access of one lane */
    unsigned count;     /* accesses of a lane: its instructions */
    unsigned addresses; /* that a lane computes; in the row of each, the other
                           columns are immediates */
    unsigned sectors;   /* that one access of a warp touches */
    unsigned halves;    /* halves of lines, 64 bytes, that it touches */
    unsigned lines;     /* lines of 128 bytes that it touches */
    unsigned whole;     /* sectors that all accesses of a warp touch together:
                           what it moves if a cache serves the rest */
} ll_global;

/* How a tile is loaded or stored. LL_STREAM is a hint that the data is used
 * once and may leave the caches early. LL_WIDE allows accesses of 32 bytes on
 * targets that have them. */
enum { LL_STREAM = 1, LL_WIDE = 2 };

#endif
