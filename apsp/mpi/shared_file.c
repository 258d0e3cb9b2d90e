#include "apsp/mpi/shared_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What the system said beneath MPI, where it speaks of the file: MPI's own text is no more than "input/output error".
static const char *system_text(void) {
    static const int of_files[] = {ENOSPC, EDQUOT, EFBIG, EROFS, ESTALE};
    for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++) {
        if (errno == of_files[i]) {
            return strerror(errno);
        }
    }
    return NULL;
}

enum status shared_file_check(const char *path, const char *verb, int code, struct error *error) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS) {
        return STATUS_OK;
    }
    const char *reason = system_text();
    MPI_Error_string(code, text, &length);
    return error_set(error, STATUS_FAILED, "%s: can't be %s: %s", path, verb, reason ? reason : text);
}

enum status shared_file_write(const struct shared_file *file, MPI_Offset offset, const void *from, int count,
                              MPI_Datatype type, struct error *error) {
    errno = 0;
    const int code = MPI_File_write_at_all(file->file, offset, from, count, type, MPI_STATUS_IGNORE);
    return shared_file_check(file->path, "written", code, error);
}

// On one rank, for all: the name that the file has until it is whole.
static enum status make_temporary(struct shared_file *file, struct error *error) {
    int made = mkstemp(file->temporary);
    if (made < 0) {
        return error_set(error, STATUS_FAILED, "%s: can't be written: %s", file->path, strerror(errno));
    }
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(made, 0666 & ~mask); // mkstemp makes a file for its owner alone
    close(made);
    return STATUS_OK;
}

static enum status choose_name(struct shared_file *file, const struct ranks *ranks, struct error *error) {
    struct stat about;
    const size_t size = strlen(file->path) + sizeof ".XXXXXX";
    file->temporary = calloc(size, 1);
    enum status status = file->temporary ? STATUS_OK : error_set(error, STATUS_FAILED, "%s: out of memory", file->path);
    status = ranks_agree(ranks, status, error);
    if (status != STATUS_OK) {
        return status;
    }
    if (ranks->rank == 0 && (stat(file->path, &about) != 0 || S_ISREG(about.st_mode))) {
        memcpy(file->temporary, file->path, size - sizeof ".XXXXXX");
        memcpy(file->temporary + size - sizeof ".XXXXXX", ".XXXXXX", sizeof ".XXXXXX");
        status = make_temporary(file, error);
    }
    status = ranks_agree(ranks, status, error);
    MPI_Bcast(file->temporary, (int)size, MPI_CHAR, 0, ranks->world);
    if (!*file->temporary) {
        free(file->temporary);
        file->temporary = NULL;
    }
    return status;
}

enum status shared_file_create(struct shared_file *file, const struct ranks *ranks, const char *path,
                               struct error *error) {
    *file = (struct shared_file){.file = MPI_FILE_NULL, .path = path};
    enum status status = choose_name(file, ranks, error);
    if (status == STATUS_OK) {
        const char *name = file->temporary ? file->temporary : path;
        const int code = MPI_File_open(ranks->world, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &file->file);
        status = ranks_agree(ranks, shared_file_check(path, "written", code, error), error);
    }
    return status == STATUS_OK ? status : shared_file_finish(file, ranks, status, error);
}

enum status shared_file_finish(struct shared_file *file, const struct ranks *ranks, enum status status,
                               struct error *error) {
    if (file->file != MPI_FILE_NULL) {
        const enum status closed = shared_file_check(file->path, "written", MPI_File_close(&file->file), error);
        status = status == STATUS_OK ? closed : status;
    }
    status = ranks_agree(ranks, status, error);
    if (file->temporary && ranks->rank == 0) {
        if (status == STATUS_OK && rename(file->temporary, file->path) != 0) {
            status = error_set(error, STATUS_FAILED, "%s: can't be written: %s", file->path, strerror(errno));
        }
        if (status != STATUS_OK) {
            unlink(file->temporary);
        }
    }
    free(file->temporary);
    file->temporary = NULL;
    return ranks_agree(ranks, status, error);
}
