// The CSV files of a results folder.
#ifndef UTIL_CSV_FILES_H
#define UTIL_CSV_FILES_H

#include <glob.h>

// Finds FOLDER/*.csv and FOLDER/*/*.csv, in the order of their names. The caller frees *files with globfree.
void csv_files_find(glob_t *files, const char *folder);

#endif
