/* rows.h - all that a kernel of rows needs.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ROWS_H
#define LL_ROWS_H

#include "../rows_check.h"
#include "log_sum_exp.h"
#include "packed.h"
#include "row_launch.h"
#include "row_layout.h"
#include "row_reducer.h"
#include "row_refusals.h"
#include "row_stream.h"

#endif
