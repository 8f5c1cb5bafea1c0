/* check_data.h - what the files of `make check-data` share.
 * SPDX-License-Identifier: MIT
 *
 * A file of cases holds one JSON object a line: {id, op, params, expect, ..}.
 * check_data.c reads them and finds the op in the tables of data_*.c. An op
 * takes its parameters with get_..., calls the library, and compares with
 * want_... . Errors travel in the case: after the first one the rest goes on
 * with harmless values, and an op needs no tests of its own.
 */
#ifndef CHECK_DATA_H
#define CHECK_DATA_H

#include "../ll.h"
#include <jansson.h>

#define MAX_TEXT 256 /* characters of a list of names, or of a reason */
#define MAX_LIST 256 /* numbers in a list */

typedef struct check_case {
    const json_t *params;
    const json_t *expect;
    unsigned compared;  /* entries of `expect` that were looked at */
    char why[MAX_TEXT]; /* why it failed; empty: it did not */
} check_case;

typedef struct check_op {
    const char *name;
    void (*run)(check_case *c);
} check_op;

/* The tables; the last entry of each has no name. */
extern const check_op check_algebra[]; /* data_algebra.c */
extern const check_op check_shapes[];  /* data_shapes.c */
extern const check_op check_layouts[]; /* data_layouts.c */
extern const check_op check_nvidia[];  /* data_tri_nvidia.c */
extern const check_op check_amd[];     /* data_tri_amd.c */
extern const check_op check_queries[]; /* data_queries.c */
extern const check_op check_conversions[]; /* data_conversions.c */
extern const check_op check_ptx[];     /* data_ptx.c */
extern const check_op check_isa[];     /* data_amd.c */
extern const check_op check_attributes[]; /* data_attributes.c */
extern const check_op check_engine[];  /* data_engine.c */

/* Notes the first reason to fail; the format is printf's. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void fail(check_case *c, const char *format, ...);

/* Looks a name up in a table and runs it; 0 if it is not there. */
int run_op(const check_op *table, const char *name, check_case *c);

/* The parameters. read_... take a value, get_... a parameter by its name. */
const json_t *get_value(check_case *c, const char *key);
unsigned read_number(check_case *c, const json_t *value);
unsigned get_number(check_case *c, const char *key);
unsigned read_numbers(check_case *c, const json_t *list, unsigned *numbers);
unsigned get_numbers(check_case *c, const char *key, unsigned *numbers);
int get_flag(check_case *c, const char *key);
ll_dim read_dim(check_case *c, const json_t *value);
ll_dim get_dim(check_case *c, const char *key);
void get_names(check_case *c, const char *key, char *text);
ll_shape get_shape(check_case *c, const char *key);
ll_layout read_layout(check_case *c, const json_t *value);
ll_layout get_layout(check_case *c, const char *key);
/* Of a layout that may have more outputs than the library holds: `count` of
 * them, from the `first` one on. */
ll_layout read_outputs(check_case *c, const json_t *value, size_t first,
                       size_t count);

/* Is a text in a list? */
int list_has(const json_t *list, const char *text);

/* The comparisons. want_layout_or: null is expected where a has that error. */
void want_layout(check_case *c, const char *key, ll_layout a);
void want_layout_or(check_case *c, const char *key, ll_layout a, unsigned err);
void want_number(check_case *c, const char *key, unsigned number);
void want_flag(check_case *c, const char *key, int flag);
void want_text(check_case *c, const char *key, const char *text);
void want_null(check_case *c, const char *key);
void want_numbers(check_case *c, const char *key, unsigned n,
                  const unsigned *numbers);
void want_names(check_case *c, const char *key, ll_shape s);
/* A list of [name, number], with the names of s. */
void want_pairs(check_case *c, const char *key, ll_shape s,
                const unsigned *numbers);

/* Texts for the functions of ll.h that take a list of names: the dimensions of
 * s except one (0: all); a single one; dim<numbers[0]> dim<numbers[1]> ... */
void list_of(ll_shape s, ll_dim except, char *text);
void name_of(ll_dim d, char *text);
void list_axes(unsigned n, const unsigned *numbers, char *text);
/* The dimension dim<k>. */
ll_dim axis(unsigned k);

/* This case is one of the family whose first function is that; counted where it
 * passes. What tests/families.py --macros prints calls it. */
void belongs(const char *function);

/* How the library's conversions compare with the recorded ones. */
void print_conversions(void);
/* How the engine's layouts compare with the recorded ones. */
void print_engine(void);
#ifdef LL_ENGINE
/* The classes of values that share a layout, up to the rule of an operation;
 * the least cost of all assignments of a solved graph, 0 if there are too many
 * to be tried. */
unsigned engine_classes(const ll_engine *e);
unsigned long long engine_least_of_all(ll_engine *e);
/* Writes a solved graph as numbers; 0 if that does not work. */
int engine_write_model(ll_engine *e, const char *path, const char *name);
#endif

/* The layout in which the components of output d that are not below `size`
 * are 0, and d has at most that size: how the source of the data shrinks. */
ll_layout clamp(ll_layout a, ll_dim d, unsigned size);

/* What data_algebra.c lends to the others. The bits of an input dimension whose
 * columns are 0; the layout without the columns of d that `drop` marks. */
unsigned zero_bits(ll_layout a, ll_dim d);
ll_layout drop_columns(ll_layout a, ll_dim d, unsigned drop);
/* Triton's map with b(x(..)) = a(..): the dimensions in which both have the same
 * columns stay; and its form that takes the copy in one's own block. */
ll_layout solve_rest(ll_layout b, ll_layout a);
ll_layout solve_block_local(ll_layout b, ll_layout a);
/* Blocks split a tensor before anything else does. cut_blocks: the layout of
 * the blocks cut to the shape, and in `left` the sizes left to one block.
 * add_blocks: the layout of one block, repeated for all. */
ll_layout cut_blocks(ll_layout blocks, unsigned n, const unsigned *shape,
                     unsigned *left);
ll_layout add_blocks(ll_layout a, ll_layout blocks);

/* The columns of one input of a layout. */
typedef struct columns {
    unsigned n;
    unsigned v[LL_MAX_BITS];
} columns;

columns input_columns(ll_layout a, ll_dim in);

#endif
