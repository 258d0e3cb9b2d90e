#include "sim/ptx/parse/declare.h"

#include "sim/ptx/parse/statement.h"

enum {
    REGISTERS = 1 << 20, // of one range
    BYTES_MAX = 1 << 30  // of one variable
};

static const struct {
    const char *name;
    enum ptx_space space;
} spaces[] = {{".reg", PTX_SPACE_REG},       {".global", PTX_SPACE_GLOBAL}, {".const", PTX_SPACE_CONST},
              {".shared", PTX_SPACE_SHARED}, {".local", PTX_SPACE_LOCAL},   {".param", PTX_SPACE_PARAM}};

bool ptx_take_space(struct ptx_reader *reader, enum ptx_space *space) {
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (ptx_take_directive(reader, spaces[i].name)) {
            *space = spaces[i].space;
            return true;
        }
    }
    return false;
}

struct ptx_symbol *ptx_declare(struct ptx_reader *reader, const struct ptx_scope *scope, enum ptx_symbol_kind kind,
                               struct ptx_text name) {
    if (reader->status != STATUS_OK) {
        return NULL;
    }
    const struct ptx_symbol *known = ptx_symbol_in(reader->tree, scope, name);
    if (known) {
        ptx_fail(reader, STATUS_USAGE, "%.*s is declared in line %u already: give a PTX file", (int)name.length,
                 name.at, known->line);
        return NULL;
    }
    struct ptx_symbol *symbol = ptx_symbol_add(reader->tree, scope, kind, name);
    if (!symbol) {
        ptx_fail(reader, STATUS_FAILED, "no memory for the file: close other programs");
        return NULL;
    }
    symbol->line = reader->token.line;
    return symbol;
}

static bool take_qualifier(struct ptx_reader *reader, struct ptx_qualifiers *qualifiers) {
    enum ptx_space ignored;
    const struct ptx_text text = {reader->token.text.at + 1, reader->token.text.length - 1};
    if (reader->token.kind != PTX_TOKEN_DIRECTIVE) {
        return false;
    }
    if (ptx_take_directive(reader, ".align")) {
        const uint64_t align = ptx_expect_integer(reader, "an alignment");
        qualifiers->align = qualifiers->pointer ? qualifiers->align : align > 4096 ? UINT32_MAX : (uint32_t)align;
    } else if (ptx_take_directive(reader, ".v2")) {
        qualifiers->vector = 2;
    } else if (ptx_take_directive(reader, ".v4")) {
        qualifiers->vector = 4;
    } else if (ptx_take_directive(reader, ".attribute")) {
        ptx_expect_mark(reader, '(');
        ptx_advance(reader);
        ptx_expect_mark(reader, ')');
    } else if (ptx_type_find(text)) {
        qualifiers->type = ptx_type_find(text);
        ptx_advance(reader);
    } else if (ptx_take_directive(reader, ".ptr")) {
        qualifiers->pointer = true;
    } else if (!ptx_take_space(reader, &ignored)) {
        ptx_fail_here(reader, "a type");
    }
    return reader->status == STATUS_OK;
}

struct ptx_qualifiers ptx_parse_qualifiers(struct ptx_reader *reader, enum ptx_space space) {
    struct ptx_qualifiers qualifiers = {.space = space, .vector = 1};
    while (take_qualifier(reader, &qualifiers)) {
    }
    const uint32_t align = qualifiers.align;
    if (!qualifiers.type) {
        ptx_fail_here(reader, "a type");
    } else if (align & (align - 1) || align > 4096) {
        ptx_fail(reader, STATUS_USAGE, "an alignment of %u: give a power of two up to 4096", align);
    } else if (!align) {
        qualifiers.align = qualifiers.type->bytes * qualifiers.vector;
    }
    return qualifiers;
}

// [N][M]: *count becomes the number of elements; 0 where the launch gives it.
static void parse_extents(struct ptx_reader *reader, struct ptx_symbol *symbol) {
    while (ptx_take_mark(reader, '[')) {
        const uint64_t extent = ptx_at_mark(reader, ']') ? 0 : ptx_expect_integer(reader, "a number of elements");
        if (extent > BYTES_MAX || symbol->count * extent > BYTES_MAX) {
            ptx_fail(reader, STATUS_USAGE, "an array of more than %d elements: declare a smaller one", BYTES_MAX);
        }
        symbol->count *= extent;
        symbol->array = true;
        ptx_expect_mark(reader, ']');
    }
}

static void parse_range(struct ptx_reader *reader, struct ptx_symbol *symbol) {
    if (!ptx_take_mark(reader, '<')) {
        return;
    }
    symbol->range = true;
    symbol->count = ptx_expect_integer(reader, "a number of registers");
    if (symbol->count > REGISTERS) {
        ptx_fail(reader, STATUS_USAGE, "more than %d registers in a range: declare fewer", REGISTERS);
    }
    ptx_expect_mark(reader, '>');
    symbol->members = ptx_take_memory(reader, (size_t)symbol->count + 1);
}

// The values of = {1, 2, {3, name}}, as one list.
static void parse_values(struct ptx_reader *reader, struct ptx_operand ***last) {
    int depth = 0;
    do {
        if (ptx_take_mark(reader, '{')) {
            depth++;
        } else if (ptx_take_mark(reader, '}')) {
            depth--;
        } else {
            **last = ptx_parse_value(reader);
            *last = **last ? &(**last)->next : *last;
        }
        while (ptx_take_mark(reader, ',')) {
        }
    } while (depth > 0 && reader->token.kind != PTX_TOKEN_END);
}

// The elements of an array that only its initial values give a size.
static uint64_t count_values(const struct ptx_symbol *symbol) {
    uint64_t count = 0;
    for (const struct ptx_operand *value = symbol->values; value; value = value->next) {
        count++;
    }
    return count / symbol->vector;
}

struct ptx_symbol *ptx_parse_declarator(struct ptx_reader *reader, const struct ptx_scope *scope,
                                        const struct ptx_qualifiers *qualifiers) {
    const struct ptx_text name = ptx_expect_word(reader, "the name of a variable");
    struct ptx_symbol *symbol = ptx_declare(reader, scope, PTX_SYMBOL_VARIABLE, name);
    if (!symbol) {
        return NULL;
    }
    symbol->space = qualifiers->space;
    symbol->type = qualifiers->type;
    symbol->align = qualifiers->align;
    symbol->vector = qualifiers->vector;
    parse_range(reader, symbol);
    parse_extents(reader, symbol);
    if (ptx_take_mark(reader, '=')) {
        struct ptx_operand **last = &symbol->values;
        parse_values(reader, &last);
        symbol->count = symbol->count ? symbol->count : count_values(symbol);
    }
    return symbol;
}

// The variables of one declaration; the space has been read.
void ptx_parse_variables(struct ptx_reader *reader, const struct ptx_scope *scope, enum ptx_space space,
                         bool external) {
    const struct ptx_qualifiers qualifiers = ptx_parse_qualifiers(reader, space);
    do {
        struct ptx_symbol *symbol = ptx_parse_declarator(reader, scope, &qualifiers);
        if (symbol) {
            symbol->external = external;
        }
    } while (ptx_take_mark(reader, ','));
    ptx_expect_mark(reader, ';');
}
