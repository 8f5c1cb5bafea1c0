/* ---- Sorts in kernels ------------------------------------------------- */
#ifndef LL_SORT_MOVES_H
#define LL_SORT_MOVES_H

#include "../kernel/scan.h"
#include "plan.h"

#ifdef LL_SORTS
#ifdef LL_DEVICE

/* A key with its value, and the two orders of keys. */
template <class K_, class V_> struct ll_keyed {
    K_ key;
    V_ value;
};

template <unsigned DOWN_> struct ll_key_order_ {};
LL_FN ll_key_order_<0> ll_up() { return {}; }
LL_FN ll_key_order_<1> ll_down() { return {}; }

/* Whether T is an integer. Another type is a number if it converts to float. */
template <class T_> struct ll_is_whole_ { enum : bool { value = false }; };
#define LL_WHOLE_(type)                                                     \
    template <> struct ll_is_whole_<type> { enum : bool { value = true }; };
LL_WHOLE_(bool)
LL_WHOLE_(char)
LL_WHOLE_(signed char)
LL_WHOLE_(unsigned char)
LL_WHOLE_(short)
LL_WHOLE_(unsigned short)
LL_WHOLE_(int)
LL_WHOLE_(unsigned)
LL_WHOLE_(long)
LL_WHOLE_(unsigned long)
LL_WHOLE_(long long)
LL_WHOLE_(unsigned long long)
#undef LL_WHOLE_

template <unsigned BYTES_> struct ll_whole_of_ { typedef void type; };
template <> struct ll_whole_of_<1> { typedef signed char type; };
template <> struct ll_whole_of_<2> { typedef short type; };
template <> struct ll_whole_of_<4> { typedef int type; };
template <> struct ll_whole_of_<8> { typedef long long type; };

/* Whether a T converts to float. Overload resolution picks one of two
 * functions, which return types of different sizes. */
template <class T_> struct ll_is_number_ {
    template <class U_, class = decltype((float)*(U_ *)0)>
    LL_HOST_DEVICE_ static char test(int);
    template <class U_> LL_HOST_DEVICE_ static long test(long);
    enum : bool { value = sizeof(test<T_>(0)) == 1 && !__is_enum(T_) };
};

/* Maps keys to integers of the same order. A floating-point number is a sign
 * and a magnitude. If the sign is set, the bits of the magnitude are inverted;
 * a second inversion restores the number. */
template <class K_, bool WHOLE_ = ll_is_whole_<K_>::value>
struct ll_sort_code_ {
    typedef typename ll_whole_of_<sizeof(K_)>::type type;
    static_assert(ll_is_number_<K_>::value,
                  "ll: LL_SORT: ll_up and ll_down order integers, "
                  "floating-point numbers, and ll_keyed with such a key; "
                  "for other types give a function that says whether x comes "
                  "before y");
    LL_DEVICE type turned(type x) {
        constexpr unsigned high = 8u * sizeof(type) - 1u;
        return (type)(x ^ ((x >> high) & (type)~((type)1 << high)));
    }
    LL_DEVICE type of(const K_ &key) {
        type x = 0;
        LL_MEMCPY_(&x, &key, sizeof x);
        return turned(x);
    }
    LL_DEVICE K_ back(const type &code) {
        const type x = turned(code);
        K_ key;
        LL_MEMCPY_((void *)&key, &x, sizeof x);
        return key;
    }
};

template <class K_> struct ll_sort_code_<K_, true> {
    typedef K_ type;
    LL_DEVICE type of(const K_ &key) { return key; }
    LL_DEVICE K_ back(const type &code) { return code; }
};

template <class K_, class W_> struct ll_sort_code_<ll_keyed<K_, W_>, false> {
    typedef ll_keyed<typename ll_sort_code_<K_>::type, W_> type;
    LL_DEVICE type of(const ll_keyed<K_, W_> &x) {
        return {ll_sort_code_<K_>::of(x.key), x.value};
    }
    LL_DEVICE ll_keyed<K_, W_> back(const type &x) {
        return {ll_sort_code_<K_>::back(x.key), x.value};
    }
};

/* How elements of T are sorted. type: what they are during the sort. stay()
 * returns the element that a place keeps. later: the place is the later one of
 * two. BOTH: both places keep the earlier element; otherwise each keeps one. Of
 * two equal elements, the one in the earlier place comes first. */
template <class T_, class ORDER_> struct ll_sorter_ {
    typedef T_ type;
    LL_DEVICE T_ of(const T_ &x) { return x; }
    LL_DEVICE T_ back(const T_ &x) { return x; }
    template <bool BOTH_>
    LL_DEVICE T_ stay(const T_ &own, const T_ &other, bool later,
                      ORDER_ order) {
        const bool goes =
            later ? order(own, other) != BOTH_ : order(other, own);
        return goes ? other : own;
    }
};

template <class T_, unsigned DOWN_>
struct ll_sorter_<T_, ll_key_order_<DOWN_>> : ll_sort_code_<T_> {
    typedef typename ll_sort_code_<T_>::type type;
    template <bool BOTH_, class K_>
    LL_DEVICE K_ pick(const K_ &own, const K_ &other, bool later) {
        const K_ low = other < own ? other : own;
        const K_ high = own < other ? other : own;
        return (!BOTH_ && later) != (DOWN_ != 0) ? high : low;
    }
    template <bool BOTH_, class K_, class W_>
    LL_DEVICE ll_keyed<K_, W_> pick(const ll_keyed<K_, W_> &own,
                                    const ll_keyed<K_, W_> &other,
                                    bool later) {
        const K_ &x = DOWN_ != 0 ? other.key : own.key;
        const K_ &y = DOWN_ != 0 ? own.key : other.key;
        const bool goes = later ? (x < y) != BOTH_ : y < x;
        return {goes ? other.key : own.key, goes ? other.value : own.value};
    }
    template <bool BOTH_>
    LL_DEVICE type stay(const type &own, const type &other, bool later,
                        ll_key_order_<DOWN_>) {
        return pick<BOTH_>(own, other, later);
    }
};

/* Step K of a sort. ll_sort_place_ says whether the later element of a pair
 * belongs at position P, apart from the thread's part. */
template <class SORT_, unsigned K_> struct ll_sort_nth_ {
    static constexpr ll_sort_step value = ll_sort_step_at_(&LL_GET(SORT_), K_);
};

template <class SORT_, unsigned K_, unsigned P_> struct ll_sort_place_ {
    enum : unsigned {
        x = ll_vectors_xor_(LL_GET(SORT_).x, LL_GET(SORT_).n, P_) ^
            LL_GET(SORT_).first,
        later = ll_popcount_(x & ll_sort_nth_<SORT_, K_>::value.up) & 1u
    };
};

/* Returns the XOR of the coordinate bits that a step looks at. */
template <class SORT_, unsigned K_>
LL_DEVICE unsigned ll_sort_side_(unsigned x) {
    constexpr unsigned up =
        ll_sort_nth_<SORT_, K_>::value.up & LL_GET(SORT_).moving;
    if constexpr (up == 0) {
        return 0;
    } else if constexpr ((up & (up - 1u)) == 0) {
        return x >> ll_log2_(up) & 1u;
    } else {
        constexpr unsigned low = up & (0u - up);
        return (x >> ll_log2_(low) ^ x >> ll_log2_(up ^ low)) & 1u;
    }
}

/* A trip of N words through shared memory, in vectors of one access each. The
 * first vectors of all threads lie side by side, then the second. */
template <class V_, unsigned THREADS_, unsigned N_> struct ll_trip_ {
    enum : unsigned {
        words = N_ < 4u ? N_ : 4u,
        bytes = 4u * words,
        stride = bytes * THREADS_
    };
    typedef ll_seq_below_<N_ / words> each;
    template <unsigned K_, unsigned... W_>
    LL_DEVICE void put(const ll_file_<N_> &f, unsigned at, ll_seq_<W_...>) {
        V_::template put<LL_FORM_VECTOR, bytes>(at + K_ * stride,
                                                {{f.w[K_ * words + W_]...}});
    }
    template <unsigned... K_>
    LL_DEVICE void put_all(const ll_file_<N_> &f, unsigned at,
                           ll_seq_<K_...>) {
        (put<K_>(f, at, ll_seq_below_<words>()), ...);
    }
    template <unsigned K_, unsigned... W_>
    LL_DEVICE void take(ll_file_<N_> &f, unsigned at, ll_seq_<W_...>) {
        const ll_words v =
            V_::template take<LL_FORM_VECTOR, bytes>(at + K_ * stride);
        ((f.w[K_ * words + W_] = v.w[W_]), ...);
    }
    template <unsigned... K_>
    LL_DEVICE ll_file_<N_> take_all(unsigned at, ll_seq_<K_...>) {
        ll_file_<N_> f = {{0}};
        (take<K_>(f, at, ll_seq_below_<words>()), ...);
        return f;
    }
};

/* Returns the number of trips before step `end`. */
LL_FN unsigned ll_sort_trips_(const ll_sort_plan *p, unsigned end) {
    unsigned trips = 0;
    for (unsigned k = 0; k < end; ++k) {
        trips += ll_sort_far_(p, ll_sort_step_at_(p, k).lane) == 2u ? 1u : 0u;
    }
    return trips;
}

/* Returns the values of a thread's partner in step K, through shared memory. */
template <class V_, class SORT_, unsigned K_, class T_, unsigned N_>
LL_DEVICE ll_values_<T_, N_> ll_sort_fetch_(const ll_values_<T_, N_> &f,
                                            unsigned smem) {
    typedef ll_array_<T_, N_> all;
    typedef ll_trip_<V_, LL_GET(SORT_).threads, all::words> trip;
    constexpr unsigned before = ll_sort_trips_(&LL_GET(SORT_), K_);
    constexpr bool two = LL_GET(SORT_).buffers == 2u;
    constexpr unsigned lane = ll_sort_nth_<SORT_, K_>::value.lane;
    const unsigned buffer =
        smem + (two && before % 2u ? LL_GET(SORT_).trip_bytes : 0u);
    const typename trip::each each;
    const typename all::each words = {};
    if constexpr (before != 0 && !two) {
        V_::wait_block();
    }
    trip::put_all(all::read(f.v, words), buffer + V_::thread() * trip::bytes,
                  each);
    V_::wait_block();
    ll_values_<T_, N_> y = f;
    all::write(y.v,
               trip::take_all(buffer + (V_::thread() ^ lane) * trip::bytes,
                              each),
               words);
    return y;
}

template <class V_, class SORT_, unsigned K_, class T_, unsigned N_>
LL_DEVICE ll_values_<T_, N_> ll_sort_other_(const ll_values_<T_, N_> &f,
                                            unsigned smem) {
    constexpr unsigned lane = ll_sort_nth_<SORT_, K_>::value.lane;
    if constexpr (ll_sort_far_(&LL_GET(SORT_), lane) == 2u) {
        return ll_sort_fetch_<V_, SORT_, K_>(f, smem);
    } else {
        return ll_values_other_<V_, lane>(f);
    }
}

template <class SORTER_, class SORT_, unsigned K_, class T_, unsigned N_,
          class ORDER_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)>
ll_sort_meeting_(const ll_values_<T_, N_> &f, const ll_values_<T_, N_> &other,
                 unsigned x, ORDER_ order, ll_seq_<P_...>) {
    constexpr unsigned with = ll_sort_nth_<SORT_, K_>::value.with;
    constexpr bool both = ll_sort_nth_<SORT_, K_>::value.both != 0;
    const unsigned side = ll_sort_side_<SORT_, K_>(x);
    return {{SORTER_::template stay<both>(
        f.v[P_], other.v[P_ ^ with],
        (ll_sort_place_<SORT_, K_, P_>::later ^ side) != 0, order)...}};
}

/* Executes the steps from K on. */
template <class V_, class SORTER_, class SORT_, unsigned K_, class T_,
          unsigned N_, class ORDER_>
LL_DEVICE auto ll_sort_from_(const ll_values_<T_, N_> &f, unsigned x,
                             unsigned smem, ORDER_ order) {
    if constexpr (K_ < LL_GET(SORT_).steps) {
        constexpr unsigned left =
            ll_sort_nth_<SORT_, K_>::value.half ? N_ / 2u : N_;
        return ll_sort_from_<V_, SORTER_, SORT_, K_ + 1>(
            ll_sort_meeting_<SORTER_, SORT_, K_>(
                f, ll_sort_other_<V_, SORT_, K_>(f, smem), x, order,
                ll_seq_below_<left>()),
            x, smem, order);
    } else {
        return f;
    }
}

template <class SORTER_, class SORT_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<typename SORTER_::type, sizeof...(P_)>
ll_sort_in_(const T_ (&a)[N_], ll_seq_<P_...>) {
    return {{SORTER_::of(a[ll_scan_leaf_<SORT_, P_>::reg])...}};
}

template <class SORT_, unsigned R_> struct ll_sort_spot_ {
    enum : unsigned {
        at = ll_vectors_xor_(LL_GET(SORT_).at, LL_GET(SORT_).to_bits, R_)
    };
};

template <class SORTER_, class SORT_, class T_, unsigned M_, class VALUES_,
          unsigned... R_>
LL_DEVICE void ll_sort_out_(T_ (&b)[M_], const VALUES_ &f, ll_seq_<R_...>) {
    ((b[R_] = SORTER_::back(f.v[ll_sort_spot_<SORT_, R_>::at])), ...);
}

/* A turned sort reuses shared memory only after all warps have read it. */
template <class V_, class SORT_, class T_, unsigned N_, unsigned M_,
          class ORDER_>
LL_DEVICE void ll_sort_by_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                           ORDER_ order) {
    typedef ll_sorter_<T_, ORDER_> sorter;
    const auto f = ll_sort_from_<V_, sorter, SORT_, 0>(
        ll_sort_in_<sorter, SORT_>(a, ll_seq_below_<(1u << LL_GET(SORT_).n)>()),
        ll_thread_at_<ll_scan_map_<SORT_>>(V_::thread()), smem, order);
    if constexpr (LL_GET(SORT_).turned != 0) {
        ll_values_<T_, 1u << LL_GET(SORT_).n> sorted;
        ll_sort_out_<sorter, SORT_>(sorted.v, f,
                                    ll_seq_below_<(1u << LL_GET(SORT_).n)>());
        if constexpr (LL_GET(SORT_).trips != 0) {
            V_::wait_block();
        }
        ll_convert_by_<V_, ll_plan_back_<SORT_>>(b, sorted.v, V_::thread(),
                                                 smem);
    } else {
        ll_sort_out_<sorter, SORT_>(b, f, ll_seq_below_<M_>());
    }
}

/* Asserts that two elements of T can be ordered by ORDER. */
template <class ORDER_, class T_> LL_FN bool ll_is_order_() {
    typedef ll_combines_<ORDER_, T_, bool> orders;
    static_assert(orders::value,
                  "ll: LL_SORT: the order after smem must be ll_up() or "
                  "ll_down(), with the parentheses, or a function of two "
                  "elements that says whether the first comes before the "
                  "second");
    return orders::value;
}
template <unsigned DOWN_, class T_>
struct ll_combines_<ll_key_order_<DOWN_>, T_, bool> {
    enum : bool { value = true };
};

template <class SCOPE_, class PLAN_> LL_DEVICE void ll_sort_(LL_ANY_ARGS_) {
    static_assert(sizeof(SCOPE_) == 0,
                  "ll: LL_SORT(b, a, PLAN, smem, order): b and a must be "
                  "arrays of one type, not pointers");
}

template <class VENDOR_, class SORT_, class T_, unsigned N_, unsigned M_,
          class ORDER_>
LL_DEVICE void ll_sort_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                        ORDER_ order) {
    LL_WANTS_CONSTANT_(SORT_, ll_sort_plan,
                       "LL_SORT takes the name of a plan of LL_SORT_PLAN or "
                       "LL_TOP_PLAN");
    if constexpr (ll_constant_is_good_<SORT_, ll_sort_plan>()) {
        constexpr bool typed =
            ll_bits_are_<8 * sizeof(T_), LL_GET(SORT_).element_bits>();
        constexpr bool sized =
            ll_regs_are_<N_, 1u << LL_GET(SORT_).from_bits>() &
            ll_regs_are_<M_, 1u << LL_GET(SORT_).to_bits>();
        typedef ll_moves_<VENDOR_, LL_GET(SORT_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(SORT_).threads, LL_GET(SORT_).lanes);
        if constexpr (typed && sized && ll_is_order_<ORDER_, T_>()) {
            ll_sort_by_<moves, SORT_>(b, a, smem, order);
        }
    }
}

#endif

/* LL_SORT_PLAN(NAME, LAYOUT, axis, element_bits, target) declares the plan of
 * ll_sort_of, and LL_TOP_PLAN(NAME, LAYOUT, axis, count, element_bits, target)
 * the plan of ll_top_of, as in kernel/sizes. Results: LL_GET(NAME).to.
 *
 * LL_SORT(b, a, SORT, smem, order): sorts registers a, in the plan's layout,
 * along its axis into registers b, or finds the first elements of each line.
 * order: ll_up(), ll_down(), or a function that says whether x comes before y
 * (a strict weak order). a and b may be one array. smem is as for LL_CONVERT.
 *
 * ll_up and ll_down order integers, floating-point numbers of 8 to 64 bits, and
 * ll_keyed<K, V>, a key of such a type with a value of any type. Floating-point
 * numbers are in the total order of IEEE 754: -0.0 comes before 0.0, and a NaN
 * after all numbers, or before them if its sign is set. Elements: up to 16
 * bytes.
 *
 * The sort is not stable. It is stable if the value is the coordinate, and
 * equal keys are ordered by value:
 *
 *     LL_SORT_PLAN(SORT, ROWS, LL_J, 64, LL_SM90);
 *     ll_keyed<float, unsigned> a[LL_REGS(ROWS)];
 *     ..
 *     LL_SORT(a, a, SORT, smem, [](auto x, auto y) {
 *         return x.key < y.key || (x.key == y.key && x.value < y.value);
 *     }); */
#define LL_SORT_PLAN(NAME, LAYOUT, axis, element_bits, target)              \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_sort_plan, LL_HAS_AXIS_(LAYOUT, axis),     \
                        ll_sort_of(LL_LAYOUT_OF_(LAYOUT), LL_AXIS_(axis),   \
                                   element_bits, target))
#define LL_TOP_PLAN(NAME, LAYOUT, axis, count, element_bits, target)        \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_sort_plan, LL_HAS_AXIS_(LAYOUT, axis),     \
                        ll_top_of(LL_LAYOUT_OF_(LAYOUT), LL_AXIS_(axis),    \
                                  count, element_bits, target))
#define LL_SORT(b, a, SORT, smem, ...)                                      \
    LL_MOVE_(ll_sort_, SORT, smem)(                                         \
        b, a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))

#else
#define LL_NO_SORTS_(NAME, ...) LL_ABSENT_PART_(NAME, "LL_SORTS")
#define LL_SORT_PLAN(...) LL_NO_SORTS_(__VA_ARGS__, )
#define LL_TOP_PLAN(...) LL_NO_SORTS_(__VA_ARGS__, )
#define LL_SORT(...) (void)0 /* the plan reports it */
#endif /* LL_SORTS */

#endif
