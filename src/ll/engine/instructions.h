/* ---- Engine: instructions --------------------------------------------- */
#ifndef LL_ENGINE_INSTRUCTIONS_H
#define LL_ENGINE_INSTRUCTIONS_H

#include "graph.h"

/* The text of a graph reads like a kernel, one operation per line:
 *
 *     x = load 64x64:16 contiguous=1x64 align=16
 *     loop 8 sum = zero, p = x
 *     y = map sum p cost=4
 *     yield y, p -> total, last
 *     m = reduce total axis=1
 *     store m contiguous=64 align=16
 *
 * The names of the results stand before `=`. After the operation come its
 * operands, a shape with the element bits if the operation does not derive it,
 * and keys. in0="register: .." fixes the layout of operand 0, out0=".." the
 * layout of result 0. cost is the number of instructions per register, as 5 or
 * 5/8. A `#` begins a comment.
 *
 * `loop` gives each carried value its start. `yield` gives its next value and,
 * after ->, its name after the loop. A later line may make the next value. So a
 * while loop is two loops: one of its condition, and one of its body, which
 * starts with what the first one carries. `r = merge a b` is the result of two
 * branches; a later line may make b. A constant with contiguous= is a range: 0,
 * 1, .. along that axis. A reduce, scan or sort has its axis. The price of a
 * sort needs e->sort = ll_sort_cycles, with LL_SORTS.
 *
 *     x = load p m other 64x64:16 contiguous=1x64 align=16
 *     store p x m contiguous=1x64 align=16
 *     old = atomic p x m
 *
 * Accesses may take the 64-bit addresses of the elements, before all other
 * operands, and a 1-bit mask. A load takes the mask after the addresses, and
 * then the values where the mask is 0. Other accesses take the mask last.
 * Without addresses the tile is one row of memory.
 *
 *     w = load 64x64:16 contiguous=1x64 align=16 block=0 step=4096
 *     m = reduce w axis=1 op=max
 *
 * These keys are for a kernel written from the graph (tools/engine/engine.c);
 * no price depends on them. `block` is the distance in elements from one
 * block's tile to the next one's (0: all blocks have the same tile; default:
 * the tile's size). `step` is the distance from trip to trip of the innermost
 * loop (default: 0). `op` combines two elements in a reduction or a scan: sum,
 * product, min, max, and, or, xor.
 *
 *     t = tma_load 64x64:16 memory="offset: j0 j1 j2 j3 j4 j5 i0 i1 ..."
 *     c = dot a t sum by=mma
 *     d = convert c out0="register: .."
 *     local_store d memory="offset: .."
 *
 * A dot takes a, b and an accumulator; a dot_scaled takes the scales of a and b
 * after b. by= names the instructions that have the layouts (ll_engine_by), or
 * each layout is fixed. In registers, k may be in any order that a and b share.
 * Instructions such as wgmma read operands in shared memory. They read a tile
 * in place if a tma_load or a local_load brings it in a layout that they take,
 * also through a trans and around loops that carry it. Otherwise it is stored
 * there each time it is made, once for all dots that read it or its transpose.
 * A load without memory= places its tile the way the dot reads it. Lanes store
 * scales and operands for tensor memory (tcgen05) in the layouts of tcgen05.st.
 * That has no price here, because no layout avoids it.
 *
 * A convert is a conversion that the caller asks for; out0 is the layout to
 * convert to. Other tiles in shared memory have their layout after memory=. */
#ifdef LL_ENGINE

/* Private: returns the number of layout m of value v in shared memory, from
 * offsets to elements; LL_ENGINE_NONE if it does not have one place for each
 * element. */
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

/* Private: returns whether a dot may read operand k in shared memory. */
LL_FN int ll_engine_is_placed_(const ll_engine_op *o, unsigned k) {
    return ll_engine_is_dot_(o->kind) && k < 2u &&
           (o->place[k][0] != LL_ENGINE_NONE ||
            o->place[k][1] != LL_ENGINE_NONE);
}

/* Private: asks e->family for the layouts in shared memory in which a dot's
 * instructions read operand k, and stores them, with its layout in
 * registers. */
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

/* ll_engine_by(e, op, name, n): gives the operands and the result of dot op the
 * layouts that e->family has for a name of n characters. The name must stay in
 * memory. If all operands are in registers, k may be in any order. An operand
 * that the instructions read in shared memory is read in place if a tma_load or
 * a local_load brings its tile in a layout that they take, also before a loop
 * that carries it. Otherwise it is stored there. Fails with
 * LL_ENGINE_EFAMILY. */
LL_FN void ll_engine_by(ll_engine *e, unsigned op, const char *name,
                        unsigned n) {
    if (e->err || op >= e->ops || !e->family ||
        !ll_engine_is_dot_(e->op[op].kind)) {
        ll_engine_fail_(e, LL_ENGINE_EFAMILY, op);
        return;
    }
    if (!name) {
        ll_engine_fail_(e, LL_ENGINE_ENULL, op);
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

/* ll_engine_memory(e, op, m): sets the layout in shared memory, from offsets to
 * elements, of the tile of a local_load, local_store, tma_load or tma_store.
 * For a tensor copy it is the layout in which the copy writes or reads the
 * tile. Fails with LL_ENGINE_EMEMORY. */
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
