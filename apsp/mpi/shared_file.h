// A file that all ranks write. It has another name, beside its own, until it is whole; on a fault nothing is left. A
// name that exists and is no regular file (/dev/null) is written to, not replaced.
#ifndef APSP_MPI_SHARED_FILE_H
#define APSP_MPI_SHARED_FILE_H

#include "apsp/mpi/ranks.h"

struct shared_file {
    MPI_File file;
    const char *path;
    char *temporary; // NULL: written in place
};

// Collective, all of them, and with one status for all.
enum status shared_file_create(struct shared_file *file, const struct ranks *ranks, const char *path,
                               struct error *error);
// status: whether what was written is right; the file is given up otherwise.
enum status shared_file_finish(struct shared_file *file, const struct ranks *ranks, enum status status,
                               struct error *error);

// Collective, with a status for each rank. offset: in the file's view.
enum status shared_file_write(const struct shared_file *file, MPI_Offset offset, const void *from, int count,
                              MPI_Datatype type, struct error *error);

// What a rank makes of MPI's code: an error that names the file. verb: "written".
enum status shared_file_check(const char *path, const char *verb, int code, struct error *error);

#endif
