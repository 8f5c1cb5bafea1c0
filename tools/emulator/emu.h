/* emu.h - CUDA keywords and intrinsics for kernels that run on the CPU.
 *
 * emucc includes this file ahead of a .cu file. Every GPU thread becomes a
 * fiber. The hooks of the compiler's thread sanitizer, which emu_hooks.cc
 * defines, see every load and store of the kernel. An access past the end of a
 * shared variable is an error even where another variable follows. The emulator
 * does not see std::atomic, library functions other than memcpy, memmove and
 * memset, or an overrun that stays within one variable (from row to row of an
 * array, or in the dynamic shared memory). Example:
 *
 *   __global__ void twice(unsigned *p) { p[threadIdx.x] *= 2; }
 *   LL_LAUNCH(twice, 1, 32, 0, p);
 *   emu_stat("ld.global");             warp instructions that loaded
 *   emu_error_count(), emu_error(0)    what was wrong, with file and line
 *
 * Sections: the test's API - keywords - launch - barriers and exchanges - PTX
 * operands - AMD's instructions.
 */
#ifndef EMU_H
#define EMU_H

#ifndef LL_EMULATE
#define LL_EMULATE 1
#endif

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

/* ==== The test's API ==================================================== */

/* Classes of error, as emu_error_kind returns them. */
enum {
    EMU_BOUNDS, EMU_ALIGN, EMU_UNINIT, EMU_RACE, EMU_DEADLOCK, EMU_PTX,
    EMU_LANES, EMU_CRASH, EMU_LAUNCH, EMU_EARLY, EMU_BARRIER, EMU_ASSERT,
    EMU_ASYNC, EMU_KINDS
};

/* One row of the per-site table, or a sum of rows. */
typedef struct emu_row {
    const char *file;       /* "" in a sum                              */
    int line;
    const char *kind;       /* such as "ld.shared.b128"                 */
    uint64_t instructions;  /* per warp                                 */
    uint64_t wavefronts;    /* shared memory: clocks by bank counting   */
    uint64_t ideal;         /* the same without any bank conflict       */
    uint64_t sectors;       /* global memory: 32-byte sectors           */
    uint64_t ideal_sectors; /* sectors if the bytes were contiguous     */
    uint64_t bytes;         /* bytes asked for, summed over the lanes   */
} emu_row;

extern "C" {
/* Settings. They apply to launches that start later. */
void emu_set_lanes(int lanes);             /* 32 or 64                  */
void emu_set_banks(int banks);             /* of 4 bytes; 32            */
/* Lanes l and l^b share a phase for each b of the basis. write is 0 or 1; 1 to
 * 4 bytes share one entry. The call turns the phase merge rule of sm_90 off. */
void emu_set_phase(int write, int bytes, int banks, int n, const int *basis);
void emu_set_merge(int on);                /* the sm_90 load rule, on or off */
/* Selects an AMD target, 0x1100 for gfx1100, and its phases. The call turns the
 * phase merge rule of sm_90 off. */
void emu_set_gfx(unsigned gfx);
/* A thread that makes more accesses than this between two barriers counts as an
 * endless loop. The default is 300000. */
void emu_set_limit(uint64_t accesses);
void emu_reset_target(void);               /* all settings but the lanes */

/* Statistics. A kind covers everything below it: "ld.shared" sums ld.shared.b8
 * .. b128, "" sums all. */
void emu_reset(void);                      /* clears counts and errors  */
void emu_expected(void);   /* the same, for a test's planted errors */
uint64_t emu_stat(const char *kind);       /* warp instructions         */
uint64_t emu_wavefronts(const char *kind);
uint64_t emu_ideal(const char *kind);
uint64_t emu_sectors(const char *kind);
uint64_t emu_ideal_sectors(const char *kind);
uint64_t emu_bytes(const char *kind);
int emu_site_count(void);
emu_row emu_site(int i);                   /* sorted by file, line, kind */
void emu_print(void);                      /* the table, to stdout      */

/* Errors, once per site and class: "file:line: sentence". If any error was
 * found, even before an emu_reset, the program's exit status is nonzero;
 * emu_expected removes the errors. Errors left at the end are printed. */
int emu_error_count(void);
const char *emu_error(int i);
const char *emu_errors(void);              /* all, one per line         */
int emu_error_kind(int i);
int emu_error_line(int i);

/* Declares other memory that kernels may access as global memory. */
void emu_global_add(void *p, size_t bytes);
void emu_global_remove(void *p);
}

/* ==== Keywords ========================================================== */

/* translate.awk replaces these marks. */
#define __global__ emu_global_mark_
#define __device__ emu_device_mark_
#define __managed__ emu_device_mark_
#define __shared__ emu_shared_mark_
#define __launch_bounds__(...) emu_bounds_mark_(__VA_ARGS__)
#define __cluster_dims__(...) emu_cluster_mark_(__VA_ARGS__)
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __grid_constant__ emu_grid_mark_
#define __align__(n) __attribute__((aligned(n)))
#define __constant__ __attribute__((section("emu_constant")))
#define EMU_FN_ static inline __attribute__((always_inline, unused))

#include "include/vector_types.h"

/* The values of the running thread. */
extern const uint3 threadIdx __asm__("emu_thread_idx_");
extern const uint3 blockIdx __asm__("emu_block_idx_");
extern const dim3 blockDim __asm__("emu_block_dim_");
extern const dim3 gridDim __asm__("emu_grid_dim_");
extern const int warpSize __asm__("emu_warp_size_");

extern "C" {
/* Names the kernel of the next launch. As on a GPU, the launch is refused if it
 * asks for more dynamic shared memory than emu_allow gave the kernel.
 * A null kernel of emu_limit is unknown and has the largest amount of any
 * kernel. A null kernel of emu_allow stands for all kernels. */
void emu_limit(const void *kernel);
void emu_allow(const void *kernel, size_t bytes);
void emu_launch(const char *name, dim3 grid, dim3 block, size_t shared,
                void (*entry)(void *), void *params, size_t bytes,
                dim3 cluster);
void emu_bar(unsigned id, unsigned count);
unsigned emu_bar_count(int p);          /* number of threads with p != 0 */
void emu_syncwarp(uint64_t mask);
void emu_grid_constant(const void *p, size_t bytes);
/* A thread begins a move. Ends the kernel if it is not one of the threads.
 *   scope: name of the scope, or null without one
 *   number: the thread's number
 *   threads, lanes: threads of the move, lanes per warp */
void emu_enter(const char *scope, unsigned number, unsigned threads,
               unsigned lanes);
/* A tile of `all` columns ends at column `cols` of the matrix. Reports a
 * finding if an access of `each` columns crosses that end. */
void emu_columns(unsigned cols, unsigned each, unsigned all);
/* The memory layout that a half of a plan uses, valid until the half ends: bit
 * `bit` of coordinate `dim` is bit `to` of the tile. */
typedef struct emu_memory {
    unsigned n, dim[32], bit[32], to[32];
} emu_memory;
void emu_half(const emu_memory *memory, int is_load);
/* A thread with that number arrives at the barrier of a scope. Numbers that are
 * missing when the cluster ends are a finding. */
void emu_came(const char *scope, unsigned number, unsigned threads);
uint32_t emu_shfl(int mode, uint32_t a, uint32_t b, uint32_t width,
                  uint64_t mask);
uint64_t emu_ballot(int p, uint64_t mask);
uint64_t emu_activemask(void);
uint32_t emu_prmt(uint32_t a, uint32_t b, uint32_t c);
size_t emu_shared_offset(const void *p);
extern char emu_dynamic_[];
/* Sets the cluster size of the kernels with that name. */
void emu_cluster_of(const char *kernel, dim3 blocks);
/* Reports a finding if the block has more threads than the kernel allows. */
void emu_bounds(const char *kernel, unsigned threads);
void emu_fail(const char *text);        /* reports a finding, ends the kernel */
void emu_yield(void);                   /* lets other threads run first */
void emu_fence(void);                   /* memory fence, for other blocks */
void emu_fence_block(void);             /* the same for the own block     */
}

/* What moves report to the emulator: a base class of the vendors' hooks. It is
 * inlined so that a finding names the kernel's line. */
#define EMU_HOOK static inline __attribute__((always_inline, unused)) void
struct emu_moves {
    typedef emu_memory memory;
    EMU_HOOK enter(const char *scope, unsigned number, unsigned threads,
                   unsigned lanes) {
        emu_enter(scope, number, threads, lanes);
    }
    EMU_HOOK came(const char *scope, unsigned number, unsigned threads) {
        emu_came(scope, number, threads);
    }
    EMU_HOOK columns(unsigned cols, unsigned each, unsigned all) {
        emu_columns(cols, each, all);
    }
    EMU_HOOK half(const emu_memory *through, int is_load) {
        emu_half(through, is_load);
    }
};
#undef EMU_HOOK
EMU_FN_ void emu_bounds_(const char *kernel, unsigned threads, ...) {
    emu_bounds(kernel, threads);
}

#ifdef EMU_WARP
static int emu_lanes_set_ __attribute__((unused)) =
    (emu_set_lanes(EMU_WARP), 0);
#endif
#if defined(EMU_WARP) || defined(EMU_GFX)
static int emu_allowed_ __attribute__((unused)) = (emu_allow(0, 227 << 10), 0);
#endif

/* A copy of 1, 2, 4, 8 or 16 bytes is one access. Other copies call functions
 * of the emulator, because it does not see copies that the compiler makes. */
extern "C" {
void *emu_memcpy(void *to, const void *from, size_t n);
void *emu_memmove(void *to, const void *from, size_t n);
void *emu_memset(void *to, int c, size_t n);
}
EMU_FN_ void *emu_copy(void *to, const void *from, size_t n) {
    bool small = n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
    return __builtin_constant_p(n) && small ? __builtin_memcpy(to, from, n)
                                            : emu_memcpy(to, from, n);
}
namespace std {
using ::emu_copy;
using ::emu_memmove;
using ::emu_memset;
}
#define memcpy emu_copy
#define memmove emu_memmove
#define memset emu_memset
#define __builtin_memcpy emu_copy
#define __builtin_memmove emu_memmove
#define __builtin_memset emu_memset

/* ==== Launch ============================================================ */

template <class K_, class T_> struct emu_call {
    K_ kernel;
    T_ args;
    static void run(void *p) {
        emu_call *c = (emu_call *)p;
        std::apply(c->kernel, c->args);
    }
};

template <class... P_, class... A_>
void emu_run_clusters(const char *name, void (*kernel)(P_...), dim3 grid,
                      dim3 block, dim3 cluster, size_t shared, A_... args) {
    typedef emu_call<void (*)(P_...), std::tuple<P_...>> call;
    call c = {kernel, std::tuple<P_...>((P_)args...)};
    emu_launch(name, grid, block, shared, call::run, &c, sizeof c, cluster);
}

template <class... P_, class... A_>
void emu_run(const char *name, void (*kernel)(P_...), dim3 grid, dim3 block,
             size_t shared, A_... args) {
    emu_run_clusters(name, kernel, grid, block, dim3(1), shared, args...);
}

#define LL_LAUNCH(kernel, grid, block, smem_bytes, ...)                      \
    emu_run(#kernel, kernel, dim3(grid), dim3(block), (size_t)(smem_bytes),  \
            ##__VA_ARGS__)

/* emucc turns `kernel<<<grid, block, smem, stream>>>(args)` into this. If the
 * arguments decide the kernel's template parameters, the kernel is passed as a
 * function object instead. */
template <class... P_> struct emu_launcher_ {
    const char *name;
    void (*kernel)(P_...);
    dim3 grid, block;
    size_t smem_bytes;

    void operator()(P_... args) const {
        emu_limit((const void *)kernel);
        emu_run(name, kernel, grid, block, smem_bytes, args...);
    }
};

template <class F_> struct emu_any_launcher_ {
    const char *name;
    F_ kernel;
    dim3 grid, block;
    size_t smem_bytes;

    template <class... A_> void operator()(A_... args) const {
        emu_call<F_, std::tuple<A_...>> c = {kernel,
                                             std::tuple<A_...>(args...)};
        emu_limit(nullptr);
        emu_launch(name, grid, block, smem_bytes, c.run, &c, sizeof c,
                   dim3(1));
    }
};

/* A launched name that is not a kernel: it must be a pointer to one. */
template <class F_> struct emu_pointer_ {
    static_assert(!std::is_function<F_>::value,
                  "a launched function must be __global__");
    static F_ of(F_ kernel) { return kernel; }
};

template <class... P_>
emu_launcher_<P_...> emu_launch_(const char *name, void (*kernel)(P_...),
                                dim3 grid, dim3 block, size_t smem_bytes = 0,
                                void * = nullptr) {
    return {name, kernel, grid, block, smem_bytes};
}
template <class F_>
emu_any_launcher_<F_> emu_launch_(const char *name, F_ kernel, dim3 grid,
                                 dim3 block, size_t smem_bytes = 0,
                                 void * = nullptr) {
    return {name, kernel, grid, block, smem_bytes};
}

/* ==== Barriers and exchanges ============================================ */

/* A mask of lanes: 64 bits if warps may have 64 lanes. */
#if defined(EMU_WARP) || defined(EMU_GFX)
typedef uint64_t emu_mask;
#else
typedef unsigned emu_mask;
#endif

EMU_FN_ void __syncthreads() { emu_bar(0, 0); }
EMU_FN_ int __syncthreads_count(int p) { return (int)emu_bar_count(p != 0); }
EMU_FN_ int __syncthreads_or(int p) { return emu_bar_count(p != 0) != 0; }
EMU_FN_ int __syncthreads_and(int p) { return emu_bar_count(p == 0) == 0; }
EMU_FN_ void __syncwarp(emu_mask mask = 0xffffffffu) { emu_syncwarp(mask); }
EMU_FN_ emu_mask __activemask() { return (emu_mask)emu_activemask(); }
EMU_FN_ emu_mask __ballot_sync(emu_mask mask, int p) {
    return (emu_mask)emu_ballot(p != 0, mask);
}
EMU_FN_ int __any_sync(emu_mask mask, int p) {
    return emu_ballot(p != 0, mask) != 0;
}
EMU_FN_ int __all_sync(emu_mask mask, int p) {
    return emu_ballot(p == 0, mask) == 0;
}

/* A value of up to 4 bytes takes one exchange, a value of 8 bytes two. */
template <class T_>
EMU_FN_ T_ emu_shfl_any(int mode, uint64_t mask, T_ v, uint32_t b, int width) {
    uint32_t w[(sizeof(T_) + 3) / 4] = {};
    memcpy(w, &v, sizeof(T_));
    w[0] = emu_shfl(mode, w[0], b, (uint32_t)width, mask);
    if (sizeof(T_) > 4) {
        w[sizeof w / 4 - 1] =
            emu_shfl(mode, w[sizeof w / 4 - 1], b, (uint32_t)width, mask);
    }
    memcpy(&v, w, sizeof(T_));
    return v;
}
#define EMU_SHUFFLES_(T_)                                                      \
    EMU_FN_ T_ __shfl_sync(emu_mask m, T_ v, int src, int width = 0) {         \
        return emu_shfl_any(0, m, v, (uint32_t)src, width);                    \
    }                                                                          \
    EMU_FN_ T_ __shfl_up_sync(emu_mask m, T_ v, unsigned d, int width = 0) {   \
        return emu_shfl_any(1, m, v, d, width);                                \
    }                                                                          \
    EMU_FN_ T_ __shfl_down_sync(emu_mask m, T_ v, unsigned d, int width = 0) { \
        return emu_shfl_any(2, m, v, d, width);                                \
    }                                                                          \
    EMU_FN_ T_ __shfl_xor_sync(emu_mask m, T_ v, int x, int width = 0) {       \
        return emu_shfl_any(3, m, v, (uint32_t)x, width);                      \
    }
EMU_SHUFFLES_(int)
EMU_SHUFFLES_(unsigned)
EMU_SHUFFLES_(long)
EMU_SHUFFLES_(unsigned long)
EMU_SHUFFLES_(long long)
EMU_SHUFFLES_(unsigned long long)
EMU_SHUFFLES_(float)
EMU_SHUFFLES_(double)

EMU_FN_ size_t __cvta_generic_to_shared(const void *p) {
    return emu_shared_offset(p);
}
EMU_FN_ unsigned __isShared(const void *p) {
    return emu_shared_offset(p) != 0xfffffff0u;
}

/* ==== PTX operands ====================================================== */

/* An operand of LL_PTX_: address of its value, width and direction. */
struct emu_operand {
    void *at;        /* null: an immediate                               */
    uint64_t value;
    int bits;
    int flags;       /* 1 written, 2 read                                */
};

template <int N_> struct emu_list {
    emu_operand v[N_ + 1];
};

template <class T_>
EMU_FN_ emu_operand emu_out_(T_ &x, int bits, int flags) {
    return emu_operand{(void *)&x, 0, sizeof(T_) * 8 == (size_t)bits ? bits : 0,
                       flags};
}
EMU_FN_ emu_operand emu_in_(uint64_t x, int bits) {
    return emu_operand{0, x, bits, 2};
}
template <class... T_>
EMU_FN_ emu_list<sizeof...(T_)> emu_ops_(const T_ &...t) {
    return emu_list<sizeof...(T_)>{{t...}};
}

#define LL_O16_(x) emu_out_(x, 16, 1)
#define LL_O32_(x) emu_out_(x, 32, 1)
#define LL_O64_(x) emu_out_(x, 64, 1)
#define LL_IO32_(x) emu_out_(x, 32, 3)
#define LL_IO64_(x) emu_out_(x, 64, 3)
#define LL_I16_(x) emu_in_((uint16_t)(x), 16)
#define LL_I32_(x) emu_in_((uint32_t)(x), 32)
#define LL_I64_(x) emu_in_((uint64_t)(x), 64)
#define LL_IMM_(n) emu_in_((uint64_t)(int64_t)(n), 64)
#define LL_A32_(x) emu_out_(x, 32, 2)
#define LL_IOS32_(x) emu_out_(x, 32, 3)
#define LL_IOF32_(x) emu_out_(x, 32, 3)
#define LL_IOF64_(x) emu_out_(x, 64, 3)
#define LL_OF32_(x) emu_out_(x, 32, 1)
#define LL_IF32_(x) emu_asm_in_<'f'>(x)
#define LL_IF64_(x) emu_asm_in_<'d'>(x)

extern "C" void emu_ptx(const char *text, const emu_operand *outs, int n_outs,
                        const emu_operand *ins, int n_ins);

template <int N_, int M_>
EMU_FN_ void emu_ptx_(const char *text, const emu_list<N_> &o,
                      const emu_list<M_> &i) {
    emu_ptx(text, o.v, N_, i.v, M_);
}
#define LL_PTX_(text, outs, ins) emu_ptx_(text, emu_ops_ outs, emu_ops_ ins)
#define LL_PTX_LANES_(text, outs, ins) LL_PTX_(text, outs, ins)
#define LL_PTX_PURE_(text, outs, ins) LL_PTX_(text, outs, ins)

/* emucc turns the user's own asm statements into this. As in nvcc, the
 * constraint decides the width and kind of an operand. */
template <char K_, class T_> constexpr int emu_asm_bits_() {
    constexpr bool real = std::is_floating_point<T_>::value;
    constexpr size_t bytes = K_ == 'h' ? 2 : K_ == 'r' || K_ == 'f' ? 4 : 8;
    static_assert(real == (K_ == 'f' || K_ == 'd') &&
                      (K_ == 'n' || K_ == 'q' || sizeof(T_) == bytes),
                  "asm operand does not match its constraint");
    return sizeof(T_) * 8;
}
template <char K_, int FLAGS_, class T_>
EMU_FN_ emu_operand emu_asm_out_(T_ &x) {
    return emu_out_(x, emu_asm_bits_<K_, T_>(), FLAGS_);
}
template <char K_, class T_> EMU_FN_ emu_operand emu_asm_in_(T_ x) {
    uint64_t v = 0;
    memcpy(&v, &x, sizeof(T_));
    return emu_in_(v, emu_asm_bits_<K_, T_>());
}
EMU_FN_ void emu_asm_(const char *text) { emu_ptx(text, 0, 0, 0, 0); }
template <int N_>
EMU_FN_ void emu_asm_(const char *text, const emu_list<N_> &o) {
    emu_ptx(text, o.v, N_, 0, 0);
}
template <int N_, int M_>
EMU_FN_ void emu_asm_(const char *text, const emu_list<N_> &o,
                      const emu_list<M_> &i) {
    emu_ptx(text, o.v, N_, i.v, M_);
}

/* ==== AMD's instructions ================================================ */

/* EMU_GFX is the target that kernels are compiled for, or 0 for any. */
#ifdef EMU_GFX
#define LL_AMD_GFX_ EMU_GFX
#ifdef EMU_WARP
#define LL_AMD_LANES_ EMU_WARP
#else
#define LL_AMD_LANES_ 32
#endif
static int emu_gfx_set_ __attribute__((unused)) = (emu_set_gfx(EMU_GFX), 0);
#endif

typedef uint32_t emu_b64 __attribute__((vector_size(8)));
typedef uint32_t emu_b128 __attribute__((vector_size(16)));
typedef struct ll_amd_buffer {
    uint64_t start;
    uint32_t bytes;
} ll_amd_buffer;

extern "C" {
void emu_amd_read(void *to, int space, uint64_t address, int bytes, int on);
void emu_amd_write(const void *from, int space, uint64_t address, int bytes,
                   int on);
void emu_amd_buffer(ll_amd_buffer b, uint32_t offset, int bytes, int write,
                    void *data);
ll_amd_buffer emu_amd_make_buffer_rsrc(void *p, int stride, int bytes,
                                       int flags);
void emu_amd_global_load_lds(uint64_t from, uint64_t to, int bytes, int offset,
                             int aux);
int emu_amd_update_dpp(int old, int x, int control, int rows, int banks,
                       bool bound);
uint32_t emu_amd_mov_dpp8(uint32_t x, uint32_t selector);
uint32_t emu_amd_permlane16(uint32_t old, uint32_t x, uint32_t low,
                            uint32_t high, bool fetch, bool bound);
uint32_t emu_amd_permlanex16(uint32_t old, uint32_t x, uint32_t low,
                             uint32_t high, bool fetch, bool bound);
uint32_t emu_amd_permlane64(uint32_t x);
emu_b64 emu_amd_permlane16_swap(uint32_t a, uint32_t b, bool fetch,
                                bool bound);
emu_b64 emu_amd_permlane32_swap(uint32_t a, uint32_t b, bool fetch,
                                bool bound);
int emu_amd_ds_swizzle(int x, int pattern);
int emu_amd_ds_bpermute(int address, int x);
int emu_amd_ds_permute(int address, int x);
int emu_amd_readlane(int x, int lane);
int emu_amd_readfirstlane(int x);
uint32_t emu_amd_perm(uint32_t a, uint32_t b, uint32_t select);
emu_b64 emu_amd_tr16_b64(uint32_t address);
emu_b64 emu_amd_tr8_b64(uint32_t address);
emu_b64 emu_amd_tr4_b64(uint32_t address);
void emu_amd_product(const char *name, const void *a, const void *b, void *c,
                     unsigned signs, const unsigned *types,
                     const unsigned *scales);
}

/* Returns c + a b. Bits 0 and 1 of signs say whether integers in a and b are
 * signed. For a scaled product, ta and tb are the types of a and b, sa and sb
 * their scales. */
template <class A_, class C_>
EMU_FN_ C_ emu_product_(const char *name, A_ a, A_ b, C_ c, unsigned signs = 3,
                       unsigned ta = 0, unsigned tb = 0, unsigned sa = 0,
                       unsigned sb = 0) {
    unsigned types[] = {ta, tb}, scales[] = {sa & 255, sb & 255};
    emu_amd_product(name, &a, &b, &c, signs, types, scales);
    return c;
}
#define LL_AMD_MFMA_(name, a, b, c) emu_product_(#name, a, b, c)
#define LL_AMD_WMMA_(name, a, b, c) emu_product_(#name, a, b, c)
#define LL_AMD_WMMA_INT_(name, sa, a, sb, b, c)                              \
    emu_product_(#name, a, b, c, (sa) | (sb) << 1)
#define LL_AMD_MFMA_SCALE_(name, a, b, c, ta, tb, oa, sa, ob, sb)            \
    emu_product_(#name, a, b, c, 3, ta, tb, (sa) >> 8 * (oa), (sb) >> 8 * (ob))

#define EMU_BUFFER_(name, T_)                                                 \
    EMU_FN_ T_ emu_amd_raw_buffer_load_##name(ll_amd_buffer b, int offset,    \
                                             int, int) {                      \
        T_ x;                                                                 \
        emu_amd_buffer(b, (uint32_t)offset, sizeof x, 0, &x);                 \
        return x;                                                             \
    }                                                                         \
    EMU_FN_ void emu_amd_raw_buffer_store_##name(T_ x, ll_amd_buffer b,       \
                                                 int offset, int, int) {      \
        emu_amd_buffer(b, (uint32_t)offset, sizeof x, 1, &x);                 \
    }
EMU_BUFFER_(b8, uint8_t)
EMU_BUFFER_(b16, uint16_t)
EMU_BUFFER_(b32, uint32_t)
EMU_BUFFER_(b64, emu_b64)
EMU_BUFFER_(b128, emu_b128)

EMU_FN_ void emu_amd_fence(int, const char *) {}
#define emu_amd_s_barrier() emu_bar(0, 0)
#define emu_amd_wave_barrier() emu_syncwarp(0xffffffffu)

#define LL_AMD_(name) emu_amd_##name
#define LL_AMD_AT_(space, T_, address) ((uint64_t)(address))
#define LL_AMD_READ_(x, space, T_, address, on)                               \
    emu_amd_read(&(x), space, (uint64_t)(address), sizeof(T_), (on) != 0);
#define LL_AMD_WRITE_(x, space, T_, address, on)                              \
    emu_amd_write(&(x), space, (uint64_t)(address), sizeof(T_), (on) != 0);
#define LL_AMD_READ_NT_(x, space, T_, address, on)                            \
    LL_AMD_READ_(x, space, T_, address, on)
#define LL_AMD_WRITE_NT_(x, space, T_, address, on)                           \
    LL_AMD_WRITE_(x, space, T_, address, on)
#define LL_AMD_READ_TR_(name, T_, address) emu_amd_##name(address)
#define LL_AMD_SHARED_(p) ((unsigned)emu_shared_offset(p))
#define LL_AMD_THREAD_ (threadIdx.x)

#endif
