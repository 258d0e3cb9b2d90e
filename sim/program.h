// A kernel that was translated to C from a GPU's instructions: what the simulator asks of it, whichever they are.
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    SIM_CLUSTER_BLOCKS = 16, // the most of a cluster
    // Blocks of a cluster have their shared memory so many bytes apart, as a power of two.
    SIM_WINDOW_SHIFT = 19
};

struct sim_program_parameter {
    const char *name;
    uint32_t place, bytes; // in the block of parameters
    bool is_float, is_array;
};

struct sim_program_variable {
    const char *name;
    uint64_t place, bytes; // in the block's shared memory
};

// Instructions that the same lanes of a wave execute, one after another, and how many of each kind they are.
struct sim_program_segment {
    uint32_t site, vector, scalar, shared, vector_memory, scalar_memory, branches, scratch;
};

struct sim_program {
    char *c;             // its translation
    char *file_name;     // of the instructions
    char *source_name;   // of the file that they were compiled from, under the user's name; NULL: unknown
    bool by_source;      // whether lines are those of the source, if the instructions name them
    bool by_wave;        // a coroutine runs a whole warp
    uint32_t cluster[3]; // blocks of a cluster along each axis; 0: it has no clusters
    bool stores_boxes;   // it copies boxes to global memory
    const char *entry;
    uint32_t site_count;
    char note[256]; // which instruction is not computed; empty: none
    struct sim_program_parameter *parameters;
    size_t parameter_count;
    char *parameter_names; // those of the source, if they are known
    struct sim_program_variable *shared;
    size_t shared_count;
    const struct sim_program_segment *segments; // of a program by wave
    uint32_t segment_count;
    uint32_t thread_registers; // vector registers, of a program by wave
    // The source line of a site, or its line in the instructions. *file lives as long as the program.
    void (*line)(const struct sim_program *program, uint32_t site, const char **file, uint32_t *line);
    void (*destroy)(struct sim_program *program);
};

static inline void sim_program_destroy(struct sim_program *program) {
    if (program) {
        free(program->parameter_names);
        program->destroy(program);
    }
}

#endif
