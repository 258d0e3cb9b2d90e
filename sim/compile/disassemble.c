#include "sim/compile/disassemble.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/compile/compile.h"
#include "sim/process.h"

enum {
    PARTS = 3 // what the tools say of a file
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

// The disassembler calls the target of a branch "L0", "L1", ..., where it also writes such a label.
static bool is_target(const char *name, const char *end) {
    return *name == 'L' && name + 1 + strspn(name + 1, "0123456789") == end;
}

// Says where the function ends, if there is one.
static void end_function(const char *function, FILE *out) {
    if (*function) {
        fprintf(out, "\t.size %s, .-%s\n", function, function);
    }
}

// Writes instructions without the comment behind them, "saxpy:" for the line "0000000000001600 <saxpy>:", and where a
// function ends, that it does.
static void write_instructions(const char *text, FILE *out) {
    char function[256] = "";
    fputs("\t.text\n", out);
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\n");
        const char *name = memmem(at, length, " <", 2), *end = at + length;
        if (*at == '\t') {
            const char *comment = memmem(at, length, "//", 2);
            fprintf(out, "%.*s\n", (int)((comment ? comment : end) - at), at);
        } else if (name && end - name > 4 && !memcmp(end - 2, ">:", 2)) {
            name += 2;
            if (!is_target(name, end - 2)) {
                end_function(function, out);
                snprintf(function, sizeof function, "%.*s", (int)(end - 2 - name), name);
            }
            fprintf(out, "%.*s:\n", (int)(end - 2 - name), name);
        }
        at = end + (*end == '\n');
    }
    end_function(function, out);
}

// ---- What the file says of its kernels ----

// The byte at this address of the section of kernels' descriptors; 0 if there is none.
static uint32_t byte_at(Elf *elf, uint64_t address) {
    size_t names = 0;
    elf_getshdrstrndx(elf, &names);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        const Elf_Data *data = elf_rawdata(section, NULL);
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && !strcmp(name, ".rodata") && data && data->d_buf && address - header.sh_addr < data->d_size) {
            return ((const unsigned char *)data->d_buf)[address - header.sh_addr];
        }
    }
    return 0;
}

// The disassembler does not say how many user registers there are, which are bits 1 to 5 of COMPUTE_PGM_RSRC2 (LLVM,
// "User Guide for AMDGPU Backend", Code Object V3 Kernel Descriptor).
static void write_descriptors(const char *text, const char *path, FILE *out) {
    enum {
        RSRC2 = 52
    };
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    uint64_t place = 0;
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n"), spaces = strspn(line, " \t");
        const char *at = line + spaces;
        if (!strncmp(at, ".end_amdhsa", 11)) {
            fprintf(out, "\t.amdhsa_user_sgpr_count %" PRIu32 "\n", byte_at(elf, place + RSRC2) >> 1 & 31);
        }
        if (!strncmp(at, ".amdhsa_", 8) || !strncmp(at, ".end_amdhsa", 11)) {
            fprintf(out, "\t%.*s\n", (int)(length - spaces), at);
        } else if (spaces == 0 && length > 4 && !memcmp(line + length - 2, ">:", 2)) {
            place = strtoull(line, NULL, 16);
        }
        line += length + (line[length] == '\n');
    }
    elf_end(elf);
    close(file);
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
    struct command command = {0};
    command_add(&command, "%s", tool);
    command_add_all(&command, options);
    command_add(&command, "%s", path);
    const enum status status = scratch_run(NULL, command_words(&command), output, error);
    command_free(&command);
    if (status == STATUS_OK) {
        return STATUS_OK;
    }
    if (!error->log) { // it did not end by itself
        const struct error reason = *error;
        return error_set(error, status, "%.200s: %.600s", path, reason.text);
    }
    error_clear(error); // with its log
    return error_set(
        error, STATUS_USAGE,
        "%.200s: %.200s does not read it: give a code object of AMD's, and install a newer llvm if it is for "
        "a new GPU",
        path, tool);
}

static enum status compose(const char *path, char *const parts[PARTS], char **text, struct error *error) {
    struct written composed;
    FILE *out = memory_stream(&composed);
    const bool known = write_metadata(parts[2], out);
    if (known) {
        write_instructions(parts[0], out);
    }
    write_descriptors(parts[1], path, out);
    *text = memory_stream_end(&composed);
    if (known) {
        return STATUS_OK;
    }
    free(*text);
    *text = NULL;
    return error_set(error, STATUS_USAGE, "%.200s: no code object of AMD's: give a .co or .hsaco file, or assembly",
                     path);
}

enum status sim_disassemble(const char *path, char **text, struct error *error) {
    static const char *const instructions[] = {"-d", "--symbolize-operands", NULL};
    static const char *const descriptors[] = {"-D", "-j", ".rodata", NULL}, *const notes[] = {"--notes", NULL};
    const char *const *const options[] = {instructions, descriptors, notes};
    char objdump[PATH_MAX], readelf[PATH_MAX], *parts[PARTS] = {NULL};
    *text = NULL;
    if (!sim_find_llvm_tool("llvm-objdump", objdump) || !sim_find_llvm_tool("llvm-readelf", readelf)) {
        return error_set(error, STATUS_NO_DEVICE, "%.200s: llvm-objdump and llvm-readelf are not here: install llvm",
                         path);
    }
    enum status status = STATUS_OK;
    for (int i = 0; i < PARTS && status == STATUS_OK; i++) {
        status = run_tool(i == 2 ? readelf : objdump, options[i], path, &parts[i], error);
    }
    THEN(status, compose(path, parts, text, error));
    for (int i = 0; i < PARTS; i++) {
        free(parts[i]);
    }
    return status;
}
