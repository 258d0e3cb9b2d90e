// A compiled kernel file in memory, and what its debug information says: entries, their parameters and shared memory,
// and the source line of each instruction.
#ifndef DEVICE_SIM_COMPILE_MODULE_H
#define DEVICE_SIM_COMPILE_MODULE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct sim_range {
    uintptr_t begin, end;
};

// Owns what sim_compile returned.
struct sim_module {
    void *handle;
    int debug;
    Dwarf *dwarf;
    Dwarf_Die unit;
    uintptr_t base;           // what the loader added to the file's addresses
    struct sim_range text;    // its instructions
    struct sim_range image;   // all of it: its file-scope data lies here
    struct sim_range shared;  // where __shared__ variables lie
    struct sim_range dynamic; // where the launch's dynamic shared memory lies, the most a block may have
    struct sim_range weights; // a table of struct sim_weight
};

enum status sim_module_open(void *handle, int debug, struct sim_module *module, struct error *error);
void sim_module_close(struct sim_module *module);

// The user's line that an instruction stands for: of an inlined function of the dialect, the line that calls it.
// *file is valid as long as the module; NULL and line 0 if it is not known.
void sim_module_place(const struct sim_module *module, uintptr_t pc, const char **file, uint32_t *line);

// "file.cu:12"; returns text.
char *sim_module_place_text(const struct sim_module *module, uintptr_t pc, char *text, size_t size);

enum sim_parameter_kind {
    SIM_PARAMETER_POINTER,
    SIM_PARAMETER_INTEGER,
    SIM_PARAMETER_FLOAT,
    SIM_PARAMETER_OTHER // a struct, or a type that no argument has
};

struct sim_parameter {
    const char *name;
    enum sim_parameter_kind kind;
    uint32_t bytes;
};

enum {
    SIM_PARAMETERS = 64
};

struct sim_entry {
    char name[128];
    void (*function)(void);
    struct sim_parameter parameters[SIM_PARAMETERS];
    size_t parameter_count;
    uint32_t shared_bytes; // static
    uint8_t *shared_valid; // one for each byte of module->shared: whether it belongs to a variable that it may use
};

// A variable in shared memory; offset from the module's shared.begin.
struct sim_variable {
    const char *name;
    size_t offset, bytes;
};

// The variable of the kernel's that lies nearest to an offset; false if it has none.
bool sim_module_nearest_shared(const struct sim_module *module, const struct sim_entry *entry, size_t offset,
                               struct sim_variable *nearest);

// The kernel of this name; name NULL: the file's only kernel. Else the error lists those that there are.
// shared_valid is to be freed.
enum status sim_module_entry(const struct sim_module *module, const char *name, struct sim_entry *entry,
                             struct error *error);

#endif
