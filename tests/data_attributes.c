/* data_attributes.c - attributes of Triton as text, for check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * triton_attributes: {text, aliases, shape, in, padding, reject}. The reader of
 * ll.h gets the definitions and the text as one text. Columns are compared as
 * packed words, with dim0 the slowest axis.
 */
#include "check_data.h"

#include "../tools/views/ll_views.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The aliases as definitions, and the text behind them. */
static char *whole_text(check_case *c) {
    const json_t *aliases = json_object_get(c->params, "aliases");
    const char *text = json_string_value(get_value(c, "text"));
    size_t room = text ? strlen(text) + 1u : 1u;
    const char *key;
    json_t *value;
    json_t *map = json_copy((json_t *)(size_t)aliases);
    json_object_foreach(map, key, value) {
        room += strlen(key) + strlen(json_string_value(value)) + 8u;
    }
    char *all = malloc(room);
    all[0] = 0;
    json_object_foreach(map, key, value) {
        strcat(
            strcat(strcat(strcat(all, key), " = "), json_string_value(value)),
            "\n");
    }
    json_decref(map);
    return strcat(all, text ? text : "");
}

/* The columns of one input, each packed. */
static void want_input(check_case *c, const char *name, const json_t *list,
                       const ll_layout *a, const unsigned *sizes) {
    const char *own = strcmp(name, "row") == 0   ? "dp"
                      : strcmp(name, "col") == 0 ? "tcol"
                                                 : name;
    const unsigned at = ll_shape_find_(&a->in, ll_dim_of(own));
    const unsigned n = at < a->in.n ? a->in.bits[at] : 0u;
    if (n != json_array_size(list)) {
        fail(c, "%s has %u columns, expected %u", name, n,
             (unsigned)json_array_size(list));
        return;
    }
    for (unsigned k = 0; k < n; ++k) {
        unsigned v[MAX_LIST] = LL_ZERO;
        const unsigned rank = read_numbers(c, json_array_get(list, k), v);
        unsigned word = 0;
        for (unsigned d = 0; d < rank; ++d) {
            word = word * sizes[d] + v[d];
        }
        const unsigned got = a->basis[ll_shape_start_(&a->in, at) + k];
        if (got != word) {
            fail(c, "%s column %u is %u, expected %u", name, k, got, word);
        }
    }
}

static void want_padding(check_case *c, const ll_foreign *f) {
    const json_t *list = json_object_get(c->params, "padding");
    if (json_array_size(list) != f->pads) {
        fail(c, "there are %u pads", f->pads);
        return;
    }
    for (unsigned k = 0; k < f->pads; ++k) {
        unsigned v[MAX_LIST] = LL_ZERO;
        read_numbers(c, json_array_get(list, k), v);
        if (v[0] != f->every[k] || v[1] != f->pad[k]) {
            fail(c, "pad %u is %u:+%u", k, f->every[k], f->pad[k]);
        }
    }
}

static void op_triton_attributes(check_case *c) {
    unsigned sizes[MAX_LIST] = LL_ZERO;
    const unsigned rank = get_numbers(c, "shape", sizes);
    const json_t *in = json_object_get(c->params, "in");
    char *text = whole_text(c);
    const ll_foreign f = ll_from_triton(text, rank, sizes);
    const char *key;
    json_t *value;
    unsigned named = 0;
    c->compared = 1;
    if (!json_object_get(c->params, "text") || !in) {
        fail(c, "a case needs text and in");
    } else if (json_is_null(in)) {
        if (!f.layout.err) {
            fail(c, "it is read, but must be refused: %.90s", text);
        }
    } else if (f.layout.err) {
        fail(c, "%.80s (%s) at %u: %s", f.why ? f.why : "", f.key ? f.key : "",
             f.layout.at, ll_strerror(f.layout.err));
    } else {
        json_t *map = json_copy((json_t *)(size_t)in);
        json_object_foreach(map, key, value) {
            want_input(c, key, value, &f.layout, sizes);
            named += (unsigned)json_array_size(value);
        }
        json_decref(map);
        if (named != ll_shape_bits_(&f.layout.in)) {
            fail(c, "there are %u columns, expected %u",
                 ll_shape_bits_(&f.layout.in), named);
        }
        want_padding(c, &f);
    }
    free(text);
}

const check_op check_attributes[] = {
    {"triton_attributes", op_triton_attributes},
    {0, 0},
};
