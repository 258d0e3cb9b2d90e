// Files of patterns: Spatter's JSON (gmem_spatter.h), or bankshot's addresses (bench/addresses.h).
#ifndef GMEM_GMEM_PATTERN_FILE_H
#define GMEM_GMEM_PATTERN_FILE_H

#include "bench/addresses.h"
#include "gmem/gmem_pattern.h"

// Reads all patterns of a text, which is JSON where it begins as JSON does. Addresses are one gather, repeated behind
// itself until it has so many elements at least, each of width_bytes. STATUS_USAGE where the text is wrong.
enum status gmem_patterns_parse(const struct address_text *text, uint32_t width_bytes, uint64_t elements,
                                struct gmem_patterns *patterns, struct error *error);

#endif
