// A compiled kernel file in memory and its debug information: entries, parameters, shared variables, and the source
// line of each instruction.
#ifndef SIM_COMPILE_MODULE_H
#define SIM_COMPILE_MODULE_H

#include "sim/compile/call.h"
#include "sim/compile/compile.h"
#include "util/error.h"

struct sim_range {
    uintptr_t begin, end;
};

struct sim_program;

struct sim_module {
    struct sim_library library;
    Dwarf *dwarf;
    Dwarf_Die unit;
    uintptr_t base;           // what the loader added to the file's addresses
    struct sim_range text;    // its instructions
    struct sim_range image;   // the whole library, with its file-scope data
    struct sim_range shared;  // the __shared__ variables
    struct sim_range dynamic; // dynamic shared memory, as much as a block may have
    struct sim_range weights; // a table of struct sim_weight
    bool runs_ahead;          // lanes may pass branches and barriers (ahead.h)
    // Of a GPU's instructions, in place of debug information, and the block of its parameters; NULL: the file is C. Set
    // before the module is opened.
    struct sim_program *program;
    unsigned char *parameters;
    uint64_t *const *runs; // of a program by wave: of each segment, how often it ran, and with how many lanes in all
};

// Reads a module whose library is loaded. Close it after a failure, too.
enum status sim_module_open(struct sim_module *module, struct error *error);
void sim_module_close(struct sim_module *module);

// Finds the user's source line of an instruction: for a function of the dialect that was inlined, the line that calls
// it. *file lives as long as the module; NULL and line 0 if the line is not known.
void sim_module_source_line(const struct sim_module *module, uintptr_t pc, const char **file, uint32_t *line);

// "file.cu:12"; returns text.
char *sim_module_source_text(const struct sim_module *module, uintptr_t pc, char *text, size_t size);

struct sim_entry {
    char name[128];
    void (*function)(void);
    struct sim_parameters parameters; // of C
    uint32_t shared_bytes;            // static
    uint32_t thread_registers;        // of AMD's instructions; else 0
    uint8_t *shared_valid; // for each byte of module->shared: whether it belongs to a variable that the kernel may use
};

// A variable in shared memory; offset from the module's shared.begin.
struct sim_variable {
    const char *name;
    size_t offset, bytes;
};

// Finds the kernel's shared variable nearest to an offset; false if it has none.
bool sim_module_nearest_shared(const struct sim_module *module, const struct sim_entry *entry, size_t offset,
                               struct sim_variable *nearest);

// Finds the kernel of this name, or the file's only kernel if name is NULL; otherwise the error lists the file's
// kernels. The caller frees shared_valid.
enum status sim_module_entry(const struct sim_module *module, const char *name, struct sim_entry *entry,
                             struct error *error);

#endif
