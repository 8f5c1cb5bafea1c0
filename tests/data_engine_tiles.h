/* data_engine_tiles.h - the tiles in shared memory that the products of a
 * recorded graph read, for data_engine.h.
 * SPDX-License-Identifier: MIT
 *
 * In a line a local_alloc stores each operand. It is left out here, and the
 * engine has a product that reads the tensors by the same instructions. So the
 * engine prices the tiles of both programs, and finds itself which are stored
 * once. A line with a tile that something else reads as well is read as it is.
 */
#ifndef DATA_ENGINE_TILES_H
#define DATA_ENGINE_TILES_H

#include "../ll_ptx.h"
#include <jansson.h>
#include <string.h>

static int has_name(const json_t *op, const char *key, const char *name) {
    const char *is = json_string_value(json_object_get(op, key));
    return is && strcmp(is, name) == 0;
}

static json_int_t nth(const json_t *op, const char *key, unsigned k) {
    const json_t *v = json_array_get(json_object_get(op, key), k);
    return v ? json_integer_value(v) : -1;
}

/* Triton's operations have names where they differ from those of the graph.
 * Gives them all names. */
static void name_all(const json_t *line) {
    const json_t *ops = json_object_get(line, "ops");
    const json_t *after =
        json_object_get(json_object_get(line, "triton"), "ops");
    for (size_t i = 0; i < json_array_size(after); ++i) {
        json_t *op = json_array_get(after, i);
        const json_t *from = json_object_get(op, "from");
        const json_t *was =
            json_array_get(ops, (size_t)json_integer_value(from));
        json_t *name = json_object_get(was, "name");
        if (from && name && has_name(op, "op", json_string_value(
                                json_object_get(was, "op"))) &&
            !json_object_get(op, "name")) {
            json_object_set(op, "name", name);
        }
    }
}

/* The instructions of a product that may read operands in shared memory. */
static const char *tile_family(const json_t *op) {
    return has_name(op, "name", "ttng.warp_group_dot") ? "wgmma"
           : has_name(op, "name", "ttng.tc_gen5_mma")  ? "tcgen05"
                                                       : NULL;
}

static const json_t *maker_of(const json_t *root, json_int_t v) {
    const json_t *ops = json_object_get(root, "ops");
    for (size_t i = 0; i < json_array_size(ops); ++i) {
        if (nth(json_array_get(ops, i), "out", 0) == v) {
            return json_array_get(ops, i);
        }
    }
    return NULL;
}

static int is_shared(const json_t *root, json_int_t v) {
    return json_object_get(
               json_array_get(json_object_get(root, "values"), (size_t)v),
               "space") != NULL;
}

/* Returns the tensor that a local_alloc stored in tile v, and whether views
 * transpose the tile; v itself if it is a tensor; -1 if nothing stored it. */
static json_int_t tensor_of(const json_t *root, json_int_t v, int *turned) {
    const json_t *op = maker_of(root, v);
    *turned = 0;
    for (; op && has_name(op, "name", "ttg.memdesc_trans");
         op = maker_of(root, nth(op, "in", 0))) {
        *turned = !*turned;
    }
    return !is_shared(root, v) ? v
           : op && has_name(op, "op", "local_alloc") ? nth(op, "in", 0)
                                                     : -1;
}

/* Whether products alone read a piece of memory, and views of it. */
static int is_for_products(const json_t *root, json_int_t v, unsigned depth) {
    const json_t *ops = json_object_get(root, "ops");
    int all = depth < 8u;
    for (size_t i = 0; all && i < json_array_size(ops); ++i) {
        const json_t *op = json_array_get(ops, i);
        const size_t n = json_array_size(json_object_get(op, "in"));
        for (unsigned k = 0; all && k < n; ++k) {
            all = nth(op, "in", k) != v || (tile_family(op) && k < 2u) ||
                  (has_name(op, "name", "ttg.memdesc_trans") &&
                   is_for_products(root, nth(op, "out", 0), depth + 1u));
        }
        const size_t m = json_array_size(json_object_get(op, "yield"));
        for (unsigned k = 0; all && k < m; ++k) {
            all = nth(op, "yield", k) != v;
        }
    }
    return all;
}

/* Whether the family has layouts for a product of these sizes. */
static int has_layouts(const json_t *root, const json_t *op, unsigned warps) {
    const char *by = tile_family(op);
    unsigned size[2][2] = {{0, 0}, {0, 0}};
    unsigned bits = 0;
    for (unsigned k = 0; k < 2u; ++k) {
        const json_t *v =
            json_array_get(json_object_get(root, "values"),
                           (size_t)nth(op, "in", k));
        const json_t *shape = json_object_get(v, "shape");
        if (json_array_size(shape) != 2u) {
            return 0;
        }
        size[k][0] = (unsigned)json_integer_value(json_array_get(shape, 0));
        size[k][1] = (unsigned)json_integer_value(json_array_get(shape, 1));
        bits = (unsigned)json_integer_value(
            json_object_get(v, "element_bits"));
    }
    const unsigned n = (unsigned)strlen(by);
    const unsigned rows = size[0][0], depth = size[0][1], cols = size[1][1];
    return !ll_ptx_dot(by, n, LL_ENGINE_C, rows, cols, 32, warps).err &&
           !ll_ptx_dot(by, n, LL_ENGINE_A_K, rows, depth, bits, warps).err &&
           !ll_ptx_dot(by, n, LL_ENGINE_B_K, depth, cols, bits, warps).err;
}

/* Whether the tiles of a program can be read so. */
static int has_tiles(const json_t *root, unsigned warps) {
    const json_t *ops = json_object_get(root, "ops");
    int all = 1;
    for (size_t i = 0; all && i < json_array_size(ops); ++i) {
        const json_t *op = json_array_get(ops, i);
        int turned = 0;
        for (unsigned k = 0; all && tile_family(op) && k < 2u; ++k) {
            const json_int_t v = nth(op, "in", k);
            const json_int_t t = tensor_of(root, v, &turned);
            const json_t *made = maker_of(root, v);
            all = t >= 0 && has_layouts(root, op, warps);
            for (; all && made && has_name(made, "name", "ttg.memdesc_trans");
                 made = maker_of(root, nth(made, "in", 0))) {
            }
            all = all && (!is_shared(root, v) ||
                          is_for_products(root, nth(made, "out", 0), 0));
        }
    }
    return all;
}

/* Whether a local_alloc stores what a product reads. */
static int is_tile(const json_t *root, const json_t *op) {
    const json_t *ops = json_object_get(root, "ops");
    int any = 0;
    for (size_t i = 0; !any && i < json_array_size(ops); ++i) {
        const json_t *dot = json_array_get(ops, i);
        int turned = 0;
        for (unsigned k = 0; tile_family(dot) && k < 2u; ++k) {
            any = any || (is_shared(root, nth(dot, "in", k)) &&
                          tensor_of(root, nth(dot, "in", k), &turned) ==
                              nth(op, "in", 0));
        }
    }
    return any && has_name(op, "op", "local_alloc");
}

#endif
