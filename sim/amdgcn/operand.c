#include "sim/amdgcn/operand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Places of scalar registers: sim/amdgcn/kernel/wave.h.
static const struct {
    const char *name;
    uint32_t first, count;
} registers[] = {{"vcc", 106, 2},
                 {"vcc_lo", 106, 1},
                 {"vcc_hi", 107, 1},
                 {"exec", 126, 2},
                 {"exec_lo", 126, 1},
                 {"exec_hi", 127, 1},
                 {"m0", 124, 1},
                 {"null", 125, 1},
                 {"flat_scratch", 128, 2},
                 {"flat_scratch_lo", 128, 1},
                 {"flat_scratch_hi", 129, 1},
                 {"xnack_mask", 130, 2},
                 {"xnack_mask_lo", 130, 1},
                 {"xnack_mask_hi", 131, 1}};

// "12" or "[4:7]"
static bool read_range(const char *text, uint32_t most, struct gcn_operand *operand) {
    char *end;
    const bool range = *text == '[';
    const unsigned long first = isdigit((unsigned char)text[range]) ? strtoul(text + range, &end, 10) : most;
    unsigned long last = first;
    if (first >= most) {
        return false;
    }
    if (range && *end == ':' && isdigit((unsigned char)end[1])) {
        last = strtoul(end + 1, &end, 10);
    }
    if (range && *end++ != ']') {
        return false;
    }
    operand->first = (uint32_t)first;
    operand->count = (uint32_t)(last - first + 1);
    return !*end && last >= first && last < most && operand->count <= 32;
}

static bool read_register(const char *text, struct gcn_operand *operand) {
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        if (!strcmp(text, registers[i].name)) {
            operand->kind = GCN_S;
            operand->first = registers[i].first;
            operand->count = registers[i].count;
            return true;
        }
    }
    if (!strncmp(text, "ttmp", 4) && read_range(text + 4, 16, operand)) {
        operand->kind = GCN_S;
        operand->first += 108;
        return true;
    }
    operand->kind = *text == 's' ? GCN_S : GCN_V;
    if ((*text == 's' && read_range(text + 1, 106, operand)) || (*text == 'v' && read_range(text + 1, 256, operand))) {
        return true;
    }
    if (*text == 'a' && read_range(text + 1, 256, operand)) {
        operand->first += GCN_ACCUMULATOR;
        return true;
    }
    return false;
}

static bool read_number(const char *text, struct gcn_operand *operand) {
    char *end;
    const char *digits = text + (*text == '-');
    if (!isdigit((unsigned char)*digits)) {
        return false;
    }
    if (strncmp(digits, "0x", 2) != 0 && strpbrk(digits, ".eE")) {
        operand->kind = GCN_REAL;
        operand->real = strtod(text, &end);
        return !*end;
    }
    operand->number = *text == '-' ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
    operand->kind = operand->number >= -16 && operand->number <= 64 ? GCN_NUMBER : GCN_LITERAL;
    const bool is_literal = operand->number >= INT32_MIN && operand->number <= UINT32_MAX;
    return !*end && (is_literal || (operand->number & UINT32_MAX) == 0); // or the upper half of a 64-bit number
}

static void read_special(char *text, struct gcn_operand *operand) {
    operand->words = text;
    if (!strcmp(text, "off")) {
        operand->kind = GCN_OFF;
    } else if (!strcmp(text, "src_shared_base") || !strcmp(text, "src_private_base")) {
        operand->kind = GCN_WINDOW;
        operand->first = text[4] == 'p';
    } else if (!strcmp(text, "src_scc") || !strcmp(text, "scc")) {
        operand->kind = GCN_SCC;
    } else {
        operand->kind = GCN_WORDS;
    }
}

// Takes "name(...)" off.
static bool unwrap(char **text, const char *name) {
    const size_t length = strlen(name), all = strlen(*text);
    if (strncmp(*text, name, length) != 0 || (*text)[length] != '(' || (*text)[all - 1] != ')') {
        return false;
    }
    (*text)[all - 1] = '\0';
    *text += length + 1;
    return true;
}

static void read_operand(char *text, struct gcn_operand *operand) {
    *operand = (struct gcn_operand){0};
    if (*text == '-' && !isdigit((unsigned char)text[1])) {
        operand->negative = true;
        text++;
    }
    operand->negative |= unwrap(&text, "neg");
    operand->extended = unwrap(&text, "sext");
    operand->absolute = unwrap(&text, "abs");
    const size_t length = strlen(text);
    if (length > 2 && *text == '|' && text[length - 1] == '|') {
        text[length - 1] = '\0';
        text++;
        operand->absolute = true;
    }
    if (!read_register(text, operand) && !read_number(text, operand)) {
        read_special(text, operand);
    }
}

// Cuts the text at the next separator outside brackets; NULL at the end.
static char *cut(char *text, const char *separators) {
    int depth = 0;
    for (char *at = text; *at; at++) {
        depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
        if (depth <= 0 && strchr(separators, *at)) {
            *at++ = '\0';
            return at + strspn(at, " \t");
        }
    }
    return NULL;
}

static const char *add_modifier(char *text, struct gcn_operands *operands) {
    if (operands->modifier_count == GCN_MODIFIERS) {
        return "too many modifiers";
    }
    char *colon = strchr(text, ':');
    if (colon) {
        *colon++ = '\0';
    }
    operands->modifier[operands->modifier_count++] = (struct gcn_modifier){text, colon ? colon : ""};
    return NULL;
}

// Whether the word is a modifier in an operand's place, as in "s_wait scope:SCOPE_DEV".
static bool is_modifier(const char *word) {
    const char *colon = strchr(word, ':'), *bracket = strchr(word, '[');
    return colon && (!bracket || bracket > colon);
}

const char *gcn_operands_read(char *text, struct gcn_operands *operands) {
    const char *wrong = NULL;
    *operands = (struct gcn_operands){0};
    while (text && *text && !wrong) {
        char *next = cut(text, ","), *word = text;
        while (word && *word && !wrong) {
            char *after = cut(word, " \t");
            if (word != text || is_modifier(word)) {
                wrong = *word ? add_modifier(word, operands) : NULL;
            } else if (operands->count == GCN_OPERANDS) {
                wrong = "too many operands";
            } else {
                read_operand(word, &operands->operand[operands->count++]);
            }
            word = after;
        }
        text = next;
    }
    return wrong;
}

const char *gcn_modifier(const struct gcn_operands *operands, const char *name) {
    for (uint32_t i = 0; i < operands->modifier_count; i++) {
        if (!strcmp(operands->modifier[i].name, name)) {
            return operands->modifier[i].value;
        }
    }
    return NULL;
}

int64_t gcn_modifier_number(const struct gcn_operands *operands, const char *name, int64_t otherwise) {
    const char *value = gcn_modifier(operands, name);
    return value ? strtoll(value, NULL, 0) : otherwise;
}

uint32_t gcn_modifier_element(const struct gcn_operands *operands, const char *name, uint32_t n, uint32_t otherwise) {
    const char *value = gcn_modifier(operands, name);
    if (!value || *value != '[') {
        return otherwise;
    }
    for (value++; n && (value = strchr(value, ',')); n--) {
        value++;
    }
    return value ? (uint32_t)strtoul(value, NULL, 0) : otherwise;
}
