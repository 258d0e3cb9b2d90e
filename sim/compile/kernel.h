// Copies a launch's arguments to the parameters of a kernel that was translated.
#ifndef SIM_COMPILE_KERNEL_H
#define SIM_COMPILE_KERNEL_H

#include "device/device.h"
#include "device/launch.h"
#include "sim/compile/compile.h"
#include "sim/compile/module.h"
#include "sim/count.h"
#include "sim/lane.h"
#include "sim/launch_state.h"
#include "sim/memory.h"
#include "sim/program.h"
#include "util/error.h"

// Stores each argument where the entry expects it. A parameter that is an array of bytes, like a struct, takes as many
// arguments as fill it but for padding. With parameters NULL it only checks.
enum status sim_place_arguments(const struct sim_program *program, const struct launch *launch,
                                unsigned char *parameters, struct error *error);

// The name of a parameter, counted from 0; NULL if the kernel has fewer.
const char *sim_parameter(const struct sim_module *module, const struct sim_entry *entry, size_t number);

// The name of the parameter that takes the argument; NULL if it is not known.
const char *sim_argument_parameter(const struct sim_module *module, const struct sim_entry *entry,
                                   const struct launch *launch, size_t argument);

// A kernel of a simulated device: its entry in a compiled file, and its call.

// A compiled file. The device keeps it, so that the same text with the same constants is compiled once.
struct sim_compiled {
    char *identity; // the file's name, its text, its constants
    struct sim_module module;
    bool is_open;                // the module is loaded and read
    struct sim_sites sites;      // of the last launch of one of its kernels
    struct sim_buffer file_data; // the part of its image that kernels can access
    struct sim_compiled *next;
};

struct kernel {
    struct sim_compiled *compiled;
    struct sim_entry entry;
    struct sim_call call; // unless the file is PTX
};

// Finds the request's compiled file in the list, or compiles it and adds it.
enum status sim_compiled_get(struct sim_compiled **list, const struct kernel_request *request,
                             struct sim_compiler *compiler, struct sim_compiled **compiled, struct error *error);
void sim_compiled_destroy_all(struct sim_compiled **list);

// A kernel of the file. Nothing is known of it before it is opened.
struct kernel *sim_kernel_create(struct sim_compiled *compiled);

// Finds the entry. Loads the file if it was compiled for later.
enum status sim_kernel_open(struct kernel *kernel, const char *entry, struct error *error);
void sim_kernel_destroy(struct kernel *kernel);

// Checks that the arguments match the kernel's parameters and that grid, block and shared memory fit the GPU.
enum status sim_kernel_check(const struct kernel *kernel, const struct gpu *gpu, const struct launch *launch,
                             struct error *error);

#endif
