/* views.h - what the tests of pictures share.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_VIEWS_H
#define TEST_VIEWS_H

#include "machines.h"

#include "../ll.h"
#include "../tools/views/ll_views.h"

enum { ROOM = 1 << 20 };

static char text[ROOM];

/* The element in a cell, which has its coordinates. */
TEST_FN unsigned element_in(const ll_cell *c, const ll_shape *s) {
    const char *at = c->text;
    unsigned y = 0;
    for (unsigned k = s->n; k-- > 0;) {
        char *end = NULL;
        y |= ll_pack(*s, s->dim[k], (unsigned)strtoul(at, &end, 10));
        CHECK(end > at && *end == (k ? ',' : 0));
        at = end + 1;
    }
    return y;
}

TEST_FN ll_target some_target(void) {
    const unsigned gfx[] = {0x908, 0x942, 0x950, 0x1100, 0x1201};
    const unsigned sm[] = {75, 80, 90, 100};
    const unsigned k = test_random(5);
    return test_random(2) ? ll_amd_target(gfx[k], k < 3u ? 64 : 32)
                          : ll_ptx_target(sm[k % 4u]);
}

/* The byte address that a lane gives in an access. */
TEST_FN unsigned given_address(const ll_view *v, unsigned lane) {
    unsigned at = v->start;
    for (unsigned b = 0; b < 6u; ++b) {
        at ^= (lane & v->named) >> b & 1u ? v->lane[b] : 0u;
    }
    return at;
}

#endif
