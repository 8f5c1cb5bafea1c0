/* ll_amd.h - linear layouts for AMD GPUs: targets, instructions, moves.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_AMD_H
#define LL_AMD_H

#ifndef LL_H
#include "ll.h"
#endif

/* ---- 1. What this is ---------------------------------------------------- */
/*
 * The AMD half of the library, twin of ll_ptx.h: the same sections in the same
 * order, the same names behind the prefix. So far it is the frame alone: a
 * kernel that asks for one of its moves does not compile. ll.h itself knows no
 * vendor; the wavefronts of 64 lanes and their phases fit into its ll_target,
 * and the tests use them so.
 *
 * | capability                 | here                                      |
 * |----------------------------|-------------------------------------------|
 * | targets                    | not yet                                   |
 * | global memory, 16 bytes    | not yet                                   |
 * | masked at ragged edges     | not yet                                   |
 * | shared memory, 16 bytes    | not yet                                   |
 * | conversion, shared memory  | not yet                                   |
 */

/* ---- 2. A complete example ---------------------------------------------- */

/* ---- 3. The functions at a glance --------------------------------------- */
/*
 * LL_GLANCE_BEGIN
 * LL_GLANCE_END
 */

/* ---- 4. Words and bit order --------------------------------------------- */
/*
 * As in ll.h. What AMD calls a wavefront, 32 or 64 lanes, is a warp here; the
 * word wavefront is kept for a cycle of shared memory (LDS).
 */

/* ---- 5. Configuration --------------------------------------------------- */

/* ---- 6. Portability ----------------------------------------------------- */

/* ---- 7. Types and errors ------------------------------------------------ */

/* ---- 8. Targets --------------------------------------------------------- */

/* ---- 9. Register layouts of matrix instructions ------------------------- */

/* ---- 10. Shared memory layouts the hardware reads ----------------------- */

/* ---- 11. Instructions, one function each -------------------------------- */

/* ---- 12. Load, store, convert ------------------------------------------- */

/* ---- 13. Licence -------------------------------------------------------- */
/*
 * MIT License
 *
 * Copyright (c) 2026 the ll authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in
 * all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */

#endif
