// A GPU driver and its run-time compiler without a GPU, to test the backends end to end: memory is the host's, and
// kernels are compiled as C and run lane by lane (tests/fakes/host_lanes.c, compiled to HOST_LANES). The sources of
// this folder are compiled twice, with FAKE_CUDA into libcuda and libnvrtc, with FAKE_HIP into libamdhip64 and
// libhiprtc. The two interfaces differ in names and in few types: handles are pointers in both, results and ordinals
// are int.
//
// Set by the environment:
//   FAKE_DEVICES=2          number of devices
//   FAKE_NAME=NVIDIA H200   their name; FAKE_UNITS=4: compute units
//   FAKE_MEMORY_MB=64       of each
//   FAKE_MOVES_PAGES=0      they move no pages of managed memory
//   FAKE_WATTS=100          that NVML and ROCm SMI count of each; 0: they count none
//   FAKE_SMI_BUS=0          ROCm SMI's GPUs are so many buses further on than HIP's
//   FAKE_THROTTLE=0         NVML's bits of reasons for lower clocks; below 0: it tells none
//   FAKE_FAIL=KIND[:N]      the fault, every time or the Nth time since the driver was initialised:
//                           initialise, allocate (out of memory), launch (an illegal address: the device is lost),
//                           wrong (a launch leaves out its last block, even its only one if FAKE_KERNEL is set),
//                           pin (memory of the host cannot be pinned), copy (an illegal address), reach (a device may
//                           not use another's memory), direct (the driver says that no link is direct), join (a group
//                           of processes is not connected), broadcast (NCCL refuses it), remote (it never ends, and
//                           NCCL tells when asked), move (managed memory cannot be moved ahead), graph (the Nth call
//                           for graphs of launches: 1 begins to record, 2 ends, 3 instantiates, 4 launches), unrecorded
//                           (a launch is refused while it is recorded)
//   FAKE_NCCL_VERSION=22809 version of NCCL and of RCCL
//   FAKE_KERNEL=NAME        only launches of this kernel count
//   FAKE_LAUNCHES=FILE      launches that a profiler would count are appended, one per line: name, grid, block
//   FAKE_ORDER=lazy, N      work in streams is done as late as possible, and only what is waited for; or in the Nth
//                           order that streams and events allow. Not set: at once
#ifndef TESTS_FAKES_FAKE_H
#define TESTS_FAKES_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// The exported name of a declaration, and the way in which an argument names a device: by its context, which is the
// address of its number, or by the number.
#ifdef FAKE_CUDA
#define NAMED(cuda, hip) __asm__(cuda)
typedef const int *fake_place;
static inline int fake_place_device(fake_place place) {
    return *place;
}
#else
#define NAMED(cuda, hip) __asm__(hip)
typedef int fake_place;
static inline int fake_place_device(fake_place place) {
    return place;
}
#endif

enum fake_result {
    FAKE_SUCCESS = 0,
    FAKE_INVALID_VALUE = 1,
    FAKE_OUT_OF_MEMORY = 2,
    FAKE_NO_DEVICE = 100,
    FAKE_INVALID_DEVICE = 101,
    FAKE_INVALID_IMAGE = 200,
    FAKE_INVALID_CONTEXT = 201,
    FAKE_PEER_UNSUPPORTED = 217,
    FAKE_NOT_FOUND = 500,
    FAKE_NOT_READY = 600,
    FAKE_ILLEGAL_ADDRESS = 700,
    FAKE_NOT_SUPPORTED = 801,
    FAKE_ALREADY_PINNED = 712
};

enum {
    DEVICES_MAX = 8,
    ALLOCATIONS_MAX = 1024,
    ARGUMENTS_MAX = 12,
    HEADERS_MAX = 8,
    SHARED_BYTES = 48 << 10,
    SHARED_BYTES_MAX = 160 << 10,
    BLOCK_THREADS = 1024
};

// ---- memory.c ----

extern bool fake_lost[DEVICES_MAX];
extern int fake_current;   // the current device
extern bool fake_profiled; // launches are counted; without a call that switches it, all are

int fake_setting(const char *name, int otherwise);

// What FAKE_WATTS make since an unknown moment, in steps of 20 ms.
unsigned long long fake_millijoules(void);
// Whether FAKE_FAIL names this call of a kind.
bool fake_fails(const char *kind);
enum fake_result fake_usable(void);
// Whether these bytes are all in one allocation of that device.
bool fake_owned(const char *address, size_t bytes, int device);
// Whether they are the host's pinned memory, which every device reaches.
bool fake_is_pinned(const char *address, size_t bytes);
// The first two devices are connected by a link of the vendor.
bool fake_has_vendors_link(int device, int peer);
// Whether one device reaches the other's memory.
bool fake_is_direct(int device, int peer);

// ---- streams.c ----

struct fake_event {
    int device;
    uint64_t graph;       // number of the graph that the latest recording belongs to; 0: none, it is done
    size_t number;        // of this graph's event that stands for it
    uint64_t asked, done; // number of requested recordings, and of completed ones
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
        WAIT,
        CALL
    } kind;
    char *to;
    const char *from;
    size_t bytes, more_rows, to_pitch, from_pitch;
    int byte;
    struct fake_event *event;
    uint64_t record; // number of the event's recording
    const struct fake_function *function;
    uint64_t arguments[ARGUMENTS_MAX], blocks;
    uint32_t grid[3], block[3];
    bool (*is_ready)(void *context); // whether the call would not wait for another process
    void (*call)(void *context);
    void *context;
    struct work *next;
};

struct fake_stream {
    int device;
    struct fake_graph *graph; // whose work is being recorded here; NULL: work is done
    struct work *first, *last;
    struct fake_stream *next;
};

int fake_enqueue(struct fake_stream *stream, struct work work);
// All work of a stream, and as much of the others' as the order requires.
void fake_finish(struct fake_stream *stream);
void fake_finish_all(void);
// Rows from the host or to it.
// Of managed memory: there is one memory, so nothing moves.
int fake_move_pages(const struct fake_stream *stream, const char *address, size_t bytes);
int fake_enqueue_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t bytes, size_t rows,
                      bool to_host, struct fake_stream *stream);

// ---- graphs.c ----

// For streams that record work instead of doing it. A stream that waits for an event of the graph begins to do so.
int fake_record_fault(struct fake_stream *stream); // what cannot be recorded makes the graph fail
int fake_record_work(struct fake_stream *stream, struct work work);
int fake_record_event(struct fake_stream *stream, struct fake_event *event);
int fake_record_wait(struct fake_stream *stream, struct fake_event *event);

// ---- compiler.c ----

struct fake_header {
    char *name, *text;
};

struct fake_program {
    char *text, *log, *code;
    struct fake_header headers[HEADERS_MAX];
    int header_count;
    size_t code_bytes;
};

int fake_rtc_code_size(struct fake_program *program, size_t *bytes) NAMED("nvrtcGetCUBINSize", "hiprtcGetCodeSize");
int fake_rtc_code(struct fake_program *program, char *code) NAMED("nvrtcGetCUBIN", "hiprtcGetCode");

int fake_launch(struct fake_function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, struct fake_stream *stream,
                void **parameters, void **extra) NAMED("cuLaunchKernel", "hipModuleLaunchKernel");

#endif
