#include "sim/ptx/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/instruction.h"
#include "sim/ptx/parse/entry_name.h"
#include "sim/ptx/parse/parse.h"
#include "util/whole.h"

// ---- Loads that steps depend on ----

// Which loads the steps of a translated function depend on, so that the model knows what a warp waits for.

// Follows values from register to register. Compilers write most registers of PTX once, so that a register may keep all
// the loads that any of its values comes from. The file is read twice, because values also come from further down a
// loop.

// The loads that a register's value comes from; NULL if the operand is no register.
static uint64_t *loads_of(struct ptx_writer *writer, const struct ptx_statement *statement,
                          const struct ptx_operand *operand) {
    uint64_t member = 0;
    struct ptx_symbol *symbol = operand->kind == PTX_OPERAND_NAME
                                    ? ptx_symbol_find(writer->tree, statement->scope, operand->name, &member)
                                    : NULL;
    if (!symbol || symbol->kind != PTX_SYMBOL_VARIABLE || symbol->space != PTX_SPACE_REG || !symbol->used) {
        return NULL;
    }
    if (!symbol->loads) {
        symbol->loads = ptx_tree_allocate(writer->tree, (symbol->range ? symbol->count : 1) * sizeof *symbol->loads);
    }
    return &symbol->loads[symbol->range ? member : 0];
}

// The loads that an operand's values come from.
static uint64_t read_operand(struct ptx_writer *writer, const struct ptx_statement *statement,
                             const struct ptx_operand *operand) {
    const uint64_t *own = loads_of(writer, statement, operand);
    uint64_t loads = own ? *own : 0;
    for (const struct ptx_operand *item = operand->items; item; item = item->next) {
        loads |= read_operand(writer, statement, item);
    }
    return loads;
}

static void write_target(struct ptx_writer *writer, const struct ptx_statement *statement,
                         const struct ptx_operand *target, uint64_t loads) {
    uint64_t *own = loads_of(writer, statement, target);
    if (own) {
        *own |= loads;
    }
    for (const struct ptx_operand *item = target->items; item; item = item->next) {
        write_target(writer, statement, item, loads);
    }
    if (target->pair) {
        write_target(writer, statement, target->pair, loads);
    }
}

static void follow(struct ptx_writer *writer, const struct ptx_statement *statement) {
    const struct ptx_text opcode = statement->parts[0];
    const bool has_result = !ptx_text_is_among(opcode, "st|red|bra|brx|bar|barrier|stmatrix|cp", '|');
    const bool loads = statement->sites && ptx_text_is_among(opcode, "ld|ldu|ldmatrix|atom", '|');
    const struct ptx_operand *target = has_result ? statement->operands : NULL;
    uint64_t address = statement->guard ? read_operand(writer, statement, statement->guard) : 0, read = address;
    for (const struct ptx_operand *operand = statement->operands; operand; operand = operand->next) {
        const uint64_t own = operand == target ? 0 : read_operand(writer, statement, operand);
        read |= own;
        address |= operand->kind == PTX_OPERAND_ADDRESS ? own : 0;
    }
    if (statement->sites) {
        writer->program->sites[statement->site].needs.address |= address;
        writer->program->sites[statement->site].needs.returned = target && !ptx_is_sink(target);
    } else if (statement->site > 0) {
        writer->program->sites[statement->site - 1].needs.used |= read;
    }
    if (target) {
        write_target(writer, statement, target, loads ? UINT64_C(1) << statement->site % 64 : read);
    }
}

// Sets what the function's sites need, after it has been written.
static void ptx_find_needs(struct ptx_writer *writer, const struct ptx_function *function) {
    for (int pass = 0; pass < 2 && writer->status == STATUS_OK; pass++) {
        for (const struct ptx_statement *statement = function->statements; statement; statement = statement->next) {
            if (statement->kind == PTX_STATEMENT_INSTRUCTION && writer->program->site_count > 0) {
                follow(writer, statement);
            }
        }
    }
}

// ---- Instructions ----

static void write_unknown(struct ptx_writer *writer) {
    static const struct {
        const char *opcodes, *message;
    } unknown[] = {{"tex|tld4", "textures are not supported: give the data as a buffer and read it with ld.global"},
                   {"suld", "surfaces are not supported: give the data as a buffer and read it with ld.global"},
                   {"sust", "surfaces are not supported: give a buffer and write it with st.global"},
                   {"tcgen05", "the tensor cores of sm_100 are not supported: compile for sm_90"}};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        if (ptx_text_is_among(writer->statement->parts[0], unknown[i].opcodes, '|')) {
            ptx_refuse(writer, "%s", unknown[i].message);
        }
    }
    ptx_refuse(writer, "this instruction is not supported: write it with others, or run the CUDA source by --kernel");
}

static bool writes_own_guard(const struct ptx_statement *statement) {
    return ptx_text_is_among(statement->parts[0], "bra|brx", '|');
}

static void write_instruction(struct ptx_writer *writer, struct ptx_statement *statement) {
    const struct ptx_operand *guard = statement->guard;
    const struct sim_program *program = writer->program;
    const uint32_t sites = program->site_count;
    if (guard && !writes_own_guard(writer->statement)) {
        ptx_write(writer, "if ($*:pred) ", guard);
    }
    if (!ptx_write_memory(writer) && !ptx_write_control(writer) && !ptx_write_warp(writer) &&
        !ptx_write_arithmetic(writer)) {
        write_unknown(writer);
    }
    statement->site = sites;
    statement->sites = program->site_count - sites;
    if (statement->sites == 0 && sites > 0) {
        program->sites[sites - 1].weight++;
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

static void write_entry_parameters(FILE *out, const struct ptx_function *function) {
    for (size_t i = 0; i < function->parameter_count; i++) {
        const struct ptx_symbol *symbol = function->parameters[i];
        fprintf(out, "unsigned char *const v%" PRIu32 " = sim_parameters + %" PRIu64 "; ", symbol->id, symbol->place);
    }
}

// "static void f12(uint32_t depth, unsigned char *v13)"; an entry has no such parameters.
static void ptx_write_signature(FILE *out, const struct ptx_function *function) {
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

// Writes the whole function.
static void ptx_write_function(struct ptx_writer *writer, const struct ptx_function *function) {
    FILE *out = writer->out;
    struct written written;
    writer->function = function;
    writer->out = memory_stream(&written);
    write_body(writer, function);
    char *body = memory_stream_end(&written);
    writer->out = out;
    ptx_write_signature(out, function);
    fputs(" {\n_Bool carry = 0; ", out);
    if (function->entry) {
        fputs("const uint32_t depth = 0; ", out);
        write_entry_parameters(out, function);
    }
    write_declarations(out, writer, function);
    fprintf(out, "\n%s}\n", body);
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

// Declarations, then definitions of the used variables in global memory and constants.
static void ptx_write_variables(struct ptx_writer *writer) {
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

// The common part comes first.
struct ptx_program {
    struct sim_program common;
    char *text; // the PTX, which the tree points into
    struct ptx_tree tree;
    const char **files; // by their number
};

// ---- The entry ----

static const char *copy_of(struct ptx_tree *tree, struct ptx_text text) {
    char *copy = ptx_tree_allocate(tree, text.length + 1);
    return memcpy(copy, text.at, text.length);
}

static enum status find_entry(const struct sim_code *request, struct ptx_tree *tree, const struct ptx_function **found,
                              struct error *error) {
    const char **names = NULL;
    const struct ptx_function **entries = NULL;
    size_t count = 0, chosen = 0;
    for (const struct ptx_function *function = tree->functions; function; function = function->next) {
        if (function->entry && function->has_body) {
            names = memory_room(names, count, sizeof *names);
            entries = memory_room(entries, count, sizeof *entries);
            names[count] = copy_of(tree, function->name);
            entries[count++] = function;
        }
    }
    static const char missing[] = ".entry in the file: compile a __global__ function";
    const enum status status =
        sim_entry_choose(request->file_name, request->entry, names, count, missing, &chosen, error);
    *found = status == STATUS_OK ? entries[chosen] : NULL;
    free(names);
    free(entries);
    return status;
}

// ---- The translation ----

// The lowest 18 bits of a generic address of shared memory are its offset there, as on a GPU: kernels make wgmma's
// descriptors of them.
static const char head[] = "#define STATIC_SHARED_BYTES %" PRIu64 "\n"
                           "#define SHARED_BYTES (STATIC_SHARED_BYTES + %" PRIu32 ")\n"
                           "#define PTX_CLUSTER_X %" PRIu32 "u\n"
                           "#define PTX_CLUSTER_Y %" PRIu32 "u\n"
                           "#define PTX_CLUSTER_Z %" PRIu32 "u\n"
                           "#define PTX_WINDOW_SHIFT %d\n"
                           "#include \"sim/ptx/kernel/tensor.h\"\n"
                           "#include \"sim/ptx/kernel/fragment.h\"\n"
                           "#include \"sim/ptx/kernel/group.h\"\n"
                           "unsigned char sim_shared[PTX_CLUSTER_SHARED_BYTES]\n"
                           "    __attribute__((aligned(PTX_CLUSTER_BLOCKS > 1 ? PTX_WINDOW : 1 << 18)));\n"
                           "static unsigned char sim_parameters[%" PRIu32 "]\n"
                           "    __attribute__((used, aligned(4096), section(\"bankshot_data\"))) = {0};\n"
                           "static const char sites[%" PRIu32 "];\n"
                           "#define SITE(n) (sites + 1 + (n))\n";

// Translates the entry, then the functions that it calls, and those that they call.
static void write_functions(struct ptx_writer *writer, const struct ptx_function *entry) {
    bool more = true;
    ptx_write_function(writer, entry);
    while (more && writer->status == STATUS_OK) {
        more = false;
        for (struct ptx_function *function = writer->tree->functions; function; function = function->next) {
            if (function->symbol && function->symbol->function == function && function->symbol->used &&
                !function->reached && !function->entry) {
                function->reached = more = true;
                ptx_write_function(writer, function);
            }
        }
    }
}

static void write_prototypes(FILE *out, const struct ptx_tree *tree) {
    for (const struct ptx_function *function = tree->functions; function; function = function->next) {
        if (function->reached) {
            ptx_write_signature(out, function);
            fputs(";\n", out);
        }
    }
}

// Writes a part of the translation to a separate text.
static char *write_part(struct ptx_writer *writer, const struct ptx_function *entry) {
    struct written text;
    writer->out = memory_stream(&text);
    if (entry) {
        write_functions(writer, entry);
    } else {
        ptx_write_variables(writer);
    }
    return memory_stream_end(&text);
}

// Places the parameters one after another. Returns the bytes that they take.
static uint32_t place_parameters(const struct ptx_function *entry) {
    uint64_t end = 0;
    for (size_t i = 0; i < entry->parameter_count; i++) {
        struct ptx_symbol *symbol = entry->parameters[i];
        symbol->place = round_up(end, symbol->align);
        end = symbol->place + ptx_symbol_bytes(symbol);
    }
    return (uint32_t)end + 16;
}

static uint32_t cluster_size(const struct ptx_function *entry, int axis) {
    return entry->cluster[axis] ? (uint32_t)entry->cluster[axis] : 1;
}

// The shared memory of each block must fit into its window.
static enum status check_cluster(const struct sim_code *request, const struct ptx_function *entry,
                                 const struct ptx_writer *writer, struct error *error) {
    const uint64_t most = SIM_CLUSTER_BLOCKS, *size = entry->cluster;
    const uint64_t blocks = size[0] > most || size[1] > most || size[2] > most ? most + 1 : size[0] * size[1] * size[2];
    if (size[0] == 0 || blocks == 1) {
        return STATUS_OK;
    }
    if (blocks == 0 || blocks > most) {
        return error_set(error, STATUS_FAILED,
                         "%s:%" PRIu32 ": a cluster of %" PRIu64 "x%" PRIu64 "x%" PRIu64 " blocks: give it 1 to %d",
                         request->file_name, entry->line, size[0], size[1], size[2], SIM_CLUSTER_BLOCKS);
    }
    if (writer->shared_bytes + 1024 + request->dynamic_bytes > UINT64_C(1) << SIM_WINDOW_SHIFT) {
        return error_set(error, STATUS_FAILED,
                         "%s:%" PRIu32 ": %" PRIu64 " bytes of static shared memory: a block has less",
                         request->file_name, entry->line, writer->shared_bytes);
    }
    return STATUS_OK;
}

static char *assemble(const struct sim_code *request, struct ptx_writer *writer, const struct ptx_function *entry,
                      uint32_t parameter_bytes, const char *functions, const char *variables) {
    struct written text;
    FILE *out = memory_stream(&text);
    fprintf(out, head, (writer->shared_bytes + 1023) / 1024 * 1024, request->dynamic_bytes, cluster_size(entry, 0),
            cluster_size(entry, 1), cluster_size(entry, 2), SIM_WINDOW_SHIFT, parameter_bytes,
            writer->program->site_count + 2);
    write_prototypes(out, writer->tree);
    fputs(variables, out);
    fputs(functions, out);
    fputs(sim_program_tables, out);
    return memory_stream_end(&text);
}

static enum status translate(const struct sim_code *request, const struct ptx_function *entry,
                             struct ptx_program *program, struct error *error) {
    struct ptx_writer writer = {
        .program = &program->common, .tree = &program->tree, .status = STATUS_OK, .error = error};
    const uint32_t parameter_bytes = place_parameters(entry);
    char *functions = write_part(&writer, entry);
    char *variables = writer.status == STATUS_OK ? write_part(&writer, NULL) : NULL;
    THEN(writer.status, check_cluster(request, entry, &writer, error));
    if (writer.status == STATUS_OK) {
        program->common.c = assemble(request, &writer, entry, parameter_bytes, functions, variables);
    }
    free(functions);
    free(variables);
    for (int axis = 0; axis < 3; axis++) {
        program->common.cluster[axis] = (uint32_t)entry->cluster[axis];
    }
    return writer.status;
}

// ---- Queries of the simulator ----

static void describe_parameters(struct ptx_program *program, const struct ptx_function *entry) {
    program->common.parameters = memory_zeros(entry->parameter_count, sizeof *program->common.parameters);
    for (size_t i = 0; i < entry->parameter_count; i++) {
        const struct ptx_symbol *symbol = entry->parameters[i];
        program->common.parameters[i] =
            (struct sim_program_parameter){.name = copy_of(&program->tree, symbol->name),
                                           .place = (uint32_t)symbol->place,
                                           .bytes = (uint32_t)ptx_symbol_bytes(symbol),
                                           .is_float = symbol->type->class == PTX_CLASS_FLOAT,
                                           .is_array = symbol->array};
    }
    program->common.parameter_count = entry->parameter_count;
}

static void describe_shared(struct ptx_program *program) {
    size_t count = 0;
    for (const struct ptx_symbol *symbol = program->tree.symbols; symbol; symbol = symbol->next) {
        count += symbol->used && symbol->space == PTX_SPACE_SHARED && !symbol->external;
    }
    program->common.shared = memory_zeros(count, sizeof *program->common.shared);
    for (const struct ptx_symbol *symbol = program->tree.symbols; symbol; symbol = symbol->next) {
        if (symbol->used && symbol->space == PTX_SPACE_SHARED && !symbol->external) {
            program->common.shared[program->common.shared_count++] = (struct sim_variable){
                copy_of(&program->tree, ptx_variable_name(symbol->name)), symbol->place, ptx_symbol_bytes(symbol)};
        }
    }
}

// A file of .file under the name that the user gave, if it ends in that name.
static const char *name_of_file(struct ptx_program *program, struct ptx_text file) {
    const char *name = copy_of(&program->tree, file);
    return sim_program_is_source(&program->common, name) ? program->common.source_name : name;
}

static void describe_files(struct ptx_program *program) {
    program->files = ptx_tree_allocate(&program->tree, PTX_FILES * sizeof *program->files);
    for (size_t i = 0; i < PTX_FILES; i++) {
        const struct ptx_text file = program->tree.files[i];
        program->files[i] = file.at ? name_of_file(program, file) : NULL;
    }
}

static enum status make(const struct sim_code *request, struct ptx_program *program, struct error *error) {
    const struct ptx_function *entry = NULL;
    program->text = memory_copy(request->text);
    sim_program_begin(&program->common, request);
    TRY(ptx_parse(program->common.file_name, program->text, &program->tree, error));
    TRY(find_entry(request, &program->tree, &entry, error));
    TRY(translate(request, entry, program, error));
    program->common.entry = copy_of(&program->tree, entry->name);
    describe_parameters(program, entry);
    describe_shared(program);
    describe_files(program);
    return STATUS_OK;
}

enum {
    INLINED_MOST = 64 // calls within each other
};

static const struct ptx_place *caller_of(const struct ptx_program *program, const struct ptx_place *place) {
    return place->inlined_at ? &program->tree.places[place->inlined_at - 1] : NULL;
}

// The user's source: the file that was compiled, or else that of the outermost call, which is the kernel's.
static const char *source_of(const struct ptx_program *program, const struct ptx_place *place) {
    for (int depth = 0; depth < INLINED_MOST && caller_of(program, place); depth++) {
        place = caller_of(program, place);
    }
    return program->common.source_name ? program->common.source_name : program->files[place->file];
}

// The position in the user's source: that of the call if the instruction belongs to an inlined function of another
// file.
static const struct ptx_place *place_in_source(const struct ptx_program *program, uint32_t index) {
    const struct ptx_place *first = &program->tree.places[index], *place = first;
    const char *source = source_of(program, first);
    for (int depth = 0; depth < INLINED_MOST && place; depth++) {
        if (program->files[place->file] == source) {
            return place;
        }
        place = caller_of(program, place);
    }
    return first;
}

static void find_source(const struct sim_program *common, uint32_t index, const char **file, uint32_t *line) {
    const struct ptx_program *program = (const struct ptx_program *)common;
    while (index > 0 && program->tree.places[index].line == 0) {
        index--; // .loc 1 0 0 means that the compiler does not know
    }
    const struct ptx_place *place = place_in_source(program, index);
    if (place->line && program->files[place->file]) {
        *file = program->files[place->file];
        *line = place->line;
    }
}

static void destroy(struct sim_program *common) {
    struct ptx_program *program = (struct ptx_program *)common;
    ptx_tree_clear(&program->tree);
    free(program->text);
    free(program);
}

enum status ptx_program_create(const struct sim_code *request, struct sim_program **program, struct error *error) {
    struct ptx_program *made = memory_zeros(1, sizeof *made);
    made->common.find_source = find_source;
    made->common.destroy = destroy;
    return sim_program_end(&made->common, make(request, made, error), program);
}
