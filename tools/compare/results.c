#include "tools/compare/results.h"

#include <stdlib.h>
#include <string.h>

#include "tools/compare/published.h"
#include "tools/compare/side.h"
#include "util/csv_files.h"
#include "util/memory.h"

enum {
    GPU_TEXT = 16
};

static enum status add(struct results *results, const struct result_layout *layout, const struct csv_reader *reader,
                       struct error *error) {
    results->rows = memory_room(results->rows, results->count, sizeof *results->rows);
    struct result *result = &results->rows[results->count];
    const struct result *before = results->count ? result - 1 : NULL;
    enum status status = result_read(result, layout, reader, before, &results->texts, error);
    if (status == STATUS_OK && result_has_figure(result)) {
        results->count++;
    } else if (status == STATUS_OK) {
        results->without_figure++;
    }
    return status;
}

// What the lines "# key: value" say of one file.
struct head {
    char gpu[GPU_TEXT]; // the first, "cuda:1"; empty: none
    bool has_more;      // GPUs
};

// Takes the GPU from a line "cuda:1 device: ...".
static void note_gpu(struct head *head, const char *line) {
    char gpu[GPU_TEXT];
    int length = 0;
    const bool found = sscanf(line, " %15[a-z0-9:] device: %n", gpu, &length) == 1 && length > 0 &&
                       (strncmp(gpu, "cuda:", 5) == 0 || strncmp(gpu, "hip:", 4) == 0);
    if (found && !head->gpu[0]) {
        memcpy(head->gpu, gpu, sizeof gpu);
    } else if (found && strcmp(head->gpu, gpu) != 0) {
        head->has_more = true;
    }
}

static enum status read_head(struct results *results, struct head *head, struct csv_reader *reader,
                             struct error *error) {
    static const char DATE[] = " date: ";
    bool found = true;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && found) {
        status = csv_reader_remark(reader, &found, error);
        const char *text = status == STATUS_OK && found ? csv_reader_field(reader, 0) : "";
        if (strncmp(text, DATE, sizeof DATE - 1) == 0 && !results->date[0]) {
            snprintf(results->date, sizeof results->date, "%s", text + sizeof DATE - 1);
        }
        note_gpu(head, text);
    }
    if (status == STATUS_OK) {
        status = csv_reader_next(reader, &found, error);
    }
    if (status == STATUS_OK && !found) {
        return error_set(error, STATUS_USAGE, "%s: there is no header line in it: run the probe again", reader->path);
    }
    return status;
}

static enum status read_rows(struct results *results, const struct result_layout *layout, struct csv_reader *reader,
                             struct error *error) {
    bool found = true;
    while (found) {
        TRY(csv_reader_next(reader, &found, error));
        if (found) {
            TRY(add(results, layout, reader, error));
        }
    }
    return STATUS_OK;
}

// Sets the GPU of a file's rows.
static enum status set_gpu(struct results *results, size_t first, const struct head *head, struct error *error) {
    const bool known = head->gpu[0] && !head->has_more;
    const char *gpu = known ? texts_keep(&results->texts, head->gpu, strlen(head->gpu)) : NULL;
    if (known && !gpu) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    for (size_t i = first; i < results->count; i++) {
        results->rows[i].gpu = gpu;
    }
    return STATUS_OK;
}

static enum status read_table(struct results *results, struct csv_reader *reader, bool *foreign, struct error *error) {
    struct result_layout layout = {0};
    struct head head = {0};
    const size_t first = results->count;
    enum status status = read_head(results, &head, reader, error);
    if (status == STATUS_OK) {
        status = result_layout_read(&layout, reader, foreign, error);
    }
    if (status == STATUS_OK) {
        status = read_rows(results, &layout, reader, error);
    }
    if (status == STATUS_OK) {
        status = set_gpu(results, first, &head, error);
    }
    if (status == STATUS_OK) {
        status = rows_number(results->rows + first, results->count - first, error);
    }
    result_layout_clear(&layout);
    return status;
}

static enum status read_published(struct results *results, const struct published *published, struct csv_reader *reader,
                                  struct error *error) {
    char *text = NULL;
    size_t length = 0;
    bool foreign = false;
    FILE *file = open_memstream(&text, &length);
    enum status status = file ? published_translate(published, reader, file, error) : STATUS_FAILED;
    const bool whole = file && fclose(file) == 0;
    FILE *translation = whole && status == STATUS_OK ? fmemopen(text, length, "r") : NULL;
    if (translation) {
        struct csv_reader rows;
        csv_reader_from(&rows, translation, reader->path);
        status = read_table(results, &rows, &foreign, error);
        csv_reader_close(&rows);
    } else if (status != STATUS_USAGE) {
        status = error_set(error, STATUS_FAILED, "out of memory");
    }
    free(text);
    return status;
}

static enum status read_file(void *context, const char *path, bool *foreign, struct error *error) {
    struct results *results = context;
    struct csv_reader reader;
    struct published published;
    *foreign = false;
    enum status status = csv_reader_open(&reader, path, error);
    if (status != STATUS_OK) {
        return status;
    }
    status = read_table(results, &reader, foreign, error);
    if (*foreign && published_find(&published, &reader)) {
        *foreign = false;
        status = read_published(results, &published, &reader, error);
    }
    csv_reader_close(&reader);
    return status;
}

enum status results_read(struct results *results, const char *path, struct error *error) {
    results->path = path;
    TRY(csv_files_read(path, read_file, results, &results->foreign, error));
    if (results->count == 0) {
        return error_set(error, STATUS_USAGE, "%s: there is no row in it to compare: run a probe with --csv first",
                         path);
    }
    return STATUS_OK;
}

void results_clear(struct results *results) {
    free(results->rows);
    texts_clear(&results->texts);
    *results = (struct results){0};
}
