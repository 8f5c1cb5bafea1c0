/* engine_parameters.h - the parameters and the shared memory of the kernels of
 * engine.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_PARAMETERS_H
#define LL_ENGINE_PARAMETERS_H

#include "engine_access.h"
#include "engine_along.h"
#include "engine_integers.h"
#include "engine_tensor_memory.h"
#include "engine_tiles.h"

/* Writes the list of shared memory sizes. Returns the largest. */
static unsigned write_bytes(void) {
    unsigned tuple[OPERANDS];
    unsigned bytes = 16;
    printf("    constexpr unsigned BYTES[] = {16");
    for (unsigned k = 0; k < ll_engine_moves(&e); ++k) {
        const ll_engine_move m = ll_engine_move_at(&e, k);
        const ll_plan plan =
            ll_engine_plan(&e, m.from, m.to, e.value[m.value].bits,
                           e.value[m.value].element_bits);
        bytes = plan.smem_bytes > bytes ? plan.smem_bytes : bytes;
        printf(", LL_SMEM_BYTES(C%u)", k);
    }
    for (unsigned p = 0; p < e.ops; ++p) {
        for (unsigned k = 0; executed(p, k, tuple); ++k) {
            for (unsigned i = 0; i < e.op[p].n_in; ++i) {
                const unsigned along = bytes_along(&e.op[p], i, tuple);
                bytes = along > bytes ? along : bytes;
                if (is_along(&e.op[p])) {
                    printf(", LL_SMEM_BYTES(R%u_%u_%u)", p, k, i);
                }
            }
        }
        for (unsigned k = 0;
             e.op[p].kind == LL_ENGINE_GATHER && executed(p, k, tuple); ++k) {
            printf(", LL_SMEM_BYTES(G%u_%u)", p, k);
        }
        if (e.op[p].kind == LL_ENGINE_ATOMIC && executed(p, 0, tuple)) {
            const unsigned spread = spread_bytes(&e.op[p], tuple);
            bytes = spread > bytes ? spread : bytes;
            printf(", %u", spread);
        }
        for (unsigned k = 0;
             e.op[p].kind == LL_ENGINE_SORT && executed(p, k, tuple); ++k) {
            printf(", LL_SMEM_BYTES(S%u_%u)", p, k);
        }
    }
    return bytes;
}

static void write_memory(void) {
    const unsigned tiles = write_tile_arrays(0);
    const unsigned bytes = write_bytes();
    if (bytes + tiles > 49152u) {
        printf("};\n    static_assert(most(BYTES) <= %uu, \"\");\n"
               "    /* launch it with %u bytes of dynamic shared memory */\n"
               "    extern __shared__ __align__(%u) unsigned char smem[];\n",
               bytes, bytes + (tiles ? 1023u + tiles : 0u),
               tiles ? 1024u : 16u);
        if (tiles) {
            printf("    unsigned char *const tiles = smem + %u;\n",
                   (bytes + 1023u) / 1024u * 1024u);
            write_tile_arrays("tiles");
        }
    } else {
        printf("};\n    __shared__ __align__(16) unsigned char "
               "smem[most(BYTES)];\n");
        write_tile_arrays("");
    }
    write_barriers();
    write_tensor_memory(1);
}

/* Returns whether an operation only reads its memory. */
static int is_read(const ll_engine_op *o) {
    return o->n_out && o->kind != LL_ENGINE_ATOMIC;
}

static void write_parameters(void) {
    const char *comma = "";
    unsigned tuple[OPERANDS];
    for (unsigned p = 0; p < e.ops; ++p) {
        const ll_engine_op *o = &e.op[p];
        if (is_tma(o)) {
            printf("%sconst __grid_constant__ CUtensorMap p%u_0", comma, p);
            comma = ", ";
        } else if (ll_engine_is_tile_(o->kind)) {
            printf("%s%s%s *p%u_0", comma, o->n_out ? "const " : "",
                   type_of(e.operand[o->at]), p);
            comma = ", ";
        }
        for (unsigned i = 0;
             i < o->n_in + o->n_out && executed(p, 0, tuple); ++i) {
            if (is_accessed(o, i) && !has_role(o, ADDRESS)) {
                printf("%s%s%s *p%u_%u", comma, is_read(o) ? "const " : "",
                       type_of(e.operand[o->at + i]), p, i);
                comma = ", ";
            }
        }
        if (is_merge(o)) {
            printf("%sint first%u", comma, p);
            comma = ", ";
        }
    }
    for (unsigned n = 0; n < 2u; ++n) {
        for (unsigned v = 0; v < e.values; ++v) {
            if (e.value[v].is_free && !e.value[v].in_place &&
                range_of(v) >= e.value[v].rank && (is_address(v) != 0) == n) {
                printf(n ? "%sunsigned char *memory" : "%sfloat constant",
                       comma);
                comma = ", ";
                break;
            }
        }
    }
}

#endif
