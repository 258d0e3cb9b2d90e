// A file that all ranks write. Until it is complete it has another name in the same folder; on a fault nothing is left.
// An existing name that is not a regular file, such as /dev/null, is written to, not replaced.
#ifndef APSP_MPI_SHARED_FILE_H
#define APSP_MPI_SHARED_FILE_H

#include "apsp/mpi/ranks.h"
#include "util/file.h"

struct shared_file {
    MPI_File file;
    const char *path;
    struct file_draft *draft; // on rank 0; NULL: the file is written in place
};

// Collective, with one status for all.
enum status shared_file_create(struct shared_file *file, const struct ranks *ranks, const char *path,
                               struct error *error);
// Drops the file if status is not STATUS_OK.
enum status shared_file_finish(struct shared_file *file, const struct ranks *ranks, enum status status,
                               struct error *error);

// Collective, with a status for each rank. offset counts in the file's view.
enum status shared_file_write(const struct shared_file *file, MPI_Offset offset, const void *from, int count,
                              MPI_Datatype type, struct error *error);

// Turns MPI's error code into an error that names the file. verb says what failed: "written", "read".
enum status shared_file_check(const char *path, const char *verb, int code, struct error *error);

#endif
