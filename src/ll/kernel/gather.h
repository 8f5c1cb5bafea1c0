/* ---- Gathers in kernels ----------------------------------------------- */
#ifndef LL_KERNEL_GATHER_H
#define LL_KERNEL_GATHER_H

#include "convert.h"

#ifdef LL_DEVICE

/* A gather computes places from indices and fetches their elements. These types
 * hold the maps of thread and index. */
template <class PLAN_> struct ll_fetch_of_ {
    static constexpr ll_step value = LL_GET(PLAN_).fetch;
};

LL_FN ll_map ll_without_offset_(ll_map m) {
    m.offset = 0;
    return m;
}

template <class PLAN_> struct ll_index_map_ {
    LL_CONSTANT_ ll_map map() {
        return ll_without_offset_(LL_GET(PLAN_).value);
    }
};

/* The selects of a gather, with 2^PACK registers per word. */
LL_FN ll_step ll_packed_step_(ll_step s, unsigned pack) {
    s.pack = pack;
    return s;
}

template <class PLAN_, unsigned PACK_> struct ll_turn_of_ {
    static constexpr ll_step value =
        ll_packed_step_(LL_GET(PLAN_).turn, PACK_);
};

/* Unpacks indices to one per word, from words with EACH: 1, 2 or 4. */
template <unsigned EACH_, unsigned N_, unsigned... R_>
LL_DEVICE ll_file_<sizeof...(R_)> ll_indices_apart_(const ll_file_<N_> &f,
                                                    ll_seq_<R_...>) {
    return {{(f.w[R_ / EACH_] >> (R_ % EACH_ * (32u / EACH_)))...}};
}

/* Register R's literal part; the index chooses of 2^choice positions. */
template <class PLAN_, unsigned R_> struct ll_part_of_ {
    static constexpr ll_step fetch = LL_GET(PLAN_).fetch;
    enum : unsigned {
        bits = LL_GET(PLAN_).step[0].bits,
        pack = LL_GET(PLAN_).step[0].pack,
        choice = LL_GET(PLAN_).choice,
        place = ll_places(&fetch.at, R_),
        first = (place & ll_ones_(bits)) >> choice << choice >> pack,
        depth = choice > pack ? choice - pack : 0,
        mask = ll_ones_(pack)
    };
};

/* Returns the word that `position` chooses among 2^DEPTH, the first of them
 * word W. Every lane fetches all of them. */
template <class V_, bool SHUFFLED_, unsigned PARTS_, unsigned W_,
          unsigned PACK_, unsigned DEPTH_, unsigned N_>
LL_DEVICE unsigned ll_choose_word_(const ll_file_<N_> &f, unsigned position,
                                   unsigned lane) {
    if constexpr (DEPTH_ != 0) {
        constexpr unsigned half = 1u << (DEPTH_ - 1u);
        const unsigned low =
            ll_choose_word_<V_, SHUFFLED_, PARTS_, W_, PACK_, DEPTH_ - 1u>(
                f, position, lane);
        const unsigned high =
            ll_choose_word_<V_, SHUFFLED_, PARTS_, W_ + half * PARTS_, PACK_,
                            DEPTH_ - 1u>(f, position, lane);
        return position & half << PACK_ ? high : low;
    } else if constexpr (SHUFFLED_) {
        return V_::shuffle(f.w[W_], lane);
    } else {
        return f.w[W_];
    }
}

/* Returns the selector of an element's bytes for a byte permute. */
template <unsigned BYTES_>
LL_DEVICE unsigned ll_selector_(unsigned position, unsigned mask) {
    return BYTES_ == 1 ? position & mask : (position & mask) * 0x22u + 0x10u;
}

/* Fetches words W within the warp. Each register has PARTS words. */
template <class V_, class PLAN_, unsigned PARTS_, unsigned N_, unsigned M_,
          unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)> ll_ask_lanes_(const ll_file_<N_> &f,
                                                const ll_file_<M_> &place,
                                                ll_seq_<W_...>) {
    constexpr bool shuffled = LL_GET(PLAN_).kind == LL_SHUFFLES;
    constexpr unsigned bits = ll_part_of_<PLAN_, 0>::bits;
    constexpr unsigned pack = ll_part_of_<PLAN_, 0>::pack;
    constexpr unsigned depth = ll_part_of_<PLAN_, 0>::depth;
    return {{ll_choose_word_<
        V_, shuffled, PARTS_,
        ll_part_of_<PLAN_, W_ / PARTS_>::first * PARTS_ + W_ % PARTS_, pack,
        depth>(f, place.w[W_ / PARTS_], place.w[W_ / PARTS_] >> bits)...}};
}

/* Extracts elements of fewer than 32 bits from their words. */
template <class V_, class PLAN_, unsigned BYTES_, unsigned N_, unsigned... R_>
LL_DEVICE ll_file_<N_> ll_take_out_(const ll_file_<N_> &f,
                                    const ll_file_<N_> &place,
                                    ll_seq_<R_...>) {
    constexpr unsigned mask = ll_part_of_<PLAN_, 0>::mask;
    return {{V_::permute(f.w[R_], f.w[R_],
                         ll_selector_<BYTES_>(place.w[R_], mask))...}};
}

/* Extracts elements below 32 bits from words a and b, packed in one. */
template <class V_, unsigned BYTES_>
LL_DEVICE unsigned ll_two_out_(unsigned a, unsigned b, unsigned place_a,
                               unsigned place_b, unsigned mask) {
    return V_::permute(a, b,
                       (BYTES_ == 1 ? 0x40u : 0x4400u) ^
                           ll_selector_<BYTES_>(place_a, mask) ^
                           ll_selector_<BYTES_>(place_b, mask)
                               << (BYTES_ == 1 ? 4u : 8u));
}

template <class V_, class PLAN_, unsigned BYTES_, unsigned W_, unsigned N_>
LL_DEVICE unsigned ll_take_word_(const ll_file_<N_> &f,
                                 const ll_file_<N_> &place) {
    constexpr unsigned mask = ll_part_of_<PLAN_, 0>::mask;
    constexpr unsigned k = W_ * (4 / BYTES_);
    const unsigned low = ll_two_out_<V_, BYTES_>(
        f.w[k], f.w[k + 1], place.w[k], place.w[k + 1], mask);
    if constexpr (BYTES_ == 1) {
        return V_::permute(low,
                           ll_two_out_<V_, 1>(f.w[k + 2], f.w[k + 3],
                                              place.w[k + 2], place.w[k + 3],
                                              mask),
                           0x5410);
    } else {
        return low;
    }
}

template <class V_, class PLAN_, unsigned BYTES_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)> ll_take_words_(const ll_file_<N_> &f,
                                                 const ll_file_<N_> &place,
                                                 ll_seq_<W_...>) {
    return {{ll_take_word_<V_, PLAN_, BYTES_, W_>(f, place)...}};
}

/* The identity on 2^BITS positions, to pack elements that have a word each. */
LL_FN ll_access ll_as_it_is_(unsigned bits) {
    ll_access m = LL_ZERO;
    m.n = bits;
    for (unsigned k = 0; k < bits; ++k) {
        m.reg[k] = 1u << k;
    }
    return m;
}

template <unsigned BITS_> struct ll_as_they_are_ {
    static constexpr ll_access value = ll_as_it_is_(BITS_);
};

/* Packs elements that have a word each, 2^PACK per word. */
template <class V_, class PLAN_, unsigned BYTES_, unsigned PACK_, unsigned N_>
LL_DEVICE auto ll_put_together_(const ll_file_<N_> &f) {
    return ll_file_rename_<V_, ll_as_they_are_<LL_GET(PLAN_).to_bits>, BYTES_,
                           0, PACK_>(f);
}

/* Extracts elements from the words f that hold them. PACK: results below 32
 * bits have a word each, fill words, or fill a part. */
template <class V_, class PLAN_, unsigned BYTES_, unsigned PACK_, unsigned N_,
          unsigned M_>
LL_DEVICE auto ll_taken_(const ll_file_<N_> &f, const ll_file_<M_> &place) {
    constexpr unsigned full = BYTES_ == 1 ? 2 : 1;
    if constexpr (BYTES_ >= 4) {
        return f;
    } else if constexpr (PACK_ == full) {
        return ll_take_words_<V_, PLAN_, BYTES_>(
            f, place, ll_seq_below_<(N_ >> PACK_)>());
    } else {
        const auto out =
            ll_take_out_<V_, PLAN_, BYTES_>(f, place, ll_seq_below_<N_>());
        if constexpr (PACK_ == 0) {
            return out;
        } else {
            return ll_put_together_<V_, PLAN_, BYTES_, PACK_>(out);
        }
    }
}

template <class V_, class S_, unsigned M_, unsigned... R_>
LL_DEVICE auto ll_ask_memory_(const ll_file_<M_> &place, unsigned smem,
                              ll_seq_<R_...>) {
    const ll_words v[] = {V_::template take<LL_FORM_VECTOR, S_::bytes>(
        ll_address_at_<S_, R_>(place.w[R_], smem))...};
    return ll_words_flat_<S_::per>(v, ll_seq_below_<S_::per * M_>());
}

/* Fetches all elements by the plan's kind; packs 2^PACK per word. */
template <class V_, class PLAN_, unsigned BYTES_, unsigned PACK_, unsigned N_,
          unsigned M_>
LL_DEVICE auto ll_ask_(const ll_file_<N_> &f, const ll_file_<M_> &place,
                       unsigned thread, unsigned smem) {
    constexpr unsigned parts = ll_element_words_(8 * BYTES_);
    if constexpr (LL_GET(PLAN_).kind == LL_SHARED) {
        return ll_put_together_<V_, PLAN_, BYTES_, PACK_>(
            ll_file_selects_<V_, ll_turn_of_<PLAN_, 0>, parts>(
                ll_ask_memory_<V_, ll_move_<ll_fetch_of_<PLAN_>>>(
                    place, smem, ll_seq_below_<M_>()),
                thread));
    } else {
        return ll_taken_<V_, PLAN_, BYTES_, PACK_>(
            ll_ask_lanes_<V_, PLAN_, parts>(f, place,
                                            ll_seq_below_<M_ * parts>()),
            place);
    }
}

/* Returns the places of the elements: the XOR of the thread's, the index's and
 * the register's parts. Through shared memory, addresses add the register's. */
template <class PLAN_, unsigned M_, unsigned... R_>
LL_DEVICE ll_file_<M_> ll_gather_places_(const ll_file_<M_> &index,
                                         unsigned thread, ll_seq_<R_...>) {
    constexpr bool memory = LL_GET(PLAN_).kind == LL_SHARED;
    const unsigned at =
        ll_thread_at_<ll_move_<ll_fetch_of_<PLAN_>>>(thread);
    return {{(ll_thread_at_<ll_index_map_<PLAN_>>(index.w[R_]) ^ at ^
              (memory ? 0u : ll_part_of_<PLAN_, R_>::place + 0u))...}};
}

/* An array of 2^BITS indices, with one, two or four per word. */
template <unsigned M_, unsigned BITS_> struct ll_indices_ {
    enum : unsigned {
        each = (1u << BITS_) / M_,
        pack = each / 2,
        fits = M_ << pack == 1u << BITS_ && each != 3 && each <= 4
    };
    static_assert(fits, "ll: the indices must be LL_REGS words of their "
                        "layout, or LL_WORDS words of indices of 8 or 16 "
                        "bits");
};

/* Selects among indices by a C expression. The compiler moves selects by fixed
 * indices out of a loop, unlike inline assembly. */
struct ll_plain_ {
    template <bool OTHER_>
    LL_DEVICE unsigned choose(unsigned a, unsigned b, unsigned on) {
        return on ? b : a;
    }
};

/* The first half of a gather. Through shared memory, it executes the steps up
 * to the barrier. Other kinds keep the words f in registers. */
template <class V_, class PLAN_, class FROM_, class T_, unsigned N_>
LL_DEVICE auto ll_gather_first_(const T_ (&src)[N_], unsigned smem) {
    constexpr unsigned end =
        LL_GET(PLAN_).n - (LL_GET(PLAN_).kind == LL_SHARED ? 1u : 0u);
    return ll_steps_<V_, PLAN_, 0, end, FROM_::pack,
                     LL_GET(PLAN_).step[0].pack>(
        FROM_::read(src, typename FROM_::each()), V_::thread(), smem);
}

template <class V_, class PLAN_, class TO_, class U_, unsigned M_, unsigned N_,
          unsigned L_>
LL_DEVICE void ll_gather_second_(U_ (&out)[M_], const ll_file_<N_> &f,
                                 const unsigned (&idx)[L_], unsigned smem) {
    constexpr unsigned count = 1u << LL_GET(PLAN_).to_bits;
    constexpr unsigned each = ll_indices_<L_, LL_GET(PLAN_).to_bits>::each;
    const unsigned thread = V_::thread();
    const auto index = ll_file_selects_<ll_plain_, ll_turn_of_<PLAN_, 0>, 1>(
        ll_indices_apart_<each>(
            ll_array_<unsigned, L_>::read(idx, ll_seq_below_<L_>()),
            ll_seq_below_<count>()),
        thread);
    TO_::write(out,
               ll_ask_<V_, PLAN_, LL_GET(PLAN_).element_bits / 8, TO_::pack>(
                   f,
                   ll_gather_places_<PLAN_>(index, thread,
                                            ll_seq_below_<count>()),
                   thread, smem),
               typename TO_::each());
}

template <class VENDOR_, class PLAN_, class U_, unsigned M_, class T_,
          unsigned N_, unsigned L_>
LL_DEVICE void ll_gather_(U_ (&out)[M_], const T_ (&src)[N_],
                          const unsigned (&idx)[L_], unsigned smem) {
    LL_WANTS_CONSTANT_(PLAN_, ll_gather_plan,
                       "LL_GATHER takes the name of a plan of LL_GATHER_PLAN");
    if constexpr (ll_constant_is_good_<PLAN_, ll_gather_plan>()) {
        constexpr unsigned bits = LL_GET(PLAN_).element_bits;
        typedef ll_registers_of_<T_, N_, LL_GET(PLAN_).from_bits, bits> from;
        typedef ll_registers_of_<U_, M_, LL_GET(PLAN_).to_bits, bits> to;
        if constexpr (ll_array_fits_<from, bits>() &&
                      ll_array_fits_<to, bits>() &&
                      ll_indices_<L_, LL_GET(PLAN_).to_bits>::fits) {
            typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
            LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, LL_GET(PLAN_).lanes);
            const auto f = ll_gather_first_<moves, PLAN_, from>(src, smem);
            if constexpr (LL_GET(PLAN_).kind == LL_SHARED) {
                ll_barrier_wait_<moves,
                                 LL_GET(PLAN_).step[LL_GET(PLAN_).n - 1].op>();
            }
            ll_gather_second_<moves, PLAN_, to>(out, f, idx, smem);
        }
    }
}

template <class VENDOR_, class PLAN_, class T_, unsigned N_>
LL_DEVICE auto ll_gather_store_(const T_ (&src)[N_], unsigned smem) {
    LL_WANTS_CONSTANT_(
        PLAN_, ll_gather_plan,
        "LL_GATHER_STORE takes the name of a plan of LL_GATHER_PLAN");
    if constexpr (ll_constant_is_good_<PLAN_, ll_gather_plan>()) {
        constexpr unsigned bits = LL_GET(PLAN_).element_bits;
        typedef ll_registers_of_<T_, N_, LL_GET(PLAN_).from_bits, bits> from;
        typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, LL_GET(PLAN_).lanes);
        if constexpr (ll_array_fits_<from, bits>()) {
            return ll_gather_first_<moves, PLAN_, from>(src, smem);
        } else {
            return ll_file_<1>{{0}};
        }
    } else {
        return ll_file_<1>{{0}};
    }
}

template <class VENDOR_, class PLAN_, class U_, unsigned M_, unsigned N_,
          unsigned L_>
LL_DEVICE void ll_gather_load_(U_ (&out)[M_], const ll_file_<N_> &f,
                               const unsigned (&idx)[L_], unsigned smem) {
    LL_WANTS_CONSTANT_(
        PLAN_, ll_gather_plan,
        "LL_GATHER_LOAD takes the name of a plan of LL_GATHER_PLAN");
    if constexpr (ll_constant_is_good_<PLAN_, ll_gather_plan>()) {
        constexpr unsigned bits = LL_GET(PLAN_).element_bits;
        typedef ll_registers_of_<U_, M_, LL_GET(PLAN_).to_bits, bits> to;
        if constexpr (ll_array_fits_<to, bits>() &&
                      ll_indices_<L_, LL_GET(PLAN_).to_bits>::fits) {
            ll_gather_second_<ll_moves_<VENDOR_, LL_GET(PLAN_).lanes>, PLAN_,
                              to>(out, f, idx, smem);
        }
    }
}

LL_NO_MOVE_(ll_gather_, "LL_GATHER(out, src, idx, PLAN, smem): out, src and "
            "idx must be arrays, not pointers, idx of unsigned")

/* LL_GATHER(out, src, idx, PLAN, smem): sets out[r] to the element of src at
 * index idx[r] along the axis of an LL_GATHER_PLAN. All three arrays are
 * distributed over the block. smem is as for LL_CONVERT.
 *
 * idx has 32-bit words with one index each, or LL_WORDS(INDEX, 16) words with
 * two or LL_WORDS(INDEX, 8) words with four, the first in the lowest bits. An
 * index is taken modulo the size of the axis, so no index reads out of bounds.
 *
 * If src, idx and out are more words than a thread has registers (255), give
 * the kernel __launch_bounds__(threads, 1). Without the 1, ptxas may settle for
 * 32 registers and spill four times as much.
 *
 * The halves are LL_GATHER_STORE(src, PLAN, smem), which returns a state, and
 * LL_GATHER_LOAD(out, state, idx, PLAN, smem). As for LL_REDUCE, the caller
 * provides the barrier between them. */
#define LL_GATHER(out, src, idx, PLAN, smem)                                \
    LL_MOVE_(ll_gather_, PLAN, smem)(out, src, idx, LL_SHARED_ADDRESS_(smem))
#define LL_GATHER_STORE(src, PLAN, smem)                                    \
    LL_MOVE_(ll_gather_store_, PLAN, smem)(src, LL_SHARED_ADDRESS_(smem))
#define LL_GATHER_LOAD(out, state, idx, PLAN, smem)                         \
    LL_MOVE_(ll_gather_load_, PLAN, smem)(                                  \
        out, state, idx, LL_SHARED_ADDRESS_(smem))

#endif

#endif
