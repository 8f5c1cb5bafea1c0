/* ---- Matrix multiply by layout ---------------------------------------- */
#ifndef LL_PTX_MULTIPLY_H
#define LL_PTX_MULTIPLY_H

#include "../ll/kernel/constants.h"
#include "target.h"
#include "descriptors.h"
#include "instructions/bodies.h"

/* Matrix multiply by layout.
 *
 * LL_MMA(c, C, a, A, b, B, element_bits, instruction), with LL_MATRIX, computes
 * c = a b + c for tensors in registers.
 *
 *     c, a, b       arrays of registers: words for a, b and accumulators of
 *                   f16
 *     C, A, B       their layouts, made of fragments of the instruction:
 *                   ll_ptx_mma_c, _a and _b, or tiles of ll_ptx_fragment_c,
 *                   _a and _b
 *     element_bits  bits of an element of A and of B; 8 if the name of the
 *                   instruction has f8f6f4, where 6 and 4 bits take a byte
 *     instruction   the function ll_ptx_mma_.. of one mma.sync
 *
 * The instructions for one slice of k are independent of each other.
 *
 *     LL_LAYOUT(A, ll_ptx_mma_a(64, 32, 16, 4));
 *     LL_LAYOUT(B, ll_ptx_mma_b(32, 64, 16, 4));
 *     LL_LAYOUT(C, ll_ptx_mma_c(64, 64, 4));
 *
 *     unsigned a[LL_WORDS(A, 16)], b[LL_WORDS(B, 16)];
 *     float c[LL_REGS(C)];
 *     LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_m16n8k16_f32_bf16);
 *
 * For a sparse A, pass its metadata as well; for an instruction with scales,
 * the scales of A and of B. They are arrays of words, each followed by its
 * layout: tiles of ll_ptx_sparse_e, with all of k as columns, or tiles of
 * ll_ptx_scale_a and _b:
 *
 *     LL_MMA(c, C, a, A, b, B, 16, ll_ptx_mma_sp_m16n8k32_f32_f16, e, E);
 *     LL_MMA(c, C, a, A, b, B, 4, ll_ptx_mma_m16n8k64_f32_e2m1_mxf4,
 *            sa, SA, sb, SB);
 *
 * An instruction with both takes e, E, sa, SA, sb, SB. Lanes that hold copies
 * in these fragments may hold the metadata or scales for other instructions:
 * LL_MMA finds the selector of each instruction, or its first byte and lanes,
 * from the layouts.
 */
#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* Private: the three layouts of a matrix multiply by an mma.sync of m x 8 and
 * k. A has `stored` columns of each k, half of them if it is sparse. */
typedef struct ll_ptx_operands_ {
    ll_layout c, a, b;
    unsigned element_bits, m, k, stored;
} ll_ptx_operands_;

/* Private: e: the metadata of a sparse A. sa, sb: the scales of A and B. which:
 * what is given: 1 the metadata, 2 the scales, 3 both. scales: the number of
 * scales along k that one instruction takes. */
typedef struct ll_ptx_extra_ {
    ll_layout e, sa, sb;
    unsigned which, scales;
} ll_ptx_extra_;

/* Private: returns the number after `letter` in the name of an instruction: 16
 * for m in "ll_ptx_mma_m16n8k8_f32_tf32". */
LL_FN unsigned ll_ptx_shape_(const char *name, char letter) {
    unsigned n = 0;
    while (*name && !(name[0] == letter && name[1] >= '0' && name[1] <= '9')) {
        ++name;
    }
    while (*name && name[1] >= '0' && name[1] <= '9') {
        n = 10u * n + (unsigned)(*++name - '0');
    }
    return n;
}

/* Private: returns the part of an instruction's name after the shape: the type
 * of the accumulator, then the type of A. */
LL_FN const char *ll_ptx_types_(const char *name) {
    while (*name && !(name[0] == 'k' && name[1] >= '0' && name[1] <= '9')) {
        ++name;
    }
    while (*name && *name != '_') {
        ++name;
    }
    return *name ? name + 1 : name;
}

/* Private: returns the bits of an element of A and of B, from the name of an
 * instruction: 8 for f8f6f4, whose smaller numbers take a byte. */
LL_FN unsigned ll_ptx_operand_bits_(const char *name) {
    const char *type = ll_ptx_types_(name);
    unsigned n = 0;
    for (const char *x = type; *x; ++x) {
        if (x[0] == 'f' && x[1] == '8' && x[2] == 'f') {
            return 8;
        }
    }
    while (*type && *type != '_') { /* the accumulator's type */
        ++type;
    }
    type += *type ? 1 : 0;
    if (*type == 'e') { /* e4m3: 4, 3 and the sign */
        return (unsigned)(type[1] - '0') + (unsigned)(type[3] - '0') + 1u;
    }
    while (*type > '9') {
        ++type;
    }
    for (; *type >= '0' && *type <= '9'; ++type) {
        n = 10u * n + (unsigned)(*type - '0');
    }
    return n;
}

/* Private: the type that holds the accumulators, from the name of an
 * instruction: 's' for s32, else the first digit of f16, f32 or f64. */
LL_FN char ll_ptx_sums_(const char *name) {
    const char *type = ll_ptx_types_(name);
    return *type == 's' || !*type ? *type : type[1];
}
template <char SUMS_> struct ll_ptx_sum_ { typedef float type; };
template <> struct ll_ptx_sum_<'1'> { typedef unsigned type; };
template <> struct ll_ptx_sum_<'6'> { typedef double type; };
template <> struct ll_ptx_sum_<'s'> { typedef int type; };

/* Private: returns coordinate d of column `bit` of input `in`. */
LL_FN unsigned ll_ptx_part_(const ll_layout &a, ll_dim in, unsigned bit,
                            ll_dim d) {
    return ll_unpack(a.out, d, ll_ptx_column_(&a, in, bit));
}

/* Private: returns the register of a that holds i, j in lane 0 of warp 0; all
 * ones if there is none. */
LL_FN unsigned ll_ptx_register_(const ll_layout &a, unsigned i, unsigned j) {
    unsigned want = ll_pack(a.out, LL_I, i) ^ ll_pack(a.out, LL_J, j), at = 0;
    for (unsigned r = 0; r < 10u; ++r) {
        const unsigned column = ll_ptx_column_(&a, LL_REGISTER, r);
        if (column && (column & want) == column) {
            want ^= column;
            at |= 1u << r;
        }
    }
    return want ? ~0u : at;
}

/* Private: returns the coordinate d of register r in lane 0 of warp 0. */
LL_FN unsigned ll_ptx_reaches_(const ll_layout &a, unsigned r, ll_dim d) {
    unsigned at = 0;
    for (unsigned bit = 0; bit < 10u; ++bit) {
        at ^= (r >> bit & 1u) * ll_ptx_part_(a, LL_REGISTER, bit, d);
    }
    return at;
}

/* Private: returns 1 if the first registers and the lanes of a are the fragment
 * f. With `free`, lane bits that only make copies in f may hold other elements
 * in a: each instruction says which lanes it takes. */
LL_FN bool ll_ptx_begins_(const ll_layout &a, const ll_layout &f, bool free) {
    bool same = !a.err && !f.err;
    for (unsigned d = 0; d < 2u; ++d) {
        const ll_dim in = d ? LL_REGISTER : LL_LANE;
        for (unsigned bit = 0; bit < ll_log2_(ll_size(f.in, in)); ++bit) {
            const bool any = free && !d && !ll_ptx_column_(&f, in, bit);
            same = same &&
                   (any || (ll_ptx_part_(a, in, bit, LL_I) ==
                                ll_ptx_part_(f, in, bit, LL_I) &&
                            ll_ptx_part_(a, in, bit, LL_J) ==
                                ll_ptx_part_(f, in, bit, LL_J)));
        }
    }
    return same && ll_size(a.in, LL_LANE) == 32u;
}

/* Private: returns 1 if each warp has the part of x that its accumulators need.
 * x is A (along I) or B (along J): the part has the rows or columns of C, and
 * all of k. */
LL_FN bool ll_ptx_warps_match_(const ll_ptx_operands_ &p, const ll_layout &x,
                               ll_dim along, ll_dim k) {
    bool same = ll_size(x.out, along) == ll_size(p.c.out, along);
    for (unsigned bit = 0; bit < 5u; ++bit) {
        same = same && !ll_ptx_part_(x, LL_WARP, bit, k) &&
               ll_ptx_part_(x, LL_WARP, bit, along) ==
                   ll_ptx_part_(p.c, LL_WARP, bit, along);
    }
    return same;
}

/* Private: returns the number of the sentence in ll_ptx_say_ that says why
 * these layouts do not fit together; 0 if they do. */
LL_FN unsigned ll_ptx_wrong_(const ll_ptx_operands_ &p) {
    const ll_layout c = ll_ptx_fragment_c(p.m, 8);
    const ll_layout a = ll_ptx_fragment_a(p.m, p.stored, p.element_bits);
    const ll_layout b = ll_ptx_fragment_b(p.k, 8, p.element_bits);
    const bool is_a = ll_ptx_begins_(p.a, a, false);
    const bool is_b = ll_ptx_begins_(p.b, b, false);
    return !is_a && !is_b && ll_ptx_begins_(p.a, b, false) &&
                   ll_ptx_begins_(p.b, a, false)
               ? 4u
           : !ll_ptx_begins_(p.c, c, false)                 ? 5u
           : !is_a                                          ? 6u
           : !is_b                                          ? 7u
           : ll_size(p.a.out, LL_J) * (p.k / p.stored) !=
                   ll_size(p.b.out, LL_I)                   ? 8u
           : !ll_ptx_warps_match_(p, p.a, LL_I, LL_J)       ? 9u
           : !ll_ptx_warps_match_(p, p.b, LL_J, LL_I)       ? 10u
                                                            : 0u;
}

/* Private: returns the fragment of the metadata (0), of the scales of A (1) or
 * of the scales of B (2). */
LL_FN ll_layout ll_ptx_extra_of_(const ll_ptx_operands_ &p,
                                 const ll_ptx_extra_ &x, unsigned which) {
    return which == 0   ? ll_ptx_sparse_e(p.k, p.element_bits)
           : which == 1 ? ll_ptx_scale_a(x.scales)
                        : ll_ptx_scale_b(x.scales);
}

/* Private: returns 1 if the layout a of metadata or scales is made of fragments
 * f, covers all of k (`length` along `along`), and gives each warp the part for
 * its rows of A (`of` is I) or columns of B (`of` is J). */
LL_FN bool ll_ptx_has_extra_(const ll_ptx_operands_ &p, const ll_layout &a,
                             const ll_layout &f, ll_dim of, ll_dim along,
                             unsigned length) {
    bool same = ll_ptx_begins_(a, f, true) && ll_size(a.out, along) == length;
    for (unsigned bit = 0; bit < 5u; ++bit) {
        same = same && !ll_ptx_part_(a, LL_WARP, bit, along) &&
               ll_ptx_part_(a, LL_WARP, bit, of) ==
                   ll_ptx_part_(p.c, LL_WARP, bit, of);
    }
    return same;
}

/* Private: the same as ll_ptx_wrong_ for the metadata and the scales. */
LL_FN unsigned ll_ptx_wrong_extra_(const ll_ptx_operands_ &p,
                                   const ll_ptx_extra_ &x) {
    const unsigned k = ll_size(p.b.out, LL_I), blocks = k / p.k * x.scales;
    return (x.which & 1u) &&
                   !ll_ptx_has_extra_(p, x.e, ll_ptx_extra_of_(p, x, 0), LL_I,
                                      LL_J, k)
               ? 11u
           : (x.which & 2u) &&
                   !ll_ptx_has_extra_(p, x.sa, ll_ptx_extra_of_(p, x, 1), LL_I,
                                      LL_J, blocks)
               ? 12u
           : (x.which & 2u) &&
                   !ll_ptx_has_extra_(p, x.sb, ll_ptx_extra_of_(p, x, 2), LL_J,
                                      LL_I, blocks)
               ? 13u
               : 0u;
}

/* Private: returns the number of instructions. ll_ptx_first_of_ returns the
 * first register of c (0), a (1) or b (2) of instruction n, counted in
 * elements. */
LL_FN unsigned ll_ptx_count_(const ll_ptx_operands_ &p) {
    return ll_size(p.c.in, LL_REGISTER) / (p.m / 4u) *
           ll_size(p.a.out, LL_J) / p.stored;
}

LL_FN unsigned ll_ptx_first_of_(const ll_ptx_operands_ &p, unsigned which,
                                unsigned n) {
    const unsigned each = p.m / 4u; /* elements of c per lane */
    const unsigned tiles = ll_size(p.c.in, LL_REGISTER) / each;
    const unsigned c = each * (n % tiles), slice = n / tiles;
    return which == 0   ? c
           : which == 1 ? ll_ptx_register_(p.a,
                                           ll_ptx_reaches_(p.c, c, LL_I),
                                           slice * p.stored)
                        : ll_ptx_register_(p.b, slice * p.k,
                                           ll_ptx_reaches_(p.c, c, LL_J));
}

/* Private: returns the register of a that holds i, j, plus 65536 * the bits of
 * the lane, for lane bits that f leaves free; all ones if there is none. */
LL_FN unsigned ll_ptx_source_(const ll_layout &a, const ll_layout &f,
                              unsigned i, unsigned j) {
    unsigned want = ll_pack(a.out, LL_I, i) ^ ll_pack(a.out, LL_J, j), at = 0;
    for (unsigned n = 0; n < 15u; ++n) {
        const unsigned bit = n < 10u ? n : n - 10u;
        const ll_dim in = n < 10u ? LL_REGISTER : LL_LANE;
        const unsigned column = ll_ptx_column_(&a, in, bit);
        const bool free = n < 10u || !ll_ptx_column_(&f, LL_LANE, bit);
        if (free && column && (column & want) == column) {
            want ^= column;
            at |= n < 10u ? 1u << bit : 65536u << bit;
        }
    }
    return want ? ~0u : at;
}

/* Private: returns where the metadata (0) or the scales (1, 2) of instruction n
 * are, as ll_ptx_source_ does. */
LL_FN unsigned ll_ptx_extra_at_(const ll_ptx_operands_ &p,
                                const ll_ptx_extra_ &x, unsigned which,
                                unsigned n) {
    const unsigned each = p.m / 4u;
    const unsigned tiles = ll_size(p.c.in, LL_REGISTER) / each;
    const unsigned c = each * (n % tiles), slice = n / tiles;
    const unsigned i = ll_ptx_reaches_(p.c, c, LL_I);
    const ll_layout f = ll_ptx_extra_of_(p, x, which);
    return which == 0 ? ll_ptx_source_(x.e, f, i, slice * p.k)
           : which == 1
               ? ll_ptx_source_(x.sa, f, i, slice * x.scales)
               : ll_ptx_source_(x.sb, f, slice * x.scales,
                                ll_ptx_reaches_(p.c, c, LL_J));
}

/* Private: returns which of the lanes that f leaves free `at` has. */
LL_FN unsigned ll_ptx_choice_(const ll_layout &f, unsigned at) {
    unsigned free = 0;
    while (free < 5u && ll_ptx_column_(&f, LL_LANE, free)) {
        ++free;
    }
    return at >> 16 >> free;
}

/* Private: returns 1 if the target of this compilation has the instruction of
 * the function `name`, as ll_ptx_has says. */
LL_FN bool ll_ptx_here_has_(const char *name) {
    char text[64] = {}, target[8] = {'s', 'm', '_'};
    unsigned n = 0, sm = LL_PTX_SM_, at = 3;
    for (name += 7; *name && n < 50u; ++name) { /* after "ll_ptx_" */
        const bool is_kind = name[-1] == '_' &&
                             ((name[0] == 'f' && name[1] == '8') ||
                              (name[0] == 'm' && name[1] == 'x'));
        for (const char *kind = "kind::"; is_kind && *kind; ++kind) {
            text[n++] = *kind;
        }
        text[n++] = *name == '_' ? '.' : *name;
    }
    for (unsigned by = sm >= 100u ? 100u : 10u; by; by /= 10u) {
        target[at++] = (char)('0' + sm / by % 10u);
    }
    target[at] = LL_PTX_FAMILY_ && sm >= 90u ? 'a' : (char)0;
#if defined(__CUDA_ARCH__)
    return ll_ptx_has(target, text);
#else
    return target[0] && text[0]; /* the host pass names no GPU */
#endif
}

/* Private: returns the number of scales along k that an instruction takes, from
 * its name. */
LL_FN unsigned ll_ptx_scales_(const char *name) {
    unsigned n = 0, is = 2;
    while (name[n]) {
        ++n;
    }
    for (unsigned k = 0; k + 3u < n; ++k) {
        is = name[k] == 'm' && name[k + 1u] == 'x' && name[k + 3u] == '8' ? 1u
                                                                         : is;
    }
    return n > 1u && name[n - 1u] == 'x' && name[n - 2u] == '4' ? 4u : is;
}

/* Private: the layout of an operand that an instruction does not take. */
struct ll_ptx_absent_ {
    LL_HOST_DEVICE_ static constexpr ll_layout get() { return ll_layout(); }
};

/* Private: packs the facts in the name of an instruction into one number: m, k,
 * the bits of an operand, the scales along k, the type of the accumulators, and
 * whether the target has the instruction. */
LL_FN unsigned long long ll_ptx_facts_(const char *name) {
    return ll_ptx_shape_(name, 'm') | (ll_ptx_shape_(name, 'k') << 8) |
           (ll_ptx_operand_bits_(name) << 20) | (ll_ptx_scales_(name) << 28) |
           (unsigned long long)(unsigned char)ll_ptx_sums_(name) << 32 |
           (unsigned long long)ll_ptx_here_has_(name) << 40;
}

/* Private: a matrix multiply by the names of its layouts. A stores k / HALF_
 * columns of each k. WHICH_ says which of E_ (the metadata) and SA_, SB_ (the
 * scales) are given, as in ll_ptx_extra_. */
template <class C_, class A_, class B_, unsigned BITS_,
          unsigned long long FACTS_, unsigned HALF_,
          class E_ = ll_ptx_absent_, class SA_ = ll_ptx_absent_,
          class SB_ = ll_ptx_absent_, unsigned WHICH_ = 0>
struct ll_ptx_of_ {
    enum : unsigned {
        m = FACTS_ & 255u,
        k = FACTS_ >> 8 & 4095u,
        scales = FACTS_ >> 28 & 15u
    };
    typedef typename ll_ptx_sum_<(char)(FACTS_ >> 32 & 127u)>::type sum;
    static constexpr ll_ptx_operands_ value = {
        LL_GET(C_), LL_GET(A_), LL_GET(B_), BITS_, m, k, k / HALF_};
    static constexpr ll_ptx_extra_ extra = {LL_GET(E_), LL_GET(SA_),
                                            LL_GET(SB_), WHICH_, scales};
    static constexpr unsigned layouts = ll_ptx_wrong_(value);
    static constexpr unsigned extras =
        layouts ? 0u : ll_ptx_wrong_extra_(value, extra);
    static constexpr unsigned wrong = m == 0                           ? 1u
                                      : (FACTS_ >> 20 & 255u) != BITS_ ? 3u
                                      : layouts                        ? layouts
                                      : extras                         ? extras
                                      : !(FACTS_ >> 40)                ? 2u
                                                                       : 0u;
    template <unsigned WHAT_, unsigned N_>
    static constexpr unsigned first = ll_ptx_first_of_(value, WHAT_, N_);
};

template <class P_, unsigned PACKED_, class T_, class W_, class F_,
          unsigned... N_>
LL_DEVICE void ll_ptx_multiply_(T_ *c, const W_ *a, const W_ *b, F_ multiply,
                                ll_seq_<N_...>) {
    constexpr unsigned bits = P_::value.element_bits, word = 8u * sizeof(W_);
    (multiply(c + P_::template first<0, N_> / PACKED_,
              a + P_::template first<1, N_> * bits / word,
              b + P_::template first<2, N_> * bits / word),
     ...);
}

/* Private: the errors of the layouts. LL_MMA_BITS_ has number 3. */
template <class P_> LL_HOST_DEVICE_ constexpr void ll_ptx_say_() {
    constexpr unsigned wrong = P_::wrong;
    static_assert(wrong != 1, "ll: LL_MMA: instruction must be a function of "
                               "ll_ptx.h for one mma.sync, such as "
                               "ll_ptx_mma_m16n8k16_f32_bf16");
    static_assert(wrong != 2, "ll: LL_MMA: the target of this compilation "
                               "lacks the instruction: see ll_ptx_has");
    static_assert(wrong != 4, "ll: LL_MMA: A and B are swapped: A must have "
                               "tiles of operand a of the instruction, and B "
                               "of operand b");
    static_assert(wrong != 5, "ll: LL_MMA: C must have tiles of the "
                               "instruction's accumulator: ll_ptx_mma_c, or "
                               "tiles of ll_ptx_fragment_c(m, 8) with the m "
                               "in its name");
    static_assert(wrong != 6, "ll: LL_MMA: A must have tiles of operand a of "
                               "the instruction: ll_ptx_mma_a, or tiles of "
                               "ll_ptx_fragment_a(m, k, element_bits) with "
                               "the m and k in its name; a sparse A has k / 2, "
                               "and its metadata follow B");
    static_assert(wrong != 7, "ll: LL_MMA: B must have tiles of operand b of "
                               "the instruction: ll_ptx_mma_b, or tiles of "
                               "ll_ptx_fragment_b(k, 8, element_bits) with "
                               "the k in its name");
    static_assert(wrong != 8, "ll: LL_MMA: A and B differ in k: the columns of "
                               "A (doubled if A is sparse) must equal the "
                               "rows of B");
    static_assert(wrong != 9, "ll: LL_MMA: each warp must have, in A, the "
                               "rows of its accumulators in C, and all of k");
    static_assert(wrong != 10, "ll: LL_MMA: each warp must have, in B, the "
                                "columns of its accumulators in C, and all of "
                                "k");
    static_assert(wrong != 11, "ll: LL_MMA: E must have the metadata of all "
                                "rows of A and all of k: tiles of "
                                "ll_ptx_sparse_e");
    static_assert(wrong != 12, "ll: LL_MMA: SA must have the scales of all "
                                "rows of A and all of k: tiles of "
                                "ll_ptx_scale_a");
    static_assert(wrong != 13, "ll: LL_MMA: SB must have the scales of all "
                                "columns of B and all of k: tiles of "
                                "ll_ptx_scale_b");
}

/* Private: returns 1 if the arrays fit their layouts; else says which array
 * does not. */
template <class P_, class T_, unsigned NC_, class A_, unsigned NA_, class B_,
          unsigned NB_>
LL_HOST_DEVICE_ constexpr bool ll_ptx_arrays_fit_() {
    constexpr ll_ptx_operands_ of = P_::value;
    constexpr bool is = P_::wrong == 0;
    typedef typename ll_ptx_sum_<of.element_bits == 64 ? '6' : '1'>::type word;
    constexpr unsigned bits = 8u * sizeof(word);
    constexpr bool pairs = ll_is_same_<typename P_::sum, unsigned>::value;
    constexpr bool sums = ll_is_same_<T_, typename P_::sum>::value;
    constexpr bool words =
        ll_is_same_<A_, word>::value && ll_is_same_<B_, word>::value;
    constexpr bool c =
        NC_ * (pairs ? 2u : 1u) == ll_size(of.c.in, LL_REGISTER);
    constexpr bool a =
        NA_ * bits == of.element_bits * ll_size(of.a.in, LL_REGISTER);
    constexpr bool b =
        NB_ * bits == of.element_bits * ll_size(of.b.in, LL_REGISTER);
    static_assert(!is || sums,
                  "ll: LL_MMA: array c must have the type of the instruction's "
                  "accumulator: float for f32, int for s32, double for f64, "
                  "unsigned for two of f16");
    static_assert(!is || words, "ll: LL_MMA: arrays a and b must be of "
                                "unsigned, but of double for f64");
    static_assert(!is || !sums || c,
                  "ll: LL_MMA: array c must have the registers of C: "
                  "LL_REGS(C), but for accumulators of f16 LL_WORDS(C, 16)");
    static_assert(!is || !words || a,
                  "ll: LL_MMA: array a must have the words of A: "
                  "LL_WORDS(A, element_bits)");
    static_assert(!is || !words || b,
                  "ll: LL_MMA: array b must have the words of B: "
                  "LL_WORDS(B, element_bits)");
    return is && sums && words && a && b && c;
}

template <class P_, class T_, unsigned NC_, class A_, unsigned NA_, class B_,
          unsigned NB_, class F_>
LL_DEVICE void ll_ptx_product_by_(T_ (&c)[NC_], const A_ (&a)[NA_],
                                  const B_ (&b)[NB_], F_ multiply) {
    ll_ptx_say_<P_>();
    if constexpr (ll_ptx_arrays_fit_<P_, T_, NC_, A_, NA_, B_, NB_>()) {
        ll_ptx_multiply_<P_, ll_size(P_::value.c.in, LL_REGISTER) / NC_>(
            c, a, b, multiply,
            typename ll_seq_upto_<ll_ptx_count_(P_::value)>::type());
    }
}

/* Private: for arguments that are not arrays. */
template <class P_, class C_, class A_, class B_, class F_>
LL_DEVICE void ll_ptx_product_by_(const C_ &, const A_ &, const B_ &, F_) {
    static_assert(!sizeof(C_), "ll: LL_MMA(c, C, a, A, b, B, element_bits, "
                               "instruction): c, a and b must be arrays of "
                               "registers, not pointers");
}

/* Private: the immediate operands of instruction N_, and the words that hold
 * its metadata and scales. */
template <class P_, unsigned N_> struct ll_ptx_ids_ {
    template <unsigned WHICH_>
    static constexpr unsigned at =
        ll_ptx_extra_at_(P_::value, P_::extra, WHICH_, N_);
    template <unsigned WHICH_>
    static constexpr unsigned choice = ll_ptx_choice_(
        ll_ptx_extra_of_(P_::value, P_::extra, WHICH_), at<WHICH_>);
    static constexpr bool sparse = P_::extra.which & 1u;
    static constexpr bool scaled = P_::extra.which & 2u;
    static constexpr unsigned each =
        sparse ? ll_size(ll_ptx_extra_of_(P_::value, P_::extra, 0).in,
                         LL_REGISTER)
               : 1u;
    enum : unsigned {
        select = sparse ? choice<0> : 0,
        byte_a = scaled ? at<1> % 4u : 0,
        lane_a = scaled ? choice<1> : 0,
        byte_b = scaled ? at<2> % 4u : 0,
        lane_b = scaled ? choice<2> : 0,
        word_e = sparse ? (at<0> & 65535u) / each : 0,
        word_a = scaled ? (at<1> & 65535u) / 4u : 0,
        word_b = scaled ? (at<2> & 65535u) / 4u : 0
    };
};

template <class P_, unsigned PACKED_, class T_, class W_, class F_,
          unsigned... N_>
LL_DEVICE void ll_ptx_multiply_more_(T_ *c, const W_ *a, const W_ *b,
                                     const unsigned *e, const unsigned *sa,
                                     const unsigned *sb, F_ multiply,
                                     ll_seq_<N_...>) {
    constexpr unsigned bits = P_::value.element_bits, word = 8u * sizeof(W_);
    (multiply(ll_ptx_ids_<P_, N_>(),
              c + P_::template first<0, N_> / PACKED_,
              a + P_::template first<1, N_> * bits / word,
              b + P_::template first<2, N_> * bits / word,
              e[ll_ptx_ids_<P_, N_>::word_e],
              sa[ll_ptx_ids_<P_, N_>::word_a],
              sb[ll_ptx_ids_<P_, N_>::word_b]),
     ...);
}

/* Private: returns 1 if arrays of these numbers of words hold the metadata and
 * the scales; else says which array does not. */
template <class P_, unsigned NE_, unsigned NSA_, unsigned NSB_>
LL_HOST_DEVICE_ constexpr bool ll_ptx_extras_fit_() {
    constexpr ll_ptx_extra_ x = P_::extra;
    constexpr bool is = P_::wrong == 0;
    constexpr unsigned each =
        ll_size(ll_ptx_extra_of_(P_::value, x, 0).in, LL_REGISTER);
    constexpr bool e =
        !(x.which & 1u) || NE_ * each == ll_size(x.e.in, LL_REGISTER);
    constexpr bool scales =
        !(x.which & 2u) ||
        (NSA_ == (ll_size(x.sa.in, LL_REGISTER) + 3u) / 4u &&
         NSB_ == (ll_size(x.sb.in, LL_REGISTER) + 3u) / 4u);
    static_assert(!is || e,
                  "ll: LL_MMA: array e must have the words of E: one word for "
                  "the registers of each ll_ptx_sparse_e");
    static_assert(!is || scales,
                  "ll: LL_MMA: arrays sa and sb must have the words of SA and "
                  "SB: one word for four registers");
    return is && e && scales;
}

template <class P_, class T_, unsigned NC_, class A_, unsigned NA_, class B_,
          unsigned NB_, unsigned NE_, unsigned NSA_, unsigned NSB_, class F_>
LL_DEVICE void ll_ptx_product_more_(T_ (&c)[NC_], const A_ (&a)[NA_],
                                    const B_ (&b)[NB_],
                                    const unsigned (&e)[NE_],
                                    const unsigned (&sa)[NSA_],
                                    const unsigned (&sb)[NSB_], F_ multiply) {
    constexpr bool fit = ll_ptx_arrays_fit_<P_, T_, NC_, A_, NA_, B_, NB_>();
    ll_ptx_say_<P_>();
    if constexpr (ll_ptx_extras_fit_<P_, NE_, NSA_, NSB_>() && fit) {
        ll_ptx_multiply_more_<P_, ll_size(P_::value.c.in, LL_REGISTER) / NC_>(
            c, a, b, e, sa, sb, multiply,
            typename ll_seq_upto_<ll_ptx_count_(P_::value)>::type());
    }
}

template <class P_, class C_, class A_, class B_, class E_, class SA_,
          class SB_, class F_>
LL_DEVICE void ll_ptx_product_more_(const C_ &, const A_ &, const B_ &,
                                    const E_ &, const SA_ &, const SB_ &, F_) {
    static_assert(!sizeof(C_), "ll: LL_MMA(c, C, a, A, b, B, element_bits, "
                               "instruction, ..): c, a, b, e, sa and sb must "
                               "be arrays of registers; e, sa and sb of "
                               "unsigned");
}

#define LL_MMA_OF_(C, A, B, bits, name, ...)                                \
    ll_ptx_of_<LL_TYPE_(C), LL_TYPE_(A), LL_TYPE_(B), bits,                 \
               ll_ptx_facts_(name), __VA_ARGS__>

/* The check is in a lambda of its own: if the arrays do not fit, the compiler
 * does not reach the functions that multiply. */
#define LL_MMA_BITS_(bits, name)                                            \
    [] {                                                                    \
        static_assert(ll_ptx_operand_bits_(name) == (bits) ||               \
                          !ll_ptx_shape_(name, 'm'),                        \
                      "ll: LL_MMA: element_bits is " #bits ", but the "     \
                      "operands of " name " have another size");            \
    }()
#define LL_MMA_DENSE_(c, C, a, A, b, B, element_bits, instruction)          \
    (LL_MMA_BITS_(element_bits, #instruction),                              \
     ll_ptx_product_by_<LL_MMA_OF_(C, A, B, element_bits, #instruction, 1)>(\
        c, a, b, [](auto *c_, auto *a_, auto *b_) {                         \
            instruction(c_, a_, b_);                                        \
        }))
#define LL_MMA_SPARSE_(c, C, a, A, b, B, element_bits, instruction, e, E)   \
    (LL_MMA_BITS_(element_bits, #instruction),                              \
     ll_ptx_product_more_<                                                  \
        LL_MMA_OF_(C, A, B, element_bits, #instruction, 2, LL_TYPE_(E),     \
                   ll_ptx_absent_, ll_ptx_absent_, 1)>(                     \
        c, a, b, e, e, e,                                                   \
        [](auto ids_, auto *c_, auto *a_, auto *b_, unsigned e_, unsigned,  \
           unsigned) {                                                      \
            instruction<decltype(ids_)::select>(c_, a_, b_, e_);            \
        }))
#define LL_MMA_SCALED_(c, C, a, A, b, B, element_bits, instruction, sa, SA, \
                       sb, SB)                                              \
    (LL_MMA_BITS_(element_bits, #instruction),                              \
     ll_ptx_product_more_<                                                  \
        LL_MMA_OF_(C, A, B, element_bits, #instruction, 1, ll_ptx_absent_,  \
                   LL_TYPE_(SA), LL_TYPE_(SB), 2)>(                         \
        c, a, b, sa, sa, sb,                                                \
        [](auto ids_, auto *c_, auto *a_, auto *b_, unsigned, unsigned sa_, \
           unsigned sb_) {                                                  \
            typedef decltype(ids_) is_;                                     \
            instruction<is_::byte_a, is_::lane_a, is_::byte_b,              \
                        is_::lane_b>(c_, a_, b_, sa_, sb_);                 \
        }))
#define LL_MMA_BOTH_(c, C, a, A, b, B, element_bits, instruction, e, E, sa, \
                     SA, sb, SB)                                            \
    (LL_MMA_BITS_(element_bits, #instruction),                              \
     ll_ptx_product_more_<                                                  \
        LL_MMA_OF_(C, A, B, element_bits, #instruction, 2, LL_TYPE_(E),     \
                   LL_TYPE_(SA), LL_TYPE_(SB), 3)>(                         \
        c, a, b, e, sa, sb,                                                 \
        [](auto ids_, auto *c_, auto *a_, auto *b_, unsigned e_,            \
           unsigned sa_, unsigned sb_) {                                    \
            typedef decltype(ids_) is_;                                     \
            instruction<is_::byte_a, is_::lane_a, is_::byte_b,              \
                        is_::lane_b>(c_, a_, b_, e_, sa_, sb_);             \
        }))
#define LL_MMA_NO_BITS_(...)                                                \
    static_assert(false, "ll: LL_MMA: element_bits is missing before the "  \
                         "instruction: LL_MMA(c, C, a, A, b, B, "           \
                         "element_bits, instruction)")
#define LL_MMA_TWO_() , /* two arguments if there is none */
#define LL_MMA_PICKED_(a, b, c, d, e, f, g, pick, ...) pick
#define LL_MMA_PICK_(...) LL_MMA_PICKED_(__VA_ARGS__)
#define LL_MMA(c, C, a, A, b, B, element_bits, ...)                         \
    LL_MMA_PICK_(LL_MMA_TWO_ __VA_ARGS__(), LL_MMA_BOTH_, LL_MMA_NO_BITS_,  \
                 LL_MMA_SCALED_, LL_MMA_NO_BITS_, LL_MMA_SPARSE_,           \
                 LL_MMA_NO_BITS_, LL_MMA_DENSE_, 0)                         \
    (c, C, a, A, b, B, element_bits, __VA_ARGS__)

#elif defined(LL_PTX_DEVICE_)
#define LL_MMA(...)                                                         \
    static_assert(false, "ll: LL_MMA: define LL_MATRIX before ll_ptx.h is " \
                         "included")
#endif

#endif
