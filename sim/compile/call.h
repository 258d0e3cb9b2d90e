// The parameters of a kernel that is C or C++, from debug information, and its call, by libffi.
#ifndef SIM_COMPILE_CALL_H
#define SIM_COMPILE_CALL_H

#include <elfutils/libdw.h>
#include <ffi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/launch.h"
#include "util/error.h"

// ---- Parameters. A struct is the fields that it has, at any depth. ----

enum sim_parameter_kind {
    SIM_PARAMETER_POINTER,
    SIM_PARAMETER_INTEGER,
    SIM_PARAMETER_FLOAT,
    SIM_PARAMETER_STRUCT,
    SIM_PARAMETER_OTHER // a type that no argument can have: a union, a bit field, a reference
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
    bool by_reference;         // a class with a copy constructor: its address is passed, and each call has a copy
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

// False if there are more than the lists hold.
bool sim_parameters_read(Dwarf_Die *function, struct sim_parameters *parameters);

// The parameter that takes argument i; NULL if there is none.
const struct sim_parameter *sim_parameter_of_argument(const struct sim_parameters *parameters, size_t i);

// ---- The call ----

enum {
    SIM_CALL_BYTES = 32768,  // of all parameters
    SIM_CALL_ALIGNMENT = 64, // of each
    SIM_CALL_COPIED = 4096,  // bytes of those that are passed by their address
    SIM_CALL_WORDS = 12      // of a call without libffi
};

struct sim_call {
    ffi_cif interface;
    ffi_type *types[SIM_PARAMETERS];
    ffi_type structs[SIM_PARAMETERS];
    ffi_type *elements[SIM_FIELDS + SIM_PARAMETERS]; // of the structs, each list with NULL at its end
};

// A value that is passed by its address.
struct sim_call_reference {
    size_t value; // its place among the values
    const unsigned char *from;
    size_t bytes;
};

// The parameters' values, and pointers to them.
struct sim_call_values {
    _Alignas(SIM_CALL_ALIGNMENT) unsigned char bytes[SIM_CALL_BYTES];
    void *values[SIM_PARAMETERS];
    struct sim_call_reference references[SIM_PARAMETERS];
    size_t reference_count;
    bool are_words; // pointers and integers alone, at most SIM_CALL_WORDS
    uint64_t words[SIM_CALL_WORDS];
};

// STATUS_FAILED if a parameter cannot be passed. The struct must stay where it is.
enum status sim_call_prepare(struct sim_call *call, const struct sim_parameters *parameters, const char *kernel,
                             struct error *error);

// STATUS_FAILED if the launch's arguments are not one for each field, of its type.
enum status sim_call_check(const struct sim_parameters *parameters, const char *kernel, const struct launch *launch,
                           struct error *error);

// Sets the values. The arguments must have passed sim_call_check.
void sim_call_fill(const struct sim_parameters *parameters, const struct launch *launch,
                   struct sim_call_values *values);

#endif
