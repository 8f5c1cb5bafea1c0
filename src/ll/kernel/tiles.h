/* ---- Tiles in kernels ------------------------------------------------- */
#ifndef LL_KERNEL_TILES_H
#define LL_KERNEL_TILES_H

#include "convert.h"

/* Loads and stores of a tile in row-major memory. A tile's addresses cost as
 * much as hand-written ones: one address per thread, one multiplication and
 * addition for each further row, and nothing for a column, which is an
 * immediate offset. */

#ifdef LL_DEVICE

/* The renaming between a tile's accesses and registers. BACK: for a load. */
template <class TILE_, unsigned BITS_, int BACK_> struct ll_tile_at_ {
    static constexpr ll_access value =
        BACK_ ? ll_step_back_(&TILE_::value.at, BITS_, 0).at
              : ll_step_forth_(&TILE_::value.at, 0).at;
};

/* Position P of a tile and its predecessor. If P differs from it only by rows
 * downward and by its column, the address is advanced by `step` rows. Otherwise
 * (`first`) it is computed from the thread's element. */
template <class S_, unsigned P_> struct ll_tile_cell_ {
    typedef ll_position_<S_, P_> here;
    typedef ll_position_<S_, P_ ? P_ - S_::vector : 0> before;
    enum : unsigned {
        col_bits = S_::value.col_bits,
        mask = (1u << col_bits) - 1u,
        moved = here::moved,
        right = here::fixed & mask,
        down = here::fixed >> col_bits,
        past = before::fixed >> col_bits,
        first = P_ == 0 || moved != (unsigned)before::moved || down < past,
        step = first ? (unsigned)down : down - past
    };
};

/* address: a position's row, in the column of the thread's element. rows, cols:
 * the rows and columns that the matrix has from that element on. */
typedef struct ll_tile_spot_ {
    unsigned long long address;
    unsigned rows;
    unsigned cols;
} ll_tile_spot_;

/* Returns the spot of the thread's element. V::keep hides the sum from nvcc,
 * which would multiply for each row and column. */
template <class V_, class CELL_, class T_>
LL_DEVICE ll_tile_spot_ ll_spot_at_(unsigned thread, const T_ *base,
                                    unsigned ld, unsigned rows, unsigned cols) {
    const unsigned moved = thread ^ CELL_::moved;
    const unsigned row = moved >> CELL_::col_bits;
    const unsigned col = moved & CELL_::mask;
    ll_tile_spot_ spot = LL_ZERO;
    spot.address = V_::keep(
        (unsigned long long)(base + (unsigned long long)row * ld + col));
    spot.rows = row < rows ? rows - row : 0u;
    spot.cols = col < cols ? cols - col : 0u;
    return spot;
}

/* Advances to position P of a tile. base: its first element. Returns whether
 * the position lies within the rows and columns. */
template <class V_, class S_, unsigned P_, class T_>
LL_DEVICE unsigned ll_next_spot_(ll_tile_spot_ &spot, unsigned thread,
                                 const T_ *base, unsigned ld, unsigned rows,
                                 unsigned cols) {
    typedef ll_tile_cell_<S_, P_> cell;
    constexpr unsigned step = cell::step * (unsigned)sizeof(T_);
    if constexpr (cell::first != 0) {
        spot = ll_spot_at_<V_, cell>(thread, base, ld, rows, cols);
    }
    if constexpr (step != 0) {
        spot.address =
            V_::keep(spot.address + (unsigned long long)ld * step);
    }
    return cell::down < spot.rows && cell::right < spot.cols;
}

template <class S_, unsigned P_, class T_>
LL_DEVICE unsigned long long ll_spot_address_(const ll_tile_spot_ &spot) {
    return spot.address + ll_tile_cell_<S_, P_>::right * (unsigned)sizeof(T_);
}

/* A load or store between an array of U and a tile of elements T: the accesses
 * of the tile, and the registers, 2^bits elements. */
template <class V_, class LAYOUT_, unsigned HOW_, class U_, class T_,
          unsigned N_>
struct ll_tile_move_ {
    static_assert(HOW_ <= (LL_STREAM | LL_WIDE),
                  "ll: how must be 0, LL_STREAM, LL_WIDE or both");
    enum : unsigned {
        widest = HOW_ & LL_WIDE ? V_::widest : 16,
        two = ll_is_b4x2_<T_>::value,
        element = two ? 4u : 8u * sizeof(T_),
        bits = ll_log2_(ll_size(LL_GET(LAYOUT_).in, LL_REGISTER))
    };
    typedef ll_tile_for_<LAYOUT_, element, widest> tile;
    typedef ll_move_<tile> accesses;
    enum : unsigned {
        pack = tile::value.pack,
        held = bits > two ? bits - two : 0u
    };
    typedef ll_registers_of_<U_, N_, held, 8 * sizeof(T_), tile::value.nibble>
        registers;
};

/* Asserts that a lane can hold its part of a tile of T, and returns whether it
 * can. Larger parts would keep the compiler busy for minutes. */
template <class LAYOUT_, class T_> LL_FN bool ll_is_held_() {
    if constexpr (!ll_has_registers_<LAYOUT_>()) {
        return false;
    } else if constexpr (ll_is_same_<const T_, const void>::value) {
        static_assert(sizeof(LAYOUT_) == 0,
                      "ll: src or dst must point to elements, not to void");
        return false;
    } else {
        constexpr unsigned most = ll_is_b4x2_<T_>::value ? 8192 : 4096;
        constexpr bool held = LL_REGS(LAYOUT_) <= most / sizeof(T_);
        static_assert(held,
                      "ll: a lane has more than 4096 bytes of the tile, but "
                      "registers for 1020: use more warps, or parts of the "
                      "tile in turn");
        return held;
    }
}

/* Asserts that an array U[N] fits a tile of T, and returns whether it does. */
template <class MOVE_, class T_, class U_, unsigned N_>
LL_FN bool ll_tile_fits_() {
    constexpr bool pairs = sizeof(T_) == 1 && !MOVE_::two &&
                           N_ != MOVE_::registers::needed &&
                           2u * N_ * sizeof(U_) == 1u << MOVE_::bits;
    static_assert(!pairs,
                  "ll: the array holds 4-bit elements, two per byte, so the "
                  "pointer must be to ll_b4x2; it is to elements of 8 bits");
    if constexpr (pairs) {
        return false;
    } else {
        return ll_array_fits_<typename MOVE_::registers, 8 * sizeof(T_)>();
    }
}

template <class V_, unsigned HOW_, class S_, unsigned P_, class T_>
LL_DEVICE ll_words ll_load_one_(ll_tile_spot_ &spot, unsigned at, const T_ *src,
                                unsigned ld, unsigned rows, unsigned cols) {
    const unsigned on =
        ll_next_spot_<V_, S_, P_>(spot, at, src, ld, rows, cols);
    return V_::template load<HOW_, S_::bytes>(
        ll_spot_address_<S_, P_, T_>(spot), on);
}

template <class V_, unsigned HOW_, class S_, class T_, unsigned... G_>
LL_DEVICE auto ll_load_all_(const T_ *src, unsigned ld, unsigned rows,
                            unsigned cols, ll_seq_<G_...>) {
    const unsigned at = ll_thread_at_<S_>(V_::thread());
    ll_tile_spot_ spot = LL_ZERO;
    const ll_words v[] = {ll_load_one_<V_, HOW_, S_, G_ * S_::vector>(
        spot, at, src, ld, rows, cols)...};
    return ll_words_flat_<S_::per>(v, typename S_::words());
}

template <class VENDOR_, class LAYOUT_, unsigned HOW_, class U_, class T_,
          unsigned N_>
LL_DEVICE void ll_load_tile_(U_ (&a)[N_], const T_ *src, unsigned ld,
                             unsigned rows = ~0u, unsigned cols = ~0u) {
    LL_WANTS_CONSTANT_(LAYOUT_, ll_layout,
                       "LL_LOAD takes the name of a layout of LL_LAYOUT");
    if constexpr (ll_is_held_<LAYOUT_, T_>()) {
        typedef ll_moves_<VENDOR_, 64> moves;
        typedef ll_tile_move_<moves, LAYOUT_, HOW_, U_, T_, N_> move;
        typedef typename move::accesses accesses;
        typedef typename move::registers to;
        LL_ENTER_MOVE_(moves, LL_THREADS(LAYOUT_), 1);
        if constexpr (ll_tile_fits_<move, T_, U_, N_>()) {
            LL_CHECK_COLS_(moves, accesses, T_, cols);
            to::template put<moves>(
                a,
                ll_file_rename_<moves,
                                ll_tile_at_<typename move::tile, move::held, 1>,
                                sizeof(T_), move::pack, to::pack>(
                    ll_load_all_<moves, HOW_, accesses>(
                        src, ld, rows, cols, typename accesses::each())));
        }
    }
}

template <class V_, unsigned HOW_, class S_, unsigned P_, class T_>
LL_DEVICE void ll_store_one_(ll_tile_spot_ &spot, const ll_words &v,
                             unsigned own, unsigned at, T_ *dst, unsigned ld,
                             unsigned rows, unsigned cols) {
    const unsigned on =
        ll_next_spot_<V_, S_, P_>(spot, at, dst, ld, rows, cols);
    V_::template store<HOW_, S_::bytes>(ll_spot_address_<S_, P_, T_>(spot), v,
                                        own && on);
}

template <class V_, unsigned HOW_, class S_, unsigned N_, class T_,
          unsigned... G_>
LL_DEVICE void ll_store_tile_all_(const ll_file_<N_> &f, T_ *dst, unsigned ld,
                                  unsigned rows, unsigned cols,
                                  ll_seq_<G_...>) {
    const unsigned thread = V_::thread();
    const unsigned at = ll_thread_at_<S_>(thread);
    const unsigned own = (thread & S_::spare) == 0;
    ll_tile_spot_ spot = LL_ZERO;
    (ll_store_one_<V_, HOW_, S_, G_ * S_::vector>(
         spot, ll_access_words_<S_::per, G_>(f, ll_seq_below_<S_::per>()), own,
         at, dst, ld, rows, cols),
     ...);
}

template <class VENDOR_, class LAYOUT_, unsigned HOW_, class U_, class T_,
          unsigned N_>
LL_DEVICE void ll_store_tile_(const U_ (&a)[N_], T_ *dst, unsigned ld,
                              unsigned rows = ~0u, unsigned cols = ~0u) {
    LL_WANTS_CONSTANT_(LAYOUT_, ll_layout,
                       "LL_STORE takes the name of a layout of LL_LAYOUT");
    static_assert(!ll_is_same_<T_, const T_>::value,
                  "ll: LL_STORE: dst must not point to const elements");
    if constexpr (ll_is_held_<LAYOUT_, T_>()) {
        typedef ll_moves_<VENDOR_, 64> moves;
        typedef ll_tile_move_<moves, LAYOUT_, HOW_, U_, T_, N_> move;
        typedef typename move::accesses accesses;
        typedef typename move::registers from;
        LL_ENTER_MOVE_(moves, LL_THREADS(LAYOUT_), 1);
        if constexpr (ll_tile_fits_<move, T_, U_, N_>()) {
            LL_CHECK_COLS_(moves, accesses, T_, cols);
            ll_store_tile_all_<moves, HOW_, accesses>(
                ll_file_rename_<moves,
                                ll_tile_at_<typename move::tile, move::held, 0>,
                                sizeof(T_), from::pack, move::pack>(
                    from::template take<moves>(a)),
                dst, ld, rows, cols, typename accesses::each());
        }
    }
}

/* Copies from a tile to shared memory, in place of a plan's store. If MASKED,
 * the copies write zeros beyond the last row and column. */
template <class PLAN_> struct ll_copied_ {
    static constexpr ll_tile value = ll_tile_copied(LL_GET(PLAN_));
    static_assert(value.err != (unsigned)LL_EKIND,
                  "ll: LL_COPY: the plan must store vectors to shared memory "
                  "in one pass: LL_PLAN_BY with LL_COPIES makes such plans");
    static_assert(value.err != (unsigned)LL_EAXES,
                  "ll: LL_COPY: a tile in memory must have one or two axes");
    static_assert(value.err != (unsigned)LL_ECOPY,
                  "ll: LL_COPY: 4, 8 or 16 bytes must be contiguous both in a "
                  "row of the tile and in shared memory: LL_PLAN_BY with "
                  "LL_COPIES makes such plans");
    static_assert(value.err || value.bytes >= LL_GET(PLAN_).step[1].bytes,
                  "ll: LL_COPY: copies must be as wide as the plan's stores, "
                  "which are wider than its pieces of a row: LL_PLAN_BY with "
                  "LL_COPIES makes such plans");
};

template <class V_, bool MASKED_, class S_, class TO_, unsigned P_, class T_>
LL_DEVICE void ll_copy_one_(ll_tile_spot_ &spot, unsigned at, unsigned to,
                            unsigned smem, const T_ *src, unsigned ld,
                            unsigned rows, unsigned cols) {
    const unsigned on =
        ll_next_spot_<V_, S_, P_>(spot, at, src, ld, rows, cols);
    const unsigned long long from = ll_spot_address_<S_, P_, T_>(spot);
    const unsigned address = ll_address_at_<TO_, P_>(to, smem);
    if constexpr (MASKED_) {
        V_::template copy_some<S_::bytes>(address, from, on);
    } else {
        V_::template copy<S_::bytes>(address, from);
    }
}

template <class V_, class PLAN_, bool MASKED_, class T_, unsigned... G_>
LL_DEVICE void ll_copy_all_(unsigned smem, const T_ *src, unsigned ld,
                            unsigned rows, unsigned cols, ll_seq_<G_...>) {
    typedef ll_move_<ll_copied_<PLAN_>> loads;
    typedef ll_move_<ll_step_of_<PLAN_, 1>> stores;
    const unsigned thread = V_::thread();
    const unsigned from = ll_thread_at_<loads>(thread);
    const unsigned to = ll_thread_at_<stores>(thread);
    ll_tile_spot_ spot = LL_ZERO;
    if ((thread & loads::spare) == 0) {
        (ll_copy_one_<V_, MASKED_, loads, stores, G_ * loads::vector>(
             spot, from, to, smem, src, ld, rows, cols),
         ...);
    }
}

template <class VENDOR_, class PLAN_, bool MASKED_, class T_>
LL_DEVICE void ll_copy_tile_by_(unsigned smem, const T_ *src, unsigned ld,
                                unsigned rows, unsigned cols) {
    LL_WANTS_CONSTANT_(PLAN_, ll_plan,
                       "LL_COPY takes the name of a plan of LL_PLAN_BY");
    if constexpr (ll_constant_is_good_<PLAN_, ll_plan>()) {
        typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
        constexpr bool fits =
            8u * sizeof(T_) == LL_GET(PLAN_).element_bits &&
            ll_is_b4x2_<T_>::value + 0u == LL_GET(PLAN_).nibbles;
        LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, 1);
        static_assert(fits,
                      "ll: LL_COPY: the tile's type must have the plan's "
                      "element bits; for 4 bits it is ll_b4x2");
        static_assert(moves::copies, LL_OTHER_TARGET_);
        if constexpr (fits && moves::copies &&
                      ll_copied_<PLAN_>::value.err == LL_OK) {
            LL_CHECK_COLS_(moves, ll_move_<ll_copied_<PLAN_>>, T_,
                           MASKED_ ? cols : ~0u);
            LL_HALF_(moves, PLAN_, 0);
            ll_copy_all_<moves, PLAN_, MASKED_>(
                smem, src, ld, rows, cols,
                typename ll_move_<ll_copied_<PLAN_>>::each());
            LL_HALF_END_(moves);
        }
    }
}

template <class VENDOR_, class PLAN_, class T_>
LL_DEVICE void ll_copy_tile_(unsigned smem, const T_ *src, unsigned ld) {
    ll_copy_tile_by_<VENDOR_, PLAN_, false>(smem, src, ld, ~0u, ~0u);
}

template <class VENDOR_, class PLAN_, class T_>
LL_DEVICE void ll_copy_tile_(unsigned smem, const T_ *src, unsigned ld,
                             unsigned rows, unsigned cols) {
    ll_copy_tile_by_<VENDOR_, PLAN_, true>(smem, src, ld, rows, cols);
}

/* Rows and columns of a signed type: a number below 0, of a block beyond the
 * edge, is 0. Unsigned numbers go to the functions above. */
LL_FN unsigned ll_extent_(unsigned n) { return n; }
template <class T_, class = decltype(ll_extent_(*(T_ *)0))>
struct ll_signed_ {
    typedef decltype(+*(T_ *)0) type;
    enum : bool { value = type(-1) < type(0) };
};
template <bool> struct ll_overload_ {};
template <> struct ll_overload_<true> { typedef void type; };
template <class R_, class C_>
using ll_if_signed_ = typename ll_overload_<(ll_signed_<R_>::value ||
                                             ll_signed_<C_>::value)>::type;
template <class T_> LL_FN unsigned ll_at_least_0_(T_ x) {
    if constexpr (ll_signed_<T_>::value) {
        const typename ll_signed_<T_>::type n = x;
        return n < 0 ? 0u : (unsigned)n;
    } else {
        return x;
    }
}

template <class VENDOR_, class LAYOUT_, unsigned HOW_, class U_, class T_,
          unsigned N_, class R_, class C_ = unsigned,
          class = ll_if_signed_<R_, C_>>
LL_DEVICE void ll_load_tile_(U_ (&a)[N_], const T_ *src, unsigned ld, R_ rows,
                             C_ cols = ~0u) {
    ll_load_tile_<VENDOR_, LAYOUT_, HOW_>(a, src, ld, ll_at_least_0_(rows),
                                          ll_at_least_0_(cols));
}
template <class VENDOR_, class LAYOUT_, unsigned HOW_, class U_, class T_,
          unsigned N_, class R_, class C_ = unsigned,
          class = ll_if_signed_<R_, C_>>
LL_DEVICE void ll_store_tile_(const U_ (&a)[N_], T_ *dst, unsigned ld, R_ rows,
                              C_ cols = ~0u) {
    ll_store_tile_<VENDOR_, LAYOUT_, HOW_>(a, dst, ld, ll_at_least_0_(rows),
                                           ll_at_least_0_(cols));
}
template <class VENDOR_, class PLAN_, class T_, class R_, class C_,
          class = ll_if_signed_<R_, C_>>
LL_DEVICE void ll_copy_tile_(unsigned smem, const T_ *src, unsigned ld, R_ rows,
                             C_ cols) {
    ll_copy_tile_<VENDOR_, PLAN_>(smem, src, ld, ll_at_least_0_(rows),
                                  ll_at_least_0_(cols));
}

LL_NO_TILE_(ll_load_tile_, "LL_LOAD(a, LAYOUT, src, ld [, rows, cols]): a must "
            "be an array, not a pointer, src a pointer to elements, and ld, "
            "rows and cols numbers")
LL_NO_TILE_(ll_store_tile_, "LL_STORE(a, LAYOUT, dst, ld [, rows, cols]): a "
            "must be an array, not a pointer, dst a pointer to elements, and "
            "ld, rows and cols numbers")
LL_NO_MOVE_(ll_copy_tile_,
            "LL_COPY(PLAN, smem, src, ld [, rows, cols]): src "
            "must be a pointer to elements, ld, rows and cols numbers, with "
            "both rows and cols or neither")

/* Macros for tiles in row-major memory.
 *
 * LL_LOAD(a, LAYOUT, src, ld): fills a with a tile of a row-major matrix. src
 * points to the tile's first element. ld is the distance between rows, in
 * elements. LL_LOAD(a, LAYOUT, src, ld, rows, cols) loads only the first rows
 * and cols of the tile and sets the other elements to 0. A layout with one axis
 * is one row: ld has no effect, and rows is 1. LL_STORE(a, LAYOUT, dst, ld [,
 * rows, cols]) stores a tile, one copy of each element. Of a signed type, rows
 * and cols below 0 are taken as 0.
 *
 * src, dst, ld and cols are multiples of LL_VECTOR(LAYOUT, T), the elements of
 * one access: 16 bytes, or fewer if the layout has fewer side by side. A layout
 * that lacks a bit of an axis, such as "register: j0 j2", is valid: only the
 * part of the tile where that bit is 0 is loaded or stored.
 * static_assert(ll_is_surjective(LL_GET(LAYOUT)), "") excludes that. LL_LOAD
 * and LL_STORE take the layout of one block; the kernel adds the start of the
 * block to src or dst.
 *
 * LL_LOAD_BY(a, LAYOUT, how, src, ld [, rows, cols]) and LL_STORE_BY(a, LAYOUT,
 * how, dst, ..) take hints. LL_STREAM: the data is used once, so the caches are
 * left to other data. LL_WIDE: accesses have 32 bytes if the layout has 32
 * bytes side by side, such as LL_ROWS(.rows = 64, .cols = 64, .bytes = 2,
 * .access = 32), and the target has such accesses: sm_100 and later, CUDA 12.9.
 * On every target, src, dst, ld and cols are then multiples of
 * LL_VECTOR_BY(LAYOUT, how, T) elements. LL_STREAM | LL_WIDE asks for both.
 *
 * LL_COPY(PLAN, smem, src, ld [, rows, cols]) replaces LL_LOAD and
 * LL_STORE_SHARED: it copies a tile of row-major memory straight to where the
 * plan would store it, with zeros beyond rows and cols, and no lane waits. The
 * tile has arrived when its threads have called LL_COPY_WAIT and the block a
 * barrier. LL_COPY_COMMIT() makes a group of the copies before it, and
 * LL_COPY_WAIT(n) waits for all groups but the last n. src, ld and cols are
 * multiples of LL_VECTOR(FROM, T), as for LL_LOAD. The plan is LL_PLAN_BY(PLAN,
 * FROM, TO, bits, target, LL_COPIES), which keeps pieces of 4, 8 or 16 bytes of
 * a row whole in memory, or a plan through that memory (see Scopes). LL_COPY is
 * for sm_80 and later. With a FROM made by ll_rows_for(TO) it feeds matrix
 * operands by ldmatrix. Two buffers hide the latency of memory:
 *
 *     LL_COPY(FEED, smem[0], src, ld);
 *     LL_COPY_COMMIT();
 *     for (unsigned k = 0; k < tiles; ++k) {
 *         if (k + 1 < tiles) {
 *             LL_COPY(FEED, smem[(k + 1) % 2], src + 64 * (k + 1), ld);
 *         }
 *         LL_COPY_COMMIT();
 *         LL_COPY_WAIT(1);
 *         __syncthreads();
 *         LL_LOAD_SHARED(a, FEED, smem[k % 2]);
 *         ...
 *         __syncthreads();
 *     } */
#define LL_LOAD_BY(a, LAYOUT, how, ...)                                     \
    LL_BY_VENDOR_(ll_load_tile_<ll_scope_, LL_TYPE_(LAYOUT), how>)          \
    (a, __VA_ARGS__)
#define LL_STORE_BY(a, LAYOUT, how, ...)                                    \
    LL_BY_VENDOR_(ll_store_tile_<ll_scope_, LL_TYPE_(LAYOUT), how>)         \
    (a, __VA_ARGS__)
#define LL_LOAD(a, LAYOUT, ...) LL_LOAD_BY(a, LAYOUT, 0, __VA_ARGS__)
#define LL_STORE(a, LAYOUT, ...) LL_STORE_BY(a, LAYOUT, 0, __VA_ARGS__)
#define LL_COPY(PLAN, smem, ...)                                            \
    LL_MOVE_(ll_copy_tile_, PLAN, smem)(LL_SHARED_ADDRESS_(smem), __VA_ARGS__)
#define LL_COPY_COMMIT() LL_BY_VENDOR_(ll_moves_<ll_vendor_, 64>::commit)()
#define LL_COPY_WAIT(n)                                                     \
    LL_BY_VENDOR_(ll_moves_<ll_vendor_, 64>::wait_copies<n>)()
#define LL_VECTOR_BY(LAYOUT, how, T)                                        \
    LL_NUMBER_(ll_tile_of(LL_NAMED_LAYOUT_(LAYOUT),                         \
                          ll_is_b4x2_<T>::value ? 4u : 8u * sizeof(T),      \
                          (how) & LL_WIDE ? 32 : 16)                        \
                   .bytes /                                                 \
               (unsigned)sizeof(T))
#define LL_VECTOR(LAYOUT, T) LL_VECTOR_BY(LAYOUT, 0, T)

#endif

#endif
