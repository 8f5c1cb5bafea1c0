/* data_tri.h - what data_layouts.c and data_tri_*.c share: layouts as Triton makes
 * them, for check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * A layout of one block is built as a product, each factor taking the next
 * higher bits: operand_along() lays the operand of an instruction, along() lays `count` inputs along an axis, copies() gives as many
 * that hold the same. The order in which start() names the axes is the one in
 * which fit() repeats the layout until it fills the tensor.
 */
#ifndef DATA_TRI_H
#define DATA_TRI_H

#include "check_data.h"

/* A tensor: its axes are dim0, dim1, .., dim0 the slowest. */
typedef struct tensor {
    unsigned n;
    unsigned size[LL_MAX_DIMS];
} tensor;

typedef struct family {
    const char *kind;
    ll_layout (*make)(check_case *c, tensor t);
} family;

/* The kinds of layout_from_encoding; the last entry has no kind. */
extern const family nvidia_families[]; /* data_tri_nvidia.c */
extern const family amd_families[];    /* data_tri_amd.c */

/* The layout of an encoding on a tensor. */
ll_layout make(check_case *c, const json_t *encoding, tensor t);
/* A list of at most LL_MAX_DIMS numbers; with a rank, of rank numbers. */
tensor get_tensor(check_case *c, const char *key);
tensor get_each(check_case *c, const char *key, unsigned rank);

/* The axes from n - 1 down to 0, or from 0 up. */
tensor last_first(unsigned n);
tensor first_first(unsigned n);
/* The matrix axes `inner` and `outer` first, then the others, last first. */
tensor matrix_first(unsigned n, unsigned inner, unsigned outer);

/* Products. */
ll_layout start(const char *inputs, tensor order);
ll_layout along(ll_layout a, ll_dim in, unsigned count, unsigned d);
ll_layout copies(ll_layout a, ll_dim in, unsigned count);
/* One factor an axis, in an order; along axis `except` there are copies. */
enum { NO_AXIS = LL_MAX_DIMS };
ll_layout along_all(ll_layout a, ll_dim in, tensor count, tensor order,
                    unsigned except);
/* The operand of an instruction behind a, its rows and columns (the library's i
 * and j) along these axes. */
ll_layout operand_along(ll_layout a, ll_layout operand, unsigned rows,
                        unsigned cols);
/* As many inputs as the axis still needs to have that size. */
ll_layout rest_along(ll_layout a, ll_dim in, unsigned size, unsigned d);

/* The layout of a block repeated, or cut, to fill its part of the tensor, and the
 * blocks. part_of: the sizes of that part. */
ll_layout get_blocks(check_case *c, unsigned rank);
tensor part_of(ll_layout blocks, tensor t);
ll_layout fit(ll_layout a, ll_layout blocks, tensor t);

#endif
