// Checks gmem's results in device memory: every unit of a destination, including the gaps between elements. A unit is
// the largest word up to 8 bytes that divides the width. Constants: WIDTH=1,2,4,8
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
