// Which sectors of a buffer a launch touched, each counted once.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/sim/memory.h"

// Mapped, so that the part of a large buffer that no kernel touches costs nothing.
static void *map_zeros(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

enum status sim_bitmap_create(struct sim_bitmap *bitmap, uint64_t bits) {
    bitmap->chunk_count = (size_t)(bits / 64 / SIM_CHUNK_WORDS + 1);
    bitmap->word_count = bitmap->chunk_count * SIM_CHUNK_WORDS;
    bitmap->words = map_zeros(bitmap->word_count * sizeof *bitmap->words);
    bitmap->touched = map_zeros(bitmap->chunk_count);
    if (bitmap->words && bitmap->touched)
        return STATUS_OK;
    sim_bitmap_destroy(bitmap);
    return STATUS_FAILED;
}

void sim_bitmap_destroy(struct sim_bitmap *bitmap) {
    if (bitmap->words)
        munmap(bitmap->words, bitmap->word_count * sizeof *bitmap->words);
    if (bitmap->touched)
        munmap(bitmap->touched, bitmap->chunk_count);
    *bitmap = (struct sim_bitmap){0};
}

enum status sim_traffic_begin(struct sim_buffer *buffer, uint32_t sector_bytes, struct error *error) {
    if (buffer->read.words)
        return STATUS_OK;
    if (sim_bitmap_create(&buffer->read, buffer->bytes / sector_bytes + 1) != STATUS_OK)
        return error_set(error, STATUS_FAILED, "no memory to count traffic: simulate smaller buffers");
    if (sim_bitmap_create(&buffer->written, buffer->bytes) != STATUS_OK) {
        sim_bitmap_destroy(&buffer->read);
        return error_set(error, STATUS_FAILED, "no memory to count traffic: simulate smaller buffers");
    }
    return STATUS_OK;
}

// The next chunk from `chunk` on that was touched; chunk_count if there is none.
static size_t touched_chunk(const struct sim_bitmap *bitmap, size_t chunk) {
    const uint8_t *found = memchr(bitmap->touched + chunk, 1, bitmap->chunk_count - chunk);
    return found ? (size_t)(found - bitmap->touched) : bitmap->chunk_count;
}

#define EACH_TOUCHED_CHUNK(chunk, bitmap)                                                                              \
    for (size_t chunk = touched_chunk(bitmap, 0); chunk < (bitmap)->chunk_count;                                       \
         chunk = touched_chunk(bitmap, chunk + 1))

// Runs of `length` bits, a power of two up to 64, in which a bit is set.
static uint64_t count_runs(const struct sim_bitmap *bitmap, uint32_t length) {
    const uint64_t first_of_each = length < 64 ? UINT64_MAX / ((UINT64_C(1) << length) - 1) : 1;
    uint64_t runs = 0;
    EACH_TOUCHED_CHUNK(chunk, bitmap) {
        for (size_t i = 0; i < SIM_CHUNK_WORDS; i++) {
            uint64_t word = bitmap->words[chunk * SIM_CHUNK_WORDS + i];
            for (uint32_t shift = 1; shift < length; shift *= 2)
                word |= word >> shift;
            runs += (uint64_t)__builtin_popcountll(word & first_of_each);
        }
    }
    return runs;
}

// A sector is 32, 64 or 128 bytes: half a word, a word or two words of the bitmap.
static void count_written(const struct sim_buffer *buffer, size_t chunk, uint32_t sector_bytes,
                          struct sim_traffic *traffic) {
    uint64_t bit = (uint64_t)chunk * SIM_CHUNK_WORDS * 64, end = bit + SIM_CHUNK_WORDS * 64;
    for (; bit < end; bit += sector_bytes) {
        uint32_t written = 0;
        for (uint64_t part = bit; part < bit + sector_bytes; part += 32)
            written += (uint32_t)__builtin_popcount((uint32_t)(buffer->written.words[part / 64] >> part % 64));
        uint64_t sector = bit / sector_bytes;
        bool read = buffer->read.words[sector / 64] >> sector % 64 & 1;
        traffic->write_bytes += written ? sector_bytes : 0;
        traffic->read_bytes += written && written < sector_bytes && !read ? sector_bytes : 0;
    }
}

static void clear(struct sim_bitmap *bitmap) {
    EACH_TOUCHED_CHUNK(chunk, bitmap) {
        memset(bitmap->words + chunk * SIM_CHUNK_WORDS, 0, SIM_CHUNK_WORDS * sizeof *bitmap->words);
        bitmap->touched[chunk] = 0;
    }
}

void sim_traffic_take(struct sim_buffer *buffer, const struct gpu *gpu, struct sim_traffic *traffic) {
    const uint32_t fetch_bytes = gpu->load_fetch_bytes ? gpu->load_fetch_bytes : gpu->sector_bytes;
    if (!buffer->read.words)
        return;
    traffic->read_bytes += count_runs(&buffer->read, fetch_bytes / gpu->sector_bytes) * fetch_bytes;
    EACH_TOUCHED_CHUNK(chunk, &buffer->written) {
        count_written(buffer, chunk, gpu->sector_bytes, traffic);
    }
    clear(&buffer->read);
    clear(&buffer->written);
}
