/* test_views_attributes.c - what Triton's attributes stand for, and their faults.
 * SPDX-License-Identifier: MIT
 *
 * The recorded attributes of Triton are in tests/data.
 */
#include "../ll.h"
#include "../tools/views/ll_views.h"
#include "test.h"
#include "views_marked.h"

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
        {"#ttg.~swizzled_shared<{vec = 3, perPhase = 1, maxPhase = 1, order "
         "= [1, 0]}>", "vec, perPhase and maxPhase are powers of two", 0},
        {"#ttg.~swizzled_shared<{vec = 1, perPhase = 0, maxPhase = 1, order "
         "= [1, 0]}>", "vec, perPhase and maxPhase are powers of two", 0},
        {"#ttg.~swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 65536, "
         "order = [1, 0]}>", "vec, perPhase and maxPhase are powers of two",
         0},
        {"#ttg.~nvidia_mma<{versionMajor = 1, warpsPerCTA = [1, 1], "
         "instrShape = [16, 8]}>", "versionMajor is 2 or 3", 0},
        {"#ttg.~nvidia_mma<{versionMajor = 4, warpsPerCTA = [1, 1], "
         "instrShape = [16, 8]}>", "versionMajor is 2 or 3", 0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [16]}>", "instrShape has rows and columns", 0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [16, 12]}>", "instrShape has rows and columns", 0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [512, 8]}>", "instrShape has rows and columns", 0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
         "instrShape = [16, 512]}>", "instrShape has rows and columns", 0},
        {"#ttg.~swizzled_shared<{vec = 65536, perPhase = 1, maxPhase = 1, "
         "order = [1, 0]}>", "vec, perPhase and maxPhase are powers of two",
         0},
        {"#ttg.~swizzled_shared<{vec = 1, perPhase = 65536, maxPhase = 1, "
         "order = [1, 0]}>", "vec, perPhase and maxPhase are powers of two",
         0},
        {"#ttg.~nvidia_mma<{versionMajor = 2, warpsPerCTA = [1], instrShape "
         "= [16, 8]}>", "the attribute needs two axes", 1},
        {"#ttg.~amd_mfma<{version = 5, warpsPerCTA = [1, 1], instrShape = "
         "[32, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, 32, 8, 1]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[128, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, 128]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[2, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, 2]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[12, 32]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = "
         "[32, 12]}>", "instrShape has 4, 16, 32 or 64", 0},
        {"#ttg.~amd_mfma<{version = 4, warpsPerCTA = [1], instrShape = "
         "[32, 32]}>", "the attribute needs two axes", 1},
        {"#ttg.~amd_wmma<{version = 0, warpsPerCTA = [1, 1]}>",
         "version is 1, 2 or 3", 0},
        {"#ttg.~amd_wmma<{version = 4, warpsPerCTA = [1, 1]}>",
         "version is 1, 2 or 3", 0},
        {"#ttg.~amd_wmma<{version = 1, warpsPerCTA = [1, 1], instrShape = "
         "[128, 16, 16]}>", "version is 1, 2 or 3", 0},
        {"#ttg.~amd_wmma<{version = 1, warpsPerCTA = [1, 1], instrShape = "
         "[16, 128, 16]}>", "version is 1, 2 or 3", 0},
        {"#ttg.~amd_wmma<{version = 1, warpsPerCTA = [1, 1], instrShape = "
         "[16, 16, 2048]}>", "version is 1, 2 or 3", 0},
        {"#ttg.~amd_wmma<{version = 1, warpsPerCTA = [1]}>",
         "the attribute needs two axes", 1},
        {"#ttg.amd_wmma<{version = 1, ctaLayout = ~[], isTranspose = false}>",
         "a dictionary was expected", 0},
        {"#ttg.amd_wmma<{version = 1, ctaLayout = {~lane = []}}>",
         "the attribute has no such key", 0},
        {"#ttg.amd_wmma<{version = 1, isTranspose = ~maybe, warpsPerCTA = "
         "[1, 1]}>", "true or false was expected", 0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 16, transposed = false, "
         "elementBitWidth = 16}>", "swizzlingByteWidth is 0, 32", 0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 256, transposed = false, "
         "elementBitWidth = 16}>", "swizzlingByteWidth is 0, 32", 0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = 2}>", "elementBitWidth is 4, 8", 0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = 12}>", "elementBitWidth is 4, 8", 0},
        {"#ttg.~nvmma_shared<{swizzlingByteWidth = 64, transposed = false, "
         "elementBitWidth = 256}>", "elementBitWidth is 4, 8", 0},
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
        {"#ttg.padded_shared<[~4:+3] {order = [1, 0], shape = [16, 16]}>",
         "an interval and a pad are powers of two", 0},
        {"#ttg.padded_shared<[4:+4, 8:+4, 16:+4, 32:+4, ~64:+4] {order = "
         "[1, 0], shape = [16, 16]}>", "there are at most 4 pads", 0},
        {"#ttg.padded_shared<[4:+4, 8:+8, ~4:+16] {order = [1, 0], shape = "
         "[16, 16]}>", "this interval occurs twice", 0},
        {"#ttg.padded_shared<[4:+4] {order = [1, 0], shape = ~[16]}>",
         "the list needs a number", 0},
        {"#ttg.~padded_shared<[4:+4] {order = [1, 0]}>",
         "the attribute lacks a key", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 32, blockN = 16, colStride "
         "= 1>", "tensor memory has two axes", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 64, blockN = 12, colStride "
         "= 1>", "tensor memory has two axes", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 64, blockN = 1024, "
         "colStride = 1>", "tensor memory has two axes", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 64, blockN = 16, colStride "
         "= 3>", "tensor memory has two axes", 0},
        {"#ttng.~tensor_memory_encoding<blockM = 64, blockN = 16, colStride "
         "= 64>", "tensor memory has two axes", 0},
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
        {"#ttg.~dot_op<{opIdx = 2, parent = " MMA ", kWidth = 2}>",
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
    RUN(recipes_are_carried_out);
    return test_end();
}
