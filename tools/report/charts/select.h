// Selects the rows of a picture.
#ifndef TOOLS_REPORT_CHARTS_SELECT_H
#define TOOLS_REPORT_CHARTS_SELECT_H

#include "tools/report/charts/selection.h"

// Keeps the rows of one device: those of a file, and those lent to them by another.
void keep_device(struct selection *selection, size_t part, size_t file, const char *const *same);

// Keeps the rows of all devices that have rows with the settings that most devices have.
void keep_all_devices(struct selection *selection);

// Leaves a row out because of its value of the column: "repeated", "source" and "file" are reasons, too.
void drop(struct selection *selection, struct item *item, const char *column);
void forget_drops(struct selection *selection);

#endif
