// The traffic of a launch between memory and the caches.
#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include "model/gpus.h"
#include "sim/memory.h"

// Creates the buffer's bitmaps on first use. A worker notes the bytes that it loads from a buffer that is written, too.
enum status sim_traffic_begin(struct sim_buffer *buffer, uint32_t sector_bytes, bool in_worker, struct error *error);

// Notes over which part of each buffer the accesses of the blocks since the last fold are spread.
void sim_memory_reach(struct sim_memory *memory, const struct gpu *gpu);

// Adds what the blocks since the last fold touched to the sums of all buffers, and clears their bitmaps. Each of these
// blocks represents `weight` blocks.
void sim_memory_fold(struct sim_memory *memory, struct sim_buffer *file_data, const struct gpu *gpu, double weight);

// Returns the sum over all buffers and resets their sums. A buffer's bytes move once, and again as far as blocks share
// them and the last-level cache has lost them meanwhile.
struct memory_traffic sim_memory_traffic(struct sim_memory *memory, struct sim_buffer *file_data,
                                         const struct gpu *gpu);

#endif
