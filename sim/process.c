#include "sim/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/file.h"
#include "util/leftover.h"

// ---- Confinement ----

enum {
    COMPILER_BYTES_LOG2 = 33, // 8 GiB
};

// The resource's type has another name in each C library.
#define DEFINE_LIMIT(name, resource)                                                                                   \
    static void limit_##name(rlim_t value) {                                                                           \
        struct rlimit now;                                                                                             \
        if (getrlimit(resource, &now) == 0) {                                                                          \
            now.rlim_cur = value < now.rlim_max ? value : now.rlim_max;                                                \
            setrlimit(resource, &now);                                                                                 \
        }                                                                                                              \
    }
DEFINE_LIMIT(memory, RLIMIT_AS)
DEFINE_LIMIT(seconds, RLIMIT_CPU)
DEFINE_LIMIT(core_file, RLIMIT_CORE)

static uint64_t address_space_bytes(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%llu", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void sim_confine_compilers(void) {
    limit_core_file(0);
    limit_seconds((rlim_t)ceil(scratch_compiler_seconds()));
    limit_memory(address_space_bytes() + ((rlim_t)1 << COMPILER_BYTES_LOG2));
}

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static volatile sig_atomic_t offered = -1;

void sim_confine_offer(int file) {
    offered = file;
}

static void return_from_call(void *context, long long value) {
#if defined(__x86_64__)
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = value;
#elif defined(__aarch64__)
    ((ucontext_t *)context)->uc_mcontext.regs[0] = (unsigned long long)value;
#else
    (void)context, (void)value;
#endif
}

void sim_deny_call(void *context) {
    return_from_call(context, -ENOSYS);
}

static bool opens(int call) {
#ifdef SYS_open
    if (call == SYS_open) {
        return true;
    }
#endif
    return call == SYS_openat;
}

static void deny(int signal_number, siginfo_t *information, void *context) {
    (void)signal_number;
    if (offered >= 0 && opens(information->si_syscall)) {
        return_from_call(context, dup(offered));
        offered = -1;
    } else {
        sim_deny_call(context);
    }
}

#ifdef OWN_ARCHITECTURE
// What memory allocation, printf, the signals of a fault, DWARF that is read on demand, and the end of the process
// need. SYS_exit_group is not here: only a kernel that calls exit makes this call.
static const unsigned allowed_calls[] = {
    SYS_read,         SYS_pread64,     SYS_write,           SYS_writev,        SYS_lseek,        SYS_dup,
    SYS_close,        SYS_fstat,       SYS_newfstatat,      SYS_brk,           SYS_mmap,         SYS_munmap,
    SYS_mremap,       SYS_mprotect,    SYS_madvise,         SYS_memfd_create,  SYS_ftruncate,    SYS_futex,
    SYS_getpid,       SYS_gettid,      SYS_getrandom,       SYS_clock_gettime, SYS_gettimeofday, SYS_rt_sigaction,
    SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_sysinfo,       SYS_exit};

static void filter_calls(void) {
    enum {
        ALLOWED = sizeof allowed_calls / sizeof *allowed_calls
    };
    const struct sock_filter begin[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    const struct sock_filter end[] = {
        // abort signals its own thread, and nobody else.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        // A kernel may not block the signals that stop it, as the creation of a thread does.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
        // printf asks whether it writes to a terminal.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_filter steps[(sizeof begin + sizeof end) / sizeof *begin + 2 * ALLOWED];
    struct sock_filter *step = mempcpy(steps, begin, sizeof begin);
    for (size_t i = 0; i < ALLOWED; i++) {
        *step++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed_calls[i], 0, 1);
        *step++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    memcpy(step, end, sizeof end);
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    }
}
#else
static void filter_calls(void) {}
#endif

// The timer continues, because it may find the simulator at work and no lane.
static void start_timer(double limit_s) {
    signal(SIGALRM, SIG_IGN); // where no kernel runs
    const double whole = floor(limit_s), part = limit_s - whole;
    const struct itimerval timer = {.it_value = {(time_t)whole, (suseconds_t)(part * 1e6)},
                                    .it_interval = {0, 50 * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void sim_confine_kernels(uint64_t more_bytes, double limit_s) {
    limit_seconds(RLIM_INFINITY);
    limit_memory(address_space_bytes() + more_bytes);
    leftover_end_keeper();
    start_timer(limit_s);
    struct sigaction action = {.sa_sigaction = deny, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSYS, &action, NULL);
    filter_calls();
}

// ---- Compilers ----

// LLVM's programs.

enum {
    NEWEST = 25, // versions of LLVM
    OLDEST = 14
};

bool sim_find_llvm_tool(const char *name, char path[PATH_MAX]) {
    static const char rocm[] = "/opt/rocm/llvm/bin";
    char versioned[64];
    if (path_program_in(rocm, strlen(rocm), name, path)) {
        return true;
    }
    for (int version = NEWEST; version >= OLDEST; version--) {
        snprintf(versioned, sizeof versioned, "%s-%d", name, version);
        if (path_find_program(versioned, path)) {
            return true;
        }
    }
    return path_find_program(name, path);
}

int sim_llvm_tool_version(const char *path) {
    static const char word[] = "version ";
    const char *dash = strrchr(path, '-');
    char program[PATH_MAX], option[] = "--version", *words[] = {program, option, NULL}, *text = NULL;
    if (dash && atoi(dash + 1) > 0) {
        return atoi(dash + 1);
    }
    snprintf(program, sizeof program, "%s", path);
    const char *found = scratch_run(NULL, words, &text, NULL) == STATUS_OK ? strstr(text, word) : NULL;
    const int version = found ? atoi(found + sizeof word - 1) : 0;
    free(text);
    return version;
}

extern char **environ;

#define TMPDIR_SETTING "TMPDIR="

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

void scratch_leave(struct scratch *scratch) {
    folder_remove(scratch->path);
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

char *scratch_read_all(FILE *file, size_t *count) {
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
    char *text = file ? scratch_read_all(file, count) : NULL;
    if (file) {
        fclose(file);
    }
    return text;
}

// This process's environment with another setting of TMPDIR. The caller frees the list, and not its texts.
static char **environment_with(char *setting) {
    size_t count = 0, kept = 0;
    while (environ[count]) {
        count++;
    }
    char **list = memory_zeros(count + 2, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], TMPDIR_SETTING, strlen(TMPDIR_SETTING)) != 0) {
            list[kept++] = environ[i];
        }
    }
    list[kept] = setting;
    return list;
}

// In the group that ends with this process.
static int spawn(char *const *arguments, char *const *environment, int log, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, ending;
    sigemptyset(&none);
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGXFSZ);
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
    int failure = posix_spawnp(child, arguments[0], &actions, &attributes, arguments, environment);
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

static enum status run_logged(char *const *arguments, char *const *environment, FILE *log, char **output,
                              struct error *error) {
    pid_t child;
    const double seconds = scratch_compiler_seconds();
    int failure = spawn(arguments, environment, fileno(log), &child), status;
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
    char *text = scratch_read_all(log, &count);
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
    char *setting = scratch ? memory_format(TMPDIR_SETTING "%s", scratch->path) : NULL;
    char **environment = setting ? environment_with(setting) : NULL;
    enum status status = run_logged(arguments, environment ? environment : environ, log, output, error);
    free(environment);
    free(setting);
    fclose(log);
    return status;
}

void scratch_first_line(char *const *arguments, char *text, size_t size) {
    char *output = NULL;
    *text = '\0';
    if (scratch_run(NULL, arguments, &output, NULL) == STATUS_OK) {
        snprintf(text, size, "%.*s", (int)strcspn(output, "\n"), output);
    }
    free(output);
}
