/* ---- Instructions: copies and mbarriers ------------------------------- */
#ifndef LL_PTX_INSTRUCTIONS_COPIES_H
#define LL_PTX_INSTRUCTIONS_COPIES_H

#include "bodies.h"

/* Barriers in shared memory (mbarrier) and copies by the tensor memory
 * accelerator (TMA). examples/kernels/matmul shows how they are used. */
#ifdef LL_PTX_DEVICE_

/* mbarrier: a barrier of 64 bits in shared memory, at a multiple of 8. It
 * counts arrivals and the bytes of copies. A phase ends when all arrivals and
 * all expected bytes are complete; the next phase expects `count` arrivals
 * again. The parity of a phase is the parity of its number, counted from 0.
 *
 * init: one thread calls it; fence_mbarrier_init and a barrier of the block or
 * cluster follow. arrive: what the thread did before is visible to threads
 * whose wait for this phase succeeds. arrive_expect_tx: the same, and the phase
 * waits for `bytes` more bytes. arrive_cluster: arrives at an address from
 * ll_ptx_mapa; it waits until all stores of the thread are visible in the
 * cluster, which is slow. _relaxed: without that wait, to announce that a
 * completed wgmma has read its operands. try_wait, test_wait: return 1 if the
 * phase of that parity has ended. try_wait may take a while before it returns
 * 0, so it stands in a loop. cp.async.mbarrier.arrive: arrives when all
 * cp.async that this lane has started are complete. */
LL_DEVICE void ll_ptx_mbarrier_init(unsigned bar, unsigned count) {
    LL_PTX_("mbarrier.init.shared::cta.b64 [%0], %1;",
            (), (LL_I32_(bar), LL_I32_(count)));
}

LL_DEVICE void ll_ptx_mbarrier_inval(unsigned bar) {
    LL_PTX_("mbarrier.inval.shared::cta.b64 [%0];", (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_fence_mbarrier_init(void) {
    LL_PTX_("fence.mbarrier_init.release.cluster;", (), ());
}

LL_DEVICE void ll_ptx_mbarrier_expect_tx(unsigned bar, unsigned bytes) {
    LL_PTX_("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;",
            (), (LL_I32_(bar), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_mbarrier_arrive(unsigned bar) {
    LL_PTX_("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }",
            (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_mbarrier_arrive_expect_tx(unsigned bar, unsigned bytes) {
    LL_PTX_("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, "
            "[%0], %1;",
            (), (LL_I32_(bar), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_mbarrier_arrive_cluster(unsigned bar) {
    LL_PTX_("mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
            "[%0];",
            (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_mbarrier_arrive_cluster_relaxed(unsigned bar) {
    LL_PTX_("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, "
            "[%0];",
            (), (LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_cp_async_mbarrier_arrive(unsigned bar) {
    LL_PTX_("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];",
            (), (LL_I32_(bar)));
}

LL_DEVICE unsigned ll_ptx_mbarrier_try_wait(unsigned bar, unsigned parity) {
    unsigned y = 0;
    LL_PTX_("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 "
            "p, [%1], %2; selp.u32 %0, 1, 0, p; }",
            (LL_O32_(y)), (LL_I32_(bar), LL_I32_(parity)));
    return y;
}

LL_DEVICE unsigned ll_ptx_mbarrier_test_wait(unsigned bar, unsigned parity) {
    unsigned y = 0;
    LL_PTX_("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 "
            "p, [%1], %2; selp.u32 %0, 1, 0, p; }",
            (LL_O32_(y)), (LL_I32_(bar), LL_I32_(parity)));
    return y;
}

/* ll_ptx_mbarrier_wait(bar, parity): waits until the phase of that parity has
 * ended. */
LL_DEVICE void ll_ptx_mbarrier_wait(unsigned bar, unsigned parity) {
    while (!ll_ptx_mbarrier_try_wait(bar, parity)) {
    }
}

/* st.async stores to shared memory of a block of the cluster, and reports the
 * bytes to an mbarrier of that block. Both addresses are from ll_ptx_mapa; `to`
 * is a multiple of the width. The thread waits for nothing, not even for its
 * earlier stores. A thread that waits for that phase of the mbarrier sees the
 * bytes. A block must not exit while others store to it. */
LL_DEVICE void ll_ptx_st_async_b32(unsigned to, ll_words v, unsigned bar) {
    LL_PTX_("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 "
            "[%0], %1, [%2];",
            (), (LL_I32_(to), LL_W1_(LL_I32_, v), LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_st_async_b64(unsigned to, ll_words v, unsigned bar) {
    LL_PTX_("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
            "[%0], {%1, %2}, [%3];",
            (), (LL_I32_(to), LL_W2_(LL_I32_, v), LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_st_async_b128(unsigned to, ll_words v, unsigned bar) {
    LL_PTX_("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
            "[%0], {%1, %2, %3, %4}, [%5];",
            (), (LL_I32_(to), LL_W4_(LL_I32_, v), LL_I32_(bar)));
}

/* cp.async.bulk: TMA copies `bytes` bytes between global and shared memory;
 * both addresses and `bytes` are multiples of 16. One thread starts a copy for
 * all. A load reports its bytes to an mbarrier. With `blocks`, a mask with a
 * bit for each block of the cluster, the bytes arrive at the same address in
 * each of these blocks, and are reported to the mbarrier of each. A store reads
 * what was stored to shared memory before ll_ptx_fence_proxy_async and a
 * barrier. commit_group makes a group of this thread's stores since the last
 * group. wait_group_read<N> waits until at most N groups still read shared
 * memory, wait_group<N> until at most N groups are not yet in global memory. */
LL_DEVICE void ll_ptx_cp_async_bulk_load(unsigned to, unsigned long long from,
                                         unsigned bytes, unsigned bar) {
    LL_PTX_("cp.async.bulk.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
            (), (LL_I32_(to), LL_I64_(from), LL_I32_(bytes), LL_I32_(bar)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_load_multicast(unsigned to,
                                                   unsigned long long from,
                                                   unsigned bytes,
                                                   unsigned bar,
                                                   unsigned blocks) {
    LL_PTX_("cp.async.bulk.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1], %2, [%3], %4;",
            (),
            (LL_I32_(to), LL_I64_(from), LL_I32_(bytes), LL_I32_(bar),
             LL_I16_(blocks)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_store(unsigned long long to,
                                          unsigned from, unsigned bytes) {
    LL_PTX_("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], "
            "%2;",
            (), (LL_I64_(to), LL_I32_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_commit_group(void) {
    LL_PTX_("cp.async.bulk.commit_group;", (), ());
}

template <unsigned N_>
LL_DEVICE void ll_ptx_cp_async_bulk_wait_group(void) {
    LL_PTX_("cp.async.bulk.wait_group %0;", (), (LL_IMM_(N_)));
}

template <unsigned N_>
LL_DEVICE void ll_ptx_cp_async_bulk_wait_group_read(void) {
    LL_PTX_("cp.async.bulk.wait_group.read %0;", (), (LL_IMM_(N_)));
}

/* cp.async.bulk.tensor: the same for a box of a tensor of 1 to 5 dimensions in
 * global memory. `map` is the address of its CUtensorMap, a __grid_constant__
 * parameter of the kernel; c0 is the coordinate of the innermost dimension, in
 * elements. Elements outside of the tensor are loaded as zeros, which count as
 * bytes, and are not stored. A swizzled box in shared memory is aligned to its
 * pattern: 256, 512 or 1024 bytes for 32, 64 and 128; any other to 128.
 * ll_ptx_tensor_of has the parameters of the map. */
LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_1d(unsigned to,
                                                   const void *map,
                                                   unsigned bar, int c0) {
    LL_PTX_("cp.async.bulk.tensor.1d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I32_(c0)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_2d(unsigned to,
                                                   const void *map,
                                                   unsigned bar, int c0,
                                                   int c1) {
    LL_PTX_("cp.async.bulk.tensor.2d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I32_(c0), LL_I32_(c1)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_3d(unsigned to,
                                                   const void *map,
                                                   unsigned bar, int c0,
                                                   int c1, int c2) {
    LL_PTX_("cp.async.bulk.tensor.3d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
            "[%2];",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I32_(c0), LL_I32_(c1), LL_I32_(c2)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_4d(unsigned to,
                                                   const void *map,
                                                   unsigned bar, int c0,
                                                   int c1, int c2, int c3) {
    LL_PTX_("cp.async.bulk.tensor.4d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, "
            "%6}], [%2];",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I32_(c0), LL_I32_(c1), LL_I32_(c2), LL_I32_(c3)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_5d(unsigned to,
                                                   const void *map,
                                                   unsigned bar, int c0,
                                                   int c1, int c2, int c3,
                                                   int c4) {
    LL_PTX_("cp.async.bulk.tensor.5d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, "
            "%7}], [%2];",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I32_(c0), LL_I32_(c1), LL_I32_(c2), LL_I32_(c3), LL_I32_(c4)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_multicast_1d(unsigned to,
                                                             const void *map,
                                                             unsigned bar,
                                                             unsigned blocks,
                                                             int c0) {
    LL_PTX_("cp.async.bulk.tensor.1d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1, {%4}], [%2], %3;",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I16_(blocks), LL_I32_(c0)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_multicast_2d(unsigned to,
                                                             const void *map,
                                                             unsigned bar,
                                                             unsigned blocks,
                                                             int c0, int c1) {
    LL_PTX_("cp.async.bulk.tensor.2d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1, {%4, %5}], [%2], %3;",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I16_(blocks), LL_I32_(c0), LL_I32_(c1)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_multicast_3d(unsigned to,
                                                             const void *map,
                                                             unsigned bar,
                                                             unsigned blocks,
                                                             int c0, int c1,
                                                             int c2) {
    LL_PTX_("cp.async.bulk.tensor.3d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1, {%4, %5, %6}], [%2], %3;",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I16_(blocks), LL_I32_(c0), LL_I32_(c1), LL_I32_(c2)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_multicast_4d(unsigned to,
                                                             const void *map,
                                                             unsigned bar,
                                                             unsigned blocks,
                                                             int c0, int c1,
                                                             int c2, int c3) {
    LL_PTX_("cp.async.bulk.tensor.4d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1, {%4, %5, %6, %7}], [%2], %3;",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I16_(blocks), LL_I32_(c0), LL_I32_(c1), LL_I32_(c2),
             LL_I32_(c3)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_load_multicast_5d(unsigned to,
                                                             const void *map,
                                                             unsigned bar,
                                                             unsigned blocks,
                                                             int c0, int c1,
                                                             int c2, int c3,
                                                             int c4) {
    LL_PTX_("cp.async.bulk.tensor.5d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1, {%4, %5, %6, %7, %8}], [%2], %3;",
            (),
            (LL_I32_(to), LL_I64_((unsigned long long)map), LL_I32_(bar),
             LL_I16_(blocks), LL_I32_(c0), LL_I32_(c1), LL_I32_(c2),
             LL_I32_(c3), LL_I32_(c4)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_store_1d(const void *map,
                                                    unsigned from, int c0) {
    LL_PTX_("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group "
            "[%0, {%2}], [%1];",
            (),
            (LL_I64_((unsigned long long)map), LL_I32_(from), LL_I32_(c0)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_store_2d(const void *map,
                                                    unsigned from, int c0,
                                                    int c1) {
    LL_PTX_("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
            "[%0, {%2, %3}], [%1];",
            (),
            (LL_I64_((unsigned long long)map), LL_I32_(from), LL_I32_(c0),
             LL_I32_(c1)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_store_3d(const void *map,
                                                    unsigned from, int c0,
                                                    int c1, int c2) {
    LL_PTX_("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group "
            "[%0, {%2, %3, %4}], [%1];",
            (),
            (LL_I64_((unsigned long long)map), LL_I32_(from), LL_I32_(c0),
             LL_I32_(c1), LL_I32_(c2)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_store_4d(const void *map,
                                                    unsigned from, int c0,
                                                    int c1, int c2, int c3) {
    LL_PTX_("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group "
            "[%0, {%2, %3, %4, %5}], [%1];",
            (),
            (LL_I64_((unsigned long long)map), LL_I32_(from), LL_I32_(c0),
             LL_I32_(c1), LL_I32_(c2), LL_I32_(c3)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_tensor_store_5d(const void *map,
                                                    unsigned from, int c0,
                                                    int c1, int c2, int c3,
                                                    int c4) {
    LL_PTX_("cp.async.bulk.tensor.5d.global.shared::cta.bulk_group "
            "[%0, {%2, %3, %4, %5, %6}], [%1];",
            (),
            (LL_I64_((unsigned long long)map), LL_I32_(from), LL_I32_(c0),
             LL_I32_(c1), LL_I32_(c2), LL_I32_(c3), LL_I32_(c4)));
}

LL_DEVICE void ll_ptx_prefetch_tensormap(const void *map) {
    LL_PTX_("prefetch.tensormap [%0];", (), (LL_I64_((unsigned long long)map)));
}

/* cp.async.bulk.prefetch: TMA brings bytes, or a box of a tensor, to the L2
 * cache. Nothing waits for it. All blocks read through that cache, so a kernel
 * may prefetch before ll_ptx_griddepcontrol_wait, even bytes that the preceding
 * kernel still writes. */
LL_DEVICE void ll_ptx_cp_async_bulk_prefetch(unsigned long long from,
                                             unsigned bytes) {
    LL_PTX_("cp.async.bulk.prefetch.L2.global [%0], %1;", (),
            (LL_I64_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_bulk_prefetch_tensor_2d(const void *map, int c0,
                                                       int c1) {
    LL_PTX_("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %2}];", (),
            (LL_I64_((unsigned long long)map), LL_I32_(c0), LL_I32_(c1)));
}

#endif

#endif
