// The parameters of a kernel, from debug information. A struct is the fields that it has, at any depth.
#ifndef SIM_COMPILE_PARAMETERS_H
#define SIM_COMPILE_PARAMETERS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
