/* engine_product.h - a matrix product in the kernels of engine.c: its description,
 * and what all families of instructions use.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_PRODUCT_H
#define LL_ENGINE_PRODUCT_H

#include "engine_tile_names.h"

enum { BY_HAND, BY_MMA, BY_WGMMA, BY_TCGEN05, BY_AMD };

/* The target and types of the kernel. */
typedef struct target_and_types {
    unsigned gfx, lanes, sm;
    const char *type16, *type8, *type4; /* type4: null, or the type */
} target_and_types;
extern target_and_types made_for; /* defined in engine.c */

typedef struct product {
    unsigned how;
    const char *type;   /* type of the operands */
    unsigned bits;      /* bits per operand number */
    unsigned rows, cols, depth;
    unsigned m, n, k;   /* of one instruction */
    int from_tensor;    /* A comes from tensor memory */
    int scaled;
    unsigned block;     /* numbers along k that share a scale */
    int counts;         /* the accumulators are integers */
    char name[64];      /* name of the instruction's function */
    const char *lacks;  /* missing on the target, or null */
} product;

static int is_by(const ll_engine_op *o, const char *name) {
    return ll_engine_is_word_(o->by, o->by_length, name);
}

static const char *type_of_bits(unsigned bits, int scaled) {
    return bits == 64u   ? "f64"
           : bits == 32u ? made_for.gfx ? "f32" : "tf32"
           : bits == 16u ? made_for.type16
           : bits == 8u  ? made_for.type8
           : made_for.type4 ? made_for.type4
           : scaled         ? "e2m1"
                            : "s4";
}

/* Returns whether the target has the instruction of a function's name. */
static int has(const char *name) {
    char target[16], said[80] = "";
    if (made_for.gfx) {
        snprintf(target, sizeof target, "gfx%x", made_for.gfx);
        return ll_amd_has(target, name);
    }
    snprintf(target, sizeof target, "sm_%u%s", made_for.sm,
             made_for.sm >= 90u ? "a" : "");
    for (unsigned k = 0; name[k] && strlen(said) < 70u; ++k) {
        const char *kind = k && name[k - 1u] == '_' &&
                                   !strncmp(name + k, "mxf", 3)
                               ? "kind::"
                               : "";
        snprintf(said + strlen(said), 12, "%s%c", kind,
                 name[k] == '_' ? '.' : name[k]);
    }
    return ll_ptx_has(target, said);
}

/* ---- Registers ----------------------------------------------------------- */

/* Returns the register with element y if each column is one bit. */
static unsigned register_of(unsigned id, unsigned y) {
    const ll_engine_flat *f = &e.flat[id];
    unsigned r = 0;
    for (unsigned k = 0; k < f->n[0]; ++k) {
        r |= (f->basis[k] & y) != 0 ? 1u << k : 0u;
    }
    return r;
}

/* Returns whether a lane has element y, in the same warp. */
static int is_in_lane(unsigned id, unsigned y) {
    const ll_engine_flat *f = &e.flat[id];
    for (unsigned k = 0; k < f->n[0]; ++k) {
        y &= ~f->basis[k];
    }
    return y == 0;
}

static unsigned words(unsigned v, unsigned id) {
    return ((e.value[v].element_bits << e.flat[id].n[0]) + 31u) / 32u;
}

/* Writes the words of operand k in registers, as x0, x1 .. */
static void write_words(unsigned p, unsigned k, const unsigned *tuple,
                        unsigned each, unsigned n) {
    const unsigned v = e.operand[e.op[p].at + k];
    indent();
    printf("unsigned x%u[%u];\n", k, n);
    indent();
    if (each) {
        printf("bytes_of<%u>(x%u, ", each, k);
    } else if (e.value[v].element_bits == 4u) {
        printf("nibbles_of<0>(x%u, ", k);
    } else {
        printf("words_of(x%u, ", k);
    }
    write_operand(v, tuple[k], p, 0);
    printf(");\n");
}

/* ---- Slices of tiles in shared memory: wgmma, tcgen05 -------------------- */

/* Writes the address of operand k in shared memory. */
static void write_address(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    indent();
    printf("unsigned a%u = address(", k);
    if (tuple[k] == o->in_place[k]) {
        printf("%s", tile_of(e.operand[o->at + k]));
    } else {
        printf("tile_%u_%u", stored_by(p, k) / 2u, stored_by(p, k) % 2u);
    }
    printf(");\n");
}

/* Writes the descriptor of a slice of operand k. */
static void write_slice(unsigned p, unsigned k, unsigned at) {
    printf("slice(DESC%u_%u, a%u + %u)", p, k, k, at);
}

/* Returns the operand in shared memory as the instructions see it. */
static ll_layout operand_of(unsigned p, unsigned k, const unsigned *tuple) {
    const ll_engine_op *o = &e.op[p];
    const unsigned id = tuple[k] == o->in_place[k] ? tuple[k] : stored_to(p, k);
    const ll_layout m = memory_of(e.operand[o->at + k], id);
    return k ? ll_trans(m, "j i") : m;
}

/* Returns the bytes from the tile to the slice at i, j. */
static unsigned slice_at(ll_layout a, const product *x, unsigned m, unsigned i,
                         unsigned j) {
    return ll_ptx_desc_slice(a, m, x->k, x->bits, i, j).at;
}

static int is_turned(ll_layout a, const product *x, unsigned m) {
    return ll_ptx_desc_of(a, m, x->k, x->bits).mn_major != 0;
}

/* Returns the register bit that selects one of two 4-bit numbers that share a
 * byte of operand k's tile, or NONE if a lane does not hold both. */
static unsigned pair_bit(unsigned p, unsigned k) {
    unsigned tuple[OPERANDS];
    const unsigned id = stored_to(p, k);
    unsigned bit = LL_ENGINE_NONE;
    if (id == LL_ENGINE_NONE || !executed(p, 0, tuple)) {
        return LL_ENGINE_NONE;
    }
    const ll_engine_flat *f = &e.flat[tuple[k]];
    for (unsigned b = 0; b < ll_flat_total_(f); ++b) {
        if (f->basis[b] & e.flat[id].basis[0]) {
            if (b >= f->n[0] || bit != LL_ENGINE_NONE ||
                f->basis[b] != e.flat[id].basis[0]) {
                return LL_ENGINE_NONE;
            }
            bit = b;
        }
    }
    return bit;
}

#endif
