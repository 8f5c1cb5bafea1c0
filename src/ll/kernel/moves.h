/* ---- What moves have in common ---------------------------------------- */
#ifndef LL_KERNEL_MOVES_H
#define LL_KERNEL_MOVES_H

#include "constants.h"

/* The moves. Include ll_ptx.h or ll_amd.h: a kernel changes vendor by its
 * #include and the targets of its plans.
 *
 * The registers of a lane are an array of LL_REGS(LAYOUT) elements, of any type
 * whose size is that of the layout's elements. Or they are an array of
 * LL_WORDS(LAYOUT, element_bits) unsigned words, each of which holds several
 * elements of 8 or 16 bits, as the operands of matrix instructions do; that
 * saves registers.
 *
 * Elements of 4 bits are pairs in bytes, of even and odd register numbers: an
 * array of LL_REGS(LAYOUT) / 2 ll_b4x2, or of LL_WORDS(LAYOUT, 4) words. In
 * memory the pairs are of columns 2j and 2j + 1, src and dst are pointers to
 * ll_b4x2, and ld, cols and the multiples that they have to be count pairs.
 * LL_LOAD and LL_STORE need a register bit that is column bit j0; LL_CONVERT
 * takes any layouts. LL_LOAD, LL_STORE, LL_CONVERT, LL_COPY and the halves of
 * conversions take elements of 4 bits. Elements of 6 bits are bytes. */

#ifdef LL_DEVICE

/* The plan of that name, for which an array of shared memory must be large
 * enough. Of a pointer, and of an array without a size, nothing is known. */
template <unsigned given_, unsigned needed_> struct ll_bytes_are_ {
    static_assert(given_ >= needed_,
                  "ll: the array of shared memory has given_ bytes below, and "
                  "needed_ are needed: LL_SMEM_BYTES of the plan");
};
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
template <class PLAN_> LL_HOST_DEVICE_ ll_within_<PLAN_, 0> ll_within_of_(...) {
    return {};
}
#define LL_MOVE_(move, PLAN, smem)                                          \
    move<ll_scope_,                                                         \
         typename decltype(ll_within_of_<LL_TYPE_(PLAN)>(smem))::type>

/* Arguments that no move takes, such as pointers in place of arrays: what a
 * call means if nothing else fits. */
#define LL_NO_MOVE_(move, text)                                             \
    template <class SCOPE_, class PLAN_> LL_DEVICE void move(...) {         \
        static_assert(sizeof(SCOPE_) == 0, "ll: " text);                    \
    }
#define LL_NO_TILE_(move, text)                                             \
    template <class SCOPE_, class LAYOUT_, unsigned HOW_>                   \
    LL_DEVICE void move(...) {                                              \
        static_assert(sizeof(SCOPE_) == 0, "ll: " text);                    \
    }

/* The last arguments of a macro, of which LL_OPTIONAL_ARG_ makes ll_no_arg_
 * where there are none: it subtracts a constant that nothing is subtracted
 * from. */
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
