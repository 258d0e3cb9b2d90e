#include "model/gpu_suggest.h"

#include <ctype.h>

#include "model/gpus.h"
#include "util/suggest.h"

const char *gpu_suggest(const char *name) {
    char lower[64];
    size_t length = 0;
    for (; name[length] && length + 1 < sizeof lower; length++) {
        lower[length] = (char)tolower((unsigned char)name[length]);
    }
    lower[length] = '\0';
    struct suggestion suggestion = suggestion_for(lower, length);
    size_t count;
    const struct gpu *gpus = gpu_table(&count);
    for (size_t i = 0; i < count; i++) {
        suggestion_offer(&suggestion, gpus[i].name);
    }
    return suggestion.nearest;
}
