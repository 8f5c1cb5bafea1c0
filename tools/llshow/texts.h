/* texts.h - reads the layouts of a command line, and says what they leave open.
 * SPDX-License-Identifier: MIT
 */
#ifndef LLSHOW_TEXTS_H
#define LLSHOW_TEXTS_H

#include "options.h"

static char *contents(FILE *file) {
    size_t size = 0;
    size_t at = 0;
    char *text = NULL;
    do {
        size = size * 2u + 4096u;
        text = realloc(text, size + 1u);
        at += fread(text + at, 1, size - at, file);
    } while (at == size && size < 1u << 20);
    text[at] = 0;
    return text;
}

static int is_text(const options *o) {
    return strcmp(o->as, "text") == 0 || strcmp(o->as, "colour") == 0;
}

static int is_memory(ll_layout a) {
    return a.in.n && a.in.dim[0] == LL_OFFSET;
}

/* Sets the element bits to those that texts say, else to --bits, else to 32. B
 * may be null. */
static int settle_bits(const notation *a, const notation *b, options *o) {
    char sentence[160];
    const int said = !a->assumed && (!b || !b->assumed);
    ll_writer_ w = ll_writer_on_(sentence, sizeof sentence);
    int differ = 0;
    const unsigned named =
        notation_common(a->f.bits, b ? b->f.bits : 0u, &differ);
    if (differ) {
        notation_differ(&w, "A", a->f.bits, "B", b->f.bits);
        return wrong(sentence, NULL);
    }
    if (named && o->given >> option_of("--bits") & 1u && named != o->bits) {
        snprintf(sentence, sizeof sentence,
                 "--bits is %u, but the text has elements of %u bits", o->bits,
                 named);
        return wrong(sentence, NULL);
    }
    o->assumed = (!named && !o->bits) || !said;
    o->bits = named ? named : o->bits ? o->bits : 32u;
    return 0;
}

/* Returns the text of an argument or of its file, to be freed. NULL: it cannot
 * be read. */
static char *text_of(const char *word) {
    if (word[0] != '@' && strcmp(word, "-") != 0) {
        char *text = malloc(strlen(word) + 1u);
        return text ? strcpy(text, word) : NULL;
    }
    FILE *file = word[0] == '@' ? fopen(word + 1, "r") : stdin;
    char *text = file ? contents(file) : NULL;
    if (file && ferror(file)) {
        free(text);
        text = NULL;
    }
    if (file && file != stdin) {
        fclose(file);
    }
    if (!text) {
        wrong("cannot read the file", word + 1);
    }
    return text;
}

/* Prints what is wrong with a text. */
static void print_wrong(const char *word, const notation *n) {
    char sentence[1400];
    notation_error(word, n, sentence, sizeof sentence);
    fprintf(stderr, "%s\n", sentence);
}

/* Reads --target. Prints the targets if there is none of that name. */
static int read_target(const options *o, ll_target *t) {
    *t = notation_target(o->target);
    if (t->err) {
        fprintf(stderr, "llshow: there is no target %s; the targets are",
                        o->target);
        for (unsigned sm = 70; sm < 200u; ++sm) {
            if (!ll_ptx_target(sm).err) {
                fprintf(stderr, " sm_%u", sm);
            }
        }
        for (unsigned gfx = 0x900; gfx < 0x1300u; ++gfx) {
            if (!ll_amd_target(gfx, 64).err) {
                fprintf(stderr, " gfx%x", gfx);
            }
            if (!ll_amd_target(gfx, 32).err) {
                fprintf(stderr, " gfx%xw64", gfx);
            }
        }
        fprintf(stderr, "\n");
    }
    return t->err ? 2 : 0;
}

/* Reads a layout. Prints an error if it is wrong. */
static int read_any(const char *word, options *o, notation *n) {
    notation_for what = LL_ZERO;
    what.rank = o->rank;
    what.sizes = o->sizes;
    what.bits = o->bits;
    what.target = notation_target(o->target);
    char *text = text_of(word);
    if (!text) {
        return 2;
    }
    *n = notation_read(text, &what);
    const ll_foreign *f = &n->f;
    o->bare |= n->bare;
    o->typed |= n->typed;
    o->swizzle |= n->swizzle;
    int bad = 0;
    if (f->layout.err) {
        bad = n->swizzle && what.target.err ? read_target(o, &what.target) : 2;
        if (!what.target.err || !n->swizzle) {
            print_wrong(word, n);
        }
    }
    free(text);
    char unknown[400];
    ll_writer_ w = ll_writer_on_(unknown, sizeof unknown);
    if (!bad && notation_unknown(&w, f->layout)) {
        bad = wrong(unknown, NULL);
    }
    return bad;
}

/* Prints what a text leaves open, and how it was read. */
static void print_notes(const char *name, const notation *n, const options *o) {
    if (is_text(o) && n->compact[0]) {
        printf("%s has no strides: %s as in CuTe\n", name, n->compact);
    }
    for (unsigned k = 0; is_text(o) && k < n->f.pads; ++k) {
        printf("padding: %u element%s after each %u\n", n->f.pad[k],
               n->f.pad[k] == 1u ? "" : "s", n->f.every[k]);
    }
    if (is_text(o) && n->part) {
        printf("the type is a view; this is the layout of its allocation\n");
    }
}

/* Refuses a layout of another number of lanes than the target has, or of more
 * threads than a block. target: null if the command has none. */
static int check_threads(const char *name, const notation *n,
                         const options *o, const ll_target *t) {
    char sentence[160];
    ll_writer_ w = ll_writer_on_(sentence, sizeof sentence);
    return notation_threads(&w, name, n, t ? o->target : NULL, t)
               ? wrong(sentence, NULL)
               : 0;
}

/* Prints that no text and no option says the bits of an element. */
static void print_assumed(const options *o) {
    if (is_text(o) && o->assumed) {
        printf("elements of %u bits (assumed; --bits says others)\n", o->bits);
    }
}

/* Refuses options if no text needs them. */
static int check_unused(const options *o) {
    if (o->rank && !o->bare) {
        return o->typed ? wrong("the type already has a shape: leave --shape "
                                "out", NULL)
                        : wrong("--shape is only for attributes of Triton",
                                NULL);
    }
    for (unsigned k = 0; k < 2u && (o->command == SHOW || o->command == TABLE);
         ++k) {
        const char *const key = k ? "--target" : "--bits";
        if (o->given >> option_of(key) & 1u && !o->swizzle && !o->at[0]) {
            char sentence[120];
            snprintf(sentence, sizeof sentence,
                     "%s is for llshow convert, banks and check, for "
                     "swizzle(A, B) and for --at", key);
            return wrong(sentence, NULL);
        }
    }
    return 0;
}

/* Prints the bits of axes that no register or offset has. */
static void print_missing(const char *of, ll_layout a) {
    char words[2000];
    ll_writer_ w = ll_writer_on_(words, sizeof words);
    notation_missing(&w, a);
    if (w.len) {
        printf("%s%s\n", of, words);
    }
}

static void print_layout(const char *name, ll_layout a) {
    char text[1000];
    ll_str(a, text, sizeof text);
    printf("%s%s\n", name, text);
}

#endif
