/* llshow.c - shows layouts, explains conversions, writes tables, holds bounds.
 * SPDX-License-Identifier: MIT
 *
 * Build: cc -std=c11 -O1 -I. examples/llshow.c -o llshow, or `make llshow`
 */
#include "notation.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "llshow LAYOUT                    show a layout\n"
    "llshow convert A B               explain the plan from A to B, and draw "
    "it\n"
    "llshow banks A MEMORY            draw an access, bank by bank\n"
    "llshow table A                   write A as a table that needs no ll.h\n"
    "llshow check A B                 conflicts and access widths of A and B\n"
    "\n"
    "A layout is one of\n"
    "  register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3     text of ll.h\n"
    "  rows(64, 64, 4)                                       a family\n"
    "  rows(64, 64, 4, 64, 2)             the same with lanes and bytes\n"
    "  #ttg.blocked<{sizePerThread = ..}>                    Triton, with "
    "--shape\n"
    "  Swizzle<3,4,3> o (8,64):(64,1)                        CuTe\n"
    "  trans(..)   @FILE   -                     transposed, a file, standard "
    "input\n"
    "\n"
    "  --shape 64x64     the shape for attributes of Triton\n"
    "  --view V          tensor, hardware, matrix or all (what fits)\n"
    "  --as F            text, colour, svg or csv\n"
    "  --bits N          bits of an element (32)\n"
    "  --target T        sm_90, gfx942, gfx1100w64, .. (sm_90)\n"
    "  --bytes N         bytes of an access (the widest)\n"
    "  --op O            read or write (read)\n"
    "  --frame N         of a plan, this frame alone\n"
    "  --lang L          c, rust, python or json\n"
    "  --name N          of the table (layout)\n"
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

typedef struct options {
    const char *words[3];
    unsigned n;
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

static int read_option(const char *key, const char *value, options *o) {
    const struct {
        const char *key;
        const char **text;
        unsigned *count;
    } known[] = {
        {"--view", &o->view, NULL},   {"--as", &o->as, NULL},
        {"--op", &o->op, NULL},       {"--lang", &o->lang, NULL},
        {"--name", &o->name, NULL},   {"--target", &o->target, NULL},
        {"--bits", NULL, &o->bits},   {"--bytes", NULL, &o->bytes},
        {"--frame", NULL, &o->frame}, {"--conflicts", NULL, &o->conflicts},
        {"--width", NULL, &o->width}, {"--cycles", NULL, &o->cycles},
    };
    if (strcmp(key, "--shape") == 0) {
        return read_shape(value, o) ? 0 : wrong("--shape is like 64x64", value);
    }
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        if (strcmp(known[k].key, key) == 0) {
            if (known[k].text) {
                *known[k].text = value;
            } else if (!read_count(value, known[k].count)) {
                return wrong("a number was expected", value);
            }
            return 0;
        }
    }
    return wrong("there is no such option (--help lists them)", key);
}

/* The number of a word in a list that ends with NULL. */
static int which(const char *word, const char *const *list) {
    for (int k = 0; list[k]; ++k) {
        if (strcmp(word, list[k]) == 0) {
            return k;
        }
    }
    return -1;
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

/* Reads a layout; says what is wrong with it. */
static int read_any(const char *word, const options *o, ll_layout *a) {
    char sentence[400];
    char *text = NULL;
    if (word[0] == '@' || strcmp(word, "-") == 0) {
        FILE *file = word[0] == '@' ? fopen(word + 1, "r") : stdin;
        if (!file) {
            return wrong("the file cannot be read", word + 1);
        }
        text = contents(file);
        if (file != stdin) {
            fclose(file);
        }
    }
    const ll_foreign f = notation_layout(text ? text : word, o->rank, o->sizes);
    free(text);
    *a = f.layout;
    if (f.layout.err) {
        ll_foreign_error(word, f, sentence, sizeof sentence);
        fprintf(stderr, "%s\n", sentence);
        return 2;
    }
    for (unsigned k = 0; k < f.pads; ++k) {
        printf("padding: %u elements behind each %u\n", f.pad[k], f.every[k]);
    }
    return 0;
}

static void print_layout(const char *name, ll_layout a) {
    char text[1000];
    ll_str(a, text, sizeof text);
    printf("%s%s\n", name, text);
}

static int print_view(ll_view v, const options *o) {
    const char *const forms[] = {"text", "colour", "svg", "csv", NULL};
    const int form = which(o->as, forms);
    if (form < 0) {
        return wrong("--as is text, colour, svg or csv", o->as);
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

static int show(const options *o) {
    const char *const views[] = {"tensor", "hardware", "matrix", "all", NULL};
    const int view = which(o->view, views);
    const int text = strcmp(o->as, "text") == 0 || strcmp(o->as, "colour") == 0;
    ll_layout a = {0};
    int err = read_any(o->words[0], o, &a);
    if (view < 0) {
        return wrong("--view is tensor, hardware, matrix or all", o->view);
    }
    if (!err && text) {
        print_layout("", a);
    }
    if (!err && (view == 2 || view == 3)) {
        err = print_view(ll_view_matrix(a), o);
    }
    if (!err && (view == 0 || (view == 3 && !ll_view_tensor(a).err))) {
        err = print_view(ll_view_tensor(a), o);
    }
    if (!err && (view == 1 || view == 3)) {
        err = print_view(ll_view_hardware(a), o);
    }
    return err;
}

static int read_both(const options *o, ll_layout *a, ll_layout *b) {
    return read_any(o->words[1], o, a) || read_any(o->words[2], o, b);
}

static int convert(const options *o) {
    const int text = strcmp(o->as, "text") == 0 || strcmp(o->as, "colour") == 0;
    const ll_target t = notation_target(o->target);
    char words[4000];
    ll_layout a = {0};
    ll_layout b = {0};
    if (read_both(o, &a, &b)) {
        return 2;
    }
    const ll_plan p = ll_plan_of(a, b, o->bits, t);
    if (text || p.err) {
        print_layout("from ", a);
        print_layout("to   ", b);
        ll_explain(p, words, sizeof words);
        fputs(words, p.err ? stderr : stdout);
    }
    for (unsigned k = 0; !p.err && k < ll_frames(p); ++k) {
        if (o->frame == ~0u || o->frame == k) {
            ll_frame_words(p, k, words, sizeof words);
            if (text) {
                printf("\nframe %u of %u: %s", k, ll_frames(p), words);
            }
            if (print_view(ll_view_frame(p, a, b, t, k), o)) {
                return 2;
            }
        }
    }
    return p.err ? 2 : 0;
}

static int banks(const options *o) {
    const char *const ops[] = {"read", "write", NULL};
    const int op = which(o->op, ops);
    const ll_target t = notation_target(o->target);
    ll_layout a = {0};
    ll_layout m = {0};
    if (op < 0) {
        return wrong("--op is read or write", o->op);
    }
    if (read_both(o, &a, &m)) {
        return 2;
    }
    const unsigned widest = ll_widest(a, m, o->bits, t.access_bytes);
    return print_view(ll_view_banks(a, m, o->bits, o->bytes ? o->bytes : widest,
                                    (unsigned)op, t),
                      o);
}

/* A table: the number of the element in each place, row-major. */
static int table(const options *o) {
    const char *const langs[] = {"c", "rust", "python", "json", NULL};
    const int lang = which(o->lang, langs);
    char name[12];
    char text[1000];
    ll_layout a = {0};
    if (lang < 0) {
        return wrong("--lang is c, rust, python or json", o->lang);
    }
    if (read_any(o->words[1], o, &a)) {
        return 2;
    }
    const unsigned n = ll_total_(&a.in);
    const int wide = ll_total_(&a.out) > 16u;
    if (n > 20u) {
        return wrong("a table has at most 2^20 places", NULL);
    }
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
    switch (lang) {
    case 0:
        printf("static const unsigned %s %s[%u] = {", wide ? "int" : "short",
               o->name, 1u << n);
        break;
    case 1:
        printf("pub const %s: [%s; %u] = [", o->name, wide ? "u32" : "u16",
               1u << n);
        break;
    case 2:
        printf("%s = [", o->name);
        break;
    default:
        printf("{\"layout\": \"%s\", \"in\": {", text);
        for (unsigned side = 0; side < 2u; ++side) {
            const ll_shape s = side ? a.out : a.in;
            for (unsigned k = 0; k < s.n; ++k) {
                ll_writer_ w = ll_writer_on_(name, sizeof name);
                ll_write_name_(&w, s.dim[k]);
                printf("%s\"%s\": %u", k ? ", " : "", name, 1u << s.bits[k]);
            }
            printf(side ? "}, \"%s\": [" : "}, \"out\": {", o->name);
        }
        break;
    }
    for (unsigned x = 0; x < 1u << n; ++x) {
        printf("%s%s%u", x ? "," : "", x % 12u ? " " : "\n    ",
               ll_apply(a, x));
    }
    printf(lang == 0   ? "\n};\n"
           : lang == 1 ? "\n];\n"
           : lang == 2 ? "\n]\n"
                       : "\n]}\n");
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
static int check_memory(const options *o, ll_layout a, ll_layout m,
                        ll_target t) {
    const unsigned bytes =
        o->bytes ? o->bytes : ll_widest(a, m, o->bits, t.access_bytes);
    unsigned lost = 0;
    if (t.err || !bytes) {
        return wrong(ll_strerror(t.err ? t.err : (unsigned)LL_EACCESS), NULL);
    }
    for (unsigned op = LL_READ; op <= LL_WRITE; ++op) {
        const ll_view v = ll_view_banks(a, m, o->bits, bytes, op, t);
        if (v.err) {
            return wrong(ll_strerror(v.err), NULL);
        }
        printf("%s of %u bytes a lane: %u wavefronts, %u would do\n",
               op == LL_READ ? "read" : "write", bytes, v.rows, v.phases);
        lost += v.rows - v.phases;
    }
    int missed =
        bound("wavefronts lost in a read and a write:", lost, o->conflicts, 0);
    missed |= bound("bytes of an access:", bytes, o->width, 1);
    return missed;
}

static int check(const options *o) {
    const ll_target t = notation_target(o->target);
    char words[4000];
    ll_layout a = {0};
    ll_layout b = {0};
    if (read_both(o, &a, &b)) {
        return 2;
    }
    if (b.in.n && b.in.dim[0] == LL_OFFSET) {
        if (o->cycles != ~0u) {
            return wrong("--cycles is for a plan between two layouts of "
                         "registers",
                         NULL);
        }
        return check_memory(o, a, b, t);
    }
    const ll_plan p = ll_plan_of(a, b, o->bits, t);
    ll_explain(p, words, sizeof words);
    fputs(words, p.err ? stderr : stdout);
    if (p.err) {
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

int main(int argc, char **argv) {
    const char *const commands[] = {"convert", "banks", "table", "check", NULL};
    int (*const run[])(const options *) = {convert, banks, table, check};
    options o = {{NULL},   0,       0,  {0}, "all", "text", "read", "c",
                 "layout", "sm_90", 32, 0,   ~0u,   ~0u,    ~0u,    ~0u};
    for (int k = 1; k < argc; ++k) {
        if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) {
            fputs(help, stdout);
            return 0;
        }
        if (strncmp(argv[k], "--", 2) == 0) {
            if (k + 1 == argc) {
                return wrong("the option needs a value", argv[k]);
            }
            if (read_option(argv[k], argv[k + 1], &o)) {
                return 2;
            }
            ++k;
        } else if (o.n == 3u) {
            return wrong("too many words", argv[k]);
        } else {
            o.words[o.n++] = argv[k];
        }
    }
    if (o.n == 0) {
        fputs(help, stderr);
        return 2;
    }
    const int command = which(o.words[0], commands);
    const unsigned needs = command < 0 ? 1u : command == 2 ? 2u : 3u;
    if (o.n != needs) {
        return wrong(o.n < needs ? "a layout is missing (--help has examples)"
                                 : "too many words",
                     o.words[o.n - 1u]);
    }
    const int status = command < 0 ? show(&o) : run[command](&o);
    free(out);
    return status;
}
