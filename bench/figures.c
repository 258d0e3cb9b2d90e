#include "bench/figures.h"

const struct figure_kind figure_kinds[FIGURES] = {
    [FIGURE_LATENCY] = {"latency_ns", "ns", true},  [FIGURE_ONE_WAY] = {"one_way_gb_s", "GB/s", false},
    [FIGURE_UPDATES] = {"gop_s", "GOP/s", false},   [FIGURE_BANDWIDTH] = {"bandwidth_gb_s", "GB/s", false},
    [FIGURE_TIME] = {"time_ns_median", "ns", true},
};
