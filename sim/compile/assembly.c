#include "sim/compile/assembly.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

// ---- Instructions, their operands, and the places that these name ----

// A place is a register or a slot of the stack. Slots are told apart by a hash of their offsets, so two may meet.
enum {
    ASSEMBLY_REGISTERS = 64,
    ASSEMBLY_PLACES = ASSEMBLY_REGISTERS + 512,
    ASSEMBLY_OPERANDS = 4, // at most, of a line
    ASSEMBLY_RESULT = 0    // the register of what a function returns
};

enum {
    GENERAL = 32, // registers for integers and addresses: 16 on x86-64, 31 on arm64
    VECTORS = ASSEMBLY_REGISTERS - GENERAL,
    SLOTS = ASSEMBLY_PLACES - ASSEMBLY_REGISTERS
};

static bool text_begins(struct text text, const char *word) {
    const size_t size = strlen(word);
    return size <= text.length && !memcmp(text.begin, word, size);
}

static bool text_holds(struct text text, const char *word) {
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
static const char *const overwriting[] = {"", NULL};  // every instruction but those that insert
static const char *const addresses[] = {"adr", NULL}; // an address is computed, and not accessed
static const char *const moves[] = {"mov", "ld", "st", "fmov", "uxt", "sxt", NULL};
static const char *const stores[] = {"st", NULL};

// Whether a function that is called keeps the register's value.
static bool register_is_kept(int place) {
    return place >= 19 && place < GENERAL;
}

// The register that a name at this place of the text means; -1: there is none.
static int operand_register(const char *at, const char *begin) {
    if (at > begin && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.')) {
        return -1;
    }
    if (!strchr("wxbhsdqv", *at) || !isdigit((unsigned char)at[1])) {
        return -1;
    }
    const int number = atoi(at + 1);
    return *at == 'w' || *at == 'x' ? number % GENERAL : GENERAL + number % VECTORS;
}

static bool operand_is_memory(struct text operand) {
    return memchr(operand.begin, '[', operand.length) != NULL;
}

static bool operand_is_stack(struct text operand) {
    return text_holds(operand, "[sp");
}

static bool line_is_jump(struct text line, bool *conditional) {
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
static const char *const addresses[] = {"lea", NULL}; // an address is computed, and not accessed
static const char *const moves[] = {"mov", "push", "pop", "vmov", "lea", NULL};
static const char *const stores[] = {"\n", NULL}; // the last operand says so

static bool register_is_kept(int place) {
    return place == 1 || place == 6 || (place >= 12 && place < 16); // %rbx, %rbp, %r12 to %r15
}

static int operand_register(const char *at, const char *begin) {
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

static bool operand_is_memory(struct text operand) {
    return memchr(operand.begin, '(', operand.length) != NULL;
}

static bool operand_is_stack(struct text operand) {
    return text_holds(operand, "(%rsp"); // the compilers are told to keep no frame pointer
}

static bool line_is_jump(struct text line, bool *conditional) {
    *conditional = *line.begin == 'j' && !text_begins(line, "jmp");
    return *line.begin == 'j';
}
#endif

// ---- Operands ----

static int operand_slot(struct text operand) {
    uint32_t hash = 0;
    for (size_t i = 0; i < operand.length; i++) {
        hash = hash * 31 + (unsigned char)operand.begin[i];
    }
    return ASSEMBLY_REGISTERS + (int)(hash % SLOTS);
}

// The place that an operand means; -1: another one.
static int operand_place(struct text operand) {
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

// Splits a line into up to ASSEMBLY_OPERANDS operands and returns their number.
static size_t line_split(struct text line, struct text *operands) {
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

static bool line_calls(struct text line) {
    return text_begins_with(line, calls);
}

struct text line_called(struct text line) {
    const size_t word = strcspn(line.begin, " \t\n"), name = word + strspn(line.begin + word, " \t*");
    if (!line_calls(line) || name >= line.length) {
        return (struct text){line.begin, 0};
    }
    return (struct text){line.begin + name, strcspn(line.begin + name, "@ \t\n")};
}

// lea adds the constant before the parenthesis, if there is one register in it.
static bool adds_displacement(struct text operand, int place) {
    const char *open = memchr(operand.begin, '(', operand.length);
    return open && !memchr(open, ',', operand.length - (size_t)(open - operand.begin)) &&
           operand_register(open + 1, operand.begin) == place;
}

// Whether an instruction that writes the place adds a constant to it.
static bool line_adds_constant(struct text line, int place) {
    struct text operands[ASSEMBLY_OPERANDS];
    const size_t count = line_split(line, operands);
    bool adds = text_begins_with(line, sums) && (count == 1 || text_begins_with(line, addresses));
    for (size_t i = 0; i < count && text_begins_with(line, sums); i++) {
        adds |= operands[i].length > 0 && *operands[i].begin == constant;
    }
    return adds && !(text_begins_with(line, addresses) && !adds_displacement(operands[0], place));
}

// Which of a line's operands it writes.
static size_t line_destination(struct text line, size_t operands) {
    return DESTINATION_FIRST && !text_begins_with(line, stores) ? 0 : operands - 1;
}

// ---- The loads that a value comes from, and loops ----

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
    size_t label_count;
    uint64_t last_load; // the bit of the load that was announced last
    uint64_t used;      // loads whose values were used since the last jump or label
    size_t last_site, last_atomic;
    bool returns_load;          // the call that was made last returns what it loads
    struct sim_weight *weights; // of each site
    size_t sites;
    // Of the call that was made last: the loads that its first argument comes from, and whether it announces a load.
    uint64_t address;
    bool is_load;
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

// ---- The loads that registers and stack slots hold ----

static void set(struct flow *flow, int place, uint64_t loads) {
    if (place >= 0) {
        flow->now.of[place] = loads;
    }
}

// Notes which loads an instruction uses. A move only passes them on.
static void use(struct flow *flow, struct text line, uint64_t loads) {
    if (!text_begins_with(line, moves)) {
        flow->used |= loads;
    }
    if (flow->last_atomic < flow->sites && loads & UINT64_C(1) << flow->last_atomic % 64) {
        flow->weights[flow->last_atomic].needs.returned = true;
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
    const bool is_address = text_begins_with(line, addresses);
    uint64_t loads = 0;
    if (count == 0) {
        return;
    }
    if (text_begins_with(line, comparisons)) {
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
    const bool keeps = count == 1 || !(text_begins_with(line, overwriting) || count > 2);
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
    flow->labels = memory_room(flow->labels, flow->label_count, sizeof *flow->labels);
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
    join(&label->state, &flow->now);
    if (conditional && flow->last_site < flow->sites) {
        struct flow_needs *needs = &flow->weights[flow->last_site].needs;
        needs->jump |= flow->now.of[FLAGS] | (count > 1 ? value_of(flow, operands[0], false) : 0);
        needs->used |= flow->used;
    }
    flow->used = 0;
    if (!conditional) {
        flow->now = (struct state){{0}};
    }
}

static const char site_label[] = ".Lbankshot_site";

static size_t site_of(struct text line) {
    return strtoul(line.begin + strlen(site_label), NULL, 10);
}

// The label behind a call that announces a step. The address was in the first argument's register.
static void pass_site(struct flow *flow, struct text line) {
    flow->last_site = site_of(line);
    const uint64_t bit = UINT64_C(1) << flow->last_site % 64;
    if (flow->last_site < flow->sites) {
        flow->weights[flow->last_site].needs.address |= flow->address;
    }
    if (flow->is_load) {
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

static void pass_line(struct flow *flow, struct text line) {
    bool conditional;
    if (text_begins(line, site_label)) {
        pass_site(flow, line);
    } else if (line.begin[line.length - 1] == ':') {
        pass_label(flow, line);
    } else if (line_calls(line)) {
        flow->address = flow->now.of[ASSEMBLY_ARGUMENT];
        flow->is_load = text_holds(line, "read") || text_holds(line, "atomic");
        pass_call(flow, line);
    } else if (line_is_jump(line, &conditional)) {
        pass_jump(flow, line, conditional);
    } else if (!strchr(".#/@", *line.begin)) {
        pass_instruction(flow, line);
    }
}

struct lines {
    struct text *line; // without indents and empty lines
    size_t count;
};

static void split_lines(const char *assembly, struct lines *lines) {
    *lines = (struct lines){0};
    for (const char *at = assembly; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *begin = at + strspn(at, " \t");
        const size_t length = strcspn(begin, "\n");
        if (length == 0) {
            continue;
        }
        lines->line = memory_room(lines->line, lines->count, sizeof *lines->line);
        lines->line[lines->count++] = (struct text){begin, length};
    }
}

// Passes over the function that begins with this line. Returns the line of its end.
static size_t pass_function(struct flow *flow, const struct lines *lines, size_t line) {
    flow->now = (struct state){{0}};
    flow->last_site = flow->last_atomic = flow->sites;
    flow->address = flow->used = 0;
    flow->is_load = false;
    while (line < lines->count && !text_begins(lines->line[line], ".cfi_endproc")) {
        pass_line(flow, lines->line[line++]);
    }
    return line;
}

// Sets the needs of each site, whose label ".Lbankshot_siteN:" follows the call that announces it (assembly.h).
static void find_needs(const struct weigher *weigher, const struct lines *lines) {
    struct flow flow = {.weights = weigher->weights, .sites = weigher->count};
    for (size_t i = 0; i < lines->count; i++) {
        if (text_begins(lines->line[i], ".cfi_startproc")) {
            const size_t begin = i;
            flow.label_count = 0;
            for (int pass = 0; pass < PASSES; pass++) {
                i = pass_function(&flow, lines, begin);
            }
        }
    }
    free(flow.labels);
}

// ---- Loops ----

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
    if (count == 0 || !is_instruction(line) || text_begins_with(line, comparisons) || line_calls(line)) {
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

static enum loop_kind kind_of_loop(const struct lines *lines, size_t begin, size_t jump) {
    bool has_stores = false;
    for (size_t i = begin; i < jump; i++) {
        const struct text line = lines->line[i];
        has_stores |= line_calls(line) && (text_holds(line, "write") || text_holds(line, "atomic"));
    }
    return !ends_counted(lines, begin, jump) ? LOOP_NONE : has_stores ? LOOP_WITH_STORES : LOOP_UNROLLED;
}

// Inner loops end before the outer ones do, so the innermost loop comes first.
static void mark(const struct weigher *weigher, const struct lines *lines, size_t begin, size_t jump, bool *marked) {
    const enum loop_kind kind = kind_of_loop(lines, begin, jump);
    for (size_t i = begin; i < jump; i++) {
        const size_t site = text_begins(lines->line[i], site_label) ? site_of(lines->line[i]) : weigher->count;
        if (site < weigher->count && !marked[site]) {
            marked[site] = true;
            weigher->weights[site].needs.loop = (uint8_t)kind;
        }
    }
}

// Sets the kind of each site's innermost loop.
static void find_loops(const struct weigher *weigher, const struct lines *lines) {
    bool *marked = memory_zeros(weigher->count, sizeof *marked), conditional;
    for (size_t i = 0; i < lines->count; i++) {
        if (is_instruction(lines->line[i]) && line_is_jump(lines->line[i], &conditional) && conditional) {
            mark(weigher, lines, loop_begin(lines, i), i, marked);
        }
    }
    free(marked);
}

// ---- Instructions between two announced steps ----

#if defined(__aarch64__)
// Moves, stack accesses and jumps count nothing, because a GPU's compiler keeps values in registers.
static const char *const free_of_charge[] = {"mov", "ldr", "ldp", "ldur", "str", "stp",  "stur",
                                             "adr", "b\t", "b ",  "bl",   "br",  "ret",  "nop",
                                             "sxt", "uxt", "bti", "pac",  "aut", "fmov", NULL};
static const char *const quotients[] = {"udiv", "sdiv", NULL};

static bool is_wide(struct text line) {
    return text_holds(line, "\tx");
}

static bool is_of_stack(struct text line) {
    return text_holds(line, "sp");
}
#else
// As above. A comparison and the conditional move after it are one minimum on a GPU.
static const char *const free_of_charge[] = {"mov",   "push",   "pop", "call", "ret", "jmp",  "nop",
                                             "leave", "endbr",  "clt", "cwt",  "cqt", "cltq", "ud2",
                                             "vmov",  "data16", "rep", "cmov", "set", NULL};
static const char *const quotients[] = {"div", "idiv", NULL};

static bool is_wide(struct text line) {
    const size_t word = strcspn(line.begin, " \t\n");
    return word <= line.length && line.begin[word - 1] == 'q' && !text_begins(line, "lea") &&
           !text_begins(line, "cmp") && !text_begins(line, "test");
}

static bool is_of_stack(struct text line) {
    return text_holds(line, ", %rsp");
}
#endif

static bool is_free(struct text line) {
    return line.length == 0 || strchr(".#/@", *line.begin) || line.begin[line.length - 1] == ':' ||
           text_begins_with(line, free_of_charge) || is_of_stack(line);
}

static enum sim_instruction kind_of(struct text line) {
    return text_begins_with(line, quotients) ? SIM_QUOTIENT : is_wide(line) ? SIM_WIDE : SIM_PLAIN;
}

// The calls that announce a lane's step.
static bool announces(struct text line) {
    static const char *const steps[] = {"__tsan_read",       "__tsan_write",
                                        "__tsan_unaligned",  "__tsan_volatile",
                                        "__tsan_mem",        "__tsan_atomic",
                                        "sim_atomic",        "sim_branch",
                                        "sim_block_barrier", "sim_warp_barrier",
                                        "sim_shuffle",       "sim_ballot",
                                        "sim_active_lanes",  NULL};
    return text_begins_with(line_called(line), steps);
}

void weigh_line(struct weigher *weigher, const char *text, size_t length, FILE *out) {
    const size_t indent = strspn(text, " \t");
    if (indent >= length) {
        return;
    }
    const struct text line = {text + indent, length - indent};
    if (!announces(line)) {
        if (weigher->count && !is_free(line)) {
            weigher->weights[weigher->count - 1].instructions[kind_of(line)]++;
        }
        return;
    }
    const bool plain =
        text_holds(line, "__tsan_read") || text_holds(line, "__tsan_write") || text_holds(line, "__tsan_unaligned");
    weigher->weights = memory_room(weigher->weights, weigher->count, sizeof *weigher->weights);
    weigher->weights[weigher->count] = (struct sim_weight){.pinned = !plain};
    fprintf(out, ".Lbankshot_site%zu:\n", weigher->count++);
}

void weigh_end(struct weigher *weigher, const char *written, FILE *out) {
    struct lines lines;
    split_lines(written, &lines);
    find_needs(weigher, &lines);
    find_loops(weigher, &lines);
    free(lines.line);
    fputs("\t.section bankshot_sites,\"aw\"\n\t.balign 64\n", out);
    for (size_t i = 0; i < weigher->count; i++) {
        const struct sim_weight *weight = &weigher->weights[i];
        fprintf(out, "\t.quad .Lbankshot_site%zu\n", i);
        for (int kind = 0; kind < SIM_INSTRUCTIONS; kind++) {
            fprintf(out, "\t.long %" PRIu32 "\n", weight->instructions[kind]);
        }
        fprintf(out,
                "\t.long %" PRIu32 "\n\t.balign 8\n\t.quad %" PRIu64 ", %" PRIu64 ", %" PRIu64
                "\n\t.byte %d, %d\n\t.balign 64\n",
                weight->pinned, weight->needs.address, weight->needs.jump, weight->needs.used, weight->needs.returned,
                weight->needs.loop);
    }
    // So that the table is never empty.
    fprintf(out, "\t.quad 0\n\t.fill %d, 4, 0\n\t.long 1\n\t.balign 8\n\t.quad 0, 0, 0, 0, 0\n\t.text\n",
            SIM_INSTRUCTIONS);
    free(weigher->weights);
}
