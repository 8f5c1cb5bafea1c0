/* ---- Hooks of ll.h: NVIDIA's instructions ----------------------------- */
#ifndef LL_PTX_HOOKS_H
#define LL_PTX_HOOKS_H

#include "../ll/kernel/reduce.h"
#include "instructions/memory.h"
#include "instructions/lanes.h"
#include "instructions/copies.h"

/* The instructions behind the loads, stores and conversions of ll.h on NVIDIA
 * GPUs. Under LL_WIDE an access has up to 32 bytes on sm_100 and later with
 * CUDA 12.9, elsewhere up to 16. */
#ifdef LL_PTX_DEVICE_

#undef LL_BY_VENDOR_
#undef LL_SHARED_ADDRESS_
#define LL_BY_VENDOR_(...) __VA_ARGS__
#define LL_SHARED_ADDRESS_(smem) ((unsigned)__cvta_generic_to_shared(smem))

/* Private: each picks the instruction for an access of BYTES_ bytes per lane,
 * by the bits at the end of its name or by its number of matrices. A matrix has
 * 4 bytes per lane. Width, form and hint are template arguments, so that even a
 * build without optimisation contains only the instruction that is asked
 * for. */
#define LL_PTX_OF_(bytes, ...)                                              \
    if constexpr (BYTES_ == bytes) {                                        \
        return __VA_ARGS__;                                                 \
    }
#define LL_PTX_BITS_(name, ...)                                             \
    LL_PTX_OF_(1, name##8(__VA_ARGS__))                                     \
    LL_PTX_OF_(2, name##16(__VA_ARGS__))                                    \
    LL_PTX_OF_(4, name##32(__VA_ARGS__))                                    \
    LL_PTX_OF_(8, name##64(__VA_ARGS__))                                    \
    LL_PTX_OF_(16, name##128(__VA_ARGS__))
#define LL_PTX_WIDE_BITS_(name, ...)                                        \
    LL_PTX_BITS_(name, __VA_ARGS__)                                         \
    LL_PTX_OF_(32, name##256(__VA_ARGS__))
#define LL_PTX_MATRICES_(name, end, ...)                                    \
    LL_PTX_OF_(4, name##1##end(__VA_ARGS__))                                \
    LL_PTX_OF_(8, name##2##end(__VA_ARGS__))                                \
    LL_PTX_OF_(16, name##4##end(__VA_ARGS__))

/* Private: the operations that loads, stores and conversions of ll.h are made
 * of. The host pass, which names no GPU, assumes that every instruction is
 * present. */
#ifdef __CUDA_ARCH__
#define LL_PTX_HERE_ __CUDA_ARCH__
#else
#define LL_PTX_HERE_ 9999
#endif
#if LL_EMULATE
struct ll_ptx_moves_ : emu_moves {
#else
struct ll_ptx_moves_ {
#endif
    enum : unsigned {
        lanes = 32,
        threads = 0,
        named = 1,
        widest = LL_PTX_WIDE ? 32 : 16,
        loads = LL_PTX_HERE_ < 1000 ? 7 : 15,
        stores = LL_PTX_HERE_ < 900 ? 1 : loads,
        copies = LL_PTX_HERE_ >= 800,
        reduces = LL_PTX_HERE_ >= 800,
        clusters = LL_PTX_HERE_ >= 900
    };
    LL_DEVICE unsigned thread() { return threadIdx.x; }
    LL_DEVICE unsigned permute(unsigned a, unsigned b, unsigned selector) {
        return ll_ptx_prmt(a, b, selector);
    }
    /* Returns the bits of a where the mask is set, and the bits of b elsewhere.
     * (For two masks in C the compiler emits two instructions.) */
    LL_DEVICE unsigned merge(unsigned a, unsigned b, unsigned mask) {
        unsigned y = 0;
        LL_PTX_PURE_("lop3.b32 %0, %1, %2, %3, 0xca;", (LL_O32_(y)),
                     (LL_I32_(mask), LL_I32_(a), LL_I32_(b)));
        return y;
    }
    /* Returns the low halves of a and b. Multiply-adds relieve the pipe of
     * permutes: y holds the high halves of a and b, so b - y is b's low half
     * minus a's high half. Shifted up by 16 bits and added to a, it replaces
     * a's high half by b's low half. */
    LL_DEVICE unsigned low_halves(unsigned a, unsigned b) {
        return ll_ptx_mad(ll_ptx_mad(ll_ptx_prmt(a, b, 0x7632), ~0u, b),
                          0x10000, a);
    }
    /* Selects and byte permutes share a pipe with half the rate of the
     * schedulers, so every other select goes through the pipe of multiply-adds.
     * A conversion by 8 shuffles and 16 selects takes a quarter less time. */
    template <bool OTHER_>
    LL_DEVICE unsigned choose(unsigned a, unsigned b, unsigned on) {
        if constexpr (OTHER_) {
            return ll_ptx_mad_if(a, b, ll_ptx_one_(), on);
        } else {
            return ll_ptx_selp(b, a, on);
        }
    }
    /* Returns x, but nvcc takes the result for an unknown number; ptxas sees
     * that it is x. (An empty asm would stop nvcc from unrolling loops.) */
    LL_DEVICE unsigned long long keep(unsigned long long x) {
#if LL_EMULATE
        return x;
#else
        return (unsigned long long)__cvta_generic_to_global((const void *)x);
#endif
    }
    template <unsigned XOR_> LL_DEVICE unsigned exchange(unsigned x) {
        return ll_ptx_shfl_bfly(x, XOR_);
    }
    LL_DEVICE unsigned shuffle(unsigned x, unsigned lane) {
        return ll_ptx_shfl_idx(x, lane);
    }
    template <unsigned IS_, bool SIGNED_>
    LL_DEVICE unsigned redux(unsigned x) {
        if constexpr (IS_ == LL_IS_ADD_) {
            return ll_ptx_redux_add_u32(x);
        } else if constexpr (IS_ == LL_IS_MIN_) {
            return SIGNED_ ? ll_ptx_redux_min_s32(x) : ll_ptx_redux_min_u32(x);
        } else if constexpr (IS_ == LL_IS_MAX_) {
            return SIGNED_ ? ll_ptx_redux_max_s32(x) : ll_ptx_redux_max_u32(x);
        } else if constexpr (IS_ == LL_IS_AND_) {
            return ll_ptx_redux_and_b32(x);
        } else if constexpr (IS_ == LL_IS_OR_) {
            return ll_ptx_redux_or_b32(x);
        } else {
            return ll_ptx_redux_xor_b32(x);
        }
    }
    template <unsigned FORM_, unsigned BYTES_>
    LL_DEVICE void put(unsigned address, const ll_words &v) {
        if constexpr (FORM_ == LL_FORM_VECTOR) {
            LL_PTX_BITS_(ll_ptx_st_shared_b, address, v)
        } else if constexpr (FORM_ == LL_FORM_MATRIX) {
            LL_PTX_MATRICES_(ll_ptx_stmatrix_m8n8_x, , address, v)
        } else if constexpr (FORM_ == LL_FORM_TRANS) {
            LL_PTX_MATRICES_(ll_ptx_stmatrix_m8n8_x, _trans, address, v)
        } else {
            LL_PTX_MATRICES_(ll_ptx_stmatrix_m16n8_x, _trans, address, v)
        }
    }
    template <unsigned FORM_, unsigned BYTES_>
    LL_DEVICE ll_words take(unsigned address) {
        if constexpr (FORM_ == LL_FORM_VECTOR) {
            LL_PTX_BITS_(ll_ptx_ld_shared_b, address)
        } else if constexpr (FORM_ == LL_FORM_MATRIX) {
            LL_PTX_MATRICES_(ll_ptx_ldmatrix_m8n8_x, , address)
        } else if constexpr (FORM_ == LL_FORM_TRANS) {
            LL_PTX_MATRICES_(ll_ptx_ldmatrix_m8n8_x, _trans, address)
        } else {
            LL_PTX_OF_(8, ll_ptx_ldmatrix_m16n16_x1_trans(address))
            LL_PTX_OF_(16, ll_ptx_ldmatrix_m16n16_x2_trans(address))
        }
    }
    template <unsigned HOW_, unsigned BYTES_>
    LL_DEVICE ll_words load(unsigned long long address, unsigned on) {
        if constexpr ((HOW_ & LL_STREAM) != 0) {
            LL_PTX_WIDE_BITS_(ll_ptx_ld_global_no_allocate_b, address, on)
        } else {
            LL_PTX_WIDE_BITS_(ll_ptx_ld_global_b, address, on)
        }
    }
    template <unsigned HOW_, unsigned BYTES_>
    LL_DEVICE void store(unsigned long long address, const ll_words &v,
                         unsigned on) {
        if constexpr ((HOW_ & LL_STREAM) != 0) {
            LL_PTX_WIDE_BITS_(ll_ptx_st_global_no_allocate_b, address, v, on)
        } else {
            LL_PTX_WIDE_BITS_(ll_ptx_st_global_b, address, v, on)
        }
    }
    /* Copies of 16 bytes bypass the L1 cache. */
    template <unsigned BYTES_>
    LL_DEVICE void copy(unsigned to, unsigned long long from) {
        LL_PTX_OF_(4, ll_ptx_cp_async_ca_b32(to, from))
        LL_PTX_OF_(8, ll_ptx_cp_async_ca_b64(to, from))
        LL_PTX_OF_(16, ll_ptx_cp_async_cg_b128(to, from))
    }
    template <unsigned BYTES_>
    LL_DEVICE void copy_some(unsigned to, unsigned long long from,
                             unsigned on) {
        const unsigned read = on ? BYTES_ : 0u;
        LL_PTX_OF_(4, ll_ptx_cp_async_ca_b32_fill(to, from, read))
        LL_PTX_OF_(8, ll_ptx_cp_async_ca_b64_fill(to, from, read))
        LL_PTX_OF_(16, ll_ptx_cp_async_cg_b128_fill(to, from, read))
    }
    LL_DEVICE void commit() { ll_ptx_cp_async_commit_group(); }
    template <unsigned N_> LL_DEVICE void wait_copies() {
        ll_ptx_cp_async_wait_group<N_>();
    }
    LL_DEVICE void wait_warp() { ll_ptx_bar_warp(); }
    LL_DEVICE void wait_block() { ll_ptx_bar(); }
    template <unsigned ID_, unsigned THREADS_> LL_DEVICE void wait_named() {
        ll_ptx_bar_named<ID_, THREADS_>();
    }
    template <unsigned THREADS_> LL_DEVICE void wait_named_at(unsigned id) {
        ll_ptx_bar_at<THREADS_>(id);
    }
    LL_DEVICE unsigned block() { return ll_ptx_cluster_ctarank(); }
    LL_DEVICE unsigned dsmem(unsigned address, unsigned block) {
        return ll_ptx_mapa(address, block);
    }
    template <unsigned BYTES_> LL_DEVICE ll_words take_dsmem(unsigned address) {
        LL_PTX_BITS_(ll_ptx_ld_shared_cluster_b, address)
    }
    LL_DEVICE void wait_cluster() {
        ll_ptx_barrier_cluster_arrive();
        ll_ptx_barrier_cluster_wait();
    }
#ifdef LL_CLUSTERS
    /* mbarriers that wait for bytes from other blocks. One thread arrives at
     * once; the bytes complete the phase. */
    LL_DEVICE void arm_bar(unsigned bar, unsigned bytes) {
        ll_ptx_mbarrier_arrive_expect_tx(bar, bytes);
    }
    LL_DEVICE void init_bar(unsigned bar, unsigned bytes) {
        ll_ptx_mbarrier_init(bar, 1);
        arm_bar(bar, bytes);
    }
    LL_DEVICE void fence_bars() { ll_ptx_fence_mbarrier_init(); }
    LL_DEVICE void wait_bar(unsigned bar, unsigned parity) {
        ll_ptx_mbarrier_wait(bar, parity);
    }
    template <unsigned BYTES_>
    LL_DEVICE void push(unsigned to, const ll_words &v, unsigned bar) {
        LL_PTX_OF_(4, ll_ptx_st_async_b32(to, v, bar))
        LL_PTX_OF_(8, ll_ptx_st_async_b64(to, v, bar))
        LL_PTX_OF_(16, ll_ptx_st_async_b128(to, v, bar))
    }
#endif
};

#undef LL_PTX_OF_
#undef LL_PTX_BITS_
#undef LL_PTX_WIDE_BITS_
#undef LL_PTX_MATRICES_

struct ll_vendor_ {
    template <unsigned> using moves = ll_ptx_moves_;
};

template <class SCOPE_> struct ll_vendor_in_ {
    template <unsigned> using moves = ll_scoped_hooks_<ll_ptx_moves_, SCOPE_>;
};

/* The scope outside any LL_IN. It is in a namespace, so that compilers do not
 * warn when LL_IN shadows it. */
namespace ll_default_ {
typedef ll_vendor_ ll_scope_;
}
using namespace ll_default_;

#endif

#endif
