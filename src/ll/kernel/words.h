/* ---- Words of a lane -------------------------------------------------- */
#ifndef LL_KERNEL_WORDS_H
#define LL_KERNEL_WORDS_H

#include "constants.h"

/* Code for kernels, which are C++17. A kernel sees layouts and plans as types,
 * so every mask, shift, address and selector is a literal. Loads, stores and
 * conversions are templates over the steps of a plan, and each step is compiled
 * to straight-line code. The compiler's front end folds them: no optimiser has
 * to remove a loop, an array or a table, and an array of registers is indexed
 * by literals only. A vendor's header adds one type, the hooks, with a function
 * for each instruction. */

#ifdef LL_DEVICE

template <unsigned... I_> struct ll_seq_ {};

template <class A_, class B_> struct ll_seq_cat_;
template <unsigned... I_, unsigned... J_>
struct ll_seq_cat_<ll_seq_<I_...>, ll_seq_<J_...>> {
    typedef ll_seq_<I_..., ((unsigned)sizeof...(I_) + J_)...> type;
};

/* The list of the numbers 0 .. N - 1, as a type. */
template <unsigned N_> struct ll_seq_upto_ {
    typedef typename ll_seq_cat_<typename ll_seq_upto_<N_ / 2>::type,
                                 typename ll_seq_upto_<N_ - N_ / 2>::type>::type
        type;
};
template <> struct ll_seq_upto_<0> { typedef ll_seq_<> type; };
template <> struct ll_seq_upto_<1> { typedef ll_seq_<0> type; };
template <unsigned N_> using ll_seq_below_ = typename ll_seq_upto_<N_>::type;

/* Types that hold values for the templates below: step STEP of a plan, and the
 * tile of a layout for elements of BITS bits. */
template <class PLAN_, unsigned STEP_> struct ll_step_of_ {
    static constexpr ll_step value = LL_GET(PLAN_).step[STEP_];
};

#define LL_ASSERT_TILE_(tile, code, number, text)                           \
    LL_END_LINE_                                                            \
    static_assert(tile.err != (unsigned)(code),                             \
                  "ll: a tile of row-major memory: " text);
template <class LAYOUT_, unsigned BITS_, unsigned MOST_> struct ll_tile_for_ {
    static constexpr ll_tile value = ll_tile_of(LL_GET(LAYOUT_), BITS_, MOST_);
    LL_ERRORS(LL_ASSERT_TILE_, value)
};

/* The numbers of the map that MAP::map() returns. */
template <class MAP_> struct ll_map_numbers_ {
    static constexpr ll_map value = MAP_::map();
    static constexpr unsigned used = ll_map_used_(&value);
    static constexpr unsigned offset = value.offset;
    typedef ll_seq_below_<value.n> each;
};

template <class HOLDER_> struct ll_move_ : HOLDER_ {
    LL_CONSTANT_ ll_map map() { return HOLDER_::value.thread; }
    enum : unsigned {
        bytes = HOLDER_::value.bytes,
        per = bytes < 4 ? 1 : bytes / 4, /* words per access */
        touched = HOLDER_::value.touched,
        spare = HOLDER_::value.at.spare,
        vector = 1u << HOLDER_::value.at.vector,
        groups = 1u << (HOLDER_::value.at.n - HOLDER_::value.at.vector)
    };
    typedef ll_seq_below_<groups> each;
    typedef ll_seq_below_<per * groups> words;
};

/* The place of position P of step or tile S. moved: the bits that must be XORed
 * into the thread's part. fixed: the bits that may be added to it. */
template <class S_, unsigned P_> struct ll_position_ {
    enum : unsigned {
        place = ll_places(&S_::value.at, P_),
        moved = place & S_::touched,
        fixed = place & ~S_::touched
    };
};

/* Term K of a map. An AND that clears no bit of any input is left out. */
template <class MAP_, unsigned K_> struct ll_term_ {
    static constexpr int by = ll_map_numbers_<MAP_>::value.shift[K_];
    enum : unsigned {
        left = by > 0 ? (unsigned)by : 0u,
        right = by < 0 ? 0u - (unsigned)by : 0u,
        exact = ll_map_numbers_<MAP_>::value.mask[K_],
        mask = exact == (ll_map_numbers_<MAP_>::used >> right << right) ? ~0u
                                                                        : exact
    };
};

/* Evaluates a map at x: an AND, a shift and an XOR per term. */
template <class MAP_, unsigned... K_>
LL_DEVICE unsigned ll_terms_at_(unsigned x, ll_seq_<K_...>) {
    return (ll_map_numbers_<MAP_>::offset ^ ... ^
            ((x & ll_term_<MAP_, K_>::mask) << ll_term_<MAP_, K_>::left >>
             ll_term_<MAP_, K_>::right));
}

template <class MAP_> LL_DEVICE unsigned ll_thread_at_(unsigned x) {
    return ll_terms_at_<MAP_>(x & ll_map_numbers_<MAP_>::used,
                              typename ll_map_numbers_<MAP_>::each());
}

/* The bytes of one access, from the lowest address up; at most 32. */
typedef struct ll_words {
    unsigned w[8];
} ll_words;

/* The registers of a lane while it moves data: N words of 32 bits. */
template <unsigned N_> struct ll_file_ {
    unsigned w[N_];
};

/* Converts an array of N elements of type T to words and back. Elements below
 * 32 bits are packed as in memory; words pass unchanged. */
template <class T_, unsigned N_> struct ll_array_ {
    enum : unsigned {
        size = sizeof(T_),
        count = N_,
        bytes = size * N_,
        words = (bytes + 3u) / 4u
    };
    typedef ll_seq_below_<words> each;
    LL_FN unsigned piece(unsigned w) {
        return bytes - 4u * w < 4u ? bytes - 4u * w : 4u;
    }
    template <unsigned... W_>
    LL_DEVICE ll_file_<words> read(const T_ *a, ll_seq_<W_...>) {
        ll_file_<words> f = {{0}};
        (LL_MEMCPY_(f.w + W_, (const char *)a + 4u * W_, piece(W_)), ...);
        return f;
    }
    template <unsigned M_, unsigned... W_>
    LL_DEVICE void write(T_ *a, const ll_file_<M_> &f, ll_seq_<W_...>) {
        (LL_MEMCPY_((char *)a + 4u * W_, f.w + W_, piece(W_)), ...);
    }
};

/* Returns word W after register bits 0 and K have been exchanged. Within a
 * word, nibbles that have bit 0 and not bit K move up. Between words, the high
 * nibbles of one are exchanged with the low nibbles of the other. */
template <class V_, unsigned K_, unsigned W_, unsigned N_>
LL_DEVICE unsigned ll_nibble_word_(const ll_file_<N_> &f) {
    const unsigned w = f.w[W_];
    if constexpr (K_ < 3) {
        constexpr unsigned by = (4u << K_) - 4u;
        constexpr unsigned up = K_ == 1 ? 0x00f000f0u : 0x0000f0f0u;
        return V_::merge(w >> by, V_::merge(w << by, w, up << by), up);
    } else {
        constexpr unsigned by = 1u << (K_ - 3);
        const unsigned other = f.w[W_ ^ by];
        return (W_ & by) == 0 ? V_::merge(w, other << 4, 0x0f0f0f0f)
                              : V_::merge(other >> 4, w, 0x0f0f0f0f);
    }
}

template <class V_, unsigned K_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<N_> ll_nibble_words_(const ll_file_<N_> &f,
                                        ll_seq_<W_...>) {
    return {{ll_nibble_word_<V_, K_, W_>(f)...}};
}

/* Moves 4-bit elements apart, to a byte each: words of the low ones, then words
 * of the high ones. The other half of each byte is arbitrary. */
template <unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<2 * N_> ll_apart_words_(const ll_file_<N_> &f,
                                           ll_seq_<W_...>) {
    return {{f.w[W_]..., (f.w[W_] >> 4)...}};
}

template <class V_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)> ll_join_words_(const ll_file_<N_> &f,
                                                 ll_seq_<W_...>) {
    return {{V_::merge(f.w[W_], f.w[W_ + sizeof...(W_)] << 4, 0x0f0f0f0f)...}};
}

/* Rearranges the nibbles of a lane before a plan's steps, which have 2^BITS
 * registers; ll_nibbles_after_ does so after them. Less than a word of pairs
 * moves apart within its word. */
template <class V_, unsigned HOW_, unsigned BITS_, unsigned N_>
LL_DEVICE auto ll_nibbles_before_(const ll_file_<N_> &f) {
    if constexpr (HOW_ == LL_STAY) {
        return f;
    } else if constexpr (HOW_ != LL_APART) {
        return ll_nibble_words_<V_, HOW_>(f, ll_seq_below_<N_>());
    } else if constexpr (BITS_ > 2) {
        return ll_apart_words_(f, ll_seq_below_<N_>());
    } else {
        constexpr unsigned half = 4u << BITS_;
        return ll_file_<1>{
            {V_::merge(f.w[0], f.w[0] << (half - 4u), (1u << half) - 1u)}};
    }
}

template <class V_, unsigned HOW_, unsigned BITS_, unsigned N_>
LL_DEVICE auto ll_nibbles_after_(const ll_file_<N_> &f) {
    if constexpr (HOW_ != LL_APART) {
        return ll_nibbles_before_<V_, HOW_, BITS_>(f);
    } else if constexpr (BITS_ > 2) {
        return ll_join_words_<V_>(f, ll_seq_below_<N_ / 2>());
    } else {
        return ll_file_<1>{{V_::merge(
            f.w[0], f.w[0] >> ((4u << BITS_) - 4u), 0x0f0f0f0f)}};
    }
}

/* Returns where a byte of a renaming comes from: 4 times the word, plus the
 * byte in it. The source has 2^BEFORE elements per word, the result 2^AFTER. An
 * unused byte keeps its place within the word of a used byte. */
LL_FN unsigned ll_byte_of_(const ll_access *at, unsigned bytes,
                           unsigned before, unsigned after, unsigned byte) {
    if (bytes >= 4u) {
        return ll_registers(at, byte / bytes) * bytes + byte % bytes;
    }
    const unsigned slot = byte % 4u / bytes;
    const unsigned p = byte / 4u << after | (slot & ll_ones_(after));
    const unsigned r = ll_registers(at, p);
    const unsigned source =
        (r >> before) * 4u + (r & ll_ones_(before)) * bytes + byte % bytes;
    return slot >> after ? (source & ~3u) | byte % 4u : source;
}

/* Word W of a renaming: one byte permute (PRMT) of two words, or a permute of
 * two permutes with the selectors `low` and `high`. */
template <class AT_, unsigned BYTES_, unsigned BEFORE_, unsigned AFTER_,
          unsigned W_>
struct ll_fetch_ {
    enum : unsigned {
        b0 = ll_byte_of_(&AT_::value, BYTES_, BEFORE_, AFTER_, 4 * W_),
        b1 = ll_byte_of_(&AT_::value, BYTES_, BEFORE_, AFTER_, 4 * W_ + 1),
        b2 = ll_byte_of_(&AT_::value, BYTES_, BEFORE_, AFTER_, 4 * W_ + 2),
        b3 = ll_byte_of_(&AT_::value, BYTES_, BEFORE_, AFTER_, 4 * W_ + 3),
        w0 = b0 / 4,
        w1 = b1 / 4,
        w2 = b2 / 4,
        w3 = b3 / 4,
        other = w1 != w0 ? w1 : w2 != w0 ? w2 : w3,
        two = (w1 == w0 || w1 == other) && (w2 == w0 || w2 == other) &&
              (w3 == w0 || w3 == other),
        selector = b0 % 4 | (b1 % 4 + (w1 == w0 ? 0 : 4)) << 4 |
                   (b2 % 4 + (w2 == w0 ? 0 : 4)) << 8 |
                   (b3 % 4 + (w3 == w0 ? 0 : 4)) << 12,
        low = b0 % 4 | (b1 % 4 + 4) << 4 | 0x3200,
        high = b2 % 4 | (b3 % 4 + 4) << 4 | 0x3200,
        plain = two && selector == 0x3210
    };
};

template <class V_, class F_, bool FLIP_, bool HALVES_, unsigned N_>
LL_DEVICE unsigned ll_fetch_word_(const ll_file_<N_> &f, unsigned flip) {
    if constexpr (!FLIP_ && F_::plain) {
        return f.w[F_::w0];
    } else if constexpr (HALVES_ && F_::two && F_::selector == 0x5410) {
        return V_::low_halves(f.w[F_::w0], f.w[F_::other]);
    } else if constexpr (F_::two) {
        return V_::permute(f.w[F_::w0], f.w[F_::other], F_::selector ^ flip);
    } else {
        return V_::permute(V_::permute(f.w[F_::w0], f.w[F_::w1],
                                       F_::low ^ (flip & 0xffu)),
                           V_::permute(f.w[F_::w2], f.w[F_::w3],
                                       F_::high ^ (flip & 0xffu)),
                           0x5410);
    }
}

template <class V_, class AT_, unsigned BYTES_, unsigned BEFORE_,
          unsigned AFTER_, bool FLIP_, bool HALVES_, unsigned N_,
          unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)>
ll_file_fetch_all_(const ll_file_<N_> &f, unsigned flip, ll_seq_<W_...>) {
    return {{ll_fetch_word_<V_, ll_fetch_<AT_, BYTES_, BEFORE_, AFTER_, W_>,
                            FLIP_, HALVES_>(f, flip)...}};
}

/* Returns one of two renamings from two words that replace one from four. */
LL_FN ll_access ll_half_step_(const ll_access *m, unsigned high, int second) {
    ll_access h = *m;
    if (second) {
        h.first = 0;
        for (unsigned k = 0; k < h.n; ++k) {
            h.reg[k] = 1u << k;
        }
    }
    const unsigned r = h.reg[1];
    h.reg[1] = h.reg[high];
    h.reg[high] = r;
    return h;
}

/* Returns the position bit to exchange with bit 1 so that both of these fill
 * words from two words; 0 if there is none. */
LL_FN unsigned ll_half_bit_(const ll_access *m) {
    for (unsigned k = 2; k < m->n; ++k) {
        if (m->reg[k] < 4u) {
            return k;
        }
    }
    return 0;
}

template <class AT_, unsigned HIGH_, int SECOND_> struct ll_half_of_ {
    static constexpr ll_access value =
        ll_half_step_(&AT_::value, HIGH_, SECOND_);
};

#endif

#endif
