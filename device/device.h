// A device runs a kernel somewhere: an NVIDIA or AMD GPU, this machine's CPU, or the simulator.
// Every backend fills the same table of operations; an operation that a backend cannot do is NULL.
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/gpus.h"
#include "util/error.h"

enum {
    DEVICE_TEXT = 256
};

// What is known of a device; a number that is not known is 0, a text that is not known is empty.
struct device_info {
    char spec[64];              // how --device names it: "cuda:0", "sim:h200", "cpu"
    char backend[8];            // "cuda", "hip", "cpu", "sim"
    char name[DEVICE_TEXT];     // "NVIDIA H200"
    char arch[64];              // "sm_90", "gfx90a", "x86-64 avx512"
    char driver[DEVICE_TEXT];   // driver version and the library file that was taken
    char runtime[DEVICE_TEXT];  // run-time compiler's library and version
    char compiler[DEVICE_TEXT]; // what compiles kernels for this device
    uint64_t memory_bytes;
    uint64_t memory_free_bytes;
    uint64_t last_level_cache_bytes; // what can be held in it: cpu: as measured
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
    uint64_t simulated_blocks;           // sim: only the first so many blocks of a grid run; 0: all
    const struct gpu *gpu;               // its row in the model's table; NULL if it has none
};

static inline bool device_is_cpu(const struct device_info *info) {
    return strcmp(info->backend, "cpu") == 0;
}

// What may be allocated: all memory where the device does not tell how much of it is free.
static inline uint64_t device_free_bytes(const struct device_info *info) {
    return info->memory_free_bytes ? info->memory_free_bytes : info->memory_bytes;
}

// A kernel's text, as embedded in the program at build time.
struct kernel_source {
    const char *file_name; // "gmem/gmem.cu", for messages and source lines
    const char *text;      // NUL-terminated
};

struct dimensions {
    uint32_t x, y, z;
};

enum argument_type {
    ARGUMENT_POINTER,
    ARGUMENT_I32,
    ARGUMENT_U32,
    ARGUMENT_I64,
    ARGUMENT_U64,
    ARGUMENT_F32,
    ARGUMENT_F64
};

struct argument {
    enum argument_type type;
    union {
        uint64_t pointer; // a device address
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } value;
};

static inline struct argument argument_pointer(uint64_t address) {
    return (struct argument){ARGUMENT_POINTER, {.pointer = address}};
}

static inline struct argument argument_u32(uint32_t value) {
    return (struct argument){ARGUMENT_U32, {.u32 = value}};
}

static inline struct argument argument_u64(uint64_t value) {
    return (struct argument){ARGUMENT_U64, {.u64 = value}};
}

struct launch {
    struct dimensions grid, block;
    uint32_t dynamic_shared_bytes;
    const struct argument *arguments; // must match the kernel's parameters in number and type
    size_t argument_count;
};

// The same work in C for the CPU backend; arguments' pointers are host addresses there.
typedef void native_kernel(const struct launch *launch);

struct kernel_constant {
    const char *name; // becomes -Dname=value
    int64_t value;
};

struct kernel_request {
    const struct kernel_source *source;
    const char *entry;                       // the __global__ function
    const struct kernel_constant *constants; // besides these every backend defines WARP_WIDTH
    size_t constant_count;
    native_kernel *native; // NULL where the CPU has no such variant
};

// What one launch asked of one memory space, counted by the simulator over the whole grid (scaled up
// where only some blocks ran).
struct memory_counts {
    double requests;     // warp-wide instructions
    double lane_bytes;   // active lanes * width, summed
    double sectors;      // global: least units moved (32 bytes on NVIDIA, a line on AMD)
    double lines;        // global: cache lines
    double passes;       // shared: trips through the data stage
    double conflicts;    // shared: as the vendor's profiler counts bank conflicts
    double unique_bytes; // shared: distinct bytes touched, per request, summed
};

struct launch_counts {
    struct memory_counts global_load, global_store; // an atomic counts as a store
    struct memory_counts shared_load, shared_store;
    double warps;
    double instructions;       // warp-wide steps: memory requests, barriers, shuffles, branches
    double lane_steps;         // active lanes, summed over instructions
    double branches;           // warp-wide branches
    double barriers;           // warp-wide block barriers
    double device_read_bytes;  // what loads fetch, and sectors that stores fill in part: from memory at least
    double device_write_bytes; // distinct sectors written
    double predicted_ns;
    const char *bound; // which resource the prediction is bound by: "memory", "L2", "shared memory", "issue"
};

struct device;
struct kernel;
struct event;
struct stream;
struct device_operations;

// Every backend's state begins with this.
struct device {
    const struct device_operations *operations;
    struct device_info info;
    // What goes asynchronously to the device from now on goes into this stream; NULL: into the one that every device
    // has. A stream's work is done in its order; streams go side by side, but where one waits for another's event.
    struct stream *stream;
};

// How two devices of one backend are joined.
struct device_link {
    bool direct;    // one reaches the other's memory itself; else the driver copies through the host
    char name[128]; // "NVLink", "PCIe, one host bridge"; empty: not known
};

// Rows that are copied from the host or to it; at each end from a row to the next are pitch bytes.
struct device_rows {
    uint64_t device;
    size_t device_pitch;
    void *host;
    size_t host_pitch;
    size_t row_bytes, rows;
    bool to_host;
};

struct device_operations {
    const char *name; // the backend's

    // How many devices there are. Where none, *count is 0 and the error says why the backend is missing.
    enum status (*count)(uint32_t *count, struct error *error);

    // selector is what stood behind the colon ("0", "h200"), or NULL.
    enum status (*open)(const char *selector, struct device **device, struct error *error);
    void (*close)(struct device *device);

    enum status (*allocate)(struct device *device, size_t bytes, uint64_t *address, struct error *error);
    void (*release)(struct device *device, uint64_t address);
    enum status (*copy_to_device)(struct device *device, uint64_t to, const void *from, size_t bytes,
                                  struct error *error);
    enum status (*copy_to_host)(struct device *device, void *to, uint64_t from, size_t bytes, struct error *error);
    // The same without waiting for it: the host's memory is pinned, and is left alone until then.
    enum status (*copy_to_device_async)(struct device *device, uint64_t to, const void *from, size_t bytes,
                                        struct error *error);
    enum status (*copy_to_host_async)(struct device *device, void *to, uint64_t from, size_t bytes,
                                      struct error *error);
    // The driver's own copy inside one device: the yardstick of gmem's copy. Asynchronous, like a launch.
    enum status (*copy_on_device)(struct device *device, uint64_t to, uint64_t from, size_t bytes, struct error *error);
    // Between two devices of one backend, in the stream of the one that it comes from. Asynchronous.
    enum status (*copy_peer)(struct device *to_device, uint64_t to, struct device *from_device, uint64_t from,
                             size_t bytes, struct error *error);
    enum status (*fill)(struct device *device, uint64_t address, uint8_t byte, size_t bytes, struct error *error);
    void (*link)(struct device *device, struct device *peer, struct device_link *link);

    enum status (*copy_rows)(struct device *device, const struct device_rows *rows, struct error *error);

    // Memory of the host stays where it is, so that devices of this backend copy from and to it themselves. It is of
    // page_allocate: no page is pinned twice.
    enum status (*pin)(struct device *device, void *memory, size_t bytes, struct error *error);
    void (*unpin)(struct device *device, void *memory);

    // Compiles for this very device. On failure the error holds the compiler's log and the parameters.
    enum status (*build)(struct device *device, const struct kernel_request *request, struct kernel **kernel,
                         struct error *error);
    void (*discard)(struct device *device, struct kernel *kernel);
    // Asynchronous; faults may show at the next synchronize, which waits for the stream.
    enum status (*launch)(struct device *device, struct kernel *kernel, const struct launch *launch,
                          struct error *error);
    enum status (*synchronize)(struct device *device, struct error *error);

    // A stream beside the device's own; its kernels go first where both want the same units.
    enum status (*stream_create)(struct device *device, struct stream **stream, struct error *error);
    void (*stream_destroy)(struct device *device, struct stream *stream);

    enum status (*event_create)(struct device *device, struct event **event, struct error *error);
    enum status (*event_record)(struct device *device, struct event *event, struct error *error);
    // What goes into the stream from now on waits for what was recorded last, by any device of the backend.
    enum status (*event_wait)(struct device *device, struct event *event, struct error *error);
    // Nanoseconds from start to stop, both recorded and synchronized. On sim: the predicted time of the launches
    // between.
    enum status (*event_elapsed)(struct device *device, struct event *start, struct event *stop, double *nanoseconds,
                                 struct error *error);
    void (*event_destroy)(struct device *device, struct event *event);

    // The driver's own stream (CUstream, hipStream_t) that launches go into, for libraries that take one. NULL on
    // backends without a driver.
    void *(*native_stream)(struct device *device);

    // Counts of the last launch. NULL on backends that do not count.
    enum status (*counts)(struct device *device, struct launch_counts *counts, struct error *error);
};

// Common front (device/device.c). A spec is "cuda", "cuda:1", "hip:0", "cpu", "sim:h200".
enum status device_open(const char *spec, struct device **device, struct error *error);
void device_close(struct device *device);

// All backends, NULL at the end, in the order in which they are listed: cuda, hip, cpu, sim.
// A backend left out at build time still has a row: its count says so.
extern const struct device_operations *const device_backends[];

// Memory of the host in pages of its own, to be freed; NULL where there is not enough.
void *page_allocate(size_t bytes);

// Settings of the simulator, set before devices are opened; 0 blocks: all. A real backend ignores them.
void device_simulate_blocks(uint64_t blocks);

#endif
