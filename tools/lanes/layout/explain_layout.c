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

// The question, as typed or recorded, and as requests.
struct question {
    const struct arguments *arguments;
    const char **names;        // of the accesses
    struct layout_case *cases; // of each access, a case for each GPU
    size_t access_count, gpu_count;
};

static void make_room(struct question *question, size_t accesses) {
    question->access_count = accesses;
    question->gpu_count = question->arguments->gpu_count;
    question->names = memory_zeros(accesses, sizeof *question->names);
    question->cases = memory_zeros(accesses * question->gpu_count, sizeof *question->cases);
}

static struct layout_case *case_of(const struct question *question, size_t access, size_t gpu) {
    return &question->cases[access * question->gpu_count + gpu];
}

// ---- Accesses as typed ----

static enum status take_typed(struct question *question, struct error *error) {
    const struct arguments *arguments = question->arguments;
    make_room(question, arguments->accesses.count);
    for (size_t i = 0; i < question->access_count; i++) {
        question->names[i] = arguments->accesses.values[i];
        TRY(layout_cases_make(case_of(question, i, 0), question->names[i], &arguments->tile, arguments->gpus,
                              question->gpu_count, error));
    }
    return STATUS_OK;
}

// ---- Accesses of a kernel ----

struct recorded {
    struct kernel_report reports[GPUS_MAX];
    struct recorded_accesses accesses;
};

// Runs the kernel on each GPU.
static enum status record(const struct arguments *arguments, struct recorded *recorded, struct error *error) {
    struct kernel_run run = arguments->kernel;
    char *text = NULL;
    run.records = true;
    enum status status = kernel_read_launch(&run.launches[0], &text, error);
    for (size_t i = 0; i < arguments->gpu_count && status == STATUS_OK; i++) {
        struct kernel_report *const report = &recorded->reports[i];
        status = kernel_run(&run, &text, arguments->gpus[i], &report, NULL, error);
        THEN(status, recorded_accesses_add(&recorded->accesses, &report->records, arguments->array, error));
    }
    free(text);
    return status;
}

static enum status make_recorded_cases(struct question *question, const struct recorded *recorded,
                                       struct error *error) {
    const struct arguments *arguments = question->arguments;
    make_room(question, recorded->accesses.count);
    for (size_t i = 0; i < question->access_count; i++) {
        const struct recorded_access *access = &recorded->accesses.list[i];
        question->names[i] = access->name;
        for (size_t gpu = 0; gpu < question->gpu_count; gpu++) {
            TRY(recorded_case(case_of(question, i, gpu), access, &recorded->reports[gpu].records, arguments->array,
                              arguments->gpus[gpu], &arguments->tile, error));
        }
    }
    return STATUS_OK;
}

// ---- The answer ----

static enum status show(const struct question *question, const struct layout_search *search, struct error *error) {
    const struct arguments *arguments = question->arguments;
    const struct layout_answer answer = {.accesses = question->names,
                                         .access_count = question->access_count,
                                         .gpus = arguments->gpus,
                                         .gpu_count = question->gpu_count,
                                         .cases = question->cases,
                                         .search = search};
    if (!standard_output_is(arguments->json)) {
        layouts_print(stdout, &answer);
    }
    return print_file(arguments->json, layouts_write_json, &answer, error);
}

static enum status answer(const struct question *question, struct error *error) {
    struct layout_search search;
    enum status status = layout_search(&search, &question->arguments->tile, question->cases,
                                       question->access_count * question->gpu_count, error);
    THEN(status, show(question, &search, error));
    layout_search_clear(&search);
    return status;
}

static void clear(struct question *question) {
    for (size_t i = 0; i < question->access_count * question->gpu_count; i++) {
        free(question->cases[i].requests.list);
    }
    free(question->cases);
    free(question->names);
}

static enum status explain_recorded(struct question *question, struct error *error) {
    struct recorded *recorded = memory_zeros(1, sizeof *recorded);
    enum status status = record(question->arguments, recorded, error);
    THEN(status, make_recorded_cases(question, recorded, error));
    THEN(status, answer(question, error));
    for (size_t i = 0; i < question->arguments->gpu_count; i++) {
        kernel_report_clear(&recorded->reports[i]);
    }
    free(recorded->accesses.list);
    free(recorded);
    return status;
}

enum status explain_layout(const struct arguments *arguments, struct error *error) {
    struct question question = {.arguments = arguments};
    enum status status;
    if (arguments->array) {
        status = explain_recorded(&question, error);
    } else {
        status = take_typed(&question, error);
        THEN(status, answer(&question, error));
    }
    clear(&question);
    return status;
}
