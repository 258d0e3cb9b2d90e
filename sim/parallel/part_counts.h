// What some blocks of a launch counted, besides their traffic.
#ifndef SIM_PARALLEL_PART_COUNTS_H
#define SIM_PARALLEL_PART_COUNTS_H

#include "sim/launch_state.h"
#include "sim/parallel/record.h"

// In a worker: forgets what the blocks before it counted. `intervals` becomes the launch's.
enum status sim_part_counts_begin(struct sim_launch *launch, struct sim_intervals *intervals);

// In a worker: writes its counts.
void sim_part_counts_write(const struct sim_launch *launch, struct sim_record *record);

// Whether the workers would have counted the same after all blocks before their own. The records are those of parts in
// the order of their blocks.
bool sim_part_counts_hold(const struct sim_launch *launch, const struct sim_record *parts, size_t count);

// Adds its counts.
enum status sim_part_counts_merge(struct sim_launch *launch, struct sim_record *record);

#endif
