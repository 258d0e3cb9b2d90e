#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/error.h"
#include "util/leftover.h"
#include "util/terminal.h"

// ---- Names of files ----

enum {
    LINKS_MAX = 40 // as many as Linux follows
};

// Resolves the folder that holds path and appends what follows path's last slash.
static bool resolve_folder(const char *path, char resolved[PATH_MAX]) {
    char copy[PATH_MAX], folder[PATH_MAX];
    if (strlen(path) >= sizeof copy) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(copy, path);
    char *slash = strrchr(copy, '/');
    const char *name = slash ? slash + 1 : copy;
    if (slash) {
        *slash = '\0';
    }
    if (!*name || !realpath(slash == copy ? "/" : slash ? copy : ".", folder)) {
        return false;
    }
    const int length = snprintf(resolved, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    return length < PATH_MAX;
}

// Replaces path, which names a link, by the link's target, seen from the link's folder.
static bool follow_link(char path[PATH_MAX]) {
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) {
        return false;
    }
    target[length] = '\0';
    char *name = *target == '/' ? path : strrchr(path, '/') + 1;
    const size_t room = (size_t)(path + PATH_MAX - name);
    if ((size_t)length < room) {
        strcpy(name, target);
    }
    return (size_t)length < room;
}

bool path_resolve(const char *path, char resolved[PATH_MAX]) {
    char at[PATH_MAX];
    if (realpath(path, resolved)) {
        return true;
    }
    bool found = resolve_folder(path, resolved);
    for (int links = 0; found && follow_link(resolved); links++) {
        strcpy(at, resolved);
        found = links < LINKS_MAX && resolve_folder(at, resolved);
    }
    return found;
}

bool path_program_in(const char *folder, size_t length, const char *name, char path[PATH_MAX]) {
    const int written = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, name);
    return written > 0 && written < PATH_MAX && access(path, X_OK) == 0;
}

bool path_find_program(const char *name, char path[PATH_MAX]) {
    if (strchr(name, '/')) {
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, X_OK) == 0;
    }
    const char *at = getenv("PATH");
    for (size_t length; at && *at; at += length + (at[length] == ':')) {
        length = strcspn(at, ":");
        if (path_program_in(at, length, name, path)) {
            return true;
        }
    }
    return false;
}

// ---- Files that appear once they are complete ----

enum {
    BLOCK_BYTES = 32 << 20, // that a thread writes at once
    DISK_BYTES = 4096,      // unit in which a disk is written
};

// Returns 0, or an errno.
static int write_block(int file, const char *bytes, size_t count, off_t offset) {
    while (count > 0) {
        const ssize_t written = pwrite(file, bytes, count, offset);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        const size_t done = written > 0 ? (size_t)written : 0;
        bytes += done;
        count -= done;
        offset += (off_t)done;
    }
    return 0;
}

static int write_bytes(int file, const char *bytes, size_t count, off_t offset) {
    int fault = 0;
#pragma omp parallel for schedule(dynamic) reduction(max : fault)
    for (size_t done = 0; done < count; done += BLOCK_BYTES) {
        const size_t left = count - done;
        const int now = write_block(file, bytes + done, left < BLOCK_BYTES ? left : BLOCK_BYTES, offset + (off_t)done);
        fault = now > fault ? now : fault;
    }
    return fault;
}

// False if the file system can't bypass its cache.
static bool bypass_cache(int file, bool bypass) {
    const int flags = fcntl(file, F_GETFL);
    return fcntl(file, F_SETFL, bypass ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

// Aligned bytes bypass the page cache, because finding a page for each 4 KiB takes longer than an SSD takes to write
// it, and a file that replaces another one is written out anyway before it is renamed.
static int write_piece(int file, const struct file_piece *piece, off_t offset) {
    const bool aligned = (uintptr_t)piece->bytes % DISK_BYTES == 0 && offset % DISK_BYTES == 0;
    size_t direct = aligned && bypass_cache(file, true) ? piece->count / DISK_BYTES * DISK_BYTES : 0;
    int fault = write_bytes(file, piece->bytes, direct, offset);
    bypass_cache(file, false);
    if (fault == EINVAL) { // this disk's blocks are larger
        direct = 0;
        fault = 0;
    }
    return fault
               ? fault
               : write_bytes(file, (const char *)piece->bytes + direct, piece->count - direct, offset + (off_t)direct);
}

static int write_pieces(int file, const struct file_piece *pieces, size_t count) {
    off_t offset = 0;
    int fault = 0;
    for (size_t i = 0; i < count && fault == 0; i++) {
        fault = write_piece(file, &pieces[i], offset);
        offset += (off_t)pieces[i].count;
    }
    return fault;
}

static int create_beside(struct file_draft *draft) {
    if (snprintf(draft->name, sizeof draft->name, "%s.XXXXXX", draft->path) >= (int)sizeof draft->name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    leftover_add(draft->name); // before the file exists, so that a signal cannot come between
    const int file = mkstemp(draft->name);
    const int fault = errno;
    if (file < 0) {
        leftover_forget(draft->name);
        errno = fault;
        return -1;
    }
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(file, 0666 & ~mask); // mkstemp makes a private file, but this one must be like any other
    return file;
}

int file_draft_create(struct file_draft *draft, const char *path, int *file) {
    struct stat about;
    *draft->name = '\0';
    *file = -1;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return 0;
    }
    if (!path_resolve(path, draft->path)) {
        return *path ? errno : ENOENT;
    }
    *file = create_beside(draft);
    return *file < 0 ? errno : 0;
}

int file_draft_finish(struct file_draft *draft, int fault) {
    if (!fault && rename(draft->name, draft->path)) {
        fault = errno;
    }
    if (fault) {
        unlink(draft->name);
    }
    leftover_forget(draft->name);
    return fault;
}

enum status file_cannot_write(const char *path, enum status status, int fault, struct error *error) {
    const char *end = strrchr(path, '/');
    if (fault == ENOENT && end) {
        return error_set(error, status, "%s: cannot be written: its folder is not there: mkdir -p %.*s", path,
                         (int)(end - path), path);
    }
    return error_set(error, status, "%s: cannot be written: %s", path, strerror(fault));
}

// Returns 0, or an errno.
static int try_to_write(const char *path) {
    struct file_draft draft;
    struct stat about;
    int file;
    if (stat(path, &about) == 0 && (S_ISDIR(about.st_mode) || access(path, W_OK) != 0)) {
        return S_ISDIR(about.st_mode) ? EISDIR : errno;
    }
    const int fault = file_draft_create(&draft, path, &file);
    if (file >= 0) {
        close(file);
        file_draft_finish(&draft, ECANCELED);
    }
    return fault;
}

enum status file_write_check(const char *path, struct error *error) {
    const int fault = path && !standard_output_is(path) ? try_to_write(path) : 0;
    return fault ? file_cannot_write(path, STATUS_USAGE, fault, error) : STATUS_OK;
}

// A name that exists and is no regular file (/dev/null, a pipe) is written to, not replaced.
static enum status write_in_place(const char *path, const struct file_piece *pieces, size_t count,
                                  struct error *error) {
    FILE *file = fopen(path, "w");
    bool right = file != NULL;
    for (size_t i = 0; i < count && right; i++) {
        right = fwrite(pieces[i].bytes, 1, pieces[i].count, file) == pieces[i].count;
    }
    right &= file && fclose(file) == 0;
    return right ? STATUS_OK : file_cannot_write(path, STATUS_FAILED, errno, error);
}

enum status file_write(const char *path, const struct file_piece *pieces, size_t count, struct error *error) {
    struct file_draft draft;
    int file;
    int fault = file_draft_create(&draft, path, &file);
    if (fault) {
        return file_cannot_write(path, STATUS_FAILED, fault, error);
    }
    if (file < 0) {
        return write_in_place(path, pieces, count, error);
    }
    fault = write_pieces(file, pieces, count);
    fault = close(file) && !fault ? errno : fault;
    fault = file_draft_finish(&draft, fault);
    return fault ? file_cannot_write(path, STATUS_FAILED, fault, error) : STATUS_OK;
}

// ---- A whole text ----

// Returns 0, or the errno of a fault.
static int print_and_close(FILE *file, void (*print)(FILE *, const void *), const void *context) {
    errno = 0;
    print(file, context);
    const bool printed = !ferror(file), closed = fclose(file) == 0;
    return printed && closed ? 0 : errno ? errno : EIO;
}

// The text goes to the disk while it is printed, because it may be longer than the memory, or come without end.
enum status print_file(const char *path, void (*print)(FILE *, const void *), const void *context,
                       struct error *error) {
    struct file_draft draft;
    int descriptor;
    if (!path) {
        return STATUS_OK;
    }
    if (standard_output_is(path)) {
        print(stdout, context);
        return STATUS_OK;
    }
    int fault = file_draft_create(&draft, path, &descriptor);
    if (!fault) {
        FILE *file = descriptor < 0 ? fopen(path, "w") : fdopen(descriptor, "w");
        fault = file ? print_and_close(file, print, context) : errno;
        fault = descriptor < 0 ? fault : file_draft_finish(&draft, fault);
    }
    return fault ? file_cannot_write(path, STATUS_FAILED, fault, error) : STATUS_OK;
}
