#include "sim/compile/disassemble.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/compile/find_tool.h"
#include "sim/compile/process.h"
#include "sim/compile/text.h"

enum {
    PARTS = 4 // what the tools say of a file
};

bool sim_is_code_object(const char *path) {
    char begin[4] = "";
    FILE *file = fopen(path, "rb");
    const bool read = file && fread(begin, 1, sizeof begin, file) == sizeof begin;
    if (file) {
        fclose(file);
    }
    return read && !memcmp(begin, "\177ELF", sizeof begin);
}

// ---- The instructions ----

// A line of the disassembly: "<tab>s_cbranch_execz 20   // 00000000162C: BF880014".
struct line {
    const char *at;
    size_t length; // without its comment
    uint64_t address;
    bool branches;
    uint64_t target; // of a branch
};

static struct line read_line(const char *at, size_t length) {
    const char *comment = memmem(at, length, "//", 2);
    struct line line = {.at = at, .length = length};
    if (comment) {
        line.length = (size_t)(comment - at);
        line.address = strtoull(comment + 2, NULL, 16);
    }
    const char *name = at + (*at == '\t');
    line.branches = !strncmp(name, "s_branch ", 9) || !strncmp(name, "s_cbranch_", 10);
    if (line.branches) { // the operand counts words from the next instruction
        const long words = strtol(name + strcspn(name, " "), NULL, 10);
        line.target = line.address + 4 + (uint64_t)(4 * (int64_t)(int16_t)words);
    }
    return line;
}

struct targets {
    uint64_t *list;
    size_t count;
};

static bool find_targets(const char *text, struct targets *targets) {
    size_t lines = 1;
    for (const char *at = text; (at = strchr(at, '\n')); at++) {
        lines++;
    }
    targets->list = calloc(lines, sizeof *targets->list);
    for (const char *at = text; targets->list && *at;) {
        const size_t length = strcspn(at, "\n");
        const struct line line = read_line(at, length);
        if (line.branches) {
            targets->list[targets->count++] = line.target;
        }
        at += length + (at[length] == '\n');
    }
    return targets->list != NULL;
}

static bool is_target(const struct targets *targets, uint64_t address) {
    for (size_t i = 0; i < targets->count; i++) {
        if (targets->list[i] == address) {
            return true;
        }
    }
    return false;
}

static void write_instruction(const struct line *line, const struct targets *targets, FILE *out) {
    if (is_target(targets, line->address)) {
        fprintf(out, "L%" PRIx64 ":\n", line->address);
    }
    if (line->branches) {
        const char *name = line->at + 1;
        fprintf(out, "\t%.*s L%" PRIx64 "\n", (int)strcspn(name, " "), name, line->target);
    } else {
        fprintf(out, "%.*s\n", (int)line->length, line->at);
    }
}

// Says where the function ends, if there is one.
static void end_function(const char *function, FILE *out) {
    if (*function) {
        fprintf(out, "\t.size %s, .-%s\n", function, function);
    }
}

// Writes "saxpy:" for the line "0000000000001600 <saxpy>:", and where a function ends, that it does.
static void write_instructions(const char *text, const struct targets *targets, FILE *out) {
    char function[256] = "";
    fputs("\t.text\n", out);
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\n");
        const char *name = strstr(at, " <"), *end = at + length;
        if (*at == '\t') {
            const struct line line = read_line(at, length);
            write_instruction(&line, targets, out);
        } else if (name && name < end && !memcmp(end - 2, ">:", 2)) {
            end_function(function, out);
            snprintf(function, sizeof function, "%.*s", (int)(end - 2 - (name + 2)), name + 2);
            fprintf(out, "%s:\n", function);
        }
        at = end + (*end == '\n');
    }
    end_function(function, out);
}

// ---- What the file says of its kernels ----

// A byte of the dump of a section, whose lines are " 0500 18010000 ..." of up to 16 bytes; 0 if it is not there.
static uint32_t byte_at(const char *dump, uint64_t address) {
    for (const char *line = dump; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *at;
        const uint64_t first = *line == ' ' ? strtoull(line, &at, 16) : UINT64_MAX;
        if (first > address || address - first >= 16 || *at != ' ') {
            continue;
        }
        const uint64_t place = address - first;
        const char *digits = at + 1 + 2 * place + place / 4;
        char byte[3] = "";
        memcpy(byte, digits, strnlen(digits, 2));
        return (uint32_t)strtoul(byte, NULL, 16);
    }
    return 0;
}

// The disassembler does not say how many user registers there are, which are bits 1 to 5 of COMPUTE_PGM_RSRC2 (LLVM,
// "User Guide for AMDGPU Backend", Code Object V3 Kernel Descriptor).
static void write_descriptors(const char *text, const char *dump, FILE *out) {
    enum {
        RSRC2 = 52
    };
    uint64_t place = 0;
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n"), spaces = strspn(line, " \t");
        const char *at = line + spaces;
        if (!strncmp(at, ".end_amdhsa", 11)) {
            fprintf(out, "\t.amdhsa_user_sgpr_count %" PRIu32 "\n", byte_at(dump, place + RSRC2) >> 1 & 31);
        }
        if (!strncmp(at, ".amdhsa_", 8) || !strncmp(at, ".end_amdhsa", 11)) {
            fprintf(out, "\t%.*s\n", (int)(length - spaces), at);
        } else if (spaces == 0 && length > 4 && !memcmp(line + length - 2, ">:", 2)) {
            place = strtoull(line, NULL, 16);
        }
        line += length + (line[length] == '\n');
    }
}

// The metadata stand between "---" and the next line that belongs to something else. False if there are none.
static bool write_metadata(const char *text, FILE *out) {
    const char *begin = strstr(text, "amdhsa.kernels:"), *target = strstr(text, "amdhsa.target:");
    if (!begin || !target) {
        return false;
    }
    target = strstr(target, "gfx");
    const size_t arch = target ? strspn(target, "gfx0123456789abcdef") : 0;
    fprintf(out, "\t.amdgcn_target \"amdgcn-amd-amdhsa--%.*s\"\n\t.amdgpu_metadata\n", (int)arch, target ? target : "");
    for (const char *line = begin; *line && strncmp(line, "...", 3) != 0;) {
        const size_t length = strcspn(line, "\n");
        fprintf(out, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    fputs("\t.end_amdgpu_metadata\n", out);
    return arch > 0;
}

// ---- The tools ----

static enum status run_tool(const char *tool, const char *const *options, const char *path, char **output,
                            struct error *error) {
    const char *words[8] = {tool};
    size_t count = 1;
    while (*options) {
        words[count++] = *options++;
    }
    words[count] = path;
    // The words are not changed; execvp's type is older than const.
    return scratch_run((char *const *)(uintptr_t)words, output, error);
}

static enum status compose(const char *path, char *const parts[PARTS], char **text, struct error *error) {
    size_t size;
    FILE *out = open_memstream(text, &size);
    if (!out) {
        return error_set(error, STATUS_FAILED, "no memory for a kernel: close other programs");
    }
    struct targets targets = {0};
    const bool known = write_metadata(parts[2], out) && find_targets(parts[0], &targets);
    if (known) {
        write_instructions(parts[0], &targets, out);
    }
    free(targets.list);
    write_descriptors(parts[1], parts[3], out);
    *text = sim_text_finish(out, text);
    if (*text && known) {
        return STATUS_OK;
    }
    free(*text);
    *text = NULL;
    return error_set(error, STATUS_USAGE, "%s: no code object of AMD's: give a .co or .hsaco file, or assembly", path);
}

enum status sim_disassemble(const char *path, char **text, struct error *error) {
    static const char *const instructions[] = {"-d", NULL};
    static const char *const descriptors[] = {"-D", "-j", ".rodata", NULL}, *const notes[] = {"--notes", NULL},
                             *const bytes[] = {"-s", "-j", ".rodata", NULL};
    const char *const *const options[] = {instructions, descriptors, notes, bytes};
    char objdump[PATH_MAX], readelf[PATH_MAX], *parts[PARTS] = {NULL};
    *text = NULL;
    if (!sim_find_llvm_tool("llvm-objdump", objdump) || !sim_find_llvm_tool("llvm-readelf", readelf)) {
        return error_set(error, STATUS_NO_DEVICE, "%s: llvm-objdump and llvm-readelf are not here: install llvm", path);
    }
    enum status status = STATUS_OK;
    for (int i = 0; i < PARTS && status == STATUS_OK; i++) {
        status = run_tool(i == 2 ? readelf : objdump, options[i], path, &parts[i], error);
    }
    if (status == STATUS_OK) {
        status = compose(path, parts, text, error);
    } else {
        error_clear(error); // with their log
        status = error_set(error, STATUS_USAGE, "%s: LLVM's tools do not read it: give a code object of AMD's", path);
    }
    for (int i = 0; i < PARTS; i++) {
        free(parts[i]);
    }
    return status;
}
