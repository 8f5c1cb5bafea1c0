/* test_views_rules.c - rules that readers of other notations follow.
 * SPDX-License-Identifier: MIT
 *
 * What holds for every attribute: axes of size 1 change nothing, an input has
 * up to 32 columns, blanks are of no account. Swizzled memory is compared
 * element by element with the address bits that the tensor copy engine XORs
 * (PTX, "Swizzling Modes"); products with what both operands need along k.
 */
#include "../ll.h"
#include "../tools/views/ll_views.h"
#include "machines.h"

static char said[1 << 14];

/* ---- Any rank ------------------------------------------------------------ */

/* Writes a text for `rank` axes. For all axes but the last two, @ stands for
 * the sizes (1) and $ for the components (0). & is the order that begins with
 * the last axis, % the number of axes, ? the number of the last but one. */
static void of_rank(const char *from, unsigned rank) {
    char *to = said;
    for (; *from; ++from) {
        if (*from == '@' || *from == '$') {
            for (unsigned k = 2; k < rank; ++k) {
                to += sprintf(to, "%s, ", *from == '@' ? "1" : "0");
            }
        } else if (*from == '&') {
            for (unsigned k = rank; k-- > 0;) {
                to += sprintf(to, "%u%s", k, k ? ", " : "");
            }
        } else if (*from == '%' || *from == '?') {
            to += sprintf(to, "%u", *from == '%' ? rank : rank - 2u);
        } else {
            *to++ = *from;
        }
    }
    *to = 0;
}

#define RULE_BLOCKED                                       \
    "#ttg.blocked<{sizePerThread = [@1, 2], threadsPerWarp = " \
    "[@8, 4], warpsPerCTA = [@2, 1], order = [&]"
#define RULE_MMA                                           \
    "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [@2, 2], " \
    "instrShape = [@16, 8]}>"
#define RULE_MFMA                                     \
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [@2, 2], " \
    "instrShape = [16, 16, 16], tilesPerWarp = [@1, 2]}>"
#define RULE_WMMA                                       \
    "#ttg.amd_wmma<{version = 2, ctaLayout = {register = " \
    "[[$0, 1]], warp = [[$1, 0]]}}>"

static const char *const of_any_rank[] = {
    RULE_BLOCKED "}>",
    RULE_BLOCKED ", CGALayout = [[$0, 1]]}>",
    RULE_BLOCKED ", CTAsPerCGA = [@1, 2], CTASplitNum = [@1, 2], CTAOrder = "
                 "[&]}>",
    "#ttg.linear<{register = [[$0, 1], [$1, 0]], lane = [[$0, 2], [$0, 4]], "
    "warp = [[$2, 0]], block = [[$0, 0]]}>",
    "#ttg.generic_linear<{register = [[$1, 1], [$1, 0]], lane = [[$2, 2]], "
    "warp = [[$0, 2]], block = []}>",
    RULE_MMA,
    "#ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [@4, 1], instrShape = "
    "[16, 16, 16]}>",
    RULE_MFMA,
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [@2, 2], instrShape = [32, 32]}"
    ">",
    RULE_WMMA,
    "#ttg.amd_wmma<{version = 1, warpsPerCTA = [@2, 2]}>",
    "#ttg.dot_op<{opIdx = 0, parent = " RULE_BLOCKED "}>}>",
    "#ttg.dot_op<{opIdx = 0, parent = " RULE_MMA ", kWidth = 2}>",
    "#ttg.dot_op<{opIdx = 1, parent = " RULE_MMA ", kWidth = 4}>",
    "#ttg.dot_op<{opIdx = 1, parent = " RULE_MFMA ", kWidth = 4}>",
    "#ttg.dot_op<{opIdx = 0, parent = " RULE_WMMA ", kWidth = 8}>",
    "#ttg.swizzled_shared<{vec = 2, perPhase = 2, maxPhase = 4, order = [&]}>",
    "#ttg.amd_rotating_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = "
    "[&]}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 32, elementBitWidth = 16, rank = "
    "%}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 0, elementBitWidth = 16, rank = "
    "%}>",
    "#ttg.padded_shared<[4:+4] {order = [&], shape = [@16, 32]}>",
    "#ttg.padded_shared<[4:+4] {offset = [[$0, 1], [$1, 0]], block = []}>",
    "#ttg.shared_linear<{offset = [[$0, 1], [$1, 1]]}>",
    "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim "
    "= ?, partitionLayout = #ttg.shared_linear<{offset = [[$0, 1]]}>}>",
};

static void axes_of_size_1_change_nothing(void) {
    unsigned sizes[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 16, 32};
    for (unsigned k = 0; k < sizeof of_any_rank / sizeof *of_any_rank; ++k) {
        ll_layout first = LL_ZERO;
        for (unsigned rank = 2; rank <= 16u; ++rank) {
            of_rank(of_any_rank[k], rank);
            const ll_layout a =
                ll_from_triton(said, rank, sizes + (16u - rank)).layout;
            first = rank == 2u ? a : first;
            CHECK(a.err == LL_OK && a.out.n == rank);
            CHECK(ll_shape_same_(&a.in, &first.in));
            for (unsigned b = 0; b < 32u; ++b) {
                CHECK(a.basis[b] == first.basis[b]);
            }
        }
    }
}

/* A slice leaves one axis of its parent out: the first one has size 1. */
static void slices_have_up_to_15_axes(void) {
    unsigned sizes[15] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 16, 32};
    const unsigned few[2] = {16, 32};
    of_rank(RULE_BLOCKED "}>", 2);
    const ll_layout want = ll_from_triton(said, 2, few).layout;
    for (unsigned rank = 3; rank <= 16u; ++rank) {
        char text[1 << 12];
        of_rank("#ttg.slice<{dim = 0, parent = " RULE_BLOCKED "}>}>", rank);
        strcpy(text, said);
        const ll_layout a =
            ll_from_triton(text, rank - 1u, sizes + (16u - rank)).layout;
        CHECK(a.err == LL_OK && a.out.n == rank - 1u);
        CHECK(ll_shape_same_(&a.in, &want.in));
        for (unsigned b = 0; b < 32u; ++b) {
            CHECK(a.basis[b] == want.basis[b]);
        }
    }
    /* the axis that is left out takes no registers of its own */
    const unsigned long_[1] = {1u << 18}, full[2] = {1u << 16, 1u << 16};
    const ll_layout a = ll_from_triton(
        "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 1], "
        "threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>}>",
        1, long_).layout;
    CHECK(a.err == LL_OK && a.in.bits[0] == 13u && a.in.bits[1] == 5u);
    const ll_layout b = ll_from_triton(
        "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, "
        "65536, 65536], threadsPerWarp = [1, 1, 1], warpsPerCTA = [1, 1, 1], "
        "order = [2, 1, 0]}>}>",
        2, full).layout;
    CHECK(b.err == LL_OK && b.in.bits[0] == 32u);
    CHECK(b.basis[31] == 1u << 31);
    unsigned ones[16];
    for (unsigned k = 0; k < 16u; ++k) {
        ones[k] = 1;
    }
    of_rank("#ttg.slice<{dim = 16, parent = " RULE_BLOCKED "}>}>", 16);
    const ll_foreign f = ll_from_triton(said, 16, ones);
    CHECK(f.layout.err == LL_ETEXT && strstr(f.why, "at most 16 axes"));
}

/* ---- Any number of columns ----------------------------------------------- */

/* Writes n zero columns of a tensor with one axis. */
static char *zeros(char *to, unsigned n) {
    to += sprintf(to, "[");
    for (unsigned k = 0; k < n; ++k) {
        to += sprintf(to, "%s[0]", k ? ", " : "");
    }
    return to + sprintf(to, "]");
}

static void inputs_have_up_to_32_columns(void) {
    static const char *const names[] = {"register", "lane", "warp", "block"};
    const unsigned one[1] = {1};
    const ll_shape point = ll_shape_of("i=1");
    for (unsigned n = 0; n < 10u; ++n) {
        const unsigned in = n % 5u;
        char text[1 << 10];
        char *to = text;
        if (in == 4u) {
            to += sprintf(to, "#ttg.blocked<{sizePerThread = [1], "
                              "threadsPerWarp = [1], warpsPerCTA = [1], "
                              "order = [0], CGALayout = ");
            to = zeros(to, 32);
        } else {
            to += sprintf(to, "#ttg.linear<{");
            for (unsigned k = 0; k < 4u; ++k) {
                to += sprintf(to, "%s%s = ", k ? ", " : "", names[k]);
                to = zeros(to, k == in ? 32 : 0);
            }
        }
        strcpy(to, "}>");
        sprintf(said, n < 5u ? "%s" : "#ttg.slice<{dim = 0, parent = %s}>",
                text);
        const ll_foreign f = ll_from_triton(said, n < 5u, one);
        if (n < 5u) {
            const ll_dim d = ll_dim_of(in == 4u ? "block" : names[in]);
            CHECK(f.layout.err == LL_OK &&
                  ll_shape_same_(&f.layout.out, &point));
            CHECK(held_bits(&f.layout.in, d) == 32u);
            CHECK(bits_in(&f.layout.in) == 32u);
        } else { /* a tensor without axes is none */
            CHECK(f.layout.err == LL_EDIMS);
        }
    }
    const unsigned point_[2] = {1, 1};
    const ll_foreign f = ll_from_triton(
        "#ttg.blocked<{sizePerThread = [131072, 1], threadsPerWarp = [1, "
        "65536], warpsPerCTA = [1, 1], order = [1, 0]}>", 2, point_);
    CHECK(f.layout.err == LL_EBITS && !f.why);
}

/* Of 2 to 18 axes, with sizes that are too large, or too many elements. */
static void shapes_are_looked_at_before_the_text(void) {
    unsigned sizes[18];
    for (unsigned k = 0; k < 18u; ++k) {
        sizes[k] = 1;
    }
    CHECK(ll_from_triton("?", 16, sizes).layout.err == LL_ETEXT);
    CHECK(ll_from_triton("?", 17, sizes).layout.err == LL_EDIMS);
    CHECK(ll_from_triton("?", 18, sizes).layout.err == LL_EDIMS);
    CHECK(ll_from_triton("?", 0, sizes).layout.err == LL_EDIMS);
    for (unsigned k = 0; k < 16u; ++k) {
        sizes[k] = 4;
    }
    CHECK(ll_from_triton("?", 16, sizes).layout.err == LL_ETEXT);
    CHECK(ll_from_triton("?", 17, sizes).layout.err == LL_EDIMS);
    sizes[15] = 8;
    CHECK(ll_from_triton("?", 16, sizes).layout.err == LL_EBITS);
    sizes[0] = 1u << 30;
    CHECK(ll_from_triton("?", 1, sizes).layout.err == LL_ETEXT);
    sizes[0] = 1u << 31;
    CHECK(ll_from_triton("?", 1, sizes).layout.err == LL_ESIZE);
    CHECK(ll_from_triton("?", 1, sizes).layout.at == 1u << 31);
    sizes[0] = 1;
    CHECK(ll_from_triton("?", 1, sizes).layout.is == LL_AT_CHARACTER);
    CHECK(ll_from_cute("?").layout.is == LL_AT_CHARACTER);
}

/* ---- Recipes ------------------------------------------------------------- */

/* A tensor of i x j, an attribute, and its layout; or the sentence, with ~
 * before the character at fault. */
typedef struct rule {
    unsigned i, j;
    const char *attribute, *is;
} rule;

static void check_rules(const rule *list, unsigned n) {
    for (unsigned k = 0; k < n; ++k) {
        const unsigned sizes[2] = {list[k].i, list[k].j};
        const ll_layout want = ll_order_out(L(list[k].is), "j i");
        const char *mark = strchr(list[k].attribute, '~');
        strcpy(said, list[k].attribute);
        if (mark) {
            strcpy(said + (mark - list[k].attribute), mark + 1);
        }
        const ll_foreign f = ll_from_triton(said, 2, sizes);
        const int ok =
            mark ? f.why && strstr(f.why, list[k].is) == f.why &&
                       f.layout.at == (unsigned)(mark - list[k].attribute) + 1u
                 : !want.err &&
                       ll_is_equal(ll_order_out(f.layout, "j i"), want);
        if (!ok) {
            ll_str(f.layout, said, sizeof said);
            printf("  %s is %s (%u)\n", list[k].attribute, f.why ? f.why : said,
                   f.layout.at);
        }
        CHECK(ok);
    }
}

#define RULE_PIECES                                        \
    "#ttg.~partitioned_shared<{numPartitions = 1, numGroups = " \
    "1, partitionDim = 2, partitionLayout = "
#define RULE_64_4                                              \
    "parent = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], " \
    "instrShape = [64, 4, 64]}>, kWidth = 4}>"
#define RULE_4_64                                              \
    "parent = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], " \
    "instrShape = [4, 64, 64]}>, kWidth = 4}>"

static void attributes_are_read_to_their_last_character(void) {
    static const rule list[] = {
        {64, 16, "#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, "
                 "colStride = 1, ~x>", "the attribute has no such key"},
        {16, 16, "#ttg.amd_wmma<{version = 2, ctaLayout = {warp = [], ~x}}>",
         "the attribute has no such key"},
        {2, 2, "#ttg.linear<{register=[[0,1],[1,0]],lane=[],warp=[],block=[]}"
               ">", "register: j0 i0 | lane: | warp:"},
        {2, 2, "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]},alignment = "
               "~12>", "an alignment is a power of two"},
        {2, 2, "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]},alignment=16>",
         "offset: j0 i0"},
        {4, 4, "#ttg.padded_shared<[4:+4,8:+8] {order = [1, 0], shape = [4, "
               "4]}>", "offset: j0 j1 i0 i1"},
        {4, 4, "#ttg.padded_shared<[4:+4 , 8:+8 ] {order = [1, 0], shape = "
               "[4, 4]}>", "offset: j0 j1 i0 i1"},
        {4, 4, "#ttg.padded_shared<[4:+4, 8:+8, ~8:+16] {order = [1, 0], "
               "shape = [4, 4]}>", "this interval occurs twice"},
        {4, 4, "#ttg.padded_shared<[4:+4] {offset = [], ~more = 1}>",
         "the attribute has no such key"},
        {4, 4, "#ttg.padded_shared<[4:+4] {order = [1, 0], shape = [4, 4], "
               "~offset = []}>", "the attribute has no such key"},
        {4, 4, "#ttg.~padded_shared<[4:+4] {block = []}>",
         "the attribute lacks a key"},
        {16, 16, "#ttg.dot_op<{opIdx = 0, parent = #ttg.~nvidia_mma<{"
                 "warpsPerCTA = [1, 1], instrShape = [16, 8]}>}>",
         "the attribute lacks a key"},
        {16, 16, RULE_PIECES "#ttg.shared_linear<{offset = [[0, 1]]}>}>",
         "numPartitions and numGroups"},
    };
    check_rules(list, sizeof list / sizeof *list);
}

static void recipes_fill_and_cut_what_they_are_given(void) {
    static const rule list[] = {
        {4, 4, "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}>",
         "offset: j0 i0 j1 i1"},
        {4, 4, "#ttg.~shared_linear<{offset = [[0, 2]]}>",
         "the columns do not reach every element"},
        {4, 4, "#ttg.padded_shared<[4:+4] {offset = [[0, 1], [1, 0]]}>",
         "offset: j0 i0 j1 i1"},
        {4, 4, "#ttg.padded_shared<[4:+4] {offset = [[0, 1], [1, 0], [2, 0]], "
               "block = [[0, 2]]}>", "offset: j0 i0 i1 | block: j1"},
        {4, 4, "#ttg.~padded_shared<[4:+4] {offset = [[0, 2]]}>",
         "the columns do not reach every element"},
        {4, 4, "#ttg.padded_shared<[4:+4] {offset = [[1, 1], [0, 1], [2, 0], "
               "[0, 2]]}>", "offset: i0^j0 j0 i1 j1"},
        {256, 8, "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [1, 1], "
                 "instrShape = [256, 8]}>",
         "register: j0 i3 i4 i5 i6 i7 | lane: j1 j2 i0 i1 i2 | warp:"},
        {16, 16, "#ttg.amd_wmma<{version = 2, ctaLayout = {}}>",
         "register: i0 i1 i2 | lane: j0 j1 j2 j3 i3 | warp:"},
        /* tilesPerWarp, as Triton 3.6 lays it */
        {64, 32, "#ttg.amd_wmma<{version = 1, isTranspose = false, warpsPerCTA "
                 "= [2, 2], tilesPerWarp = [2, 1]}>",
         "register: i1 i2 i3 i4 | lane: j0 j1 j2 j3 i0 | warp: j4 i5"},
        {256, 64, "#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_wmma<{version = "
                  "1, isTranspose = false, warpsPerCTA = [2, 2], tilesPerWarp "
                  "= [4, 2]}>, kWidth = 16}>",
         "register: j0 j1 j2 j3 j4 i4 i5 j5 i7 | lane: i0 i1 i2 i3 0 | warp: "
         "0 i6"},
        /* operands: no registers and no other warps for tiles along k */
        {64, 32, "#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_wmma<{version = 2, "
                 "ctaLayout = {register = [[0, 1], [1, 0]], warp = [[2, 0], "
                 "[0, 2]]}}>, kWidth = 8}>",
         "register: j0 j1 j2 i4 j4 | lane: i0 i1 i2 i3 j3 | warp: i5 0"},
        {32, 64, "#ttg.dot_op<{opIdx = 1, parent = #ttg.amd_wmma<{version = 2, "
                 "ctaLayout = {register = [[1, 0], [0, 1]], warp = [[0, 2], "
                 "[2, 0]]}}>, kWidth = 8}>",
         "register: i0 i1 i2 j4 i4 | lane: j0 j1 j2 j3 i3 | warp: j5 0"},
        /* of 64 x 4, an operand of 64 rows has its k in registers */
        {64, 64, "#ttg.dot_op<{opIdx = 0, " RULE_64_4,
         "register: j0 j1 j2 j3 j4 j5 | lane: i0 i1 i2 i3 i4 i5 | warp:"},
        {64, 16, "#ttg.dot_op<{opIdx = 0, " RULE_64_4,
         "register: j0 j1 j2 j3 0 0 | lane: i0 i1 i2 i3 i4 i5 | warp:"},
        {64, 4, "#ttg.dot_op<{opIdx = 1, " RULE_64_4,
         "register: i0 i1 | lane: j0 j1 i2 i3 i4 i5 | warp:"},
        {4, 64, "#ttg.dot_op<{opIdx = 0, " RULE_4_64,
         "register: j0 j1 | lane: i0 i1 j2 j3 j4 j5 | warp:"},
        {16, 64, "#ttg.dot_op<{opIdx = 1, " RULE_4_64,
         "register: i0 i1 i2 i3 0 0 | lane: j0 j1 j2 j3 j4 j5 | warp:"},
        {128, 512, "#ttng.tensor_memory_encoding<blockM = 128, blockN = 512, "
                   "colStride = 1>",
         "dp: i0 i1 i2 i3 i4 i5 i6 | tcol: j0 j1 j2 j3 j4 j5 j6 j7 j8"},
        {128, 16, "#ttng.tensor_memory_encoding<blockM = 128, blockN = 16, "
                  "colStride = 32>",
         "dp: i0 i1 i2 i3 i4 i5 i6 | tcol: 0 0 0 0 0 j0 j1 j2 j3"},
        {128, 16, "#ttng.tensor_memory_encoding<blockM = 128, blockN = 16, "
                  "colStride = 1, fp4Padded = true>",
         "dp: i0 i1 i2 i3 i4 i5 i6 | tcol: 0 j0 j1 j2 j3"},
        {128, 16, "#ttng.tensor_memory_encoding<blockM = 128, blockN = 16, "
                  "colStride = 2, fp4Padded = true>",
         "dp: i0 i1 i2 i3 i4 i5 i6 | tcol: 0 0 j0 j1 j2 j3"},
        {128, 16, "#ttng.tensor_memory_scales_encoding<blockRepOrder = "
                  "k_then_mn>",
         "dp: i0 i1 i2 i3 i4 0 0 | tcol: j0 j1 i5 i6 j2 j3"},
        /* pieces of 8 rows, of a layout of 16 */
        {16, 2, "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 1, "
                "partitionDim = 0, partitionLayout = #ttg.shared_linear<{"
                "offset = [[0, 1], [1, 0], [2, 0], [4, 0], [8, 0]]}>}>",
         "offset: j0 i0 i1 i2 0 | partition: i3"},
    };
    check_rules(list, sizeof list / sizeof *list);
    const unsigned large[2] = {64, 64};
    CHECK(!ll_from_triton("#ttg.amd_wmma<{version = 3, warpsPerCTA = [1, 1], "
                          "instrShape = [64, 64, 1024]}>",
                          2, large).layout.err);
}

/* Columns of one axis, more than there are axes, and beyond its size. */
static void long_axes_are_filled_and_cut(void) {
    for (unsigned n = 1; n <= 30u; ++n) {
        char *to = said + sprintf(said, "#ttg.linear<{register = [");
        for (unsigned k = 0; k < n; ++k) {
            to += sprintf(to, "%s[0, %u]", k ? ", " : "", 1u << k);
        }
        strcpy(to, "], lane = [], warp = [], block = []}>");
        for (unsigned bits = 0; bits <= 30u; bits += 3u) {
            const unsigned sizes[2] = {1, 1u << bits};
            const ll_layout a = ll_from_triton(said, 2, sizes).layout;
            CHECK(a.err == LL_OK && bits_in(&a.in) == bits);
            for (unsigned k = 0; k < bits; ++k) {
                CHECK(a.basis[k] == 1u << k);
            }
        }
    }
    const unsigned cube[3] = {4, 4, 4};
    const ll_foreign f = ll_from_triton(
        "#ttg.linear<{register = [[0, 1, 1]], lane = [], warp = [], block = "
        "[]}>", 3, cube);
    CHECK(f.layout.err == LL_ETEXT && strstr(f.why, "each column is 0"));
}

/* ---- Swizzled memory ----------------------------------------------------- */

/* Memory as the tensor copy engine writes it: rows of `width` bytes, in which
 * the address bits from 4 up are XORed with those from 7 up. A box has at most
 * 256 rows; boxes follow along the first axis, then along the second. With pads
 * each 16 bytes have 8 elements twice. */
typedef struct lines {
    unsigned width, bits, pads, turned;
    unsigned rows, cols; /* cols: along the contiguous axis */
} lines;

/* The row and the column at an offset, as row * cols + column, or the same with
 * the sides exchanged. */
static unsigned element_at(const lines *l, unsigned offset) {
    const unsigned long long bit = (unsigned long long)offset * l->bits;
    const unsigned line = 8u * l->width / l->bits; /* elements, and pads */
    const unsigned high = l->rows < 256u ? l->rows : 256u;
    const unsigned box = offset / (line * high);
    unsigned at = (unsigned)(bit / 8u);
    at ^= (at >> 7 & (l->width / 16u - 1u)) << 4;
    const unsigned inside = at % (l->width * high);
    unsigned row = inside / l->width;
    unsigned col = (inside % l->width * 8u + (unsigned)(bit % 8u)) / l->bits;
    col = l->pads ? col / 16u * 8u + col % 8u : col;
    const unsigned wide = l->pads ? line / 2u : line;
    const unsigned tall = l->rows / high, across = l->cols / wide;
    row += (l->turned ? box / across : box % tall) * high;
    col += (l->turned ? box % across : box / tall) * wide;
    return l->turned ? col * l->rows + row : row * l->cols + col;
}

static void check_lines(const lines *l, unsigned rank, const unsigned *sizes) {
    sprintf(said,
            "#ttg.nvmma_shared<{swizzlingByteWidth = %u, transposed = %s, "
            "elementBitWidth = %u, fp4Padded = %s, rank = %u}>",
            l->width, l->turned ? "true" : "false", l->bits,
            l->pads ? "true" : "false", rank);
    const ll_layout a = ll_from_triton(said, rank, sizes).layout;
    unsigned wrong = a.err;
    CHECK(1u << bits_in(&a.in) == l->rows * l->cols << l->pads);
    for (unsigned x = 0; !wrong && x < l->rows * l->cols << l->pads; ++x) {
        wrong += value(&a, x) != element_at(l, x);
    }
    CHECK(wrong == 0);
}

static void swizzled_lines_are_those_of_the_copy_engine(void) {
    for (unsigned n = 0; n < 3u * 6u * 2u * 2u * 3u; ++n) {
        lines l = LL_ZERO;
        l.width = 32u << n % 3u;
        l.bits = 4u << n / 3u % 6u;
        l.pads = n / 18u % 2u;
        l.turned = n / 36u % 2u;
        l.rows = n / 72u == 0 ? 8u : n / 72u == 1u ? 64u : 512u;
        const unsigned line = 8u * l.width / l.bits >> l.pads;
        if (l.pads && (l.bits != 8u || line < 8u)) {
            continue; /* pads are for bytes of two elements of 4 bits */
        }
        for (unsigned across = 1; across <= 2u; ++across) {
            l.cols = line * across;
            const unsigned sizes[2] = {l.turned ? l.cols : l.rows,
                                       l.turned ? l.rows : l.cols};
            check_lines(&l, 2, sizes);
        }
        if (l.rows == 64u) { /* other axes are rows, the last one fastest */
            l.cols = line;
            const unsigned first[3] = {line, 4, 16}, last[3] = {4, 16, line};
            const unsigned *sizes = l.turned ? first : last;
            check_lines(&l, 3, sizes);
        }
    }
}

/* Without a swizzle elements follow each other, in boxes of at most 256 along
 * an axis; padded numbers count twice. */
static void lines_without_a_swizzle_are_boxes(void) {
    for (unsigned n = 0; n < 8u; ++n) {
        const unsigned cols = n / 4u ? 16u : 1024u;
        const unsigned most = n % 2u ? 128u : 256u;
        const unsigned wide = cols < most ? cols : most;
        const unsigned sizes[2] = {n / 2u % 2u ? 512u : 2u, cols};
        const unsigned high = sizes[0] < 256u ? sizes[0] : 256u;
        sprintf(said,
                "#ttg.nvmma_shared<{swizzlingByteWidth = 0, elementBitWidth = "
                "8, fp4Padded = %s}>", n % 2u ? "true" : "false");
        const ll_layout a = ll_from_triton(said, 2, sizes).layout;
        unsigned wrong = a.err;
        CHECK(1u << bits_in(&a.in) == sizes[0] * sizes[1]);
        for (unsigned x = 0; !wrong && x < sizes[0] * sizes[1]; ++x) {
            const unsigned box = x / (wide * high), in = x % (wide * high);
            const unsigned across = cols / wide;
            wrong += value(&a, x) !=
                     (in / wide + box / across * high) * cols +
                         in % wide + box % across * wide;
        }
        CHECK(wrong == 0);
    }
}

/* ---- CuTe ---------------------------------------------------------------- */

/* The offset at coordinates i and j. */
static unsigned offset_of(const char *text, unsigned i, unsigned j) {
    const ll_layout a = ll_from_cute(text).layout;
    CHECK(a.err == LL_OK);
    return ll_apply(a, placed(&a.in, LL_I, i) | placed(&a.in, LL_J, j));
}

static void blanks_of_cute_are_of_no_account(void) {
    static const char *const texts[] = {
        "(2,4):(4,1)",         "  (2,4):(4,1)",
        "( 2 , 4 ) : ( 4 , 1 )", "(2,4):(4,1) // a o b",
        "(2,4) // (\n:(4,1)",  "\n(2 ,4 ):(4 ,1 ) "};
    for (unsigned k = 0; k < sizeof texts / sizeof *texts; ++k) {
        CHECK(ll_is_equal(ll_from_cute(texts[k]).layout,
                          L("j: offset0 offset1 | i: offset2")));
    }
    CHECK(offset_of("64 o(4,8):(8,1)", 1, 1) == 73u);
    CHECK(offset_of("Swizzle< 1 , 0 , 2 > o (2,4):(4,1)", 1, 0) == 5u);
    CHECK(offset_of("Swizzle<1,0,2>o(2,4):(4,1)", 1, 0) == 5u);
    CHECK(ll_from_cute("8:2").layout.in.n == 1u);
    CHECK(ll_from_cute("1").layout.out.n == 1u);
    CHECK(ll_from_cute("1").layout.out.bits[0] == 0);
    CHECK(ll_from_cute("2").layout.out.bits[0] == 1u);
}

static void compositions_are_functions_of_functions(void) {
    CHECK(offset_of("(65536,65536,1)", 65535, 65535) == ~0u);
    CHECK(offset_of("0 o (65536,65536)", 65535, 65535) == ~0u);
    CHECK(offset_of("(65536,65536) o (4,4)", 3, 2) == 11u);
    /* 8 -> 8 % 8 * 4 + 8 / 8 */
    CHECK(offset_of("(8,4):(4,1) o 8 o (4,2):(1,4)", 0, 0) == 1u);
    CHECK(offset_of("(8,4):(4,1) o 8 o (4,2):(1,4)", 3, 1) == 29u);
    CHECK(offset_of("Swizzle<1,0,1> o 2:3", 1, 0) == 2u); /* 3 ^ 1 */
    CHECK(offset_of("Swizzle<8,16,8> o 2:16777216", 1, 0) ==
          (1u << 24 | 1u << 16));
    CHECK(offset_of("Swizzle<1,16,1> o 2:131072", 1, 0) ==
          (1u << 17 | 1u << 16));
    CHECK(strstr(ll_from_cute("(2,2):(1,1)").why, "the same offset"));
    CHECK(strstr(ll_from_cute("1 o (2,2):(1,2)").why, "this offset meets"));
}

/* A rotation's phase is that of a row, XORed with how often the phases have
 * come round, which comes round as well: here the rows of most shapes are more
 * than perPhase * maxPhase^2. */
static void rotations_come_round(void) {
    static const unsigned sizes[2] = {32, 8};
    for (unsigned per = 1; per <= 4u; per *= 2u) {
        for (unsigned most = 1; most <= 8u; most *= 2u) {
            char text[200];
            snprintf(text, sizeof text,
                     "#ttg.amd_rotating_shared<{vec = 1, perPhase = %u, "
                     "maxPhase = %u, order = [1, 0]}>",
                     per, most);
            const ll_layout a = ll_from_triton(text, 2, sizes).layout;
            unsigned wrong = a.err;
            for (unsigned at = 0; at < 256u && !wrong; ++at) {
                const unsigned row = at / 8u, col = at % 8u;
                const unsigned turn =
                    row / per % most ^ row / per / most % most;
                const unsigned y = ll_apply(a, at);
                wrong += ll_unpack(a.out, LL_I, y) != row ||
                         ll_unpack(a.out, LL_J, y) != (col ^ turn);
            }
            CHECK(wrong == 0);
            CHECK(ll_is_equal(a, ll_rotated(ll_shape_of("j=8 i=32"), 1, per,
                                            most)));
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(axes_of_size_1_change_nothing);
    RUN(rotations_come_round);
    RUN(slices_have_up_to_15_axes);
    RUN(inputs_have_up_to_32_columns);
    RUN(shapes_are_looked_at_before_the_text);
    RUN(attributes_are_read_to_their_last_character);
    RUN(recipes_fill_and_cut_what_they_are_given);
    RUN(long_axes_are_filled_and_cut);
    RUN(swizzled_lines_are_those_of_the_copy_engine);
    RUN(lines_without_a_swizzle_are_boxes);
    RUN(blanks_of_cute_are_of_no_account);
    RUN(compositions_are_functions_of_functions);
    return test_end();
}
