// A compiled kernel file in memory and its debug information: entries, parameters, shared variables, and the source
// line of each instruction.
#ifndef DEVICE_SIM_COMPILE_MODULE_H
#define DEVICE_SIM_COMPILE_MODULE_H

#include "device/sim/compile/parameters.h"
#include "util/error.h"

struct sim_range {
    uintptr_t begin, end;
};

struct ptx_program;

// Owns the handle and the descriptor that sim_compile returned.
struct sim_module {
    void *handle;
    int debug;
    Dwarf *dwarf;
    Dwarf_Die unit;
    uintptr_t base;             // what the loader added to the file's addresses
    struct sim_range text;      // its instructions
    struct sim_range image;     // the whole library, with its file-scope data
    struct sim_range shared;    // the __shared__ variables
    struct sim_range dynamic;   // dynamic shared memory, as much as a block may have
    struct sim_range constants; // variables in constant memory, of C++
    struct sim_range weights;   // a table of struct sim_weight
    void (*const *entry)(void); // of C++: the only kernel; NULL in C
    bool runs_ahead;            // lanes may pass branches and barriers (ahead.h)
    // Of PTX, in place of debug information, and the block of its parameters; NULL: the file is C.
    struct ptx_program *program;
    unsigned char *parameters;
};

enum status sim_module_open(void *handle, int debug, struct sim_module *module, struct error *error);
void sim_module_close(struct sim_module *module);

// Finds the shared variables of C++ again, which are elsewhere in each thread.
void sim_module_enter_thread(struct sim_module *module);

// Finds the user's source line of an instruction: for a function of the dialect that was inlined, the line that calls
// it. *file lives as long as the module; NULL and line 0 if the line is not known.
void sim_module_source_line(const struct sim_module *module, uintptr_t pc, const char **file, uint32_t *line);

// "file.cu:12"; returns text.
char *sim_module_source_text(const struct sim_module *module, uintptr_t pc, char *text, size_t size);

struct sim_entry {
    char name[128];
    void (*function)(void);
    struct sim_parameters parameters; // of C and C++
    uint32_t shared_bytes;            // static
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
