#include "device/gpu/group.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/gpu/gpu.h"
#include "device/gpu/library.h"

// Declared here, because NCCL's and RCCL's headers are rarely installed. Both libraries have these interfaces since
// version 2.4, and the calls below use only the values that are named here.
enum {
    SUCCESS = 0,
    INT32 = 2,
    OLDEST = 2400 // the version in which a failed broadcast can be detected and ended
};
int ncclGetVersion(int *version);
int ncclGetUniqueId(struct group_id *id);
int ncclCommInitRank(void **communicator, int count, struct group_id id, int member);
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, void *communicator, void *stream);
int ncclCommGetAsyncError(void *communicator, int *result);
int ncclCommAbort(void *communicator);
int ncclCommDestroy(void *communicator);
const char *ncclGetErrorString(int result);

#define CALLS(F)                                                                                                       \
    F(version, ncclGetVersion)                                                                                         \
    F(make_id, ncclGetUniqueId)                                                                                        \
    F(join, ncclCommInitRank)                                                                                          \
    F(broadcast, ncclBroadcast)                                                                                        \
    F(fault, ncclCommGetAsyncError)                                                                                    \
    F(abort, ncclCommAbort)                                                                                            \
    F(leave, ncclCommDestroy)                                                                                          \
    F(error_text, ncclGetErrorString)

struct calls {
    CALLS(LIBRARY_FIELD)
};

// The library is kept for each device that uses it, so that no source has state. The loader opens a file only once.
struct group_library {
    struct device *device;
    struct calls calls;
    struct library_table table;
};

struct group {
    struct group_library *library;
    void *communicator;
};

static const struct library_search nccl_search = {
    .title = "NCCL",
    .advice = "install NCCL, or set CUDA_HOME to a folder that has it",
    .names = (const char *const[]){"libnccl.so.2", "libnccl.so", NULL},
    .variables = (const char *const[]){"NCCL_HOME", "CUDA_HOME", "CUDA_PATH", "EBROOTNCCL", "CONDA_PREFIX", NULL},
    .folders = (const char *const[]){"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda", NULL},
    .wheels = (const char *const[]){"nvidia/nccl/lib", NULL},
};

static const struct library_search rccl_search = {
    .title = "RCCL",
    .advice = "install RCCL, or set ROCM_PATH to a folder that has it",
    .names = (const char *const[]){"librccl.so.1", "librccl.so", NULL},
    .variables = (const char *const[]){"ROCM_PATH", "HIP_PATH", "ROCM_HOME", "EBROOTRCCL", "CONDA_PREFIX", NULL},
    .folders = (const char *const[]){"/opt/rocm", "/opt/rocm-*", NULL},
    .wheels = (const char *const[]){"_rocm_sdk_core/lib", "torch/lib", NULL},
};

static const struct library_symbol symbols[] = {CALLS(LIBRARY_SYMBOL)};

static enum status check(const struct group_library *library, int result, const char *what, struct error *error) {
    return result == SUCCESS
               ? STATUS_OK
               : error_set(error, STATUS_FAILED, "%s: %s by %s failed with '%s': set NCCL_DEBUG=WARN to see why",
                           library->device->info.spec, what, library->table.search->title,
                           library->calls.error_text(result));
}

// The version's number has two digits for the minor version since 2.9.
static void format_version(int version, char text[32]) {
    const int unit = version < 10000 ? 1000 : 10000;
    snprintf(text, 32, "%d.%d.%d", version / unit, version % unit / 100, version % 100);
}

static enum status load(struct group_library *library, char *text, size_t size, struct error *error) {
    const char *title = library->table.search->title, *path = library->table.library.path;
    char number[32];
    int version = 0;
    TRY(library_load(&library->table, error));
    library->calls.version(&version);
    format_version(version, number);
    snprintf(text, size, "%s %s, %s", title, number, path);
    return version >= OLDEST ? STATUS_OK
                             : error_set(error, STATUS_NO_DEVICE, "%s is %s %s: install version 2.4 or a newer one",
                                         path, title, number);
}

enum status group_library_open(struct device *device, struct group_library **library, char *text, size_t size,
                               struct error *error) {
    struct group_library *opened = memory_zeros(1, sizeof *opened);
    *library = opened;
    if (!device_is_real_gpu(&device->info)) {
        return error_set(error, STATUS_NO_DEVICE, "%s: NCCL and RCCL serve only GPUs: choose another way",
                         device->info.spec);
    }
    opened->device = device;
    opened->table = (struct library_table){
        .search = device->info.backend == BACKEND_CUDA ? &nccl_search : &rccl_search,
        .symbols = symbols,
        .symbol_count = sizeof symbols / sizeof *symbols,
        .calls = &opened->calls,
    };
    setenv("NCCL_NVLS_ENABLE", "0", 0); // NVLink's multicast is off unless the user asks for it
    setenv("NCCL_MAX_CTAS", "4", 0);    // a broadcast takes few multiprocessors from the kernels beside it
    return load(opened, text, size, error);
}

void group_library_close(struct group_library *library) {
    free(library);
}

enum status group_make_id(struct group_library *library, struct group_id *id, struct error *error) {
    return check(library, library->calls.make_id(id), "preparing broadcasts", error);
}

enum status group_join(struct group_library *library, const struct group_id *id, int member, int count,
                       struct group **group, struct error *error) {
    struct group *joined = memory_zeros(1, sizeof *joined);
    *group = joined;
    joined->library = library;
    gpu_enter(gpu_of(library->device));
    return check(library, library->calls.join(&joined->communicator, count, *id, member), "connecting the ranks",
                 error);
}

enum status group_broadcast(struct group *group, struct stream *stream, uint64_t address, size_t bytes, int from,
                            struct error *error) {
    const struct group_library *library = group->library;
    const struct gpu_device *device = gpu_of(library->device);
    void *words = (void *)(uintptr_t)address;
    gpu_enter(device);
    return check(library,
                 library->calls.broadcast(words, words, bytes / sizeof(int32_t), INT32, from, group->communicator,
                                          gpu_stream(device, stream)),
                 "a broadcast", error);
}

enum status group_check(struct group *group, struct error *error) {
    int fault = SUCCESS;
    const int result = group->library->calls.fault(group->communicator, &fault);
    return check(group->library, result == SUCCESS ? fault : result, "a broadcast", error);
}

void group_leave(struct group *group, bool abort) {
    if (group && group->communicator) {
        const struct calls *calls = &group->library->calls;
        gpu_enter(gpu_of(group->library->device));
        (abort ? calls->abort : calls->leave)(group->communicator);
    }
    free(group);
}
