// A device runs a kernel somewhere: an NVIDIA or AMD GPU, this machine's CPU, or the simulator.
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "device/launch.h"
#include "model/bound.h"
#include "model/gpus.h"
#include "model/work.h"
#include "util/error.h"

enum {
    DEVICE_TEXT = 256
};

// In the order in which they are listed.
enum backend_kind {
    BACKEND_CUDA,
    BACKEND_HIP,
    BACKEND_CPU,
    BACKEND_SIM,
    BACKEND_COUNT
};

// Facts about a device. A number is 0 and a text is empty where the fact is unknown.
struct device_info {
    char spec[64]; // how --device names it: "cuda:0", "sim:h200", "cpu"
    enum backend_kind backend;
    char name[DEVICE_TEXT];     // "NVIDIA H200"
    char arch[64];              // "sm_90", "gfx90a", "x86-64 avx512"
    char driver[DEVICE_TEXT];   // driver version and the library file that was taken
    char runtime[DEVICE_TEXT];  // run-time compiler's library and version
    char compiler[DEVICE_TEXT]; // what compiles kernels for this device
    uint64_t memory_bytes;
    uint64_t memory_free_bytes;
    uint64_t last_level_cache_bytes; // what programs can hold in it; on the CPU as measured
    uint64_t reported_cache_bytes;   // cpu: what the machine says that there is; elsewhere 0
    uint32_t compute_units;          // SMs, CUs, or threads that the CPU backend uses
    uint32_t warp_width;             // lanes; 1 on the CPU
    uint32_t max_block_threads;
    uint32_t shared_bytes_per_block;     // without opting in
    uint32_t shared_bytes_per_block_max; // after opting in
    double clock_mhz;                    // the boost clock that the vendor or the driver states
    double time_counter_mhz;             // rate of time_counter() in a kernel; 0: it has none
    double peak_gb_s;                    // memory bandwidth that physics allows
    bool predicted;                      // times come from a model, not from a clock
    uint64_t simulated_blocks;           // sim: only about so many blocks of a grid run; 0: all
    const struct gpu *gpu;               // its row in the model's table; NULL if it has none
};

static inline bool device_is_cpu(const struct device_info *info) {
    return info->backend == BACKEND_CPU;
}

static inline bool device_is_real_gpu(const struct device_info *info) {
    return info->backend == BACKEND_CUDA || info->backend == BACKEND_HIP;
}

// What may be allocated: the free memory, or all memory where the device does not say how much is free.
static inline uint64_t device_free_bytes(const struct device_info *info) {
    return info->memory_free_bytes ? info->memory_free_bytes : info->memory_bytes;
}

struct device;
struct kernel;
struct event;
struct stream;
struct device_operations;

// Told of each launch on a real GPU, while a vendor's profiler looks on.
struct launch_watcher {
    // Whether the profiler is to count this launch. A profiler that cannot be stopped counts all.
    bool (*counts)(struct launch_watcher *watcher, const char *entry, const struct launch *launch);
};

// Every backend's state begins with this.
struct device {
    const struct device_operations *operations;
    struct device_info info;
    struct launch_watcher *watcher; // NULL: nobody watches
};

// How two devices of one backend are joined.
struct device_link {
    bool direct;    // one reaches the other's memory itself; else the driver copies through the host
    bool atomics;   // the link itself carries atomics on the other's memory
    int rank;       // the driver's own ranking of its links, 0 the fastest; below 0: not known
    char name[128]; // "NVLink", "PCIe, one host bridge"; empty: not known
};

// A device's connection to the host. A text is empty and a number is 0 where the fact is not known.
struct device_bus {
    char address[32]; // "0000:1a:00.0"
    int numa_node;    // whose memory is near; below 0: not known
    double gt_s;      // transfers a second and lane that the link can do; an idle one runs slower
    uint32_t lanes;
    double peak_gb_s; // of data one way, without the packets' headers
};

// Rows that are copied to or from the host. On each side a row begins pitch bytes after the one before.
struct device_rows {
    uint64_t device;
    size_t device_pitch;
    void *host;
    size_t host_pitch;
    size_t row_bytes, rows;
    bool to_host;
};

// A backend fills this table; an operation that it cannot do is NULL. The functions below call it.
//
// A stream's work is done in its order, and streams run side by side except where one waits for another's event. A
// stream that is NULL is the device's own. Launches, copies on a device, copies to a peer and fills are asynchronous,
// and their faults may show only when the stream is synchronized.
struct device_operations {
    void (*close)(struct device *device);

    enum status (*allocate)(struct device *device, size_t bytes, uint64_t *address, struct error *error);
    void (*release)(struct device *device, uint64_t address);
    enum status (*copy_to_device)(struct device *device, uint64_t to, const void *from, size_t bytes,
                                  struct error *error);
    enum status (*copy_to_host)(struct device *device, void *to, uint64_t from, size_t bytes, struct error *error);
    // The host's memory must be pinned, and must stay as it is until the stream is synchronized.
    enum status (*copy_to_device_async)(struct device *device, struct stream *stream, uint64_t to, const void *from,
                                        size_t bytes, struct error *error);
    enum status (*copy_to_host_async)(struct device *device, struct stream *stream, void *to, uint64_t from,
                                      size_t bytes, struct error *error);
    // The driver's own copy inside one device, against which gmem's copy is compared.
    enum status (*copy_on_device)(struct device *device, uint64_t to, uint64_t from, size_t bytes, struct error *error);
    // Between two devices of one backend. The stream belongs to from_device, or to to_device.
    enum status (*copy_to_peer)(struct device *from_device, struct stream *stream, uint64_t from,
                                struct device *to_device, uint64_t to, size_t bytes, struct error *error);
    enum status (*copy_from_peer)(struct device *to_device, struct stream *stream, uint64_t to,
                                  struct device *from_device, uint64_t from, size_t bytes, struct error *error);
    // Returns when the rows are there.
    enum status (*copy_rows)(struct device *device, struct stream *stream, const struct device_rows *rows,
                             struct error *error);
    enum status (*fill)(struct device *device, uint64_t address, uint8_t byte, size_t bytes, struct error *error);
    void (*link)(struct device *device, struct device *peer, struct device_link *link);
    // From then on the device's kernels can load from and store to the peer's memory.
    enum status (*reach)(struct device *device, struct device *peer, struct error *error);
    void (*bus)(struct device *device, struct device_bus *bus);

    // Keeps the host's memory in place, so that every device of this backend can copy from and to it by itself. The
    // memory must come from page_allocate, so that no page is pinned twice.
    enum status (*pin)(struct device *device, void *memory, size_t bytes, struct error *error);
    void (*unpin)(struct device *device, void *memory);
    // Memory of the host that the driver allocates pinned, for every device of this backend.
    enum status (*allocate_pinned)(struct device *device, size_t bytes, void **memory, struct error *error);
    void (*release_pinned)(struct device *device, void *memory);
    // Where the device's kernels find memory of the host that is pinned either way.
    enum status (*map)(struct device *device, void *memory, uint64_t *address, struct error *error);

    // Compiles for this very device. On failure the error holds the compiler's log and the parameters.
    enum status (*build)(struct device *device, const struct kernel_request *request, struct kernel **kernel,
                         struct error *error);
    void (*discard)(struct device *device, struct kernel *kernel);
    // Where only some blocks of a grid run: says which those of this launch will be, so that they can be given data.
    // NULL: all blocks run.
    enum status (*choose_blocks)(struct device *device, struct kernel *kernel, const struct launch *launch,
                                 struct error *error);
    // The blocks of the launch that was chosen for, or made, last; NULL: all.
    const uint64_t *(*chosen_blocks)(const struct device *device, size_t *count);
    enum status (*launch)(struct device *device, struct stream *stream, struct kernel *kernel,
                          const struct launch *launch, struct error *error);

    // The kernels of a new stream go first where both want the same units.
    enum status (*stream_create)(struct device *device, struct stream **stream, struct error *error);
    void (*stream_destroy)(struct device *device, struct stream *stream);
    enum status (*synchronize)(struct device *device, struct stream *stream, struct error *error);
    // The driver's handle of the device's own stream (CUstream, hipStream_t), for libraries that take one.
    void *(*native_stream)(struct device *device);

    enum status (*event_create)(struct device *device, struct event **event, struct error *error);
    enum status (*event_record)(struct device *device, struct stream *stream, struct event *event, struct error *error);
    // The stream's later work waits for what the event recorded last, on any device of the backend.
    enum status (*event_wait)(struct device *device, struct stream *stream, struct event *event, struct error *error);
    // Nanoseconds from start to stop, both recorded and synchronized. On sim: the predicted time of the launches
    // between.
    enum status (*event_elapsed)(struct device *device, struct event *start, struct event *stop, double *nanoseconds,
                                 struct error *error);
    // The bounds of the launches between, summed, and what bounds most of it. NULL on backends that measure.
    struct launch_bound (*event_bound)(const struct event *start, const struct event *stop);
    void (*event_destroy)(struct device *device, struct event *event);

    // Counts of the last launch, on a backend that counts.
    enum status (*counts)(struct device *device, struct launch_counts *counts, struct error *error);
};

// The blocks of a launch that run, which has `grid` of them, one after the other: for (uint64_t i = 0, block; ...;
// i++).
static inline bool device_next_block(const struct device *device, uint64_t grid, uint64_t i, uint64_t *block) {
    size_t count = grid;
    const uint64_t *chosen =
        device->operations->chosen_blocks ? device->operations->chosen_blocks(device, &count) : NULL;
    *block = chosen && i < count ? chosen[i] : i;
    return i < (chosen ? count : grid);
}

struct backend {
    enum backend_kind kind;
    const char *name;    // "cuda", as --device names it
    const char *missing; // the headers that were not there when the program was built; NULL: it is whole
    // How many devices there are. Where none, *count is 0 and the error says why the backend is missing.
    enum status (*count)(uint32_t *count, struct error *error);
    // selector is what stood behind the colon ("0", "h200"), or NULL.
    enum status (*open)(const char *selector, struct device **device, struct error *error);
    // Where a library that is missing was looked for, one line, to be freed; NULL where none is missing. A backend that
    // needs no library has no such function.
    char *(*places)(void);
};

// ---- The front (device/device.c) ----

// A backend that was left out of the build is listed too, and backend_count says which headers were missing.
const struct backend *backend_of(enum backend_kind kind);
enum status backend_count(const struct backend *backend, uint32_t *count, struct error *error);

// A spec is "cuda", "cuda:1", "hip:0", "cpu", "sim:h200".
enum status device_open(const char *spec, struct device **device, struct error *error);
void device_close(struct device *device);

// Memory of the host in pages of its own, to be freed; NULL where there is not enough.
void *page_allocate(size_t bytes);

// Runs only about so many blocks of each grid, and scales what they count; 0: all. Only a simulated device does so.
static inline void device_simulate_blocks(struct device *device, uint64_t blocks) {
    device->info.simulated_blocks = device->info.backend == BACKEND_SIM ? blocks : 0;
}

// ---- The operations, in the device's own stream unless _in names another ----

static inline enum status device_allocate(struct device *device, size_t bytes, uint64_t *address, struct error *error) {
    return device->operations->allocate(device, bytes, address, error);
}

static inline void device_release(struct device *device, uint64_t address) {
    device->operations->release(device, address);
}

static inline enum status device_copy_to_device(struct device *device, uint64_t to, const void *from, size_t bytes,
                                                struct error *error) {
    return device->operations->copy_to_device(device, to, from, bytes, error);
}

static inline enum status device_copy_to_host(struct device *device, void *to, uint64_t from, size_t bytes,
                                              struct error *error) {
    return device->operations->copy_to_host(device, to, from, bytes, error);
}

static inline enum status device_copy_to_device_in(struct device *device, struct stream *stream, uint64_t to,
                                                   const void *from, size_t bytes, struct error *error) {
    return device->operations->copy_to_device_async(device, stream, to, from, bytes, error);
}

static inline enum status device_copy_to_host_in(struct device *device, struct stream *stream, void *to, uint64_t from,
                                                 size_t bytes, struct error *error) {
    return device->operations->copy_to_host_async(device, stream, to, from, bytes, error);
}

static inline enum status device_copy_on_device(struct device *device, uint64_t to, uint64_t from, size_t bytes,
                                                struct error *error) {
    return device->operations->copy_on_device(device, to, from, bytes, error);
}

static inline enum status device_copy_to_peer_in(struct device *from_device, struct stream *stream, uint64_t from,
                                                 struct device *to_device, uint64_t to, size_t bytes,
                                                 struct error *error) {
    return from_device->operations->copy_to_peer(from_device, stream, from, to_device, to, bytes, error);
}

static inline enum status device_copy_from_peer_in(struct device *to_device, struct stream *stream, uint64_t to,
                                                   struct device *from_device, uint64_t from, size_t bytes,
                                                   struct error *error) {
    return to_device->operations->copy_from_peer(to_device, stream, to, from_device, from, bytes, error);
}

static inline enum status device_copy_rows_in(struct device *device, struct stream *stream,
                                              const struct device_rows *rows, struct error *error) {
    return device->operations->copy_rows(device, stream, rows, error);
}

static inline enum status device_copy_rows(struct device *device, const struct device_rows *rows, struct error *error) {
    return device_copy_rows_in(device, NULL, rows, error);
}

static inline enum status device_fill(struct device *device, uint64_t address, uint8_t byte, size_t bytes,
                                      struct error *error) {
    return device->operations->fill(device, address, byte, bytes, error);
}

static inline bool device_has_links(const struct device *device) {
    return device->operations->link != NULL;
}

static inline void device_link(struct device *device, struct device *peer, struct device_link *link) {
    device->operations->link(device, peer, link);
}

static inline enum status device_reach(struct device *device, struct device *peer, struct error *error) {
    return device->operations->reach(device, peer, error);
}

static inline void device_bus(struct device *device, struct device_bus *bus) {
    device->operations->bus(device, bus);
}

static inline bool device_can_copy_on_device(const struct device *device) {
    return device->operations->copy_on_device != NULL;
}

static inline enum status device_pin(struct device *device, void *memory, size_t bytes, struct error *error) {
    return device->operations->pin(device, memory, bytes, error);
}

static inline void device_unpin(struct device *device, void *memory) {
    device->operations->unpin(device, memory);
}

static inline enum status device_allocate_pinned(struct device *device, size_t bytes, void **memory,
                                                 struct error *error) {
    return device->operations->allocate_pinned(device, bytes, memory, error);
}

static inline void device_release_pinned(struct device *device, void *memory) {
    device->operations->release_pinned(device, memory);
}

static inline enum status device_map(struct device *device, void *memory, uint64_t *address, struct error *error) {
    return device->operations->map(device, memory, address, error);
}

static inline enum status device_build(struct device *device, const struct kernel_request *request,
                                       struct kernel **kernel, struct error *error) {
    return device->operations->build(device, request, kernel, error);
}

static inline void device_discard(struct device *device, struct kernel *kernel) {
    device->operations->discard(device, kernel);
}

static inline enum status device_launch_in(struct device *device, struct stream *stream, struct kernel *kernel,
                                           const struct launch *launch, struct error *error) {
    return device->operations->launch(device, stream, kernel, launch, error);
}

static inline enum status device_launch(struct device *device, struct kernel *kernel, const struct launch *launch,
                                        struct error *error) {
    return device_launch_in(device, NULL, kernel, launch, error);
}

static inline enum status device_stream_create(struct device *device, struct stream **stream, struct error *error) {
    return device->operations->stream_create(device, stream, error);
}

static inline void device_stream_destroy(struct device *device, struct stream *stream) {
    device->operations->stream_destroy(device, stream);
}

static inline enum status device_synchronize_in(struct device *device, struct stream *stream, struct error *error) {
    return device->operations->synchronize(device, stream, error);
}

static inline enum status device_synchronize(struct device *device, struct error *error) {
    return device_synchronize_in(device, NULL, error);
}

// NULL on a backend without a driver.
static inline void *device_native_stream(struct device *device) {
    return device->operations->native_stream ? device->operations->native_stream(device) : NULL;
}

static inline enum status device_event_create(struct device *device, struct event **event, struct error *error) {
    return device->operations->event_create(device, event, error);
}

static inline enum status device_event_record_in(struct device *device, struct stream *stream, struct event *event,
                                                 struct error *error) {
    return device->operations->event_record(device, stream, event, error);
}

static inline enum status device_event_record(struct device *device, struct event *event, struct error *error) {
    return device_event_record_in(device, NULL, event, error);
}

static inline enum status device_event_wait_in(struct device *device, struct stream *stream, struct event *event,
                                               struct error *error) {
    return device->operations->event_wait(device, stream, event, error);
}

static inline enum status device_event_elapsed(struct device *device, struct event *start, struct event *stop,
                                               double *nanoseconds, struct error *error) {
    return device->operations->event_elapsed(device, start, stop, nanoseconds, error);
}

static inline void device_event_destroy(struct device *device, struct event *event) {
    device->operations->event_destroy(device, event);
}

static inline bool device_counts_launches(const struct device *device) {
    return device->operations->counts != NULL;
}

static inline enum status device_counts(struct device *device, struct launch_counts *counts, struct error *error) {
    return device->operations->counts(device, counts, error);
}

#endif
