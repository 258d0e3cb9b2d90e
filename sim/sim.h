// The simulator's operations beyond those of every device; lanes uses them.
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "device/device.h"

// The bytes of all buffers.
uint64_t sim_used_bytes(const struct device *device);

// How later builds and launches differ from those of a probe.
struct sim_options {
    double time_limit_s; // of each launch, in real time: one that takes longer fails; 0: no limit
    bool allows_races;   // on shared memory: they are counted, and what racing accesses read depends on the order in
                         // which the simulator runs warps
    bool loads_later; // builds compile kernels and do not load them, because a library may run code once it is loaded
    bool records;     // the requests to shared memory, of each launch anew and on one thread (records.h)
};
void sim_set_options(struct device *device, const struct sim_options *options);

// Loads a kernel that was built to be loaded later, with the file's name and the entry of its request.
enum status sim_load(struct kernel *kernel, const char *file_name, const char *entry, struct error *error);

// A kernel's name, even if the request named no entry because the file has only one kernel.
const char *sim_kernel_name(const struct kernel *kernel);

// Which of its instructions are not computed, as a sentence; NULL if all are.
const char *sim_kernel_note(const struct kernel *kernel);

// The name of parameter i, counted from 0; NULL if the kernel has fewer.
const char *sim_parameter_name(const struct kernel *kernel, size_t i);

// The name of the parameter that takes argument i of the launch; NULL if it is not known.
const char *sim_argument_name(const struct kernel *kernel, const struct launch *launch, size_t i);

struct sim_remap;

// Counts the requests of another layout: it applies to the next launches; NULL: none. The remap must outlive them.
void sim_set_remap(struct device *device, const struct sim_remap *remap);

#endif
