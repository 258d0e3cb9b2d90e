#include "tools/lanes/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/compile/disassemble.h"
#include "sim/process.h"
#include "sim/sim.h"
#include "tools/lanes/kernel_report.h"
#include "util/child.h"

enum {
    FILE_BYTES_MAX = 16 << 20,
    PRINTS_MAX = 1 << 20, // bytes, as by default in CUDA
    CONSTANTS_MAX = 32,
    CONSTANT_NAME = 64
};

// Some editors begin a text in UTF-8 with it.
static const char byte_order_mark[] = "\xef\xbb\xbf";

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
    if (memcmp(buffer, byte_order_mark, sizeof byte_order_mark - 1) == 0) {
        memmove(buffer, buffer + sizeof byte_order_mark - 1, length + 1 - (sizeof byte_order_mark - 1));
    }
    *text = buffer;
    return STATUS_OK;
}

enum status kernel_read_launch(const struct kernel_launch *launch, char **text, struct error *error) {
    const bool is_object = launch->assembly && sim_is_code_object(launch->path);
    return (is_object ? sim_disassemble : kernel_read)(launch->path, text, error);
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
    for (size_t i = 0; i < texts->count; i++) {
        TRY(parse_constant(texts->values[i], constants->names[i], &constants->list[i], error));
    }
    return STATUS_OK;
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

// Whether the file is in bankshot's own dialect, which is C.
static bool includes_dialect(const char *text) {
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += strspn(line, " \t\n");
        if (strncmp(line, "#include \"device/kernel/kernel.h\"", strlen("#include \"device/kernel/kernel.h\"")) == 0) {
            return true;
        }
    }
    return false;
}

static enum status build(struct running *running, size_t number, struct error *error) {
    const struct kernel_launch *launch = &running->run->launches[number];
    struct constants constants;
    enum status status = parse_constants(&launch->constants, &constants, error);
    if (status != STATUS_OK) {
        return status;
    }
    const char *text = running->texts[number];
    const bool is_c = (launch->via && strcmp(launch->via, "c") == 0) || includes_dialect(text);
    device_run_via(running->device, device_via_named(launch->via));
    struct kernel_source source = {.file_name = launch->path, .text = text};
    struct kernel_request request = {.source = &source,
                                     .language = launch->assembly ? KERNEL_AMDGCN
                                                 : launch->ptx    ? KERNEL_PTX
                                                 : is_c           ? KERNEL_C
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
    for (size_t i = 0; i < run->launch_count; i++) {
        const struct option_list *texts = &run->launches[i].values;
        TRY(build(running, i, error));
        TRY(values_make(&running->values[i], &running->list, running->device, run->seed, texts->values, texts->count,
                        error));
    }
    return STATUS_OK;
}

// From the first byte of the results on, the parent's clock runs. Nothing of the user's has been loaded yet.
static void confine(struct running *running) {
    const struct device_info *info = &running->device->info;
    dup2(STDOUT_FILENO, STDERR_FILENO); // whatever the kernel prints is limited
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
    TRY(device_counts(device, &report->counts, error));
    TRY(take_lines(device, &report->source_lines, error));
    if (running->run->launches[number].ptx || running->run->launches[number].assembly) {
        sim_prefer_own_lines(device);
        TRY(take_lines(device, &report->ptx_lines, error));
    }
    return running->run->records ? sim_records(device, &report->records.list, &report->records.count, error)
                                 : STATUS_OK;
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

static enum status load_all(struct running *running, struct error *error) {
    for (size_t i = 0; i < running->run->launch_count; i++) {
        const struct kernel_launch *launch = &running->run->launches[i];
        TRY(sim_load(running->kernels[i], launch->path, launch->entry, error));
    }
    return STATUS_OK;
}

// Launches in turn and sends each report, up to the first failure.
static enum status launch_all(struct running *running, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < running->run->launch_count && status == STATUS_OK; i++) {
        struct kernel_report report = {0};
        const struct kernel_run *run = running->run;
        const bool remapped = run->remap.kind != REMAP_NONE && i == run->remapped;
        sim_set_remap(running->device, remapped ? &run->remap : NULL);
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
        const struct launch passed = {.arguments = running->values[i].arguments,
                                      .argument_count = running->values[i].count};
        for (size_t j = 0; j < running->values[i].count && !value; j++) {
            const char *name = sim_argument_name(running->kernels[i], &passed, j);
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
    for (size_t i = 0; i < running->run->saves.count && running->saves; i++) {
        TRY(save_send(running->results, running->device, found[i], error));
    }
    return STATUS_OK;
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
        if (running->run->allows_races) {
            sim_allow_races(running->device);
        }
        device_show_progress(running->device, true);
        sim_load_later(running->device);
        if (running->run->records) {
            sim_record_shared(running->device);
        }
        status = build_all(running, &error);
    }
    if (status == STATUS_OK) {
        confine(running);
        status = load_all(running, &error);
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
    for (size_t i = 0; i < run->launch_count; i++) {
        TRY(report_receive(&bytes, &count, reports[i], error));
    }
    for (size_t i = 0; i < run->saves.count && saved; i++) {
        TRY(save_receive(&bytes, &count, &saved[i], error));
    }
    return STATUS_OK;
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
    const struct child_task task = {.run = carry_out,
                                    .context = running,
                                    .what = run->launches[0].path,
                                    .limit_s = run->max_time_s + 2,
                                    .prints_at_most = PRINTS_MAX,
                                    .program = "lanes"};
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
