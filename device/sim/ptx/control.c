// Branches, returns, barriers.
#include <inttypes.h>

#include "device/sim/ptx/instruction.h"

static struct ptx_symbol *label_of(struct ptx_writer *writer, const struct ptx_operand *operand) {
    uint64_t member;
    struct ptx_symbol *symbol = operand ? ptx_symbol_of(writer, operand, &member) : NULL;
    if (symbol && symbol->kind != PTX_SYMBOL_LABEL) {
        ptx_refuse(writer, "%.*s is no label: give a PTX file that ptxas accepts", (int)symbol->name.length,
                   symbol->name.at);
        return NULL;
    }
    return symbol;
}

static void write_guard(struct ptx_writer *writer, const struct ptx_operand *guard) {
    fprintf(writer->out, "if (");
    ptx_write_bits(writer, guard, ptx_type_named("pred"));
    fputs(") ", writer->out);
}

// A conditional branch is a step of the warp. So is a jump back once in a while, because the loop may have no other.
static void write_bra(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    const struct ptx_symbol *label = label_of(writer, ptx_operand(writer, 0));
    if (!label) {
        return;
    }
    if (statement->guard) {
        fputs("sim_ptx_branch(", writer->out);
        ptx_write_site(writer);
        fputs("); ", writer->out);
        write_guard(writer, statement->guard);
    } else if (label->place) {
        fputs("sim_ptx_jump(", writer->out);
        ptx_write_site(writer);
        fputs("); ", writer->out);
    }
    fprintf(writer->out, "goto L%" PRIu32 "; ", label->id);
}

// brx.idx index, targets;
static void write_brx(struct ptx_writer *writer) {
    const struct ptx_operand *index = ptx_operand(writer, 0), *list = ptx_operand(writer, 1);
    uint64_t member;
    const struct ptx_symbol *targets = index && list ? ptx_symbol_of(writer, list, &member) : NULL;
    if (!targets || targets->kind != PTX_SYMBOL_TARGETS) {
        ptx_refuse(writer, "its targets are missing: give a PTX file that ptxas accepts");
        return;
    }
    fputs("sim_ptx_branch(", writer->out);
    ptx_write_site(writer);
    fputs("); ", writer->out);
    if (writer->statement->guard) {
        write_guard(writer, writer->statement->guard);
    }
    fputs("switch (", writer->out);
    ptx_write_bits(writer, index, ptx_type_named("u32"));
    fputs(") { ", writer->out);
    uint32_t number = 0;
    for (const struct ptx_operand *target = targets->values; target; target = target->next, number++) {
        const struct ptx_symbol *label = label_of(writer, target);
        if (label) {
            fprintf(writer->out, "case %" PRIu32 ": goto L%" PRIu32 "; ", number, label->id);
        }
    }
    fputs("default: break; } ", writer->out);
}

static void write_ret(struct ptx_writer *writer) {
    fputs("return; ", writer->out);
}

static void write_exit(struct ptx_writer *writer) {
    fputs(writer->function->entry ? "return; " : "sim_ptx_exit(); ", writer->out);
}

static void write_trap(struct ptx_writer *writer) {
    fputs("sim_ptx_trap(\"trap\", ", writer->out);
    ptx_write_site(writer);
    fputs("); ", writer->out);
}

// ---- Barriers ----

static void write_warp_barrier(struct ptx_writer *writer) {
    const struct ptx_operand *mask = ptx_operand(writer, 0);
    if (mask) {
        fputs("sim_ptx_warp_barrier(", writer->out);
        ptx_write_bits(writer, mask, ptx_type_named("u32"));
        fputs(", ", writer->out);
        ptx_write_site(writer);
        fputs("); ", writer->out);
    }
}

static void write_block_barrier(struct ptx_writer *writer) {
    if (ptx_count_operands(writer->statement->operands) > 1) {
        ptx_refuse(writer, "a barrier of some of the block's threads is not supported: let all threads meet");
        return;
    }
    fputs("sim_ptx_block_barrier(", writer->out);
    ptx_write_site(writer);
    fputs("); ", writer->out);
}

static void write_nothing(struct ptx_writer *writer) {
    (void)writer; // its effect comes with a later wait, or cannot be seen here
}

static void write_unsupported_barrier(struct ptx_writer *writer) {
    ptx_refuse(writer, "it is not supported: use bar.sync or barrier.sync");
}

bool ptx_write_control(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {{"bra", NULL, write_bra},
                                                  {"brx", "idx", write_brx},
                                                  {"ret", NULL, write_ret},
                                                  {"exit", NULL, write_exit},
                                                  {"trap", NULL, write_trap},
                                                  {"brkpt", NULL, write_trap},
                                                  {"bar", "warp", write_warp_barrier},
                                                  {"bar", "sync", write_block_barrier},
                                                  {"barrier", "cluster", write_nothing},
                                                  {"barrier", "sync", write_block_barrier},
                                                  {"bar", NULL, write_unsupported_barrier},
                                                  {"barrier", NULL, write_unsupported_barrier},
                                                  {"nanosleep", NULL, write_nothing},
                                                  {"pmevent", NULL, write_nothing},
                                                  {"setmaxnreg", NULL, write_nothing},
                                                  {"griddepcontrol", NULL, write_nothing}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
