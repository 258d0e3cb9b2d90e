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

static bool makes(const struct recorded_access *access, const struct sim_recorded *record) {
    return access->line == record->line && access->operation == record->request.operation &&
           access->copy == copy_of(record) && access->bytes == record->request.width_bytes;
}

static void add_access(struct recorded_accesses *accesses, const struct sim_recorded *record) {
    for (size_t i = 0; i < accesses->count; i++) {
        if (makes(&accesses->list[i], record)) {
            return;
        }
    }
    accesses->list = memory_room(accesses->list, accesses->count, sizeof *accesses->list);
    struct recorded_access *access = &accesses->list[accesses->count++];
    *access = (struct recorded_access){.line = record->line,
                                       .operation = record->request.operation,
                                       .copy = copy_of(record),
                                       .bytes = record->request.width_bytes};
    snprintf(access->name, sizeof access->name, "line %u %s %u", access->line,
             access->copy ? "copy" : operation_name(access->operation), access->bytes);
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
            add_access(accesses, &records->list[i]);
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
        request->from[lane] = record->from[lane];
    }
    return STATUS_OK;
}

enum status recorded_case(struct layout_case *one, const struct recorded_access *access,
                          const struct record_list *records, const char *array, const struct gpu *gpu,
                          const struct tile *tile, struct error *error) {
    *one =
        (struct layout_case){.gpu = gpu, .operation = access->operation, .copy = access->copy, .bytes = access->bytes};
    for (size_t i = 0; i < records->count; i++) {
        const struct sim_recorded *record = &records->list[i];
        if (record_is_of(record, array) && makes(access, record)) {
            struct tile_request request;
            TRY(take(record, tile, &request, error));
            tile_requests_add(&one->requests, &request);
        }
    }
    return STATUS_OK;
}

// ---- The command ----

// Searches for the layouts that serve the cases, of each access one for each GPU, and shows them.
static enum status search_and_show(const struct arguments *arguments, const char *const *accesses, size_t access_count,
                                   const struct layout_case *cases, struct error *error) {
    struct layout_search search;
    const struct layout_answer answer = {.accesses = accesses,
                                         .access_count = access_count,
                                         .gpus = arguments->gpus,
                                         .gpu_count = arguments->gpu_count,
                                         .cases = cases,
                                         .search = &search};
    enum status status = layout_search(&search, &arguments->tile, cases, access_count * arguments->gpu_count, error);
    if (status == STATUS_OK && !standard_output_is(arguments->json)) {
        layouts_print(stdout, &answer);
    }
    THEN(status, print_file(arguments->json, layouts_write_json, &answer, error));
    layout_search_clear(&search);
    return status;
}

static enum status explain_typed(const struct arguments *arguments, struct error *error) {
    const size_t count = arguments->accesses.count, gpus = arguments->gpu_count;
    const char *const *accesses = arguments->accesses.values;
    struct layout_case *cases = memory_zeros(count * gpus, sizeof *cases);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = layout_cases_make(&cases[i * gpus], accesses[i], &arguments->tile, arguments->gpus, gpus, error);
    }
    THEN(status, search_and_show(arguments, accesses, count, cases, error));
    layout_cases_free(cases, count * gpus);
    return status;
}

// Runs the kernel on each GPU.
static enum status record(const struct arguments *arguments, struct kernel_report *reports,
                          struct recorded_accesses *accesses, struct error *error) {
    struct kernel_run run = arguments->kernel;
    run.records = true;
    enum status status = kernel_read_texts(&run, error);
    for (size_t i = 0; i < arguments->gpu_count && status == STATUS_OK; i++) {
        struct kernel_report *const report = &reports[i];
        status = kernel_run(&run, arguments->gpus[i], &report, NULL, error);
        THEN(status, recorded_accesses_add(accesses, &report->records, arguments->array, error));
    }
    kernel_free_texts(&run);
    return status;
}

static enum status explain_recorded(const struct arguments *arguments, struct error *error) {
    const size_t gpus = arguments->gpu_count;
    struct recorded_accesses accesses = {0};
    struct kernel_report *reports = memory_zeros(gpus, sizeof *reports);
    enum status status = record(arguments, reports, &accesses, error);
    const char **names = memory_zeros(accesses.count, sizeof *names);
    struct layout_case *cases = memory_zeros(accesses.count * gpus, sizeof *cases);
    for (size_t i = 0; i < accesses.count * gpus && status == STATUS_OK; i++) {
        const struct recorded_access *access = &accesses.list[i / gpus];
        names[i / gpus] = access->name;
        status = recorded_case(&cases[i], access, &reports[i % gpus].records, arguments->array,
                               arguments->gpus[i % gpus], &arguments->tile, error);
    }
    THEN(status, search_and_show(arguments, names, accesses.count, cases, error));
    layout_cases_free(cases, accesses.count * gpus);
    for (size_t i = 0; i < gpus; i++) {
        kernel_report_clear(&reports[i]);
    }
    free(names);
    free(accesses.list);
    free(reports);
    return status;
}

enum status explain_layout(const struct arguments *arguments, struct error *error) {
    return (arguments->array ? explain_recorded : explain_typed)(arguments, error);
}
