/* ---- Conversions in kernels ------------------------------------------- */
#ifndef LL_KERNEL_CONVERT_H
#define LL_KERNEL_CONVERT_H

#include "sizes.h"
#include "scopes.h"
#include "words.h"
#include "moves.h"

/* Executes the steps of a plan as straight-line code. */

#ifdef LL_DEVICE

template <class S_> struct ll_at_ {
    static constexpr ll_access value = S_::value.at;
};

/* Returns what a flip by `by` XORs into selectors of byte permutes: in each of
 * four digits, the byte offset within the word, plus 4 for the other word. */
LL_FN unsigned ll_flip_of_(unsigned by, unsigned bytes, unsigned before) {
    const unsigned low = (by & ll_ones_(before)) * bytes;
    return 0x1111u * (low | (by >> before ? 4u : 0u));
}

/* Renames all positions by AT. `flip` is XORed into the selectors. */
template <class V_, class AT_, unsigned BYTES_, unsigned BEFORE_,
          unsigned AFTER_, bool FLIP_ = false, unsigned N_>
LL_DEVICE auto ll_file_rename_(const ll_file_<N_> &f, unsigned flip = 0) {
    constexpr unsigned words =
        ll_word_count_(AT_::value.n, AFTER_, 8 * BYTES_);
    constexpr bool four = BEFORE_ == 2 && AFTER_ == 2 && AT_::value.n > 2 &&
                          ll_word_rank_(&AT_::value, 2, 2) == 2;
    constexpr unsigned high = four ? ll_half_bit_(&AT_::value) : 0;
    const ll_seq_below_<words> each;
    if constexpr (high != 0) {
        return ll_file_fetch_all_<V_, ll_half_of_<AT_, high, 1>, BYTES_, 2, 2,
                                  false, true>(
            ll_file_fetch_all_<V_, ll_half_of_<AT_, high, 0>, BYTES_, 2, 2,
                               FLIP_, false>(f, flip, each),
            0, each);
    } else {
        return ll_file_fetch_all_<V_, AT_, BYTES_, BEFORE_, AFTER_, FLIP_,
                                  false>(f, flip, each);
    }
}

/* Returns nonzero if an odd number of the bits in thread & MASK are set. */
template <unsigned MASK_> LL_DEVICE unsigned ll_is_odd_(unsigned thread) {
    unsigned x = thread & MASK_;
    if constexpr ((MASK_ & (MASK_ - 1u)) != 0) {
        x ^= x >> 16;
        x ^= x >> 8;
        x ^= x >> 4;
        x = 0x6996u >> (x & 15u) & 1u;
    }
    return x;
}

/* Select K of a step exchanges words whose numbers differ by `by`, in threads
 * where thread & `mask` has an odd number of bits. */
template <class S_, unsigned K_> struct ll_select_ {
    enum : unsigned {
        by = S_::value.at.reg[K_] >> S_::value.pack,
        mask = S_::value.at.place[K_]
    };
};

template <class V_, unsigned BY_, unsigned PARTS_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<N_> ll_select_all_(const ll_file_<N_> &f, unsigned on,
                                      ll_seq_<W_...>) {
    constexpr unsigned low = (BY_ & (0u - BY_)) * PARTS_;
    return {{V_::template choose<(W_ & low) != 0>(
        f.w[W_], f.w[(W_ / PARTS_ ^ BY_) * PARTS_ + W_ % PARTS_], on)...}};
}

/* Executes the selects of step S from number K on. */
template <class V_, class S_, unsigned PARTS_, unsigned K_ = 0, unsigned N_>
LL_DEVICE ll_file_<N_> ll_file_selects_(const ll_file_<N_> &f,
                                        unsigned thread) {
    if constexpr (K_ < S_::value.at.n) {
        return ll_file_selects_<V_, S_, PARTS_, K_ + 1>(
            ll_select_all_<V_, ll_select_<S_, K_>::by, PARTS_>(
                f, ll_is_odd_<ll_select_<S_, K_>::mask>(thread),
                ll_seq_below_<N_>()),
            thread);
    } else {
        return f;
    }
}

/* Word W of a shuffle's result. word: the word that is sent. lane: XORed into
 * the number of the lane that sends it. */
template <class S_, unsigned PARTS_, unsigned W_> struct ll_round_ {
    enum : unsigned {
        p = W_ / PARTS_ << S_::value.pack,
        word = (ll_registers(&S_::value.at, p) >> S_::value.pack) * PARTS_ +
               W_ % PARTS_,
        lane = ll_places(&S_::value.at, p)
    };
};

/* Returns whether a map on lanes is the identity, apart from an XOR. */
LL_FN int ll_adds_(const ll_map *m, unsigned lanes) {
    return m->n == 1u && m->shift[0] == 0 && m->mask[0] == lanes - 1u;
}

/* The hops of a round that reads from lane map ^ PLACE. */
template <class V_, class S_, unsigned PLACE_> struct ll_hops_at_ {
    static constexpr ll_hops value =
        ll_hops_of(S_::value.thread, PLACE_, S_::value.hops, V_::lanes);
};

/* Moves word x by the hops from K on. A swap takes x twice and keeps one. */
template <class V_, class H_, unsigned K_ = 0>
LL_DEVICE unsigned ll_hopped_(unsigned x, unsigned thread) {
    if constexpr (K_ < H_::value.n) {
        constexpr unsigned hop = H_::value.hop[K_];
        constexpr unsigned long long control = H_::value.control[K_];
        if constexpr (hop == LL_HOP_SWAP) {
            unsigned a = x;
            unsigned b = x;
            V_::template swap<(unsigned)control>(a, b);
            x = thread & (unsigned)control ? a : b;
        } else {
            x = V_::template hop<hop, control>(x);
        }
        return ll_hopped_<V_, H_, K_ + 1>(x, thread);
    } else {
        return x;
    }
}

/* Returns whether a round is executed by hops; a target may have none. */
template <class V_, class S_, unsigned PLACE_>
LL_FN bool ll_has_hops_() {
    if constexpr (S_::value.hops != 0) {
        constexpr ll_hops hops = ll_hops_at_<V_, S_, PLACE_>::value;
        return hops.n == 0 || hops.hop[0] != LL_HOP_ANY;
    } else {
        return false;
    }
}

/* Returns word x of lane `lane` ^ LANE, where `lane` is the map's value at this
 * thread. If the map only ADDS lanes, the source lane is computed from this
 * thread's own number. On targets with hops that is a plain shuffle: the plan
 * has already decided which rounds use hops. */
template <class V_, class S_, bool ADDS_, unsigned LANE_>
LL_DEVICE unsigned ll_shuffle_word_(unsigned x, unsigned lane,
                                    unsigned thread) {
    if constexpr (ll_has_hops_<V_, S_, LANE_>()) {
        return ll_hopped_<V_, ll_hops_at_<V_, S_, LANE_>>(x, thread);
    } else if constexpr (!ADDS_) {
        return V_::shuffle(x, lane ^ LANE_);
    } else if constexpr (S_::value.hops != 0) {
        return V_::shuffle(x, thread ^ LANE_ ^ ll_map_numbers_<S_>::offset);
    } else if constexpr ((LANE_ ^ ll_map_numbers_<S_>::offset) != 0) {
        return V_::template exchange<LANE_ ^ ll_map_numbers_<S_>::offset>(x);
    } else {
        return x;
    }
}

template <class V_, class S_, unsigned PARTS_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)>
ll_shuffle_(const ll_file_<N_> &f, unsigned thread, ll_seq_<W_...>) {
    constexpr bool adds = ll_adds_(&S_::value.thread, V_::lanes);
    const unsigned lane = adds ? 0u : ll_thread_at_<S_>(thread);
    return {{ll_shuffle_word_<V_, S_, adds, ll_round_<S_, PARTS_, W_>::lane>(
        f.w[ll_round_<S_, PARTS_, W_>::word], lane, thread)...}};
}

#define LL_OTHER_TARGET_                                                    \
    "ll: the plan uses instructions of its target (matrix accesses, "       \
    "copies, clusters) that the GPU compiled for lacks: LL_TARGET_HERE is "  \
    "the target of that GPU"

/* Returns the words of access G; ll_words_flat_: of all accesses, a file. */
template <unsigned PER_, unsigned G_, unsigned N_, unsigned... W_>
LL_DEVICE ll_words ll_access_words_(const ll_file_<N_> &f, ll_seq_<W_...>) {
    return {{f.w[G_ * PER_ + W_]...}};
}

template <unsigned PER_, unsigned G_, unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)> ll_words_flat_(const ll_words (&v)[G_],
                                                 ll_seq_<W_...>) {
    return {{v[W_ / PER_].w[W_ % PER_]...}};
}

/* Returns the address of position P in shared memory. Bits that depend on the
 * thread are XORed; others are added, as immediates. */
template <class S_, unsigned P_>
LL_DEVICE unsigned ll_address_at_(unsigned thread, unsigned smem) {
    return (thread ^ ll_position_<S_, P_>::moved) + smem +
           ll_position_<S_, P_>::fixed;
}

template <class V_, class S_, unsigned N_, unsigned... G_>
LL_DEVICE void ll_store_all_(const ll_file_<N_> &f, unsigned thread,
                             unsigned smem, ll_seq_<G_...>) {
    constexpr unsigned form = S_::value.form;
    constexpr bool can = (unsigned)V_::stores >> form & 1u;
    static_assert(can, LL_OTHER_TARGET_);
    if constexpr (can) {
        const unsigned at = ll_thread_at_<S_>(thread);
        if ((thread & S_::spare) == 0) {
            (V_::template put<form, S_::bytes>(
                 ll_address_at_<S_, G_ * S_::vector>(at, smem),
                 ll_access_words_<S_::per, G_>(f, ll_seq_below_<S_::per>())),
             ...);
        }
    }
}

/* Loads position P from the memory of the thread's own block. If the step reads
 * other blocks, the bits of the place above the byte offset say which block.
 * base: start of the memory that position 0 reads. */
template <class V_, class S_, unsigned P_>
LL_DEVICE ll_words ll_take_one_(unsigned thread, unsigned smem,
                                unsigned base) {
    if constexpr (S_::value.dsmem == 0) {
        return V_::template take<S_::value.form, S_::bytes>(
            ll_address_at_<S_, P_>(thread, base));
    } else {
        constexpr unsigned byte = (1u << S_::value.dsmem) - 1u;
        constexpr unsigned block =
            ll_position_<S_, P_>::place >> S_::value.dsmem;
        if constexpr (block != 0) {
            base = V_::dsmem(smem, thread >> S_::value.dsmem ^ block);
        }
        return V_::template take_dsmem<S_::bytes>(
            ((thread & byte) ^ (ll_position_<S_, P_>::moved & byte)) + base +
            (ll_position_<S_, P_>::fixed & byte));
    }
}

/* Loads all positions. Loads from other blocks end with a cluster barrier: no
 * block exits or stores again while others still load. */
template <class V_, class S_, unsigned... G_>
LL_DEVICE ll_file_<S_::per * sizeof...(G_)>
ll_take_all_(unsigned thread, unsigned smem, ll_seq_<G_...>) {
    constexpr bool far = S_::value.dsmem != 0;
    constexpr bool can = far ? V_::clusters != 0
                             : (unsigned)V_::loads >> S_::value.form & 1u;
    static_assert(can, LL_OTHER_TARGET_);
    if constexpr (can) {
        const unsigned at = ll_thread_at_<S_>(thread);
        unsigned base = smem;
        if constexpr (far) {
            base = V_::dsmem(smem, at >> S_::value.dsmem);
        }
        const ll_words v[] = {
            ll_take_one_<V_, S_, G_ * S_::vector>(at, smem, base)...};
        if constexpr (far) {
            V_::wait_cluster();
        }
        return ll_words_flat_<S_::per>(
            v, ll_seq_below_<S_::per * sizeof...(G_)>());
    } else {
        return {{0}};
    }
}

/* Returns the thread number with the block's rank in the bits from RANK on.
 * Plans and layouts that do not depend on the rank have RANK 0. */
template <class V_, unsigned RANK_>
LL_DEVICE unsigned ll_thread_ranked_(unsigned thread) {
    if constexpr (RANK_ != 0) {
        return thread | V_::block() << RANK_;
    } else {
        return thread;
    }
}

/* Takes the words in the order of the positions, then swaps each word P of the
 * first half with its partner in the second half, between lanes. */
template <class V_, class S_, unsigned PARTS_, unsigned N_, unsigned... W_,
          unsigned... P_>
LL_DEVICE ll_file_<sizeof...(W_)>
ll_swap_all_(const ll_file_<N_> &f, ll_seq_<W_...>, ll_seq_<P_...>) {
    constexpr unsigned lane = S_::value.at.place[S_::value.at.n - 1];
    ll_file_<sizeof...(W_)> g = {{f.w[ll_round_<S_, PARTS_, W_>::word]...}};
    (V_::template swap<lane>(g.w[P_], g.w[P_ + sizeof...(P_)]), ...);
    return g;
}

/* Executes the barrier of operation OP. */
template <class V_, unsigned OP_> LL_DEVICE void ll_barrier_wait_() {
    if constexpr (OP_ == LL_OP_SYNC_WARP) {
        V_::wait_warp();
    } else if constexpr (OP_ == LL_OP_SYNC_BLOCK) {
        V_::wait_block();
    } else {
        V_::wait_cluster();
    }
}

/* Executes step S and returns the file after it. Words hold 2^BEFORE elements
 * of BYTES bytes before the step and 2^AFTER after it. */
template <class V_, class S_, unsigned BYTES_, unsigned BEFORE_,
          unsigned AFTER_, unsigned N_>
LL_DEVICE auto ll_do_(const ll_file_<N_> &f, unsigned thread, unsigned smem) {
    constexpr unsigned op = S_::value.op;
    constexpr unsigned parts = ll_element_words_(8 * BYTES_);
    constexpr unsigned words =
        ll_word_count_(S_::value.bits, AFTER_, 8 * BYTES_);
    if constexpr (op == LL_OP_RENAME) {
        constexpr unsigned flip = S_::value.flip;
        return ll_file_rename_<V_, ll_at_<S_>, BYTES_, BEFORE_, AFTER_,
                               flip != 0>(
            f, ll_is_odd_<flip>(thread)
                   ? ll_flip_of_(S_::value.flip_by, BYTES_, BEFORE_)
                   : 0u);
    } else if constexpr (op == LL_OP_SELECT) {
        return ll_file_selects_<V_, S_, parts>(f, thread);
    } else if constexpr (op == LL_OP_SHUFFLE) {
        return ll_shuffle_<V_, S_, parts>(f, thread, ll_seq_below_<words>());
    } else if constexpr (op == LL_OP_SWAP) {
        return ll_swap_all_<V_, S_, parts>(f, ll_seq_below_<words>(),
                                           ll_seq_below_<words / 2>());
    } else if constexpr (op == LL_OP_LOAD) {
        return ll_take_all_<V_, S_>(thread, smem, typename S_::each());
    } else {
        if constexpr (op == LL_OP_STORE) {
            ll_store_all_<V_, S_>(f, thread, smem, typename S_::each());
        } else {
            ll_barrier_wait_<V_, op>();
        }
        return f;
    }
}

/* Executes steps K to END - 1 of a plan. LAST: log2 of the elements per
 * word. */
template <class V_, class PLAN_, unsigned K_, unsigned END_, unsigned BEFORE_,
          unsigned LAST_, unsigned N_>
LL_DEVICE auto ll_steps_(const ll_file_<N_> &f, unsigned thread,
                         unsigned smem) {
    if constexpr (K_ < END_) {
        typedef ll_move_<ll_step_of_<PLAN_, K_>> step;
        constexpr unsigned after =
            K_ + 1 == LL_GET(PLAN_).n     ? LAST_
            : ll_is_sync_(step::value.op) ? BEFORE_
                                          : step::value.pack;
        return ll_steps_<V_, PLAN_, K_ + 1, END_, after, LAST_>(
            ll_do_<V_, step, LL_GET(PLAN_).element_bits / 8, BEFORE_, after>(
                f, thread, smem),
            thread, smem);
    } else {
        return f;
    }
}

/* Returns part P of a file, N words long. */
template <unsigned P_, unsigned N_, unsigned M_, unsigned... W_>
LL_DEVICE ll_file_<N_> ll_pass_part_(const ll_file_<M_> &f, ll_seq_<W_...>) {
    return {{f.w[P_ * N_ + W_]...}};
}

/* Executes pass P of several through shared memory. */
template <class V_, class PLAN_, unsigned P_, unsigned N_>
LL_DEVICE auto ll_pass_(const ll_file_<N_> &f, unsigned thread,
                        unsigned smem) {
    typedef ll_move_<ll_step_of_<PLAN_, 1>> store;
    typedef ll_move_<ll_step_of_<PLAN_, 3>> load;
    constexpr unsigned wait = LL_GET(PLAN_).step[2].op;
    constexpr unsigned n = N_ >> LL_GET(PLAN_).passes;
    if constexpr (P_ != 0 && load::value.dsmem == 0) {
        ll_barrier_wait_<V_, wait>();
    }
    ll_store_all_<V_, store>(ll_pass_part_<P_, n>(f, ll_seq_below_<n>()),
                             thread, smem, typename store::each());
    ll_barrier_wait_<V_, wait>();
    return ll_take_all_<V_, load>(thread, smem, typename load::each());
}

template <unsigned N_, unsigned P_, unsigned... W_>
LL_DEVICE ll_file_<N_ * P_> ll_joined_(const ll_file_<N_> (&part)[P_],
                                       ll_seq_<W_...>) {
    return {{part[W_ / N_].w[W_ % N_]...}};
}

template <class V_, class PLAN_, unsigned N_, unsigned... P_>
LL_DEVICE auto ll_all_passes_(const ll_file_<N_> &f, unsigned thread,
                              unsigned smem, ll_seq_<P_...>) {
    typedef ll_move_<ll_step_of_<PLAN_, 3>> load;
    constexpr unsigned n = load::per * load::groups;
    const ll_file_<n> part[] = {
        ll_pass_<V_, PLAN_, P_>(f, thread, smem)...};
    return ll_joined_(part, ll_seq_below_<n * sizeof...(P_)>());
}

/* Executes all steps of a plan, and all passes between its two renamings. */
template <class V_, class PLAN_, unsigned BEFORE_, unsigned LAST_, unsigned N_>
LL_DEVICE auto ll_whole_plan_(const ll_file_<N_> &f, unsigned thread,
                              unsigned smem) {
    if constexpr (LL_GET(PLAN_).passes == 0) {
        return ll_steps_<V_, PLAN_, 0, LL_GET(PLAN_).n, BEFORE_, LAST_>(
            f, thread, smem);
    } else {
        return ll_steps_<V_, PLAN_, 4, 5, LL_GET(PLAN_).step[3].pack, LAST_>(
            ll_all_passes_<V_, PLAN_>(
                ll_steps_<V_, PLAN_, 0, 1, BEFORE_, 0>(f, thread, smem),
                thread, smem, ll_seq_below_<(1u << LL_GET(PLAN_).passes)>()),
            thread, smem);
    }
}

/* An array T a[N] of registers with 2^BITS elements, one per array element or
 * packed in words of 32 bits. HOW: how 4-bit elements, which are pairs in the
 * array, are rearranged before or after the steps of a plan. */
template <class T_, unsigned N_, unsigned BITS_, unsigned ELEMENT_BITS_,
          unsigned HOW_ = LL_STAY>
struct ll_registers_of_ : ll_array_<T_, N_> {
    typedef ll_array_<T_, N_> array;
    enum : unsigned {
        constant = ll_is_same_<T_, const T_>::value,
        most = ll_elements_per_word_(ELEMENT_BITS_),
        pack = most < BITS_ ? most : BITS_,
        held = HOW_ == LL_APART ? BITS_ - 1u : BITS_,
        needed = sizeof(T_) == 4 && ELEMENT_BITS_ != 32
                     ? ll_word_count_(held, pack < held ? pack : held,
                                      ELEMENT_BITS_)
                     : 1u << held
    };
    template <class V_> LL_DEVICE auto take(const T_ *a) {
        return ll_nibbles_before_<V_, HOW_, BITS_>(
            array::read(a, typename array::each()));
    }
    template <class V_, unsigned M_>
    LL_DEVICE void put(T_ *a, const ll_file_<M_> &f) {
        array::write(a, ll_nibbles_after_<V_, HOW_, BITS_>(f),
                     typename array::each());
    }
};

/* Each asserts that an array is what a call needs, and returns whether it is.
 * The compiler's note prints the numbers given_ and needed_. */
#define LL_NEEDS_(name, text)                                               \
    template <unsigned given_, unsigned needed_> LL_FN bool name() {        \
        static_assert(given_ == needed_, "ll: " text);                      \
        return given_ == needed_;                                           \
    }
LL_NEEDS_(ll_length_is_, "the array has given_ elements below, but must have "
                         "needed_: LL_REGS of its layout, or LL_WORDS words")
LL_NEEDS_(ll_regs_are_, "the array has given_ elements below, but must have "
                        "needed_: LL_REGS of its layout")
LL_NEEDS_(ll_word_is_, "an element of the array has given_ bits below, but "
                       "must have needed_, or be a word of 32 bits")
LL_NEEDS_(ll_bits_are_, "an element of the array has given_ bits below, but "
                        "must have needed_, the plan's element bits")
#undef LL_NEEDS_

/* Asserts that 32-bit elements are not given where other bits are needed. */
#define LL_BITS_ARE_NOT_(bits)                                              \
    static_assert(BITS_ != bits,                                            \
                  "ll: an element of the array has 32 bits, of src, dst "   \
                  "or the plan " #bits ": convert first, as by LL_CAST");
template <unsigned BITS_> LL_FN bool ll_bits_are_others_() {
    LL_BITS_ARE_NOT_(8)
    LL_BITS_ARE_NOT_(16)
    LL_BITS_ARE_NOT_(64)
    LL_BITS_ARE_NOT_(128)
    return false;
}
#undef LL_BITS_ARE_NOT_

template <class ARRAY_, unsigned ELEMENT_BITS_>
LL_FN bool ll_array_fits_() {
    static_assert(!ARRAY_::constant,
                  "ll: the array to fill must not have const elements");
    if constexpr (ARRAY_::constant) {
        return false;
    } else if constexpr (ARRAY_::size == 4 && ELEMENT_BITS_ != 32 &&
                         ARRAY_::count == 1u << ARRAY_::held &&
                         ARRAY_::count != ARRAY_::needed + 0u) {
        return ll_bits_are_others_<ELEMENT_BITS_>();
    } else if constexpr (ARRAY_::size == 4 ||
                         8u * ARRAY_::size == ELEMENT_BITS_) {
        return ll_length_is_<ARRAY_::count, ARRAY_::needed>();
    } else {
        return ll_word_is_<8u * ARRAY_::size, ELEMENT_BITS_>();
    }
}

/* Returns whether the constant NAME is a T without an error. */
template <class NAME_, class T_> LL_FN bool ll_constant_is_good_() {
    if constexpr (ll_is_a_<NAME_, T_>::value) {
        constexpr bool good = LL_GET(NAME_).err == LL_OK;
        return good;
    } else {
        return false;
    }
}

/* Asserts that a constant has the type that a call needs. If it has an error,
 * that was reported at its declaration. */
#define LL_WANTS_CONSTANT_(NAME, type, text)                                \
    static_assert(ll_is_a_<NAME, type>::value, "ll: " text)

/* Returns whether LAYOUT is a valid layout of registers. Asserts that a valid
 * layout has no inputs but register, lane, warp and block. */
template <class LAYOUT_> LL_FN bool ll_has_registers_() {
    if constexpr (ll_constant_is_good_<LAYOUT_, ll_layout>()) {
        return ll_inputs_of_<LAYOUT_>::known != 0;
    } else {
        return false;
    }
}

/* Converts array a to array b. */
template <class V_, class PLAN_, class T_, unsigned N_, class U_, unsigned M_>
LL_DEVICE void ll_convert_by_(U_ (&b)[M_], const T_ (&a)[N_], unsigned thread,
                              unsigned smem) {
    constexpr unsigned bits = LL_GET(PLAN_).element_bits;
    typedef ll_registers_of_<T_, N_, LL_GET(PLAN_).from_bits, bits,
                             LL_GET(PLAN_).before>
        from;
    typedef ll_registers_of_<U_, M_, LL_GET(PLAN_).to_bits, bits,
                             LL_GET(PLAN_).after>
        to;
    constexpr bool fit =
        ll_array_fits_<from, bits>() && ll_array_fits_<to, bits>();
    constexpr bool alike = LL_GET(PLAN_).n || from::pack + 0u == to::pack + 0u;
    static_assert(alike || !fit,
                  "ll: if nothing moves, both arrays must be packed alike");
    if constexpr (fit && alike) {
        to::template put<V_>(
            b, ll_whole_plan_<V_, PLAN_, from::pack, to::pack>(
                   from::template take<V_>(a),
                   ll_thread_ranked_<V_, LL_GET(PLAN_).rank>(thread), smem));
    }
}

template <class VENDOR_, class PLAN_, class T_, unsigned N_, class U_,
          unsigned M_>
LL_DEVICE void ll_convert_(U_ (&b)[M_], const T_ (&a)[N_], unsigned smem) {
    LL_WANTS_CONSTANT_(PLAN_, ll_plan,
                       "LL_CONVERT takes the name of a plan of LL_PLAN");
    if constexpr (ll_constant_is_good_<PLAN_, ll_plan>()) {
        typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, LL_GET(PLAN_).lanes);
        ll_convert_by_<moves, PLAN_>(b, a, moves::thread(), smem);
    }
}

/* Returns whether a plan can be split into a store and a load. */
template <class PLAN_> LL_FN bool ll_has_halves_() {
    LL_WANTS_CONSTANT_(
        PLAN_, ll_plan,
        "LL_STORE_SHARED and LL_LOAD_SHARED take the name of a plan of "
        "LL_PLAN");
    if constexpr (ll_constant_is_good_<PLAN_, ll_plan>()) {
        static_assert(LL_GET(PLAN_).kind >= LL_SHARED,
                      "ll: the plan does not go through shared memory");
        static_assert(LL_GET(PLAN_).passes == 0,
                      "ll: the plan has several passes: use LL_CONVERT");
        constexpr bool halves =
            LL_GET(PLAN_).kind >= LL_SHARED && LL_GET(PLAN_).passes == 0;
        return halves;
    } else {
        return false;
    }
}

/* The halves of a plan through shared memory, split at its barrier. */
template <class V_, class PLAN_, class T_, unsigned N_>
LL_DEVICE void ll_store_half_(const T_ (&a)[N_], unsigned smem) {
    constexpr unsigned bits = LL_GET(PLAN_).element_bits;
    typedef ll_registers_of_<T_, N_, LL_GET(PLAN_).from_bits, bits,
                             LL_GET(PLAN_).before>
        from;
    if constexpr (ll_array_fits_<from, bits>()) {
        ll_steps_<V_, PLAN_, 0, 2, from::pack, 0>(
            from::template take<V_>(a), V_::thread(), smem);
    }
}

template <class V_, class PLAN_, class U_, unsigned M_>
LL_DEVICE void ll_load_half_(U_ (&b)[M_], unsigned smem) {
    constexpr unsigned bits = LL_GET(PLAN_).element_bits;
    typedef ll_registers_of_<U_, M_, LL_GET(PLAN_).to_bits, bits,
                             LL_GET(PLAN_).after>
        to;
    if constexpr (ll_array_fits_<to, bits>()) {
        const ll_file_<1> none = {{0}};
        to::template put<V_>(
            b,
            ll_steps_<V_, PLAN_, 3, 5, 0, to::pack>(
                none, ll_thread_ranked_<V_, LL_GET(PLAN_).rank>(V_::thread()),
                smem));
    }
}

/* While a half runs, the emulator knows its memory: for each bit of each
 * coordinate, the offset in shared memory that it contributes, in bits. */
#if LL_EMULATE
template <class M_>
LL_FN M_ ll_half_memory_(const ll_layout &memory, unsigned bits) {
    const ll_layout x = ll_inv(memory);
    M_ m = LL_ZERO;
    for (unsigned d = 0; d < x.in.n && !x.err; ++d) {
        for (unsigned k = 0; k < x.in.bits[d]; ++k, ++m.n) {
            m.dim[m.n] = d;
            m.bit[m.n] = k;
            m.to[m.n] = x.basis[m.n] * bits;
        }
    }
    return m;
}
template <class V_, class PLAN_> struct ll_half_through_ {
    static constexpr typename V_::memory value =
        ll_half_memory_<typename V_::memory>(LL_GET(PLAN_).memory,
                                             LL_GET(PLAN_).element_bits);
};
#define LL_HALF_(V_, PLAN_, is_load)                                        \
    V_::half(&ll_half_through_<V_, PLAN_>::value, is_load)
#define LL_HALF_END_(V_) V_::half(nullptr, 0)
#else
#define LL_HALF_(V_, PLAN_, is_load) (void)0
#define LL_HALF_END_(V_) (void)0
#endif

template <class VENDOR_, class PLAN_, class T_, unsigned N_>
LL_DEVICE void ll_store_shared_(const T_ (&a)[N_], unsigned smem) {
    if constexpr (ll_has_halves_<PLAN_>()) {
        typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, LL_GET(PLAN_).lanes);
        LL_HALF_(moves, PLAN_, 0);
        ll_store_half_<moves, PLAN_>(a, smem);
        LL_HALF_END_(moves);
    }
}

template <class VENDOR_, class PLAN_, class U_, unsigned M_>
LL_DEVICE void ll_load_shared_(U_ (&b)[M_], unsigned smem) {
    if constexpr (ll_has_halves_<PLAN_>()) {
        typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, LL_GET(PLAN_).lanes);
        LL_HALF_(moves, PLAN_, 1);
        ll_load_half_<moves, PLAN_>(b, smem);
        LL_HALF_END_(moves);
    }
}

LL_NO_MOVE_(ll_convert_, "LL_CONVERT(b, a, PLAN, smem): b and a must be "
            "arrays, not pointers")
LL_NO_MOVE_(ll_store_shared_, "LL_STORE_SHARED(a, PLAN, smem): a must "
            "be an array, not a pointer")
LL_NO_MOVE_(ll_load_shared_, "LL_LOAD_SHARED(b, PLAN, smem): b must be "
            "an array, not a pointer")

/* LL_CONVERT(b, a, PLAN, smem): converts registers a, in the plan's first
 * layout, to registers b, in its second. All threads of the block, or of the
 * scope of an LL_IN, call it; their number is the LL_THREADS of the larger
 * layout.
 *
 * If the smaller layout has n warps, warp w is assumed to hold copies of the
 * elements of warp w mod n. For FROM, load such copies by a layout that has
 * them, LL_LAYOUT(ALL, ll_resize_in(LL_GET(FROM), LL_WARP, warps)). If those
 * warps hold anything else, each side needs its own plan through one memory
 * (see Scopes).
 *
 * smem points to LL_SMEM_BYTES(PLAN) bytes of shared memory, 16-byte aligned.
 * If that memory was in use before, the caller synchronises the block first.
 * The warp is enough if both plans are of one tensor and type and themselves
 * synchronise only the warp (LL_OP_SYNC_WARP).
 *
 * A plan of kind LL_CLUSTER (sm_90) needs a kernel with clusters of
 * LL_BLOCKS(LAYOUT) blocks. All blocks call LL_CONVERT, with smem at the same
 * address in each. It returns after all of them have loaded.
 *
 * LL_STORE_SHARED(a, PLAN, smem) and LL_LOAD_SHARED(b, PLAN, smem) are the
 * halves of LL_CONVERT, for kernels that put other work or another barrier
 * between them. With a cluster's plan LL_LOAD_SHARED ends with a cluster
 * barrier, as LL_CONVERT does. */
#define LL_CONVERT(b, a, PLAN, smem)                                        \
    LL_MOVE_(ll_convert_, PLAN, smem)(b, a, LL_SHARED_ADDRESS_(smem))
#define LL_STORE_SHARED(a, PLAN, smem)                                      \
    LL_MOVE_(ll_store_shared_, PLAN, smem)(a, LL_SHARED_ADDRESS_(smem))
#define LL_LOAD_SHARED(b, PLAN, smem)                                       \
    LL_MOVE_(ll_load_shared_, PLAN, smem)(b, LL_SHARED_ADDRESS_(smem))

#endif

#endif
