#include "model/gpu_match.h"

#include <string.h>
#include <strings.h>

// Drivers put the vendor's words before a name or leave them out, from version to version.
static const char *without_vendor(const char *name) {
    static const char *const words[] = {"NVIDIA ", "GeForce ", "Tesla ", "AMD ", "Radeon ", "Instinct "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strncasecmp(name, words[i], strlen(words[i])) == 0) {
            return without_vendor(name + strlen(words[i]));
        }
    }
    return name;
}

static bool alias_names(const char *alias, const char *name) {
    size_t length = strlen(name);
    for (const char *next; *alias; alias = next) {
        size_t part = strcspn(alias, "|");
        next = alias + part + (alias[part] == '|');
        if (part == length && strncasecmp(alias, name, length) == 0) {
            return true;
        }
    }
    return false;
}

// "gfx90a:sramecc+:xnack-" is a gfx90a; without an arch every row fits.
static bool arch_fits(const char *row, const char *arch) {
    if (!arch || !*arch) {
        return true;
    }
    size_t length = strcspn(arch, ":");
    return strlen(row) == length && strncmp(row, arch, length) == 0;
}

// Distinguishes parts of one name: an MI250X from an MI250, an RTX 3080 of 10 GB from one of 12, a GPU from a partition
// of it. HIP counts RDNA's compute units in pairs by default.
static bool units_fit(const struct gpu *gpu, uint32_t units) {
    bool pairs = gpu->vendor == VENDOR_AMD && gpu->warp_width == 32;
    return !units || units == gpu->compute_units || (pairs && 2 * units == gpu->compute_units);
}

const struct gpu *gpu_match(const char *device_name, const char *arch, uint32_t compute_units) {
    size_t count;
    const struct gpu *gpus = gpu_table(&count);
    const char *name = without_vendor(device_name);
    for (size_t i = 0; i < count; i++) {
        if (alias_names(gpus[i].alias, name) && arch_fits(gpus[i].arch, arch) && units_fit(&gpus[i], compute_units)) {
            return &gpus[i];
        }
    }
    return NULL;
}
