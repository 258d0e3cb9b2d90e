#include "apsp/solve/gpu_thread.h"

enum {
    REGISTERS_MOST = 128 // of a thread of register_tiled.cu: its launch bounds are 256 threads and two blocks
};

// Whether the kernel tests for each element whether the tile has it.
static bool tile_is_uneven(const struct apsp_settings *settings) {
    return settings->kernels == APSP_SHARED &&
           (settings->tile % settings->block.x || settings->tile % settings->block.y);
}

// The rows of a tile in which a thread of global.cu or shared.cu has elements, and the elements of each row.
struct elements {
    double rows, in_row;
};

static struct elements elements_of_thread(const struct apsp_settings *settings) {
    if (settings->linear) {
        return (struct elements){1, (double)settings->tile * settings->tile / settings->block.x};
    }
    return (struct elements){(settings->tile + settings->block.y - 1) / settings->block.y,
                             (settings->tile + settings->block.x - 1) / settings->block.x};
}

// Phases 1 and 2 of global.cu: what NVRTC 13.0 makes for sm_90 of a step, of a row of elements and of each element,
// without its four accesses.
static double instructions_in_steps(const struct apsp_settings *settings) {
    const struct elements own = elements_of_thread(settings);
    return settings->tile * (14 + own.rows * (22 + 16 * own.in_row));
}

// Instructions of a thread that has its distances in registers: an addition and a minimum for each update. A compiler
// for the host, which keeps distances in memory, would count far more. A test of each element takes about six more.
double apsp_gpu_thread_instructions(const struct apsp_gpu *gpu, enum apsp_step step) {
    const struct apsp_settings *settings = &gpu->settings;
    const double tile = settings->tile, threads = settings->block.x * settings->block.y;
    const bool registers = gpu->settings.kernels == APSP_REGISTERS, tests = tile_is_uneven(settings);
    const double share = registers && step == APSP_PHASE2 ? 0.5 : registers && step == APSP_PHASE3_CROSS ? 0.25 : 1;
    const double updates = tile * tile * tile / threads * share;
    if (apsp_step_is_outside_rounds(step) || (settings->kernels == APSP_GLOBAL && step == APSP_PHASE3)) {
        return 0;
    }
    return settings->kernels == APSP_GLOBAL ? instructions_in_steps(settings) : (tests ? 8 : 2) * updates;
}

// Registers of a thread. register_tiled.cu's bounds leave 128. shared.cu needs about 24 and those of its elements, 1.7
// each where it loads ahead: NVRTC 13.0 gives 28 to 66 for sm_90.
uint32_t apsp_gpu_thread_registers(const struct apsp_gpu *gpu, enum apsp_step step) {
    const struct elements own = elements_of_thread(&gpu->settings);
    const double of_element = gpu->settings.unroll > 1 ? 1.7 : 1;
    return apsp_step_is_outside_rounds(step)         ? 0
           : gpu->settings.kernels == APSP_REGISTERS ? (uint32_t)REGISTERS_MOST
           : gpu->settings.kernels == APSP_SHARED    ? (uint32_t)(24 + of_element * own.rows * own.in_row)
                                                     : 0;
}
