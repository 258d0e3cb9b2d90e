// How gmem's elements lie in memory, and how many there are.
#ifndef GMEM_GMEM_LAYOUT_H
#define GMEM_GMEM_LAYOUT_H

#include "device/device.h"
#include "model/request.h"

enum {
    GMEM_SOURCES_MAX = 4
};

// What is special to a variant. Its kernel takes the sources, the destination or, where there is none, a checksum for
// each warp, then u64 elements, u64 stride, and, where there is no source, u64 seed.
struct gmem_kernel {
    const char *entry; // of gmem.cu; NULL: the driver's own copy
    const char *op;    // as the column names it
    uint32_t reads;    // sources, a buffer each
    uint32_t writes;   // 1: there is a destination; 0: what the sources give is folded into the checksums
    // Element i of the result is the sum of the sources' elements i, each times its factor, as word_t adds: modulo the
    // width, and at 16 bytes in each of four 32-bit parts. Without a source it is pattern64(seed + i), at 16 bytes
    // followed by its complement.
    uint64_t factors[GMEM_SOURCES_MAX];
    const char *check; // entry of gmem_check.cu that checks all of a destination on a GPU; NULL: the host does
    // Elements are floating-point numbers (gmem_numbers.h, numbers.cu), and the factors are exact there. Without a
    // destination the sums take the checksums' place: one for each block, in fixed point.
    bool numbers;
    bool updates;                     // each element is read and written where it lies: an atomic addition
    bool fetches;                     // and the values before are summed up in the sink, 64 bits for each warp
    bool by_pattern;                  // of a file; the kernel follows from each pattern
    bool floating;                    // additions of floats or doubles, not of integers
    const struct gmem_family *family; // NULL: elements lie one stride apart
    native_kernel *native;            // for the CPU; NULL: gmem_native's, by the entry
};

struct gmem_layout {
    const struct gmem_kernel *kernel;
    uint64_t width_bytes;
    uint64_t stride;   // elements
    uint64_t offset;   // elements: the first one stands so far behind an aligned address
    uint64_t elements; // element i stands at (offset + i * stride) * width_bytes
    uint64_t places;   // of a buffer where elements lie by index, each of width_bytes; 0: they do not
    uint64_t window;   // gmem_index.h
    uint64_t indices;  // that the kernel reads, of 4 bytes
};

// The number of elements unless the user says: what lets stride-copy run up to stride_max (64 at least) within a
// quarter of the device's memory and within footprint_max, but no fewer than make 4 times the last-level cache at
// stride 1, and no more than fit into half of what is free. The same for every variant and stride, so that rows
// compare.
uint64_t gmem_default_elements(const struct device_info *info, uint64_t width_bytes, uint64_t stride_max,
                               uint64_t footprint_max);

// Bytes of one buffer up to the end of the last element; 0 where they overflow.
uint64_t gmem_buffer_bytes(const struct gmem_layout *layout);

// Bytes that all buffers span together, indices included: the footprint.
uint64_t gmem_footprint_bytes(const struct gmem_layout *layout);

// Bytes that the program asked for, read plus written. Indices are not among them.
double gmem_useful_bytes(const struct gmem_layout *layout);

// Bytes of the checksums, or of the sums.
uint64_t gmem_sink_bytes(const struct gmem_layout *layout, const struct launch *launch, uint32_t warp_width);

// "float32" and the like; empty where elements are bytes.
const char *gmem_type_name(const struct gmem_layout *layout);

// The elements that a thread handles: 64 bytes, but 16 where it reads and writes; 16 elements at the most.
uint32_t gmem_items(const struct gmem_layout *layout);

// What one launch asks of global memory, by the model alone, from the addresses of a warp's lanes.
struct launch_counts gmem_model_counts(const struct gpu *gpu, const struct gmem_layout *layout);

#endif
