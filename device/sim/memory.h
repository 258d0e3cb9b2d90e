// The memory of a simulated GPU. Buffers use real memory only where they are written, and record which of their bytes a
// launch touches.
#ifndef DEVICE_SIM_MEMORY_H
#define DEVICE_SIM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "model/gpus.h"
#include "model/work.h"
#include "util/error.h"

// A bit for each unit of a buffer. Touched chunks are marked, so that counting and clearing skip the others.
struct sim_bitmap {
    uint64_t *words;  // NULL until a bit is set
    uint8_t *touched; // one for each chunk of SIM_CHUNK_WORDS
    size_t word_count, chunk_count;
};

enum {
    SIM_CHUNK_WORDS = 512
};

struct sim_buffer {
    uint64_t address, bytes; // the address is a multiple of the page size
    void *mapping;           // includes the protected gaps around the buffer
    size_t mapping_bytes;
    struct sim_bitmap read;        // by sector
    struct sim_bitmap written;     // by byte
    struct memory_traffic traffic; // of the launch, as far as it has been summed
};

struct sim_memory {
    struct sim_buffer *buffers; // sorted by address
    size_t count;
    uint64_t bytes, used_bytes;
};

enum {
    SIM_POISON = 0xff // fills new device memory and each block's shared memory: -1, or not a number
};

enum status sim_memory_allocate(struct sim_memory *memory, uint64_t bytes, uint64_t *address, struct error *error);
void sim_memory_release(struct sim_memory *memory, uint64_t address);
void sim_memory_release_all(struct sim_memory *memory);

// The buffer that holds all of the bytes, or NULL.
struct sim_buffer *sim_memory_find(const struct sim_memory *memory, uint64_t address, uint64_t bytes);

// The buffer that begins or ends nearest to the address; NULL if there is none.
const struct sim_buffer *sim_memory_nearest(const struct sim_memory *memory, uint64_t address);

// Large ranges share one copy of the byte until they are written.
enum status sim_memory_fill(uint64_t address, uint8_t byte, uint64_t bytes, struct error *error);

// ---- Traffic of a launch ----

enum status sim_bitmap_create(struct sim_bitmap *bitmap, uint64_t bits);
void sim_bitmap_destroy(struct sim_bitmap *bitmap);

// Creates the buffer's bitmaps on first use.
enum status sim_traffic_begin(struct sim_buffer *buffer, uint32_t sector_bytes, struct error *error);

static inline void sim_bitmap_set(struct sim_bitmap *bitmap, uint64_t bit, uint64_t pattern) {
    uint64_t word = bit / 64;
    bitmap->words[word] |= pattern << bit % 64;
    bitmap->touched[word / SIM_CHUNK_WORDS] = 1;
}

// Traffic between memory and the caches; each unit moves once. Loads move the unit that the GPU fetches at once. Stores
// move sectors; a sector that is written in part and not loaded is read first (filled).
struct sim_traffic {
    uint64_t load_bytes, load_sectors, fill_bytes, write_bytes, unwritten_bytes, load_runs, write_runs, partial_lines;
};

// Adds what the blocks since the last fold touched to the buffer's sum, and clears the bitmaps. Each of these blocks
// represents `weight` blocks; the sum never exceeds the buffer's size.
void sim_traffic_fold(struct sim_buffer *buffer, const struct gpu *gpu, double weight);

// The same for all buffers.
void sim_memory_fold(struct sim_memory *memory, struct sim_buffer *file_data, const struct gpu *gpu, double weight);

// Returns the sum over all buffers and resets their sums.
struct memory_traffic sim_memory_traffic(struct sim_memory *memory, struct sim_buffer *file_data);

#endif
