// A GPU driver and its run-time compiler without a GPU, to test the backends end to end: memory is the host's, kernels
// are compiled as C and run lane by lane (tests/fakes/host_lanes.c, compiled to HOST_LANES). Included by fake_cuda.c
// and fake_hip.c, which define
//   NAMED(cuda, hip)      the name under which the library exports what is declared so
//   fake_place            CUDA's context, or HIP's device number, as an argument
//   fake_attribute        what cuDeviceGetAttribute or hipDeviceGetAttribute answers
// All other types are alike in both interfaces: handles are pointers, results and ordinals are int.
//
// Set by the environment:
//   FAKE_DEVICES=2          how many there are
//   FAKE_NAME=NVIDIA H200   what they are called; FAKE_UNITS=4 (CUDA): compute units
//   FAKE_MEMORY_MB=64       of each
//   FAKE_FAIL=KIND[:N]      what goes wrong, every time or the Nth time since the driver was initialised:
//                           initialise, allocate (out of memory), launch (an illegal address: the device is lost),
//                           wrong (a launch leaves its last block out; its only one, too, where FAKE_KERNEL is set)
//   FAKE_KERNEL=NAME        only launches of this kernel count
//   FAKE_ORDER=lazy, N      what goes into streams is done as late as can be, and no more of it than is waited for; or
//                           in some order that streams and events allow, the Nth. Not set: at once
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum fake_result {
    FAKE_SUCCESS = 0,
    FAKE_INVALID_VALUE = 1,
    FAKE_OUT_OF_MEMORY = 2,
    FAKE_NO_DEVICE = 100,
    FAKE_INVALID_DEVICE = 101,
    FAKE_INVALID_IMAGE = 200,
    FAKE_INVALID_CONTEXT = 201,
    FAKE_NOT_FOUND = 500,
    FAKE_NOT_READY = 600,
    FAKE_ILLEGAL_ADDRESS = 700,
    FAKE_ALREADY_PINNED = 712
};

enum {
    DEVICES_MAX = 8,
    ALLOCATIONS_MAX = 1024,
    ARGUMENTS_MAX = 12,
    SHARED_BYTES = 48 << 10,
    SHARED_BYTES_MAX = 160 << 10,
    BLOCK_THREADS = 1024
};

static struct allocation {
    char *address;
    size_t bytes;
    int device;
} allocations[ALLOCATIONS_MAX];

static void finish_all(void);

static bool lost[DEVICES_MAX];
static int current = -1;    // the device that calls speak of
static uint64_t calls[128]; // by the first letter of what FAKE_FAIL can name

static int setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

// Whether this call of a kind is the one that FAKE_FAIL names.
static bool fails(const char *kind) {
    const char *text = getenv("FAKE_FAIL");
    size_t length = strlen(kind);
    uint64_t call = ++calls[(int)*kind];
    return text && !strncmp(text, kind, length) && (!text[length] || strtoull(text + length + 1, NULL, 10) == call);
}

static enum fake_result usable(void) {
    if (current < 0) {
        return FAKE_INVALID_CONTEXT;
    }
    return lost[current] ? FAKE_ILLEGAL_ADDRESS : FAKE_SUCCESS;
}

// Whether these bytes are all in one allocation of that device.
static bool owned(const char *address, size_t bytes, int device) {
    for (size_t i = 0; i < ALLOCATIONS_MAX; i++) {
        const struct allocation *a = &allocations[i];
        if (a->address && a->device == device && address >= a->address && address + bytes <= a->address + a->bytes) {
            return true;
        }
    }
    return false;
}

// ---- Devices ----

static enum fake_result initialise(void) {
    memset(calls, 0, sizeof calls);
    memset(lost, 0, sizeof lost);
    return fails("initialise") ? FAKE_NO_DEVICE : FAKE_SUCCESS;
}

int fake_initialise(unsigned flags) NAMED("cuInit", "hipInit");
int fake_initialise(unsigned flags) {
    (void)flags;
    return (int)initialise();
}

int fake_device_count(int *count) NAMED("cuDeviceGetCount", "hipGetDeviceCount");
int fake_device_count(int *count) {
    *count = setting("FAKE_DEVICES", 2);
    return *count > 0 ? FAKE_SUCCESS : FAKE_NO_DEVICE;
}

int fake_device_name(char *name, int size, int device) NAMED("cuDeviceGetName", "hipDeviceGetName");
int fake_device_name(char *name, int size, int device) {
    const char *wanted = getenv("FAKE_NAME");
    if (wanted) {
        snprintf(name, (size_t)size, "%s", wanted);
    } else {
        snprintf(name, (size_t)size, "Fake GPU %d", device);
    }
    return FAKE_SUCCESS;
}

static size_t memory_bytes(void) {
    return (size_t)setting("FAKE_MEMORY_MB", 64) << 20;
}

static size_t used_bytes(int device) {
    size_t bytes = 0;
    for (size_t i = 0; i < ALLOCATIONS_MAX; i++) {
        bytes += allocations[i].address && allocations[i].device == device ? allocations[i].bytes : 0;
    }
    return bytes;
}

int fake_memory_info(size_t *free_bytes, size_t *bytes) NAMED("cuMemGetInfo_v2", "hipMemGetInfo");
int fake_memory_info(size_t *free_bytes, size_t *bytes) {
    *bytes = memory_bytes();
    *free_bytes = *bytes - used_bytes(current);
    return (int)usable();
}

// ---- Memory ----

int fake_allocate(void **address, size_t bytes) NAMED("cuMemAlloc_v2", "hipMalloc");
int fake_allocate(void **address, size_t bytes) {
    if (usable() != FAKE_SUCCESS) {
        return (int)usable();
    }
    struct allocation *slot = allocations;
    while (slot < allocations + ALLOCATIONS_MAX && slot->address) {
        slot++;
    }
    if (fails("allocate") || slot == allocations + ALLOCATIONS_MAX || bytes > memory_bytes() - used_bytes(current)) {
        return FAKE_OUT_OF_MEMORY;
    }
    *slot = (struct allocation){.address = aligned_alloc(256, (bytes + 255) / 256 * 256), bytes, current};
    *address = slot->address;
    return slot->address ? FAKE_SUCCESS : FAKE_OUT_OF_MEMORY;
}

int fake_release(char *address) NAMED("cuMemFree_v2", "hipFree");
int fake_release(char *address) {
    finish_all();
    for (size_t i = 0; i < ALLOCATIONS_MAX; i++) {
        if (address && allocations[i].address == address && allocations[i].device == current) {
            free(address);
            allocations[i] = (struct allocation){0};
            return FAKE_SUCCESS;
        }
    }
    return FAKE_INVALID_VALUE;
}

// ---- Work in streams ----

struct fake_event {
    int device;
    uint64_t asked, done; // how often it was to be recorded, and was
    struct timespec time;
};

struct fake_function {
    char name[64];
    void *kernel;
    void *run_block;
    int parameters;
    unsigned shared_bytes; // allowed
};

struct work {
    enum {
        COPY,
        FILL,
        LAUNCH,
        RECORD,
        WAIT
    } kind;
    char *to;
    const char *from;
    size_t bytes, more_rows, to_pitch, from_pitch;
    int byte;
    struct fake_event *event;
    uint64_t record; // which one of the event's
    const struct fake_function *function;
    uint64_t arguments[ARGUMENTS_MAX], blocks;
    uint32_t grid[3], block[3];
    struct work *next;
};

struct fake_stream {
    int device;
    struct work *first, *last;
    struct fake_stream *next;
};

static struct fake_stream *streams;

static void run_grid(const struct fake_function *function, const uint64_t *arguments, const uint32_t grid[3],
                     const uint32_t block[3], uint64_t blocks) {
    void (*run_block)(void *, const uint64_t *, const uint32_t[3], const uint32_t[3], const uint32_t[3]);
    memcpy(&run_block, &function->run_block, sizeof run_block);
    for (uint64_t i = 0; i < blocks; i++) {
        uint32_t at[3] = {(uint32_t)(i % grid[0]), (uint32_t)(i / grid[0] % grid[1]),
                          (uint32_t)(i / grid[0] / grid[1])};
        run_block(function->kernel, arguments, grid, block, at);
    }
}

static void do_work(const struct work *work) {
    switch (work->kind) {
    case COPY:
        for (size_t row = 0; row <= work->more_rows; row++) {
            memmove(work->to + row * work->to_pitch, work->from + row * work->from_pitch, work->bytes);
        }
        break;
    case FILL:
        memset(work->to, work->byte, work->bytes);
        break;
    case LAUNCH:
        run_grid(work->function, work->arguments, work->grid, work->block, work->blocks);
        break;
    case RECORD:
        clock_gettime(CLOCK_MONOTONIC, &work->event->time);
        work->event->done = work->record;
        break;
    case WAIT:
        break;
    }
}

static bool blocked(const struct fake_stream *stream) {
    const struct work *work = stream->first;
    return work->kind == WAIT && work->event->done < work->record;
}

static void do_first(struct fake_stream *stream) {
    struct work *work = stream->first;
    do_work(work);
    stream->first = work->next;
    free(work);
}

// The stream that records what this one waits for.
static struct fake_stream *recorder(const struct work *waiting) {
    for (struct fake_stream *stream = streams; stream; stream = stream->next) {
        for (const struct work *work = stream->first; work; work = work->next) {
            if (work->kind == RECORD && work->event == waiting->event && work->record >= waiting->record) {
                return stream;
            }
        }
    }
    fprintf(stderr, "fake driver: a stream waits for what nobody records\n");
    abort();
}

static struct fake_stream *any_ready(void) {
    static uint64_t number;
    struct fake_stream *ready = NULL;
    uint64_t count = 0;
    number += (uint64_t)setting("FAKE_ORDER", 0);
    for (struct fake_stream *stream = streams; stream; stream = stream->next) {
        if (stream->first && !blocked(stream)) {
            number = number * 6364136223846793005u + 1442695040888963407u;
            ready = (number >> 33) % ++count == 0 ? stream : ready;
        }
    }
    if (!ready) {
        fprintf(stderr, "fake driver: every stream waits\n");
        abort();
    }
    return ready;
}

// All work of a stream, and as much of the others' as the order wants.
static void finish(struct fake_stream *stream) {
    const char *order = getenv("FAKE_ORDER");
    while (stream->first) {
        struct fake_stream *next = stream;
        while (order && strcmp(order, "lazy") == 0 && blocked(next)) {
            next = recorder(next->first);
        }
        do_first(order && strcmp(order, "lazy") != 0 ? any_ready() : next);
    }
}

static void finish_all(void) {
    for (struct fake_stream *stream = streams; stream; stream = stream->next) {
        finish(stream);
    }
}

static int enqueue(struct fake_stream *stream, struct work work) {
    struct work *added = calloc(1, sizeof *added);
    if (!added) {
        return FAKE_OUT_OF_MEMORY;
    }
    *added = work;
    if (stream->first) {
        stream->last->next = added;
    } else {
        stream->first = added;
    }
    stream->last = added;
    if (!getenv("FAKE_ORDER")) {
        finish(stream);
    }
    return FAKE_SUCCESS;
}

// A copy or a fill on a stream: of memory that is not the device's, the device is lost.
static int check_access(const struct fake_stream *stream, const char *address, size_t bytes) {
    if (usable() != FAKE_SUCCESS || !stream || stream->device != current) {
        return usable() != FAKE_SUCCESS ? (int)usable() : FAKE_INVALID_CONTEXT;
    }
    return owned(address, bytes, current) ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
}

int fake_copy_to_device(char *to, const char *from, size_t bytes, struct fake_stream *stream)
    NAMED("cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync");
int fake_copy_to_device(char *to, const char *from, size_t bytes, struct fake_stream *stream) {
    int result = check_access(stream, to, bytes);
    return result == FAKE_SUCCESS ? enqueue(stream, (struct work){COPY, .to = to, .from = from, .bytes = bytes})
                                  : result;
}

int fake_copy_to_host(char *to, const char *from, size_t bytes, struct fake_stream *stream)
    NAMED("cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync");
int fake_copy_to_host(char *to, const char *from, size_t bytes, struct fake_stream *stream) {
    int result = check_access(stream, from, bytes);
    return result == FAKE_SUCCESS ? enqueue(stream, (struct work){COPY, .to = to, .from = from, .bytes = bytes})
                                  : result;
}

// Rows from the host or to it.
static int copy_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t bytes, size_t rows,
                     bool to_host, struct fake_stream *stream) {
    const size_t span = (rows - 1) * (to_host ? from_pitch : to_pitch) + bytes;
    const struct work work = {
        COPY, to, from, bytes, .more_rows = rows - 1, .to_pitch = to_pitch, .from_pitch = from_pitch};
    const int result = check_access(stream, to_host ? from : to, span);
    return result != FAKE_SUCCESS                   ? result
           : bytes > to_pitch || bytes > from_pitch ? FAKE_INVALID_VALUE
                                                    : enqueue(stream, work);
}

int fake_copy_on_device(char *to, const char *from, size_t bytes, struct fake_stream *stream)
    NAMED("cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync");
int fake_copy_on_device(char *to, const char *from, size_t bytes, struct fake_stream *stream) {
    int result = check_access(stream, from, bytes);
    if (result == FAKE_SUCCESS) {
        result = check_access(stream, to, bytes);
    }
    return result == FAKE_SUCCESS ? enqueue(stream, (struct work){COPY, .to = to, .from = from, .bytes = bytes})
                                  : result;
}

int fake_copy_peer(char *to, fake_place to_place, const char *from, fake_place from_place, size_t bytes,
                   struct fake_stream *stream) NAMED("cuMemcpyPeerAsync", "hipMemcpyPeerAsync");
int fake_copy_peer(char *to, fake_place to_place, const char *from, fake_place from_place, size_t bytes,
                   struct fake_stream *stream) {
    int result = check_access(stream, from, bytes);
    if (result == FAKE_SUCCESS && (place_device(from_place) != current || !owned(to, bytes, place_device(to_place)))) {
        result = FAKE_INVALID_VALUE;
    }
    return result == FAKE_SUCCESS ? enqueue(stream, (struct work){COPY, .to = to, .from = from, .bytes = bytes})
                                  : result;
}

int fake_enable_peer(fake_place place, unsigned flags) NAMED("cuCtxEnablePeerAccess", "hipDeviceEnablePeerAccess");
int fake_enable_peer(fake_place place, unsigned flags) {
    (void)flags;
    return place_device(place) == current ? FAKE_INVALID_DEVICE : FAKE_SUCCESS;
}

int fake_fill(char *address, unsigned char byte, size_t bytes, struct fake_stream *stream)
    NAMED("cuMemsetD8Async", "hipMemsetD8Async");
int fake_fill(char *address, unsigned char byte, size_t bytes, struct fake_stream *stream) {
    int result = check_access(stream, address, bytes);
    return result == FAKE_SUCCESS ? enqueue(stream, (struct work){FILL, .to = address, .byte = byte, .bytes = bytes})
                                  : result;
}

// ---- Memory of the host ----

static struct pinned {
    char *address;
    size_t bytes;
} pinned[ALLOCATIONS_MAX];

int fake_pin(char *memory, size_t bytes, unsigned flags) NAMED("cuMemHostRegister_v2", "hipHostRegister");
int fake_pin(char *memory, size_t bytes, unsigned flags) {
    enum {
        PAGE_BYTES = 4096
    };
    struct pinned *slot = pinned;
    for (; slot->address; slot++) {
        if (memory < slot->address + slot->bytes && slot->address < memory + bytes) {
            return FAKE_ALREADY_PINNED;
        }
    }
    if (flags != 1 || (uintptr_t)memory % PAGE_BYTES) { // for all devices
        return FAKE_INVALID_VALUE;
    }
    *slot = (struct pinned){memory, (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES};
    return (int)usable();
}

int fake_unpin(char *memory) NAMED("cuMemHostUnregister", "hipHostUnregister");
int fake_unpin(char *memory) {
    struct pinned *slot = pinned, *last = pinned;
    finish_all();
    while (slot->address && slot->address != memory) {
        slot++;
    }
    for (last = slot; last->address && last[1].address;) {
        last++;
    }
    const bool found = slot->address;
    *slot = *last;
    last->address = NULL;
    return found ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
}

// ---- How devices are joined: the first two by a link of the vendor's ----

int fake_pci_address(char *address, int size, int device) NAMED("cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId");
int fake_pci_address(char *address, int size, int device) {
    snprintf(address, (size_t)size, "FA4E:0%d:00.0", device);
    return FAKE_SUCCESS;
}

static bool has_vendors_link(int device, int peer) {
    return device < 2 && peer < 2;
}

// ---- Streams and events ----

int fake_stream_create(struct fake_stream **stream, unsigned flags) NAMED("cuStreamCreate", "hipStreamCreateWithFlags");
int fake_stream_create(struct fake_stream **stream, unsigned flags) {
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    if (*stream) {
        **stream = (struct fake_stream){.device = current, .next = streams};
        streams = *stream;
    }
    return (int)usable();
}

int fake_stream_priorities(int *lowest, int *highest)
    NAMED("cuCtxGetStreamPriorityRange", "hipDeviceGetStreamPriorityRange");
int fake_stream_priorities(int *lowest, int *highest) {
    *lowest = 0;
    *highest = -5;
    return (int)usable();
}

int fake_stream_create_prior(struct fake_stream **stream, unsigned flags, int priority)
    NAMED("cuStreamCreateWithPriority", "hipStreamCreateWithPriority");
int fake_stream_create_prior(struct fake_stream **stream, unsigned flags, int priority) {
    return priority == -5 ? fake_stream_create(stream, flags) : FAKE_INVALID_VALUE;
}

int fake_stream_destroy(struct fake_stream *stream) NAMED("cuStreamDestroy_v2", "hipStreamDestroy");
int fake_stream_destroy(struct fake_stream *stream) {
    struct fake_stream **at = &streams;
    finish_all();
    while (*at != stream) {
        at = &(*at)->next;
    }
    *at = stream->next;
    free(stream);
    return FAKE_SUCCESS;
}

int fake_stream_synchronize(struct fake_stream *stream) NAMED("cuStreamSynchronize", "hipStreamSynchronize");
int fake_stream_synchronize(struct fake_stream *stream) {
    finish(stream);
    return stream->device == current ? (int)usable() : FAKE_INVALID_CONTEXT;
}

int fake_event_create(struct fake_event **event, unsigned flags) NAMED("cuEventCreate", "hipEventCreateWithFlags");
int fake_event_create(struct fake_event **event, unsigned flags) {
    (void)flags;
    *event = calloc(1, sizeof **event);
    if (*event) {
        (*event)->device = current;
    }
    return (int)usable();
}

int fake_event_destroy(struct fake_event *event) NAMED("cuEventDestroy_v2", "hipEventDestroy");
int fake_event_destroy(struct fake_event *event) {
    finish_all();
    free(event);
    return FAKE_SUCCESS;
}

int fake_event_record(struct fake_event *event, struct fake_stream *stream) NAMED("cuEventRecord", "hipEventRecord");
int fake_event_record(struct fake_event *event, struct fake_stream *stream) {
    if (event->device != current || stream->device != current) {
        return FAKE_INVALID_CONTEXT;
    }
    const int result = enqueue(stream, (struct work){RECORD, .event = event, .record = ++event->asked});
    return result == FAKE_SUCCESS ? (int)usable() : result;
}

int fake_event_wait(struct fake_stream *stream, struct fake_event *event, unsigned flags)
    NAMED("cuStreamWaitEvent", "hipStreamWaitEvent");
int fake_event_wait(struct fake_stream *stream, struct fake_event *event, unsigned flags) {
    if (stream->device != current || flags) {
        return FAKE_INVALID_CONTEXT;
    }
    const int result = enqueue(stream, (struct work){WAIT, .event = event, .record = event->asked});
    return result == FAKE_SUCCESS ? (int)usable() : result;
}

int fake_event_elapsed(float *milliseconds, const struct fake_event *start, const struct fake_event *stop)
    NAMED("cuEventElapsedTime", "hipEventElapsedTime");
int fake_event_elapsed(float *milliseconds, const struct fake_event *start, const struct fake_event *stop) {
    if (start->done < start->asked || stop->done < stop->asked) {
        return FAKE_NOT_READY;
    }
    *milliseconds = (float)((double)(stop->time.tv_sec - start->time.tv_sec) * 1e3 +
                            (double)(stop->time.tv_nsec - start->time.tv_nsec) / 1e6);
    return (int)usable();
}

// ---- Modules and launches: a module is a shared library ----

struct fake_module {
    void *library;
    size_t count;
    struct fake_function functions[64];
};

// The code is a 64-bit length and the library.
int fake_load_module(struct fake_module **loaded, const char *code) NAMED("cuModuleLoadData", "hipModuleLoadData");
int fake_load_module(struct fake_module **loaded, const char *code) {
    uint64_t bytes;
    char path[] = "/tmp/bankshot-fake-kernel.XXXXXX"; // a new name each time: the loader goes by names
    memcpy(&bytes, code, sizeof bytes);
    struct fake_module *module = calloc(1, sizeof *module);
    int file = mkstemp(path);
    if (module && file >= 0 && write(file, code + sizeof bytes, bytes) == (ssize_t)bytes) {
        module->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    if (!module || !module->library) {
        fprintf(stderr, "fake driver: %s\n", dlerror());
        free(module);
        return FAKE_INVALID_IMAGE;
    }
    *loaded = module;
    return (int)usable();
}

int fake_unload_module(struct fake_module *module) NAMED("cuModuleUnload", "hipModuleUnload");
int fake_unload_module(struct fake_module *module) {
    finish_all();
    dlclose(module->library);
    free(module);
    return FAKE_SUCCESS;
}

int fake_find_function(struct fake_function **function, struct fake_module *module, const char *name)
    NAMED("cuModuleGetFunction", "hipModuleGetFunction");
int fake_find_function(struct fake_function **function, struct fake_module *module, const char *name) {
    char parameters[256];
    snprintf(parameters, sizeof parameters, "parameters_of_%s", name);
    const int *count = dlsym(module->library, parameters);
    if (!count) {
        fprintf(stderr, "fake driver: %s\n", dlerror());
    }
    if (!count || module->count == sizeof module->functions / sizeof *module->functions) {
        return FAKE_NOT_FOUND;
    }
    *function = &module->functions[module->count++];
    **function = (struct fake_function){.kernel = dlsym(module->library, name),
                                        .run_block = dlsym(module->library, "host_run_block"),
                                        .parameters = *count,
                                        .shared_bytes = SHARED_BYTES};
    snprintf((*function)->name, sizeof(*function)->name, "%s", name);
    return FAKE_SUCCESS;
}

static bool launch_fails(const struct fake_function *function, const char *kind) {
    const char *name = getenv("FAKE_KERNEL");
    return (!name || !strcmp(name, function->name)) && fails(kind);
}

int fake_launch(struct fake_function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, struct fake_stream *stream,
                void **parameters, void **extra) NAMED("cuLaunchKernel", "hipModuleLaunchKernel");
int fake_launch(struct fake_function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, struct fake_stream *stream,
                void **parameters, void **extra) {
    struct work work = {LAUNCH, .function = function, .blocks = (uint64_t)grid_x * grid_y * grid_z,
                        .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}};
    if (usable() != FAKE_SUCCESS || stream->device != current) {
        return usable() != FAKE_SUCCESS ? (int)usable() : FAKE_INVALID_CONTEXT;
    }
    if (!work.blocks || (uint64_t)block_x * block_y * block_z > BLOCK_THREADS ||
        shared_bytes > function->shared_bytes || function->parameters > ARGUMENTS_MAX || extra) {
        return FAKE_INVALID_VALUE;
    }
    for (int i = 0; i < function->parameters; i++) {
        memcpy(&work.arguments[i], parameters[i], sizeof work.arguments[i]);
    }
    if (launch_fails(function, "launch")) {
        lost[current] = true; // shows when somebody asks next
        return FAKE_SUCCESS;
    }
    work.blocks -= (work.blocks > 1 || getenv("FAKE_KERNEL")) && launch_fails(function, "wrong");
    return enqueue(stream, work);
}

// ---- The run-time compiler ----

struct fake_program {
    char *text, *header, *log, *code;
    size_t code_bytes;
};

int fake_rtc_version(int *major, int *minor) NAMED("nvrtcVersion", "hiprtcVersion");
int fake_rtc_version(int *major, int *minor) {
    *major = 12;
    *minor = 4;
    return FAKE_SUCCESS;
}

const char *fake_rtc_error(int result) NAMED("nvrtcGetErrorString", "hiprtcGetErrorString");
const char *fake_rtc_error(int result) {
    return result ? "FAKE_ERROR_COMPILATION" : "FAKE_SUCCESS";
}

int fake_rtc_create(struct fake_program **program, const char *text, const char *name, int headers,
                    const char *const *header_texts, const char *const *header_names)
    NAMED("nvrtcCreateProgram", "hiprtcCreateProgram");
int fake_rtc_create(struct fake_program **program, const char *text, const char *name, int headers,
                    const char *const *header_texts, const char *const *header_names) {
    (void)name;
    if (headers != 1 || strcmp(header_names[0], "device/kernel/kernel.h") != 0) {
        return FAKE_INVALID_VALUE;
    }
    *program = calloc(1, sizeof **program);
    (*program)->text = strdup(text);
    (*program)->header = strdup(header_texts[0]);
    return FAKE_SUCCESS;
}

int fake_rtc_destroy(struct fake_program **program) NAMED("nvrtcDestroyProgram", "hiprtcDestroyProgram");
int fake_rtc_destroy(struct fake_program **program) {
    free((*program)->text);
    free((*program)->header);
    free((*program)->log);
    free((*program)->code);
    free(*program);
    *program = NULL;
    return FAKE_SUCCESS;
}

static char *read_all(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    *bytes = file && text ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    return text;
}

// How many parameters each KERNEL has, for the launch, as a constant behind the kernel's text.
static void write_parameter_counts(FILE *file, const char *text) {
    for (const char *at = text; (at = strstr(at, "KERNEL void ")); at++) {
        const char *name = at + strlen("KERNEL void "), *bounds = strstr(name, "__launch_bounds__(");
        name = bounds == name ? strchr(name, ')') + 1 : name;
        name += strspn(name, " \n");
        int length = (int)strcspn(name, "("), count = 1;
        const char *c = name + length + 1;
        if (!strncmp(c, "void)", 5) || *c == ')') {
            count = 0;
        }
        for (; *c && *c != ')'; c++) {
            count += *c == ',';
        }
        fprintf(file, "\nconst int parameters_of_%.*s = %d;", length, name, count);
    }
}

static bool write_sources(const struct fake_program *program, const char *folder) {
    char path[256];
    snprintf(path, sizeof path, "%s/kernel.c", folder);
    FILE *file = fopen(path, "w");
    if (!file) {
        return false;
    }
    // The header as it was handed over; its guard keeps the one on disk out.
    fprintf(file, "%s\n#line 1 \"kernel\"\n%s", program->header, program->text);
    write_parameter_counts(file, program->text);
    fprintf(file, "\nconst uint32_t host_warp_width = WARP_WIDTH;\n");
    return fclose(file) == 0;
}

// What was compiled before: devices and kernels of one text share it.
static struct compiled {
    char *text, *options, *code;
    size_t bytes;
    struct compiled *next;
} * compilations;

static bool find_compiled(struct fake_program *program, const char *options) {
    const struct compiled *found = compilations;
    while (found && (strcmp(found->text, program->text) != 0 || strcmp(found->options, options) != 0)) {
        found = found->next;
    }
    if (found) {
        program->code = malloc(found->bytes);
        program->code_bytes = found->bytes;
        memcpy(program->code, found->code, found->bytes);
    }
    return found;
}

static void keep_compiled(const struct fake_program *program, const char *options) {
    struct compiled *kept = malloc(sizeof *kept);
    *kept = (struct compiled){strdup(program->text), strdup(options), malloc(program->code_bytes), program->code_bytes,
                              compilations};
    memcpy(kept->code, program->code, kept->bytes);
    compilations = kept;
}

static int compile(struct fake_program *program, const char *options) {
    char folder[] = "/tmp/bankshot-fake.XXXXXX", command[4096], path[256];
    if (!mkdtemp(folder) || !write_sources(program, folder)) {
        return FAKE_INVALID_VALUE;
    }
    snprintf(command, sizeof command,
             "cc -std=gnu11 -O1 -w -shared -fPIC -Wl,-Bsymbolic -I.%s -o %s/kernel.so %s/kernel.c " HOST_LANES
             " >%s/log 2>&1",
             options, folder, folder, folder);
    int result = system(command) == 0 ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/log", folder);
    program->log = read_all(path, &bytes);
    if (result == FAKE_SUCCESS) {
        snprintf(path, sizeof path, "%s/kernel.so", folder);
        program->code = read_all(path, &program->code_bytes);
        keep_compiled(program, options);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? result : FAKE_INVALID_VALUE;
}

int fake_rtc_compile(struct fake_program *program, int count, const char *const *options)
    NAMED("nvrtcCompileProgram", "hiprtcCompileProgram");
int fake_rtc_compile(struct fake_program *program, int count, const char *const *options) {
    char constants[3072] = "";
    int length = 0;
    for (int i = 0; i < count; i++) {
        if (!strncmp(options[i], "-D", 2)) {
            length += snprintf(constants + length, sizeof constants - (size_t)length, " %s", options[i]);
        }
    }
    return find_compiled(program, constants) ? FAKE_SUCCESS : compile(program, constants);
}

int fake_rtc_log_size(struct fake_program *program, size_t *bytes)
    NAMED("nvrtcGetProgramLogSize", "hiprtcGetProgramLogSize");
int fake_rtc_log_size(struct fake_program *program, size_t *bytes) {
    *bytes = program->log ? strlen(program->log) + 1 : 1;
    return FAKE_SUCCESS;
}

int fake_rtc_log(struct fake_program *program, char *log) NAMED("nvrtcGetProgramLog", "hiprtcGetProgramLog");
int fake_rtc_log(struct fake_program *program, char *log) {
    strcpy(log, program->log ? program->log : "");
    return FAKE_SUCCESS;
}

int fake_rtc_code_size(struct fake_program *program, size_t *bytes) NAMED("nvrtcGetCUBINSize", "hiprtcGetCodeSize");
int fake_rtc_code_size(struct fake_program *program, size_t *bytes) {
    *bytes = program->code_bytes + sizeof(uint64_t);
    return FAKE_SUCCESS;
}

int fake_rtc_code(struct fake_program *program, char *code) NAMED("nvrtcGetCUBIN", "hiprtcGetCode");
int fake_rtc_code(struct fake_program *program, char *code) {
    uint64_t bytes = program->code_bytes;
    memcpy(code, &bytes, sizeof bytes);
    memcpy(code + sizeof bytes, program->code, bytes);
    return FAKE_SUCCESS;
}
