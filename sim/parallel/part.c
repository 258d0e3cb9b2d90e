#include "sim/parallel/part.h"

#include <stdlib.h>

#include "sim/lane.h"
#include "sim/parallel/worker.h"
#include "sim/time.h"
#include "sim/traffic.h"

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

enum status sim_part_counts_begin(struct sim_launch *launch, struct sim_intervals *intervals) {
    for (size_t i = 0; i < launch->sites->count; i++) {
        struct sim_site *site = launch->sites->site[i];
        site->counts = (struct sim_site_counts){0};
        site->had_shared = site->memos[SIM_SHARED] != NULL;
        site->costliest[SIM_GLOBAL].rank = site->costliest[SIM_SHARED].rank = 0;
    }
    launch->near->misses = 0;
    launch->intervals = intervals;
    return sim_intervals_create(intervals, INTERVALS_MAX, launch->error);
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

void sim_part_counts_write(const struct sim_launch *launch, struct sim_record *record) {
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
bool sim_part_counts_hold(const struct sim_launch *launch, const struct sim_record *parts, size_t count) {
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

static enum status merge_site(struct sim_launch *launch, const struct part_site *part, struct sim_record *record) {
    struct sim_site *site = sim_sites_find(launch->sites, part->pc);
    if (!site) {
        return STATUS_FAILED;
    }
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
    return STATUS_OK;
}

enum status sim_part_counts_merge(struct sim_launch *launch, struct sim_record *record) {
    const struct part_counts *part = sim_record_get(record, sizeof *part);
    for (uint64_t i = 0; i < part->sites; i++) {
        const struct part_site *site = sim_record_get(record, sizeof *site);
        if (merge_site(launch, site, record) != STATUS_OK) {
            return sim_counts_have_no_room(launch->error);
        }
    }
    for (uint64_t i = 0; i < part->intervals; i++) {
        const struct part_interval *interval = sim_record_get(record, sizeof *interval);
        sim_intervals_add_alike(launch->intervals, &interval->work, interval->blocks);
    }
    launch->near->misses += part->misses;
    sim_intervals_add_tail(launch->intervals, &part->longest);
    return STATUS_OK;
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
void sim_part_memory_begin(struct sim_launch *launch) {
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

void sim_part_memory_write(const struct sim_launch *launch, struct sim_record *record) {
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

bool sim_part_memory_holds(const struct sim_launch *launch, const struct sim_record *records, uint32_t count) {
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

enum status sim_part_memory_merge(struct sim_launch *launch, struct sim_record *record) {
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
