// Which sectors of a buffer a launch touched, each counted once.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/sim_memory.h"

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

// Calls visit for each chunk that was touched.
static void each_chunk(struct sim_buffer *buffer, struct sim_bitmap *bitmap, uint32_t sector_bytes,
                       struct sim_traffic *traffic,
                       void (*visit)(struct sim_buffer *, size_t first_word, uint32_t, struct sim_traffic *)) {
    const uint8_t *end = bitmap->touched + bitmap->chunk_count, *found = bitmap->touched;
    while (found < end && (found = memchr(found, 1, (size_t)(end - found)))) {
        visit(buffer, (size_t)(found - bitmap->touched) * SIM_CHUNK_WORDS, sector_bytes, traffic);
        found++;
    }
}

static void count_read(struct sim_buffer *buffer, size_t word, uint32_t sector_bytes, struct sim_traffic *traffic) {
    (void)sector_bytes;
    for (size_t end = word + SIM_CHUNK_WORDS; word < end; word++)
        traffic->sectors_read += (uint64_t)__builtin_popcountll(buffer->read.words[word]);
}

// A sector is 32, 64 or 128 bytes: half a word, a word or two words of the bitmap.
static void count_written(struct sim_buffer *buffer, size_t word, uint32_t sector_bytes, struct sim_traffic *traffic) {
    uint64_t bit = (uint64_t)word * 64, end = bit + SIM_CHUNK_WORDS * 64;
    for (; bit < end; bit += sector_bytes) {
        uint32_t written = 0;
        for (uint64_t part = 0; part < sector_bytes; part += 32)
            written +=
                (uint32_t)__builtin_popcount((uint32_t)(buffer->written.words[(bit + part) / 64] >> (bit + part) % 64));
        uint64_t sector = bit / sector_bytes;
        traffic->sectors_written += written != 0;
        traffic->sectors_filled +=
            written && written < sector_bytes && !(buffer->read.words[sector / 64] >> sector % 64 & 1);
    }
}

static void clear_read(struct sim_buffer *buffer, size_t word, uint32_t sector_bytes, struct sim_traffic *traffic) {
    (void)sector_bytes, (void)traffic;
    memset(buffer->read.words + word, 0, SIM_CHUNK_WORDS * sizeof *buffer->read.words);
}

static void clear_written(struct sim_buffer *buffer, size_t word, uint32_t sector_bytes, struct sim_traffic *traffic) {
    (void)sector_bytes, (void)traffic;
    memset(buffer->written.words + word, 0, SIM_CHUNK_WORDS * sizeof *buffer->written.words);
}

void sim_traffic_take(struct sim_buffer *buffer, uint32_t sector_bytes, struct sim_traffic *traffic) {
    if (!buffer->read.words)
        return;
    each_chunk(buffer, &buffer->read, sector_bytes, traffic, count_read);
    each_chunk(buffer, &buffer->written, sector_bytes, traffic, count_written);
    each_chunk(buffer, &buffer->read, sector_bytes, traffic, clear_read);
    each_chunk(buffer, &buffer->written, sector_bytes, traffic, clear_written);
    memset(buffer->read.touched, 0, buffer->read.chunk_count);
    memset(buffer->written.touched, 0, buffer->written.chunk_count);
}
