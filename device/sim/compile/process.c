#include "device/sim/compile/process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const int ending_signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};

enum status scratch_enter(struct scratch *scratch, struct error *error) {
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder) {
        folder = "/tmp";
    }
    // Leaves half of the space for the names of the files in the folder.
    int length = snprintf(scratch->path, sizeof scratch->path, "%s/bankshot.XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof scratch->path / 2) {
        return error_set(error, STATUS_FAILED, "TMPDIR is too long a path: set it to a shorter one");
    }
    sigset_t ending;
    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof ending_signals / sizeof *ending_signals; i++) {
        sigaddset(&ending, ending_signals[i]);
    }
    pthread_sigmask(SIG_BLOCK, &ending, &scratch->signals);
    if (!mkdtemp(scratch->path)) {
        int reason = errno;
        pthread_sigmask(SIG_SETMASK, &scratch->signals, NULL);
        return error_set(error, STATUS_FAILED, "no temporary folder in %s (%s): set TMPDIR to one that can be written",
                         folder, strerror(reason));
    }
    return STATUS_OK;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status, (void)type, (void)walk;
    return remove(path);
}

void scratch_leave(struct scratch *scratch) {
    nftw(scratch->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    pthread_sigmask(SIG_SETMASK, &scratch->signals, NULL);
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

static int spawn(const struct scratch *scratch, char *const *arguments, int log, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
                                     0); // closed last, because log may have this number
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &scratch->signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int failure = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
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
    if (WIFSIGNALED(status)) {
        error_set(error, STATUS_FAILED, "the compiler %s was killed by signal %d (%s): give it more memory or time",
                  program, WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        char line[512];
        first_error(log, line, sizeof line);
        error_set(error, STATUS_FAILED, "the compiler %s failed with status %d: %s", program, WEXITSTATUS(status),
                  line);
    }
    error_attach_log(error, log);
}

static enum status no_memory_for_log(struct error *error) {
    return error_set(error, STATUS_FAILED, "no memory for a compiler's output: close other programs");
}

static enum status run_logged(const struct scratch *scratch, char *const *arguments, FILE *log, char **output,
                              struct error *error) {
    pid_t child;
    int failure = spawn(scratch, arguments, fileno(log), &child), status;
    if (failure) {
        return error_set(error, STATUS_FAILED,
                         "cannot run the compiler %s (%s): install gcc or clang, or name one in CC", arguments[0],
                         strerror(failure));
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return error_set(error, STATUS_FAILED, "lost the compiler %s: %s", arguments[0], strerror(errno));
        }
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
enum status scratch_run(const struct scratch *scratch, char *const *arguments, char **output, struct error *error) {
    int file = memfd_create("bankshot-log", MFD_CLOEXEC);
    FILE *log = file >= 0 ? fdopen(file, "r+") : NULL;
    if (!log) {
        if (file >= 0) {
            close(file);
        }
        return no_memory_for_log(error);
    }
    enum status status = run_logged(scratch, arguments, log, output, error);
    fclose(log);
    return status;
}
