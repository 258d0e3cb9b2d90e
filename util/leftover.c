#include "util/leftover.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LEFTOVERS_MAX = 4, // a CSV, a graph, distances
    FOLDERS_MAX = 16,
    REMOVALS_MAX = 50, // of a folder into which a program may still write
    REMOVAL_PAUSE_NS = 10 * 1000 * 1000,
    CLEAN_MS_MAX = 5000,
    FILES_MAX = 1024 // descriptors that a process can have inherited
};

// ---- The keeper of folders ----

enum message_kind {
    FOLDER_ADD,
    FOLDER_FORGET,
    CLEAN // remove all folders now, and answer
};

struct message {
    enum message_kind kind;
    char path[LEFTOVER_PATH];
};

// The process that removes this process's folders, and the socket to it.
static struct {
    pthread_mutex_t lock;
    pid_t owner; // the process that started it; after fork, a child needs its own
    pid_t process;
    int socket;
} keeper = {.lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1};

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status, (void)type, (void)walk;
    remove(path);
    return 0;
}

void folder_remove(const char *path) {
    const struct timespec pause = {.tv_nsec = REMOVAL_PAUSE_NS};
    struct stat about;
    for (int i = 0; i < REMOVALS_MAX && lstat(path, &about) == 0; i++) {
        nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
        if (lstat(path, &about) == 0) {
            nanosleep(&pause, NULL);
        }
    }
}

// To the keeper's own group, in which compilers run.
static void signal_group(int number) {
    if (getpgrp() == getpid()) {
        kill(0, number);
    }
}

// The compilers first, which would write into the folders.
static void clean(char folders[FOLDERS_MAX][LEFTOVER_PATH]) {
    signal_group(SIGTERM);
    for (size_t i = 0; i < FOLDERS_MAX; i++) {
        if (*folders[i]) {
            folder_remove(folders[i]);
        }
    }
}

static void keep(char folders[FOLDERS_MAX][LEFTOVER_PATH], const char *path, const char *in_place_of) {
    for (size_t i = 0; i < FOLDERS_MAX; i++) {
        if (strcmp(folders[i], in_place_of) == 0) {
            memcpy(folders[i], path, strlen(path) + 1);
            return;
        }
    }
}

// It gets its own process group, so that a terminal's signals reach neither it nor the compilers, which this process
// ends.
static _Noreturn void run_keeper(int socket) {
    static char folders[FOLDERS_MAX][LEFTOVER_PATH];
    struct message message;
    setpgid(0, 0);
    const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGALRM, SIGTSTP};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        signal(ignored[i], SIG_IGN);
    }
    for (int file = 0; file < FILES_MAX; file++) {
        if (file != socket) {
            close(file);
        }
    }
    ssize_t got;
    while ((got = recv(socket, &message, sizeof message, 0)) == (ssize_t)sizeof message ||
           (got < 0 && errno == EINTR)) {
        if (got < 0) {
            continue;
        }
        message.path[LEFTOVER_PATH - 1] = '\0';
        if (message.kind == CLEAN) {
            clean(folders);
            send(socket, &message, 1, MSG_NOSIGNAL);
        } else if (message.kind == FOLDER_ADD) {
            keep(folders, message.path, "");
        } else {
            keep(folders, "", message.path);
        }
    }
    clean(folders);
    signal_group(SIGKILL);
    _exit(0);
}

static enum status start_keeper(struct error *error) {
    int ends[2];
    if (keeper.owner == getpid()) {
        return STATUS_OK;
    }
    if (keeper.socket >= 0) {
        close(keeper.socket); // of the process that this one was forked from
        keeper.socket = -1;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_set(error, STATUS_FAILED, "cannot make a socket (%s): close other programs", strerror(errno));
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_keeper(ends[1]);
    }
    const int reason = errno;
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return error_set(error, STATUS_FAILED, "cannot start a process (%s): close other programs", strerror(reason));
    }
    setpgid(child, child); // whoever comes first
    keeper.socket = ends[0];
    keeper.process = child;
    keeper.owner = getpid();
    return STATUS_OK;
}

static void tell(enum message_kind kind, const char *path) {
    struct message message = {.kind = kind};
    memcpy(message.path, path, strlen(path) + 1);
    while (send(keeper.socket, &message, sizeof message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

// In a signal handler. The keeper answers when the folders are gone.
static void have_folders_removed(void) {
    if (keeper.owner == getpid()) {
        char answer;
        struct pollfd answered = {.fd = keeper.socket, .events = POLLIN};
        tell(CLEAN, "");
        if (poll(&answered, 1, CLEAN_MS_MAX) > 0) {
            recv(keeper.socket, &answer, sizeof answer, 0);
        }
    }
}

pid_t leftover_group(void) {
    return keeper.owner == getpid() ? keeper.process : 0;
}

void leftover_end_keeper(void) {
    pthread_mutex_lock(&keeper.lock);
    if (keeper.owner == getpid()) {
        close(keeper.socket);
        while (waitpid(keeper.process, NULL, 0) < 0 && errno == EINTR) {
        }
        keeper.owner = 0;
        keeper.socket = -1;
    }
    pthread_mutex_unlock(&keeper.lock);
}

// ---- Files, and signals ----

static const char *_Atomic leftovers[LEFTOVERS_MAX];

static const char *_Atomic last_words;
static _Atomic pid_t speaker; // whose words they are: a child has the handler, too

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};
static struct sigaction before[NSIG]; // by the signal's number

static void remove_and_end(int number) {
    const char *text = atomic_load(&speaker) == getpid() ? atomic_load(&last_words) : NULL;
    for (size_t left = text ? strlen(text) : 0; left > 0;) {
        const ssize_t written = write(STDOUT_FILENO, text, left);
        if (written <= 0) {
            break;
        }
        text += written;
        left -= (size_t)written;
    }
    for (size_t i = 0; i < LEFTOVERS_MAX; i++) {
        const char *path = atomic_load(&leftovers[i]);
        if (path) {
            unlink(path);
        }
    }
    have_folders_removed();
    sigaction(number, &before[number], NULL);
    raise(number);
}

static bool caught;

// A signal that was ignored stays ignored.
static void catch_signals(void) {
    if (caught) {
        return;
    }
    caught = true;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        const struct sigaction action = {.sa_handler = remove_and_end};
        sigaction(signals[i], NULL, &before[signals[i]]);
        if (before[signals[i]].sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

void leftover_disown(void) {
    for (size_t i = 0; i < LEFTOVERS_MAX; i++) {
        atomic_store(&leftovers[i], NULL);
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals && caught; i++) {
        sigaction(signals[i], &before[signals[i]], NULL);
    }
    caught = false;
}

// Replaces the first entry that equals `from`.
static void replace(const char *from, const char *to) {
    for (size_t i = 0; i < LEFTOVERS_MAX; i++) {
        const char *expected = from;
        if (atomic_compare_exchange_strong(&leftovers[i], &expected, to)) {
            return;
        }
    }
}

void leftover_add(const char *path) {
    catch_signals();
    replace(NULL, path);
}

void leftover_say(const char *text) {
    catch_signals();
    atomic_store(&speaker, getpid());
    atomic_store(&last_words, text);
}

void leftover_forget(const char *path) {
    replace(path, NULL);
}

enum status leftover_folder_add(const char *path, struct error *error) {
    if (strlen(path) >= LEFTOVER_PATH) {
        return error_set(error, STATUS_FAILED, "%.100s...: too long a path: choose a shorter one", path);
    }
    pthread_mutex_lock(&keeper.lock);
    catch_signals();
    const enum status status = start_keeper(error);
    if (status == STATUS_OK) {
        tell(FOLDER_ADD, path);
    }
    pthread_mutex_unlock(&keeper.lock);
    return status;
}

void leftover_folder_forget(const char *path) {
    pthread_mutex_lock(&keeper.lock);
    if (keeper.owner == getpid()) {
        tell(FOLDER_FORGET, path);
    }
    pthread_mutex_unlock(&keeper.lock);
}
