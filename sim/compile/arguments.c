#include "sim/compile/arguments.h"

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

// ---- Finding each argument's place ----

enum {
    STEPS_MAX = 1 << 16 // of a search
};

struct search {
    const struct sim_program *program;
    const struct launch *launch;
    unsigned char *parameters; // NULL: nothing is stored
    size_t wanted, found;      // an argument, and its parameter
    unsigned steps;
};

static bool place_from(struct search *search, size_t number, size_t next);

// Places argument `next` into the parameter behind its first `end` bytes, which become those behind it. False if it
// does not fit.
static bool place_one(struct search *search, size_t number, size_t next, uint32_t *end) {
    const struct sim_program_parameter *parameter = &search->program->parameters[number];
    if (next == search->launch->argument_count) {
        return false;
    }
    const struct argument *argument = &search->launch->arguments[next];
    const uint32_t bytes = bytes_of(argument), place = (*end + bytes - 1) / bytes * bytes;
    if (place + bytes > parameter->bytes || (!parameter->is_array && bytes != parameter->bytes) ||
        (parameter->is_float && !may_be_float(argument))) {
        return false;
    }
    if (search->parameters) {
        memcpy(search->parameters + parameter->place + place, &argument->value, bytes);
    }
    if (next == search->wanted) {
        search->found = number;
    }
    *end = place + bytes;
    return true;
}

// A struct takes one argument for each of its members, whose number is not known: as few as leave less room than the
// largest of them needs, which is padding then, or else more. One of a byte may have no member.
static bool place_struct(struct search *search, size_t number, size_t next) {
    const uint32_t all = search->program->parameters[number].bytes;
    uint32_t end = 0, largest = all == 1 ? 2 : 0;
    for (;;) {
        if (all - end < largest && place_from(search, number + 1, next)) {
            return true;
        }
        if (search->steps > STEPS_MAX || !place_one(search, number, next, &end)) {
            return false;
        }
        const uint32_t bytes = bytes_of(&search->launch->arguments[next++]);
        largest = bytes > largest ? bytes : largest;
    }
}

// Places the arguments from `next` on into the parameters from `number` on. False if they do not fit, all of them.
static bool place_from(struct search *search, size_t number, size_t next) {
    uint32_t end = 0;
    if (number == search->program->parameter_count) {
        return next == search->launch->argument_count;
    }
    if (search->steps++ > STEPS_MAX) {
        return false;
    }
    return search->program->parameters[number].is_array
               ? place_struct(search, number, next)
               : place_one(search, number, next, &end) && place_from(search, number + 1, next + 1);
}

// ---- Saying why there is none ----

// Whether the next argument has room in a struct that is filled up to `end`.
static bool goes_on(const struct sim_program_parameter *parameter, uint32_t end, const struct argument *argument) {
    const uint32_t bytes = bytes_of(argument) < 4 ? bytes_of(argument) : 4;
    return parameter->is_array && end + bytes <= parameter->bytes;
}

static enum status does_not_fit(const struct search *search, const struct sim_program_parameter *parameter,
                                size_t number, struct error *error) {
    return error_set(error, STATUS_USAGE,
                     "kernel %s: argument %zu does not fit parameter '%s' of %u bytes%s: pass what it takes",
                     search->program->entry, number, parameter->name, parameter->bytes,
                     parameter->is_array   ? ", which takes one for each of its members"
                     : parameter->is_float ? ", a floating-point number"
                                           : "");
}

// Fills each parameter as far as it goes. *next is the first of its arguments, and becomes the first of the next one's.
static enum status fill(struct search *search, size_t number, size_t *next, struct error *error) {
    const struct sim_program_parameter *parameter = &search->program->parameters[number];
    const struct launch *launch = search->launch;
    uint32_t end = 0;
    do {
        if (*next == launch->argument_count) {
            return error_set(
                error, STATUS_USAGE,
                "kernel %s: the launch gives %zu arguments, none of which is for parameter '%s': give all of "
                "them",
                search->program->entry, launch->argument_count, parameter->name);
        }
        if (!place_one(search, number, *next, &end)) {
            return does_not_fit(search, parameter, *next + 1, error);
        }
        ++*next;
    } while (*next < launch->argument_count && goes_on(parameter, end, &launch->arguments[*next]));
    return STATUS_OK;
}

static enum status explain(struct search *search, struct error *error) {
    size_t next = 0;
    for (size_t i = 0; i < search->program->parameter_count; i++) {
        TRY(fill(search, i, &next, error));
    }
    return error_set(error, STATUS_USAGE, "kernel %s takes %zu argument%s, but the launch gives %zu: give each once",
                     search->program->entry, next, next == 1 ? "" : "s", search->launch->argument_count);
}

enum status sim_place_arguments(const struct sim_program *program, const struct launch *launch,
                                unsigned char *parameters, struct error *error) {
    struct search search = {.program = program, .launch = launch, .parameters = parameters, .wanted = SIZE_MAX};
    if (place_from(&search, 0, 0)) {
        return STATUS_OK;
    }
    search.parameters = NULL;
    return explain(&search, error);
}

// The number of all parameters if the arguments do not fit.
static size_t parameter_of(const struct sim_program *program, const struct launch *launch, size_t argument) {
    struct search search = {.program = program, .launch = launch, .wanted = argument};
    return place_from(&search, 0, 0) ? search.found : program->parameter_count;
}

const char *sim_argument_parameter(const struct sim_module *module, const struct sim_entry *entry,
                                   const struct launch *launch, size_t argument) {
    if (!module->program) {
        const struct sim_parameter *own = sim_parameter_of_argument(&entry->parameters, argument);
        return own ? own->name : NULL;
    }
    const size_t number = parameter_of(module->program, launch, argument);
    return number < module->program->parameter_count ? module->program->parameters[number].name : NULL;
}
