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
    uint32_t writes;   // 1: there is a destination; 0: the result is folded into the checksums
    // Element i of the result is the sum of the sources' elements i, each times its factor, as word_t adds: modulo the
    // width, and at 16 bytes in each of four 32-bit parts. Without a source it is pattern64(seed + i), at 16 bytes
    // followed by its complement.
    uint64_t factors[GMEM_SOURCES_MAX];
    const char *check; // entry of gmem_check.cu that checks all of a destination on a GPU; NULL: the host does
    // Elements are floating-point numbers (gmem_numbers.h, numbers.cu), and the factors are exact there. Without a
    // destination the sums take the checksums' place: one for each block, in fixed point.
    bool numbers;
    bool updates;                     // each element is read and written in place, by an atomic addition
    bool fetches;                     // and the sink holds the sum of the previous values, 64 bits for each warp
    bool by_pattern;                  // the requests follow a pattern of a file, which also decides the kernel
    bool floating;                    // additions of floats or doubles, not of integers
    const struct gmem_family *family; // NULL: elements lie one stride apart
    native_kernel *native;            // for the CPU; NULL: gmem_native's, by the entry
};

struct gmem_layout {
    const struct gmem_kernel *kernel;
    uint64_t width_bytes;
    uint64_t stride;   // elements
    uint64_t offset;   // elements from an aligned address to the first element
    uint64_t elements; // element i is at (offset + i * stride) * width_bytes
    uint64_t places;   // of width_bytes each in a buffer of elements that are found by index; 0: there are no indices
    uint64_t window;   // gmem_index.h
    uint64_t indices;  // how many the kernel reads, 4 bytes each
};

// The default number of elements. With it stride-copy runs up to stride_max (64 at least) within a quarter of the
// device's memory and within footprint_max. It is at least what fills 4 times the last-level cache at stride 1, and at
// most what fits into half of the free memory. It is the same for every variant and stride, so that rows compare.
uint64_t gmem_default_elements(const struct device_info *info, uint64_t width_bytes, uint64_t stride_max,
                               uint64_t footprint_max);

// Bytes of one buffer up to the end of the last element; 0 where they overflow.
uint64_t gmem_buffer_bytes(const struct gmem_layout *layout);

// Bytes that all buffers span together, indices included: the footprint.
uint64_t gmem_footprint_bytes(const struct gmem_layout *layout);

// Bytes that the program asked for, read plus written, without indices.
double gmem_useful_bytes(const struct gmem_layout *layout);

// Bytes of the checksums, or of the sums.
uint64_t gmem_sink_bytes(const struct gmem_layout *layout, const struct launch *launch, uint32_t warp_width);

// "float32" and the like; empty where elements are bytes.
const char *gmem_type_name(const struct gmem_layout *layout);

// How many elements a thread handles: as many as fill 64 bytes, or 16 where it reads and writes, but at most 16.
uint32_t gmem_items(const struct gmem_layout *layout);

// What one launch asks of global memory, as the model predicts it from the addresses of a warp's lanes.
struct launch_counts gmem_model_counts(const struct gpu *gpu, const struct gmem_layout *layout);

#endif
