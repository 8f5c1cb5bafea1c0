/* llshow.c - shows layouts, explains conversions, writes tables, holds bounds.
 * SPDX-License-Identifier: MIT
 *
 * Build: cc -std=c11 -O1 -I. tools/llshow/llshow.c -o llshow, or `make llshow`
 */
#include "notation.h"
#include "tensor_type.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "llshow LAYOUT                    show a layout\n"
    "llshow convert A B               explain the plan from A to B, and draw "
    "it\n"
    "llshow banks A MEMORY            draw an access, bank by bank\n"
    "llshow table A                   write A as a table that needs no ll.h\n"
    "llshow check A B                 conflicts and access widths of A and B: "
    "B is\n"
    "                                 registers, or a memory (offset: ..)\n"
    "\n"
    "A layout is one of\n"
    "  register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3     text of ll.h\n"
    "  rows(64, 64, 4)               a family: rows, columns, bytes of an "
    "element,\n"
    "  rows(64, 64, 4, 32, 8)        and the lanes and warps (32 and 4)\n"
    "  mma_c                         which numbers that family has; x lists "
    "all\n"
    "  #ttg.blocked<{sizePerThread = ..}>                    Triton, with "
    "--shape\n"
    "  tensor<64x64xf16, #ttg.blocked<{..}>>                 or its type\n"
    "  Swizzle<3,3,3> o (8,64):(64,1)                        CuTe\n"
    "  trans(..)   @FILE   -                     transposed, a file, standard "
    "input\n"
    "\n"
    "  --shape 64x64     the shape for attributes of Triton\n"
    "  --view V          tensor, hardware, matrix or all (what fits)\n"
    "  --as F            text, colour, or of one picture svg or csv\n"
    "  --bits N          bits of an element (what the text says, or 32)\n"
    "  --target T        sm_90, gfx942, gfx1100w64, .. (sm_90)\n"
    "  --bytes N         bytes of an access (the widest)\n"
    "  --op O            read or write (read)\n"
    "  --frame N         of a plan, this frame alone\n"
    "  --lang L          c, rust, python or json\n"
    "  --name N          of the table (layout)\n"
    "  --version         of ll.h\n"
    "Bounds of check, which exits with 1 if one is missed:\n"
    "  --conflicts N     at most N wavefronts lost\n"
    "  --width N         every access has at least N bytes\n"
    "  --cycles N        the plan takes at most N cycles\n"
    "\n"
    "Examples:\n"
    "  llshow 'mma_c(16, 8, 1)'\n"
    "  llshow convert 'rows(64, 64, 4)' 'trans(rows(64, 64, 4))' --target "
    "sm_90\n"
    "  llshow check 'mma_c(64, 64, 4)' 'smem_k(64, 64, 16, 128)' --bits 16 \\\n"
    "      --conflicts 0\n"
    "  llshow table 'mma_c(16, 8, 1)' --lang rust --name ACCUMULATOR\n"
    "Exit status: 0 done, 1 a bound is missed, 2 something is wrong.\n";

enum { SHOW, CONVERT, BANKS, TABLE, CHECK };

typedef struct options {
    const char *words[3];
    unsigned n;
    int command;
    unsigned given;     /* a bit for each option */
    unsigned has_shape; /* an attribute of Triton was read */
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

/* The number of a word in a list that ends with NULL. */
static int which(const char *word, const char *const *list) {
    for (int k = 0; list[k]; ++k) {
        if (strcmp(word, list[k]) == 0) {
            return k;
        }
    }
    return -1;
}

/* Options, with a letter for each command that takes them. */
static const struct known {
    const char *key, *of;
} known[] = {
    {"--shape", "scbtk"}, {"--view", "s"},      {"--as", "scb"},
    {"--op", "b"},        {"--lang", "t"},      {"--name", "t"},
    {"--target", "cbk"},  {"--bits", "cbk"},    {"--bytes", "bk"},
    {"--frame", "c"},     {"--conflicts", "k"}, {"--width", "k"},
    {"--cycles", "k"},
};
enum { KNOWN = sizeof known / sizeof *known };

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
        return read_shape(value, o) ? 0 : wrong("--shape is like 64x64", value);
    }
    if (texts[k]) {
        *texts[k] = value;
    } else if (!read_count(value, counts[k])) {
        return wrong("a number was expected", value);
    }
    return 0;
}

/* An option that a command does not take is not ignored. */
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
               ? wrong("--as is text, colour, svg or csv", o->as)
               : 0;
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

/* Elements have the bits that a text names, if no option says other ones. */
static int read_bits(unsigned bits, options *o) {
    char sentence[100];
    if (bits && o->given >> option_of("--bits") & 1u && bits != o->bits) {
        snprintf(sentence, sizeof sentence,
                 "--bits is %u, but the text has elements of %u bits", o->bits,
                 bits);
        return wrong(sentence, NULL);
    }
    o->bits = bits ? bits : o->bits;
    return 0;
}

/* A text that was typed, or that of a file, to be freed; NULL if it cannot be
 * read. */
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
        wrong("the file cannot be read", word + 1);
    }
    return text;
}

/* Says what is wrong with a text; of a size it can be the number. */
static void print_wrong(const char *word, const char *text, ll_foreign f) {
    char sentence[900];
    ll_foreign_error(word, f, sentence, sizeof sentence);
    fputs(sentence, stderr);
    if (f.why && strncmp(f.why, "two strides", 11) == 0) {
        for (const char *c = text + f.layout.at - 1u; *c && *c != ':';) {
            char *end = (char *)(size_t)c;
            const unsigned long x = ll_is_digit_(*c) ? strtoul(c, &end, 10) : 0;
            if (x & (x - 1u)) {
                fprintf(stderr, "; %lu is no power of two", x);
                break;
            }
            c = end > c ? end : c + 1;
        }
    }
    fputs("\n", stderr);
}

/* Reads a layout; says what is wrong with it. */
static int read_any(const char *word, options *o, ll_foreign *a) {
    tensor_type t = {0};
    char *text = text_of(word);
    const char *fault = text ? take_type(text, &t) : NULL;
    int bad = !text ? 2
              : fault ? wrong("a type is like tensor<64x64xf16, #name>", fault)
                      : 0;
    if (!bad && t.rank && o->rank) {
        bad = wrong("the type has a shape itself: there is no --shape", NULL);
    }
    if (!bad) {
        *a = notation_layout(text, t.rank ? t.rank : o->rank,
                             t.rank ? t.sizes : o->sizes);
        const unsigned bits = notation_bits(text);
        o->has_shape |= (unsigned)notation_has_shape(text);
        if (a->layout.err) {
            print_wrong(word, text, *a);
        }
        bad = a->layout.err ? 2 : read_bits(bits ? bits : t.bits, o);
    }
    free(text);
    for (unsigned k = 0; !bad && is_text(o) && k < a->pads; ++k) {
        printf("padding: %u element%s behind each %u\n", a->pad[k],
               a->pad[k] == 1u ? "" : "s", a->every[k]);
    }
    return bad;
}

/* A shape for texts that have none of their own. */
static int check_shape(const options *o) {
    return o->rank && !o->has_shape
               ? wrong("--shape is for attributes of Triton", NULL)
               : 0;
}

/* Prints the bits of axes that no place has. */
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
    if (v.err == LL_ETABLE) {
        return wrong("a picture has at most 2^20 cells", NULL);
    }
    if (v.err) {
        return wrong(ll_strerror(v.err), NULL);
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

static int show(options *o) {
    const char *const views[] = {"matrix", "tensor", "hardware", "all", NULL};
    const int view = which(o->view, views);
    ll_foreign a = {0};
    int err = read_any(o->words[0], o, &a) || check_shape(o);
    if (view < 0) {
        return wrong("--view is tensor, hardware, matrix or all", o->view);
    }
    if (!err && is_text(o)) {
        print_layout("", a.layout);
        print_missing("", a.layout);
    } else if (!err && view == 3) {
        return wrong("--as svg and csv write one picture: --view says which",
                     NULL);
    }
    for (int k = 0; !err && k < 3; ++k) {
        const ll_view v = ll_view_padded(
            k == 0   ? ll_view_matrix(a.layout)
            : k == 1 ? ll_view_tensor(a.layout)
                     : ll_view_hardware(a.layout),
            a);
        if (view == k || (view == 3 && !v.err)) {
            err = print_view(v, o);
        }
    }
    return err ? 2 : 0;
}

static int read_both(options *o, ll_foreign *a, ll_foreign *b) {
    const int bad = read_any(o->words[1], o, a) ||
                    read_any(o->words[2], o, b) || check_shape(o);
    if (!bad && is_text(o)) {
        print_missing("A: ", a->layout);
        print_missing("B: ", b->layout);
    }
    return bad;
}

static int read_target(const options *o, ll_target *t) {
    *t = notation_target(o->target);
    if (t->err) {
        fprintf(stderr, "llshow: there is no target %s; there are", o->target);
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

static int is_memory(ll_layout a) {
    return a.in.n && a.in.dim[0] == LL_OFFSET;
}

/* Says which part of A a smaller B holds. */
static void print_part(ll_layout a, ll_layout b) {
    for (unsigned k = a.out.n; k-- > 0;) {
        const unsigned has = ll_size(b.out, a.out.dim[k]);
        if (has < 1u << a.out.bits[k]) {
            char name[12];
            ll_writer_ w = ll_writer_on_(name, sizeof name);
            ll_write_name_(&w, a.out.dim[k]);
            printf("B holds a part of A: %u of %u along %s\n", has,
                   1u << a.out.bits[k], name);
        }
    }
}

/* Plans the conversion, or says why not. */
static int plan(const options *o, ll_layout a, ll_layout b, ll_target t,
                ll_plan *p) {
    char words[4000];
    *p = ll_plan_of(a, b, o->bits, t);
    ll_explain(*p, words, sizeof words);
    if (p->err) {
        fputs(words, stderr);
        return is_memory(a)   ? wrong("A is a memory: A has registers", NULL)
               : is_memory(b) ? wrong("B is a memory, which is for llshow "
                                      "check or llshow banks",
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
    } else if (o->frame == ~0u) {
        return wrong("--as svg and csv write one picture: --frame says which",
                     NULL);
    }
    if (plan(o, a, b, t, &p)) {
        return 2;
    }
    const unsigned n = ll_frames(p);
    if (o->frame != ~0u && o->frame >= n) {
        snprintf(words, sizeof words, "the plan has frames 0 to %u", n - 1u);
        return wrong(words, NULL);
    }
    for (unsigned k = 0; k < n; ++k) {
        if (o->frame == ~0u || o->frame == k) {
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

/* What is wrong with an access, with the number at fault. */
static int wrong_access(unsigned err, unsigned bytes, unsigned widest) {
    char sentence[300];
    const int size = ll_log2_(bytes) <= 4u;
    snprintf(sentence, sizeof sentence,
             err != LL_EACCESS || (size && bytes <= widest) ? "%s"
             : size ? "%s (at most %u bytes here)"
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
        return wrong("--op is read or write", o->op);
    }
    if (read_both(o, &a, &m) || read_target(o, &t)) {
        return 2;
    }
    const unsigned widest = notation_widest(a.layout, &m, o->bits, t);
    const unsigned bytes =
        o->given >> option_of("--bytes") & 1u ? o->bytes : widest;
    const ll_view v =
        notation_banks(a.layout, &m, o->bits, bytes, (unsigned)op, t);
    return v.err ? wrong_access(v.err, bytes, widest) : print_view(v, o);
}

/* Names that a language does not take. */
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
               ? wrong("a name has letters, digits and _, no digit first", name)
           : is_reserved(name, lang)
               ? wrong("the language has this word itself", name)
               : 0;
}

/* What stands before the numbers. */
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
        printf(", the last one the fastest; value: row-major element\n");
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

/* A table: the number of the element in each place, row-major. */
static int table(options *o) {
    const char *const langs[] = {"c", "rust", "python", "json", NULL};
    const char *const ends[] = {"\n};\n", "\n];\n", "\n]\n", "\n]}\n"};
    const int lang = which(o->lang, langs);
    ll_foreign f = {0};
    if (lang < 0) {
        return wrong("--lang is c, rust, python or json", o->lang);
    }
    o->as = "csv"; /* nothing but the table */
    if (check_name(o->name, lang) || read_any(o->words[1], o, &f) ||
        check_shape(o)) {
        return 2;
    }
    const ll_layout a = f.layout;
    if (f.pads || ll_shape_bits_(&a.in) > 20u) {
        return wrong(f.pads ? "memory with pads is no table: its places are "
                              "not those of the layout"
                            : "a table has at most 2^20 places",
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

/* Registers and memory: the widest access each way. */
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
            return wrong_access(v.err, bytes, widest);
        }
        printf("%s of %u byte%s a lane: %u wavefront%s, %u would do\n",
               op == LL_READ ? "read" : "write", bytes, bytes == 1u ? "" : "s",
               v.rows, v.rows == 1u ? "" : "s", v.phases);
        lost += v.rows - v.phases;
    }
    int missed =
        bound("wavefronts lost in a read and a write:", lost, o->conflicts, 0);
    missed |= bound("bytes of an access:", bytes, o->width, 1);
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
        return o->cycles != ~0u ? wrong("--cycles is for a plan between two "
                                        "layouts of registers",
                                        NULL)
                                : check_memory(o, a.layout, &b, t);
    }
    if (o->given >> option_of("--bytes") & 1u) {
        return wrong("--bytes is for a memory: a plan chooses its accesses",
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
    int missed = bound("wavefronts lost:", ll_conflicts(p), o->conflicts, 0);
    if (p.kind >= LL_SHARED) {
        missed |= bound("bytes of the narrowest access:", least, o->width, 1);
    }
    missed |= bound("cycles:", p.cycles, o->cycles, 0);
    return missed;
}

/* ---- The program ---------------------------------------------------------- */

/* Reads all words; returns 2 if one is wrong, 1 if nothing is left to do. */
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
                                 ? "an option and its value are two words, "
                                   "without ="
                                 : "there is no such option (--help lists them)",
                             argv[k]);
            }
            if (k + 1 == argc) {
                return wrong("the option needs a value", argv[k]);
            }
            if (read_option(at, argv[++k], o)) {
                return 2;
            }
        } else if (o->n == 3u) {
            return wrong("too many words", argv[k]);
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
    o.as = "text";
    o.op = "read";
    o.lang = "c";
    o.name = "layout";
    o.target = "sm_90";
    o.bits = 32;
    o.frame = o.conflicts = o.width = o.cycles = ~0u;
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
                             : "too many words",
                         o.words[o.n - 1u]);
        }
        status = check_options(&o) ? 2 : run[o.command](&o);
    } else {
        status = status == 2 ? 2 : 0;
    }
    free(out);
    if (fflush(stdout) || ferror(stdout)) {
        return wrong("the output cannot be written", NULL);
    }
    return status;
}
