/* mixed.h - the list of pairs of types that mixed.cu checks.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_MIXED_H
#define LL_MIXED_H

#include "examples/kernels/matmul/matmul_check.h"

/* One pair of types in four orders. Objects of other files add themselves to
 * the list. */
struct mixed {
    ll_kernels::product orders[4];
    const mixed *next;
    mixed(const ll_kernels::product (&p)[4]);
};

#endif
