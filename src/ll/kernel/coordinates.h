/* ---- Coordinates in kernels ------------------------------------------- */
#ifndef LL_KERNEL_COORDINATES_H
#define LL_KERNEL_COORDINATES_H

#include "convert.h"

#ifdef LL_DEVICE

/* For kernels that read coordinates from a layout. The thread's part is the
 * terms of a map. The register's part is XORed bit by bit, and is a literal
 * where the register number is one. If no bit of the axis is in both parts,
 * they are added, so the thread's part cancels in a difference. */
template <class LAYOUT_> struct ll_whole_ {
    LL_CONSTANT_ ll_map map() {
        return ll_map_of(ll_thread_map_(LL_GET(LAYOUT_)));
    }
};

template <class LAYOUT_, unsigned K_> struct ll_column_ {
    enum : unsigned {
        image = ll_apply(ll_hardware_(LL_GET(LAYOUT_)), 1u << K_) ^
                ll_map_numbers_<ll_whole_<LAYOUT_>>::offset
    };
};

template <class LAYOUT_, ll_dim DIM_> struct ll_field_of_ {
    static constexpr ll_shape out = LL_GET(LAYOUT_).out;
    static_assert(
        ll_axis_is_there_<LAYOUT_, DIM_,
                          ll_shape_find_(&out, DIM_) < out.n>::value,
        "");
    enum : unsigned {
        mask = ll_size(out, DIM_) - 1u,
        start = mask ? ll_shape_start_(&out, ll_shape_find_(&out, DIM_)) : 0u
    };
};

/* Returns the output bits that registers, or threads, reach. */
LL_FN unsigned ll_reached_(const ll_layout &a, bool registers) {
    const ll_layout h = ll_hardware_(a);
    const unsigned regs = h.in.bits[0];
    const ll_span_ l =
        ll_span_of_columns_(&h, registers ? 0u : regs,
                            registers ? regs : ll_shape_bits_(&h.in));
    return ll_span_or_(&l);
}

/* threads: the bits that a thread reaches. both: those that a register reaches
 * too. moved: the bits of the constant that go to the register's part. */
template <class LAYOUT_> struct ll_apart_ {
    enum : unsigned {
        threads = ll_reached_(LL_GET(LAYOUT_), false),
        both = ll_reached_(LL_GET(LAYOUT_), true) & threads,
        moved = ll_map_numbers_<ll_whole_<LAYOUT_>>::offset & ~threads
    };
};

template <class LAYOUT_, ll_dim DIM_, unsigned... K_>
LL_DEVICE unsigned ll_coordinate_(unsigned thread, unsigned r,
                                  ll_seq_<K_...>) {
    typedef ll_field_of_<LAYOUT_, DIM_> field;
    typedef ll_apart_<LAYOUT_> apart;
    const unsigned at = ll_thread_at_<ll_whole_<LAYOUT_>>(thread);
    const unsigned by =
        (0u ^ ... ^ (r >> K_ & 1u ? ll_column_<LAYOUT_, K_>::image + 0u : 0u));
    if constexpr ((apart::both >> field::start & field::mask) == 0u) {
        return ((at ^ apart::moved) >> field::start & field::mask) +
               ((by ^ apart::moved) >> field::start & field::mask);
    } else {
        return (at ^ by) >> field::start & field::mask;
    }
}

template <class VENDOR_, class LAYOUT_, ll_dim DIM_>
LL_DEVICE unsigned ll_place_of_(unsigned r) {
    LL_WANTS_CONSTANT_(LAYOUT_, ll_layout,
                       "LL_AT takes the name of a layout of LL_LAYOUT");
    if constexpr (ll_constant_is_good_<LAYOUT_, ll_layout>()) {
        typedef ll_moves_<VENDOR_, 64> moves;
        constexpr unsigned threads = LL_THREADS(LAYOUT_);
        constexpr bool one = LL_BLOCKS(LAYOUT_) == 1u;
        static_assert(one || moves::clusters,
                      "ll: LL_AT: the layout has several blocks, but this GPU "
                      "has no clusters: use the layout of one block, and add "
                      "the block's start");
        constexpr unsigned rank = one || !moves::clusters ? 0u
                                                          : ll_log2_(threads);
        /* Threads beyond the layout's own hold copies. */
        const unsigned thread = moves::thread() & (threads - 1u);
        return ll_coordinate_<LAYOUT_, DIM_>(
            ll_thread_ranked_<moves, rank>(thread), r,
            ll_seq_below_<ll_log2_(LL_REGS(LAYOUT_))>());
    } else {
        return 0;
    }
}

/* LL_EACH(r, LAYOUT) loops over the registers. LL_AT(LAYOUT, d, r) returns
 * coordinate d of register r in this thread, and in this block of the cluster
 * if the layout has several blocks. */
#define LL_EACH(r, LAYOUT)                                                  \
    LL_UNROLL for (unsigned r = 0; r < LL_REGS(LAYOUT); ++r)
#define LL_AT(LAYOUT, d, r)                                                 \
    LL_BY_VENDOR_(                                                          \
        ll_place_of_<ll_scope_, LL_TYPE_(LAYOUT),                           \
                     ll_named_axis_<LL_TYPE_(LAYOUT), ll_is_axis_(d),       \
                                    ll_axis_of_(d)>::value>)(r)

#endif

#endif
