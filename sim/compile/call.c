#include "sim/compile/call.h"

#include <dwarf.h>
#include <string.h>

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

// The members of a struct and of its bases, but no bit fields. Static members take no room.
static bool add_members(Dwarf_Die *type, struct place place) {
    Dwarf_Die child, of_member;
    Dwarf_Attribute attribute;
    if (number_of(type, DW_AT_calling_convention, DW_CC_normal) == DW_CC_pass_by_reference) {
        place.parameter->by_reference = true;
    }
    widen_alignment(place.parameter, number_of(type, DW_AT_alignment, 1));
    for (int end = dwarf_child(type, &child); end == 0; end = dwarf_siblingof(&child, &child)) {
        const int tag = dwarf_tag(&child);
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(&child, DW_AT_external)) {
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
    case DW_TAG_class_type:
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
    const bool is_struct = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    parameter->bytes = tag == DW_TAG_pointer_type ? (uint32_t)sizeof(void *) : (uint32_t)dwarf_bytesize(&type);
    if (add_type(&type, (struct place){all, parameter, 0})) {
        parameter->kind = is_struct ? SIM_PARAMETER_STRUCT : all->fields[parameter->field].kind;
    }
}

bool sim_parameters_read(Dwarf_Die *function, struct sim_parameters *parameters) {
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

// Whether no register and no stack is used for it, as for an empty class on x86-64.
static bool is_left_out(const struct sim_parameter *parameter) {
    return parameter->kind == SIM_PARAMETER_STRUCT && parameter->field_count == 0 && !parameter->by_reference;
}

static ffi_type *type_of_parameter(struct sim_call *call, size_t number, const struct sim_parameters *parameters,
                                   ffi_type ***elements) {
    const struct sim_parameter *parameter = &parameters->list[number];
    if (parameter->by_reference) {
        return &ffi_type_pointer;
    }
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
    uint64_t bytes = 0, copied = 0;
    for (size_t i = 0; i < parameters->count; i++) {
        const struct sim_parameter *parameter = &parameters->list[i];
        if (parameter->kind == SIM_PARAMETER_OTHER) {
            return error_set(error, STATUS_FAILED,
                             "kernel %s: parameter '%s' is neither a pointer, a number nor a plain struct of these: "
                             "pass one",
                             kernel, parameter->name);
        }
        bytes += parameter->bytes + SIM_CALL_ALIGNMENT;
        copied += parameter->by_reference ? parameter->bytes + SIM_CALL_ALIGNMENT : 0;
        if (!is_left_out(parameter)) {
            call->types[count++] = type_of_parameter(call, i, parameters, &elements);
        }
    }
    if (bytes > SIM_CALL_BYTES || copied > SIM_CALL_COPIED ||
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
        values->are_words = is_word(&parameters->list[i]) && !parameters->list[i].by_reference && field->bytes >= 4;
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
        if (parameter->by_reference) {
            values->references[values->reference_count++] = (struct sim_call_reference){count, at, parameter->bytes};
        }
        if (!is_left_out(parameter)) {
            values->values[count++] = at;
        }
        at += (parameter->bytes + SIM_CALL_ALIGNMENT - 1) / SIM_CALL_ALIGNMENT * SIM_CALL_ALIGNMENT;
    }
    fill_words(parameters, launch, values);
}
