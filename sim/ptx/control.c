#include <inttypes.h>

#include "sim/ptx/instruction.h"

// Branches, returns, barriers.

static struct ptx_symbol *label_of(struct ptx_writer *writer, const struct ptx_operand *operand) {
    uint64_t member;
    struct ptx_symbol *symbol = ptx_symbol_of(writer, operand, &member);
    if (symbol && symbol->kind != PTX_SYMBOL_LABEL) {
        ptx_refuse(writer, "%.*s is no label: give a PTX file that ptxas accepts", (int)symbol->name.length,
                   symbol->name.at);
        return NULL;
    }
    return symbol;
}

// A conditional branch is a step of the warp. So is a jump back now and then, because the loop may have no other step.
static void write_bra(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    const struct ptx_symbol *label = label_of(writer, ptx_operand(writer, 0));
    if (!label) {
        return;
    }
    if (statement->guard) {
        ptx_write(writer, "sim_ptx_branch($site); if ($*:pred) ", statement->guard);
    } else if (label->place) {
        ptx_write(writer, "sim_ptx_jump($site); ");
    }
    ptx_write(writer, "goto L%u; ", label->id);
}

// brx.idx index, targets;
static void write_brx(struct ptx_writer *writer) {
    const struct ptx_operand *list = ptx_operand(writer, 1);
    uint64_t member;
    const struct ptx_symbol *targets = ptx_symbol_of(writer, list, &member);
    if (!targets || targets->kind != PTX_SYMBOL_TARGETS) {
        ptx_refuse(writer, "its targets are missing: give a PTX file that ptxas accepts");
        return;
    }
    ptx_write(writer, "sim_ptx_branch($site); ");
    if (writer->statement->guard) {
        ptx_write(writer, "if ($*:pred) ", writer->statement->guard);
    }
    ptx_write(writer, "switch ($0:u32) { ");
    uint32_t number = 0;
    for (const struct ptx_operand *target = targets->values; target; target = target->next, number++) {
        const struct ptx_symbol *label = label_of(writer, target);
        if (label) {
            ptx_write(writer, "case %u: goto L%u; ", number, label->id);
        }
    }
    ptx_write(writer, "default: break; } ");
}

static void write_exit(struct ptx_writer *writer) {
    ptx_write(writer, writer->function->entry ? "return; " : "sim_ptx_exit(); ");
}

// ---- Barriers ----

static void write_number(struct ptx_writer *writer, const struct ptx_operand *operand, const char *type) {
    if (operand) {
        ptx_write(writer, "$*:T, ", operand, ptx_type_named(type));
    } else {
        ptx_write(writer, "0, ");
    }
}

static void write_barrier_call(struct ptx_writer *writer, const struct ptx_operand *number,
                               const struct ptx_operand *threads, const struct ptx_operand *value) {
    ptx_write(writer, "sim_ptx_block_barrier(");
    write_number(writer, number, "b32");
    write_number(writer, threads, "b32");
    write_number(writer, value, "pred");
    ptx_write(writer, "$site); ");
}

// bar.sync number, threads;
static void write_block_barrier(struct ptx_writer *writer) {
    const struct ptx_operand *number = ptx_operand(writer, 0);
    write_barrier_call(writer, number, number->next, NULL);
}

// The cluster's threads wait for each other in barrier.cluster.wait.
static void write_cluster_barrier(struct ptx_writer *writer) {
    if (ptx_has_part(writer->statement, "wait")) {
        ptx_write(writer, "sim_ptx_cluster_barrier($site); ");
    }
}

// bar.red.popc.u32 result, number, threads, value; .and and .or give a predicate.
static void write_reducing_barrier(struct ptx_writer *writer) {
    const struct ptx_operand *number = ptx_operand(writer, 1), *third = ptx_operand(writer, 2);
    const bool all = ptx_has_part(writer->statement, "and"), any = ptx_has_part(writer->statement, "or");
    const struct ptx_operand *value = third->next ? third->next : third;
    struct ptx_operand opposite = *value;
    opposite.negated = value->negated != all; // all lanes have it if none has the opposite
    ptx_write(writer, "const uint32_t count = ");
    write_barrier_call(writer, number, third->next ? third : NULL, &opposite);
    ptx_write(writer, "$0 = %s; ", all ? "(count == 0)" : any ? "(count != 0)" : "count");
}

static void write_unsupported_barrier(struct ptx_writer *writer) {
    ptx_refuse(writer, "it is not supported: use bar.sync or barrier.sync");
}

// ---- Calls ----

// Calls of functions.

// The parts of call (result), name, (arguments), prototype;
struct call {
    const struct ptx_operand *results, *callee, *arguments;
};

static struct call call_of(const struct ptx_statement *statement) {
    struct call call = {0};
    const struct ptx_operand *operand = statement->operands;
    if (operand && operand->kind == PTX_OPERAND_LIST) {
        call.results = operand->items;
        operand = operand->next;
    }
    call.callee = operand;
    operand = operand ? operand->next : NULL;
    if (operand && operand->kind == PTX_OPERAND_LIST) {
        call.arguments = operand->items;
    }
    return call;
}

static bool is_in_memory(struct ptx_writer *writer, const struct ptx_symbol *symbol) {
    if (symbol->space != PTX_SPACE_PARAM) {
        ptx_refuse(writer, "an argument in a register is not supported: pass it in .param memory");
    }
    return symbol->space == PTX_SPACE_PARAM;
}

static void write_arguments(struct ptx_writer *writer, const struct ptx_operand *list) {
    for (; list; list = list->next) {
        uint64_t member;
        const struct ptx_symbol *symbol = ptx_symbol_of(writer, list, &member);
        if (symbol && is_in_memory(writer, symbol)) {
            ptx_write(writer, ", v%u", symbol->id);
        }
    }
}

// A function's address in a register. All parameters are pointers.
static void write_indirect(struct ptx_writer *writer, const struct call *call) {
    const size_t count = ptx_count_operands(call->results) + ptx_count_operands(call->arguments);
    ptx_write(writer, "((void (*)(uint32_t");
    for (size_t i = 0; i < count; i++) {
        ptx_write(writer, ", unsigned char *");
    }
    ptx_write(writer, "))(uintptr_t)$*:b64)(depth + 1", call->callee);
    write_arguments(writer, call->results);
    write_arguments(writer, call->arguments);
    ptx_write(writer, "); ");
}

// What CUDA's own functions of this name are for; NULL for others.
static const char *why_unsupported(struct ptx_text name) {
    static const char heap[] = "memory that a kernel allocates is not supported: pass it a buffer";
    static const char launch[] = "a launch from a kernel is not supported: run the launched kernel by itself";
    static const char grid[] = "barriers of the whole grid are not supported: end the kernel there, and launch another";
    static const char *const table[][2] = {{"malloc", heap},
                                           {"free", heap},
                                           {"cudaLaunchDeviceV2", launch},
                                           {"cudaGetParameterBufferV2", launch},
                                           {"cudaDeviceSynchronize", launch},
                                           {"cudaCGGetIntrinsicHandle", grid},
                                           {"cudaCGSynchronize", grid}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (ptx_text_is(name, table[i][0])) {
            return table[i][1];
        }
    }
    return NULL;
}

// Functions that the simulator provides (kernel/memory.h): how a call of them begins.
struct provided {
    const char *name, *call;
    size_t results, arguments;
};

static const struct provided *find_provided(struct ptx_text name) {
    static const struct provided all[] = {{"vprintf", "call_print(depth", 1, 2},
                                          {"__assertfail", "call_assert_fail($site", 0, 5}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (ptx_text_is(name, all[i].name)) {
            return &all[i];
        }
    }
    return NULL;
}

static void write_direct(struct ptx_writer *writer, const struct call *call, struct ptx_symbol *symbol) {
    const struct ptx_function *function = symbol->function;
    const struct provided *provided = find_provided(symbol->name);
    const size_t results = ptx_count_operands(call->results), arguments = ptx_count_operands(call->arguments);
    const size_t wanted_results = provided ? provided->results : function->result_count;
    const size_t wanted_arguments = provided ? provided->arguments : function->parameter_count;
    if (!provided && !function->has_body && why_unsupported(symbol->name)) {
        ptx_refuse(writer, "%s", why_unsupported(symbol->name));
    } else if (!provided && !function->has_body) {
        ptx_refuse(writer, "the file has no body of %.*s: link the file that has it, or compile without -rdc",
                   symbol->name.length > 80 ? 80 : (int)symbol->name.length, symbol->name.at);
    } else if (results != wanted_results || arguments != wanted_arguments) {
        ptx_refuse(writer,
                   "%zu results and %zu arguments, %zu and %zu are expected: give a PTX file that ptxas accepts",
                   results, arguments, wanted_results, wanted_arguments);
    } else {
        if (provided) {
            ptx_write(writer, provided->call);
        } else {
            symbol->used = true;
            ptx_write(writer, "f%u(depth + 1", symbol->id);
        }
        write_arguments(writer, call->results);
        write_arguments(writer, call->arguments);
        ptx_write(writer, "); ");
    }
}

static void write_call(struct ptx_writer *writer) {
    const struct call call = call_of(writer->statement);
    uint64_t member;
    struct ptx_symbol *symbol = call.callee ? ptx_symbol_of(writer, call.callee, &member) : NULL;
    if (!symbol) {
        ptx_refuse(writer, "the function is missing: give a PTX file that ptxas accepts");
    } else if (symbol->kind == PTX_SYMBOL_FUNCTION) {
        write_direct(writer, &call, symbol);
    } else {
        write_indirect(writer, &call);
    }
}

// ---- The rows ----

bool ptx_write_control(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {{"bra", .write = write_bra},
                                                  {"brx", "idx", .write = write_brx},
                                                  {"ret", .template = "return; "},
                                                  {"exit", .write = write_exit},
                                                  {"trap|brkpt", .template = "sim_ptx_trap(\"trap\", $site); "},
                                                  {"bar", "warp", .template = "sim_ptx_warp_barrier($0:u32, $site); "},
                                                  {"bar|barrier", "red", .write = write_reducing_barrier},
                                                  {"barrier", "cluster", .write = write_cluster_barrier},
                                                  {"bar|barrier", "sync", .write = write_block_barrier},
                                                  {"bar|barrier", .write = write_unsupported_barrier},
                                                  {"nanosleep|pmevent|setmaxnreg|griddepcontrol", .template = ""},
                                                  {"call", .write = write_call}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
