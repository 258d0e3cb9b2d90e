// Spatter's pattern files: a list of configurations in JSON.
#ifndef GMEM_GMEM_SPATTER_H
#define GMEM_GMEM_SPATTER_H

#include "bench/addresses.h"
#include "gmem/gmem_pattern.h"

// Returns STATUS_USAGE if the text is not JSON or not of this kind, and if the program was built without a parser.
enum status gmem_spatter_parse(const struct address_text *text, struct gmem_patterns *patterns, struct error *error);

#endif
