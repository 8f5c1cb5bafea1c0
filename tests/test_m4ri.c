/* test_m4ri.c - rank, inverse, product and solutions against libm4ri.
 * SPDX-License-Identifier: MIT
 *
 * Link with -lm4ri -lm. Without the library there is nothing to test.
 */
#include "test.h"

#include "../ll.h"

#if defined(__has_include)
#if __has_include(<m4ri/m4ri.h>)
#define HAVE_M4RI 1
#endif
#endif

#ifdef HAVE_M4RI

#include <m4ri/m4ri.h>

/* A random layout, of low rank now and then; no side is empty. */
static ll_layout random_layout(unsigned cols, unsigned rows) {
    ll_layout a = ll_zero(ll_shape_of("lane warp"), ll_shape_of("j i"));
    unsigned least = test_random(4) ? rows : 1u + test_random(rows);
    a.in.bits[0] = (unsigned short)test_random(cols + 1u);
    a.in.bits[1] = (unsigned short)(cols - a.in.bits[0]);
    a.out.bits[0] = (unsigned short)test_random(rows + 1u);
    a.out.bits[1] = (unsigned short)(rows - a.out.bits[0]);
    for (unsigned k = 0; k < cols; ++k) {
        unsigned any = test_random(0) & ll_ones_(least);
        a.basis[k] = test_random(3) ? any : 1u << test_random(least);
    }
    return a;
}

/* The matrix with a row for each output bit. */
static mzd_t *matrix_of(const ll_layout *a, unsigned cols, unsigned rows) {
    mzd_t *m = mzd_init((rci_t)rows, (rci_t)cols);
    for (unsigned c = 0; c < cols; ++c) {
        for (unsigned r = 0; r < rows; ++r) {
            mzd_write_bit(m, (rci_t)r, (rci_t)c,
                          (BIT)(a->basis[c] >> r & 1u));
        }
    }
    return m;
}

static int is_matrix(const ll_layout *a, const mzd_t *m) {
    for (rci_t c = 0; c < m->ncols; ++c) {
        for (rci_t r = 0; r < m->nrows; ++r) {
            unsigned bit = a->basis[c] >> r & 1u;
            if ((unsigned)mzd_read_bit(m, r, c) != bit) {
                return 0;
            }
        }
    }
    return 1;
}

static void rank_agrees(void) {
    for (unsigned k = 0; k < times(3000u); ++k) {
        unsigned cols = 1u + test_random(32);
        unsigned rows = 1u + test_random(32);
        const ll_layout a = random_layout(cols, rows);
        mzd_t *m = matrix_of(&a, cols, rows);
        CHECK((rci_t)ll_rank(a) == mzd_echelonize(m, 1));
        mzd_free(m);
    }
}

static void inverse_agrees(void) {
    unsigned found = 0;
    for (unsigned k = 0; k < times(3000u); ++k) {
        unsigned n = 1u + test_random(32);
        const ll_layout a = random_layout(n, n);
        const ll_layout g = ll_inv(a);
        mzd_t *m = matrix_of(&a, n, n);
        mzd_t *copy = mzd_copy(NULL, m);
        int regular = mzd_echelonize(copy, 1) == (rci_t)n;
        CHECK(g.err == (regular ? LL_OK : LL_ESINGULAR));
        if (regular) {
            mzd_t *inverse = mzd_inv_m4ri(NULL, m, 0);
            CHECK(is_matrix(&g, inverse));
            mzd_free(inverse);
            ++found;
        }
        mzd_free(copy);
        mzd_free(m);
    }
    CHECK(found > 100u);
}

static void product_agrees(void) {
    for (unsigned k = 0; k < times(3000u); ++k) {
        unsigned cols = 1u + test_random(32);
        unsigned mid = 1u + test_random(32);
        unsigned rows = 1u + test_random(32);
        const ll_layout a = random_layout(cols, mid);
        ll_layout b = random_layout(mid, rows);
        b.in = a.out;
        const ll_layout c = ll_compose(b, a);
        mzd_t *p = matrix_of(&a, cols, mid);
        mzd_t *q = matrix_of(&b, mid, rows);
        mzd_t *r = mzd_mul(NULL, q, p, 0);
        CHECK(!c.err && is_matrix(&c, r));
        mzd_free(r);
        mzd_free(q);
        mzd_free(p);
    }
}

/* Has b X = a a solution, and is ll_solve's one? */
static void check_solution(const ll_layout *b, const ll_layout *a,
                           unsigned mid, unsigned cols, unsigned rows) {
    const ll_layout x = ll_solve(*b, *a, test_random(3));
    mzd_t *p = matrix_of(b, mid, rows);
    mzd_t *q = matrix_of(a, cols, rows);
    mzd_t *both = mzd_concat(NULL, p, q);
    mzd_t *alone = mzd_copy(NULL, p);
    int solvable = mzd_echelonize(both, 1) == mzd_echelonize(alone, 1);
    CHECK(x.err == (solvable ? LL_OK : LL_ENOSOLUTION));
    if (solvable) {
        mzd_t *m = matrix_of(&x, cols, mid);
        mzd_t *product = mzd_mul(NULL, p, m, 0);
        CHECK(mzd_equal(product, q));
        mzd_free(product);
        mzd_free(m);
    }
    mzd_free(alone);
    mzd_free(both);
    mzd_free(q);
    mzd_free(p);
}

static void solution_agrees(void) {
    for (unsigned k = 0; k < times(3000u); ++k) {
        unsigned cols = 1u + test_random(32);
        unsigned mid = 1u + test_random(32);
        unsigned rows = 1u + test_random(32);
        const ll_layout b = random_layout(mid, rows);
        ll_layout a = random_layout(cols, rows);
        if (test_random(2)) {
            ll_layout x = random_layout(cols, mid);
            x.out = b.in;
            a = ll_compose(b, x); /* can be solved */
        }
        a.out = b.out;
        check_solution(&b, &a, mid, cols, rows);
    }
}

#endif

int main(int argc, char **argv) {
    test_begin(argc, argv);
#ifdef HAVE_M4RI
    RUN(rank_agrees);
    RUN(inverse_agrees);
    RUN(product_agrees);
    RUN(solution_agrees);
#else
    test.skipped = 1;
#endif
    return test_end();
}
