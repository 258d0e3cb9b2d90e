#include "levels/geometry/emit_gpu.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    TITLE_MAX = 128
};
static const double NEAR = 0.15; // relative; a measured size is below the cache's true size

// The macro that begins a family's rows in model/gpus.c, by the prefix of its arch; the first match counts. A family
// that is not listed may follow other rules, so it has no macro.
static const struct {
    const char *arch, *macro;
} families[] = {
    {"sm_5", "MAXWELL"},
    {"sm_6", "MAXWELL"},
    {"sm_7", "MAXWELL"},
    {"sm_8", "AMPERE"},
    {"sm_90", "HOPPER"},
    {"sm_10", "BLACKWELL"},
    {"sm_12", "BLACKWELL"},
    {"gfx950", "GFX950"},
    {"gfx94", "GFX9(SHARED_AMD_GFX90A, 128)"},
    {"gfx90a", "GFX9(SHARED_AMD_GFX90A, 64)"},
    {"gfx9", "GFX9(SHARED_AMD_GFX906, 64)"},
    {"gfx12", "RDNA(SHARED_AMD_RDNA4)"},
    {"gfx10", "RDNA(SHARED_AMD_RDNA3)"},
    {"gfx11", "RDNA(SHARED_AMD_RDNA3)"},
};

static const char *family_of(const char *arch) {
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (strncmp(arch, families[i].arch, strlen(families[i].arch)) == 0) {
            return families[i].macro;
        }
    }
    return NULL;
}

bool emit_gpu_knows(const char *arch) {
    return family_of(arch) != NULL;
}

// Leaves out quotes and backslashes, which would end the C string.
static void copy_plain(char *to, const char *from) {
    size_t used = 0;
    for (; *from && used + 1 < TITLE_MAX; from++) {
        if (*from != '"' && *from != '\\' && isprint((unsigned char)*from)) {
            to[used++] = *from;
        }
    }
    to[used] = '\0';
}

// "NVIDIA GeForce RTX 3080" without the vendor's words is "RTX 3080".
static const char *alias_of(const char *title) {
    static const char *const words[] = {"NVIDIA ", "AMD ", "GeForce ", "Tesla ", "Instinct ", "Radeon "};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncmp(title, words[i], strlen(words[i])) == 0) {
            title += strlen(words[i]);
        }
    }
    return title;
}

static void print_name(FILE *file, const char *alias) {
    fprintf(file, "    {.name = \"");
    for (; *alias; alias++) {
        if (isalnum((unsigned char)*alias)) {
            fputc(tolower((unsigned char)*alias), file);
        }
    }
    fprintf(file, "\",\n");
}

static void print_bytes(FILE *file, const char *field, double bytes) {
    const uint64_t whole = (uint64_t)bytes;
    if (whole > 0) {
        fprintf(file,
                whole % 1024 == 0 && whole / 1024 <= UINT32_MAX / 1024 ? "     .%s = KIB(%" PRIu64 "),\n"
                                                                       : "     .%s = UINT64_C(%" PRIu64 "),\n",
                field, whole % 1024 == 0 && whole / 1024 <= UINT32_MAX / 1024 ? whole / 1024 : whole);
    }
}

static double whole_kib(double bytes) {
    return round(bytes / 1024) * 1024;
}

// The driver's size of the last level, where the measured one is near to it.
static double last_level(const struct device_info *info, double found) {
    const double said = (double)info->last_level_cache_bytes;
    return said > 0 && fabs(found / said - 1) <= NEAR ? said : whole_kib(found);
}

// Two levels behind L1 are the near part of the L2 and all of it on NVIDIA, the L2 and the Infinity Cache on AMD.
static void print_caches(FILE *file, const struct device_info *info, const struct plateau *plateaus, size_t caches) {
    const bool is_nvidia = info->backend == BACKEND_CUDA;
    if (caches == 0) {
        return;
    }
    const double last = last_level(info, plateaus[caches - 1].size);
    print_bytes(file, "l1_bytes", whole_kib(plateaus[0].size));
    if (caches == 3 && is_nvidia) {
        fprintf(file, "     .l2_parts = %.0f,\n", fmax(round(last / plateaus[1].size), 1));
    }
    print_bytes(file, "l2_bytes", caches == 3 && !is_nvidia ? whole_kib(plateaus[1].size) : caches > 1 ? last : 0);
    print_bytes(file, "last_level_cache_bytes", caches > 1 ? last : 0);
}

void emit_gpu(FILE *file, const struct device_info *info, const struct plateau *plateaus, size_t count,
              uint32_t fetch_bytes) {
    char title[TITLE_MAX], arch[TITLE_MAX];
    copy_plain(title, info->name);
    copy_plain(arch, info->arch);
    arch[strcspn(arch, ":")] = '\0';
    print_name(file, alias_of(title));
    fprintf(file, "     .title = \"%s\",\n     .arch = \"%s\",\n     .alias = \"%s\",\n     %s,\n", title, arch,
            alias_of(title), family_of(arch));
    fprintf(file, "     .compute_units = %" PRIu32 ",\n     .clock_mhz = %.0f,\n", info->compute_units,
            info->clock_mhz);
    if (fetch_bytes > 0) {
        fprintf(file, "     .load_fetch_bytes = %" PRIu32 ",\n", fetch_bytes);
    }
    print_bytes(file, "shared_bytes_per_block", info->shared_bytes_per_block_max);
    print_caches(file, info, plateaus, count > 0 ? count - 1 : 0);
    fprintf(file, "     .memory_bytes = UINT64_C(%" PRIu64 "),\n     .memory_gb_s = %.15g,\n", info->memory_bytes,
            isfinite(info->peak_gb_s) ? info->peak_gb_s : 0);
    fprintf(file,
            "     .source = \"the driver's device properties: units, clock, shared memory, memory, last cache; \"\n"
            "               \"levels --variant geometry: the other sizes\"},\n");
}
