/* engine_text.h - graphs that are read, for tests of the layout engine's text.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_ENGINE_TEXT_H
#define TEST_ENGINE_TEXT_H

#include "engine_graphs.h"

TEST_FN void parsed_for(const char *text, unsigned warps) {
    begin(warps);
    parsed(text);
}

TEST_FN void says(const char *text, unsigned err, unsigned character) {
    begin(2);
    CHECK(ll_engine_parse(&engine, text) == !err);
    CHECK(engine.err == err && (!err || engine.character == character));
    if (engine.err != err || (err && engine.character != character)) {
        printf("%s: error %u at %u\n", text, engine.err, engine.character);
    }
}

#endif
