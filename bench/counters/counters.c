#include "bench/counters/counters.h"

#include <errno.h>
#include <fcntl.h>
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

#include "util/clock.h"
#include "util/file.h"
#include "util/leftover.h"

static const double TOLERANCE = 0.01;

// ---- Launches ----

// A profiler may append a kernel's parameters or the suffix of its descriptor.
static bool is_kernel(const char *printed, const char *kernel) {
    const size_t length = strlen(kernel);
    return strncmp(printed, kernel, length) == 0 && strchr("(. ", printed[length]);
}

static double product(struct dimensions size) {
    return (double)size.x * size.y * size.z;
}

// Older versions print no sizes. AMD's profiler prints the numbers of threads of the grid and of a block.
static bool is_size(const struct counter_vendor *vendor, struct dimensions printed, struct dimensions size,
                    double threads) {
    const bool same = printed.x == size.x && printed.y == size.y && printed.z == size.z;
    return product(printed) == 0 || (vendor->counts_all ? product(printed) == product(size) * threads : same);
}

static bool is_launch(const struct counter_vendor *vendor, const struct counted_launch *printed,
                      const struct counted_launch *launch) {
    return is_kernel(printed->kernel, launch->kernel) &&
           is_size(vendor, printed->grid, launch->grid, product(launch->block)) &&
           is_size(vendor, printed->block, launch->block, 1);
}

// Whether some row needs this kernel's counts.
static bool is_wanted(const struct launch_log *log, const char *printed) {
    for (size_t i = 0; i < log->launches.count; i++) {
        if (log->launches.at[i].counted && is_kernel(printed, log->launches.at[i].kernel)) {
            return true;
        }
    }
    return false;
}

// The next counted launch, starting with this one.
static size_t next_launch(const struct counter_vendor *vendor, const struct launch_log *log, size_t from) {
    while (from < log->launches.count && !log->launches.at[from].counted &&
           !(vendor->counts_all && is_wanted(log, log->launches.at[from].kernel))) {
        from++;
    }
    return from;
}

static void add_values(double to[LAUNCH_COUNTERS_MAX], const double from[LAUNCH_COUNTERS_MAX]) {
    for (size_t i = 0; i < LAUNCH_COUNTERS_MAX; i++) {
        to[i] = isnan(from[i]) ? to[i] : from[i];
    }
}

enum status match_launches(const struct counter_vendor *vendor, const struct launch_list *counted,
                           struct launch_log *log, struct error *error) {
    size_t at = next_launch(vendor, log, 0);
    for (size_t i = 0; i < counted->count; i++) {
        const struct counted_launch *printed = &counted->at[i];
        if (vendor->counts_all && !is_wanted(log, printed->kernel)) {
            continue;
        }
        if (at == log->launches.count || !is_launch(vendor, printed, &log->launches.at[at])) {
            return error_set(error, STATUS_FAILED, "%s counted %.60s as launch %zu, where %s was launched",
                             vendor->profiler, printed->kernel, i,
                             at < log->launches.count ? log->launches.at[at].kernel : "nothing");
        }
        add_values(log->launches.at[at].values, printed->values);
        at = next_launch(vendor, log, at + 1);
    }
    return at == log->launches.count
               ? STATUS_OK
               : error_set(error, STATUS_FAILED, "%s counted only %zu launches", vendor->profiler, counted->count);
}

// ---- Rows ----

// Rows that are measured again come again, in the same order.
static struct counted_row *find_row(struct launch_log *log, const struct row *row) {
    char key[ROW_KEY];
    struct counted_row *found = NULL;
    row_key(row, key);
    for (size_t i = 0; i < log->row_count; i++) {
        if (strcmp(log->rows[i].key, key) == 0 && (!found || log->rows[i].uses < found->uses)) {
            found = &log->rows[i];
        }
    }
    if (found) {
        found->uses++;
    }
    return found;
}

// A row about one of several kernels names it.
static bool is_of_row(const struct counted_launch *launch, const struct row *row) {
    char grid[ROW_TEXT], block[ROW_TEXT];
    if (strcmp(row->kernel, "all") != 0 && strcmp(row->kernel, launch->kernel) != 0) {
        return false;
    }
    row_format_dimensions(grid, launch->grid);
    row_format_dimensions(block, launch->block);
    return strcmp(grid, row->grid) == 0 && strcmp(block, row->block) == 0;
}

const struct counted_launch *match_row(struct launch_log *log, const struct row *row, bool *left_out) {
    const struct counted_row *found = find_row(log, row);
    const struct counted_launch *match = NULL;
    const bool has_launch = *row->grid && *row->block;
    *left_out = !found && log->row_count > 0;
    if (!found || (!has_launch && *row->block)) {
        return NULL; // a row about several kernels, or about the host
    }
    for (size_t i = found->first; i < found->end; i++) {
        const struct counted_launch *launch = &log->launches.at[i];
        if (!launch->counted || (has_launch ? !is_of_row(launch, row) : launch->window != found->window)) {
            continue;
        }
        if (!has_launch && match) {
            return NULL;
        }
        match = launch;
    }
    return match;
}

// ---- The verdict ----

static void compare(double counted, double model, double whole, bool *compared, bool *differs) {
    if (!isnan(counted) && !isnan(model)) {
        *compared = true;
        *differs |= fabs(counted - model) > TOLERANCE * fmax(model, whole);
    }
}

const char *match_verdict(const struct row *row) {
    bool compared = false, differs = false;
    if (row->requests > 0) { // smem's rows leave out their requests to global memory
        compare(row->counted_requests, row->requests, 0, &compared, &differs);
        compare(row->counted_sectors, row->sectors, 0, &compared, &differs);
    }
    compare(row->counted_passes, row->passes, 0, &compared, &differs);
    compare(row->counted_conflicts, row->bank_conflicts, row->passes, &compared, &differs);
    return differs ? "differs" : compared ? "agrees" : "";
}

// ---- The additional run ----

struct collection {
    const struct counter_vendor *vendor;
    const struct counters_request *request;
    const char *specs; // of the vendor's devices, as --device takes them
    const char *arch;  // of one of them
    unsigned version;  // of an NVIDIA device's architecture; otherwise UINT32_MAX
};

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

// Becomes the profiler, in a separate process group, so that everything it starts ends with it. It ends with this
// process.
static void become(char *const *command, const char *output) {
    const int log = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666), null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (log < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0 ||
        dup2(log, STDERR_FILENO) < 0) {
        _exit(127);
    }
    execv(command[0], command);
    _exit(127);
}

static off_t size_of(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? info.st_size : 0;
}

// Waits for the end. Returns false after it has killed a process that was silent for too long.
static bool await(const struct profile *profile, double silent_s, pid_t process, int *result) {
    off_t size = -1;
    double heard_s = clock_s();
    while (waitpid(process, result, WNOHANG) == 0) {
        const off_t now = size_of(profile->log) + size_of(profile->launches);
        if (now != size) {
            size = now;
            heard_s = clock_s();
        }
        if (clock_s() - heard_s > silent_s) {
            kill(-process, SIGKILL);
            waitpid(process, result, 0);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    kill(-process, SIGKILL); // any processes that it left running
    return true;
}

// Runs a command, whose words end with NULL. It is killed if neither its output nor the file of its launches has grown
// for silent_s seconds. STATUS_FAILED if it cannot be started, fails, or is silent for too long; the error says which.
static enum status profiler_run(char *const *command, const struct profile *profile, double silent_s,
                                struct error *error) {
    int result = 0;
    const pid_t process = fork();
    if (process < 0) {
        return error_set(error, STATUS_FAILED, "%s cannot be started: %s", command[0], strerror(errno));
    }
    if (process == 0) {
        become(command, profile->log);
    }
    setpgid(process, process);
    if (!await(profile, silent_s, process, &result)) {
        return error_set(error, STATUS_FAILED, "%s hangs: it printed nothing for %.0f s", command[0], silent_s);
    }
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_FAILED, "%s ended with %s %d", command[0], WIFEXITED(result) ? "status" : "signal",
                     WIFEXITED(result) ? WEXITSTATUS(result) : WTERMSIG(result));
}

// ---- Reading what it counted ----

enum {
    FIRST_VERSION = 70, // oldest architecture that ncu supports
    COMMAND_MAX = 512
};
static const double SILENT_S = 60, START_S = 15; // a profiler may be silent for this long; with a small budget, less

// BANKSHOT_COUNTERS=FOLDER keeps what the profiler printed.
static enum status make_folder(struct profile *profile, const struct counter_vendor *vendor, size_t group,
                               struct error *error) {
    const char *kept = getenv("BANKSHOT_COUNTERS"), *temporary = getenv("TMPDIR");
    const char *parent = kept ? kept : temporary && *temporary ? temporary : "/tmp";
    profile->kept = kept != NULL;
    snprintf(profile->folder, sizeof profile->folder, kept ? "%s/%s-%zu" : "%s/bankshot-%s-%zu-XXXXXX", parent,
             vendor->profiler, group);
    if (kept ? mkdir(profile->folder, 0777) != 0 && errno != EEXIST : !mkdtemp(profile->folder)) {
        return error_set(error, STATUS_FAILED, "%s: cannot be made: %s", profile->folder, strerror(errno));
    }
    snprintf(profile->log, sizeof profile->log, "%s/log", profile->folder);
    snprintf(profile->launches, sizeof profile->launches, "%s/launches", profile->folder);
    return STATUS_OK;
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

static enum status run_profiler(const struct collection *collection, char *profiler, const struct profile *profile,
                                struct error *error) {
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
    const char *const last[] = {"--device", collection->specs, "--quiet", "--count-launches", profile->launches, NULL};
    memcpy(command + count, last, sizeof last);
    return profiler_run(command, profile, fmin(SILENT_S, START_S + 2 * request->settings->budget_s), error);
}

// The profiler's or the program's message about its fault.
static enum status explain(const struct collection *collection, const struct profile *profile, struct error *fault) {
    char said[256], own[64], text[sizeof fault->text];
    snprintf(own, sizeof own, "%s: ", collection->request->program);
    const char *const words[] = {own, "==ERROR==", "rror", "No kernels", NULL};
    snprintf(text, sizeof text, "%s", fault->text);
    const bool found = find_line(profile->log, words, said);
    return error_set(fault, STATUS_FAILED,
                     "counters: %s%s%s%s: the rows have none; BANKSHOT_COUNTERS=FOLDER keeps what was printed", text,
                     found ? " (" : "", said, found ? ")" : "");
}

static const char *const *groups_of(const struct collection *collection) {
    const struct counter_vendor *vendor = collection->vendor;
    return vendor->groups_of                                  ? vendor->groups_of(collection->arch)
           : collection->request->warm && vendor->warm_groups ? vendor->warm_groups
                                                              : vendor->groups;
}

// Counts one group of metrics. The launches are those of the first group's run, and the same in each. STATUS_NO_DEVICE
// if the profiler is not allowed to count.
static enum status collect_group(const struct collection *collection, char *profiler, size_t group,
                                 struct launch_log *log, struct error *fault) {
    const struct counter_vendor *vendor = collection->vendor;
    struct profile profile = {.metrics = groups_of(collection)[group], .warm = collection->request->warm};
    struct launch_list counted = {0};
    struct launch_log made = {0};
    char line[256];
    TRY(make_folder(&profile, vendor, group, fault));
    enum status status = run_profiler(collection, profiler, &profile, fault);
    if (find_line(profile.log, vendor->refusals, line)) {
        status = error_set(fault, STATUS_NO_DEVICE, "%s is not allowed to count: %s", vendor->profiler, vendor->denied);
    } else {
        THEN(status, vendor->read(&profile, &counted, fault));
        THEN(status, launches_read(group == 0 ? log : &made, profile.launches, fault));
        THEN(status, match_launches(vendor, &counted, log, fault));
        status = status == STATUS_OK ? status : explain(collection, &profile, fault);
    }
    free(counted.at);
    launches_clear(&made);
    if (!profile.kept) {
        folder_remove(profile.folder);
    }
    return status;
}

// STATUS_NO_DEVICE if counting is denied; after another fault, too, the log is empty.
static enum status collect(const struct collection *collection, struct launch_log *log, struct error *fault) {
    const struct counter_vendor *vendor = collection->vendor;
    const char *const *groups = groups_of(collection);
    char profiler[PATH_MAX];
    enum status status = STATUS_OK;
    if (collection->version < FIRST_VERSION) {
        return error_set(fault, STATUS_NO_DEVICE,
                         "ncu needs sm_70 or newer, and this is sm_%u: use nvprof of CUDA 12 or older instead",
                         collection->version);
    }
    if (!profiler_find(vendor, profiler)) {
        return error_set(fault, STATUS_NO_DEVICE, "%s was not found: %s", vendor->profiler, vendor->missing);
    }
    for (size_t group = 0; groups[group] && status == STATUS_OK; group++) {
        status = collect_group(collection, profiler, group, log, fault);
    }
    if (status != STATUS_OK) {
        launches_clear(log);
    }
    return status;
}

static const struct counter_vendor *const vendors[COUNTER_VENDORS] = {&nvidia_counters, &amd_counters};

static size_t vendor_of(const char *backend) {
    size_t number = 0;
    while (number < COUNTER_VENDORS && strcmp(backend_of(vendors[number]->backend)->name, backend) != 0) {
        number++;
    }
    return number;
}

static enum status check_option(const struct option_row *row, const void *base, struct error *error) {
    const char *const *value = (const void *)((const char *)base + row->offset);
    if (row->kind == OPTION_INPUT && *value && strcmp(*value, "-") == 0) {
        return error_set(error, STATUS_USAGE, "--%s -: --counters reads the input twice: name a file", row->name);
    }
    return STATUS_OK;
}

static enum status check(const struct counters_request *request, const struct option_table *options, size_t count,
                         struct error *error) {
    for (size_t i = 0; i < request->device_count; i++) {
        const struct device_info *info = &request->devices[i].device->info;
        if (vendor_of(backend_of(info->backend)->name) == COUNTER_VENDORS) {
            return error_set(error, STATUS_USAGE, "--counters: %s has no counters: give --device cuda or hip",
                             info->spec);
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t row = 0; row < options[i].count; row++) {
            TRY(check_option(&options[i].rows[row], options[i].base, error));
        }
    }
    return STATUS_OK;
}

// The vendor's devices make one run together.
static void collect_vendor(struct counters *counters, const struct counters_request *request, size_t vendor) {
    char specs[1024] = "";
    const char *arch = "";
    unsigned version = UINT32_MAX;
    for (size_t d = 0; d < request->device_count; d++) {
        const struct device_info *info = &request->devices[d].device->info;
        const size_t length = strlen(specs);
        if (vendor_of(backend_of(info->backend)->name) == vendor) {
            snprintf(specs + length, sizeof specs - length, "%s%s", length ? "," : "", info->spec);
            arch = info->arch;
            sscanf(arch, "sm_%u", &version);
        }
    }
    if (*specs) {
        struct progress progress = progress_start(1, request->settings->quiet);
        const struct collection collection = {vendors[vendor], request, specs, arch, version};
        struct error fault = {0};
        progress_show(&progress, vendors[vendor]->profiler);
        const enum status status = collect(&collection, &counters->logs[vendor], &fault);
        progress_clear(&progress);
        counters->denied[vendor] = status == STATUS_NO_DEVICE;
        if (counters->denied[vendor]) {
            fprintf(stderr, "%s: counters: %s\n", request->program, fault.text);
        } else if (status != STATUS_OK) {
            counters->fault = fault;
        }
    }
}

enum status counters_collect(struct counters *counters, const struct counters_request *request,
                             const struct option_table *options, size_t count, struct error *error) {
    TRY(check(request, options, count, error));
    for (size_t i = 0; i < COUNTER_VENDORS; i++) {
        collect_vendor(counters, request, i);
    }
    return STATUS_OK;
}

void counters_fill(struct counters *counters, struct row *row, bool again) {
    const size_t vendor = vendor_of(row->backend);
    if (vendor == COUNTER_VENDORS) {
        return;
    }
    if (counters->denied[vendor]) {
        snprintf(row->counters, sizeof row->counters, "denied");
        return;
    }
    bool left_out;
    const struct counted_launch *launch = match_row(&counters->logs[vendor], row, &left_out);
    if (launch) {
        vendors[vendor]->fill(launch, row);
        snprintf(row->counters, sizeof row->counters, "%s", match_verdict(row));
    }
    counters->agree += !again && strcmp(row->counters, "agrees") == 0;
    counters->differ += !again && strcmp(row->counters, "differs") == 0;
    counters->left_out += !again && left_out;
}

enum status counters_conclude(const struct counters *counters, const char *program, struct error *error) {
    if (*counters->fault.text) {
        return error_set(error, STATUS_FAILED, "%s", counters->fault.text);
    }
    if (counters->agree + counters->differ > 0) {
        fprintf(stderr, "%s: counters: %llu rows agree with the model, %llu differ\n", program,
                (unsigned long long)counters->agree, (unsigned long long)counters->differ);
    }
    if (counters->left_out > 0) {
        fprintf(stderr, "%s: counters: %llu rows have none, because time ran out: give a larger --budget, or --full\n",
                program, (unsigned long long)counters->left_out);
    }
    return STATUS_OK;
}

void counters_clear(struct counters *counters) {
    for (size_t i = 0; i < COUNTER_VENDORS; i++) {
        launches_clear(&counters->logs[i]);
    }
}
