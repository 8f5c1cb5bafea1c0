/* ---- Engine: instructions --------------------------------------------- */
#ifndef LL_ENGINE_INSTRUCTIONS_H
#define LL_ENGINE_INSTRUCTIONS_H

#include "graph.h"

/* A graph is written as it would be in a kernel, one operation a line:
 *
 *     x = load 64x64:16 contiguous=1x64 align=16
 *     loop 8 sum = zero, p = x
 *     y = map sum p cost=4
 *     yield y, p -> total, last
 *     m = reduce total axis=1
 *     store m contiguous=64 align=16
 *
 * The names of results stand before `=`, operands after the operation, then a
 * shape with the bits of an element where the operation does not derive it, and
 * keys. in0="register: .." fixes the layout of operand 0, out0=".." that of
 * result 0. cost counts instructions for each register, as 5 or 5/8. `loop`
 * gives each carried value its start, `yield` its next value, and the name
 * under which it is known after the loop. A later line may make the next value:
 * so a while is a loop of what decides about it, and one of the rest, which
 * starts with what the first one carries. `r = merge a b` is what two branches
 * leave; a later line may make b. A `#` begins a comment. A constant with
 * contiguous= is a range: 0, 1, .. along that axis. A reduce, scan or sort has
 * its axis; e->sort = ll_sort_cycles, with LL_SORTS, says what a sort costs.
 *
 *     x = load p m other 64x64:16 contiguous=1x64 align=16
 *     store p x m contiguous=1x64 align=16
 *     old = atomic p x m
 *
 * Accesses may take the addresses of the elements, of 64 bits, before all
 * others, and a mask of 1 bit, a load after the addresses, with what an
 * element is where it is 0, the others at the end. Without addresses memory has
 * the tile in one row.
 *
 *     w = load 64x64:16 contiguous=1x64 align=16 block=0 step=4096
 *     m = reduce w axis=1 op=max
 *
 * For a kernel written from the graph (tools/engine/engine.c), `block` and
 * `step` say how many elements the tile moves from a block to the next one (0:
 * all have the same one; its own size, if nothing is said) and from trip to
 * trip of the innermost loop (0), and `op` what a reduction or a scan makes of
 * two elements: sum, product, min, max, and, or, xor. No price depends on them.
 *
 *     t = tma_load 64x64:16 memory="offset: j0 j1 j2 j3 j4 j5 i0 i1 ..."
 *     c = dot a t sum by=mma
 *     d = convert c out0="register: .."
 *     local_store d memory="offset: .."
 *
 * A dot takes a, b and what is added, a dot_scaled the scales of both after
 * them. The layouts are those of the instructions of a name (ll_engine_by), or
 * each is fixed. In registers k may come in any order that is the same for a
 * and b. Instructions such as wgmma read operands in shared memory: in place if
 * a tma_load or a local_load brings the tile as they want it, with any trans
 * after it, and around loops that carry it; else it is stored there, as often
 * as it is made. A load of which `memory` does not say where its tile lies
 * brings it as the dot wants it. What goes to tensor memory, scales and
 * operands of tcgen05, is stored there by lanes in the layouts of tcgen05.st,
 * which costs nothing here: no layout spares it.
 *
 * A convert is one that the caller asks for: out0 says where to. Other tiles in
 * shared memory have their layout after `memory`. */
#ifdef LL_ENGINE

/* Private: returns the number of layout m of value v in shared memory, from
 * offsets to elements; LL_ENGINE_NONE if it has not one place for each. */
LL_FN unsigned ll_engine_memory_id_(ll_engine *e, unsigned v, ll_layout m) {
    const unsigned bits = e->value[v].bits;
    const ll_shape s = ll_engine_shape_(&e->value[v]);
    ll_engine_flat f = LL_ZERO;
    if (m.err || m.offset || m.in.n != 1u || m.in.dim[0] != LL_OFFSET ||
        m.in.bits[0] != bits || !e->value[v].rank ||
        !ll_shape_fits_both_(&s, &m.out)) {
        return LL_ENGINE_NONE;
    }
    const ll_layout b = ll_layout_onto_(m, &s);
    f.n[0] = (unsigned char)bits;
    for (unsigned k = 0; k < bits; ++k) {
        f.basis[k] = b.basis[k];
    }
    return ll_flat_is_onto_(&f, bits) ? ll_engine_enter_(e, f) : LL_ENGINE_NONE;
}

/* Private: returns whether a product may read operand k in shared memory. */
LL_FN int ll_engine_is_placed_(const ll_engine_op *o, unsigned k) {
    return ll_engine_is_dot_(o->kind) && k < 2u &&
           (o->place[k][0] != LL_ENGINE_NONE ||
            o->place[k][1] != LL_ENGINE_NONE);
}

/* Private: asks for the layouts in shared memory in which the instructions of a
 * product read operand k, and notes that in registers beside them. */
LL_FN void ll_engine_by_tile_(ll_engine *e, unsigned op, unsigned k,
                              unsigned in_registers) {
    const ll_engine_op o = e->op[op];
    const unsigned v = e->operand[o.at + k];
    const ll_engine_value a = e->value[v];
    const unsigned first = (unsigned)LL_ENGINE_A_K + k;
    for (unsigned t = 0; t < 2u && a.rank == 2u; ++t) {
        const ll_layout m = e->family(o.by, o.by_length, first + 2u * t,
                                      1u << a.size[0], 1u << a.size[1],
                                      a.element_bits, 1u << e->counts[2]);
        e->op[op].place[k][t] = ll_engine_memory_id_(e, v, m);
    }
    e->op[op].place[k][2] = in_registers;
}

/* ll_engine_by(e, op, name, n): gives the operands and the result of product op
 * the layouts that e->family has for a name of n characters, which must stay
 * where it is. If all are in registers, what is summed over may come in any
 * order. An operand that the instructions read in shared memory is read there
 * if a tma_load or a local_load brings its tile as they want it, also before a
 * loop that carries it, and stored there otherwise. Fails with
 * LL_ENGINE_EFAMILY. */
LL_FN void ll_engine_by(ll_engine *e, unsigned op, const char *name,
                        unsigned n) {
    if (e->err || op >= e->ops || !e->family ||
        !ll_engine_is_dot_(e->op[op].kind)) {
        ll_engine_fail_(e, LL_ENGINE_EFAMILY, op);
        return;
    }
    const int dot = e->op[op].kind == LL_ENGINE_DOT;
    const unsigned two = dot ? 2u : 4u;
    e->op[op].by = name;
    e->op[op].by_length = n;
    for (unsigned k = 0; k <= e->op[op].n_in && !e->err; ++k) {
        const unsigned v = e->operand[e->op[op].at + k];
        const ll_engine_value a = e->value[v];
        const ll_layout l = e->family(
            name, n, k < two ? k : (unsigned)LL_ENGINE_C, 1u << a.size[0],
            1u << a.size[1], a.element_bits, 1u << e->counts[2]);
        const unsigned id =
            l.err || a.rank != 2u ? LL_ENGINE_NONE : ll_engine_id(e, v, l);
        if (k < 2u && !e->err) {
            ll_engine_by_tile_(e, op, k, id);
        }
        if (ll_engine_is_placed_(&e->op[op], k) && !e->err) {
            continue;
        }
        if (id == LL_ENGINE_NONE) {
            e->err = e->err == LL_ENGINE_EARENA ? e->err : 0u;
            ll_engine_fail_(e, LL_ENGINE_EFAMILY, op);
            return;
        }
        ll_engine_fix(e, op, k, id);
    }
}

/* ll_engine_memory(e, op, m): m is the layout in shared memory of the tile of a
 * local_load, local_store, tma_load or tma_store, from offsets to elements: for
 * a tensor copy the one in which it writes or reads the tile. Fails with
 * LL_ENGINE_EMEMORY. */
LL_FN void ll_engine_memory(ll_engine *e, unsigned op, ll_layout m) {
    const unsigned id =
        e->err || op >= e->ops || !ll_engine_is_tile_(e->op[op].kind)
            ? LL_ENGINE_NONE
            : ll_engine_memory_id_(e, e->operand[e->op[op].at], m);
    if (id == LL_ENGINE_NONE) {
        ll_engine_fail_(e, LL_ENGINE_EMEMORY, op);
        return;
    }
    e->op[op].memory = id;
}

/* ll_engine_hint(e, v, id): offers layout id as a further candidate for v. */
LL_FN void ll_engine_hint(ll_engine *e, unsigned v, unsigned id) {
    e->hint = ll_engine_room_word_(e, e->hint, e->hints + 2u, &e->cap_hints);
    if (!e->err && v < e->values && id < e->flats) {
        e->hint[e->hints] = v;
        e->hint[e->hints + 1u] = id;
        e->hints += 2u;
    }
}

#endif /* LL_ENGINE */

#endif
