// A vendor's driver as a table of calls. CUDA's driver API and HIP's module API mirror each other, so gpu.c uses only
// this table, and cuda.c and hip.c fill it.
//
// A call returns the vendor's result, an int; 0 is success for both. Streams, events, modules and functions are the
// vendor's handles, which are pointers for both. Sizes are in bytes.
#ifndef DEVICE_GPU_DRIVER_H
#define DEVICE_GPU_DRIVER_H

#include "device/device.h"
#include "device/gpu/compile.h"

// Properties of a device that the driver reports as whole numbers.
enum gpu_attribute {
    GPU_COMPUTE_UNITS,
    GPU_WARP_WIDTH,
    GPU_BLOCK_THREADS,
    GPU_SHARED_BYTES,
    GPU_SHARED_BYTES_MAX,
    GPU_CLOCK_KHZ,
    GPU_MEMORY_CLOCK_KHZ,
    GPU_MEMORY_BUS_BITS,
    GPU_L2_BYTES,
    GPU_MOVES_PAGES, // of managed memory, when the host or the device accesses them: 0 or 1
    GPU_ATTRIBUTE_COUNT
};

// The context of calls: CUDA's context, HIP's ordinal.
struct gpu_context {
    int ordinal;
    void *handle; // CUDA's; NULL on HIP
};

// The calls that take the same arguments for both vendors, whose functions differ only by their prefix, cu or hip:
// F(name, function, parameters, arguments), with the arguments as the vendor's function takes them. pointer() turns an
// address into the vendor's type.
#define DRIVER_CALLS(F, prefix)                                                                                        \
    F(initialise, prefix##Init, (unsigned flags), (flags))                                                             \
    F(device_name, prefix##DeviceGetName, (char *name, int size, int ordinal), (name, size, ordinal))                  \
    F(pci_address, prefix##DeviceGetPCIBusId, (char *address, int size, int ordinal), (address, size, ordinal))        \
    F(memory_info, prefix##MemGetInfo, (size_t * free_bytes, size_t * bytes), (free_bytes, bytes))                     \
    F(copy_to_device, prefix##MemcpyHtoDAsync, (uint64_t to, const void *from, size_t bytes, void *stream),            \
      (pointer(to), (void *)(uintptr_t)from, bytes, stream))                                                           \
    F(copy_to_host, prefix##MemcpyDtoHAsync, (void *to, uint64_t from, size_t bytes, void *stream),                    \
      (to, pointer(from), bytes, stream))                                                                              \
    F(copy_on_device, prefix##MemcpyDtoDAsync, (uint64_t to, uint64_t from, size_t bytes, void *stream),               \
      (pointer(to), pointer(from), bytes, stream))                                                                     \
    F(fill, prefix##MemsetD8Async, (uint64_t address, uint8_t byte, size_t bytes, void *stream),                       \
      (pointer(address), byte, bytes, stream))                                                                         \
    F(unload_module, prefix##ModuleUnload, (void *module), (module))                                                   \
    F(stream_destroy, prefix##StreamDestroy, (void *stream), (stream))                                                 \
    F(stream_synchronize, prefix##StreamSynchronize, (void *stream), (stream))                                         \
    F(event_destroy, prefix##EventDestroy, (void *event), (event))                                                     \
    F(event_record, prefix##EventRecord, (void *event, void *stream), (event, stream))                                 \
    F(event_wait, prefix##StreamWaitEvent, (void *stream, void *event), (stream, event, 0))                            \
    F(event_query, prefix##EventQuery, (void *event), (event))                                                         \
    F(event_elapsed, prefix##EventElapsedTime, (float *milliseconds, void *start, void *stop),                         \
      (milliseconds, start, stop))

#define DRIVER_MEMBER(name, function, parameters, arguments) int(*name) parameters;

struct gpu_driver {
    enum backend_kind backend;
    const char *name; // "cuda"
    struct library_table *library;
    const struct gpu_compiler *compiler;
    int out_of_memory;                  // the result for lack of memory
    int not_ready;                      // the result of event_query while work is under way
    int not_supported;                  // the result for what a device or driver lacks
    const char *doubled_archs;          // begin so: those whose memory makes two transfers per clock that it reports
    bool (*refused_launch)(int result); // the launch exceeds a block's limits

    void (*version)(char *text, size_t size); // "CUDA 13.0"
    int (*major)(void);                       // the version that the compiler must suit; NULL: any suits
    const char *(*error_name)(int result);
    const char *(*error_text)(int result);

    DRIVER_CALLS(DRIVER_MEMBER, ) // those above
    int (*device_count)(int *count);
    const int *attributes;                           // the vendor's, by enum gpu_attribute
    int (*attribute_of)(int ordinal, int attribute); // 0 if the driver does not know
    // Sets the driver's facts about the link, and its name unless it is PCI Express.
    void (*link)(int ordinal, int peer, struct device_link *link);
    // Writes the arch in the compiler's form ("sm_90", "gfx90a:sramecc+:xnack-") to target, its short form to info.
    enum status (*find_target)(struct device_info *info, int ordinal, char *target, size_t size, struct error *error);
    double (*time_counter_mhz)(int ordinal);

    int (*open_context)(struct gpu_context *context);   // NULL: a device needs none
    void (*close_context)(struct gpu_context *context); // likewise
    int (*enter)(const struct gpu_context *context);    // makes it the context of this thread's later calls
    int (*enable_peer)(const struct gpu_context *peer); // also 0 if it was enabled before

    int (*allocate)(uint64_t *address, size_t bytes);
    int (*allocate_managed)(uint64_t *address, size_t bytes);
    int (*allocate_pool)(uint64_t *address, size_t bytes, void *stream); // not_supported by older drivers
    // Of managed memory: moves its pages to the device or the host, and has them stay on the host though the device
    // accesses them. Older drivers lack the functions; then these return not_supported.
    int (*prefetch)(const struct gpu_context *context, uint64_t address, size_t bytes, bool to_device, void *stream);
    int (*keep_on_host)(const struct gpu_context *context, uint64_t address, size_t bytes);
    int (*release)(uint64_t address);
    int (*pin)(void *memory, size_t bytes); // for every device of the vendor
    int (*unpin)(void *memory);
    int (*allocate_pinned)(void **memory, size_t bytes); // for every device of the vendor
    int (*release_pinned)(void *memory);
    int (*map)(uint64_t *address, void *memory);
    int (*copy_to_peer)(uint64_t to, const struct gpu_context *to_context, uint64_t from,
                        const struct gpu_context *from_context, size_t bytes, void *stream);
    int (*copy_rows)(const struct device_rows *rows, void *stream);

    int (*load_module)(void **module, const void *code);
    int (*find_function)(void **function, void *module, const char *entry);
    int (*allow_shared)(void *function, int bytes); // NULL: a block may use all of it without a request
    int (*launch)(void *function, const struct launch *launch, void *stream, void **parameters);
    // Clusters of so many blocks that run at once; NULL: the vendor has none.
    int (*active_clusters)(void *function, const struct launch *launch, uint32_t blocks, uint32_t *clusters);
    int (*profile)(bool on); // whether a profiler counts launches; NULL: it counts all

    int (*stream_create)(void **stream);
    int (*stream_create_prior)(void **stream, enum stream_priority priority);
    int (*event_create)(void **event);

    // Graphs of launches. Older drivers lack some of these functions; then capture_begin returns not_supported.
    int (*capture_begin)(void *stream); // of this thread's work
    int (*capture_end)(void **graph, void *stream);
    int (*graph_instantiate)(void **executable, void *graph);
    int (*graph_launch)(void *executable, void *stream);
    int (*graph_destroy)(void *graph);
    int (*executable_destroy)(void *executable);
};

extern const struct gpu_driver cuda_driver, hip_driver;

// The number of a priority above the default stream's, which is 0. Smaller numbers are higher priorities; a device may
// have only one of them.
static inline int gpu_priority(int highest, enum stream_priority priority) {
    return priority == STREAM_SECOND && highest < -1 ? highest + 1 : highest;
}

// For cuda.c and hip.c, in which NOT_SUPPORTED is the result for what a driver lacks: functions that each calls in its
// own way.
#define DRIVER_FUNCTIONS(F, prefix)                                                                                    \
    F(version, prefix##DriverGetVersion)                                                                               \
    F(error_name, prefix##GetErrorName)                                                                                \
    F(error_text, prefix##GetErrorString)                                                                              \
    F(attribute, prefix##DeviceGetAttribute)                                                                           \
    F(peer_attribute, prefix##DeviceGetP2PAttribute)                                                                   \
    F(copy_rows, prefix##Memcpy2DAsync)                                                                                \
    F(copy_to_peer, prefix##MemcpyPeerAsync)                                                                           \
    F(load_module, prefix##ModuleLoadData)                                                                             \
    F(find_function, prefix##ModuleGetFunction)                                                                        \
    F(stream_create_prior, prefix##StreamCreateWithPriority)

// Those that older drivers lack.
#define DRIVER_GRAPH_FUNCTIONS(F, prefix)                                                                              \
    F(capture_begin, prefix##StreamBeginCapture)                                                                       \
    F(capture_end, prefix##StreamEndCapture)                                                                           \
    F(graph_instantiate, prefix##GraphInstantiateWithFlags)                                                            \
    F(graph_launch, prefix##GraphLaunch)                                                                               \
    F(graph_destroy, prefix##GraphDestroy)                                                                             \
    F(executable_destroy, prefix##GraphExecDestroy)

// These macros turn a row of calls into the pointer, its symbol, the call and its place in the table.
#define DRIVER_FIELD(name, function, parameters, arguments) LIBRARY_FIELD(name, function)
#define DRIVER_SYMBOL(name, function, parameters, arguments) {LIBRARY_STRING(function), #function, false},
#define DRIVER_CALL(name, function, parameters, arguments)                                                             \
    static int call_##name parameters {                                                                                \
        return (int)calls.name arguments;                                                                              \
    }
#define DRIVER_ROW(name, function, parameters, arguments) .name = call_##name,

// The functions of the driver, from the lists SHARED_CALLS, of such rows, and OWN_CALLS and OPTIONAL_CALLS, of
// F(name, function), and the library that they come from.
#define DRIVER_LIBRARY(search)                                                                                         \
    static struct calls { SHARED_CALLS(DRIVER_FIELD) OWN_CALLS(LIBRARY_FIELD) OPTIONAL_CALLS(LIBRARY_FIELD) } calls;   \
    static const struct library_symbol symbols[] = {SHARED_CALLS(DRIVER_SYMBOL) OWN_CALLS(LIBRARY_SYMBOL)              \
                                                        OPTIONAL_CALLS(LIBRARY_OPTIONAL_SYMBOL)};                      \
    static struct library_table library = {LIBRARY_TABLE(search, symbols, calls)};

// A call that creates a handle of the vendor's type and writes it to *to.
#define DRIVER_MAKE(name, handle, parameters, to, arguments)                                                           \
    static int name parameters {                                                                                       \
        handle made = NULL;                                                                                            \
        const int result = (int)calls.name arguments;                                                                  \
        *(to) = made;                                                                                                  \
        return result;                                                                                                 \
    }

// A call that writes an address, of the vendor's type. Older drivers lack some of the functions.
#define DRIVER_ADDRESS(name, type, parameters, arguments)                                                              \
    static int name parameters {                                                                                       \
        type made = 0;                                                                                                 \
        const int result = calls.name ? (int)calls.name arguments : NOT_SUPPORTED;                                     \
        *address = (uintptr_t)made;                                                                                    \
        return result;                                                                                                 \
    }

// The calls that allocate memory, and that map the host's.
#define DRIVER_MEMORY_CALLS(type, managed)                                                                             \
    DRIVER_ADDRESS(allocate, type, (uint64_t * address, size_t bytes), (&made, bytes))                                 \
    DRIVER_ADDRESS(allocate_pool, type, (uint64_t * address, size_t bytes, void *stream), (&made, bytes, stream))      \
    DRIVER_ADDRESS(allocate_managed, type, (uint64_t * address, size_t bytes), (&made, bytes, managed))                \
    DRIVER_ADDRESS(map, type, (uint64_t * address, void *memory), (&made, memory, 0))

// The calls that create streams and events.
#define DRIVER_STREAM_CALLS(stream_type, event_type, not_blocking)                                                     \
    DRIVER_MAKE(stream_create, stream_type, (void **stream), stream, (&made, not_blocking))                            \
    DRIVER_MAKE(event_create, event_type, (void **event), event, (&made, 0))                                           \
    static int stream_create_prior(void **stream, enum stream_priority priority) {                                     \
        int lowest = 0, highest = 0;                                                                                   \
        stream_type made = NULL;                                                                                       \
        int result = (int)calls.stream_priorities(&lowest, &highest);                                                  \
        THEN(result, (int)calls.stream_create_prior(&made, not_blocking, gpu_priority(highest, priority)));            \
        *stream = made;                                                                                                \
        return result;                                                                                                 \
    }

// A flag of both vendors: a graph's kernels keep the priorities of the streams that they were recorded in.
enum {
    GPU_GRAPH_PRIORITIES = 8
};

// The calls for graphs, of whose functions all are there or none.
#define DRIVER_HAS(name, function) calls.name &&
#define DRIVER_GRAPH_CALLS(prefix, graph_type, executable_type, of_thread)                                             \
    static int capture_begin(void *stream) {                                                                           \
        const bool has_graphs = DRIVER_GRAPH_FUNCTIONS(DRIVER_HAS, prefix) true;                                       \
        return has_graphs ? (int)calls.capture_begin(stream, of_thread) : NOT_SUPPORTED;                               \
    }                                                                                                                  \
    DRIVER_MAKE(capture_end, graph_type, (void **graph, void *stream), graph, (stream, &made))                         \
    DRIVER_MAKE(graph_instantiate, executable_type, (void **executable, void *graph), executable,                      \
                (&made, graph, GPU_GRAPH_PRIORITIES))                                                                  \
    static int graph_launch(void *executable, void *stream) {                                                          \
        return (int)calls.graph_launch(executable, stream);                                                            \
    }                                                                                                                  \
    static int graph_destroy(void *graph) {                                                                            \
        return (int)calls.graph_destroy(graph);                                                                        \
    }                                                                                                                  \
    static int executable_destroy(void *executable) {                                                                  \
        return (int)calls.executable_destroy(executable);                                                              \
    }

// The calls that cuda.c and hip.c define under the same names.
#define DRIVER_OWN_ROWS                                                                                                \
    .library = &library, .not_supported = NOT_SUPPORTED, .refused_launch = refused_launch, .version = version,         \
    .error_name = error_name, .error_text = error_text, .attributes = attributes, .attribute_of = attribute_of,        \
    .link = link_of, .find_target = find_target, .time_counter_mhz = time_counter_mhz, .enter = enter,                 \
    .enable_peer = enable_peer, .allocate = allocate, .allocate_managed = allocate_managed,                            \
    .allocate_pool = allocate_pool, .prefetch = prefetch, .keep_on_host = keep_on_host, .map = map,                    \
    .copy_to_peer = copy_to_peer, .copy_rows = copy_rows, .load_module = load_module, .find_function = find_function,  \
    .launch = launch, .stream_create = stream_create, .stream_create_prior = stream_create_prior,                      \
    .event_create = event_create, .capture_begin = capture_begin, .capture_end = capture_end,                          \
    .graph_instantiate = graph_instantiate, .graph_launch = graph_launch, .graph_destroy = graph_destroy,              \
    .executable_destroy = executable_destroy

// The backend of a driver's table.
#define DRIVER_BACKEND(kind, vendor)                                                                                   \
    static enum status count_devices(uint32_t *count, struct error *error) {                                           \
        return gpu_count(&vendor##_driver, count, error);                                                              \
    }                                                                                                                  \
    static enum status open_device(const char *selector, struct device **device, struct error *error) {                \
        return gpu_open(&vendor##_driver, selector, device, error);                                                    \
    }                                                                                                                  \
    static char *places(void) {                                                                                        \
        return gpu_places(&vendor##_driver);                                                                           \
    }                                                                                                                  \
    const struct backend vendor##_backend = {kind, #vendor, NULL, count_devices, open_device, places};

#endif
