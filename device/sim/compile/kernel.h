// A kernel of a simulated device: its entry in a compiled file, and how to call it.
#ifndef DEVICE_SIM_COMPILE_KERNEL_H
#define DEVICE_SIM_COMPILE_KERNEL_H

#include <ffi.h>

#include "device/device.h"
#include "device/sim/compile/module.h"
#include "device/sim/count.h"
#include "device/sim/lane.h"
#include "device/sim/memory.h"

// A compiled file. A device keeps it: the same text with the same constants is compiled once.
struct sim_compiled {
    char *identity; // the file's name, its text, its constants
    struct sim_module module;
    struct sim_sites sites;      // of the last launch of one of its kernels
    struct sim_buffer file_data; // its image, as far as kernels reach it
    struct sim_compiled *next;
};

struct kernel {
    struct sim_compiled *compiled;
    struct sim_entry entry;
    ffi_cif call;
    ffi_type *types[SIM_PARAMETERS];
};

// The compiled file of the request: from the list, or compiled and put into it.
enum status sim_compiled_get(struct sim_compiled **list, const struct kernel_request *request, const struct gpu *gpu,
                             const char *compiler, struct sim_compiled **compiled, struct error *error);
void sim_compiled_destroy_all(struct sim_compiled **list);

enum status sim_kernel_create(struct sim_compiled *compiled, const char *entry, struct kernel **kernel,
                              struct error *error);
void sim_kernel_destroy(struct kernel *kernel);

// Whether the launch's arguments are what the kernel takes, and its grid and shared memory what the GPU has.
enum status sim_kernel_check(const struct kernel *kernel, const struct gpu *gpu, const struct launch *launch,
                             struct error *error);

#endif
