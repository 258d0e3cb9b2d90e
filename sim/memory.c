#include "sim/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/whole.h"

// ---- Large pages ----

#ifndef MADV_COLLAPSE // headers of older systems
#define MADV_COLLAPSE 25
#endif

// Addresses without memory that begin at a multiple of a large page; NULL if there are none.
static char *sim_reserve_aligned(size_t bytes) {
    char *room = mmap(NULL, bytes + SIM_LARGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        return NULL;
    }
    const size_t before = (SIM_LARGE_PAGE - (uintptr_t)room % SIM_LARGE_PAGE) % SIM_LARGE_PAGE;
    if (before) {
        munmap(room, before);
    }
    munmap(room + before + bytes, SIM_LARGE_PAGE - before);
    return room + before;
}

// Makes large pages of whole ones in shared memory. Each must have a small page already. Where the system makes none,
// the small ones do as well.
static void sim_make_large_pages(char *begin, size_t bytes) {
    madvise(begin, bytes / SIM_LARGE_PAGE * SIM_LARGE_PAGE, MADV_COLLAPSE);
}

// ---- Bitmaps ----

// Mapped, so that the untouched part of a large buffer costs no memory.
static void *map_zeros(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

enum status sim_bitmap_create(struct sim_bitmap *bitmap, uint64_t bits) {
    bitmap->chunk_count = (size_t)(bits / SIM_CHUNK_BITS + 1);
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

void sim_bitmap_set_run(struct sim_bitmap *bitmap, uint64_t bit, uint64_t count) {
    while (count) {
        const uint64_t room = 64 - bit % 64, taken = count < room ? count : room;
        sim_bitmap_set(bitmap, bit, taken < 64 ? (UINT64_C(1) << taken) - 1 : UINT64_MAX);
        bit += taken;
        count -= taken;
    }
}

// Call this where bits are set in ascending order. It makes the page after this bit's a large one, which costs less
// than the faults of small pages.
static void sim_bitmap_expect(struct sim_bitmap *bitmap, uint64_t bit) {
    char *now = (char *)(bitmap->words + bit / 64), *end = (char *)(bitmap->words + bitmap->word_count);
    char *next = now + (SIM_LARGE_PAGE - (uintptr_t)now % SIM_LARGE_PAGE);
    if (end - now >= 2 * SIM_LARGE_PAGE) {
        madvise(next, SIM_LARGE_PAGE, MADV_HUGEPAGE);
    }
}

size_t sim_bitmap_touched(const struct sim_bitmap *bitmap, size_t chunk) {
    const uint8_t *found = memchr(bitmap->touched + chunk, 1, bitmap->chunk_count - chunk);
    return found ? (size_t)(found - bitmap->touched) : bitmap->chunk_count;
}

uint64_t sim_bitmap_runs(const struct sim_bitmap *bitmap, uint32_t length) {
    const uint64_t first_of_each = length < 64 ? UINT64_MAX / ((UINT64_C(1) << length) - 1) : 1;
    uint64_t runs = 0;
    SIM_EACH_TOUCHED_CHUNK(chunk, bitmap) {
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

void sim_bitmap_clear_chunk(struct sim_bitmap *bitmap, size_t chunk) {
    memset(bitmap->words + chunk * SIM_CHUNK_WORDS, 0, SIM_CHUNK_WORDS * sizeof *bitmap->words);
    bitmap->touched[chunk] = 0;
}

void sim_bitmap_clear(struct sim_bitmap *bitmap) {
    SIM_EACH_TOUCHED_CHUNK(chunk, bitmap) {
        sim_bitmap_clear_chunk(bitmap, chunk);
    }
}

enum {
    GAP_BYTES = 1 << 20,      // between buffers, so that an overrun reaches no other buffer
    PATTERN_BYTES = 16 << 20, // of the pattern that large ranges share
    PLACE_BYTES = 2 << 20,    // device addresses of buffers are multiples of this, as on real GPUs
};

// Writes the pattern to a file, in large pages.
static enum status write_pattern(int file, uint8_t byte) {
    char *pattern = ftruncate(file, PATTERN_BYTES) == 0 ? sim_reserve_aligned(PATTERN_BYTES) : NULL;
    if (!pattern) {
        return STATUS_FAILED;
    }
    if (mmap(pattern, PATTERN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
        munmap(pattern, PATTERN_BYTES);
        return STATUS_FAILED;
    }
    for (size_t at = 0; at < PATTERN_BYTES; at += SIM_LARGE_PAGE) {
        pattern[at] = 0;
    }
    sim_make_large_pages(pattern, PATTERN_BYTES);
    memset(pattern, byte, PATTERN_BYTES);
    munmap(pattern, PATTERN_BYTES);
    return STATUS_OK;
}

// The file with the pattern of a byte, which is written once; -1 if that fails.
static int pattern_of(struct sim_memory *memory, uint8_t byte) {
    int *kept = &memory->patterns[byte];
    if (*kept) {
        return *kept;
    }
    const int file = memfd_create("bankshot", MFD_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    if (write_pattern(file, byte) != STATUS_OK) {
        close(file);
        return -1;
    }
    *kept = file;
    return file;
}

// Fills whole pages with the byte by mapping one pattern over and over. A page gets separate memory when it is written.
static enum status map_pattern(int file, char *begin, uint64_t bytes) {
    enum status status = file < 0 ? STATUS_FAILED : STATUS_OK;
    for (uint64_t done = 0; status == STATUS_OK && done < bytes; done += PATTERN_BYTES) {
        uint64_t left = bytes - done;
        if (mmap(begin + done, left < PATTERN_BYTES ? left : PATTERN_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED) {
            status = STATUS_FAILED;
        }
    }
    return status;
}

static bool is_large(uint64_t bytes) {
    return bytes >= 4 * PATTERN_BYTES;
}

enum status sim_memory_fill(struct sim_memory *memory, uint64_t address, uint8_t byte, uint64_t bytes,
                            struct error *error) {
    char *begin = (char *)(uintptr_t)address;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = round_up(address, page);
    uint64_t last = (address + bytes) / page * page;
    if (!is_large(bytes)) {
        memset(begin, byte, bytes);
        return STATUS_OK;
    }
    memset(begin, byte, first - address);
    memset(begin + (last - address), byte, address + bytes - last);
    if (map_pattern(pattern_of(memory, byte), begin + (first - address), last - first) != STATUS_OK) {
        return error_set(error, STATUS_FAILED, "cannot fill %" PRIu64 " bytes (%s): simulate less memory", bytes,
                         strerror(errno));
    }
    return STATUS_OK;
}

static bool is_filled(const struct sim_buffer *buffer, uint64_t page) {
    enum {
        CHUNKS = SIM_LARGE_PAGE / SIM_CHUNK_BITS
    };
    return !memchr(buffer->written.touched + page * CHUNKS, 0, CHUNKS);
}

// A large page with the content of the one at `place`, or NULL where the system has no room.
static char *copy_to_large_page(const char *place) {
    char *page = sim_reserve_aligned(SIM_LARGE_PAGE);
    if (!page) {
        return NULL;
    }
    if (mprotect(page, SIM_LARGE_PAGE, PROT_READ | PROT_WRITE) != 0) {
        munmap(page, SIM_LARGE_PAGE);
        return NULL;
    }
    madvise(page, SIM_LARGE_PAGE, MADV_HUGEPAGE);
    return memcpy(page, place, SIM_LARGE_PAGE);
}

static void make_large(const struct sim_buffer *buffer, uint64_t page) {
    char *place = (char *)(uintptr_t)buffer->address + page * SIM_LARGE_PAGE;
    char *page_copy = copy_to_large_page(place);
    if (page_copy &&
        mremap(page_copy, SIM_LARGE_PAGE, SIM_LARGE_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) {
        munmap(page_copy, SIM_LARGE_PAGE);
    }
}

void sim_memory_expect_stores(struct sim_buffer *buffer, uint64_t offset) {
    const uint64_t page = offset / SIM_LARGE_PAGE;
    if (!buffer->large || page == 0 || buffer->large[page] || (page + 1) * SIM_LARGE_PAGE > buffer->bytes ||
        !is_filled(buffer, page - 1)) {
        return;
    }
    make_large(buffer, page);
    sim_bitmap_expect(&buffer->written, offset);
    buffer->large[page] = true;
}

static void insert(struct sim_memory *memory, const struct sim_buffer *buffer) {
    struct sim_buffer *buffers = memory->buffers = memory_room(memory->buffers, memory->count, sizeof *buffers);
    size_t place = memory->count++;
    for (; place && buffers[place - 1].address > buffer->address; place--) {
        buffers[place] = buffers[place - 1];
    }
    buffers[place] = *buffer;
    memory->used_bytes += buffer->bytes;
}

static enum status no_room(uint64_t bytes, struct error *error) {
    return error_set(error, STATUS_FAILED,
                     "this machine has no room for %" PRIu64
                     " bytes (%s): make the buffers smaller (--elements, --vertices, --footprint "
                     "or --arg), or raise the limit (ulimit -v)",
                     bytes, strerror(errno));
}

// Maps the buffer with a gap on each side, and fills it.
static enum status map_buffer(struct sim_memory *memory, struct sim_buffer *buffer, struct error *error) {
    const uint64_t inside = round_up(buffer->bytes, (uint64_t)sysconf(_SC_PAGESIZE));
    const uint64_t bytes = inside + 2 * (uint64_t)GAP_BYTES + SIM_LARGE_PAGE;
    void *mapping = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        return no_room(buffer->bytes, error);
    }
    buffer->mapping = mapping;
    buffer->mapping_bytes = bytes;
    buffer->address = round_up((uint64_t)(uintptr_t)mapping + GAP_BYTES, SIM_LARGE_PAGE);
    char *begin = (char *)(uintptr_t)buffer->address;
    if (mprotect(begin, inside, PROT_READ | PROT_WRITE) != 0) {
        return no_room(buffer->bytes, error);
    }
    if (!is_large(buffer->bytes)) {
        madvise(begin, inside, MADV_HUGEPAGE); // all of it is filled
    }
    return sim_memory_fill(memory, buffer->address, SIM_POISON, buffer->bytes, error);
}

static void destroy(struct sim_buffer *buffer) {
    sim_bitmap_destroy(&buffer->read);
    sim_bitmap_destroy(&buffer->written);
    free(buffer->large);
    if (buffer->mapping) {
        munmap(buffer->mapping, buffer->mapping_bytes);
    }
}

// The lowest device address with room for the bytes, so that a buffer's place does not depend on buffers that are gone.
static uint64_t free_place(const struct sim_memory *memory, uint64_t bytes) {
    uint64_t place = PLACE_BYTES;
    for (size_t i = 0; i < memory->count; i++) {
        const struct sim_buffer *buffer = &memory->buffers[i];
        const uint64_t end = buffer->device_address + round_up(buffer->bytes, PLACE_BYTES);
        if (place < end && buffer->device_address < place + bytes) {
            place = end;
            i = SIZE_MAX; // the buffers are not sorted by device address: look at all of them again
        }
    }
    return place;
}

enum status sim_memory_allocate(struct sim_memory *memory, uint64_t bytes, uint64_t *address, struct error *error) {
    if (bytes > memory->bytes - memory->used_bytes) {
        return error_set(error, STATUS_FAILED,
                         "out of memory: %" PRIu64 " bytes requested, %" PRIu64 " of %" PRIu64
                         " are free: make the buffers smaller "
                         "(--elements, --vertices, --footprint or --arg)",
                         bytes, memory->bytes - memory->used_bytes, memory->bytes);
    }
    struct sim_buffer buffer = {.bytes = bytes ? bytes : 1};
    buffer.device_address = free_place(memory, buffer.bytes);
    buffer.large = is_large(buffer.bytes) ? calloc(1, buffer.bytes / SIM_LARGE_PAGE + 1) : NULL;
    const enum status status = map_buffer(memory, &buffer, error);
    if (status != STATUS_OK) {
        destroy(&buffer);
        return status;
    }
    insert(memory, &buffer);
    *address = buffer.address;
    return STATUS_OK;
}

void sim_memory_release(struct sim_memory *memory, uint64_t address) {
    for (size_t i = 0; i < memory->count; i++) {
        if (memory->buffers[i].address != address) {
            continue;
        }
        memory->used_bytes -= memory->buffers[i].bytes;
        destroy(&memory->buffers[i]);
        memory->count--;
        memmove(&memory->buffers[i], &memory->buffers[i + 1], (memory->count - i) * sizeof *memory->buffers);
        return;
    }
}

void sim_memory_release_all(struct sim_memory *memory) {
    for (size_t i = 0; i < memory->count; i++) {
        destroy(&memory->buffers[i]);
    }
    free(memory->buffers);
    for (size_t byte = 0; byte < SIM_BYTES; byte++) {
        if (memory->patterns[byte]) {
            close(memory->patterns[byte]);
        }
    }
    *memory = (struct sim_memory){.bytes = memory->bytes};
}

struct sim_buffer *sim_memory_find(const struct sim_memory *memory, uint64_t address, uint64_t bytes) {
    size_t low = 0, high = memory->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        struct sim_buffer *buffer = &memory->buffers[middle];
        if (address < buffer->address) {
            high = middle;
        } else if (address - buffer->address >= buffer->bytes) {
            low = middle + 1;
        } else {
            return bytes <= buffer->bytes - (address - buffer->address) ? buffer : NULL;
        }
    }
    return NULL;
}

const struct sim_buffer *sim_memory_nearest(const struct sim_memory *memory, uint64_t address) {
    const struct sim_buffer *nearest = NULL;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < memory->count; i++) {
        const struct sim_buffer *buffer = &memory->buffers[i];
        uint64_t end = buffer->address + buffer->bytes;
        uint64_t distance = address < buffer->address ? buffer->address - address : address < end ? 0 : address - end;
        if (distance < least) {
            least = distance;
            nearest = buffer;
        }
    }
    return nearest;
}
