// Files of patterns: Spatter's JSON (gmem_spatter.h), or bankshot's addresses (bench/addresses.h).
#ifndef GMEM_GMEM_PATTERN_FILE_H
#define GMEM_GMEM_PATTERN_FILE_H

#include "bench/addresses.h"
#include "gmem/gmem_pattern.h"

// Reads all patterns of a text, which is JSON if it begins like JSON. Addresses make one gather, repeated until it has
// at least that many elements, each of width_bytes. Returns STATUS_USAGE if the text is wrong.
enum status gmem_patterns_parse(const struct address_text *text, uint32_t width_bytes, uint64_t elements,
                                struct gmem_patterns *patterns, struct error *error);

#endif
