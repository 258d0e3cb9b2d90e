// A file of AMDGPU assembly: its instructions, data, and what it says of its kernels.
#ifndef SIM_AMDGCN_PARSE_H
#define SIM_AMDGCN_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// A position in a source file, from .loc.
struct gcn_place {
    uint32_t file, line;
};

enum gcn_kind {
    GCN_INSTRUCTION,
    GCN_LABEL,
    GCN_END // of a function, whose name it has
};

struct gcn_statement {
    enum gcn_kind kind;
    uint32_t line;
    uint32_t place; // of the list of places
    char *name;     // a mnemonic or a label
    char *rest;     // operands
};

// An object of a data section.
struct gcn_data {
    const char *name;
    unsigned char *bytes;
    size_t size, room;
    uint32_t alignment;
    bool has_addresses; // of other symbols, which are not supported
    bool is_used;
};

struct gcn_argument {
    char kind[40]; // "by_value", "global_buffer", "hidden_block_count_x"
    const char *name;
    uint32_t place, bytes;
};

struct gcn_setting {
    const char *name; // without .amdhsa_
    int64_t value;
};

// A kernel, from .amdhsa_kernel and the metadata.
struct gcn_kernel {
    const char *name;
    struct gcn_setting *settings;
    size_t setting_count;
    struct gcn_argument *arguments;
    size_t argument_count;
    uint32_t argument_bytes;
    bool has_metadata;
    uint32_t line;
};

enum {
    GCN_FILES = 256
};

struct gcn_file {
    char *text; // with NUL bytes where words end
    const char *name;
    char arch[32]; // "gfx90a"; empty: the file does not say
    struct gcn_statement *statements;
    size_t statement_count;
    struct gcn_place *places; // the first is unknown
    size_t place_count;
    char *files[GCN_FILES];
    struct gcn_data *data;
    size_t data_count;
    struct gcn_kernel *kernels;
    size_t kernel_count;
};

// STATUS_USAGE with the line if the text is not such a file.
enum status gcn_parse(const char *name, const char *text, struct gcn_file *file, struct error *error);
void gcn_file_clear(struct gcn_file *file);

// The place of the label of this name, or of the end of its function, from `first` to before `end`; `end`: it is not
// there.
size_t gcn_statement_find(const struct gcn_file *file, enum gcn_kind kind, const char *name, size_t first, size_t end);

int64_t gcn_setting(const struct gcn_kernel *kernel, const char *name, int64_t otherwise);
struct gcn_data *gcn_data_find(const struct gcn_file *file, const char *name);

#endif
