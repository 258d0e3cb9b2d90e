#include "sim/parallel/section.h"

#include <math.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/lane.h"
#include "sim/parallel/overlays.h"
#include "sim/parallel/own_call.h"
#include "sim/parallel/part.h"
#include "sim/parallel/worker.h"
#include "sim/program.h"
#include "sim/time.h"
#include "util/clock.h"

enum {
    FAILURES_MAX = 2,
    PARTS_MAX = 2048,
    SHARES = 4 // into which the blocks that are left are divided for each processor; a part is one of them
};
// In units of the least time that a launch on several threads takes:
static const double KNOWN = 1.0 / 6;       // blocks that show how long they take
static const double FIRST = 8;             // the first section of a launch
static const double PART_LEAST = 1.0 / 30; // a part

static const double PATIENCE = 20;      // a slow section is followed by so many times what it lost on one thread
static const double GROWTH = 8;         // a section may take so many times the time of the blocks before it
static const double SECTION_MOST_S = 2; // on each processor

// A worker that waits for another one's store may never see it. So a section is given up if no part of it ends within
// these times together.
static const double LATE_S = 2;
static const double LATE_PARTS = 20; // times what the first part should take

// Blocks that one worker runs. Each worker takes the next part when it is done with one, so it runs its parts in the
// order of their blocks.
struct part {
    size_t first, count;
    uint32_t worker;
    size_t record_at; // in the worker's record
    bool is_done;
};

// What all processes see of a section.
struct board {
    uint32_t taken;     // parts that a worker has begun
    size_t blocks_done; // in parts that are done
    struct part part[PARTS_MAX];
    // Of each part, and of what each worker did in memory, for the process that takes them:
    struct sim_record record[PARTS_MAX], memory[SIM_WORKERS_MAX];
    struct {
        size_t record_at; // of what it did in memory
        double spent_s;   // processor time
    } worker[SIM_WORKERS_MAX];
};

struct section {
    struct sim_launch *launch;
    const struct sim_blocks *blocks;
    struct sim_workers workers;
    struct sim_overlays overlays;
    struct board *board;
    uint32_t parts;
    size_t first, end; // blocks
    double begun_s;    // processor time
};

// Whether a worker could not tell all that a block writes: a copy of a box announces parts of some sectors.
static bool is_bound_to_order(const struct sim_launch *launch) {
    const struct sim_program *program = launch->module->program;
    return program && program->stores_boxes;
}

// Why a launch that is long enough runs on one thread; NULL: it need not.
static const char *find_obstacle(const struct sim_launch *launch) {
    return launch->caches                                   ? "its accesses wait for one another"
           : launch->contention->used                       ? "the order of blocks decides what its atomics return"
           : is_bound_to_order(launch)                      ? "it copies boxes to global memory"
           : launch->failed_sections >= FAILURES_MAX        ? "its workers failed or waited for one another"
           : clock_processor_s() < launch->setback->until_s ? launch->setback->why
                                                            : NULL;
}

bool sim_section_pays(struct sim_launch *launch, const struct sim_blocks *blocks) {
    const size_t left = blocks->end - blocks->next;
    if (launch->threads.count == 1 || left < 2 || blocks->spent_s < KNOWN * launch->threads.least_s ||
        blocks->block_s * (double)left <= launch->threads.least_s) {
        return false;
    }
    launch->progress.one_thread = find_obstacle(launch);
    return !launch->progress.one_thread && blocks->next >= blocks->in_order_until;
}

// ---- In a worker ----

// What kernels print goes to a file, and from there to the process that takes the blocks in their turn.
struct output {
    int file;
    off_t taken;
};

static struct output catch_output(void) {
    const int file = memfd_create("bankshot", MFD_CLOEXEC);
    __fpurge(stdout);
    if (file >= 0) {
        sim_own_call(SYS_dup3, file, STDOUT_FILENO, 0, 0, 0, 0);
    }
    return (struct output){file, 0};
}

static void write_output(struct output *output, struct sim_record *record) {
    fflush(stdout);
    const off_t end = output->file < 0 ? 0 : lseek(output->file, 0, SEEK_END);
    const size_t bytes = end > output->taken ? (size_t)(end - output->taken) : 0;
    sim_record_put(record, &bytes, sizeof bytes);
    void *place = bytes ? sim_record_add(record, bytes) : NULL;
    if (place && pread(output->file, place, bytes, output->taken) != (ssize_t)bytes) {
        record->is_full = true;
    }
    output->taken += (off_t)bytes;
}

static bool run_part(const struct section *section, struct part *part, struct output *output,
                     struct sim_record *record) {
    struct sim_launch *launch = section->launch;
    struct sim_intervals intervals;
    enum status status = sim_part_counts_begin(launch, &intervals);
    for (size_t i = 0; status == STATUS_OK && i < part->count; i++) {
        status = section->blocks->run(launch, part->first + i);
    }
    if (status != STATUS_OK) {
        return false;
    }
    part->record_at = record->at;
    sim_part_counts_write(launch, record);
    sim_record_put(record, launch->requests + part->first, part->count * sizeof *launch->requests);
    write_output(output, record);
    sim_intervals_destroy(&intervals);
    part->is_done = !record->is_full;
    __atomic_add_fetch(&section->board->blocks_done, part->count, __ATOMIC_RELAXED);
    return part->is_done;
}

// What a worker needs to know.
struct task {
    const struct section *section;
    uint32_t worker;
};

static bool run_parts(struct sim_record *record, void *context) {
    const struct task *task = context;
    const struct section *section = task->section;
    struct board *board = section->board;
    struct output output = catch_output();
    struct error error = {0};
    section->launch->error = &error;
    section->launch->in_worker = true;
    section->launch->progress.form = SIM_PROGRESS_NONE;
    sim_part_memory_begin(section->launch);
    uint32_t number;
    while ((number = __atomic_fetch_add(&board->taken, 1, __ATOMIC_RELAXED)) < section->parts) {
        board->part[number].worker = task->worker;
        if (!run_part(section, &board->part[number], &output, record)) {
            return false;
        }
    }
    board->worker[task->worker].record_at = record->at;
    sim_part_memory_write(section->launch, record);
    board->worker[task->worker].spent_s = clock_processor_s();
    return true;
}

// ---- In the process that starts them ----

// Sections become longer, because none of a section's blocks count if workers disturb one another.
static size_t blocks_of_section(const struct sim_launch *launch, const struct sim_blocks *blocks) {
    const uint32_t threads = launch->threads.count;
    const double known_s = blocks->block_s * (double)blocks->next;
    const double seconds = fmin(fmax(FIRST * launch->threads.least_s, GROWTH * known_s), SECTION_MOST_S * threads);
    const size_t left = blocks->end - blocks->next;
    const double count = fmax(seconds / blocks->block_s, threads);
    return count < (double)left ? (size_t)count : left;
}

// Parts become shorter towards the end, so that all processors have work.
static void divide(struct section *section, size_t count) {
    const struct sim_threads *threads = &section->launch->threads;
    const size_t least = (size_t)(PART_LEAST * threads->least_s / section->blocks->block_s) + 1;
    section->end = section->first;
    while (count && section->parts < PARTS_MAX) {
        const size_t share = count / (SHARES * threads->count), some = share > least ? share : least;
        struct part *part = &section->board->part[section->parts++];
        *part = (struct part){.first = section->end, .count = some < count ? some : count};
        section->end += part->count;
        count -= part->count;
    }
}

static bool start_workers(struct section *section) {
    bool started = true;
    for (uint32_t i = 0; started && i < section->workers.count; i++) {
        struct task task = {section, i};
        started = sim_worker_start(&section->workers, &section->workers.worker[i],
                                   &(struct sim_worker_task){run_parts, &task});
    }
    return started;
}

// A block that runs here is stopped and named when the launch's time is over.
static bool is_over_time(const struct sim_launch *launch) {
    return launch->limit_s > 0 && sim_launch_seconds(launch) > launch->limit_s;
}

static double late_s(const struct section *section) {
    return LATE_S + LATE_PARTS * section->blocks->block_s * (double)section->board->part[0].count;
}

// Returns false if a worker has failed or takes too long.
static bool wait_for_workers(const struct section *section) {
    struct sim_progress *progress = &section->launch->progress;
    size_t done = 0;
    double changed_s = clock_s();
    for (;;) {
        const uint32_t bell = sim_workers_bell(&section->workers);
        uint32_t running = 0;
        for (uint32_t i = 0; i < section->workers.count; i++) {
            const enum sim_worker_state state = sim_worker_state(&section->workers.worker[i]);
            running += state == SIM_WORKER_RUNS;
            if (state == SIM_WORKER_FAILED) {
                return false;
            }
        }
        if (!running) {
            return true;
        }
        const size_t now = __atomic_load_n(&section->board->blocks_done, __ATOMIC_RELAXED);
        changed_s = now == done ? changed_s : clock_s();
        done = now;
        progress->done = section->first + done;
        sim_progress_show(progress);
        if (is_over_time(section->launch) || clock_s() - changed_s > late_s(section)) {
            return false;
        }
        sim_workers_wait(&section->workers, bell);
    }
}

static struct sim_record record_at(const struct section *section, uint32_t worker, size_t at) {
    struct sim_record record = section->workers.worker[worker].record;
    record.at = at;
    return record;
}

static void find_records(const struct section *section) {
    struct board *board = section->board;
    for (uint32_t i = 0; i < section->parts; i++) {
        board->record[i] = record_at(section, board->part[i].worker, board->part[i].record_at);
    }
    for (uint32_t i = 0; i < section->workers.count; i++) {
        board->memory[i] = record_at(section, i, board->worker[i].record_at);
    }
}

// Returns false if they leave no records.
static bool run_workers(struct section *section) {
    if (!start_workers(section) || !wait_for_workers(section)) {
        return false;
    }
    find_records(section);
    return true;
}

static bool holds(const struct section *section) {
    const struct board *board = section->board;
    return sim_part_counts_hold(section->launch, board->record, section->parts) &&
           sim_part_memory_holds(section->launch, board->memory, section->workers.count);
}

static void print_output(struct sim_record *record) {
    const size_t *bytes = sim_record_get(record, sizeof *bytes);
    if (*bytes) {
        fwrite(sim_record_get(record, *bytes), 1, *bytes, stdout);
        fflush(stdout);
    }
}

static enum status merge_part(const struct section *section, const struct part *part, struct sim_record *record) {
    struct sim_launch *launch = section->launch;
    TRY(sim_part_counts_merge(launch, record));
    const size_t bytes = part->count * sizeof *launch->requests;
    memcpy(launch->requests + part->first, sim_record_get(record, bytes), bytes);
    print_output(record);
    return STATUS_OK;
}

static enum status merge(const struct section *section) {
    struct sim_launch *launch = section->launch;
    struct board *board = section->board;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < section->parts; i++) {
        status = merge_part(section, &board->part[i], &board->record[i]);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < section->workers.count; i++) {
        status = sim_part_memory_merge(launch, &board->memory[i]);
    }
    sim_overlays_take(&section->overlays, launch->memory);
    return status;
}

// The time that the section took beyond that of its blocks one after another. The processors wait while this process
// starts workers and takes what they leave.
static double lost_s(const struct section *section) {
    double seconds = clock_processor_s() - section->begun_s;
    for (uint32_t i = 0; i < section->workers.count; i++) {
        seconds += section->board->worker[i].spent_s / section->workers.count;
    }
    return seconds - section->blocks->block_s * (double)(section->end - section->first);
}

// Other programs may have made a section slow, and larger ones may pay. So there is another one as soon as the loss is
// small beside what this process has done since. With a least time of 0 blocks run side by side even if that is slow.
static struct sim_setback find_setback(const struct section *section) {
    const double lost = lost_s(section);
    return lost > 0 && section->launch->threads.least_s > 0
               ? (struct sim_setback){"workers took more time than they saved", clock_processor_s() + PATIENCE * lost}
               : (struct sim_setback){0};
}

// The end of the first part that is not done.
static size_t end_of_failure(const struct section *section) {
    uint32_t i = 0;
    while (i + 1 < section->parts && section->board->part[i].is_done) {
        i++;
    }
    return section->board->part[i].first + section->board->part[i].count;
}

static enum status run_section(struct section *section, struct sim_blocks *blocks) {
    struct sim_launch *launch = section->launch;
    enum status status = STATUS_OK;
    const bool done = run_workers(section), useful = done && holds(section);
    sim_workers_end(&section->workers);
    if (useful) {
        status = merge(section);
        blocks->next = section->end;
        *launch->setback = find_setback(section);
    } else {
        launch->failed_sections++;
        blocks->in_order_until = done ? section->end : end_of_failure(section);
        // Blocks that disturb one another will do so in later launches, too.
        *launch->setback = done ? (struct sim_setback){"its blocks write what others read or write", INFINITY}
                                : (struct sim_setback){0};
    }
    return status;
}

static uint32_t workers_of(const struct sim_threads *threads) {
    return threads->count < SIM_WORKERS_MAX ? threads->count : SIM_WORKERS_MAX;
}

uint64_t sim_section_bytes(const struct sim_threads *threads, const struct sim_memory *memory) {
    return threads->count > 1 ? sim_workers_bytes(workers_of(threads)) + sim_overlays_bytes(memory) : 0;
}

static struct board *create_board(void) {
    void *memory = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static enum status create(struct section *section) {
    struct sim_launch *launch = section->launch;
    section->board = create_board();
    enum status status = section->board ? STATUS_OK : STATUS_FAILED;
    if (status == STATUS_OK) {
        status = sim_workers_create(&section->workers, workers_of(&launch->threads), launch->error);
    }
    return status == STATUS_OK ? sim_overlays_create(&section->overlays, launch->memory) : status;
}

static void destroy(struct section *section) {
    sim_workers_destroy(&section->workers);
    sim_overlays_destroy(&section->overlays, section->launch->memory);
    if (section->board) {
        munmap(section->board, sizeof *section->board);
    }
}

enum status sim_section_run(struct sim_launch *launch, struct sim_blocks *blocks) {
    struct section section = {.launch = launch,
                              .blocks = blocks,
                              .overlays = {.file = -1},
                              .first = blocks->next,
                              .begun_s = clock_processor_s()};
    enum status status = STATUS_OK;
    if (create(&section) == STATUS_OK) {
        divide(&section, blocks_of_section(launch, blocks));
        status = run_section(&section, blocks);
    } else {
        launch->failed_sections = FAILURES_MAX; // the blocks run in order
    }
    destroy(&section);
    return status;
}
