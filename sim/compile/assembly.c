#include "sim/compile/assembly.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    GENERAL = 32, // registers for integers and addresses: 16 on x86-64, 31 on arm64
    VECTORS = ASSEMBLY_REGISTERS - GENERAL,
    SLOTS = ASSEMBLY_PLACES - ASSEMBLY_REGISTERS
};

bool text_begins(struct text text, const char *word) {
    const size_t size = strlen(word);
    return size <= text.length && !memcmp(text.begin, word, size);
}

bool text_holds(struct text text, const char *word) {
    return memmem(text.begin, text.length, word, strlen(word)) != NULL;
}

bool text_begins_with(struct text text, const char *const *words) {
    for (; *words; words++) {
        if (text_begins(text, *words)) {
            return true;
        }
    }
    return false;
}

// ---- The two instruction sets ----

#if defined(__aarch64__)
enum {
    DESTINATION_FIRST = 1
};
static const char constant = '#';
static const char *const sums[] = {"add", "sub", NULL};
static const char *const calls[] = {"bl", NULL};
static const char *const comparisons[] = {"cmp", "cmn", "tst", "fcmp", "ccmp", NULL};
static const char *const overwriting[] = {"", NULL}; // every instruction but those that insert
static const char *const addresses[] = {"adr", NULL};
static const char *const moves[] = {"mov", "ld", "st", "fmov", "uxt", "sxt", NULL};
static const char *const stores[] = {"st", NULL};

bool register_is_kept(int place) {
    return place >= 19 && place < GENERAL;
}

int operand_register(const char *at, const char *begin) {
    if (at > begin && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.')) {
        return -1;
    }
    if (!strchr("wxbhsdqv", *at) || !isdigit((unsigned char)at[1])) {
        return -1;
    }
    const int number = atoi(at + 1);
    return *at == 'w' || *at == 'x' ? number % GENERAL : GENERAL + number % VECTORS;
}

bool operand_is_memory(struct text operand) {
    return memchr(operand.begin, '[', operand.length) != NULL;
}

bool operand_is_stack(struct text operand) {
    return text_holds(operand, "[sp");
}

bool line_is_jump(struct text line, bool *conditional) {
    *conditional = text_begins(line, "b.") || text_begins(line, "cb") || text_begins(line, "tb");
    return *conditional || text_begins(line, "b\t") || text_begins(line, "b ");
}
#else
enum {
    DESTINATION_FIRST = 0
};
static const char constant = '$';
static const char *const sums[] = {"add", "sub", "inc", "dec", "lea", NULL};
static const char *const calls[] = {"call", NULL};
static const char *const comparisons[] = {"cmp", "test", "ucomi", "comi", "vucomi", "vcomi", "bt", NULL};
static const char *const overwriting[] = {"mov", "lea", "set", "pop", "v", "cvt", "pshuf", "sqrt", NULL};
static const char *const addresses[] = {"lea", NULL};
static const char *const moves[] = {"mov", "push", "pop", "vmov", "lea", NULL};
static const char *const stores[] = {"\n", NULL}; // the last operand says so

bool register_is_kept(int place) {
    return place == 1 || place == 6 || (place >= 12 && place < 16); // %rbx, %rbp, %r12 to %r15
}

int operand_register(const char *at, const char *begin) {
    static const char *const names[] = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
    if (*at != '%') {
        return -1;
    }
    (void)begin;
    at++;
    if ((*at == 'x' || *at == 'y' || *at == 'z') && at[1] == 'm') {
        return GENERAL + atoi(at + 3) % VECTORS;
    }
    if (*at == 'r' && isdigit((unsigned char)at[1])) {
        return atoi(at + 1) % GENERAL;
    }
    at += *at == 'r' || *at == 'e';
    for (int i = 0; i < 8; i++) {
        if (!strncmp(at, names[i], 2) || (at[0] == names[i][0] && at[1] == 'l')) {
            return i;
        }
    }
    return -1;
}

bool operand_is_memory(struct text operand) {
    return memchr(operand.begin, '(', operand.length) != NULL;
}

bool operand_is_stack(struct text operand) {
    return text_holds(operand, "(%rsp"); // the compilers are told to keep no frame pointer
}

bool line_is_jump(struct text line, bool *conditional) {
    *conditional = *line.begin == 'j' && !text_begins(line, "jmp");
    return *line.begin == 'j';
}
#endif

// ---- Operands ----

int operand_slot(struct text operand) {
    uint32_t hash = 0;
    for (size_t i = 0; i < operand.length; i++) {
        hash = hash * 31 + (unsigned char)operand.begin[i];
    }
    return ASSEMBLY_REGISTERS + (int)(hash % SLOTS);
}

int operand_place(struct text operand) {
    if (operand_is_memory(operand)) {
        return operand_is_stack(operand) ? operand_slot(operand) : -1;
    }
    for (size_t i = 0; i < operand.length; i++) {
        const int place = operand_register(operand.begin + i, operand.begin);
        if (place >= 0) {
            return place;
        }
    }
    return -1;
}

// ---- Lines ----

bool line_calls(struct text line) {
    return text_begins_with(line, calls);
}

bool line_compares(struct text line) {
    return text_begins_with(line, comparisons);
}

bool line_overwrites(struct text line) {
    return text_begins_with(line, overwriting);
}

bool line_takes_address(struct text line) {
    return text_begins_with(line, addresses);
}

bool line_moves(struct text line) {
    return text_begins_with(line, moves);
}

// lea adds the constant before the parenthesis, if there is one register in it.
static bool adds_displacement(struct text operand, int place) {
    const char *open = memchr(operand.begin, '(', operand.length);
    return open && !memchr(open, ',', operand.length - (size_t)(open - operand.begin)) &&
           operand_register(open + 1, operand.begin) == place;
}

bool line_adds_constant(struct text line, int place) {
    struct text operands[ASSEMBLY_OPERANDS];
    const size_t count = line_split(line, operands);
    bool adds = text_begins_with(line, sums) && (count == 1 || line_takes_address(line));
    for (size_t i = 0; i < count && text_begins_with(line, sums); i++) {
        adds |= operands[i].length > 0 && *operands[i].begin == constant;
    }
    return adds && !(line_takes_address(line) && !adds_displacement(operands[0], place));
}

size_t line_destination(struct text line, size_t operands) {
    return DESTINATION_FIRST && !text_begins_with(line, stores) ? 0 : operands - 1;
}

size_t line_split(struct text line, struct text *operands) {
    size_t count = 0, depth = 0, at = 0;
    while (at < line.length && !isspace((unsigned char)line.begin[at])) {
        at++;
    }
    for (size_t begin = at; at <= line.length && count < ASSEMBLY_OPERANDS; at++) {
        const char c = at < line.length ? line.begin[at] : ',';
        depth += c == '(' || c == '[';
        depth -= c == ')' || c == ']';
        if (c == ',' && depth == 0) {
            begin += strspn(line.begin + begin, " \t");
            operands[count++] = (struct text){line.begin + begin, begin < at ? at - begin : 0};
            begin = at + 1;
        }
    }
    return count;
}
