/* check_data.c - runs recorded cases through the library: make check-data.
 * SPDX-License-Identifier: MIT
 *
 *     check_data [--counts] FOLDER
 *
 * reads every *.jsonl there, and prints for each file how many cases passed and
 * failed, with a line for each operation that failed: how often, and its first
 * case with the reason. A case whose operation is not in a table failed.
 * With --counts it also prints how many cases passed of each family of layouts.
 * Exit 0: all passed.
 */
#define _POSIX_C_SOURCE 200809L
#include "check_data.h"
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reasons ------------------------------------------------------------ */

void fail(check_case *c, const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (!c->why[0]) {
        vsnprintf(c->why, sizeof c->why, format, list);
    }
    va_end(list);
}

/* ---- Parameters --------------------------------------------------------- */

const json_t *get_value(check_case *c, const char *key) {
    const json_t *value = json_object_get(c->params, key);
    if (!value) {
        fail(c, "there is no parameter %s", key);
    }
    return value;
}

unsigned read_number(check_case *c, const json_t *value) {
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || number > 0xffffffffLL) {
        fail(c, "a number from 0 to 2^32 - 1 was expected");
        return 0;
    }
    return (unsigned)number;
}

unsigned get_number(check_case *c, const char *key) {
    return read_number(c, get_value(c, key));
}

unsigned read_numbers(check_case *c, const json_t *list, unsigned *numbers) {
    size_t n = json_array_size(list);
    if (!json_is_array(list) || n > MAX_LIST) {
        fail(c, "a list of at most %d numbers was expected", MAX_LIST);
        return 0;
    }
    for (size_t k = 0; k < n; ++k) {
        numbers[k] = read_number(c, json_array_get(list, k));
    }
    return (unsigned)n;
}

unsigned get_numbers(check_case *c, const char *key, unsigned *numbers) {
    return read_numbers(c, get_value(c, key), numbers);
}

int get_flag(check_case *c, const char *key) {
    const json_t *value = get_value(c, key);
    if (!json_is_boolean(value)) {
        fail(c, "%s was expected to be true or false", key);
    }
    return json_is_true(value);
}

ll_dim read_dim(check_case *c, const json_t *value) {
    const char *name = json_string_value(value);
    ll_dim d = name ? ll_dim_of(name) : 0;
    if (!d) {
        fail(c, "'%s' is not a name that the library takes",
             name ? name : "(not a text)");
    }
    return d;
}

ll_dim get_dim(check_case *c, const char *key) {
    return read_dim(c, get_value(c, key));
}

/* Adds a name to a list; 0 if it is too long for one. */
static int add_name(char *text, const char *name) {
    size_t used = strlen(text);
    int n =
        snprintf(text + used, MAX_TEXT - used, "%s%s", used ? " " : "", name);
    return n >= 0 && (size_t)n < MAX_TEXT - used;
}

void get_names(check_case *c, const char *key, char *text) {
    const json_t *list = get_value(c, key);
    text[0] = 0;
    if (!json_is_array(list)) {
        fail(c, "%s was expected to be a list of names", key);
    }
    for (size_t k = 0; k < json_array_size(list); ++k) {
        const json_t *name = json_array_get(list, k);
        if (read_dim(c, name) && !add_name(text, json_string_value(name))) {
            fail(c, "%s has too many names", key);
        }
    }
}

/* A list of [name, size]. */
static ll_shape read_shape(check_case *c, const json_t *list, size_t first,
                           size_t count) {
    ll_shape s = LL_ZERO;
    if (!json_is_array(list)) {
        fail(c, "a list of [name, size] was expected");
    }
    for (size_t k = first; k < first + count; ++k) {
        const json_t *pair = json_array_get(list, k);
        ll_dim d = read_dim(c, json_array_get(pair, 0));
        s = ll_with(s, d, read_number(c, json_array_get(pair, 1)));
    }
    if (s.err) {
        fail(c, "%s", ll_strerror(s.err));
    }
    return s;
}

ll_shape get_shape(check_case *c, const char *key) {
    const json_t *list = get_value(c, key);
    return read_shape(c, list, 0, json_array_size(list));
}

/* One basis vector, a number for each output, where `first` and the next
 * are wanted: a packed column. */
static unsigned read_column(check_case *c, const json_t *vector,
                            const ll_shape *out, size_t first) {
    unsigned column = 0;
    for (unsigned k = 0; k < out->n; ++k) {
        unsigned part = read_number(c, json_array_get(vector, first + k));
        if (part >= ll_size(*out, out->dim[k])) {
            fail(c, "a basis vector reaches beyond its output");
        }
        column |= ll_pack(*out, out->dim[k], part);
    }
    return column;
}

/* One input dimension with its basis vectors, appended to a. */
static void read_input(check_case *c, const json_t *pair, size_t outputs,
                       size_t first, ll_layout *a, unsigned *n) {
    const json_t *vectors = json_array_get(pair, 1);
    size_t size = json_array_size(vectors);
    ll_dim d = read_dim(c, json_array_get(pair, 0));
    if (!json_is_array(vectors) || size >= LL_MAX_BITS) {
        fail(c, "an input needs a list of at most 31 basis vectors");
        return;
    }
    a->in = ll_with(a->in, d, 1u << size);
    for (size_t k = 0; k < size && !a->in.err; ++k) {
        const json_t *vector = json_array_get(vectors, k);
        if (json_array_size(vector) != outputs) {
            fail(c, "a basis vector needs a number for each output");
        }
        a->basis[*n] = read_column(c, vector, &a->out, first);
        ++*n;
    }
}

ll_layout read_outputs(check_case *c, const json_t *value, size_t first,
                       size_t count) {
    const ll_shape none = LL_ZERO;
    const json_t *in = json_object_get(value, "in");
    const json_t *out = json_object_get(value, "out");
    ll_layout a = ll_zero(none, read_shape(c, out, first, count));
    unsigned n = 0;
    if (!json_is_array(in)) {
        fail(c, "a layout needs a list of inputs");
    }
    for (size_t k = 0; k < json_array_size(in) && !c->why[0]; ++k) {
        read_input(c, json_array_get(in, k), json_array_size(out), first, &a,
                   &n);
    }
    a.err = a.in.err ? a.in.err : a.out.err;
    a = ll_check(a);
    if (a.err) {
        fail(c, "%s", ll_strerror(a.err));
    }
    return a;
}

ll_layout read_layout(check_case *c, const json_t *value) {
    const json_t *out = json_object_get(value, "out");
    return read_outputs(c, value, 0, json_array_size(out));
}

ll_layout get_layout(check_case *c, const char *key) {
    return read_layout(c, get_value(c, key));
}

int list_has(const json_t *list, const char *text) {
    for (size_t k = 0; k < json_array_size(list); ++k) {
        const char *one = json_string_value(json_array_get(list, k));
        if (one && strcmp(one, text) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ---- Comparisons -------------------------------------------------------- */

static const json_t *wanted(check_case *c, const char *key) {
    const json_t *value = json_object_get(c->expect, key);
    ++c->compared;
    if (!value) {
        fail(c, "no value of %s is expected", key);
    }
    return value;
}

void want_layout(check_case *c, const char *key, ll_layout a) {
    const json_t *value = wanted(c, key);
    if (json_is_null(value)) {
        fail(c, "%s exists, expected none", key);
    }
    ll_layout b = read_layout(c, value);
    if (!ll_is_equal(a, b)) {
        char got[100];
        char other[100];
        ll_str(a, got, sizeof got);
        ll_str(b, other, sizeof other);
        fail(c, "%s is %s, expected %s", key, got, other);
    }
}

void want_null(check_case *c, const char *key) {
    const json_t *value = wanted(c, key);
    if (!json_is_null(value)) {
        fail(c, "there is no %s, expected one", key);
    }
}

void want_layout_or(check_case *c, const char *key, ll_layout a, unsigned err) {
    if (a.err && a.err == err) {
        want_null(c, key);
    } else {
        want_layout(c, key, a);
    }
}

void want_number(check_case *c, const char *key, unsigned number) {
    unsigned other = read_number(c, wanted(c, key));
    if (number != other) {
        fail(c, "%s is %u, expected %u", key, number, other);
    }
}

void want_text(check_case *c, const char *key, const char *text) {
    const char *other = json_string_value(wanted(c, key));
    if (!other || strcmp(other, text) != 0) {
        fail(c, "%s is %s, expected %s", key, text, other ? other : "no text");
    }
}

void want_flag(check_case *c, const char *key, int flag) {
    const json_t *value = wanted(c, key);
    if (flag ? !json_is_true(value) : !json_is_false(value)) {
        fail(c, "%s is %s", key, flag ? "true" : "false");
    }
}

void want_numbers(check_case *c, const char *key, unsigned n,
                  const unsigned *numbers) {
    unsigned other[MAX_LIST] = LL_ZERO;
    unsigned m = read_numbers(c, wanted(c, key), other);
    if (n != m) {
        fail(c, "%s has %u numbers, expected %u", key, n, m);
    }
    for (unsigned k = 0; k < n && k < m; ++k) {
        if (numbers[k] != other[k]) {
            fail(c, "%s[%u] is %u, expected %u", key, k, numbers[k], other[k]);
        }
    }
}

void want_names(check_case *c, const char *key, ll_shape s) {
    const json_t *list = wanted(c, key);
    if (s.err || !json_is_array(list) || json_array_size(list) != s.n) {
        fail(c, "%s has %u names (%s)", key, s.n, ll_strerror(s.err));
    }
    for (unsigned k = 0; k < s.n; ++k) {
        if (read_dim(c, json_array_get(list, k)) != s.dim[k]) {
            fail(c, "%s[%u] is another name", key, k);
        }
    }
}

void want_pairs(check_case *c, const char *key, ll_shape s,
                const unsigned *numbers) {
    const json_t *list = wanted(c, key);
    if (!json_is_array(list) || json_array_size(list) != s.n) {
        fail(c, "%s has %u entries", key, s.n);
    }
    for (unsigned k = 0; k < s.n; ++k) {
        const json_t *pair = json_array_get(list, k);
        unsigned other = read_number(c, json_array_get(pair, 1));
        if (read_dim(c, json_array_get(pair, 0)) != s.dim[k]) {
            fail(c, "%s[%u] has another name", key, k);
        } else if (numbers[k] != other) {
            fail(c, "%s[%u] is %u, expected %u", key, k, numbers[k], other);
        }
    }
}

/* ---- Names -------------------------------------------------------------- */

/* A layout without columns is written as the name of its input and a colon. */
void name_of(ll_dim d, char *text) {
    const ll_shape none = LL_ZERO;
    char buf[MAX_TEXT];
    ll_str(ll_zero(ll_with(none, d, 1), none), buf, sizeof buf);
    buf[strcspn(buf, ":")] = 0;
    memcpy(text, buf, strlen(buf) + 1u);
}

void list_of(ll_shape s, ll_dim except, char *text) {
    char name[MAX_TEXT];
    text[0] = 0;
    for (unsigned k = 0; k < s.n; ++k) {
        name_of(s.dim[k], name);
        if (s.dim[k] != except) {
            add_name(text, name);
        }
    }
}

ll_dim axis(unsigned k) {
    char name[MAX_TEXT];
    snprintf(name, sizeof name, "dim%u", k);
    return ll_dim_of(name);
}

void list_axes(unsigned n, const unsigned *numbers, char *text) {
    char name[MAX_TEXT];
    text[0] = 0;
    for (unsigned k = 0; k < n; ++k) {
        snprintf(name, sizeof name, "dim%u", numbers[k]);
        add_name(text, name);
    }
}

ll_layout clamp(ll_layout a, ll_dim d, unsigned size) {
    if (size >= ll_size(a.out, d)) {
        return a;
    }
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        unsigned part = ll_unpack(a.out, d, a.basis[k]);
        a.basis[k] ^= part >= size ? ll_pack(a.out, d, part) : 0u;
    }
    return ll_resize_out(a, d, size);
}

/* ---- Families ----------------------------------------------------------- */

typedef struct counted {
    char name[32];
    unsigned passed;
    int now; /* the running case is one of it */
} counted;

static counted families[64];

void belongs(const char *function) {
    const unsigned room = sizeof families / sizeof *families;
    unsigned k = 0;
    while (k + 1u < room && families[k].name[0] &&
           strcmp(families[k].name, function) != 0) {
        ++k;
    }
    snprintf(families[k].name, sizeof families[k].name, "%s", function);
    families[k].now = 1;
}

static void count_case(int passed) {
    for (unsigned k = 0; k < sizeof families / sizeof *families; ++k) {
        families[k].passed += passed && families[k].now ? 1u : 0u;
        families[k].now = 0;
    }
}

static void print_counts(void) {
    for (const counted *f = families; f->name[0]; ++f) {
        printf("%s: %u\n", f->name, f->passed);
    }
}

/* ---- Files -------------------------------------------------------------- */

/* What failed in a file, by operation, in the order of appearance. */
typedef struct report {
    unsigned passed;
    unsigned failed;
    unsigned n;
    struct {
        char op[64];
        unsigned failed;
        char first[MAX_TEXT + 128];
    } of[128];
} report;

int run_op(const check_op *table, const char *name, check_case *c) {
    for (; table->name; ++table) {
        if (strcmp(table->name, name) == 0) {
            table->run(c);
            return 1;
        }
    }
    return 0;
}

static void run_case(const char *op, check_case *c) {
    const check_op *const tables[] = {check_algebra, check_shapes,
                                      check_layouts, check_nvidia,
                                      check_amd,     check_queries,
                                      check_ptx,     check_isa,
                                       check_conversions, check_attributes,
                                       check_engine};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; ++k) {
        if (run_op(tables[k], op, c)) {
            int whole = c->expect == c->params;
            if (whole ? c->compared == 0
                      : c->compared != json_object_size(c->expect)) {
                fail(c, "not all that is expected was compared");
            }
            return;
        }
    }
    fail(c, "not implemented");
}

/* Notes a failure; operations beyond the room for them share the last one. */
static void note(report *r, const char *op, const char *id, const char *why) {
    const unsigned room = sizeof r->of / sizeof *r->of;
    unsigned k = 0;
    while (k < r->n && strncmp(r->of[k].op, op, sizeof r->of[k].op - 1u)) {
        ++k;
    }
    k = k < room ? k : room - 1u;
    if (k == r->n) {
        ++r->n;
        snprintf(r->of[k].op, sizeof r->of[k].op, "%s", op);
        snprintf(r->of[k].first, sizeof r->of[k].first, "%.100s: %s", id, why);
    }
    ++r->of[k].failed;
    ++r->failed;
}

/* In a case without params the name of the file is the op, and the whole line
 * is both params and expect. */
static void run_line(const char *line, unsigned number, const char *file,
                     report *r) {
    check_case c = LL_ZERO;
    json_error_t error;
    char id[32];
    json_t *root = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    const json_t *named = json_object_get(root, "params");
    const char *op =
        named ? json_string_value(json_object_get(root, "op")) : file;
    const char *name = json_string_value(json_object_get(root, "id"));
    snprintf(id, sizeof id, "line %u", number);
    c.params = named ? named : root;
    c.expect = named ? json_object_get(root, "expect") : root;
    if (!root) {
        fail(&c, "this is not JSON: %s", error.text);
    } else if (!op || !json_is_object(c.params) || !json_is_object(c.expect)) {
        fail(&c, "a case needs op, params and expect");
    } else {
        run_case(op, &c);
    }
    count_case(!c.why[0]);
    if (c.why[0]) {
        note(r, op ? op : "no operation", name ? name : id, c.why);
    } else {
        ++r->passed;
    }
    json_decref(root);
}

static void run_file(const char *path, const char *name, report *r) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    if (!file) {
        note(r, "file", path, strerror(errno));
        return;
    }
    while (getline(&line, &room, file) >= 0) {
        ++number;
        if (line[strspn(line, " \t\r\n")]) {
            run_line(line, number, name, r);
        }
    }
    if (ferror(file)) {
        note(r, "file", path, strerror(errno));
    } else if (r->passed + r->failed == 0) {
        note(r, "file", path, "it has no cases");
    }
    free(line);
    fclose(file);
}

static int is_jsonl(const struct dirent *entry) {
    size_t n = strlen(entry->d_name);
    return n > 6u && strcmp(entry->d_name + n - 6u, ".jsonl") == 0;
}

static void run_named(const char *folder, const char *name, report *r) {
    char path[4096];
    char op[64];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(op, sizeof op, "%.*s", (int)strcspn(name, "."), name);
    memset(r, 0, sizeof *r);
    if (n < 0 || (size_t)n >= sizeof path) {
        note(r, "file", name, "the path is too long");
    } else {
        run_file(path, op, r);
    }
    printf("%s: %u passed, %u failed\n", name, r->passed, r->failed);
    for (unsigned k = 0; k < r->n; ++k) {
        printf("    %s: %u failed, first %s\n", r->of[k].op, r->of[k].failed,
               r->of[k].first);
    }
}

int main(int argc, char **argv) {
    static report r;
    struct dirent **entry = NULL;
    unsigned passed = 0;
    unsigned failed = 0;
    const int counts = argc == 3 && strcmp(argv[1], "--counts") == 0;
    if (argc != 2 + counts) {
        fprintf(stderr, "check_data: give the folder with the cases\n");
        return 2;
    }
    const char *folder = argv[1 + counts];
    int n = scandir(folder, &entry, is_jsonl, alphasort);
    if (n <= 0) {
        fprintf(stderr, "check_data: %s: %s\n", folder,
                n < 0 ? strerror(errno) : "there is no *.jsonl file");
        failed = 1;
    }
    for (int k = 0; k < n; ++k) {
        run_named(folder, entry[k]->d_name, &r);
        passed += r.passed;
        failed += r.failed;
        free(entry[k]);
    }
    free(entry);
    print_conversions();
    print_engine();
    if (counts) {
        print_counts();
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
