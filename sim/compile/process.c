#include "sim/compile/process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/leftover.h"

enum {
    NEWEST = 25, // versions of LLVM
    OLDEST = 14
};

static bool is_program(const char *folder, size_t length, const char *name, char path[PATH_MAX]) {
    const int written = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, name);
    return written < PATH_MAX && access(path, X_OK) == 0;
}

static bool find_in_path(const char *name, char path[PATH_MAX]) {
    for (const char *at = getenv("PATH"); at && *at;) {
        const size_t length = strcspn(at, ":");
        if (is_program(at, length, name, path)) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

bool sim_find_llvm_tool(const char *name, char path[PATH_MAX]) {
    static const char rocm[] = "/opt/rocm/llvm/bin";
    char versioned[64];
    if (is_program(rocm, strlen(rocm), name, path)) {
        return true;
    }
    for (int version = NEWEST; version >= OLDEST; version--) {
        snprintf(versioned, sizeof versioned, "%s-%d", name, version);
        if (find_in_path(versioned, path)) {
            return true;
        }
    }
    return find_in_path(name, path);
}

int sim_llvm_tool_version(const char *path) {
    static const char word[] = "version ";
    const char *dash = strrchr(path, '-');
    char program[PATH_MAX], option[] = "--version", *words[] = {program, option, NULL}, *text = NULL;
    if (dash && atoi(dash + 1) > 0) {
        return atoi(dash + 1);
    }
    snprintf(program, sizeof program, "%s", path);
    const char *found = scratch_run(words, &text, NULL) == STATUS_OK ? strstr(text, word) : NULL;
    const int version = found ? atoi(found + sizeof word - 1) : 0;
    free(text);
    return version;
}

extern char **environ;

enum {
    COMPILER_SECONDS = 120,          // that a compiler may take
    COMPILER_FILE_BYTES = 128 << 20, // that it may write to a file, or print
    NAME_TRIES = 16
};

// A name that nobody can guess.
static bool choose_name(const char *folder, char path[PATH_MAX]) {
    uint64_t number;
    return getrandom(&number, sizeof number, 0) == (ssize_t)sizeof number &&
           snprintf(path, PATH_MAX, "%s/bankshot.%016" PRIx64, folder, number) < LEFTOVER_PATH;
}

// The folder is known as a leftover before it exists, so that no signal comes between.
static enum status make_folder(struct scratch *scratch, const char *folder, struct error *error) {
    for (int i = 0; i < NAME_TRIES; i++) {
        // Leaves half of the space for the names of the files in the folder.
        if (!choose_name(folder, scratch->path)) {
            return error_set(error, STATUS_FAILED, "TMPDIR is too long a path: set it to a shorter one");
        }
        const enum status status = leftover_folder_add(scratch->path, error);
        if (status != STATUS_OK || mkdir(scratch->path, 0700) == 0) {
            return status;
        }
        const int reason = errno;
        leftover_folder_forget(scratch->path);
        if (reason != EEXIST) {
            errno = reason;
            break;
        }
    }
    return error_set(error, STATUS_FAILED, "no temporary folder in %s (%s): set TMPDIR to one that can be written",
                     folder, strerror(errno));
}

enum status scratch_enter(struct scratch *scratch, struct error *error) {
    const char *folder = getenv("TMPDIR");
    return make_folder(scratch, folder && *folder ? folder : "/tmp", error);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status, (void)type, (void)walk;
    return remove(path);
}

void scratch_leave(struct scratch *scratch) {
    nftw(scratch->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    leftover_folder_forget(scratch->path);
}

static void path_of(const struct scratch *scratch, const char *name, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%.*s/%.*s", PATH_MAX / 2, scratch->path, PATH_MAX / 4, name);
}

enum status scratch_write(const struct scratch *scratch, const char *name, const void *bytes, size_t count,
                          struct error *error) {
    char path[PATH_MAX];
    path_of(scratch, name, path);
    for (char *slash = path + strlen(scratch->path) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    bool written = file && fwrite(bytes, 1, count, file) == count;
    if (file && fclose(file) != 0) {
        written = false;
    }
    if (!written) {
        return error_set(error, STATUS_FAILED, "cannot write %s (%s): make room, or set TMPDIR to another folder", path,
                         strerror(errno));
    }
    return STATUS_OK;
}

enum status scratch_write_text(const struct scratch *scratch, const char *name, const char *text, struct error *error) {
    return scratch_write(scratch, name, text, strlen(text), error);
}

// Reads a whole file into a string, which the caller frees; NULL if it cannot be read.
static char *read_all(FILE *file, size_t *count) {
    const off_t end = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;
    char *text = end >= 0 ? malloc((size_t)end + 1) : NULL;
    if (!text) {
        return NULL;
    }
    rewind(file);
    *count = fread(text, 1, (size_t)end, file);
    text[*count] = '\0';
    return text;
}

char *scratch_read(const struct scratch *scratch, const char *name, size_t *count) {
    char path[PATH_MAX];
    path_of(scratch, name, path);
    FILE *file = fopen(path, "r");
    char *text = file ? read_all(file, count) : NULL;
    if (file) {
        fclose(file);
    }
    return text;
}

// In the group that ends with this process.
static int spawn(char *const *arguments, int log, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, ending;
    sigemptyset(&none);
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
                                     0); // closed last, because log may have this number
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &ending);
    posix_spawnattr_setpgroup(&attributes, leftover_group());
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    int failure = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

// A broken file must not make a program fill the memory with what it prints. What it wrote before counts, too.
static void limit_files(pid_t child) {
    const struct rlimit limit = {COMPILER_FILE_BYTES, COMPILER_FILE_BYTES};
    prlimit(child, RLIMIT_FSIZE, &limit, NULL); // fails if the child has ended, or its limit is lower
}

double scratch_compiler_seconds(void) {
    const char *text = getenv("BANKSHOT_COMPILER_SECONDS");
    const double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 ? seconds : (double)COMPILER_SECONDS;
}

// A descriptor that can be read once the process ends; -1 on a system that has none.
static int end_of(pid_t process) {
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, process, 0);
#else
    (void)process;
    return -1;
#endif
}

enum ending {
    ENDED,
    NOT_IN_TIME,
    LOST
};

static enum ending wait_until(double deadline_s, int end, pid_t child, int *status) {
    for (;;) {
        const double left_s = deadline_s - clock_s();
        struct pollfd ends = {.fd = end, .events = POLLIN};
        poll(&ends, 1, end < 0 ? 5 : (int)fmin(fmax(left_s, 0) * 1000 + 1, 60 * 1000));
        const pid_t got = waitpid(child, status, WNOHANG);
        if (got == child) {
            return ENDED;
        }
        if (got < 0 && errno != EINTR) {
            return LOST;
        }
        if (left_s <= 0) {
            return NOT_IN_TIME;
        }
    }
}

// Waits for the child, which is killed after that many seconds with all that it has started.
static enum ending wait_for(pid_t child, double seconds, int *status) {
    const int end = end_of(child);
    const enum ending ending = wait_until(clock_s() + seconds, end, child, status);
    if (end >= 0) {
        close(end);
    }
    if (ending == NOT_IN_TIME) {
        const pid_t group = leftover_group();
        kill(group ? -group : child, SIGTERM);
        kill(child, SIGKILL);
        while (waitpid(child, status, 0) < 0 && errno == EINTR) {
        }
    }
    return ending;
}

// Copies the first line of a compiler's log that names an error, or else the first line.
static void first_error(const char *log, char *line, size_t size) {
    const char *begin = strstr(log, "error: ");
    while (begin && begin > log && begin[-1] != '\n') {
        begin--;
    }
    if (!begin) {
        begin = log + strspn(log, " \t\n");
    }
    snprintf(line, size, "%.*s", (int)strcspn(begin, "\n"), *begin ? begin : "no reason given");
}

static void failed(const char *log, const char *program, int status, struct error *error) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ) {
        error_set(error, STATUS_FAILED, "%s wrote more than %d MiB: give it a smaller file", program,
                  COMPILER_FILE_BYTES >> 20);
        return; // without a log of that size
    }
    if (WIFSIGNALED(status)) {
        error_set(error, STATUS_FAILED, "the compiler %s was killed by signal %d (%s): give it more memory or time",
                  program, WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        char line[512];
        const bool no_memory = strstr(log, "memory exhausted") || strstr(log, "out of memory");
        first_error(log, line, sizeof line);
        error_set(error, STATUS_FAILED, "the compiler %s failed with status %d: %s%s", program, WEXITSTATUS(status),
                  line, no_memory ? ": raise the limit of memory (ulimit -v), or close other programs" : "");
    }
    error_attach_log(error, log);
}

static enum status no_memory_for_log(struct error *error) {
    return error_set(error, STATUS_FAILED, "no memory for a compiler's output: close other programs");
}

static enum status run_logged(char *const *arguments, FILE *log, char **output, struct error *error) {
    pid_t child;
    const double seconds = scratch_compiler_seconds();
    int failure = spawn(arguments, fileno(log), &child), status;
    if (failure) {
        return error_set(error, STATUS_FAILED,
                         "cannot run the compiler %s (%s): install gcc or clang, or name one in CC", arguments[0],
                         strerror(failure));
    }
    limit_files(child);
    switch (wait_for(child, seconds, &status)) {
    case NOT_IN_TIME:
        return error_set(error, STATUS_FAILED,
                         "the compiler %s still ran after %g s: see that it does not wait for a file it includes, else "
                         "set BANKSHOT_COMPILER_SECONDS to more",
                         arguments[0], seconds);
    case LOST:
        return error_set(error, STATUS_FAILED, "lost the compiler %s: %s", arguments[0], strerror(errno));
    case ENDED:
        break;
    }
    size_t count;
    char *text = read_all(log, &count);
    if (!text) {
        return no_memory_for_log(error);
    }
    if (status != 0) {
        failed(text, arguments[0], status, error);
    }
    if (status == 0 && output) {
        *output = text;
    } else {
        free(text);
    }
    return status == 0 ? STATUS_OK : STATUS_FAILED;
}

// The log is kept in memory, because the disk may be full.
enum status scratch_run(char *const *arguments, char **output, struct error *error) {
    int file = memfd_create("bankshot-log", MFD_CLOEXEC);
    FILE *log = file >= 0 ? fdopen(file, "r+") : NULL;
    if (!log) {
        if (file >= 0) {
            close(file);
        }
        return no_memory_for_log(error);
    }
    enum status status = run_logged(arguments, log, output, error);
    fclose(log);
    return status;
}
