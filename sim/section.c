#include "sim/section.h"

#include <math.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/lane.h"
#include "sim/memory.h"
#include "sim/program.h"
#include "sim/time.h"
#include "sim/traffic.h"
#include "util/clock.h"

// ---- A worker's part ----

// What a worker hands over of the blocks that it ran: what they counted, and what they did in memory.

enum {
    INTERVALS_MAX = 1 << 13 // a power of two
};

// One site's counts. Its costliest requests follow.
struct part_site {
    uintptr_t pc;
    struct sim_site_counts counts;
    bool has_costliest[SIM_SPACES];
    bool stores_first; // its first store to shared memory of all, as far as the worker knows
};

struct part_interval {
    struct block_interval work;
    uint64_t blocks;
};

struct part_counts {
    uint64_t sites, intervals, misses; // of L1
    struct block_tail longest;
};

// ---- In the worker ----

static void sim_part_counts_begin(struct sim_launch *launch, struct sim_intervals *intervals) {
    for (size_t i = 0; i < launch->sites->count; i++) {
        struct sim_site *site = launch->sites->site[i];
        site->counts = (struct sim_site_counts){0};
        site->had_shared = site->memos[SIM_SHARED] != NULL;
        site->costliest[SIM_GLOBAL].rank = site->costliest[SIM_SHARED].rank = 0;
    }
    launch->near->misses = 0;
    launch->intervals = intervals;
    sim_intervals_create(intervals, INTERVALS_MAX);
}

static void write_site(const struct sim_site *site, struct sim_record *record) {
    const struct part_site part = {
        .pc = site->pc,
        .counts = site->counts,
        .has_costliest = {site->costliest[SIM_GLOBAL].rank > 0, site->costliest[SIM_SHARED].rank > 0},
        .stores_first = !site->had_shared && site->counts.tally[SIM_SHARED][OPERATION_STORE].requests > 0};
    sim_record_put(record, &part, sizeof part);
    for (int space = 0; space < SIM_SPACES; space++) {
        if (part.has_costliest[space]) {
            sim_record_put(record, &site->costliest[space], sizeof site->costliest[space]);
        }
    }
}

// In a worker: writes its counts.
static void sim_part_counts_write(const struct sim_launch *launch, struct sim_record *record) {
    const struct sim_intervals *intervals = launch->intervals;
    const struct part_counts part = {launch->sites->count, intervals->count, launch->near->misses, intervals->longest};
    record->is_full = record->is_full || intervals->is_full;
    sim_record_put(record, &part, sizeof part);
    for (size_t i = 0; i < part.sites; i++) {
        write_site(launch->sites->site[i], record);
    }
    for (size_t i = 0; i < part.intervals; i++) {
        const struct part_interval interval = {intervals->interval[i].work, intervals->since_fold[i]};
        sim_record_put(record, &interval, sizeof interval);
    }
}

// ---- In the process that started it ----

static void skip_costliest(const struct part_site *site, struct sim_record *record) {
    for (int space = 0; space < SIM_SPACES; space++) {
        if (site->has_costliest[space]) {
            sim_record_get(record, sizeof(struct sim_costliest));
        }
    }
}

// Whether a part made a request of shared memory at this instruction.
static bool has_shared(struct sim_record record, uintptr_t pc) {
    const struct part_counts *part = sim_record_get(&record, sizeof *part);
    for (uint64_t i = 0; i < part->sites; i++) {
        const struct part_site *site = sim_record_get(&record, sizeof *site);
        if (site->pc == pc) {
            return site->has_costliest[SIM_SHARED];
        }
        skip_costliest(site, &record);
    }
    return false;
}

static bool is_known(const struct sim_launch *launch, const struct sim_record *parts, size_t before, uintptr_t pc) {
    const struct sim_site *site = sim_sites_known(launch->sites, pc);
    bool known = site && site->memos[SIM_SHARED];
    for (size_t i = 0; !known && i < before; i++) {
        known = has_shared(parts[i], pc);
    }
    return known;
}

// A store waits otherwise when it is the first to shared memory (lane.c), so no worker may take another one for
// the first.
static bool sim_part_counts_hold(const struct sim_launch *launch, const struct sim_record *parts, size_t count) {
    bool hold = true;
    for (size_t i = 0; i < count; i++) {
        struct sim_record record = parts[i];
        const struct part_counts *part = sim_record_get(&record, sizeof *part);
        for (uint64_t k = 0; hold && k < part->sites; k++) {
            const struct part_site *site = sim_record_get(&record, sizeof *site);
            hold = !(site->stores_first && is_known(launch, parts, i, site->pc));
            skip_costliest(site, &record);
        }
    }
    return hold;
}

static void merge_site(struct sim_launch *launch, const struct part_site *part, struct sim_record *record) {
    struct sim_site *site = sim_sites_find(launch->sites, part->pc);
    sim_site_counts_add(&site->counts, &part->counts);
    for (int space = 0; space < SIM_SPACES; space++) {
        if (part->has_costliest[space]) {
            const struct sim_costliest *costliest = sim_record_get(record, sizeof *costliest);
            if (costliest->rank > site->costliest[space].rank) {
                site->costliest[space] = *costliest;
            }
            sim_site_remember(site, (enum sim_space)space);
        }
    }
}

// Adds its counts.
static void sim_part_counts_merge(struct sim_launch *launch, struct sim_record *record) {
    const struct part_counts *part = sim_record_get(record, sizeof *part);
    for (uint64_t i = 0; i < part->sites; i++) {
        const struct part_site *site = sim_record_get(record, sizeof *site);
        merge_site(launch, site, record);
    }
    for (uint64_t i = 0; i < part->intervals; i++) {
        const struct part_interval *interval = sim_record_get(record, sizeof *interval);
        sim_intervals_add_alike(launch->intervals, &interval->work, interval->blocks);
    }
    launch->near->misses += part->misses;
    sim_intervals_add_tail(launch->intervals, &part->longest);
}

// ---- What they read and wrote in global memory ----

enum {
    WORD_BYTES = 64,   // of memory that a word of a bitmap of bytes stands for
    SPARSE_WORDS = 64, // runs are sparse in a bitmap if they span less than one word in so many
};

// What the worker did in one buffer. The runs of the bitmaps' words follow, and after those of file-scope data the
// bytes that were written.
struct part_buffer {
    uint64_t read, loaded, written; // runs
};

// Words of a bitmap that are equally far apart and have the same bits, as strides leave them.
struct touched_run {
    uint64_t index, bits, count, apart;
};

// All buffers of the device, and the kernel's file-scope data as the last.
static size_t buffer_count(const struct sim_launch *launch) {
    return launch->memory->count + 1;
}

static struct sim_buffer *buffer_of(const struct sim_launch *launch, size_t i) {
    return i < launch->memory->count ? &launch->memory->buffers[i] : launch->file_data;
}

static size_t end_of(const struct touched_run *run) {
    return run->index + (run->count - 1) * run->apart + 1;
}

static size_t bytes_of(const struct touched_run *run) {
    return run->count * (size_t)__builtin_popcountll(run->bits);
}

// The next of the neighbouring bytes that bits stand for; false if there are none. Takes them from the bits.
static bool take_bytes(uint64_t *bits, uint32_t *first, uint32_t *count) {
    if (!*bits) {
        return false;
    }
    *first = (uint32_t)__builtin_ctzll(*bits);
    const uint64_t rest = ~(*bits >> *first);
    *count = rest ? (uint32_t)__builtin_ctzll(rest) : WORD_BYTES - *first;
    *bits = *first + *count < WORD_BYTES ? *bits & UINT64_MAX << (*first + *count) : 0;
    return true;
}

static unsigned char *bytes_at(const struct sim_buffer *buffer, const struct touched_run *run, uint64_t i) {
    return (unsigned char *)(uintptr_t)buffer->address + (run->index + i * run->apart) * WORD_BYTES;
}

// ---- In the worker ----

// The bitmaps that it drops belong to the process that started it, too, so they are not unmapped.
static void sim_part_memory_begin(struct sim_launch *launch) {
    for (size_t i = 0; i < buffer_count(launch); i++) {
        struct sim_buffer *buffer = buffer_of(launch, i);
        buffer->read = buffer->written = buffer->loaded = (struct sim_bitmap){0};
        buffer->stored_before = buffer->stored;
        if (buffer->large) {
            memset(buffer->large, 0, buffer->bytes / SIM_LARGE_PAGE + 1);
        }
    }
    launch->last_buffer = NULL; // so that its bitmaps are made
}

// A bitmap without the bits of another one, unless that is NULL.
struct difference {
    const struct sim_bitmap *bitmap, *without;
};

static uint64_t word_of(const struct difference *set, size_t index) {
    return set->bitmap->words[index] & (set->without ? ~set->without->words[index] : UINT64_MAX);
}

// The first word from `index` on that is not 0; word_count if there is none.
static size_t next_word(const struct difference *set, size_t index) {
    const struct sim_bitmap *bitmap = set->bitmap;
    while (index < bitmap->word_count) {
        for (const size_t end = (index / SIM_CHUNK_WORDS + 1) * SIM_CHUNK_WORDS; index < end; index++) {
            if (word_of(set, index)) {
                return index;
            }
        }
        if (index < bitmap->word_count) {
            index = sim_bitmap_touched(bitmap, index / SIM_CHUNK_WORDS) * SIM_CHUNK_WORDS;
        }
    }
    return bitmap->word_count;
}

// Whether the next word of the run is there and in the same chunk, which next_word would find out more slowly.
static bool goes_on(const struct difference *set, size_t last, const struct touched_run *run) {
    size_t index = last + 1;
    const size_t next = last + run->apart;
    if (run->count == 1 || set->without || next / SIM_CHUNK_WORDS != last / SIM_CHUNK_WORDS) {
        return false;
    }
    while (index < next && !set->bitmap->words[index]) {
        index++;
    }
    return index == next && set->bitmap->words[next] == run->bits;
}

// The first run from `index` on; false if there is none.
static bool next_run(const struct difference *set, size_t index, struct touched_run *run) {
    size_t last = next_word(set, index), next;
    if (last == set->bitmap->word_count) {
        return false;
    }
    *run = (struct touched_run){.index = last, .bits = word_of(set, last), .count = 1};
    for (;;) {
        for (; goes_on(set, last, run); last += run->apart) {
            run->count++;
        }
        next = next_word(set, last + 1);
        if (next == set->bitmap->word_count || word_of(set, next) != run->bits ||
            (run->count > 1 && next - last != run->apart)) {
            return true;
        }
        run->apart = next - last;
        run->count++;
        last = next;
    }
}

static uint64_t write_runs(const struct sim_bitmap *bitmap, const struct sim_bitmap *without,
                           struct sim_record *record) {
    const struct difference set = {bitmap, without};
    uint64_t count = 0;
    struct touched_run run;
    for (size_t at = 0; bitmap->words && next_run(&set, at, &run); at = end_of(&run)) {
        sim_record_put(record, &run, sizeof run);
        count++;
    }
    return count;
}

static void write_bytes(const struct sim_buffer *buffer, struct sim_record *record) {
    const struct difference set = {&buffer->written, NULL};
    struct touched_run run;
    for (size_t at = 0; buffer->written.words && next_run(&set, at, &run); at = end_of(&run)) {
        unsigned char *to = sim_record_add(record, bytes_of(&run));
        for (uint64_t i = 0; to && i < run.count; i++) {
            uint32_t first, count;
            for (uint64_t left = run.bits; take_bytes(&left, &first, &count); to += count) {
                memcpy(to, bytes_at(buffer, &run, i) + first, count);
            }
        }
    }
}

// In a worker: writes what its blocks did.
static void sim_part_memory_write(const struct sim_launch *launch, struct sim_record *record) {
    for (size_t i = 0; i < buffer_count(launch); i++) {
        const struct sim_buffer *buffer = buffer_of(launch, i);
        struct part_buffer *part = sim_record_add(record, sizeof *part);
        if (!part) {
            return;
        }
        part->read = write_runs(&buffer->read, NULL, record);
        part->loaded = write_runs(&buffer->loaded, &buffer->written, record);
        part->written = write_runs(&buffer->written, NULL, record);
        if (!buffer->overlay) {
            write_bytes(buffer, record);
        }
    }
}

// ---- In the process that started it ----

// One buffer's part of a record.
struct view {
    const struct part_buffer *part;
    const struct touched_run *read, *loaded, *written;
};

static const struct touched_run *view_runs(struct sim_record *record, uint64_t count) {
    return sim_record_get(record, count * sizeof(struct touched_run));
}

// The bytes come next in the record.
static struct view view_buffer(struct sim_record *record) {
    struct view view = {.part = sim_record_get(record, sizeof *view.part)};
    view.read = view_runs(record, view.part->read);
    view.loaded = view_runs(record, view.part->loaded);
    view.written = view_runs(record, view.part->written);
    return view;
}

static void skip_bytes(const struct sim_buffer *buffer, const struct view *view, struct sim_record *record) {
    for (uint64_t k = 0; !buffer->overlay && k < view->part->written; k++) {
        sim_record_get(record, bytes_of(&view->written[k]));
    }
}

// The run's words from `i` on that lie in the chunk of the first of them.
static uint64_t words_in_chunk(const struct touched_run *run, uint64_t i) {
    const uint64_t left = SIM_CHUNK_WORDS - (run->index + i * run->apart) % SIM_CHUNK_WORDS;
    const uint64_t words = run->apart ? (left + run->apart - 1) / run->apart : 1;
    return words < run->count - i ? words : run->count - i;
}

// Adds a run to the bytes that workers wrote. False if some of them are there already. Only chunks that several workers
// share are looked at, unless `overlay` is NULL.
static bool add_written(struct sim_bitmap *written, const struct touched_run *run, const struct sim_overlay *overlay) {
    uint64_t met = 0;
    for (uint64_t i = 0, words; i < run->count; i += words) {
        size_t index = run->index + i * run->apart;
        const size_t chunk = index / SIM_CHUNK_WORDS;
        words = words_in_chunk(run, i);
        if (!overlay || sim_overlay_is_contested(overlay, chunk)) {
            for (uint64_t k = 0; k < words; k++, index += run->apart) {
                met |= written->words[index] & run->bits;
                written->words[index] |= run->bits;
            }
        }
    }
    return !met;
}

static bool meets(const struct sim_bitmap *written, const struct touched_run *run) {
    uint64_t met = 0;
    for (uint64_t i = 0; i < run->count; i++) {
        met |= written->words[run->index + i * run->apart] & run->bits;
    }
    return met;
}

// What the workers did to a buffer together.
struct shared_use {
    uint32_t writers, readers, checked; // checked: workers that noted which bytes they loaded
};

static struct shared_use use_of(const struct view *views, uint32_t count) {
    struct shared_use use = {0};
    for (uint32_t k = 0; k < count; k++) {
        use.writers += views[k].part->written > 0;
        use.readers += views[k].part->read > 0;
        use.checked += views[k].part->loaded > 0;
    }
    return use;
}

static bool views_hold(const struct view *views, uint32_t count, const struct sim_overlay *overlay,
                       struct sim_bitmap *written) {
    bool hold = true;
    for (uint32_t k = 0; k < count; k++) {
        for (uint64_t i = 0; hold && i < views[k].part->written; i++) {
            hold = add_written(written, &views[k].written[i], overlay);
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        for (uint64_t i = 0; hold && i < views[k].part->loaded; i++) {
            hold = !meets(written, &views[k].loaded[i]);
        }
    }
    return hold;
}

// How long a load takes depends on whether the launch has stored to its buffer before (lane.c).
static bool buffer_holds(const struct sim_buffer *buffer, const struct view *views, uint32_t count) {
    const struct shared_use use = use_of(views, count);
    struct sim_bitmap written;
    if (use.writers && use.readers && !buffer->stored) {
        return false;
    }
    if (!use.writers || (use.writers == 1 && !use.checked)) {
        return true;
    }
    if (sim_bitmap_create(&written, buffer->bytes) != STATUS_OK) {
        return false;
    }
    const bool hold = views_hold(views, count, use.checked ? NULL : buffer->overlay, &written);
    sim_bitmap_destroy(&written);
    return hold;
}

// Whether the workers' blocks would have done the same one after another: none wrote a byte that another worker's
// blocks read or wrote.
static bool sim_part_memory_holds(const struct sim_launch *launch, const struct sim_record *records, uint32_t count) {
    struct sim_record from[SIM_WORKERS_MAX];
    struct view views[SIM_WORKERS_MAX];
    bool hold = true;
    memcpy(from, records, count * sizeof *from);
    for (size_t i = 0; hold && i < buffer_count(launch); i++) {
        const struct sim_buffer *buffer = buffer_of(launch, i);
        for (uint32_t k = 0; k < count; k++) {
            views[k] = view_buffer(&from[k]);
            skip_bytes(buffer, &views[k], &from[k]);
        }
        hold = buffer_holds(buffer, views, count);
    }
    return hold;
}

// Unless the runs are sparse, they lie in every small page of the bitmap, so large ones cost less.
static void set_runs(struct sim_bitmap *bitmap, const struct touched_run *runs, uint64_t count) {
    uint64_t spanned = 0;
    for (uint64_t k = 0; k < count; k++) {
        spanned += end_of(&runs[k]) - runs[k].index;
    }
    if (count && spanned >= (end_of(&runs[count - 1]) - runs[0].index) / SPARSE_WORDS) {
        sim_bitmap_expect_words(bitmap, runs[0].index, end_of(&runs[count - 1]));
    }
    for (uint64_t k = 0; k < count; k++) {
        sim_bitmap_set_words(bitmap, runs[k].index, runs[k].count, runs[k].apart, runs[k].bits);
    }
}

static void merge_bytes(const struct sim_buffer *buffer, const struct touched_run *run, const unsigned char *from) {
    for (uint64_t i = 0; i < run->count; i++) {
        uint32_t first, count;
        for (uint64_t left = run->bits; take_bytes(&left, &first, &count); from += count) {
            memcpy(bytes_at(buffer, run, i) + first, from, count);
        }
    }
}

// Counts what a worker's blocks read and wrote, and writes the kernel's file-scope data. The overlays have the rest.
static enum status sim_part_memory_merge(struct sim_launch *launch, struct sim_record *record) {
    for (size_t i = 0; i < buffer_count(launch); i++) {
        struct sim_buffer *buffer = buffer_of(launch, i);
        const struct view view = view_buffer(record);
        if ((view.part->read || view.part->written) &&
            sim_traffic_begin(buffer, launch->gpu->sector_bytes, false, launch->error) != STATUS_OK) {
            return STATUS_FAILED;
        }
        set_runs(&buffer->read, view.read, view.part->read);
        set_runs(&buffer->written, view.written, view.part->written);
        for (uint64_t k = 0; !buffer->overlay && k < view.part->written; k++) {
            merge_bytes(buffer, &view.written[k], sim_record_get(record, bytes_of(&view.written[k])));
        }
        buffer->stored = buffer->stored || view.part->written;
    }
    return STATUS_OK;
}

// ---- Sections ----

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
    sim_part_counts_begin(launch, &intervals);
    for (size_t i = 0; i < part->count; i++) {
        if (section->blocks->run(launch, part->first + i) != STATUS_OK) {
            return false;
        }
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
    memory_end_silently(1); // its blocks run again, in order
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

static void merge_part(const struct section *section, const struct part *part, struct sim_record *record) {
    struct sim_launch *launch = section->launch;
    sim_part_counts_merge(launch, record);
    const size_t bytes = part->count * sizeof *launch->requests;
    memcpy(launch->requests + part->first, sim_record_get(record, bytes), bytes);
    print_output(record);
}

static enum status merge(const struct section *section) {
    struct sim_launch *launch = section->launch;
    struct board *board = section->board;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < section->parts; i++) {
        merge_part(section, &board->part[i], &board->record[i]);
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
    THEN(status, sim_workers_create(&section->workers, workers_of(&launch->threads), launch->error));
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
