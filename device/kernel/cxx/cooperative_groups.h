// A stand-in for CUDA's cooperative groups: blocks, tiles, the lanes that are active together, and what they fold.
#ifndef DEVICE_KERNEL_CXX_COOPERATIVE_GROUPS_H
#define DEVICE_KERNEL_CXX_COOPERATIVE_GROUPS_H

namespace cooperative_groups {

struct thread_block {
    static void sync() {
        sim_block_barrier();
    }
    static unsigned thread_rank() {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    static unsigned size() {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static unsigned num_threads() {
        return size();
    }
    static dim3 group_index() {
        return blockIdx;
    }
    static dim3 thread_index() {
        return threadIdx;
    }
    static dim3 group_dim() {
        return blockDim;
    }
    static dim3 dim_threads() {
        return blockDim;
    }
};

SIM_INLINE thread_block this_thread_block() {
    return {};
}

// The whole grid, without its barrier.
struct grid_group {
    static unsigned long long thread_rank() {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    static unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static unsigned long long size() {
        return num_blocks() * thread_block::size();
    }
    static unsigned long long num_threads() {
        return size();
    }
    static bool is_valid() {
        return true;
    }
    static void sync() {
        sim_trap("barriers of the whole grid are not supported: end the kernel there, and launch another");
    }
};

SIM_INLINE grid_group this_grid() {
    return {};
}

// Lanes of one warp: `width` of them from lane `first` on.
struct sim_lane_group {
    unsigned width, first;
    unsigned long long mask() const {
        return (width == 64 ? ~0ull : (1ull << width) - 1) << first;
    }
    unsigned thread_rank() const {
        return sim_lane_index() - first;
    }
    unsigned size() const {
        return width;
    }
    unsigned num_threads() const {
        return width;
    }
    unsigned meta_group_rank() const {
        return thread_block::thread_rank() / width;
    }
    unsigned meta_group_size() const {
        return (thread_block::size() + width - 1) / width;
    }
    void sync() const {
        sim_warp_barrier(mask());
    }
    template <class T> T shfl(T value, unsigned lane) const {
        return sim_shuffle_value(SIM_SHUFFLE_INDEX, mask(), value, lane, width);
    }
    template <class T> T shfl_up(T value, unsigned by) const {
        return sim_shuffle_value(SIM_SHUFFLE_UP, mask(), value, by, width);
    }
    template <class T> T shfl_down(T value, unsigned by) const {
        return sim_shuffle_value(SIM_SHUFFLE_DOWN, mask(), value, by, width);
    }
    template <class T> T shfl_xor(T value, unsigned by) const {
        return sim_shuffle_value(SIM_SHUFFLE_XOR, mask(), value, by, width);
    }
    sim_lanes ballot(int predicate) const {
        return (sim_lanes)((sim_ballot(mask(), predicate != 0) & mask()) >> first);
    }
    int any(int predicate) const {
        return ballot(predicate) != 0;
    }
    int all(int predicate) const {
        return ballot(!predicate) == 0;
    }
};

template <unsigned Width, class Parent = void> struct thread_block_tile : sim_lane_group {
    thread_block_tile() : sim_lane_group{Width, sim_lane_index() / Width * Width} {}
    template <class Other> thread_block_tile(const thread_block_tile<Width, Other> &) : thread_block_tile() {}
};

template <unsigned Width, class Parent> SIM_INLINE thread_block_tile<Width, Parent> tiled_partition(const Parent &) {
    static_assert(Width <= WARP_WIDTH && (Width & (Width - 1)) == 0, "a tile is a power of two of a warp's lanes");
    return {};
}
template <class Parent> SIM_INLINE sim_lane_group tiled_partition(const Parent &, unsigned width) {
    return {width, sim_lane_index() / width * width};
}

// The lanes that are active together, numbered without gaps.
struct coalesced_group {
    unsigned long long lanes;
    unsigned thread_rank() const {
        return (unsigned)__builtin_popcountll(lanes & ((1ull << sim_lane_index()) - 1));
    }
    unsigned size() const {
        return (unsigned)__builtin_popcountll(lanes);
    }
    unsigned num_threads() const {
        return size();
    }
    void sync() const {
        sim_warp_barrier(lanes);
    }
    unsigned lane_of(unsigned rank) const {
        unsigned long long left = lanes;
        for (; rank > 0 && left; rank--) {
            left &= left - 1;
        }
        return left ? (unsigned)__builtin_ctzll(left) : sim_lane_index();
    }
    template <class T> T shfl(T value, unsigned rank) const {
        return sim_shuffle_value(SIM_SHUFFLE_INDEX, lanes, value, lane_of(rank), WARP_WIDTH);
    }
    template <class T> T shfl_down(T value, unsigned by) const {
        return shfl(value, thread_rank() + by < size() ? thread_rank() + by : thread_rank());
    }
    template <class T> T shfl_up(T value, unsigned by) const {
        return shfl(value, thread_rank() >= by ? thread_rank() - by : thread_rank());
    }
    template <class T> T shfl_xor(T value, unsigned by) const {
        return shfl(value, (thread_rank() ^ by) < size() ? thread_rank() ^ by : thread_rank());
    }
    int any(int predicate) const {
        return (sim_ballot(lanes, predicate != 0) & lanes) != 0;
    }
    int all(int predicate) const {
        return (sim_ballot(lanes, predicate == 0) & lanes) == 0;
    }
};

SIM_INLINE coalesced_group coalesced_threads() {
    return {sim_active_lanes()};
}

template <class Group> SIM_INLINE void sync(const Group &group) {
    group.sync();
}

// ---- Folds and scans ----

#define SIM_FOLD(name, expression)                                                                                     \
    template <class T = void> struct name {                                                                            \
        T operator()(T a, T b) const {                                                                                 \
            return expression;                                                                                         \
        }                                                                                                              \
    };                                                                                                                 \
    template <> struct name<void> {                                                                                    \
        template <class T> T operator()(T a, T b) const {                                                              \
            return expression;                                                                                         \
        }                                                                                                              \
    };
SIM_FOLD(plus, a + b)
SIM_FOLD(less, a < b ? a : b)
SIM_FOLD(greater, a > b ? a : b)
SIM_FOLD(bit_and, a &b)
SIM_FOLD(bit_or, a | b)
SIM_FOLD(bit_xor, a ^ b)

template <class Group, class T, class Fold> SIM_INLINE T reduce(const Group &group, T value, Fold fold) {
    const unsigned rank = group.thread_rank(), size = group.size();
    for (unsigned by = 1; by < size; by *= 2) {
        const T other = group.shfl_down(value, by);
        value = rank + by < size ? fold(value, other) : value;
    }
    return group.shfl(value, 0);
}

template <class Group, class T, class Fold = plus<T>>
SIM_INLINE T inclusive_scan(const Group &group, T value, Fold fold = Fold()) {
    for (unsigned by = 1; by < group.size(); by *= 2) {
        const T other = group.shfl_up(value, by);
        value = group.thread_rank() >= by ? fold(other, value) : value;
    }
    return value;
}

template <class Group, class T> SIM_INLINE T exclusive_scan(const Group &group, T value) {
    const T before = group.shfl_up(inclusive_scan(group, value), 1);
    return group.thread_rank() ? before : T{};
}

// ---- Copies by a group, which are done when its barrier opens ----

template <class Group, class To, class From>
SIM_INLINE void memcpy_async(const Group &group, To *to, const From *from, size_t bytes) {
    for (size_t i = group.thread_rank(); i < bytes / sizeof(To); i += group.size()) {
        to[i] = from[i];
    }
}
template <class Group> SIM_INLINE void wait(const Group &group) {
    group.sync();
}
template <unsigned Stages, class Group> SIM_INLINE void wait_prior(const Group &group) {
    group.sync();
}

} // namespace cooperative_groups

#endif
