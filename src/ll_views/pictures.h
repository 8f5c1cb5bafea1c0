/* ---- Views: pictures -------------------------------------------------- */
#ifndef LL_VIEWS_PICTURES_H
#define LL_VIEWS_PICTURES_H

#include "../ll/text/explain.h"
#include "../ll/text/draw.h"
#include "triton.h"

/* A picture is a grid of cells. Each cell has a few characters, a hue, and a
 * mark if something is wrong with it. A view says what is in each cell; a form,
 * text or SVG, writes the cells of any view. A plan is a sequence of frames,
 * each a view with a sentence. */

enum {
    LL_VIEW_MATRIX,   /* output bits by input bits */
    LL_VIEW_TENSOR,   /* elements, each with the place that holds it */
    LL_VIEW_HARDWARE, /* registers of lanes, or offsets, with their elements */
    LL_VIEW_BANKS,    /* wavefronts by banks, each with the lane it serves */
    LL_VIEW_AFTER     /* as LL_VIEW_HARDWARE, after a step of a plan */
};

enum { LL_AS_TEXT, LL_AS_COLOUR, LL_AS_SVG, LL_AS_CSV };

#define LL_NO_HUE 256u
#define LL_NO_ELEMENT (~0u)
#define LL_CELL_ROOM 28u

typedef struct ll_cell {
    char text[LL_CELL_ROOM];
    unsigned hue;     /* 0 to 255, or LL_NO_HUE */
    unsigned mark;    /* 1: a conflict */
    unsigned element; /* packed, or LL_NO_ELEMENT */
} ll_cell;

/* What is drawn. The functions ll_view_.. make it; rows and cols are the size
 * of the grid.
 */
typedef struct ll_view {
    unsigned err;
    unsigned kind;
    unsigned rows, cols;
    ll_layout a;      /* places -> elements */
    ll_layout where;  /* elements -> places, for LL_VIEW_TENSOR */
    unsigned split;   /* log2 of the places or elements in a row */
    unsigned lane[6]; /* of an access: the byte address of each lane bit */
    unsigned start;   /* the byte address of lane 0 */
    unsigned bytes;   /* bytes per lane, or per row of a matrix */
    unsigned named;   /* bits of the lanes that pass addresses */
    unsigned phases;  /* number of phases */
    unsigned ways;    /* wavefronts per phase */
    unsigned bank_bytes, banks;
    unsigned scale; /* log2 of the bytes of an element */
    ll_phase_ phase;
    unsigned op; /* LL_READ or LL_WRITE */
    unsigned step; /* LL_VIEW_AFTER: the number of the step */
    ll_plan p;
    ll_foreign padded; /* the pads of the memory */
} ll_view;

/* Private: returns a view with an error. */
LL_FN ll_view ll_view_bad_(unsigned err) {
    ll_view v = LL_ZERO;
    v.err = err;
    return v;
}

/* ll_view_matrix(a): returns the matrix of a layout: a row for each output bit,
 * a column for each input bit, and a last column with the affine part if there
 * is one. */
LL_FN ll_view ll_view_matrix(ll_layout a) {
    ll_view v = ll_view_bad_(a.err);
    v.kind = LL_VIEW_MATRIX;
    v.a = a;
    v.rows = a.err ? 0u : ll_shape_bits_(&a.out);
    v.cols = a.err ? 0u : ll_shape_bits_(&a.in) + (a.offset ? 1u : 0u);
    return v;
}

/* ll_view_tensor(a): returns a view with a row for each index of the slowest
 * axes and a column for each index of the fastest. Each cell has the place of
 * the element: warp:lane:register, or the offset in memory. If an element has
 * several places, the cell has one of them. Fails with LL_ENOTONTO if an
 * element has none, and with LL_ETABLE for more than 2^20 elements. */
LL_FN ll_view ll_view_tensor(ll_layout a) {
    ll_view v = ll_view_bad_(a.err);
    const unsigned n = ll_shape_bits_(&a.out);
    v.kind = LL_VIEW_TENSOR;
    v.a = a;
    v.where = ll_rinv(a);
    v.err = v.err ? v.err : n > 20u ? (unsigned)LL_ETABLE : v.where.err;
    v.split = a.out.n == 1u && n > 5u ? 5u : a.out.n ? a.out.bits[0] : 0u;
    v.rows = v.err ? 0u : 1u << (n - v.split);
    v.cols = v.err ? 0u : 1u << v.split;
    return v;
}

/* ll_view_reached(a): returns ll_view_tensor(a), in which the cell of an
 * element that has no place is empty.
 * Example: ll_view_reached(L("lane: i1 -> 4")).err is LL_OK;
 * Example: ll_view_reached(L("lane: i1 -> 4")).cols is 4;
 */
LL_FN ll_view ll_view_reached(ll_layout a) {
    ll_view v = ll_view_tensor(a);
    if (v.err == LL_ENOTONTO) {
        ll_layout whole = a; /* any layout of the tensor, for the grid */
        whole.in = a.out;
        for (unsigned k = 0; k < ll_shape_bits_(&a.out); ++k) {
            whole.basis[k] = 1u << k;
        }
        v = ll_view_tensor(whole);
        v.a = a;
        v.where = ll_pinv(a);
    }
    return v;
}

/* ll_view_hardware(a): returns a view with a row for each lane, warp after
 * warp, and a column for each register (or 32 offsets per row). Each cell has
 * the element there. In memory a place that only columns of 0 reach is empty.
 * Fails with LL_ETABLE for more than 2^20 places. */
LL_FN ll_view ll_view_hardware(ll_layout a) {
    ll_view v = ll_view_bad_(a.err);
    const unsigned n = ll_shape_bits_(&a.in);
    const int regs = a.in.n && a.in.dim[0] == LL_REGISTER;
    v.kind = LL_VIEW_HARDWARE;
    v.a = a;
    v.err = v.err ? v.err : n > 20u ? (unsigned)LL_ETABLE : 0u;
    v.split = a.in.n == 0 ? 0u : regs || a.in.bits[0] < 5u ? a.in.bits[0] : 5u;
    v.rows = v.err ? 0u : 1u << (n - v.split);
    v.cols = v.err ? 0u : 1u << v.split;
    return v;
}

/* ll_padded(f, x): returns the place of offset x in a memory with pads.
 * Example: ll_padded(ll_from_triton("#ttg.padded_shared<[4:+2] {order = [0], "
 *          "shape = [16]}>", 1, SIZES(16)), 9) is 13;
 */
LL_FN unsigned ll_padded(ll_foreign f, unsigned x) {
    unsigned place = x;
    for (unsigned k = 0; k < f.pads; ++k) {
        place += x / f.every[k] * f.pad[k];
    }
    return place;
}

/* Private: returns the first of `n` offsets whose place is not below `place`; n
 * if there is none. */
LL_FN unsigned ll_unpadded_(const ll_foreign *f, unsigned n, unsigned place) {
    unsigned from = 0;
    while (from < n) {
        const unsigned half = from + (n - from) / 2u;
        if (ll_padded(*f, half) < place) {
            from = half + 1u;
        } else {
            n = half;
        }
    }
    return from;
}

/* Private: returns the address of a lane in an access. */
LL_FN unsigned ll_lane_start_(const ll_view *v, unsigned lane) {
    const unsigned at = ll_lane_address_(v->lane, lane & v->named) ^ v->start;
    return v->padded.pads ? ll_padded(v->padded, at >> v->scale) << v->scale
                          : at;
}

/* Private: returns lane number `k` of phase number `phase`. The lanes of a
 * phase are a coset of the lanes of the first phase. */
LL_FN unsigned ll_lane_in_phase_(const ll_view *v, unsigned phase, unsigned k) {
    ll_echelon_ r = LL_ZERO;
    unsigned lane = ll_lane_address_(v->phase.number, k);
    for (unsigned n = 0; n < v->phase.n; ++n) {
        ll_echelon_load_(&r, v->phase.number[n], 0);
    }
    const unsigned own = r.n;
    for (unsigned b = 0; b < 6u; ++b) {
        ll_echelon_load_(&r, 1u << b, 0);
    }
    ll_echelon_eliminate_(&r, 0, r.n);
    unsigned next = 0;
    for (unsigned n = own; n < r.n; ++n) {
        if (ll_echelon_vector_(&r, n)) {
            lane ^= phase >> next & 1u ? 1u << (n - own) : 0u;
            ++next;
        }
    }
    return lane;
}

/* Private: finds what wavefront `way` of a phase serves in a bank: the first
 * lane that asks for the word, the number of lanes that do (*count is 0
 * before), and the word. Returns 0 if there is none. */
LL_FN int ll_bank_serves_(const ll_view *v, unsigned phase, unsigned way,
                          unsigned bank, unsigned *lane, unsigned *count,
                          unsigned *at_word) {
    unsigned seen[64] = LL_ZERO;
    unsigned n = 0;
    for (unsigned k = 0; k < 1u << v->phase.n; ++k) {
        const unsigned l = ll_lane_in_phase_(v, phase, k);
        const unsigned at = ll_lane_start_(v, l) / v->bank_bytes;
        const unsigned words =
            v->bytes > v->bank_bytes ? v->bytes / v->bank_bytes : 1u;
        const unsigned word = (at & ~(words - 1u)) | (bank & (words - 1u));
        if ((word & (v->banks - 1u)) != bank) {
            continue;
        }
        unsigned which = 0;
        while (which < n && seen[which] != word) {
            ++which;
        }
        if (which == n) { /* there are at most 64 lanes */
            seen[n++] = word;
        }
        if (which == way) {
            *at_word = word;
            *lane = *count ? *lane : l;
            ++*count;
        }
    }
    return *count != 0;
}

/* Private: returns the wavefronts of a phase, at least 1: the most words of any
 * bank. */
LL_FN unsigned ll_ways_of_(const ll_view *v, unsigned phase) {
    unsigned ways = 1;
    for (unsigned bank = 0; bank < v->banks; ++bank) {
        unsigned lane = 0;
        unsigned count = 0;
        unsigned word = 0;
        while (ll_bank_serves_(v, phase, ways, bank, &lane, &count, &word)) {
            count = 0;
            ++ways;
        }
    }
    return ways;
}

/* Private: returns the phase of a row of an access, and sets *way to its
 * wavefront in that phase. */
LL_FN unsigned ll_phase_at_(const ll_view *v, unsigned row, unsigned *way) {
    unsigned phase = v->ways ? row / v->ways : 0u;
    *way = v->ways ? row % v->ways : 0u;
    if (v->padded.pads) {
        *way = row;
        for (phase = 0; *way >= ll_ways_of_(v, phase); ++phase) {
            *way -= ll_ways_of_(v, phase);
        }
    }
    return phase;
}

/* Private: completes the view of an access whose lanes are known. Lanes that
 * pass no address have no phase. */
LL_FN ll_view ll_view_access_(ll_view v, unsigned op, const ll_target *t) {
    unsigned least = 0;
    v.kind = LL_VIEW_BANKS;
    v.op = op;
    v.bank_bytes = t->bank_bytes;
    v.banks = t->banks[op][ll_access_width_(v.bytes)];
    v.phase = ll_phase_of_(v.lane, v.bytes, op, t);
    const unsigned all = ll_access_waves_(v.lane, v.bytes, op, t, &least);
    v.phases = least * (v.named + 1u) / t->lanes;
    v.ways = all / least;
    v.rows = v.phases * v.ways;
    v.cols = v.banks;
    return v;
}

/* ll_view_banks(a, m, element_bits, bytes, op, t): returns a view of an access
 * of `bytes` bytes per lane between registers of layout a and memory of layout
 * m, as ll_draw takes it: a column for each bank and a row for each wavefront.
 * A cell has the first lane whose word the bank serves then, and + if other
 * lanes ask for that word as well. Every wavefront of a phase but the first is
 * marked: a bank conflict. Fails as ll_draw does. */
LL_FN ll_view ll_view_banks(ll_layout a, ll_layout m, unsigned element_bits,
                            unsigned bytes, unsigned op, ll_target t) {
    ll_bank_picture_ p = LL_ZERO;
    ll_view v =
        ll_view_bad_(ll_find_picture_(&p, a, &m, element_bits, bytes, op, &t));
    if (v.err) {
        return v;
    }
    v.a = m;
    v.scale = ll_element_scale_(element_bits);
    v.start = p.start;
    v.bytes = p.bytes;
    v.named = p.named;
    for (unsigned k = 0; k < 6u; ++k) {
        v.lane[k] = p.lane[k];
    }
    return ll_view_access_(v, op, &t);
}

/* Private: returns the largest power of two of elements that lie side by side
 * and aligned, whatever multiple of pad k is before them. */
LL_FN unsigned ll_pad_vector_(const ll_foreign *f, unsigned k) {
    const unsigned low = f->pad[k] & (~f->pad[k] + 1u);
    return f->every[k] < low ? f->every[k] : low;
}

/* ll_view_padded(v, f): returns view v of memory f.layout with the pads of f,
 * as ll_from_triton reads them. ll_view_tensor then has the places,
 * ll_view_hardware empty cells for the pads, and ll_view_banks the wavefronts,
 * counted address by address. Other views do not change. Fails with LL_EACCESS
 * if an access is larger than a pad or an interval between pads, with
 * LL_EMEMORY for memory of several blocks, and with LL_ETABLE for too many
 * places. */
LL_FN ll_view ll_view_padded(ll_view v, ll_foreign f) {
    const unsigned last = ll_ones_(ll_shape_bits_(&f.layout.in));
    unsigned long long size = 1ull + last;
    v.padded = f;
    if (v.err || f.pads == 0 || v.kind == LL_VIEW_MATRIX) {
        return v;
    }
    v.err = f.layout.in.n == 1u ? 0u : (unsigned)LL_EMEMORY;
    for (unsigned k = 0; k < f.pads; ++k) {
        const unsigned least = ll_pad_vector_(&f, k);
        size += 1ull * (last / f.every[k]) * f.pad[k];
        if (v.kind == LL_VIEW_BANKS && v.bytes > 1ull * least << v.scale) {
            v.err = LL_EACCESS;
        }
    }
    if (size > 1u << (v.kind == LL_VIEW_HARDWARE ? 20 : 28)) {
        v.err = v.err ? v.err : (unsigned)LL_ETABLE;
    }
    if (v.kind == LL_VIEW_HARDWARE) {
        v.rows = ((unsigned)size + v.cols - 1u) >> v.split;
    } else if (v.kind == LL_VIEW_BANKS) {
        v.rows = 0;
        for (unsigned phase = 0; phase < v.phases && !v.err; ++phase) {
            v.rows += ll_ways_of_(&v, phase);
        }
    }
    v.rows = v.err ? 0u : v.rows;
    return v;
}

/* Private: returns the number of frames of a step. */
LL_FN unsigned ll_step_frames_(const ll_plan *p, unsigned k) {
    const ll_step *s = &p->step[k];
    if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
        return 1u << (s->at.n - s->at.vector);
    }
    return ll_is_sync_(s->op) || s->count || p->n == 1u ? 1u : 0u;
}

/* ll_frames(p): returns the number of frames of a plan: the registers before
 * it, one frame per step (for a store or a load, one per access), and the
 * registers after it. 0 for an invalid plan.
 * Example: ll_frames(ll_plan_of(ll_rows(8, 8, 4), ll_rows(8, 8, 4), 32,
 *                               LL_SM90)) is 2;
 */
LL_FN unsigned ll_frames(ll_plan p) {
    unsigned n = 2;
    for (unsigned k = 0; k < p.n; ++k) {
        n += ll_step_frames_(&p, k);
    }
    return p.err ? 0u : n;
}

/* Private: returns the step of a frame, and sets *at to the number of the
 * access. Returns the number of steps for the first and the last frame. */
LL_FN unsigned ll_frame_step_(const ll_plan *p, unsigned frame, unsigned *at) {
    unsigned k = 0;
    *at = frame;
    while (frame && k<p->n && * at> ll_step_frames_(p, k)) {
        *at -= ll_step_frames_(p, k);
        ++k;
    }
    *at -= 1u;
    return frame ? k : p->n;
}

/* Private: returns the view of access number k of a step, by warp 0. */
LL_FN ll_view ll_view_step_(const ll_plan *p, const ll_step *s, unsigned k,
                            const ll_target *t) {
    ll_view v = LL_ZERO;
    const unsigned op = s->op == LL_OP_LOAD ? LL_READ : LL_WRITE;
    const ll_form form = t->forms[op][s->form]; /* 0: vectors */
    v.a = p->memory;
    v.scale = ll_element_scale_(p->element_bits);
    v.bytes = s->bytes;
    v.named = t->lanes - 1u;
    if (form) { /* one lane for each row */
        v.bytes = 1u << ll_form_row_bits_(form);
        v.named = s->bytes * t->lanes / v.bytes - 1u;
    }
    v.start = ll_map_at(s->thread, 0) ^ ll_places(&s->at, k << s->at.vector);
    for (unsigned b = 0; b < 6u; ++b) {
        v.lane[b] =
            ll_map_at(s->thread, 1u << b) ^ ll_map_at(s->thread, 0);
    }
    return ll_view_access_(v, op, t);
}

/* ll_view_frame(p, a, b, t, frame): returns frame number `frame` of a plan from
 * layout a to layout b on target t. It shows registers of block 0, and accesses
 * of warp 0 in the first pass. A frame of a barrier shows the contents of
 * memory. */
LL_FN ll_view ll_view_frame(ll_plan p, ll_layout a, ll_layout b, ll_target t,
                            unsigned frame) {
    unsigned at = 0;
    const unsigned k = ll_frame_step_(&p, frame, &at);
    if (p.err || frame >= ll_frames(p)) {
        return ll_view_bad_(p.err ? p.err : (unsigned)LL_EMISSING);
    }
    if (k == p.n) {
        return ll_view_hardware(ll_in_block_(ll_hardware_(frame ? b : a)));
    }
    const ll_step *s = &p.step[k];
    if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
        return ll_view_step_(&p, s, at, &t);
    }
    if (ll_is_sync_(s->op)) {
        return ll_view_hardware(p.memory);
    }
    if (p.kind >= LL_SHARED && k > 3u) { /* the last step, after the loads */
        return ll_view_hardware(ll_in_block_(ll_hardware_(b)));
    }
    ll_view v = ll_view_hardware(ll_in_block_(ll_hardware_(a)));
    v.kind = LL_VIEW_AFTER;
    v.step = k;
    v.p = p;
    v.rows = p.threads;
    v.cols = 1u << s->bits;
    return v;
}

/* Private: returns where, before the plan, the element was that a thread holds
 * at a position after step k, as register | thread. */
LL_FN unsigned ll_traced_(const ll_plan *p, unsigned k, unsigned thread,
                          unsigned position) {
    for (unsigned n = k + 1u; n-- > 0;) {
        const ll_step *s = &p->step[n];
        const unsigned from = position;
        if (s->op == LL_OP_SELECT) {
            for (unsigned m = 0; m < s->at.n; ++m) {
                position ^= ll_popcount_(thread & s->at.place[m]) & 1u
                                ? s->at.reg[m]
                                : 0u;
            }
        } else if (s->op == LL_OP_SWAP) {
            const unsigned half = (1u << s->bits) / 2u;
            const unsigned bit = s->at.place[s->at.n - 1u];
            const int high = (thread & bit) != 0;
            const int moves = high ? position < half : position >= half;
            thread ^= moves ? bit : 0u;
            position = ll_registers(&s->at, moves ? position ^ half : position);
        } else {
            position = ll_registers(&s->at, position) ^
                       (ll_popcount_(thread & s->flip) & 1u ? s->flip_by : 0u);
        }
        if (s->op == LL_OP_SHUFFLE) {
            thread = (thread & ~(p->lanes - 1u)) |
                     ((ll_map_at(s->thread, thread) ^ ll_places(&s->at, from)) &
                      (p->lanes - 1u));
        }
    }
    return thread << p->from_bits | position;
}

/* ll_frame_words(p, frame, buf, size): writes what happens in a frame. */
LL_FN unsigned ll_frame_words(ll_plan p, unsigned frame, char *buf,
                              unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    unsigned at = 0;
    const unsigned k = ll_frame_step_(&p, frame, &at);
    if (p.err || frame >= ll_frames(p)) {
        ll_write_no_plan_(&w, p.err ? p.err : (unsigned)LL_EMISSING, 0);
    } else if (k == p.n) {
        ll_write_(&w, frame ? "after: " : "before: ");
        ll_write_kind_(&w, &p);
    } else {
        const ll_step *s = &p.step[k];
        if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
            ll_write_(&w, s->op == LL_OP_STORE ? "store " : "load ");
            ll_write_number_(&w, at + 1u);
            ll_write_(&w, " of ");
            ll_write_number_(&w, ll_step_frames_(&p, k));
            ll_write_(&w, p.passes ? " in the first pass: " : ": ");
        }
        ll_write_step_(&w, s, p.nibbles ? "byte" : "element");
    }
    return w.len;
}

/* Private: returns a writer on the text of a cell. */
LL_FN ll_writer_ ll_cell_writer_(ll_cell *c) {
    return ll_writer_on_(c->text, LL_CELL_ROOM);
}

/* Private: returns the hue of a number; neighbours get distant hues. */
LL_FN unsigned ll_hue_(unsigned x) { return x * 97u & 255u; }

/* Private: writes the coordinates of an element, i first. */
LL_FN void ll_write_element_(ll_writer_ *w, const ll_shape *s, unsigned y) {
    for (unsigned k = s->n; k-- > 0;) {
        ll_write_number_(w, ll_shape_field_(s, k, y));
        ll_write_(w, k ? "," : "");
    }
}

/* Private: writes a place: block, warp, lane and register joined by colons, or
 * the offset. */
LL_FN void ll_write_place_(ll_writer_ *w, const ll_shape *s, unsigned x) {
    for (unsigned k = s->n; k-- > 0;) {
        if (s->dim[k] != LL_BLOCK || s->bits[k]) {
            ll_write_number_(w, ll_shape_field_(s, k, x));
            ll_write_(w, k ? ":" : "");
        }
    }
}

/* Private: returns the hue of an element, by its slowest coordinate. */
LL_FN unsigned ll_element_hue_(const ll_shape *s, unsigned y) {
    const unsigned k = s->n ? s->n - 1u : 0u;
    return s->n ? ll_hue_(s->n == 1u ? y >> 3 : ll_shape_field_(s, k, y)) : 0u;
}

/* Private: fills in a cell of an access. */
LL_FN void ll_bank_cell_(const ll_view *v, unsigned row, unsigned col,
                         ll_writer_ *w, ll_cell *c) {
    unsigned lane = 0;
    unsigned count = 0;
    unsigned word = 0;
    unsigned way = 0;
    const unsigned phase = ll_phase_at_(v, row, &way);
    if (ll_bank_serves_(v, phase, way, col, &lane, &count, &word)) {
        const unsigned at = ll_shift_down_(word * v->bank_bytes, v->scale);
        const unsigned all = ll_shape_bits_(&v->a.in);
        ll_write_number_(w, lane);
        ll_write_(w, count > 1u ? "+" : "");
        c->hue = ll_hue_(lane);
        c->mark = way ? 1u : 0u;
        c->element = ll_apply(
            v->a, (v->padded.pads ? ll_unpadded_(&v->padded, ll_ones_(all), at)
                                  : at) & ll_ones_(all));
    }
}

/* Private: sets *x to the place, in a, of what is at a place of registers or
 * memory. Returns 0 if the place is empty: a pad, or a copy in memory. */
LL_FN int ll_held_at_(const ll_view *v, unsigned row, unsigned col,
                      unsigned *x) {
    const unsigned all = ll_shape_bits_(&v->a.in);
    unsigned empty = 0;
    *x = ll_shift_(row, v->split) | col;
    if (v->kind == LL_VIEW_AFTER) {
        *x = ll_traced_(&v->p, v->step, row, col);
    } else if (v->padded.pads) {
        const unsigned at = *x;
        *x = ll_unpadded_(&v->padded, ll_ones_(all), at);
        empty = ll_padded(v->padded, *x) != at;
    }
    for (unsigned k = 0; v->a.in.n && k < v->a.in.bits[0]; ++k) {
        empty |= v->a.in.dim[0] == LL_OFFSET && v->a.basis[k] == 0 &&
                 (*x >> k & 1u);
    }
    *x &= ll_ones_(all);
    return !empty;
}

/* ll_cell_at(v, row, col): returns a cell of a view. */
LL_FN ll_cell ll_cell_at(const ll_view *v, unsigned row, unsigned col) {
    ll_cell c = LL_ZERO;
    ll_writer_ w = ll_cell_writer_(&c);
    unsigned x = 0;
    c.hue = LL_NO_HUE;
    c.element = LL_NO_ELEMENT;
    if (v->err || row >= v->rows || col >= v->cols) {
        return c;
    }
    if (v->kind == LL_VIEW_MATRIX) {
        const unsigned y =
            col < ll_shape_bits_(&v->a.in) ? v->a.basis[col] : v->a.offset;
        const unsigned one = y >> row & 1u;
        ll_write_(&w, one ? "1" : ".");
        unsigned k = 0;
        while (one && ll_shape_start_(&v->a.out, k + 1u) <= row) {
            ++k;
        }
        c.hue = one ? ll_hue_(k + 1u) : LL_NO_HUE;
    } else if (v->kind == LL_VIEW_TENSOR) {
        c.element = row << v->split | col;
        x = ll_apply(v->where, c.element);
        if (ll_apply(v->a, x) != c.element) {
            return c;
        }
        if (v->padded.pads) {
            ll_write_number_(&w, ll_padded(v->padded, x));
        } else {
            ll_write_place_(&w, &v->a.in, x);
        }
        c.hue =
            ll_hue_(v->a.in.n > 1u ? ll_shape_field_(&v->a.in, 1, x) : x >> 3);
    } else if (v->kind == LL_VIEW_BANKS) {
        ll_bank_cell_(v, row, col, &w, &c);
    } else if (ll_held_at_(v, row, col, &x)) {
        c.element = ll_apply(v->a, x);
        ll_write_element_(&w, &v->a.out, c.element);
        c.hue = ll_element_hue_(&v->a.out, c.element);
    }
    return c;
}

/* Private: writes a bit of a packed word, as in "lane 3". */
LL_FN void ll_write_bit_name_(ll_writer_ *w, const ll_shape *s, unsigned bit) {
    unsigned k = 0;
    while (k + 1u < s->n && ll_shape_start_(s, k + 1u) <= bit) {
        ++k;
    }
    if (ll_write_name_(w, s->dim[k])) {
        ll_write_char_(w, '.');
    }
    ll_write_number_(w, bit - ll_shape_start_(s, k));
}

/* Private: returns the number of an input that holds registers: 0 node, 1 gpu,
 * 2 block, 3 warp, 4 lane; 5 for any other. */
LL_FN unsigned ll_owner_of_(ll_dim d) {
    const char *const names[5] = {"node", "gpu", "block", "warp", "lane"};
    unsigned n = 0;
    while (n < 5u && ll_dim_of(names[n]) != d) {
        ++n;
    }
    return n;
}

/* Private: writes who holds a row of registers: "b1 w0 l3" is block 1, warp 0,
 * lane 3, whatever the order of the inputs. Other inputs come first, with their
 * names. Lanes alone are those of warp 0. */
LL_FN void ll_write_owner_(ll_writer_ *w, const ll_shape *in, unsigned place) {
    for (unsigned k = 0; k < 6u; ++k) {
        const unsigned n = k ? k - 1u : 5u;
        for (unsigned d = in->n; d-- > 1u;) {
            if (ll_owner_of_(in->dim[d]) != n) {
                continue;
            }
            ll_write_(w, w->len ? " " : "");
            ll_write_(w, n == 4u && in->n == 2u ? "w0 " : "");
            if (n < 5u) {
                ll_write_char_(w, "ngbwl"[n]);
            } else if (ll_write_name_(w, in->dim[d])) {
                ll_write_char_(w, '.');
            }
            ll_write_number_(w, ll_shape_field_(in, d, place));
        }
    }
}

/* ll_head_of(v, rows, k): returns the label beside row k of a view, or above
 * column k. */
LL_FN ll_cell ll_head_of(const ll_view *v, int rows, unsigned k) {
    ll_cell c = LL_ZERO;
    ll_writer_ w = ll_cell_writer_(&c);
    const ll_shape *in = &v->a.in;
    const ll_shape *out = &v->a.out;
    c.hue = LL_NO_HUE;
    if (v->kind == LL_VIEW_MATRIX) {
        if (rows) {
            ll_write_bit_name_(&w, out, k);
        } else if (k < ll_shape_bits_(in)) {
            ll_write_bit_name_(&w, in, k);
        } else {
            ll_write_(&w, "1");
        }
    } else if (v->kind == LL_VIEW_BANKS) {
        ll_write_(&w, rows ? "wavefront " : "b");
        ll_write_number_(&w, k);
    } else if (v->kind == LL_VIEW_TENSOR && out->n > 1u) {
        if (rows) { /* all axes but the fastest */
            for (unsigned d = out->n; d-- > 1u;) {
                ll_write_name_(&w, out->dim[d]);
                ll_write_number_(
                    &w, ll_shape_field_(out, d, ll_shift_(k, v->split)));
                ll_write_(&w, d > 1u ? "," : "");
            }
        } else {
            ll_write_name_(&w, out->dim[0]);
            ll_write_number_(&w, k);
        }
    } else if (v->kind == LL_VIEW_TENSOR || in->n < 2u ||
               in->dim[0] != LL_REGISTER) {
        ll_write_(&w, rows ? "" : "+");
        ll_write_number_(&w, rows ? (unsigned long long)k << v->split : k);
    } else if (!rows) {
        ll_write_(&w, "r");
        ll_write_number_(&w, k);
    } else {
        ll_write_owner_(&w, in, k << v->split);
    }
    return c;
}

/* ll_legend(v, buf, size): writes what the cells of a view mean, in one line:
 * "cells: warp:lane:register".
 * Example: ll_legend(ll_view_tensor(ll_rows(8, 8, 4)), 0, 0) is 25;
 */
LL_FN unsigned ll_legend(ll_view v, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    const int places = v.kind == LL_VIEW_TENSOR;
    const ll_shape *s = places ? &v.a.in : &v.a.out;
    if (v.kind == LL_VIEW_MATRIX) {
        ll_write_(&w, "cells: 1 if this input bit (column) sets this output "
                      "bit (row)");
        return w.len;
    }
    if (v.kind == LL_VIEW_BANKS) {
        ll_write_(&w, v.op == LL_READ ? "read, " : "write, ");
        ll_write_count_(&w, v.bytes, "byte");
        ll_write_(&w, " per lane; cells: the lane that the bank serves; +: "
                      "other lanes use the same word; !: bank conflict");
        return w.len;
    }
    ll_write_(&w, "cells: ");
    for (unsigned k = s->n; k-- > 0;) {
        if (!places || s->dim[k] != LL_BLOCK || s->bits[k]) {
            ll_write_name_(&w, s->dim[k]);
            ll_write_(&w, !k ? "" : places ? ":" : ",");
        }
    }
    ll_write_(&w, places ? "" : s->n ? " of the element" : "the element");
    return w.len;
}

/* Private: returns red, green and blue of a hue, pale. */
LL_FN unsigned ll_rgb_(unsigned hue) {
    const unsigned part = (hue & 255u) * 6u;
    const unsigned up = part & 255u;
    const unsigned ramp[6][3] = {{255, up, 0}, {255u - up, 255, 0},
                                 {0, 255, up}, {0, 255u - up, 255},
                                 {up, 0, 255}, {255, 0, 255u - up}};
    unsigned rgb = 0;
    for (unsigned k = 0; k < 3u; ++k) {
        rgb = rgb << 8 | (150u + ramp[part >> 8][k] * 2u / 5u);
    }
    return rgb;
}

LL_FN void ll_write_rgb_(ll_writer_ *w, unsigned rgb) {
    ll_write_char_(w, '#');
    for (unsigned k = 6; k-- > 0;) {
        ll_write_char_(w, "0123456789abcdef"[rgb >> 4u * k & 15u]);
    }
}

LL_FN unsigned ll_cell_length_(const ll_cell *c) {
    unsigned n = 0;
    while (c->text[n]) {
        ++n;
    }
    return n;
}

/* Private: writes a cell `wide` characters wide, the text at the right, with a
 * colour of the terminal's 6 x 6 x 6 cube. A marked cell ends with `!` and,
 * with colours, is white on red. */
LL_FN void ll_write_cell_(ll_writer_ *w, const ll_cell *c, unsigned wide,
                          int colour) {
    const int shown = colour && (c->hue < LL_NO_HUE || c->mark);
    unsigned n = ll_cell_length_(c) + (c->mark ? 1u : 0u);
    if (shown) {
        const unsigned rgb = ll_rgb_(c->hue);
        ll_write_(w, c->mark ? "\033[1;97;48;5;" : "\033[30;48;5;");
        ll_write_number_(w, c->mark ? 160u
                                    : 16u + 36u * ((rgb >> 16) / 51u) +
                                          6u * ((rgb >> 8 & 255u) / 51u) +
                                          (rgb & 255u) / 51u);
        ll_write_char_(w, 'm');
    }
    for (; n < wide; ++n) {
        ll_write_char_(w, ' ');
    }
    ll_write_(w, c->text);
    ll_write_(w, c->mark ? "!" : "");
    ll_write_(w, shown ? "\033[0m" : "");
}

/* Private: returns the width of the widest cell of a view, including heads of
 * columns. */
LL_FN unsigned ll_widest_cell_(const ll_view *v) {
    unsigned wide = 1;
    for (unsigned col = 0; col < v->cols; ++col) {
        const ll_cell head = ll_head_of(v, 0, col);
        unsigned n = ll_cell_length_(&head);
        wide = n > wide ? n : wide;
        for (unsigned row = 0; row < v->rows; ++row) {
            const ll_cell c = ll_cell_at(v, row, col);
            n = ll_cell_length_(&c) + (c.mark ? 1u : 0u);
            wide = n > wide ? n : wide;
        }
    }
    return wide;
}

LL_FN unsigned ll_widest_head_(const ll_view *v) {
    unsigned wide = 0;
    for (unsigned row = 0; row < v->rows; ++row) {
        const ll_cell head = ll_head_of(v, 1, row);
        const unsigned n = ll_cell_length_(&head);
        wide = n > wide ? n : wide;
    }
    return wide;
}

/* Private: writes a cell as a value of CSV, in quotes if it has a comma. */
LL_FN void ll_write_value_(ll_writer_ *w, const ll_cell *c) {
    const char *quote = "";
    for (unsigned k = 0; c->text[k]; ++k) {
        quote = c->text[k] == ',' ? "\"" : quote;
    }
    ll_write_(w, quote);
    ll_write_cell_(w, c, 0, 0);
    ll_write_(w, quote);
}

/* Private: writes text, a line for each row, or values separated by commas. */
LL_FN void ll_write_grid_(ll_writer_ *w, const ll_view *v, unsigned form) {
    const int csv = form == LL_AS_CSV;
    const unsigned wide = csv ? 0u : ll_widest_cell_(v);
    const unsigned first = csv ? 0u : ll_widest_head_(v);
    for (unsigned row = 0; row <= v->rows; ++row) {
        for (unsigned k = 0; k <= v->cols; ++k) {
            const ll_cell none = LL_ZERO;
            const ll_cell c = k && row ? ll_cell_at(v, row - 1u, k - 1u)
                              : k      ? ll_head_of(v, 0, k - 1u)
                              : row    ? ll_head_of(v, 1, row - 1u)
                                       : none;
            ll_write_(w, !k ? "" : csv ? "," : " ");
            if (csv) {
                ll_write_value_(w, &c);
            } else {
                ll_write_cell_(w, &c, k ? wide : first,
                               k && form == LL_AS_COLOUR);
            }
        }
        ll_write_char_(w, '\n');
    }
}

/* Private: writes one cell as a rectangle with its text. */
LL_FN void ll_write_box_(ll_writer_ *w, const ll_cell *c, unsigned x,
                         unsigned y, unsigned wide) {
    if (c->hue < LL_NO_HUE || c->mark) {
        ll_write_(w, "<rect x=\"");
        ll_write_number_(w, x);
        ll_write_(w, "\" y=\"");
        ll_write_number_(w, y);
        ll_write_(w, "\" width=\"");
        ll_write_number_(w, wide);
        ll_write_(w, "\" height=\"18\" fill=\"");
        ll_write_rgb_(w, c->mark ? 0xff5040u : ll_rgb_(c->hue));
        ll_write_(w, "\"/>");
    }
    if (c->text[0]) {
        ll_write_(w, "<text x=\"");
        ll_write_number_(w, x + wide / 2u);
        ll_write_(w, "\" y=\"");
        ll_write_number_(w, y + 13u);
        ll_write_(w, c->mark ? "\" font-weight=\"bold\">" : "\">");
        ll_write_(w, c->text);
        ll_write_(w, c->mark ? "!</text>\n" : "</text>\n");
    }
}

LL_FN void ll_write_svg_(ll_writer_ *w, const ll_view *v) {
    const unsigned wide = 8u + 7u * ll_widest_cell_(v);
    const unsigned first = 8u + 7u * ll_widest_head_(v);
    ll_write_(w, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    ll_write_number_(w, first + v->cols * (wide + 1u));
    ll_write_(w, "\" height=\"");
    ll_write_number_(w, (v->rows + 1u) * 19u);
    ll_write_(w, "\" font-family=\"monospace\" font-size=\"11\" "
                 "text-anchor=\"middle\">\n<title>");
    char legend[300] = LL_ZERO;
    ll_legend(*v, legend, sizeof legend);
    ll_write_(w, legend);
    ll_write_(w, "</title>\n<rect width=\"100%\" "
                 "height=\"100%\" fill=\"#ffffff\"/>\n");
    for (unsigned row = 0; row <= v->rows; ++row) {
        ll_cell c = LL_ZERO;
        c = row ? ll_head_of(v, 1, row - 1u) : c;
        c.hue = LL_NO_HUE;
        ll_write_box_(w, &c, 0, row * 19u, first);
        for (unsigned col = 0; col < v->cols; ++col) {
            c = row ? ll_cell_at(v, row - 1u, col) : ll_head_of(v, 0, col);
            ll_write_box_(w, &c, first + col * (wide + 1u), row * 19u, wide);
        }
    }
    ll_write_(w, "</svg>\n");
}

/* ll_picture(v, form, buf, size): writes a view as LL_AS_TEXT, LL_AS_COLOUR
 * (text with the colours of a terminal), LL_AS_SVG or LL_AS_CSV. The legend is
 * the line above a text, and the title of an SVG. For an invalid view it writes
 * the sentence of the error.
 * Example: ll_picture(ll_view_matrix(L("lane: i0 i1")), LL_AS_CSV, 0, 0) is
 *          27;
 */
LL_FN unsigned ll_picture(ll_view v, unsigned form, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (v.err) {
        ll_write_(&w, ll_strerror(v.err));
        ll_write_char_(&w, '\n');
    } else if (form == LL_AS_SVG) {
        ll_write_svg_(&w, &v);
    } else {
        if (form != LL_AS_CSV) {
            char legend[300] = LL_ZERO;
            ll_legend(v, legend, sizeof legend);
            ll_write_(&w, legend);
            ll_write_char_(&w, '\n');
        }
        ll_write_grid_(&w, &v, form);
    }
    return w.len;
}

#endif
