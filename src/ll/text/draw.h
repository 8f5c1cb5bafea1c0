/* ---- Tables and drawings ---------------------------------------------- */
#ifndef LL_TEXT_DRAW_H
#define LL_TEXT_DRAW_H

#include "../plan/memory.h"

/* Private: writes a number below 100 in two characters. */
LL_FN void ll_write_padded_(ll_writer_ *w, unsigned x, char pad) {
    if (x < 10u) {
        ll_write_char_(w, pad);
    }
    ll_write_number_(w, x);
}

/* ll_table(a, buf, size): writes the tensor as a table, with the slowest axis
 * as rows and all other axes as columns. Each cell names the place that holds
 * the element, as warp:lane:register, preceded by the block if there are
 * several. If several places hold it, the cell names the place with the fewest
 * bits set; this is certain if at most ten nonzero columns depend on others.
 * Writes the error sentence for a tensor of more than 2^16 elements
 * (LL_ETABLE), for a layout with inputs that are not hardware's (LL_EHARDWARE),
 * or if no place holds some element (LL_ENOTONTO). */
LL_FN unsigned ll_table(ll_layout a, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    const ll_echelon_ rows = ll_echelon_of_(&a);
    const unsigned err = ll_hardware_(a).err;
    ll_relations_ light = LL_ZERO;
    ll_layout where = a;
    where =
        ll_shape_bits_(&a.out) > 16u ? ll_layout_bad_(where, LL_ETABLE) : where;
    where = ll_rinv(ll_layout_bad_(where, err));
    if (where.err) {
        ll_write_(&w, ll_strerror(where.err));
        ll_write_char_(&w, '\n');
        return w.len;
    }
    ll_relations_find_(&light, &rows, &a, 0, rows.n);
    unsigned cols = 1u << ll_shape_start_(&a.out, a.out.n ? a.out.n - 1u : 0u);
    for (unsigned y = 0; y < 1u << ll_shape_bits_(&a.out); ++y) {
        unsigned x = ll_relations_lighten_(&light, ll_apply(where, y));
        if (ll_size(a.in, LL_BLOCK) > 1u) {
            ll_write_number_(&w, ll_unpack(a.in, LL_BLOCK, x));
            ll_write_char_(&w, ':');
        }
        ll_write_number_(&w, ll_unpack(a.in, LL_WARP, x));
        ll_write_char_(&w, ':');
        ll_write_padded_(&w, ll_unpack(a.in, LL_LANE, x), '0');
        ll_write_char_(&w, ':');
        ll_write_number_(&w, ll_unpack(a.in, LL_REGISTER, x));
        ll_write_char_(&w, (y + 1u) % cols ? ' ' : '\n');
    }
    return w.len;
}

typedef struct ll_bank_picture_ {
    unsigned lane[6]; /* byte addresses of the lane bits */
    unsigned start;   /* byte address of lane 0 */
    unsigned bytes;
    unsigned named; /* the last lane that gives an address */
    ll_phase_ phase;
} ll_bank_picture_;

/* Private: finds the access of `bytes` bytes to the places x. It is the access
 * that a plan would choose (rows of a matrix) if that one has `bytes` bytes;
 * otherwise vectors. Returns 0 without one. */
LL_FN int ll_picture_of_(ll_bank_picture_ *p, const ll_layout *x,
                         unsigned scale, unsigned bytes, unsigned op,
                         const ll_target *t) {
    const unsigned bits = ll_log2_(bytes);
    const int vectors = bits >= scale &&
                        bits - scale <= ll_access_meet_(x, 4u - scale).vector;
    const ll_step s = ll_step_cheapest_(x, scale, op, t);
    const int rows = s.bytes == bytes && s.form != LL_FORM_VECTOR;
    p->start = ll_shift_(ll_access_meet_(x, 0).offset, scale);
    p->bytes = bytes;
    p->named = t->lanes - 1u;
    ll_lane_bytes_(x, scale, p->lane);
    if (rows) {
        const ll_form code = t->forms[op][s.form];
        p->named = ll_ones_(ll_row_lanes_(x, &s.at, code, scale, p->lane));
        for (unsigned k = 0; k < 6u; ++k) {
            p->lane[k] <<= scale;
        }
        p->bytes = 1u << ll_form_row_bits_(code);
    }
    p->phase = ll_phase_of_(p->lane, p->bytes, op, t);
    return rows || vectors;
}

/* Private: returns the places of a in memory m, for the first block and pass,
 * without registers that m lacks; or a layout with the error. */
LL_FN ll_layout ll_picture_places_(ll_layout a, ll_layout m,
                                   unsigned element_bits, unsigned op,
                                   const ll_target *t) {
    a = ll_in_block_(ll_hardware_(a));
    const ll_layout bad = ll_layout_worst_(a, m);
    const ll_span_ none = LL_ZERO;
    const ll_span_ all = ll_span_of_columns_(&m, 0, ll_shape_bits_(&m.in));
    unsigned used = 0; /* columns other than 0, which are padding */
    for (unsigned k = 0; k < all.n; ++k) {
        used += all.v[k] ? 1u : 0u;
    }
    const int plain =
        m.in.n == 1u && ll_span_independent_(&none, &all).n == used;
    const int cluster = m.in.n == 2u && m.in.dim[1] == LL_BLOCK;
    const int err = !ll_is_target_(t)                 ? LL_ETARGET
                    : op > LL_WRITE                   ? LL_EACCESS
                    : ll_element_scale_(element_bits) > 4u  ? LL_EELEMENT
                    : 1u << a.in.bits[1] != t->lanes  ? LL_ELANES
                    : (plain || cluster) && m.in.dim[0] == LL_OFFSET
                        ? LL_OK
                        : LL_EMEMORY;
    if (bad.err || err) {
        return ll_layout_bad_(bad, t->err ? t->err : (unsigned)err);
    }
    const ll_layout x = ll_solve(m, a, LL_FIRST);
    unsigned lacks = 0;
    for (unsigned k = 0; x.err == LL_ENOSOLUTION && k < a.in.bits[0]; ++k) {
        lacks |= ll_reaches(m, a.basis[k] ^ m.offset) ? 0u : 1u << k;
    }
    return lacks ? ll_solve(m, ll_drop_registers_(a, lacks), LL_FIRST) : x;
}

/* Private: finds the picture of an access, or returns the error. */
LL_FN unsigned ll_find_picture_(ll_bank_picture_ *p, ll_layout a,
                                const ll_layout *m, unsigned element_bits,
                                unsigned bytes, unsigned op,
                                const ll_target *t) {
    ll_layout x = ll_picture_places_(a, *m, element_bits, op, t);
    const unsigned scale = ll_element_scale_(element_bits);
    if (x.err || ll_picture_of_(p, &x, scale, bytes, op, t)) {
        return x.err;
    }
    a = ll_hardware_(a);
    const unsigned threads =
        op == LL_READ && scale < 2u ? a.in.bits[1] + a.in.bits[2] : 0u;
    for (unsigned w = 0; w < threads; ++w) { /* over-reads */
        const ll_layout both = ll_layout_with_both_(&a, w);
        x = ll_picture_places_(both, *m, element_bits, op, t);
        if (!x.err && ll_picture_of_(p, &x, scale, bytes, op, t)) {
            return LL_OK;
        }
    }
    return LL_EACCESS;
}

/* Private: returns lane k of the first phase; ll_lane_at_: its address. */
LL_FN unsigned ll_lane_of_(const ll_bank_picture_ *p, unsigned k) {
    return ll_lane_address_(p->phase.number, k);
}

LL_FN unsigned ll_lane_at_(const ll_bank_picture_ *p, unsigned k) {
    return ll_lane_address_(p->lane, ll_lane_of_(p, k)) ^ p->start;
}

/* Private: draws one cell: the first lane of the phase that accesses it. */
LL_FN void ll_draw_cell_(ll_writer_ *w, const ll_bank_picture_ *p,
                         unsigned address, unsigned bank_bytes) {
    unsigned reach = p->bytes > bank_bytes ? p->bytes : bank_bytes;
    for (unsigned k = 0; k < 1u << p->phase.n; ++k) {
        if (((ll_lane_at_(p, k) ^ address) & ~(reach - 1u)) == 0) {
            ll_write_padded_(w, ll_lane_of_(p, k), ' ');
            return;
        }
    }
    ll_write_(w, " .");
}

/* Private: returns the start of the lowest row of banks, from byte `from` on,
 * that the phase touches; ~0 if there is none. A row has `row` bytes. */
LL_FN unsigned long long ll_picture_next_row_(const ll_bank_picture_ *p,
                                              unsigned long long from,
                                              unsigned row) {
    unsigned long long next = ~0ull;
    for (unsigned k = 0; k < 1u << p->phase.n; ++k) {
        unsigned long long at = ll_lane_at_(p, k) & ~(row - 1u);
        next = at >= from && at < next ? at : next;
    }
    return next;
}

/* ll_draw(a, m, element_bits, bytes, op, t, buf, size): draws the first phase
 * of an access of `bytes` bytes per lane that moves registers of layout a from
 * or to memory of layout m.
 *
 * Each line is a row of banks: the words of memory from one word of bank 0 to
 * the last bank. It has a cell of two characters per bank: the number of the
 * lane that accesses the word there, or `.` if none does. Lines that no lane
 * accesses are left out. Lanes in two lines of one column access different
 * words of the same bank: a bank conflict. For matrix accesses it draws the
 * rows, each with the lane that gives its address. The memory of a plan of
 * several passes lacks registers of a; then it draws the first pass.
 *
 * If there is no such access, it writes the error sentence: the error of a or
 * m, LL_ETARGET, LL_EELEMENT, LL_ELANES, LL_EHARDWARE, LL_EMEMORY (m has inputs
 * other than offset, or offset and the block of a cluster, or holds an element
 * twice; zero columns are padding), LL_EMATCH, LL_ENOSOLUTION (m lacks elements
 * that lanes hold), LL_EACCESS. */
LL_FN unsigned ll_draw(ll_layout a, ll_layout m, unsigned element_bits,
                       unsigned bytes, unsigned op, ll_target t, char *buf,
                       unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    ll_bank_picture_ p = LL_ZERO;
    const unsigned err =
        ll_find_picture_(&p, a, &m, element_bits, bytes, op, &t);
    if (err) {
        ll_write_(&w, ll_strerror(err));
        ll_write_(&w, "\n");
        return w.len;
    }
    unsigned row = t.banks[op][ll_access_width_(p.bytes)] * t.bank_bytes;
    unsigned long long line = ll_picture_next_row_(&p, 0, row);
    while (line != ~0ull) {
        for (unsigned b = 0; b < row; b += t.bank_bytes) {
            ll_draw_cell_(&w, &p, (unsigned)line + b, t.bank_bytes);
            ll_write_char_(&w, b + t.bank_bytes < row ? ' ' : '\n');
        }
        line = ll_picture_next_row_(&p, line + row, row);
    }
    return w.len;
}

#endif
