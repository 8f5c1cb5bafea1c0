/* test_views.c - pictures of layouts and of banks.
 * SPDX-License-Identifier: MIT
 *
 * Pictures are read back and compared with the definition of a layout and with
 * what each bank serves, counted lane by lane.
 */
#include "../ll.h"
#include "../tools/views/ll_views.h"
#include "machines.h"
#include "views.h"

static void cells_have_the_elements_and_places_of_the_layout(void) {
    for (unsigned n = 0; n < times(300); ++n) {
        const ll_target t = some_target();
        const random_pair c = random_conversion(ll_log2_(t.lanes), 9, 5, 1);
        const ll_view h = ll_view_hardware(c.a);
        CHECK(h.rows * h.cols == 1u << ll_shape_bits_(&c.a.in));
        for (unsigned row = 0; row < h.rows; ++row) {
            const unsigned col = test_random(h.cols);
            const ll_cell cell = ll_cell_at(&h, row, col);
            CHECK(element_in(&cell, &c.a.out) ==
                  value(&c.a, row * h.cols + col));
            CHECK(cell.element == element_in(&cell, &c.a.out));
        }
        const ll_view v = ll_view_tensor(c.a);
        CHECK(v.err || v.rows * v.cols == 1u << ll_shape_bits_(&c.a.out));
        for (unsigned row = 0; row < v.rows; ++row) {
            const unsigned col = test_random(v.cols);
            const ll_cell cell = ll_cell_at(&v, row, col);
            const char *at = cell.text;
            unsigned x = 0;
            for (unsigned k = c.a.in.n; k-- > 0;) {
                char *end = NULL;
                x |= ll_pack(c.a.in, c.a.in.dim[k],
                             (unsigned)strtoul(at, &end, 10));
                at = end + 1;
            }
            CHECK(value(&c.a, x) == row * v.cols + col);
        }
    }
}

static unsigned count_of(const char *what) {
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; ++at) {
        ++n;
    }
    return n;
}

static void every_form_has_every_cell(void) {
    const ll_layout a = ll_rows(16, 16, 4);
    const ll_view views[] = {
        ll_view_matrix(a), ll_view_tensor(a), ll_view_hardware(a),
        ll_view_banks(ll_trans(a, "j i"),
                      ll_row_major(ll_shape_of("j=16 i=16")), 32, 4, LL_READ,
                      LL_SM90)};
    for (unsigned k = 0; k < 4u; ++k) {
        const ll_view *v = &views[k];
        for (unsigned form = LL_AS_TEXT; form <= LL_AS_CSV; ++form) {
            char start[20];
            const unsigned n = ll_picture(*v, form, text, sizeof text);
            CHECK(n == strlen(text) && n < sizeof text);
            CHECK(ll_picture(*v, form, start, sizeof start) == n);
            CHECK(strncmp(start, text, sizeof start - 1u) == 0);
            if (form == LL_AS_TEXT) { /* each line ends in the same column */
                const char *line = strchr(text, '\n') + 1; /* the grid */
                const size_t wide = strcspn(line, "\n");
                for (unsigned row = 0; row <= v->rows; ++row) {
                    CHECK(strcspn(line, "\n") == wide);
                    line += wide + 1u;
                }
            }
            char legend[300];
            ll_legend(*v, legend, sizeof legend);
            if (form == LL_AS_SVG) {
                CHECK(count_of("<svg ") == 1u && count_of("</svg>") == 1u);
                CHECK(count_of("<text ") == count_of("</text>"));
                CHECK(count_of(legend) == 1u && count_of("</title>") == 1u);
            } else {
                const unsigned last = form == LL_AS_CSV ? 0u : 1u;
                CHECK(count_of("\n") == v->rows + 1u + last);
                CHECK(count_of(legend) == last);
            }
            if (form == LL_AS_CSV) {
                CHECK(count_of(",") >= v->cols * (v->rows + 1u));
            }
        }
    }
    CHECK(views[3].ways == 4u && views[3].rows == 4u);
    CHECK(ll_picture(ll_view_tensor(ll_layout_none_(LL_ESIZE)), LL_AS_SVG, text,
                     sizeof text) == strlen(ll_strerror(LL_ESIZE)) + 1u);
}

static void small_pictures_are_known(void) {
    static const struct {
        int kind; /* LL_VIEW_.. */
        const char *layout;
        unsigned form;
        const char *picture;
    } list[] = {
        {LL_VIEW_MATRIX, "lane: i0 i1", LL_AS_TEXT,
         "cells: 1 if this input bit (column) sets this output bit (row)\n"
         "   lane0 lane1\n"
         "i0     1     .\n"
         "i1     .     1\n"},
        {LL_VIEW_MATRIX, "lane: i0 j0 | 1: j0", LL_AS_TEXT,
         "cells: 1 if this input bit (column) sets this output bit (row)\n"
         "   lane0 lane1     1\n"
         "j0     .     1     1\n"
         "i0     1     .     .\n"},
        {LL_VIEW_MATRIX, "dim0: i0 i1", LL_AS_CSV,
         ",dim0.0,dim0.1\ni0,1,.\ni1,.,1\n"},
        {LL_VIEW_MATRIX, "register: | 1: i0", LL_AS_TEXT,
         "cells: 1 if this input bit (column) sets this output bit (row)\n"
         "   1\ni0 1\n"},
        {LL_VIEW_HARDWARE, "register: i0 i1 i2 i3 | lane: j0", LL_AS_TEXT,
         "cells: i,j of the element\n"
         "        r0   r1   r2   r3   r4   r5   r6   r7   r8   r9  r10  r11  "
         "r12  r13  r14  r15\n"
         "w0 l0  0,0  1,0  2,0  3,0  4,0  5,0  6,0  7,0  8,0  9,0 10,0 11,0 "
         "12,0 13,0 14,0 15,0\n"
         "w0 l1  0,1  1,1  2,1  3,1  4,1  5,1  6,1  7,1  8,1  9,1 10,1 11,1 "
         "12,1 13,1 14,1 15,1\n"},
        {LL_VIEW_TENSOR, "register: j0 | lane: i0", LL_AS_TEXT,
         "cells: lane:register\n"
         "    j0  j1\n"
         "i0 0:0 0:1\n"
         "i1 1:0 1:1\n"},
        {LL_VIEW_TENSOR, "register: i0 | lane: j0 | warp: k0", LL_AS_TEXT,
         "cells: warp:lane:register\n"
         "         k0    k1\n"
         "i0,j0 0:0:0 1:0:0\n"
         "i0,j1 0:1:0 1:1:0\n"
         "i1,j0 0:0:1 1:0:1\n"
         "i1,j1 0:1:1 1:1:1\n"},
        {LL_VIEW_TENSOR, "register: j0 | block: | lane: i0", LL_AS_TEXT,
         "cells: lane:register\n"
         "    j0  j1\n"
         "i0 0:0 0:1\n"
         "i1 1:0 1:1\n"},
        {LL_VIEW_TENSOR, "register: j0 | lane: | warp: i0", LL_AS_TEXT,
         "cells: warp:lane:register\n"
         "      j0    j1\n"
         "i0 0:0:0 0:0:1\n"
         "i1 1:0:0 1:0:1\n"},
        {LL_VIEW_TENSOR, "register: j0 | block: i0", LL_AS_CSV,
         ",j0,j1\ni0,0:0,0:1\ni1,1:0,1:1\n"},
        {LL_VIEW_HARDWARE, "register: j0 | lane: i0 | warp: i1", LL_AS_TEXT,
         "cells: i,j of the element\n"
         "       r0  r1\n"
         "w0 l0 0,0 0,1\n"
         "w0 l1 1,0 1,1\n"
         "w1 l0 2,0 2,1\n"
         "w1 l1 3,0 3,1\n"},
        {LL_VIEW_HARDWARE, "register: j0 | block: j1 | lane: i0", LL_AS_CSV,
         ",r0,r1\nb0 l0,\"0,0\",\"0,1\"\nb1 l0,\"0,2\",\"0,3\"\n"
         "b0 l1,\"1,0\",\"1,1\"\nb1 l1,\"1,2\",\"1,3\"\n"},
        {LL_VIEW_HARDWARE, "register: | lane: i0 | warp: j0 | block: j1 | "
                           "gpu: i1 | node: 0", LL_AS_CSV,
         ",r0\nn0 g0 b0 w0 l0,\"0,0\"\nn0 g0 b0 w0 l1,\"1,0\"\n"
         "n0 g0 b0 w1 l0,\"0,1\"\nn0 g0 b0 w1 l1,\"1,1\"\n"
         "n0 g0 b1 w0 l0,\"0,2\"\nn0 g0 b1 w0 l1,\"1,2\"\n"
         "n0 g0 b1 w1 l0,\"0,3\"\nn0 g0 b1 w1 l1,\"1,3\"\n"
         "n0 g1 b0 w0 l0,\"2,0\"\nn0 g1 b0 w0 l1,\"3,0\"\n"
         "n0 g1 b0 w1 l0,\"2,1\"\nn0 g1 b0 w1 l1,\"3,1\"\n"
         "n0 g1 b1 w0 l0,\"2,2\"\nn0 g1 b1 w0 l1,\"3,2\"\n"
         "n0 g1 b1 w1 l0,\"2,3\"\nn0 g1 b1 w1 l1,\"3,3\"\n"
         "n1 g0 b0 w0 l0,\"0,0\"\nn1 g0 b0 w0 l1,\"1,0\"\n"
         "n1 g0 b0 w1 l0,\"0,1\"\nn1 g0 b0 w1 l1,\"1,1\"\n"
         "n1 g0 b1 w0 l0,\"0,2\"\nn1 g0 b1 w0 l1,\"1,2\"\n"
         "n1 g0 b1 w1 l0,\"0,3\"\nn1 g0 b1 w1 l1,\"1,3\"\n"
         "n1 g1 b0 w0 l0,\"2,0\"\nn1 g1 b0 w0 l1,\"3,0\"\n"
         "n1 g1 b0 w1 l0,\"2,1\"\nn1 g1 b0 w1 l1,\"3,1\"\n"
         "n1 g1 b1 w0 l0,\"2,2\"\nn1 g1 b1 w0 l1,\"3,2\"\n"
         "n1 g1 b1 w1 l0,\"2,3\"\nn1 g1 b1 w1 l1,\"3,3\"\n"},
        {LL_VIEW_HARDWARE, "register: j0 | warp: i0", LL_AS_CSV,
         ",r0,r1\nw0,\"0,0\",\"0,1\"\nw1,\"1,0\",\"1,1\"\n"},
        {LL_VIEW_HARDWARE, "register: j0 | dim0: i0 | lane: i1", LL_AS_CSV,
         ",r0,r1\ndim0.0 l0,\"0,0\",\"0,1\"\ndim0.1 l0,\"1,0\",\"1,1\"\n"
         "dim0.0 l1,\"2,0\",\"2,1\"\ndim0.1 l1,\"3,0\",\"3,1\"\n"},
        {LL_VIEW_HARDWARE, "register: j0 | lane: i0", LL_AS_CSV,
         ",r0,r1\nw0 l0,\"0,0\",\"0,1\"\nw0 l1,\"1,0\",\"1,1\"\n"},
        {LL_VIEW_HARDWARE, "lane: i0 j0 | register: j1", LL_AS_TEXT,
         "cells: i,j of the element\n"
         "   +0  +1  +2  +3\n"
         "0 0,0 1,0 0,1 1,1\n"
         "4 0,2 1,2 0,3 1,3\n"},
        {LL_VIEW_HARDWARE, "register: i0 i1", LL_AS_CSV,
         ",+0,+1,+2,+3\n0,0,1,2,3\n"},
        {LL_VIEW_HARDWARE, "offset: i0 0 j0", LL_AS_CSV, /* empty places */
         ",+0,+1,+2,+3,+4,+5,+6,+7\n"
         "0,\"0,0\",\"1,0\",,,\"0,1\",\"1,1\",,\n"},
        {LL_VIEW_HARDWARE, "offset: 0 j0", LL_AS_CSV,
         ",+0,+1,+2,+3\n0,0,,1,\n"},
        {LL_VIEW_HARDWARE, "offset: j0 j1 | block: 0", LL_AS_CSV, /* both */
         ",+0,+1,+2,+3\n0,0,1,2,3\n4,0,1,2,3\n"},
        {LL_VIEW_HARDWARE, "lane: i0 0 j0", LL_AS_CSV, /* copies */
         ",+0,+1,+2,+3,+4,+5,+6,+7\n"
         "0,\"0,0\",\"1,0\",\"0,0\",\"1,0\",\"0,1\",\"1,1\",\"0,1\","
         "\"1,1\"\n"},
        {LL_VIEW_TENSOR, "register: k0 | lane: i0 | warp: j0", LL_AS_CSV,
         ",k0,k1\n\"i0,j0\",0:0:0,0:0:1\n\"i0,j1\",1:0:0,1:0:1\n"
         "\"i1,j0\",0:1:0,0:1:1\n\"i1,j1\",1:1:0,1:1:1\n"},
        {LL_VIEW_HARDWARE, "offset: i0 i1 i2 i3", LL_AS_TEXT,
         "cells: i of the element\n"
         "   +0  +1  +2  +3  +4  +5  +6  +7  +8  +9 +10 +11 +12 +13 +14 +15\n"
         "0   0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n"},
        {LL_VIEW_HARDWARE, "register: j0 | lane: i3 | 1: i3^i1", LL_AS_TEXT,
         "cells: i,j of the element\n"
         "        r0   r1\n"
         "w0 l0 10,0 10,1\n"
         "w0 l1  2,0  2,1\n"},
        {LL_VIEW_HARDWARE, "register: j0 j1 | lane: i0 | warp: i1",
         LL_AS_TEXT,
         "cells: i,j of the element\n"
         "       r0  r1  r2  r3\n"
         "w0 l0 0,0 0,1 0,2 0,3\n"
         "w0 l1 1,0 1,1 1,2 1,3\n"
         "w1 l0 2,0 2,1 2,2 2,3\n"
         "w1 l1 3,0 3,1 3,2 3,3\n"},
        {LL_VIEW_MATRIX, "lane: i0", LL_AS_COLOUR,
         "cells: 1 if this input bit (column) sets this output bit (row)\n"
         "   lane0\ni0 \033[30;48;5;115m    1\033[0m\n"},
        {LL_VIEW_MATRIX, "lane: i0", LL_AS_SVG,
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"66\" "
         "height=\"38\" font-family=\"monospace\" font-size=\"11\" "
         "text-anchor=\"middle\">\n<title>cells: 1 if this input bit (column) "
         "sets this output bit (row)</title>\n"
         "<rect width=\"100%\" height=\"100%\" "
         "fill=\"#ffffff\"/>\n<text x=\"43\" y=\"13\">lane0</text>\n"
         "<text x=\"11\" y=\"32\">i0</text>\n<rect x=\"22\" y=\"19\" "
         "width=\"43\" height=\"18\" fill=\"#96fcb2\"/><text x=\"43\" "
         "y=\"32\">1</text>\n</svg>\n"},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const ll_layout a = L(list[k].layout);
        const int kind = list[k].kind;
        const ll_view v = kind == LL_VIEW_MATRIX   ? ll_view_matrix(a)
                          : kind == LL_VIEW_TENSOR ? ll_view_tensor(a)
                                                   : ll_view_hardware(a);
        const unsigned n = ll_picture(v, list[k].form, text, sizeof text);
        CHECK(n == strlen(list[k].picture));
        CHECK(strcmp(text, list[k].picture) == 0);
    }
    /* two rows of banks: the second row of a phase is a conflict */
    ll_target two = LL_SM90;
    two.banks[LL_READ][0] = 2;
    const ll_view banks =
        ll_view_banks(L("register: | lane: j0 j1 0 0 0"), L("offset: j0 j1"),
                      32, 4, LL_READ, two);
    ll_picture(banks, LL_AS_TEXT, text, sizeof text);
    CHECK(strcmp(text, "read, 4 bytes per lane; cells: the lane that the "
                       "bank serves; +: other lanes use the same word; !: "
                       "bank conflict\n"
                       "             b0  b1\n"
                       "wavefront 0  0+  1+\n"
                       "wavefront 1 2+! 3+!\n") == 0);
    CHECK(ll_legend(ll_view_banks(L("register: | lane: j0 j1 0 0 0"),
                                  L("offset: j0 j1"), 32, 4, LL_WRITE, two),
                    text, sizeof text));
    CHECK(strstr(text, "write, 4 bytes per lane; cells: ") == text);
    ll_picture(banks, LL_AS_COLOUR, text, sizeof text);
    CHECK(strstr(text, " \033[1;97;48;5;160m2+!\033[0m "
                       "\033[1;97;48;5;160m3+!\033[0m\n"));
    ll_picture(banks, LL_AS_SVG, text, sizeof text);
    CHECK(strstr(text, "<text x=\"99\" y=\"13\">b0</text>\n"
                       "<text x=\"129\" y=\"13\">b1</text>\n"));
    CHECK(strstr(text, "<rect x=\"115\" y=\"38\" width=\"29\" height=\"18\" "
                       "fill=\"#ff5040\"/><text x=\"129\" y=\"51\" "
                       "font-weight=\"bold\">3+!</text>\n</svg>\n"));
    const ll_view more =
        ll_view_banks(L("register: | lane: j0 0 0 j1 0"), L("offset: j0 j1"),
                      32, 4, LL_READ, two);
    ll_picture(more, LL_AS_TEXT, text, sizeof text);
    CHECK(strcmp(text, "read, 4 bytes per lane; cells: the lane that the "
                       "bank serves; +: other lanes use the same word; !: "
                       "bank conflict\n"
                       "             b0  b1\n"
                       "wavefront 0  0+  1+\n"
                       "wavefront 1 8+! 9+!\n") == 0);
    two.forms[LL_READ][LL_FORM_MATRIX] = 0;
    const ll_view ten =
        ll_view_banks(L("register: | lane: j0 j1 j2 j3 j4"),
                      L("offset: j0 j1 j2 j3 j4"), 32, 4, LL_READ, two);
    ll_picture(ten, LL_AS_TEXT, text, sizeof text);
    CHECK(strstr(text, "              b0  b1\n"
                       " wavefront 0   0   1\n"
                       " wavefront 1  2!  3!\n") ==
          strchr(text, '\n') + 1);
    CHECK(strstr(text, "wavefront 15 30! 31!\n"));
    ll_layout point = L("register: i0 i1 | lane: j0");
    const ll_view bits = ll_view_matrix(point); /* heads beyond the last */
    CHECK(strcmp(ll_head_of(&bits, 1, 3).text, "i2") == 0);
    CHECK(strcmp(ll_head_of(&bits, 1, 4).text, "i3") == 0);
    point.in = point.out = ll_shape_of("");
    CHECK(ll_view_tensor(point).rows == 1u && ll_view_tensor(point).cols == 1u);
    CHECK(ll_view_hardware(point).rows == 1u);
    CHECK(ll_view_hardware(point).cols == 1u);
    CHECK(ll_view_tensor(L("offset: i0 i1 i2 i3 i4 i5")).rows == 2u);
    CHECK(ll_view_hardware(L("offset: i0 i1 i2 i3 i4 i5")).rows == 2u);
    CHECK(ll_view_hardware(L("lane: i0 i1 i2 i3 i4 i5 | register: j0")).rows ==
          4u);
    CHECK(ll_view_hardware(L("register: i0 i1 i2 i3 i4 i5 | lane: j0")).rows ==
          2u);
    const ll_layout line = L("offset: i0 i1 i2 i3 i4 i5 i6");
    const ll_view views[2] = {ll_view_tensor(line), ll_view_hardware(line)};
    for (unsigned k = 0; k < 2u; ++k) { /* 32 in a row */
        CHECK(views[k].rows == 4u && views[k].cols == 32u);
        CHECK(strcmp(ll_head_of(&views[k], 1, 3).text, "96") == 0);
        CHECK(strcmp(ll_head_of(&views[k], 0, 31).text, "+31") == 0);
        CHECK(strcmp(ll_cell_at(&views[k], 2, 5).text, "69") == 0);
        CHECK(ll_cell_at(&views[k], 4, 0).text[0] == 0);
        CHECK(ll_cell_at(&views[k], 0, 32).text[0] == 0);
        CHECK(ll_cell_at(&views[k], 4, 0).hue == LL_NO_HUE);
        CHECK(ll_cell_at(&views[k], 0, 32).element == LL_NO_ELEMENT);
    }
    ll_layout large = ll_zero(ll_shape_of("offset=1048576"),
                              ll_shape_of("i=1048576"));
    for (unsigned k = 0; k < 20u; ++k) {
        large.basis[k] = 1u << k;
    }
    CHECK(ll_view_tensor(large).err == LL_OK);
    CHECK(ll_view_hardware(large).err == LL_OK);
    large.in.bits[0] = large.out.bits[0] = 21;
    large.basis[20] = 1u << 20;
    CHECK(ll_view_tensor(large).err == LL_ETABLE);
    CHECK(ll_view_tensor(large).rows == 0 && ll_view_tensor(large).cols == 0);
    CHECK(ll_view_hardware(large).err == LL_ETABLE);
    CHECK(ll_view_hardware(large).rows == 0 &&
          ll_view_hardware(large).cols == 0);
    CHECK(LL_NO_ELEMENT + 1u == 0); /* the last number */
    CHECK(ll_view_tensor(L("lane: i0 -> 4")).err == LL_ENOTONTO);
    CHECK(ll_view_reached(large).err == LL_ETABLE);
    CHECK(ll_view_reached(ll_layout_none_(LL_ESIZE)).err == LL_ESIZE);
    CHECK(ll_view_matrix(ll_layout_none_(LL_ESIZE)).rows == 0);
    CHECK(ll_view_matrix(ll_layout_none_(LL_ESIZE)).cols == 0);
}

/* An element without a place has an empty cell; each other cell has a place
 * that holds the element. */
static void parts_of_a_tensor_have_holes(void) {
    char drawn[200];
    ll_picture(ll_view_reached(L("register: j0 | lane: i1 -> j=2 | i=4")),
               LL_AS_CSV, drawn, sizeof drawn);
    CHECK(strcmp(drawn, ",j0,j1\ni0,0:0,0:1\ni1,,\ni2,1:0,1:1\ni3,,\n") == 0);
    for (unsigned n = 0; n < 2000u; ++n) {
        ll_layout a = ll_zero(ll_shape_of("register=4 lane=4"),
                              ll_shape_of("j=4 i=8"));
        unsigned held = 0;
        for (unsigned k = 0; k < 4u; ++k) {
            a.basis[k] = test_random(32) & test_random(32);
        }
        a.offset = test_random(32);
        const ll_view r = ll_view_reached(a);
        CHECK(!r.err && r.rows == 8 && r.cols == 4);
        for (unsigned x = 0; x < 16u; ++x) {
            held |= 1u << ll_apply(a, x);
        }
        for (unsigned y = 0; y < 32u; ++y) {
            const ll_cell c = ll_cell_at(&r, y / 4u, y % 4u);
            unsigned lane = 9, reg = 9;
            const int has = sscanf(c.text, "%u:%u", &lane, &reg) == 2;
            CHECK(has == (int)(held >> y & 1u) && c.element == y);
            CHECK(has ? ll_apply(a, reg | lane << 2) == y
                      : !c.text[0] && c.hue == LL_NO_HUE);
        }
    }
    const ll_layout whole = L("register: j0 | lane: i0 i0");
    for (unsigned y = 0; y < 4u; ++y) {
        const ll_view t = ll_view_tensor(whole), r = ll_view_reached(whole);
        CHECK(strcmp(ll_cell_at(&t, y / 2u, y % 2u).text,
                     ll_cell_at(&r, y / 2u, y % 2u).text) == 0);
    }
}

/* A channel of colour along the circle of 1536 steps: full, falling, nothing
 * for two sixths, rising, full. */
static unsigned channel(unsigned at) {
    const unsigned part = at % 256u;
    static const unsigned start[6] = {255, 255, 0, 0, 0, 255};
    const unsigned sixth = at / 256u % 6u;
    return sixth == 1u   ? 255u - part
           : sixth == 4u ? part
                         : start[sixth];
}

static void hues_go_round_a_circle(void) {
    const ll_layout a = L("register: j0 j1 | lane: i0 i1 i2 | warp: i3");
    const ll_view h = ll_view_hardware(a), t = ll_view_tensor(a);
    for (unsigned hue = 0; hue < 256u; ++hue) {
        const unsigned at = hue * 6u;
        unsigned rgb = 0;
        for (unsigned k = 0; k < 3u; ++k) { /* green is a third behind red */
            rgb = rgb << 8 | (150u + channel(at + 1536u - 512u * k) * 2u / 5u);
        }
        CHECK(ll_rgb_(hue) == rgb);
        char want[60];
        ll_cell cell = {"x", 0, 0, 0};
        ll_writer_ w = ll_writer_on_(text, sizeof text);
        cell.hue = hue; /* a cube of 6 x 6 x 6 colours */
        ll_write_cell_(&w, &cell, 1, 1);
        sprintf(want, "\033[30;48;5;%um" "x\033[0m",
                16u + (rgb >> 16) / 51u * 36u + (rgb >> 8) % 256u / 51u * 6u +
                    rgb % 256u / 51u);
        CHECK(strcmp(text, want) == 0);
    }
    for (unsigned i = 0; i < 16u; ++i) { /* rows, and lanes */
        CHECK(ll_cell_at(&h, i, 1).hue == i * 97u % 256u);
        CHECK(ll_cell_at(&t, i, 2).hue == i % 8u * 97u % 256u);
    }
    const ll_view two = ll_view_tensor(L("register: i0 i1 | lane: j0 j1"));
    for (unsigned k = 0; k < 16u; ++k) { /* two inputs: lanes */
        CHECK(ll_cell_at(&two, k / 4u, k % 4u).hue == k % 4u * 97u % 256u);
    }
    const ll_view line = ll_view_tensor(L("offset: i0 i1 i2 i3 i4"));
    const ll_view back = ll_view_hardware(L("offset: i0 i1 i2 i3 i4"));
    const ll_view m = ll_view_matrix(L("lane: k0 j0 i0"));
    for (unsigned k = 0; k < 32u; ++k) { /* eight places, eight elements */
        CHECK(ll_cell_at(&line, 0, k).hue == k / 8u * 97u % 256u);
        CHECK(ll_cell_at(&back, 0, k).hue == k / 8u * 97u % 256u);
    }
    for (unsigned k = 0; k < 9u; ++k) {
        CHECK(ll_cell_at(&m, k / 3u, k % 3u).hue ==
              (k / 3u == k % 3u ? (k / 3u + 1u) * 97u % 256u : LL_NO_HUE));
    }
}

/* What a bank serves in a wavefront, lane by lane: the words of a phase that it
 * has, one after the other, each with the first lane that asks for it. */
static void check_bank(const ll_view *v, unsigned row, unsigned bank) {
    const unsigned phase = row / v->ways, way = row % v->ways;
    const unsigned each = v->bytes < v->bank_bytes ? v->bytes : v->bank_bytes;
    unsigned seen[64], first[64], asks[64] = {0}, n = 0;
    for (unsigned k = 0; k < 1u << v->phase.n; ++k) {
        const unsigned lane = ll_lane_in_phase_(v, phase, k);
        unsigned at = v->start;
        for (unsigned b = 0; b < 6u; ++b) {
            at ^= (lane & v->named) >> b & 1u ? v->lane[b] : 0u;
        }
        for (unsigned byte = 0; byte < v->bytes; byte += each) {
            const unsigned word = (at + byte) / v->bank_bytes;
            unsigned m = 0;
            while (m < n && seen[m] != word) {
                ++m;
            }
            if (word % v->banks == bank) {
                seen[m] = word;
                first[m] = asks[m] ? first[m] : lane;
                ++asks[m];
                n += m == n;
            }
        }
    }
    const ll_cell c = ll_cell_at(v, row, bank);
    char want[20] = "";
    if (way < n) {
        sprintf(want, "%u%s", first[way], asks[way] > 1u ? "+" : "");
    }
    CHECK(strcmp(c.text, want) == 0 && c.mark == (way < n && way > 0));
    CHECK(c.hue == (way < n ? first[way] * 97u % 256u : LL_NO_HUE));
    if (way < n) {
        const unsigned place = (seen[way] * v->bank_bytes) >> v->scale;
        CHECK(c.element ==
              value(&v->a, place & ll_ones_(ll_shape_bits_(&v->a.in))));
    } else {
        CHECK(c.element == LL_NO_ELEMENT);
    }
}

static void banks_serve_the_lanes_that_ask(void) {
    unsigned conflicts = 0, shared = 0;
    for (unsigned n = 0; n < times(400); ++n) {
        ll_target t = some_target();
        const unsigned bits = 8u << test_random(4), op = test_random(2);
        const random_pair c = random_conversion(ll_log2_(t.lanes), 8, 4, 1);
        const ll_layout m = ll_swizzle(c.b, c.b, bits, t);
        /* each lane has its own element of register 0, no matrices and no
         * over-reads */
        const int vectors =
            !c.blocks && n % 2u && (op == LL_WRITE || bits >= 32u);
        if (vectors) {
            memset(t.forms, 0, sizeof t.forms);
        }
        const unsigned bytes = bits / 8u << test_random(3);
        const ll_view v = ll_view_banks(c.a, m, bits, bytes, op, t);
        if (v.err) {
            continue;
        }
        CHECK(v.rows == v.phases * v.ways && v.cols == v.banks);
        CHECK(v.bytes == bytes && v.bank_bytes == 4u);
        CHECK(ll_is_equal(v.a, m) && 8u << v.scale == bits);
        CHECK(ll_lane_in_phase_(&v, 0, 0) == 0);
        for (unsigned lane = 0; lane < t.lanes && vectors; ++lane) {
            const unsigned x = packed(&c.a.in, 0, lane, t.lanes, 0);
            unsigned at = 0;
            while (at < 1u << ll_shape_bits_(&m.in) &&
                   value(&m, at) != value(&c.a, x)) {
                ++at;
            }
            CHECK(given_address(&v, lane) == (at * bits / 8u & ~(bytes - 1u)));
        }
        for (unsigned row = 0; row < v.rows; ++row) {
            for (unsigned bank = 0; bank < v.cols; ++bank) {
                check_bank(&v, row, bank);
                shared += strchr(ll_cell_at(&v, row, bank).text, '+') != NULL;
            }
        }
        conflicts += v.ways > 1u;
        CHECK(strncmp(ll_head_of(&v, 1, 0).text, "wavefront 0", 12) == 0);
        CHECK(strcmp(ll_head_of(&v, 0, 3).text, "b3") == 0);
    }
    COVERS(conflicts > 20u && shared > 100u);
    const ll_layout a = L("register: j0 | lane: j1 j2 i0 i1 i2");
    const ll_layout m = L("offset: j0 j1 j2 i0 i1 i2");
    CHECK(ll_view_banks(a, m, 32, 64, LL_READ, LL_SM90).err != LL_OK);
    CHECK(ll_view_banks(a, m, 32, 64, LL_READ, LL_SM90).rows == 0);
    /* ldmatrix with two banks for words: lane r names row r, of four banks */
    ll_target t = LL_SM90;
    t.banks[LL_READ][0] = 2;
    const ll_view rows = ll_view_banks(L("register: | lane: j0 j1 j2 j3 j4"),
                                       L("offset: j0 j1 j2 j3 j4"), 32, 4,
                                       LL_READ, t);
    CHECK(rows.rows == 1u && rows.cols == 32u && rows.named == 7u);
    const ll_view later = ll_view_banks(
        L("register: | lane: j0 j1 j2 j3 j4 | 1: j3"),
        L("offset: j0 j1 j2 j3 j4"), 32, 4, LL_READ, LL_SM90);
    CHECK(strcmp(ll_cell_at(&later, 0, 8).text, "0") == 0);
    CHECK(strcmp(ll_cell_at(&later, 0, 0).text, "8") == 0);
    for (unsigned bank = 0; bank < rows.cols; ++bank) {
        const ll_cell cell = ll_cell_at(&rows, 0, bank);
        CHECK(cell.text[0] == (char)('0' + bank / 4u) && cell.text[1] == 0);
        CHECK(cell.element == bank);
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(cells_have_the_elements_and_places_of_the_layout);
    RUN(every_form_has_every_cell);
    RUN(small_pictures_are_known);
    RUN(parts_of_a_tensor_have_holes);
    RUN(hues_go_round_a_circle);
    RUN(banks_serve_the_lanes_that_ask);
    return test_end();
}
