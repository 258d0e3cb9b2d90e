#include "sim/ptx/parse/parse.h"

#include <stdarg.h>
#include <string.h>

#include "sim/ptx/parse/token.h"

// ---- The reader's state ----

// The state of the parser, with one token of lookahead. After the first error the next token stays the end of the file,
// so that every loop ends.

struct ptx_reader {
    const char *file_name;
    struct ptx_lexer lexer;
    struct ptx_token token;
    struct ptx_tree *tree;
    uint32_t place;    // the last .loc
    uint32_t assembly; // the last block of inline assembly that had one
    enum status status;
    struct error *error;
};

enum {
    SHOWN = 40 // characters of the text in a message
};

// Ends the reading with "FILE:LINE: what".
static void ptx_fail(struct ptx_reader *reader, enum status status, const char *format, ...) {
    if (reader->status != STATUS_OK) {
        return;
    }
    const struct ptx_fault fault = {reader->file_name, reader->token.line, {"", 0}};
    va_list arguments;
    va_start(arguments, format);
    reader->status = ptx_report_fault(reader->error, status, &fault, format, arguments);
    va_end(arguments);
    reader->token.kind = PTX_TOKEN_END;
    reader->token.text.length = 0;
}

static void ptx_fail_here(struct ptx_reader *reader, const char *expected) {
    const struct ptx_text *text = &reader->token.text;
    const int shown = text->length > SHOWN ? SHOWN : (int)text->length;
    if (reader->token.kind == PTX_TOKEN_END) {
        ptx_fail(reader, STATUS_USAGE, "the file ends where %s is expected: give a whole PTX file", expected);
    } else if ((unsigned char)*text->at < ' ' || (unsigned char)*text->at > '~') {
        ptx_fail(reader, STATUS_USAGE, "the byte 0x%02x where %s is expected: give a PTX file",
                 (unsigned char)*text->at, expected);
    } else {
        ptx_fail(reader, STATUS_USAGE, "'%.*s' where %s is expected: give a PTX file", shown, text->at, expected);
    }
}

static void ptx_advance(struct ptx_reader *reader) {
    if (reader->status == STATUS_OK) {
        reader->token = ptx_next_token(&reader->lexer);
        if (reader->token.kind == PTX_TOKEN_WRONG) {
            ptx_fail_here(reader, "a word of PTX");
        }
    }
}

static bool ptx_at_mark(const struct ptx_reader *reader, char mark) {
    return reader->token.kind == PTX_TOKEN_MARK && *reader->token.text.at == mark;
}

static bool ptx_at_directive(const struct ptx_reader *reader, const char *name) {
    return reader->token.kind == PTX_TOKEN_DIRECTIVE && ptx_text_is(reader->token.text, name);
}

static bool ptx_advance_if(struct ptx_reader *reader, bool there) {
    if (there) {
        ptx_advance(reader);
    }
    return there;
}

// Skips the token if it is this one.
static bool ptx_take_mark(struct ptx_reader *reader, char mark) {
    return ptx_advance_if(reader, ptx_at_mark(reader, mark));
}

static bool ptx_take_directive(struct ptx_reader *reader, const char *name) {
    return ptx_advance_if(reader, ptx_at_directive(reader, name));
}

static void ptx_expect_mark(struct ptx_reader *reader, char mark) {
    if (!ptx_take_mark(reader, mark)) {
        const char expected[] = {'\'', mark, '\'', '\0'};
        ptx_fail_here(reader, expected);
    }
}

static struct ptx_text ptx_expect_word(struct ptx_reader *reader, const char *expected) {
    const struct ptx_text text = reader->token.text;
    if (reader->token.kind != PTX_TOKEN_WORD) {
        ptx_fail_here(reader, expected);
    } else {
        ptx_advance(reader);
    }
    return text;
}

static uint64_t ptx_expect_integer(struct ptx_reader *reader, const char *expected) {
    const bool negative = ptx_take_mark(reader, '-');
    const uint64_t value = reader->token.value;
    if (reader->token.kind != PTX_TOKEN_INTEGER) {
        ptx_fail_here(reader, expected);
        return 0;
    }
    ptx_advance(reader);
    return negative ? -value : value;
}

// ---- Statements ----

// Parses instructions and their operands.

enum {
    DEPTH = 4 // of lists in lists
};

static struct ptx_operand *parse_operand(struct ptx_reader *reader, int depth);

static struct ptx_operand *new_operand(struct ptx_reader *reader, enum ptx_operand_kind kind) {
    struct ptx_operand *operand = ptx_tree_allocate(reader->tree, sizeof *operand);
    operand->kind = kind;
    return operand;
}

// Operands up to the closing mark.
static struct ptx_operand *parse_list(struct ptx_reader *reader, int depth) {
    struct ptx_operand *first = NULL, **last = &first;
    do {
        *last = parse_operand(reader, depth);
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
    }
    struct ptx_operand *operand = new_operand(reader, kind);
    operand->value = !negative                     ? token.value
                     : kind == PTX_OPERAND_INTEGER ? -token.value
                     : kind == PTX_OPERAND_FLOAT32 ? token.value ^ UINT64_C(1) << 31
                                                   : token.value ^ UINT64_C(1) << 63;
    ptx_advance(reader);
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
    operand->name = ptx_expect_word(reader, "a name");
    operand->value = parse_offset(reader);
    return operand;
}

// [base+offset], or [map, {coordinates}] of a copy by a tensor map
static struct ptx_operand *parse_address(struct ptx_reader *reader, int depth) {
    struct ptx_operand *operand = new_operand(reader, PTX_OPERAND_ADDRESS);
    ptx_expect_mark(reader, '[');
    operand->items = parse_list(reader, depth);
    if (operand->items->kind == PTX_OPERAND_NAME) {
        operand->value = operand->items->value;
        operand->items->value = 0;
    }
    ptx_expect_mark(reader, ']');
    return operand;
}

static struct ptx_operand *parse_braces(struct ptx_reader *reader, char close, int depth) {
    struct ptx_operand *operand = new_operand(reader, PTX_OPERAND_LIST);
    ptx_advance(reader);
    if (!ptx_at_mark(reader, close)) {
        operand->items = parse_list(reader, depth);
    }
    ptx_expect_mark(reader, close);
    return operand;
}

static struct ptx_operand *parse_plain(struct ptx_reader *reader, int depth) {
    if (depth == 0) {
        ptx_fail(reader, STATUS_USAGE, "lists of operands are nested too deep: give a PTX file");
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
    operand->negated = negated;
    operand->pair = ptx_take_mark(reader, '|') ? parse_plain(reader, depth) : NULL;
    return operand;
}

// Operands between commas; empty where none begins here.
static struct ptx_operand *ptx_parse_operands(struct ptx_reader *reader) {
    return ptx_at_mark(reader, ';') ? NULL : parse_list(reader, DEPTH);
}

// The name in generic(name) and its kin takes the value's place, because addresses are generic ones.
static struct ptx_operand *ptx_parse_value(struct ptx_reader *reader) {
    struct ptx_operand *value = parse_operand(reader, DEPTH);
    if (value->kind == PTX_OPERAND_NAME && ptx_text_is(value->name, "generic") && ptx_take_mark(reader, '(')) {
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
    guard->negated = negated;
    return guard;
}

// An instruction up to its semicolon, with its guard.
static struct ptx_statement *ptx_parse_instruction(struct ptx_reader *reader, const struct ptx_scope *scope) {
    struct ptx_statement *statement = ptx_tree_allocate(reader->tree, sizeof *statement);
    statement->kind = PTX_STATEMENT_INSTRUCTION;
    statement->scope = scope;
    statement->place = reader->place;
    statement->guard = parse_guard(reader);
    statement->line = reader->token.line;
    statement->name = ptx_expect_word(reader, "an instruction");
    if (reader->status == STATUS_OK && split_opcode(reader, statement)) {
        statement->operands = ptx_parse_operands(reader);
        ptx_expect_mark(reader, ';');
    }
    return statement;
}

// ---- Source lines ----

// Parses .file and .loc, which map an instruction to its source line.

// The caller has skipped the directive itself.
static void ptx_parse_file(struct ptx_reader *reader) {
    const uint64_t number = ptx_expect_integer(reader, "a file's number");
    if (reader->token.kind != PTX_TOKEN_STRING) {
        ptx_fail_here(reader, "a file's name");
    } else if (number >= PTX_FILES) {
        ptx_fail(reader, STATUS_USAGE, "a file's number above %d: give a PTX file", PTX_FILES - 1);
    } else {
        reader->tree->files[number] = reader->token.text;
        ptx_advance(reader);
    }
    while (ptx_take_mark(reader, ',')) { // time and size
        ptx_expect_integer(reader, "a number");
    }
}

static struct ptx_place parse_place(struct ptx_reader *reader) {
    struct ptx_place place = {.file = (uint32_t)ptx_expect_integer(reader, "a file's number"),
                              .line = (uint32_t)ptx_expect_integer(reader, "a line"),
                              .column = (uint32_t)ptx_expect_integer(reader, "a column")};
    place.file = place.file < PTX_FILES ? place.file : 0;
    return place;
}

// The last place with this file, line and column.
static uint32_t find_place(const struct ptx_tree *tree, const struct ptx_place *place) {
    for (uint32_t i = tree->location_count; i-- > 1;) {
        const struct ptx_place *other = &tree->places[i];
        if (other->file == place->file && other->line == place->line && other->column == place->column) {
            return i;
        }
    }
    return 0;
}

static uint32_t add_place(struct ptx_tree *tree, struct ptx_place place) {
    tree->places = memory_room(tree->places, tree->location_count, sizeof *tree->places);
    tree->places[tree->location_count] = place;
    return tree->location_count++;
}

// .loc 1 16 9, function_name $L__info_string0, inlined_at 1 33 12
static void ptx_parse_location(struct ptx_reader *reader) {
    const uint32_t assembly = reader->token.assembly;
    struct ptx_place place = parse_place(reader);
    while (ptx_take_mark(reader, ',')) {
        const struct ptx_text word = ptx_expect_word(reader, "function_name or inlined_at");
        if (ptx_text_is(word, "inlined_at")) {
            const struct ptx_place call = parse_place(reader);
            const uint32_t known = find_place(reader->tree, &call);
            place.inlined_at = (known ? known : add_place(reader->tree, call)) + 1;
        } else {
            ptx_expect_word(reader, "a name");
            if (ptx_take_mark(reader, '+')) {
                ptx_expect_integer(reader, "an offset");
            }
        }
    }
    // LLVM counts the lines of inline assembly as if they were the source's, so only a block's first place is right.
    if (!assembly || assembly != reader->assembly) {
        reader->place = add_place(reader->tree, place);
        reader->assembly = assembly;
    }
}

// ---- Declarations of variables, registers and parameters ----

// The text between the space and the name: .align 8 .v2 .f32, .u64 .ptr .global.
struct ptx_qualifiers {
    enum ptx_space space;
    const struct ptx_type *type;
    uint32_t align, vector;
    bool pointer; // .ptr: a later .align refers to the target
};

enum {
    REGISTERS = 1 << 20, // of one range
    BYTES_MAX = 1 << 30  // of one variable
};

static const struct {
    const char *name;
    enum ptx_space space;
} spaces[] = {{".reg", PTX_SPACE_REG},       {".global", PTX_SPACE_GLOBAL}, {".const", PTX_SPACE_CONST},
              {".shared", PTX_SPACE_SHARED}, {".local", PTX_SPACE_LOCAL},   {".param", PTX_SPACE_PARAM}};

// Skips .reg, .global and the like.
static bool ptx_take_space(struct ptx_reader *reader, enum ptx_space *space) {
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (ptx_take_directive(reader, spaces[i].name)) {
            *space = spaces[i].space;
            return true;
        }
    }
    return false;
}

// A new symbol; NULL and an error if the scope has one of this name.
static struct ptx_symbol *ptx_declare(struct ptx_reader *reader, const struct ptx_scope *scope,
                                      enum ptx_symbol_kind kind, struct ptx_text name) {
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

static struct ptx_qualifiers ptx_parse_qualifiers(struct ptx_reader *reader, enum ptx_space space) {
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
        return;
    }
    ptx_expect_mark(reader, '>');
    symbol->members = ptx_tree_allocate(reader->tree, (size_t)symbol->count + 1);
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
            *last = &(**last)->next;
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

// name[N] = value; NULL after an error.
static struct ptx_symbol *ptx_parse_declarator(struct ptx_reader *reader, const struct ptx_scope *scope,
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
static void ptx_parse_variables(struct ptx_reader *reader, const struct ptx_scope *scope, enum ptx_space space,
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

// ---- Functions ----

static void append(struct ptx_statement ***last, struct ptx_statement *statement) {
    if (statement) {
        **last = statement;
        *last = &statement->next;
    }
}

static void skip_to_semicolon(struct ptx_reader *reader) {
    while (!ptx_at_mark(reader, ';') && reader->token.kind != PTX_TOKEN_END) {
        ptx_advance(reader);
    }
    ptx_expect_mark(reader, ';');
}

// name: or name: .branchtargets A, B; or name: .callprototype ...;
static struct ptx_statement *parse_label(struct ptx_reader *reader, const struct ptx_scope *scope,
                                         struct ptx_text name) {
    ptx_expect_mark(reader, ':');
    if (ptx_take_directive(reader, ".branchtargets") || ptx_take_directive(reader, ".calltargets")) {
        struct ptx_symbol *symbol = ptx_declare(reader, scope, PTX_SYMBOL_TARGETS, name);
        struct ptx_operand *targets = ptx_parse_operands(reader);
        if (symbol) {
            symbol->values = targets;
        }
        ptx_expect_mark(reader, ';');
        return NULL;
    }
    if (ptx_at_directive(reader, ".callprototype")) {
        ptx_declare(reader, scope, PTX_SYMBOL_PROTOTYPE, name);
        skip_to_semicolon(reader);
        return NULL;
    }
    ptx_declare(reader, scope, PTX_SYMBOL_LABEL, name);
    struct ptx_statement *statement = ptx_tree_allocate(reader->tree, sizeof *statement);
    *statement =
        (struct ptx_statement){.kind = PTX_STATEMENT_LABEL, .line = reader->token.line, .name = name, .scope = scope};
    return statement;
}

static bool at_label(const struct ptx_reader *reader) {
    struct ptx_lexer ahead = reader->lexer;
    const struct ptx_token token = ptx_next_token(&ahead);
    return reader->token.kind == PTX_TOKEN_WORD && token.kind == PTX_TOKEN_MARK && *token.text.at == ':';
}

static void parse_body_directive(struct ptx_reader *reader, const struct ptx_scope *scope) {
    enum ptx_space space;
    if (ptx_take_directive(reader, ".loc")) {
        ptx_parse_location(reader);
    } else if (ptx_take_directive(reader, ".pragma")) {
        skip_to_semicolon(reader);
    } else if (ptx_take_space(reader, &space)) {
        ptx_parse_variables(reader, scope, space, false);
    } else {
        ptx_fail_here(reader, "an instruction or a declaration");
    }
}

static const struct ptx_scope *enter_scope(struct ptx_reader *reader, const struct ptx_scope *parent) {
    struct ptx_scope *scope = ptx_tree_allocate(reader->tree, sizeof *scope);
    scope->parent = parent;
    return scope;
}

// The text between the braces of a function, with its nested blocks, which may be of any depth.
static void parse_body(struct ptx_reader *reader, struct ptx_function *function) {
    struct ptx_statement **last = &function->statements;
    const struct ptx_scope *scope = function->scope;
    ptx_expect_mark(reader, '{');
    while (reader->token.kind != PTX_TOKEN_END) {
        if (ptx_take_mark(reader, '{')) {
            scope = enter_scope(reader, scope);
        } else if (ptx_take_mark(reader, '}')) {
            if (scope == function->scope) {
                return;
            }
            scope = scope->parent;
        } else if (ptx_take_mark(reader, ';')) {
        } else if (reader->token.kind == PTX_TOKEN_DIRECTIVE) {
            parse_body_directive(reader, scope);
        } else if (at_label(reader)) {
            append(&last, parse_label(reader, scope, ptx_expect_word(reader, "a label")));
        } else {
            append(&last, ptx_parse_instruction(reader, scope));
        }
    }
    ptx_fail_here(reader, "'}'");
}

enum {
    PARAMETERS = 256
};

// (.param .u64 a, .param .align 8 .b8 b[24])
static size_t parse_parameters(struct ptx_reader *reader, const struct ptx_scope *scope, struct ptx_symbol ***list) {
    size_t count = 0;
    *list = ptx_tree_allocate(reader->tree, PARAMETERS * sizeof **list);
    ptx_expect_mark(reader, '(');
    while (reader->token.kind == PTX_TOKEN_DIRECTIVE && count < PARAMETERS) {
        enum ptx_space space = PTX_SPACE_PARAM;
        ptx_take_space(reader, &space);
        const struct ptx_qualifiers qualifiers = ptx_parse_qualifiers(reader, space);
        struct ptx_symbol *symbol = ptx_parse_declarator(reader, scope, &qualifiers);
        if (symbol && space != PTX_SPACE_PARAM) {
            ptx_fail(reader, STATUS_FAILED, "a parameter in a register is not supported: declare it .param");
        }
        (*list)[count++] = symbol;
        ptx_take_mark(reader, ',');
    }
    ptx_expect_mark(reader, ')');
    return reader->status == STATUS_OK ? count : 0;
}

// The name's symbol, which an earlier declaration may have created.
static struct ptx_symbol *function_symbol(struct ptx_reader *reader, struct ptx_text name) {
    struct ptx_symbol *known = ptx_symbol_in(reader->tree, &reader->tree->file, name);
    return known && known->kind == PTX_SYMBOL_FUNCTION && !known->function->has_body
               ? known
               : ptx_declare(reader, &reader->tree->file, PTX_SYMBOL_FUNCTION, name);
}

// .reqnctapercluster 2, 1, 1; nothing here depends on .maxntid and its kin.
static void parse_performance(struct ptx_reader *reader, struct ptx_function *function) {
    while (!ptx_at_mark(reader, '{') && !ptx_at_mark(reader, ';') && reader->token.kind != PTX_TOKEN_END) {
        if (ptx_take_directive(reader, ".reqnctapercluster")) {
            function->cluster[0] = ptx_expect_integer(reader, "a number of blocks");
            for (int axis = 1; axis < 3; axis++) {
                function->cluster[axis] =
                    ptx_take_mark(reader, ',') ? ptx_expect_integer(reader, "a number of blocks") : 1;
            }
        } else {
            ptx_advance(reader);
        }
    }
}

static void parse_function(struct ptx_reader *reader, bool entry, struct ptx_function **made) {
    struct ptx_function *function = ptx_tree_allocate(reader->tree, sizeof *function);
    function->scope = enter_scope(reader, &reader->tree->file);
    function->entry = entry;
    function->line = reader->token.line;
    if (!entry && ptx_at_mark(reader, '(')) {
        function->result_count = parse_parameters(reader, function->scope, &function->results);
    }
    function->name = ptx_expect_word(reader, "the name of a function");
    function->symbol = function_symbol(reader, function->name);
    if (!function->symbol) {
        return;
    }
    function->symbol->function = function;
    if (ptx_at_mark(reader, '(')) {
        function->parameter_count = parse_parameters(reader, function->scope, &function->parameters);
    }
    parse_performance(reader, function);
    if (!ptx_take_mark(reader, ';')) {
        function->has_body = true;
        parse_body(reader, function);
    }
    *made = function;
}

// ---- The file ----

// .section NAME { ... }
static void skip_section(struct ptx_reader *reader) {
    int depth = 0;
    ptx_advance(reader);
    do {
        depth += ptx_at_mark(reader, '{') - ptx_at_mark(reader, '}');
        ptx_advance(reader);
    } while (depth > 0 && reader->token.kind != PTX_TOKEN_END);
}

static bool take_linkage(struct ptx_reader *reader, bool *external) {
    *external |= ptx_at_directive(reader, ".extern");
    return ptx_take_directive(reader, ".extern") || ptx_take_directive(reader, ".visible") ||
           ptx_take_directive(reader, ".weak") || ptx_take_directive(reader, ".common");
}

static void parse_top(struct ptx_reader *reader, struct ptx_function ***last) {
    bool external = false;
    enum ptx_space space;
    while (take_linkage(reader, &external)) {
    }
    const bool entry = ptx_at_directive(reader, ".entry");
    if (ptx_take_directive(reader, ".entry") || ptx_take_directive(reader, ".func")) {
        parse_function(reader, entry, *last);
        *last = **last ? &(**last)->next : *last;
    } else if (ptx_take_directive(reader, ".file")) {
        ptx_parse_file(reader);
    } else if (ptx_take_directive(reader, ".loc")) {
        ptx_parse_location(reader);
    } else if (ptx_take_directive(reader, ".section")) {
        skip_section(reader);
    } else if (ptx_take_directive(reader, ".pragma") || ptx_take_directive(reader, ".alias")) {
        skip_to_semicolon(reader);
    } else if (ptx_at_directive(reader, ".reg")) {
        ptx_fail(reader, STATUS_FAILED, "a register of the whole file is not supported: declare it in its function");
    } else if (ptx_take_space(reader, &space)) {
        ptx_parse_variables(reader, &reader->tree->file, space, external);
    } else if (!ptx_take_mark(reader, ';')) {
        ptx_fail_here(reader, ".entry, .func or the declaration of a variable");
    }
}

// .version 9.0 .target sm_90 .address_size 64
static void parse_head(struct ptx_reader *reader) {
    ptx_advance(reader);
    if (!ptx_take_directive(reader, ".version")) {
        ptx_fail_here(reader, ".version, with which PTX begins,");
    }
    ptx_advance(reader);
    if (!ptx_take_directive(reader, ".target")) {
        ptx_fail_here(reader, ".target");
    }
    do {
        ptx_expect_word(reader, "a target");
    } while (ptx_take_mark(reader, ','));
    if (ptx_take_directive(reader, ".address_size") && ptx_expect_integer(reader, "64") != 64) {
        ptx_fail(reader, STATUS_FAILED, "addresses of other than 64 bits are not supported: compile for 64 bits");
    }
}

enum status ptx_parse(const char *file_name, const char *text, struct ptx_tree *tree, struct error *error) {
    *tree = (struct ptx_tree){.location_count = 0};
    tree->last_symbol = &tree->symbols;
    struct ptx_reader reader = {.file_name = file_name,
                                .lexer = {.at = text, .line = 1},
                                .token.line = 1,
                                .tree = tree,
                                .status = STATUS_OK,
                                .error = error};
    struct ptx_function **last = &tree->functions;
    add_place(tree, (struct ptx_place){0}); // an unknown position
    parse_head(&reader);
    while (reader.token.kind != PTX_TOKEN_END) {
        parse_top(&reader, &last);
    }
    return reader.status;
}
