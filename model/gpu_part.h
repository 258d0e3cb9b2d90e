// A GPU as it is named on a command line: a row of the table, or one whose figures the command line changes:
// "rtx4090,units=46,memory=504,l2=36M". A colon separates as a comma does. Sizes take K, M and G (1024).
#ifndef MODEL_GPU_PART_H
#define MODEL_GPU_PART_H

#include <stddef.h>

#include "model/gpus.h"
#include "model/time/latency.h"
#include "util/error.h"

enum {
    GPU_PART_NAME = 56
};

// A part of changed figures. Its rows have its name: "rtx4090:units=46:memory=504:l2=36M".
struct gpu_part {
    struct gpu gpu;
    struct gpu_latency latency; // the row's as far as the changes leave it; gpu.latency is NULL if the row has none
    char name[GPU_PART_NAME], title[128];
};

// Sets *gpu to the row, or to that of *made, to be freed, which is NULL for a row of the table. Returns STATUS_USAGE,
// with the nearest name, if there is none or if a figure cannot be.
enum status gpu_part_find(const char *text, const struct gpu **gpu, struct gpu_part **made, struct error *error);

// The length of the first device of a list that commas separate: figures belong to the device before them.
size_t gpu_list_item(const char *list);

#endif
