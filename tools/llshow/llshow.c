/* llshow.c - shows layouts, explains conversions, writes tables, checks bounds.
 * SPDX-License-Identifier: MIT
 *
 * Build: cc -std=c11 -O1 -I. tools/llshow/llshow.c -o llshow, or `make llshow`
 */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#include "locate.h"
#include "tables.h"

static char *out;
static unsigned room;

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
              settle_bits(&read, NULL, o) ||
              check_threads("the layout", &read, o, NULL);
    const ll_foreign a = read.f;
    if (view < 0) {
        return wrong("--view must be tensor, hardware, matrix or all", o->view);
    }
    if (!err && o->at[0]) {
        return locate(o, &a);
    }
    if (!err && is_text(o)) {
        if (read.assumed) {
            print_assumed(o);
        }
        print_notes("the text", &read, o);
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

/* Refuses layouts across GPUs. */
static int check_inside(const char *name, ll_layout a) {
    for (unsigned d = 0; d < a.in.n; ++d) {
        if (a.in.dim[d] == ll_dim_of("gpu") ||
            a.in.dim[d] == ll_dim_of("node")) {
            fprintf(stderr, "llshow: %s is a sharding over GPUs: "
                    "tools/reshard/ll_reshard.h plans and explains it "
                    "(ll_explain_reshard)\n", name);
            return 2;
        }
    }
    return 0;
}

/* Fits B to the axes of A, and prints how; prints why if they do not fit. */
static int align(const options *o, ll_layout a, ll_layout *b) {
    char words[400];
    ll_writer_ w = ll_writer_on_(words, sizeof words);
    if (notation_align(&w, &a, b)) {
        return wrong(words, NULL);
    }
    fputs(w.len && is_text(o) ? words : "", stdout);
    return 0;
}

/* Reads A, B and the target, and settles the element bits. */
static int read_both(options *o, ll_foreign *a, ll_foreign *b, ll_target *t) {
    notation from = LL_ZERO;
    notation to = LL_ZERO;
    if (read_any(o->words[1], o, &from) || read_any(o->words[2], o, &to) ||
        check_unused(o) || settle_bits(&from, &to, o) || read_target(o, t) ||
        check_threads("A", &from, o, t) || check_threads("B", &to, o, t) ||
        check_inside("A", from.f.layout) || check_inside("B", to.f.layout)) {
        return 2;
    }
    *a = from.f;
    *b = to.f;
    if ((o->command == BANKS || o->command == CHECK) && to.global) {
        return wrong("B is in global memory (gmem_ptr), which has no banks",
                     NULL);
    }
    print_assumed(o);
    print_notes("A", &from, o);
    print_notes("B", &to, o);
    if (is_text(o)) {
        print_missing("A: ", a->layout);
        print_missing("B: ", b->layout);
    }
    return align(o, a->layout, &b->layout);
}

/* If B is smaller than A, prints which part of A it holds; if B is a memory that
 * is larger, which part of it A covers. */
static void print_part(ll_layout a, ll_layout b) {
    char words[1000];
    ll_writer_ w = ll_writer_on_(words, sizeof words);
    notation_held(&w, a, b);
    if (is_memory(b)) {
        notation_covered(&w, a, b);
    }
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
    if (read_both(o, &from, &to, &t)) {
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
    if (read_both(o, &a, &m, &t)) {
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
        char words[200];
        ll_writer_ w = ll_writer_on_(words, sizeof words);
        notation_write_accesses(&w, &v, m->pads,
                                notation_accesses(a, o->bits, bytes));
        puts(words);
        lost += v.rows - v.phases;
    }
    int missed =
        bound("bank conflicts: extra wavefronts of one read and one write:",
              lost, o->conflicts, 0);
    missed |= bound("bytes per access:", bytes, o->width, 1);
    return missed;
}

static int check(options *o) {
    ll_target t;
    ll_foreign a = {0};
    ll_foreign b = {0};
    ll_plan p;
    if (read_both(o, &a, &b, &t)) {
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
    int missed = bound("bank conflicts: extra wavefronts of the plan:",
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

/* Returns 1 if an argument has letters alone, as the name of a command. */
static int is_word(const char *text) {
    return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_")];
}

static int no_command(const char *name) {
    unsigned letters = 0;
    const char *const meant =
        ll_meant_("convert banks table check ", name, (unsigned)strlen(name),
                  &letters);
    fprintf(stderr, "llshow: there is no command %s; there are convert, banks, "
            "table and check", name);
    if (meant) {
        fprintf(stderr, "; did you mean %.*s?", (int)letters, meant);
    }
    fputs("\n", stderr);
    return 2;
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
    o.at = "";
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
        if (o.command == SHOW && o.n > 1u && is_word(o.words[0])) {
            return no_command(o.words[0]);
        }
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
