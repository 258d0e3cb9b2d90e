// What a worker hands over of the blocks that it ran: what they counted, and what they did in memory.
#ifndef SIM_PARALLEL_PART_H
#define SIM_PARALLEL_PART_H

#include "sim/launch_state.h"
#include "sim/parallel/worker.h"

// ---- What they counted, besides their traffic ----

// In a worker: forgets what the blocks before it counted. `intervals` becomes the launch's.
enum status sim_part_counts_begin(struct sim_launch *launch, struct sim_intervals *intervals);

// In a worker: writes its counts.
void sim_part_counts_write(const struct sim_launch *launch, struct sim_record *record);

// Whether the workers would have counted the same after all blocks before their own. The records are those of parts in
// the order of their blocks.
bool sim_part_counts_hold(const struct sim_launch *launch, const struct sim_record *parts, size_t count);

// Adds its counts.
enum status sim_part_counts_merge(struct sim_launch *launch, struct sim_record *record);

// ---- What they read and wrote in global memory ----

// In a worker: forgets what the blocks before it did.
void sim_part_memory_begin(struct sim_launch *launch);

// In a worker: writes what its blocks did.
void sim_part_memory_write(const struct sim_launch *launch, struct sim_record *record);

// Whether the workers' blocks would have done the same one after another: none wrote a byte that another worker's
// blocks read or wrote.
bool sim_part_memory_holds(const struct sim_launch *launch, const struct sim_record *records, uint32_t count);

// Counts what a worker's blocks read and wrote, and writes the kernel's file-scope data. The overlays have the rest.
enum status sim_part_memory_merge(struct sim_launch *launch, struct sim_record *record);

#endif
