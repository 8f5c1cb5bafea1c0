/* llshow.c - shows layouts, explains conversions, writes tables, checks bounds.
 * SPDX-License-Identifier: MIT
 *
 * Build: cc -std=c11 -O1 -I. tools/llshow/llshow.c -o llshow, or `make llshow`
 */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#include "notation.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <io.h>
#define isatty _isatty
#define fileno _fileno
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
    "  smem_ptr[16b](0x7f) o (32,32):(33,1)\n"
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
} options;

static char *out;
static unsigned room;

static int wrong(const char *what, const char *value) {
    fprintf(stderr, "llshow: %s%s%s\n", what, value ? ": " : "",
            value ? value : "");
    return 2;
}

/* ---- Options -------------------------------------------------------------- */

static int read_count(const char *text, unsigned *to) {
    char *end = NULL;
    const unsigned long x = strtoul(text, &end, 10);
    *to = (unsigned)x;
    return *text >= '0' && *text <= '9' && !*end && x < 0xffffffffu;
}

static int read_shape(const char *text, options *o) {
    char *end = (char *)(size_t)text;
    for (o->rank = 0; o->rank < 16u && *text; ++o->rank) {
        o->sizes[o->rank] = (unsigned)strtoul(text, &end, 10);
        if (end == text) {
            return 0;
        }
        text = *end == 'x' ? end + 1 : end;
    }
    return !*text && o->rank;
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
    {"--cycles", "k"},
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
                                       &o->target};
    unsigned *const counts[KNOWN] = {
        NULL,      NULL,      NULL,      NULL,          NULL,
        NULL,      NULL,      &o->bits,  &o->bytes,     &o->frame,
        &o->conflicts, &o->width, &o->cycles};
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
                   !isatty(fileno(stdout))
               ? "text"
               : "colour";
}

/* ---- Layouts -------------------------------------------------------------- */

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

/* Sets the element bits to those that texts say, else to --bits, else to 32. B
 * may be null. */
static int settle_bits(const notation *a, const notation *b, options *o) {
    char sentence[160];
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

/* Prints what is wrong with a text, with the number if a size is wrong. */
static void print_wrong(const char *word, const char *text,
                        const notation *n) {
    char sentence[1400];
    const ll_foreign f = n->f;
    notation_error(word, n, sentence, sizeof sentence);
    fputs(sentence, stderr);
    if (f.why && (strncmp(f.why, "two strides", 11) == 0 ||
                  strncmp(f.why, "this size must", 14) == 0)) {
        for (const char *c = text + f.layout.at - 1u; *c && *c != ':';) {
            char *end = (char *)(size_t)c;
            const unsigned long x = ll_is_digit_(*c) ? strtoul(c, &end, 10) : 0;
            if (x & (x - 1u)) {
                fprintf(stderr, "; %lu is not a power of two", x);
                break;
            }
            c = end > c ? end : c + 1;
        }
    }
    fputs("\n", stderr);
}

static int read_target(const options *o, ll_target *t);

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
            print_wrong(word, text, n);
        }
    }
    free(text);
    char unknown[400];
    ll_writer_ w = ll_writer_on_(unknown, sizeof unknown);
    if (!bad && notation_unknown(&w, f->layout)) {
        bad = wrong(unknown, NULL);
    }
    for (unsigned k = 0; !bad && is_text(o) && k < f->pads; ++k) {
        printf("padding: %u element%s after each %u\n", f->pad[k],
               f->pad[k] == 1u ? "" : "s", f->every[k]);
    }
    if (!bad && is_text(o) && n->part) {
        printf("the type is a view; this is the layout of its allocation\n");
    }
    return bad;
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
        if (o->given >> option_of(key) & 1u && !o->swizzle) {
            char sentence[120];
            snprintf(sentence, sizeof sentence,
                     "%s is for llshow convert, banks and check, and for "
                     "swizzle(A, B)", key);
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

static int print_view(ll_view v, const options *o) {
    const int form = which(o->as, forms);
    if (v.err) {
        return wrong(notation_why(v.err, &v.padded, 0, 0), NULL);
    }
    const unsigned n = ll_picture(v, (unsigned)form, out, room);
    if (n >= room) {
        room = n + 1u;
        out = realloc(out, room);
        ll_picture(v, (unsigned)form, out, room);
    }
    fputs(out, stdout);
    return 0;
}

/* ---- Commands ------------------------------------------------------------- */

static int is_memory(ll_layout a) {
    return a.in.n && a.in.dim[0] == LL_OFFSET;
}

/* Prints a heading above a picture of a layout. */
static void print_heading(const options *o, int view, ll_layout a) {
    const char *const headings[][3] = {
        {"Bits of the offset (columns), bits of the element index (rows)",
         "The offset of each element", "The element at each offset"},
        {"Register, lane, .. bits (columns), bits of the element index (rows)",
         "The owner of each element", "The element in each register"},
        {"Bits of the input (columns), bits of the element index (rows)",
         "The input of each element", "The element of each input"}};
    const int owned = a.in.n && a.in.dim[0] == LL_REGISTER;
    if (is_text(o)) {
        printf("\n%s:\n", headings[is_memory(a) ? 0 : owned ? 1 : 2][view]);
    }
}

static int show(options *o) {
    const char *const views[] = {"matrix", "tensor", "hardware", "all", NULL};
    const int view = which(o->view, views);
    notation read = LL_ZERO;
    int err = read_any(o->words[0], o, &read) || check_unused(o) ||
              settle_bits(&read, NULL, o);
    const ll_foreign a = read.f;
    if (view < 0) {
        return wrong("--view must be tensor, hardware, matrix or all", o->view);
    }
    if (!err && is_text(o)) {
        print_layout("", a.layout);
        print_missing("", a.layout);
    } else if (!err && view == 3) {
        return wrong("--as "
                     "svg and csv write one picture: choose it with --view",
                     NULL);
    }
    for (int k = 0; !err && k < 3; ++k) {
        const ll_view v = ll_view_padded(
            k == 0   ? ll_view_matrix(a.layout)
            : k == 1 ? ll_view_reached(a.layout)
                     : ll_view_hardware(a.layout),
            a);
        if (view == 3 && v.err) {
            print_heading(o, k, a.layout);
            printf("no picture: %s\n", notation_why(v.err, &a, 0, 0));
        } else if (view == 3 || view == k) {
            print_heading(o, k, a.layout);
            err = print_view(v, o);
        }
    }
    return err ? 2 : 0;
}

/* Reads A and B, and settles the element bits. */
static int read_both(options *o, ll_foreign *a, ll_foreign *b) {
    notation from = LL_ZERO;
    notation to = LL_ZERO;
    const int bad = read_any(o->words[1], o, &from) ||
                    read_any(o->words[2], o, &to) || check_unused(o) ||
                    settle_bits(&from, &to, o);
    *a = from.f;
    *b = to.f;
    if (!bad && is_text(o)) {
        print_missing("A: ", a->layout);
        print_missing("B: ", b->layout);
    }
    return bad;
}

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

/* If B is smaller than A, prints which part of A it holds. */
static void print_part(ll_layout a, ll_layout b) {
    char words[1000];
    ll_writer_ w = ll_writer_on_(words, sizeof words);
    notation_held(&w, a, b);
    fputs(w.len ? words : "", stdout);
}

/* Plans the conversion. Prints the reason if there is no plan. */
static int plan(const options *o, ll_layout a, ll_layout b, ll_target t,
                ll_plan *p) {
    char words[4000];
    *p = ll_plan_of(a, b, o->bits, t);
    ll_explain(*p, words, sizeof words);
    if (p->err) {
        fputs(words, stderr);
        return is_memory(a)   ? wrong("A must be a layout of registers, but is "
                                      "a memory layout", NULL)
               : is_memory(b) ? wrong("B is a memory layout: use llshow check "
                                      "or llshow banks",
                                      NULL)
                              : 2;
    }
    if (is_text(o)) {
        print_part(a, b);
        fputs(words, stdout);
    }
    return 0;
}

static int convert(options *o) {
    char words[4000];
    ll_target t;
    ll_foreign from = {0};
    ll_foreign to = {0};
    ll_plan p;
    if (read_both(o, &from, &to) || read_target(o, &t)) {
        return 2;
    }
    const ll_layout a = from.layout;
    const ll_layout b = to.layout;
    if (is_text(o)) {
        print_layout("from ", a);
        print_layout("to   ", b);
    } else if (o->frame >= EVERY) {
        return wrong("--as svg and csv write one picture: choose it with "
                     "--frame",
                     NULL);
    }
    if (plan(o, a, b, t, &p)) {
        return 2;
    }
    const unsigned n = ll_frames(p);
    if (o->frame < EVERY && o->frame >= n) {
        snprintf(words, sizeof words,
                 "--frame must be 0 to %u for this plan, or all", n - 1u);
        return wrong(words, NULL);
    }
    for (unsigned k = 0; k < n; ++k) {
        if (o->frame == EVERY || o->frame == k) {
            ll_frame_words(p, k, words, sizeof words);
            if (is_text(o)) {
                printf("\nframe %u of 0 to %u: %s", k, n - 1u, words);
            }
            if (print_view(ll_view_frame(p, a, b, t, k), o)) {
                return 2;
            }
        }
    }
    return 0;
}

/* Prints what is wrong with an access, with the wrong number. */
static int wrong_access(const ll_foreign *m, unsigned err, unsigned bytes,
                        unsigned widest, unsigned bits) {
    char sentence[300];
    const char *why = notation_why(err, m, bits, widest);
    if (why != ll_strerror(err)) {
        return wrong(why, NULL);
    }
    const int size = ll_log2_(bytes) <= 4u;
    snprintf(sentence, sizeof sentence,
             err != LL_EACCESS || (size && bytes <= widest) ? "%s"
             : size ? "%s (here at most %u bytes)"
                    : "%s (got %u)",
             ll_strerror(err), size ? widest : bytes);
    return wrong(sentence, NULL);
}

static int banks(options *o) {
    const char *const ops[] = {"read", "write", NULL};
    const int op = which(o->op, ops);
    ll_target t;
    ll_foreign a = {0};
    ll_foreign m = {0};
    if (op < 0) {
        return wrong("--op must be read or write", o->op);
    }
    if (read_both(o, &a, &m) || read_target(o, &t)) {
        return 2;
    }
    if (is_text(o)) {
        print_part(a.layout, m.layout);
    }
    const unsigned widest = notation_widest(a.layout, &m, o->bits, t);
    const unsigned bytes =
        o->given >> option_of("--bytes") & 1u ? o->bytes : widest;
    const ll_view v =
        notation_banks(a.layout, &m, o->bits, bytes, (unsigned)op, t);
    return v.err ? wrong_access(&m, v.err, bytes, widest, o->bits)
                 : print_view(v, o);
}

/* Returns whether a name is reserved in a language. */
static int is_reserved(const char *name, int lang) {
    static const char *const words[] = {
        " auto break case char const continue default do double else enum "
        "extern float for goto if inline int long register restrict return "
        "short signed sizeof static struct switch typedef union unsigned void "
        "volatile while ",
        " as async await break const continue crate dyn else enum extern false "
        "fn for if impl in let loop match mod move mut pub ref return self "
        "Self static struct super trait true type unsafe use where while "
        "abstract become box do final gen macro override priv try typeof "
        "unsized virtual yield ",
        " False None True and as assert async await break class continue def "
        "del elif else except finally for from global if import in is lambda "
        "nonlocal not or pass raise return try while with yield ",
        " text in out ",
    };
    char word[40];
    snprintf(word, sizeof word, " %.30s ", name);
    return strstr(words[lang], word) != NULL;
}

static int check_name(const char *name, int lang) {
    const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return !n || name[n] || ll_is_digit_(name[0])
               ? wrong("--name must have letters, digits and _ only, no digit "
                       "first", name)
           : is_reserved(name, lang)
               ? wrong("--name is a reserved word of the language", name)
               : 0;
}

/* Prints the text before the numbers. */
static void print_head(const options *o, ll_layout a, int lang) {
    char name[12];
    char text[1000];
    const unsigned n = ll_shape_bits_(&a.in);
    const int wide = ll_shape_bits_(&a.out) > 16u;
    ll_str(a, text, sizeof text);
    const char *mark = lang < 2 ? "//" : "#";
    if (lang < 3) {
        printf("%s %s\n%s index:", mark, text, mark);
        for (unsigned k = a.in.n; k-- > 0;) {
            ll_writer_ w = ll_writer_on_(name, sizeof name);
            ll_write_name_(&w, a.in.dim[k]);
            printf(" %s (%u)", name, 1u << a.in.bits[k]);
        }
        printf(", the last varies fastest; value: row-major index of the "
               "element\n");
    }
    if (lang == 0) {
        printf("static const unsigned %s %s[%u] = {", wide ? "int" : "short",
               o->name, 1u << n);
    } else if (lang == 1) {
        printf("pub const %s: [%s; %u] = [", o->name, wide ? "u32" : "u16",
               1u << n);
    } else if (lang == 2) {
        printf("%s = [", o->name);
    } else {
        printf("{\"text\": \"%s\", \"in\": {", text);
        for (unsigned side = 0; side < 2u; ++side) {
            const ll_shape s = side ? a.out : a.in;
            for (unsigned k = 0; k < s.n; ++k) {
                ll_writer_ w = ll_writer_on_(name, sizeof name);
                ll_write_name_(&w, s.dim[k]);
                printf("%s\"%s\": %u", k ? ", " : "", name, 1u << s.bits[k]);
            }
            printf(side ? "}, \"%s\": [" : "}, \"out\": {", o->name);
        }
    }
}

/* Prints a table: the row-major index of the element in each place. */
static int table(options *o) {
    const char *const langs[] = {"c", "rust", "python", "json", NULL};
    const char *const ends[] = {"\n};\n", "\n];\n", "\n]\n", "\n]}\n"};
    const int lang = which(o->lang, langs);
    notation read = LL_ZERO;
    if (lang < 0) {
        return wrong("--lang must be c, rust, python or json", o->lang);
    }
    o->as = "csv"; /* no pictures or notes */
    if (check_name(o->name, lang) || read_any(o->words[1], o, &read) ||
        check_unused(o) || settle_bits(&read, NULL, o)) {
        return 2;
    }
    const ll_layout a = read.f.layout;
    if (read.f.pads || ll_shape_bits_(&a.in) > 20u) {
        return wrong(read.f.pads ? "padded memory has no table: pads move its "
                              "offsets"
                            : "a table can have at most 2^20 entries",
                     NULL);
    }
    print_head(o, a, lang);
    for (unsigned x = 0; x < 1u << ll_shape_bits_(&a.in); ++x) {
        printf("%s%s%u", x ? "," : "", x % 12u ? " " : "\n    ",
               ll_apply(a, x));
    }
    fputs(ends[lang], stdout);
    return 0;
}

static int bound(const char *what, unsigned is, unsigned limit, int least) {
    const int missed = limit != ~0u && (least ? is < limit : is > limit);
    printf("%s %u", what, is);
    if (limit != ~0u) {
        printf(" (%s %u: %s)", least ? "at least" : "at most", limit,
               missed ? "missed" : "held");
    }
    printf("\n");
    return missed;
}

/* Registers and memory: checks the widest read and write. */
static int check_memory(const options *o, ll_layout a, const ll_foreign *m,
                        ll_target t) {
    const unsigned widest = notation_widest(a, m, o->bits, t);
    const unsigned bytes =
        o->given >> option_of("--bytes") & 1u ? o->bytes : widest;
    unsigned lost = 0;
    print_part(a, m->layout);
    for (unsigned op = LL_READ; op <= LL_WRITE; ++op) {
        const ll_view v = notation_banks(a, m, o->bits, bytes, op, t);
        if (v.err) {
            return wrong_access(m, v.err, bytes, widest, o->bits);
        }
        printf("%s, %u byte%s per lane: %u wavefront%s (best possible: %u)\n",
               op == LL_READ ? "read" : "write", bytes, bytes == 1u ? "" : "s",
               v.rows, v.rows == 1u ? "" : "s", v.phases);
        lost += v.rows - v.phases;
    }
    int missed =
        bound("bank conflicts, extra wavefronts of read + write:",
              lost, o->conflicts, 0);
    missed |= bound("bytes per access:", bytes, o->width, 1);
    return missed;
}

static int check(options *o) {
    ll_target t;
    ll_foreign a = {0};
    ll_foreign b = {0};
    ll_plan p;
    if (read_both(o, &a, &b) || read_target(o, &t)) {
        return 2;
    }
    if (is_memory(b.layout)) {
        return o->cycles != ~0u ? wrong("--cycles is only for a plan between "
                                        "two layouts of registers",
                                        NULL)
                                : check_memory(o, a.layout, &b, t);
    }
    if (o->given >> option_of("--bytes") & 1u) {
        return wrong("--bytes is only for a memory layout: a plan chooses its "
                     "accesses",
                     NULL);
    }
    if (plan(o, a.layout, b.layout, t, &p)) {
        return 2;
    }
    unsigned least = 16;
    for (unsigned k = 0; k < p.n; ++k) {
        const unsigned bytes = p.step[k].bytes;
        least = bytes && bytes < least ? bytes : least;
    }
    int missed = bound("bank conflicts, extra wavefronts:",
                       ll_conflicts(p), o->conflicts, 0);
    if (p.kind >= LL_SHARED) {
        missed |= bound("bytes of the narrowest access:", least, o->width, 1);
    }
    missed |= bound("cycles:", p.cycles, o->cycles, 0);
    return missed;
}

/* ---- The program ---------------------------------------------------------- */

/* Reads all arguments. Returns 2 if one is wrong, 1 after --help or
 * --version. */
static int read_words(int argc, char **argv, options *o) {
    for (int k = 1; k < argc; ++k) {
        if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) {
            fputs(help, stdout);
            return 1;
        }
        if (strcmp(argv[k], "--version") == 0) {
            printf("llshow %u.%u.%u\n", LL_VERSION / 10000u,
                   LL_VERSION / 100u % 100u, LL_VERSION % 100u);
            return 1;
        }
        if (argv[k][0] == '-' && argv[k][1]) {
            const unsigned at = option_of(argv[k]);
            if (at == KNOWN) {
                return wrong(strchr(argv[k], '=')
                                 ? "write an option and its value as two "
                                   "words, without ="
                                 : "there "
                                   "is no such option (--help lists them)",
                             argv[k]);
            }
            if (k + 1 == argc) {
                return wrong("the option needs a value", argv[k]);
            }
            if (read_option(at, argv[++k], o)) {
                return 2;
            }
        } else if (o->n == 3u) {
            return wrong("too many arguments", argv[k]);
        } else {
            o->words[o->n++] = argv[k];
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    const char *const commands[] = {"convert", "banks", "table", "check", NULL};
    int (*const run[])(options *) = {show, convert, banks, table, check};
    options o = {0};
    o.view = "all";
    o.as = NULL;
    o.op = "read";
    o.lang = "c";
    o.name = "layout";
    o.target = "sm_90";
    o.frame = o.width = o.cycles = ~0u;
    int status = read_words(argc, argv, &o);
    if (status == 0 && o.n == 0) {
        fputs(help, stderr);
        return 2;
    }
    if (status == 0) {
        o.command = which(o.words[0], commands) + 1;
        const unsigned needs = o.command == SHOW    ? 1u
                               : o.command == TABLE ? 2u
                                                    : 3u;
        if (o.n != needs) {
            return wrong(o.n < needs
                             ? "a layout is missing (--help has examples)"
                             : "too many arguments",
                         o.words[o.n - 1u]);
        }
        o.as = !o.as                        ? usual_form()
               : strcmp(o.as, "color") == 0 ? "colour"
                                            : o.as;
        status = check_options(&o) ? 2 : run[o.command](&o);
    } else {
        status = status == 2 ? 2 : 0;
    }
    free(out);
    if (fflush(stdout) || ferror(stdout)) {
        return wrong("cannot write the output", NULL);
    }
    return status;
}
