#include "sim/ptx/writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/compile/text.h"
#include "sim/ptx/parse/token.h"

// ---- Special registers ----

#define AXES(name, which)                                                                                              \
    {name ".x", "sim_ptx_special(" which ")"}, {name ".y", "sim_ptx_special(" which " + 1)"}, {                        \
        name ".z", "sim_ptx_special(" which " + 2)"                                                                    \
    }
// Of the grid in clusters, or of a block in its cluster: the grid's index divided by the cluster's size, or the rest.
#define CLUSTER_AXES(name, which, division)                                                                            \
    {name ".x", "(sim_ptx_special(" which ") " division " PTX_CLUSTER_X)"},                                            \
        {name ".y", "(sim_ptx_special(" which " + 1) " division " PTX_CLUSTER_Y)"}, {                                  \
        name ".z", "(sim_ptx_special(" which " + 2) " division " PTX_CLUSTER_Z)"                                       \
    }
#define LANE "sim_ptx_special(SIM_PTX_LANEID)"

static const struct {
    const char *name, *expression;
} registers[] = {
    AXES("%tid", "SIM_PTX_TID"),
    AXES("%ntid", "SIM_PTX_NTID"),
    AXES("%ctaid", "SIM_PTX_CTAID"),
    AXES("%nctaid", "SIM_PTX_NCTAID"),
    CLUSTER_AXES("%clusterid", "SIM_PTX_CTAID", "/"),
    CLUSTER_AXES("%nclusterid", "SIM_PTX_NCTAID", "/"),
    CLUSTER_AXES("%cluster_ctaid", "SIM_PTX_CTAID", "%"),
    {"%cluster_nctaid.x", "PTX_CLUSTER_X"},
    {"%cluster_nctaid.y", "PTX_CLUSTER_Y"},
    {"%cluster_nctaid.z", "PTX_CLUSTER_Z"},
    {"%cluster_ctarank", "cluster_rank()"},
    {"%cluster_nctarank", "PTX_CLUSTER_BLOCKS"},
    {"%is_explicit_cluster", "(PTX_CLUSTER_BLOCKS > 1)"},
    {"%laneid", LANE},
    {"%warpid", "sim_ptx_special(SIM_PTX_WARPID)"},
    {"%nwarpid", "32u"},
    {"%smid", "0u"},
    {"%nsmid", "1u"},
    {"%gridid", "UINT64_C(1)"},
    {"%lanemask_eq", "(1u << " LANE ")"},
    {"%lanemask_lt", "((1u << " LANE ") - 1)"},
    {"%lanemask_le", "(~0u >> (31 - " LANE "))"},
    {"%lanemask_gt", "(~1u << " LANE ")"},
    {"%lanemask_ge", "(~0u << " LANE ")"},
    {"%clock", "sim_cycles()"},
    {"%clock_hi", "(sim_cycles() >> 32)"},
    {"%clock64", "sim_cycles()"},
    {"%globaltimer", "sim_nanoseconds()"},
    {"%globaltimer_lo", "sim_nanoseconds()"},
    {"%globaltimer_hi", "(sim_nanoseconds() >> 32)"},
    {"%dynamic_smem_size", "sim_ptx_special(SIM_PTX_DYNAMIC_SHARED)"},
    {"%total_smem_size", "(sim_ptx_special(SIM_PTX_DYNAMIC_SHARED) + STATIC_SHARED_BYTES)"},
    {"%reserved_smem_offset_begin", "0u"},
    {"%reserved_smem_offset_end", "0u"},
    {"WARP_SZ", "32u"},
};

// The C expression of %tid.x and the like; NULL if the name is none of these.
static const char *ptx_special(struct ptx_text name) {
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        if (ptx_text_is(name, registers[i].name)) {
            return registers[i].expression;
        }
    }
    return NULL;
}

// ---- Operands ----

uint64_t ptx_symbol_bytes(const struct ptx_symbol *symbol) {
    return symbol->count * symbol->vector * symbol->type->bytes;
}

// The line of the statement, or the one that it was compiled from: that of the outermost call where calls were inlined.
static uint32_t line_of(const struct ptx_writer *writer) {
    const struct ptx_place *place = &writer->tree->places[writer->statement->place];
    while (place->inlined_at) {
        place = &writer->tree->places[place->inlined_at - 1];
    }
    return writer->program->source_name && place->line ? place->line : writer->statement->line;
}

void ptx_refuse(struct ptx_writer *writer, const char *format, ...) {
    if (writer->status != STATUS_OK) {
        return;
    }
    struct ptx_fault fault = {writer->program->file_name, 0, {"", 0}};
    if (writer->statement) {
        fault.line = line_of(writer);
        fault.opcode = writer->statement->name;
    }
    va_list arguments;
    va_start(arguments, format);
    writer->status = ptx_report_fault(writer->error, STATUS_FAILED, &fault, format, arguments);
    va_end(arguments);
}

void ptx_leave_out(struct ptx_writer *writer, const struct ptx_operand *targets) {
    const struct ptx_text name = writer->statement->name;
    struct sim_program *program = writer->program;
    if (!*program->note) {
        snprintf(program->note, sizeof program->note,
                 "%.100s:%" PRIu32
                 ": %.*s is not computed: what it gives reads as -1 or not a number; requests to memory "
                 "are counted",
                 program->file_name, line_of(writer), name.length > 60 ? 60 : (int)name.length, name.at);
    }
    for (; targets; targets = targets->next) {
        ptx_write(writer, "$* = -1; ", targets);
    }
}

bool ptx_has_part(const struct ptx_statement *statement, const char *part) {
    for (size_t i = 1; i < statement->part_count; i++) {
        if (ptx_text_is(statement->parts[i], part)) {
            return true;
        }
    }
    return false;
}

const struct ptx_type *ptx_type_part(const struct ptx_statement *statement, size_t n) {
    for (size_t i = 1; i < statement->part_count; i++) {
        const struct ptx_type *type = ptx_type_find(statement->parts[i]);
        if (type && n-- == 0) {
            return type;
        }
    }
    return NULL;
}

const struct ptx_type *ptx_expect_type(struct ptx_writer *writer, size_t n) {
    const struct ptx_type *type = ptx_type_part(writer->statement, n);
    if (!type) {
        ptx_refuse(writer, "its type is missing: give a PTX file that ptxas accepts");
    }
    return type ? type : ptx_type_named("b32");
}

size_t ptx_count_types(const struct ptx_statement *statement) {
    size_t count = 0;
    while (ptx_type_part(statement, count)) {
        count++;
    }
    return count;
}

size_t ptx_count_operands(const struct ptx_operand *operands) {
    size_t count = 0;
    for (; operands; operands = operands->next) {
        count++;
    }
    return count;
}

const struct ptx_operand *ptx_operand(struct ptx_writer *writer, size_t n) {
    static const struct ptx_operand none;
    const struct ptx_operand *operand = writer->statement->operands;
    for (size_t i = 0; operand && i < n; i++) {
        operand = operand->next;
    }
    if (!operand) {
        ptx_refuse(writer, "operand %zu is missing: give a PTX file that ptxas accepts",
                   ptx_count_operands(writer->statement->operands) + 1);
    }
    return operand ? operand : &none;
}

struct ptx_symbol *ptx_symbol_of(struct ptx_writer *writer, const struct ptx_operand *operand, uint64_t *member) {
    const struct ptx_text *name = &operand->name;
    if (operand->kind != PTX_OPERAND_NAME) {
        ptx_refuse(writer, "a name is expected as an operand: give a PTX file that ptxas accepts");
        return NULL;
    }
    struct ptx_symbol *symbol = ptx_symbol_find(writer->tree, writer->statement->scope, *name, member);
    if (!symbol) {
        ptx_refuse(writer, "%.*s is not declared: give a PTX file that ptxas accepts",
                   name->length > 80 ? 80 : (int)name->length, name->at);
    }
    return symbol;
}

bool ptx_is_sink(const struct ptx_operand *operand) {
    return operand->kind == PTX_OPERAND_NAME && ptx_text_is(operand->name, "_");
}

static struct ptx_symbol *register_of(struct ptx_writer *writer, const struct ptx_operand *operand, uint64_t *member) {
    struct ptx_symbol *symbol = ptx_symbol_of(writer, operand, member);
    if (symbol && (symbol->kind != PTX_SYMBOL_VARIABLE || symbol->space != PTX_SPACE_REG)) {
        ptx_refuse(writer, "%.*s is no register: give a PTX file that ptxas accepts", (int)operand->name.length,
                   operand->name.at);
        return NULL;
    }
    if (symbol && symbol->vector > 1) {
        ptx_refuse(writer, "a vector register is not supported: declare its elements one by one");
        return NULL;
    }
    return symbol;
}

const struct ptx_type *ptx_register_type(struct ptx_writer *writer, const struct ptx_operand *operand) {
    uint64_t member;
    const struct ptx_symbol *symbol = register_of(writer, operand, &member);
    return symbol ? symbol->type : NULL;
}

static void write_register(struct ptx_writer *writer, const struct ptx_operand *operand) {
    uint64_t member;
    struct ptx_symbol *symbol = register_of(writer, operand, &member);
    if (symbol) {
        symbol->used = true;
        if (symbol->members) {
            symbol->members[member] = 1;
        }
        fprintf(writer->out, "r%" PRIu32 "_%" PRIu64, symbol->id, member);
    }
}

// Unused bytes around each variable, so that an overrun reaches no other variable.
enum {
    GAP = 256
};

static void place_shared(struct ptx_writer *writer, struct ptx_symbol *symbol) {
    if (symbol->used || symbol->external) {
        symbol->used = true;
        return;
    }
    const uint64_t align = symbol->align > GAP ? symbol->align : GAP;
    symbol->used = true;
    symbol->place = (writer->shared_bytes + align - 1) / align * align;
    writer->shared_bytes = symbol->place + ptx_symbol_bytes(symbol) + GAP;
}

void ptx_write_address_of(struct ptx_writer *writer, struct ptx_symbol *symbol) {
    if (symbol->kind == PTX_SYMBOL_FUNCTION) {
        symbol->used = true;
        fprintf(writer->out, "(uint64_t)(uintptr_t)f%" PRIu32, symbol->id);
    } else if (symbol->kind != PTX_SYMBOL_VARIABLE || symbol->space == PTX_SPACE_REG) {
        ptx_refuse(writer, "%.*s has no address: give a PTX file that ptxas accepts", (int)symbol->name.length,
                   symbol->name.at);
    } else if (symbol->space == PTX_SPACE_SHARED) {
        place_shared(writer, symbol);
        fprintf(writer->out, symbol->external ? "(uint64_t)STATIC_SHARED_BYTES" : "UINT64_C(%" PRIu64 ")",
                symbol->place);
    } else {
        symbol->used = true;
        fprintf(writer->out, "(uint64_t)(uintptr_t)v%" PRIu32, symbol->id);
    }
}

// A real number without a size is one of 64 bits.
uint64_t ptx_number_bits(const struct ptx_operand *operand, const struct ptx_type *type) {
    double wide;
    memcpy(&wide, &operand->value, sizeof wide);
    if (operand->kind == PTX_OPERAND_FLOAT64 && type->bytes == 4) {
        const float narrow = (float)wide;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    return operand->value;
}

// A name as a source: a register, a special register, the address of a variable.
static void write_name(struct ptx_writer *writer, const struct ptx_operand *operand, const struct ptx_type *type) {
    const char *special = ptx_special(operand->name);
    if (special) {
        fputs(special, writer->out);
        return;
    }
    uint64_t member;
    struct ptx_symbol *symbol = ptx_symbol_of(writer, operand, &member);
    if (!symbol) {
        return;
    }
    if (symbol->kind != PTX_SYMBOL_VARIABLE || symbol->space != PTX_SPACE_REG) {
        fputc('(', writer->out);
        ptx_write_address_of(writer, symbol);
        fprintf(writer->out, " + UINT64_C(%" PRIu64 "))", operand->value);
        return;
    }
    if (symbol->type->bytes < type->bytes) {
        ptx_refuse(writer, "%.*s is too narrow for the instruction's type: give a PTX file that ptxas accepts",
                   (int)operand->name.length, operand->name.at);
    }
    if (operand->negated) {
        fputc('!', writer->out);
    }
    write_register(writer, operand);
}

// An operand's value, as a C expression of the type's bits, or of its number.
static void write_bits(struct ptx_writer *writer, const struct ptx_operand *operand, const struct ptx_type *type) {
    fprintf(writer->out, "(%s)", type->lanes > 1 ? ptx_type_of(PTX_CLASS_BITS, type->bytes)->bits : type->bits);
    if (operand->kind == PTX_OPERAND_NAME) {
        write_name(writer, operand, type);
    } else if (operand->kind == PTX_OPERAND_LIST || operand->kind == PTX_OPERAND_ADDRESS) {
        ptx_refuse(writer, "a register or a number is expected as an operand: give a PTX file that ptxas accepts");
    } else {
        fprintf(writer->out, "UINT64_C(%" PRIu64 ")", ptx_number_bits(operand, type));
    }
}

static void write_number(struct ptx_writer *writer, const struct ptx_operand *operand, const struct ptx_type *type) {
    fprintf(writer->out, *type->from ? "%s(" : "((%s)", *type->from ? type->from : type->number);
    write_bits(writer, operand, type);
    fputc(')', writer->out);
}

static void write_address(struct ptx_writer *writer, const struct ptx_operand *operand, enum ptx_space space) {
    const struct ptx_operand *base = operand->items;
    if (operand->kind != PTX_OPERAND_ADDRESS || !base) {
        ptx_refuse(writer, "an address in brackets is expected: give a PTX file that ptxas accepts");
        return;
    }
    if (base->next) {
        ptx_refuse(writer, "an address with coordinates is not supported: copy without a tensor map");
        return;
    }
    uint64_t member;
    const struct ptx_symbol *symbol = base->kind == PTX_OPERAND_NAME ? ptx_symbol_of(writer, base, &member) : NULL;
    const bool is_register = symbol && symbol->kind == PTX_SYMBOL_VARIABLE && symbol->space == PTX_SPACE_REG;
    const bool is_shared = space == PTX_SPACE_SHARED || (symbol && !is_register && symbol->space == PTX_SPACE_SHARED);
    fputs(is_shared ? "from_shared(" : "(", writer->out);
    write_bits(writer, base, is_register ? symbol->type : ptx_type_named("b64"));
    fprintf(writer->out, " + UINT64_C(%" PRIu64 "))", operand->value);
}

// Copies in bulk name the cluster's memory, too, but do not pass through a unit's loads and stores.
static bool goes_by_cluster(const struct ptx_statement *statement) {
    return ptx_has_part(statement, "shared::cluster") && !ptx_text_is(statement->parts[0], "cp");
}

static void write_site(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    fprintf(writer->out, "SITE(%" PRIu32 "), depth", writer->program->site_count);
    sim_program_add_site(writer->program, statement->line, statement->place)->by_cluster = goes_by_cluster(statement);
}

static void write_target(struct ptx_writer *writer, const struct ptx_operand *operand) {
    if (ptx_is_sink(operand)) {
        fputs("(void)", writer->out);
        return;
    }
    const struct ptx_type *type = ptx_register_type(writer, operand);
    write_register(writer, operand);
    fprintf(writer->out, " = (%s)", type ? type->bits : "");
}

// ---- Templates ----

// Writes what stands for a $ in ptx_write; returns the text behind it.
static const char *write_operand(void *context, const char *at, va_list *arguments) {
    struct ptx_writer *writer = context;
    static const char site[] = "$site";
    if (!strncmp(at, site, strlen(site))) {
        write_site(writer);
        return at + strlen(site);
    }
    const struct ptx_operand *operand =
        at[1] == '*' ? va_arg(*arguments, const struct ptx_operand *) : ptx_operand(writer, (size_t)(at[1] - '0'));
    const struct ptx_text type = {at + 3, strcspn(at + 3, " ;,)}")};
    switch (at[2] == ':' ? *type.at : '=') {
    case '=':
        write_target(writer, operand);
        return at + strlen("$0 = ");
    case 'A':
        write_address(writer, operand, va_arg(*arguments, enum ptx_space));
        break;
    case 'N':
        write_number(writer, operand, va_arg(*arguments, const struct ptx_type *));
        break;
    case 'T':
        write_bits(writer, operand, va_arg(*arguments, const struct ptx_type *));
        break;
    default:
        write_bits(writer, operand, ptx_type_find(type));
        break;
    }
    return type.at + type.length;
}

void ptx_write(struct ptx_writer *writer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (writer->status == STATUS_OK) {
        sim_text_write(writer->out, format, &arguments, write_operand, writer);
    }
    va_end(arguments);
}
