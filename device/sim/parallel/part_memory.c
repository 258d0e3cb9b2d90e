#include "device/sim/parallel/part_memory.h"

#include "device/sim/traffic.h"

enum {
    WORD_BYTES = 64 // of memory that a word of a bitmap stands for
};

// What the part did in one buffer. The runs of touched words follow: those that were read, then those that were
// written.
struct part_buffer {
    uint64_t loaded, written; // runs
    bool stored_before, stored_after;
};

// Words of a bitmap that are equally far apart and have the same bits, as strides leave them. After a run that was
// written its bytes follow.
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

// ---- In the worker ----

// The bitmaps that it drops belong to the process that started it, too, so they are not unmapped.
void sim_part_memory_begin(struct sim_launch *launch) {
    for (size_t i = 0; i < buffer_count(launch); i++) {
        struct sim_buffer *buffer = buffer_of(launch, i);
        buffer->read = buffer->written = buffer->loaded = (struct sim_bitmap){0};
        buffer->stored_before = buffer->stored;
    }
    launch->last_buffer = NULL; // so that its bitmaps are made
}

// The first word from `index` on that is not 0; word_count if there is none.
static size_t next_word(const struct sim_bitmap *bitmap, size_t index) {
    while (index < bitmap->word_count && !bitmap->words[index]) {
        index++;
        if (index % SIM_CHUNK_WORDS == 0 && index < bitmap->word_count) {
            index = sim_bitmap_touched(bitmap, index / SIM_CHUNK_WORDS) * SIM_CHUNK_WORDS;
        }
    }
    return index;
}

// The first run from `index` on; false if there is none.
static bool next_run(const struct sim_bitmap *bitmap, size_t index, struct touched_run *run) {
    size_t last = next_word(bitmap, index), next;
    if (last == bitmap->word_count) {
        return false;
    }
    *run = (struct touched_run){.index = last, .bits = bitmap->words[last], .count = 1};
    while ((next = next_word(bitmap, last + 1)) < bitmap->word_count && bitmap->words[next] == run->bits &&
           (run->count == 1 || next - last == run->apart)) {
        run->apart = next - last;
        run->count++;
        last = next;
    }
    return true;
}

static size_t end_of(const struct touched_run *run) {
    return run->index + (run->count - 1) * run->apart + 1;
}

static uint64_t write_loaded(const struct sim_bitmap *loaded, struct sim_record *record) {
    uint64_t count = 0;
    struct touched_run run;
    for (size_t at = 0; next_run(loaded, at, &run); at = end_of(&run)) {
        sim_record_put(record, &run, sizeof run);
        count++;
    }
    return count;
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

static uint64_t write_written(const struct sim_buffer *buffer, struct sim_record *record) {
    uint64_t runs = 0;
    struct touched_run run;
    for (size_t at = 0; next_run(&buffer->written, at, &run); at = end_of(&run)) {
        sim_record_put(record, &run, sizeof run);
        unsigned char *to = sim_record_add(record, bytes_of(&run));
        for (uint64_t i = 0; to && i < run.count; i++) {
            uint32_t first, count;
            for (uint64_t left = run.bits; take_bytes(&left, &first, &count); to += count) {
                memcpy(to, bytes_at(buffer, &run, i) + first, count);
            }
        }
        runs++;
    }
    return runs;
}

void sim_part_memory_write(struct sim_launch *launch, struct sim_record *record) {
    for (size_t i = 0; i < buffer_count(launch); i++) {
        const struct sim_buffer *buffer = buffer_of(launch, i);
        struct part_buffer *part = sim_record_add(record, sizeof *part);
        if (!part) {
            return;
        }
        *part = (struct part_buffer){.stored_before = buffer->stored_before, .stored_after = buffer->stored};
        if (buffer->read.words) {
            part->loaded = write_loaded(&buffer->loaded, record);
            part->written = write_written(buffer, record);
        }
    }
}

// ---- In the process that started it ----

void sim_part_memory_forget_changes(struct sim_launch *launch) {
    for (size_t i = 0; i < buffer_count(launch); i++) {
        sim_bitmap_destroy(&buffer_of(launch, i)->changed);
    }
}

static bool run_holds(const struct sim_bitmap *changed, const struct touched_run *run) {
    uint64_t met = 0;
    for (uint64_t i = 0; changed->words && i < run->count; i++) {
        met |= changed->words[run->index + i * run->apart] & run->bits;
    }
    return !met;
}

static bool buffer_holds(const struct sim_buffer *buffer, const struct part_buffer *part, struct sim_record *record) {
    bool holds = part->loaded == 0 || part->stored_before == buffer->stored;
    for (uint64_t i = 0; i < part->loaded; i++) {
        holds = run_holds(&buffer->changed, sim_record_get(record, sizeof(struct touched_run))) && holds;
    }
    for (uint64_t i = 0; i < part->written; i++) {
        const struct touched_run *run = sim_record_get(record, sizeof *run);
        sim_record_get(record, bytes_of(run));
    }
    return holds;
}

bool sim_part_memory_holds(const struct sim_launch *launch, struct sim_record *record) {
    bool holds = true;
    for (size_t i = 0; i < buffer_count(launch); i++) {
        const struct part_buffer *part = sim_record_get(record, sizeof *part);
        holds = buffer_holds(buffer_of(launch, i), part, record) && holds;
    }
    return holds;
}

static void merge_loaded(struct sim_buffer *buffer, const struct touched_run *run, uint32_t sector_bytes) {
    const uint32_t step = sector_bytes < WORD_BYTES ? sector_bytes : WORD_BYTES;
    const uint64_t part = step < WORD_BYTES ? (UINT64_C(1) << step) - 1 : UINT64_MAX;
    for (uint32_t at = 0; at < WORD_BYTES; at += step) {
        for (uint64_t i = 0; run->bits >> at & part && i < run->count; i++) {
            sim_bitmap_set(&buffer->read, ((run->index + i * run->apart) * WORD_BYTES + at) / sector_bytes, 1);
        }
    }
}

static void merge_written(struct sim_buffer *buffer, const struct touched_run *run, const unsigned char *from) {
    for (uint64_t i = 0; i < run->count; i++) {
        const uint64_t offset = (run->index + i * run->apart) * WORD_BYTES;
        sim_memory_note_store(buffer, offset, run->bits);
        sim_bitmap_set(&buffer->changed, offset, run->bits);
        uint32_t first, count;
        for (uint64_t left = run->bits; take_bytes(&left, &first, &count); from += count) {
            memcpy(bytes_at(buffer, run, i) + first, from, count);
        }
    }
}

static enum status make_bitmaps(struct sim_launch *launch, struct sim_buffer *buffer) {
    enum status status = sim_traffic_begin(buffer, launch->gpu->sector_bytes, false, launch->error);
    if (status == STATUS_OK && !buffer->changed.words &&
        sim_bitmap_create(&buffer->changed, buffer->bytes) != STATUS_OK) {
        status = error_set(launch->error, STATUS_FAILED, "no memory to run blocks side by side: simulate fewer bytes");
    }
    return status;
}

enum status sim_part_memory_merge(struct sim_launch *launch, struct sim_record *record) {
    for (size_t i = 0; i < buffer_count(launch); i++) {
        const struct part_buffer *part = sim_record_get(record, sizeof *part);
        struct sim_buffer *buffer = buffer_of(launch, i);
        if ((part->loaded || part->written) && make_bitmaps(launch, buffer) != STATUS_OK) {
            return STATUS_FAILED;
        }
        for (uint64_t k = 0; k < part->loaded; k++) {
            merge_loaded(buffer, sim_record_get(record, sizeof(struct touched_run)), launch->gpu->sector_bytes);
        }
        for (uint64_t k = 0; k < part->written; k++) {
            const struct touched_run *run = sim_record_get(record, sizeof *run);
            merge_written(buffer, run, sim_record_get(record, bytes_of(run)));
        }
        buffer->stored = buffer->stored || part->stored_after;
    }
    return STATUS_OK;
}
