// The positions and the number of gmem's elements in memory.
#ifndef GMEM_GMEM_LAYOUT_H
#define GMEM_GMEM_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/bench_device.h"
#include "device/device.h"
#include "model/request.h"

enum {
    GMEM_SOURCES_MAX = 4
};

// The properties of a variant. Its kernel takes the sources; the destination; an array of indices for each of these, if
// there are any; the sink; u64 elements; u64 stride, or u64 delta for each array of indices, or the bits of a target's
// number; and, if it makes the values itself, u64 seed.
struct gmem_kernel {
    const char *entry; // of the kernel; NULL: the driver's copy
    const char *op;    // value of the column
    uint32_t reads;    // number of sources, one buffer each
    uint32_t writes;   // 1: there is a destination; 0: the result is folded into the checksums
    // Element i of the result is the sum of the sources' elements i, each times its factor. word_t adds modulo the
    // width, and at 16 bytes separately in four 32-bit parts. Without a source the element is pattern64(seed + i), at
    // 16 bytes followed by its complement.
    uint64_t factors[GMEM_SOURCES_MAX];
    const char *check; // entry of gmem_check.cu that checks a whole destination on a GPU; NULL: the host checks
    // The elements are floating-point numbers (numbers.cu), and arithmetic with the factors is exact.
    // Without a destination there are sums in fixed point instead of checksums.
    bool numbers;
    bool updates;                     // an atomic addition reads and writes each element in place
    bool fetches;                     // and the sink holds the sum of the previous values, 64 bits for each warp
    bool indexed;                     // an index of 4 bytes says where each element lies
    bool bulk;                        // a block's elements pass through shared memory (bulk.cu)
    bool floating;                    // additions of floats or doubles, not of integers
    const struct gmem_family *family; // NULL: elements lie one stride apart
    native_kernel *native;            // for the CPU; NULL: there is none
};

struct gmem_layout {
    const struct gmem_kernel *kernel;
    uint64_t width_bytes;
    uint64_t stride;   // elements
    uint64_t offset;   // elements from an aligned address to the first element
    uint64_t elements; // element i is at (offset + i * stride) * width_bytes
    uint64_t slots;    // elements in a buffer that indices point into; 0: there are no indices
    uint64_t window;   // gmem_index.h
    uint64_t indices;  // number that the kernel reads, 4 bytes each
};

// The default number of elements at the layout's width and stride. With it a launch lasts so long, at the peak of the
// memory, that its fixed costs are 0.25 % of its time. The buffers together stay within a quarter of the device's
// memory and within footprint_max, but fill at least 4 times the last-level cache at stride 1, and at most half of the
// free memory. It follows from the device alone, so that rows of two runs compare.
uint64_t gmem_default_elements(const struct device_info *info, const struct gmem_layout *layout,
                               uint64_t footprint_max);

// Bytes of one buffer up to the end of the last element; 0 on overflow.
uint64_t gmem_buffer_bytes(const struct gmem_layout *layout);

// Bytes that all buffers span together, including indices: the footprint.
uint64_t gmem_footprint_bytes(const struct gmem_layout *layout);

// Bytes that the program asked for, read plus written, without indices.
double gmem_useful_bytes(const struct gmem_layout *layout);

enum {
    GMEM_CHECKSUMS = 1024 // words that the blocks of a GPU share
};

// Whether the kernel leaves sums or checksums in a sink; the sink's bytes; and the total of what is in it. Sums are
// added modulo 2^64, checksums by exclusive or.
bool gmem_has_sink(const struct gmem_kernel *kernel);
uint64_t gmem_sink_bytes(const struct gmem_layout *layout, const struct launch *launch, uint32_t warp_width);
enum status gmem_sink_total(struct device *device, const struct gmem_kernel *kernel, uint64_t sink, uint64_t bytes,
                            uint64_t *total, struct error *error);

// "float32" and the like; empty where elements are bytes.
const char *gmem_type_name(const struct gmem_layout *layout);

// The number of elements per thread: as many as fill 64 bytes, or 16 bytes if threads store, but at most 16.
uint32_t gmem_items(const struct gmem_layout *layout);

// The model's prediction of one launch's global-memory requests, from the addresses of a warp's lanes.
struct launch_counts gmem_model_counts(const struct gpu *gpu, const struct gmem_layout *layout);

// Floating-point elements: random words turned into numbers from 1 to 2. Their low bits are zero, so that sums of some
// thousands are exact in any order and a result can be compared bit by bit.

// Bits behind the binary point.
static inline uint32_t gmem_number_bits(uint64_t width_bytes) {
    return width_bytes == 4 ? 11 : 38;
}

// For each 64-bit word of random data, the bits that stay and the bits that are set.
static inline uint64_t gmem_number_keep(uint64_t width_bytes) {
    return width_bytes == 4 ? UINT64_C(0x007ff000007ff000) : UINT64_C(0x000fffffffffc000);
}

static inline uint64_t gmem_number_set(uint64_t width_bytes) {
    return width_bytes == 4 ? UINT64_C(0x3f8000003f800000) : UINT64_C(0x3ff0000000000000);
}

// ---- What each element must be ----

// Checks gmem's results: every element, and the gaps between them.

struct gmem_result {
    struct gmem_layout layout;
    uint64_t seed;                      // of the sources' bytes, and of the values written by a kernel without a source
    uint64_t sources[GMEM_SOURCES_MAX]; // device addresses without the offset
    uint64_t destination;               // poisoned as a whole before the launch
    uint64_t elements_first, elements_run; // the first that the launch reaches, and the one after the last
};

// Word i of this source holds (mix64(gmem_source_seed(seed, number) + i) & keep) | set.
uint64_t gmem_source_seed(uint64_t seed, uint32_t number);
uint64_t gmem_source_keep(const struct gmem_layout *layout);
uint64_t gmem_source_set(const struct gmem_layout *layout);

// Counts the wrong bytes in a piece of the destination that begins `first` bytes after the start of the first element.
// first and count are multiples of the width. A piece may begin and end within a gap.
uint64_t gmem_wrong_bytes(const struct gmem_result *result, const uint8_t *bytes, uint64_t first, uint64_t count);

// The expected xor of the checksums: the xor of all elements of the result, folded to 32 bits.
uint32_t gmem_expected_checksum(const struct gmem_result *result);

// The expected sum of the blocks' sums: the sum of all numbers of the result, in fixed point and modulo 2^64.
uint64_t gmem_expected_sum(const struct gmem_result *result);

// ---- The check ----

// Adds to the total of the sink what the sources' elements make it. A GPU recomputes this itself; for other devices the
// host does.
enum status gmem_expect(struct bench_device *bench_device, const struct gmem_result *result, uint64_t *total,
                        struct error *error);

// Sets *right to false if the destination is not what it should be. The host recomputes the bytes from the seed. On a
// GPU a kernel checks everything in place, and the host recomputes the first and the last piece.
enum status gmem_check(struct bench_device *bench_device, const struct gmem_result *result, bool *right,
                       struct error *error);

// Launches that are not timed: they prepare data on a GPU or check it there, and count or sum something.
struct gmem_tally {
    const struct kernel_source *source;
    const char *entry;    // its last argument is a 64-bit word, zero at first, to which the threads add
    uint64_t width_bytes; // the kernel's WIDTH
    struct argument arguments[8];
    size_t count;
};

void gmem_tally_add(struct gmem_tally *tally, struct argument argument);

// Runs the kernel and returns the word in *result.
enum status gmem_tally_run(struct bench_device *b, struct gmem_tally *tally, uint64_t *result, struct error *error);

#endif
