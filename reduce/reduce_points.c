#include "reduce/reduce_points.h"

#include <string.h>

#include "reduce/reduce_session.h"

enum {
    CACHE_MULTIPLE = 4,
    ELEMENTS_MIN = 1 << 24, // the smallest default
};

static bool find_type(const char *name, size_t length, unsigned *types) {
    for (enum reduce_type type = 0; type < REDUCE_TYPES; type++) {
        if (strlen(reduce_type_name(type)) == length && !strncmp(reduce_type_name(type), name, length)) {
            *types |= 1u << type;
            return true;
        }
    }
    return false;
}

enum status reduce_types(const struct reduce_session *session, unsigned *types, struct error *error) {
    *types = 0;
    if (!strcmp(session->type, "all")) {
        *types = (1u << REDUCE_TYPES) - 1;
        return STATUS_OK;
    }
    const char *at = session->type;
    do {
        const size_t length = strcspn(at, ",");
        if (!find_type(at, length, types)) {
            return error_set(error, STATUS_USAGE,
                             "--type: there is no type '%.*s': give int32, int64, float32, float64 or all",
                             (int)(length < 100 ? length : 100), at);
        }
        at += length;
    } while (*at++ == ',');
    return STATUS_OK;
}

bool reduce_has_type(const struct reduce_detail *detail, enum reduce_type type) {
    return !detail->int32_only || type == REDUCE_INT32;
}

uint64_t reduce_default_elements(const struct device_info *info, size_t bytes) {
    uint64_t elements = ELEMENTS_MIN;
    while (elements * bytes < CACHE_MULTIPLE * device_cache_bytes_max(info) &&
           4 * elements * bytes < info->memory_free_bytes) {
        elements *= 2;
    }
    return elements;
}

uint64_t reduce_elements(const struct run *run, const struct point *point, enum reduce_type type) {
    const uint64_t elements = point->values[REDUCE_ELEMENTS];
    return run->defaulted[REDUCE_ELEMENTS] && elements == 0
               ? reduce_default_elements(&run->bench_device->device->info, reduce_type_bytes(type))
               : elements;
}

bool reduce_is_swept(const struct run *run, const struct point *point) {
    return run->defaulted[REDUCE_ELEMENTS] && run->sweeps[REDUCE_ELEMENTS].count > 1 &&
           point->values[REDUCE_ELEMENTS] != 0;
}
