// CUDA's cooperative groups for clang: blocks, tiles, the lanes that are active together, and what they fold.
#ifndef DEVICE_KERNEL_CLANG_COOPERATIVE_GROUPS_H
#define DEVICE_KERNEL_CLANG_COOPERATIVE_GROUPS_H

namespace cooperative_groups {

struct thread_block {
    GPU_MEMBER static void sync() {
        __syncthreads();
    }
    GPU_MEMBER static unsigned thread_rank() {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    GPU_MEMBER static unsigned size() {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    GPU_MEMBER static unsigned num_threads() {
        return size();
    }
    GPU_MEMBER static dim3 group_index() {
        return blockIdx;
    }
    GPU_MEMBER static dim3 thread_index() {
        return threadIdx;
    }
    GPU_MEMBER static dim3 group_dim() {
        return blockDim;
    }
    GPU_MEMBER static dim3 dim_threads() {
        return blockDim;
    }
};

GPU_FUNCTION thread_block this_thread_block() {
    return {};
}

// The whole grid, without its barrier.
struct grid_group {
    GPU_MEMBER static unsigned long long thread_rank() {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    GPU_MEMBER static unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    GPU_MEMBER static unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    GPU_MEMBER static unsigned long long size() {
        return num_blocks() * thread_block::size();
    }
    GPU_MEMBER static unsigned long long num_threads() {
        return size();
    }
    GPU_MEMBER static bool is_valid() {
        return true;
    }
    // The compiler refuses a call with this message.
    __device__ __attribute__((
        error("barriers of the whole grid are not supported: end the kernel there, and launch another"))) static void
    sync();
};

GPU_FUNCTION grid_group this_grid() {
    return {};
}

// Lanes of one warp: `width` of them from lane `first` on.
struct gpu_lane_group {
    unsigned width, first;
    GPU_MEMBER unsigned long long mask() const {
        return (width == 64 ? ~0ull : (1ull << width) - 1) << first;
    }
    GPU_MEMBER unsigned thread_rank() const {
        return __lane_id() - first;
    }
    GPU_MEMBER unsigned size() const {
        return width;
    }
    GPU_MEMBER unsigned num_threads() const {
        return width;
    }
    GPU_MEMBER unsigned meta_group_rank() const {
        return thread_block::thread_rank() / width;
    }
    GPU_MEMBER unsigned meta_group_size() const {
        return (thread_block::size() + width - 1) / width;
    }
    GPU_MEMBER void sync() const {
        __syncwarp((gpu_lanes)mask());
    }
    template <class T> GPU_MEMBER T shfl(T value, unsigned lane) const {
        return __shfl_sync((gpu_lanes)mask(), value, lane, (int)width);
    }
    template <class T> GPU_MEMBER T shfl_up(T value, unsigned by) const {
        return __shfl_up_sync((gpu_lanes)mask(), value, by, (int)width);
    }
    template <class T> GPU_MEMBER T shfl_down(T value, unsigned by) const {
        return __shfl_down_sync((gpu_lanes)mask(), value, by, (int)width);
    }
    template <class T> GPU_MEMBER T shfl_xor(T value, unsigned by) const {
        return __shfl_xor_sync((gpu_lanes)mask(), value, by, (int)width);
    }
    GPU_MEMBER gpu_lanes ballot(int predicate) const {
        return gpu_ballot((gpu_lanes)mask(), predicate != 0) >> first;
    }
    GPU_MEMBER int any(int predicate) const {
        return ballot(predicate) != 0;
    }
    GPU_MEMBER int all(int predicate) const {
        return ballot(!predicate) == 0;
    }
};

template <unsigned Width, class Parent = void> struct thread_block_tile : gpu_lane_group {
    GPU_MEMBER thread_block_tile() : gpu_lane_group{Width, __lane_id() / Width * Width} {}
    template <class Other>
    GPU_MEMBER thread_block_tile(const thread_block_tile<Width, Other> &) : thread_block_tile() {}
};

template <unsigned Width, class Parent> GPU_FUNCTION thread_block_tile<Width, Parent> tiled_partition(const Parent &) {
    static_assert(Width <= GPU_WARP_WIDTH && (Width & (Width - 1)) == 0, "a tile is a power of two of a warp's lanes");
    return {};
}
template <class Parent> GPU_FUNCTION gpu_lane_group tiled_partition(const Parent &, unsigned width) {
    return {width, __lane_id() / width * width};
}

// The lanes that are active together, numbered without gaps.
struct coalesced_group {
    unsigned long long lanes;
    GPU_MEMBER unsigned thread_rank() const {
        return (unsigned)__builtin_popcountll(lanes & ((1ull << __lane_id()) - 1));
    }
    GPU_MEMBER unsigned size() const {
        return (unsigned)__builtin_popcountll(lanes);
    }
    GPU_MEMBER unsigned num_threads() const {
        return size();
    }
    GPU_MEMBER void sync() const {
        __syncwarp((gpu_lanes)lanes);
    }
    GPU_MEMBER unsigned lane_of(unsigned rank) const {
        unsigned long long left = lanes;
        for (; rank > 0 && left; rank--) {
            left &= left - 1;
        }
        return left ? (unsigned)__builtin_ctzll(left) : __lane_id();
    }
    template <class T> GPU_MEMBER T shfl(T value, unsigned rank) const {
        return __shfl_sync((gpu_lanes)lanes, value, lane_of(rank), GPU_WARP_WIDTH);
    }
    template <class T> GPU_MEMBER T shfl_down(T value, unsigned by) const {
        return shfl(value, thread_rank() + by < size() ? thread_rank() + by : thread_rank());
    }
    template <class T> GPU_MEMBER T shfl_up(T value, unsigned by) const {
        return shfl(value, thread_rank() >= by ? thread_rank() - by : thread_rank());
    }
    template <class T> GPU_MEMBER T shfl_xor(T value, unsigned by) const {
        return shfl(value, (thread_rank() ^ by) < size() ? thread_rank() ^ by : thread_rank());
    }
    GPU_MEMBER int any(int predicate) const {
        return gpu_ballot((gpu_lanes)lanes, predicate != 0) != 0;
    }
    GPU_MEMBER int all(int predicate) const {
        return gpu_ballot((gpu_lanes)lanes, predicate == 0) == 0;
    }
};

GPU_FUNCTION coalesced_group coalesced_threads() {
    return {__activemask()};
}

template <class Group> GPU_FUNCTION void sync(const Group &group) {
    group.sync();
}

// ---- Folds and scans ----

#define GPU_FOLD(name, expression)                                                                                     \
    template <class T = void> struct name {                                                                            \
        GPU_MEMBER T operator()(T a, T b) const {                                                                      \
            return expression;                                                                                         \
        }                                                                                                              \
    };                                                                                                                 \
    template <> struct name<void> {                                                                                    \
        template <class T> GPU_MEMBER T operator()(T a, T b) const {                                                   \
            return expression;                                                                                         \
        }                                                                                                              \
    };
GPU_FOLD(plus, a + b)
GPU_FOLD(less, a < b ? a : b)
GPU_FOLD(greater, a > b ? a : b)
GPU_FOLD(bit_and, a &b)
GPU_FOLD(bit_or, a | b)
GPU_FOLD(bit_xor, a ^ b)

template <class Group, class T, class Fold> GPU_FUNCTION T reduce(const Group &group, T value, Fold fold) {
    const unsigned rank = group.thread_rank(), size = group.size();
    for (unsigned by = 1; by < size; by *= 2) {
        const T other = group.shfl_down(value, by);
        value = rank + by < size ? fold(value, other) : value;
    }
    return group.shfl(value, 0);
}

template <class Group, class T, class Fold = plus<T>>
GPU_FUNCTION T inclusive_scan(const Group &group, T value, Fold fold = Fold()) {
    for (unsigned by = 1; by < group.size(); by *= 2) {
        const T other = group.shfl_up(value, by);
        value = group.thread_rank() >= by ? fold(other, value) : value;
    }
    return value;
}

template <class Group, class T> GPU_FUNCTION T exclusive_scan(const Group &group, T value) {
    const T before = group.shfl_up(inclusive_scan(group, value), 1);
    return group.thread_rank() ? before : T{};
}

// ---- Copies by a group, which are done when its barrier opens ----

template <class Group, class To, class From>
GPU_FUNCTION void memcpy_async(const Group &group, To *to, const From *from, size_t bytes) {
    for (size_t i = group.thread_rank(); i < bytes / sizeof(To); i += group.size()) {
        to[i] = from[i];
    }
}
template <class Group> GPU_FUNCTION void wait(const Group &group) {
    group.sync();
}
template <unsigned Stages, class Group> GPU_FUNCTION void wait_prior(const Group &group) {
    group.sync();
}

} // namespace cooperative_groups

#endif
