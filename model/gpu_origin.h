// Where a figure of the table of GPUs comes from, and how surely it is known.
#ifndef MODEL_GPU_ORIGIN_H
#define MODEL_GPU_ORIGIN_H

#include <stddef.h>

#include "model/evidence.h"
#include "model/gpus.h"

// Copies what the row's source says of a figure into `text`, and returns how the figure is known. figure: its name in
// the source, alternatives separated by '|'. Without a word of it the text is empty and the figure a guess.
enum evidence gpu_origin(const struct gpu *gpu, const char *figure, char *text, size_t size);

#endif
