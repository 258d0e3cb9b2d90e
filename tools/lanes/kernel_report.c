#include "tools/lanes/kernel_report.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
    size_t log_bytes;
    struct sent_list {
        size_t count, name_bytes;
    } source, ptx;
    size_t records;
};

// A line's file is the offset of its name among the names.
struct sent_line {
    size_t name;
    struct sim_line line;
};

static struct sent_list size_of(const struct line_list *list) {
    struct sent_list size = {.count = list->count};
    for (size_t i = 0; i < list->count; i++) {
        size.name_bytes += strlen(list->lines[i].file) + 1;
    }
    return size;
}

static size_t bytes_of(const struct sent_list *size) {
    return size->count * sizeof(struct sent_line) + size->name_bytes;
}

static void send_lines(FILE *file, const struct line_list *list) {
    size_t name = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct sent_line sent = {name, list->lines[i]};
        fwrite(&sent, sizeof sent, 1, file);
        name += strlen(list->lines[i].file) + 1;
    }
    for (size_t i = 0; i < list->count; i++) {
        fwrite(list->lines[i].file, 1, strlen(list->lines[i].file) + 1, file);
    }
}

void report_send(FILE *file, enum status status, const struct kernel_report *report, const struct error *error) {
    static const struct kernel_report none;
    const struct kernel_report *sent = status == STATUS_OK ? report : &none;
    struct head head = {.mark = message_mark,
                        .status = status,
                        .counts = sent->counts,
                        .source = size_of(&sent->source_lines),
                        .ptx = size_of(&sent->ptx_lines),
                        .records = sent->records.count};
    const char *log = error->log ? error->log : "", *bound_by = sent->counts.predicted_by;
    memcpy(head.kernel, sent->kernel, sizeof head.kernel);
    snprintf(head.reason, sizeof head.reason, "%s", status == STATUS_OK ? (bound_by ? bound_by : "") : error->text);
    head.log_bytes = strnlen(log, LOG_BYTES_MAX);
    fwrite(&head, sizeof head, 1, file);
    fwrite(log, 1, head.log_bytes, file);
    send_lines(file, &sent->source_lines);
    send_lines(file, &sent->ptx_lines);
    if (sent->records.count) {
        fwrite(sent->records.list, sizeof *sent->records.list, sent->records.count, file);
    }
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

static enum status receive_lines(const char *bytes, const struct sent_list *size, struct line_list *list,
                                 struct error *error) {
    list->names = malloc(size->name_bytes + 1);
    list->lines = calloc(size->count + 1, sizeof *list->lines);
    if (!list->names || !list->lines) {
        return error_set(error, STATUS_FAILED, "out of memory: close other programs");
    }
    memcpy(list->names, bytes + size->count * sizeof(struct sent_line), size->name_bytes);
    list->names[size->name_bytes] = '\0';
    for (size_t i = 0; i < size->count; i++) {
        struct sent_line sent;
        memcpy(&sent, bytes + i * sizeof sent, sizeof sent);
        if (sent.name >= size->name_bytes) {
            return damaged(error);
        }
        list->lines[i] = sent.line;
        list->lines[i].file = list->names + sent.name;
        drop_invalid(&list->lines[i]);
    }
    list->count = size->count;
    return STATUS_OK;
}

static enum status receive_failure(const char *log, const struct head *head, struct error *error) {
    char *copy = strndup(log, head->log_bytes);
    error_set(error, STATUS_FAILED, "%s", head->reason);
    if (copy && head->log_bytes) {
        error_attach_log(error, copy);
    }
    free(copy);
    const bool known = head->status == STATUS_USAGE || head->status == STATUS_NO_DEVICE;
    return known ? head->status : STATUS_FAILED;
}

// The bytes of the message after its head; SIZE_MAX if there are fewer than it announces.
static size_t rest_of(const struct head *head, size_t count) {
    const struct sent_list *const lists[] = {&head->source, &head->ptx};
    size_t bytes = head->log_bytes <= count ? head->log_bytes : SIZE_MAX;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && bytes <= count; i++) {
        const bool fits = lists[i]->count <= count / sizeof(struct sent_line) && lists[i]->name_bytes <= count;
        bytes = fits ? bytes + bytes_of(lists[i]) : SIZE_MAX;
    }
    if (bytes <= count && head->records <= RECORDS_MAX) {
        bytes += head->records * sizeof(struct sim_recorded);
    }
    return bytes <= count && head->records <= RECORDS_MAX ? bytes : SIZE_MAX;
}

// Their files' names are of the other process.
static enum status receive_records(const char *bytes, size_t count, struct record_list *records, struct error *error) {
    records->list = calloc(count + 1, sizeof *records->list);
    if (!records->list) {
        return error_set(error, STATUS_FAILED, "out of memory: close other programs");
    }
    for (size_t i = 0; i < count; i++) {
        struct sim_recorded *record = &records->list[records->count];
        memcpy(record, bytes + i * sizeof *record, sizeof *record);
        record->file = NULL;
        record->array[sizeof record->array - 1] = '\0';
        records->count += is_valid(&record->request) && record->request.active;
    }
    return STATUS_OK;
}

static enum status receive_report(const struct head *head, const char *lines, struct kernel_report *report,
                                  struct error *error) {
    snprintf(report->predicted_by, sizeof report->predicted_by, "%.*s", (int)sizeof report->predicted_by - 1,
             head->reason);
    snprintf(report->kernel, sizeof report->kernel, "%.*s", KERNEL_NAME - 1, head->kernel);
    report->counts = head->counts;
    report->counts.predicted_by = *report->predicted_by ? report->predicted_by : NULL;
    enum status status = receive_lines(lines, &head->source, &report->source_lines, error);
    if (status == STATUS_OK) {
        lines += bytes_of(&head->source);
        status = receive_lines(lines, &head->ptx, &report->ptx_lines, error);
    }
    if (status == STATUS_OK) {
        status = receive_records(lines + bytes_of(&head->ptx), head->records, &report->records, error);
    }
    report->lines = report->source_lines.lines;
    report->line_count = report->source_lines.count;
    return status;
}

enum status report_receive(const char **bytes, size_t *count, struct kernel_report *report, struct error *error) {
    struct head head;
    if (*count < sizeof head) {
        return damaged(error);
    }
    memcpy(&head, *bytes, sizeof head);
    head.reason[sizeof head.reason - 1] = '\0';
    const size_t rest = rest_of(&head, *count - sizeof head);
    if (head.mark != message_mark || rest == SIZE_MAX) {
        return damaged(error);
    }
    const char *log = *bytes + sizeof head;
    *bytes += sizeof head + rest;
    *count -= sizeof head + rest;
    return head.status != STATUS_OK ? receive_failure(log, &head, error)
                                    : receive_report(&head, log + head.log_bytes, report, error);
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
    free(report->records.list);
    *report = (struct kernel_report){0};
}
