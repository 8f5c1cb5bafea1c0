/* tables.h - llshow table: a layout as source text.
 * SPDX-License-Identifier: MIT
 */
#ifndef LLSHOW_TABLES_H
#define LLSHOW_TABLES_H

#include "texts.h"

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

#endif
