#include "device/energy.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "device/gpu/library.h"

enum status device_energy(struct device *device, double *joules, struct error *error) {
    const struct device_info *info = &device->info;
    if (device_is_cpu(info)) {
        return rapl_energy("/sys/class/powercap", joules, error);
    }
    if (info->backend == BACKEND_CUDA) {
        struct device_bus bus;
        device->operations->bus(device, &bus);
        return nvml_energy(bus.address, joules, error);
    }
    return error_set(error, STATUS_NO_DEVICE, "%s has no energy counter that is read here: leave out --energy",
                     info->spec);
}

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
    F(text, nvmlErrorString)

static struct nvml_calls { NVML_CALLS(LIBRARY_FIELD) } nvml;

#define NVML_SYMBOL(name, function) LIBRARY_SYMBOL(nvml_calls, name, function, #function),
static const struct library_symbol nvml_symbols[] = {NVML_CALLS(NVML_SYMBOL)};
static struct library_table nvml_library = {.search = &nvml_search,
                                            .symbols = nvml_symbols,
                                            .symbol_count = sizeof nvml_symbols / sizeof *nvml_symbols,
                                            .calls = &nvml};

static const char *nvml_advice(int result) {
    return result == NVML_NOT_SUPPORTED   ? "counters of energy begin with Volta"
           : result == NVML_NO_PERMISSION ? "ask the administrator for access to NVML"
                                          : "leave out --energy";
}

enum status nvml_energy(const char *pci_address, double *joules, struct error *error) {
    nvmlDevice_t device = NULL;
    unsigned long long millijoules = 0;
    TRY(library_load(&nvml_library, error));
    int result = nvml.initialise(); // counts how often it is called, and costs nothing again
    if (result == 0) {
        result = nvml.find(pci_address, &device);
    }
    if (result == 0) {
        result = nvml.energy(device, &millijoules);
    }
    *joules = (double)millijoules * 1e-3;
    return result == 0 ? STATUS_OK
                       : error_set(error, STATUS_NO_DEVICE, "NVML gives no energy of the GPU at %s: %s: %s",
                                   pci_address, nvml.text(result), nvml_advice(result));
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
