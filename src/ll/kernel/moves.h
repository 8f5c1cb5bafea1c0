/* ---- Arguments of loads, stores and conversions ----------------------- */
#ifndef LL_KERNEL_MOVES_H
#define LL_KERNEL_MOVES_H

#include "constants.h"

/* Include ll_ptx.h or ll_amd.h for loads, stores, conversions, reductions,
 * scans and gathers. For another vendor, change #include and targets.
 *
 * The registers of a lane are an array of LL_REGS(LAYOUT) elements, of any type
 * that has the elements' size. They can also be an array of LL_WORDS(LAYOUT,
 * element_bits) unsigned words that each hold several elements of 8 or 16 bits,
 * as in operands of matrix instructions; that saves registers.
 *
 * 4-bit elements are pairs in bytes, of an even register number and the next
 * one: an array of LL_REGS(LAYOUT) / 2 ll_b4x2, or of LL_WORDS(LAYOUT, 4)
 * words. In memory, a pair is columns 2j and 2j + 1. src and dst are pointers
 * to ll_b4x2, and ld, cols and the numbers that they must be multiples of count
 * pairs. LL_LOAD and LL_STORE need a register bit that is column bit j0;
 * LL_CONVERT takes any layouts. LL_LOAD, LL_STORE, LL_CONVERT, LL_COPY and the
 * halves of conversions take 4-bit elements. 6-bit elements have a byte
 * each. */

#ifdef LL_DEVICE

/* The plan of that name. Asserts that an array of shared memory is large enough
 * for it; sizes behind pointers are not known. */
template <unsigned given_, unsigned needed_> struct ll_bytes_are_ {
    static_assert(given_ >= needed_,
                  "ll: the array of shared memory has given_ bytes below, but "
                  "must have needed_: LL_SMEM_BYTES of the plan");
};
/* An argument of any type. An overload that takes it is worse than all that
 * take the argument itself. An ellipsis would do, but clang before 17 refuses
 * it in device code. LL_ANY_ARGS_ are up to ten arguments. */
struct ll_any_ {
    template <class T_> LL_HOST_DEVICE_ ll_any_(const T_ &) {}
};
#define LL_ANY_ARGS_                                                        \
    ll_any_ = 0, ll_any_ = 0, ll_any_ = 0, ll_any_ = 0, ll_any_ = 0,        \
    ll_any_ = 0, ll_any_ = 0, ll_any_ = 0, ll_any_ = 0, ll_any_ = 0

template <class PLAN_, unsigned BYTES_,
          bool IS_ = ll_is_plan_<PLAN_>::value && (BYTES_ > 0)>
struct ll_within_ {
    typedef PLAN_ type;
};
template <class PLAN_, unsigned BYTES_>
struct ll_within_<PLAN_, BYTES_, true>
    : ll_bytes_are_<BYTES_, LL_GET(PLAN_).smem_bytes> {
    typedef PLAN_ type;
};
template <class PLAN_, class T_, decltype(sizeof 0) N_>
LL_HOST_DEVICE_ ll_within_<PLAN_, (unsigned)sizeof(T_[N_])>
ll_within_of_(T_ (&)[N_]) {
    return {};
}
template <class PLAN_>
LL_HOST_DEVICE_ ll_within_<PLAN_, 0> ll_within_of_(ll_any_) {
    return {};
}
#define LL_MOVE_(move, PLAN, smem)                                          \
    LL_BY_VENDOR_(                                                          \
        move<ll_scope_,                                                     \
             typename decltype(ll_within_of_<LL_TYPE_(PLAN)>(smem))::type>)

/* The overload for arguments that no other overload takes, such as a pointer in
 * place of an array. Calling it is an error. */
#define LL_NO_MOVE_(move, text)                                             \
    template <class SCOPE_, class PLAN_> LL_DEVICE void move(LL_ANY_ARGS_) {\
        static_assert(sizeof(SCOPE_) == 0, "ll: " text);                    \
    }
#define LL_NO_TILE_(move, text)                                             \
    template <class SCOPE_, class LAYOUT_, unsigned HOW_>                   \
    LL_DEVICE void move(LL_ANY_ARGS_) {                                     \
        static_assert(sizeof(SCOPE_) == 0, "ll: " text);                    \
    }

/* The optional last argument of a macro. LL_OPTIONAL_ARG_(args) is the
 * argument, or an ll_no_arg_ if there is none. It expands to `args -
 * ll_no_arg_()`: the binary minus returns the argument, the unary minus the
 * ll_no_arg_. */
struct ll_no_arg_ {
    template <class T_>
    LL_HOST_DEVICE_ friend constexpr T_ &&operator-(T_ &&x, ll_no_arg_) {
        return (T_ &&)x;
    }
    LL_HOST_DEVICE_ friend constexpr ll_no_arg_ operator-(ll_no_arg_ x) {
        return x;
    }
};
#define LL_OPTIONAL_ARG_(...) __VA_ARGS__ - ll_no_arg_()

#endif

#endif
