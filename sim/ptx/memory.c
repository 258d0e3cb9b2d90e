// ld, st, atom, red
#include <inttypes.h>

#include "sim/ptx/instruction.h"

enum {
    WIDEST = 16 // bytes of a lane in one request
};

// Whether the space's accesses are requests of a warp. Constants, parameters and local memory have separate caches or
// registers.
static bool is_counted(enum ptx_space space) {
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_SHARED || space == PTX_SPACE_GENERIC;
}

static uint32_t elements_of(const struct ptx_statement *statement) {
    return ptx_has_part(statement, "v2")   ? 2
           : ptx_has_part(statement, "v4") ? 4
           : ptx_has_part(statement, "v8") ? 8
                                           : 1;
}

// Declares `at`, and announces the access if it is counted.
static void write_access(struct ptx_writer *writer, const struct ptx_operand *address, uint32_t bytes,
                         const char *operation) {
    enum ptx_space space = ptx_space_part(writer->statement);
    fputs("const uint64_t at = ", writer->out);
    ptx_write_address(writer, address, space);
    fputs("; ", writer->out);
    for (uint32_t done = 0; done < bytes && is_counted(space); done += WIDEST) {
        fprintf(writer->out, "sim_ptx_access(at + %" PRIu32 ", %" PRIu32 ", %s, ", done,
                bytes - done < WIDEST ? bytes - done : WIDEST, operation);
        ptx_write_site(writer);
        fputs("); ", writer->out);
    }
}

// The i-th register of {a, b}, or the operand itself. A single register may stand in braces, too.
static const struct ptx_operand *element(struct ptx_writer *writer, const struct ptx_operand *operand, uint32_t i,
                                         uint32_t count) {
    const struct ptx_operand *item = operand->kind == PTX_OPERAND_LIST ? operand->items : operand;
    for (uint32_t n = 0; item && n < i; n++) {
        item = item->next;
    }
    if (!item || (operand->kind == PTX_OPERAND_LIST ? ptx_count_operands(operand->items) : 1) != count) {
        ptx_refuse(writer, "a vector of %" PRIu32 " registers is expected: give a PTX file that ptxas accepts", count);
        return NULL;
    }
    return item;
}

static const struct ptx_type *last_type(struct ptx_writer *writer) {
    const size_t count = ptx_count_types(writer->statement);
    const struct ptx_type *type = count ? ptx_type_part(writer->statement, count - 1) : NULL;
    if (!type) {
        ptx_refuse(writer, "its type is missing: give a PTX file that ptxas accepts");
    }
    return type;
}

static const char *bits_name(const struct ptx_type *type) {
    return type->lanes > 1 ? ptx_type_of(PTX_CLASS_BITS, type->bytes)->bits : type->bits;
}

static void write_ld(struct ptx_writer *writer) {
    const struct ptx_type *type = last_type(writer);
    const struct ptx_operand *target = ptx_operand(writer, 0), *address = ptx_operand(writer, 1);
    const uint32_t count = elements_of(writer->statement);
    if (!type || !target || !address) {
        return;
    }
    write_access(writer, address, type->bytes * count, "SIM_PTX_LOAD");
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *one = element(writer, target, i, count);
        if (one && !ptx_is_sink(one)) {
            ptx_write_target(writer, one);
            fprintf(writer->out, "(%s)PTX_AT(const %s, at + %" PRIu32 "); ",
                    *type->from ? bits_name(type) : type->number, bits_name(type), i * type->bytes);
        }
    }
}

// st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [to], value, [barrier]; red.async likewise.
static void complete(struct ptx_writer *writer, uint32_t bytes) {
    if (ptx_has_part(writer->statement, "async")) {
        char count[16];
        snprintf(count, sizeof count, "%" PRIu32, bytes);
        ptx_write_completion(writer, 2, count);
    }
}

static void write_st(struct ptx_writer *writer) {
    const struct ptx_type *type = last_type(writer);
    const struct ptx_operand *address = ptx_operand(writer, 0), *source = ptx_operand(writer, 1);
    const uint32_t count = elements_of(writer->statement);
    if (!type || !source || !address) {
        return;
    }
    write_access(writer, address, type->bytes * count, "SIM_PTX_STORE");
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *one = element(writer, source, i, count);
        if (one) {
            fprintf(writer->out, "PTX_AT(%s, at + %" PRIu32 ") = ", bits_name(type), i * type->bytes);
            ptx_write_bits(writer, one, type);
            fputs("; ", writer->out);
        }
    }
    complete(writer, type->bytes * count);
}

// ---- Atomics ----

// One number in memory: `at` plus an offset. Lane is which half of a packed register holds the value.
static void write_update(struct ptx_writer *writer, const struct ptx_type *type, const struct ptx_operand *sources[2],
                         uint32_t offset, uint32_t lane) {
    static const char *const names[] = {"value", "other"};
    FILE *out = writer->out;
    fprintf(out, "{ const %s old = %s(PTX_AT(const %s, at + %" PRIu32 ")); ", type->number, type->from, type->bits,
            offset);
    for (int i = 0; i < 2 && sources[i]; i++) {
        fprintf(out, "const %s %s = %s((%s)(", type->number, names[i], type->from, type->bits);
        ptx_write_bits(writer, sources[i],
                       type->lanes > 1 ? ptx_type_of(PTX_CLASS_BITS, type->bytes) : ptx_type_element(type));
        fprintf(out, " >> %" PRIu32 ")); ", lane * 4 * type->bytes);
    }
    fprintf(out, "PTX_AT(%s, at + %" PRIu32 ") = %s(%s); } ", type->bits, offset, type->to,
            ptx_update_of(writer, type));
}

// Writes atom, or red where target is NULL, because no value is fetched.
static void write_atomic(struct ptx_writer *writer, const struct ptx_operand *target, size_t first) {
    const struct ptx_type *type = last_type(writer);
    const uint32_t count = elements_of(writer->statement);
    const struct ptx_operand *address = ptx_operand(writer, first), *value = ptx_operand(writer, first + 1);
    const bool swap = ptx_has_part(writer->statement, "cas");
    if (!type || !address || !value) {
        return;
    }
    const struct ptx_operand *other = swap ? ptx_operand(writer, first + 2) : NULL;
    write_access(writer, address, type->bytes * count, "SIM_PTX_ATOMIC");
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *sources[] = {element(writer, value, i, count), other};
        const struct ptx_operand *one = target ? element(writer, target, i, count) : NULL;
        fprintf(writer->out, "const %s before%" PRIu32 " = PTX_AT(const %s, at + %" PRIu32 "); ", bits_name(type), i,
                bits_name(type), i * type->bytes);
        for (uint32_t lane = 0; lane < type->lanes && sources[0]; lane++) {
            write_update(writer, type, sources, i * type->bytes + lane * type->bytes / type->lanes, lane);
        }
        if (one) {
            ptx_write_target(writer, one);
            fprintf(writer->out, "before%" PRIu32 "; ", i);
        }
    }
    complete(writer, type->bytes * count);
}

static void write_atom(struct ptx_writer *writer) {
    const struct ptx_operand *target = ptx_operand(writer, 0);
    if (target) {
        write_atomic(writer, target, 1);
    }
}

static void write_red(struct ptx_writer *writer) {
    write_atomic(writer, NULL, 0);
}

static void write_nothing(struct ptx_writer *writer) {
    (void)writer; // a hint to a cache or an order of memory, which is invisible to lanes here
}

bool ptx_write_memory(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {{"ld", NULL, write_ld},
                                                  {"ldu", NULL, write_ld},
                                                  {"st", NULL, write_st},
                                                  {"atom", NULL, write_atom},
                                                  {"red", NULL, write_red},
                                                  {"prefetch", NULL, write_nothing},
                                                  {"prefetchu", NULL, write_nothing},
                                                  {"applypriority", NULL, write_nothing},
                                                  {"discard", NULL, write_nothing},
                                                  {"membar", NULL, write_nothing},
                                                  {"fence", NULL, write_nothing},
                                                  {"createpolicy", NULL, write_nothing}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
