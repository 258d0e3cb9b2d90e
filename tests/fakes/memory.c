// Devices, their memory, and the memory of the host that is pinned.
#include "tests/fakes/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct allocation {
    char *address;
    size_t bytes;
    int device;
    bool managed;
} allocations[ALLOCATIONS_MAX];

bool fake_lost[DEVICES_MAX];
int fake_current = -1;      // the current device
static uint64_t calls[128]; // by the first letter of the kinds that FAKE_FAIL can name

int fake_setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

// Whether FAKE_FAIL names this call of a kind.
bool fake_fails(const char *kind) {
    const char *text = getenv("FAKE_FAIL");
    size_t length = strlen(kind);
    uint64_t call = ++calls[(int)*kind];
    return text && !strncmp(text, kind, length) && (!text[length] || strtoull(text + length + 1, NULL, 10) == call);
}

enum fake_result fake_usable(void) {
    if (fake_current < 0) {
        return FAKE_INVALID_CONTEXT;
    }
    return fake_lost[fake_current] ? FAKE_ILLEGAL_ADDRESS : FAKE_SUCCESS;
}

// Whether these bytes are all in one allocation of that device.
bool fake_owned(const char *address, size_t bytes, int device) {
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
    memset(fake_lost, 0, sizeof fake_lost);
    return fake_fails("initialise") ? FAKE_NO_DEVICE : FAKE_SUCCESS;
}

int fake_initialise(unsigned flags) NAMED("cuInit", "hipInit");
int fake_initialise(unsigned flags) {
    (void)flags;
    return (int)initialise();
}

int fake_device_count(int *count) NAMED("cuDeviceGetCount", "hipGetDeviceCount");
int fake_device_count(int *count) {
    *count = fake_setting("FAKE_DEVICES", 2);
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
    return (size_t)fake_setting("FAKE_MEMORY_MB", 64) << 20;
}

static size_t used_bytes(int device) {
    size_t bytes = 0;
    for (size_t i = 0; i < ALLOCATIONS_MAX; i++) {
        bytes += allocations[i].address && !allocations[i].managed && allocations[i].device == device
                     ? allocations[i].bytes
                     : 0;
    }
    return bytes;
}

int fake_memory_info(size_t *free_bytes, size_t *bytes) NAMED("cuMemGetInfo_v2", "hipMemGetInfo");
int fake_memory_info(size_t *free_bytes, size_t *bytes) {
    *bytes = memory_bytes();
    *free_bytes = *bytes - used_bytes(fake_current);
    return (int)fake_usable();
}

// ---- Memory ----

// Managed memory is the host's until it is moved, so that there may be more of it than the device has.
static int reserve(void **address, size_t bytes, bool managed) {
    if (fake_usable() != FAKE_SUCCESS) {
        return (int)fake_usable();
    }
    struct allocation *slot = allocations;
    while (slot < allocations + ALLOCATIONS_MAX && slot->address) {
        slot++;
    }
    if (fake_fails("allocate") || slot == allocations + ALLOCATIONS_MAX ||
        (!managed && bytes > memory_bytes() - used_bytes(fake_current))) {
        return FAKE_OUT_OF_MEMORY;
    }
    *slot = (struct allocation){.address = aligned_alloc(256, (bytes + 255) / 256 * 256),
                                .bytes = bytes,
                                .device = fake_current,
                                .managed = managed};
    *address = slot->address;
    return slot->address ? FAKE_SUCCESS : FAKE_OUT_OF_MEMORY;
}

int fake_allocate(void **address, size_t bytes) NAMED("cuMemAlloc_v2", "hipMalloc");
int fake_allocate(void **address, size_t bytes) {
    return reserve(address, bytes, false);
}

int fake_allocate_pool(void **address, size_t bytes, void *stream) NAMED("cuMemAllocAsync", "hipMallocAsync");
int fake_allocate_pool(void **address, size_t bytes, void *stream) {
    (void)stream; // others may use it when this stream has come so far
    return fake_fails("pool") ? FAKE_OUT_OF_MEMORY : fake_allocate(address, bytes);
}

int fake_allocate_managed(void **address, size_t bytes, unsigned flags) NAMED("cuMemAllocManaged", "hipMallocManaged");
int fake_allocate_managed(void **address, size_t bytes, unsigned flags) {
    enum {
        ATTACH_GLOBAL = 1
    };
    return flags == ATTACH_GLOBAL ? reserve(address, bytes, true) : FAKE_INVALID_VALUE;
}

int fake_release(char *address) NAMED("cuMemFree_v2", "hipFree");
int fake_release(char *address) {
    fake_finish_all();
    for (size_t i = 0; i < ALLOCATIONS_MAX; i++) {
        if (address && allocations[i].address == address && allocations[i].device == fake_current) {
            free(address);
            allocations[i] = (struct allocation){0};
            return FAKE_SUCCESS;
        }
    }
    return FAKE_INVALID_VALUE;
}

// ---- Memory of the host ----

enum {
    FOR_KERNELS_OF_ALL_DEVICES = 3
};

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
    if (fake_fails("pin")) {
        return FAKE_OUT_OF_MEMORY;
    }
    for (; slot->address; slot++) {
        if (memory < slot->address + slot->bytes && slot->address < memory + bytes) {
            return FAKE_ALREADY_PINNED;
        }
    }
    if (flags != FOR_KERNELS_OF_ALL_DEVICES || (uintptr_t)memory % PAGE_BYTES) {
        return FAKE_INVALID_VALUE;
    }
    *slot = (struct pinned){memory, (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES};
    return (int)fake_usable();
}

int fake_unpin(char *memory) NAMED("cuMemHostUnregister", "hipHostUnregister");
int fake_unpin(char *memory) {
    struct pinned *slot = pinned, *last = pinned;
    fake_finish_all();
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

int fake_allocate_pinned(void **memory, size_t bytes, unsigned flags) NAMED("cuMemHostAlloc", "hipHostMalloc");
int fake_allocate_pinned(void **memory, size_t bytes, unsigned flags) {
    enum {
        PAGE_BYTES = 4096,
        NUMA_USER = 0x20000000 // HIP's
    };
    *memory = aligned_alloc(PAGE_BYTES, (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    const int result = *memory ? fake_pin(*memory, bytes, flags & ~(unsigned)NUMA_USER) : FAKE_OUT_OF_MEMORY;
    if (result != FAKE_SUCCESS) {
        free(*memory);
        *memory = NULL;
    }
    return result;
}

int fake_release_pinned(void *memory) NAMED("cuMemFreeHost", "hipHostFree");
int fake_release_pinned(void *memory) {
    const int result = fake_unpin(memory);
    if (result == FAKE_SUCCESS) {
        free(memory);
    }
    return result;
}

bool fake_is_pinned(const char *address, size_t bytes) {
    const struct pinned *slot = pinned;
    while (slot < pinned + ALLOCATIONS_MAX && !(slot->address && address >= (const char *)slot->address &&
                                                address + bytes <= (const char *)slot->address + slot->bytes)) {
        slot++;
    }
    return slot < pinned + ALLOCATIONS_MAX;
}

int fake_map(void **address, char *memory, unsigned flags)
    NAMED("cuMemHostGetDevicePointer_v2", "hipHostGetDevicePointer");
int fake_map(void **address, char *memory, unsigned flags) {
    const struct pinned *slot = pinned;
    while (slot->address && slot->address != memory) {
        slot++;
    }
    *address = slot->address;
    return slot->address && !flags ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
}

// ---- Connections of devices: a vendor's link between the first two ----

int fake_pci_address(char *address, int size, int device) NAMED("cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId");
int fake_pci_address(char *address, int size, int device) {
    snprintf(address, (size_t)size, "FA4E:0%d:00.0", device);
    return FAKE_SUCCESS;
}

unsigned long long fake_millijoules(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long long milliseconds = now.tv_sec * 1000LL + now.tv_nsec / 1000000;
    return (unsigned long long)(milliseconds / 20 * 20 * fake_setting("FAKE_WATTS", 100));
}

bool fake_has_vendors_link(int device, int peer) {
    return device < 2 && peer < 2;
}

bool fake_is_direct(int device, int peer) {
    return device != peer && !fake_fails("direct");
}
