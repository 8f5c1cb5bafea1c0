/* ---- Scans in kernels ------------------------------------------------- */
#ifndef LL_KERNEL_SCAN_H
#define LL_KERNEL_SCAN_H

#include "reduce.h"

#ifdef LL_DEVICE

/* The map of a scan from the thread number to the coordinate along the axis. */
template <class SCAN_> struct ll_scan_map_ {
    LL_CONSTANT_ ll_map map() { return LL_GET(SCAN_).thread; }
};

template <class SCAN_, unsigned K_> struct ll_level_of_ {
    enum : unsigned {
        with = LL_GET(SCAN_).level[K_].with,
        lane = LL_GET(SCAN_).level[K_].lane,
        gone = LL_GET(SCAN_).level[K_].gone,
        above =
            LL_GET(SCAN_).level[K_ < LL_GET(SCAN_).levels ? K_ + 1 : K_].gone,
        size = 1u << (LL_GET(SCAN_).n - ll_popcount_(gone)),
        size_above = 1u << (LL_GET(SCAN_).n - ll_popcount_(above))
    };
};

/* Position P of level K. x: its coordinate along the axis. sibling: its
 * sibling. up: the position of the next level that covers it. down: the first
 * position that position P of the next level covers. line: its line. */
template <class SCAN_, unsigned K_, unsigned P_> struct ll_spot_of_ {
    typedef ll_level_of_<SCAN_, K_> level;
    enum : unsigned {
        open = ll_bits_open_(P_, level::gone),
        x = ll_vectors_xor_(LL_GET(SCAN_).x, LL_GET(SCAN_).n, open),
        sibling = ll_bits_close_(open ^ (level::with + 0u), level::gone),
        up = ll_bits_close_(open & (level::above & ~level::gone) + 0u
                                ? open ^ (level::with + 0u)
                                : open + 0u,
                            level::above),
        down = ll_bits_close_(ll_bits_open_(P_, level::above), level::gone),
        line = ll_vectors_xor_(LL_GET(SCAN_).line, LL_GET(SCAN_).n, P_)
    };
};

/* The position of register R, and its coordinate along the axis. */
template <class SCAN_, unsigned R_> struct ll_scanned_ {
    enum : unsigned {
        at = ll_vectors_xor_(LL_GET(SCAN_).at, LL_GET(SCAN_).bits, R_),
        x = ll_vectors_xor_(LL_GET(SCAN_).x, LL_GET(SCAN_).n, at)
    };
};

template <class SCAN_, unsigned P_> struct ll_scan_leaf_ {
    enum : unsigned {
        reg = ll_vectors_xor_(LL_GET(SCAN_).reg, LL_GET(SCAN_).n, P_)
    };
};

template <class SCAN_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)> ll_scan_in_(const T_ (&a)[N_],
                                                    ll_seq_<P_...>) {
    return {{a[ll_scan_leaf_<SCAN_, P_>::reg]...}};
}

/* Returns the totals of the siblings of positions P. */
template <class V_, class SCAN_, unsigned K_, class T_, unsigned N_,
          unsigned... P_>
LL_DEVICE ll_values_<T_, N_> ll_siblings_(const ll_values_<T_, N_> &f,
                                          ll_seq_<P_...>) {
    constexpr unsigned lane = ll_level_of_<SCAN_, K_>::lane;
    const ll_values_<T_, N_> other = ll_values_other_<V_, lane>(f);
    return {{other.v[ll_spot_of_<SCAN_, K_, P_>::sibling]...}};
}

/* Combines two totals in their order along the axis. */
template <class T_, class OP_>
LL_DEVICE T_ ll_in_order_(const T_ &x, const T_ &y, unsigned swap, OP_ op) {
    return op(swap ? y : x, swap ? x : y);
}

template <class SCAN_, unsigned K_, class T_, unsigned N_, class OP_,
          unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)>
ll_totals_(const ll_values_<T_, N_> &f, const ll_values_<T_, N_> &sibling,
           unsigned x, OP_ op, ll_seq_<P_...>) {
    return {{ll_in_order_(
        f.v[ll_spot_of_<SCAN_, K_, P_>::down],
        sibling.v[ll_spot_of_<SCAN_, K_, P_>::down],
        (x ^ ll_spot_of_<SCAN_, K_, ll_spot_of_<SCAN_, K_, P_>::down>::x) >>
                K_ &
            1u,
        op)...}};
}

/* Returns the prefix before a total of level K: the prefix before the total
 * above it, followed by the sibling's total if the sibling comes first. MORE:
 * the axis has bits above K. The value is arbitrary if nothing comes before. */
template <bool MORE_, unsigned K_, class T_, class OP_>
LL_DEVICE T_ ll_before_(const T_ &above, const T_ &sibling, unsigned x,
                        OP_ op) {
    T_ lower = sibling;
    if constexpr (MORE_) {
        const T_ both = op(above, sibling);
        lower = x >> K_ > 1u ? both : sibling;
    }
    return x >> K_ & 1u ? lower : above;
}

template <class SCAN_, unsigned K_, class T_, unsigned N_, unsigned M_,
          class OP_, unsigned... P_>
LL_DEVICE ll_values_<T_, N_>
ll_befores_(const ll_values_<T_, M_> &above, const ll_values_<T_, N_> &sibling,
            unsigned x, OP_ op, ll_seq_<P_...>) {
    constexpr bool more = K_ + 1 < LL_GET(SCAN_).axis;
    return {{ll_before_<more, K_>(above.v[ll_spot_of_<SCAN_, K_, P_>::up],
                                  sibling.v[P_],
                                  x ^ ll_spot_of_<SCAN_, K_, P_>::x, op)...}};
}

/* Combines the totals of N lines, from number J on: ll_next_sum_ adds the next
 * total of each line. Position P, at coordinate x, takes the totals before
 * it. */
template <unsigned J_, class T_, unsigned N_, unsigned M_, class OP_,
          unsigned... Z_>
LL_DEVICE ll_values_<T_, N_>
ll_next_sum_(const ll_values_<T_, N_> &sum, const ll_values_<T_, M_> &all,
             OP_ op, ll_seq_<Z_...>) {
    return {{op(sum.v[Z_], all.v[J_ * N_ + Z_])...}};
}

template <class SCAN_, unsigned J_, class T_, unsigned N_, unsigned M_,
          unsigned... P_>
LL_DEVICE ll_values_<T_, M_> ll_take_sum_(const ll_values_<T_, N_> &sum,
                                          const ll_values_<T_, M_> &before,
                                          unsigned x, ll_seq_<P_...>) {
    constexpr unsigned k = LL_GET(SCAN_).levels;
    return {{((x ^ ll_spot_of_<SCAN_, k, P_>::x) >> k > J_
                  ? sum.v[ll_spot_of_<SCAN_, k, P_>::line]
                  : before.v[P_])...}};
}

template <class SCAN_, unsigned J_, class T_, unsigned N_, unsigned A_,
          unsigned M_, class OP_>
LL_DEVICE ll_values_<T_, M_>
ll_sum_lines_(const ll_values_<T_, N_> &sum, const ll_values_<T_, A_> &all,
              const ll_values_<T_, M_> &before, unsigned x, OP_ op) {
    if constexpr (J_ < (1u << LL_GET(SCAN_).crosses) - 1u) {
        const auto more = ll_next_sum_<J_>(sum, all, op, ll_seq_below_<N_>());
        return ll_sum_lines_<SCAN_, J_ + 1>(
            more, all,
            ll_take_sum_<SCAN_, J_>(more, before, x, ll_seq_below_<M_>()), x,
            op);
    } else {
        return before;
    }
}

/* Returns each line's first total; ll_of_lines_: a value per position. */
template <class T_, unsigned A_, unsigned... Z_>
LL_DEVICE ll_values_<T_, sizeof...(Z_)>
ll_lowest_lines_(const ll_values_<T_, A_> &all, ll_seq_<Z_...>) {
    return {{all.v[Z_]...}};
}

template <class SCAN_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)>
ll_of_lines_(const ll_values_<T_, N_> &sum, ll_seq_<P_...>) {
    constexpr unsigned k = LL_GET(SCAN_).levels;
    return {{sum.v[ll_spot_of_<SCAN_, k, P_>::line]...}};
}

/* The siblings' totals of a level and those above; then the last totals. */
template <class SIBLING_, class ABOVE_> struct ll_climbed_ {
    SIBLING_ sibling;
    ABOVE_ above;
};

/* Computes the totals from level K up. If warps share a line, the totals of the
 * last level are stored to shared memory, for the warps after this one. */
template <class V_, class SCAN_, unsigned K_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_climb_(const ll_values_<T_, N_> &f, unsigned x,
                         unsigned smem, OP_ op) {
    if constexpr (K_ < LL_GET(SCAN_).levels) {
        const auto sibling =
            ll_siblings_<V_, SCAN_, K_>(f, ll_seq_below_<N_>());
        auto above = ll_climb_<V_, SCAN_, K_ + 1>(
            ll_totals_<SCAN_, K_>(
                f, sibling, x, op,
                ll_seq_below_<ll_level_of_<SCAN_, K_>::size_above>()),
            x, smem, op);
        return ll_climbed_<ll_values_<T_, N_>, decltype(above)>{sibling,
                                                                above};
    } else {
        if constexpr (LL_GET(SCAN_).crosses != 0) {
            ll_store_half_<V_, ll_plan_between_<SCAN_>>(f.v, smem);
        }
        return f;
    }
}

/* Returns the prefix before each total of level K. After the levels of a warp,
 * it combines the totals of the warps before it. */
template <class V_, class SCAN_, unsigned K_, class T_, unsigned N_, class OP_>
LL_DEVICE ll_values_<T_, N_> ll_descend_(const ll_values_<T_, N_> &f,
                                         unsigned x, unsigned smem, OP_ op) {
    if constexpr (LL_GET(SCAN_).crosses != 0) {
        ll_values_<T_, 1u << LL_GET(SCAN_).between.to_bits> all;
        ll_load_half_<V_, ll_plan_between_<SCAN_>>(all.v, smem);
        const auto sum =
            ll_lowest_lines_(all, ll_seq_below_<(1u << LL_GET(SCAN_).lines)>());
        return ll_sum_lines_<SCAN_, 1>(
            sum, all, ll_of_lines_<SCAN_>(sum, ll_seq_below_<N_>()), x, op);
    } else {
        return f;
    }
}

template <class V_, class SCAN_, unsigned K_, class T_, unsigned N_,
          class ABOVE_, class OP_>
LL_DEVICE ll_values_<T_, N_>
ll_descend_(const ll_climbed_<ll_values_<T_, N_>, ABOVE_> &f, unsigned x,
            unsigned smem, OP_ op) {
    return ll_befores_<SCAN_, K_>(
        ll_descend_<V_, SCAN_, K_ + 1>(f.above, x, smem, op), f.sibling, x, op,
        ll_seq_below_<N_>());
}

/* What a scan writes for an element. Inclusive: the prefix combined with the
 * element. Exclusive: the prefix, or `first` without one. */
template <class OP_> struct ll_scan_with_own_ {
    OP_ op;
    template <class T_>
    LL_DEVICE T_ of(const ll_scan_with_own_ &s, const T_ &before, const T_ &own,
                    bool any) {
        const T_ both = s.op(before, own);
        return any ? both : own;
    }
};

template <class T_> struct ll_scan_without_own_ {
    T_ first;
    LL_DEVICE T_ of(const ll_scan_without_own_ &s, const T_ &before, const T_ &,
                    bool any) {
        return any ? before : s.first;
    }
};

template <class SCAN_, class END_, class T_, unsigned N_, unsigned M_,
          unsigned... R_>
LL_DEVICE void ll_scan_out_(T_ (&b)[M_], const ll_values_<T_, N_> &f,
                            const ll_values_<T_, N_> &own, unsigned x,
                            const END_ &end, ll_seq_<R_...>) {
    ((b[R_] = END_::of(end, f.v[ll_scanned_<SCAN_, R_>::at],
                       own.v[ll_scanned_<SCAN_, R_>::at],
                       x != (ll_scanned_<SCAN_, R_>::x + 0u))),
     ...);
}

/* The halves of a scan. The state between them is an ll_climbed_. */
template <class V_, class SCAN_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_scan_first_(const T_ (&a)[N_], unsigned smem, OP_ op) {
    auto own = ll_scan_in_<SCAN_>(a, ll_seq_below_<(1u << LL_GET(SCAN_).n)>());
    auto above = ll_climb_<V_, SCAN_, 0>(
        own, ll_thread_at_<ll_scan_map_<SCAN_>>(V_::thread()), smem, op);
    return ll_climbed_<decltype(own), decltype(above)>{own, above};
}

template <class V_, class SCAN_, class T_, unsigned M_, class STATE_,
          class OP_, class END_>
LL_DEVICE void ll_scan_second_(T_ (&b)[M_], const STATE_ &state, unsigned smem,
                               OP_ op, const END_ &end) {
    const unsigned x = ll_thread_at_<ll_scan_map_<SCAN_>>(V_::thread());
    ll_scan_out_<SCAN_>(b, ll_descend_<V_, SCAN_, 0>(state.above, x, smem, op),
                        state.sibling, x, end, ll_seq_below_<M_>());
}

template <class V_, class SCAN_, class T_, unsigned N_, unsigned M_, class OP_,
          class END_>
LL_DEVICE void ll_scan_here_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                             OP_ op, const END_ &end) {
    const auto state = ll_scan_first_<V_, SCAN_>(a, smem, op);
    ll_barrier_between_<V_, SCAN_>();
    ll_scan_second_<V_, SCAN_>(b, state, smem, op, end);
}

/* A turned scan reuses shared memory only after all warps have read it. */
template <class V_, class SCAN_, class T_, unsigned N_, unsigned M_, class OP_,
          class END_>
LL_DEVICE void ll_scan_by_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                           OP_ op, const END_ &end) {
    if constexpr (LL_GET(SCAN_).turned != 0) {
        ll_values_<T_, 1u << LL_GET(SCAN_).bits> from, to;
        ll_convert_by_<V_, ll_plan_there_<SCAN_>>(from.v, a, V_::thread(),
                                                  smem);
        V_::wait_block();
        ll_scan_here_<V_, SCAN_>(to.v, from.v, smem, op, end);
        if constexpr (LL_GET(SCAN_).crosses != 0) {
            V_::wait_block();
        }
        ll_convert_by_<V_, ll_plan_back_<SCAN_>>(b, to.v, V_::thread(), smem);
    } else {
        ll_scan_here_<V_, SCAN_>(b, a, smem, op, end);
    }
}

template <class VENDOR_, class SCAN_, class T_, unsigned N_, unsigned M_,
          class OP_, class END_>
LL_DEVICE void ll_scan_checked_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                                OP_ op, const END_ &end) {
    LL_WANTS_CONSTANT_(SCAN_, ll_scan_plan,
                       "LL_SCAN takes the name of a plan of LL_SCAN_PLAN");
    if constexpr (ll_constant_is_good_<SCAN_, ll_scan_plan>()) {
        constexpr unsigned regs = 1u << LL_GET(SCAN_).from_bits;
        constexpr bool typed =
            ll_bits_are_<8 * sizeof(T_), LL_GET(SCAN_).element_bits>();
        constexpr bool sized =
            ll_regs_are_<N_, regs>() & ll_regs_are_<M_, regs>();
        typedef ll_moves_<VENDOR_, LL_GET(SCAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(SCAN_).threads, LL_GET(SCAN_).lanes);
        if constexpr (typed && sized && ll_is_op_<OP_, T_>()) {
            ll_scan_by_<moves, SCAN_>(b, a, smem, op, end);
        }
    }
}

/* Returns whether a scan has halves, and asserts it: a turned scan has none. */
template <class SCAN_> LL_FN bool ll_scans_in_halves_() {
    LL_WANTS_CONSTANT_(
        SCAN_, ll_scan_plan,
        "LL_SCAN_STORE and LL_SCAN_LOAD take the name of a plan of "
        "LL_SCAN_PLAN");
    if constexpr (ll_constant_is_good_<SCAN_, ll_scan_plan>()) {
        static_assert(LL_GET(SCAN_).turned == 0,
                      "ll: LL_SCAN_STORE: this plan scans in another layout, "
                      "with several barriers: use LL_SCAN");
        constexpr bool whole = LL_GET(SCAN_).turned == 0;
        return whole;
    } else {
        return false;
    }
}

template <class VENDOR_, class SCAN_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_scan_store_(const T_ (&a)[N_], unsigned smem, OP_ op) {
    if constexpr (ll_scans_in_halves_<SCAN_>()) {
        constexpr bool fits =
            ll_bits_are_<8 * sizeof(T_), LL_GET(SCAN_).element_bits>() &
            ll_regs_are_<N_, 1u << LL_GET(SCAN_).from_bits>();
        typedef ll_moves_<VENDOR_, LL_GET(SCAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(SCAN_).threads, LL_GET(SCAN_).lanes);
        if constexpr (fits && ll_is_op_<OP_, T_>()) {
            return ll_scan_first_<moves, SCAN_>(a, smem, op);
        } else {
            return ll_no_arg_();
        }
    } else {
        return ll_no_arg_();
    }
}

template <class VENDOR_, class SCAN_, class T_, unsigned M_, class STATE_,
          class OP_, class END_>
LL_DEVICE void ll_scan_load_to_(T_ (&b)[M_], const STATE_ &state,
                                unsigned smem, OP_ op, const END_ &end) {
    constexpr bool told = ll_is_same_<STATE_, ll_no_arg_>::value;
    if constexpr (ll_scans_in_halves_<SCAN_>() && !told) {
        ll_scan_second_<ll_moves_<VENDOR_, LL_GET(SCAN_).lanes>, SCAN_>(
            b, state, smem, op, end);
    }
}

template <class VENDOR_, class SCAN_, class T_, unsigned M_, class STATE_,
          class OP_>
LL_DEVICE void ll_scan_load_(T_ (&b)[M_], const STATE_ &state, unsigned smem,
                             OP_ op) {
    const ll_scan_with_own_<OP_> end = {op};
    ll_scan_load_to_<VENDOR_, SCAN_>(b, state, smem, op, end);
}

template <class T_> struct ll_scan_just_ {
    typedef T_ type;
};
template <class VENDOR_, class SCAN_, class T_, unsigned M_, class STATE_,
          class OP_>
LL_DEVICE void ll_scan_load_before_(T_ (&b)[M_], const STATE_ &state,
                                    unsigned smem, OP_ op,
                                    typename ll_scan_just_<T_>::type first) {
    const ll_scan_without_own_<T_> end = {first};
    ll_scan_load_to_<VENDOR_, SCAN_>(b, state, smem, op, end);
}

template <class VENDOR_, class SCAN_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_scan_array_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                        OP_ op) {
    const ll_scan_with_own_<OP_> end = {op};
    ll_scan_checked_<VENDOR_, SCAN_>(b, a, smem, op, end);
}

template <class VENDOR_, class SCAN_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_scan_before_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                               OP_ op, typename ll_scan_just_<T_>::type first) {
    const ll_scan_without_own_<T_> end = {first};
    ll_scan_checked_<VENDOR_, SCAN_>(b, a, smem, op, end);
}

LL_NO_MOVE_(ll_scan_array_,
            "LL_SCAN(b, a, PLAN, smem, op): b and a must be arrays of "
            "one type, not pointers, and op an operation")
LL_NO_MOVE_(ll_scan_before_,
            "LL_SCAN_BEFORE(b, a, PLAN, smem, op, first): b "
            "and a must be arrays of one type, not pointers, op an operation "
            "and first an element")

/* LL_SCAN(b, a, SCAN, smem, op): an inclusive scan. It combines each element of
 * registers a with all elements before it along the axis, into registers b. In
 * op(x, y), x comes before y.
 *
 * LL_SCAN_BEFORE(b, a, SCAN, smem, op, first): an exclusive scan. It combines
 * only the elements before each element, or writes `first` if there are none.
 *
 * op must have no side effects, since some of its results are not used. No
 * identity element is padded in, so the sum of -0.0 is -0.0, and op alone
 * decides how it treats a NaN. smem is as for LL_CONVERT.
 *
 * The halves are LL_SCAN_STORE(a, SCAN, smem, op), which returns a state, and
 * LL_SCAN_LOAD(b, state, SCAN, smem, op) or LL_SCAN_LOAD_BEFORE(b, state, SCAN,
 * smem, op, first). The caller provides the barrier between them. */
#define LL_SCAN(b, a, SCAN, smem, ...)                                      \
    LL_MOVE_(ll_scan_array_, SCAN, smem)(                                   \
        b, a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_SCAN_BEFORE(b, a, SCAN, smem, ...)                               \
    LL_MOVE_(ll_scan_before_, SCAN, smem)(                                  \
        b, a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_SCAN_STORE(a, SCAN, smem, ...)                                   \
    LL_MOVE_(ll_scan_store_, SCAN, smem)(                                   \
        a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_SCAN_LOAD(b, state, SCAN, smem, ...)                             \
    LL_MOVE_(ll_scan_load_, SCAN, smem)(                                    \
        b, state, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_SCAN_LOAD_BEFORE(b, state, SCAN, smem, ...)                      \
    LL_MOVE_(ll_scan_load_before_, SCAN, smem)(                             \
        b, state, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))

#endif

#endif
