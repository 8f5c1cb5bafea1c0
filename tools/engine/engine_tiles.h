/* engine_tiles.h - tiles in shared memory in the kernels of engine.c: their
 * places, their loads and stores, and tiles that loops carry.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_TILES_H
#define LL_ENGINE_TILES_H

#include "engine_products.h"

/* The tile of a tensor copy as a matrix. Its rows run along the last axis; if
 * that is the only one, they have at most 256 elements. */
static ll_engine_value matrix_of(unsigned v) {
    ll_engine_value m = e.value[v];
    const unsigned last = m.rank ? m.size[m.rank - 1u] : 0u;
    m.size[1] = (unsigned char)(m.rank > 1u || last < 8u ? last : 8u);
    m.size[0] = (unsigned char)(m.bits - m.size[1]);
    m.rank = 2;
    return m;
}

/* ---- Constants ----------------------------------------------------------- */

/* Writes tile `id` of value v and, if lanes hold it in layout `from`, the plan
 * that loads or stores it. */
static void write_tile(const char *name, unsigned v, unsigned id,
                       unsigned from) {
    const unsigned bits = ll_engine_element_(e.value[v].element_bits);
    ll_str(memory_of(v, id), buffer, sizeof buffer);
    printf("LL_LAYOUT(PLACES_%s, ll_parse(\"%s\"));\n", name, buffer);
    if (from != LL_ENGINE_NONE) {
        write_layout(v, from);
        printf("LL_PLAN_THROUGH(TILE_%s, L%u_%u, L%u_%u, %u, TARGET, "
               "LL_GET(PLACES_%s));\n",
               name, v, from, v, from, bits, name);
    }
}

/* Writes the tile to which operand k is stored as bytes of two numbers, and the
 * register layout in which the two are neighbours. */
static void write_packed_tile(unsigned p, unsigned k, unsigned id,
                              unsigned from) {
    const unsigned v = e.operand[e.op[p].at + k];
    const unsigned bit = pair_bit(p, k);
    ll_layout a = ll_engine_layout(&e, v, from);
    const unsigned first = a.basis[0];
    a.basis[0] = a.basis[bit];
    a.basis[bit] = first;
    ll_str(memory_of(v, id), buffer, sizeof buffer);
    printf("LL_LAYOUT(PLACES_%u_%u, ll_parse(\"%s\"));\n", p, k, buffer);
    ll_str(a, buffer, sizeof buffer);
    printf("LL_LAYOUT(PAIRS_%u_%u, ll_parse(\"%s\"));\n"
           "LL_PLAN_THROUGH(TILE_%u_%u, PAIRS_%u_%u, PAIRS_%u_%u, 4, TARGET, "
           "LL_GET(PLACES_%u_%u));\n",
           p, k, buffer, p, k, p, k, p, k, p, k);
}

/* Writes the tiles that copies of operation p load or store, and the tiles to
 * which operands of products are stored. */
static void write_tiles(unsigned p) {
    const ll_engine_op *o = &e.op[p];
    const unsigned v = e.operand[o->at];
    unsigned tuple[OPERANDS];
    char name[20];
    if (ll_engine_is_tile_(o->kind)) {
        const int some = executed(p, 0, tuple) != 0;
        snprintf(name, sizeof name, "%u", p);
        write_tile(name, v, o->memory, some ? tuple[0] : LL_ENGINE_NONE);
    }
    if (is_tma(o)) {
        const ll_engine_value m = matrix_of(v);
        ll_str(memory_as(&m, o->memory), buffer, sizeof buffer);
        if (e.value[v].rank != 2u) {
            printf("LL_LAYOUT(MATRIX_%u, ll_parse(\"%s\"));\n", p, buffer);
        }
        printf("constexpr ll_ptx_tensor MAP_%u = ll_ptx_tensor_of(LL_GET("
               "%s_%u), %u, %u, %u);\n"
               "static_assert(!MAP_%u.err, \"no tensor copy fills this "
               "tile\");\n",
               p, e.value[v].rank == 2u ? "PLACES" : "MATRIX", p,
               1u << m.size[0], 1u << m.size[1],
               ll_engine_element_(m.element_bits), p);
    }
    for (unsigned k = 0; k < 2u; ++k) {
        const unsigned id = stored_to(p, k);
        if (is_stored(p, k) && executed(p, 0, tuple)) {
            snprintf(name, sizeof name, "%u_%u", p, k);
            if (is_packed(p, k)) {
                write_packed_tile(p, k, id, tuple[k]);
            } else {
                write_tile(name, e.operand[o->at + k], id, tuple[k]);
            }
        }
    }
}

/* ---- Copies and loops ---------------------------------------------------- */

/* Returns the elements of tensor copy p's tile at one index of its map's outer
 * dimension.
 */
static unsigned across(unsigned p) {
    const ll_engine_value m = matrix_of(e.operand[e.op[p].at]);
    const ll_ptx_tensor t =
        ll_ptx_tensor_of(memory_as(&m, e.op[p].memory), 1u << m.size[0],
                         1u << m.size[1], ll_engine_element_(m.element_bits));
    return 1u << m.size[!t.mn_major];
}

/* Writes the tile's index, plus `more`, along that dimension. */
static void write_outer(unsigned p, unsigned more) {
    const ll_engine_op *o = &e.op[p];
    const unsigned tile = 1u << e.value[e.operand[o->at]].bits;
    const unsigned block = (o->block ? o->block - 1u : tile) / across(p);
    if (block) {
        printf("(int)(TILE) * %u + ", block);
    }
    if (o->step > 1u && loop_round(p) != LL_ENGINE_NONE) {
        printf("i%u * %u + ", loop_round(p), (o->step - 1u) / across(p));
    }
    printf("%u", more);
}

/* One thread starts the copies of a tile, box by box. The tiles of a tensor are
 * adjacent along the outer dimension of its map. */
static void write_boxes(unsigned p, int load) {
    const ll_engine_op *o = &e.op[p];
    const unsigned v = e.operand[o->at];
    const ll_engine_value matrix = matrix_of(v);
    const unsigned char *size = matrix.size;
    const unsigned bits = ll_engine_element_(matrix.element_bits);
    const ll_layout m = memory_as(&matrix, o->memory);
    const ll_ptx_tensor t =
        ll_ptx_tensor_of(m, 1u << size[0], 1u << size[1], bits);
    for (unsigned n = 0; n < t.copies; ++n) {
        const ll_ptx_box b = ll_ptx_tensor_box(m, t, 1u << size[0], bits, n);
        indent();
        printf("    ll_ptx_cp_async_bulk_tensor_%s_2d(",
               load ? "load" : "store");
        if (load) {
            printf("address(%s) + %u, &p%u_0, address(&full_%u), ", tile_of(v),
                   b.at, p, p);
        } else {
            printf("&p%u_0, address(tile_%u) + %u, ", p, p, b.at);
        }
        printf("%u, ", t.mn_major ? b.i : b.j);
        write_outer(p, t.mn_major ? b.j : b.i);
        printf(");\n");
    }
}

/* Writes a tensor copy that loads a tile. */
static void write_bring_copy(unsigned p) {
    const unsigned v = e.operand[e.op[p].at];
    printf("if (threadIdx.x == 0) {\n");
    indent();
    printf("    ll_ptx_mbarrier_arrive_expect_tx(address(&full_%u), %u);\n",
           p, bytes_of(v));
    write_boxes(p, 1);
    indent();
    printf("}\n");
    indent();
    printf("ll_ptx_mbarrier_wait(address(&full_%u), phase_%u);\n", p, p);
    indent();
    printf("phase_%u ^= 1;\n", p);
}

/* Writes the load of a tile to shared memory. */
static void write_bring(unsigned p) {
    const ll_engine_op *o = &e.op[p];
    const unsigned v = e.operand[o->at];
    write_still(p);
    indent();
    printf("__syncthreads();\n");
    indent();
    if (tiles_of(p) > 1u) {
        printf("turn_%u = turn_%u == %u ? 0 : turn_%u + 1;\n", p, p,
               tiles_of(p) - 1u, p);
        indent();
        printf("now_%u = tile_%u + turn_%u * %u;\n", p, p, p, room_of(v, 0));
        indent();
    }
    if (is_tma(o)) {
        write_bring_copy(p);
        return;
    }
    printf("for (unsigned k = threadIdx.x; k < %u; k += blockDim.x) {\n",
           1u << e.value[v].bits);
    indent();
    printf("    ((%s *)%s)[k] = (", type_of(v), tile_of(v));
    write_place(p, 0, v);
    printf(")[ll_apply(LL_GET(PLACES_%u), k)]; /* fill in */\n", p);
    indent();
    printf("}\n");
    indent();
    if (is_any_by(BY_WGMMA) || is_any_by(BY_TCGEN05)) {
        printf("ll_ptx_fence_proxy_async();\n");
        indent();
    }
    printf("__syncthreads();\n");
}

/* Writes the store of a tile from shared memory. */
static void write_take(unsigned p, unsigned id) {
    const ll_engine_op *o = &e.op[p];
    const unsigned v = e.operand[o->at];
    write_still(p);
    indent();
    printf("__syncthreads();\n");
    indent();
    printf("LL_STORE_SHARED(");
    write_operand(v, id, p, 0);
    printf(", TILE_%u, tile_%u);\n", p, p);
    indent();
    printf(is_tma(o) ? "ll_ptx_fence_proxy_async();\n" : "__syncthreads();\n");
    indent();
    if (is_tma(o)) {
        printf("__syncthreads();\n");
        indent();
        printf("if (threadIdx.x == 0) {\n");
        write_boxes(p, 0);
        indent();
        printf("    ll_ptx_cp_async_bulk_commit_group();\n");
        indent();
        printf("    ll_ptx_cp_async_bulk_wait_group_read<0>();\n");
    } else {
        printf("for (unsigned k = threadIdx.x; k < %u; k += blockDim.x) {\n",
               1u << e.value[v].bits);
        indent();
        printf("    (");
        write_place(p, 0, v);
        printf(")[ll_apply(LL_GET(PLACES_%u), k)] = ((%s *)tile_%u)[k]; "
               "/* fill in */\n",
               p, type_of(v), p);
    }
    indent();
    printf("}\n");
}

/* Writes the addresses of tiles that a loop carries: before it and, all at
 * once, at the end of each trip. */
static void write_carried_tiles(unsigned loop, int yields) {
    for (unsigned half = 0; half < (yields ? 2u : 1u); ++half) {
        for (unsigned p = ll_engine_carried_(&e, loop); p < loop; ++p) {
            const unsigned *v = e.operand + e.op[p].at;
            if (!carries_tile(p)) {
                continue;
            }
            indent();
            if (half) {
                printf("carried_%u = next_%u;\n", p, p);
            } else {
                printf("unsigned char *%s_%u = %s;\n",
                       yields ? "next" : "carried", p, tile_of(v[yields]));
            }
        }
    }
}

/* Writes the address of the tile that merges two branches. */
static void write_merged_tile(unsigned p) {
    const unsigned *v = e.operand + e.op[p].at;
    indent();
    printf("unsigned char *carried_%u = first%u ? %s : %s;\n", p, p,
           tile_of(v[0]), tile_of(v[1]));
}

/* ---- Memory -------------------------------------------------------------- */

/* Returns the bytes of all tiles, each aligned to 1024. If `where` is not null,
 * declares them: in that array, or as arrays of their own if it is empty. */
static unsigned write_tile_arrays(const char *where) {
    unsigned at = 0;
    for (unsigned n = 0; n < 3u * e.ops; ++n) {
        const unsigned p = n / 3u;
        const unsigned k = n % 3u;
        const int own = k == 2u && ll_engine_is_tile_(e.op[p].kind);
        char name[20];
        if (!own && (k == 2u || !is_stored(p, k))) {
            continue;
        }
        const unsigned bytes =
            own ? room_of(e.operand[e.op[p].at], 0) * tiles_of(p)
                : room_of(e.operand[e.op[p].at + k], is_packed(p, k));
        snprintf(name, sizeof name, own ? "%u" : "%u_%u", p, k);
        if (where && *where) {
            printf("    unsigned char *const tile_%s = %s + %u;\n", name, where,
                   at);
        } else if (where) {
            printf("    __shared__ __align__(1024) unsigned char "
                   "tile_%s[%u];\n",
                   name, bytes);
        }
        if (where && own && tiles_of(p) > 1u) {
            printf("    unsigned char *now_%u = tile_%u;\n"
                   "    unsigned turn_%u = 0;\n",
                   p, p, p);
        }
        at += bytes;
    }
    return at;
}

/* Writes the barriers of copies. */
static void write_barriers(void) {
    unsigned any = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        if (e.op[p].kind == LL_ENGINE_TMA_LOAD) {
            printf("    __shared__ __align__(8) unsigned long long full_%u;\n"
                   "    unsigned phase_%u = 0;\n"
                   "    if (threadIdx.x == 0) {\n"
                   "        ll_ptx_mbarrier_init(address(&full_%u), 1);\n"
                   "    }\n",
                   p, p, p);
            any = 1;
        }
    }
    if (any) {
        printf("    ll_ptx_fence_mbarrier_init();\n");
    }
}

/* Returns whether the kernel writer supports moving a tile: tensor copies in a
 * few boxes, on NVIDIA GPUs. */
static int is_tile_written(const ll_engine_op *o, unsigned gfx) {
    if (!is_tma(o) || gfx) {
        return !is_tma(o);
    }
    const ll_engine_value m = matrix_of(e.operand[o->at]);
    const ll_ptx_tensor t =
        ll_ptx_tensor_of(memory_as(&m, o->memory), 1u << m.size[0],
                         1u << m.size[1], ll_engine_element_(m.element_bits));
    const unsigned unit = across((unsigned)(o - e.op));
    return !t.err && t.copies <= 16u &&
           (!o->block || (o->block - 1u) % unit == 0) &&
           (!o->step || (o->step - 1u) % unit == 0);
}

#endif
