/* options.h - the commands and options of llshow, and its help.
 * SPDX-License-Identifier: MIT
 */
#ifndef LLSHOW_OPTIONS_H
#define LLSHOW_OPTIONS_H

#include "access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <io.h>
#define isatty _isatty
#define STDOUT_FILENO 1
#else
#include <unistd.h>
#endif

static const char help[] =
    "llshow LAYOUT                    show a layout\n"
    "llshow convert A B               explain the plan from A to B\n"
    "llshow banks A MEMORY            draw an access to shared memory by "
    "banks\n"
    "llshow table A                   write A as a table for programs without "
    "ll.h\n"
    "llshow check A B                 count bank conflicts and bytes per "
    "access; B:\n"
    "                                 a layout of registers or memory "
    "(offset: ..)\n"
    "\n"
    "A layout is one of:\n"
    "  register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3     text of ll.h\n"
    "  rows(64, 64, 4)               a family: rows, columns, bytes per "
    "element,\n"
    "  rows(64, 64, 4, 32, 8)        then lanes and warps (default: 32 and 4)\n"
    "  mma_c                         lists the arguments of that family; an "
    "unknown\n"
    "                                name, such as x, lists all families\n"
    "  ldmatrix(8, 16, 0, 4)         matrices, tensor memory (tcgen05.ld and\n"
    "  tmem(32, 32, 4, 32)           accumulators), scales of mma and MFMA\n"
    "  tcgen05_d(128, 64, 0)   scale_a(4)   mfma_scale_a(16, 128)\n"
    "  #ttg.blocked<{sizePerThread = ..}>                    Triton, with "
    "--shape\n"
    "  tensor<64x64xf16, #ttg.blocked<{..}>>                 or with its type\n"
    "  Swizzle<3,3,3> o (8,64):(64,1)                        CuTe\n"
    "  smem_ptr[16b](0x7f) o (32,32):(33,1)                  padded rows; "
    "without\n"
    "                                strides column-major, as in CuTe\n"
    "  trans(A)   inv(A)             transposed, the inverse\n"
    "  swizzle(A, B)                 the best memory for stores by A and loads "
    "by B\n"
    "  @FILE   -                     a file, standard input\n"
    "\n"
    "Options (default in parentheses):\n"
    "  --shape 64x64     the shape for attributes of Triton\n"
    "  --view V          tensor, hardware, matrix or all (all that fit)\n"
    "  --as F            text or colour; svg or csv for a single picture "
    "(colour\n"
    "                    on a terminal if NO_COLOR is not set, else text)\n"
    "  --bits N          bits per element (named in a text, else 32)\n"
    "  --target T        sm_90, gfx942, gfx1100w64, .. (sm_90)\n"
    "  --bytes N         bytes per access (the widest possible)\n"
    "  --op O            read or write (read)\n"
    "  --frame N         draw frame N of a plan, or all\n"
    "  --at 17,42        only say who holds this element, an index for each "
    "axis\n"
    "  --lang L          language of a table: c, rust, python or json (c)\n"
    "  --name N          name of a table (layout)\n"
    "  --version         print the version of ll.h\n"
    "Bounds of check, which exits with 1 if one is missed:\n"
    "  --conflicts N     at most N extra wavefronts by bank conflicts (0)\n"
    "  --width N         at least N bytes per access\n"
    "  --cycles N        at most N cycles per warp for the plan\n"
    "\n"
    "Examples:\n"
    "  llshow 'mma_c(16, 8, 1)'\n"
    "  llshow convert 'rows(64, 64, 4)' 'trans(rows(64, 64, 4))' --target "
    "sm_90\n"
    "  llshow check 'mma_c(64, 64, 4)' 'smem_k(64, 64, 16, 128)'\n"
    "  llshow 'swizzle(rows(64, 64, 2), trans(rows(64, 64, 2)))' --view "
    "matrix\n"
    "  llshow table 'mma_c(16, 8, 1)' --lang rust --name ACCUMULATOR\n"
    "Exit status: 0 success, 1 a bound is missed, 2 an error.\n";

enum { SHOW, CONVERT, BANKS, TABLE, CHECK };

typedef struct options {
    const char *words[3];
    unsigned n;
    int command;
    unsigned given; /* one bit per option */
    unsigned bare;  /* an attribute of Triton without a type was read */
    unsigned typed; /* one with a type was read */
    unsigned swizzle; /* swizzle(A, B) was read */
    unsigned rank, sizes[16];
    const char *view, *as, *op, *lang, *name, *target;
    unsigned bits, bytes, frame;
    unsigned conflicts, width, cycles; /* ~0: no bound */
    unsigned assumed; /* 1: nothing says the bits of an element */
    const char *at;   /* --at: an element, or an empty text */
} options;

static int wrong(const char *what, const char *value) {
    fprintf(stderr, "llshow: %s%s%s\n", what, value ? ": " : "",
            value ? value : "");
    return 2;
}

static int read_count(const char *text, unsigned *to) {
    char *end = NULL;
    const unsigned long x = strtoul(text, &end, 10);
    *to = (unsigned)x;
    return *text >= '0' && *text <= '9' && !*end && x < 0xffffffffu;
}

static int read_shape(const char *text, options *o) {
    char *end = (char *)(size_t)text;
    for (o->rank = 0; o->rank < 16u && ll_is_digit_(*text);) {
        o->sizes[o->rank++] = (unsigned)strtoul(text, &end, 10);
        if (*end != 'x') {
            return !*end;
        }
        text = end + 1;
    }
    return 0;
}

static const char *const forms[] = {"text", "colour", "svg", "csv", NULL};

/* Returns the index of a word in a list that ends with NULL, or -1. */
static int which(const char *word, const char *const *list) {
    for (int k = 0; list[k]; ++k) {
        if (strcmp(word, list[k]) == 0) {
            return k;
        }
    }
    return -1;
}

/* Options, with a letter for each command that accepts them. */
static const struct known {
    const char *key, *of;
} known[] = {
    {"--shape", "scbtk"},  {"--view", "s"},      {"--as", "scb"},
    {"--op", "b"},         {"--lang", "t"},      {"--name", "t"},
    {"--target", "cbkst"}, {"--bits", "cbkst"},  {"--bytes", "bk"},
    {"--frame", "c"},     {"--conflicts", "k"}, {"--width", "k"},
    {"--cycles", "k"},     {"--at", "s"},
};
enum { KNOWN = sizeof known / sizeof *known };
#define EVERY 0xfffffffeu /* frames */

static unsigned option_of(const char *key) {
    unsigned k = 0;
    while (k < KNOWN && strcmp(known[k].key, key) != 0) {
        ++k;
    }
    return k;
}

static int read_option(unsigned k, const char *value, options *o) {
    const char **const texts[KNOWN] = {NULL,     &o->view, &o->as,
                                       &o->op,   &o->lang, &o->name,
                                       &o->target, NULL,   NULL,
                                       NULL,     NULL,     NULL,
                                       NULL,     &o->at};
    unsigned *const counts[KNOWN] = {
        NULL,      NULL,      NULL,      NULL,          NULL,
        NULL,      NULL,      &o->bits,  &o->bytes,     &o->frame,
        &o->conflicts, &o->width, &o->cycles, NULL};
    o->given |= 1u << k;
    if (k == 0) {
        return read_shape(value, o) ? 0 : wrong("--shape must be sizes such as "
                                                "64x64", value);
    }
    if (texts[k]) {
        *texts[k] = value;
    } else if (counts[k] == &o->frame && strcmp(value, "all") == 0) {
        o->frame = EVERY;
    } else if (!read_count(value, counts[k])) {
        return wrong("the option needs a number", value);
    }
    return 0;
}

/* An option that the command does not accept is an error, not ignored. */
static int check_options(const options *o) {
    const char *const names[] = {"LAYOUT", "convert", "banks", "table",
                                 "check"};
    char sentence[160];
    for (unsigned k = 0; k < KNOWN; ++k) {
        if (o->given >> k & 1u && !strchr(known[k].of, "scbtk"[o->command])) {
            unsigned n = (unsigned)snprintf(sentence, sizeof sentence,
                                            "%s is for", known[k].key);
            for (unsigned c = 0; c < 5u; ++c) {
                if (strchr(known[k].of, "scbtk"[c])) {
                    n += (unsigned)snprintf(sentence + n, sizeof sentence - n,
                                            " llshow %s,", names[c]);
                }
            }
            sentence[n - 1u] = 0;
            return wrong(sentence, NULL);
        }
    }
    return which(o->as, forms) < 0
               ? wrong("--as must be text, colour, svg or csv", o->as)
               : 0;
}

/* Pictures on a terminal have colours, unless NO_COLOR is set. */
static const char *usual_form(void) {
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return (no && *no) || (term && strcmp(term, "dumb") == 0) ||
                   !isatty(STDOUT_FILENO)
               ? "text"
               : "colour";
}

#endif
