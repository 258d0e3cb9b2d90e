// The rows of a file, or of a folder's files, as far as a comparison needs them.
#ifndef TOOLS_COMPARE_RESULTS_H
#define TOOLS_COMPARE_RESULTS_H

#include <stddef.h>

#include "tools/compare/side.h"
#include "util/error.h"
#include "util/text.h"

enum {
    ABOUT_TEXT = 200
};

struct results {
    const char *path; // as the user named it
    struct result *rows;
    size_t count;
    size_t foreign;        // files of the folder that are not bankshot's
    char date[ABOUT_TEXT]; // of the first file
    struct texts texts;
};

// A folder's files are FOLDER/*.csv and FOLDER/*/*.csv, in the order of their names. Foreign ones among them are left
// out, whereas a foreign file that is named itself is a fault.
enum status results_read(struct results *results, const char *path, struct error *error);
void results_clear(struct results *results);

#endif
