#include "sim/ptx/parse/parse.h"

#include "sim/ptx/parse/declare.h"
#include "sim/ptx/parse/location.h"
#include "sim/ptx/parse/statement.h"

// ---- Functions ----

static void append(struct ptx_statement ***last, struct ptx_statement *statement) {
    if (statement) {
        **last = statement;
        *last = &statement->next;
    }
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
        while (!ptx_at_mark(reader, ';') && reader->token.kind != PTX_TOKEN_END) {
            ptx_advance(reader);
        }
        ptx_expect_mark(reader, ';');
        return NULL;
    }
    struct ptx_statement *statement = ptx_take_memory(reader, sizeof *statement);
    if (statement && ptx_declare(reader, scope, PTX_SYMBOL_LABEL, name)) {
        statement->kind = PTX_STATEMENT_LABEL;
        statement->line = reader->token.line;
        statement->name = name;
        statement->scope = scope;
    }
    return statement;
}

static bool at_label(const struct ptx_reader *reader) {
    struct ptx_lexer ahead = reader->lexer;
    const struct ptx_token token = ptx_next_token(&ahead);
    return reader->token.kind == PTX_TOKEN_WORD && token.kind == PTX_TOKEN_MARK && *token.text.at == ':';
}

static void skip_to_semicolon(struct ptx_reader *reader) {
    while (!ptx_at_mark(reader, ';') && reader->token.kind != PTX_TOKEN_END) {
        ptx_advance(reader);
    }
    ptx_expect_mark(reader, ';');
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
    struct ptx_scope *scope = ptx_take_memory(reader, sizeof *scope);
    if (scope) {
        scope->parent = parent;
    }
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
            struct ptx_statement *statement = ptx_parse_instruction(reader);
            if (statement) {
                statement->scope = scope;
            }
            append(&last, statement);
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
    *list = ptx_take_memory(reader, PARAMETERS * sizeof **list);
    ptx_expect_mark(reader, '(');
    while (*list && reader->token.kind == PTX_TOKEN_DIRECTIVE && count < PARAMETERS) {
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
    struct ptx_function *function = ptx_take_memory(reader, sizeof *function);
    if (!function || !(function->scope = enter_scope(reader, &reader->tree->file))) {
        return;
    }
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
    ptx_first_location(&reader);
    parse_head(&reader);
    while (reader.token.kind != PTX_TOKEN_END) {
        parse_top(&reader, &last);
    }
    return reader.status;
}
