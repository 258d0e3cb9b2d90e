#include "sim/compile/weigh.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/compile/flow.h"

static bool begins(const char *text, size_t length, const char *word) {
    size_t size = strlen(word);
    return size <= length && !memcmp(text, word, size);
}

static bool holds(const char *text, size_t length, const char *word) {
    return memmem(text, length, word, strlen(word)) != NULL;
}

static bool begins_with_one(const char *text, size_t length, const char *const *words) {
    for (; *words; words++) {
        if (begins(text, length, *words)) {
            return true;
        }
    }
    return false;
}

#if defined(__aarch64__)
static const char *const calls[] = {"bl\t", "bl ", NULL};
// Moves, stack accesses and jumps count nothing, because a GPU's compiler keeps values in registers.
static const char *const free_of_charge[] = {"mov", "ldr", "ldp", "ldur", "str", "stp",  "stur",
                                             "adr", "b\t", "b ",  "bl",   "br",  "ret",  "nop",
                                             "sxt", "uxt", "bti", "pac",  "aut", "fmov", NULL};
static const char *const quotients[] = {"udiv", "sdiv", NULL};

static bool is_wide(const char *line, size_t length) {
    return holds(line, length, "\tx");
}

static bool is_of_stack(const char *line, size_t length) {
    return holds(line, length, "sp");
}
#else
static const char *const calls[] = {"call", NULL};
// As above. A comparison and the conditional move after it are one minimum on a GPU.
static const char *const free_of_charge[] = {"mov",   "push",   "pop", "call", "ret", "jmp",  "nop",
                                             "leave", "endbr",  "clt", "cwt",  "cqt", "cltq", "ud2",
                                             "vmov",  "data16", "rep", "cmov", "set", NULL};
static const char *const quotients[] = {"div", "idiv", NULL};

static bool is_wide(const char *line, size_t length) {
    const size_t word = strcspn(line, " \t\n");
    return word <= length && line[word - 1] == 'q' && !begins(line, length, "lea") && !begins(line, length, "cmp") &&
           !begins(line, length, "test");
}

static bool is_of_stack(const char *line, size_t length) {
    return holds(line, length, ", %rsp");
}
#endif

static bool is_free(const char *line, size_t length) {
    return length == 0 || strchr(".#/@", *line) || line[length - 1] == ':' ||
           begins_with_one(line, length, free_of_charge) || is_of_stack(line, length);
}

static enum sim_instruction kind_of(const char *line, size_t length) {
    return begins_with_one(line, length, quotients) ? SIM_QUOTIENT : is_wide(line, length) ? SIM_WIDE : SIM_PLAIN;
}

// The calls that announce a lane's step.
static bool announces(const char *line, size_t length) {
    static const char *const steps[] = {"__tsan_read",       "__tsan_write",
                                        "__tsan_unaligned",  "__tsan_volatile",
                                        "__tsan_mem",        "__tsan_atomic",
                                        "sim_atomic",        "sim_branch",
                                        "sim_block_barrier", "sim_warp_barrier",
                                        "sim_shuffle",       "sim_ballot",
                                        "sim_active_lanes",  NULL};
    if (!begins_with_one(line, length, calls)) {
        return false;
    }
    const size_t word = strcspn(line, "\t ");
    const size_t name = word + strspn(line + word, "\t *");
    return name < length && begins_with_one(line + name, length - name, steps);
}

// Adds an entry; NULL if memory is short.
static struct sim_weight *append(struct weigher *weigher) {
    if ((weigher->count & (weigher->count - 1)) == 0) { // grow at powers of two
        const size_t capacity = weigher->count ? 2 * weigher->count : 1;
        struct sim_weight *grown = realloc(weigher->weights, capacity * sizeof *grown);
        if (!grown) {
            weigher->failed = true;
            return NULL;
        }
        weigher->weights = grown;
    }
    return &weigher->weights[weigher->count++];
}

void weigh_line(struct weigher *weigher, const char *line, size_t length, FILE *out) {
    size_t indent = strspn(line, " \t");
    if (indent >= length) {
        return;
    }
    line += indent;
    length -= indent;
    if (!announces(line, length)) {
        if (weigher->count && !is_free(line, length)) {
            weigher->weights[weigher->count - 1].instructions[kind_of(line, length)]++;
        }
        return;
    }
    struct sim_weight *weights = append(weigher);
    if (!weights) {
        return;
    }
    const bool plain = holds(line, length, "__tsan_read") || holds(line, length, "__tsan_write") ||
                       holds(line, length, "__tsan_unaligned");
    *weights = (struct sim_weight){.pinned = !plain};
    fprintf(out, ".Lbankshot_site%zu:\n", weigher->count - 1);
}

// Finds which loads each step needs.
static void find_needs(struct weigher *weigher, const char *written) {
    struct flow_needs *needs = calloc(weigher->count + 1, sizeof *needs);
    weigher->failed |= !needs || !flow_find(written, needs, weigher->count);
    enum loop_kind *kinds = calloc(weigher->count + 1, sizeof *kinds);
    weigher->failed |= !kinds || !loops_find(written, kinds, weigher->count);
    for (size_t i = 0; needs && kinds && i < weigher->count; i++) {
        weigher->weights[i].needs = needs[i];
        weigher->weights[i].needs.loop = (uint8_t)kinds[i];
    }
    free(needs);
    free(kinds);
}

bool weigh_end(struct weigher *weigher, const char *written, FILE *out) {
    find_needs(weigher, written);
    fputs("\t.section bankshot_sites,\"aw\"\n\t.balign 8\n", out);
    for (size_t i = 0; i < weigher->count; i++) {
        const struct sim_weight *weight = &weigher->weights[i];
        fprintf(out, "\t.quad .Lbankshot_site%zu\n", i);
        for (int kind = 0; kind < SIM_INSTRUCTIONS; kind++) {
            fprintf(out, "\t.long %" PRIu32 "\n", weight->instructions[kind]);
        }
        fprintf(out,
                "\t.long 0, %" PRIu32 "\n\t.balign 8\n\t.quad %" PRIu64 ", %" PRIu64 ", %" PRIu64
                "\n\t.byte %d, %d\n\t.balign 8\n",
                weight->pinned, weight->needs.address, weight->needs.jump, weight->needs.used, weight->needs.returned,
                weight->needs.loop);
    }
    // So that the table is never empty.
    fprintf(out, "\t.quad 0\n\t.fill %d, 4, 0\n\t.long 0, 1\n\t.balign 8\n\t.quad 0, 0, 0, 0\n\t.text\n",
            SIM_INSTRUCTIONS);
    free(weigher->weights);
    return !weigher->failed;
}

void weigh_begin_table(FILE *out) {
    fprintf(out,
            "static const struct { const char *site; uint32_t instructions[%d], by_cluster, pinned; uint64_t address, "
            "jump, used; "
            "bool returned; uint8_t loop; } weights[] = {\n",
            SIM_INSTRUCTIONS);
}
