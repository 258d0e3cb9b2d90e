#include "device/sim/parallel/section.h"

#include <math.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/sim/lane.h"
#include "device/sim/parallel/own_call.h"
#include "device/sim/parallel/part_counts.h"
#include "device/sim/parallel/part_memory.h"
#include "device/sim/parallel/worker.h"
#include "device/sim/ptx/program.h"
#include "util/clock.h"

enum {
    AHEAD = 2, // workers for each processor, most of which are done and wait for those before them
    FAILURES_MAX = 2
};
// Of the least time of a launch on several threads:
static const double KNOWN = 1.0 / 6;      // in which blocks show how long they take
static const double PART_LEAST = 2.0 / 3; // of a worker
static const double PART_MOST_S = 0.15;
static const double LATE_S = 2; // after which a worker waits for blocks that it cannot see

// The blocks of a worker.
struct part {
    struct sim_worker *worker;
    size_t first, count;
    double begun_s;
};

// The parts are a ring: those from `head` on were started in the order of their blocks.
struct section {
    struct sim_launch *launch;
    struct sim_blocks *blocks;
    struct sim_workers workers;
    struct part parts[SIM_WORKERS_MAX];
    uint32_t head, under_way;
    size_t started;            // the first block that no worker has
    size_t first;              // block of the section
    double begun_s, workers_s; // processor time: before the section, and of workers that are done
    uint32_t parts_done;
};

// Whether a worker could not tell all that a block writes: a copy of a box announces parts of some sectors.
static bool is_bound_to_order(const struct sim_launch *launch) {
    const struct ptx_program *program = launch->module->program;
    return program && strstr(program->c, ".stores = 1");
}

bool sim_section_pays(const struct sim_launch *launch, const struct sim_blocks *blocks) {
    const size_t left = blocks->end - blocks->next;
    return launch->threads.count > 1 && !*launch->one_is_faster && left > 1 && blocks->next >= blocks->in_order_until &&
           blocks->spent_s >= KNOWN * launch->threads.least_s &&
           blocks->block_s * (double)left > launch->threads.least_s && launch->failed_sections < FAILURES_MAX &&
           !launch->caches && !launch->contention->used && !is_bound_to_order(launch);
}

// ---- In a worker ----

struct task {
    struct sim_launch *launch;
    const struct sim_blocks *blocks;
    const struct part *part;
};

// What kernels print goes to a file, and from there to the process that takes the worker's blocks in their turn.
static int catch_output(void) {
    const int file = memfd_create("bankshot", MFD_CLOEXEC);
    __fpurge(stdout);
    if (file >= 0) {
        sim_own_call(SYS_dup3, file, STDOUT_FILENO, 0, 0, 0, 0);
    }
    return file;
}

static void write_output(int file, struct sim_record *record) {
    fflush(stdout);
    const off_t end = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    const size_t bytes = end > 0 ? (size_t)end : 0;
    sim_record_put(record, &bytes, sizeof bytes);
    void *place = bytes ? sim_record_add(record, bytes) : NULL;
    if (place && pread(file, place, bytes, 0) != (ssize_t)bytes) {
        record->is_full = true;
    }
}

static bool run_part(struct sim_record *record, void *context) {
    const struct task *task = context;
    struct sim_launch *launch = task->launch;
    struct sim_intervals intervals;
    struct error error = {0};
    const int output = catch_output();
    launch->error = &error;
    launch->in_worker = true;
    launch->progress.form = SIM_PROGRESS_NONE;
    sim_part_memory_begin(launch);
    enum status status = sim_part_counts_begin(launch, &intervals);
    for (size_t i = 0; status == STATUS_OK && i < task->part->count; i++) {
        status = task->blocks->run(launch, task->part->first + i);
    }
    if (status != STATUS_OK) {
        return false;
    }
    const size_t place = record->at;
    const double none = 0;
    sim_record_put(record, &none, sizeof none);
    sim_part_counts_write(launch, record);
    sim_part_memory_write(launch, record);
    sim_record_put(record, launch->requests + task->part->first, task->part->count * sizeof *launch->requests);
    write_output(output, record);
    const double spent_s = clock_processor_s();
    memcpy(record->bytes + place, &spent_s, sizeof spent_s);
    return true;
}

// ---- In the process that starts them ----

static struct part *part_at(struct section *section, uint32_t place) {
    return &section->parts[(section->head + place) % section->workers.count];
}

// Parts become shorter towards the end, so that all processors have work.
static size_t blocks_of_part(const struct section *section) {
    const size_t left = section->blocks->end - section->started;
    const double block_s = section->blocks->block_s;
    double seconds = block_s * (double)left / (2 * section->launch->threads.count);
    seconds = fmin(fmax(seconds, PART_LEAST * section->launch->threads.least_s), PART_MOST_S);
    const double count = seconds / block_s;
    return count < 1 ? 1 : count < (double)left ? (size_t)count : left;
}

static bool start_part(struct section *section) {
    const uint32_t place = (section->head + section->under_way) % section->workers.count;
    struct part *part = &section->parts[place];
    *part = (struct part){&section->workers.worker[place], section->started, blocks_of_part(section), clock_s()};
    struct task task = {section->launch, section->blocks, part};
    if (!sim_worker_start(&section->workers, part->worker, &(struct sim_worker_task){run_part, &task})) {
        return false;
    }
    section->started += part->count;
    section->under_way++;
    return true;
}

static uint32_t count_running(struct section *section) {
    uint32_t running = 0;
    for (uint32_t i = 0; i < section->under_way; i++) {
        running += sim_worker_state(part_at(section, i)->worker) == SIM_WORKER_RUNS;
    }
    return running;
}

static bool start_parts(struct section *section) {
    for (uint32_t running = count_running(section); running < section->launch->threads.count; running++) {
        if (section->started == section->blocks->end || section->under_way == section->workers.count) {
            break;
        }
        if (!start_part(section)) {
            return section->under_way > 0;
        }
    }
    return true;
}

static bool holds(const struct section *section, const struct sim_record *record) {
    struct sim_record from = *record;
    sim_record_get(&from, sizeof(double));
    const bool counts_hold = sim_part_counts_hold(section->launch, &from);
    return sim_part_memory_holds(section->launch, &from) && counts_hold;
}

static void print_output(struct sim_record *record) {
    const size_t *bytes = sim_record_get(record, sizeof *bytes);
    if (*bytes) {
        fwrite(sim_record_get(record, *bytes), 1, *bytes, stdout);
        fflush(stdout);
    }
}

static enum status merge(struct section *section, const struct part *part) {
    struct sim_launch *launch = section->launch;
    struct sim_record record = part->worker->record;
    section->workers_s += *(const double *)sim_record_get(&record, sizeof(double));
    section->parts_done++;
    enum status status = sim_part_counts_merge(launch, &record);
    if (status == STATUS_OK) {
        status = sim_part_memory_merge(launch, &record);
    }
    if (status == STATUS_OK) {
        const size_t bytes = part->count * sizeof *launch->requests;
        memcpy(launch->requests + part->first, sim_record_get(&record, bytes), bytes);
        print_output(&record);
    }
    return status;
}

// Takes the blocks of the first part. *useful: they need not run again.
static enum status take_part(struct section *section, bool *useful) {
    struct part *part = part_at(section, 0);
    const bool done = sim_worker_state(part->worker) == SIM_WORKER_IS_DONE;
    enum status status = STATUS_OK;
    sim_worker_finish(part->worker);
    *useful = done && holds(section, &part->worker->record);
    if (*useful) {
        status = merge(section, part);
        section->blocks->next += part->count;
    }
    if (*useful) {
        section->head = (section->head + 1) % section->workers.count;
        section->under_way--;
    }
    return status;
}

// Starting workers and taking their memory costs processor time, and more of it than side by side saves where each
// block writes to many pages. The launch lasts as long as this process, which takes one part after another, and as all
// processes share the processors, whichever is longer.
static bool is_slow(const struct section *section) {
    enum {
        PARTS = 2 // that show it
    };
    const double own_s = clock_processor_s() - section->begun_s;
    const double side_by_side_s = fmax(own_s, (own_s + section->workers_s) / section->launch->threads.count);
    const double here_s = section->blocks->block_s * (double)(section->blocks->next - section->first);
    return section->parts_done >= PARTS && side_by_side_s > here_s;
}

// A block that runs here is stopped and named when the launch's time is over.
static bool is_over_time(const struct sim_launch *launch) {
    return launch->limit_s > 0 && sim_launch_seconds(launch) > launch->limit_s;
}

static enum status run_section(struct section *section) {
    enum status status = STATUS_OK;
    bool useful = true;
    while (status == STATUS_OK && useful && section->blocks->next < section->blocks->end) {
        const uint32_t bell = sim_workers_bell(&section->workers);
        useful = start_parts(section);
        const struct part *first = part_at(section, 0);
        section->launch->progress.done = section->blocks->next;
        sim_progress_show(&section->launch->progress);
        if (is_slow(section)) {
            *section->launch->one_is_faster = true;
            return status;
        }
        useful = useful && !is_over_time(section->launch);
        if (!useful) {
            break;
        }
        if (sim_worker_state(first->worker) != SIM_WORKER_RUNS) {
            status = take_part(section, &useful);
        } else if (clock_s() - first->begun_s > LATE_S + 20 * section->blocks->block_s * (double)first->count) {
            useful = false;
        } else {
            sim_workers_wait(&section->workers, bell);
        }
    }
    if (!useful) {
        section->launch->failed_sections++;
        section->blocks->in_order_until = section->blocks->next + part_at(section, 0)->count;
    }
    return status;
}

static uint32_t workers_of(const struct sim_threads *threads) {
    const uint32_t most = AHEAD * threads->count;
    return most < SIM_WORKERS_MAX ? most : SIM_WORKERS_MAX;
}

uint64_t sim_section_bytes(const struct sim_threads *threads) {
    return threads->count > 1 ? sim_workers_bytes(workers_of(threads)) : 0;
}

enum status sim_section_run(struct sim_launch *launch, struct sim_blocks *blocks) {
    struct section section = {.launch = launch,
                              .blocks = blocks,
                              .started = blocks->next,
                              .first = blocks->next,
                              .begun_s = clock_processor_s()};
    enum status status = sim_workers_create(&section.workers, workers_of(&launch->threads), launch->error);
    if (status != STATUS_OK) {
        launch->failed_sections = FAILURES_MAX;
        return STATUS_OK; // the blocks run in order
    }
    sim_part_memory_forget_changes(launch);
    status = run_section(&section);
    sim_workers_destroy(&section.workers);
    return status;
}
