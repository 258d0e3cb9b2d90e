#include "sim/ptx/parse/fault.h"

#include <stdio.h>

enum {
    SHOWN = 80 // characters of the opcode
};

enum status ptx_report_fault(struct error *error, enum status status, const struct ptx_fault *fault, const char *format,
                             va_list arguments) {
    char what[512];
    const struct ptx_text opcode = fault->opcode;
    vsnprintf(what, sizeof what, format, arguments);
    return error_set(error, status, "%.200s:%u: %.*s%s%s", fault->file_name, fault->line,
                     opcode.length > SHOWN ? SHOWN : (int)opcode.length, opcode.at, opcode.length ? ": " : "", what);
}
