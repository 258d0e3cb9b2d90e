#include "sim/compile/loops.h"

#include <stdlib.h>
#include <string.h>

#include "sim/compile/assembly.h"

struct lines {
    struct text *line;
    size_t count;
};

static const char site_label[] = ".Lbankshot_site";

static bool split_lines(const char *assembly, struct lines *lines) {
    size_t capacity = 0;
    *lines = (struct lines){0};
    for (const char *at = assembly; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *begin = at + strspn(at, " \t");
        const size_t length = strcspn(begin, "\n");
        if (length == 0) {
            continue;
        }
        if (lines->count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            struct text *grown = realloc(lines->line, capacity * sizeof *grown);
            if (!grown) {
                return false;
            }
            lines->line = grown;
        }
        lines->line[lines->count++] = (struct text){begin, length};
    }
    return true;
}

static bool is_instruction(struct text line) {
    return !strchr(".#/@", *line.begin) && line.begin[line.length - 1] != ':';
}

// The label that begins a loop whose last line is this jump; `jump` if it leads onward.
static size_t loop_begin(const struct lines *lines, size_t jump) {
    struct text operands[ASSEMBLY_OPERANDS];
    const size_t count = line_split(lines->line[jump], operands);
    for (size_t i = jump; count > 0 && i-- > 0 && !text_begins(lines->line[i], ".cfi_startproc");) {
        const struct text line = lines->line[i], target = operands[count - 1];
        if (line.length == target.length + 1 && line.begin[target.length] == ':' && text_begins(line, ".L") &&
            !memcmp(line.begin, target.begin, target.length)) {
            return i;
        }
    }
    return jump;
}

// The place that the line writes; -1: none.
static int written(struct text line) {
    struct text operands[ASSEMBLY_OPERANDS];
    const size_t count = line_split(line, operands);
    if (count == 0 || !is_instruction(line) || line_compares(line) || line_calls(line)) {
        return -1;
    }
    return operand_place(operands[line_destination(line, count)]);
}

// Whether the loop changes the place, and only by constants.
static bool is_counted(const struct lines *lines, size_t begin, size_t end, int place) {
    bool counted = false;
    for (size_t i = begin; i < end; i++) {
        if (written(lines->line[i]) == place) {
            if (!line_adds_constant(lines->line[i], place)) {
                return false;
            }
            counted = true;
        }
    }
    return counted;
}

// Whether a conditional jump that ends a loop depends on a place that counts the rounds.
static bool ends_counted(const struct lines *lines, size_t begin, size_t jump) {
    struct text operands[ASSEMBLY_OPERANDS];
    size_t i = jump;
    while (i > begin && (!is_instruction(lines->line[i - 1]) || line_calls(lines->line[i - 1]))) {
        i--;
    }
    if (i == begin) {
        return false;
    }
    const struct text line = lines->line[i - 1];
    const size_t count = line_split(line, operands);
    bool counted = false;
    for (size_t k = 0; k < count; k++) {
        const int place = operand_place(operands[k]);
        counted |= place >= 0 && is_counted(lines, begin, jump, place);
    }
    return counted;
}

static enum loop_kind kind_of(const struct lines *lines, size_t begin, size_t jump) {
    bool stores = false;
    for (size_t i = begin; i < jump; i++) {
        const struct text line = lines->line[i];
        stores |= line_calls(line) && (text_holds(line, "write") || text_holds(line, "atomic"));
    }
    return !ends_counted(lines, begin, jump) ? LOOP_NONE : stores ? LOOP_WITH_STORES : LOOP_UNROLLED;
}

// Inner loops end before the outer ones do, so the innermost loop comes first.
static void mark(const struct lines *lines, size_t begin, size_t jump, enum loop_kind *kinds, bool *marked,
                 size_t sites) {
    const enum loop_kind kind = kind_of(lines, begin, jump);
    for (size_t i = begin; i < jump; i++) {
        if (text_begins(lines->line[i], site_label)) {
            const size_t site = strtoul(lines->line[i].begin + strlen(site_label), NULL, 10);
            if (site < sites && !marked[site]) {
                marked[site] = true;
                kinds[site] = kind;
            }
        }
    }
}

bool loops_find(const char *assembly, enum loop_kind *kinds, size_t sites) {
    struct lines lines;
    bool *marked = calloc(sites + 1, sizeof *marked);
    const bool whole = split_lines(assembly, &lines) && marked;
    for (size_t i = 0; whole && i < lines.count; i++) {
        bool conditional;
        if (is_instruction(lines.line[i]) && line_is_jump(lines.line[i], &conditional) && conditional) {
            const size_t begin = loop_begin(&lines, i);
            if (begin < i) {
                mark(&lines, begin, i, kinds, marked, sites);
            }
        }
    }
    free(marked);
    free(lines.line);
    return whole;
}
