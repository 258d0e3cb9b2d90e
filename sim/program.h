// A kernel that was translated to C from a GPU's instructions: what the simulator asks of it, whichever they are.
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/compile/assembly.h"
#include "util/error.h"

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

// A variable in shared memory.
struct sim_variable {
    const char *name;
    size_t offset, bytes; // in the block's shared memory
};

// An instruction that the simulator hears of.
struct sim_program_site {
    uint32_t line, place; // of the file of the instructions; of the source, a number that the program knows
    uint32_t weight;      // instructions from here to the next site
    bool by_cluster;      // its address is one of the cluster's shared memory
    struct flow_needs needs;
};

// The kinds of instructions that AMD's profilers count.
enum sim_program_count {
    COUNT_VECTOR,
    COUNT_SCALAR,
    COUNT_SHARED, // LDS
    COUNT_VECTOR_MEMORY,
    COUNT_SCALAR_MEMORY,
    COUNT_BRANCH,
    COUNT_SCRATCH,       // of COUNT_VECTOR_MEMORY, those of private memory
    COUNT_MATRIX_PASSES, // of COUNT_VECTOR, the turns that a product of matrices takes beyond its first
    PROGRAM_COUNTS
};

// Instructions that the same lanes of a wave execute, one after another.
struct sim_program_segment {
    uint32_t site; // of the first
    uint32_t counts[PROGRAM_COUNTS];
};

// Code of a GPU to translate, and for which GPU.
struct sim_code {
    const char *file_name, *text, *entry; // entry NULL: the file's only one
    const char *source_name;              // of the file that it was compiled from; NULL: unknown
    const char *arch;                     // of the GPU: "gfx90a"
    uint32_t lanes;                       // of its warps
    uint32_t dynamic_bytes;               // shared memory that a launch may give to a block
};

struct sim_program {
    char *c;             // its translation
    char *file_name;     // of the instructions
    char *source_name;   // of the file that they were compiled from, under the user's name; NULL: unknown
    bool by_source;      // whether lines are those of the source, if the instructions name them
    bool by_wave;        // a coroutine runs a whole warp
    uint32_t cluster[3]; // blocks of a cluster along each axis; 0: it has no clusters
    const char *entry;
    struct sim_program_site *sites;
    uint32_t site_count;
    char note[256]; // which instruction is not computed; empty: none
    struct sim_program_parameter *parameters;
    size_t parameter_count;
    char *parameter_names; // those of the source, if they are known
    struct sim_variable *shared;
    size_t shared_count;
    struct sim_program_segment *segments; // of a program by wave
    uint32_t segment_count;
    uint32_t thread_registers; // vector registers, of a program by wave
    // Sets the source line of a place, if it is known. *file lives as long as the program.
    void (*find_source)(const struct sim_program *program, uint32_t place, const char **file, uint32_t *line);
    void (*destroy)(struct sim_program *program); // what only one kind of program has, and the program
};

// Names the files of a new program, whose callbacks are set.
void sim_program_begin(struct sim_program *program, const struct sim_code *request);

// Gives *made the program if it could be made, and destroys it otherwise. Returns the status.
enum status sim_program_end(struct sim_program *program, enum status status, struct sim_program **made);
void sim_program_destroy(struct sim_program *program);

// Sets *chosen to the place of the kernel that `entry` means, of those of a file, whose names as compilers write them
// are given; NULL means its only one. STATUS_USAGE if not exactly one fits; `missing` says what a file without kernels
// lacks. The error begins with the file's name unless it is NULL.
enum status sim_entry_choose(const char *file_name, const char *entry, const char *const *names, size_t count,
                             const char *missing, size_t *chosen, struct error *error);

// A new site, valid until the next one is added.
struct sim_program_site *sim_program_add_site(struct sim_program *program, uint32_t line, uint32_t place);

// Whether the path ends in the name that the user gave to the source.
bool sim_program_is_source(const struct sim_program *program, const char *path);

// The source line of a site, or its line in the instructions. *file lives as long as the program.
void sim_program_line(const struct sim_program *program, uint32_t site, const char **file, uint32_t *line);

// The tables that sim/compile/module.c reads, in C. Before them stand the arrays `sites`, `sim_shared` and
// `sim_parameters`, STATIC_SHARED_BYTES and SHARED_BYTES.
extern const char sim_program_tables[];

#endif
