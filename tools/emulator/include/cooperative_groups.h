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
template <unsigned N_, class = void> struct thread_block_tile {
    static emu_mask mask() {
        const emu_mask all = (emu_mask)(N_ == 32 ? ~0u : (1u << (N_ & 31)) - 1);
        return all << (thread_block::thread_rank() % 32 / N_ * N_);
    }
    static unsigned thread_rank() { return thread_block::thread_rank() % N_; }
    static unsigned size() { return N_; }
    static unsigned num_threads() { return N_; }
    static unsigned meta_group_rank() {
        return thread_block::thread_rank() / N_;
    }
    static unsigned meta_group_size() {
        return (thread_block::size() + N_ - 1) / N_;
    }
    void sync() const { __syncwarp(mask()); }
    template <class T_> T_ shfl(T_ v, int lane) const {
        return __shfl_sync(mask(), v, lane, N_);
    }
    template <class T_> T_ shfl_up(T_ v, unsigned d) const {
        return __shfl_up_sync(mask(), v, d, N_);
    }
    template <class T_> T_ shfl_down(T_ v, unsigned d) const {
        return __shfl_down_sync(mask(), v, d, N_);
    }
    template <class T_> T_ shfl_xor(T_ v, int x) const {
        return __shfl_xor_sync(mask(), v, x, N_);
    }
    int any(int p) const { return __any_sync(mask(), p); }
    int all(int p) const { return __all_sync(mask(), p); }
    unsigned ballot(int p) const {
        return (unsigned)(__ballot_sync(mask(), p) >>
                          (thread_block::thread_rank() % 32 / N_ * N_));
    }
};
/* The lanes of a warp that arrived together. */
struct coalesced_group {
    emu_mask lanes = __activemask();
    unsigned lane = thread_block::thread_rank() % 32;

    unsigned size() const { return (unsigned)__builtin_popcountll(lanes); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const {
        return (unsigned)__builtin_popcountll(
            lanes & (((emu_mask)1 << lane) - 1));
    }
    void sync() const { __syncwarp(lanes); }
    template <class T_> T_ shfl(T_ v, unsigned rank) const {
        emu_mask rest = lanes;
        while (rank-- > 0) {
            rest &= rest - 1;
        }
        return __shfl_sync(lanes, v, __builtin_ctzll(rest));
    }
    int any(int p) const { return __any_sync(lanes, p); }
    int all(int p) const { return __all_sync(lanes, p); }
};
EMU_FN_ coalesced_group coalesced_threads() { return coalesced_group(); }

/* All threads of a launch. Blocks run one after another, so no barrier of all
 * of them is possible. */
struct grid_group {
    static unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static unsigned long long block_rank() {
        return blockIdx.x +
               (unsigned long long)gridDim.x *
                   (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    static unsigned long long size() {
        return num_blocks() * thread_block::size();
    }
    static unsigned long long num_threads() { return size(); }
    static unsigned long long thread_rank() {
        return block_rank() * thread_block::size() +
               thread_block::thread_rank();
    }
    static dim3 group_dim() { return gridDim; }
};
EMU_FN_ grid_group this_grid() { return grid_group(); }

template <unsigned N_, class G_>
EMU_FN_ thread_block_tile<N_> tiled_partition(const G_ &) {
    return thread_block_tile<N_>();
}

}

#endif
