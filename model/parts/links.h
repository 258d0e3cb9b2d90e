// Where a cell's source can be read: a page, or a file of this repository.
#ifndef MODEL_PARTS_LINKS_H
#define MODEL_PARTS_LINKS_H

#include <stddef.h>

enum {
    LINKS_MAX = 16
};

// The links for all that the source (struct cell) names, in the table's order and each once; returns their number.
size_t source_links(const char *source, const char *links[LINKS_MAX]);

#endif
