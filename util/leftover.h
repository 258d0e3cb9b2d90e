// Temporary files that must not outlive a process that is killed.
#ifndef UTIL_LEFTOVER_H
#define UTIL_LEFTOVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

// Until the name is forgotten, a signal that ends the process (from the terminal, a batch system, a limit) first
// removes the file of this name. The text belongs to the caller and may change meanwhile, so that mkstemp's template
// can be added before the file exists. There is room for four names; a fifth is not removed.
void leftover_add(const char *path);
void leftover_forget(const char *path);

enum {
    LEFTOVER_PATH = 2048
};

// Until it is forgotten, the folder goes when the process ends in whatever way, even by SIGKILL, with all that is in
// it. A second process, the keeper, sees to it. STATUS_FAILED if the path is longer than LEFTOVER_PATH - 1 or no
// process can be started.
enum status leftover_folder_add(const char *path, struct error *error);
void leftover_folder_forget(const char *path);

// Removes a folder with all that is in it, for which it waits half a second while a program still writes there.
void folder_remove(const char *path);

// The process group that ends with this process, for the programs that it starts: they get SIGTERM. 0: there is none.
pid_t leftover_group(void);

// Ends the keeper, because code that is not trusted could write to it. No folder may be left.
void leftover_end_keeper(void);

// Call this in a process that was forked to work for another one: what that one leaves is none of its own, and signals
// do what they did before anything was left.
void leftover_disown(void);

// Text that standard output gets if a signal ends the process. It must stay where it is until the next call; NULL:
// none.
void leftover_say(const char *text);

#endif
