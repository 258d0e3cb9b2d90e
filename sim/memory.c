#include "sim/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/process.h"
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

void sim_bitmap_set_words(struct sim_bitmap *bitmap, size_t word, size_t count, size_t apart, uint64_t bits) {
    for (size_t left = count; left;) {
        const size_t chunk = word / SIM_CHUNK_WORDS, end = (chunk + 1) * SIM_CHUNK_WORDS;
        bitmap->touched[chunk] = 1;
        for (; left && word < end; left--, word += apart) {
            bitmap->words[word] |= bits;
        }
    }
}

void sim_bitmap_expect_words(struct sim_bitmap *bitmap, size_t first, size_t end) {
    const uintptr_t begin = (uintptr_t)(bitmap->words + first) + SIM_LARGE_PAGE - 1,
                    last = (uintptr_t)(bitmap->words + end);
    const uintptr_t page = begin - begin % SIM_LARGE_PAGE;
    if (page < last) {
        madvise((void *)page, (last - page) / SIM_LARGE_PAGE * SIM_LARGE_PAGE, MADV_HUGEPAGE);
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

// The state of a chunk.
enum {
    FREE, // not shared
    BUSY, // a worker copies the buffer's content
    READY
};

// What this process did.
enum {
    COPIES = 1, // it copies the chunk, or has done so
    MAPPED = 2  // it has the shared bytes in their place
};

enum {
    LARGE_CHUNKS = SIM_LARGE_PAGE / SIM_OVERLAY_CHUNK,
    GROWTH = 4,                        // of what is shared at once, by what has been shared before it
    CHUNKS_IN_ORDER = 4,               // after which stores are expected to go on in their order
    CHUNKS_AT_ONCE = 8 * LARGE_CHUNKS, // at most
    SHARED_WHOLE = 64 << 20            // of buffers up to this size so many chunks are shared at once
};

struct chunks {
    size_t first, end;
};

static uint8_t state_of(const struct sim_overlay *overlay, size_t chunk) {
    return __atomic_load_n(&overlay->states[chunk], __ATOMIC_ACQUIRE);
}

static uint64_t bytes_before(const struct sim_overlay *overlay, size_t chunk) {
    const uint64_t bytes = (uint64_t)chunk * SIM_OVERLAY_CHUNK;
    return bytes < overlay->bytes ? bytes : overlay->bytes;
}

// So many chunks, one of which is this one.
static struct chunks aligned(const struct sim_overlay *overlay, size_t chunk, size_t count) {
    const size_t first = chunk / count * count, end = first + count;
    return (struct chunks){first, end < overlay->chunks ? end : overlay->chunks};
}

static size_t shared_before(const struct sim_overlay *overlay, size_t chunk) {
    size_t count = 0;
    while (count < CHUNKS_AT_ONCE && count < chunk && state_of(overlay, chunk - 1 - count) != FREE) {
        count++;
    }
    return count;
}

// Large pages cost less than small ones where stores fill them, and still less if several are made at once.
static struct chunks choose(const struct sim_overlay *overlay, size_t chunk) {
    if (overlay->bytes <= SHARED_WHOLE) {
        return aligned(overlay, chunk, CHUNKS_AT_ONCE);
    }
    const size_t before = shared_before(overlay, chunk);
    if (before < CHUNKS_IN_ORDER) {
        return (struct chunks){chunk, chunk + 1};
    }
    struct chunks range = aligned(overlay, chunk, LARGE_CHUNKS);
    for (size_t more = LARGE_CHUNKS; more < GROWTH * before && more < CHUNKS_AT_ONCE && range.end < overlay->chunks;
         more += LARGE_CHUNKS) {
        if (state_of(overlay, range.end) != FREE) {
            break;
        }
        range.end = aligned(overlay, range.end, LARGE_CHUNKS).end;
    }
    return range;
}

// Returns the number of bytes that this process has to copy.
static uint64_t claim(const struct sim_overlay *overlay, struct chunks range) {
    uint64_t bytes = 0;
    for (size_t chunk = range.first; chunk < range.end; chunk++) {
        uint8_t expected = FREE;
        if (__atomic_compare_exchange_n(&overlay->states[chunk], &expected, BUSY, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            overlay->local[chunk] = COPIES;
            bytes += bytes_before(overlay, chunk + 1) - bytes_before(overlay, chunk);
        }
    }
    return bytes;
}

static bool is_whole_page(const struct sim_overlay *overlay, struct chunks range) {
    return range.end - range.first == LARGE_CHUNKS && bytes_before(overlay, range.end) % SIM_LARGE_PAGE == 0;
}

// Makes the first small page of those that this process claimed.
static void touch(const struct sim_overlay *overlay, struct chunks page) {
    for (size_t chunk = page.first; chunk < page.end; chunk++) {
        if (overlay->local[chunk] == COPIES) {
            overlay->shared[bytes_before(overlay, chunk)] = 0;
            return;
        }
    }
}

static void make_large_pages(const struct sim_overlay *overlay, struct chunks range) {
    struct chunks whole = {range.first, range.first};
    while (whole.end < range.end) {
        const struct chunks page = aligned(overlay, whole.end, LARGE_CHUNKS);
        if (page.first != whole.end || !is_whole_page(overlay, page)) {
            break;
        }
        touch(overlay, page);
        whole.end = page.end;
    }
    if (whole.end > whole.first) {
        const uint64_t begin = bytes_before(overlay, whole.first);
        sim_make_large_pages(overlay->shared + begin, bytes_before(overlay, whole.end) - begin);
    }
}

static void copy_claimed(const struct sim_overlay *overlay, struct chunks range) {
    make_large_pages(overlay, range);
    for (size_t chunk = range.first; chunk < range.end; chunk++) {
        if (overlay->local[chunk] == COPIES) {
            const uint64_t begin = bytes_before(overlay, chunk), end = bytes_before(overlay, chunk + 1);
            memcpy(overlay->shared + begin, overlay->place + begin, end - begin);
            __atomic_store_n(&overlay->states[chunk], READY, __ATOMIC_RELEASE);
        }
    }
}

// Where one of the others has ended, the first process ends this one, too.
static void wait_for_others(const struct sim_overlay *overlay, struct chunks range) {
    for (size_t chunk = range.first; chunk < range.end; chunk++) {
        while (state_of(overlay, chunk) == BUSY) {
            sim_own_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
        }
    }
}

static bool map_shared(const struct sim_overlay *overlay, struct chunks range, int populate) {
    const uint64_t begin = bytes_before(overlay, range.first), end = bytes_before(overlay, range.end);
    return mmap(overlay->place + begin, end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | populate,
                overlay->file, (off_t)(overlay->offset + begin)) != MAP_FAILED;
}

static bool share(const struct sim_overlay *overlay, struct chunks range) {
    const uint64_t bytes = claim(overlay, range);
    if (__atomic_sub_fetch(overlay->room, (int64_t)bytes, __ATOMIC_RELAXED) < 0) {
        return false;
    }
    if (bytes) {
        copy_claimed(overlay, range);
    }
    wait_for_others(overlay, range);
    for (size_t chunk = range.first; chunk < range.end; chunk++) {
        overlay->local[chunk] |= MAPPED;
    }
    return map_shared(overlay, range, MAP_POPULATE);
}

// Call this in a worker before its first store to a chunk. It ends a worker that cannot share the chunk, because the
// store would reach the buffer's own memory where an earlier section left pages that all processes have.
static void sim_overlay_share(const struct sim_overlay *overlay, uint64_t offset) {
    const size_t chunk = (size_t)(offset / SIM_OVERLAY_CHUNK);
    if (!(overlay->local[chunk] & MAPPED) && !share(overlay, choose(overlay, chunk))) {
        sim_own_call(SYS_exit, 1, 0, 0, 0, 0, 0);
    }
    __atomic_add_fetch(&overlay->stores[chunk], 1, __ATOMIC_RELAXED);
}

bool sim_overlay_is_contested(const struct sim_overlay *overlay, size_t chunk) {
    return overlay->stores[chunk] > 1;
}

// Gives the buffer what workers wrote to one of its large pages. Returns true if the page itself became the buffer's,
// false if its bytes were copied.
static bool sim_overlay_take(const struct sim_overlay *overlay, size_t large_page) {
    const struct chunks range = aligned(overlay, large_page * LARGE_CHUNKS, LARGE_CHUNKS);
    const bool all = !memchr(overlay->states + range.first, FREE, range.end - range.first);
    if (all && is_whole_page(overlay, range) && map_shared(overlay, range, 0)) {
        return true;
    }
    for (size_t chunk = range.first; chunk < range.end; chunk++) {
        if (overlay->states[chunk] != FREE) {
            const uint64_t begin = bytes_before(overlay, chunk);
            memcpy(overlay->place + begin, overlay->shared + begin, bytes_before(overlay, chunk + 1) - begin);
        }
    }
    return false;
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

// Fills whole pages with the byte by mapping one pattern over and over. A page gets separate memory when it is written.
static enum status map_pattern(char *begin, uint8_t byte, uint64_t bytes) {
    int file = memfd_create("bankshot", MFD_CLOEXEC);
    enum status status = file < 0 ? STATUS_FAILED : write_pattern(file, byte);
    for (uint64_t done = 0; status == STATUS_OK && done < bytes; done += PATTERN_BYTES) {
        uint64_t left = bytes - done;
        if (mmap(begin + done, left < PATTERN_BYTES ? left : PATTERN_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED) {
            status = STATUS_FAILED;
        }
    }
    if (file >= 0) {
        close(file);
    }
    return status;
}

static bool is_large(uint64_t bytes) {
    return bytes >= 4 * PATTERN_BYTES;
}

enum status sim_memory_fill(uint64_t address, uint8_t byte, uint64_t bytes, struct error *error) {
    char *begin = (char *)(uintptr_t)address;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = round_up(address, page);
    uint64_t last = (address + bytes) / page * page;
    if (!is_large(bytes)) {
        memset(begin, byte, bytes);
        return STATUS_OK;
    }
    memset(begin, byte, first - address);
    memset(begin + (last - address), byte, address + bytes - last);
    if (map_pattern(begin + (first - address), byte, last - first) != STATUS_OK) {
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
    if (buffer->overlay) {
        sim_overlay_share(buffer->overlay, offset);
    }
    if (!buffer->large || page == 0 || buffer->large[page] || (page + 1) * SIM_LARGE_PAGE > buffer->bytes ||
        !is_filled(buffer, page - 1)) {
        return;
    }
    if (!buffer->overlay) {
        make_large(buffer, page);
    }
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
static enum status map_buffer(struct sim_buffer *buffer, struct error *error) {
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
    return sim_memory_fill(buffer->address, SIM_POISON, buffer->bytes, error);
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
    const enum status status = map_buffer(&buffer, error);
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

// ---- The overlays of all buffers of a device ----

static uint64_t pages_of(const struct sim_buffer *buffer, uint64_t page) {
    return (buffer->bytes + page - 1) / page;
}

static uint64_t chunks_of(const struct sim_buffer *buffer) {
    return pages_of(buffer, SIM_OVERLAY_CHUNK);
}

// A large page has the same bytes of the file as of the buffer, so each buffer begins one.
static uint64_t file_bytes(const struct sim_memory *memory) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < memory->count; i++) {
        bytes += pages_of(&memory->buffers[i], SIM_LARGE_PAGE) * SIM_LARGE_PAGE;
    }
    return bytes;
}

static size_t count_chunks(const struct sim_memory *memory) {
    size_t chunks = 0;
    for (size_t i = 0; i < memory->count; i++) {
        chunks += chunks_of(&memory->buffers[i]);
    }
    return chunks;
}

uint64_t sim_overlays_bytes(const struct sim_memory *memory) {
    return file_bytes(memory) + SIM_LARGE_PAGE + 3 * count_chunks(memory) + sizeof(int64_t);
}

static void *map(size_t bytes, int flags) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void unmap(void *memory, size_t bytes) {
    if (memory) {
        munmap(memory, bytes);
    }
}

static bool map_file(struct sim_overlays *overlays, uint64_t bytes) {
    overlays->shared = sim_reserve_aligned(bytes);
    overlays->shared_bytes = bytes;
    return overlays->shared && mmap(overlays->shared, bytes, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_FIXED | MAP_NORESERVE, overlays->file, 0) != MAP_FAILED;
}

// A file beyond the process's limit would end it by a signal. A process that runs users' kernels may not call getrlimit
// (process.c).
static bool may_have_file(uint64_t bytes) {
    struct rlimit limit;
    return sim_own_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0) != 0 || limit.rlim_cur >= bytes;
}

static bool allocate(struct sim_overlays *overlays, const struct sim_memory *memory) {
    overlays->chunks = count_chunks(memory);
    overlays->overlay = calloc(memory->count + 1, sizeof *overlays->overlay);
    overlays->local = map(overlays->chunks + 1, MAP_PRIVATE);
    overlays->states = map(overlays->chunks + 1, MAP_SHARED);
    overlays->stores = map(overlays->chunks + 1, MAP_SHARED);
    overlays->room = map(sizeof *overlays->room, MAP_SHARED);
    overlays->file = memfd_create("bankshot", MFD_CLOEXEC);
    const uint64_t bytes = file_bytes(memory);
    return overlays->overlay && overlays->local && overlays->states && overlays->stores && overlays->room &&
           overlays->file >= 0 && may_have_file(bytes) && ftruncate(overlays->file, (off_t)bytes) == 0 &&
           (!bytes || map_file(overlays, bytes));
}

// A quarter of the machine's memory, if that is known.
static int64_t room_bytes(void) {
    const int64_t pages = sysconf(_SC_PHYS_PAGES);
    return pages > 0 ? pages / 4 * sysconf(_SC_PAGESIZE) : INT64_MAX;
}

enum status sim_overlays_create(struct sim_overlays *overlays, struct sim_memory *memory) {
    *overlays = (struct sim_overlays){.file = -1};
    if (!allocate(overlays, memory)) {
        sim_overlays_destroy(overlays, memory);
        return STATUS_FAILED;
    }
    *overlays->room = room_bytes();
    uint64_t offset = 0, chunk = 0;
    for (size_t i = 0; i < memory->count; i++) {
        struct sim_buffer *buffer = &memory->buffers[i];
        const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
        overlays->overlay[i] = (struct sim_overlay){.place = (char *)(uintptr_t)buffer->address,
                                                    .shared = overlays->shared + offset,
                                                    .states = overlays->states + chunk,
                                                    .stores = overlays->stores + chunk,
                                                    .local = overlays->local + chunk,
                                                    .chunks = chunks_of(buffer),
                                                    .bytes = pages_of(buffer, page) * page,
                                                    .file = overlays->file,
                                                    .offset = offset,
                                                    .room = overlays->room};
        buffer->overlay = &overlays->overlay[i];
        offset += pages_of(buffer, SIM_LARGE_PAGE) * SIM_LARGE_PAGE;
        chunk += overlays->overlay[i].chunks;
    }
    return STATUS_OK;
}

void sim_overlays_take(const struct sim_overlays *overlays, struct sim_memory *memory) {
    for (size_t i = 0; i < memory->count; i++) {
        struct sim_buffer *buffer = &memory->buffers[i];
        for (size_t page = 0; page < pages_of(buffer, SIM_LARGE_PAGE); page++) {
            if (sim_overlay_take(&overlays->overlay[i], page) && buffer->large) {
                buffer->large[page] = true;
            }
        }
    }
}

void sim_overlays_destroy(struct sim_overlays *overlays, struct sim_memory *memory) {
    for (size_t i = 0; i < memory->count; i++) {
        memory->buffers[i].overlay = NULL;
    }
    unmap(overlays->shared, overlays->shared_bytes);
    unmap(overlays->room, sizeof *overlays->room);
    unmap(overlays->stores, overlays->chunks + 1);
    unmap(overlays->states, overlays->chunks + 1);
    unmap(overlays->local, overlays->chunks + 1);
    if (overlays->file >= 0) {
        close(overlays->file);
    }
    free(overlays->overlay);
    *overlays = (struct sim_overlays){.file = -1};
}
