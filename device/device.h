// A device runs a kernel somewhere: an NVIDIA or AMD GPU, this machine's CPU, or the simulator.
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/launch.h"
#include "model/gpus.h"
#include "util/error.h"

// ---- What is known of a device ----

// The facts about a device, which its backend sets when it opens it. A number is 0 and a text is empty where the fact
// is unknown.

enum {
    DEVICE_TEXT = 256,
    DATA_CACHES_MAX = 4
};

// In the order of listings.
enum backend_kind {
    BACKEND_CUDA,
    BACKEND_HIP,
    BACKEND_CPU,
    BACKEND_SIM,
    BACKEND_COUNT
};

// A cache that keeps data of the CPU's threads.
struct data_cache {
    uint32_t level; // 1, 2, ...
    uint64_t bytes;
    uint32_t line_bytes, ways;
    uint32_t sharers;         // processors that share it, including those that this process may not use
    uint32_t allowed_sharers; // those that it may use
};

// How the simulator runs a kernel: as C by the host's compiler, or as what a GPU's compiler makes of it.
enum device_via {
    VIA_C,
    VIA_PTX,
    VIA_AMDGCN
};

struct device_info {
    char spec[64]; // name for --device: "cuda:0", "sim:h200", "cpu"
    enum backend_kind backend;
    char name[DEVICE_TEXT];     // "NVIDIA H200"
    char arch[64];              // "sm_90", "gfx90a", "x86-64 avx512"
    char driver[DEVICE_TEXT];   // driver version and the path of its library
    char runtime[DEVICE_TEXT];  // library and version of the run-time compiler
    char compiler[DEVICE_TEXT]; // what compiles kernels for this device
    uint64_t memory_bytes;
    uint64_t memory_free_bytes;                     // when the device was opened
    uint64_t last_level_cache_bytes;                // capacity for programs; measured on the CPU
    uint64_t reported_cache_bytes;                  // cpu: the machine's own figure; elsewhere 0
    struct data_cache data_caches[DATA_CACHES_MAX]; // cpu: of the first processor that may be used, from the nearest on
    size_t data_cache_count;                        // elsewhere 0
    uint32_t compute_units;                         // SMs, CUs, or threads of the CPU backend
    uint32_t warp_width;                            // lanes; 1 on the CPU
    bool moves_pages;                               // of managed memory, to where they are accessed
    uint32_t max_block_threads;
    uint32_t shared_bytes_per_block;     // without opting in
    uint32_t shared_bytes_per_block_max; // after opting in
    double clock_mhz;                    // the vendor's or the driver's boost clock
    double time_counter_mhz;             // rate of time_counter() in a kernel; 0: there is no such timer
    double peak_gb_s;                    // memory's theoretical peak bandwidth
    bool predicted;                      // times come from a model, not from a clock
    uint64_t simulated_blocks;           // sim: only about this many blocks of a grid run; 0: all
    bool shows_progress;                 // sim: of long launches, on standard error
    enum device_via via;                 // sim: how kernels run
    const struct gpu *gpu;               // row in the model's table; NULL: none
};

static inline bool device_is_cpu(const struct device_info *info) {
    return info->backend == BACKEND_CPU;
}

static inline bool device_is_real_gpu(const struct device_info *info) {
    return info->backend == BACKEND_CUDA || info->backend == BACKEND_HIP;
}

// The most that caches may hold of what was touched. Guests share the cache of a CPU's host, so what one has of it at
// the start may grow to what the machine reports, which is believed up to the largest caches that cores share.
static inline uint64_t device_cache_bytes_max(const struct device_info *info) {
    const uint64_t most = UINT64_C(128) << 20;
    const uint64_t reported = info->reported_cache_bytes < most ? info->reported_cache_bytes : most;
    return reported > info->last_level_cache_bytes ? reported : info->last_level_cache_bytes;
}

// Bytes that may be allocated: the free memory, or all memory if the device does not know how much is free.
static inline uint64_t device_free_bytes(const struct device_info *info) {
    return info->memory_free_bytes ? info->memory_free_bytes : info->memory_bytes;
}

// ---- Operations ----

// NVIDIA's compute capability, such as 90; 0 of others.
unsigned device_sm(const struct device_info *info);

// The way of this name: "c", "ptx", "amdgcn"; VIA_C for NULL.
enum device_via device_via_named(const char *name);
const char *device_via_name(enum device_via via);

struct device;
struct kernel;
struct event;
struct stream;
struct launch_graph;

enum stream_priority {
    STREAM_AS_DEFAULT, // that of the device's default stream
    STREAM_SECOND, // its kernels' blocks run before the default stream's; where a device has no such level, as FIRST
    STREAM_FIRST   // its kernels' blocks run before those of other streams
};
struct device_operations;

// Notified of each launch on a real GPU while a vendor's profiler counts.
struct launch_watcher {
    // Whether the profiler should count this launch. A profiler that cannot be stopped counts all.
    bool (*counts)(struct launch_watcher *watcher, const char *entry, const struct launch *launch);
};

// Every backend's state begins with this.
struct device {
    const struct device_operations *operations;
    struct device_info info;
    struct launch_watcher *watcher; // NULL: none
    double quiet_s;                 // on clock_s: until then the driver may be clearing memory that was released
};

// The connection of two devices of one backend.
struct device_link {
    bool direct;    // kernels of one reach the other's memory; otherwise the driver copies through the host
    bool atomics;   // the link carries atomics on the other's memory
    int rank;       // the driver's rank of the link, 0 is the fastest; below 0: unknown
    char name[128]; // "NVLink", "PCIe, one host bridge"; empty: unknown
};

// A device's connection to the host. An unknown text is empty, and an unknown number is 0.
struct device_bus {
    char address[32]; // "0000:1a:00.0"
    int numa_node;    // node of the near memory; below 0: unknown
    double gt_s;      // 10^9 transfers per second and lane at the link's best speed; an idle link runs slower
    uint32_t lanes;
    double peak_gb_s; // of data in one direction, without packet headers
};

// Where memory lies that a device's kernels access.
enum memory_kind {
    MEMORY_DEVICE,
    MEMORY_POOL,   // the device's, from a pool that the driver allocates in the order of a stream
    MEMORY_PINNED, // the host's, which the device reaches through its link
    MEMORY_MANAGED // the driver moves its pages to where they are accessed
};

static inline bool memory_is_on_device(enum memory_kind kind) {
    return kind == MEMORY_DEVICE || kind == MEMORY_POOL;
}

// Rows copied to or from the host. On each side rows are pitch bytes apart.
struct device_rows {
    uint64_t device;
    size_t device_pitch;
    void *host;
    size_t host_pitch;
    size_t row_bytes, rows;
    bool to_host;
};

// What the model expects of some work.
struct prediction {
    double ns;
    struct launch_bound bound; // the summed lower bounds of the launches, and the resource that bounds most of them
};

// A backend fills this table, and leaves NULL what it lacks. The functions below call it. A backend whose calls return
// when their work is done has no use for streams, events and pinned memory; where these are NULL, the functions below
// do what remains to be done.
//
// A stream executes its work in order. Streams run concurrently unless one waits for another's event. A NULL stream is
// the device's default stream. Launches, copies on a device, copies to a peer and fills are asynchronous, and their
// faults may show only when the stream is synchronized.
struct device_operations {
    void (*close)(struct device *device);

    // Memory of any kind but MEMORY_PINNED; only GPUs have others than MEMORY_DEVICE.
    enum status (*allocate)(struct device *device, enum memory_kind kind, size_t bytes, uint64_t *address,
                            struct error *error);
    void (*release)(struct device *device, uint64_t address); // 0: nothing to release
    // Of managed memory: moves its pages to the device or to the host, in the default stream; has them stay on the
    // host, where the device accesses them through its link.
    enum status (*prefetch)(struct device *device, uint64_t address, size_t bytes, bool to_device, struct error *error);
    enum status (*keep_on_host)(struct device *device, uint64_t address, size_t bytes, struct error *error);
    // The host's memory must stay as it is until the stream is synchronized; only pinned memory is copied meanwhile.
    enum status (*copy_to_device)(struct device *device, struct stream *stream, uint64_t to, const void *from,
                                  size_t bytes, struct error *error);
    enum status (*copy_to_host)(struct device *device, struct stream *stream, void *to, uint64_t from, size_t bytes,
                                struct error *error);
    // The driver's copy within one device, with which gmem's copy is compared.
    enum status (*copy_on_device)(struct device *device, uint64_t to, uint64_t from, size_t bytes, struct error *error);
    // Copies between two devices of one backend. `device`, whose stream it is, is one of them.
    enum status (*copy_between)(struct device *device, struct stream *stream, struct device *from_device, uint64_t from,
                                struct device *to_device, uint64_t to, size_t bytes, struct error *error);
    // Returns when the rows have arrived.
    enum status (*copy_rows)(struct device *device, struct stream *stream, const struct device_rows *rows,
                             struct error *error);
    enum status (*fill)(struct device *device, uint64_t address, uint8_t byte, size_t bytes, struct error *error);
    void (*link)(struct device *device, struct device *peer, struct device_link *link);
    // Afterwards the device's kernels can load from and store to the peer's memory.
    enum status (*reach)(struct device *device, struct device *peer, struct error *error);
    void (*bus)(struct device *device, struct device_bus *bus);

    // Pins the host's memory, so that every device of this backend can copy from and to it directly. The memory must
    // come from page_allocate, so that no page is pinned twice.
    enum status (*pin)(struct device *device, void *memory, size_t bytes, struct error *error);
    void (*unpin)(struct device *device, void *memory);
    // Memory of the host that the driver allocates as pinned memory, for every device of this backend.
    enum status (*allocate_pinned)(struct device *device, size_t bytes, void **memory, struct error *error);
    void (*release_pinned)(struct device *device, void *memory);
    // The device address of pinned host memory of either kind.
    enum status (*map)(struct device *device, void *memory, uint64_t *address, struct error *error);

    // Compiles for this device. On failure the error holds the compiler's log and the parameters.
    enum status (*build)(struct device *device, const struct kernel_request *request, struct kernel **kernel,
                         struct error *error);
    void (*discard)(struct device *device, struct kernel *kernel); // NULL: nothing to discard
    // Predicts which blocks of this launch will run if only some do, so that they can be given data. NULL: all blocks
    // run.
    enum status (*choose_blocks)(struct device *device, struct kernel *kernel, const struct launch *launch,
                                 struct error *error);
    // The blocks of the last chosen or executed launch; NULL: all.
    const uint64_t *(*chosen_blocks)(const struct device *device, size_t *count);
    enum status (*launch)(struct device *device, struct stream *stream, struct kernel *kernel,
                          const struct launch *launch, struct error *error);
    // How many clusters of `blocks` of the launch's blocks the device runs at once. The kernel must be compiled for
    // such clusters. NULL: the backend has no clusters.
    enum status (*active_clusters)(struct device *device, struct kernel *kernel, const struct launch *launch,
                                   uint32_t blocks, uint32_t *clusters, struct error *error);

    enum status (*stream_create)(struct device *device, enum stream_priority priority, struct stream **stream,
                                 struct error *error);
    void (*stream_destroy)(struct device *device, struct stream *stream); // NULL: nothing to destroy
    enum status (*synchronize)(struct device *device, struct stream *stream, struct error *error);
    // The driver's handle of the device's default stream (CUstream, hipStream_t), for libraries that take one.
    void *(*native_stream)(struct device *device);

    enum status (*event_create)(struct device *device, struct event **event, struct error *error);
    enum status (*event_record)(struct device *device, struct stream *stream, struct event *event, struct error *error);
    // The stream's later work waits for the event's last recording, on any device of the backend.
    enum status (*event_wait)(struct device *device, struct stream *stream, struct event *event, struct error *error);
    // Whether the work before the event's last recording is complete. A fault of the device shows here.
    enum status (*event_done)(struct device *device, struct event *event, bool *done, struct error *error);
    // Nanoseconds from start to stop, both recorded and synchronized. NULL on backends that predict.
    enum status (*event_elapsed)(struct device *device, struct event *start, struct event *stop, double *nanoseconds,
                                 struct error *error);
    void (*event_destroy)(struct device *device, struct event *event); // NULL: nothing to destroy

    // Graphs of launches: work that is recorded once, and then launched as a whole. NULL: the backend has none.
    //
    // From capture_begin to capture_end, work in the default stream is only recorded, and so is work in streams that
    // wait for its events. Every event that a stream waits for must be recorded in between, too, and at the end the
    // default stream must wait for the others. Then each launch in the default stream does all the work. After
    // capture_begin succeeds, capture_end must follow even if the work in between fails.
    enum status (*capture_begin)(struct device *device, struct error *error);
    enum status (*capture_end)(struct device *device, struct launch_graph **graph, struct error *error);
    enum status (*graph_launch)(struct device *device, struct launch_graph *graph, struct error *error);
    void (*graph_destroy)(struct device *device, struct launch_graph *graph);

    // Forgets what earlier launches left in the caches. NULL on backends that measure.
    void (*forget_caches)(struct device *device);
    // The model's prediction for the launches, copies and fills from predict_begin on. NULL on backends that measure.
    void (*predict_begin)(struct device *device);
    struct prediction (*predict_end)(struct device *device);

    // Counts of the last launch, on a backend that counts.
    enum status (*counts)(struct device *device, struct launch_counts *counts, struct error *error);

    // How kernels run unless the user says it. NULL: as C.
    enum device_via (*usual_via)(const struct device *device);
    // Name and version of the GPU's compiler whose instructions run (device_run_via); empty if none does. NULL on
    // backends that only have one compiler.
    void (*instructions_by)(const struct device *device, char *text, size_t size);
};

// Iterates over the blocks of a launch that run, of `grid` in total: for (uint64_t i = 0, block; ...; i++).
static inline bool device_next_block(const struct device *device, uint64_t grid, uint64_t i, uint64_t *block) {
    size_t count = grid;
    const uint64_t *chosen =
        device->operations->chosen_blocks ? device->operations->chosen_blocks(device, &count) : NULL;
    *block = chosen && i < count ? chosen[i] : i;
    return i < (chosen ? count : grid);
}

struct backend {
    enum backend_kind kind;
    const char *name;    // "cuda", as in --device
    const char *missing; // headers that were missing at build time; NULL: none
    // The number of devices. If *count is 0, the error says why the backend has none.
    enum status (*count)(uint32_t *count, struct error *error);
    // selector is the text after the colon ("0", "h200"), or NULL.
    enum status (*open)(const char *selector, struct device **device, struct error *error);
    // The folders that were searched for a missing library, on one line, to be freed; NULL if no library is missing.
    // NULL for a backend that needs no library.
    char *(*places)(void);
};

// ---- The front (device/device.c) ----

// A backend that was left out of the build is listed too, and backend_count names the missing headers.
const struct backend *backend_of(enum backend_kind kind);
enum status backend_count(const struct backend *backend, uint32_t *count, struct error *error);

// A spec is "cuda", "cuda:1", "hip:0", "cpu", "sim:h200".
enum status device_open(const char *spec, struct device **device, struct error *error);
void device_close(struct device *device); // NULL: nothing to close

// Memory of any kind. *host is what device_release_kind needs beside the address.
enum status device_allocate_kind(struct device *device, enum memory_kind kind, size_t bytes, uint64_t *address,
                                 void **host, struct error *error);
void device_release_kind(struct device *device, uint64_t address, void *host);

// Memory of the host in separate pages, to be freed; NULL if memory is short.
void *page_allocate(size_t bytes);

// The same, touched by the calling thread and pinned for the device's copies; the cure is what to do where memory is
// short. *memory stays as it is if this fails.
enum status page_allocate_pinned(struct device *device, size_t bytes, const char *cure, void **memory,
                                 struct error *error);
void page_release_pinned(struct device *device, void *memory); // NULL: nothing to release

// Runs only about this many blocks of each grid, and scales the counts; 0: all. Only a simulated device does so.
static inline void device_simulate_blocks(struct device *device, uint64_t blocks) {
    device->info.simulated_blocks = device->info.backend == BACKEND_SIM ? blocks : 0;
}

// Lets long launches tell on standard error how much is done. Only a simulated device does so.
static inline void device_show_progress(struct device *device, bool shown) {
    device->info.shows_progress = device->info.backend == BACKEND_SIM && shown;
}

static inline enum device_via device_usual_via(const struct device *device) {
    return device->operations->usual_via ? device->operations->usual_via(device) : VIA_C;
}

// How kernels run on a simulated device.
static inline void device_run_via(struct device *device, enum device_via via) {
    device->info.via = device->info.backend == BACKEND_SIM ? via : VIA_C;
}

static inline void device_instructions_by(const struct device *device, char *text, size_t size) {
    *text = '\0';
    if (device->operations->instructions_by) {
        device->operations->instructions_by(device, text, size);
    }
}

// ---- The operations, in the device's default stream unless _in names another ----

static inline enum status device_allocate(struct device *device, size_t bytes, uint64_t *address, struct error *error) {
    return device->operations->allocate(device, MEMORY_DEVICE, bytes, address, error);
}

static inline void device_release(struct device *device, uint64_t address) {
    device->operations->release(device, address);
}

static inline void device_release_each(struct device *device, const uint64_t *addresses, size_t count) {
    for (size_t i = 0; i < count; i++) {
        device_release(device, addresses[i]);
    }
}

// The same for a list of addresses.
#define DEVICE_RELEASE(device, ...)                                                                                    \
    device_release_each(device, (const uint64_t[]){__VA_ARGS__},                                                       \
                        sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static inline enum status device_synchronize_in(struct device *device, struct stream *stream, struct error *error) {
    return device->operations->synchronize ? device->operations->synchronize(device, stream, error) : STATUS_OK;
}

static inline enum status device_synchronize(struct device *device, struct error *error) {
    return device_synchronize_in(device, NULL, error);
}

static inline enum status device_copy_to_device_in(struct device *device, struct stream *stream, uint64_t to,
                                                   const void *from, size_t bytes, struct error *error) {
    return device->operations->copy_to_device(device, stream, to, from, bytes, error);
}

static inline enum status device_copy_to_host_in(struct device *device, struct stream *stream, void *to, uint64_t from,
                                                 size_t bytes, struct error *error) {
    return device->operations->copy_to_host(device, stream, to, from, bytes, error);
}

// Return when the bytes have arrived.
static inline enum status device_copy_to_device(struct device *device, uint64_t to, const void *from, size_t bytes,
                                                struct error *error) {
    TRY(device_copy_to_device_in(device, NULL, to, from, bytes, error));
    return device_synchronize(device, error);
}

static inline enum status device_copy_to_host(struct device *device, void *to, uint64_t from, size_t bytes,
                                              struct error *error) {
    TRY(device_copy_to_host_in(device, NULL, to, from, bytes, error));
    return device_synchronize(device, error);
}

static inline enum status device_copy_on_device(struct device *device, uint64_t to, uint64_t from, size_t bytes,
                                                struct error *error) {
    return device->operations->copy_on_device(device, to, from, bytes, error);
}

static inline enum status device_copy_to_peer_in(struct device *from_device, struct stream *stream, uint64_t from,
                                                 struct device *to_device, uint64_t to, size_t bytes,
                                                 struct error *error) {
    return from_device->operations->copy_between(from_device, stream, from_device, from, to_device, to, bytes, error);
}

static inline enum status device_copy_from_peer_in(struct device *to_device, struct stream *stream, uint64_t to,
                                                   struct device *from_device, uint64_t from, size_t bytes,
                                                   struct error *error) {
    return to_device->operations->copy_between(to_device, stream, from_device, from, to_device, to, bytes, error);
}

enum status device_copy_rows_in(struct device *device, struct stream *stream, const struct device_rows *rows,
                                struct error *error);

static inline enum status device_copy_rows(struct device *device, const struct device_rows *rows, struct error *error) {
    return device_copy_rows_in(device, NULL, rows, error);
}

static inline enum status device_fill(struct device *device, uint64_t address, uint8_t byte, size_t bytes,
                                      struct error *error) {
    return device->operations->fill(device, address, byte, bytes, error);
}

enum {
    DEVICE_POISON = 0xA5 // of memory whose content a launch must overwrite
};

static inline enum status device_poison(struct device *device, uint64_t address, size_t bytes, struct error *error) {
    return device_fill(device, address, DEVICE_POISON, bytes, error);
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
    return device->operations->pin ? device->operations->pin(device, memory, bytes, error) : STATUS_OK;
}

static inline void device_unpin(struct device *device, void *memory) {
    if (device->operations->unpin) {
        device->operations->unpin(device, memory);
    }
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

static inline enum status device_stream_create(struct device *device, enum stream_priority priority,
                                               struct stream **stream, struct error *error) {
    if (device->operations->stream_create) {
        return device->operations->stream_create(device, priority, stream, error);
    }
    *stream = (struct stream *)(void *)device; // a stream has no state, so any pointer stands for it
    return STATUS_OK;
}

static inline void device_stream_destroy(struct device *device, struct stream *stream) {
    if (device->operations->stream_destroy) {
        device->operations->stream_destroy(device, stream);
    }
}

// NULL on a backend without a driver.
static inline void *device_native_stream(struct device *device) {
    return device->operations->native_stream ? device->operations->native_stream(device) : NULL;
}

static inline enum status device_event_create(struct device *device, struct event **event, struct error *error) {
    if (device->operations->event_create) {
        return device->operations->event_create(device, event, error);
    }
    *event = (struct event *)(void *)device; // likewise
    return STATUS_OK;
}

static inline enum status device_event_record_in(struct device *device, struct stream *stream, struct event *event,
                                                 struct error *error) {
    return device->operations->event_record ? device->operations->event_record(device, stream, event, error)
                                            : STATUS_OK;
}

static inline enum status device_event_record(struct device *device, struct event *event, struct error *error) {
    return device_event_record_in(device, NULL, event, error);
}

static inline enum status device_event_wait_in(struct device *device, struct stream *stream, struct event *event,
                                               struct error *error) {
    return device->operations->event_wait ? device->operations->event_wait(device, stream, event, error) : STATUS_OK;
}

static inline enum status device_event_done(struct device *device, struct event *event, bool *done,
                                            struct error *error) {
    if (device->operations->event_done) {
        return device->operations->event_done(device, event, done, error);
    }
    *done = true;
    return STATUS_OK;
}

static inline enum status device_event_elapsed(struct device *device, struct event *start, struct event *stop,
                                               double *nanoseconds, struct error *error) {
    return device->operations->event_elapsed(device, start, stop, nanoseconds, error);
}

static inline void device_forget_caches(struct device *device) {
    if (device->operations->forget_caches) {
        device->operations->forget_caches(device);
    }
}

static inline void device_predict_begin(struct device *device) {
    device->operations->predict_begin(device);
}

static inline struct prediction device_predict_end(struct device *device) {
    return device->operations->predict_end(device);
}

static inline void device_event_destroy(struct device *device, struct event *event) {
    if (device->operations->event_destroy) {
        device->operations->event_destroy(device, event);
    }
}

static inline bool device_has_graphs(const struct device *device) {
    return device->operations->capture_begin != NULL;
}

static inline enum status device_capture_begin(struct device *device, struct error *error) {
    return device->operations->capture_begin(device, error);
}

static inline enum status device_capture_end(struct device *device, struct launch_graph **graph, struct error *error) {
    return device->operations->capture_end(device, graph, error);
}

static inline enum status device_graph_launch(struct device *device, struct launch_graph *graph, struct error *error) {
    return device->operations->graph_launch(device, graph, error);
}

static inline void device_graph_destroy(struct device *device, struct launch_graph *graph) {
    if (graph) {
        device->operations->graph_destroy(device, graph);
    }
}

static inline bool device_counts_launches(const struct device *device) {
    return device->operations->counts != NULL;
}

static inline enum status device_counts(struct device *device, struct launch_counts *counts, struct error *error) {
    return device->operations->counts(device, counts, error);
}

// The backends, each defined only if it is part of the build: with HAVE_CUDA, with HAVE_HIP, always, with HAVE_SIM.
extern const struct backend cuda_backend, hip_backend, cpu_backend, sim_backend;

#endif
