// Checks gmem's results in device memory: every unit of a destination, including the gaps between elements. A unit is
// the largest word up to 8 bytes that divides the width.
// Constants: WIDTH=1,2,4,8
#include "device/kernel/kernel.h"

// Unit u of the destination belongs to slot u / units_per_element; slot i * stride holds element i; the slots between
// must still hold poison. A copy's unit equals the source's; *wrong counts those that do not.
KERNEL void check_copy(const word_t *RESTRICT source, const word_t *RESTRICT destination, uint64_t units,
                       uint64_t units_per_element, uint64_t stride, uint64_t poison,
                       unsigned long long *RESTRICT wrong) {
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t u = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; u < units; u += threads) {
        const int element = u / units_per_element % stride == 0;
        const word_t expected = element ? source[u] : (word_t)poison;
        if (destination[u] != expected) {
            atomicAdd(wrong, 1ull);
        }
    }
}

// The same for stride_write: the first unit of element i is pattern64(seed + i), the second its complement.
KERNEL void check_write(const word_t *RESTRICT destination, uint64_t units, uint64_t units_per_element, uint64_t stride,
                        uint64_t seed, uint64_t poison, unsigned long long *RESTRICT wrong) {
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t u = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; u < units; u += threads) {
        const uint64_t slot = u / units_per_element;
        const uint64_t value = pattern64(seed + slot / stride);
        word_t expected = (word_t)poison;
        if (slot % stride == 0) {
            expected = (word_t)(u % units_per_element == 0 ? value : ~value);
        }
        if (destination[u] != expected) {
            atomicAdd(wrong, 1ull);
        }
    }
}

// STREAM's triad of numbers: a[i] = b[i] + 3 * c[i], which is exact.
#if WIDTH == 4 || WIDTH == 8
#if WIDTH == 4
typedef float number_of_unit;
#else
typedef double number_of_unit;
#endif

KERNEL void check_triad(const number_of_unit *RESTRICT b, const number_of_unit *RESTRICT c,
                        const number_of_unit *RESTRICT a, uint64_t units, unsigned long long *RESTRICT wrong) {
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t u = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; u < units; u += threads) {
        if (a[u] != b[u] + 3 * c[u]) {
            atomicAdd(wrong, 1ull);
        }
    }
}

// The sum of a source's numbers from the first on, in fixed point, with `one` for 1. The source's words are those of
// harness.cu's fill_random.
KERNEL void expect_sum(uint64_t units, uint64_t seed, uint64_t first, uint64_t keep, uint64_t set, uint64_t one,
                       unsigned long long *RESTRICT sum) {
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    unsigned long long mine = 0;
    for (uint64_t u = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; u < units; u += threads) {
        const uint64_t byte = (first + u) * WIDTH;
        const uint64_t word = (mix64(seed + byte / 8) & keep) | set;
        union {
            word_t bits;
            number_of_unit number;
        } unit;
        unit.bits = (word_t)(word >> (8 * (byte % 8)));
        mine += (unsigned long long)((double)unit.number * (double)one);
    }
    atomicAdd(sum, mine);
}
#endif

// The expected total of stride_read's checksums: the exclusive or of all elements, folded to 32 bits.
KERNEL void expect_checksum(uint64_t units, uint64_t seed, uint64_t units_per_element, uint64_t stride, uint64_t offset,
                            unsigned long long *RESTRICT checksum) {
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    uint32_t mine = 0;
    for (uint64_t u = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; u < units; u += threads) {
        const uint64_t slot = offset + u / units_per_element * stride;
        const uint64_t byte = (slot * units_per_element + u % units_per_element) * WIDTH;
        mine ^= word_fold((word_t)(mix64(seed + byte / 8) >> (8 * (byte % 8))));
    }
    atomicXor(checksum, (unsigned long long)mine);
}
