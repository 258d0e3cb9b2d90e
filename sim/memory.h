// Which units of a buffer a launch touches.
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/work.h"
#include "util/error.h"

// ---- Large pages of the host, which cost less than the faults of small ones ----

enum {
    SIM_LARGE_PAGE = 2 << 20
};

// ---- Bitmaps ----

// A bit for each unit of a buffer. Touched chunks are marked, so that counting and clearing skip the others.
struct sim_bitmap {
    uint64_t *words;  // NULL until a bit is set
    uint8_t *touched; // one for each chunk of SIM_CHUNK_WORDS
    size_t word_count, chunk_count;
};

enum {
    SIM_CHUNK_WORDS = 512,
    SIM_CHUNK_BITS = SIM_CHUNK_WORDS * 64
};

enum status sim_bitmap_create(struct sim_bitmap *bitmap, uint64_t bits);
void sim_bitmap_destroy(struct sim_bitmap *bitmap);

static inline void sim_bitmap_set(struct sim_bitmap *bitmap, uint64_t bit, uint64_t pattern) {
    uint64_t word = bit / 64;
    bitmap->words[word] |= pattern << bit % 64;
    bitmap->touched[word / SIM_CHUNK_WORDS] = 1;
}

// Whether the chunk of a bit is touched.
static inline bool sim_bitmap_has_chunk(const struct sim_bitmap *bitmap, uint64_t bit) {
    return bitmap->touched[bit / SIM_CHUNK_BITS];
}

// Sets `count` bits from `bit` on, which lie in one buffer.
void sim_bitmap_set_run(struct sim_bitmap *bitmap, uint64_t bit, uint64_t count);

// The first touched chunk from `chunk` on; chunk_count if there is none.
size_t sim_bitmap_touched(const struct sim_bitmap *bitmap, size_t chunk);
#define SIM_EACH_TOUCHED_CHUNK(chunk, bitmap)                                                                          \
    for (size_t chunk = sim_bitmap_touched(bitmap, 0); chunk < (bitmap)->chunk_count;                                  \
         chunk = sim_bitmap_touched(bitmap, chunk + 1))

// Counts the runs of `length` bits (a power of two up to 64) in which a bit is set.
uint64_t sim_bitmap_runs(const struct sim_bitmap *bitmap, uint32_t length);

void sim_bitmap_clear_chunk(struct sim_bitmap *bitmap, size_t chunk);
void sim_bitmap_clear(struct sim_bitmap *bitmap);

// The memory of a simulated GPU. Buffers use real memory only where they are written, and record which of their bytes a
// launch touches.

// What a launch left of a buffer in the last-level cache.
struct sim_left {
    double bytes;  // of the buffer
    double taken;  // of the cache, by the whole launch
    double passed; // sim_memory.passed_bytes after the launch
};

struct sim_buffer {
    uint64_t address, bytes; // the address is a multiple of the page size
    uint64_t device_address; // where the simulated GPU has it: the lowest free place, the same in every run
    void *mapping;           // includes the protected gaps around the buffer
    size_t mapping_bytes;
    struct sim_bitmap read;        // by sector
    struct sim_bitmap written;     // by byte
    uint8_t *large;                // of a large buffer, by SIM_LARGE_PAGE: whether it is one page
    bool stored;                   // the launch has stored to it
    struct memory_traffic traffic; // of the launch, up to the last fold; blocks that share bytes count them again
    struct sim_left left;          // by the last launch that touched it
    uint64_t reach_bytes;          // from the first to the last chunk that the first neighbouring blocks touch
};

enum {
    SIM_BYTES = UINT8_MAX + 1
};

struct sim_memory {
    struct sim_buffer *buffers; // sorted by address
    size_t count;
    uint64_t bytes, used_bytes;
    double passed_bytes;     // that launches have taken of the last-level cache
    int patterns[SIM_BYTES]; // files with which large ranges are filled; 0: none yet
};

// The device address of a kernel's file-scope data, above all buffers.
static const uint64_t SIM_FILE_DATA_PLACE = UINT64_C(1) << 46;

enum {
    SIM_POISON = 0xff // fills new device memory and each block's shared memory: -1, or not a number
};

enum status sim_memory_allocate(struct sim_memory *memory, uint64_t bytes, uint64_t *address, struct error *error);
void sim_memory_release(struct sim_memory *memory, uint64_t address);
void sim_memory_release_all(struct sim_memory *memory);

// Call this before the first store of a launch to a chunk of `written`. Where stores filled the memory before it, it
// becomes a large page, which costs less than the faults of the small ones.
void sim_memory_expect_stores(struct sim_buffer *buffer, uint64_t offset);

static inline void sim_memory_begin_store(struct sim_buffer *buffer, uint64_t offset) {
    if (!sim_bitmap_has_chunk(&buffer->written, offset)) {
        sim_memory_expect_stores(buffer, offset);
        sim_bitmap_set(&buffer->written, offset, 0); // touches the chunk, so that a store begins in it once
    }
}

// Notes a store to the bytes of the pattern's bits.
static inline void sim_memory_note_store(struct sim_buffer *buffer, uint64_t offset, uint64_t pattern) {
    sim_memory_begin_store(buffer, offset);
    sim_bitmap_set(&buffer->written, offset, pattern);
}

// Notes stores to so many bytes, which lie in two chunks at most.
static inline void sim_memory_note_stores(struct sim_buffer *buffer, uint64_t offset, uint64_t bytes) {
    sim_memory_begin_store(buffer, offset);
    sim_memory_begin_store(buffer, offset + bytes - 1);
    sim_bitmap_set_run(&buffer->written, offset, bytes);
}

// The buffer that holds all of the bytes, or NULL.
struct sim_buffer *sim_memory_find(const struct sim_memory *memory, uint64_t address, uint64_t bytes);

// The buffer that begins or ends nearest to the address; NULL if there is none.
const struct sim_buffer *sim_memory_nearest(const struct sim_memory *memory, uint64_t address);

// Large ranges share one copy of the byte until they are written.
enum status sim_memory_fill(struct sim_memory *memory, uint64_t address, uint8_t byte, uint64_t bytes,
                            struct error *error);

#endif
