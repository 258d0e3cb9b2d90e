// Launches of a simulated device, as struct device_operations describes them.
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include "device/device.h"
#include "sim/launch_state.h"

enum status sim_launch_kernel(struct device *device, struct stream *stream, struct kernel *kernel,
                              const struct launch *launch, struct error *error);
enum status sim_choose_blocks(struct device *device, struct kernel *kernel, const struct launch *launch,
                              struct error *error);
const uint64_t *sim_chosen_blocks(const struct device *device, size_t *count);

#endif
