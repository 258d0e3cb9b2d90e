#include "util/leftover.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

enum {
    LEFTOVERS_MAX = 4 // a CSV, a graph, distances
};

static const char *_Atomic leftovers[LEFTOVERS_MAX];

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};
static struct sigaction before[sizeof signals / sizeof *signals];

static void remove_and_end(int number) {
    for (size_t i = 0; i < LEFTOVERS_MAX; i++) {
        const char *path = atomic_load(&leftovers[i]);
        if (path) {
            unlink(path);
        }
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (signals[i] == number) {
            sigaction(number, &before[i], NULL);
        }
    }
    raise(number);
}

// A signal that was ignored stays ignored.
static void catch_signals(void) {
    static bool caught;
    if (caught) {
        return;
    }
    caught = true;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        const struct sigaction action = {.sa_handler = remove_and_end};
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
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

void leftover_forget(const char *path) {
    replace(path, NULL);
}
