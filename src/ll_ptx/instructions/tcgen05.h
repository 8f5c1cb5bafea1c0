/* ---- Instructions: tensor memory -------------------------------------- */
#ifndef LL_PTX_INSTRUCTIONS_TCGEN05_H
#define LL_PTX_INSTRUCTIONS_TCGEN05_H

#include "../../ll/kernel/coordinates.h"
#include "suffix.h"

#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* tcgen05: the tensor cores of sm_100, sm_103 and sm_110, and their tensor
 * memory of 128 lanes and 512 columns of 32 bits in each block. (PTX,
 * "TensorCore 5th Generation Family Instructions".) An address has the lane in
 * its upper half and the column in its lower half. Functions that end in _cta2
 * are of .cta_group::2: they work for the two blocks of a cluster whose ranks
 * differ in the last bit. A kernel uses one kind only. Compile with
 * -arch=sm_100a, sm_103a or sm_110a, or f; built for sm_100, these functions
 * stop the kernel.
 *
 * alloc: one warp allocates 32 to 512 columns, a power of two, and writes their
 * address to shared memory at `to`. dealloc frees them, before the kernel ends.
 * relinquish_alloc_permit: this block allocates no more.
 *
 * One thread starts mma, cp and shift, which run asynchronously, in the order
 * in which that thread starts them. commit: the mbarrier gets one arrival when
 * all that this thread has started is done; multicast: the mbarriers at this
 * address in all blocks of a mask. ld and st are asynchronous as well: wait_ld
 * and wait_st wait for the loads and stores of the thread. To order such work
 * between threads, put fence_before_thread_sync before the barrier or mbarrier,
 * and fence_after_thread_sync after it. A commit needs no fence before it. */
LL_DEVICE void ll_ptx_tcgen05_alloc(unsigned to, unsigned columns) {
    LL_SFX_("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;",
            (), (LL_I32_(to), LL_I32_(columns)));
}

LL_DEVICE void ll_ptx_tcgen05_dealloc(unsigned address, unsigned columns) {
    LL_SFX_("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;",
            (), (LL_I32_(address), LL_I32_(columns)));
}

LL_DEVICE void ll_ptx_tcgen05_relinquish_alloc_permit(void) {
    LL_SFX_("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
            (), ());
}

LL_DEVICE void ll_ptx_tcgen05_alloc_cta2(unsigned to, unsigned columns) {
    LL_SFX_("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;",
            (), (LL_I32_(to), LL_I32_(columns)));
}

LL_DEVICE void ll_ptx_tcgen05_dealloc_cta2(unsigned address, unsigned columns) {
    LL_SFX_("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;",
            (), (LL_I32_(address), LL_I32_(columns)));
}

LL_DEVICE void ll_ptx_tcgen05_relinquish_alloc_permit_cta2(void) {
    LL_SFX_("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;",
            (), ());
}

LL_DEVICE void ll_ptx_tcgen05_commit(unsigned bar) {
    LL_SFX_("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster"
            ".b64 [%0];", (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_tcgen05_commit_multicast(unsigned bar, unsigned blocks) {
    LL_SFX_("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster"
            ".multicast::cluster.b64 [%0], %1;",
            (), (LL_I32_(bar), LL_I16_(blocks)));
}

LL_DEVICE void ll_ptx_tcgen05_commit_cta2(unsigned bar) {
    LL_SFX_("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster"
            ".b64 [%0];", (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_tcgen05_commit_multicast_cta2(unsigned bar,
                                                    unsigned blocks) {
    LL_SFX_("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster"
            ".multicast::cluster.b64 [%0], %1;",
            (), (LL_I32_(bar), LL_I16_(blocks)));
}

LL_DEVICE void ll_ptx_tcgen05_wait_ld(void) {
    LL_SFX_("tcgen05.wait::ld.sync.aligned;", (), ());
}

LL_DEVICE void ll_ptx_tcgen05_wait_st(void) {
    LL_SFX_("tcgen05.wait::st.sync.aligned;", (), ());
}

LL_DEVICE void ll_ptx_tcgen05_fence_before_thread_sync(void) {
    LL_SFX_("tcgen05.fence::before_thread_sync;", (), ());
}

LL_DEVICE void ll_ptx_tcgen05_fence_after_thread_sync(void) {
    LL_SFX_("tcgen05.fence::after_thread_sync;", (), ());
}

LL_DEVICE void ll_ptx_tcgen05_shift_down(unsigned address) {
    LL_SFX_("tcgen05.shift.cta_group::1.down [%0];", (), (LL_I32_(address)));
}

LL_DEVICE void ll_ptx_tcgen05_shift_down_cta2(unsigned address) {
    LL_SFX_("tcgen05.shift.cta_group::2.down [%0];", (), (LL_I32_(address)));
}

/* tcgen05.cp: copies the matrix of a descriptor (ll_ptx_desc_tcgen05) from
 * shared to tensor memory. The name has the number of lanes and of bits per
 * lane. warpx2 and warpx4 copy the same data to two groups of 32 lanes (02_13:
 * to 0 and 2, and to 1 and 3; 01_23: to 0 and 1, and to 2 and 3), or to all
 * four. b8x16_b4x16_p64 and _b6x16_p32 expand 16 numbers of 4 or 6 bits, which
 * take 16 bytes in shared memory, to a byte each. */
LL_DEVICE void ll_ptx_tcgen05_cp_128x256b(unsigned to,
                                          unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x256b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x256b_cta2(unsigned to,
                                               unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x256b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x256b_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x256b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x256b_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x256b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x256b_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x256b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x256b_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x256b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b(unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.4x256b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b_cta2(unsigned to,
                                             unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.4x256b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.4x256b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.4x256b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.4x256b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_4x256b_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.4x256b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b(unsigned to,
                                          unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x128b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b_cta2(unsigned to,
                                               unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x128b [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x128b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x128b.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.128x128b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_128x128b_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.128x128b.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13(unsigned to,
                                                      unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::02_13 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13.b8x16.b4x16_p64 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::02_13.b8x16.b4x16_p64 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13.b8x16.b6x16_p32 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::02_13.b8x16.b6x16_p32 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23(unsigned to,
                                                      unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::01_23 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23.b8x16.b4x16_p64 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::01_23.b8x16.b4x16_p64 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23.b8x16.b6x16_p32 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.64x128b.warpx2::01_23.b8x16.b6x16_p32 "
            "[%0], %1;", (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4(unsigned to,
                                                unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4_cta2(unsigned to,
                                                     unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.32x128b.warpx4 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b4x16_p64(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.32x128b.warpx4.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b4x16_p64_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.32x128b.warpx4.b8x16.b4x16_p64 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b6x16_p32(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::1.32x128b.warpx4.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b6x16_p32_cta2(
    unsigned to, unsigned long long from) {
    LL_SFX_("tcgen05.cp.cta_group::2.32x128b.warpx4.b8x16.b6x16_p32 [%0], %1;",
            (), (LL_I32_(to), LL_I64_(from)));
}

/* tcgen05.ld, tcgen05.st: a warp loads or stores N times 32 lanes of 32 bits
 * (or 16 lanes of 64, 128, 256 or twice 32 bits) of tensor memory. N is a power
 * of two. ll_ptx_tmem(lanes, bits, N, 32) is the layout of the registers.
 * ll_ptx_tmem_x2 is the layout for 16x32bx2, whose other half lies SPLIT_
 * columns further. The address is the same in all lanes; its lane is the first
 * of the warp's own 32: 32 times the warp's number in its warpgroup. _pack and
 * _unpack (element_bits 16): two columns of 16 bits share a word. Loaded
 * registers are valid after wait_ld, and stores are complete after wait_st. */
#define LL_TCGEN05_N_(most)                                                 \
    LL_END_LINE_                                                            \
    static_assert(LL_TCGEN05_HERE_ || !X##most##_,                          \
                  "ll: tcgen05: this target lacks it; compile with "        \
                  "-arch=sm_100a, sm_103a or sm_110a");                     \
    LL_END_LINE_                                                            \
    static_assert(X##most##_ && X##most##_ <= most &&                       \
                      !(X##most##_ & (X##most##_ - 1)),                     \
                  "ll: tcgen05.ld, tcgen05.st: the repetitions must be a "  \
                  "power of two, with at most 128 registers");                 \
    LL_END_LINE_
#define LL_TCGEN05_LD_(n, most, r, name, split, ...)                        \
    if constexpr (X##most##_ == n) {                                        \
        LL_SFX_("tcgen05.ld.sync.aligned." name                             \
                " {" LL_R##r##_ "}, [" LL_AT##r##_ "]" split(LL_BY##r##_)   \
                ";",                                                        \
                (LL_X##r##_(LL_O32_, to, 0)), (LL_I32_(from) __VA_ARGS__)); \
    }
#define LL_TCGEN05_ST_(n, most, r, name, split, ...)                        \
    if constexpr (X##most##_ == n) {                                        \
        LL_SFX_("tcgen05.st.sync.aligned." name " [" LL_AT##r##_ "]"        \
                split(LL_BY##r##_) ", {" LL_R##r##_ "};",                   \
                (), (LL_X##r##_(LL_I32_, from, 0), LL_I32_(to)              \
                         __VA_ARGS__));                                     \
    }
#define LL_AT1_ "%1"
#define LL_BY1_ "%2"
#define LL_AT2_ "%2"
#define LL_BY2_ "%3"
#define LL_AT4_ "%4"
#define LL_BY4_ "%5"
#define LL_AT8_ "%8"
#define LL_BY8_ "%9"
#define LL_AT16_ "%16"
#define LL_BY16_ "%17"
#define LL_AT32_ "%32"
#define LL_BY32_ "%33"
#define LL_AT64_ "%64"
#define LL_BY64_ "%65"
#define LL_AT128_ "%128"
#define LL_BY128_ "%129"
#define LL_R1_ "%0"
#define LL_NO_SPLIT_(by)
#define LL_SPLIT_(by) ", " by
#define LL_TCGEN05_LD128_(shape, end, split, ...)                           \
    LL_TCGEN05_N_(128)                                                      \
    LL_TCGEN05_LD_(1, 128, 1, shape ".x1" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(2, 128, 2, shape ".x2" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(4, 128, 4, shape ".x4" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(8, 128, 8, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(16, 128, 16, shape ".x16" end, split, __VA_ARGS__)       \
    LL_TCGEN05_LD_(32, 128, 32, shape ".x32" end, split, __VA_ARGS__)       \
    LL_TCGEN05_LD_(64, 128, 64, shape ".x64" end, split, __VA_ARGS__)       \
    LL_TCGEN05_LD_(128, 128, 128, shape ".x128" end, split, __VA_ARGS__)
#define LL_TCGEN05_ST128_(shape, end, split, ...)                           \
    LL_TCGEN05_N_(128)                                                      \
    LL_TCGEN05_ST_(1, 128, 1, shape ".x1" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(2, 128, 2, shape ".x2" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(4, 128, 4, shape ".x4" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(8, 128, 8, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(16, 128, 16, shape ".x16" end, split, __VA_ARGS__)       \
    LL_TCGEN05_ST_(32, 128, 32, shape ".x32" end, split, __VA_ARGS__)       \
    LL_TCGEN05_ST_(64, 128, 64, shape ".x64" end, split, __VA_ARGS__)       \
    LL_TCGEN05_ST_(128, 128, 128, shape ".x128" end, split, __VA_ARGS__)
#define LL_TCGEN05_LD64_(shape, end, split, ...)                            \
    LL_TCGEN05_N_(64)                                                       \
    LL_TCGEN05_LD_(1, 64, 2, shape ".x1" end, split, __VA_ARGS__)           \
    LL_TCGEN05_LD_(2, 64, 4, shape ".x2" end, split, __VA_ARGS__)           \
    LL_TCGEN05_LD_(4, 64, 8, shape ".x4" end, split, __VA_ARGS__)           \
    LL_TCGEN05_LD_(8, 64, 16, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(16, 64, 32, shape ".x16" end, split, __VA_ARGS__)        \
    LL_TCGEN05_LD_(32, 64, 64, shape ".x32" end, split, __VA_ARGS__)        \
    LL_TCGEN05_LD_(64, 64, 128, shape ".x64" end, split, __VA_ARGS__)
#define LL_TCGEN05_ST64_(shape, end, split, ...)                            \
    LL_TCGEN05_N_(64)                                                       \
    LL_TCGEN05_ST_(1, 64, 2, shape ".x1" end, split, __VA_ARGS__)           \
    LL_TCGEN05_ST_(2, 64, 4, shape ".x2" end, split, __VA_ARGS__)           \
    LL_TCGEN05_ST_(4, 64, 8, shape ".x4" end, split, __VA_ARGS__)           \
    LL_TCGEN05_ST_(8, 64, 16, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(16, 64, 32, shape ".x16" end, split, __VA_ARGS__)        \
    LL_TCGEN05_ST_(32, 64, 64, shape ".x32" end, split, __VA_ARGS__)        \
    LL_TCGEN05_ST_(64, 64, 128, shape ".x64" end, split, __VA_ARGS__)
#define LL_TCGEN05_LD32_(shape, end, split, ...)                            \
    LL_TCGEN05_N_(32)                                                       \
    LL_TCGEN05_LD_(1, 32, 4, shape ".x1" end, split, __VA_ARGS__)           \
    LL_TCGEN05_LD_(2, 32, 8, shape ".x2" end, split, __VA_ARGS__)           \
    LL_TCGEN05_LD_(4, 32, 16, shape ".x4" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(8, 32, 32, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_LD_(16, 32, 64, shape ".x16" end, split, __VA_ARGS__)        \
    LL_TCGEN05_LD_(32, 32, 128, shape ".x32" end, split, __VA_ARGS__)
#define LL_TCGEN05_ST32_(shape, end, split, ...)                            \
    LL_TCGEN05_N_(32)                                                       \
    LL_TCGEN05_ST_(1, 32, 4, shape ".x1" end, split, __VA_ARGS__)           \
    LL_TCGEN05_ST_(2, 32, 8, shape ".x2" end, split, __VA_ARGS__)           \
    LL_TCGEN05_ST_(4, 32, 16, shape ".x4" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(8, 32, 32, shape ".x8" end, split, __VA_ARGS__)          \
    LL_TCGEN05_ST_(16, 32, 64, shape ".x16" end, split, __VA_ARGS__)        \
    LL_TCGEN05_ST_(32, 32, 128, shape ".x32" end, split, __VA_ARGS__)

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_ld_32x32b(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("32x32b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_ld_32x32b_pack(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("32x32b", ".pack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x64b(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("16x64b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x64b_pack(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("16x64b", ".pack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X64_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x128b(unsigned *to, unsigned from) {
    LL_TCGEN05_LD64_("16x128b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X64_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x128b_pack(unsigned *to, unsigned from) {
    LL_TCGEN05_LD64_("16x128b", ".pack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X32_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x256b(unsigned *to, unsigned from) {
    LL_TCGEN05_LD32_("16x256b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X32_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x256b_pack(unsigned *to, unsigned from) {
    LL_TCGEN05_LD32_("16x256b", ".pack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X128_, unsigned SPLIT_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x32bx2(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("16x32bx2", ".b32", LL_SPLIT_, , LL_IMM_(SPLIT_))
}

template <unsigned X128_, unsigned SPLIT_>
LL_DEVICE void ll_ptx_tcgen05_ld_16x32bx2_pack(unsigned *to, unsigned from) {
    LL_TCGEN05_LD128_("16x32bx2", ".pack::16b.b32", LL_SPLIT_, ,
                       LL_IMM_(SPLIT_))
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_st_32x32b(unsigned to, const unsigned *from) {
    LL_TCGEN05_ST128_("32x32b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_st_32x32b_unpack(unsigned to,
                                               const unsigned *from) {
    LL_TCGEN05_ST128_("32x32b", ".unpack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_st_16x64b(unsigned to, const unsigned *from) {
    LL_TCGEN05_ST128_("16x64b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X128_>
LL_DEVICE void ll_ptx_tcgen05_st_16x64b_unpack(unsigned to,
                                               const unsigned *from) {
    LL_TCGEN05_ST128_("16x64b", ".unpack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X64_>
LL_DEVICE void ll_ptx_tcgen05_st_16x128b(unsigned to, const unsigned *from) {
    LL_TCGEN05_ST64_("16x128b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X64_>
LL_DEVICE void ll_ptx_tcgen05_st_16x128b_unpack(unsigned to,
                                                const unsigned *from) {
    LL_TCGEN05_ST64_("16x128b", ".unpack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X32_>
LL_DEVICE void ll_ptx_tcgen05_st_16x256b(unsigned to, const unsigned *from) {
    LL_TCGEN05_ST32_("16x256b", ".b32", LL_NO_SPLIT_, )
}

template <unsigned X32_>
LL_DEVICE void ll_ptx_tcgen05_st_16x256b_unpack(unsigned to,
                                                const unsigned *from) {
    LL_TCGEN05_ST32_("16x256b", ".unpack::16b.b32", LL_NO_SPLIT_, )
}

template <unsigned X128_, unsigned SPLIT_>
LL_DEVICE void ll_ptx_tcgen05_st_16x32bx2(unsigned to, const unsigned *from) {
    LL_TCGEN05_ST128_("16x32bx2", ".b32", LL_SPLIT_, , LL_IMM_(SPLIT_))
}

template <unsigned X128_, unsigned SPLIT_>
LL_DEVICE void ll_ptx_tcgen05_st_16x32bx2_unpack(unsigned to,
                                                 const unsigned *from) {
    LL_TCGEN05_ST128_("16x32bx2", ".unpack::16b.b32", LL_SPLIT_, ,
                       LL_IMM_(SPLIT_))
}

#endif

#endif
