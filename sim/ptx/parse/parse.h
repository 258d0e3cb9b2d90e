// Reads a PTX file.
#ifndef SIM_PTX_PARSE_PARSE_H
#define SIM_PTX_PARSE_PARSE_H

#include "sim/ptx/parse/tree.h"
#include "util/error.h"

// ---- The file ----

// Reads the whole text, which must outlive the tree. Returns STATUS_USAGE, with the file's name and line, if it is not
// PTX. The caller clears the tree in any case.
enum status ptx_parse(const char *file_name, const char *text, struct ptx_tree *tree, struct error *error);

#endif
