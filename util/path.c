#include "util/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINKS_MAX = 40 // as many as Linux follows
};

// Resolves the folder that holds path and appends what follows path's last slash.
static bool resolve_folder(const char *path, char resolved[PATH_MAX]) {
    char copy[PATH_MAX], folder[PATH_MAX];
    if (strlen(path) >= sizeof copy) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(copy, path);
    char *slash = strrchr(copy, '/');
    const char *name = slash ? slash + 1 : copy;
    if (slash) {
        *slash = '\0';
    }
    if (!*name || !realpath(slash == copy ? "/" : slash ? copy : ".", folder)) {
        return false;
    }
    const int length = snprintf(resolved, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    return length < PATH_MAX;
}

// Replaces path, which names a link, by the link's target, seen from the link's folder.
static bool follow_link(char path[PATH_MAX]) {
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) {
        return false;
    }
    target[length] = '\0';
    char *name = *target == '/' ? path : strrchr(path, '/') + 1;
    const size_t room = (size_t)(path + PATH_MAX - name);
    if ((size_t)length < room) {
        strcpy(name, target);
    }
    return (size_t)length < room;
}

bool path_resolve(const char *path, char resolved[PATH_MAX]) {
    char at[PATH_MAX];
    if (realpath(path, resolved)) {
        return true;
    }
    bool found = resolve_folder(path, resolved);
    for (int links = 0; found && follow_link(resolved); links++) {
        strcpy(at, resolved);
        found = links < LINKS_MAX && resolve_folder(at, resolved);
    }
    return found;
}

bool path_program_in(const char *folder, size_t length, const char *name, char path[PATH_MAX]) {
    const int written = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, name);
    return written > 0 && written < PATH_MAX && access(path, X_OK) == 0;
}

bool path_find_program(const char *name, char path[PATH_MAX]) {
    if (strchr(name, '/')) {
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, X_OK) == 0;
    }
    const char *at = getenv("PATH");
    for (size_t length; at && *at; at += length + (at[length] == ':')) {
        length = strcspn(at, ":");
        if (path_program_in(at, length, name, path)) {
            return true;
        }
    }
    return false;
}
