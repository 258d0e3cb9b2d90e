#include "sim/compile/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/amdgcn/program.h"
#include "sim/ptx/parse/entry_name.h"
#include "sim/ptx/program.h"

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
    size_t most, at;           // the arguments that were placed at most, and the parameter that stopped the next one
    bool begun;                // that parameter is a struct of which some members have one
    unsigned steps;
};

// Notes where the search cannot go on with argument `next`.
static bool stop(struct search *search, size_t number, size_t next) {
    if (next >= search->most) {
        search->most = next;
        search->at = number;
        search->begun = false;
    }
    return false;
}

// Notes that the arguments, `next` of them, end before the members of a struct do.
static bool stop_in_struct(struct search *search, size_t number, size_t next) {
    if (next > search->most) {
        search->most = next;
        search->at = number;
        search->begun = true;
    }
    return false;
}

// Whether an argument has room in a parameter that is filled up to `end`.
static bool has_room(const struct sim_program_parameter *parameter, uint32_t end, const struct argument *argument) {
    const uint32_t bytes = sim_argument_bytes(argument->type);
    return end + (bytes < 4 ? bytes : 4) <= parameter->bytes;
}

static bool place_from(struct search *search, size_t number, size_t next);

// Places argument `next` into the parameter behind its first `end` bytes, which become those behind it. False if it
// does not fit.
static bool place_one(struct search *search, size_t number, size_t next, uint32_t *end) {
    const struct sim_program_parameter *parameter = &search->program->parameters[number];
    if (next == search->launch->argument_count) {
        return *end == 0 ? stop(search, number, next) : stop_in_struct(search, number, next);
    }
    const struct argument *argument = &search->launch->arguments[next];
    const uint32_t bytes = sim_argument_bytes(argument->type), place = (*end + bytes - 1) / bytes * bytes;
    if (place + bytes > parameter->bytes || (!parameter->is_array && bytes != parameter->bytes) ||
        (parameter->is_float && !may_be_float(argument))) {
        return (*end == 0 || has_room(parameter, *end, argument)) && stop(search, number, next);
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
        const uint32_t bytes = sim_argument_bytes(search->launch->arguments[next++].type);
        largest = bytes > largest ? bytes : largest;
    }
}

// Places the arguments from `next` on into the parameters from `number` on. False if they do not fit, all of them.
static bool place_from(struct search *search, size_t number, size_t next) {
    uint32_t end = 0;
    if (number == search->program->parameter_count) {
        return next == search->launch->argument_count || stop(search, number, next);
    }
    if (search->steps++ > STEPS_MAX) {
        return false;
    }
    return search->program->parameters[number].is_array
               ? place_struct(search, number, next)
               : place_one(search, number, next, &end) && place_from(search, number + 1, next + 1);
}

// ---- Saying why there is none ----

static enum status explain(const struct search *search, struct error *error) {
    const struct sim_program *program = search->program;
    const struct sim_program_parameter *parameter = &program->parameters[search->at];
    const struct ptx_text written = ptx_entry_name(program->entry);
    const size_t placed = search->most, given = search->launch->argument_count;
    char kernel[sizeof((struct sim_entry *)0)->name];
    snprintf(kernel, sizeof kernel, "%.*s", (int)written.length, written.at);
    if (search->at == program->parameter_count) {
        return error_set(error, STATUS_USAGE,
                         "kernel %s takes %zu argument%s, but the launch gives %zu: give each once", kernel, placed,
                         placed == 1 ? "" : "s", given);
    }
    if (search->begun) {
        return error_set(error, STATUS_USAGE,
                         "kernel %s: the launch gives %zu argument%s, too few for the members of parameter '%s' of %u "
                         "bytes: give one for each",
                         kernel, given, given == 1 ? "" : "s", parameter->name, parameter->bytes);
    }
    if (placed == given) {
        return error_set(error, STATUS_USAGE,
                         "kernel %s: the launch gives %zu arguments, none of which is for parameter '%s': give all of "
                         "them",
                         kernel, given, parameter->name);
    }
    return error_set(error, STATUS_USAGE,
                     "kernel %s: argument %zu does not fit parameter '%s' of %u bytes%s: pass what it takes", kernel,
                     placed + 1, parameter->name, parameter->bytes,
                     parameter->is_array   ? ", which takes one for each of its members"
                     : parameter->is_float ? ", a floating-point number"
                                           : "");
}

enum status sim_place_arguments(const struct sim_program *program, const struct launch *launch,
                                unsigned char *parameters, struct error *error) {
    struct search search = {.program = program, .launch = launch, .parameters = parameters, .wanted = SIZE_MAX};
    return place_from(&search, 0, 0) ? STATUS_OK : explain(&search, error);
}

const char *sim_parameter(const struct sim_module *module, const struct sim_entry *entry, size_t number) {
    const struct sim_program *program = module->program;
    if (program) {
        return number < program->parameter_count ? program->parameters[number].name : NULL;
    }
    return number < entry->parameters.count ? entry->parameters.list[number].name : NULL;
}

const char *sim_argument_parameter(const struct sim_module *module, const struct sim_entry *entry,
                                   const struct launch *launch, size_t argument) {
    if (!module->program) {
        const struct sim_parameter *own = sim_parameter_of_argument(&entry->parameters, argument);
        return own ? own->name : NULL;
    }
    struct search search = {.program = module->program, .launch = launch, .wanted = argument, .found = SIZE_MAX};
    return place_from(&search, 0, 0) && search.found < SIZE_MAX ? module->program->parameters[search.found].name : NULL;
}

// ---- Compiled files ----

static void destroy(struct sim_compiled *compiled) {
    sim_sites_destroy(&compiled->sites);
    sim_bitmap_destroy(&compiled->file_data.read);
    sim_bitmap_destroy(&compiled->file_data.written);
    sim_module_close(&compiled->module);
    free(compiled->identity);
    free(compiled);
}

static enum status translate(const struct kernel_request *request, const struct gpu *gpu, struct sim_program **program,
                             struct error *error) {
    const bool ptx = request->language == KERNEL_PTX;
    const struct sim_code wanted = {.file_name = request->source->file_name,
                                    .text = request->source->text,
                                    .entry = request->entry,
                                    .source_name = request->compiled_from,
                                    .arch = gpu->arch,
                                    .lanes = gpu->warp_width,
                                    .dynamic_bytes = gpu->shared_bytes_per_block};
    if (gpu->vendor != (ptx ? VENDOR_NVIDIA : VENDOR_AMD)) {
        return error_set(error, STATUS_USAGE, "%s: %s: choose one of its GPUs, not %s", wanted.file_name,
                         ptx ? "PTX is NVIDIA's" : "AMDGPU assembly is AMD's", gpu->name);
    }
    return (ptx ? ptx_program_create : gcn_program_create)(&wanted, program, error);
}

// Gives the parameters the names of the source, which are a list with commas between.
static void name_parameters(struct sim_program *program, const char *names) {
    char *next = names ? program->parameter_names = memory_copy(names) : NULL;
    for (size_t i = 0; next && i < program->parameter_count; i++) {
        const char *name = strsep(&next, ",");
        program->parameters[i].name = *name ? name : program->parameters[i].name;
    }
}

// Translates a GPU's instructions to C, and compiles that. The program knows the lines.
static enum status compile_program(const struct kernel_request *request, struct sim_compiler *compiler,
                                   struct sim_module *module, struct error *error) {
    struct sim_program *program = NULL;
    TRY(translate(request, compiler->gpu, &program, error));
    name_parameters(program, request->parameters);
    const struct kernel_source translation = {program->file_name, program->c};
    const struct kernel_request compiling = {
        .source = &translation, .entry = request->entry, .language = request->language};
    const enum status status = sim_compile(&compiling, compiler, &module->library, error);
    if (status != STATUS_OK) {
        sim_program_destroy(program);
        return status;
    }
    module->program = program;
    return STATUS_OK;
}

static enum status compile(const struct kernel_request *request, struct sim_compiler *compiler,
                           struct sim_module *module, struct error *error) {
    return kernel_is_translated(request->language) ? compile_program(request, compiler, module, error)
                                                   : sim_compile(request, compiler, &module->library, error);
}

// Loads what was compiled for later, too.
static enum status open_compiled(struct sim_compiled *compiled, struct error *error) {
    struct sim_module *module = &compiled->module;
    if (compiled->is_open) {
        return STATUS_OK;
    }
    TRY(module->library.handle ? STATUS_OK : sim_library_load(&module->library, error));
    TRY(sim_module_open(module, error));
    const uint64_t page = 4096, begin = module->image.begin / page * page;
    compiled->file_data = (struct sim_buffer){
        .address = begin, .bytes = module->image.end - begin, .device_address = SIM_FILE_DATA_PLACE};
    sim_sites_create(&compiled->sites, module);
    compiled->is_open = true;
    return STATUS_OK;
}

enum status sim_compiled_get(struct sim_compiled **list, const struct kernel_request *request,
                             struct sim_compiler *compiler, struct sim_compiled **compiled, struct error *error) {
    char *identity = kernel_identity(request);
    for (struct sim_compiled *known = *list; known; known = known->next) {
        if (!strcmp(known->identity, identity)) {
            free(identity);
            *compiled = known;
            return STATUS_OK;
        }
    }
    struct sim_compiled *made = memory_zeros(1, sizeof *made);
    made->identity = identity;
    made->module.library.file = -1;
    enum status status = compile(request, compiler, &made->module, error);
    if (status == STATUS_OK && !compiler->loads_later) {
        status = open_compiled(made, error);
    }
    if (status != STATUS_OK) {
        destroy(made);
        return status;
    }
    made->next = *list;
    *compiled = *list = made;
    return STATUS_OK;
}

void sim_compiled_destroy_all(struct sim_compiled **list) {
    while (*list) {
        struct sim_compiled *next = (*list)->next;
        destroy(*list);
        *list = next;
    }
}

// ---- Kernels ----

struct kernel *sim_kernel_create(struct sim_compiled *compiled) {
    struct kernel *made = memory_zeros(1, sizeof *made);
    made->compiled = compiled;
    return made;
}

enum status sim_kernel_open(struct kernel *kernel, const char *entry, struct error *error) {
    struct sim_compiled *compiled = kernel->compiled;
    const struct sim_entry *found = &kernel->entry;
    TRY(open_compiled(compiled, error));
    TRY(sim_module_entry(&compiled->module, entry, &kernel->entry, error));
    if (!compiled->module.program) {
        TRY(sim_call_prepare(&kernel->call, &found->parameters, found->name, error));
    }
    return STATUS_OK;
}

void sim_kernel_destroy(struct kernel *kernel) {
    free(kernel->entry.shared);
    free(kernel->entry.shared_valid);
    free(kernel);
}

// ---- Launches ----

static bool fits(struct dimensions size, struct dimensions most) {
    return size.x && size.y && size.z && size.x <= most.x && size.y <= most.y && size.z <= most.z;
}

enum status sim_kernel_check(const struct kernel *kernel, const struct gpu *gpu, const struct launch *launch,
                             struct error *error) {
    const struct sim_entry *entry = &kernel->entry;
    // CUDA C++ Programming Guide, technical specifications: the maxima of every compute capability. HIP's are not
    // lower.
    static const struct dimensions grid_most = {2147483647, 65535, 65535}, block_most = {1024, 1024, 64};
    const struct dimensions *block = &launch->block, *grid = &launch->grid;
    if (!fits(*block, block_most) || dimensions_count(block) > SIM_BLOCK_THREADS) {
        return error_set(error, STATUS_USAGE,
                         "kernel %s: a block of %ux%ux%u threads: use 1 to %d threads, at most 1024x1024x64",
                         entry->name, block->x, block->y, block->z, SIM_BLOCK_THREADS);
    }
    if (!fits(*grid, grid_most)) {
        return error_set(error, STATUS_USAGE,
                         "kernel %s: a grid of %ux%ux%u blocks: use at least 1 and at most %ux%ux%u", entry->name,
                         grid->x, grid->y, grid->z, grid_most.x, grid_most.y, grid_most.z);
    }
    uint64_t shared = (uint64_t)entry->shared_bytes + launch->dynamic_shared_bytes;
    if (shared > gpu->shared_bytes_per_block) {
        return error_set(error, STATUS_USAGE,
                         "kernel %s: %" PRIu32 " + %" PRIu32
                         " bytes of static and dynamic shared memory, %s has %" PRIu32 " for a block: use less",
                         entry->name, entry->shared_bytes, launch->dynamic_shared_bytes, gpu->title,
                         gpu->shared_bytes_per_block);
    }
    const struct sim_program *program = kernel->compiled->module.program;
    if (program && program->cluster[0] &&
        (grid->x % program->cluster[0] || grid->y % program->cluster[1] || grid->z % program->cluster[2])) {
        return error_set(
            error, STATUS_USAGE,
            "kernel %s: a grid of %ux%ux%u blocks is no multiple of its clusters of %ux%ux%u: give one that is",
            entry->name, grid->x, grid->y, grid->z, program->cluster[0], program->cluster[1], program->cluster[2]);
    }
    return program ? sim_place_arguments(program, launch, NULL, error)
                   : sim_call_check(&entry->parameters, entry->name, launch, error);
}
