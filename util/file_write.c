#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apsp/graph/file.h"

enum {
    BLOCK_BYTES = 32 << 20, // that a thread writes at once
    DISK_BYTES = 4096,      // that disks are written in
};

// 0, or the error's number.
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

// False where the file system can't do without its cache.
static bool bypass_cache(int file, bool bypass) {
    const int flags = fcntl(file, F_GETFL);
    return fcntl(file, F_SETFL, bypass ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

// What is aligned goes to the disk itself: to find a page for each 4 KiB takes longer than an SSD takes to write them,
// and a file that replaces another one is written out before it gets its name.
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

// mkstemp makes a file for its owner alone; this one is to be like any other.
static void open_to_all(int file) {
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(file, 0666 & ~mask);
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
    return right ? STATUS_OK : error_set(error, STATUS_FAILED, "%s: can't be written: %s", path, strerror(errno));
}

enum status file_write(const char *path, const struct file_piece *pieces, size_t count, struct error *error) {
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return write_in_place(path, pieces, count, error);
    }
    const size_t length = strlen(path);
    char *temporary = malloc(length + sizeof ".XXXXXX");
    if (!temporary) {
        return error_set(error, STATUS_FAILED, "%s: out of memory", path);
    }
    memcpy(temporary, path, length);
    memcpy(temporary + length, ".XXXXXX", sizeof ".XXXXXX");
    int file = mkstemp(temporary);
    int fault = file < 0 ? errno : write_pieces(file, pieces, count);
    if (file >= 0) {
        open_to_all(file);
        fault = close(file) && !fault ? errno : fault;
        fault = !fault && rename(temporary, path) ? errno : fault;
        if (fault) {
            unlink(temporary);
        }
    }
    free(temporary);
    return fault ? error_set(error, STATUS_FAILED, "%s: can't be written: %s", path, strerror(fault)) : STATUS_OK;
}
