/* engine_options.h - the command line of engine.c.
 * SPDX-License-Identifier: MIT
 *
 * Options have the form --KEY=VALUE, in any order, each at most once. The other
 * argument is the file with the graph.
 */
#ifndef LL_ENGINE_OPTIONS_H
#define LL_ENGINE_OPTIONS_H

#include "engine.h"

#include <ctype.h>

enum { WARPS, SM, GFX, LANES, SCRATCH, REGISTERS, NAME, TYPE16, TYPE8, TYPE4,
       N_OPTIONS };

/* A value is an integer in `base`, one of the words listed, or, if the list is
 * empty, the name of a function. */
static struct {
    const char *key;
    int base;
    const char *words, *value;
    int given;
} options[N_OPTIONS] = {
    {"warps", 10, NULL, "4", 0},
    {"sm", 10, NULL, "90", 0},
    {"gfx", 16, NULL, "0", 0},
    {"lanes", 10, NULL, "64", 0},
    {"scratch", 10, NULL, "0", 0},
    {"registers", 10, NULL, "0", 0},
    {"name", 0, "", "kernel", 0},
    {"type16", 0, " f16 bf16 ", "f16", 0},
    {"type8", 0, " e4m3 e5m2 s8 u8 ", "e4m3", 0},
    {"type4", 0, " s4 u4 e2m1 ", NULL, 0},
};

static const char usage[] =
    "usage: engine GRAPH [OPTION ..] > kernel.cu\n"
    "Writes the kernel of a graph, a file or - for standard input, with the\n"
    "cheapest layouts, and a comment that explains them. engine/parse in ll.h\n"
    "describes graphs; lesson 10_engine.c has examples. The kernel compiles\n"
    "when you have filled in the arithmetic of its maps and atomics.\n"
    "  --warps=4         warps per block\n"
    "  --sm=90           the target: 75 80 86 87 88 89 90 100 103 110 120 121\n"
    "  --gfx=942         or a target for HIP: 908 90a 942 950 1100 1201 ..\n"
    "  --lanes=64        with --gfx: lanes per warp, 64 or 32\n"
    "  --scratch=BYTES   limit: shared memory per step\n"
    "  --registers=N     limit: 32-bit registers per value and lane\n"
    "  --type16=f16      type of 16-bit operands: f16 bf16\n"
    "  --type8=e4m3      type of 8-bit operands: e4m3 e5m2 s8 u8\n"
    "  --type4=TYPE      type of 4-bit operands: s4 u4 e2m1\n"
    "  --name=kernel     name of the kernel function\n";

static unsigned number(unsigned key) {
    return (unsigned)strtoul(options[key].value, NULL, options[key].base);
}

/* Returns whether the value of an option is valid. */
static int is_value(unsigned key, const char *value) {
    char word[40];
    char *end;
    if (options[key].base) {
        const unsigned long x = strtoul(value, &end, options[key].base);
        return isxdigit((unsigned char)*value) && !*end && x <= 1ul << 30;
    }
    for (const char *c = value; !*options[key].words && *c; ++c) {
        if (!isalnum((unsigned char)*c) && *c != '_') {
            return 0;
        }
    }
    snprintf(word, sizeof word, " %.30s ", value);
    return *options[key].words ? strstr(options[key].words, word) != NULL
                               : *value && !isdigit((unsigned char)*value);
}

/* Reads an option. Prints an error and returns 0 if it is wrong. */
static int take_option(const char *said) {
    for (unsigned k = 0; k < N_OPTIONS; ++k) {
        const size_t n = strlen(options[k].key);
        if (strncmp(said + 2, options[k].key, n) != 0 ||
            (said[2 + n] != '=' && said[2 + n])) {
            continue;
        }
        if (!said[2 + n] || options[k].given || !is_value(k, said + 3 + n)) {
            fprintf(stderr, "engine: %s: --%s=.. must be given once, with "
                            "%s%s\n",
                    said, options[k].key,
                    options[k].base     ? "a number"
                    : *options[k].words ? "one of"
                                        : "a name",
                    options[k].words ? options[k].words : "");
            return 0;
        }
        options[k].given = 1;
        options[k].value = said + 3 + n;
        return 1;
    }
    fprintf(stderr, "engine: there is no option %s; --help lists them\n", said);
    return 0;
}

/* Checks the target of the options, and its threads per block. */
static int is_target(void) {
    const unsigned gfx = number(GFX), warps = number(WARPS);
    const ll_target t = gfx ? ll_amd_target(gfx, number(LANES))
                            : ll_ptx_target(number(SM));
    const char *why =
        options[GFX].given && options[SM].given ? "--sm and --gfx exclude each "
                                                  "other"
        : options[LANES].given && !gfx ? "--lanes is only for --gfx"
        : t.err && gfx ? "--gfx is unknown, or has no warps of --lanes lanes"
        : t.err        ? "--sm is unknown; --help lists the targets"
        : !warps || warps & (warps - 1u) ? "--warps must be a power of two"
        : warps * t.lanes > 1024u ? "a block can have at most 1024 threads"
                                  : NULL;
    if (why) {
        fprintf(stderr, "engine: %s\n", why);
    }
    return !why;
}

/* Reads the command line. Returns the file name, or prints an error and returns
 * NULL. */
static const char *take_options(int argc, char **argv) {
    const char *path = NULL;
    for (int k = 1; k < argc; ++k) {
        if (strncmp(argv[k], "--", 2) == 0) {
            if (!take_option(argv[k])) {
                return NULL;
            }
        } else if (path) {
            fprintf(stderr, "engine: only one graph at a time: %s, %s\n", path,
                    argv[k]);
            return NULL;
        } else {
            path = argv[k];
        }
    }
    if (!path) {
        fprintf(stderr, "%s", usage);
    }
    return path && is_target() ? path : NULL;
}

#endif
