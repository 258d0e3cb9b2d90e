#include "device/cpu/host.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cpu/cache.h"

bool cpu_read_text(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "r");
    if (!file) {
        return false;
    }
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    return true;
}

static const char *find_line(const char *text, const char *key) {
    const size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, length)) {
            return line + length;
        }
    }
    return NULL;
}

bool cpu_find_number(const char *text, const char *key, uint64_t *number) {
    const char *value = find_line(text, key);
    char *end = NULL;
    if (value) {
        *number = strtoull(value, &end, 10);
    }
    return value && end != value;
}

enum cpu_vectors cpu_vectors(void) {
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
        return CPU_AVX512;
    }
    return __builtin_cpu_supports("avx2") ? CPU_AVX2 : CPU_SSE2;
#elif defined __aarch64__
    return CPU_NEON;
#else
    return CPU_PORTABLE;
#endif
}

const char *cpu_arch(void) {
    static const char *const names[] = {
        [CPU_PORTABLE] = "portable C",  [CPU_SSE2] = "x86-64 sse2", [CPU_AVX2] = "x86-64 avx2",
        [CPU_AVX512] = "x86-64 avx512", [CPU_NEON] = "arm64 neon",
    };
    return names[cpu_vectors()];
}

// The value of "key<blanks>: value" in /proc/cpuinfo; empty if there is none.
static void cpuinfo_value(const char *cpuinfo, const char *key, char *value, size_t size) {
    const char *line = find_line(cpuinfo, key);
    const char *start = line ? line + strspn(line, "\t :") : "";
    snprintf(value, size, "%.*s", (int)strcspn(start, "\n"), start);
}

char *cpu_model_name(char *name, size_t size) {
    char cpuinfo[4096] = "";
    cpu_read_text("/proc/cpuinfo", cpuinfo, sizeof cpuinfo);
    cpuinfo_value(cpuinfo, "model name", name, size);
    if (!*name) { // arm64 has only numbers, which Arm calls implementer and part
        char implementer[32], part[32];
        cpuinfo_value(cpuinfo, "CPU implementer", implementer, sizeof implementer);
        cpuinfo_value(cpuinfo, "CPU part", part, sizeof part);
        if (*implementer && *part) {
            snprintf(name, size, "CPU implementer %s part %s", implementer, part);
        } else {
            snprintf(name, size, "unnamed CPU");
        }
    }
    return name;
}

struct cache {
    uint64_t level, bytes;
    int first_cpu; // the first that shares it and that this process may use
};

// The first processor of a list such as "0-3,8-11" that is in the set, or -1.
static int first_in_list(const char *list, const cpu_set_t *set) {
    while (*list >= '0' && *list <= '9') {
        char *end;
        long first = strtol(list, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        for (; first <= last && first < CPU_SETSIZE; first++) {
            if (CPU_ISSET((size_t)first, set)) {
                return (int)first;
            }
        }
        list = end + (*end == ',');
    }
    return -1;
}

bool cpu_read_cache_text(int cpu, int index, const char *name, char *text, size_t size) {
    char path[4096];
    const char *root = getenv("BANKSHOT_SYSFS"); // for tests: another machine's caches
    snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%d/cache/index%d/%s", root ? root : "/sys", cpu, index, name);
    return cpu_read_text(path, text, size);
}

uint64_t cpu_size_in_bytes(const char *text) {
    char *unit;
    const uint64_t number = strtoull(text, &unit, 10);
    return number << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 0);
}

static struct cache last_level_cache_of(int cpu, const cpu_set_t *set) {
    struct cache last = {0};
    char text[4096];
    for (int index = 0; cpu_read_cache_text(cpu, index, "level", text, sizeof text); index++) {
        const uint64_t level = strtoull(text, NULL, 10);
        if (level <= last.level || !cpu_read_cache_text(cpu, index, "size", text, sizeof text)) {
            continue;
        }
        const uint64_t size = cpu_size_in_bytes(text);
        if (cpu_read_cache_text(cpu, index, "shared_cpu_list", text, sizeof text)) {
            last = (struct cache){level, size, first_in_list(text, set)};
        }
    }
    return last;
}

// Sums the caches' sizes, and finds the largest.
static uint64_t reported_bytes(uint64_t *largest_bytes) {
    uint64_t sum = 0;
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    *largest_bytes = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, &set)) {
            const struct cache cache = last_level_cache_of(cpu, &set);
            sum += cache.first_cpu == cpu ? cache.bytes : 0;
            *largest_bytes = cache.bytes > *largest_bytes ? cache.bytes : *largest_bytes;
        }
    }
#ifdef _SC_LEVEL3_CACHE_SIZE
    if (sum == 0) {
        const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
        sum = *largest_bytes = bytes > 0 ? (uint64_t)bytes : 0;
    }
#endif
    return sum;
}

// One thread can measure only one cache. The others are assumed to be alike.
struct cpu_cache_sizes cpu_last_level_caches(void) {
    uint64_t largest;
    const uint64_t reported = reported_bytes(&largest);
    const double share = reported ? (double)cpu_measure_cache_bytes(largest) / (double)largest : 0;
    return (struct cpu_cache_sizes){reported, (uint64_t)((double)reported * share)};
}
