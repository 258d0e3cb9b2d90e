#include "lanes/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/host.h"
#include "device/cpu/memory.h"
#include "util/random.h"
#include "util/sweep.h"

enum content {
    CONTENT_RANDOM,
    CONTENT_ZERO,
    CONTENT_INDEX
};

static const char *const content_names[] = {"random", "zero", "index"};

// Writes element i of a buffer of `count` elements.
typedef void write_element(void *buffer, size_t i, size_t count, enum content content);

static uint64_t content_integer(size_t i, size_t count, enum content content) {
    return content == CONTENT_ZERO ? 0 : content == CONTENT_INDEX ? i : mix64(i) % count;
}

static double content_real(size_t i, enum content content) {
    return content == CONTENT_ZERO ? 0 : content == CONTENT_INDEX ? (double)i : (double)(mix64(i) >> 11) * 0x1p-53;
}

#define DEFINE_INTEGER_WRITER(name, type)                                                                              \
    static void write_##name(void *buffer, size_t i, size_t count, enum content content) {                             \
        ((type *)buffer)[i] = (type)content_integer(i, count, content);                                                \
    }
#define DEFINE_REAL_WRITER(name, type)                                                                                 \
    static void write_##name(void *buffer, size_t i, size_t count, enum content content) {                             \
        (void)count;                                                                                                   \
        ((type *)buffer)[i] = (type)content_real(i, content);                                                          \
    }
DEFINE_INTEGER_WRITER(uchar, uint8_t)
DEFINE_INTEGER_WRITER(int, int32_t)
DEFINE_INTEGER_WRITER(uint, uint32_t)
DEFINE_INTEGER_WRITER(long, int64_t)
DEFINE_INTEGER_WRITER(ulong, uint64_t)
DEFINE_REAL_WRITER(float, float)
DEFINE_REAL_WRITER(double, double)

static const struct type {
    const char *name;
    size_t bytes;
    enum argument_type argument; // of a number; a byte is passed in 32 bits
    write_element *write;
} types[] = {
    {"uchar", 1, ARGUMENT_U32, write_uchar},   {"int", 4, ARGUMENT_I32, write_int},
    {"uint", 4, ARGUMENT_U32, write_uint},     {"long", 8, ARGUMENT_I64, write_long},
    {"ulong", 8, ARGUMENT_U64, write_ulong},   {"float", 4, ARGUMENT_F32, write_float},
    {"double", 8, ARGUMENT_F64, write_double},
};

// Parses "TYPE:" and moves *text after the colon; NULL if *text does not begin with a type.
static const struct type *parse_type(const char **text) {
    size_t length = strcspn(*text, ":");
    for (size_t i = 0; (*text)[length] && i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) == length && strncmp(types[i].name, *text, length) == 0) {
            *text += length + 1;
            return &types[i];
        }
    }
    return NULL;
}

static enum status not_understood(const char *text, struct error *error) {
    return error_set(error, STATUS_USAGE,
                     "--arg %.100s: not understood: give TYPE:VALUE or buffer:TYPE:COUNT[:random|zero|index], TYPE one "
                     "of uchar, int, uint, long, ulong, float, double",
                     text);
}

// Sets the argument; false if its type cannot hold the integer.
static bool set_integer(struct argument *argument, int64_t integer) {
    switch (argument->type) {
    case ARGUMENT_I32:
        argument->value.i32 = (int32_t)integer;
        return argument->value.i32 == integer;
    case ARGUMENT_U32:
        argument->value.u32 = (uint32_t)integer;
        return argument->value.u32 == integer;
    default:
        argument->value.i64 = integer;
        return true;
    }
}

static bool set_number(struct argument *argument, const struct type *type, const char *text) {
    char *end;
    bool fits = true;
    errno = 0;
    argument->type = type->argument;
    switch (type->argument) {
    case ARGUMENT_F32:
        argument->value.f32 = (float)strtod(text, &end);
        break;
    case ARGUMENT_F64:
        argument->value.f64 = strtod(text, &end);
        break;
    case ARGUMENT_U64:
        argument->value.u64 = strtoull(text, &end, 0);
        fits = !strchr(text, '-'); // strtoull accepts -1 as the largest number
        break;
    default:
        fits = set_integer(argument, strtoll(text, &end, 0));
        break;
    }
    return fits && *text && !*end && !errno;
}

static bool parse_content(const char *text, enum content *content) {
    for (size_t i = 0; i < sizeof content_names / sizeof *content_names; i++) {
        if (strcmp(text, content_names[i]) == 0) {
            *content = (enum content)i;
            return true;
        }
    }
    return false;
}

static enum status upload(struct device *device, const struct type *type, size_t count, enum content content,
                          uint64_t *address, struct error *error) {
    // One copy on the host and one on the simulated device.
    enum status status =
        cpu_memory_check("--arg", 2.0 * (double)(count * type->bytes), "make the buffers smaller", error);
    if (status != STATUS_OK) {
        return status;
    }
    void *buffer = calloc(count, type->bytes);
    if (!buffer) {
        return error_set(error, STATUS_FAILED, "out of memory: make the buffers smaller");
    }
    for (size_t i = 0; i < count; i++) {
        type->write(buffer, i, count, content);
    }
    status = device_allocate(device, count * type->bytes, address, error);
    if (status == STATUS_OK) {
        status = device_copy_to_device(device, *address, buffer, count * type->bytes, error);
    }
    free(buffer);
    return status;
}

// TYPE:COUNT[:CONTENT]
static enum status set_buffer(struct argument *argument, struct device *device, const char *text, const char *at,
                              struct error *error) {
    const struct type *type = parse_type(&at);
    enum content content = CONTENT_RANDOM;
    char number[32] = "";
    size_t length = strcspn(at, ":");
    if (!type || length >= sizeof number || (at[length] && !parse_content(at + length + 1, &content))) {
        return not_understood(text, error);
    }
    memcpy(number, at, length);
    uint64_t count;
    enum status status = parse_count(&count, "--arg buffer's COUNT", number, 1, UINT64_C(1) << 27, error);
    if (status != STATUS_OK) {
        return status;
    }
    argument->type = ARGUMENT_POINTER;
    return upload(device, type, count, content, &argument->value.pointer, error);
}

static enum status set_value(struct argument *argument, struct device *device, const char *text, struct error *error) {
    static const char buffer[] = "buffer:";
    if (strncmp(text, buffer, strlen(buffer)) == 0) {
        return set_buffer(argument, device, text, text + strlen(buffer), error);
    }
    const char *at = text;
    const struct type *type = parse_type(&at);
    return type && set_number(argument, type, at) ? STATUS_OK : not_understood(text, error);
}

enum status values_make(struct values *values, struct device *device, const char *const *texts, size_t count,
                        struct error *error) {
    if (count > VALUES_MAX) {
        return error_set(error, STATUS_USAGE, "--arg: more than %d: a kernel takes fewer", VALUES_MAX);
    }
    enum status status = STATUS_OK;
    for (values->count = 0; values->count < count && status == STATUS_OK; values->count++) {
        status = set_value(&values->arguments[values->count], device, texts[values->count], error);
    }
    return status;
}
