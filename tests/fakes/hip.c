// Functions that only HIP has, or has in another form.
#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fakes/fake.h"

int fake_set_device(int device) NAMED(, "hipSetDevice");
int fake_set_device(int device) {
    if (device >= fake_setting("FAKE_DEVICES", 2)) {
        return FAKE_INVALID_DEVICE;
    }
    fake_current = device;
    return FAKE_SUCCESS;
}

int fake_version(int *version) NAMED(, "hipDriverGetVersion");
int fake_version(int *version) {
    *version = 60342133;
    return FAKE_SUCCESS;
}

const char *fake_error_name(int result) NAMED(, "hipGetErrorName");
const char *fake_error_name(int result) {
    return result == FAKE_OUT_OF_MEMORY      ? "hipErrorOutOfMemory"
           : result == FAKE_NO_DEVICE        ? "hipErrorNoDevice"
           : result == FAKE_ILLEGAL_ADDRESS  ? "hipErrorIllegalAddress"
           : result == FAKE_PEER_UNSUPPORTED ? "hipErrorPeerAccessUnsupported"
                                             : "hipErrorInvalidValue";
}

const char *fake_error_text(int result) NAMED(, "hipGetErrorString");
const char *fake_error_text(int result) {
    return result ? "a fake fault" : "no error";
}

// Neither the older nor the newer layout, so that the arch must be searched for.
int fake_properties(char *properties, int device) NAMED(, "hipGetDeviceProperties");
int fake_properties(char *properties, int device) {
    (void)device;
    strcpy(properties, "Fake gfx card");
    const char *arch = getenv("FAKE_ARCH");
    snprintf(properties + 700, 64, "%s:sramecc+:xnack-", arch ? arch : "gfx90a");
    return FAKE_SUCCESS;
}

static bool is_place(int device) {
    return device == hipCpuDeviceId || (device >= 0 && device < fake_setting("FAKE_DEVICES", 2));
}

int fake_prefetch(const char *address, size_t bytes, int device, struct fake_stream *stream)
    NAMED(, "hipMemPrefetchAsync");
int fake_prefetch(const char *address, size_t bytes, int device, struct fake_stream *stream) {
    return is_place(device) ? fake_move_pages(stream, address, bytes) : FAKE_INVALID_VALUE;
}

int fake_advise(const char *address, size_t bytes, hipMemoryAdvise advice, int device) NAMED(, "hipMemAdvise");
int fake_advise(const char *address, size_t bytes, hipMemoryAdvise advice, int device) {
    const bool known = advice == hipMemAdviseSetPreferredLocation || advice == hipMemAdviseSetAccessedBy;
    return known && is_place(device) && fake_owned(address, bytes, fake_current) ? FAKE_SUCCESS : FAKE_INVALID_VALUE;
}

int fake_attribute(int *value, hipDeviceAttribute_t attribute, int device) NAMED(, "hipDeviceGetAttribute");
int fake_attribute(int *value, hipDeviceAttribute_t attribute, int device) {
    static const struct {
        hipDeviceAttribute_t attribute;
        int value;
    } table[] = {
        {hipDeviceAttributeMultiprocessorCount, 4},
        {hipDeviceAttributeWarpSize, 64},
        {hipDeviceAttributeMaxThreadsPerBlock, BLOCK_THREADS},
        {hipDeviceAttributeMaxSharedMemoryPerBlock, SHARED_BYTES},
        {hipDeviceAttributeClockRate, 1500000},
        {hipDeviceAttributeMemoryClockRate, 2000000},
        {hipDeviceAttributeMemoryBusWidth, 512},
        {hipDeviceAttributeL2CacheSize, 1 << 20},
        {hipDeviceAttributeConcurrentManagedAccess, 1},
        {hipDeviceAttributeFineGrainSupport + 1, 1000000}, // the rate of the wall clock
    };
    (void)device;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].attribute == attribute) {
            *value = attribute == hipDeviceAttributeMultiprocessorCount ? fake_setting("FAKE_UNITS", table[i].value)
                     : attribute == hipDeviceAttributeConcurrentManagedAccess ? fake_setting("FAKE_MOVES_PAGES", 1)
                                                                              : table[i].value;
            return FAKE_SUCCESS;
        }
    }
    return FAKE_INVALID_VALUE;
}

int fake_copy_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t bytes, size_t rows,
                   hipMemcpyKind kind, struct fake_stream *stream) NAMED(, "hipMemcpy2DAsync");
int fake_copy_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t bytes, size_t rows,
                   hipMemcpyKind kind, struct fake_stream *stream) {
    return fake_enqueue_rows(to, to_pitch, from, from_pitch, bytes, rows, kind == hipMemcpyDeviceToHost, stream);
}

int fake_can_reach(int *direct, int device, int peer) NAMED(, "hipDeviceCanAccessPeer");
int fake_can_reach(int *direct, int device, int peer) {
    *direct = fake_is_direct(device, peer);
    return FAKE_SUCCESS;
}

int fake_peer_attribute(int *value, hipDeviceP2PAttr attribute, int device, int peer)
    NAMED(, "hipDeviceGetP2PAttribute");
int fake_peer_attribute(int *value, hipDeviceP2PAttr attribute, int device, int peer) {
    const bool joined = fake_has_vendors_link(device, peer);
    *value = attribute == hipDevP2PAttrPerformanceRank ? !joined : joined;
    return device == peer ? FAKE_INVALID_DEVICE : FAKE_SUCCESS;
}

int fake_link(int device, int peer, uint32_t *type, uint32_t *hops) NAMED(, "hipExtGetLinkTypeAndHopCount");
int fake_link(int device, int peer, uint32_t *type, uint32_t *hops) {
    *type = fake_has_vendors_link(device, peer) ? 4 : 2; // hsa_amd_link_info_type_t: XGMI, PCIE
    *hops = 1;
    return FAKE_SUCCESS;
}

// ---- ROCm SMI, which counts the GPUs in another order than HIP ----

int fake_rsmi_init(uint64_t flags) NAMED(, "rsmi_init");
int fake_rsmi_init(uint64_t flags) {
    (void)flags;
    return FAKE_SUCCESS;
}

int fake_rsmi_count(uint32_t *count) NAMED(, "rsmi_num_monitor_devices");
int fake_rsmi_count(uint32_t *count) {
    *count = (uint32_t)fake_setting("FAKE_DEVICES", 2);
    return FAKE_SUCCESS;
}

// As fake_pci_address has it, with the bits of a part of a GPU.
int fake_rsmi_id(uint32_t device, uint64_t *id) NAMED(, "rsmi_dev_pci_id_get");
int fake_rsmi_id(uint32_t device, uint64_t *id) {
    const uint64_t bus = (uint64_t)(fake_setting("FAKE_DEVICES", 2) + fake_setting("FAKE_SMI_BUS", 0)) - 1 - device;
    *id = UINT64_C(0xFA4E) << 32 | UINT64_C(1) << 28 | bus << 8;
    return FAKE_SUCCESS;
}

// Each GPU that is not HIP's first draws twice as much.
int fake_rsmi_energy(uint32_t device, uint64_t *count, float *microjoules, uint64_t *time_ns)
    NAMED(, "rsmi_dev_energy_count_get");
int fake_rsmi_energy(uint32_t device, uint64_t *count, float *microjoules, uint64_t *time_ns) {
    const bool is_first = device + 1 == (uint32_t)fake_setting("FAKE_DEVICES", 2);
    *microjoules = 15.625F;
    *count = fake_millijoules() * 64 * (is_first ? 1 : 2);
    *time_ns = 0;
    return *count > 0 ? FAKE_SUCCESS : 2;
}

int fake_rsmi_text(int result, const char **text) NAMED(, "rsmi_status_string");
int fake_rsmi_text(int result, const char **text) {
    *text = result ? "Not Supported" : "Success";
    return FAKE_SUCCESS;
}
