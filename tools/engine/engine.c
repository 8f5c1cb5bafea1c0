/* engine.c - finds the layouts of a tensor program and writes its kernel.
 * SPDX-License-Identifier: MIT
 *
 *     gcc -std=c11 -I. tools/engine/engine.c -o engine
 *     ./engine GRAPH [--warps=4] [--sm=90] [--name=kernel] > kernel.cu
 *     ./engine GRAPH --gfx=942 [--lanes=64] > kernel.hip
 *     ./engine --help
 *
 * Reads a graph as engine/parse in ll.h describes it. Writes a CUDA or HIP
 * kernel with the layouts, plans, loads, stores and conversions, and with the
 * matrix instructions that the graph names. A comment at the top explains the
 * layouts and the cost of each remaining conversion.
 *
 * The author fills in:
 * - a function for each map
 * - a function for each atomic operation, which is a sum otherwise
 * - reductions without op= in the graph
 * - instructions with fixed layouts
 *
 * How the kernel is written:
 * - a loop loads and stores the same tile in each trip, unless step= says how
 *   far the tile moves
 * - both branches of a condition are executed; a parameter of the kernel
 *   selects the result
 * - tensor copies come with their barriers; any other access to a tile in
 *   shared memory is a loop over elements, to be replaced
 * - each block works on its own tile, number TILE, unless block= says how far
 *   the next block's tile is
 *
 * Matrix instructions are in engine_products.h, tiles in shared memory in
 * engine_tiles.h, accesses by addresses, masks and atomic operations in
 * engine_access.h, reductions, scans, sorts and gathers in engine_along.h, the
 * kernel's parameters and memory in engine_parameters.h. Exit status 1 and one
 * sentence: there is no kernel, or the target does not have the instructions.
 */
#include "engine_access.h"
#include "engine_along.h"
#include "engine_checks.h"
#include "engine_integers.h"
#include "engine_options.h"
#include "engine_parameters.h"
#include "engine_products.h"
#include "engine_tensor_memory.h"
#include "engine_tiles.h"

ll_engine e;
char text[TEXT], buffer[4 * TEXT];
unsigned used[MOST], n_used;
unsigned char *whole;
target_and_types made_for;

/* ---- Constants before the kernel ---------------------------------------- */

static void write_constants(void) {
    unsigned tuple[OPERANDS];
    for (unsigned p = 0; p < e.ops; ++p) {
        const ll_engine_op *o = &e.op[p];
        for (unsigned k = 0; executed(p, k, tuple); ++k) {
            for (unsigned i = 0; i < o->n_in + o->n_out; ++i) {
                if (in_registers(o, i, tuple)) {
                    write_layout(e.operand[o->at + i], tuple[i]);
                }
            }
            for (unsigned i = 0; i < o->n_in + o->n_out; ++i) {
                if (is_accessed(o, i) || o->kind == LL_ENGINE_ATOMIC) {
                    write_row(e.operand[o->at + i], tuple[i]);
                }
            }
            write_plans(p, k, tuple);
        }
    }
    for (unsigned p = 0; p < e.ops; ++p) {
        write_tiles(p);
        write_product_constants(p);
    }
    for (unsigned k = 0; k < ll_engine_moves(&e); ++k) {
        const ll_engine_move m = ll_engine_move_at(&e, k);
        write_layout(m.value, m.from);
        write_layout(m.value, m.to);
        printf("LL_PLAN%s(C%u, L%u_%u, L%u_%u, %u, TARGET",
               e.scratch ? "_WITHIN" : "", k, m.value, m.from, m.value, m.to,
               ll_engine_element_(e.value[m.value].element_bits));
        if (e.scratch) {
            printf(", %u", e.scratch);
        }
        printf(");\n");
    }
}

static int is_instruction(const ll_engine_op *o) {
    return ll_engine_is_dot_(o->kind) ||
           (o->kind == LL_ENGINE_FIXED && o->n_in && o->n_out);
}

static int has_function(const ll_engine_op *o) {
    return o->kind == LL_ENGINE_MAP || o->kind == LL_ENGINE_UNPACK ||
           (is_instruction(o) && product_of(o).how == BY_HAND);
}

/* Stops the compiler until the author has filled in the functions: what they
 * return is a guess. */
static void write_reminder(void) {
    int open = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        open = open || has_function(&e.op[p]) ||
               e.op[p].kind == LL_ENGINE_ATOMIC;
    }
    printf("%s", open ? "#ifndef FILLED_IN\n#error \"fill in the functions "
                        "above, then delete these lines\"\n#endif\n\n"
                      : "");
}

/* Writes a function for the arithmetic of each map and of each instruction. */
static void write_functions(void) {
    write_access_functions();
    write_atomic_functions();
    write_product_functions();
    for (unsigned p = 0; p < e.ops; ++p) {
        const ll_engine_op *o = &e.op[p];
        for (unsigned r = 0; has_function(o) && r < o->n_out; ++r) {
            const unsigned v = e.operand[o->at + o->n_in + r];
            const char *comma = "";
            unsigned tuple[OPERANDS] = {0};
            executed(p, 0, tuple);
            printf("static __device__ %s f%u_%u(", type_of(v), p, r);
            for (unsigned i = 0; i < o->n_in; ++i) {
                if (in_registers(o, i, tuple)) {
                    printf("%s%s x%u", comma, type_of(e.operand[o->at + i]), i);
                    comma = ", ";
                }
            }
            if (o->kind == LL_ENGINE_UNPACK) {
                printf(", unsigned half) {\n    return (%s)(x0 >> 4 * half & "
                       "15); /* fill in */\n}\n",
                       type_of(v));
                continue;
            }
            printf(") {\n    return (%s)(", type_of(v));
            const char *plus = "";
            for (unsigned i = 0; i < o->n_in; ++i) {
                if (in_registers(o, i, tuple)) {
                    printf("%sx%u", plus, i);
                    plus = " + ";
                }
            }
            printf("%s); /* fill in%s */\n}\n",
                   *plus ? "" : "0",
                   is_instruction(o) ? ": an instruction" : "");
        }
    }
}

/* ---- The kernel --------------------------------------------------------- */

/* Stores value v for the products that read it from shared memory. */
static void write_stores(unsigned v) {
    unsigned tuple[OPERANDS];
    for (unsigned p = 0; p < e.ops; ++p) {
        for (unsigned k = 0; k < 2u && k < e.op[p].n_in; ++k) {
            if (e.operand[e.op[p].at + k] != v ||
                !is_stored(p, k) || !executed(p, 0, tuple)) {
                continue;
            }
            indent();
            printf("__syncthreads();\n");
            indent();
            if (is_packed(p, k)) {
                printf("unsigned pairs_%u_%u[LL_WORDS(PAIRS_%u_%u, 4)];\n", p,
                       k, p, k);
                indent();
                printf("nibbles_of<%u>(pairs_%u_%u, %s);\n", pair_bit(p, k), p,
                       k, name_of(v, tuple[k]));
                indent();
                printf("LL_STORE_SHARED(pairs_%u_%u, TILE_%u_%u, tile_%u_%u);\n",
                       p, k, p, k, p, k);
            } else {
                printf("LL_STORE_SHARED(%s, TILE_%u_%u, tile_%u_%u);\n",
                       name_of(v, tuple[k]), p, k, p, k);
            }
            indent();
            printf("ll_ptx_fence_proxy_async();\n");
            indent();
            printf("__syncthreads();\n");
        }
    }
}

/* Converts and stores value v as soon as it is computed. */
static void write_moves(unsigned v) {
    for (unsigned k = 0; k < ll_engine_moves(&e); ++k) {
        const ll_engine_move m = ll_engine_move_at(&e, k);
        if (m.value == v) {
            declare(v, m.to);
            indent();
            if (m.kind == LL_SHARED) { /* others may still read from it */
                printf("__syncthreads();\n");
                indent();
            }
            printf("LL_CONVERT(%s, ", name_of(v, m.to));
            printf("%s, C%u, smem);\n", name_of(v, m.from), k);
        }
    }
    write_stores(v);
}

/* Writes the operand's register that has the element of register r. */
static void write_register(const ll_engine_op *o, unsigned small,
                           unsigned big) {
    const ll_engine_link_ l = ll_engine_link_of_(&e, o);
    const ll_engine_flat *f = &e.flat[small];
    const ll_engine_flat *g = &e.flat[big];
    unsigned at = 0;
    for (unsigned k = 0; k < g->n[0]; ++k) {
        unsigned y = 0;
        for (unsigned b = 0; b < l.small_bits; ++b) {
            y |= (g->basis[k] >> l.to[b] & 1u) << b;
        }
        if (y && at < f->n[0] && f->basis[at] == y) {
            printf("%s(r >> %u & 1) << %u", at ? " | " : "", k, at);
            ++at;
        }
    }
    printf("%s", at ? "" : "0");
}

/* Writes register r of a constant: the index along an axis, the start of
 * memory, or the kernel's parameter. */
static void write_constant(unsigned v, unsigned id) {
    const unsigned axis = range_of(v);
    printf("(%s)", type_of(v));
    if (axis < e.value[v].rank) {
        printf("LL_AT(L%u_%u, LL_%c, r)", v, id, (char)('I' + axis));
    } else {
        printf(is_address(v) ? "memory" : "constant");
    }
}

/* Writes a constant in each layout in which it is used. */
static void write_free(unsigned v, unsigned id, unsigned p, unsigned k) {
    indent();
    printf("%s ", type_of(v));
    write_operand(v, id, p, k);
    printf("[1 << %u]; /* a constant: fill in */\n", e.flat[id].n[0]);
    indent();
    printf("LL_EACH(r, L%u_%u) {\n", v, id);
    indent();
    printf("    ");
    write_operand(v, id, p, k);
    printf("[r] = ");
    write_constant(v, id);
    printf(";\n");
    indent();
    printf("}\n");
}

/* Returns the register whose number selects the half of a pair. */
static unsigned pair_register(const ll_engine_op *o, unsigned big) {
    const ll_engine_link_ l = ll_engine_link_of_(&e, o);
    unsigned k = 0;
    while (k < e.flat[big].n[0] && e.flat[big].basis[k] != ll_link_gone_(&l)) {
        ++k;
    }
    return k;
}

/* Writes the number r without bit k. */
static void write_without(unsigned k) {
    printf("[(r & %u) | (r >> %u << %u)]", (1u << k) - 1u, k + 1u, k);
}

static void write_access(unsigned p, unsigned i, unsigned k,
                         const unsigned *tuple, int load) {
    const unsigned v = e.operand[e.op[p].at + i];
    write_still(p);
    if (is_direct(&e.op[p], i)) {
        write_direct(p, i, k, tuple, load);
        return;
    }
    indent();
    printf(load ? "LL_LOAD(" : "LL_STORE(");
    if (load) {
        printf("%s", name_of(v, tuple[i]));
    } else {
        write_operand(v, tuple[i], p, k);
    }
    printf(", M%u_%u, ", v, tuple[i]);
    write_place(p, i, v);
    printf(", %uu);\n", 1u << e.value[v].bits);
}

/* Writes the register of an operand, in layout `from`, that result i, in layout
 * `to`, takes for its register r. `at` selects the half of a pair. */
static void write_place_in(const ll_engine_op *o, unsigned from, unsigned to,
                           unsigned i, unsigned at) {
    if (o->kind == LL_ENGINE_BROADCAST) {
        printf("[");
        write_register(o, from, to);
        printf("]");
    } else if (o->kind == LL_ENGINE_JOIN) {
        write_without(at);
    } else if (o->kind == LL_ENGINE_SPLIT) {
        printf("[(r & %u) | (r >> %u << %u) | %u]", (1u << at) - 1u, at,
               at + 1u, i << at);
    } else if (o->kind == LL_ENGINE_UNPACK) {
        printf("[r >> 1], r & 1");
    } else if (is_instruction(o)) {
        printf("[r & %u]", (1u << e.flat[from].n[0]) - 1u);
    } else {
        printf("[r]");
    }
}

/* Writes registers of the result from registers of the operands. */
static void write_registers(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned *in = e.operand + o->at;
    const unsigned *to = tuple + o->n_in;
    const int join = o->kind == LL_ENGINE_JOIN;
    const unsigned at = join ? pair_register(o, to[0])
                        : o->kind == LL_ENGINE_SPLIT
                            ? pair_register(o, tuple[0])
                            : 0u;
    for (unsigned i = 0; i < o->n_out; ++i) {
        indent();
        printf("LL_EACH(r, L%u_%u) {\n", in[o->n_in + i], to[i]);
        indent();
        printf("    %s[r] = ", name_of(in[o->n_in + i], to[i]));
        if (has_function(o)) {
            printf("f%u_%u(", p, i);
        }
        const char *comma = "";
        for (unsigned j = 0; j < o->n_in; ++j) {
            if (!in_registers(o, j, tuple)) {
                continue;
            }
            printf("%s", comma);
            comma = join ? " : " : ", ";
            if (join && j == 0) {
                printf("r >> %u & 1 ? ", at);
            }
            const unsigned from = join ? !j : j;
            write_operand(in[from], tuple[from], p, k);
            write_place_in(o, tuple[from], to[i], i, at);
        }
        printf(has_function(o) ? ");\n" : ";\n");
        indent();
        printf("}\n");
    }
}

/* Writes the start of a loop value, or the merge of two branches: the values of
 * one. */
static void write_carry(unsigned p, unsigned k, const unsigned *tuple) {
    const unsigned *v = e.operand + e.op[p].at;
    const unsigned merge = is_merge(&e.op[p]);
    const unsigned to = merge ? 3u : 2u;
    indent();
    printf("LL_EACH(r, L%u_%u) {\n", v[to], tuple[to]);
    indent();
    printf("    %s[r] = ", name_of(v[to], tuple[to]));
    if (merge) {
        printf("first%u ? ", p);
    }
    write_operand(v[0], tuple[0], p, k);
    if (merge) {
        printf("[r] : ");
        write_operand(v[1], tuple[1], p, k);
    }
    printf("[r];\n");
    indent();
    printf("}\n");
}

/* Writes the constants that an operation takes, and its results' arrays. */
static void write_operands(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned *v = e.operand + o->at;
    for (unsigned i = 0; i < o->n_in; ++i) {
        if (e.value[v[i]].is_free && in_registers(o, i, tuple) &&
            !(o->kind == LL_ENGINE_CARRY && o->axis && i)) {
            write_free(v[i], tuple[i], p, k);
        }
    }
    for (unsigned i = o->n_in + is_merge(o);
         o->kind != LL_ENGINE_ATOMIC && i < o->n_in + o->n_out; ++i) {
        declare(v[i], tuple[i]);
    }
}

static void write_by_kind(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned *out = e.operand + o->at + o->n_in;
    switch (o->kind) {
    case LL_ENGINE_LOCAL_LOAD:
    case LL_ENGINE_TMA_LOAD:
        indent();
        printf("LL_LOAD_SHARED(%s, TILE_%u, %s);\n",
               name_of(out[0], tuple[o->n_in]), p, tile_of(out[0]));
        return;
    case LL_ENGINE_LOCAL_STORE:
    case LL_ENGINE_TMA_STORE:
        write_take(p, tuple[0]);
        return;
    case LL_ENGINE_REDUCE:
    case LL_ENGINE_SCAN:
        write_along(p, k, tuple);
        return;
    case LL_ENGINE_SORT:
    case LL_ENGINE_GATHER:
        write_exchange(p, k, tuple);
        return;
    case LL_ENGINE_ATOMIC:
        write_atomics(p, k, tuple);
        return;
    case LL_ENGINE_CARRY:
        write_carry(p, k, tuple);
        return;
    case LL_ENGINE_LOOP:
        return;
    default:
        write_registers(p, k, tuple);
    }
}

static void write_execution(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    if (o->n_out && e.value[e.operand[o->at + o->n_in]].in_place) {
        return; /* not held by a lane */
    }
    write_operands(p, k, tuple);
    if (in_memory(o) != LL_ENGINE_NONE) {
        for (unsigned i = 0; i < o->n_in + o->n_out; ++i) {
            if (is_accessed(o, i)) {
                write_access(p, i, k, tuple, o->n_out != 0);
            }
        }
        return;
    }
    if (product_of(o).how != BY_HAND) {
        write_product(p, tuple);
        return;
    }
    write_by_kind(p, k, tuple);
}

/* Returns whether the next value of carried value p is another carried value of
 * the loop that is updated before it. */
static int is_kept(unsigned loop, unsigned p) {
    const unsigned next = e.operand[e.op[p].at + 1u];
    const unsigned from = e.value[next].def;
    unsigned tuple[OPERANDS];
    return from >= ll_engine_carried_(&e, loop) && from < p &&
           !e.value[next].is_free && executed(p, 0, tuple);
}

/* Copies next values that change before they are used. */
static void write_kept(unsigned loop) {
    unsigned tuple[OPERANDS];
    for (unsigned p = ll_engine_carried_(&e, loop); p < loop; ++p) {
        const unsigned *v = e.operand + e.op[p].at;
        for (unsigned k = 0; is_kept(loop, p) && executed(p, k, tuple); ++k) {
            indent();
            printf("%s kept_%u_%u[1 << %u];\n", type_of(v[1]), p, k,
                   e.flat[tuple[1]].n[0]);
            indent();
            printf("LL_EACH(r, L%u_%u) {\n", v[1], tuple[1]);
            indent();
            printf("    kept_%u_%u[r] = %s[r];\n", p, k,
                   name_of(v[1], tuple[1]));
            indent();
            printf("}\n");
        }
    }
}

/* Writes the end of a loop: carried values receive their next values. */
static void write_yield(unsigned loop) {
    unsigned tuple[OPERANDS];
    write_carried_tiles(loop, 1);
    write_kept(loop);
    for (unsigned p = ll_engine_carried_(&e, loop); p < loop; ++p) {
        const unsigned *v = e.operand + e.op[p].at;
        for (unsigned k = 0; !e.value[v[2]].in_place && executed(p, k, tuple);
             ++k) {
            indent();
            printf("LL_EACH(r, L%u_%u) {\n", v[2], tuple[2]);
            for (unsigned i = 2; i < 4u; ++i) {
                indent();
                printf("    %s[r] = ", name_of(v[i], tuple[i]));
                if (e.value[v[1]].is_free) {
                    write_constant(v[1], tuple[1]);
                    printf("; /* fill in */\n");
                } else if (is_kept(loop, p)) {
                    printf("kept_%u_%u[r];\n", p, k);
                } else {
                    printf("%s[r];\n", name_of(v[1], tuple[1]));
                }
            }
            indent();
            printf("}\n");
        }
    }
}

/* Writes the values that a loop returns, after its end. */
static void write_left(unsigned loop) {
    for (unsigned p = ll_engine_carried_(&e, loop); p < loop; ++p) {
        write_moves(e.operand[e.op[p].at + 3u]);
    }
}

static void write_body(void) {
    unsigned tuple[OPERANDS];
    unsigned loop[LL_ENGINE_DEPTH + 1u];
    e.depth = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        const ll_engine_op *o = &e.op[p];
        if (o->kind == LL_ENGINE_LOOP && o->cost) {
            write_carried_tiles(p, 0);
            indent();
            printf("for (int i%u = 0; i%u < %u; ++i%u) {\n", p, p, o->cost, p);
            loop[e.depth++] = p;
            for (unsigned c = ll_engine_carried_(&e, p); c < p; ++c) {
                write_moves(e.operand[e.op[c].at + 2u]);
            }
            continue;
        }
        if (o->kind == LL_ENGINE_LOOP) {
            write_yield(loop[e.depth - 1u]);
            --e.depth;
            indent();
            printf("}\n");
            write_left(loop[e.depth]);
            continue;
        }
        if (ll_engine_is_tile_(o->kind) && o->n_out) {
            write_bring(p);
        }
        for (unsigned k = 0; executed(p, k, tuple); ++k) {
            write_execution(p, k, tuple);
        }
        if (is_merge(o) && carries_tile(p)) {
            write_merged_tile(p);
        }
        for (unsigned i = is_merge(o);
             (o->kind != LL_ENGINE_CARRY || i) && i < o->n_out; ++i) {
            write_moves(e.operand[o->at + o->n_in + i]);
        }
    }
}

static void write_kernel(const char *name) {
    printf("#ifndef TILE\n#define TILE blockIdx.x\n#endif\n\n"
           "__global__ void %s(",
           name);
    write_parameters();
    printf(") {\n");
    write_memory();
    write_body();
    write_tensor_memory(0);
    printf("}\n");
}

static const char *graph_file; /* of the graph */

static int fail(void) {
    ll_engine_error(&e, buffer, sizeof buffer);
    fprintf(stderr, "engine: %s: %s%s\n", graph_file, buffer,
            e.err != LL_ENGINE_EFAMILY ? ""
            : made_for.gfx ? "; the names are mfma16, mfma32, mfma_scale16, "
                             "mfma_scale32, wmma_w32, wmma_w64, wmma_w32_gfx12 "
                             "and wmma_w64_gfx12"
                           : "; the names are mma, wgmma, tcgen05 and "
                             "tcgen05_ta");
    return 1;
}

/* Returns whether the kernel writer supports an operation. */
static int is_known(const ll_engine_op *o, unsigned gfx) {
    int known = in_memory(o) != LL_ENGINE_NONE || has_function(o) ||
                o->kind == LL_ENGINE_ATOMIC || o->kind == LL_ENGINE_CONSTANT ||
                is_along(o) || o->kind == LL_ENGINE_UNPACK ||
                o->kind == LL_ENGINE_GATHER || o->kind == LL_ENGINE_SORT ||
                o->kind == LL_ENGINE_REORDER || is_instruction(o) ||
                ll_engine_is_shape_(o->kind) || o->kind == LL_ENGINE_LOOP ||
                o->kind == LL_ENGINE_CARRY ||
                (ll_engine_is_tile_(o->kind) && is_tile_written(o, gfx));
    for (unsigned i = 0; i < o->n_in + o->n_out; ++i) {
        const ll_engine_value *v = &e.value[e.operand[o->at + i]];
        known = known && v->rank <= LL_MAX_DIMS && v->element_bits <= 64u &&
                (v->bits || !ll_engine_is_tile_(o->kind));
    }
    return known && (!is_access(o) || is_access_written(o)) && !e.counts[3];
}

/* Returns whether a carried value's next value is made inside the loop. A while
 * makes it after. */
static int is_made_in_loop(unsigned p) {
    const unsigned next = e.operand[e.op[p].at + 1u];
    unsigned depth = 0;
    unsigned q = p;
    do {
        ++q;
        depth += e.op[q].kind != LL_ENGINE_LOOP ? 0u
                 : e.op[q].cost                 ? 1u
                                                : 0u - 1u;
    } while (depth || e.op[q].kind != LL_ENGINE_LOOP);
    if (e.value[next].def < q) {
        return 1;
    }
    fprintf(stderr, "engine: %s is made after the loop whose next value it is: "
                    "there is no kernel text for a while; its layouts are in "
                    "the explanation\n",
            said_of(next));
    return 0;
}

/* Reports an operation that the kernel writer does not support. */
static int is_written(unsigned gfx) {
    for (unsigned p = 0; p < e.ops; ++p) {
        if (e.op[p].kind == LL_ENGINE_CARRY && e.op[p].axis &&
            !is_made_in_loop(p)) {
            return 0;
        }
        if (!is_known(&e.op[p], gfx)) {
            const ll_engine_op *o = &e.op[p];
            ll_writer_ w = ll_writer_on_(buffer, sizeof buffer);
            ll_engine_write_values_(&w, &e, o->at, o->n_in + o->n_out, " ");
            fprintf(stderr,
                    is_access(o)
                        ? "engine: %s %s (operation %u): addresses must have "
                          "64 bits, a mask 1 bit, and values the same bits as "
                          "the result\n"
                        : "engine: there is no kernel text for %s %s "
                          "(operation %u); its layouts are in the "
                          "explanation\n",
                    ll_engine_kind_name_(o->kind), buffer, p);
            return 0;
        }
    }
    return 1;
}

/* Writes the headers, the target, and a function for constants. */
static void write_head(unsigned gfx, unsigned lanes, unsigned sm) {
    const int by_tiles = is_any_by(BY_WGMMA) || is_any_by(BY_TCGEN05);
    const int tensor = by_tiles || is_any_by(BY_MMA);
    int tma = 0, sorts = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        tma = tma || is_tma(&e.op[p]);
        sorts = sorts || e.op[p].kind == LL_ENGINE_SORT;
    }
    printf("/*\n%s */\n%s", buffer, sorts ? "#define LL_SORTS\n" : "");
    if (gfx) {
        printf("#include <hip/hip_runtime.h>\n#include \"ll_amd.h\"\n\n"
               "#define TARGET ll_amd_target(0x%x, %u)\n\n",
               gfx, lanes);
    } else {
        printf("%s#include \"ll_ptx.h\"\n\n#define TARGET "
               "ll_ptx_target(%u)\n\n",
               tma      ? "#define LL_TENSOR\n#include <cuda.h>\n"
               : tensor ? "#define LL_TENSOR\n"
                        : "",
               sm);
        printf("%s%s",
               tma || by_tiles
                   ? "static __device__ unsigned address(void *smem) {\n"
                     "    return (unsigned)__cvta_generic_to_shared(smem);\n"
                     "}\n\n"
                   : "",
               by_tiles ? "static __device__ unsigned long long slice(unsigned "
                          "long long tile, unsigned at) {\n"
                          "    return tile + (at >> 4 & 0x3fff);\n}\n\n"
                        : "");
    }
    printf("template <unsigned long long N_>\n"
           "__host__ __device__ constexpr unsigned\n"
           "most(const unsigned (&list)[N_]) {\n"
           "    unsigned n = 0;\n"
           "    for (unsigned k = 0; k < N_; ++k) {\n"
           "        n = list[k] > n ? list[k] : n;\n    }\n    return n;\n"
           "}\n\n");
}

/* Reads the graph, from standard input if the path is -. Prints an error if it
 * cannot. */
static int read_text(const char *path) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file) {
        fprintf(stderr, "engine: cannot open %s\n", path);
        return 0;
    }
    const size_t n = fread(text, 1, sizeof text, file);
    const int failed = ferror(file);
    if (file != stdin) {
        fclose(file);
    }
    if (failed) {
        fprintf(stderr, "engine: cannot read %s\n", path);
        return 0;
    }
    if (n == sizeof text) {
        fprintf(stderr, "engine: the graph has %u characters or more\n", TEXT);
        return 0;
    }
    text[n] = '\0';
    return 1;
}

/* Finds the layouts. */
static int find_layouts(void *memory, const char *path) {
    graph_file = path;
    const unsigned gfx = made_for.gfx;
    ll_engine_begin(&e, memory, MEMORY,
                    gfx ? ll_amd_target(gfx, made_for.lanes)
                        : ll_ptx_target(made_for.sm),
                    number(WARPS), 1);
    e.family = gfx ? ll_amd_dot : ll_ptx_dot;
    e.sort = ll_sort_cycles;
    e.scratch = number(SCRATCH);
    e.registers = number(REGISTERS);
    if (!ll_engine_parse(&e, text) || !ll_engine_solve(&e)) {
        return !fail();
    }
    if (!e.ops) {
        fprintf(stderr, "engine: %s has no operations\n", path);
    }
    return e.ops != 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        printf("%s", usage);
        return 0;
    }
    const char *path = take_options(argc, argv);
    void *memory = malloc(MEMORY);
    made_for.gfx = number(GFX);
    made_for.lanes = number(LANES);
    made_for.sm = number(SM);
    made_for.type16 = options[TYPE16].value;
    made_for.type8 = options[TYPE8].value;
    made_for.type4 = options[TYPE4].value;
    if (!memory || !path || !read_text(path) || !find_layouts(memory, path) ||
        !can_run() || !find_whole() || !are_right() ||
        !is_written(made_for.gfx) || !are_loops_closed()) {
        return 1;
    }
    ll_engine_explain(&e, buffer, sizeof buffer);
    write_head(made_for.gfx, made_for.lanes, made_for.sm);
    write_constants();
    write_functions();
    write_reminder();
    write_kernel(options[NAME].value);
    free(whole);
    free(memory);
    return 0;
}
