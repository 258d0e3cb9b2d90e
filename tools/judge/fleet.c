#include "tools/judge/fleet.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static const char *keep(struct fleet *fleet, const char *text) {
    return texts_keep(&fleet->texts, text, strlen(text));
}

static bool same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

// Folders come in order, so the GPU is mostly the last one.
uint32_t fleet_gpu(struct fleet *fleet, const char *host, const char *name) {
    for (size_t i = fleet->count; i-- > 0;) {
        if (same(fleet->gpus[i].host, host) && same(fleet->gpus[i].name, name)) {
            return (uint32_t)i;
        }
    }
    fleet->gpus = memory_room(fleet->gpus, fleet->count, sizeof *fleet->gpus);
    fleet->gpus[fleet->count] = (struct fleet_gpu){.host = keep(fleet, host), .name = name ? keep(fleet, name) : NULL};
    return (uint32_t)fleet->count++;
}

void fleet_fault(struct fleet_gpu *gpu, const char *what) {
    char *before = gpu->faults;
    gpu->faults = memory_format("%s%s%s", before ? before : "", before ? "; " : "", what);
    free(before);
}

// ---- Folders ----

static int visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

// Each line of a file named fault.
static void read_faults(struct fleet_gpu *gpu, const char *path) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    FILE *file = fopen(path, "r");
    while (file && (length = getline(&line, &capacity, file)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        fleet_fault(gpu, line);
    }
    free(line);
    if (file) {
        fclose(file);
    }
}

// What a look through one folder needs.
struct look {
    struct fleet *fleet;
    fleet_file_reader *read;
    void *context;
    const char *host; // NULL: the folder is that of the fleet
    uint32_t gpu;
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

static enum status visit_rows(struct look *look, const char *path, const char *name, struct error *error) {
    return ends_with(name, ".csv") ? look->read(look->context, look->gpu, path, error) : STATUS_OK;
}

static enum status visit_faults(struct look *look, const char *path, const char *name, struct error *error) {
    (void)error;
    if (strcmp(name, "fault") == 0) {
        read_faults(&look->fleet->gpus[look->gpu], path);
    }
    return STATUS_OK;
}

// The faults of the same GPU say more of a run that failed.
static enum status visit_parts(struct look *look, const char *path, const char *name, struct error *error) {
    struct fleet_gpu *gpu = &look->fleet->gpus[look->gpu];
    (void)path, (void)error;
    if (ends_with(name, ".csv.part") && !gpu->faults) {
        char *what = memory_format("%.*s: interrupted", (int)(strlen(name) - strlen(".csv.part")), name);
        fleet_fault(gpu, what);
        free(what);
    }
    return STATUS_OK;
}

// A GPU's folder has all three; of a folder of something else nothing is known.
static bool has_files(const char *path) {
    struct dirent **entries;
    const int count = scandir(path, &entries, visible, NULL);
    bool found = false;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        found |= ends_with(name, ".csv") || ends_with(name, ".csv.part") || strcmp(name, "fault") == 0;
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return found;
}

static enum status visit_gpu(struct look *look, const char *path, const char *name, struct error *error) {
    if (!is_folder(path) || !has_files(path)) {
        return STATUS_OK;
    }
    look->gpu = fleet_gpu(look->fleet, look->host, name);
    TRY(visit(look, path, visit_rows, error));
    TRY(visit(look, path, visit_faults, error));
    return visit(look, path, visit_parts, error);
}

static enum status visit_host(struct look *look, const char *path, const char *name, struct error *error) {
    if (!is_folder(path)) {
        return STATUS_OK;
    }
    look->host = name;
    TRY(visit(look, path, visit_gpu, error));
    char *fault = memory_format("%s/fault", path);
    struct stat about;
    if (stat(fault, &about) == 0) {
        const uint32_t node = fleet_gpu(look->fleet, name, NULL);
        read_faults(&look->fleet->gpus[node], fault);
    }
    free(fault);
    return STATUS_OK;
}

enum status fleet_read(struct fleet *fleet, const char *folder, fleet_file_reader *read, void *context,
                       struct error *error) {
    struct look look = {.fleet = fleet, .read = read, .context = context};
    return visit(&look, folder, visit_host, error);
}

// ---- Hosts ----

static void expect_host(struct fleet *fleet, const char *host) {
    for (size_t i = 0; i < fleet->count; i++) {
        if (strcmp(fleet->gpus[i].host, host) == 0) {
            return;
        }
    }
    const uint32_t node = fleet_gpu(fleet, host, NULL); // which may move the others
    fleet_fault(&fleet->gpus[node], "no result: the node was not reached, or died");
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
    char *line = NULL;
    size_t capacity = 0;
    if (!*hosts || (stat(hosts, &about) != 0 && strchr(hosts, '/'))) {
        return error_set(error, STATUS_USAGE,
                         "--hosts %s: no host's name, and no file: name hosts, or a file with one a line", hosts);
    }
    if (stat(hosts, &about) != 0) {
        line = memory_copy(hosts);
        expect_line(fleet, line);
        free(line);
        return STATUS_OK;
    }
    FILE *file = fopen(hosts, "r");
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
