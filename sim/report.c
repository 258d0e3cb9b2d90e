#include "sim/report.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "sim/compile/kernel.h"
#include "sim/program.h"

enum {
    PLACE_TEXT = 256,
    THREAD_TEXT = 96
};

// Writes (x,y,z) of a thread from its warp and lane.
static void thread_text(const struct sim_launch *launch, uint32_t warp_index, uint32_t lane, char text[THREAD_TEXT]) {
    const struct dimensions *size = &launch->launch->block;
    uint32_t number = warp_index * launch->gpu->warp_width + lane;
    snprintf(text, THREAD_TEXT, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", number % size->x, number / size->x % size->y,
             number / size->x / size->y);
}

static enum status report_at(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane, uintptr_t pc,
                             const char *what) {
    char place[PLACE_TEXT], thread[THREAD_TEXT];
    const struct dimensions *block = &sim_turn.block;
    sim_module_source_text(launch->module, pc, place, sizeof place);
    thread_text(launch, warp->index, lane, thread);
    return error_set(launch->error, STATUS_FAILED,
                     "%s: kernel %s, block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), thread %s, lane %" PRIu32 ": %s",
                     place, launch->entry->name, block->x, block->y, block->z, thread, lane, what);
}

enum status sim_report(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane, const char *format,
                       ...) {
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return report_at(launch, warp, lane, sim_key_pc(warp->key[lane]), what);
}

static const char *verb_of(const struct sim_warp *warp, uint32_t lane) {
    enum sim_step step = warp->step[lane];
    return step == SIM_LOAD ? "reads" : step == SIM_STORE ? "writes" : "updates";
}

// "reads 4 bytes at 0x1000".
static void access_text(const struct sim_warp *warp, uint32_t lane, char *text, size_t size) {
    snprintf(text, size, "%s %u byte%s at 0x%" PRIx64, verb_of(warp, lane), warp->width[lane],
             warp->width[lane] == 1 ? "" : "s", warp->request.address[lane]);
}

enum status sim_report_misaligned(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane) {
    char access[128];
    access_text(warp, lane, access, sizeof access);
    return sim_report(launch, warp, lane, "%s, which is not a multiple of %u: align the address to the access", access,
                      warp->width[lane]);
}

// The quoted name of the parameter that points to a buffer; "a buffer" if there is none.
static void buffer_name(const struct sim_launch *launch, const struct sim_buffer *buffer, char *text, size_t size) {
    snprintf(text, size, "a buffer");
    for (size_t i = 0; i < launch->launch->argument_count; i++) {
        const struct argument *argument = &launch->launch->arguments[i];
        const char *parameter = sim_argument_parameter(launch->module, launch->entry, launch->launch, i);
        if (argument->type == ARGUMENT_POINTER && argument->value.pointer - buffer->address < buffer->bytes &&
            parameter) {
            snprintf(text, size, "'%s'", parameter);
        }
    }
}

// "8 bytes after the end of 'source' (4096 bytes)".
static void distance_text(uint64_t address, uint64_t begin, uint64_t bytes, const char *name, char *text, size_t size) {
    uint64_t end = begin + bytes;
    if (address < begin) {
        snprintf(text, size, "%" PRIu64 " bytes before the start of %s (%" PRIu64 " bytes)", begin - address, name,
                 bytes);
    } else if (address > end) {
        snprintf(text, size, "%" PRIu64 " bytes after the end of %s (%" PRIu64 " bytes)", address - end, name, bytes);
    } else {
        snprintf(text, size, "%s the end of %s (%" PRIu64 " bytes)", address < end ? "partly after" : "right after",
                 name, bytes);
    }
}

static void locate_among_buffers(const struct sim_launch *launch, uint64_t address, char *text, size_t size) {
    const struct sim_buffer *buffer = sim_memory_nearest(launch->memory, address);
    char name[PLACE_TEXT], distance[PLACE_TEXT + 128];
    if (address < 4096 || !buffer) {
        snprintf(text, size, address < 4096 ? "a null pointer" : "outside every buffer: the launch has none");
        return;
    }
    buffer_name(launch, buffer, name, sizeof name);
    distance_text(address, buffer->address, buffer->bytes, name, distance, sizeof distance);
    snprintf(text, size, "outside every buffer, %s", distance);
}

static void locate_among_variables(const struct sim_launch *launch, uint64_t address, char *text, size_t size) {
    const uint64_t offset = address - launch->module->shared.begin;
    const struct sim_variable *variable = sim_module_nearest_shared(launch->entry, offset);
    char name[PLACE_TEXT];
    if (!variable) {
        snprintf(text, size, "in shared memory, but the kernel has none");
        return;
    }
    snprintf(name, sizeof name, "'%s'", variable->name);
    distance_text(offset, variable->offset, variable->bytes, name, text, size);
}

// "byte 12 of 'tile'" for an offset in the block's shared memory.
static void shared_byte_text(const struct sim_launch *launch, uint64_t offset, char *text, size_t size) {
    offset &= (UINT64_C(1) << SIM_WINDOW_SHIFT) - 1;
    const struct sim_variable *variable = sim_module_nearest_shared(launch->entry, offset);
    if (offset >= launch->shared_offset) {
        snprintf(text, size, "byte %" PRIu64 " of dynamic shared memory", offset - launch->shared_offset);
    } else if (variable) {
        snprintf(text, size, "byte %" PRIu64 " of '%s'", offset - variable->offset, variable->name);
    }
}

static bool is_on_a_stack(const struct sim_launch *launch, const struct sim_warp *warp, uint64_t address) {
    const struct sim_lane *lanes = warp->lanes - warp->index * launch->gpu->warp_width;
    for (uint64_t i = 0; i < dimensions_count(&launch->launch->block); i++) {
        const struct coroutine *coroutine = lanes[i].coroutine;
        if (coroutine && address - (uintptr_t)coroutine->stack_low < COROUTINE_STACK_BYTES) {
            return true;
        }
    }
    return false;
}

enum status sim_report_stray(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane) {
    char access[128], place[PLACE_TEXT * 2];
    uint64_t address = warp->request.address[lane];
    const uint64_t in_cluster = address - launch->module->shared.begin;
    access_text(warp, lane, access, sizeof access);
    if (launch->cluster_blocks > 1 && in_cluster < (uint64_t)launch->cluster_blocks << SIM_WINDOW_SHIFT) {
        address = launch->module->shared.begin + in_cluster % (UINT64_C(1) << SIM_WINDOW_SHIFT);
    }
    if (sim_range_has(&launch->module->shared, address)) {
        locate_among_variables(launch, address, place, sizeof place);
    } else if (sim_range_has(&launch->module->dynamic, address)) {
        snprintf(place, sizeof place, "byte %" PRIu64 " of dynamic shared memory, of which the launch gave %" PRIu32,
                 address - launch->module->dynamic.begin, launch->launch->dynamic_shared_bytes);
    } else if (is_on_a_stack(launch, warp, address)) {
        snprintf(place, sizeof place, "a local variable of another thread");
    } else {
        locate_among_buffers(launch, address, place, sizeof place);
    }
    return sim_report(launch, warp, lane, "%s, %s: check the index", access, place);
}

enum status sim_report_ended(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane,
                             uint32_t rank) {
    return sim_report(launch, warp, lane,
                      "%s shared memory of the cluster's block %" PRIu32
                      ", which has returned: let all blocks wait for each other before they end (cluster.sync)",
                      verb_of(warp, lane), rank);
}

enum status sim_report_race(const struct sim_launch *launch, const struct sim_warp *warp, uint32_t lane,
                            const struct sim_touch *other) {
    char place[PLACE_TEXT], thread[THREAD_TEXT], byte[PLACE_TEXT] = "";
    uintptr_t pc = launch->module->text.begin + other->place;
    const struct sim_site *site = sim_sites_find(launch->sites, pc);
    const struct sim_tally *tally = site ? site->counts.tally[SIM_SHARED] : NULL;
    bool other_stores = tally && tally[OPERATION_STORE].requests;
    sim_module_source_text(launch->module, pc, place, sizeof place);
    const uint32_t other_rank = other->warp / launch->race->in.warps, other_warp = other->warp % launch->race->in.warps;
    const bool same_block = other_rank == sim_turn.rank, same_warp = same_block && other_warp == warp->index;
    thread_text(launch, other_warp, other->lane, thread);
    if (!same_block) {
        snprintf(thread + strlen(thread), sizeof thread - strlen(thread), " of the cluster's block %" PRIu32,
                 other_rank);
    }
    shared_byte_text(launch, warp->request.address[lane], byte, sizeof byte);
    return sim_report(launch, warp, lane,
                      "race on shared memory: %s %s, which %s %s in thread %s, with no %s between: put one there",
                      verb_of(warp, lane), byte, place, other_stores ? "writes" : "reads", thread,
                      same_warp    ? "__syncwarp (warp_barrier)"
                      : same_block ? "__syncthreads"
                                   : "cluster.sync()");
}

static bool has_line(const struct sim_launch *launch, uintptr_t pc) {
    const char *file;
    uint32_t line;
    sim_module_source_line(launch->module, pc, &file, &line);
    return file && line;
}

// The instruction of the kernel that a signal stopped. If it was in a function of the C library, the return address
// nearest to the top of the stack is the kernel's call.
static uintptr_t fault_place(const struct sim_launch *launch, const struct sim_warp *warp) {
    const struct coroutine *coroutine = warp->lanes[sim_turn.fault_lane].coroutine;
    if (sim_range_has(&launch->module->text, sim_turn.fault_pc)) {
        return sim_turn.fault_pc + 1;
    }
    const uintptr_t low = (uintptr_t)coroutine->stack_low, high = (uintptr_t)coroutine->stack_top;
    for (uintptr_t at = (sim_turn.fault_stack + 7) / 8 * 8; at >= low && at < high; at += 8) {
        const uintptr_t word = *(const uintptr_t *)at;
        if (sim_range_has(&launch->module->text, word) && has_line(launch, word)) {
            return word;
        }
    }
    const uint32_t passed = warp->passed[sim_turn.fault_lane];
    return sim_key_pc(warp->keys[(passed ? passed - 1 : 0) * WARP_WIDTH_MAX + sim_turn.fault_lane]);
}

static const char *call_text(char *text, size_t size) {
    static const struct {
        long number;
        const char *what;
    } calls[] = {
        {SYS_exit_group, "ends the process, as exit does"},
        {SYS_clone, "starts a process or a thread"},
#ifdef SYS_clone3
        {SYS_clone3, "starts a process or a thread"},
#endif
        {SYS_nanosleep, "sleeps"},
        {SYS_clock_nanosleep, "sleeps"},
        {SYS_openat, "opens a file"},
        {SYS_socket, "opens a socket"},
        {SYS_execve, "starts a program"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (calls[i].number == sim_turn.fault_call) {
            snprintf(text, size, "%s: a GPU's kernel cannot, leave it out", calls[i].what);
            return text;
        }
    }
    snprintf(text, size, "makes the system call %d: a GPU's kernel cannot, leave it out", sim_turn.fault_call);
    return text;
}

enum status sim_report_signal(const struct sim_launch *launch, const struct sim_warp *warp) {
    char text[128];
    const char *what = "the access or instruction is not valid: check alignment and indices";
    switch (sim_turn.fault_signal) {
    case SIGFPE:
        what = "integer division by zero: check the divisor";
        break;
    case SIGSEGV:
        what = "an access that cannot be made, or more than 256 KiB of local variables: check alignment and arrays";
        break;
    case SIGABRT:
        what = "calls abort: see why";
        break;
    case SIGALRM:
        snprintf(text, sizeof text, "still runs after %g s: it may never end, else allow it more time",
                 launch->limit_s);
        what = text;
        break;
    case SIGSYS:
        what = call_text(text, sizeof text);
        break;
    default:
        break;
    }
    return report_at(launch, warp, sim_turn.fault_lane, fault_place(launch, warp), what);
}
