/* ---- Instructions: lanes and barriers --------------------------------- */
#ifndef LL_PTX_INSTRUCTIONS_LANES_H
#define LL_PTX_INSTRUCTIONS_LANES_H

#include "bodies.h"

#ifdef LL_PTX_DEVICE_

/* bar.warp.sync is a barrier for the lanes of a warp, bar.sync for the warps of
 * a block. */
LL_DEVICE void ll_ptx_bar_warp(void) {
    LL_PTX_("bar.warp.sync 0xffffffff;", (), ());
}

LL_DEVICE void ll_ptx_bar(void) { LL_PTX_("bar.sync 0;", (), ()); }

/* bar.sync on the named barrier ID, or id, for THREADS threads of the block, a
 * multiple of 32. */
template <unsigned ID_, unsigned THREADS_>
LL_DEVICE void ll_ptx_bar_named(void) {
    LL_PTX_("bar.sync %0, %1;", (), (LL_IMM_(ID_), LL_IMM_(THREADS_)));
}

template <unsigned THREADS_> LL_DEVICE void ll_ptx_bar_at(unsigned id) {
    LL_PTX_("bar.sync %0, %1;", (), (LL_I32_(id), LL_IMM_(THREADS_)));
}

/* %cluster_ctarank is the rank of the block in its cluster. mapa returns the
 * cluster address of `address` in the shared memory of block `block`; offsets
 * may be added to it. ld.shared::cluster loads from such an address; the block
 * that owns it must not have exited. */
LL_DEVICE unsigned ll_ptx_cluster_ctarank(void) {
    unsigned y = 0;
    LL_PTX_PURE_("mov.u32 %0, %%cluster_ctarank;", (LL_O32_(y)), ());
    return y;
}

LL_DEVICE unsigned ll_ptx_mapa(unsigned address, unsigned block) {
    unsigned y = 0;
    LL_PTX_PURE_("mapa.shared::cluster.u32 %0, %1, %2;", (LL_O32_(y)),
                 (LL_I32_(address), LL_I32_(block)));
    return y;
}

LL_DEVICE ll_words ll_ptx_ld_shared_cluster_b8(unsigned address) {
    LL_LOADED_(1, "ld.shared::cluster.u8 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_cluster_b16(unsigned address) {
    LL_LOADED_(1, "ld.shared::cluster.u16 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_cluster_b32(unsigned address) {
    LL_LOADED_(1, "ld.shared::cluster.u32 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_cluster_b64(unsigned address) {
    LL_LOADED_(2, "ld.shared::cluster.v2.u32 {%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_cluster_b128(unsigned address) {
    LL_LOADED_(4, "ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];");
}

/* barrier.cluster is a barrier for the blocks of a cluster, in two halves. What
 * a lane did before its arrive is visible to all lanes after their wait. With
 * _relaxed its writes are not, except for mbarriers before
 * ll_ptx_fence_mbarrier_init. */
LL_DEVICE void ll_ptx_barrier_cluster_arrive(void) {
    LL_PTX_("barrier.cluster.arrive.release.aligned;", (), ());
}

LL_DEVICE void ll_ptx_barrier_cluster_arrive_relaxed(void) {
    LL_PTX_("barrier.cluster.arrive.relaxed.aligned;", (), ());
}

LL_DEVICE void ll_ptx_barrier_cluster_wait(void) {
    LL_PTX_("barrier.cluster.wait.acquire.aligned;", (), ());
}

/* shfl.sync returns the x of another lane: of lane number `lane` (idx), or of
 * its own number XOR `lane` (bfly), minus `lane` (up) or plus `lane` (down). If
 * there is no such lane, it returns its own x. */
LL_DEVICE unsigned ll_ptx_shfl_idx(unsigned x, unsigned lane) {
    LL_SHFL_("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_shfl_bfly(unsigned x, unsigned lane) {
    LL_SHFL_("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_shfl_up(unsigned x, unsigned lane) {
    LL_SHFL_("shfl.sync.up.b32 %0, %1, %2, 0x0, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_shfl_down(unsigned x, unsigned lane) {
    LL_SHFL_("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;");
}

/* redux.sync combines x over all lanes of a warp; each lane gets the result. It
 * needs sm_80. */
#define LL_REDUX_(text)                                                     \
    unsigned y = 0;                                                         \
    LL_PTX_LANES_(text, (LL_O32_(y)), (LL_I32_(x)));                        \
    return y

LL_DEVICE unsigned ll_ptx_redux_add_u32(unsigned x) {
    LL_REDUX_("redux.sync.add.u32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_min_u32(unsigned x) {
    LL_REDUX_("redux.sync.min.u32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_max_u32(unsigned x) {
    LL_REDUX_("redux.sync.max.u32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_min_s32(unsigned x) {
    LL_REDUX_("redux.sync.min.s32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_max_s32(unsigned x) {
    LL_REDUX_("redux.sync.max.s32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_and_b32(unsigned x) {
    LL_REDUX_("redux.sync.and.b32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_or_b32(unsigned x) {
    LL_REDUX_("redux.sync.or.b32 %0, %1, 0xffffffff;");
}

LL_DEVICE unsigned ll_ptx_redux_xor_b32(unsigned x) {
    LL_REDUX_("redux.sync.xor.b32 %0, %1, 0xffffffff;");
}

/* movmatrix transposes an 8 x 8 matrix of 16-bit elements, from fragment to
 * fragment. */
LL_DEVICE unsigned ll_ptx_movmatrix(unsigned x) {
    unsigned y = 0;
    LL_PTX_LANES_("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;",
                  (LL_O32_(y)), (LL_I32_(x)));
    return y;
}

/* prmt: byte k of the result is byte (select >> 4k) & 7 of the eight bytes of a
 * (0 to 3) and b (4 to 7). If bit 4k + 3 of select is set, all bits of byte k
 * are the sign of that byte. */
LL_DEVICE unsigned ll_ptx_prmt(unsigned a, unsigned b, unsigned select) {
    unsigned y = 0;
    LL_PTX_PURE_("prmt.b32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(select)));
    return y;
}

/* selp returns a if `on` is not 0, else b. */
LL_DEVICE unsigned ll_ptx_selp(unsigned a, unsigned b, unsigned on) {
    unsigned y = 0;
    LL_PTX_PURE_("{ .reg .pred p; setp.ne.u32 p, %3, 0; "
                 "selp.b32 %0, %1, %2, p; }", (LL_O32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(on)));
    return y;
}

/* mad returns the low 32 bits of a * b + c. mad_if returns the low 32 bits of a
 * * b if `on` is not 0, else y. */
LL_DEVICE unsigned ll_ptx_mad(unsigned a, unsigned b, unsigned c) {
    unsigned y = 0;
    LL_PTX_PURE_("mad.lo.u32 %0, %1, %2, %3;", (LL_O32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(c)));
    return y;
}

LL_DEVICE unsigned ll_ptx_mad_if(unsigned y, unsigned a, unsigned b,
                                 unsigned on) {
    LL_PTX_PURE_("{ .reg .pred p; setp.ne.u32 p, %3, 0; "
                 "@p mad.lo.u32 %0, %1, %2, 0; }", (LL_IO32_(y)),
                 (LL_I32_(a), LL_I32_(b), LL_I32_(on)));
    return y;
}

/* Private: returns 1. The compiler does not know the value, so it keeps
 * multiplications by it. A grid has 1 to 2^31 - 1 blocks in x. */
LL_DEVICE unsigned ll_ptx_one_(void) {
    unsigned blocks = 0;
    LL_PTX_PURE_("mov.u32 %0, %%nctaid.x;", (LL_O32_(blocks)), ());
    return (blocks + 0x7fffffffu) >> 31;
}

#undef LL_LOADED_
#undef LL_STORED_
#undef LL_LOADED_IF_
#undef LL_STORED_IF_
#undef LL_SHFL_
#undef LL_REDUX_

#endif

#endif
