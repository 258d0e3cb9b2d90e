#include "sim/amdgcn/writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/compile/text.h"
#include "sim/ptx/kernel/numbers.h"

void gcn_refuse(struct gcn_writer *writer, const char *format, ...) {
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (writer->status == STATUS_OK) {
        writer->status = error_set(writer->error, STATUS_FAILED, "%s:%" PRIu32 ": %s: %s", writer->file->name,
                                   writer->statement->line, writer->statement->name, what);
    }
}

uint32_t gcn_site(struct gcn_writer *writer) {
    sim_program_add_site(writer->program, writer->statement->line, writer->statement->place);
    return writer->program->site_count - 1;
}

// Before a label there is none, because the label begins one.
static bool precedes_label(const struct gcn_writer *writer) {
    const size_t next = (size_t)writer->index + 1;
    return writer->statement->kind != GCN_LABEL && next < writer->end &&
           writer->file->statements[next].kind == GCN_LABEL;
}

void gcn_segment_begin(struct gcn_writer *writer) {
    if (precedes_label(writer)) {
        return;
    }
    struct sim_program *program = writer->program;
    program->segments = memory_room(program->segments, program->segment_count, sizeof *program->segments);
    program->segments[program->segment_count] = (struct sim_program_segment){.site = gcn_site(writer)};
    gcn_write(writer, "segment(w, %u);\n", program->segment_count++);
}

void gcn_segment_add_more(struct gcn_writer *writer, enum sim_program_count count, uint32_t by) {
    struct sim_program *program = writer->program;
    if (program->segment_count) {
        program->segments[program->segment_count - 1].counts[count] += by;
    }
}

void gcn_segment_add(struct gcn_writer *writer, enum sim_program_count count) {
    gcn_segment_add_more(writer, count, 1);
}

const struct gcn_operand *gcn_operand(struct gcn_writer *writer, uint32_t n, enum gcn_operand_kind kind) {
    static const struct gcn_operand none = {.words = ""};
    static const char *const names[] = {
        [GCN_S] = "a scalar register", [GCN_V] = "a vector register", [GCN_WORDS] = "a name"};
    const struct gcn_operand *operand = &writer->operands.operand[n];
    if (n >= writer->operands.count) {
        gcn_refuse(writer, "operand %" PRIu32 " is missing: give what clang -S makes", n + 1);
        return &none;
    }
    if (kind != GCN_NONE && operand->kind != kind) {
        gcn_refuse(writer, "operand %" PRIu32 " is not %s: give what clang -S makes", n + 1, names[kind]);
        return &none;
    }
    return operand;
}

// ---- Values ----

static uint64_t real_bits(double value, const char *type) {
    uint64_t wide;
    uint32_t narrow;
    const float single = (float)value;
    if (!strcmp(type, "f64") || !strcmp(type, "u64") || !strcmp(type, "i64")) {
        memcpy(&wide, &value, sizeof wide);
        return wide;
    }
    memcpy(&narrow, &single, sizeof narrow);
    return strstr(type, "16") ? to_f16(value) : narrow;
}

static bool is_wide(const char *type) {
    return !strcmp(type, "u64") || !strcmp(type, "i64") || !strcmp(type, "f64") || !strcmp(type, "p32");
}

static uint64_t number_bits(const struct gcn_operand *operand, const char *type) {
    if (operand->kind == GCN_LITERAL && !strcmp(type, "f64")) {
        return (uint64_t)(uint32_t)operand->number << 32;
    }
    if (operand->kind == GCN_LITERAL && !strcmp(type, "i64")) {
        return (uint64_t)(int64_t)(int32_t)operand->number;
    }
    return is_wide(type) || operand->kind == GCN_NUMBER ? (uint64_t)operand->number : (uint32_t)operand->number;
}

// How far behind s_getpc_b64 the 32 bits of a symbol are (CDNA3: instructions of 4 and 8 bytes). On gfx12 there is an
// s_sext_i32_i16 between them.
static int64_t distance_of(const struct gcn_writer *writer, bool high) {
    bool extended = false;
    for (uint32_t i = 1; i <= 3 && i <= writer->index; i++) {
        const struct gcn_statement *before = &writer->file->statements[writer->index - i];
        extended |= before->kind == GCN_INSTRUCTION && !strcmp(before->name, "s_sext_i32_i16");
    }
    return (high ? 12 : 4) + (extended ? 4 : 0);
}

// name@rel32@lo+4 and the like. The address that s_getpc_b64 gives is 0 here.
static void write_symbol(struct gcn_writer *writer, FILE *out, const char *words) {
    char name[256];
    const char *at = strchr(words, '@'), *plus = at ? strpbrk(at, "+-") : NULL;
    const bool high = at && strstr(at, "@hi"), by_table = at && !strncmp(at, "@gotpcrel32", 11);
    snprintf(name, sizeof name, "%.*s", at ? (int)(at - words) : 0, words);
    struct gcn_data *data = gcn_data_find(writer->file, name);
    const size_t called = data || !at ? 0 : gcn_called(writer, name);
    const int64_t extra = (plus ? strtoll(plus, NULL, 0) : 0) - distance_of(writer, high);
    if (called && !by_table) {
        fprintf(out, "(uint32_t)((uint64_t)(%" PRId64 ")%s)", (int64_t)called + extra, high ? " >> 32" : "");
        return;
    }
    if (!data || (strncmp(at, "@rel32", 6) != 0 && !by_table)) {
        gcn_refuse(writer,
                   "%.100s is neither a register nor a variable or function of the file: other operands are not "
                   "supported",
                   words);
        return;
    }
    if (data->has_addresses) {
        gcn_refuse(writer, "%.100s holds addresses of other symbols, which is not supported: fill it in the kernel",
                   name);
    }
    data->is_used = true;
    fprintf(out, "(uint32_t)((uint64_t)((uintptr_t)%s%zu + %" PRId64 ")%s)", by_table ? "&table" : "data",
            (size_t)(data - writer->file->data), extra, high ? " >> 32" : "");
}

static void write_scalar(struct gcn_writer *writer, const struct gcn_operand *operand, const char *type) {
    FILE *out = writer->out;
    const bool wide = is_wide(type);
    switch (operand->kind) {
    case GCN_S:
        fprintf(out, operand->first == 125 ? "0" : wide ? "S64(%" PRIu32 ")" : "S(%" PRIu32 ")", operand->first);
        break;
    case GCN_NUMBER:
    case GCN_LITERAL: {
        const uint64_t bits = number_bits(operand, type);
        fprintf(out, wide ? "UINT64_C(0x%" PRIx64 ")" : "0x%" PRIx64 "u", wide ? bits : (uint64_t)(uint32_t)bits);
        break;
    }
    case GCN_REAL:
        fprintf(out, wide ? "UINT64_C(0x%" PRIx64 ")" : "0x%" PRIx64 "u", real_bits(operand->real, type));
        break;
    case GCN_WINDOW:
        fprintf(out, wide ? "%s_WINDOW" : "(uint32_t)%s_WINDOW", operand->first ? "PRIVATE" : "SHARED");
        break;
    case GCN_SCC:
        fputs("scc", out);
        break;
    case GCN_WORDS:
        write_symbol(writer, out, operand->words);
        break;
    default:
        gcn_refuse(writer, "an operand is no scalar: give what clang -S makes");
        break;
    }
}

static void write_rows(struct gcn_writer *writer, const struct gcn_operand *operand, char temporary) {
    if (!operand) {
        fputs("NULL", writer->out);
    } else if (operand->kind == GCN_V) {
        gcn_write(writer, "w->v[ROW(%u)]", operand->first);
    } else {
        fprintf(writer->out, "spread(w, %c, ", temporary);
        gcn_write(writer, "$u32)", operand);
    }
}

// Writes what stands for a $ in gcn_write; returns the text behind it.
static const char *write_operand(void *writer, const char *at, va_list *arguments) {
    static const char rows[] = "$rows";
    const struct gcn_operand *operand = va_arg(*arguments, const struct gcn_operand *);
    if (!strncmp(at, rows, strlen(rows))) {
        write_rows(writer, operand, at[strlen(rows)]);
        return at + strlen(rows) + 1;
    }
    if (at[1] == 'T') {
        write_scalar(writer, operand, va_arg(*arguments, const char *));
        return at + strlen("$T");
    }
    const char type[] = {at[1], at[2], at[3], '\0'};
    write_scalar(writer, operand, type);
    return at + sizeof type;
}

void gcn_write(struct gcn_writer *writer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sim_text_write(writer->out, format, &arguments, write_operand, writer);
    va_end(arguments);
}

uint32_t gcn_function(struct gcn_writer *writer, char *text) {
    const uint32_t number = (uint32_t)names_number(&writer->functions, text);
    free(text);
    return number;
}

size_t gcn_called(struct gcn_writer *writer, const char *name) {
    const struct gcn_file *file = writer->file;
    const size_t count = file->statement_count, place = gcn_statement_find(file, GCN_LABEL, name, 0, count);
    if (gcn_statement_find(file, GCN_END, name, place, count) == count) {
        return 0;
    }
    struct gcn_statement *label = &file->statements[place];
    for (size_t i = 0; i < writer->called_count; i++) {
        if (writer->called[i] == label) {
            return place;
        }
    }
    writer->called = memory_room(writer->called, writer->called_count, sizeof *writer->called);
    writer->called[writer->called_count++] = label;
    return place;
}

void gcn_write_exec_change(struct gcn_writer *writer) {
    gcn_write(writer, "sync_exec(w);\n");
    gcn_segment_begin(writer);
}
