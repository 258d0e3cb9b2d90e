#include "sim/ptx/parse/statement.h"

#include <string.h>

enum {
    DEPTH = 4 // of lists in lists
};

static struct ptx_operand *parse_operand(struct ptx_reader *reader, int depth);

static struct ptx_operand *new_operand(struct ptx_reader *reader, enum ptx_operand_kind kind) {
    struct ptx_operand *operand = ptx_take_memory(reader, sizeof *operand);
    if (operand) {
        operand->kind = kind;
    }
    return operand;
}

// Operands up to the closing mark.
static struct ptx_operand *parse_list(struct ptx_reader *reader, int depth) {
    struct ptx_operand *first = NULL, **last = &first;
    do {
        *last = parse_operand(reader, depth);
        if (!*last) {
            break;
        }
        last = &(*last)->next;
    } while (ptx_take_mark(reader, ','));
    return first;
}

// A number, perhaps with a minus.
static struct ptx_operand *parse_number(struct ptx_reader *reader) {
    const bool negative = ptx_take_mark(reader, '-');
    const struct ptx_token token = reader->token;
    const enum ptx_operand_kind kind = token.kind == PTX_TOKEN_FLOAT32   ? PTX_OPERAND_FLOAT32
                                       : token.kind == PTX_TOKEN_FLOAT64 ? PTX_OPERAND_FLOAT64
                                                                         : PTX_OPERAND_INTEGER;
    if (token.kind != PTX_TOKEN_INTEGER && kind == PTX_OPERAND_INTEGER) {
        ptx_fail_here(reader, "a register, a name or a number");
        return NULL;
    }
    struct ptx_operand *operand = new_operand(reader, kind);
    if (operand) {
        operand->value = !negative                     ? token.value
                         : kind == PTX_OPERAND_INTEGER ? -token.value
                         : kind == PTX_OPERAND_FLOAT32 ? token.value ^ UINT64_C(1) << 31
                                                       : token.value ^ UINT64_C(1) << 63;
        ptx_advance(reader);
    }
    return operand;
}

// The +4, +-4 or -4 behind a name.
static uint64_t parse_offset(struct ptx_reader *reader) {
    uint64_t offset = 0;
    while (ptx_at_mark(reader, '+') || ptx_at_mark(reader, '-')) {
        ptx_take_mark(reader, '+');
        offset += ptx_expect_integer(reader, "an offset");
    }
    return offset;
}

static struct ptx_operand *parse_name(struct ptx_reader *reader) {
    struct ptx_operand *operand = new_operand(reader, PTX_OPERAND_NAME);
    if (operand) {
        operand->name = ptx_expect_word(reader, "a name");
        operand->value = parse_offset(reader);
    }
    return operand;
}

// [base+offset], or [map, {coordinates}] of a copy by a tensor map
static struct ptx_operand *parse_address(struct ptx_reader *reader, int depth) {
    struct ptx_operand *operand = new_operand(reader, PTX_OPERAND_ADDRESS);
    if (!operand) {
        return NULL;
    }
    ptx_expect_mark(reader, '[');
    operand->items = parse_list(reader, depth);
    if (operand->items && operand->items->kind == PTX_OPERAND_NAME) {
        operand->value = operand->items->value;
        operand->items->value = 0;
    }
    ptx_expect_mark(reader, ']');
    return operand;
}

static struct ptx_operand *parse_braces(struct ptx_reader *reader, char close, int depth) {
    struct ptx_operand *operand = new_operand(reader, PTX_OPERAND_LIST);
    ptx_advance(reader);
    if (operand && !ptx_at_mark(reader, close)) {
        operand->items = parse_list(reader, depth);
    }
    ptx_expect_mark(reader, close);
    return operand;
}

static struct ptx_operand *parse_plain(struct ptx_reader *reader, int depth) {
    if (depth == 0) {
        ptx_fail(reader, STATUS_USAGE, "lists of operands are nested too deep: give a PTX file");
        return NULL;
    }
    if (ptx_at_mark(reader, '[')) {
        return parse_address(reader, depth - 1);
    }
    if (ptx_at_mark(reader, '{') || ptx_at_mark(reader, '(')) {
        return parse_braces(reader, ptx_at_mark(reader, '{') ? '}' : ')', depth - 1);
    }
    return reader->token.kind == PTX_TOKEN_WORD ? parse_name(reader) : parse_number(reader);
}

// The operand with the !, and q of p|q.
static struct ptx_operand *parse_operand(struct ptx_reader *reader, int depth) {
    const bool negated = ptx_take_mark(reader, '!');
    struct ptx_operand *operand = parse_plain(reader, depth);
    if (operand) {
        operand->negated = negated;
        operand->pair = ptx_take_mark(reader, '|') ? parse_plain(reader, depth) : NULL;
    }
    return operand;
}

struct ptx_operand *ptx_parse_operands(struct ptx_reader *reader) {
    return ptx_at_mark(reader, ';') ? NULL : parse_list(reader, DEPTH);
}

// The name in generic(name) and its kin takes the value's place, because addresses are generic ones.
struct ptx_operand *ptx_parse_value(struct ptx_reader *reader) {
    struct ptx_operand *value = parse_operand(reader, DEPTH);
    if (value && value->kind == PTX_OPERAND_NAME && ptx_text_is(value->name, "generic") && ptx_take_mark(reader, '(')) {
        value->name = ptx_expect_word(reader, "a name");
        ptx_expect_mark(reader, ')');
        value->value = parse_offset(reader);
    }
    return value;
}

// Splits the opcode at its dots.
static bool split_opcode(struct ptx_reader *reader, struct ptx_statement *statement) {
    const char *at = statement->name.at, *end = at + statement->name.length;
    while (at < end) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        dot = dot ? dot : end;
        if (statement->part_count == PTX_OPCODE_PARTS) {
            ptx_fail(reader, STATUS_USAGE, "an opcode of more than %d parts: give a PTX file", PTX_OPCODE_PARTS);
            return false;
        }
        statement->parts[statement->part_count++] = (struct ptx_text){at, (size_t)(dot - at)};
        at = dot + 1;
    }
    return true;
}

static struct ptx_operand *parse_guard(struct ptx_reader *reader) {
    if (!ptx_take_mark(reader, '@')) {
        return NULL;
    }
    const bool negated = ptx_take_mark(reader, '!');
    struct ptx_operand *guard = parse_name(reader);
    if (guard) {
        guard->negated = negated;
    }
    return guard;
}

struct ptx_statement *ptx_parse_instruction(struct ptx_reader *reader) {
    struct ptx_statement *statement = ptx_take_memory(reader, sizeof *statement);
    if (!statement) {
        return NULL;
    }
    statement->kind = PTX_STATEMENT_INSTRUCTION;
    statement->place = reader->place;
    statement->guard = parse_guard(reader);
    statement->line = reader->token.line;
    statement->name = ptx_expect_word(reader, "an instruction");
    if (reader->status == STATUS_OK && split_opcode(reader, statement)) {
        statement->operands = ptx_parse_operands(reader);
        ptx_expect_mark(reader, ';');
    }
    return reader->status == STATUS_OK ? statement : NULL;
}
