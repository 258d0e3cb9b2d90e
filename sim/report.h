// Reports a kernel's faults as errors: "file.cu:12: kernel, block (0,0,0), thread (1,0,0): WHAT".
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include "sim/lane.h"
#include "sim/launch_state.h"

// `lane` is the thread's index in the warp.
enum status sim_report(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

enum status sim_report_stray(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane);
enum status sim_report_misaligned(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane);
// An access to the shared memory of the cluster's block with this rank, which has returned.
enum status sim_report_ended(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane,
                             uint32_t rank);

enum status sim_report_race(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane,
                            const struct sim_touch *other);
enum status sim_report_signal(const struct sim_launch *launch, const struct sim_warp *warp);

#endif
