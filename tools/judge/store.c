#include "tools/judge/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

enum {
    FIRST_SLOTS = 1 << 12,
    PASS_RECORDS = 2 << 20, // 48 MiB: those of a pass over the file
    READ_RECORDS = 1 << 12
};

enum status store_open(struct store *store, struct error *error) {
    *store = (struct store){.file = tmpfile(), .slots = FIRST_SLOTS};
    store->table = memory_zeros(store->slots, sizeof *store->table);
    return store->file ? STATUS_OK
                       : error_set(error, STATUS_FAILED, "a temporary file: %s: make room in /tmp", strerror(errno));
}

void store_close(struct store *store) {
    if (store->file) {
        fclose(store->file);
    }
    free(store->groups);
    free(store->table);
    texts_clear(&store->texts);
    *store = (struct store){0};
}

// ---- Groups ----

// FNV-1a
static uint64_t hash(const char *text) {
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++) {
        sum = (sum ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    }
    return sum ^ sum >> 32;
}

// The slot of the key, or the empty one where it belongs.
static uint32_t *find_slot(const struct store *store, const char *key) {
    size_t slot = hash(key) & (store->slots - 1);
    while (store->table[slot] && strcmp(store->groups[store->table[slot] - 1].key, key) != 0) {
        slot = (slot + 1) & (store->slots - 1);
    }
    return &store->table[slot];
}

static void double_slots(struct store *store) {
    free(store->table);
    store->slots *= 2;
    store->table = memory_zeros(store->slots, sizeof *store->table);
    for (uint32_t i = 0; i < store->count; i++) {
        *find_slot(store, store->groups[i].key) = i + 1;
    }
}

static const char *keep(struct store *store, const char *text) {
    const char *kept = texts_keep(&store->texts, text, strlen(text));
    return kept ? kept : memory_end();
}

static const char *keep_name(struct store *store, void (*name)(FILE *, const void *), const void *context) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) {
        memory_end();
    }
    name(out, context);
    fclose(out);
    const char *kept = keep(store, text);
    free(text);
    return kept;
}

uint32_t store_group(struct store *store, const char *key, size_t work_at, enum figure figure,
                     void (*name)(FILE *, const void *), const void *context) {
    uint32_t *slot = find_slot(store, key);
    if (*slot) {
        return *slot - 1;
    }
    store->groups = memory_room(store->groups, store->count, sizeof *store->groups);
    struct group *group = &store->groups[store->count];
    *group = (struct group){.key = keep(store, key), .name = keep_name(store, name, context), .figure = figure};
    group->work = group->key + work_at;
    *slot = ++store->count;
    const uint32_t number = store->count - 1;
    if ((size_t)store->count * 2 > store->slots) {
        double_slots(store);
    }
    return number;
}

// ---- Records ----

static enum status file_fault(struct error *error) {
    return error_set(error, STATUS_FAILED, "the temporary file: %s: make room in /tmp", strerror(errno));
}

enum status store_add(struct store *store, const struct record *record, struct error *error) {
    store->groups[record->group].count++;
    return fwrite(record, sizeof *record, 1, store->file) == 1 ? STATUS_OK : file_fault(error);
}

// The first group behind those, from `first` on, whose records one pass takes: one at least.
static uint32_t end_of_pass(const struct store *store, uint32_t first) {
    uint64_t records = store->groups[first].count;
    uint32_t end = first + 1;
    while (end < store->count && records + store->groups[end].count <= PASS_RECORDS) {
        records += store->groups[end++].count;
    }
    return end;
}

// Puts the records of these groups, group by group, where `at` says that each begins.
static enum status gather(struct store *store, uint32_t first, uint32_t end, struct record *records, size_t *at,
                          struct error *error) {
    struct record *buffer = memory_zeros(READ_RECORDS, sizeof *buffer);
    rewind(store->file);
    for (size_t got; (got = fread(buffer, sizeof *buffer, READ_RECORDS, store->file)) > 0;) {
        for (size_t i = 0; i < got; i++) {
            if (buffer[i].group >= first && buffer[i].group < end) {
                records[at[buffer[i].group - first]++] = buffer[i];
            }
        }
    }
    free(buffer);
    return ferror(store->file) ? file_fault(error) : STATUS_OK;
}

static enum status judge_pass(struct store *store, uint32_t first, uint32_t end, group_judge *judge, void *context,
                              struct error *error) {
    size_t total = 0, *at = memory_zeros(end - first, sizeof *at);
    for (uint32_t i = first; i < end; i++) {
        at[i - first] = total;
        total += store->groups[i].count;
    }
    struct record *records = memory_zeros(total ? total : 1, sizeof *records);
    const enum status status = gather(store, first, end, records, at, error);
    for (uint32_t i = first; i < end && status == STATUS_OK; i++) {
        const size_t count = store->groups[i].count;
        judge(context, &store->groups[i], records + at[i - first] - count, count);
    }
    free(records);
    free(at);
    return status;
}

enum status store_judge(struct store *store, group_judge *judge, void *context, struct error *error) {
    if (fflush(store->file) != 0) {
        return file_fault(error);
    }
    for (uint32_t first = 0, end; first < store->count; first = end) {
        end = end_of_pass(store, first);
        TRY(judge_pass(store, first, end, judge, context, error));
    }
    return STATUS_OK;
}
