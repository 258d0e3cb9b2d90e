// Follows values from register to register. Compilers write most registers of PTX once, so that a register may keep all
// the loads that any of its values comes from. The file is read twice, because values also come from further down a
// loop.
#include "sim/ptx/flow.h"

static uint64_t load_of(uint32_t site) {
    return UINT64_C(1) << site % 64;
}

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
    return symbol->loads ? &symbol->loads[symbol->range ? member : 0] : NULL;
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

static bool is_one_of(const struct ptx_statement *statement, const char *const *opcodes) {
    while (*opcodes && !ptx_text_is(statement->parts[0], *opcodes)) {
        opcodes++;
    }
    return *opcodes != NULL;
}

static void follow(struct ptx_writer *writer, const struct ptx_statement *statement) {
    static const char *const without_result[] = {"st", "red", "bra", "brx", "bar", "barrier", "stmatrix", "cp", NULL};
    static const char *const loading[] = {"ld", "ldu", "ldmatrix", "atom", NULL};
    const struct ptx_operand *target = is_one_of(statement, without_result) ? NULL : statement->operands;
    const bool loads = statement->sites && is_one_of(statement, loading);
    uint64_t address = statement->guard ? read_operand(writer, statement, statement->guard) : 0, read = address;
    for (const struct ptx_operand *operand = statement->operands; operand; operand = operand->next) {
        const uint64_t own = operand == target ? 0 : read_operand(writer, statement, operand);
        read |= own;
        address |= operand->kind == PTX_OPERAND_ADDRESS ? own : 0;
    }
    if (statement->sites) {
        writer->sites[statement->site].needs_address |= address;
        writer->sites[statement->site].returned = target && !ptx_is_sink(target);
    } else if (statement->site > 0) {
        writer->sites[statement->site - 1].needs_used |= read;
    }
    if (target) {
        write_target(writer, statement, target, loads ? load_of(statement->site) : read);
    }
}

void ptx_find_needs(struct ptx_writer *writer, const struct ptx_function *function) {
    for (int pass = 0; pass < 2 && writer->status == STATUS_OK; pass++) {
        for (const struct ptx_statement *statement = function->statements; statement; statement = statement->next) {
            if (statement->kind == PTX_STATEMENT_INSTRUCTION && writer->site_count > 0) {
                follow(writer, statement);
            }
        }
    }
}
