#include "apsp/apsp_cost.h"

#include "apsp/apsp_budget.h"
#include "apsp/apsp_input.h"
#include "apsp/apsp_variant.h"

enum {
    CPU_GAIN = 10 // every other variant is at least this many times faster than the slowest one
};

void apsp_cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    const struct apsp_cpu_method *method = apsp_detail_of(point)->cpu;
    if (!method) {
        return; // the plan learns the cost from the first solutions
    }
    const double vertices = apsp_vertices(run, point), bytes = vertices * vertices * sizeof(int32_t);
    cost->handle_bytes = 4 * bytes; // input, output, scratch memory, and the check's memory
    cost->round_s =
        vertices * vertices * vertices / apsp_slowest_rate(run) / (method == &apsp_cpu_reference ? 1 : CPU_GAIN);
}
