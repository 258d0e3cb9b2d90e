#include "device/energy.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "device/gpu/library.h"
#include "device/gpu/rocm.h"

// ---- NVML: millijoules since the driver was loaded ----

enum {
    NVML_NOT_SUPPORTED = 3,
    NVML_NO_PERMISSION = 4
};

// In nvml.h, which the toolkit's packages seldom have.
typedef void *nvmlDevice_t;
int nvmlInit_v2(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, nvmlDevice_t *device);
int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *millijoules);
int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons);
const char *nvmlErrorString(int result);

static const struct library_search nvml_search = {
    .title = "NVML",
    .advice = "install the NVIDIA driver's libnvidia-ml.so.1",
    .names = (const char *const[]){"libnvidia-ml.so.1", NULL},
    .variables = (const char *const[]){NULL},
    .folders = (const char *const[]){"/usr", "/usr/local/nvidia", "/usr/lib/wsl", "/run/opengl-driver", NULL},
    .wheels = (const char *const[]){NULL},
};

#define NVML_CALLS(F)                                                                                                  \
    F(initialise, nvmlInit_v2)                                                                                         \
    F(find, nvmlDeviceGetHandleByPciBusId_v2)                                                                          \
    F(energy, nvmlDeviceGetTotalEnergyConsumption)                                                                     \
    F(throttle_reasons, nvmlDeviceGetCurrentClocksThrottleReasons)                                                     \
    F(text, nvmlErrorString)

LIBRARY_CALLS(nvml, nvml_search, NVML_CALLS);

static const char *nvml_advice(int result) {
    return result == NVML_NOT_SUPPORTED   ? "counters of energy begin with Volta"
           : result == NVML_NO_PERMISSION ? "ask the administrator for access to NVML"
                                          : "leave out --energy";
}

// The GPU's handle. *result is NVML's.
static enum status nvml_find(const char *pci_address, nvmlDevice_t *device, int *result, struct error *error) {
    TRY(library_load(&nvml_library, error));
    *result = nvml.initialise(); // counts how often it is called, and costs nothing again
    THEN(*result, nvml.find(pci_address, device));
    return STATUS_OK;
}

static enum status nvml_energy(const char *pci_address, double *joules, struct error *error) {
    nvmlDevice_t device = NULL;
    unsigned long long millijoules = 0;
    int result = 0;
    TRY(nvml_find(pci_address, &device, &result, error));
    THEN(result, nvml.energy(device, &millijoules));
    *joules = (double)millijoules * 1e-3;
    return result == 0 ? STATUS_OK
                       : error_set(error, STATUS_NO_DEVICE, "NVML gives no energy of the GPU at %s: %s: %s",
                                   pci_address, nvml.text(result), nvml_advice(result));
}

bool device_throttle_reasons(struct device *device, uint64_t *reasons) {
    struct device_bus bus;
    struct error ignored;
    nvmlDevice_t handle = NULL;
    unsigned long long bits = 0;
    int result = 0;
    if (device->info.backend != BACKEND_CUDA) {
        return false;
    }
    device_bus(device, &bus);
    const bool told = nvml_find(bus.address, &handle, &result, &ignored) == STATUS_OK && result == 0 &&
                      nvml.throttle_reasons(handle, &bits) == 0;
    *reasons = bits;
    return told;
}

void throttle_reasons_format(char *to, size_t size, uint64_t reasons) {
    // By bit, from nvml.h (nvmlClocksEventReason...).
    static const char *const names[] = {"gpu_idle",
                                        "applications_clocks_setting",
                                        "sw_power_cap",
                                        "hw_slowdown",
                                        "sync_boost",
                                        "sw_thermal_slowdown",
                                        "hw_thermal_slowdown",
                                        "hw_power_brake_slowdown",
                                        "display_clock_setting"};
    const size_t known = sizeof names / sizeof *names;
    size_t length = (size_t)snprintf(to, size, "%s", reasons ? "" : "none");
    for (size_t bit = 0; bit < 64; bit++) {
        if (reasons >> bit & 1 && length < size) {
            length += (size_t)snprintf(to + length, size - length, "%s%s", length ? "+" : "",
                                       bit < known ? names[bit] : "unknown");
        }
    }
}

// ---- ROCm SMI: an accumulator of each GPU, whose step in microjoules it tells, too ----

// The second die of an MI250X has none of its own.

// From rocm_smi.h, which few packages have.
enum {
    RSMI_PERMISSION = 4,
    RSMI_NOT_FOUND = 10
};

int rsmi_init(uint64_t flags);
int rsmi_num_monitor_devices(uint32_t *count);
int rsmi_dev_pci_id_get(uint32_t device, uint64_t *id);
int rsmi_dev_energy_count_get(uint32_t device, uint64_t *count, float *microjoules, uint64_t *time_ns);
int rsmi_status_string(int result, const char **text);

static const struct library_search rsmi_search = {
    .title = "ROCm SMI",
    .names =
        (const char *const[]){"librocm_smi64.so", "librocm_smi64.so.7", "librocm_smi64.so.1", NULL}, // .1 is Debian's
    ROCM_PLACES("rocm-smi-lib"),
};

#define RSMI_CALLS(F)                                                                                                  \
    F(initialise, rsmi_init)                                                                                           \
    F(count, rsmi_num_monitor_devices)                                                                                 \
    F(pci_id, rsmi_dev_pci_id_get)                                                                                     \
    F(energy, rsmi_dev_energy_count_get)                                                                               \
    F(text, rsmi_status_string)

LIBRARY_CALLS(rsmi, rsmi_search, RSMI_CALLS);

// The number of the GPU at the address. The result is ROCm SMI's.
static int rsmi_find(const char *pci_address, uint32_t *found) {
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    uint32_t count = 0;
    sscanf(pci_address, "%x:%x:%x.%x", &domain, &bus, &slot, &function);
    const uint64_t wanted = (uint64_t)domain << 32 | bus << 8 | slot << 3 | function;
    const uint64_t partition = UINT64_C(0xf) << 28; // of a GPU in parts, in versions from 6 on
    int result = rsmi.count(&count);
    for (*found = 0; result == 0 && *found < count; ++*found) {
        uint64_t id = 0;
        result = rsmi.pci_id(*found, &id);
        if (result == 0 && (id & ~partition) == wanted) {
            return 0;
        }
    }
    return result ? result : RSMI_NOT_FOUND;
}

static const char *rsmi_advice(int result) {
    return result == RSMI_PERMISSION  ? "join the groups render and video"
           : result == RSMI_NOT_FOUND ? "leave out --energy"
                                      : "counters of energy begin with MI200";
}

static enum status rocm_smi_energy(const char *pci_address, double *joules, struct error *error) {
    uint32_t device = 0;
    uint64_t count = 0, time_ns = 0;
    float microjoules = 0;
    const char *text = "unknown error";
    TRY(library_load(&rsmi_library, error));
    int result = rsmi.initialise(0); // counts how often it is called
    THEN(result, rsmi_find(pci_address, &device));
    THEN(result, rsmi.energy(device, &count, &microjoules, &time_ns));
    *joules = (double)count * (double)microjoules * 1e-6;
    if (result == 0) {
        return STATUS_OK;
    }
    rsmi.text(result, &text);
    return error_set(error, STATUS_NO_DEVICE, "ROCm SMI gives no energy of the GPU at %s: %s: %s", pci_address, text,
                     rsmi_advice(result));
}

// ---- RAPL: microjoules of each package ----

static enum status add_package(const char *path, double *joules, struct error *error) {
    uint64_t microjoules = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        return error_set(error, STATUS_NO_DEVICE, "%s: %s: run as root, or let its administrator chmod a+r it", path,
                         strerror(errno));
    }
    const bool right = fscanf(file, "%" SCNu64, &microjoules) == 1;
    fclose(file);
    *joules += (double)microjoules * 1e-6;
    return right ? STATUS_OK : error_set(error, STATUS_NO_DEVICE, "%s: is no number: leave out --energy", path);
}

enum status rapl_energy(const char *folder, double *joules, struct error *error) {
    char pattern[256];
    glob_t found;
    enum status status = STATUS_OK;
    *joules = 0;
    snprintf(pattern, sizeof pattern, "%.200s/intel-rapl:[0-9]/energy_uj", folder); // AMD's packages have the name, too
    if (glob(pattern, 0, NULL, &found) != 0) {
        return error_set(error, STATUS_NO_DEVICE, "cpu has no energy counter (%s): leave out --energy", pattern);
    }
    for (size_t i = 0; i < found.gl_pathc && status == STATUS_OK; i++) {
        status = add_package(found.gl_pathv[i], joules, error);
    }
    globfree(&found);
    return status;
}

// ---- The device ----

enum status device_energy(struct device *device, double *joules, struct error *error) {
    const struct device_info *info = &device->info;
    if (device_is_cpu(info)) {
        return rapl_energy("/sys/class/powercap", joules, error);
    }
    struct device_bus bus;
    device_bus(device, &bus);
    return info->backend == BACKEND_CUDA ? nvml_energy(bus.address, joules, error)
                                         : rocm_smi_energy(bus.address, joules, error);
}
