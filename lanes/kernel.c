#include "lanes/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sim/confine.h"
#include "device/sim/sim.h"
#include "lanes/transfer.h"
#include "lanes/values.h"
#include "util/child.h"

enum {
    FILE_BYTES_MAX = 16 << 20,
    CONSTANTS_MAX = 32,
    CONSTANT_NAME = 64
};

static enum status can_not_read(const char *path, struct error *error) {
    return error_set(error, STATUS_USAGE, "%.200s: can't be read: %s", path, strerror(errno));
}

enum status kernel_read(const char *path, char **text, struct error *error) {
    FILE *file = fopen(path, "r");
    if (!file) {
        return can_not_read(path, error);
    }
    char *buffer = malloc(FILE_BYTES_MAX + 1);
    size_t length = buffer ? fread(buffer, 1, FILE_BYTES_MAX, file) : 0;
    enum status status = STATUS_OK;
    if (!buffer) {
        status = error_set(error, STATUS_FAILED, "out of memory: close other programs");
    } else if (ferror(file)) {
        status = can_not_read(path, error);
    } else if (length == FILE_BYTES_MAX || memchr(buffer, '\0', length)) {
        status =
            error_set(error, STATUS_USAGE, "%.200s: not a kernel's source: give a text file of less than 16 MB", path);
    }
    fclose(file);
    if (status != STATUS_OK) {
        free(buffer);
        return status;
    }
    buffer[length] = '\0';
    *text = buffer;
    return STATUS_OK;
}

struct constants {
    struct kernel_constant list[CONSTANTS_MAX];
    char names[CONSTANTS_MAX][CONSTANT_NAME];
};

// NAME=VALUE
static enum status parse_constant(const char *text, char name[CONSTANT_NAME], struct kernel_constant *constant,
                                  struct error *error) {
    size_t length = strcspn(text, "=");
    char *end = NULL;
    errno = 0;
    if (length > 0 && length < CONSTANT_NAME && text[length]) {
        constant->value = strtoll(text + length + 1, &end, 0);
    }
    if (!end || *end || end == text + length + 1 || errno) {
        return error_set(error, STATUS_USAGE, "--define %.100s: not understood: give NAME=NUMBER", text);
    }
    memcpy(name, text, length);
    name[length] = '\0';
    constant->name = name;
    return STATUS_OK;
}

static enum status parse_constants(const struct option_list *texts, struct constants *constants, struct error *error) {
    if (texts->count > CONSTANTS_MAX) {
        return error_set(error, STATUS_USAGE, "--define: more than %d: give fewer", CONSTANTS_MAX);
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; i < texts->count && status == STATUS_OK; i++) {
        status = parse_constant(texts->values[i], constants->names[i], &constants->list[i], error);
    }
    return status;
}

// A kernel while its process runs it.
struct running {
    const struct kernel_run *run;
    const char *text;
    const struct gpu *gpu;
    FILE *results;
    struct device *device;
    struct kernel *kernel;
    struct kernel_report report;
};

static enum status build(struct running *running, struct error *error) {
    const struct kernel_run *run = running->run;
    struct constants constants;
    enum status status = parse_constants(&run->constants, &constants, error);
    if (status != STATUS_OK) {
        return status;
    }
    // Kernels of bankshot's own dialect are C.
    const bool own = strstr(running->text, "device/kernel/kernel.h") != NULL;
    device_run_ptx(running->device, run->via && strcmp(run->via, "ptx") == 0);
    struct kernel_source source = {.file_name = run->path, .text = running->text};
    struct kernel_request request = {.source = &source,
                                     .language = run->ptx ? KERNEL_PTX
                                                 : own    ? KERNEL_C
                                                          : KERNEL_CXX,
                                     .entry = run->entry,
                                     .constants = constants.list,
                                     .constant_count = run->constants.count};
    return device_build(running->device, &request, &running->kernel, error);
}

// From the first byte of the results on, the parent's clock runs.
static void confine(struct running *running) {
    const struct device_info *info = &running->device->info;
    fputc('L', running->results);
    fflush(running->results);
    sim_confine_kernels((info->memory_bytes - info->memory_free_bytes) / 4 + ((uint64_t)2 << 30),
                        running->run->max_time_s + 0.25);
}

static enum status take_lines(struct device *device, struct line_list *list, struct error *error) {
    return sim_lines(device, &list->lines, &list->count, error);
}

static enum status launch(struct running *running, struct error *error) {
    const struct kernel_run *run = running->run;
    struct device *device = running->device;
    struct values values;
    enum status status = values_make(&values, device, run->values.values, run->values.count, error);
    if (status != STATUS_OK) {
        return status;
    }
    struct launch launch = {.grid = run->grid,
                            .block = run->block,
                            .dynamic_shared_bytes = (uint32_t)run->shared_bytes,
                            .arguments = values.arguments,
                            .argument_count = values.count};
    sim_set_time_limit(device, run->max_time_s);
    device_simulate_blocks(device, run->simulated_blocks);
    confine(running);
    status = device_launch(device, running->kernel, &launch, error);
    if (status == STATUS_OK) {
        status = device_counts(device, &running->report.counts, error);
    }
    if (status == STATUS_OK) {
        status = take_lines(device, &running->report.source_lines, error);
    }
    if (status == STATUS_OK && run->ptx) {
        sim_prefer_ptx_lines(device);
        status = take_lines(device, &running->report.ptx_lines, error);
    }
    return status;
}

// In the child, which ends without closing the device.
static void run_kernel(FILE *results, void *context) {
    struct running *running = context;
    struct error error = {0};
    char spec[64];
    running->results = results;
    snprintf(spec, sizeof spec, "sim:%s", running->gpu->name);
    sim_confine_compilers();
    enum status status = device_open(spec, &running->device, &error);
    if (status == STATUS_OK) {
        status = build(running, &error);
    }
    if (status == STATUS_OK) {
        status = launch(running, &error);
    }
    report_send(results, status, &running->report, &error);
}

enum status kernel_launch(const struct kernel_run *run, const char *text, const struct gpu *gpu,
                          struct kernel_report *report, struct error *error) {
    struct running running = {.run = run, .text = text, .gpu = gpu};
    const struct child_task task = {run_kernel, &running, run->path, run->max_time_s + 2};
    char *results;
    size_t bytes;
    *report = (struct kernel_report){.gpu = gpu, .blocks = (double)run->grid.x * run->grid.y * run->grid.z};
    enum status status = child_run(&task, &results, &bytes, error);
    if (status == STATUS_OK) {
        const size_t mark = bytes && *results == 'L';
        status = report_receive(results + mark, bytes - mark, report, error);
    }
    free(results);
    if (status != STATUS_OK) {
        kernel_report_clear(report);
    }
    return status;
}

void kernel_show_ptx(struct kernel_report *report) {
    report->lines = report->ptx_lines.lines;
    report->line_count = report->ptx_lines.count;
}

void kernel_report_clear(struct kernel_report *report) {
    struct line_list *const lists[] = {&report->source_lines, &report->ptx_lines};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        free(lists[i]->lines);
        free(lists[i]->names);
    }
    *report = (struct kernel_report){0};
}
