/* ---- Engine: types and errors ----------------------------------------- */
#ifndef LL_ENGINE_TYPES_H
#define LL_ENGINE_TYPES_H

#include "../plan/target.h"

/* The layout engine chooses a layout for every value of a tensor program so
 * that the whole costs least. A program is a graph: values, and operations that
 * make and use them. Only LL_ENGINE makes these rooms a part of a program: a
 * compiler needs half as much time again to read them, which kernels do not
 * pay. They stand here because their prices are the planner's. They run on the
 * host, in memory of the caller, and never allocate; graphs of a dozen
 * operations are solved by the compiler (LL_ASSIGN).
 *
 * In the engine a layout is flat: its output is the row-major index of the
 * element. Then reshaping and new axes of size 1 change nothing, and each of
 * the other shape operations moves, drops or inserts bits of the index. A flat
 * layout has no register whose column is 0: such a register is a name for
 * another one. (Paper, section 4.4 and appendix, "Layout Engine".) */
#ifdef LL_ENGINE

/* What can be wrong with a graph. ll_engine_error writes the sentence. */
#define LL_ENGINE_ERRORS(X, n)                                              \
    X(n, LL_ENGINE_EARENA, "the memory given to the engine is too small")   \
    X(n, LL_ENGINE_ETARGET,                                                 \
      "the target is invalid, warps or blocks is no power of two, or a "    \
      "block has more than 1024 threads")                                   \
    X(n, LL_ENGINE_ETEXT,                                                   \
      "a line is NAMES = OPERATION OPERANDS KEY=VALUE, where names, an "    \
      "operation, a number, one shape like 64x64:16 or a \"layout\" was "   \
      "expected, with blanks between all but key and value")                \
    X(n, LL_ENGINE_EUNKNOWN, "there is no such operation or key")           \
    X(n, LL_ENGINE_EVALUE,                                                  \
      "a value is used before a line makes it, or to make itself")          \
    X(n, LL_ENGINE_ETWICE, "a name is given to two values")                 \
    X(n, LL_ENGINE_ECOUNT,                                                  \
      "the operation has another number of operands or results")            \
    X(n, LL_ENGINE_ESHAPE, "the shapes of the operands disagree")           \
    X(n, LL_ENGINE_ESIZE,                                                   \
      "a value has a shape with the bits of an element, like 64x64:16: "    \
      "sizes that are powers of two, at most 2^24 elements, 12 axes, 1 to " \
      "128 bits")                                                           \
    X(n, LL_ENGINE_EAXIS, "the value has no such axis, or not of that size") \
    X(n, LL_ENGINE_ELAYOUT,                                                 \
      "a fixed layout holds every element of its value, and its inputs "    \
      "are register, lane, warp and block, as many as the graph has")       \
    X(n, LL_ENGINE_EFIXED,                                                  \
      "the operation takes layouts of the caller alone: each operand and "  \
      "result needs one, as in in0=\"..\", or, of a product, by=")          \
    X(n, LL_ENGINE_EFAMILY,                                                 \
      "no instructions of that name take operands of these sizes and bits " \
      "on so many warps, or e->family, which has the names, is 0")          \
    X(n, LL_ENGINE_EMEMORY,                                                 \
      "a tile in shared memory, and nothing else, has memory=\"offset: ..\"" \
      ", a layout with one place for each element of the value")            \
    X(n, LL_ENGINE_ELOOP,                                                   \
      "each loop has one yield after it, and the values that they carry "   \
      "keep their shapes")                                                  \
    X(n, LL_ENGINE_EFIT, "no layout fits the operation")                    \
    X(n, LL_ENGINE_EREGISTERS,                                              \
      "every layout of the operation needs more registers than allowed")    \
    X(n, LL_ENGINE_ESCRATCH,                                                \
      "the operation, or each conversion to a layout of it, needs more "    \
      "shared memory than allowed")                                         \
    X(n, LL_ENGINE_ENOTHING, "no set of layouts fits the whole graph")      \
    X(n, LL_ENGINE_ESORT,                                                   \
      "a sort has no price unless the graph was told of one: e->sort = "    \
      "ll_sort_cycles, with LL_SORTS")                                      \
    X(n, LL_ENGINE_ELIMIT,                                                  \
      "it is above its limit: a cost 4096, align 4096 and a power of two, " \
      "an axis 11, elements 128 bits, block and step 2^30, a loop 2^20 "    \
      "trips, a name 63 characters")                                        \
    X(n, LL_ENGINE_EKEY,                                                    \
      "the operation has no such key, or it stands there twice")            \
    X(n, LL_ENGINE_ENEEDS,                                                  \
      "a key is missing: axis= of a value of several, out0= of a convert")    \
    X(n, LL_ENGINE_ELIST,                                                   \
      "contiguous=, same= and order= have one number for each axis, which " \
      "is not above its size")                                              \
    X(n, LL_ENGINE_EQUOTED,                                                 \
      "what stands in quotes is no layout like \"register: j0 | lane: i0\"") \
    X(n, LL_ENGINE_ETRIPS,                                                  \
      "loops nest at most 8 deep, and run at least once and at most 2^20 "  \
      "times in all")                                                       \
    X(n, LL_ENGINE_EYIELD,                                                  \
      "a yield has as many values as its loop carries, and then -> with as " \
      "many names, or none")                                                \
    X(n, LL_ENGINE_ELARGE,                                                  \
      "the graph is too large for LL_ASSIGN, which solves about a dozen "   \
      "operations: ll_engine_solve has no such limit")                      \
    X(n, LL_ENGINE_EWIDE,                                                   \
      "a lane would hold more than 4096 elements of a value: take more "    \
      "warps or a smaller tile")

#define LL_ENUM_(arg, code, text) code,
enum { LL_ENGINE_OK, LL_ENGINE_ERRORS(LL_ENUM_, e) LL_ENGINE_ERRORS_N_ };
#undef LL_ENUM_

/* The kinds of operations: name, operands, results (~ is any number). What
 * their layouts must satisfy stands in engine/links. */
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

#define LL_ENGINE_AXES 12u   /* of a value */
#define LL_ENGINE_NONE ~0u   /* no value, no operation, no layout */
#define LL_ENGINE_DEPTH 8u   /* of loops */
#define LL_ENGINE_HEADS_ 1024u
#define LL_ENGINE_MANY_ 0xffffffffffffffull /* a cost that rules out */

/* A flat layout: columns of registers, lanes, warps and blocks, in this order,
 * of which there are n[0] .. n[3]. */
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
    unsigned def;       /* the operation that makes it */
    unsigned weight;    /* times that it is made, the product of the loops */
    unsigned is_free;   /* 1: there at no cost in any layout */
    unsigned in_place;  /* 1: products read its tile, no lane holds it */
    unsigned use, uses; /* where its uses are listed, and how many */
    unsigned first, n;  /* its candidates, and how many */
} ll_engine_value;

typedef struct ll_engine_op {
    unsigned kind;
    unsigned n_in, n_out;
    unsigned at;       /* of its first operand in the lists of operands */
    unsigned weight;   /* times that it runs, the product of the loops */
    unsigned cost;     /* instructions per register, in eighths; of a loop its
                          trips, of its end 0 */
    unsigned axis;     /* of a carried value: the trips of its loop */
    unsigned alone;    /* 1: must not be executed twice */
    unsigned is_light; /* 1: arithmetic on constants, cheap to do again */
    unsigned char order[LL_ENGINE_AXES];      /* of a trans */
    unsigned char contiguous[LL_ENGINE_AXES]; /* of an access, log2 each */
    unsigned char same[LL_ENGINE_AXES]; /* log2 of neighbours that share one
                                           address */
    unsigned align;     /* of each run of contiguous elements, in bytes */
    unsigned memory;    /* the layout of a tile in shared memory, or none */
    unsigned place[2][3]; /* of operands a and b of a dot, where instructions
                             read tiles: in shared memory with neighbours along
                             k, and along the other axis; in registers */
    unsigned in_place[2]; /* the one in which a copy brings it, or none */
    const char *by;     /* the instructions of a dot, in the caller's text, */
    unsigned by_length; /* and the characters of their name */
    unsigned character; /* after its name in the text, counted from 1 */
    unsigned first, n;  /* its instances, and how many */
    unsigned price;     /* where their prices begin */
    unsigned combine;   /* of a reduction or a scan: LL_ENGINE_SUM .. */
    unsigned block, step; /* elements from a block's tile to that of the next
                             one, and from trip to trip, plus 1; 0: not said */
} ll_engine_op;

/* What ll_engine_add takes. Members that an operation does not have stay 0. */
typedef struct ll_engine_spec {
    unsigned kind;
    unsigned n_in;
    const unsigned *in; /* values */
    unsigned n_out;     /* 0: as the kind says, or one for each operand */
    unsigned rank;      /* of a result that is not derived */
    unsigned char size[LL_ENGINE_AXES]; /* log2, slowest first */
    unsigned element_bits; /* of the results; 0: as the first operand */
    unsigned cost;         /* instructions per register, in eighths */
    unsigned axis;
    unsigned char order[LL_ENGINE_AXES];
    unsigned char contiguous[LL_ENGINE_AXES];
    unsigned char same[LL_ENGINE_AXES];
    unsigned align;
    unsigned trips; /* of a carried value's loop; 0: no loop (a branch) */
    unsigned combine, block, step; /* as in ll_engine_op */
} ll_engine_spec;

/* The operands of a product of matrices. */
enum {
    LL_ENGINE_A, /* rows x k */
    LL_ENGINE_B, /* k x columns */
    LL_ENGINE_SCALE_A, LL_ENGINE_SCALE_B,
    LL_ENGINE_C, /* what is added, and the result */
    LL_ENGINE_A_K, LL_ENGINE_B_K,  /* in shared memory, k contiguous */
    LL_ENGINE_A_MN, LL_ENGINE_B_MN /* or the other axis */
};

/* Returns the layout of a product's operand of rows x cols in the registers of
 * a vendor's instructions, or from offsets in shared memory, by their name;
 * one that fails if they do not take it there: ll_ptx_dot, ll_amd_dot. */
typedef ll_layout (*ll_engine_family)(const char *name, unsigned n,
                                      unsigned operand, unsigned rows,
                                      unsigned cols, unsigned element_bits,
                                      unsigned warps);

/* Returns the cycles of a sort along an axis, and its bytes of shared memory;
 * all ones if there is no plan: ll_sort_cycles. */
typedef unsigned (*ll_engine_sorter)(ll_layout a, ll_dim d,
                                     unsigned element_bits, ll_target t,
                                     unsigned *bytes);

/* A plan's price, remembered for its pair of layouts. */
typedef struct ll_engine_pair_ {
    unsigned a, b, element_bits, next;
    unsigned bits; /* log2 of the elements */
    unsigned kind; /* of the plan; LL_ANY if the planner has none */
    unsigned long long cost;
} ll_engine_pair_;

/* Private: an unknown. A label of an operation has an instance in its lowest 10
 * bits, and a second and a third one, counted from 1, in the next ones. A label
 * of a value is a set of candidates. */
typedef struct ll_engine_var_ {
    unsigned is_value; /* 1: a value's needs, 0: an operation */
    unsigned of;       /* the value or operation */
    unsigned first, n; /* its labels */
    unsigned list;     /* its functions: the first node */
    unsigned gone;     /* 1: eliminated */
    unsigned label;    /* chosen, counted from first */
} ll_engine_var_;

/* Private: a function of n unknowns; the first runs fastest in the table. */
typedef struct ll_engine_fn_ {
    unsigned n, at;  /* its unknowns, in the list of scopes */
    unsigned gone;   /* 1: used up by an elimination */
    unsigned bucket; /* the unknown that it was eliminated with */
    unsigned from;   /* of a message: the unknown that it came from */
    unsigned of;     /* and which of that unknown's messages it is */
    unsigned part;   /* of a used function: which message it went into */
    unsigned long long *table;
} ll_engine_fn_;

/* Private: a label that was dropped because of a better one. */
typedef struct ll_engine_drop_ {
    unsigned var, label, by;
} ll_engine_drop_;

/* Private: a conversion that remains. */
typedef struct ll_engine_move {
    unsigned value;
    unsigned from, to;       /* layouts, as numbers */
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
    unsigned long long constant; /* operations without a choice */
    unsigned long long cost, bound;
    unsigned long long visited; /* nodes of the search */
    unsigned optimal;           /* 1: nothing is cheaper */
} ll_engine_solution_;

/* Private: one level of the search: the labels of its unknown that are left. */
typedef struct ll_engine_level_ {
    unsigned long long bound; /* before this unknown */
    unsigned long long last;  /* the last label's addition, and its number: */
    unsigned tried;           /* labels are taken in the order of the two */
    unsigned some;
    unsigned long long messages;
} ll_engine_level_;

/* In constant expressions there are no bytes: lists of each type come from an
 * array of that type; where there is one list alone (1), it takes the whole
 * array. The numbers are enough for a dozen operations. */
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

/* The graph, and what has been found out about it. */
typedef struct ll_engine {
    unsigned err;
    unsigned wrong;     /* the operation at fault; LL_ENGINE_NONE: none */
    unsigned character; /* where in the text, counted from 1; 0: not known */
    unsigned char *memory;
    unsigned long long bytes, used;
    ll_target target;
    unsigned counts[4]; /* bits of lanes, warps and blocks, at 1 .. 3 */
    unsigned registers; /* of 32 bits that one value may take in a lane; 0:
                           any number */
    unsigned scratch;   /* bytes of shared memory that an operation or a
                           conversion may take; 0: any number */
    unsigned most;      /* candidates of a value; 0: 8 */
    unsigned sets;      /* layouts in which one operation may be executed at
                           the same time, 1 to 3; 0: 3 */
    unsigned long long table; /* entries of a table of the solver; 0: a
                                 sixteenth of `bytes`, 2^20 to 2^22 */
    unsigned long long nodes; /* of the search, if tables are not enough; 0:
                                 100,000 */
    ll_engine_value *value;
    ll_engine_op *op;
    unsigned *operand; /* values */
    unsigned *fixed;   /* layouts that the caller fixed; LL_ENGINE_NONE */
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
    /* The rest is of the rooms below. */
    unsigned *use;             /* operands, by value */
    unsigned *candidate;       /* layouts, by value */
    unsigned *origin;          /* where each comes from: LL_ENGINE_BY_ .. */
    unsigned anchor;           /* where the next one comes from */
    unsigned *instance;        /* tuples of layouts, by operation */
    unsigned long long *price; /* of instances, by operation */
    unsigned candidates, instances, instance_words;
    unsigned cap_candidate, cap_instance, cap_price;
    unsigned dropped[3]; /* candidates: too many, registers, no instance */
    unsigned *job; /* of a constant: a price, its operation, two layouts */
    unsigned jobs, cap_job;
    unsigned priced; /* of a constant: 1: all conversions have prices */
    ll_engine_solution_ *found;
    ll_engine_pool_ *pool; /* of a constant; 0: lists are in memory */
    const char *text;      /* the one that was read last; 0: none */
    unsigned text_ops;     /* the operations before it */
} ll_engine;

#endif /* LL_ENGINE */

#endif
