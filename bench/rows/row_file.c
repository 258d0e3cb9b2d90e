#include "bench/rows/row_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/leftover.h"
#include "util/standard_output.h"

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
    file->head = regular ? open_memstream(&file->head_text, &file->head_length) : NULL;
    return regular && !file->head ? error_set(error, STATUS_FAILED, "out of memory") : STATUS_OK;
}

bool row_file_is_regular(const struct row_file *file) {
    struct stat info;
    return file->path && fstat(fileno(file->file), &info) == 0 && S_ISREG(info.st_mode);
}

// Writes all of the text or none of it: if the disk is full, the part already written is cut off again.
static enum status write_through(struct row_file *file, const char *text, size_t length, struct error *error) {
    const int descriptor = fileno(file->file);
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
    fclose(file->head);
    file->head = NULL;
    if (ftruncate(fileno(file->file), 0) != 0) {
        return cannot(file, "written", STATUS_FAILED, error);
    }
    leftover_forget(file->path);
    file->created = false;
    return write_through(file, file->head_text, file->head_length, error);
}

enum status row_file_write_head(struct row_file *file, const char *text, size_t length, struct error *error) {
    if (!file->head) {
        return write_through(file, text, length, error);
    }
    return fwrite(text, 1, length, file->head) == length ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
}

enum status row_file_write(struct row_file *file, const char *row, size_t length, size_t ending, struct error *error) {
    enum status status = begin_rows(file, error);
    if (status == STATUS_OK && file->ending > 0) {
        lseek(fileno(file->file), -(off_t)file->ending, SEEK_CUR);
        file->ending = 0;
    }
    if (status == STATUS_OK) {
        status = write_through(file, row, length, error);
    }
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
