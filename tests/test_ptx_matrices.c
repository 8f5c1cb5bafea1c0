/* test_ptx_matrices.c - why a layout has no ldmatrix and no stmatrix, in words.
 * SPDX-License-Identifier: MIT
 */
#define LL_TENSOR 1
#include "test.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* What stands in the way of ldmatrix and stmatrix, in words. */
static int says(ll_layout a, ll_layout m, unsigned bits, unsigned op,
                unsigned form, ll_target t, const char *text) {
    char buf[200];
    unsigned n = ll_explain_matrix(a, m, bits, op, form, t, buf, sizeof buf);
    return n == strlen(buf) && strcmp(buf, text) == 0;
}

static void matrices_that_do_not_fit_have_a_reason(void) {
    const ll_layout a = ll_ptx_mma_a(64, 64, 16, 4);
    const ll_layout rows = ll_row_major(ll_shape_of("j=64 i=64"));
    const ll_layout cols = ll_col_major(ll_shape_of("j=64 i=64"));
    const ll_layout fed = ll_for_operand(a, 16, LL_SM90);
    CHECK(says(a, fed, 16, LL_READ, LL_FORM_MATRIX, LL_SM90,
               "ldmatrix: 4 wavefronts\n"));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_MATRIX, LL_SM90, /* 8 in a bank */
               "ldmatrix: 32 wavefronts\n"));
    CHECK(says(a, cols, 16, LL_READ, LL_FORM_TRANS, LL_SM90,
               "ldmatrix.trans: 32 wavefronts\n"));
    CHECK(says(a, cols, 16, LL_READ, LL_FORM_MATRIX, LL_SM90,
               "ldmatrix: register bit 0 is at byte 128, but must be at byte "
               "2\n"));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_TRANS, LL_SM90,
               "ldmatrix.trans: register bit 0 is at byte 2, in the rows of "
               "other lanes\n"));
    CHECK(says(ll_rows(64, 64, 2), cols, 16, LL_WRITE, LL_FORM_TRANS, LL_SM90,
               "stmatrix.trans: lane bit 2 is at byte 4096, but must be at "
               "byte 2\n"));
    CHECK(says(a, rows, 16, LL_WRITE, LL_FORM_MATRIX, LL_SM80,
               "stmatrix: not available on this target\n"));
    CHECK(says(a, rows, 64, LL_READ, LL_FORM_MATRIX, LL_SM80,
               "ldmatrix: elements must have 8, 16 or 32 bits\n"));
    CHECK(says(a, rows, 32, LL_READ, LL_FORM_TRANS, LL_SM80,
               "ldmatrix.trans: elements must have 16 bits, or be pairs of 8\n"));
    CHECK(says(a, rows, 8, LL_READ, LL_FORM_TRANS, LL_SM80,
               "ldmatrix.trans: register bit 2 is at byte 8, in the rows of "
               "other lanes\n"));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_BYTES, LL_SM100F,
               "ldmatrix.trans of bytes: elements must have 8 bits\n"));
}

/* Where a byte stands in the row that one lane names: bit k of the byte comes
 * from a register bit of 16-bit elements, or from a lane bit. PTX ISA, ldmatrix
 * and its .trans: rows of 16 bytes; CDNA4 ISA, DS_READ_B64_TR_B16: 8 bytes. */
typedef struct row_of {
    ll_target t;
    unsigned form, registers, lanes, bytes;
    unsigned in_row[4]; /* bytes 2, 4 and 8: 0 for register 0, 1 + lane bit */
    const char *name;
} row_of;

static unsigned wanted_byte(const row_of *r, int lane, unsigned bit) {
    unsigned byte = 0;
    for (unsigned k = 0; 2u << k < r->bytes; ++k) {
        byte = (lane ? r->in_row[k] == bit + 1u : r->in_row[k] == 0 && bit == 0)
                   ? 2u << k
                   : byte;
    }
    return byte;
}

/* One column leads elsewhere: it is named, with the byte that it needs, or with
 * the fact that the byte is in another lane's row. */
static void check_misfits(const row_of *r) {
    const ll_layout m = ll_identity(1u << 14, LL_OFFSET, LL_J);
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << r->registers);
    in = ll_with(ll_with(in, LL_LANE, 1u << r->lanes), LL_WARP, 4);
    ll_layout a = ll_zero(in, ll_with(ll_shape_of(""), LL_J, 1u << 14));
    const unsigned n = r->registers + r->lanes + 2u;
    unsigned next = r->bytes / 2u;
    for (unsigned k = 0; k < n; ++k) {
        const int lane = k >= r->registers;
        const unsigned bit = lane ? k - r->registers : k;
        a.basis[k] = wanted_byte(r, lane, bit) / 2u;
        if (a.basis[k] == 0) {
            a.basis[k] = next;
            next *= 2u;
        }
    }
    for (unsigned k = 0; k < n; ++k) {
        const int lane = k >= r->registers;
        const unsigned bit = lane ? k - r->registers : k;
        const unsigned wanted = wanted_byte(r, lane, bit);
        for (unsigned at = 0; at < 14u; ++at) {
            char want[200];
            ll_layout b = a;
            b.basis[k] = 1u << at;
            if (wanted ? 2u << at == wanted : 2u << at >= r->bytes) {
                continue;
            }
            unsigned len = (unsigned)snprintf(
                want, sizeof want, "%s: %s bit %u is at byte %u", r->name,
                lane ? "lane" : "register", bit, 2u << at);
            snprintf(want + len, sizeof want - len,
                     wanted ? ", but must be at byte %u\n"
                            : ", in the rows of other lanes\n", wanted);
            CHECK(says(b, m, 16, LL_READ, r->form, r->t, want));
        }
    }
}

static void the_column_that_does_not_fit_is_named(void) {
    row_of r = {LL_SM90, LL_FORM_MATRIX, 3, 5, 16, {0, 1, 2, 0}, "ldmatrix"};
    check_misfits(&r);
    r.registers = 6;
    check_misfits(&r);
    row_of trans = {LL_SM90, LL_FORM_TRANS, 1, 5, 16, {3, 4, 5, 0},
                    "ldmatrix.trans"};
    check_misfits(&trans);
    row_of amd = {LL_GFX950, LL_FORM_TRANS, 2, 6, 8, {1, 2, 0, 0},
                  "ds_read_tr"};
    check_misfits(&amd);
    amd.t.hops = 0; /* 64 lanes alone decide the name */
    check_misfits(&amd);
}

/* No form, no such operation, no memory for an element, and 32 columns. */
static void a_matrix_without_a_form_has_a_reason(void) {
    const ll_layout a = ll_ptx_mma_a(64, 64, 16, 4);
    const ll_layout rows = ll_row_major(ll_shape_of("j=64 i=64"));
    char want[200];
    for (unsigned form = LL_MAX_FORMS; form < LL_MAX_FORMS + 3u; ++form) {
        CHECK(says(a, rows, 16, LL_READ, form, LL_SM90,
                   "ldmatrix.trans: not available on this target\n"));
    }
    CHECK(says(a, rows, 16, LL_WRITE + 1u, LL_FORM_MATRIX, LL_SM90,
               "stmatrix: not available on this target\n"));
    snprintf(want, sizeof want, "ldmatrix: %s\n", ll_strerror(LL_ENOSOLUTION));
    CHECK(says(a, L("offset: j0 j1 -> j=64 | i=64"), 16, LL_READ,
               LL_FORM_MATRIX, LL_SM90, want));
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << 27);
    ll_layout copies = ll_zero(ll_with(in, LL_LANE, 32), rows.out);
    copies.basis[0] = 1;
    copies.basis[27] = 2;
    copies.basis[28] = 4;
    CHECK(says(copies, rows, 16, LL_READ, LL_FORM_MATRIX, LL_SM90,
               "ldmatrix: registers must fill words and hold no copies\n"));
}

static void matrices_of_other_targets_have_their_own_name(void) {
    const ll_layout a = ll_rows(64, 64, 2);
    const ll_layout rows = ll_row_major(ll_shape_of("j=64 i=64"));
    char text[300];
    snprintf(text, sizeof text, "%s\n", ll_strerror(LL_ETARGET));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_MATRIX, ll_ptx_target(12), text));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_MATRIX,
               ll_amd_target(0x1201, 16), text));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_MATRIX, LL_GFX1201,
               "transposing access: not available on this target\n"));
    CHECK(says(a, rows, 16, LL_WRITE, LL_FORM_TRANS, LL_GFX1100,
               "transposing access: not available on this target\n"));
    CHECK(says(a, rows, 16, LL_READ, LL_FORM_TRANS, LL_GFX942,
               "ds_read_tr: not available on this target\n"));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(matrices_that_do_not_fit_have_a_reason);
    RUN(the_column_that_does_not_fit_is_named);
    RUN(a_matrix_without_a_form_has_a_reason);
    RUN(matrices_of_other_targets_have_their_own_name);
    return test_end();
}
