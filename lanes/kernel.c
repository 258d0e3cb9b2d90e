#include "lanes/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanes/values.h"

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

static enum status build(const struct kernel_run *run, const char *text, struct kernel_report *report,
                         struct error *error) {
    struct constants constants;
    enum status status = parse_constants(&run->constants, &constants, error);
    if (status != STATUS_OK) {
        return status;
    }
    // Kernels of bankshot's own dialect are C.
    const bool own = strstr(text, "device/kernel/kernel.h") != NULL;
    device_run_ptx(report->device, run->via && strcmp(run->via, "ptx") == 0);
    struct kernel_source source = {.file_name = run->path, .text = text};
    struct kernel_request request = {.source = &source,
                                     .language = run->ptx ? KERNEL_PTX
                                                 : own    ? KERNEL_C
                                                          : KERNEL_CXX,
                                     .entry = run->entry,
                                     .constants = constants.list,
                                     .constant_count = run->constants.count};
    return device_build(report->device, &request, &report->kernel, error);
}

static enum status launch(const struct kernel_run *run, struct kernel_report *report, struct error *error) {
    struct device *device = report->device;
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
    status = device_launch(device, report->kernel, &launch, error);
    if (status == STATUS_OK) {
        status = device_counts(device, &report->counts, error);
    }
    if (status == STATUS_OK) {
        status = sim_lines(device, &report->lines, &report->line_count, error);
    }
    return status;
}

enum status kernel_launch(const struct kernel_run *run, const char *text, const struct gpu *gpu,
                          struct kernel_report *report, struct error *error) {
    char spec[64];
    *report = (struct kernel_report){.gpu = gpu};
    snprintf(spec, sizeof spec, "sim:%s", gpu->name);
    enum status status = device_open(spec, &report->device, error);
    if (status == STATUS_OK) {
        status = build(run, text, report, error);
    }
    if (status == STATUS_OK) {
        status = launch(run, report, error);
    }
    if (status != STATUS_OK) {
        kernel_report_clear(report);
    }
    return status;
}

enum status kernel_show_ptx(struct kernel_report *report, struct error *error) {
    free(report->lines);
    report->lines = NULL;
    report->line_count = 0;
    sim_prefer_ptx_lines(report->device);
    return sim_lines(report->device, &report->lines, &report->line_count, error);
}

void kernel_report_clear(struct kernel_report *report) {
    free(report->lines);
    if (report->kernel) {
        device_discard(report->device, report->kernel);
    }
    if (report->device) {
        device_close(report->device);
    }
    *report = (struct kernel_report){0};
}
