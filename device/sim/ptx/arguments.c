#include "device/sim/ptx/arguments.h"

#include <string.h>

static uint32_t bytes_of(const struct argument *argument) {
    static const uint32_t bytes[] = {
        [ARGUMENT_POINTER] = 8, [ARGUMENT_8] = 1,   [ARGUMENT_16] = 2,  [ARGUMENT_I32] = 4, [ARGUMENT_U32] = 4,
        [ARGUMENT_I64] = 8,     [ARGUMENT_U64] = 8, [ARGUMENT_F32] = 4, [ARGUMENT_F64] = 8};
    return bytes[argument->type];
}

static bool may_be_float(const struct argument *argument) {
    return argument->type == ARGUMENT_F32 || argument->type == ARGUMENT_F64 || argument->type == ARGUMENT_16;
}

// Whether the next argument has room in a struct that is filled up to `end`.
static bool goes_on(const struct ptx_parameter *parameter, uint32_t end, const struct argument *argument) {
    const uint32_t bytes = bytes_of(argument) < 4 ? bytes_of(argument) : 4;
    return parameter->is_array && end + bytes <= parameter->bytes;
}

static enum status does_not_fit(const struct ptx_program *program, const struct ptx_parameter *parameter, size_t number,
                                struct error *error) {
    return error_set(error, STATUS_USAGE,
                     "kernel %s: argument %zu does not fit parameter '%s' of %u bytes%s: pass what it takes",
                     program->entry, number, parameter->name, parameter->bytes,
                     parameter->is_array   ? ", which takes one for each of its members"
                     : parameter->is_float ? ", a floating-point number"
                                           : "");
}

// Stores the arguments of one parameter. *next is the first of them, and becomes the first of the next parameter.
static enum status place(const struct ptx_program *program, const struct ptx_parameter *parameter,
                         const struct launch *launch, size_t *next, unsigned char *parameters, struct error *error) {
    uint32_t end = 0;
    do {
        if (*next == launch->argument_count) {
            return error_set(
                error, STATUS_USAGE,
                "kernel %s: the launch gives %zu arguments, none of which is for parameter '%s': give all of "
                "them",
                program->entry, launch->argument_count, parameter->name);
        }
        const struct argument *argument = &launch->arguments[(*next)++];
        const uint32_t bytes = bytes_of(argument);
        end = (end + bytes - 1) / bytes * bytes;
        if (end + bytes > parameter->bytes || (!parameter->is_array && bytes != parameter->bytes) ||
            (parameter->is_float && !may_be_float(argument))) {
            return does_not_fit(program, parameter, *next, error);
        }
        if (parameters) {
            memcpy(parameters + parameter->place + end, &argument->value, bytes);
        }
        end += bytes;
    } while (*next < launch->argument_count && goes_on(parameter, end, &launch->arguments[*next]));
    return STATUS_OK;
}

enum status ptx_place_arguments(const struct ptx_program *program, const struct launch *launch,
                                unsigned char *parameters, struct error *error) {
    enum status status = STATUS_OK;
    size_t next = 0;
    for (size_t i = 0; i < program->parameter_count && status == STATUS_OK; i++) {
        status = place(program, &program->parameters[i], launch, &next, parameters, error);
    }
    if (status == STATUS_OK && next < launch->argument_count) {
        return error_set(error, STATUS_USAGE,
                         "kernel %s takes %zu argument%s, but the launch gives %zu: give each once", program->entry,
                         next, next == 1 ? "" : "s", launch->argument_count);
    }
    return status;
}
