/* views_marked.h - texts with a mark before the character at fault, for the
 * tests of readers.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_VIEWS_MARKED_H
#define TEST_VIEWS_MARKED_H

#include "test.h"

#include "../ll.h"
#include "../tools/views/ll_views.h"

enum { ROOM = 1 << 20 };

static char text[ROOM];

typedef struct wrong {
    const char *text;
    unsigned at;
    const char *why; /* a part of the sentence */
} wrong;

/* Texts with a mark, ~, before the character at fault. */
#define EACH "sizePerThread = [1, 2]"
#define LANES "threadsPerWarp = [8, 4]"
#define WARPS "warpsPerCTA = [2, 1]"
#define ORDER "order = [1, 0]"
#define ALL EACH ", " LANES ", " WARPS ", " ORDER
#define PLAIN "#ttg.blocked<{" ALL "}>"
#define MMA "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [2, 1], " \
            "instrShape = [16, 8]}>"
#define WGMMA "#ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [4, 1], " \
              "instrShape = [16, 16, 16]}>"
#define BITS16 "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"

typedef struct marked {
    const char *text, *why;
    unsigned rank; /* 0 stands for 2 */
} marked;

/* The text without the mark; returns the number of the marked character. */
static unsigned unmarked(const char *from, char *to) {
    unsigned at = 0, n = 0;
    for (const char *c = from; *c; ++c) {
        at = *c == '~' ? n + 1u : at;
        n += *c == '~' ? 0u : 1u;
        to[n - (n > 0)] = *c == '~' && n ? to[n - 1u] : *c;
    }
    to[n] = 0;
    return at;
}

static void check_marked(const marked *list, unsigned count, int by_cute) {
    static const unsigned sizes[3][3] = {{16}, {16, 16}, {2, 16, 16}};
    for (unsigned k = 0; k < count; ++k) {
        static char plain[2000];
        const unsigned at = unmarked(list[k].text, plain);
        const unsigned rank = list[k].rank ? list[k].rank : 2u;
        const ll_foreign f =
            by_cute ? ll_from_cute(plain)
                    : ll_from_triton(plain, rank, sizes[rank - 1u]);
        const int ok = f.layout.err == LL_ETEXT && f.layout.at == at &&
                       f.why && strstr(f.why, list[k].why) == f.why;
        if (!ok) {
            ll_foreign_error(plain, f, text, sizeof text);
            printf("  not %s at %u: %s\n", list[k].why, at, text);
        }
        CHECK(ok);
    }
}

#endif
