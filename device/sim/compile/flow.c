#include "device/sim/compile/flow.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    GENERAL = 32, // registers for integers and addresses: 16 on x86-64, 31 on arm64
    VECTORS = 32,
    SLOTS = 512, // of the stack, by their offsets; slots that meet here share their loads
    FLAGS = GENERAL + VECTORS + SLOTS,
    PLACES,
    OPERANDS_MAX = 4,
    PASSES = 2 // over a function: the second one knows what a loop's last iteration left
};

// The loads that each place's value comes from.
struct state {
    uint64_t of[PLACES];
};

struct label {
    const char *name;
    size_t length;
    struct state state; // what jumps to the label bring along
};

struct flow {
    struct state now;
    struct label *labels; // that jumps of this function name
    size_t label_count, label_capacity;
    uint64_t last_load; // the bit of the load that was announced last
    uint64_t used;      // loads whose values were used since the last jump or label
    size_t last_site, last_atomic;
    bool returns_load; // the call that was made last returns what it loads
    bool failed;
    struct flow_needs *needs;
    size_t sites;
};

struct text {
    const char *begin;
    size_t length;
};

static bool begins(struct text text, const char *word) {
    const size_t size = strlen(word);
    return size <= text.length && !memcmp(text.begin, word, size);
}

static bool holds(struct text text, const char *word) {
    return memmem(text.begin, text.length, word, strlen(word)) != NULL;
}

static bool begins_with_one(struct text text, const char *const *words) {
    for (; *words; words++) {
        if (begins(text, *words)) {
            return true;
        }
    }
    return false;
}

// ---- Registers and operands of the two instruction sets ----

#if defined(__aarch64__)
enum {
    DESTINATION_FIRST = 1,
    RESULT = 0,
    ARGUMENT = 0
};
static const char *const calls[] = {"bl", NULL};
static const char *const comparisons[] = {"cmp", "cmn", "tst", "fcmp", "ccmp", NULL};
static const char *const overwriting[] = {"", NULL}; // every instruction but those that insert
static const char *const addresses[] = {"adr", NULL};
static const char *const moves[] = {"mov", "ld", "st", "fmov", "uxt", "sxt", NULL};
static const char *const stores[] = {"st", NULL};

static bool is_kept_by_calls(int place) {
    return place >= 19 && place < GENERAL;
}

// The register that begins here, or -1.
static int register_at(const char *at, const char *text_begin) {
    if (at > text_begin && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.')) {
        return -1;
    }
    if (!strchr("wxbhsdqv", *at) || !isdigit((unsigned char)at[1])) {
        return -1;
    }
    const int number = atoi(at + 1);
    return *at == 'w' || *at == 'x' ? number % GENERAL : GENERAL + number % VECTORS;
}

static bool is_memory(struct text operand) {
    return memchr(operand.begin, '[', operand.length) != NULL;
}

static bool is_stack(struct text operand) {
    return holds(operand, "[sp");
}

static bool is_jump(struct text line, bool *conditional) {
    *conditional = begins(line, "b.") || begins(line, "cb") || begins(line, "tb");
    return *conditional || begins(line, "b\t") || begins(line, "b ");
}
#else
enum {
    DESTINATION_FIRST = 0,
    RESULT = 0,
    ARGUMENT = 5 // %rdi
};
static const char *const calls[] = {"call", NULL};
static const char *const comparisons[] = {"cmp", "test", "ucomi", "comi", "vucomi", "vcomi", "bt", NULL};
static const char *const overwriting[] = {"mov", "lea", "set", "pop", "v", "cvt", "pshuf", "sqrt", NULL};
static const char *const addresses[] = {"lea", NULL};
static const char *const moves[] = {"mov", "push", "pop", "vmov", "lea", NULL};
static const char *const stores[] = {"\n", NULL}; // the last operand says so

static bool is_kept_by_calls(int place) {
    return place == 1 || place == 6 || (place >= 12 && place < 16); // %rbx, %rbp, %r12 to %r15
}

static int register_at(const char *at, const char *text_begin) {
    static const char *const names[] = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
    if (*at != '%') {
        return -1;
    }
    (void)text_begin;
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

static bool is_memory(struct text operand) {
    return memchr(operand.begin, '(', operand.length) != NULL;
}

static bool is_stack(struct text operand) {
    return holds(operand, "(%rsp"); // the compilers are told to keep no frame pointer
}

static bool is_jump(struct text line, bool *conditional) {
    *conditional = *line.begin == 'j' && !begins(line, "jmp");
    return *line.begin == 'j';
}
#endif

static int slot_of(struct text operand) {
    uint32_t hash = 0;
    for (size_t i = 0; i < operand.length; i++) {
        hash = hash * 31 + (unsigned char)operand.begin[i];
    }
    return GENERAL + VECTORS + (int)(hash % SLOTS);
}

// The loads that the registers in an operand come from.
static uint64_t registers_of(const struct flow *flow, struct text operand) {
    uint64_t loads = 0;
    for (size_t i = 0; i < operand.length; i++) {
        const int place = register_at(operand.begin + i, operand.begin);
        loads |= place >= 0 ? flow->now.of[place] : 0;
    }
    return loads;
}

// A constant of the compiler's, which no call announces.
static bool is_constant(struct text operand) {
    return holds(operand, ".LC") || holds(operand, ".rodata");
}

// The loads that an operand's value comes from.
static uint64_t value_of(struct flow *flow, struct text operand, bool is_address) {
    if (!is_memory(operand) || is_address) {
        return registers_of(flow, operand);
    }
    if (is_stack(operand)) {
        return flow->now.of[slot_of(operand)];
    }
    return is_constant(operand) ? 0 : flow->last_load;
}

// The place that an operand names; -1: none that is followed.
static int place_of(struct text operand) {
    if (is_memory(operand)) {
        return is_stack(operand) ? slot_of(operand) : -1;
    }
    for (size_t i = 0; i < operand.length; i++) {
        const int place = register_at(operand.begin + i, operand.begin);
        if (place >= 0) {
            return place;
        }
    }
    return -1;
}

static size_t split(struct text line, struct text *operands) {
    size_t count = 0, depth = 0, at = 0;
    while (at < line.length && !isspace((unsigned char)line.begin[at])) {
        at++;
    }
    for (size_t begin = at; at <= line.length && count < OPERANDS_MAX; at++) {
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

// ---- Lines ----

static void set(struct flow *flow, int place, uint64_t loads) {
    if (place >= 0) {
        flow->now.of[place] = loads;
    }
}

// Notes which loads an instruction uses. A move only passes them on.
static void use(struct flow *flow, struct text line, uint64_t loads) {
    if (!begins_with_one(line, moves)) {
        flow->used |= loads;
    }
    if (flow->last_atomic < flow->sites && loads & UINT64_C(1) << flow->last_atomic % 64) {
        flow->needs[flow->last_atomic].returned = true;
    }
}

static void pass_call(struct flow *flow, struct text line) {
    for (int place = 0; place < GENERAL + VECTORS; place++) {
        flow->now.of[place] = is_kept_by_calls(place) ? flow->now.of[place] : 0;
    }
    flow->returns_load = holds(line, "atomic");
}

static void pass_instruction(struct flow *flow, struct text line) {
    struct text operands[OPERANDS_MAX];
    const size_t count = split(line, operands);
    const bool is_address = begins_with_one(line, addresses);
    uint64_t loads = 0;
    if (count == 0) {
        return;
    }
    if (begins_with_one(line, comparisons)) {
        for (size_t i = 0; i < count; i++) {
            loads |= value_of(flow, operands[i], false);
        }
        flow->now.of[FLAGS] = loads;
        use(flow, line, loads);
        return;
    }
    const bool stores_last = begins_with_one(line, stores);
    const size_t destination = DESTINATION_FIRST && !stores_last ? 0 : count - 1;
    for (size_t i = 0; i < count; i++) {
        loads |= i == destination ? 0 : value_of(flow, operands[i], is_address);
    }
    const int place = place_of(operands[destination]);
    const bool keeps = count == 1 || !(begins_with_one(line, overwriting) || count > 2);
    loads |= keeps && place >= 0 ? flow->now.of[place] : 0;
    use(flow, line, loads);
    set(flow, place, loads);
}

static struct label *find_label(struct flow *flow, struct text name) {
    for (size_t i = flow->label_count; i-- > 0;) {
        struct label *label = &flow->labels[i];
        if (label->length == name.length && !memcmp(label->name, name.begin, name.length)) {
            return label;
        }
    }
    return NULL;
}

static struct label *add_label(struct flow *flow, struct text name) {
    if (flow->label_count == flow->label_capacity) {
        const size_t capacity = flow->label_capacity ? 2 * flow->label_capacity : 16;
        struct label *grown = realloc(flow->labels, capacity * sizeof *grown);
        if (!grown) {
            flow->failed = true;
            return NULL;
        }
        flow->labels = grown;
        flow->label_capacity = capacity;
    }
    struct label *label = &flow->labels[flow->label_count++];
    *label = (struct label){.name = name.begin, .length = name.length};
    return label;
}

static void join(struct state *state, const struct state *other) {
    for (int place = 0; place < PLACES; place++) {
        state->of[place] |= other->of[place];
    }
}

static void pass_jump(struct flow *flow, struct text line, bool conditional) {
    struct text operands[OPERANDS_MAX];
    const size_t count = split(line, operands);
    if (count == 0) {
        return;
    }
    const struct text target = operands[count - 1];
    struct label *label = find_label(flow, target);
    label = label ? label : add_label(flow, target);
    if (label) {
        join(&label->state, &flow->now);
    }
    if (conditional && flow->last_site < flow->sites) {
        flow->needs[flow->last_site].jump |= flow->now.of[FLAGS] | (count > 1 ? value_of(flow, operands[0], false) : 0);
        flow->needs[flow->last_site].used |= flow->used;
    }
    flow->used = 0;
    if (!conditional) {
        flow->now = (struct state){{0}};
    }
}

static const char site_label[] = ".Lbankshot_site";

// The label behind a call that announces a step. The address was in the first argument's register.
static void pass_site(struct flow *flow, struct text line, uint64_t address, bool is_load) {
    flow->last_site = strtoul(line.begin + strlen(site_label), NULL, 10);
    const uint64_t bit = UINT64_C(1) << flow->last_site % 64;
    if (flow->last_site < flow->sites) {
        flow->needs[flow->last_site].address |= address;
    }
    if (is_load) {
        flow->last_load = bit;
        set(flow, RESULT, flow->returns_load ? bit : 0);
        flow->last_atomic = flow->returns_load ? flow->last_site : flow->last_atomic;
    }
}

static void pass_label(struct flow *flow, struct text line) {
    if (begins(line, ".Lbankshot")) {
        return;
    }
    const struct label *label = find_label(flow, (struct text){line.begin, line.length - 1});
    if (label) {
        join(&flow->now, &label->state);
    }
}

static void pass_line(struct flow *flow, struct text line, uint64_t *address, bool *is_load) {
    bool conditional;
    if (begins(line, site_label)) {
        pass_site(flow, line, *address, *is_load);
    } else if (line.begin[line.length - 1] == ':') {
        pass_label(flow, line);
    } else if (begins_with_one(line, calls)) {
        *address = flow->now.of[ARGUMENT];
        *is_load = holds(line, "read") || holds(line, "atomic");
        pass_call(flow, line);
    } else if (is_jump(line, &conditional)) {
        pass_jump(flow, line, conditional);
    } else if (!strchr(".#/@", *line.begin)) {
        pass_instruction(flow, line);
    }
}

static void pass_function(struct flow *flow, struct text function) {
    uint64_t address = 0;
    bool is_load = false;
    flow->now = (struct state){{0}};
    flow->last_site = flow->last_atomic = flow->sites;
    flow->used = 0;
    for (const char *at = function.begin, *end = at + function.length; at < end; at += strcspn(at, "\n") + 1) {
        const char *begin = at + strspn(at, " \t");
        const size_t length = strcspn(begin, "\n");
        if (length > 0) {
            pass_line(flow, (struct text){begin, length}, &address, &is_load);
        }
    }
}

bool flow_find(const char *assembly, struct flow_needs *needs, size_t sites) {
    static const char start[] = ".cfi_startproc", end[] = ".cfi_endproc";
    struct flow flow = {.needs = needs, .sites = sites};
    for (const char *at = assembly; (at = strstr(at, start)) && !flow.failed;) {
        const char *stop = strstr(at, end);
        const struct text function = {at, stop ? (size_t)(stop - at) : strlen(at)};
        flow.label_count = 0;
        for (int pass = 0; pass < PASSES; pass++) {
            pass_function(&flow, function);
        }
        at += function.length;
    }
    free(flow.labels);
    return !flow.failed;
}
