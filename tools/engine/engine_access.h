/* engine_access.h - loads, stores and atomic operations by addresses or with
 * masks, in the kernels of engine.c.
 * SPDX-License-Identifier: MIT
 *
 * Operands, by their bits:
 * - 64 bits, before the others: the addresses of the elements. Without
 *   addresses memory has the tile in one row.
 * - 1 bit: a mask. It comes after the addresses of a load; elsewhere it is
 *   last.
 * - after the mask of a load: the elements for which the mask is 0
 * - after the addresses: what is written. An atomic operation with two values
 *   compares with the first.
 */
#ifndef LL_ENGINE_ACCESS_H
#define LL_ENGINE_ACCESS_H

#include "engine.h"

/* Returns the values that an atomic operation takes besides addresses and mask,
 * or that a store writes. */
static unsigned written(const ll_engine_op *o) {
    return o->n_in - has_role(o, ADDRESS) - has_role(o, MASK);
}

/* Returns whether the old value is used. */
static unsigned is_kept_old(const ll_engine_op *o) {
    return o->kind == LL_ENGINE_ATOMIC && o->n_out &&
           e.value[e.operand[o->at + o->n_in]].uses;
}

/* Returns whether each operand has a role and a matching type. */
static int is_access_written(const ll_engine_op *o) {
    const unsigned other = operand_as(o, OTHER);
    if (o->kind == LL_ENGINE_LOAD) {
        return written(o) == (other != LL_ENGINE_NONE) &&
               (other == LL_ENGINE_NONE ||
                bits_of(o, other) == bits_of(o, o->n_in));
    }
    const unsigned first = operand_as(o, WRITTEN);
    const unsigned most = o->kind == LL_ENGINE_ATOMIC ? 2u : 1u;
    int ok = written(o) >= 1u && written(o) <= most &&
             o->n_out <= (o->kind == LL_ENGINE_ATOMIC);
    for (unsigned k = 1; ok && k < written(o) + is_kept_old(o); ++k) {
        const unsigned i = k < written(o) ? first + k : o->n_in;
        ok = bits_of(o, i) == bits_of(o, first);
    }
    return ok;
}

/* Returns whether operand or result i of an operation is in memory. */
static int is_accessed(const ll_engine_op *o, unsigned i) {
    return o->kind == LL_ENGINE_STORE || o->kind == LL_ENGINE_ATOMIC
               ? i == operand_as(o, WRITTEN)
               : i >= in_memory(o);
}

/* Returns whether it is more than a row of memory. */
static int is_direct(const ll_engine_op *o, unsigned i) {
    return has_role(o, ADDRESS) || has_role(o, MASK) ||
           o->kind == LL_ENGINE_ATOMIC ||
           (is_accessed(o, i) && !e.value[e.operand[o->at + i]].bits);
}

static int is_any_direct(void) {
    int any = 0;
    for (unsigned n = 0; n < e.ops; ++n) {
        const ll_engine_op *o = &e.op[n];
        for (unsigned i = 0; i < o->n_in + o->n_out; ++i) {
            any = any || is_direct(o, i);
        }
    }
    return any;
}

/* Returns the bits of registers and threads that hold copies of other elements,
 * registers lowest. */
static unsigned copies_of(unsigned v, unsigned id) {
    return ll_free_bits(ll_engine_wide_(&e.flat[id], e.value[v].bits, 0, 0));
}

/* Functions that such accesses call. They access single elements unless all
 * elements of a vector are wanted. */
static const char access_functions[] =
    "/* The j-th register of a vector; their numbers differ in bits BITS_. */\n"
    "template <unsigned... BITS_>\n"
    "static __device__ constexpr unsigned nth(unsigned j) {\n"
    "    unsigned r = j & 0;\n"
    "    ((r |= (j & 1u) << BITS_, j >>= 1), ...);\n"
    "    return r;\n}\n\n"
    "template <class T_, unsigned N_>\n"
    "struct alignas(N_ * sizeof(T_)) vector_of {\n"
    "    T_ x[N_];\n"
    "};\n\n"
    "template <unsigned... BITS_, unsigned long long N_>\n"
    "static __device__ bool all_of(const bool (&wanted)[N_], unsigned r) {\n"
    "    bool all = true;\n"
    "    LL_UNROLL\n"
    "    for (unsigned j = 0; j < 1u << sizeof...(BITS_); ++j) {\n"
    "        all = all && wanted[r | nth<BITS_...>(j)];\n"
    "    }\n"
    "    return all;\n}\n\n";

static const char load_function[] =
    "template <unsigned... BITS_, class T_, unsigned long long N_>\n"
    "[[maybe_unused]] static __device__ void\n"
    "load_at(T_ (&to)[N_], const unsigned long long (&at)[N_],\n"
    "        const bool (&wanted)[N_], const T_ (&other)[N_]) {\n"
    "    constexpr unsigned EACH = 1u << sizeof...(BITS_);\n"
    "    LL_UNROLL\n"
    "    for (unsigned r = 0; r < N_; ++r) {\n"
    "        if (r & nth<BITS_...>(EACH - 1u)) {\n"
    "            continue;\n"
    "        }\n"
    "        const bool all = all_of<BITS_...>(wanted, r);\n"
    "        vector_of<T_, EACH> v = {};\n"
    "        if (all) {\n"
    "            v = *(const vector_of<T_, EACH> *)at[r];\n"
    "        }\n"
    "        LL_UNROLL\n"
    "        for (unsigned j = 0; j < EACH; ++j) {\n"
    "            const unsigned n = r | nth<BITS_...>(j);\n"
    "            to[n] = all         ? v.x[j]\n"
    "                    : wanted[n] ? *(const T_ *)at[n]\n"
    "                                : other[n];\n"
    "        }\n    }\n}\n\n";

static const char store_function[] =
    "template <unsigned... BITS_, class T_, unsigned long long N_>\n"
    "[[maybe_unused]] static __device__ void\n"
    "store_at(const unsigned long long (&at)[N_], const T_ (&from)[N_],\n"
    "         const bool (&wanted)[N_]) {\n"
    "    constexpr unsigned EACH = 1u << sizeof...(BITS_);\n"
    "    LL_UNROLL\n"
    "    for (unsigned r = 0; r < N_; ++r) {\n"
    "        if (r & nth<BITS_...>(EACH - 1u)) {\n"
    "            continue;\n"
    "        }\n"
    "        const bool all = all_of<BITS_...>(wanted, r);\n"
    "        vector_of<T_, EACH> v = {};\n"
    "        LL_UNROLL\n"
    "        for (unsigned j = 0; j < EACH; ++j) {\n"
    "            const unsigned n = r | nth<BITS_...>(j);\n"
    "            v.x[j] = from[n];\n"
    "            if (!all && wanted[n]) {\n"
    "                *(T_ *)at[n] = from[n];\n"
    "            }\n"
    "        }\n"
    "        if (all) {\n"
    "            *(vector_of<T_, EACH> *)at[r] = v;\n"
    "        }\n    }\n}\n\n";

static void write_access_functions(void) {
    if (is_any_direct()) {
        printf("%s%s%s", access_functions, load_function, store_function);
    }
}

/* Writes whether the element of register r is wanted. */
static void write_wish(unsigned p, unsigned i, unsigned k,
                       const unsigned *tuple, unsigned copies) {
    const ll_engine_op *o = &e.op[p];
    const unsigned n = e.flat[tuple[i]].n[0];
    const unsigned mask = is_access(o) ? operand_as(o, MASK) : LL_ENGINE_NONE;
    printf("    wanted%u_%u_%u[r] = ", p, i, k);
    if (mask != LL_ENGINE_NONE) {
        write_operand(e.operand[o->at + mask], tuple[mask], p, k);
        printf("[r]");
    } else {
        printf("1");
    }
    if (copies >> n) {
        printf(" && !(threadIdx.x & %u)", copies >> n);
    }
    if (copies & ((1u << n) - 1u)) {
        printf(" && !(r & %u)", copies & ((1u << n) - 1u));
    }
    printf(";\n");
}

/* Writes the addresses of operand or result i, and which elements are wanted:
 * those of the mask and, for a write, one of each copy. */
static void write_wanted(unsigned p, unsigned i, unsigned k,
                         const unsigned *tuple, int load) {
    const ll_engine_op *o = &e.op[p];
    const unsigned v = e.operand[o->at + i];
    const unsigned n = e.flat[tuple[i]].n[0];
    const unsigned at = is_access(o) ? operand_as(o, ADDRESS) : LL_ENGINE_NONE;
    indent();
    printf("unsigned long long at%u_%u_%u[1 << %u];\n", p, i, k, n);
    indent();
    printf("bool wanted%u_%u_%u[1 << %u];\n", p, i, k, n);
    indent();
    printf("LL_EACH(r, L%u_%u) {\n", v, tuple[i]);
    indent();
    printf("    at%u_%u_%u[r] = (unsigned long long)(", p, i, k);
    if (at != LL_ENGINE_NONE) {
        write_operand(e.operand[o->at + at], tuple[at], p, k);
        printf("[r]);\n");
    } else {
        write_place(p, i, v);
        if (e.value[v].bits) {
            printf(" + LL_AT(M%u_%u, LL_I, r)", v, tuple[i]);
        }
        printf(");\n");
    }
    indent();
    write_wish(p, i, k, tuple, load ? 0u : copies_of(v, tuple[i]));
    indent();
    printf("}\n");
}

/* Writes the register bits of a vector access. */
static void write_vector_bits(const ll_engine_op *o, unsigned v, unsigned id) {
    const ll_engine_flat *f = &e.flat[id];
    const ll_span_ s = ll_engine_vector_(o, &e.value[v], f);
    for (unsigned b = 0; b < s.n; ++b) {
        unsigned k = 0;
        while (k < f->n[0] && f->basis[k] != s.v[b]) {
            ++k;
        }
        printf("%s%u", b ? ", " : "", k);
    }
}

/* Writes an access to operand or result i by addresses. */
static void write_direct(unsigned p, unsigned i, unsigned k,
                         const unsigned *tuple, int load) {
    const ll_engine_op *o = &e.op[p];
    const unsigned v = e.operand[o->at + i];
    const unsigned other = is_access(o) ? operand_as(o, OTHER) : LL_ENGINE_NONE;
    write_wanted(p, i, k, tuple, load);
    if (load && other == LL_ENGINE_NONE) {
        indent();
        printf("const %s other%u_%u[1 << %u] = {};\n", type_of(v), p, k,
               e.flat[tuple[i]].n[0]);
    }
    indent();
    printf(load ? "load_at<" : "store_at<");
    write_vector_bits(o, v, tuple[i]);
    if (!load) {
        printf(">(at%u_%u_%u, ", p, i, k);
        write_operand(v, tuple[i], p, k);
        printf(", wanted%u_%u_%u);\n", p, i, k);
        return;
    }
    printf(">(%s, at%u_%u_%u, wanted%u_%u_%u, ", name_of(v, tuple[i]), p, i, k,
           p, i, k);
    if (other != LL_ENGINE_NONE) {
        write_operand(e.operand[o->at + other], tuple[other], p, k);
        printf(");\n");
    } else {
        printf("other%u_%u);\n", p, k);
    }
}

/* ---- Atomic operations --------------------------------------------------- */

static const char small_function[] =
    "template <class T_, class F_>\n"
    "static __device__ T_ in_word(T_ *at, F_ next) {\n"
    "    const unsigned low = 8u * (unsigned)((size_t)at & 3);\n"
    "    const unsigned mask = ((1u << 8 * sizeof(T_)) - 1u) << low;\n"
    "    unsigned *word = (unsigned *)((size_t)at & ~(size_t)3);\n"
    "    unsigned was, old = atomicOr(word, 0u);\n"
    "    do {\n"
    "        was = old;\n"
    "        old = atomicCAS(word, was, (was & ~mask) | "
    "(unsigned)next((T_)(was >> low)) << low);\n"
    "    } while (old != was);\n"
    "    return (T_)(old >> low);\n}\n\n";

/* Writes the function of atomic operation p. It adds or, with two values,
 * compares with the first and writes the second. */
static void write_atomic(unsigned p, unsigned bits, int two, const char *type) {
    const char *word = bits > 32u ? "unsigned long long" : "unsigned";
    printf("static __device__ %s a%u(%s *at, %s x0", type, p, type, type);
    if (two) {
        printf(", %s x1", type);
    }
    printf(") {\n");
    if (bits <= 16u) {
        printf("    return in_word(at, [=](%s x) { return (%s)(%s); }); /* "
               "fill in */\n}\n",
               type, type, two ? "x == x0 ? x1 : x" : "x + x0");
    } else if (two) {
        printf("    %s from, to;\n"
               "    memcpy(&from, &x0, sizeof from);\n"
               "    memcpy(&to, &x1, sizeof to);\n"
               "    from = atomicCAS((%s *)at, from, to); /* fill in */\n"
               "    memcpy(&x0, &from, sizeof x0);\n"
               "    return x0;\n}\n",
               word, word);
    } else {
        printf("    return atomicAdd(at, x0); /* fill in */\n}\n");
    }
}

static void write_atomic_functions(void) {
    int small = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        const ll_engine_op *o = &e.op[p];
        if (o->kind == LL_ENGINE_ATOMIC) {
            const unsigned i = operand_as(o, WRITTEN);
            const unsigned bits = bits_of(o, i);
            printf("%s", bits <= 16u && !small ? small_function : "");
            small = small || bits <= 16u;
            write_atomic(p, bits, written(o) > 1u,
                         type_of(e.operand[o->at + i]));
        }
    }
}

/* Returns the shared memory, in bytes, through which lanes with copies receive
 * the old values. */
static unsigned spread_bytes(const ll_engine_op *o, const unsigned *tuple) {
    const unsigned v = e.operand[o->at + o->n_in];
    return is_kept_old(o) && copies_of(v, tuple[o->n_in])
               ? bytes_of(v)
               : 0u;
}

/* Sends the old values to the lanes that hold copies. */
static void write_spread(unsigned p, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned v = e.operand[o->at + o->n_in];
    const unsigned id = tuple[o->n_in], n = e.flat[id].n[0];
    const unsigned copies = copies_of(v, id);
    for (unsigned half = 0; half < 2u; ++half) {
        indent();
        printf("__syncthreads();\n");
        indent();
        printf("LL_EACH(r, L%u_%u) {\n", v, id);
        indent();
        if (half) {
            printf("    %s[r] = ((const %s *)smem)[", name_of(v, id),
                   type_of(v));
        } else {
            printf("    if (!(threadIdx.x & %u) && !(r & %u)) {\n",
                   copies >> n, copies & ((1u << n) - 1u));
            indent();
            printf("        ((%s *)smem)[", type_of(v));
        }
        if (e.value[v].bits) {
            printf("LL_AT(M%u_%u, LL_I, r)", v, id);
        } else {
            printf("0");
        }
        printf(half ? "];\n" : "] = %s[r];\n", name_of(v, id));
        if (!half) {
            indent();
            printf("    }\n");
        }
        indent();
        printf("}\n");
    }
}

/* Writes an atomic operation that runs once per element. */
static void write_atomics(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned first = operand_as(o, WRITTEN);
    const unsigned v = e.operand[o->at + first];
    if (is_kept_old(o)) {
        declare(e.operand[o->at + o->n_in], tuple[o->n_in]);
    }
    write_wanted(p, first, k, tuple, 0);
    indent();
    printf("LL_EACH(r, L%u_%u) {\n", v, tuple[first]);
    if (is_kept_old(o)) {
        indent();
        printf("    %s[r] = 0;\n",
               name_of(e.operand[o->at + o->n_in], tuple[o->n_in]));
    }
    indent();
    printf("    if (wanted%u_%u_%u[r]) {\n", p, first, k);
    indent();
    printf("        ");
    if (is_kept_old(o)) {
        printf("%s[r] = ",
               name_of(e.operand[o->at + o->n_in], tuple[o->n_in]));
    }
    printf("a%u((%s *)at%u_%u_%u[r]", p, type_of(v), p, first, k);
    for (unsigned i = 0; i < written(o); ++i) {
        printf(", ");
        write_operand(e.operand[o->at + first + i], tuple[first + i], p, k);
        printf("[r]");
    }
    printf(");\n");
    indent();
    printf("    }\n");
    indent();
    printf("}\n");
    if (spread_bytes(o, tuple)) {
        write_spread(p, tuple);
    }
}

#endif
