#include "sim/compile/flow.h"

#include <stdlib.h>
#include <string.h>

#include "sim/compile/assembly.h"

enum {
    FLAGS = ASSEMBLY_PLACES, // one more place
    PLACES,
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

// The loads that the registers in an operand come from.
static uint64_t registers_of(const struct flow *flow, struct text operand) {
    uint64_t loads = 0;
    for (size_t i = 0; i < operand.length; i++) {
        const int place = operand_register(operand.begin + i, operand.begin);
        loads |= place >= 0 ? flow->now.of[place] : 0;
    }
    return loads;
}

// A constant of the compiler's, which no call announces.
static bool is_constant(struct text operand) {
    return text_holds(operand, ".LC") || text_holds(operand, ".rodata");
}

// The loads that an operand's value comes from.
static uint64_t value_of(struct flow *flow, struct text operand, bool is_address) {
    if (!operand_is_memory(operand) || is_address) {
        return registers_of(flow, operand);
    }
    if (operand_is_stack(operand)) {
        return flow->now.of[operand_slot(operand)];
    }
    return is_constant(operand) ? 0 : flow->last_load;
}

// ---- Lines ----

static void set(struct flow *flow, int place, uint64_t loads) {
    if (place >= 0) {
        flow->now.of[place] = loads;
    }
}

// Notes which loads an instruction uses. A move only passes them on.
static void use(struct flow *flow, struct text line, uint64_t loads) {
    if (!line_moves(line)) {
        flow->used |= loads;
    }
    if (flow->last_atomic < flow->sites && loads & UINT64_C(1) << flow->last_atomic % 64) {
        flow->needs[flow->last_atomic].returned = true;
    }
}

static void pass_call(struct flow *flow, struct text line) {
    for (int place = 0; place < ASSEMBLY_REGISTERS; place++) {
        flow->now.of[place] = register_is_kept(place) ? flow->now.of[place] : 0;
    }
    flow->returns_load = text_holds(line, "atomic");
}

static void pass_instruction(struct flow *flow, struct text line) {
    struct text operands[ASSEMBLY_OPERANDS];
    const size_t count = line_split(line, operands);
    const bool is_address = line_takes_address(line);
    uint64_t loads = 0;
    if (count == 0) {
        return;
    }
    if (line_compares(line)) {
        for (size_t i = 0; i < count; i++) {
            loads |= value_of(flow, operands[i], false);
        }
        flow->now.of[FLAGS] = loads;
        use(flow, line, loads);
        return;
    }
    const size_t destination = line_destination(line, count);
    for (size_t i = 0; i < count; i++) {
        loads |= i == destination ? 0 : value_of(flow, operands[i], is_address);
    }
    const int place = operand_place(operands[destination]);
    const bool keeps = count == 1 || !(line_overwrites(line) || count > 2);
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
    struct text operands[ASSEMBLY_OPERANDS];
    const size_t count = line_split(line, operands);
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
        set(flow, ASSEMBLY_RESULT, flow->returns_load ? bit : 0);
        flow->last_atomic = flow->returns_load ? flow->last_site : flow->last_atomic;
    }
}

static void pass_label(struct flow *flow, struct text line) {
    if (text_begins(line, ".Lbankshot")) {
        return;
    }
    const struct label *label = find_label(flow, (struct text){line.begin, line.length - 1});
    if (label) {
        join(&flow->now, &label->state);
    }
}

static void pass_line(struct flow *flow, struct text line, uint64_t *address, bool *is_load) {
    bool conditional;
    if (text_begins(line, site_label)) {
        pass_site(flow, line, *address, *is_load);
    } else if (line.begin[line.length - 1] == ':') {
        pass_label(flow, line);
    } else if (line_calls(line)) {
        *address = flow->now.of[ASSEMBLY_ARGUMENT];
        *is_load = text_holds(line, "read") || text_holds(line, "atomic");
        pass_call(flow, line);
    } else if (line_is_jump(line, &conditional)) {
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

// ---- Loops ----

struct lines {
    struct text *line;
    size_t count;
};

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
