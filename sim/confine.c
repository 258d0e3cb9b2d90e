#include "sim/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim/compile/process.h"
#include "util/leftover.h"

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
#define ALLOWED(CALL)                                                                                                  \
    CALL(read)                                                                                                         \
    CALL(pread64)                                                                                                      \
    CALL(write)                                                                                                        \
    CALL(writev)                                                                                                       \
    CALL(lseek)                                                                                                        \
    CALL(dup)                                                                                                          \
    CALL(close)                                                                                                        \
    CALL(fstat)                                                                                                        \
    CALL(newfstatat)                                                                                                   \
    CALL(brk)                                                                                                          \
    CALL(mmap)                                                                                                         \
    CALL(munmap)                                                                                                       \
    CALL(mremap)                                                                                                       \
    CALL(mprotect)                                                                                                     \
    CALL(madvise)                                                                                                      \
    CALL(memfd_create)                                                                                                 \
    CALL(ftruncate)                                                                                                    \
    CALL(futex)                                                                                                        \
    CALL(getpid)                                                                                                       \
    CALL(gettid)                                                                                                       \
    CALL(getrandom)                                                                                                    \
    CALL(clock_gettime)                                                                                                \
    CALL(gettimeofday)                                                                                                 \
    CALL(rt_sigaction)                                                                                                 \
    CALL(rt_sigreturn)                                                                                                 \
    CALL(sigaltstack)                                                                                                  \
    CALL(restart_syscall)                                                                                              \
    CALL(sysinfo)                                                                                                      \
    CALL(exit)

// Where the simulator's own calls return to, as the filter sees it.
extern const char sim_own_call_returns[];

static void filter_calls(void) {
    const uint64_t own = (uint64_t)(uintptr_t)sim_own_call_returns;
    const size_t place = offsetof(struct seccomp_data, instruction_pointer);
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)place), // both processors are little-endian
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)own, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)place + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(own >> 32), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOWED(ALLOW)
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
