#include "sim/compile/module.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <gelf.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/kernel/headers.h"
#include "sim/ptx/parse/entry_name.h"

// ---- Parameters ----

// A type within a parameter.
struct place {
    struct sim_parameters *all;
    struct sim_parameter *parameter;
    uint32_t offset;
};

static bool add_type(Dwarf_Die *type, struct place place);

static void widen_alignment(struct sim_parameter *parameter, uint64_t alignment) {
    parameter->alignment = alignment > parameter->alignment ? (uint32_t)alignment : parameter->alignment;
}

static bool add_field(struct place place, enum sim_parameter_kind kind, uint64_t bytes, bool is_signed) {
    if (place.all->field_count == SIM_FIELDS || bytes == 0 || bytes > 8) {
        return false;
    }
    place.all->fields[place.all->field_count++] = (struct sim_field){kind, place.offset, (uint32_t)bytes, is_signed};
    place.parameter->field_count++;
    widen_alignment(place.parameter, bytes);
    return true;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise) {
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value) == 0 ? value : otherwise;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    Dwarf_Die named;
    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &named) &&
           dwarf_peel_type(&named, type) == 0;
}

static bool add_number(Dwarf_Die *type, struct place place) {
    const uint64_t encoding = number_of(type, DW_AT_encoding, 0), bytes = (uint64_t)dwarf_bytesize(type);
    const bool is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    return encoding && encoding != DW_ATE_complex_float &&
           add_field(place, encoding == DW_ATE_float ? SIM_PARAMETER_FLOAT : SIM_PARAMETER_INTEGER, bytes, is_signed);
}

// The members of a struct, but no bit fields.
static bool add_members(Dwarf_Die *type, struct place place) {
    Dwarf_Die child, of_member;
    Dwarf_Attribute attribute;
    widen_alignment(place.parameter, number_of(type, DW_AT_alignment, 1));
    for (int end = dwarf_child(type, &child); end == 0; end = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_member) {
            continue;
        }
        struct place member = place;
        member.offset += (uint32_t)number_of(&child, DW_AT_data_member_location, 0);
        if (dwarf_attr(&child, DW_AT_data_bit_offset, &attribute) || dwarf_attr(&child, DW_AT_bit_size, &attribute) ||
            !type_of(&child, &of_member) || !add_type(&of_member, member)) {
            return false;
        }
        widen_alignment(place.parameter, number_of(&child, DW_AT_alignment, 1));
    }
    return true;
}

static bool add_elements(Dwarf_Die *array, struct place place) {
    Dwarf_Die element, range;
    uint64_t count = 1;
    for (int end = dwarf_child(array, &range); end == 0; end = dwarf_siblingof(&range, &range)) {
        if (dwarf_tag(&range) == DW_TAG_subrange_type) {
            count *= number_of(&range, DW_AT_count, number_of(&range, DW_AT_upper_bound, UINT64_MAX) + 1);
        }
    }
    if (count > SIM_FIELDS || !type_of(array, &element)) {
        return false;
    }
    const uint32_t step =
        dwarf_tag(&element) == DW_TAG_pointer_type ? (uint32_t)sizeof(void *) : (uint32_t)dwarf_bytesize(&element);
    bool added = true;
    for (uint64_t i = 0; i < count && added; i++, place.offset += step) {
        added = add_type(&element, place);
    }
    return added;
}

static bool add_type(Dwarf_Die *type, struct place place) {
    switch (dwarf_tag(type)) {
    case DW_TAG_pointer_type:
        return add_field(place, SIM_PARAMETER_POINTER, sizeof(void *), false);
    case DW_TAG_enumeration_type:
        return add_field(place, SIM_PARAMETER_INTEGER, (uint64_t)dwarf_bytesize(type), false);
    case DW_TAG_base_type:
        return add_number(type, place);
    case DW_TAG_structure_type:
        return add_members(type, place);
    case DW_TAG_array_type:
        return add_elements(type, place);
    default:
        return false;
    }
}

static void read_parameter(Dwarf_Die *die, struct sim_parameters *all, struct sim_parameter *parameter) {
    Dwarf_Die type;
    *parameter = (struct sim_parameter){
        .name = dwarf_diename(die), .kind = SIM_PARAMETER_OTHER, .alignment = 1, .field = all->field_count};
    if (!type_of(die, &type)) {
        return;
    }
    const int tag = dwarf_tag(&type);
    parameter->bytes = tag == DW_TAG_pointer_type ? (uint32_t)sizeof(void *) : (uint32_t)dwarf_bytesize(&type);
    if (add_type(&type, (struct place){all, parameter, 0})) {
        parameter->kind = tag == DW_TAG_structure_type ? SIM_PARAMETER_STRUCT : all->fields[parameter->field].kind;
    }
}

// False if there are more than the lists hold.
static bool sim_parameters_read(Dwarf_Die *function, struct sim_parameters *parameters) {
    Dwarf_Die child;
    for (int end = dwarf_child(function, &child); end == 0; end = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter) {
            continue;
        }
        if (parameters->count == SIM_PARAMETERS) {
            return false;
        }
        read_parameter(&child, parameters, &parameters->list[parameters->count++]);
    }
    return true;
}

const struct sim_parameter *sim_parameter_of_argument(const struct sim_parameters *parameters, size_t i) {
    for (size_t p = 0; p < parameters->count; p++) {
        const struct sim_parameter *parameter = &parameters->list[p];
        if (i >= parameter->field && i < parameter->field + parameter->field_count) {
            return parameter;
        }
    }
    return NULL;
}

// ---- The call ----

// By enum argument_type.
static const struct {
    const char *name;
    enum sim_parameter_kind kind;
    uint32_t bytes;
} argument_types[] = {
    [ARGUMENT_POINTER] = {"a pointer", SIM_PARAMETER_POINTER, 8},
    [ARGUMENT_8] = {"a 1-byte number", SIM_PARAMETER_INTEGER, 1},
    [ARGUMENT_16] = {"a 2-byte number", SIM_PARAMETER_INTEGER, 2},
    [ARGUMENT_I32] = {"a 4-byte integer", SIM_PARAMETER_INTEGER, 4},
    [ARGUMENT_U32] = {"a 4-byte integer", SIM_PARAMETER_INTEGER, 4},
    [ARGUMENT_I64] = {"an 8-byte integer", SIM_PARAMETER_INTEGER, 8},
    [ARGUMENT_U64] = {"an 8-byte integer", SIM_PARAMETER_INTEGER, 8},
    [ARGUMENT_F32] = {"a 4-byte floating-point number", SIM_PARAMETER_FLOAT, 4},
    [ARGUMENT_F64] = {"an 8-byte floating-point number", SIM_PARAMETER_FLOAT, 8},
};

uint32_t sim_argument_bytes(enum argument_type type) {
    return argument_types[type].bytes;
}

static bool takes(const struct sim_field *field, enum argument_type type) {
    const bool half = type == ARGUMENT_16 && field->kind == SIM_PARAMETER_FLOAT;
    return argument_types[type].bytes == field->bytes && (half || argument_types[type].kind == field->kind);
}

static const char *type_name(const struct sim_field *field) {
    for (size_t i = 0; i < sizeof argument_types / sizeof *argument_types; i++) {
        if (takes(field, (enum argument_type)i)) {
            return argument_types[i].name;
        }
    }
    return "of another type";
}

enum status sim_call_check(const struct sim_parameters *parameters, const char *kernel, const struct launch *launch,
                           struct error *error) {
    if (launch->argument_count != parameters->field_count) {
        return error_set(error, STATUS_USAGE,
                         "kernel %s takes %zu argument%s%s, but the launch gives %zu: give each once", kernel,
                         parameters->field_count, parameters->field_count == 1 ? "" : "s",
                         parameters->field_count > parameters->count ? ", one for each member of a struct" : "",
                         launch->argument_count);
    }
    for (size_t i = 0; i < parameters->field_count; i++) {
        const enum argument_type type = launch->arguments[i].type;
        if (!takes(&parameters->fields[i], type)) {
            const struct sim_parameter *parameter = sim_parameter_of_argument(parameters, i);
            return error_set(error, STATUS_USAGE,
                             "kernel %s: argument %zu is %s, but %sparameter '%s' is %s: pass what it takes", kernel,
                             i + 1, argument_types[type].name,
                             parameter->kind == SIM_PARAMETER_STRUCT ? "its member of " : "", parameter->name,
                             type_name(&parameters->fields[i]));
        }
    }
    return STATUS_OK;
}

// libffi has no type for a float of 16 bits, which is passed in the low bits of a float's register.
static ffi_type *type_of_field(const struct sim_field *field) {
    if (field->kind == SIM_PARAMETER_POINTER) {
        return &ffi_type_pointer;
    }
    if (field->kind == SIM_PARAMETER_FLOAT) {
        return field->bytes == 8 ? &ffi_type_double : &ffi_type_float;
    }
    switch (field->bytes) {
    case 1:
        return field->is_signed ? &ffi_type_sint8 : &ffi_type_uint8;
    case 2:
        return field->is_signed ? &ffi_type_sint16 : &ffi_type_uint16;
    case 4:
        return field->is_signed ? &ffi_type_sint32 : &ffi_type_uint32;
    default:
        return field->is_signed ? &ffi_type_sint64 : &ffi_type_uint64;
    }
}

// Whether no register and no stack is used for it.
static bool is_left_out(const struct sim_parameter *parameter) {
    return parameter->kind == SIM_PARAMETER_STRUCT && parameter->field_count == 0;
}

static ffi_type *type_of_parameter(struct sim_call *call, size_t number, const struct sim_parameters *parameters,
                                   ffi_type ***elements) {
    const struct sim_parameter *parameter = &parameters->list[number];
    if (parameter->kind != SIM_PARAMETER_STRUCT) {
        return type_of_field(&parameters->fields[parameter->field]);
    }
    call->structs[number] = (ffi_type){.size = parameter->bytes,
                                       .alignment = (unsigned short)parameter->alignment,
                                       .type = FFI_TYPE_STRUCT,
                                       .elements = *elements};
    for (size_t i = 0; i < parameter->field_count; i++) {
        *(*elements)++ = type_of_field(&parameters->fields[parameter->field + i]);
    }
    *(*elements)++ = NULL;
    return &call->structs[number];
}

enum status sim_call_prepare(struct sim_call *call, const struct sim_parameters *parameters, const char *kernel,
                             struct error *error) {
    ffi_type **elements = call->elements;
    unsigned count = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < parameters->count; i++) {
        const struct sim_parameter *parameter = &parameters->list[i];
        if (parameter->kind == SIM_PARAMETER_OTHER) {
            return error_set(error, STATUS_FAILED,
                             "kernel %s: parameter '%s' is neither a pointer, a number nor a plain struct of these: "
                             "pass one",
                             kernel, parameter->name);
        }
        bytes += parameter->bytes + SIM_CALL_ALIGNMENT;
        if (!is_left_out(parameter)) {
            call->types[count++] = type_of_parameter(call, i, parameters, &elements);
        }
    }
    if (bytes > SIM_CALL_BYTES ||
        ffi_prep_cif(&call->interface, FFI_DEFAULT_ABI, count, &ffi_type_void, call->types) != FFI_OK) {
        return error_set(error, STATUS_FAILED, "kernel %s: its parameters cannot be passed: put them in memory",
                         kernel);
    }
    return STATUS_OK;
}

// Whether it has a register or 8 bytes of the stack to itself.
static bool is_word(const struct sim_parameter *parameter) {
#if defined(__x86_64__) || defined(__aarch64__)
    return parameter->kind == SIM_PARAMETER_POINTER || parameter->kind == SIM_PARAMETER_INTEGER;
#else
    (void)parameter;
    return false;
#endif
}

static void fill_words(const struct sim_parameters *parameters, const struct launch *launch,
                       struct sim_call_values *values) {
    values->are_words = parameters->count <= SIM_CALL_WORDS;
    for (size_t i = 0; i < parameters->count && values->are_words; i++) {
        const struct sim_field *field = &parameters->fields[parameters->list[i].field];
        values->are_words = is_word(&parameters->list[i]) && field->bytes >= 4;
        memcpy(&values->words[i], &launch->arguments[parameters->list[i].field].value, field->bytes);
    }
}

void sim_call_fill(const struct sim_parameters *parameters, const struct launch *launch,
                   struct sim_call_values *values) {
    unsigned char *at = values->bytes;
    size_t count = 0;
    *values = (struct sim_call_values){0};
    for (size_t i = 0; i < parameters->count; i++) {
        const struct sim_parameter *parameter = &parameters->list[i];
        for (size_t j = parameter->field; j < parameter->field + parameter->field_count; j++) {
            const struct sim_field *field = &parameters->fields[j];
            memcpy(at + field->offset, &launch->arguments[j].value, field->bytes);
        }
        if (!is_left_out(parameter)) {
            values->values[count++] = at;
        }
        at += (parameter->bytes + SIM_CALL_ALIGNMENT - 1) / SIM_CALL_ALIGNMENT * SIM_CALL_ALIGNMENT;
    }
    fill_words(parameters, launch, values);
}

// ---- Of a translation of a GPU's instructions, which describes itself by tables instead of debug information ----

static struct sim_range range_of(const void *const *table) {
    return (struct sim_range){(uintptr_t)table[0], (uintptr_t)table[1]};
}

static void take_ranges(struct sim_module *module, const void *const *shared) {
    module->shared = range_of(shared);
    module->dynamic = range_of(shared + 2);
}

static enum status open_program(struct sim_module *module, struct error *error) {
    void *handle = module->library.handle;
    const void *const *shared = dlsym(handle, "sim_module_shared"), *const *own = dlsym(handle, "sim_module_program");
    if (!shared || !own) {
        return error_set(error, STATUS_FAILED, "the translated kernel has no tables: set CC to gcc or clang");
    }
    take_ranges(module, shared);
    module->text = range_of(own);
    module->image = range_of(own + 2);
    memcpy(&module->parameters, &own[4], sizeof module->parameters);
    module->runs = dlsym(handle, "sim_module_runs");
    return STATUS_OK;
}

static void find_program_line(const struct sim_module *module, uintptr_t pc, const char **file, uint32_t *line) {
    const uintptr_t first = module->text.begin + 1;
    *file = NULL;
    *line = 0;
    if (pc >= first && pc < module->text.end) {
        sim_program_line(module->program, (uint32_t)(pc - first), file, line);
    }
}

static enum status find_program_entry(const struct sim_module *module, struct sim_entry *entry, struct error *error) {
    const struct sim_program *program = module->program;
    void *symbol = dlsym(module->library.handle, "sim_program_entry");
    if (!symbol) {
        return error_set(error, STATUS_FAILED, "the translated kernel has no entry: set CC to gcc or clang");
    }
    const struct ptx_text name = ptx_entry_name(program->entry);
    snprintf(entry->name, sizeof entry->name, "%.*s", (int)name.length, name.at);
    memcpy(&entry->function, &symbol, sizeof symbol);
    entry->thread_registers = program->thread_registers;
    return STATUS_OK;
}

// ---- Of C, by its debug information ----

static void widen(struct sim_range *range, uintptr_t begin, uintptr_t end) {
    if (!range->end || begin < range->begin) {
        range->begin = begin;
    }
    if (end > range->end) {
        range->end = end;
    }
}

static bool find_ranges(struct sim_module *module) {
    Elf *elf = dwarf_getelf(module->dwarf);
    size_t count;
    if (elf_getphdrnum(elf, &count) != 0) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD) {
            continue;
        }
        uintptr_t begin = module->base + segment.p_vaddr, end = begin + segment.p_memsz;
        widen(&module->image, begin, end);
        if (segment.p_flags & PF_X) {
            widen(&module->text, begin, end);
        }
    }
    return module->text.end != 0;
}

enum status sim_module_open(struct sim_module *module, struct error *error) {
    if (module->program) {
        return open_program(module, error);
    }
    void *handle = module->library.handle;
    struct link_map *map;
    const void *const *shared = dlsym(handle, "sim_module_shared");
    module->dwarf = dwarf_begin(module->library.file, DWARF_C_READ);
    Dwarf_CU *unit = NULL;
    bool known = shared && module->dwarf && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 &&
                 dwarf_get_units(module->dwarf, unit, &unit, NULL, NULL, &module->unit, NULL) == 0;
    if (known) {
        module->base = map->l_addr;
        take_ranges(module, shared);
        module->weights = range_of(shared + 4);
        module->runs_ahead = dlsym(handle, "sim_runs_ahead") != NULL;
        known = find_ranges(module);
    }
    if (!known) {
        return error_set(error, STATUS_FAILED,
                         "the compiled kernel has no debug information: set CC to gcc or clang without -s");
    }
    return STATUS_OK;
}

void sim_module_close(struct sim_module *module) {
    if (module->dwarf) {
        dwarf_end(module->dwarf);
        module->dwarf = NULL;
    }
    sim_program_destroy(module->program);
    module->program = NULL;
    sim_library_close(&module->library);
}

// ---- Lines ----

static bool has_end(const char *text, const char *end) {
    const size_t length = strlen(text), count = strlen(end);
    return length >= count && !strcmp(text + length - count, end);
}

// Whether it is one of the dialect's headers that define functions. Users have folders of this name, too.
static bool is_dialect(const char *file) {
    const struct kernel_header *header = kernel_headers;
    while (header->name && !has_end(file, header->name)) {
        header++;
    }
    return header->name || has_end(file, "device/kernel/kernel_c11.h");
}

// Finds the line that calls an inlined function.
static void call_site(const struct sim_module *module, Dwarf_Die *inlined, const char **file, uint32_t *line) {
    Dwarf_Attribute attribute;
    Dwarf_Word file_number, line_number;
    Dwarf_Files *files;
    Dwarf_Die unit = module->unit;
    if (dwarf_tag(inlined) != DW_TAG_inlined_subroutine ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file_number) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line_number) != 0 ||
        dwarf_getsrcfiles(&unit, &files, NULL) != 0) {
        return;
    }
    const char *caller = dwarf_filesrc(files, file_number, NULL, NULL);
    if (caller) {
        *file = caller;
        *line = (uint32_t)line_number;
    }
}

// Moves from a line of the dialect to the line of the function that calls it, through all calls that were inlined.
static void leave_dialect(const struct sim_module *module, Dwarf_Addr address, const char **file, uint32_t *line) {
    Dwarf_Die unit = module->unit, *innermost = NULL, *scopes = NULL;
    const bool found = is_dialect(*file) && dwarf_getscopes(&unit, address, &innermost) > 0;
    const int count = found ? dwarf_getscopes_die(&innermost[0], &scopes) : 0; // from there outwards
    for (int i = 0; i < count && is_dialect(*file); i++) {
        call_site(module, &scopes[i], file, line);
    }
    free(innermost);
    free(scopes);
}

// Compilers prepend the working folder to relative paths. This removes it, so that messages show the name in #line.
static const char *as_named(const struct sim_module *module, const char *file) {
    Dwarf_Attribute attribute;
    Dwarf_Die unit = module->unit;
    const char *folder = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
    size_t length = folder ? strlen(folder) : 0;
    if (!length || strncmp(file, folder, length) != 0 || file[length] != '/') {
        return file;
    }
    file += length + 1;
    return strncmp(file, "./", 2) ? file : file + 2;
}

void sim_module_source_line(const struct sim_module *module, uintptr_t pc, const char **file, uint32_t *line) {
    if (module->program) {
        find_program_line(module, pc, file, line);
        return;
    }
    Dwarf_Die unit = module->unit;
    Dwarf_Addr address = pc - module->base - 1; // inside the call instruction, not after it
    Dwarf_Line *row = dwarf_getsrc_die(&unit, address);
    int number = 0;
    *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
    *line = row && dwarf_lineno(row, &number) == 0 ? (uint32_t)number : 0;
    if (!*file) {
        return;
    }
    leave_dialect(module, address, file, line);
    *file = as_named(module, *file);
}

char *sim_module_source_text(const struct sim_module *module, uintptr_t pc, char *text, size_t size) {
    const char *file;
    uint32_t line;
    sim_module_source_line(module, pc, &file, &line);
    snprintf(text, size, "%s:%" PRIu32, file ? file : "(unknown line)", line);
    return text;
}

// ---- Entries ----

// Finds a static variable's address; false if it has none.
static bool variable_address(const struct sim_module *module, Dwarf_Die *die, uintptr_t *address) {
    Dwarf_Attribute attribute, value;
    Dwarf_Op *operation;
    size_t count;
    if (dwarf_tag(die) != DW_TAG_variable ||
        dwarf_getlocation(dwarf_attr(die, DW_AT_location, &attribute), &operation, &count) != 0) {
        return false;
    }
    if (count != 1 || (operation->atom != DW_OP_addr && operation->atom != DW_OP_addrx)) {
        return false;
    }
    Dwarf_Word place = operation->number;
    if (operation->atom == DW_OP_addrx &&
        (dwarf_getlocation_attr(&attribute, operation, &value) != 0 || dwarf_formaddr(&value, &place) != 0)) {
        return false;
    }
    *address = module->base + place;
    return true;
}

// Describes a static variable in shared memory; false if the entry is something else.
static bool shared_variable(const struct sim_module *module, Dwarf_Die *die, struct sim_variable *variable) {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Word size;
    uintptr_t place;
    if (!variable_address(module, die, &place) || place < module->shared.begin || place >= module->shared.end ||
        !dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &type) ||
        dwarf_aggregate_size(&type, &size) != 0) {
        return false;
    }
    *variable = (struct sim_variable){dwarf_diename(die), place - module->shared.begin, size};
    return true;
}

static void add_variable(struct sim_entry *entry, const struct sim_variable *variable) {
    entry->shared = memory_room(entry->shared, entry->shared_count, sizeof *entry->shared);
    entry->shared[entry->shared_count++] = *variable;
}

// Adds the shared variables in a scope, but not those of functions in it.
static void add_variables(const struct sim_module *module, Dwarf_Die *scope, struct sim_entry *entry) {
    Dwarf_Die child;
    for (int end = dwarf_child(scope, &child); end == 0; end = dwarf_siblingof(&child, &child)) {
        struct sim_variable variable;
        if (shared_variable(module, &child, &variable)) {
            add_variable(entry, &variable);
        }
        if (dwarf_tag(&child) == DW_TAG_lexical_block) {
            add_variables(module, &child, entry);
        }
    }
}

// Kernels are the only functions that the library exports.
static bool is_kernel(const struct sim_module *module, Dwarf_Die *die) {
    const char *name = dwarf_diename(die);
    return dwarf_tag(die) == DW_TAG_subprogram && name && dlsym(module->library.handle, name) != NULL &&
           dwarf_hasattr(die, DW_AT_low_pc);
}

// Finds the shared variables that a kernel may use: its own, those of functions that are not kernels, and those outside
// of functions.
static void find_variables(const struct sim_module *module, struct sim_entry *entry) {
    Dwarf_Die unit = module->unit, die;
    if (module->program) {
        for (size_t i = 0; i < module->program->shared_count; i++) {
            add_variable(entry, &module->program->shared[i]);
        }
        return;
    }
    for (int end = dwarf_child(&unit, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
        if (dwarf_tag(&die) == DW_TAG_subprogram &&
            (!is_kernel(module, &die) || !strcmp(dwarf_diename(&die), entry->name))) {
            add_variables(module, &die, entry);
        }
    }
    add_variables(module, &unit, entry);
}

static void measure_shared(const struct sim_module *module, struct sim_entry *entry) {
    const size_t bytes = module->shared.end - module->shared.begin;
    entry->shared_valid = memory_zeros(bytes, 1);
    find_variables(module, entry);
    for (size_t i = 0; i < entry->shared_count; i++) {
        memset(entry->shared_valid + entry->shared[i].offset, 1, entry->shared[i].bytes);
    }
    for (size_t i = 0; i < bytes; i++) {
        entry->shared_bytes += entry->shared_valid[i];
    }
}

const struct sim_variable *sim_module_nearest_shared(const struct sim_entry *entry, size_t offset) {
    const struct sim_variable *nearest = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < entry->shared_count; i++) {
        const struct sim_variable *own = &entry->shared[i];
        const size_t end = own->offset + own->bytes;
        const size_t distance = offset < own->offset ? own->offset - offset : offset >= end ? offset - end + 1 : 0;
        if (distance < least) {
            least = distance;
            nearest = own;
        }
    }
    return nearest;
}

// The order of the source: kernels from one macro share line and column, and clang gives no column.
static int by_place(const void *left, const void *right) {
    Dwarf_Die a = *(const Dwarf_Die *)left, b = *(const Dwarf_Die *)right;
    int lines[2] = {0}, columns[2] = {0};
    dwarf_decl_line(&a, &lines[0]);
    dwarf_decl_line(&b, &lines[1]);
    dwarf_decl_column(&a, &columns[0]);
    dwarf_decl_column(&b, &columns[1]);
    return lines[0] != lines[1]                        ? lines[0] - lines[1]
           : columns[0] != columns[1]                  ? columns[0] - columns[1]
           : dwarf_dieoffset(&a) < dwarf_dieoffset(&b) ? -1
                                                       : 1;
}

static enum status choose_kernel(const struct sim_module *module, const char *name, Dwarf_Die *found,
                                 struct error *error) {
    static const char missing[] = "kernel in the file: mark one with __global__";
    Dwarf_Die unit = module->unit, die, *kernels = NULL;
    size_t count = 0, chosen = 0;
    for (int end = dwarf_child(&unit, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
        if (is_kernel(module, &die)) {
            kernels = memory_room(kernels, count, sizeof *kernels);
            kernels[count++] = die;
        }
    }
    if (count > 0) {
        qsort(kernels, count, sizeof *kernels, by_place);
    }
    const char **names = memory_zeros(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = dwarf_diename(&kernels[i]);
    }
    const enum status status = sim_entry_choose(NULL, name, names, count, missing, &chosen, error);
    if (status == STATUS_OK) {
        *found = kernels[chosen];
    }
    free(names);
    free(kernels);
    return status;
}

enum status sim_module_entry(const struct sim_module *module, const char *name, struct sim_entry *entry,
                             struct error *error) {
    Dwarf_Die die;
    *entry = (struct sim_entry){0};
    if (module->program) {
        TRY(find_program_entry(module, entry, error));
        measure_shared(module, entry);
        return STATUS_OK;
    }
    TRY(choose_kernel(module, name, &die, error));
    snprintf(entry->name, sizeof entry->name, "%s", dwarf_diename(&die));
    if (!sim_parameters_read(&die, &entry->parameters)) {
        return error_set(error, STATUS_FAILED, "%s: more than %d parameters: put them in memory", entry->name,
                         SIM_PARAMETERS);
    }
    // ISO C has no cast from an object pointer to a function pointer.
    void *symbol = dlsym(module->library.handle, entry->name);
    memcpy(&entry->function, &symbol, sizeof symbol);
    measure_shared(module, entry);
    return STATUS_OK;
}
