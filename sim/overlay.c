#include "sim/overlay.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "sim/bitmap.h"
#include "sim/parallel/own_call.h"

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

void sim_overlay_share(const struct sim_overlay *overlay, uint64_t offset) {
    const size_t chunk = (size_t)(offset / SIM_OVERLAY_CHUNK);
    if (!(overlay->local[chunk] & MAPPED) && !share(overlay, choose(overlay, chunk))) {
        sim_own_call(SYS_exit, 1, 0, 0, 0, 0, 0);
    }
    __atomic_add_fetch(&overlay->stores[chunk], 1, __ATOMIC_RELAXED);
}

bool sim_overlay_is_contested(const struct sim_overlay *overlay, size_t chunk) {
    return overlay->stores[chunk] > 1;
}

bool sim_overlay_take(const struct sim_overlay *overlay, size_t large_page) {
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
