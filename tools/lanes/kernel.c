#include "tools/lanes/kernel.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/compile/disassemble.h"
#include "sim/process.h"
#include "sim/sim.h"
#include "tools/lanes/input/values.h"
#include "util/child.h"
#include "util/file.h"

// ---- Messages ----

// The message to the process that shows the result: lists, of each the number of its elements and then these. The
// kernel may have overwritten its process's memory, so that each list may be damaged.

// What is left of a message that is read.
struct message {
    const char *bytes;
    size_t left;
};

static void message_send(FILE *file, const void *elements, size_t size, size_t count) {
    fwrite(&count, sizeof count, 1, file);
    if (count) {
        fwrite(elements, size, count, file);
    }
}

// The next list's elements, which may lie at any address; NULL if the message holds no such list.
static const char *message_take(struct message *message, size_t size, size_t *count) {
    if (message->left < sizeof *count) {
        return NULL;
    }
    memcpy(count, message->bytes, sizeof *count);
    const char *elements = message->bytes + sizeof *count;
    message->left -= sizeof *count;
    if (*count > message->left / size) {
        return NULL;
    }
    message->left -= *count * size;
    message->bytes = elements + *count * size;
    return elements;
}

// ---- What a launch's rows say ----

enum {
    LOG_BYTES_MAX = 1 << 20
};

// A kernel may write into the pipe itself, so that a message is known by its first bytes.
static const uint64_t message_mark = UINT64_C(0x74726f706572726b);

// The head of the message. Its pointers have no meaning in the other process.
struct head {
    uint64_t mark;
    enum status status;
    char reason[sizeof((struct error *)0)->text];
    char kernel[KERNEL_NAME];
    struct launch_counts counts;
};

static void send_lines(FILE *file, const struct line_list *list) {
    message_send(file, list->lines, sizeof *list->lines, list->count);
    for (size_t i = 0; i < list->count; i++) {
        message_send(file, list->lines[i].file, 1, strlen(list->lines[i].file) + 1);
    }
}

// Writes the report, or the error if status is not STATUS_OK.
static void report_send(FILE *file, enum status status, const struct kernel_report *report, const struct error *error) {
    static const struct kernel_report none;
    const struct kernel_report *sent = status == STATUS_OK ? report : &none;
    struct head head = {.mark = message_mark, .status = status, .counts = sent->counts};
    const char *log = error->log ? error->log : "", *bound_by = sent->counts.predicted_by;
    memcpy(head.kernel, sent->kernel, sizeof head.kernel);
    snprintf(head.reason, sizeof head.reason, "%s", status == STATUS_OK ? (bound_by ? bound_by : "") : error->text);
    message_send(file, &head, sizeof head, 1);
    message_send(file, log, 1, strnlen(log, LOG_BYTES_MAX));
    send_lines(file, &sent->source_lines);
    send_lines(file, &sent->ptx_lines);
    message_send(file, sent->records.list, sizeof *sent->records.list, sent->records.count);
}

static enum status damaged(struct error *error) {
    return error_set(error, STATUS_FAILED, "the kernel's process ended without a result: see that it does not end it");
}

static bool is_valid(const struct request *request) {
    const uint32_t width = request->width_bytes;
    const uint32_t unit = width == 12 ? 4 : width; // to which addresses are aligned
    bool valid = width >= 1 && width <= 16 && (unit & (unit - 1)) == 0;
    valid = valid && (request->operation == OPERATION_LOAD || request->operation == OPERATION_STORE);
    for (uint64_t left = request->active; left && valid; left &= left - 1) {
        valid = request->address[__builtin_ctzll(left)] % unit == 0;
    }
    return valid;
}

// A kernel may have overwritten its process's memory, but a picture is drawn of valid requests only.
static void drop_invalid(struct sim_line *line) {
    for (size_t i = 0; i < LINE_KINDS; i++) {
        if (!is_valid(&line->costliest[i])) {
            line->costliest[i].active = 0;
        }
    }
}

static enum status receive_lines(struct message *message, struct line_list *list, struct error *error) {
    size_t count, length;
    const char *lines = message_take(message, sizeof *list->lines, &count);
    if (!lines) {
        return damaged(error);
    }
    list->lines = memory_zeros(count, sizeof *list->lines);
    memcpy(list->lines, lines, count * sizeof *list->lines);
    for (size_t i = 0; i < count; i++) {
        const char *name = message_take(message, 1, &length);
        if (!name || length == 0) {
            return damaged(error);
        }
        list->lines[i].file = texts_keep(&list->names, name, length - 1);
        drop_invalid(&list->lines[i]);
    }
    list->count = count;
    return STATUS_OK;
}

static enum status receive_failure(const char *log, size_t log_bytes, const struct head *head, struct error *error) {
    char *copy = memory_text(log, log_bytes);
    error_attach_log(error, copy);
    free(copy);
    const bool known = head->status == STATUS_USAGE || head->status == STATUS_NO_DEVICE;
    return error_set(error, known ? head->status : STATUS_FAILED, "%s", head->reason);
}

// Their files' names are of the other process.
static enum status receive_records(struct message *message, struct record_list *records, struct error *error) {
    size_t count;
    const char *bytes = message_take(message, sizeof *records->list, &count);
    if (!bytes || count > RECORDS_MAX) {
        return damaged(error);
    }
    records->list = memory_zeros(count, sizeof *records->list);
    for (size_t i = 0; i < count; i++) {
        struct sim_recorded *record = &records->list[records->count];
        memcpy(record, bytes + i * sizeof *record, sizeof *record);
        record->file = NULL;
        record->array[sizeof record->array - 1] = '\0';
        records->count += is_valid(&record->request) && record->request.active;
    }
    return STATUS_OK;
}

// Reads what report_send wrote. The kernel may have overwritten it, so everything is checked.
static enum status report_receive(struct message *message, struct kernel_report *report, struct error *error) {
    struct head head;
    size_t heads, log_bytes;
    const char *bytes = message_take(message, sizeof head, &heads), *log = message_take(message, 1, &log_bytes);
    if (!bytes || heads != 1 || !log) {
        return damaged(error);
    }
    memcpy(&head, bytes, sizeof head);
    head.reason[sizeof head.reason - 1] = '\0';
    if (head.mark != message_mark) {
        return damaged(error);
    }
    if (head.status != STATUS_OK) {
        return receive_failure(log, log_bytes, &head, error);
    }
    snprintf(report->predicted_by, sizeof report->predicted_by, "%.*s", (int)sizeof report->predicted_by - 1,
             head.reason);
    snprintf(report->kernel, sizeof report->kernel, "%.*s", KERNEL_NAME - 1, head.kernel);
    report->counts = head.counts;
    report->counts.predicted_by = *report->predicted_by ? report->predicted_by : NULL;
    TRY(receive_lines(message, &report->source_lines, error));
    TRY(receive_lines(message, &report->ptx_lines, error));
    TRY(receive_records(message, &report->records, error));
    report->lines = report->source_lines.lines;
    report->line_count = report->source_lines.count;
    return STATUS_OK;
}

void kernel_show_ptx(struct kernel_report *report) {
    report->lines = report->ptx_lines.lines;
    report->line_count = report->ptx_lines.count;
}

void kernel_report_clear(struct kernel_report *report) {
    struct line_list *const lists[] = {&report->source_lines, &report->ptx_lines};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        free(lists[i]->lines);
        texts_clear(&lists[i]->names);
    }
    free(report->records.list);
    *report = (struct kernel_report){0};
}

// ---- Texts and constants ----

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
    char *buffer = memory_zeros(FILE_BYTES_MAX + 1, 1);
    const size_t length = fread(buffer, 1, FILE_BYTES_MAX, file);
    enum status status = STATUS_OK;
    if (ferror(file)) {
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
    if (memcmp(buffer, byte_order_mark, sizeof byte_order_mark - 1) == 0) {
        memmove(buffer, buffer + sizeof byte_order_mark - 1, length + 1 - (sizeof byte_order_mark - 1));
    }
    *text = buffer;
    return STATUS_OK;
}

enum status kernel_read_launch(struct kernel_launch *launch, struct error *error) {
    const bool is_object = launch->assembly && sim_is_code_object(launch->path);
    return (is_object ? sim_disassemble : kernel_read)(launch->path, &launch->text, error);
}

struct constants {
    struct kernel_constant list[CONSTANTS_MAX];
    char names[CONSTANTS_MAX][CONSTANT_NAME];
};

// NAME=VALUE
static enum status parse_constant(const char *text, char name[CONSTANT_NAME], struct kernel_constant *constant,
                                  struct error *error) {
    int length = 0;
    char *end = NULL;
    errno = 0;
    if (sscanf(text, "%63[A-Za-z0-9_]=%n", name, &length) == 1 && length > 0) {
        *constant = (struct kernel_constant){name, strtoll(text + length, &end, 0)};
    }
    if (!end || *end || end == text + length || errno || isdigit((unsigned char)*text)) {
        return error_set(error, STATUS_USAGE, "--define %.100s: not understood: give NAME=NUMBER", text);
    }
    return STATUS_OK;
}

static enum status parse_constants(const struct option_list *texts, struct constants *constants, struct error *error) {
    if (texts->count > CONSTANTS_MAX) {
        return error_set(error, STATUS_USAGE, "--define: more than %d: give fewer", CONSTANTS_MAX);
    }
    for (size_t i = 0; i < texts->count; i++) {
        TRY(parse_constant(texts->values[i], constants->names[i], &constants->list[i], error));
        for (size_t k = 0; k < i; k++) {
            if (strcmp(constants->names[i], constants->names[k]) == 0) {
                return error_set(error, STATUS_USAGE, "--define %s: it is given twice: give it once",
                                 constants->names[i]);
            }
        }
    }
    return STATUS_OK;
}

// ---- The run in its own process ----

// A run while its process carries it out.
struct running {
    const struct kernel_run *run;
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
    TRY(parse_constants(&launch->constants, &constants, error));
    const bool is_c = (launch->via && strcmp(launch->via, "c") == 0) || includes_dialect(launch->text);
    device_run_via(running->device, device_via_named(launch->via));
    struct kernel_source source = {.file_name = launch->path, .text = launch->text};
    struct kernel_request request = {.source = &source,
                                     .language = launch->assembly ? KERNEL_AMDGCN
                                                 : launch->ptx    ? KERNEL_PTX
                                                 : is_c           ? KERNEL_C
                                                                  : KERNEL_CXX,
                                     .from_file = true,
                                     .entry = launch->entry,
                                     .constants = constants.list,
                                     .constant_count = launch->constants.count};
    const enum status status = device_build(running->device, &request, &running->kernels[number], error);
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
    dup2(STDOUT_FILENO, STDERR_FILENO); // whatever the kernel prints is limited
    fputc('L', running->results);
    fflush(running->results);
    const uint64_t counters = sim_used_bytes(running->device) / 4;
    sim_confine_kernels(counters + ((uint64_t)2 << 30), running->run->max_time_s + 0.25);
}

static enum status take_report(struct running *running, size_t number, struct kernel_report *report,
                               struct error *error) {
    struct device *device = running->device;
    snprintf(report->kernel, sizeof report->kernel, "%s", sim_kernel_name(running->kernels[number]));
    TRY(device_counts(device, &report->counts, error));
    TRY(sim_lines(device, &report->source_lines.lines, &report->source_lines.count, error));
    if (running->run->launches[number].ptx || running->run->launches[number].assembly) {
        sim_prefer_own_lines(device);
        TRY(sim_lines(device, &report->ptx_lines.lines, &report->ptx_lines.count, error));
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

// Refuses a launch without any --arg of a kernel that has parameters, and names them.
static enum status check_arguments(const struct kernel *kernel, const struct values *values, struct error *error) {
    char names[128] = "";
    const char *name;
    for (size_t i = 0, length = 0; (name = sim_parameter_name(kernel, i)) && length < sizeof names; i++) {
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", name);
    }
    if (values->count || !*names) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE,
                     "--arg: none is given, but kernel %s has parameters (%s): give one for each, in this order, as in "
                     "--arg buffer:float:4096 --arg int:64",
                     sim_kernel_name(kernel), names);
}

static enum status load_all(struct running *running, struct error *error) {
    for (size_t i = 0; i < running->run->launch_count; i++) {
        const struct kernel_launch *launch = &running->run->launches[i];
        TRY(sim_load(running->kernels[i], launch->path, launch->entry, error));
        TRY(check_arguments(running->kernels[i], &running->values[i], error));
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
        THEN(status, take_report(running, i, &report, error));
        if (status == STATUS_OK) {
            report_send(running->results, status, &report, error);
        }
        kernel_report_clear(&report);
    }
    return status;
}

// ---- Buffers that are saved ----

// The part of "BUFFER:FILE" before the colon.
static size_t save_name_length(const char *text) {
    return strcspn(text, ":");
}

static const char *file_of(const char *text) {
    return text + save_name_length(text) + 1;
}

enum status kernel_check_saves(const struct kernel_run *run, struct error *error) {
    if (run->saves.count > SAVES_MAX) {
        return error_set(error, STATUS_USAGE, "--save: more than %d: give fewer", SAVES_MAX);
    }
    for (size_t i = 0; i < run->saves.count; i++) {
        const char *text = run->saves.values[i];
        const size_t length = save_name_length(text);
        if (length == 0 || text[length] == '\0' || text[length + 1] == '\0' || strcmp(file_of(text), "-") == 0) {
            return error_set(error, STATUS_USAGE, "--save %.100s: not understood: give BUFFER:FILE.npy", text);
        }
        TRY(file_write_check(file_of(text), error));
    }
    return STATUS_OK;
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

// Sends what the file of the --save will hold: its header and the elements, row by row.
static enum status send_buffer(FILE *file, struct device *device, const struct value *value, const char *text,
                               struct error *error) {
    const size_t width = value->type->bytes, extent = shape_extent(&value->shape) * width;
    const size_t elements = shape_elements(&value->shape);
    char *buffer = malloc(extent);
    if (!buffer) {
        return error_set(error, STATUS_FAILED, "out of memory: save a smaller buffer");
    }
    const enum status status = device_copy_to_host(device, buffer, value->argument.value.pointer, extent, error);
    if (status == STATUS_OK) {
        char header[NPY_HEADER_MAX];
        const bool is_npy = fnmatch("*.npy", text, 0) == 0;
        const size_t header_bytes = is_npy ? npy_header(header, value->type, &value->shape) : 0;
        const size_t bytes = header_bytes + elements * width;
        fwrite(&bytes, sizeof bytes, 1, file); // as message_send does
        fwrite(header, 1, header_bytes, file);
        for (size_t i = 0; i < elements; i++) {
            fwrite(buffer + shape_place(&value->shape, i) * width, width, 1, file);
        }
    }
    free(buffer);
    return status;
}

static enum status receive_buffer(struct message *message, struct file_piece *piece, struct error *error) {
    piece->bytes = message_take(message, 1, &piece->count);
    return piece->bytes && piece->count > 0
               ? STATUS_OK
               : error_set(error, STATUS_FAILED,
                           "the kernel's process ended without a buffer: see that it does not end it");
}

enum status kernel_save(const struct kernel_run *run, const struct saved *saved, struct error *error) {
    for (size_t i = 0; i < run->saves.count; i++) {
        TRY(file_write(file_of(run->saves.values[i]), &saved->files[i], 1, error));
    }
    return STATUS_OK;
}

static enum status send_saved(struct running *running, const struct value *const *found, struct error *error) {
    for (size_t i = 0; i < running->run->saves.count && running->saves; i++) {
        TRY(send_buffer(running->results, running->device, found[i], running->run->saves.values[i], error));
    }
    return STATUS_OK;
}

// ---- Whole runs ----

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
        const struct sim_options options = {.time_limit_s = running->run->max_time_s,
                                            .allows_races = running->run->allows_races,
                                            .loads_later = true,
                                            .records = running->run->records};
        sim_set_options(running->device, &options);
        device_simulate_blocks(running->device, running->run->simulated_blocks);
        device_show_progress(running->device, true);
        status = build_all(running, &error);
    }
    if (status == STATUS_OK) {
        confine(running);
        status = load_all(running, &error);
    }
    THEN(status, find_all_saved(running, found, &error));
    THEN(status, launch_all(running, &error));
    THEN(status, send_saved(running, found, &error));
    if (status != STATUS_OK) {
        report_send(results, status, &none, &error);
    }
}

static enum status receive(const struct kernel_run *run, struct message *message, struct kernel_report *reports,
                           size_t apart, struct saved *saved, struct error *error) {
    for (size_t i = 0; i < run->launch_count; i++) {
        TRY(report_receive(message, &reports[i * apart], error));
    }
    for (size_t i = 0; i < run->saves.count && saved; i++) {
        TRY(receive_buffer(message, &saved->files[i], error));
    }
    return STATUS_OK;
}

enum status kernel_run(const struct kernel_run *run, const struct gpu *gpu, struct kernel_report *reports, size_t apart,
                       struct saved *saved, struct error *error) {
    char *results = NULL;
    size_t bytes;
    struct running *running = memory_zeros(1, sizeof *running);
    *running = (struct running){.run = run, .gpu = gpu, .saves = saved != NULL};
    const struct child_task task = {.run = carry_out,
                                    .context = running,
                                    .what = run->launches[0].path,
                                    .limit_s = run->max_time_s + 2,
                                    .prints_at_most = PRINTS_MAX,
                                    .program = "lanes"};
    for (size_t i = 0; i < run->launch_count; i++) {
        reports[i * apart] = (struct kernel_report){.gpu = gpu};
    }
    enum status status = child_run(&task, &results, &bytes, error);
    if (status == STATUS_OK) {
        const size_t mark = bytes && *results == 'L';
        struct message message = {results + mark, bytes - mark};
        status = receive(run, &message, reports, apart, saved, error);
    }
    if (saved) {
        saved->results = results;
    } else {
        free(results);
    }
    free(running);
    for (size_t i = 0; i < run->launch_count && status != STATUS_OK; i++) {
        kernel_report_clear(&reports[i * apart]);
    }
    return status;
}
