/* ---- Clusters in kernels ---------------------------------------------- */
#ifndef LL_CLUSTER_MOVES_H
#define LL_CLUSTER_MOVES_H

#include "../kernel/scan.h"
#include "plan.h"

/* Executes plans across a cluster, in two halves. A block combines its elements
 * and sends the results; later it waits for those of others, and combines. */

#ifdef LL_CLUSTERS
#ifdef LL_DEVICE

/* The parts of a plan. */
template <class P_> struct ll_cluster_reduce_ {
    LL_CONSTANT_ ll_reduce_plan get() { return LL_GET(P_).reduce; }
};

template <class P_> struct ll_cluster_scan_ {
    LL_CONSTANT_ ll_scan_plan get() { return LL_GET(P_).scan; }
};

template <class P_> struct ll_cluster_tree_ {
    static constexpr ll_tree value = LL_GET(P_).tree;
};

/* The maps of where a thread sends to, and of what it receives. */
template <class P_> struct ll_cluster_out_ {
    static constexpr ll_layout value = LL_GET(P_).sends;
    LL_CONSTANT_ ll_map map() { return ll_map_of(ll_thread_map_(value)); }
};

template <class P_> struct ll_cluster_in_ {
    static constexpr ll_layout value = LL_GET(P_).receives;
    LL_CONSTANT_ ll_map map() { return ll_map_of(ll_thread_map_(value)); }
};

template <class MAP_, unsigned R_> struct ll_cluster_register_ {
    enum : unsigned {
        image = ll_vectors_xor_(MAP_::value.basis, MAP_::value.in.bits[0], R_)
    };
};

template <class V_, class P_, class MAP_> LL_DEVICE unsigned ll_cluster_at_() {
    constexpr unsigned bits = ll_log2_(LL_GET(P_).threads);
    constexpr bool far =
        LL_GET(P_).partial != 0 && ll_map_numbers_<MAP_>::used >> bits != 0;
    constexpr unsigned rank = far ? bits : 0u;
    return ll_thread_at_<MAP_>(ll_thread_ranked_<V_, rank>(V_::thread()));
}

/* The shared memory of a turn: the block's own buffer, slots, mbarrier. */
template <class P_> struct ll_cluster_turn_ {
    enum : unsigned {
        buffers = LL_GET(P_).buffers,
        slot = LL_GET(P_).slot_bytes,
        bits = LL_GET(P_).partial + LL_GET(P_).results,
        own_bytes = LL_GET(P_).here_bytes,
        first_slot = LL_GET(P_).slots_at,
        first_bar = LL_GET(P_).bars_at,
        arrives = LL_GET(P_).bytes,
        spare = LL_GET(P_).spare,
        mask = (1u << bits) - 1u,
        stride = ((slot << bits) + 15u) / 16u * 16u
    };
    LL_DEVICE unsigned here(unsigned smem, unsigned turn) {
        return smem + turn % 2u * own_bytes;
    }
    LL_DEVICE unsigned slots(unsigned smem, unsigned turn) {
        return smem + first_slot + turn % buffers * stride;
    }
    LL_DEVICE unsigned bar(unsigned smem, unsigned turn) {
        return smem + first_bar + turn % buffers * 8u;
    }
};

/* Register R of the registers that are sent: its position, and whether some
 * thread may have the last coordinate there. */
template <class P_, unsigned R_> struct ll_cluster_sent_ {
    static constexpr ll_layout sends = LL_GET(P_).sends;
    static constexpr unsigned at =
        LL_GET(P_).partial + LL_GET(P_).results + sends.out.bits[1];
    static constexpr unsigned ones =
        sends.out.n > 2u ? ll_ones_(sends.out.bits[2]) : 0u;
    static constexpr unsigned image =
        ll_cluster_register_<ll_cluster_out_<P_>, R_>::image;
    static constexpr unsigned position = R_ & ((1u << LL_GET(P_).n) - 1u);
    static constexpr unsigned reg =
        ll_vectors_xor_(LL_GET(P_).reg, LL_GET(P_).n, position);
    static constexpr bool may = ll_cluster_may_(&sends, image, at, ones) != 0;
};

/* Stores x to its slot in another block, if this thread sends it. */
template <class V_, class P_, unsigned R_, class T_>
LL_DEVICE void ll_cluster_push_(const T_ &x, unsigned place, unsigned slots,
                                unsigned bar) {
    typedef ll_cluster_sent_<P_, R_> sent;
    typedef ll_cluster_turn_<P_> turn;
    constexpr unsigned ranks = LL_GET(P_).sends.out.bits[1];
    const unsigned y = place ^ sent::image;
    bool on = (V_::thread() & turn::spare) == 0;
    if constexpr (sent::ones != 0) {
        on = on && y >> sent::at == sent::ones;
    }
    if (on) {
        const unsigned to = y >> turn::bits & ((1u << ranks) - 1u);
        ll_words w = {{0}};
        LL_MEMCPY_(w.w, &x, sizeof(T_));
        V_::template push<turn::slot>(
            V_::dsmem(slots + (y & turn::mask) * turn::slot, to), w,
            V_::dsmem(bar, to));
    }
}

/* Sends a result of a reduction, or a scan's total, in the last element. */
template <class V_, class P_, unsigned R_, class STATE_, class OP_>
LL_DEVICE void ll_cluster_push_one_(const STATE_ &state, unsigned place,
                                    unsigned slots, unsigned bar, OP_ op) {
    typedef ll_cluster_sent_<P_, R_> sent;
    if constexpr (LL_GET(P_).scans == 0) {
        ll_cluster_push_<V_, P_, R_>(state.v[sent::position], place, slots,
                                     bar);
    } else if constexpr (sent::may) {
        ll_cluster_push_<V_, P_, R_>(
            STATE_::total(state, sent::reg, sent::ones != 0, op), place, slots,
            bar);
    }
}

template <class V_, class P_, class STATE_, class OP_, unsigned... R_>
LL_DEVICE void ll_cluster_push_all_(const STATE_ &state, unsigned place,
                                    unsigned smem, unsigned turn, OP_ op,
                                    ll_seq_<R_...>) {
    const unsigned slots = ll_cluster_turn_<P_>::slots(smem, turn);
    const unsigned bar = ll_cluster_turn_<P_>::bar(smem, turn);
    (ll_cluster_push_one_<V_, P_, R_>(state, place, slots, bar, op), ...);
}

/* Returns where a thread sends to. It is computed early, because the rank of a
 * block takes a while. ll_cluster_send_ is the end of a sending half. */
template <class V_, class P_> LL_DEVICE unsigned ll_cluster_place_() {
    if constexpr (LL_GET(P_).partial != 0) {
        return ll_cluster_at_<V_, P_, ll_cluster_out_<P_>>();
    } else {
        return 0;
    }
}

template <class V_, class P_, class STATE_, class OP_>
LL_DEVICE void ll_cluster_send_(const STATE_ &state, unsigned place,
                                unsigned smem, unsigned turn, OP_ op) {
    if constexpr (LL_GET(P_).wait != 0) {
        ll_barrier_wait_<V_, LL_GET(P_).wait>();
    }
    if constexpr (LL_GET(P_).partial != 0) {
        ll_cluster_push_all_<V_, P_>(
            state, place, smem, turn, op,
            ll_seq_below_<(1u << LL_GET(P_).sends.in.bits[0])>());
    }
}

/* The start of a receiving half. ll_cluster_slot_ loads a partial result that a
 * lane needs; no block needs the last total of a scan. ll_cluster_slots_ first
 * waits for the turn's mbarrier, and arms it for its next turn. */
template <class V_, class P_, class T_, unsigned R_>
LL_DEVICE T_ ll_cluster_slot_(unsigned slots, unsigned place) {
    typedef ll_cluster_turn_<P_> turn;
    const unsigned y =
        place ^ ll_cluster_register_<ll_cluster_in_<P_>, R_>::image;
    constexpr unsigned last = (1u << LL_GET(P_).partial) - 1u;
    ll_words w = {{0}};
    if constexpr (LL_GET(P_).scans == 0 || (R_ & last) != last) {
        w = V_::template take<LL_FORM_VECTOR, turn::slot>(
            slots + (y & turn::mask) * turn::slot);
    }
    T_ x;
    LL_MEMCPY_(&x, w.w, sizeof(T_));
    return x;
}

template <class V_, class P_, class T_, unsigned... R_>
LL_DEVICE ll_values_<T_, sizeof...(R_)>
ll_cluster_slots_(unsigned place, unsigned smem, unsigned turn,
                  ll_seq_<R_...>) {
    const unsigned bar = ll_cluster_turn_<P_>::bar(smem, turn);
    const unsigned slots = ll_cluster_turn_<P_>::slots(smem, turn);
    V_::wait_bar(bar, turn / ll_cluster_turn_<P_>::buffers % 2u);
    if (V_::thread() == 0) {
        V_::arm_bar(bar, ll_cluster_turn_<P_>::arrives);
    }
    return {{ll_cluster_slot_<V_, P_, T_, R_>(slots, place)...}};
}

template <class V_, class P_, class T_>
LL_DEVICE auto ll_cluster_take_(unsigned place, unsigned smem, unsigned turn) {
    return ll_cluster_slots_<V_, P_, T_>(
        place, smem, turn,
        ll_seq_below_<(1u << LL_GET(P_).receives.in.bits[0])>());
}

/* The two halves of a reduction. */
template <class V_, class P_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_cluster_reduce_first_(const T_ (&a)[N_], unsigned smem,
                                        unsigned turn, OP_ op) {
    typedef ll_cluster_reduce_<P_> here;
    const unsigned place = ll_cluster_place_<V_, P_>();
    const unsigned at = ll_cluster_turn_<P_>::here(smem, turn);
    const auto f = ll_reduce_first_<V_, here>(a, at, op);
    ll_barrier_between_<V_, here>();
    const auto g = ll_reduce_between_<V_, here>(f, at, op);
    ll_cluster_send_<V_, P_>(g, place, smem, turn, op);
    return g;
}

template <class V_, class P_, class T_, unsigned N_, unsigned M_, class OP_>
LL_DEVICE void ll_cluster_reduce_second_(T_ (&b)[M_],
                                         const ll_values_<T_, N_> &f,
                                         unsigned smem, unsigned turn,
                                         OP_ op) {
    typedef ll_cluster_reduce_<P_> here;
    if constexpr (LL_GET(P_).partial != 0) {
        const auto all = ll_cluster_take_<V_, P_, T_>(
            ll_cluster_at_<V_, P_, ll_cluster_in_<P_>>(), smem, turn);
        ll_values_hand_out_<here>(
            b, ll_array_combine_<V_, ll_cluster_tree_<P_>>(all.v, op),
            ll_seq_below_<M_>());
    } else {
        ll_values_hand_out_<here>(b, f, ll_seq_below_<M_>());
    }
}

/* Scans: the state of a lane between the halves. For each element it has the
 * scan within its block, with the element (ll_cluster_upto_) or without it
 * (ll_cluster_before_). total() of a line's last element includes that element.
 * more: other elements come before it. */
template <class T_, unsigned N_> struct ll_cluster_upto_ {
    T_ v[N_];
    template <class OP_>
    LL_DEVICE T_ total(const ll_cluster_upto_ &s, unsigned r, bool, OP_) {
        return s.v[r];
    }
    template <class OP_>
    LL_DEVICE T_ of(const ll_cluster_upto_ &s, unsigned r, const T_ &sum,
                    bool any, bool, OP_ op) {
        const T_ all = op(sum, s.v[r]);
        return any ? all : s.v[r];
    }
};

template <class T_, unsigned N_> struct ll_cluster_before_ {
    T_ v[N_], own[N_], first;
    template <class OP_>
    LL_DEVICE T_ total(const ll_cluster_before_ &s, unsigned r, bool more,
                       OP_ op) {
        const T_ all = op(s.v[r], s.own[r]);
        return more ? all : s.own[r];
    }
    template <class OP_>
    LL_DEVICE T_ of(const ll_cluster_before_ &s, unsigned r, const T_ &sum,
                    bool any, bool some, OP_ op) {
        const T_ all = op(sum, s.v[r]);
        const T_ here = some ? s.v[r] : s.first;
        const T_ far = some ? all : sum;
        return any ? far : here;
    }
};

template <class V_, class P_, class T_, unsigned N_, class OP_>
LL_DEVICE ll_cluster_upto_<T_, N_>
ll_cluster_scan_first_(const T_ (&a)[N_], unsigned smem, unsigned turn,
                       OP_ op) {
    ll_cluster_upto_<T_, N_> state;
    const ll_scan_with_own_<OP_> end = {op};
    ll_scan_by_<V_, ll_cluster_scan_<P_>>(
        state.v, a, ll_cluster_turn_<P_>::here(smem, turn), op, end);
    ll_cluster_send_<V_, P_>(state, ll_cluster_place_<V_, P_>(), smem, turn,
                             op);
    return state;
}

template <class V_, class P_, class T_, unsigned N_, class OP_>
LL_DEVICE ll_cluster_before_<T_, N_>
ll_cluster_scan_first_(const T_ (&a)[N_], unsigned smem, unsigned turn, OP_ op,
                       const T_ &first) {
    ll_cluster_before_<T_, N_> state;
    const ll_scan_without_own_<T_> end = {first};
    ll_scan_by_<V_, ll_cluster_scan_<P_>>(
        state.v, a, ll_cluster_turn_<P_>::here(smem, turn), op, end);
    LL_MEMCPY_(state.own, a, sizeof a);
    state.first = first;
    ll_cluster_send_<V_, P_>(state, ll_cluster_place_<V_, P_>(), smem, turn,
                             op);
    return state;
}

/* Combines a line's partial results from blocks before `rank`. */
template <unsigned K_, unsigned LINE_, unsigned PARTIAL_, class T_, unsigned N_,
          class OP_>
LL_DEVICE T_ ll_cluster_sum_(const T_ &sum, const ll_values_<T_, N_> &all,
                             unsigned rank, OP_ op) {
    if constexpr (K_ + 1u < PARTIAL_) {
        const T_ both = op(sum, all.v[LINE_ * PARTIAL_ + K_]);
        const T_ more = K_ < rank ? both : sum;
        return ll_cluster_sum_<K_ + 1, LINE_, PARTIAL_>(more, all, rank, op);
    } else {
        return sum;
    }
}

template <unsigned PARTIAL_, class T_, unsigned N_, class OP_, unsigned... Z_>
LL_DEVICE ll_values_<T_, sizeof...(Z_)>
ll_cluster_sums_(const ll_values_<T_, N_> &all, unsigned rank, OP_ op,
                 ll_seq_<Z_...>) {
    return {{ll_cluster_sum_<1, Z_, PARTIAL_>(all.v[Z_ * PARTIAL_], all, rank,
                                              op)...}};
}

/* The line of register R, and its coordinate within the block. */
template <class P_, unsigned R_> struct ll_cluster_line_ {
    enum : unsigned {
        at = ll_vectors_xor_(LL_GET(P_).line, LL_GET(P_).from_bits, R_),
        x = ll_vectors_xor_(LL_GET(P_).x, LL_GET(P_).from_bits, R_)
    };
};

/* Combines the preceding blocks' sum, if there are ANY, with the state. */
template <class P_, class STATE_, class T_, unsigned N_, unsigned L_,
          class OP_, unsigned... R_>
LL_DEVICE void ll_cluster_scan_out_(T_ (&b)[N_], const STATE_ &state,
                                    const ll_values_<T_, L_> &sum, bool any,
                                    unsigned x, OP_ op, ll_seq_<R_...>) {
    ((b[R_] = STATE_::of(state, R_, sum.v[ll_cluster_line_<P_, R_>::at], any,
                         x != (ll_cluster_line_<P_, R_>::x + 0u), op)),
     ...);
}

template <class V_, class P_, class T_, unsigned N_, class STATE_, class OP_>
LL_DEVICE void ll_cluster_scan_second_(T_ (&b)[N_], const STATE_ &state,
                                       unsigned smem, unsigned turn, OP_ op) {
    constexpr unsigned partial = 1u << LL_GET(P_).partial;
    constexpr unsigned at = ll_cluster_sent_<P_, 0>::at;
    if constexpr (partial > 1u) {
        const unsigned place = ll_cluster_at_<V_, P_, ll_cluster_in_<P_>>();
        const unsigned rank = place >> ll_cluster_turn_<P_>::bits;
        const auto all = ll_cluster_take_<V_, P_, T_>(place, smem, turn);
        const auto sum = ll_cluster_sums_<partial>(
            all, rank, op,
            ll_seq_below_<sizeof all / sizeof all.v[0] / partial>());
        unsigned x = 0;
        if constexpr (ll_cluster_sent_<P_, 0>::ones != 0) {
            x = ll_cluster_at_<V_, P_, ll_cluster_out_<P_>>() >> at;
        }
        ll_cluster_scan_out_<P_>(b, state, sum, rank != 0, x, op,
                                 ll_seq_below_<N_>());
    } else {
        LL_MEMCPY_(b, state.v, sizeof b);
    }
}

/* Asserts and returns whether P is a plan for these arrays (SCANS: a scan). */
template <class P_, class T_, unsigned N_, unsigned M_, bool SCANS_>
LL_FN bool ll_cluster_is_() {
    LL_WANTS_CONSTANT_(P_, ll_cluster_plan,
                       "LL_CLUSTER_REDUCE and LL_CLUSTER_SCAN take the name of "
                       "a plan of LL_CLUSTER_REDUCE_PLAN or "
                       "LL_CLUSTER_SCAN_PLAN");
    if constexpr (ll_constant_is_good_<P_, ll_cluster_plan>()) {
        constexpr unsigned from = 1u << LL_GET(P_).from_bits;
        constexpr unsigned to = 1u << LL_GET(P_).to_bits;
        constexpr bool kind = (LL_GET(P_).scans != 0) == SCANS_;
        static_assert(kind, "ll: LL_CLUSTER_REDUCE takes a plan of "
                            "LL_CLUSTER_REDUCE_PLAN, LL_CLUSTER_SCAN one of "
                            "LL_CLUSTER_SCAN_PLAN");
        constexpr bool bits =
            ll_bits_are_<8 * sizeof(T_), LL_GET(P_).element_bits>();
        constexpr bool taken = ll_regs_are_<N_ ? N_ : from, from>();
        constexpr bool given = ll_regs_are_<M_ ? M_ : to, to>();
        return kind && bits && taken && given;
    } else {
        return false;
    }
}

/* Asserts and returns whether the GPU has the clusters that a plan needs. */
template <class MOVES_, class P_> LL_FN bool ll_cluster_here_() {
    constexpr bool can = MOVES_::clusters != 0 || LL_GET(P_).partial == 0;
    static_assert(can, "ll: LL_CLUSTER_REDUCE and LL_CLUSTER_SCAN: this GPU "
                       "has no clusters (sm_90 and later have them)");
    return can;
}

template <class VENDOR_, class P_>
LL_DEVICE void ll_cluster_begin_(unsigned smem) {
    LL_WANTS_CONSTANT_(P_, ll_cluster_plan,
                       "LL_CLUSTER_BEGIN takes the name of a plan of "
                       "LL_CLUSTER_REDUCE_PLAN or LL_CLUSTER_SCAN_PLAN");
    if constexpr (ll_constant_is_good_<P_, ll_cluster_plan>()) {
        typedef ll_moves_<VENDOR_, LL_GET(P_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(P_).threads, LL_GET(P_).lanes);
        if constexpr (LL_GET(P_).partial != 0 &&
                      ll_cluster_here_<moves, P_>()) {
            typedef ll_cluster_turn_<P_> turn;
            for (unsigned k = 0; moves::thread() == 0 && k < turn::buffers;
                 ++k) {
                moves::init_bar(turn::bar(smem, k), turn::arrives);
            }
            moves::fence_bars();
            moves::wait_cluster();
        }
    }
}

template <class VENDOR_, class P_> LL_DEVICE void ll_cluster_end_(unsigned) {
    LL_WANTS_CONSTANT_(P_, ll_cluster_plan,
                       "LL_CLUSTER_END takes the name of a plan of "
                       "LL_CLUSTER_REDUCE_PLAN or LL_CLUSTER_SCAN_PLAN");
    if constexpr (ll_constant_is_good_<P_, ll_cluster_plan>()) {
        typedef ll_moves_<VENDOR_, LL_GET(P_).lanes> moves;
        if constexpr (LL_GET(P_).partial != 0 &&
                      ll_cluster_here_<moves, P_>()) {
            moves::wait_cluster();
        }
    }
}

/* The halves. Without a valid plan there is no state. */
template <class VENDOR_, class P_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_cluster_reduce_send_(const T_ (&a)[N_], unsigned smem,
                                       unsigned turn, OP_ op) {
    if constexpr (ll_cluster_is_<P_, T_, N_, 0, false>() &&
                  ll_is_op_<OP_, T_>()) {
        typedef ll_moves_<VENDOR_, LL_GET(P_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(P_).threads, LL_GET(P_).lanes);
        if constexpr (ll_cluster_here_<moves, P_>()) {
            return ll_cluster_reduce_first_<moves, P_>(a, smem, turn, op);
        } else {
            return ll_no_arg_();
        }
    } else {
        return ll_no_arg_();
    }
}

template <class VENDOR_, class P_, class T_, unsigned M_, class STATE_,
          class OP_>
LL_DEVICE void ll_cluster_reduce_receive_(T_ (&b)[M_], const STATE_ &state,
                                          unsigned smem, unsigned turn,
                                          OP_ op) {
    if constexpr (!ll_is_same_<STATE_, ll_no_arg_>::value) {
        if constexpr (ll_cluster_is_<P_, T_, 0, M_, false>()) {
            ll_cluster_reduce_second_<ll_moves_<VENDOR_, LL_GET(P_).lanes>, P_>(
                b, state, smem, turn, op);
        }
    }
}

template <class VENDOR_, class P_, class T_, unsigned N_, class OP_,
          class... FIRST_>
LL_DEVICE auto ll_cluster_scan_send_(const T_ (&a)[N_], unsigned smem,
                                     unsigned turn, OP_ op,
                                     const FIRST_ &...first) {
    if constexpr (ll_cluster_is_<P_, T_, N_, 0, true>() &&
                  ll_is_op_<OP_, T_>()) {
        typedef ll_moves_<VENDOR_, LL_GET(P_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(P_).threads, LL_GET(P_).lanes);
        if constexpr (ll_cluster_here_<moves, P_>()) {
            return ll_cluster_scan_first_<moves, P_>(a, smem, turn, op,
                                                     T_(first)...);
        } else {
            return ll_no_arg_();
        }
    } else {
        return ll_no_arg_();
    }
}

template <class VENDOR_, class P_, class T_, unsigned M_, class STATE_,
          class OP_>
LL_DEVICE void ll_cluster_scan_receive_(T_ (&b)[M_], const STATE_ &state,
                                        unsigned smem, unsigned turn,
                                        OP_ op) {
    if constexpr (!ll_is_same_<STATE_, ll_no_arg_>::value) {
        if constexpr (ll_cluster_is_<P_, T_, 0, M_, true>()) {
            ll_cluster_scan_second_<ll_moves_<VENDOR_, LL_GET(P_).lanes>, P_>(
                b, state, smem, turn, op);
        }
    }
}

/* Both halves of a reduction or a scan. */
template <class VENDOR_, class P_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_cluster_reduce_all_(T_ (&b)[M_], const T_ (&a)[N_],
                                      unsigned smem, unsigned turn, OP_ op) {
    const auto state =
        ll_cluster_reduce_send_<VENDOR_, P_>(a, smem, turn, op);
    ll_cluster_reduce_receive_<VENDOR_, P_>(b, state, smem, turn, op);
}

template <class VENDOR_, class P_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_cluster_reduce_each_(T_ (&c)[M_], const T_ (&a)[N_],
                                       unsigned smem, unsigned turn, OP_ op) {
    if constexpr (ll_cluster_is_<P_, T_, N_, 0, false>()) {
        T_ b[1u << LL_GET(P_).to_bits];
        ll_cluster_reduce_all_<VENDOR_, P_>(b, a, smem, turn, op);
        ll_array_spread_<ll_cluster_reduce_<P_>>(c, b);
    }
}

template <class VENDOR_, class P_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_cluster_scan_all_(T_ (&b)[M_], const T_ (&a)[N_],
                                    unsigned smem, unsigned turn, OP_ op) {
    const auto state = ll_cluster_scan_send_<VENDOR_, P_>(a, smem, turn, op);
    ll_cluster_scan_receive_<VENDOR_, P_>(b, state, smem, turn, op);
}

template <class VENDOR_, class P_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_cluster_scan_before_(T_ (&b)[M_], const T_ (&a)[N_],
                                       unsigned smem, unsigned turn, OP_ op,
                                       typename ll_scan_just_<T_>::type first) {
    const auto state =
        ll_cluster_scan_send_<VENDOR_, P_>(a, smem, turn, op, first);
    ll_cluster_scan_receive_<VENDOR_, P_>(b, state, smem, turn, op);
}

LL_NO_MOVE_(ll_cluster_reduce_all_, "LL_CLUSTER_REDUCE(b, a, PLAN, smem, "
            "turn, op): b and a must be arrays of one type, not pointers, "
            "turn a number and op an operation")
LL_NO_MOVE_(ll_cluster_reduce_each_, "LL_CLUSTER_REDUCE_EACH(c, a, PLAN, "
            "smem, turn, op): c and a must be arrays of one type, not "
            "pointers, turn a number and op an operation")
LL_NO_MOVE_(ll_cluster_scan_all_, "LL_CLUSTER_SCAN(b, a, PLAN, smem, turn, "
            "op): b and a must be arrays of one type, not pointers, turn a "
            "number and op an operation")
LL_NO_MOVE_(ll_cluster_scan_before_,
            "LL_CLUSTER_SCAN_BEFORE(b, a, PLAN, "
            "smem, turn, op, first): b and a must be arrays of one type, not "
            "pointers, turn a number, op an operation and first an element")

#endif

/* LL_CLUSTER_REDUCE_PLAN_BY(NAME, LAYOUT, axis, element_bits, target, ahead,
 * more) declares the plan of ll_cluster_reduce_by, and
 * LL_CLUSTER_SCAN_PLAN_BY(..) the plan of ll_cluster_scan_by. */
#define LL_CLUSTER_REDUCE_PLAN_BY(NAME, LAYOUT, axis, element_bits, target, \
                                  ahead, more)                              \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_cluster_plan, LL_HAS_AXIS_(LAYOUT, axis),  \
                        ll_cluster_reduce_by(LL_LAYOUT_OF_(LAYOUT),         \
                                             LL_AXIS_(axis), element_bits,  \
                                             target, ahead, more))
#define LL_CLUSTER_SCAN_PLAN_BY(NAME, LAYOUT, axis, element_bits, target,   \
                                ahead, more)                                \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_cluster_plan, LL_HAS_AXIS_(LAYOUT, axis),  \
                        ll_cluster_scan_by(LL_LAYOUT_OF_(LAYOUT),           \
                                           LL_AXIS_(axis), element_bits,    \
                                           target, ahead, more))

/* LL_CLUSTER_REDUCE_PLAN(NAME, LAYOUT, axis, element_bits, target) declares the
 * plan of ll_cluster_reduce_of, and LL_CLUSTER_SCAN_PLAN the plan of
 * ll_cluster_scan_of, as the macros of kernel/sizes do.
 *
 *     LL_CLUSTER_REDUCE_PLAN(SUM, ROW, LL_J, 32, LL_SM90);
 *
 *     __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SUM)];
 *     LL_CLUSTER_BEGIN(SUM, smem);
 *     for (unsigned turn = 0; turn < rows; ++turn) {
 *         ..
 *         LL_CLUSTER_REDUCE(b, a, SUM, smem, turn, ll_add());
 *         ..
 *     }
 *     LL_CLUSTER_END(SUM, smem);
 *
 * LL_CLUSTER_REDUCE(b, a, PLAN, smem, turn, op) combines registers a, in the
 * plan's layout, along its axis into registers b, in the layout that ll_reduce
 * returns. It does so across all blocks, and otherwise as LL_REDUCE does.
 * LL_CLUSTER_REDUCE_EACH(c, a, ..) also broadcasts the results back to the
 * elements. LL_CLUSTER_SCAN(b, a, PLAN, smem, turn, op) and
 * LL_CLUSTER_SCAN_BEFORE(b, a, PLAN, smem, turn, op, first) are LL_SCAN and
 * LL_SCAN_BEFORE across blocks; b and a may be one array. Elements have up to
 * 16 bytes: three floats are a struct of 16.
 *
 * The layout has the `block` bits of the cluster; without them each block has
 * its own results. In a scan, registers that hold higher bits of the axis than
 * warps do cost a trip through shared memory each way, and shared memory for
 * the whole tile. The order register, lane, register, warp, block avoids both.
 *
 * All threads of all blocks take part, in turns 0, 1, 2 and so on. smem,
 * 16-byte aligned, is at the same address in each block. It is used for nothing
 * else from LL_CLUSTER_BEGIN to LL_CLUSTER_END, which wait for the cluster.
 * Each plan has its own smem. No barrier is needed between turns.
 *
 * Other work fits between the halves:
 *
 *     const auto state = LL_CLUSTER_REDUCE_SEND(a, PLAN, smem, turn, op);
 *     ..
 *     LL_CLUSTER_REDUCE_RECEIVE(b, state, PLAN, smem, turn, op);
 *
 * In the same way LL_CLUSTER_SCAN_SEND(a, PLAN, smem, turn, op), or
 * LL_CLUSTER_SCAN_SEND_BEFORE(a, PLAN, smem, turn, op, first), comes before
 * LL_CLUSTER_SCAN_RECEIVE(b, state, PLAN, smem, turn, op). With `ahead` of 1,
 * turn t + 1 may be sent before turn t is received.
 *
 * LL_CLUSTER_BAR(PLAN, smem, turn) is the address in shared memory of the
 * mbarrier of a turn. It is for `more` bytes that the kernel itself sends to
 * each block before it receives: a thread that waits for the turn then sees
 * them. */
#define LL_CLUSTER_REDUCE_PLAN(NAME, LAYOUT, axis, element_bits, target)    \
    LL_CLUSTER_REDUCE_PLAN_BY(NAME, LAYOUT, axis, element_bits, target, 0, 0)
#define LL_CLUSTER_SCAN_PLAN(NAME, LAYOUT, axis, element_bits, target)      \
    LL_CLUSTER_SCAN_PLAN_BY(NAME, LAYOUT, axis, element_bits, target, 0, 0)
#define LL_CLUSTER_BEGIN(PLAN, smem)                                        \
    LL_MOVE_(ll_cluster_begin_, PLAN, smem)(LL_SHARED_ADDRESS_(smem))
#define LL_CLUSTER_END(PLAN, smem)                                          \
    LL_MOVE_(ll_cluster_end_, PLAN, smem)(LL_SHARED_ADDRESS_(smem))
#define LL_CLUSTER_BAR(PLAN, smem, turn)                                    \
    ll_cluster_turn_<LL_TYPE_(PLAN)>::bar(LL_SHARED_ADDRESS_(smem), turn)
#define LL_CLUSTER_REDUCE(b, a, PLAN, smem, turn, ...)                      \
    LL_MOVE_(ll_cluster_reduce_all_, PLAN, smem)(                           \
        b, a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_REDUCE_EACH(c, a, PLAN, smem, turn, ...)                 \
    LL_MOVE_(ll_cluster_reduce_each_, PLAN, smem)(                          \
        c, a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_REDUCE_SEND(a, PLAN, smem, turn, ...)                    \
    LL_MOVE_(ll_cluster_reduce_send_, PLAN, smem)(                          \
        a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_REDUCE_RECEIVE(b, state, PLAN, smem, turn, ...)          \
    LL_MOVE_(ll_cluster_reduce_receive_, PLAN, smem)(                       \
        b, state, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_SCAN(b, a, PLAN, smem, turn, ...)                        \
    LL_MOVE_(ll_cluster_scan_all_, PLAN, smem)(                             \
        b, a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_SCAN_BEFORE(b, a, PLAN, smem, turn, ...)                 \
    LL_MOVE_(ll_cluster_scan_before_, PLAN, smem)(                          \
        b, a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_SCAN_SEND(a, PLAN, smem, turn, ...)                      \
    LL_MOVE_(ll_cluster_scan_send_, PLAN, smem)(                            \
        a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_SCAN_RECEIVE(b, state, PLAN, smem, turn, ...)            \
    LL_MOVE_(ll_cluster_scan_receive_, PLAN, smem)(                         \
        b, state, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_SCAN_SEND_BEFORE(a, PLAN, smem, turn, ...)               \
    LL_MOVE_(ll_cluster_scan_send_, PLAN, smem)(                            \
        a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))

#else
#define LL_NO_CLUSTERS_(NAME, ...) LL_ABSENT_PART_(NAME, "LL_CLUSTERS")
#define LL_CLUSTER_REDUCE_PLAN(...) LL_NO_CLUSTERS_(__VA_ARGS__, )
#define LL_CLUSTER_REDUCE_PLAN_BY(...) LL_NO_CLUSTERS_(__VA_ARGS__, )
#define LL_CLUSTER_SCAN_PLAN(...) LL_NO_CLUSTERS_(__VA_ARGS__, )
#define LL_CLUSTER_SCAN_PLAN_BY(...) LL_NO_CLUSTERS_(__VA_ARGS__, )
#define LL_CLUSTER_BEGIN(...) (void)0 /* the plan reports it */
#define LL_CLUSTER_END(...) (void)0
#define LL_CLUSTER_REDUCE(...) (void)0
#define LL_CLUSTER_REDUCE_EACH(...) (void)0
#define LL_CLUSTER_SCAN(...) (void)0
#define LL_CLUSTER_SCAN_BEFORE(...) (void)0
#endif /* LL_CLUSTERS */

#endif
