#include <inttypes.h>
#include <string.h>

#include "sim/ptx/instruction.h"
#include "sim/ptx/kernel/tensor_map.h"

// ld, st, atom, red

enum {
    WIDEST = 16 // bytes of a lane in one request
};

// Whether the space's accesses are requests of a warp. Constants, parameters and local memory have separate caches or
// registers.
static bool is_counted(enum ptx_space space) {
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_SHARED || space == PTX_SPACE_GENERIC;
}

static uint32_t elements_of(const struct ptx_statement *statement) {
    return ptx_has_part(statement, "v2")   ? 2
           : ptx_has_part(statement, "v4") ? 4
           : ptx_has_part(statement, "v8") ? 8
                                           : 1;
}

// Declares `at`, and announces the access if it is counted.
static void write_access(struct ptx_writer *writer, const struct ptx_operand *address, uint32_t bytes,
                         const char *operation) {
    enum ptx_space space = ptx_space_part(writer->statement);
    ptx_write(writer, "const uint64_t at = $*:A; ", address, space);
    for (uint32_t done = 0; done < bytes && is_counted(space); done += WIDEST) {
        ptx_write(writer, "sim_ptx_access(at + %u, %u, %s, $site); ", done,
                  bytes - done < WIDEST ? bytes - done : WIDEST, operation);
    }
}

// The i-th register of {a, b}, or the operand itself. A single register may stand in braces, too.
static const struct ptx_operand *element(struct ptx_writer *writer, const struct ptx_operand *operand, uint32_t i,
                                         uint32_t count) {
    const struct ptx_operand *item = operand->kind == PTX_OPERAND_LIST ? operand->items : operand;
    for (uint32_t n = 0; item && n < i; n++) {
        item = item->next;
    }
    if (!item || (operand->kind == PTX_OPERAND_LIST ? ptx_count_operands(operand->items) : 1) != count) {
        ptx_refuse(writer, "a vector of %" PRIu32 " registers is expected: give a PTX file that ptxas accepts", count);
        return operand;
    }
    return item;
}

static const struct ptx_type *last_type(struct ptx_writer *writer) {
    const size_t count = ptx_count_types(writer->statement);
    return ptx_expect_type(writer, count ? count - 1 : 0);
}

static const char *bits_name(const struct ptx_type *type) {
    return type->lanes > 1 ? ptx_type_of(PTX_CLASS_BITS, type->bytes)->bits : type->bits;
}

static void write_ld(struct ptx_writer *writer) {
    const struct ptx_type *type = last_type(writer);
    const struct ptx_operand *target = ptx_operand(writer, 0), *address = ptx_operand(writer, 1);
    const uint32_t count = elements_of(writer->statement);
    write_access(writer, address, type->bytes * count, "SIM_PTX_LOAD");
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *one = element(writer, target, i, count);
        if (!ptx_is_sink(one)) {
            ptx_write(writer, "$* = (%s)PTX_AT(const %s, at + %u); ", one, *type->from ? bits_name(type) : type->number,
                      bits_name(type), i * type->bytes);
        }
    }
}

// Tells the mbarrier, whose address is given, that so many bytes have arrived, a C expression; of a multicast, that of
// each block.
static void write_completion(struct ptx_writer *writer, const struct ptx_operand *barrier, const char *bytes) {
    ptx_write(writer, "const uint64_t barrier = $*:A; ", barrier, PTX_SPACE_SHARED);
    if (ptx_has_part(writer->statement, "multicast::cluster")) {
        ptx_write(writer, "for (uint32_t left = blocks; left; left &= left - 1) { "
                          "const uint64_t own = map_to_rank(barrier, (uint32_t)__builtin_ctz(left)); ");
    } else {
        ptx_write(writer, "{ const uint64_t own = barrier; ");
    }
    ptx_write(writer, "sim_ptx_access(own, 8, SIM_PTX_ATOMIC, $site); mbarrier_transact(own, -(int32_t)%s); } ", bytes);
}

// st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [to], value, [barrier]; red.async likewise.
static void complete(struct ptx_writer *writer, uint32_t bytes) {
    if (ptx_has_part(writer->statement, "async")) {
        char count[16];
        snprintf(count, sizeof count, "%" PRIu32, bytes);
        write_completion(writer, ptx_operand(writer, 2), count);
    }
}

static void write_st(struct ptx_writer *writer) {
    const struct ptx_type *type = last_type(writer);
    const struct ptx_operand *address = ptx_operand(writer, 0), *source = ptx_operand(writer, 1);
    const uint32_t count = elements_of(writer->statement);
    write_access(writer, address, type->bytes * count, "SIM_PTX_STORE");
    for (uint32_t i = 0; i < count; i++) {
        ptx_write(writer, "PTX_AT(%s, at + %u) = $*:T; ", bits_name(type), i * type->bytes,
                  element(writer, source, i, count), type);
    }
    complete(writer, type->bytes * count);
}

// ---- Atomics ----

// One number in memory: `at` plus an offset. Lane is which half of a packed register holds the value.
static void write_update(struct ptx_writer *writer, const struct ptx_type *type, const struct ptx_operand *sources[2],
                         uint32_t offset, uint32_t lane) {
    static const char *const names[] = {"value", "other"};
    const struct ptx_type *whole = type->lanes > 1 ? ptx_type_of(PTX_CLASS_BITS, type->bytes) : ptx_type_element(type);
    ptx_write(writer, "{ const %s old = %s(PTX_AT(const %s, at + %u)); ", type->number, type->from, type->bits, offset);
    for (int i = 0; i < 2 && sources[i]; i++) {
        ptx_write(writer, "const %s %s = %s((%s)($*:T >> %u)); ", type->number, names[i], type->from, type->bits,
                  sources[i], whole, lane * 4 * type->bytes);
    }
    ptx_write(writer, "PTX_AT(%s, at + %u) = %s(%s); } ", type->bits, offset, type->to, ptx_update_of(writer, type));
}

// atom; red, which fetches no value.
static void write_atomic(struct ptx_writer *writer) {
    const bool fetches = ptx_text_is(writer->statement->parts[0], "atom");
    const size_t first = fetches ? 1 : 0; // the address
    const struct ptx_type *type = last_type(writer);
    const uint32_t count = elements_of(writer->statement);
    const struct ptx_operand *address = ptx_operand(writer, first), *value = ptx_operand(writer, first + 1);
    const bool swap = ptx_has_part(writer->statement, "cas");
    const struct ptx_operand *other = swap ? ptx_operand(writer, first + 2) : NULL;
    write_access(writer, address, type->bytes * count, "SIM_PTX_ATOMIC");
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *sources[] = {element(writer, value, i, count), other};
        ptx_write(writer, "const %s before%u = PTX_AT(const %s, at + %u); ", bits_name(type), i, bits_name(type),
                  i * type->bytes);
        for (uint32_t lane = 0; lane < type->lanes; lane++) {
            write_update(writer, type, sources, i * type->bytes + lane * type->bytes / type->lanes, lane);
        }
        if (fetches) {
            ptx_write(writer, "$* = before%u; ", element(writer, ptx_operand(writer, 0), i, count), i);
        }
    }
    complete(writer, type->bytes * count);
}

// cp.async, mbarrier and bulk copies. A copy's accesses are those of the lane that issues it.

// Writes an operand, or the value that stands for it where there is none.
static void write_number(struct ptx_writer *writer, const char *name, const struct ptx_operand *operand,
                         const char *otherwise) {
    if (operand) {
        ptx_write(writer, "const uint32_t %s = $*:b32; ", name, operand);
    } else {
        ptx_write(writer, "const uint32_t %s = %s; ", name, otherwise);
    }
}

// cp.async.ca.shared.global [to], [from], 16, bytes; what is left of the 16 becomes zero.
static void write_copy(struct ptx_writer *writer) {
    const struct ptx_operand *size = ptx_operand(writer, 2);
    const bool hint = ptx_has_part(writer->statement, "L2::cache_hint");
    const struct ptx_operand *given = size->next;
    const bool known = size->kind == PTX_OPERAND_INTEGER && size->value >= 4 && size->value <= 16 &&
                       (size->value & (size->value - 1)) == 0;
    if (!known || (given && ptx_count_operands(given) > (hint ? 1u : 0u) + 1)) {
        ptx_refuse(writer, "its operands are not supported: copy 4, 8 or 16 bytes, and perhaps fewer of the source");
        return;
    }
    given = hint && given && !given->next ? NULL : given;
    const struct ptx_type *type = given && given->kind == PTX_OPERAND_NAME ? ptx_register_type(writer, given) : NULL;
    ptx_write(writer, "const uint64_t to = $0:A, from = $1:A; const uint32_t size = $2:b32; ", PTX_SPACE_SHARED,
              PTX_SPACE_GLOBAL);
    if (type && type->class == PTX_CLASS_PREDICATE) { // it says whether the source is ignored
        ptx_write(writer, "const uint32_t bytes = $*:pred ? 0 : size; ", given);
    } else {
        write_number(writer, "given", given, "size");
        ptx_write(writer, "const uint32_t bytes = given < size ? given : size; ");
    }
    // The read of `bytes`, which may be fewer than `size`, is announced by as few accesses as it takes.
    ptx_write(
        writer,
        "sim_ptx_copy(from, to, %d); for (uint32_t width = size, done = 0; done < bytes; width /= 2) { "
        "if (bytes - done >= width) { sim_ptx_access(from + done, width, SIM_PTX_LOAD, $site); done += width; } } "
        "sim_ptx_access(to, size, SIM_PTX_STORE, $site); "
        "clear_bytes(to, size); copy_bytes(to, from, bytes); ",
        ptx_has_part(writer->statement, "cg"));
}

// Declares `blocks`, the mask that is the n-th operand, and `first`, the place `to` in the first of these blocks.
static void write_blocks(struct ptx_writer *writer, size_t n, const char *to) {
    ptx_write(writer,
              "const uint32_t blocks = $*:b16; "
              "const uint64_t first = map_to_rank(%s, (uint32_t)__builtin_ctz(blocks | 1u << 31)); ",
              ptx_operand(writer, n), to);
}

// Copies what has arrived in the first block to the others.
static void write_others(struct ptx_writer *writer, const char *bytes) {
    ptx_write(writer,
              "for (uint32_t left = blocks & (blocks - 1); left; left &= left - 1) { "
              "const uint64_t there = map_to_rank(first, (uint32_t)__builtin_ctz(left)); "
              "for (uint32_t done = 0; done < %s; done += 16) { "
              "sim_ptx_access(there + done, 16, SIM_PTX_STORE, $site); "
              "copy_bytes(there + done, first + done, 16); } } ",
              bytes);
}

// [map, {coordinates}]
static void write_box(struct ptx_writer *writer, const struct ptx_operand *box) {
    const struct ptx_operand *map = box->items, *list = map ? map->next : NULL;
    if (!list || list->kind != PTX_OPERAND_LIST || ptx_count_operands(list->items) > TENSOR_DIMENSIONS) {
        ptx_refuse(writer, "a tensor map and its coordinates are expected: give a PTX file that ptxas accepts");
        return;
    }
    ptx_write(writer, ".map = (const struct tensor_map *)(uintptr_t)($*:b64 + UINT64_C(%lu)), .first = {", map,
              box->value);
    for (const struct ptx_operand *item = list->items; item; item = item->next) {
        ptx_write(writer, "(int32_t)$*:b32, ", item);
    }
    ptx_write(writer, "}, ");
}

static void refuse_other_modes(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    for (size_t i = 0; i < statement->part_count; i++) {
        const struct ptx_text part = statement->parts[i];
        if (part.length > 6 && (!strncmp(part.at, "im2col", 6) || !strncmp(part.at, "tile::", 6))) {
            ptx_refuse(writer, "this mode is not supported: copy tiles");
        }
    }
}

// Declares `copy`, of a box at `shared` in shared memory.
static void write_tensor_copy(struct ptx_writer *writer, bool stores, const struct ptx_operand *box,
                              const char *shared) {
    ptx_write(writer, "const struct tensor_copy copy = {.stores = %d, ", stores);
    write_box(writer, box);
    ptx_write(writer, ".shared = %s, .site = $site}; ", shared); // the depth follows
}

// cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [to], [map, {x, y}], [barrier];
// cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [map, {x, y}], [from];
static void write_tensor(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    const bool stores = ptx_text_is(statement->parts[5], "global");
    const struct ptx_operand *box = ptx_operand(writer, stores ? 0 : 1), *shared = ptx_operand(writer, stores ? 1 : 0);
    refuse_other_modes(writer);
    const bool multicast = ptx_has_part(statement, "multicast::cluster");
    ptx_write(writer, "const uint64_t place = $*:A; ", shared, PTX_SPACE_SHARED);
    if (multicast) {
        write_blocks(writer, 3, "place");
    }
    write_tensor_copy(writer, stores, box, multicast ? "first" : "place");
    ptx_write(writer, "copy_tensor(&copy); ");
    if (multicast) {
        write_others(writer, "tensor_box_bytes(copy.map)");
    }
    if (!stores) {
        write_completion(writer, ptx_operand(writer, 2), "tensor_box_bytes(copy.map)");
    }
}

// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [barrier];
// cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes;
// With .multicast::cluster a mask of blocks follows the barrier.
static void write_bulk(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    const bool completes = ptx_has_part(statement, "mbarrier::complete_tx::bytes");
    const bool to_shared =
        ptx_text_is(statement->parts[3], "shared::cluster") || ptx_text_is(statement->parts[3], "shared::cta");
    const bool from_shared = ptx_text_is(statement->parts[4], "shared::cta");
    if (ptx_has_part(statement, "prefetch")) {
        return;
    }
    if (ptx_has_part(statement, "tensor")) {
        write_tensor(writer);
        return;
    }
    const bool multicast = ptx_has_part(statement, "multicast::cluster");
    ptx_write(writer, "const uint64_t %s = $0:A, from = $1:A; const uint32_t bytes = $2:b32; ",
              multicast ? "place" : "to", to_shared ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL,
              from_shared ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL);
    if (multicast) {
        write_blocks(writer, 4, "place");
        ptx_write(writer, "const uint64_t to = first; ");
    }
    // The copy engine moves 16 bytes at a time for the one lane that asks.
    ptx_write(writer, "for (uint32_t done = 0; done < bytes; done += 16) { "
                      "sim_ptx_access(from + done, 16, SIM_PTX_LOAD, $site); "
                      "sim_ptx_access(to + done, 16, SIM_PTX_STORE, $site); "
                      "copy_bytes(to + done, from + done, 16); } ");
    if (multicast) {
        write_others(writer, "bytes");
    }
    if (completes) {
        write_completion(writer, ptx_operand(writer, 3), "bytes");
    }
}

// cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [map, {x, y}], [from];
// The map has the type of the elements, so each type that the operation knows is a case: those at which an H200 does
// not stop.
static void write_tensor_reduction(struct ptx_writer *writer) {
    static const struct {
        enum tensor_type number;
        const char *type, *operations; // PTX ISA: cp.reduce.async.bulk
    } types[] = {
        {TENSOR_U32, "u32", "add min max inc dec and or xor"},
        {TENSOR_S32, "s32", "add min max and or xor"},
        {TENSOR_U64, "u64", "add min max and or xor"},
        {TENSOR_S64, "s64", "min max"},
        {TENSOR_F16, "f16", "add min max"},
        {TENSOR_F32, "f32", "add"},
        {TENSOR_F64, "f64", "add"},
        {TENSOR_BF16, "bf16", "add min max"},
    };
    const struct ptx_statement *statement = writer->statement;
    const struct ptx_operand *box = ptx_operand(writer, 0);
    refuse_other_modes(writer);
    ptx_write(writer, "const uint64_t place = $1:A; ", PTX_SPACE_SHARED);
    if (statement->part_count < 9) {
        ptx_refuse(writer, "it is not supported: give a PTX file that ptxas accepts");
        return;
    }
    write_tensor_copy(writer, true, box, "place");
    ptx_write(writer, "for (struct tensor_walk walk = tensor_walk_begin(&copy); tensor_walk_next(&walk);) "
                      "{ const uint64_t at = walk.at; switch (copy.map->type) { ");
    const struct ptx_text operation = statement->parts[8];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (ptx_text_is_among(operation, types[i].operations, ' ')) {
            ptx_write(writer, "case %d: ", (int)types[i].number);
            ptx_write_combination(writer, ptx_type_named(types[i].type), "walk.from");
            ptx_write(writer, "break; ");
        }
    }
    ptx_write(writer, "default: sim_ptx_trap(\"the map's elements have a type that this reduction does not know: "
                      "give a map of another type\", copy.site, copy.depth); } } ");
}

// cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [to], [from], bytes, [barrier];
// cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [to], [from], bytes;
static void write_bulk_reduction(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    const size_t types = ptx_count_types(statement);
    const struct ptx_type *type = types ? ptx_type_part(statement, types - 1) : NULL;
    const bool to_global = ptx_has_part(statement, "global");
    if (ptx_has_part(statement, "tensor")) {
        write_tensor_reduction(writer);
        return;
    }
    if (!type || type->lanes > 1) {
        ptx_refuse(writer, "it is not supported: combine by red or atom");
        return;
    }
    ptx_write(writer,
              "const uint64_t to = $0:A, from = $1:A; const uint32_t bytes = $2:b32; "
              "for (uint32_t done = 0; done < bytes; done += 16) { "
              "sim_ptx_access(from + done, 16, SIM_PTX_LOAD, $site); "
              "for (uint64_t at = to + done; at < to + done + 16; at += %u) { "
              "sim_ptx_access(at, %u, SIM_PTX_ATOMIC, $site); ",
              to_global ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED, PTX_SPACE_SHARED, type->bytes, type->bytes);
    ptx_write_combination(writer, type, "from + (at - to)");
    ptx_write(writer, "} } ");
    if (!to_global) {
        write_completion(writer, ptx_operand(writer, 3), "bytes");
    }
}

// ---- mbarrier ----

// The address of an mbarrier is generic unless the opcode names a space.

static void write_init(struct ptx_writer *writer) {
    ptx_write(writer,
              "const uint64_t barrier = $0:A; const uint32_t count = $1:b32; "
              "sim_ptx_access(barrier, 8, SIM_PTX_STORE, $site); mbarrier_init(barrier, count); ",
              ptx_space_part(writer->statement));
}

// mbarrier.arrive.expect_tx.shared.b64 state, [barrier], bytes; arrive, arrive_drop: a count in their place.
static void write_arrive(struct ptx_writer *writer) {
    const struct ptx_statement *statement = writer->statement;
    const struct ptx_operand *address = ptx_operand(writer, 1);
    const bool expects = ptx_has_part(statement, "expect_tx");
    write_number(writer, "number", address->next, expects ? "0" : "1");
    ptx_write(writer,
              "const uint64_t barrier = $1:A; sim_ptx_access(barrier, 8, SIM_PTX_ATOMIC, $site); "
              "const uint64_t before = mbarrier_arrive(barrier, %s, %s, %d); $0 = before; ",
              ptx_space_part(statement), expects ? "1" : "number", expects ? "number" : "0",
              ptx_has_part(statement, "arrive_drop"));
}

static void write_transact(struct ptx_writer *writer) {
    ptx_write(writer,
              "const uint64_t barrier = $0:A; const uint32_t bytes = $1:b32; "
              "sim_ptx_access(barrier, 8, SIM_PTX_ATOMIC, $site); mbarrier_transact(barrier, %s(int32_t)bytes); ",
              ptx_space_part(writer->statement), ptx_has_part(writer->statement, "complete_tx") ? "-" : "");
}

// mbarrier.try_wait.parity.shared.b64 done, [barrier], parity; a state takes the parity's place.
static void write_wait(struct ptx_writer *writer) {
    ptx_write(writer,
              "const uint64_t barrier = $1:A; const uint32_t parity = (uint32_t)$2:T; "
              "sim_ptx_access(barrier, 8, SIM_PTX_ATOMIC, $site); $0 = mbarrier_test(barrier, parity); ",
              ptx_space_part(writer->statement),
              ptx_type_named(ptx_has_part(writer->statement, "parity") ? "b32" : "b64"));
}

// cp.async.mbarrier.arrive: the lane's copies are complete, so it arrives at once. Without .noinc the barrier expects
// one arrival more for that, so nothing changes.
static void write_copies_arrive(struct ptx_writer *writer) {
    ptx_write(writer, "const uint64_t barrier = $0:A; sim_ptx_access(barrier, 8, SIM_PTX_ATOMIC, $site); %s",
              ptx_space_part(writer->statement),
              ptx_has_part(writer->statement, "noinc") ? "mbarrier_arrive(barrier, 1, 0, false); " : "");
}

// ---- The rows ----

bool ptx_write_memory(struct ptx_writer *writer) {
    static const struct ptx_instruction rows[] = {
        {"ld|ldu", .write = write_ld},
        {"st", .write = write_st},
        {"atom|red", .write = write_atomic},
        // hints to a cache, and orders of memory
        {"prefetch|prefetchu|applypriority|discard|membar|fence|createpolicy", .template = ""},
        {"cp", "commit_group|wait_group|wait_all", .template = ""},
        {"cp", "reduce", .write = write_bulk_reduction},
        {"cp", "bulk", .write = write_bulk},
        {"cp", "mbarrier", .write = write_copies_arrive},
        {"cp", "async", .write = write_copy},
        {"mbarrier", "init", .write = write_init},
        {"mbarrier", "inval", .template = ""},
        {"mbarrier", "arrive|arrive_drop", .write = write_arrive},
        {"mbarrier", "expect_tx|complete_tx", .write = write_transact},
        {"mbarrier", "test_wait|try_wait", .write = write_wait}};
    return ptx_write_by(writer, rows, sizeof rows / sizeof *rows);
}
