// From counts to time: docs/simulator.md, Time.
#ifndef DEVICE_SIM_PREDICT_H
#define DEVICE_SIM_PREDICT_H

#include "device/device.h"

// Fills predicted_ns and bound from the other counts. blocks: how many compute units have work.
void sim_predict(const struct gpu *gpu, uint64_t blocks, struct launch_counts *counts);

#endif
