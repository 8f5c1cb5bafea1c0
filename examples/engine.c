/* engine.c - layouts for a tensor program, and its kernel.
 * SPDX-License-Identifier: MIT
 *
 *     gcc -std=c11 -I. examples/engine.c -o engine
 *     ./engine GRAPH [--warps=4] [--sm=90] > kernel.cu
 *
 * reads a graph as room 30 of ll.h describes it, and writes a CUDA kernel with
 * the layouts, plans and moves filled in. The explanation, with what each
 * remaining conversion costs, stands in a comment at the top. Arithmetic is a
 * function for each map, for the author to fill in. Exit 1 and one sentence if
 * there is no kernel.
 */
#define LL_ENGINE
#include "ll_ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 16, MEMORY = 1 << 26, OPERANDS = 40 };

static ll_engine e;
static char text[TEXT], buffer[4 * TEXT];
static unsigned used[256], n_used; /* layouts with a name in the kernel */

static const char *type_of(unsigned v) {
    const unsigned bits = e.value[v].element_bits;
    return bits <= 8u    ? "unsigned char"
           : bits <= 16u ? "unsigned short"
           : bits <= 32u ? "float"
                         : "double";
}

/* The name of value v where it has layout `id`. */
static const char *name_of(unsigned v, unsigned id) {
    static char names[4][128];
    static unsigned next;
    char *s = names[next++ % 4u];
    const ll_engine_value *a = &e.value[v];
    const int own = ll_engine_held(&e, v, 0) == id ||
                    ll_engine_held(&e, v, 0) == LL_ENGINE_NONE;
    const int length = snprintf(s, 128, "v_%.*s", (int)a->length,
                                a->name ? a->name : "");
    if (length > 0 && length < 100 && !a->name) {
        snprintf(s + length, 20, "%u", v);
    }
    for (char *c = s; *c; ++c) {
        *c = *c == '.' ? '_' : *c;
    }
    if (!own) {
        snprintf(s + strlen(s), 20, "_%u", id);
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

/* The layout's constant in the kernel belongs to the shape of its value. */
static void write_layout(unsigned v, unsigned id) {
    const ll_layout a = ll_engine_layout(&e, v, id);
    const unsigned key = v << 12 | id;
    if (!is_in(key, used, n_used) && n_used < 256u) {
        used[n_used++] = key;
        ll_str(a, buffer, sizeof buffer);
        printf("LL_LAYOUT(L%u_%u, ll_parse(\"%s\"));\n", v, id, buffer);
    }
}

static unsigned executed(unsigned op, unsigned k, unsigned *tuple) {
    return (unsigned)ll_engine_executed(&e, op, k, tuple);
}

/* ---- Constants before the kernel ---------------------------------------- */

static void write_constants(void) {
    unsigned tuple[OPERANDS];
    for (unsigned p = 0; p < e.ops; ++p) {
        const ll_engine_op *o = &e.op[p];
        for (unsigned k = 0; executed(p, k, tuple); ++k) {
            for (unsigned i = 0; i < o->n_in + o->n_out; ++i) {
                write_layout(e.operand[o->at + i], tuple[i]);
            }
            for (unsigned i = 0; o->kind == LL_ENGINE_REDUCE && i < o->n_in;
                 ++i) {
                printf("LL_REDUCE_PLAN(R%u_%u_%u, L%u_%u, LL_%c, %u, "
                       "TARGET);\n",
                       p, k, i, e.operand[o->at + i], tuple[i],
                       (char)('I' + o->axis),
                       ll_engine_element_(
                           e.value[e.operand[o->at + i]].element_bits));
            }
        }
    }
    for (unsigned k = 0; k < ll_engine_moves(&e); ++k) {
        const ll_engine_move m = ll_engine_move_at(&e, k);
        write_layout(m.value, m.from);
        write_layout(m.value, m.to);
        printf("LL_PLAN(C%u, L%u_%u, L%u_%u, %u, TARGET);\n", k, m.value,
               m.from, m.value, m.to,
               ll_engine_element_(e.value[m.value].element_bits));
    }
}

/* A function for the arithmetic of each map, and for each reduction. */
static void write_functions(void) {
    for (unsigned p = 0; p < e.ops; ++p) {
        const ll_engine_op *o = &e.op[p];
        for (unsigned r = 0; o->kind == LL_ENGINE_MAP && r < o->n_out; ++r) {
            const unsigned v = e.operand[o->at + o->n_in + r];
            printf("static __device__ %s f%u_%u(", type_of(v), p, r);
            for (unsigned i = 0; i < o->n_in; ++i) {
                printf("%s%s x%u", i ? ", " : "",
                       type_of(e.operand[o->at + i]), i);
            }
            printf(") {\n    return (%s)(", type_of(v));
            for (unsigned i = 0; i < o->n_in; ++i) {
                printf("%sx%u", i ? " + " : "", i);
            }
            printf("); /* fill in */\n}\n");
        }
    }
}

/* ---- The kernel --------------------------------------------------------- */

static void indent(void) {
    printf("%*s", 4 * (int)(e.depth + 1u), "");
}

static void declare(unsigned v, unsigned id) {
    indent();
    printf("%s %s[1 << %u];\n", type_of(v), name_of(v, id), e.flat[id].n[0]);
}

/* Conversions of value v, as soon as it is there. */
static void write_moves(unsigned v) {
    for (unsigned k = 0; k < ll_engine_moves(&e); ++k) {
        const ll_engine_move m = ll_engine_move_at(&e, k);
        if (m.value == v) {
            declare(v, m.to);
            indent();
            printf("__syncthreads();\n");
            indent();
            printf("LL_CONVERT(%s, ", name_of(v, m.to));
            printf("%s, C%u, smem);\n", name_of(v, m.from), k);
        }
    }
}

/* The register of the operand that has the element of register r. */
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

/* A constant is there in each layout in which it is used. */
static void write_free(unsigned v, unsigned id, unsigned p, unsigned k) {
    indent();
    printf("%s %s_%u_%u[1 << %u] = {}; /* a constant: fill in */\n",
           type_of(v), name_of(v, id), p, k, e.flat[id].n[0]);
}

static void write_operand(unsigned v, unsigned id, unsigned p, unsigned k) {
    printf("%s", name_of(v, id));
    if (e.value[v].is_free) {
        printf("_%u_%u", p, k);
    }
}

static unsigned columns_of(unsigned v) {
    return 1u << (e.value[v].rank ? e.value[v].size[e.value[v].rank - 1u] : 0);
}

static int write_execution(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned *in = e.operand + o->at;
    const unsigned *out = in + o->n_in;
    const unsigned *to = tuple + o->n_in;
    const unsigned data = o->n_in > 1u ? 1u : 0u;
    for (unsigned i = 0; i < o->n_in; ++i) {
        if (e.value[in[i]].is_free && o->kind != LL_ENGINE_LOAD) {
            write_free(in[i], tuple[i], p, k);
        }
    }
    for (unsigned i = 0; i < o->n_out; ++i) {
        declare(out[i], to[i]);
    }
    indent();
    switch (o->kind) {
    case LL_ENGINE_LOAD:
        printf("LL_LOAD(%s, L%u_%u, p%u, %u);\n", name_of(out[0], to[0]),
               out[0], to[0], p, columns_of(out[0]));
        return 1;
    case LL_ENGINE_STORE:
        printf("LL_STORE(");
        write_operand(in[data], tuple[data], p, k);
        printf(", L%u_%u, p%u, %u);\n", in[data], tuple[data], p,
               columns_of(in[data]));
        return 1;
    case LL_ENGINE_MAP:
    case LL_ENGINE_TRANS:
    case LL_ENGINE_RESHAPE:
    case LL_ENGINE_EXPAND:
    case LL_ENGINE_BROADCAST:
        printf("LL_EACH(r, L%u_%u) {\n", out[0], to[0]);
        for (unsigned i = 0; i < o->n_out; ++i) {
            indent();
            printf("    %s[r] = ", name_of(out[i], to[i]));
            if (o->kind == LL_ENGINE_MAP) {
                printf("f%u_%u(", p, i);
            }
            for (unsigned j = 0; j < o->n_in; ++j) {
                printf("%s", j ? ", " : "");
                write_operand(in[j], tuple[j], p, k);
                printf("[");
                if (o->kind == LL_ENGINE_BROADCAST) {
                    write_register(o, tuple[j], to[i]);
                } else {
                    printf("r");
                }
                printf("]");
            }
            printf(o->kind == LL_ENGINE_MAP ? ");\n" : ";\n");
        }
        indent();
        printf("}\n");
        return 1;
    case LL_ENGINE_REDUCE:
        for (unsigned i = 0; i < o->n_in; ++i) {
            printf("__syncthreads();\n");
            indent();
            printf("LL_REDUCE(%s, ", name_of(out[i], to[i]));
            write_operand(in[i], tuple[i], p, k);
            printf(", R%u_%u_%u, smem, [](%s x, %s y) { return (%s)(x + y); "
                   "});\n",
                   p, k, i, type_of(in[i]), type_of(in[i]), type_of(in[i]));
        }
        return 1;
    case LL_ENGINE_CARRY:
        printf("LL_EACH(r, L%u_%u) {\n", out[0], to[0]);
        indent();
        printf("    %s[r] = ", name_of(out[0], to[0]));
        write_operand(in[0], tuple[0], p, k);
        printf("[r];\n");
        indent();
        printf("}\n");
        return 1;
    default: printf("\n"); return 0;
    }
}

/* The end of a loop: what it carries takes its next value. */
static void write_yield(unsigned loop) {
    unsigned tuple[OPERANDS];
    for (unsigned p = ll_engine_carried_(&e, loop); p < loop; ++p) {
        for (unsigned k = 0; executed(p, k, tuple); ++k) {
            const unsigned *v = e.operand + e.op[p].at;
            indent();
            printf("LL_EACH(r, L%u_%u) {\n", v[2], tuple[2]);
            for (unsigned i = 2; i < 4u; ++i) {
                indent();
                printf("    %s[r] = ", name_of(v[i], tuple[i]));
                printf("%s[r];\n", name_of(v[1], tuple[1]));
            }
            indent();
            printf("}\n");
        }
    }
}

/* Values that a loop leaves are there behind its end. */
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
        for (unsigned k = 0; executed(p, k, tuple); ++k) {
            write_execution(p, k, tuple);
        }
        for (unsigned i = 0; o->kind != LL_ENGINE_CARRY && i < o->n_out; ++i) {
            write_moves(e.operand[o->at + o->n_in + i]);
        }
    }
}

static void write_memory(void) {
    unsigned tuple[OPERANDS];
    printf("    constexpr unsigned BYTES[] = {16");
    for (unsigned k = 0; k < ll_engine_moves(&e); ++k) {
        printf(", LL_SMEM_BYTES(C%u)", k);
    }
    for (unsigned p = 0; p < e.ops; ++p) {
        for (unsigned k = 0;
             e.op[p].kind == LL_ENGINE_REDUCE && executed(p, k, tuple); ++k) {
            for (unsigned i = 0; i < e.op[p].n_in; ++i) {
                printf(", LL_SMEM_BYTES(R%u_%u_%u)", p, k, i);
            }
        }
    }
    printf("};\n    __shared__ __align__(16) unsigned char "
           "smem[most(BYTES)];\n");
}

static void write_kernel(void) {
    const char *comma = "";
    printf("__global__ void kernel(");
    for (unsigned p = 0; p < e.ops; ++p) {
        const ll_engine_op *o = &e.op[p];
        if (o->kind == LL_ENGINE_LOAD || o->kind == LL_ENGINE_STORE) {
            const int load = o->kind == LL_ENGINE_LOAD;
            const unsigned at =
                load ? o->n_in + o->n_out - 1u : o->n_in > 1u ? 1u : 0u;
            printf("%s%s%s *p%u", comma, load ? "const " : "",
                   type_of(e.operand[o->at + at]), p);
            comma = ", ";
        }
    }
    printf(") {\n");
    write_memory();
    write_body();
    printf("}\n");
}

static int fail(void) {
    ll_engine_error(&e, buffer, sizeof buffer);
    fprintf(stderr, "%s\n", buffer);
    return 1;
}

/* What the kernel writer does not write. */
static int is_written(void) {
    for (unsigned p = 0; p < e.ops; ++p) {
        const unsigned kind = e.op[p].kind;
        const int known =
            kind == LL_ENGINE_LOAD || kind == LL_ENGINE_STORE ||
            kind == LL_ENGINE_MAP || kind == LL_ENGINE_CONSTANT ||
            kind == LL_ENGINE_REDUCE || ll_engine_is_shape_(kind) ||
            kind == LL_ENGINE_LOOP || (kind == LL_ENGINE_CARRY && e.op[p].axis);
        if (!known || kind == LL_ENGINE_JOIN || kind == LL_ENGINE_SPLIT) {
            fprintf(stderr, "engine: there is no kernel text for %s; its "
                            "layouts are in the explanation\n",
                    ll_engine_kind_name_(kind));
            return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv) {
    unsigned warps = 4;
    unsigned sm = 90;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    void *memory = malloc(MEMORY);
    for (int k = 2; k < argc; ++k) {
        warps = strncmp(argv[k], "--warps=", 8) == 0
                    ? (unsigned)strtoul(argv[k] + 8, NULL, 10)
                    : warps;
        sm = strncmp(argv[k], "--sm=", 5) == 0
                 ? (unsigned)strtoul(argv[k] + 5, NULL, 10)
                 : sm;
    }
    if (!file || !memory) {
        fprintf(stderr, "engine: give a file with a graph\n");
        return 1;
    }
    text[fread(text, 1, sizeof text - 1u, file)] = '\0';
    fclose(file);
    ll_engine_begin(&e, memory, MEMORY, ll_ptx_target(sm), warps, 1);
    if (!ll_engine_parse(&e, text) || !ll_engine_solve(&e)) {
        return fail();
    }
    ll_engine_explain(&e, buffer, sizeof buffer);
    printf("/*\n%s */\n#include \"ll_ptx.h\"\n\n#define TARGET "
           "ll_ptx_target(%u)\n\n"
           "template <unsigned long long N_>\n"
           "__host__ __device__ constexpr unsigned\n"
           "most(const unsigned (&list)[N_]) {\n"
           "    unsigned n = 0;\n"
           "    for (unsigned k = 0; k < N_; ++k) {\n"
           "        n = list[k] > n ? list[k] : n;\n    }\n    return n;\n"
           "}\n\n",
           buffer, sm);
    if (!is_written()) {
        return 1;
    }
    write_constants();
    write_functions();
    write_kernel();
    free(memory);
    return 0;
}
