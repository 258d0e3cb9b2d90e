// A fault in a PTX file, with its place.
#ifndef SIM_PTX_PARSE_FAULT_H
#define SIM_PTX_PARSE_FAULT_H

#include <stdarg.h>

#include "sim/ptx/parse/token.h"
#include "util/error.h"

struct ptx_fault {
    const char *file_name;
    uint32_t line;
    struct ptx_text opcode; // empty: the fault is in no instruction
};

// Writes "FILE:LINE: opcode: what", and returns the status.
enum status ptx_report_fault(struct error *error, enum status status, const struct ptx_fault *fault, const char *format,
                             va_list arguments) __attribute__((format(printf, 4, 0)));

#endif
