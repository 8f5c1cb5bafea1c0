/* text.h - buffers and a target, for tests of texts.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_TEXT_H
#define TEST_TEXT_H

#include "test.h"

#include "../ll.h"

enum { ROOM = 16384, GUARD = 0x5a };

static ll_target hopper(void) {
    ll_target t = LL_ZERO;
    t.lanes = 32;
    t.bank_bytes = 4;
    t.access_bytes = 16;
    t.copies = 1;
    t.merge = 3;
    for (unsigned k = 0; k < 30u; ++k) {
        unsigned width = k / 10u;
        unsigned bit = k % 5u;
        t.phase[k / 5u % 2u][width][bit] = bit < 5u - width ? 1u << bit : 0u;
        t.banks[k / 5u % 2u][width] = 32;
    }
    return t;
}

#endif
