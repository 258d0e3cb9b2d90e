// A kernel of a simulated device: its entry in a compiled file, and its call.
#ifndef DEVICE_SIM_COMPILE_KERNEL_H
#define DEVICE_SIM_COMPILE_KERNEL_H

#include "device/device.h"
#include "device/sim/compile/call.h"
#include "device/sim/compile/compile.h"
#include "device/sim/compile/module.h"
#include "device/sim/count.h"
#include "device/sim/lane.h"
#include "device/sim/memory.h"
#include "device/sim/parallel/threads.h"

// A compiled file. The device keeps it, so that the same text with the same constants is compiled once.
struct sim_compiled {
    char *identity; // the file's name, its text, its constants
    struct sim_module module;
    struct sim_sites sites;      // of the last launch of one of its kernels
    struct sim_buffer file_data; // the part of its image that kernels can access
    struct sim_setback setback;
    struct sim_compiled *next;
};

struct kernel {
    struct sim_compiled *compiled;
    struct sim_entry entry;
    struct sim_call call; // unless the file is PTX
};

// Finds the request's compiled file in the list, or compiles it and adds it.
enum status sim_compiled_get(struct sim_compiled **list, const struct kernel_request *request, const struct gpu *gpu,
                             struct sim_compiler *compiler, struct sim_compiled **compiled, struct error *error);
void sim_compiled_destroy_all(struct sim_compiled **list);

enum status sim_kernel_create(struct sim_compiled *compiled, const char *entry, struct kernel **kernel,
                              struct error *error);
void sim_kernel_destroy(struct kernel *kernel);

// Checks that the arguments match the kernel's parameters and that grid, block and shared memory fit the GPU.
enum status sim_kernel_check(const struct kernel *kernel, const struct gpu *gpu, const struct launch *launch,
                             struct error *error);

#endif
