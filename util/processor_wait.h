// The time in which this process did not run although it had something to do: other programs had its processors, or a
// signal had stopped it.
#ifndef UTIL_PROCESSOR_WAIT_H
#define UTIL_PROCESSOR_WAIT_H

#include <stddef.h>

struct watched_thread;

struct processor_watch {
    struct watched_thread *threads; // that the process had when the watch was opened
    size_t count;
    double began_ns;
    double before_ns; // the longest wait of a thread between the end of one period and the begin of the next
};

struct processor_loss {
    double ran_ns;     // the longest that one thread ran
    double waited_ns;  // the longest that one thread was ready to run but waited for a processor
    double blocked_ns; // in which even the busiest thread slept or was stopped
};

// Watches nothing if the system does not tell or memory runs out; then every loss is 0.
void processor_watch_open(struct processor_watch *watch);
void processor_watch_close(struct processor_watch *watch);

// Begins a period, and ends it.
void processor_watch_begin(struct processor_watch *watch);
struct processor_loss processor_watch_end(struct processor_watch *watch);

#endif
