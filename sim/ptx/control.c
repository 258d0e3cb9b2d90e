// Branches, returns, barriers.
#include <inttypes.h>

#include "sim/ptx/instruction.h"

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

// A conditional branch is a step of the warp. So is a jump back now and then, because the loop may have no other step.
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

static void write_number(struct ptx_writer *writer, const struct ptx_operand *operand, const char *type) {
    if (operand) {
        ptx_write_bits(writer, operand, ptx_type_named(type));
    } else {
        fputc('0', writer->out);
    }
    fputs(", ", writer->out);
}

static void write_barrier_call(struct ptx_writer *writer, const struct ptx_operand *number,
                               const struct ptx_operand *threads, const struct ptx_operand *value) {
    fputs("sim_ptx_block_barrier(", writer->out);
    write_number(writer, number, "b32");
    write_number(writer, threads, "b32");
    write_number(writer, value, "pred");
    ptx_write_site(writer);
    fputs("); ", writer->out);
}

// bar.sync number, threads;
static void write_block_barrier(struct ptx_writer *writer) {
    const struct ptx_operand *number = ptx_operand(writer, 0);
    if (number) {
        write_barrier_call(writer, number, number->next, NULL);
    }
}

// The cluster's threads wait for each other in barrier.cluster.wait.
static void write_cluster_barrier(struct ptx_writer *writer) {
    if (ptx_has_part(writer->statement, "wait")) {
        fputs("sim_ptx_cluster_barrier(", writer->out);
        ptx_write_site(writer);
        fputs("); ", writer->out);
    }
}

// bar.red.popc.u32 result, number, threads, value; .and and .or give a predicate.
static void write_reducing_barrier(struct ptx_writer *writer) {
    const struct ptx_operand *target = ptx_operand(writer, 0), *number = ptx_operand(writer, 1);
    const struct ptx_operand *third = ptx_operand(writer, 2);
    const bool all = ptx_has_part(writer->statement, "and"), any = ptx_has_part(writer->statement, "or");
    if (!target || !third) {
        return;
    }
    const struct ptx_operand *value = third->next ? third->next : third;
    struct ptx_operand opposite = *value;
    opposite.negated = value->negated != all; // all lanes have it if none has the opposite
    fputs("const uint32_t count = ", writer->out);
    write_barrier_call(writer, number, third->next ? third : NULL, &opposite);
    ptx_write_target(writer, target);
    fputs(all ? "(count == 0); " : any ? "(count != 0); " : "count; ", writer->out);
}

static void write_nothing(struct ptx_writer *writer) {
    (void)writer; // nothing here shows the effect
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
                                                  {"bar", "red", write_reducing_barrier},
                                                  {"barrier", "red", write_reducing_barrier},
                                                  {"bar", "sync", write_block_barrier},
                                                  {"barrier", "cluster", write_cluster_barrier},
                                                  {"barrier", "sync", write_block_barrier},
                                                  {"bar", NULL, write_unsupported_barrier},
                                                  {"barrier", NULL, write_unsupported_barrier},
                                                  {"nanosleep", NULL, write_nothing},
                                                  {"pmevent", NULL, write_nothing},
                                                  {"setmaxnreg", NULL, write_nothing},
                                                  {"griddepcontrol", NULL, write_nothing}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
