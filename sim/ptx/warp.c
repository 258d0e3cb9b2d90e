#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/instruction.h"

// ---- Elements of matrices that instructions multiply ----

struct ptx_element {
    const char *name, *constant; // in PTX; in C
    uint32_t per_word;           // of 32 bits
};

// The element that the opcode's n-th type names; NULL if there is none.
static const struct ptx_element *ptx_element_part(const struct ptx_statement *statement, size_t n) {
    static const struct ptx_element elements[] = {{"f16", "ELEMENT_F16", 2},   {"bf16", "ELEMENT_BF16", 2},
                                                  {"tf32", "ELEMENT_TF32", 1}, {"e4m3", "ELEMENT_E4M3", 4},
                                                  {"e5m2", "ELEMENT_E5M2", 4}, {"s8", "ELEMENT_S8", 4},
                                                  {"u8", "ELEMENT_U8", 4}};
    const struct ptx_type *type = ptx_type_part(statement, n);
    for (size_t i = 0; i < sizeof elements / sizeof *elements && type; i++) {
        if (strcmp(elements[i].name, type->name) == 0) {
            return &elements[i];
        }
    }
    return NULL;
}

// Writes `FIELD = {words}, ` with at most this many registers of the list.
static void ptx_write_words(struct ptx_writer *writer, const char *field, const struct ptx_operand *list,
                            const struct ptx_type *type, uint32_t most) {
    if (list->kind != PTX_OPERAND_LIST || ptx_count_operands(list->items) > most) {
        ptx_refuse(writer, "a list of registers is expected as operand %s: give a PTX file that ptxas accepts", field);
        return;
    }
    ptx_write(writer, ".%s = {", field);
    for (const struct ptx_operand *item = list->items; item; item = item->next) {
        ptx_write(writer, "$*:N, ", item, type);
    }
    ptx_write(writer, "}, ");
}

// Gives the registers of a list the words of a field in turn, of which there are so many.
static void write_targets(struct ptx_writer *writer, const struct ptx_operand *item, const char *field,
                          uint32_t count) {
    for (uint32_t i = 0; item; item = item->next, i++) {
        ptx_write(writer, "$* = mine.%s[%u]; ", item, field, i % count);
    }
}

// How sums of this type are kept, as an initializer of struct sums.
static const char *ptx_sums_of(const struct ptx_writer *writer, const struct ptx_type *type) {
    static const char *const sums[][2] = {{"{'i', 0}", "{'i', 1}"}, {"{'h', 0}", "{'h', 1}"}, {"{'f', 0}", "{'f', 1}"}};
    const int row = type->class == PTX_CLASS_SIGNED ? 0 : type->bytes == 2 ? 1 : 2;
    return sums[row][ptx_has_part(writer->statement, "satfinite")];
}

// ---- Exchanges ----

// shfl, vote, match, redux, activemask, elect

// Synchronizes the lanes of the mask, which is the last operand. Without one, the lanes that are there meet.
static void write_meeting(struct ptx_writer *writer, const char *meet, const struct ptx_operand *mask) {
    if (mask) {
        ptx_write(writer, ".mask = $*:u32}; ", mask);
    } else {
        ptx_write(writer, ".mask = 0xffffffff}; ");
    }
    ptx_write(writer, "sim_ptx_meet(%s, &mine, %s, false, $site); ", meet, mask ? "mine.mask" : "0");
}

// The same, and gives the target what the lanes' meeting results in.
static void write_exchange(struct ptx_writer *writer, const char *meet, const struct ptx_operand *mask) {
    const struct ptx_operand *target = ptx_operand(writer, 0);
    write_meeting(writer, meet, mask);
    ptx_write(writer, "$0 = mine.result; ");
    if (target->pair && !ptx_is_sink(target->pair)) {
        ptx_write(writer, "$* = mine.inside; ", target->pair);
    }
}

// The constant of the opcode's part; NULL and an error if the opcode has none of the parts.
struct choice {
    const char *part, *constant;
};

static const char *choose(struct ptx_writer *writer, const struct choice *choices, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (ptx_has_part(writer->statement, choices[i].part)) {
            return choices[i].constant;
        }
    }
    ptx_refuse(writer, "this mode is not supported: give a PTX file that ptxas accepts");
    return "0";
}

#define CHOOSE(writer, choices) choose(writer, choices, sizeof(choices) / sizeof *(choices))

static void write_shfl(struct ptx_writer *writer) {
    static const struct choice modes[] = {
        {"up", "SHUFFLE_UP"}, {"down", "SHUFFLE_DOWN"}, {"bfly", "SHUFFLE_BFLY"}, {"idx", "SHUFFLE_IDX"}};
    ptx_write(writer, "struct exchange mine = {.kind = %s, .value = $1:b32, .operand = $2:b32, .bounds = $3:b32, ",
              CHOOSE(writer, modes));
    write_exchange(writer, "meet_shuffle", ptx_operand(writer, 3)->next);
}

static void write_vote(struct ptx_writer *writer) {
    static const struct choice modes[] = {
        {"all", "VOTE_ALL"}, {"any", "VOTE_ANY"}, {"uni", "VOTE_UNI"}, {"ballot", "VOTE_BALLOT"}};
    ptx_write(writer, "struct exchange mine = {.kind = %s, .value = $1:pred, ", CHOOSE(writer, modes));
    write_exchange(writer, "meet_vote", ptx_operand(writer, 1)->next);
}

static void write_match(struct ptx_writer *writer) {
    static const struct choice modes[] = {{"any", "0"}, {"all", "1"}};
    ptx_write(writer, "struct exchange mine = {.kind = %s, .value = $1:T, ", CHOOSE(writer, modes),
              ptx_type_named(ptx_has_part(writer->statement, "b64") ? "b64" : "b32"));
    write_exchange(writer, "meet_match", ptx_operand(writer, 1)->next);
}

static void write_redux(struct ptx_writer *writer) {
    const bool is_signed = ptx_has_part(writer->statement, "s32");
    const struct choice kinds[] = {{"add", "REDUCE_ADD"},
                                   {"and", "REDUCE_AND"},
                                   {"or", "REDUCE_OR"},
                                   {"xor", "REDUCE_XOR"},
                                   {"min", is_signed ? "REDUCE_MIN_S32" : "REDUCE_MIN_U32"},
                                   {"max", is_signed ? "REDUCE_MAX_S32" : "REDUCE_MAX_U32"}};
    if (ptx_has_part(writer->statement, "f32")) {
        ptx_refuse(writer, "it is supported on integers only: use shfl.sync");
        return;
    }
    ptx_write(writer, "struct exchange mine = {.kind = %s, .value = $1:b32, ", CHOOSE(writer, kinds));
    write_exchange(writer, "meet_reduce", ptx_operand(writer, 1)->next);
}

static void write_activemask(struct ptx_writer *writer) {
    ptx_write(writer, "struct exchange mine = {");
    write_exchange(writer, "meet_active", NULL);
}

// The lowest lane that has arrived is elected.
static void write_elect(struct ptx_writer *writer) {
    const struct ptx_operand *target = ptx_operand(writer, 0);
    if (!target->pair) {
        ptx_refuse(writer, "its predicate is missing: give a PTX file that ptxas accepts");
        return;
    }
    ptx_write(writer, "struct exchange mine = {");
    write_meeting(writer, "meet_active", target->next);
    ptx_write(writer,
              "const uint32_t leader = (uint32_t)__builtin_ctzll(mine.result); $* = leader; "
              "$* = (leader == sim_ptx_special(SIM_PTX_LANEID)); ",
              target, target->pair);
}

// ---- Groups ----

// wgmma: products of a warp group.

// N of m64nNkK; 0: another shape.
static uint32_t columns_of(const struct ptx_statement *statement) {
    for (size_t i = 1; i < statement->part_count; i++) {
        const struct ptx_text part = statement->parts[i];
        if (part.length > 4 && part.length < 16 && !strncmp(part.at, "m64n", 4)) {
            return (uint32_t)strtoul(part.at + 4, NULL, 10);
        }
    }
    return 0;
}

// The operands after the one that says whether the sums begin with the old ones: signs, then directions in memory.
struct switches {
    const struct ptx_operand *sign[2], *across[2];
};

static struct switches read_switches(const struct ptx_operand *operand, bool a_in_registers) {
    struct switches switches = {0};
    const struct ptx_operand **const places[] = {&switches.sign[0], &switches.sign[1], &switches.across[a_in_registers],
                                                 &switches.across[1]};
    const size_t count = sizeof places / sizeof *places - a_in_registers;
    for (size_t i = 0; i < count && operand && operand->next; i++) {
        operand = operand->next;
        *places[i] = operand;
    }
    return switches;
}

static bool is_sparse(const struct ptx_writer *writer) {
    return ptx_has_part(writer->statement, "sp");
}

// A product of single bits reads as many bytes as one of bytes.
static const struct ptx_element *element_of(const struct ptx_writer *writer, size_t n) {
    static const struct ptx_element bytes = {"u8", "ELEMENT_U8", 4};
    const struct ptx_element *element = ptx_element_part(writer->statement, n);
    return element ? element : &bytes;
}

// A sparse product has half of A's elements.
static void write_operand_matrix(struct ptx_writer *writer, const char *field, const struct ptx_operand *descriptor,
                                 const struct switches *switches, size_t n) {
    const struct ptx_operand *sign = switches->sign[n], *across = switches->across[n];
    const struct ptx_element *element = element_of(writer, n + 1);
    ptx_write(writer, ".%s = {.type = %s, .depth = %u, .negated = %d, .across = %d, ", field, element->constant,
              (n == 1 && is_sparse(writer) ? 16 : 8) * element->per_word, sign && (int64_t)sign->value < 0,
              across && across->value != 0);
    if (descriptor->kind != PTX_OPERAND_LIST) {
        ptx_write(writer, ".descriptor = $*:b64", descriptor);
    }
    ptx_write(writer, "}, ");
}

// A warp reads its own rows of A, and a quarter of B, because the hardware gives each part of B to all four warps.
static void write_reads(struct ptx_writer *writer, uint32_t columns, bool a_in_registers) {
    ptx_write(writer, "const uint32_t lane = sim_ptx_special(SIM_PTX_LANEID); ");
    if (!a_in_registers) {
        ptx_write(writer, "sim_ptx_access(operand_run(&mine.a, mine.first_row, 16, lane), 16, SIM_PTX_LOAD, $site); ");
    }
    const uint32_t runs = is_sparse(writer) ? columns : columns / 2;
    ptx_write(writer,
              "for (uint32_t n = lane; n < %u; n += 32) { sim_ptx_access("
              "operand_run(&mine.b, 0, %u, mine.first_row / 16 * %u + n), 16, SIM_PTX_LOAD, $site); } ",
              runs, columns, runs);
}

static void write_product(struct ptx_writer *writer, const struct ptx_type *sum, uint32_t columns, bool computed) {
    const struct ptx_operand *list = ptx_operand(writer, 0), *a = ptx_operand(writer, 1), *b = ptx_operand(writer, 2);
    const struct ptx_operand *accumulates = ptx_operand(writer, is_sparse(writer) ? 5 : 3);
    const uint32_t words = sum->bytes == 2 ? columns / 4 : columns / 2;
    const bool a_in_registers = a->kind == PTX_OPERAND_LIST;
    const struct switches switches = read_switches(accumulates, a_in_registers);
    ptx_write(writer, "struct group_part mine = {.sums = %s, ", ptx_sums_of(writer, sum));
    ptx_write_words(writer, "d", list, ptx_type_named("b32"), words);
    if (a_in_registers) {
        ptx_write_words(writer, "a_words", a, ptx_type_named("b32"), 4);
    }
    write_operand_matrix(writer, "a", a, &switches, 0);
    write_operand_matrix(writer, "b", b, &switches, 1);
    ptx_write(writer,
              ".columns = %u, .a_in_registers = %d, .accumulates = $*:pred, "
              ".first_row = sim_ptx_special(SIM_PTX_WARPID) %% 4 * 16}; ",
              columns, a_in_registers, accumulates);
    write_reads(writer, columns, a_in_registers);
    if (!computed) {
        ptx_leave_out(writer, list->items);
        return;
    }
    ptx_write(writer, "sim_ptx_meet(meet_group_multiply, &mine, 0xffffffff, true, $site); ");
    write_targets(writer, list->items, "d", words);
}

static void write_mma_async(struct ptx_writer *writer) {
    const struct ptx_type *sum = ptx_type_part(writer->statement, 0);
    const struct ptx_element *a = ptx_element_part(writer->statement, 1), *b = ptx_element_part(writer->statement, 2);
    const uint32_t columns = columns_of(writer->statement);
    if (!sum || columns == 0 || columns > 256 || columns % 8 != 0) {
        ptx_refuse(writer, "a product of .m64n8 to .m64n256 is expected: give a PTX file that ptxas accepts");
        return;
    }
    write_product(writer, sum, columns, a && b && !is_sparse(writer));
}

// A product is the work of four warps together: it begins when all of them have come, and none goes on before it is
// complete. The numbers are above those that kernels use.
static const char group_barrier[] =
    "sim_ptx_block_barrier(16 + sim_ptx_special(SIM_PTX_WARPID) / 4, 128, false, $site); ";

// ---- ldmatrix and mma ----

// ldmatrix, stmatrix, movmatrix, mma

static uint32_t matrices_of(const struct ptx_statement *statement) {
    return ptx_has_part(statement, "x4") ? 4 : ptx_has_part(statement, "x2") ? 2 : 1;
}

// Each lane that holds a row's address accesses the row's 16 bytes.
static void write_rows(struct ptx_writer *writer, uint32_t matrices, const char *operation) {
    ptx_write(writer, "if (sim_ptx_special(SIM_PTX_LANEID) < %u) { sim_ptx_access(at, 16, %s, $site); ", 8 * matrices,
              operation);
}

static bool is_supported_matrix(struct ptx_writer *writer, const struct ptx_operand *list, uint32_t count) {
    const bool whole = ptx_has_part(writer->statement, "m8n8") && ptx_has_part(writer->statement, "b16");
    if (!whole || list->kind != PTX_OPERAND_LIST || ptx_count_operands(list->items) != count) {
        ptx_refuse(writer, "only .m8n8 of .b16 is supported, with a register for each matrix");
        return false;
    }
    return true;
}

static void write_ldmatrix(struct ptx_writer *writer) {
    const uint32_t matrices = matrices_of(writer->statement);
    const struct ptx_operand *list = ptx_operand(writer, 0);
    if (!is_supported_matrix(writer, list, matrices)) {
        return;
    }
    ptx_write(writer,
              "const uint64_t at = $1:A; struct matrix_part mine = {.matrices = %u, .transposed = %d, .loads = true}; ",
              ptx_space_part(writer->statement), matrices, ptx_has_part(writer->statement, "trans"));
    write_rows(writer, matrices, "SIM_PTX_LOAD");
    ptx_write(writer, "__builtin_memcpy(mine.row, (const void *)(uintptr_t)at, 16); } "
                      "sim_ptx_meet(meet_move_matrices, &mine, 0xffffffff, true, $site); ");
    write_targets(writer, list->items, "pair", matrices);
}

static void write_pairs(struct ptx_writer *writer, const struct ptx_operand *item) {
    ptx_write(writer, ".pair = {");
    for (; item; item = item->next) {
        ptx_write(writer, "$*:b32, ", item);
    }
    ptx_write(writer, "}}; ");
}

static void write_stmatrix(struct ptx_writer *writer) {
    const uint32_t matrices = matrices_of(writer->statement);
    const struct ptx_operand *list = ptx_operand(writer, 1);
    if (!is_supported_matrix(writer, list, matrices)) {
        return;
    }
    ptx_write(writer, "const uint64_t at = $0:A; struct matrix_part mine = {.matrices = %u, .transposed = %d, ",
              ptx_space_part(writer->statement), matrices, ptx_has_part(writer->statement, "trans"));
    write_pairs(writer, list->items);
    ptx_write(writer, "sim_ptx_meet(meet_move_matrices, &mine, 0xffffffff, true, $site); ");
    write_rows(writer, matrices, "SIM_PTX_STORE");
    ptx_write(writer, "__builtin_memcpy((void *)(uintptr_t)at, mine.row, 16); } ");
}

static const char movmatrix[] = "struct matrix_part mine = {.pair = {$1:b32}, .matrices = 1}; "
                                "sim_ptx_meet(meet_transpose, &mine, 0xffffffff, false, $site); $0 = mine.pair[0]; ";

// ---- mma ----

struct shape {
    uint32_t rows, columns, depth;
};

// The shape that a part such as .m16n8k16 names; all 0 if none does.
static struct shape shape_of(const struct ptx_statement *statement) {
    struct shape shape = {0};
    for (size_t i = 1; i < statement->part_count; i++) {
        const struct ptx_text part = statement->parts[i];
        char name[16] = "";
        if (part.length < sizeof name) {
            memcpy(name, part.at, part.length);
        }
        if (sscanf(name, "m%" SCNu32 "n%" SCNu32 "k%" SCNu32, &shape.rows, &shape.columns, &shape.depth) == 3) {
            return shape;
        }
    }
    return (struct shape){0};
}

static void write_fragments(struct ptx_writer *writer, const struct ptx_type *type, uint32_t a, uint32_t b,
                            uint32_t c) {
    ptx_write_words(writer, "a", ptx_operand(writer, 1), type, a);
    ptx_write_words(writer, "b", ptx_operand(writer, 2), type, b);
    ptx_write_words(writer, "c", ptx_operand(writer, 3), type, c);
    ptx_write(writer, "}; ");
}

static bool is_list(struct ptx_writer *writer, const struct ptx_operand *operand, uint32_t least) {
    const bool fits = operand->kind == PTX_OPERAND_LIST && ptx_count_operands(operand->items) >= least &&
                      ptx_count_operands(operand->items) <= 8;
    if (!fits) {
        ptx_refuse(writer, "a list of registers is expected: give a PTX file that ptxas accepts");
    }
    return fits;
}

// What an instruction multiplies. An H200 multiplies `step` elements of a line at a time.
struct product {
    struct shape shape;
    uint32_t step;
    const struct ptx_element *a, *b;
    const struct ptx_type *c, *d;
    bool counted; // see sim_ptx_meet
};

// The registers that a lane has of A and B, and of C and D, are at most so many.
static void write_multiplication(struct ptx_writer *writer, const struct product *product, uint32_t a_most,
                                 uint32_t b_most, uint32_t sums_most) {
    const struct ptx_operand *list = ptx_operand(writer, 0);
    ptx_write(writer,
              "uint32_t d[8] = {0}; struct product mine = {.d = d, .rows = %u, .columns = %u, .depth = %u, .step = %u, "
              ".a_type = %s, .b_type = %s, "
              ".c_sums = %s, .d_sums = %s, ",
              product->shape.rows, product->shape.columns, product->shape.depth, product->step, product->a->constant,
              product->b->constant, ptx_sums_of(writer, product->c), ptx_sums_of(writer, product->d));
    write_fragments(writer, ptx_type_named("b32"), a_most, b_most, sums_most);
    ptx_write(writer, "sim_ptx_meet(meet_multiply, &mine, 0xffffffff, %d, $site); ", product->counted);
    if (is_list(writer, list, sums_most / 2)) {
        write_targets(writer, list->items, "d", sums_most);
    }
}

// A product of 8 x 4 and 4 x 8 doubles, by mma or wmma.
static void write_product_f64(struct ptx_writer *writer) {
    const struct ptx_operand *list = ptx_operand(writer, 1);
    if (list->kind != PTX_OPERAND_LIST) {
        ptx_refuse(writer, "lists of registers are expected: give a PTX file that ptxas accepts");
        return;
    }
    ptx_write(writer, "struct double_part mine = {");
    write_fragments(writer, ptx_type_named("f64"), 1, 1, 2);
    ptx_write(writer, "sim_ptx_meet(meet_multiply_f64, &mine, 0xffffffff, false, $site); ");
    const struct ptx_operand *sums = ptx_operand(writer, 0);
    const struct ptx_operand *item = sums->kind == PTX_OPERAND_LIST ? sums->items : NULL;
    for (uint32_t i = 0; item && i < 2; item = item->next, i++) {
        ptx_write(writer, "$* = to_f64(mine.d[%u]); ", item, i);
    }
}

static void write_mma(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    const struct ptx_type *sum = ptx_type_part(statement, 0);
    const struct ptx_element *a = ptx_element_part(statement, 1), *b = ptx_element_part(statement, 2);
    const struct shape shape = shape_of(statement);
    if (ptx_has_part(statement, "m8n8k4") && sum && !strcmp(sum->name, "f64")) {
        write_product_f64(writer);
        return;
    }
    const bool plain = ptx_count_operands(statement->operands) <= 4; // neither sparse nor with scales
    const bool fits = a && (shape.depth == 4 * a->per_word || shape.depth == 8 * a->per_word);
    if (!sum || !b || !fits || shape.rows != 16 || shape.columns != 8 || !plain) {
        const struct ptx_operand *list = ptx_operand(writer, 0);
        ptx_leave_out(writer, list->kind == PTX_OPERAND_LIST ? list->items : list);
        return;
    }
    const struct product product = {shape, shape.depth, a, b, sum, sum, false};
    write_multiplication(writer, &product, 4, 2, 4);
}

// ---- wmma ----

// wmma: a warp loads, multiplies and stores matrices.

static bool is_supported_fragment(struct ptx_writer *writer, const struct shape *shape, const struct ptx_type *type) {
    static const struct shape shapes[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {16, 16, 8}, {8, 8, 4}};
    bool known = false;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && type; i++) {
        known |= !memcmp(shape, &shapes[i], sizeof *shape) && (shape->depth == 4) == (type->bytes == 8);
    }
    if (!known) {
        ptx_refuse(writer, "this matrix is not supported: use elements of f16, bf16, tf32, s8, u8 or f64");
    }
    return known;
}

// How a matrix lies in memory and in registers.
struct layout {
    uint32_t bytes, per_lane, lines, tiles, stride;
    bool across, is_sum;
};

static struct layout layout_of(const struct ptx_writer *writer, const struct shape *shape,
                               const struct ptx_type *type) {
    const bool column = ptx_has_part(writer->statement, "col");
    const bool is_a = ptx_has_part(writer->statement, "a"), is_b = ptx_has_part(writer->statement, "b");
    const bool by_column = shape->rows == 8 && shape->columns > 8;
    struct layout layout = {.bytes = type->bytes, .is_sum = !is_a && !is_b};
    const uint32_t rows = is_b ? shape->depth : shape->rows, columns = is_a ? shape->depth : shape->columns;
    layout.per_lane = layout.is_sum ? 2 : type->bytes > 4 ? 1 : 4 / type->bytes;
    layout.across = column != (is_b || (layout.is_sum && by_column));
    layout.lines = is_b || (layout.is_sum && by_column) ? columns : rows;
    layout.tiles = rows * columns / (32 * layout.per_lane);
    layout.stride = column ? rows : columns;
    return layout;
}

static void write_fragment(struct ptx_writer *writer, const struct layout *layout, const struct ptx_operand *address,
                           const struct ptx_operand *stride) {
    ptx_write(writer, "struct fragment mine = {.shape = {%u, %u, %u, %u, %d}, .loads = %d, .at = $*:A, .stride = ",
              layout->bytes, layout->per_lane, layout->lines, layout->tiles, layout->across,
              ptx_has_part(writer->statement, "load"), address, ptx_space_part(writer->statement));
    if (stride) {
        ptx_write(writer, "$*:u32", stride);
    } else {
        ptx_write(writer, "%u", layout->stride);
    }
}

static void write_requests(struct ptx_writer *writer, const struct layout *layout, const char *operation) {
    const bool matrices = ptx_space_part(writer->statement) == PTX_SPACE_SHARED &&
                          ptx_has_part(writer->statement, "load") && !layout->is_sum && layout->bytes <= 2 &&
                          (!layout->across || layout->bytes == 2);
    ptx_write(writer,
              matrices ? "const uint32_t at_once = fragment_tiles_at_once(&mine.shape); "
                         "for (uint32_t n = 0; n < mine.shape.tiles / at_once; n++) { if (sim_ptx_special("
                         "SIM_PTX_LANEID) < 8 * at_once) { sim_ptx_access(fragment_run(&mine, n), 16, %s, $site); } } "
                       : "for (uint32_t n = 0; n < fragment_requests(&mine.shape); n++) { sim_ptx_access("
                         "fragment_request(&mine, n), fragment_width(&mine.shape), %s, $site); } ",
              operation);
}

static uint32_t registers_of(const struct layout *layout) {
    const uint32_t bytes = layout->tiles * layout->per_lane * layout->bytes;
    return layout->bytes > 4 ? bytes / 8 : bytes / 4;
}

static const char *field_of(const struct layout *layout) {
    return layout->bytes > 4 ? "longs" : "words";
}

static void write_move(struct ptx_writer *writer) {
    const bool load = ptx_has_part(writer->statement, "load");
    const struct ptx_type *type = ptx_type_part(writer->statement, 0);
    const struct shape shape = shape_of(writer->statement);
    const struct ptx_operand *list = ptx_operand(writer, load ? 0 : 1), *address = ptx_operand(writer, load ? 1 : 0);
    if (!is_supported_fragment(writer, &shape, type)) {
        return;
    }
    const struct layout layout = layout_of(writer, &shape, type);
    if (!is_list(writer, list, registers_of(&layout))) {
        return;
    }
    const bool has_stride = ptx_count_operands(writer->statement->operands) > 2;
    write_fragment(writer, &layout, address, has_stride ? ptx_operand(writer, 2) : NULL);
    if (!load) {
        ptx_write(writer, ", ");
        ptx_write_words(writer, field_of(&layout), list, ptx_type_named(layout.bytes > 4 ? "b64" : "b32"), 8);
    }
    ptx_write(writer, "}; ");
    write_requests(writer, &layout, load ? "SIM_PTX_LOAD" : "SIM_PTX_STORE");
    ptx_write(writer, "sim_ptx_meet(meet_move_fragments, &mine, 0xffffffff, true, $site); ");
    if (load) { // more registers than the fragment needs, as A and B of f16 have, hold it once more
        write_targets(writer, list->items, field_of(&layout), registers_of(&layout));
    }
}

// wmma.mma names the types of D and C, and between them those of A and B unless they are f16.
static void write_wmma(struct ptx_writer *writer) {
    static const struct ptx_element halves = {"f16", "ELEMENT_F16", 2};
    const struct ptx_statement *statement = writer->statement;
    const size_t types = ptx_count_types(statement);
    const struct ptx_type *d_type = ptx_type_part(statement, 0);
    const struct ptx_element *element = types > 2 ? ptx_element_part(statement, 1) : &halves;
    const struct shape shape = shape_of(statement);
    if (d_type && !strcmp(d_type->name, "f64")) {
        write_product_f64(writer);
        return;
    }
    if (is_supported_fragment(writer, &shape, element ? d_type : NULL)) {
        const uint32_t step = element->per_word == 1 ? 4 : shape.depth; // tf32
        const struct product product = {shape,  step, element, element, ptx_type_part(statement, types - 1),
                                        d_type, true};
        write_multiplication(writer, &product, 8, 8, 8);
    }
}

// ---- The rows ----

bool ptx_write_warp(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {
        {"shfl", .write = write_shfl},
        {"vote", .write = write_vote},
        {"match", .write = write_match},
        {"redux", .write = write_redux},
        {"elect", .write = write_elect},
        {"activemask", .write = write_activemask},
        {"wgmma", "mma_async", .write = write_mma_async},
        {"wgmma", "fence|wait_group", .template = group_barrier},
        {"wgmma", "commit_group", .template = ""}, // products are complete when they are issued
        {"ldmatrix", .write = write_ldmatrix},
        {"stmatrix", .write = write_stmatrix},
        {"movmatrix", .template = movmatrix},
        {"mma", "sync", .write = write_mma},
        {"wmma", "load|store", .write = write_move},
        {"wmma", "mma", .write = write_wmma}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
