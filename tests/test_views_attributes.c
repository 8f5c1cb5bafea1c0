/* test_views_attributes.c - what Triton's attributes stand for, and their faults.
 * SPDX-License-Identifier: MIT
 *
 * The recorded attributes of Triton are in tests/data.
 */
#include "../ll.h"
#include "../tools/views/ll_views.h"
#include "test.h"
#include "views_marked.h"

static const unsigned shape[] = {16, 16};

static void faults_of_attributes_are_named(void) {
    static const marked list[] = {
        {"#ttg.linear<{register = ~3, lane = [], warp = [], block = []}>",
         "a list of lists was expected", 0},
        {"#ttg.linear<{register = [[0, 1], ~[0, 2, 0]], lane = []}>",
         "a column needs a number", 0},
        {"#ttg.linear<{register = [[0, 1] ~[1, 0]], lane = []}>",
         "a comma or ] was expected", 0},
        {"#ttg.linear<{register = [~3], lane = []}>", "a list was expected",
         0},
        {"#ttg.~linear<{register = [[0, 3]], lane = [], warp = [], block = "
         "[]}>", "each column is 0, or one bit", 0},
        {"#ttg.~linear<{register = [[1, 1]], lane = [], warp = [], block = "
         "[]}>", "each column is 0, or one bit", 0},
        {"#ttg.~linear<{register = [[0, 1], [0, 1]], lane = [], warp = [], "
         "block = []}>", "each column is 0, or one bit", 0},
        {"#ttg.~generic_linear<{register = [[0, 2]], lane = [], warp = [], "
         "block = []}>", "the columns do not reach every element", 0},
        {"#ttg.~linear<{register = [[0, 64]], lane = [], warp = [], block = "
         "[]}>", "the columns do not reach every element", 0},
        {"#a = " PLAIN "~", "an attribute or its name stands after", 0},
        {"#a = " PLAIN " // x\n~", "an attribute or its name stands after", 0},
        {"#ttg.swizzled_shared<{vec = ~3, perPhase = 1, maxPhase = 1, order "
         "= [1, 0]}>", "vec, perPhase and maxPhase are powers of two", 0},
        {"#ttg.swizzled_shared<{vec = 1, perPhase = ~0, maxPhase = 1, order "
         "= [1, 0]}>", "vec, perPhase and maxPhase are powers of two", 0},
        {"#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = ~65536, "
         "order = [1, 0]}>", "vec, perPhase and maxPhase are powers of two",
         0},
        {"#ttg.nvidia_mma<{versionMajor = ~1, warpsPerCTA = [1, 1], "
         "instrShape = [16, 8]}>", "versionMajor is 2 or 3", 0},
        {"#ttg.nvidia_mma<{versionMajor = ~4, warpsPerCTA = [1, 1], "
         "instrShape = [16, 8]}>", "versionMajor is 2 or 3", 0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [16]}>", "instrShape has rows and columns", 0},
        {"#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [16, ~12]}>", "instrShape has rows and columns", 0},
        {"#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [~512, 8]}>", "instrShape has rows and columns", 0},
        {"#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [16, ~512]}>", "instrShape has rows and columns", 0},
        {"#ttg.swizzled_shared<{vec = ~65536, perPhase = 1, maxPhase = 1, "
         "order = [1, 0]}>", "vec, perPhase and maxPhase are powers of two",
         0},
        {"#ttg.swizzled_shared<{vec = 1, perPhase = ~65536, maxPhase = 1, "
         "order = [1, 0]}>", "vec, perPhase and maxPhase are powers of two",
         0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1], instrShape "
         "= [16, 8]}>", "the attribute needs two axes", 1},
        {"#ttg.amd_mfma<{version = ~5, warpsPerCTA = [1, 1], instrShape = "
         "[32, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, 32, 8, 1]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[~128, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, ~128]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[~2, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, ~2]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[~12, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, ~12]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1], instrShape = "
         "[32, 32]}>", "the attribute needs two axes", 1},
        {"#ttg.amd_wmma<{version = ~0, warpsPerCTA = [1, 1]}>",
         "version is 1, 2 or 3", 0},
        {"#ttg.amd_wmma<{version = ~4, warpsPerCTA = [1, 1]}>",
         "version is 1, 2 or 3", 0},
        {"#ttg.amd_wmma<{version = 1, warpsPerCTA = [1, 1], instrShape = "
         "[~128, 16, 16]}>", "version is 1, 2 or 3", 0},
        {"#ttg.amd_wmma<{version = 1, warpsPerCTA = [1, 1], instrShape = "
         "[16, ~128, 16]}>", "version is 1, 2 or 3", 0},
        {"#ttg.amd_wmma<{version = 1, warpsPerCTA = [1, 1], instrShape = "
         "[16, 16, ~2048]}>", "version is 1, 2 or 3", 0},
        {"#ttg.~amd_wmma<{version = 1, warpsPerCTA = [1]}>",
         "the attribute needs two axes", 1},
        {"#ttg.amd_wmma<{version = 1, ctaLayout = ~[], isTranspose = false}>",
         "a dictionary was expected", 0},
        {"#ttg.amd_wmma<{version = 1, ctaLayout = {~lane = []}}>",
         "the attribute has no such key", 0},
        {"#ttg.amd_wmma<{version = 1, isTranspose = ~maybe, warpsPerCTA = "
         "[1, 1]}>", "true or false was expected", 0},
        {"#ttg.nvmma_shared<{swizzlingByteWidth = ~16, transposed = false, "
         "elementBitWidth = 16}>", "swizzlingByteWidth is 0, 32", 0},
        {"#ttg.nvmma_shared<{swizzlingByteWidth = ~256, transposed = false, "
         "elementBitWidth = 16}>", "swizzlingByteWidth is 0, 32", 0},
        {"#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = ~2}>", "elementBitWidth is 4, 8", 0},
        {"#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = ~12}>", "elementBitWidth is 4, 8", 0},
        {"#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = ~256}>", "elementBitWidth is 4, 8", 0},
        {"#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = 16, rank = ~3}>", "the attribute has not as many",
         0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = 16}>", "the attribute has not as many", 3},
        {"#ttg.padded_shared<~4:+4>", "a list of interval:+pad", 0},
        {"#ttg.padded_shared<[4~+4] {order = [1, 0], shape = [16, 16]}>",
         "interval:+pad was expected", 0},
        {"#ttg.padded_shared<[4~:4] {order = [1, 0], shape = [16, 16]}>",
         "interval:+pad was expected", 0},
        {"#ttg.padded_shared<[~3:+4] {order = [1, 0], shape = [16, 16]}>",
         "an interval and a pad are powers of two", 0},
        {"#ttg.padded_shared<[4:+~3] {order = [1, 0], shape = [16, 16]}>",
         "an interval and a pad are powers of two", 0},
        {"#ttg.padded_shared<[4:+4, 8:+4, 16:+4, 32:+4, ~64:+4] {order = "
         "[1, 0], shape = [16, 16]}>", "there are at most 4 pads", 0},
        {"#ttg.padded_shared<[4:+4, 8:+8, ~4:+16] {order = [1, 0], shape = "
         "[16, 16]}>", "this interval occurs twice", 0},
        {"#ttg.padded_shared<[4:+4] {order = [1, 0], shape = ~[16]}>",
         "the list needs a number", 0},
        {"#ttg.~padded_shared<[4:+4] {order = [1, 0]}>",
         "the attribute lacks a key", 0},
        {"#ttng.tensor_memory_encoding<blockM = ~32, blockN = 16, colStride "
         "= 1>", "tensor memory has two axes", 0},
        {"#ttng.tensor_memory_encoding<blockM = 64, blockN = ~12, colStride "
         "= 1>", "tensor memory has two axes", 0},
        {"#ttng.tensor_memory_encoding<blockM = 64, blockN = ~1024, "
         "colStride = 1>", "tensor memory has two axes", 0},
        {"#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, colStride "
         "= ~3>", "tensor memory has two axes", 0},
        {"#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, colStride "
         "= ~64>", "tensor memory has two axes", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 64, blockN = 16, colStride "
         "= 1>", "tensor memory has two axes", 3},
        {"#ttng.tensor_memory_scales_encoding<blockRepOrder = ~k_then_k>",
         "k_then_mn or mn_then_k was expected", 0},
        {"#ttng.tensor_memory_scales_encoding<blockRepOrder = \"~other\">",
         "k_then_mn or mn_then_k was expected", 0},
        {"#ttng.~tensor_memory_scales_encoding<>", "scales have two axes", 3},
        {"#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = ~0>",
         "an alignment is a power of two", 0},
        {"#ttg.~partitioned_shared<{numPartitions = 3, numGroups = 1, "
         "partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 1, "
         "perPhase = 1, maxPhase = 1, order = [1, 0]}>}>",
         "numPartitions and numGroups are powers of two", 0},
        {"#ttg.~partitioned_shared<{numPartitions = 2, numGroups = 3, "
         "partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 1, "
         "perPhase = 1, maxPhase = 1, order = [1, 0]}>}>",
         "numPartitions and numGroups are powers of two", 0},
        {"#ttg.~partitioned_shared<{numPartitions = 8, numGroups = 4, "
         "partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 1, "
         "perPhase = 1, maxPhase = 1, order = [1, 0]}>}>",
         "numPartitions and numGroups are powers of two", 0},
        {"#ttg.~partitioned_shared<{numPartitions = 2, numGroups = 1, "
         "partitionDim = 2, partitionLayout = #ttg.swizzled_shared<{vec = 1, "
         "perPhase = 1, maxPhase = 1, order = [1, 0]}>}>",
         "numPartitions and numGroups are powers of two", 0},
        {"#ttg.dot_op<{opIdx = ~2, parent = " MMA ", kWidth = 2}>",
         "opIdx is 0 or 1", 0},
        {"#ttg.~dot_op<{opIdx = 0, parent = " MMA "}>", "kWidth is needed",
         0},
        {"#ttg.~dot_op<{opIdx = 0, parent = " PLAIN ", kWidth = 2}>",
         "kWidth is needed", 0},
        {"#ttg.~dot_op<{opIdx = 1, parent = " WGMMA ", kWidth = 2}>",
         "wgmma has B in shared memory alone", 0},
        {"#ttg.~dot_op<{opIdx = 0, parent = " MMA ", kWidth = 2}>",
         "an operand has two axes", 1},
        {"#ttg.dot_op<{opIdx = 0, parent = #ttg.~linear<{register = [], lane "
         "= [], warp = [], block = []}>, kWidth = 2}>",
         "a dot_op has another kind of parent", 0},
        {"#ttg.slice<{dim = 0, parent = #ttg.~swizzled_shared<{vec = 1, "
         "perPhase = 1, maxPhase = 1, order = [1, 0]}>}>",
         "a slice has a parent of registers", 1},
        {"#ttg.slice<{dim = ~2, parent = " PLAIN "}>",
         "the shape has no room", 1},
        {"#ttg.amd_wmma<{version = 1, ctaLayout = {}, warpsPerCTA = ~[1, 1]}>",
         "ctaLayout replaces warpsPerCTA and tilesPerWarp", 0},
        {"#ttg.amd_wmma<{version = 1, ctaLayout = {}, tilesPerWarp = ~[1, 1]}>",
         "ctaLayout replaces warpsPerCTA and tilesPerWarp", 0},
        {"#ttg.slice<{dim = 0, parent = #ttg.~blocker<{}>}>",
         "there is no attribute of this name; there are blocked, ", 1},
    };
    check_marked(list, sizeof list / sizeof *list, 0);
    ll_layout sixteen = LL_ZERO;
    char *to = text + sprintf(text, "#ttg.slice<{dim = 0, parent = " PLAIN
                                    "}>");
    unsigned sizes[17] = {0};
    CHECK(to > text);
    for (unsigned k = 0; k < 17u; ++k) {
        sizes[k] = 1;
    }
    const ll_foreign f = ll_from_triton(text, 16, sizes);
    sixteen = f.layout;
    CHECK(sixteen.err == LL_ETEXT && strstr(f.why, "at most 16 axes"));
}

/* Every family refuses a key that it does not have: one more, one misspelt, and
 * one after the dictionary. */
static void unknown_keys_are_refused_everywhere(void) {
    static const char *const list[] = {
        "#ttg.blocked<{" ALL "@}@>",
        "#ttg.linear<{register = [], lane = [], warp = [], block = []@}@>",
        "#ttg.generic_linear<{register = [], lane = [], warp = [], block = "
        "[]@}@>",
        "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, " WARPS
        ", instrShape = [16, 8]@}@>",
        "#ttg.amd_mfma<{version = 3, " WARPS ", instrShape = [32, 32, 8], "
        "isTransposed = false@}@>",
        "#ttg.amd_wmma<{version = 1, isTranspose = false, " WARPS "@}@>",
        "#ttg.amd_wmma<{version = 2, ctaLayout = {warp = []@}@}@>",
        "#ttg.dot_op<{opIdx = 0, parent = " MMA ", kWidth = 2@}@>",
        "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, "
        "warpsPerCTA = [1, 1], instrShape = [16, 8]@}@>, kWidth = 2}>",
        "#ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1, "
        "2], threadsPerWarp = [1, 8, 4], warpsPerCTA = [1, 1, 1], order = [2, "
        "1, 0]}>@}@>",
        "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = "
        "[1, 0]@}@>",
        "#ttg.amd_rotating_shared<{vec = 1, perPhase = 1, maxPhase = 1, order "
        "= [1, 0]@}@>",
        "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, "
        "elementBitWidth = 16@}@>",
        "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]@}, alignment = 16@>",
        "#ttg.padded_shared<[4:+4] {order = [1, 0], shape = [16, 16]@}@>",
        "#ttg.padded_shared<[4:+4] {offset = [[0, 1], [1, 0]]@}@>",
        "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 1, "
        "partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 1, "
        "perPhase = 1, maxPhase = 1, order = [1, 0]}>@}@>",
        "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, colStride = "
        "1@>",
        "#ttng.tensor_memory_scales_encoding<blockRepOrder = mn_then_k@>",
    };
    static const char *const more[] = {"", ", foo = 3",
                                       ", tilePerWarp = [2, 2]",
                                       ", order_ = [1, 0]", ", foo = \"x\""};
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        unsigned places = 0;
        for (const char *c = list[k]; *c; ++c) {
            places += *c == '@' ? 1u : 0u;
        }
        for (unsigned n = 0; n < 5u * places; ++n) {
            char *to = text;
            unsigned at = 0;
            unsigned place = 0;
            for (const char *c = list[k]; *c; ++c) {
                if (*c != '@') {
                    *to++ = *c;
                } else if (place++ == n / 5u) {
                    at = n % 5u ? (unsigned)(to - text) + 3u : 0u;
                    to += sprintf(to, "%s", more[n % 5u]);
                }
            }
            *to = 0;
            const ll_foreign f = ll_from_triton(text, 2, shape);
            CHECK(n % 5u ? f.layout.err == LL_ETEXT && f.why &&
                               strcmp(f.why, "the attribute has no such key") ==
                                   0 && (f.layout.at == at ||
                                         f.layout.at == at - 2u)
                         : !f.layout.err);
        }
    }
}

/* A swizzle has a tile of 8 rows of 32, 64 or 128 bytes; fewer rows, or shorter
 * ones, are no such memory. Other axes than the contiguous one are rows. */
static void swizzled_tiles_are_whole(void) {
    static const unsigned widths[] = {32, 64, 128}, bits[] = {8, 16, 32, 64};
    for (unsigned n = 0; n < 3u * 4u * 2u * 6u * 8u; ++n) {
        const unsigned bytes = widths[n % 3u];
        const unsigned b = bits[n / 3u % 4u];
        const unsigned turned = n / 12u % 2u;
        const unsigned rows = 1u << n / 24u % 6u;
        const unsigned cols = 1u << n / 144u;
        const unsigned flat[] = {turned ? cols : rows, turned ? rows : cols};
        const unsigned deep[] = {turned ? cols : rows / 2u, 2,
                                 turned ? rows / 2u : cols};
        sprintf(text, "#ttg.nvmma_shared<{swizzlingByteWidth = %u, "
                      "transposed = %s, elementBitWidth = %u, rank = %u}>",
                bytes, turned ? "true" : "false", b, 2u);
        const ll_foreign f = ll_from_triton(text, 2, flat);
        const int legal = rows >= 8u && cols * b >= 8u * bytes;
        CHECK(legal ? !f.layout.err && ll_is_injective(f.layout) && f.bits == b
                    : f.layout.err == LL_ETEXT && f.why &&
                          strstr(f.why, "smaller than a swizzled tile"));
        if (rows > 1u) {
            strcpy(strrchr(text, '2'), "3}>");
            CHECK((ll_from_triton(text, 3, deep).layout.err == 0) == legal);
        }
    }
}

/* Rotated rows are those of ll_rotated, also where a tile has more rows than
 * perPhase * maxPhase * maxPhase. */
static void rotated_rows_repeat(void) {
    for (unsigned n = 0; n < 4u * 4u * 4u * 4u; ++n) {
        const unsigned vec = 1u << n % 4u, per = 1u << n / 4u % 4u;
        const unsigned most = 1u << n / 16u % 4u, rows = 16u << n / 64u;
        const unsigned sizes[] = {rows, 64};
        sprintf(text, "#ttg.amd_rotating_shared<{vec = %u, perPhase = %u, "
                      "maxPhase = %u, order = [1, 0]}>", vec, per, most);
        const ll_foreign f = ll_from_triton(text, 2, sizes);
        CHECK(!f.layout.err && ll_is_equal(f.layout, ll_rotated(
            ll_tensor(2, sizes), vec, per, most)));
    }
}

/* The bits that an attribute says; dot_op says them of its parent. */
static void bits_are_those_of_the_attribute(void) {
    static const struct {
        const char *text;
        unsigned bits;
    } list[] = {
        {"#ttg.amd_mfma<{version = 3, " WARPS ", instrShape = [16, 16, 4], "
         "isTransposed = false, elementBitWidth = 64}>", 64},
        {"#ttg.amd_mfma<{version = 3, " WARPS ", instrShape = [16, 16, 4], "
         "isTransposed = false}>", 0},
        {"#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_mfma<{version = 3, " WARPS
         ", instrShape = [16, 16, 4], isTransposed = false, elementBitWidth = "
         "64}>, kWidth = 1}>", 0},
        {"#u = #ttg.nvmma_shared<{swizzlingByteWidth = 32, elementBitWidth = "
         "16}>\n" PLAIN, 0},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const ll_foreign f = ll_from_triton(list[k].text, 2, shape);
        CHECK(!f.layout.err && f.bits == list[k].bits);
    }
    CHECK(ll_from_cute("smem_ptr[16b](unset) o (8,8):(8,1)").bits == 16);
    CHECK(ll_from_cute("(8,8):(8,1)").bits == 0);
}

/* By the comments of the recipes. */
static void recipes_are_carried_out(void) {
    static const struct {
        unsigned i, j;
        const char *attribute, *layout;
    } list[] = {
        /* blocks: two parts along j, two copies along i */
        {16, 16, "#ttg.blocked<{" ALL ", CTAsPerCGA = [2, 2], CTASplitNum = "
                 "[1, 2], CTAOrder = [1, 0]}>",
         "register: j0 | lane: j1 j2 i0 i1 i2 | warp: i3 | block: j3 0"},
        {16, 16, "#ttg.blocked<{" ALL ", CTAsPerCGA = [4, 1], CTASplitNum = "
                 "[2, 1], CTAOrder = [0, 1]}>",
         "register: j0 j3 | lane: j1 j2 i0 i1 i2 | warp: 0 | block: i3 0"},
        /* axes are repeated in the order of the registers */
        {8, 8, "#ttg.linear<{register = [[1, 0], [0, 1]], lane = [[2, 0], "
               "[0, 2]], warp = [], block = []}>",
         "register: i0 j0 i2 j2 | lane: i1 j1 | warp:"},
        {8, 8, "#ttg.linear<{register = [[0, 1], [1, 0]], lane = [[2, 0], "
               "[0, 2]], warp = [], block = []}>",
         "register: j0 i0 j2 i2 | lane: i1 j1 | warp:"},
        {8, 8, "#ttg.linear<{register = [[1, 0]], lane = [[0, 1], [2, 0], "
               "[0, 2]], warp = [], block = []}>",
         "register: i0 i2 j2 | lane: j0 i1 j1 | warp:"},
        {8, 8, "#ttg.linear<{register = [], lane = [[0, 1], [1, 0]], warp = "
               "[], block = []}>",
         "register: j1 j2 i1 i2 | lane: j0 i0 | warp:"},
        {2, 2, "#ttg.linear<{register = [[0, 1], [0, 2], [0, 0]], lane = "
               "[[1, 0], [2, 0]], warp = [], block = []}>",
         "register: j0 0 | lane: i0 0 | warp:"},
        {16, 16, "#ttg.swizzled_shared<{vec = 32768, perPhase = 32768, "
                 "maxPhase = 32768, order = [1, 0]}>",
         "offset: j0 j1 j2 j3 i0 i1 i2 i3"},
        {16, 16, "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, "
                 "order = [0, 1]}>",
         "offset: i0 i1 i2 i3 j0 j1^i2 j2^i3 j3"},
        /* warps go along the last axis first, of wgmma along the first */
        {32, 16, "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [2, 2], "
                 "instrShape = [16, 8]}>",
         "register: j0 i3 | lane: j1 j2 i0 i1 i2 | warp: j3 i4"},
        {64, 32, "#ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [4, 2], "
                 "instrShape = [16, 16, 16]}>",
         "register: j0 i3 j3 | lane: j1 j2 i0 i1 i2 | warp: i4 i5 j4"},
        {16, 16, "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
                 "instrShape = [16, 256]}>",
         "register: j0 i3 j3 0 0 0 0 | lane: j1 j2 i0 i1 i2 | warp:"},
        {128, 16, "#ttng.tensor_memory_encoding<blockM = 128, blockN = 16, "
                  "colStride = 1>",
         "dp: i0 i1 i2 i3 i4 i5 i6 | tcol: j0 j1 j2 j3"},
        {128, 32, "#ttng.tensor_memory_encoding<blockM = 128, blockN = 16, "
                  "colStride = 2>",
         "dp: i0 i1 i2 i3 i4 i5 i6 | tcol: 0 j0 j1 j2 j3 j4"},
        {256, 16, "#ttng.tensor_memory_encoding<blockM = 128, blockN = 8, "
                  "colStride = 1>",
         "dp: i0 i1 i2 i3 i4 i5 i6 | tcol: j0 j1 j2 i7 j3"},
        /* 64 rows: 16 of each quarter, and below them the next block */
        {64, 16, "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, "
                 "colStride = 1>",
         "dp: i0 i1 i2 i3 0 i4 i5 | tcol: j0 j1 j2 j3"},
        {128, 16, "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, "
                  "colStride = 1>",
         "dp: i0 i1 i2 i3 i6 i4 i5 | tcol: j0 j1 j2 j3"},
        {64, 32, "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, "
                 "colStride = 1>",
         "dp: i0 i1 i2 i3 j4 i4 i5 | tcol: j0 j1 j2 j3"},
        {256, 16, "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, "
                  "colStride = 1>",
         "dp: i0 i1 i2 i3 i6 i4 i5 | tcol: j0 j1 j2 j3 i7"},
        /* a pair of blocks: the second half of the columns is below */
        {64, 16, "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, "
                 "colStride = 1, twoCTAs = true>",
         "dp: i0 i1 i2 i3 i4 i5 j3 | tcol: j0 j1 j2"},
        {128, 16, "#ttng.tensor_memory_scales_encoding<>",
         "dp: i0 i1 i2 i3 i4 0 0 | tcol: j0 j1 i5 i6 j2 j3"},
        {256, 16, "#ttng.tensor_memory_scales_encoding<>",
         "dp: i0 i1 i2 i3 i4 0 0 | tcol: j0 j1 i5 i6 i7 j2 j3"},
        {256, 16, "#ttng.tensor_memory_scales_encoding<blockRepOrder = "
                  "k_then_mn>",
         "dp: i0 i1 i2 i3 i4 0 0 | tcol: j0 j1 i5 i6 j2 j3 i7"},
        {256, 16, "#ttng.tensor_memory_scales_encoding<blockRepOrder = "
                  "\"mn_then_k\">",
         "dp: i0 i1 i2 i3 i4 0 0 | tcol: j0 j1 i5 i6 i7 j2 j3"},
        {64, 16, "#ttng.tensor_memory_scales_encoding<>",
         "dp: i0 i1 i2 i3 i4 0 0 | tcol: j0 j1 i5 j2 j3"},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const unsigned sizes[2] = {list[k].i, list[k].j};
        const ll_foreign f = ll_from_triton(list[k].attribute, 2, sizes);
        const ll_layout want = ll_order_out(L(list[k].layout), "j i");
        const int ok = ll_is_equal(ll_order_out(f.layout, "j i"), want);
        if (!ok) {
            ll_str(f.layout, text, sizeof text);
            printf("  %s is %s\n", list[k].attribute,
                   f.why ? f.why : text);
        }
        CHECK(ok);
    }
    const unsigned full[2] = {65536, 65536}, more[2] = {65536, 131072};
    const unsigned row[2] = {1, 16};
    const ll_foreign f = ll_from_triton(
        "#ttg.blocked<{sizePerThread = [65536, 65536], threadsPerWarp = [1, "
        "1], warpsPerCTA = [1, 1], order = [1, 0]}>", 2, full);
    CHECK(f.layout.err == LL_OK && f.layout.basis[31] == 1u << 31);
    CHECK(ll_from_triton(PLAIN, 2, more).layout.err == LL_EBITS);
    const ll_foreign g = ll_from_triton(
        "#ttg.blocked<{sizePerThread = [1, 32768], threadsPerWarp = [1, "
        "32768], warpsPerCTA = [1, 1], order = [1, 0]}>", 2, row);
    CHECK(g.layout.err == LL_OK && g.layout.in.bits[1] == 15u);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(faults_of_attributes_are_named);
    RUN(unknown_keys_are_refused_everywhere);
    RUN(swizzled_tiles_are_whole);
    RUN(bits_are_those_of_the_attribute);
    RUN(rotated_rows_repeat);
    RUN(recipes_are_carried_out);
    return test_end();
}
