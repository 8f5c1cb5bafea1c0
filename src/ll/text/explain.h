/* ---- Explanations ----------------------------------------------------- */
#ifndef LL_TEXT_EXPLAIN_H
#define LL_TEXT_EXPLAIN_H

#include "../plan/scan.h"
#include "../plan/gather.h"

/* Text for people. Each function writes what fits into the buffer, and returns
 * the length of the whole text without the final 0. */

/* ll_error(name, a, buf, size): writes the error sentence of an invalid layout.
 * It begins with the name. It ends with the character at fault, after ll_parse,
 * or with the value at fault, if the layout has it: "ll: OUT: a size is a power
 * of two, at least 1 (got 96)". For a valid one: "ll: name: no error". */
LL_FN unsigned ll_error(const char *name, ll_layout a, char *buf,
                        unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    ll_write_(&w, "ll: ");
    ll_write_(&w, name ? name : "");
    ll_write_(&w, name ? ": " : "");
    if (a.err == LL_ETEXT && a.out.err == LL_ETAIL) {
        ll_write_number_(&w, a.out.value);
        ll_write_(&w, a.out.value == 1u ? " size" : " sizes");
        ll_write_(&w, " after ->, but ");
        ll_write_number_(&w, a.out.n);
        ll_write_(&w, a.out.n == 1u ? " axis" : " axes");
        ll_write_(&w, " in the columns: name the sizes, also of an axis that "
                      "no column has, as in -> j=8 | i=32");
    } else {
        ll_write_(&w, ll_strerror(a.err));
    }
    if (a.err && a.is == LL_AT_DIMENSION) {
        ll_write_(&w, " (asked for ");
        ll_write_name_(&w, (ll_dim)a.at << 30);
        ll_write_(&w, ")");
    } else if (a.err && (a.at || a.is)) {
        ll_write_(&w, a.is == LL_AT_VALUE ? " (got " : " (at character ");
        ll_write_number_(&w, a.at);
        ll_write_(&w, a.is == LL_AT_VALUE ? ")" : ", counted from 1)");
    }
    return w.len;
}

/* Private: writes the size of a dimension in one of two layouts. */
LL_FN void ll_write_size_in_(ll_writer_ *w, unsigned size, const char *which) {
    ll_write_(w, size ? " has size " : " is missing");
    if (size) {
        ll_write_number_(w, size);
    }
    ll_write_(w, which);
}

/* Private: writes a difference, as in "j has size 8 in the first layout and is
 * missing in the second". Returns 0 if there is none. */
LL_FN int ll_write_difference_(ll_writer_ *w, const ll_shape *a,
                               const ll_shape *b, int equal) {
    const ll_difference_ d = ll_difference_of_(*a, *b, equal);
    if (d.dim) {
        ll_write_name_(w, d.dim);
        ll_write_size_in_(w, d.size[0], " in the first layout and");
        ll_write_size_in_(w, d.size[1], " in the second\n");
    }
    return d.dim != 0;
}

/* Private: writes the first element of b that a lacks. Returns 0 if a has all
 * of them. Every dimension of b is also a dimension of a. */
LL_FN int ll_write_lack_(ll_writer_ *w, const ll_layout *a,
                         const ll_layout *b) {
    for (unsigned k = 0; k <= ll_shape_bits_(&b->in); ++k) {
        const unsigned y = b->offset ^ (k ? b->basis[k - 1u] : 0u);
        if (!ll_reaches(*a, ll_shape_repack_(y, &b->out, &a->out))) {
            ll_write_(w, "the first layout lacks the element");
            for (unsigned d = b->out.n; d-- > 0;) {
                ll_write_char_(w, ' ');
                ll_write_name_(w, b->out.dim[d]);
                ll_write_char_(w, '=');
                ll_write_number_(w, ll_shape_field_(&b->out, d, y));
            }
            ll_write_(w, " of the second\n");
            return 1;
        }
    }
    return 0;
}

/* Private: writes the first bit that layouts of equal shapes map
 * differently. */
LL_FN void ll_write_column_difference_(ll_writer_ *w, const ll_layout *a,
                                       const ll_layout *b) {
    const ll_layout c = ll_layout_onto_(ll_layout_from_(*b, &a->in), &a->out);
    unsigned k = 0;
    while (k < ll_shape_bits_(&a->in) && a->basis[k] == c.basis[k]) {
        ++k;
    }
    if (k == ll_shape_bits_(&a->in) && a->offset == c.offset) {
        ll_write_(w, "both put each element at the same place\n");
        return;
    }
    unsigned d = 0;
    while (d + 1u < a->in.n && ll_shape_start_(&a->in, d + 1u) <= k) {
        ++d;
    }
    if (k == ll_shape_bits_(&a->in)) {
        ll_write_(w, "the affine part");
    } else {
        ll_write_name_(w, a->in.dim[d]);
        ll_write_(w, " bit ");
        ll_write_number_(w, k - ll_shape_start_(&a->in, d));
    }
    ll_write_(w, " is ");
    ll_write_column_(w, &a->out,
                     k < ll_shape_bits_(&a->in) ? a->basis[k] : a->offset);
    ll_write_(w, " in the first layout and ");
    ll_write_column_(w, &a->out,
                     k < ll_shape_bits_(&a->in) ? c.basis[k] : c.offset);
    ll_write_(w, " in the second\n");
}

/* Private: writes a layout; ll_write_layout_: as a line, after `what`. */
LL_FN void ll_write_text_(ll_writer_ *w, ll_layout a) {
    char *rest = w->len < w->size ? w->s + w->len : w->s;
    w->len += ll_str(a, rest, w->len < w->size ? w->size - w->len : 0u);
}

LL_FN void ll_write_layout_(ll_writer_ *w, const char *what, ll_layout a) {
    ll_write_(w, what);
    ll_write_text_(w, a);
    ll_write_(w, "\n");
}

/* ll_compare(a, b, buf, size): writes two layouts, and why a plan from a to b
 * would fail with LL_EMATCH or LL_ENOSOLUTION: the first axis that does not
 * fit, or the first element of b that a lacks. If there is no such reason, it
 * writes the first input or output with different sizes, or the first bit that
 * the layouts map differently. */
LL_FN unsigned ll_compare(ll_layout a, ll_layout b, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    ll_write_layout_(&w, "first:  ", a);
    ll_write_layout_(&w, "second: ", b);
    if (!a.err && !b.err && !ll_write_difference_(&w, &a.out, &b.out, 0) &&
        !ll_write_lack_(&w, &a, &b) &&
        !ll_write_difference_(&w, &a.out, &b.out, 1) &&
        !ll_write_difference_(&w, &a.in, &b.in, 1)) {
        ll_write_column_difference_(&w, &a, &b);
    }
    return w.len;
}

/* Private: writes a count and its noun, as in "8 accesses". */
LL_FN void ll_write_count_(ll_writer_ *w, unsigned n, const char *noun) {
    ll_write_number_(w, n);
    ll_write_char_(w, ' ');
    ll_write_(w, noun);
    ll_write_(w, n == 1u ? "" : "s");
}

/* Private: writes a count, its noun and a verb for them, as in "1 select
 * reorders" and "8 selects reorder". */
LL_FN void ll_write_does_(ll_writer_ *w, unsigned n, const char *noun,
                          const char *verb) {
    ll_write_count_(w, n, noun);
    ll_write_(w, verb);
    ll_write_(w, n == 1u ? "s" : "");
}

/* Private: writes what a store or a load does. */
LL_FN void ll_write_access_(ll_writer_ *w, const ll_step *s,
                            const char *noun) {
    int store = s->op == LL_OP_STORE;
    unsigned n = s->count;
    ll_write_(w, store ? "each lane stores " : "each lane loads ");
    ll_write_count_(w, 1u << s->bits, noun);
    ll_write_(w, store ? " to" : " from");
    ll_write_(w, s->dsmem ? " the cluster's shared memory in "
                          : " shared memory in ");
    ll_write_number_(w, n);
    ll_write_(w, s->form == LL_FORM_MATRIX   ? " matrix"
                 : s->form != LL_FORM_VECTOR ? " transposing matrix"
                                             : "");
    ll_write_(w, n == 1u ? " access of " : " accesses of ");
    ll_write_count_(w, s->bytes, "byte");
    ll_write_(w, ", ");
    ll_write_count_(w, s->wavefronts, "wavefront");
    ll_write_(w, n == 1u ? "" : " each");
    if (s->wavefronts == s->least) {
        ll_write_(w, ": no bank conflicts\n");
    } else {
        ll_write_(w, " (best possible: ");
        ll_write_number_(w, s->least);
        ll_write_(w, "): bank conflicts\n");
    }
}

/* Private: writes what a step does, as in "16 shuffles". */
LL_FN void ll_write_step_(ll_writer_ *w, const ll_step *s,
                          const char *noun) {
    if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
        ll_write_access_(w, s, noun);
        return;
    }
    if (ll_is_sync_(s->op)) {
        ll_write_(w, s->op == LL_OP_SYNC_WARP    ? "__syncwarp()"
                     : s->op == LL_OP_SYNC_BLOCK ? "__syncthreads()"
                                                 : "barrier of the cluster, "
                                                   "and another one after all "
                                                   "blocks have loaded");
    } else if (s->count == 0) {
        ll_write_(w, "each lane renames its registers: no instruction");
    } else if (s->op == LL_OP_SWAP) {
        ll_write_does_(w, s->count, "swap", " exchange");
        ll_write_(w, " words between lanes ");
        ll_write_number_(w, s->at.place[s->at.n - 1u]);
        ll_write_(w, " apart");
    } else if (s->op == LL_OP_SHUFFLE && s->near && s->near < s->count) {
        ll_write_count_(w, s->near, "near move");
        ll_write_(w, " and ");
        ll_write_count_(w, s->count - s->near, "shuffle");
        ll_write_(w, " exchange words between lanes");
    } else if (s->op == LL_OP_SHUFFLE) {
        ll_write_does_(w, s->count, s->near ? "near move" : "shuffle",
                       " exchange");
        ll_write_(w, " words between lanes");
    } else {
        ll_write_does_(w, s->count,
                       s->op == LL_OP_SELECT ? "select" : "byte permute",
                       " reorder");
        ll_write_(w, s->op == LL_OP_SELECT
                         ? " each lane's registers"
                         : " the bytes of each lane's registers");
    }
    ll_write_(w, "\n");
}

/* Private: writes in a few words what a plan does. */
LL_FN void ll_write_kind_(ll_writer_ *w, const ll_plan *p) {
    ll_write_(w, p->kind == LL_NOTHING     ? "nothing moves"
                 : p->kind == LL_REGISTERS ? "data stays in its lane"
                 : p->kind == LL_SHUFFLES  ? "data stays in its warp"
                 : p->blocks ? "data goes through the shared memory of the "
                               "cluster's blocks"
                 : p->rank   ? "data goes through shared memory, differently "
                               "in each block of the cluster"
                             : "data goes through shared memory");
    if (p->kind >= LL_SHARED) {
        ll_write_(w, ", ");
        ll_write_count_(w, p->smem_bytes, "byte");
        ll_write_(w, p->kind == LL_CLUSTER ? " each" : "");
    }
    if (p->passes) {
        ll_write_(w, " in ");
        ll_write_number_(w, 1ull << p->passes);
        ll_write_(w, " passes");
    }
    if (p->cycles) {
        ll_write_(w, ", about ");
        ll_write_count_(w, p->cycles, "cycle");
        ll_write_(w, " per warp");
    }
    ll_write_(w, "\n");
}

/* Private: writes how the plan's wavefronts compare with the minimum for vector
 * accesses over all memory layouts. */
LL_FN void ll_write_fewest_(ll_writer_ *w, const ll_plan *p) {
    unsigned taken = 0;
    for (unsigned k = 0; k < p->n; ++k) {
        taken += p->step[k].count * p->step[k].wavefronts;
    }
    if (p->fewest && taken == p->fewest) {
        ll_write_(w, "  optimal: no shared-memory layout needs fewer "
                     "wavefronts for vector accesses\n");
    } else if (p->fewest) {
        ll_write_(w, "  every shared-memory layout needs at least ");
        ll_write_count_(w, p->fewest, "wavefront");
        ll_write_(w, " for vector accesses\n");
    }
}

/* Private: writes the kind and the cycles of the best plan of another kind. */
LL_FN void ll_write_next_(ll_writer_ *w, const ll_plan *p) {
    if (p->next_kind != p->kind) {
        ll_write_(w, p->next_kind == LL_SHARED
                         ? "  next best: through shared memory, about "
                     : p->next_kind == LL_SHUFFLES
                         ? "  next best: by shuffles, about "
                         : "  next best: within each lane, about ");
        ll_write_count_(w, p->next_cycles, "cycle");
        ll_write_(w, " per warp\n");
    }
}

/* Private: writes why there is no plan, with the value at fault if known. */
LL_FN void ll_write_no_plan_(ll_writer_ *w, unsigned err, unsigned value) {
    ll_write_(w, "there is no plan: ");
    ll_write_(w, ll_strerror(err));
    if (value) {
        ll_write_(w, err == LL_EBUDGET  ? " (it needs "
                     : err == LL_ELANES ? " (the target has "
                                        : " (got ");
        ll_write_number_(w, value);
        ll_write_char_(w, ')');
    }
    ll_write_(w, err == LL_EMATCH ? " (ll_compare shows where)\n" : "\n");
}

/* Private: writes why there is no plan along an axis: what bit it lacks. */
LL_FN void ll_write_no_axis_(ll_writer_ *w, unsigned err,
                             const ll_lack *lack) {
    if (err != LL_EHELD) {
        ll_write_no_plan_(w, err, 0);
        return;
    }
    ll_write_(w, "there is no plan: the layout lacks bit ");
    ll_write_(w, ll_write_name_(w, lack->dim) ? "." : "");
    ll_write_number_(w, lack->bit);
    ll_write_(w, " of the axis\n");
}

/* Private: writes the number of a line. */
LL_FN void ll_write_item_(ll_writer_ *w, unsigned *n) {
    ll_write_(w, "  ");
    ll_write_number_(w, ++*n);
    ll_write_(w, ". ");
}

/* Private: writes how a plan rearranges nibbles before or after its steps. */
LL_FN void ll_write_nibbles_(ll_writer_ *w, const ll_plan *p, unsigned *n,
                             int after) {
    const unsigned how = after ? p->after : p->before;
    if (how == LL_STAY) {
        return;
    }
    ll_write_item_(w, n);
    ll_write_(w, how != LL_APART
                     ? "each lane exchanges nibbles, register bit 0 with bit "
                 : after ? "each lane packs its elements, two per byte"
                         : "each lane unpacks its elements, one per byte");
    if (how != LL_APART) {
        ll_write_number_(w, how);
    }
    ll_write_(w, "\n");
}

/* ll_explain(p, buf, size): writes a plan in words: its shared memory and
 * cycles, each step with its cost, the memory layout, and the cost of the best
 * plan of another kind. Cycles are the time per warp, with many warps in
 * flight, on the busiest pipe. A near move avoids the pipe of shared memory; a
 * shuffle may use it. For 4-bit elements the steps and the memory handle pairs,
 * along `pair`, or one element per byte if the elements are moved apart. For an
 * invalid plan it writes the reason, with the element bits, the target's lanes
 * or the bytes of shared memory if one of these is the cause. */
LL_FN unsigned ll_explain(ll_plan p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    unsigned n = 0;
    if (p.err) {
        const unsigned bits = p.element_bits;
        const int odd = bits < 4u || (bits & (bits - 1u)) != 0 || bits > 128u;
        ll_write_no_plan_(&w, p.err,
                          p.err == LL_EELEMENT && odd ? bits
                          : p.err == LL_ELANES  ? p.lanes
                          : p.err == LL_EBUDGET ? p.smem_bytes
                                                : 0u);
        return w.len;
    }
    ll_write_kind_(&w, &p);
    ll_write_nibbles_(&w, &p, &n, 0);
    for (unsigned k = 0; k < p.n; ++k) {
        if (p.n == 1u || p.step[k].op != LL_OP_RENAME || p.step[k].count) {
            ll_write_item_(&w, &n);
            ll_write_step_(&w, &p.step[k], p.nibbles ? "byte" : "element");
        }
        if (p.step[k].op == LL_OP_LOAD && p.step[k].bits > p.to_bits) {
            ll_write_(&w, "     an over-read: twice the bytes that it needs\n");
        }
        if (p.step[k].op == LL_OP_STORE && p.copies) {
            ll_write_(&w, "     or LL_COPY, in copies of the same width\n");
        }
    }
    ll_write_nibbles_(&w, &p, &n, 1);
    if (p.kind >= LL_SHARED) {
        ll_write_layout_(&w, p.pair ? "  memory of pairs " : "  memory ",
                         p.memory);
        ll_write_fewest_(&w, &p);
    }
    ll_write_next_(&w, &p);
    return w.len;
}

/* Private: writes a column, as in "lane bit 1 is at byte 128". */
LL_FN void ll_write_bit_(ll_writer_ *w, const char *what, unsigned bit,
                         unsigned byte) {
    ll_write_(w, what);
    ll_write_(w, " bit ");
    ll_write_number_(w, bit);
    ll_write_(w, " is at byte ");
    ll_write_number_(w, byte);
}

/* Private: writes the first column of the registers or lanes of x that must
 * lead elsewhere for a row of the matrix. Returns 1 if there is one. */
LL_FN int ll_write_misfit_(ll_writer_ *w, const ll_layout *x, ll_form form,
                           unsigned scale) {
    const unsigned regs = x->in.bits[0];
    const unsigned row = ll_ones_(ll_form_row_bits_(form) - scale);
    for (unsigned k = 0; k < ll_shape_bits_(&x->in); ++k) {
        const int in_digits = k < regs ? k + scale < LL_LANE_DIGITS_
                                       : k - regs < x->in.bits[1];
        const unsigned digit =
            k < regs ? k + scale : k - regs + LL_LANE_DIGITS_;
        const unsigned wanted =
            in_digits ? ll_row_place_(ll_form_digit_(form, digit), scale) : 0u;
        const unsigned y = x->basis[k];
        if (wanted ? y != wanted : (y & row) != 0) {
            ll_write_bit_(w, k < regs ? "register" : "lane",
                          k < regs ? k : k - regs, y << scale);
            ll_write_(w, wanted ? ", but must be at byte "
                                : ", in the rows of other lanes\n");
            if (wanted) {
                ll_write_number_(w, wanted << scale);
                ll_write_(w, "\n");
            }
            return 1;
        }
    }
    return 0;
}

/* Private: writes the target's name of a matrix access. */
LL_FN void ll_write_form_(ll_writer_ *w, unsigned op, unsigned form,
                          const ll_target *t) {
    const int amd = t->lanes == 64u || t->hops; /* NVIDIA's have no hops */
    ll_write_(w, t->lanes == 64u  ? "ds_read_tr"
                 : amd            ? "transposing access"
                 : op == LL_READ ? "ldmatrix"
                                 : "stmatrix");
    ll_write_(w, !amd && form != LL_FORM_MATRIX ? ".trans" : "");
    ll_write_(w, form == LL_FORM_BYTES ? " of bytes: " : ": ");
}

/* ll_explain_matrix(a, m, element_bits, op, form, t, buf, size): writes whether
 * a matrix access of target t, LL_FORM_MATRIX to LL_FORM_BYTES, can move
 * registers of layout a from or to memory of layout m. It writes the wavefronts
 * of one access, or the first obstacle, such as "ldmatrix: lane bit 1 is at
 * byte 128, but must be at byte 8". Warp bits are numbered as lane bits, above
 * the lanes' own. */
LL_FN unsigned ll_explain_matrix(ll_layout a, ll_layout m,
                                 unsigned element_bits, unsigned op,
                                 unsigned form, ll_target t, char *buf,
                                 unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    const ll_layout x = ll_solve(m, ll_in_block_(ll_hardware_(a)), LL_FIRST);
    const unsigned scale = ll_element_scale_(element_bits);
    const int is_form = op <= LL_WRITE && form < LL_MAX_FORMS;
    const ll_form code = is_form ? t.forms[op][form] : 0u;
    const int known = ll_is_target_(&t);
    if (known) {
        ll_write_form_(&w, op, form, &t);
    }
    if (!known) {
        ll_write_(&w, ll_strerror(t.err ? t.err : (unsigned)LL_ETARGET));
        ll_write_(&w, "\n");
    } else if (!code) {
        ll_write_(&w, "not available on this target\n");
    } else if (x.err) {
        ll_write_(&w, ll_strerror(x.err));
        ll_write_(&w, "\n");
    } else if (!ll_form_takes_(code, scale)) {
        ll_write_(&w, "elements must have ");
        ll_write_(&w, ll_form_takes_(code, 2)   ? "8, 16 or 32 bits\n"
                      : ll_form_takes_(code, 1) ? "16 bits, or be pairs of 8\n"
                                                : "8 bits\n");
    } else if (!ll_write_misfit_(&w, &x, code, scale)) {
        const ll_step s = ll_step_by_matrices_(&x, form, scale, op, &t);
        ll_write_(&w, s.wavefronts
                          ? ""
                          : "registers must fill words and hold no copies\n");
        if (s.wavefronts) {
            ll_write_count_(&w, s.wavefronts, "wavefront");
            ll_write_(&w, "\n");
        }
    }
    return w.len;
}

/* Private: writes the steps of a tree. */
LL_FN void ll_write_tree_(ll_writer_ *w, const ll_tree *tree) {
    if (tree->own) {
        ll_write_(w, "  each lane combines ");
        ll_write_number_(w, 1u << (tree->n + tree->own));
        ll_write_(w, " registers into ");
        ll_write_number_(w, 1u << tree->n);
        ll_write_(w, "\n");
    }
    if (tree->lanes) {
        ll_write_(w, "  ");
        ll_write_does_(w, ll_tree_sent_(tree), "exchange", " combine");
        ll_write_(w, " the registers of ");
        ll_write_number_(w, 1u << tree->lanes);
        ll_write_(w, " lanes\n");
    }
}

/* Private: writes `what`, then the explanation of a plan inside a plan. */
LL_FN void ll_write_plan_(ll_writer_ *w, const char *what, ll_plan p) {
    ll_write_(w, what);
    char *rest = w->len < w->size ? w->s + w->len : w->s;
    w->len += ll_explain(p, rest, w->len < w->size ? w->size - w->len : 0u);
}

/* ll_explain_reduce(p, buf, size): writes the plan of a reduction in words. */
LL_FN unsigned ll_explain_reduce(ll_reduce_plan p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (p.err) {
        ll_write_no_axis_(&w, p.err, &p.lacks);
        return w.len;
    }
    ll_write_count_(&w, 1u << p.from_bits, "register");
    ll_write_(&w, p.from_bits ? " are reduced to " : " is reduced to ");
    ll_write_number_(&w, 1u << p.to_bits);
    ll_write_(&w, ", about ");
    ll_write_count_(&w, p.cycles, "cycle");
    ll_write_(&w, " per warp\n");
    ll_write_tree_(&w, &p.first);
    if (p.crosses) {
        ll_write_plan_(&w, "  between warps: ", p.between);
        ll_write_tree_(&w, &p.second);
    }
    if (p.reaches) {
        ll_write_plan_(&w, "  between blocks: ",
                       ll_plan_of(p.far, p.near, p.element_bits, p.target));
        const ll_reduce_plan near =
            ll_reduce_of(p.near, p.axis, p.element_bits, p.target);
        ll_write_tree_(&w, &near.first);
        if (near.crosses) {
            ll_write_plan_(&w, "  between warps: ", near.between);
            ll_write_tree_(&w, &near.second);
        }
    }
    return w.len;
}

/* Private: writes the steps of a scan's levels. */
LL_FN void ll_write_levels_(ll_writer_ *w, const ll_scan_plan *p) {
    unsigned in_lane = 0;
    unsigned exchanges = 0;
    for (unsigned k = 0; k < p->levels; ++k) {
        const ll_level *l = &p->level[k];
        in_lane += l->lane ? 0u : 1u;
        exchanges += l->lane ? 1u << (p->n - ll_popcount_(l->gone)) : 0u;
    }
    if (in_lane) {
        ll_write_(w, "  each lane scans ");
        ll_write_count_(w, 1u << (p->n - in_lane), "line");
        ll_write_(w, " of ");
        ll_write_count_(w, 1u << in_lane, "register");
        ll_write_(w, "\n");
    }
    if (exchanges) {
        ll_write_(w, "  ");
        ll_write_does_(w, exchanges, "exchange", " combine");
        ll_write_(w, " the totals of ");
        ll_write_number_(w, 1u << (p->levels - in_lane));
        ll_write_(w, " lanes\n");
    }
}

/* ll_explain_scan(p, buf, size): writes the plan of a scan in words, such as "8
 * registers, about 45 cycles per warp", "each lane scans 2 lines of 4
 * registers", "6 exchanges combine the totals of 8 lanes".
 * Example: ll_explain_scan(ll_scan_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90),
 *                          0, 0) is 123;
 */
LL_FN unsigned ll_explain_scan(ll_scan_plan p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (p.err) {
        ll_write_no_axis_(&w, p.err, &p.lacks);
        return w.len;
    }
    ll_write_count_(&w, 1u << p.from_bits, "register");
    ll_write_(&w, ", about ");
    ll_write_count_(&w, p.cycles, "cycle");
    ll_write_(&w, " per warp\n");
    if (p.turned) {
        ll_write_plan_(&w, "  conversion to a layout along the axis: ",
                       p.there);
    }
    ll_write_levels_(&w, &p);
    if (p.crosses) {
        ll_write_plan_(&w, "  between warps: ", p.between);
        ll_write_(&w, "  each lane combines ");
        ll_write_count_(&w, 1u << p.crosses, "total");
        ll_write_(&w, " per line\n");
    }
    if (p.turned) {
        ll_write_plan_(&w, "  conversion back: ", p.back);
    }
    return w.len;
}

/* Private: writes how the elements of a gather are fetched. */
LL_FN void ll_write_fetch_(ll_writer_ *w, const ll_gather_plan *p) {
    const ll_step *s = &p->fetch;
    if (p->kind == LL_SHARED) {
        ll_write_(w, "each lane loads the elements at its indices in ");
        ll_write_number_(w, s->count);
        ll_write_(w, s->count == 1u ? " access of " : " accesses of ");
        ll_write_count_(w, s->bytes, "byte");
        ll_write_(w, ", about ");
        ll_write_count_(w, s->wavefronts, "wavefront");
        ll_write_(w, p->turn.count ? " each, in its own order: " : " each");
        if (p->turn.count) {
            ll_write_count_(w, p->turn.count, "select");
            ll_write_(w, " before and ");
            ll_write_number_(w, p->turn.count);
            ll_write_(w, " after");
        }
        ll_write_(w, "\n");
        return;
    }
    if (p->kind == LL_SHUFFLES) {
        ll_write_does_(w, s->count, "shuffle", " exchange");
        ll_write_(w, " all words that indices may select\n");
    } else {
        ll_write_does_(w, s->count, "select", " pick");
        ll_write_(w, " each lane's elements by its indices\n");
    }
}

/* ll_explain_gather(p, buf, size): writes the plan of a gather in words. Its
 * wavefronts are the expected ones for random indices. */
LL_FN unsigned ll_explain_gather(ll_gather_plan p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    ll_plan q = LL_ZERO;
    unsigned n = 0;
    q.kind = p.kind;
    q.smem_bytes = p.smem_bytes;
    q.cycles = p.cycles;
    q.next_kind = p.next_kind;
    q.next_cycles = p.next_cycles;
    if (p.err) {
        ll_write_no_axis_(&w, p.err, &p.lacks);
        return w.len;
    }
    ll_write_kind_(&w, &q);
    for (unsigned k = 0; k <= p.n; ++k) {
        if (k == p.n || p.step[k].op != LL_OP_RENAME || p.step[k].count) {
            ll_write_(&w, "  ");
            ll_write_number_(&w, ++n);
            ll_write_(&w, ". ");
            k == p.n ? ll_write_fetch_(&w, &p)
                     : ll_write_step_(&w, &p.step[k], "element");
        }
    }
    ll_write_next_(&w, &q);
    return w.len;
}

#endif
