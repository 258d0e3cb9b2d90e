#include "device/gpu/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/error.h"

struct list {
    char **items;
    size_t count;
    bool roots; // list only the folders that are searched, for people
};

static void append(struct list *list, char *item) {
    list->items = memory_room(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = item;
}

// Adds a text made of up to three pieces.
static void append_text(struct list *list, const char *root, size_t root_length, const char *middle, const char *end) {
    append(list, memory_format("%.*s%s%s", (int)root_length, root, middle, end));
}

// Adds every file name in one folder, which is made of up to three pieces.
static void append_names(struct list *list, const struct library_search *search, const char *root, size_t root_length,
                         const char *middle, const char *end) {
    for (size_t i = 0; search->names[i]; i++) {
        append(list, memory_format("%.*s%s%s/%s", (int)root_length, root, middle, end, search->names[i]));
    }
}

// Subfolders of a toolkit that hold libraries; NVIDIA's HPC SDK has CUDA one folder deeper.
static void append_toolkit(struct list *list, const struct library_search *search, const char *root) {
    static const char *const below[] = {"/lib64", "/lib", "/targets/*/lib", "/cuda/lib64"};
    if (list->roots) {
        append_text(list, root, strlen(root), "", "");
        return;
    }
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        append_names(list, search, root, strlen(root), below[i], "");
    }
}

static void append_variables(struct list *list, const struct library_search *search, library_environment *environment) {
    for (size_t i = 0; search->variables[i]; i++) {
        const char *name = search->variables[i], *root = environment(name);
        if (list->roots) {
            append_text(list, name, strlen(name), root && *root ? "=" : " (not set)", root && *root ? root : "");
        } else if (root && *root) {
            append_toolkit(list, search, root);
        }
    }
}

static void append_loader(struct list *list, const struct library_search *search) {
    if (list->roots) {
        append(list, memory_format("the loader's folders (LD_LIBRARY_PATH)"));
        return;
    }
    for (size_t i = 0; search->names[i]; i++) {
        append(list, memory_copy(search->names[i]));
    }
}

static void append_wheels(struct list *list, const struct library_search *search, const char *root, size_t length,
                          const char *site_packages) {
    if (list->roots && search->wheels[0]) {
        append_text(list, root, length, site_packages, "");
        return;
    }
    for (size_t i = 0; search->wheels[i]; i++) {
        append_names(list, search, root, length, site_packages, search->wheels[i]);
    }
}

// Packages of every Python on PATH, because an environment need not be activated.
static void append_pythons_on_path(struct list *list, const struct library_search *search, const char *path) {
    static const char bin[] = "/bin";
    for (size_t length; path && *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        const size_t root = length - (sizeof bin - 1);
        if (length >= sizeof bin && strncmp(path + root, bin, sizeof bin - 1) == 0) {
            append_wheels(list, search, path, root, "/lib/python3*/site-packages/");
        }
    }
}

static void append_python(struct list *list, const struct library_search *search, library_environment *environment) {
    const char *path = environment("PYTHONPATH");
    for (size_t length; path && *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        append_wheels(list, search, path, length, "/");
    }
    static const char *const homes[][2] = {{"VIRTUAL_ENV", "/lib/python3*/site-packages/"},
                                           {"CONDA_PREFIX", "/lib/python3*/site-packages/"},
                                           {"HOME", "/.local/lib/python3*/site-packages/"}};
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        const char *root = environment(homes[i][0]);
        if (root && *root) {
            append_wheels(list, search, root, strlen(root), homes[i][1]);
        }
    }
    append_pythons_on_path(list, search, environment("PATH"));
    static const char *const systems[] = {"/usr/local/lib/python3*/site-packages/",
                                          "/usr/local/lib/python3*/dist-packages/", "/usr/lib/python3*/site-packages/",
                                          "/usr/lib/python3/dist-packages/"};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        append_wheels(list, search, systems[i], strlen(systems[i]), "");
    }
}

static char **make_list(const struct library_search *search, library_environment *environment, const char *folder,
                        bool roots) {
    struct list list = {.roots = roots};
    append_variables(&list, search, environment);
    append_loader(&list, search);
    for (size_t i = 0; search->folders[i]; i++) {
        append_toolkit(&list, search, search->folders[i]);
    }
    append_wheels(&list, search, folder, strlen(folder), "/wheels/");
    append_python(&list, search, environment);
    append(&list, NULL);
    return list.items;
}

char **library_candidates(const struct library_search *search, library_environment *environment, const char *folder) {
    return make_list(search, environment, folder, false);
}

// The program's folder; "." if the system does not tell.
static const char *program_folder(char path[PATH_MAX]) {
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    return slash ? (*slash = '\0', path) : ".";
}

char *library_places(const struct library_search *search) {
    char path[PATH_MAX];
    char **roots = make_list(search, getenv, program_folder(path), true);
    struct written text;
    FILE *stream = memory_stream(&text);
    for (size_t i = 0; roots[i]; i++) {
        fprintf(stream, "%s%s", i ? ", " : "", roots[i]);
    }
    library_candidates_free(roots);
    return memory_stream_end(&text);
}

void library_candidates_free(char **candidates) {
    for (size_t i = 0; candidates[i]; i++) {
        free(candidates[i]);
    }
    free(candidates);
}

// The outcome of the candidates so far.
struct attempt {
    const struct library_table *table;
    void *suitable;   // the first that suits
    void *unsuitable; // the first that opened but does not suit
    char reason[512]; // why an existing file does not open
};

static void try_file(struct attempt *attempt, const char *path) {
    bool bare = !strchr(path, '/');
    if (!bare && access(path, F_OK) != 0) {
        return;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        if (!bare && !*attempt->reason) {
            snprintf(attempt->reason, sizeof attempt->reason, "%s", reason ? reason : path);
        }
    } else if (!attempt->table->accept || attempt->table->accept(handle, attempt->table->wanted_version)) {
        attempt->suitable = handle;
    } else if (!attempt->unsuitable) {
        attempt->unsuitable = handle;
    } else {
        dlclose(handle);
    }
}

// The newest first if a wildcard matches several versions.
static void try_pattern(struct attempt *attempt, const char *pattern) {
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = found.gl_pathc; i > 0 && !attempt->suitable; i--) {
            try_file(attempt, found.gl_pathv[i - 1]);
        }
        globfree(&found);
    }
}

static void find_path(struct library *library) {
    struct link_map *map = NULL;
    char path[PATH_MAX];
    if (dlinfo(library->handle, RTLD_DI_LINKMAP, &map) == 0 && map) {
        const char *resolved = realpath(map->l_name, path);
        snprintf(library->path, sizeof library->path, "%s", resolved ? resolved : map->l_name);
    }
}

static enum status open_library(const struct library_table *table, struct library *library, struct error *error) {
    const struct library_search *search = table->search;
    *library = (struct library){0};
    char path[PATH_MAX];
    char **candidates = library_candidates(search, getenv, program_folder(path));
    struct attempt attempt = {.table = table};
    for (size_t i = 0; candidates[i] && !attempt.suitable; i++) {
        (strchr(candidates[i], '*') ? try_pattern : try_file)(&attempt, candidates[i]);
    }
    library_candidates_free(candidates);
    if (attempt.suitable && attempt.unsuitable) {
        dlclose(attempt.unsuitable);
    }
    library->handle = attempt.suitable ? attempt.suitable : attempt.unsuitable;
    if (library->handle) {
        find_path(library);
        return STATUS_OK;
    }
    if (*attempt.reason) {
        return error_set(error, STATUS_NO_DEVICE, "%s does not open, %s: %s", search->title, attempt.reason,
                         search->advice);
    }
    return error_set(error, STATUS_NO_DEVICE, "%s (%s) was not found: %s", search->title, search->names[0],
                     search->advice);
}

static enum status bind_symbols(const struct library_table *table, const struct library *library, struct error *error) {
    for (size_t i = 0; i < table->symbol_count; i++) {
        const struct library_symbol *symbol = &table->symbols[i];
        void *address = dlsym(library->handle, symbol->name);
        if (!address && symbol->fallback) {
            address = dlsym(library->handle, symbol->fallback);
        }
        if (!address && !symbol->optional) {
            return error_set(error, STATUS_NO_DEVICE, "%s has no %s: install a newer version", library->path,
                             symbol->name);
        }
        memcpy((char *)table->calls + i * sizeof address, &address, sizeof address);
    }
    return STATUS_OK;
}

enum status library_load(struct library_table *table, struct error *error) {
    struct library found;
    if (table->library.handle) {
        return STATUS_OK;
    }
    TRY(open_library(table, &found, error));
    TRY(bind_symbols(table, &found, error));
    table->library = found;
    return STATUS_OK;
}
