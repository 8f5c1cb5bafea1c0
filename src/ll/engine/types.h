/* ---- Engine: types and errors ----------------------------------------- */
#ifndef LL_ENGINE_TYPES_H
#define LL_ENGINE_TYPES_H

#include "../plan/target.h"

/* The layout engine chooses a layout for every value of a tensor program so
 * that the total cost is lowest. A program is a graph of values and of
 * operations that make and use them. Only LL_ENGINE makes the engine a part of
 * a program: it takes a compiler half as much time again to read, which kernels
 * should not pay. It is in this library because its prices are the planner's.
 * It runs on the host, in memory of the caller, and never allocates. The
 * compiler can solve graphs of a dozen operations (LL_ASSIGN).
 *
 * In the engine a layout is flat: its output is the row-major index of the
 * element. Then reshapes and new axes of size 1 change nothing, and each other
 * shape operation moves, drops or inserts bits of the index. No register of a
 * flat layout has a column of 0, because such a register duplicates another
 * one. (Paper, section 4.4 and appendix, "Layout Engine".) */
#ifdef LL_ENGINE

/* Errors of a graph. ll_engine_error writes the sentence. */
#define LL_ENGINE_ERRORS(X, n)                                              \
    X(n, LL_ENGINE_EARENA, "the memory given to the engine is too small")   \
    X(n, LL_ENGINE_ETARGET,                                                 \
      "the target must be valid, warps and blocks must be powers of two, "  \
      "and a block may have at most 1024 threads")                          \
    X(n, LL_ENGINE_ETEXT,                                                   \
      "syntax error: a line must be NAMES = OPERATION OPERANDS SHAPE "      \
      "KEY=VALUE, with a shape like 64x64:16, layouts in quotes, and "      \
      "blanks between all but key and value")                               \
    X(n, LL_ENGINE_EUNKNOWN, "unknown operation or key")                    \
    X(n, LL_ENGINE_EVALUE,                                                  \
      "a value is used before a line makes it, or depends on itself")       \
    X(n, LL_ENGINE_ETWICE, "another value already has this name")           \
    X(n, LL_ENGINE_ECOUNT, "wrong number of operands or results")           \
    X(n, LL_ENGINE_ESHAPE, "the shapes of the operands do not match")       \
    X(n, LL_ENGINE_ESIZE,                                                   \
      "a shape must be like 64x64:16: sizes that are powers of two, at "    \
      "most 2^24 elements and 12 axes, 1 to 128 bits per element")          \
    X(n, LL_ENGINE_EAXIS,                                                   \
      "the value does not have this axis, or not with this size")           \
    X(n, LL_ENGINE_ELAYOUT,                                                 \
      "a fixed layout must hold every element of its value and have no "    \
      "constant (1: ..), and its inputs must be register, lane, warp and "  \
      "block, with the graph's sizes")                                      \
    X(n, LL_ENGINE_EFIXED,                                                  \
      "the caller must fix a layout for each operand and result of this "   \
      "operation, as in in0=\"..\" or, for a dot, by=")                     \
    X(n, LL_ENGINE_EFAMILY,                                                 \
      "no instructions with this name take operands of these sizes and "    \
      "element bits on the graph's warps, or e->family, which has the "     \
      "names, is 0")                                                        \
    X(n, LL_ENGINE_EMEMORY,                                                 \
      "a tile in shared memory, and nothing else, must have "               \
      "memory=\"offset: ..\", a layout with one place for each element "    \
      "of the value")                                                       \
    X(n, LL_ENGINE_ELOOP,                                                   \
      "each loop must have one yield after it, and the values that they "   \
      "carry must keep their shapes")                                       \
    X(n, LL_ENGINE_EFIT, "no layout fits the operation")                    \
    X(n, LL_ENGINE_EREGISTERS,                                              \
      "every layout of the operation needs more registers than allowed")    \
    X(n, LL_ENGINE_ESCRATCH,                                                \
      "the operation, or every conversion to its layouts, needs more "      \
      "shared memory than allowed")                                         \
    X(n, LL_ENGINE_ENOTHING, "no set of layouts fits the whole graph")      \
    X(n, LL_ENGINE_ESORT,                                                   \
      "a sort needs a price: define LL_SORTS and set e->sort = "            \
      "ll_sort_cycles")                                                     \
    X(n, LL_ENGINE_ELIMIT,                                                  \
      "too large: the limits are cost 4096, align 4096 (a power of two), "  \
      "axis 11, 128 element bits, block and step 2^30, 2^20 trips of a "    \
      "loop, 63 characters of a name")                                      \
    X(n, LL_ENGINE_EKEY,                                                    \
      "this operation does not take this key, or the key is given twice")   \
    X(n, LL_ENGINE_ENEEDS,                                                  \
      "a key is missing: axis= if the value has several axes, out0= for "   \
      "a convert")                                                          \
    X(n, LL_ENGINE_ELIST,                                                   \
      "contiguous=, same= and order= must have one number per axis, not "   \
      "above the size of the axis")                                         \
    X(n, LL_ENGINE_EQUOTED,                                                 \
      "the text in quotes must be a layout like \"register: j0 | lane: "    \
      "i0\"")                                                               \
    X(n, LL_ENGINE_ETRIPS,                                                  \
      "loops may nest at most 8 deep, and run 1 to 2^20 times in all")      \
    X(n, LL_ENGINE_EYIELD,                                                  \
      "a yield must have one value per value that its loop carries and, "   \
      "after ->, one name per value or none")                               \
    X(n, LL_ENGINE_ELARGE,                                                  \
      "the graph is too large for LL_ASSIGN, which solves about a dozen "   \
      "operations: ll_engine_solve has no such limit")                      \
    X(n, LL_ENGINE_EWIDE,                                                   \
      "a lane would hold more than 4096 elements of a value: use more "     \
      "warps or a smaller tile")                                            \
    X(n, LL_ENGINE_ENULL, "a text is a null pointer")

#define LL_ENUM_(arg, code, text) code,
enum { LL_ENGINE_OK, LL_ENGINE_ERRORS(LL_ENUM_, e) LL_ENGINE_ERRORS_N_ };
#undef LL_ENUM_

/* The kinds of operations: name, number of operands and of results (~0u: any
 * number). The rules for their layouts are in engine/links. */
#define LL_ENGINE_KINDS(X)                                                  \
    X(LL_ENGINE_CONSTANT, "constant", 0, 1)                                 \
    X(LL_ENGINE_SOURCE, "source", 0, 1)                                     \
    X(LL_ENGINE_LOAD, "load", ~0u, 1)                                       \
    X(LL_ENGINE_STORE, "store", ~0u, 0)                                     \
    X(LL_ENGINE_ATOMIC, "atomic", ~0u, ~0u)                                 \
    X(LL_ENGINE_SINK, "sink", 1, 0)                                         \
    X(LL_ENGINE_MAP, "map", ~0u, ~0u)                                       \
    X(LL_ENGINE_SCAN, "scan", ~0u, ~0u)                                     \
    X(LL_ENGINE_SORT, "sort", 1, 1)                                         \
    X(LL_ENGINE_TRANS, "trans", 1, 1)                                       \
    X(LL_ENGINE_RESHAPE, "reshape", 1, 1)                                   \
    X(LL_ENGINE_REORDER, "reorder", 1, 1)                                   \
    X(LL_ENGINE_EXPAND, "expand", 1, 1)                                     \
    X(LL_ENGINE_BROADCAST, "broadcast", 1, 1)                               \
    X(LL_ENGINE_REDUCE, "reduce", ~0u, ~0u)                                 \
    X(LL_ENGINE_JOIN, "join", 2, 1)                                         \
    X(LL_ENGINE_SPLIT, "split", 1, 2)                                       \
    X(LL_ENGINE_UNPACK, "unpack", 1, 1)                                     \
    X(LL_ENGINE_GATHER, "gather", 2, 1)                                     \
    X(LL_ENGINE_FIXED, "fixed", ~0u, ~0u)                                   \
    X(LL_ENGINE_DOT, "dot", ~0u, 1)                                         \
    X(LL_ENGINE_DOT_SCALED, "dot_scaled", ~0u, 1)                           \
    X(LL_ENGINE_CONVERT, "convert", 1, 1)                                   \
    X(LL_ENGINE_LOCAL_LOAD, "local_load", 0, 1)                             \
    X(LL_ENGINE_LOCAL_STORE, "local_store", 1, 0)                           \
    X(LL_ENGINE_TMA_LOAD, "tma_load", 0, 1)                                 \
    X(LL_ENGINE_TMA_STORE, "tma_store", 1, 0)                               \
    X(LL_ENGINE_CARRY, "carry", 2, 2)                                       \
    X(LL_ENGINE_LOOP, "loop", 0, 0)
#define LL_ENGINE_KIND_(kind, name, ins, outs) kind,
enum { LL_ENGINE_KINDS(LL_ENGINE_KIND_) LL_ENGINE_KINDS_N_ };
#undef LL_ENGINE_KIND_

#define LL_ENGINE_AXES 12u   /* per value */
#define LL_ENGINE_NONE ~0u   /* no value, no operation, no layout */
#define LL_ENGINE_DEPTH 8u   /* of nested loops */
#define LL_ENGINE_HEADS_ 1024u
#define LL_ENGINE_MANY_ 0xffffffffffffffull /* the cost of the impossible */

/* A flat layout: the columns of n[0] register bits, n[1] lane bits, n[2] warp
 * bits and n[3] block bits, in this order. */
typedef struct ll_engine_flat {
    unsigned char n[4];
    unsigned basis[LL_MAX_BITS];
} ll_engine_flat;

typedef struct ll_engine_value {
    const char *name; /* in the caller's text; 0: none */
    unsigned length;  /* characters of the name */
    unsigned rank;
    unsigned char size[LL_ENGINE_AXES]; /* log2, slowest first */
    unsigned bits;                      /* log2 of the elements */
    unsigned element_bits;
    unsigned def;       /* operation that makes it */
    unsigned weight;    /* times it is made: product of the loops' trips */
    unsigned is_free;   /* 1: available in any layout at no cost */
    unsigned in_place;  /* 1: dots read its tile; no lane holds it */
    unsigned tile[3];   /* 2 * dot + k + 1 of the operand that stores its tile,
                           and the two layouts that will do */
    unsigned use, uses; /* start and number of its uses in the list */
    unsigned first, n;  /* start and number of its candidates */
} ll_engine_value;

typedef struct ll_engine_op {
    unsigned kind;
    unsigned n_in, n_out;
    unsigned at;       /* index of its first operand in the operand lists */
    unsigned weight;   /* times it runs: product of the loops' trips */
    unsigned cost;     /* instructions per register, in eighths; for a loop:
                          its trips, at its end: 0 */
    unsigned axis;     /* or the trips of a carried value's loop */
    unsigned alone;    /* 1: must not be executed twice */
    unsigned is_light; /* 1: arithmetic on constants, cheap to repeat */
    unsigned char order[LL_ENGINE_AXES];      /* for a trans */
    unsigned char contiguous[LL_ENGINE_AXES]; /* for an access, log2 each */
    unsigned char same[LL_ENGINE_AXES]; /* log2 of neighbours that share one
                                           address */
    unsigned align;     /* of each contiguous run, in bytes */
    unsigned memory;    /* layout of its tile in shared memory, or none */
    unsigned place[2][3]; /* for a and b of a dot, layouts that its
                             instructions read: in shared memory with k
                             contiguous, with the other axis contiguous, and
                             in registers */
    unsigned in_place[2]; /* the one in which a copy brings it, or none */
    unsigned shares[2];   /* 1: another operand stores its tile */
    const char *by;     /* name of a dot's instructions, in the caller's text */
    unsigned by_length; /* characters of that name */
    unsigned character; /* position after its name, counted from 1 */
    unsigned first, n;  /* start and number of its instances */
    unsigned price;     /* start of their prices */
    unsigned combine;   /* for a reduction or a scan: LL_ENGINE_SUM .. */
    unsigned block, step; /* elements from one block's tile to the next one's,
                             from trip to trip, plus 1; 0: not given */
} ll_engine_op;

/* The argument of ll_engine_add. Members that an operation does not use stay
 * 0. */
typedef struct ll_engine_spec {
    unsigned kind;
    unsigned n_in;
    const unsigned *in; /* values */
    unsigned n_out;     /* 0: as for the kind, or one per operand */
    unsigned rank;      /* of results that are not derived */
    unsigned char size[LL_ENGINE_AXES]; /* log2, slowest first */
    unsigned element_bits; /* of the results; 0: as the first operand */
    unsigned cost;         /* instructions per register, in eighths */
    unsigned axis;
    unsigned char order[LL_ENGINE_AXES];
    unsigned char contiguous[LL_ENGINE_AXES];
    unsigned char same[LL_ENGINE_AXES];
    unsigned align;
    unsigned trips; /* of a carried value's loop; 0: a merge of branches */
    unsigned combine, block, step; /* as in ll_engine_op */
} ll_engine_spec;

/* The operands of a dot. */
enum {
    LL_ENGINE_A, /* rows x k */
    LL_ENGINE_B, /* k x columns */
    LL_ENGINE_SCALE_A, LL_ENGINE_SCALE_B,
    LL_ENGINE_C, /* accumulator: added, and the result */
    LL_ENGINE_A_K, LL_ENGINE_B_K,  /* in shared memory, k contiguous */
    LL_ENGINE_A_MN, LL_ENGINE_B_MN /* or the other axis */
};

/* Returns the layout of a dot's operand of rows x cols for a vendor's
 * instructions, given by name: from registers, or from offsets in shared
 * memory. Returns a layout with an error if the instructions do not take the
 * operand there. See ll_ptx_dot, ll_amd_dot. */
typedef ll_layout (*ll_engine_family)(const char *name, unsigned n,
                                      unsigned operand, unsigned rows,
                                      unsigned cols, unsigned element_bits,
                                      unsigned warps);

/* Returns the cycles of a sort along an axis, and its bytes of shared memory;
 * ~0 if there is no plan. See ll_sort_cycles. */
typedef unsigned (*ll_engine_sorter)(ll_layout a, ll_dim d,
                                     unsigned element_bits, ll_target t,
                                     unsigned *bytes);

/* A plan's price, cached for its pair of layouts. */
typedef struct ll_engine_pair_ {
    unsigned a, b, element_bits, next;
    unsigned bits; /* log2 of the elements */
    unsigned kind; /* of the plan; LL_ANY if the planner has none */
    unsigned long long cost;
} ll_engine_pair_;

/* Private: an unknown. A label of an operation has an instance in its lowest 10
 * bits. The next two groups of 10 bits may have a second and a third instance,
 * counted from 1. A label of a value is a set of candidates. */
typedef struct ll_engine_var_ {
    unsigned is_value; /* 1: a value's needs, 0: an operation */
    unsigned of;       /* the value or operation */
    unsigned first, n; /* its labels */
    unsigned list;     /* its functions: the first node */
    unsigned gone;     /* 1: eliminated */
    unsigned label;    /* chosen, counted from first */
} ll_engine_var_;

/* Private: a function of n unknowns. The first one varies fastest in the
 * table. */
typedef struct ll_engine_fn_ {
    unsigned n, at;  /* its unknowns, in the list of scopes */
    unsigned gone;   /* 1: used up by an elimination */
    unsigned bucket; /* the unknown that it was eliminated with */
    unsigned from;   /* for a message: the unknown that sent it */
    unsigned of;     /* for a message: its number at that unknown */
    unsigned part;   /* for a used function: the message it went into */
    unsigned long long *table;
} ll_engine_fn_;

/* Private: a label that was dropped because label `by` is at least as good. */
typedef struct ll_engine_drop_ {
    unsigned var, label, by;
} ll_engine_drop_;

/* Private: a conversion that remains. */
typedef struct ll_engine_move {
    unsigned value;
    unsigned from, to;       /* numbers of layouts */
    unsigned kind;           /* of the plan */
    unsigned weight;         /* how often it runs */
    unsigned long long cost; /* of all its runs */
} ll_engine_move;

typedef struct ll_engine_solution_ {
    ll_engine_var_ *var;
    ll_engine_fn_ *fn;
    ll_engine_drop_ *drop;
    unsigned *label;
    unsigned *scope;
    unsigned *node;      /* pairs: a function, the next node */
    unsigned *order;     /* of elimination */
    unsigned *op_var;    /* the unknown of an operation, or none */
    unsigned *value_var; /* the unknown of a value, or none */
    ll_engine_move *move;
    unsigned vars, fns, drops, labels, scopes, nodes, orders, moves;
    unsigned cap_var, cap_fn, cap_drop, cap_label, cap_scope, cap_node;
    unsigned cap_move;
    unsigned first_message;      /* functions from here on are messages */
    unsigned cut;                /* eliminations that were cut into parts */
    unsigned long long widest;   /* entries of the largest table */
    unsigned long long constant; /* cost of operations without a choice */
    unsigned long long cost, bound;
    unsigned long long visited; /* nodes of the search */
    unsigned optimal;           /* 1: nothing is cheaper */
} ll_engine_solution_;

/* Private: one level of the search, with the labels of its unknown still to
 * try. */
typedef struct ll_engine_level_ {
    unsigned long long bound; /* before this unknown */
    unsigned long long last;  /* what the last label added */
    unsigned tried;           /* that label; the order is (last, tried) */
    unsigned some;
    unsigned long long messages;
} ll_engine_level_;

/* Constant expressions have no untyped memory, so the lists of a type share an
 * array of that type. If there is only one list (1), it takes the whole array.
 * The sizes are enough for a dozen operations. */
#define LL_ENGINE_LISTS_(X)                                                 \
    X(word, unsigned, 8000, 0)                                              \
    X(wide, unsigned long long, 8000, 0)                                    \
    X(value, ll_engine_value, 40, 1)                                        \
    X(op, ll_engine_op, 32, 1)                                              \
    X(flat, ll_engine_flat, 120, 1)                                         \
    X(pair, ll_engine_pair_, 200, 1)                                        \
    X(var, ll_engine_var_, 64, 1)                                           \
    X(fn, ll_engine_fn_, 200, 1)                                            \
    X(drop, ll_engine_drop_, 1, 1)                                          \
    X(move, ll_engine_move, 40, 1)                                          \
    X(level, ll_engine_level_, 64, 0)                                       \
    X(found, ll_engine_solution_, 1, 0)

#define LL_ENGINE_POOLED_(name, type, n, one) type name[n];
#define LL_ENGINE_COUNTED_(name, type, n, one) unsigned name##_used;
typedef struct ll_engine_pool_ {
    LL_ENGINE_LISTS_(LL_ENGINE_POOLED_)
    LL_ENGINE_LISTS_(LL_ENGINE_COUNTED_)
} ll_engine_pool_;
#undef LL_ENGINE_POOLED_
#undef LL_ENGINE_COUNTED_

/* The graph, and the results of the engine. */
typedef struct ll_engine {
    unsigned err;
    unsigned wrong;     /* the operation at fault; LL_ENGINE_NONE: none */
    unsigned character; /* place in the text, counted from 1; 0: unknown */
    unsigned char *memory;
    unsigned long long bytes, used;
    ll_target target;
    unsigned counts[4]; /* bits of lanes, warps and blocks, at 1 .. 3 */
    unsigned registers; /* most 32-bit registers per lane for one value; 0:
                           no limit */
    unsigned scratch;   /* most bytes of shared memory for an operation or
                           a conversion; 0: no limit */
    unsigned most;      /* candidates per value; 0: 8 */
    unsigned sets;      /* most layouts in which one operation is executed,
                           1 to 3; 0: 3 */
    unsigned long long table; /* most entries of a solver's table; 0: a
                                 sixteenth of `bytes`, 2^20 to 2^22 */
    unsigned long long nodes; /* most nodes of the search, if tables do
                                 not suffice; 0: 100,000 */
    ll_engine_value *value;
    ll_engine_op *op;
    unsigned *operand; /* values */
    unsigned *fixed;   /* by operand: a layout that the caller fixed, or none */
    ll_engine_flat *flat;
    unsigned *flat_next;
    unsigned *hint; /* pairs of a value and a layout */
    ll_engine_pair_ *pair;
    unsigned values, ops, operands, flats, hints, pairs;
    unsigned cap_values, cap_ops, cap_operands, cap_fixed, cap_flats;
    unsigned cap_next, cap_hints, cap_pairs;
    unsigned heads[2][LL_ENGINE_HEADS_]; /* of layouts and of pairs */
    ll_engine_family family; /* the vendor's matrix instructions; 0: none */
    ll_engine_sorter sort;   /* the price of sorts; 0: none */
    unsigned depth;
    unsigned trips[LL_ENGINE_DEPTH + 1u]; /* products, by depth */
    /* The members below belong to later rooms. */
    unsigned *use;             /* operands, by value */
    unsigned *candidate;       /* layouts, by value */
    unsigned *origin;          /* of each candidate: LL_ENGINE_BY_ .. */
    unsigned anchor;           /* origin of the next candidate */
    unsigned *instance;        /* tuples of layouts, by operation */
    unsigned long long *price; /* of instances, by operation */
    unsigned candidates, instances, instance_words;
    unsigned cap_candidate, cap_instance, cap_price;
    unsigned dropped[3]; /* candidates: over `most`, registers, no instance */
    unsigned *job; /* in a constant: price, operation, two layouts */
    unsigned jobs, cap_job;
    unsigned priced; /* in a constant: 1: all conversions have prices */
    ll_engine_solution_ *found;
    ll_engine_pool_ *pool; /* in a constant; 0: lists are in memory */
    const char *text;      /* the text that was read last; 0: none */
    unsigned text_ops;     /* number of operations before it */
} ll_engine;

#endif /* LL_ENGINE */

#endif
