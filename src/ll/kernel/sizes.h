/* ---- Plans and sizes as constants ------------------------------------- */
#ifndef LL_KERNEL_SIZES_H
#define LL_KERNEL_SIZES_H

#include "../plan/scan.h"
#include "expect.h"

/* Macros of an optional part that was not asked for declare this: one sentence,
 * and a constant whose error counts as reported. */
typedef struct ll_absent_ {
    unsigned err, cycles, smem_bytes;
    unsigned long long cost;
    ll_layout to;
} ll_absent_;
#if LL_CONSTEXPR
LL_FN ll_absent_ ll_nothing_() {
    ll_absent_ none = ll_told_error_<ll_absent_>();
    none.to = ll_told_error_<ll_layout>();
    return none;
}
#define LL_ABSENT_PART_(NAME, room)                                         \
    LL_END_LINE_                                                            \
    static_assert(false, "ll: " #NAME ": define " room                      \
                         " before including ll.h");                         \
    LL_DECLARE_(NAME, ll_absent_, ll_nothing_())
#define LL_ABSENT_LAYOUT_(NAME) LL_LAYOUT(NAME, ll_nothing_().to)
#else
#if defined(__cplusplus)
#define LL_NEVER_(text) static_assert(0, text)
#else
#define LL_NEVER_(text) _Static_assert(0, text)
#endif
#define LL_ABSENT_PART_(NAME, room)                                         \
    LL_NEVER_("ll: " #NAME ": define " room " before including ll.h");      \
    const ll_absent_ NAME = LL_ZERO
#define LL_ABSENT_LAYOUT_(NAME) const ll_layout NAME = LL_ZERO
#endif

/* The value of a layout, given by its name as an argument of a plan. */
#define LL_LAYOUT_OF_(NAME) LL_VALUE_AS_(NAME, ll_layout)

#define LL_PLAN(NAME, FROM, TO, element_bits, target)                       \
    LL_WANTS_LAYOUT_(FROM)                                                  \
    LL_WANTS_LAYOUT_(TO)                                                    \
    LL_DECLARE_CHECKED_(NAME, ll_plan, LL_MATCH_LAYOUTS_(FROM, TO),         \
                        ll_plan_of(LL_LAYOUT_OF_(FROM),                     \
                                   LL_LAYOUT_OF_(TO),                       \
                                   element_bits, target))
#define LL_PLAN_BY(NAME, FROM, TO, element_bits, target, kind)              \
    LL_WANTS_LAYOUT_(FROM)                                                  \
    LL_WANTS_LAYOUT_(TO)                                                    \
    LL_DECLARE_CHECKED_(NAME, ll_plan, LL_MATCH_LAYOUTS_(FROM, TO),         \
                        ll_plan_by(LL_LAYOUT_OF_(FROM),                     \
                                   LL_LAYOUT_OF_(TO),                       \
                                   element_bits, target, kind))
#define LL_PLAN_WITHIN(NAME, FROM, TO, element_bits, target, bytes)         \
    LL_WANTS_LAYOUT_(FROM)                                                  \
    LL_WANTS_LAYOUT_(TO)                                                    \
    LL_DECLARE_CHECKED_(NAME, ll_plan, LL_MATCH_LAYOUTS_(FROM, TO),         \
                        ll_plan_within(LL_LAYOUT_OF_(FROM),                 \
                                       LL_LAYOUT_OF_(TO),                   \
                                       element_bits, target, bytes))
#define LL_PLAN_THROUGH(NAME, FROM, TO, element_bits, target, memory)       \
    LL_WANTS_LAYOUT_(FROM)                                                  \
    LL_WANTS_LAYOUT_(TO)                                                    \
    LL_MEMORY_(NAME, memory)                                                \
    LL_DECLARE_CHECKED_(NAME, ll_plan,                                      \
                        LL_MATCH_LAYOUTS_(FROM, TO)                         \
                        LL_MATCH_MEMORY_(FROM, NAME##_memory_),             \
                        ll_plan_through(LL_LAYOUT_OF_(FROM),                \
                                        LL_LAYOUT_OF_(TO), element_bits,    \
                                        target, LL_RAW_VALUE_(NAME##_memory_)))
#define LL_REDUCE_PLAN(NAME, LAYOUT, axis, element_bits, target)            \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_reduce_plan, LL_HAS_AXIS_(LAYOUT, axis),   \
                        ll_reduce_of(LL_LAYOUT_OF_(LAYOUT),                 \
                                     LL_AXIS_(axis), element_bits, target))
#define LL_SCAN_PLAN(NAME, LAYOUT, axis, element_bits, target)              \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_scan_plan, LL_HAS_AXIS_(LAYOUT, axis),     \
                        ll_scan_of(LL_LAYOUT_OF_(LAYOUT),                   \
                                   LL_AXIS_(axis), element_bits, target))
#define LL_GATHER_PLAN(NAME, SRC, INDEX, axis, element_bits, target)        \
    LL_WANTS_LAYOUT_(SRC)                                                   \
    LL_WANTS_LAYOUT_(INDEX)                                                 \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_gather_plan,                               \
                        LL_GATHER_ASKS_(SRC, INDEX, LL_AXIS_(axis)),        \
                        ll_gather_of(LL_LAYOUT_OF_(SRC),                    \
                                     LL_LAYOUT_OF_(INDEX), LL_AXIS_(axis),  \
                                     element_bits, target))
#define LL_GATHER_PLAN_BY(NAME, SRC, INDEX, axis, element_bits, target,     \
    kind)                                                                   \
    LL_WANTS_LAYOUT_(SRC)                                                   \
    LL_WANTS_LAYOUT_(INDEX)                                                 \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_gather_plan,                               \
                        LL_GATHER_ASKS_(SRC, INDEX, LL_AXIS_(axis)),        \
                        ll_gather_by(LL_LAYOUT_OF_(SRC),                    \
                                     LL_LAYOUT_OF_(INDEX), LL_AXIS_(axis),  \
                                     element_bits, target, kind))

#if LL_CONSTEXPR
/* A number at compile time, which device code does not read from memory. */
template <unsigned N_> struct ll_counted_ {
    enum : unsigned { value = N_ };
};
#define LL_NUMBER_(...) ((unsigned)ll_counted_<(__VA_ARGS__)>::value)

/* Private: returns the first input that is not hardware's; 0 without one. */
LL_FN ll_dim ll_other_input_(const ll_layout *a) {
    ll_dim other = 0;
    for (unsigned k = 0; k < a->in.n && !other; ++k) {
        const ll_dim d = a->in.dim[k];
        other = d == LL_REGISTER || d == LL_LANE || d == LL_WARP ||
                        d == LL_BLOCK
                    ? 0
                    : d;
    }
    return other;
}

/* Reports such an input. The compiler's note spells its name. */
template <char... SPELT_> struct ll_other_input_is_ {
    static_assert(sizeof...(SPELT_) == 0,
                  "ll: the inputs of a layout of registers must be register, "
                  "lane, warp and block; SPELT_ below is another one");
};
template <class NAME_,
          ll_dim DIM_ = ll_other_input_(&ll_got_constant_<NAME_>::value)>
struct ll_inputs_of_ {
    enum : bool {
        known = sizeof(
                    ll_other_input_is_<
                        ll_spelt_(DIM_, 0), ll_spelt_(DIM_, 1),
                        ll_spelt_(DIM_, 2), ll_spelt_(DIM_, 3),
                        ll_spelt_(DIM_, 4), ll_spelt_(DIM_, 5),
                        ll_spelt_(DIM_, 6), ll_spelt_(DIM_, 7),
                        ll_spelt_(DIM_, 8), ll_spelt_(DIM_, 9)>) == 0
    };
};
template <class NAME_> struct ll_inputs_of_<NAME_, 0> {
    enum : bool { known = true };
};

/* The layout, or the plan of any kind, with that name. */
template <class NAME_, bool IS_>
struct ll_layout_named_ : ll_got_constant_<NAME_> {
    enum : bool { known = ll_inputs_of_<NAME_>::known };
};
template <class NAME_> struct ll_layout_named_<NAME_, false> {
    static constexpr ll_layout value = ll_told_error_<ll_layout>();
    static_assert(ll_is_a_<NAME_, ll_layout>::value,
                  "ll: LL_REGS, LL_WORDS, LL_THREADS, LL_BLOCKS and LL_VECTOR "
                  "take the name of a layout of LL_LAYOUT");
};
template <class NAME_, bool IS_>
struct ll_plan_named_ : ll_plan_or_told_<NAME_, IS_> {};
template <class NAME_>
struct ll_plan_named_<NAME_, false> : ll_plan_or_told_<NAME_, false> {
    static_assert(ll_is_plan_<NAME_>::value,
                  "ll: LL_SMEM_BYTES takes the name of a plan, such as of "
                  "LL_PLAN");
};
#define LL_NAMED_LAYOUT_(NAME)                                              \
    (ll_layout_named_<LL_TYPE_(NAME), LL_IS_A_(NAME, ll_layout)>::value)
#define LL_NAMED_PLAN_(NAME)                                                \
    (ll_plan_named_<LL_TYPE_(NAME),                                         \
                    (ll_is_plan_<LL_TYPE_(NAME)>::value != 0)>::value)
#else
#define LL_NUMBER_(...) (__VA_ARGS__)
#define LL_NAMED_LAYOUT_(NAME) (NAME)
#define LL_NAMED_PLAN_(NAME) (NAME)
#endif

/* LL_REGS(LAYOUT): registers per lane, in elements, for the length of an array.
 * LL_WORDS(LAYOUT, element_bits): registers per lane, in words of 32 bits. A
 * word holds several elements of 8 or 16 bits, so an array of words is the
 * better choice for them. LL_THREADS(LAYOUT): threads of a block, which are all
 * lanes of all its warps. LL_BLOCKS(LAYOUT): number of blocks; several are a
 * cluster. LL_SMEM_BYTES(PLAN): bytes of shared memory that a plan needs in
 * each block, at least 1. */
#define LL_REGS(LAYOUT)                                                     \
    LL_NUMBER_(ll_size(LL_NAMED_LAYOUT_(LAYOUT).in, LL_REGISTER))
#define LL_WORDS(LAYOUT, element_bits)                                      \
    ((LL_REGS(LAYOUT) * ll_element_held_(element_bits) + 31u) / 32u)
#define LL_THREADS(LAYOUT)                                                  \
    LL_NUMBER_(ll_size(LL_NAMED_LAYOUT_(LAYOUT).in, LL_LANE) *              \
               ll_size(LL_NAMED_LAYOUT_(LAYOUT).in, LL_WARP))
#define LL_BLOCKS(LAYOUT)                                                   \
    LL_NUMBER_(ll_size(LL_NAMED_LAYOUT_(LAYOUT).in, LL_BLOCK))
#define LL_SMEM_BYTES(PLAN)                                                 \
    LL_NUMBER_(LL_NAMED_PLAN_(PLAN).smem_bytes                              \
                   ? LL_NAMED_PLAN_(PLAN).smem_bytes                        \
                   : 1u)

/* Two 4-bit elements in a byte, with the lower-numbered one in the low half. */
typedef struct ll_b4x2 {
    unsigned char pair;
} ll_b4x2;

#if LL_CONSTEXPR
template <class T_> struct ll_is_b4x2_ {
    enum : unsigned { value = 0 };
};
template <> struct ll_is_b4x2_<ll_b4x2> {
    enum : unsigned { value = 1 };
};
#endif

#if defined(LL_DEVICE) && LL_CPLUSPLUS_ < 201703L
#error "ll: kernels need C++17: pass -std=c++17 to the compiler"
#endif

#endif
