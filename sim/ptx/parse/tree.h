// PTX's types.
#ifndef SIM_PTX_PARSE_TREE_H
#define SIM_PTX_PARSE_TREE_H

#include "sim/ptx/parse/token.h"

// Bits, so that a row of the table of instructions can combine several.
enum ptx_class {
    PTX_CLASS_BITS = 1,
    PTX_CLASS_UNSIGNED = 2,
    PTX_CLASS_SIGNED = 4,
    PTX_CLASS_FLOAT = 8, // f32 and f64
    PTX_CLASS_HALF = 16, // f16 and bf16
    PTX_CLASS_TINY = 32, // formats that only conversions know
    PTX_CLASS_PREDICATE = 64
};

struct ptx_type {
    const char *name;     // "s32"
    enum ptx_class class; // of an element
    uint32_t bytes;
    uint32_t lanes;        // 2: f16x2 and its like
    const char *number;    // the C type in which it is computed
    const char *bits;      // the C type of its bits
    const char *from, *to; // the functions from bits to number and back; "" if a cast is enough
    const char *format;    // a float's format, for rounding; NULL: an integer
};

// NULL: no type has this name.
const struct ptx_type *ptx_type_find(struct ptx_text name);
const struct ptx_type *ptx_type_named(const char *name);

// One lane of a packed type.
const struct ptx_type *ptx_type_element(const struct ptx_type *type);

// The integer type of a class with this many bytes.
const struct ptx_type *ptx_type_of(enum ptx_class class, uint32_t bytes);

// The content of a PTX file, from the parser to the translator.

enum ptx_space {
    PTX_SPACE_GENERIC,
    PTX_SPACE_REG,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_CONST,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM
};

enum ptx_operand_kind {
    PTX_OPERAND_NAME,
    PTX_OPERAND_INTEGER,
    PTX_OPERAND_FLOAT32, // value holds the bits
    PTX_OPERAND_FLOAT64,
    PTX_OPERAND_LIST,   // {a, b} or (a, b): items
    PTX_OPERAND_ADDRESS // [items + value]: the base, then what else stands in the brackets
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    struct ptx_text name;
    uint64_t value;
    bool negated;              // !name
    struct ptx_operand *items; // a list by next
    struct ptx_operand *pair;  // p|q: q
    struct ptx_operand *next;
};

enum ptx_symbol_kind {
    PTX_SYMBOL_VARIABLE, // a register, too
    PTX_SYMBOL_FUNCTION,
    PTX_SYMBOL_LABEL,
    PTX_SYMBOL_TARGETS,  // .branchtargets
    PTX_SYMBOL_PROTOTYPE // .callprototype
};

struct ptx_symbol {
    enum ptx_symbol_kind kind;
    struct ptx_text name;
    const struct ptx_scope *scope;
    uint32_t id; // numbers symbols
    uint32_t line;
    enum ptx_space space;
    const struct ptx_type *type;
    uint32_t vector;            // .v2, .v4; else 1
    uint32_t align;             // bytes
    uint64_t count;             // elements of an array; registers of a range
    bool array;                 // [count]
    bool range;                 // %r<count>
    bool external;              // .extern: shared memory of the launch, or a function without a body
    bool used;                  // by the translation
    uint64_t place;             // in the shared memory of a block; of an entry's parameter, in the block of them
    uint8_t *members;           // of a range: which registers are used
    uint64_t *loads;            // of registers: the sites whose loads their values come from, as in assembly.c
    struct ptx_operand *values; // of an initialiser; of targets
    struct ptx_function *function;
    struct ptx_symbol *next;   // in order of declaration
    struct ptx_symbol *hashed; // in the table
};

struct ptx_scope {
    const struct ptx_scope *parent; // NULL: the file
};

// A position in the source, from .loc.
struct ptx_place {
    uint32_t file, line, column; // file 0: unknown
    uint32_t inlined_at;         // the place + 1 of the call; 0: not inlined
};

enum {
    PTX_OPCODE_PARTS = 15
};

enum ptx_statement_kind {
    PTX_STATEMENT_INSTRUCTION,
    PTX_STATEMENT_LABEL
};

struct ptx_statement {
    enum ptx_statement_kind kind;
    uint32_t line;  // of the PTX file
    uint32_t place; // the index of the .loc before it; 0: none
    const struct ptx_scope *scope;
    const struct ptx_operand *guard;         // NULL: none
    struct ptx_text name;                    // the label; the opcode
    struct ptx_text parts[PTX_OPCODE_PARTS]; // the opcode's, without dots: ld global v4 f32
    size_t part_count;
    struct ptx_operand *operands;
    uint32_t site, sites; // of the translation: the first, and how many
    struct ptx_statement *next;
};

struct ptx_function {
    struct ptx_text name;
    bool entry, has_body, reached;
    uint32_t line;
    const struct ptx_scope *scope;
    struct ptx_symbol *symbol;
    struct ptx_symbol **results, **parameters;
    size_t result_count, parameter_count;
    uint64_t cluster[3]; // what .reqnctapercluster asks for; 0: it does not stand there
    struct ptx_statement *statements;
    struct ptx_function *next;
};

enum {
    PTX_BUCKETS = 1 << 12,
    PTX_FILES = 1 << 12
};

struct ptx_tree {
    struct ptx_scope file;
    struct ptx_symbol *symbols, **last_symbol;
    struct ptx_symbol *buckets[PTX_BUCKETS];
    uint32_t symbol_count;
    struct ptx_function *functions;
    struct ptx_text files[PTX_FILES]; // by their number in .file
    struct ptx_place *places;         // place 0 is unknown
    uint32_t location_count;
    struct ptx_chunk *chunks; // memory that lives as long as the tree
};

// Zeroed memory of the tree; never NULL (util/error.h).
void *ptx_tree_allocate(struct ptx_tree *tree, size_t bytes);
void ptx_tree_clear(struct ptx_tree *tree);

// Adds a symbol to a scope.
struct ptx_symbol *ptx_symbol_add(struct ptx_tree *tree, const struct ptx_scope *scope, enum ptx_symbol_kind kind,
                                  struct ptx_text name);

// The symbol of a name, seen from a scope; NULL if there is none. *member: which one of a range.
struct ptx_symbol *ptx_symbol_find(const struct ptx_tree *tree, const struct ptx_scope *scope, struct ptx_text name,
                                   uint64_t *member);

// The symbol of this name in exactly this scope.
struct ptx_symbol *ptx_symbol_in(const struct ptx_tree *tree, const struct ptx_scope *scope, struct ptx_text name);

#endif
