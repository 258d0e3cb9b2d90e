// The traffic of a launch between memory and the caches.
#ifndef DEVICE_SIM_TRAFFIC_H
#define DEVICE_SIM_TRAFFIC_H

#include "device/sim/memory.h"
#include "model/gpus.h"

// Creates the buffer's bitmaps on first use.
enum status sim_traffic_begin(struct sim_buffer *buffer, uint32_t sector_bytes, struct error *error);

// Adds what the blocks since the last fold touched to the sums of all buffers, and clears their bitmaps. Each of these
// blocks represents `weight` blocks. A sum never exceeds the buffer's size.
void sim_memory_fold(struct sim_memory *memory, struct sim_buffer *file_data, const struct gpu *gpu, double weight);

// Returns the sum over all buffers and resets their sums.
struct memory_traffic sim_memory_traffic(struct sim_memory *memory, struct sim_buffer *file_data);

#endif
