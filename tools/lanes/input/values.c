#include "tools/lanes/input/values.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "device/cpu/host.h"
#include "tools/lanes/input/npy.h"
#include "util/options.h"
#include "util/random.h"

// ---- Contents ----

enum {
    NUMBER_TEXT = 64
};

// Parses "FIRST,SECOND", or one number for both.
static bool parse_two(struct content *content, const struct element_type *type, const char *text, bool one) {
    char first[NUMBER_TEXT] = "";
    const size_t length = strcspn(text, ",");
    if (length >= sizeof first || (text[length] == ',') == one) {
        return false;
    }
    memcpy(first, text, length);
    content->given = true;
    return number_parse(&content->first, type, first) &&
           (one || number_parse(&content->second, type, text + length + 1));
}

static bool is_empty_range(const struct content *content, const struct element_type *type) {
    const uint64_t low = content->first.integer, high = content->second.integer;
    return type->kind == ELEMENT_SIGNED     ? (int64_t)high <= (int64_t)low
           : type->kind == ELEMENT_UNSIGNED ? high <= low
                                            : !(content->second.real > content->first.real);
}

bool content_parse(struct content *content, const struct element_type *type, const char *text) {
    const bool permutes = strcmp(text, "permutation") == 0, is_random = strncmp(text, "random", 6) == 0;
    text = strcmp(text, "zero") == 0 ? "value=0" : strcmp(text, "index") == 0 ? "range=0,1" : text;
    *content = (struct content){.kind = permutes ? CONTENT_PERMUTATION : is_random ? CONTENT_RANDOM : CONTENT_RANGE};
    if (permutes || strcmp(text, "random") == 0) {
        return true;
    }
    if (strncmp(text, "random=", 7) == 0) {
        return parse_two(content, type, text + 7, false) && !is_empty_range(content, type);
    }
    return strncmp(text, "range=", 6) == 0   ? parse_two(content, type, text + 6, false)
           : strncmp(text, "value=", 6) == 0 ? parse_two(content, type, text + 6, true)
                                             : false;
}

static struct number random_number(const struct content *content, const struct element_type *type, uint64_t bits,
                                   uint64_t count) {
    const double unit = (double)(bits >> 11) * 0x1p-53;
    if (!content->given) {
        return (struct number){bits % count, unit};
    }
    const struct number *low = &content->first, *high = &content->second;
    return (struct number){low->integer + (element_is_integer(type) ? bits % (high->integer - low->integer) : 0),
                           low->real + unit * (high->real - low->real)};
}

// Fisher and Yates' shuffle; NULL if memory runs out.
static uint64_t *permutation(uint64_t count, uint64_t seed) {
    uint64_t *numbers = malloc(count * sizeof *numbers);
    for (uint64_t i = 0; numbers && i < count; i++) {
        const uint64_t other = mix64(seed ^ mix64(i)) % (i + 1);
        numbers[i] = numbers[other];
        numbers[other] = i;
    }
    return numbers;
}

enum status content_write(const struct content *content, const struct element_type *type, const struct shape *shape,
                          uint64_t seed, void *buffer, struct error *error) {
    const uint64_t count = shape_elements(shape);
    const bool permutes = content->kind == CONTENT_PERMUTATION;
    uint64_t *permuted = permutes ? permutation(count, seed) : NULL;
    if (permutes && !permuted) {
        return error_set(error, STATUS_FAILED, "out of memory: make the buffers smaller");
    }
    for (uint64_t i = 0; i < count; i++) {
        const struct number step = {content->first.integer + i * content->second.integer,
                                    content->first.real + (double)i * content->second.real};
        const struct number number = permutes ? (struct number){permuted[i], (double)permuted[i]}
                                     : content->kind == CONTENT_RANDOM
                                         ? random_number(content, type, mix64(seed ^ mix64(i)), count)
                                         : step;
        element_store(type, (char *)buffer + shape_place(shape, i) * type->bytes, &number);
    }
    free(permuted);
    return STATUS_OK;
}

// ---- Tensor maps ----

enum {
    LARGEST_BOX = 256, // in each dimension
    UNIT = 16          // bytes; distances and a box's rows are multiples of it
};

bool tensor_box_parse(struct tensor_box *box, const char **text) {
    char word[128] = "";
    const size_t length = strcspn(*text, ":");
    if (!(*text)[length] || length >= sizeof word) {
        return false;
    }
    memcpy(word, *text, length);
    *text += length + 1;
    struct shape sizes;
    uint64_t swizzle = 0;
    char *at = strchr(word, '@');
    if (at) {
        *at = '\0';
        if (parse_count(&swizzle, "--arg", at + 1, 0, 128, NULL) != STATUS_OK) {
            return false;
        }
    }
    if (!shape_parse(&sizes, word)) {
        return false;
    }
    *box = (struct tensor_box){.rank = sizes.rank, .swizzle = (uint32_t)swizzle};
    memcpy(box->size, sizes.size, sizeof box->size);
    return true;
}

// NULL, or why CUDA has no such map.
static const char *fault_of(const struct tensor_box *box, const struct element_type *type, const struct shape *shape) {
    const uint64_t row = box->size[box->rank - 1] * type->bytes;
    if (box->rank != shape->rank || box->rank > TENSOR_DIMENSIONS) {
        return "the box has other dimensions than the buffer: give a size for each of up to 5";
    }
    for (size_t i = 0; i < box->rank; i++) {
        const bool innermost = i + 1 == box->rank;
        if (box->size[i] > LARGEST_BOX) {
            return "the box is too large: give up to 256 elements in each dimension";
        }
        if (shape->size[i] > UINT32_MAX) {
            return "the buffer is too large: give fewer than 2^32 elements in each dimension";
        }
        if (innermost ? shape->stride[i] != 1 : shape->stride[i] * type->bytes % UNIT != 0) {
            return "the buffer's rows are not dense, or not multiples of 16 bytes apart: give other strides";
        }
    }
    if (row % UNIT != 0 || (box->swizzle && row > box->swizzle)) {
        return "a row of the box must be a multiple of 16 bytes, and no longer than the swizzle: give another size";
    }
    return box->swizzle == 0 || box->swizzle == 32 || box->swizzle == 64 || box->swizzle == 128
               ? NULL
               : "no such swizzle: give 32, 64 or 128 bytes, or none";
}

enum status tensor_map_make(struct argument arguments[TENSOR_MAP_ARGUMENTS], const struct tensor_box *box,
                            const struct element_type *type, const struct shape *shape, uint64_t address,
                            const char *text, struct error *error) {
    const char *fault = fault_of(box, type, shape);
    if (fault) {
        return error_set(error, STATUS_USAGE, "--arg %.100s: %s", text, fault);
    }
    struct tensor_map map = {.mark = tensor_map_mark,
                             .address = address,
                             .dimensions = (uint8_t)box->rank,
                             .element_bytes = (uint8_t)type->bytes,
                             .type = (uint8_t)type->tensor,
                             .swizzle = (uint8_t)box->swizzle};
    for (size_t d = 0; d < box->rank; d++) {
        const size_t i = box->rank - 1 - d;
        map.sizes[d] = (uint32_t)shape->size[i];
        map.box[d] = (uint32_t)box->size[i];
        if (d > 0) {
            map.strides[d - 1] = shape->stride[i] * type->bytes;
        }
    }
    for (size_t i = 0; i < TENSOR_MAP_ARGUMENTS; i++) {
        uint64_t word;
        memcpy(&word, (const char *)&map + i * sizeof word, sizeof word);
        arguments[i] = argument_pointer(word); // so that the second one is found as the buffer's
    }
    return STATUS_OK;
}

// What an --arg says, while it is parsed and carried out.
struct reading {
    const char *text; // the whole --arg
    struct device *device;
    uint64_t seed;
    struct value *value;
};

static enum status not_understood(const struct reading *reading, struct error *error) {
    return error_set(
        error, STATUS_USAGE,
        "--arg %.100s: not understood: give TYPE:NUMBER, zeros:BYTES, buffer:TYPE:SHAPE[:CONTENT], "
        "file:FILE.npy or file:TYPE:FILE, TYPE one of bool, char, uchar, short, ushort, int, uint, long, ulong, half, "
        "bfloat16, float, double",
        reading->text);
}

// Parses "TYPE:" and moves *text after the colon; NULL if *text does not begin with a type.
static const struct element_type *parse_type(const char **text) {
    const size_t length = strcspn(*text, ":");
    const struct element_type *type = (*text)[length] ? element_type_named(*text, length) : NULL;
    *text += type ? length + 1 : 0;
    return type;
}

static enum status set_number(struct reading *reading, const char *text, struct error *error) {
    const struct element_type *type = parse_type(&text);
    struct number number;
    if (!type || !number_parse(&number, type, text)) {
        return not_understood(reading, error);
    }
    reading->value->type = type;
    reading->value->argument = (struct argument){.type = type->argument};
    element_store(type, &reading->value->argument.value, &number);
    return STATUS_OK;
}

// ---- Buffers ----

// One copy on the host and one on the simulated device.
static enum status check_memory(uint64_t bytes, struct error *error) {
    return cpu_memory_check("--arg", 2.0 * (double)bytes, "make the buffers smaller", error);
}

static enum status upload(struct reading *reading, const void *bytes, size_t count, struct error *error) {
    uint64_t *address = &reading->value->argument.value.pointer;
    reading->value->argument.type = ARGUMENT_POINTER;
    TRY(device_allocate(reading->device, count, address, error));
    return device_copy_to_device(reading->device, *address, bytes, count, error);
}

static enum status make_buffer(struct reading *reading, const struct content *content, struct error *error) {
    struct value *value = reading->value;
    const uint64_t bytes = shape_extent(&value->shape) * value->type->bytes;
    TRY(check_memory(bytes, error));
    unsigned char *buffer = malloc(bytes);
    if (!buffer) {
        return error_set(error, STATUS_FAILED, "out of memory: make the buffers smaller");
    }
    memset(buffer, 0xA5, bytes); // what lies between the elements is poisoned
    enum status status = content_write(content, value->type, &value->shape, reading->seed, buffer, error);
    THEN(status, upload(reading, buffer, bytes, error));
    free(buffer);
    return status;
}

// TYPE:SHAPE[:CONTENT]
static enum status set_buffer(struct reading *reading, const char *text, struct error *error) {
    struct value *value = reading->value;
    struct content content = {.kind = CONTENT_RANDOM};
    char shape[128] = "";
    value->type = parse_type(&text);
    const size_t length = strcspn(text, ":");
    if (!value->type || length >= sizeof shape) {
        return not_understood(reading, error);
    }
    memcpy(shape, text, length);
    if (!shape_parse(&value->shape, shape)) {
        return error_set(error, STATUS_USAGE,
                         "--arg %.100s: no shape: give a count or sizes such as 4K or 64x48, and strides in elements "
                         "after an @, such as 64x48@1x64",
                         reading->text);
    }
    if (text[length] && !content_parse(&content, value->type, text + length + 1)) {
        return error_set(
            error, STATUS_USAGE,
            "--arg %.100s: no content: give random, random=LOW,HIGH, range=START,STEP, permutation, index, "
            "zero or value=X",
            reading->text);
    }
    return make_buffer(reading, &content, error);
}

// ---- Files ----

static enum status can_not_read(const char *path, struct error *error) {
    return error_set(error, STATUS_USAGE, "--arg file: %.200s: cannot be read: %s", path, strerror(errno));
}

// The caller frees *bytes.
static enum status read_all(FILE *file, const char *path, unsigned char **bytes, size_t *count, struct error *error) {
    struct stat about;
    if (fstat(fileno(file), &about) != 0) {
        return can_not_read(path, error);
    }
    if (!S_ISREG(about.st_mode)) {
        return error_set(error, STATUS_USAGE, "--arg file: %.200s: not a file of numbers: give one", path);
    }
    *count = (size_t)about.st_size;
    TRY(check_memory(*count, error));
    *bytes = malloc(*count + 1);
    if (!*bytes) {
        return error_set(error, STATUS_FAILED, "out of memory: make the buffers smaller");
    }
    return fread(*bytes, 1, *count, file) == *count ? STATUS_OK : can_not_read(path, error);
}

// A .npy file where no type is given, else a file of elements.
static enum status upload_file(struct reading *reading, const struct element_type *type, const char *path,
                               const unsigned char *bytes, size_t count, struct error *error) {
    struct value *value = reading->value;
    struct npy npy = {.type = type, .shape = {.rank = 1, .size = {type ? count / type->bytes : 0}, .stride = {1}}};
    if (type && (count == 0 || count % type->bytes)) {
        return error_set(error, STATUS_USAGE, "--arg file: %.200s: %zu bytes are no number of %ss: give the right type",
                         path, count, type->name);
    }
    TRY(type ? STATUS_OK : npy_parse(path, bytes, count, &npy, error));
    value->type = npy.type;
    value->shape = npy.shape;
    return upload(reading, bytes + npy.data, shape_extent(&npy.shape) * npy.type->bytes, error);
}

// FILE.npy or TYPE:FILE
static enum status set_file(struct reading *reading, const char *text, struct error *error) {
    const struct element_type *type = parse_type(&text);
    FILE *file = fopen(text, "rb");
    unsigned char *bytes = NULL;
    size_t count = 0;
    if (!file) {
        return can_not_read(text, error);
    }
    enum status status = read_all(file, text, &bytes, &count, error);
    THEN(status, upload_file(reading, type, text, bytes, count, error));
    free(bytes);
    fclose(file);
    return status;
}

// ---- Values ----

// Finds "NAME=" at the beginning of the text; returns its length, or 0.
static size_t name_length(const char *text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') {
        length++;
    }
    return text[length] == '=' && !isdigit((unsigned char)*text) && length < VALUE_NAME ? length + 1 : 0;
}

const struct value *value_named(const struct value_list *list, const char *name, size_t length) {
    for (size_t i = 0; i < list->count; i++) {
        const char *known = list->values[i].name;
        if (*known && strlen(known) == length && strncmp(known, name, length) == 0) {
            return &list->values[i];
        }
    }
    return NULL;
}

const struct value *value_passed(const struct value_list *list, const struct argument *argument) {
    for (size_t i = 0; i < list->count; i++) {
        const struct argument *passed = &list->values[i].argument;
        if (passed->type == argument->type && passed->value.u64 == argument->value.u64) {
            return &list->values[i];
        }
    }
    return NULL;
}

static enum status set_value(struct reading *reading, const char *text, struct error *error) {
    static const char buffer[] = "buffer:", file[] = "file:", map[] = "map:", zeros[] = "zeros:";
    if (strncmp(text, zeros, strlen(zeros)) == 0) {
        return parse_count(&reading->value->zeros, "--arg zeros", text + strlen(zeros), 1, 4096, error);
    }
    if (strncmp(text, map, strlen(map)) == 0) {
        text += strlen(map);
        if (!tensor_box_parse(&reading->value->box, &text) ||
            (strncmp(text, buffer, strlen(buffer)) != 0 && strncmp(text, file, strlen(file)) != 0)) {
            return error_set(error, STATUS_USAGE,
                             "--arg %.100s: no tensor map: give map:BOX[@SWIZZLE]:buffer:TYPE:SHAPE, such as "
                             "map:64x64@128:buffer:half:256x128",
                             reading->text);
        }
    }
    if (strncmp(text, buffer, strlen(buffer)) == 0) {
        return set_buffer(reading, text + strlen(buffer), error);
    }
    return strncmp(text, file, strlen(file)) == 0 ? set_file(reading, text + strlen(file), error)
                                                  : set_number(reading, text, error);
}

static enum status add_value(struct value_list *list, struct device *device, uint64_t seed, const char *text,
                             struct error *error) {
    const size_t named = name_length(text);
    if (list->count == VALUES_MAX) {
        return error_set(error, STATUS_USAGE, "--arg: more than %d: give fewer", VALUES_MAX);
    }
    if (named && value_named(list, text, named - 1)) {
        return error_set(error, STATUS_USAGE, "--arg %.100s: the name is taken: give another one", text);
    }
    struct value *value = &list->values[list->count];
    *value = (struct value){0};
    snprintf(value->name, sizeof value->name, "%.*s", named ? (int)named - 1 : 0, text);
    struct reading reading = {.text = text, .device = device, .seed = mix64(seed) ^ list->count, .value = value};
    list->count++;
    return set_value(&reading, text + named, error);
}

static size_t arguments_of(const struct value *value) {
    return value->box.rank ? TENSOR_MAP_ARGUMENTS : value->zeros ? value->zeros / 8 + value->zeros % 8 : 1;
}

static enum status add_argument(struct values *values, const struct value *value, const char *text,
                                struct error *error) {
    const size_t count = arguments_of(value);
    struct argument *arguments = values->arguments + values->count;
    if (values->count + count > ARGUMENTS_MAX) {
        return error_set(error, STATUS_USAGE, "--arg: more than a kernel's parameters hold: give fewer");
    }
    values->count += count;
    for (size_t i = 0; i < count && value->zeros; i++) {
        arguments[i] = (struct argument){.type = i < value->zeros / 8 ? ARGUMENT_U64 : ARGUMENT_8};
    }
    if (value->zeros) {
        return STATUS_OK;
    }
    *arguments = value->argument;
    return value->box.rank ? tensor_map_make(arguments, &value->box, value->type, &value->shape,
                                             value->argument.value.pointer, text, error)
                           : STATUS_OK;
}

enum status values_make(struct values *values, struct value_list *list, struct device *device, uint64_t seed,
                        const char *const *texts, size_t count, struct error *error) {
    if (count > VALUES_MAX) {
        return error_set(error, STATUS_USAGE, "--arg: more than %d: give fewer", VALUES_MAX);
    }
    values->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct value *known = value_named(list, texts[i], strlen(texts[i]));
        if (!known) {
            TRY(add_value(list, device, seed, texts[i], error));
            known = &list->values[list->count - 1];
        }
        TRY(add_argument(values, known, texts[i], error));
    }
    return STATUS_OK;
}
