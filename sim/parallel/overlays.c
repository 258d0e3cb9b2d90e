#include "sim/parallel/overlays.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/parallel/worker.h"

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
