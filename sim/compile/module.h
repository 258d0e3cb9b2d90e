// The parameters of a kernel that is C, from debug information, and its call, by libffi.
#ifndef SIM_COMPILE_MODULE_H
#define SIM_COMPILE_MODULE_H

#include <elfutils/libdw.h>
#include <ffi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/launch.h"
#include "sim/compile/compile.h"
#include "sim/program.h"
#include "util/error.h"

// ---- Parameters. A struct is the fields that it has, at any depth. ----

enum sim_parameter_kind {
    SIM_PARAMETER_POINTER,
    SIM_PARAMETER_INTEGER,
    SIM_PARAMETER_FLOAT,
    SIM_PARAMETER_STRUCT,
    SIM_PARAMETER_OTHER // a type that no argument can have: a union, a bit field
};

// A pointer or a number that one argument sets.
struct sim_field {
    enum sim_parameter_kind kind;
    uint32_t offset, bytes; // in the parameter
    bool is_signed;
};

struct sim_parameter {
    const char *name;
    enum sim_parameter_kind kind;
    uint32_t bytes, alignment;
    size_t field, field_count; // of the list's fields; a number has one
};

enum {
    SIM_PARAMETERS = 64,
    SIM_FIELDS = 512
};

struct sim_parameters {
    struct sim_parameter list[SIM_PARAMETERS];
    size_t count;
    struct sim_field fields[SIM_FIELDS];
    size_t field_count; // as many as the kernel takes arguments
};

// The parameter that takes argument i; NULL if there is none.
const struct sim_parameter *sim_parameter_of_argument(const struct sim_parameters *parameters, size_t i);

// ---- The call ----

enum {
    SIM_CALL_BYTES = 32768,  // of all parameters
    SIM_CALL_ALIGNMENT = 64, // of each
    SIM_CALL_WORDS = 12      // of a call without libffi
};

struct sim_call {
    ffi_cif interface;
    ffi_type *types[SIM_PARAMETERS];
    ffi_type structs[SIM_PARAMETERS];
    ffi_type *elements[SIM_FIELDS + SIM_PARAMETERS]; // of the structs, each list with NULL at its end
};

// The parameters' values, and pointers to them.
struct sim_call_values {
    _Alignas(SIM_CALL_ALIGNMENT) unsigned char bytes[SIM_CALL_BYTES];
    void *values[SIM_PARAMETERS];
    bool are_words; // pointers and integers alone, at most SIM_CALL_WORDS
    uint64_t words[SIM_CALL_WORDS];
};

// STATUS_FAILED if a parameter cannot be passed. The struct must stay where it is.
enum status sim_call_prepare(struct sim_call *call, const struct sim_parameters *parameters, const char *kernel,
                             struct error *error);

// STATUS_FAILED if the launch's arguments are not one for each field, of its type.
enum status sim_call_check(const struct sim_parameters *parameters, const char *kernel, const struct launch *launch,
                           struct error *error);

uint32_t sim_argument_bytes(enum argument_type type);

// Sets the values. The arguments must have passed sim_call_check.
void sim_call_fill(const struct sim_parameters *parameters, const struct launch *launch,
                   struct sim_call_values *values);

// A compiled kernel file in memory and its debug information: entries, parameters, shared variables, and the source
// line of each instruction.

struct sim_range {
    uintptr_t begin, end;
};

struct sim_module {
    struct sim_library library;
    Dwarf *dwarf;
    Dwarf_Die unit;
    uintptr_t base;           // what the loader added to the file's addresses
    struct sim_range text;    // its instructions
    struct sim_range image;   // the whole library, with its file-scope data
    struct sim_range shared;  // the __shared__ variables
    struct sim_range dynamic; // dynamic shared memory, as much as a block may have
    struct sim_range weights; // of C: a table of struct sim_weight
    bool runs_ahead;          // lanes may pass branches and barriers (text.c)
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
    struct sim_variable *shared;      // those that the kernel may use
    size_t shared_count;
    uint8_t *shared_valid; // for each byte of module->shared: whether it belongs to one of them
};

// The kernel's shared variable nearest to an offset; NULL if it has none.
const struct sim_variable *sim_module_nearest_shared(const struct sim_entry *entry, size_t offset);

// Finds the kernel of this name, or the file's only kernel if name is NULL; otherwise the error lists the file's
// kernels. The caller frees shared and shared_valid.
enum status sim_module_entry(const struct sim_module *module, const char *name, struct sim_entry *entry,
                             struct error *error);

#endif
