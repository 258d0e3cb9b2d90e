// The arguments that --arg gives to kernels: numbers and buffers.
#ifndef TOOLS_LANES_INPUT_VALUES_H
#define TOOLS_LANES_INPUT_VALUES_H

#include "device/device.h"
#include "device/launch.h"
#include "tools/lanes/input/npy.h"
#include "util/error.h"

// ---- Contents ----

// What a buffer holds before the first kernel runs.

enum content_kind {
    CONTENT_RANDOM,      // from `first` to below `second`
    CONTENT_RANGE,       // first, first + second, first + 2 * second ...
    CONTENT_PERMUTATION, // of 0 ... count - 1
};

struct content {
    enum content_kind kind;
    bool given; // first and second; otherwise 0 and the count, or 0 and 1 for real numbers
    struct number first, second;
};

// Parses random[=LOW,HIGH], range=START,STEP, permutation, zero, index or value=X; false if it is none of these.
bool content_parse(struct content *content, const struct element_type *type, const char *text);

// Writes the elements and leaves what lies between them. The same seed yields the same content everywhere.
enum status content_write(const struct content *content, const struct element_type *type, const struct shape *shape,
                          uint64_t seed, void *buffer, struct error *error);

// ---- Tensor maps ----

// A tensor map over a buffer, for kernels that copy tiles by cp.async.bulk.tensor.

enum {
    TENSOR_MAP_ARGUMENTS = 16 // 8 bytes each
};

// What is copied at once, and the span in bytes of the swizzle in shared memory; rank 0: no map.
struct tensor_box {
    size_t rank;
    uint64_t size[RANK_MAX]; // the last one is of the innermost dimension
    uint32_t swizzle;
};

// Parses SIZES[@SWIZZLE] up to the colon, as in 64x64@128, and moves *text after it; false if it is none of these.
bool tensor_box_parse(struct tensor_box *box, const char **text);

// The map as a kernel takes it by value. STATUS_USAGE if CUDA has no such map; `text` is the --arg.
enum status tensor_map_make(struct argument arguments[TENSOR_MAP_ARGUMENTS], const struct tensor_box *box,
                            const struct element_type *type, const struct shape *shape, uint64_t address,
                            const char *text, struct error *error);

// ---- Values ----

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
