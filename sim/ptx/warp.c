// shfl, vote, match, redux, activemask, elect
#include "sim/ptx/instruction.h"

static void write_field(struct ptx_writer *writer, const char *field, size_t n, const char *type) {
    const struct ptx_operand *operand = ptx_operand(writer, n);
    if (operand) {
        fprintf(writer->out, ".%s = ", field);
        ptx_write_bits(writer, operand, ptx_type_named(type));
        fputs(", ", writer->out);
    }
}

// Synchronizes the lanes of the mask, which is the last operand. Without one, the lanes that are there meet.
static void write_meeting(struct ptx_writer *writer, const char *meet, const struct ptx_operand *mask) {
    fputs(".mask = ", writer->out);
    if (mask) {
        ptx_write_bits(writer, mask, ptx_type_named("u32"));
    } else {
        fputs("0xffffffff", writer->out);
    }
    fprintf(writer->out, "}; sim_ptx_meet(%s, &mine, %s, ", meet, mask ? "mine.mask" : "0");
    ptx_write_site(writer);
    fputs("); ", writer->out);
}

static void write_results(struct ptx_writer *writer, const struct ptx_operand *target) {
    ptx_write_target(writer, target);
    fputs("mine.result; ", writer->out);
    if (target->pair && !ptx_is_sink(target->pair)) {
        ptx_write_target(writer, target->pair);
        fputs("mine.inside; ", writer->out);
    }
}

// The constant of the opcode's part; NULL and an error if the opcode has none of the parts.
struct choice {
    const char *part, *constant;
};

static const char *choose(struct ptx_writer *writer, const struct choice *choices, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (ptx_has_part(writer->statement, choices[i].part)) {
            return choices[i].constant;
        }
    }
    ptx_refuse(writer, "this mode is not supported: give a PTX file that ptxas accepts");
    return "0";
}

#define CHOOSE(writer, choices) choose(writer, choices, sizeof(choices) / sizeof *(choices))

static void write_shfl(struct ptx_writer *writer) {
    static const struct choice modes[] = {
        {"up", "SHUFFLE_UP"}, {"down", "SHUFFLE_DOWN"}, {"bfly", "SHUFFLE_BFLY"}, {"idx", "SHUFFLE_IDX"}};
    const struct ptx_operand *target = ptx_operand(writer, 0), *last = ptx_operand(writer, 3);
    if (!target || !last) {
        return;
    }
    fprintf(writer->out, "struct exchange mine = {.kind = %s, ", CHOOSE(writer, modes));
    write_field(writer, "value", 1, "b32");
    write_field(writer, "operand", 2, "b32");
    write_field(writer, "bounds", 3, "b32");
    write_meeting(writer, "meet_shuffle", last->next);
    write_results(writer, target);
}

static void write_vote(struct ptx_writer *writer) {
    static const struct choice modes[] = {
        {"all", "VOTE_ALL"}, {"any", "VOTE_ANY"}, {"uni", "VOTE_UNI"}, {"ballot", "VOTE_BALLOT"}};
    const struct ptx_operand *target = ptx_operand(writer, 0), *value = ptx_operand(writer, 1);
    if (target && value) {
        fprintf(writer->out, "struct exchange mine = {.kind = %s, ", CHOOSE(writer, modes));
        write_field(writer, "value", 1, "pred");
        write_meeting(writer, "meet_vote", value->next);
        write_results(writer, target);
    }
}

static void write_match(struct ptx_writer *writer) {
    static const struct choice modes[] = {{"any", "0"}, {"all", "1"}};
    const struct ptx_operand *target = ptx_operand(writer, 0), *value = ptx_operand(writer, 1);
    if (target && value) {
        fprintf(writer->out, "struct exchange mine = {.kind = %s, ", CHOOSE(writer, modes));
        write_field(writer, "value", 1, ptx_has_part(writer->statement, "b64") ? "b64" : "b32");
        write_meeting(writer, "meet_match", value->next);
        write_results(writer, target);
    }
}

static void write_redux(struct ptx_writer *writer) {
    static const struct choice bits[] = {
        {"add", "REDUCE_ADD"}, {"and", "REDUCE_AND"}, {"or", "REDUCE_OR"}, {"xor", "REDUCE_XOR"}};
    static const struct choice limits[] = {{"min", "REDUCE_MIN_"}, {"max", "REDUCE_MAX_"}};
    const struct ptx_operand *target = ptx_operand(writer, 0), *value = ptx_operand(writer, 1);
    const bool limit = ptx_has_part(writer->statement, "min") || ptx_has_part(writer->statement, "max");
    if (!target || !value || ptx_has_part(writer->statement, "f32")) {
        ptx_refuse(writer, "it is supported on integers only: use shfl.sync");
        return;
    }
    fprintf(writer->out, "struct exchange mine = {.kind = %s%s, ",
            limit ? CHOOSE(writer, limits) : CHOOSE(writer, bits),
            !limit                                   ? ""
            : ptx_has_part(writer->statement, "s32") ? "S32"
                                                     : "U32");
    write_field(writer, "value", 1, "b32");
    write_meeting(writer, "meet_reduce", value->next);
    write_results(writer, target);
}

static void write_activemask(struct ptx_writer *writer) {
    const struct ptx_operand *target = ptx_operand(writer, 0);
    if (target) {
        fputs("struct exchange mine = {", writer->out);
        write_meeting(writer, "meet_active", NULL);
        write_results(writer, target);
    }
}

// The lowest lane that has arrived is elected.
static void write_elect(struct ptx_writer *writer) {
    const struct ptx_operand *target = ptx_operand(writer, 0);
    if (!target || !target->pair) {
        ptx_refuse(writer, "its predicate is missing: give a PTX file that ptxas accepts");
        return;
    }
    fputs("struct exchange mine = {", writer->out);
    write_meeting(writer, "meet_active", target->next);
    fputs("const uint32_t leader = (uint32_t)__builtin_ctzll(mine.result); ", writer->out);
    ptx_write_target(writer, target);
    fputs("leader; ", writer->out);
    ptx_write_target(writer, target->pair);
    fputs("(leader == sim_ptx_special(SIM_PTX_LANEID)); ", writer->out);
}

bool ptx_write_warp(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {{"shfl", NULL, write_shfl},   {"vote", NULL, write_vote},
                                                  {"match", NULL, write_match}, {"redux", NULL, write_redux},
                                                  {"elect", NULL, write_elect}, {"activemask", NULL, write_activemask}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
