/* test_swizzle_by.c - memory for sides that make narrow accesses.
 * SPDX-License-Identifier: MIT
 *
 * Wavefronts are counted by their definition on NVIDIA's GPUs: the lanes of a
 * warp are served together, those of 8-byte accesses in two halves, those of 16
 * bytes in four quarters. A wavefront takes one word of each of 32 banks.
 */
#include "test.h"
#include "definition.h"

#include "../ll_ptx.h"

/* The place in memory of element y. */
static unsigned place_in(const ll_layout *m, unsigned y) {
    const unsigned bits = m->in.bits[0];
    for (unsigned at = 0; at < 1u << bits; ++at) {
        if (value(m, at) == y) {
            return at;
        }
    }
    return ~0u;
}

static unsigned place[1u << 12];

/* Wavefronts of one access by all lanes of a warp: lane l accesses `n` elements
 * of `size` bytes from at[l] on. */
static unsigned waves_of(const unsigned *at, unsigned n, unsigned size) {
    const unsigned bytes = n * size;
    const unsigned lanes = bytes == 16u ? 8u : bytes == 8u ? 16u : 32u;
    unsigned waves = 0;
    for (unsigned first = 0; first < 32u; first += lanes) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < 32u; ++bank) {
            unsigned word[256], words = 0;
            for (unsigned k = first; k < first + lanes; ++k) {
                const unsigned from = at[k] * size / 4u;
                const unsigned to = (at[k] * size + bytes - 1u) / 4u;
                for (unsigned w = from; w <= to; ++w) {
                    unsigned x = 0;
                    while (x < words && word[x] != w) {
                        ++x;
                    }
                    if (w % 32u == bank && x == words) {
                        word[words++] = w;
                    }
                }
            }
            most = words > most ? words : most;
        }
        waves += most;
    }
    return waves;
}

/* All wavefronts of the first warp of layout a in memory m with accesses of n
 * elements, and *ragged: accesses that are not n neighbours in each lane. */
static unsigned counted(const ll_layout *a, const ll_layout *m, unsigned n,
                        unsigned size, unsigned *ragged) {
    const unsigned regs = 1u << a->in.bits[0];
    unsigned char done[1u << 10] = {0};
    unsigned waves = 0;
    for (unsigned y = 0; y < 1u << ll_shape_bits_(&a->out); ++y) {
        place[y] = place_in(m, y);
    }
    for (unsigned r = 0; r < regs; ++r) {
        unsigned at[32];
        if (done[r]) {
            continue;
        }
        for (unsigned lane = 0; lane < 32u; ++lane) {
            const unsigned x = lane << a->in.bits[0];
            unsigned same = 0;
            at[lane] = place[value(a, x | r)] / n * n;
            for (unsigned q = 0; q < regs; ++q) {
                if (place[value(a, x | q)] / n * n == at[lane]) {
                    done[q] = 1;
                    ++same;
                }
            }
            *ragged += same < n;
        }
        waves += waves_of(at, n, size);
    }
    return waves;
}

/* Memory of a pair is a permutation, and none of its accesses has a conflict:
 * 32 lanes take one wavefront for each 4 bytes of a lane. */
static void is_free(const char *from, const char *to, unsigned size,
                    unsigned write, unsigned read) {
    const ll_layout a = ll_hardware_(L(from)), b = ll_hardware_(L(to));
    const ll_layout m =
        ll_swizzle_by(a, b, 8u * size, LL_SM90, write, read);
    unsigned ragged = 0;
    CHECK(!m.err && ll_is_memory(m) && ll_is_surjective(m));
    if (m.err) {
        return;
    }
    const unsigned bytes = size << a.in.bits[0]; /* per lane */
    const unsigned w = ll_widest(a, m, 8u * size, write ? write : 16u);
    const unsigned r = ll_widest(b, m, 8u * size, read ? read : 16u);
    CHECK(w >= 4u && r >= 4u);
    CHECK(counted(&a, &m, w / size, size, &ragged) == bytes / 4u);
    CHECK(counted(&b, &m, r / size, size, &ragged) == bytes / 4u);
    CHECK(ragged == 0);
}

#define ROWS "register: j0 j1 j2 | lane: j3 j4 i0 i1 i2 | warp: i3 i4"
#define COLS "register: i0 i1 i2 | lane: i3 i4 j0 j1 j2 | warp: j3 j4"
#define HALF "register: j3 j4 i2 | lane: j0 j1 j2 i0 i1 | warp: i3 i4"

static void narrow_accesses_have_no_conflicts(void) {
    static const unsigned bytes[3] = {4, 8, 16};
    for (unsigned w = 0; w < 3u; ++w) {
        is_free(ROWS, COLS, 4, bytes[w], 4);
        is_free(ROWS, ROWS, 4, bytes[w], bytes[w]);
        is_free(ROWS, COLS, 4, 4, w ? 4 : 0);
        is_free(ROWS, HALF, 4, bytes[w], 4);
        is_free(ROWS, HALF, 4, 4, bytes[w]);
        is_free(HALF, ROWS, 4, 4, bytes[w]);
    }
    is_free(ROWS, COLS, 4, 0, 4);
    is_free(COLS, ROWS, 4, 4, 0);
    is_free(ROWS, ROWS, 2, 8, 4);
    is_free(ROWS, ROWS, 2, 4, 0);
    is_free(ROWS, ROWS, 1, 8, 4);
    is_free(ROWS, ROWS, 8, 8, 0);
}

/* The memory for wide accesses of both sides has conflicts for a reader of
 * single elements, and ll_swizzle_by has none. */
static void single_elements_need_another_memory(void) {
    const ll_layout a = L("register: j0 j1 j2 | lane: j3 j4 i0 i1 i2 | "
                          "warp: i3 i4");
    const ll_layout b = L("register: j0 j1 j2 | lane: i0 i1 i2 i3 i4 | "
                          "warp: j3 j4");
    const ll_layout wide = ll_swizzle(a, b, 32, LL_SM90);
    const ll_layout m = ll_swizzle_by(a, b, 32, LL_SM90, 0, 4);
    unsigned ragged = 0;
    CHECK(counted(&b, &wide, 1, 4, &ragged) == 8u * 4u);
    CHECK(counted(&b, &m, 1, 4, &ragged) == 8u);
    const unsigned w = ll_widest(a, m, 32, 16) / 4u;
    CHECK(counted(&a, &m, w, 4, &ragged) == 8u && ragged == 0);
    CHECK(ll_wavefronts(b, m, 32, 4, LL_READ, LL_SM90) == 1u);
    /* As wide as it gets, it is ll_swizzle's. */
    CHECK(ll_is_equal(ll_swizzle_by(a, b, 32, LL_SM90, 0, 0), wide));
}

/* No pair of random layouts takes more wavefronts than in ll_swizzle's memory
 * or in the memory for a reader with one register. */
static void random_pairs_are_no_worse(void) {
    unsigned better = 0;
    for (unsigned n = 0; n < times(150); ++n) {
        const unsigned regs = 1u + test_random(3);
        ll_layout a = L("register: | lane: j0 j1 j2 j3 j4");
        unsigned unit[10];
        const unsigned bits = 5u + regs;
        a.in.bits[0] = (unsigned short)regs;
        a.out.bits[0] = (unsigned short)bits;
        ll_layout b = a;
        for (unsigned side = 0; side < 2u; ++side) {
            for (unsigned k = 0; k < bits; ++k) {
                unit[k] = 1u << k;
            }
            for (unsigned k = bits; k-- > 0;) {
                const unsigned q = test_random(k + 1u);
                (side ? &b : &a)->basis[k] = unit[q];
                unit[q] = unit[k];
            }
        }
        const ll_layout m = ll_swizzle_by(a, b, 32, LL_SM90, 4, 4);
        const ll_layout wide = ll_swizzle(a, b, 32, LL_SM90);
        unsigned none = 0;
        const unsigned own = counted(&a, &m, 1, 4, &none) +
                             counted(&b, &m, 1, 4, &none);
        const unsigned other = counted(&a, &wide, 1, 4, &none) +
                               counted(&b, &wide, 1, 4, &none);
        CHECK(!m.err && ll_is_memory(m) && ll_is_surjective(m));
        CHECK(own == 2u << regs); /* one wavefront each */
        better += own < other;
    }
    COVERS(better > 20u);
}

static void what_is_no_access_is_refused(void) {
    const ll_layout a = L(ROWS), b = L(COLS);
    static const unsigned bad[] = {1, 2, 3, 12, 32, 5, 0x80000000u};
    for (unsigned k = 0; k < sizeof bad / sizeof *bad; ++k) {
        const ll_layout m = ll_swizzle_by(a, b, 32, LL_SM90, bad[k], 4);
        const ll_layout q = ll_swizzle_by(a, b, 32, LL_SM90, 0, bad[k]);
        CHECK(m.err == LL_EACCESS && m.is == LL_AT_VALUE && m.at == bad[k]);
        CHECK(q.err == LL_EACCESS && q.is == LL_AT_VALUE && q.at == bad[k]);
    }
    CHECK(ll_swizzle_by(a, L("lane: i0"), 32, LL_SM90, 0, 4).err ==
          ll_swizzle(a, L("lane: i0"), 32, LL_SM90).err);
    CHECK(ll_swizzle_by(a, b, 24, LL_SM90, 0, 4).err == LL_EELEMENT);
    CHECK(ll_swizzle_by(a, a, 4, LL_SM90, 0, 4).err == LL_EELEMENT);
    CHECK(ll_swizzle_by(L("lane: ?"), b, 32, LL_SM90, 0, 4).err == LL_ETEXT);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(narrow_accesses_have_no_conflicts);
    RUN(single_elements_need_another_memory);
    RUN(random_pairs_are_no_worse);
    RUN(what_is_no_access_is_refused);
    return test_end();
}
