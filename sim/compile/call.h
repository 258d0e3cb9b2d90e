// The call of a kernel that is C or C++, by libffi.
#ifndef SIM_COMPILE_CALL_H
#define SIM_COMPILE_CALL_H

#include <ffi.h>

#include "device/launch.h"
#include "sim/compile/parameters.h"
#include "util/error.h"

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
