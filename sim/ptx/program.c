#include "sim/ptx/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/compile/weigh.h"
#include "sim/ptx/function.h"
#include "sim/ptx/parse/entry_name.h"
#include "sim/ptx/parse/parse.h"
#include "sim/ptx/writer.h"

// The common part comes first.
struct ptx_program {
    struct sim_program common;
    char *text; // the PTX, which the tree points into
    struct ptx_tree tree;
    struct ptx_site *sites;
    const char **files; // by their number
};

static enum status no_memory(struct error *error) {
    return error_set(error, STATUS_FAILED, "no memory for the translation: close other programs");
}

// ---- The entry ----

static void list_entries(const struct ptx_tree *tree, char *names, size_t size) {
    *names = '\0';
    for (const struct ptx_function *function = tree->functions; function; function = function->next) {
        const size_t length = strlen(names);
        if (function->entry && function->has_body) {
            snprintf(names + length, size - length, "%s%.*s", length ? ", " : "", (int)function->name.length,
                     function->name.at);
        }
    }
}

// How many entries have this name; the last of them is *found, or one that has it exactly.
static size_t count_entries(const struct ptx_tree *tree, const char *name, const struct ptx_function **found) {
    size_t hits = 0;
    for (const struct ptx_function *function = tree->functions; function; function = function->next) {
        if (!function->entry || !function->has_body || (name && !ptx_entry_is_called(function->name, name))) {
            continue;
        }
        *found = function;
        hits++;
        if (name && ptx_text_is(function->name, name)) {
            return 1;
        }
    }
    return hits;
}

static enum status find_entry(const struct ptx_request *request, const struct ptx_tree *tree,
                              const struct ptx_function **found, struct error *error) {
    const char *arguments = request->entry ? strchr(request->entry, '<') : NULL;
    char names[512], plain[256];
    size_t hits = count_entries(tree, request->entry, found);
    list_entries(tree, names, sizeof names);
    if (hits == 0 && arguments) { // which may be written in another way: 256 / 4, or a type's other name
        snprintf(plain, sizeof plain, "%.*s", (int)(arguments - request->entry), request->entry);
        hits = count_entries(tree, plain, found);
    }
    if (hits == 1) {
        return STATUS_OK;
    }
    return !*names ? error_set(error, STATUS_USAGE, "%s: no .entry in the file: compile a __global__ function",
                               request->file_name)
           : hits == 0
               ? error_set(error, STATUS_USAGE, "%s: no kernel is called %s: the file has %s", request->file_name,
                           request->entry, names)
               : error_set(error, STATUS_USAGE, "%s: several kernels fit: name one of %s", request->file_name, names);
}

// ---- The translation ----

// The lowest 18 bits of a generic address of shared memory are its offset there, as on a GPU: kernels make wgmma's
// descriptors of them.
static const char head[] = "#define PTX_STATIC_SHARED_BYTES %" PRIu64 "\n"
                           "#define PTX_SHARED_BYTES (PTX_STATIC_SHARED_BYTES + %" PRIu32 ")\n"
                           "#define PTX_CLUSTER_X %" PRIu32 "u\n"
                           "#define PTX_CLUSTER_Y %" PRIu32 "u\n"
                           "#define PTX_CLUSTER_Z %" PRIu32 "u\n"
                           "#define PTX_WINDOW_SHIFT %d\n"
                           "#include \"sim/ptx/kernel/tensor.h\"\n"
                           "#include \"sim/ptx/kernel/fragment.h\"\n"
                           "#include \"sim/ptx/kernel/group.h\"\n"
                           "unsigned char sim_ptx_shared[PTX_CLUSTER_SHARED_BYTES]\n"
                           "    __attribute__((aligned(PTX_CLUSTER_BLOCKS > 1 ? PTX_WINDOW : 1 << 18)));\n"
                           "static unsigned char sim_ptx_parameters[%" PRIu32 "]\n"
                           "    __attribute__((used, aligned(4096), section(\"bankshot_data\"))) = {0};\n"
                           "static const char sites[%" PRIu32 "];\n"
                           "#define SITE(n) (sites + 1 + (n))\n";

// The tables that sim/compile/module.c reads.
static const char tail[] =
    "extern char __start_bankshot_data[], __stop_bankshot_data[];\n"
    "#define EXPORTED __attribute__((visibility(\"default\")))\n"
    "EXPORTED const void *const sim_module_shared[] = {sim_ptx_shared,\n"
    "    sim_ptx_shared + PTX_STATIC_SHARED_BYTES, sim_ptx_shared + PTX_STATIC_SHARED_BYTES,\n"
    "    sim_ptx_shared + PTX_SHARED_BYTES, weights, weights + sizeof weights / sizeof *weights};\n"
    "EXPORTED const void *const sim_module_program[] = {sites, sites + sizeof sites,\n"
    "    __start_bankshot_data, __stop_bankshot_data, sim_ptx_parameters};\n";

// All instructions are plain. Loops are not marked, because PTX comes unrolled.
static void write_weights(FILE *out, const struct ptx_writer *writer) {
    weigh_begin_table(out);
    for (uint32_t i = 0; i < writer->site_count; i++) {
        const struct ptx_site *site = &writer->sites[i];
        fprintf(out,
                "{SITE(%" PRIu32 "), {%" PRIu32 "}, %d, 1, UINT64_C(%" PRIu64 "), 0, UINT64_C(%" PRIu64 "), %d, 0},\n",
                i, site->weight, site->by_cluster, site->needs_address, site->needs_used, site->returned);
    }
    fputs("{0, {0}, 0, 1, 0, 0, 0, false, 0}};\n", out);
}

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

// Writes a part of the translation to a separate text; NULL if memory runs out.
static char *write_part(struct ptx_writer *writer, const struct ptx_function *entry) {
    char *text = NULL;
    size_t size;
    writer->out = open_memstream(&text, &size);
    if (!writer->out) {
        return NULL;
    }
    if (entry) {
        write_functions(writer, entry);
    } else {
        ptx_write_variables(writer);
    }
    if (fclose(writer->out) == 0) {
        return text;
    }
    free(text);
    return NULL;
}

static uint32_t parameter_bytes(const struct ptx_function *entry) {
    uint32_t end = 0;
    for (size_t i = 0; i < entry->parameter_count; i++) {
        end = ptx_parameter_place(entry->parameters[i], end) + (uint32_t)ptx_symbol_bytes(entry->parameters[i]);
    }
    return end + 16;
}

static uint32_t cluster_size(const struct ptx_function *entry, int axis) {
    return entry->cluster[axis] ? (uint32_t)entry->cluster[axis] : 1;
}

// The shared memory of each block must fit into its window.
static enum status check_cluster(const struct ptx_request *request, const struct ptx_function *entry,
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

static char *assemble(const struct ptx_request *request, struct ptx_writer *writer, const struct ptx_function *entry,
                      const char *functions, const char *variables) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    fprintf(out, head, (writer->shared_bytes + 1023) / 1024 * 1024, request->dynamic_bytes, cluster_size(entry, 0),
            cluster_size(entry, 1), cluster_size(entry, 2), SIM_WINDOW_SHIFT, parameter_bytes(entry),
            writer->site_count + 2);
    write_prototypes(out, writer->tree);
    fputs(variables, out);
    fputs(functions, out);
    write_weights(out, writer);
    fputs(tail, out);
    if (fclose(out) == 0) {
        return text;
    }
    free(text);
    return NULL;
}

static enum status translate(const struct ptx_request *request, const struct ptx_function *entry,
                             struct ptx_program *program, struct error *error) {
    struct ptx_writer writer = {.file_name = request->file_name,
                                .is_source = request->source_name != NULL,
                                .tree = &program->tree,
                                .status = STATUS_OK,
                                .error = error};
    char *functions = write_part(&writer, entry);
    char *variables = functions && writer.status == STATUS_OK ? write_part(&writer, NULL) : NULL;
    if (variables && writer.status == STATUS_OK) {
        writer.status = check_cluster(request, entry, &writer, error);
    }
    if (variables && writer.status == STATUS_OK) {
        program->common.c = assemble(request, &writer, entry, functions, variables);
    }
    free(functions);
    free(variables);
    program->sites = writer.sites;
    program->common.site_count = writer.site_count;
    program->common.stores_boxes = writer.stores_boxes;
    for (int axis = 0; axis < 3; axis++) {
        program->common.cluster[axis] = (uint32_t)entry->cluster[axis];
    }
    memcpy(program->common.note, writer.note, sizeof program->common.note);
    return writer.status != STATUS_OK ? writer.status : program->common.c ? STATUS_OK : no_memory(error);
}

// ---- Queries of the simulator ----

static const char *copy_of(struct ptx_tree *tree, struct ptx_text text) {
    char *copy = ptx_tree_allocate(tree, text.length + 1);
    if (copy) {
        memcpy(copy, text.at, text.length);
    }
    return copy ? copy : "";
}

static bool describe_parameters(struct ptx_program *program, const struct ptx_function *entry) {
    program->common.parameters =
        ptx_tree_allocate(&program->tree, (entry->parameter_count + 1) * sizeof *program->common.parameters);
    uint32_t end = 0;
    for (size_t i = 0; i < entry->parameter_count && program->common.parameters; i++) {
        const struct ptx_symbol *symbol = entry->parameters[i];
        const uint32_t place = ptx_parameter_place(symbol, end), bytes = (uint32_t)ptx_symbol_bytes(symbol);
        program->common.parameters[i] =
            (struct sim_program_parameter){.name = copy_of(&program->tree, symbol->name),
                                           .place = place,
                                           .bytes = bytes,
                                           .is_float = symbol->type->class == PTX_CLASS_FLOAT,
                                           .is_array = symbol->array};
        end = place + bytes;
    }
    program->common.parameter_count = entry->parameter_count;
    return program->common.parameters != NULL;
}

static bool describe_shared(struct ptx_program *program) {
    size_t count = 0;
    for (const struct ptx_symbol *symbol = program->tree.symbols; symbol; symbol = symbol->next) {
        count += symbol->used && symbol->space == PTX_SPACE_SHARED && !symbol->external;
    }
    program->common.shared = ptx_tree_allocate(&program->tree, (count + 1) * sizeof *program->common.shared);
    for (const struct ptx_symbol *symbol = program->tree.symbols; symbol && program->common.shared;
         symbol = symbol->next) {
        if (symbol->used && symbol->space == PTX_SPACE_SHARED && !symbol->external) {
            program->common.shared[program->common.shared_count++] = (struct sim_program_variable){
                copy_of(&program->tree, ptx_variable_name(symbol->name)), symbol->place, ptx_symbol_bytes(symbol)};
        }
    }
    return program->common.shared != NULL;
}

// A file of .file under the name that the user gave, if it ends in that name.
static const char *name_of_file(struct ptx_program *program, struct ptx_text file) {
    const size_t length = program->common.source_name ? strlen(program->common.source_name) : 0;
    if (length && file.length >= length &&
        !memcmp(file.at + file.length - length, program->common.source_name, length) &&
        (file.length == length || file.at[file.length - length - 1] == '/')) {
        return program->common.source_name;
    }
    return copy_of(&program->tree, file);
}

static bool describe_files(struct ptx_program *program) {
    program->files = ptx_tree_allocate(&program->tree, PTX_FILES * sizeof *program->files);
    for (size_t i = 0; i < PTX_FILES && program->files; i++) {
        const struct ptx_text file = program->tree.files[i];
        program->files[i] = file.at ? name_of_file(program, file) : NULL;
    }
    return program->files != NULL;
}

static enum status make(const struct ptx_request *request, struct ptx_program *program, struct error *error) {
    const struct ptx_function *entry = NULL;
    program->text = strdup(request->text);
    program->common.file_name = strdup(request->file_name);
    program->common.source_name = request->source_name ? strdup(request->source_name) : NULL;
    program->common.by_source = true;
    if (!program->text || !program->common.file_name || (request->source_name && !program->common.source_name)) {
        return no_memory(error);
    }
    enum status status = ptx_parse(program->common.file_name, program->text, &program->tree, error);
    if (status == STATUS_OK) {
        status = find_entry(request, &program->tree, &entry, error);
    }
    if (status == STATUS_OK) {
        status = translate(request, entry, program, error);
    }
    if (status != STATUS_OK) {
        return status;
    }
    program->common.entry = copy_of(&program->tree, entry->name);
    const bool whole = describe_parameters(program, entry) && describe_shared(program) && describe_files(program);
    return whole ? STATUS_OK : no_memory(error);
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

static void line_of(const struct sim_program *common, uint32_t site, const char **file, uint32_t *line) {
    const struct ptx_program *program = (const struct ptx_program *)common;
    *file = program->common.file_name;
    *line = 0;
    if (site >= program->common.site_count) {
        return;
    }
    *line = program->sites[site].line;
    uint32_t index = program->sites[site].place;
    while (index > 0 && program->tree.places[index].line == 0) {
        index--; // .loc 1 0 0 means that the compiler does not know
    }
    const struct ptx_place *place = place_in_source(program, index);
    if (program->common.by_source && place->line && program->files[place->file]) {
        *file = program->files[place->file];
        *line = place->line;
    }
}

static void destroy(struct sim_program *common) {
    struct ptx_program *program = (struct ptx_program *)common;
    ptx_tree_clear(&program->tree);
    free(program->sites);
    free(common->c);
    free(program->text);
    free(common->file_name);
    free(common->source_name);
    free(program);
}

enum status ptx_program_create(const struct ptx_request *request, struct sim_program **program, struct error *error) {
    struct ptx_program *made = calloc(1, sizeof *made);
    *program = NULL;
    if (!made) {
        return no_memory(error);
    }
    made->common.line = line_of;
    made->common.destroy = destroy;
    const enum status status = make(request, made, error);
    if (status == STATUS_OK) {
        *program = &made->common;
    } else {
        destroy(&made->common);
    }
    return status;
}
