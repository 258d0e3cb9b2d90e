#include "device/cpu/memory.h"

#include <stdio.h>
#include <string.h>

#include "device/cpu/host.h"

// Both versions of Linux' control groups; the kernel's documentation: admin-guide/cgroup-v1/memory, cgroup-v2.
static const struct control_group {
    const char *controller; // name in /proc/self/cgroup
    const char *folder, *limit, *usage;
    const char *reclaimable; // file cache that the kernel drops first, a line of memory.stat
} control_groups[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {"memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
};

// Reads a file below another root than /, because a test provides files.
static bool read_below(const char *root, const char *path, char *text, size_t size) {
    char file[4096];
    snprintf(file, sizeof file, "%s%s", root, path);
    return cpu_read_text(file, text, size);
}

static bool read_group_file(const char *root, const struct control_group *group, const char *path, const char *name,
                            char *text, size_t size) {
    char file[4096];
    snprintf(file, sizeof file, "%s%s/%s", group->folder, path, name);
    return read_below(root, file, text, size);
}

static bool read_group_number(const char *root, const struct control_group *group, const char *path, const char *name,
                              uint64_t *number) {
    char text[64];
    return read_group_file(root, group, path, name, text, sizeof text) && cpu_find_number(text, "", number);
}

// Lowers memory to the rest of one group's limit; a group without a limit ("max") changes nothing.
static void apply_group(const char *root, const struct control_group *group, const char *path,
                        struct cpu_memory *memory) {
    uint64_t limit, usage, cached = 0;
    if (!read_group_number(root, group, path, group->limit, &limit) ||
        !read_group_number(root, group, path, group->usage, &usage)) {
        return;
    }
    char statistics[8192] = "";
    if (read_group_file(root, group, path, "memory.stat", statistics, sizeof statistics)) {
        cpu_find_number(statistics, group->reclaimable, &cached);
    }
    const uint64_t used = usage > cached ? usage - cached : 0;
    const uint64_t left = limit > used ? limit - used : 0;
    memory->total_bytes = limit < memory->total_bytes ? limit : memory->total_bytes;
    memory->available_bytes = left < memory->available_bytes ? left : memory->available_bytes;
}

// A group's limit applies to all groups below it, so every group up to the root counts.
static void apply_groups(const char *root, const struct control_group *group, const char *memberships,
                         struct cpu_memory *memory) {
    const char *line = strstr(memberships, group->controller);
    if (!line) {
        return;
    }
    char path[2048], *slash;
    const char *start = line + strlen(group->controller);
    snprintf(path, sizeof path, "%.*s", (int)strcspn(start, "\n"), start);
    do {
        apply_group(root, group, path, memory);
        slash = strrchr(path, '/');
        path[slash ? slash - path : 0] = '\0';
    } while (slash);
}

struct cpu_memory cpu_memory_below(const char *root) {
    struct cpu_memory memory = {0};
    char text[8192];
    if (read_below(root, "/proc/meminfo", text, sizeof text)) {
        cpu_find_number(text, "MemTotal:", &memory.total_bytes);
        cpu_find_number(text, "MemAvailable:", &memory.available_bytes);
        memory.total_bytes *= 1024;
        memory.available_bytes *= 1024;
    }
    if (read_below(root, "/proc/self/cgroup", text, sizeof text)) {
        for (size_t i = 0; i < sizeof control_groups / sizeof *control_groups; i++) {
            apply_groups(root, &control_groups[i], text, &memory);
        }
    }
    memory.available_bytes -= memory.available_bytes / 16; // a process that takes all of it is killed
    return memory;
}

struct cpu_memory cpu_memory(void) {
    return cpu_memory_below("");
}

enum status cpu_memory_check(const char *what, double bytes, const char *cure, struct error *error) {
    const struct cpu_memory memory = cpu_memory();
    if (memory.total_bytes == 0 || bytes <= (double)memory.available_bytes) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_USAGE, "%s: %.3g GB of memory needed, %.3g GB available: %s", what, bytes / 1e9,
                     (double)memory.available_bytes / 1e9, cure);
}
