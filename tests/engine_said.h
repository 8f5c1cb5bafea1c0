/* engine_said.h - solved graphs, for tests of what the layout engine says.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_ENGINE_SAID_H
#define TEST_ENGINE_SAID_H

#include "engine_graphs.h"

enum { ROOM = 40000 };

TEST_FN void solved(const char *text, unsigned warps, unsigned blocks) {
    begin_on(LL_SM90, warps, blocks);
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    if (engine.err) {
        printf("%s(error %u, operation %u)\n", text, engine.err, engine.wrong);
    }
}

TEST_FN char want[ROOM], said[ROOM];

TEST_FN int is_held(unsigned v, unsigned id) {
    for (unsigned k = 0; ll_engine_held(&engine, v, k) != LL_ENGINE_NONE; ++k) {
        if (ll_engine_held(&engine, v, k) == id) {
            return 1;
        }
    }
    return 0;
}

#define ROW "register: j0 j1 i3 i4 | lane: j2 j3 j4 i0 i1 | warp: i2"
#define COLUMN "register: i0 i1 i2 j3 | lane: j0 j1 j2 i3 i4 | warp: j4"
#define TILE "register: i0 i1 i2 i3 | lane: i4 j0 j1 j2 j3 | warp: j4"

#endif
