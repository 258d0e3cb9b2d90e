#include "sim/ptx/function.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/ptx/arithmetic.h"
#include "sim/ptx/flow.h"
#include "sim/ptx/instruction.h"

// ---- Instructions ----

static void write_unknown(struct ptx_writer *writer) {
    static const struct {
        const char *opcode, *message;
    } unknown[] = {{"tex", "textures are not supported: give the data as a buffer and read it with ld.global"},
                   {"tld4", "textures are not supported: give the data as a buffer and read it with ld.global"},
                   {"suld", "surfaces are not supported: give the data as a buffer and read it with ld.global"},
                   {"sust", "surfaces are not supported: give a buffer and write it with st.global"},
                   {"tcgen05", "the tensor cores of sm_100 are not supported: compile for sm_90"}};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        if (ptx_text_is(writer->statement->parts[0], unknown[i].opcode)) {
            ptx_refuse(writer, "%s", unknown[i].message);
        }
    }
    ptx_refuse(writer, "this instruction is not supported: write it with others, or run the CUDA source by --kernel");
}

static bool writes_own_guard(const struct ptx_statement *statement) {
    return ptx_text_is(statement->parts[0], "bra") || ptx_text_is(statement->parts[0], "brx");
}

static void write_instruction(struct ptx_writer *writer, struct ptx_statement *statement) {
    const struct ptx_operand *guard = statement->guard;
    const uint32_t sites = writer->site_count;
    if (guard && !writes_own_guard(writer->statement)) {
        fputs("if (", writer->out);
        ptx_write_bits(writer, guard, ptx_type_named("pred"));
        fputs(") ", writer->out);
    }
    if (!ptx_write_move(writer) && !ptx_write_memory(writer) && !ptx_write_compare(writer) &&
        !ptx_write_convert(writer) && !ptx_write_control(writer) && !ptx_write_call(writer) &&
        !ptx_write_warp(writer) && !ptx_write_async(writer) && !ptx_write_matrix(writer) && !ptx_write_group(writer) &&
        !ptx_write_wmma(writer) && !ptx_write_arithmetic(writer)) {
        write_unknown(writer);
    }
    statement->site = sites;
    statement->sites = writer->site_count - sites;
    if (statement->sites == 0 && sites > 0) {
        writer->sites[sites - 1].weight++;
    }
}

static void write_label(struct ptx_writer *writer, const struct ptx_statement *statement) {
    struct ptx_symbol *symbol = ptx_symbol_in(writer->tree, statement->scope, statement->name);
    symbol->place = 1; // a jump to it is a jump back from here on
    fprintf(writer->out, "L%" PRIu32 ":;\n", symbol->id);
}

static void write_body(struct ptx_writer *writer, const struct ptx_function *function) {
    for (struct ptx_statement *statement = function->statements; statement && writer->status == STATUS_OK;
         statement = statement->next) {
        writer->statement = statement;
        if (statement->kind == PTX_STATEMENT_LABEL) {
            write_label(writer, statement);
        } else {
            write_instruction(writer, statement);
        }
    }
    ptx_find_needs(writer, function);
}

// ---- Declarations of a function ----

static bool belongs_to(const struct ptx_symbol *symbol, const struct ptx_function *function) {
    const struct ptx_scope *scope = symbol->scope;
    while (scope && scope != function->scope) {
        scope = scope->parent;
    }
    return scope != NULL;
}

static bool is_parameter(const struct ptx_symbol *symbol, const struct ptx_function *function) {
    for (size_t i = 0; i < function->parameter_count; i++) {
        if (function->parameters[i] == symbol) {
            return true;
        }
    }
    for (size_t i = 0; i < function->result_count; i++) {
        if (function->results[i] == symbol) {
            return true;
        }
    }
    return false;
}

static uint32_t alignment_of(const struct ptx_symbol *symbol) {
    return symbol->align > 16 ? symbol->align : 16;
}

static void write_registers(FILE *out, const struct ptx_symbol *symbol) {
    for (uint64_t i = 0; i < (symbol->range ? symbol->count : 1); i++) {
        if (!symbol->members || symbol->members[i]) {
            fprintf(out, "%s r%" PRIu32 "_%" PRIu64 " = 0; ", symbol->type->bits, symbol->id, i);
        }
    }
}

static void write_declarations(FILE *out, const struct ptx_writer *writer, const struct ptx_function *function) {
    for (const struct ptx_symbol *symbol = writer->tree->symbols; symbol; symbol = symbol->next) {
        if (symbol->kind != PTX_SYMBOL_VARIABLE || !belongs_to(symbol, function)) {
            continue;
        }
        if (symbol->space == PTX_SPACE_REG && symbol->used) {
            write_registers(out, symbol);
        } else if ((symbol->space == PTX_SPACE_LOCAL && symbol->used) ||
                   (symbol->space == PTX_SPACE_PARAM && !is_parameter(symbol, function))) {
            fprintf(out, "unsigned char v%" PRIu32 "[%" PRIu64 "] __attribute__((aligned(%" PRIu32 "))); ", symbol->id,
                    ptx_symbol_bytes(symbol) + 1, alignment_of(symbol));
        }
    }
}

uint32_t ptx_parameter_place(const struct ptx_symbol *symbol, uint32_t end) {
    return (end + symbol->align - 1) / symbol->align * symbol->align;
}

static void write_entry_parameters(FILE *out, const struct ptx_function *function) {
    uint32_t place = 0;
    for (size_t i = 0; i < function->parameter_count; i++) {
        const struct ptx_symbol *symbol = function->parameters[i];
        place = ptx_parameter_place(symbol, place);
        fprintf(out, "unsigned char *const v%" PRIu32 " = sim_ptx_parameters + %" PRIu32 "; ", symbol->id, place);
        place += (uint32_t)ptx_symbol_bytes(symbol);
    }
}

void ptx_write_signature(FILE *out, const struct ptx_function *function) {
    if (function->entry) {
        fputs("__attribute__((visibility(\"default\"))) void sim_program_entry(void)", out);
        return;
    }
    fprintf(out, "static void f%" PRIu32 "(uint32_t depth", function->symbol->id);
    for (size_t i = 0; i < function->result_count; i++) {
        fprintf(out, ", unsigned char *v%" PRIu32, function->results[i]->id);
    }
    for (size_t i = 0; i < function->parameter_count; i++) {
        fprintf(out, ", unsigned char *v%" PRIu32, function->parameters[i]->id);
    }
    fputc(')', out);
}

void ptx_write_function(struct ptx_writer *writer, const struct ptx_function *function) {
    FILE *out = writer->out;
    char *body = NULL;
    size_t size;
    FILE *stream = open_memstream(&body, &size);
    if (!stream) {
        ptx_refuse(writer, "no memory for the translation: close other programs");
        return;
    }
    writer->function = function;
    writer->out = stream;
    write_body(writer, function);
    writer->out = out;
    if (fclose(stream) != 0) {
        ptx_refuse(writer, "no memory for the translation: close other programs");
    } else {
        ptx_write_signature(out, function);
        fputs(" {\n_Bool carry = 0; ", out);
        if (function->entry) {
            fputs("const uint32_t depth = 0; ", out);
            write_entry_parameters(out, function);
        }
        write_declarations(out, writer, function);
        fprintf(out, "\n%s}\n", body);
    }
    free(body);
}

// ---- Variables ----

static bool is_stored(const struct ptx_symbol *symbol) {
    return symbol->kind == PTX_SYMBOL_VARIABLE && symbol->used &&
           (symbol->space == PTX_SPACE_GLOBAL || symbol->space == PTX_SPACE_CONST);
}

static void write_declarator(FILE *out, const struct ptx_symbol *symbol) {
    fprintf(out, "static %s v%" PRIu32 "[%" PRIu64 "]", symbol->type->bits, symbol->id,
            symbol->count * symbol->vector + (symbol->count == 0));
    fprintf(out, " __attribute__((aligned(%" PRIu32 "), section(\"bankshot_data\")))", alignment_of(symbol));
}

static void write_initial(struct ptx_writer *writer, const struct ptx_symbol *symbol) {
    fputs(" = {", writer->out);
    for (const struct ptx_operand *value = symbol->values; value; value = value->next) {
        if (value->kind == PTX_OPERAND_NAME) {
            uint64_t member;
            struct ptx_symbol *named = ptx_symbol_find(writer->tree, symbol->scope, value->name, &member);
            if (!named || named->space == PTX_SPACE_SHARED) {
                ptx_refuse(writer, "the initial value of %.*s is not supported: store it in a kernel",
                           (int)symbol->name.length, symbol->name.at);
                return;
            }
            ptx_write_address_of(writer, named);
            fprintf(writer->out, " + %" PRIu64 ", ", value->value);
        } else {
            fprintf(writer->out, "(%s)UINT64_C(%" PRIu64 "), ", symbol->type->bits,
                    ptx_number_bits(value, symbol->type));
        }
    }
    fputs("}", writer->out);
}

static size_t count_stored(const struct ptx_tree *tree) {
    size_t count = 0;
    for (const struct ptx_symbol *symbol = tree->symbols; symbol; symbol = symbol->next) {
        count += is_stored(symbol);
    }
    return count;
}

// An initial value can name a variable that nothing else uses.
static void reach_variables(struct ptx_writer *writer) {
    size_t before;
    do {
        before = count_stored(writer->tree);
        for (const struct ptx_symbol *symbol = writer->tree->symbols; symbol; symbol = symbol->next) {
            for (const struct ptx_operand *value = is_stored(symbol) ? symbol->values : NULL; value;
                 value = value->next) {
                uint64_t member;
                struct ptx_symbol *named = value->kind == PTX_OPERAND_NAME
                                               ? ptx_symbol_find(writer->tree, symbol->scope, value->name, &member)
                                               : NULL;
                if (named) {
                    named->used = true;
                }
            }
        }
    } while (count_stored(writer->tree) > before);
}

void ptx_write_variables(struct ptx_writer *writer) {
    writer->statement = NULL;
    reach_variables(writer);
    for (const struct ptx_symbol *symbol = writer->tree->symbols; symbol; symbol = symbol->next) {
        if (is_stored(symbol) && symbol->external) {
            ptx_refuse(writer, "%.*s is not defined in the file: link the file that defines it",
                       (int)symbol->name.length, symbol->name.at);
        } else if (is_stored(symbol)) {
            write_declarator(writer->out, symbol);
            fputs(";\n", writer->out);
        }
    }
    for (const struct ptx_symbol *symbol = writer->tree->symbols; symbol; symbol = symbol->next) {
        if (is_stored(symbol) && symbol->values) {
            write_declarator(writer->out, symbol);
            write_initial(writer, symbol);
            fputs(";\n", writer->out);
        }
    }
}
