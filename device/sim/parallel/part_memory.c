#include "device/sim/parallel/part_memory.h"

#include "device/sim/traffic.h"

enum {
    WORD_BYTES = 64 // of memory that a word of a bitmap stands for
};

// What the part did in one buffer. The touched words follow: those that were read, then those that were written.
struct part_buffer {
    uint64_t loaded, written;
    bool stored_before, stored_after;
};

// Touched bytes of WORD_BYTES. After those that were written the bytes follow.
struct touched_word {
    uint64_t index, bits;
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

static uint64_t write_loaded(const struct sim_bitmap *loaded, struct sim_record *record) {
    uint64_t count = 0;
    SIM_EACH_TOUCHED_CHUNK(chunk, loaded) {
        for (size_t i = chunk * SIM_CHUNK_WORDS; i < (chunk + 1) * SIM_CHUNK_WORDS; i++) {
            if (loaded->words[i]) {
                const struct touched_word word = {i, loaded->words[i]};
                sim_record_put(record, &word, sizeof word);
                count++;
            }
        }
    }
    return count;
}

static size_t bytes_of(uint64_t bits) {
    return (size_t)__builtin_popcountll(bits);
}

// The first run of bits; false if there is none. Takes it from the bits.
static bool take_run(uint64_t *bits, uint32_t *first, uint32_t *count) {
    if (!*bits) {
        return false;
    }
    *first = (uint32_t)__builtin_ctzll(*bits);
    const uint64_t rest = ~(*bits >> *first);
    *count = rest ? (uint32_t)__builtin_ctzll(rest) : WORD_BYTES - *first;
    *bits = *first + *count < WORD_BYTES ? *bits & UINT64_MAX << (*first + *count) : 0;
    return true;
}

static void write_word(const struct sim_buffer *buffer, size_t index, struct sim_record *record) {
    const struct touched_word word = {index, buffer->written.words[index]};
    const unsigned char *from = (const unsigned char *)(uintptr_t)buffer->address + index * WORD_BYTES;
    sim_record_put(record, &word, sizeof word);
    unsigned char *to = sim_record_add(record, bytes_of(word.bits));
    uint32_t first, count;
    for (uint64_t left = word.bits; to && take_run(&left, &first, &count); to += count) {
        memcpy(to, from + first, count);
    }
}

static uint64_t write_written(const struct sim_buffer *buffer, struct sim_record *record) {
    const struct sim_bitmap *written = &buffer->written;
    uint64_t count = 0;
    SIM_EACH_TOUCHED_CHUNK(chunk, written) {
        for (size_t i = chunk * SIM_CHUNK_WORDS; i < (chunk + 1) * SIM_CHUNK_WORDS; i++) {
            if (written->words[i]) {
                write_word(buffer, i, record);
                count++;
            }
        }
    }
    return count;
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

static bool buffer_holds(const struct sim_buffer *buffer, const struct part_buffer *part, struct sim_record *record) {
    bool holds = part->loaded == 0 || part->stored_before == buffer->stored;
    for (uint64_t i = 0; i < part->loaded; i++) {
        const struct touched_word *word = sim_record_get(record, sizeof *word);
        holds = holds && !(buffer->changed.words && buffer->changed.words[word->index] & word->bits);
    }
    for (uint64_t i = 0; i < part->written; i++) {
        const struct touched_word *word = sim_record_get(record, sizeof *word);
        sim_record_get(record, bytes_of(word->bits));
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

static void merge_loaded(struct sim_buffer *buffer, const struct touched_word *word, uint32_t sector_bytes) {
    const uint32_t step = sector_bytes < WORD_BYTES ? sector_bytes : WORD_BYTES;
    for (uint32_t at = 0; at < WORD_BYTES; at += step) {
        const uint64_t part = step < WORD_BYTES ? (UINT64_C(1) << step) - 1 : UINT64_MAX;
        if (word->bits >> at & part) {
            sim_bitmap_set(&buffer->read, (word->index * WORD_BYTES + at) / sector_bytes, 1);
        }
    }
}

static void merge_written(struct sim_buffer *buffer, const struct touched_word *word, const unsigned char *from) {
    unsigned char *to = (unsigned char *)(uintptr_t)buffer->address + word->index * WORD_BYTES;
    sim_bitmap_set(&buffer->written, word->index * WORD_BYTES, word->bits);
    sim_bitmap_set(&buffer->changed, word->index * WORD_BYTES, word->bits);
    uint32_t first, count;
    for (uint64_t left = word->bits; take_run(&left, &first, &count); from += count) {
        memcpy(to + first, from, count);
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
            merge_loaded(buffer, sim_record_get(record, sizeof(struct touched_word)), launch->gpu->sector_bytes);
        }
        for (uint64_t k = 0; k < part->written; k++) {
            const struct touched_word *word = sim_record_get(record, sizeof *word);
            merge_written(buffer, word, sim_record_get(record, bytes_of(word->bits)));
        }
        buffer->stored = buffer->stored || part->stored_after;
    }
    return STATUS_OK;
}
