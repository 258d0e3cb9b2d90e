#include "bench/row_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/error.h"
#include "util/leftover.h"
#include "util/terminal.h"

// ---- The rows of a file ----

static enum status cannot(const struct row_file *file, const char *what, enum status status, struct error *error) {
    return error_set(error, status, "%s: cannot be %s: %s", file->path ? file->path : "standard output", what,
                     strerror(errno));
}

// Opens the file with its old content and locks it. *created says whether the file is new.
static int open_locked(const char *path, bool *created) {
    for (;;) {
        struct stat opened, named;
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        *created = file >= 0;
        if (file < 0 && errno == EEXIST) {
            file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        }
        if (file < 0 || fstat(file, &opened) != 0 || !S_ISREG(opened.st_mode)) {
            return file;
        }
        if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) { // other errors: the file system has no locks
            close(file);
            errno = EWOULDBLOCK;
            return -1;
        }
        if (stat(path, &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev) {
            return file;
        }
        close(file); // its last owner removed the file meanwhile
    }
}

enum status row_file_open(struct row_file *file, const char *path, struct error *error) {
    struct stat info;
    *file = (struct row_file){.file = stdout};
    if (standard_output_is(path)) {
        return STATUS_OK;
    }
    signal(SIGXFSZ, SIG_IGN); // turns a limit on a file's size into an error of write()
    file->path = path;
    const int descriptor = open_locked(path, &file->created);
    if (descriptor < 0 && errno == EWOULDBLOCK) {
        file->file = NULL;
        return error_set(error, STATUS_USAGE, "%s: another run writes it: wait for that run, or name another file",
                         path);
    }
    file->file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file->file) {
        return cannot(file, "written", STATUS_USAGE, error);
    }
    if (file->created) {
        leftover_add(file->path);
    }
    const bool regular = fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
    file->head = regular ? memory_stream(&file->head_text, &file->head_length) : NULL;
    return STATUS_OK;
}

// Of standard output, only a file that is not appended to can be written to at an earlier place.
bool row_file_is_regular(const struct row_file *file) {
    struct stat info;
    const int descriptor = fileno(file->file);
    return fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && !(fcntl(descriptor, F_GETFL) & O_APPEND);
}

// Writes all of the text or none of it: if the disk is full, the part already written is cut off again.
static enum status write_through(struct row_file *file, const char *text, size_t length, struct error *error) {
    const int descriptor = fileno(file->file);
    if (descriptor < 0) { // it is in memory, and memory_stream_end sees faults
        fwrite(text, 1, length, file->file);
        return STATUS_OK;
    }
    const off_t start = lseek(descriptor, 0, SEEK_CUR);
    size_t done = 0;
    while (done < length) {
        const ssize_t written = write(descriptor, text + done, length - done);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            const int saved = errno;
            if (start >= 0 && ftruncate(descriptor, start) == 0) {
                lseek(descriptor, start, SEEK_SET);
            }
            errno = saved;
            return cannot(file, "written: the rows before are kept", STATUS_FAILED, error);
        }
        done += (size_t)written;
    }
    return STATUS_OK;
}

// Replaces the file's old content with the head.
static enum status begin_rows(struct row_file *file, struct error *error) {
    if (!file->head) {
        return STATUS_OK;
    }
    memory_stream_end(file->head);
    file->head = NULL;
    if (ftruncate(fileno(file->file), 0) != 0) {
        return cannot(file, "written", STATUS_FAILED, error);
    }
    if (!file->draft) {
        leftover_forget(file->path);
        file->created = false;
    }
    return write_through(file, file->head_text, file->head_length, error);
}

enum status row_file_write_head(struct row_file *file, const char *text, size_t length, struct error *error) {
    if (!file->head) {
        return write_through(file, text, length, error);
    }
    fwrite(text, 1, length, file->head); // begin_rows sees faults
    return STATUS_OK;
}

enum status row_file_write_empty(struct row_file *file, const char *ending, size_t length, struct error *error) {
    if (!file->created || !file->head) {
        return STATUS_OK;
    }
    fflush(file->head);
    enum status status = write_through(file, file->head_text, file->head_length, error);
    THEN(status, write_through(file, ending, length, error));
    lseek(fileno(file->file), 0, SEEK_SET); // the first row begins the file again
    return status;
}

enum status row_file_write(struct row_file *file, const char *row, size_t length, size_t ending, struct error *error) {
    enum status status = begin_rows(file, error);
    if (status == STATUS_OK && file->ending > 0) {
        lseek(fileno(file->file), -(off_t)file->ending, SEEK_CUR);
        file->ending = 0;
    }
    THEN(status, write_through(file, row, length, error));
    file->ending = status == STATUS_OK ? ending : 0;
    return status;
}

enum status row_file_close(struct row_file *file, bool whole, struct error *error) {
    if (!file->file || !file->path) {
        return STATUS_OK;
    }
    enum status status = whole ? begin_rows(file, error) : STATUS_OK;
    if (file->head) {
        fclose(file->head);
    }
    free(file->head_text);
    if (file->created) {
        unlink(file->path); // still locked, so no other process has it
        leftover_forget(file->path);
    }
    if (fclose(file->file) != 0 && status == STATUS_OK) {
        status = cannot(file, "closed", STATUS_FAILED, error);
    }
    *file = (struct row_file){0};
    return status;
}

// ---- Rewriting all rows ----

static int lock_draft(struct file_draft *draft, const char *path) {
    int descriptor = -1;
    if (file_draft_create(draft, path, &descriptor) == 0 && descriptor >= 0) {
        flock(descriptor, LOCK_EX | LOCK_NB); // nobody else has it yet
    }
    return descriptor;
}

// The old file itself, emptied.
static int emptied(const struct row_file *file) {
    const int descriptor = dup(fileno(file->file));
    if (descriptor >= 0 && (ftruncate(descriptor, 0) != 0 || lseek(descriptor, 0, SEEK_SET) != 0)) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

enum status row_file_begin_again(struct row_file *again, const struct row_file *file, struct error *error) {
    *again = (struct row_file){.path = file->path, .draft = memory_zeros(1, sizeof *again->draft)};
    int descriptor = lock_draft(again->draft, file->path);
    if (descriptor < 0) {
        free(again->draft);
        again->draft = NULL;
        descriptor = emptied(file);
    }
    again->file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!again->file) {
        return cannot(file, "written", STATUS_FAILED, error);
    }
    again->head = memory_stream(&again->head_text, &again->head_length);
    return STATUS_OK;
}

static void forget(struct row_file *file) {
    if (file->head) {
        fclose(file->head);
    }
    free(file->head_text);
    free(file->draft);
    fclose(file->file);
    *file = (struct row_file){0};
}

void row_file_give_up(struct row_file *again) {
    if (again->draft) {
        file_draft_finish(again->draft, ECANCELED);
    }
    if (again->file) {
        forget(again);
    }
}

enum status row_file_replace(struct row_file *file, struct row_file *again, struct error *error) {
    enum status status = begin_rows(again, error);
    const int fault = again->draft ? file_draft_finish(again->draft, status == STATUS_OK ? 0 : ECANCELED) : 0;
    if (status == STATUS_OK && fault) {
        errno = fault;
        status = cannot(file, "replaced: the rows before are kept", STATUS_FAILED, error);
    }
    free(again->draft);
    again->draft = NULL;
    if (status == STATUS_OK) {
        forget(file);
        *file = *again;
    } else {
        forget(again);
    }
    return status;
}

// ---- The row of the same work ----

enum {
    BLOCKS = 8 // of a grid that run, where the probe does not say how many
};

void twin_open(struct bench_device *twin, const struct bench_device *measured, const struct probe *probe,
               const struct settings *settings) {
    const struct device_info *info = &measured->device->info;
    char spec[sizeof info->spec];
    *twin = (struct bench_device){0};
    if (!settings->predict || info->predicted || !info->gpu) {
        return;
    }
    snprintf(spec, sizeof spec, "sim:%s", info->gpu->name);
    if (bench_device_open(twin, spec, settings, NULL) == STATUS_OK) {
        device_simulate_blocks(twin->device, probe->simulated_blocks ? probe->simulated_blocks : BLOCKS);
        struct device_info *own = &twin->device->info; // what a probe's defaults follow from
        own->memory_bytes = info->memory_bytes;
        own->memory_free_bytes = info->memory_free_bytes;
        own->last_level_cache_bytes = info->last_level_cache_bytes;
        own->compute_units = info->compute_units;
        own->max_block_threads = info->max_block_threads;
    }
}

// ---- Rows ----

struct rows {
    struct row *row;
    size_t count;
};

static enum status keep(struct run *run, const struct row *row, struct error *error) {
    struct rows *rows = run->emit_context;
    (void)error;
    rows->row = memory_room(rows->row, rows->count, sizeof *rows->row);
    rows->row[rows->count++] = *row;
    return STATUS_OK;
}

static void fill(double *measured, double predicted) {
    *measured = isnan(*measured) ? predicted : *measured;
}

// Adds the counts that the measured row lacks, and the predicted times.
static void add_prediction(struct row *row, const struct row *from) {
#define TEXT(name)
#define COUNT(name)
#define REAL(name, format)
#define COUNTER(name, format, scope, value) fill(&row->name, from->name);
#include "bench/columns.h"
    row->sector_bytes = row->sector_bytes == ROW_NO_COUNT ? from->sector_bytes : row->sector_bytes;
    row->sampling_error_pct = from->sampling_error_pct;
    row_set_bound(row, from->bound_ns, from->bound_by);
    row->predicted_ns = from->predicted_ns;
    row->prediction_error_pct = 100 * (row->predicted_ns / row->time_ns_median - 1);
}

// ---- Runs ----

bool twin_begin(struct bench_device *twin, const struct run *measured, struct run *run) {
    const struct probe *probe = measured->probe;
    *run = *measured;
    run->state = NULL;
    if (!twin->device ||
        (probe->supports && probe->supports(run->session, twin->device, run->variant, NULL) != STATUS_OK)) {
        return false;
    }
    run->bench_device = run->devices = twin;
    run->device_count = 1;
    run->predicts = measured;
    run->emit = keep;
    run->state = memory_zeros(1, probe->state_bytes);
    return true;
}

void twin_end(struct run *run) {
    if (run->state && run->probe->finish) {
        run->probe->finish(run);
    }
    free(run->state);
}

static void add_predictions(struct rows *measured, const struct row *predicted, size_t count) {
    for (size_t i = 0; i < measured->count; i++) {
        size_t k = 0;
        while (k < count && !row_same_work(&measured->row[i], &predicted[k])) {
            k++;
        }
        if (k < count) {
            add_prediction(&measured->row[i], &predicted[k]);
        }
    }
}

static void predict(struct run *twin, const struct point *point, struct rows *measured) {
    const struct probe *probe = twin->probe;
    struct rows predicted = {0};
    const bool fits =
        (!probe->skip || !probe->skip(twin, point)) && (!probe->check || probe->check(twin, point, NULL) == STATUS_OK);
    twin->emit_context = &predicted;
    if (measured->count == 0 || !fits || run_measure(twin, point, NULL) != STATUS_OK) {
        predicted.count = 0;
    }
    add_predictions(measured, predicted.row, predicted.count);
    free(predicted.row);
}

enum status twin_measure(struct run *run, struct run *twin, const struct point *point, const struct row *known,
                         size_t known_count, struct error *error) {
    struct rows rows = {0};
    const struct run before = *run;
    run->emit = keep;
    run->emit_context = &rows;
    enum status status = run_measure(run, point, error);
    run->emit = before.emit;
    run->emit_context = before.emit_context;
    if (known_count > 0) {
        add_predictions(&rows, known, known_count);
    } else {
        predict(twin, point, &rows);
    }
    for (size_t i = 0; i < rows.count; i++) {
        const enum status written = run->emit(run, &rows.row[i], status == STATUS_OK ? error : NULL);
        THEN(status, written);
    }
    free(rows.row);
    return status;
}
