/* ---- Reductions in kernels -------------------------------------------- */
#ifndef LL_KERNEL_REDUCE_H
#define LL_KERNEL_REDUCE_H

#include "convert.h"

/* Combines elements, with the words, steps and exchanges of conversions. */

#ifdef LL_DEVICE

/* The values of a lane during a reduction or a scan: N of type T. */
template <class T_, unsigned N_> struct ll_values_ {
    T_ v[N_];
};

template <class RED_> struct ll_first_of_ {
    static constexpr ll_tree value = LL_GET(RED_).first;
};

template <class RED_> struct ll_second_of_ {
    static constexpr ll_tree value = LL_GET(RED_).second;
};

/* Plans that are parts of others: the conversion between warps of a reduction
 * or a scan and, below, the two conversions of a turned scan. */
template <class PLAN_> struct ll_plan_between_ {
    LL_CONSTANT_ ll_plan get() { return LL_GET(PLAN_).between; }
};

/* Of a reduction across blocks: the conversion between blocks, and the
 * reduction that each block then executes. */
template <class RED_> struct ll_far_of_ {
    LL_CONSTANT_ ll_plan get() {
        return ll_plan_of(LL_GET(RED_).far, LL_GET(RED_).near,
                          LL_GET(RED_).element_bits, LL_GET(RED_).target);
    }
};

template <class RED_> struct ll_near_of_ {
    LL_CONSTANT_ ll_reduce_plan get() {
        return ll_reduce_of(LL_GET(RED_).near, LL_GET(RED_).axis,
                            LL_GET(RED_).element_bits, LL_GET(RED_).target);
    }
};

template <class SCAN_> struct ll_plan_there_ {
    LL_CONSTANT_ ll_plan get() { return LL_GET(SCAN_).there; }
};

template <class SCAN_> struct ll_plan_back_ {
    LL_CONSTANT_ ll_plan get() { return LL_GET(SCAN_).back; }
};

/* The register at position P of a tree; ll_result_: position of result P. */
template <class TREE_, unsigned P_> struct ll_leaf_ {
    enum : unsigned {
        reg = ll_vectors_xor_(TREE_::value.reg,
                              TREE_::value.n + TREE_::value.own, P_)
    };
};

template <class RED_, unsigned P_> struct ll_result_ {
    enum : unsigned {
        at = ll_vectors_xor_(LL_GET(RED_).reg, LL_GET(RED_).to_bits, P_)
    };
};

/* Returns the words of lane (own lane) ^ LANE. ll_values_other_ returns its
 * values. Values of fewer than 32 bits share words. */
template <class V_, unsigned LANE_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<N_> ll_exchanged_(const ll_file_<N_> &f, ll_seq_<W_...>) {
    return {{V_::template exchange<LANE_>(f.w[W_])...}};
}

template <class V_, unsigned LANE_, class T_, unsigned N_>
LL_DEVICE ll_values_<T_, N_> ll_values_other_(const ll_values_<T_, N_> &f) {
    if constexpr (LANE_ != 0) {
        typedef ll_array_<T_, N_> all;
        ll_values_<T_, N_> y = f;
        const typename all::each words = {};
        all::write(y.v,
                   ll_exchanged_<V_, LANE_>(all::read(f.v, words), words),
                   words);
        return y;
    } else {
        return f;
    }
}

template <class TREE_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)> ll_leaves_(const T_ (&a)[N_],
                                                   ll_seq_<P_...>) {
    return {{a[ll_leaf_<TREE_, P_>::reg]...}};
}

/* Combines the upper half of the values into the lower half. */
template <class T_, unsigned N_, class OP_, unsigned... P_>
LL_DEVICE ll_values_<T_, N_ / 2> ll_values_halve_(const ll_values_<T_, N_> &f,
                                                  OP_ op, ll_seq_<P_...>) {
    return {{op(f.v[P_], f.v[P_ + N_ / 2])...}};
}

/* Executes round K of a tree. */
template <class V_, class TREE_, unsigned K_, class T_, unsigned N_, class OP_,
          unsigned... P_>
LL_DEVICE ll_values_<T_, N_> ll_one_round_(const ll_values_<T_, N_> &f, OP_ op,
                                           ll_seq_<P_...>) {
    constexpr unsigned with = TREE_::value.with[K_];
    constexpr unsigned lane = TREE_::value.lane[K_];
    const ll_values_<T_, N_> other = ll_values_other_<V_, lane>(f);
    return {{op(f.v[P_], other.v[P_ ^ with])...}};
}

/* Returns the lower or the upper half of the values; ll_two_halves_: both. */
template <class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)>
ll_half_at_(const ll_values_<T_, N_> &f, bool upper, ll_seq_<P_...>) {
    return {{(upper ? f.v[P_ + N_ / 2] : f.v[P_])...}};
}

template <class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)>
ll_two_halves_(const ll_values_<T_, N_> &own, const ll_values_<T_, N_> &other,
               bool upper, ll_seq_<P_...>) {
    return {{((P_ >= N_) == upper ? own.v[P_ % N_] : other.v[P_ % N_])...}};
}

template <class T_, unsigned N_, class OP_, unsigned... P_>
LL_DEVICE ll_values_<T_, N_> ll_each_of_(const ll_values_<T_, N_> &f,
                                         const ll_values_<T_, N_> &g, OP_ op,
                                         ll_seq_<P_...>) {
    return {{op(f.v[P_], g.v[P_])...}};
}

/* Named operations. A target may have an instruction for each of them that
 * combines the words of all lanes of a warp. */
enum : unsigned {
    LL_IS_ADD_ = 1,
    LL_IS_MIN_,
    LL_IS_MAX_,
    LL_IS_AND_,
    LL_IS_OR_,
    LL_IS_XOR_
};

template <unsigned IS_> struct ll_op_number_ {};
#define LL_NAMED_OP_(is, expression)                                        \
    template <class T_>                                                     \
    LL_HOST_DEVICE_ constexpr auto ll_by_op_(ll_op_number_<is>,             \
                                             const T_ &x, const T_ &y)      \
        -> decltype((T_)(expression)) {                                     \
        return (T_)(expression);                                            \
    }
LL_NAMED_OP_(LL_IS_ADD_, x + y)
LL_NAMED_OP_(LL_IS_MIN_, y < x ? y : x)
LL_NAMED_OP_(LL_IS_MAX_, x < y ? y : x)
LL_NAMED_OP_(LL_IS_AND_, x & y)
LL_NAMED_OP_(LL_IS_OR_, x | y)
LL_NAMED_OP_(LL_IS_XOR_, x ^ y)
#undef LL_NAMED_OP_

template <unsigned IS_> struct ll_named_op_ {
    template <class T_>
    LL_HOST_DEVICE_ constexpr auto operator()(const T_ &x, const T_ &y) const
        -> decltype(ll_by_op_(ll_op_number_<IS_>(), x, y)) {
        return ll_by_op_(ll_op_number_<IS_>(), x, y);
    }
};

/* Operations of reductions and scans, such as ll_add() for LL_REDUCE. */
LL_FN ll_named_op_<LL_IS_ADD_> ll_add() { return {}; }
LL_FN ll_named_op_<LL_IS_MIN_> ll_min() { return {}; }
LL_FN ll_named_op_<LL_IS_MAX_> ll_max() { return {}; }
LL_FN ll_named_op_<LL_IS_AND_> ll_and() { return {}; }
LL_FN ll_named_op_<LL_IS_OR_> ll_or() { return {}; }
LL_FN ll_named_op_<LL_IS_XOR_> ll_xor() { return {}; }

template <class OP_> struct ll_op_of_ { enum : unsigned { is = 0 }; };
template <unsigned IS_> struct ll_op_of_<ll_named_op_<IS_>> {
    enum : unsigned { is = IS_ };
};

/* Returns whether a tree combines all 32 lanes, position by position. */
LL_FN bool ll_is_warp_wide_(const ll_tree *tree) {
    unsigned with = 0;
    for (unsigned k = 0; k < tree->lanes; ++k) {
        with |= tree->with[k];
    }
    return tree->lanes == 5u && with == 0;
}

/* Returns whether one instruction executes all rounds, of 32-bit integers. */
template <class V_, class TREE_, class T_, class OP_>
LL_FN bool ll_by_redux_() {
    return V_::reduces != 0 && ll_op_of_<OP_>::is != 0 &&
           (ll_is_same_<T_, unsigned>::value || ll_is_same_<T_, int>::value) &&
           ll_is_warp_wide_(&TREE_::value);
}

template <class V_, class OP_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, N_> ll_redux_(const ll_values_<T_, N_> &f,
                                       ll_seq_<P_...>) {
    return {{(T_)V_::template redux<ll_op_of_<OP_>::is,
                                    ll_is_same_<T_, int>::value>(
        (unsigned)f.v[P_])...}};
}

/* Returns the values in the order of the other lane of a round. */
template <unsigned WITH_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, N_> ll_turned_(const ll_values_<T_, N_> &f,
                                        ll_seq_<P_...>) {
    return {{f.v[P_ ^ (WITH_ & (N_ - 1))]...}};
}

/* Returns whether a lane keeps the upper half in split round K. */
template <class V_, class TREE_, unsigned K_> LL_DEVICE bool ll_upper_() {
    constexpr unsigned lane = TREE_::value.lane[K_];
    constexpr unsigned bit = TREE_::value.with[K_] ? 0u : lane & (~lane + 1u);
    return bit != 0 && (V_::thread() & bit) != 0;
}

/* Returns the part of the results of all positions that a lane keeps. */
template <class V_, class TREE_, unsigned K_, class T_, unsigned N_>
LL_DEVICE auto ll_kept_(const ll_values_<T_, N_> &f) {
    if constexpr (TREE_::value.alone != 0 && K_ < TREE_::value.split) {
        return ll_kept_<V_, TREE_, K_ + 1>(ll_half_at_(
            f, ll_upper_<V_, TREE_, K_>(), ll_seq_below_<N_ / 2>()));
    } else {
        return f;
    }
}

/* Combines halves HALVES times, then executes the rounds from K on. In a split
 * round, both lanes keep the lower half, or a lane bit selects it. */
template <class V_, class TREE_, unsigned HALVES_, unsigned K_, class T_,
          unsigned N_, class OP_>
LL_DEVICE auto ll_values_rounds_(const ll_values_<T_, N_> &f, OP_ op) {
    if constexpr (HALVES_ != 0) {
        return ll_values_rounds_<V_, TREE_, HALVES_ - 1, K_>(
            ll_values_halve_(f, op, ll_seq_below_<N_ / 2>()), op);
    } else if constexpr (K_ == 0 && ll_by_redux_<V_, TREE_, T_, OP_>()) {
        return ll_kept_<V_, TREE_, 0>(
            ll_redux_<V_, OP_>(f, ll_seq_below_<N_>()));
    } else if constexpr (K_ < TREE_::value.split) {
        constexpr unsigned with = TREE_::value.with[K_];
        constexpr unsigned lane = TREE_::value.lane[K_];
        const ll_seq_below_<N_ / 2> half;
        const bool upper = ll_upper_<V_, TREE_, K_>();
        const auto sent = ll_turned_<with>(
            ll_values_other_<V_, lane>(ll_half_at_(f, !upper, half)), half);
        const auto own = ll_values_rounds_<V_, TREE_, 0, K_ + 1>(
            ll_each_of_(ll_half_at_(f, upper, half), sent, op, half), op);
        if constexpr (TREE_::value.alone != 0) {
            return own;
        } else {
            return ll_two_halves_(
                own, ll_turned_<with>(ll_values_other_<V_, lane>(own), half),
                upper, ll_seq_below_<N_>());
        }
    } else if constexpr (K_ < TREE_::value.lanes) {
        return ll_values_rounds_<V_, TREE_, 0, K_ + 1>(
            ll_one_round_<V_, TREE_, K_>(f, op, ll_seq_below_<N_>()), op);
    } else {
        return f;
    }
}

template <class V_, class TREE_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_array_combine_(const T_ (&a)[N_], OP_ op) {
    return ll_values_rounds_<V_, TREE_, TREE_::value.own, 0>(
        ll_leaves_<TREE_>(
            a, ll_seq_below_<(1u << (TREE_::value.n + TREE_::value.own))>()),
        op);
}

template <class RED_, class T_, unsigned N_, unsigned M_, unsigned... R_>
LL_DEVICE void ll_values_hand_out_(T_ (&b)[M_], const ll_values_<T_, N_> &f,
                                   ll_seq_<R_...>) {
    ((b[R_] = f.v[ll_result_<RED_, R_>::at]), ...);
}

/* Executes the barrier between two halves, if data crosses warps. */
template <class V_, class PLAN_> LL_DEVICE void ll_barrier_between_() {
    if constexpr (LL_GET(PLAN_).crosses != 0) {
        ll_barrier_wait_<V_, LL_GET(PLAN_).between.step[2].op>();
    }
}

/* Reduces within each warp and, if the plan crosses warps, stores the results.
 * After the barrier, ll_reduce_between_ reduces across warps. */
template <class V_, class RED_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_reduce_first_(const T_ (&a)[N_], unsigned smem, OP_ op) {
    const auto f = ll_array_combine_<V_, ll_first_of_<RED_>>(a, op);
    if constexpr (LL_GET(RED_).crosses != 0) {
        ll_store_half_<V_, ll_plan_between_<RED_>>(f.v, smem);
    }
    return f;
}

template <class V_, class RED_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_reduce_between_(const ll_values_<T_, N_> &f, unsigned smem,
                                  OP_ op) {
    if constexpr (LL_GET(RED_).crosses != 0) {
        ll_values_<T_, 1u << LL_GET(RED_).between.to_bits> all;
        ll_load_half_<V_, ll_plan_between_<RED_>>(all.v, smem);
        return ll_array_combine_<V_, ll_second_of_<RED_>>(all.v, op);
    } else {
        return f;
    }
}

/* Combines the results of the blocks of a cluster. */
template <class V_, class RED_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_reduce_far_(const ll_values_<T_, N_> &f, unsigned smem,
                              OP_ op) {
    if constexpr (LL_GET(RED_).reaches != 0) {
        typedef ll_near_of_<RED_> near;
        ll_values_<T_, 1u << LL_GET(near).from_bits> all;
        ll_convert_by_<V_, ll_far_of_<RED_>>(all.v, f.v, V_::thread(),
                                             smem + LL_GET(RED_).far_at);
        const unsigned at = smem + LL_GET(RED_).near_at;
        const auto g = ll_reduce_first_<V_, near>(all.v, at, op);
        ll_barrier_between_<V_, near>();
        const auto h = ll_reduce_between_<V_, near>(g, at, op);
        ll_values_<T_, N_> result;
        ll_values_hand_out_<near>(result.v, h, ll_seq_below_<N_>());
        return result;
    } else {
        return f;
    }
}

template <class V_, class RED_, class T_, unsigned N_, unsigned M_, class OP_>
LL_DEVICE void ll_reduce_second_(T_ (&b)[M_], const ll_values_<T_, N_> &f,
                                 unsigned smem, OP_ op) {
    ll_values_hand_out_<RED_>(
        b,
        ll_reduce_far_<V_, RED_>(ll_reduce_between_<V_, RED_>(f, smem, op),
                                 smem, op),
        ll_seq_below_<M_>());
}

/* Whether OP takes two elements of T and returns what converts to R. */
template <class R_> LL_HOST_DEVICE_ void ll_converts_to_(R_) {}
template <class OP_, class T_, class R_> struct ll_combines_ {
    template <class F_, class = decltype(ll_converts_to_<R_>((*(F_ *)0)(
                            *(const T_ *)0, *(const T_ *)0)))>
    LL_HOST_DEVICE_ static char test(int);
    template <class F_> LL_HOST_DEVICE_ static long test(long);
    enum : bool { value = sizeof(test<OP_>(0)) == 1 };
};
template <class OP_, class T_> LL_FN bool ll_is_op_() {
    typedef ll_combines_<OP_, T_, T_> combines;
    static_assert(combines::value,
                  "ll: the operation after smem must be a function of two "
                  "elements of the arrays' type that returns one, or ll_add(), "
                  "ll_min() and so on, with their parentheses");
    return combines::value;
}

/* Asserts that RED is a reduction without an error, of elements of T, from N
 * registers to M, and returns whether it is. Zeros are not checked. */
template <class RED_, class T_, unsigned N_, unsigned M_>
LL_FN bool ll_reduces_() {
    LL_WANTS_CONSTANT_(RED_, ll_reduce_plan,
                       "LL_REDUCE takes the name of a plan of LL_REDUCE_PLAN");
    if constexpr (ll_constant_is_good_<RED_, ll_reduce_plan>()) {
        constexpr unsigned from = 1u << LL_GET(RED_).from_bits;
        constexpr unsigned to = 1u << LL_GET(RED_).to_bits;
        constexpr bool bits =
            ll_bits_are_<8 * sizeof(T_), LL_GET(RED_).element_bits>();
        constexpr bool taken = ll_regs_are_<N_ ? N_ : from, from>();
        constexpr bool given = ll_regs_are_<M_ ? M_ : to, to>();
        return bits && taken && given;
    } else {
        return false;
    }
}

template <class VENDOR_, class RED_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_reduce_store_(const T_ (&a)[N_], unsigned smem, OP_ op) {
    if constexpr (ll_reduces_<RED_, T_, N_, 0>()) {
        typedef ll_moves_<VENDOR_, LL_GET(RED_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(RED_).threads, LL_GET(RED_).lanes);
        if constexpr (ll_is_op_<OP_, T_>()) {
            return ll_reduce_first_<moves, RED_>(a, smem, op);
        } else {
            return ll_values_<T_, 1>{{a[0]}};
        }
    } else {
        return ll_values_<T_, 1>{{a[0]}};
    }
}

template <class VENDOR_, class RED_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_reduce_load_(T_ (&b)[M_], const ll_values_<T_, N_> &f,
                               unsigned smem, OP_ op) {
    if constexpr (ll_reduces_<RED_, T_, 0, M_>() && ll_is_op_<OP_, T_>()) {
        ll_reduce_second_<ll_moves_<VENDOR_, LL_GET(RED_).lanes>, RED_>(
            b, f, smem, op);
    }
}

template <class VENDOR_, class RED_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_reduce_array_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                                OP_ op) {
    if constexpr (ll_reduces_<RED_, T_, N_, M_>() && ll_is_op_<OP_, T_>()) {
        typedef ll_moves_<VENDOR_, LL_GET(RED_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(RED_).threads, LL_GET(RED_).lanes);
        const auto f = ll_reduce_first_<moves, RED_>(a, smem, op);
        ll_barrier_between_<moves, RED_>();
        ll_reduce_second_<moves, RED_>(b, f, smem, op);
    }
}

/* For register R of the layout: the register with its line's result. */
template <class RED_, unsigned R_> struct ll_line_of_ {
    enum : unsigned { at = ll_bits_close_(R_, ~LL_GET(RED_).kept) };
};

template <class RED_, class T_, class U_, unsigned N_, unsigned M_,
          unsigned... R_>
LL_DEVICE void ll_spread_all_(U_ (&c)[N_], const T_ (&b)[M_],
                              ll_seq_<R_...>) {
    ((c[R_] = b[ll_line_of_<RED_, R_>::at]), ...);
}

template <class RED_, class T_, class U_, unsigned N_, unsigned M_>
LL_DEVICE void ll_array_spread_(U_ (&c)[N_], const T_ (&b)[M_]) {
    LL_WANTS_CONSTANT_(RED_, ll_reduce_plan,
                       "LL_SPREAD takes the name of a plan of LL_REDUCE_PLAN");
    if constexpr (ll_constant_is_good_<RED_, ll_reduce_plan>()) {
        if constexpr (ll_regs_are_<N_, 1u << LL_GET(RED_).from_bits>() &
                      ll_regs_are_<M_, 1u << LL_GET(RED_).to_bits>()) {
            ll_spread_all_<RED_>(c, b, ll_seq_below_<N_>());
        }
    }
}

template <class VENDOR_, class RED_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_reduce_each_(T_ (&c)[M_], const T_ (&a)[N_], unsigned smem,
                               OP_ op) {
    if constexpr (ll_reduces_<RED_, T_, N_, 0>()) {
        T_ b[1u << LL_GET(RED_).to_bits];
        ll_reduce_array_<VENDOR_, RED_>(b, a, smem, op);
        ll_array_spread_<RED_>(c, b);
    }
}

LL_NO_MOVE_(ll_reduce_array_,
            "LL_REDUCE(b, a, PLAN, smem, op): b and a must be arrays "
            "of one type, not pointers, and op an operation")
LL_NO_MOVE_(ll_reduce_each_, "LL_REDUCE_EACH(c, a, PLAN, smem, op): c and a "
            "must be arrays of one type, not pointers, and op an operation")

/* LL_REDUCE(b, a, REDUCTION, smem, op): combines registers a, in the
 * reduction's layout, along the axis into registers b, in the layout that
 * ll_reduce returns. smem is as for LL_CONVERT. If the axis is distributed over
 * the layout's `block` (sm_90), the whole cluster takes part, as in LL_CONVERT.
 *
 * a, b and op have one element type. It may be a struct of up to 16 bytes, so
 * that one pass combines a maximum and the sum of exponentials relative to it,
 * a mean and its moments, or a value and its index.
 *
 * op(x, y) is a function of two elements, such as a lambda. ll_add(), ll_min(),
 * ll_max(), ll_and(), ll_or() and ll_xor() are operations. For int and unsigned
 * they combine the lanes of a warp by one instruction if the target has it
 * (sm_80 and later). Which operand is x is not specified: if op(x, y) and op(y,
 * x) have the same bits, so have all copies of a result. No identity element is
 * padded in, so the sum of -0.0 is -0.0, and op alone decides how it treats a
 * NaN.
 *
 * LL_REDUCE_EACH(c, a, REDUCTION, smem, op) also broadcasts the results back to
 * the elements: c[r] is the result of the line of a[r], as softmax needs it.
 * LL_SPREAD(c, b, REDUCTION) is this second part alone, for values computed
 * from the results b of LL_REDUCE. It moves no data between lanes.
 *
 * Reductions, scans and gathers also have halves. The first half stores to smem
 * and returns the state that it keeps in registers. The second half continues
 * after a barrier that the caller provides. Other work fits between them:
 *
 *     const auto state = LL_REDUCE_STORE(a, REDUCTION, smem, op);
 *     ..
 *     LL_SYNC();
 *     LL_REDUCE_LOAD(b, state, REDUCTION, smem, op); */
#define LL_REDUCE(b, a, REDUCTION, smem, ...)                               \
    LL_MOVE_(ll_reduce_array_, REDUCTION, smem)(                            \
        b, a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_REDUCE_EACH(c, a, REDUCTION, smem, ...)                          \
    LL_MOVE_(ll_reduce_each_, REDUCTION, smem)(                             \
        c, a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_SPREAD(c, b, REDUCTION) ll_array_spread_<LL_TYPE_(REDUCTION)>(c, b)
#define LL_REDUCE_STORE(a, REDUCTION, smem, ...)                            \
    LL_MOVE_(ll_reduce_store_, REDUCTION, smem)(                            \
        a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_REDUCE_LOAD(b, state, REDUCTION, smem, ...)                      \
    LL_MOVE_(ll_reduce_load_, REDUCTION, smem)(                             \
        b, state, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))

#endif

#endif
