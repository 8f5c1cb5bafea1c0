/* ---- Constants for kernels -------------------------------------------- */
#ifndef LL_KERNEL_CONSTANTS_H
#define LL_KERNEL_CONSTANTS_H

#include "../plan/gather.h"

/* Constants for kernels. Each of these macros declares the constant NAME, which
 * the compiler computes:
 *
 *     LL_LAYOUT(NAME, expression)  a layout
 *     LL_PLAN(NAME, FROM, TO, element_bits, target)  ll_plan_of of two layouts;
 *                           TO may hold only a part of FROM's tensor
 *     LL_PLAN_BY(.., kind)  ll_plan_by
 *     LL_PLAN_WITHIN(.., bytes)  ll_plan_within
 *     LL_PLAN_THROUGH(.., memory)  ll_plan_through; memory is a value, such
 *                           as LL_GET(PLAN).memory of another plan
 *     LL_REDUCE_PLAN(NAME, LAYOUT, axis, element_bits, target)  ll_reduce_of
 *     LL_SCAN_PLAN(NAME, LAYOUT, axis, element_bits, target)  ll_scan_of
 *     LL_GATHER_PLAN(NAME, SRC, INDEX, axis, element_bits, target)
 *         ll_gather_of, from layout SRC by indices of layout INDEX
 *     LL_GATHER_PLAN_BY(.., kind)  ll_gather_by
 *
 * In C++ they declare a type, in a kernel, a function or a namespace. An error
 * stops the compiler with a sentence that names the constant, such as "ll: OUT:
 * the matrix is singular, so it has no inverse". In C they declare a const
 * object in a function, and the caller checks NAME.err. LL_GET(NAME) is the
 * value in both languages.
 *
 * In a kernel nvcc says "undefined in device code" if an array of LL_GET(NAME)
 * is indexed by a number that is not a literal, as in a loop. Copy the value
 * first: constexpr ll_layout a = LL_GET(NAME); then a.basis[k]. In an unrolled
 * loop the elements are literals. */
#if LL_CONSTEXPR

#if defined(__CUDACC_RTC__) && LL_CPLUSPLUS_ < 201703L
#pragma nv_diag_suppress 20044 /* constants in templates are not variables */
#endif

/* Holds the value of a constant, so that it is computed only once. */
template <class NAME_> struct ll_const_ {
    static constexpr decltype(NAME_::get()) value = NAME_::get();
};
#if LL_CPLUSPLUS_ < 201703L
template <class NAME_> constexpr decltype(NAME_::get()) ll_const_<NAME_>::value;
#endif

/* Whether the constant NAME has type T. */
template <class A_, class B_> struct ll_is_same_ {
    enum : bool { value = false };
};
template <class A_> struct ll_is_same_<A_, A_> {
    enum : bool { value = true };
};
template <class NAME_, class T_> struct ll_is_a_ {
    enum : bool { value = ll_is_same_<decltype(NAME_::get()), T_>::value };
};

/* A constant with an error was reported at its declaration. LL_GET then returns
 * a value with the error LL_ETOLD_, which is not reported again. */
enum { LL_ETOLD_ = -1 };

template <class T_> LL_FN T_ ll_told_error_(unsigned = 0) {
    T_ none = LL_ZERO;
    none.err = (unsigned)LL_ETOLD_;
    return none;
}
template <class NAME_, bool FAILED_ = (ll_const_<NAME_>::value.err != 0)>
struct ll_got_constant_ : ll_const_<NAME_> {};
template <class NAME_> struct ll_got_constant_<NAME_, true> {
    static constexpr decltype(NAME_::get()) value =
        ll_told_error_<decltype(NAME_::get())>();
};
#if LL_CPLUSPLUS_ < 201703L
template <class NAME_>
constexpr decltype(NAME_::get()) ll_got_constant_<NAME_, true>::value;
#endif

#define LL_GET(NAME) (ll_got_constant_<NAME>::value)

/* The type NAME, for macros that take the name of a constant. If they are given
 * its value instead, the type is ll_unnamed_, which matches no kind of
 * constant: (NAME) - x casts -x if NAME is a type, and subtracts if it is a
 * value. */
struct ll_unnamed_ {
    LL_HOST_DEVICE_ static ll_unnamed_ get();
};
struct ll_probe_ {
    template <class T_> LL_HOST_DEVICE_ operator T_() const;
    LL_HOST_DEVICE_ friend ll_probe_ operator-(ll_probe_);
    template <class T_>
    LL_HOST_DEVICE_ friend ll_unnamed_ operator-(const T_ &, ll_probe_);
};
#define LL_TYPE_(NAME) decltype((NAME) - ll_probe_())

/* For an argument that must be the value of a layout. `x - ll_valued_layout_()`
 * is x; if x is the name of a type, it is a constant of that type.
 * ll_layout_or_told_ returns the layout. For anything else it returns the error
 * LL_ETOLD_, and LL_WANTS_MEMORY_ reports the mistake. */
struct ll_valued_layout_ {
    template <class T_> LL_HOST_DEVICE_ constexpr operator T_() const {
        return T_();
    }
    LL_HOST_DEVICE_ friend constexpr ll_valued_layout_
    operator-(ll_valued_layout_ x) {
        return x;
    }
    template <class T_>
    LL_HOST_DEVICE_ friend constexpr T_ operator-(const T_ &x,
                                                  ll_valued_layout_) {
        return x;
    }
};
LL_FN ll_layout ll_layout_or_told_(const ll_layout &a) { return a; }
template <class T_> LL_FN ll_layout ll_layout_or_told_(const T_ &) {
    return ll_told_error_<ll_layout>();
}

/* nvcc quotes the preprocessed line of an error, and a macro expands to one
 * line, however long. A pragma ends that line, so the sentence stands alone.
 * This pragma has no other effect. */
#if defined(__CUDACC__) && !defined(__clang__)
#define LL_END_LINE_ _Pragma("nv_diag_default 1")
#else
#define LL_END_LINE_
#endif

#define LL_ASSERT_(NAME, code, text)                                        \
    LL_END_LINE_                                                            \
    static_assert(NAME##_err_ != (unsigned)code, "ll: " #NAME ": " text);
#define LL_ASSERT_NUMBERED_(NAME, code, number, text)                       \
    LL_ASSERT_(NAME, code, text)

/* Where a layout is wrong: its members `is` and `at`, as template arguments
 * that the compiler prints. Plans have no such members. */
LL_FN unsigned ll_is_of_(const ll_layout &a) { return a.err ? a.is : 0u; }
LL_FN unsigned ll_at_of_(const ll_layout &a) { return a.err ? a.at : 0u; }
template <class T_> LL_FN unsigned ll_is_of_(const T_ &) { return 0; }
template <class T_> LL_FN unsigned ll_at_of_(const T_ &) { return 0; }

template <unsigned CHARACTER_> struct ll_wrong_at_ {
    static_assert(CHARACTER_ == 0,
                  "ll: the text is wrong at character CHARACTER_, counted "
                  "from 1");
    enum : bool { value = true };
};
template <unsigned> struct ll_never_ { /* false when instantiated */
    enum : bool { value = false };
};
template <unsigned VALUE_> struct ll_wrong_value_ {
    static_assert(ll_never_<VALUE_>::value, "ll: got VALUE_");
    enum : bool { value = true };
};
LL_FN char ll_spelt_(ll_dim d, unsigned k) {
    const unsigned code = (unsigned)(d >> (54u - 6u * k)) & 63u;
    return code ? ll_char_of_code_(code) : ' ';
}
template <char... SPELT_> struct ll_wrong_dimension_ {
    static_assert(sizeof...(SPELT_) == 0,
                  "ll: the missing dimension is SPELT_");
    enum : bool { value = true };
};
template <unsigned IS_, unsigned AT_> struct ll_wrong_ {
    enum : bool { value = true };
};
template <unsigned AT_>
struct ll_wrong_<LL_AT_CHARACTER, AT_> : ll_wrong_at_<AT_> {};
template <unsigned AT_>
struct ll_wrong_<LL_AT_VALUE, AT_> : ll_wrong_value_<AT_> {};
template <unsigned AT_>
struct ll_wrong_<LL_AT_DIMENSION, AT_>
    : ll_wrong_dimension_<ll_spelt_((ll_dim)AT_ << 30, 0),
                          ll_spelt_((ll_dim)AT_ << 30, 1),
                          ll_spelt_((ll_dim)AT_ << 30, 2),
                          ll_spelt_((ll_dim)AT_ << 30, 3),
                          ll_spelt_((ll_dim)AT_ << 30, 4)> {};

/* nvcc compiles the same text for the host and for the device. The host pass
 * skips the assertions, since the device pass checks them. Otherwise nvcc and
 * its host compiler would both compute every constant again. */
#if defined(__CUDACC__) && !defined(__clang__) && !defined(__CUDA_ARCH__) &&  \
    !LL_EMULATE
#define LL_EXPECT_(condition, text) static_assert(true, text)
#define LL_NO_ERRORS_(NAME)
#define LL_ONCE_ const
#else
#define LL_EXPECT_(condition, text) static_assert(condition, text)
#define LL_NO_ERRORS_(NAME)                                                 \
    enum : unsigned { NAME##_err_ = ll_value_.err };                        \
    LL_ERRORS(LL_ASSERT_NUMBERED_, NAME)                                    \
    static_assert(ll_wrong_<ll_is_of_(ll_value_),                           \
                            ll_at_of_(ll_value_)>::value, "");
#define LL_ONCE_ constexpr
#endif

/* One sentence reports a constant of the wrong kind. ll_as_ then replaces it
 * with a value that has the error LL_ETOLD_. */
template <class T_, bool IS_> struct ll_as_ {
    template <class NAME_> LL_FN T_ of() { return LL_GET(NAME_); }
};
template <class T_> struct ll_as_<T_, false> {
    template <class NAME_> LL_FN T_ of() { return ll_told_error_<T_>(); }
};

#define LL_IS_A_(NAME, type) (ll_is_a_<LL_TYPE_(NAME), type>::value != 0)
#define LL_VALUE_AS_(NAME, type)                                            \
    ll_as_<type, LL_IS_A_(NAME, type)>::template of<LL_TYPE_(NAME)>()
#define LL_HAS_KIND_(NAME)                                                  \
    (LL_IS_A_(NAME, ll_plan) || LL_IS_A_(NAME, ll_gather_plan))
#define LL_EXPECT_IS_(NAME, is, text)                                       \
    LL_END_LINE_                                                            \
    LL_EXPECT_(is, "ll: " #NAME ": " text)
#define LL_WANTS_LAYOUT_(NAME)                                              \
    LL_EXPECT_IS_(NAME, LL_IS_A_(NAME, ll_layout),                          \
                  "this argument must be the name of a layout of "          \
                  "LL_LAYOUT, without LL_GET");

#define LL_WANTS_MEMORY_(NAME, ...)                                         \
    LL_EXPECT_IS_(NAME,                                                     \
                  (ll_is_same_<decltype((__VA_ARGS__) -                     \
                                        ll_valued_layout_()),               \
                               ll_layout>::value),                          \
                  "the memory of a plan must be the value of a layout, "    \
                  "such as LL_GET(LAYOUT) or LL_GET(PLAN).memory");

/* Returns the kind of a plan; `expected` if p is invalid or not a plan. */
LL_FN unsigned ll_plan_kind_of_(const ll_plan &p, unsigned expected) {
    return p.err ? expected : p.kind;
}
LL_FN unsigned ll_plan_kind_of_(const ll_gather_plan &p, unsigned expected) {
    return p.err ? expected : p.kind;
}
template <class T_>
LL_FN unsigned ll_plan_kind_of_(const T_ &, unsigned expected) {
    return expected;
}

/* Whether the constant NAME is a plan, and its cycles, 0 if it is none. */
template <class NAME_> struct ll_is_plan_ {
    enum : bool {
        value = !ll_is_a_<NAME_, ll_layout>::value &&
                !ll_is_a_<NAME_, ll_unnamed_>::value
    };
};
template <class NAME_, bool IS_> struct ll_cycles_of_ {
    enum : unsigned { value = 0 };
};
template <class NAME_> struct ll_cycles_of_<NAME_, true> {
    enum : unsigned { value = LL_GET(NAME_).cycles };
};

/* Each source file has its own types of constants. Otherwise the linker would
 * merge the code of two layouts with one name. */
namespace {
struct ll_source_ {};
}
template <class NAME_, class FILE_> struct ll_named_ : NAME_ {};

/* The value has a name, because g++ evaluates a returned call at once, used or
 * not. In a class that is no template, it is computed at the end of the class.
 * CHECKS are further assertions about it. */
#define LL_DECLARE_CHECKED_(NAME, type, CHECKS, ...)                        \
    struct NAME##_ll_ {                                                     \
        LL_CONSTANT_ type get() {                                           \
            LL_ONCE_ type ll_value_ = __VA_ARGS__;                          \
            LL_NO_ERRORS_(NAME)                                             \
            CHECKS                                                          \
            return ll_value_;                                               \
        }                                                                   \
    };                                                                      \
    typedef ll_named_<NAME##_ll_, ll_source_> NAME LL_UNUSED_
#define LL_DECLARE_(NAME, type, ...)                                        \
    LL_DECLARE_CHECKED_(NAME, type, , __VA_ARGS__)

#define LL_LAYOUT(NAME, ...) LL_DECLARE_(NAME, ll_layout, __VA_ARGS__)

/* Targets are macros of a vendor's header. Without it they name the header. */
template <unsigned HERE_> LL_FN unsigned ll_vendor_header_() {
    static_assert(HERE_ != 0,
                  "ll: include ll_ptx.h (NVIDIA) or ll_amd.h (AMD)");
    return 0;
}
struct ll_no_target_ {
    template <class T_> LL_HOST_DEVICE_ constexpr operator T_() const {
        return ll_told_error_<T_>(ll_vendor_header_<sizeof(T_) * 0>());
    }
};
LL_UNUSED_ static constexpr ll_no_target_ LL_SM75 = {},
    LL_SM80 = {}, LL_SM86 = {}, LL_SM87 = {}, LL_SM88 = {}, LL_SM89 = {},
    LL_SM90 = {}, LL_SM100 = {}, LL_SM103 = {}, LL_SM110 = {}, LL_SM120 = {},
    LL_SM121 = {}, LL_SM100F = {}, LL_SM110F = {}, LL_SM120F = {},
    LL_TARGET_HERE = {}, LL_GFX908 = {}, LL_GFX90A = {}, LL_GFX942 = {},
    LL_GFX950 = {}, LL_GFX1100 = {}, LL_GFX1201 = {};

#else

#define LL_GET(NAME) (NAME)
#define LL_VALUE_AS_(NAME, type) (NAME)
#define LL_WANTS_LAYOUT_(NAME)
#define LL_DECLARE_(NAME, type, ...) const type NAME = (__VA_ARGS__)
#define LL_DECLARE_CHECKED_(NAME, type, CHECKS, ...)                        \
    const type NAME = (__VA_ARGS__)
#define LL_LAYOUT(NAME, ...) const ll_layout NAME = (__VA_ARGS__)

#endif

#endif
