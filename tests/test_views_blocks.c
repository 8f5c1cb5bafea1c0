/* test_views_blocks.c - CGALayout of AMD's attributes: the blocks of a cluster
 * split every axis of an operand, its k too.
 * SPDX-License-Identifier: MIT
 *
 * Triton 3.6.0 computed the columns (to_linear_layout).
 */
#include "../ll.h"
#include "../tools/views/ll_views.h"
#include "test.h"

static const struct {
    const char *text, *want;
    unsigned sizes[2];
} CASES[] = {
    {"#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_mfma<{version = 1, "
     "warpsPerCTA = [4, 1], instrShape = [32, 32, 4], isTransposed = true, "
     "CGALayout = [[1, 0], [0, 1]]}>, kWidth = 8}>",
     "register: j0 j1 j2 | lane: i0 i1 i2 0 0 0 | warp: 0 0 | block: i3 j3",
     {16, 16}},
    {"#ttg.dot_op<{opIdx = 1, parent = #ttg.amd_mfma<{version = 2, "
     "warpsPerCTA = [1, 4], instrShape = [16, 16, 8], isTransposed = false, "
     "CGALayout = [[1, 0]]}>, kWidth = 2}>",
     "register: i0 0 j6 | lane: j0 j1 j2 j3 i1 i2 | warp: j4 j5 | block: i3",
     {16, 128}},
    {"#ttg.amd_mfma<{version = 2, warpsPerCTA = [4, 2], instrShape = [32, 32, "
     "4], isTransposed = true, CGALayout = [[0, 1], [0, 2]]}>",
     "register: j0 j1 j3 j4 0 | lane: i0 i1 i2 i3 i4 j2 | warp: 0 0 0 | "
     "block: j5 j6",
     {32, 128}},
    {"#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_wmma<{version = 1, "
     "isTranspose = true, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], "
     "CGALayout = [[0, 1], [0, 2]]}>, kWidth = 8}>",
     "register: j0 j1 0 | lane: i0 i1 i2 i3 0 | warp: 0 0 | block: j2 j3",
     {16, 16}},
    {"#ttg.dot_op<{opIdx = 1, parent = #ttg.amd_wmma<{version = 2, "
     "isTranspose = true, warpsPerCTA = [4, 1], instrShape = [16, 16, 16], "
     "CGALayout = [[1, 0]]}>, kWidth = 8}>",
     "register: i0 i1 i2 j4 j5 | lane: j0 j1 j2 j3 0 | warp: 0 0 | block: i3",
     {16, 64}},
    {"#ttg.amd_wmma<{version = 3, isTranspose = false, warpsPerCTA = [4, 1], "
     "instrShape = [16, 16, 32], CGALayout = [[1, 0], [0, 1]]}>",
     "register: i0 i1 i2 0 | lane: j0 j1 j2 j3 i3 | warp: i4 0 | block: i5 j4",
     {64, 32}},
};

static void blocks_split_every_axis(void) {
    for (unsigned k = 0; k < sizeof CASES / sizeof *CASES; ++k) {
        const ll_foreign f = ll_from_triton(CASES[k].text, 2, CASES[k].sizes);
        CHECK(ll_is_equal(f.layout, ll_parse(CASES[k].want)));
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(blocks_split_every_axis);
    return test_end();
}
