// A PTX file translated to C: one entry, with the functions and variables that it needs.
#ifndef DEVICE_SIM_PTX_PROGRAM_H
#define DEVICE_SIM_PTX_PROGRAM_H

#include "device/sim/ptx/writer.h"

struct ptx_parameter {
    const char *name;
    uint32_t place, bytes; // in the block of parameters
    bool is_float, is_array;
};

struct ptx_variable {
    const char *name;
    uint64_t place, bytes; // in the block's shared memory
};

struct ptx_program {
    char *text;        // the PTX, which the tree points into
    char *c;           // its translation
    char *file_name;   // of the PTX
    char *source_name; // of the file that the PTX was compiled from, under the user's name; NULL: unknown
    bool by_source;    // whether lines are those of the source, if .loc gives them
    struct ptx_tree tree;
    struct ptx_site *sites;
    uint32_t site_count;
    const char *entry;
    char note[256];    // which instruction is not computed; empty: none
    bool stores_boxes; // it copies boxes to global memory
    struct ptx_parameter *parameters;
    size_t parameter_count;
    struct ptx_variable *shared;
    size_t shared_count;
    const char **files; // by their number
};

struct ptx_request {
    const char *file_name, *text, *entry; // entry NULL: the file's only one
    const char *source_name;              // NULL: unknown
    uint32_t dynamic_bytes;               // shared memory that a launch may give to a block
};

// Returns STATUS_USAGE if the text is not PTX or has no such entry, STATUS_FAILED if it contains something unsupported.
enum status ptx_program_create(const struct ptx_request *request, struct ptx_program **program, struct error *error);
void ptx_program_destroy(struct ptx_program *program);

// The source line of a site, or its line in the PTX. *file lives as long as the program.
void ptx_program_line(const struct ptx_program *program, uint32_t site, const char **file, uint32_t *line);

#endif
