// The parser's part for .file and .loc, which lead from an instruction to its line of the source.
#ifndef DEVICE_SIM_PTX_PARSE_LOCATION_H
#define DEVICE_SIM_PTX_PARSE_LOCATION_H

#include "device/sim/ptx/parse/reader.h"

// Both directives have been passed over.
void ptx_parse_file(struct ptx_reader *reader);
void ptx_parse_location(struct ptx_reader *reader);

// Adds place 0, which is not known.
uint32_t ptx_first_location(struct ptx_reader *reader);

#endif
