// The arguments that --arg gives to kernels: numbers and buffers.
#ifndef TOOLS_LANES_INPUT_VALUES_H
#define TOOLS_LANES_INPUT_VALUES_H

#include "device/device.h"
#include "tools/lanes/input/element.h"
#include "tools/lanes/input/shape.h"
#include "tools/lanes/input/tensor.h"

enum {
    VALUES_MAX = 128, // of all kernels of a run
    ARGUMENTS_MAX = 1024,
    VALUE_NAME = 64
};

// A number or a buffer that a --arg gives.
struct value {
    char name[VALUE_NAME]; // empty: none
    struct argument argument;
    const struct element_type *type;
    struct shape shape;    // of a buffer
    struct tensor_box box; // of a buffer that is passed as a tensor map
    uint64_t zeros;        // bytes of a struct's padding, passed by 8 and then one by one
};

// All values of a run, in the order of their --arg.
struct value_list {
    size_t count;
    struct value values[VALUES_MAX];
};

// One kernel's arguments.
struct values {
    size_t count;
    struct argument arguments[ARGUMENTS_MAX]; // a buffer is its address
};

// Each text is [NAME=]TYPE:NUMBER, zeros:BYTES, [NAME=]buffer:TYPE:SHAPE[:CONTENT], [NAME=]file:FILE.npy,
// [NAME=]file:TYPE:FILE, one of the last three after map:BOX:, or the name of a value of this kernel or of one before.
// Adds new values to the list. Buffers are allocated on the device and live until it is closed.
enum status values_make(struct values *values, struct value_list *list, struct device *device, uint64_t seed,
                        const char *const *texts, size_t count, struct error *error);

// NULL if no value has this name.
const struct value *value_named(const struct value_list *list, const char *name, size_t length);

// The value that is passed as this argument; NULL if there is none.
const struct value *value_passed(const struct value_list *list, const struct argument *argument);

#endif
