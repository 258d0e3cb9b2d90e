#include "model/time/time_constants.h"

#include <math.h>

TIME_CONSTANTS_CONST struct time_constants time_constants = {
#define TIME_CONSTANT_VALUE(name, value, without, unit, meaning, source) .name = (value),
    TIME_CONSTANTS(TIME_CONSTANT_VALUE)
#undef TIME_CONSTANT_VALUE
};

const struct time_constant time_constant_list[] = {
#define TIME_CONSTANT_ROW(name, value, without, unit, meaning, source)                                                 \
    {#name, (value), (without), (unit), (meaning), (source)},
    TIME_CONSTANTS(TIME_CONSTANT_ROW)
#undef TIME_CONSTANT_ROW
};

const size_t time_constant_count = sizeof time_constant_list / sizeof *time_constant_list;
