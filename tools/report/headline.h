// The ten figures that say most about a device.
#ifndef TOOLS_REPORT_HEADLINE_H
#define TOOLS_REPORT_HEADLINE_H

#include "tools/report/inputs.h"
#include "util/json_writer.h"

// Writes the array "devices" of names and sources, and the array "headline". Each of its objects is a figure with one
// value for each device that has it, and names the row that it comes from.
enum status headline_write(struct json_writer *writer, const struct inputs *inputs, struct error *error);

#endif
