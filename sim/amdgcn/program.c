#include "sim/amdgcn/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/amdgcn/instructions.h"
#include "sim/amdgcn/writer.h"
#include "util/text.h"
#include "util/whole.h"

enum {
    PACKET_BYTES = 64,
    PRELOADED_MOST = 16,     // registers
    VECTORS_LEAST = 4,       // which may hold a thread's indices
    BYTES_MOST = 1 << 30,    // of anything that a file states, so that sums do not overflow
    SCRATCH_MOST = 64 * 1024 // bytes of private memory a thread
};

struct gcn_program {
    struct sim_program common;
    struct gcn_file file;
    struct gcn_kernel *kernel;
    uint32_t packet; // the place of the dispatch packet behind the arguments
};

// ---- The kernel ----

static enum status find_kernel(const struct sim_code *request, const struct gcn_file *file, struct gcn_kernel **found,
                               struct error *error) {
    static const char missing[] = ".amdhsa_kernel in the file: compile a __global__ function for an AMD GPU";
    const char **names = memory_zeros(file->kernel_count, sizeof *names);
    size_t chosen = 0;
    for (size_t i = 0; i < file->kernel_count; i++) {
        names[i] = file->kernels[i].name;
    }
    const enum status status =
        sim_entry_choose(request->file_name, request->entry, names, file->kernel_count, missing, &chosen, error);
    *found = &file->kernels[chosen];
    free(names);
    return status;
}

// ---- Instructions ----

// Takes off the suffix that names an encoding.
static void set_base(struct gcn_writer *writer, const char *name) {
    static const char *const suffixes[] = {"_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t own = strlen(suffixes[i]);
        if (length > own && !strcmp(name + length - own, suffixes[i])) {
            length -= own;
            break;
        }
    }
    snprintf(writer->base, sizeof writer->base, "%.*s", length < sizeof writer->base ? (int)length : 0, name);
}

static void note_registers(struct gcn_writer *writer) {
    for (uint32_t i = 0; i < writer->operands.count; i++) {
        const struct gcn_operand *operand = &writer->operands.operand[i];
        const bool accumulates = operand->first >= GCN_ACCUMULATOR;
        uint32_t *most = accumulates ? &writer->accumulators : &writer->vectors;
        if (operand->kind == GCN_V) {
            *most = (uint32_t)larger(*most, operand->first + operand->count - (accumulates ? GCN_ACCUMULATOR : 0));
        }
    }
}

static void write_one(struct gcn_writer *writer, const char *name, char *operands) {
    const char *wrong = gcn_operands_read(operands, &writer->operands);
    note_registers(writer);
    set_base(writer, name);
    if (wrong) {
        gcn_refuse(writer, "%s: give what clang -S makes", wrong);
    } else if (!gcn_write_indexed(writer) && !gcn_write_arithmetic(writer) && !gcn_write_matrix(writer) &&
               !gcn_write_memory(writer) && !gcn_write_control(writer)) {
        gcn_refuse(writer, "this instruction is not supported: compile with another optimization, or run the kernel "
                           "by --via c");
    }
}

// Two instructions that read their sources before either writes (RDNA3, VOPD). The first one's result is exchanged for
// the old value while the second reads.
static void write_dual(struct gcn_writer *writer, char *operands) {
    char *second = strstr(operands, "::"), name[64];
    *second = '\0';
    second += 2;
    second += strspn(second, " \t");
    char *space = second + strcspn(second, " \t");
    if (*space) {
        *space++ = '\0';
    }
    if (strncmp(second, "v_dual_", 7) != 0 || strlen(second) > 40) {
        gcn_refuse(writer, "its second half is no v_dual_ instruction: give what clang -S makes");
        return;
    }
    char *first = memory_copy(operands);
    gcn_operands_read(first, &writer->operands);
    const uint32_t result = writer->operands.count ? writer->operands.operand[0].first : 0;
    gcn_write(writer, "copy_row(w->t[2], w->v[ROW(%u)]);\n", result);
    snprintf(name, sizeof name, "v_%.50s", writer->statement->name + 7);
    write_one(writer, name, operands);
    gcn_write(writer, "copy_row(w->t[3], w->v[ROW(%u)]); copy_row(w->v[ROW(%u)], w->t[2]);\n", result, result);
    snprintf(name, sizeof name, "v_%.50s", second + 7);
    write_one(writer, name, space);
    gcn_write(writer, "copy_row(w->v[ROW(%u)], w->t[3]);\n", result);
    free(first);
}

static void write_statement(struct gcn_writer *writer) {
    const struct gcn_statement *statement = writer->statement;
    if (statement->kind == GCN_LABEL) {
        gcn_write(writer, "L%u:;\n", writer->index);
        gcn_segment_begin(writer);
        return;
    }
    char *copy = memory_copy(statement->rest ? statement->rest : "");
    if (!strncmp(statement->name, "v_dual_", 7) && strstr(copy, "::")) {
        write_dual(writer, copy);
    } else {
        write_one(writer, statement->name, copy);
    }
    free(copy);
}

// What runs off its end would run what happens to lie behind it.
static void check_last(struct gcn_writer *writer, size_t begin, size_t end) {
    const struct gcn_statement *statement = &writer->file->statements[end];
    while (statement > writer->file->statements + begin &&
           (statement->kind != GCN_INSTRUCTION || gcn_is_idle(statement->name) ||
            strcmp(statement->name, "s_code_end") == 0)) {
        statement--;
    }
    const bool ends = list_place("s_endpgm|s_endpgm_saved|s_branch|s_setpc_b64|s_trap", '|', statement->name) >= 0;
    if (!ends && writer->status == STATUS_OK) {
        writer->status =
            error_set(writer->error, STATUS_USAGE, "%s:%" PRIu32 ": kernel %s runs off its end: give the whole file",
                      writer->file->name, writer->kernel->line, writer->kernel->name);
    }
}

// The statements of the kernel, or of a function.
static void write_function(struct gcn_writer *writer, const char *name) {
    const struct gcn_file *file = writer->file;
    const size_t count = file->statement_count;
    const size_t begin = gcn_statement_find(file, GCN_LABEL, name, 0, count);
    const size_t end = gcn_statement_find(file, GCN_END, name, 0, count);
    if (begin >= end || end == count) {
        writer->status = error_set(writer->error, STATUS_USAGE,
                                   "%s:%" PRIu32 ": the instructions of kernel %s are not in the file, or end without "
                                   ".size: give the whole file",
                                   writer->file->name, writer->kernel->line, writer->kernel->name);
    }
    writer->first = begin;
    writer->end = end;
    if (writer->status == STATUS_OK) {
        check_last(writer, begin, end);
    }
    for (size_t i = begin; i < end && writer->status == STATUS_OK; i++) {
        writer->index = (uint32_t)i;
        writer->statement = &writer->file->statements[i];
        if (writer->statement->kind != GCN_END) {
            write_statement(writer);
        }
    }
}

// Where calls and returns go on.
static void write_calls(struct gcn_writer *writer) {
    const uint32_t site = gcn_site(writer);
    gcn_write(writer, "find:\nJUMP_BACK(SITE(%u));\nswitch (place) {\n", site);
    for (size_t i = 0; i < writer->called_count; i++) {
        const size_t place = (size_t)(writer->called[i] - writer->file->statements);
        gcn_write(writer, "case %lu: goto L%lu;\n", place, place);
    }
    for (size_t i = 0; i < writer->call_count; i++) {
        gcn_write(writer, "case %u: goto L%u;\n", writer->calls[i], writer->calls[i]);
    }
    gcn_write(writer,
              "default: sim_wave_trap(\"calls what is no function of the file: call one by its name\", first_lane(w), "
              "SITE(%u));\n}\n",
              site);
}

static void write_statements(struct gcn_writer *writer) {
    write_function(writer, writer->kernel->name);
    for (size_t i = 0; i < writer->called_count && writer->status == STATUS_OK; i++) { // which may call others
        write_function(writer, writer->called[i]->name);
    }
    if (writer->status == STATUS_OK && writer->jumps) {
        write_calls(writer);
    }
}

// ---- What a wave begins with ----

// User registers, then system registers (LLVM, "User Guide for AMDGPU Backend", Initial Kernel Execution State).
static void write_registers(struct gcn_writer *writer, uint32_t packet) {
    static const struct {
        const char *setting;
        uint32_t count;
    } users[] = {
        {"user_sgpr_private_segment_buffer", 4}, {"user_sgpr_dispatch_ptr", 2}, {"user_sgpr_queue_ptr", 2},
        {"user_sgpr_kernarg_segment_ptr", 2},    {"user_sgpr_dispatch_id", 2},  {"user_sgpr_flat_scratch_init", 2},
        {"user_sgpr_private_segment_size", 1}};
    static const char *const axes[] = {"x", "y", "z"};
    const struct gcn_kernel *kernel = writer->kernel;
    FILE *out = writer->out;
    uint32_t next = 0;
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        if (!gcn_setting(kernel, users[i].setting, 0)) {
            continue;
        }
        if (i == 0) { // which address_buffer knows
            fprintf(out, "S64(%" PRIu32 ") = PRIVATE_WINDOW;\n", next);
        }
        if (i == 1 || i == 3) {
            fprintf(out, "S64(%" PRIu32 ") = (uint64_t)(uintptr_t)(sim_parameters + %" PRIu32 ");\n", next,
                    i == 1 ? packet : 0);
        }
        next += users[i].count;
    }
    const int64_t loaded = gcn_setting(kernel, "user_sgpr_kernarg_preload_length", 0);
    if (loaded > 0) {
        fprintf(out, "__builtin_memcpy(&S(%" PRIu32 "), sim_parameters + %" PRId64 ", %" PRId64 ");\n", next,
                4 * gcn_setting(kernel, "user_sgpr_kernarg_preload_offset", 0), 4 * loaded);
    }
    const int64_t users_count = gcn_setting(kernel, "user_sgpr_count", next);
    next = users_count >= 0 && users_count <= 32 ? (uint32_t)users_count : next;
    for (uint32_t i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "system_sgpr_workgroup_id_%s", axes[i]);
        if (gcn_setting(kernel, name, i == 0)) {
            fprintf(out, "S(%" PRIu32 ") = w->hooked.block[%" PRIu32 "];\n", next++, i);
        }
    }
    if (writer->generation >= 12) {
        fputs("S(TTMP + 9) = w->hooked.block[0]; S(TTMP + 7) = w->hooked.block[1] | w->hooked.block[2] << 16;\n", out);
    }
}

// From gfx90a on, but not on gfx10, the three indices of a thread share a register.
static bool packs_indices(const struct gcn_writer *writer) {
    const char *arch = writer->file->arch;
    return writer->generation >= 11 || !strcmp(arch, "gfx90a") || !strncmp(arch, "gfx94", 5) ||
           !strncmp(arch, "gfx95", 5);
}

static void write_begin(struct gcn_writer *writer, uint32_t packet) {
    const int64_t axes = gcn_setting(writer->kernel, "system_vgpr_workitem_id", 0);
    gcn_write(writer, "BODY void kernel(void) {\nstruct wave wave, *const w = &wave;\nuint64_t place = "
                      "0;\n(void)place;\nbegin(w);\n");
    write_registers(writer, packet);
    gcn_write(writer, "set_indices(w, %d, %d);\n", packs_indices(writer), (int)(axes < 0 || axes > 2 ? 2 : axes));
}

// ---- The whole text ----

static void write_data(FILE *out, const struct gcn_file *file) {
    for (size_t i = 0; i < file->data_count; i++) {
        const struct gcn_data *data = &file->data[i];
        if (!data->is_used) {
            continue;
        }
        fprintf(out, "static unsigned char data%zu[%zu] DATA(%" PRIu32 ") = {", i, data->size + 1, data->alignment);
        size_t last = data->size; // zeros at the end need no text
        while (last && !data->bytes[last - 1]) {
            last--;
        }
        for (size_t b = 0; b < last; b++) {
            fprintf(out, "%u,", data->bytes[b]);
        }
        fprintf(out, "0};\nstatic void *table%zu DATA(8) = data%zu;\n", i, i);
    }
}

static void write_counts(FILE *out, const struct sim_program *program) {
    fprintf(out,
            "static uint64_t runs[%" PRIu32 "], run_lanes[%" PRIu32 "];\n"
            "static const struct { uint32_t all, passes; } segments[] = {",
            program->segment_count + 1, program->segment_count + 1);
    for (uint32_t i = 0; i < program->segment_count; i++) {
        const uint32_t *counts = program->segments[i].counts;
        fprintf(out, "{%" PRIu32 ", %" PRIu32 "},",
                counts[COUNT_VECTOR] + counts[COUNT_SHARED] + counts[COUNT_VECTOR_MEMORY], counts[COUNT_MATRIX_PASSES]);
    }
    fputs("{0}};\n"
          "FUNCTION void segment(struct wave *w, uint32_t n) {\n"
          "runs[n]++; run_lanes[n] += (uint64_t)__builtin_popcountll(EXEC_MASK); w->hooked.issued += segments[n].all; "
          "w->hooked.passes += segments[n].passes; }\n",
          out);
}

static const char tail[] = "EXPORTED uint64_t *const sim_module_runs[] = {runs, run_lanes};\n"
                           "EXPORTED void sim_program_entry(void) { kernel(); }\n";

struct sizes {
    uint32_t shared, dynamic, scratch, arguments;
};

static char *assemble(struct gcn_writer *writer, const struct sizes *sizes, const char *body) {
    struct written text;
    FILE *out = memory_stream(&text);
    fprintf(out,
            "#define LANES %" PRIu32 "\n#define GFX %" PRIu32 "\n#define VECTORS %" PRIu32
            "\n#define ACCUMULATORS %" PRIu32 "\n#define STATIC_SHARED_BYTES %" PRIu32
            "\n#define SHARED_BYTES (STATIC_SHARED_BYTES + %" PRIu32 ")\n#define SCRATCH_BYTES %" PRIu32
            "\n#define ARGUMENT_BYTES %" PRIu32
            "\n#include \"sim/amdgcn/kernel/matrix.h\"\nstatic const char sites[%" PRIu32
            "];\n#define SITE(n) (sites + 1 + (n))\n",
            writer->lanes, writer->generation, writer->vectors, writer->accumulators, sizes->shared, sizes->dynamic,
            sizes->scratch, sizes->arguments, writer->program->site_count + 2);
    write_data(out, writer->file);
    write_counts(out, writer->program);
    for (size_t i = 0; i < writer->functions.count; i++) {
        const char *function = writer->functions.texts[i];
        const bool mask = strstr(function, "return pack") != NULL;
        fprintf(out, "static __attribute__((noinline)) %s f%zu%s\n", mask ? "mask_t" : "void", i, function);
    }
    fputs(body, out);
    fputs(sim_program_tables, out);
    fputs(tail, out);
    return memory_stream_end(&text);
}

static char *write_kernel(struct gcn_writer *writer, uint32_t packet) {
    struct written body;
    writer->out = memory_stream(&body);
    write_begin(writer, packet);
    write_statements(writer);
    gcn_write(writer, "}\n");
    return memory_stream_end(&body);
}

static enum status check_sizes(const struct sim_code *request, const struct gcn_kernel *kernel,
                               const struct sizes *sizes, struct error *error) {
    if (sizes->scratch > SCRATCH_MOST || sizes->arguments > 65536 || sizes->shared > 1 << 20) {
        return error_set(error, STATUS_FAILED,
                         "%s:%" PRIu32 ": kernel %s has %" PRIu32 " bytes of private memory, %" PRIu32
                         " of shared memory and %" PRIu32 " of arguments: use at most %d, 1048576 and 65536",
                         request->file_name, kernel->line, kernel->name, sizes->scratch, sizes->shared,
                         sizes->arguments, SCRATCH_MOST);
    }
    return STATUS_OK;
}

static uint32_t setting_bytes(const struct gcn_kernel *kernel, const char *name) {
    const int64_t value = gcn_setting(kernel, name, 0);
    return value < 0 || value > BYTES_MOST ? BYTES_MOST : (uint32_t)value;
}

static uint32_t argument_bytes(const struct gcn_kernel *kernel) {
    const uint32_t set = setting_bytes(kernel, "kernarg_size");
    const uint32_t named = kernel->argument_bytes < BYTES_MOST ? kernel->argument_bytes : BYTES_MOST;
    return set > named ? set : named;
}

static enum status check_arguments(const struct sim_code *request, const struct gcn_kernel *kernel,
                                   struct error *error) {
    const uint32_t all = argument_bytes(kernel);
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct gcn_argument *argument = &kernel->arguments[i];
        if (argument->place > all || argument->bytes > all - argument->place) {
            return error_set(error, STATUS_USAGE,
                             "%s:%" PRIu32 ": argument %zu of kernel %s lies outside of the %" PRIu32
                             " bytes of its arguments: give what clang -S makes",
                             request->file_name, kernel->line, i + 1, kernel->name, all);
        }
    }
    const int64_t loaded = gcn_setting(kernel, "user_sgpr_kernarg_preload_length", 0);
    const int64_t skipped = gcn_setting(kernel, "user_sgpr_kernarg_preload_offset", 0);
    if (loaded < 0 || loaded > PRELOADED_MOST || skipped < 0 || skipped > all || 4 * (skipped + loaded) > all) {
        return error_set(error, STATUS_USAGE,
                         "%s:%" PRIu32
                         ": kernel %s begins with arguments in registers that it does not have: give what "
                         "clang -S makes",
                         request->file_name, kernel->line, kernel->name);
    }
    return STATUS_OK;
}

static enum status translate(const struct sim_code *request, struct gcn_program *program, struct error *error) {
    const struct gcn_kernel *kernel = program->kernel;
    program->packet = (argument_bytes(kernel) + PACKET_BYTES + 63) / 64 * 64;
    const struct sizes sizes = {.shared = (setting_bytes(kernel, "group_segment_fixed_size") + 15) / 16 * 16,
                                .dynamic = request->dynamic_bytes,
                                .scratch = (setting_bytes(kernel, "private_segment_fixed_size") + 15) / 16 * 16,
                                .arguments = program->packet + PACKET_BYTES};
    // The file's own figure may be missing, and is no limit.
    const int64_t said = gcn_setting(kernel, "next_free_vgpr", 0);
    struct gcn_writer writer = {.vectors = said > VECTORS_LEAST && said <= 512 ? (uint32_t)said : VECTORS_LEAST,
                                .program = &program->common,
                                .file = &program->file,
                                .kernel = kernel,
                                .lanes = request->lanes,
                                .error = error};
    const char *arch = program->file.arch;
    writer.generation = !strncmp(arch, "gfx9", 4) ? 9 : (uint32_t)strtoul(arch + 3, NULL, 10) / 100;
    TRY(check_sizes(request, kernel, &sizes, error));
    TRY(check_arguments(request, kernel, error));
    char *body = write_kernel(&writer, program->packet);
    program->common.c = writer.status == STATUS_OK ? assemble(&writer, &sizes, body) : NULL;
    program->common.thread_registers = writer.vectors + writer.accumulators;
    names_clear(&writer.functions);
    free(writer.called);
    free(writer.calls);
    free(body);
    return writer.status;
}

// ---- Queries of the simulator ----

static bool is_hidden(const struct gcn_argument *argument) {
    return !strncmp(argument->kind, "hidden_", 7);
}

static void describe_parameters(struct gcn_program *program) {
    const struct gcn_kernel *kernel = program->kernel;
    struct sim_program *common = &program->common;
    common->parameters = memory_zeros(kernel->argument_count, sizeof *common->parameters);
    common->shared = memory_zeros(1, sizeof *common->shared);
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct gcn_argument *argument = &kernel->arguments[i];
        if (!is_hidden(argument)) {
            common->parameters[common->parameter_count++] =
                (struct sim_program_parameter){.name = argument->name ? argument->name : "a parameter",
                                               .place = argument->place,
                                               .bytes = argument->bytes,
                                               .is_array = !strcmp(argument->kind, "by_value")};
        }
    }
    const uint32_t shared = setting_bytes(kernel, "group_segment_fixed_size");
    if (shared) {
        common->shared[common->shared_count++] = (struct sim_variable){"shared memory", 0, shared};
    }
}

static const struct gcn_program *program_of(const struct sim_program *common) {
    return (const struct gcn_program *)common;
}

// A function of a header that was inlined has the header's lines, so the last line of the source before it stands for
// it.
static void find_source(const struct sim_program *common, uint32_t place, const char **file, uint32_t *line) {
    const struct gcn_program *program = program_of(common);
    const struct gcn_place *places = program->file.places, *first = NULL;
    for (uint32_t i = place; i > 0; i--) {
        if (!places[i].line || places[i].file >= GCN_FILES || !program->file.files[places[i].file]) {
            continue;
        }
        first = first ? first : &places[i];
        if (!common->source_name || sim_program_is_source(common, program->file.files[places[i].file])) {
            *file = common->source_name ? common->source_name : program->file.files[places[i].file];
            *line = places[i].line;
            return;
        }
    }
    if (first) {
        *file = program->file.files[first->file];
        *line = first->line;
    }
}

static void destroy(struct sim_program *common) {
    struct gcn_program *program = (struct gcn_program *)common;
    gcn_file_clear(&program->file);
    free(program);
}

static enum status check_arch(const struct sim_code *request, const struct gcn_file *file, struct error *error) {
    if (!*file->arch) {
        return error_set(error, STATUS_USAGE,
                         "%s: no .amdgcn_target in the file: give what clang -S makes for an AMD GPU",
                         request->file_name);
    }
    const bool wide = !strncmp(file->arch, "gfx9", 4);
    if (wide != (request->lanes == 64)) {
        return error_set(error, STATUS_USAGE,
                         "%s: its waves have %d lanes, and the GPU's %" PRIu32 ": compile it for %s, or choose a GPU "
                         "like %s",
                         request->file_name, wide ? 64 : 32, request->lanes, request->arch, file->arch);
    }
    return STATUS_OK;
}

static enum status make(const struct sim_code *request, struct gcn_program *program, struct error *error) {
    struct sim_program *common = &program->common;
    sim_program_begin(common, request);
    TRY(gcn_parse(common->file_name, request->text, &program->file, error));
    TRY(check_arch(request, &program->file, error));
    TRY(find_kernel(request, &program->file, &program->kernel, error));
    if (!program->kernel->has_metadata) {
        return error_set(error, STATUS_USAGE,
                         "%s:%" PRIu32 ": no metadata of kernel %s, which name its arguments: give the whole file",
                         request->file_name, program->kernel->line, program->kernel->name);
    }
    if (gcn_setting(program->kernel, "wavefront_size32", request->lanes == 32) != (request->lanes == 32)) {
        return error_set(error, STATUS_USAGE,
                         "%s: kernel %s has waves of 64 lanes on a GPU of 32: compile it without -mwavefrontsize64",
                         request->file_name, program->kernel->name);
    }
    TRY(translate(request, program, error));
    common->entry = program->kernel->name;
    describe_parameters(program);
    return STATUS_OK;
}

enum status gcn_program_create(const struct sim_code *request, struct sim_program **program, struct error *error) {
    struct gcn_program *made = memory_zeros(1, sizeof *made);
    made->common.by_wave = true;
    made->common.find_source = find_source;
    made->common.destroy = destroy;
    return sim_program_end(&made->common, make(request, made, error), program);
}

// ---- Launches ----

// LLVM, "User Guide for AMDGPU Backend", Code Object V5 Metadata: the hidden arguments.
static uint64_t hidden_value(const char *kind, const struct launch *launch) {
    const uint32_t grid[] = {launch->grid.x, launch->grid.y, launch->grid.z};
    const uint32_t block[] = {launch->block.x, launch->block.y, launch->block.z};
    const size_t length = strlen(kind);
    const uint32_t axis = length ? (uint32_t)(kind[length - 1] - 'x') : 0;
    return !strncmp(kind, "hidden_block_count_", 19) && axis < 3  ? grid[axis]
           : !strncmp(kind, "hidden_group_size_", 18) && axis < 3 ? block[axis]
           : !strcmp(kind, "hidden_grid_dims")                    ? (grid[2] > 1 || block[2] > 1   ? 3u
                                                                     : grid[1] > 1 || block[1] > 1 ? 2u
                                                                                                   : 1u)
           : !strcmp(kind, "hidden_dynamic_lds_size")             ? launch->dynamic_shared_bytes
           : !strcmp(kind, "hidden_shared_base")                  ? 0x20000u
           : !strcmp(kind, "hidden_private_base")                 ? 0x40000u
                                                                  : 0;
}

void gcn_place_launch(const struct sim_program *common, const struct launch *launch, unsigned char *arguments) {
    const struct gcn_program *program = program_of(common);
    const uint32_t grid[] = {launch->grid.x, launch->grid.y, launch->grid.z};
    const uint32_t block[] = {launch->block.x, launch->block.y, launch->block.z};
    for (size_t i = 0; i < program->kernel->argument_count; i++) {
        const struct gcn_argument *argument = &program->kernel->arguments[i];
        if (is_hidden(argument) && argument->bytes <= 8 && argument->place + argument->bytes <= program->packet) {
            const uint64_t value = hidden_value(argument->kind, launch);
            memcpy(arguments + argument->place, &value, argument->bytes);
        }
    }
    // HSA Platform System Architecture Specification 1.2, "Kernel dispatch packet".
    for (uint32_t axis = 0; axis < 3; axis++) {
        const uint16_t threads = (uint16_t)block[axis];
        const uint32_t all = grid[axis] * block[axis];
        memcpy(arguments + program->packet + 4 + 2 * axis, &threads, sizeof threads);
        memcpy(arguments + program->packet + 12 + 4 * axis, &all, sizeof all);
    }
}
