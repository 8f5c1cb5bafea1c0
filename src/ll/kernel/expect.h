/* ---- Compile-time checks of constants --------------------------------- */
#ifndef LL_KERNEL_EXPECT_H
#define LL_KERNEL_EXPECT_H

#include "constants.h"

/* Each check has one sentence, printed with the name that the user gave. */

#if LL_CONSTEXPR

/* If two layouts of a plan do not match, the compiler prints the type
 * ll_differ_. It has the name of the first dimension that differs, and the size
 * of that dimension in each layout, 0 if the layout lacks it. */
template <class NAME_, unsigned SIZE_, char... DIMENSION_> struct ll_has_ {};
template <class FIRST_, class SECOND_, bool ALIKE_> struct ll_differ_ {
    static_assert(ALIKE_,
                  "ll: the layouts of a plan differ in this dimension; "
                  "ll_compare prints both");
    enum : bool { value = true };
};
template <class NAME_, unsigned SIZE_, ll_dim REST_, char... DIMENSION_>
struct ll_spell_
    : ll_spell_<NAME_, SIZE_, (REST_ << 10 >> 4), DIMENSION_...,
                ll_char_of_code_((unsigned)(REST_ >> 54))> {};
template <class NAME_, unsigned SIZE_, char... DIMENSION_>
struct ll_spell_<NAME_, SIZE_, 0, DIMENSION_...> {
    typedef ll_has_<NAME_, SIZE_, DIMENSION_...> type;
};
template <class FROM_, class TO_, bool MATCH_, bool EQUAL_ = false>
struct ll_agree_ {
    enum : bool { value = true };
};
template <class FROM_, class TO_, bool EQUAL_>
struct ll_agree_<FROM_, TO_, false, EQUAL_> {
    static constexpr ll_difference_ is =
        ll_difference_of_(LL_GET(FROM_).out, LL_GET(TO_).out, EQUAL_);
    typedef typename ll_spell_<FROM_, is.size[0], is.dim>::type from;
    typedef typename ll_spell_<TO_, is.size[1], is.dim>::type to;
    /* `value` is true even after that assertion failed */
    enum : bool {
        said = ll_differ_<from, to, is.dim == 0>::value,
        value = true
    };
};

/* If lanes of layouts and target differ, the compiler prints all three. */
template <unsigned FROM_, unsigned TO_, unsigned TARGET_, bool MATCH_>
struct ll_lanes_ {
    static_assert(MATCH_, "ll: the two layouts have FROM_ and TO_ lanes below, "
                          "but a warp of the target has TARGET_");
    enum : bool { value = true };
};

/* If a layout lacks an axis, the compiler prints it and the first axes. */
template <class AXIS_, class FIRST_, class SECOND_, class THIRD_>
struct ll_lacks_ {
    static_assert(sizeof(AXIS_) == 0,
                  "ll: the layout lacks this axis; its axes follow, with "
                  "their sizes");
    enum : bool { value = true };
};
template <class NAME_, unsigned K_> struct ll_axis_named_ {
    static constexpr ll_shape out = LL_GET(NAME_).out;
    static constexpr ll_dim dim = K_ < out.n ? out.dim[K_] : 0u;
    typedef typename ll_spell_<NAME_, K_ < out.n ? 1u << out.bits[K_] : 0u,
                               dim>::type type;
};
template <class NAME_, ll_dim AXIS_, bool THERE_> struct ll_axis_is_there_ {
    enum : bool { value = true };
};
template <unsigned NUMBER_> struct ll_axis_number_ {};
template <class NAME_, ll_dim AXIS_, bool NUMBER_ = (AXIS_ < LL_MAX_DIMS)>
struct ll_axis_asked_ : ll_spell_<NAME_, 0, AXIS_> {};
template <class NAME_, ll_dim AXIS_> struct ll_axis_asked_<NAME_, AXIS_, true> {
    typedef ll_axis_number_<AXIS_> type;
};
template <class NAME_, ll_dim AXIS_>
struct ll_axis_is_there_<NAME_, AXIS_, false> {
    enum : bool {
        said = ll_lacks_<typename ll_axis_asked_<NAME_, AXIS_>::type,
                         typename ll_axis_named_<NAME_, 0>::type,
                         typename ll_axis_named_<NAME_, 1>::type,
                         typename ll_axis_named_<NAME_, 2>::type>::value,
        value = true
    };
};
/* If a layout lacks a bit of an axis, the compiler prints the layout, the
 * number of the bit, and the axis. */
template <class LAYOUT_, unsigned BIT_, char... AXIS_> struct ll_lacks_bit_ {
    static_assert(sizeof(LAYOUT_) == 0,
                  "ll: LAYOUT_ lacks bit BIT_ of the axis AXIS_");
    enum : bool { value = true };
};
template <class LAYOUT_, unsigned BIT_, ll_dim REST_, bool HELD_,
          char... AXIS_>
struct ll_holds_
    : ll_holds_<LAYOUT_, BIT_, (REST_ << 10 >> 4), HELD_, AXIS_...,
                ll_char_of_code_((unsigned)(REST_ >> 54))> {};
template <class LAYOUT_, unsigned BIT_, char... AXIS_>
struct ll_holds_<LAYOUT_, BIT_, 0, false, AXIS_...>
    : ll_lacks_bit_<LAYOUT_, BIT_, AXIS_...> {};
template <class LAYOUT_, unsigned BIT_>
struct ll_holds_<LAYOUT_, BIT_, 0, true> {
    enum : bool { value = true };
};

/* An axis, given by name or number. One sentence reports a text. */
template <class T_> LL_FN ll_dim ll_axis_of_(T_ d) { return (ll_dim)d; }
LL_FN ll_dim ll_axis_of_(const char *text) { return ll_dim_of(text); }
template <class T_> LL_FN bool ll_is_axis_(T_) { return true; }
LL_FN bool ll_is_axis_(const char *) { return false; }
template <class NAME_, bool IS_, ll_dim AXIS_> struct ll_named_axis_ {
    static_assert(IS_, "ll: LL_AT: an axis must be LL_I, LL_J and so on, or "
                       "its number, not a text");
    enum : ll_dim { value = AXIS_ };
};
#define LL_AXIS_(axis) ll_axis_of_(axis)
#define LL_WANTS_AXIS_(NAME, axis)                                          \
    LL_EXPECT_IS_(NAME, ll_is_axis_(axis), "an axis must be LL_I, LL_J "    \
                  "and so on, or its number, not a text");

LL_FN bool ll_has_axis_(const ll_layout &a, ll_dim d) {
    return ll_axis_at_(&a.out, d) < a.out.n;
}
#define LL_LACKS_(LAYOUT, axis, code)                                       \
    LL_EXPECT_((ll_axis_is_there_<                                          \
                   LL_TYPE_(LAYOUT), LL_AXIS_(axis),                        \
                   ll_value_.err != (code) ||                               \
                       ll_has_axis_(LL_VALUE_AS_(LAYOUT, ll_layout),        \
                                    LL_AXIS_(axis))>::value),               \
               "ll: " #LAYOUT " lacks an axis");
#define LL_HAS_AXIS_(LAYOUT, axis)                                          \
    LL_LACKS_(LAYOUT, axis, LL_EMISSING)                                    \
    LL_EXPECT_((ll_holds_<LL_TYPE_(LAYOUT), ll_value_.lacks.bit,            \
                          ll_value_.lacks.dim,                              \
                          ll_value_.err != LL_EHELD>::value),               \
               "ll: " #LAYOUT " lacks a bit of the axis");

/* The layouts of a gather agree in all axes but the indexed one. */
template <class NAME_, ll_dim AXIS_> struct ll_beside_ {
    LL_CONSTANT_ ll_layout get() {
        ll_layout a = LL_GET(NAME_);
        const ll_shape axis = ll_with(ll_shape LL_ZERO, AXIS_, 1);
        a.out = ll_shape_without_(&a.out, &axis);
        return a;
    }
};
#define LL_GATHER_ASKS_(SRC, INDEX, axis)                                   \
    LL_HAS_AXIS_(SRC, axis)                                                 \
    LL_LACKS_(INDEX, axis, LL_EMATCH)                                       \
    LL_EXPECT_((ll_agree_<ll_beside_<LL_TYPE_(SRC), axis>,                  \
                          ll_beside_<LL_TYPE_(INDEX), axis>,                \
                          ll_value_.err != LL_EMATCH, true>::value),        \
               "ll: " #SRC " and " #INDEX " do not match");

#define LL_MATCH_LAYOUTS_(FROM, TO)                                         \
    LL_EXPECT_((ll_lanes_<                                                  \
                   ll_size(LL_VALUE_AS_(FROM, ll_layout).in, LL_LANE),      \
                   ll_size(LL_VALUE_AS_(TO, ll_layout).in, LL_LANE),        \
                   ll_value_.lanes, ll_value_.err != LL_ELANES>::value),    \
               "ll: " #FROM " and " #TO " have wrong numbers of lanes");    \
    LL_EXPECT_((ll_agree_<LL_TYPE_(FROM), LL_TYPE_(TO),                     \
                          ll_value_.err != LL_EMATCH>::value),              \
               "ll: " #FROM " and " #TO " do not match");

/* Declares the memory of an LL_PLAN_THROUGH as a constant, which
 * LL_MATCH_MEMORY_ compares with a layout of the plan. */
#define LL_MEMORY_(NAME, ...)                                               \
    LL_WANTS_MEMORY_(NAME, __VA_ARGS__)                                     \
    struct NAME##_memory_ {                                                 \
        LL_CONSTANT_ ll_layout get() {                                      \
            return ll_layout_or_told_((__VA_ARGS__) - ll_valued_layout_()); \
        }                                                                   \
    };
#define LL_RAW_VALUE_(NAME) (ll_const_<NAME>::value)
#define LL_MATCH_MEMORY_(FROM, MEMORY)                                      \
    LL_EXPECT_((ll_agree_<LL_TYPE_(FROM), MEMORY,                           \
                          ll_value_.err != LL_EMATCH, true>::value),        \
               "ll: " #FROM " and the memory do not match");

/* The plan of that name; a value with the error LL_ETOLD_ if IS is false. */
template <class NAME_, bool IS_>
struct ll_plan_or_told_ : ll_got_constant_<NAME_> {};
template <class NAME_> struct ll_plan_or_told_<NAME_, false> {
    static constexpr ll_plan value = ll_told_error_<ll_plan>();
};

/* Assertions about what a kernel relies on.
 *
 * LL_EXPECT_KIND(PLAN, kind): the plan has exactly this kind, LL_NOTHING to
 * LL_CLUSTER.
 *
 * LL_EXPECT_NO_CONFLICTS(PLAN): no access to shared memory has a bank conflict.
 *
 * LL_EXPECT_CYCLES(PLAN, n): a plan, of any sort, costs at most n cycles per
 * warp, as ll_explain prints them. (A plan without conflicts can still be slow:
 * many narrow accesses have none either.)
 *
 * LL_EXPECT_VECTOR(LAYOUT, n): each lane holds n contiguous elements of a
 * row. */
#define LL_EXPECT_KIND(PLAN, expected)                                      \
    LL_EXPECT_IS_(PLAN, LL_HAS_KIND_(PLAN), "LL_EXPECT_KIND takes a "       \
                  "plan of LL_PLAN or LL_GATHER_PLAN");                     \
    LL_EXPECT_(ll_plan_kind_of_(ll_plan_or_told_<LL_TYPE_(PLAN),            \
                                            LL_HAS_KIND_(PLAN)>::value,     \
                                expected) == (expected),                    \
               "ll: " #PLAN ": the plan is not of kind " #expected)

#define LL_EXPECT_NO_CONFLICTS(PLAN)                                        \
    LL_EXPECT_IS_(PLAN, LL_IS_A_(PLAN, ll_plan), "LL_EXPECT_NO_CONFLICTS "  \
                  "takes a plan of LL_PLAN");                            \
    LL_EXPECT_(ll_conflicts(LL_VALUE_AS_(PLAN, ll_plan)) == 0,              \
               "ll: " #PLAN ": an access to shared memory has bank "        \
               "conflicts (ll_explain shows which)")

#define LL_EXPECT_CYCLES(PLAN, n)                                           \
    LL_EXPECT_IS_(PLAN, (ll_is_plan_<LL_TYPE_(PLAN)>::value != 0),          \
                  "LL_EXPECT_CYCLES takes a plan");                      \
    LL_EXPECT_((ll_cycles_of_<                                              \
                   LL_TYPE_(PLAN),                                          \
                   ll_is_plan_<LL_TYPE_(PLAN)>::value>::value <= (n)),      \
               "ll: " #PLAN ": the plan costs more than " #n                \
               " cycles (ll_explain shows why)")

#define LL_EXPECT_VECTOR(LAYOUT, n)                                         \
    LL_EXPECT_IS_(LAYOUT, LL_IS_A_(LAYOUT, ll_layout), "LL_EXPECT_VECTOR "  \
                  "takes a layout of LL_LAYOUT");                        \
    LL_EXPECT_(LL_VALUE_AS_(LAYOUT, ll_layout).err ||                       \
                   ll_vector(LL_VALUE_AS_(LAYOUT, ll_layout), n) == (n),    \
               "ll: " #LAYOUT ": a lane does not hold " #n                  \
               " contiguous elements of a row")

#else

#define LL_MATCH_LAYOUTS_(FROM, TO)
#define LL_MEMORY_(NAME, ...)                                               \
    const ll_layout NAME##_memory_ = (__VA_ARGS__);
#define LL_RAW_VALUE_(NAME) (NAME)
#define LL_MATCH_MEMORY_(FROM, MEMORY)
#define LL_HAS_AXIS_(LAYOUT, axis)
#define LL_AXIS_(axis) (axis)
#define LL_WANTS_AXIS_(NAME, axis)
#define LL_GATHER_ASKS_(SRC, INDEX, axis)

#endif

#endif
