#include "tools/lanes/layout/explain_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lanes/grid.h"
#include "tools/lanes/layout/show_layouts.h"
#include "util/file.h"
#include "util/terminal.h"

// ---- Accesses that a kernel makes ----

static const char dynamic[] = "dynamic";
static const char nameless[] = "shared memory"; // AMD's instructions do not name arrays

static bool record_is_of(const struct sim_recorded *record, const char *array) {
    return strcmp(record->array, nameless) == 0 || strcmp(*record->array ? record->array : dynamic, array) == 0;
}

static enum tile_copy copy_of(const struct sim_recorded *record) {
    return !record->copies ? COPY_NONE : record->past_l1 ? COPY_PAST_L1 : COPY_THROUGH_L1;
}

static bool makes(const struct layout_case *access, const struct sim_recorded *record) {
    return access->line == record->line && access->operation == record->request.operation &&
           access->copy == copy_of(record) && access->bytes == record->request.width_bytes;
}

// Adds the record's access, as a case without a GPU, if it is new.
static void add_access(struct layout_search *search, struct layout_case **accesses, const struct sim_recorded *record) {
    for (size_t i = 0; i < search->access_count; i++) {
        if (makes(&(*accesses)[i], record)) {
            return;
        }
    }
    const enum operation operation = record->request.operation;
    const char *name = texts_format(&search->names, "line %u %s %u", record->line,
                                    record->copies ? "copy" : operation_name(operation), record->request.width_bytes);
    *accesses = memory_room(*accesses, search->access_count, sizeof **accesses);
    (*accesses)[search->access_count++] =
        (struct layout_case){name, record->line, operation, copy_of(record), record->request.width_bytes, NULL, {0}};
}

// STATUS_USAGE, with the arrays that there are, if no record is of the array.
static enum status check_array(const struct record_list *records, const char *array, struct error *error) {
    char others[160] = "";
    for (size_t i = 0; i < records->count; i++) {
        if (record_is_of(&records->list[i], array)) {
            return STATUS_OK;
        }
        const char *name = *records->list[i].array ? records->list[i].array : dynamic;
        const size_t used = strlen(others);
        if (!strstr(others, name) && used + strlen(name) + 3 < sizeof others) {
            snprintf(others + used, sizeof others - used, "%s%s", used ? ", " : "", name);
        }
    }
    return error_set(error, STATUS_USAGE, "--array %.60s: the kernel accesses no such array in shared memory: %s%s",
                     array, *others ? "there are " : "it accesses none", others);
}

// Adds the accesses of the records that are of the array.
static void add_accesses(struct layout_search *search, struct layout_case **accesses, const struct record_list *records,
                         const char *array) {
    for (size_t i = 0; i < records->count; i++) {
        if (record_is_of(&records->list[i], array)) {
            add_access(search, accesses, &records->list[i]);
        }
    }
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
        request->from[lane] = record->from[lane];
    }
    return STATUS_OK;
}

// Adds the requests of a case's access, as those to a tile.
static enum status add_requests(struct layout_case *one, const struct record_list *records, const char *array,
                                const struct tile *tile, struct error *error) {
    for (size_t i = 0; i < records->count; i++) {
        const struct sim_recorded *record = &records->list[i];
        if (record_is_of(record, array) && makes(one, record)) {
            struct tile_request request;
            TRY(take(record, tile, &request, error));
            tile_requests_add(&one->requests, &request);
        }
    }
    return STATUS_OK;
}

enum status layout_search_recorded(struct layout_search *search, const struct tile *tile, const char *array,
                                   const struct kernel_report *reports, size_t report_count, struct error *error) {
    struct layout_case *accesses = NULL;
    enum status status = STATUS_OK;
    *search = (struct layout_search){.tile = *tile, .gpu_count = report_count};
    for (size_t i = 0; i < report_count; i++) {
        add_accesses(search, &accesses, &reports[i].records, array);
    }
    search->cases = memory_zeros(layout_case_count(search), sizeof *search->cases);
    for (size_t i = 0; i < layout_case_count(search) && status == STATUS_OK; i++) {
        const struct kernel_report *report = &reports[i % report_count];
        search->cases[i] = accesses[i / report_count];
        search->cases[i].gpu = report->gpu;
        status = add_requests(&search->cases[i], &report->records, array, tile, error);
    }
    free(accesses);
    THEN(status, layout_search(search, error));
    return status;
}

// ---- The command ----

// Runs the kernel on each GPU, and searches by what it accesses.
static enum status search_recorded(const struct arguments *arguments, struct layout_search *search,
                                   struct error *error) {
    struct kernel_run run = arguments->kernel;
    struct kernel_report *reports = memory_zeros(arguments->gpu_count, sizeof *reports);
    run.records = true;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arguments->gpu_count && status == STATUS_OK; i++) {
        status = kernel_run(&run, arguments->gpus[i], &reports[i], 1, NULL, error);
        THEN(status, check_array(&reports[i].records, arguments->array, error));
    }
    THEN(status,
         layout_search_recorded(search, &arguments->tile, arguments->array, reports, arguments->gpu_count, error));
    for (size_t i = 0; i < arguments->gpu_count; i++) {
        kernel_report_clear(&reports[i]);
    }
    free(reports);
    return status;
}

enum status explain_layout(const struct arguments *arguments, struct error *error) {
    const struct option_list *accesses = &arguments->accesses;
    struct layout_search search = {0};
    enum status status = arguments->array
                             ? search_recorded(arguments, &search, error)
                             : layout_search_typed(&search, &arguments->tile, accesses->values, accesses->count,
                                                   arguments->gpus, arguments->gpu_count, error);
    if (status == STATUS_OK && !standard_output_is(arguments->json)) {
        layouts_print(stdout, &search);
    }
    THEN(status, print_file(arguments->json, layouts_write_json, &search, error));
    layout_search_clear(&search);
    return status;
}
