#include "tools/lanes/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lanes/layout/name.h"
#include "tools/lanes/layout/recorded_access.h"

// Runs all launches again. On success the caller clears the report of the cure's launch.
static bool run_again(const struct trial_kernel *kernel, const struct gpu *gpu, const struct kernel_run *run,
                      struct kernel_report *report) {
    struct kernel_report others[LAUNCHES_MAX] = {0};
    struct kernel_report *reports[LAUNCHES_MAX];
    for (size_t i = 0; i < LAUNCHES_MAX; i++) {
        reports[i] = i == kernel->launch ? report : &others[i];
    }
    struct error error = {0};
    const bool done = kernel_run(run, kernel->texts, gpu, reports, NULL, &error) == STATUS_OK;
    error_clear(&error);
    for (size_t i = 0; i < LAUNCHES_MAX; i++) {
        kernel_report_clear(&others[i]);
    }
    return done;
}

// Predicts the launch as if its data were moved; false if that cannot be run.
static bool predict(const struct trial_kernel *kernel, const struct gpu *gpu, const struct sim_remap *remap,
                    double *predicted_ns) {
    struct kernel_run run = *kernel->run;
    struct kernel_report report = {0};
    run.saves.count = 0;
    run.remap = *remap;
    run.remapped = kernel->launch;
    if (!run_again(kernel, gpu, &run, &report)) {
        return false;
    }
    *predicted_ns = report.counts.predicted_ns;
    kernel_report_clear(&report);
    return true;
}

// ---- An array in shared memory ----

// The array that the line accesses with most requests in this operation.
static const struct sim_recorded *find_array(const struct record_list *records, const struct access *access) {
    const struct sim_recorded *most = NULL;
    for (size_t i = 0; i < records->count; i++) {
        const struct sim_recorded *record = &records->list[i];
        const bool fits = record->line == access->line->number && record->request.operation == access->operation;
        most = fits && (!most || record->count > most->count) ? record : most;
    }
    return most;
}

// Rows as long as lanes are apart that go down a column, of elements as wide as the narrowest access.
static bool find_tile(const struct record_list *records, const struct sim_recorded *array, uint64_t row_bytes,
                      struct tile *tile) {
    uint32_t element = array->request.width_bytes;
    for (size_t i = 0; i < records->count; i++) {
        const struct sim_recorded *record = &records->list[i];
        if (record->array_offset == array->array_offset && record->request.width_bytes < element) {
            element = record->request.width_bytes;
        }
    }
    if (!row_bytes || row_bytes % element || row_bytes > array->array_bytes || array->array_bytes > TILE_BYTES_MAX) {
        return false;
    }
    *tile = (struct tile){(uint32_t)(array->array_bytes / row_bytes), (uint32_t)(row_bytes / element), element};
    return tile_bytes(tile) == array->array_bytes;
}

// The best layouts for the recorded accesses.
static bool search(const struct record_list *records, const char *array, const struct tile *tile, const struct gpu *gpu,
                   struct layout_search *found) {
    struct recorded_accesses accesses = {0};
    struct error error = {0};
    enum status status = recorded_accesses_add(&accesses, records, array, &error);
    struct layout_case *cases = calloc(accesses.count + 1, sizeof *cases);
    for (size_t i = 0; cases && i < accesses.count && status == STATUS_OK; i++) {
        const struct recorded_access *access = &accesses.list[i];
        cases[i] = (struct layout_case){.gpu = gpu, .operation = access->operation, .bytes = access->bytes};
        status = recorded_requests(access, records, array, tile, &cases[i].requests, &error);
    }
    *found = (struct layout_search){0};
    if (status == STATUS_OK && cases) {
        status = layout_search(found, tile, cases, accesses.count, &error);
    }
    for (size_t i = 0; cases && i < accesses.count; i++) {
        free(cases[i].requests.list);
    }
    error_clear(&error);
    free(accesses.list);
    free(cases);
    return found->tried_count > 0 && status == STATUS_OK;
}

static bool try_layout(const struct trial_kernel *kernel, const struct gpu *gpu, const struct sim_recorded *array,
                       const struct layout *layout, struct trial *trial) {
    const struct sim_remap remap = {
        .kind = REMAP_TILE, .begin = array->array_offset, .bytes = array->array_bytes, .layout = *layout};
    char name[LAYOUT_NAME], index[LAYOUT_INDEX];
    layout_name(layout, name);
    layout_index(layout, index);
    snprintf(trial->text, sizeof trial->text, "tried %s of %s, index = %s:", name,
             *array->array ? array->array : "the array", index);
    return predict(kernel, gpu, &remap, &trial->predicted_ns);
}

// Tries the best padding and the best swizzle, if they are better than the array as it is.
static size_t try_layouts(const struct trial_kernel *kernel, const struct gpu *gpu, const struct sim_recorded *array,
                          const struct layout_search *found, struct trial trials[TRIALS_MAX]) {
    size_t count = 0;
    bool tried[2] = {false};
    for (size_t i = 0; i < found->tried_count && count < TRIALS_MAX; i++) {
        const struct layout *layout = &found->tried[i].layout;
        const bool swizzles = layout->bits > 0;
        if (!layout->padding && !swizzles) {
            break;
        }
        if (!tried[swizzles]) {
            tried[swizzles] = true;
            count += try_layout(kernel, gpu, array, layout, &trials[count]);
        }
    }
    return count;
}

static size_t try_tile(const struct trial_kernel *kernel, const struct kernel_report *report, const struct cure *cure,
                       struct trial trials[TRIALS_MAX]) {
    struct kernel_run run = *kernel->run;
    struct kernel_report recorded = {0};
    struct layout_search found = {0};
    struct tile tile;
    size_t count = 0;
    run.records = true;
    run.saves.count = 0;
    if (!run_again(kernel, report->gpu, &run, &recorded)) {
        return 0;
    }
    const struct sim_recorded *array = find_array(&recorded.records, cure->access);
    if (array && find_tile(&recorded.records, array, cure->stride_bytes, &tile) &&
        search(&recorded.records, *array->array ? array->array : "dynamic", &tile, report->gpu, &found)) {
        count = try_layouts(kernel, report->gpu, array, &found, trials);
    }
    layout_search_clear(&found);
    kernel_report_clear(&recorded);
    return count;
}

// ---- Structures in global memory ----

static size_t try_structs(const struct trial_kernel *kernel, const struct kernel_report *report,
                          const struct cure *cure, struct trial trials[TRIALS_MAX]) {
    const struct sim_line *line = cure->access->line;
    const struct sim_remap remap = {.kind = REMAP_STRUCTS,
                                    .begin = line->buffer[cure->access->operation].address,
                                    .bytes = line->buffer[cure->access->operation].bytes,
                                    .struct_bytes = (uint32_t)cure->stride_bytes,
                                    .member_bytes = cure->access->costliest->width_bytes};
    snprintf(trials->text, sizeof trials->text, "tried a structure of arrays:");
    return predict(kernel, report->gpu, &remap, &trials->predicted_ns);
}

size_t trial_run(const struct trial_kernel *kernel, const struct kernel_report *report, const struct cure *cure,
                 struct trial trials[TRIALS_MAX]) {
    switch (cure->kind) {
    case CURE_TILE:
        return try_tile(kernel, report, cure, trials);
    case CURE_STRUCTS:
        return try_structs(kernel, report, cure, trials);
    case CURE_REUSE:
    case CURE_OTHER:
        break;
    }
    return 0;
}
