// The CSV files of a results folder.
#ifndef UTIL_CSV_FILES_H
#define UTIL_CSV_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

// Reads one file. If it is none of bankshot's, sets *foreign and fails.
typedef enum status csv_file_reader(void *context, const char *path, bool *foreign, struct error *error);

// Reads a file, or of a folder FOLDER/*.csv and FOLDER/*/*.csv in the order of their names. Foreign files of a folder
// are left out and counted; a foreign file that is named itself is a fault.
enum status csv_files_read(const char *path, csv_file_reader *read, void *context, size_t *foreign_count,
                           struct error *error);

#endif
