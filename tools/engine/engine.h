/* engine.h - the state of engine.c, and what all its parts use: types and names
 * of values, layouts, places in memory, and the first words of a statement.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_H
#define LL_ENGINE_H

#define LL_ENGINE
#define LL_SORTS
#include "ll_amd.h"
#include "ll_ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 16, MEMORY = 1 << 26, OPERANDS = 40, MOST = 1 << 14 };

/* The state of the program, which engine.c defines:
 *   e        graph and solution
 *   text     the graph as read
 *   buffer   for printed layouts
 *   used     n_used layouts with a constant in the kernel
 *   whole    per value 1 for integers, 2 for addresses and what they are
 *            computed from */
extern ll_engine e;
extern char text[TEXT], buffer[4 * TEXT];
extern unsigned used[MOST], n_used;
extern unsigned char *whole;

/* ---- Roles of operands in accesses --------------------------------------- */

enum { ADDRESS, MASK, OTHER, WRITTEN };

static int is_access(const ll_engine_op *o) {
    return o->kind == LL_ENGINE_LOAD || o->kind == LL_ENGINE_STORE ||
           o->kind == LL_ENGINE_ATOMIC;
}

static unsigned bits_of(const ll_engine_op *o, unsigned k) {
    return e.value[e.operand[o->at + k]].element_bits;
}

/* Returns the operand of an access with that role, or LL_ENGINE_NONE. */
static unsigned operand_as(const ll_engine_op *o, unsigned role) {
    const unsigned n = o->n_in;
    const int load = o->kind == LL_ENGINE_LOAD;
    const unsigned first = n + (unsigned)load > 1u && bits_of(o, 0) == 64u;
    const unsigned mask = load ? first : n - 1u;
    const int masked = n > first + !load && bits_of(o, mask) == 1u;
    const unsigned none = LL_ENGINE_NONE;
    switch (role) {
    case ADDRESS:
        return first ? 0 : none;
    case MASK:
        return masked ? mask : none;
    case OTHER:
        return load && masked && n > mask + 1u ? mask + 1u : none;
    default:
        return load ? none : first;
    }
}

static unsigned has_role(const ll_engine_op *o, unsigned role) {
    return is_access(o) && operand_as(o, role) != LL_ENGINE_NONE;
}

/* ---- Values and layouts -------------------------------------------------- */

static const char *type_of(unsigned v) {
    const unsigned bits = e.value[v].element_bits;
    return bits <= 8u    ? "unsigned char"
           : bits <= 16u ? "unsigned short"
           : bits <= 32u ? whole[v] ? "unsigned" : "float"
           : whole[v]    ? "unsigned long long"
                         : "double";
}

/* Returns the name of value v in layout `id`. Names in graphs do not begin with
 * a digit; a number in front distinguishes equal names, or names that would be
 * equal without dots. */
static const char *name_of(unsigned v, unsigned id) {
    static char names[4][128];
    static unsigned next;
    char *s = names[next++ % 4u];
    const ll_engine_value *a = &e.value[v];
    const int own = ll_engine_held(&e, v, 0) == id ||
                    ll_engine_held(&e, v, 0) == LL_ENGINE_NONE;
    size_t n = 2;
    strcpy(s, "v_");
    if (!own) {
        n += (size_t)snprintf(s + n, 20, "%u_", id);
    }
    if (a->name && memchr(a->name, '.', a->length)) {
        n += (size_t)snprintf(s + n, 20, "%ud_", v);
    }
    if (a->name) {
        snprintf(s + n, 80, "%.*s", (int)a->length, a->name);
    } else {
        snprintf(s + n, 20, "%u", v);
    }
    for (char *c = s; *c; ++c) {
        *c = *c == '.' ? '_' : *c;
    }
    return s;
}

static int is_in(unsigned number, const unsigned *list, unsigned n) {
    unsigned k = 0;
    while (k < n && list[k] != number) {
        ++k;
    }
    return k < n;
}

/* The layout's constant in the kernel is for the shape of its value. */
static void write_layout(unsigned v, unsigned id) {
    const ll_layout a = ll_engine_layout(&e, v, id);
    const unsigned key = v << 12 | id;
    if (!is_in(key, used, n_used) && n_used < MOST) {
        used[n_used++] = key;
        ll_str(a, buffer, sizeof buffer);
        printf("LL_LAYOUT(L%u_%u, ll_parse(\"%s\"));\n", v, id, buffer);
    }
}

/* The same for the elements as one row in memory. */
static void write_row(unsigned v, unsigned id) {
    const unsigned key = 1u << 31 | v << 12 | id;
    if (!is_in(key, used, n_used) && n_used < MOST && e.value[v].bits) {
        const ll_layout a = ll_engine_wide_(&e.flat[id], e.value[v].bits, 0, 0);
        used[n_used++] = key;
        ll_str(a, buffer, sizeof buffer);
        printf("LL_LAYOUT(M%u_%u, ll_parse(\"%s\"));\n", v, id, buffer);
    }
}

/* Returns the operand or result k of an operation that is in memory: loaded,
 * stored, or moved from or to somewhere else. NONE: there is none. */
static unsigned in_memory(const ll_engine_op *o) {
    switch (o->kind) {
    case LL_ENGINE_LOAD:
    case LL_ENGINE_SOURCE:
        return o->n_in;
    case LL_ENGINE_STORE:
    case LL_ENGINE_SINK:
        return 0;
    case LL_ENGINE_FIXED:
        return o->n_in && o->n_out ? LL_ENGINE_NONE : 0u;
    default:
        return LL_ENGINE_NONE;
    }
}

static int is_tma(const ll_engine_op *o) {
    return o->kind == LL_ENGINE_TMA_LOAD || o->kind == LL_ENGINE_TMA_STORE;
}

/* Returns whether it merges two branches. Both are executed. */
static unsigned is_merge(const ll_engine_op *o) {
    return o->kind == LL_ENGINE_CARRY && !o->axis;
}

/* Returns layout `id` of a value's tile, from offsets in shared memory. */
static ll_layout memory_as(const ll_engine_value *v, unsigned id) {
    const ll_shape none = LL_ZERO;
    ll_layout m =
        ll_zero(ll_shape_add_(none, LL_OFFSET, v->bits), ll_engine_shape_(v));
    for (unsigned k = 0; k < v->bits; ++k) {
        m.basis[k] = e.flat[id].basis[k];
    }
    return m;
}

static ll_layout memory_of(unsigned v, unsigned id) {
    return memory_as(&e.value[v], id);
}

static unsigned bytes_of(unsigned v) {
    return (1u << e.value[v].bits) *
           (ll_engine_element_(e.value[v].element_bits) / 8u);
}

/* Returns the bytes of its tile, rounded up for the next tile. */
static unsigned room_of(unsigned v, int packed) {
    return ((bytes_of(v) >> packed) + 1023u) / 1024u * 1024u;
}

/* Returns whether lanes pass operand or result i in registers. */
static int in_registers(const ll_engine_op *o, unsigned i,
                        const unsigned *tuple) {
    return !ll_engine_is_placed_(o, i) || tuple[i] == o->place[i][2];
}

static unsigned executed(unsigned op, unsigned k, unsigned *tuple) {
    return (unsigned)ll_engine_executed(&e, op, k, tuple);
}

/* Returns the operand that is stored in the tile that operand k of product p
 * reads, as twice the product plus k. Tiles of two numbers a byte are not
 * shared. */
static unsigned stored_by(unsigned p, unsigned k) {
    const ll_engine_op *o = &e.op[p];
    const unsigned v = e.operand[o->at + k];
    unsigned none = LL_ENGINE_NONE;
    return o->shares[k] && e.value[v].element_bits >= 8u
               ? e.value[ll_engine_root_(&e, v, &none)].tile[0] - 1u
               : 2u * p + k;
}

/* Returns the layout of a tile of value v for the value that v transposes. */
static unsigned at_root(unsigned v, unsigned id) {
    ll_engine_root_(&e, v, &id);
    return id;
}

/* Returns the layout in shared memory in which operand k of a product is
 * stored, or LL_ENGINE_NONE. */
static unsigned stored_to(unsigned p, unsigned k) {
    const ll_engine_op *o = &e.op[p];
    const unsigned v = e.operand[o->at + k];
    const unsigned by = stored_by(p, k);
    unsigned tuple[OPERANDS];
    unsigned best = LL_ENGINE_NONE;
    if (!ll_engine_is_placed_(o, k) || !executed(p, 0, tuple) ||
        e.value[v].is_free || tuple[k] == o->in_place[k] ||
        tuple[k] == o->place[k][2]) {
        return LL_ENGINE_NONE;
    }
    if (by != 2u * p + k) {
        const unsigned q = e.operand[e.op[by / 2u].at + by % 2u];
        const unsigned id = at_root(q, stored_to(by / 2u, by % 2u));
        return o->place[k][at_root(v, o->place[k][0]) != id];
    }
    for (unsigned t = 0; t < 2u; ++t) {
        const unsigned id = o->place[k][t];
        best = id == LL_ENGINE_NONE ? best
               : best == LL_ENGINE_NONE ||
                       ll_engine_tile_(&e, id, LL_WRITE, v, tuple[k]) <
                           ll_engine_tile_(&e, best, LL_WRITE, v, tuple[k])
                   ? id
                   : best;
    }
    return best;
}

/* Returns whether operand k of a product is stored in a tile of its own. */
static int is_stored(unsigned p, unsigned k) {
    return stored_by(p, k) == 2u * p + k && stored_to(p, k) != LL_ENGINE_NONE;
}

/* ---- Statements ---------------------------------------------------------- */

static void indent(void) { printf("%*s", 4 * (int)(e.depth + 1u), ""); }

static void declare(unsigned v, unsigned id) {
    indent();
    printf("%s %s[1 << %u];\n", type_of(v), name_of(v, id), e.flat[id].n[0]);
}

static void write_operand(unsigned v, unsigned id, unsigned p, unsigned k) {
    if (e.value[v].is_free) {
        printf("v_%u_%u_%s", p, k, name_of(v, id) + 2);
    } else {
        printf("%s", name_of(v, id));
    }
}

/* Returns the innermost loop around operation p, or LL_ENGINE_NONE. */
static unsigned loop_round(unsigned p) {
    unsigned depth = 0;
    while (p-- > 0) {
        if (e.op[p].kind == LL_ENGINE_LOOP && !e.op[p].cost) {
            ++depth;
        } else if (e.op[p].kind == LL_ENGINE_LOOP && !depth--) {
            return p;
        }
    }
    return LL_ENGINE_NONE;
}

/* Writes the start of a tile of value v. */
static void write_place(unsigned p, unsigned i, unsigned v) {
    const ll_engine_op *o = &e.op[p];
    const unsigned block = o->block ? o->block - 1u : 1u << e.value[v].bits;
    printf("p%u_%u", p, i);
    if (block) {
        printf(" + (size_t)(TILE) * %uu", block);
    }
    if (o->step > 1u && loop_round(p) != LL_ENGINE_NONE) {
        printf(" + (size_t)i%u * %uu", loop_round(p), o->step - 1u);
    }
}

/* Writes a comment that a memory access does not move with a loop. */
static void write_still(unsigned p) {
    unsigned loop = loop_round(p);
    if (e.op[p].step && loop != LL_ENGINE_NONE) {
        loop = loop_round(loop);
    }
    if (loop != LL_ENGINE_NONE && !has_role(&e.op[p], ADDRESS)) {
        indent();
        printf("/* the same in each trip of i%u%s */\n", loop,
               e.op[p].step ? "" : ": fill in, or say step=");
    }
}

#endif
