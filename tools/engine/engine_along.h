/* engine_along.h - operations along an axis in the kernels of engine.c: reduce,
 * scan, sort and gather.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_ALONG_H
#define LL_ENGINE_ALONG_H

#include "engine.h"

/* Returns whether an operation combines elements along an axis. */
static int is_along(const ll_engine_op *o) {
    return o->kind == LL_ENGINE_REDUCE || o->kind == LL_ENGINE_SCAN;
}

/* Writes the plans of operations that move elements along an axis. */
static void write_plans(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned *v = e.operand + o->at;
    const char axis = (char)('I' + o->axis);
    const unsigned bits =
        o->n_in ? ll_engine_element_(e.value[v[0]].element_bits) : 0u;
    if (o->kind == LL_ENGINE_GATHER) {
        printf("LL_GATHER_PLAN(G%u_%u, L%u_%u, L%u_%u, LL_%c, %u, TARGET);\n",
               p, k, v[0], tuple[0], v[1], tuple[1], axis, bits);
    }
    if (o->kind == LL_ENGINE_SORT) {
        printf("LL_SORT_PLAN(S%u_%u, L%u_%u, LL_%c, %u, TARGET);\n", p, k,
               v[0], tuple[0], axis, bits);
    }
    for (unsigned i = 0; is_along(o) && i < o->n_in; ++i) {
        printf("LL_%s_PLAN(R%u_%u_%u, L%u_%u, LL_%c, %u, TARGET);\n",
               o->kind == LL_ENGINE_SCAN ? "SCAN" : "REDUCE", p, k, i, v[i],
               tuple[i], axis,
               ll_engine_element_(e.value[v[i]].element_bits));
    }
}

/* Returns the shared memory, in bytes, for moving operand i along an axis. */
static unsigned bytes_along(const ll_engine_op *o, unsigned i,
                            const unsigned *tuple) {
    const unsigned *v = e.operand + o->at;
    const ll_layout a = ll_engine_layout(&e, v[i], tuple[i]);
    const unsigned bits = ll_engine_element_(e.value[v[i]].element_bits);
    const ll_dim d = ll_axis(o->axis);
    switch (o->kind) {
    case LL_ENGINE_SCAN:
        return ll_scan_of(a, d, bits, e.target).smem_bytes;
    case LL_ENGINE_REDUCE:
        return ll_reduce_of(a, d, bits, e.target).smem_bytes;
    case LL_ENGINE_SORT:
        return i ? 0u : ll_sort_of(a, d, bits, e.target).smem_bytes;
    case LL_ENGINE_GATHER:
        return i ? 0u
                 : ll_gather_of(a, ll_engine_layout(&e, v[1], tuple[1]), d,
                                bits, e.target)
                       .smem_bytes;
    default:
        return 0;
    }
}

/* Writes how a reduction or scan combines x and y. */
static void write_combined(const ll_engine_op *o, const char *type,
                           unsigned bits) {
    static const char *const how[] = {"x + y", "x + y",  "x * y", "x < y ? x : y",
                                      "x < y ? y : x", "x & y", "x | y",
                                      "x ^ y"};
    printf("[](%s x, %s y) { return (%s)(%s); });%s\n", type, type, type,
           how[o->combine],
           !o->combine ? " /* a sum: fill in, or say op= */"
           : bits <= 16u && o->combine < LL_ENGINE_AND
               ? " /* of whole numbers: fill in others */"
               : "");
}

/* Writes reductions and scans of each operand. */
static void write_along(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned *in = e.operand + o->at;
    for (unsigned i = 0; i < o->n_in; ++i) {
        const char *type = type_of(in[i]);
        indent();
        if (bytes_along(o, i, tuple)) {
            printf("__syncthreads();\n");
            indent();
        }
        printf("LL_%s(%s, ", o->kind == LL_ENGINE_SCAN ? "SCAN" : "REDUCE",
               name_of(in[o->n_in + i], tuple[o->n_in + i]));
        write_operand(in[i], tuple[i], p, k);
        printf(", R%u_%u_%u, smem, ", p, k, i);
        write_combined(o, type, e.value[in[i]].element_bits);
    }
}

/* Writes a sort or a gather. */
static void write_exchange(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned *v = e.operand + o->at;
    const int gather = o->kind == LL_ENGINE_GATHER;
    indent();
    printf("__syncthreads();\n");
    indent();
    printf(gather ? "LL_GATHER(%s, " : "LL_SORT(%s, ",
           name_of(v[o->n_in], tuple[o->n_in]));
    write_operand(v[0], tuple[0], p, k);
    printf(", ");
    if (gather) {
        write_operand(v[1], tuple[1], p, k);
        printf(", G%u_%u, smem);\n", p, k);
    } else {
        printf("S%u_%u, smem, ll_up()); /* fill in the order */\n", p, k);
    }
}

#endif
