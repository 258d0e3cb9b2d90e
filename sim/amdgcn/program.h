// A kernel of a file of AMDGPU assembly, translated to C.
#ifndef SIM_AMDGCN_PROGRAM_H
#define SIM_AMDGCN_PROGRAM_H

#include "device/launch.h"
#include "sim/program.h"
#include "util/error.h"

struct gcn_request {
    const char *file_name, *text, *entry; // entry NULL: the file's only one
    const char *source_name;              // of the file that it was compiled from; NULL: unknown
    const char *arch;                     // of the GPU: "gfx90a"
    uint32_t lanes;                       // of its waves
    uint32_t dynamic_bytes;               // shared memory that a launch may give to a block
};

// STATUS_USAGE if the text is no such file, or is for another GPU; STATUS_FAILED if it has something unsupported.
enum status gcn_program_create(const struct gcn_request *request, struct sim_program **program, struct error *error);

// Writes what a launch tells a kernel behind its arguments: sizes of grid and block.
void gcn_place_launch(const struct sim_program *program, const struct launch *launch, unsigned char *arguments);

#endif
