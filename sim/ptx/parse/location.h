// Parses .file and .loc, which map an instruction to its source line.
#ifndef SIM_PTX_PARSE_LOCATION_H
#define SIM_PTX_PARSE_LOCATION_H

#include "sim/ptx/parse/reader.h"

// The caller has skipped the directive itself.
void ptx_parse_file(struct ptx_reader *reader);
void ptx_parse_location(struct ptx_reader *reader);

// Adds place 0, which stands for an unknown position.
uint32_t ptx_first_location(struct ptx_reader *reader);

#endif
