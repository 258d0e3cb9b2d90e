#include "sim/compile/parameters.h"

#include <dwarf.h>

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
