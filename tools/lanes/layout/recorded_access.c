#include "tools/lanes/layout/recorded_access.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lanes/grid.h"

static const char dynamic[] = "dynamic";
static const char nameless[] = "shared memory"; // AMD's instructions do not name arrays

bool record_is_of(const struct sim_recorded *record, const char *array) {
    return strcmp(record->array, nameless) == 0 || strcmp(*record->array ? record->array : dynamic, array) == 0;
}

static bool makes(const struct recorded_access *access, const struct sim_recorded *record) {
    return access->line == record->line && access->operation == record->request.operation &&
           access->bytes == record->request.width_bytes;
}

static enum status add_access(struct recorded_accesses *accesses, const struct sim_recorded *record,
                              struct error *error) {
    size_t i = 0;
    while (i < accesses->count && !makes(&accesses->list[i], record)) {
        i++;
    }
    if (i < accesses->count) {
        return STATUS_OK;
    }
    struct recorded_access *list = realloc(accesses->list, (accesses->count + 1) * sizeof *list);
    if (!list) {
        return error_set(error, STATUS_FAILED, "out of memory: close other programs");
    }
    accesses->list = list;
    struct recorded_access *access = &list[accesses->count++];
    *access = (struct recorded_access){
        .line = record->line, .operation = record->request.operation, .bytes = record->request.width_bytes};
    snprintf(access->name, sizeof access->name, "line %u %s %u", access->line, operation_name(access->operation),
             access->bytes);
    return STATUS_OK;
}

static enum status has_no_requests(const struct record_list *records, const char *array, struct error *error) {
    char others[160] = "";
    for (size_t i = 0; i < records->count; i++) {
        const char *name = *records->list[i].array ? records->list[i].array : dynamic;
        const size_t used = strlen(others);
        if (!strstr(others, name) && used + strlen(name) + 3 < sizeof others) {
            snprintf(others + used, sizeof others - used, "%s%s", used ? ", " : "", name);
        }
    }
    return error_set(error, STATUS_USAGE, "--array %.60s: the kernel accesses no such array in shared memory: %s%s",
                     array, *others ? "there are " : "it accesses none", others);
}

enum status recorded_accesses_add(struct recorded_accesses *accesses, const struct record_list *records,
                                  const char *array, struct error *error) {
    bool any = false;
    for (size_t i = 0; i < records->count; i++) {
        if (record_is_of(&records->list[i], array)) {
            any = true;
            TRY(add_access(accesses, &records->list[i], error));
        }
    }
    return any ? STATUS_OK : has_no_requests(records, array, error);
}

static enum status take(const struct sim_recorded *record, const struct tile *tile, struct tile_request *request,
                        struct error *error) {
    const uint64_t bytes = tile_bytes(tile), width = record->request.width_bytes;
    *request = (struct tile_request){.active = record->request.active, .count = record->count};
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint64_t address = record->request.address[lane];
        if (address + width > bytes || address % tile->element_bytes || width % tile->element_bytes) {
            return error_set(error, STATUS_USAGE,
                             "--layout: line %u accesses %" PRIu64 " bytes from byte %" PRIu64
                             " on, which are no elements of a tile of %ux%u: give the array's size and --width",
                             record->line, width, address, tile->rows, tile->columns);
        }
        request->index[lane] = (uint32_t)(address / tile->element_bytes);
    }
    return STATUS_OK;
}

enum status recorded_requests(const struct recorded_access *access, const struct record_list *records,
                              const char *array, const struct tile *tile, struct tile_requests *requests,
                              struct error *error) {
    for (size_t i = 0; i < records->count; i++) {
        const struct sim_recorded *record = &records->list[i];
        if (record_is_of(record, array) && makes(access, record)) {
            struct tile_request request;
            TRY(take(record, tile, &request, error));
            TRY(tile_requests_add(requests, &request, error));
        }
    }
    return STATUS_OK;
}
