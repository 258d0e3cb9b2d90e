// Which sectors of a buffer a launch touched, each counted once.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/sim/memory.h"

// Mapped, so that the untouched part of a large buffer costs no memory.
static void *map_zeros(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

enum status sim_bitmap_create(struct sim_bitmap *bitmap, uint64_t bits) {
    bitmap->chunk_count = (size_t)(bits / 64 / SIM_CHUNK_WORDS + 1);
    bitmap->word_count = bitmap->chunk_count * SIM_CHUNK_WORDS;
    bitmap->words = map_zeros(bitmap->word_count * sizeof *bitmap->words);
    bitmap->touched = map_zeros(bitmap->chunk_count);
    if (bitmap->words && bitmap->touched) {
        return STATUS_OK;
    }
    sim_bitmap_destroy(bitmap);
    return STATUS_FAILED;
}

void sim_bitmap_destroy(struct sim_bitmap *bitmap) {
    if (bitmap->words) {
        munmap(bitmap->words, bitmap->word_count * sizeof *bitmap->words);
    }
    if (bitmap->touched) {
        munmap(bitmap->touched, bitmap->chunk_count);
    }
    *bitmap = (struct sim_bitmap){0};
}

enum status sim_traffic_begin(struct sim_buffer *buffer, uint32_t sector_bytes, struct error *error) {
    if (buffer->read.words) {
        return STATUS_OK;
    }
    if (sim_bitmap_create(&buffer->read, buffer->bytes / sector_bytes + 1) != STATUS_OK) {
        return error_set(error, STATUS_FAILED, "no memory to count traffic: simulate smaller buffers");
    }
    if (sim_bitmap_create(&buffer->written, buffer->bytes) != STATUS_OK) {
        sim_bitmap_destroy(&buffer->read);
        return error_set(error, STATUS_FAILED, "no memory to count traffic: simulate smaller buffers");
    }
    return STATUS_OK;
}

// The first touched chunk from `chunk` on; chunk_count if there is none.
static size_t touched_chunk(const struct sim_bitmap *bitmap, size_t chunk) {
    const uint8_t *found = memchr(bitmap->touched + chunk, 1, bitmap->chunk_count - chunk);
    return found ? (size_t)(found - bitmap->touched) : bitmap->chunk_count;
}

#define EACH_TOUCHED_CHUNK(chunk, bitmap)                                                                              \
    for (size_t chunk = touched_chunk(bitmap, 0); chunk < (bitmap)->chunk_count;                                       \
         chunk = touched_chunk(bitmap, chunk + 1))

// Counts the runs of `length` bits (a power of two up to 64) in which a bit is set.
static uint64_t count_runs(const struct sim_bitmap *bitmap, uint32_t length) {
    const uint64_t first_of_each = length < 64 ? UINT64_MAX / ((UINT64_C(1) << length) - 1) : 1;
    uint64_t runs = 0;
    EACH_TOUCHED_CHUNK(chunk, bitmap) {
        for (size_t i = 0; i < SIM_CHUNK_WORDS; i++) {
            uint64_t word = bitmap->words[chunk * SIM_CHUNK_WORDS + i];
            for (uint32_t shift = 1; shift < length; shift *= 2) {
                word |= word >> shift;
            }
            runs += (uint64_t)__builtin_popcountll(word & first_of_each);
        }
    }
    return runs;
}

// A sector is 32, 64 or 128 bytes: half a word, a word or two words of the bitmap.
static uint32_t bytes_written(const struct sim_buffer *buffer, uint64_t bit, uint32_t sector_bytes) {
    uint32_t written = 0;
    for (uint64_t part = bit; part < bit + sector_bytes; part += 32) {
        written += (uint32_t)__builtin_popcount((uint32_t)(buffer->written.words[part / 64] >> part % 64));
    }
    return written;
}

static bool is_read(const struct sim_buffer *buffer, uint64_t sector) {
    return buffer->read.words[sector / 64] >> sector % 64 & 1;
}

// Counts the sectors of one run of MEMORY_RUN_BYTES that were written, and those that were written in part.
static void count_run(const struct sim_buffer *buffer, uint64_t bit, const struct gpu *gpu,
                      struct sim_traffic *traffic) {
    uint32_t sectors = 0, partial_lines = 0;
    uint64_t partial_line = UINT64_MAX;
    for (uint64_t at = bit; at < bit + MEMORY_RUN_BYTES; at += gpu->sector_bytes) {
        uint32_t written = bytes_written(buffer, at, gpu->sector_bytes);
        sectors += written > 0;
        if (written > 0 && written < gpu->sector_bytes) {
            traffic->unwritten_bytes += gpu->sector_bytes - written;
            traffic->fill_bytes += is_read(buffer, at / gpu->sector_bytes) ? 0 : gpu->sector_bytes;
            partial_lines += at / gpu->line_bytes != partial_line;
            partial_line = at / gpu->line_bytes;
        }
    }
    traffic->write_bytes += (uint64_t)sectors * gpu->sector_bytes;
    traffic->write_runs += sectors > 0;
    traffic->partial_lines += partial_lines;
}

static void count_written(const struct sim_buffer *buffer, size_t chunk, const struct gpu *gpu,
                          struct sim_traffic *traffic) {
    uint64_t bit = (uint64_t)chunk * SIM_CHUNK_WORDS * 64, end = bit + SIM_CHUNK_WORDS * 64;
    for (; bit < end; bit += MEMORY_RUN_BYTES) {
        const uint64_t *words = &buffer->written.words[bit / 64];
        if (words[0] | words[1] | words[2] | words[3]) {
            count_run(buffer, bit, gpu, traffic);
        }
    }
}

static void clear(struct sim_bitmap *bitmap) {
    EACH_TOUCHED_CHUNK(chunk, bitmap) {
        memset(bitmap->words + chunk * SIM_CHUNK_WORDS, 0, SIM_CHUNK_WORDS * sizeof *bitmap->words);
        bitmap->touched[chunk] = 0;
    }
}

static struct sim_traffic take(struct sim_buffer *buffer, const struct gpu *gpu) {
    const uint32_t fetch_bytes = gpu->load_fetch_bytes ? gpu->load_fetch_bytes : gpu->sector_bytes;
    struct sim_traffic traffic = {0};
    traffic.load_bytes = count_runs(&buffer->read, fetch_bytes / gpu->sector_bytes) * fetch_bytes;
    traffic.load_sectors = count_runs(&buffer->read, 1);
    traffic.load_runs = count_runs(&buffer->read, MEMORY_RUN_BYTES / gpu->sector_bytes);
    EACH_TOUCHED_CHUNK(chunk, &buffer->written) {
        count_written(buffer, chunk, gpu, &traffic);
    }
    clear(&buffer->read);
    clear(&buffer->written);
    return traffic;
}

static double at_most(double value, uint64_t bytes, uint32_t unit) {
    const double most = (double)((bytes + unit - 1) / unit * unit);
    return value < most ? value : most;
}

void sim_traffic_fold(struct sim_buffer *buffer, const struct gpu *gpu, double weight) {
    if (!buffer->read.words) {
        return;
    }
    const struct sim_traffic traffic = take(buffer, gpu);
    struct memory_traffic *sum = &buffer->traffic;
    const uint32_t line = gpu->line_bytes;
    sum->load_bytes = at_most(sum->load_bytes + weight * (double)traffic.load_bytes, buffer->bytes, line);
    sum->fill_bytes = at_most(sum->fill_bytes + weight * (double)traffic.fill_bytes, buffer->bytes, line);
    sum->write_bytes = at_most(sum->write_bytes + weight * (double)traffic.write_bytes, buffer->bytes, line);
    sum->unwritten_bytes += weight * (double)traffic.unwritten_bytes;
    sum->unit_load_bytes += weight * (double)traffic.load_sectors * gpu->sector_bytes;
    sum->load_runs += weight * (double)traffic.load_runs;
    sum->write_runs += weight * (double)traffic.write_runs;
    sum->partial_lines += weight * (double)traffic.partial_lines;
}

void sim_memory_fold(struct sim_memory *memory, struct sim_buffer *file_data, const struct gpu *gpu, double weight) {
    for (size_t i = 0; i < memory->count; i++) {
        sim_traffic_fold(&memory->buffers[i], gpu, weight);
    }
    sim_traffic_fold(file_data, gpu, weight);
}

static void add(struct memory_traffic *sum, struct sim_buffer *buffer) {
    const struct memory_traffic *more = &buffer->traffic;
    sum->load_bytes += more->load_bytes;
    sum->fill_bytes += more->fill_bytes;
    sum->write_bytes += more->write_bytes;
    sum->unwritten_bytes += more->unwritten_bytes;
    sum->unit_load_bytes += more->unit_load_bytes;
    sum->load_runs += more->load_runs;
    sum->write_runs += more->write_runs;
    sum->partial_lines += more->partial_lines;
    buffer->traffic = (struct memory_traffic){0};
}

struct memory_traffic sim_memory_traffic(struct sim_memory *memory, struct sim_buffer *file_data) {
    struct memory_traffic sum = {0};
    for (size_t i = 0; i < memory->count; i++) {
        add(&sum, &memory->buffers[i]);
    }
    add(&sum, file_data);
    return sum;
}
