// Predicts a launch's time from its counts: docs/simulator.md, Time.
#ifndef SIM_TIME_PREDICT_H
#define SIM_TIME_PREDICT_H

#include "device/device.h"
#include "model/time/walk.h"
#include "model/work_record.h"
#include "sim/time/interval.h"

// Sets the bound and the prediction from the other counts. shared_bytes: the kernel's static shared memory;
// thread_registers: those that AMD's code names, or 0; last: the last walk, for a launch that is repeated.
void sim_predict(const struct gpu *gpu, const struct launch *launch, uint32_t shared_bytes, uint32_t thread_registers,
                 const struct sim_intervals *intervals, struct walked *last, struct launch_counts *counts);

// ---- Work of each launch, as a file that the model is fitted to ----

void sim_work_log_launch(const struct launch_record *launch);
void sim_work_log_span(const struct span_record *span);

#endif
