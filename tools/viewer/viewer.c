/* viewer.c - the functions that viewer.html calls: ll.h compiled to
 * WebAssembly.
 * SPDX-License-Identifier: MIT
 *
 * Text passes through fixed buffers; the page reads cells in place. Build:
 * `make viewer`.
 */
#define LL_ENGINE 1
#include "../llshow/access.h"

#if defined(__wasm__)
#define EXPORT(name) __attribute__((export_name(#name), used))

void *memset(void *to, int c, unsigned long n);
void *memcpy(void *to, const void *from, unsigned long n);

void *memset(void *to, int c, unsigned long n) {
    volatile unsigned char *p = to;
    for (unsigned long k = 0; k < n; ++k) {
        p[k] = (unsigned char)c;
    }
    return to;
}

void *memcpy(void *to, const void *from, unsigned long n) {
    volatile unsigned char *p = to;
    const unsigned char *q = from;
    for (unsigned long k = 0; k < n; ++k) {
        p[k] = q[k];
    }
    return to;
}
#else
#define EXPORT(name)
#endif

enum { VIEWS = 8, TEXT = 4096, WORDS = 1 << 16, MOST = 1 << 20 };

static char in[3][TEXT]; /* two layouts, the target */
static char words[WORDS];
static unsigned sizes[16];
static ll_layout layout[2];
static ll_foreign foreign[2]; /* padded layouts */
static unsigned part[2];      /* 1: the layout of a view's allocation */
static ll_target target;
static ll_plan plan;
static ll_view view[VIEWS];
static ll_cell shown;
static unsigned element_bits = 32;
static unsigned access_bytes; /* 0: the widest */
static unsigned filled[2 * MOST];
static char graph[4 * TEXT];
static unsigned char pool[1 << 24];
static ll_engine engine;

char *text_of(unsigned slot);
unsigned *sizes_of(void);
char *words_of(void);
unsigned read_layout(unsigned slot, unsigned rank, unsigned bits);
unsigned read_target(void);
void forget(unsigned slot);
unsigned is_memory(unsigned slot);
unsigned settle_bits(unsigned bits);
unsigned part_of_a(void);
void use_bytes(unsigned bytes);
unsigned legend_of(unsigned slot);
unsigned make_plan(unsigned bits);
unsigned frames_of(void);
unsigned frame_words(unsigned frame);
unsigned make_view(unsigned slot, unsigned kind, unsigned of, unsigned number,
                   unsigned bits);
unsigned rows_of(unsigned slot);
unsigned cols_of(unsigned slot);
ll_cell *cell_of(unsigned slot, unsigned row, unsigned col);
unsigned *fill(unsigned slot);
ll_cell *head_of(unsigned slot, unsigned rows, unsigned k);
unsigned describe(unsigned element);
char *graph_of(void);
unsigned solve_graph(unsigned warps);
unsigned values_of(void);
unsigned value_of(unsigned v, unsigned k);
unsigned moves_of(void);
unsigned move_of(unsigned k);

EXPORT(text_of) char *text_of(unsigned slot) { return in[slot % 3u]; }
EXPORT(sizes_of) unsigned *sizes_of(void) { return sizes; }
EXPORT(words_of) char *words_of(void) { return words; }

/* Reads a layout. bits: of an element, or 0. Returns its error. words: its
 * text, or the error sentence. */
EXPORT(read_layout)
unsigned read_layout(unsigned slot, unsigned rank, unsigned bits) {
    const ll_plan none = LL_ZERO;
    ll_writer_ w = ll_writer_on_(words, WORDS);
    notation_for what = LL_ZERO;
    what.rank = rank;
    what.sizes = sizes;
    what.bits = bits;
    what.target = target;
    const notation n = notation_read(in[slot & 1u], &what);
    layout[slot & 1u] = n.f.layout;
    foreign[slot & 1u] = n.f;
    part[slot & 1u] = n.part;
    plan = none;
    plan.err = LL_EMISSING;
    if (n.f.layout.err) {
        notation_error(slot ? "B" : "A", &n, words, WORDS);
        return n.f.layout.err;
    }
    if (notation_unknown(&w, n.f.layout)) {
        return LL_ENAME;
    }
    if (notation_threads(&w, slot ? "B" : "A", &n, 0, 0)) {
        return LL_ESIZE;
    }
    if (rank && n.typed && !n.bare) {
        ll_write_(&w, "the type already has a shape: leave the shape out");
        return LL_ESIZE;
    }
    ll_str(n.f.layout, words, WORDS);
    return LL_OK;
}

/* Settles the element bits: those that A and B say, else `bits`, else 32.
 * Returns them; 0 if two differ. words: the sentence. */
EXPORT(settle_bits) unsigned settle_bits(unsigned bits) {
    ll_writer_ w = ll_writer_on_(words, WORDS);
    int differ = 0;
    const unsigned named =
        notation_common(foreign[0].bits, foreign[1].bits, &differ);
    if (differ) {
        notation_differ(&w, "A", foreign[0].bits, "B", foreign[1].bits);
        return 0;
    }
    if (named && bits && named != bits) {
        ll_write_(&w, "bits per element is ");
        ll_write_number_(&w, bits);
        ll_write_(&w, ", but the text has elements of ");
        ll_write_count_(&w, named, "bit");
        return 0;
    }
    return named ? named : bits ? bits : 32u;
}

/* words: how B fits A, and a line for each axis of which B holds a part of A, or
 * A covers a part of memory B. */
EXPORT(part_of_a) unsigned part_of_a(void) {
    ll_writer_ w = ll_writer_on_(words, WORDS);
    ll_layout b = layout[1];
    words[0] = 0;
    if (notation_align(&w, &layout[0], &b)) {
        return w.len;
    }
    notation_held(&w, layout[0], b);
    if (is_memory(1)) {
        notation_covered(&w, layout[0], b);
    }
    return w.len;
}

EXPORT(read_target) unsigned read_target(void) {
    target = notation_target(in[2]);
    ll_writer_ w = ll_writer_on_(words, WORDS);
    ll_write_(&w, ll_strerror(target.err));
    return target.err;
}

EXPORT(forget) void forget(unsigned slot) {
    const ll_layout none = LL_ZERO;
    layout[slot & 1u] = none;
    foreign[slot & 1u].pads = 0;
    foreign[slot & 1u].bits = 0;
    part[slot & 1u] = 0;
}

EXPORT(is_memory) unsigned is_memory(unsigned slot) {
    const ll_layout *a = &layout[slot & 1u];
    return !a->err && a->in.n && a->in.dim[0] == LL_OFFSET;
}

EXPORT(use_bytes) void use_bytes(unsigned bytes) { access_bytes = bytes; }

/* Plans the conversion. words: the explanation. */
EXPORT(make_plan) unsigned make_plan(unsigned bits) {
    element_bits = bits;
    plan = ll_plan_of(layout[0], layout[1], bits, target);
    ll_explain(plan, words, WORDS);
    return plan.err;
}

EXPORT(frames_of) unsigned frames_of(void) { return ll_frames(plan); }

EXPORT(frame_words) unsigned frame_words(unsigned frame) {
    return ll_frame_words(plan, frame, words, WORDS);
}

static void write_pads(ll_writer_ *w, const ll_foreign *f) {
    for (unsigned k = 0; k < f->pads; ++k) {
        ll_write_(w, k ? ", " : "padding: ");
        ll_write_count_(w, f->pad[k], "element");
        ll_write_(w, " after each ");
        ll_write_number_(w, f->every[k]);
    }
}

/* Makes a picture. Returns the error. words: the error sentence.
 *  kind 0 to 2: matrix, tensor or hardware of layout `of`
 *  kind 3: frame `number` of the plan
 *  kind 4: an access (`number`: LL_READ or LL_WRITE) of A to memory B */
EXPORT(make_view)
unsigned make_view(unsigned slot, unsigned kind, unsigned of, unsigned number,
                   unsigned bits) {
    ll_view *v = &view[slot % VIEWS];
    element_bits = bits;
    const ll_layout a = layout[of & 1u];
    ll_foreign fitted = foreign[1];
    const ll_foreign *const m = &fitted;
    ll_writer_ w = ll_writer_on_(words, WORDS);
    if (kind == 4u && notation_align(&w, &layout[0], &fitted.layout)) {
        v->err = LL_EDIMS;
        return v->err;
    }
    const unsigned bytes = kind != 4u       ? 0u
                           : access_bytes ? access_bytes
                                            : notation_widest(layout[0], m, bits,
                                                              target);
    *v = kind == 3u
             ? ll_view_frame(plan, layout[0], layout[1], target, number)
         : kind == 4u
             ? notation_banks(layout[0], m, bits, bytes, number, target)
             : ll_view_padded(kind == 0    ? ll_view_matrix(a)
                              : kind == 1u ? ll_view_reached(a)
                                           : ll_view_hardware(a),
                              foreign[of & 1u]);
    w = ll_writer_on_(words, WORDS);
    if (v->err) {
        ll_write_(&w, notation_why(v->err, kind == 4u ? m : &foreign[of & 1u],
                                   bits, bytes));
    } else if (kind == 4u) {
        notation_write_accesses(&w, v, m->pads,
                                notation_accesses(layout[0], bits, bytes));
    } else if (kind == 0) {
        notation_missing(&w, a);
        ll_write_(&w, w.len && part[of & 1u] ? "; " : "");
        ll_write_(&w, part[of & 1u] ? "the type is a view; this is the layout "
                                      "of its allocation"
                                    : "");
    } else if (kind < 3u) {
        write_pads(&w, &foreign[of & 1u]);
    }
    return v->err;
}

/* words: what the cells of a view are. */
EXPORT(legend_of) unsigned legend_of(unsigned slot) {
    return ll_legend(view[slot % VIEWS], words, WORDS);
}

EXPORT(rows_of) unsigned rows_of(unsigned slot) {
    return view[slot % VIEWS].rows;
}

EXPORT(cols_of) unsigned cols_of(unsigned slot) {
    return view[slot % VIEWS].cols;
}

EXPORT(cell_of) ll_cell *cell_of(unsigned slot, unsigned row, unsigned col) {
    shown = ll_cell_at(&view[slot % VIEWS], row, col);
    return &shown;
}

/* Returns all cells of a view without text: hue and mark, then the element. */
EXPORT(fill) unsigned *fill(unsigned slot) {
    const ll_view *v = &view[slot % VIEWS];
    for (unsigned k = 0; k < v->rows * v->cols && k < MOST; ++k) {
        const ll_cell c = ll_cell_at(v, k / v->cols, k % v->cols);
        filled[2u * k] = c.hue | c.mark << 16;
        filled[2u * k + 1u] = c.element;
    }
    return filled;
}

EXPORT(head_of) ll_cell *head_of(unsigned slot, unsigned rows, unsigned k) {
    shown = ll_head_of(&view[slot % VIEWS], (int)rows, k);
    return &shown;
}

/* Writes where a layout holds an element. For padded memory, one place. */
static void write_places(ll_writer_ *w, const char *what, ll_layout a,
                         const ll_foreign *f, unsigned y) {
    const ll_layout where = ll_view_reached(a).where;
    const unsigned x = ll_apply(where, y);
    if (where.err) {
        return;
    }
    ll_write_(w, what);
    if (ll_apply(a, x) != y) {
        ll_write_(w, "nowhere");
        return;
    }
    for (unsigned k = 0; k < a.in.n; ++k) {
        ll_write_(w, k ? ", " : "");
        ll_write_name_(w, a.in.dim[k]);
        ll_write_char_(w, ' ');
        ll_write_number_(w, f->pads ? ll_padded(*f, x)
                                    : ll_shape_field_(&a.in, k, x));
    }
}

/* words: where an element is in A, in B, and in the plan's memory. */
EXPORT(describe) unsigned describe(unsigned element) {
    ll_writer_ w = ll_writer_on_(words, WORDS);
    ll_write_(&w, "element ");
    ll_write_element_(&w, &layout[0].out, element);
    const ll_foreign none = LL_ZERO;
    write_places(&w, "; A: ", layout[0], &foreign[0], element);
    if (layout[1].out.n) {
        write_places(&w, "; B: ", layout[1], &foreign[1], element);
    }
    const int through = !plan.err && plan.kind >= LL_SHARED && plan.n;
    const ll_layout m = through ? plan.memory : layout[is_memory(1)];
    if (through) {
        write_places(&w, "; memory: ", m, &none, element);
    }
    if ((through || is_memory(1)) && !target.err) {
        const unsigned scale = ll_element_scale_(element_bits);
        const unsigned place = ll_apply(ll_rinv(m), element);
        const unsigned at =
            (through ? place : ll_padded(foreign[1], place)) << scale;
        ll_write_(&w, ", bank ");
        ll_write_number_(&w, at / target.bank_bytes % target.banks[0][0]);
    }
    return w.len;
}

/* ---- The layouts of a graph ----------------------------------------------- */

EXPORT(graph_of) char *graph_of(void) { return graph; }

/* Finds the layouts of the graph for the target. words: the explanation, or the
 * error sentence. */
EXPORT(solve_graph) unsigned solve_graph(unsigned warps) {
    ll_engine_begin(&engine, pool, sizeof pool, target, warps, 1);
    engine.family = in[2][0] == 'g' ? ll_amd_dot : ll_ptx_dot;
    if (ll_engine_parse(&engine, graph) && ll_engine_solve(&engine)) {
        ll_engine_explain(&engine, words, WORDS);
    } else {
        ll_engine_error(&engine, words, WORDS);
    }
    return engine.err;
}

EXPORT(values_of) unsigned values_of(void) {
    return engine.values;
}

static void write_value(ll_writer_ *w, unsigned v) {
    const ll_engine_value *a = &engine.value[v];
    for (unsigned k = 0; k < a->length; ++k) {
        ll_write_char_(w, a->name[k]);
    }
    if (!a->length) {
        ll_write_char_(w, 'v');
        ll_write_number_(w, v);
    }
    ll_write_char_(w, '\n');
}

static void write_layout(ll_writer_ *w, unsigned v, unsigned id) {
    ll_write_text_(w, ll_engine_layout(&engine, v, id));
    ll_write_char_(w, '\n');
}

/* Layout k in which a value is made. Returns the bits of an element, or 0 if
 * there is no layout k. words: a line with the name, a line with the layout. */
EXPORT(value_of) unsigned value_of(unsigned v, unsigned k) {
    ll_writer_ w = ll_writer_on_(words, WORDS);
    const unsigned id = ll_engine_held(&engine, v, k);
    if (id == LL_ENGINE_NONE) {
        return 0;
    }
    write_value(&w, v);
    write_layout(&w, v, id);
    return engine.value[v].element_bits;
}

EXPORT(moves_of) unsigned moves_of(void) { return ll_engine_moves(&engine); }

/* The same for a conversion, with two layouts. */
EXPORT(move_of) unsigned move_of(unsigned k) {
    ll_writer_ w = ll_writer_on_(words, WORDS);
    const ll_engine_move m = ll_engine_move_at(&engine, k);
    write_value(&w, m.value);
    write_layout(&w, m.value, m.from);
    write_layout(&w, m.value, m.to);
    return engine.value[m.value].element_bits;
}
