// Predicts a launch's time from its counts: docs/simulator.md, Time.
#ifndef DEVICE_SIM_PREDICT_H
#define DEVICE_SIM_PREDICT_H

#include "device/device.h"
#include "device/sim/time/interval.h"

// Sets the bound and the prediction from the other counts. shared_bytes: the kernel's static shared memory.
void sim_predict(const struct gpu *gpu, const struct launch *launch, uint32_t shared_bytes,
                 const struct sim_intervals *intervals, struct launch_counts *counts);

#endif
