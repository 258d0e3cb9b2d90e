#include "bench/counters/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/counters/match.h"
#include "bench/counters/vendor.h"
#include "util/clock.h"
#include "util/file.h"

// ---- Finding the profiler ----

enum {
    LOOK_NS = 20 * 1000000 // between two checks of a run
};

// A folder may begin with an environment variable and contain shell wildcards. Where several match, the newest version
// counts.
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

// Finds the profiler: named by the environment, on the PATH, or in the vendor's folders; false if there is none.
static bool profiler_find(const struct counter_vendor *vendor, char path[PATH_MAX]) {
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

// A command to run, with its output in profile->log. It is killed if neither profile->log nor the file `launches` has
// grown for silent_s seconds.
struct profiler_run {
    char *const *command; // ends with NULL
    const char *log, *launches;
    double silent_s;
};

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

// STATUS_FAILED if it cannot be started, fails, or is silent for too long; the error says which.
static enum status profiler_run(const struct profiler_run *run, struct error *error) {
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

// ---- Reading what it counted ----

enum {
    FIRST_VERSION = 70, // oldest architecture that ncu supports
    COMMAND_MAX = 512
};
static const double SILENT_S = 60, START_S = 15; // a profiler may be silent for this long; with a small budget, less

// The folder of a run, and its files.
struct place {
    char folder[PATH_MAX / 2], log[PATH_MAX], launches[PATH_MAX];
    bool kept;
};

// BANKSHOT_COUNTERS=FOLDER keeps what the profiler printed.
static enum status make_place(struct place *place, const struct counter_vendor *vendor, size_t group,
                              struct error *error) {
    const char *kept = getenv("BANKSHOT_COUNTERS"), *temporary = getenv("TMPDIR");
    const char *parent = kept ? kept : temporary && *temporary ? temporary : "/tmp";
    place->kept = kept != NULL;
    snprintf(place->folder, sizeof place->folder, kept ? "%s/%s-%zu" : "%s/bankshot-%s-%zu-XXXXXX", parent,
             vendor->profiler, group);
    if (kept ? mkdir(place->folder, 0777) != 0 && errno != EEXIST : !mkdtemp(place->folder)) {
        return error_set(error, STATUS_FAILED, "%s: cannot be made: %s", place->folder, strerror(errno));
    }
    snprintf(place->log, sizeof place->log, "%s/log", place->folder);
    snprintf(place->launches, sizeof place->launches, "%s/launches", place->folder);
    return STATUS_OK;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

static void remove_place(const struct place *place) {
    if (!place->kept) {
        nftw(place->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    }
}

// Finds the first line of the log with one of the words; returns false if there is none.
static bool find_line(const char *path, const char *const *words, char line[256]) {
    FILE *file = fopen(path, "r");
    bool found = false;
    while (file && !found && fgets(line, 256, file)) {
        for (size_t i = 0; words[i]; i++) {
            found |= strstr(line, words[i]) != NULL;
        }
    }
    if (file) {
        fclose(file);
    }
    line[found ? strcspn(line, "\n") : 0] = '\0';
    return found;
}

// ---- A run ----

static enum status run_profiler(const struct collection *collection, char *profiler, const struct place *place,
                                const struct profile *profile, struct error *error) {
    const struct counters_request *request = collection->request;
    char *command[COMMAND_MAX], self[PATH_MAX];
    struct profiler_options options;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    size_t count = 0;
    collection->vendor->options(profile, &options);
    if (length < 0 || (size_t)request->argc + options.count + 8 > COMMAND_MAX) {
        return error_set(error, STATUS_FAILED, "--counters: the command line is too long: use fewer words");
    }
    self[length] = '\0';
    command[count++] = profiler;
    for (size_t i = 0; i < options.count; i++) {
        command[count++] = (char *)(uintptr_t)options.option[i];
    }
    command[count++] = self;
    for (int i = 1; i < request->argc; i++) {
        command[count++] = request->argv[i];
    }
    const char *const last[] = {"--device", collection->specs, "--quiet", "--count-launches", place->launches, NULL};
    memcpy(command + count, last, sizeof last);
    const struct profiler_run run = {command, place->log, place->launches,
                                     fmin(SILENT_S, START_S + 2 * request->settings->budget_s)};
    return profiler_run(&run, error);
}

// The profiler's or the program's message about its fault.
static enum status explain(const struct collection *collection, const struct place *place, struct error *fault) {
    char said[256], own[64], text[sizeof fault->text];
    snprintf(own, sizeof own, "%s: ", collection->request->program);
    const char *const words[] = {own, "==ERROR==", "rror", "No kernels", NULL};
    snprintf(text, sizeof text, "%s", fault->text);
    const bool found = find_line(place->log, words, said);
    return error_set(fault, STATUS_FAILED,
                     "counters: %s%s%s%s: the rows have none; BANKSHOT_COUNTERS=FOLDER keeps what was printed", text,
                     found ? " (" : "", said, found ? ")" : "");
}

static const char *const *groups_of(const struct collection *collection) {
    const struct counter_vendor *vendor = collection->vendor;
    return collection->request->warm && vendor->warm_groups ? vendor->warm_groups : vendor->groups;
}

// Counts one group of metrics. The launches are those of the first group's run, and the same in each.
static enum status collect_group(const struct collection *collection, char *profiler, size_t group, size_t first_metric,
                                 struct launch_log *log, bool *denied, struct error *fault) {
    const struct counter_vendor *vendor = collection->vendor;
    struct place place = {0};
    struct launch_list counted = {0};
    struct launch_log made = {0};
    char line[256];
    enum status status = make_place(&place, vendor, group, fault);
    if (status != STATUS_OK) {
        return status;
    }
    const struct profile profile = {place.folder, place.log, groups_of(collection)[group], collection->request->warm};
    status = run_profiler(collection, profiler, &place, &profile, fault);
    *denied = find_line(place.log, vendor->refusals, line);
    if (status == STATUS_OK && !*denied) {
        status = vendor->read(&profile, first_metric, &counted, fault);
    }
    if (status == STATUS_OK && !*denied) {
        status = launches_read(group == 0 ? log : &made, place.launches, fault);
    }
    if (status == STATUS_OK && !*denied) {
        status = match_launches(vendor, &counted, log, fault);
    }
    if (status != STATUS_OK && !*denied) {
        explain(collection, &place, fault);
    }
    free(counted.at);
    launches_clear(&made);
    remove_place(&place);
    return status;
}

static bool deny(const struct collection *collection, const char *why, const char *advice) {
    progress_clear(collection->progress);
    fprintf(stderr, "%s: counters: %s: %s\n", collection->request->program, why, advice);
    return false;
}

bool collect(const struct collection *collection, struct launch_log *log, struct error *fault) {
    const struct counter_vendor *vendor = collection->vendor;
    const char *const *groups = groups_of(collection);
    char profiler[PATH_MAX], why[128];
    bool denied = false;
    enum status status = STATUS_OK;
    if (collection->version < FIRST_VERSION) {
        snprintf(why, sizeof why, "ncu needs sm_70 or newer, and this is sm_%u", collection->version);
        return deny(collection, why, "use nvprof of CUDA 12 or older instead");
    }
    if (!profiler_find(vendor, profiler)) {
        snprintf(why, sizeof why, "%s was not found", vendor->profiler);
        return deny(collection, why, vendor->missing);
    }
    for (size_t group = 0, metric = 0; groups[group] && status == STATUS_OK && !denied; group++) {
        status = collect_group(collection, profiler, group, metric, log, &denied, fault);
        metric += metric_count(groups[group]);
    }
    if (denied || status != STATUS_OK) {
        launches_clear(log);
    }
    if (denied) {
        *fault = (struct error){0};
        snprintf(why, sizeof why, "%s is not allowed to count", vendor->profiler);
        return deny(collection, why, vendor->denied);
    }
    return true;
}
