#include "bench/counters/profiler.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/path.h"

enum {
    LOOK_NS = 20 * 1000000 // between two checks of a run
};

// A folder may begin with an environment variable and contain shell wildcards, of which the newest version counts.
static bool find_in_folder(const char *folder, const char *name, char path[PATH_MAX]) {
    char variable[64], place[PATH_MAX];
    const size_t length = strcspn(folder, "/");
    glob_t found;
    snprintf(variable, sizeof variable, "%.*s", (int)length, folder);
    const char *root = variable[0] == '$' ? getenv(variable + 1) : variable;
    if (!root || (variable[0] == '$' && !*root)) {
        return false;
    }
    snprintf(place, sizeof place, "%s%s", root, folder + length);
    bool is_there = false;
    if (glob(place, 0, NULL, &found) == 0) {
        for (size_t i = found.gl_pathc; i > 0 && !is_there; i--) {
            is_there = path_program_in(found.gl_pathv[i - 1], strlen(found.gl_pathv[i - 1]), name, path);
        }
        globfree(&found);
    }
    return is_there;
}

bool profiler_find(const struct counter_vendor *vendor, char path[PATH_MAX]) {
    const char *named = getenv(vendor->variable);
    if (named) {
        return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX && access(path, X_OK) == 0;
    }
    bool is_there = path_find_program(vendor->profiler, path);
    for (size_t i = 0; vendor->folders[i] && !is_there; i++) {
        is_there = find_in_folder(vendor->folders[i], vendor->profiler, path);
    }
    return is_there;
}

// ---- Running it ----

// Becomes the profiler, in a separate process group, so that everything it starts ends with it. It ends with this
// process.
static void become(const struct profiler_run *run) {
    const int log = open(run->log, O_WRONLY | O_CREAT | O_TRUNC, 0666), null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (log < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0 ||
        dup2(log, STDERR_FILENO) < 0) {
        _exit(127);
    }
    execv(run->command[0], run->command);
    _exit(127);
}

static off_t size_of(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? info.st_size : 0;
}

// Waits for the end. Returns false after it has killed a process that was silent for too long.
static bool await(const struct profiler_run *run, pid_t process, int *result) {
    off_t size = -1;
    double heard_s = clock_s();
    while (waitpid(process, result, WNOHANG) == 0) {
        const off_t now = size_of(run->log) + size_of(run->launches);
        if (now != size) {
            size = now;
            heard_s = clock_s();
        }
        if (clock_s() - heard_s > run->silent_s) {
            kill(-process, SIGKILL);
            waitpid(process, result, 0);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    kill(-process, SIGKILL); // any processes that it left running
    return true;
}

enum status profiler_run(const struct profiler_run *run, struct error *error) {
    int result = 0;
    const pid_t process = fork();
    if (process < 0) {
        return error_set(error, STATUS_FAILED, "%s cannot be started: %s", run->command[0], strerror(errno));
    }
    if (process == 0) {
        become(run);
    }
    setpgid(process, process);
    if (!await(run, process, &result)) {
        return error_set(error, STATUS_FAILED, "%s hangs: it printed nothing for %.0f s", run->command[0],
                         run->silent_s);
    }
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_FAILED, "%s ended with %s %d", run->command[0],
                     WIFEXITED(result) ? "status" : "signal",
                     WIFEXITED(result) ? WEXITSTATUS(result) : WTERMSIG(result));
}
