#include "lanes/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sim/confine.h"
#include "device/sim/sim.h"
#include "lanes/transfer.h"
#include "util/child.h"

enum {
    FILE_BYTES_MAX = 16 << 20,
    CONSTANTS_MAX = 32,
    CONSTANT_NAME = 64
};

static enum status can_not_read(const char *path, struct error *error) {
    return error_set(error, STATUS_USAGE, "%.200s: cannot be read: %s", path, strerror(errno));
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

// A run while its process carries it out.
struct running {
    const struct kernel_run *run;
    char *const *texts;
    const struct gpu *gpu;
    bool saves; // whether buffers are sent
    FILE *results;
    struct device *device;
    struct kernel *kernels[LAUNCHES_MAX];
    struct values values[LAUNCHES_MAX];
    struct value_list list;
};

static enum status build(struct running *running, size_t number, struct error *error) {
    const struct kernel_launch *launch = &running->run->launches[number];
    struct constants constants;
    enum status status = parse_constants(&launch->constants, &constants, error);
    if (status != STATUS_OK) {
        return status;
    }
    // Kernels of bankshot's own dialect are C.
    const char *text = running->texts[number];
    const bool own = strstr(text, "device/kernel/kernel.h") != NULL;
    device_run_ptx(running->device, launch->via && strcmp(launch->via, "ptx") == 0);
    struct kernel_source source = {.file_name = launch->path, .text = text};
    struct kernel_request request = {.source = &source,
                                     .language = launch->ptx ? KERNEL_PTX
                                                 : own       ? KERNEL_C
                                                             : KERNEL_CXX,
                                     .from_file = true,
                                     .entry = launch->entry,
                                     .constants = constants.list,
                                     .constant_count = launch->constants.count};
    status = device_build(running->device, &request, &running->kernels[number], error);
    const char *note = status == STATUS_OK ? sim_kernel_note(running->kernels[number]) : NULL;
    if (note) {
        fprintf(stderr, "lanes: %s\n", note);
    }
    return status;
}

static enum status build_all(struct running *running, struct error *error) {
    const struct kernel_run *run = running->run;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < run->launch_count && status == STATUS_OK; i++) {
        const struct option_list *texts = &run->launches[i].values;
        status = build(running, i, error);
        if (status == STATUS_OK) {
            status = values_make(&running->values[i], &running->list, running->device, run->seed, texts->values,
                                 texts->count, error);
        }
    }
    return status;
}

// From the first byte of the results on, the parent's clock runs.
static void confine(struct running *running) {
    const struct device_info *info = &running->device->info;
    fputc('L', running->results);
    fflush(running->results);
    const uint64_t counters = (info->memory_bytes - info->memory_free_bytes) / 4;
    sim_confine_kernels(counters + sim_thread_bytes(running->device) + ((uint64_t)2 << 30),
                        running->run->max_time_s + 0.25);
}

static enum status take_lines(struct device *device, struct line_list *list, struct error *error) {
    return sim_lines(device, &list->lines, &list->count, error);
}

static enum status take_report(struct running *running, size_t number, struct kernel_report *report,
                               struct error *error) {
    struct device *device = running->device;
    snprintf(report->kernel, sizeof report->kernel, "%s", sim_kernel_name(running->kernels[number]));
    enum status status = device_counts(device, &report->counts, error);
    if (status == STATUS_OK) {
        status = take_lines(device, &report->source_lines, error);
    }
    if (status == STATUS_OK && running->run->launches[number].ptx) {
        sim_prefer_ptx_lines(device);
        status = take_lines(device, &report->ptx_lines, error);
    }
    return status;
}

static enum status launch(struct running *running, size_t number, struct error *error) {
    const struct kernel_launch *asked = &running->run->launches[number];
    const struct values *values = &running->values[number];
    const struct launch launch = {.grid = asked->grid,
                                  .block = asked->block,
                                  .dynamic_shared_bytes = (uint32_t)asked->shared_bytes,
                                  .arguments = values->arguments,
                                  .argument_count = values->count};
    return device_launch(running->device, running->kernels[number], &launch, error);
}

// Launches in turn and sends each report, up to the first failure.
static enum status launch_all(struct running *running, struct error *error) {
    enum status status = STATUS_OK;
    confine(running);
    for (size_t i = 0; i < running->run->launch_count && status == STATUS_OK; i++) {
        struct kernel_report report = {0};
        status = launch(running, i, error);
        if (status == STATUS_OK) {
            status = take_report(running, i, &report, error);
        }
        if (status == STATUS_OK) {
            report_send(running->results, status, &report, error);
        }
        kernel_report_clear(&report);
    }
    return status;
}

// The buffer that a --save names: its --arg's name or number, or the parameter of a kernel that it is passed to.
static const struct value *find_saved(const struct running *running, const char *text) {
    const size_t length = save_name_length(text);
    const struct value *value = value_named(&running->list, text, length);
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    if (!value && end == text + length && number >= 1 && number <= running->list.count) {
        value = &running->list.values[number - 1];
    }
    for (size_t i = 0; i < running->run->launch_count && !value; i++) {
        for (size_t j = 0; j < running->values[i].count && !value; j++) {
            const char *name = sim_argument_name(running->kernels[i], j);
            const bool same = name && strlen(name) == length && strncmp(name, text, length) == 0;
            value = same ? value_passed(&running->list, &running->values[i].arguments[j]) : NULL;
        }
    }
    return value && value->argument.type == ARGUMENT_POINTER ? value : NULL;
}

static enum status find_all_saved(struct running *running, const struct value *found[SAVES_MAX], struct error *error) {
    const struct option_list *saves = &running->run->saves;
    for (size_t i = 0; i < saves->count && running->saves; i++) {
        found[i] = find_saved(running, saves->values[i]);
        if (!found[i]) {
            return error_set(
                error, STATUS_USAGE,
                "--save %.100s: no such buffer: name one with --arg NAME=buffer:..., or give the number of "
                "its --arg",
                saves->values[i]);
        }
    }
    return STATUS_OK;
}

static enum status send_saved(struct running *running, const struct value *const *found, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < running->run->saves.count && running->saves && status == STATUS_OK; i++) {
        status = save_send(running->results, running->device, found[i], error);
    }
    return status;
}

// In the child, which ends without closing the device.
static void carry_out(FILE *results, void *context) {
    struct running *running = context;
    static const struct kernel_report none;
    const struct value *found[SAVES_MAX];
    struct error error = {0};
    char spec[64];
    running->results = results;
    snprintf(spec, sizeof spec, "sim:%s", running->gpu->name);
    sim_confine_compilers();
    enum status status = device_open(spec, &running->device, &error);
    if (status == STATUS_OK) {
        sim_set_time_limit(running->device, running->run->max_time_s);
        device_simulate_blocks(running->device, running->run->simulated_blocks);
        device_show_progress(running->device, true);
        status = build_all(running, &error);
    }
    if (status == STATUS_OK) {
        status = find_all_saved(running, found, &error);
    }
    if (status == STATUS_OK) {
        status = launch_all(running, &error);
    }
    if (status == STATUS_OK) {
        status = send_saved(running, found, &error);
    }
    if (status != STATUS_OK) {
        report_send(results, status, &none, &error);
    }
}

static enum status receive(const struct kernel_run *run, const char *bytes, size_t count,
                           struct kernel_report *const *reports, struct saved *saved, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < run->launch_count && status == STATUS_OK; i++) {
        status = report_receive(&bytes, &count, reports[i], error);
    }
    for (size_t i = 0; i < run->saves.count && saved && status == STATUS_OK; i++) {
        status = save_receive(&bytes, &count, &saved[i], error);
    }
    return status;
}

enum status kernel_run(const struct kernel_run *run, char *const *texts, const struct gpu *gpu,
                       struct kernel_report *const *reports, struct saved *saved, struct error *error) {
    char *results = NULL;
    size_t bytes;
    struct running *running = calloc(1, sizeof *running);
    if (!running) {
        return error_set(error, STATUS_FAILED, "out of memory: close other programs");
    }
    *running = (struct running){.run = run, .texts = texts, .gpu = gpu, .saves = saved};
    const struct child_task task = {carry_out, running, run->launches[0].path, run->max_time_s + 2};
    for (size_t i = 0; i < run->launch_count; i++) {
        *reports[i] = (struct kernel_report){.gpu = gpu};
    }
    enum status status = child_run(&task, &results, &bytes, error);
    if (status == STATUS_OK) {
        const size_t mark = bytes && *results == 'L';
        status = receive(run, results + mark, bytes - mark, reports, saved, error);
    }
    free(results);
    free(running);
    for (size_t i = 0; i < run->launch_count && status != STATUS_OK; i++) {
        kernel_report_clear(reports[i]);
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
