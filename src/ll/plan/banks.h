/* ---- Banks and their conflicts ---------------------------------------- */
#ifndef LL_PLAN_BANKS_H
#define LL_PLAN_BANKS_H

#include "hardware.h"

/* The busiest bank determines the wavefronts of a warp's access: one for each
 * word that it serves. Over F2 all banks in use are equally busy: the lanes of
 * a phase touch 2^(rank of the words) words in 2^(rank of the banks) banks.
 * log2 of the wavefronts of a phase is therefore a difference of two ranks; it
 * is 0 without conflicts. It is exact, also with broadcast. */

/* How the registers of a lane map to memory. Positions number the elements of a
 * lane in the order in which accesses take them. Positions that differ only in
 * the lowest `vector` bits are neighbours in memory, one access. */
typedef struct ll_access {
    unsigned err;
    unsigned vector;             /* log2 of the elements in one access */
    unsigned n;                  /* log2 of the positions */
    unsigned first;              /* register of position 0 */
    unsigned offset;             /* place of position 0 in thread 0 */
    unsigned reg[LL_MAX_BITS];   /* register of bit k of a position */
    unsigned place[LL_MAX_BITS]; /* place in memory of bit k of a position */
    unsigned copies;             /* log2 of the registers per element */
    unsigned copy[LL_MAX_BITS];  /* a register ^ copy[k] has the same element */
    unsigned spare; /* a thread with one of these bits holds only copies */
} ll_access;

/* Private: returns the OR of the columns from n on. */
LL_FN unsigned ll_columns_beyond_(const ll_layout *a, unsigned n) {
    const unsigned end = ll_shape_bits_(&a->in);
    unsigned all = 0;
    for (unsigned k = n; k < end; ++k) {
        all |= a->basis[k];
    }
    return all;
}

/* Private: sets `first`, `offset` and `vector` of an access. The vector is the
 * longest run of up to 2^widest places from 0 on that the registers (the first
 * n columns) reach and no thread changes. Returns the bits of its places as
 * rows, with the registers that reach them as mixes. */
LL_FN ll_echelon_ ll_vector_of_(const ll_layout *a, unsigned n, unsigned widest,
                                ll_access *m) {
    ll_echelon_ r = ll_echelon_of_columns_(a, 0, n);
    ll_echelon_ taken = LL_ZERO;
    for (unsigned k = 0; k < widest; ++k) {
        ll_echelon_load_(&r, 1u << k, 0);
    }
    ll_echelon_load_(&r, a->offset, 0);
    ll_echelon_eliminate_(&r, 0, n);
    m->first = ll_echelon_mix_(&r, n + widest);
    m->offset = ll_echelon_vector_(&r, n + widest);
    const unsigned others = ll_columns_beyond_(a, n) | m->offset;
    while (m->vector < widest && !(others >> m->vector & 1u) &&
           ll_echelon_vector_(&r, n + m->vector) == 0) {
        ll_echelon_load_(&taken, 1u << m->vector,
                         ll_echelon_mix_(&r, n + m->vector));
        ++m->vector;
    }
    return taken;
}

/* Private: returns how the registers of a lane, the first input of a, map to
 * memory. The outputs of a are packed places, and an access takes at most
 * 2^widest of them. Registers are reordered and combined freely to make the
 * vector as long as possible. Other positions take single registers if
 * possible. (Paper, section 5.3, "Generalized Vectorization".) */
LL_FN ll_access ll_access_meet_(const ll_layout *a, unsigned widest) {
    ll_access m = LL_ZERO;
    ll_echelon_ kernel = LL_ZERO;
    const unsigned n = a->in.bits[0];
    ll_echelon_ r = ll_vector_of_(a, n, widest, &m);
    for (unsigned k = 0; k < n; ++k) {
        ll_echelon_load_(&r, a->basis[k], 1u << k);
    }
    ll_echelon_eliminate_(&r, 0, m.vector);
    const ll_echelon_ apart = r;
    ll_echelon_eliminate_(&r, m.vector, r.n);
    for (unsigned k = 0; k < r.n; ++k) {
        if (ll_echelon_vector_(&r, k)) {
            m.place[m.n] = ll_echelon_vector_(&apart, k);
            m.reg[m.n] = ll_echelon_mix_(&apart, k);
            ++m.n;
        } else {
            ll_echelon_load_(&kernel, ll_echelon_mix_(&r, k), 0);
        }
    }
    ll_echelon_eliminate_(&kernel, 0, kernel.n);
    for (unsigned k = 0; k < kernel.n; ++k) {
        if (ll_echelon_vector_(&kernel, k)) {
            m.copy[m.copies] = ll_echelon_vector_(&kernel, k);
            ++m.copies;
        }
    }
    return m;
}

/* Private: returns the address of a lane; lane[k] belongs to lane bit k. */
LL_FN unsigned ll_lane_address_(const unsigned *lane, unsigned number) {
    unsigned address = 0;
    for (unsigned k = 0; k < 6u && number >> k; ++k) {
        address ^= number >> k & 1u ? lane[k] : 0u;
    }
    return address;
}

/* The lanes that shared memory serves together: a basis of their numbers. */
typedef struct ll_phase_ {
    unsigned n;
    unsigned number[6];
} ll_phase_;

/* Private: returns the index of an access of `bytes` bytes in the tables
 * `phase` and `banks` of a target. */
LL_FN unsigned ll_access_width_(unsigned bytes) {
    return bytes <= 4u ? 0u : bytes <= 8u ? 1u : 2u;
}

/* Private: returns the lanes of one phase; lane[k]: address of lane bit k. Two
 * phases of a wide read merge if a lane bit of `merge` has the address 0. */
LL_FN ll_phase_ ll_phase_of_(const unsigned *lane, unsigned bytes, unsigned op,
                             const ll_target *t) {
    ll_phase_ p = LL_ZERO;
    const unsigned width = ll_access_width_(bytes);
    unsigned ignored = 0;
    while (p.n < 6u && t->phase[op][width][p.n]) {
        p.number[p.n] = t->phase[op][width][p.n];
        ++p.n;
    }
    for (unsigned k = 0; op == LL_READ && width && k < 6u; ++k) {
        ignored |= (t->merge >> k & 1u) && lane[k] == 0;
    }
    if (ignored && p.n < 6u && 1u << p.n < t->lanes) {
        p.number[p.n] = 1u << p.n;
        ++p.n;
    }
    return p;
}

/* Private: returns the wavefronts of one access of a warp; lane[k] is the byte
 * address of lane bit k. The words that a phase touches span a subspace of rank
 * w, and their banks a subspace of rank b, so each bank serves 2^(w - b) words.
 * Equal words count once, which covers broadcast and elements below 4 bytes.
 * Sets *least to the wavefronts without conflicts. */
LL_FN unsigned ll_access_waves_(const unsigned *lane, unsigned bytes,
                                unsigned op, const ll_target *t,
                                unsigned *least) {
    const ll_phase_ p = ll_phase_of_(lane, bytes, op, t);
    const unsigned bank = t->banks[op][ll_access_width_(bytes)] - 1u;
    ll_echelon_ words = LL_ZERO;
    ll_echelon_ banks = LL_ZERO;
    for (unsigned k = 0; k < p.n; ++k) {
        ll_echelon_load_(
            &words, ll_lane_address_(lane, p.number[k]) / t->bank_bytes, 0);
    }
    for (unsigned word = 1; word * t->bank_bytes < bytes; word *= 2u) {
        ll_echelon_load_(&words, word, 0);
    }
    for (unsigned k = 0; k < words.n; ++k) {
        ll_echelon_load_(&banks, ll_echelon_vector_(&words, k) & bank, 0);
    }
    *least = t->lanes >> p.n;
    return *least << (ll_echelon_rank_(&words) - ll_echelon_rank_(&banks));
}

/* Private: returns log2 of the elements of 2^scale bytes in a word. */
LL_FN unsigned ll_word_bits_(unsigned scale) {
    return scale < 2u ? 2u - scale : 0u;
}

/* Private: sets lane[k] to the byte address of lane bit k. The outputs of x are
 * offsets, counted in elements of 2^scale bytes. */
LL_FN void ll_lane_bytes_(const ll_layout *x, unsigned scale, unsigned *lane) {
    for (unsigned k = 0; k < 6u; ++k) {
        lane[k] = k < x->in.bits[1]
                      ? ll_shift_(x->basis[x->in.bits[0] + k], scale)
                      : 0u;
    }
}

/* ll_vector(a, most): returns the largest number of elements, at most `most`,
 * that a lane holds as an aligned run along the fastest axis, with its
 * registers in any order. It is the widest access to row-major memory.
 * Example: ll_vector(L("register: j0 j1 | lane: j2"), 8) is 4;
 */
LL_FN unsigned ll_vector(ll_layout a, unsigned most) {
    const ll_layout h = ll_hardware_(a);
    unsigned n = h.out.bits[0];
    while (n && ll_shift_down_(most, n) == 0) {
        --n;
    }
    return h.err || most == 0 ? 0u : 1u << ll_access_meet_(&h, n).vector;
}

/* ll_widest(a, m, element_bits, most): returns the most bytes, at most `most`,
 * that one access of a lane can move between registers of layout a, in any
 * order, and contiguous memory of layout m. Returns 0 if m does not hold every
 * element of a, or if no lane holds both 4-bit elements of a byte.
 * Example: ll_widest(L("register: j1 j0 | lane: i0"),
 *                    L("offset: j0 j1 i0"), 32, 16) is 16;
 * Example: ll_widest(L("register: j1 j0 | lane: i0"),
 *                    L("offset: j0 j1 i0"), 4, 16) is 2;
 * Example: ll_widest(L("register: j1 | lane: j0"), L("offset: j0 j1"), 4, 16)
 *          is 0;
 */
LL_FN unsigned ll_widest(ll_layout a, ll_layout m, unsigned element_bits,
                         unsigned most) {
    const ll_layout x = ll_solve(m, ll_in_block_(ll_hardware_(a)), LL_FIRST);
    const unsigned bits = ll_log2_(ll_element_held_(element_bits));
    unsigned n = 0;
    most = 8u * (most < 16u ? most : 16u);
    if (x.err || bits < 2u || bits > 7u || 1u << bits > most) {
        return 0;
    }
    while (2u << (n + bits) <= most) {
        ++n;
    }
    return (1u << (ll_access_meet_(&x, n).vector + bits)) / 8u;
}

/* ll_wavefronts(a, m, element_bits, bytes, op, t): returns the wavefronts of
 * one access of a warp of target t. Each lane moves `bytes` bytes between
 * registers of layout a and memory of layout m; op is LL_READ or LL_WRITE. The
 * count is exact: it includes broadcast, elements below 4 bytes and the phases
 * of wide accesses. Returns 0 for impossible accesses (see ll_widest). (Paper,
 * appendix, "Modeling Bank Conflicts"; the lemma there is a bound.) */
LL_FN unsigned ll_wavefronts(ll_layout a, ll_layout m, unsigned element_bits,
                             unsigned bytes, unsigned op, ll_target t) {
    const ll_layout x = ll_solve(m, ll_in_block_(ll_hardware_(a)), LL_FIRST);
    unsigned lane[6] = LL_ZERO;
    unsigned least = 0;
    unsigned widest = ll_widest(a, m, element_bits, bytes);
    if (!ll_is_target_(&t) || op > LL_WRITE || widest < bytes ||
        widest == 0 || x.in.bits[1] != ll_log2_(t.lanes)) {
        return 0;
    }
    ll_lane_bytes_(
        &x, element_bits == 4u ? 0u : ll_element_scale_(element_bits), lane);
    for (unsigned k = 0; element_bits == 4u && k < 6u; ++k) {
        lane[k] /= 2u;
    }
    return ll_access_waves_(lane, bytes, op, &t, &least);
}

#endif
