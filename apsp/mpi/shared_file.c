#include "apsp/mpi/shared_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The system's reason, if it is about the file. MPI's own text is no more than "input/output error".
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
    return error_set(error, STATUS_FAILED, "%s: cannot be %s: %s", path, verb, reason ? reason : text);
}

enum status shared_file_write(const struct shared_file *file, MPI_Offset offset, const void *from, int count,
                              MPI_Datatype type, struct error *error) {
    errno = 0;
    const int code = MPI_File_write_at_all(file->file, offset, from, count, type, MPI_STATUS_IGNORE);
    return shared_file_check(file->path, "written", code, error);
}

// Makes the draft and gives the name that all ranks must open.
static enum status make_draft(struct shared_file *file, char name[FILE_NAME_SIZE], struct error *error) {
    int made = -1;
    file->draft = memory_zeros(1, sizeof *file->draft);
    const int fault = file_draft_create(file->draft, file->path, &made);
    if (fault) {
        return file_cannot_write(file->path, STATUS_FAILED, fault, error);
    }
    snprintf(name, FILE_NAME_SIZE, "%s", made < 0 ? file->path : file->draft->name);
    if (made >= 0) {
        close(made);
    }
    return STATUS_OK;
}

static void forget_draft(struct shared_file *file) {
    free(file->draft);
    file->draft = NULL;
}

enum status shared_file_create(struct shared_file *file, const struct ranks *ranks, const char *path,
                               struct error *error) {
    char name[FILE_NAME_SIZE];
    enum status status = STATUS_OK;
    *file = (struct shared_file){.file = MPI_FILE_NULL, .path = path};
    if (ranks->rank == 0) {
        status = make_draft(file, name, error);
    }
    status = ranks_agree(ranks, status, error);
    if (status != STATUS_OK) {
        forget_draft(file);
        return status;
    }
    MPI_Bcast(name, FILE_NAME_SIZE, MPI_CHAR, 0, ranks->world);
    const int code = MPI_File_open(ranks->world, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &file->file);
    status = ranks_agree(ranks, shared_file_check(path, "written", code, error), error);
    return status == STATUS_OK ? status : shared_file_finish(file, ranks, status, error);
}

enum status shared_file_finish(struct shared_file *file, const struct ranks *ranks, enum status status,
                               struct error *error) {
    if (file->file != MPI_FILE_NULL) {
        const enum status closed = shared_file_check(file->path, "written", MPI_File_close(&file->file), error);
        THEN(status, closed);
    }
    status = ranks_agree(ranks, status, error);
    if (file->draft && *file->draft->name) {
        const int fault = file_draft_finish(file->draft, status == STATUS_OK ? 0 : ECANCELED);
        if (status == STATUS_OK && fault) {
            status = error_set(error, STATUS_FAILED, "%s: cannot be written: %s", file->path, strerror(fault));
        }
    }
    forget_draft(file);
    return ranks_agree(ranks, status, error);
}
