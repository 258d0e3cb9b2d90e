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

struct text {
    const char *begin;
    size_t length;
};

static bool text_begins(struct text text, const char *word) {
    const size_t size = strlen(word);
    return size <= text.length && !memcmp(text.begin, word, size);
}

static bool text_holds(struct text text, const char *word) {
    return memmem(text.begin, text.length, word, strlen(word)) != NULL;
}

// Whether the text begins with one of the words, which end with NULL.
static bool text_begins_with(struct text text, const char *const *words) {
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
    ASSEMBLY_ARGUMENT = 0, // the register of a function's first argument
    DESTINATION_FIRST = 1
};
static const char constants[] = "#0123456789"; // what begins one
static const char *const sums[] = {"add", "sub", NULL};
static const char *const calls[] = {"bl", NULL};
static const char *const comparisons[] = {"cmp", "cmn", "tst", "fcmp", "ccmp", NULL};
static const char *const overwriting[] = {"", NULL};  // every instruction but those that insert
static const char *const addresses[] = {"adr", NULL}; // an address is computed, and not accessed
static const char *const moves[] = {"mov", "ld", "st", "fmov", "uxt", "sxt", NULL};
static const char *const stores[] = {"st", NULL};
static const char *const plain_jumps[] = {"b\t", "b ", "b.", NULL};
static const char *const computed_jumps[] = {"br\tx", "br x", NULL};
static const char block_call[] = "\tbl\t__sanitizer_cov_trace_pc";

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

// gcc writes beq where clang writes b.eq. Others begin alike: bsl, bti, brk and tbl.
static bool line_is_jump(struct text line, bool *conditional) {
    static const char *const words[] = {"b.",  "cbz", "cbnz", "tbz", "tbnz", "beq", "bne", "bcs", "bhs", "bcc", "blo",
                                        "bmi", "bpl", "bvs",  "bvc", "bhi",  "bls", "bge", "blt", "bgt", "ble", NULL};
    *conditional = text_begins_with(line, words);
    return *conditional || text_begins(line, "b\t") || text_begins(line, "b ");
}
#else
enum {
    ASSEMBLY_ARGUMENT = 5, // %rdi
    DESTINATION_FIRST = 0
};
static const char constants[] = "$"; // what begins one
static const char *const sums[] = {"add", "sub", "inc", "dec", "lea", NULL};
static const char *const calls[] = {"call", NULL};
static const char *const comparisons[] = {"cmp", "test", "ucomi", "comi", "vucomi", "vcomi", "bt", NULL};
static const char *const overwriting[] = {"mov", "lea", "set", "pop", "v", "cvt", "pshuf", "sqrt", NULL};
static const char *const addresses[] = {"lea", NULL}; // an address is computed, and not accessed
static const char *const moves[] = {"mov", "push", "pop", "vmov", "lea", NULL};
static const char *const stores[] = {"\n", NULL}; // the last operand says so
static const char *const plain_jumps[] = {"jmp\t", "jmp ", NULL};
static const char *const computed_jumps[] = {"jmp\t*", "jmp *", "jmpq\t*", "jmpq *", NULL}; // clang's have the q
static const char block_call[] = "\tcall\t__sanitizer_cov_trace_pc";

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

// The name of what a line calls; empty: it calls nothing.
static struct text line_called(struct text line) {
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
        adds |= operands[i].length > 0 && strchr(constants, *operands[i].begin);
    }
    return adds && !(text_begins_with(line, addresses) && !adds_displacement(operands[0], place));
}

// Which of a line's operands it writes.
static size_t line_destination(struct text line, size_t operands) {
    return DESTINATION_FIRST && !text_begins_with(line, stores) ? 0 : operands - 1;
}

static bool is_label(struct text line) {
    return line.length && line.begin[line.length - 1] == ':';
}

static bool is_label_of(struct text line, struct text name) {
    return line.length == name.length + 1 && is_label(line) && !memcmp(line.begin, name.begin, name.length);
}

static bool is_instruction(struct text line) {
    return line.length && !strchr(".#/@", *line.begin) && !is_label(line);
}

// ---- All lines ----

static const size_t NO_SITE = SIZE_MAX;

struct line {
    struct text text; // without its indent, and without the notrack of a jump
    size_t indent;    // characters in front of it
    size_t site;      // of the step that it announces; NO_SITE: none
};

struct listing {
    struct line *lines;
    size_t count;
    struct sim_weight *weights; // of each site, without pc, which only the linker knows
    size_t sites;
};

static void add_line(struct listing *listing, const char *begin, size_t length) {
    static const char notrack[] = "notrack"; // control-flow enforcement does not check this jump
    size_t indent = strspn(begin, " \t");
    if (!strncmp(begin + indent, notrack, strlen(notrack))) {
        indent += strlen(notrack);
        indent += strspn(begin + indent, " \t");
    }
    const size_t before = indent < length ? indent : length;
    listing->lines = memory_room(listing->lines, listing->count, sizeof *listing->lines);
    listing->lines[listing->count++] = (struct line){{begin + before, length - before}, before, NO_SITE};
}

// Whether the line jumps to itself: only labels, directives and comments lie between the jump and its target.
static bool is_endless(const struct listing *listing, struct text line) {
    struct text operands[ASSEMBLY_OPERANDS];
    bool between = text_begins_with(line, plain_jumps) && line_split(line, operands) > 0;
    for (size_t i = listing->count; between && i-- > 0;) {
        const struct text before = listing->lines[i].text;
        if (is_label_of(before, operands[0])) {
            return true;
        }
        between = before.length == 0 || strchr(".#/", *before.begin);
    }
    return false;
}

// An empty loop, which has no announced block, gets a call that announces one.
static struct listing split_lines(const char *assembly) {
    struct listing listing = {0};
    for (const char *line = assembly; *line;) {
        const size_t length = strcspn(line, "\n");
        const size_t indent = strspn(line, " \t");
        if (is_endless(&listing, (struct text){line + indent, length - indent})) {
            add_line(&listing, block_call, strlen(block_call));
        }
        add_line(&listing, line, length);
        line += length + (line[length] == '\n');
    }
    return listing;
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
    bool in_table;      // computed jumps may lead here, too
};

struct flow {
    struct state now, computed; // computed: what computed jumps bring along
    struct label *labels;       // that jumps of this function name
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

// It leads to whichever label stands in a table.
static void pass_computed_jump(struct flow *flow) {
    join(&flow->computed, &flow->now);
    flow->used = 0;
    flow->now = (struct state){{0}};
}

// The call that was passed announces a step. The address was in the first argument's register.
static void pass_site(struct flow *flow, size_t site) {
    const uint64_t bit = UINT64_C(1) << site % 64;
    flow->last_site = site;
    flow->weights[site].needs.address |= flow->address;
    if (flow->is_load) {
        flow->last_load = bit;
        set(flow, ASSEMBLY_RESULT, flow->returns_load ? bit : 0);
        flow->last_atomic = flow->returns_load ? flow->last_site : flow->last_atomic;
    }
}

static void pass_label(struct flow *flow, struct text line) {
    const struct label *label = find_label(flow, (struct text){line.begin, line.length - 1});
    if (label) {
        join(&flow->now, &label->state);
    }
    if (label && label->in_table) {
        join(&flow->now, &flow->computed);
    }
}

static void pass_line(struct flow *flow, const struct line *at) {
    const struct text line = at->text;
    bool conditional;
    if (is_label(line)) {
        pass_label(flow, line);
    } else if (line_calls(line)) {
        flow->address = flow->now.of[ASSEMBLY_ARGUMENT];
        flow->is_load = text_holds(line, "read") || text_holds(line, "atomic");
        pass_call(flow, line);
    } else if (text_begins_with(line, computed_jumps)) {
        pass_computed_jump(flow);
    } else if (line_is_jump(line, &conditional)) {
        pass_jump(flow, line, conditional);
    } else if (is_instruction(line)) {
        pass_instruction(flow, line);
    }
    if (at->site != NO_SITE) {
        pass_site(flow, at->site);
    }
}

// Passes over the function that begins with this line. Returns the line of its end.
static size_t pass_function(struct flow *flow, const struct listing *listing, size_t line) {
    flow->now = (struct state){{0}};
    flow->last_site = flow->last_atomic = flow->sites;
    flow->address = flow->used = 0;
    flow->is_load = false;
    while (line < listing->count && !text_begins(listing->lines[line].text, ".cfi_endproc")) {
        pass_line(flow, &listing->lines[line++]);
    }
    return line;
}

// The label of code that a line of a table of addresses names; empty: none. Labels of debug information have other
// names.
static struct text table_label(struct text line) {
    static const char *const words[] = {".long",  ".quad",  ".xword", ".word", ".hword",
                                        ".4byte", ".2byte", ".byte",  NULL};
    const char *at = text_begins_with(line, words) ? memmem(line.begin, line.length, ".L", 2) : NULL;
    struct text name = {line.begin, 0};
    if (at && (isdigit((unsigned char)at[2]) || strncmp(at, ".LBB", 4) == 0)) {
        name = (struct text){at, 2};
        while (isalnum((unsigned char)at[name.length]) || at[name.length] == '_') {
            name.length++;
        }
    }
    return name;
}

// Notes which labels stand in the tables of a function's computed jumps: gcc's lie within the function, clang's between
// it and the next one. Lines of debug information follow the last function.
static void find_tables(struct flow *flow, const struct listing *listing, size_t line) {
    for (line++; line < listing->count; line++) {
        const struct text text = listing->lines[line].text;
        if (text_begins(text, ".cfi_startproc") || text_holds(text, ".debug_")) {
            return;
        }
        const struct text name = table_label(text);
        if (name.length > 0) {
            struct label *label = find_label(flow, name);
            label = label ? label : add_label(flow, name);
            label->in_table = true;
        }
    }
}

// Sets the needs of each site.
static void find_needs(const struct listing *listing) {
    struct flow flow = {.weights = listing->weights, .sites = listing->sites};
    for (size_t i = 0; i < listing->count; i++) {
        if (text_begins(listing->lines[i].text, ".cfi_startproc")) {
            const size_t begin = i;
            flow.label_count = 0;
            flow.computed = (struct state){{0}};
            find_tables(&flow, listing, begin);
            for (int pass = 0; pass < PASSES; pass++) {
                i = pass_function(&flow, listing, begin);
            }
        }
    }
    free(flow.labels);
}

// ---- Loops ----

// The label that begins a loop whose last line is this jump; `jump` if it leads onward.
static size_t loop_begin(const struct listing *listing, size_t jump) {
    struct text operands[ASSEMBLY_OPERANDS];
    const size_t count = line_split(listing->lines[jump].text, operands);
    for (size_t i = jump; count > 0 && i-- > 0 && !text_begins(listing->lines[i].text, ".cfi_startproc");) {
        const struct text line = listing->lines[i].text, target = operands[count - 1];
        if (is_label_of(line, target) && text_begins(line, ".L")) {
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
static bool is_counted(const struct listing *listing, size_t begin, size_t end, int place) {
    bool counted = false;
    for (size_t i = begin; i < end; i++) {
        if (written(listing->lines[i].text) == place) {
            if (!line_adds_constant(listing->lines[i].text, place)) {
                return false;
            }
            counted = true;
        }
    }
    return counted;
}

// Whether a conditional jump that ends a loop depends on a place that counts the rounds.
static bool ends_counted(const struct listing *listing, size_t begin, size_t jump) {
    struct text operands[ASSEMBLY_OPERANDS];
    size_t i = jump;
    while (i > begin && (!is_instruction(listing->lines[i - 1].text) || line_calls(listing->lines[i - 1].text))) {
        i--;
    }
    if (i == begin) {
        return false;
    }
    const struct text line = listing->lines[i - 1].text;
    const size_t count = line_split(line, operands);
    bool counted = false;
    for (size_t k = 0; k < count; k++) {
        const int place = operand_place(operands[k]);
        counted |= place >= 0 && is_counted(listing, begin, jump, place);
    }
    return counted;
}

static enum loop_kind kind_of_loop(const struct listing *listing, size_t begin, size_t jump) {
    bool has_stores = false;
    for (size_t i = begin; i < jump; i++) {
        const struct text line = listing->lines[i].text;
        has_stores |= line_calls(line) && (text_holds(line, "write") || text_holds(line, "atomic"));
    }
    return !ends_counted(listing, begin, jump) ? LOOP_NONE : has_stores ? LOOP_WITH_STORES : LOOP_UNROLLED;
}

// Inner loops end before the outer ones do, so the innermost loop comes first.
static void mark(const struct listing *listing, size_t begin, size_t jump, bool *marked) {
    const enum loop_kind kind = kind_of_loop(listing, begin, jump);
    for (size_t i = begin; i < jump; i++) {
        const size_t site = listing->lines[i].site;
        if (site != NO_SITE && !marked[site]) {
            marked[site] = true;
            listing->weights[site].needs.loop = (uint8_t)kind;
        }
    }
}

// Sets the kind of each site's innermost loop.
static void find_loops(const struct listing *listing) {
    bool *marked = memory_zeros(listing->sites, sizeof *marked), conditional;
    for (size_t i = 0; i < listing->count; i++) {
        const struct text line = listing->lines[i].text;
        if (is_instruction(line) && line_is_jump(line, &conditional) && conditional) {
            mark(listing, loop_begin(listing, i), i, marked);
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
    return !is_instruction(line) || text_begins_with(line, free_of_charge) || is_of_stack(line);
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

// Weighs a line, and begins a site if it announces a step.
static void weigh(struct listing *listing, struct line *line, bool branches) {
    const struct text text = line->text;
    if (branches || announces(text)) {
        const bool plain =
            text_holds(text, "__tsan_read") || text_holds(text, "__tsan_write") || text_holds(text, "__tsan_unaligned");
        listing->weights = memory_room(listing->weights, listing->sites, sizeof *listing->weights);
        listing->weights[listing->sites] = (struct sim_weight){.pinned = !plain};
        line->site = listing->sites++;
    } else if (listing->sites && !is_free(text)) {
        listing->weights[listing->sites - 1].instructions[kind_of(text)]++;
    }
}

_Static_assert(offsetof(struct flow_needs, updates) == offsetof(struct flow_needs, returned) + 1 &&
                   offsetof(struct flow_needs, loop) == offsetof(struct flow_needs, returned) + 2,
               "write_weights writes these as neighbours");

// The table of the sites' weights.
static void write_weights(const struct listing *listing, FILE *out) {
    fputs("\t.section bankshot_sites,\"aw\"\n\t.balign 64\n", out);
    for (size_t i = 0; i < listing->sites; i++) {
        const struct sim_weight *weight = &listing->weights[i];
        fprintf(out, "\t.quad .Lbankshot_site%zu\n", i);
        for (int kind = 0; kind < SIM_INSTRUCTIONS; kind++) {
            fprintf(out, "\t.long %" PRIu32 "\n", weight->instructions[kind]);
        }
        fprintf(out,
                "\t.long %" PRIu32 "\n\t.balign 8\n\t.quad %" PRIu64 ", %" PRIu64 ", %" PRIu64
                "\n\t.byte %d, %d, %d\n\t.balign 64\n",
                weight->pinned, weight->needs.address, weight->needs.jump, weight->needs.used, weight->needs.returned,
                weight->needs.updates, weight->needs.loop);
    }
    // So that the table is never empty.
    fprintf(out, "\t.quad 0\n\t.fill %d, 4, 0\n\t.long 1\n\t.balign 8\n\t.quad 0, 0, 0, 0, 0\n\t.text\n",
            SIM_INSTRUCTIONS);
}

// ---- Changes ----

// Whether the line is a conditional or computed jump.
static bool chooses(struct text line) {
    bool conditional;
    return (line_is_jump(line, &conditional) && conditional) || text_begins_with(line, computed_jumps);
}

static const char block_hook[] = "__sanitizer_cov_trace_pc";

// Whether the block that this line announces ends in such a jump before the next announcement.
static bool block_chooses(const struct listing *listing, size_t i) {
    for (i++; i < listing->count; i++) {
        const struct text line = listing->lines[i].text;
        if (text_holds(line, block_hook) || text_begins(line, ".cfi_endproc")) {
            return false;
        }
        if (chooses(line)) {
            return true;
        }
    }
    return false;
}

// Writes a line with its changes, and weighs it.
static void write_line(struct listing *listing, size_t i, FILE *out) {
    struct line *line = &listing->lines[i];
    const char *begin = line->text.begin, *end = begin + line->text.length;
    const char *hook = memmem(begin, line->text.length, block_hook, strlen(block_hook));
    const bool branches = hook && block_chooses(listing, i);
    fprintf(out, "%.*s", (int)line->indent, begin - line->indent);
    if (branches) {
        fprintf(out, "%.*ssim_branch", (int)(hook - begin), begin);
        begin = hook + strlen(block_hook);
    }
    fprintf(out, "%.*s\n", (int)(end - begin), begin);
    weigh(listing, line, branches);
    if (line->site != NO_SITE) {
        fprintf(out, ".Lbankshot_site%zu:\n", line->site);
    }
}

// ---- Whether lanes may run ahead ----

static bool is_hook(struct text name) {
    static const char *const hooks[] = {"__tsan_", block_hook, "sim_", NULL};
    return text_begins_with(name, hooks);
}

static bool is_defined(const struct listing *listing, struct text name) {
    for (size_t i = 0; i < listing->count; i++) {
        if (is_label_of(listing->lines[i].text, name)) {
            return true;
        }
    }
    return false;
}

// Whether a kernel's lanes may pass branches and barriers without waiting for other lanes (lane.h): whether the
// assembly calls only its own functions and the simulator's hooks. Others may have effects that depend on the order in
// which lanes call them, as printf has.
static bool may_run_ahead(const struct listing *listing) {
    for (size_t i = 0; i < listing->count; i++) {
        const struct text called = line_called(listing->lines[i].text);
        if (called.length && !is_hook(called) && !is_defined(listing, called)) {
            return false;
        }
    }
    return true;
}

// ---- The text ----

// Aligned to a row of banks, whatever the variables' types.
static const char guard[] = "\t.section bankshot_shared,\"aw\"\n\t.balign 256\n\t.zero 4096\n"
                            "\t.section bankshot_dynamic,\"aw\"\n\t.balign 256\n\t.zero 4096\n\t.text\n";
static const char runs_ahead[] = "\t.globl sim_runs_ahead\nsim_runs_ahead:\n";

char *sim_assembly_text(const char *assembly) {
    struct written result;
    FILE *out = memory_stream(&result);
    struct listing listing = split_lines(assembly);
    fputs(guard, out);
    for (size_t i = 0; i < listing.count; i++) {
        write_line(&listing, i, out);
    }
    fputs(guard, out);
    fputs(may_run_ahead(&listing) ? runs_ahead : "", out);
    find_needs(&listing);
    find_loops(&listing);
    write_weights(&listing, out);
    free(listing.lines);
    free(listing.weights);
    return memory_stream_end(&result);
}
