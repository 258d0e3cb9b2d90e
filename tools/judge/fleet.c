#include "tools/judge/fleet.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/error.h"

void fleet_clear(struct fleet *fleet) {
    for (size_t i = 0; i < fleet->count; i++) {
        free(fleet->gpus[i].faults);
        free(fleet->gpus[i].worst_text);
    }
    free(fleet->gpus);
    texts_clear(&fleet->texts);
    *fleet = (struct fleet){0};
}

static bool same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

// Folders come in order, so the GPU is mostly the last one.
size_t fleet_find(const struct fleet *fleet, const char *host, const char *name) {
    for (size_t i = fleet->count; i-- > 0;) {
        if (same(fleet->gpus[i].host, host) && same(fleet->gpus[i].name, name)) {
            return i;
        }
    }
    return fleet->count;
}

uint32_t fleet_gpu(struct fleet *fleet, const char *host, const char *name) {
    const size_t known = fleet_find(fleet, host, name);
    if (known < fleet->count) {
        return (uint32_t)known;
    }
    fleet->gpus = memory_room(fleet->gpus, fleet->count, sizeof *fleet->gpus);
    fleet->gpus[fleet->count] = (struct fleet_gpu){.host = texts_copy(&fleet->texts, host),
                                                   .name = name ? texts_copy(&fleet->texts, name) : NULL};
    return (uint32_t)fleet->count++;
}

void fleet_fault(struct fleet_gpu *gpu, char *what) {
    gpu->faults = text_join(gpu->faults, "; ", what);
}

// ---- Folders ----

static int visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

// Notes each line of FOLDER/fault.
static void read_faults(struct fleet *fleet, const char *host, const char *name, const char *folder) {
    char *path = memory_format("%s/fault", folder), *line = NULL;
    size_t capacity = 0;
    FILE *file = fopen(path, "r");
    if (file) {
        const uint32_t gpu = fleet_gpu(fleet, host, name);
        while (getline(&line, &capacity, file) > 0) {
            line[strcspn(line, "\n")] = '\0';
            fleet_fault(&fleet->gpus[gpu], memory_copy(line));
        }
        fclose(file);
    }
    free(line);
    free(path);
}

// What a look through one folder needs.
struct look {
    struct fleet *fleet;
    fleet_file_reader *read;
    void *context;
    const char *host, *name; // of the GPU whose folder it is; NULL: it is one of many
    char *part;              // the first file of the GPU that was not finished
};

typedef enum status visit_entry(struct look *look, const char *path, const char *name, struct error *error);

// Calls `each` with the entries, in the order of their names.
static enum status visit(struct look *look, const char *folder, visit_entry *each, struct error *error) {
    struct dirent **entries;
    const int count = scandir(folder, &entries, visible, alphasort);
    enum status status = STATUS_OK;
    if (count < 0) {
        return error_set(error, STATUS_USAGE, "%s: %s: name a folder that bankshot fleet wrote", folder,
                         strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        char *path = memory_format("%s/%s", folder, entries[i]->d_name);
        THEN(status, each(look, path, entries[i]->d_name, error));
        free(path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static enum status visit_file(struct look *look, const char *path, const char *name, struct error *error) {
    if (fnmatch("*.csv.part", name, 0) == 0 && !look->part) {
        look->part = memory_text(name, strlen(name) - strlen(".csv.part"));
    }
    return fnmatch("*.csv", name, 0) == 0
               ? look->read(look->context, fleet_gpu(look->fleet, look->host, look->name), path, error)
               : STATUS_OK;
}

// A folder without rows, faults and unfinished files is no GPU's.
static enum status visit_gpu(struct look *look, const char *path, const char *name, struct error *error) {
    if (!is_folder(path) || access(path, R_OK) != 0) {
        return STATUS_OK;
    }
    look->name = name;
    TRY(visit(look, path, visit_file, error));
    read_faults(look->fleet, look->host, name, path);
    if (look->part) {
        const uint32_t number = fleet_gpu(look->fleet, look->host, name);
        struct fleet_gpu *gpu = &look->fleet->gpus[number];
        if (!gpu->faults) { // which say more of a run that failed
            fleet_fault(gpu, memory_format("%s: interrupted", look->part));
        }
        free(look->part);
        look->part = NULL;
    }
    return STATUS_OK;
}

static enum status visit_host(struct look *look, const char *path, const char *name, struct error *error) {
    if (!is_folder(path)) {
        return STATUS_OK;
    }
    look->host = name;
    TRY(visit(look, path, visit_gpu, error));
    read_faults(look->fleet, name, NULL, path);
    return STATUS_OK;
}

enum status fleet_read(struct fleet *fleet, const char *folder, fleet_file_reader *read, void *context,
                       struct error *error) {
    struct look look = {.fleet = fleet, .read = read, .context = context};
    const enum status status = visit(&look, folder, visit_host, error);
    free(look.part);
    return status;
}

// ---- Hosts ----

static void expect_host(struct fleet *fleet, const char *host) {
    for (size_t i = 0; i < fleet->count; i++) {
        if (strcmp(fleet->gpus[i].host, host) == 0) {
            return;
        }
    }
    const uint32_t node = fleet_gpu(fleet, host, NULL); // which may move the others
    fleet_fault(&fleet->gpus[node], memory_copy("no result: the node was not reached, or died"));
}

// What is on the line before a '#', without blanks.
static void expect_line(struct fleet *fleet, char *line) {
    line[strcspn(line, "#\r\n")] = '\0';
    char *rest = line;
    for (char *host; (host = strtok_r(rest, ", \t", &rest));) {
        expect_host(fleet, host);
    }
}

enum status fleet_expect(struct fleet *fleet, const char *hosts, struct error *error) {
    struct stat about;
    const bool is_file = stat(hosts, &about) == 0;
    char *line = NULL;
    size_t capacity = 0;
    if (!*hosts || (!is_file && strchr(hosts, '/'))) {
        return error_set(error, STATUS_USAGE,
                         "--hosts %s: no host's name, and no file: name hosts, or a file with one a line", hosts);
    }
    FILE *file = is_file ? fopen(hosts, "r") : fmemopen((void *)(uintptr_t)hosts, strlen(hosts), "r");
    if (!file) {
        return error_set(error, STATUS_USAGE, "--hosts %s: %s: name hosts, or a file with one a line", hosts,
                         strerror(errno));
    }
    while (getline(&line, &capacity, file) > 0) {
        expect_line(fleet, line);
    }
    free(line);
    fclose(file);
    return STATUS_OK;
}
