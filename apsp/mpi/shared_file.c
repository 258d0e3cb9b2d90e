#include "apsp/mpi/shared_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file_write.h"
#include "util/path.h"

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

// On one rank, for all: the name that the file has until it is whole. Empty where it is written in place.
static enum status make_temporary(struct shared_file *file, struct error *error) {
    struct stat about;
    char resolved[PATH_MAX];
    if (stat(file->path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return STATUS_OK;
    }
    const int made = path_resolve(file->path, resolved) ? file_create_beside(resolved, file->temporary) : -1;
    if (made < 0) {
        return error_set(error, STATUS_FAILED, "%s: can't be written: %s", file->path, strerror(errno));
    }
    close(made);
    return STATUS_OK;
}

static enum status choose_name(struct shared_file *file, const struct ranks *ranks, struct error *error) {
    file->temporary = calloc(FILE_NAME_SIZE, 1);
    enum status status = file->temporary ? STATUS_OK : error_set(error, STATUS_FAILED, "%s: out of memory", file->path);
    status = ranks_agree(ranks, status, error);
    if (status != STATUS_OK) {
        return status;
    }
    status = ranks_agree(ranks, ranks->rank == 0 ? make_temporary(file, error) : STATUS_OK, error);
    MPI_Bcast(file->temporary, FILE_NAME_SIZE, MPI_CHAR, 0, ranks->world);
    if (status != STATUS_OK || !*file->temporary) {
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
        if (status == STATUS_OK) {
            status = closed;
        }
    }
    status = ranks_agree(ranks, status, error);
    if (file->temporary && ranks->rank == 0) {
        char resolved[PATH_MAX];
        const int fault = status != STATUS_OK || !path_resolve(file->path, resolved) ? ECANCELED : 0;
        const int settled = file_finish(file->temporary, resolved, fault);
        if (status == STATUS_OK && settled) {
            status = error_set(error, STATUS_FAILED, "%s: can't be written: %s", file->path, strerror(settled));
        }
    }
    free(file->temporary);
    file->temporary = NULL;
    return ranks_agree(ranks, status, error);
}
