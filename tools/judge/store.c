#include "tools/judge/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

enum {
    PASS_RECORDS = 2 << 20, // 48 MiB: those of a pass over the file
    READ_RECORDS = 1 << 12
};

enum status store_open(struct store *store, struct error *error) {
    *store = (struct store){.file = tmpfile()};
    return store->file ? STATUS_OK
                       : error_set(error, STATUS_FAILED, "a temporary file: %s: make room in /tmp", strerror(errno));
}

void store_close(struct store *store) {
    if (store->file) {
        fclose(store->file);
    }
    for (uint32_t i = 0; i < store->count; i++) {
        free(store->groups[i].name);
    }
    free(store->groups);
    names_clear(&store->keys);
    *store = (struct store){0};
}

// ---- Groups ----

uint32_t store_group(struct store *store, const char *key, size_t work_at, enum figure figure) {
    const uint32_t number = (uint32_t)names_number(&store->keys, key);
    if (number == store->count) {
        store->groups = memory_room(store->groups, number, sizeof *store->groups);
        store->groups[store->count++] = (struct group){.work = store->keys.texts[number] + work_at, .figure = figure};
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
    struct record *records = memory_zeros(total, sizeof *records);
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
