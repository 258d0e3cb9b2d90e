// What a compiler makes of a kernel for a GPU.
#ifndef SIM_COMPILE_GPU_TEXT_H
#define SIM_COMPILE_GPU_TEXT_H

#include <stdlib.h>

struct gpu_text {
    char *instructions; // PTX or AMDGPU assembly
    char *parameters;   // the names of the kernel's parameters, with commas between; NULL: not known
};

static inline void gpu_text_clear(struct gpu_text *text) {
    free(text->instructions);
    free(text->parameters);
    *text = (struct gpu_text){0};
}

#endif
