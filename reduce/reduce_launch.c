#include "reduce/reduce_launch.h"

#include <string.h>

struct launch reduce_launch(const struct reduce_job *job, uint32_t number,
                            struct argument arguments[REDUCE_ARGUMENTS_MAX]) {
    const struct reduce_plan *plan = &job->plan;
    const struct reduce_buffers *buffers = &job->buffers;
    const struct argument all[REDUCE_ARGUMENTS_MAX] = {
        argument_pointer(number == 0 ? buffers->input : buffers->sums[(number - 1) % 2]),
        argument_pointer(job->detail->result_apart ? buffers->sums[1] : buffers->sums[number % 2]),
        argument_u64(plan->pass[number].elements),
        argument_pointer(buffers->ticket),
        argument_pointer(buffers->sums[0]),
    };
    memcpy(arguments, all, sizeof all);
    return (struct launch){
        .grid = {(uint32_t)plan->pass[number].grid, 1, 1},
        .block = {plan->block ? plan->block : 1, 1, 1},
        .dynamic_shared_bytes = reduce_plan_shared_bytes(plan, reduce_info(job->run)->warp_width),
        .arguments = arguments,
        .argument_count = 3 + job->detail->arguments_more,
        .finished = job->detail->counts_blocks ? buffers->ticket : 0,
    };
}
