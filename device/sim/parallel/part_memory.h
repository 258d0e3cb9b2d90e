// What some blocks of a launch read and wrote in global memory.
#ifndef DEVICE_SIM_PARALLEL_PART_MEMORY_H
#define DEVICE_SIM_PARALLEL_PART_MEMORY_H

#include "device/sim/launch_state.h"
#include "device/sim/parallel/record.h"

// In a worker: forgets what the blocks before it did.
void sim_part_memory_begin(struct sim_launch *launch);

// In a worker: writes what its blocks did.
void sim_part_memory_write(struct sim_launch *launch, struct sim_record *record);

// Whether its blocks would have done the same after all blocks before them: they read no byte that blocks since
// sim_part_memory_forget_changes wrote.
bool sim_part_memory_holds(const struct sim_launch *launch, struct sim_record *record);

// Writes what the worker's blocks wrote, and counts their traffic.
enum status sim_part_memory_merge(struct sim_launch *launch, struct sim_record *record);

// From now on workers see what was written so far.
void sim_part_memory_forget_changes(struct sim_launch *launch);

#endif
