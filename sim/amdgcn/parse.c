#include "sim/amdgcn/parse.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

enum {
    DATA_MOST = 1 << 24 // bytes of an object
};

enum section {
    SECTION_CODE,
    SECTION_DATA,
    SECTION_OTHER // debug information and notes
};

struct parser {
    struct gcn_file *file;
    enum section section;
    struct gcn_kernel *descriptor; // whose .amdhsa_ lines follow
    struct gcn_data *data;         // whose bytes follow
    uint32_t alignment;            // of the next object
    bool in_metadata, in_arguments;
    struct gcn_kernel metadata; // of the kernel whose lines follow
    uint32_t line;
    enum status status;
    struct error *error;
};

static void refuse(struct parser *parser, enum status status, const char *what) {
    if (parser->status == STATUS_OK) {
        parser->status = error_set(parser->error, status, "%s:%" PRIu32 ": %s", parser->file->name, parser->line, what);
    }
}

// The address of one more element, of zeros, at the end of a list.
#define ADD(list, count)                                                                                               \
    __extension__({                                                                                                    \
        (list) = memory_room((list), (count), sizeof *(list));                                                         \
        memset(&(list)[count], 0, sizeof *(list));                                                                     \
        &(list)[(count)++];                                                                                            \
    })

static char *skip_space(char *at) {
    return at + strspn(at, " \t");
}

static void trim_end(char *text) {
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1])) {
        text[--length] = '\0';
    }
}

// Cuts off the comment, which strings may look like.
static void cut_comment(char *line) {
    bool in_string = false;
    for (char *at = line; *at; at++) {
        if (*at == '\\' && in_string && at[1]) {
            at++;
        } else if (*at == '"') {
            in_string = !in_string;
        } else if (!in_string && (*at == ';' || (*at == '/' && at[1] == '/'))) {
            *at = '\0';
            return;
        }
    }
}

// Takes the word that ends at a space or at the end, and moves behind it.
static char *take_word(char **at) {
    char *word = skip_space(*at), *end = word + strcspn(word, " \t");
    *at = *end ? skip_space(end + 1) : end;
    *end = '\0';
    return word;
}

// ---- Kernels ----

static struct gcn_kernel *find_kernel(const struct gcn_file *file, const char *name) {
    for (size_t i = 0; i < file->kernel_count; i++) {
        if (!strcmp(file->kernels[i].name, name)) {
            return &file->kernels[i];
        }
    }
    return NULL;
}

size_t gcn_statement_find(const struct gcn_file *file, enum gcn_kind kind, const char *name, size_t first, size_t end) {
    size_t i = first;
    while (i < end && (file->statements[i].kind != kind || strcmp(file->statements[i].name, name) != 0)) {
        i++;
    }
    return i;
}

int64_t gcn_setting(const struct gcn_kernel *kernel, const char *name, int64_t otherwise) {
    for (size_t i = 0; i < kernel->setting_count; i++) {
        if (!strcmp(kernel->settings[i].name, name)) {
            return kernel->settings[i].value;
        }
    }
    return otherwise;
}

static struct gcn_kernel *kernel_named(struct parser *parser, const char *name) {
    struct gcn_file *file = parser->file;
    struct gcn_kernel *kernel = find_kernel(file, name);
    if (!kernel) {
        kernel = ADD(file->kernels, file->kernel_count);
        kernel->name = name;
        kernel->line = parser->line;
    }
    return kernel;
}

static void take_setting(struct parser *parser, const char *name, const char *value) {
    struct gcn_kernel *kernel = parser->descriptor;
    if (kernel) {
        *ADD(kernel->settings, kernel->setting_count) = (struct gcn_setting){name, strtoll(value, NULL, 0)};
    }
}

// The metadata are a few fixed levels of YAML, a key on each line. Arguments come before the kernel's name.
static void end_metadata(struct parser *parser) {
    struct gcn_kernel *read = &parser->metadata;
    struct gcn_kernel *kernel = read->name ? kernel_named(parser, read->name) : NULL;
    if (kernel && !kernel->has_metadata) {
        kernel->has_metadata = true;
        kernel->arguments = read->arguments;
        kernel->argument_count = read->argument_count;
        kernel->argument_bytes = read->argument_bytes;
    } else {
        free(read->arguments);
    }
    *read = (struct gcn_kernel){0};
}

static char *unquoted(char *text) {
    const size_t length = strlen(text);
    if (length >= 2 && strchr("'\"", *text) && text[length - 1] == *text) {
        text[length - 1] = '\0';
        return text + 1;
    }
    return text;
}

static void take_argument_key(struct parser *parser, const char *key, char *value) {
    struct gcn_kernel *kernel = &parser->metadata;
    struct gcn_argument *argument = kernel->argument_count ? &kernel->arguments[kernel->argument_count - 1] : NULL;
    if (!argument) {
        return;
    }
    if (!strcmp(key, ".offset")) {
        argument->place = (uint32_t)strtoul(value, NULL, 0);
    } else if (!strcmp(key, ".size")) {
        argument->bytes = (uint32_t)strtoul(value, NULL, 0);
    } else if (!strcmp(key, ".value_kind")) {
        snprintf(argument->kind, sizeof argument->kind, "%s", value);
    } else if (!strcmp(key, ".name")) {
        argument->name = value;
    }
}

static void take_kernel_key(struct parser *parser, const char *key, char *value) {
    struct gcn_kernel *kernel = &parser->metadata;
    if (!strcmp(key, ".name")) {
        kernel->name = value;
    } else if (!strcmp(key, ".kernarg_segment_size")) {
        kernel->argument_bytes = (uint32_t)strtoul(value, NULL, 0);
    }
}

static void take_metadata(struct parser *parser, char *line) {
    const size_t indent = strspn(line, " ");
    char *at = line + indent;
    const bool begins = at[0] == '-' && at[1] == ' ';
    if (indent == 0) {
        end_metadata(parser);
        parser->in_arguments = false;
        return;
    }
    if (begins && indent == 2) {
        end_metadata(parser);
        parser->in_arguments = false;
    } else if (begins && indent == 6 && parser->in_arguments) {
        (void)ADD(parser->metadata.arguments, parser->metadata.argument_count);
    } else if (indent == 4) {
        parser->in_arguments = false;
    }
    at += begins ? 2 : 0;
    at += strspn(at, " ");
    char *colon = strchr(at, ':');
    if (!colon) {
        return;
    }
    *colon = '\0';
    char *value = unquoted(skip_space(colon + 1));
    if (indent <= 4 && !strcmp(at, ".args")) {
        parser->in_arguments = true;
    } else if (indent <= 4) {
        take_kernel_key(parser, at, value);
    } else if (parser->in_arguments) {
        take_argument_key(parser, at, value);
    }
}

// ---- Data ----

struct gcn_data *gcn_data_find(const struct gcn_file *file, const char *name) {
    for (size_t i = 0; i < file->data_count; i++) {
        if (!strcmp(file->data[i].name, name)) {
            return &file->data[i];
        }
    }
    return NULL;
}

// Adds bytes to the object; NULL stands for zeros.
static void add_bytes(struct parser *parser, const void *bytes, size_t count) {
    struct gcn_data *data = parser->data;
    if (!data) {
        return;
    }
    if (count > DATA_MOST || data->size + count > DATA_MOST) {
        refuse(parser, STATUS_USAGE, "an object of more than 16 MiB: pass it as a buffer");
        return;
    }
    if (data->size + count > data->room) {
        data->room = 2 * (data->size + count);
        unsigned char *grown = realloc(data->bytes, data->room);
        data->bytes = grown ? grown : memory_end();
    }
    if (bytes) {
        memcpy(data->bytes + data->size, bytes, count);
    } else {
        memset(data->bytes + data->size, 0, count);
    }
    data->size += count;
}

static void add_numbers(struct parser *parser, char *at, size_t bytes) {
    while (*at && parser->status == STATUS_OK) {
        char *end;
        at = skip_space(at);
        const uint64_t value = *at == '-' ? (uint64_t)strtoll(at, &end, 0) : strtoull(at, &end, 0);
        if (parser->data && (end == at || (*skip_space(end) && *skip_space(end) != ','))) {
            parser->data->has_addresses = true;
        }
        add_bytes(parser, &value, bytes);
        at = strchr(at, ',');
        if (!at) {
            return;
        }
        at++;
    }
}

static int escape_of(char **at) {
    static const char names[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
    if (**at >= '0' && **at <= '7') {
        int value = 0;
        for (int i = 0; i < 3 && **at >= '0' && **at <= '7'; i++) {
            value = 8 * value + *(*at)++ - '0';
        }
        return value;
    }
    const char *known = strchr(names, **at);
    const int value = known ? values[known - names] : **at;
    (*at)++;
    return value;
}

static void add_string(struct parser *parser, char *at, bool terminated) {
    at = strchr(at, '"');
    for (at = at ? at + 1 : NULL; at && *at && *at != '"';) {
        const int value = *at == '\\' && at[1] ? (at++, escape_of(&at)) : *at++;
        const char byte = (char)value;
        add_bytes(parser, &byte, 1);
    }
    if (terminated) {
        add_bytes(parser, NULL, 1);
    }
}

static void add_zeros(struct parser *parser, const char *rest) {
    const long long count = strtoll(rest, NULL, 0);
    add_bytes(parser, NULL, count < 0 ? SIZE_MAX : (size_t)count);
}

static bool take_data(struct parser *parser, const char *name, char *rest) {
    static const struct {
        const char *names;
        size_t bytes;
    } numbers[] = {{".byte", 1}, {".short|.value|.2byte", 2}, {".long|.4byte|.int", 4}, {".quad|.8byte", 8}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (list_place(numbers[i].names, '|', name) >= 0) {
            add_numbers(parser, rest, numbers[i].bytes);
            return true;
        }
    }
    if (!strcmp(name, ".zero") || !strcmp(name, ".skip")) {
        add_zeros(parser, rest);
    } else if (!strcmp(name, ".ascii") || !strcmp(name, ".asciz")) {
        add_string(parser, rest, name[5] == 'z');
    } else {
        return false;
    }
    return true;
}

static void begin_data(struct parser *parser, const char *name) {
    struct gcn_file *file = parser->file;
    parser->data = ADD(file->data, file->data_count);
    parser->data->name = name;
    parser->data->alignment = parser->alignment ? parser->alignment : 1;
    parser->alignment = 0;
}

// ---- Directives ----

static void enter_section(struct parser *parser, const char *name) {
    const bool debug = !strncmp(name, ".debug", 6) || !strncmp(name, ".AMDGPU", 7) || !strncmp(name, ".note", 5);
    parser->section = !strncmp(name, ".text", 5) ? SECTION_CODE : debug ? SECTION_OTHER : SECTION_DATA;
    parser->data = NULL;
}

// .file 1 "folder" "name" md5 0x...
static void take_file(struct parser *parser, char *rest) {
    char *end, *part[2] = {NULL, NULL};
    const unsigned long number = strtoul(rest, &end, 10);
    if (end == rest || number >= GCN_FILES) {
        return;
    }
    for (int i = 0; i < 2 && (end = strchr(end, '"')); i++) {
        part[i] = end + 1;
        end = strchr(part[i], '"');
        if (!end) {
            return;
        }
        *end++ = '\0';
    }
    if (!part[0]) {
        return;
    }
    const char *name = part[1] ? part[1] : part[0];
    free(parser->file->files[number]);
    parser->file->files[number] = part[1] && *name != '/' ? memory_format("%s/%s", part[0], name) : memory_copy(name);
}

static void take_place(struct parser *parser, char *rest) {
    char *end;
    const unsigned long file = strtoul(rest, &end, 10), line = strtoul(end, NULL, 10);
    *ADD(parser->file->places, parser->file->place_count) = (struct gcn_place){(uint32_t)file, (uint32_t)line};
}

static struct gcn_statement *add_statement(struct parser *parser, enum gcn_kind kind, char *name, char *rest) {
    struct gcn_file *file = parser->file;
    struct gcn_statement *statement = ADD(file->statements, file->statement_count);
    *statement = (struct gcn_statement){kind, parser->line, (uint32_t)file->place_count - 1, name, rest};
    return statement;
}

// "amdgcn-amd-amdhsa--gfx90a:xnack-"
static void take_target(struct parser *parser, const char *rest) {
    const char *name = strstr(rest, "gfx");
    if (name) {
        snprintf(parser->file->arch, sizeof parser->file->arch, "%.*s", (int)strspn(name, "gfx0123456789abcdef"), name);
    }
}

// Directives that decide which instructions there are, which only an assembler carries out.
static bool is_for_assembler(const char *name) {
    static const char *const names =
        ".rept|.rep|.irp|.irpc|.endr|.macro|.endm|.exitm|.purgem|.altmacro|.include|.incbin|.else|.elseif|.endif|.end";
    return list_place(names, '|', name) >= 0 || strncmp(name, ".if", 3) == 0;
}

static void take_directive(struct parser *parser, char *name, char *rest) {
    if (is_for_assembler(name)) {
        refuse(parser, STATUS_USAGE,
               "only an assembler carries out this directive: assemble the file, and give the object");
    } else if (!strcmp(name, ".amdhsa_kernel")) {
        parser->descriptor = kernel_named(parser, take_word(&rest));
    } else if (!strcmp(name, ".end_amdhsa_kernel")) {
        parser->descriptor = NULL;
    } else if (!strncmp(name, ".amdhsa_", 8)) {
        take_setting(parser, name + 8, rest);
    } else if (!strcmp(name, ".amdgpu_metadata")) {
        parser->in_metadata = true;
    } else if (!strcmp(name, ".amdgcn_target")) {
        take_target(parser, rest);
    } else if (!strcmp(name, ".text") || !strcmp(name, ".data") || !strcmp(name, ".bss")) {
        enter_section(parser, name);
    } else if (!strcmp(name, ".section")) {
        rest[strcspn(rest, ", \t")] = '\0';
        enter_section(parser, rest);
    } else if (!strcmp(name, ".file")) {
        take_file(parser, rest);
    } else if (!strcmp(name, ".loc")) {
        take_place(parser, rest);
    } else if (!strcmp(name, ".p2align")) {
        const unsigned long power = strtoul(rest, NULL, 0);
        parser->alignment = power < 13 ? 1u << power : 4096;
    } else if (!strcmp(name, ".size") && parser->section == SECTION_CODE) {
        rest[strcspn(rest, ", \t")] = '\0';
        add_statement(parser, GCN_END, rest, NULL);
    } else if (parser->section == SECTION_DATA) {
        take_data(parser, name, rest);
    }
}

static bool is_name(char letter) {
    return isalnum((unsigned char)letter) || (letter && strchr("_.$@<>", letter));
}

static void take_statement(struct parser *parser, char *at) {
    size_t length = 0;
    while (is_name(at[length])) {
        length++;
    }
    if (length == 0) {
        if (parser->section == SECTION_CODE) {
            refuse(parser, STATUS_USAGE, "not AMDGPU assembly: give what clang -S makes for an AMD GPU");
        }
        return;
    }
    if (at[length] == ':') {
        at[length] = '\0';
        if (parser->section == SECTION_CODE) {
            add_statement(parser, GCN_LABEL, at, NULL);
        } else if (parser->section == SECTION_DATA) {
            begin_data(parser, at);
        }
        at = skip_space(at + length + 1);
        if (*at) {
            take_statement(parser, at);
        }
        return;
    }
    char *rest = at + length;
    if (*rest) {
        *rest++ = '\0';
    }
    rest = skip_space(rest);
    if (*at == '.') {
        take_directive(parser, at, rest);
    } else if (parser->section == SECTION_CODE) {
        add_statement(parser, GCN_INSTRUCTION, at, rest);
    }
}

static void take_line(struct parser *parser, char *line) {
    trim_end(line);
    char *at = skip_space(line);
    if (parser->in_metadata) {
        if (!strcmp(at, ".end_amdgpu_metadata")) {
            end_metadata(parser);
            parser->in_metadata = parser->in_arguments = false;
        } else {
            take_metadata(parser, line + (*line == '\t'));
        }
        return;
    }
    cut_comment(at);
    trim_end(at);
    if (*at && *at != '#') {
        take_statement(parser, at);
    }
}

enum status gcn_parse(const char *name, const char *text, struct gcn_file *file, struct error *error) {
    struct parser parser = {.file = file, .error = error};
    *file = (struct gcn_file){.name = name, .text = memory_copy(text)};
    (void)ADD(file->places, file->place_count); // place 0 is unknown
    for (char *line = file->text; line && parser.status == STATUS_OK;) {
        char *next = strchr(line, '\n');
        if (next) {
            *next++ = '\0';
        }
        parser.line++;
        take_line(&parser, line);
        line = next;
    }
    end_metadata(&parser);
    return parser.status;
}

void gcn_file_clear(struct gcn_file *file) {
    for (size_t i = 0; i < file->kernel_count; i++) {
        free(file->kernels[i].settings);
        free(file->kernels[i].arguments);
    }
    for (size_t i = 0; i < file->data_count; i++) {
        free(file->data[i].bytes);
    }
    for (size_t i = 0; i < GCN_FILES; i++) {
        free(file->files[i]);
    }
    free(file->kernels);
    free(file->data);
    free(file->statements);
    free(file->places);
    free(file->text);
    *file = (struct gcn_file){0};
}
