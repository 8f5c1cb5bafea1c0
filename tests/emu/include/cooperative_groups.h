/* cooperative_groups.h - blocks and tiles of a warp. */
#ifndef EMU_COOPERATIVE_GROUPS_H
#define EMU_COOPERATIVE_GROUPS_H

namespace cooperative_groups {

struct thread_block {
    static void sync() { __syncthreads(); }
    static unsigned thread_rank() {
        return threadIdx.x +
               blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    static unsigned num_threads() {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static unsigned size() { return num_threads(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
};
EMU_FN_ thread_block this_thread_block() { return thread_block(); }

/* N lanes of a warp, a power of two. */
template <unsigned N, class = void> struct thread_block_tile {
    static emu_mask mask() {
        const emu_mask all = (emu_mask)(N == 32 ? ~0u : (1u << (N & 31)) - 1);
        return all << (thread_block::thread_rank() % 32 / N * N);
    }
    static unsigned thread_rank() { return thread_block::thread_rank() % N; }
    static unsigned size() { return N; }
    static unsigned num_threads() { return N; }
    static unsigned meta_group_rank() {
        return thread_block::thread_rank() / N;
    }
    static unsigned meta_group_size() {
        return (thread_block::size() + N - 1) / N;
    }
    void sync() const { __syncwarp(mask()); }
    template <class T> T shfl(T v, int lane) const {
        return __shfl_sync(mask(), v, lane, N);
    }
    template <class T> T shfl_up(T v, unsigned d) const {
        return __shfl_up_sync(mask(), v, d, N);
    }
    template <class T> T shfl_down(T v, unsigned d) const {
        return __shfl_down_sync(mask(), v, d, N);
    }
    template <class T> T shfl_xor(T v, int x) const {
        return __shfl_xor_sync(mask(), v, x, N);
    }
    int any(int p) const { return __any_sync(mask(), p); }
    int all(int p) const { return __all_sync(mask(), p); }
    unsigned ballot(int p) const {
        return (unsigned)(__ballot_sync(mask(), p) >>
                          (thread_block::thread_rank() % 32 / N * N));
    }
};
template <unsigned N, class G>
EMU_FN_ thread_block_tile<N> tiled_partition(const G &) {
    return thread_block_tile<N>();
}

}

#endif
