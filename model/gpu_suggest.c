#include "model/gpu_suggest.h"

#include <string.h>

#include "model/gpus.h"
#include "util/suggest.h"

const char *gpu_suggest(const char *name) {
    struct suggestion suggestion = suggestion_for(name, strlen(name));
    size_t count;
    const struct gpu *gpus = gpu_table(&count);
    for (size_t i = 0; i < count; i++) {
        suggestion_offer(&suggestion, gpus[i].name);
    }
    return suggestion.nearest;
}
