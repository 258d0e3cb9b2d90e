// Loads, stores and atomics of global, flat, shared (LDS) and private (scratch) memory, and scalar loads.
// CDNA3 and RDNA3: FLAT, Scratch and Global; LDS; MUBUF; SMEM.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/amdgcn/writer.h"
#include "util/text.h"

enum space {
    SPACE_GLOBAL,
    SPACE_FLAT,
    SPACE_SCRATCH,
    SPACE_BUFFER, // private memory or a buffer of global memory, as the descriptor says
    SPACE_SHARED
};

enum operation {
    LOAD,
    STORE,
    ATOMIC
};

struct access {
    enum space space;
    enum operation operation;
    const char *form;
    uint32_t bytes, words;
    uint32_t apart;     // of two accesses: what their offsets count; 0: one access
    bool returns;       // an atomic
    const char *type;   // of an atomic
    const char *update; // the new value, from `old`, `value` and `other`
    bool adds_floats;
};

static bool starts(const char **name, const char *prefix) {
    const size_t length = strlen(prefix);
    if (strncmp(*name, prefix, length) != 0) {
        return false;
    }
    *name += length;
    return true;
}

static bool find_space(const char **name, struct access *access) {
    static const struct {
        const char *prefix;
        enum space space;
    } rows[] = {{"global_", SPACE_GLOBAL},
                {"flat_", SPACE_FLAT},
                {"scratch_", SPACE_SCRATCH},
                {"buffer_", SPACE_BUFFER},
                {"ds_", SPACE_SHARED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (starts(name, rows[i].prefix)) {
            access->space = rows[i].space;
            return true;
        }
    }
    return false;
}

// What the name says behind "load" or "store", and in shared memory of two accesses, too.
static bool find_form(const char *name, struct access *access) {
    static const struct {
        const char *names, *form;
        uint32_t bytes, words, apart;
    } rows[] = {
        {"_dword|_b32", "FORM_WORDS", 4, 1, 0},
        {"_dwordx2|_b64", "FORM_WORDS", 8, 2, 0},
        {"_dwordx3|_b96", "FORM_WORDS", 12, 3, 0},
        {"_dwordx4|_b128", "FORM_WORDS", 16, 4, 0},
        {"_ubyte|_byte|_u8|_b8", "FORM_BYTE", 1, 1, 0},
        {"_sbyte|_i8", "FORM_BYTE | FORM_SIGNED", 1, 1, 0},
        {"_ushort|_short|_u16|_b16", "FORM_HALF", 2, 1, 0},
        {"_sshort|_i16", "FORM_HALF | FORM_SIGNED", 2, 1, 0},
        {"_ubyte_d16|_u8_d16|_d16_u8", "FORM_BYTE | FORM_LOW", 1, 1, 0},
        {"_ubyte_d16_hi|_byte_d16_hi|_b8_d16_hi|_u8_d16_hi|_d16_hi_u8|_d16_hi_b8", "FORM_BYTE | FORM_HIGH", 1, 1, 0},
        {"_sbyte_d16|_i8_d16|_d16_i8", "FORM_BYTE | FORM_SIGNED | FORM_LOW", 1, 1, 0},
        {"_sbyte_d16_hi|_i8_d16_hi|_d16_hi_i8", "FORM_BYTE | FORM_SIGNED | FORM_HIGH", 1, 1, 0},
        {"_short_d16|_u16_d16|_d16_b16", "FORM_HALF | FORM_LOW", 2, 1, 0},
        {"_short_d16_hi|_b16_d16_hi|_u16_d16_hi|_d16_hi_b16", "FORM_HALF | FORM_HIGH", 2, 1, 0},
        {"2_b32|_2addr_b32", "FORM_WORDS", 4, 1, 4},
        {"2_b64|_2addr_b64", "FORM_WORDS", 8, 2, 8},
        {"2st64_b32|_2addr_stride64_b32", "FORM_WORDS", 4, 1, 256},
        {"2st64_b64|_2addr_stride64_b64", "FORM_WORDS", 8, 2, 512}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (list_place(rows[i].names, '|', name) >= 0) {
            access->form = rows[i].form;
            access->bytes = rows[i].bytes;
            access->words = rows[i].words;
            access->apart = rows[i].apart;
            return !access->apart || access->space == SPACE_SHARED;
        }
    }
    return false;
}

// The new value that an atomic on numbers of this sort stores: unsigned, signed (i) or floating-point; NULL: it has
// none.
static const char *update_of(const char *name, char sort) {
    static const struct {
        const char *names, *sorts, *update;
    } rows[] = {{"add", "uif", "old + value"},
                {"sub", "ui", "old - value"},
                {"rsub", "ui", "value - old"},
                {"min|umin", "u", "MIN(old, value)"},
                {"min|smin", "i", "MIN(old, value)"},
                {"min|min_num", "f", "least_f64(old, value)"},
                {"max|umax", "u", "MAX(old, value)"},
                {"max|smax", "i", "MAX(old, value)"},
                {"max|max_num", "f", "greatest_f64(old, value)"},
                {"and", "u", "old & value"},
                {"or", "u", "old | value"},
                {"xor", "u", "old ^ value"},
                {"inc", "u", "old >= value ? 0 : old + 1"},
                {"dec", "u", "old == 0 || old > value ? value : old - 1"},
                {"swap|wrxchg|storexchg", "u", "value"},
                {"cmpswap|cmpst|cmpstore", "u", "old == other ? value : old"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strchr(rows[i].sorts, sort) && list_place(rows[i].names, '|', name) >= 0) {
            return rows[i].update;
        }
    }
    return NULL;
}

// The type that ends an atomic's name: "add", "add_u32", "add_x2", "add_u64", "add_f32". Without one, "smin" is signed.
static bool find_update(const char *name, struct access *access) {
    static const struct {
        const char *suffix, *type;
        char sort;
        uint32_t bytes;
    } types[] = {{"_u32", "uint32_t", 'u', 4}, {"_b32", "uint32_t", 'u', 4}, {"_i32", "int32_t", 'i', 4},
                 {"_f32", "float", 'f', 4},    {"_u64", "uint64_t", 'u', 8}, {"_b64", "uint64_t", 'u', 8},
                 {"_i64", "int64_t", 'i', 8},  {"_f64", "double", 'f', 8},   {"_x2", "uint64_t", 'u', 8},
                 {"_x2", "int64_t", 'i', 8},   {"", "uint32_t", 'u', 4},     {"", "int32_t", 'i', 4}};
    const size_t length = strlen(name);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const size_t suffix = strlen(types[t].suffix);
        char base[48] = "";
        if (length > suffix && strcmp(name + length - suffix, types[t].suffix) == 0) {
            snprintf(base, sizeof base, "%.*s", (int)(length - suffix), name);
        }
        access->update = update_of(base, types[t].sort);
        if (access->update) {
            access->type = types[t].type;
            access->bytes = types[t].bytes;
            access->words = types[t].bytes / 4;
            access->adds_floats = types[t].sort == 'f';
            return true;
        }
    }
    return false;
}

static bool find_access(const char *name, struct access *access) {
    *access = (struct access){0};
    if (!find_space(&name, access)) {
        return false;
    }
    const bool shared = access->space == SPACE_SHARED;
    if (starts(&name, "atomic_") || (shared && strncmp(name, "load", 4) != 0 && strncmp(name, "store_", 6) != 0 &&
                                     strncmp(name, "read", 4) != 0 && strncmp(name, "write", 5) != 0)) {
        char plain[48];
        const char *rtn = strstr(name, "_rtn");
        access->operation = ATOMIC;
        access->returns = shared && rtn;
        snprintf(plain, sizeof plain, "%.*s%s", rtn ? (int)(rtn - name) : 40, name, rtn ? rtn + 4 : "");
        return find_update(plain, access);
    }
    access->operation = !strncmp(name, "load", 4) || !strncmp(name, "read", 4) ? LOAD : STORE;
    if (!starts(&name, "load") && !starts(&name, "read") && !starts(&name, "store") && !starts(&name, "write")) {
        return false;
    }
    return find_form(name, access);
}

// ---- Addresses ----

static int64_t offset_of(struct gcn_writer *writer) {
    return gcn_modifier_number(&writer->operands, "offset", 0);
}

static bool is_scalar_base(const struct gcn_operand *operand) {
    return operand->kind == GCN_S && operand->first != 125; // null
}

// Private memory: an offset from a scalar register and one from a vector register, if they are there.
static void write_scratch_address(struct gcn_writer *writer, const struct access *access,
                                  const struct gcn_operand *vector, const struct gcn_operand *scalar, uint32_t site) {
    gcn_write(writer, "address_scratch(w, $rows0, (uint32_t)%ld", vector && vector->kind == GCN_V ? vector : NULL,
              offset_of(writer));
    if (scalar && scalar->kind != GCN_OFF && scalar->kind != GCN_NONE && scalar->first != 125) {
        gcn_write(writer, " + $u32", scalar);
    }
    gcn_write(writer, ", %u, SITE(%u)); ", access->bytes, site);
}

// Data, offset or off, descriptor, scalar offset. CDNA3, MUBUF: a buffer of bytes, whose descriptor has no stride.
static void write_buffer_address(struct gcn_writer *writer, const struct access *access,
                                 const struct gcn_operand *vector, uint32_t descriptor, uint32_t site) {
    const struct gcn_operand *resource = gcn_operand(writer, descriptor, GCN_S);
    const struct gcn_operand *scalar = gcn_operand(writer, descriptor + 1, GCN_NONE);
    if (gcn_modifier(&writer->operands, "idxen") || gcn_modifier(&writer->operands, "addr64")) {
        gcn_refuse(writer, "only buffers of bytes are supported (offen or off): use raw buffers");
    }
    gcn_write(writer, "const uint64_t requested = address_buffer(w, %u, $rows0, (uint32_t)%ld, ", resource->first,
              gcn_modifier(&writer->operands, "offen") ? vector : NULL, offset_of(writer));
    gcn_write(writer, scalar->kind == GCN_S && scalar->first == 125 ? "0" : "$u32", scalar);
    gcn_write(writer, ", %u, %d, SITE(%u)); ", access->bytes, access->operation == ATOMIC, site);
}

// address: the vector operand's number. Of global, flat and scratch accesses the scalar one follows, or for loads two
// behind the result, for stores behind the data.
static void write_address(struct gcn_writer *writer, const struct access *access, uint32_t address, uint32_t scalar,
                          uint32_t site) {
    const struct gcn_operand *vector = gcn_operand(writer, address, GCN_NONE);
    const struct gcn_operand *base = scalar < writer->operands.count ? &writer->operands.operand[scalar] : NULL;
    if (access->space == SPACE_SCRATCH) {
        write_scratch_address(writer, access, vector, base, site);
    } else if (access->space == SPACE_BUFFER) {
        write_buffer_address(writer, access, vector, address + 1, site);
    } else if (base && is_scalar_base(base) && access->space == SPACE_GLOBAL) {
        gcn_write(writer, "address_base(w, S64(%u), $rows0, %ld); ", base->first, vector, offset_of(writer));
    } else {
        gcn_write(writer, "address_pair(w, $rows0, %ld); ", vector, offset_of(writer));
    }
}

static void write_announcement(struct gcn_writer *writer, const struct access *access, uint32_t site) {
    static const char *const names[] = {"SIM_WAVE_LOAD", "SIM_WAVE_STORE", "SIM_WAVE_ATOMIC"};
    if (access->space == SPACE_SCRATCH) {
        return;
    }
    if (access->space == SPACE_BUFFER) {
        gcn_write(writer, "announce(w, requested, ");
    } else if (access->space == SPACE_FLAT) {
        gcn_write(writer, "announce(w, resolve_flat(w, %u, SITE(%u)), ", access->bytes, site);
    } else {
        gcn_write(writer, "announce(w, EXEC_MASK, ");
    }
    gcn_write(writer, "%u, %s%s, SITE(%u)); ", access->bytes, names[access->operation],
              access->operation == ATOMIC && access->adds_floats ? "_FLOAT" : "", site);
}

// ---- Movement ----

static void write_movement(struct gcn_writer *writer, const struct access *access, uint32_t data, uint32_t skipped) {
    const struct gcn_operand *operand = gcn_operand(writer, data, access->operation == LOAD ? GCN_V : GCN_NONE);
    const uint32_t all = operand->count;
    if (operand->kind == GCN_V && all < access->words * (access->apart && access->operation == LOAD ? 2 : 1)) {
        gcn_refuse(writer, "its data are fewer registers than it needs: give what clang -S makes");
        return;
    }
    const char *move = access->operation == LOAD ? "load" : "store";
    if (access->space == SPACE_BUFFER) {
        gcn_write(writer, "%s_buffer(w, $rows1, %s, %u);", move, operand, access->form, access->words);
    } else if (strcmp(access->form, "FORM_WORDS") != 0) {
        gcn_write(writer, "%s_part($rows1, w->at, EXEC_MASK, %s);", move, operand, access->form);
    } else {
        gcn_write(writer, "%s_words($rows1 + %u * LANES, w->at, EXEC_MASK, %u);", move, operand, skipped,
                  access->words);
    }
}

static void write_value(FILE *out, const struct access *access, char letter, uint32_t first) {
    const bool wide = access->words == 2;
    const char *from = !strcmp(access->type, "float") ? "from_f32" : !strcmp(access->type, "double") ? "from_f64" : "";
    fprintf(out, "(%s)%s(", access->type, from);
    if (wide) {
        fprintf(out, "wide(%c_ + %" PRIu32 " * LANES, l)", letter, first);
    } else {
        fprintf(out, "%c_[l + %" PRIu32 " * LANES]", letter, first);
    }
    fputs(")", out);
}

// What lies behind a buffer's end is not updated, and reads as 0.
static void write_buffer_end(FILE *out, const struct access *access, bool has_result) {
    fprintf(out, "EACH_ACTIVE(EXEC_MASK) { active &= ~((uint64_t)(w->words[l] < %" PRIu32 ") << l); } ", access->words);
    for (uint32_t i = 0; i < access->words && has_result; i++) {
        fprintf(out, "EACH_ACTIVE(EXEC_MASK & ~active) { d_[l + %" PRIu32 " * LANES] = 0; } ", i);
    }
}

// The update of each lane in turn, as a function. The operands are the data, which a compare-and-swap has two of.
static char *atomic_text(const struct access *access, bool has_result, bool has_other, bool other_first) {
    struct written text;
    FILE *out = memory_stream(&text);
    const bool compares = strstr(access->update, "other") != NULL;
    fputs("(struct wave *w, uint32_t *d_, const uint32_t *a_, const uint32_t *b_, uint64_t active) { ", out);
    if (access->space == SPACE_BUFFER) {
        write_buffer_end(out, access, has_result);
    }
    fprintf(out,
            "EACH_ACTIVE(active) { "
            "typedef %s __attribute__((may_alias, aligned(4))) number; "
            "number *const place = (number *)(uintptr_t)w->at[l]; const %s old = *place; const %s value = ",
            access->type, access->type, access->type);
    // In global memory the new value comes first, and then the one to compare with, in one operand.
    write_value(out, access, has_other && other_first ? 'b' : 'a', 0);
    fputs("; ", out);
    if (compares) {
        fprintf(out, "const %s other = ", access->type);
        write_value(out, access, has_other && !other_first ? 'b' : 'a', has_other ? 0 : access->words);
        fputs("; ", out);
    }
    fprintf(out, "*place = (%s)(%s); ", access->type, access->update);
    if (has_result) {
        const char *to = !strcmp(access->type, "float") ? "to_f32" : !strcmp(access->type, "double") ? "to_f64" : "";
        fprintf(out, "const uint64_t bits = (uint64_t)%s(old); d_[l] = (uint32_t)bits; ", to);
        if (access->words == 2) {
            fputs("d_[l + LANES] = (uint32_t)(bits >> 32); ", out);
        }
    }
    fputs("} }", out);
    return memory_stream_end(&text);
}

static void write_update(struct gcn_writer *writer, const struct access *access, bool has_result, uint32_t data,
                         bool has_other) {
    const bool compare_first = strstr(writer->base, "cmpst_") != NULL; // ds_cmpst: before the new value
    const struct gcn_operand *value = gcn_operand(writer, data, GCN_NONE);
    const struct gcn_operand *other = has_other ? gcn_operand(writer, data + 1, GCN_NONE) : NULL;
    const struct gcn_operand *result = has_result ? gcn_operand(writer, 0, GCN_V) : NULL;
    char *text = atomic_text(access, has_result, has_other, compare_first);
    if (writer->status != STATUS_OK) {
        free(text);
        return;
    }
    gcn_write(writer, "f%u(w, $rows0, $rows1, $rows2, %s);", gcn_function(writer, text), result, value, other,
              access->space == SPACE_BUFFER ? "requested" : "EXEC_MASK");
}

// ---- Instructions ----

static bool returns_old(const struct gcn_operands *operands) {
    const char *hint = gcn_modifier(operands, "th");
    return gcn_modifier(operands, "glc") || gcn_modifier(operands, "sc0") || (hint && strstr(hint, "RETURN"));
}

static bool uses_private_memory(const struct gcn_writer *writer) {
    return gcn_setting(writer->kernel, "private_segment_fixed_size", 0) > 0;
}

static void write_global(struct gcn_writer *writer, struct access *access) {
    const uint32_t site = gcn_site(writer);
    const bool first_is_data = access->operation == LOAD || access->space == SPACE_BUFFER;
    if (access->operation == ATOMIC && access->space == SPACE_SCRATCH) {
        gcn_refuse(writer, "an atomic on private memory is not supported: use one of global memory");
        return;
    }
    gcn_write(writer, "{ ");
    if (access->operation == ATOMIC) {
        access->returns = returns_old(&writer->operands);
        writer->program->sites[site].needs.returned = access->returns;
        const bool buffer = access->space == SPACE_BUFFER; // whose result takes the place of the data
        write_address(writer, access, buffer || access->returns, access->returns + 2, site);
        write_announcement(writer, access, site);
        write_update(writer, access, access->returns, buffer ? 0 : access->returns + 1, false);
    } else {
        write_address(writer, access, first_is_data, 2, site);
        write_announcement(writer, access, site);
        write_movement(writer, access, !first_is_data, 0);
    }
    gcn_write(writer, " }\n");
    gcn_segment_add(writer, COUNT_VECTOR_MEMORY);
    if (access->space == SPACE_SCRATCH || (access->space == SPACE_BUFFER && uses_private_memory(writer))) {
        gcn_segment_add(writer, COUNT_SCRATCH);
    }
}

// global_load_lds and buffer_load with the modifier lds: each lane's data go to shared memory, at the place in M0 and
// then lane by lane. It is a request of either memory. CDNA3, "Memory Buffer Load to LDS".
static bool is_load_to_shared(const struct gcn_writer *writer) {
    return !strncmp(writer->base, "global_load_lds_", 16) ||
           (!strncmp(writer->base, "buffer_load_", 12) && gcn_modifier(&writer->operands, "lds"));
}

static bool write_load_to_shared(struct gcn_writer *writer) {
    const bool buffer = !strncmp(writer->base, "buffer_", 7);
    const char *form = writer->base + (buffer ? strlen("buffer_load") : strlen("global_load_lds"));
    struct access access = {.space = buffer ? SPACE_BUFFER : SPACE_GLOBAL, .operation = LOAD};
    struct access stored = {.space = SPACE_SHARED, .operation = STORE};
    if (!is_load_to_shared(writer)) {
        return false;
    }
    if (!find_form(form, &access) || strstr(access.form, "_LOW") || strstr(access.form, "_HIGH")) {
        return false;
    }
    const uint32_t site = gcn_site(writer), second = gcn_site(writer);
    stored.bytes = 4 * access.words; // a byte or a half becomes a word
    gcn_write(writer, "{ ");
    write_address(writer, &access, 0, 1, site);
    write_announcement(writer, &access, site);
    if (buffer) {
        gcn_write(writer, "load_buffer(w, w->t[0], %s, %u);", access.form, access.words);
    } else if (strcmp(access.form, "FORM_WORDS") != 0) {
        gcn_write(writer, "load_part(w->t[0], w->at, EXEC_MASK, %s);", access.form);
    } else {
        gcn_write(writer, "load_words(w->t[0], w->at, EXEC_MASK, %u);", access.words);
    }
    gcn_write(writer, " address_lanes(w, (uint32_t)%ld, %u); ", offset_of(writer), stored.bytes);
    write_announcement(writer, &stored, second);
    gcn_write(writer, "store_words(w->t[0], w->at, EXEC_MASK, %u); }\n", access.words);
    gcn_segment_add(writer, COUNT_VECTOR_MEMORY);
    return true;
}

static void write_shared_address(struct gcn_writer *writer, uint32_t operand, int64_t offset) {
    gcn_write(writer, "address_shared(w, $rows0, %ld); ", gcn_operand(writer, operand, GCN_NONE), offset);
}

// Two requests of a load or a store, whose offsets count in elements.
static void write_shared_pair(struct gcn_writer *writer, const struct access *access, uint32_t site) {
    static const char *const names[] = {"offset0", "offset1"};
    const bool loads = access->operation == LOAD;
    for (uint32_t i = 0; i < 2; i++) {
        const int64_t offset = gcn_modifier_number(&writer->operands, names[i], 0) * access->apart;
        const uint32_t own = i ? gcn_site(writer) : site;
        gcn_write(writer, "{ ");
        if (i && loads) { // the address may be overwritten by the first
            gcn_write(writer, "for (uint32_t i = 0; i < LANES; i++) { w->at[i] = w->second[i]; } ");
        } else if (loads) {
            write_shared_address(writer, 1, gcn_modifier_number(&writer->operands, "offset1", 0) * access->apart);
            gcn_write(writer, "for (uint32_t i = 0; i < LANES; i++) { w->second[i] = w->at[i]; } ");
            write_shared_address(writer, 1, offset);
        } else {
            write_shared_address(writer, 0, offset);
        }
        write_announcement(writer, access, own);
        write_movement(writer, access, loads ? 0 : 1 + i, loads ? i * access->words : 0);
        gcn_write(writer, " }\n");
    }
}

// Whether a compare-and-swap behind the load is of the same line of the source: clang makes a load and a loop of an
// atomic that the part does not have, such as that of doubles on gfx906. The place of line 0 is unknown.
static bool begins_update(const struct gcn_writer *writer) {
    const struct gcn_file *file = writer->file;
    const struct gcn_place *own = &file->places[writer->statement->place];
    for (size_t i = writer->index; own->line && i < writer->end; i++) {
        const struct gcn_statement *statement = &file->statements[i];
        const struct gcn_place *place = &file->places[statement->place];
        if (statement->kind == GCN_INSTRUCTION && !strncmp(statement->name, "ds_cmpst", strlen("ds_cmpst")) &&
            place->file == own->file && place->line == own->line) {
            return true;
        }
    }
    return false;
}

static void write_shared(struct gcn_writer *writer, struct access *access) {
    const uint32_t site = gcn_site(writer);
    writer->program->sites[site].needs.updates = access->operation == LOAD && begins_update(writer);
    const bool loads = access->operation == LOAD, updates = access->operation == ATOMIC;
    writer->program->sites[site].needs.returned = access->returns;
    if (access->apart) {
        write_shared_pair(writer, access, site);
    } else {
        gcn_write(writer, "{ ");
        write_shared_address(writer, updates ? access->returns : loads, offset_of(writer));
        write_announcement(writer, access, site);
        if (updates) {
            write_update(writer, access, access->returns, access->returns + 1, strstr(access->update, "other") != NULL);
        } else {
            write_movement(writer, access, loads ? 0 : 1, 0);
        }
        gcn_write(writer, " }\n");
    }
    gcn_segment_add(writer, COUNT_SHARED);
}

// RDNA4, SMEM: also bytes and halves.
static bool write_scalar_load(struct gcn_writer *writer) {
    static const struct {
        const char *names;
        uint32_t bytes;
        const char *narrow; // the type of a part of a register
    } rows[] = {{"s_load_dword|s_load_b32", 4, NULL},
                {"s_load_dwordx2|s_load_b64", 8, NULL},
                {"s_load_b96", 12, NULL},
                {"s_load_dwordx4|s_load_b128", 16, NULL},
                {"s_load_dwordx8|s_load_b256", 32, NULL},
                {"s_load_dwordx16|s_load_b512", 64, NULL},
                {"s_load_u8", 1, "uint8_t"},
                {"s_load_i8", 1, "int8_t"},
                {"s_load_u16", 2, "uint16_t"},
                {"s_load_i16", 2, "int16_t"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (list_place(rows[i].names, '|', writer->base) < 0) {
            continue;
        }
        const struct gcn_operand *result = gcn_operand(writer, 0, GCN_S), *base = gcn_operand(writer, 1, GCN_S);
        const struct gcn_operand *offset = writer->operands.count > 2 ? &writer->operands.operand[2] : NULL;
        if (rows[i].narrow) {
            gcn_write(writer, "S(%u) = (uint32_t)*(const %s *)scalar_part(w, ", result->first, rows[i].narrow);
        } else {
            gcn_write(writer, "scalar_load(w, %u, ", result->first);
        }
        gcn_write(writer, "%u, S64(%u) + (uint64_t)INT64_C(%ld)", rows[i].bytes, base->first, offset_of(writer));
        if (offset && !(offset->kind == GCN_S && offset->first == 125)) {
            gcn_write(writer, " + $T", offset, offset->kind == GCN_S ? "u32" : "i64");
        }
        gcn_write(writer, ", SITE(%u));\n", gcn_site(writer));
        gcn_segment_add(writer, COUNT_SCALAR_MEMORY);
        return true;
    }
    return false;
}

static bool write_permutation(struct gcn_writer *writer) {
    const bool backward = !strcmp(writer->base, "ds_bpermute_b32"), forward = !strcmp(writer->base, "ds_permute_b32");
    if (!strcmp(writer->base, "ds_swizzle_b32")) {
        const struct gcn_operand *result = gcn_operand(writer, 0, GCN_V), *value = gcn_operand(writer, 1, GCN_V);
        const char *pattern = gcn_modifier(&writer->operands, "offset");
        if (!pattern || *pattern < '0' || *pattern > '9') {
            gcn_refuse(writer, "a pattern by name is not supported: give the number of 16 bits");
            return true;
        }
        gcn_write(writer, "swizzle(w, $rows0, $rows1, %ld);\n", result, value, offset_of(writer));
    } else if (backward || forward) {
        const struct gcn_operand *result = gcn_operand(writer, 0, GCN_V), *lanes = gcn_operand(writer, 1, GCN_NONE);
        const struct gcn_operand *value = gcn_operand(writer, 2, GCN_NONE);
        gcn_write(writer, "%s(w, $rows0, $rows1, $rows2, %ld);\n", backward ? "bpermute" : "permute", result, lanes,
                  value, offset_of(writer));
    } else {
        return false;
    }
    gcn_write(writer, "sim_wave_exchange(&w->hooked);\n");
    gcn_segment_add(writer, COUNT_SHARED);
    return true;
}

bool gcn_write_memory(struct gcn_writer *writer) {
    struct access access;
    if (write_scalar_load(writer) || write_permutation(writer) || write_load_to_shared(writer)) {
        return true;
    }
    if (!find_access(writer->base, &access)) {
        return false;
    }
    (access.space == SPACE_SHARED ? write_shared : write_global)(writer, &access);
    return true;
}
