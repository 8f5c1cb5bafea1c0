/* ---- Hooks of ll.h: AMD's instructions -------------------------------- */
#ifndef LL_AMD_HOOKS_H
#define LL_AMD_HOOKS_H

#include "../ll/kernel/scopes.h"
#include "instructions/memory.h"
#include "instructions/lanes.h"

/* The instructions behind the loads, stores and conversions of ll.h on AMD
 * GPUs. Under LL_WIDE an access has up to 16 bytes. LL_COPY copies through
 * registers here, so there is nothing to wait for. A warp has as many lanes as
 * the plan's target. If that is 64 on RDNA, compile with -mwavefrontsize64.
 * Without __launch_bounds__(LL_THREADS(LAYOUT)) the compiler budgets registers
 * for 1024 threads, and large tiles spill. If the headers of both vendors are
 * included, LL_LOAD and the other macros use the header of the vendor whose
 * compiler runs; under an emulator, the header that is included first. */
#ifdef LL_AMD_DEVICE_

#undef LL_BY_VENDOR_
#undef LL_SHARED_ADDRESS_
#define LL_BY_VENDOR_(...) __VA_ARGS__
#define LL_SHARED_ADDRESS_(smem) LL_AMD_SHARED_(smem)

/* LL_TARGET_HERE is the target of the compiler's current pass, as in
 * LL_PLAN(TURN, IN, OUT, 32, LL_TARGET_HERE). A file that is compiled for
 * several targets has a pass for each. RDNA has 32 lanes there, or 64 with
 * -mwavefrontsize64. The host pass takes gfx942. So give layouts
 * LL_TARGET_HERE.lanes lanes, and expect LL_SMEM_BYTES in host code to be the
 * size for gfx942. Clang 21 deprecates its macro for the lanes of a warp and
 * warns at each use, so it is read only once, here. */
#ifndef LL_AMD_LANES_
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wdeprecated-pragma"
#endif
enum {
#if defined(__AMDGCN_WAVEFRONT_SIZE__)
    LL_AMD_LANES_ = __AMDGCN_WAVEFRONT_SIZE__
#elif defined(__AMDGCN_WAVEFRONT_SIZE)
    LL_AMD_LANES_ = __AMDGCN_WAVEFRONT_SIZE
#else
    LL_AMD_LANES_ = 64
#endif
};
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#endif
#define LL_TARGET_HERE                                                      \
    (LL_AMD_HERE_ ? ll_amd_target(LL_AMD_HERE_, LL_AMD_LANES_)              \
                  : ll_amd_target(0x942, 64))

/* Private: one access per function: _to_ stores, _from_ loads. _once_ adds the
 * nontemporal hint, _kept_ does not. Width and hint are template arguments, so
 * that even a build without optimisation contains only the instruction that is
 * asked for. */
template <unsigned BYTES_>
LL_DEVICE void ll_amd_to_shared_(unsigned address, const ll_words &v) {
    if constexpr (BYTES_ == 1) {
        ll_amd_ds_write_b8(address, v);
    } else if constexpr (BYTES_ == 2) {
        ll_amd_ds_write_b16(address, v);
    } else if constexpr (BYTES_ == 4) {
        ll_amd_ds_write_b32(address, v);
    } else if constexpr (BYTES_ == 8) {
        ll_amd_ds_write_b64(address, v);
    } else {
        ll_amd_ds_write_b128(address, v);
    }
}

template <unsigned BYTES_>
LL_DEVICE ll_words ll_amd_from_shared_(unsigned address) {
    if constexpr (BYTES_ == 1) {
        return ll_amd_ds_read_b8(address);
    } else if constexpr (BYTES_ == 2) {
        return ll_amd_ds_read_b16(address);
    } else if constexpr (BYTES_ == 4) {
        return ll_amd_ds_read_b32(address);
    } else if constexpr (BYTES_ == 8) {
        return ll_amd_ds_read_b64(address);
    } else {
        return ll_amd_ds_read_b128(address);
    }
}

template <unsigned BYTES_>
LL_DEVICE void ll_amd_to_kept_(unsigned long long address, const ll_words &v,
                            unsigned on) {
    if constexpr (BYTES_ == 1) {
        ll_amd_global_store_b8(address, v, on);
    } else if constexpr (BYTES_ == 2) {
        ll_amd_global_store_b16(address, v, on);
    } else if constexpr (BYTES_ == 4) {
        ll_amd_global_store_b32(address, v, on);
    } else if constexpr (BYTES_ == 8) {
        ll_amd_global_store_b64(address, v, on);
    } else {
        ll_amd_global_store_b128(address, v, on);
    }
}

template <unsigned BYTES_>
LL_DEVICE ll_words ll_amd_from_kept_(unsigned long long address, unsigned on) {
    if constexpr (BYTES_ == 1) {
        return ll_amd_global_load_b8(address, on);
    } else if constexpr (BYTES_ == 2) {
        return ll_amd_global_load_b16(address, on);
    } else if constexpr (BYTES_ == 4) {
        return ll_amd_global_load_b32(address, on);
    } else if constexpr (BYTES_ == 8) {
        return ll_amd_global_load_b64(address, on);
    } else {
        return ll_amd_global_load_b128(address, on);
    }
}

template <unsigned BYTES_>
LL_DEVICE void ll_amd_to_once_(unsigned long long address, const ll_words &v,
                            unsigned on) {
    if constexpr (BYTES_ == 1) {
        ll_amd_global_store_nt_b8(address, v, on);
    } else if constexpr (BYTES_ == 2) {
        ll_amd_global_store_nt_b16(address, v, on);
    } else if constexpr (BYTES_ == 4) {
        ll_amd_global_store_nt_b32(address, v, on);
    } else if constexpr (BYTES_ == 8) {
        ll_amd_global_store_nt_b64(address, v, on);
    } else {
        ll_amd_global_store_nt_b128(address, v, on);
    }
}

template <unsigned BYTES_>
LL_DEVICE ll_words ll_amd_from_once_(unsigned long long address, unsigned on) {
    if constexpr (BYTES_ == 1) {
        return ll_amd_global_load_nt_b8(address, on);
    } else if constexpr (BYTES_ == 2) {
        return ll_amd_global_load_nt_b16(address, on);
    } else if constexpr (BYTES_ == 4) {
        return ll_amd_global_load_nt_b32(address, on);
    } else if constexpr (BYTES_ == 8) {
        return ll_amd_global_load_nt_b64(address, on);
    } else {
        return ll_amd_global_load_nt_b128(address, on);
    }
}

template <unsigned HOW_, unsigned BYTES_>
LL_DEVICE ll_words ll_amd_from_global_(unsigned long long address,
                                       unsigned on) {
    if constexpr ((HOW_ & LL_STREAM) != 0) {
        return ll_amd_from_once_<BYTES_>(address, on);
    } else {
        return ll_amd_from_kept_<BYTES_>(address, on);
    }
}

template <unsigned HOW_, unsigned BYTES_>
LL_DEVICE void ll_amd_to_global_(unsigned long long address, const ll_words &v,
                                 unsigned on) {
    if constexpr ((HOW_ & LL_STREAM) != 0) {
        ll_amd_to_once_<BYTES_>(address, v, on);
    } else {
        ll_amd_to_kept_<BYTES_>(address, v, on);
    }
}

/* Private: the hops of a plan, one instruction each (the table above LL_HOP_ANY
 * says which lane each hop reads). ll_amd_xor_control_ returns the DPP control
 * that reads lane l ^ x for x below 16. From gfx10 on every x has a control. On
 * gfx9 only 0, 1, 2, 3, 7, 8 and 15 do, and the result is ~0u for the
 * others. */
LL_FN unsigned ll_amd_xor_control_(unsigned x, unsigned gfx) {
    return gfx >= 0x1000u ? LL_AMD_ROW_XMASK + x
           : x < 4u       ? LL_AMD_QUAD_PERM(x, x ^ 1u, x ^ 2u, x ^ 3u)
           : x == 7u      ? (unsigned)LL_AMD_ROW_HALF_MIRROR
           : x == 8u      ? LL_AMD_ROW_ROR + 8u
           : x == 15u     ? (unsigned)LL_AMD_ROW_MIRROR
                          : ~0u;
}

template <unsigned HOP_, unsigned long long CONTROL_, unsigned GFX_>
LL_DEVICE unsigned ll_amd_hop_(unsigned x) {
    constexpr unsigned low = (unsigned)(CONTROL_ & 0xffffffffu);
    constexpr unsigned high = (unsigned)(CONTROL_ >> 32);
    if constexpr (HOP_ == LL_HOP_QUAD) {
        return ll_amd_update_dpp<low, GFX_>(x);
    } else if constexpr (HOP_ == LL_HOP_XOR) {
        return ll_amd_update_dpp<ll_amd_xor_control_(low, GFX_), GFX_>(x);
    } else if constexpr (HOP_ == LL_HOP_ROW) {
        return ll_amd_permlane16<GFX_>(x, low, high);
    } else if constexpr (HOP_ == LL_HOP_ROWX) {
        return ll_amd_permlanex16<GFX_>(x, low, high);
    } else if constexpr (HOP_ == LL_HOP_HALF) {
        return ll_amd_permlane64<GFX_>(x);
    } else {
        static_assert(HOP_ == LL_HOP_32, "ll: the hop has no instruction");
        return ll_amd_ds_swizzle<low>(x);
    }
}

template <unsigned LANE_, unsigned GFX_>
LL_DEVICE void ll_amd_swap_(unsigned &a, unsigned &b) {
    if constexpr (LANE_ == 16) {
        ll_amd_permlane16_swap<GFX_>(a, b);
    } else {
        static_assert(LANE_ == 32, "ll: only lane bits 4 and 5 can be swapped");
        ll_amd_permlane32_swap<GFX_>(a, b);
    }
}

/* Private: how lane l reads the word of lane l ^ XOR. The hop `how` covers the
 * bits `part` of XOR, further hops cover the rest. DPP covers lane bits 0 to 3.
 * For lane bits 4 and 5 gfx950 swaps, RDNA uses v_permlanex16 and v_permlane64,
 * and other targets use ds_swizzle and ds_bpermute. DPP on gfx9 has no control
 * for some XORs: 4 to 6 begin with 7, 9 to 11 with 8, 12 to 14 with 15. */
enum : unsigned { LL_AMD_BY_SWAP_ = 64 };

LL_FN unsigned ll_amd_near_(unsigned x) {
    return x < 4u ? x : x < 8u ? 7u : x < 12u ? 8u : 15u;
}

template <unsigned XOR_, unsigned GFX_> struct ll_amd_way_ {
    enum : unsigned {
        rdna = GFX_ >= 0x1000u,
        swaps = GFX_ && ll_amd_on_<GFX_>("permlane32_swap"),
        high = XOR_ & 32u ? 32u : XOR_ & 16u,
        how = high == 0      ? (unsigned)LL_HOP_XOR
              : swaps != 0   ? (unsigned)LL_AMD_BY_SWAP_
              : high == 16u  ? (unsigned)(rdna != 0 ? LL_HOP_ROWX : LL_HOP_32)
                             : (unsigned)(rdna != 0 ? LL_HOP_HALF : LL_HOP_ANY),
        part = how == LL_HOP_XOR && rdna == 0 ? ll_amd_near_(XOR_)
               : how == LL_AMD_BY_SWAP_ || how == LL_HOP_HALF ? high
                                                              : XOR_
    };
    static constexpr unsigned long long control =
        (unsigned)how == LL_HOP_ROWX
            ? 0xfedcba9876543210u ^ (XOR_ & 15u) * 0x1111111111111111u
        : (unsigned)how == LL_HOP_32 ? (unsigned)(part << 10 | 0x1fu)
                                     : (unsigned)part;
};

template <class V_, unsigned XOR_>
LL_DEVICE unsigned ll_amd_exchange_(unsigned x) {
    if constexpr (XOR_ != 0) {
        typedef ll_amd_way_<XOR_, V_::gfx> way;
        constexpr unsigned part = way::part;
        if constexpr (way::how == (unsigned)LL_AMD_BY_SWAP_) {
            unsigned a = x;
            unsigned b = x;
            V_::template swap<part>(a, b);
            x = V_::thread() & part ? a : b;
        } else if constexpr (way::how == (unsigned)LL_HOP_ANY) {
            x = V_::shuffle(x, V_::thread() ^ part);
        } else {
            x = V_::template hop<way::how, way::control>(x);
        }
        return ll_amd_exchange_<V_, XOR_ ^ part>(x);
    } else {
        return x;
    }
}

/* Private: returns the word x of any lane. With HALVES, ds_bpermute reads only
 * lanes of its own half of 64 lanes; a second one, after v_permlane64, reads
 * the other half. */
template <unsigned GFX_, bool HALVES_>
LL_DEVICE unsigned ll_amd_shuffle_(unsigned x, unsigned lane,
                                   unsigned thread) {
    const unsigned own = ll_amd_ds_bpermute(4 * lane, x);
    if constexpr (HALVES_) {
        const unsigned other =
            ll_amd_ds_bpermute(4 * lane, ll_amd_permlane64<GFX_>(x));
        return (lane ^ thread) & 32u ? other : own;
    } else {
        return own;
    }
}

/* Private: widens the four selectors of a byte permute from 4 bits each to the
 * 8 bits that v_perm takes. */
LL_DEVICE unsigned ll_amd_selector_(unsigned selector) {
    unsigned s = selector & 0x7777u;
    s = (s | s << 8) & 0x00ff00ffu;
    return (s | s << 4) & 0x0f0f0f0fu;
}

/* Private: a byte permute, written with shifts. The compiler turns them into
 * v_perm, and removes permutes that bring all bytes back to their old places.
 * It cannot do that with the built-in of v_perm. */
LL_DEVICE unsigned ll_amd_bytes_(unsigned a, unsigned b, unsigned selector) {
    unsigned y = 0;
    for (unsigned k = 0; k < 16; k += 4) {
        const unsigned byte = selector >> k & 7u;
        y |= ((byte < 4 ? a : b) >> 8 * (byte & 3u) & 0xffu) << 2 * k;
    }
    return y;
}

/* Private: the memory accesses that loads, stores and conversions of ll.h are
 * made of, for target GFX. The host pass, which names no GPU, assumes that
 * every instruction is present. */
#if LL_EMULATE
template <unsigned GFX_> struct ll_amd_accesses_ : emu_moves {
#else
template <unsigned GFX_> struct ll_amd_accesses_ {
#endif
    enum : unsigned {
        widest = 16,
        stores = 1u << LL_FORM_VECTOR,
        loads = stores | (ll_amd_on_<GFX_>("ds_read_tr16_b64")
                              ? 1u << LL_FORM_TRANS | 1u << LL_FORM_BYTES
                              : 0u)
    };
    template <unsigned FORM_, unsigned BYTES_>
    LL_DEVICE void put(unsigned address, const ll_words &v) {
        ll_amd_to_shared_<BYTES_>(address, v);
    }
    template <unsigned FORM_, unsigned BYTES_>
    LL_DEVICE ll_words take(unsigned address) {
        if constexpr (FORM_ == LL_FORM_VECTOR) {
            return ll_amd_from_shared_<BYTES_>(address);
        } else if constexpr (FORM_ == LL_FORM_TRANS) {
            return ll_amd_ds_read_tr16_b64<GFX_>(address);
        } else {
            return ll_amd_ds_read_tr8_b64<GFX_>(address);
        }
    }
    template <unsigned HOW_, unsigned BYTES_>
    LL_DEVICE ll_words load(unsigned long long address, unsigned on) {
        return ll_amd_from_global_<HOW_, BYTES_>(address, on);
    }
    template <unsigned HOW_, unsigned BYTES_>
    LL_DEVICE void store(unsigned long long address, const ll_words &v,
                         unsigned on) {
        ll_amd_to_global_<HOW_, BYTES_>(address, v, on);
    }
    template <unsigned BYTES_>
    LL_DEVICE void copy(unsigned to, unsigned long long from) {
        copy_some<BYTES_>(to, from, 1);
    }
    template <unsigned BYTES_>
    LL_DEVICE void copy_some(unsigned to, unsigned long long from,
                             unsigned on) {
        ll_amd_to_shared_<BYTES_>(to, ll_amd_from_kept_<BYTES_>(from, on));
    }
};

/* Private: the operations that loads, stores and conversions of ll.h are made
 * of, for warps of LANES lanes. */
template <unsigned LANES_, unsigned GFX_ = LL_AMD_HERE_>
struct ll_amd_moves_ : ll_amd_accesses_<GFX_> {
    static_assert(LANES_ == 32 || LANES_ == 64,
                  "ll: the target must have 32 or 64 lanes: use an AMD target");
    enum : unsigned {
        lanes = LANES_,
        threads = 0,
        named = 0,
        copies = 1,
        reduces = 0,
        clusters = 0,
        gfx = GFX_,
        halves = LANES_ == 64 && GFX_ >= 0x1000u && GFX_ < 0x1200u
    };
    LL_DEVICE unsigned thread() { return LL_AMD_THREAD_; }
    LL_DEVICE void commit() {}
    template <unsigned> LL_DEVICE void wait_copies() {}
    LL_DEVICE void wait_warp() { ll_amd_wave_barrier(); }
    LL_DEVICE void wait_block() { ll_amd_s_barrier(); }
    LL_DEVICE unsigned permute(unsigned a, unsigned b, unsigned selector) {
        return __builtin_constant_p(selector)
                   ? ll_amd_bytes_(a, b, selector)
                   : ll_amd_perm(b, a, ll_amd_selector_(selector));
    }
    LL_DEVICE unsigned merge(unsigned a, unsigned b, unsigned mask) {
        return (a & mask) | (b & ~mask); /* v_bfi */
    }
    LL_DEVICE unsigned low_halves(unsigned a, unsigned b) {
        return permute(a, b, 0x5410);
    }
    template <bool> LL_DEVICE unsigned choose(unsigned a, unsigned b,
                                              unsigned on) {
        return on ? b : a;
    }
    /* Hides nothing: LLVM itself splits addresses into a scalar and a vector
     * part. */
    LL_DEVICE unsigned long long keep(unsigned long long x) { return x; }
    template <unsigned HOP_, unsigned long long CONTROL_>
    LL_DEVICE unsigned hop(unsigned x) {
        return ll_amd_hop_<HOP_, CONTROL_, GFX_>(x);
    }
    template <unsigned LANE_> LL_DEVICE void swap(unsigned &a, unsigned &b) {
        ll_amd_swap_<LANE_, GFX_>(a, b);
    }
    template <unsigned XOR_> LL_DEVICE unsigned exchange(unsigned x) {
        static_assert(XOR_ < LANES_, "ll: an exchange must stay in its warp");
        return ll_amd_exchange_<ll_amd_moves_, XOR_>(x);
    }
    LL_DEVICE unsigned shuffle(unsigned x, unsigned lane) {
        return ll_amd_shuffle_<GFX_, halves != 0>(x, lane, thread());
    }
};

/* Private: the same in a scope. Exchanges use the thread's number in it. */
template <class V_, class SCOPE_>
struct ll_amd_scoped_ : ll_scoped_hooks_<V_, SCOPE_> {
    template <unsigned XOR_> LL_DEVICE unsigned exchange(unsigned x) {
        return ll_amd_exchange_<ll_amd_scoped_, XOR_>(x);
    }
    LL_DEVICE unsigned shuffle(unsigned x, unsigned lane) {
        return ll_amd_shuffle_<V_::gfx, V_::halves != 0>(x, lane,
                                                         SCOPE_::ll_thread_());
    }
};

struct ll_vendor_ {
    template <unsigned LANES_> using moves = ll_amd_moves_<LANES_>;
};

template <class SCOPE_> struct ll_vendor_in_ {
    template <unsigned LANES_>
    using moves = ll_amd_scoped_<ll_amd_moves_<LANES_>, SCOPE_>;
};

/* The scope outside any LL_IN. It is in a namespace, so that compilers do not
 * warn when LL_IN shadows it. */
namespace ll_default_ {
typedef ll_vendor_ ll_scope_;
}
using namespace ll_default_;

#endif

#endif
