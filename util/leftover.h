// Temporary files that must not outlive a process that is killed.
#ifndef UTIL_LEFTOVER_H
#define UTIL_LEFTOVER_H

// Until the name is forgotten, a signal that ends the process (from the terminal, a batch system, a limit) first
// removes the file of this name. The text belongs to the caller and may change meanwhile, so that mkstemp's template
// can be added before the file exists. There is room for four names; a fifth is not removed.
void leftover_add(const char *path);
void leftover_forget(const char *path);

#endif
