/* ---- Permutations of bits --------------------------------------------- */
#ifndef LL_LAYOUT_PERMUTE_H
#define LL_LAYOUT_PERMUTE_H

#include "../base/types.h"

/* A permutation reorders bits of an input; a map is a layout in shifts. */

/* A selection and order of bits: new bit k is old bit bit[k]. Applied to the
 * registers of a lane, it renumbers them. */
typedef struct ll_perm {
    unsigned err;
    unsigned n; /* number of new bits */
    unsigned of; /* number of old bits */
    unsigned bit[LL_MAX_BITS];
} ll_perm;

/* ll_perm_of(of, n, bits): returns the permutation that takes n of `of` bits,
 * in the order bits[0], bits[1], .. and drops the others. ll_permute(a, d, p):
 * applies p to input d of a. ll_perm_inv(p): returns the inverse.
 * ll_perm_then(p, q): returns p, then q. ll_perm_index(p, i): returns the old
 * number of new number i. Fail with LL_EPERM, ll_permute also with LL_EMISSING.
 * Example: ll_permute(L("register: j0 j1"), LL_REGISTER,
 *                     ll_perm_swap(2, 0, 1)) is L("register: j1 j0");
 * Example: ll_perm_index(ll_perm_swap(3, 0, 2), 4) is 1;
 */
LL_FN ll_perm ll_perm_of(unsigned of, unsigned n, const unsigned *bits) {
    ll_perm p = LL_ZERO;
    unsigned seen = 0;
    p.err = of > LL_MAX_BITS || n > of ? LL_EPERM
            : n && !bits               ? LL_ENULL
                                       : LL_OK;
    p.of = p.err ? 0u : of;
    p.n = p.err ? 0u : n;
    for (unsigned k = 0; !p.err && k < n; ++k) {
        p.bit[k] = bits[k];
        if (bits[k] >= of || seen >> bits[k] & 1u) {
            p.err = LL_EPERM;
        } else {
            seen |= 1u << bits[k];
        }
    }
    return p;
}

/* ll_perm_swap(n, a, b): returns the permutation of n bits that swaps a, b. */
LL_FN ll_perm ll_perm_swap(unsigned n, unsigned a, unsigned b) {
    unsigned bits[LL_MAX_BITS] = LL_ZERO;
    for (unsigned k = 0; k < n && k < LL_MAX_BITS; ++k) {
        bits[k] = k == a ? b : k == b ? a : k;
    }
    return ll_perm_of(n, a < n && b < n ? n : n + 1u, bits);
}

LL_FN unsigned ll_perm_index(ll_perm p, unsigned i) {
    unsigned x = 0;
    for (unsigned k = 0; !p.err && k < p.n; ++k) {
        x |= (i >> k & 1u) << p.bit[k];
    }
    return x;
}

LL_FN ll_perm ll_perm_inv(ll_perm p) {
    ll_perm q = p;
    for (unsigned k = 0; !p.err && k < p.n; ++k) {
        q.bit[p.bit[k]] = k;
    }
    q.err = p.err == LL_OK && p.n != p.of ? (unsigned)LL_EPERM : p.err;
    return q;
}

LL_FN ll_perm ll_perm_then(ll_perm p, ll_perm q) {
    ll_perm r = q;
    r.of = p.of;
    r.err = p.err ? p.err : q.err;
    for (unsigned k = 0; !r.err && k < q.n; ++k) {
        r.bit[k] = q.of == p.n ? p.bit[q.bit[k]] : 0u;
    }
    r.err = r.err == LL_OK && q.of != p.n ? (unsigned)LL_EPERM : r.err;
    return r;
}

LL_FN ll_layout ll_permute(ll_layout a, ll_dim d, ll_perm p) {
    unsigned at = ll_shape_find_(&a.in, d);
    a = ll_layout_bad_(a, p.err);
    a = at < a.in.n ? a : ll_layout_lacking_(a, d);
    if (a.err || p.of != a.in.bits[at] || p.n > p.of) {
        return ll_layout_bad_(a, LL_EPERM);
    }
    ll_layout b = a;
    unsigned start = ll_shape_start_(&a.in, at);
    b.in.bits[at] = (unsigned short)p.n;
    for (unsigned k = 0; k < ll_shape_bits_(&b.in); ++k) {
        b.basis[k] = k < start ? a.basis[k]
                     : k < start + p.n
                         ? a.basis[start + p.bit[k - start]]
                         : a.basis[k - p.n + p.of];
    }
    return b;
}

/* A layout prepared for kernels: y is the XOR of `offset` and, for each k, of
 * (x & mask[k]) shifted left by shift[k] bits (right if negative). There is one
 * term per distance that bits move; practical layouts have few terms. */
#define LL_MAX_TERMS (2 * LL_MAX_BITS - 1)
typedef struct ll_map {
    unsigned n;
    unsigned mask[LL_MAX_TERMS];
    int shift[LL_MAX_TERMS];
    unsigned offset;
} ll_map;

/* ll_map_of(a): returns the map for kernels from the packed inputs of a to its
 * packed outputs; empty if a is invalid. ll_map_at(m, x): returns the value of
 * the map at x. In a kernel m is a compile-time constant, and ll_map_at
 * compiles to an AND, a shift and an XOR per term.
 * Example: ll_map_of(L("offset: j0 j1 i0^j0 i1^j1")).n is 2;
 * Example: ll_map_at(ll_map_of(L("lane: i1 i0")), 1) is 2;
 */
LL_FN ll_map ll_map_of(ll_layout a) {
    ll_map m = LL_ZERO;
    unsigned n = a.err ? 0u : ll_shape_bits_(&a.in);
    unsigned long long shifts = 0; /* bit 31 + by: some bit moves by `by` */
    for (unsigned k = 0; k < n; ++k) {
        shifts |= (unsigned long long)a.basis[k] << (31u - k);
    }
    for (int by = -31; shifts; ++by, shifts >>= 1) {
        unsigned mask = 0;
        for (unsigned k = 0; (shifts & 1u) && k < n; ++k) {
            int to = (int)k + by;
            mask |= to >= 0 && to < 32 && (a.basis[k] >> to & 1u) ? 1u << k
                                                                  : 0u;
        }
        if (mask) {
            m.mask[m.n] = mask;
            m.shift[m.n] = by;
            ++m.n;
        }
    }
    m.offset = a.err ? 0u : a.offset;
    return m;
}

LL_FN unsigned ll_map_at(const ll_map m, unsigned x) {
    unsigned y = m.offset;
    LL_UNROLL
    for (unsigned k = 0; k < m.n; ++k) {
        int by = m.shift[k];
        y ^= by >= 0 ? (x & m.mask[k]) << by : (x & m.mask[k]) >> -by;
    }
    return y;
}

/* Private: returns the input bits that some term of the map uses. */
LL_FN unsigned ll_map_used_(const ll_map *m) {
    unsigned all = 0;
    for (unsigned k = 0; k < m->n; ++k) {
        all |= m->mask[k];
    }
    return all;
}

/* Private: returns the XOR of the vectors of[k], k < n, with bit k set in p. */
LL_FN unsigned ll_vectors_xor_(const unsigned *of, unsigned n, unsigned p) {
    unsigned x = 0;
    LL_UNROLL
    for (unsigned k = 0; k < n; ++k) {
        x ^= p >> k & 1u ? of[k] : 0u;
    }
    return x;
}

#endif
